"""Random effects: scores of groups that vary around a common mean, integrated over a grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray

# Scale and degrees of freedom of the half-t prior of a spread of scores: half of it lies below .038.
SCALE, TAILS = 0.05, 3.0
_CELLS = 2000


def log_half_t(x: ArrayLike, *, scale: float = SCALE, tails: float = TAILS) -> FloatArray:
    """Return the log density of a half-t law at x ≥ 0, up to a constant.

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
        logs = log_density(0.5 * (edges[1:] + edges[:-1]))
        weights = np.exp(logs - logs.max()) * np.diff(edges)
        return cls(edges, weights / weights.sum())

    @property
    def mean(self) -> float:
        """The mean."""
        return float(self.weights @ (0.5 * (self.edges[1:] + self.edges[:-1])))

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
    r"""Return what a sum of squares says of the spread behind it.

    .. math:: p(\tau \mid Q) \propto \text{half-}t(\tau)\,(\tau^2 + v)^{-f/2} \exp\{-\tfrac12 Q/(\tau^2 + v)\}

    Parameters
    ----------
    squares, freedom
        The sum of squares Q of contrasts between groups, such as of runs' scores around their method's mean, and the
        number f of independent contrasts in it, such as the runs less the methods. Without any the prior is left.
    variance
        What sampling alone adds to the variance of each contrast.
    scale, tails
        Scale and degrees of freedom of the half-t prior.

    Examples
    --------
    Five runs of each of two methods, with a standard deviation of 2 points, of which the test set explains 1:

    >>> spread = spread_of(8 * 0.02**2, 8, 0.01**2)
    >>> [round(float(x), 3) for x in spread.quantile([0.025, 0.5, 0.975])]
    [0.009, 0.019, 0.039]
    """
    # Without any noise the density of equal scores would have no end at 0.
    noise = max(variance, (1e-6 * scale) ** 2)
    typical = math.sqrt(squares / freedom) if freedom else 0.0
    fine = 0.02 * min(scale, max(math.sqrt(noise), typical, 1e-4 * scale))

    def log_density(tau: FloatArray) -> FloatArray:
        total = tau * tau + noise
        return log_half_t(tau, scale=scale, tails=tails) - 0.5 * (freedom * np.log(total) + squares / total)

    return Spread.of(log_density, spread_edges(fine, 200.0 * scale + 50.0 * typical))


def spread_ratio(contrasts: ArrayLike, variance: float, *, scale: float = 1.0, tails: float = 4.0) -> Spread:
    r"""Return what contrasts say of x, how much training adds to what testing does to each of them.

    .. math:: p(x) \propto \text{half-}t(x)\prod_j N(c_j; 0, (1 + x^2) v)

    Parameters
    ----------
    contrasts
        Independent contrasts, such as half the difference of the halves of each repeat of a cross-validation.
    variance
        The variance v that testing gives each of them.
    scale, tails
        Scale and degrees of freedom of the half-t prior of x.

    Examples
    --------
    >>> spread = spread_ratio([0.03, -0.02, 0.025], 0.01**2)
    >>> round(spread.mean, 2)
    1.89
    """
    found = np.asarray(contrasts, dtype=float).ravel()
    sd = math.sqrt(variance)
    spread = spread_of(float(found @ found), found.size, variance, scale=scale * sd, tails=tails)
    return Spread(spread.edges / sd, spread.weights)


