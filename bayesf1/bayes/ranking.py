"""Many models at once: which is best, and which cannot be told from it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesf1.base.answer import Answer
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng
from bayesf1.base.naming import joined
from bayesf1.base.table import Table, amount, digits_of, equation, interval, points, printable, probability
from bayesf1.bayes.posterior import KEPT_DRAWS, check_rope, claim_threshold
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measure

_COLUMNS = ("score", "mean", "low", "high", "p_best", "expected_rank", "tied")


class Ranking(xr.Dataset, Answer):  # type: ignore[no-untyped-call]
    """The ranking of several models, as a Dataset that prints as a table and a verdict.

    Variables, over ``system``: the plain ``score``, ``mean``, ``low`` and ``high`` of its posterior, ``p_best``,
    ``expected_rank``, ``p_rank`` (system, rank), ``p_beats`` (system, opponent), the probability that the row is
    better than the column by more than the ROPE, and ``tied``, whether the leader is not surely better. Systems
    are in the order of their mean scores.
    """

    __slots__ = ()

    titled = False
    json_format = "bayesf1.rank/1"
    index_names = ("system",)
    csv_end = "\n"

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
                "–" if r is records[0] else ("yes" if r["tied"] else "no"),
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
        return Table(header, rows, bold=bold, note=self.note(), sure=sure, limits=self.limits)

    @property
    def below(self) -> Sequence[str]:
        """The verdict, what was assumed, and what limits the conclusion."""
        return [self.sentence(), self.note(), *self.limits]

    @property
    def limits(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences."""
        return tuple(self.attrs["notes"])

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each system."""
        return [
            {"system": str(name), **{column: self[column].sel(system=name).item() for column in _COLUMNS}}
            for name in self["system"].values
        ]

    def document(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names; `to_dict` is that of a Dataset."""
        systems = []
        for record in self.records():
            name, row = record["system"], self.sel(system=record["system"])
            beats = dict(zip(map(str, row["opponent"].values), row["p_beats"].values.tolist(), strict=True))
            del beats[name]
            systems.append({**record, "p_rank": row["p_rank"].values.tolist(), "p_beats": beats})
        keys = ("metric", "rope", "prior", "prob", "threshold", "assumption", "n_draws")
        settings = {key: self.attrs[key] for key in keys}
        said = {"sentence": self.sentence(), "notes": list(self.limits)}
        return {"format": self.json_format, **settings, "systems": systems, **said}

    def sentence(self) -> str:
        """Return the verdict as a sentence; it admits it when the ranking is not decisive."""
        names = [str(name) for name in self["system"].values]
        tied = [str(name) for name in self["system"].values[self["tied"].values] if name != names[0]]
        label, best = self.attrs["label"], equation("P(best)", float(self["p_best"][0]))
        margin = ""
        if self.attrs["rope"]:
            margin = f" by more than {amount(self.attrs['rope'], percent=bool(self.attrs['percent']))}"
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

    def methods_sentence(self) -> str:
        """Return how the ranking was found, for a paper's section on methods, with the citation."""
        from bayesf1.bayes.methods_sentence import of_ranking

        return of_ranking(self)

    def to_text(self) -> str:
        """Return table and verdict as plain text; a part of a ranking is a plain Dataset."""
        whole = set(_COLUMNS) <= set(self.data_vars)
        if not whole or "label" not in self.attrs or self.sizes.get("system") != self.sizes.get("rank"):
            return super().__repr__()
        return super().to_text()

    def note(self) -> str:
        """Return what the ranking assumed, as a sentence."""
        return (
            f"{self.attrs['belief']}; {self.attrs['dependence']}; {self.attrs['n_draws']:,} posterior draws."
        )


def rank(
    ev: Evaluation,
    metric: MetricLike | None = None,
    *,
    rope: float = 0.0,
    prior: float | None = None,
    prob: float = 0.95,
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int = 50_000,
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
        Half-width of the region of practical equivalence: what a model must be better by.
    prior
        λ of the Dirichlet prior on each model's cells.
    prob
        Mass of the intervals. The leader and a model are tied unless it is better with the probability from which
        on `compare` calls a model better: .975 where this is .95.
    assumption, target
        As in `compare`.
    n_draws, rng
        Number of draws and source of randomness.

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
        raise ValueError(f"a ranking needs one experiment with at least two models, not {ev!r}")
    rope, prior, prob = check_rope(rope, measure), ev.kind.check_prior(prior), check_prob(prob)
    n_draws = min(check_draws(n_draws), KEPT_DRAWS)
    under = ev.under(assumption, target)
    under.warn(measure)
    blocks = under.scores([measure], prior=prior, n_draws=n_draws, rng=check_rng(rng))
    scores = np.concatenate([block for (block,) in blocks])

    observed = under.plain(measure)
    caution = under.caution(measure)
    return ranking_of(
        scores,
        observed,
        ev.names,
        measure,
        rope=rope,
        prob=prob,
        attrs={
            "belief": ev.kind.describe_prior(prior) if under.retraining is None else "No prior",
            "prior": prior,
            "assumption": under.assumption,
            "target": under.target,
            "dependence": under.dependence(measure),
            "citation": ev.kind.citation,
            "notes": [*([f"{caution[0].upper()}{caution[1:]}."] if caution else []), *ev.notes],
        },
    )


def ranking_of(
    scores: FloatArray,
    observed: FloatArray,
    names: Sequence[str],
    measure: Metric,
    *,
    rope: float,
    prob: float,
    attrs: Mapping[str, Any],
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

    Examples
    --------
    >>> from bayesf1.kinds.binary_measures import find_metric
    >>> words = dict.fromkeys(("belief", "dependence", "citation"), "") | {"notes": []}
    >>> draws = np.array([[0.1, 0.3], [0.2, 0.4], [0.3, 0.2]])
    >>> found = ranking_of(draws, draws[0], ["A", "B"], find_metric("f1"), rope=0.0, prob=0.95, attrs=words)
    >>> found.p_best.values.round(2).tolist()
    [0.67, 0.33]
    """
    shown, better = np.clip(scores, *measure.support), measure.sign * scores
    order = np.argsort(-measure.sign * shown.mean(axis=0), kind="stable")
    shown, better, k = shown[:, order], better[:, order], len(order)
    ranks = np.argsort(np.argsort(-better, axis=1, kind="stable"), axis=1, kind="stable")
    p_rank = np.stack([np.bincount(ranks[:, i], minlength=k) for i in range(k)]) / len(scores)
    p_beats = np.stack([(better[:, [i]] > better + rope).mean(axis=0) for i in range(k)])
    low, high = np.quantile(shown, [0.5 * (1 - prob), 0.5 * (1 + prob)], axis=0)
    ordered = [names[i] for i in order]
    return Ranking(
        data_vars={
            "score": ("system", observed[order]),
            "mean": ("system", shown.mean(axis=0)),
            "low": ("system", low),
            "high": ("system", high),
            "p_best": ("system", p_rank[:, 0]),
            "expected_rank": ("system", p_rank @ np.arange(1, k + 1)),
            "p_rank": (("system", "rank"), p_rank),
            "p_beats": (("system", "opponent"), p_beats),
            "tied": ("system", p_beats[0] < claim_threshold(prob)),
        },
        coords={"system": ordered, "rank": np.arange(1, k + 1), "opponent": ordered},
        attrs={
            "metric": measure.name,
            "label": measure.label,
            "percent": int(measure.percent),
            "rope": rope,
            "prob": prob,
            "threshold": claim_threshold(prob),
            "n_draws": len(scores),
            **attrs,
        },
    )
