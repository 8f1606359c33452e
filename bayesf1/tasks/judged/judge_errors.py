"""How often a judge errs, and whether it errs on the same items as the models.

All functions take the strata and the counts of items in them, axes (stratum, [*gold, none]).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray
from bayesf1.base.naming import joined, listing
from bayesf1.metrics import ratio
from bayesf1.tasks.judged.strata import Strata

# If kappa with two models differs by more than this, a note says that the judge errs on the same items as one of them.
_LEANS = 0.3
# A note is written if the gold labels of more than this share of items are drawn as if raters erred independently.
_UNLIKE_LABELLED = 0.05
# Weak models look too good if more than this percentage of items is in strata without a label, and if errors correlate by
# more than this.
_WITHOUT_LABEL = 20.0
_CORRELATED = 0.1


class Agreement(NamedTuple):
    """How far a judge agrees with gold.

    Attributes
    ----------
    share
        The share of all items on which it says the gold label that they have, or would have.
    kappa
        Cohen's kappa; below 0 the judge is worse than chance.
    """

    share: float
    kappa: float


def judge_agreement(strata: Strata, counts: FloatArray) -> Agreement | None:
    """Return how far the judge agrees with gold; None if there is no judge, or if it never says a gold label."""
    judgements = {labels[-1] for labels in strata.predicted}
    if not strata.judges or judgements.isdisjoint(strata.golds):
        return None
    gold = _expected_gold(strata, counts)
    (judge,) = strata.judges
    matrix = gold.T @ _is_predicted_by(strata, judge) / gold.sum()  # (gold, judgement)
    share = float(np.trace(matrix[:, :-1]))
    chance = float(matrix.sum(axis=1) @ matrix.sum(axis=0)[:-1])
    kappa = (share - chance) / (1.0 - chance) if chance < 1.0 else 0.0
    return Agreement(share, kappa)


def _expected_gold(strata: Strata, counts: FloatArray) -> FloatArray:
    """Return how many items of each stratum have, or would have, each gold label, axes (stratum, gold)."""
    labelled = counts[:, :-1]
    unlabelled = counts[:, -1:]
    return np.asarray(labelled + unlabelled * strata.shares(labelled))


def _label_numbers(strata: Strata) -> IntArray:
    """Return the label of each rater in each stratum as a number of a gold label, axes (stratum, rater)."""
    k = len(strata.golds)
    numbers = {gold: g for g, gold in enumerate(strata.golds)}
    # With two gold labels the first is whatever is not the second.
    another = 0 if k == 2 else k
    return np.array([[numbers.get(label, another) for label in labels] for labels in strata.predicted])


def _is_predicted_by(strata: Strata, rater: str) -> FloatArray:
    """Return 1 for the label of a rater in each stratum, axes (stratum, [*gold, another])."""
    numbers = _label_numbers(strata)[:, strata.raters.index(rater)]
    return np.asarray(np.eye(len(strata.golds) + 1)[numbers])


def shared_errors(strata: Strata, counts: FloatArray, model: str) -> float:
    """Return Cohen's kappa of the judge and a model among items of the same gold label: 0 if they err independently."""
    (judge,) = strata.judges
    by_judge = _is_predicted_by(strata, judge)
    by_model = _is_predicted_by(strata, model)
    # Axes (gold, judgement, prediction).
    joint = np.einsum("sj,sm,sg->gjm", by_judge, by_model, _expected_gold(strata, counts))
    same = np.einsum("gjj->", joint)
    predictions = joint.sum(axis=1)  # (gold, label)
    judgements = joint.sum(axis=2)  # (gold, label)
    items = joint.sum(axis=(1, 2))  # (gold)
    same_by_chance = ratio((predictions * judgements).sum(axis=1), items).sum()
    return float(ratio(same - same_by_chance, joint.sum() - same_by_chance))


