r"""The law of a ratio of two sums with the same gamma weights, which a bootstrap would have to draw.

With independent weights :math:`G_p \sim \mathrm{Gamma}(k_p)` let :math:`Q = \sum_p G_p x_p / \sum_p G_p z_p`. Then
:math:`Q > t` says that :math:`Y = \sum_p G_p y_p` with :math:`y_p = x_p - t z_p` is above 0, and the transform of Y is
known: its logarithm is :math:`K(s) = -\sum_p k_p \log(1 - s y_p)`. On any vertical line between its singularities and
to the right of 0,

.. math:: P(Q > t) = \frac{1}{2\pi} \int \frac{e^{K(c + iv)}}{c + iv}\,dv,

and to the left of 0 the same integral is :math:`-P(Q \le t)`. Near the saddlepoint of K the integrand falls off as a
normal density does, so that a few dozen points of the trapezoidal rule make it exact. A mean under Rubin's (1981) Bayesian
bootstrap is such a ratio, and so are precision, recall and F-scores of clustered items.

Rice (1980), Distribution of quadratic forms in normal random variables — evaluation by numerical integration, SIAM Journal
on Scientific and Statistical Computing 1, 438–448, for the way of integrating.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, slices_of
from bayesf1.laws.law import lazy_property

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

# Up to here the logarithm of 1 - s y is a sum of so many powers.
_LIGHT, _POWERS = 0.5, 24
# The rule's error is about e to minus this.
_DIGITS = 22.0
# Differences that are smaller than this are rounding.
_ROUNDING = 1e-13
# What is so small adds nothing; the integrand of one or two units would fall so far very late.
_NOTHING, _MOST_STEPS = 1e-13, 4096
# The law is looked up between so many standard deviations, at so many points.
_REACH, _POINTS = 6.5, 7
# Points are added until probabilities between them are off by no more than this, in so many rounds.
_CLOSE, _ROUNDS = 1e-6, 7
# Points between which quantiles are looked up, and how many of them stand for a law.
_DENSE, _QUANTILES = 4001, 2000
# Of less than this probability the rule knows nothing.
_LEAST = 1e-8
# Of a factor's law, in probability.
_NODES, _SHARES = np.polynomial.legendre.leggauss(64)
_LEVELS, _SHARES = 0.5 * (_NODES + 1.0), 0.5 * _SHARES


@dataclass(frozen=True, eq=False)
class GammaRatio:
    r"""The law of :math:`\sum_p G_p x_p / \sum_p G_p z_p` with :math:`G_p \sim \mathrm{Gamma}(k_p)`.

    Attributes
    ----------
    top, bottom
        What a unit of each pattern adds above and below, x and z; z is nowhere negative.
    weights
        How many units of each pattern there are, k.

    Examples
    --------
    A share of ones among zeros is a Beta variate, here Be(7, 3):

    >>> law = GammaRatio(np.array([1.0, 0.0]), np.ones(2), np.array([7.0, 3.0]))
    >>> float(law.cdf(0.5)), float(special.betainc(7, 3, 0.5))
    (0.0898437..., 0.08984375)
    """

    top: FloatArray
    bottom: FloatArray
    weights: FloatArray

    @lazy_property
    def centre(self) -> float:
        """Return the ratio of the plain sums."""
        return float(self.weights @ self.top / (self.weights @ self.bottom))

    @lazy_property
    def sd(self) -> float:
        """Return the standard deviation, to first order; 0 where all units have the same ratio, but for rounding."""
        above, below = self.top, self.centre * self.bottom
        spread, most = (
            float(np.sqrt(self.weights @ x**2)) for x in (above - below, np.abs(above) + np.abs(below))
        )
        return spread / float(self.weights @ self.bottom) if spread > _ROUNDING * most else 0.0

    def cdf(self, t: Any) -> FloatArray:
        """Return the probability of at most `t`, to about nine digits behind the point."""
        points = np.asarray(t, dtype=np.float64)
        return np.reshape([self._below(float(x)) for x in points.ravel()], points.shape)

    def _below(self, t: float) -> float:
        y, k = self.top - t * self.bottom, self.weights
        least, most = float(y.min()), float(y.max())
        if least >= 0.0 or most <= 0.0:
            # All units lie on one side.
            return float(most <= 0.0)
        # No product of BLAS, whose threads wait for each other where cores are busy.
        mean, scale = float((k * y).sum()), float((k * y**2).sum()) ** -0.5
        # The line goes through the saddlepoint of a normal law, but keeps away from the pole at 0 and from the others.
        right = mean < 0.0
        inside = 0.5 / most if right else 0.5 / -least
        line = min(max(abs(mean) * scale * scale, scale), inside)
        line = line if right else -line
        step = min(2.0 * np.pi * min(abs(line), inside) / _DIGITS, 0.5 * scale)
        found = _transform(y, k, line, step)
        total = step / (2.0 * np.pi) * float(found[0].real + 2.0 * found[1:].real.sum())
        return float(np.clip(1.0 - total if right else -total, 0.0, 1.0))


def _transform(y: FloatArray, k: FloatArray, line: float, step: float) -> Any:
    """Return exp(K(s))/s at points of a line from the real axis upwards, until it has fallen off."""
    found: list[Any] = []
    start, n = 0, 32
    while start < _MOST_STEPS:
        s = line + 1j * step * np.arange(start, start + n)
        farthest = float(abs(s[-1]))
        light = np.abs(y) * farthest <= _LIGHT
        # Of light units, sums of powers of s y / |s| are enough, whose number does not grow with that of units.
        power, small, sums = k[light], y[light] * farthest, [0.0]
        for j in range(1, _POWERS + 1):
            power = power * small
            sums.append(float(power.sum()) / j)
        logs = np.polynomial.polynomial.polyval(s / farthest, sums)
        heavy, times = y[~light], k[~light]
        for part in slices_of(len(heavy), n):
            logs = logs - np.log(1.0 - np.multiply.outer(s, heavy[part])) @ times[part]
        found.append(np.exp(logs) / s)
        if step * abs(found[-1][-1]) < _NOTHING:
            break
        start, n = start + n, start + n
    return np.concatenate(found)


class _Law(Protocol):
    """A law with a centre and a standard deviation, of which probabilities can be asked."""

    @property
    def centre(self) -> float: ...

    @property
    def sd(self) -> float: ...

    def cdf(self, t: Any) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class IndependentDifference:
    """The law of B - A for two ratios whose weights have nothing to do with each other.

    Examples
    --------
    Of Be(7, 3) and Be(3, 7):

    >>> weights = np.array([7.0, 3.0])
    >>> a, b = (GammaRatio(np.array([1.0, 0.0]), np.ones(2), k) for k in (weights[::-1], weights))
    >>> round(float(IndependentDifference(a, b).cdf(0.0)), 3)
    0.028
    """

    a: GammaRatio
    b: GammaRatio

    @property
    def centre(self) -> float:
        """The difference of the centres."""
        return self.b.centre - self.a.centre

    @property
    def sd(self) -> float:
        """The standard deviation, to first order."""
        return float(np.hypot(self.a.sd, self.b.sd))

    def cdf(self, t: Any) -> FloatArray:
        """Return the probability of at most `t`: that B is at most t above each quantile of A, on the average."""
        quantiles = self._a.ppf((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
        return np.asarray(self._b.cdf(np.add.outer(np.asarray(t, np.float64), quantiles)).mean(axis=-1))

    @lazy_property
    def _a(self) -> StretchedLaw:
        return StretchedLaw(self.a)

    @lazy_property
    def _b(self) -> StretchedLaw:
        return StretchedLaw(self.b)


class StretchedLaw:
    r"""The law of :math:`m + (Q - m)\,w\sqrt{\nu/\chi^2_\nu}`, of a quantity Q whose draws are stretched.

    Its normal scores :math:`\Phi^{-1}(P(\le t))`, which are nearly linear in t, are made once, at some points, and
    looked up between them.

    Parameters
    ----------
    law
        The law of Q.
    middle, widening, freedom
        The m, w and ν; by default nothing is stretched.

    Examples
    --------
    >>> mean = GammaRatio(np.linspace(-1.0, 1.2, 50), np.ones(50), np.ones(50))
    >>> law = StretchedLaw(mean, 0.1, 1.01, 49.0)
    >>> round(float(law.cdf(0.0)), 4), np.round(law.ppf(np.array([0.025, 0.975])), 3)
    (0.1407, array([-0.084,  0.284]))
    """

    def __init__(
        self, law: _Law, middle: float = 0.0, widening: float = 1.0, freedom: float = np.inf
    ) -> None:
        self._law, self._middle = law, middle
        if np.isfinite(freedom):
            half = 0.5 * freedom
            self._factors = widening * np.sqrt(half / special.gammaincinv(half, _LEVELS))
            self._shares = _SHARES
        else:
            self._factors, self._shares = np.array([widening]), np.ones(1)

    def cdf(self, t: Any) -> FloatArray:
        """Return the probability of at most `t`; half of it, where all of it is on `t`."""
        if not self._law.sd:
            return np.heaviside(np.asarray(t, np.float64) - self._law.centre, 0.5)
        within = self._middle + (np.asarray(t, np.float64)[..., None] - self._middle) / self._factors
        # Summed row by row, so that one point's probability does not hang on the others in its last digit.
        return np.asarray((special.ndtr(self._score(within)) * self._shares).sum(axis=-1))

    def ppf(self, q: FloatArray) -> FloatArray:
        """Return the points with probability `q` below them."""
        if not self._law.sd:
            return np.full(np.shape(q), self._law.centre)
        points, scores = self._table
        return np.asarray(np.interp(special.ndtri(q), scores, points))

    def _score(self, t: FloatArray) -> FloatArray:
        return _along(self._scores, t, self._law.sd)

    @lazy_property
    def _scores(self) -> CubicSpline:
        """Return the normal scores of Q as a spline, with more points where they are less of a line."""
        points = self._law.centre + self._law.sd * np.linspace(-_REACH, _REACH, _POINTS)
        below = self._law.cdf(points)
        between = 0.5 * (points[1:] + points[:-1])
        for _ in range(_ROUNDS):
            spline, found = _through(points, below), self._law.cdf(between)
            off = np.abs(special.ndtr(_along(spline, between, self._law.sd)) - found) > _CLOSE
            points, below = np.append(points, between), np.append(below, found)
            order = np.argsort(points)
            points, below = points[order], below[order]
            near = np.searchsorted(points, between[off])
            if not len(near):
                break
            between = np.concatenate([0.5 * (points[near] + points[near + side]) for side in (-1, 1)])
        return _through(points, below)

    @lazy_property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        """Return points and their normal scores, so dense that lines between them will do."""
        spread = self._law.sd * float(self._factors.max())
        points = self._law.centre + spread * np.linspace(-_REACH, _REACH, _DENSE)
        scores = special.ndtri(self.cdf(points))
        known = np.isfinite(scores)
        points, scores = points[known], scores[known]
        rising = np.diff(np.maximum.accumulate(scores), prepend=-np.inf) > 0.0
        return points[rising], scores[rising]


def _through(points: FloatArray, below: FloatArray) -> CubicSpline:
    """Return a spline through normal scores, of those points that have one."""
    from scipy.interpolate import CubicSpline

    known = (below > _LEAST) & (below < 1.0 - _LEAST)
    return CubicSpline(points[known], special.ndtri(below[known]))


def _along(spline: CubicSpline, t: FloatArray, sd: float) -> FloatArray:
    """Return the values of a spline, and beyond its ends along lines that rise as those of a normal law do."""
    near = np.clip(t, spline.x[0], spline.x[-1])
    return np.asarray(spline(near) + (t - near) / sd)
