"""Evaluations from data frames: the frame's own engine counts, and only the counts come back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

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
from bayesf1.io.long_tables import ROW, Content, kind_of_content, melted
from bayesf1.io.roles import (
    ANSWERED_AGAIN,
    check_given,
    check_rows_are_items,
    have_roles,
    role_of,
    roles_by_name,
)
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
    """Turn an error of an engine into a ValueError with one sentence that names the engine.

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
    # A panic in polars is a BaseException, but not an Exception.
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

    It equals what `from_labels` builds, but the group-by runs where the data are, so the frame may be larger than memory.
    Evaluations of the shards of a corpus add up to that of the whole, ``sum(evs)``; with `group`, as long as no document
    straddles two shards.

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
        The classes, as in `from_labels`. Shards that should be added up need them if some lack a class.
    prediction, correct, score, lower_is_better, cv
        For frames with a row for each model and unit: the column of predictions (with `gold`), of right and wrong answers,
        or of scores; whether lower scores are better; and the design of the cross-validation, if the folds do not show it.
    model, item, generation, prompt, run, fold, repeat, corpus
        The columns that name the model, the item and so on; by default, those with the usual names if rows need them. In a
        frame with a column for each model, they say what else was sampled.
    judge
        Name of the column of a judge's labels, or a mapping of the judge's name to its column; gold may then have gaps, as
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
    roles = {"model": model, "item": item, "group": group, "corpus": corpus}
    roles |= {"run": run, "fold": fold, "repeat": repeat, "generation": generation, "prompt": prompt}
    given = {role: column for role, column in roles.items() if column is not None}
    options: dict[str, Any] = {
        "gold": gold,
        "prediction": prediction,
        "correct": correct,
        "score": score,
        "judge": judge,
    }
    options |= {"positive": plain_label(positive), "labels": labels, "cv": cv}
    options = {name: value for name, value in options.items() if value is not None}
    if lower_is_better:
        options["lower_is_better"] = True
    kind = kind_of_content(options)
    if kind is None:
        raise ValueError(
            "say what rows hold: gold= (and prediction= or models=) names labels, correct= right and wrong answers, score= "
            "scores"
        )
    answers = options.get("prediction", "prediction") if kind == "gold" else options[kind]
    content = Content.of(options, kind, (answers,) if isinstance(answers, str) else answers)
    lazy = _read_frame(frame, "lists of labels go to from_labels, counted rows to from_patterns")
    header = lazy.collect_schema().names()
    check_given(given, header, "the frame", has_scores=kind == "score")
    if models is None:
        _check_rows_of_models(header, given, content)
        return from_long(_in_pandas(frame, lazy).reset_index(drop=True), given, content)
    if prediction is not None:
        raise ValueError("prediction= does not apply if models= is given; leave one out")
    named = _named_columns(models)
    by_name = roles_by_name(header, [*named.values(), *content.shared, *given.values()])
    item = given.get("item", by_name.get("item"))
    has_roles = bool(given.keys() - {"group"})
    if not has_roles and by_name.keys() - {"model", "item"}:
        has_roles = have_roles(lazy, by_name, item, final=kind == "score" and item is None)
    if kind != "gold" or has_roles:
        check_columns([*named.values(), *content.shared], header, "the frame")
        rows = _in_pandas(frame, lazy)
        index = index_of(rows, "the frame")
        if index is not None:
            header = [*header, *("id" if name is None else str(name) for name in index.names)]
        return from_wide(rows, named, given, content, has_roles=has_roles, header=header)
    content.check_design(None)
    return _from_items(frame, lazy, named, group, content)


def _check_rows_of_models(header: Sequence[str], given: Mapping[str, str], content: Content) -> None:
    """Refuse a frame without a column of models' answers, and name the columns that may be of a model each."""
    check_columns(content.shared, header, "the frame")
    absent = [column for column in content.answers if column not in header]
    others = [column for column in header if column not in (*content.shared, *given.values())]
    columns = [column for column in others if role_of(column) is None]
    is_wide = "model" not in given and "model" not in map(role_of, others)
    if absent and is_wide and columns:
        raise ValueError(
            f"the frame has no column {quoted(absent[0])}, and none that names models; if each model has a column, name "
            f"those: models={columns}"
        )
    check_columns(content.answers, header, "the frame")


