"""Columns of users: labels and numbers in lists, arrays and Series, in one order or by id; and units from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any, Protocol, runtime_checkable

import numpy as np

from bayesf1.base.arrays import AnyArray, BoolArray, FloatArray, IntArray, SupportsILoc, sparse
from bayesf1.base.checks import check_unmasked, is_label, numbers_of
from bayesf1.base.naming import quoted
from bayesf1.evaluation import Evaluation, model_names
from bayesf1.io.roles import repeated_role
from bayesf1.units import Units

# A longer label is a text, and not the name of a class.
_LONG_LABEL = 200


def plain_label(label: Any) -> Any:
    """Return a label of numpy's as one of Python's, and any other as it is."""
    return label.item() if isinstance(label, np.generic) else label


@runtime_checkable
class _WithArray(Protocol):
    """A column of pandas, which has its values in an array of its own kind."""

    array: Any


@runtime_checkable
class _Index(Protocol):
    """An index of pandas, which has the place of each id."""

    def get_indexer(self, target: Any) -> Any:
        """Return the places of ids."""


def read_labels(values: Any, where: str, *, remedy: str = "drop or fill it first") -> AnyArray:
    """Return labels as a one-dimensional array; raise a ValueError with a remedy if one is missing."""
    if isinstance(values, str | bytes | Mapping):
        raise ValueError(f"{where} must be a sequence of labels, not {type(values).__name__}")
    check_unmasked(values, where)
    own_array = values.array if isinstance(values, _WithArray) else values
    if type(own_array).__name__ == "Categorical" and all(type(text) is str for text in own_array.categories):
        _check_present(own_array.codes < 0, where, remedy)
        used, which = np.unique(own_array.codes, return_inverse=True)
        return _texts(own_array.categories[used])[which]
    try:
        array = _as_array(values)
    except (ValueError, RecursionError):
        raise ValueError(f"{where} must be one label for each item, not {quoted(values)}") from None
    if array.ndim != 1:
        raise ValueError(f"{where} must be one label for each item, not an array of shape {array.shape}")
    if array.dtype.kind == "O":
        _check_objects(array, where, remedy)
        kinds = {type(value) for value in array}
        if all(issubclass(kind, str) for kind in kinds):
            return _texts(array)
        if all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds):
            array = np.array(array.tolist())
    elif array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        # numpy turns a mixed list into strings without a word.
        _check_objects(values, where, remedy)
    if array.dtype.kind == "f":
        _check_present(np.isnan(array), where, remedy)
    return array


def _check_present(missing: BoolArray, where: str, remedy: str) -> None:
    """Raise a ValueError that names an item without a label."""
    if missing.any():
        raise ValueError(f"{where} has no label for item {int(np.argmax(missing)) + 1}; {remedy}")


def _as_array(values: Any) -> AnyArray:
    """Return values as an array, of objects if numpy has no plain type for them."""
    if isinstance(values, list | tuple) and any(isinstance(v, str) and len(v) > _LONG_LABEL for v in values):
        return _objects(values)
    array = np.asarray(values)
    if array.dtype.kind not in "biufUSO" and array.size:
        return np.asarray(values, dtype=object)
    return array


def _texts(values: Any) -> AnyArray:
    """Return texts as an array of strings, or of objects if one is long, as each string takes the room of the longest."""
    texts = _objects(list(values))
    return texts if any(len(text) > _LONG_LABEL for text in values) else texts.astype(str)


def _objects(values: Sequence[Any]) -> AnyArray:
    """Return values as an array of objects."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def read_groups(values: Any) -> AnyArray:
    """Return the group of each item; labels that are not numbers become numbers, as they may have no order.

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
    """Raise a ValueError that names an item with an empty label, as files have if there is none."""
    for label in distinct:
        if is_missing(label, blank=True):
            _check_present(labels == label, where, remedy)


def is_missing(value: Any, *, blank: bool = False) -> bool:
    """Return whether a value means that there is none: None, NaN, pandas' NA or NaT, and perhaps a blank text."""
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
        # numpy cuts the printed form of such a label to the length of its value, so different labels may become one.
        if isinstance(value, Enum) and isinstance(value, str) and str(value) != value:
            raise ValueError(f"{where} has {value!r} for item {i}; the label is {quoted(value.value)}")
        kinds.add(isinstance(value, str))
        if len(kinds) > 1:
            raise ValueError(f"{where} mixes strings and numbers, first at item {i} ({quoted(value)})")


# ---- columns of several models, in one order of items -----------------------------------------------------


