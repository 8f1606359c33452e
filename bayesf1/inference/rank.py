"""Rankings: which of several models is the best, and which cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import AnyArray, BoolArray, FloatArray, IntArray, finite, slices_of
from bayesf1.base.checks import RNGLike, check_prob, check_rng, start_of
from bayesf1.distributions.base import Posterior
from bayesf1.evaluation import Evaluation, headline, resolve_metric, resolve_metrics
from bayesf1.inference.comparison import RopeLike, Settings, check_rope, claim_threshold
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
# Every pair of models is compared in every draw: so many comparisons take about half a second.
_COMPARISONS = 100_000_000
_NUMBERS = ("score", "mean", "low", "high", "p_best", "expected_rank", "rank_low", "rank_high")
_COLUMNS = (*_NUMBERS, "tied", "equivalent", "among_best")


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
    p_best, expected_rank
        The probability that a model is the best, and the mean of its rank. One whose score is undefined comes last, beats
        none and is beaten by none; its probabilities are NaN.
    p_rank, rank_low, rank_high
        The probability of each rank, axes (model, rank), and the equal-tailed interval of each model's rank.
    p_beats
        The probability that the row is better than the column by more than the region, axes (model, opponent).
    tied
        Whether a model is the first, or belongs to `among_best`.
    equivalent
        Whether a model is within the region of the first with probability `prob`.
    among_best, p_among_best
        The smallest set of models with the best in it with a probability of the threshold or more, and its probability.
    jointly, p_jointly
        Who beats whom with that probability for all pairs together, axes (model, opponent), and its probability.
    p_order
        The probability of the whole ranking: no model beats one before it by more than the region.
    settings
        What was asked, and what was done.
    remarks
        What a reader should know of the data, in sentences.
    generations
        Which part of the variance generations of the same items have; None unless there are several.
    """

    models: tuple[str, ...]
    metric: Metric
    score: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    p_best: FloatArray
    expected_rank: FloatArray
    p_rank: FloatArray
    rank_low: IntArray
    rank_high: IntArray
    p_beats: FloatArray
    tied: BoolArray
    equivalent: BoolArray
    among_best: BoolArray
    p_among_best: float
    jointly: BoolArray
    p_jointly: float
    p_order: float
    settings: Settings
    remarks: tuple[str, ...] = ()
    generations: GenerationShare | None = None

    json_format = "bayesf1.rank/2"
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
        """Models in a row, each with all that it does not beat in `jointly`; a model may be in several groups.

        Two models that share no group are told apart; of two that share one, the one may still beat the other.
        """
        # A group goes from a model to the last one that it does not beat, or as far as the group before it.
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
        """What `details` adds: what holds of all models together, and how it was computed."""
        return [self.joint_sentence(), self.methods_sentence()]

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences."""
        return (*ranking_notes(self.settings, self.generations), *self.remarks)

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
            **{name: getattr(self, name) for name in ("threshold", "p_among_best", "p_jointly", "p_order")},
            "target": s.target,
            "generations": None if self.generations is None else self.generations.to_dict(),
            "groups": [list(group) for group in self.groups],
            "models": models,
            "sentence": self.sentence(),
            "joint_sentence": self.joint_sentence(),
            "notes": list(self.notes),
        }

    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict as a sentence, ``"text"`` or ``"latex"``; it admits it when the ranking is not decisive."""
        return formatted(words.sentence(self), format)

    def joint_sentence(self, *, format: str = "text") -> str:
        """Return what may be said of all models at once: among whom the best is, who beats whom, the whole order."""
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
        The region of practical equivalence, as in `compare`: its upper end is what a model must be better by.
    prior
        λ of the Dirichlet prior on each model's cells.
    prob
        Mass of the intervals. Models may be the best (`tied`) if they belong to the smallest set that holds the best
        with the probability from which on `compare` calls a model better: .975 if this is .95.
    assumption, target
        As in `compare`.
    n_draws
        Number of draws; by default 50,000, as few as 2,000 if units are many, and as few as 1,000 if models are.
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
    asked = {"rope": check_rope(rope, metric), "prob": check_prob(prob), "rng": start_of(rng)}
    if n_draws is None:
        affordable = max(_COMPARISONS // len(ev.names) ** 2, _FEWEST_DRAWS)
        n_draws = sampling.n_draws([metric], min(_DRAWS, affordable))
    n_draws = number_of_draws(sampling, [metric], n_draws)
    (drawn,) = sampling.scores([metric], n_draws=n_draws, rng=check_rng(rng))
    # Draws of a model lie side by side, as one model after another is looked at.
    scores = np.asfortranarray(drawn)
    check_spread(sampling.settings(metric), scores, ev.names, metric.label)
    return ranking_of(
        scores,
        sampling.plain(metric),
        ev.names,
        metric,
        Settings.of(sampling, metric, method="montecarlo", n_draws=n_draws, **asked),
        posteriors=ScorePosterior(sampling, metric).exact,
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
    remarks: tuple[str, ...] = (),
    generations: GenerationShare | None = None,
) -> Ranking:
    """Return the ranking that joint draws of scores, axes (draw, model), make.

    Parameters
    ----------
    scores, estimates, names
        The draws, the scores that are printed, and the names of the models.
    metric
        The metric, whose direction ranks follow: a loss is better the lower it is.
    settings
        What was asked, and what was done.
    posteriors
        The distribution of each model's score, if it is known: intervals are then those of `compare` to the last digit.
    remarks, generations
        As in `Ranking`.
    """
    prob = settings.prob
    rope = settings.rope
    least, most = metric.support
    # An undefined score, as the precision of a model that never says yes, comes last.
    undefined = np.isnan(estimates)
    scores[:, undefined] = most if metric.lower_is_better else least
    # Axes (model, draw).
    clipped = np.clip(scores.T, least, most)
    mean = clipped.mean(axis=1)
    low, high = _intervals(clipped, prob, posteriors)
    interval_unknown = undefined | (settings.hides_spread & ~varies(low, high))
    low, high = metric.interval_of(estimates, low, high)
    order = np.argsort(-metric.sign * mean, kind="stable")
    # Models that did the same are the same in every draw, and share their ranks.
    same = np.equal.outer(mean[order], mean[order])
    mean[undefined] = np.nan
    low[interval_unknown] = np.nan
    high[interval_unknown] = np.nan
    # Axes (model, draw), the higher the better, in the order of the ranking.
    better = np.take(scores.T, order, axis=0)
    better *= metric.sign
    k, n = better.shape
    shared = same / same.sum(axis=1)
    p_rank = shared @ _shares_of_ranks(better.T)
    # A share of draws may fall short of a half by its rounding.
    at_most = np.cumsum(p_rank, axis=1) + 1e-9
    rank_low = (at_most < _lower_tail(prob)).sum(axis=1) + 1
    rank_high = (at_most < claim_threshold(prob)).sum(axis=1) + 1
    raised = better + rope.high
    p_beats = np.array([(one > raised).sum(axis=1, dtype=np.uint32) for one in better]) / n
    equivalent = np.zeros(k, dtype=bool)
    if rope:
        gaps = better - better[0]
        within_region = (gaps >= rope.low) & (gaps <= rope.high)
        equivalent = within_region.sum(axis=1) >= prob * n
    claims = joint_claims(better.T, rope.high, prob)
    claims = claims._replace(among_best=same @ claims.among_best)
    unknown = undefined[order]
    p_rank[unknown] = np.nan
    p_beats[unknown] = np.nan
    p_beats[:, unknown] = np.nan
    claims.jointly[:, unknown] = False
    return Ranking(
        models=tuple(names[i] for i in order),
        metric=metric,
        score=np.asarray(estimates)[order],
        mean=mean[order],
        low=low[order],
        high=high[order],
        p_best=p_rank[:, 0],
        expected_rank=p_rank @ np.arange(1, k + 1),
        p_rank=p_rank,
        rank_low=rank_low,
        rank_high=rank_high,
        p_beats=p_beats,
        tied=claims.among_best | (np.arange(k) == 0),
        equivalent=equivalent,
        **claims._asdict(),
        settings=settings,
        remarks=remarks,
        generations=generations,
    )


def _lower_tail(prob: float) -> float:
    """Return the probability below an equal-tailed interval."""
    return 0.5 * (1 - prob)


def _intervals(
    scores: FloatArray, prob: float, posteriors: Sequence[Posterior | None]
) -> tuple[FloatArray, FloatArray]:
    """Return both ends of intervals of draws of scores, axes (model, draw); they are exact if a posterior is known."""
    low, high = np.quantile(scores, [_lower_tail(prob), claim_threshold(prob)], axis=1)
    for i, post in enumerate(posteriors):
        if post is not None:
            low[i], high[i] = post.interval(prob)
    return low, high


def _plain(values: AnyArray) -> list[Any]:
    """Return plain values for JSON, None for NaN."""
    return [finite(value) for value in values.tolist()]


def _shares_of_ranks(scores: FloatArray) -> FloatArray:
    """Return how often each model (rows) has each rank (columns) in draws of scores, axes (draw, model)."""
    n, k = scores.shape
    times = np.zeros(k * k, dtype=np.intp)
    for part in slices_of(n, k):
        # Who is first, second, ... in each draw.
        placed = np.argsort(np.negative(scores[part], order="C"), axis=1, kind="stable")
        times += np.bincount((placed * k + np.arange(k)).ravel(), minlength=k * k)
    return np.asarray(times.reshape(k, k) / n)


class JointClaims(NamedTuple):
    """Statements that hold together.

    Attributes
    ----------
    among_best, p_among_best
        The smallest set of models that has the best in it, and with which probability.
    jointly, p_jointly
        Which models (rows) beat which (columns) by more than the margin, and with which probability all of them do.
    p_order
        Probability that no model beats one before it by more than the margin.
    """

    among_best: BoolArray
    p_among_best: float
    jointly: BoolArray
    p_jointly: float
    p_order: float


def joint_claims(scores: FloatArray, margin: float, prob: float) -> JointClaims:
    """Return what may be said with a joint probability of at least `prob`.

    Parameters
    ----------
    scores
        Draws of scores that are the better the higher, axes (draw, model), models in the order of the ranking.
    margin
        What a model must be better by.
    prob
        The probability of all that is said together.

    Examples
    --------
    >>> draws = np.random.default_rng(1).normal([2.0, 1.9, 0.0], 0.3, size=(10_000, 3))
    >>> claims = joint_claims(draws, 0.0, 0.95)
    >>> claims.among_best.tolist(), claims.jointly.tolist()
    ([True, True, False], [[False, False, True], [False, False, True], [False, False, False]])
    """
    among_best, p_among_best = _with_the_best(scores, claim_threshold(prob))
    jointly, p_jointly = _all_true(scores, margin, prob)
    return JointClaims(among_best, p_among_best, jointly, p_jointly, _p_order(scores, margin))


def _p_order(scores: FloatArray, margin: float) -> float:
    """Return how often no model is beaten by one that comes later, hence not by the best of these."""
    later = np.maximum.accumulate(scores[:, :0:-1], axis=1)[:, ::-1]
    return float((later <= scores[:, :-1] + margin).all(axis=1).mean())


def _with_the_best(scores: FloatArray, prob: float) -> tuple[BoolArray, float]:
    """Return the fewest models of which one is the best in enough draws, and the share of these draws."""
    # If models tie in a draw, the first is the best.
    times = np.bincount(scores.argmax(axis=1), minlength=scores.shape[1])
    order = np.argsort(-times, kind="stable")
    covered = times[order].cumsum() / len(scores)
    last = int(np.argmax(covered >= prob))
    return np.isin(np.arange(len(times)), order[: last + 1]), float(covered[last])


def _all_true(scores: FloatArray, margin: float, prob: float) -> tuple[BoolArray, float]:
    r"""Return who beats whom by more than a margin, all with a probability, and the share of draws in which all do.

    The differences of all pairs lie together in the region of half-widths :math:`q s_{ij}` around their means, in which
    :math:`s_{ij}` is the standard deviation of a difference and q the quantile of the largest
    :math:`|d_{ij} - \bar d_{ij}| / s_{ij}` in a draw.
    """
    models = scores.T
    if len(models) == 2:
        # Two models have one difference, of which `compare` may claim as much.
        beats = (models[:, None] > models + margin).mean(axis=2) >= claim_threshold(prob)
        return beats, 1.0 - _failures(models, beats, margin) / len(scores)
    centre = scores.mean(axis=0)
    deviations = models - centre[:, None]
    covariance = deviations @ deviations.T / len(scores)
    own = covariance.diagonal()
    variances = own[:, None] + own - 2.0 * covariance
    # Models that did the same have no variance but for rounding.
    rounding = 1e-12 * np.maximum.outer(own, own)
    sds = np.sqrt(np.where(variances > rounding, variances, 0.0))
    farthest = _farthest(deviations, sds)
    reach = np.quantile(farthest, prob)
    beats = centre[:, None] - centre - reach * sds > margin
    # In draws within the region all of it holds, so that only the others are looked at.
    others = models[:, farthest > reach]
    return beats, 1.0 - _failures(others, beats, margin) / len(scores)


def _farthest(deviations: FloatArray, sds: FloatArray) -> FloatArray:
    """Return the largest of all differences in each draw, in units of their standard deviations.

    Axes of the deviations are (model, draw). Single precision takes half the time, and is enough for a quantile.
    """
    unit = sds.max() if sds.any() else 1.0
    single = (deviations / unit).astype(np.float32)
    scales = np.divide(unit, sds, out=np.zeros(sds.shape, np.float32), where=sds > 0.0)
    farthest = np.zeros(deviations.shape[1])
    room = np.empty_like(single)
    for i, one in enumerate(single[:-1]):
        differences = np.subtract(single[i + 1 :], one, out=room[i + 1 :])
        differences *= scales[i, i + 1 :, None]
        np.abs(differences, out=differences)
        np.maximum(farthest, differences.max(axis=0), out=farthest)
    return farthest


def _failures(models: FloatArray, beats: BoolArray, margin: float) -> int:
    """Return in how many draws, axes (model, draw), some model does not beat another by more than the margin as claimed."""
    hold = np.ones(models.shape[1], dtype=bool)
    for one, beaten in zip(models, beats, strict=True):
        if beaten.any():
            hold &= one > models[beaten].max(axis=0) + margin
    return int(np.count_nonzero(~hold))


@dataclass(frozen=True, eq=False, repr=False)
class Scoreboard(Answer):
    """Every model's score in every metric, with intervals; the best stands out if no other may be the best.

    Attributes
    ----------
    rankings
        The ranking of the models by each metric, by name, in order.
    main
        The metric whose order the rows have.
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

    A score is the plain one, its interval equal-tailed, and the best of a metric stands out if it is better than
    each of the others as surely as `compare` asks for.

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
    # The same draws for every metric, as far as a source of randomness can give them again.
    start = int(rng.integers(1 << 31)) if isinstance(rng, np.random.Generator) else rng
    rankings = {metric.name: rank(ev, metric, n_draws=n_draws, rng=start, **settings) for metric in metrics}
    labels = {name: ranking.label for name, ranking in rankings.items()}
    return Scoreboard(rankings, headline(ev, labels))
