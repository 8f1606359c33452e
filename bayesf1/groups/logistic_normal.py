r"""Corpora whose logits scatter around the population's, hard for all models alike: the logistic-normal.

Counts of corpus g are multinomial with shares softmax(μ + D u_g + v_g): μ the population's logits, with shares
softmax(μ) ~ Dirichlet(λ); :math:`u_{gc} \sim N(0, \sigma_c^2)` effects of the corpus on a cell of every model;
:math:`v_{gbj} \sim N(0, \tau^2)` interactions; σ and τ half-normal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.groups.dirichlet_multinomial import log_coefficient
from bayesf1.groups.likelihood import Draws, Likelihood
from bayesf1.groups.logistic_normal_density import log_density
from bayesf1.groups.simplex import contrasts, draw_dirichlet, log_softmax, softmax

_BLOCK = 1 << 20


@dataclass(frozen=True)
class LogisticNormal(Likelihood):
    """The likelihood and what follows from draws of ``pi``, ``group_sd``, ``interaction_sd`` and ``shares``.

    ``pi`` (..., block, outcome) are the shares of a corpus without effects, ``shares`` (..., group, block,
    outcome) those of the corpora at hand.
    """

    name: ClassVar[str] = "logistic-normal"

    @cached_property
    def design(self) -> FloatArray:
        """How much of each cell an outcome is, on average over models, and so feels of its effect (outcome, cell)."""
        outcomes = self.groups.outcomes
        return np.ascontiguousarray(outcomes.mean(axis=1)) if self.groups.joint else np.eye(len(outcomes))

    @cached_property
    def basis(self) -> FloatArray:
        """Contrasts of the outcomes, axes (contrast, outcome)."""
        return contrasts(self.groups.counts.shape[-1])

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the coordinates in which the posterior is sampled, in order."""
        groups, blocks, outcomes = self.groups.counts.shape
        cells = self.design.shape[1]
        return {
            "average": (blocks, outcomes - 1),
            "s_u": (cells,),
            "s_v": (),
            "z_u": (groups, cells),
            "z_v": (groups, blocks, outcomes - 1),
        }

    @cached_property
    def turn(self) -> FloatArray:
        """Contrasts between corpora, axes (contrast, group)."""
        return contrasts(len(self.groups.names))

    @cached_property
    def known(self) -> tuple[FloatArray, FloatArray]:
        """About what the data know of rotated u (group, cell) and v (group, block, contrast), as precisions."""
        of_v = (1.0 / (self.groups.counts + 1.0)) @ np.square(self.basis).T
        seen = (self.groups.counts @ self.design).sum(axis=1)
        # Interactions blur what is known of effects on all models.
        of_u = 1.0 / (seen + 1.0) + np.square(0.3 * self.prior.interaction_sd)
        # Of the average over corpora the data know nothing beside the average logits.
        u, v = (
            np.insert(1.0 / np.tensordot(np.square(self.turn), variance, axes=1), 0, 0.0, axis=0)
            for variance in (of_u, of_v)
        )
        return u, v

    def free(self, s_u: Any, s_v: Any) -> tuple[Any, Any]:
        """Return how free of the data the scales of u and v are, for signed deviations (..., cell) and (...)."""
        known_u, known_v = self.known
        of_v = known_v * s_v[..., None, None, None] ** 2
        return 1.0 / (1.0 + known_u * s_u[..., None, :] ** 2), 1.0 / (1.0 + of_v)

    @property
    def start(self) -> FloatArray:
        """A point near the middle of the posterior: the corpora's average logits, small effects."""
        seen = np.log(self.groups.counts + self.alpha + 0.5).mean(axis=0) @ self.basis.T
        parts = {
            "average": seen,
            "s_u": np.full(self.design.shape[1], 0.3 * self.prior.group_sd),
            "s_v": np.array(0.3 * self.prior.interaction_sd),
        }
        return np.concatenate([parts.get(name, np.zeros(s)).ravel() for name, s in self.shapes.items()])

    @property
    def log_density(self) -> Callable[..., float]:
        """The log posterior, for numba."""
        return log_density

    @property
    def fixed(self) -> tuple[FloatArray | float, ...]:
        """Counts, prior, how effects reach outcomes, and what the data know of them."""
        known = np.concatenate([part.ravel() for part in self.known])
        scales = self.prior.group_sd, self.prior.interaction_sd
        return self.groups.counts, self.alpha, self.design, self.basis, known, *scales

    def unpack(self, q: FloatArray) -> Draws:
        """Return coordinates (..., number) by name."""
        ends = np.cumsum([math.prod(shape) for shape in self.shapes.values()])
        parts = zip(self.shapes.items(), np.split(q, ends[:-1], axis=-1), strict=True)
        return {name: part.reshape(q.shape[:-1] + shape) for (name, shape), part in parts}

    def read(self, q: FloatArray) -> Draws:
        """Return what coordinates (..., number) stand for."""
        return self.draws_of(self.unpack(q))

    def draws_of(self, named: Draws) -> Draws:
        """Return what coordinates by name stand for."""
        s_u, s_v = named["s_u"], np.asarray(named["s_v"])
        free_u, free_v = self.free(s_u, s_v)
        u = named["z_u"] * s_u[..., None, :] * np.sqrt(free_u)
        v = named["z_v"] * s_v[..., None, None, None] * np.sqrt(free_v)
        turned = (u @ self.design.T)[..., None, :] + v @ self.basis
        between = np.einsum("hg,...hbj->...gbj", self.turn, turned[..., 1:, :, :])
        # A coordinate is the average over corpora; the population's mean is where effects are nought.
        average = named["average"] @ self.basis
        mean = average - turned[..., 0, :, :] / math.sqrt(len(self.groups.names))
        return {
            "pi": softmax(mean),
            "group_sd": np.abs(s_u),
            "interaction_sd": np.abs(s_v),
            "shares": softmax(average[..., None, :, :] + between),
        }

    def pymc_model(self) -> Any:
        """Return the model as PyMC has it."""
        import pymc as pm
        from pytensor import tensor

        # PyTensor is typed in parts only.
        pt: Any = tensor
        counts, prior, shapes = self.groups.counts, self.prior, self.shapes

        def log_shares(logits: Any) -> Any:
            return logits - pt.logsumexp(logits, axis=-1, keepdims=True)

        with pm.Model() as model:
            start = self.unpack(self.start)
            average = pm.Flat("average", shape=shapes["average"], initval=start["average"])
            s_u = pm.Normal("s_u", 0.0, prior.group_sd, shape=shapes["s_u"], initval=start["s_u"])
            s_v = pm.Normal("s_v", 0.0, prior.interaction_sd, initval=start["s_v"])
            z_u, z_v = (pm.Flat(name, shape=shapes[name]) for name in ("z_u", "z_v"))
            free_u, free_v = self.free(s_u, s_v)
            for name, z, free in (("u", z_u, free_u), ("v", z_v, free_v)):
                pm.Potential(name, (0.5 * pt.log(free) - 0.5 * z**2 * free).sum())
            u, v = z_u * s_u * pt.sqrt(free_u), z_v * s_v * pt.sqrt(free_v)
            turned = pt.dot(u, self.design.T)[:, None, :] + pt.tensordot(v, self.basis, axes=1)
            logits = pt.dot(average, self.basis)
            mean = logits - turned[0] / math.sqrt(len(counts))
            between = pt.tensordot(self.turn.T, turned[1:], axes=1)
            pm.Potential("shares", (self.alpha * log_shares(mean)).sum())
            pm.Potential("counts", (counts * log_shares(logits + between)).sum())
        return model

    def prior_draws(self, n: int, rng: np.random.Generator) -> Draws:
        """Draw from the prior; shares of the corpora at hand are among the draws."""
        draws = {
            "pi": draw_dirichlet(np.broadcast_to(self.alpha, (n, *self.alpha.shape)), rng),
            "group_sd": self.prior.group_sd * np.abs(rng.standard_normal((n, self.design.shape[1]))),
            "interaction_sd": self.prior.interaction_sd * np.abs(rng.standard_normal(n)),
        }
        groups = [self.new_shares(draws, rng) for _ in self.groups.names]
        return {**draws, "shares": np.stack(groups, axis=1)}

    def new_shares(self, draws: Draws, rng: np.random.Generator) -> FloatArray:
        """Draw the shares of a new corpus, axes (..., block, outcome)."""
        sigma, tau, pi = draws["group_sd"], draws["interaction_sd"], draws["pi"]
        shared = (sigma * rng.standard_normal(sigma.shape)) @ self.design.T
        own = tau[..., None, None] * rng.standard_normal(pi.shape)
        return softmax(np.log(np.maximum(pi, 1e-300)) + shared[..., None, :] + own)

    def corpus_shares(self, draws: Draws, rng: np.random.Generator) -> FloatArray:
        """Return the shares of the corpora at hand, axes (..., group, block, outcome)."""
        return draws["shares"]

    def log_likelihood(self, draws: Draws) -> FloatArray:
        """Return the log likelihood of each corpus, its effects integrated out by Laplace's method.

        Conditional on its own effects a corpus would hardly be left out by leave-one-out, so that the two
        likelihoods could not be compared.
        """
        lead = draws["interaction_sd"].shape
        flat = {name: value.reshape(-1, *value.shape[len(lead) :]) for name, value in draws.items()}
        n, (groups, blocks, outcomes) = len(flat["pi"]), self.groups.counts.shape
        step = max(1, _BLOCK // (groups * (blocks * outcomes) ** 2))
        parts = [
            self._laplace({name: value[i : i + step] for name, value in flat.items()})
            for i in range(0, n, step)
        ]
        coefficients = log_coefficient(self.groups.counts).sum(axis=-1)
        return np.asarray(np.concatenate(parts).reshape(*lead, groups) + coefficients)

    def _laplace(self, draws: Draws) -> FloatArray:
        counts, basis = self.groups.counts, self.basis
        groups, blocks, _ = counts.shape
        k = len(basis)
        size = blocks * k
        mean = np.log(np.maximum(draws["pi"], 1e-300))
        reach = basis @ self.design
        shared = (reach * np.square(draws["group_sd"])[:, None, :]) @ reach.T
        covariance = np.tile(shared, (1, blocks, blocks))
        covariance += np.square(draws["interaction_sd"])[:, None, None] * np.eye(size)
        precision = np.linalg.inv(covariance)[:, None]
        log_det = np.linalg.slogdet(covariance)[1]
        n = counts.sum(axis=-1)
        # The draw itself is near the mode of its corpus' effects.
        start = (np.log(np.maximum(draws["shares"], 1e-300)) - mean[:, None]) @ basis.T
        effects = start.reshape(len(mean), groups, size)
        for _ in range(20):
            logits = log_softmax(mean[:, None] + effects.reshape(len(mean), groups, blocks, k) @ basis)
            shares = np.exp(logits)
            pulled = (effects[..., None, :] @ precision)[..., 0, :]
            slope = ((counts - n[..., None] * shares) @ basis.T).reshape(effects.shape) - pulled
            spread = (basis * shares[..., None, :]) @ basis.T
            centre = shares @ basis.T
            fisher = n[..., None, None] * (spread - centre[..., :, None] * centre[..., None, :])
            # Blocks are independent given the effects.
            apart = np.einsum("...bij,bc->...bicj", fisher, np.eye(blocks))
            curvature = apart.reshape(*effects.shape, size) + precision
            step = np.linalg.solve(curvature, slope[..., None])[..., 0]
            if np.abs(step).max() < 1e-4:
                break
            effects = effects + step / np.maximum(np.abs(step).max(axis=-1, keepdims=True) / 2.0, 1.0)
        height = (counts * logits).sum(axis=(-2, -1)) - 0.5 * (pulled * effects).sum(axis=-1)
        return np.asarray(height - 0.5 * (log_det[:, None] + np.linalg.slogdet(curvature)[1]))