def _in_pandas(frame: Any, lazy: Lazy) -> Any:
    """Return a frame of any engine as one of pandas."""
    import narwhals as nw

    native = nw.from_native(frame)
    return native.to_native() if native.implementation.is_pandas() else lazy.collect().to_pandas()


def from_wide(
    frame: Any,
    models: Mapping[str, str],
    given: Mapping[str, str],
    content: Content,
    *,
    has_roles: bool,
    header: Sequence[str],
) -> Evaluation:
    """Return the evaluation of a frame of pandas with a column for each model.

    Parameters
    ----------
    frame
        A row for each item, or for whatever else was sampled; an index other than row numbers holds the ids of items.
    models
        The column of each model.
    given
        The columns whose role was given.
    content
        What the columns of models hold, and its name.
    has_roles
        Whether columns say what was sampled, beside items and their groups.
    header
        All columns of the table, of which the frame may hold some, and the names of its index.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"A": ["yes", "no", "no"], "B": ["yes", "yes", "no"]})
    >>> models = {"A": "A", "B": "B"}
    >>> from_wide(frame, models, {}, Content("correct", ("ok",)), has_roles=False, header=["A", "B"]).tables
    array([[1., 2.], [2., 1.]])
    """
    if content.kind != "gold":
        answers = content.kind == "correct"
        numbers = {
            column: checked_numbers(frame[column], model, answers=answers) for model, column in models.items()
        }
        frame = frame.assign(**numbers)
    if has_roles:
        if _is_item_a_row(frame, [*models.values(), *content.shared], given, content):
            frame = frame.assign(**{ROW: np.arange(1, len(frame) + 1)})
            given = {**given, "item": ROW}
        long = melted(frame, models, content.answer)
        return from_long(long.frame, {"model": long.model, **given}, content.in_column(long.value))
    content.check_design(None)
    if content.kind == "gold":
        return _from_items(frame, _read_frame(frame, "rows"), models, given.get("group"), content)
    columns = {model: frame[column] for model, column in models.items()}
    groups = frame[given["group"]] if "group" in given else None
    if content.kind == "correct":
        return from_correct(columns, groups=groups, unit=content.unit)
    if content.unit is None and not given:
        check_rows_are_items([column for column in header if column not in models.values()], content.answer)
    return from_scores(
        columns,
        name=content.answer,
        lower_is_better=content.lower_is_better,
        groups=groups,
        unit=content.unit,
    )


def _is_item_a_row(frame: Any, values: Sequence[str], given: Mapping[str, str], content: Content) -> bool:
    """Return whether rows are items without ids, and neither final scores nor repeated answers to an item."""
    named = roles_by_name(frame.columns, [*values, *given.values()])
    if content.kind == "score" or "item" in {*given, *named}:
        return False
    if given.keys() & ANSWERED_AGAIN:
        return False
    return all(frame[named[role]].nunique() < 2 for role in ANSWERED_AGAIN & named.keys())


def _from_items(
    frame: Any, lazy: Lazy, models: Mapping[str, str], group: str | None, content: Content
) -> Evaluation:
    """Return the evaluation of a frame with a row for each item, and a column of labels for each model."""
    # Gold comes first and the group last: below, columns are known by this order.
    columns = [content.shared[0], *models.values(), *content.shared[1:]]
    if group is not None:
        columns.append(group)
    selected = _selected(lazy, columns, len(models) + 1)
    if content.judge is not None:
        return _from_judged_items(frame, _rows(selected, frame, columns), models, group, content)
    counted = _count(selected, columns, group)
    _check_filled(columns, counted, blank_gold=content.labels is None)
    gold, *predictions = counted.columns
    groups = None if group is None else read_groups(predictions.pop())
    return from_columns(
        gold,
        dict(zip(models, predictions, strict=True)),
        positive=content.positive,
        labels=content.labels,
        weights=counted.weights,
        groups=groups,
    )


def _check_filled(columns: Sequence[str], counted: _Counted, *, blank_gold: bool) -> None:
    """Refuse columns that lack values; a blank is allowed as a model's label (it said nothing), but not as a gold label.

    With labels= a blank may be a class.
    """
    for i, (name, column) in enumerate(zip(columns, counted.columns, strict=True)):
        is_gold = i == 0
        missing = [is_missing(value, blank=is_gold and blank_gold) for value in column]
        n_items = float(counted.weights[missing].sum())
        if n_items:
            number = "1 item" if n_items == 1 else f"{n_items:,.10g} items"
            remedy = NO_GOLD if is_gold else "drop or fill those rows"
            raise ValueError(f"column {name!r} has no value for {number}; {remedy}")


