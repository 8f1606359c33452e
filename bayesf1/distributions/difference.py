"""The difference of two independent scores, by quadrature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, each, float_or_array, slices_of
from bayesf1.base.checks import ArrayLike, Numbers, RNGLike, Size
from bayesf1.distributions.base import Posterior
from bayesf1.distributions.fscore import UnitDistribution, beta_quantile, beta_tail, logit_nodes, logit_window

# Secant steps towards a quantile before it is bracketed.
_STEPS = 8
# A density that falls as s**p is negligible this far below 0 on the scale of p·logit(s), as exp(-40) is 4e-18.
_FAR = 40.0
# Logits whose exponentials stay within double precision.
_WIDEST = 690.0
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class _Integral:
    """An integral over one of two scores, T, of the probability or density of the other, U, at t + shift.

    Attributes
    ----------
    outer, inner
        The distributions of T and of U. Nodes of the narrower of the two resolve both, so it is the outer one.
    shift
        The number added to t. If t + shift lies outside [0, 1], it is known which of the two is greater.
    """

    outer: UnitDistribution
    inner: UnitDistribution
    shift: float

    def tail(self, *, upper: bool) -> float:
        """Return P(U > T + shift), or P(U <= T + shift)."""
        if abs(self.shift) >= 1.0:
            return float((self.shift > 0.0) != upper)
        known = 0.0
        if self.shift < 0.0 and upper:
            known = float(self.outer.tail(-self.shift, 1.0 + self.shift, upper=False))
        elif self.shift > 0.0 and not upper:
            known = float(self.outer.tail(1.0 - self.shift, self.shift, upper=True))
        weights, u, uc = self.nodes(1.0)
        return min(known + float(weights @ self.inner.tail(u, uc, upper=upper)), 1.0)

    def density(self) -> float:
        """Return the density of U - T at the shift."""
        if abs(self.shift) >= 1.0:
            return 0.0
        # The power with which the integrand falls where [0, 1] cuts it, or at the worse of both ends.
        if self.shift < 0.0:
            power = self.inner.a
        elif self.shift > 0.0:
            power = self.inner.b
        else:
            power = min(self.outer.a + self.inner.a, self.outer.b + self.inner.b) - 1.0
            if power <= 0.0:
                return np.inf
        weights, u, uc = self.nodes(min(power, 1.0))
        return float(weights @ np.exp(self.inner.logit_logpdf(u, uc) - np.log(u) - np.log(uc)))

    def nodes(self, power: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return weights that sum to P(0 <= T + shift <= 1), and nodes u = t + shift there, with 1 - u.

        They are nodes of the logit of s, where t = left + span·s. Where [0, 1] cuts, integrands fall as s**power.
        """
        left = max(0.0, -self.shift)
        right = max(0.0, self.shift)
        span = 1.0 - abs(self.shift)
        inside = 1.0
        if self.shift < 0.0:
            inside = float(self.outer.tail(left, 1.0 - left, upper=True))
        elif self.shift > 0.0:
            inside = float(self.outer.tail(1.0 - right, right, upper=False))
        if inside < 1e-15:
            # The rest of the outer distribution lies outside its window.
            power_left = power if left else self.outer.a
            power_right = self.outer.b if left else power
            z, weights = logit_nodes(-_FAR / min(power_left, 1.0), _FAR / min(power_right, 1.0), 0.0)
        else:
            z, weights = logit_nodes(*self._window(left, right, power))
        s = span * special.expit(z)
        sc = span * special.expit(-z)
        t = left + s
        tc = right + sc
        masses = weights * np.exp(self.outer.logit_logpdf(t, tc)) * (s * sc / (span * t * tc))
        # Normalising also removes the error of the Beta function at large parameters.
        return masses * (inside / max(masses.sum(), _TINY)), right + s, left + sc

    def _window(self, left: float, right: float, power: float) -> tuple[float, float, float]:
        """Return where the logit of s starts and stops, and the logit near which the mass is."""
        logits = np.array([*self.outer.window, self.outer.centre])
        s = np.maximum(special.expit(logits) - left, _TINY)
        sc = np.maximum(special.expit(-logits) - right, _TINY)
        start, stop, centre = (np.log(s) - np.log(sc)).tolist()
        reach = _FAR / power
        if left:
            if s[-1] == _TINY:
                centre = min(0.0, stop)
            start = max(start, min(0.0, centre) - reach)
        elif right:
            if sc[-1] == _TINY:
                centre = max(0.0, start)
            stop = min(stop, max(0.0, centre) + reach)
        elif power < 1.0:
            start = max(min(start, centre - reach), -_WIDEST)
            stop = min(max(stop, centre + reach), _WIDEST)
        return start, stop, min(max(centre, start), stop)


