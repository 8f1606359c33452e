"""The random-effects model of the scores of several corpora: any metric of any task, and no Markov chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing, plural
from bayesf1.corpora.model import (
    Diagnostics,
    FitOptions,
    FittedModel,
    GivenCorpora,
    ObservedScores,
    by_question,
    coords_of,
)
from bayesf1.distributions.random_effects import RandomEffects, moved_into, robust_covariance
from bayesf1.evaluation import Evaluation, defined_scores, headline, resolve_metrics
from bayesf1.inference.posterior import check_spread
from bayesf1.metrics import Metric
from bayesf1.output.arviz import Variables, dataset
from bayesf1.output.words.sampled import few_units
from bayesf1.sampling.data_sets import ScoreEstimates, estimates_of
from bayesf1.sampling.model import SamplingModel, sampling_model
from bayesf1.units import Assumption

if TYPE_CHECKING:
    import xarray as xr

# The most and the fewest draws of the posterior of one corpus, from which its covariance is estimated.
_MOST_PILOT_DRAWS = 8_000
_LEAST_PILOT_DRAWS = 1_000
# The most such draws of all corpora together, and the most gamma variates that they may take.
_PILOT_DRAWS = 400_000
_PILOT_VARIATES = 40_000_000
# The most numbers in the draws of all corpora, models and metrics, if no number of draws is given.
_NUMBERS = 2_000_000
_DEPENDENCE = {
    "independent": "taken as independent",
    "paired": "paired on items",
    "clustered": "paired on {} as units",
}


def fit_scores(corpora: GivenCorpora, options: FitOptions) -> FittedModel:
    """Fit the random-effects model of scores; its draws are independent, and are merely stored as chains."""
    noun = corpora.noun
    prior = options.prior
    samplings = {
        name: sampling_model(ev, options.assumption, prior=prior.cells)
        for name, ev in corpora.evaluations.items()
    }
    resolved = {name: resolve_metrics(options.metrics, sampling.ev) for name, sampling in samplings.items()}
    metrics = _common_metrics(resolved, samplings)
    names = tuple(samplings)
    first = samplings[names[0]].ev
    plain = np.stack([_plain_scores(samplings[n].ev, resolved[n], f" on {noun} {n!r}") for n in names])
    main = headline(first, {metric.name: metric.label for metric in metrics})
    observed = ObservedScores.of(names, first.names, metrics, plain, main)
    are_final = all(sampling.ev.task.final for sampling in samplings.values())
    if are_final:
        estimates = [estimates_of([*samplings.values()], metric, options.rng) for metric in metrics]
    else:
        estimates = _drawn_estimates(samplings, resolved, noun, options.rng)

    draws = options.draws
    if draws is None:
        draws = int(np.clip(_NUMBERS // (options.chains * plain.size), 500, 5000))
    n_draws = options.chains * draws
    shares = options.shares(names)
    by_metric = []
    for k, (metric, (centres, covariances)) in enumerate(zip(metrics, estimates, strict=True)):
        # The scales of the prior are multiples of a unit: 1 for shares, else the largest score.
        unit = max(1.0, float(np.abs(plain[..., k]).max()))
        scales = (unit * prior.spread, unit * prior.difficulty)
        model = RandomEffects(centres, covariances, *scales, tails=prior.tails, own_mean=are_final)
        by_metric.append(_draw(model, metric, shares, n_draws, options.rng))
    return FittedModel(
        groups=_groups(by_metric, observed, options.chains),
        observed=observed,
        noun=noun,
        assumption=_assumption(samplings),
        within=f"models {_dependence(samplings)} within {plural(noun)}",
        diagnostics=Diagnostics("grid", n_draws, options.chains, n_draws),
        note=_note(noun, samplings, resolved),
        remarks=corpora.remarks,
        exact=_are_exact(samplings),
    )


# ---- the corpora ------------------------------------------------------------------------------------------


def _common_metrics(
    resolved: Mapping[str, Sequence[Metric]], samplings: Mapping[str, SamplingModel]
) -> list[Metric]:
    """Return the metrics, which must be the same on all corpora, on a scale that holds the scores of all."""
    labels = {name: list(map(_label_with_direction, metrics)) for name, metrics in resolved.items()}
    first_name, first = next(iter(labels.items()))
    for name, own in labels.items():
        if own != first:
            raise ValueError(
                f"the metrics of corpus {name!r} are {listing(own)}, but those of {first_name!r} are {listing(first)}; "
                "name those that all have"
            )
    bootstrapped = any(sampling.ev.task.bootstraps_items for sampling in samplings.values())
    metrics = []
    for same in zip(*resolved.values(), strict=True):
        low = min(metric.support[0] for metric in same)
        high = max(metric.support[1] for metric in same)
        percent = all(metric.percent for metric in same)
        if bootstrapped:
            # The observed scores do not limit the possible ones.
            low, high = _scale(low, percent=percent)
        metrics.append(replace(same[0], percent=percent, support=(low, high)))
    return metrics


def _label_with_direction(metric: Metric) -> str:
    return f"{metric.label}, lower is better" if metric.lower_is_better else metric.label


def _scale(low: float, *, percent: bool) -> tuple[float, float]:
    """Return the scale of scores whose lowest limit is `low`."""
    if percent:
        return 0.0, 1.0
    lowest = 0.0 if low >= 0.0 else -np.inf
    return lowest, np.inf


def _pilot_draws(samplings: Mapping[str, SamplingModel]) -> int:
    """Return how many draws of the posterior of each corpus are affordable."""
    n_patterns = 0
    for sampling in samplings.values():
        units = sampling.ev.units
        n_patterns += 1 if units is None else units.n_patterns
    affordable = min(_PILOT_VARIATES // n_patterns, _PILOT_DRAWS // len(samplings))
    return int(np.clip(affordable, _LEAST_PILOT_DRAWS, _MOST_PILOT_DRAWS))


def _plain_scores(ev: Evaluation, metrics: Sequence[Metric], where: str) -> FloatArray:
    """Return the plain scores on one corpus, axes (model, metric)."""
    scores = [ev.mean_scores(defined_scores(ev, metric, where)) for metric in metrics]
    return np.stack(scores, axis=-1)


def _drawn_estimates(
    samplings: Mapping[str, SamplingModel],
    resolved: Mapping[str, Sequence[Metric]],
    noun: str,
    rng: np.random.Generator,
) -> list[ScoreEstimates]:
    """Return for each metric the centre and covariance of the posterior on each corpus.

    A posterior is centred on its median, not on the plain score. A plain score near 1 comes with a small variance and a
    lower one with a larger variance, so the average of plain scores of many small corpora would be too high.
    """
    n_draws = _pilot_draws(samplings)
    centres = []
    covariances = []
    for name, sampling in samplings.items():
        metrics = resolved[name]
        # One array (draw, model) for each metric.
        drawn = sampling.scores(metrics, n_draws=n_draws, rng=rng)
        for metric, scores in zip(metrics, drawn, strict=True):
            where = f"{metric.label} on {noun} {name!r}"
            check_spread(sampling.settings(metric), scores, sampling.ev.names, where)
        centres.append([np.median(scores, axis=0) for scores in drawn])
        covariances.append([robust_covariance(scores) for scores in drawn])
    # Axes (corpus, metric, model), and (corpus, metric, model, model).
    all_centres = np.array(centres)
    all_covariances = np.array(covariances)
    n_metrics = all_centres.shape[1]
    return [ScoreEstimates(all_centres[:, k], all_covariances[:, k]) for k in range(n_metrics)]


# ---- draws ------------------------------------------------------------------------------------------------


class _MetricDraws(NamedTuple):
    """Draws of the scores by one metric, axes (draw, model, question), and of both spreads, axes (draw,)."""

    scores: FloatArray
    spread: FloatArray
    difficulty: FloatArray


def _draw(
    model: RandomEffects, metric: Metric, shares: FloatArray, n_draws: int, rng: np.random.Generator
) -> _MetricDraws:
    """Draw the scores that answer all questions; `shares` are those of the corpora in the suite."""
    effects = model.draw(n_draws, rng)
    # The suite is a weighted mean of the corpora as they are, without shrinkage.
    mean = shares @ model.scores
    covariance = np.tensordot(np.square(shares), model.covariances, axes=1)
    suite = rng.multivariate_normal(mean, covariance, n_draws, method="eigh")
    # One array (draw, model) for each question, in the order of the questions.
    by_corpus = np.moveaxis(effects.each, 1, 0)
    answers = [
        moved_into(scores, metric.support) for scores in (effects.average, effects.new, suite, *by_corpus)
    ]
    return _MetricDraws(np.stack(answers, axis=-1), effects.spread, effects.difficulty)


def _groups(
    by_metric: Sequence[_MetricDraws], observed: ObservedScores, chains: int
) -> dict[str, xr.Dataset]:
    """Return draws and observed scores by ArviZ's names of groups."""

    def chained(draws: FloatArray) -> FloatArray:
        """Return draws (draw, ...) as chains (chain, draw, ...)."""
        return draws.reshape(chains, -1, *draws.shape[1:])

    # Axes (draw, model, metric, question), and (draw, metric).
    scores = np.stack([drawn.scores for drawn in by_metric], axis=2)
    spread = np.stack([drawn.spread for drawn in by_metric], axis=-1)
    difficulty = np.stack([drawn.difficulty for drawn in by_metric], axis=-1)
    dims = ("chain", "draw", "measure")
    posterior: Variables = {
        **by_question(chained(scores)),
        "spread": (dims, chained(spread)),
        "difficulty": (dims, chained(difficulty)),
    }
    coords = coords_of(observed.models, [metric.name for metric in observed.metrics], observed.corpora)
    data: Variables = {"score": (("dataset", "system", "measure"), observed.values.copy())}
    return {"posterior": dataset(posterior, coords), "observed_data": dataset(data, coords)}


