"""Posteriors in closed form: Beta, and the F-score with any weight."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, each, plain
from bayesf1.base.checks import ArrayLike, Numbers, RNGLike, Size
from bayesf1.distributions.base import Posterior, parameters

# Nodes of an integral over a logit, and of the mixture that F-beta is: for these weights its error is below 1e-10.
_NODES, _MIXED = 160, 100
BETAS = (0.1, 10.0)
# Probability outside the window of nodes, on either side.
_TAIL = 1e-18
# Within this distance of their centre nodes are even, beyond it their distance grows.
_CENTRAL = 4.0


@cache
def _gauss(n: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = special.roots_legendre(n)
    return nodes, weights


def logit_nodes(
    start: ArrayLike, stop: ArrayLike, centre: ArrayLike, n: int = _NODES
) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights, on a last axis of their own, of integrals over a logit.

    Densities of logits are analytic, with exponential tails that are long if a parameter is small. Gauss-Legendre
    nodes in u converge geometrically, where the logit is the centre plus a multiple of sinh u.
    """
    start, stop, centre = (np.asarray(x, dtype=np.float64)[..., None] for x in (start, stop, centre))
    low, high = (np.arcsinh((end - centre) / _CENTRAL) for end in (start, stop))
    nodes, weights = _gauss(n)
    u, half = 0.5 * (low + high + (high - low) * nodes), 0.5 * (high - low)
    return centre + _CENTRAL * np.sinh(u), half * weights * _CENTRAL * np.cosh(u)


def beta_quantile(a: ArrayLike, b: ArrayLike, q: ArrayLike) -> FloatArray:
    """Return the point with probability `q` of Be(a, b) below it."""
    a, b, q = (np.asarray(x, dtype=np.float64) for x in (a, b, q))
    with np.errstate(divide="ignore", over="ignore"):
        # The first term of the series, where scipy's inverse may be NaN.
        small = np.exp((np.log(q) + np.log(a) + special.betaln(a, b)) / a)
    found = special.betaincinv(a, b, q)
    return np.where((small * np.maximum(b, 1.0) < 1e-12) | np.isnan(found), np.minimum(small, 1.0), found)


def beta_tail(a: Any, b: Any, x: FloatArray | float, y: FloatArray | float) -> FloatArray:
    """Return P(X <= x) of Be(a, b), given also y = 1 - x."""
    found = special.betainc(a, b, x)
    if np.all(b >= 1.0):
        return np.asarray(found)
    # Much of the mass may be where x rounds to 1.
    return np.where((y < 1e-3) & (b < 1.0), 1.0 - special.betainc(b, a, y), found)


