"""The words of a plan: the answer, what it assumes, and a table of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayesf1.base.naming import capitalised, counted as number_of, plural
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import amount, points, probability
from bayesf1.output.words.prose import in_prose

if TYPE_CHECKING:
    from bayesf1.frequentist import planning


def plan_words(p: Any) -> tuple[str, str, Table]:
    """Return what a plan says: the plan of a decision has a question, that of an interval has none."""
    return _decision_plan(p) if hasattr(p, "question") else _size_plan(p)


def _size_plan(p: planning.SampleSize) -> tuple[str, str, Table]:
    """Return how many items an interval takes."""
    level, many = f"{100 * p.confidence_level:g} %", plural(p.unit)
    positives = "positive ones" if p.n_units and p.unit == "item" else "positive items"
    sizes = {many: p.n_units, positives: p.n_positives}
    takes = " with ".join(f"{n:,} {what}" for what, n in sizes.items() if n is not None)
    who = "any model" if p.basis == "bound" else "models like the pilot's"
    share = "" if p.prevalence is None else f", {100 * p.prevalence:.4g} % of the items positive"
    header = ("Metric", "Half-width", "Confidence", "Positives", capitalised(many), "Holds for")
    numbers = ("–" if n is None else f"{n:,}" for n in (p.n_positives, p.n_units))
    table = Table(header, ((p.label, f"{p.half_width:g}", level, *numbers, who),), sure=(True,))
    width = f"no wider than ±{amount(p.half_width, percent=p.percent)}"
    return (
        f"A {level} interval for {in_prose(p.label)} {width} takes {takes}.",
        f"Holds for {who}{share}; normal approximation.",
        table,
    )


def _decision_plan(p: planning.DecisionPlan) -> tuple[str, str, Table]:
    """Return how many units a decision takes, or which difference so many decide."""
    units, agreement = number_of(p.n_units, p.unit), f"{points(p.agreement, 1)} %"
    known = abs(p.difference) if p.question == "size" else float(f"{p.difference:.2g}")
    size = amount(known, percent=p.percent)
    assumed = f"{'better' if p.difference > 0 else 'worse'} by {size}" if p.difference else "equally good"
    claim, from_ = f"called better (P(H1) ≥ {p.p_h1:g})", "P(H1) from"
    if p.not_worse_by is not None:
        margin, from_ = amount(p.not_worse_by, percent=p.percent), "P(not worse) from"
        claim = f"shown not to be worse by more than {margin} (P ≥ {p.p_h1:g})"
        size = f"{assumed}; not worse by {margin}"
    label = in_prose(p.label)
    sentence = (
        f"A model that is {assumed} in {label} is {claim} with probability about {p.goal:g} on {units}."
    )
    if p.question == "resolution":
        often = f"the better model is {claim} with a probability below {p.goal:g}"
        sentence = f"With {units}, a difference in {label} below {size} may well stay undecided: {often}."
    header = ("Metric", "Difference", capitalised(plural(p.unit)), "Agreement", from_, "Assurance")
    row = (p.label, size, f"{p.n_units:,}", agreement, f"{p.p_h1:g}", probability(p.assurance))
    assumes = f"Assumes that the models agree on {agreement} of the {plural(p.unit)}"
    simulated = f"simulated assurance {p.assurance:.3f}, standard error {p.mcse:.1g}"
    return sentence, f"{assumes}; {simulated}.", Table(header, (row,), sure=(True,))
