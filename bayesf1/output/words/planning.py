"""The words of a plan: the answer, its assumptions, and a table of one row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bayesf1.base.naming import capitalised, number_of, plural
from bayesf1.metrics import in_prose
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import amount, points, probability, rounded
from bayesf1.output.words.sampled import from_to

if TYPE_CHECKING:
    from bayesf1.frequentist.planning import DecisionPlan, SampleSize


# ---- how many items an interval takes ---------------------------------------------------------------------


def size_sentence(p: SampleSize) -> str:
    """Return how many items an interval takes."""
    positives = "positive ones" if p.n_units and p.unit == "item" else "positive items"
    sizes = []
    if p.n_units is not None:
        sizes.append(f"{p.n_units:,} {plural(p.unit)}{_answered(p)}")
    if p.n_positives is not None:
        sizes.append(f"{p.n_positives:,} {positives}")
    width = amount(p.half_width, percent=p.percent)
    return (
        f"A {_level(p)} interval for {in_prose(p.label)} no wider than ±{width} takes {' with '.join(sizes)}."
    )


def size_assumptions(p: SampleSize) -> str:
    """Return which models the size holds for, and what was assumed about the items."""
    share = "" if p.prevalence is None else f", {100 * p.prevalence:.4g} % of the items positive"
    return f"Holds for {_holds_for(p)}{share}; normal approximation."


def size_table(p: SampleSize) -> Table:
    """Return the plan of an interval as a row."""
    header = ("Metric", "Half-width", "Confidence", "Positives", capitalised(plural(p.unit)), "Holds for")
    row = (p.label, f"{p.half_width:g}", _level(p), _number(p.n_positives), _number(p.n_units), _holds_for(p))
    return Table(header, (row,), sure=(True,))


def _level(p: SampleSize) -> str:
    return f"{100 * p.confidence_level:g} %"


def _holds_for(p: SampleSize) -> str:
    return "any model" if p.basis == "bound" else "models like the pilot's"


def _number(n: int | None) -> str:
    return "–" if n is None else f"{n:,}"


# ---- how many units a decision takes ----------------------------------------------------------------------


def decision_sentence(p: DecisionPlan) -> str:
    """Return how many units a decision takes, or the difference that a given number of units can decide."""
    metric = in_prose(p.label)
    units = f"{number_of(p.n_units, p.unit)}{_answered(p)}"
    if p.not_worse_by is None:
        claim = f"called better (P(H1) ≥ {p.p_h1:g})"
    else:
        margin = amount(p.not_worse_by, percent=p.percent)
        claim = f"shown not to be worse by more than {margin} (P ≥ {p.p_h1:g})"
    if p.question == "resolution":
        return (
            f"With {units}, a difference in {metric} below {_difference(p)} may well stay undecided: the better model is "
            f"{claim} with a probability below {p.goal:g}."
        )
    return (
        f"A model that is {_assumed(p)} in {metric} is {claim} with probability about {p.goal:g} on {units}."
    )


def decision_assumptions(p: DecisionPlan) -> str:
    """Return how often the models are assumed to agree, and how surely the assurance is known."""
    assumed = f"Assumes that the models agree on {_agreement(p)} of the {plural(p.unit)}"
    if p.generations:
        assumed = f"Assumes that {plural(p.unit)} and {plural(p.repeated)} vary as in the pilot"
    simulated = f"{assumed}; simulated assurance {p.assurance:.3f}, standard error {p.mcse:.1g}."
    return f"{simulated}{_if_doubled(p)}"


def _answered(p: DecisionPlan | SampleSize) -> str:
    """Write how often each item is answered, if that is several times."""
    return f" ({from_to(p.generations, p.repeated)} each)" if p.generations else ""


def _if_doubled(p: DecisionPlan) -> str:
    """Return the effect of twice as many generations of each item, whose variance is then half as large."""
    if p.generation_share is None or p.repeated == "prompt":
        return ""
    # The number of items needed is proportional to the variance, and the difference that can be shown to its root.
    variance = 1.0 - 0.5 * p.generation_share
    generations = plural(p.repeated)
    doubled = f" {capitalised(generations)} have {100 * p.generation_share:.0f} % of the variance: with twice as many of each"
    if p.question == "resolution":
        smaller = amount(rounded(p.difference * math.sqrt(variance)), percent=p.percent)
        return f"{doubled} {p.unit} the difference would be about {smaller}."
    fewer = float(f"{p.n_units * variance:.2g}")
    return f"{doubled}, about {number_of(round(fewer), p.unit)} would do."


def decision_table(p: DecisionPlan) -> Table:
    """Return the plan of a decision as a row."""
    difference = _difference(p)
    threshold = "P(H1) from"
    if p.not_worse_by is not None:
        difference = f"{_assumed(p)}; not worse by {amount(p.not_worse_by, percent=p.percent)}"
        threshold = "P(not worse) from"
    header = ("Metric", "Difference", capitalised(plural(p.unit)), "Agreement", threshold, "Assurance")
    row = (p.label, difference, f"{p.n_units:,}", _agreement(p), f"{p.p_h1:g}", probability(p.assurance))
    return Table(header, (row,), sure=(True,))


def _difference(p: DecisionPlan) -> str:
    """Write the difference: as it was asked, or as it was found to two digits."""
    difference = abs(p.difference) if p.question == "size" else rounded(p.difference)
    return amount(difference, percent=p.percent)


def _assumed(p: DecisionPlan) -> str:
    """Write how much better one model is assumed to be."""
    if p.difference == 0.0:
        return "equally good"
    direction = "better" if p.difference > 0.0 else "worse"
    return f"{direction} by {_difference(p)}"


def _agreement(p: DecisionPlan) -> str:
    return f"{points(p.agreement, 1)} %"
