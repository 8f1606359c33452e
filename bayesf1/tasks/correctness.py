r"""Every item is right or wrong: one number of two, which no bootstrap over a few items knows enough of.

Twenty of twenty right have no spread, and a bootstrap over them knows no doubt. Here an item has one of two outcomes,
and several models on the same items one of :math:`2^m` joint ones, with a Dirichlet prior of :math:`2\lambda/(2^m-2)`
each but for the two in which all agree: the accuracy of each model is then
:math:`\mathrm{Be}(\text{right}+\lambda, \text{wrong}+\lambda)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest, one_name, same_name
from bayesf1.metrics import Metric, MetricLike, Proportion, metric_of, proportion
from bayesf1.tasks.binary import BinaryOutcome

RIGHT_WRONG = ("right", "wrong")


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
    counts_all_items: ClassVar[bool] = True
    citation: ClassVar[str] = "a Bayes test on the Dirichlet posterior of who was right"
    prior_family: ClassVar[str] = "beta"

    cells: tuple[str, ...] = RIGHT_WRONG
    scored: str = ""

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where cells are not right and wrong, in either order."""
        if self.cells not in (RIGHT_WRONG, RIGHT_WRONG[::-1]):
            raise ValueError(f"cells must be right and wrong, in either order, not {self.cells!r:.60}")

    def union(self, other: Self) -> Self:
        """Return this task, perhaps with the name in print of the other."""
        named = replace(self, scored=one_name(self.scored, other.scored, "name"))
        return named if self.cells == other.cells else super().union(other)

    # ---- metrics ------------------------------------------------------------------------------------------

    @property
    def counts_errors(self) -> bool:
        """Whether 1 stands for an error."""
        return self.cells != RIGHT_WRONG

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The accuracy, or the error rate where 1 stands for an error."""
        return ("error_rate",) if self.counts_errors else ("accuracy",)

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return accuracy, error rate, a statistic of the 0s and 1s, or a function of tables."""
        if not isinstance(asked, str):
            return metric_of(asked)
        name = asked.strip().lower().replace("-", "_").replace(" ", "_")
        known = {"accuracy": "Accuracy", "error_rate": "Error rate", "mean": f"Mean {self.scored}".strip()}
        if name not in known and same_name(asked, self.scored):
            (name,) = self.default_metrics
        if name == "median":
            # It is 1 where most items have what 1 stands for.
            label, down = f"Median {self.scored}".strip(), self.counts_errors
            return Metric(name, label, self.cells, None, _majority, lower_is_better=down, smooth=False)
        if name not in known:
            names = [*known, *filter(None, [self.scored])]
            raise ValueError(f"unknown metric {asked!r} of right or wrong answers; {nearest(asked, names)}")
        counted, other = {"accuracy": RIGHT_WRONG, "error_rate": RIGHT_WRONG[::-1]}.get(name, self.cells)
        # The share of what 1 stands for has the name that was given to it.
        alias = self.scored if counted == self.cells[0] else ""
        return Metric(
            name,
            alias if alias and name != "mean" else known[name],
            (counted, other),
            Proportion((counted,), (other,)),
            proportion,
            lower_is_better=counted == "wrong",
            alias=alias,
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


def _majority(tables: FloatArray) -> FloatArray:
    return np.asarray(0.5 + 0.5 * np.sign(tables[..., 0] - tables[..., 1]))
