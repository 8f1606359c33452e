"""Evaluations from what each model has right and wrong, item by item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import Column, checked
from bayesf1.base.naming import shown
from bayesf1.base.number_columns import check_unmasked, numbers_of
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import is_by_id, with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.right_wrong import RightWrong
from bayesf1.reading.label_columns import is_missing, read_groups
from bayesf1.reading.side_by_side import align, check_unit, ids_of


@checked
@with_runs_in("correct", is_by_id)
def from_correct(
    correct: Mapping[str, Any],
    *,
    groups: Column | None = None,
    name: str = "",
    unit: str | None = None,
    ids: Column | str | None = None,
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
    ids
        Ids of the items of lists and arrays: a sequence for all of them, or a mapping of model name to its own.

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
    >>> round(compare(ev, rng=1)["accuracy"].p_h1, 4)
    0.9244
    """
    if not isinstance(correct, Mapping):
        raise ValueError(
            f"correct must be a mapping such as {{'A': [True, False, …]}}, not {type(correct).__name__}"
        )
    names = model_names(correct)
    said = {model: f"answers of {model!r}" for model in names}
    columns = {model: (said[model], correct[model]) for model in names}
    if groups is not None:
        columns.setdefault("groups", ("groups", groups))
    given = {said[model]: correct[model] for model in names}
    aligned = align(given if groups is None else {**given, "groups": groups}, ids_of(ids, columns))
    right = [_flags(aligned[said[model]], said[model]) for model in names]
    for model, column in zip(names, right, strict=True):
        if len(column) != len(right[0]):
            raise ValueError(
                f"there are {len(column)} answers of {model!r}, but {len(right[0])} of {names[0]!r}"
            )
    document = None if groups is None else read_groups(aligned["groups"])
    return from_right(np.stack(right, axis=1), names, name=name, unit=unit, groups=document)


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
    if not isinstance(name, str):
        raise ValueError(f"name says what being right is called, such as 'Exact match', not {name!r}")
    kind = RightWrong(("wrong", "right") if errors else ("right", "wrong"), name)
    one = check_unit("item" if unit is None or groups is not None else unit)
    # Each pattern once, so that what follows does not grow with the number of items.
    _, first, counts = np.unique(np.packbits(hits, axis=1), axis=0, return_index=True, return_counts=True)
    rows = _rows(hits[first].astype(float), np.ones((len(first), 1)))
    items = Units.merge(rows, counts.astype(float), one, each_an_item=True)
    if groups is None:
        return Evaluation.of_units(names, kind, items)
    if len(groups) != len(hits):
        raise ValueError(f"groups are {len(groups)} labels, but there are {len(hits)} items")
    group, which = np.unique(groups, return_inverse=True)
    sums = [np.bincount(which.ravel(), weights=column, minlength=len(group)) for column in hits.T]
    size = np.bincount(which.ravel(), minlength=len(group)).astype(float)[:, None]
    several = check_unit("document" if unit is None else unit)
    if several == "item":
        raise ValueError(
            "unit 'item' is for single items; groups of them are called otherwise, as 'document'"
        )
    units = Units.merge(_rows(np.stack(sums, axis=1), size), np.ones(len(group)), several)
    return Evaluation.of_units(names, kind, units, items)


def _rows(ones: FloatArray, size: FloatArray) -> FloatArray:
    """Return what units add, axes (unit, model, cell), given how many of their items scored 1."""
    return np.stack([ones, size - ones], axis=-1)


def _flags(values: ArrayLike, where: str) -> NDArray[np.bool_]:
    """Return which items are right, or say which answer is neither right nor wrong."""
    check_unmasked(values, where)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{where} must be True or False, one for each item, not lists") from None
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{where} have shape {array.shape}; True or False for each item belongs here")
    missing = np.zeros(len(array), dtype=bool)
    if array.dtype.kind == "O":
        missing = np.array([is_missing(value) for value in array])
        if all(isinstance(value, int | float | np.number | np.bool_) for value in array[~missing]):
            array = numbers_of(np.where(missing, 0, array), where)
    elif array.dtype.kind == "f":
        missing = np.isnan(array)
    if missing.any():
        raise ValueError(
            f"{where} have no value for item {int(np.argmax(missing)) + 1}; drop or fill it first"
        )
    if array.dtype.kind not in "biuf":
        raise ValueError(
            f"{where} must be True or False (1 or 0), one for each item, and begin with {shown(array[0])}"
        )
    other = (array != 0) & (array != 1)
    if other.any():
        i = int(np.argmax(other))
        raise ValueError(
            f"{where} have {array[i]:g} for item {i + 1}; right is True or 1 and wrong False or 0, other scores go to "
            "from_scores"
        )
    return array.astype(bool)
