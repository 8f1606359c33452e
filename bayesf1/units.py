"""What was sampled, and what each unit adds to the models' tables: units, and the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray, block_diagonal, distinct_rows, indicators, sparse
from bayesf1.base.checks import Checked
from bayesf1.designs import BlockedCV, Discount, KFoldCV

Assumption: TypeAlias = Literal["independent", "paired", "clustered"]


class EqualByFields(Checked):
    """A part of an evaluation, equal to another if its fields are, arrays among them."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(cast("Any", self)) if field.compare]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]


def _equal(a: Any, b: Any) -> bool:
    if hasattr(a, "dtype") and hasattr(b, "dtype"):
        return a.shape == b.shape and bool(abs(a - b).sum() == 0)
    return bool(a == b)


# More patterns than this are many.
MANY = 5_000


@dataclass(frozen=True, eq=False)
class Units(EqualByFields):
    """Units by what they add to the models' tables side by side; those that add the same are one pattern.

    Attributes
    ----------
    rows
        What one unit of each pattern adds, axes (pattern, model·cell): an array, or a sparse one if cells are many.
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
            # From coordinates, so that equal rows hold equal entries in equal order.
            rows = sparse(rows.tocoo())
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
    def many(self) -> bool:
        """Whether there are so many patterns that most are drawn together, and areas under curves are linearised."""
        return self.n_patterns > MANY

    @property
    def size(self) -> float:
        """Number of units."""
        return float(self.weights.sum())

    @property
    def totals(self) -> FloatArray:
        """What all units add together."""
        return np.asarray(self.weights @ self.rows)

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return what a unit of each pattern adds to weighted sums of the models' cells, axes (pattern, model).

        Parameters
        ----------
        weights
            The weight of each cell in its model's sum, axes (model, cell).
        """
        n_models, n_cells = weights.shape
        if isinstance(self.rows, np.ndarray):
            return np.asarray(np.einsum("pmc,mc->pm", self.rows.reshape(-1, n_models, n_cells), weights))
        entries = self.rows.tocoo()
        model, cell = np.divmod(entries.col, n_cells)
        places = entries.row.astype(np.intp) * n_models + model
        added = np.bincount(places, entries.data * weights[model, cell], self.n_patterns * n_models)
        return np.asarray(added.reshape(-1, n_models))

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

    def scale(self, k: float) -> Units:
        """Return the units, each counted `k` times."""
        return replace(self, weights=k * self.weights)

    def apart(self, n_models: int) -> Units:
        """Return what each model did by itself, as if it had been seen on units of its own."""
        if not self.shared:
            return self
        alone = [self.select([i], n_models) for i in range(n_models)]
        rows = block_diagonal([one.rows for one in alone])
        weights = np.concatenate([one.weights for one in alone])
        return replace(self, shared=False)._merged(rows, weights)

    def __add__(self, other: Units) -> Units:
        if isinstance(self.rows, np.ndarray) and isinstance(other.rows, np.ndarray):
            rows: Any = np.concatenate([self.rows, other.rows])
        else:
            from scipy.sparse import vstack

            rows = vstack([self.rows, other.rows])
        return self._merged(rows, np.concatenate([self.weights, other.weights]))

    def _columns(self, n_models: int) -> Any:
        """Return the numbers of the columns, axes (model, cell)."""
        return np.arange(self.rows.shape[1]).reshape(n_models, -1)

    def take(self, columns: Any) -> Units:
        """Return what the units add to some of the columns; units that differ only in others become one pattern.

        To a column beyond the last no unit adds anything.
        """
        columns, n = columns.ravel(), self.rows.shape[1]
        if (columns < n).all():
            return self._merged(self.rows[:, columns], self.weights)
        old = np.flatnonzero(columns < n)
        places = indicators(columns[old], old, (n, len(columns)))
        return self._merged(sparse(self.rows) @ places, self.weights)

    def _merged(self, rows: Any, weights: FloatArray) -> Units:
        """Return units of this kind that add other rows."""
        return Units.merge(rows, weights, self.name, shared=self.shared, each_an_item=self.each_an_item)


@dataclass(frozen=True, eq=False)
class Folds(EqualByFields):
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
        None if only the tables are known.
    """

    counts: FloatArray
    cv: BlockedCV | KFoldCV
    rule: Discount
    k: float
    units: Units | None = None

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)

    def take(self, models: Sequence[int], cells: Sequence[int]) -> Folds:
        """Return the folds of some of the models and cells; -1 is a cell that counts nothing."""
        columns = columns_of(self.counts, models, cells)
        counts = np.append(self.counts, 0.0)[columns]
        return replace(self, counts=counts, units=self.units and self.units.take(columns))

    @property
    def tables_only(self) -> Folds:
        """The folds without what single units add to them."""
        return replace(self, units=None)

    def __add__(self, other: Folds) -> Folds:
        return replace(self, counts=self.counts + other.counts, units=sum_of(self.units, other.units))


@dataclass(frozen=True, eq=False)
class Generations(EqualByFields):
    """How several generations of the same model on the same item differ, where units are their means.

    Attributes
    ----------
    deviations
        How generations differ from the mean of their item and model, each row of one model alone, so scaled that the sum of
        their squares is the variance which generations give to the sum over items.
    least, most
        How many generations an item has.
    noun
        What one is called.
    """

    deviations: Units
    least: int
    most: int
    noun: str = "generation"

    def take(self, columns: Any) -> Generations:
        """Return those of some of the columns."""
        return replace(self, deviations=self.deviations.take(columns))

    def __add__(self, other: Generations) -> Generations:
        least, most = min(self.least, other.least), max(self.most, other.most)
        return replace(self, deviations=self.deviations + other.deviations, least=least, most=most)

    def variance(self, slopes: FloatArray) -> float:
        """Return the part of generations in the variance of a statistic with these slopes in the models' cells."""
        return float(self.deviations.weights @ np.square(self.deviations.rows @ slopes))


def columns_of(tables: FloatArray, models: Sequence[int], cells: Sequence[int]) -> IntArray:
    """Return the places of some models' cells in flat tables (..., model, cell); of cell -1, that behind the last."""
    places = np.arange(tables.size).reshape(tables.shape)[..., list(models), :][..., list(cells)]
    return np.where(np.asarray(cells) < 0, tables.size, places)


_Part = TypeVar("_Part", Units, Folds, Generations)


def sum_of(a: _Part | None, b: _Part | None) -> _Part | None:
    """Return the sum of two parts; what is known of one shard only is not known of both."""
    return None if a is None or b is None else a + b