def error_correlation(strata: Strata, counts: FloatArray) -> float:
    r"""Return the mean correlation of the errors of models and judge among labelled items of the same gold label.

    Rater v is right on a share :math:`r_v` of the items of a gold label, so the indicator of its being right has the
    variance :math:`s_v^2 = r_v(1 - r_v)`. The number of raters that are right has the variance :math:`\sum_v s_v^2` if they
    err independently, and :math:`(\sum_v s_v)^2` if all err on the same items. The mean correlation is the position of the
    observed variance between these two; gold labels are weighted by their items.
    """
    labelled = counts[:, :-1]
    items = labelled.sum(axis=0)  # (gold)
    shares = ratio(labelled, items)  # (stratum, gold)
    # 1 where the label of a rater is the gold label, axes (stratum, rater, gold).
    right = (_label_numbers(strata)[:, :, None] == np.arange(len(strata.golds))).astype(float)
    rates = np.einsum("cg,cvg->vg", shares, right)
    variances = (rates * (1.0 - rates)).clip(0.0)  # (rater, gold)
    square_of_number = np.einsum("cg,cg->g", shares, right.sum(axis=1) ** 2)
    variance = square_of_number - rates.sum(axis=0) ** 2  # (gold)
    if_independent = variances.sum(axis=0)
    if_same = np.sqrt(variances).sum(axis=0) ** 2
    return float(ratio(items @ (variance - if_independent), items @ (if_same - if_independent)))


def judge_notes(strata: Strata, counts: FloatArray, models: tuple[str, ...]) -> Iterator[str]:
    """Yield notes for readers of a comparison, on the judge and on strata without a labelled item."""
    unlabelled = counts[:, -1]
    # Only whether it is 0 matters: items with gold labels of one role are counted more than once.
    labelled_in_pool = strata.pools.sums(counts[:, :-1])[strata.pools.index].sum(axis=1)  # (stratum)
    unlike = float(unlabelled[labelled_in_pool == 0.0].sum() / counts.sum())
    if unlike > _UNLIKE_LABELLED:
        yield (
            f"{100 * unlike:.2g} % of all items are unlike any labelled item: their gold labels rest on how often "
            "each model and judge is right on its own, as if they erred independently. More labels would test that."
        )
    labelled = counts[:, :-1].sum(axis=1)
    empty = np.flatnonzero((labelled == 0.0) & (unlabelled > 0.0))
    if len(empty) > 0:
        yield from _notes_on_empty_strata(strata, counts, empty)
    agreement = judge_agreement(strata, counts)
    if agreement is not None:
        yield from _notes_on_judge(strata, counts, models, agreement)


def _notes_on_empty_strata(strata: Strata, counts: FloatArray, empty: IntArray) -> Iterator[str]:
    """Yield notes on strata that have items, but none with a gold label."""
    unlabelled = counts[empty, -1]
    largest_first = np.argsort(-unlabelled, kind="stable")
    described = (f"{strata.describe(empty[i])}: {unlabelled[i]:,.0f}" for i in largest_first)
    percentage = 100.0 * unlabelled.sum() / counts.sum()
    possessive = "its" if len(empty) == 1 else "their"
    yield (
        f"No item is labelled in {len(empty)} of {strata.size} combinations of what is known, with {percentage:.2g} % of "
        f"all items ({listing(described, most=3)}); {possessive} gold labels were drawn from those of similar ones."
    )
    if percentage <= _WITHOUT_LABEL:
        return
    correlation = error_correlation(strata, counts)
    if correlation > _CORRELATED:
        yield (
            f"{joined(strata.raters)} err on the same items (mean correlation given gold {correlation:.2f}), while so "
            "much rests on similar items: the weaker models may be worse than their intervals say. Label more items."
        )


def _notes_on_judge(
    strata: Strata, counts: FloatArray, models: tuple[str, ...], agreement: Agreement
) -> Iterator[str]:
    """Yield notes on how far the judge agrees with gold, and on a model with which it shares more errors than with others."""
    (judge,) = strata.judges
    chance = ", no better than chance: it does no harm, but gains nothing" if agreement.kappa <= 0.0 else ""
    yield (
        f"{judge} agrees with gold on {100 * agreement.share:.3g} % of items (kappa {agreement.kappa:.2f}{chance})."
    )
    kappas = {model: shared_errors(strata, counts, model) for model in models}
    by_kappa = sorted(models, key=lambda model: (kappas[model], model))
    least = by_kappa[0]
    most = by_kappa[-1]
    if kappas[most] - kappas[least] > _LEANS:
        yield (
            f"{judge} often errs where {most} does (kappa given gold {kappas[most]:.2f}; {least}: {kappas[least]:.2f}): with "
            f"few labels the difference is biased towards {most}. Label items on which the models differ."
        )
