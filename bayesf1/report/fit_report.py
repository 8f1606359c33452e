"""A hierarchical fit as a page: verdicts, a table, the corpora in one figure, assumptions, and how to get it again."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

from bayesf1.base.text_files import write_atomic
from bayesf1.bayes.verdict import headline, is_decisive
from bayesf1.groups.corpora import QUESTIONS
from bayesf1.groups.wording import PairAnswer, assumptions, notes
from bayesf1.report.forests import plot_classes
from bayesf1.report.html import page, reproduction
from bayesf1.report.inline_svg import inline_svg, page_figures
from bayesf1.report.markup import bullets, escaped, figure, paragraph, scrolling

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparison
    from bayesf1.groups.fit import HierarchicalFit

# More rows are neither read nor drawn.
_MOST = 60


def write_fit_report(
    answer: PairAnswer,
    path: str | PathLike[str],
    *,
    command: str | None = None,
    read: Sequence[str] | None = None,
) -> None:
    """Write what a fit says of two models to an HTML file that needs no other file and no network.

    Parameters
    ----------
    answer
        What ``fit.answer()`` returned.
    path
        Where to; the file appears whole or not at all.
    command, read
        The command line that made the fit, and the lines of Python that read its data, as ``data = …``.
    """
    write_atomic(path, fit_html(answer, command=command, read=read))


def fit_html(answer: PairAnswer, *, command: str | None = None, read: Sequence[str] | None = None) -> str:
    """Return the text of the page.

    Examples
    --------
    >>> from bayesf1 import hierarchical, load_example
    >>> page = fit_html(hierarchical(load_example("wang-li-org")).answer())
    >>> "<h2>How to reproduce this</h2>" in page
    True
    """
    fit = answer.fit
    first = headline(tuple(answer.answers["average"].values()))
    title = (
        f"Is {answer.model_b} better than {answer.model_a}, on {len(fit.datasets)} {fit.nouns} and beyond?"
    )
    if len(fit.datasets) == 1:
        title = f"Is {answer.model_b} better than {answer.model_a}, on {fit.datasets[0]} and beyond?"
    verdict, *more = answer.sentences
    sure = is_decisive(first) and fit.diagnostics.ok
    with page_figures(), warnings.catch_warnings():
        # Whoever made the fit was warned already, and the page has its own cautions.
        warnings.simplefilter("ignore")
        body = [
            f"<h1>{escaped(title)}</h1>",
            paragraph(verdict, "verdict sure" if sure else "verdict"),
            *map(paragraph, more),
            "<h2>Results</h2>",
            paragraph(f"{answer.title}."),
            scrolling(answer.table, "Results"),
            *(paragraph(note, "caution") for note in notes(fit)),
            f"<h2>{escaped(fit.nouns.capitalize())}</h2>",
            _forest(answer, first),
            "<h2>Assumptions</h2>",
            bullets([assumptions(fit), *_questions(fit)]),
            paragraph(f"In a paper: {fit.methods_sentence(answer.model_a, answer.model_b)}"),
            *reproduction([_python_lines(answer, read)], command, drawn=True),
        ]
    return page(title, "\n".join(body), [])


def _forest(answer: PairAnswer, first: Comparison) -> str:
    fit = answer.fit
    shown = [*QUESTIONS, *fit.datasets][:_MOST]
    found = {fit.scope(q) if q in QUESTIONS else q: answer.answers[q][first.metric] for q in shown}
    about = f"Difference in {first.label} on each {fit.noun}, {answer.model_b} minus {answer.model_a}"
    left_out = len(QUESTIONS) + len(fit.datasets) - len(shown)
    rest = f" Of the {fit.nouns}, {left_out} are left out here." if left_out else ""
    return figure(
        inline_svg(plot_classes(found), "corpora", about),
        f"{about}, with {100 * fit.prob:.4g} % equal-tailed intervals, sorted. A {fit.noun}'s own difference is shrunk "
        f"towards those of the others. A triangle is filled where the comparison is decisive.{rest}",
    )


def _questions(fit: HierarchicalFit) -> list[str]:
    asked = (
        f"The average {fit.noun} is that of the population which the {fit.nouns} at hand are taken to be drawn from; a new "
        f"{fit.noun} is one more of it; the suite is those at hand, and nothing is said beyond them."
    )
    return [
        asked,
        "Probabilities are given data and prior; they are not p-values. Gold labels are taken as right.",
    ]


def _python_lines(answer: PairAnswer, read: Sequence[str] | None) -> str:
    fit = answer.fit
    described = f"data = {{{', '.join(f'{name!r}: ...' for name in fit.datasets)}}}"
    settings = {
        "metrics": [m.name for m in fit.metrics],
        "likelihood": fit.likelihood,
        "rope": fit.rope,
        "prob": fit.prob,
    }
    start = fit.posterior.attrs.get("start")
    settings |= {} if start is None else {"rng": int(start)}
    written = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return "\n".join(
        [
            "import bayesf1 as bf",
            "",
            *(read or [described]),
            f"fit = bf.hierarchical(data, {written})",
            f"print(fit.text({answer.model_a!r}, {answer.model_b!r}))",
        ]
    )
