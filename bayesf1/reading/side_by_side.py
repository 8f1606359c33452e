"""What several models did, a column each: in the same order of units, which must be independent of each other."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bayesf1.base.errors import WordedError, Wording
from bayesf1.base.naming import nearest, shown

# Runs of one experiment: they share data, or all that there is of it.
_RUNS = ("fold", "split", "seed", "run")


def check_unit(unit: Any) -> str:
    """Return what a unit is called, or say that it is no name, or none of a unit that was sampled."""
    if not isinstance(unit, str) or not unit.strip() or unit == "table":
        raise ValueError(f"unit is a name such as 'query' or 'document', not {shown(unit)}")
    if unit.strip().lower().removesuffix("s") in _RUNS:
        raise WordedError(
            f"unit {shown(unit)}: folds, splits, seeds and runs share their data and are no independent units, so that a "
            "difference would be claimed far too often; ",
            Wording(
                "compare folds by bf.fold_tests and runs by bf.run_tests",
                "give the tables of the folds, with a column fold",
            ),
        )
    return unit


def align(columns: Mapping[str, Any], ids: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return columns in one order of items: that of the first whose items have ids, or say which item one lacks.

    The ids of items are the keys of a mapping, the index of a Series or a frame, or given. Lists, arrays and Series
    with the index that pandas gives by default are taken in the order that they have.

    Parameters
    ----------
    columns
        The columns by what they are called in errors.
    ids
        Ids of items, for columns that have none of their own; see `ids_of`.

    Examples
    --------
    >>> import pandas as pd
    >>> a, b = pd.Series([0.1, 0.5], index=["q1", "q2"]), {"q2": 0.6, "q1": 0.2}
    >>> align({"scores of 'A'": a, "scores of 'B'": b})["scores of 'B'"]
    [0.2, 0.6]
    """
    found: dict[str, Any] = {}
    keyed: dict[str, Any] = {}
    for name, column in columns.items():
        found[name] = list(column.values()) if isinstance(column, Mapping) else column
        index = _index_of(column, None if ids is None else ids.get(name), name)
        if index is not None:
            keyed[name] = index
    if not keyed:
        return found
    first, order = next(iter(keyed.items()))
    moved: list[str] = []
    for name, index in keyed.items():
        if not index.equals(order):
            _check_labels(name, index, first, order)
            found[name], moved = _taken(found[name], index.get_indexer(order)), [*moved, name]
    for name in (name for name in columns if name not in keyed):
        # Whose order a list has is plain where there is but one.
        _check_order(name, columns, first, order, moved)
    return found


def with_gold(
    y_true: Any,
    models: Mapping[str, Any],
    beside: Mapping[str, Any],
    ids: Any = None,
    said: str = "predictions",
) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return gold, what each model said, and what else is known of items, such as ``"groups"``, in one order of items.

    Examples
    --------
    >>> with_gold({"d1": 0, "d2": 1}, {"A": {"d2": 1, "d1": 1}}, {"groups": {"d1": "x", "d2": "y"}})
    ([0, 1], {'A': [1, 1]}, {'groups': ['x', 'y']})
    """
    words = {name: f"{said} of {name!r}" for name in models}
    known = {name: (words[name], column) for name, column in models.items()}
    for name, column in {"y_true": y_true, **beside}.items():
        known.setdefault(name, (name, column))
    others = {"y_true": y_true, **beside}
    found = align({**others, **dict(known[name] for name in models)}, ids_of(ids, known))
    return (
        found["y_true"],
        {name: found[words[name]] for name in models},
        {name: found[name] for name in beside},
    )


def gold_with_gaps(
    y_true: Any, columns: Mapping[str, Any], ids: Any = None
) -> tuple[Any, Any, list[Any] | None]:
    """Return gold with None for items that only other columns have, ids that are left to give, and what items are called.

    Examples
    --------
    >>> gold_with_gaps({"d2": 1}, {"A": {"d1": 0, "d2": 1}})
    ({'d2': 1, 'd1': None}, None, ['d2', 'd1'])
    >>> gold_with_gaps([1, None], {"A": [0, 1]})
    ([1, None], None, None)
    """
    given = ids if isinstance(ids, Mapping) else {}
    own = ids_in(y_true, given.get("y_true"), "y_true")
    if own is None and isinstance(ids, Sequence | np.ndarray) and not isinstance(ids, str | bytes):
        own = list(ids)
    every = (ids_in(column, given.get(name), name) for name, column in columns.items())
    others = next((found for found in every if found is not None), None)
    if own is None or others is None:
        return y_true, ids, others if own is None else own
    known = set(own)
    missing = [id for id in others if id not in known]
    if not missing:
        return y_true, ids, own
    values = list(y_true.values() if isinstance(y_true, Mapping) else y_true)
    left = {name: one for name, one in given.items() if name != "y_true"} or None
    own = [*own, *missing]
    return dict(zip(own, [*values, *[None] * len(missing)], strict=True)), left, own


def ids_of(ids: Any, columns: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    """Return the ids of the items of each column, by what columns are called in errors.

    Parameters
    ----------
    ids
        None, a sequence of ids for all columns that have none of their own, or a mapping of a column's name to its ids.
    columns
        By the name of a column, as of a model, what it is called in errors, and itself.

    Examples
    --------
    >>> ids_of(["q2", "q1"], {"A": ("scores of 'A'", [0.5, 0.1])})
    {"scores of 'A'": ['q2', 'q1']}
    """
    if ids is None:
        return {}
    if isinstance(ids, str | bytes) or not getattr(ids, "ndim", hasattr(ids, "__len__")):
        raise ValueError(
            f"ids are a sequence with one for each item, or a mapping of models to such, not {shown(ids)}"
        )
    if not isinstance(ids, Mapping):
        return {said: ids for said, column in columns.values() if not _has_ids(column)}
    for name in ids:
        if name not in columns:
            raise ValueError(f"ids are given for {name!r}, which is none here; {nearest(str(name), columns)}")
        if _has_ids(columns[name][1]):
            raise ValueError(
                f"ids are given for {columns[name][0]}, which have ids of their own; leave one out"
            )
    return {columns[name][0]: own for name, own in ids.items()}


def ids_in(column: Any, ids: Any, name: str) -> list[Any] | None:
    """Return the ids of a column's items, its own or those given, None where there are none."""
    index = _index_of(column, ids, name)
    return None if index is None else list(index)


