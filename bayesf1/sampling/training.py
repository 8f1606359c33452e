"""How much training adds to the uncertainty about a method, estimated from its runs or from folds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.designs import BlockedCV
from bayesf1.distributions.random_effects import SCALE, Spread, spread_of, spread_ratio
from bayesf1.distributions.student_t import StudentT
from bayesf1.metrics import Metric
from bayesf1.sampling.draws import draw_patterns, join_blocks
from bayesf1.sampling.inflation import SmallSampleInflation, effective_sample_of
from bayesf1.task import plain_scores
from bayesf1.units import Folds

# Degrees of freedom of the half-t prior of τ. One makes it half-Cauchy, as some methods vary much more than others.
_RUN_TAILS = 1.0
# The number of draws that show how much scores vary between samples of units alone.
_PILOT = 2000
# Contrasts and scales below this are 0 apart from rounding.
_ROUNDING = 1e-12


# ---- runs ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RunVariance:
    """How much the runs of each method differ.

    Attributes
    ----------
    spreads
        The standard deviation τ of runs' true scores around their method's, for each method.
    runs
        The number of runs of each method.
    """

    spreads: tuple[Spread, ...]
    runs: FloatArray

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw the deviations of methods' scores by training, axes (draw, method)."""
        tau = np.stack([spread.draw(n, rng) for spread in self.spreads], axis=1)
        return np.asarray(tau * rng.standard_normal(tau.shape) / np.sqrt(self.runs))

    @property
    def medians(self) -> FloatArray:
        """The posterior median of each method's τ; its square may have no mean."""
        return np.array([float(spread.quantile(0.5)) for spread in self.spreads])


def variance_around_mean(drawn: FloatArray) -> float:
    """Return the variance of the scores of runs around their mean between samples of units alone.

    Parameters
    ----------
    drawn
        Draws of the scores of a method's runs, axes (draw, run).

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(0.0, 0.1, (50_000, 4))
    >>> shared = np.random.default_rng(2).normal(0.0, 1.0, (50_000, 1))
    >>> round(variance_around_mean(noise + shared), 4)
    0.01
    """
    n_runs = drawn.shape[1]
    if n_runs == 1:
        return 0.0
    deviations = drawn - drawn.mean(axis=1, keepdims=True)
    return float(deviations.var(axis=0).sum() / (n_runs - 1))


def run_variance_of(
    metric: Metric, observed: FloatArray, drawn: FloatArray | None, groups: Sequence[Sequence[int]]
) -> RunVariance:
    r"""Return how much training adds to each method's score, from the scores of its runs.

    Let :math:`f_r` be the observed scores, :math:`\bar f` their mean, and v the mean variance of :math:`f_r - \bar f`
    between samples of units, times R/(R-1). Then :math:`\sum (f_r - \bar f)^2 / (\tau^2 + v)` has R - 1 degrees of
    freedom. Using the whole covariance of :math:`f_r - \bar f` would mislead: its leading direction follows the observed
    spread of the runs, which it would then explain away. Each method has its own τ, as the runs of a steady method say
    nothing about a volatile one.

    Parameters
    ----------
    metric
        The metric. The length of its range is the scale of the prior of τ.
    observed
        The plain scores of the runs.
    drawn
        Posterior draws of these scores, which vary with units alone, axes (draw, run). None if it is unknown which units
        runs share; all differences between runs then count as training.
    groups
        The runs of each method, at least two.

    Examples
    --------
    >>> from bayesf1.metrics import find_metric
    >>> scores = np.array([0.80, 0.82, 0.78, 0.84, 0.92, 0.85])
    >>> run_variance_of(find_metric("f1"), scores, None, [[0, 1, 2], [3, 4, 5]]).medians.round(3).tolist()
    [0.027, 0.05]
    """
    squares = []
    variances = []
    for runs in map(list, groups):
        scores = observed[runs]
        squares.append(float(np.square(scores - scores.mean()).sum()))
        variances.append(0.0 if drawn is None else variance_around_mean(drawn[:, runs]))
    n_runs = np.array([float(len(runs)) for runs in groups])
    low, high = metric.support
    scale = SCALE * (high - low)
    if not np.isfinite(scale):
        # An unbounded metric, such as a loss, has no other scale than the spread of its runs.
        pooled = sum(squares) / (n_runs - 1.0).sum()
        scale = float(np.sqrt(max(pooled, *variances)))
        if scale == 0.0:
            scale = 1.0
    spreads = [
        spread_of(square, n - 1.0, variance, scale=scale, tails=_RUN_TAILS)
        for square, variance, n in zip(squares, variances, n_runs.tolist(), strict=True)
    ]
    return RunVariance(tuple(spreads), n_runs)


