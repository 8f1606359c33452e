"""The tables of a cross-validation before they were summed and discounted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.designs.design import BlockedCV, Discount, KFoldCV


@dataclass(frozen=True, eq=False)
class Folds:
    """The tables of a cross-validation before they were summed and discounted.

    Attributes
    ----------
    counts
        Raw counts, axes (repeat, fold, model, cell).
    cv
        The design that made the folds.
    rule
        The discount as it was asked for.
    k
        Its value: effective counts are ``k`` times summed counts.
    """

    counts: FloatArray
    cv: BlockedCV | KFoldCV
    rule: Discount
    k: float

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)

    def select(self, models: Sequence[int]) -> Folds:
        """Return the folds of some of the models."""
        return replace(self, counts=self.counts[..., list(models), :])

    def keep(self, cells: Sequence[int]) -> Folds:
        """Return the folds on some of the cells."""
        return replace(self, counts=self.counts[..., list(cells)])

    def scale(self, k: float) -> Folds:
        """Return the folds with another `k` times the discount."""
        return replace(self, rule=k * self.k, k=k * self.k)

    def widen(self, cells: Sequence[int], n_cells: int) -> Folds:
        """Return the folds on tables of more cells, of which `cells` are those of today."""
        counts = np.zeros((*self.counts.shape[:-1], n_cells))
        counts[..., list(cells)] = self.counts
        return replace(self, counts=counts)

    def __add__(self, other: Folds) -> Folds:
        if self.cv != other.cv or self.k != other.k:
            raise ValueError("evaluations with different cross-validation designs or discounts do not add up")
        return replace(self, counts=self.counts + other.counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Folds):
            return NotImplemented
        same = (self.cv, self.k) == (other.cv, other.k)
        return same and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]
