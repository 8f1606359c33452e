"""Evaluations from data frames: the frame's own engine counts, and only the counts come back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayesf1.base.arrays import AnyArray, FloatArray
from bayesf1.base.checks import OneLabel
from bayesf1.base.naming import listing, quoted
from bayesf1.designs import BlockedCV, KFoldCV
from bayesf1.evaluation import Evaluation, model_names
from bayesf1.io.columns import checked_numbers
from bayesf1.io.counts import check_weights
from bayesf1.io.experiment import from_long
from bayesf1.io.label_values import index_of, is_missing, plain_label, read_groups, read_labels
from bayesf1.io.labels import NO_GOLD, default_names, from_columns, from_correct, from_labels
from bayesf1.io.long_tables import Content, judges_by_name, kind_of_content, melted
from bayesf1.io.roles import check_given
from bayesf1.io.scores import from_scores
from bayesf1.io.tables import check_columns
from bayesf1.runs import with_runs_in

if TYPE_CHECKING:
    import narwhals as nw

    Lazy: TypeAlias = nw.LazyFrame[Any]

Models: TypeAlias = Sequence[str] | Mapping[str, Any]

# Modules that exceptions come from, and the packages that are to blame.
_PACKAGES = {"duckdb": "duckdb", "_duckdb": "duckdb", "polars": "polars", "pyo3_runtime": "polars"}
_PACKAGES |= {"narwhals": "narwhals", "pyarrow": "pyarrow"}
# A frame with more kinds of rows than this holds something else than labels.
_MAX_PATTERNS = 1_000_000
# Items that a judge labels are held one by one.
_MAX_ITEMS = 10_000_000
_NO_ROWS = "the frame has no rows; there is nothing to compare the models on"


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turn what an engine raises into one sentence that names it.

    Examples
    --------
    >>> import narwhals as nw
    >>> with engine_errors():
    ...     raise nw.exceptions.ComputeError("out of memory")
    Traceback (most recent call last):
    ValueError: narwhals failed (out of memory); try another version
    """
    try:
        yield
    # Polars panics by an exception that is no Exception.
    except BaseException as error:
        package = _PACKAGES.get(type(error).__module__.partition(".")[0])
        why = " ".join(str(error).split())[:200]
        if isinstance(error, ImportError) and error.name in _PACKAGES:
            raise ValueError(f"{why}; install it with pip install {error.name}") from None
        if package is None:
            raise
        raise ValueError(f"{package} failed ({why}); try another version") from None


