"""Units as a sample: what each adds to the models' tables, how a score hangs on them, and drawing them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of, slices_of
from bayesf1.evaluation.units import Units

# A number of tables (..., model, cell), such as one model's score or the difference of two.
Statistic: TypeAlias = Callable[[FloatArray], FloatArray]

# Fourth-order central differences, relative to a cell.
_STEP = 2e-3
_STENCIL = np.array([-2.0, -1.0, 1.0, 2.0])
_SLOPE = np.array([1.0, -8.0, 8.0, -1.0]) / 12.0


def draw_patterns(
    rows: Any, weights: FloatArray, *, n_draws: int, numbers_each: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield blocks of draws of what all units add together, axes (draw, column)."""
    # Most kinds of sentences occur once, and exponential variates are drawn several times faster.
    once = weights == 1.0
    rows_once, rows_more, more = rows[once], rows[~once], weights[~once]
    for n in blocks_of(n_draws, numbers_each):
        flat = rng.standard_exponential((n, int(once.sum()))) @ rows_once
        flat += rng.standard_gamma(more, size=(n, len(more))) @ rows_more
        yield flat


class Sample(NamedTuple):
    """Units drawn independently of one another, and the columns of all models' tables that they add to."""

    units: Units
    columns: slice


@dataclass(frozen=True, eq=False)
class Samples:
    """One sample that the models share, or one for each model where they are independent.

    Attributes
    ----------
    parts
        The samples.
    tables
        Effective counts, axes (model, cell).
    """

    parts: tuple[Sample, ...]
    tables: FloatArray

    @property
    def size(self) -> float:
        """Number of units in the smallest sample."""
        return min(units.size for units, _ in self.parts)

    def influence(self, statistic: Statistic) -> tuple[FloatArray, ...]:
        r"""Return what one more unit of each kind would change, to first order: :math:`\nabla g(T)\cdot(x_u-\bar x)`."""
        slopes = self._gradient(statistic).ravel()
        changes = (np.asarray(units.rows @ slopes[columns]) for units, columns in self.parts)
        return tuple(
            change - units.weights @ change / units.size
            for (units, _), change in zip(self.parts, changes, strict=True)
        )

    def variance(self, statistic: Statistic) -> float:
        r"""Return the delta method's variance :math:`\sum_u w_u (\nabla g(T)\cdot(x_u-\bar x))^2`.

        Units are sentences or documents where that is what was sampled, and the models may share them: the same
        sum is then the variance of a difference, or one that holds for clusters.
        """
        parts = zip(self.parts, self.influence(statistic), strict=True)
        return float(sum(units.weights @ (change * change) for (units, _), change in parts))

    def resampled(self, statistic: Statistic, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        """Return the statistic of samples of units drawn with replacement, as many as there were.

        Only how often each pattern comes is drawn, which is multinomial: the cost depends on the number of
        patterns, not of units. Where weights are no whole numbers, after cross-validation, their rounded sum is
        drawn.
        """
        numbers = sum(units.n_patterns for units, _ in self.parts) + self.tables.size
        blocks = []
        for n in blocks_of(n_resamples, numbers):
            flat = np.zeros((n, self.tables.size))
            for units, columns in self.parts:
                drawn = max(1, round(units.size))
                times = rng.multinomial(drawn, units.weights / units.size, size=n)
                flat[:, columns] += times * (units.size / drawn) @ units.rows
            blocks.append(statistic(flat.reshape(n, *self.tables.shape)))
        return np.concatenate(blocks)

    def acceleration(self, statistic: Statistic) -> float:
        """Return a sixth of the skewness of the jackknife, which leaves out one unit after another.

        Units of a kind leave the same behind. Of a kind with less than one unit, after cross-validation, there is
        only that to leave out, and its effect is extrapolated to a whole one.
        """
        total, complete = self.tables.ravel(), float(statistic(self.tables))
        second = third = 0.0
        for units, columns in self.parts:
            effects = np.empty(units.n_patterns)
            for kinds in slices_of(units.n_patterns, total.size):
                rows, share = units.rows[kinds], units.weights[kinds].clip(None, 1.0)
                dense = rows.toarray() if hasattr(rows, "toarray") else rows
                flat = np.tile(total, (len(share), 1))
                # Rounding must not leave less than nothing.
                flat[:, columns] = np.maximum(flat[:, columns] - share[:, None] * dense, 0.0)
                effects[kinds] = (complete - statistic(flat.reshape(-1, *self.tables.shape))) / share
            effects -= units.weights @ effects / units.size
            second += float(units.weights @ effects**2)
            third += float(units.weights @ effects**3)
        return third / (6.0 * second**1.5) if second > 0.0 else 0.0

    def _gradient(self, statistic: Statistic) -> FloatArray:
        """Return the slopes of the statistic in each cell; cells without counts matter to no unit."""
        total = self.tables.ravel()
        slopes = np.zeros(total.size)
        counted = np.flatnonzero(total > 0.0)
        for part in slices_of(len(counted), len(_STENCIL) * total.size):
            cells = counted[part]
            moved = np.tile(total, (len(cells), len(_STENCIL), 1))
            moved[np.arange(len(cells)), :, cells] *= 1.0 + _STEP * _STENCIL
            scores = statistic(moved.reshape(-1, len(_STENCIL), *self.tables.shape))
            slopes[cells] = scores @ _SLOPE / (_STEP * total[cells])
        return slopes