# ---- folds --------------------------------------------------------------------------------------------------


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
        half_differences = 0.5 * (scores[:, 0] - scores[:, 1])
        return cls(scores.mean(axis=(0, 1)), half_differences / math.sqrt(m), float(m))

    @classmethod
    def of_folds(cls, scores: FloatArray) -> Contrasts:
        r"""Return the contrasts of a K-fold design with J repeats, from scores (repeat, fold, model).

        The variance is :math:`(1/(JK) + 1/(K-1)) s^2` with JK - 1 degrees of freedom, Nadeau & Bengio (2003).
        """
        n_repeats, n_folds, n_models = scores.shape
        n = n_repeats * n_folds
        of_folds = scores.reshape(n, n_models)
        centre = of_folds.mean(axis=0)
        factor = math.sqrt((1.0 / n + 1.0 / (n_folds - 1)) / (n - 1))
        return cls(centre, factor * (of_folds - centre), n - 1.0)

    def scale(self, weights: Sequence[float] | FloatArray) -> float:
        """Return the scale of the distribution of a weighted sum of the scores."""
        return float(np.linalg.norm(self.parts @ np.asarray(weights, dtype=float)))

    def distribution(
        self, weights: Sequence[float] | FloatArray, support: tuple[float, float] = (-math.inf, math.inf)
    ) -> StudentT:
        """Return the distribution of a weighted sum of the scores, such as a difference."""
        location = float(self.centre @ np.asarray(weights, dtype=float))
        if abs(location) < _ROUNDING:
            location = 0.0
        return StudentT(location, max(self.scale(weights), _ROUNDING), self.freedom, support)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw scores, axes (draw, model)."""
        # Axes (contrast, model, model), then (model, model).
        contrast_differences = self.parts[:, :, None] - self.parts[:, None]
        same_contrasts = np.abs(contrast_differences).max(axis=0) < _ROUNDING
        different_centres = np.abs(self.centre[:, None] - self.centre) > _ROUNDING
        if (same_contrasts & different_centres).any():
            raise ValueError(
                "two models differ equally in all folds, which do not show how much training varies; ask for target='models'"
            )
        normal = rng.standard_normal((n, len(self.parts))) @ self.parts
        half = 0.5 * self.freedom
        factors = np.sqrt(half / rng.standard_gamma(half, size=(n, 1)))
        return np.asarray(self.centre + normal * factors)


@dataclass(frozen=True, eq=False)
class TrainingVariance:
    """How much training varies between the folds of a cross-validation, whose models are ways of training.

    Attributes
    ----------
    folds
        The folds, without their units if these are not to be used.
    cells
        The cells of their tables.
    final
        Whether these are scores that others computed.
    """

    folds: Folds
    cells: tuple[str, ...]
    final: bool = False

    @property
    def estimate(self) -> Literal["contrasts", "mixture", "corrected"]:
        """How training is estimated.

        ``"contrasts"`` of halves show testing and training together. With a bootstrap of the units, which shows testing
        alone, they are a ``"mixture"``. K folds have the ``"corrected"`` t of Nadeau & Bengio. So do final scores of
        halves, for which contrasts called .06 to .15 of equal learners different (most often nearest neighbours).
        """
        if self.final or not isinstance(self.folds.cv, BlockedCV):
            return "corrected"
        return "contrasts" if self.folds.units is None else "mixture"

    @property
    def mixed(self) -> bool:
        """Whether units show the variance by testing alone, so that contrasts need only show what training adds."""
        return self.estimate == "mixture"

    def scores(self, metric: Metric) -> FloatArray:
        """Return the scores of the folds, axes (repeat, fold, model)."""
        return np.asarray(metric(self.folds.counts, self.cells))

    def plain(self, metric: Metric) -> FloatArray:
        """Return the means of the fold scores, axes (model,); NaN if that of a fold is undefined."""
        return np.asarray(plain_scores(metric, self.folds.counts, self.cells).mean(axis=(0, 1)))

    def contrasts(self, metric: Metric) -> Contrasts:
        """Return the t distribution of the scores from those of folds alone."""
        scores = self.scores(metric)
        if self.estimate == "corrected":
            return Contrasts.of_folds(scores)
        return Contrasts.of_halves(scores)

    def draw(
        self,
        metrics: Sequence[Metric],
        *,
        n_draws: int,
        rng: np.random.Generator,
        metric_rngs: Sequence[np.random.Generator],
    ) -> Iterator[list[FloatArray]]:
        """Yield blocks of posterior draws of the scores, for each metric an array (draw, model).

        Parameters
        ----------
        metrics
            The metrics.
        n_draws
            The number of draws in all.
        rng, metric_rngs
            The source of randomness of the units, and one for each metric.
        """
        if not self.mixed:
            contrasts = [self.contrasts(metric) for metric in metrics]
            for n in blocks_of(n_draws, self.folds.counts[..., 0].size):
                yield [
                    parts.draw(n, metric_rng)
                    for parts, metric_rng in zip(contrasts, metric_rngs, strict=True)
                ]
            return
        pilot = join_blocks(self.bootstrap(metrics, _PILOT, rng))
        mixtures = []
        for metric, drawn, metric_rng in zip(metrics, pilot, metric_rngs, strict=True):
            inflation = self.inflation(metric)
            added = _AddedByTraining.of(drawn * inflation.widening, self.contrasts(metric))
            mixtures.append(_Mixture(inflation, added, metric_rng))
        for block in self.bootstrap(metrics, n_draws, rng):
            yield [mixture.draw(scores) for mixture, scores in zip(mixtures, block, strict=True)]

    def bootstrap(
        self, metrics: Sequence[Metric], n_draws: int, rng: np.random.Generator
    ) -> Iterator[list[FloatArray]]:
        """Yield blocks of mean fold scores by a Bayesian bootstrap over units, for each metric an array (draw, model)."""
        assert self.folds.units is not None
        units = self.folds.units.seen
        numbers_each = units.n_patterns + self.folds.counts.size
        blocks = draw_patterns(units.rows, units.weights, n_draws=n_draws, numbers_each=numbers_each, rng=rng)
        for flat in blocks:
            tables = np.asarray(flat).reshape(-1, *self.folds.counts.shape)
            yield [metric(tables, self.cells).mean(axis=(1, 2)) for metric in metrics]

    def inflation(self, metric: Metric) -> SmallSampleInflation:
        """Return how draws of the bootstrap are stretched, as there may be few or uneven units."""
        units = self.folds.units
        assert units is not None
        tables = self.folds.counts.reshape(-1, len(self.cells))
        weights = metric.denominator_weights(tables, self.cells)
        return effective_sample_of(units, weights).inflation(self.plain(metric))


@dataclass(frozen=True, eq=False)
class _AddedByTraining:
    """What training adds to draws of scores: normal variates, correlated between models as the draws of testing are.

    So models that err alike are taken to be affected alike by training. The contrasts show how much is added to the
    models' mean, and how much to their differences from it.

    Attributes
    ----------
    root
        A factor of the covariance of the scores by testing, axes (model, variate).
    mean, differences
        The standard deviation of what training adds, as a multiple of testing's; None if testing changes nothing.
    """

    root: FloatArray
    mean: Spread | None
    differences: Spread | None

    @classmethod
    def of(cls, drawn: FloatArray, contrasts: Contrasts) -> _AddedByTraining:
        """Return the addition from draws of testing alone, axes (draw, model), and from the contrasts of folds."""
        centred = drawn - drawn.mean(axis=0)
        values, vectors = np.linalg.eigh(centred.T @ centred / len(centred))
        root = vectors * np.sqrt(values.clip(0.0))
        tested = _split(centred)
        # `Contrasts.of_halves` divides half differences by √m, which is undone here: each is one contrast.
        observed = _split(contrasts.parts * math.sqrt(contrasts.freedom))
        return cls(
            root,
            mean=_multiple_of_testing(observed.mean, tested.mean),
            differences=_multiple_of_testing(observed.differences, tested.differences),
        )

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw what is added, axes (draw, model)."""
        correlated = _split(rng.standard_normal((n, len(self.root))) @ self.root.T)
        added = np.zeros(correlated.differences.shape)
        if self.mean is not None:
            added += self.mean.draw(n, rng)[:, None] * correlated.mean
        if self.differences is not None:
            added += self.differences.draw(n, rng)[:, None] * correlated.differences
        return added