# Scale of the half-t prior of the spread that groups have in common: half of it lies below .15.
DIFFICULTY = 0.2
# Cells of either spread: to find where the posterior is, and to describe it there.
_COARSE, _FINE = 40, 64
# Cells whose density is below exp(-18) of the highest do not matter.
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
    log_likelihood
        Log density of each group's scores, its own effects integrated out, axes (draw, group).
    """

    average: FloatArray
    new: FloatArray
    each: FloatArray
    spread: FloatArray
    difficulty: FloatArray
    log_likelihood: FloatArray


@dataclass(frozen=True, eq=False)
class RandomEffects:
    """A random-effects model of scores.

    Parameters
    ----------
    scores
        Scores of the models in each group, axes (group, model).
    covariances
        Their sampling covariances, axes (group, model, model).
    spread, difficulty
        Scales of the half-t priors of τ and of τ_c. With one model there is τ_c alone.
    tails
        Degrees of freedom of both.

    Examples
    --------
    >>> y = np.array([[0.80, 0.83], [0.60, 0.62], [0.71, 0.76]])
    >>> found = RandomEffects(y, np.full((3, 2, 2), 0.0003) + 0.0001 * np.eye(2)).draw(20_000, np.random.default_rng(1))
    >>> gap = found.average[:, 1] - found.average[:, 0]
    >>> round(float(gap.mean()), 3), round(float((gap > 0).mean()), 2)
    (0.033, 0.96)
    """

    scores: FloatArray
    covariances: FloatArray
    spread: float = SCALE
    difficulty: float = DIFFICULTY
    tails: float = TAILS

    def draw(self, n: int, rng: np.random.Generator) -> Effects:
        """Draw from the posterior."""
        tau, tau_c = self._draw_spreads(n, rng)
        step = max(1, _BLOCK // self.scores.size)
        parts = [self._given(tau[i : i + step], tau_c[i : i + step], rng) for i in range(0, n, step)]
        return Effects(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    # ---- the spreads ----------------------------------------------------------------------------------------

    def _draw_spreads(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        spread, difficulty, weights = self.grid()
        cells = rng.choice(weights.size, size=n, p=weights.ravel())
        found = []
        for edges, at in zip((spread, difficulty), np.unravel_index(cells, weights.shape), strict=True):
            found.append(edges[at] + rng.random(n) * np.diff(edges)[at])
        return found[0], found[1]

    def grid(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return edges of the cells of τ and of τ_c, and the posterior probability of each pair of cells."""
        n_models = self.scores.shape[1]
        reach = float(np.ptp(self.scores, axis=0).max(initial=0.0))
        roots, _ = self._eigen
        edges = []
        # The difference of two models is known as well as what is known best, difficulty as what is known worst.
        for scale, known in ((self.spread, roots[:, 0]), (self.difficulty, roots[:, -1])):
            noise = math.sqrt(float(np.median(known)))
            fine = 0.05 * min(scale, max(noise, 1e-3 * scale))
            edges.append(spread_edges(fine, 100.0 * scale + 20.0 * reach, _COARSE))
        if n_models == 1:
            edges[0] = np.zeros(2)
        logs = self._log_posterior(*edges)
        found = []
        for axis in (0, 1):
            ends = edges[axis]
            near = np.flatnonzero(logs.max(axis=1 - axis) > logs.max() - _NEGLIGIBLE)
            low, high = ends[max(near[0] - 1, 0)], ends[min(near[-1] + 2, len(ends) - 1)]
            # Between these, as even in ratio as before.
            fine = ends[1] if ends[1] > 0.0 else 1.0
            found.append(
                fine * np.sinh(np.linspace(math.asinh(low / fine), math.asinh(high / fine), _FINE + 1))
            )
        if n_models == 1:
            found[0] = np.zeros(2)
        logs = self._log_posterior(*found)
        weights = np.exp(logs - logs.max())
        return found[0], found[1], weights / weights.sum()

    def _log_posterior(self, spread: FloatArray, difficulty: FloatArray) -> FloatArray:
        """Return the log probability of cells (τ, τ_c), up to a constant, by their edges."""
        tau, tau_c = (0.5 * (edges[1:] + edges[:-1]) for edges in (spread, difficulty))
        y = self.scores - self.scores.mean(axis=0)
        n_groups, n_models = y.shape
        roots, turn = self._eigen
        # A = S + τ²/2 I, of which T adds τ_c² 11' to: the determinant lemma and Sherman and Morrison's formula.
        own = roots + 0.5 * np.square(tau)[:, None, None]
        turned_y = np.einsum("gmk,gm->gk", turn, y)
        turned_1 = turn.sum(axis=1)
        a = np.einsum("gmk,tgk->tgm", turn, turned_1 / own)
        q = (np.square(turned_1) / own).sum(axis=-1)
        c = (turned_1 * turned_y / own).sum(axis=-1)
        inverse = np.einsum("gmk,tgk,gnk->tmn", turn, 1.0 / own, turn, optimize=True)
        pulled = np.einsum("gmk,tgk->tm", turn, turned_y / own)
        squares = (np.square(turned_y) / own).sum(axis=(1, 2))
        common = np.square(tau_c)[None, :, None]
        f = common / (1.0 + common * q[:, None, :])
        outer = np.einsum("tgm,tgn->tgmn", a, a).reshape(len(tau), n_groups, n_models**2)
        precision = inverse[:, None] - (f @ outer).reshape(len(tau), len(tau_c), n_models, n_models)
        weighted = pulled[:, None] - f @ (a * c[..., None])
        total = squares[:, None] - (f @ np.square(c)[..., None])[..., 0]
        determinants = np.log(own).sum(axis=(1, 2))[:, None] + np.log1p(common * q[:, None, :]).sum(axis=-1)
        centre = np.linalg.solve(precision, weighted[..., None])[..., 0]
        total = total - (weighted * centre).sum(axis=-1) + np.linalg.slogdet(precision)[1]
        logs = -0.5 * (determinants + total)
        for axis, (at, edges, scale) in enumerate(
            ((tau, spread, self.spread), (tau_c, difficulty, self.difficulty))
        ):
            widths = np.diff(edges)
            if widths.any():
                prior = log_half_t(at, scale=scale, tails=self.tails) + np.log(widths)
                logs = logs + np.expand_dims(prior, 1 - axis)
        return np.asarray(logs)

    @property
    def _eigen(self) -> tuple[FloatArray, FloatArray]:
        """Eigenvalues (group, root) and vectors (group, model, root) of the sampling covariances."""
        roots, turn = np.linalg.eigh(self.covariances)
        # Models that did the same have a difference without any noise.
        return np.maximum(roots, (1e-5 * self.spread) ** 2), turn

    # ---- scores given the spreads -----------------------------------------------------------------------------

    def _given(self, tau: FloatArray, tau_c: FloatArray, rng: np.random.Generator) -> Effects:
        """Draw all scores given spreads, axes (draw,)."""
        # With the groups first, all that is done to a group is one product of matrices.
        roots, turn = self._eigen
        back = np.swapaxes(turn, 1, 2)
        n_groups, n_models = self.scores.shape
        shape = (n_groups, len(tau), n_models)
        own = roots[:, None, :] + 0.5 * np.square(tau)[:, None]
        turned_1, common = turn.sum(axis=1)[:, None, :], np.square(tau_c)
        a = (turned_1 / own) @ back
        q = (np.square(turned_1) / own).sum(axis=-1)
        f = common / (1.0 + common * q)

        def solved(x: FloatArray) -> FloatArray:
            """Return (T + S)⁻¹ x for x of axes (group, draw, model)."""
            plain = ((x @ turn) / own) @ back
            return np.asarray(plain - (f * np.einsum("gtm,gtm->gt", a, x))[..., None] * a)

        def effects(shape: tuple[int, ...]) -> FloatArray:
            shared = tau_c[:, None] * rng.standard_normal((*shape[:-1], 1))
            return np.asarray(shared + math.sqrt(0.5) * tau[:, None] * rng.standard_normal(shape))

        # The average: precisions add up.
        flat = np.moveaxis(1.0 / own, 0, 1).reshape(len(tau), -1)
        outer = np.einsum("gmk,gnk->gkmn", turn, turn).reshape(flat.shape[1], n_models**2)
        less = np.moveaxis(np.sqrt(f)[..., None] * a, 0, 2)
        precision = (flat @ outer).reshape(-1, n_models, n_models) - less @ np.swapaxes(less, 1, 2)
        middle = self.scores.mean(axis=0)
        seen = (self.scores - middle)[:, None, :]
        pull = solved(np.broadcast_to(seen, shape)).sum(axis=0)
        factor = np.linalg.cholesky(precision)
        z = np.linalg.solve(factor, pull[..., None]) + rng.standard_normal((len(tau), n_models, 1))
        average = np.linalg.solve(np.swapaxes(factor, 1, 2), z)[..., 0]

        # Matheron's rule: a draw of scores and data from the model, moved by as much as the data were missed.
        each = average + effects(shape)
        noise = (rng.standard_normal(shape) * np.sqrt(roots)[:, None, :]) @ back
        moved = solved(seen - each - noise)
        each += common[:, None] * moved.sum(axis=-1, keepdims=True) + 0.5 * np.square(tau)[:, None] * moved
        missed = seen - average
        determinant = np.log(own).sum(axis=-1) + np.log1p(common * q)
        fit = -0.5 * (
            determinant
            + np.einsum("gtm,gtm->gt", missed, solved(missed))
            + n_models * math.log(2.0 * math.pi)
        )
        new = average + effects(average.shape)
        return Effects(middle + average, middle + new, middle + np.moveaxis(each, 0, 1), tau, tau_c, fit.T)


