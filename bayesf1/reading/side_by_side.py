"""What several models did, a column each: in the same order of units, which must be independent of each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from bayesf1.base.errors import WordedError, Wording

# Runs of one experiment: they share data, or all that there is of it.
_RUNS = ("fold", "split", "seed", "run")


def check_unit(unit: Any) -> str:
    """Return what a unit is called, or say that it is no name, or none of a unit that was sampled."""
    if not isinstance(unit, str) or not unit.strip() or unit == "table":
        raise ValueError(f"unit is a name such as 'query' or 'document', not {unit!r}")
    if unit.strip().lower().removesuffix("s") in _RUNS:
        raise WordedError(
            f"unit {unit!r}: folds, splits, seeds and runs share their data and are no independent units, so that a "
            "difference would be claimed far too often; ",
            Wording(
                "compare folds by bf.fold_tests and runs by bf.run_tests",
                "give the tables of the folds, with columns repeat and fold",
            ),
        )
    return unit


def align(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns in the order of the first that has an index, as a Series has, or say which label is missing.

    Lists, arrays and all else without an index are taken in the order that they have.

    Parameters
    ----------
    columns
        The columns by what they are called in errors.

    Examples
    --------
    >>> import pandas as pd
    >>> a, b = pd.Series([0.1, 0.5], index=["q1", "q2"]), pd.Series([0.6, 0.2], index=["q2", "q1"])
    >>> align({"scores of 'A'": a, "scores of 'B'": b})["scores of 'B'"].tolist()
    [0.2, 0.6]
    """
    found: dict[str, Any] = {}
    first, order = "", cast("Any", None)
    for name, column in columns.items():
        index: Any = getattr(column, "index", None)
        # A list has a method of this name.
        if not hasattr(index, "get_indexer"):
            found[name] = column
        elif order is None:
            found[name], first, order = column, name, index
        elif index.equals(order):
            found[name] = column
        else:
            _check_labels(name, index, first, order)
            found[name] = column.iloc[index.get_indexer(order)]
    return found


def _check_labels(name: str, index: Any, first: str, order: Any) -> None:
    remedy = "give all the same index, or arrays where they are in one order"
    for has, labels, lacks, others in ((first, order, name, index), (name, index, first, order)):
        missing = labels[~labels.isin(others)].tolist()
        if missing:
            raise ValueError(f"{lacks} have no value for {missing[0]!r} of the index of {has}; {remedy}")
    twice = index[index.duplicated()].tolist()
    if twice:
        raise ValueError(
            f"{name} have two values for {twice[0]!r} of their index, in another order; {remedy}"
        )
    if len(index) != len(order):
        raise ValueError(f"{first} have two values for a label of their index, but {name} one; {remedy}")
