"""Evaluations with gaps: gold labels of some items, predictions and perhaps a judge's word on all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing, shown
from bayesf1.base.number_columns import numbers_of
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.units import Units
from bayesf1.kinds.audited import Audited, settled
from bayesf1.kinds.binary import Binary
from bayesf1.kinds.multiclass import MultiClass
from bayesf1.kinds.strata import PROBABILITY, Strata, strata_of
from bayesf1.kinds.unlabelled import Unlabelled
from bayesf1.reading.label_columns import (
    check_alike,
    class_codes,
    class_names,
    distinct_labels,
    find_classes,
    guess_positive,
    is_missing,
    read_labels,
    sort_of,
    stray_labels,
)
from bayesf1.reading.uneven_audit import uneven_audit

# What a judge calls an item that it says nothing of.
NO_ANSWER = "no answer"
# A judge that says more different things gives scores or texts.
_MOST_LABELS = 20
# Bins of probabilities where they are many.
_BINS = 5


class Voice(NamedTuple):
    """What a model or a judge says of every item, as numbers of its words."""

    codes: NDArray[np.intp]
    words: tuple[str, ...]
    # Those that were put into bins, NaN where there is none.
    scores: FloatArray | None = None


class Items(NamedTuple):
    """Items by what is known of them.

    Attributes
    ----------
    task
        The kind of task as it is where every item is labelled.
    strata
        What can be known of an item.
    stratum
        The stratum of each item.
    gold
        The gold label of each item as a number, that of gold labels where there is none.
    values
        Numbers that are known of each item beyond its stratum, by what they are called.
    """

    task: Kind
    strata: Strata
    stratum: NDArray[np.intp]
    gold: NDArray[np.intp]
    values: dict[str, FloatArray]


def read_items(
    y_true: Any,
    predictions: Mapping[str, Any],
    judge: Any,
    *,
    bins: Any = None,
    audit_probability: Any = None,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    weights: FloatArray | None = None,
    covariates: Mapping[str, Any] | None = None,
) -> Items:
    """Return items by what is known of them; the arguments are those of `from_labels`, with `weights` items of each."""
    names = model_names(predictions)
    values, known = _with_gaps(y_true, "y_true")
    n = len(known)
    if not known.any():
        items = n if weights is None else float(np.sum(weights))
        raise ValueError(
            f"none of {items:,.0f} items has a gold label; label some, chosen at random or by what is known of all"
        )
    columns = {name: read_labels(predictions[name], f"predictions of {name!r}") for name in names}
    found = distinct_labels([values, *columns.values()])
    judges = _read_judges(judge, bins, found, np.ones(n) if weights is None else weights)
    if audit_probability is not None:
        judges[PROBABILITY] = _read_probabilities(audit_probability, known)
    for name, column in columns.items():
        if len(column) != n:
            raise ValueError(f"predictions of {name!r} are {len(column)} labels, but y_true has {n}")
        if sort_of(values) != sort_of(column):
            raise ValueError(
                f"y_true has labels like {shown(values[0])} but predictions of {name!r} like {shown(column[0])}; "
                "numbers and strings are never equal"
            )
    for name in judges:
        if name in names:
            raise ValueError(f"{name!r} names a model and a judge; call one of them otherwise")
    task: Kind
    if positive is None and (labels is not None or len(found) > 2):
        classes = find_classes(labels, distinct_labels([values]), found)
        golds = class_names(classes)
        task = MultiClass(golds, strays=stray_labels(columns, classes, weights))
        codes = {name: class_codes(column, classes) for name, column in columns.items()}
        gold, called = class_codes(values, classes), (*golds, "another label")
    else:
        if positive is not None and labels is not None:
            raise ValueError(
                "positive= makes a binary task and labels= one of several classes; give one of them"
            )
        positive = guess_positive(found) if positive is None else positive
        if values.dtype.kind not in "biuf":
            check_alike(found)
        (yes,) = class_names([positive])
        task, golds = Binary(), (f"not {yes}", yes)
        codes = {name: (column == positive).astype(np.int64) for name, column in columns.items()}
        gold, called = (values == positive).astype(np.int64), golds
        _check_two(gold, codes, positive, found)
    labelled = np.full(n, len(golds), dtype=np.intp)
    labelled[known] = gold
    voices = [*(Voice(codes[name], called) for name in names), *judges.values()]
    kinds, stratum = _distinct(voices)
    said = tuple(tuple(voice.words[i] for voice, i in zip(voices, row, strict=True)) for row in kinds)
    strata, place = strata_of(golds, names, tuple(judges), said)
    scores = {name: voice.scores for name, voice in judges.items() if voice.scores is not None}
    return Items(task, strata, place[stratum], labelled, scores | _read_covariates(covariates, n))


def _distinct(voices: Sequence[Voice]) -> tuple[list[list[int]], NDArray[np.intp]]:
    """Return the different combinations of what was said, and which of them each item has."""
    which = np.zeros(len(voices[0].codes), dtype=np.intp)
    kinds: list[list[int]] = [[]]
    for codes, words, _ in voices:
        keys, which = np.unique(which * len(words) + codes, return_inverse=True)
        kinds = [[*kinds[key // len(words)], key % len(words)] for key in keys.tolist()]
    return kinds, which


def from_judged(
    y_true: Any,
    predictions: Mapping[str, Any],
    judge: Any,
    *,
    groups: NDArray[Any] | None = None,
    weights: FloatArray | None = None,
    of_row: NDArray[np.intp] | None = None,
    ids: Sequence[Any] | None = None,
    **how: Any,
) -> Evaluation:
    """Build an Evaluation of items of which some have a gold label; the arguments are those of `read_items`.

    With `weights` items of each kind, `of_row` says which kind each row is; without it rows cannot be named.
    """
    from scipy.sparse import csr_array

    items = read_items(y_true, predictions, judge, weights=weights, **how)
    n, k = len(items.gold), len(items.strata.golds)
    each = np.ones(n) if weights is None else weights
    documents, of_item = None, None
    if groups is not None:
        if len(groups) != n:
            raise ValueError(f"groups are {len(groups)} labels, but y_true has {n}")
        documents, of_item = np.unique(groups, return_inverse=True)
        of_item = of_item.ravel()
    cautions = uneven_audit(items.stratum, items.gold < k, each, of_item, items.values)
    kind = Audited(items.task, items.strata, cautions, _unlabelled(items, weights, of_row, ids))
    models = items.strata.models
    patterns, which = np.unique(items.stratum * (k + 1) + items.gold, return_inverse=True)
    rows = kind.rows_of(range(len(models)), patterns // (k + 1), patterns % (k + 1))
    summed = np.bincount(which.ravel(), weights=each, minlength=len(patterns)).astype(float)
    single = Units.merge(rows, summed, "item")
    if documents is None or of_item is None:
        return settled(Evaluation.of_units(models, kind, single))
    shape = (len(documents), len(patterns))
    sums = csr_array((each, (of_item, which.ravel())), shape=shape) @ rows
    whole = Units.merge(sums, np.ones(len(documents)), "document")
    return settled(Evaluation.of_units(models, kind, whole, single))


def _unlabelled(
    items: Items, weights: FloatArray | None, of_row: NDArray[np.intp] | None, ids: Sequence[Any] | None
) -> Unlabelled | None:
    if weights is not None and of_row is None:
        return None
    rows = np.arange(len(items.gold)) if of_row is None else of_row
    labelled = items.gold[rows] < len(items.strata.golds)
    return Unlabelled.of(items.stratum[rows], labelled, items.strata.size, ids)


def _with_gaps(values: Any, where: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels that there are, and which items have one."""
    if (
        isinstance(values, str | bytes | Mapping)
        or not isinstance(values, Iterable)
        or getattr(values, "ndim", 1) != 1
    ):
        raise ValueError(f"{where} must be a sequence of labels, one for each item, not {shown(values)}")
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and not np.ma.isMaskedArray(values):
        known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
        return read_labels(values[known], where), known
    # Columns of pyarrow have values in a shell.
    every = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    known = np.array([not _is_gap(value) for value in every], dtype=bool)
    return read_labels([value for value, has in zip(every, known, strict=True) if has], where), known


