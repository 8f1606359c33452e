"""Evaluations with more than two classes: one of several, any number of several, or spans by type.

An item of class g that a model takes for p adds 1 to ``tp[g]`` where g = p, else 1 to ``fn[g]`` and 1 to
``fp[p]``. Only what occurs is stored, so a thousand classes cost no more than the items that there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.evaluation import Evaluation, Task, merge_sparse, model_names, warn_if_empty
from bayesf1.reading.counts import check_matrix

_KINDS = ("tp", "fp", "fn", "tn")
# Four cells of a table have weight 1 each in the binary case; more cells share the same weight.
_PRIOR_ITEMS = 4.0


def class_cells(classes: Sequence[str], *, true_negatives: bool = False) -> tuple[str, ...]:
    """Return the names of a table's cells: those of true positives first, a class after another.

    Examples
    --------
    >>> class_cells(["LOC", "PER"])
    ('tp[LOC]', 'tp[PER]', 'fp[LOC]', 'fp[PER]', 'fn[LOC]', 'fn[PER]')
    """
    kinds = _KINDS if true_negatives else _KINDS[:3]
    return tuple(f"{kind}[{name}]" for kind in kinds for name in classes)


def default_prior(ev: Evaluation) -> float:
    """Return λ where none was asked for: in all, the prior weighs as much as four items."""
    return _PRIOR_ITEMS / len(ev.classes) ** 2 if ev.task == "multiclass" else 1.0


def cell_priors(ev: Evaluation, prior: float) -> float | FloatArray:
    r"""Return what a prior adds to each cell of a model's table.

    With λ on each of the K×K cells of (gold, predicted), it is λ for ``tp`` and (K-1)λ for ``fp`` and ``fn``.
    Types of spans and labels of which an item has any number share λ, so that their sums have λ.
    """
    k = len(ev.classes)
    if ev.task == "multiclass":
        return prior * np.repeat([1.0, k - 1.0, k - 1.0], k)
    return prior / k if k else prior


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
    items = _evaluation(
        _outcomes(kinds, len(classes)), summed, names, classes, task="multiclass", unit="item"
    )
    if groups is None:
        return items
    if len(groups) != len(coded):
        raise ValueError(f"groups are {len(groups)} labels, but y_true has {len(coded)}")
    from scipy.sparse import csr_array

    documents, of_item = np.unique(groups, return_inverse=True)
    membership = csr_array((each, (of_item.ravel(), which)), shape=(len(documents), len(kinds)))
    rows = membership @ _outcomes(kinds, len(classes))
    ones = np.ones(len(documents))
    units = _evaluation(rows, ones, names, classes, task="multiclass", unit="document")
    return replace(units, items=items)


def _distinct(coded: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the distinct rows of class numbers, and which of them each row is."""
    n = coded.shape[1]
    if n * np.log2(max(k, 2)) >= 62:
        rows, which = np.unique(coded, axis=0, return_inverse=True)
        return rows, which.ravel()
    powers = k ** np.arange(n - 1, -1, -1)
    keys, which = np.unique(coded @ powers, return_inverse=True)
    return keys[:, None] // powers % k, which.ravel()


def _outcomes(kinds: NDArray[np.int64], k: int) -> Any:
    """Return what an item of each kind adds, a sparse array (kind, model·cell)."""
    from scipy.sparse import csr_array

    gold, predicted = kinds[:, :1], kinds[:, 1:]
    right = gold == predicted
    start = np.arange(predicted.shape[1]) * 3 * k
    missed = np.where(right, gold, 2 * k + gold) + start
    claimed = k + predicted + start
    row = np.broadcast_to(np.arange(len(kinds))[:, None], right.shape)
    columns = np.concatenate([missed.ravel(), claimed[~right]])
    rows = np.concatenate([row.ravel(), row[~right]])
    shape = (len(kinds), predicted.shape[1] * 3 * k)
    return csr_array((np.ones(len(columns)), (rows, columns)), shape=shape)


def _evaluation(
    rows: Any, weights: FloatArray, names: tuple[str, ...], classes: Sequence[str], *, task: Task, unit: str
) -> Evaluation:
    cells = class_cells(classes, true_negatives=task == "multilabel")
    tables = warn_if_empty((weights @ rows).reshape(len(names), len(cells)), names)
    ev = Evaluation(names, cells, tables, weights=weights, unit=unit, task=task, classes=tuple(classes))
    return merge_sparse(ev, rows)


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
    weights = np.ones(rows.shape[0])
    return _evaluation(rows, weights, tuple(predicted), classes, task="multilabel", unit=unit)


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
    items = _evaluation(spans, np.ones(len(kind)), names, types, task="spans", unit="item")
    member = csr_array((np.ones(len(kind)), (unit_of, np.arange(len(kind)))), shape=(n_units, len(kind)))
    units = _evaluation(member @ spans, np.ones(n_units), names, types, task="spans", unit=unit)
    return replace(units, items=items)


