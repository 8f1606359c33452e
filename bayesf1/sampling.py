"""What was sampled: items, clusters, runs or folds, shared by the models or not; draws of scores."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from scipy import special

from bayesf1.base.arrays import BoolArray, FloatArray, blocks_of, slices_of
from bayesf1.base.naming import check_known, joined, plural
from bayesf1.designs import BlockedCV, KFoldCV
from bayesf1.distributions.random_effects import (
    DIFFICULTY,
    SCALE,
    RandomEffects,
    Spread,
    robust_covariance,
    spread_of,
    spread_ratio,
    within,
)
from bayesf1.distributions.student_t import StudentT
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import Metric
from bayesf1.task import plain_scores
from bayesf1.units import MANY, Assumption, Folds, Units

if TYPE_CHECKING:
    from bayesf1.inference.control_variate import LinearControl


class EffectiveSample(NamedTuple):
    """The effective sample size of uneven units.

    Attributes
    ----------
    units
        The effective number of units: how many of equal size would say as much.
    seen
        The share of the variance between units that a bootstrap over them sees.
    """

    units: float
    seen: float

    @property
    def freedom(self) -> float:
        """Degrees of freedom; of a single unit nothing is known but itself."""
        return max(self.units - 1.0, 1.0)

    def inflation(self, centre: FloatArray) -> SmallSampleInflation:
        """Return how draws are moved away from the plain scores."""
        return SmallSampleInflation(centre, self.freedom, max(self.seen, 1e-6))


def effective_sample_of(units: Units, denominator_weights: FloatArray) -> EffectiveSample:
    """Return the effective sample size of units for a metric.

    Parameters
    ----------
    units
        The units.
    denominator_weights
        What one of each cell adds to a metric's denominator, axes (model, cell).

    Examples
    --------
    One long unit among forty short ones:

    >>> units = Units(np.array([[3.0], [900.0]]), np.array([40.0, 1.0]), "document")
    >>> [round(value, 3) for value in effective_sample_of(units, np.ones((1, 1)))]
    [1.284, 0.015]
    """
    added = units.sums(denominator_weights)
    wholes = units.weights @ added
    some = wholes > 0.0
    if not some.any():
        return EffectiveSample(units.size, 1.0)
    each = added[:, some] @ (1.0 / (some.sum() * wholes[some]))
    second, third = (float(units.weights @ each**power) for power in (2, 3))
    return EffectiveSample(1.0 / second, 1.0 - 2.0 * third / second + second)


@dataclass(frozen=True)
class SmallSampleInflation:
    r"""Draws D moved away from the plain score d: :math:`d + (D - d)\sqrt{\nu/(s\chi^2_\nu)}`.

    Attributes
    ----------
    centre
        The plain scores of the models.
    freedom
        The degrees of freedom ν, infinite where nothing is stretched.
    seen
        The share s of the variance that draws have.
    long_units, pull
        How many long units there are, and how far the scores on them, relative to the mean of the models, are from those on
        all, if the models' differences may go with the sizes of units. A Cauchy number g of them more or fewer, one more at
        the median as a sample rarely has the longest, moves a draw by :math:`2.5g/(n + |g|)` of that: not to the scores on
        them, but further, as units not seen may be longer.
    """

    centre: FloatArray
    freedom: float = np.inf
    seen: float = 1.0
    long_units: float = 1.0
    pull: FloatArray | None = None

    @property
    def widening(self) -> float:
        """How much longer a standard deviation is than that of the draws."""
        return float(self.seen**-0.5)

    def __call__(self, scores: FloatArray, factors: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Stretch draws of scores, axes (draw, model); all models of a draw alike, so that differences are, too."""
        if self.freedom == np.inf and self.seen == 1.0:
            return scores
        moved = np.asarray(self.centre + (scores - self.centre) * factors[:, None])
        if self.pull is None:
            return moved
        more = 1.0 + rng.standard_cauchy((len(scores), 1))
        return moved + 2.5 * more / (self.long_units + np.abs(more)) * self.pull

    def factors(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw by how much draws are moved away from the plain scores."""
        if not np.isfinite(self.freedom):
            return np.full(n, self.widening)
        half = 0.5 * self.freedom
        factors = np.sqrt(half / rng.standard_gamma(half, size=n).clip(1e-300))
        if self.freedom <= 1.0:
            factors *= rng.choice((-1.0, 1.0), size=n)
        return np.asarray(self.widening * factors)

    def quadrature(self) -> list[tuple[float, float]]:
        """Return nodes and weights of the distribution of the factors, for an expectation without draws."""
        if not np.isfinite(self.freedom):
            return [(self.widening, 1.0)]
        nodes, weights = np.polynomial.legendre.leggauss(8 if self.freedom > 100.0 else 24)
        half = 0.5 * self.freedom
        factors = self.widening * np.sqrt(half / special.gammaincinv(half, 0.5 * (nodes + 1.0)))
        return list(zip(factors.tolist(), (0.5 * weights).tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class RunVariance:
    """What is known of how much runs of each method differ.

    Attributes
    ----------
    spreads
        The standard deviation τ of runs' true scores around their method's, for each method.
    runs
        How many runs each method has.
    """

    spreads: tuple[Spread, ...]
    runs: FloatArray

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw what training adds to the methods' scores, axes (draw, method)."""
        tau = np.stack([spread.draw(n, rng) for spread in self.spreads], axis=1)
        return np.asarray(tau * rng.standard_normal(tau.shape) / np.sqrt(self.runs))

    @property
    def medians(self) -> FloatArray:
        """The posterior median of each method's τ; its square may have no mean."""
        return np.array([float(spread.quantile(0.5)) for spread in self.spreads])


def variance_apart(drawn: FloatArray) -> float:
    """Return the variance that units alone give to a run's score around the mean of its method's runs.

    Parameters
    ----------
    drawn
        Draws of the scores of a method's runs, axes (draw, run).

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(0.0, 0.1, (50_000, 4))
    >>> shared = np.random.default_rng(2).normal(0.0, 1.0, (50_000, 1))
    >>> round(variance_apart(noise + shared), 4)
    0.01
    """
    runs = drawn.shape[1]
    apart = drawn - drawn.mean(axis=1, keepdims=True)
    return float(apart.var(axis=0).sum()) / (runs - 1) if runs > 1 else 0.0


# Degrees of freedom of the half-t prior of τ, which is half-Cauchy: methods may vary much more than others.
_RUN_TAILS = 1.0


def run_variance_of(
    metric: Metric, observed: FloatArray, drawn: FloatArray | None, groups: Sequence[Sequence[int]]
) -> RunVariance:
    r"""Return how much training adds to each method's score, from the scores of its runs.

    With :math:`f_r` the observed scores, :math:`\bar f` their mean and v the variance that drawing units alone gives to
    :math:`f_r - \bar f`, times R/(R-1), :math:`\sum (f_r - \bar f)^2 / (\tau^2 + v)` has R - 1 degrees of freedom. It is
    the runs' average v that counts: the covariance of the contrasts has its leading direction along the runs' own spread,
    and would explain it away. Each method has its own τ, as a steady one says nothing of a volatile one.

    Parameters
    ----------
    metric
        The metric, whose range is the scale of what is believed of τ beforehand.
    observed
        The plain scores of the runs.
    drawn
        Posterior draws of them, axes (draw, run), as units alone make them vary; None where it is not known what units
        the runs share, and the whole spread is taken for that of training.
    groups
        The runs of each method, two at least.

    Examples
    --------
    >>> from bayesf1.metrics import find_metric
    >>> scores = np.array([0.80, 0.82, 0.78, 0.84, 0.92, 0.85])
    >>> run_variance_of(find_metric("f1"), scores, None, [[0, 1, 2], [3, 4, 5]]).medians.round(3).tolist()
    [0.027, 0.05]
    """
    squares = [float(np.square(observed[runs] - observed[runs].mean()).sum()) for runs in map(list, groups)]
    variances = [0.0 if drawn is None else variance_apart(drawn[:, list(runs)]) for runs in groups]
    low, high = metric.support
    # A metric without ends, as a loss, has no scale but that of its runs.
    freedom = sum(len(runs) - 1 for runs in groups)
    typical = np.sqrt(max(sum(squares) / freedom, *variances)) or 1.0
    scale = SCALE * (high - low) if np.isfinite(high - low) else float(typical)
    spreads = (
        spread_of(square, len(runs) - 1.0, variance, scale=scale, tails=_RUN_TAILS)
        for square, variance, runs in zip(squares, variances, groups, strict=True)
    )
    return RunVariance(tuple(spreads), np.array([float(len(runs)) for runs in groups]))


# A number of units, or of runs, below which they do not show well how much they vary.
FEW_UNITS = 10

# A number of tables (..., model, cell), such as one model's score or the difference of two.
Statistic: TypeAlias = Callable[[FloatArray], FloatArray]

# Of many patterns, units that have less than so much of the variance of any sum are drawn together, unless sums are many.
SMALL, _FEW_SUMS = 1e-3, 24
# A product with no more numbers than this on its right is cut into slices of so many draws.
_THIN, _SLICE = 1 << 10, 1 << 13
# Fourth-order central differences, relative to a cell.
_STEP = 2e-3
_STENCIL = np.array([-2.0, -1.0, 1.0, 2.0])
_SLOPE = np.array([1.0, -8.0, 8.0, -1.0]) / 12.0


def draw_patterns(
    rows: Any, weights: FloatArray, *, n_draws: int, numbers_each: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield blocks of draws of what all units add together, axes (draw, column)."""
    together = ManyUnits.of(rows, weights)
    if together is not None:
        rows, weights = rows[together.large], weights[together.large]
        numbers_each = 2 * MANY
    # Most kinds of sentences occur once, and exponential variates are drawn several times faster.
    once = weights == 1.0
    rows_once, rows_more, more = rows[once], rows[~once], weights[~once]
    n_once = int(once.sum())
    for n in blocks_of(n_draws, numbers_each):
        flat = _product(rng.standard_exponential((n, n_once)), rows_once)
        if len(more):
            flat += _product(rng.standard_gamma(more, size=(n, len(more))), rows_more)
        yield flat if together is None else flat + together.draw(n, rng)


@dataclass(frozen=True, eq=False)
class ManyUnits:
    r"""Sums over very many units, of which none counts for much: normal variates, bent to have the right skewness.

    In whitened coordinates :math:`x_i = z_i + \sum_{jk} \kappa_{ijk}(z_j z_k - \delta_{jk})/6` has the third cumulants
    :math:`\kappa` of the sums (Cornish & Fisher 1938). As no unit has more than a share s of the variance of any sum,
    fourth cumulants are below 6s, and probabilities differ by less than about s/7.

    Attributes
    ----------
    large
        Which patterns have units that count for more, and are left out.
    mean, root, bend
        Means of the sums, the factor (whitened, column) of their covariance, and :math:`\kappa/6`.
    """

    large: BoolArray
    mean: FloatArray
    root: FloatArray
    bend: FloatArray

    @classmethod
    def of(cls, rows: Any, weights: FloatArray, *, resampled: bool = False) -> ManyUnits | None:
        """Return the sums of units with gamma weights, or drawn with replacement; None if units are few or sums many."""
        if len(weights) <= MANY or not isinstance(rows, np.ndarray) or rows.shape[1] > _FEW_SUMS:
            return None
        roots = np.sqrt(weights)[:, None]
        small = np.square(np.linalg.qr(roots * rows)[0]).sum(axis=1) < SMALL * weights
        if np.count_nonzero(small) < MANY // 2:
            return None
        rows, roots, total = rows[small], roots[small], weights[small] @ rows[small]
        q, root = np.linalg.qr(roots * (rows - total / weights[small].sum() if resampled else rows))
        bend = np.zeros((root.shape[0], root.size))
        for part in slices_of(len(q), root.size):
            bend += (q[part] / roots[part]).T @ _pairs(q[part])
        # An exponential variate has a third cumulant of 2, and how often a unit is drawn again one of 1.
        return cls(~small, total, root, bend / (6.0 if resampled else 3.0))

    def draw(self, n: int, rng: np.random.Generator, share: Any = 1.0) -> FloatArray:
        """Draw the sums of a share of the units, axes (draw, column)."""
        z = rng.standard_normal((n, len(self.root)))
        bent = (_pairs(z) - np.eye(len(self.root)).ravel()) @ self.bend.T
        return np.asarray(share * self.mean + np.sqrt(share) * ((z + bent) @ self.root))


def _pairs(rows: FloatArray) -> FloatArray:
    """Return the products of all pairs of columns."""
    return (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)


def _product(drawn: FloatArray, rows: Any) -> FloatArray:
    """Return draws of weights times the rows of few patterns or many."""
    if not isinstance(rows, np.ndarray) or rows.size > _THIN:
        return np.asarray(drawn @ rows)
    # Cores that share so thin a product spend their time on waiting for each other.
    out = np.zeros((len(drawn), rows.shape[1]))
    for start in range(0, len(drawn) if rows.size else 0, _SLICE):
        np.matmul(drawn[start : start + _SLICE], rows, out=out[start : start + _SLICE])
    return out


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


# Draws from which it is learnt how much units alone make scores vary.
_FOLD_PILOT = 2000
# A scale below which contrasts do not differ but for rounding.
_NONE = 1e-12


@dataclass(frozen=True, eq=False)
class Contrasts:
    r"""A t distribution of several scores at once: :math:`t_\nu` around a centre, with scale matrix :math:`\sum_j c_j c_j^T`.

    Attributes
    ----------
    centre
        The mean scores, axes (model,).
    parts
        The contrasts :math:`c_j`, axes (contrast, model).
    freedom
        The degrees of freedom ν.
    """

    centre: FloatArray
    parts: FloatArray
    freedom: float

    @classmethod
    def of_halves(cls, scores: FloatArray) -> Contrasts:
        """Return the contrasts of the halves of an m×2 design, from scores (repeat, half, model).

        Examples
        --------
        >>> scores = np.array([[[0.80], [0.84]], [[0.83], [0.81]], [[0.80], [0.86]]])
        >>> Contrasts.of_halves(scores).distribution([1.0])
        StudentT(0.8233, 0.0216, df=3)
        """
        m = len(scores)
        return cls(scores.mean(axis=(0, 1)), 0.5 * (scores[:, 0] - scores[:, 1]) / math.sqrt(m), float(m))

    @classmethod
    def of_folds(cls, scores: FloatArray) -> Contrasts:
        r"""Return those of a K-fold design with J repeats, from scores (repeat, fold, model).

        The variance is :math:`(1/(JK) + 1/(K-1)) s^2` with JK - 1 degrees of freedom, Nadeau & Bengio (2003).
        """
        repeats, folds, _ = scores.shape
        flat = scores.reshape(repeats * folds, -1)
        centre, n = flat.mean(axis=0), len(flat)
        factor = math.sqrt((1.0 / n + 1.0 / (folds - 1)) / (n - 1))
        return cls(centre, factor * (flat - centre), n - 1.0)

    def scale(self, weights: Sequence[float] | FloatArray) -> float:
        """Return the scale of the distribution of a weighted sum of the scores."""
        return float(np.linalg.norm(self.parts @ np.asarray(weights, dtype=float)))

    def distribution(
        self, weights: Sequence[float] | FloatArray, support: tuple[float, float] = (-math.inf, math.inf)
    ) -> StudentT:
        """Return the distribution of a weighted sum of the scores, such as a difference."""
        location = float(self.centre @ np.asarray(weights, dtype=float))
        if abs(location) < _NONE:
            location = 0.0
        return StudentT(location, max(self.scale(weights), _NONE), self.freedom, support)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw scores, axes (draw, model)."""
        alike = np.abs(self.parts[:, :, None] - self.parts[:, None]).max(axis=0) < _NONE
        if (alike & (np.abs(self.centre[:, None] - self.centre) > _NONE)).any():
            raise ValueError(
                "two models differ equally in all folds, which do not show how much training varies; ask for target='models'"
            )
        normal = rng.standard_normal((n, len(self.parts))) @ self.parts
        half = 0.5 * self.freedom
        return np.asarray(self.centre + normal * np.sqrt(half / rng.standard_gamma(half, size=(n, 1))))


@dataclass(frozen=True, eq=False)
class TrainingVariance:
    """The models of a cross-validation as ways of training.

    Attributes
    ----------
    folds
        The folds, with what units add to them where that is to be used.
    cells
        The cells of their tables.
    """

    folds: Folds
    cells: tuple[str, ...]

    @property
    def mixed(self) -> bool:
        """Whether it is known what testing alone does, so that contrasts need only tell what training adds."""
        return isinstance(self.folds.cv, BlockedCV) and self.folds.units is not None

    def scores(self, metric: Metric) -> FloatArray:
        """Return the scores of the folds, axes (repeat, fold, model)."""
        return np.asarray(metric(self.folds.counts, self.cells))

    def plain(self, metric: Metric) -> FloatArray:
        """Return the means of the fold scores, axes (model,); NaN if that of a fold is undefined."""
        return np.asarray(plain_scores(metric, self.folds.counts, self.cells).mean(axis=(0, 1)))

    def contrasts(self, metric: Metric) -> Contrasts:
        """Return the t distribution that the fold scores alone give."""
        halved = isinstance(self.folds.cv, BlockedCV)
        return (Contrasts.of_halves if halved else Contrasts.of_folds)(self.scores(metric))

    def draw(
        self,
        metrics: Sequence[Metric],
        *,
        n_draws: int,
        rng: np.random.Generator,
        own: Sequence[np.random.Generator],
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield blocks of posterior draws of the scores, for each metric, with its own source of randomness."""
        if not self.mixed:
            known = [self.contrasts(metric) for metric in metrics]
            for n in blocks_of(n_draws, self.folds.counts[..., 0].size):
                yield tuple(one.draw(n, rng) for one, rng in zip(known, own, strict=True))
            return
        pilot = [np.concatenate(parts) for parts in zip(*self.tested(metrics, _FOLD_PILOT, rng), strict=True)]
        inflations = [self.inflation(metric) for metric in metrics]
        adding = [
            _Added.of(drawn * inflation.widening, self.contrasts(metric))
            for drawn, inflation, metric in zip(pilot, inflations, metrics, strict=True)
        ]
        for block in self.tested(metrics, n_draws, rng):
            yield tuple(
                inflation(scores, inflation.factors(len(scores), rng), rng) + added.draw(len(scores), rng)
                for scores, inflation, added, rng in zip(block, inflations, adding, own, strict=True)
            )

    def tested(
        self, metrics: Sequence[Metric], n_draws: int, rng: np.random.Generator
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield draws of the mean fold scores as a Bayesian bootstrap over units makes them vary."""
        units, shape = self.folds.units, self.folds.counts.shape
        assert units is not None
        units = units.seen
        size = units.n_patterns + self.folds.counts.size
        for flat in draw_patterns(units.rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
            tables = np.asarray(flat).reshape(-1, *shape)
            yield tuple(metric(tables, self.cells).mean(axis=(1, 2)) for metric in metrics)

    def inflation(self, metric: Metric) -> SmallSampleInflation:
        """Return how draws are moved away from the plain scores, as units are few or uneven."""
        units = self.folds.units
        assert units is not None
        weights = metric.denominator_weights(self.folds.counts.reshape(-1, len(self.cells)), self.cells)
        return effective_sample_of(units, weights).inflation(self.plain(metric))


@dataclass(frozen=True, eq=False)
class _Added:
    """What training adds to draws: as much on the models' common level, and on their differences, as contrasts say.

    It is shaped as what testing does, so that models which err alike are taken to be trained alike.
    """

    root: FloatArray
    level: Spread | None
    apart: Spread | None

    @classmethod
    def of(cls, drawn: FloatArray, known: Contrasts) -> _Added:
        centred = drawn - drawn.mean(axis=0)
        values, vectors = np.linalg.eigh(centred.T @ centred / len(centred))
        observed = _split(known.parts * math.sqrt(known.freedom))
        level, apart = map(_multiple, observed, _split(centred))
        return cls(vectors * np.sqrt(values.clip(0.0)), level, apart)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw what is added, axes (draw, model)."""
        shaped = rng.standard_normal((n, len(self.root))) @ self.root.T
        added = np.zeros(shaped.shape)
        for spread, part in zip((self.level, self.apart), _split(shaped), strict=True):
            if spread is not None:
                added += spread.draw(n, rng)[:, None] * part
        return added


def _split(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of the models' scores, and how each differs from it, both axes (..., model)."""
    level = np.broadcast_to(scores.mean(axis=-1, keepdims=True), scores.shape)
    return level, scores - level


def _multiple(contrasts: FloatArray, drawn: FloatArray) -> Spread | None:
    """Return by what multiple of testing's standard deviation training adds; None where testing does nothing."""
    variance = float(drawn.var(axis=0).sum())
    return spread_ratio(np.linalg.norm(contrasts, axis=1), variance) if variance > _NONE**2 else None


def _evident_correlations(
    sizes: FloatArray, scores: FloatArray, weights: FloatArray, evident: float
) -> FloatArray:
    """Return Spearman's correlations of sizes with the columns of scores, units counted by weights; 0 unless evident."""
    ranks = []
    # Sizes of means of generations are equal but for rounding.
    for values in (np.round(sizes / sizes.max(), 9), *scores.T):
        place = np.unique(values, return_inverse=True)[1]
        times = np.bincount(place, weights)
        rank = (np.cumsum(times) - 0.5 * times)[place]
        ranks.append(rank - weights @ rank / weights.sum())
    products = np.array(ranks) * weights @ np.array(ranks).T
    scale = np.sqrt(products[0, 0] * np.diagonal(products)[1:])
    found = np.divide(products[0, 1:], scale, out=np.zeros(len(scale)), where=scale > 0.0)
    freedom = weights.sum() - 2.0
    t = np.abs(found) * np.sqrt(freedom / np.maximum(1.0 - found**2, 1e-12))
    return np.where(2.0 * special.stdtr(freedom, -t) < evident, found, 0.0)


Target: TypeAlias = Literal["models", "method"]
ASSUMPTIONS = ("auto", "independent", "paired", "clustered")
TARGETS = ("auto", "models", "method")
# Draws from which it is learnt how much units alone make runs differ.
_PILOT = 1000
# Draws of each data set for its covariance, and the most draws of a random-effects model.
_CORPUS_PILOT, _MOST_EFFECTS = 4_000, 100_000
# Scores are printed with a tenth of a point, whose rounding has this standard deviation.
_ROUNDED = 3e-4
# Numbers in the covariances of all draws of a random-effects model that a second or two are enough for.
_EFFECTS = 20_000_000
# A p-value below which scores are said to go with the sizes of units; units to rank, at least, and patterns at most.
_EVIDENT, _RANKED, _MOST_PATTERNS = 0.1, 5, 50_000
# Intervals of n units are wider from a p-value below so many nths: few show little, and of many a false alarm costs more.
_SUSPECTED = 2.0
# Variates that a few seconds are enough for, and draws that are made in any case.
_AFFORDABLE, _FEWEST = 200_000_000, 2_000


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """What was taken as sampled, for a metric.

    Attributes
    ----------
    assumption
        ``"independent"`` tables, ``"paired"`` items or ``"clustered"`` units.
    target
        What a claim is about: these ``"models"``, or the ``"method"`` that trained them.
    unit, n_units, labelled
        What a shared unit is called, how many there are (0 if only totals are known), and how many have gold labels, in
        words, if not all have.
    effective_units, freedom
        How many even units would tell as much as the units of a bootstrap, and the degrees of freedom of its
        small-sample inflation; None without a bootstrap.
    runs
        The number of runs of each method.
    cv, discount, rule
        The cross-validation, the factor that its counts are discounted by, and the rule that gave it.
    training
        How folds tell of training: ``"contrasts"`` of halves, ``"corrected"`` t, or a ``"mixture"`` of contrasts with
        a bootstrap; "" if they do not.
    final
        Whether scores are final, and nothing is known of items.
    generations, repeated
        The least and the most generations that an item has, if units are their means, and what one is called.
    within
        What was sampled within each of several data sets, if these are the units.
    """

    assumption: Assumption
    target: Target
    unit: str
    n_units: float
    labelled: str = ""
    effective_units: float | None = None
    freedom: float | None = None
    runs: tuple[int, ...] = ()
    cv: BlockedCV | KFoldCV | None = None
    discount: float | None = None
    rule: str = ""
    training: str = ""
    final: bool = False
    generations: tuple[int, ...] = ()
    repeated: str = ""
    within: tuple[SamplingSettings, ...] = ()

    @property
    def hides_spread(self) -> bool:
        """Whether a score that is the same throughout tells nothing: few units may be alike by chance, and so may folds."""
        few = self.target == "models" and not self.training
        return self.training in ("contrasts", "corrected") or (
            few and (self.effective_units or FEW_UNITS) < FEW_UNITS
        )


@dataclass(frozen=True, eq=False)
class SamplingModel:
    """An evaluation at the level of units that an assumption speaks of.

    Attributes
    ----------
    ev
        The evaluation.
    assumption
        ``"independent"``, ``"paired"`` or ``"clustered"``.
    target
        ``"models"``, of which it speaks as they are, or ``"method"``, of which they are runs, or fitted in folds.
    prior
        λ of the Dirichlet(λ) on each model's cells.
    """

    ev: Evaluation
    assumption: Assumption
    target: Target
    prior: float

    @property
    def shared(self) -> bool:
        """Whether the models share one sample of units; otherwise each has its own."""
        return self.assumption != "independent"

    @property
    def single(self) -> bool:
        """Whether single items are the units, so that the closed forms of a table hold."""
        return self.assumption != "clustered"

    @cached_property
    def samples(self) -> Samples:
        """The sample of units, one that the models share or one for each model.

        Where only totals are known every count of a model is a unit.
        """
        ev = self.ev
        width, n = len(ev.cells), len(ev.models)
        if self.shared:
            assert ev.units is not None
            return Samples((Sample(ev.units.seen, slice(0, width * n)),), ev.tables)
        base, alone = ev.item_units or ev.units, []
        for i in range(n):
            one = Units(np.eye(width), ev.tables[i], "item") if base is None else base.select([i], n)
            if not one.shared:
                # What only other models did adds nothing here.
                some = np.asarray(one.rows @ np.ones(width)) > 0.0
                one = Units(one.rows[some], one.weights[some], one.name)
            alone.append(Sample(one.seen, slice(i * width, (i + 1) * width)))
        return Samples(tuple(alone), ev.tables)

    def draw(self, *, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield blocks of posterior draws of all models' tables, axes (draw, model, cell).

        Weights of patterns are gamma variates and tables are weighted sums of patterns, so that models are
        dependent as they were on the units; a table's scale is free, as every metric is a ratio.

        Parameters
        ----------
        n_draws
            How many draws in all; memory does not grow with it.
        rng
            The source of randomness.
        """
        return self.ev.task.draw(self, n_draws=n_draws, rng=rng)

    def scores(
        self, metrics: Sequence[Metric], *, n_draws: int, rng: np.random.Generator
    ) -> list[FloatArray]:
        """Return posterior draws of the scores of what is compared, for each metric an array (draw, name)."""
        blocks = self.score_blocks(metrics, n_draws=n_draws, rng=rng)
        return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]

    def score_blocks(
        self,
        metrics: Sequence[Metric],
        *,
        n_draws: int,
        rng: np.random.Generator,
        controls: Sequence[LinearControl | None] = (),
    ) -> Iterator[tuple[Any, ...]]:
        """Yield blocks of posterior draws of the scores of what is compared, for each metric an array (draw, name).

        If units are bootstrapped, draws are inflated by what so few or uneven ones do not know; a score may then lie
        outside of a metric's support, as the end of a t interval does. A method's score is the mean of its runs' scores,
        and if the target is the method what training adds is drawn, too. What is drawn of a metric does not depend on
        which others are asked for.

        Parameters
        ----------
        metrics
            The metrics.
        n_draws, rng
            As in `draw`.
        controls
            Control variates of the metrics, or none; for each, its draws (inflated as those of the metric, axes (draw, 2)),
            or None, stand behind those of all metrics.
        """
        seed = int(rng.integers(1 << 63))
        own = [np.random.default_rng((seed, zlib.crc32(metric.name.encode()))) for metric in metrics]
        rng = np.random.default_rng(seed)
        if self.ev.corpora is not None:
            # What is drawn of a metric does not depend on others here, either.
            found = [self.effects(m, r).draw(n_draws, r).average for m, r in zip(metrics, own, strict=True)]
            yield (*(within(scores, m.support) for scores, m in zip(found, metrics, strict=True)), *controls)
            return
        if self.training_variance is not None:
            for block in self.training_variance.draw(metrics, n_draws=n_draws, rng=rng, own=own):
                yield (*block, *controls)
            return
        inflations = [self.inflation(metric) for metric in metrics]
        training: list[RunVariance | None] = [None] * len(metrics)
        if self.target == "method":
            training[:] = self.training(metrics, rng=np.random.default_rng((seed, 0)))
        # Controls are asked as metrics are, of tables and cells.
        functions = [*metrics, *(cast("Metric", control) for control in controls if control is not None)]
        for drawn in self.ev.task.draw_scores(self, functions, n_draws=n_draws, rng=rng):
            rest = iter(drawn[len(metrics) :])
            controlled = [None if control is None else next(rest) for control in controls]
            scores = []
            for i, (metric_rng, inflation) in enumerate(zip(own, inflations, strict=True)):
                factors = inflation.factors(len(drawn[i]), metric_rng)
                moved = inflation(drawn[i], factors, metric_rng)
                scores.append(self.of_methods(moved, inflation.centre, training[i], metric_rng))
                if controls and (control := controlled[i]) is not None:
                    control[:, 0] *= factors
            yield (*scores, *controlled)

    def n_draws(self, metrics: Sequence[Metric], most: int = 100_000, fewest: int = _FEWEST) -> int:
        """Return how many draws are made if no number was asked for: what a second allows."""
        ev = self.ev
        if ev.corpora is not None:
            return int(
                np.clip(
                    _EFFECTS // (len(ev.corpora.names) * len(ev.models) ** 2),
                    min(fewest, most),
                    min(most, _MOST_EFFECTS),
                )
            )
        units = self.training_variance.folds.units if self.training_variance is not None else ev.units
        if units is None or not self.shared:
            return most
        # A product of matrices takes a column of a table several times faster than a variate is drawn, and of a sparse
        # one only the entries that it has.
        entries = getattr(units.rows, "nnz", units.n_patterns * (ev.tables.size // 8))
        cost = units.n_patterns + entries + ev.tables.size
        many = ev.task.many_cells
        if many and any(
            metric.ratio(ev.cells) is None and not (units.many and metric.expand) for metric in metrics
        ):
            cost *= 3
        else:
            # Most of very many units are drawn together; shares of the variance add up to the number of sums.
            sums = 2 * len(ev.models) if many else ev.tables.size
            together = sums <= min(_FEW_SUMS, 0.5 * SMALL * units.n_patterns)
            cost = min(cost, MANY) if together else cost
        return int(np.clip(_AFFORDABLE // cost, min(fewest, most), most))

    def plain(self, metric: Metric) -> FloatArray:
        """Return the plain scores of what is compared: of the tables, or the means of the runs' or folds' scores."""
        if self.training_variance is not None:
            return self.training_variance.plain(metric)
        return self.ev.mean_scores(self.ev.scores(metric))

    # ---- several data sets --------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[SamplingModel, ...]:
        """What was sampled within each of several data sets."""
        assert self.ev.corpora is not None
        return tuple(sampling_model(part) for part in self.ev.corpora.parts)

    def effects(self, metric: Metric, rng: np.random.Generator) -> RandomEffects:
        """Return the random-effects model of the scores on several data sets, each with its own covariance."""
        centres, covariances = [], []
        pooled = _pooled_variances([part.ev for part in self.parts], metric)
        for part in self.parts:
            own = part.ev.task.metric(metric.name, part.ev.tables)
            if pooled is not None:
                runs = np.array([len(method.runs) for method in part.ev.methods], dtype=float)
                centres.append(part.plain(own))
                covariances.append(np.diag(pooled / runs))
                continue
            (drawn,) = part.scores([own], n_draws=_CORPUS_PILOT, rng=rng)
            centres.append(np.median(drawn, axis=0))
            covariances.append(robust_covariance(drawn))
        unit = max(1.0, float(np.abs(centres).max()))
        covariances = np.stack(covariances) + np.square(_ROUNDED * unit) * np.eye(len(centres[0]))
        return RandomEffects(np.stack(centres), covariances, unit * SCALE, unit * DIFFICULTY, 1.0)

    # ---- runs of a method, or folds -----------------------------------------------------------------------------

    @cached_property
    def training_variance(self) -> TrainingVariance | None:
        """The models as ways of training, where folds tell of them and the target is the method."""
        if self.target != "method" or self.ev.folds is None:
            return None
        folds = self.ev.folds if self.shared else self.ev.folds.tables_only
        return TrainingVariance(folds, self.ev.cells)

    def training(self, metrics: Sequence[Metric], *, rng: np.random.Generator) -> list[RunVariance]:
        """Return how much training adds to the doubt about the methods, for each metric."""
        ev = self.ev
        groups = [[ev.models.index(run) for run in method.runs] for method in ev.methods]
        drawn: list[FloatArray | None] = [None] * len(metrics)
        if self.shared:
            blocks = ev.task.draw_scores(self, metrics, n_draws=_PILOT, rng=rng)
            parts = zip(metrics, zip(*blocks, strict=True), strict=True)
            drawn = [self.inflation(m).widening * np.concatenate(scores) for m, scores in parts]
        return [
            run_variance_of(metric, metric(ev.tables, ev.cells), scores, groups)
            for metric, scores in zip(metrics, drawn, strict=True)
        ]

    def of_methods(
        self, scores: FloatArray, centre: FloatArray, training: RunVariance | None, rng: np.random.Generator
    ) -> FloatArray:
        """Return draws of the models' scores, axes (draw, model), as those of what is compared."""
        if not self.ev.methods:
            return scores
        means = self.ev.mean_scores(scores)
        if not self.shared:
            # Totals cannot show that runs did not share all their units, and then their mean varies as one of them.
            middle = self.ev.mean_scores(centre)
            runs = np.array([len(method.runs) for method in self.ev.methods])
            means = middle + (means - middle) * np.sqrt(runs)
        return means if training is None else means + training.draw(len(means), rng)

    # ---- few or uneven units --------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether the scores that are compared may have a distribution in closed form."""
        ev = self.ev
        return not (
            self.bootstraps or ev.methods or ev.corpora is not None or self.training_variance is not None
        )

    @property
    def bootstraps(self) -> bool:
        """Whether units are drawn by a bootstrap, which knows of no unit but those that were seen."""
        return not self.single or self.ev.task.bootstraps_items

    @cached_property
    def _effective_samples(self) -> dict[str, EffectiveSample]:
        return {}

    def effective_sample(self, metric: Metric) -> EffectiveSample:
        """Return the effective sample for a metric; in cross-validation each unit is counted once."""
        if metric.name in self._effective_samples:
            return self._effective_samples[metric.name]
        weights, folds = metric.denominator_weights(self.ev.tables, self.ev.cells), self.ev.folds
        found, width = [], weights.shape[1]
        for units, columns in self.samples.parts:
            if folds is not None:
                units = units.scale(1.0 / (folds.k * folds.cv.shape[0]))
            found.append(effective_sample_of(units, weights[columns.start // width : columns.stop // width]))
        return self._effective_samples.setdefault(metric.name, min(found))

    def size_correlations(self, metric: Metric, evident: float = _EVIDENT) -> FloatArray:
        """Return Spearman's correlations of units' sizes with each model's score relative to the mean of the models.

        They are 0 unless their p-values are below `evident`. A few long units then decide, and the sample may have more
        or fewer of them than others would, of which no bootstrap knows.
        """
        rows, sizes, weights = self._sized(metric)
        if weights.sum() < _RANKED or len(weights) > _MOST_PATTERNS:
            return np.zeros(len(self.ev.models))
        return _evident_correlations(sizes, _split(metric(rows, self.ev.cells))[1], weights, evident)

    def _sized(self, metric: Metric) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return rows (pattern, model, cell) of clusters that count for a metric, their sizes and weights."""
        ev, units = self.ev, self.ev.units
        if self.assumption != "clustered" or units is None or ev.task.many_cells or ev.methods:
            return ev.tables[None], np.zeros(1), np.zeros(1)
        sizes = np.asarray(units.rows @ metric.denominator_weights(ev.tables, ev.cells).ravel())
        some = sizes > 0.0
        return units.rows[some].reshape(-1, *ev.tables.shape), sizes[some], units.weights[some]

    def inflation(self, metric: Metric) -> SmallSampleInflation:
        """Return how draws of a metric are moved away from the plain scores."""
        centre = metric(self.ev.tables, self.ev.cells)
        if not self.bootstraps:
            return SmallSampleInflation(centre)
        inflation = self.effective_sample(metric).inflation(centre)
        rows, sizes, weights = self._sized(metric)
        found = self.size_correlations(metric, _SUSPECTED / max(weights.sum(), 1.0))
        if not found.any():
            return inflation
        first, second, third = (weights @ sizes**power for power in (1, 2, 3))
        long = np.tensordot(weights * sizes**2 / second, rows, 1)
        pull = np.where(found, _split(metric(long, self.ev.cells) - centre)[1], 0.0)
        return replace(inflation, long_units=float(first * second / third), pull=pull)

    @property
    def n_units(self) -> float:
        """Number of units, each counted once however often a cross-validation repeats it; 0 where unknown."""
        units, folds = self.ev.units, self.ev.folds
        if self.ev.corpora is not None:
            return float(len(self.ev.corpora.names))
        if units is None or not units.shared:
            return 0.0
        return units.size / (folds.k * folds.cv.shape[0] if folds is not None else 1.0)

    def settings(self, metric: Metric) -> SamplingSettings:
        """Return what was taken as sampled, as plain values."""
        ev, folds, trained, training = self.ev, self.ev.folds, self.training_variance, ""
        sample = self.effective_sample(metric) if self.bootstraps else None
        if trained is not None:
            halves = isinstance(trained.folds.cv, BlockedCV)
            training = "corrected" if not halves else "mixture" if trained.mixed else "contrasts"
        return SamplingSettings(
            assumption=self.assumption,
            target=self.target,
            unit=ev.unit,
            n_units=self.n_units,
            labelled=ev.labelled if self.n_units else "",
            effective_units=sample and sample.units,
            freedom=sample and sample.freedom,
            runs=tuple(len(method.runs) for method in ev.methods),
            cv=None if folds is None else folds.cv,
            discount=None if folds is None else folds.k,
            rule="" if folds is None else folds.rule if isinstance(folds.rule, str) else "given",
            training=training,
            final=ev.task.final,
            generations=() if ev.generations is None else (ev.generations.least, ev.generations.most),
            repeated="" if ev.generations is None else ev.generations.noun,
            within=() if ev.corpora is None else tuple(part.settings(metric) for part in self.parts),
        )


def sampling_model(
    ev: Evaluation, assumption: str = "auto", target: str = "auto", prior: float | None = None
) -> SamplingModel:
    """Return an evaluation under an assumption, and for a target, or say why the data do not support it."""
    check_known(assumption, "assumption", ASSUMPTIONS)
    target, weight = check_target(ev, target), ev.check_prior(prior)
    if assumption not in ("auto", ev.assumption) and (ev.task.final or ev.corpora is not None):
        raise ValueError(
            f"assumption={assumption!r} is about items, of which final scores know nothing; leave it out"
        )
    if ev.task.final or ev.corpora is not None:
        return SamplingModel(ev, ev.assumption, target, weight)
    if assumption in ("auto", "independent"):
        return SamplingModel(ev, ev.assumption if assumption == "auto" else "independent", target, weight)
    if ev.units is None or not ev.units.shared:
        raise ValueError(
            f"{assumption!r} needs the counts of each unit, but only totals are known; build the "
            "evaluation from predictions (from_labels, from_tags, from_frame) or ask for 'independent'"
        )
    if assumption == "clustered":
        if ev.units.single:
            raise ValueError(
                "'clustered' needs units of several items, but here every item is its own unit; "
                "give groups= when building the evaluation"
            )
        return SamplingModel(ev, "clustered", target, weight)
    items = ev if ev.units.single else ev.items
    if items is None:
        raise ValueError(
            f"'paired' needs single items, but only the sums over each {ev.unit} are known; ask for 'clustered'"
        )
    return SamplingModel(items, "paired", target, weight)


def _pooled_variances(parts: Sequence[Evaluation], metric: Metric) -> FloatArray | None:
    """Return how much final scores of runs vary in each method, over all data sets; None if scores are no runs' final ones.

    Of a few runs on each data set the variance of each by itself would be as good as unknown.
    """
    if not all(part.task.final and part.methods for part in parts):
        return None
    squares, freedom = np.zeros(len(parts[0].names)), np.zeros(len(parts[0].names))
    for part in parts:
        scores = part.scores(part.task.metric(metric.name, part.tables))
        for i, method in enumerate(part.methods):
            own = scores[[part.models.index(run) for run in method.runs]]
            squares[i] += float(np.square(own - own.mean()).sum())
            freedom[i] += len(own) - 1.0
    return np.asarray(squares / np.maximum(freedom, 1.0))


def check_target(ev: Evaluation, target: str) -> Target:
    """Return what a conclusion is to speak of, or say why the data do not tell."""
    check_known(target, "target", TARGETS)
    if ev.corpora is not None and target == "method":
        raise ValueError(f"target= is of one test set, but there are several {plural(ev.unit)}; leave it out")
    if ev.task.final and ev.corpora is None:
        if target == "models":
            raise ValueError(
                "target='models' takes what models did on items, of which final scores know nothing; leave it out"
            )
        target = "method" if ev.methods or ev.folds is not None else "auto"
    if target == "method" and not ev.methods and ev.folds is None:
        raise ValueError(
            "target='method' needs a method that was trained several times; give runs, as {'bert': {'seed1': …, "
            "'seed2': …}} or with ev.with_runs, or a cross-validation"
        )
    once = [method.name for method in ev.methods if len(method.runs) == 1]
    if target == "method" and once:
        raise ValueError(
            f"one run of {joined(once)} does not show how much training varies; give more runs, or ask for target='models'"
        )
    if target == "auto":
        return "method" if ev.methods and not once else "models"
    return "method" if target == "method" else "models"
