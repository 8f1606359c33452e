"""Which items nobody has labelled yet, so that a plan can name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Unlabelled:
    """Items without a gold label, by what is known of them; eight bytes for each.

    Attributes
    ----------
    rows
        Numbers from 0 of the items of each stratum.
    ids
        What all items are called, where they have names.

    Examples
    --------
    >>> found = Unlabelled.of(np.array([0, 1, 0, 1]), np.array([True, False, False, False]), 2, ["a", "b", "c", "d"])
    >>> found.rows
    (array([2]), array([1, 3]))
    >>> sorted(found.chosen(np.array([1, 2]), np.random.default_rng(0)).tolist())
    ['b', 'c', 'd']
    """

    rows: tuple[NDArray[np.intp], ...]
    ids: NDArray[Any] | None = None

    @classmethod
    def of(
        cls,
        stratum: NDArray[np.intp],
        labelled: NDArray[np.bool_],
        n_strata: int,
        ids: Sequence[Any] | None = None,
    ) -> Unlabelled:
        """Return the unlabelled ones of items of given strata."""
        free = np.flatnonzero(~labelled)
        order = free[np.argsort(stratum[free], kind="stable")]
        ends = np.cumsum(np.bincount(stratum[free], minlength=n_strata))
        return cls(tuple(np.split(order, ends[:-1])), None if ids is None else _named(ids))

    def chosen(self, numbers: FloatArray, rng: np.random.Generator) -> NDArray[Any]:
        """Return so many items of each stratum, drawn at random and shuffled: their ids, or row numbers without."""
        drawn = [
            rng.choice(rows, int(n), replace=False) for rows, n in zip(self.rows, numbers, strict=True) if n
        ]
        found = rng.permutation(np.concatenate([np.zeros(0, dtype=np.intp), *drawn]))
        return np.asarray(found if self.ids is None else self.ids[found])


def _named(ids: Sequence[Any]) -> NDArray[Any]:
    plain = np.asarray(ids)
    if plain.ndim == 1:
        return plain
    # Ids that are tuples are names all the same.
    found = np.empty(len(ids), dtype=object)
    found[:] = list(ids)
    return found
