"""How alike the halves of a corpus are, beside random halves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.answer import Answer
from bayesf1.base.arrays import FloatArray
from bayesf1.base.table import Table
from bayesf1.designs.splitting import Corpus, IntArray


@dataclass(frozen=True, eq=False)
class BalanceReport(Answer):
    """How alike the halves of a split are, beside random halves.

    Attributes
    ----------
    names
        What is counted: items, classes of y, columns of balance.
    halves
        Totals, axes (repeat, half, count).
    overlaps
        Number of items that the first halves of two repeats share, axes (repeat, repeat).
    random_difference, random_chi_square
        Worst difference and chi-square to expect of as many random halvings, axes (count,).
    note
        What was not balanced, and why.
    """

    title = "Balance of the halves"
    titled = False
    json_format = "bayesf1.balance/1"

    names: tuple[str, ...]
    halves: FloatArray
    overlaps: IntArray
    random_difference: FloatArray
    random_chi_square: FloatArray
    note: str = ""

    @property
    def worst_difference(self) -> FloatArray:
        """Largest difference between two halves over the repeats, axes (count,)."""
        return np.asarray(np.ptp(self.halves, axis=1).max(axis=0))

    @property
    def chi_square(self) -> FloatArray:
        """Chi-square of two halves against equal ones, (a-b)²/(a+b), axes (repeat, count)."""
        both = self.halves.sum(axis=1)
        return np.asarray(np.ptp(self.halves, axis=1) ** 2 / np.where(both > 0, both, 1.0))

    @property
    def table(self) -> Table:
        """Smallest and largest half, and the worst repeat, for each count."""
        header = ("count", "smallest half", "largest half", "difference", "at random", "χ²", "at random")
        digits = (".10g", ".10g", ".4g", ".4g", ".2g", ".2g")
        rows = (
            (name, *(format(x, form) for x, form in zip(numbers, digits, strict=True)))
            for name, *numbers in (record.values() for record in self.records())
        )
        return Table(header, tuple(rows))

    @property
    def below(self) -> Sequence[str]:
        """What was not balanced."""
        return (self.note,) if self.note else ()

    def to_text(self) -> str:
        """Return the table, and what was not balanced, as plain text."""
        return "\n".join([self.table.to_text(), *self.below])

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each count."""
        columns = {
            "smallest_half": self.halves.min(axis=(0, 1)),
            "largest_half": self.halves.max(axis=(0, 1)),
            "difference": self.worst_difference,
            "random_difference": self.random_difference,
            "chi_square": self.chi_square.max(axis=0),
            "random_chi_square": self.random_chi_square,
        }
        rows = zip(self.names, *(column.tolist() for column in columns.values()), strict=True)
        return [dict(zip(("count", *columns), row, strict=True)) for row in rows]


def balance_report(corpus: Corpus, first: NDArray[np.bool_]) -> BalanceReport:
    """Return how alike halves are, axes of `first` (item, halving)."""
    from scipy.special import erf

    repeats = np.ascontiguousarray(first.T)
    units, totals, squares = len(first), corpus.totals(), corpus.totals(power=2)
    if corpus.documents is not None:
        documents = corpus.by_document(corpus.documents)
        units, squares = len(documents), (documents**2).sum(axis=0)
    variance = np.maximum(squares - totals**2 / units, 0.0) * units / (units - 1)
    # The largest of m absolute normal variates exceeds z with probability 1 - erf(z/√2)^m.
    z = np.arange(0.0005, 12.0, 0.001)
    beyond = 0.001 * (1.0 - erf(z / math.sqrt(2.0)) ** len(repeats))
    return BalanceReport(
        names=corpus.names,
        halves=np.array([[corpus.totals(half) for half in (s, ~s)] for s in repeats]),
        overlaps=np.array([[np.count_nonzero(s & t) for t in repeats] for s in repeats]),
        random_difference=np.sqrt(variance) * beyond.sum(),
        random_chi_square=variance / np.where(totals > 0, totals, 1.0) * (2.0 * z @ beyond),
        note=corpus.note,
    )
