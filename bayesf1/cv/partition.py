"""The folds of a splitter: in which of them each unit is tested, and which design they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bayesf1.base.arrays import IntArray
from bayesf1.base.checks import is_whole
from bayesf1.base.naming import listing, quoted
from bayesf1.designs import BlockedCV, KFoldCV

# Halvings are block-regularised if halves differ by one unit at most, and the halves of two repeats overlap in a quarter
# of all units, to within three quarters of a unit: a sum of products of signs is four times as far from 0.
_MOST_UNEVEN = 1.0
_MOST_CORRELATED = 3.0


def check_splitter(cv: Any) -> Any:
    """Return a splitter, or the folds of an iterable as a list, or raise a ValueError.

    Examples
    --------
    >>> check_splitter(None), check_splitter(10)
    (BlockedCV(m=3), KFoldCV(folds=10, repeats=1))
    """
    if cv is None:
        return BlockedCV(m=3)
    if is_whole(cv):
        return KFoldCV(int(cv))
    if not isinstance(cv, str | bytes | bytearray):
        if hasattr(cv, "split"):
            return cv
        # An array without axes calls itself iterable.
        is_number = isinstance(cv, np.ndarray) and cv.ndim == 0
        if isinstance(cv, Iterable) and not is_number:
            return list(cv)
    raise ValueError(
        f"cv is a design such as BlockedCV(m=3), a splitter or a list of (train, test), not {quoted(cv)}"
    )


def partition_of(cv: Any, n: int, X: Any, y: Sequence[Any] | None, groups: Any) -> IntArray:
    """Return in which fold each of `n` units is tested, axes (repeat, unit), or raise a ValueError.

    Examples
    --------
    >>> partition_of([([2, 3], [0, 1]), ([0, 1], [2, 3])], 4, None, None, None)
    array([[0, 0, 1, 1]])
    """
    folds = cv if isinstance(cv, list) else cv.split(X, y, groups)
    # One array (unit,) for each repeat, the number of its folds so far, and how often each unit was tested.
    repeats: list[IntArray] = []
    n_folds: list[int] = []
    times = np.zeros(n, dtype=np.intp)
    for number, fold in enumerate(folds, start=1):
        test = _test_units(fold, n, number)
        repeat = int(times.min())
        tested_already = times[test] > repeat
        if tested_already.any():
            twice = int(test[np.argmax(tested_already)])
            raise ValueError(
                f"fold {number} of cv tests unit {twice} again before every unit was tested once, as by KFold"
            )
        if repeat == len(repeats):
            repeats.append(np.zeros(n, dtype=np.intp))
            n_folds.append(0)
        repeats[repeat][test] = n_folds[repeat]
        n_folds[repeat] += 1
        times[test] += 1
    sizes = sorted(set(n_folds))
    if np.ptp(times) or len(sizes) != 1:
        written = listing(map(str, sizes)) if sizes else "no"
        raise ValueError(f"cv does not test every unit equally often: it has repeats of {written} folds")
    partition = np.stack(repeats)
    if groups is not None:
        _check_groups(partition, np.asarray(groups))
    return partition


def _test_units(fold: Any, n: int, number: int) -> IntArray:
    """Return the units that a fold tests; it must train on all the others."""
    try:
        train_part, test_part = fold
        train = _indices(train_part)
        test = _indices(test_part)
    except (TypeError, ValueError):
        raise ValueError(f"fold {number} of cv is not a pair of indices (train, test)") from None
    together = np.sort(np.concatenate([train, test]))
    if not len(test) or not np.array_equal(together, np.arange(n)):
        raise ValueError(f"fold {number} of cv must test some of the {n} units and train on all the others")
    return test


def _indices(part: Any) -> IntArray:
    """Return the indices of units, which may be given as a mask."""
    array = np.asarray(part)
    if array.ndim != 1 or array.dtype.kind not in "biu":
        raise ValueError("indices are whole numbers")
    if array.dtype.kind == "b":
        array = np.flatnonzero(array)
    return array.astype(np.intp)


def _check_groups(partition: IntArray, groups: Any) -> None:
    """Raise a ValueError if a group is divided between folds."""
    names, first, which = np.unique(groups, return_index=True, return_inverse=True)
    which = which.ravel()
    # The fold of the first unit of each unit's group, axes (repeat, unit).
    fold_of_group = partition[:, first[which]]
    divided = (partition != fold_of_group).any(axis=0)
    if divided.any():
        name = names[which[np.argmax(divided)]]
        raise ValueError(f"cv divides group {name!r} between folds; use one such as GroupKFold")


def design_of(splitter: Any, partition: IntArray) -> BlockedCV | KFoldCV:
    """Return the design of folds; halvings of another splitter are block-regularised if they are as even as such."""
    if isinstance(splitter, BlockedCV | KFoldCV):
        return splitter
    n_folds = int(partition.max()) + 1
    if n_folds == 2:
        # Axes (repeat, unit), and sums of products (repeat, repeat), each pair of repeats once.
        signs = 1.0 - 2.0 * partition
        products = np.triu(signs @ signs.T, 1)
        uneven = np.abs(signs.sum(axis=1)).max()
        if uneven <= _MOST_UNEVEN and np.abs(products).max() <= _MOST_CORRELATED:
            return BlockedCV(len(partition))
    return KFoldCV(n_folds, len(partition))
