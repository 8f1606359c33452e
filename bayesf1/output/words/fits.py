"""The words of a fit of several corpora."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import capitalised, joined, number_of, printable
from bayesf1.output.table import Table
from bayesf1.output.words.citations import PACKAGE
from bayesf1.output.words.comparison import sentence as verdict_sentence, table as verdict_table
from bayesf1.output.words.methods import compared
from bayesf1.output.words.numbers import amount, credible_intervals, decimals, points
from bayesf1.output.words.sampled import sampled

if TYPE_CHECKING:
    from bayesf1.corpora.comparison import HierarchicalComparison, HierarchicalComparisons
    from bayesf1.corpora.fit import HierarchicalFit
    from bayesf1.corpora.model import Diagnostics


def title(fit: HierarchicalFit) -> str:
    """Return which models were compared, and on how many corpora."""
    a, b = fit.shown
    return f"Hierarchical Bayes test of {b} against {a} on {fit.number}, with {credible_intervals(fit.prob)}"


def comparison_title(res: HierarchicalComparisons) -> str:
    """Return which models were compared, on which corpus, and how many were sampled."""
    c = res.headline
    models = f"{c.model_b} against {c.model_a}"
    source = f"{c.scope}, from {sampled(c.settings)}"
    return f"Hierarchical Bayes test of {models} on {source}, with {credible_intervals(c.prob)}"


def scope(fit: HierarchicalFit, question: str) -> str:
    """Write which corpus, or corpora, a question is about."""
    match question:
        case "average":
            return f"the average {fit.noun}"
        case "new":
            return f"a new {fit.noun}"
        case "suite":
            return f"the suite of these {len(fit.datasets)} {fit.nouns}"
        case _:
            return f"{question}, shrunk towards the other {fit.nouns}"


# ---- tables -----------------------------------------------------------------------------------------------


def table(comparisons: Sequence[HierarchicalComparison]) -> Table:
    """Return the table of comparisons with a column of observed scores, all with the same number of decimals."""
    scores = [c.estimates.a for c in comparisons]
    digits = max(map(decimals, scores))
    observed = []
    for c in comparisons:
        observed_a, observed_b = [points(x, digits, percent=c.definition.percent) for x in c.observed]
        observed.append(f"{observed_a} / {observed_b}")
    return verdict_table(comparisons, observed=observed)


def answers_table(fit: HierarchicalFit) -> Table:
    """Return the answers to all questions in one table."""
    where: list[str] = []
    comparisons: list[HierarchicalComparison] = []
    for question, res in fit.answers.items():
        if question in fit.datasets:
            # A corpus at hand has one row, by the main metric; `to_frame` has all.
            where.append(question)
            comparisons.append(res.headline)
        else:
            where += [scope(fit, question) for _ in res.comparisons]
            comparisons += res.comparisons
    answers = table(comparisons)
    # No row is sure if the draws cannot be trusted.
    trusted = not fit.diagnostics.caution
    return replace(
        answers,
        header=("On", *answers.header),
        rows=tuple((name, *row) for name, row in zip(where, answers.rows, strict=True)),
        bold=frozenset(),
        sure=tuple(trusted for _ in where),
        bars_after=1 + answers.bars_after,
    )


# ---- sentences --------------------------------------------------------------------------------------------


def assumptions(fit: HierarchicalFit) -> str:
    """Return the assumptions, and how the fit was computed."""
    medians = [scope(fit, question) for question in ("average", "new") if fit.uses_median(question)]
    where = f", but posterior medians on {joined(medians)}, where a mean may not exist" if medians else ""
    parts = [_model(fit), f"scores and differences are posterior means{where}", str(fit.diagnostics)]
    start = start_in_words(fit.start)
    return "; ".join([*parts, start] if start else parts)


def _model(fit: HierarchicalFit) -> str:
    """Write the model with its prior, and how much corpora differ by its parameters."""
    prior = fit.prior
    if fit.spreads is not None:
        percent = fit.main_metric.percent
        difficulty = amount(_two_digits(fit.spreads.difficulty), percent=percent)
        difference = amount(_two_digits(fit.spreads.difference), percent=percent)
        degrees = "degree" if prior.tails == 1 else "degrees"
        scales = f"{amount(prior.difficulty, percent=percent)} and {amount(prior.spread, percent=percent)}"
        return (
            f"random-effects model of the scores, {fit.within}: {fit.nouns} differ in {fit.main_metric.label} by about "
            f"{difficulty} for all models alike, and in the difference of two models by about {difference} (standard "
            f"deviations, posterior medians; half-t priors with {prior.tails:g} {degrees} of freedom and scale {scales})"
        )
    assert fit.concentrations is not None
    alike = joined(
        f"{_two_digits(kappa):,.0f} of {name}"
        for name, kappa in zip(fit.models, fit.concentrations.kappa, strict=True)
    )
    return (
        f"Dirichlet-multinomial model in {fit.concentrations.made_with}, {fit.within}, effects of a {fit.noun} on "
        f'one model unrelated to those on another (likelihood="scores" shares them): concentration κ about {alike} '
        f"(posterior medians; log-normal prior with median {prior.kappa:g} and standard deviation {prior.log_kappa_sd:g} of "
        "the logarithm)"
    )


def _two_digits(value: float) -> float:
    """Return a number rounded to two significant digits."""
    return float(f"{value:.2g}")


def diagnostics(d: Diagnostics) -> str:
    """Write how the posterior was sampled, and whether chains agree."""
    if d.independent:
        return f"computed on a grid, {d.n_draws:,} independent draws"
    chains = f"{number_of(d.chains, 'chain')} of NUTS ({d.sampler})"
    verdict = f"agree: R-hat {d.r_hat:.2f}" if d.agree else f"disagree: R-hat {d.r_hat:.3f}"
    divergences = d.divergences if d.divergences else "no"
    return f"{chains} {verdict}, {divergences} divergences, {d.ess:,.0f} effective draws of {d.n_draws:,}"


def sampling_caution(d: Diagnostics) -> str:
    """Write the problems of the draws and their remedies; "" if there are none."""
    problems = []
    if d.divergences:
        problems.append(
            f"{d.divergences:,} of {d.n_draws:,} transitions diverged, so that parts of the posterior may be missing (try a "
            "target_accept nearer to 1, or a narrower prior)"
        )
    if not d.agree:
        problems.append(
            f"the chains disagree, R-hat {d.r_hat:.3f} above {d.MAX_R_HAT} (double tune and draws)"
        )
    if d.ess < d.MIN_ESS:
        problems.append(f"only {d.ess:.0f} effective draws, fewer than {d.MIN_ESS:.0f} (try more draws)")
    return f"Caution: {'; '.join(problems)}." if problems else ""


def few_corpora(fit: HierarchicalFit) -> list[str]:
    """Return a note if there are too few corpora to know how much they differ."""
    if len(fit.datasets) >= 3:
        return []
    rest = f"the answers for the average {fit.noun} and a new one rest on the prior"
    return [f"{fit.number} are too few to show how much {fit.nouns} differ, so {rest}."]


def notes(fit: HierarchicalFit) -> list[str]:
    """Return notes on the data."""
    found = [*fit.remarks]
    if fit.note:
        found.append(f"{capitalised(fit.note)}.")
    found += few_corpora(fit)
    if fit.noun == "fold":
        again = "though their training sets, or test items, overlap; compare() allows for that"
        found.append(f"Folds are taken as separate test sets, {again}.")
    return found


def chains_and_models(fit: HierarchicalFit) -> list[str]:
    """Return the diagnostics of the chains, if there are any, and a note on which of several models are shown."""
    lines = []
    if not fit.diagnostics.independent:
        lines.append(f"{fit.diagnostics}.")
    if len(fit.models) > 2 and fit.pair is None:
        lines.append(
            f"Of {len(fit.models)} models, the two that score best are shown; name others to see them."
        )
    return lines


def sentence(c: HierarchicalComparison) -> str:
    """Return the verdict on one metric, with the corpus that it is about and the observed difference."""
    observed = "Observed difference:"
    if c.estimate == "posterior median":
        observed = "The difference is the posterior median, as a mean may not exist; observed"
    digits = decimals(c.estimates.difference)
    gap = points(c.observed_gap, digits, sign=True, percent=c.definition.percent)
    return printable(f"On {c.scope}: {verdict_sentence(c)} {observed} {gap}. {c.caution}".rstrip())


def methods(res: HierarchicalComparisons) -> str:
    """Return how models were compared on several corpora."""
    c = res.headline
    how = f"{compared(res)} by a hierarchical model fitted with {PACKAGE}. It was a {c.settings.model}."
    level = f"Intervals are {100 * c.prob:.4g} % equal-tailed credible intervals."
    return printable(" ".join((how, f"The probabilities concern {c.scope}.", level, *c.notes)))
