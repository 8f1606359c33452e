r"""The delta method for scores of independent items.

For F-scores and Tversky indices it is that of Jiang (2020), for micro- and macro-averaged F1 of a K×K confusion matrix
that of Takahashi et al. (2022). Rows of the matrix are the truth and columns the prediction; leading axes are separate
matrices. All three scores and variances are the same for the transposed matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray
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


def micro_f1(matrix: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for the micro-averaged F1, the share :math:`\sum_i p_{ii}` of the diagonal.

    Parameters
    ----------
    matrix
        Counts, axes (..., truth, prediction).
    confidence_level
        Probability with which the interval shall hold the true score.

    Examples
    --------
    >>> interval = micro_f1([[2, 5, 0], [2, 70, 2], [2, 2, 15]])
    >>> interval.estimate, interval.se
    (0.87, 0.03363...)

    References
    ----------
    Takahashi et al. (2022), Applied Intelligence 52, Eq. 4.
    """
    p, n = _shares(matrix)
    score = np.trace(p, axis1=-2, axis2=-1)
    variance = ratio(score * (1.0 - score).clip(0.0), n)
    return normal_bounds(score, variance, confidence_level, undefined=n == 0.0)


def macro_f1(matrix: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for the macro-averaged F1, the mean of the classes' :math:`F_{1i} = 2p_{ii}/s_i`.

    With :math:`s_i = p_{i\cdot}+p_{\cdot i}` its variance is

    .. math:: \frac{2}{K^2 n}\Bigl\{\sum_i \frac{F_{1i}(s_i-2p_{ii})}{s_i^2}\Bigl(\frac{s_i-2p_{ii}}{s_i}
              + \frac{F_{1i}}{2}\Bigr) + \sum_{i\ne j}\frac{p_{ij}F_{1i}F_{1j}}{s_i s_j}\Bigr\}

    Parameters
    ----------
    matrix, confidence_level
        As in `micro_f1`.

    Returns
    -------
    Bounds
        Undefined where a class neither occurs nor is predicted; its F1 then counts as 0.

    Examples
    --------
    >>> interval = macro_f1([[2, 5, 0], [2, 70, 2], [2, 2, 15]])
    >>> interval.estimate, interval.se
    (0.68939..., 0.06504...)

    References
    ----------
    Takahashi et al. (2022), Section 3.2, where one margin of the last sum is misprinted; Appendix B is right.
    """
    p, n = _shares(matrix)
    right, apart = _split(p)
    s = p.sum(axis=-1) + p.sum(axis=-2)
    f1 = ratio(2.0 * right, s)
    wrong = ratio(apart.sum(axis=-1) + apart.sum(axis=-2), s)
    pull = ratio(f1, s)
    own = (pull * wrong * (wrong + 0.5 * f1)).sum(axis=-1)
    shared = np.einsum("...ij,...i,...j->...", apart, pull, pull)
    variance = ratio(2.0 * (own + shared), n * f1.shape[-1] ** 2)
    never = (s == 0.0).any(axis=-1)
    return normal_bounds(f1.mean(axis=-1), variance, confidence_level, undefined=never, empty=n == 0.0)


def macro_f1_star(matrix: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for the harmonic mean of macro-averaged precision and recall, :math:`2PR/(P+R)`.

    Its variance is

    .. math:: 4\,\frac{R^4\operatorname{Var}P + 2P^2R^2\operatorname{Cov}(P,R) + P^4\operatorname{Var}R}{(P+R)^4}

    Parameters
    ----------
    matrix, confidence_level
        As in `micro_f1`.

    Returns
    -------
    Bounds
        Undefined where a class does not occur or is never predicted; its recall or precision then counts as 0.

    Examples
    --------
    >>> interval = macro_f1_star([[2, 5, 0], [2, 70, 2], [2, 2, 15]])
    >>> interval.estimate, interval.se
    (0.69055..., 0.06492...)

    References
    ----------
    Takahashi et al. (2022), Section 3.3; Sokolova & Lapalme (2009).
    """
    p, n = _shares(matrix)
    right, apart = _split(p)
    occurs, said = p.sum(axis=-1), p.sum(axis=-2)
    missed, false = ratio(apart.sum(axis=-1), occurs), ratio(apart.sum(axis=-2), said)
    recalls, precisions = ratio(right, occurs), ratio(right, said)
    recall, precision = recalls.mean(axis=-1), precisions.mean(axis=-1)
    by_recall, by_precision = ratio(recalls, occurs), ratio(precisions, said)
    var_recall = (by_recall * missed).sum(axis=-1)
    var_precision = (by_precision * false).sum(axis=-1)
    covariance = (right * ratio(missed, occurs) * ratio(false, said)).sum(axis=-1)
    covariance = covariance + np.einsum("...ij,...i,...j->...", apart, by_recall, by_precision)
    total = precision + recall
    to_p, to_r = ratio(recall, total) ** 2, ratio(precision, total) ** 2
    variance = to_p**2 * var_precision + 2.0 * to_p * to_r * covariance + to_r**2 * var_recall
    variance = ratio(4.0 * variance, n * p.shape[-1] ** 2)
    score = ratio(2.0 * precision * recall, total)
    never = ((occurs == 0.0) | (said == 0.0)).any(axis=-1)
    return normal_bounds(score, variance, confidence_level, undefined=never, empty=n == 0.0)


def check_weights(a: float, b: float) -> None:
    """Say which weight of a Tversky index is none."""
    for name, weight in (("a", a), ("b", b)):
        if not is_number(weight) or not 0.0 <= weight <= 1e6:
            raise ValueError(f"{name} must be a weight from 0 to 1e6, not {weight!r}")


def _shares(matrix: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the cells as shares of all items, and the number of items."""
    (counts,) = check_counts(matrix=matrix)
    if counts.ndim < 2 or counts.shape[-1] != counts.shape[-2] or not counts.shape[-1]:
        raise ValueError(
            f"a confusion matrix has as many rows as columns, one a class, not the shape {counts.shape}"
        )
    n = counts.sum(axis=(-2, -1))
    return counts / np.where(n > 0.0, n, 1.0)[..., None, None], n


def _split(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the diagonal, and the cells beside it."""
    return np.diagonal(p, axis1=-2, axis2=-1), p * ~np.eye(p.shape[-1], dtype=bool)
