"""Labels as people have them: lists, arrays and Series of strings, numbers or booleans."""

from __future__ import annotations

import difflib
import re
import unicodedata
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.checks import check_unmasked, is_label
from bayesf1.base.naming import counted, listing, quoted
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
        raise ValueError(f"label {quoted(strange[0])} occurs, but is none of labels= {known_classes}")
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
            notes.append(f"{which}, which no model predicts: if it stands for a missing label, drop them.")
        others = [str(other) for other, times in gold.items() if times >= 10]
        close = n == 1 and len(str(label)) > 3 and len(gold) <= _MOST_COMPARED
        if close and (alike := difflib.get_close_matches(str(label), others, n=1, cutoff=0.75)):
            notes.append(f"{which}, which looks like {quoted(alike[0])}: if it is a slip, correct it.")
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
            raise ValueError(
                f"{where} has {quoted(value)} for item {i}; a label is a string, a number or the like"
            )
        kinds.add(isinstance(value, str))
        if len(kinds) > 1:
            raise ValueError(
                f"{where} mixes strings and numbers, first at item {i} ({quoted(value)}); use one kind"
            )


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
