"""Columns as people have them: labels and numbers in lists, arrays and Series, in one order or by id; and units of them."""

from __future__ import annotations

import difflib
import re
import unicodedata
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_unmasked, is_label, numbers_of
from bayesf1.base.naming import counted, listing, quoted
from bayesf1.evaluation import Evaluation, Units, model_names
from bayesf1.tasks.multiclass import Strays

# Pairs of labels whose positive one is beyond doubt, lower-cased: (negative, positive).
_PLAIN_PAIRS = (
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
    ("no", "yes"),
    ("neg", "pos"),
    ("negative", "positive"),
)
# A label of more characters is no name of a class, but a text.
_LONG_LABEL = 200
# A whole number with a decimal point, as pandas writes integers of a column that once had gaps.
_WHOLE = re.compile(r"([+-]?[0-9]+)\.0*")
# How programs spell what is missing.
_GAPS = frozenset(("na", "n/a", "#n/a", "nan", "<na>", "null", "none"))
# Of more gold labels none is compared with the others.
_MOST_COMPARED = 200
# What may stand in for gold labels that are missing.
BY_A_JUDGE = "give what a judge says of every item by judge="
# Runs of one experiment: they share data, or all that there is of it.
_RUNS = ("fold", "split", "seed", "run")


class NoPositiveItem(UserWarning):
    """No item has the positive label, by gold or by a model."""


def positive_or_classes(
    gold: NDArray[Any], columns: Mapping[str, NDArray[Any]], positive: Any, labels: Sequence[Any] | None
) -> tuple[Any, list[Any]]:
    """Return the positive label of a binary task and no classes, or None and the classes."""
    if positive is not None and labels is not None:
        raise ValueError("positive= makes a binary task and labels= one of several classes; give one of them")
    for model, column in columns.items():
        if sort_of(gold) != sort_of(column):
            raise ValueError(
                f"y_true has labels like {quoted(gold[0])} but predictions of {model!r} like {quoted(column[0])}; "
                "numbers and strings are never equal"
            )
    found = distinct_labels([gold, *columns.values()])
    if positive is None and labels is None and len(found) < 3:
        positive = _plain_positive(found)
    if positive is None and (labels is not None or len(found) > 1):
        return None, find_classes(labels, distinct_labels([gold]), found)
    if gold.dtype.kind not in "biuf":
        check_alike(found)
    return guess_positive(found) if positive is None else positive, []


def _plain_positive(labels: list[Any]) -> Any:
    """Return the positive one of two labels if that is beyond doubt, else None."""
    lowered = {_class_name(label).strip().lower(): label for label in labels}
    # Labels that only differ in case are two labels, and then nothing is beyond doubt.
    for negative, positive in _PLAIN_PAIRS if len(lowered) == len(labels) else ():
        if positive in lowered and set(lowered) <= {negative, positive}:
            return lowered[positive]
    return None


def guess_positive(labels: list[Any]) -> Any:
    """Return the positive one of two labels if that is beyond doubt, else say what there is."""
    positive = _plain_positive(labels)
    if positive is None:
        known = listing(map(repr, labels), most=10)
        raise ValueError(f"which label is positive? The labels are {known}; say positive= with one of them")
    return positive


def check_positive(
    positive: Any, hits: NDArray[np.bool_], names: tuple[str, ...], labels: Callable[[], list[Any]]
) -> None:
    """Raise a ValueError where a misspelt label leaves no item positive, and warn where none is otherwise."""
    if not hits.any():
        known = {str(label).casefold(): label for label in labels()[:1000]}
        alike = difflib.get_close_matches(str(positive).casefold(), known, n=1, cutoff=0.75)
        found = f"no item is labelled {quoted(positive)}"
        if alike:
            raise ValueError(f"{found}; did you mean {quoted(known[alike[0]])}?")
        # A shard of a corpus may well hold no positive item.
        warnings.warn(
            f"{found}; the labels are {listing(map(quoted, known.values()))}", NoPositiveItem, stacklevel=3
        )
        return
    silent = [name for name, said in zip(names, hits.T[1:], strict=True) if not said.any()]
    if silent:
        warnings.warn(
            f"{', '.join(silent)} never predicts the positive label {quoted(positive)}", stacklevel=3
        )


