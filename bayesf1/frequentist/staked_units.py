"""Units as bets take them: what each adds to numerator and denominator of a measure, and what bounds it."""

from __future__ import annotations

import math

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import is_number
from bayesf1.base.errors import Argument, WordedError
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Metric, Proportion
from bayesf1.frequentist.betting import BOUNDED, OF_ITEMS, SOFT, Wagers, rung


def wagers_of(ev: Evaluation, measure: Metric, largest: float | None) -> tuple[Wagers, str, float, float]:
    """Return the units as bets take them, what bounds their loads, the largest so far, and the largest reckoned with."""
    if ev.units is None or not ev.units.shared or ev.shape or ev.folds is not None:
        raise ValueError(
            "monitoring takes what both models did on every unit of one test set; build the evaluation from predictions "
            "(from_labels, from_tags, from_correct)"
        )
    share, load = _ratio(ev, measure)
    flat, n_cells = ev.units.rows, len(ev.cells)
    models = [flat[:, :n_cells], flat[:, n_cells:]]
    shares, loads = (np.stack([np.asarray(part @ each) for part in models]) for each in (share, load))
    seen, each = float(loads.max(initial=0.0)), float(load.max())
    if largest is not None and (not is_number(largest) or not largest > 0.0):
        raise WordedError(Argument("largest"), f" is a number above 0, such as 50, not {largest!r}")
    bound, stakes = "given", BOUNDED
    # A single item is in one cell of a table, or is missed as one class and claimed as another; a score counts once.
    single = ev.units.single or (measure.law is None and ev.items is None)
    if largest is None and single and seen <= each:
        bound, stakes, most = "known", OF_ITEMS, each
    elif largest is None:
        bound, most = "seen", max(seen, each * rung(seen / each))
    elif math.isinf(largest):
        bound, stakes, most = "none", SOFT, math.inf
    else:
        most = float(largest)
    if seen > most:
        raise ValueError(
            f"there is one {ev.unit} with a load of {seen:g}, but the largest was said to be {most:g}; give more, from "
            "the first look on"
        )
    scale = most if math.isfinite(most) else each
    # Many patterns add the same to the measure, as it does not matter which of two kinds of errors was made.
    kinds, which = np.unique(np.concatenate([shares, loads]), axis=1, return_inverse=True)
    counts = np.bincount(which.ravel(), weights=ev.units.weights).astype(float)
    wagers = Wagers(kinds[:2] / scale, kinds[2:] / scale, counts, _same_loads(measure), stakes)
    return wagers, bound, seen, most


def _ratio(ev: Evaluation, measure: Metric) -> tuple[FloatArray, FloatArray]:
    """Return what one of each cell adds to numerator and denominator of a measure from 0 to 1."""
    found = ev.kind.ratio(measure)
    if found is None or measure.support[0] < 0.0 or measure.support[1] > 1.0:
        raise ValueError(
            f"{measure.label} is no ratio of counts, so it cannot be monitored; take f1, precision, recall, accuracy, "
            "micro_f1 or one of a class, a Brier score, or the mean of scores from 0 to 1"
        )
    return found


def _same_loads(measure: Metric) -> bool:
    """Say whether the gold data alone decide how much a unit counts: all that is positive, or none of it, and so on."""
    if not isinstance(measure.law, Proportion):
        return measure.law is None
    counted = {cell.partition("[")[0] for cell in (*measure.law.successes, *measure.law.failures)}
    return all((hit in counted) == (miss in counted) for hit, miss in (("tp", "fn"), ("tn", "fp")))