def from_confusion(matrices: Mapping[str, ArrayLike], *, labels: Sequence[Any] | None = None) -> Evaluation:
    """Build an Evaluation from confusion matrices, whose rows are the truth and columns the predictions.

    A matrix does not say which items the models had in common, so models are taken as independent.

    Parameters
    ----------
    matrices
        Mapping of model name to a K×K matrix of counts.
    labels
        Names of the classes, in the order of rows and columns; 1, 2, … by default.

    Examples
    --------
    >>> ev = from_confusion({"A": [[8, 1, 1], [0, 9, 1], [2, 0, 8]], "B": [[9, 1, 0], [1, 9, 0], [1, 1, 8]]})
    >>> ev
    <Evaluation of 2 models (A, B) on 3 classes (1, 2, 3), totals only>
    >>> confusion(ev, "A")
    array([[8., 1., 1.], [0., 9., 1.], [2., 0., 8.]])
    """
    if not isinstance(matrices, Mapping):
        raise ValueError(f"matrices must be a mapping such as {{'A': matrix}}, not {type(matrices).__name__}")
    names = model_names(matrices)
    arrays = [check_matrix(matrices[name], f"matrix of {name!r}") for name in names]
    for name, array in zip(names, arrays, strict=True):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"matrix of {name!r} has {len(array)} classes, but that of {names[0]!r} {len(arrays[0])}"
            )
    k = len(arrays[0])
    classes = class_names(range(1, k + 1) if labels is None else labels)
    if len(classes) != k:
        raise ValueError(
            f"labels are {len(classes)} names ({', '.join(classes[:6])}), but there are {k} classes"
        )
    return independent_tables(np.stack(arrays), names, classes)


def independent_tables(matrices: FloatArray, names: tuple[str, ...], classes: Sequence[str]) -> Evaluation:
    """Build an Evaluation of models whose common items are unknown, from matrices (model, gold, predicted)."""
    from scipy.sparse import block_diag

    k = len(classes)
    blocks, weights = [], []
    for matrix in matrices:
        seen = np.argwhere(matrix > 0)
        blocks.append(_outcomes(seen, k))
        weights.append(matrix[tuple(seen.T)])
    rows = block_diag(blocks, format="csr")
    return _evaluation(rows, np.concatenate(weights), names, classes, task="multiclass", unit="table")


def apart(ev: Evaluation) -> Evaluation:
    """Return an evaluation whose patterns say what each model did by itself."""
    from scipy.sparse import block_diag

    if ev.unit == "table":
        return ev
    alone = [ev.select([name]) for name in ev.models]
    rows = block_diag([one.flat_patterns for one in alone], format="csr")
    weights = np.concatenate([one.weights for one in alone if one.weights is not None])
    return merge_sparse(replace(ev, weights=weights, unit="table", items=None), rows)


def confusion(ev: Evaluation, model: str) -> FloatArray:
    """Return a model's confusion matrix, rows the truth, from an evaluation where every item has one class.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> ev = from_labels(list("aabbcc"), {"A": list("abbbca")})
    >>> confusion(ev, "A")
    array([[1., 1., 0.], [0., 2., 0.], [1., 0., 1.]])
    """
    if ev.task != "multiclass":
        raise ValueError(f"a confusion matrix needs items of one class each, and this is {ev!r}")
    k = len(ev.classes)
    items = ev if ev.items is None else ev.items
    if items.unit not in ("item", "table"):
        raise ValueError(
            f"a confusion matrix needs single items, but only the sums over each {ev.unit} are known"
        )
    start = items.index(model) * 3 * k
    rows = items.flat_patterns[:, start : start + 3 * k]
    weights = np.asarray(items.weights)
    right, claimed, missed = (rows[:, i * k : (i + 1) * k] for i in range(3))
    matrix: FloatArray = (missed.multiply(weights[:, None]).T @ claimed).toarray()
    matrix[np.diag_indices(k)] += weights @ right
    return matrix


def paired_accuracy(ev: Evaluation, prior: float) -> float:
    r"""Return P(B is more accurate than A) for the two models of an evaluation of single items.

    Only items that one of them gets right matter: it is :math:`P(\mathrm{Be}(n_B + (K-1)\lambda, n_A +
    (K-1)\lambda) > 1/2)`, where n counts those that only one model has right.
    """
    k = len(ev.classes)
    rows, weights = ev.flat_patterns, np.asarray(ev.weights)
    a, b = (np.asarray(rows[:, i * 3 * k : i * 3 * k + k].sum(axis=1)).ravel() for i in (0, 1))
    only_a, only_b = float(weights @ (a * (1 - b))), float(weights @ (b * (1 - a)))
    return float(special.betaincc(only_b + (k - 1) * prior, only_a + (k - 1) * prior, 0.5))


def class_names(labels: Sequence[Any]) -> tuple[str, ...]:
    """Return labels as names of classes, or say which two are the same."""
    names = tuple(_class_name(label) for label in labels)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"label {twice!r} is given twice; classes need different names")
    return names


def _class_name(label: Any) -> str:
    value = label.item() if isinstance(label, np.generic) else label
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