def logit_window(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the logit of a Beta variate outside of which there is no mass to speak of."""
    low, high = (special.logit(np.maximum(beta_quantile(*ab, _TAIL), 1e-290)) for ab in ((a, b), (b, a)))
    return np.asarray(low), np.asarray(-high)


@dataclass(frozen=True, eq=False, init=False)
class UnitDistribution(Posterior):
    """A distribution on [0, 1] whose odds are a multiple of the odds of a Beta variate, or a mixture of such.

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
        # T <= t if and only if the Beta variate is at most t/(t + odds·(1 - t)).
        t, rest = np.asarray(t)[..., None], self.odds * np.asarray(tc)[..., None]
        x, y = t / (t + rest), rest / (t + rest)
        # By symmetry, as betaincc takes eight times as long.
        found = beta_tail(self.b, self.a, y, x) if upper else beta_tail(self.a, self.b, x, y)
        return np.asarray(found @ self.shares)

    def logit_logpdf(self, t: FloatArray, tc: FloatArray) -> FloatArray:
        """Return the log density of the logit, given also tc = 1 - t."""
        t, rest = np.asarray(t)[..., None], self.odds * np.asarray(tc)[..., None]
        total = np.log(t + rest)
        logs = self.a * (np.log(t) - total) + self.b * (np.log(rest) - total)
        most = logs.max(axis=-1)
        mixed = np.log(np.exp(logs - most[..., None]) @ self.shares)
        return np.asarray(most + mixed - special.betaln(self.a, self.b))

    @cached_property
    def window(self) -> tuple[float, float]:
        """Bounds of the logit outside of which there is no mass to speak of."""
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
        total, odds = self.a + self.b, float(self.shares @ self.odds)
        slope = odds * (total / (odds * self.a + self.b)) ** 2
        return slope * math.sqrt(self.a * self.b / (total + 1.0)) / total

    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""
        points = np.asarray(x, dtype=np.float64)
        inside = (points > 0.0) & (points < 1.0)
        t = np.where(inside, points, 0.5)
        density = np.exp(self.logit_logpdf(t, 1.0 - t)) / (t * (1.0 - t))
        outside = np.where(np.isnan(points), np.nan, 0.0)
        for end, near in ((0.0, self.a), (1.0, self.b)):
            height = np.inf if near < 1.0 else 0.0
            if near == 1.0:
                close = np.array([1.0 - 1e-100, 1e-100])
                t, tc = close if end else close[::-1]
                height = float(np.exp(self.logit_logpdf(t, tc)) / 1e-100)
            outside = np.where(points == end, height, outside)
        return plain(np.where(inside, density, outside))

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        below, above = (self.tail(x, 1.0 - x, upper=end) for end in (False, True))
        # The larger tail is what the smaller leaves, as 1 - x may have rounded.
        return np.where((below <= above) != upper, *((above, 1.0 - below) if upper else (below, 1.0 - above)))

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        if upper:
            # What is small keeps its digits.
            x = np.where(
                q > 0.5, beta_quantile(self.a, self.b, 1.0 - q), 1.0 - beta_quantile(self.b, self.a, q)
            )
        else:
            x = beta_quantile(self.a, self.b, q)
        low, high = (odds * x / (1.0 + (odds - 1.0) * x) for odds in (self.odds.min(), self.odds.max()))
        if len(self.odds) == 1:
            return np.asarray(low)
        # A quantile of a mixture lies between those of its parts.
        return each(partial(self._root, upper=upper), q, low, high)

    def mean(self) -> Any:
        """Mean."""
        return self._moments[0]

    def var(self) -> Any:
        """Variance."""
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[float, float]:
        z, weights = logit_nodes(*self.window, self.centre)
        t, tc = special.expit(z), special.expit(-z)
        # Normalising by the sum also removes the error of the Beta function at large parameters.
        weights = weights * np.exp(self.logit_logpdf(t, tc))
        weights /= weights.sum()
        x = tc if self.a > self.b else t
        return float(weights @ t), float(weights @ (x - weights @ x) ** 2)


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
        a, b = self.a, self.b
        if a > 1.0 and b > 1.0:
            return (a - 1.0) / (a + b - 2.0)
        if a == b:
            return 0.5 if a == 1.0 else 0.0
        return 0.0 if a < b else 1.0


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
        if not BETAS[0] <= beta <= BETAS[1]:
            raise ValueError(
                f"beta must be from 0.1 to 10, beyond which F-beta is precision or recall, not {beta!r}"
            )
        cells = parameters(0.0, tp=tp, fp=fp, fn=fn)
        vars(self).update(cells, a=cells["tp"], b=cells["fp"] + cells["fn"], beta=float(beta))
        odds, shares = np.full(1, 2.0), np.ones(1)
        if self.beta != 1.0:
            v, weights = logit_nodes(*logit_window(self.fp, self.fn), np.log(self.fp / self.fn), _MIXED)
            logs = self.fp * special.log_expit(v) + self.fn * special.log_expit(-v)
            shares = weights * np.exp(logs - logs.max())
            square = self.beta**2
            odds = (1.0 + square) / (special.expit(v) + square * special.expit(-v))
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
