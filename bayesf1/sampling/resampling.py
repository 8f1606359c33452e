"""A function of tables on sampled units: its variance by the delta method, the bootstrap and the jackknife."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of, slices_of
from bayesf1.sampling.draws import ManyUnits
from bayesf1.units import Units

# A function that gives a number for tables (..., model, cell), such as a score or the difference of two.
TableFunction: TypeAlias = Callable[[FloatArray], FloatArray]

# Fourth-order central differences: steps, relative to a cell, and the weights of the values there.
_STEP = 2e-3
_STENCIL = np.array([-2.0, -1.0, 1.0, 2.0])
_SLOPE = np.array([1.0, -8.0, 8.0, -1.0]) / 12.0
# A binomial variate takes as long as drawing the numbers of this many units.
_BINOMIAL_COST = 10
# With more units per pattern than this, drawing multinomial counts of patterns is faster than drawing units.
_UNITS_PER_PATTERN = 8


def resampled_times(weights: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each pattern occurs if all units are drawn again with replacement, axes (draw, pattern)."""
    size = max(1, round(float(weights.sum())))
    if size > _UNITS_PER_PATTERN * len(weights) or (weights != np.rint(weights)).any():
        return rng.multinomial(size, weights / weights.sum(), size=n).astype(np.float64)
    # If most units differ, drawing the numbers of units is many times faster than a binomial variate for each pattern.
    pattern_of = np.repeat(np.arange(len(weights)), weights.astype(np.intp))
    times = []
    for _ in range(n):
        drawn = pattern_of[rng.integers(size, size=size)]
        times.append(np.bincount(drawn, minlength=len(weights)))
    return np.array(times, float)


class Sample(NamedTuple):
    """Units that were drawn independently of other samples, and the models whose tables they add to."""

    units: Units
    models: slice


