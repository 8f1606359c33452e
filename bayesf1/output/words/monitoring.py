"""The words of monitoring."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bayesf1.base.naming import capitalised, number_of, plural, printable
from bayesf1.metrics import in_prose
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import amount, digits_of, equation, points

if TYPE_CHECKING:
    from bayesf1.frequentist.monitoring import Look, LookClaim, Monitor


def title(m: Monitor) -> str:
    """Return which metric of which models is monitored, on how many units, and the number of looks."""
    looks = number_of(len(m.looks), "look")
    units = number_of(m.n_units, m.unit)
    return printable(f"{m.label} of {m.model_b} minus {m.model_a} on {units}, {looks}")


def table(m: Monitor) -> Table:
    """Return a row for each look."""
    header = (capitalised(plural(m.unit)), f"{100 * m.confidence_level:g} % confidence sequence", "e-value")
    digits = max(_digits(m, look) for look in m.looks)
    rows = [(f"{look.n_units:,}", _sequence(m, look, digits), _e_value(look.log_e)) for look in m.looks]
    return Table(header, tuple(rows))


def verdict(claim: LookClaim, *, percent: bool) -> str:
    """Return a claim in a few words."""
    if claim.equivalent:
        return "equivalent"
    if claim.better is not None:
        return f"{claim.better} better"
    if claim.not_worse is not None:
        return f"{claim.not_worse} not worse by more than {amount(claim.margin, percent=percent, short=True)}"
    return "undecided"


def sentence(m: Monitor) -> str:
    """Return the claim as a sentence."""
    last = m.looks[-1]
    claim = f"Not decided after {number_of(m.n_units, m.unit)}"
    if m.decided_after is not None:
        claim = f"Decided after {number_of(m.decided_after, m.unit)}: {m.verdict}"
    unit = " points" if m.percent else ""
    difference = f"{m.model_b} minus {m.model_a} {_sequence(m, last, _digits(m, last))}{unit}"
    alone = equation(f"P({m.model_b} better)", m.p_h1)
    return printable(
        f"{claim} in {in_prose(m.label)} ({difference}, valid at every look; the posterior at this look alone: {alone})."
    )


def note(m: Monitor) -> str:
    """Return what monitoring assumes, and how often it errs."""
    units = f"{plural(m.unit)} are drawn one by one"
    if m.metric == "mean":
        units = f"{units} and scored from 0 to 1"
    if m.largest is not None:
        units = f"{units}, none with a load above {m.largest:.4g}"
    return (
        f"Assumes that {units}; wrong with probability at most {1 - m.confidence_level:.2g}, however often you look and "
        "whenever you stop."
    )


def _digits(m: Monitor, look: Look) -> int:
    return digits_of(look.low, look.high, percent=m.percent, sign=True)


def _sequence(m: Monitor, look: Look, digits: int) -> str:
    """Write the confidence sequence at a look."""
    low = points(look.low, digits, sign=True, percent=m.percent)
    high = points(look.high, digits, sign=True, percent=m.percent)
    return f"{low} to {high}"


def _e_value(log_e: float) -> str:
    return f"{math.exp(log_e):.3g}" if log_e < 15.0 else f"10^{log_e / math.log(10.0):.1f}"
