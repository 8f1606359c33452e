"""Units as a sample: what each adds to the models' tables, how a score hangs on them, and drawing them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of, slices_of
from bayesf1.base.cores import in_blocks
from bayesf1.evaluation.units import Units

# A number of tables (..., model, cell), such as one model's score or the difference of two.
Statistic: TypeAlias = Callable[[FloatArray], FloatArray]

# Numbers that take a core a second or so; whether more cores help is no matter of how many there are.
_LONG = 1 << 27
# As many exponential variates cost less than one gamma variate.
_FEW = 4
# A product with no more numbers than this on its right is cut into slices of so many draws.
_THIN, _SLICE = 1 << 10, 1 << 13
# From so many patterns on it matters how they are drawn again.
_MANY_PATTERNS = 1000
# Fourth-order central differences, relative to a cell.
_STEP = 2e-3
_STENCIL = np.array([-2.0, -1.0, 1.0, 2.0])
_SLOPE = np.array([1.0, -8.0, 8.0, -1.0]) / 12.0


def draw_patterns(
    rows: Any, weights: FloatArray, *, n_draws: int, numbers_each: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield blocks of draws of what all units add together, axes (draw, column); all cores draw."""
    # Most kinds of sentences occur once, and exponential variates are drawn several times faster.
    once = weights == 1.0
    rows_once, rows_more, more = rows[once], rows[~once], weights[~once]
    n_once = int(once.sum())
    if isinstance(rows, np.ndarray):

        def draw(n: int, rng: np.random.Generator) -> FloatArray:
            flat = _product(rng.standard_exponential((n, n_once)), rows_once)
            if len(more):
                flat += _product(rng.standard_gamma(more, size=(n, len(more))), rows_more)
            return flat
    else:
        # Where they are many, a few units of one kind are drawn one by one, too.
        most = _FEW if n_draws * numbers_each > _LONG else 1.0
        few = (weights <= most) & (weights >= 1.0) & (weights == np.rint(weights))
        named = np.repeat(np.flatnonzero(few), weights[few].astype(np.intp))
        rows_once, rows_more, more, n_once = rows[named], rows[~few], weights[~few], len(named)
        # From the left, where a product of a sparse array needs no copy of what is drawn.
        columns_once, columns_more = rows_once.T.tocsr(), rows_more.T.tocsr()

        def draw(n: int, rng: np.random.Generator) -> FloatArray:
            flat = columns_once @ rng.standard_exponential((n, n_once)).T
            if len(more):
                flat += columns_more @ rng.standard_gamma(more, size=(n, len(more))).T
            return np.ascontiguousarray(flat.T)

    return _on_cores(draw, n_draws, numbers_each, rng)


def _product(drawn: FloatArray, rows: FloatArray) -> FloatArray:
    """Return draws of weights times the rows of few patterns or many."""
    if rows.size > _THIN:
        return np.asarray(drawn @ rows)
    # Cores that share so thin a product spend their time on waiting for each other.
    out = np.zeros((len(drawn), rows.shape[1]))
    for start in range(0, len(drawn) if rows.size else 0, _SLICE):
        np.matmul(drawn[start : start + _SLICE], rows, out=out[start : start + _SLICE])
    return out


def _on_cores(
    draw: Callable[[int, np.random.Generator], FloatArray],
    n_draws: int,
    numbers_each: int,
    rng: np.random.Generator,
) -> Iterator[FloatArray]:
    """Yield blocks of draws, on all cores where one would take seconds."""
    blocks = blocks_of(n_draws, numbers_each)
    if n_draws * numbers_each > _LONG:
        return in_blocks(draw, blocks, rng)
    return (draw(n, rng) for n in blocks)


def draw_weights(weights: FloatArray, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Return draws of the weights of patterns, of which there are `weights` units, axes (draw, pattern)."""
    # Most items occur once, as above.
    if (weights == 1.0).all():
        return rng.standard_exponential((n_draws, len(weights)))
    return rng.standard_gamma(weights, size=(n_draws, len(weights)))


def resampled_times(weights: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each pattern comes where all units are drawn again, with replacement, axes (draw, pattern)."""
    size, k = max(1, round(float(weights.sum()))), len(weights)
    if k < _MANY_PATTERNS or size > 4 * k or (weights != np.rint(weights)).any():
        return rng.multinomial(size, weights / weights.sum(), size=n).astype(np.float64)
    # Of units that nearly all differ, naming them is many times faster than a binomial variate for each pattern.
    pattern = np.repeat(np.arange(k), weights.astype(np.intp))
    times = np.empty((n, k))
    for row in times:
        row[:] = np.bincount(pattern[rng.integers(size, size=size)], minlength=k)
    return times


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
        slopes = self.gradient(statistic)
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

        def draw(n: int, rng: np.random.Generator) -> FloatArray:
            flat = np.zeros((n, self.tables.size))
            for units, columns in self.parts:
                drawn = max(1, round(units.size))
                flat[:, columns] += resampled_times(units.weights, n, rng) * (units.size / drawn) @ units.rows
            return flat.reshape(n, *self.tables.shape)

        drawn = _on_cores(draw, n_resamples, numbers, rng)
        return np.concatenate([statistic(tables) for tables in drawn])

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
