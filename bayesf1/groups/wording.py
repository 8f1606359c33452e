"""A hierarchical fit in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from bayesf1.base.answer import Answer, paragraphs
from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import capitalised
from bayesf1.base.table import Table, amount, printable, probability
from bayesf1.bayes import verdict
from bayesf1.bayes.comparisons import Comparisons
from bayesf1.groups.corpora import QUESTIONS
from bayesf1.groups.group_comparison import GroupComparisons

if TYPE_CHECKING:
    from bayesf1.groups.fit import HierarchicalFit

# With more corpora, only the main measure of each is printed.
_MANY = 10


@dataclass(frozen=True, eq=False)
class PairAnswer(Answer):
    """What a hierarchical fit says of two of its models: on the average corpus, on a new one, on those at hand.

    Where there are more models, these may have been `chosen`; else they are those that score best.
    """

    json_format = "bayesf1.hierarchical/2"
    index_names = ("question", "metric")

    fit: HierarchicalFit
    model_a: str
    model_b: str
    chosen: bool = True

    @cached_property
    def answers(self) -> dict[str, Comparisons]:
        """The answers to all questions, by question."""
        return {q: self.fit.compare(self.model_a, self.model_b, question=q) for q in self.fit.questions}

    @property
    def title(self) -> str:
        """Which models were compared, on how many corpora."""
        return printable(
            f"Hierarchical Bayes test of {self.model_b} against {self.model_a} on {_number(self.fit)}, "
            f"{100 * self.fit.prob:.4g} % equal-tailed credible intervals"
        )

    @property
    def table(self) -> Table:
        """The answers to all questions in one table."""
        rows: list[tuple[str, ...]] = []
        for question, res in self.answers.items():
            if question not in QUESTIONS and len(self.fit.datasets) > _MANY:
                res = GroupComparisons([verdict.headline(tuple(res.values()))])
            shown = res.table
            where = self.fit.scope(question) if question in QUESTIONS else question
            rows += [(where, *row) for row in shown.rows]
        latex = None if shown.latex_header is None else ("On", *shown.latex_header)
        # Nothing is sure where the draws cannot be trusted.
        sure = (self.fit.diagnostics.ok,) * len(rows)
        caution = self.fit.diagnostics.caution
        limits = (*notes(self.fit), *([caution] if caution else []))
        header = ("On", *shown.header)
        note, spare = assumptions(self.fit), (*shown.spare, shown.header[1:3])
        return Table(header, tuple(rows), latex, note=note, sure=sure, limits=limits, spare=spare)

    @property
    def below(self) -> Sequence[str]:
        """Verdicts, assumptions and notes."""
        told = [*self.sentences, assumptions(self.fit), *notes(self.fit)]
        if len(self.fit.models) > 2 and not self.chosen:
            told.append(
                f"Of {len(self.fit.models)} models, the two that score best are shown; name others to see them."
            )
        return told

    @property
    def sentences(self) -> list[str]:
        """The verdicts: on the average corpus, on a new one, on the suite, and on those at hand."""
        fit, a, b = self.fit, self.model_a, self.model_b
        told = [self.answers[question].sentence() for question in QUESTIONS]
        heads = [verdict.headline(tuple(self.answers[name].values())) for name in fit.datasets]
        chances = [c.p_h1 for c in heads]
        ends = [probability(p) for p in (min(chances), max(chances))]
        won = [c.p_h1 > c.p_h0 for c in heads if verdict.is_decisive(c)]
        each = f"On the {_number(fit)} at hand, each shrunk towards the others"
        if len(heads) == 1:
            each = f"On {fit.datasets[0]} itself"
        claim = (
            f"{each}: {b} is better than {a} in {heads[0].label} with probability "
            f"{' to '.join(dict.fromkeys(ends))}; {b} outperforms {a} on {sum(won)} of {len(heads)}, {a} outperforms {b} "
            f"on {len(won) - sum(won)}."
        )
        caution = fit.diagnostics.caution
        return [*told, printable(f"{claim} {caution}" if caution else claim)]

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self.title)}</b></p>{self.table.to_html()}{paragraphs(self.below)}"

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each question and measure."""
        return [{"question": q, **record} for q, res in self.answers.items() for record in res.records()]

    def to_dict(self) -> dict[str, Any]:
        """Return all answers as plain numbers and strings, with stable names."""
        diagnostics = self.fit.diagnostics
        return {
            "format": self.json_format,
            "likelihood": self.fit.likelihood,
            "model_a": self.model_a,
            "model_b": self.model_b,
            "diagnostics": asdict(diagnostics),
            "caution": diagnostics.caution or None,
            "notes": notes(self.fit),
            "sentences": self.sentences,
            "answers": {q: [c.to_dict() for c in res.values()] for q, res in self.answers.items()},
        }