def _from_judged_items(
    frame: Any, rows: Mapping[str, Any], models: Mapping[str, str], group: str | None, content: Content
) -> Evaluation:
    """Return the evaluation of items whose gold labels may be missing, while a judge labels all of them."""
    import narwhals as nw

    assert content.gold is not None
    assert content.judge is not None
    groups = None if group is None else rows[group]
    ev = from_labels(
        rows[content.gold],
        {name: rows[column] for name, column in models.items()},
        positive=content.positive,
        labels=content.labels,
        groups=groups,
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
        Name of the column with the number of items of each kind; the last by default. Fractions are allowed, such as a
        discount after cross-validation.
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
    named = None if models is None else _named_columns(models)
    if isinstance(table, list | tuple):
        table = _frame_of_records(table)
        if not all(isinstance(name, str) for name in table):
            if gold is not None or count is not None or isinstance(models, Mapping):
                raise ValueError(
                    "tuples have no column names: gold stands first, the count last, models between"
                )
            named = _name_columns(table, models)
    lazy = _read_frame(table, "or a list of tuples or dicts")
    header = lazy.collect_schema().names()
    rows = lazy.head(_MAX_PATTERNS + 1).collect()
    if not len(rows):
        raise ValueError("the table has no rows; there is nothing to compare on")
    if len(rows) > _MAX_PATTERNS:
        raise ValueError(
            f"the table has more than {_MAX_PATTERNS:,} rows; items that are not counted yet go to from_frame"
        )
    taken = [] if named is None else [*named.values()]
    free = [name for name in header if name not in (gold, count, *taken)]
    if gold is None and free:
        gold = free.pop(0)
    if count is None and free:
        count = free.pop()
    if named is None:
        named = {name: name for name in free}
    if gold is None or count is None or not named:
        raise ValueError(f"gold, models and the count need columns, but there are only {listing(header)}")
    check_columns([gold, *named.values(), count], header, "the table")
    model_names(named)
    weights = check_weights(np.array(rows[count].to_list(), dtype=object), count)
    seen = np.flatnonzero(weights)
    if not len(seen):
        raise ValueError(f"all counts in column {count!r} are 0; there is nothing to compare the models on")

    def labels_in(column: str) -> AnyArray:
        return read_labels(_objects(rows[column].to_list())[seen], f"column {column!r}")

    predictions = {name: labels_in(column) for name, column in named.items()}
    return from_columns(labels_in(gold), predictions, positive=positive, weights=weights[seen])


def _frame_of_records(table: Sequence[Any]) -> Any:
    """Return a list of dicts or tuples as a frame of pandas."""
    import pandas as pd

    for i, row in enumerate(table, 1):
        if not isinstance(row, Mapping | list | tuple | np.ndarray) or not 3 <= len(row) == len(table[0]):
            raise ValueError(f"row {i} is {quoted(row)}, but should be gold, the models' labels and a count")
    return pd.DataFrame(list(table), dtype=object)


def _name_columns(frame: Any, models: Sequence[str] | None) -> dict[str, str]:
    """Name the columns of a frame of tuples by their content, and return those of the models."""
    n_models = frame.shape[1] - 2
    names = model_names(default_names(n_models) if models is None else models)
    if len(names) != n_models:
        raise ValueError(
            f"rows have {n_models + 2} columns, so {n_models} models between gold and count, but models= names {len(names)}"
        )
    named = {name: f"model {name}" for name in names}
    # Tuples have no names for columns, so errors call gold and the count by their numbers.
    frame.columns = ["1", *named.values(), str(n_models + 2)]
    return named


# ---- columns ----------------------------------------------------------------------------------------------


def _read_frame(frame: Any, instead: str) -> Lazy:
    """Return a frame of any engine as a lazy one, or raise a ValueError that ends with `instead`."""
    import narwhals as nw

    try:
        read = nw.from_native(frame)
    except (TypeError, nw.exceptions.NarwhalsError) as error:
        given = type(frame).__name__
        if isinstance(error, nw.exceptions.DuplicateError):
            given = f"one with two columns of a name ({error})"
        raise ValueError(
            f"a frame of pandas, polars, pyarrow, DuckDB, Dask, PySpark or Ibis is needed here, not {given}; {instead}"
        ) from None
    lazy: Lazy = read.lazy()
    return lazy


def _named_columns(models: Models) -> dict[str, str]:
    """Return the column of each model by its name."""
    names = model_names(models)
    return {name: models[name] for name in names} if isinstance(models, Mapping) else {n: n for n in names}


class _Column(NamedTuple):
    """A column of a frame that every engine can count, and the type of its values."""

    expr: nw.Expr
    kind: nw.dtypes.DType


def _selected(lazy: Lazy, columns: Sequence[str], n_labels: int) -> Lazy:
    """Return columns as c0, c1 and so on, labels first; raise a ValueError if one is missing or does not hold labels.

    Every engine accepts such names, while DuckDB would read some others as SQL.
    """
    import narwhals as nw

    check_columns(columns, lazy.collect_schema().names(), "the frame")
    selected = {column: _countable(lazy, column) for column in columns}
    first = columns[0]
    for column in columns[:n_labels]:
        kind = selected[column].kind
        if not (kind == nw.String or kind.is_numeric() or kind == nw.Boolean):
            raise ValueError(f"column {column!r} holds {kind}; labels are strings, numbers or booleans")
        if (selected[first].kind == nw.String) != (kind == nw.String):
            raise ValueError(
                f"column {first!r} holds {selected[first].kind} but column {column!r} {kind}; numbers and strings are never "
                "equal"
            )
    return lazy.select(**{f"c{i}": selected[column].expr for i, column in enumerate(columns)})


def _countable(lazy: Lazy, column: str) -> _Column:
    """Return a column with decimals as numbers, and categories as the texts or numbers that they are."""
    import narwhals as nw

    engine = lazy.implementation
    native = lazy.to_native()
    expr = nw.col(column)
    kind = lazy.collect_schema()[column]
    if engine.is_duckdb() and set(column) & set('."'):
        raise ValueError(f"duckdb may mistake column {column!r} for another; rename it")
    if kind.is_decimal():
        return _Column(expr.cast(nw.Float64), nw.Float64())
    if engine.is_pyarrow() and str(native.schema.field(column).type) == "string_view":
        return _Column(expr.cast(nw.String), kind)
    if kind not in (nw.Categorical, nw.Enum):
        return _Column(expr, kind)
    if engine.is_pandas_like() or engine.is_dask():
        dtype = native[column].dtype
        if type(dtype).__name__ == "CategoricalDtype" and dtype.categories.dtype.kind in "biuf":
            return _Column(expr.cast(nw.Float64()), nw.Float64())
    if engine.is_pandas():
        # Categories that are strings are counted as they are, which saves a string for each row.
        return _Column(expr, nw.String())
    # A gap stays one: pandas 2 would write ``nan``.
    return _Column(nw.when(~expr.is_null()).then(expr.cast(nw.String)), nw.String())


# ---- counting ---------------------------------------------------------------------------------------------


class _Counted(NamedTuple):
    """The distinct rows of a frame, column by column, and how often each occurs."""

    columns: list[AnyArray]
    weights: FloatArray


def _count(selected: Lazy, columns: Sequence[str], group: str | None) -> _Counted:
    """Return the different combinations of values, as the frame's own engine counts them."""
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
    # An engine may list combinations of categories that do not occur, with a count of 0.
    seen = np.flatnonzero(weights)
    if not len(seen):
        raise ValueError(_NO_ROWS)
    return _Counted([_objects(counted[key].to_list())[seen] for key in keys], weights[seen])


def _objects(values: Sequence[Any]) -> AnyArray:
    """Return values as objects of Python, decimals as numbers."""
    column = np.empty(len(values), dtype=object)
    column[:] = [_plain(value) for value in values]
    return column


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else plain_label(value)


def _rows(selected: Lazy, frame: Any, columns: Sequence[str]) -> dict[str, Any]:
    """Return the rows themselves, column by column; an index other than row numbers holds the ids of items."""
    import pandas as pd

    rows = selected.head(_MAX_ITEMS + 1).collect()
    if not len(rows):
        raise ValueError(_NO_ROWS)
    if len(rows) > _MAX_ITEMS:
        raise ValueError(f"judge= takes a frame of at most {_MAX_ITEMS:,} rows")
    ids = index_of(frame, "frame")
    if ids is not None and not ids.is_unique:
        ids = None
    return {
        column: pd.Series(_objects(rows[key].to_list()), index=ids, dtype=object)
        for column, key in zip(columns, rows.columns, strict=True)
    }
