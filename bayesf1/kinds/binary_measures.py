"""Measures of a binary table by their names; a new one is a row of the table."""

from __future__ import annotations

import re

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest
from bayesf1.evaluation.metric import (
    Harmonic,
    Metric,
    MetricLike,
    Proportion,
    columns,
    fbeta,
    metric_of,
    proportion,
    ratio,
)


def fowlkes_mallows(tables: FloatArray) -> FloatArray:
    """Geometric mean of precision and recall, on tables (..., [tp, fp, fn])."""
    tp, fp, fn = columns(tables)
    return ratio(tp, np.sqrt(tp + fp) * np.sqrt(tp + fn))


def mcc(tables: FloatArray) -> FloatArray:
    """Matthews correlation coefficient, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = columns(tables)
    spread = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return ratio(tp * tn - fp * fn, spread)


def balanced_accuracy(tables: FloatArray) -> FloatArray:
    """Mean of recall and specificity over the classes that occur, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = columns(tables)
    present = (tp + fn > 0).astype(float) + (tn + fp > 0)
    return ratio(ratio(tp, tp + fn) + ratio(tn, tn + fp), present)


def symmetric_accuracy(right: FloatArray, gold: FloatArray, said: FloatArray) -> FloatArray:
    r"""Symmetric balanced accuracy of classes along the last axis, Gösgens et al. (2021).

    .. math:: \frac{1}{2k} \sum_i \left(\frac{C_{ii}}{a_i} + \frac{C_{ii}}{b_i}\right),

    where a class without gold instances (a) counts :math:`b_i/n` for the first share, and one that is never
    predicted (b) counts :math:`a_i/n` for the second.
    """
    n = gold.sum(axis=-1, keepdims=True)
    recall = np.where(gold > 0, ratio(right, gold), ratio(said, n))
    precision = np.where(said > 0, ratio(right, said), ratio(gold, n))
    return np.asarray(0.5 * (recall + precision).mean(axis=-1))


def sba(tables: FloatArray) -> FloatArray:
    """Symmetric balanced accuracy, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = columns(tables)
    return symmetric_accuracy(
        np.stack([tp, tn], axis=-1),
        np.stack([tp + fn, tn + fp], axis=-1),
        np.stack([tp + fp, tn + fn], axis=-1),
    )


def kappa(tables: FloatArray) -> FloatArray:
    """Cohen's kappa, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = columns(tables)
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return ratio(2.0 * (tp * tn - fp * fn), chance)


def _share(name: str, label: str, successes: tuple[str, ...], failures: tuple[str, ...]) -> Metric:
    return Metric(
        name, label, successes + failures, Proportion(successes, failures), proportion(len(successes))
    )


_SPAN = ("tp", "fp", "fn")
_FULL = ("tp", "fp", "fn", "tn")

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _share("precision", "P", ("tp",), ("fp",)),
        _share("recall", "R", ("tp",), ("fn",)),
        _share("accuracy", "Accuracy", ("tp", "tn"), ("fp", "fn")),
        _share("specificity", "Specificity", ("tn",), ("fp",)),
        _share("npv", "NPV", ("tn",), ("fn",)),
        _share("jaccard", "Jaccard", ("tp",), ("fp", "fn")),
        Metric("fowlkes_mallows", "FM", _SPAN, None, fowlkes_mallows),
        Metric("mcc", "MCC", _FULL, None, mcc, (-1.0, 1.0), percent=False),
        Metric("sba", "SBA", _FULL, None, sba),
        Metric("balanced_accuracy", "Balanced accuracy", _FULL, None, balanced_accuracy),
        Metric("kappa", "Kappa", _FULL, None, kappa, (-1.0, 1.0), percent=False),
    )
}

_FSCORE = re.compile(r"f(\d+(?:\.\d*)?|\.\d+)")


def find_metric(name: MetricLike) -> Metric:
    """Return the metric of a name, of ``f<number>``, or of a callable on tables (..., cell).

    Examples
    --------
    >>> find_metric("f0.5").law
    Harmonic(beta=0.5, tp=('tp',), fp=('fp',), fn=('fn',))
    >>> find_metric("mcc").law is None
    True
    >>> import numpy as np
    >>> find_metric("recall")(np.array([77.0, 44.0, 10.0]), ("tp", "fp", "fn")).round(3)
    np.float64(0.885)
    """
    if isinstance(name, Metric):
        return name
    if isinstance(name, str):
        return _named_metric(name)
    return metric_of(name)


def _named_metric(name: str) -> Metric:
    key = name.strip().lower().replace("-", "_")
    if key in METRICS:
        return METRICS[key]
    match = _FSCORE.fullmatch(key)
    if match is None:
        raise ValueError(f"unknown metric {name!r}; {nearest(key, [*METRICS, 'f1', 'f0.5', 'f2'])}")
    beta = float(match[1])
    if not 0.0 < beta <= 1e3:
        raise ValueError(
            f"metric {name!r} has a weight of {beta:g}; F-beta needs one above 0 and at most 1000"
        )
    return Metric(f"f{beta:g}", f"F{beta:g}", _SPAN, Harmonic(beta), lambda tables: fbeta(tables, beta=beta))
