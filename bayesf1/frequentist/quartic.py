r"""The two roots in [0, 1] of Lam's quartic, for many tables at once.

With :math:`F = \sin^2\theta` and :math:`c = \sqrt{k/2}` the quartic falls apart into two equations that are smooth
up to the ends of the interval,

.. math:: \sin^2\theta \pm c\,\sin\theta\cos\theta\,(1+\cos^2\theta) = \hat F_1,

each with one root: plus for the lower end, minus for the upper one.
"""

from __future__ import annotations

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.roots import increasing_root

# Tables at a time, so that all that is computed of them stays in the cache.
_BLOCK = 1 << 14


def score_roots(
    f1: FloatArray, k: FloatArray, nearby: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the two roots of Lam (2023), Eq. 37, for k above 0, from first guesses of both in [0, 1]."""
    shape = np.shape(f1)
    estimate, low, high = np.ravel(f1), np.ravel(nearby[0]).copy(), np.ravel(nearby[1]).copy()
    c = np.sqrt(0.5 * np.broadcast_to(k, shape)).ravel()
    for start in range(0, estimate.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        middle, first, second = (np.arcsin(np.sqrt(f[part])) for f in (estimate, low, high))
        lower = _angle(estimate[part], c[part], np.zeros_like(middle), middle, first)
        upper = _angle(estimate[part], -c[part], middle, np.full_like(middle, 0.5 * np.pi), second)
        low[part], high[part] = np.sin(lower) ** 2, np.sin(upper) ** 2
    # An estimate of 0 or 1 is a root itself.
    low[estimate == 0.0] = 0.0
    high[estimate == 1.0] = 1.0
    return low.reshape(shape), high.reshape(shape)


def _angle(
    estimate: FloatArray, c: FloatArray, low: FloatArray, high: FloatArray, start: FloatArray
) -> FloatArray:
    """Return the root θ between `low` and `high`."""

    def relative(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        sin, cos = np.sin(theta), np.cos(theta)
        sin2, product = sin * sin, sin * cos
        value = sin2 - estimate + c * product * (2.0 - sin2)
        slope = 2.0 * product + c * ((1.0 - 2.0 * sin2) * (2.0 - sin2) - 2.0 * product * product)
        # A Newton step as a share of the angle, which may be tiny.
        return value / (np.abs(slope) * theta), np.sign(slope) / theta

    return increasing_root(relative, low, high, start)
