"""How much training adds to the doubt about a method, as its runs or the folds of a cross-validation show it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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

# Degrees of freedom of the half-t prior of τ, which is half-Cauchy: methods may vary much more than others.
_RUN_TAILS = 1.0
# Draws from which it is learnt how much units alone make scores vary.
_FOLD_PILOT = 2000
# A scale below which contrasts do not differ but for rounding.
_NONE = 1e-12


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
    ) -> Iterator[list[FloatArray]]:
        """Yield blocks of posterior draws of the scores, for each metric, with its own source of randomness."""
        if not self.mixed:
            contrasts = [self.contrasts(metric) for metric in metrics]
            for n in blocks_of(n_draws, self.folds.counts[..., 0].size):
                yield [known.draw(n, metric_rng) for known, metric_rng in zip(contrasts, own, strict=True)]
            return
        pilot = join_blocks(self.tested(metrics, _FOLD_PILOT, rng))
        inflations = [self.inflation(metric) for metric in metrics]
        adding = [
            _Added.of(drawn * inflation.widening, self.contrasts(metric))
            for drawn, inflation, metric in zip(pilot, inflations, metrics, strict=True)
        ]
        for block in self.tested(metrics, n_draws, rng):
            found = []
            for scores, inflation, added, metric_rng in zip(block, inflations, adding, own, strict=True):
                factors = inflation.factors(len(scores), metric_rng)
                moved = inflation(scores, factors, metric_rng)
                found.append(moved + added.draw(len(scores), metric_rng))
            yield found

    def tested(
        self, metrics: Sequence[Metric], n_draws: int, rng: np.random.Generator
    ) -> Iterator[list[FloatArray]]:
        """Yield draws of the mean fold scores as a Bayesian bootstrap over units makes them vary."""
        units, shape = self.folds.units, self.folds.counts.shape
        assert units is not None
        units = units.seen
        size = units.n_patterns + self.folds.counts.size
        for flat in draw_patterns(units.rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
            tables = np.asarray(flat).reshape(-1, *shape)
            yield [metric(tables, self.cells).mean(axis=(1, 2)) for metric in metrics]

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
