"""The comparison of two models on several corpora: one question, by one metric or by several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bayesf1.base.checks import RNGLike
from bayesf1.base.naming import printable
from bayesf1.base.text_files import StrPath
from bayesf1.inference.comparison import Comparison, Comparisons
from bayesf1.output.table import Table
from bayesf1.output.words import fits as words
from bayesf1.output.words.comparison import legend
from bayesf1.output.words.prose import formatted


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalComparison(Comparison):
    """The comparison of two models by one metric, for one question about several corpora.

    The printed scores and the printed difference are posterior means or medians. The attribute `ev` is None: each corpus
    has an evaluation, but there is none of all corpora.

    Attributes
    ----------
    question, scope
        ``"average"``, ``"new"``, ``"suite"`` or the name of a corpus, and the same in words.
    estimate
        ``"posterior mean"``, or ``"posterior median"`` if a mean may not exist.
    observed
        The plain scores of A and B, averaged over the corpora if the question is not about one.
    caution
        The problems of the draws; "" if there are none.
    """

    question: str = "average"
    scope: str = ""
    estimate: str = "posterior mean"
    observed: tuple[float, float] = (0.0, 0.0)
    caution: str = ""

    @property
    def observed_gap(self) -> float:
        """The difference of the plain scores, B minus A."""
        observed_a, observed_b = self.observed
        return observed_b - observed_a

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion: problems of the draws, and how few corpora there are."""
        return (self.caution, *self.remarks) if self.caution else self.remarks

    def __str__(self) -> str:
        return words.sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain numbers and strings; each ``score`` is the estimate, beside ``observed``."""
        document = super().to_dict()
        observed_a, observed_b = self.observed
        document["a"]["observed"] = float(observed_a)
        document["b"]["observed"] = float(observed_b)
        document["difference"]["observed"] = float(self.observed_gap)
        return {**document, "estimate": self.estimate}


class HierarchicalComparisons(Comparisons):
    """The comparisons of two models by several metrics, for one question about several corpora.

    Parameters
    ----------
    comparisons
        A comparison by each metric.
    main_metric
        The name of the metric used in a sentence.
    """

    def __init__(self, comparisons: Sequence[HierarchicalComparison], main_metric: str) -> None:
        super().__init__(comparisons)
        self.comparisons = tuple(comparisons)
        self.main_metric = main_metric

    @property
    def headline(self) -> HierarchicalComparison:
        """The comparison used in a summary."""
        return next(c for c in self.comparisons if c.metric == self.main_metric)

    @property
    def title(self) -> str:
        """Which models were compared, on which corpus, and how many were sampled."""
        return printable(words.comparison_title(self))

    @property
    def table(self) -> Table:
        """The table, with the observed scores."""
        return words.table(self.comparisons)

    @property
    def explained(self) -> Sequence[str]:
        """What limits the verdict, and what its words mean."""
        return [*self.headline.remarks, *legend(self)]

    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the answer was found, for a paper's section on methods."""
        return formatted(words.methods(self), format)

    def to_html(self, path: StrPath, *, command: str | None = None) -> None:
        """Not offered: the page shows all questions, and is made by the fit."""
        raise ValueError("the page of a hierarchical fit shows all questions; use fit.to_html(path)")

    def to_arviz(self, *, n_draws: int = 4000, rng: RNGLike = None) -> Any:
        """Not offered: the draws of all questions are kept by the fit."""
        raise ValueError("draws of a hierarchical fit are in fit.to_arviz(), by question")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with the question and what is wrong with the draws."""
        c = self.headline
        caution = c.caution if c.caution else None
        return {**super().to_dict(), "question": c.question, "caution": caution}
