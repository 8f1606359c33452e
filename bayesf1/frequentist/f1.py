r"""Four intervals for F1 of independent items, after Lam (2023).

Of :math:`\nu = TP+FP+FN` relevant items a share :math:`F^* = TP/\nu` is right, and :math:`F_1 = 2F^*/(1+F^*)`.
Counts may be arrays of any shape: a million tables take a second or two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray
from bayesf1.base.roots import increasing_root
from bayesf1.evaluation.metric import ratio
from bayesf1.frequentist.binomial import binomial_clopper_pearson, wilson_ends
from bayesf1.frequentist.bounds import Bounds, bounds, check_counts, normal_bounds, normal_quantile

# Tables at a time, so that all that is computed of them stays in the cache.
_BLOCK = 1 << 14


def clopper_pearson(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for F1 by the binomial test of :math:`F^*`, mapped by :math:`2x/(1+x)`; never too short.

    Parameters
    ----------
    tp, fp, fn
        Counts; arrays broadcast.
    confidence_level
        Probability with which the interval shall hold the true F1.

    Examples
    --------
    >>> tuple(clopper_pearson(77, 44, 10))
    (0.66532..., 0.80455...)

    References
    ----------
    Lam (2023), Eqs. 26-27.
    """
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    share = binomial_clopper_pearson(tp, fp + fn, confidence_level=confidence_level)
    return _bounds(tp, fp + fn, _from_jaccard(share.low), _from_jaccard(share.high))


def wald(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval :math:`\hat F_1 \pm z\sqrt{\hat F_1(1-\hat F_1)(2-\hat F_1)^2/2\nu}`, as the delta method gives it.

    Its ends may lie outside [0, 1], and it is a single point where F1 is 0 or 1: see `Bounds.overshoot` and
    `Bounds.degenerate`.

    Parameters
    ----------
    tp, fp, fn, confidence_level
        As in `clopper_pearson`.

    Examples
    --------
    >>> tuple(wald(77, 44, 10))
    (0.67351..., 0.80725...)
    >>> wald(12, 1, 0).overshoot, wald(12, 0, 0).degenerate
    (True, True)

    References
    ----------
    Lam (2023), Eqs. 28-31.
    """
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    wrong, nu = fp + fn, tp + fp + fn
    f1 = _f1(tp, wrong)
    # 1 - F1 without a subtraction, so that F1 close to 1 keeps its digits.
    variance = ratio(f1 * ratio(wrong, tp + nu) * (2.0 - f1) ** 2, 2.0 * nu)
    return normal_bounds(f1, variance, confidence_level, undefined=nu == 0.0)


def wilson_direct(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for F1 by the score test of F1 itself: the two real roots, in [0, 1], of a quartic.

    .. math:: kF^4 - 5kF^3 + 2(4k+1)F^2 - 4(k+\hat F_1)F + 2\hat F_1^2 = 0, \qquad k = z^2/\nu.

    Lam's theorem has exactly two roots for :math:`k < 16/11`, that is from ν = 3 on at 95 %. They are the only
    two for any k: with :math:`s(F) = \sqrt{F(1-F)}\,(2-F)`, which is concave, the quartic says
    :math:`F \pm \sqrt{k/2}\,s(F) = \hat F_1`, and a concave (convex) function that begins at 0 and ends at 1
    takes each value between once.

    Parameters
    ----------
    tp, fp, fn, confidence_level
        As in `clopper_pearson`.

    Examples
    --------
    >>> tuple(wilson_direct(77, 44, 10))
    (0.66396..., 0.79870...)

    References
    ----------
    Lam (2023), Eq. 37 and Theorem 1.
    """
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    wrong, nu = fp + fn, tp + fp + fn
    z = normal_quantile(confidence_level)
    # The roots of the score test of F* are close.
    low, gap = wilson_ends(tp, wrong, z)
    nearby = _from_jaccard(low), _from_jaccard(1.0 - gap)
    return _bounds(tp, wrong, *_score_roots(_f1(tp, wrong), z * z / np.where(nu > 0.0, nu, 1.0), nearby))


def wilson_indirect(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for F1 by the score test of :math:`F^*`, mapped by :math:`2x/(1+x)`.

    Parameters
    ----------
    tp, fp, fn, confidence_level
        As in `clopper_pearson`.

    Examples
    --------
    >>> tuple(wilson_indirect(77, 44, 10))
    (0.66858..., 0.80125...)

    References
    ----------
    Lam (2023), Eq. 42.
    """
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    low, gap = wilson_ends(tp, fp + fn, normal_quantile(confidence_level))
    # 1 - 2x/(1+x) = (1-x)/(1+x).
    return _bounds(tp, fp + fn, _from_jaccard(low), 1.0 - gap / (2.0 - gap))


def _score_roots(
    f1: FloatArray, k: FloatArray, nearby: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    r"""Return the two roots of Lam's quartic for many tables, for k above 0, from first guesses in [0, 1].

    With :math:`F = \sin^2\theta` and :math:`c = \sqrt{k/2}` it falls apart into two equations that are smooth up to
    the ends of the interval, each with one root: plus for the lower end, minus for the upper one.

    .. math:: \sin^2\theta \pm c\,\sin\theta\cos\theta\,(1+\cos^2\theta) = \hat F_1
    """
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


def _f1(tp: FloatArray, wrong: FloatArray) -> FloatArray:
    return ratio(2.0 * tp, 2.0 * tp + wrong)


def _bounds(tp: FloatArray, wrong: FloatArray, low: FloatArray, high: FloatArray) -> Bounds:
    return bounds(_f1(tp, wrong), low, high, undefined=tp + wrong == 0.0)


def _from_jaccard(share: Any) -> FloatArray:
    # Lam (2023), Eq. 10.
    return np.asarray(2.0 * share / (1.0 + share))
