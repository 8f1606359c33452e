"""Posteriors in closed form: Beta, and the F-score with any weight."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, each, float_or_array
from bayesf1.base.checks import ArrayLike, Numbers, RNGLike, Size
from bayesf1.distributions.base import MeanAndVariance, Posterior, parameters

# Nodes of an integral over a logit.
_NODES = 160
# Parts of the mixture that F-beta is: from the least to the greatest weight, its error is below 1e-10.
_PARTS = 100
_LEAST_BETA = 0.1
_GREATEST_BETA = 10.0
# Probability outside the window of nodes, on either side.
_TAIL = 1e-18
# Within this distance of their centre nodes are even, beyond it their distance grows.
_CENTRAL = 4.0
# A point close enough to 0 for densities next to an end of [0, 1].
_NEXT_TO_END = 1e-100


@cache
def _gauss(n: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = special.roots_legendre(n)
    return nodes, weights


def logit_nodes(
    start: ArrayLike, stop: ArrayLike, centre: ArrayLike, n: int = _NODES
) -> tuple[FloatArray, FloatArray]:
    r"""Return nodes z and weights of integrals over a logit, both axes (..., node).

    Densities of logits are analytic, with exponential tails that are long if a parameter is small. With
    :math:`z = c + 4 \sinh u` around the centre c, Gauss-Legendre nodes in u converge geometrically.
    """
    middle = _with_node_axis(centre)
    low = np.arcsinh((_with_node_axis(start) - middle) / _CENTRAL)
    high = np.arcsinh((_with_node_axis(stop) - middle) / _CENTRAL)
    nodes, weights = _gauss(n)
    u = 0.5 * (low + high + (high - low) * nodes)
    half = 0.5 * (high - low)
    return middle + _CENTRAL * np.sinh(u), half * weights * _CENTRAL * np.cosh(u)


def _with_node_axis(values: ArrayLike) -> FloatArray:
    return np.asarray(values, dtype=np.float64)[..., None]


def beta_quantile(a: FloatArray | float, b: FloatArray | float, q: FloatArray | float) -> FloatArray:
    """Return the point with probability `q` of Be(a, b) below it."""
    with np.errstate(divide="ignore", over="ignore"):
        # The first term of the series, where scipy's inverse may be NaN.
        first_term = np.exp((np.log(q) + np.log(a) + special.betaln(a, b)) / a)
    quantile = special.betaincinv(a, b, q)
    use_first_term = (first_term * np.maximum(b, 1.0) < 1e-12) | np.isnan(quantile)
    return np.where(use_first_term, np.minimum(first_term, 1.0), quantile)


def beta_tail(a: Any, b: Any, x: FloatArray | float, y: FloatArray | float) -> FloatArray:
    """Return P(X <= x) of Be(a, b), given also y = 1 - x."""
    below = special.betainc(a, b, x)
    if np.greater_equal(b, 1.0).all():
        return np.asarray(below)
    # Much of the mass may lie where x rounds to 1.
    return np.where((y < 1e-3) & (b < 1.0), 1.0 - special.betainc(b, a, y), below)


def logit_window(a: FloatArray | float, b: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the logit of a Beta variate beyond which the mass is negligible."""
    # The upper end is that of 1 - X, which is Be(b, a), with the sign changed.
    low = special.logit(np.maximum(beta_quantile(a, b, _TAIL), 1e-290))
    high = -special.logit(np.maximum(beta_quantile(b, a, _TAIL), 1e-290))
    return np.asarray(low), np.asarray(high)


