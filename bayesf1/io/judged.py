"""Evaluations with gaps: gold labels of some items, predictions and perhaps a judge's word on all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayesf1.base.naming import joined, listing, quoted
from bayesf1.evaluation import Evaluation, Task, model_names
from bayesf1.io.alignment import from_rows
from bayesf1.io.label_values import (
    check_alike,
    check_sorts,
    class_codes,
    class_names,
    distinct_labels,
    find_classes,
    guess_positive,
    is_missing,
    read_labels,
    stray_labels,
)
from bayesf1.tasks.binary import Binary
from bayesf1.tasks.judged import Audited, Unlabelled, settled, strata_of
from bayesf1.tasks.multiclass import MultiClass

# What a judge calls an item that it says nothing of.
NO_ANSWER = "no answer"
# A judge that says more different things gives scores or texts.
_MOST_LABELS = 20
# Below, labels are called uneven.
_LEVEL = 1e-3


def check_one_judge(judges: Iterable[str]) -> None:
    """Refuse several judges.

    Examples
    --------
    >>> check_one_judge(["gpt", "claude"])
    Traceback (most recent call last):
    ...
    ValueError: judge= takes one judge, not 2 (gpt and claude); combine them before, for example by a majority vote
    """
    names = [str(name) for name in judges]
    if len(names) > 1:
        raise ValueError(
            f"judge= takes one judge, not {len(names)} ({joined(names)}); combine them before, for example by a majority vote"
        )


def from_judged(
    y_true: Any,
    predictions: Mapping[str, Any],
    judge: Mapping[str, Any],
    *,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    groups: NDArray[Any] | None = None,
    ids: Sequence[Any] | None = None,
    ordered: bool = True,
) -> Evaluation:
    """Build an Evaluation of items of which some have a gold label; the arguments are those of `from_labels`.

    Items that are not `ordered` cannot be named.
    """
    names = model_names(predictions)
    values, known = _with_gaps(y_true, "y_true")
    n = len(known)
    if not known.any():
        raise ValueError(
            f"none of {n:,} items has a gold label; label some, chosen at random or by what is known of all"
        )
    columns = {name: read_labels(predictions[name], f"predictions of {name!r}") for name in names}
    for name, column in columns.items():
        if len(column) != n:
            raise ValueError(f"predictions of {name!r} are {len(column)} labels, but y_true has {n}")
    check_sorts(values, columns)
    if twice := {*judge} & {*names}:
        raise ValueError(f"{twice.pop()!r} names a model and a judge; call one of them otherwise")
    task, golds, words, codes = _coded(values, columns, positive, labels)
    gold = np.full(n, len(golds), dtype=np.intp)
    gold[known] = codes.pop(None)
    voices = [
        *((codes[name], words) for name in names),
        *(_judged(column, name, n) for name, column in judge.items()),
    ]
    stratum = np.zeros(n, dtype=np.intp)
    kinds: list[tuple[str, ...]] = [()]
    for code, called in voices:
        keys, stratum = np.unique(stratum * len(called) + code, return_inverse=True)
        kinds = [(*kinds[key // len(called)], called[key % len(called)]) for key in keys.tolist()]
    strata, place = strata_of(golds, names, tuple(judge), kinds)
    stratum, k = place[stratum], len(golds)

    cautions: tuple[str, ...] = ()
    unlabelled = Unlabelled.of(stratum, gold < k, strata.size, ids) if ordered else None
    if groups is not None:
        if len(groups) != n:
            raise ValueError(f"groups are {len(groups)} labels, but y_true has {n}")
        cautions = uneven_documents(stratum, gold < k, np.unique(groups, return_inverse=True)[1])
    task = Audited(task, strata, cautions, unlabelled)
    patterns, which = np.unique(stratum * (k + 1) + gold, return_inverse=True)
    rows = task.rows_of(range(len(names)), patterns // (k + 1), patterns % (k + 1))
    return settled(from_rows(names, task, rows, groups, which=which))


def _coded(
    values: NDArray[Any],
    columns: Mapping[str, NDArray[Any]],
    positive: Any,
    labels: Sequence[Any] | None,
) -> tuple[Task, tuple[str, ...], tuple[str, ...], dict[str | None, NDArray[Any]]]:
    """Return the task, its gold labels, what a model can say, and the labels of gold (None) and models as numbers of it."""
    found = distinct_labels([values, *columns.values()])
    every: dict[str | None, NDArray[Any]] = dict([(None, values), *columns.items()])
    if positive is None and (labels is not None or len(found) > 2):
        classes = find_classes(labels, distinct_labels([values]), found)
        golds = class_names(classes)
        task = MultiClass(golds, strays=stray_labels(columns, classes))
        codes = {name: class_codes(column, classes) for name, column in every.items()}
        return task, golds, (*golds, "another label"), codes
    if positive is not None and labels is not None:
        raise ValueError("positive= makes a binary task and labels= one of several classes; give one of them")
    positive = guess_positive(found) if positive is None else positive
    if values.dtype.kind not in "biuf":
        check_alike(found)
    codes = {name: (column == positive).astype(np.int64) for name, column in every.items()}
    if not any(code.any() for code in codes.values()):
        raise ValueError(f"no item is labelled {positive!r}; the labels are {listing(map(repr, found))}")
    (yes,) = class_names([positive])
    golds = (f"not {yes}", yes)
    return Binary(), golds, golds, codes


def _with_gaps(values: Any, where: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels that there are, and which items have one."""
    if (
        isinstance(values, str | bytes | Mapping)
        or not isinstance(values, Iterable)
        or getattr(values, "ndim", 1) != 1
    ):
        raise ValueError(f"{where} must be a sequence of labels, one for each item, not {quoted(values)}")
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and not np.ma.isMaskedArray(values):
        known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
        return read_labels(values[known], where), known
    # Columns of pyarrow have values in a shell.
    every = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    known = np.array(
        [value is not np.ma.masked and not is_missing(value, blank=True) for value in every], bool
    )
    return read_labels([value for value, has in zip(every, known, strict=True) if has], where), known


