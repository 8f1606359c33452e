"""Labels of items, as the measures take them."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from bayesf1.reading.label_columns import read_labels


def label_array(values: ArrayLike, where: str) -> NDArray[Any]:
    """Return labels as an array of one axis, or say what is wrong with them.

    Examples
    --------
    >>> label_array(["NN", "VBP", None], "gold")
    Traceback (most recent call last):
    ValueError: gold has no label for item 3; drop or fill it first
    """
    array = read_labels(values, where)
    if not len(array):
        raise ValueError(f"{where} is empty; there is nothing to measure")
    return array


def same_length(first: NDArray[Any], second: NDArray[Any], names: tuple[str, str]) -> None:
    """Raise a ValueError where two arrays do not speak of the same items."""
    if len(first) != len(second):
        raise ValueError(
            f"{names[1]} has {len(second)} items, but {names[0]} has {len(first)}; "
            "both must speak of the same items in the same order"
        )
