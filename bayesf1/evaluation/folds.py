"""The tables of a cross-validation before they were summed and discounted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.designs.design import BlockedCV, Discount, KFoldCV
from bayesf1.evaluation.units import Units


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
    units
        What each unit adds to the tables of all folds, axes (pattern, repeat·fold·model·cell), each unit counted once;
        None where only the tables are known.
    """

    counts: FloatArray
    cv: BlockedCV | KFoldCV
    rule: Discount
    k: float
    units: Units | None = None

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)

    def select(self, models: Sequence[int]) -> Folds:
        """Return the folds of some of the models."""
        return self._take(self._columns[..., list(models), :])

    def keep(self, cells: Sequence[int]) -> Folds:
        """Return the folds on some of the cells."""
        return self._take(self._columns[..., list(cells)])

    def scale(self, k: float) -> Folds:
        """Return the folds with another `k` times the discount."""
        return replace(self, rule=k * self.k, k=k * self.k)

    def widen(self, cells: Sequence[int], n_cells: int) -> Folds:
        """Return the folds on tables of more cells, of which `cells` are those of today."""
        counts = np.zeros((*self.counts.shape[:-1], n_cells))
        counts[..., list(cells)] = self.counts
        n_tables = self.counts[..., 0].size
        return replace(self, counts=counts, units=self.units and self.units.widen(cells, n_cells, n_tables))

    @property
    def tables_only(self) -> Folds:
        """The folds without what single units add to them."""
        return replace(self, units=None)

    def __add__(self, other: Folds) -> Folds:
        if self.cv != other.cv or self.k != other.k:
            raise ValueError("evaluations with different cross-validation designs or discounts do not add up")
        units = None
        if self.units is not None and other.units is not None:
            units = self.units + other.units
        return replace(self, counts=self.counts + other.counts, units=units)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Folds):
            return NotImplemented
        same = (self.cv, self.k, self.units) == (other.cv, other.k, other.units)
        return same and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    @property
    def _columns(self) -> NDArray[np.intp]:
        """Numbers of the columns of units, axes (repeat, fold, model, cell)."""
        return np.arange(self.counts.size).reshape(self.counts.shape)

    def _take(self, columns: NDArray[np.intp]) -> Folds:
        counts = self.counts.ravel()[columns]
        return replace(self, counts=counts, units=self.units and self.units.take(columns))
