"""Random effects: scores of groups that vary around a common mean, integrated over a grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray
from bayesf1.base.checks import ArrayLike

# Scale and degrees of freedom of the half-t prior of a spread of scores, whose median is .038.
SCALE = 0.05
TAILS = 3.0
# Cells of a spread.
_CELLS = 2000


def log_half_t(x: ArrayLike, *, scale: float = SCALE, tails: float = TAILS) -> FloatArray:
    """Return the log density of a half-t distribution at x ≥ 0, up to a constant.

    Examples
    --------
    >>> float(log_half_t(0.0)), float(log_half_t(0.05))
    (-0.0, -0.575...)
    """
    return np.asarray(-0.5 * (tails + 1.0) * np.log1p(np.square(np.asarray(x) / scale) / tails))


def spread_edges(fine: float, most: float, n: int = _CELLS) -> FloatArray:
    """Return the edges of `n` cells from 0 to `most`, of even width below `fine` and of even ratio above it."""
    return fine * np.sinh(np.linspace(0.0, math.asinh(most / fine), n + 1))


@dataclass(frozen=True, eq=False)
class Spread:
    """The posterior of a spread, on a grid: its density is even within a cell.

    Attributes
    ----------
    edges
        The edges of the cells, in rising order.
    weights
        The probability of each cell.

    Examples
    --------
    >>> spread = Spread.of(lambda x: log_half_t(x, scale=1.0, tails=1.0), spread_edges(0.1, 1e6))
    >>> round(float(spread.quantile(0.5)), 3)
    1.0
    """

    edges: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, log_density: Callable[[FloatArray], FloatArray], edges: FloatArray) -> Spread:
        """Return the spread with a log density, known up to a constant at the middle of each cell."""
        logs = log_density(_middles(edges))
        weights = np.exp(logs - logs.max()) * np.diff(edges)
        return cls(edges, weights / weights.sum())

    @property
    def mean(self) -> float:
        """The mean."""
        return float(self.weights @ _middles(self.edges))

    def quantile(self, q: ArrayLike) -> FloatArray:
        """Return quantiles."""
        below = np.concatenate([[0.0], np.cumsum(self.weights)])
        return np.asarray(np.interp(np.asarray(q, dtype=float), below / below[-1], self.edges))

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw spreads, axes (draw,)."""
        return self.quantile(rng.random(n))


def spread_of(
    squares: float, freedom: float, variance: float, *, scale: float = SCALE, tails: float = TAILS
) -> Spread:
    r"""Return the posterior of a spread from a sum of squares.

    .. math:: p(\tau \mid Q) \propto \text{half-}t(\tau)\,(\tau^2 + v)^{-f/2} \exp\{-\tfrac12 Q/(\tau^2 + v)\}

    Parameters
    ----------
    squares, freedom
        The sum of squares Q of contrasts between groups, such as of runs' scores around their method's mean, and the
        number f of independent contrasts in it, such as the number of runs less that of methods. If it is 0, the
        posterior is the prior.
    variance
        The variance v that sampling alone adds to each contrast.
    scale, tails
        Scale and degrees of freedom of the half-t prior.

    Examples
    --------
    Five runs of each of two methods, with a standard deviation of 2 points, 1 of them due to the test set:

    >>> spread = spread_of(8 * 0.02**2, 8, 0.01**2)
    >>> [round(float(x), 3) for x in spread.quantile([0.025, 0.5, 0.975])]
    [0.009, 0.019, 0.039]
    """
    # Without any noise the density of equal scores would be infinite at 0.
    noise = max(variance, (1e-6 * scale) ** 2)
    typical = math.sqrt(squares / freedom) if freedom else 0.0
    fine = 0.02 * min(scale, max(math.sqrt(noise), typical, 1e-4 * scale))

    def log_density(tau: FloatArray) -> FloatArray:
        total = tau * tau + noise
        return log_half_t(tau, scale=scale, tails=tails) - 0.5 * (freedom * np.log(total) + squares / total)

    return Spread.of(log_density, spread_edges(fine, 200.0 * scale + 50.0 * typical))


