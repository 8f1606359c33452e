"""Comparisons that say of which corpus they speak, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from bayesf1.base.answer import paragraphs
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import checked
from bayesf1.base.naming import joined, nearest, shown
from bayesf1.base.references import prose, version
from bayesf1.base.table import Table, printable
from bayesf1.bayes import verdict
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.comparisons import Comparisons
from bayesf1.evaluation.kind import PairingBounds


@dataclass(frozen=True, eq=False)
class GroupComparison(Comparison):
    """A comparison that says of which corpus it speaks, and how far it can be trusted.

    Attributes
    ----------
    question, scope
        ``"average"``, ``"new"``, ``"suite"`` or the name of a corpus, and the same in words.
    caution, note
        What is wrong with the draws, empty where nothing is, and how the answer was computed.
    scores
        The draws of both models' scores, axes (chain, draw, model).
    """

    question: str = "average"
    scope: str = ""
    caution: str = ""
    note: str = ""
    scores: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 2)))

    @property
    def pairing_bounds(self) -> PairingBounds:
        """Not defined: bounds are over the pairings of two tables, and a hierarchical fit has several."""
        raise ValueError(
            "pairing bounds are those of two tables, and a hierarchical fit has a pair for each corpus"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion: what is wrong with the draws."""
        return (printable(self.caution),) if self.caution else ()

    @cached_property
    def _plain(self) -> FloatArray:
        """The means of the corpora's plain scores, or the scores on the one corpus spoken of."""
        return np.asarray(self.under.plain(self.measure).reshape(-1, 2).mean(axis=0))

    def __str__(self) -> str:
        # A sentence goes on after a colon; a model's name stays as it is.
        told = f"On {self.scope}: {verdict.sentence(self).replace('The data do not', 'the data do not', 1)}"
        return f"{told} {self.caution}" if self.caution else told


class GroupComparisons(Comparisons):
    """The tests of several measures for one pair of models and one question."""

    @property
    def _headline(self) -> GroupComparison:
        first = super()._headline
        assert isinstance(first, GroupComparison)
        return first

    @property
    def table(self) -> Table:
        """The table, with a note of what corpus it speaks of and how it was computed."""
        first = self._headline
        told = f"On {first.scope}. {first.note} {first.caution}".rstrip()
        return replace(super().table, note=told)

    @checked
    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the answer was found, for a paper's section on methods."""
        first = self._headline
        measures = joined(c.label for c in self.values())
        model = (
            first.note if first.note.startswith("Dirichlet") else f"{first.note[:1].lower()}{first.note[1:]}"
        )
        told = printable(
            f"{first.model_b} was compared with {first.model_a} on {measures} by a hierarchical model fitted with "
            f"{version()}. It was a {model} The probabilities concern {first.scope}. Intervals are {100 * first.prob:.4g} % "
            f"equal-tailed credible intervals. {first.caution}".rstrip()
        )
        return prose(told, format)

    @checked
    def to_html(self, path: str | PathLike[str], *, command: str | None = None) -> None:
        """Not offered: the page shows all questions, and is made by the fit."""
        raise ValueError(
            "the page of a hierarchical fit shows all its questions; write it by fit.to_html(path)"
        )

    @checked
    def sentence(self, metric: str | None = None, *, format: str = "text") -> str:
        """Return a sentence for a paper, which says of which corpus it speaks."""
        if metric is not None and metric not in self:
            raise ValueError(f"unknown metric {shown(metric)}; {nearest(metric, self)}")
        return (self._headline if metric is None else self[metric]).sentence(format=format)

    @property
    def title(self) -> str:
        """Which models were compared, and on which corpus."""
        first = self._headline
        return printable(
            f"Hierarchical Bayes test of {first.model_b} against {first.model_a} on {first.scope}"
        )

    @property
    def below(self) -> Sequence[str]:
        """The verdict, and how it was computed."""
        return [self.sentence(), self._headline.note]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with the question and what is wrong with the draws."""
        first = self._headline
        said = {"question": first.question, "sentence": str(first), "caution": first.caution or None}
        return {**super().to_dict(), **said}

    def _repr_html_(self) -> str:
        return self.table.to_html() + paragraphs([self.sentence()])
