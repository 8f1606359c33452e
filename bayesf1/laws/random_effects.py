r"""Scores of several models in several groups: what is common, what a group does to all, and to each of them.

Group g gives all models' scores with a known sampling covariance,

.. math:: y_g \sim N(\mu, T + S_g), \quad T = \tau_c^2 11^\top + \tfrac12 \tau^2 I,

so that groups differ in difficulty by τ_c and the difference of two models varies by τ from group to group; μ is flat,
both spreads are half-t, and on a grid. Given them all is normal: the average μ, a new group, and each one at hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.laws.spread import SCALE, TAILS, log_half_t, spread_edges

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

    def __post_init__(self) -> None:
        n_groups, n_models = self.scores.shape
        if self.covariances.shape != (n_groups, n_models, n_models):
            raise ValueError(
                f"{n_groups} groups of {n_models} models need covariances of shape {(n_groups, n_models, n_models)}, "
                f"not {self.covariances.shape}"
            )

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
