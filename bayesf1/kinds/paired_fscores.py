r"""Which of two models on the same items has the larger F-score: exact, by quadrature.

With the masses of the joint outcomes, :math:`F_B > F_A` iff

.. math::

    \frac{\pi_{\text{only B}} - \pi_{\text{only A}}}{tp_A + tp_B}
    + \frac{\pi_{\text{claimed A}} - \pi_{\text{claimed B}}}{fp_A + fp_B + 2\beta^2\,\text{gold}} > 0.

Under a Dirichlet the two terms are independent: the first is a function of shares of gold items, the second of
false positives against all gold items. Either is :math:`(2V-1)K/(2-K)` with independent V and K: how what is
discordant is split between the models, and how much of what counts is discordant. So the probability is a double
sum over nodes of V and K of one term, with the tail probability of the other as integrand. In
:math:`\eta = \operatorname{logit}|(2V-1)K/(2-K)|` all of this is analytic, and the trapezoidal rule converges
geometrically, however few the items are.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.laws import quadrature
from bayesf1.laws.distributions import Beta, FScore
from bayesf1.laws.unit_law import UnitLaw

# Steps of the trapezoidal rule, in units of the narrowest feature, and at most; errors are about 1e-9.
_STEP, _LONGEST = 0.75, 0.4
# Windows end where the log density has dropped by this much, and nodes are left out that weigh less.
_DROP, _NEGLIGIBLE = 26.0, 1e-12
# No logit further out than this makes a difference; what lies beyond counts at the end.
_FAR = 60.0
# Step of the table of tail probabilities in units of its narrowest feature, and at most; it is interpolated by
# polynomials through as many points.
_TABLE_STEP, _TABLE_LONGEST, _POINTS = 0.15, 0.15, 8
_SMALLEST_TABLE, _LARGEST_TABLE = 64, 4096
# What Lagrange's polynomial of each of these points is divided by.
_LAGRANGE = [
    math.factorial(i) * math.factorial(_POINTS - 1 - i) * (-1.0) ** (_POINTS - 1 - i) for i in range(_POINTS)
]


class Term(NamedTuple):
    """One of the two terms: Dirichlet parameters of what is discordant, and of what models have in common.

    Attributes
    ----------
    gain, loss
        What speaks for B, and for A.
    common, weighted
        What both models share, with weight 1 and with weight `weight`; 0 where there is none.
    weight
        The weight of `weighted`.
    """

    gain: float
    loss: float
    common: float
    weighted: float = 0.0
    weight: float = 0.0

    @classmethod
    def of_errors(cls, gain: float, loss: float, claimed: float, gold: float, weight: float) -> Self:
        """Return the term of false positives, where gold items count `weight` times."""
        if weight == 1.0:
            return cls(gain, loss, claimed + gold)
        return cls(gain, loss, claimed, gold if weight else 0.0, weight)

    @property
    def mirrored(self) -> Self:
        """The same term with the models' roles swapped."""
        return self._replace(gain=self.loss, loss=self.gain)

    @property
    def width(self) -> float:
        """Standard deviation of the logarithm of the term's size, roughly; 1 where its sign is open."""
        n, gap = self.gain + self.loss, abs(self.gain - self.loss)
        split = 4.0 * self.gain * self.loss / n
        common = self.common + self.weight * self.weighted
        return min(1.0, float(np.sqrt(split / max(gap * gap, 1e-300) + 1.0 / n + 1.0 / common)))

    @property
    def share(self) -> tuple[UnitLaw, float]:
        """The law of the discordant share K up to a factor of its odds, and this factor."""
        n = self.gain + self.loss
        if not self.weighted:
            return Beta(n, self.common), 1.0
        return FScore(n, self.common, self.weighted, np.sqrt(self.weight)), 1.0 + self.weight


