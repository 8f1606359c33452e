"""Scores of single queries, documents or sentences, which are not functions of a confusion table.

The table of a model is the histogram of its scores; a statistic is a function of the scores and of how often
each occurs, so that a Bayesian bootstrap over units weighs it like any other table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeAlias, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest, one_name, same_name
from bayesf1.metrics import Metric, MetricLike, metric_of, ratio
from bayesf1.tasks.draws import BootstrappedTask

# Names of losses.
_LOSS = re.compile(r"(?i)\b(wer|cer|ter|mer|eer|rmse|mse|mae|loss|perplexity|ppl|error|errors)\b")

# A statistic of scores and of their weights, axes (value) and (..., value) to (...,).
WeightedStatistic: TypeAlias = Callable[[FloatArray, FloatArray], Any]


@dataclass(frozen=True)
class Scores(BootstrappedTask):
    """A score for each unit; the cells of a table are the scores that occur.

    Attributes
    ----------
    values
        The scores that occur, in rising order.
    scored
        The name of the scores in print.
    lower_is_better
        Whether the better of two models has the lower scores, as with losses.
    """

    name: ClassVar[str] = "scores"
    many_cells: ClassVar[bool] = True

    values: tuple[float, ...]
    scored: str = ""
    lower_is_better: bool = False

    @cached_property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The scores as text."""
        return tuple(repr(value) for value in self.values)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError if scores do not rise."""
        if not self.values or not (np.diff(self.values) > 0.0).all():
            raise ValueError(f"values must be different scores in rising order, not {self.values!r:.60}")

    def union(self, other: Self) -> Self:
        """Return the task with the scores of both."""
        if self.lower_is_better != other.lower_is_better:
            return super().union(other)
        scored = one_name(self.scored, other.scored, "name")
        return replace(self, values=tuple(sorted({*self.values, *other.values})), scored=scored)

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The mean."""
        return ("mean",)

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return a statistic of the scores as a metric of their histograms."""
        if not isinstance(asked, str):
            own = cast("WeightedStatistic", asked)
            scores = np.array(self.values)
            return metric_of(own, lambda tables: own(scores, tables), down=self.lower_is_better, smooth=False)
        name = asked.strip().lower().replace("-", "_").replace(" ", "_")
        if name not in STATISTICS and same_name(asked, self.scored):
            name = "mean"
        if name not in STATISTICS:
            names = [*STATISTICS, self.scored] if self.scored else STATISTICS
            raise ValueError(
                f"unknown metric {asked!r} of scores; {nearest(asked, names)}; or give a function of "
                "scores and weights"
            )
        label, statistic = STATISTICS[name]
        values = np.array(self.values)
        support = (self.values[0], self.values[-1])
        metric = Metric(
            name,
            f"{label} {self.scored}".strip(),
            self.cells,
            lambda tables: statistic(values, tables),
            support=support,
            percent=support[0] >= 0.0 and support[1] <= 1.0,
            lower_is_better=self.lower_is_better,
            smooth=False,
        )
        if name != "mean":
            return metric
        return replace(metric, alias=self.scored, smooth=True, parts=(values, np.ones(len(values))))

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return a hint if scores are named as losses are, but more is taken as better."""
        return hint_of_loss(self.scored, lower_is_better=self.lower_is_better)

    @property
    def about(self) -> str:
        """The name of the scores."""
        if self.scored:
            return self.scored
        return "scores"


def hint_of_loss(scored: str, *, lower_is_better: bool) -> tuple[str, ...]:
    """Return a hint if something is named as losses are, but more of it is taken as better."""
    if lower_is_better or not _LOSS.search(scored):
        return ()
    return (
        f"Higher {scored} was taken as better; if lower is, say so with lower_is_better=True (--lower-is-better).",
    )


def _mean(scores: FloatArray, weights: FloatArray) -> FloatArray:
    return ratio(weights @ scores, weights.sum(axis=-1))


def _median(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted median: the middle between the lower and the upper one if they differ."""
    cumulative = weights.cumsum(axis=-1)
    half = 0.5 * cumulative[..., -1:]
    lower = (cumulative < half * (1 - 1e-12)).sum(axis=-1)
    upper = (cumulative <= half * (1 + 1e-12)).sum(axis=-1)
    upper = np.minimum(upper, len(scores) - 1)
    return np.asarray(0.5 * (scores[lower] + scores[upper]))


STATISTICS: dict[str, tuple[str, WeightedStatistic]] = {
    "mean": ("Mean", _mean),
    "median": ("Median", _median),
}
