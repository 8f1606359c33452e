r"""What two tables of one test set leave open: the range of P(H1) over all pairings of items.

The tables do not say on which items the models agree, but they bound it: both were right on at least
:math:`\max(0, TP_A + TP_B - n_+)` items and at most :math:`\min(TP_A, TP_B)`, and likewise for false positives. Over this
rectangle of overlaps the probability is smooth, so that a grid that holds the corners will do.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation import Evaluation, defined_scores, resolve_metric
from bayesf1.inference.compare import compare
from bayesf1.metrics import find_metric
from bayesf1.units import Units

# Points of the grid in each direction, and draws at each of them.
_OVERLAPS, _DRAWS = 7, 20_000


@dataclass(frozen=True)
class PairingBounds:
    """The range of P(H1) over all pairings of items that two tables allow; unpacks as its two ends.

    Attributes
    ----------
    low, high
        The smallest and the largest probability.
    error
        Standard error of either, 0 if they are exact.
    metric
        Name of the metric.
    """

    low: float
    high: float
    error: float
    metric: str

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __str__(self) -> str:
        span = f"lies between {self.low:.3f} and {self.high:.3f} over all pairings of the items"
        ends = f"P(H1) for {find_metric(self.metric).label} {span}"
        return f"{ends} (± {2 * self.error:.1g})." if self.error else f"{ends}."


def pairing_bounds(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    metric: str = "f1",
    prior: float | None = None,
) -> PairingBounds:
    """Return the range of P(H1) over all pairings of items that the totals of two models allow.

    Parameters
    ----------
    ev
        An evaluation of binary tables, or of items right or wrong, in which only totals are known or only they are used.
    a, b
        Names of the models; may be left out if there are exactly two.
    metric
        Name of the metric.
    prior
        λ of the prior, as in `compare`.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> ev = from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))
    >>> low, high = pairing_bounds(ev, metric="recall")
    >>> round(low, 4), round(high, 4)
    (0.766, 0.9669)
    """
    ev = ev.pair(a, b)
    if ev.folds is not None or ev.methods:
        raise ValueError("pairing bounds need two tables of one test set, without folds or runs")
    definition = resolve_metric(metric, ev)
    defined_scores(ev, definition)
    if not ev.task.answers:
        raise ValueError(f"pairing bounds need two tables of two outcomes, but this is a {ev.task.name} task")
    numbers = [_positive_counts(ev, yes, no) for yes, no in ev.task.answers]
    grids = [_overlaps(*each) for each in numbers]
    row = dict(zip(ev.cells, np.eye(len(ev.cells)), strict=True))
    nothing = np.zeros(len(ev.cells))
    found = []
    for both in itertools.product(*grids):
        rows, weights = [], []
        for (yes, no), (has_a, has_b, total), shared in zip(ev.task.answers, numbers, both, strict=True):
            neither = max(0.0, total - has_a - has_b + shared) if no in row else 0.0
            times = (shared, has_a - shared, has_b - shared, neither)
            for pair, n in zip(itertools.product((yes, no), repeat=2), times, strict=True):
                rows.append(np.concatenate([row.get(cell, nothing) for cell in pair]))
                weights.append(n)
        units = Units.merge(np.array(rows), np.array(weights), "item").seen
        paired = replace(ev, units=units, item_units=None)
        found.append(compare(paired, metrics=definition, prior=prior, n_draws=_DRAWS)[definition.name])
    p = [c.p_h1 for c in found]
    return PairingBounds(min(p), max(p), max(float(c.mcse) for c in found), definition.name)


def _positive_counts(ev: Evaluation, yes: str, no: str) -> tuple[float, float, float]:
    """Return how many items of one kind either model takes for positive, and how many there are; infinity if unknown."""
    if yes not in ev.cells:
        raise ValueError(f"pairing bounds need all of tp, fp and fn, but the cells are {', '.join(ev.cells)}")
    predicted = ev.tables[:, ev.cells.index(yes)]
    totals = predicted + (ev.tables[:, ev.cells.index(no)] if no in ev.cells else np.inf)
    if not np.isclose(totals[0], totals[1], rtol=1e-9, atol=1e-9):
        raise ValueError(
            f"the tables have {totals[0]:g} and {totals[1]:g} items of {yes}+{no}, so they are not from one test set "
            "and there is no pairing to bound"
        )
    return float(predicted[0]), float(predicted[1]), float(totals[0])


def _overlaps(a: float, b: float, total: float) -> FloatArray:
    """Return numbers of items that both models have, from the fewest to the most, closer together if few are discordant."""
    least, most = max(0.0, a + b - total), min(a, b)
    ends = np.sqrt(a + b + 1.0 - 2.0 * np.array([most, least]))
    shared = 0.5 * (a + b + 1.0 - np.linspace(ends[0], ends[1], _OVERLAPS) ** 2)
    whole = all(float(x).is_integer() for x in (a, b, least))
    return np.unique(np.clip(np.round(shared) if whole else shared, least, most))
