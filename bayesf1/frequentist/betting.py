r"""Bets on which of two models is better, whose gains may be looked at after every unit.

A measure such as F1 is a ratio :math:`\nu = E N / E L` of what a unit adds to its numerator and to its denominator. That
is the unit's load, of which the largest is 1 here. If :math:`\nu_A = f` and :math:`\nu_B \le f + d`, then the *contrast*

.. math:: x(f, d) = (N_B - (f + d) L_B) - (N_A - f L_A), \qquad |x| \le 2,

has a mean of at most 0, and the capital :math:`K_\lambda = \prod_i (1 + \lambda x_i)` of whoever stakes
:math:`0 < \lambda \le 1/2` on B is a supermartingale: by Ville's inequality it ever reaches c with probability 1/c at
most, whenever one looks and stops. So is a mixture of stakes, :math:`K(f, d) = \sum_k w_k K_{\lambda_k}(f, d)`. As
stakes do not change, it depends on how many units of each kind were seen, and not on their order.

Nobody knows f. A second capital :math:`Y(f)`, of bets for and against :math:`N_A - f L_A`, grows where f is not A's score,
and

.. math:: G(d) = \min_f \tfrac12 \bigl(K(f, d) + Y(f)\bigr)

is at most the supermartingale of the true f, so that :math:`G(d) \ge c` speaks against :math:`\nu_B - \nu_A \le d`. Each
:math:`\log K_\lambda` is concave in f, hence between two values of f at least the smaller of those at both: the minimum
is bounded from below without a search. The same is done with B's score for f, and the mean of both is taken, so that
swapping the models swaps the answer. Where both models have the same load on every unit, as with accuracy and recall,
the contrast knows no f at all and :math:`G(d) = K(d)`; with :math:`d = 0` that is a bet on who wins the units on which the
models differ.

A sentence or a document may have any load, and without a bound nothing can be staked on a mean. Where nobody knows one,
bets reckon with the largest load so far, rounded up to a power of √2: the *rung* r. What is claimed is then claimed *if no
unit has a load above r*, and that is all that a claim needs. Let R be the rung of the largest load that there is. No look
is ever on a higher one, so that a claim whose condition is true is one of those made on the rung R, all of them by the
stakes of R, which no unit can ruin: their capital is a supermartingale from the first unit on, and such a claim is ever
wrong with the probability that was promised. A bet against :math:`\nu_B - \nu_A \le d` is ruined by
:math:`\lambda (1 + d) > 1` at the earliest, since :math:`x \ge -(1 + d)` for any f.

With no bound at all bets can be *soft*. If the models' outputs on a unit could as well be swapped, which is what a
randomisation test supposes, the sign of the contrast is a fair coin whatever its size, and
:math:`\prod_i (1 + \tanh \lambda x_i)` is fair. Their f is taken from within five standard errors of the score. For
models that only have the same score :math:`\log K` still falls on average,
:math:`E \log(1 + \tanh\lambda x) = -E \log\cosh\lambda x`, but units that are rare and outweigh all others may come too late:
a quarter of such cases and more were decided wrongly (docs/decisions.md).

References
----------
Waudby-Smith & Ramdas (2024), *Estimating means of bounded random variables by betting*, JRSS B 86; Ville (1939).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray

# Cells of f around the score, in standard errors, and over all that there is.
_NEAR, _REACH, _FAR = 161, 12.0, 41
_SOFT_REACH = 5.0


@dataclass(frozen=True, eq=False)
class Stakes:
    """Stakes in parts of what a unit of load 1 can win, and their weights; `soft` ones cannot be ruined."""

    sizes: FloatArray
    weights: FloatArray
    soft: bool = False


def _harmonic(n: int) -> FloatArray:
    weights = 1.0 / np.arange(1.0, n + 1.0)
    return np.asarray(weights / weights.sum())


# From half the capital on units of the largest load to a two-hundredth of that, which only many units reward.
OF_ITEMS = Stakes(np.exp2(-1.0 - 0.5 * np.arange(16.0)), _harmonic(16))
SOFT = Stakes(OF_ITEMS.sizes, OF_ITEMS.weights, soft=True)
# From what a unit of the largest load can just ruin.
BOUNDED = Stakes(np.exp2(-0.5 * np.arange(20.0)), _harmonic(20))


def rung(load: float) -> float:
    """Return the smallest power of √2 that is at least a load, and at least 1.

    Examples
    --------
    >>> [round(rung(load), 2) for load in (0.0, 3.5, 4.0, 12.0)]
    [1.0, 4.0, 4.0, 16.0]
    """
    steps = max(0, math.ceil(2.0 * math.log2(max(load, 1.0)) - 1e-9))
    return math.exp2(0.5 * steps)


@dataclass(frozen=True, eq=False)
class Wagers:
    """Units by what they add, in parts of the largest load, and how many of each kind there are.

    Attributes
    ----------
    shares, loads
        What a unit of each kind adds to numerator and denominator, axes (model, kind), models A and B.
    counts
        How many there are, axes (..., kind): a row for each look.
    same_loads
        Whether both models have the same load on whatever unit may come.
    stakes
        What is staked; loads are at most 1 where stakes are not soft.

    Examples
    --------
    Of 40 units on which the models differ B wins 32.

    >>> wagers = Wagers(np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones((2, 2)), np.array([32.0, 8.0]), same_loads=True)
    >>> round(float(np.exp(wagers.log_capital(0.0))), 1)
    588.3
    """

    shares: FloatArray
    loads: FloatArray
    counts: FloatArray
    same_loads: bool
    stakes: Stakes = OF_ITEMS

    @property
    def mirrored(self) -> Wagers:
        """The same with the models swapped."""
        return replace(self, shares=self.shares[::-1], loads=self.loads[::-1])

    def log_capital(self, difference: float) -> FloatArray:
        """Return log G(d), for each look: what a bet against ν_B - ν_A ≤ d has won."""
        if self.same_loads:
            x = self.shares[1] - self.shares[0] - difference * self.loads[0]
            return self._bets(x[:, None], difference)[..., 0]
        found = [self._least(difference, own) for own in (0, 1)]
        return np.asarray(np.logaddexp(*found) - np.log(2.0))

    def _least(self, d: float, own: int) -> FloatArray:
        """Return the logarithm of the least capital over all scores of A, or of B."""
        # Scores that go with a difference of at most d; beyond the corner the other's score is at its end.
        low, high = (max(0.0, -d), 1.0) if own == 0 else (0.0, min(1.0, 1.0 + d))
        f = self._scores(own, low, high, d)
        f_a, f_b = (f, np.minimum(f + d, 1.0)) if own == 0 else (np.maximum(f - d, 0.0), f)
        x = self._excess(1, f_b) - self._excess(0, f_a)
        bets = self._bets(x, d)
        if self.stakes.soft:
            return np.asarray(bets.min(axis=-1))
        excess = self._excess(own, f)
        known = np.logaddexp(self._bets(excess), self._bets(-excess)) - np.log(2.0)
        return np.asarray((np.logaddexp(bets, known) - np.log(2.0)).min(axis=-1))

    def _bets(self, x: FloatArray, d: float = 0.0) -> FloatArray:
        """Return the logarithm of the capital of all stakes that no contrast can ruin, in each cell of f."""
        safe = self.stakes.sizes * (1.0 + max(d, 0.0)) <= 1.0 + 1e-12
        if self.stakes.soft:
            safe[:] = True
        logs = _cells(self._won(x, self.stakes.sizes[safe]))
        return np.asarray(special.logsumexp(logs + np.log(self.stakes.weights[safe])[:, None], axis=-2))

    def _excess(self, model: int, f: FloatArray) -> FloatArray:
        """Return what units add beyond a score, axes (kind, score)."""
        return np.asarray(self.shares[model][:, None] - self.loads[model][:, None] * f)

    def _scores(self, own: int, low: float, high: float, d: float) -> FloatArray:
        """Return ends of the cells of f, narrow where it probably is; the bound holds for any."""
        total = self.counts.reshape(-1, self.counts.shape[-1])[-1]
        load = max(float(total @ self.loads[own]), 1.0)
        near = float(total @ self.shares[own]) / load
        error = np.sqrt(total @ self._excess(own, np.array([near]))[:, 0] ** 2 + 1.0) / load
        corner = 1.0 - d if own == 0 else d
        reach = _SOFT_REACH if self.stakes.soft else _REACH
        ends = near + reach * error * np.linspace(-1.0, 1.0, _NEAR)
        if self.stakes.soft:
            corner = np.clip(corner, ends[0], ends[-1])
        else:
            ends = np.concatenate([ends, np.linspace(low, high, _FAR)])
        return np.unique(np.clip([*ends, corner], low, high))

    def _won(self, x: FloatArray, stakes: FloatArray) -> FloatArray:
        """Return log K of every stake, axes (..., stake, score), from contrasts (kind, score)."""
        bets = stakes[:, None] * x[:, None, :]
        if self.stakes.soft:
            logs = np.log(2.0) + special.log_expit(2.0 * bets)
        else:
            with np.errstate(divide="ignore"):
                # A unit that ruins a bet must not make it undefined where none was seen.
                logs = np.maximum(np.log1p(np.maximum(bets, -1.0)), -1e6)
        return np.asarray(np.tensordot(self.counts, logs, axes=1))


def _cells(values: FloatArray) -> FloatArray:
    """Return the smaller of the values at the ends of each cell; at the only score there is, its value."""
    return np.minimum(values[..., 1:], values[..., :-1]) if values.shape[-1] > 1 else values
