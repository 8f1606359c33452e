"""The words of tests on the scores of folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.naming import printable
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import points, probability

if TYPE_CHECKING:
    from bayesf1.cv.fold_tests import FoldTests


def title(f: FoldTests) -> str:
    """Return what was tested, and how the folds differ."""
    d, what = f.differences, f"{f.label} of {f.model_b} minus {f.model_a}"
    mean, sd = points(d.mean(), 2, sign=True, percent=f.shares), points(d.std(ddof=1), 2, percent=f.shares)
    return printable(f"{what} in {d.size} folds: mean {mean}, sd {sd}{' points' * f.shares}")


def table(f: FoldTests) -> Table:
    """Return a row for each test."""
    rows = []
    for test in f.tests:
        quoted = ("" if p is None else probability(p) for p in (test.p_value, test.p_greater))
        statistic = f"{test.statistic:.3f}".replace("-", "−")
        rows.append((test.name, statistic, ", ".join(map(str, test.df)), *quoted, test.reference))
    return Table(("Test", "Statistic", "df", "p", f"P({f.model_b} better)", "Reference"), tuple(rows))