def find_classes(labels: Sequence[Any] | None, gold: Sequence[Any], said: Iterable[Any]) -> list[Any]:
    """Return the classes, those asked for or those of gold; what else models said must not look like one of them.

    Examples
    --------
    >>> find_classes(None, ["ham", "spam"], ["ham", "spam", "eggs"])
    ['ham', 'spam']
    """
    if labels is None:
        check_alike(gold)
    elif isinstance(labels, str | bytes) or not isinstance(labels, Sequence | np.ndarray) or len(labels) < 2:
        raise ValueError(f"labels= is a list of at least two classes, not {quoted(labels)}")
    check_unmasked(labels, "labels=")
    classes = [plain_label(label) for label in (gold if labels is None else labels)]
    if not all(isinstance(label, Hashable) for label in classes):
        raise ValueError(f"labels= holds {quoted(labels)}, but a label is a string or a number")
    strange = [label for label in gold if label not in {*classes}]
    if strange:
        known_classes = listing(map(quoted, classes), most=10)
        raise ValueError(f"label {quoted(strange[0])} occurs, but is not one of labels= {known_classes}")
    known, seen = set(classes), {_as_seen(label): label for label in classes}
    # Padding makes a label longer, but hardly ten times as long.
    longest = 10 * max(map(len, seen), default=0) + 100
    for label in said:
        other = seen.get(_as_seen(label)) if label not in known and len(str(label)) <= longest else None
        if other is not None:
            raise _too_alike(other, label)
    return classes


def check_alike(labels: Iterable[Any], what: str = "labels") -> None:
    """Say which two labels, or names of something else, a reader would take for one.

    Examples
    --------
    >>> check_alike(["spam", "ham"])
    >>> check_alike(["spam", "Spam"])
    Traceback (most recent call last):
    ValueError: labels 'spam' and 'Spam' differ only in case or spaces, in how ...
    """
    seen: dict[str, Any] = {}
    for label in labels:
        other = seen.setdefault(_as_seen(label), label)
        if other is not label and (type(other), other) != (type(label), label):
            raise _too_alike(other, label, what)


def _as_seen(label: Any) -> str:
    """Return what a reader sees of a label, without case."""
    text = label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)
    quoted = "".join(c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c) != "Cf")
    plain = quoted.strip().casefold()
    return whole[1] if (whole := _WHOLE.fullmatch(plain)) else plain


def _too_alike(one: Any, other: Any, what: str = "labels") -> ValueError:
    classes = ", or say by labels= that both are classes" if what == "labels" else ""
    how = "in case or spaces, in how their characters are coded or in how a number is written"
    return ValueError(f"{what} {quoted(one)} and {quoted(other)} differ only {how}; make them one{classes}")


def plain_label(label: Any) -> Any:
    """Return a label of numpy's as one of Python's, and any other as it is."""
    return label.item() if isinstance(label, np.generic) else label


def class_codes(column: NDArray[Any], classes: Sequence[Any]) -> NDArray[np.int64]:
    """Return labels as indices into the classes, and their number for what is none of them."""
    place = {label: i for i, label in enumerate(classes)}
    which: Any = slice(None)
    if column.dtype.kind != "O":
        column, which = np.unique(column, return_inverse=True)
    found = (place.get(label, len(place)) for label in column.tolist())
    codes: NDArray[np.int64] = np.fromiter(found, dtype=np.int64, count=len(column))[which]
    return codes


def label_counts(column: NDArray[Any], weights: NDArray[Any] | None = None) -> dict[Any, float]:
    """Return how many items have each label; there are `weights` items of each row."""
    times = np.ones(len(column)) if weights is None else weights
    if column.dtype.kind != "O":
        column, which = np.unique(column, return_inverse=True)
        times = np.bincount(which.ravel(), weights=times)
    counts: dict[Any, float] = {}
    for label, number in zip(column.tolist(), times.tolist(), strict=True):
        counts[label] = counts.get(label, 0.0) + number
    return counts


