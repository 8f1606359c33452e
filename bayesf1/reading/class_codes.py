"""Evaluations with several classes from numbers of classes, indicators of labels, and typed spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.units import Units
from bayesf1.kinds.labels import LabelSets, TypedSpans
from bayesf1.kinds.multiclass import MultiClass, class_outcomes
from bayesf1.kinds.strays import NO_STRAYS, Strays
from bayesf1.reading.tags import SpanTable


def from_class_codes(
    gold: NDArray[np.int64],
    predicted: NDArray[np.int64],
    names: tuple[str, ...],
    classes: Sequence[str],
    *,
    weights: FloatArray | None = None,
    groups: NDArray[Any] | None = None,
    strays: Strays = NO_STRAYS,
) -> Evaluation:
    """Build an Evaluation from indices into `classes`, of gold by item and of predictions by item and model.

    What a model said and is no class, as `strays` tells, has the number of classes for an index. There are `weights`
    items of each kind; documents, if given by `groups`, are the units.
    """
    coded = np.concatenate([gold[:, None], predicted], axis=1)
    each = np.ones(len(coded)) if weights is None else weights
    kinds, which = _distinct(coded, len(classes) + 1)
    summed = np.bincount(which, weights=each, minlength=len(kinds)).astype(float)
    kind, outcomes = MultiClass(tuple(classes), strays=strays), class_outcomes(kinds, len(classes))
    items = Units.merge(outcomes, summed, "item")
    if groups is None:
        return Evaluation.of_units(names, kind, items)
    if len(groups) != len(coded):
        raise ValueError(f"groups are {len(groups)} labels, but y_true has {len(coded)}")
    documents, of_item = np.unique(groups, return_inverse=True)
    n = len(documents)
    rows = _sparse(each, of_item.ravel(), which, (n, len(kinds))) @ outcomes
    return Evaluation.of_units(names, kind, Units.merge(rows, np.ones(n), "document"), items)


def _sparse(values: ArrayLike, row: NDArray[Any], column: NDArray[Any], shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.broadcast_to(values, row.shape), (row, column)), shape=shape)


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
        shape = len(documents), len(gold)
        rows, unit = _sparse(1.0, which.ravel(), np.arange(len(gold)), shape) @ rows, "document"
    units = Units.merge(rows, np.ones(rows.shape[0]), unit)
    return Evaluation.of_units(tuple(predicted), LabelSets(tuple(classes)), units)


def from_typed_spans(table: SpanTable, unit: str) -> Evaluation:
    """Build an Evaluation of spans by type, of which each sentence of the table is a unit called so."""
    (n, _), k, m = table.found.shape, len(table.types), len(table.models)
    in_gold, said = table.found[:, :1], table.found[:, 1:]
    # tp 0, fp 1, fn 2; a span of nobody's but another model's adds nothing.
    cell = np.where(in_gold & said, 0, np.where(said, 1, 2))
    columns = (np.arange(m) * 3 + cell) * k + table.kind[:, None]
    seen = in_gold | said
    spans = _sparse(1.0, np.nonzero(seen)[0], columns[seen], (n, m * 3 * k))
    rows = _sparse(1.0, table.sentence, np.arange(n), (table.n_sentences, n)) @ spans
    units, items = Units.merge(rows, np.ones(rows.shape[0]), unit), Units.merge(spans, np.ones(n), "item")
    return Evaluation.of_units(table.models, TypedSpans(table.types), units, items)
