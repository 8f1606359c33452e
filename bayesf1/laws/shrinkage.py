r"""Many differences at once, such as one a class: each is shrunk towards the others by as much as they are alike.

Of thirty classes one or two look decided where nothing differs. A model of all of them at once knows that:

.. math:: d \sim N(\theta, S), \quad \theta_k \sim N(\delta, \tau^2), \quad \delta \text{ flat}, \tau \text{ half-}t
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.laws.random_effects import robust_covariance
from bayesf1.laws.spread import SCALE, TAILS, Spread, log_half_t, spread_edges


@dataclass(frozen=True, eq=False)
class Shrunken:
    """Differences that were shrunk towards each other.

    Attributes
    ----------
    draws
        Draws of the differences, axes (draw, group).
    spread
        The posterior of how much they differ among each other.
    """

    draws: FloatArray
    spread: Spread

    @property
    def p_above(self) -> FloatArray:
        """The probability that each difference is above 0."""
        return np.asarray((self.draws > 0.0).mean(axis=0))

    def claimed(self, prob: float = 0.95) -> NDArray[np.bool_]:
        """Return which differences are decided: the central interval of mass `prob` excludes 0."""
        p = self.p_above
        return np.asarray(np.maximum(p, 1.0 - p) >= 0.5 * (1.0 + prob))

    def expected_false(self, prob: float = 0.95) -> float:
        """Return how many of the decided differences are to be expected to have the other sign."""
        p = self.p_above
        return float(np.minimum(p, 1.0 - p)[self.claimed(prob)].sum())


def shrink_draws(
    draws: FloatArray, rng: np.random.Generator, *, scale: float = SCALE, tails: float = TAILS
) -> Shrunken:
    """Shrink differences known by joint posterior draws, axes (draw, group), into as many draws.

    Parameters
    ----------
    draws
        Draws of the differences, such as B minus A in F1 of every class; of the same draw of tables, so that what
        classes have in common is in them.
    rng
        The source of randomness.
    scale, tails
        Scale and degrees of freedom of the half-t prior of the spread.

    Examples
    --------
    Thirty differences that are noise, and one that is not:

    >>> rng = np.random.default_rng(2)
    >>> true = np.append(np.zeros(30), 0.3)
    >>> seen = true + 0.05 * rng.normal(size=31)
    >>> draws = seen + 0.05 * rng.normal(size=(4000, 31))
    >>> found = shrink_draws(draws, rng)
    >>> np.flatnonzero(found.claimed()).tolist(), found.expected_false() < 0.01
    ([30], True)
    """
    return shrink(draws.mean(axis=0), robust_covariance(draws), len(draws), rng, scale=scale, tails=tails)


def shrink(
    values: FloatArray,
    covariance: FloatArray,
    n_draws: int,
    rng: np.random.Generator,
    *,
    scale: float = SCALE,
    tails: float = TAILS,
) -> Shrunken:
    """Shrink values of several groups towards each other.

    Parameters
    ----------
    values, covariance
        What was observed of each group, axes (group,), and its sampling covariance, axes (group, group).
    n_draws, rng
        Number of draws and source of randomness.
    scale, tails
        Scale and degrees of freedom of the half-t prior of the spread.

    Examples
    --------
    >>> d = np.array([0.04, -0.02, 0.03, 0.30])
    >>> found = shrink(d, 0.03**2 * np.eye(4), 20_000, np.random.default_rng(1))
    >>> found.draws.mean(axis=0).round(2).tolist()
    [0.04, -0.01, 0.03, 0.29]
    """
    if values.ndim != 1 or covariance.shape != 2 * values.shape:
        raise ValueError(
            f"values of n groups have a covariance of n × n, not of shapes {values.shape} and {covariance.shape}"
        )
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
        found = log_half_t(tau, scale=scale, tails=tails)
        return np.asarray(found - 0.5 * (np.log(own).sum(axis=1) + np.log(precision) + squares))

    spread = Spread.of(log_density, edges)
    tau = spread.draw(n_draws, rng)
    own, precision, mean = moments(tau)
    delta = mean + rng.standard_normal(n_draws) / np.sqrt(precision)
    # Along the axes of S all is independent.
    before = delta[:, None] * ones
    share = np.square(tau)[:, None] / own
    after = before + share * (seen - before) + np.sqrt(share * roots) * rng.standard_normal(share.shape)
    return Shrunken(after @ turn.T, spread)
