"""The Bayes test: is model B better than model A, how sure are we, and by how much?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng, start_of
from bayesf1.base.naming import check_known
from bayesf1.distributions.base import Posterior
from bayesf1.distributions.empirical import Undefined
from bayesf1.evaluation import Evaluation, resolve_metrics
from bayesf1.inference.comparison import (
    Algorithm,
    Comparison,
    Comparisons,
    Rope,
    RopeLike,
    Settings,
    check_rope,
)
from bayesf1.inference.control_variate import LinearControl
from bayesf1.inference.posterior import Posteriors, ScorePosterior, shows_spread
from bayesf1.inference.tails import UNKNOWN_TAILS, DrawCounts, Tails
from bayesf1.inference.variance import generation_share, variance_by_source
from bayesf1.metrics import Metric, MetricLike
from bayesf1.sampling.model import SamplingModel, Target, sampling_model

ALGORITHMS = ("auto", "exact", "montecarlo")
# Draws are enough once the standard error of P(H1) is below this, half a unit of its third decimal.
_ENOUGH_ERROR = 5e-4
# The number of draws in the first round.
_FIRST_DRAWS = 20_000
# The most draws of models that share units, and of independent models.
_MOST_DRAWS_SHARED = 100_000
_MOST_DRAWS_INDEPENDENT = 1_000_000
# Drawing a metric to first order changed probabilities by at most this over the square root of the effective number of
# units, in trials with 100 to 20,000 units.
_LINEARISATION_ERROR = 0.3


def compare(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    rope: RopeLike = 0.0,
    prior: float | None = None,
    prob: float = 0.95,
    method: str = "auto",
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
) -> Comparisons:
    r"""Test whether model B is better than model A.

    For independent models with closed-form posteriors the answer is exact by one-dimensional quadrature,

    .. math:: P(\nu_B - \nu_A > d) = \int f_A(t)\, P(\nu_B > t + d)\, dt.

    Models that share items or clusters are compared by draws from their joint posterior.

    Parameters
    ----------
    ev
        The evaluation.
    a, b
        Names of the models; may be left out if there are exactly two.
    metrics
        Names of metrics, or callables on tables (..., cell); precision, recall and F1 by default.
    rope
        The region of practical equivalence: its half-width, or a pair (low, high) of how much better B may be than A,
        such as ``(-0.005, 0.01)``. ``-low`` is the margin of `Comparison.p_not_worse`.
    prior
        The concentration of the Dirichlet prior on each model's cells: ½ by default, Jeffreys'; 1 is the uniform prior of
        Wang & Li (2019), and the default for folds.
    prob
        The probability of the intervals that are printed.
    method
        ``"exact"``, ``"montecarlo"`` as in Algorithm 1 of the paper, or ``"auto"``: exact if there is a closed form.
    assumption
        ``"auto"`` takes the strongest assumption that the data support: ``"clustered"`` if units are sentences or
        documents, ``"paired"`` if they are items, ``"independent"`` if only totals are known. ``"fixed"`` asks about
        these very items, and only their generations are a sample.
    target
        What the claim is about: ``"models"``, these very trained models; ``"method"``, the way of training them on as
        many items as there were, estimated from several runs or from the folds of a cross-validation. ``"auto"`` takes
        the method if there are runs, and the models otherwise, with the other answer in the notes. With several data sets
        the claim is about ``"corpora"``, the average over the population of data sets from which these were sampled.
    n_draws
        The number of draws, if draws are made; by default 20,000, and more until the standard error of P(H1) is below
        0.0005, at most 100,000 (1,000,000 of independent models), and as few as 2,000 if there are many units.
    rng
        Source of randomness: a Generator or an integer, 0 by default, so that two runs print the same.

    Returns
    -------
    Comparisons
        A mapping from the metrics' names, in order, to `Comparison` objects.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> res = compare(from_counts(A=(77, 44, 10), B=(83, 9, 14)), rope=0.02, prior=1)
    >>> round(res["f1"].p_h1, 8), round(res["f1"].p_rope, 8)
    (0.99918985, 0.00336289)
    >>> res["f1"].decision
    'accept H1'

    References
    ----------
    Wang & Li (2019), ACL, Algorithm 1; its line 17 has the hypotheses the wrong way round.
    """
    ev = ev.pair(a, b)
    metrics = resolve_metrics(metrics, ev)
    check_known(method, "method", ALGORITHMS)
    sampling = sampling_model(ev, assumption, target, prior)
    asked = ComparisonOptions.of(metrics, rope=rope, prob=prob, method=method, n_draws=n_draws, rng=rng)
    comparisons = compare_by(sampling, metrics, asked)
    if ev.folds is not None and not ev.task.final:
        other_target: Target = "models" if sampling.target == "method" else "method"
        # The other target may have no closed form, so it is not held to the method that was asked for.
        others = compare_by(replace(sampling, target=other_target), metrics, replace(asked, method="auto"))
        comparisons = [replace(c, other_target=other) for c, other in zip(comparisons, others, strict=True)]
    return Comparisons(comparisons)


@dataclass(frozen=True)
class ComparisonOptions:
    """What was asked of a comparison, checked.

    Attributes
    ----------
    rope, prob, method, n_draws
        As in `compare`.
    seed
        The seed of the draws.
    rng
        The seed that was given, for the signature; None if a Generator was given.
    """

    rope: Rope
    prob: float
    method: str
    n_draws: int | None
    seed: int
    rng: int | None

    @classmethod
    def of(
        cls,
        metrics: Sequence[Metric],
        *,
        rope: RopeLike,
        prob: float,
        method: str,
        n_draws: int | None,
        rng: RNGLike,
    ) -> ComparisonOptions:
        """Return the options, or raise a ValueError that names the invalid one."""
        if n_draws is not None:
            n_draws = check_draws(n_draws)
        return cls(
            rope=check_rope(rope, *metrics),
            prob=check_prob(prob),
            method=method,
            n_draws=n_draws,
            seed=int(check_rng(rng).integers(1 << 63)),
            rng=start_of(rng),
        )


class Computation(NamedTuple):
    """How probabilities were computed: by which algorithm, from how many draws, and with which standard error of P(H1)."""

    method: Algorithm
    n_draws: int
    mcse: float


QUADRATURE = Computation(method="exact", n_draws=0, mcse=0.0)


def compare_by(sampling: SamplingModel, metrics: list[Metric], asked: ComparisonOptions) -> list[Comparison]:
    """Return a comparison by each metric: exact if the difference has a closed form, else by draws."""
    comparisons: dict[str, Comparison] = {}
    for metric in metrics:
        exact = None if asked.method == "montecarlo" else ScorePosterior(sampling, metric).exact_pair
        if exact is not None:
            tails = Tails.from_difference(exact.difference, metric, asked.rope)
            comparisons[metric.name] = comparison_of(sampling, metric, asked, tails, exact, QUADRATURE)
    drawn = [metric for metric in metrics if metric.name not in comparisons]
    if drawn and asked.method == "exact":
        subject = f"{sampling.assumption} models" if sampling.shared else drawn[0].name
        raise ValueError(
            f"{subject} cannot be compared by method 'exact', without draws; use 'auto' or 'montecarlo'"
        )
    if drawn:
        for c in _compare_by_draws(sampling, drawn, asked):
            comparisons[c.metric] = c
    return [comparisons[metric.name] for metric in metrics]


def _compare_by_draws(
    sampling: SamplingModel, metrics: list[Metric], asked: ComparisonOptions
) -> list[Comparison]:
    """Return comparisons by draws from the joint posterior.

    The models are drawn in the order of their names, so that swapping them swaps the answer and nothing else.
    """
    ordered = replace(sampling, ev=sampling.ev.select(sorted(sampling.ev.names)))
    swapped = ordered.ev.names != sampling.ev.names
    counts_by_metric = []
    for metric in metrics:
        control = None if asked.method == "montecarlo" else LinearControl.of(ordered, metric)
        counts_by_metric.append(DrawCounts(metric, asked.rope, control, swapped=swapped))
    _count_draws(ordered, counts_by_metric, asked)
    return [_comparison_of_counts(sampling, counts, asked) for counts in counts_by_metric]


def _count_draws(
    sampling: SamplingModel, counts_by_metric: list[DrawCounts], asked: ComparisonOptions
) -> None:
    """Count as many draws as were asked for, or until the standard error of each P(H1) is small enough."""
    metrics = [counts.metric for counts in counts_by_metric]
    controls = {
        counts.metric.name: counts.control for counts in counts_by_metric if counts.control is not None
    }
    most = asked.n_draws
    if most is None:
        ceiling = _MOST_DRAWS_SHARED if sampling.shared else _MOST_DRAWS_INDEPENDENT
        most = sampling.n_draws(metrics, ceiling)
    in_rounds = asked.n_draws is None and asked.method != "montecarlo"
    rng = np.random.default_rng(asked.seed)
    n_drawn = 0
    n_wanted = min(most, _FIRST_DRAWS) if in_rounds else most
    while n_drawn < n_wanted:
        blocks = sampling.score_blocks(metrics, n_draws=n_wanted - n_drawn, rng=rng, controls=controls)
        for block in blocks:
            for counts, scores in zip(counts_by_metric, block.scores, strict=True):
                counts.add(scores, block.controls.get(counts.metric.name))
        n_drawn = n_wanted
        # The error falls with the root of the number of draws; a tenth more are made, as it is itself an estimate. The loop
        # ends once no more are wanted.
        largest_error = max(counts.tails().mcse for counts in counts_by_metric)
        n_wanted = min(most, int(1.1 * n_drawn * (largest_error / _ENOUGH_ERROR) ** 2))


def _comparison_of_counts(
    sampling: SamplingModel, counts: DrawCounts, asked: ComparisonOptions
) -> Comparison:
    """Return the comparison by one metric, from its counted draws."""
    ev = sampling.ev
    metric = counts.metric
    tails, mcse = counts.tails()
    if sampling.linearises(metric):
        n_effective = sampling.effective_sample(metric).units
        mcse = max(mcse, _LINEARISATION_ERROR / math.sqrt(n_effective))
    if ev.alike:
        tails = tails.if_alike(asked.rope)
    scores = counts.scores
    posteriors = ScorePosterior(sampling, metric, scores).pair(scores[:, 1] - scores[:, 0])
    computation = Computation(method="montecarlo", n_draws=counts.n, mcse=mcse)
    return comparison_of(sampling, metric, asked, tails, posteriors, computation)


def comparison_of(
    sampling: SamplingModel,
    metric: Metric,
    asked: ComparisonOptions,
    tails: Tails,
    posteriors: Posteriors,
    computation: Computation,
    *,
    shrunk_difference: float | None = None,
) -> Comparison:
    """Return a comparison from its probabilities and posteriors; a shrunk difference takes the place of the plain one."""
    ev = sampling.ev
    alike = ev.alike
    score_a, score_b = sampling.plain(metric).tolist()
    # NaN if a score is undefined.
    difference = score_b - score_a
    if shrunk_difference is not None and not math.isnan(difference):
        difference = shrunk_difference
    further_parts: tuple[tuple[str, str], ...] = ()
    if asked.method == "montecarlo":
        # The signature says that draws were made without the control variate.
        further_parts = (("control", "none"),)
    settings = Settings.of(
        sampling,
        metric,
        prob=asked.prob,
        rope=asked.rope,
        method=computation.method,
        n_draws=computation.n_draws,
        rng=asked.rng,
        signed=further_parts,
    )

    def unless_unknown(post: Posterior, value: float) -> Posterior:
        """Return the posterior, or `Undefined` if it is only the prior, or if too few units show no spread."""
        # Models that did the same on every unit are compared even then: neither is better.
        if math.isnan(value) or not (alike or shows_spread(settings, post)):
            return Undefined()
        return post

    posteriors = Posteriors(
        a=unless_unknown(posteriors.a, score_a),
        b=unless_unknown(posteriors.b, score_b),
        difference=unless_unknown(posteriors.difference, difference),
    )
    difference_known = not isinstance(posteriors.difference, Undefined)
    mcse = computation.mcse
    if not difference_known:
        tails = UNKNOWN_TAILS
        mcse = 0.0
    gold_positives = _gold_positives(sampling)
    # Equal numbers of gold positives suggest that the totals come from one test set, but totals do not pair its items.
    same_gold = gold_positives is not None and gold_positives[0] == gold_positives[1]
    return Comparison(
        definition=metric,
        model_a=ev.names[0],
        model_b=ev.names[1],
        estimates=posteriors.estimates(metric, (score_a, score_b, difference), asked.prob),
        **tails._asdict(),
        moments=posteriors.moments,
        posterior_a=posteriors.a,
        posterior_b=posteriors.b,
        difference=posteriors.difference,
        mcse=mcse,
        settings=settings,
        sampling=sampling,
        alike=alike,
        variance=variance_by_source(sampling, metric),
        generations=generation_share(sampling, metric),
        # The correlation of A is the same with the opposite sign.
        size_correlation=float(sampling.size_correlations(metric)[-1]),
        gold_positives=gold_positives,
        pairing_unknown=same_gold and difference_known,
        remarks=(*ev.notes, *ev.task.notes_on(sampling, metric)),
    )


def _gold_positives(sampling: SamplingModel) -> tuple[float, float] | None:
    """Return how many gold positives the totals of A and B have; None if positives are not counted, or units are known."""
    ev = sampling.ev
    if ev.folds is not None or sampling.shared or ev.methods:
        return None
    # With several classes, no single number of positives tells test sets apart.
    counts = None if ev.classes else ev.task.gold_counts(ev.tables)
    if counts is None:
        return None
    # Axes (model, label); the first label is the positive one.
    count_a, count_b = counts[:, 0].tolist()
    return count_a, count_b
