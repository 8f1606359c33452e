"""Arrays of numbers: their type, and working through many of them in blocks that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]

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
    """Yield slices that together are the first `n`, in blocks as of `blocks_of`."""
    start = 0
    for size in blocks_of(n, numbers_each):
        yield slice(start, start + size)
        start += size


def plain(value: Any) -> Any:
    """Return a 0-d array as a float, and any other array as it is."""
    if isinstance(value, float):
        return float(value)
    array = np.asarray(value, dtype=np.float64)
    return array if array.ndim else float(array)
