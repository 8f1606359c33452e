"""Measures of a confusion table: pure functions, batched over leading axes.

The same function scores the observed table and a million posterior draws. Where numerator and denominator
are both 0 the score is 0, as in scikit-learn and conlleval.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from bayesf1.evaluation import Evaluation, FloatArray, check_evaluation
from bayesf1.naming import nearest


@dataclass(frozen=True)
class Proportion:
    """The law behind a metric that is a share: Beta(Σ successes + λ's, Σ failures + λ's)."""

    successes: tuple[str, ...]
    failures: tuple[str, ...]


@dataclass(frozen=True)
class Harmonic:
    """The law behind an F-score with weight `beta`."""

    beta: float


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
    """

    name: str
    label: str
    needs: tuple[str, ...]
    law: Proportion | Harmonic | None
    function: Callable[[FloatArray], FloatArray]
    support: tuple[float, float] = (0.0, 1.0)

    def __call__(self, tables: FloatArray, cells: tuple[str, ...]) -> FloatArray:
        """Score tables (..., cell) whose last axis holds `cells`."""
        if not self.needs:
            return _checked_scores(self.name, self.function(tables), tables.shape[:-1])
        self.check_cells(cells)
        return self.function(tables[..., [cells.index(cell) for cell in self.needs]])

    def check_cells(self, cells: tuple[str, ...]) -> None:
        """Raise a ValueError where a cell that the metric needs is not counted."""
        if any(cell not in cells for cell in self.needs):
            raise ValueError(
                f"{self.name} needs true negatives, but this evaluation has none "
                "(span tasks count no tn); use f1 or jaccard"
            )


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    out = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    np.divide(numerator, denominator, out=out, where=np.asarray(denominator) > 0)
    return out


def _columns(tables: FloatArray) -> tuple[FloatArray, ...]:
    return tuple(np.moveaxis(tables, -1, 0))


def proportion(successes: int) -> Callable[[FloatArray], FloatArray]:
    """Return the share of the first `successes` cells in the sum of all cells."""
    return lambda tables: _ratio(tables[..., :successes].sum(axis=-1), tables.sum(axis=-1))


def fbeta(tables: FloatArray, *, beta: float = 1.0) -> FloatArray:
    r"""Score tables (..., [tp, fp, fn]) by :math:`(1+\beta^2)TP/((1+\beta^2)TP + FP + \beta^2 FN)`."""
    tp, fp, fn = _columns(tables)
    gain = (1.0 + beta * beta) * tp
    return _ratio(gain, gain + fp + beta * beta * fn)


def fowlkes_mallows(tables: FloatArray) -> FloatArray:
    """Geometric mean of precision and recall, on tables (..., [tp, fp, fn])."""
    tp, fp, fn = _columns(tables)
    return _ratio(tp, np.sqrt(tp + fp) * np.sqrt(tp + fn))


def mcc(tables: FloatArray) -> FloatArray:
    """Matthews correlation coefficient, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = _columns(tables)
    spread = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return _ratio(tp * tn - fp * fn, spread)


def balanced_accuracy(tables: FloatArray) -> FloatArray:
    """Mean of recall and specificity over the classes that occur, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = _columns(tables)
    present = (tp + fn > 0).astype(float) + (tn + fp > 0)
    return _ratio(_ratio(tp, tp + fn) + _ratio(tn, tn + fp), present)


def kappa(tables: FloatArray) -> FloatArray:
    """Cohen's kappa, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = _columns(tables)
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return _ratio(2.0 * (tp * tn - fp * fn), chance)


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
        Metric("mcc", "MCC", _FULL, None, mcc, (-1.0, 1.0)),
        Metric("sba", "SBA", _FULL, None, balanced_accuracy),
        Metric("kappa", "Kappa", _FULL, None, kappa, (-1.0, 1.0)),
    )
}

_FSCORE = re.compile(r"f(\d+(?:\.\d*)?|\.\d+)")

MetricLike: TypeAlias = str | Callable[[FloatArray], Any] | Metric


def find_metric(name: MetricLike) -> Metric:
    """Return the metric of a name, of ``f<number>``, or of a callable on tables (..., cell).

    Examples
    --------
    >>> find_metric("f0.5").law
    Harmonic(beta=0.5)
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
        return Metric(title, title, (), None, name, (-math.inf, math.inf))
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


def find_metrics(metrics: MetricLike | Sequence[MetricLike]) -> list[Metric]:
    """Return the metrics of one or several names, each different."""
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    given: list[Any] = list(cast("Iterable[Any]", metrics)) if several else [metrics]
    if not given:
        raise ValueError("no metric given; name one such as 'f1'")
    found = [find_metric(m) for m in given]
    names = [m.name for m in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"metric {name!r} is given twice")
    return found


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


def score(ev: Evaluation, model: str, metric: MetricLike = "f1") -> Any:
    """Return the plain point score of a model: a float, or an array where the tables have leading axes.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> score(from_counts(A=(77, 44, 10)), "A", metric="f1")
    0.7403846...
    """
    check_evaluation(ev)
    scores = find_metric(metric)(ev.table(model), ev.cells)
    return scores if scores.ndim else float(scores)
