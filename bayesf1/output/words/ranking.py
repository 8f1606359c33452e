"""The words of a ranking, and of a scoreboard of all models and metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.naming import capitalised, joined, listing, printable
from bayesf1.metrics import Estimate, in_prose
from bayesf1.output.table import Table
from bayesf1.output.words.citations import PACKAGE
from bayesf1.output.words.notes import UNDEFINED
from bayesf1.output.words.numbers import amount, credible_intervals, equation, estimates, probability, region
from bayesf1.output.words.sampled import cited, dependence, draws_of, on_what, sampled, with_prior

if TYPE_CHECKING:
    from bayesf1.inference.rank import Ranking, Scoreboard

# A sentence names at most this many groups of models that beat the same others.
_MOST_CLAIMS = 4
# A claim names so many models that are beaten, and counts the others.
_MOST_BEATEN = 3


# ---- title and table --------------------------------------------------------------------------------------


def title(r: Ranking) -> str:
    """Return how many models there are, and the metric that they are ranked by."""
    s = r.settings
    # In a ranking by a hierarchical fit, the metric's label says which corpus it is about.
    source = f", from {sampled(s)}" if s.model else on_what(s)
    intervals = credible_intervals(s.prob)
    return f"{len(r.models)} models ranked by {in_prose(r.label)}{source}, with {intervals}"


def table(r: Ranking) -> Table:
    """Return a row for each model: score, probability of being the best, ranks, groups, and whether it may be the best."""
    unit = " (%)" if r.metric.percent else ""
    header = ("Model", f"{r.label}{unit}", "P(first)", "Rank", "Group", "May be best")
    groups = r.groups
    rows = tuple(_row(r, i, score, groups) for i, score in enumerate(_scores(r)))
    first_stands_out = _first_stands_out(r)
    bars = zip(r.low.tolist(), r.score.tolist(), r.high.tolist(), strict=True)
    return Table(
        header,
        rows,
        bold=frozenset({(0, 0), (0, 1)}) if first_stands_out else frozenset(),
        sure=(first_stands_out, *(~r.tied[1:]).tolist()),
        bars=tuple(bars),
        bars_after=2,
    )


def _row(r: Ranking, i: int, score: str, groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the cells of a model; if a score is undefined, no model is called the best."""
    model = r.models[i]
    p_first = "–"
    may_be_best = "–"
    if _all_defined(r):
        p_first = probability(float(r.p_first[i]))
        may_be_best = "yes" if r.tied[i] else "no"
        if i > 0 and r.equivalent[i]:
            may_be_best = f"{may_be_best}, equivalent"
    if math.isnan(r.score[i]):
        return model, score, p_first, "–", "–", "–"
    own = [number for number, group in enumerate(groups, 1) if model in group]
    return model, score, p_first, _span(r.rank_low[i], r.rank_high[i]), _span(own[0], own[-1]), may_be_best


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}–{high}"


def _scores(r: Ranking) -> list[str]:
    """Write the scores of a ranking with their intervals."""
    rows = zip(r.score, r.low, r.high, strict=True)
    return estimates([Estimate(score, low, high, r.metric.percent) for score, low, high in rows])


def _all_defined(r: Ranking) -> bool:
    return not np.isnan(r.score).any()


def _first_stands_out(r: Ranking) -> bool:
    """Return whether no other model may be the best; beside an undefined score, no model is called the best."""
    return _all_defined(r) and not r.tied[1:].any()


def legend(r: Ranking) -> list[str]:
    """Return the meanings of the columns and words that the table uses."""
    prob = r.settings.prob
    lines = []
    if len(r.groups[0]) > 1 or len(r.groups) < len(r.models):
        lines.append(
            f"Group: models with no group in common differ (probability {prob:g} for all pairs together)."
        )
    if r.tied[1:].any() and _all_defined(r):
        lines.append(
            f"May be best: no other model beats it, compared with all others at once (probability {r.threshold:g})."
        )
        lines.append("P(first): share of draws with rank 1; too high for the leader if models are close.")
    if r.equivalent[1:].any():
        inside = region(r.settings.rope, percent=r.metric.percent)
        lines.append(f"Equivalent: within {inside} of the first with probability {prob:g} or more.")
    return lines


# ---- sentences --------------------------------------------------------------------------------------------


def sentence(r: Ranking) -> str:
    """Return which model is the best, or which may be, as a sentence."""
    metric = in_prose(r.label)
    if not _all_defined(r):
        undefined = joined(np.array(r.models)[np.isnan(r.score)])
        return printable(
            f"The {metric} of {undefined} is undefined (there is nothing to divide by), so no model is called the best."
        )
    candidates = np.array(r.models)[r.tied]
    if len(candidates) == 1:
        return printable(f"{candidates[0]} is the best in {metric}: {_beats_the_others(r)}.")
    among = joined(candidates, "or")
    if len(candidates) == len(r.models) and len(candidates) > 2:
        among = f"any of the {len(candidates)}"
    return printable(
        f"{r.models[0]} leads in {metric}, but the data do not decide which is the best: {among}."
    )