def stray_labels(
    columns: Mapping[str, NDArray[Any]], classes: Sequence[Any], weights: NDArray[Any] | None = None
) -> Strays:
    """Return how often each model said what is none of the classes; there are `weights` items of each row."""
    known = set(classes)
    unknown: dict[str, dict[str, float]] = {}
    for model, column in columns.items():
        counts = label_counts(column, weights).items()
        unknown[model] = {_class_name(label): number for label, number in counts if label not in known}
    return Strays.of(unknown)


def label_notes(
    gold: Mapping[Any, float], predicted: Mapping[str, Mapping[Any, float]], positive: Any = None
) -> tuple[str, ...]:
    """Say which gold label may be a gap or a slip, and, of a binary task, what models predict that no item is.

    Examples
    --------
    >>> label_notes({"spam": 20, "ham": 9, "spma": 1}, {"A": {"spam": 29, "eggs": 1}}, "spam")
    ("1 item has the gold label 'spma', ...", "A predicts 'eggs' for 1 item, which no gold label is ...")
    """
    notes = []
    for label, n in gold.items():
        which = f"{counted(int(n), 'item')} {'has' if n == 1 else 'have'} the gold label {quoted(label)}"
        if str(label).strip().lower() in _GAPS and not any(label in own for own in predicted.values()):
            notes.append(
                f"{which}, which no model predicts: if it stands for a missing label, drop such items."
            )
        others = [str(other) for other, times in gold.items() if times >= 10]
        close = n == 1 and len(str(label)) > 3 and len(gold) <= _MOST_COMPARED
        if close and (alike := difflib.get_close_matches(str(label), others, n=1, cutoff=0.75)):
            notes.append(f"{which}, which looks like {quoted(alike[0])}: if it is a typo, correct it.")
    for model, counts in predicted.items() if positive is not None else ():
        unknown = {label: n for label, n in counts.items() if label != positive and label not in gold}
        if unknown:
            notes.append(
                f"{model} predicts {listing(map(quoted, sorted(unknown, key=str)), most=3)} for "
                f"{counted(int(sum(unknown.values())), 'item')}, which no gold label is and counts as not {quoted(positive)}."
            )
    return tuple(notes)


def distinct_labels(columns: list[NDArray[Any]]) -> list[Any]:
    """Return the labels that occur in any of the columns, sorted."""
    seen: dict[Any, None] = {}
    for column in columns:
        values = column.tolist() if column.dtype.kind == "O" else np.unique(column).tolist()
        seen.update(dict.fromkeys(values))
    return sorted(
        seen, key=lambda label: (str(type(label)), label if isinstance(label, int | float) else str(label))
    )


def read_labels(values: Any, where: str, *, remedy: str = "drop or fill it first") -> NDArray[Any]:
    """Return labels as a one-dimensional array without missing values, or say what to do with one that is missing."""
    if isinstance(values, str | bytes | Mapping):
        raise ValueError(f"{where} must be a sequence of labels, not {type(values).__name__}")
    check_unmasked(values, where)
    try:
        array = _as_array(values)
    except (ValueError, RecursionError):
        raise ValueError(f"{where} must be one label for each item, not {quoted(values)}") from None
    if array.dtype.kind == "V":
        raise ValueError(f"{where} must be one label for each item, not records of {array.dtype}")
    if array.dtype.kind not in "biufUSO" and array.size:
        array = np.asarray(values, dtype=object)
    if array.ndim != 1:
        raise ValueError(f"{where} must be one label for each item, not an array of shape {array.shape}")
    if array.dtype.kind == "O":
        _check_objects(array, where, remedy)
        kinds = {type(v) for v in array}
        if all(issubclass(kind, str) for kind in kinds):
            return array if _has_long(array) else array.astype(str)
        if all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds):
            return np.array(array.tolist())
    elif array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        # numpy turns a mixed list into strings without a word.
        _check_objects(values, where, remedy)
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if missing.any():
        raise ValueError(f"{where} has no label for item {int(np.argmax(missing)) + 1}; {remedy}")
    return array


def sort_of(labels: NDArray[Any]) -> str:
    """Return what labels are, all of one sort: numbers, texts or something else, such as dates."""
    if labels.dtype.kind in "biuf":
        return "number"
    return "text" if not len(labels) or isinstance(labels[0], str | bytes) else "other"


