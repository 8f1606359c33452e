"""The words of a plan of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.naming import printable
from bayesf1.metrics import in_prose
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import percentage, points, probability

if TYPE_CHECKING:
    from bayesf1.labelling import LabelPlan


def title(p: LabelPlan) -> str:
    """Return how many items to label, and for which score or difference."""
    return printable(f"The next {p.budget:,} items to label for {_estimand(p)}")


def sentences(p: LabelPlan) -> list[str]:
    """Return the expected effect of the plan, and that of the same number of labels at random."""
    lines = [_length_sentence(p)]
    if p.verdict is not None and p.verdict_random is not None:
        lines.append(_verdict_sentence(p.verdict, p.verdict_random, decided=p.decided))
    looks = (
        "You may look after each batch: P(H1) means the same whenever labelling stops. But if the models are equally good, "
        "frequent looks will call one of them better by chance in more than one case in twenty."
    )
    return [printable(line) for line in (*lines, looks, *p.cautions)]


def _estimand(p: LabelPlan) -> str:
    return f"{in_prose(p.label)} of {' minus '.join(reversed(p.models))}"


def _length_sentence(p: LabelPlan) -> str:
    unit = " percentage points" if p.percent else ""
    interval = f"The {percentage(p.prob)} interval of {_estimand(p)} is {_points(p, p.length)}{unit} long"
    after = f"{_points(p, p.length_after)} long after these {p.budget:,} labels"
    at_random = f"{_points(p, p.length_random)} after as many chosen at random"
    return f"{interval}, and is expected to be {after}; {at_random}."


def _points(p: LabelPlan, length: float) -> str:
    digits = 1 if p.percent else 3
    return points(length, digits, percent=p.percent)


def _verdict_sentence(p_verdict: float, p_random: float, *, decided: bool) -> str:
    if decided:
        return "The verdict stands already."
    planned = f"They bring a verdict with probability {probability(p_verdict)}"
    return f"{planned}, as many chosen at random with {probability(p_random)}."


def table(p: LabelPlan) -> Table:
    """Return a row for each kind of items."""
    golds = list(p.cells[0].gold)
    header = ["Known", "Items", "Labelled", "Label next", "At random"]
    rows = [
        [c.known, f"{c.items:,.0f}", f"{c.labelled:,.0f}", f"{c.plan:,}", f"{c.random:,.1f}"] for c in p.cells
    ]
    if len(golds) == 2:
        # With two labels, the share of one implies that of the other.
        positive = golds[1]
        header.insert(3, f"Gold {positive} (%)")
        for row, cell in zip(rows, p.cells, strict=True):
            row.insert(3, f"{100 * cell.gold[positive]:.1f}")
    return Table(tuple(map(printable, header)), tuple(tuple(map(printable, row)) for row in rows))
