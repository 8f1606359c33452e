r"""Numerics of beta laws in logit space.

If :math:`X \sim \mathrm{Be}(a, b)`, the density of :math:`\operatorname{logit} X` is log-concave and analytic
in the strip :math:`|\Im z| < \pi`, so the trapezoidal rule converges geometrically. Numbers close to 1 travel
as pairs ``(t, tc)`` with ``tc = 1 - t``, because 1 - t cannot be recovered from a rounded t.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from bayesf1.evaluation import FloatArray

# Log-density drop below the mode at which a window ends: e^-38 < 1e-16.
DROP = 38.0
# Step of the trapezoidal rule in units of the narrowest feature of the integrand.
STEP = 0.7
# Sum of Beta parameters up to which plain logarithms lose less than 1e-12.
SMALL = 1e4
# The strip of analyticity ends at ±iπ (±iπ/2 for a law squeezed against 0 or 1): no step above STEP / STRIP.
STRIP = 2.0
MAX_NODES = 1 << 17
# Sum of Beta parameters from which the incomplete beta function is integrated here.
LARGE = 1e6


def _half_line_rule(n: int) -> tuple[FloatArray, FloatArray]:
    """Double exponential rule for a half-line: s = exp(w - exp(-w)), equidistant in w."""
    w = np.linspace(-3.5, 4.25, n)
    s = np.exp(w - np.exp(-w))
    return s, s * (1.0 + np.exp(-w)) * (w[1] - w[0])


_HALF_LINE = _half_line_rule(64)
# A law squeezed against one end decays doubly exponentially in the logit, which takes a finer rule.
_HALF_LINE_FINE = _half_line_rule(128)


def expit_pair(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (t, 1 - t) for a logit, both to full relative precision."""
    return special.expit(z), special.expit(-z)


def stirling_error(z: FloatArray) -> FloatArray:
    r"""Return :math:`\ln\Gamma(z) - [(z-\frac12)\ln z - z + \frac12\ln 2\pi]`."""
    big = np.maximum(z, 16.0)
    r = 1.0 / (big * big)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188))))) / big
    if np.all(z >= 16.0):
        return series
    direct = special.gammaln(z) - (z - 0.5) * np.log(z) + z - 0.5 * np.log(2.0 * np.pi)
    return np.where(z >= 16.0, series, direct)


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
    if np.all(n < SMALL):
        with np.errstate(divide="ignore"):
            return peak + a * np.log(t * (n / a) / total) + b * np.log(scaled * (n / b) / total)
    lead = (t * b - scaled * a) / total
    return (
        peak
        - a * log_excess(lead / a, t * (n / a) / total)
        - b * log_excess(-lead / b, scaled * (n / b) / total)
    )


