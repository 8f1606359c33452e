"""What a plan for a decision says: how many units it takes, or what so many units can decide."""

from __future__ import annotations

from dataclasses import dataclass

from bayesf1.base.naming import plural
from bayesf1.base.table import Table, amount, digits_of, points, printable, probability
from bayesf1.frequentist.planning import Plan


@dataclass(frozen=True)
class DecisionPlan(Plan):
    """How many units it takes to decide between two models, or what so many units can decide.

    Attributes
    ----------
    metric, label, percent
        Name of the measure, how it is printed, and whether in percent.
    difference
        The true difference, by which one model is better than the other.
    n_units, unit
        How many units the test set has, and of what kind.
    agreement
        Share of the units on which both models do the same, as far as the measure counts it; None of methods.
    p_h1
        The probability of being better from which on the decision is made.
    goal
        The probability with which the decision was to be made.
    assurance, mcse
        The probability with which it is made, and the standard error of its simulation.
    question
        ``"size"`` where the number of units was asked for, ``"resolution"`` where the difference was.
    runs
        How many runs each method has; 0 where two trained models are compared.
    not_worse_by
        The margin, where it shall be shown that a model is not worse by more than it; None where that it is better.
    """

    metric: str
    label: str
    percent: bool
    difference: float
    n_units: int
    unit: str
    agreement: float | None
    p_h1: float
    goal: float
    assurance: float
    mcse: float
    question: str
    runs: int = 0
    not_worse_by: float | None = None

    @property
    def _amount(self) -> str:
        size = abs(self.difference)
        shown = points(size, digits_of(0.0, size, percent=self.percent), percent=self.percent)
        return f"{shown} percentage points" if self.percent else shown

    @property
    def _supposed(self) -> str:
        """How much better a model is supposed to be."""
        if not self.difference:
            return "as good as the other"
        return f"{'better' if self.difference > 0 else 'worse'} by {self._amount}"

    @property
    def assumptions(self) -> str:
        """What was supposed, as a sentence."""
        if self.runs:
            return (
                "Assumes that training varies as among the pilot's runs, and that items are like the pilot's; normal "
                f"approximation, power {self.assurance:.3f}."
            )
        return (
            f"Assumes that the models agree on {points(self.agreement or 0.0, 1)} % of the {plural(self.unit)}; simulated "
            f"assurance {self.assurance:.3f}, standard error {self.mcse:.1g}."
        )

    @property
    def sentence(self) -> str:
        """The answer as a sentence."""
        units = f"{self.n_units:,} {self.unit if self.n_units == 1 else plural(self.unit)}"
        what = "method" if self.runs else "model"
        units += f" and {self.runs} runs of each" if self.runs else ""
        better = f"P(H1) ≥ {self.p_h1:g}"
        if self.not_worse_by is not None:
            margin = amount(self.not_worse_by, percent=self.percent)
            return printable(
                f"A {what} that is {self._supposed} in {self.label} is shown not to be worse by more than "
                f"{margin} (P ≥ {self.p_h1:g}) with probability {self.goal:g} on {units}."
            )
        if self.question == "size":
            return printable(
                f"A {what} that is {self._supposed} in {self.label} is called better "
                f"({better}) with probability {self.goal:g} on {units}."
            )
        return printable(
            f"With {units} a difference in {self.label} below {self._amount} may well stay undecided: the power to "
            f"call the better {what} better ({better}) is less than {self.goal:g}."
        )

    @property
    def table(self) -> Table:
        """The plan as a table of one row."""
        units = plural(self.unit).capitalize()
        header = ("Metric", "Difference", units, "Agreement", "P(H1) from", "Assurance")
        numbers = f"{self.n_units:,}", f"{points(self.agreement or 0.0, 1)} %", f"{self.p_h1:g}"
        row = (self.label, self._amount, *numbers, probability(self.assurance))
        if self.not_worse_by is not None:
            row = (
                self.label,
                f"{self._supposed}; not worse by {amount(self.not_worse_by, percent=self.percent)}",
                *row[2:],
            )
            header = (*header[:4], "P(not worse) from", header[5])
        if self.runs:
            header, row = (*header[:3], "Runs", *header[4:]), (*row[:3], str(self.runs), *row[4:])
        return Table(header, (row,), sure=(True,))
