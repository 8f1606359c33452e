r"""Importance sampling of the Dirichlet-multinomial: independent draws, no Markov chain.

Given κ, the posterior of the logits of π is near normal, so the proposal is a grid of log κ with Laplace's
approximation of the rest at each node, and tails of Student's t with 7 degrees of freedom. What the proposal
lacks, weights :math:`w = p/q` make up for; their tail is smoothed by a generalised Pareto law whose shape
k tells whether they can be trusted.

References
----------
Vehtari, Simpson, Gelman, Yao & Gabry (2024), *Pareto smoothed importance sampling*, JMLR 25(72).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.groups.dirichlet_multinomial import DirichletMultinomial, log_density_and_slope
from bayesf1.groups.likelihood import Draws
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.simplex import contrasts, log_softmax, softmax

_NODES = 61
_TAIL = 7.0
# Nodes whose density is e^-20 of the highest are left out.
_NEGLIGIBLE = 20.0
_BLOCK = 1 << 21


class Smoothed(NamedTuple):
    """Normalised weights, their tail smoothed, and the Pareto shape of that tail."""

    weights: FloatArray
    pareto_k: float

    @property
    def ess(self) -> float:
        """Effective number of draws."""
        return float(1.0 / np.square(self.weights).sum())


@dataclass(frozen=True)
class _Proposal:
    """Nodes of log κ with the mode and the scale of the logits' contrasts at each."""

    nodes: FloatArray
    modes: FloatArray
    scales: FloatArray
    log_mass: FloatArray


def sample(
    likelihood: DirichletMultinomial, n_draws: int, rng: np.random.Generator
) -> tuple[Draws, float, float]:
    """Draw from the posterior of every model by itself, as they are independent.

    Returns
    -------
    draws, pareto_k, ess
        ``n_draws`` equally weighted draws of ``pi`` and ``log_kappa``; the worst Pareto shape, and the least
        effective number of draws, of any model.
    """
    blocks = [
        _sample_block(counts, alpha, likelihood.prior, n_draws, rng)
        for counts, alpha in zip(np.moveaxis(likelihood.groups.counts, 1, 0), likelihood.alpha, strict=True)
    ]
    draws = {
        "pi": np.stack([pi for pi, _, _ in blocks], axis=-2),
        "log_kappa": np.stack([log_kappa for _, log_kappa, _ in blocks], axis=-1),
    }
    smoothed = [weights for _, _, weights in blocks]
    ess = min(n_draws * s.ess / len(s.weights) for s in smoothed)
    return draws, max(s.pareto_k for s in smoothed), ess


