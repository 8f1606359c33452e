"""The words of a randomisation test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.naming import counted as number_of, printable
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import digits_of, p_equation, p_value, points
from bayesf1.output.words.prose import in_prose

if TYPE_CHECKING:
    from bayesf1.frequentist import randomization


def _scored(t: randomization.RandomizationTest) -> tuple[str, str, str]:
    """Write both scores and their difference."""
    digits, unit = digits_of(0.0, abs(t.difference), percent=t.percent), " %" if t.percent else ""
    a, b = (f"{points(score, digits, percent=t.percent)}{unit}" for score in (t.score_a, t.score_b))
    return a, b, points(t.difference, digits, sign=True, percent=t.percent)


def table(t: randomization.RandomizationTest) -> Table:
    """Return a randomisation test as a table of one row."""
    p_values = {"p": t.p_value, "p (Holm)": t.p_holm, "p (BH)": t.p_bh}
    shown = {name: p_equation(p)[2:].removeprefix("= ") for name, p in p_values.items() if p is not None}
    header = ("Metric", "A", "B", "Score of A", "Score of B", "B − A", *shown, "Discordant", "Computed")
    how = "exactly" if t.exact else f"{t.n_trials:,} trials"
    row = (t.label, t.model_a, t.model_b, *_scored(t), *shown.values(), _discordant(t), how)
    # Among several a test stands out if it does beside the others.
    least = t.p_value if t.p_holm is None else t.p_holm
    return Table(header, (row,), sure=(least < 1.0 - t.confidence_level,))


def sentence(t: randomization.RandomizationTest) -> str:
    """Return what a randomisation test found."""
    side = {"greater": f"one-sided ({t.model_b} better)", "less": f"one-sided ({t.model_b} worse)"}
    p = p_equation(t.p_value) + ("" if t.p_holm is None else f" (Holm: {p_value(t.p_holm)})")
    how = "exact" if t.exact else f"{t.n_trials:,} trials, {' to '.join(map(p_value, t.interval))}"
    gap = f"{t.model_b} minus {t.model_a} in {in_prose(t.label)} is {_scored(t)[2]}{' points' * t.percent}"
    test = f"{side.get(t.alternative, t.alternative)} randomisation test, {how}"
    return printable(f"{gap}: {p} ({test}); the models differ on {_discordant(t)}.")


def _discordant(t: randomization.RandomizationTest) -> str:
    return f"{t.n_discordant:,} of {number_of(t.n_units, t.unit)}"
