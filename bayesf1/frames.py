"""Evaluations from data frames: the frame's own engine counts, and only the counts come back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.evaluation import BINARY_CELLS, Evaluation, FloatArray, model_names
from bayesf1.naming import nearest
from bayesf1.predictions import (
    check_positive,
    clustered,
    default_names,
    distinct_labels,
    from_hits,
    guess_positive,
    is_missing,
)

if TYPE_CHECKING:
    import narwhals as nw

    Lazy: TypeAlias = nw.LazyFrame[Any]

Models: TypeAlias = Sequence[str] | Mapping[str, str]
Columns: TypeAlias = list[NDArray[Any]]

# A frame with more kinds of rows than this holds something else than labels.
MAX_PATTERNS = 1_000_000
# What an engine makes of a label: the positive one, another one, none at all.
_OTHER, _POSITIVE, _MISSING = 0, 1, 2


def from_frame(
    frame: Any, *, gold: str, models: Models, positive: Any = None, group: str | None = None
) -> Evaluation:
    """Build an Evaluation from a data frame with a column of gold labels and one for each model.

    The group-by runs where the data are, so a frame may be larger than memory. Evaluations of the shards of a
    corpus add up to that of the whole, ``sum(evs)``; with `group`, as long as no document straddles two shards.

    Parameters
    ----------
    frame
        A frame of pandas, polars (eager or lazy) or pyarrow, or a lazy one of DuckDB, Dask, PySpark or Ibis:
        whatever narwhals reads. One row is one item.
    gold
        Name of the column of gold labels.
    models
        Names of the columns of predictions, or a mapping of model name to column.
    positive
        The label that counts as positive; see `from_labels` on when it may be left out.
    group
        Name of the column that says which document (speaker, user, …) an item belongs to; documents are then
        the units.

    Returns
    -------
    Evaluation
        The same that `from_labels` builds from these columns.

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
    lazy = _read(frame)
    named = _named_columns(models)
    columns = [gold, *named.values(), *([] if group is None else [group])]
    _check_columns(columns, lazy.collect_schema().names())
    labels = _labels(lazy, columns[: 1 + len(named)])
    if positive is None:
        found, weights = _count_labels(lazy, labels, group)
        positive = guess_positive(distinct_labels(found))
        hits = _hits(found, positive)
    else:
        positive = positive.item() if isinstance(positive, np.generic) else positive
        hits, weights = _count_hits(lazy, labels, positive, group)
    names = tuple(named)
    check_positive(
        positive, hits[:, 0].any(), hits[:, 1:].any(axis=0), names, lambda: _some_labels(lazy, labels)
    )
    items = from_hits(hits, names, weights=weights)
    if group is None:
        return items
    rows, weights = _count_documents(lazy, labels, positive, group)
    return clustered(rows, weights, names, BINARY_CELLS, unit="document", items=items)


