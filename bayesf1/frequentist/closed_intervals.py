"""Confidence intervals that need only counts: for shares, F1, other F-scores and Tversky indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.arrays import BoolArray, FloatArray, float_or_array
from bayesf1.base.checks import ArrayLike, check_prob, is_number
from bayesf1.metrics import FMeasure, Metric, Proportion, ratio


class Ends:
    """The two ends of an interval, or arrays of them: ``low, high = ends``."""

    low: Any
    high: Any
    # Smallest and largest value that the score can take.
    support: tuple[float, float] = (0.0, 1.0)

    @property
    def length(self) -> Any:
        """Distance between the ends."""
        return self.high - self.low

    @property
    def overshoot(self) -> Any:
        """Whether an end lies outside the score's support."""
        return (self.low < self.support[0]) | (self.high > self.support[1])

    @property
    def degenerate(self) -> Any:
        """Whether the interval is a single point."""
        return self.high == self.low

    def __iter__(self) -> Iterator[Any]:
        return iter((self.low, self.high))


@dataclass(frozen=True, eq=False)
class Bounds(Ends):
    """Intervals of one kind, one for each table: ``low, high = wald(77, 44, 10)``.

    Attributes
    ----------
    estimate
        The point estimate.
    low, high
        The ends as the method gives them: they are never cut off at the ends of the support.
    undefined
        Where the estimate, or the score of a class, is 0/0, such as F1 without any relevant item. The interval
        is then the whole support, because there are no data to exclude any value.
    se
        Standard error of the estimate, if the method has one.
    """

    estimate: Any
    low: Any
    high: Any
    undefined: Any = False
    se: Any = None


def bounds(
    estimate: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    undefined: BoolArray,
    se: FloatArray | None = None,
) -> Bounds:
    """Return intervals on [0, 1], which are [0, 1] if the estimate, or a part of it, is `undefined`."""
    low = np.where(undefined, 0.0, low)
    high = np.where(undefined, 1.0, high)
    return Bounds(
        estimate=float_or_array(estimate),
        low=float_or_array(low),
        high=float_or_array(high),
        undefined=undefined if np.ndim(undefined) > 0 else bool(undefined),
        se=se if se is None else float_or_array(se),
    )


def normal_bounds(
    estimate: FloatArray, variance: FloatArray, confidence_level: float, *, undefined: BoolArray
) -> Bounds:
    """Return the estimate ± z standard errors, as `bounds` does."""
    se = np.sqrt(variance)
    half_width = normal_quantile(confidence_level) * se
    return bounds(estimate, estimate - half_width, estimate + half_width, undefined=undefined, se=se)


def normal_quantile(confidence_level: float) -> float:
    """Return z such that a standard normal variate lies between -z and z with this probability.

    Examples
    --------
    >>> normal_quantile(0.95)
    1.959963...
    """
    return float(special.ndtri(0.5 * (1.0 + check_prob(confidence_level, "confidence_level"))))


def check_counts(**counts: ArrayLike) -> list[FloatArray]:
    """Return counts as arrays of one shape, or raise a ValueError that names the first that is not a count."""
    try:
        arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in counts.values()))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{', '.join(counts)} must be numbers of items, or arrays of them: {error}"
        ) from None
    for name, array in zip(counts, arrays, strict=True):
        bad = ~((array >= 0.0) & (array < np.inf))
        if bad.any():
            raise ValueError(f"{name} must be finite and not negative, but it is {array[bad].flat[0]:g}")
    return list(arrays)


# ---- F-scores -----------------------------------------------------------------------------------------------


def fbeta_delta(
    tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, beta: float = 1.0, confidence_level: float = 0.95
) -> Bounds:
    r"""Interval for :math:`F_\beta`, the Tversky index with :math:`a = 1/(1+\beta^2)`, :math:`b = \beta^2/(1+\beta^2)`.

    Parameters
    ----------
    tp, fp, fn, confidence_level
        As in `tversky_delta`.
    beta
        Weight of recall against precision, above 0.

    Examples
    --------
    The orange juice data of the paper:

    >>> juice = fbeta_delta(286, 47, 43, beta=0.5)
    >>> juice.estimate, juice.se
    (0.86092..., 0.01623...)

    References
    ----------
    Jiang (2020), Statistical Formulas for F Measures, Proposition 1 and Corollary 1.
    """
    if not is_number(beta) or not 0.0 < beta <= 1e3:
        raise ValueError(f"beta must be above 0 and at most 1000, not {beta!r}")
    a = 1.0 / (1.0 + beta * beta)
    return tversky_delta(tp, fp, fn, a=a, b=beta * beta * a, confidence_level=confidence_level)