def _beats_the_others(r: Ranking) -> str:
    """Return that the first is better than all others, and how probable that is for each of them."""
    if len(r.models) == 2:
        return f"it beats {r.models[1]} ({equation('P', float(r.p_beats[0, 1]))})"
    return f"it beats every other model (P ≥ {r.threshold:g})"


def joint_sentence(r: Ranking) -> str:
    """Return the claims about all models at once: who beats whom, and the whole order."""
    margin = r.settings.rope.high
    claims = "; ".join(_claims(r)[:_MOST_CLAIMS]) if r.jointly.any() else "no model beats another"
    if len(_claims(r)) > _MOST_CLAIMS:
        claims = f"{claims} and so on"
    if margin:
        claims = f"{claims} by more than {amount(margin, percent=r.metric.percent)}"
    return printable(
        f"With probability {r.settings.prob:g} for all claims together, {claims}; "
        f"{equation('P(whole order)', r.p_order)}."
    )


def _claims(r: Ranking) -> list[str]:
    """Return who beats whom, a claim for each group of models that beat the same others."""
    groups: dict[tuple[bool, ...], list[str]] = {}
    for name, beaten in zip(r.models, r.jointly, strict=True):
        groups.setdefault(tuple(beaten.tolist()), []).append(name)
    claims = []
    for beaten, winners in groups.items():
        losers = [name for name, loses in zip(r.models, beaten, strict=True) if loses]
        if losers:
            verb = "beats" if len(winners) == 1 else "beat"
            # One more name takes no more room than its number.
            beaten_models = (
                joined(losers) if len(losers) <= _MOST_BEATEN + 1 else listing(losers, most=_MOST_BEATEN)
            )
            claims.append(f"{joined(winners)} {verb} {beaten_models}")
    return claims


def methods(r: Ranking) -> str:
    """Return how models were ranked: prior, assumption, draws, version."""
    return methods_by(r, in_prose(r.label))


def methods_by(r: Ranking, metrics: str) -> str:
    """Return how models were ranked; `metrics` names all metrics in words, with that of the ranking."""
    s = r.settings
    assumed = s.model if s.model else dependence(s)
    draws = draws_of(s, s.n_draws, 0.5 / s.n_draws**0.5)
    lines = [
        (
            f"{len(r.models)} models were ranked by {metrics} with {PACKAGE}{with_prior(s)}; {assumed}; probabilities "
            f"rest on {draws}."
        ),
        (
            "A model may be the best if no other beats it in comparisons with all others at once "
            f"(Hsu 1984; probability {r.threshold:g})."
        ),
    ]
    if not s.training and not s.final and not s.data_sets:
        lines.append(f"Posteriors of the scores are those of {cited(s)}.")
    return printable(" ".join(lines))


# ---- scoreboards ------------------------------------------------------------------------------------------


def scoreboard_title(board: Scoreboard) -> str:
    """Return the metrics and the number of models in the table, and what was sampled."""
    s = board.first.settings
    intervals = credible_intervals(s.prob)
    return f"{capitalised(_metrics(board))} of {len(board.models)} models{on_what(s)}, with {intervals}"


def scoreboard_table(board: Scoreboard) -> Table:
    """Return a row for each model, a column for each metric; a score is bold if no other model may be the best."""
    header = ["Model"]
    columns = []
    bold = []
    for j, r in enumerate(board.rankings.values(), 1):
        unit = " (%)" if r.metric.percent else ""
        header.append(f"{r.label}{unit}")
        scores = dict(zip(r.models, _scores(r), strict=True))
        columns.append([scores[model] for model in board.models])
        if _first_stands_out(r):
            bold.append((board.models.index(r.models[0]), j))
    rows = tuple(zip(board.models, *columns, strict=True))
    return Table(tuple(header), rows, frozenset(bold))


def scoreboard_legend(board: Scoreboard) -> list[str]:
    """Return the meaning of "undefined" if a score is."""
    return [] if all(_all_defined(r) for r in board.rankings.values()) else [UNDEFINED]


def scoreboard_methods(board: Scoreboard) -> str:
    """Return how the models were ranked by all metrics."""
    return methods_by(board.first, _metrics(board))


def _metrics(board: Scoreboard) -> str:
    return joined(in_prose(ranking.label) for ranking in board.rankings.values())
