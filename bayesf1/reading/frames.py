"""Evaluations from data frames: the frame's own engine counts, and only the counts come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing, nearest
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.binary import Binary
from bayesf1.reading.label_columns import (
    check_alike,
    check_positive,
    distinct_labels,
    guess_positive,
    plain_label,
)
from bayesf1.reading.predictions import default_names, from_hits
from bayesf1.reading.tally import Tally, read_rows, read_weights

if TYPE_CHECKING:
    import narwhals as nw

    Lazy: TypeAlias = nw.LazyFrame[Any]

Models: TypeAlias = Sequence[str] | Mapping[str, Any]

# A frame with more kinds of rows than this holds something else than labels.
MAX_PATTERNS = 1_000_000


@with_runs_in("models")
def from_frame(
    frame: Any,
    *,
    gold: str,
    models: Models,
    positive: Any = None,
    group: str | None = None,
    labels: Sequence[Any] | None = None,
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
    lazy = _read(frame, "lists of labels go to from_labels, counted rows to from_patterns")
    named = _named_columns(models)
    columns = [gold, *named.values(), *([] if group is None else [group])]
    _check_columns(columns, lazy.collect_schema().names())
    read = _labels(lazy, columns[: 1 + len(named)])
    names = tuple(named)
    if positive is None:
        found = _count(lazy, read, [label.expr for label in read], group)
        if labels is not None or len(found.labels()) > 2:
            if group is None:
                return found.by_class(names, labels=labels)
            counted, of_document = _count_in_documents(lazy, read, group)
            return counted.by_class(names, of_document, labels)
        positive = guess_positive(found.labels())
        hits = found.hits(positive)
    else:
        if labels is not None:
            raise ValueError(
                "positive= makes a binary task and labels= one of several classes; give one of them"
            )
        positive = plain_label(positive)
        # Few kinds of items, however many labels there are.
        found = _count(lazy, read, [label.code(positive) for label in read], group)
        hits = found.hits(1)
    if any(label.text for label in read):
        check_alike(_some_labels(lazy, read))
    check_positive(positive, hits, names, lambda: _some_labels(lazy, read))
    items = from_hits(hits, names, weights=found.weights)
    if group is None:
        return items
    rows, weights = _count_documents(lazy, read, positive, group)
    units = Units.merge(rows, weights, "document")
    documents = Evaluation.of_units(names, Binary(), units, items.units)
    if not np.array_equal(documents.tables, items.tables):
        raise ValueError(
            "the frame gave other items when it was read again; store it first, if it is a sample or a stream"
        )
    return documents


@with_runs_in("models")
def from_patterns(
    table: Any,
    *,
    gold: str | None = None,
    models: Models | None = None,
    count: str | None = None,
    positive: Any = None,
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
    header, rows = read_rows(table) if isinstance(table, list | tuple) else _read_few(table)
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
        used, names = _assign_columns(header, gold, models, count)
    places = [header.index(name) for name in used]
    weights = read_weights([row[places[-1]] for row in rows], used[-1])
    found = Tally.from_rows(used[:-1], [[row[i] for i in places[:-1]] for row in rows], weights)
    found.check_missing()
    found.check_kinds()
    if positive is None and len(found.labels()) > 2:
        return found.by_class(names)
    positive = guess_positive(found.labels()) if positive is None else positive
    check_alike(found.labels())
    hits = found.hits(positive)
    check_positive(positive, hits, names, found.labels)
    return from_hits(hits, names, weights=found.weights)


@dataclass(frozen=True)
class _Label:
    """A column of labels: its name and an expression that gives strings, numbers or booleans."""

    column: str
    dtype: nw.dtypes.DType
    expr: nw.Expr
    text: bool

    def code(self, positive: Any) -> nw.Expr:
        """Return 1 for the positive label, 0 for others, nothing where there is none."""
        import narwhals as nw

        code = nw.lit(0)
        # Engines refuse to compare strings with numbers, and some of them booleans with numbers.
        comparable = isinstance(positive, str) == self.text
        if self.dtype.is_boolean():
            comparable, positive = positive in (0, 1), bool(positive)
        elif isinstance(positive, bool):
            positive = int(positive)
        if comparable:
            code = nw.when(self.expr == positive).then(nw.lit(1)).otherwise(code)
        return nw.when(_present(self.expr, self.dtype)).then(code)


def _present(expr: nw.Expr, dtype: nw.dtypes.DType) -> nw.Expr:
    return ~(expr.is_null() | expr.is_nan()) if dtype.is_float() else ~expr.is_null()


def _read(frame: Any, instead: str) -> Lazy:
    import narwhals as nw

    try:
        found = nw.from_native(frame)
    except (TypeError, nw.exceptions.NarwhalsError) as error:
        if isinstance(error, nw.exceptions.DuplicateError):
            raise ValueError(
                f"a frame's columns need different names: {' '.join(str(error).split())}"
            ) from None
        raise ValueError(
            "a frame of pandas, polars, pyarrow, DuckDB, Dask, PySpark or Ibis belongs here, not "
            f"{type(frame).__name__}; {instead}"
        ) from None
    lazy: Lazy = found.lazy()
    return lazy


def _named_columns(models: Models) -> dict[str, str]:
    names = model_names(models)
    return {name: models[name] if isinstance(models, Mapping) else name for name in names}


def _check_columns(used: Sequence[str], known: Sequence[str]) -> None:
    for i, name in enumerate(used):
        if not isinstance(name, str):
            raise ValueError(f"columns are named by strings, not by {name!r}; rename the columns first")
        if name not in known:
            raise ValueError(f"there is no column {name!r}; {nearest(str(name), known)}")
        if name in used[:i]:
            raise ValueError(f"column {name!r} is named twice; gold, models and the rest need one each")


def _labels(lazy: Lazy, columns: Sequence[str]) -> list[_Label]:
    import narwhals as nw

    schema = lazy.collect_schema()
    found: list[_Label] = []
    for column in columns:
        dtype, expr = schema[column], nw.col(column)
        if dtype in (nw.Categorical, nw.Enum):
            dtype = nw.Float64() if _numeric_categories(lazy, column) else nw.String()
            expr = expr.cast(dtype)
        elif dtype.is_decimal():
            dtype, expr = nw.Float64(), expr.cast(nw.Float64)
        if not (dtype == nw.String or dtype.is_numeric() or dtype.is_boolean()):
            raise ValueError(f"column {column!r} holds {dtype}; labels are strings, numbers or booleans")
        found.append(_Label(column, dtype, expr, text=dtype == nw.String))
        if found[0].text != found[-1].text:
            raise ValueError(
                f"column {columns[0]!r} holds {found[0].dtype} but column {column!r} {dtype}; "
                "numbers and strings are never equal"
            )
    return found


def _numeric_categories(lazy: Lazy, column: str) -> bool:
    """Return whether categories are numbers, as pandas and pyarrow allow."""
    native, engine = lazy.to_native(), lazy.implementation
    if engine.is_pyarrow():
        return "string" not in str(native.schema.field(column).type.value_type)
    if engine.is_pandas_like() or engine.is_dask():
        categories = getattr(native[column].dtype, "categories", None)
        return categories is not None and categories.dtype.kind in "biuf"
    return False


def _count(lazy: Lazy, labels: Sequence[_Label], keys: Sequence[nw.Expr], group: str | None) -> Tally:
    """Count the items of each combination of keys, one for each column of labels."""
    import narwhals as nw

    # Columns get plain names, so that no engine stumbles over spaces, quotes or reserved words.
    named = {f"c{i}": key for i, key in enumerate(keys)}
    columns = [label.column for label in labels]
    if group is not None:
        named["g"] = nw.when(_present(nw.col(group), lazy.collect_schema()[group])).then(nw.lit(0))
        columns.append(group)
    rows = _collect(
        lazy.select(**named).group_by(*named).agg(nw.len().alias("n")),
        f"the columns {listing(columns)} have more than {MAX_PATTERNS:,} different combinations of "
        "labels; was a column with a value for every row named by mistake?",
    )
    if not rows:
        raise ValueError("the frame has no rows; there is nothing to compare the models on")
    found = Tally.from_rows(columns, rows, np.array([row[-1] for row in rows], dtype=np.float64))
    found.check_missing()
    return replace(found, columns=found.columns[: len(labels)], values=found.values[: len(labels)])


def _count_documents(
    lazy: Lazy, labels: Sequence[_Label], positive: Any, group: str
) -> tuple[FloatArray, FloatArray]:
    """Count the documents of each kind; a kind is what a document adds to the models' tables."""
    import narwhals as nw

    k = len(labels) - 1
    named = {f"c{i}": label.code(positive) for i, label in enumerate(labels)}
    items = lazy.select(g=nw.col(group), **named).with_columns(
        **{f"t{j}": nw.col("c0") * nw.col(f"c{j}") for j in range(1, k + 1)}
    )
    sums = [*named, *(f"t{j}" for j in range(1, k + 1))]
    documents = items.group_by("g").agg(nw.len().alias("m"), *(nw.col(name).sum() for name in sums))
    rows = _collect(
        documents.group_by("m", *sums).agg(nw.len().alias("n")),
        f"column {group!r} makes documents of more than {MAX_PATTERNS:,} different kinds, too many to "
        "draw from; group by smaller units",
    )
    counts = np.array(rows, dtype=np.float64).reshape(len(rows), -1 if rows else 3 + 2 * k)
    size, gold, said, right = counts[:, :1], counts[:, 1:2], counts[:, 2 : 2 + k], counts[:, 2 + k : -1]
    tables = np.stack([right, said - right, gold - right, size - gold - said + right], axis=-1)
    return tables, counts[:, -1]