@dataclass(frozen=True, eq=False, init=False)
class UnitDistribution(Posterior, unchecked=("tail", "logit_logpdf")):
    """A distribution on [0, 1] whose odds are a multiple of a Beta variate's odds, or a mixture of such distributions.

    Attributes
    ----------
    a, b
        Parameters of the Beta variate.
    odds, shares
        The multiples, and the probability of each.
    """

    a: float = field(repr=False)
    b: float = field(repr=False)
    support = (0.0, 1.0)
    odds = np.ones(1)
    shares = np.ones(1)

    def tail(self, t: FloatArray | float, tc: FloatArray | float, *, upper: bool) -> FloatArray:
        """Return P(T > t), or P(T <= t), given also tc = 1 - t, which is accurate if t rounds to 1."""
        # T <= t if and only if the Beta variate is at most x = t/(t + odds·(1 - t)). Axes (..., part of the mixture).
        t = np.asarray(t)[..., None]
        rest = self.odds * np.asarray(tc)[..., None]
        x = t / (t + rest)
        y = rest / (t + rest)
        # The upper tail is found by symmetry, as betaincc takes eight times as long.
        by_part = beta_tail(self.b, self.a, y, x) if upper else beta_tail(self.a, self.b, x, y)
        return np.asarray(by_part @ self.shares)

    def logit_logpdf(self, t: FloatArray | float, tc: FloatArray | float) -> FloatArray:
        """Return the log density of the logit, given also tc = 1 - t."""
        # Axes (..., part of the mixture).
        t = np.asarray(t)[..., None]
        rest = self.odds * np.asarray(tc)[..., None]
        log_total = np.log(t + rest)
        logs = self.a * (np.log(t) - log_total) + self.b * (np.log(rest) - log_total)
        largest = logs.max(axis=-1)
        mixed = np.log(np.exp(logs - largest[..., None]) @ self.shares)
        return np.asarray(largest + mixed - special.betaln(self.a, self.b))

    @cached_property
    def window(self) -> tuple[float, float]:
        """Bounds of the logit beyond which the mass is negligible."""
        low, high = logit_window(self.a, self.b)
        shifts = np.log(self.odds)
        return float(low + shifts.min()), float(high + shifts.max())

    @property
    def centre(self) -> float:
        """The logit near which the mass is."""
        return float(np.log(self.a / self.b) + self.shares @ np.log(self.odds))

    @property
    def scale(self) -> float:
        """The standard deviation, to first order."""
        total = self.a + self.b
        odds = float(self.shares @ self.odds)
        slope = odds * (total / (odds * self.a + self.b)) ** 2
        return slope * math.sqrt(self.a * self.b / (total + 1.0)) / total

    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""
        points = np.asarray(x, dtype=np.float64)
        inside = (points > 0.0) & (points < 1.0)
        t = np.where(inside, points, 0.5)
        density = np.exp(self.logit_logpdf(t, 1.0 - t)) / (t * (1.0 - t))
        outside = np.where(np.isnan(points), np.nan, 0.0)
        outside = np.where(points == 0.0, self._density_at_end(self.a, _NEXT_TO_END, 1.0), outside)
        outside = np.where(points == 1.0, self._density_at_end(self.b, 1.0, _NEXT_TO_END), outside)
        return float_or_array(np.where(inside, density, outside))

    def _density_at_end(self, power: float, t: float, tc: float) -> float:
        """Return the density at an end of [0, 1], from a point t next to it, tc = 1 - t, and the parameter of that end."""
        if power == 1.0:
            return float(np.exp(self.logit_logpdf(t, tc)) / _NEXT_TO_END)
        return np.inf if power < 1.0 else 0.0

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        below = self.tail(x, 1.0 - x, upper=False)
        above = self.tail(x, 1.0 - x, upper=True)
        # The larger tail is 1 minus the smaller one, as 1 - x may have been rounded.
        if upper:
            return np.where(below > above, above, 1.0 - below)
        return np.where(below <= above, below, 1.0 - above)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        if upper:
            # A small probability above x keeps its digits if it is not subtracted from 1.
            from_below = beta_quantile(self.a, self.b, 1.0 - q)
            from_above = 1.0 - beta_quantile(self.b, self.a, q)
            x = np.where(q > 0.5, from_below, from_above)
        else:
            x = beta_quantile(self.a, self.b, q)
        low = _with_odds(x, self.odds.min())
        if len(self.odds) == 1:
            return low
        # A quantile of a mixture lies between those of its parts.
        return each(partial(self._root, upper=upper), q, low, _with_odds(x, self.odds.max()))

    def mean(self) -> Any:
        """Mean."""
        return self._moments.mean

    def var(self) -> Any:
        """Variance."""
        return self._moments.variance

    @cached_property
    def _moments(self) -> MeanAndVariance:
        z, weights = logit_nodes(*self.window, self.centre)
        t = special.expit(z)
        tc = special.expit(-z)
        # Normalising by the sum also removes the error of the Beta function at large parameters.
        masses = weights * np.exp(self.logit_logpdf(t, tc))
        masses /= masses.sum()
        # The variance of 1 - T is the same, but keeps its digits if T is near 1.
        x = tc if self.a > self.b else t
        return MeanAndVariance(float(masses @ t), float(masses @ (x - masses @ x) ** 2))


def _with_odds(x: FloatArray, factor: float) -> FloatArray:
    """Return the probabilities whose odds are a multiple of the odds of x."""
    return np.asarray(factor * x / (1.0 + (factor - 1.0) * x))


