"""The words of a ranking, and of a table of all models and metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.naming import joined, listing, printable
from bayesf1.metrics import Estimate
from bayesf1.output.table import Table
from bayesf1.output.words.citations import PACKAGE
from bayesf1.output.words.numbers import amount, equation, estimates, probability, region
from bayesf1.output.words.prose import in_prose
from bayesf1.output.words.sampled import cited, dependence, draws_of, prior_of

if TYPE_CHECKING:
    from bayesf1.inference.rank import Ranking, Scoreboard


def _scores(r: Ranking) -> list[str]:
    """Write the scores of a ranking with their intervals."""
    rows = zip(r.score, r.low, r.high, strict=True)
    return estimates([Estimate(*row, r.metric.percent) for row in rows])


def table(r: Ranking) -> Table:
    """Return a row for each model: score, probability of being the best, ranks, groups, and whether it may be the best."""
    rows, groups = [], list(enumerate(map(set, r.groups), 1))
    # Beside an undefined score no model is called the best.
    defined = not np.isnan(r.score).any()
    for i, (model, score) in enumerate(zip(r.models, _scores(r), strict=True)):
        mine = [number for number, group in groups if model in group]
        spans = (_span(r.rank_low[i], r.rank_high[i]), _span(mine[0], mine[-1]))
        best = ("yes" if r.tied[i] else "no") + ", equivalent" * bool(i and r.equivalent[i])
        chances = (probability(float(r.p_best[i])), best) if defined else ("–", "–")
        known = ("–", "–", "–") if math.isnan(r.score[i]) else (*spans, chances[1])
        rows.append((model, score, chances[0], *known))
    unit = " (%)" if r.metric.percent else ""
    header = ("Model", f"{r.label}{unit}", "P(best)", "Rank", "Group", "May be best")
    # The first stands out if no other may be the best.
    bold = frozenset({(0, 0), (0, 1)} if defined and not r.tied[1:].any() else ())
    sure = (bool(bold), *(~r.tied[1:]).tolist())
    bars = zip(r.low.tolist(), r.score.tolist(), r.high.tolist(), strict=True)
    return Table(header, tuple(rows), bold, sure, tuple(bars), bars_after=2)


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}–{high}"


def legend(r: Ranking) -> Iterator[str]:
    """Yield what the columns mean, as far as the table needs it."""
    prob = r.settings.prob
    if len(r.groups[0]) > 1 or len(r.groups) < len(r.models):
        yield f"Group: models with no group in common differ (probability {prob:g} for all pairs together)."
    if r.tied[1:].any() and not np.isnan(r.score).any():
        yield f"May be best: the best is one of these with probability {r.threshold:g} or more."
    if r.equivalent[1:].any():
        inside = region(r.settings.rope, percent=r.metric.percent)
        yield f"Equivalent: within {inside} of the first with probability {prob:g} or more."


def scoreboard_table(board: Scoreboard) -> Table:
    """Return a row for each model, a column for each metric."""
    header, columns, bold = ["Model"], [], []
    for j, r in enumerate(board.rankings.values(), 1):
        header.append(f"{r.label}{' (%)' if r.metric.percent else ''}")
        column = dict(zip(r.models, _scores(r), strict=True))
        columns.append([column[model] for model in board.models])
        if not r.tied[1:].any():
            bold.append((board.models.index(r.models[0]), j))
    return Table(tuple(header), tuple(zip(board.models, *columns, strict=True)), frozenset(bold))


def sentence(r: Ranking) -> str:
    """Return which model is the best, or among which it is, as a sentence."""
    among, p = np.array(r.models)[r.tied], equation("P", r.p_among_best)
    if np.isnan(r.score).any():
        which = joined(np.array(r.models)[np.isnan(r.score)])
        reason = "is undefined (there is nothing to divide by), so no model is called the best"
        return printable(f"The {in_prose(r.label)} of {which} {reason}.")
    if len(among) == 1:
        return printable(f"{among[0]} is the best in {in_prose(r.label)} ({p}).")
    whom = f"any of the {len(among)}" if len(among) == len(r.models) > 2 else joined(among, "or")
    leads = f"{r.models[0]} leads in {in_prose(r.label)} ({equation('P(best)', float(r.p_best[0]))})"
    return printable(f"{leads}, but the data do not decide which is the best: {whom} ({p}).")


def joint_sentence(r: Ranking) -> str:
    """Return what may be said of all models at once: who beats whom, and the whole order."""
    names, rope = np.array(r.models), r.settings.rope.high
    groups: dict[str, list[str]] = {}
    for name, row in zip(names, r.jointly, strict=True):
        groups.setdefault(listing(names[row], most=3), []).append(name)
    claims = [f"{joined(who)} beat{'s' * (len(who) == 1)} {whom}" for whom, who in groups.items() if whom]
    # More would not be read.
    beats = ("; ".join(claims[:4]) or "no model beats another") + " and so on" * (len(claims) > 4)
    margin = f" by more than {amount(rope, percent=r.metric.percent)}" if rope else ""
    together = f"With probability {r.settings.prob:g} for all claims together"
    return printable(f"{together}, {beats}{margin}; {equation('P(whole order)', r.p_order)}.")


def methods(r: Ranking, labels: str = "") -> str:
    """Return how models were ranked: prior, assumption, draws, version."""
    s = r.settings
    ranked = f"{len(r.models)} models were ranked by {labels or in_prose(r.label)} with {PACKAGE}, with {prior_of(s)}"
    drawn = f"probabilities rest on {draws_of(s, s.n_draws, 0.5 / s.n_draws**0.5)}"
    best = f"A model may be the best if it is in the smallest set with the best in it (P ≥ {r.threshold:g})."
    source = "" if s.training else f" Posteriors of the scores are those of {cited(s)}."
    return printable(f"{ranked}; {s.model or dependence(s)}; {drawn}. {best}{source}")