def tversky_delta(
    tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, a: float, b: float, confidence_level: float = 0.95
) -> Bounds:
    r"""Interval for the Tversky index :math:`\tau(a,b) = TP/(TP + a\,FP + b\,FN)`.

    .. math:: \operatorname{Var} \tau = \frac{\tau(a^2,b^2)^{-1} - 1 + (\tau^{-1}-1)^2}{TP\,\tau^{-4}}
              = \frac{TP\,(TP\,S_2 + S_1^2)}{(TP+S_1)^4}, \qquad S_i = a^i FP + b^i FN.

    Its ends may lie outside [0, 1], and it is a single point if the index is 0 or 1.

    Parameters
    ----------
    tp, fp, fn
        Counts; arrays broadcast.
    a, b
        Weights of false positives and of false negatives, not negative and not both 0: (1, 0) is precision,
        (0, 1) recall, (½, ½) F1, (1, 1) Jaccard.
    confidence_level
        Probability with which the interval should contain the true index.

    Examples
    --------
    >>> jaccard = tversky_delta(77, 44, 10, a=1, b=1)
    >>> jaccard.low, jaccard.high
    (0.50349..., 0.67207...)

    References
    ----------
    Jiang (2020), Proposition 1.
    """
    check_weights(a, b)
    if a == b == 0:
        raise ValueError("a and b are both 0, which makes every index 1; give at least one a weight above 0")
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    s1 = a * fp + b * fn
    s2 = a * a * fp + b * b * fn
    total = tp + s1
    index = ratio(tp, total)
    # TP (TP S2 + S1²) / total⁴, in shares of the total so that large counts do not overflow.
    variance = ratio(index * (index * s2 + ratio(s1, total) * s1), total * total)
    return normal_bounds(index, variance, confidence_level, undefined=total == 0.0)


def check_weights(a: float, b: float) -> None:
    """Refuse a weight of a Tversky index that is not a number from 0 to a million."""
    for name, weight in (("a", a), ("b", b)):
        if not is_number(weight) or not 0.0 <= weight <= 1e6:
            raise ValueError(f"{name} must be a weight from 0 to 1e6, not {weight!r}")


# ---- shares -----------------------------------------------------------------------------------------------


def binomial_clopper_pearson(
    successes: ArrayLike, failures: ArrayLike, *, confidence_level: float = 0.95
) -> Bounds:
    r"""Invert the binomial test: :math:`\mathrm{Be}_{\alpha/2}(s, f+1)` to :math:`\mathrm{Be}_{1-\alpha/2}(s+1, f)`.

    Parameters
    ----------
    successes, failures
        Counts; arrays broadcast.
    confidence_level
        Probability with which the interval should contain the true share.

    Examples
    --------
    >>> tuple(binomial_clopper_pearson(77, 44))
    (0.54401..., 0.72187...)

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26.
    """
    s, f = check_counts(successes=successes, failures=failures)
    tail = 0.5 * (1.0 - check_prob(confidence_level, "confidence_level"))
    # Without a success the lower end is 0, without a failure the upper end is 1.
    low = np.where(s > 0.0, special.betaincinv(np.where(s > 0.0, s, 1.0), f + 1.0, tail), 0.0)
    high = np.where(f > 0.0, special.betainccinv(s + 1.0, np.where(f > 0.0, f, 1.0), tail), 1.0)
    return bounds(ratio(s, s + f), low, high, undefined=s + f == 0.0)