def assumptions(fit: HierarchicalFit) -> str:
    """Say what was assumed, and how it was computed."""
    known = fit.posterior.attrs.get("start")
    start = start_in_words(None if known is None else int(known))
    return f"{_MODELS[fit.likelihood](fit)}; {fit.diagnostics}{f'; {start}' if start else ''}."


def _scores(fit: HierarchicalFit) -> str:
    measure = fit.metrics[fit.main_measure]
    at = {"measure": measure.name}
    names = ("difficulty",) if len(fit.models) == 1 else ("difficulty", "spread")
    found = [float(fit.posterior[name].sel(at).median()) for name in names]
    apart = [amount(float(f"{value:.2g}"), percent=measure.percent) for value in found]
    scale = " and ".join(amount(getattr(fit.prior, name), percent=measure.percent) for name in names)
    differ = f"{fit.nouns} differ in {measure.label} by about {apart[0]}"
    if len(fit.models) > 1:
        differ += f" for all models alike, and in the difference of two models by about {apart[1]}"
    return (
        f"Random-effects model of the scores, {fit.within}: {differ} (standard deviations, posterior medians; "
        f"half-t priors with {fit.prior.tails:g} degree{'s' * (fit.prior.tails != 1)} of freedom and scale {scale})"
    )


def _dirichlet(fit: HierarchicalFit) -> str:
    return (
        f"Dirichlet-multinomial model, all items taken as independent, effects of a {fit.noun} on one model unrelated "
        'to those on another (likelihood="scores" shares them)'
    )


def _logistic_normal(fit: HierarchicalFit) -> str:
    known = {"paired": "paired item by item", "independent": "known by their totals"}[fit.assumption]
    return (
        f"Logistic-normal model, all items taken as independent, effects of a {fit.noun} shared by all models, "
        f"models {known}"
    )


_MODELS = {"scores": _scores, "dirichlet": _dirichlet, "logistic-normal": _logistic_normal}


def notes(fit: HierarchicalFit) -> list[str]:
    """Return what should be known of the data."""
    found = [f"{capitalised(fit.note)}."] if fit.note else []
    if len(fit.datasets) < 3:
        found.append(
            f"With {_number(fit)}, how much {fit.nouns} differ is hardly known: what is said of a new {fit.noun} "
            "rests on the prior."
        )
    if fit.noun == "fold":
        found.append(
            "Folds are taken as separate test sets, though repeats test the same items again; the discounted "
            "counts of compare() allow for that."
        )
    return found


def one_model(fit: HierarchicalFit) -> str:
    """Return the scores of a model that is alone, as there is nothing to compare it with."""
    scores = fit.summary().filter(like="score", axis=0)
    lines = [repr(fit), "", scores.iloc[:, :4].to_string(), "", assumptions(fit), *notes(fit)]
    return "\n".join([*lines, *([fit.diagnostics.caution] if fit.diagnostics.caution else [])])


def _number(fit: HierarchicalFit) -> str:
    n = len(fit.datasets)
    return f"{n} {fit.noun if n == 1 else fit.nouns}"