@dataclass(frozen=True, eq=False, init=False)
class Difference(Posterior):
    r"""The distribution of :math:`\nu_B - \nu_A` for independent scores.

    .. math:: P(\nu_B - \nu_A \le d) = \int f_A(t)\, P(\nu_B \le t + d)\, dt

    Parameters
    ----------
    a, b
        The distributions of the two scores.

    Examples
    --------
    >>> from bayesf1 import Beta
    >>> round(Difference(Beta(0.5, 0.5), Beta(2, 3)).sf(0.0), 10)
    0.4296875
    """

    a: UnitDistribution
    b: UnitDistribution
    support = (-1.0, 1.0)

    def __init__(self, a: UnitDistribution, b: UnitDistribution) -> None:
        for name, score in (("a", a), ("b", b)):
            if not isinstance(score, UnitDistribution):
                raise ValueError(
                    f"{name} is a distribution on [0, 1] such as Beta or FScore, not {score!r:.60}"
                )
        vars(self).update(a=a, b=b)

    @cached_property
    def _b_is_outer(self) -> bool:
        return self.b.scale < self.a.scale

    def _integral(self, d: float) -> _Integral:
        """Return the integral that compares B - A with d."""
        if self._b_is_outer:
            return _Integral(self.b, self.a, -d)
        return _Integral(self.a, self.b, d)

    def _tail_at(self, d: float, *, upper: bool) -> float:
        """Return P(B - A > d), or P(B - A <= d)."""
        # B exceeds A + d if A is below B - d.
        return self._integral(d).tail(upper=upper != self._b_is_outer)

    def _density(self, d: float) -> float:
        return np.nan if np.isnan(d) else self._integral(d).density()

    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""
        return float_or_array(each(self._density, np.asarray(x, dtype=np.float64)))

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return each(partial(self._tail_at, upper=upper), x)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        return each(partial(self._solve, upper=upper), q)

    def _solve(self, q: float, *, upper: bool) -> float:
        """Return one quantile: by the secant rule on the normal scale, where the distribution is nearly straight."""
        z = float(special.ndtri(q))

        def miss(x: float) -> float:
            """Return how far the probability is from q, in standard deviations; NaN outside the support."""
            return float(special.ndtri(self._tail_at(x, upper=upper))) - z if -1.0 < x < 1.0 else np.nan

        sign = -1.0 if upper else 1.0
        scale = self.std()
        x = self.mean() + sign * z * scale
        miss_at_x = miss(x)
        slope = sign / scale
        for _ in range(_STEPS):
            if not np.isfinite(miss_at_x) or slope == 0.0:
                break
            step = miss_at_x / slope
            if abs(step) <= 1e-14:
                return float(x - step)
            next_x = x - step
            miss_at_next = miss(next_x)
            slope = (miss_at_next - miss_at_x) / (next_x - x)
            x = next_x
            miss_at_x = miss_at_next
        if upper:
            # B - A is above a point as often as A - B is below minus that point.
            low, high = _quantile_bounds(self.b, self.a, q)
            return self._root(q, -high, -low, upper=True)
        low, high = _quantile_bounds(self.a, self.b, q)
        return self._root(q, low, high, upper=False)

    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the distribution."""
        generator = np.random.default_rng(rng)
        return self.b.rvs(size, rng=generator) - self.a.rvs(size, rng=generator)

    def mean(self) -> float:
        """Mean."""
        return float(self.b.mean() - self.a.mean())

    def var(self) -> float:
        """Variance."""
        return float(self.a.var() + self.b.var())

    def __repr__(self) -> str:
        return f"Difference({self.a!r}, {self.b!r})"


def _quantile_bounds(a: UnitDistribution, b: UnitDistribution, q: float) -> tuple[float, float]:
    """Return points between which the quantile of B - A with probability `q` below it lies."""
    # B - A is below the first point only if B is very low or A very high, which together has probability q.
    low = b.ppf(0.5 * q) - a.isf(0.5 * q)
    rest = 0.5 - 0.5 * q
    high = b.isf(rest) - a.ppf(rest)
    return low, high


def prob_greater(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return P(B > A) of independent Beta variates for arrays of parameters (..., 2), many pairs at once.

    F1 increases with the Jaccard index, so P(F1 of B > F1 of A) is this with parameters (tp, fp + fn).

    Examples
    --------
    >>> prob_greater([[0.5, 0.5], [78, 56]], [[2, 3], [84, 25]]).round(7).tolist()
    [0.4296875, 0.9991898]
    """
    shapes_a, shapes_b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    # Axes (pair, parameter).
    pairs_a = shapes_a.reshape(-1, 2)
    pairs_b = shapes_b.reshape(-1, 2)
    probabilities = np.empty(len(pairs_a))
    for part in slices_of(len(pairs_a), 2000):
        b_is_outer = (_widths(pairs_b[part]) < _widths(pairs_a[part]))[:, None]
        outer_a, outer_b = np.where(b_is_outer, pairs_b[part], pairs_a[part]).T
        inner_a, inner_b = np.where(b_is_outer, pairs_a[part], pairs_b[part]).T[..., None]
        # Axes (pair, node).
        z, weights = logit_nodes(*logit_window(outer_a, outer_b), np.log(outer_a / outer_b))
        logs = outer_a[:, None] * special.log_expit(z) + outer_b[:, None] * special.log_expit(-z)
        masses = weights * np.exp(logs - logs.max(axis=-1, keepdims=True))
        t = special.expit(z)
        tc = special.expit(-z)
        a_below = beta_tail(inner_a, inner_b, t, tc)
        b_above = beta_tail(inner_b, inner_a, tc, t)
        b_is_greater = np.where(b_is_outer, a_below, b_above)
        probabilities[part] = (masses * b_is_greater).sum(axis=-1) / masses.sum(axis=-1)
    return probabilities.reshape(shapes_a.shape[:-1])


def _widths(shapes: FloatArray) -> FloatArray:
    """Return the lengths of the central intervals of mass 0.7 of Beta variates, axes (pair, parameter)."""
    a, b = shapes.T
    return beta_quantile(a, b, 0.85) - beta_quantile(a, b, 0.15)
