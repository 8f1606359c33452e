"""Scores of units that are no functions of a confusion table: one a query, document or sentence.

The table of a model is the histogram of its scores; a statistic is a function of the scores and of how often
each occurs, so that a Bayesian bootstrap over units weighs it like any other table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest, one_name, same_name
from bayesf1.metrics import Metric, MetricLike, points_down, ratio
from bayesf1.tasks.draws import BootstrappedTask

# What losses are called.
_LOSS = re.compile(r"(?i)\b(wer|cer|ter|mer|eer|rmse|mse|mae|loss|perplexity|ppl|error|errors)\b")

Statistic = Callable[[FloatArray, FloatArray], Any]


@dataclass(frozen=True)
class Scores(BootstrappedTask):
    """A score for each unit; the cells of a table are the scores that occur.

    Attributes
    ----------
    values
        The scores that occur, in rising order.
    scored
        What the scores are called in print.
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
        return tuple(map(repr, self.values))

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where scores do not rise."""
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
        if isinstance(asked, str):
            name = asked.strip().lower().replace("-", "_").replace(" ", "_")
            if name not in STATISTICS and same_name(asked, self.scored):
                name = "mean"
            if name not in STATISTICS:
                known = [*STATISTICS, *filter(None, [self.scored])]
                raise ValueError(
                    f"unknown metric {asked!r} of scores; {nearest(asked, known)}; or give a function of "
                    "scores and weights"
                )
            label, function = STATISTICS[name]
            label = f"{label} {self.scored}".strip()
        else:
            name = label = getattr(asked, "__name__", type(asked).__name__)
            function = cast("Statistic", asked)
        values, named = np.array(self.values), isinstance(asked, str)
        mean = named and name == "mean"
        low, high = (float(values[0]), float(values[-1])) if named else (-np.inf, np.inf)
        return Metric(
            name,
            label,
            self.cells if named else (),
            None,
            lambda tables: function(values, tables),
            (low, high),
            percent=low >= 0.0 and high <= 1.0,
            lower_is_better=points_down(asked, otherwise=self.lower_is_better),
            alias=self.scored if mean else "",
            smooth=name == "mean",
            parts=(values, np.ones(len(values))) if mean else None,
        )

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return a hint where scores are called as losses are, but more is taken as better."""
        return hint_of_loss(self.scored, lower_is_better=self.lower_is_better)

    @property
    def about(self) -> str:
        """What the scores are called."""
        return self.scored or "scores"


def hint_of_loss(scored: str, *, lower_is_better: bool) -> tuple[str, ...]:
    """Return a hint where something is called as losses are, but more of it is taken as better."""
    if lower_is_better or not _LOSS.search(scored):
        return ()
    return (
        f"Higher {scored} was taken as better; if lower is, say so with lower_is_better=True (--lower-is-better).",
    )


def _mean(scores: FloatArray, weights: FloatArray) -> FloatArray:
    return ratio(weights @ scores, weights.sum(axis=-1))


def _median(scores: FloatArray, weights: FloatArray) -> FloatArray:
    below = weights.cumsum(axis=-1)
    half = 0.5 * below[..., -1:]
    # The middle between the last score with at most half of the weight below it and the first with more.
    upper = np.minimum((below <= half * (1 + 1e-12)).sum(axis=-1), len(scores) - 1)
    lower = (below < half * (1 - 1e-12)).sum(axis=-1)
    return np.asarray(0.5 * (scores[lower] + scores[upper]))


STATISTICS: dict[str, tuple[str, Statistic]] = {
    "mean": ("Mean", _mean),
    "median": ("Median", _median),
}
