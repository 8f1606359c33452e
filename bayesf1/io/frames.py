"""Evaluations from data frames: the frame's own engine counts, and only the counts come back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import OneLabel, checked
from bayesf1.base.naming import listing, nearest, quoted
from bayesf1.evaluation import Evaluation, Units, model_names, with_runs_in
from bayesf1.io.alignment import index_of
from bayesf1.io.counts import MAX_COUNT
from bayesf1.io.judged import check_one_judge, from_judged
from bayesf1.io.label_values import (
    BY_A_JUDGE,
    distinct_labels,
    guess_positive,
    is_missing,
    plain_label,
    read_groups,
    read_labels,
)
from bayesf1.io.labels import default_names, from_columns
from bayesf1.tasks.binary import Binary

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


class EngineError(ValueError):
    """An engine failed, whatever it was asked."""


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turn what an engine raises into one sentence that names it.

    Examples
    --------
    >>> import narwhals as nw
    >>> with engine_errors():
    ...     raise nw.exceptions.ComputeError("out of memory")
    Traceback (most recent call last):
    bayesf1.io.frames.EngineError: narwhals failed (out of memory); another version may not
    """
    try:
        yield
    # Polars panics by an exception that is no Exception.
    except BaseException as error:
        package = _PACKAGES.get(type(error).__module__.partition(".")[0])
        why = " ".join(str(error).split())[:200]
        if isinstance(error, ImportError) and error.name in _PACKAGES:
            raise EngineError(f"{why}; install it by: pip install {error.name}") from None
        if package is None:
            raise
        raise EngineError(f"{package} failed ({why}); another version may not") from None