def binomial_wald(successes: ArrayLike, failures: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Invert the Wald test, :math:`\hat p \pm z\sqrt{\hat p(1-\hat p)/n}`; the ends may lie outside [0, 1].

    Parameters
    ----------
    successes, failures, confidence_level
        As in `binomial_clopper_pearson`.

    Examples
    --------
    >>> interval = binomial_wald(29, 1)
    >>> interval.high, interval.overshoot
    (1.03090..., True)
    """
    s, f = check_counts(successes=successes, failures=failures)
    # The index of (1, 0) is the share, and its variance by Jiang is p(1 - p)/n.
    return tversky_delta(s, f, 0.0, a=1.0, b=0.0, confidence_level=confidence_level)


def binomial_wilson(successes: ArrayLike, failures: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Invert the score test: the roots of :math:`(1+k)p^2 - (2\hat p+k)p + \hat p^2 = 0`, :math:`k=z^2/n`.

    Parameters
    ----------
    successes, failures, confidence_level
        As in `binomial_clopper_pearson`.

    Examples
    --------
    >>> tuple(binomial_wilson(77, 44))
    (0.54768..., 0.71665...)

    References
    ----------
    Wilson (1927), JASA 22; Lam (2023), Eq. 42.
    """
    s, f = check_counts(successes=successes, failures=failures)
    z = normal_quantile(confidence_level)
    n = np.where(s + f > 0.0, s + f, 1.0)
    root = np.sqrt(z**4 + 4.0 * z * z * s * f / n)

    def lower_root(count: FloatArray) -> FloatArray:
        # A quotient loses no digits if the root is near 0.
        return np.asarray(2.0 * count * count / (n * (2.0 * count + z * z + root)))

    # The upper end is 1 minus the lower end of the failures' share.
    return bounds(ratio(s, s + f), lower_root(s), 1.0 - lower_root(f), undefined=s + f == 0.0)


# ---- F1 ---------------------------------------------------------------------------------------------------


def clopper_pearson(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for F1 by the binomial test of :math:`F^*`, mapped by :math:`2x/(1+x)`; never too short.

    Parameters
    ----------
    tp, fp, fn
        Counts; arrays broadcast.
    confidence_level
        Probability with which the interval should contain the true F1.

    Examples
    --------
    >>> tuple(clopper_pearson(77, 44, 10))
    (0.66532..., 0.80455...)

    References
    ----------
    Lam (2023), Eqs. 26-27.
    """
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    return _from_jaccard(binomial_clopper_pearson(tp, fp + fn, confidence_level=confidence_level))


def wald(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval :math:`\hat F_1 \pm z\sqrt{\hat F_1(1-\hat F_1)(2-\hat F_1)^2/2\nu}` by the delta method.

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
    # Jiang's variance equals Lam's for a beta of 1.
    return fbeta_delta(tp, fp, fn, confidence_level=confidence_level)


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
    nu = tp + fp + fn
    f1 = ratio(2.0 * tp, 2.0 * tp + fp + fn)
    k = normal_quantile(confidence_level) ** 2 / np.where(nu > 0.0, nu, 1.0)
    low, high = _score_roots(f1, k)
    return bounds(f1, low, high, undefined=nu == 0.0)


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
    return _from_jaccard(binomial_wilson(tp, fp + fn, confidence_level=confidence_level))


def _from_jaccard(share: Bounds) -> Bounds:
    """Return intervals for F1 from those for the Jaccard index, which is a share."""
    return Bounds(
        estimate=f1_of_jaccard(share.estimate),
        low=f1_of_jaccard(share.low),
        high=f1_of_jaccard(share.high),
        undefined=share.undefined,
    )


def f1_of_jaccard(share: Any) -> Any:
    """Return 2x/(1+x), Lam (2023), Eq. 10."""
    return 2.0 * share / (1.0 + share)


def _score_roots(f1: FloatArray, k: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return the two roots of Lam's quartic for many tables, for k above 0.

    With :math:`F = \sin^2\theta` and :math:`c = \sqrt{k/2}` the quartic factors into two equations that are smooth
    up to the ends of the interval. Each has one root: plus gives the lower end, minus the upper one.

    .. math:: \sin^2\theta \pm c\,\sin\theta\cos\theta\,(1+\cos^2\theta) = \hat F_1
    """
    from scipy.optimize import elementwise

    def excess(theta: FloatArray, c: FloatArray, f1: FloatArray) -> FloatArray:
        sin, cos = np.sin(theta), np.cos(theta)
        return np.asarray(sin * sin - f1 + c * sin * cos * (1.0 + cos * cos))

    c = np.sqrt(0.5 * k)
    estimate = np.arcsin(np.sqrt(f1))
    right_angle = 0.5 * np.pi
    # An estimate of 0 or 1 is a root itself; the bracket leaves it out, as the other root is next to it.
    below = np.zeros_like(estimate), np.minimum(estimate, right_angle - 1e-9)
    above = np.maximum(estimate, 1e-9), np.full_like(estimate, right_angle)
    lower_root = elementwise.find_root(excess, below, args=(c, f1)).x
    upper_root = elementwise.find_root(excess, above, args=(-c, f1)).x
    low = np.where(f1 == 0.0, 0.0, np.sin(lower_root) ** 2)
    high = np.where(f1 == 1.0, 1.0, np.sin(upper_root) ** 2)
    return low, high


# ---- the methods of a metric ------------------------------------------------------------------------------

# Intervals of a share, from successes and failures, and of F1, from tp, fp and fn.
OF_SHARE: dict[str, Callable[..., Bounds]] = {
    "clopper_pearson": binomial_clopper_pearson,
    "wald": binomial_wald,
    "wilson": binomial_wilson,
}
OF_F1: dict[str, Callable[..., Bounds]] = {
    "clopper_pearson": clopper_pearson,
    "wald": wald,
    "wilson_direct": wilson_direct,
    "wilson_indirect": wilson_indirect,
}


def closed_methods(metric: Metric) -> dict[str, Callable[..., Bounds]]:
    """Return the methods that need only a table, as functions of its `grouped_counts`."""
    match metric.distribution:
        case Proportion():
            return OF_SHARE
        case FMeasure(1.0):
            return OF_F1
        case FMeasure(beta):
            return {"fbeta_delta": partial(fbeta_delta, beta=beta)}
    return {}


def grouped_counts(metric: Metric, table: FloatArray, cells: tuple[str, ...]) -> list[FloatArray]:
    """Return the sums of cells (..., cell) of a closed form: successes and failures, or tp, fp and fn."""
    match metric.distribution:
        case Proportion(successes, failures):
            groups = [successes, failures]
        case FMeasure(_, tp, fp, fn):
            groups = [tp, fp, fn]
        case _:
            groups = []
    sums = []
    for group in groups:
        columns = [cells.index(cell) for cell in group]
        sums.append(np.asarray(table[..., columns].sum(axis=-1)))
    return sums
