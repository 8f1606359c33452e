"""Numbers as people have them: lists, arrays and Series; nothing else is made to be one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray


def check_unmasked(values: Any, where: str) -> None:
    """Say which entry of a masked array, or of a list of them, is masked: numpy would take what stands below the mask."""
    rows = enumerate(values, 1) if isinstance(values, list | tuple) else [(None, values)]
    for i, row in rows:
        if isinstance(row, np.ma.MaskedArray) and np.ma.getmaskarray(row).any():
            places = [i, *(int(j) + 1 for j in np.argwhere(np.ma.getmaskarray(row))[0])]
            place = ", ".join(str(at) for at in places if at is not None)
            raise ValueError(f"{where} is masked at entry {place}; drop or fill it first")


def numbers_of(values: Any, where: str, *, remedy: str = "must be numbers") -> FloatArray:
    """Return numbers as an array of floats, or say that they are none.

    numpy makes numbers of dates, of texts and of complex numbers, too, and of what a mask hides. None is NaN.

    Examples
    --------
    >>> numbers_of([1, 0.5, None], "scores")
    array([1. , 0.5, nan])
    >>> numbers_of(["1", "0.5"], "scores", remedy="must be numbers, one for each unit")
    Traceback (most recent call last):
    ValueError: scores must be numbers, one for each unit
    """
    check_unmasked(values, where)
    try:
        array = np.asarray(values)
        kind = array.dtype.kind
        if kind in "biuf" or (
            kind == "O" and all(isinstance(x, Real | Decimal | np.bool_ | None) for x in array.flat)
        ):
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{where} {remedy}")


def numbers_in_texts(values: Iterable[Any]) -> list[Any]:
    """Return numbers that a file has as texts as numbers, NaN where it has none; all as it is where one is no number.

    Examples
    --------
    >>> numbers_in_texts(["0.5", "", None, 2])
    [0.5, nan, nan, 2]
    """
    found = [math.nan if value is None or value == "" else value for value in values]
    try:
        return [float(value) if isinstance(value, str) else value for value in found]
    except ValueError:
        return found
