r"""Few gold labels: which items to label next.

With :math:`N_c` items in stratum c, :math:`n_c` of them labelled, shares θ of gold labels and a score D of the tables,

.. math:: \operatorname{Var} D \approx V_\pi + \sum_c \frac{\sigma_c^2}{n_c + 1 + a_c}, \qquad
          \sigma_c^2 = \operatorname{Var}_{g \sim \theta_c}\Bigl(\frac{\partial D}{\partial \theta_{cg}}\Bigr),

where :math:`V_\pi` is the variance that labels cannot reduce, as the items themselves are a sample, and :math:`a_c` is the
prior's weight. Neyman's allocation makes :math:`n_c` proportional to :math:`\sigma_c`.

Neyman (1934), Journal of the Royal Statistical Society 97, 558–625.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from bayesf1.base.arrays import AnyArray, FloatArray, crossing
from bayesf1.base.checks import RNGLike, check_prob, check_rng, check_whole
from bayesf1.base.naming import quoted
from bayesf1.evaluation import Evaluation, resolve_metric
from bayesf1.metrics import Metric, MetricLike
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import labelling as words
from bayesf1.sampling.model import SamplingModel, sampling_model
from bayesf1.tasks.judged.difference_estimator import score_of, slopes_of
from bayesf1.tasks.judged.strata import POOLED, Strata
from bayesf1.tasks.judged.task import Judged

# Number of draws from which the present posterior variance is estimated.
_DRAWS = 8000
# Share of the budget that is spread over all strata, even those that seem to vary little.
_EXPLORE = 0.1


class Cell(NamedTuple):
    """Items with the same labels of all models and the judge.

    Attributes
    ----------
    known, predicted
        The labels of the models and the judge, in words, and by name.
    items, labelled
        The number of items, and how many of them have a gold label.
    gold
        The expected shares of gold labels.
    plan, random
        How many to label next, and how many a random choice would label on average.
    """

    known: str
    predicted: dict[str, str]
    items: float
    labelled: float
    gold: dict[str, float]
    plan: int
    random: float


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelPlan(Answer):
    """Which items to label next, and how much their labels are expected to help.

    Attributes
    ----------
    models
        The model whose score, or the two models whose difference, the plan is for.
    metric, label, percent
        The name of the metric, its name in print, and whether it is printed in percent.
    budget
        How many items the plan labels.
    cells
        The items by their known labels, with how many of each to label, most first.
    length, length_after, length_random
        Lengths of the interval: now, expected after the plan, and after the same number of labels at random.
    verdict, verdict_random
        Probability that the interval of a difference excludes 0 after the plan, and after the same number of labels at
        random.
    decided
        Whether it excludes 0 now.
    difference, prob
        The present estimate of the difference, or of the score, and the mass of intervals.
    chosen
        The items to label, as in `items`; None if rows are not known.
    cautions
        Doubts that come from the choice of labelled items, in sentences.
    """

    models: tuple[str, ...]
    metric: str
    label: str
    percent: bool
    budget: int
    cells: tuple[Cell, ...]
    length: float
    length_after: float
    length_random: float
    verdict: float | None
    verdict_random: float | None
    decided: bool
    difference: float
    prob: float
    chosen: AnyArray | None
    cautions: tuple[str, ...] = ()

    json_format = "bayesf1.label/1"

    @property
    def title(self) -> str:
        """The purpose of the labels."""
        return words.title(self)

    @property
    def below(self) -> Sequence[str]:
        """The expected effect of the plan, and that of labels at random."""
        return words.sentences(self)

    @property
    def table(self) -> Table:
        """A row for each kind of items."""
        return words.table(self)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each kind of items."""
        return [
            {
                "known": cell.known,
                **cell.predicted,
                "items": cell.items,
                "labelled": cell.labelled,
                **{f"gold {name}": share for name, share in cell.gold.items()},
                "plan": cell.plan,
                "random": cell.random,
            }
            for cell in self.cells
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        left_out = ("cells", "models", "chosen", "cautions")
        plain = {name: value for name, value in vars(self).items() if name not in left_out}
        items = None if self.chosen is None else self.chosen.tolist()
        found = {"models": list(self.models), **plain, "cells": self.records(), "items": items}
        return {**found, "notes": list(self.below)}

    @property
    def items(self) -> AnyArray:
        """The items to label, drawn at random within each cell, in random order: ids, or row numbers from 0."""
        if self.chosen is None:
            raise ValueError(
                "rows are not known if a database counted them, or if evaluations were added up; give their columns to "
                "from_labels, or a frame in memory to from_frame"
            )
        return self.chosen


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
    r"""Plan which items to label next: how many of each group with the same known labels.

    Labels are spent where they most reduce the variance of the difference of two models, or of the score of one, by Neyman's
    allocation. A tenth of them is spread over all cells, so that no cell is left out because its few labels happened to
    agree. If the variance is now :math:`V_0` and is expected to be :math:`V_1` after the labels, the posterior mean will
    have moved by a normal variate of variance :math:`V_0 - V_1`, from which the probability of a verdict follows.

    Parameters
    ----------
    ev
        An evaluation in which some items have no gold label, from `from_labels` or `from_frame` with ``judge=``.
    a, b
        Names of the models; may be left out if there are one or two. With `a` alone, the plan is for its score.
    budget
        How many items to label.
    metric
        Name of a metric; F1 by default.
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
    >>> predicted = {name: np.where(rng.random(5000) < error, 1 - truth, truth) for name, error in (("A", 0.2), ("B", 0.1))}
    >>> gold = np.where(np.arange(5000) < 100, truth, np.nan)
    >>> plan = plan_labels(from_labels(gold, predicted, judge={}, positive=1), budget=100, rng=1)
    >>> [(cell.known, cell.plan > cell.random) for cell in plan.cells][:2]
    [('A 1, B not 1', True), ('A not 1, B 1', True)]
    >>> plan.items.shape, int(np.isnan(gold[plan.items]).sum())
    ((100,), 100)
    """
    budget = check_whole(budget, "budget", 1, 12)
    prob = check_prob(prob)
    task = ev.task
    if not isinstance(task, Judged):
        raise ValueError(
            "plan_labels is for items of which some have no gold label, but here all have one; build the evaluation "
            "by from_labels or from_frame with judge=, or judge={} without one, and None for gold labels that are missing"
        )
    ev = _models_of(ev, a, b)
    metric = resolve_metric(metric, ev)
    if metric.origin is None:
        raise ValueError(f"a plan of labels needs the name of a metric, such as 'f1', not {quoted(metric)}")
    sampling = sampling_model(ev, prior=prior)
    generator = check_rng(rng)
    drawn = _drawn_scores(sampling, metric, generator)
    doubt = doubt_of(ev, task, metric, prior=sampling.prior)
    variance = doubt.variance()
    scale = float(drawn.var()) / variance if variance > 0.0 else 1.0
    doubt = replace(doubt, scale=scale, mean=float(drawn.mean()), prob=prob)
    plan = doubt.neyman(budget, explore=_EXPLORE)
    random = doubt.at_random(budget)
    verdict: float | None = None
    verdict_random: float | None = None
    is_decided = False
    if len(ev.names) > 1:
        p_above = float(np.mean(drawn > 0.0))
        is_decided = max(p_above, 1.0 - p_above) >= 0.5 * (1.0 + prob)
        verdict = doubt.verdict(plan)
        verdict_random = doubt.verdict(random)
    chosen = None if task.unlabelled is None else task.unlabelled.choose(plan, generator)
    return LabelPlan(
        models=ev.names,
        metric=metric.name,
        label=metric.label,
        percent=metric.percent,
        budget=int(plan.sum()),
        cells=_cells(task.strata, task.counts(ev.tables), plan, random),
        length=doubt.length(),
        length_after=doubt.length(plan),
        length_random=doubt.length(random),
        verdict=verdict,
        verdict_random=verdict_random,
        decided=is_decided,
        difference=doubt.mean,
        prob=prob,
        chosen=chosen,
        cautions=task.cautions,
    )


def _models_of(ev: Evaluation, a: str | None, b: str | None) -> Evaluation:
    """Return the evaluation of one model if one is named or there is only one; otherwise of two."""
    if a is not None and b is None:
        return ev.select([a])
    if len(ev.names) == 1:
        return ev
    return ev.pair(a, b)


def _drawn_scores(sampling: SamplingModel, metric: Metric, rng: np.random.Generator) -> FloatArray:
    """Return draws of the score of one model, or of the difference of two."""
    n_draws = min(_DRAWS, sampling.n_draws([metric]))
    (scores,) = sampling.scores([metric], n_draws=n_draws, rng=rng)  # (draw, model)
    if scores.shape[1] > 1:
        return np.asarray(scores[:, -1] - scores[:, 0])
    return np.asarray(scores[:, 0])


def _cells(strata: Strata, counts: FloatArray, plan: FloatArray, random: FloatArray) -> tuple[Cell, ...]:
    """Return the strata in words, with how many items of each to label, most first."""
    shares = strata.shares(counts[:, :-1])
    most_first = np.argsort(-plan, kind="stable").tolist()
    return tuple(
        Cell(
            known=strata.describe(c),
            predicted=dict(zip(strata.raters, strata.predicted[c], strict=True)),
            items=float(counts[c].sum()),
            labelled=float(counts[c, :-1].sum()),
            gold=dict(zip(strata.golds, shares[c].tolist(), strict=True)),
            plan=int(plan[c]),
            random=float(random[c]),
        )
        for c in most_first
    )


@dataclass(frozen=True, eq=False)
class Doubt:
    r"""The variance of a score, or of a difference of two scores, and its part in each stratum.

    Attributes
    ----------
    spread
        :math:`\sigma_c` of each stratum.
    labelled, unlabelled
        How many items of each stratum have a gold label, :math:`n_c`, and how many have none.
    believed
        The prior's weight in each stratum, :math:`a_c`.
    sampled
        The variance that labels cannot reduce, :math:`V_\pi`.
    scale
        The ratio of the posterior variance to this sum.
    mean, prob
        The posterior mean of the score, or of the difference, and the mass of the interval that should exclude 0.
    """

    spread: FloatArray
    labelled: FloatArray
    unlabelled: FloatArray
    believed: FloatArray
    sampled: float
    scale: float = 1.0
    mean: float = 0.0
    prob: float = 0.95

    def variance(self, more: FloatArray | float = 0.0) -> float:
        """Return the posterior variance that is expected after `more` items of each stratum are labelled."""
        weight = self.labelled + more + 1.0 + self.believed
        of_labels = (self.spread**2 / weight).sum()
        return float(self.scale * (self.sampled + of_labels))

    def neyman(self, budget: int, *, explore: float) -> FloatArray:
        r"""Return how many items of each stratum to label: :math:`m_c = \max(t\,\sigma_c - n_c, f_c)`, at most all.

        The floor :math:`f_c` is the share `explore` of the budget, spread over strata by the root of their size, so that
        none is left out because its few labels happened to agree.
        """
        budget = int(min(budget, self.unlabelled.sum()))
        root = np.sqrt(self.unlabelled)
        explored = explore * budget * root / max(root.sum(), 1.0)
        floor = np.minimum(np.floor(explored), self.unlabelled)

        def allocated(t: float) -> FloatArray:
            return np.clip(t * self.spread - self.labelled - self.believed, floor, self.unlabelled)

        # At the largest t, all items of strata with a spread are labelled.
        varies = self.spread > 0.0
        weight = self.labelled + self.believed + self.unlabelled
        largest = float((weight[varies] / self.spread[varies]).max(initial=0.0)) + 1.0
        t = crossing(lambda t: allocated(t).sum() - budget, 0.0, largest)
        allocation = allocated(t)
        short = budget - allocation.sum()
        if short > 0.0:
            # The rest of the labels goes to strata without a spread.
            left = self.unlabelled - allocation
            allocation = allocation + left * (short / left.sum())
        return largest_remainders(allocation, self.unlabelled, budget)

    def at_random(self, budget: int) -> FloatArray:
        """Return how many items of each stratum a random choice labels, on average."""
        total = self.unlabelled.sum()
        if total == 0.0:
            return np.zeros_like(self.unlabelled)
        return np.asarray(self.unlabelled * (min(budget, total) / total))

    @property
    def _z(self) -> float:
        return float(special.ndtri(0.5 * (1.0 + self.prob)))

    def length(self, more: FloatArray | float = 0.0) -> float:
        """Return the expected length of the interval after `more` items of each stratum are labelled."""
        return 2.0 * self._z * float(np.sqrt(self.variance(more)))

    def verdict(self, more: FloatArray) -> float:
        r"""Return the probability that the interval of a difference will exclude 0.

        The posterior mean moves by a normal variate of variance :math:`V_0 - V_1`, and must end beyond
        :math:`z\sqrt{V_1}`.
        """
        after = self.variance(more)
        moved = np.sqrt(max(self.variance() - after, 1e-300))
        margin = self._z * np.sqrt(after)
        above = special.ndtr((self.mean - margin) / moved)
        below = special.ndtr((-self.mean - margin) / moved)
        return float(above + below)


def largest_remainders(numbers: FloatArray, most: FloatArray, total: int) -> FloatArray:
    """Return whole numbers close to these that add up to `total`, each at most as large as `most`.

    Numbers are rounded down, and those with the largest remainders get one more, until the total is reached.

    Examples
    --------
    >>> largest_remainders(np.array([1.6, 2.7, 0.7]), np.array([9.0, 9.0, 9.0]), 5)
    array([1., 3., 1.])
    """
    rounded = np.minimum(np.floor(numbers + 1e-9), most)
    by_remainder = np.argsort(-(numbers - rounded), kind="stable")
    short = int(total - rounded.sum())
    while short > 0:
        has_room = [c for c in by_remainder.tolist() if rounded[c] < most[c]]
        rounded[has_room[:short]] += 1.0
        short = int(total - rounded.sum())
    return rounded


def doubt_of(ev: Evaluation, task: Judged, metric: Metric, *, prior: float) -> Doubt:
    """Return the sources of the variance of one model's score, or of the difference of two."""
    strata = task.strata
    k = len(strata.golds)
    counts = task.counts(ev.tables)  # (stratum, [*gold, none])
    labelled = counts[:, :-1]
    items = counts.sum(axis=1)  # (stratum)
    a = strata.weight(prior)
    believed = labelled + a + POOLED * strata.pooled(labelled + a)
    theta = believed / believed.sum(axis=1, keepdims=True)
    slopes = _slopes(ev, task, metric, items[:, None] * theta)  # (stratum, gold)
    mean = (theta * slopes).sum(axis=1)
    variance = (theta * (slopes - mean[:, None]) ** 2).sum(axis=1)
    mean_of_all = items @ mean / max(items.sum(), 1.0)
    return Doubt(
        spread=items * np.sqrt(variance),
        labelled=labelled.sum(axis=1),
        unlabelled=counts[:, -1],
        believed=np.full(strata.size, a * k + POOLED),
        sampled=float(items @ (mean - mean_of_all) ** 2),
    )


def _slopes(ev: Evaluation, task: Judged, metric: Metric, golds: FloatArray) -> FloatArray:
    """Return how the score, or the difference of two, moves with one more item of a gold label, axes (stratum, gold).

    `golds` is the number of items of each stratum and gold label.
    """
    strata = task.strata
    models = [strata.models.index(model) for model in ev.models]
    n_items = max(golds.sum(), 1.0)
    # Shares of all items by each model's label and gold, axes (model, label, gold).
    matrices = np.stack([strata.sums_by_label(model) @ golds for model in models]) / n_items
    tables = np.einsum("mpg,gpt->mt", matrices, task.outcomes_of_gold)  # (model, cell of the inner task)
    slopes = slopes_of(score_of(ev, task, metric), tables)
    # How each model's score moves with an item of a gold label for which it has a label, axes (model, label, gold).
    moves = np.einsum("gpt,mt->mpg", task.outcomes_of_gold, slopes) / n_items
    # One array (stratum, gold) for each model.
    by_model = [moves[i, strata.predicted_by(model)] for i, model in enumerate(models)]
    return np.asarray(sum(by_model))