@checked
@with_runs_in("models")
@engine_errors()
def from_frame(
    frame: Any,
    *,
    gold: str,
    models: Models,
    positive: OneLabel = None,
    group: str | None = None,
    labels: Sequence[Any] | None = None,
    judge: str | Models | None = None,
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
    """
    import narwhals as nw

    lazy = _read_frame(frame, "lists of labels go to from_labels, counted rows to from_patterns")
    named = _named_columns(models)
    if positive is not None and labels is not None:
        raise ValueError("positive= makes a binary task and labels= one of several classes; give one of them")
    if judge is not None:
        judges = {judge: judge} if isinstance(judge, str) else _named_columns(judge) if len(judge) else {}
        check_one_judge(judges)
        return _from_judged_frame(lazy, frame, gold, named, judges, group, positive=positive, labels=labels)
    _check_columns(lazy, [gold, *named.values(), *([] if group is None else [group])])
    read = _label_columns(lazy, [gold, *named.values()])
    in_group, how = None, {"positive": plain_label(positive), "labels": labels}
    if group is not None:
        here = nw.col(group)
        float_gap = here.is_nan() if lazy.collect_schema()[group].is_float() else nw.lit(False)
        in_group = nw.when(~here.is_null() & ~float_gap).then(nw.lit(0))
    truth, columns, weights, _ = _count(lazy, read, group, in_group, blank=labels is not None)
    found = [truth, *columns]
    ev = from_columns(truth, dict(zip(named, columns, strict=True)), weights=weights, **how)
    if group is None:
        return ev
    if not isinstance(ev.task, Binary):
        truth, columns, weights, documents = _count(lazy, read, group, nw.col(group), blank=True)
        groups, predicted = read_groups(documents), dict(zip(named, columns, strict=True))
        return from_columns(truth, predicted, weights=weights, groups=groups, **how)
    one = guess_positive(distinct_labels(found)) if positive is None else plain_label(positive)
    units = Units.merge(*_count_documents(lazy, read, one, group), "document")
    whole = Evaluation.of_units(ev.models, ev.task, units, ev.units)
    if not np.array_equal(whole.tables, ev.tables):
        raise ValueError(
            "the frame gave other items when it was read again; store it first, if it is a sample or a stream"
        )
    return replace(whole, remarks=ev.remarks)


@checked
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
    header, rows = _read_rows(table)
    if not rows:
        raise ValueError("the table has no rows; there is nothing to compare the models on")
    if header is None:
        if gold is not None or count is not None or isinstance(models, Mapping):
            raise ValueError("tuples have no column names: gold stands first, the count last, models between")
        header = used = [str(i + 1) for i in range(len(rows[0]))]
        names = model_names(default_names(len(header) - 2) if models is None else models)
        if len(names) != len(header) - 2:
            raise ValueError(
                f"rows have {len(header)} columns, so {len(header) - 2} models between gold and count, "
                f"but models= names {len(names)}"
            )
    else:
        named = {} if models is None else _named_columns(models)
        free = [name for name in header if name not in (gold, count, *named.values())]
        gold = free.pop(0) if gold is None and free else gold
        count = free.pop() if count is None and free else count
        named = named or {name: name for name in free}
        if gold is None or count is None or not named:
            raise ValueError(
                f"columns of gold, models and the count are needed, but there are only {listing(header)}"
            )
        used, names = [gold, *named.values(), count], model_names(named)
        _check_used(used, header)
    places = [header.index(name) for name in used]
    weights = _read_weights([row[places[-1]] for row in rows], used[-1])
    seen = np.flatnonzero(weights).tolist()
    columns = [
        read_labels([_plain(rows[r][i]) for r in seen], f"column {name!r}")
        for i, name in zip(places[:-1], used[:-1], strict=True)
    ]
    return from_columns(
        columns[0], dict(zip(names, columns[1:], strict=True)), positive=positive, weights=weights[seen]
    )


# ---- columns ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Labels:
    """A column of labels: its name and an expression that gives strings, numbers or booleans."""

    column: str
    dtype: nw.dtypes.DType
    expr: nw.Expr

    @property
    def text(self) -> bool:
        import narwhals as nw

        return bool(self.dtype == nw.String)

    def is_positive(self, positive: Any) -> nw.Expr:
        """Return 1 for the positive label and 0 for others."""
        import narwhals as nw

        # Engines refuse to compare strings with numbers, and some of them booleans with numbers.
        comparable = isinstance(positive, str) == self.text
        if self.dtype == nw.Boolean:
            comparable, positive = positive in (0, 1), bool(positive)
        elif isinstance(positive, bool):
            positive = int(positive)
        same = self.expr == positive if comparable else nw.lit(False)
        return nw.when(same).then(nw.lit(1)).otherwise(nw.lit(0))


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
            "a frame of pandas, polars, pyarrow, DuckDB, Dask, PySpark or Ibis belongs here, not "
            f"{f'one with two columns of a name ({error})' if twice else type(frame).__name__}; {instead}"
        ) from None
    lazy: Lazy = found.lazy()
    return lazy


def _named_columns(models: Models) -> dict[str, str]:
    names = model_names(models)
    return {name: models[name] if isinstance(models, Mapping) else name for name in names}


def _check_used(used: Sequence[str], known: Sequence[str]) -> None:
    """Say which column there is not, or is named twice."""
    for i, name in enumerate(used):
        if not isinstance(name, str):
            raise ValueError(f"columns are named by strings, not by {quoted(name)}; rename the columns first")
        if name not in known:
            raise ValueError(f"there is no column {quoted(name)}; {nearest(str(name), known)}")
        if name in used[:i]:
            raise ValueError(f"column {name!r} is named twice; gold, models and the rest need one each")


def _check_columns(lazy: Lazy, used: Sequence[str]) -> None:
    """Say which column a frame has not, or DuckDB would take for another, as it reads names as SQL."""
    _check_used(used, lazy.collect_schema().names())
    for name in used if lazy.implementation.is_duckdb() else ():
        if set(name) & set('."'):
            raise ValueError(f"duckdb may take column {name!r} for another, for its dot or quote; rename it")


def _label_columns(lazy: Lazy, columns: Sequence[str]) -> list[_Labels]:
    """Return columns of labels, or say which holds something else."""
    import narwhals as nw

    schema, native = lazy.collect_schema(), lazy.to_native()
    found: list[_Labels] = []
    for column in columns:
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
        if not (dtype == nw.String or dtype.is_numeric() or dtype == nw.Boolean):
            raise ValueError(f"column {column!r} holds {dtype}; labels are strings, numbers or booleans")
        found.append(_Labels(column, dtype, expr))
        if found[0].text != found[-1].text:
            raise ValueError(
                f"column {columns[0]!r} holds {found[0].dtype} but column {column!r} {dtype}; "
                "numbers and strings are never equal"
            )
    return found


# ---- counting ---------------------------------------------------------------------------------------------


def _collect(lazy: Lazy, keys: Sequence[str], what: str, too_many: str) -> list[tuple[Any, ...]]:
    """Return the combinations of keys and how many rows have each, or say what has too many of them, and of what."""
    import narwhals as nw

    counted = lazy.group_by(*keys).agg(nw.len().alias("n"))
    rows = [row for row in counted.head(_MAX_PATTERNS + 1).collect().rows() if row[-1]]
    if len(rows) > _MAX_PATTERNS:
        raise ValueError(f"{what} more than {_MAX_PATTERNS:,} {too_many}")
    if not rows:
        raise ValueError(_NO_ROWS)
    return rows


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else plain_label(value)


def _columns_of(rows: Sequence[Sequence[Any]], n: int) -> list[NDArray[Any]]:
    columns = [np.empty(len(rows), dtype=object) for _ in range(n)]
    for i, column in enumerate(columns):
        column[:] = [_plain(row[i]) for row in rows]
    return columns


def _count(
    lazy: Lazy, labels: Sequence[_Labels], group: str | None, key: nw.Expr | None, *, blank: bool
) -> tuple[NDArray[Any], list[NDArray[Any]], FloatArray, NDArray[Any]]:
    """Return gold, the models' columns, the number of items of each combination and what `key` says of their group.

    A gold label may be `blank`.
    """
    # Columns get plain names, so that no engine stumbles over spaces, quotes or reserved words.
    named = {f"c{i}": label.expr for i, label in enumerate(labels)}
    columns = [label.column for label in labels]
    if group is not None and key is not None:
        named["g"] = key
        columns.append(group)
    rows = _collect(
        lazy.select(**named),
        [*named],
        f"the columns {listing(columns)} have",
        "different combinations; was a column with a value for every row named by mistake?",
    )
    weights = np.array([row[-1] for row in rows], dtype=np.float64)
    found = _columns_of(rows, len(columns))
    for i, (name, column) in enumerate(zip(columns, found, strict=True)):
        # A model may well have said nothing, but nothing is no gold label.
        items = sum(
            w for w, value in zip(weights, column, strict=True) if is_missing(value, blank=not (i or blank))
        )
        if items:
            number = "1 item" if items == 1 else f"{items:,.10g} items"
            also = "" if i else f", or {BY_A_JUDGE}"
            raise ValueError(
                f"column {name!r} has no value for {number}; drop or fill those rows first{also}"
            )
    return found[0], found[1 : len(labels)], weights, found[-1]


def _count_documents(
    lazy: Lazy, labels: Sequence[_Labels], positive: OneLabel, group: str
) -> tuple[FloatArray, FloatArray]:
    """Count the documents of each kind; a kind is what a document adds to the models' tables."""
    import narwhals as nw

    k = len(labels) - 1
    named = {f"c{i}": label.is_positive(positive) for i, label in enumerate(labels)}
    items = lazy.select(g=nw.col(group), **named).with_columns(
        **{f"t{j}": nw.col("c0") * nw.col(f"c{j}") for j in range(1, k + 1)}
    )
    sums = [*named, *(f"t{j}" for j in range(1, k + 1))]
    rows = _collect(
        items.group_by("g").agg(nw.len().alias("m"), *(nw.col(name).sum() for name in sums)),
        ["m", *sums],
        f"column {group!r} makes documents of",
        "different kinds, too many to draw from; group by smaller units",
    )
    counts = np.array(rows, dtype=np.float64)
    size, gold, said, right = counts[:, :1], counts[:, 1:2], counts[:, 2 : 2 + k], counts[:, 2 + k : -1]
    tables = np.stack([right, said - right, gold - right, size - gold - said + right], axis=-1)
    return tables, counts[:, -1]


def _from_judged_frame(
    lazy: Lazy,
    frame: Any,
    gold: str,
    models: dict[str, str],
    judge: dict[str, str],
    group: str | None,
    **how: Any,
) -> Evaluation:
    """Read the rows of all columns that are needed."""
    import narwhals as nw

    columns = [gold, *models.values(), *judge.values(), *([] if group is None else [group])]
    _check_columns(lazy, columns)
    schema = lazy.collect_schema()
    exprs = [label.expr for label in _label_columns(lazy, [gold, *models.values()])]
    for column in columns[len(exprs) :]:
        text = schema[column] in (nw.Categorical, nw.Enum)
        exprs.append(_as_text(column) if text else nw.col(column))
    keys = {f"c{i}": expr for i, expr in enumerate(exprs)}
    rows = lazy.select(**keys).head(_MAX_ITEMS + 1).collect().rows()
    if not 0 < len(rows) <= _MAX_ITEMS:
        raise ValueError(_NO_ROWS if not rows else f"judge= takes a frame of at most {_MAX_ITEMS:,} rows")
    # An index that is none of row numbers says what items are called.
    index = index_of(frame, "frame")
    ids = list(index) if index is not None and index.is_unique else None
    values = dict(zip(columns, _columns_of(rows, len(columns)), strict=True))
    return from_judged(
        values[gold],
        {name: values[column] for name, column in models.items()},
        {name: values[column] for name, column in judge.items()},
        groups=None if group is None else read_groups(values[group]),
        ids=ids,
        # Rows of a lazy frame may come in another order the next time.
        ordered=isinstance(nw.from_native(frame), nw.DataFrame),
        **how,
    )


# ---- counted rows -----------------------------------------------------------------------------------------


def _read_rows(table: Any) -> tuple[list[str] | None, Sequence[Sequence[Any]]]:
    """Return the names of columns, None for tuples, and the rows of a frame or of a list of dicts or tuples."""
    if isinstance(table, list | tuple):
        import pandas as pd

        for i, row in enumerate(table, 1):
            if not isinstance(row, Mapping | list | tuple | np.ndarray) or not 3 <= len(row) == len(table[0]):
                raise ValueError(
                    f"row {i} is {quoted(row)}, where a gold label, a label for each model and a count belong"
                )
        table = pd.DataFrame(list(table), dtype=object)
    lazy = _read_frame(table, "or a list of tuples or dicts")
    counted = lazy.head(_MAX_PATTERNS + 1).collect().rows()
    if len(counted) > _MAX_PATTERNS:
        raise ValueError(
            f"the table has more than {_MAX_PATTERNS:,} rows; items that are not counted yet go to from_frame"
        )
    header = lazy.collect_schema().names()
    # A pandas frame made of tuples counts its columns.
    return header if all(isinstance(name, str) for name in header) else None, counted


def _read_weights(values: Sequence[Any], column: str) -> FloatArray:
    """Return counts as an array of finite numbers that are not negative, or say which row is wrong."""
    weights = np.zeros(len(values))
    for i, value in enumerate(values):
        try:
            weights[i] = np.nan if isinstance(value, str | bytes | bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            weights[i] = np.nan
        if not 0.0 <= weights[i] <= MAX_COUNT:
            raise ValueError(
                f"row {i + 1} has {quoted(value):.40} as its count in column {column!r}; "
                f"counts are finite, not negative and at most {MAX_COUNT:g}"
            )
    if not weights.any():
        raise ValueError(f"all counts in column {column!r} are 0; there is nothing to compare the models on")
    return weights