@with_runs_in("models")
@engine_errors()
def from_frame(
    frame: Any,
    *,
    gold: str | None = None,
    models: Models | None = None,
    positive: OneLabel = None,
    group: str | None = None,
    labels: Sequence[Any] | None = None,
    judge: str | Models | None = None,
    prediction: str | None = None,
    correct: str | None = None,
    score: str | Sequence[str] | None = None,
    lower_is_better: bool = False,
    cv: BlockedCV | KFoldCV | str | None = None,
    model: str | None = None,
    item: str | None = None,
    generation: str | None = None,
    prompt: str | None = None,
    run: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    corpus: str | None = None,
) -> Evaluation:
    """Build an Evaluation from a data frame with a column of gold labels and one for each model.

    It is the same that `from_labels` builds, but the group-by runs where the data are, so the frame may be
    larger than memory. Evaluations of the shards of a corpus add up to that of the whole, ``sum(evs)``; with
    `group`, as long as no document straddles two shards.

    Parameters
    ----------
    frame
        A frame of pandas, polars (eager or lazy) or pyarrow, or a lazy one of DuckDB, Dask, PySpark or Ibis:
        whatever narwhals reads. One row is one item.
    gold
        Name of the column of gold labels.
    models
        Names of the columns of predictions, or a mapping of model name to column, or of a method to its runs' columns.
    positive
        The label that counts as positive; see `from_labels` on when it may be left out. More than two labels
        are classes.
    group
        Name of the column that says which document (speaker, user, …) an item belongs to; documents are then
        the units.
    labels
        The classes, as in `from_labels`. Shards that are to add up need them where some lack a class.
    prediction, correct, score, lower_is_better, cv
        Of frames with a row for each model and whatever was sampled: the column of predictions (beside `gold`), of right and
        wrong answers, or of scores, and whether the lower is the better; the design, if folds alone do not say it.
    model, item, generation, prompt, run, fold, repeat, corpus
        Of such frames: the columns that say which; by default those with usual names, as far as rows need them.
    judge
        Name of the column of what a judge says, or a mapping of the judge's name to its column; gold may then have gaps, as
        in `from_labels`. ``[]`` allows them without a judge.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"label": [1, 0, 1, 0], "bert": [1, 0, 1, 1], "crf": [1, 0, 0, 0]})
    >>> ev = from_frame(frame, gold="label", models=["bert", "crf"])
    >>> ev
    <Evaluation of 2 models (bert, crf) on cells tp, fp, fn, tn, 4 items in 4 patterns>
    >>> ev.tables
    array([[2., 1., 0., 1.], [1., 0., 1., 2.]])

    Columns of a frame with a row for each model have roles, which their names may say:

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"model": list("AAABBB"), "fold": [1, 2, 3] * 2, "f1": [0.7, 0.6, 0.8, 0.8, 0.7, 0.8]})
    >>> from_frame(rows, score="f1")
    <Evaluation of 2 models (A, B) on final scores (f1), totals only, 3-fold CV, discount 0.3333>
    """
    roles = {
        "model": model,
        "item": item,
        "group": group,
        "generation": generation,
        "prompt": prompt,
        "run": run,
        "fold": fold,
        "repeat": repeat,
        "corpus": corpus,
    }
    options = {
        "gold": gold,
        "prediction": prediction,
        "correct": correct,
        "score": score,
        "lower_is_better": lower_is_better or None,
        "positive": plain_label(positive),
        "labels": labels,
        "judge": judge,
        "cv": cv,
    }
    given = {role: column for role, column in roles.items() if column is not None}
    content = _content({name: value for name, value in options.items() if value is not None})
    lazy = _read_frame(frame, "lists of labels go to from_labels, counted rows to from_patterns")
    header = lazy.collect_schema().names()
    check_given(given, header, "the frame")
    if models is None:
        check_columns(content.columns, header, "the frame")
        return from_long(_in_pandas(frame, lazy).reset_index(drop=True), given, content)
    if prediction is not None:
        raise ValueError("prediction= does not apply if models= is given; leave one out")
    has_roles = bool(given.keys() - {"group"})
    named = _named_columns(models)
    if content.gold is None or has_roles:
        check_columns([*named.values(), *content.shared], header, "the frame")
        return from_wide(_in_pandas(frame, lazy), named, given, content, has_roles=has_roles)
    content.check_design(None)
    return _from_items(frame, lazy, named, group, content)


def _content(options: Mapping[str, Any]) -> Content:
    """Return what rows hold, or refuse options that do not go together."""
    if kind_of_content(options) is None:
        raise ValueError(
            "say what rows hold: gold= (and prediction= or models=) names labels, correct= right and wrong answers, score= "
            "scores"
        )
    scores = options.get("score", ())
    return Content(
        gold=options.get("gold"),
        prediction=options.get("prediction", "prediction"),
        correct=options.get("correct"),
        scores=(scores,) if isinstance(scores, str) else tuple(scores),
        lower_is_better="lower_is_better" in options,
        positive=options.get("positive"),
        labels=options.get("labels"),
        judge=judges_by_name(options.get("judge")),
        cv=options.get("cv"),
    )


def _in_pandas(frame: Any, lazy: Lazy) -> Any:
    """Return a frame of any engine as one of pandas."""
    import narwhals as nw

    native = nw.from_native(frame)
    return native.to_native() if native.implementation.is_pandas() else lazy.collect().to_pandas()


