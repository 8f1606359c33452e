"""Measures of a confusion table: pure functions, batched over leading axes.

The same function scores the observed table and a million posterior draws. Where numerator and denominator
are both 0 the score is 0, as in scikit-learn and conlleval.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest


@dataclass(frozen=True)
class Proportion:
    """The law behind a metric that is a share: Beta(Σ successes + λ's, Σ failures + λ's)."""

    successes: tuple[str, ...]
    failures: tuple[str, ...]


@dataclass(frozen=True)
class Harmonic:
    """The law behind an F-score with weight `beta`, of sums of cells."""

    beta: float
    tp: tuple[str, ...] = ("tp",)
    fp: tuple[str, ...] = ("fp",)
    fn: tuple[str, ...] = ("fn",)


@dataclass(frozen=True)
class Metric:
    """A measure of a confusion table.

    Attributes
    ----------
    name
        The name it is asked for by, such as ``"f1"``.
    label
        The name it is printed with, such as ``"F1"``.
    needs
        The cells that it is a function of; empty for a callable, which is given the whole table.
    law
        The closed form of its posterior, or None where only draws will do.
    function
        The measure itself, on tables (..., cell) with the cells in the order of `needs`.
    support
        Smallest and largest value.
    percent
        Whether it is printed in percent.
    """

    name: str
    label: str
    needs: tuple[str, ...]
    law: Proportion | Harmonic | None
    function: Callable[[FloatArray], FloatArray]
    support: tuple[float, float] = (0.0, 1.0)
    percent: bool = True

    def __call__(self, tables: FloatArray, cells: tuple[str, ...]) -> FloatArray:
        """Score tables (..., cell) whose last axis holds `cells`."""
        if not self.needs:
            return _checked_scores(self.name, self.function(tables), tables.shape[:-1])
        if self.needs == cells:
            return self.function(tables)
        self.check_cells(cells)
        return self.function(tables[..., [cells.index(cell) for cell in self.needs]])

    def check_cells(self, cells: tuple[str, ...]) -> None:
        """Raise a ValueError where a cell that the metric needs is not counted."""
        if not set(self.needs) <= set(cells):
            raise ValueError(
                f"{self.name} needs true negatives, but this evaluation has none "
                "(span tasks count no tn); use f1 or jaccard"
            )


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide, giving 0 where the denominator is 0."""
    out = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    np.divide(numerator, denominator, out=out, where=np.asarray(denominator) > 0)
    return out


def _columns(tables: FloatArray) -> tuple[FloatArray, ...]:
    return tuple(np.moveaxis(tables, -1, 0))


def proportion(successes: int) -> Callable[[FloatArray], FloatArray]:
    """Return the share of the first `successes` cells in the sum of all cells."""
    return lambda tables: ratio(tables[..., :successes].sum(axis=-1), tables.sum(axis=-1))


def fbeta(tables: FloatArray, *, beta: float = 1.0) -> FloatArray:
    r"""Score tables (..., [tp, fp, fn]) by :math:`(1+\beta^2)TP/((1+\beta^2)TP + FP + \beta^2 FN)`."""
    tp, fp, fn = _columns(tables)
    gain = (1.0 + beta * beta) * tp
    return ratio(gain, gain + fp + beta * beta * fn)


def fowlkes_mallows(tables: FloatArray) -> FloatArray:
    """Geometric mean of precision and recall, on tables (..., [tp, fp, fn])."""
    tp, fp, fn = _columns(tables)
    return ratio(tp, np.sqrt(tp + fp) * np.sqrt(tp + fn))


def mcc(tables: FloatArray) -> FloatArray:
    """Matthews correlation coefficient, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = _columns(tables)
    spread = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return ratio(tp * tn - fp * fn, spread)


def balanced_accuracy(tables: FloatArray) -> FloatArray:
    """Mean of recall and specificity over the classes that occur, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = _columns(tables)
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
    tp, fp, fn, tn = _columns(tables)
    return symmetric_accuracy(
        np.stack([tp, tn], axis=-1),
        np.stack([tp + fn, tn + fp], axis=-1),
        np.stack([tp + fp, tn + fn], axis=-1),
    )


def kappa(tables: FloatArray) -> FloatArray:
    """Cohen's kappa, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = _columns(tables)
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

MetricLike: TypeAlias = str | Callable[[FloatArray], Any] | Metric


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
    if callable(name):
        title = getattr(name, "__name__", type(name).__name__)
        return Metric(title, title, (), None, name, (-math.inf, math.inf), percent=False)
    raise ValueError(f"metric {name!r} is neither a name such as 'f1' nor a callable on tables")


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


def _checked_scores(name: str, scores: Any, shape: tuple[int, ...]) -> FloatArray:
    array = np.asarray(scores, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(
            f"metric {name!r} gave an array of shape {array.shape} for tables of shape {shape} + (cell,); "
            "a metric works on leading axes and returns one number a table"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"metric {name!r} gave {array[~np.isfinite(array)].flat[0]} for a table of counts")
    return array