def from_patterns(
    table: Any,
    *,
    gold: str | None = None,
    models: Models | None = None,
    count: str | None = None,
    positive: Any = None,
) -> Evaluation:
    """Build an Evaluation from labels that a database has counted already.

    That is the result of ``SELECT gold, a, b, count(*) FROM … GROUP BY gold, a, b`` from any engine. Rows with
    the same labels add up.

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
    header, rows = _read_table(table)
    if header is None:
        if gold is not None or count is not None or isinstance(models, Mapping):
            raise ValueError("tuples have no column names: gold stands first, the count last, models between")
        header = [f"{i + 1}" for i in range(len(rows[0]))]
        names = model_names(default_names(len(header) - 2) if models is None else models)
        if len(names) != len(header) - 2:
            raise ValueError(
                f"rows have {len(header)} columns, so {len(header) - 2} models between gold and count, "
                f"but models= names {len(names)}"
            )
        used = header
    else:
        named = {} if models is None else _named_columns(models)
        free = [name for name in header if name not in (gold, count, *named.values())]
        gold = free.pop(0) if gold is None and free else gold
        count = free.pop() if count is None and free else count
        named = named or {name: name for name in free}
        if gold is None or count is None or not named:
            raise ValueError(f"columns for gold, models and count are needed, but there are {', '.join(header)}")
        used, names = [gold, *named.values(), count], model_names(named)
        _check_columns(used, header)
    places = [header.index(name) for name in used]
    weights = _read_weights([row[places[-1]] for row in rows], used[-1])
    seen = np.flatnonzero(weights)
    found = [_objects([rows[r][place] for r in seen]) for place in places[:-1]]
    _check_missing(found, weights[seen], used, is_missing)
    _check_values(found, used)
    positive = guess_positive(distinct_labels(found)) if positive is None else positive
    hits = _hits(found, positive)
    check_positive(
        positive, hits[:, 0].any(), hits[:, 1:].any(axis=0), names, lambda: distinct_labels(found)
    )
    return from_hits(hits, names, weights=weights[seen])


@dataclass(frozen=True)
class _Label:
    """A column of labels: its name and an expression that gives strings, numbers or booleans."""

    column: str
    dtype: nw.dtypes.DType
    expr: nw.Expr
    text: bool

    @property
    def missing(self) -> nw.Expr:
        return _missing(self.expr, self.dtype)

    def code(self, positive: Any) -> nw.Expr:
        """Tell positive, other and missing labels apart, within the engine."""
        import narwhals as nw

        other = nw.lit(_OTHER)
        # Engines refuse to compare strings with numbers, and some booleans with numbers.
        if isinstance(positive, str) == self.text and not (self.dtype.is_boolean() and positive not in (0, 1)):
            value = bool(positive) if self.dtype.is_boolean() else positive
            value = int(value) if isinstance(value, bool) and not self.dtype.is_boolean() else value
            other = nw.when(self.expr == value).then(nw.lit(_POSITIVE)).otherwise(other)
        return nw.when(self.missing).then(nw.lit(_MISSING)).otherwise(other)


def _missing(expr: nw.Expr, dtype: nw.dtypes.DType) -> nw.Expr:
    return expr.is_null() | expr.is_nan() if dtype.is_float() else expr.is_null()


def _read(frame: Any) -> Lazy:
    import narwhals as nw

    try:
        found = nw.from_native(frame)
    except (TypeError, nw.exceptions.NarwhalsError) as error:
        if isinstance(error, nw.exceptions.DuplicateError):
            raise ValueError(f"the frame has two columns of the same name: {error}") from None
        raise ValueError(
            "a frame of pandas, polars, pyarrow, DuckDB, Dask, PySpark or Ibis belongs here, not "
            f"{type(frame).__name__}; lists of labels go to from_labels, rows with counts to from_patterns"
        ) from None
    return found.lazy()


def _named_columns(models: Models) -> dict[str, str]:
    names = model_names(models)
    return {name: models[name] if isinstance(models, Mapping) else name for name in names}


def _check_columns(used: Sequence[str], known: Sequence[str]) -> None:
    for i, name in enumerate(used):
        if not isinstance(name, str) or name not in known:
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
            # Only pandas has categories that are numbers.
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
    if not (lazy.implementation.is_pandas_like() or lazy.implementation.is_dask()):
        return False
    dtype = lazy.to_native()[column].dtype
    return getattr(dtype, "categories", np.empty(0, dtype=object)).dtype.kind in "biuf"


def _count_labels(lazy: Lazy, labels: Sequence[_Label], group: str | None) -> tuple[Columns, FloatArray]:
    """Count the items of each combination of labels."""
    return _count(lazy, labels, [label.expr for label in labels], group, is_missing)


def _count_hits(
    lazy: Lazy, labels: Sequence[_Label], positive: Any, group: str | None
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Count the items by which labels are positive: few kinds, however many labels there are."""
    codes = [label.code(positive) for label in labels]
    found, weights = _count(lazy, labels, codes, group, lambda code: bool(code == _MISSING))
    return _hits(found, _POSITIVE), weights


