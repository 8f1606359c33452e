"""Posteriors in closed form: Beta, and the F-score with any weight."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import Numbers, RNGLike, Size, checked
from bayesf1.distributions.base import Posterior, parameters

# Nodes of an integral over a logit, of the inner one of a mixture, and the least knots of its table.
_NODES, _MIXED, _TABLE = 160, 100, 400
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


class _Table(NamedTuple):
    """Knots, the probability below them, and splines of that and of the log density of a logit."""

    u: FloatArray
    probability: FloatArray
    below: Any
    log_density: Any


@dataclass(frozen=True, eq=False, init=False)
class UnitDistribution(Posterior):
    """A distribution on [0, 1] whose odds are a multiple of the odds of a Beta variate."""

    a: float = field(repr=False)
    b: float = field(repr=False)
    support = (0.0, 1.0)
    odds = 1.0

    def tail(self, t: FloatArray | float, tc: FloatArray | float, *, upper: bool) -> FloatArray:
        """Return P(T > t), or P(T <= t), given also tc = 1 - t, which is accurate if t rounds to 1."""
        # T <= t if and only if the Beta variate is at most t/(t + odds·(1 - t)).
        bottom = t + self.odds * tc
        x, y = t / bottom, self.odds * tc / bottom
        # By symmetry, as betaincc takes eight times as long.
        return beta_tail(self.b, self.a, y, x) if upper else beta_tail(self.a, self.b, x, y)

    def logit_logpdf(self, t: FloatArray, tc: FloatArray) -> FloatArray:
        """Return the log density of the logit, given also tc = 1 - t."""
        odds = self.odds * tc
        total = np.log(t + odds)
        x, y = np.log(t) - total, np.log(odds) - total
        return np.asarray(self.a * x + self.b * y - special.betaln(self.a, self.b))

    @cached_property
    def window(self) -> tuple[float, float]:
        """Bounds of the logit outside of which there is no mass to speak of."""
        low, high = logit_window(self.a, self.b)
        shift = np.log(self.odds)
        return float(low + shift), float(high + shift)

    @property
    def centre(self) -> float:
        """The logit near which the mass is."""
        return float(np.log(self.a / self.b * self.odds))

    @checked
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
        return np.asarray(self.odds * x / (1.0 + (self.odds - 1.0) * x))

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

    @checked
    def __init__(self, a: float, b: float) -> None:
        vars(self).update(parameters(0.0, a=a, b=b))

    @checked
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

    @checked
    def __init__(self, tp: float, fp: float, fn: float, beta: float = 1.0) -> None:
        if not 0.0 < beta <= 1e3:
            raise ValueError(f"beta must be above 0 and at most 1000, not {beta!r}")
        cells = parameters(0.0, tp=tp, fp=fp, fn=fn)
        vars(self).update(cells, a=cells["tp"], b=cells["fp"] + cells["fn"], beta=float(beta))
        if self.beta == 1.0:
            vars(self).update(odds=2.0)

    def logit_logpdf(self, t: FloatArray, tc: FloatArray) -> FloatArray:
        """Return the log density of the logit, given also tc = 1 - t."""
        if self.beta == 1.0:
            return super().logit_logpdf(t, tc)
        z = np.log(t) - np.log(tc)
        low, high = self.window
        # Far out, tails are exponential.
        beyond = self.a * np.minimum(z - low, 0.0) - self.b * np.maximum(z - high, 0.0)
        return np.asarray(self._table.log_density(self._knot(z)) + beyond)

    def _knot(self, z: FloatArray) -> FloatArray:
        """Return where a logit is in the table, as for `logit_nodes`."""
        u = self._table.u
        return np.clip(np.arcsinh((z - self.centre) / _CENTRAL), u[0], u[-1])

    def _log_weight(self, v: FloatArray) -> FloatArray:
        """Return log W at a logit of V."""
        square = self.beta**2
        return np.asarray(np.log((special.expit(v) + square * special.expit(-v)) / (1.0 + square)))

    def _mixed(self, z: FloatArray) -> FloatArray:
        """Return the log density of the logit, with V integrated out where both it and F* have mass."""
        square = self.beta**2
        low, high = logit_window(self.a, self.b)
        wide = 0.1 * (high - low)
        ends = np.stack([low - wide - z, high + wide - z])
        w = np.clip((1.0 + square) * np.exp(ends), min(1.0, square), max(1.0, square))
        with np.errstate(divide="ignore"):
            v = np.sort(np.log(abs(square - w)) - np.log(abs(w - 1.0)), axis=0)
            start, stop = np.clip(v, *logit_window(self.fp, self.fn))
            v, weights = logit_nodes(start, stop, np.log(self.fp / self.fn), _MIXED)
            odds = z[..., None] + self._log_weight(v)
            logs = self.a * special.log_expit(odds) + self.b * special.log_expit(-odds)
            logs += self.fp * special.log_expit(v) + self.fn * special.log_expit(-v) + np.log(weights)
            found = special.logsumexp(logs, axis=-1)
        return np.asarray(found - special.betaln(self.a, self.b) - special.betaln(self.fp, self.fn))

    @cached_property
    def window(self) -> tuple[float, float]:
        """Bounds of the logit outside of which there is no mass to speak of."""
        low, high = logit_window(self.a, self.b)
        weights = self._log_weight(np.array(logit_window(self.fp, self.fn)))
        return float(low - weights.max()), float(high - weights.min())

    @property
    def centre(self) -> float:
        """The logit near which the mass is."""
        return float(np.log(self.a / self.b) - self._log_weight(np.log(self.fp / self.fn)))

    @cached_property
    def _table(self) -> _Table:
        low, high = self.window
        inner = np.ptp(logit_window(self.a, self.b))
        n = int(np.clip(_TABLE * (high - low) / inner, _TABLE, 10 * _TABLE))
        start, stop = (float(np.arcsinh((end - self.centre) / _CENTRAL)) for end in (low, high))
        u = np.linspace(start, stop, n)
        logs = self._mixed(self.centre + _CENTRAL * np.sinh(u))
        from scipy import interpolate

        below = interpolate.make_interp_spline(u, np.exp(logs) * np.cosh(u), k=5).antiderivative()
        below.c /= below(u[-1])
        return _Table(u, np.maximum.accumulate(below(u)), below, interpolate.make_interp_spline(u, logs, k=5))

    def tail(self, t: FloatArray | float, tc: FloatArray | float, *, upper: bool) -> FloatArray:
        """Return P(T > t), or P(T <= t), given also tc = 1 - t."""
        if self.beta == 1.0:
            return super().tail(t, tc, upper=upper)
        with np.errstate(divide="ignore"):
            z = np.log(t) - np.log(tc)
        below = self._table.below(self._knot(z)).clip(0.0, 1.0)
        return np.asarray(1.0 - below if upper else below)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        if self.beta == 1.0:
            return super()._quantile(q, upper=upper)
        return np.asarray(np.vectorize(self._root, otypes=[float])(1.0 - q if upper else q))

    def _root(self, q: float) -> float:
        """Return one quantile, between two knots of the table."""
        if q in (0.0, 1.0):
            return q
        table = self._table
        i = int(np.clip(np.searchsorted(table.probability, q), 1, len(table.u) - 1))
        low, high = table.u[i - 1 : i + 1].tolist()
        if not table.below(low) < q < table.below(high):
            u = high if abs(table.below(high) - q) < abs(table.below(low) - q) else low
        else:
            from scipy import optimize

            u = optimize.brentq(lambda u: table.below(u) - q, low, high, xtol=1e-14)
        return float(special.expit(self.centre + _CENTRAL * np.sinh(u)))

    @checked
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