class ScoreSpreads(NamedTuple):
    """How much corpora differ in a metric: posterior medians of two standard deviations.

    Attributes
    ----------
    difficulty
        The standard deviation that the scores of all models share.
    difference
        The standard deviation of the difference of two models.
    """

    difficulty: float
    difference: float

    @classmethod
    def of(cls, posterior: xr.Dataset, metric: Metric) -> ScoreSpreads:
        """Return the spreads from their draws."""
        drawn = posterior.sel(measure=metric.name)
        return cls(float(drawn["difficulty"].median()), float(drawn["spread"].median()))


# ---- words ------------------------------------------------------------------------------------------------


def _assumption(samplings: Mapping[str, SamplingModel]) -> Assumption:
    """Return the assumption of all corpora; "independent" if they differ."""
    assumptions = {sampling.assumption for sampling in samplings.values()}
    return assumptions.pop() if len(assumptions) == 1 else "independent"


def _dependence(samplings: Mapping[str, SamplingModel]) -> str:
    """Write how models depend on each other within corpora, each way once."""
    ways = [
        _DEPENDENCE[sampling.assumption].format(plural(sampling.ev.unit)) for sampling in samplings.values()
    ]
    return " or ".join(dict.fromkeys(ways))


def _are_exact(samplings: Mapping[str, SamplingModel]) -> bool:
    """Return whether there is only one final score of each model on each corpus."""
    evaluations = [sampling.ev for sampling in samplings.values()]
    return all(ev.task.final and not ev.methods and ev.folds is None for ev in evaluations)


def _note(noun: str, samplings: Mapping[str, SamplingModel], resolved: Mapping[str, Sequence[Metric]]) -> str:
    """Write what limits the answers about the corpora at hand: final scores, or too few units; "" if neither does."""
    if _are_exact(samplings):
        return (
            f"there is one score of each model on each {noun}, which does not show how surely it is known, so scores on "
            f"these {plural(noun)} count as exact"
        )
    few = {name: few_units(samplings[name].settings(resolved[name][-1])) for name in samplings}
    cautions = {name: caution for name, caution in few.items() if caution}
    if not cautions:
        return ""
    first = next(iter(cautions.values()))
    return f"on {listing(list(cautions), most=5)}: {first.removesuffix('.')}"
