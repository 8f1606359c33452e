"""Evaluations from confusion counts, of one test set or of the folds of a cross-validation."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import checked
from bayesf1.base.number_columns import check_unmasked
from bayesf1.designs.design import BlockedCV, Discount, KFoldCV
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.runs import flatten, with_runs_in
from bayesf1.evaluation.units import warn_if_empty
from bayesf1.kinds.binary import BINARY_CELLS, Binary

CHUNK_COLUMNS = ("gold", "predicted", "correct")
# Beyond it a double cannot tell a count from the next one.
MAX_COUNT = 1e15


@checked
def from_counts(
    counts: Mapping[str, ArrayLike | Mapping[str, ArrayLike]] | None = None,
    /,
    **models: ArrayLike | Mapping[str, ArrayLike],
) -> Evaluation:
    """Build an Evaluation from confusion counts.

    Parameters
    ----------
    counts
        Mapping of model name to counts, for names that are no Python identifiers.
    **models
        Counts of each model: ``(tp, fp, fn)`` or ``(tp, fp, fn, tn)`` as tuple, list or array, or a mapping
        with these keys or with ``gold``, ``predicted``, ``correct``. Fractions are allowed. Leading axes of
        arrays are separate experiments, compared all in one call.

    Examples
    --------
    >>> ev = from_counts(A=(77, 44, 10, 702), B={"tp": 80, "fp": 30, "fn": 7, "tn": 716})
    >>> ev
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, tn, totals only>
    >>> ev.tables
    array([[ 77.,  44.,  10., 702.], [ 80.,  30.,   7., 716.]])
    """
    named, runs = flatten(_named(counts, models, _COUNTS_EXAMPLE))
    names = tuple(named)
    kind, tables = _side_by_side({name: check_counts(named[name], f"model {name!r}") for name in names})
    ev = Evaluation(names, kind, warn_if_empty(tables, names))
    return ev.with_runs(runs) if runs else ev


@checked
@with_runs_in("folds")
def from_folds(
    folds: Mapping[str, Any], *, cv: BlockedCV | KFoldCV | None = None, discount: Discount | None = None
) -> Evaluation:
    """Build an Evaluation from the confusion tables of a cross-validation.

    Parameters
    ----------
    folds
        Mapping of model name to its ``2m`` tables, repeat by repeat (fold 1 and fold 2 of repeat 1, then of
        repeat 2, …): a sequence of counts as `from_counts` takes them, or an array (2m, cell) or
        (m, 2, cell).
    cv
        The design; ``BlockedCV(m=3)`` by default. With a `KFoldCV` there are K tables a repeat.
    discount
        What the correlated folds are worth: ``"wang-li"`` by default, see `BlockedCV.discount`; for a
        `KFoldCV` ``"nadeau-bengio"``.

    Examples
    --------
    >>> fold = (77, 44, 10)
    >>> ev = from_folds({"A": [fold] * 6, "B": [(80, 30, 7)] * 6}, cv=BlockedCV(m=3))
    >>> ev.tables.round(3)
    array([[170.387,  97.364,  22.128], [177.025,  66.384,  15.49 ]])
    """
    cv = BlockedCV(m=3) if cv is None else cv
    if not isinstance(cv, BlockedCV | KFoldCV):
        raise ValueError(f"cv must be a BlockedCV such as BlockedCV(m=3), not {cv!r}")
    discount = cv.default_discount if discount is None else discount
    k = cv.discount(discount)
    named = _named(folds, {}, _FOLDS_EXAMPLE)
    names = tuple(named)
    kind, counts = _side_by_side({name: _read_folds(name, named[name], cv) for name in names})
    check_same_gold(counts, names, ("repeat", "fold"), "both models must be tested on the same folds")
    tables = warn_if_empty(k * counts.sum(axis=(0, 1)), names)
    return Evaluation(names, kind, tables, folds=Folds(counts, cv, discount, k))


_COUNTS_EXAMPLE = "write from_counts(A=(tp, fp, fn), B=(tp, fp, fn))"
_FOLDS_EXAMPLE = "write from_folds({'A': tables, 'B': tables}) with a table (tp, fp, fn) for each fold"


def _named(counts: Mapping[str, Any] | None, models: Mapping[str, Any], example: str) -> dict[str, Any]:
    if counts is not None and not isinstance(counts, Mapping):
        raise ValueError(
            f"counts must be a mapping of model name to counts, not {type(counts).__name__}; {example}"
        )
    named = {**(counts or {}), **models}
    if not named:
        raise ValueError(f"no model given; {example}")
    model_names([*(counts or ()), *models])
    return named


def check_matrix(counts: ArrayLike, where: str) -> FloatArray:
    """Return a K×K matrix of finite numbers, none negative, or say what is wrong."""
    array = _numbers(counts, where)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) < 2:
        raise ValueError(
            f"{where} has shape {array.shape}; a square one with a row and a column for each class belongs here"
        )
    bad = ~((array >= 0) & (array <= MAX_COUNT))
    if bad.any():
        i, j = (int(place) for place in np.argwhere(bad)[0])
        raise ValueError(
            f"{where} has {array[i, j]:g} in row {i + 1}, column {j + 1}; "
            f"counts are finite, not negative and at most {MAX_COUNT:g}"
        )
    return array


def check_counts(counts: ArrayLike | Mapping[str, ArrayLike], where: str) -> FloatArray:
    """Return counts as an array (..., 3 or 4) of finite numbers, none negative, or say what is wrong."""
    if hasattr(counts, "iloc"):
        # A Series or DataFrame of pandas, whose cells may have names.
        frame: Any = counts
        names = list(getattr(frame, "columns", frame.index))
        counts = {name: frame[name] for name in names} if any(isinstance(n, str) for n in names) else frame
    if isinstance(counts, Mapping):
        return _read_cells(counts, where)
    array = _numbers(counts, where)
    if array.ndim == 0 or array.shape[-1] not in (3, 4):
        found = "a single number" if array.ndim == 0 else f"{array.shape[-1]} numbers"
        raise ValueError(f"{where} has {found} where counts (tp, fp, fn) or (tp, fp, fn, tn) belong")
    return _check_counts(array, BINARY_CELLS, where)


def _read_cells(value: Mapping[str, ArrayLike], where: str) -> FloatArray:
    given = {str(key).strip().lower(): cell for key, cell in value.items()}
    if len(given) != len(value):
        raise ValueError(f"{where} names a cell twice: {', '.join(map(str, value))}")
    if set(given) == set(CHUNK_COLUMNS):
        chunks = _stack_cells(given, CHUNK_COLUMNS, where)
        gold, predicted, correct = np.moveaxis(_check_counts(chunks, CHUNK_COLUMNS, where), -1, 0)
        for name, total in (("gold", gold), ("predicted", predicted)):
            if np.any(correct > total):
                i = np.argmax(np.ravel(correct > total))
                c, t = np.ravel(correct)[i], np.ravel(total)[i]
                raise ValueError(f"{where} has {c:g} correct but only {t:g} {name}; correct cannot be larger")
        return np.stack([correct, predicted - correct, gold - correct], axis=-1)
    cells = [name for name in BINARY_CELLS if name in given]
    if cells not in (list(BINARY_CELLS), list(BINARY_CELLS[:3])) or len(cells) != len(given):
        raise ValueError(
            f"{where} has cells {', '.join(given) or 'none'}; give tp, fp, fn and optionally tn, "
            "or gold, predicted, correct"
        )
    return _check_counts(_stack_cells(given, cells, where), BINARY_CELLS, where)


def _stack_cells(given: Mapping[str, ArrayLike], names: Sequence[str], where: str) -> FloatArray:
    columns = [_numbers(given[name], f"{where}, {name}") for name in names]
    try:
        return np.stack(np.broadcast_arrays(*columns), axis=-1)
    except ValueError:
        shapes = ", ".join(f"{name} {column.shape}" for name, column in zip(names, columns, strict=True))
        raise ValueError(f"{where} has cells of different shapes: {shapes}; give one shape for all") from None


def _read_folds(name: str, value: Any, cv: BlockedCV | KFoldCV) -> FloatArray:
    repeats, per_repeat = cv.shape
    n_folds = repeats * per_repeat
    where = f"model {name!r}"
    if isinstance(value, Mapping | np.ndarray):
        tables = check_counts(value, where)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        rows = [check_counts(fold, f"{where}, fold {i}") for i, fold in enumerate(value, start=1)]
        if len({row.shape for row in rows}) > 1:
            raise ValueError(f"{where} has folds with and without tn; give tn for all of them or for none")
        tables = np.stack(rows) if rows else np.empty((0, 3))
    else:
        raise ValueError(f"{where} has {value!r} where a sequence of {n_folds} fold tables belongs")
    if tables.ndim == 3 and tables.shape[1] == per_repeat:
        tables = tables.reshape(-1, tables.shape[-1])
    if tables.ndim != 2 or len(tables) != n_folds:
        found = len(tables) if tables.ndim == 2 else f"an array of shape {tables.shape}"
        design = f"{repeats}×{per_repeat} cross-validation"
        raise ValueError(f"{where} has {found} fold tables, but {design} has {n_folds}")
    return tables.reshape(repeats, per_repeat, -1)


def _numbers(value: ArrayLike, where: str) -> FloatArray:
    check_unmasked(value, where)
    try:
        raw: NDArray[Any] = np.asarray(value)
        strange = []
        if raw.dtype.kind not in "iuf":
            # Fractions, Decimals and integers too large for int64 are numbers; strings, booleans and dates are not.
            raw = np.asarray(value, dtype=object)
            strange = [x for x in raw.ravel() if isinstance(x, bool) or not isinstance(x, Real | Decimal)]
        if not strange:
            return np.array(raw, dtype=np.float64)
        what = f"{reprlib.repr(strange[0])} where a number belongs"
    except (ValueError, TypeError, OverflowError):
        what = f"{reprlib.repr(value)} where numbers belong"
    raise ValueError(f"{where} has {what}")


def _check_counts(array: FloatArray, cells: Sequence[str], where: str) -> FloatArray:
    bad = ~((array >= 0) & (array <= MAX_COUNT))
    if bad.any():
        position = tuple(int(i) for i in np.argwhere(bad)[0])
        place = f", table {list(position[:-1])}," if len(position) > 1 else ""
        raise ValueError(
            f"{where}{place} has {cells[position[-1]]} = {array[position]:g}; "
            f"counts are finite, not negative and at most {MAX_COUNT:g}"
        )
    return array


def _side_by_side(arrays: Mapping[str, FloatArray]) -> tuple[Binary, FloatArray]:
    """Return the kind of the models' tables, and the tables, axes (..., model, cell)."""
    shapes = {name: array.shape for name, array in arrays.items()}
    having = [name for name, shape in shapes.items() if shape[-1] == 4]
    lacking = [name for name, shape in shapes.items() if shape[-1] == 3]
    if having and lacking:
        raise ValueError(
            f"{', '.join(having)} has tn and {', '.join(lacking)} has none; "
            "give tn for every model or for none"
        )
    if len(set(shapes.values())) > 1:
        listing = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"models have tables of different shapes: {listing}; give one table each for all")
    if any(0 in shape for shape in shapes.values()):
        raise ValueError("there are no tables: an array of counts is empty")
    return Binary(BINARY_CELLS[: 4 if having else 3]), np.stack(list(arrays.values()), axis=-2)


def check_same_gold(counts: FloatArray, models: tuple[str, ...], axes: Sequence[str], remedy: str) -> None:
    """Raise a ValueError where two models have different numbers of gold positives, axes (*axes, model, cell)."""
    gold = counts[..., 0] + counts[..., 2]
    differs = ~np.isclose(gold, gold[..., :1], rtol=1e-9, atol=1e-9)
    if differs.any():
        *place, j = np.argwhere(differs)[0].tolist()
        where = ", ".join(f"{axis} {i + 1}" for axis, i in zip(axes, place, strict=True))
        first, other = gold[(*place, 0)], gold[(*place, j)]
        raise ValueError(
            f"{where} has {first:g} gold positives (tp+fn) for {models[0]!r} but {other:g} for "
            f"{models[j]!r}; {remedy}"
        )
