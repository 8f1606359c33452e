r"""Every item is right or wrong. There is a Dirichlet prior, as a bootstrap over a few items would be too sure.

If twenty of twenty items are right, a bootstrap over them has no spread. Here an item has one of two outcomes, and several
models on the same items have one of :math:`2^m` joint outcomes. All but the two in which all models agree have a Dirichlet
prior with parameters of :math:`2\lambda/(2^m-2)` each: the accuracy of each model is then
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
WRONG_RIGHT = ("wrong", "right")


@dataclass(frozen=True)
class Correctness(BinaryOutcome):
    """Items that each model has right or wrong.

    Attributes
    ----------
    cells
        ``("right", "wrong")``; the other way round if 1 is an error, so that a mean is an error rate.
    scored
        The name of being right in print, such as ``"exact match"``.
    """

    name: ClassVar[str] = "correct"
    counts_all_items: ClassVar[bool] = True
    citation: ClassVar[str] = "a Bayes test on the Dirichlet posterior of who was right"
    prior_family: ClassVar[str] = "beta"

    cells: tuple[str, ...] = RIGHT_WRONG
    scored: str = ""

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError if cells are not right and wrong, in either order."""
        if self.cells not in (RIGHT_WRONG, WRONG_RIGHT):
            raise ValueError(f"cells must be right and wrong, in either order, not {self.cells!r:.60}")

    def union(self, other: Self) -> Self:
        """Return this task, perhaps with the name in print of the other."""
        scored = one_name(self.scored, other.scored, "name")
        if self.cells == other.cells:
            return replace(self, scored=scored)
        return super().union(other)

    # ---- metrics ------------------------------------------------------------------------------------------

    @property
    def counts_errors(self) -> bool:
        """Whether 1 is an error."""
        return self.cells != RIGHT_WRONG

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The accuracy, or the error rate if 1 is an error."""
        return ("error_rate",) if self.counts_errors else ("accuracy",)

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return accuracy, error rate, a statistic of the 0s and 1s, or a function of tables."""
        if not isinstance(asked, str):
            return metric_of(asked)
        name = asked.strip().lower().replace("-", "_").replace(" ", "_")
        mean = f"Mean {self.scored}".strip()
        labels = {"accuracy": "Accuracy", "error_rate": "Error rate", "mean": mean}
        if name not in labels and same_name(asked, self.scored):
            (name,) = self.default_metrics
        if name == "median":
            label = f"Median {self.scored}".strip()
            down = self.counts_errors
            return Metric(name, label, self.cells, _majority, lower_is_better=down, smooth=False)
        if name not in labels:
            names = [*labels, self.scored] if self.scored else labels
            raise ValueError(f"unknown metric {asked!r} of right or wrong answers; {nearest(asked, names)}")
        # The mean is the share of items in the first cell, as these have the value 1.
        cell, other = {"accuracy": RIGHT_WRONG, "error_rate": WRONG_RIGHT}.get(name, self.cells)
        alias = self.scored if cell == self.cells[0] else ""
        label = alias if alias and name != "mean" else labels[name]
        return Metric(
            name,
            label,
            (cell, other),
            proportion,
            Proportion((cell,), (other,)),
            lower_is_better=cell == "wrong",
            alias=alias,
        )

    # ---- prior and posterior ------------------------------------------------------------------------------

    def describe_prior(self, prior: float) -> str:
        """Return the prior in words."""
        rate = "error rate" if self.counts_errors else "accuracy"
        return f"Beta({prior:g}, {prior:g}) prior of each {rate}"

    @property
    def answers(self) -> tuple[tuple[str, str], ...]:
        """Every item is right or wrong."""
        one, zero = self.cells
        return ((one, zero),)

    @property
    def about(self) -> str:
        """The name of being right, or the cells."""
        if self.scored:
            return self.scored
        return super().about


def _majority(tables: FloatArray) -> FloatArray:
    """Return 1 if most items are in the first cell, 0 if most are in the second, and a half if neither."""
    return np.asarray(0.5 + 0.5 * np.sign(tables[..., 0] - tables[..., 1]))