def from_wide(
    frame: Any, models: Mapping[str, str], given: Mapping[str, str], content: Content, *, has_roles: bool
) -> Evaluation:
    """Return the evaluation of a frame of pandas with a column for each model.

    Parameters
    ----------
    frame
        A row for each item, or for whatever else was sampled; an index that is none of row numbers says what items are.
    models
        The column of each model.
    given
        The columns whose role was given.
    content
        What the columns of models hold, and what this is called.
    has_roles
        Whether columns say what was sampled, beside items and their groups.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"A": ["yes", "no", "no"], "B": ["yes", "yes", "no"]})
    >>> from_wide(frame, {"A": "A", "B": "B"}, {}, Content(correct="ok"), has_roles=False).tables
    array([[1., 2.], [2., 1.]])
    """
    if content.gold is None:
        answers = content.correct is not None
        numbers = {
            column: checked_numbers(frame[column], model, answers=answers) for model, column in models.items()
        }
        frame = frame.assign(**numbers)
    if has_roles:
        long = melted(frame, models, content.answers)
        return from_long(long.frame, {"model": long.model, **given}, content.in_column(long.value))
    content.check_design(None)
    if content.gold is not None:
        return _from_items(frame, _read_frame(frame, "rows"), models, given.get("group"), content)
    columns = {model: frame[column] for model, column in models.items()}
    groups = frame[given["group"]] if "group" in given else None
    if content.correct is not None:
        return from_correct(columns, groups=groups, unit=content.unit)
    return from_scores(
        columns,
        name=content.answers,
        lower_is_better=content.lower_is_better,
        groups=groups,
        unit=content.unit,
    )


def _from_items(
    frame: Any, lazy: Lazy, models: Mapping[str, str], group: str | None, content: Content
) -> Evaluation:
    """Return the evaluation of a frame with an item a row, and a column of labels for each model."""
    columns = [content.shared[0], *models.values(), *content.shared[1:]]
    if group is not None:
        columns.append(group)
    selected = _selected(lazy, columns, len(models) + 1)
    if content.judge is not None:
        return _from_judged_items(frame, _rows(selected, frame, columns), models, group, content)
    values, weights = _count(selected, columns, group)
    _check_filled(columns, values, weights, blank_gold=content.labels is None)
    groups = None if group is None else read_groups(values[-1])
    return from_columns(
        values[0],
        dict(zip(models, values[1:], strict=False)),
        positive=content.positive,
        labels=content.labels,
        weights=weights,
        groups=groups,
    )


def _check_filled(
    columns: Sequence[str], values: Sequence[AnyArray], weights: FloatArray, *, blank_gold: bool
) -> None:
    """Refuse columns that lack values; a blank is a label of a model, which said nothing, but no gold label.

    With labels= a blank may be a class.
    """
    for i, (name, column) in enumerate(zip(columns, values, strict=True)):
        is_gold = i == 0
        missing = [is_missing(value, blank=is_gold and blank_gold) for value in column]
        n_items = float(weights[missing].sum())
        if n_items:
            number = "1 item" if n_items == 1 else f"{n_items:,.10g} items"
            remedy = NO_GOLD if is_gold else "drop or fill those rows"
            raise ValueError(f"column {name!r} has no value for {number}; {remedy}")


def _from_judged_items(
    frame: Any, rows: Mapping[str, Any], models: Mapping[str, str], group: str | None, content: Content
) -> Evaluation:
    """Return the evaluation of items whose gold labels may be missing, beside what a judge says of all."""
    import narwhals as nw

    assert content.gold is not None
    assert content.judge is not None
    ev = from_labels(
        rows[content.gold],
        {name: rows[column] for name, column in models.items()},
        positive=content.positive,
        labels=content.labels,
        groups=None if group is None else rows[group],
        judge={name: rows[column] for name, column in content.judge.items()},
    )
    if isinstance(nw.from_native(frame), nw.LazyFrame):
        # Rows of a lazy frame may come in another order the next time.
        return replace(ev, task=ev.task.without_rows())
    return ev


