"""Scores of units that are no functions of a confusion table: one a query, document or sentence.

The table of a model is the histogram of its scores; a statistic is a function of the scores and of how often
each occurs, so that a Bayesian bootstrap over units weighs it like any other table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest
from bayesf1.evaluation.kind import Kind, Score
from bayesf1.evaluation.metric import Metric, MetricLike, points_down, ratio
from bayesf1.evaluation.samples import draw_patterns

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under

# What losses are called.
_LOSS = re.compile(r"(?i)\b(wer|cer|ter|mer|eer|rmse|mse|mae|loss|perplexity|ppl|error|errors)\b")

Statistic = Callable[[FloatArray, FloatArray], Any]


@dataclass(frozen=True)
class Scores(Kind):
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
    bootstraps_items: ClassVar[bool] = True
    citation: ClassVar[str] = "the Bayesian bootstrap (Rubin 1981, Annals of Statistics 9, 130–134)"

    values: tuple[float, ...]
    scored: str = ""
    lower_is_better: bool = False

    @cached_property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The scores as text."""
        return tuple(repr(value) for value in self.values)

    def keep(self, cells: tuple[str, ...]) -> Self:
        """Refuse: a score is what a unit has, not a cell that could be left out."""
        raise ValueError(
            f"scores have no cells to keep or leave out, but {', '.join(cells[:3])} was asked for"
        )

    def union(self, other: Self) -> Self:
        """Return the kind with the scores of both."""
        if self.lower_is_better != other.lower_is_better:
            return super().union(other)
        return replace(self, values=tuple(sorted({*self.values, *other.values})))

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The mean."""
        return ("mean",)

    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return a statistic of the scores as a measure of their histograms."""
        if isinstance(asked, str):
            name = asked.strip().lower().replace("-", "_").replace(" ", "_")
            if name not in STATISTICS:
                raise ValueError(
                    f"unknown metric {asked!r} of scores; {nearest(asked, STATISTICS)}; or give a function of "
                    "scores and weights"
                )
            label, function = STATISTICS[name]
            label = f"{label} {self.scored}".strip()
        elif callable(asked):
            name = label = getattr(asked, "__name__", type(asked).__name__)
            function = cast("Statistic", asked)
        else:
            raise ValueError(f"metric {asked!r} is neither a name such as 'mean' nor a function")
        values = np.array(self.values)
        named = isinstance(asked, str)
        down = points_down(asked, otherwise=self.lower_is_better)
        if named and name == "geometric_mean" and values[0] < 0:
            raise ValueError(f"a geometric mean needs scores from 0, but there is {values[0]:g}")

        def scored(tables: FloatArray) -> FloatArray:
            found = np.asarray(function(values, tables), dtype=np.float64)
            if found.shape == tables.shape[:-1] and not np.isfinite(found).all():
                raise ValueError(
                    f"metric {name!r} gave {found[~np.isfinite(found)].flat[0]} for a set of weights"
                )
            if found.shape != tables.shape[:-1]:
                raise ValueError(
                    f"metric {name!r} gave an array of shape {found.shape} for weights of shape {tables.shape}; "
                    "it works on leading axes and returns one number for each set of weights"
                )
            return found

        support = (float(values[0]), float(values[-1])) if named else (-np.inf, np.inf)
        share = named and values[0] >= 0 and values[-1] <= 1
        return Metric(
            name, label, self.cells, None, scored, support, percent=bool(share), lower_is_better=down
        )

    def is_smooth(self, measure: Metric) -> bool:
        """Say whether a statistic is smooth in the weights of units; a median is not."""
        return measure.name in ("mean", "geometric_mean")

    def sums(self, measure: Metric) -> tuple[Any, Score]:
        """Return the sums that a statistic is a function of; the mean needs one beside the number of units."""
        if measure.name != "mean":
            return super().sums(measure)
        return np.stack([self.values, np.ones(len(self.values))], axis=1), lambda s: s[..., 0] / s[..., 1]

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return a hint where scores are called as losses are, but more is taken as better."""
        if self.lower_is_better or not _LOSS.search(self.scored):
            return ()
        return (
            f"More {self.scored} was taken as better; if less is, say so by lower_is_better=True (--lower-is-better).",
        )

    def cell_priors(self, prior: float) -> float:
        """Return 0: there is no prior."""
        return 0.0

    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws of the Bayesian bootstrap over units, which has no prior."""
        ev = under.ev
        assert ev.units is not None
        units = ev.units if under.shared else ev.units.apart(len(ev.models))
        size = units.n_patterns + 2 * ev.tables.size
        for flat in draw_patterns(units.rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
            yield flat.reshape(len(flat), *ev.tables.shape)

    @property
    def about(self) -> str:
        """What the scores are called."""
        return self.scored or "scores"

    def describe_prior(self, prior: float) -> str:
        """Say that nothing was believed before the data."""
        return "No prior"


def _mean(scores: FloatArray, weights: FloatArray) -> FloatArray:
    return ratio(weights @ scores, weights.sum(axis=-1))


def _median(scores: FloatArray, weights: FloatArray) -> FloatArray:
    below = weights.cumsum(axis=-1)
    half = 0.5 * below[..., -1:]
    # The middle between the last score with at most half of the weight below it and the first with more.
    upper = np.minimum((below <= half * (1 + 1e-12)).sum(axis=-1), len(scores) - 1)
    lower = (below < half * (1 - 1e-12)).sum(axis=-1)
    return np.asarray(0.5 * (scores[lower] + scores[upper]))


def _geometric_mean(scores: FloatArray, weights: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logs = np.where(scores > 0, np.log(np.where(scores > 0, scores, 1.0)), -np.inf)
    used = (weights > 0) & np.isneginf(logs)
    finite = np.where(np.isneginf(logs), 0.0, logs)
    return np.where(used.any(axis=-1), 0.0, np.exp(_mean(finite, weights)))


STATISTICS: dict[str, tuple[str, Statistic]] = {
    "mean": ("Mean", _mean),
    "median": ("Median", _median),
    "geometric_mean": ("Geometric mean", _geometric_mean),
}
