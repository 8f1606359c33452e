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
    """Return the two roots of Lam (2023), Eq. 37.

    Parameters
    ----------
    f1
        Estimates of F1.
    k
        Squared normal quantile over the number of relevant items, above 0.
    nearby
        First guesses of both roots, in [0, 1].
    """
    shape = np.shape(f1)
    estimate, low, high = np.ravel(f1), np.ravel(nearby[0]).copy(), np.ravel(nearby[1]).copy()
    c = np.sqrt(0.5 * np.broadcast_to(k, shape)).ravel()
    for start in range(0, estimate.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        low[part], high[part] = _both_roots(estimate[part], c[part], low[part], high[part])
    return low.reshape(shape), high.reshape(shape)


def _both_roots(
    estimate: FloatArray, c: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    middle, zero = _angle(estimate), np.zeros_like(estimate)
    lower = _solve(estimate, c, zero, middle, _angle(low))
    upper = _solve(estimate, -c, middle, zero + 0.5 * np.pi, _angle(high))
    # An estimate of 0 or 1 is a root itself.
    return (
        np.where(estimate == 0.0, 0.0, np.sin(lower) ** 2),
        np.where(estimate == 1.0, 1.0, np.sin(upper) ** 2),
    )


def _angle(f1: FloatArray) -> FloatArray:
    return np.arcsin(np.sqrt(f1))


def _solve(
    estimate: FloatArray, c: FloatArray, low: FloatArray, high: FloatArray, start: FloatArray
) -> FloatArray:
    """Return the root between `low` and `high`."""

    def relative(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        sin, cos = np.sin(theta), np.cos(theta)
        sin2, product = sin * sin, sin * cos
        value = sin2 - estimate + c * product * (2.0 - sin2)
        slope = 2.0 * product + c * ((1.0 - 2.0 * sin2) * (2.0 - sin2) - 2.0 * product * product)
        # A Newton step as a share of the angle, which may be tiny.
        return value / (np.abs(slope) * theta), np.sign(slope) / theta

    return increasing_root(relative, low, high, start)
