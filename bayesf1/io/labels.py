"""Evaluations from what models did on each item: labels, classes, sets of labels, right and wrong, confusion matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import ArrayLike, Column, OneLabel
from bayesf1.base.naming import joined, listing, quoted
from bayesf1.evaluation import Evaluation, Task, Units, is_by_id, model_names, with_runs_in
from bayesf1.io.counts import check_counts, check_matrix, check_same_gold
from bayesf1.io.label_values import (
    BY_A_JUDGE,
    align,
    check_alike,
    check_blank,
    check_positive,
    check_same_shapes,
    class_codes,
    class_names,
    distinct_labels,
    distinct_rows_of,
    from_rows,
    gold_with_gaps,
    guess_positive,
    is_missing,
    label_counts,
    label_notes,
    positive_or_classes,
    read_groups,
    read_labels,
    read_numbers,
    stray_labels,
)
from bayesf1.tasks.binary import BINARY_CELLS, Binary
from bayesf1.tasks.classed import LabelSets
from bayesf1.tasks.correctness import Correctness
from bayesf1.tasks.judged import Audited, Unlabelled, settled, strata_of, uneven_documents
from bayesf1.tasks.multiclass import MultiClass, class_outcomes

# What a judge calls an item that it says nothing of.
NO_ANSWER = "no answer"
# A judge that says more different things gives scores or texts.
_MOST_LABELS = 20
# Cell of an item by 2·(gold is positive) + (prediction is positive).
CELL_OF_CODE = np.eye(4)[[3, 1, 2, 0]]


@with_runs_in("predictions", is_by_id)
def from_labels(
    y_true: Column,
    predictions: Mapping[str, Any],
    *,
    positive: OneLabel = None,
    groups: Column | None = None,
    labels: Sequence[Any] | None = None,
    multilabel: bool = False,
    judge: Column | None = None,
) -> Evaluation:
    """Build an Evaluation from labels, one for each item: paired, as all models saw the same items.

    Two labels, one of them positive, are a binary task; more than two are classes, whose measures are averages
    (``macro_f1``), those of one class (``f1[spam]``) or of the whole matrix (``accuracy``, ``mcc``). A label that
    no item has is no class, but a mistake of the model that said it, as in scikit-learn's measures with ``labels=``
    those of gold; ``ev.notes`` says who said what.

    Parameters
    ----------
    y_true
        Gold labels, strings, numbers or booleans: a list or array, or by id, as a mapping ``{"doc1": "spam", …}`` or a
        Series.
    predictions
        Mapping of model name to its labels: in the order of `y_true`, or by id, too, whose order does not matter.
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
        of 0 and 1, as scikit-learn's MultiLabelBinarizer makes them, and `labels` names the columns.
    judge
        What a cheaper judge, such as a language model, says of every item; ``{"gpt": …}`` names it. Items of `y_true`
        may then be None, NaN or empty: nobody has labelled them yet, and their gold labels are drawn from those of
        labelled items of which the models and the judge say the same. ``{}`` allows gaps without a judge. Several judges
        are combined before, for example by a majority vote.

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
    >>> from_labels(["spam", None, "ham", None], {"A": a, "B": b}, positive="spam", judge=b)
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, tn and what judge said, 4 items in 4 patterns>
    """
    if judge is not None:
        if multilabel:
            raise ValueError("judge= is for items of one label each, and multilabel=True has any number")
        return _from_gaps(y_true, predictions, judge, groups, positive, labels)
    predictions, beside = align(predictions, "predictions", {"y_true": y_true, "groups": groups})
    document = None if groups is None else read_groups(beside["groups"])
    if multilabel:
        if positive is not None:
            raise ValueError("positive= is for items of one label; with multilabel=True all labels count")
        return _from_label_sets(beside["y_true"], predictions, labels, document)
    remedy = f"drop or fill it first, or {BY_A_JUDGE}"
    gold = read_labels(beside["y_true"], "y_true", remedy=remedy)
    if not len(gold):
        raise ValueError("y_true is empty; there is nothing to compare the models on")
    columns = {name: read_labels(said, f"predictions of {name!r}") for name, said in predictions.items()}
    return from_columns(gold, columns, positive=positive, labels=labels, groups=document, remedy=remedy)


def from_columns(
    gold: NDArray[Any],
    columns: Mapping[str, NDArray[Any]],
    *,
    positive: Any,
    labels: Sequence[Any] | None = None,
    weights: FloatArray | None = None,
    groups: NDArray[Any] | None = None,
    remedy: str = "drop or fill it first",
) -> Evaluation:
    """Build an Evaluation from arrays of labels, of which there are `weights` items each; documents may be the units."""
    names, every = tuple(columns), [gold, *columns.values()]
    found = distinct_labels(every)
    if labels is None and gold.dtype.kind not in "biuf":
        check_blank(gold, found, "y_true", remedy)
    positive, classes = positive_or_classes(gold, columns, positive, labels)
    task: Task
    if classes:
        coded = np.stack([class_codes(column, classes) for column in every], axis=1)
        kinds, which = distinct_rows_of(coded, len(classes) + 1)
        task = MultiClass(class_names(classes), strays=stray_labels(columns, classes, weights))
        rows = class_outcomes(kinds, len(classes))
    else:
        hits = np.stack([column == positive for column in every], axis=1)
        check_positive(positive, hits, names, lambda: found)
        kinds, which = distinct_rows_of(hits, 2)
        task, rows = Binary(), CELL_OF_CODE[2 * kinds[:, :1] + kinds[:, 1:]]
    predicted = {name: label_counts(column, weights) for name, column in columns.items()}
    notes = label_notes(label_counts(gold, weights), predicted, positive)
    if classes and labels is None and len(found) == 2:
        both = " nor ".join(map(quoted, found))
        notes += (
            f"Neither {both} is named as positive: metrics are averages over both; positive= asks for one.",
        )
    return replace(from_rows(names, task, rows, groups, which=which, weights=weights), remarks=notes)


# ---- gaps: gold labels of some items, predictions and perhaps a judge's word on all ----------------------


def _from_gaps(
    y_true: Any, predictions: Mapping[str, Any], judge: Any, groups: Any, positive: Any, labels: Any
) -> Evaluation:
    """Build an Evaluation of items of which some have no gold label; the arguments are those of `from_labels`."""
    # What is one by itself, perhaps by id, is called a judge.
    judges = judge if isinstance(judge, Mapping) and not (judge and is_by_id(judge)) else {"judge": judge}
    if len(judges) > 1:
        several = f"{len(judges)} ({joined([*map(str, judges)])})"
        raise ValueError(f"judge= takes one judge, not {several}; combine them, as by a majority vote")
    given = {**{f"judge {name!r}": column for name, column in judges.items()}, "groups": groups}
    y_true, ids = gold_with_gaps(y_true, {**given, **predictions})
    predictions, beside = align(predictions, "predictions", {"y_true": y_true, **given})
    names, documents = tuple(predictions), None if groups is None else read_groups(beside["groups"])
    values, known = _with_gaps(beside["y_true"], "y_true")
    n = len(known)
    if not known.any():
        raise ValueError(f"none of {n:,} items has a gold label; label some, chosen at random")
    columns = {name: read_labels(predictions[name], f"predictions of {name!r}") for name in names}
    if twice := {*judges} & {*names}:
        raise ValueError(f"{twice.pop()!r} names a model and a judge; rename one of them")
    task, golds, words, codes = _coded(values, columns, positive, labels)
    gold = np.full(n, len(golds), dtype=np.intp)
    gold[known] = codes.pop(None)
    voices = [
        *((codes[name], words) for name in names),
        *(_judged(beside[f"judge {name!r}"], name, n) for name in judges),
    ]
    stratum = np.zeros(n, dtype=np.intp)
    kinds: list[tuple[str, ...]] = [()]
    for code, called in voices:
        keys, stratum = np.unique(stratum * len(called) + code, return_inverse=True)
        kinds = [(*kinds[key // len(called)], called[key % len(called)]) for key in keys.tolist()]
    strata, place = strata_of(golds, names, tuple(judges), kinds)
    stratum, k = place[stratum], len(golds)

    cautions: tuple[str, ...] = ()
    if documents is not None:
        cautions = uneven_documents(stratum, gold < k, np.unique(documents, return_inverse=True)[1])
    task = Audited(task, strata, cautions, Unlabelled.of(stratum, gold < k, strata.size, ids))
    patterns, which = np.unique(stratum * (k + 1) + gold, return_inverse=True)
    rows = task.rows_of(range(len(names)), patterns // (k + 1), patterns % (k + 1))
    return settled(from_rows(names, task, rows, documents, which=which))


def _coded(
    values: NDArray[Any],
    columns: Mapping[str, NDArray[Any]],
    positive: Any,
    labels: Sequence[Any] | None,
) -> tuple[Task, tuple[str, ...], tuple[str, ...], dict[str | None, NDArray[Any]]]:
    """Return the task, its gold labels, what a model can say, and the labels of gold (None) and models as numbers of it."""
    every: dict[str | None, NDArray[Any]] = dict([(None, values), *columns.items()])
    found = distinct_labels([*every.values()])
    if positive is None and labels is None and len(found) < 3:
        positive = guess_positive(found)
    positive, classes = positive_or_classes(values, columns, positive, labels)
    if classes:
        golds = class_names(classes)
        task = MultiClass(golds, strays=stray_labels(columns, classes))
        codes = {name: class_codes(column, classes) for name, column in every.items()}
        return task, golds, (*golds, "another label"), codes
    codes = {name: (column == positive).astype(np.int64) for name, column in every.items()}
    if not any(code.any() for code in codes.values()):
        raise ValueError(f"no item is labelled {positive!r}; the labels are {listing(map(repr, found))}")
    (yes,) = class_names([positive])
    golds = (f"not {yes}", yes)
    return Binary(), golds, golds, codes


def _with_gaps(values: Any, where: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels that there are, and which items have one."""
    if (
        isinstance(values, str | bytes | Mapping)
        or not isinstance(values, Iterable)
        or getattr(values, "ndim", 1) != 1
    ):
        raise ValueError(f"{where} must be a sequence of labels, one for each item, not {quoted(values)}")
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and not np.ma.isMaskedArray(values):
        known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
        return read_labels(values[known], where), known
    # Columns of pyarrow have values in a shell.
    every = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    known = np.array(
        [value is not np.ma.masked and not is_missing(value, blank=True) for value in every], bool
    )
    return read_labels([value for value, has in zip(every, known, strict=True) if has], where), known


