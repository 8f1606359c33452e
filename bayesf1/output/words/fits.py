"""The words of a fit of several corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import capitalised, joined, printable
from bayesf1.output.words.citations import PACKAGE
from bayesf1.output.words.comparison import compared, sentence as verdict_sentence
from bayesf1.output.words.numbers import amount, digits_of, points

if TYPE_CHECKING:
    from bayesf1.corpora.fit import HierarchicalComparison, HierarchicalFit
    from bayesf1.inference.comparison import Comparisons


def assumptions(fit: HierarchicalFit) -> str:
    """Say what was assumed, and how it was computed."""
    start = start_in_words(fit.start)
    model = _scores_model(fit) if fit.likelihood == "scores" else _multinomial_model(fit)
    medians = [fit.scope(question) for question in ("average", "new") if "median" in fit.estimate(question)]
    where = f", but posterior medians on {joined(medians)}, where a mean may not exist" if medians else ""
    estimates = f"scores and differences are posterior means{where}"
    return "; ".join(filter(None, (model, estimates, str(fit.diagnostics), start)))


def _scores_model(fit: HierarchicalFit) -> str:
    metric = fit.main_metric
    names = ("difficulty", "spread")
    medians = [float(fit.posterior[name].sel(measure=metric.name).median()) for name in names]
    apart = [amount(float(f"{value:.2g}"), percent=metric.percent) for value in medians]
    scale = " and ".join(amount(getattr(fit.prior, name), percent=metric.percent) for name in names)
    return (
        f"random-effects model of the scores, {fit.within}: {fit.nouns} differ in {metric.label} by about "
        f"{apart[0]} for all models alike, and in the difference of two models by about {apart[1]} (standard deviations, "
        f"posterior medians; half-t priors with {fit.prior.tails:g} degree{'s' * (fit.prior.tails != 1)} of freedom "
        f"and scale {scale})"
    )


def _multinomial_model(fit: HierarchicalFit) -> str:
    kappa = np.exp(np.median(fit.posterior["log_kappa"].values, axis=(0, 1)))
    pairs = zip(fit.models, kappa, strict=True)
    alike = joined(f"{float(f'{value:.2g}'):,.0f} of {name}" for name, value in pairs)
    made = fit.posterior.attrs.get("made_with", "PyMC")
    return (
        f"Dirichlet-multinomial model in {made}, {fit.within}, effects of a {fit.noun} on one model unrelated to those on "
        f'another (likelihood="scores" shares them): concentration κ about {alike} (posterior medians; log-normal prior with '
        f"median {fit.prior.kappa:g} and standard deviation {fit.prior.log_kappa_sd:g} of the logarithm)"
    )


def few_corpora(fit: HierarchicalFit) -> list[str]:
    """Say if there are too few corpora to know how much they differ."""
    rest = f"the answers for the average {fit.noun} and a new one rest on the prior"
    words = f"{fit.number} are too few to show how much {fit.nouns} differ, so {rest}."
    return [words] if len(fit.datasets) < 3 else []


def notes(fit: HierarchicalFit) -> list[str]:
    """Return what should be known of the data."""
    again = "though their training sets, or test items, overlap; compare() allows for that"
    folds = [f"Folds are taken as separate test sets, {again}."] if fit.noun == "fold" else []
    return [*([f"{capitalised(fit.note)}."] if fit.note else []), *few_corpora(fit), *folds]


def sentence(c: HierarchicalComparison) -> str:
    """Return the verdict on one metric, of which corpus it speaks, and the observed difference."""
    observed = "Observed difference:"
    if c.estimate == "posterior median":
        observed = "The difference is the posterior median, as a mean may not exist; observed"
    percent = c.definition.percent
    digits = digits_of(*c.intervals[2], percent=percent)
    gap = points(c.observed_gap, digits, sign=True, percent=percent)
    return printable(f"On {c.scope}: {verdict_sentence(c)} {observed} {gap}. {c.caution}".rstrip())


def methods(res: Comparisons) -> str:
    """Return how models were compared on several corpora."""
    c: Any = res.headline
    how = f"{compared(res)} by a hierarchical model fitted with {PACKAGE}. It was a {c.settings.model}."
    level = f"Intervals are {100 * c.prob:.4g} % equal-tailed credible intervals."
    return printable(" ".join((how, f"The probabilities concern {c.scope}.", level, *c.notes)))
