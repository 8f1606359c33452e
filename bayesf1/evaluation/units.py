"""Units: what was sampled, and what each of them adds to the models' tables."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Units:
    """Units by what they add to the models' tables side by side; those that add the same are one pattern.

    Attributes
    ----------
    rows
        What one unit of each pattern adds, axes (pattern, model·cell): an array, or a sparse one where cells are many.
    weights
        How many units of each pattern there are, after any cross-validation discount.
    name
        What one unit is called; an ``"item"`` adds one outcome to every model.
    shared
        Whether the models were seen on the same units; otherwise each row is of one model alone.
    each_an_item
        Whether units of another name, such as queries, are single items, too; otherwise they are clusters of items.

    Examples
    --------
    >>> units = Units.merge(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.ones(3), "item")
    >>> units.weights, units.totals
    (array([1., 2.]), array([2., 1.]))
    """

    rows: Any
    weights: FloatArray
    name: str
    shared: bool = True
    each_an_item: bool = False

    def __post_init__(self) -> None:
        for array in (self.rows, self.weights):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    @classmethod
    def merge(
        cls, rows: Any, weights: FloatArray, name: str, *, shared: bool = True, each_an_item: bool = False
    ) -> Units:
        """Return units from what each adds, merging those that add the same."""
        if isinstance(rows, np.ndarray):
            flat = rows.reshape(len(rows), -1)
            patterns, which = np.unique(flat, axis=0, return_inverse=True)
        else:
            from scipy.sparse import csr_array

            # From coordinates, so that equal rows hold equal entries in equal order.
            rows = csr_array(rows.tocoo())
            rows.sum_duplicates()
            rows.eliminate_zeros()
            # Equal rows have equal projections, to the last bit, and others practically never have.
            projected = rows @ np.random.default_rng(0).random((rows.shape[1], 2))
            first, which = distinct_rows(projected)
            patterns = rows[first]
        summed = np.bincount(which.ravel(), weights=weights, minlength=patterns.shape[0])
        return cls(patterns, summed.astype(float), name, shared, each_an_item)

    @property
    def n_patterns(self) -> int:
        """Number of patterns."""
        return len(self.weights)

    @property
    def size(self) -> float:
        """Number of units."""
        return float(self.weights.sum())

    @property
    def totals(self) -> FloatArray:
        """What all units add together."""
        return np.asarray(self.weights @ self.rows)

    @property
    def seen(self) -> Units:
        """The patterns that have a weight."""
        some = np.flatnonzero(self.weights > 0.0)
        return replace(self, rows=self.rows[some], weights=self.weights[some])

    @property
    def single(self) -> bool:
        """Whether units are single items."""
        return self.each_an_item or self.name == "item"

    def select(self, models: Sequence[int], n_models: int) -> Units:
        """Return what the units add to some of the models."""
        return self.take(self._columns(n_models)[list(models)])

    def keep(self, cells: Sequence[int], n_models: int) -> Units:
        """Return what the units add to some of the cells; units that differ only in others become one pattern."""
        return self.take(self._columns(n_models)[:, list(cells)])

    def scale(self, k: float) -> Units:
        """Return the units, each counted `k` times."""
        return replace(self, weights=k * self.weights)

    def widen(self, cells: Sequence[int], n_cells: int, n_models: int) -> Units:
        """Return the units on tables of more cells, of which `cells` are those of today."""
        from scipy.sparse import csr_array

        old = csr_array(self.rows).tocoo()
        model, cell = np.divmod(old.coords[1], self.rows.shape[1] // n_models)
        columns = model * n_cells + np.asarray(cells)[cell]
        rows = csr_array((old.data, (old.coords[0], columns)), shape=(self.n_patterns, n_models * n_cells))
        return replace(self, rows=rows)

    def apart(self, n_models: int) -> Units:
        """Return what each model did by itself, as if it had been seen on units of its own."""
        from scipy.sparse import block_diag, csr_array

        if not self.shared:
            return self
        alone = [self.select([i], n_models) for i in range(n_models)]
        rows = block_diag([csr_array(one.rows) for one in alone], format="csr")
        weights = np.concatenate([one.weights for one in alone])
        return replace(self, shared=False)._merged(rows, weights)

    def alike(self, n_models: int) -> bool:
        """Say whether the first two models did the same on every unit."""
        if not self.shared or n_models < 2:
            return False
        first, second, *_ = self._columns(n_models)
        return bool((self.rows[:, first] != self.rows[:, second]).sum() == 0)

    def __add__(self, other: Units) -> Units:
        if isinstance(self.rows, np.ndarray) and isinstance(other.rows, np.ndarray):
            rows: Any = np.concatenate([self.rows, other.rows])
        else:
            from scipy.sparse import vstack

            rows = vstack([self.rows, other.rows])
        return self._merged(rows, np.concatenate([self.weights, other.weights]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Units):
            return NotImplemented
        return (
            (self.name, self.shared, self.single, self.rows.shape)
            == (other.name, other.shared, other.single, other.rows.shape)
            and bool(abs(self.rows - other.rows).sum() == 0)
            and np.array_equal(self.weights, other.weights)
        )

    __hash__ = None  # type: ignore[assignment]

    def _columns(self, n_models: int) -> Any:
        """Return the numbers of the columns, axes (model, cell)."""
        return np.arange(self.rows.shape[1]).reshape(n_models, -1)

    def take(self, columns: Any) -> Units:
        """Return what the units add to some of the columns; units that differ only in others become one pattern."""
        return self._merged(self.rows[:, columns.ravel()], self.weights)

    def _merged(self, rows: Any, weights: FloatArray) -> Units:
        """Return units of this kind that add other rows."""
        return Units.merge(rows, weights, self.name, shared=self.shared, each_an_item=self.each_an_item)


def distinct_rows(rows: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where each distinct row stands first, in rising order of the rows, and which of them each row is.

    Numpy's ``unique`` compares rows as wholes; of few columns, sorting one by one is several times faster.

    Examples
    --------
    >>> distinct_rows(np.array([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0]]))
    (array([1, 0]), array([1, 0, 1]))
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    starts = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])[: len(rows)]
    which = np.empty(len(rows), dtype=np.intp)
    which[order] = np.cumsum(starts) - 1
    return order[starts], which


def warn_if_empty(tables: FloatArray, models: tuple[str, ...]) -> FloatArray:
    """Return the tables, with a warning where a model has no counts at all."""
    empty = (tables.sum(axis=-1) == 0).reshape(-1, len(models)).any(axis=0)
    if empty.any():
        names = ", ".join(name for name, e in zip(models, empty, strict=True) if e)
        warnings.warn(f"all counts of {names} are 0, so its posterior is the prior", stacklevel=3)
    return tables