@with_runs_in("models")
@engine_errors()
def from_patterns(
    table: Any,
    *,
    gold: str | None = None,
    models: Models | None = None,
    count: str | None = None,
    positive: OneLabel = None,
) -> Evaluation:
    """Build an Evaluation from labels that a database has counted already.

    That is the result of ``SELECT gold, a, b, count(*) FROM … GROUP BY gold, a, b`` from any engine. Rows
    with the same labels add up.

    Parameters
    ----------
    table
        A list of tuples or of dicts, or a frame as `from_frame` takes it.
    gold
        Name of the column of gold labels; the first by default.
    models
        Names of the columns of predictions, or a mapping of model name to column; by default those between.
        For tuples, whose columns have no names, the names of the models; A, B, … by default.
    count
        Name of the column that says how many items there are of each kind; the last by default. Fractions
        are allowed, such as a discount after cross-validation.
    positive
        The label that counts as positive; see `from_labels` on when it may be left out.

    Examples
    --------
    >>> rows = [("spam", "spam", "spam", 70), ("spam", "ham", "spam", 12), ("ham", "ham", "ham", 900)]
    >>> ev = from_patterns(rows, models=["bert", "crf"], positive="spam")
    >>> ev
    <Evaluation of 2 models (bert, crf) on cells tp, fp, fn, tn, 982 items in 3 patterns>
    >>> ev.tables
    array([[ 70.,   0.,  12., 900.], [ 82.,   0.,   0., 900.]])
    """
    if isinstance(table, list | tuple):
        table, gold, models, count = _frame_of_rows(table, gold, models, count)
    lazy = _read_frame(table, "or a list of tuples or dicts")
    header, rows = lazy.collect_schema().names(), lazy.head(_MAX_PATTERNS + 1).collect().rows()
    if not 0 < len(rows) <= _MAX_PATTERNS:
        few = f"more than {_MAX_PATTERNS:,} rows; items that are not counted yet go to from_frame"
        raise ValueError(f"the table has {few if rows else 'no rows; there is nothing to compare on'}")
    named = {} if models is None else _named_columns(models)
    free = [name for name in header if name not in (gold, count, *named.values())]
    gold = free.pop(0) if gold is None and free else gold
    count = free.pop() if count is None and free else count
    named = named or {name: name for name in free}
    if gold is None or count is None or not named:
        raise ValueError(f"gold, models and the count need columns, but there are only {listing(header)}")
    used, names = [gold, *named.values(), count], model_names(named)
    check_columns(used, header, "the table")
    places = [header.index(name) for name in used]
    weights = check_weights(np.array([row[places[-1]] for row in rows], dtype=object), count)
    if not weights.any():
        raise ValueError(f"all counts in column {count!r} are 0; there is nothing to compare the models on")
    seen = np.flatnonzero(weights).tolist()
    truth, *columns = (
        read_labels([_plain(rows[r][i]) for r in seen], f"column {name!r}")
        for i, name in zip(places[:-1], used[:-1], strict=True)
    )
    return from_columns(
        truth, dict(zip(names, columns, strict=True)), positive=positive, weights=weights[seen]
    )


# ---- columns ----------------------------------------------------------------------------------------------


def _as_text(column: str) -> nw.Expr:
    """Return a column's values as text, and nothing where there is none: pandas 2 would write ``nan``."""
    import narwhals as nw

    expr = nw.col(column)
    return nw.when(~expr.is_null()).then(expr.cast(nw.String))


def _read_frame(frame: Any, instead: str) -> Lazy:
    """Return a frame of any engine as a lazy one, or say what belongs here."""
    import narwhals as nw

    try:
        found = nw.from_native(frame)
    except (TypeError, nw.exceptions.NarwhalsError) as error:
        twice = isinstance(error, nw.exceptions.DuplicateError)
        raise ValueError(
            "a frame of pandas, polars, pyarrow, DuckDB, Dask, PySpark or Ibis is needed here, not "
            f"{f'one with two columns of a name ({error})' if twice else type(frame).__name__}; {instead}"
        ) from None
    lazy: Lazy = found.lazy()
    return lazy


def _named_columns(models: Models) -> dict[str, str]:
    names = model_names(models)
    return {name: models[name] if isinstance(models, Mapping) else name for name in names}


def _selected(lazy: Lazy, columns: Sequence[str], n_labels: int) -> Lazy:
    """Return columns, the first of which are labels, by plain names, or say which there is not, or holds something else.

    No engine stumbles over c0, c1 and so on; DuckDB reads other names as SQL.
    """
    import narwhals as nw

    schema, native = lazy.collect_schema(), lazy.to_native()
    check_columns(columns, schema.names(), "the frame")
    exprs: dict[str, nw.Expr] = {}
    kinds: list[nw.dtypes.DType] = []
    for i, column in enumerate(columns):
        if lazy.implementation.is_duckdb() and set(column) & set('."'):
            raise ValueError(f"duckdb may mistake column {column!r} for another; rename it")
        dtype, expr = schema[column], nw.col(column)
        if dtype in (nw.Categorical, nw.Enum):
            dtype = nw.String()
            pandas = lazy.implementation.is_pandas_like() or lazy.implementation.is_dask()
            categories = getattr(native[column].dtype, "categories", None) if pandas else None
            if categories is not None and categories.dtype.kind in "biuf":
                dtype, expr = nw.Float64(), expr.cast(nw.Float64())
            elif not lazy.implementation.is_pandas():
                # Of pandas, categories that are strings are counted as they are, which saves a string for each row.
                expr = _as_text(column)
        elif dtype.is_decimal():
            dtype, expr = nw.Float64(), expr.cast(nw.Float64)
        elif lazy.implementation.is_pyarrow() and str(native.schema.field(column).type) == "string_view":
            expr = expr.cast(nw.String)
        exprs[f"c{i}"] = expr
        kinds.append(dtype)
        if i < n_labels and not (dtype == nw.String or dtype.is_numeric() or dtype == nw.Boolean):
            raise ValueError(f"column {column!r} holds {dtype}; labels are strings, numbers or booleans")
        if i < n_labels and (kinds[0] == nw.String) != (dtype == nw.String):
            raise ValueError(
                f"column {columns[0]!r} holds {kinds[0]} but column {column!r} {dtype}; numbers and strings are never equal"
            )
    return lazy.select(**exprs)


