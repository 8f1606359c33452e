"""The units that were sampled, with what each adds to the models' tables, and the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray, block_diagonal, distinct_rows, indicators, sparse
from bayesf1.base.checks import Checked
from bayesf1.designs import BlockedCV, Discount, KFoldCV

Assumption: TypeAlias = Literal["independent", "paired", "clustered", "fixed"]


class EqualByFields(Checked):
    """A part of an evaluation, equal to another if all its fields are equal; arrays are compared by their entries."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(cast("Any", self)) if field.compare]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]


@runtime_checkable
class _Array(Protocol):
    """An array, dense or sparse."""

    @property
    def dtype(self) -> Any: ...

    @property
    def shape(self) -> tuple[int, ...]: ...


def _equal(a: Any, b: Any) -> bool:
    """Return whether two fields are equal; arrays are equal if all their entries are."""
    if isinstance(a, _Array) and isinstance(b, _Array):
        if a.shape != b.shape:
            return False
        # This works for sparse arrays, too, which have no `all`.
        difference: Any = abs(cast("Any", a) - b)
        return bool(difference.sum() == 0)
    return bool(a == b)


# More patterns than this are drawn together.
MANY = 5_000


@dataclass(frozen=True, eq=False)
class Units(EqualByFields):
    """Units, as the rows that they add to the models' tables laid side by side; units with equal rows form one pattern.

    Attributes
    ----------
    rows
        What one unit of each pattern adds, axes (pattern, model·cell): an array, or a sparse one if there are many cells.
    weights
        How many units of each pattern there are, after any cross-validation discount.
    name
        What one unit is called; an ``"item"`` adds one outcome to every model.
    shared
        Whether the models were seen on the same units; otherwise each row is of one model alone.
    each_an_item
        Whether units with another name, such as queries, are single items, too; otherwise they are clusters of items.

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
        """Return units from the row that each adds, merging units with equal rows."""
        if isinstance(rows, np.ndarray):
            flat = rows.reshape(len(rows), -1)
            patterns, which = np.unique(flat, axis=0, return_inverse=True)
        else:
            # Rows are rebuilt from coordinates, so that equal rows have equal entries in the same order.
            rows = sparse(rows.tocoo())
            rows.sum_duplicates()
            rows.eliminate_zeros()
            # Equal rows have equal projections, to the last bit; different rows practically never do.
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
        """The sums of the rows of all units."""
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
        """Return the units with what they add to some of the models."""
        return self.take(self._columns(n_models)[list(models)])

    def scale(self, k: float) -> Units:
        """Return the units, each counted `k` times."""
        return replace(self, weights=k * self.weights)

    def apart(self, n_models: int) -> Units:
        """Return the units of each model alone, as if each had been tested on units of its own."""
        if not self.shared:
            return self
        alone = [self.select([i], n_models) for i in range(n_models)]
        rows = block_diagonal([units.rows for units in alone])
        weights = np.concatenate([units.weights for units in alone])
        return Units.merge(rows, weights, self.name, shared=False, each_an_item=self.each_an_item)

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
        """Return the units with some of the columns; units that differ only in other columns become one pattern.

        A column number beyond the last means a column to which no unit adds anything.
        """
        chosen = columns.ravel()
        n_columns = self.rows.shape[1]
        is_known = chosen < n_columns
        if is_known.all():
            return self._merged(self.rows[:, chosen], self.weights)
        # A matrix (column, chosen column) with a 1 where the two are the same; chosen columns beyond the last stay
        # empty.
        places = np.flatnonzero(is_known)
        choice = indicators(chosen[places], places, (n_columns, len(chosen)))
        return self._merged(sparse(self.rows) @ choice, self.weights)

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
        The value of the discount: effective counts are ``k`` times summed counts.
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

    def take(self, models: Sequence[int], cells: Sequence[int | None]) -> Folds:
        """Return the folds of some of the models and cells; None is a cell in which nothing is counted."""
        columns = columns_of(self.counts, models, cells)
        units = None if self.units is None else self.units.take(columns)
        return replace(self, counts=take_columns(self.counts, columns), units=units)

    @property
    def tables_only(self) -> Folds:
        """The folds without their units."""
        return replace(self, units=None)

    def __add__(self, other: Folds) -> Folds:
        return replace(self, counts=self.counts + other.counts, units=sum_of_parts(self.units, other.units))


@dataclass(frozen=True, eq=False)
class Generations(EqualByFields):
    """How several generations by the same model on the same item differ, if units are their means.

    Attributes
    ----------
    deviations
        Deviations of generations from the mean of their item and model, each row of one model alone. They are scaled so
        that the sum of their squares is the variance that generations add to the sum over items.
    freedom
        The degrees of freedom of each model's variance between the generations of an item: generations less items.
    least, most
        The least and the most generations of an item.
    noun
        What a generation is called.
    """

    deviations: Units
    freedom: FloatArray
    least: int
    most: int
    noun: str = "generation"

    def take(self, models: Sequence[int], columns: Any) -> Generations:
        """Return the generations of some of the models, by the numbers of their columns."""
        return replace(self, deviations=self.deviations.take(columns), freedom=self.freedom[list(models)])

    def scale(self, k: float) -> Generations:
        """Return the generations of items of which each is counted `k` times."""
        return replace(self, deviations=self.deviations.scale(k), freedom=k * self.freedom)

    def __add__(self, other: Generations) -> Generations:
        return replace(
            self,
            deviations=self.deviations + other.deviations,
            freedom=self.freedom + other.freedom,
            least=min(self.least, other.least),
            most=max(self.most, other.most),
        )

    def variance(self, slopes: FloatArray) -> float:
        """Return the variance that generations add to a statistic with these slopes in the models' cells."""
        return float(self.deviations.weights @ np.square(self.deviations.rows @ slopes))


def columns_of(tables: FloatArray, models: Sequence[int], cells: Sequence[int | None]) -> IntArray:
    """Return the numbers of some models' cells in flat tables (..., model, cell), on these axes.

    None is a cell in which nothing is counted; its number is one past the last.
    """
    numbers = np.arange(tables.size).reshape(tables.shape)
    of_models = numbers[..., list(models), :]
    columns = np.full((*of_models.shape[:-1], len(cells)), tables.size)
    for i, cell in enumerate(cells):
        if cell is not None:
            columns[..., i] = of_models[..., cell]
    return columns


def take_columns(tables: FloatArray, columns: IntArray) -> FloatArray:
    """Return the entries of flat tables that `columns_of` numbers; past the last, the entry is 0."""
    return np.append(tables, 0.0)[columns]


Part = TypeVar("Part", Units, Folds, Generations)


def sum_of_parts(a: Part | None, b: Part | None) -> Part | None:
    """Return the sum of a part of two shards; a part that one shard lacks is unknown for both."""
    return None if a is None or b is None else a + b


def changed_part(part: Part | None, change: Callable[[Part], Part]) -> Part | None:
    """Return a part after a change; None if there is no such part."""
    return None if part is None else change(part)
