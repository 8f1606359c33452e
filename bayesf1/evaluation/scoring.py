"""Measures in the light of an evaluation: what a name means there, and the plain point score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from bayesf1.base.checks import checked
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike


def find_measure(metric: MetricLike | None, ev: Evaluation) -> Metric:
    """Return the measure that a name, or a callable, means for an evaluation; F1 where none is given.

    With several classes ``f1`` is their macro average where every item has one class, and the micro average
    of spans by type and of labels of which an item has any number; ``micro_f1``, ``macro_f1``,
    ``weighted_f1``, ``macro_f1_star`` and ``f1[class]`` are what they say.

    Examples
    --------
    >>> from bayesf1 import from_counts, from_labels
    >>> find_measure("f1", from_counts(A=(77, 44, 10))).label
    'F1'
    >>> find_measure("f1", from_labels(list("abc"), {"A": list("abb")})).label
    'Macro F1'
    """
    check_evaluation(ev)
    asked = ev.kind.default_metrics[-1] if metric is None else metric
    measure = asked if isinstance(asked, Metric) else ev.kind.measure(asked, ev.tables)
    measure.check_cells(ev.cells)
    return replace(measure, origin=(ev.kind, asked, ev.tables)) if isinstance(asked, str) else measure


def find_measures(metrics: MetricLike | Sequence[MetricLike] | None, ev: Evaluation) -> list[Metric]:
    """Return the measures of one or several names, each different; the usual ones where none is given."""
    check_evaluation(ev)
    chosen: Any = ev.kind.default_metrics if metrics is None else metrics
    several = isinstance(chosen, Iterable) and not isinstance(chosen, str) and getattr(chosen, "ndim", 1) > 0
    given: Iterable[Any] = chosen if several else [chosen]
    found, labels = dict[str, Metric](), dict[str, str]()
    # One by one, as an iterator may never end.
    for measure in (find_measure(m, ev) for m in given):
        if measure.name in found:
            raise ValueError(f"metric {measure.name!r} is given twice")
        if (other := labels.setdefault(measure.label, measure.name)) != measure.name:
            raise ValueError(
                f"metrics {other!r} and {measure.name!r} are the same here, {measure.label}; name one"
            )
        found[measure.name] = measure
    if not found:
        raise ValueError("no metric given; name one such as 'f1'")
    return list(found.values())


@checked
def score(ev: Evaluation, model: str, metric: MetricLike | None = None) -> Any:
    """Return the plain point score of a model: a float, or an array where the tables have leading axes.

    That of a method is the mean of its runs' scores, not the score of their pooled table.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> score(from_counts(A=(77, 44, 10)), "A", metric="f1")
    0.7403846...
    """
    measure = find_measure(metric, ev)
    if model in ev.names and ev.methods:
        return float(ev.mean_scores(measure(ev.tables, ev.cells))[ev.names.index(model)])
    scores = measure(ev.table(model), ev.cells)
    return scores if scores.ndim else float(scores)
