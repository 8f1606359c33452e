"""The corpora that a hierarchical model relates: what was given, what was observed on each, and what can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import is_number
from bayesf1.base.naming import check_known, listing, nearest, quoted
from bayesf1.evaluation import Evaluation, check_evaluation, check_pair
from bayesf1.metrics import Metric, MetricLike

# The questions about a population of corpora, of which those at hand are a sample.
POPULATION_QUESTIONS = ("average", "new")
# The questions that are not about one corpus at hand.
QUESTIONS = (*POPULATION_QUESTIONS, "suite")


@dataclass(frozen=True, eq=False)
class ObservedScores:
    """The plain scores of several models on several corpora.

    Attributes
    ----------
    corpora, models, metrics
        Names of the corpora and of the models, and the metrics.
    values
        The scores, axes (corpus, model, metric).
    main_metric
        The metric that a sentence or ranking speaks of if none is named.
    """

    corpora: tuple[str, ...]
    models: tuple[str, ...]
    metrics: tuple[Metric, ...]
    values: FloatArray
    main_metric: Metric

    def __post_init__(self) -> None:
        self.values.setflags(write=False)

    @classmethod
    def of(
        cls,
        corpora: Sequence[str],
        models: Sequence[str],
        metrics: Sequence[Metric],
        values: FloatArray,
        main: str,
    ) -> Self:
        """Return the scores; `main` is the name of the main metric."""
        described = tuple(map(_without_function, metrics))
        main_metric = next(metric for metric in described if metric.name == main)
        return cls(tuple(corpora), tuple(models), described, values, main_metric)

    def metric(self, asked: MetricLike | None) -> Metric:
        """Return one of the metrics by its name; the main one if none is named."""
        if asked is None:
            return self.main_metric
        for metric in self.metrics:
            if asked == metric.name or asked == metric:
                return metric
        known = [metric.name for metric in self.metrics]
        raise ValueError(f"unknown metric {quoted(asked)}; {nearest(str(asked), known)}")

    def resolve(self, metrics: MetricLike | Sequence[MetricLike] | None) -> list[Metric]:
        """Return the metrics of one or several names; all of them if none is given."""
        if metrics is None:
            return list(self.metrics)
        if isinstance(metrics, str) or callable(metrics):
            return [self.metric(metrics)]
        return [self.metric(metric) for metric in metrics]

    def pair(self, a: str | None, b: str | None) -> tuple[str, str]:
        """Return the names of two models to compare, which may be left out if there are just two."""
        pair = check_pair(self.models, a, b)
        for name in pair:
            check_known(name, "model", self.models)
        return pair

    def on(self, question: str, weights: Sequence[float]) -> FloatArray:
        """Return the scores on one corpus, or their mean over the corpora, axes (model, metric).

        The mean that belongs to the suite is weighted, others are not.
        """
        if question in self.corpora:
            return np.asarray(self.values[self.corpora.index(question)])
        if question == "suite":
            return np.asarray(np.average(self.values, axis=0, weights=weights))
        return np.asarray(self.values.mean(axis=0))


def _without_function(metric: Metric) -> Metric:
    """Return a metric of which only scores are needed, without functions, which may not be picklable."""
    return replace(
        metric,
        needs=(metric.name,),
        function=itemgetter((..., 0)),
        distribution=None,
        origin=None,
        parts=None,
        weigh=None,
        expand=None,
    )


def read_corpora(data: Evaluation | Mapping[str, Evaluation]) -> tuple[str, dict[str, Evaluation]]:
    """Return the noun of one corpus, and the corpora, or folds, by name with their models in one order.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> noun, folds = read_corpora(load_example("wang-li-org"))
    >>> noun, [*folds][0]
    ('fold', 'repeat 1, fold 1')
    """
    if isinstance(data, Evaluation):
        return _corpora_in(data)
    if len(data) < 2:
        raise ValueError(_ONE_CORPUS)
    first_name, first = next(iter(data.items()))
    for name, ev in data.items():
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"corpus name {name!r} is not a non-empty string")
        if name in QUESTIONS:
            raise ValueError(f"a corpus cannot be called {name!r}, which names a question; rename it")
        check_evaluation(ev)
        if set(ev.names) != set(first.names):
            raise ValueError(
                f"corpus {name!r} has the models {listing(ev.names)}, but {first_name!r} has "
                f"{listing(first.names)}; select those that all have"
            )
    if len(first.names) < 2:
        raise ValueError(f"there is only one model ({first.names[0]}); a comparison needs two")
    return "corpus", {name: ev.select(first.names) for name, ev in data.items()}


_ONE_CORPUS = (
    "a hierarchical model relates several corpora: give them as {'conll': ev1, 'wnut': ev2}, or one "
    "evaluation of folds; compare takes a single one"
)


def _corpora_in(ev: Evaluation) -> tuple[str, dict[str, Evaluation]]:
    """Return the noun and the evaluations of the data sets, or else of the folds, of one evaluation."""
    if ev.corpora is not None:
        return ev.corpora.noun, dict(zip(ev.corpora.names, ev.corpora.parts, strict=True))
    if ev.folds is None or ev.task.final:
        raise ValueError(_ONE_CORPUS)
    # Axes (repeat, fold, model, cell).
    tables = ev.folds.counts
    folds = {}
    for repeat, fold in np.ndindex(tables.shape[:2]):
        name = f"repeat {repeat + 1}, fold {fold + 1}"
        folds[name] = Evaluation(ev.models, ev.task, tables[repeat, fold].copy())
    return "fold", folds


def suite_weights(weights: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """Return the share of each corpus in a suite, equal ones if no weights are given.

    Examples
    --------
    >>> suite_weights({"x": 3, "y": 1}, ("x", "y"))
    {'x': 0.75, 'y': 0.25}
    """
    if not weights:
        return dict.fromkeys(names, 1.0 / len(names))
    for name in weights:
        check_known(name, "corpus in weights", names)
    values: list[Any] = [weights.get(name) for name in names]
    all_valid = all(is_number(value) and 0.0 <= value < np.inf for value in values)
    if not all_valid or not any(values):
        raise ValueError(f"weights must be numbers from 0, one for each corpus, not all 0, not {weights}")
    total = float(sum(values))
    return {name: float(weights[name]) / total for name in names}