# ---- counting ---------------------------------------------------------------------------------------------


def _count(selected: Lazy, columns: Sequence[str], group: str | None) -> tuple[list[AnyArray], FloatArray]:
    """Return the combinations of values, column by column, and how many rows have each."""
    import narwhals as nw

    keys = selected.collect_schema().names()
    most = _MAX_PATTERNS if group is None else _MAX_ITEMS
    counted = selected.group_by(*keys).agg(nw.len().alias("n")).head(most + 1).collect()
    if len(counted) > most:
        raise ValueError(
            f"the columns {listing(columns)} have more than {most:,} different combinations; was a column with a value for "
            "every row named by mistake? Shards by whole documents add up: sum(evs)"
        )
    weights = np.array(counted["n"].to_list(), dtype=np.float64)
    seen = np.flatnonzero(weights)
    if not len(seen):
        raise ValueError(_NO_ROWS)
    return [_objects(counted[key].to_list())[seen] for key in keys], weights[seen]


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else plain_label(value)


def _objects(values: Sequence[Any]) -> AnyArray:
    column = np.empty(len(values), dtype=object)
    column[:] = [_plain(value) for value in values]
    return column


def _rows(selected: Lazy, frame: Any, columns: Sequence[str]) -> dict[str, Any]:
    """Return the rows themselves, column by column; an index that is none of row numbers says what items are."""
    import pandas as pd

    rows = selected.head(_MAX_ITEMS + 1).collect()
    if not 0 < len(rows) <= _MAX_ITEMS:
        few = f"judge= takes a frame of at most {_MAX_ITEMS:,} rows"
        raise ValueError(few if len(rows) else _NO_ROWS)
    index = index_of(frame, "frame")
    index = index if index is not None and index.is_unique else None
    return {
        column: pd.Series(_objects(rows[key].to_list()), index=index, dtype=object)
        for column, key in zip(columns, rows.columns, strict=True)
    }


# ---- counted rows -----------------------------------------------------------------------------------------


def _frame_of_rows(
    table: Sequence[Any], gold: str | None, models: Models | None, count: str | None
) -> tuple[Any, str | None, Models | None, str | None]:
    """Return a list of dicts or tuples as a frame of pandas; columns of tuples get the names of what they hold."""
    import pandas as pd

    for i, row in enumerate(table, 1):
        if not isinstance(row, Mapping | list | tuple | np.ndarray) or not 3 <= len(row) == len(table[0]):
            raise ValueError(f"row {i} is {quoted(row)}, but should be gold, the models' labels and a count")
    frame = pd.DataFrame(list(table), dtype=object)
    if not len(frame) or all(isinstance(name, str) for name in frame):
        return frame, gold, models, count
    if gold is not None or count is not None or isinstance(models, Mapping):
        raise ValueError("tuples have no column names: gold stands first, the count last, models between")
    names = model_names(default_names(frame.shape[1] - 2) if models is None else models)
    if len(names) != frame.shape[1] - 2:
        raise ValueError(
            f"rows have {frame.shape[1]} columns, so {frame.shape[1] - 2} models between gold and count, but models= names "
            f"{len(names)}"
        )
    frame.columns = pd.Index(["1", *(f"model {name}" for name in names), str(frame.shape[1])])
    return frame, "1", {name: f"model {name}" for name in names}, str(frame.shape[1])
