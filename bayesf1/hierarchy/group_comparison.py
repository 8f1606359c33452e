"""Comparisons that say of which corpus they speak, and how far they can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

import numpy as np

from bayesf1 import verdict
from bayesf1.comparison import Comparison, Comparisons
from bayesf1.evaluation import FloatArray
from bayesf1.report.tables import printable


@dataclass(frozen=True, eq=False)
class GroupComparison(Comparison):
    """A comparison that says of which corpus it speaks, and how far it can be trusted.

    Attributes
    ----------
    question
        ``"population"``, ``"new"`` or the name of a corpus.
    scope
        The same in words.
    caution
        What is wrong with the draws; empty where nothing is.
    note
        How the answer was computed.
    scores
        The draws of both models' scores, axes (chain, draw, model).
    """

    question: str = "population"
    scope: str = ""
    caution: str = ""
    note: str = ""
    scores: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 2)))

    def __str__(self) -> str:
        told = f"On {self.scope}: {verdict.sentence(self)}"
        return f"{told} {self.caution}" if self.caution else told


class GroupComparisons(Comparisons):
    """The tests of several measures for one pair of models and one question."""

    def _headline(self) -> Comparison:
        return verdict.headline(tuple(self.values()))

    def sentence(self, metric: str | None = None) -> str:
        """Return a sentence for a paper, which says of which corpus it speaks."""
        return str(self[metric] if metric else self._headline())

    def __str__(self) -> str:
        first = self._headline()
        assert isinstance(first, GroupComparison)
        title = f"Hierarchical Bayes test of {first.model_b} against {first.model_a} on {first.scope}"
        return "\n".join([printable(title), "", self.table.to_text(), "", str(first), first.note])

    def _repr_html_(self) -> str:
        return f"{self.table.to_html()}<p>{escape(self.sentence())}</p>"