@dataclass(frozen=True, eq=False, init=False)
class Beta(UnitDistribution):
    r"""The Beta distribution, :math:`f(t) = t^{a-1}(1-t)^{b-1}/B(a,b)`: precision, recall, accuracy, Jaccard.

    Parameters
    ----------
    a, b
        Successes and failures, each plus the prior.

    Examples
    --------
    >>> recall = Beta(78, 11)
    >>> round(recall.mean(), 6), round(recall.sf(0.9), 6)
    (0.876404, 0.26297)
    """

    a: float
    b: float

    def __init__(self, a: float, b: float) -> None:
        vars(self).update(parameters(0.0, a=a, b=b))

    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the distribution."""
        return np.random.default_rng(rng).beta(self.a, self.b, size)

    def mean(self) -> float:
        """Mean, a/(a+b)."""
        return self.a / (self.a + self.b)

    def var(self) -> float:
        """Variance, ab/((a+b)²(a+b+1))."""
        n = self.a + self.b
        return self.a / n * (self.b / n) / (n + 1.0)

    def mode(self) -> float:
        """Point of the highest density, (a-1)/(a+b-2) if both parameters exceed 1."""
        if self.a > 1.0 and self.b > 1.0:
            return (self.a - 1.0) / (self.a + self.b - 2.0)
        if self.a == self.b == 1.0:
            return 0.5
        return 0.0 if self.a <= self.b else 1.0


@dataclass(frozen=True, eq=False, init=False)
class FScore(UnitDistribution):
    r"""The distribution of :math:`F_\beta` if the cells of the confusion table are Dirichlet.

    With :math:`F^* \sim \mathrm{Be}(tp, fp+fn)` and, independently, :math:`V \sim \mathrm{Be}(fp, fn)`,

    .. math:: F_\beta = \frac{F^*}{F^* + W(1-F^*)}, \qquad W = \frac{V + \beta^2(1-V)}{1+\beta^2}.

    For β = 1, W is ½ and the density is Eq. 7 of Wang & Li (2019), with the quantile of their Eq. 30; for
    other weights V is integrated out by quadrature.

    Parameters
    ----------
    tp, fp, fn
        Dirichlet parameters of the cells: counts plus the prior.
    beta
        Weight of recall against precision.

    Examples
    --------
    >>> f1 = FScore(78, 45, 11)
    >>> round(f1.mode(), 6), round(f1.cdf(0.75), 6)
    (0.738689, 0.659763)
    >>> round(FScore(78, 45, 11, beta=0.5).median(), 6)
    0.671818

    References
    ----------
    Wang & Li (2019), ACL, Eqs. 7 and 30.
    """

    tp: float
    fp: float
    fn: float
    beta: float

    def __init__(self, tp: float, fp: float, fn: float, beta: float = 1.0) -> None:
        if not _LEAST_BETA <= beta <= _GREATEST_BETA:
            raise ValueError(
                f"beta must be from 0.1 to 10, beyond which F-beta is precision or recall, not {beta!r}"
            )
        vars(self).update(parameters(0.0, tp=tp, fp=fp, fn=fn), beta=float(beta))
        vars(self).update(a=self.tp, b=self.fp + self.fn)
        # The odds are those of F* over W, which is 1/2 for β = 1.
        odds = np.full(1, 2.0)
        shares = np.ones(1)
        if self.beta != 1.0:
            square = self.beta**2
            z, weights = logit_nodes(*logit_window(self.fp, self.fn), np.log(self.fp / self.fn), _PARTS)
            log_densities = self.fp * special.log_expit(z) + self.fn * special.log_expit(-z)
            shares = weights * np.exp(log_densities - log_densities.max())
            odds = (1.0 + square) / (special.expit(z) + square * special.expit(-z))
        vars(self).update(odds=odds, shares=shares / shares.sum())

    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the distribution."""
        generator = np.random.default_rng(rng)
        jaccard = generator.beta(self.a, self.b, size)
        square = self.beta**2
        share = generator.beta(self.fp, self.fn, size) if square != 1.0 else 0.5
        weight = (share + square * (1.0 - share)) / (1.0 + square)
        return jaccard / (jaccard + weight * (1.0 - jaccard))

    def mode(self) -> float:
        """Point of the highest density: for β = 1 the root of 2x² + (2a+b-5)x - 2(a-1), with a = tp and b = fp + fn."""
        if self.beta != 1.0 or self.a <= 1.0 or self.b <= 1.0:
            return float(super().mode())
        half = 2.0 * self.a + self.b - 5.0
        return float(4.0 * (self.a - 1.0) / (half + np.sqrt(half * half + 16.0 * (self.a - 1.0))))