def _is_gap(value: Any) -> bool:
    return value is np.ma.masked or is_missing(value, blank=True)


def _read_judges(judge: Any, bins: Any, labels: list[Any], weights: FloatArray) -> dict[str, Voice]:
    """Return what each judge says of every item."""
    n = len(weights)
    named = judge if isinstance(judge, Mapping) else {} if judge is None else {"judge": judge}
    if bins is not None and not named:
        raise ValueError("bins= says how to read a judge's scores; give them by judge=")
    found: dict[str, Voice] = {}
    for name in model_names(named) if named else ():
        said, answered = _with_gaps(named[name], f"judge {name!r}")
        if len(answered) != n:
            raise ValueError(f"judge {name!r} has {len(answered)} labels, but y_true has {n}")
        voice = _said(said, name, bins, labels, weights[answered])
        codes, scores = np.full(n, len(voice.words), dtype=np.intp), None
        codes[answered] = voice.codes
        if voice.scores is not None:
            scores = np.full(n, np.nan)
            scores[answered] = voice.scores
        found[name] = Voice(codes, (*voice.words, NO_ANSWER), scores)
    return found


def _said(said: NDArray[Any], name: str, bins: Any, labels: list[Any], weights: FloatArray) -> Voice:
    if bins is not None and said.dtype.kind not in "biuf":
        said = _as_numbers(said)
    different = distinct_labels([said])
    if said.dtype.kind not in "biuf" and len(different) <= _MOST_LABELS:
        check_alike(different, f"judge {name!r} says")
    scores = said.dtype.kind == "f" and any(value % 1 for value in different)
    # Whole numbers are scores, too, such as 0 to 100, where they are no labels of the task.
    if bins is not None and said.dtype.kind in "iuf" and (scores or not set(different) <= set(labels)):
        return binned(said, bins, weights)._replace(scores=said.astype(float))
    if len(different) > _MOST_LABELS or (scores and len(different) > 2):
        raise ValueError(
            f"judge {name!r} says {len(different):,} different things ({listing(map(str, different), most=3)}); "
            f"say bins=5 where they are scores, or give a judge of at most {_MOST_LABELS} labels"
        )
    return Voice(class_codes(said, different), class_names(different))


