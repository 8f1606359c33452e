"""Many models at once: which is best, and which cannot be told from it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesf1.base.answer import Answer
from bayesf1.base.arrays import FloatArray, slices_of
from bayesf1.base.checks import RNGLike, check_prob, check_rng, checked, start_in_words, start_of
from bayesf1.base.naming import capitalised, joined
from bayesf1.base.references import prose
from bayesf1.base.table import Table, digits_of, equation, interval, points, printable, probability
from bayesf1.bayes.joint_claims import joint_claims, who_beats_whom
from bayesf1.bayes.methods_sentence import of_ranking
from bayesf1.bayes.outside import Told, outside
from bayesf1.bayes.posterior import claim_threshold, law_under, number_of_draws
from bayesf1.bayes.rope import Rope, RopeLike, check_rope
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measure
from bayesf1.laws.law import Posterior

_DRAWS = 50_000
_COLUMNS = ("score", "mean", "low", "high", "p_best", "expected_rank", "tied", "equivalent", "among_best")


class Ranking(xr.Dataset, Answer):  # type: ignore[no-untyped-call]
    """The ranking of several models, as a Dataset that prints as a table and a verdict.

    Variables, over ``system``: the plain ``score``, ``mean``, ``low`` and ``high`` of its posterior, ``p_best``,
    ``expected_rank``, ``p_rank`` (system, rank), ``p_beats`` (system, opponent), the probability that the row is
    better than the column by more than the ROPE, and ``tied``, whether the leader is not surely better. Systems
    are in the order of their mean scores.

    Beside these statements on single systems and pairs there are such on all at once: ``among_best``, a set of systems
    with the best in it with probability `prob`; ``jointly`` (system, opponent), who beats whom with that probability for
    all pairs together; and the attributes ``p_among_best``, ``p_jointly`` and ``p_order``, the probability of the whole
    ranking. With a ROPE, a system is the best that no other beats by more than it, the order is right where none beats
    one before it by more, and ``equivalent`` says whether a system is within it of the first with probability `prob`.
    """

    __slots__ = ()

    titled = False
    json_format = "bayesf1.rank/1"
    index_names = ("system",)

    @property
    def title(self) -> str:
        """How many systems there are, and what they are ranked by."""
        return f"Ranking of {len(self.system)} systems by {self.attrs['label']}"

    @property
    def table(self) -> Table:
        """The ranking as a table."""
        percent = bool(self.attrs["percent"])
        records = self.records()
        rows = tuple(
            (
                r["system"],
                points(r["score"], digits_of(r["low"], r["high"], percent=percent), percent=percent),
                interval(r["low"], r["high"], percent=percent),
                probability(r["p_best"]),
                f"{r['expected_rank']:.1f}",
                "–" if r is records[0] else _tie(r),
            )
            for r in records
        )
        header = (
            "System",
            f"{self.attrs['label']}{' (%)' if percent else ''}",
            f"{100 * self.attrs['prob']:g} % interval",
            "P(best)",
            "Expected rank",
            "Tied with first",
        )
        # The first stands out where no other is tied with it.
        sure = tuple(not r["tied"] for r in records)
        bold = frozenset({(0, 0), (0, 1)} if all(sure[1:]) else ())
        spare = ((header[4],), (header[3],))
        return Table(header, rows, bold=bold, note=self.note(), sure=sure, limits=self.limits, spare=spare)

    @property
    def below(self) -> Sequence[str]:
        """The verdict, what was assumed, and what limits the conclusion."""
        return [self.sentence(), self.joint_sentence(), self.note(), *self.limits]

    @property
    def limits(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences."""
        told = (
            Told(r["system"], self.attrs["label"], r["score"], r["low"], r["high"]) for r in self.records()
        )
        return (*self.attrs["notes"], *outside(told))

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each system."""
        columns = [map(str, self["system"].values), *(self[column].values.tolist() for column in _COLUMNS)]
        return [dict(zip(("system", *_COLUMNS), row, strict=True)) for row in zip(*columns, strict=True)]

    def document(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names; `to_dict` is that of a Dataset."""
        systems = []
        for record in self.records():
            name, row = record["system"], self.sel(system=record["system"])
            beats = dict(zip(map(str, row["opponent"].values), row["p_beats"].values.tolist(), strict=True))
            del beats[name]
            jointly = [str(x) for x in row["opponent"].values[row["jointly"].values]]
            ranks = row["p_rank"].values.tolist()
            systems.append({**record, "p_rank": ranks, "p_beats": beats, "beats_jointly": jointly})
        keys = (
            *("metric", "rope", "prior", "prob", "threshold", "assumption", "n_draws"),
            *("p_among_best", "p_jointly", "p_order"),
        )
        settings = {key: self.attrs[key] for key in keys}
        said = {
            "sentence": self.sentence(),
            "joint_sentence": self.joint_sentence(),
            "notes": list(self.limits),
        }
        return {"format": self.json_format, **settings, "systems": systems, **said}

    @checked
    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict as a sentence, ``"text"`` or ``"latex"``; it admits it when the ranking is not decisive."""
        return prose(self._sentence(), format)

    def _sentence(self) -> str:
        names = [str(name) for name in self["system"].values]
        tied = [str(name) for name in self["system"].values[self["tied"].values] if name != names[0]]
        label, best = self.attrs["label"], equation("P(best)", float(self["p_best"][0]))
        margin = self._margin
        level = f"{self.attrs['threshold']:g}"
        if not tied:
            return printable(
                f"{names[0]} is the best in {label} ({best}): the probability that it is better{margin} is at "
                f"least {level} against each of the others."
            )
        return printable(
            f"The ranking does not decide which is the best in {label}: {names[0]} comes first ({best}), but the "
            f"probability that it is better{margin} does not reach {level} against {joined(tied, 'or')}."
        )

    @checked
    def joint_sentence(self, *, format: str = "text") -> str:
        """Return what may be said of all systems at once: among whom the best is, who beats whom, the whole order."""
        names = [str(name) for name in self["system"].values]
        among = [name for name, one in zip(names, self["among_best"].values, strict=True) if one]
        beats = who_beats_whom(names, self["jointly"].values)
        level = f"{self.attrs['prob']:g}"
        margin = self._margin
        tolerated = f" up to {margin.removeprefix(' by more than ')}" if margin else ""
        found = (
            f"{joined(among)} is the best{tolerated}"
            if len(among) == 1
            else f"the best{tolerated} is {'one of all of them' if len(among) == len(names) else f'among {joined(among)}'}"
        )
        claims = (
            f"jointly with probability at least {level} {beats}{margin}"
            if beats
            else f"no model beats another{margin} at that level"
        )
        order = probability(self.attrs["p_order"])
        told = (
            f"With probability at least {level} {found}; {claims}. "
            f"The probability of the whole order{tolerated} is {order}."
        )
        return prose(printable(told), format)

    @property
    def _margin(self) -> str:
        return Rope.of(self.attrs["rope"]).beyond(percent=bool(self.attrs["percent"]))

    @checked
    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the ranking was found, for a paper's section on methods, with the citation."""
        return prose(of_ranking(self), format)

    def to_text(self) -> str:
        """Return table and verdict as plain text; a part of a ranking is a plain Dataset."""
        whole = set(_COLUMNS) <= set(self.data_vars)
        if not whole or "label" not in self.attrs or self.sizes.get("system") != self.sizes.get("rank"):
            return super().__repr__()
        return super().to_text()

    def note(self) -> str:
        """Return what the ranking assumed, as a sentence."""
        start, n = start_in_words(self.attrs.get("start")), self.attrs["n_draws"]
        return (
            f"{self.attrs['belief']}; {self.attrs['dependence']}; {n:,} posterior draws (standard error of a probability "
            f"up to {0.5 / n**0.5:.1g})"
            f"{f'; {start}' if start else ''}."
        )