def spread_ratio(contrasts: ArrayLike, variance: float, *, scale: float = 1.0, tails: float = 4.0) -> Spread:
    r"""Return the posterior of x, the standard deviation that training adds to contrasts as a multiple of testing's.

    .. math:: p(x) \propto \text{half-}t(x)\prod_j N(c_j; 0, (1 + x^2) v)

    Parameters
    ----------
    contrasts
        Independent contrasts, such as half the difference of the halves of each repeat of a cross-validation.
    variance
        The variance v of each contrast by testing.
    scale, tails
        Scale and degrees of freedom of the half-t prior of x.

    Examples
    --------
    >>> spread = spread_ratio([0.03, -0.02, 0.025], 0.01**2)
    >>> round(spread.mean, 2)
    1.89
    """
    values = np.asarray(contrasts, dtype=float).ravel()
    sd = math.sqrt(variance)
    spread = spread_of(float(values @ values), values.size, variance, scale=scale * sd, tails=tails)
    return Spread(spread.edges / sd, spread.weights)


# Scale of the half-t prior of the spread of the groups' difficulty, whose median is .15.
DIFFICULTY = 0.2
# The numbers of cells of either spread: coarse ones to find where the posterior is, and fine ones to describe it there.
_COARSE_CELLS = 40
_FINE_CELLS = 64
# Cells with a density below exp(-18) times the highest are negligible.
_NEGLIGIBLE = 18.0
# Numbers that a block of draws may hold.
_BLOCK = 1_000_000


class Effects(NamedTuple):
    """Draws of a random-effects model.

    Attributes
    ----------
    average, new
        Scores of the average group and of a new one, axes (draw, model).
    each
        Scores of the groups at hand, axes (draw, group, model).
    spread, difficulty
        The spreads τ and τ_c, axes (draw,).
    """

    average: FloatArray
    new: FloatArray
    each: FloatArray
    spread: FloatArray
    difficulty: FloatArray