def check_unit(unit: Any) -> str:
    """Return the name of a unit; raise a ValueError if it is not a name, or not that of an independent unit."""
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
    """Return numbers as an array with `ndim` axes; raise a ValueError if one is `bad`, saying `what` is needed.

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
    # Adding 0.0 makes a negative zero a zero, as it would print as another score.
    return array + 0.0


def check_same_shapes(arrays: Mapping[str, AnyArray]) -> None:
    """Raise a ValueError if an array has another shape than the first."""
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
    n_columns = coded.shape[1]
    if n_columns * np.log2(max(n_codes, 2)) >= 62:
        # Such a number would not fit into 64 bits.
        rows, which = np.unique(coded, axis=0, return_inverse=True)
        return rows, which.ravel()
    powers = n_codes ** np.arange(n_columns - 1, -1, -1)
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
    """Build an Evaluation from `rows`, what an item of each kind adds to the tables, axes (kind, ...).

    `which` is the kind of each item (by default, each has its own kind), and `weights` says how often the item occurs. Units
    are called `one` by default; if groups are given, these are the units, and called documents.
    """
    if isinstance(rows, np.ndarray):
        rows = rows.reshape(len(rows), -1)
    n_kinds = rows.shape[0]
    if which is None:
        which = np.arange(n_kinds)
    each = np.ones(len(which)) if weights is None else weights
    several = check_unit("document" if unit is None else unit)
    called = several if groups is None and unit is not None else one
    summed = np.bincount(which, weights=each, minlength=n_kinds).astype(float)
    items = Units.merge(rows, summed, called, each_an_item=each_an_item)
    if groups is None:
        return Evaluation.of_units(names, task, items)
    distinct, document = np.unique(groups, return_inverse=True)
    sums = sparse((each, (document.ravel(), which)), (len(distinct), n_kinds)) @ rows
    return Evaluation.of_units(names, task, Units.merge(sums, np.ones(len(distinct)), several), items)


def align(
    models: Mapping[str, Any], what: str, beside: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the models' columns, and others such as ``"y_true"`` and ``"groups"``, in one order of items.

    The ids of items are the keys of a mapping, or the index of a Series or a frame. Lists, arrays and Series with pandas'
    default index keep their order. The common order is that of the first column whose items have ids.

    Parameters
    ----------
    models
        The column of each model.
    what
        The name of models' columns in errors, such as ``"scores"``.
    beside
        Other columns by their names, some of which may be None; groups that are not numbers are returned as numbers.

    Examples
    --------
    >>> align({"A": {"d2": 1, "d1": 1}}, "predictions", {"y_true": {"d1": 0, "d2": 1}})
    ({'A': [1, 1]}, {'y_true': [0, 1]})
    """
    words = {name: f"{what} of {name!r}" for name in model_names(models)}
    columns = {name: column for name, column in beside.items() if column is not None}
    columns |= {words[name]: column for name, column in models.items()}
    values = _in_one_order(columns)
    sizes = {name: size for name, column in values.items() if (size := _size(column)) is not None}
    for name, size in sizes.items():
        first, expected = next(iter(sizes.items()))
        if size != expected:
            runs = ""
            if (
                _size(next(iter(values[name]), None)) is not None
                and _size(next(iter(values[first]), None)) is None
            ):
                runs = "; if they are runs, name them, as {'A': {'seed1': …}}"
            raise ValueError(
                f"{name} have {size} values, but {first} {expected}; give one for each item{runs}"
            )
    if "groups" in values:
        values["groups"] = read_groups(values["groups"])
    return {name: values[words[name]] for name in models}, {name: values.get(name) for name in beside}


def _size(column: Any) -> int | None:
    """Return the number of items; None if it is not a column."""
    if isinstance(column, str | bytes):
        return None
    try:
        return len(column)
    except TypeError:
        # A sparse array has rows, but no length; a number has neither.
        shape = np.shape(column)
        return int(shape[0]) if shape else None


def index_of(column: Any, name: str) -> Any:
    """Return the ids of a column's items as an index; None if there are none."""
    if isinstance(column, SupportsILoc) and isinstance(column.index, _Index):
        index: Any = column.index
        # If rows have no ids, pandas numbers them from 0.
        is_count = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
        return None if is_count else index
    if not isinstance(column, Mapping):
        return None
    import pandas as pd

    ids = pd.Index(list(column), tupleize_cols=False, dtype=object)
    if ids.isna().any():
        raise ValueError(f"ids of {name} lack one, that of item {int(ids.isna().argmax()) + 1}")
    return ids


def _in_one_order(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns in the order of items of the first one with ids; raise a ValueError if others cannot be so ordered."""
    values = {name: list(own.values()) if isinstance(own, Mapping) else own for name, own in columns.items()}
    indices = {name: index_of(own, name) for name, own in columns.items()}
    ids = {name: index for name, index in indices.items() if index is not None}
    if not ids:
        return values
    first = next(iter(ids))
    moved = [name for name, index in ids.items() if not index.equals(ids[first])]
    for name in moved:
        _check_ids(first, ids[first], name, ids[name])
        _check_ids(name, ids[name], first, ids[first])
        places = ids[name].get_indexer(ids[first])
        own = values[name]
        if isinstance(own, SupportsILoc):
            values[name] = own.iloc[places]
        else:
            values[name] = [own[place] for place in places]
    for name in [name for name in columns if name not in ids]:
        # If the ids are row numbers as well, but in another order, the column without ids may be meant in either order.
        counted = list(range(len(columns[name]))) if isinstance(columns[name], SupportsILoc) else []
        renumbered = ids[first].tolist() != counted and set(ids[first]) == set(counted)
        if moved or renumbered or isinstance(columns[first], Mapping):
            with_ids = moved[0] if moved else first
            raise ValueError(
                f"{with_ids} have ids, but {name} have none, so the order of {name} is not known; "
                f"also give {name} by id, or use lists or reset_index(drop=True) if all are in the same order"
            )
    return values


def _check_ids(name: str, ids: Any, other: str, others: Any) -> None:
    """Refuse ids that another column lacks, and ids that occur twice, in another order."""
    remedy = "give all the same ids, or arrays that are all in the same order"
    missing = ids[~ids.isin(others)].tolist()
    if missing:
        raise ValueError(f"{other} have no value for {quoted(missing[0])}, which {name} have; {remedy}")
    twice = ids[ids.duplicated()].tolist()
    if twice:
        raise ValueError(f"{name} have two values for {quoted(twice[0])}, in another order; {remedy}")