def read_groups(values: Any) -> NDArray[Any]:
    """Return the group of each item, numbered where labels are no numbers, as others may have no order.

    Examples
    --------
    >>> read_groups(["b", "a", "b"])
    array([0, 1, 0])
    """
    labels = read_labels(values, "groups")
    if labels.dtype.kind in "biuf":
        return labels
    place: dict[Any, int] = {}
    codes = np.array([place.setdefault(label, len(place)) for label in labels.tolist()], dtype=np.intp)
    check_blank(labels, place, "groups")
    return codes


def check_blank(
    labels: NDArray[Any], distinct: Iterable[Any], where: str, remedy: str = "drop or fill it first"
) -> None:
    """Say which item has an empty label, as files have where there is none."""
    for label in distinct:
        if is_missing(label, blank=True) and (empty := labels == label).any():
            raise ValueError(f"{where} has no label for item {int(np.argmax(empty)) + 1}; {remedy}")


def _as_array(values: Any) -> NDArray[Any]:
    """Return values as an array; of long texts one of objects, as others hold every text at the longest's length."""
    if isinstance(values, list | tuple) and _has_long(values):
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    return np.asarray(values)


def _has_long(values: Iterable[Any]) -> bool:
    return any(isinstance(value, str) and len(value) > _LONG_LABEL for value in values)


def is_missing(value: Any, *, blank: bool = False) -> bool:
    """Return whether a value stands for no value: None, NaN, pandas' NA or NaT, and perhaps a blank text."""
    if isinstance(value, str):
        return blank and not value.strip()
    # NA is asked by name, as NA != NA is NA again; a signalling NaN fails when it is compared.
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, Decimal) and value.is_nan())
        or bool(value != value)
    )


def _check_objects(values: Any, where: str, remedy: str) -> None:
    kinds = set()
    for i, value in enumerate(values, start=1):
        if is_missing(value):
            raise ValueError(f"{where} has no label for item {i}; {remedy}")
        if not isinstance(value, str) and not is_label(value):
            raise ValueError(f"{where} has {quoted(value)} for item {i}; a label is a string or a number")
        # numpy cuts what such a label prints to the length of its value, so that all labels may become one.
        if isinstance(value, Enum) and isinstance(value, str) and str(value) != value:
            raise ValueError(f"{where} has {value!r} for item {i}; the label is {quoted(value.value)}")
        kinds.add(isinstance(value, str))
        if len(kinds) > 1:
            raise ValueError(f"{where} mixes strings and numbers, first at item {i} ({quoted(value)})")


def class_names(labels: Sequence[Any]) -> tuple[str, ...]:
    """Return labels as names of classes, or say which two are the same."""
    if isinstance(labels, set | frozenset):
        raise ValueError(f"labels= is a set, which has no order; give a list, as {sorted(map(str, labels))}")
    names = tuple(_class_name(label) for label in labels)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"label {quoted(twice)} is given twice; classes need different names")
    return names


def _class_name(label: Any) -> str:
    value = plain_label(label)
    if isinstance(value, Mapping | list | tuple | set):
        raise ValueError(f"labels are strings, numbers and the like, not {quoted(value)}")
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole else str(value)


# ---- columns of several models, in one order of items -----------------------------------------------------


def check_unit(unit: Any) -> str:
    """Return what a unit is called, or say that it is no name, or none of a unit that was sampled."""
    if not isinstance(unit, str) or not unit.strip() or unit == "table":
        raise ValueError(f"unit is a name such as 'query' or 'document', not {quoted(unit)}")
    if unit.strip().lower().removesuffix("s") in _RUNS:
        raise ValueError(
            f"unit {quoted(unit)}: folds, splits, seeds and runs share their data and are not independent units, so a "
            "difference would be claimed far too often; compare folds by bf.fold_tests, and runs by what they predicted"
        )
    return unit


