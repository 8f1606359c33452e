"""The difference of two independent scores, by quadrature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, each, plain, slices_of
from bayesf1.base.checks import ArrayLike, Numbers, RNGLike, Size
from bayesf1.distributions.base import Posterior
from bayesf1.distributions.fscore import UnitDistribution, beta_quantile, beta_tail, logit_nodes, logit_window

# Secant steps towards a quantile before it is bracketed.
_STEPS = 8


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
        vars(self).update(a=a, b=b, _b_is_outer=b.scale < a.scale)

    def tail(self, d: float, *, upper: bool) -> float:
        """Return P(B - A > d), or P(B - A <= d)."""
        outer, inner, shift, upper = self._oriented(d, upper)
        if abs(shift) >= 1.0:
            return float((shift > 0.0) != upper)
        # If outer + shift leaves [0, 1] the answer is known.
        known = 0.0
        if shift and (shift < 0.0) == upper:
            known = float(outer.tail(*_cut(shift), upper=not upper))
        weights, u, uc = self._nodes(outer, shift, 1.0)
        return min(known + float(weights @ inner.tail(u, uc, upper=upper)), 1.0)

    def _oriented(
        self, d: float, upper: bool = False
    ) -> tuple[UnitDistribution, UnitDistribution, float, bool]:
        """Return the outer and the inner distribution, and what inner is compared with: outer + shift."""
        # Nodes of the narrower distribution resolve both.
        return (self.b, self.a, -d, not upper) if vars(self)["_b_is_outer"] else (self.a, self.b, d, upper)

    def _nodes(
        self, outer: UnitDistribution, shift: float, power: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return weights that sum to P(0 <= T + shift <= 1), and nodes u = t + shift there, with 1 - u.

        They are nodes of the logit of s, where t = low + span·s. Where [0, 1] cuts, integrands fall as s**power.
        """
        low, high, span = max(0.0, -shift), max(0.0, shift), 1.0 - abs(shift)
        ends = np.array([*outer.window, outer.centre])
        t, tc = (np.maximum(x, 1e-300) for x in (special.expit(ends) - low, special.expit(-ends) - high))
        start, stop, centre = (np.log(t) - np.log(tc)).tolist()
        if low:
            centre = centre if t[2] > 1e-300 else min(0.0, stop)
            start = max(start, min(0.0, centre) - 40.0 / power)
        elif high:
            centre = centre if tc[2] > 1e-300 else max(0.0, start)
            stop = min(stop, max(0.0, centre) + 40.0 / power)
        elif power < 1.0:
            start = max(min(start, centre - 40.0 / power), -690.0)
            stop = min(max(stop, centre + 40.0 / power), 690.0)
        inside = float(outer.tail(*_cut(shift), upper=shift < 0.0)) if shift else 1.0
        if inside < 1e-15:
            # What is left of the outer distribution lies outside of its window.
            left, right = (power, outer.b) if low else (outer.a, power)
            start, stop, centre = -40.0 / min(left, 1.0), 40.0 / min(right, 1.0), 0.0
        z, weights = logit_nodes(start, stop, min(max(centre, start), stop))
        s, sc = span * special.expit(z), span * special.expit(-z)
        t, tc = low + s, high + sc
        weights = weights * np.exp(outer.logit_logpdf(t, tc)) * (s * sc / (span * t * tc))
        # Normalising also removes the error of the Beta function at large parameters.
        return weights * (inside / max(weights.sum(), 1e-300)), high + s, low + sc

    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""
        return plain(each(self._density, np.asarray(x, dtype=np.float64)))

    def _density(self, d: float) -> float:
        if np.isnan(d) or abs(d) >= 1.0:
            return np.nan if np.isnan(d) else 0.0
        outer, inner, shift, _ = self._oriented(d)
        power = inner.a if shift < 0.0 else inner.b
        if not shift:
            power = min(outer.a + inner.a, outer.b + inner.b) - 1.0
            if power <= 0.0:
                return np.inf
        weights, u, uc = self._nodes(outer, shift, min(power, 1.0))
        return float(weights @ np.exp(inner.logit_logpdf(u, uc) - np.log(u) - np.log(uc)))

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return each(partial(self.tail, upper=upper), x)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        return each(partial(self._solve, upper=upper), q)

    def _solve(self, q: float, *, upper: bool) -> float:
        """Return one quantile: by the secant rule on the normal scale, where the distribution is nearly straight."""
        z, sign, scale = float(special.ndtri(q)), -1.0 if upper else 1.0, self.std()
        x, before = self.mean() + sign * z * scale, None
        for _ in range(_STEPS):
            if not -1.0 < x < 1.0:
                break
            miss = float(special.ndtri(self.tail(x, upper=upper))) - z
            if not np.isfinite(miss):
                break
            slope = sign / scale if before is None else (miss - before[1]) / (x - before[0])
            step = miss / slope if slope else np.inf
            if abs(step) <= 1e-14:
                return float(x - step)
            before, x = (x, miss), x - step
        a, b = (self.b, self.a) if upper else (self.a, self.b)
        # B - A is below the first point only if B is very low or A very high, which together has probability q.
        low, high = b.ppf(0.5 * q) - a.isf(0.5 * q), b.isf(0.5 - 0.5 * q) - a.ppf(0.5 - 0.5 * q)
        return self._root(q, *((-high, -low) if upper else (low, high)), upper=upper)

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


def _cut(shift: float) -> tuple[float, float]:
    """Return the point t at which t + shift leaves [0, 1], and 1 - t."""
    return (1.0 - shift, shift) if shift > 0.0 else (-shift, 1.0 + shift)


def prob_greater(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return P(B > A) of independent Beta variates for arrays of parameters (..., 2), many pairs at once.

    F1 rises with the Jaccard index, so that P(F1 of B > F1 of A) is this with parameters (tp, fp + fn).

    Examples
    --------
    >>> prob_greater([[0.5, 0.5], [78, 56]], [[2, 3], [84, 25]]).round(7).tolist()
    [0.4296875, 0.9991898]
    """
    first, second = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    pairs = np.stack([first, second]).reshape(2, -1, 2)
    found = np.empty(pairs.shape[1])
    for part in slices_of(len(found), 2000):
        shapes = pairs[:, part, 0], pairs[:, part, 1]
        widths = beta_quantile(*shapes, 0.85) - beta_quantile(*shapes, 0.15)
        b_is_outer = (widths[1] < widths[0])[:, None]
        outer, inner = (np.where(b_is_outer, pairs[i, part], pairs[1 - i, part]).T for i in (1, 0))
        z, weights = logit_nodes(*logit_window(*outer), np.log(outer[0] / outer[1]))
        alpha, beta = outer[0][..., None], outer[1][..., None]
        logs: FloatArray = alpha * special.log_expit(z) + beta * special.log_expit(-z)
        weights = weights * np.exp(logs - logs.max(axis=-1, keepdims=True))
        (c, e), x, y = inner[..., None], special.expit(z), special.expit(-z)
        beyond = np.where(b_is_outer, beta_tail(c, e, x, y), beta_tail(e, c, y, x))
        found[part] = (weights * beyond).sum(axis=-1) / weights.sum(axis=-1)
    return found.reshape(first.shape[:-1])
