"""Probabilities of both hypotheses: from the distribution of a difference, or counted over draws."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.distributions.base import Posterior
from bayesf1.inference.comparison import Rope
from bayesf1.inference.control_variate import LinearControl
from bayesf1.inference.posterior import KEPT_DRAWS
from bayesf1.metrics import Metric


class Tails(NamedTuple):
    """The probabilities of a comparison.

    Attributes
    ----------
    p_h0, p_h1
        The probabilities that B is not better than A, and that it is.
    p_less, p_greater
        The probabilities that B is worse than A, or better, by more than the region of practical equivalence.
    """

    p_h0: float
    p_h1: float
    p_less: float
    p_greater: float

    @classmethod
    def from_difference(cls, difference: Posterior, metric: Metric, rope: Rope) -> Tails:
        """Return the probabilities from the posterior of B minus A."""
        above = difference.sf(0.0)
        # A small probability is computed by itself, as 1 - above would lose its digits.
        below = 1.0 - above if above < 0.999 else difference.cdf(0.0)
        tails = cls(p_h0=below, p_h1=above, p_less=below, p_greater=above)
        if rope:
            region = rope.differences(metric)
            tails = tails._replace(p_less=difference.cdf(region.low), p_greater=difference.sf(region.high))
        return tails.mirrored if metric.lower_is_better else tails

    @classmethod
    def from_draws(cls, gains: FloatArray, rope: Rope) -> Tails:
        """Return the probabilities from draws of how much better B is than A."""
        better = [np.mean(gains > margin) + 0.5 * np.mean(gains == margin) for margin in margins_of(rope)]
        return cls.from_shares(np.array(better), rope)

    @classmethod
    def from_shares(cls, shares: FloatArray, rope: Rope) -> Tails:
        """Return the probabilities from the shares of draws in which B is better by more than each of the margins."""
        better, above_low, above_high = np.clip(shares, 0.0, 1.0).tolist()
        tails = cls(p_h0=1.0 - better, p_h1=better, p_less=1.0 - better, p_greater=better)
        if rope:
            tails = tails._replace(p_less=1.0 - above_low, p_greater=above_high)
        return tails

    @property
    def mirrored(self) -> Tails:
        """The probabilities if lower is better."""
        return Tails(p_h0=self.p_h1, p_h1=self.p_h0, p_less=self.p_greater, p_greater=self.p_less)

    def if_alike(self, rope: Rope) -> Tails:
        """Return the probabilities of models that did the same on every unit, whose draws differ by noise alone."""
        tails = self._replace(p_h0=0.5, p_h1=0.5)
        if rope.symmetric:
            beyond = 0.5 * (self.p_less + self.p_greater)
            tails = tails._replace(p_less=beyond, p_greater=beyond)
        return tails


UNKNOWN_TAILS = Tails(p_h0=math.nan, p_h1=math.nan, p_less=math.nan, p_greater=math.nan)


def margins_of(rope: Rope) -> FloatArray:
    """Return the margins by which B may be better: 0, and both ends of the region."""
    return np.array([0.0, rope.low, rope.high])


def share_error(successes: float, n: float) -> float:
    """Return the standard error of a share of draws."""
    # With one more success and one more failure, 0 of n does not claim an error of 0.
    share = (successes + 1.0) / (n + 2.0)
    return math.sqrt(share * (1.0 - share) / n)


class CountedTails(NamedTuple):
    """Probabilities that were counted over draws, and the standard error of P(H1)."""

    tails: Tails
    mcse: float


class DrawCounts:
    """Counts of the draws in which B is better than A by more than each of the margins, for one metric.

    Attributes
    ----------
    metric, rope
        The metric, and the region of practical equivalence.
    control
        The control variate of the draws, if there is one.
    swapped
        Whether B is drawn first and A second.
    n
        The number of draws.
    better, control_better, disagreements
        The numbers of draws in which B is better, in which the control says so, and in which the two disagree, axes
        (margin,); a tie counts half.
    """

    def __init__(self, metric: Metric, rope: Rope, control: LinearControl | None, *, swapped: bool) -> None:
        self.metric = metric
        self.rope = rope
        self.control = control
        self.swapped = swapped
        self.n = 0
        self.margins = margins_of(rope)
        self.better = np.zeros(len(self.margins))
        self.control_better = np.zeros(len(self.margins))
        self.disagreements = np.zeros(len(self.margins))
        self._kept: list[FloatArray] = []

    @property
    def sign(self) -> float:
        """The sign that the second drawn score minus the first has when B is better."""
        return -self.metric.sign if self.swapped else self.metric.sign

    @property
    def scores(self) -> FloatArray:
        """The draws that are kept, axes (draw, model), A first."""
        drawn = np.concatenate(self._kept)
        return drawn[:, ::-1] if self.swapped else drawn

    def add(self, drawn: FloatArray, control_sums: FloatArray | None) -> None:
        """Count a block of draws of both scores, axes (draw, model), and of the control's sums, axes (draw, sum)."""
        gains = self.sign * (drawn[:, 1] - drawn[:, 0])
        # Axes (draw, margin).
        better = (gains[:, None] > self.margins) + 0.5 * (gains[:, None] == self.margins)
        self.better += better.sum(axis=0)
        if self.control is not None:
            assert control_sums is not None
            control_better = self.control.exceeds(control_sums, self.sign, self.margins)
            self.control_better += control_better.sum(axis=0)
            self.disagreements += (better != control_better).sum(axis=0)
        if self.n < KEPT_DRAWS:
            self._kept.append(drawn)
        self.n += len(drawn)

    def tails(self) -> CountedTails:
        """Return the probabilities, with those of the control in place of its counts if that makes the error smaller."""
        shares = self.better / self.n
        error = share_error(self.better[0], self.n)
        if self.control is not None:
            # Only draws that contradict the control are left to chance. Their number is about Poisson; it counts as one
            # more, so that 0 does not claim an error of 0.
            error_with_control = math.sqrt(self.disagreements[0] + 1.0) / self.n
            if error_with_control < error:
                error = error_with_control
                shares = shares - self.control_better / self.n + self.control.sf(self.sign, self.margins)
        return CountedTails(Tails.from_shares(shares, self.rope), error)
