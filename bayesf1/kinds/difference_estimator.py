r"""The difference estimator: labelled items, corrected by what is predicted of all.

With shares :math:`\hat f` of gold labels among the labelled items of which the judges say the same, tables are estimated by

.. math:: T = \bar y_L + \lambda\,(\bar f - \bar f_L),

where :math:`\bar y_L` is the mean of what labelled items add to tables, :math:`\bar f_L` that of what they are predicted to
add, and :math:`\bar f` that of all items; λ makes the variance of the score smallest, as power-tuned prediction-powered
inference has it. It needs no prior, and labels that were given at random, or by known probabilities: items of about the
same probability are then a sample by themselves, and these are added up by their sizes.

Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, Chapter 6; Angelopoulos, Duchi & Zrnic (2023), PPI++.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.kind import Assisted
from bayesf1.evaluation.metric import Metric
from bayesf1.kinds.strata import PROBABILITY, Strata

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under
    from bayesf1.kinds.audited import Audited

_STEP = 1e-5
# Below, labels are called uneven.
_LEVEL = 1e-3


def difference_estimate(under: Under, kind: Audited, measure: Metric) -> Assisted | str:
    """Return the difference estimator of a score, or of the difference of two, or say why there is none."""
    ev, strata = under.ev, kind.strata
    units, k = ev.units, len(strata.golds)
    if units is None or measure.origin is None or not under.shared:
        return ""
    sample = _samples(strata)
    counts = kind.counts(ev.tables)
    if why := _uneven(under, kind, sample):
        return why
    # By stratum and what a model said: the sample it is of, and what is predicted of gold.
    inside = np.equal(sample[strata.stratum], np.arange(sample.max() + 1)[:, None])[..., None]
    predicted = _predicted(strata, counts)[strata.stratum]
    labelled, unlabelled = strata.split(ev.tables.reshape(len(ev.models), -1))
    known_items = labelled.sum(axis=-1, keepdims=True)
    every, known = ((part[0] * inside).sum(axis=(1, 2)) for part in (known_items + unlabelled, known_items))
    of_all, total = every / every.sum(), every.sum()

    def mean(golds: FloatArray, size: FloatArray) -> FloatArray:
        """Return what items of these gold labels add on average in each sample, axes (model, sample, cell of the task)."""
        return kind.tables_of(golds[:, None] * inside) / size[:, None]

    seen, guessed = mean(labelled, known), mean(known_items * predicted, known)
    gap = mean((known_items + unlabelled) * predicted, every) - guessed
    task = kind.task.measure(measure.origin[1], kind.tables_of(strata.filled(ev.tables)))

    def score(means: FloatArray) -> FloatArray:
        scores = ev.mean_scores(task(np.maximum(means, 0.0), kind.task.cells))
        return np.asarray(scores[..., -1] - scores[..., 0] if len(ev.names) > 1 else scores[..., 0])

    of_pair = sample[strata.stratum]
    each = (of_all / known)[of_pair][:, None] * (np.arange(k + 1) < k)
    tuned, spread = 0.0, 0.0
    for _ in range(3):
        table = of_all @ (seen + tuned * gap)
        slopes = slopes_of(score, table)
        # What each item moves the score by: its gold label, and what is predicted of it, axes (model, pair, gold or none).
        moves = np.einsum("gst,mt->msg", kind.outcomes_of_gold, slopes)[:, strata.own]
        guess = (moves * predicted).sum(axis=-1, keepdims=True)
        value = np.concatenate([moves, np.zeros_like(guess)], axis=-1)
        at, guess_at, all_at = (
            np.einsum("mht,mt->mh", part, slopes) for part in (seen, guessed, guessed + gap)
        )
        by_label = (
            each * (value - at[:, of_pair, None]) + (at - at @ of_all[:, None])[:, of_pair, None] / total
        )
        by_guess = each * (guess - guess_at[:, of_pair, None]) - (guess - all_at[:, of_pair, None]) / total
        a, b = (np.asarray(units.rows @ part.ravel()) for part in (by_label, by_guess))
        rest = float(units.weights @ (b * b))
        tuned = float(units.weights @ (a * b)) / rest if rest > 0.0 else 0.0
        spread = float(np.sqrt(units.weights @ (a - tuned * b) ** 2))
    return Assisted(float(score(of_all @ (seen + tuned * gap))), spread)


def _samples(strata: Strata) -> NDArray[np.intp]:
    """Return which strata are of about the same probability of being labelled, as numbers from 0."""
    if PROBABILITY not in strata.voices:
        return np.zeros(strata.size, dtype=np.intp)
    j = strata.voices.index(PROBABILITY)
    return np.unique([said[j] for said in strata.said], return_inverse=True)[1].ravel()


def _predicted(strata: Strata, counts: FloatArray) -> FloatArray:
    """Return shares of gold labels among labelled items of which the judges say the same, axes (stratum, gold)."""
    judged = [i for i, voice in enumerate(strata.voices) if i >= len(strata.models) and voice != PROBABILITY]
    place: dict[tuple[str, ...], int] = {}
    same = [place.setdefault(tuple(said[i] for i in judged), len(place)) for said in strata.said]
    sums = np.zeros((len(place), len(strata.golds)))
    np.add.at(sums, same, counts[:, :-1])
    labelled = sums[same]
    whole = counts[:, :-1].sum(axis=0) / counts[:, :-1].sum()
    size = labelled.sum(axis=1, keepdims=True)
    return np.asarray(np.where(size > 0.0, labelled / np.maximum(size, 1.0), whole))


def _uneven(under: Under, kind: Audited, sample: NDArray[np.intp]) -> str:
    """Say whether labels lie otherwise in strata than chance would have them, from unit to unit; else nothing."""
    from scipy.sparse import csr_array

    units, strata, k = under.ev.units, kind.strata, len(kind.strata.golds)
    assert units is not None
    counts = kind.counts(under.ev.tables)
    labelled, every = (
        np.bincount(sample, weights=part) for part in (counts[:, :-1].sum(axis=1), counts.sum(axis=1))
    )
    if not labelled.all():
        return "There is no difference estimator, as some probability of being labelled has no labelled item."
    share = (labelled / every)[sample][np.repeat(strata.stratum, k + 1)]
    away = np.tile(np.arange(k + 1) < k, len(strata.pairs)) - share
    where = (np.arange(len(away)), np.repeat(strata.stratum, k + 1))
    each = units.rows[:, : len(away)] @ csr_array((away, where), shape=(len(away), strata.size))
    # Where few labels fall in a stratum their own spread is no measure; where units are documents, that of chance is none.
    rate = (labelled / every)[sample]
    chance = counts.sum(axis=1) * rate * (1.0 - rate)
    spread = np.sqrt(np.maximum(units.weights @ each.power(2), chance))
    largest = np.max(np.abs(units.weights @ each) / np.maximum(spread, 1e-300))
    if 2.0 * strata.size * special.ndtr(-largest) >= _LEVEL:
        return ""
    return (
        "There is no difference estimator, as it takes labels that were given at random, or by known probabilities, and "
        "these lie in some cells more often than that."
    )


def slopes_of(score: Callable[[FloatArray], FloatArray], means: FloatArray) -> FloatArray:
    """Return how a score moves with each cell of the models' tables, axes (model, cell)."""
    steps = _STEP * np.eye(means.size).reshape(-1, *means.shape)
    low = np.maximum(means - steps, 0.0)
    gaps = (means + steps - low).reshape(means.size, -1).max(axis=1)
    return np.asarray((score(means + steps) - score(low)) / gaps).reshape(means.shape)