def within(scores: FloatArray, support: tuple[float, float]) -> FloatArray:
    """Return draws of scores (..., model) moved into a support, all models of a draw alike, so that differences stay.

    Examples
    --------
    >>> within(np.array([[0.9, 0.95], [0.98, 1.03]]), (0.0, 1.0)).round(2).tolist()
    [[0.9, 0.95], [0.95, 1.0]]
    """
    low, high = support
    above = np.maximum(scores.max(axis=-1, keepdims=True) - high, 0.0)
    below = np.maximum(low - scores.min(axis=-1, keepdims=True), 0.0)
    return np.asarray(np.clip(scores - above + below, low, high))


def robust_covariance(draws: FloatArray) -> FloatArray:
    """Return the covariance of draws (draw, quantity) as that of the normal law with the same 95 % intervals.

    Draws far out are brought in along their direction, all quantities of a draw alike, so that correlations are those
    of the middle; heavy tails, as of few documents, count as far as their intervals reach.

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
    """Shrink differences known by joint posterior draws, axes (draw, group), into as many draws.

    Parameters
    ----------
    draws
        Draws of the differences, such as B minus A in F1 of every class; of the same draw of tables, so that what
        classes have in common is in them.
    rng
        The source of randomness.

    Examples
    --------
    Thirty differences that are noise, and one that is not:

    >>> rng = np.random.default_rng(2)
    >>> true = np.append(np.zeros(30), 0.3)
    >>> seen = true + 0.05 * rng.normal(size=31)
    >>> found = shrink_draws(seen + 0.05 * rng.normal(size=(4000, 31)), rng)
    >>> np.flatnonzero((found > 0.0).mean(axis=0) > 0.975).tolist()
    [30]
    """
    return shrink(draws.mean(axis=0), robust_covariance(draws), len(draws), rng)


def shrink(
    values: FloatArray, covariance: FloatArray, n_draws: int, rng: np.random.Generator, scale: float = SCALE
) -> FloatArray:
    """Shrink values of several groups towards each other, into draws, axes (draw, group).

    Parameters
    ----------
    values, covariance
        What was observed of each group, axes (group,), and its sampling covariance, axes (group, group).
    n_draws, rng
        Number of draws and source of randomness.
    scale
        Scale of the half-t prior of the spread.

    Examples
    --------
    >>> d = np.array([0.04, -0.02, 0.03, 0.30])
    >>> found = shrink(d, 0.03**2 * np.eye(4), 20_000, np.random.default_rng(1))
    >>> found.mean(axis=0).round(2).tolist()
    [0.04, -0.01, 0.03, 0.29]
    """
    roots, turn = np.linalg.eigh(covariance)
    roots = np.maximum(roots, (1e-5 * scale) ** 2)
    ones, seen = turn.sum(axis=0), values @ turn
    noise = math.sqrt(float(np.median(roots)))
    fine = 0.02 * min(scale, max(noise, 1e-3 * scale))
    edges = spread_edges(fine, 200.0 * scale + 20.0 * float(np.ptp(values)), 1000)

    def moments(tau: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return variances (tau, root), and the precision and mean of δ (tau,)."""
        own = roots + np.square(tau)[:, None]
        precision = (np.square(ones) / own).sum(axis=1)
        return own, precision, (ones * seen / own).sum(axis=1) / precision

    def log_density(tau: FloatArray) -> FloatArray:
        own, precision, mean = moments(tau)
        squares = (np.square(seen - mean[:, None] * ones) / own).sum(axis=1)
        logs = log_half_t(tau, scale=scale) - 0.5 * (np.log(own).sum(axis=1) + np.log(precision) + squares)
        return np.asarray(logs)

    tau = Spread.of(log_density, edges).draw(n_draws, rng)
    own, precision, mean = moments(tau)
    delta = mean + rng.standard_normal(n_draws) / np.sqrt(precision)
    # Along the axes of S all is independent.
    before = delta[:, None] * ones
    share = np.square(tau)[:, None] / own
    after = before + share * (seen - before) + np.sqrt(share * roots) * rng.standard_normal(share.shape)
    return np.asarray(after @ turn.T)
