r"""Corpora whose tables scatter around the population's: the Dirichlet-multinomial.

Counts of corpus g and model m are multinomial with shares :math:`p_{mg} \sim \mathrm{Dirichlet}(\kappa_m\pi_m)`,
which are integrated out:

.. math:: P(y \mid \pi, \kappa) = \binom{n}{y} \frac{\Gamma(\kappa)}{\Gamma(\kappa + n)}
          \prod_c \frac{\Gamma(\kappa\pi_c + y_c)}{\Gamma(\kappa\pi_c)}.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.groups.dirichlet_multinomial_density import log_density
from bayesf1.groups.likelihood import Draws, Likelihood
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.simplex import contrasts, draw_dirichlet, log_softmax, softmax

_LARGE = 1e5
_TINY = 1e-300


def log_rising(a: FloatArray, y: FloatArray) -> FloatArray:
    """Return log Γ(a + y) - log Γ(a), exactly 0 for y = 0 and without cancellation for large `a`.

    Examples
    --------
    >>> float(log_rising(np.array(2.0), np.array(3.0))), float(np.log(2 * 3 * 4))
    (3.178053..., 3.178053...)
    >>> round(float(log_rising(np.array(1e18), np.array(1.0))), 12) == round(float(np.log(1e18)), 12)
    True
    """
    a, y = np.broadcast_arrays(np.maximum(a, _TINY), y)
    out = np.asarray(special.gammaln(a + y) - special.gammaln(a))
    large = a > _LARGE
    if large.any():
        b, x = a[large], y[large]
        # Stirling's series of both, the large terms cancelled by hand.
        out[large] = (b - 0.5) * np.log1p(x / b) + x * np.log(b + x) - x + (1.0 / (b + x) - 1.0 / b) / 12.0
    return np.asarray(np.where(y == 0.0, 0.0, out))


def log_probability(counts: FloatArray, shares: FloatArray, log_kappa: FloatArray) -> FloatArray:
    """Return the log probability of counts (..., outcome), up to the multinomial coefficient."""
    kappa = np.exp(log_kappa)
    gained = log_rising(kappa[..., None] * shares, counts).sum(axis=-1)
    return np.asarray(gained - log_rising(kappa, counts.sum(axis=-1)))


def log_coefficient(counts: FloatArray) -> FloatArray:
    """Return the logarithm of the multinomial coefficient of counts (..., outcome)."""
    return np.asarray(special.gammaln(counts.sum(axis=-1) + 1.0) - special.gammaln(counts + 1.0).sum(axis=-1))


@dataclass(frozen=True)
class DirichletMultinomial(Likelihood):
    """The likelihood and what follows from draws of ``pi`` (..., block, outcome) and ``log_kappa`` (..., block)."""

    name: ClassVar[str] = "dirichlet"

    @property
    def start(self) -> FloatArray:
        """A point near the middle of the posterior: contrasts of π's logits (block, k), then log κ (block)."""
        seen = np.log(self.groups.counts.sum(axis=0) + self.alpha) @ contrasts(self.alpha.shape[1]).T
        return np.concatenate([seen.ravel(), np.full(len(self.alpha), np.log(self.prior.kappa))])

    @property
    def log_density(self) -> Callable[..., float]:
        """The log posterior, for numba."""
        return log_density

    @property
    def fixed(self) -> tuple[FloatArray | float, ...]:
        """Counts, prior, and contrasts of the outcomes."""
        kappa = math.log(self.prior.kappa), self.prior.log_kappa_sd
        return self.groups.counts, self.alpha, contrasts(self.alpha.shape[1]), *kappa

    def read(self, q: FloatArray) -> Draws:
        """Return what such coordinates (..., number) stand for."""
        blocks, outcomes = self.alpha.shape
        logits = q[..., :-blocks].reshape((*q.shape[:-1], blocks, outcomes - 1)) @ contrasts(outcomes)
        return {"pi": softmax(logits), "log_kappa": q[..., -blocks:]}

    def pymc_model(self) -> Any:
        """Return the model as PyMC has it."""
        import pymc as pm
        from pytensor import tensor

        # PyTensor is typed in parts only.
        pt: Any = tensor
        counts, alpha, prior = self.groups.counts, self.alpha, self.prior
        with pm.Model() as model:
            pi = pm.Dirichlet("pi", alpha)
            log_kappa = pm.Normal("log_kappa", np.log(prior.kappa), prior.log_kappa_sd, shape=len(alpha))
            a = pt.exp(log_kappa)[:, None] * pi
            rising = (pt.gammaln(a + counts) - pt.gammaln(a)).sum(axis=-1)
            kappa = a.sum(axis=-1)
            items = pt.gammaln(kappa + counts.sum(axis=-1)) - pt.gammaln(kappa)
            pm.Potential("counts", (rising - items).sum())
        return model

    def prior_draws(self, n: int, rng: np.random.Generator) -> Draws:
        """Draw from the prior; shares of the corpora at hand are among the draws."""
        alpha, prior = self.alpha, self.prior
        log_kappa = np.log(prior.kappa) + prior.log_kappa_sd * rng.standard_normal((n, len(alpha)))
        pi = draw_dirichlet(np.broadcast_to(alpha, (n, *alpha.shape)), rng)
        each = (np.exp(log_kappa)[..., None] * pi)[:, None].repeat(len(self.groups.names), axis=1)
        return {"pi": pi, "log_kappa": log_kappa, "shares": draw_dirichlet(each, rng)}

    def new_shares(self, draws: Draws, rng: np.random.Generator) -> FloatArray:
        """Draw the shares of a new corpus, axes (..., block, outcome)."""
        return draw_dirichlet(np.exp(draws["log_kappa"])[..., None] * draws["pi"], rng)

    def corpus_shares(self, draws: Draws, rng: np.random.Generator) -> FloatArray:
        """Draw the shares of the corpora at hand given their counts, axes (..., group, block, outcome)."""
        base = np.exp(draws["log_kappa"])[..., None] * draws["pi"]
        return draw_dirichlet(base[..., None, :, :] + self.groups.counts, rng)

    def log_likelihood(self, draws: Draws) -> FloatArray:
        """Return the log likelihood of each corpus, its own shares integrated out, axes (..., group)."""
        columns = [
            (log_probability(each, draws["pi"], draws["log_kappa"]) + log_coefficient(each)).sum(axis=-1)
            for each in self.groups.counts
        ]
        return np.stack(columns, axis=-1)


def log_density_and_slope(
    x: FloatArray, log_kappa: FloatArray, counts: FloatArray, alpha: FloatArray, prior: HierarchicalPrior
) -> tuple[FloatArray, FloatArray]:
    """Return the log posterior of logits (..., outcome) and log κ (...), and its gradient in the logits.

    `counts` have axes (group, ..., outcome), the Dirichlet parameters `alpha` axes (..., outcome).
    """
    logs = log_softmax(x)
    shares = np.exp(logs)
    a = np.maximum(np.exp(log_kappa)[..., None] * shares, _TINY)
    z = (log_kappa - np.log(prior.kappa)) / prior.log_kappa_sd
    seen = log_probability(counts, shares, log_kappa).sum(axis=0)
    # Pseudo-counts: how often each outcome was seen, discounted by how alike the items of a corpus are.
    pull = a * (special.psi(a + counts) - special.psi(a)).sum(axis=0) + alpha
    slope = pull - shares * pull.sum(axis=-1, keepdims=True)
    return (alpha * logs).sum(axis=-1) + seen - 0.5 * z * z, slope
