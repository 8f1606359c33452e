"""Evaluations from predictions, item by item: paired, and clustered where items come in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import Column, OneLabel, checked
from bayesf1.base.naming import shown
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import is_by_id, with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.binary import BINARY_CELLS, Binary
from bayesf1.reading.class_codes import from_class_codes
from bayesf1.reading.counts import check_counts, check_same_gold
from bayesf1.reading.label_columns import (
    BY_A_JUDGE,
    check_alike,
    check_blank,
    check_positive,
    class_codes,
    class_names,
    distinct_labels,
    find_classes,
    guess_positive,
    read_groups,
    read_labels,
    sort_of,
    stray_labels,
)
from bayesf1.reading.label_sets import from_label_sets
from bayesf1.reading.side_by_side import gold_with_gaps, with_gold

# Cell of an item by 2·(gold is positive) + (prediction is positive).
CELL_OF_CODE = np.eye(4)[[3, 1, 2, 0]]


@checked
@with_runs_in("predictions", is_by_id)
def from_labels(
    y_true: Column,
    predictions: Mapping[str, Any],
    *,
    positive: OneLabel = None,
    groups: Column | None = None,
    labels: Sequence[Any] | None = None,
    multilabel: bool = False,
    ids: Column | str | None = None,
    judge: Column | None = None,
    bins: Any = None,
    audit_probability: ArrayLike | None = None,
    covariates: Mapping[str, Any] | None = None,
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
        of 0 and 1, and `labels` names the columns, or lists of sets of labels.
    ids
        Ids of the items of lists and arrays: a sequence for all of them, or a mapping of a model's name, or of
        ``"y_true"`` and ``"groups"``, to its own.
    judge
        What a cheaper judge, such as a language model, says of every item; or a mapping of judges' names to that. Items
        of `y_true` may then be None, NaN or empty: nobody has labelled them yet, and their gold labels are drawn from
        those of labelled items of which the models and the judges say the same. ``{}`` allows gaps without a judge.
    bins
        Into how many bins a judge's scores are put, or the edges between them.
    audit_probability
        How probable it was that each item would be labelled, where the choice hung on more than what models and judges
        say; items are then compared with those of about the same probability alone.
    covariates
        What else is known of every item in numbers, such as ``{"length": …}``: a note says where labelled items differ in
        it from others of which models and judges say the same, and so may not stand for them.

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
    if not isinstance(predictions, Mapping):
        raise ValueError(
            f"predictions must be a mapping such as {{'A': labels}}, not {type(predictions).__name__}"
        )
    names = model_names(predictions)
    judges = _named_judges(judge)
    gaps = judge is not None or audit_probability is not None
    given = {"groups": groups, "audit_probability": audit_probability}
    beside = {f"judge {name!r}": column for name, column in judges.items()}
    beside |= {name: column for name, column in given.items() if column is not None}
    if covariates and not gaps:
        raise ValueError("covariates= are for items of which some have no gold label; allow gaps by judge=")
    also = _named_covariates(covariates)
    beside |= {f"covariate {name!r}": column for name, column in also.items()}
    called = None
    if gaps:
        y_true, ids, called = gold_with_gaps(y_true, {**beside, **predictions}, ids)
    y_true, predictions, beside = with_gold(y_true, {n: predictions[n] for n in names}, beside, ids)
    document = None if groups is None else read_groups(beside["groups"])
    if gaps:
        from bayesf1.reading.judged import from_judged

        if multilabel:
            raise ValueError("judge= is for items of one label each, and multilabel=True has any number")
        how = {"bins": bins, "positive": positive, "labels": labels}
        how["covariates"] = {name: beside[f"covariate {name!r}"] for name in also}
        said = {name: beside[f"judge {name!r}"] for name in judges}
        chosen = beside.get("audit_probability")
        return from_judged(
            y_true, predictions, said, groups=document, audit_probability=chosen, ids=called, **how
        )
    if bins is not None:
        raise ValueError("bins= says how to read a judge's scores; give them by judge=")
    if multilabel:
        if positive is not None:
            raise ValueError("positive= is for items of one label; with multilabel=True all labels count")
        return from_label_sets(y_true, predictions, labels, document)
    remedy = f"drop or fill it first, or {BY_A_JUDGE}judge"
    gold = read_labels(y_true, "y_true", remedy=remedy)
    if not len(gold):
        raise ValueError("y_true is empty; there is nothing to compare the models on")
    columns = [read_labels(predictions[name], f"predictions of {name!r}") for name in names]
    for name, column in zip(names, columns, strict=True):
        if len(column) != len(gold):
            raise ValueError(f"predictions of {name!r} are {len(column)} labels, but y_true has {len(gold)}")
        if sort_of(gold) != sort_of(column):
            raise ValueError(
                f"y_true has labels like {shown(gold[0])} but predictions of {name!r} like {shown(column[0])}; "
                "numbers and strings are never equal"
            )
    if positive is None:
        found = distinct_labels([gold, *columns])
        if labels is not None or len(found) > 2:
            check_blank(gold, () if labels is not None else found, "y_true", remedy)
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
        check_alike(found := distinct_labels([gold, *columns]))
        check_blank(gold, found, "y_true", remedy)
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


def _named_covariates(covariates: Mapping[str, Any] | None) -> dict[str, Any]:
    if covariates is not None and not isinstance(covariates, Mapping):
        raise ValueError(
            f"covariates are a mapping such as {{'length': numbers}}, not {type(covariates).__name__}"
        )
    return {str(name): column for name, column in (covariates or {}).items()}


def _named_judges(judge: Any) -> dict[str, Any]:
    """Return judges by their names; what is one by itself, perhaps by id, is called a judge."""
    if judge is None:
        return {}
    several = isinstance(judge, Mapping) and (not judge or not is_by_id(judge))
    return dict(judge) if several else {"judge": judge}


@checked
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
