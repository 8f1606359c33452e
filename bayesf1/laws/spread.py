r"""How much do groups differ, beside what sampling alone does? A spread τ on a grid, under a half-t prior.

Runs of training, folds, corpora and classes are groups. What is common to them is a standard deviation τ of true
scores, of which the data know little where groups are few; so it is averaged over and never estimated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

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

    def scaled(self, factor: float) -> Spread:
        """Return the law of a multiple of the spread."""
        return Spread(factor * self.edges, self.weights)


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
    if not (squares >= 0.0 and freedom >= 0.0 and variance >= 0.0 and scale > 0.0):
        raise ValueError(
            f"a sum of squares, its degrees of freedom and a variance are not negative, and a scale is above 0; got "
            f"{squares!r}, {freedom!r}, {variance!r} and {scale!r}"
        )
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
    if not variance > 0.0:
        raise ValueError(f"testing gives contrasts a variance above 0, not {variance!r}")
    found = np.asarray(contrasts, dtype=float).ravel()
    sd = math.sqrt(variance)
    return spread_of(float(found @ found), found.size, variance, scale=scale * sd, tails=tails).scaled(
        1.0 / sd
    )
