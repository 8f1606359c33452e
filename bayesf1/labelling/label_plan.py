"""What to label next, and what it will tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.answer import Answer
from bayesf1.base.checks import RNGLike, check_prob, check_rng, check_whole, checked
from bayesf1.base.naming import shown
from bayesf1.base.table import Table, points, printable, probability
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import MetricLike
from bayesf1.evaluation.scoring import find_measure
from bayesf1.kinds.audited import Audited
from bayesf1.kinds.strata import Strata
from bayesf1.labelling.allocation import Prospect, doubt_of

# Draws from which the variance of today is seen.
_DRAWS = 8000
# Share of a budget that goes to strata whatever they seem to tell.
_EXPLORE = 0.1


@dataclass(frozen=True)
class LabelledCell:
    """Items of which the same is known.

    Attributes
    ----------
    known
        What models and judges said of them.
    items, labelled
        How many there are, and how many of them have a gold label.
    gold
        Shares of gold labels that are expected among them, by label.
    plan, random
        How many to label next, and how many a choice at random would label.
    """

    known: str
    items: float
    labelled: float
    gold: dict[str, float]
    plan: int
    random: float


@dataclass(frozen=True, eq=False)
class LabelPlan(Answer):
    """Which items to label next, and what their labels are expected to tell.

    Attributes
    ----------
    models
        Whose score, or whose difference in it, the plan is for.
    metric, label, percent
        Name of the measure, how it is printed, and whether in percent.
    budget
        How many items the plan labels.
    cells
        The items by what is known of them, with how many of each to label, most first.
    length, length_after, length_random
        Lengths of the interval: today, expected after the plan, and after as many labels at random.
    verdict, verdict_random
        Probability that the interval of a difference excludes 0 after the plan, and after as many labels at random.
    decided
        Whether it does today.
    until, until_random
        Labels after which it does if the difference stays what it seems today, by plan and at random; None where not
        even after all.
    difference, prob
        The difference as it seems today, or the score, and the mass of intervals.
    strata
        What is known of items.
    chosen
        The items to label, as `items` has them; None where rows are not known.
    cautions
        What the choice of the items that are labelled makes doubtful.
    """

    models: tuple[str, ...]
    metric: str
    label: str
    percent: bool
    budget: int
    cells: tuple[LabelledCell, ...]
    length: float
    length_after: float
    length_random: float
    verdict: float | None
    verdict_random: float | None
    decided: bool
    until: int | None
    until_random: int | None
    difference: float
    prob: float
    strata: Strata
    chosen: NDArray[Any] | None
    cautions: tuple[str, ...] = ()

    json_format = "bayesf1.label/1"

    @property
    def title(self) -> str:
        """What the labels are for."""
        return printable(f"The next {self.budget:,} items to label for {self._what}")

    @property
    def _what(self) -> str:
        if len(self.models) == 1:
            return f"{self.label} of {self.models[0]}"
        return f"{self.label} of {self.models[1]} minus {self.models[0]}"

    @property
    def table(self) -> Table:
        """What is known of items, how many there are, are labelled and are to be labelled."""
        golds = self.strata.golds
        shown = golds[1:] if len(golds) == 2 else ()
        header = ("Known", "Items", "Labelled", *(f"Gold {g} (%)" for g in shown), "Label next", "At random")
        rows = tuple(
            (
                printable(cell.known),
                f"{cell.items:,.0f}",
                f"{cell.labelled:,.0f}",
                *(f"{100 * cell.gold[g]:.1f}" for g in shown),
                f"{cell.plan:,}",
                f"{cell.random:,.1f}",
            )
            for cell in self.cells
        )
        return Table(header, rows)

    @property
    def below(self) -> Sequence[str]:
        """What the plan is expected to do, and what labels at random would."""
        now, after, random = (
            points(x, 1 if self.percent else 3, percent=self.percent)
            for x in (self.length, self.length_after, self.length_random)
        )
        unit = " percentage points" if self.percent else ""
        said = [
            (
                f"The {100 * self.prob:.4g} % interval of {self._what} is {now}{unit} long, and is expected to be {after} "
                f"long after these {self.budget:,} labels; {random} after as many at random."
            )
        ]
        if self.verdict is not None and self.verdict_random is not None:
            if self.decided:
                said.append("The verdict stands already.")
            else:
                said.append(
                    f"They bring a verdict with probability {probability(self.verdict)}, as many at random with "
                    f"{probability(self.verdict_random)}; {self._until()}."
                )
        said.append(
            "You may look after each batch: P(H1) means the same whenever labelling stops. But if the models are equally "
            "good, frequent looks call one of them better by chance in more than one of twenty cases."
        )
        return [printable(line) for line in (*said, *self.cautions)]

    def _until(self) -> str:
        gap = points(self.difference, 1 if self.percent else 3, sign=True, percent=self.percent)
        stays = f"if the difference stays {gap}{' percentage points' if self.percent else ''}"
        ways = ((self.until, "by plan"), (self.until_random, "at random"))
        found = [f"{n:,} labels {way}" for n, way in ways if n is not None]
        return f"{stays} it takes {' or '.join(found)}" if found else f"{stays} not even all labels do"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each kind of items."""
        return [
            {
                "known": cell.known,
                **dict(zip(self.strata.voices, said, strict=True)),
                "items": cell.items,
                "labelled": cell.labelled,
                **{f"gold {name}": share for name, share in cell.gold.items()},
                "plan": cell.plan,
                "random": cell.random,
            }
            for cell, said in zip(self.cells, self._said, strict=True)
        ]

    @property
    def _said(self) -> list[tuple[str, ...]]:
        place = {self.strata.words(c): said for c, said in enumerate(self.strata.said)}
        return [place[cell.known] for cell in self.cells]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        left_out = ("cells", "strata", "models", "chosen", "cautions")
        plain = {name: value for name, value in vars(self).items() if name not in left_out}
        items = None if self.chosen is None else self.chosen.tolist()
        found = {"models": list(self.models), **plain, "cells": self.records(), "items": items}
        return {**found, "notes": list(self.below)}

    @property
    def items(self) -> NDArray[Any]:
        """Which items to label, drawn at random within each cell, in random order: ids, or row numbers from 0."""
        if self.chosen is None:
            raise ValueError(
                "rows are not known where a database counted them, or evaluations were added up; give their columns to "
                "from_labels, or a frame in memory to from_frame"
            )
        return self.chosen


