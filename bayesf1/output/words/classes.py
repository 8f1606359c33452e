"""The words of comparisons class by class."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bayesf1.base.naming import printable
from bayesf1.output.table import Table
from bayesf1.output.words import comparison, methods as of_methods
from bayesf1.output.words.numbers import points

if TYPE_CHECKING:
    from bayesf1.inference.comparison import Comparison
    from bayesf1.inference.per_class import ClassComparisons


def table(res: ClassComparisons) -> Table:
    """Return the table of comparisons, with differences as observed beside the shrunk ones."""
    comparisons = list(res.values())
    observed = [_observed(c) for c in comparisons]
    return comparison.table(comparisons, difference="Shrunk difference", observed=observed)


def _observed(c: Comparison) -> str:
    difference = c.score_b - c.score_a
    if math.isnan(difference):
        return "–"
    digits = 1 if c.definition.percent else 3
    return points(difference, digits, sign=True, percent=c.definition.percent)


def shrinkage_note(res: ClassComparisons) -> str:
    """Return a note that differences are shrunk, with the expected number of wrong claims if there are claims."""
    n_claims = sum(c.winner is not None for c in res.values())
    wrong = ""
    if n_claims:
        wrong = (
            "; expected number of wrong claims, if true differences are normal about one mean: "
            f"{res.expected_false:.2g} of {n_claims}"
        )
    return printable(
        f"The classes' differences are shrunk towards each other, more strongly the more alike they are{wrong}."
    )


def methods(res: ClassComparisons) -> str:
    """Return how models were compared class by class."""
    return f"{of_methods.methods(res)} The classes' differences were shrunk towards each other."
