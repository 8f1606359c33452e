"""Labels of items, as the measures take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.reading.label_columns import is_missing


def label_array(values: ArrayLike, where: str) -> NDArray[Any]:
    """Return labels as an array of one axis, or say what is wrong with them.

    Examples
    --------
    >>> label_array(["NN", "VBP", None], "gold")
    Traceback (most recent call last):
    ValueError: gold has no label for item 3; drop or fill it first
    """
    if isinstance(values, str | bytes | Mapping):
        raise ValueError(f"{where} must be a sequence of labels, not {type(values).__name__}")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{where} must be one label for each item, not lists of different lengths") from None
    if array.ndim != 1:
        raise ValueError(f"{where} must be one label for each item, not an array of shape {array.shape}")
    if not len(array):
        raise ValueError(f"{where} is empty; there is nothing to measure")
    # numpy turns a mixed list into strings without a word.
    mixed = array.dtype.kind == "O" or (array.dtype.kind in "US" and not hasattr(values, "dtype"))
    missing = [is_missing(value) for value in values] if mixed else array != array  # type: ignore[union-attr]
    if np.any(missing):
        raise ValueError(
            f"{where} has no label for item {int(np.argmax(missing)) + 1}; drop or fill it first"
        )
    if mixed and len({isinstance(value, str) for value in values}) > 1:  # type: ignore[union-attr]
        raise ValueError(f"{where} mixes strings and other values; use one kind")
    return array


def same_length(first: NDArray[Any], second: NDArray[Any], names: tuple[str, str]) -> None:
    """Raise a ValueError where two arrays do not speak of the same items."""
    if len(first) != len(second):
        raise ValueError(
            f"{names[1]} has {len(second)} items, but {names[0]} has {len(first)}; "
            "both must speak of the same items in the same order"
        )