def _judged(column: Any, name: str, n: int) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return what a judge says of every item as numbers of its words, and these; the last is that it says nothing."""
    said, answered = _with_gaps(column, f"judge {name!r}")
    if len(answered) != n:
        raise ValueError(f"judge {name!r} has {len(answered)} labels, but y_true has {n}")
    different = distinct_labels([said])
    scores = said.dtype.kind == "f" and any(value % 1 for value in different)
    if len(different) > _MOST_LABELS or (scores and len(different) > 2):
        raise ValueError(
            f"judge {name!r} says {len(different):,} different things ({listing(map(str, different), most=3)}); give a judge "
            f"of at most {_MOST_LABELS} labels, and put scores into classes before, such as score >= 0.5"
        )
    if said.dtype.kind not in "biuf":
        check_alike(different, f"judge {name!r} says")
    codes = np.full(n, len(different), dtype=np.intp)
    codes[answered] = class_codes(said, different)
    return codes, (*class_names(different), NO_ANSWER)


# ---- sets of labels ----------------------------------------------------------------------------------------


def _from_label_sets(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    labels: Sequence[Any] | None,
    groups: NDArray[Any] | None,
) -> Evaluation:
    """Build an Evaluation from which labels each item has, arrays (item, label) of 0 and 1."""
    from scipy.sparse import csr_array, hstack

    gold = _indicators(y_true, "y_true")
    columns = {name: _indicators(value, f"predictions of {name!r}") for name, value in predictions.items()}
    check_same_shapes({"y_true": gold, **{f"predictions of {name!r}": own for name, own in columns.items()}})
    classes = class_names(range(1, gold.shape[1] + 1) if labels is None else labels)
    if len(classes) != gold.shape[1]:
        raise ValueError(f"labels= names {len(classes)} labels, but y_true has {gold.shape[1]} columns")
    blocks = []
    for said in columns.values():
        blocks += [gold & said, ~gold & said, gold & ~said, ~gold & ~said]
    rows = hstack([csr_array(block.astype(float)) for block in blocks], format="csr")
    ev = from_rows(tuple(columns), LabelSets(classes), rows, groups, one="instance")
    return replace(ev, item_units=None)


def _indicators(values: Any, where: str) -> NDArray[np.bool_]:
    dense = values.toarray() if hasattr(values, "toarray") else values
    what = "0 and 1 by (item, label) where multilabel=True; sets become that by scikit-learn's MultiLabelBinarizer"
    return read_numbers(dense, where, what, bad=_is_no_flag, ndim=2).astype(bool)


# ---- right and wrong ---------------------------------------------------------------------------------------


@with_runs_in("correct", is_by_id)
def from_correct(
    correct: Mapping[str, Any],
    *,
    groups: Column | None = None,
    name: str = "",
    unit: str | None = None,
) -> Evaluation:
    r"""Build an Evaluation from what each model has right and wrong, item by item: paired, as all saw the same items.

    The measures are ``"accuracy"`` and ``"error_rate"``. With a prior of :math:`2\lambda/2^m` on each joint outcome of
    m models an accuracy is :math:`\mathrm{Be}(\text{right}+\lambda, \text{wrong}+\lambda)`, and of two models, with
    :math:`n_A` and :math:`n_B` items that only one of them has right,

    .. math:: P(\text{B is better}) = P\bigl(\mathrm{Be}(n_B + \tfrac\lambda2,\, n_A + \tfrac\lambda2) > \tfrac12\bigr).

    Parameters
    ----------
    correct
        Mapping of model name to True or 1 for each item that it has right and False or 0 for the others: lists or
        arrays in the same order of items for all models, or by id, as mappings ``{"q1": True, …}`` or Series.
    groups
        The document (speaker, user, …) of each item; documents are then the units, as items of one document are not
        independent trials.
    name
        What being right is called in print, such as ``"Exact match"``.
    unit
        What a unit is called in print: ``"item"`` by default, or with groups ``"document"``.

    Examples
    --------
    >>> ev = from_correct({"A": [True, False, True, False], "B": [True, True, True, False]})
    >>> ev
    <Evaluation of 2 models (A, B) on cells right, wrong, 4 items in 3 patterns>
    >>> ev.tables
    array([[2., 2.], [3., 1.]])

    Twenty of twenty is no proof of being better than eighteen:

    >>> from bayesf1 import compare
    >>> ev = from_correct({"A": [1] * 18 + [0] * 2, "B": [1] * 20})
    >>> round(compare(ev, rng=1)["accuracy"].p_h1, 2)
    0.96
    """
    columns, beside = align(correct, "answers", {"groups": groups})
    right = [_flags(column, f"answers of {model!r}") for model, column in columns.items()]
    document = None if groups is None else read_groups(beside["groups"])
    return from_right(np.stack(right, axis=1), tuple(columns), name=name, unit=unit, groups=document)


def from_right(
    hits: NDArray[np.bool_],
    names: tuple[str, ...],
    *,
    name: str = "",
    unit: str | None = None,
    groups: NDArray[Any] | None = None,
    errors: bool = False,
) -> Evaluation:
    """Build an Evaluation from which items scored 1, axes (item, model), where 1 is right or, of `errors`, wrong."""
    task = Correctness(("wrong", "right") if errors else ("right", "wrong"), name)
    if groups is not None and unit == "item":
        raise ValueError("unit 'item' is for single items; groups need another name, such as 'document'")
    kinds, which = distinct_rows_of(hits, 2)
    rows = np.stack([kinds, 1 - kinds], axis=-1).astype(float)
    return from_rows(names, task, rows, groups, which=which, unit=unit, each_an_item=True)


def _flags(values: Any, where: str) -> NDArray[np.bool_]:
    """Return which items are right, or say which answer is neither right nor wrong."""
    what = "True or False (1 or 0), one for each item; other scores go to from_scores"
    return read_numbers(values, where, what, bad=_is_no_flag).astype(bool)


def _is_no_flag(array: FloatArray) -> Any:
    return (array != 0) & (array != 1)


# ---- tables of units, and matrices -------------------------------------------------------------------------


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
        check_same_shapes({f"counts of {name!r}": own for name, own in zip(names, arrays, strict=True)})
        rows = np.stack(arrays, axis=1)
    else:
        rows = _unit_array(counts, "counts", 3)
        names = model_names(models or default_names(rows.shape[1]))
        if len(names) != rows.shape[1]:
            raise ValueError(f"counts have {rows.shape[1]} models, but models= names {len(names)}")
    check_same_gold(rows, names, ("unit",), "all models must be judged on the same gold")
    if unit == "item":
        raise ValueError("unit 'item' is for single items; build those with from_labels")
    task = Binary(BINARY_CELLS[: rows.shape[2]])
    return Evaluation.of_units(names, task, Units.merge(rows, np.ones(len(rows)), unit))


def default_names(n: int) -> list[str]:
    """Return names for `n` models that have none: A, B, … or M1, M2, … where letters run out."""
    return [chr(ord("A") + i) if n <= 26 else f"M{i + 1}" for i in range(n)]


def _unit_array(counts: ArrayLike, where: str, ndim: int) -> FloatArray:
    array = check_counts(counts, where)
    if array.ndim != ndim or not len(array):
        axes = "(unit, cell)" if ndim == 2 else "(unit, model, cell)"
        raise ValueError(f"{where} have shape {array.shape}; an array {axes} belongs here")
    return array


@with_runs_in("matrices")
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
    >>> from bayesf1 import confusion
    >>> confusion(ev, "A")
    array([[8., 1., 1.], [0., 9., 1.], [2., 0., 8.]])
    """
    from scipy.sparse import block_diag

    names = model_names(matrices)
    for name in names:
        matrix: Any = matrices[name]
        axes = (matrix.index, matrix.columns) if hasattr(matrix, "columns") else ()
        if any(list(axis) != [*range(len(axis))] for axis in axes):
            raise ValueError(
                f"matrix of {name!r} is a frame with names; give it as m.reindex(index=labels, columns=labels, "
                "fill_value=0).to_numpy(), and labels="
            )
    arrays = [check_matrix(matrices[name], f"matrix of {name!r}") for name in names]
    check_same_shapes({f"matrix of {name!r}": own for name, own in zip(names, arrays, strict=True)})
    k = len(arrays[0])
    classes = class_names(range(1, k + 1) if labels is None else labels)
    if len(classes) != k:
        raise ValueError(f"labels= has {len(classes)} names, but there are {k} classes")
    seen = [np.argwhere(array > 0) for array in arrays]
    rows = block_diag([class_outcomes(pairs, k) for pairs in seen], format="csr")
    weights = np.concatenate([array[tuple(pairs.T)] for array, pairs in zip(arrays, seen, strict=True)])
    units = Units.merge(rows, weights, "item", shared=False)
    return Evaluation.of_units(names, MultiClass(classes), units)
