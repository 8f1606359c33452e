r"""The delta method for F-scores and Tversky indices of independent items, after Jiang (2020)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from bayesf1.base.checks import is_number
from bayesf1.evaluation.metric import ratio
from bayesf1.frequentist.bounds import Bounds, check_counts, normal_bounds


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

    Its ends may lie outside [0, 1], and it is a single point where the index is 0 or 1.

    Parameters
    ----------
    tp, fp, fn
        Counts; arrays broadcast.
    a, b
        Weights of false positives and of false negatives, not negative and not both 0: (1, 0) is precision,
        (0, 1) recall, (½, ½) F1, (1, 1) Jaccard.
    confidence_level
        Probability with which the interval shall hold the true index.

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
    first, second = a * fp + b * fn, a * a * fp + b * b * fn
    total = tp + first
    index = ratio(tp, total)
    variance = ratio(index * (index * second + ratio(first, total) * first), total * total)
    return normal_bounds(index, variance, confidence_level, undefined=total == 0.0)


def check_weights(a: float, b: float) -> None:
    """Say which weight of a Tversky index is none."""
    for name, weight in (("a", a), ("b", b)):
        if not is_number(weight) or not 0.0 <= weight <= 1e6:
            raise ValueError(f"{name} must be a weight from 0 to 1e6, not {weight!r}")
