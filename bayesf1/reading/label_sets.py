"""Evaluations of items that have any number of labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.naming import shown
from bayesf1.base.number_columns import check_unmasked
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.class_codes import from_indicators
from bayesf1.reading.label_columns import check_labels, class_names, distinct_labels


def from_label_sets(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    labels: Sequence[Any] | None,
    groups: NDArray[Any] | None,
) -> Evaluation:
    """Build an Evaluation from which labels each item has, arrays (item, label) of 0 and 1."""
    if _are_sets(y_true):
        # No model has an empty name, so that none takes the place of gold.
        given = {"": _sets(y_true, "y_true")}
        given |= {name: _sets(value, f"predictions of {name!r}") for name, value in predictions.items()}
        found = distinct_labels([np.array([*row], dtype=object) for rows in given.values() for row in rows])
        if len({isinstance(label, str) for label in found}) > 1:
            raise ValueError(
                f"y_true and predictions have labels like {shown(found[0])} and {shown(found[-1])}; give sets of labels for "
                "all, or arrays of 0 and 1 for all"
            )
        labels = found if labels is None else check_labels(labels, found)
        place = {label: i for i, label in enumerate(labels)}
        dense = {name: _indicate(rows, place) for name, rows in given.items()}
        y_true, predictions = dense.pop(""), dense
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
    return (
        isinstance(values, list | tuple)
        and all(isinstance(v, list | tuple | set | frozenset) for v in values)
        and any(isinstance(v, set | frozenset) or any(isinstance(x, str) for x in v) for v in values)
    )


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
    check_unmasked(values, where)
    array = np.asarray(values.toarray() if hasattr(values, "toarray") else values)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(f"{where} must be an array (item, label) of 0 and 1 where multilabel=True")
    bad = ~((array == 0) | (array == 1))
    if bad.any():
        i, j = (int(place) for place in np.argwhere(bad)[0])
        raise ValueError(f"{where} has {array[i, j]} for item {i + 1}, label {j + 1}; 0 or 1 belongs there")
    return np.asarray(array == 1)
