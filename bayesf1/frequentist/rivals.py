r"""Two models that differ by as much as one likes, on units such as those of a pilot.

A pilot tells how often two models differ on a unit, and in what; who is right there is what a plan supposes. So every
unit may also occur with the models' outputs swapped, and a unit of kind p favours B with probability
:math:`\mathrm{expit}(\lambda \psi_p)`, where :math:`\psi_p` is what it adds to the difference of the scores:
exponential tilting, with :math:`\lambda` such that the true difference is the supposed one. Neither the gold data nor
how often the models agree change with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.base.naming import plural
from bayesf1.base.roots import crossing
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.kind import Score
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.stretch import Worth

_STEP = 1e-6
# Tilts beyond this one are as good as certainty.
_STEEPEST = 200.0


@dataclass(frozen=True, eq=False)
class Rivals:
    """Units of a pilot, and of the prior, by what they add to the sums that a measure is a function of."""

    # Mean of what a unit of each kind adds to A's and to B's sums, what it adds to B's beyond A's, axes (kind, sum), and
    # how many units of each kind there are; those of the prior all have one weight.
    middle: FloatArray
    net: FloatArray
    weights: FloatArray
    score: Score
    prior_middle: FloatArray
    prior_net: FloatArray
    prior_weight: float
    # What the pilot's units are worth where they are bootstrapped, None where they are single items.
    worth: Worth | None = None

    @property
    def size(self) -> float:
        """Number of units of the pilot."""
        return float(self.weights.sum())

    @property
    def agreement(self) -> float:
        """Share of the units on which both models do the same, as far as the measure counts it."""
        return float(self.weights[~self.net.any(axis=1)].sum() / self.size)

    @cached_property
    def gain(self) -> FloatArray:
        """What a unit of each kind adds to the difference of the scores, ψ, to first order."""
        slopes = _slopes(self.score, (self.weights @ self.middle)[None])[0]
        return np.asarray(slopes @ self.net.T)

    @property
    def spread(self) -> float:
        """Standard deviation of the observed difference, times the root of the number of units."""
        return float(np.sqrt(self.size * (self.weights @ self.gain**2)))

    @property
    def largest(self) -> float:
        """The difference if B were right wherever the models differ."""
        return self._difference(np.where(self.gain > 0, 1.0, np.where(self.gain < 0, 0.0, 0.5)))

    def shares(self, difference: float) -> FloatArray:
        """Return how often a unit of each kind is as it is, not swapped, where the models differ this much."""
        if difference <= 0.0:
            return np.full(len(self.gain), 0.5) if difference == 0.0 else 1.0 - self.shares(-difference)
        steepness = self.gain / np.abs(self.gain).max()
        tilt = crossing(
            lambda x: np.asarray(self._difference(special.expit(x * steepness)) - difference),
            np.zeros(()),
            np.asarray(_STEEPEST),
        )
        return np.asarray(special.expit(tilt * steepness))

    def _difference(self, shares: FloatArray) -> float:
        total, moved = self.weights @ self.middle, (self.weights * (shares - 0.5)) @ self.net
        return float(self.score(total + moved) - self.score(total - moved))

    def probabilities(
        self, n_units: int, shares: FloatArray, n_sets: int, rng: np.random.Generator, margin: float = 0.0
    ) -> FloatArray:
        """Return P(H1), or P(ν_B - ν_A > -margin), on each of `n_sets` test sets of `n_units` units."""
        masses = np.concatenate([self.weights * shares, self.weights * (1.0 - shares)]) / self.size
        blocks = (rng.multinomial(n_units, masses, size=n) for n in blocks_of(n_sets, 4 * len(masses)))
        halves = (np.hsplit(counts.astype(float), 2) for counts in blocks)
        p = np.concatenate([self._p_h1(kept, swapped, margin) for kept, swapped in halves])
        return p if self.worth is None else self._stretched(p, n_units, self.worth)

    def _stretched(self, p: FloatArray, n_units: int, worth: Worth) -> FloatArray:
        """Return the probabilities as a bootstrap over so many units has them, with a t law for a normal one."""
        more = n_units / self.size
        freedom = max(worth.units * more - 1.0, 1.0)
        seen = max(1.0 - (1.0 - worth.seen) / more, 1e-6)
        return np.asarray(special.stdtr(freedom, np.sqrt(seen) * special.ndtri(p.clip(1e-300, 1.0 - 1e-16))))

    def _p_h1(self, kept: FloatArray, swapped: FloatArray, margin: float = 0.0) -> FloatArray:
        r"""Return P(ν_B - ν_A > -m) given how many units of each kind were seen as they are, and swapped.

        With weights :math:`\gamma_p \sim \mathrm{Gamma}(n_p)`, B is ahead iff :math:`m + \sum_p \gamma_p \psi_p > 0` up to
        terms of third order in the difference, with ψ at the mean of both tables. What speaks for B and what speaks
        for A are two gamma variates, exactly where all units weigh the same (recall, accuracy) and by their first two
        moments else; their ratio follows a Beta law.
        """
        middle = (kept + swapped) @ self.middle + self.prior_weight * self.prior_middle.sum(axis=0)
        slopes = _slopes(self.score, middle)
        differs = self.net.any(axis=1)
        prior = np.full((len(kept), len(self.prior_net)), self.prior_weight)
        net = np.concatenate([self.net[differs], self.prior_net])
        plus = np.concatenate([kept[:, differs], prior], axis=1)
        minus = np.concatenate([swapped[:, differs], np.zeros_like(prior)], axis=1)
        gain = slopes @ net.T
        dot = partial(np.einsum, "sk,sk->s")
        up, down = np.maximum(gain, 0.0), np.maximum(-gain, 0.0)
        powers = (up, down), (up * up, down * down)
        for_b = np.array([dot(plus, up) + dot(minus, down) for up, down in powers])
        for_a = np.array([dot(plus, down) + dot(minus, up) for up, down in powers])
        for_b[0] += margin
        return _first_is_larger(for_b, for_a)


def _first_is_larger(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the probability that the first of two gamma variates, given by mean and variance, is the larger."""
    some = (first[0] > 0) & (second[0] > 0)
    p = np.where(first[0] > 0, 1.0, np.where(second[0] > 0, 0.0, 0.5))
    (mean_b, var_b), (mean_a, var_a) = first[:, some], second[:, some]
    # A margin without any unit for B is as good as one of no doubt.
    var_b = np.maximum(var_b, 1e-12 * mean_b**2)
    scale_b, scale_a = var_b / mean_b, var_a / mean_a
    p[some] = special.betaincc(mean_b / scale_b, mean_a / scale_a, scale_a / (scale_a + scale_b))
    return p