def _sample_block(
    counts: FloatArray, alpha: FloatArray, prior: HierarchicalPrior, n_draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, Smoothed]:
    proposal = _propose(counts, alpha, prior)
    log_kappa, x, log_q = _draw(proposal, 2 * n_draws, rng)
    log_p = np.empty(len(x))
    step = max(1, _BLOCK // counts.size)
    for start in range(0, len(x), step):
        part = slice(start, start + step)
        log_p[part] = log_density_and_slope(x[part], log_kappa[part], counts[:, None], alpha, prior)[0]
    smoothed = smooth_weights(log_p - log_q)
    # Systematic resampling, then shuffled: equally weighted draws in no order.
    points = (np.arange(n_draws) + rng.random()) / n_draws
    chosen = np.searchsorted(np.cumsum(smoothed.weights), points * (1.0 - 1e-12))
    chosen = rng.permutation(np.minimum(chosen, len(x) - 1))
    return softmax(x[chosen]), log_kappa[chosen], smoothed


def _propose(counts: FloatArray, alpha: FloatArray, prior: HierarchicalPrior) -> _Proposal:
    centre, reach = math.log(prior.kappa), 6.0 * prior.log_kappa_sd
    low, high = centre - reach, centre + reach
    for _ in range(6):
        nodes = np.linspace(low, high, _NODES)
        proposal = _laplace(nodes, counts, alpha, prior)
        used = np.flatnonzero(proposal.log_mass > proposal.log_mass.max() - _NEGLIGIBLE)
        first, last = max(used[0] - 1, 0), min(used[-1] + 1, _NODES - 1)
        if last - first > _NODES // 2:
            break
        low, high = nodes[first], nodes[last]
    return proposal


def _laplace(nodes: FloatArray, counts: FloatArray, alpha: FloatArray, prior: HierarchicalPrior) -> _Proposal:
    """Find the mode of the logits at each node by Newton's method, and the curvature there."""
    basis = contrasts(len(alpha))
    share = counts.sum(axis=0) + alpha
    y = np.tile(basis @ np.log(share), (len(nodes), 1))
    for _ in range(50):
        _, slope_x = log_density_and_slope(y @ basis, nodes, counts[:, None], alpha, prior)
        values, vectors = np.linalg.eigh(_curvature(y @ basis, nodes, counts, alpha, basis))
        values = np.maximum(values, 1e-3 * values[:, -1:])
        slope = np.einsum("nij,ni->nj", vectors, slope_x @ basis.T)
        step = np.einsum("nij,nj->ni", vectors, slope / values)
        step /= np.maximum(np.abs(step).max(axis=-1, keepdims=True), 1.0)
        y = y + step
        if np.abs(step).max() < 1e-5:
            break
    height, _ = log_density_and_slope(y @ basis, nodes, counts[:, None], alpha, prior)
    values, vectors = np.linalg.eigh(_curvature(y @ basis, nodes, counts, alpha, basis))
    values = np.maximum(values, 1e-3 * values[:, -1:])
    log_mass = height - 0.5 * np.log(values).sum(axis=-1)
    return _Proposal(nodes, y, vectors / np.sqrt(values)[:, None, :], log_mass)


def _curvature(
    x: FloatArray, log_kappa: FloatArray, counts: FloatArray, alpha: FloatArray, basis: FloatArray
) -> FloatArray:
    """Return minus the second derivative of the log posterior in contrasts of the logits."""
    shares = softmax(x)
    a = np.maximum(np.exp(log_kappa)[:, None] * shares, 1e-300)
    first = (special.psi(a + counts[:, None]) - special.psi(a)).sum(axis=0)
    second = (special.zeta(2.0, a + counts[:, None]) - special.zeta(2.0, a)).sum(axis=0)
    pull = a * first + alpha
    bend = a * (first + a * second)
    total, bends = pull.sum(axis=-1), bend.sum(axis=-1)
    diagonal = np.eye(x.shape[-1]) * (total[:, None] * shares - bend)[:, None, :]
    cross = bend[:, :, None] * shares[:, None, :]
    outer = shares[:, :, None] * shares[:, None, :]
    full = diagonal - (total + bends)[:, None, None] * outer + cross + np.swapaxes(cross, 1, 2)
    return np.asarray(basis @ full @ basis.T)


def _draw(proposal: _Proposal, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draw log κ from the broken line through the nodes, and logits from a t law; return their density, too."""
    nodes, (_, k) = proposal.nodes, proposal.modes.shape
    width = nodes[1] - nodes[0]
    mass = np.exp(proposal.log_mass - proposal.log_mass.max())
    # No node is left to the tails of its neighbours alone.
    mass = mass / mass.sum() + 1e-9
    mass /= mass.sum()
    node = rng.choice(len(nodes), size=n, p=mass)
    log_kappa = nodes[node] + width * rng.triangular(-1.0, 0.0, 1.0, size=n)
    place = np.clip((log_kappa - nodes[0]) / width, -1.0, len(nodes))
    left = np.floor(place).astype(int)
    part = place - left
    padded = np.concatenate([[0.0], mass, [0.0, 0.0]])
    log_q = np.log(((1.0 - part) * padded[left + 1] + part * padded[left + 2]) / width)
    low, high = (np.clip(left + i, 0, len(nodes) - 1) for i in (0, 1))
    mode = (1.0 - part)[:, None] * proposal.modes[low] + part[:, None] * proposal.modes[high]
    scale = proposal.scales[np.where(part < 0.5, low, high)]
    z = rng.standard_normal((n, k)) / np.sqrt(rng.chisquare(_TAIL, size=(n, 1)) / _TAIL)
    y = mode + np.einsum("nij,nj->ni", scale, z)
    log_det = np.linalg.slogdet(scale)[1]
    log_q -= log_det + 0.5 * (_TAIL + k) * np.log1p(np.square(z).sum(axis=-1) / _TAIL)
    return log_kappa, log_softmax(y @ contrasts(k + 1)), log_q


def smooth_weights(log_weights: FloatArray) -> Smoothed:
    """Return importance weights whose largest are replaced by quantiles of a generalised Pareto law.

    ArviZ's ``psislw`` gives the same, but importing it would about double the time of a fit.

    Examples
    --------
    >>> smoothed = smooth_weights(np.random.default_rng(0).normal(size=4000))
    >>> bool(smoothed.pareto_k < 0.7), round(float(smoothed.weights.sum()), 12)
    (True, 1.0)
    """
    log_w = log_weights - log_weights.max()
    n = len(log_w)
    m = int(np.ceil(min(0.2 * n, 3.0 * math.sqrt(n))))
    order = np.argsort(log_w)
    tail, cut = order[-m:], float(log_w[order[-m - 1]])
    excess = np.exp(log_w[tail]) - math.exp(cut)
    shape, scale = _fit_pareto(excess)
    weights = np.exp(log_w)
    if math.isfinite(shape):
        levels = (np.arange(m) + 0.5) / m
        quantiles = scale * np.expm1(-shape * np.log1p(-levels)) / shape
        weights[tail] = np.minimum(quantiles + math.exp(cut), 1.0)
    return Smoothed(weights / weights.sum(), shape)


def _fit_pareto(excess: FloatArray) -> tuple[float, float]:
    """Fit a generalised Pareto law to sorted excesses: shape and scale of Zhang & Stephens (2009)."""
    n = len(excess)
    if excess[-1] <= 1e-12 or excess[(n + 2) // 4 - 1] <= 0.0:
        # Weights that are all alike have no tail to fit.
        return -math.inf, 0.0
    m = 30 + int(math.sqrt(n))
    b = 1.0 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))
    b = b / (3.0 * excess[(n + 2) // 4 - 1]) + 1.0 / excess[-1]
    shapes = np.log1p(-b[:, None] * excess).mean(axis=1)
    profile = n * (np.log(-b / shapes) - shapes - 1.0)
    weights = special.softmax(profile)
    b_mean = float(weights @ b)
    shape = float(np.log1p(-b_mean * excess).mean())
    scale = -shape / b_mean
    # A weak prior around 0.5 steadies the shape for short tails.
    return (n * shape + 5.0) / (n + 10.0), scale