def _as_numbers(said: NDArray[Any]) -> NDArray[Any]:
    """Return texts that are all numbers as numbers, as files have them, and others as they are."""
    try:
        texts = all(isinstance(value, str) for value in said.tolist())
        return said.astype(float) if texts else numbers_of(said, "scores")
    except ValueError:
        return said


def binned(scores: NDArray[Any], bins: Any, weights: FloatArray) -> Voice:
    """Return the bin of each score: so many bins of about as many items, or bins between given edges.

    Examples
    --------
    >>> binned(np.array([0.1, 0.2, 0.7, 0.9]), [0.5], np.ones(4))
    Voice(codes=array([0, 0, 1, 1]), words=('below 0.5', '0.5 or more'), scores=None)
    """
    if not _is_bins(bins):
        raise ValueError(f"bins must be a whole number from 2, or a list of edges, not {shown(bins)}")
    if np.ndim(bins):
        edges = np.unique(np.asarray(bins, dtype=float))
    else:
        order = np.argsort(scores, kind="stable")
        below = np.cumsum(weights[order]) / weights.sum()
        places = np.searchsorted(below, np.arange(1, bins) / bins - 1e-12)
        edges = np.unique(scores[order][np.minimum(places + 1, len(order) - 1)])
    ends = [f"{edge:.3g}" for edge in edges]
    between = [f"{low} to {high}" for low, high in pairwise(ends)]
    return Voice(
        np.searchsorted(edges, scores, side="right"), (f"below {ends[0]}", *between, f"{ends[-1]} or more")
    )


def _is_bins(bins: Any) -> bool:
    if np.ndim(bins):
        edges = np.asarray(bins)
        return bool(edges.ndim == 1 and edges.size and edges.dtype.kind in "iuf" and np.isfinite(edges).all())
    return isinstance(bins, int | np.integer) and not isinstance(bins, bool) and int(bins) >= 2


def _read_probabilities(values: Any, known: NDArray[np.bool_]) -> Voice:
    """Return how probable it was that each item would be labelled, as strata."""
    found = numbers_of(values, "audit_probability", remedy=f"is a number for each item, not {shown(values)}")
    if found.shape != known.shape:
        raise ValueError(f"audit_probability has shape {found.shape}, but there are {len(known)} items")
    bad = ~((found >= 0.0) & (found <= 1.0)) | (known & (found == 0.0)) | (~known & (found == 1.0))
    if bad.any():
        i = int(np.argmax(bad))
        what = "labelled" if known[i] else "not labelled"
        raise ValueError(
            f"audit_probability is {found[i]:g} for item {i + 1}, which is {what}; probabilities lie between 0 and 1, above "
            "0 for what is labelled and below 1 for what is not"
        )
    several, which = np.unique(found, return_inverse=True)
    if len(several) <= 2 * _BINS:
        return Voice(which.ravel(), tuple(f"{p:.6g}" for p in several))
    return binned(found, _BINS, np.ones(len(found)))._replace(scores=found)


def _read_covariates(covariates: Mapping[str, Any] | None, n: int) -> dict[str, FloatArray]:
    """Return numbers of every item by their names."""
    found = {}
    for name, values in (covariates or {}).items():
        found[name] = numbers = numbers_of(
            values, f"covariate {name!r}", remedy="has values that are no numbers"
        )
        if numbers.shape != (n,):
            raise ValueError(f"covariate {name!r} has shape {numbers.shape}, but there are {n} items")
    return found


def _check_two(
    gold: NDArray[Any], codes: Mapping[str, NDArray[Any]], positive: Any, found: list[Any]
) -> None:
    if not gold.any() and not any(code.any() for code in codes.values()):
        raise ValueError(f"no item is labelled {positive!r}; the labels are {listing(map(repr, found))}")