class SpreadGrid(NamedTuple):
    """The posterior of both spreads on a grid.

    Attributes
    ----------
    spread, difficulty
        The edges of the cells of τ and of τ_c.
    weights
        The probability of each pair of cells, axes (cell of τ, cell of τ_c).
    """

    spread: FloatArray
    difficulty: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class RandomEffects:
    r"""A random-effects model of the scores of several models in groups, such as data sets.

    .. math:: y_g \sim N(\theta_g, S_g), \qquad \theta_g \sim N(\mu, \tfrac12 \tau^2 I + \tau_c^2 1 1^T)

    The models of a group share its difficulty, whose spread is :math:`\tau_c`, and the difference of two models varies
    between groups with a standard deviation of :math:`\tau`. The prior of μ is flat.

    Parameters
    ----------
    scores
        Scores of the models in each group, axes (group, model).
    covariances
        Their sampling covariances, axes (group, model, model).
    spread, difficulty
        Scales of the half-t priors of τ and of τ_c.
    tails
        Degrees of freedom of both priors.
    own_mean
        Whether the mean of the models varies by :math:`\tau_c` alone. Otherwise it varies at least as the models do, and the
        differences of models that change places from group to group would seem to vary less than they do.

    Examples
    --------
    >>> y = np.array([[0.80, 0.83], [0.60, 0.62], [0.71, 0.76]])
    >>> model = RandomEffects(y, np.full((3, 2, 2), 0.0003) + 0.0001 * np.eye(2))
    >>> effects = model.draw(20_000, np.random.default_rng(1))
    >>> difference = effects.average[:, 1] - effects.average[:, 0]
    >>> round(float(difference.mean()), 3), round(float((difference > 0).mean()), 2)
    (0.033, 0.96)
    """

    scores: FloatArray
    covariances: FloatArray
    spread: float = SCALE
    difficulty: float = DIFFICULTY
    tails: float = TAILS
    own_mean: bool = False

    def draw(self, n: int, rng: np.random.Generator) -> Effects:
        """Draw from the posterior."""
        grid = self.grid()
        cells = rng.choice(grid.weights.size, size=n, p=grid.weights.ravel())
        spread_cells, difficulty_cells = np.unravel_index(cells, grid.weights.shape)
        tau = _draw_in_cells(grid.spread, spread_cells, rng)
        tau_c = _draw_in_cells(grid.difficulty, difficulty_cells, rng)
        step = max(1, _BLOCK // self.covariances.size)
        parts = [self._given(tau[i : i + step], tau_c[i : i + step], rng) for i in range(0, n, step)]
        return Effects._make(np.concatenate(arrays) for arrays in zip(*parts, strict=True))

    def grid(self) -> SpreadGrid:
        """Return the posterior of both spreads, on a coarse grid to find its mass, and then on a finer one there."""
        # A difference of two models may be known as well as the best known direction, difficulty as badly as the worst.
        variances = np.asarray(np.linalg.eigvalsh(self._noise), dtype=np.float64)
        spread = self._coarse_edges(self.spread, variances[:, 0])
        difficulty = self._coarse_edges(self.difficulty, variances[:, -1])
        logs = self._log_posterior(spread, difficulty)
        spread = _edges_of_mass(spread, logs.max(axis=1))
        difficulty = _edges_of_mass(difficulty, logs.max(axis=0))
        logs = self._log_posterior(spread, difficulty)
        weights = np.exp(logs - logs.max())
        return SpreadGrid(spread, difficulty, weights / weights.sum())

    def _coarse_edges(self, scale: float, variances: FloatArray) -> FloatArray:
        """Return edges of cells of a spread with a prior of some scale, given the sampling variances of the groups."""
        noise = math.sqrt(float(np.median(variances)))
        fine = 0.05 * min(scale, max(noise, 1e-3 * scale))
        reach = float(np.ptp(self.scores, axis=0).max(initial=0.0))
        return spread_edges(fine, 100.0 * scale + 20.0 * reach, _COARSE_CELLS)

    def _log_posterior(self, spread: FloatArray, difficulty: FloatArray) -> FloatArray:
        """Return the log probability of cells (τ, τ_c), up to a constant, by their edges."""
        tau = _middles(spread)
        tau_c = _middles(difficulty)
        # Difficulty adds c to the first variance alone. With W = S + τ²/2 and the first column p of P = W⁻¹, the inverse
        # is then P - k p pᵀ with k = c/(1 + c p₁), and the determinant 1 + c p₁ times that of W (Sherman & Morrison 1950).
        # Axes (cell of τ_c, group).
        added = len(self._turn) * np.square(tau_c)[:, None]
        log_likelihoods = []
        for tau_here in tau:
            # Axes (group, contrast, contrast), and (group, contrast).
            covariance = self._noise + 0.5 * tau_here**2 * np.diag(self._varies)
            precision = np.linalg.inv(covariance)
            column = precision[:, :, 0]
            k = added / (1.0 + added * column[:, 0])
            column_by_scores = (column * self._seen).sum(axis=-1)
            precision_by_scores = np.einsum("gmn,gn->gm", precision, self._seen)
            # Sums over groups: the precision of μ, axes (cell of τ_c, contrast, contrast), and its product with the mean.
            corrections = np.einsum("cg,gm,gn->cmn", k, column, column, optimize=True)
            total_precision = precision.sum(axis=0) - corrections
            pull = precision_by_scores.sum(axis=0) - (k * column_by_scores) @ column
            mean = np.linalg.solve(total_precision, pull[..., None])[..., 0]
            squares = (precision_by_scores * self._seen).sum() - k @ np.square(column_by_scores)
            squares -= (pull * mean).sum(axis=-1)
            log_determinants = _log_determinant(covariance).sum() + np.log1p(added * column[:, 0]).sum(
                axis=-1
            )
            log_likelihoods.append(-0.5 * (log_determinants + _log_determinant(total_precision) + squares))
        log_prior_tau = log_half_t(tau, scale=self.spread, tails=self.tails) + np.log(np.diff(spread))
        log_prior_tau_c = log_half_t(tau_c, scale=self.difficulty, tails=self.tails) + np.log(
            np.diff(difficulty)
        )
        return np.stack(log_likelihoods) + log_prior_tau[:, None] + log_prior_tau_c

    # Scores and covariances are turned so that the first axis is the mean of the models, and the others are contrasts.
    # The covariance of θ is diagonal then, and inverses stay accurate even if difficulty varies a million times as much.

    @cached_property
    def _turn(self) -> FloatArray:
        # The first column is all ones, the others are columns of the identity.
        columns = np.eye(self.scores.shape[1])
        columns[:, 0] = 1.0
        turn, _ = np.linalg.qr(columns)
        return turn

    @property
    def _varies(self) -> FloatArray:
        """Whether τ is in the variance of the mean of the models, and of each contrast: 1 or 0."""
        varies = np.ones(len(self._turn))
        if self.own_mean:
            varies[0] = 0.0
        return varies

    @cached_property
    def _seen(self) -> FloatArray:
        """Scores around their mean, axes (group, contrast)."""
        return np.asarray((self.scores - self.scores.mean(axis=0)) @ self._turn)

    @cached_property
    def _noise(self) -> FloatArray:
        """Sampling covariances, axes (group, contrast, contrast); models that did the same have almost none."""
        turned = self._turn.T @ self.covariances @ self._turn
        return np.asarray(turned + (1e-5 * self.spread) ** 2 * np.eye(len(self._turn)))

    def _given(self, tau: FloatArray, tau_c: FloatArray, rng: np.random.Generator) -> Effects:
        """Draw all scores given spreads, axes (draw,)."""
        # Axes (draw, contrast): the variances of θ; then (draw, group, contrast, contrast).
        variances = 0.5 * np.square(tau)[:, None] * self._varies
        variances[:, 0] += len(self._turn) * np.square(tau_c)
        deviations = np.sqrt(variances)
        covariance = variances[:, None, :, None] * np.eye(len(self._turn)) + self._noise
        precision = np.linalg.inv(covariance)
        # μ has the precision L Lᵀ, and the mean (L Lᵀ)⁻¹ pull.
        factor = np.linalg.cholesky(precision.sum(axis=1))
        pull = np.einsum("tgmn,gn->tm", precision, self._seen)[..., None]
        z = np.linalg.solve(factor, pull) + rng.standard_normal(pull.shape)
        average = np.linalg.solve(np.swapaxes(factor, 1, 2), z)[..., 0]
        new = average + deviations * rng.standard_normal(average.shape)
        # Matheron's rule: a draw of scores and data from the model is moved by the distance of these data from the observed.
        z_scores, z_noise = rng.standard_normal((2, *precision.shape[:-1]))
        each = average[:, None] + deviations[:, None] * z_scores
        noise = (np.linalg.cholesky(self._noise) @ z_noise[..., None])[..., 0]
        missed = self._seen - each - noise
        each += variances[:, None] * (precision @ missed[..., None])[..., 0]
        return Effects(self._scores(average), self._scores(new), self._scores(each), tau, tau_c)

    def _scores(self, contrasts: FloatArray) -> FloatArray:
        """Return contrasts (..., contrast) as scores (..., model) again."""
        return np.asarray(self.scores.mean(axis=0) + contrasts @ self._turn.T)


def _middles(edges: FloatArray) -> FloatArray:
    """Return the middle of each cell."""
    return 0.5 * (edges[1:] + edges[:-1])


def _draw_in_cells(edges: FloatArray, cells: IntArray, rng: np.random.Generator) -> FloatArray:
    """Draw a point, evenly, in each of these cells."""
    return np.asarray(edges[cells] + rng.random(len(cells)) * np.diff(edges)[cells])


def _edges_of_mass(edges: FloatArray, log_weights: FloatArray) -> FloatArray:
    """Return edges of finer cells in the range where coarser ones have weight, in even ratios like these."""
    near = np.flatnonzero(log_weights > log_weights.max() - _NEGLIGIBLE)
    low = edges[max(near[0] - 1, 0)]
    high = edges[min(near[-1] + 2, len(edges) - 1)]
    start, stop = np.arcsinh([low / edges[1], high / edges[1]])
    return np.asarray(edges[1] * np.sinh(np.linspace(start, stop, _FINE_CELLS + 1)))


def _log_determinant(matrices: FloatArray) -> FloatArray:
    _, logs = np.linalg.slogdet(matrices)
    return np.asarray(logs)


def moved_into(scores: FloatArray, support: tuple[float, float]) -> FloatArray:
    """Return draws of scores (..., model) moved into a support, all models of a draw by the same amount.

    Examples
    --------
    >>> moved_into(np.array([[0.9, 0.95], [0.98, 1.03]]), (0.0, 1.0)).round(2).tolist()
    [[0.9, 0.95], [0.95, 1.0]]
    """
    low, high = support
    above = np.maximum(scores.max(axis=-1, keepdims=True) - high, 0.0)
    below = np.maximum(low - scores.min(axis=-1, keepdims=True), 0.0)
    return np.asarray(np.clip(scores - above + below, low, high))


def robust_covariance(draws: FloatArray) -> FloatArray:
    """Return the covariance of draws (draw, quantity) as that of the normal distribution with the same 95 % intervals.

    Draws far from the centre are moved towards it, all quantities of a draw by the same factor, so that correlations are
    those of the middle. Heavy tails, as with few documents, count as far as their intervals reach.

    Examples
    --------
    >>> draws = np.random.default_rng(1).standard_t(5, size=(200_000, 1)) * [[1.0, 2.0]]
    >>> robust_covariance(draws).round(1).tolist()
    [[1.7, 3.4], [3.4, 6.9]]
    """
    low, middle, high = np.quantile(draws, [0.025, 0.5, 0.975], axis=0)
    sd = (high - low) / (2.0 * 1.959963984540054)
    x = np.divide(draws - middle, sd, out=np.zeros(draws.shape), where=sd > 0.0)
    far = np.abs(x).max(axis=1)
    for _ in range(3):
        near = x * np.minimum(1.0, 3.0 / np.maximum(far, 1e-12))[:, None]
        second = near.T @ near
        size = np.sqrt(np.maximum(np.diagonal(second), 1e-300))
        correlation = second / np.outer(size, size)
        # How far out a draw is, the next time, by the correlations found, so that no direction counts more.
        roots, turn = np.linalg.eigh(correlation)
        far = np.sqrt(np.mean(np.square(x @ turn) / np.maximum(roots, 1e-8), axis=1))
    return np.asarray(correlation * np.outer(sd, sd))


def shrink_draws(draws: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Shrink differences, given as joint posterior draws, axes (draw, group), and return as many draws.

    Parameters
    ----------
    draws
        Draws of the differences, such as B minus A in F1 of every class, from the same draws of tables, so that they have
        the correlations between classes.
    rng
        The source of randomness.

    Examples
    --------
    Thirty differences that are noise, and one that is not:

    >>> rng = np.random.default_rng(2)
    >>> true = np.append(np.zeros(30), 0.3)
    >>> seen = true + 0.05 * rng.normal(size=31)
    >>> shrunk = shrink_draws(seen + 0.05 * rng.normal(size=(4000, 31)), rng)
    >>> np.flatnonzero((shrunk > 0.0).mean(axis=0) > 0.975).tolist()
    [30]
    """
    return shrink(draws.mean(axis=0), robust_covariance(draws), len(draws), rng)


def shrink(
    values: FloatArray, covariance: FloatArray, n_draws: int, rng: np.random.Generator, scale: float = SCALE
) -> FloatArray:
    r"""Shrink values of several groups towards their common mean δ, and return draws, axes (draw, group).

    .. math:: y \sim N(\theta, S), \qquad \theta_g \sim N(\delta, \tau^2)

    Parameters
    ----------
    values, covariance
        The observed value of each group, axes (group,), and their sampling covariance, axes (group, group).
    n_draws, rng
        Number of draws and source of randomness.
    scale
        Scale of the half-t prior of the spread.

    Examples
    --------
    >>> d = np.array([0.04, -0.02, 0.03, 0.30])
    >>> shrunk = shrink(d, 0.03**2 * np.eye(4), 20_000, np.random.default_rng(1))
    >>> shrunk.mean(axis=0).round(2).tolist()
    [0.04, -0.01, 0.03, 0.29]
    """
    roots, turn = np.linalg.eigh(covariance)
    roots = np.maximum(roots, (1e-5 * scale) ** 2)
    # In the axes of the covariance all is independent: of ones, and of the values.
    ones = turn.sum(axis=0)
    seen = values @ turn
    noise = math.sqrt(float(np.median(roots)))
    fine = 0.02 * min(scale, max(noise, 1e-3 * scale))
    edges = spread_edges(fine, 200.0 * scale + 20.0 * float(np.ptp(values)), 1000)

    def moments(tau: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the variances of what is seen, axes (tau, root), and the precision and mean of δ, axes (tau,)."""
        variances = roots + np.square(tau)[:, None]
        precision = (np.square(ones) / variances).sum(axis=1)
        return variances, precision, (ones * seen / variances).sum(axis=1) / precision

    def log_density(tau: FloatArray) -> FloatArray:
        variances, precision, mean = moments(tau)
        squares = (np.square(seen - mean[:, None] * ones) / variances).sum(axis=1)
        log_determinants = np.log(variances).sum(axis=1) + np.log(precision)
        return np.asarray(log_half_t(tau, scale=scale) - 0.5 * (log_determinants + squares))

    tau = Spread.of(log_density, edges).draw(n_draws, rng)
    variances, precision, mean = moments(tau)
    delta = mean + rng.standard_normal(n_draws) / np.sqrt(precision)
    before = delta[:, None] * ones
    share = np.square(tau)[:, None] / variances
    after = before + share * (seen - before) + np.sqrt(share * roots) * rng.standard_normal(share.shape)
    return np.asarray(after @ turn.T)
