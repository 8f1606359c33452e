"""The Bayes test: is model B better than model A, how sure are we, and by how much?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng, start_of
from bayesf1.base.naming import check_known
from bayesf1.distributions.base import Posterior
from bayesf1.distributions.empirical import Undefined
from bayesf1.evaluation import Evaluation, resolve_metrics
from bayesf1.inference import comparison
from bayesf1.inference.comparison import Comparison, Comparisons, Rope, RopeLike
from bayesf1.inference.control_variate import LinearControl
from bayesf1.inference.posterior import KEPT_DRAWS, Posteriors, ScorePosterior, shows_spread
from bayesf1.metrics import Metric, MetricLike
from bayesf1.sampling.model import SamplingModel, Target, sampling_model

METHODS = ("auto", "exact", "montecarlo")
# Draws are enough if the standard error of a probability is below what is printed of it.
_ENOUGH = 5e-4
# Draws of the first round, and at the most.
_FIRST, _MOST_SHARED, _MOST = 20_000, 100_000, 1_000_000
# Of an area that is taken to first order, what is left out moved probabilities by at most this over the root of the effective
# number of units, of 100 to 20,000.
_LEFT_OUT = 0.3
# Draws that tell the part of the test items in the uncertainty about methods.
_PARTS = 1_000


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
        such as ``(-0.005, 0.01)``, of which ``-low`` is the margin of `Comparison.p_not_worse`.
    prior
        The concentration of the Dirichlet prior on each model's cells: ½ by default, Jeffreys'; 1 is the uniform prior of
        Wang & Li (2019), and the default of folds.
    prob
        The probability of the intervals that are printed.
    method
        ``"exact"``, ``"montecarlo"`` as in Algorithm 1 of the paper, or ``"auto"``: exact if there is a closed form.
    assumption
        ``"auto"`` takes the strongest that the data support: ``"clustered"`` if units are sentences or
        documents, ``"paired"`` if they are items, ``"independent"`` if only totals are known.
    target
        What the claim is about: ``"models"``, these very trained models; ``"method"``, the way of training them, as
        several runs or the folds of a cross-validation show it, on as many training items as there were. ``"auto"``
        takes the method if there are runs, and the models otherwise, with the other answer in the notes.
    n_draws
        The number of draws, if draws are made; by default 20,000, and more until the standard error of P(H1) is below
        0.0005, at most 100,000 (1,000,000 of independent models), and as few as 2,000 if units are many.
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
    check_known(method, "method", METHODS)
    sampling = sampling_model(ev, assumption, target, prior)
    options = Options.of(metrics, rope, prob, method, n_draws, rng)
    found = _compare_all(sampling, metrics, options)
    if ev.folds is not None and not ev.task.final:
        other: Target = "models" if sampling.target == "method" else "method"
        others = _compare_all(replace(sampling, target=other), metrics, replace(options, method="auto"))
        found = [replace(c, other_target=o) for c, o in zip(found, others, strict=True)]
    return Comparisons(found)


@dataclass(frozen=True)
class Options:
    """The options of a comparison, checked."""

    rope: Rope
    prob: float
    method: str
    n_draws: int | None
    seed: int
    start: int | None

    @classmethod
    def of(
        cls,
        metrics: Sequence[Metric],
        rope: RopeLike,
        prob: float,
        method: str,
        n_draws: int | None,
        rng: RNGLike,
    ) -> Options:
        """Return the options, or say which of them cannot be."""
        return cls(
            rope=comparison.check_rope(rope, *metrics),
            prob=check_prob(prob),
            method=method,
            n_draws=None if n_draws is None else check_draws(n_draws),
            seed=int(check_rng(rng).integers(1 << 63)),
            start=start_of(rng),
        )


class Tails(NamedTuple):
    """Probabilities of both hypotheses, and that B is worse or better by more than the region."""

    p_h0: float
    p_h1: float
    p_less: float
    p_greater: float

    @classmethod
    def of_better(cls, above: FloatArray, rope: Rope) -> Tails:
        """Return them from the probabilities that B is better by more than 0, and than the ends of the region."""
        zero, low, high = (float(min(max(p, 0.0), 1.0)) for p in above)
        return cls(1.0 - zero, zero, 1.0 - low, high) if rope else cls(1.0 - zero, zero, 1.0 - zero, zero)

    @classmethod
    def of_distribution(cls, difference: Posterior, metric: Metric, rope: Rope) -> Tails:
        """Return them from the distribution of B minus A."""
        region = rope.differences(metric)
        p_h1 = difference.sf(0.0)
        # What is small keeps its digits.
        p_less, p_greater = p_h0, _ = 1.0 - p_h1 if p_h1 < 0.999 else difference.cdf(0.0), p_h1
        if region:
            p_less, p_greater = difference.cdf(region.low), difference.sf(region.high)
        tails = cls(p_h0, p_h1, p_less, p_greater)
        return cls(p_h1, p_h0, p_greater, p_less) if metric.lower_is_better else tails

    @classmethod
    def of_draws(cls, gains: FloatArray, rope: Rope) -> tuple[Tails, float]:
        """Return them from draws of how much better B is than A, with the standard error of P(H1)."""
        n, margins = len(gains), (0.0, rope.low, rope.high)
        above = np.array([np.mean(gains > m) + 0.5 * np.mean(gains == m) for m in margins])
        return cls.of_better(above, rope), share_error(above[0] * n, n)


def share_error(successes: float, n: float) -> float:
    """Return the standard error of a share of draws."""
    # One success and one failure more, so that 0 of n does not claim an error of 0.
    share = (successes + 1.0) / (n + 2.0)
    return float(np.sqrt(share * (1.0 - share) / n))


def _compare_all(sampling: SamplingModel, metrics: list[Metric], options: Options) -> list[Comparison]:
    found: dict[str, Comparison] = {}
    if options.method != "montecarlo":
        for metric in metrics:
            if (exact := _without_draws(sampling, metric, options)) is not None:
                found[metric.name] = exact
    missing = [metric for metric in metrics if metric.name not in found]
    if missing and options.method == "exact":
        what = f"{sampling.assumption} models" if sampling.shared else missing[0].name
        raise ValueError(
            f"{what} cannot be compared by method 'exact', without draws; use 'auto' or 'montecarlo'"
        )
    if missing:
        found |= {c.metric: c for c in _by_draws(sampling, missing, options)}
    return [found[metric.name] for metric in metrics]


def _without_draws(sampling: SamplingModel, metric: Metric, options: Options) -> Comparison | None:
    """Return the comparison in closed form; None if only draws will do."""
    posteriors = ScorePosterior(sampling, metric).exact_pair
    if posteriors is None:
        return None
    tails = Tails.of_distribution(posteriors.difference, metric, options.rope)
    return comparison_of(sampling, metric, options, tails, posteriors)


def _by_draws(sampling: SamplingModel, metrics: list[Metric], options: Options) -> list[Comparison]:
    """Return comparisons by draws from the joint posterior.

    The models are drawn in the order of their names, so that swapping them swaps the answer and nothing else.
    """
    names = sampling.ev.names
    ordered = replace(sampling, ev=sampling.ev.select(sorted(names)))
    order = slice(None, None, 1 if ordered.ev.names == names else -1)
    controls: list[LinearControl | None] = [None] * len(metrics)
    if options.method != "montecarlo":
        controls = [LinearControl.of(ordered, metric) for metric in metrics]
    pairs = zip(metrics, controls, strict=True)
    counts = [_DrawCounts(metric, control, options.rope, order) for metric, control in pairs]
    n_draws = _draw(ordered, counts, options)
    return [_of_counts(sampling, of_metric, options, n_draws) for of_metric in counts]


def _draw(sampling: SamplingModel, counts: list[_DrawCounts], options: Options) -> int:
    """Count draws until the standard error of each P(H1) is small enough; return how many were made."""
    metrics = [one.metric for one in counts]
    controls = {one.metric.name: one.control for one in counts if one.control is not None}
    most = options.n_draws or sampling.n_draws(metrics, _MOST_SHARED if sampling.shared else _MOST)
    n = most if options.n_draws or options.method == "montecarlo" else min(most, _FIRST)
    rng, made = np.random.default_rng(options.seed), 0
    while made < n:
        blocks = sampling.score_blocks(metrics, n_draws=n - made, rng=rng, controls=controls)
        for block in blocks:
            for one, scores in zip(counts, block.scores, strict=True):
                one.add(scores, block.controls.get(one.metric.name))
        made = n
        wanted = 1.1 * made * max(one.tails()[1] / _ENOUGH for one in counts) ** 2
        n = made if options.n_draws else max(made, min(most, int(wanted)))
    return made


def _of_counts(sampling: SamplingModel, counts: _DrawCounts, options: Options, n_draws: int) -> Comparison:
    """Return the comparison that counted draws of one metric make."""
    ev, metric = sampling.ev, counts.metric
    tails, mcse = counts.tails()
    if metric.expand is not None and ev.units is not None and ev.units.many:
        mcse = max(mcse, _LEFT_OUT / float(np.sqrt(sampling.effective_sample(metric).units)))
    if ev.alike:
        # What is left is the noise of the draws.
        tails = tails._replace(p_h0=0.5, p_h1=0.5)
        if options.rope.symmetric:
            beyond = 0.5 * (tails.p_less + tails.p_greater)
            tails = tails._replace(p_less=beyond, p_greater=beyond)
    scores = np.concatenate(counts.kept)[:, counts.order]
    differences = scores[:, 1] - scores[:, 0]
    posteriors = ScorePosterior(sampling, metric, scores).pair(differences)
    return comparison_of(sampling, metric, options, tails, posteriors, mcse=mcse, n_draws=n_draws)


class _DrawCounts:
    """Draws of one metric, counted: how often B is better by more than 0, and than the ends of the region."""

    def __init__(self, metric: Metric, control: LinearControl | None, rope: Rope, order: slice) -> None:
        self.metric, self.control, self.rope, self.order = metric, control, rope, order
        self.kept: list[FloatArray] = []
        # Draws in all, those in which B is better by a margin, and those in which the control says so and B is not.
        self.n = 0
        self.better, self.controlled, self.against = np.zeros(3), np.zeros(3), np.zeros(3)
        # Of the later name minus the earlier one, and which way that favours B.
        self.sign = metric.sign * (1.0 if order.step == 1 else -1.0)
        self.margins = np.array([0.0, rope.low, rope.high])

    def add(self, scores: FloatArray, control: FloatArray | None) -> None:
        """Count a block of draws of both scores, axes (draw, model), in the order of the names."""
        gains = self.sign * (scores[:, 1] - scores[:, 0])[:, None]
        better = (gains > self.margins) + 0.5 * (gains == self.margins)
        self.better += better.sum(axis=0)
        if self.control is not None and control is not None:
            exceeds = self.control.exceed(control, self.sign, self.margins)
            self.controlled += exceeds.sum(axis=0)
            self.against += (better != exceeds).sum(axis=0)
        if self.n < KEPT_DRAWS:
            self.kept.append(scores)
        self.n += len(scores)

    def tails(self) -> tuple[Tails, float]:
        """Return the probabilities, and the standard error of P(H1)."""
        shares = self.better / self.n
        mcse = share_error(self.better[0], self.n)
        if self.control is not None and np.sqrt(self.against[0] + 1.0) / self.n < mcse:
            # What the control says is known, so that only draws that contradict it are left to chance.
            shares = shares - self.controlled / self.n + self.control.sf(self.sign, self.margins)
            mcse = float(np.sqrt(self.against[0] + 1.0) / self.n)
        return Tails.of_better(shares, self.rope), mcse


def comparison_of(
    sampling: SamplingModel,
    metric: Metric,
    options: Options,
    tails: Tails,
    posteriors: Posteriors,
    *,
    mcse: float = 0.0,
    n_draws: int = 0,
    gap: float | None = None,
) -> Comparison:
    """Return a comparison from its probabilities and posteriors; the difference is that of the scores, unless given."""
    ev = sampling.ev
    settings = comparison.Settings.of(
        sampling,
        metric,
        prob=options.prob,
        rope=options.rope,
        method="montecarlo" if mcse else "exact",
        n_draws=n_draws,
        rng=options.start,
        signed=(("control", "none"),) if mcse and options.method == "montecarlo" else (),
    )
    of_methods = bool(ev.methods) and sampling.target == "method"
    score_a, score_b = map(float, sampling.plain(metric))
    gap = score_b - score_a if gap is None else gap + 0.0 * (score_a + score_b)
    # What does not exist is not compared, as the answer would be the prior's alone; nor what shows no variation.
    scored = [*zip((score_a, score_b, gap), posteriors, strict=True)]
    known = [not np.isnan(score) and (ev.alike or shows_spread(settings, post)) for score, post in scored]
    posteriors = Posteriors(
        *(post if one else Undefined() for (_, post), one in zip(scored, known, strict=True))
    )
    if not known[2]:
        tails, mcse = Tails(*[np.nan] * 4), 0.0
    gold_positives = _gold_positives(sampling)
    return Comparison(
        definition=metric,
        model_a=ev.names[0],
        model_b=ev.names[1],
        estimates=posteriors.estimates(metric, (score_a, score_b, gap), options.prob),
        **tails._asdict(),
        moments=posteriors.moments,
        posterior_a=posteriors.a,
        posterior_b=posteriors.b,
        difference=posteriors.difference,
        mcse=mcse,
        settings=settings,
        ev=ev,
        alike=ev.alike,
        variance=_variance(sampling, metric) if of_methods else None,
        generations=_generation_share(sampling, metric),
        size_correlation=float(sampling.size_correlations(metric)[-1]),
        gold_positives=gold_positives,
        pairing_unknown=known[2] and gold_positives is not None and gold_positives[0] == gold_positives[1],
        remarks=(*ev.notes, *ev.task.notes_on(sampling, metric)),
    )


def _generation_share(sampling: SamplingModel, metric: Metric) -> comparison.GenerationShare | None:
    """Return which part of the variance of a difference comes from generations; None if each item has one."""
    known, ev = sampling.ev.generations, sampling.ev
    if known is None or known.most < 2 or ev.methods:
        return None

    def gap(tables: FloatArray) -> FloatArray:
        scores = metric(tables, ev.cells)
        return np.asarray(scores[..., 1] - scores[..., 0])

    units, pair = ev.units, metric.expansion(ev.tables, ev.cells)
    assert units is not None
    if pair is None:
        slopes = sampling.samples.gradient(gap)
    else:
        # Of a ratio slopes are known, however many cells there are.
        above, below = pair
        parts = above - metric(ev.tables, ev.cells)[:, None] * below
        wholes = (below * ev.tables).sum(axis=1, keepdims=True)
        slopes = (
            np.array([[-1.0], [1.0]])
            * np.divide(parts, wholes, out=np.zeros(parts.shape), where=wholes > 0.0)
        ).ravel()
    change = np.asarray(units.rows @ slopes)
    total = float(units.weights @ np.square(change - units.weights @ change / units.size))
    share = known.variance(slopes) / total if total else 0.0
    return comparison.GenerationShare(float(min(share, 1.0)), known.noun)


def _gold_positives(sampling: SamplingModel) -> tuple[float, float] | None:
    """Return how many gold positives the totals of A and B have; None if they are not counted, or more is known."""
    ev = sampling.ev
    if ev.folds is not None or sampling.shared or ev.methods:
        return None
    counts = ev.task.gold_positives(ev.tables)
    return None if counts is None else (float(counts[0]), float(counts[1]))


def _variance(sampling: SamplingModel, metric: Metric) -> comparison.Variance:
    """Return how much of the uncertainty about two methods comes from training, and how much from the test items."""
    rng = np.random.default_rng(0)
    (known,) = sampling.training([metric], rng=rng)
    models = replace(sampling, target="models")
    (scores,) = models.scores([metric], n_draws=_PARTS, rng=rng)
    differences = scores[:, 1] - scores[:, 0]
    # Of inflated draws the variance may be without bounds.
    low, high = np.quantile(differences, [0.158655, 0.841345])
    training = float((np.square(known.medians) / known.runs).sum())
    return comparison.Variance(training, float(0.25 * (high - low) ** 2), *map(float, known.medians))
