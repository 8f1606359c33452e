"""Evaluations from predictions, item by item: paired, and clustered where items come in groups."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.classes import class_names, from_class_codes, from_indicators
from bayesf1.counts import check_counts
from bayesf1.evaluation import BINARY_CELLS, Evaluation, FloatArray, merge_patterns, model_names
from bayesf1.naming import listing

# Pairs of labels whose positive one is beyond doubt, lower-cased: (negative, positive).
_PLAIN_PAIRS = (
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
    ("no", "yes"),
    ("neg", "pos"),
    ("negative", "positive"),
)
# Cell of an item by 2·(gold is positive) + (prediction is positive).
_CELL_OF_CODE = np.eye(4)[[3, 1, 2, 0]]


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
    (``macro_f1``), those of one class (``f1[spam]``) or of the whole matrix (``accuracy``, ``mcc``).

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
        The classes, where they are more than those that occur, or where there are just two and both count.
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
    document = None if groups is None else _labels(groups, "groups")
    if multilabel:
        if positive is not None:
            raise ValueError("positive= is for items of one label; with multilabel=True all labels count")
        return from_label_sets(y_true, {name: predictions[name] for name in names}, labels, document)
    gold = _labels(y_true, "y_true")
    if not len(gold):
        raise ValueError("y_true is empty; there is nothing to compare the models on")
    columns = [_labels(predictions[name], f"predictions of {name!r}") for name in names]
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
            classes = check_labels(labels, found)
            coded = np.stack([_codes(column, classes) for column in (gold, *columns)], axis=1)
            return from_class_codes(coded[:, 0], coded[:, 1:], names, class_names(classes), groups=document)
        positive = guess_positive(found)
    elif labels is not None:
        raise ValueError("positive= makes a binary task and labels= one of several classes; give one of them")
    hits = np.stack([column == positive for column in (gold, *columns)], axis=1)
    check_positive(
        positive, hits[:, 0].any(), hits[:, 1:].any(axis=0), names, lambda: distinct_labels([gold, *columns])
    )
    return from_hits(hits, names, groups=document)


def from_label_sets(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    labels: Sequence[Any] | None,
    groups: NDArray[Any] | None,
) -> Evaluation:
    """Build an Evaluation from which labels each item has, arrays (item, label) of 0 and 1."""
    if _are_sets(y_true):
        columns_of = {name: _sets(value, f"predictions of {name!r}") for name, value in predictions.items()}
        given = {"y_true": _sets(y_true, "y_true"), **columns_of}
        found = distinct_labels(
            [np.array(list(row), dtype=object) for rows in given.values() for row in rows]
        )
        labels = found if labels is None else check_labels(labels, found)
        place = {label: i for i, label in enumerate(labels)}
        dense = {name: _indicate(rows, place) for name, rows in given.items()}
        y_true, predictions = dense.pop("y_true"), dense
    gold = _indicators(y_true, "y_true")
    if not gold.size:
        raise ValueError("y_true is empty; there is nothing to compare the models on")
    columns = {name: _indicators(value, f"predictions of {name!r}") for name, value in predictions.items()}
    for name, column in columns.items():
        if column.shape != gold.shape:
            raise ValueError(
                f"predictions of {name!r} have shape {column.shape}, but y_true has {gold.shape}"
            )
    classes = class_names(range(1, gold.shape[1] + 1) if labels is None else labels)
    if len(classes) != gold.shape[1]:
        raise ValueError(f"labels= names {len(classes)} labels, but y_true has {gold.shape[1]} columns")
    return from_indicators(gold, columns, classes, groups=groups)


def _are_sets(values: Any) -> bool:
    """Whether items come as collections of labels, and not as rows of 0 and 1."""
    if not isinstance(values, list | tuple) or not all(
        isinstance(v, list | tuple | set | frozenset) for v in values
    ):
        return False
    return any(isinstance(v, set | frozenset) or any(isinstance(x, str) for x in v) for v in values)


def _sets(values: Any, where: str) -> list[frozenset[Any]]:
    rows = list(values)
    for i, row in enumerate(rows, start=1):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise ValueError(f"{where} has {row!r} for item {i}, where a set of labels belongs")
    return [frozenset(row) for row in rows]


def _indicate(rows: list[frozenset[Any]], place: Mapping[Any, int]) -> NDArray[np.bool_]:
    out = np.zeros((len(rows), len(place)), dtype=bool)
    for i, row in enumerate(rows):
        out[i, [place[label] for label in row]] = True
    return out


def _indicators(values: ArrayLike, where: str) -> NDArray[np.bool_]:
    array = np.asarray(values.toarray() if hasattr(values, "toarray") else values)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(f"{where} must be an array (item, label) of 0 and 1 where multilabel=True")
    bad = ~((array == 0) | (array == 1))
    if bad.any():
        i, j = (int(place) for place in np.argwhere(bad)[0])
        raise ValueError(f"{where} has {array[i, j]} for item {i + 1}, label {j + 1}; 0 or 1 belongs there")
    return np.asarray(array == 1)


def check_labels(labels: Sequence[Any] | None, found: Sequence[Any]) -> list[Any]:
    """Return the classes: those asked for, or those found, or say which label is none of them."""
    if labels is None:
        folded: dict[str, Any] = {}
        for label in found:
            other = folded.setdefault(str(label).strip().casefold(), label)
            if other is not label:
                raise ValueError(
                    f"labels {other!r} and {label!r} differ only in case or spaces; make them one, or say by "
                    "labels= that both are classes"
                )
        return list(found)
    if isinstance(labels, str | bytes) or not isinstance(labels, Sequence | np.ndarray) or len(labels) < 2:
        raise ValueError(f"labels= is a list of at least two classes, not {labels!r}")
    labels = [label.item() if isinstance(label, np.generic) else label for label in labels]
    known = set(labels)
    strange = [label for label in found if label not in known]
    if strange:
        raise ValueError(
            f"label {strange[0]!r} occurs, but is none of labels= {listing(map(repr, labels), most=10)}"
        )
    return list(labels)


def _codes(column: NDArray[Any], classes: Sequence[Any]) -> NDArray[np.int64]:
    """Return labels as indices into the classes."""
    place = {label: i for i, label in enumerate(classes)}
    if column.dtype.kind == "O":
        return np.array([place[label] for label in column.tolist()], dtype=np.int64)
    values, which = np.unique(column, return_inverse=True)
    coded: NDArray[np.int64] = np.array([place[label] for label in values.tolist()], dtype=np.int64)
    return coded[which.ravel()]


def from_hits(
    hits: NDArray[np.bool_],
    names: tuple[str, ...],
    *,
    weights: FloatArray | None = None,
    groups: NDArray[Any] | None = None,
) -> Evaluation:
    """Build an Evaluation from which items are positive, axes (item, [gold, *models])."""
    codes = 2 * hits[:, :1].astype(np.int8) + hits[:, 1:]
    items = merge_codes(codes, np.ones(len(codes)) if weights is None else weights, names, BINARY_CELLS)
    if groups is None:
        return items
    if len(groups) != len(codes):
        raise ValueError(f"groups are {len(groups)} labels, but y_true has {len(codes)}")
    group, which = np.unique(groups, return_inverse=True)
    flat = (which.ravel()[:, None] * len(names) + np.arange(len(names))) * 4 + codes
    counts = np.bincount(flat.ravel(), minlength=len(group) * len(names) * 4).reshape(-1, len(names), 4)
    return clustered(
        counts @ _CELL_OF_CODE, np.ones(len(group)), names, BINARY_CELLS, unit="document", items=items
    )


def merge_codes(
    codes: NDArray[Any], weights: FloatArray, names: tuple[str, ...], cells: tuple[str, ...]
) -> Evaluation:
    """Merge items by what happened to each model, given 2·gold + prediction, axes (item, model)."""
    k = len(names)
    if k <= 16:
        key = (codes[:, 0] >> 1).astype(np.int64)
        for j in range(k):
            key = 2 * key + (codes[:, j] & 1)
        counts = np.bincount(key, weights=weights, minlength=2 << k)
        seen = np.flatnonzero(counts)
        bits = (seen[:, None] >> np.arange(k, -1, -1)) & 1
        codes, weights = 2 * bits[:, :1] + bits[:, 1:], np.asarray(counts[seen], dtype=np.float64)
    return merge_patterns(names, cells, _CELL_OF_CODE[codes][..., : len(cells)], weights, unit="item")


def clustered(
    rows: FloatArray,
    weights: FloatArray,
    names: tuple[str, ...],
    cells: tuple[str, ...],
    *,
    unit: str,
    items: Evaluation | None = None,
) -> Evaluation:
    """Build an Evaluation whose units hold several items, keeping the items beside them."""
    from dataclasses import replace

    return replace(merge_patterns(names, cells, rows, weights, unit=unit), items=items)


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
    gold = rows[..., 0] + rows[..., 2]
    differs = ~np.isclose(gold, gold[:, :1], rtol=1e-9, atol=1e-9)
    if differs.any():
        u, j = (int(i) for i in np.argwhere(differs)[0])
        raise ValueError(
            f"unit {u + 1} has {gold[u, 0]:g} gold positives (tp+fn) for {names[0]!r} but {gold[u, j]:g} for "
            f"{names[j]!r}; all models must be judged on the same gold"
        )
    if unit == "item":
        raise ValueError("unit 'item' is for single items; build those with from_labels")
    cells = BINARY_CELLS[: rows.shape[2]]
    return clustered(rows, np.ones(len(rows)), names, cells, unit=unit)


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


def guess_positive(labels: list[Any]) -> Any:
    """Return the positive one of two labels where that is beyond doubt, else say what there is."""
    lowered = {str(_plain_number(label)).strip().lower(): label for label in labels}
    # Labels that only differ in case are two labels, and then nothing is beyond doubt.
    for negative, positive in _PLAIN_PAIRS if len(lowered) == len(labels) else ():
        if positive in lowered and set(lowered) <= {negative, positive}:
            return lowered[positive]
    listing = ", ".join(repr(label) for label in labels[:10]) + (", …" if len(labels) > 10 else "")
    raise ValueError(f"which label is positive? The labels are {listing}; say positive=… with one of them")


def check_positive(positive: Any, in_gold: Any, in_models: Any, names: tuple[str, ...], labels: Any) -> None:
    """Raise a ValueError where a misspelt label leaves no item positive, and warn where none is otherwise."""
    if not in_gold and not np.any(in_models):
        known = {str(label).casefold(): label for label in labels()[:1000]}
        alike = difflib.get_close_matches(str(positive).casefold(), known, n=1, cutoff=0.75)
        found = f"no item is labelled {positive!r}"
        if alike:
            raise ValueError(f"{found}; did you mean {known[alike[0]]!r}?")
        # A shard of a corpus may well hold no positive item.
        warnings.warn(f"{found}; the labels are {listing(map(repr, known.values()))}", stacklevel=3)
        return
    silent = [name for name, some in zip(names, in_models, strict=True) if not some]
    if silent:
        warnings.warn(f"{', '.join(silent)} never predicts the positive label {positive!r}", stacklevel=3)


def _plain_number(label: Any) -> Any:
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return int(label)
    return label.item() if isinstance(label, np.generic) else label


def distinct_labels(columns: list[NDArray[Any]]) -> list[Any]:
    """Return the labels that occur in any of the columns, sorted."""
    seen: dict[Any, None] = {}
    for column in columns:
        values = column.tolist() if column.dtype.kind == "O" else np.unique(column).tolist()
        seen.update(dict.fromkeys(values))
    return sorted(
        seen, key=lambda label: (str(type(label)), label if isinstance(label, int | float) else str(label))
    )


def _labels(values: Any, where: str) -> NDArray[Any]:
    """Return labels as a one-dimensional array without missing values."""
    if isinstance(values, str | bytes | Mapping):
        raise ValueError(f"{where} must be a sequence of labels, not {type(values).__name__}")
    array = np.asarray(values)
    if array.dtype.kind not in "biufUSO" and array.size:
        array = np.asarray(values, dtype=object)
    if array.ndim != 1:
        raise ValueError(f"{where} must be one label for each item, not an array of shape {array.shape}")
    if array.dtype.kind == "O":
        _check_objects(array, where)
        kinds = {type(v) for v in array}
        if all(issubclass(kind, str) for kind in kinds):
            return array.astype(str)
        if all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds):
            return np.array(array.tolist())
    elif array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        # numpy turns a mixed list into strings without a word.
        _check_objects(values, where)
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if missing.any():
        raise ValueError(
            f"{where} has no label for item {int(np.argmax(missing)) + 1}; drop or fill it first"
        )
    return array


def is_missing(value: Any) -> bool:
    """Return whether a value stands for no value: None, NaN, pandas' NA or NaT."""
    # NA is asked by name, as NA != NA is NA again.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _check_objects(values: Any, where: str) -> None:
    kinds = set()
    for i, value in enumerate(values, start=1):
        if is_missing(value):
            raise ValueError(f"{where} has no label for item {i}; drop or fill it first")
        kinds.add(isinstance(value, str))
        if len(kinds) > 1:
            raise ValueError(
                f"{where} mixes strings and numbers, first at item {i} ({value!r}); use one kind"
            )
