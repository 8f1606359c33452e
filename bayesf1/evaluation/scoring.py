"""Measures in the light of an evaluation: what a name means there, and the plain point score."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

from bayesf1.base.errors import WordedError, Wording
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike, find_metric
from bayesf1.kinds.class_measures import class_metric
from bayesf1.reading.scores import statistic

# Names that make sense with several classes only.
_SEVERAL = re.compile(r"(micro|macro|weighted)_|.*\[")


def default_metrics(ev: Evaluation) -> tuple[str, ...]:
    """Return the measures that are shown where none is named."""
    if ev.task == "scores":
        return ("mean",)
    several = ("precision", "recall", "f1")
    return ("accuracy", *several) if ev.task == "multiclass" else several


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
    asked = default_metrics(ev)[-1] if metric is None else metric
    if isinstance(asked, Metric):
        measure = asked
    elif ev.task == "scores":
        return statistic(asked, ev)
    elif ev.classes and isinstance(asked, str):
        return class_metric(asked, ev)
    else:
        if isinstance(asked, str) and _SEVERAL.match(asked):
            raise WordedError(
                f"{asked} needs several classes, but here is one; ",
                Wording("build the evaluation by from_labels with", "give"),
                " more than two labels, or by ",
                Wording("from_tags or from_conll with by_type=True", "column files with --by-type"),
            )
        measure = find_metric(asked)
    if measure.needs:
        measure.check_cells(ev.cells)
    return measure


def find_measures(metrics: MetricLike | Sequence[MetricLike] | None, ev: Evaluation) -> list[Metric]:
    """Return the measures of one or several names, each different; the usual ones where none is given."""
    check_evaluation(ev)
    chosen: Any = default_metrics(ev) if metrics is None else metrics
    several = isinstance(chosen, Iterable) and not isinstance(chosen, str)
    given: list[Any] = list(cast("Iterable[Any]", chosen)) if several else [chosen]
    if not given:
        raise ValueError("no metric given; name one such as 'f1'")
    found = [find_measure(m, ev) for m in given]
    names = [m.name for m in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"metric {name!r} is given twice")
    labels = {m.label: m.name for m in found}
    for m in found:
        if labels[m.label] != m.name:
            raise ValueError(
                f"metrics {m.name!r} and {labels[m.label]!r} are the same here, {m.label}; name one"
            )
    return found


def score(ev: Evaluation, model: str, metric: MetricLike | None = None) -> Any:
    """Return the plain point score of a model: a float, or an array where the tables have leading axes.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> score(from_counts(A=(77, 44, 10)), "A", metric="f1")
    0.7403846...
    """
    scores = find_measure(metric, ev)(ev.table(model), ev.cells)
    return scores if scores.ndim else float(scores)
