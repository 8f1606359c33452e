"""A hierarchical fit in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.table import Table, printable, probability
from bayesf1.bayes import verdict
from bayesf1.groups.corpora import QUESTIONS
from bayesf1.groups.group_comparison import GroupComparisons

if TYPE_CHECKING:
    from bayesf1.groups.fit import HierarchicalFit

# With more corpora, only the main measure of each is printed.
_MANY = 10


def table(fit: HierarchicalFit, a: str, b: str) -> Table:
    """Return the answers to all three questions in one table."""
    rows: list[tuple[str, ...]] = []
    for question in fit.questions:
        res = fit.compare(a, b, question=question)
        if question not in QUESTIONS and len(fit.datasets) > _MANY:
            res = GroupComparisons([verdict.headline(tuple(res.values()))])
        shown = res.table
        where = fit.scope(question) if question in QUESTIONS else question
        rows += [(where, *row) for row in shown.rows]
    latex = None if shown.latex_header is None else ("On", *shown.latex_header)
    return Table(("On", *shown.header), tuple(rows), latex)


def sentences(fit: HierarchicalFit, a: str, b: str) -> list[str]:
    """Return the verdicts: on the average corpus, on a new one, and on those at hand."""
    told = [fit.compare(a, b, question=question).sentence() for question in QUESTIONS]
    heads = [verdict.headline(tuple(fit.compare(a, b, question=name).values())) for name in fit.datasets]
    ends = [probability(p) for p in (min(c.p_h1 for c in heads), max(c.p_h1 for c in heads))]
    wins, losses = (
        sum(verdict.is_decisive(c) and (c.p_h1 > c.p_h0) == better for c in heads) for better in (True, False)
    )
    each = f"On the {_number(fit)} at hand, each shrunk towards the others"
    if len(heads) == 1:
        each = f"On {fit.datasets[0]} itself"
    claim = (
        f"{each}: {b} is better than {a} in {heads[0].label} with probability "
        f"{' to '.join(dict.fromkeys(ends))}; {b} outperforms {a} on {wins} of {len(heads)}, {a} outperforms {b} "
        f"on {losses}."
    )
    caution = fit.diagnostics.caution
    return [*told, printable(f"{claim} {caution}" if caution else claim)]


def assumptions(fit: HierarchicalFit) -> str:
    """Say what was assumed, and how it was computed."""
    if fit.likelihood == "dirichlet":
        model = (
            f"Dirichlet-multinomial model, effects of a {fit.noun} on one model unrelated to those on another "
            '(likelihood="logistic-normal" shares them)'
        )
    else:
        pairing = (
            "models paired item by item" if fit.assumption == "paired" else "models known by their totals"
        )
        model = f"Logistic-normal model, effects of a {fit.noun} shared by all models, {pairing}"
    return f"{model}; {fit.diagnostics}."


def notes(fit: HierarchicalFit) -> list[str]:
    """Return what should be known of the data."""
    found = [f"{fit.note[0].upper()}{fit.note[1:]}."] if fit.note else []
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


def parts(fit: HierarchicalFit, a: str | None, b: str | None) -> tuple[str, Table, list[str]]:
    """Return title, table, and what is said below it."""
    pair = fit.main_pair(a, b)
    title = (
        f"Hierarchical Bayes test of {pair[1]} against {pair[0]} on {_number(fit)}, "
        f"{100 * fit.prob:.4g} % equal-tailed credible intervals"
    )
    below = [*sentences(fit, *pair), assumptions(fit), *notes(fit)]
    if len(fit.models) > 2 and a is None:
        below.append(
            f"Of {len(fit.models)} models, the two that score best are shown; name others to see them."
        )
    return printable(title), table(fit, *pair), below


def one_model(fit: HierarchicalFit) -> str:
    """Return the scores of a model that is alone, as there is nothing to compare it with."""
    scores = fit.summary().filter(like="score", axis=0)
    lines = [repr(fit), "", scores.iloc[:, :4].to_string(), "", assumptions(fit), *notes(fit)]
    return "\n".join([*lines, *([fit.diagnostics.caution] if fit.diagnostics.caution else [])])


def _number(fit: HierarchicalFit) -> str:
    n = len(fit.datasets)
    return f"{n} {fit.noun if n == 1 else fit.nouns}"
