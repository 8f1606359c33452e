"""The words of a fit of several corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import capitalised, joined, printable
from bayesf1.output.words.citations import PACKAGE
from bayesf1.output.words.comparison import sentence as verdict_sentence
from bayesf1.output.words.methods import compared
from bayesf1.output.words.numbers import amount, credible_intervals, digits_of, points
from bayesf1.output.words.sampled import sampled

if TYPE_CHECKING:
    from bayesf1.corpora.comparison import HierarchicalComparison, HierarchicalComparisons
    from bayesf1.corpora.fit import HierarchicalFit


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


def assumptions(fit: HierarchicalFit) -> str:
    """Say what was assumed, and how it was computed."""
    medians = [fit.scope(question) for question in ("average", "new") if fit.uses_median(question)]
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
        f"Dirichlet-multinomial model in {fit.concentrations.made_with}, {fit.within}, effects of a {fit.noun} on one model "
        f'unrelated to those on another (likelihood="scores" shares them): concentration κ about {alike} (posterior '
        f"medians; log-normal prior with median {prior.kappa:g} and standard deviation {prior.log_kappa_sd:g} of the "
        "logarithm)"
    )


def _two_digits(value: float) -> float:
    """Return a number rounded to two significant digits."""
    return float(f"{value:.2g}")


def few_corpora(fit: HierarchicalFit) -> list[str]:
    """Say if there are too few corpora to know how much they differ."""
    if len(fit.datasets) >= 3:
        return []
    rest = f"the answers for the average {fit.noun} and a new one rest on the prior"
    return [f"{fit.number} are too few to show how much {fit.nouns} differ, so {rest}."]


def notes(fit: HierarchicalFit) -> list[str]:
    """Return what should be known of the data."""
    found = [*fit.remarks]
    if fit.note:
        found.append(f"{capitalised(fit.note)}.")
    found += few_corpora(fit)
    if fit.noun == "fold":
        again = "though their training sets, or test items, overlap; compare() allows for that"
        found.append(f"Folds are taken as separate test sets, {again}.")
    return found


def sentence(c: HierarchicalComparison) -> str:
    """Return the verdict on one metric, of which corpus it speaks, and the observed difference."""
    observed = "Observed difference:"
    if c.estimate == "posterior median":
        observed = "The difference is the posterior median, as a mean may not exist; observed"
    percent = c.definition.percent
    digits = digits_of(c.estimates.difference.low, c.estimates.difference.high, percent=percent)
    gap = points(c.observed_gap, digits, sign=True, percent=percent)
    return printable(f"On {c.scope}: {verdict_sentence(c)} {observed} {gap}. {c.caution}".rstrip())


def methods(res: HierarchicalComparisons) -> str:
    """Return how models were compared on several corpora."""
    c = res.headline
    how = f"{compared(res)} by a hierarchical model fitted with {PACKAGE}. It was a {c.settings.model}."
    level = f"Intervals are {100 * c.prob:.4g} % equal-tailed credible intervals."
    return printable(" ".join((how, f"The probabilities concern {c.scope}.", level, *c.notes)))
