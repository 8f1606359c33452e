r"""Numerics of beta laws in logit space.

If :math:`X \sim \mathrm{Be}(a, b)`, the density of :math:`\operatorname{logit} X` is log-concave and analytic
in the strip :math:`|\Im z| < \pi`, so the trapezoidal rule converges geometrically. Numbers close to 1 travel
as pairs ``(t, tc)`` with ``tc = 1 - t``, because 1 - t cannot be recovered from a rounded t.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray

# Log-density drop below the mode at which a window ends: e^-38 < 1e-16.
DROP = 38.0
# Log-density drop up to which tails are followed, so that probabilities of 1e-60 keep their digits.
FAR_DROP = 170.0
# Step of the trapezoidal rule in units of the narrowest feature of the integrand.
STEP = 0.75
# Sum of Beta parameters up to which plain logarithms lose less than 1e-12.
SMALL = 1e4
# The strip of analyticity ends at ±iπ (±iπ/2 for a law squeezed against 0 or 1): no step above STEP / STRIP.
STRIP = 2.5
MAX_NODES = 1 << 17
# Sum of Beta parameters from which the incomplete beta function is integrated here.
LARGE = 1e5
# No logit goes further: e^-640 is a double, and so is 1e-16 of it.
END = 640.0


def _half_line_rule(n: int) -> tuple[FloatArray, FloatArray]:
    """Double exponential rule for a half-line: s = exp(w - exp(-w)), equidistant in w."""
    w = np.linspace(-3.5, 4.25, n)
    s = np.exp(w - np.exp(-w))
    return s, s * (1.0 + np.exp(-w)) * (w[1] - w[0])


def _unit_rule(n: int) -> tuple[FloatArray, FloatArray]:
    """Double exponential rule for the unit interval, the nodes in rising order."""
    w = np.linspace(-3.2, 3.2, n)
    t = special.expit(np.pi * np.sinh(w))
    return t, np.pi * np.cosh(w) * t * t[::-1] * (w[1] - w[0])


UNIT_RULE = _unit_rule(129)
# A law squeezed against one end decays doubly exponentially in the logit, which takes a finer rule.
_HALF_LINES = {50.0: _half_line_rule(64), 0.4: _half_line_rule(128), 0.0: _half_line_rule(256)}


class ScalarMaths:
    """What formulas need of numpy, for plain numbers: the same names, ten times faster."""

    exp, log, log1p, sqrt, hypot = math.exp, math.log, math.log1p, math.sqrt, math.hypot
    minimum, maximum, absolute = min, max, abs
    where = staticmethod(lambda condition, yes, no: yes if condition else no)


def maths_for(x: Any) -> Any:
    """Return the functions to use in formulas of x: numpy's, or those for plain numbers."""
    return ScalarMaths if isinstance(x, float) else np


def column(x: Any) -> Any:
    """Return x with a new last axis, which a plain number does not need."""
    return x if isinstance(x, float) else x[..., None]


def weighted_sum(weights: FloatArray, x: FloatArray) -> Any:
    """Return the sum of products along the last axis."""
    return weights @ x if x.ndim == 1 else np.einsum("...i,...i->...", weights, x)


def holds_somewhere(condition: NDArray[np.bool_]) -> bool:
    """Return whether any entry is true; for scalars much faster than ``any``."""
    return bool(condition.any() if condition.ndim else condition)


def holds_everywhere(condition: NDArray[np.bool_]) -> bool:
    """Return whether all entries are true; for scalars much faster than ``all``."""
    return bool(condition.all() if condition.ndim else condition)


