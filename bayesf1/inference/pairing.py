r"""The range of P(H1) over all pairings of items that two tables of one test set allow.

The tables do not say on which items the models agree, but they bound how many there are: both were right on at least
:math:`\max(0, TP_A + TP_B - n_+)` items and at most :math:`\min(TP_A, TP_B)`, and likewise for false positives. Over this
rectangle of overlaps the probability is smooth, so that a grid with the corners is enough.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation import Evaluation, defined_scores, resolve_metric
from bayesf1.inference.compare import compare
from bayesf1.metrics import find_metric
from bayesf1.units import Units

# The number of grid points in each direction, and of draws at each point.
_OVERLAPS = 7
_DRAWS = 20_000


@dataclass(frozen=True)
class PairingBounds:
    """The range of P(H1) over all pairings of items that two tables allow; unpacks as its two ends.

    Attributes
    ----------
    low, high
        The smallest and the largest probability.
    error
        The standard error of either probability, 0 if they are exact.
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
        return f"{ends}." if self.error == 0.0 else f"{ends} (± {2 * self.error:.1g})."


def pairing_bounds(
    ev: Evaluation, a: str | None = None, b: str | None = None, metric: str = "f1", prior: float | None = None
) -> PairingBounds:
    """Return the range of P(H1) over all pairings of items that the totals of two models allow.

    Parameters
    ----------
    ev
        An evaluation of binary tables, or of items right or wrong. Only its totals are used.
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
    counts = [_positive_counts(ev, yes, no) for yes, no in ev.task.answers]
    comparisons = []
    for overlaps in itertools.product(*map(_overlaps, counts)):
        paired = replace(ev, units=_paired_units(ev, counts, overlaps), item_units=None)
        comparisons.append(compare(paired, metrics=definition, prior=prior, n_draws=_DRAWS)[definition.name])
    p_h1 = [c.p_h1 for c in comparisons]
    error = max(c.mcse for c in comparisons)
    return PairingBounds(low=min(p_h1), high=max(p_h1), error=error, metric=definition.name)


class _PositiveCounts(NamedTuple):
    """How many items of one kind, such as gold positives, A and B call positive, and how many there are in all.

    The total is infinite if it is unknown.
    """

    a: float
    b: float
    total: float


def _paired_units(ev: Evaluation, counts: list[_PositiveCounts], overlaps: tuple[float, ...]) -> Units:
    """Return units in which both models call `overlaps` items positive, a number for each kind."""
    row_of = dict(zip(ev.cells, np.eye(len(ev.cells)), strict=True))
    not_counted = np.zeros(len(ev.cells))
    rows = []
    weights = []
    for (yes, no), (n_a, n_b, total), both in zip(ev.task.answers, counts, overlaps, strict=True):
        neither = max(0.0, total - n_a - n_b + both) if no in row_of else 0.0
        answers = ((yes, yes, both), (yes, no, n_a - both), (no, yes, n_b - both), (no, no, neither))
        for cell_a, cell_b, weight in answers:
            rows.append(np.append(row_of.get(cell_a, not_counted), row_of.get(cell_b, not_counted)))
            weights.append(weight)
    return Units.merge(np.array(rows), np.array(weights), "item").seen


def _positive_counts(ev: Evaluation, yes: str, no: str) -> _PositiveCounts:
    """Return how many items of one kind either model calls positive, counted in the cells of both answers."""
    if yes not in ev.cells:
        raise ValueError(f"pairing bounds need all of tp, fp and fn, but the cells are {', '.join(ev.cells)}")
    called_a, called_b = ev.tables[:, ev.cells.index(yes)].tolist()
    if no not in ev.cells:
        return _PositiveCounts(called_a, called_b, np.inf)
    not_called_a, not_called_b = ev.tables[:, ev.cells.index(no)].tolist()
    total_a = called_a + not_called_a
    total_b = called_b + not_called_b
    if not np.isclose(total_a, total_b, rtol=1e-9, atol=1e-9):
        raise ValueError(
            f"the tables have {total_a:g} and {total_b:g} items of {yes}+{no}, so they are not from one test set "
            "and there is no pairing to bound"
        )
    return _PositiveCounts(called_a, called_b, total_a)


def _overlaps(counts: _PositiveCounts) -> FloatArray:
    """Return numbers of items that both call positive, from the fewest to the most, closer together if few are discordant."""
    a, b, total = counts
    least = max(0.0, a + b - total)
    most = min(a, b)
    # Steps are even on the scale of the root of one more than the number of discordant items.
    root_at_most, root_at_least = np.sqrt(a + b + 1.0 - 2.0 * np.array([most, least]))
    roots = np.linspace(root_at_most, root_at_least, _OVERLAPS)
    both = 0.5 * (a + b + 1.0 - roots**2)
    if all(count.is_integer() for count in (a, b, least)):
        both = np.round(both)
    return np.unique(np.clip(both, least, most))
