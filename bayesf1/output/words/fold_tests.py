"""The words of tests on the scores of folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.naming import printable
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import points, probability
from bayesf1.output.words.sampled import folds_of

if TYPE_CHECKING:
    from bayesf1.cv.fold_tests import FoldTests


def title(f: FoldTests) -> str:
    """Return the metric, the folds, and how much the difference varies over them."""
    differences = f.differences
    folds = folds_of(*differences.shape)
    mean = points(differences.mean(), 2, sign=True, percent=f.shares)
    sd = points(differences.std(ddof=1), 2, percent=f.shares)
    unit = " points" if f.shares else ""
    return printable(f"{f.label} of {f.model_b} minus {f.model_a} in {folds}: mean {mean}, sd {sd}{unit}")


def table(f: FoldTests) -> Table:
    """Return a row for each test."""
    header = ("Test", "Statistic", "df", "p", f"P({f.model_b} better)", "Reference")
    rows = [
        (
            test.name,
            points(test.statistic, 3, percent=False),
            ", ".join(map(str, test.df)),
            _known(test.p_value),
            _known(test.p_greater),
            test.reference,
        )
        for test in f.tests
    ]
    return Table(header, tuple(rows))


def _known(p: float | None) -> str:
    return "" if p is None else probability(p)
