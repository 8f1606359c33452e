"""Columns as people have them: labels and numbers in lists, arrays and Series, in one order or by id; and units of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import AnyArray, FloatArray, IntArray, sparse
from bayesf1.base.checks import check_unmasked, is_label, numbers_of
from bayesf1.base.naming import quoted
from bayesf1.evaluation import Evaluation, model_names
from bayesf1.io.roles import repeated_role
from bayesf1.units import Units

if TYPE_CHECKING:
    import pandas as pd

# A label of more characters is no name of a class, but a text.
_LONG_LABEL = 200


def plain_label(label: Any) -> Any:
    """Return a label of numpy's as one of Python's, and any other as it is."""
    return label.item() if isinstance(label, np.generic) else label


def read_labels(values: Any, where: str, *, remedy: str = "drop or fill it first") -> AnyArray:
    """Return labels as a one-dimensional array without missing values, or say what to do with one that is missing."""
    if isinstance(values, str | bytes | Mapping):
        raise ValueError(f"{where} must be a sequence of labels, not {type(values).__name__}")
    check_unmasked(values, where)
    categorical = _categories(values)
    if categorical is not None:
        return _labels_of_categories(categorical, where, remedy)
    try:
        array = _as_array(values)
    except (ValueError, RecursionError):
        raise ValueError(f"{where} must be one label for each item, not {quoted(values)}") from None
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


def _categories(values: Any) -> pd.Categorical | None:
    """Return a column of pandas whose categories are texts as such; None of any other column."""
    dtype = getattr(values, "dtype", None)
    if type(dtype).__name__ != "CategoricalDtype":
        return None
    import pandas as pd

    categorical = pd.Categorical(values)
    return categorical if all(type(category) is str for category in categorical.categories) else None


def _labels_of_categories(categorical: pd.Categorical, where: str, remedy: str) -> AnyArray:
    """Return labels of which each distinct one is held once, as files are read."""
    missing = categorical.codes < 0
    if missing.any():
        raise ValueError(f"{where} has no label for item {int(np.argmax(missing)) + 1}; {remedy}")
    used, which = np.unique(categorical.codes, return_inverse=True)
    labels = np.array(categorical.categories[used].tolist(), dtype=object)
    return labels[which] if _has_long(labels) else labels.astype(str)[which]


def read_groups(values: Any) -> AnyArray:
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
    labels: AnyArray, distinct: Iterable[Any], where: str, remedy: str = "drop or fill it first"
) -> None:
    """Say which item has an empty label, as files have where there is none."""
    for label in distinct:
        if is_missing(label, blank=True) and (empty := labels == label).any():
            raise ValueError(f"{where} has no label for item {int(np.argmax(empty)) + 1}; {remedy}")


def _as_array(values: Any) -> AnyArray:
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


# ---- columns of several models, in one order of items -----------------------------------------------------


def check_unit(unit: Any) -> str:
    """Return what a unit is called, or say that it is no name, or none of a unit that was sampled."""
    if not isinstance(unit, str) or not unit.strip() or unit == "table":
        raise ValueError(f"unit is a name such as 'query' or 'document', not {quoted(unit)}")
    if repeated_role(unit) is not None:
        raise ValueError(
            f"unit {quoted(unit)}: folds, splits, seeds and runs share their data and are not independent units, so a "
            "difference would be claimed far too often; say fold= or run= of a table with such a column (bf.read, "
            "bf.from_frame)"
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


def check_same_shapes(arrays: Mapping[str, AnyArray]) -> None:
    """Say whose array has another shape than the first one's."""
    first, known = next(iter(arrays.items()))
    for where, array in arrays.items():
        if array.shape != known.shape:
            raise ValueError(
                f"{where} have shape {array.shape}, but {first} {known.shape}; give the same items and columns for all"
            )


def distinct_rows_of(coded: AnyArray, n_codes: int) -> tuple[IntArray, IntArray]:
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
    groups: AnyArray | None,
    *,
    which: IntArray | None = None,
    weights: FloatArray | None = None,
    unit: str | None = None,
    one: str = "item",
    each_an_item: bool = False,
) -> Evaluation:
    """Build an Evaluation from what items of each kind add to the tables, axes (kind, ...).

    The kind of an item is `which` says, by default one of its own, and there are `weights` of it. Units are called `one`
    by default; groups of them, if given, are then the units, and called documents.
    """
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
    sums = sparse((each, (document.ravel(), which)), (len(found), n_kinds)) @ rows
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
        Other columns by their names, of which some may be None; groups come back numbered where they are no numbers.

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
            nested = [_size(next(iter(found[each]), None)) is not None for each in (name, one)]
            runs = "; if they are runs, name them, as {'A': {'seed1': …}}" if nested == [True, False] else ""
            raise ValueError(f"{name} have {size} values, but {one} {n}; give one for each item{runs}")
    if "groups" in others:
        found["groups"] = read_groups(found["groups"])
    return {name: found[words[name]] for name in models}, {name: found.get(name) for name in beside}


def _size(column: Any) -> int | None:
    """Return the number of items, None of what is no column."""
    shape = getattr(column, "shape", None)
    if isinstance(column, str | bytes) or shape == ():
        return None
    return int(shape[0]) if shape else len(column) if hasattr(column, "__len__") else None


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
            f"{moved[0] if moved else first} have ids, but {name} have none, so the order of {name} is not known; "
            f"also give {name} by id, or use lists or reset_index(drop=True) if all are in the same order"
        )


def _check_ids(name: str, index: Any, first: str, order: Any) -> None:
    remedy = "give all the same ids, or arrays that are all in the same order"
    for has, labels, lacks, others in ((first, order, name, index), (name, index, first, order)):
        missing = labels[~labels.isin(others)].tolist()
        if missing:
            raise ValueError(f"{lacks} have no value for {quoted(missing[0])}, which {has} have; {remedy}")
        twice = labels[labels.duplicated()].tolist()
        if twice:
            raise ValueError(f"{has} have two values for {quoted(twice[0])}, in another order; {remedy}")