def _tie(record: Mapping[str, Any]) -> str:
    if record["equivalent"]:
        return "equivalent"
    return "yes" if record["tied"] else "no"


@checked
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
    """Rank all models of an evaluation on one measure, from joint posterior draws.

    Parameters
    ----------
    ev
        The evaluation, of at least two models.
    metric
        Name of a measure, or a callable on tables (..., cell).
    rope
        The region of practical equivalence, as in `compare`: its upper end is what a model must be better by.
    prior
        λ of the Dirichlet prior on each model's cells.
    prob
        Mass of the intervals. The leader and a model are tied unless it is better with the probability from which
        on `compare` calls a model better: .975 where this is .95.
    assumption, target
        As in `compare`.
    n_draws
        Number of draws; by default 50,000, or as few as 4,000 where units or models are many.
    rng
        Source of randomness, as in `compare`.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> ranking = rank(from_counts(A=(77, 44, 10), B=(83, 9, 14), C=(70, 30, 27)), rng=1)
    >>> ranking.system.values.tolist()
    ['B', 'A', 'C']
    >>> ranking.tied.values.tolist()
    [True, False, False]
    """
    measure = find_measure(metric, ev)
    if len(ev.names) < 2 or ev.shape:
        found = f"experiments of shape {ev.shape}" if ev.shape else f"one model ({ev.names[0]})"
        raise ValueError(f"a ranking needs one experiment with at least two models, not {found}")
    region, prior, prob = check_rope(rope, measure), ev.kind.check_prior(prior), check_prob(prob)
    under = ev.under(assumption, target)
    n_draws = number_of_draws(under, n_draws, _DRAWS)
    under.warn(measure)
    # Draws of a system lie side by side, as one system after another is looked at.
    scores, at = np.empty((n_draws, len(ev.names)), order="F"), 0
    for (block,) in under.scores([measure], prior=prior, n_draws=n_draws, rng=check_rng(rng)):
        scores[at : at + len(block)] = block
        at += len(block)

    observed = under.plain(measure)
    caution = under.caution(measure)
    return ranking_of(
        scores,
        observed,
        ev.names,
        measure,
        rope=region,
        prob=prob,
        laws=[law_under(under, measure, i, prior) for i in range(len(ev.names))],
        attrs={
            "belief": ev.kind.describe_prior(prior) if under.retraining is None else "No prior",
            "prior": prior,
            "assumption": under.assumption,
            "target": under.target,
            "dependence": under.dependence(measure),
            "citation": ev.kind.citation,
            **({} if (start := start_of(rng)) is None else {"start": start}),
            "notes": [
                *([f"{capitalised(caution)}."] if caution else []),
                *ev.notes,
                *ev.kind.notes_on(under, measure),
            ],
        },
    )