def p_positive(first: Term, second: Term) -> float:
    """Return the probability that the sum of two independent terms is positive.

    Examples
    --------
    P(F1 of B > F1 of A) where B alone found 13 gold items and A alone 6, of 64, with a prior of ½ on each outcome:

    >>> found, claimed = Term(13.5, 6.5, 40.5), Term.of_errors(7.5, 4.5, 3.5, gold=66.0, weight=1.0)
    >>> round(p_positive(found, claimed), 7)
    0.9666082
    """
    # The narrower term is the outer one, so that what is summed is smooth at the distance of its nodes; but tails of a
    # term with weights take nodes of one variate more.
    outer, inner = sorted((first, second), key=lambda term: term.width * (0.5 if term.weighted else 1.0))
    lost, below = _expected_tail(outer, inner.mirrored)
    won, above = _expected_tail(outer.mirrored, inner)
    return float(np.clip((below - lost + won) / (below + above), 0.0, 1.0))


def _expected_tail(outer: Term, inner: Term) -> tuple[float, float]:
    """Return P(0 < outer < inner), the outer term being positive, and P(outer > 0)."""
    split, shares = _split_nodes(outer, inner.width), _share_nodes(outer)
    if split is None:
        return 0.0, 0.0
    (p, pc, p_weights), (k, kc, k_weights) = split, shares
    eta = np.log(np.outer(k, p) / (2.0 * kc[:, None] + np.outer(k, pc)))
    weights = np.outer(k_weights, p_weights)
    # Further down the tail is P(inner > 0), but for e^-26.
    floor = -_DROP / min(1.0, inner.gain + inner.loss)
    low, high = max(float(eta.min()), floor), min(float(eta.max()), _FAR)
    step = min(_TABLE_STEP * min(inner.width, 1.0), _TABLE_LONGEST)
    n = int(np.clip(np.ceil((high - low) / step), _SMALLEST_TABLE, _LARGEST_TABLE))
    grid = np.linspace(low, max(high, low + 1e-6), n)
    return float(_spread(eta, weights, grid) @ _tail(inner, grid)), float(weights.sum())


def _step(fineness: float) -> float:
    return _STEP / float(np.sqrt(fineness + (_STEP / _LONGEST) ** 2))


def _logit_nodes(law: UnitLaw) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return nodes (t, 1 - t) of a law with weights; what lies very far out counts at the last node."""
    start, stop = (float(z) for z in law.logit_window)
    ends = max(start, -_FAR), min(stop, _FAR)
    step = _step(float(law.frame.scale) ** -2)
    t, tc, weights, h = law.logit_grid(*map(np.asarray, (*ends, step)))
    # Beyond, the density falls like a power of the odds: a geometric series.
    if ends[0] > start:
        weights[0] /= -np.expm1(-law.a * h)
    if ends[1] < stop:
        weights[-1] /= -np.expm1(-law.b * h)
    weights = weights / weights.sum()
    likely = weights > _NEGLIGIBLE
    return t[likely], tc[likely], weights[likely] / weights[likely].sum()


def _share_nodes(term: Term) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return nodes (k, 1 - k), up to a common factor, of the discordant share, with weights."""
    law, factor = term.share
    t, tc, weights = _logit_nodes(law)
    return t, factor * tc, weights


