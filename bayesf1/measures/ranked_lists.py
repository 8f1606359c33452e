"""Ranked lists as arrays: read, cut, and named in messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_whole
from bayesf1.base.naming import shown
from bayesf1.base.number_columns import check_unmasked

Lists: TypeAlias = ArrayLike | Sequence[ArrayLike]
# Sums of larger gains could overflow.
_MOST = 1e100


def read_lists(values: Lists, name: str) -> FloatArray:
    """Return ranked lists as an array (..., rank), the short ones filled up with zeros, or say what is wrong."""
    check_unmasked(values, name)
    # numpy would make numbers of dates and of complex numbers.
    if {*_kinds(values)} & {*"cmMV"}:
        raise ValueError(f"{name} must be numbers, one list for each query, not {shown(values)}")
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = _filled(values, name)
    if array.ndim == 0 or 0 in array.shape[:-1] or array.shape == (0,):
        raise ValueError(f"{name} must be at least one list of numbers; a query that found nothing is [0]")
    bad = ~((array >= 0.0) & (array <= _MOST))
    if bad.any():
        raise ValueError(
            f"{name} hold {array[bad][0]:g}{where(bad, rank=True)}; relevance is a number from 0 to {_MOST:g}"
        )
    return array


def _kinds(values: Any) -> Iterator[str]:
    """Yield the kinds of numbers of arrays, and of a list of them."""
    for array in values if isinstance(values, list | tuple) else (values,):
        yield getattr(getattr(array, "dtype", None), "kind", "c" if isinstance(array, complex) else "f")


def _filled(values: Any, name: str) -> FloatArray:
    try:
        rows = [np.asarray(row, dtype=np.float64) for row in values]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be numbers, one list for each query") from None
    if any(row.ndim != 1 for row in rows):
        raise ValueError(f"{name} must be one list of numbers for each query, without lists inside")
    lengths = np.array([len(row) for row in rows])
    out = np.zeros((len(rows), lengths.max()))
    out[np.arange(out.shape[1]) < lengths[:, None]] = np.concatenate(rows)
    return out


def top(lists: NDArray[Any], k: int | None) -> NDArray[Any]:
    """Return the first `k` of each list, or say that `k` is none."""
    if k is None:
        return lists
    return lists[..., : check_whole(k, "k", 1, 9)]


def ranks(lists: NDArray[Any]) -> FloatArray:
    """Return 1, 2, … as far as the lists go."""
    return np.arange(1.0, lists.shape[-1] + 1.0)


def where(bad: NDArray[np.bool_], *, rank: bool = False) -> str:
    """Say at which query, and at which rank where the last axis is ranks, the first bad one stands."""
    place: Iterable[int] = (int(i) + 1 for i in np.argwhere(bad)[0])
    *query, last = (*place, 0) if not rank else place
    parts = ([f"query {', '.join(map(str, query))}"] if query else []) + ([f"rank {last}"] if rank else [])
    return f" at {', '.join(parts)}" if parts else ""
