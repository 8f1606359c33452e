"""A statistic of sampled units: its variance by the delta method, the bootstrap and the jackknife."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of, slices_of
from bayesf1.sampling.draws import ManyUnits
from bayesf1.units import Units

# A number of tables (..., model, cell), such as one model's score or the difference of two.
Statistic: TypeAlias = Callable[[FloatArray], FloatArray]

# Fourth-order central differences, relative to a cell.
_STEP = 2e-3
_STENCIL = np.array([-2.0, -1.0, 1.0, 2.0])
_SLOPE = np.array([1.0, -8.0, 8.0, -1.0]) / 12.0


def resampled_times(weights: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each pattern comes where all units are drawn again, with replacement, axes (draw, pattern)."""
    size = max(1, round(float(weights.sum())))
    if size > 8 * len(weights) or (weights != np.rint(weights)).any():
        return rng.multinomial(size, weights / weights.sum(), size=n).astype(np.float64)
    # Of units that hardly any two are alike, naming them is many times faster than a binomial variate for each pattern.
    kind = np.repeat(np.arange(len(weights)), weights.astype(np.intp))
    times = (np.bincount(kind[rng.integers(size, size=size)], minlength=len(weights)) for _ in range(n))
    return np.array([*times], float)


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

    def of_sums(self, columns: FloatArray) -> Samples:
        """Return the same units by what they add to sums of cells, axes (model, cell, sum), instead of to each cell."""
        n_cells, width = columns.shape[1:]
        parts = []
        for units, place in self.parts:
            first, last = place.start // n_cells, place.stop // n_cells
            sums = [units.sums(columns[first:last, :, i]) for i in range(width)]
            kept = replace(units, rows=np.stack(sums, axis=-1).reshape(units.n_patterns, -1))
            parts.append(Sample(kept, slice(first * width, last * width)))
        return Samples(tuple(parts), np.einsum("mc,mcs->ms", self.tables, columns))

    def variance(self, statistic: Statistic) -> float:
        r"""Return the delta method's variance :math:`\sum_u w_u (\nabla g(T)\cdot(x_u-\bar x))^2`.

        Units are sentences or documents where that is what was sampled, and the models may share them: the same
        sum is then the variance of a difference, or one that holds for clusters.
        """
        slopes, total = self.gradient(statistic), 0.0
        for units, columns in self.parts:
            # What one more unit of each kind would change, to first order.
            change = np.asarray(units.rows @ slopes[columns])
            total += float(units.weights @ (change - units.weights @ change / units.size) ** 2)
        return total

    def resampled(self, statistic: Statistic, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        """Return the statistic of samples of units drawn with replacement, as many as there were.

        Only how often each pattern comes is drawn, which is multinomial: the cost depends on the number of
        patterns, not of units. Where weights are no whole numbers, after cross-validation, their rounded sum is
        drawn.
        """
        found = []
        for n in blocks_of(n_resamples, self.n_resampled + self.tables.size):
            flat = np.zeros((n, self.tables.size))
            for (units, columns), together in zip(self.parts, self.together, strict=True):
                weights, rows, drawn = units.weights, units.rows, max(1, round(units.size))
                if together is not None:
                    small = weights[~together.large].sum()
                    weights, rows = np.append(weights[together.large], small), rows[together.large]
                times = resampled_times(weights, n, rng) * (units.size / drawn)
                flat[:, columns] += times[:, : rows.shape[0]] @ rows
                if together is not None:
                    flat[:, columns] += together.draw(n, rng, times[:, -1:] / small)
            found.append(statistic(flat.reshape(n, *self.tables.shape)))
        return np.concatenate(found)

    @cached_property
    def together(self) -> list[ManyUnits | None]:
        """Units of each part that are drawn together."""
        return [ManyUnits.of(units.rows, units.weights, resampled=True) for units, _ in self.parts]

    @property
    def n_resampled(self) -> int:
        """Number of variates of one resample; binomial ones, of patterns of many units, take ten times as long."""
        found = 0
        for (units, _), many in zip(self.parts, self.together, strict=True):
            n = units.n_patterns if many is None else int(many.large.sum())
            found += 10 * n if units.size > 8 * units.n_patterns else n
        return found

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

    def gradient(self, statistic: Statistic) -> FloatArray:
        """Return the slopes of the statistic in each cell of all models' tables; cells without counts matter to no unit."""
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