def _judged(column: Any, name: str, n: int) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return what a judge says of every item as numbers of its words, and these; the last is that it says nothing."""
    said, answered = _with_gaps(column, f"judge {name!r}")
    if len(answered) != n:
        raise ValueError(f"judge {name!r} has {len(answered)} labels, but y_true has {n}")
    different = distinct_labels([said])
    scores = said.dtype.kind == "f" and any(value % 1 for value in different)
    if len(different) > _MOST_LABELS or (scores and len(different) > 2):
        raise ValueError(
            f"judge {name!r} says {len(different):,} different things ({listing(map(str, different), most=3)}); give a judge "
            f"of at most {_MOST_LABELS} labels, and put scores into classes before, such as score >= 0.5"
        )
    if said.dtype.kind not in "biuf":
        check_alike(different, f"judge {name!r} says")
    codes = np.full(n, len(different), dtype=np.intp)
    codes[answered] = class_codes(said, different)
    return codes, (*class_names(different), NO_ANSWER)


def uneven_documents(
    stratum: NDArray[np.intp], labelled: NDArray[np.bool_], group: NDArray[np.intp]
) -> tuple[str, ...]:
    r"""Return a note where labelled items lie otherwise in documents than a choice within strata would have it.

    Of :math:`n_{cd}` items of stratum c in document d so many are labelled as chance has it with the share
    :math:`r_c = L_c/N_c`; :math:`\sum_d (L_d - \sum_c n_{cd} r_c)^2 / \sum_c n_{cd} r_c (1 - r_c)(1 - n_{cd}/N_c)` is about
    :math:`\chi^2` with as many degrees of freedom as there are documents less one.

    Examples
    --------
    >>> where = np.repeat(np.arange(20), 50)
    >>> uneven_documents(np.zeros(1000, int), np.arange(1000) % 5 == 0, where)
    ()
    >>> uneven_documents(np.zeros(1000, int), np.arange(1000) < 200, where)
    ('Labelled items lie in 4 of 20 documents, ...',)
    """
    n_strata, n_groups = int(stratum.max()) + 1, int(group.max()) + 1
    cell = stratum * n_groups + group
    shape = (n_strata, n_groups)
    items = np.bincount(cell, minlength=n_strata * n_groups).reshape(shape)
    found = np.bincount(cell, weights=labelled, minlength=n_strata * n_groups).reshape(shape)
    total = items.sum(axis=1, keepdims=True)
    share = found.sum(axis=1, keepdims=True) / np.maximum(total, 1.0)
    expected = (items * share).sum(axis=0)
    variance = (items * share * (1.0 - share) * (1.0 - items / np.maximum(total, 1.0))).sum(axis=0)
    some = variance > 0.0
    statistic = float((((found.sum(axis=0) - expected)[some]) ** 2 / variance[some]).sum())
    if some.sum() < 2 or special.chdtrc(some.sum() - 1, statistic) >= _LEVEL:
        return ()
    holding = int((found.sum(axis=0) > 0).sum())
    note = (
        f"Labelled items lie in {holding:,} of {n_groups:,} documents, less evenly than if items had been chosen by judge "
        "and predictions alone. That is fine if whole documents were chosen at random; otherwise the labelled items may not "
        "represent the others."
    )
    return (note,)
