"""Comparisons of a hierarchical fit, each of whose points belongs to its interval, and what the fit assumed, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.checks import checked, start_in_words
from bayesf1.base.naming import capitalised, joined, nearest, printable, quoted
from bayesf1.hierarchical.corpora import QUESTIONS
from bayesf1.inference.comparison import Comparison, Comparisons
from bayesf1.output import text
from bayesf1.output.latex import prose, version
from bayesf1.output.table import Table, amount, digits_of, points

if TYPE_CHECKING:
    from bayesf1.hierarchical.fit import HierarchicalFit


@dataclass(frozen=True, eq=False)
class HierarchicalComparison(Comparison):
    """A comparison that says of which corpus it speaks, and how far it can be trusted.

    Its scores and its difference are the mean, or median, of their posteriors, which belong to their intervals.

    Attributes
    ----------
    question, scope
        ``"average"``, ``"new"``, ``"suite"`` or the name of a corpus, and the same in words.
    estimate
        ``"posterior mean"``, or ``"posterior median"`` if a mean may not exist.
    observed
        The plain scores of both models, averaged over the corpora if the question is not about one.
    caution
        What is wrong with the draws, empty if nothing is.
    """

    question: str = "average"
    scope: str = ""
    estimate: str = "posterior mean"
    observed: tuple[float, float] = (0.0, 0.0)
    caution: str = ""

    @property
    def observed_gap(self) -> float:
        """The difference of the plain scores, B minus A."""
        return self.observed[1] - self.observed[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion: what is wrong with the draws, and how few corpora there are."""
        return tuple(map(printable, filter(None, (self.caution, *self.remarks))))

    @checked
    def observed_text(self, *, gap: bool = False) -> str:
        """Write the plain scores of both models, or their difference, with as many digits as the interval has."""
        percent = self.definition.percent
        ends = (self.difference if gap else self.posterior_a).interval(self.prob)
        digits = digits_of(*ends, percent=percent)
        if gap:
            return points(self.observed_gap, digits, sign=True, percent=percent)
        return " / ".join(points(score, digits, percent=percent) for score in self.observed)

    def __str__(self) -> str:
        # A sentence goes on after a colon; a model's name stays as it is.
        claim = text.sentence(self).replace("The data do not", "the data do not", 1)
        observed = "Observed difference:"
        if self.estimate == "posterior median":
            observed = "The difference is the posterior median, as a mean may not exist; observed"
        gap = self.observed_text(gap=True)
        return printable(f"On {self.scope}: {claim} {observed} {gap}. {self.caution}".rstrip())

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain numbers and strings; each ``score`` is the estimate, beside ``observed``."""
        found = super().to_dict()
        for name, score in zip(("a", "b", "difference"), (*self.observed, self.observed_gap), strict=True):
            found[name]["observed"] = float(score)
        return {**found, "estimate": self.estimate}


class HierarchicalComparisons(Comparisons):
    """The tests of several metrics for one pair of models and one question."""

    @property
    def headline(self) -> HierarchicalComparison:
        """The comparison that a summary speaks of."""
        first = super().headline
        assert isinstance(first, HierarchicalComparison)
        return first

    @property
    def title(self) -> str:
        """Which models were compared, and on which corpus."""
        first = self.headline
        return printable(
            f"Hierarchical Bayes test of {first.model_b} against {first.model_a} on {first.scope}"
        )

    @property
    def table(self) -> Table:
        """The table, with the observed scores."""
        table = super().table
        observed = [c.observed_text() for c in self.values() if isinstance(c, HierarchicalComparison)]
        return replace(
            table,
            header=(*table.header[:4], "Observed", *table.header[4:]),
            rows=tuple((*row[:4], cell, *row[4:]) for row, cell in zip(table.rows, observed, strict=True)),
        )

    @property
    def below(self) -> Sequence[str]:
        """The verdict, what limits it, and what its words mean."""
        return [self.sentence(), *self.headline.remarks, *text.legend(self._all)]

    @checked
    def sentence(self, metric: str | None = None, *, format: str = "text") -> str:
        """Return a sentence for a paper, which says of which corpus it speaks."""
        if metric is not None and metric not in self:
            raise ValueError(f"unknown metric {quoted(metric)}; {nearest(metric, self)}")
        return (self.headline if metric is None else self[metric]).sentence(format=format)

    @checked
    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the answer was found, for a paper's section on methods."""
        first = self.headline
        name, rest = first.settings.model[:1], first.settings.model[1:]
        how = (
            f"{first.model_b} was compared with {first.model_a} on {joined(c.label for c in self.values())} by a "
            f"hierarchical model fitted with {version()}. It was a {name if name == 'D' else name.lower()}{rest} The "
            f"probabilities concern {first.scope}. Intervals are {100 * first.prob:.4g} % equal-tailed credible intervals."
        )
        return prose(printable(" ".join((how, *first.notes))), format)

    @checked
    def to_html(self, path: str | PathLike[str], *, command: str | None = None) -> None:
        """Not offered: the page shows all questions, and is made by the fit."""
        raise ValueError("the page of a hierarchical fit shows all questions; write it by fit.to_html(path)")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with the question and what is wrong with the draws."""
        first = self.headline
        words = {"question": first.question, "sentence": str(first), "caution": first.caution or None}
        return {**super().to_dict(), **words}


def assumptions(fit: HierarchicalFit) -> str:
    """Say what was assumed, and how it was computed."""
    known = fit.posterior.attrs.get("start")
    start = start_in_words(None if known is None else int(known))
    words = estimates(fit).removesuffix(".")
    parts = (modelled(fit), f"{words[0].lower()}{words[1:]}", str(fit.diagnostics), start)
    return f"{'; '.join(filter(None, parts))}."


def estimates(fit: HierarchicalFit) -> str:
    """Say which points are means of posteriors, and which medians."""
    medians = [fit.scope(question) for question in QUESTIONS[:2] if "median" in fit.estimate(question)]
    where = f", on {joined(medians)} medians, as a mean may not exist" if medians else ""
    return f"Scores and differences are posterior means{where}."


def modelled(fit: HierarchicalFit) -> str:
    """Name the model of the corpora, and its prior."""
    return _scores(fit) if fit.likelihood == "scores" else _multinomial(fit)


def _scores(fit: HierarchicalFit) -> str:
    metric = fit.main_metric
    names = ("difficulty", "spread")
    medians = [float(fit.posterior[name].sel(measure=metric.name).median()) for name in names]
    apart = [amount(float(f"{value:.2g}"), percent=metric.percent) for value in medians]
    scale = " and ".join(amount(getattr(fit.prior, name), percent=metric.percent) for name in names)
    return (
        f"Random-effects model of the scores, {fit.within}: {fit.nouns} differ in {metric.label} by about "
        f"{apart[0]} for all models alike, and in the difference of two models by about {apart[1]} (standard deviations, "
        "posterior medians; half-t priors with "
        f"{fit.prior.tails:g} degree{'s' * (fit.prior.tails != 1)} of freedom and scale {scale})"
    )


def _multinomial(fit: HierarchicalFit) -> str:
    kappa = np.exp(np.median(fit.posterior["log_kappa"].values, axis=(0, 1)))
    pairs = zip(fit.models, kappa, strict=True)
    alike = joined(f"{float(f'{value:.2g}'):,.0f} of {name}" for name, value in pairs)
    return (
        f"Dirichlet-multinomial model, {fit.within}, effects of a {fit.noun} on one model unrelated to those on another "
        f'(likelihood="scores" shares them): concentration κ about {alike} (posterior medians; log-normal prior with '
        f"median {fit.prior.kappa:g} and standard deviation {fit.prior.log_kappa_sd:g} of the logarithm)"
    )


def few_corpora(fit: HierarchicalFit) -> list[str]:
    """Say if there are too few corpora to know how much they differ."""
    words = (
        f"With {fit.number}, how much {fit.nouns} differ is hardly known: what is said of the average {fit.noun} and of a "
        "new one rests on the prior."
    )
    return [words] if len(fit.datasets) < 3 else []


def notes(fit: HierarchicalFit) -> list[str]:
    """Return what should be known of the data."""
    found = [*([f"{capitalised(fit.note)}."] if fit.note else []), *few_corpora(fit)]
    if fit.noun == "fold":
        found.append(
            "Folds are taken as separate test sets, though repeats test the same items again; the discounted "
            "counts of compare() allow for that."
        )
    return found