def _count_in_documents(lazy: Lazy, labels: Sequence[_Label], group: str) -> tuple[Tally, NDArray[Any]]:
    """Count the items of each document and combination of labels."""
    import narwhals as nw

    named = {f"c{i}": label.expr for i, label in enumerate(labels)}
    rows = _collect(
        lazy.select(g=nw.col(group), **named).group_by("g", *named).agg(nw.len().alias("n")),
        f"column {group!r} makes more than {MAX_PATTERNS:,} combinations of documents and labels; "
        "group by larger units",
    )
    weights = np.array([row[-1] for row in rows], dtype=np.float64)
    columns = [label.column for label in labels]
    place: dict[Any, int] = {}
    documents = np.array([place.setdefault(row[0], len(place)) for row in rows])
    return Tally.from_rows(columns, [row[1:-1] for row in rows], weights), documents


def _collect(lazy: Lazy, too_many: str) -> list[tuple[Any, ...]]:
    rows = list(lazy.head(MAX_PATTERNS + 1).collect().rows())
    if len(rows) > MAX_PATTERNS:
        raise ValueError(too_many)
    return rows


def _some_labels(lazy: Lazy, labels: Sequence[_Label]) -> list[Any]:
    import narwhals as nw

    found: list[NDArray[Any]] = []
    for label in labels:
        kinds = lazy.select(c=label.expr).group_by("c").agg(nw.len().alias("n")).head(1000)
        rows = kinds.collect().rows()
        found += Tally.from_rows(["c"], rows, np.ones(len(rows))).values
    return distinct_labels(found)


def _read_few(table: Any) -> tuple[list[str] | None, list[tuple[Any, ...]]]:
    lazy = _read(table, "or a list of tuples or dicts")
    too_many = (
        f"the table has more than {MAX_PATTERNS:,} rows; items that are not counted yet go to from_frame"
    )
    rows = _collect(lazy, too_many)
    header = lazy.collect_schema().names()
    # A pandas frame made of tuples counts its columns.
    return header if all(isinstance(name, str) for name in header) else None, rows


def _assign_columns(
    header: Sequence[str], gold: str | None, models: Models | None, count: str | None
) -> tuple[list[str], tuple[str, ...]]:
    """Return the columns of gold, models and count, and the names of the models."""
    named = {} if models is None else _named_columns(models)
    free = [name for name in header if name not in (gold, count, *named.values())]
    gold = free.pop(0) if gold is None and free else gold
    count = free.pop() if count is None and free else count
    named = named or {name: name for name in free}
    if gold is None or count is None or not named:
        raise ValueError(
            f"columns of gold, models and the count are needed, but there are only {listing(header)}"
        )
    used = [gold, *named.values(), count]
    _check_columns(used, header)
    return used, model_names(named)