def read_numbers(
    values: Any, where: str, what: str, *, bad: Callable[[FloatArray], Any], ndim: int = 1
) -> FloatArray:
    """Return numbers as an array of as many axes, none of them `bad`; `what` says what belongs there.

    Examples
    --------
    >>> read_numbers([0.5, float("inf")], "scores of 'A'", "finite numbers, one for each unit", bad=np.isinf)
    Traceback (most recent call last):
    ValueError: scores of 'A' have inf for item 2; they must be finite numbers, one for each unit
    """
    array = numbers_of(values, where, remedy=f"must be {what}")
    if array.ndim != ndim or not array.size:
        raise ValueError(f"{where} have shape {array.shape}; they must be {what}")
    wrong = np.argwhere(bad(array))
    if len(wrong):
        place = ", ".join(f"{axis} {i + 1}" for axis, i in zip(("item", "column"), wrong[0], strict=False))
        raise ValueError(f"{where} have {array[tuple(wrong[0])]:g} for {place}; they must be {what}")
    # A negative zero is a zero, and would be another score in print.
    return array + 0.0


def check_same_shapes(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Say whose array has another shape than the first one's."""
    first, known = next(iter(arrays.items()))
    for where, array in arrays.items():
        if array.shape != known.shape:
            raise ValueError(
                f"{where} have shape {array.shape}, but {first} {known.shape}; the same items and columns belong in all"
            )


def distinct_rows_of(coded: NDArray[Any], n_codes: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the distinct rows of numbers below `n_codes`, and which of them each row is.

    Examples
    --------
    >>> distinct_rows_of(np.array([[1, 0], [0, 1], [1, 0]]), 2)
    (array([[0, 1], [1, 0]]), array([1, 0, 1]))
    """
    n = coded.shape[1]
    if n * np.log2(max(n_codes, 2)) >= 62:
        rows, which = np.unique(coded, axis=0, return_inverse=True)
        return rows, which.ravel()
    powers = n_codes ** np.arange(n - 1, -1, -1)
    keys, which = np.unique(coded @ powers, return_inverse=True)
    return keys[:, None] // powers % n_codes, which.ravel()


def from_rows(
    names: tuple[str, ...],
    task: Any,
    rows: Any,
    groups: NDArray[Any] | None,
    *,
    which: NDArray[np.intp] | None = None,
    weights: FloatArray | None = None,
    unit: str | None = None,
    one: str = "item",
    each_an_item: bool = False,
) -> Evaluation:
    """Build an Evaluation from what items of each kind add to the tables, axes (kind, ...).

    The kind of an item is `which` says, by default one of its own, and there are `weights` of it. Units are called `one`
    by default; groups of them, if given, are then the units, and called documents.
    """
    from scipy.sparse import csr_array

    rows = rows.reshape(len(rows), -1) if isinstance(rows, np.ndarray) else rows
    n_kinds = rows.shape[0]
    which = np.arange(n_kinds) if which is None else which
    each = np.ones(len(which)) if weights is None else weights
    several = check_unit("document" if unit is None else unit)
    called = one if groups is not None or unit is None else several
    summed = np.bincount(which, weights=each, minlength=n_kinds).astype(float)
    items = Units.merge(rows, summed, called, each_an_item=each_an_item)
    if groups is None:
        return Evaluation.of_units(names, task, items)
    found, document = np.unique(groups, return_inverse=True)
    sums = csr_array((each, (document.ravel(), which)), shape=(len(found), n_kinds)) @ rows
    return Evaluation.of_units(names, task, Units.merge(sums, np.ones(len(found)), several), items)


def align(
    models: Mapping[str, Any], what: str, beside: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the models' columns, and others such as ``"y_true"`` and ``"groups"``, in one order of items.

    The ids of items are the keys of a mapping, or the index of a Series or a frame. Lists, arrays and Series with the
    index that pandas gives by default are taken in the order that they have. The order is that of the first column whose
    items have ids.

    Parameters
    ----------
    models
        The column of each model.
    what
        What columns of models are called in errors, as ``"scores"``.
    beside
        Other columns by their names; those that are None are left out.

    Examples
    --------
    >>> align({"A": {"d2": 1, "d1": 1}}, "predictions", {"y_true": {"d1": 0, "d2": 1}})
    ({'A': [1, 1]}, {'y_true': [0, 1]})
    """
    words = {name: f"{what} of {name!r}" for name in model_names(models)}
    others = {name: column for name, column in beside.items() if column is not None}
    columns = {**others, **{words[name]: column for name, column in models.items()}}
    found = {n: list(c.values()) if isinstance(c, Mapping) else c for n, c in columns.items()}
    keyed = {name: index_of(column, name) for name, column in columns.items()}
    keyed = {name: index for name, index in keyed.items() if index is not None}
    first, order = next(iter(keyed.items()), ("", None))
    moved = [name for name, index in keyed.items() if not index.equals(order)]
    for name in moved:
        _check_ids(name, keyed[name], first, order)
        found[name] = _taken(found[name], keyed[name].get_indexer(order))
    for name in (name for name in columns if keyed and name not in keyed):
        _check_order(name, columns, first, order, moved)
    sizes = {name: size for name, column in found.items() if (size := _size(column)) is not None}
    for name, size in sizes.items():
        one, n = next(iter(sizes.items()))
        if size != n:
            raise ValueError(f"{name} have {size} values, but {one} {n}; give one for each item")
    return {name: found[words[name]] for name in models}, {name: found[name] for name in others}


def _size(column: Any) -> int | None:
    """Return the number of items, None of what is no column."""
    shape = getattr(column, "shape", None)
    if isinstance(column, str | bytes) or shape == ():
        return None
    return int(shape[0]) if shape else len(column) if hasattr(column, "__len__") else None


def gold_with_gaps(y_true: Any, columns: Mapping[str, Any]) -> tuple[Any, list[Any] | None]:
    """Return gold with None for items that only other columns have, and what items are called.

    Examples
    --------
    >>> gold_with_gaps({"d2": 1}, {"A": {"d1": 0, "d2": 1}})
    ({'d2': 1, 'd1': None}, ['d2', 'd1'])
    >>> gold_with_gaps([1, None], {"A": [0, 1]})
    ([1, None], None)
    """
    own = index_of(y_true, "y_true")
    every = (index_of(column, name) for name, column in columns.items())
    others = next((index for index in every if index is not None), None)
    if own is None or others is None:
        one = others if own is None else own
        return y_true, None if one is None else list(one)
    missing = others[~others.isin(own)].tolist()
    called = [*own, *missing]
    if not missing:
        return y_true, called
    values = list(y_true.values() if isinstance(y_true, Mapping) else y_true)
    return dict(zip(called, [*values, *[None] * len(missing)], strict=True)), called


def index_of(column: Any, name: str) -> Any:
    """Return the ids of a column's items as an index, None where there are none."""
    index: Any = getattr(column, "index", None)
    # A list has a method of this name, and pandas counts rows that have no ids.
    if hasattr(index, "get_indexer"):
        numbered = type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
        return None if numbered else index
    if not isinstance(column, Mapping):
        return None
    import pandas as pd

    index = pd.Index(list(column), tupleize_cols=False, dtype=object)
    if index.isna().any():
        raise ValueError(f"ids of {name} lack one, that of item {int(index.isna().argmax()) + 1}")
    return index


def _taken(values: Any, places: Any) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[places]
    return values[places] if isinstance(values, np.ndarray) else [values[i] for i in places]


def _check_order(name: str, columns: Mapping[str, Any], first: str, order: Any, moved: list[str]) -> None:
    """Refuse a column without ids beside others with ids, unless there is but one order that it can have."""
    numbered = hasattr(getattr(columns[name], "index", None), "get_indexer")
    own = range(len(columns[name]) if numbered else 0)
    renumbered = order.tolist() != list(own) and set(order) == set(own)
    if moved or renumbered or isinstance(columns[first], Mapping):
        raise ValueError(
            f"{moved[0] if moved else first} have ids, but {name} none, so that it is not clear in which order {name} are; "
            f"give {name} by id, too, or say by reset_index(drop=True) or lists that all have one order"
        )


def _check_ids(name: str, index: Any, first: str, order: Any) -> None:
    remedy = "give all the same ids, or arrays where they are in one order"
    for has, labels, lacks, others in ((first, order, name, index), (name, index, first, order)):
        missing = labels[~labels.isin(others)].tolist()
        if missing:
            raise ValueError(f"{lacks} have no value for {quoted(missing[0])}, which {has} have; {remedy}")
        twice = labels[labels.duplicated()].tolist()
        if twice:
            raise ValueError(f"{has} have two values for {quoted(twice[0])}, in another order; {remedy}")
