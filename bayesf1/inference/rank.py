"""Rankings: which of several models is the best, and which models cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesf1.base.arrays import AnyArray, BoolArray, FloatArray, IntArray, finite, slices_of
from bayesf1.base.checks import RNGLike, check_prob, check_rng, start_of
from bayesf1.distributions.base import Posterior
from bayesf1.evaluation import Evaluation, headline, resolve_metric, resolve_metrics
from bayesf1.inference.compare import ComparisonOptions, compare_by
from bayesf1.inference.comparison import Comparison, RopeLike, Settings, check_rope, claim_threshold
from bayesf1.inference.joint_claims import claims_of_pair, joint_claims
from bayesf1.inference.posterior import ScorePosterior, check_spread, number_of_draws, varies
from bayesf1.inference.variance import GenerationShare, generation_share
from bayesf1.metrics import Metric, MetricLike
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import ranking as words
from bayesf1.output.words.notes import ranking_notes
from bayesf1.output.words.prose import formatted
from bayesf1.output.words.signature import signature_of, signed_metric
from bayesf1.sampling.model import sampling_model

_DRAWS = 50_000
_FEWEST_DRAWS = 1_000
# Every pair of models is compared in every draw: this many comparisons take about half a second.
_COMPARISONS = 100_000_000
_NUMBERS = ("score", "mean", "low", "high", "p_first", "expected_rank", "rank_low", "rank_high")
_COLUMNS = (*_NUMBERS, "tied", "equivalent")


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Answer):
    """The ranking of several models, in the order of their mean scores.

    Attributes
    ----------
    models
        Names of the models, the best first.
    metric
        The metric.
    score, mean, low, high
        The plain score of each model, and the mean and interval of its posterior; NaN if the score is undefined.
    p_first, expected_rank
        The share of draws in which a model is the first, and the mean of its rank. Among models that are nearly equal,
        the leader's share is too large: nothing is claimed from it. A model whose score is undefined comes last, beats no
        model and is beaten by none; its probabilities are NaN.
    p_rank
        The share of draws in which a model has each rank, axes (model, rank).
    rank_low, rank_high
        The interval of each model's rank: one more than the number of models that beat it, and the number of models that
        it does not beat, in comparisons with all others at once.
    p_beats
        The probability that the row is better than the column by more than the region, axes (model, opponent).
    equivalent
        Whether a model is within the region of the first with probability `prob`.
    tied
        Whether a model may be the best: no other beats it in comparisons with all others at once.
    jointly, p_jointly
        Who beats whom when all pairs are compared at once, axes (model, opponent), and the probability that all of these
        claims hold.
    p_order
        The probability of the whole ranking: no model beats one before it by more than the region.
    settings
        What was asked, and what was done.
    remarks
        What a reader should know about the data, in sentences.
    generations
        The part of the variance that comes from generations of the same items; None unless there are several of an item.
    """

    models: tuple[str, ...]
    metric: Metric
    score: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    p_first: FloatArray
    expected_rank: FloatArray
    p_rank: FloatArray
    p_beats: FloatArray
    equivalent: BoolArray
    tied: BoolArray
    rank_low: IntArray
    rank_high: IntArray
    jointly: BoolArray
    p_jointly: float
    p_order: float
    settings: Settings
    remarks: tuple[str, ...] = ()
    generations: GenerationShare | None = None

    json_format = "bayesf1.rank/3"
    index_names = ("model",)

    @property
    def label(self) -> str:
        """The name of the metric in print."""
        return self.metric.label

    @property
    def threshold(self) -> float:
        """The probability from which the first is called better than another."""
        return claim_threshold(self.settings.prob)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Runs of neighbours in the ranking: each model with all later ones that it does not beat in `jointly`.

        A model may be in several groups. Two models that share no group differ; two that share one may still differ.
        """
        # A group goes from a model to the last one that it does not beat, or as far as the group before it. The last True
        # of a row is the first from the right.
        not_beaten = np.triu(~self.jointly)
        ends = len(self.models) - not_beaten[:, ::-1].argmax(axis=1)
        ends = np.maximum.accumulate(ends)
        return tuple(self.models[i:end] for i, end in enumerate(ends) if i == 0 or end > ends[i - 1])

    @property
    def title(self) -> str:
        """How many models there are, and what they are ranked by."""
        return words.title(self)

    @property
    def table(self) -> Table:
        """The ranking as a table."""
        return words.table(self)

    @property
    def verdicts(self) -> Sequence[str]:
        """The verdict."""
        return (self.sentence(),)

    @property
    def explained(self) -> Sequence[str]:
        """What the verdict's words mean, and what limits the conclusion."""
        return [*words.legend(self), *self.notes]

    @property
    def more(self) -> Sequence[str]:
        """What `details` adds: claims about all models together, and how they were computed."""
        return [self.joint_sentence(), self.methods_sentence()]

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences."""
        percent = self.metric.percent
        return (*ranking_notes(self.settings, self.generations, percent=percent), *self.remarks)

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each model."""
        columns = [_plain(getattr(self, name)) for name in _COLUMNS]
        rows = zip(self.models, *columns, strict=True)
        return [dict(zip(("model", *_COLUMNS), row, strict=True)) for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        models = []
        for i, record in enumerate(self.records()):
            beats = dict(zip(self.models, _plain(self.p_beats[i]), strict=True))
            del beats[self.models[i]]
            jointly = [name for name, beaten in zip(self.models, self.jointly[i], strict=True) if beaten]
            record |= {"p_rank": _plain(self.p_rank[i]), "p_beats": beats, "beats_jointly": jointly}
            models.append(record)
        s = self.settings
        return {
            "metric": self.metric.name,
            "rope": s.rope.given,
            **{name: getattr(s, name) for name in ("prior", "prob", "assumption", "n_draws")},
            **{name: getattr(self, name) for name in ("threshold", "p_jointly", "p_order")},
            "target": s.target,
            "generations": None if self.generations is None else self.generations.to_dict(),
            "groups": [list(group) for group in self.groups],
            "models": models,
            "sentence": self.sentence(),
            "joint_sentence": self.joint_sentence(),
            "notes": list(self.notes),
        }

    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict as a sentence, ``"text"`` or ``"latex"``; it says so if the ranking is not decisive."""
        return formatted(words.sentence(self), format)

    def joint_sentence(self, *, format: str = "text") -> str:
        """Return claims about all models at once: among which the best is, which beat which, and the whole order."""
        return formatted(words.joint_sentence(self), format)

    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the ranking was found, for a paper's section on methods, with the citation."""
        return formatted(words.methods(self), format)

    def signature(self) -> str:
        """Return what is needed to repeat the ranking, in one line."""
        return signature_of([self.settings], [signed_metric(self.metric)])


def rank(
    ev: Evaluation,
    metric: MetricLike | None = None,
    *,
    rope: RopeLike = 0.0,
    prior: float | None = None,
    prob: float = 0.95,
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
) -> Ranking:
    """Rank all models of an evaluation on one metric, from joint posterior draws.

    Parameters
    ----------
    ev
        The evaluation, of at least two models.
    metric
        Name of a metric, or a callable on tables (..., cell).
    rope
        The region of practical equivalence, as in `compare`: a model must be better by more than its upper end.
    prior
        λ of the Dirichlet prior on each model's cells.
    prob
        Mass of the intervals. A model may be the best (`tied`) if no other beats it, compared with all others at once,
        at the probability from which `compare` calls a model better: .975 if this is .95.
    assumption, target
        As in `compare`.
    n_draws
        Number of draws; by default 50,000, as few as 2,000 if there are many units, and as few as 1,000 if there are many
        models.
    rng
        Source of randomness, as in `compare`.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> ranking = rank(from_counts(A=(77, 44, 10), B=(83, 9, 14), C=(70, 30, 27)), rng=1)
    >>> ranking.models, ranking.tied.tolist()
    (('B', 'A', 'C'), [True, False, False])
    """
    metric = resolve_metric(metric, ev)
    if len(ev.names) < 2:
        raise ValueError(f"a ranking needs at least two models, and {ev.names[0]!r} is the only one")
    sampling = sampling_model(ev, assumption, target, prior)
    region = check_rope(rope, metric)
    prob = check_prob(prob)
    if n_draws is None:
        affordable = max(_COMPARISONS // len(ev.names) ** 2, _FEWEST_DRAWS)
        n_draws = sampling.n_draws([metric], min(_DRAWS, affordable))
    n_draws = number_of_draws(sampling, [metric], n_draws)
    (drawn,) = sampling.scores([metric], n_draws=n_draws, rng=check_rng(rng))
    # The draws of one model are next to each other in memory, as models are examined one after another.
    scores = np.asfortranarray(drawn)
    check_spread(sampling.settings(metric), scores, ev.names, metric.label)
    estimates = sampling.plain(metric)
    pair = None
    if len(ev.names) == 2 and region.symmetric and not np.isnan(estimates).any():
        # With two models there is one difference, and the ranking claims what `compare` does. An asymmetric region has
        # another margin for A over B, while a ranking asks the upper end of all models.
        options = ComparisonOptions.of([metric], rope=rope, prob=prob, method="auto", n_draws=None, rng=rng)
        (pair,) = compare_by(sampling, [metric], options)
    return ranking_of(
        scores,
        estimates,
        ev.names,
        metric,
        Settings.of(
            sampling, metric, method="montecarlo", n_draws=n_draws, rope=region, prob=prob, rng=start_of(rng)
        ),
        posteriors=ScorePosterior(sampling, metric).exact,
        pair=pair,
        remarks=(*ev.notes, *ev.task.notes_on(sampling, metric)),
        generations=generation_share(sampling, metric),
    )


def ranking_of(
    scores: FloatArray,
    estimates: FloatArray,
    names: Sequence[str],
    metric: Metric,
    settings: Settings,
    *,
    posteriors: Sequence[Posterior | None] = (),
    pair: Comparison | None = None,
    remarks: tuple[str, ...] = (),
    generations: GenerationShare | None = None,
) -> Ranking:
    """Return the ranking by joint draws of scores, axes (draw, model).

    Parameters
    ----------
    scores, estimates, names
        The draws, the scores that are printed, and the names of the models.
    metric
        The metric, whose direction ranks follow: a lower loss is better.
    settings
        What was asked, and what was done.
    posteriors
        The distribution of each model's score, if it is known: intervals then equal those of `compare` to the last digit.
    pair
        The comparison of the two models, if there are two; its probabilities take the place of counted ones.
    remarks, generations
        As in `Ranking`.
    """
    # A model with an undefined score, such as the precision of one that never says yes, comes last.
    undefined = np.isnan(estimates)
    least, most = metric.support
    if undefined.any():
        scores = scores.copy(order="K")
        scores[:, undefined] = most if metric.lower_is_better else least
    # Axes (model, draw). Means and intervals are clipped to the scale; ranks keep the order of draws beyond it.
    clipped = np.clip(scores.T, least, most)
    mean = clipped.mean(axis=1)
    low, high = _intervals(clipped, settings.prob, posteriors)
    unknown_spread = settings.hides_spread & ~varies(low, high)
    low, high = metric.interval_of(estimates, low, high)
    order = np.argsort(-metric.sign * mean, kind="stable")
    mean[undefined] = np.nan
    low[undefined | unknown_spread] = np.nan
    high[undefined | unknown_spread] = np.nan
    # Axes (model, draw) in the order of the ranking; higher is better.
    better = np.take(scores.T, order, axis=0)
    better *= metric.sign
    p_rank = _shares_of_ranks(better.T)
    p_beats = _shares_beaten(better, settings.rope.high)
    if pair is not None:
        first_is_b = names[order[0]] == pair.model_b
        p_first = pair.p_h1 if first_is_b else pair.p_h0
        p_rank = np.array([[p_first, 1.0 - p_first], [1.0 - p_first, p_first]])
        p_first_beats = pair.p_greater if first_is_b else pair.p_less
        p_second_beats = pair.p_less if first_is_b else pair.p_greater
        p_beats = np.array([[0.0, p_first_beats], [p_second_beats, 0.0]])
    if len(names) == 2:
        claims = claims_of_pair(p_beats, settings.prob)
    else:
        claims = joint_claims(better.T, settings.rope.high, settings.prob)
    last = undefined[order]
    for probabilities in (p_rank, p_beats, p_beats.T):
        probabilities[last] = np.nan
    claims = claims.without(last)
    return Ranking(
        models=tuple(names[i] for i in order),
        metric=metric,
        score=np.asarray(estimates)[order],
        mean=mean[order],
        low=low[order],
        high=high[order],
        p_first=p_rank[:, 0],
        expected_rank=p_rank @ np.arange(1, len(names) + 1),
        p_rank=p_rank,
        p_beats=p_beats,
        equivalent=_equivalent_to_first(better, settings),
        **claims._asdict(),
        settings=settings,
        remarks=remarks,
        generations=generations,
    )


def _intervals(
    scores: FloatArray, prob: float, posteriors: Sequence[Posterior | None]
) -> tuple[FloatArray, FloatArray]:
    """Return both ends of equal-tailed intervals of scores, axes (model, draw); exact ones if a posterior is known."""
    low, high = np.quantile(scores, [0.5 * (1.0 - prob), 0.5 * (1.0 + prob)], axis=1)
    for i, post in enumerate(posteriors):
        if post is not None:
            low[i], high[i] = post.interval(prob)
    return low, high


def _plain(values: AnyArray) -> list[Any]:
    """Return plain values for JSON, None for NaN."""
    return [finite(value) for value in values.tolist()]


def _shares_of_ranks(better: FloatArray) -> FloatArray:
    """Return how often each model (rows) has each rank (columns) in draws of scores, axes (draw, model).

    Models that did the same have the same score in every draw; they share their ranks.
    """
    n, k = better.shape
    counts = np.zeros(k * k, dtype=np.intp)
    for part in slices_of(n, k):
        # Who is first, second, ... in each draw.
        placed = np.argsort(np.negative(better[part], order="C"), axis=1, kind="stable")
        counts += np.bincount((placed * k + np.arange(k)).ravel(), minlength=k * k)
    means = better.mean(axis=0)
    same = np.equal.outer(means, means)
    shared = same / same.sum(axis=1)
    return np.asarray(shared @ (counts.reshape(k, k) / n))


def _shares_beaten(better: FloatArray, margin: float) -> FloatArray:
    """Return how often each model (rows) exceeds each (columns) by more than a margin in draws, axes (model, draw)."""
    raised = better + margin
    counts = [(one > raised).sum(axis=1, dtype=np.uint32) for one in better]
    return np.asarray(np.array(counts) / better.shape[1])


def _equivalent_to_first(better: FloatArray, settings: Settings) -> BoolArray:
    """Return which models are within the region of the first with the probability of the intervals."""
    rope = settings.rope
    if not rope:
        return np.zeros(len(better), dtype=bool)
    shares = []
    for one in better:
        gap = one - better[0]
        shares.append(np.mean((gap >= rope.low) & (gap <= rope.high)))
    return np.asarray(np.array(shares) >= settings.prob)


@dataclass(frozen=True, eq=False, repr=False)
class Scoreboard(Answer):
    """Every model's score in every metric, with intervals; the best is in bold if no other may be the best.

    Attributes
    ----------
    rankings
        The ranking of the models by each metric, by name, in order.
    main
        The metric by which rows are sorted.
    """

    json_format = "bayesf1.scoreboard/2"
    index_names = ("model", "metric")

    rankings: dict[str, Ranking]
    main: str

    @property
    def first(self) -> Ranking:
        """The ranking by the main metric; rows are in its order."""
        return self.rankings[self.main]

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, the best first."""
        return self.first.models

    @property
    def title(self) -> str:
        """What the table shows."""
        return words.scoreboard_title(self)

    @property
    def table(self) -> Table:
        """A row for each model, a column for each metric."""
        return words.scoreboard_table(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences."""
        return tuple(dict.fromkeys(note for ranking in self.rankings.values() for note in ranking.notes))

    @property
    def more(self) -> Sequence[str]:
        """What `details` adds: how the answer was computed."""
        return (self.methods_sentence(),)

    @property
    def verdicts(self) -> Sequence[str]:
        """The verdict."""
        return (self.sentence(),)

    @property
    def explained(self) -> Sequence[str]:
        """What limits the conclusion."""
        return [*words.scoreboard_legend(self), *self.notes]

    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict in the metric that rows are sorted by, ``"text"`` or ``"latex"``."""
        return self.first.sentence(format=format)

    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the models were ranked, for a paper's section on methods, with the citation."""
        return formatted(words.scoreboard_methods(self), format)

    def signature(self) -> str:
        """Return what is needed to repeat the table, in one line."""
        names = [signed_metric(ranking.metric) for ranking in self.rankings.values()]
        return signature_of([self.first.settings], names)

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each model and metric."""
        rows = [
            {"model": record.pop("model"), "metric": metric, **record}
            for metric, ranking in self.rankings.items()
            for record in ranking.records()
        ]
        return sorted(rows, key=lambda row: self.models.index(row["model"]))


def scoreboard(
    ev: Evaluation,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    prior: float | None = None,
    prob: float = 0.95,
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
) -> Scoreboard:
    """Return all models and metrics of an evaluation in one table, for a paper.

    Scores are plain, with equal-tailed intervals. The best by a metric is in bold if it is better than each of the
    others with the probability that `compare` asks for.

    Parameters
    ----------
    ev
        The evaluation, of at least two models.
    metrics
        Names of metrics, or callables on tables (..., cell); precision, recall and F1 by default.
    prior, prob, assumption, target, n_draws, rng
        As in `rank`.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> print(scoreboard(from_counts(A=(77, 44, 10), B=(83, 9, 14), C=(70, 30, 27))).table)
    Model  Precision (%)      Recall (%)         F1 (%)
    ─────  ─────────────────  ─────────────────  ─────────────────
    B      90.2 [82.9, 95.0]  85.6 [77.6, 91.5]  87.8 [81.9, 91.9]
    A      63.6 [54.8, 71.8]  88.5 [80.6, 93.9]  74.0 [66.7, 80.0]
    C      70.0 [60.5, 78.3]  72.2 [62.7, 80.3]  71.1 [63.2, 77.6]
    """
    metrics = resolve_metrics(metrics, ev)
    settings: Any = {"prior": prior, "prob": prob, "assumption": assumption, "target": target}
    # All metrics have the same draws: a Generator gives them one seed.
    start = int(rng.integers(1 << 31)) if isinstance(rng, np.random.Generator) else rng
    rankings = {metric.name: rank(ev, metric, n_draws=n_draws, rng=start, **settings) for metric in metrics}
    labels = {name: ranking.label for name, ranking in rankings.items()}
    return Scoreboard(rankings, headline(ev, labels))