def beta_tails(
    t: FloatArray, tc: FloatArray, a: FloatArray, b: FloatArray, odds: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Return P(T <= t) and P(T > t), the smaller to full relative precision, with T as in `logit_logpdf`."""
    scaled = odds * tc
    left = t * b < scaled * a
    near, far = np.where(left, a, b), np.where(left, b, a)
    x, xc = np.where(left, t, scaled), np.where(left, scaled, t)
    large = near + far > LARGE
    if not large.any():
        small = special.betainc(near, far, x / (x + xc))
    elif large.all():
        small = _tail_integral(x, xc, near, far)
    else:
        near, far, x, xc, large = np.broadcast_arrays(near, far, x, xc, large)
        small = np.empty(x.shape)
        small[large] = _tail_integral(*(v[large] for v in (x, xc, near, far)))
        few = ~large
        small[few] = special.betainc(near[few], far[few], x[few] / (x[few] + xc[few]))
    rest = 1.0 - small
    return np.where(left, small, rest), np.where(left, rest, small)


def _tail_integral(x: FloatArray, xc: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Lower tail of Be(a, b) at odds x/xc below the mean, by integrating the density of the logit.

    With large parameters scipy's betainc loses digits, as (1-x)^b is taken of a rounded 1-x: 2e-8 for
    a=3, b=1e9.
    """
    arrays = np.broadcast_arrays(x, xc, a, b)
    flat = np.stack([v.ravel() for v in arrays])[..., None]
    out = np.empty(flat.shape[1])
    nodes, weights = _HALF_LINE if np.all(b > 50.0) else _HALF_LINE_FINE
    # Blocks that fit a processor's cache are several times faster.
    for start in range(0, len(out), 512):
        x, xc, a, b = flat[:, start : start + 512]
        # Decay at the point plus curvature at the centre: the natural unit of length of the tail.
        unit = 1.0 / ((xc * a - x * b) / (x + xc) + 1.0 / logit_scale(a, b))
        log_density = logit_logpdf(x, xc * np.exp(unit * nodes), a, b, 1.0, log_peak(a, b))
        out[start : start + 512] = np.sum(np.exp(log_density) * (unit * weights), axis=-1)
    return out.reshape(arrays[0].shape)


def logit_window(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return bounds outside of which the density of logit Be(a, b) is below e^-DROP of its peak."""
    centre = np.log(a) - np.log(b)
    gauss = np.sqrt(2.0 * DROP) * logit_scale(a, b)
    return centre - DROP / a - gauss, centre + DROP / b + gauss


def logit_scale(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the standard deviation of the normal approximation to logit Be(a, b)."""
    return np.sqrt(1.0 / a + 1.0 / b)


def beta_nodes(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return nodes (t, 1-t) and weights, on a new last axis, for expectations under Be(a, b).

    The window reaches some 23 standard deviations, so that expectations dominated by a far tail (the tail
    of a mixture) keep their relative precision.
    """
    scale = logit_scale(a, b)
    centre = np.log(a) - np.log(b)
    reach = np.minimum(23.0 * scale, 24.0)
    low, high = centre - DROP / a - reach, centre + DROP / b + reach
    step = STEP / np.hypot(1.0 / scale, STRIP)
    z, h = trapezoid_grid(low, high, step)
    t, tc = expit_pair(z)
    a, b = a[..., None], b[..., None]
    log_w = logit_logpdf(t, tc, a, b, 1.0, np.zeros(()))
    w = np.exp(log_w)
    return t, tc, w / w.sum(axis=-1, keepdims=True)


def trapezoid_grid(low: FloatArray, high: FloatArray, step: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return an equidistant grid on a new last axis from low to high and its step, at most `step`."""
    n = int(np.ceil(np.max((high - low) / step))) + 1
    n = min(max(n, 3), MAX_NODES)
    h = (high - low) / (n - 1)
    return low[..., None] + h[..., None] * np.arange(n), h


def crossing(
    f: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray, *, accuracy: float = 4e-16
) -> FloatArray:
    """Return where each of many increasing functions changes sign, between low and high.

    Chandrupatla's (1997) bracketing with inverse quadratic steps; all functions move together, so that `f`
    may close over arrays of parameters. A function without a change of sign gives the nearer end.
    """
    low, high = np.broadcast_arrays(low, high)
    f_low, f_high = _finite(f(low)), _finite(f(high))
    a, b, c, fa, fb, fc = (np.array(x) for x in np.broadcast_arrays(high, low, high, f_high, f_low, f_high))
    settled = np.where(f_low >= 0, low, np.where(f_high <= 0, high, np.nan))
    done = ~np.isnan(settled)
    t = np.full(a.shape, 0.5)
    with np.errstate(all="ignore"):
        for _ in range(120):
            x = a + t * (b - a)
            y = _finite(f(np.where(done, settled, x)))
            same = np.sign(y) == np.sign(fa)
            c, fc = np.where(same, a, b), np.where(same, fa, fb)
            b, fb = np.where(same, b, a), np.where(same, fb, fa)
            a, fa = x, y
            best = np.where(np.abs(fa) < np.abs(fb), a, b)
            tolerance = accuracy * np.abs(best) + 1e-300
            fresh = ~done & ((np.abs(b - a) <= 2 * tolerance) | (fa == 0))
            settled = np.where(fresh, best, settled)
            done |= fresh
            if done.all():
                break
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            quadratic = (phi * phi < xi) & ((1 - phi) ** 2 < 1 - xi)
            step = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            limit = np.minimum(tolerance / np.abs(b - a), 0.5)
            t = np.clip(np.where(quadratic, step, 0.5), limit, 1 - limit)
    return np.where(done, settled, a)


def _finite(y: FloatArray) -> FloatArray:
    return np.clip(y, -1e100, 1e100)