def _count(
    lazy: Lazy,
    labels: Sequence[_Label],
    keys: Sequence[nw.Expr],
    group: str | None,
    missing: Callable[[Any], bool],
) -> tuple[Columns, FloatArray]:
    import narwhals as nw

    # Columns get plain names, so that no engine stumbles over spaces, quotes or reserved words.
    named = {f"c{i}": key for i, key in enumerate(keys)}
    if group is not None:
        absent = _missing(nw.col(group), lazy.collect_schema()[group])
        named["g"] = nw.when(absent).then(nw.lit(_MISSING)).otherwise(nw.lit(_OTHER))
    rows = _collect(_select(lazy, named).group_by(*named).agg(nw.len().alias("n")))
    if len(rows) > MAX_PATTERNS:
        raise ValueError(
            f"the label columns {', '.join(label.column for label in labels)} have more than {MAX_PATTERNS:,} "
            "different combinations; was a column with a value for every row named by mistake?"
        )
    if not rows:
        raise ValueError("the frame has no rows; there is nothing to compare the models on")
    *found, counts = (_objects(column) for column in zip(*rows, strict=True))
    weights = counts.astype(np.float64)
    if group is not None:
        _check_missing([found.pop()], weights, [group], lambda code: bool(code == _MISSING))
    _check_missing(found, weights, [label.column for label in labels], missing)
    return found, weights


def _count_documents(
    lazy: Lazy, labels: Sequence[_Label], positive: Any, group: str
) -> tuple[FloatArray, FloatArray]:
    """Count the documents of each kind; a kind is what a document adds to the models' tables."""
    import narwhals as nw

    k = len(labels) - 1
    named = {f"c{i}": label.code(positive) for i, label in enumerate(labels)}
    items = _select(lazy, {"g": nw.col(group), **named})
    items = items.with_columns(**{f"t{j}": nw.col("c0") * nw.col(f"c{j}") for j in range(1, k + 1)})
    sums = [*named, *(f"t{j}" for j in range(1, k + 1))]
    documents = items.group_by("g").agg(nw.len().alias("m"), *(nw.col(name).sum() for name in sums))
    rows = _collect(documents.group_by("m", *sums).agg(nw.len().alias("n")))
    if len(rows) > MAX_PATTERNS:
        raise ValueError(
            f"column {group!r} makes documents of more than {MAX_PATTERNS:,} different kinds, too many to "
            "draw from; group by smaller units"
        )
    counts = np.array(rows, dtype=np.float64)
    size, gold, said, right = counts[:, :1], counts[:, 1:2], counts[:, 2 : 2 + k], counts[:, 2 + k : -1]
    tables = np.stack([right, said - right, gold - right, size - gold - said + right], axis=-1)
    return tables, counts[:, -1]


def _select(lazy: Lazy, named: Mapping[str, nw.Expr]) -> Lazy:
    return lazy.select(**named)


def _collect(lazy: Lazy) -> list[tuple[Any, ...]]:
    return list(lazy.head(MAX_PATTERNS + 1).collect().rows())


def _some_labels(lazy: Lazy, labels: Sequence[_Label]) -> list[Any]:
    import narwhals as nw

    found = []
    for label in labels:
        kinds = lazy.select(c=label.expr).group_by("c").agg(nw.len().alias("n")).head(20)
        found.append(_objects([row[0] for row in kinds.collect().rows()]))
    return distinct_labels(found)


def _read_table(table: Any) -> tuple[list[str] | None, list[tuple[Any, ...]]]:
    """Return names of columns, where there are any, and rows."""
    if isinstance(table, str | bytes | Mapping) or not isinstance(table, list | tuple):
        lazy = _read(table)
        header, rows = lazy.collect_schema().names(), _collect(lazy)
    elif all(isinstance(row, Mapping) for row in table):
        header = list(table[0]) if table else []
        for i, row in enumerate(table, start=1):
            if set(row) != set(header):
                raise ValueError(f"row {i} has columns {', '.join(map(str, row))}, but row 1 {', '.join(header)}")
        rows = [tuple(row[name] for name in header) for row in table]
    else:
        header, rows = None, [tuple(row) if isinstance(row, Iterable) else (row,) for row in table]
        for i, row in enumerate(rows, start=1):
            if len(row) != len(rows[0]) or len(row) < 3 or isinstance(table[i - 1], str | bytes):
                raise ValueError(
                    f"row {i} is {table[i - 1]!r}, where a gold label, a label for each model and a count belong"
                )
    if not rows:
        raise ValueError("the table has no rows; there is nothing to compare the models on")
    if len(rows) > MAX_PATTERNS:
        raise ValueError(f"the table has more than {MAX_PATTERNS:,} rows; count them first, or use from_frame")
    return header, rows
