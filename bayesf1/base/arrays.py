"""Arrays: their types, sparse ones, and blocks that fit into memory; and where a function crosses 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]


@runtime_checkable
class SupportsArray(Protocol):
    """An array, or a column that numpy makes an array of."""

    def __array__(self) -> AnyArray: ...


@runtime_checkable
class SupportsToList(Protocol):
    """An array or column that makes a list of itself."""

    def tolist(self) -> list[Any]:
        """Return the values as a list."""


@runtime_checkable
class SupportsToArray(Protocol):
    """A sparse array, which makes a dense one of itself."""

    def toarray(self) -> AnyArray:
        """Return the values as a dense array."""


@runtime_checkable
class SupportsToPylist(Protocol):
    """A column of pyarrow, which makes a list of itself."""

    def to_pylist(self) -> list[Any]:
        """Return the values as a list."""


@runtime_checkable
class SupportsILoc(Protocol):
    """A Series or frame of pandas, or of a package that follows it."""

    iloc: Any
    index: Any

    def __getitem__(self, name: Any) -> Any: ...


@runtime_checkable
class SupportsColumns(Protocol):
    """A frame, whose columns have names."""

    columns: Any

    def __getitem__(self, name: Any) -> Any: ...


@runtime_checkable
class SupportsToNumpy(Protocol):
    """A frame or column that makes an array of itself."""

    def to_numpy(self) -> AnyArray:
        """Return the values as an array."""


# Numbers in flight in one block.
_BLOCK = 1 << 21


def blocks_of(n: int, numbers_each: int, in_flight: int = _BLOCK) -> Iterator[int]:
    """Yield sizes of blocks that together are `n`, each of at most `in_flight` numbers.

    Examples
    --------
    >>> list(blocks_of(5, 1 << 20))
    [2, 2, 1]
    """
    size = max(1, in_flight // max(numbers_each, 1))
    while n > 0:
        yield min(size, n)
        n -= size


def slices_of(n: int, numbers_each: int) -> Iterator[slice]:
    """Yield slices that together are the first `n`, in the blocks of `blocks_of`."""
    start = 0
    for size in blocks_of(n, numbers_each):
        yield slice(start, start + size)
        start += size


def float_or_array(value: Any) -> Any:
    """Return a 0-d array as a float, and any other array as it is."""
    array = np.asarray(value, dtype=np.float64)
    return array if array.ndim else float(array)


def finite(value: float) -> float | None:
    """Return a number for JSON, which is None if it is not finite."""
    return value if math.isfinite(value) else None


def sparse(entries: Any, shape: tuple[int, int] | None = None) -> Any:
    """Return a sparse array, kept by rows, of what scipy's `csr_array` takes; scipy.sparse is loaded when first needed."""
    from scipy.sparse import csr_array

    return csr_array(entries, shape=shape)


def block_diagonal(blocks: Sequence[Any]) -> Any:
    """Return a sparse array with blocks, dense or sparse, along its diagonal and 0 elsewhere.

    Examples
    --------
    >>> block_diagonal([np.array([[1.0, 2.0]]), np.array([[3.0]])]).toarray()
    array([[1., 2., 0.],
           [0., 0., 3.]])
    """
    from scipy.sparse import block_diag

    # Blocks that are all dense would give a matrix, with which `*` and `sum` mean something else.
    return block_diag([sparse(block) for block in blocks], format="csr")


def indicators(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """Return a sparse array of 1 at these places, and 0 elsewhere; 2 at a place that is given twice.

    Examples
    --------
    >>> indicators([0, 1, 1], [2, 0, 0], (2, 3)).toarray()
    array([[0., 0., 1.],
           [2., 0., 0.]])
    """
    row_of = np.ravel(rows)
    column_of = np.ravel(columns)
    return sparse((np.ones(len(row_of)), (row_of, column_of)), shape)


def rows_of_cells(cells: IntArray, n_cells: int) -> Any:
    """Return sparse rows that have a 1 in the cell that each unit is in, given axes (unit, model)."""
    n_units, n_models = cells.shape
    rows = np.repeat(np.arange(n_units), n_models)
    columns = cells + np.arange(n_models) * n_cells
    return indicators(rows, columns, (n_units, n_models * n_cells))


def distinct_rows(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """Return where each distinct row occurs first, in rising order of the rows, and which of them each row is.

    Numpy's ``unique`` compares whole rows. Sorting by one column after another is several times faster if there are few
    columns.

    Examples
    --------
    >>> distinct_rows(np.array([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0]]))
    (array([1, 0]), array([1, 0, 1]))
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    starts = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])[: len(rows)]
    which = np.empty(len(rows), dtype=np.intp)
    which[order] = np.cumsum(starts) - 1
    return order[starts], which


def each(function: Callable[..., float], *values: FloatArray) -> FloatArray:
    """Return a function of numbers for each entry of arrays of one shape."""
    columns = [array.ravel().tolist() for array in values]
    results = [function(*numbers) for numbers in zip(*columns, strict=True)]
    return np.array(results, dtype=np.float64).reshape(values[0].shape)


def crossing(f: Callable[[float], Any], low: Any, high: Any, *, accuracy: float = 1e-15) -> float:
    """Return where an increasing function changes sign, between low and high; if it does not, the nearer end.

    Examples
    --------
    >>> [round(crossing(lambda x: x * x - square, 0.0, 10.0), 8) for square in (2.0, 9.0, 400.0)]
    [1.41421356, 3.0, 10.0]
    """
    from scipy import optimize

    first = float(low)
    last = float(high)
    if f(first) >= 0.0:
        return first
    if f(last) <= 0.0:
        return last
    return float(optimize.brentq(f, first, last, xtol=1e-300, rtol=max(accuracy, 1e-15), maxiter=2000))
