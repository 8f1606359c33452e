"""Evaluations with several classes from numbers of classes, indicators of labels, and typed spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.units import Units
from bayesf1.kinds.labels import LabelSets, TypedSpans
from bayesf1.kinds.multiclass import MultiClass, class_outcomes


def from_class_codes(
    gold: NDArray[np.int64],
    predicted: NDArray[np.int64],
    names: tuple[str, ...],
    classes: Sequence[str],
    *,
    weights: FloatArray | None = None,
    groups: NDArray[Any] | None = None,
) -> Evaluation:
    """Build an Evaluation from numbers of classes.

    Parameters
    ----------
    gold
        The class of each item, as an index into `classes`.
    predicted
        What the models took it for, axes (item, model).
    names, classes
        Names of the models and of the classes.
    weights
        How many items there are of each kind; 1 by default.
    groups
        The document of each item; documents are then the units.
    """
    coded = np.concatenate([gold[:, None], predicted], axis=1)
    each = np.ones(len(coded)) if weights is None else weights
    kinds, which = _distinct(coded, len(classes))
    summed = np.bincount(which, weights=each, minlength=len(kinds)).astype(float)
    kind, outcomes = MultiClass(tuple(classes)), class_outcomes(kinds, len(classes))
    items = Units.merge(outcomes, summed, "item")
    if groups is None:
        return Evaluation.of_units(names, kind, items)
    if len(groups) != len(coded):
        raise ValueError(f"groups are {len(groups)} labels, but y_true has {len(coded)}")
    from scipy.sparse import csr_array

    documents, of_item = np.unique(groups, return_inverse=True)
    membership = csr_array((each, (of_item.ravel(), which)), shape=(len(documents), len(kinds)))
    documents_add = Units.merge(membership @ outcomes, np.ones(len(documents)), "document")
    return Evaluation.of_units(names, kind, documents_add, items)


def _distinct(coded: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the distinct rows of class numbers, and which of them each row is."""
    n = coded.shape[1]
    if n * np.log2(max(k, 2)) >= 62:
        rows, which = np.unique(coded, axis=0, return_inverse=True)
        return rows, which.ravel()
    powers = k ** np.arange(n - 1, -1, -1)
    keys, which = np.unique(coded @ powers, return_inverse=True)
    return keys[:, None] // powers % k, which.ravel()


def from_indicators(
    gold: NDArray[np.bool_],
    predicted: Mapping[str, NDArray[np.bool_]],
    classes: Sequence[str],
    *,
    groups: NDArray[Any] | None = None,
) -> Evaluation:
    """Build an Evaluation from which labels each item has, axes (item, label); items are the units."""
    from scipy.sparse import csr_array, hstack

    blocks = []
    for said in predicted.values():
        blocks += [gold & said, ~gold & said, gold & ~said, ~gold & ~said]
    rows = hstack([csr_array(block.astype(float)) for block in blocks], format="csr")
    unit = "instance"
    if groups is not None:
        if len(groups) != len(gold):
            raise ValueError(f"groups are {len(groups)} labels, but y_true has {len(gold)} rows")
        documents, which = np.unique(groups, return_inverse=True)
        ones = np.ones(len(gold))
        member = csr_array((ones, (which.ravel(), np.arange(len(gold)))), shape=(len(documents), len(gold)))
        rows, unit = member @ rows, "document"
    units = Units.merge(rows, np.ones(rows.shape[0]), unit)
    return Evaluation.of_units(tuple(predicted), LabelSets(tuple(classes)), units)


def from_typed_spans(
    unit_of: NDArray[np.intp],
    kind: NDArray[np.int64],
    found: NDArray[np.bool_],
    n_units: int,
    names: tuple[str, ...],
    types: Sequence[str],
    *,
    unit: str,
) -> Evaluation:
    """Build an Evaluation of spans by type.

    Parameters
    ----------
    unit_of, kind
        The unit (sentence, document) and the type of each span that gold or any model has.
    found
        Whether gold (column 0) and each model has the span.
    n_units
        How many units there are, with or without spans.
    names, types
        Names of the models and of the types.
    unit
        What a unit is called.
    """
    from scipy.sparse import csr_array

    k = len(types)
    in_gold, said = found[:, :1], found[:, 1:]
    # tp 0, fp 1, fn 2; a span of nobody's but another model's adds nothing.
    cell = np.where(in_gold & said, 0, np.where(said, 1, 2))
    columns = (np.arange(len(names)) * 3 + cell) * k + kind[:, None]
    row = np.broadcast_to(np.arange(len(kind))[:, None], columns.shape)
    seen = in_gold | said
    shape = (len(kind), len(names) * 3 * k)
    spans = csr_array((np.ones(int(seen.sum())), (row[seen], columns[seen])), shape=shape)
    member = csr_array((np.ones(len(kind)), (unit_of, np.arange(len(kind)))), shape=(n_units, len(kind)))
    units = Units.merge(member @ spans, np.ones(n_units), unit)
    items = Units.merge(spans, np.ones(len(kind)), "item")
    return Evaluation.of_units(names, TypedSpans(tuple(types)), units, items)