class _Mixture(NamedTuple):
    """How draws of testing, of one metric, become draws of testing and training."""

    inflation: SmallSampleInflation
    added: _AddedByTraining
    rng: np.random.Generator

    def draw(self, scores: FloatArray) -> FloatArray:
        """Return draws of testing, axes (draw, model), stretched and with what training adds."""
        factors = self.inflation.draw_factors(len(scores), self.rng)
        stretched = self.inflation.stretch(scores, factors, self.rng)
        return np.asarray(stretched + self.added.draw(len(scores), self.rng))


class _Split(NamedTuple):
    """The mean of the models' scores, and how each differs from it, both axes (..., model)."""

    mean: FloatArray
    differences: FloatArray


def _split(scores: FloatArray) -> _Split:
    """Return the mean of the models' scores, and how each differs from it."""
    mean = np.broadcast_to(scores.mean(axis=-1, keepdims=True), scores.shape)
    return _Split(mean, scores - mean)


def _multiple_of_testing(contrasts: FloatArray, tested: FloatArray) -> Spread | None:
    """Return the standard deviation that training adds, as a multiple of testing's; None if testing changes nothing."""
    variance = float(tested.var(axis=0).sum())
    if variance <= _ROUNDING**2:
        return None
    # The norm over models stands for one contrast whose variance is their sum. This is exact for two models, and gives
    # more models fewer degrees of freedom than they have.
    return spread_ratio(np.linalg.norm(contrasts, axis=1), variance)
