r"""The difference estimator of a score: labelled items, corrected by predictions of the gold labels of all items.

Gold of an item is predicted by the shares of gold labels among labelled items of the same judgement. With tables per item
:math:`\bar T` of labelled items by gold, :math:`\bar F` of labelled items by predicted gold, and :math:`\bar F_*` of all
items by predicted gold, the score D is estimated by

.. math:: D\bigl(\bar T + \lambda (\bar F_* - \bar F)\bigr),

where λ (`correction_weight` below) minimises the variance, as in prediction-powered inference.

Angelopoulos et al. (2023), Science 382, 669–674; Angelopoulos, Duchi & Zrnic (2023), PPI++.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import Metric
from bayesf1.sampling.model import SamplingModel
from bayesf1.tasks.judged.missing_labels import are_uneven_over_strata
from bayesf1.tasks.judged.strata import Strata
from bayesf1.tasks.judged.task import Judged

# Step of a numerical derivative in a cell of a table of shares.
_STEP = 1e-5
# λ depends on slopes at the estimate, which depends on λ; each round takes the slopes at the last round's estimate.
_ROUNDS = 3


class AssistedEstimate(NamedTuple):
    """An estimate from labelled items, improved by what is known about all items, and its standard error."""

    value: float
    standard_error: float


def difference_estimate(sampling: SamplingModel, metric: Metric) -> AssistedEstimate | None:
    """Return the difference estimator of a score, or of the difference of two.

    None if all items are labelled, or if labels were not given at random.
    """
    ev = sampling.ev
    task = ev.task
    if not isinstance(task, Judged) or not ev.labelled or not sampling.shared:
        return None
    units = ev.units
    strata = task.strata
    counts = task.counts(ev.tables)
    if units is None or metric.origin is None or not counts[:, :-1].any():
        return None
    if are_uneven_over_strata(units, strata, counts):
        return None

    predicted_gold = _predicted_gold(strata, counts)[strata.stratum]  # (pair, gold)
    labelled, unlabelled = strata.split(ev.tables.reshape(len(ev.models), -1))  # (model, pair, gold or 1)
    labelled_items = labelled.sum(axis=-1, keepdims=True)  # (model, pair, 1)
    all_items = labelled_items + unlabelled
    n_labelled = float(labelled_items[0].sum())
    n_items = float(counts.sum())
    # Tables per item, axes (model, cell of the inner task).
    by_gold = task.tables_of(labelled) / n_labelled
    by_predicted = task.tables_of(labelled_items * predicted_gold) / n_labelled
    by_predicted_of_all = task.tables_of(all_items * predicted_gold) / n_items
    correction = by_predicted_of_all - by_predicted
    is_labelled = np.append(np.ones(len(strata.golds)), 0.0)  # ([*gold, none])

    score = score_of(ev, task, metric)
    correction_weight = 0.0
    standard_error = 0.0
    for _ in range(_ROUNDS):
        slopes = slopes_of(score, by_gold + correction_weight * correction)
        # How much one item moves the score, by its gold label and the model's label in its pair, axes (model, pair, gold).
        moves = np.einsum("gpt,mt->mpg", task.outcomes_of_gold, slopes)[:, strata.label]
        moves_predicted = (moves * predicted_gold).sum(axis=-1, keepdims=True)  # (model, pair, 1)
        deviation = moves - _mean_move(slopes, by_gold)
        deviation_predicted = moves_predicted - _mean_move(slopes, by_predicted)
        deviation_of_all = moves_predicted - _mean_move(slopes, by_predicted_of_all)
        # Influences of an item of each cell on D of labelled items and on the correction, axes (model, pair, [*gold, none]).
        without_label = np.zeros_like(moves_predicted)
        influence = np.concatenate([deviation / n_labelled, without_label], axis=-1)
        influence_of_correction = deviation_of_all / n_items - is_labelled * deviation_predicted / n_labelled
        unit_influence = np.asarray(units.rows @ influence.ravel())  # (pattern)
        unit_influence_of_correction = np.asarray(units.rows @ influence_of_correction.ravel())
        covariance = float(units.weights @ (unit_influence * unit_influence_of_correction))
        variance = float(units.weights @ unit_influence_of_correction**2)
        correction_weight = -covariance / variance if variance > 0.0 else 0.0
        residual = unit_influence + correction_weight * unit_influence_of_correction
        standard_error = float(np.sqrt(units.weights @ residual**2))
    return AssistedEstimate(float(score(by_gold + correction_weight * correction)), standard_error)


def _mean_move(slopes: FloatArray, tables: FloatArray) -> FloatArray:
    """Return how much an item moves the score on average, given tables per item, axes (model, cell) to (model, 1, 1)."""
    return np.asarray((slopes * tables).sum(axis=1)[:, None, None])


def _predicted_gold(strata: Strata, counts: FloatArray) -> FloatArray:
    """Return shares of gold labels among labelled items with the same label of the judge, axes (stratum, gold)."""
    n = len(strata.models)
    numbers: dict[tuple[str, ...], int] = {}
    judgement = [numbers.setdefault(labels[n:], len(numbers)) for labels in strata.predicted]
    labelled = counts[:, :-1]
    by_judgement = np.zeros((len(numbers), len(strata.golds)))
    np.add.at(by_judgement, judgement, labelled)
    gold_counts = by_judgement[judgement]  # (stratum, gold)
    items = gold_counts.sum(axis=1, keepdims=True)
    shares_of_all = labelled.sum(axis=0) / labelled.sum()
    return np.asarray(np.where(items > 0.0, gold_counts / np.maximum(items, 1.0), shares_of_all))


# ---- slopes of a score ------------------------------------------------------------------------------------


def score_of(ev: Evaluation, task: Judged, metric: Metric) -> Callable[[FloatArray], FloatArray]:
    """Return the score, or the difference of two, as a function of tables of the inner task, axes (..., model, cell)."""
    assert metric.origin is not None
    inner_task = task.inner_task
    inner = inner_task.metric(metric.origin.name, task.tables_of(task.strata.filled(ev.tables)))

    def score(tables: FloatArray) -> FloatArray:
        scores = ev.mean_scores(inner(np.maximum(tables, 0.0), inner_task.cells))
        if len(ev.names) > 1:
            return np.asarray(scores[..., -1] - scores[..., 0])
        return np.asarray(scores[..., 0])

    return score


def slopes_of(score: Callable[[FloatArray], FloatArray], tables: FloatArray) -> FloatArray:
    """Return how a score moves with each cell of the models' tables, axes (model, cell).

    The derivative is numerical, by central differences; at a cell of 0 it is one-sided, as counts cannot be negative.
    """
    steps = _STEP * np.eye(tables.size).reshape(-1, *tables.shape)  # (step, model, cell)
    above = tables + steps
    below = np.maximum(tables - steps, 0.0)
    widths = (above - below).reshape(tables.size, -1).max(axis=1)  # (step)
    slopes = (score(above) - score(below)) / widths
    return np.asarray(slopes).reshape(tables.shape)