@checked
def plan_labels(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    budget: int = 200,
    metric: MetricLike | None = None,
    prob: float = 0.95,
    prior: float | None = None,
    rng: RNGLike = None,
) -> LabelPlan:
    r"""Plan which items to label next: how many of those of which the same is known.

    Labels go where they take away most of the doubt about the difference of two models, or about the score of one
    (`allocation`); a tenth of them goes everywhere, lest a cell is left alone because few labels so far made it look sure.
    The expected variance after the labels is :math:`V_1`; the posterior mean will have moved by a normal variate of
    variance :math:`V_0 - V_1`, from which the probability of a verdict follows.

    Parameters
    ----------
    ev
        An evaluation with gaps, from `from_labels` or `from_frame` with ``judge=``.
    a, b
        Names of the models; may be left out where there are one or two. `a` alone asks for its score.
    budget
        How many items to label.
    metric
        Name of a measure; F1 by default.
    prob
        Mass of the intervals; a verdict is one that excludes 0.
    prior
        λ, as in `compare`.
    rng
        Source of randomness: a Generator or an integer.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesf1 import from_labels
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 5000)
    >>> said = {name: np.where(rng.random(5000) < error, 1 - truth, truth) for name, error in (("A", 0.2), ("B", 0.1))}
    >>> gold = np.where(np.arange(5000) < 100, truth, np.nan)
    >>> plan = plan_labels(from_labels(gold, said, judge={}, positive=1), budget=100, rng=1)
    >>> [(cell.known, cell.plan > cell.random) for cell in plan.cells][:2]
    [('A 1, B not 1', True), ('A not 1, B 1', True)]
    >>> plan.items.shape, int(np.isnan(gold[plan.items]).sum())
    ((100,), 100)
    """
    check_evaluation(ev)
    budget = check_whole(budget, "budget", 1, 12)
    prob = check_prob(prob)
    kind = ev.kind
    if not isinstance(kind, Audited):
        raise ValueError(
            "a plan of labels is for items of which some have none, and here all have one; build the evaluation by "
            "from_labels or from_frame with judge=, or judge={} without one, and None for gold labels that are missing"
        )
    pair = ev.select([a]) if a is not None and b is None else ev if len(ev.names) == 1 else ev.pair(a, b)
    measure = find_measure(metric, pair)
    if measure.origin is None:
        raise ValueError(f"a plan of labels takes the name of a measure, such as 'f1', not {shown(metric)}")
    under, weight = pair.under(), kind.check_prior(prior)
    generator = check_rng(rng)
    n_draws = min(_DRAWS, under.default_draws)
    blocks = under.scores([measure], prior=weight, n_draws=n_draws, rng=generator)
    scores = np.concatenate([block for (block,) in blocks])
    drawn = scores[:, -1] - scores[:, 0] if len(pair.names) > 1 else scores[:, 0]
    doubt = doubt_of(pair, kind, measure, prior=weight)
    known = doubt.variance()
    doubt = replace(doubt, scale=float(drawn.var()) / known if known > 0.0 else 1.0)
    prospect = Prospect(doubt, float(drawn.mean()), prob)
    by_plan = partial(doubt.neyman, explore=_EXPLORE)
    plan, random = by_plan(budget), doubt.at_random(budget)
    several = len(pair.names) > 1
    tail = float(np.mean(drawn > 0.0))
    strata = kind.strata
    counts = kind.counts(pair.tables)
    shares = strata.shares(counts[:, :-1])
    cells = [
        LabelledCell(
            strata.words(c),
            float(counts[c].sum()),
            float(counts[c, :-1].sum()),
            dict(zip(strata.golds, shares[c].tolist(), strict=True)),
            int(plan[c]),
            float(random[c]),
        )
        for c in np.argsort(-plan, kind="stable")
    ]
    return LabelPlan(
        models=pair.names,
        metric=measure.name,
        label=measure.label,
        percent=measure.percent,
        budget=int(plan.sum()),
        cells=tuple(cells),
        length=prospect.length(),
        length_after=prospect.length(plan),
        length_random=prospect.length(random),
        verdict=prospect.verdict(plan) if several else None,
        verdict_random=prospect.verdict(random) if several else None,
        decided=several and max(tail, 1.0 - tail) >= 0.5 * (1.0 + prob),
        until=prospect.labels_until(by_plan) if several else None,
        until_random=prospect.labels_until(doubt.at_random) if several else None,
        difference=prospect.mean,
        prob=prob,
        strata=strata,
        chosen=None if kind.unlabelled is None else kind.unlabelled.chosen(plan, generator),
        cautions=kind.cautions,
    )
