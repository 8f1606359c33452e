"""Evaluations from predictions, item by item: paired, and clustered where items come in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.binary import BINARY_CELLS, Binary
from bayesf1.reading.class_codes import from_class_codes
from bayesf1.reading.counts import check_counts, check_same_gold
from bayesf1.reading.label_columns import (
    check_alike,
    check_positive,
    class_codes,
    class_names,
    distinct_labels,
    find_classes,
    guess_positive,
    read_labels,
    stray_labels,
)
from bayesf1.reading.label_sets import from_label_sets

# Cell of an item by 2·(gold is positive) + (prediction is positive).
CELL_OF_CODE = np.eye(4)[[3, 1, 2, 0]]


@with_runs_in("predictions")
def from_labels(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    *,
    positive: Any = None,
    groups: ArrayLike | None = None,
    labels: Sequence[Any] | None = None,
    multilabel: bool = False,
) -> Evaluation:
    """Build an Evaluation from labels, one for each item: paired, as all models saw the same items.

    Two labels, one of them positive, are a binary task; more than two are classes, whose measures are averages
    (``macro_f1``), those of one class (``f1[spam]``) or of the whole matrix (``accuracy``, ``mcc``). A label that
    no item has is no class, but a mistake of the model that said it, as in scikit-learn's measures with ``labels=``
    those of gold; ``ev.notes`` says who said what.

    Parameters
    ----------
    y_true
        Gold labels: a list, array or Series of strings, numbers or booleans.
    predictions
        Mapping of model name to its labels, in the order of `y_true`.
    positive
        The label that counts as positive. It may be left out where it is beyond doubt: 1 against 0 or -1,
        True against False, yes against no, pos(itive) against neg(ative).
    groups
        The document (speaker, user, …) of each item; documents are then the units, as items of one document
        are not independent trials.
    labels
        The classes, where they are more than those of gold, or where there are just two and both count. A class
        that no item has counts as 0 in averages, as in scikit-learn.
    multilabel
        Whether an item has any number of labels; `y_true` and the predictions are then arrays (item, label)
        of 0 and 1, and `labels` names the columns, or lists of sets of labels.

    Examples
    --------
    >>> gold = ["spam", "ham", "spam", "ham"]
    >>> a, b = ["spam", "ham", "ham", "ham"], ["spam", "spam", "spam", "ham"]
    >>> ev = from_labels(gold, {"A": a, "B": b}, positive="spam")
    >>> ev
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, tn, 4 items in 4 patterns>
    >>> ev.tables
    array([[1., 0., 1., 2.], [2., 1., 0., 1.]])
    >>> from_labels(["a", "b", "c", "c"], {"A": ["a", "b", "c", "a"], "B": ["a", "c", "c", "c"]})
    <Evaluation of 2 models (A, B) on 3 classes (a, b, c), 4 items in 4 patterns>
    """
    if not isinstance(predictions, Mapping):
        raise ValueError(
            f"predictions must be a mapping such as {{'A': labels}}, not {type(predictions).__name__}"
        )
    names = model_names(predictions)
    document = None if groups is None else read_labels(groups, "groups")
    if multilabel:
        if positive is not None:
            raise ValueError("positive= is for items of one label; with multilabel=True all labels count")
        return from_label_sets(y_true, {name: predictions[name] for name in names}, labels, document)
    gold = read_labels(y_true, "y_true")
    if not len(gold):
        raise ValueError("y_true is empty; there is nothing to compare the models on")
    columns = [read_labels(predictions[name], f"predictions of {name!r}") for name in names]
    for name, column in zip(names, columns, strict=True):
        if len(column) != len(gold):
            raise ValueError(f"predictions of {name!r} are {len(column)} labels, but y_true has {len(gold)}")
        if (gold.dtype.kind in "biuf") != (column.dtype.kind in "biuf"):
            raise ValueError(
                f"y_true has labels like {gold[0]!r} but predictions of {name!r} like {column[0]!r}; "
                "numbers and strings are never equal"
            )
    if positive is None:
        found = distinct_labels([gold, *columns])
        if labels is not None or len(found) > 2:
            classes = find_classes(labels, distinct_labels([gold]), found)
            coded = np.stack([class_codes(column, classes) for column in (gold, *columns)], axis=1)
            strays = stray_labels(dict(zip(names, columns, strict=True)), classes)
            return from_class_codes(
                coded[:, 0], coded[:, 1:], names, class_names(classes), groups=document, strays=strays
            )
        positive = guess_positive(found)
    elif labels is not None:
        raise ValueError("positive= makes a binary task and labels= one of several classes; give one of them")
    if gold.dtype.kind not in "biuf":
        check_alike(distinct_labels([gold, *columns]))
    hits = np.stack([column == positive for column in (gold, *columns)], axis=1)
    check_positive(positive, hits, names, lambda: distinct_labels([gold, *columns]))
    return from_hits(hits, names, groups=document)


def from_hits(
    hits: NDArray[np.bool_],
    names: tuple[str, ...],
    *,
    weights: FloatArray | None = None,
    groups: NDArray[Any] | None = None,
) -> Evaluation:
    """Build an Evaluation from which items are positive, axes (item, [gold, *models])."""
    codes = 2 * hits[:, :1].astype(np.int8) + hits[:, 1:]
    items = merge_codes(codes, np.ones(len(codes)) if weights is None else weights, len(BINARY_CELLS))
    if groups is None:
        return Evaluation.of_units(names, Binary(), items)
    if len(groups) != len(codes):
        raise ValueError(f"groups are {len(groups)} labels, but y_true has {len(codes)}")
    group, which = np.unique(groups, return_inverse=True)
    flat = (which.ravel()[:, None] * len(names) + np.arange(len(names))) * 4 + codes
    counts = np.bincount(flat.ravel(), minlength=len(group) * len(names) * 4).reshape(-1, len(names), 4)
    units = Units.merge(counts @ CELL_OF_CODE, np.ones(len(group)), "document")
    return Evaluation.of_units(names, Binary(), units, items)


def merge_codes(codes: NDArray[Any], weights: FloatArray, n_cells: int) -> Units:
    """Merge items by what happened to each model, given 2·gold + prediction, axes (item, model)."""
    k = codes.shape[1]
    if k <= 16:
        key = (codes[:, 0] >> 1).astype(np.int64)
        for j in range(k):
            key = 2 * key + (codes[:, j] & 1)
        counts = np.bincount(key, weights=weights, minlength=2 << k)
        seen = np.flatnonzero(counts)
        bits = (seen[:, None] >> np.arange(k, -1, -1)) & 1
        codes, weights = 2 * bits[:, :1] + bits[:, 1:], np.asarray(counts[seen], dtype=np.float64)
    return Units.merge(CELL_OF_CODE[codes][..., :n_cells], weights, "item")


@with_runs_in("counts")
def from_units(
    counts: ArrayLike | Mapping[str, ArrayLike], *, models: Sequence[str] | None = None, unit: str = "unit"
) -> Evaluation:
    """Build an Evaluation from what each unit (sentence, document) adds to each model's table.

    Parameters
    ----------
    counts
        An array (unit, model, cell) with cells tp, fp, fn and optionally tn, or a mapping of model name to
        an array (unit, cell).
    models
        Names of the models where `counts` is an array; A, B, … by default.
    unit
        What a unit is called in print.

    Examples
    --------
    >>> ev = from_units({"A": [(1, 0, 0), (0, 1, 1)], "B": [(1, 1, 0), (1, 0, 0)]}, unit="sentence")
    >>> ev
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, 2 sentences in 2 patterns>
    """
    if isinstance(counts, Mapping):
        if models is not None:
            raise ValueError("models= names the rows of an array; a mapping already names them")
        names = model_names(counts)
        arrays = [_unit_array(counts[name], f"counts of {name!r}", 2) for name in names]
        for name, array in zip(names, arrays, strict=True):
            if array.shape != arrays[0].shape:
                raise ValueError(
                    f"counts of {name!r} have shape {array.shape}, but those of {names[0]!r} "
                    f"{arrays[0].shape}; every model needs a row for each unit"
                )
        rows = np.stack(arrays, axis=1)
    else:
        rows = _unit_array(counts, "counts", 3)
        names = model_names(models or default_names(rows.shape[1]))
        if len(names) != rows.shape[1]:
            raise ValueError(f"counts have {rows.shape[1]} models, but models= names {len(names)}")
    check_same_gold(rows, names, ("unit",), "all models must be judged on the same gold")
    if unit == "item":
        raise ValueError("unit 'item' is for single items; build those with from_labels")
    kind = Binary(BINARY_CELLS[: rows.shape[2]])
    return Evaluation.of_units(names, kind, Units.merge(rows, np.ones(len(rows)), unit))


def default_names(n: int) -> list[str]:
    """Return names for `n` models that have none: A, B, … or M1, M2, … where letters run out."""
    return [chr(ord("A") + i) if n <= 26 else f"M{i + 1}" for i in range(n)]


def _unit_array(counts: ArrayLike, where: str, ndim: int) -> FloatArray:
    array = check_counts(counts, where)
    if array.ndim != ndim or not len(array):
        axes = "(unit, cell)" if ndim == 2 else "(unit, model, cell)"
        raise ValueError(
            f"{where} have shape {array.shape}; an array {axes} with at least one unit belongs here"
        )
    return array