@dataclass(frozen=True, eq=False)
class Samples:
    """One sample that the models share, or one for each model if they are independent.

    Attributes
    ----------
    parts
        The samples.
    tables
        Effective counts, axes (model, cell).
    """

    parts: tuple[Sample, ...]
    tables: FloatArray

    def _columns(self, models: slice) -> slice:
        """Return the places of models' cells in flat tables."""
        n_cells = self.tables.shape[1]
        return slice(models.start * n_cells, models.stop * n_cells)

    def of_sums(self, cell_weights: FloatArray) -> Samples:
        """Return the same units with their contributions to weighted sums of cells in place of those to each cell.

        Parameters
        ----------
        cell_weights
            The weight of each cell in each sum, axes (model, cell, sum).
        """
        parts = []
        for units, models in self.parts:
            # Axes (pattern, model) for each sum, then (pattern, model·sum).
            added = [units.sums(weights) for weights in np.moveaxis(cell_weights[models], 2, 0)]
            rows = np.stack(added, axis=-1).reshape(units.n_patterns, -1)
            parts.append(Sample(replace(units, rows=rows), models))
        return Samples(tuple(parts), np.einsum("mc,mcs->ms", self.tables, cell_weights))

    def variance(self, function: TableFunction) -> float:
        r"""Return the delta method's variance :math:`\sum_u w_u (\nabla g(T)\cdot(x_u-\bar x))^2`.

        Units may be sentences or documents, and models may share them: the same formula covers clusters, and differences
        of paired models.
        """
        slopes = self.gradient(function)
        variance = 0.0
        for units, models in self.parts:
            # The change by one more unit of each pattern, to first order.
            change = np.asarray(units.rows @ slopes[self._columns(models)])
            mean_change = units.weights @ change / units.size
            variance += float(units.weights @ (change - mean_change) ** 2)
        return variance

    def resampled(self, function: TableFunction, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        """Return values of the function in samples of as many units as there were, drawn with replacement.

        Only the number of times that each pattern occurs is drawn, which is multinomial. The cost depends on the number
        of patterns, not of units. If weights are not whole numbers, as after cross-validation, the number of drawn units
        is their rounded sum.
        """
        values = []
        for n in blocks_of(n_resamples, self.resample_cost + self.tables.size):
            flat = np.zeros((n, self.tables.size))
            for (units, models), many in zip(self.parts, self._many, strict=True):
                flat[:, self._columns(models)] += _resampled_sums(units, many, n, rng)
            values.append(function(flat.reshape(n, *self.tables.shape)))
        return np.concatenate(values)

    @cached_property
    def _many(self) -> list[ManyUnits | None]:
        """The units of each part that are drawn together."""
        return [ManyUnits.of(units.rows, units.weights, resampled=True) for units, _ in self.parts]

    @property
    def resample_cost(self) -> int:
        """The number of variates of one resample; a binomial one, for patterns of many units, counts as several."""
        cost = 0
        for (units, _), many in zip(self.parts, self._many, strict=True):
            n_drawn = units.n_patterns if many is None else int(many.large.sum())
            binomial = units.size > _UNITS_PER_PATTERN * units.n_patterns
            cost += _BINOMIAL_COST * n_drawn if binomial else n_drawn
        return cost

    def acceleration(self, function: TableFunction) -> float:
        """Return a sixth of the skewness of the jackknife, which leaves out one unit after another.

        Leaving out any unit of a pattern has the same effect. After cross-validation a pattern may have less than one
        unit. Then the whole pattern is left out, and the effect is extrapolated to a whole unit.
        """
        total = self.tables.ravel()
        complete = float(function(self.tables))
        second = 0.0
        third = 0.0
        for units, models in self.parts:
            columns = self._columns(models)
            effects = np.empty(units.n_patterns)
            for patterns in slices_of(units.n_patterns, total.size):
                rows = units.rows[patterns]
                if not isinstance(rows, np.ndarray):
                    rows = rows.toarray()
                shares = units.weights[patterns].clip(None, 1.0)
                without = np.tile(total, (len(shares), 1))
                # Rounding must not make counts negative.
                without[:, columns] = np.maximum(without[:, columns] - shares[:, None] * rows, 0.0)
                values = function(without.reshape(-1, *self.tables.shape))
                effects[patterns] = (complete - values) / shares
            effects -= units.weights @ effects / units.size
            second += float(units.weights @ effects**2)
            third += float(units.weights @ effects**3)
        if not second > 0.0:
            return 0.0
        return float(third / (6.0 * second**1.5))

    def gradient(self, function: TableFunction) -> FloatArray:
        """Return the slopes of the function in each cell of all models' tables, which are 0 in cells without counts.

        No unit adds to empty cells, so their slopes do not matter.
        """
        total = self.tables.ravel()
        slopes = np.zeros(total.size)
        with_counts = np.flatnonzero(total > 0.0)
        for part in slices_of(len(with_counts), len(_STENCIL) * total.size):
            cells = with_counts[part]
            # Axes (cell that is moved, step, cell): in each row one cell is moved by four steps.
            moved = np.tile(total, (len(cells), len(_STENCIL), 1))
            moved[np.arange(len(cells)), :, cells] *= 1.0 + _STEP * _STENCIL
            values = function(moved.reshape(-1, len(_STENCIL), *self.tables.shape))
            slopes[cells] = values @ _SLOPE / (_STEP * total[cells])
        return slopes


def _resampled_sums(units: Units, many: ManyUnits | None, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw the sums over resampled units, axes (draw, column)."""
    # In a cross-validation the weights of units may not add up to a whole number.
    scale = units.size / max(1, round(units.size))
    if many is None:
        times = resampled_times(units.weights, n, rng) * scale
        return np.asarray(times @ units.rows)
    # Units that are drawn together count as one further pattern, the last.
    n_together = units.weights[~many.large].sum()
    times = resampled_times(np.append(units.weights[many.large], n_together), n, rng) * scale
    share_together = times[:, -1:] / n_together
    return np.asarray(times[:, :-1] @ units.rows[many.large] + many.draw(n, rng, share_together))
