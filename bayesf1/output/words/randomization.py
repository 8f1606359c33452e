"""The words of a randomisation test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.naming import number_of, printable
from bayesf1.metrics import in_prose
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import digits_of, p_cell, p_equation, p_value, points

if TYPE_CHECKING:
    from bayesf1.frequentist.randomization import RandomizationTest


def title(t: RandomizationTest) -> str:
    """Return which units were swapped, and how many there are."""
    return f"Randomisation test on {number_of(t.n_units, t.unit)}"


def table(t: RandomizationTest) -> Table:
    """Return a randomisation test as a table of one row."""
    computed = "exactly" if t.exact else f"{t.n_trials:,} trials"
    p_values = {"p": t.p_value, "p (Holm)": t.p_holm, "p (BH)": t.p_bh}
    cells = {
        "Metric": t.label,
        "A": t.model_a,
        "B": t.model_b,
        "Score of A": _score(t, t.score_a),
        "Score of B": _score(t, t.score_b),
        "B − A": _difference(t),
        **{name: p_cell(p) for name, p in p_values.items() if p is not None},
        "Discordant": _discordant(t),
        "Computed": computed,
    }
    # If several tests were made, the adjusted p-value decides.
    least = t.p_value if t.p_holm is None else t.p_holm
    return Table(tuple(cells), (tuple(cells.values()),), sure=(least < 1.0 - t.confidence_level,))


def sentence(t: RandomizationTest) -> str:
    """Return the difference, its p-value and the test as a sentence."""
    unit = " points" if t.percent else ""
    match t.alternative:
        case "greater":
            sides = f"one-sided ({t.model_b} better)"
        case "less":
            sides = f"one-sided ({t.model_b} worse)"
        case _:
            sides = t.alternative
    p = p_equation(t.p_value)
    if t.p_holm is not None:
        p = f"{p} (Holm: {p_value(t.p_holm)})"
    how = "exact"
    if not t.exact:
        low, high = t.interval
        how = f"{t.n_trials:,} trials, {p_value(low)} to {p_value(high)}"
    return printable(
        f"{t.model_b} minus {t.model_a} in {in_prose(t.label)} is {_difference(t)}{unit}: {p} "
        f"({sides} randomisation test, {how}); the models differ on {_discordant(t)}."
    )


def _score(t: RandomizationTest, score: float) -> str:
    unit = " %" if t.percent else ""
    return f"{points(score, _digits(t), percent=t.percent)}{unit}"


def _difference(t: RandomizationTest) -> str:
    return points(t.difference, _digits(t), sign=True, percent=t.percent)


def _digits(t: RandomizationTest) -> int:
    """Return decimals for scores: the test has no interval, so the difference itself is used as its length."""
    return digits_of(0.0, abs(t.difference), percent=t.percent)


def _discordant(t: RandomizationTest) -> str:
    return f"{t.n_discordant:,} of {number_of(t.n_units, t.unit)}"
