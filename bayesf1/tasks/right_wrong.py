r"""Every item is right or wrong: one number of two, which no bootstrap over a few items knows enough of.

Twenty of twenty right have no spread, and a bootstrap over them knows no doubt. Here an item has one of two outcomes,
and several models on the same items one of :math:`2^m` joint ones, with a Dirichlet prior of :math:`2\lambda/2^m` each:
the accuracy of each model is then :math:`\mathrm{Be}(\text{right}+\lambda, \text{wrong}+\lambda)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest, same_name
from bayesf1.metrics import Metric, MetricLike, Proportion, metric_of, points_down, proportion
from bayesf1.tasks.binary import BinaryOutcome
from bayesf1.tasks.scores import STATISTICS, Statistic

RIGHT_WRONG = ("right", "wrong")
_SCORES = np.array([0.0, 1.0])
_NAMES = ("accuracy", "error_rate", *STATISTICS)


@dataclass(frozen=True)
class Correctness(BinaryOutcome):
    """Items that each model has right or wrong.

    Attributes
    ----------
    cells
        ``("right", "wrong")``; the other way round where 1 stands for an error, and a mean is an error rate.
    scored
        What being right is called in print, such as ``"exact match"``.
    """

    name: ClassVar[str] = "correct"
    citation: ClassVar[str] = "a Bayes test on the Dirichlet posterior of who was right"

    cells: tuple[str, ...] = RIGHT_WRONG
    scored: str = ""

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where cells are not right and wrong, in either order."""
        if self.cells not in (RIGHT_WRONG, RIGHT_WRONG[::-1]):
            raise ValueError(f"cells must be right and wrong, in either order, not {self.cells!r:.60}")

    def union(self, other: Self) -> Self:
        """Return this task, where only the name in print differs."""
        return self if self.cells == other.cells else super().union(other)

    @property
    def counts_all_items(self) -> bool:
        """Every item is in the table."""
        return True

    # ---- measures -----------------------------------------------------------------------------------------

    @property
    def counts_errors(self) -> bool:
        """Whether 1 stands for an error."""
        return self.cells != RIGHT_WRONG

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The accuracy, or the error rate where 1 stands for an error."""
        return ("error_rate",) if self.counts_errors else ("accuracy",)

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return accuracy, error rate, a statistic of the 0s and 1s, or a function of tables, or of scores and weights."""
        if not isinstance(asked, str):
            if callable(asked) and _takes_scores(asked):
                down = points_down(asked, otherwise=self.counts_errors)
                return replace(metric_of(_of_tables(cast("Statistic", asked))), lower_is_better=down)
            return metric_of(asked)
        name = asked.strip().lower().replace("-", "_").replace(" ", "_")
        if name not in _NAMES and same_name(asked, self.scored):
            (name,) = self.default_metrics
        if name == "accuracy":
            return self._share(name, self._title("Accuracy", errors=False), "right", "wrong")
        if name == "error_rate":
            return self._share(name, self._title("Error rate", errors=True), "wrong", "right")
        if name not in STATISTICS:
            known = ["accuracy", "error_rate", "mean", *filter(None, [self.scored])]
            raise ValueError(f"unknown metric {asked!r} of items right or wrong; {nearest(asked, known)}")
        label, statistic = STATISTICS[name]
        label = f"{label} {self.scored}".strip()
        if name == "mean":
            return self._share(name, label, *self.cells)
        function = _of_tables(statistic)
        return Metric(
            name, label, self.cells, None, function, lower_is_better=self.counts_errors, smooth=False
        )

    def _title(self, plain: str, *, errors: bool) -> str:
        """Return the name that was given to what 1 stands for, for the measure that is its share."""
        return self.scored if self.scored and errors == self.counts_errors else plain

    def _share(self, name: str, label: str, counted: str, other: str) -> Metric:
        distribution = Proportion((counted,), (other,))
        alias = self.scored if counted == self.cells[0] else ""
        down = counted == "wrong"
        return Metric(
            name, label, (counted, other), distribution, proportion(1), lower_is_better=down, alias=alias
        )

    # ---- prior and posterior ------------------------------------------------------------------------------

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        rate = "error rate" if self.counts_errors else "accuracy"
        return f"Beta({prior:g}, {prior:g}) prior of each {rate}"

    @property
    def answers(self) -> tuple[tuple[str, ...], ...]:
        """Every item is right or wrong."""
        return (self.cells,)

    @property
    def about(self) -> str:
        """What being right is called, or the cells."""
        return self.scored or super().about


def _takes_scores(function: Callable[..., Any]) -> bool:
    """Say whether a function needs two arguments: scores and weights, as from `from_scores`, not one of tables."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [
        p
        for p in parameters
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return len(needed) == 2


def _of_tables(function: Statistic) -> Callable[[FloatArray], Any]:
    """Return a function of scores and weights as one of tables, whose first cell scores 1 and whose second 0."""

    def scored(tables: FloatArray) -> Any:
        return function(_SCORES, tables[..., ::-1])

    scored.__name__ = getattr(function, "__name__", type(function).__name__)
    return scored