def _slopes(score: Score, sums: FloatArray) -> FloatArray:
    """Return the derivative of a measure by each of its sums, axes (set, sum); steps go up, away from 0."""
    step = _STEP * np.abs(sums).sum(axis=1)
    start = score(sums)
    slopes = np.empty_like(sums)
    for j in range(sums.shape[1]):
        moved = sums.copy()
        moved[:, j] += step
        slopes[:, j] = (score(moved) - start) / step
    return slopes


def rivals(ev: Evaluation, measure: Metric, prior: float) -> Rivals:
    """Return the units of a pilot of two models, ready to be drawn again with another true difference."""
    if ev.units is None or not ev.units.shared or ev.shape:
        raise ValueError(
            "a pilot must tell what both models did on each unit, but only totals are known; build it from "
            "predictions (from_labels, from_tags, from_frame), or suppose an agreement by assumed_pilot"
        )
    sums, score = ev.kind.sums(measure)
    flat, n_cells = ev.units.rows, len(ev.cells)
    both = [part @ sums for part in (flat[:, :n_cells], flat[:, n_cells:])]
    dense = [part.toarray() if hasattr(part, "toarray") else part for part in both]
    kinds, which = np.unique(np.concatenate(dense, axis=1), axis=0, return_inverse=True)
    weights = np.bincount(which.ravel(), weights=ev.units.weights, minlength=len(kinds)).astype(float)
    of_a, of_b = np.split(kinds[weights > 0], 2, axis=1)
    if np.array_equal(of_a, of_b):
        raise ValueError(
            f"{ev.models[0]} and {ev.models[1]} did the same on every {ev.unit} of the pilot, as far as "
            f"{measure.label} counts it, so it cannot tell how often they differ; take more {plural(ev.unit)}"
        )
    under = ev.under()
    # Of many cells the prior says next to nothing of each.
    known = ev.kind.joint_outcomes(2)
    outcomes = np.zeros((0, 2, n_cells)) if known is None else known
    prior_a, prior_b = outcomes[:, 0] @ sums, outcomes[:, 1] @ sums
    return Rivals(
        middle=0.5 * (of_a + of_b),
        net=of_b - of_a,
        weights=weights[weights > 0],
        score=score,
        prior_middle=0.5 * (prior_a + prior_b),
        prior_net=prior_b - prior_a,
        prior_weight=0.5 * prior,
        worth=under.worth(measure) if under.bootstraps else None,
    )