def ranking_of(
    scores: FloatArray,
    observed: FloatArray,
    names: Sequence[str],
    measure: Metric,
    *,
    rope: Rope,
    prob: float,
    attrs: Mapping[str, Any],
    laws: Sequence[Posterior | None] = (),
) -> Ranking:
    """Return the ranking that joint draws of scores, axes (draw, system), make.

    Parameters
    ----------
    scores, observed, names
        The draws, the plain scores, and the names of the systems.
    measure
        The measure, whose direction ranks follow: a loss is better the lower it is.
    rope, prob
        What a system must be better by, and the mass of the intervals.
    attrs
        What else is to be said: belief, prior, assumption, target, dependence, citation and notes.
    laws
        The law of each system's score, where it is known: intervals are then those of `compare` to the last digit.

    Examples
    --------
    >>> from bayesf1.kinds.binary_measures import find_metric
    >>> words = dict.fromkeys(("belief", "dependence", "citation"), "") | {"notes": []}
    >>> draws = np.array([[0.1, 0.3], [0.2, 0.4], [0.3, 0.2]])
    >>> found = ranking_of(draws, draws[0], ["A", "B"], find_metric("f1"), rope=Rope(), prob=0.95, attrs=words)
    >>> found.p_best.values.round(2).tolist()
    [0.67, 0.33]
    """
    tails = [0.5 * (1 - prob), 0.5 * (1 + prob)]
    shown = (np.clip(one, *measure.support) for one in scores.T)
    mean, low, high = np.array([(one.mean(), *np.quantile(one, tails)) for one in shown]).T
    order = np.argsort(-measure.sign * mean, kind="stable")
    mean, low, high = mean[order], low[order], high[order]
    systems = np.take(scores.T, order, axis=0)
    systems *= measure.sign
    better, (k, n) = systems.T, systems.shape
    p_rank = _shares_of_ranks(better)
    p_beats = np.array([[np.count_nonzero(x > y + rope.high) / n for y in systems] for x in systems])
    near = [_share_within(one - systems[0], rope) >= prob for one in systems]
    claims = joint_claims(better, rope.high, prob)
    for place, i in enumerate(order):
        if laws and (law := laws[i]) is not None:
            low[place], high[place] = law.interval(prob)
    ordered = [names[i] for i in order]
    return Ranking(
        data_vars={
            "score": ("system", observed[order]),
            "mean": ("system", mean),
            "low": ("system", low),
            "high": ("system", high),
            "p_best": ("system", p_rank[:, 0]),
            "expected_rank": ("system", p_rank @ np.arange(1, k + 1)),
            "p_rank": (("system", "rank"), p_rank),
            "p_beats": (("system", "opponent"), p_beats),
            "tied": ("system", p_beats[0] < claim_threshold(prob)),
            "equivalent": ("system", np.array(near) & bool(rope)),
            "among_best": ("system", claims.among_best),
            "jointly": (("system", "opponent"), claims.beats),
        },
        coords={"system": ordered, "rank": np.arange(1, k + 1), "opponent": ordered},
        attrs={
            "metric": measure.name,
            "label": measure.label,
            "percent": int(measure.percent),
            "rope": rope.written,
            "prob": prob,
            "threshold": claim_threshold(prob),
            "n_draws": len(scores),
            "p_among_best": claims.p_among_best,
            "p_jointly": claims.p_beats,
            "p_order": claims.p_order,
            **attrs,
        },
    )


def _shares_of_ranks(better: FloatArray) -> FloatArray:
    """Return how often each system (rows) has each rank (columns) in draws of scores, axes (draw, system)."""
    n, k = better.shape
    found = np.zeros(k * k, dtype=np.intp)
    for part in slices_of(n, k):
        # Who is first, second, ... in each draw.
        placed = np.argsort(np.negative(better[part], order="C"), axis=1, kind="stable")
        found += np.bincount((placed * k + np.arange(k)).ravel(), minlength=k * k)
    return np.asarray(found.reshape(k, k) / n)


def _share_within(gaps: FloatArray, rope: Rope) -> float:
    return np.count_nonzero((gaps >= rope.low) & (gaps <= rope.high)) / len(gaps)
