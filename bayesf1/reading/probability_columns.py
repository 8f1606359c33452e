"""Evaluations from probabilities or scores of a binary label, one for each item and model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import Column, OneLabel, checked
from bayesf1.base.number_columns import numbers_of
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import is_by_id, with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.probabilities import cells_of
from bayesf1.reading.label_columns import (
    distinct_labels,
    guess_positive,
    plain_label,
    read_groups,
    read_labels,
)
from bayesf1.reading.side_by_side import with_gold


@checked
@with_runs_in("probabilities", is_by_id)
def from_probabilities(
    y_true: Column,
    probabilities: Mapping[str, Any],
    *,
    positive: OneLabel = None,
    groups: Column | None = None,
    ids: Column | str | None = None,
) -> Evaluation:
    """Build an Evaluation from probabilities of the positive label, or scores: paired, as all models saw the same items.

    The measures are ``"roc_auc"``, ``"average_precision"``, ``"brier"`` and ``"log_loss"``, of which the last two are
    the better the lower they are; or give a function of scikit-learn's that takes ``sample_weight``.

    Parameters
    ----------
    y_true
        Gold labels, of which one is positive; a list or array, or by id, as a mapping or a Series.
    probabilities
        Mapping of model name to the probability of the positive label of each item, in the order of `y_true` or by id.
        For ``roc_auc`` and ``average_precision`` any scores will do that rise with it, such as logits.
    positive
        The label that counts as positive; it may be left out where it is beyond doubt, as in `from_labels`.
    groups
        The document (patient, user, …) of each item; documents are then the units.
    ids
        Ids of the items of lists and arrays, as in `from_labels`.

    Examples
    --------
    >>> y = [0, 0, 1, 1, 0, 1]
    >>> p = {"A": [0.1, 0.4, 0.35, 0.8, 0.2, 0.9], "B": [0.2, 0.3, 0.6, 0.7, 0.1, 0.8]}
    >>> ev = from_probabilities(y, p)
    >>> ev
    <Evaluation of 2 models (A, B) on probabilities, 6 items in 6 patterns>
    >>> from bayesf1 import score
    >>> round(score(ev, "A", "roc_auc"), 4), round(score(ev, "A", "brier"), 4)
    (0.8889, 0.1138)
    """
    from scipy.sparse import csr_array

    if not isinstance(probabilities, Mapping):
        raise ValueError(
            f"probabilities must be a mapping such as {{'A': p}}, not {type(probabilities).__name__}"
        )
    names = model_names(probabilities)
    beside = {} if groups is None else {"groups": groups}
    y_true, columns, beside = with_gold(
        y_true, {name: probabilities[name] for name in names}, beside, ids, "probabilities"
    )
    groups = beside.get("groups")
    gold = read_labels(y_true, "y_true")
    stacked = np.stack([_column(columns[name], f"probabilities of {name!r}", gold) for name in names], axis=1)
    known = distinct_labels([gold])
    positive = guess_positive(known) if positive is None else plain_label(positive)
    hit = np.asarray(gold == positive)
    if hit.all() or not hit.any():
        raise ValueError(
            f"y_true holds no {'negative' if hit.all() else 'positive'} item (positive is {positive!r}, labels are "
            f"{known[:5]}); both are needed"
        )
    kind, where = cells_of(stacked, hit)
    n, k = stacked.shape
    places = where + np.arange(k) * len(kind.values)
    rows = csr_array(
        (np.ones(places.size), (np.repeat(np.arange(n), k), places.ravel())), shape=(n, k * len(kind.values))
    )
    items = Units.merge(rows, np.ones(n), "item")
    if groups is None:
        return Evaluation.of_units(names, kind, items)
    document = read_groups(groups)
    if len(document) != n:
        raise ValueError(f"groups are {len(document)} labels, but y_true has {n}")
    group, which = np.unique(document, return_inverse=True)
    member = csr_array((np.ones(n), (which.ravel(), np.arange(n))), shape=(len(group), n))
    units = Units.merge(member @ rows, np.ones(len(group)), "document")
    return Evaluation.of_units(names, kind, units, items)


def _column(values: Any, where: str, gold: Any) -> FloatArray:
    array = numbers_of(values, where, remedy="must be numbers, one for each item")
    if array.ndim == 2 and array.shape[1] == 2:
        raise ValueError(
            f"{where} have shape {array.shape}; give those of the positive label alone, such as p[:, 1]"
        )
    if array.ndim == 2:
        raise ValueError(
            f"{where} have shape {array.shape}: areas under curves are those of one label against the rest; give the column "
            "of one class, and positive= with its name, or compare the predicted classes by from_labels"
        )
    if array.shape != (len(gold),):
        raise ValueError(f"{where} have shape {array.shape}, but y_true has {len(gold)} labels")
    bad = ~np.isfinite(array)
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"{where} have {array[i]} for item {i + 1}; probabilities and scores are finite")
    return array + 0.0
