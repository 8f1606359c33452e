"""The words of monitoring."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bayesf1.base.naming import capitalised, counted as number_of, plural, printable
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import digits_of, equation, points
from bayesf1.output.words.prose import in_prose

if TYPE_CHECKING:
    from bayesf1.frequentist import monitoring


def title(m: monitoring.Monitor) -> str:
    """Return what is monitored, and how often it was looked at."""
    return printable(f"{m.label} of {m.model_b} minus {m.model_a}, {number_of(len(m.looks), 'look')}")


def table(m: monitoring.Monitor) -> Table:
    """Return a row for each look."""
    digits = max(digits_of(look.low, look.high, percent=m.percent, sign=True) for look in m.looks)
    rows = tuple((f"{look.n_units:,}", _sequence(m, look, digits), _e_value(look.log_e)) for look in m.looks)
    level = f"{100 * m.confidence_level:g} % confidence sequence"
    return Table((capitalised(plural(m.unit)), level, "e-value"), rows)


def sentence(m: monitoring.Monitor) -> str:
    """Return what may be claimed, as a sentence."""
    last, claim = m.looks[-1], f"Not decided after {number_of(m.n_units, m.unit)}"
    if m.decided_after is not None:
        claim = f"Decided after {number_of(m.decided_after, m.unit)}: {m.verdict}"
    digits = digits_of(last.low, last.high, percent=m.percent, sign=True)
    size = _sequence(m, last, digits) + " points" * m.percent
    alone = f"the posterior at this look alone: {equation(f'P({m.model_b} better)', m.p_h1)}"
    gap = f"{m.model_b} minus {m.model_a} {size}, valid at every look"
    return printable(f"{claim} in {in_prose(m.label)} ({gap}; {alone}).")


def note(m: monitoring.Monitor) -> str:
    """Return what monitoring takes for granted."""
    scores = " and scored from 0 to 1" if m.metric == "mean" else ""
    largest = "" if m.largest is None else f", none with a load above {m.largest:.4g}"
    wrong = f"wrong with probability at most {1 - m.confidence_level:.2g}, however often you look and whenever you stop"
    return f"Assumes that {plural(m.unit)} are drawn one by one{scores}{largest}; {wrong}."


def _sequence(m: monitoring.Monitor, look: monitoring.Look, digits: int) -> str:
    return " to ".join(points(x, digits, sign=True, percent=m.percent) for x in (look.low, look.high))


def _e_value(log_e: float) -> str:
    return f"{math.exp(log_e):.3g}" if log_e < 15.0 else f"10^{log_e / math.log(10.0):.1f}"
