"""Partitions by any splitter: which fold tests each unit, in each repeat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.checks import is_whole
from bayesf1.base.naming import shown
from bayesf1.designs.design import BlockedCV, KFoldCV

# The fold in which each unit is tested, axes (repeat, unit).
Partition: TypeAlias = NDArray[np.intp]


def check_splitter(cv: Any) -> Any:
    """Return a splitter, or the folds of an iterable as a list, or say that it is none.

    Examples
    --------
    >>> check_splitter(None), check_splitter(10)
    (BlockedCV(m=3), KFoldCV(folds=10, repeats=1))
    """
    if cv is None:
        return BlockedCV(m=3)
    if is_whole(cv):
        return KFoldCV(int(cv))
    if hasattr(cv, "split") and not isinstance(cv, str | bytes | bytearray):
        return cv
    if isinstance(cv, Iterable) and getattr(cv, "ndim", True) and not isinstance(cv, str | bytes):
        return [_pair(fold, i) for i, fold in enumerate(cv, start=1)]
    raise ValueError(
        f"cv is a design such as BlockedCV(m=3) or KFoldCV(10), a number of folds, a splitter of scikit-learn or a "
        f"list of (train, test), not {shown(cv)}"
    )


def _pair(fold: Any, i: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    try:
        train, test = (np.asarray(part) for part in fold)
        if train.dtype.kind == "b":
            train, test = np.flatnonzero(train), np.flatnonzero(test)
        if any(part.ndim != 1 or part.dtype.kind not in "iu" for part in (train, test)):
            raise ValueError
    except (TypeError, ValueError):
        raise ValueError(f"fold {i} of cv is no pair of indices (train, test)") from None
    return train.astype(np.intp), test.astype(np.intp)


def partition_of(cv: Any, n: int, X: Any, y: Sequence[Any] | None, groups: Any) -> Partition:
    """Return in which fold each of `n` units is tested, or say why folds do not test all of them equally often.

    Examples
    --------
    >>> partition_of([([2, 3], [0, 1]), ([0, 1], [2, 3])], 4, None, None, None)
    array([[0, 0, 1, 1]])
    """
    pairs = cv if isinstance(cv, list) else cv.split(X, y, groups)
    repeats: list[NDArray[np.intp]] = []
    widths: list[int] = []
    fold, number = np.full(n, -1, dtype=np.intp), 0
    for i, pair in enumerate(pairs, start=1):
        train, test = _pair(pair, i)
        _check_fold(train, test, n, i)
        if (fold[test] >= 0).any():
            twice = int(test[np.argmax(fold[test] >= 0)])
            raise ValueError(
                f"fold {i} of cv tests unit {twice} again before every unit was tested once; every unit must be tested "
                "equally often, repeat by repeat, as by KFold, RepeatedStratifiedKFold and GroupKFold"
            )
        fold[test], number = number, number + 1
        if (fold >= 0).all():
            repeats.append(fold)
            widths.append(number)
            fold, number = np.full(n, -1, dtype=np.intp), 0
    if number or not repeats:
        missing = f"unit {int(np.argmax(fold < 0))} is tested {len(repeats)} times and others once more"
        raise ValueError(
            f"cv does not test every unit equally often: {missing if number else 'it has no folds'}"
        )
    if len(set(widths)) > 1 or widths[0] < 2:
        raise ValueError(
            f"cv has repeats of {', '.join(map(str, widths))} folds; they must have the same, two or more"
        )
    found = np.stack(repeats)
    if groups is not None:
        _check_documents(found, np.asarray(groups))
    return found


def design_of(cv: Any, partition: Partition) -> BlockedCV | KFoldCV:
    """Return the design that a partition by a splitter has."""
    if isinstance(cv, BlockedCV | KFoldCV):
        return cv
    return KFoldCV(int(partition.max()) + 1, len(partition))


def _check_fold(train: NDArray[np.intp], test: NDArray[np.intp], n: int, i: int) -> None:
    for part in (train, test):
        if len(part) and not (part.min() >= 0 and part.max() < n):
            raise ValueError(
                f"fold {i} of cv has unit {part.min() if part.min() < 0 else part.max()}, but there are {n}"
            )
    if not len(test):
        raise ValueError(f"fold {i} of cv tests nothing")
    both = np.intersect1d(train, test)
    if len(both):
        raise ValueError(f"fold {i} of cv trains on unit {both[0]} and tests it, too")
    if len(np.unique(train)) != n - len(np.unique(test)):
        raise ValueError(
            f"fold {i} of cv trains on {len(np.unique(train))} of the {n - len(np.unique(test))} units that it does not "
            "test; every fold must train on all the others"
        )


def _check_documents(partition: Partition, groups: NDArray[Any]) -> None:
    which = np.unique(groups, return_inverse=True)[1].ravel()
    first = np.unique(which, return_index=True)[1][which]
    apart = (partition != partition[:, first]).any(axis=0)
    if apart.any():
        raise ValueError(
            f"cv divides group {groups[int(np.argmax(apart))]!r} between folds, so that models are tested on what they were "
            "trained on; use BlockedCV, KFoldCV or GroupKFold, or leave groups out"
        )