def _has_ids(column: Any) -> bool:
    index: Any = getattr(column, "index", None)
    # A list has a method of this name.
    own = hasattr(index, "get_indexer") and not _is_default(index)
    return own or isinstance(column, Mapping)


def _is_default(index: Any) -> bool:
    """Say whether an index is that of pandas for data that have none: 0, 1, 2, …"""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def _index_of(column: Any, ids: Any, name: str) -> Any:
    """Return the ids of a column's items as an index, None where there are none."""
    if ids is None:
        if not _has_ids(column):
            return None
        if not isinstance(column, Mapping):
            return column.index
    import pandas as pd

    given = list(column if ids is None else ids) if ids is None or isinstance(ids, Iterable) else [[]]
    index = pd.Index(given, tupleize_cols=False, dtype=object)
    if index.ndim != 1 or not all(
        isinstance(label, Hashable) and not isinstance(label, np.void) for label in given
    ):
        raise ValueError(f"ids of {name} must be one text or number for each item, not {shown(ids)}")
    if index.isna().any():
        raise ValueError(f"ids of {name} lack one, that of item {int(index.isna().argmax()) + 1}")
    if index.has_duplicates:
        twice = index[index.duplicated()][0]
        raise ValueError(f"ids of {name} have {twice!r} twice; an item has one id")
    size = len(column) if hasattr(column, "__len__") else len(index)
    if len(index) != size:
        raise ValueError(f"there are {len(index)} ids of {name}, but {size} values")
    return index


def _taken(values: Any, places: Any) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[places]
    return values[places] if isinstance(values, np.ndarray) else [values[i] for i in places]


def _check_order(name: str, columns: Mapping[str, Any], first: str, order: Any, moved: Sequence[str]) -> None:
    remedy = f"give {name} by id, too, or ids="
    if isinstance(columns[first], Mapping):
        raise ValueError(f"{first} are by id, but {name} have no ids; {remedy}")
    if moved:
        raise ValueError(
            f"{moved[0]} have another order of ids than {first}, so that it is not clear in which order {name} are, which "
            f"have no ids; {remedy}"
        )
    numbered = hasattr(getattr(columns[name], "index", None), "get_indexer")
    own, labels = range(len(columns[name]) if numbered else 0), order.tolist()
    if labels != list(own) and set(labels) == set(own):
        raise ValueError(
            f"{name} are numbered 0, 1, 2, … and {first} have these numbers in another order; say by reset_index(drop=True) "
            "that both have one order, or give the ids of both by ids="
        )


def _check_labels(name: str, index: Any, first: str, order: Any) -> None:
    remedy = "give all the same ids, or arrays where they are in one order"
    for has, labels, lacks, others in ((first, order, name, index), (name, index, first, order)):
        missing = labels[~labels.isin(others)].tolist()
        if missing:
            raise ValueError(f"{lacks} have no value for {shown(missing[0])}, which {has} have; {remedy}")
    twice = index[index.duplicated()].tolist()
    if twice:
        raise ValueError(
            f"{name} have two values for {shown(twice[0])} of their index, in another order; {remedy}"
        )
    if len(index) != len(order):
        raise ValueError(f"{first} have two values for a label of their index, but {name} one; {remedy}")