def _split_nodes(term: Term, other_width: float) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Return nodes (p, 1 - p) of p = 2V - 1 with weights, where the split V exceeds ½; None where it never does."""
    law = Beta(term.gain, term.loss)
    centre, scale = float(law.frame.centre), float(law.frame.scale)
    below, above = (float(reach) for reach in quadrature.logit_reach(law.a, law.b, _DROP))
    start, stop = centre - below, centre + above
    if stop <= 0.0:
        return None
    # logit p = log((e^z - 1)/2) for z = logit V, which moves faster than z the closer V is to ½.
    last = max(min(stop, centre + 6.0 * scale), 1e-3 * scale)
    width = scale / -float(np.expm1(-last))
    high = min(_logit_excess(stop), _FAR)
    low = max(min(np.log(min(scale, 1.0)), high) - _DROP, _logit_excess(start))
    step = _step(width**-2 + 0.25 * other_width**-2)
    y, h = quadrature.trapezoid_grid(*map(np.asarray, (low, high, step)))
    p, pc = quadrature.expit_pair(y)
    v, vc = 0.5 * (1.0 + p), 0.5 * pc
    peak = quadrature.log_peak(law.a, law.b)
    weights = np.exp(quadrature.logit_logpdf(v, vc, law.a, law.b, 1.0, peak)) * (h * p / v)
    if high == _FAR:
        weights[-1] /= -np.expm1(-term.loss * h)
    likely = weights > _NEGLIGIBLE * weights.max()
    return p[likely], pc[likely], weights[likely]


def _logit_excess(z: float) -> float:
    """Return the logit of 2V - 1 for z = logit V, -∞ where V does not exceed ½."""
    if z <= 0.0:
        return -np.inf
    return z + float(np.log(-0.5 * np.expm1(-z)))


def _spread(x: FloatArray, weights: FloatArray, grid: FloatArray) -> FloatArray:
    """Return weights on an equidistant grid that sum a function as those at x do, up to interpolation."""
    n, h = len(grid), grid[1] - grid[0]
    place = np.clip((x.ravel() - grid[0]) / h, 0.0, n - 1.0)
    first = np.clip(place.astype(np.intp) - (_POINTS // 2 - 1), 0, n - _POINTS)
    gap = place - first
    out = np.zeros(n)
    # Lagrange's polynomials in barycentric form, in products that stay finite on the grid itself.
    ahead = [np.ones_like(gap)]
    behind = [weights.ravel()]
    for i in range(_POINTS - 1):
        ahead.append(ahead[-1] * (gap - i))
        behind.append(behind[-1] * (gap - (_POINTS - 1 - i)))
    for i in range(_POINTS):
        out += np.bincount(first + i, ahead[i] * behind[_POINTS - 1 - i] / _LAGRANGE[i], minlength=n)
    return out


def _tail(term: Term, eta: FloatArray) -> FloatArray:
    r"""Return the probability that a term exceeds the numbers with logits `eta`.

    It does iff :math:`G_{gain} > 2e^\eta C + (1 + 2e^\eta)\,G_{loss}`, C being what is common with its weights, in
    independent gamma variates. Against the sum of all others the first is a beta prime variate.
    """
    odds = 2.0 * np.exp(eta)[:, None]
    z, zc, weights = _logit_nodes(Beta(term.common + term.weighted, term.loss))
    threshold = odds + zc
    if term.weighted:
        m, mc, m_weights = _logit_nodes(Beta(term.common, term.weighted))
        ratio = np.outer(z, m + term.weight * mc).ravel() + np.repeat(zc, len(m))
        threshold = odds * ratio + np.repeat(zc, len(m))
        weights = np.outer(weights, m_weights).ravel()
    law = Beta(term.gain, term.common + term.weighted + term.loss)
    return np.asarray(spline_sf(law, np.log(threshold)) @ weights)


def spline_sf(law: Beta, z: FloatArray) -> FloatArray:
    """Survival function at many logits, through a spline, good to 1e-9."""
    from scipy.interpolate import CubicSpline

    below, above = (float(reach) for reach in quadrature.logit_reach(law.a, law.b, _DROP))
    low, high = float(law.frame.centre) - below, float(law.frame.centre) + above
    # A spline errs by the fourth power of its step.
    n = int(np.clip((high - low) / (0.04 * min(float(law.frame.scale), 1.0)), 500, 5000))
    grid = np.linspace(low, high, n)
    spline = CubicSpline(grid, law.tails(*quadrature.expit_pair(grid))[1])
    return np.asarray(np.clip(spline(np.clip(z, low, high)), 0.0, 1.0))