def expit_pair(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (t, 1 - t) for a logit, both to full relative precision."""
    return special.expit(z), special.expit(-z)


def stirling_error(z: FloatArray) -> FloatArray:
    r"""Return :math:`\ln\Gamma(z) - [(z-\frac12)\ln z - z + \frac12\ln 2\pi]`."""
    big = np.maximum(z, 16.0)
    r = 1.0 / (big * big)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188))))) / big
    few = z < 16.0
    if not holds_somewhere(few):
        return series
    direct = special.gammaln(z) - (z - 0.5) * np.log(z) + z - 0.5 * np.log(2.0 * np.pi)
    return np.where(few, direct, series)


def log_excess(v: FloatArray, ratio: FloatArray) -> FloatArray:
    """Return v - log(1 + v), given also ratio = 1 + v to full relative precision."""
    # With s = v/(2+v): log(1+v) = 2 artanh(s) and v - 2s = vs, so nothing cancels for small v.
    near = np.abs(v) < 0.3
    w = v if near.all() else np.where(near, v, 0.0)
    s = w / (2.0 + w)
    q = s * s
    tail = 1 / 15 + q * (1 / 17 + q * (1 / 19))
    tail = 1 / 9 + q * (1 / 11 + q * (1 / 13 + q * tail))
    series = s * (w - 2.0 * q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * tail))))
    if w is v:
        return series
    with np.errstate(divide="ignore"):
        return np.where(near, series, v - np.log(ratio))


def log_peak(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the largest value of the log density of logit Be(a, b)."""
    n = a + b
    stirling = stirling_error(n) - stirling_error(a) - stirling_error(b)
    return 0.5 * np.log(a / n * b / (2.0 * np.pi)) + stirling


def product_gap(t: FloatArray, b: FloatArray, s: FloatArray, a: FloatArray) -> FloatArray:
    """Return tb - sa with an error of about one rounding, however much of it cancels."""
    # Heads of 24 bits multiply exactly.
    (t1, t2), (b1, b2), (s1, s2), (a1, a2) = (_split(x) for x in (t, b, s, a))
    return (t1 * b1 - s1 * a1) + (t1 * b2 + t2 * b - s1 * a2 - s2 * a)


def _split(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    head = x.astype(np.float32).astype(np.float64)
    return head, x - head


def logit_logpdf(
    t: FloatArray, tc: FloatArray, a: FloatArray, b: FloatArray, odds: FloatArray | float, peak: FloatArray
) -> FloatArray:
    r"""Log density of logit T at t, where T has `odds` times the odds of a Be(a, b) variate.

    Saddle-point form (Loader 2000): with :math:`h(v)=v-\ln(1+v)` it is
    :math:`\text{peak} - a\,h(nx/a - 1) - b\,h(n(1-x)/b - 1)`, free of cancellation at n = 10⁹.
    """
    scaled = odds * tc
    total = t + scaled
    n = a + b
    if holds_everywhere(n < SMALL):
        # Where t is all but 0 its share is, and the density too.
        t = np.maximum(t, np.finfo(np.float64).tiny)
        return peak + a * np.log(t * (n / a) / total) + b * np.log(scaled * (n / b) / total)
    # The larger of t and tc was rounded to less than the smaller one can tell; what is missing counts n-fold.
    missing = (1.0 - np.maximum(t, tc)) - np.minimum(t, tc)
    lead = (product_gap(t, b, scaled, a) + missing * np.where(t < tc, -odds * a, b)) / total
    fall = a * log_excess(lead / a, t * (n / a) / total)
    return peak - fall - b * log_excess(-lead / b, scaled * (n / b) / total)


def log_change(w: FloatArray, t: FloatArray, tc: FloatArray, a: FloatArray, b: FloatArray) -> Any:
    """Return by how much the log density of logit Be(a, b) changes over a distance w from the logit of t."""
    # a w - n log(tc + t e^w), written for the smaller of t and tc so that log1p stays away from -1.
    m = maths_for(t)
    low = t <= tc
    distance = m.where(low, 1.0, -1.0) * w
    fall = (a + b) * np.log1p(m.minimum(t, tc) * np.expm1(distance))
    return m.where(low, a, b) * distance - fall


def beta_tails(
    t: FloatArray, tc: FloatArray, a: FloatArray, b: FloatArray, odds: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Return P(T <= t) and P(T > t), the smaller to full relative precision, with T as in `logit_logpdf`."""
    large = a + b > LARGE
    if large.ndim and large.any() and not large.all():
        arrays = np.broadcast_arrays(t, tc, a, b, odds)
        large = np.broadcast_to(large, arrays[0].shape)
        out = np.empty((2, *large.shape))
        for part in (large, ~large):
            out[:, part] = beta_tails(*(v[part] for v in arrays))
        return out[0], out[1]
    scaled = odds * tc
    total = t + scaled
    x, xc = t / total, scaled / total
    left = x * b < xc * a
    near, far = np.where(left, a, b), np.where(left, b, a)
    if holds_somewhere(large):
        # Boost's power terms lose digits with large parameters: 2e-8 for a=3, b=1e9.
        density = np.exp(logit_logpdf(t, tc, a, b, odds, log_peak(a, b)))
        small = density * _mills_ratio(np.where(left, x, xc), np.where(left, xc, x), near, far)
    else:
        small = np.asarray(special.betainc(near, far, np.where(left, x, xc)), dtype=np.float64)
    rest = 1.0 - small
    return np.where(left, small, rest), np.where(left, rest, small)


def _mills_ratio(t: FloatArray, tc: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the lower tail of logit Be(a, b) over its density, at a point below the mean."""
    arrays = np.broadcast_arrays(t, tc, a, b)
    flat = np.stack([v.ravel() for v in arrays])[..., None]
    out = np.empty(flat.shape[1])
    nodes, weights = next(rule for least, rule in _HALF_LINES.items() if np.min(b) > least)
    # Blocks that fit a processor's cache are several times faster.
    for start in range(0, len(out), 512):
        t, tc, a, b = flat[:, start : start + 512]
        # Decay at the point plus curvature at the centre, or the least decay: the tail's unit of length.
        unit = 1.0 / (tc * a - t * b + np.minimum(1.0 / logit_scale(a, b), a))
        out[start : start + 512] = (np.exp(log_change(-unit * nodes, t, tc, a, b)) @ weights) * unit[:, 0]
    return out.reshape(arrays[0].shape)


def logit_scale(a: FloatArray, b: FloatArray) -> Any:
    """Return the standard deviation of the normal approximation to logit Be(a, b)."""
    return maths_for(a).sqrt(1.0 / a + 1.0 / b)


def logit_reach(a: FloatArray, b: FloatArray, drop: float) -> tuple[FloatArray, FloatArray]:
    """Return how far below and above its peak the log density of logit Be(a, b) is `drop` lower, or more."""
    # Over a distance u above the peak it falls by b(u - 1 + e^-u) if a = ∞, and by a(e^u - 1 - u), at least
    # a(e^(u/2) - 1)², if b = ∞; a search from 0.04 to 10¹⁰ finds no a and b for which what follows is short.
    m = maths_for(a)
    ratios = drop / a, drop / b
    roots = m.sqrt(ratios[0]), m.sqrt(ratios[1])
    soft = [m.minimum(math.sqrt(2.0) * root, 1.0) for root in roots]
    sharp = [m.minimum(math.sqrt(2.0) * root, 2.0 * m.log1p(root)) for root in roots]
    return ratios[0] + m.hypot(soft[0], sharp[1]), ratios[1] + m.hypot(soft[1], sharp[0])


def trapezoid_step(fineness: FloatArray) -> Any:
    """Return the step for a product of features, `fineness` being the sum of their widths to the power -2."""
    return STEP / maths_for(fineness).sqrt(fineness + STRIP * STRIP)


def trapezoid_grid(low: FloatArray, high: FloatArray, step: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return an equidistant grid on a new last axis from low to high and its step, at most `step`."""
    steps: Any = (high - low) / step
    n = int(steps if isinstance(steps, float) else steps.max()) + 2
    n = min(max(n, 3), MAX_NODES)
    h = (high - low) / (n - 1)
    return column(low) + column(h) * np.arange(n), h


def quintic(values: FloatArray, slopes: FloatArray, curvatures: FloatArray) -> FloatArray:
    """Return coefficients, axes (power, ..., cell), of the polynomials through equidistant values on a last axis.

    Slopes and second derivatives are met as well, both by the step.

    Examples
    --------
    >>> x = np.arange(4.0)
    >>> quintic(x**3, 3.0 * x**2, 6.0 * x)[:, 1]
    array([1., 3., 3., 1., 0., 0.])
    """
    halves = 0.5 * curvatures
    (f, f1), (d, d1), (e, e1) = ((x[..., :-1], x[..., 1:]) for x in (values, slopes, halves))
    rise, turn, bend = f1 - f - d - e, d1 - d - 2.0 * e, e1 - e
    cubic = 10.0 * rise - 4.0 * turn + bend
    quartic = -15.0 * rise + 7.0 * turn - 2.0 * bend
    return np.stack([f, d, e, cubic, quartic, 6.0 * rise - 3.0 * turn + bend])


def interpolate(coefficients: FloatArray, place: FloatArray) -> FloatArray:
    """Return what `quintic` interpolates, at places in units of its step; at the ends where they are outside.

    Leading axes of the cells are also those of the places.

    Examples
    --------
    >>> x = np.arange(4.0)
    >>> interpolate(quintic(x**3, 3.0 * x**2, 6.0 * x), np.array([1.5, 9.0]))
    array([ 3.375, 27.   ])
    """
    n = coefficients.shape[-1]
    place = np.clip(place, 0.0, n)
    cell = np.minimum(place.astype(np.intp), n - 1)
    share = place - cell
    if coefficients.ndim > 2:
        rows = np.arange(0, coefficients[0].size, n)
        cell += rows.reshape(*coefficients.shape[1:-1], *(1,) * (place.ndim - coefficients.ndim + 2))
    flat = coefficients.reshape(len(coefficients), -1)
    out: FloatArray = flat[-1].take(cell)
    for coefficient in flat[-2::-1]:
        out *= share
        out += coefficient.take(cell)
    return out
