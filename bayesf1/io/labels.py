"""Evaluations from what models did on each item: labels, classes, sets of labels, right and wrong, confusion matrices."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    block_diagonal,
    rows_of_cells,
    sparse,
)
from bayesf1.base.cautions import Caution, warn_caller
from bayesf1.base.checks import ArrayLike, Column, OneLabel, check_unmasked
from bayesf1.base.naming import counted, joined, listing, quoted
from bayesf1.evaluation import Evaluation, model_names
from bayesf1.io.counts import check_counts, check_matrix, check_same_gold
from bayesf1.io.label_values import (
    align,
    check_blank,
    check_same_shapes,
    distinct_rows_of,
    from_rows,
    index_of,
    is_missing,
    plain_label,
    read_labels,
    read_numbers,
)
from bayesf1.runs import is_by_id, with_runs_in
from bayesf1.task import Task
from bayesf1.tasks.binary import BINARY_CELLS, Binary
from bayesf1.tasks.classed import LabelSets
from bayesf1.tasks.correctness import Correctness
from bayesf1.tasks.judged.missing_labels import Unlabelled, uneven_documents
from bayesf1.tasks.judged.strata import Strata
from bayesf1.tasks.judged.task import Judged, on_inner_task
from bayesf1.tasks.multiclass import MultiClass, class_outcomes
from bayesf1.tasks.unknown_labels import UnknownLabels
from bayesf1.units import Units

# What a judge calls an item that it says nothing of.
NO_ANSWER = "no answer"
# Who says more different things gives scores or texts.
_MOST_LABELS = 20
# Pairs of labels whose positive one is beyond doubt, lower-cased: (negative, positive).
_PLAIN_PAIRS = (
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
    ("no", "yes"),
    ("neg", "pos"),
    ("negative", "positive"),
)
# A whole number with a decimal point, as pandas writes integers of a column that once had gaps.
_WHOLE = re.compile(r"([+-]?[0-9]+)\.0*")
# How programs spell what is missing.
_GAPS = frozenset(("na", "n/a", "#n/a", "nan", "<na>", "null", "none"))
# Of more gold labels none is compared with the others.
_MOST_COMPARED = 200
# What may stand in for gold labels that are missing.
NO_GOLD = "drop or fill it first, or give a judge's labels of all items with judge="
# Cell of an item by 2·(gold is positive) + (prediction is positive).
CELL_OF_CODE = np.eye(4)[[3, 1, 2, 0]]


class NoPositiveItem(Caution):
    """No item has the positive label, by gold or by a model."""


@with_runs_in("predictions", is_by_id)
def from_labels(
    y_true: Column,
    predictions: Mapping[str, Any],
    *,
    positive: OneLabel = None,
    groups: Column | None = None,
    labels: Sequence[Any] | None = None,
    multilabel: bool = False,
    judge: Column | None = None,
) -> Evaluation:
    """Build an Evaluation from labels, one for each item: paired, as all models saw the same items.

    Two labels, one of them positive, are a binary task; more than two are classes, whose metrics are averages
    (``macro_f1``), those of one class (``f1[spam]``) or of the whole matrix (``accuracy``, ``mcc``). A label that
    no item has is no class, but a mistake of the model that said it, as in scikit-learn's metrics with ``labels=``
    those of gold; ``ev.notes`` says who said what.

    Parameters
    ----------
    y_true
        Gold labels, strings, numbers or booleans: a list or array, or by id, as a mapping ``{"doc1": "spam", …}`` or a
        Series.
    predictions
        Mapping of model name to its labels: in the order of `y_true`, or by id, too, whose order does not matter.
    positive
        The label that counts as positive. It may be left out where it is beyond doubt: 1 against 0 or -1,
        True against False, yes against no, pos(itive) against neg(ative).
    groups
        The document (speaker, user, …) of each item; documents are then the units, as items of one document
        are not independent trials.
    labels
        The classes, where they are more than those of gold, or where there are just two and both count. A class
        that no item has counts as 0 in averages, as in scikit-learn.
    multilabel
        Whether an item has any number of labels; `y_true` and the predictions are then arrays (item, label)
        of 0 and 1, as scikit-learn's MultiLabelBinarizer makes them, and `labels` names the columns.
    judge
        What a cheaper judge, such as a language model, says of every item; ``{"gpt": …}`` names it. Items of `y_true`
        may then be None, NaN or empty: nobody has labelled them yet, and their gold labels are drawn from those of
        labelled items of which the models and the judge say the same. ``{}`` allows gaps without a judge. Several judges
        are combined before, for example by a majority vote.

    Examples
    --------
    >>> gold = ["spam", "ham", "spam", "ham"]
    >>> a, b = ["spam", "ham", "ham", "ham"], ["spam", "spam", "spam", "ham"]
    >>> ev = from_labels(gold, {"A": a, "B": b}, positive="spam")
    >>> ev
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, tn, 4 items in 4 patterns>
    >>> ev.tables
    array([[1., 0., 1., 2.], [2., 1., 0., 1.]])
    >>> from_labels(["a", "b", "c", "c"], {"A": ["a", "b", "c", "a"], "B": ["a", "c", "c", "c"]})
    <Evaluation of 2 models (A, B) on 3 classes (a, b, c), 4 items in 4 patterns>
    >>> from_labels(["spam", None, "ham", None], {"A": a, "B": b}, positive="spam", judge=b)
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, tn and what judge said, 4 items in 4 patterns>
    """
    if judge is not None:
        if multilabel:
            raise ValueError("judge= is for items of one label each, and multilabel=True has any number")
        return _from_judged(y_true, predictions, judge, groups, positive, labels)
    predictions, beside = align(predictions, "predictions", {"y_true": y_true, "groups": groups})
    document = beside["groups"]
    if multilabel:
        if positive is not None:
            raise ValueError("positive= is for items of one label; with multilabel=True all labels count")
        return _from_label_sets(beside["y_true"], predictions, labels, document)
    gold = read_labels(beside["y_true"], "y_true", remedy=NO_GOLD)
    if not len(gold):
        raise ValueError("y_true is empty; there is nothing to compare the models on")
    columns = {name: read_labels(own, f"predictions of {name!r}") for name, own in predictions.items()}
    return from_columns(gold, columns, positive=positive, labels=labels, groups=document)


def from_columns(
    gold: AnyArray,
    columns: Mapping[str, AnyArray],
    *,
    positive: Any,
    labels: Sequence[Any] | None = None,
    weights: FloatArray | None = None,
    groups: AnyArray | None = None,
) -> Evaluation:
    """Build an Evaluation from arrays of labels, of which there are `weights` items each; documents may be the units."""
    every = [CodedLabels.of(column) for column in (gold, *columns.values())]
    found = distinct_labels(every)
    if labels is None and gold.dtype.kind not in "biuf":
        check_blank(gold, found, "y_true", NO_GOLD)
    counts = [own.counts(weights) for own in every]
    predicted = dict(zip(columns, counts[1:], strict=True))
    task, positive, golds, codes = _coded(every, predicted, positive, labels)
    kinds, which = distinct_rows_of(np.stack(codes, axis=1), len(golds) + 1)
    binary = isinstance(task, Binary)
    rows = CELL_OF_CODE[2 * kinds[:, :1] + kinds[:, 1:]] if binary else class_outcomes(kinds, len(golds))
    notes = label_notes(counts[0], predicted, positive)
    if not binary and labels is None and len(found) == 2:
        both = " nor ".join(map(quoted, found))
        notes += (
            f"Neither {both} was named as positive, so metrics are averages over both; name one with positive=.",
        )
    ev = from_rows(tuple(columns), task, rows, groups, which=which, weights=weights)
    return replace(ev, remarks=notes)


def _coded(
    every: Sequence[CodedLabels],
    predicted: Mapping[str, Mapping[Any, float]],
    positive: Any,
    labels: Sequence[Any] | None,
) -> tuple[Task, Any, tuple[str, ...], list[IntArray]]:
    """Return the task, its positive label, what gold can be, and the labels of gold and of each model as numbers of these."""
    if positive is not None and labels is not None:
        raise ValueError("positive= makes a binary task and labels= one of several classes; give one of them")
    gold, found = every[0], distinct_labels(every)
    for model, own in zip(predicted, every[1:], strict=True):
        if gold.sort != own.sort:
            raise ValueError(
                f"y_true has labels like {quoted(gold.names[0])} but predictions of {model!r} like {quoted(own.names[0])}; "
                "numbers and strings are never equal"
            )
        if sum(isinstance(label, float) and label % 1 != 0 for label in own.names) > _MOST_LABELS:
            many = f"{len(own.names):,} numbers such as {own.names[1]:g}"
            raise ValueError(f"predictions of {model!r} are {many}; give probabilities to from_probabilities")
    if positive is None and labels is None and len(found) < 3:
        positive = _plain_positive(found)
    if positive is None and (labels is not None or len(found) > 1):
        classes = find_classes(labels, distinct_labels([gold]), found)
        names, known = class_names(classes), {*classes}
        unknown = {
            name: {_class_name(label): n for label, n in own.items() if label not in known}
            for name, own in predicted.items()
        }
        task = MultiClass(names, UnknownLabels.of(unknown))
        return task, None, names, [own.among(classes) for own in every]
    if gold.sort != "number":
        check_alike(found)
    positive = guess_positive(found) if positive is None else positive
    hits = [np.array([label == positive for label in own.names], dtype=np.int64)[own.codes] for own in every]
    check_positive(positive, hits, tuple(predicted), found)
    (yes,) = class_names([positive])
    return Binary(positive=yes), positive, (f"not {yes}", yes), hits


# ---- which label is positive, or which are classes -------------------------------------------------------


class CodedLabels(NamedTuple):
    """The labels of all items, as numbers of the distinct ones."""

    codes: IntArray
    names: list[Any]

    @classmethod
    def of(cls, column: AnyArray) -> CodedLabels:
        """Return labels numbered in some order."""
        if column.dtype.kind != "O":
            names, codes = np.unique(column, return_inverse=True)
            return cls(codes.ravel(), names.tolist())
        place: dict[Any, int] = {}
        codes = np.array([place.setdefault(label, len(place)) for label in column.tolist()], dtype=np.intp)
        return cls(codes, [*place])

    @property
    def sort(self) -> str:
        """Return what labels are, all of one sort: numbers, texts or something else, such as dates."""
        first = next(iter(self.names), "")
        return (
            "number" if isinstance(first, Number) else "text" if isinstance(first, str | bytes) else "other"
        )

    def among(self, classes: Sequence[Any]) -> IntArray:
        """Return labels as indices into the classes, and their number for what is none of them."""
        place = {label: i for i, label in enumerate(classes)}
        return np.array([place.get(label, len(place)) for label in self.names], dtype=np.int64)[self.codes]

    def counts(self, weights: FloatArray | None = None) -> dict[Any, float]:
        """Return how many items have each label; there are `weights` items of each row."""
        sums = np.bincount(self.codes, weights, len(self.names)).astype(float)
        return dict(zip(self.names, sums.tolist(), strict=True))


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
    positive: Any, hits: Sequence[AnyArray], names: tuple[str, ...], labels: Sequence[Any]
) -> None:
    """Raise a ValueError where a misspelt label leaves no item positive, and warn where none is otherwise."""
    if not any(own.any() for own in hits):
        known = {str(label).casefold(): label for label in labels[:1000]}
        alike = difflib.get_close_matches(str(positive).casefold(), known, n=1, cutoff=0.75)
        found = f"no item is labelled {quoted(positive)}"
        if alike:
            raise ValueError(f"{found}; did you mean {quoted(known[alike[0]])}?")
        # A shard of a corpus may well hold no positive item.
        warn_caller(f"{found}; the labels are {listing(map(quoted, known.values()))}", NoPositiveItem)
        return
    silent = [name for name, predicted in zip(names, hits[1:], strict=True) if not predicted.any()]
    if silent:
        never = "never predicts" if len(silent) == 1 else "never predict"
        warn_caller(f"{joined(silent)} {never} the positive label {quoted(positive)}")


def find_classes(labels: Sequence[Any] | None, gold: Sequence[Any], predicted: Iterable[Any]) -> list[Any]:
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
    for label in predicted:
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
    classes = ", or list both as classes with labels=" if what == "labels" else ""
    how = "in case or spaces, in how their characters are coded or in how a number is written"
    return ValueError(f"{what} {quoted(one)} and {quoted(other)} differ only {how}; make them one{classes}")


def class_names(labels: Sequence[Any]) -> tuple[str, ...]:
    """Return labels as names of classes, or say which two are the same."""
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


def label_notes(
    gold: Mapping[Any, float], predicted: Mapping[str, Mapping[Any, float]], positive: Any = None
) -> tuple[str, ...]:
    """Say which gold label may be a gap or a slip, and, of a binary task, what models predict that no item is.

    Examples
    --------
    >>> label_notes({"spam": 20, "ham": 9, "spma": 1}, {"A": {"spam": 29, "eggs": 1}}, "spam")
    ("1 item has the gold label 'spma', ...", "A predicts 'eggs' (never a gold label) for 1 item, ...")
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
                f"{model} predicts {listing(map(quoted, sorted(unknown, key=str)), most=3)} (never a gold label) for "
                f"{counted(int(sum(unknown.values())), 'item')}, which counts as not {quoted(positive)}."
            )
    return tuple(notes)


def distinct_labels(columns: Iterable[CodedLabels]) -> list[Any]:
    """Return the labels that occur in any of the columns, sorted."""
    seen = dict.fromkeys(label for column in columns for label in column.names)
    return sorted(
        seen, key=lambda label: (str(type(label)), label if isinstance(label, int | float) else str(label))
    )


# ---- judged: gold labels of some items, predictions and perhaps a judge's labels of all ------------------


def _from_judged(
    y_true: Any, predictions: Mapping[str, Any], judge: Any, groups: Any, positive: Any, labels: Any
) -> Evaluation:
    """Build an Evaluation of items of which some have no gold label; the arguments are those of `from_labels`."""
    # What is one by itself, perhaps by id, is called a judge.
    judges = judge if isinstance(judge, Mapping) and not (judge and is_by_id(judge)) else {"judge": judge}
    if len(judges) > 1:
        several = f"{len(judges)} ({joined([*map(str, judges)])})"
        raise ValueError(f"judge= takes one judge, not {several}; combine them, as by a majority vote")
    given = {**{f"labels of judge {name!r}": column for name, column in judges.items()}, "groups": groups}
    y_true, ids = gold_with_gaps(y_true, {**given, **predictions})
    predictions, beside = align(predictions, "predictions", {"y_true": y_true, **given})
    names, documents = tuple(predictions), beside["groups"]
    values, known = _with_gaps(beside["y_true"], "y_true")
    n = len(known)
    if not known.any():
        raise ValueError(f"none of {n:,} items has a gold label; label some, chosen at random")
    columns = {name: read_labels(predictions[name], f"predictions of {name!r}") for name in names}
    if twice := {*judges} & {*names}:
        raise ValueError(f"{twice.pop()!r} names a model and a judge; rename one of them")
    every = [CodedLabels.of(column) for column in (values, *columns.values())]
    found = distinct_labels(every)
    if positive is None and labels is None and len(found) < 3:
        positive = guess_positive(found)
    predicted = {name: own.counts() for name, own in zip(names, every[1:], strict=True)}
    task, positive, golds, (of_gold, *codes) = _coded(every, predicted, positive, labels)
    notes = label_notes(every[0].counts(), predicted, positive)
    gold = np.full(n, len(golds), dtype=np.intp)
    gold[known] = of_gold
    words = golds if isinstance(task, Binary) else (*golds, "another label")
    raters = [
        *((code, words) for code in codes),
        *(_judged(beside[f"labels of judge {name!r}"], name, n) for name in judges),
    ]
    stratum = np.zeros(n, dtype=np.intp)
    kinds: list[tuple[str, ...]] = [()]
    for code, called in raters:
        keys, stratum = np.unique(stratum * len(called) + code, return_inverse=True)
        kinds = [(*kinds[key // len(called)], called[key % len(called)]) for key in keys.tolist()]
    strata, place = Strata.of(golds, names, tuple(judges), kinds)
    stratum, k = place[stratum], len(golds)

    cautions: tuple[str, ...] = ()
    if documents is not None:
        cautions = uneven_documents(stratum, gold < k, np.unique(documents, return_inverse=True)[1])
    judged = Judged(task, strata, cautions, Unlabelled.of(stratum, gold < k, strata.size, ids))
    patterns, which = np.unique(stratum * (k + 1) + gold, return_inverse=True)
    cells = strata.pair_of[patterns // (k + 1)] * (k + 1) + (patterns % (k + 1))[:, None]
    rows = rows_of_cells(cells, len(judged.cells))
    ev = from_rows(names, judged, rows, documents, which=which)
    if not ev.labelled:
        ev = on_inner_task(ev, judged)
    return replace(ev, remarks=notes)


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


def _with_gaps(values: Any, where: str) -> tuple[AnyArray, BoolArray]:
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


def _judged(column: Any, name: str, n: int) -> tuple[IntArray, tuple[str, ...]]:
    """Return what a judge says of every item as numbers of its words, and these; the last is that it says nothing."""
    judged, answered = _with_gaps(column, f"judge {name!r}")
    if len(answered) != n:
        raise ValueError(f"judge {name!r} has {len(answered)} labels, but y_true has {n}")
    coded = CodedLabels.of(judged)
    different = distinct_labels([coded])
    scores = judged.dtype.kind == "f" and any(value % 1 for value in different)
    if len(different) > _MOST_LABELS or (scores and len(different) > 2):
        raise ValueError(
            f"judge {name!r} says {len(different):,} different things ({listing(map(str, different), most=3)}); give a judge "
            f"of at most {_MOST_LABELS} labels, and put scores into classes before, such as score >= 0.5"
        )
    if judged.dtype.kind not in "biuf":
        check_alike(different, f"judge {name!r} says")
    codes = np.full(n, len(different), dtype=np.intp)
    codes[answered] = coded.among(different)
    return codes, (*class_names(different), NO_ANSWER)


# ---- sets of labels ----------------------------------------------------------------------------------------


def _from_label_sets(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    labels: Sequence[Any] | None,
    groups: AnyArray | None,
) -> Evaluation:
    """Build an Evaluation from which labels each item has, arrays (item, label) of 0 and 1."""
    from scipy.sparse import hstack

    gold = _indicators(y_true, "y_true")
    columns = {name: _indicators(value, f"predictions of {name!r}") for name, value in predictions.items()}
    check_same_shapes({"y_true": gold, **{f"predictions of {name!r}": own for name, own in columns.items()}})
    classes = class_names(range(1, gold.shape[1] + 1) if labels is None else labels)
    if len(classes) != gold.shape[1]:
        raise ValueError(f"labels= names {len(classes)} labels, but y_true has {gold.shape[1]} columns")
    blocks = []
    for predicted in columns.values():
        blocks += [gold & predicted, ~gold & predicted, gold & ~predicted, ~gold & ~predicted]
    rows = hstack([sparse(block.astype(float)) for block in blocks], format="csr")
    ev = from_rows(tuple(columns), LabelSets(classes), rows, groups, one="instance")
    return replace(ev, item_units=None)


def _indicators(values: Any, where: str) -> BoolArray:
    dense = values.toarray() if hasattr(values, "toarray") else values
    what = "0 and 1 by (item, label) where multilabel=True; sets become that by scikit-learn's MultiLabelBinarizer"
    return read_numbers(dense, where, what, bad=_is_no_flag, ndim=2).astype(bool)


# ---- right and wrong ---------------------------------------------------------------------------------------


@with_runs_in("correct", is_by_id)
def from_correct(
    correct: Mapping[str, Any],
    *,
    groups: Column | None = None,
    name: str = "",
    unit: str | None = None,
) -> Evaluation:
    r"""Build an Evaluation from what each model has right and wrong, item by item: paired, as all saw the same items.

    The metrics are ``"accuracy"`` and ``"error_rate"``. With a prior of :math:`2\lambda/(2^m-2)` on each joint outcome
    in which m models differ an accuracy is :math:`\mathrm{Be}(\text{right}+\lambda, \text{wrong}+\lambda)`, and of two,
    with :math:`n_A` and :math:`n_B` items that only one of them has right,

    .. math:: P(\text{B is better}) = P\bigl(\mathrm{Be}(n_B + \lambda,\, n_A + \lambda) > \tfrac12\bigr).

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
    >>> round(compare(ev, rng=1)["accuracy"].p_h1, 2)
    0.92
    """
    columns, beside = align(correct, "answers", {"groups": groups})
    right = [_flags(column, f"answers of {model!r}") for model, column in columns.items()]
    return from_right(np.stack(right, axis=1), tuple(columns), name=name, unit=unit, groups=beside["groups"])


def from_right(
    hits: BoolArray,
    names: tuple[str, ...],
    *,
    name: str = "",
    unit: str | None = None,
    groups: AnyArray | None = None,
    errors: bool = False,
) -> Evaluation:
    """Build an Evaluation from which items scored 1, axes (item, model), where 1 is right or, of `errors`, wrong."""
    task = Correctness(("wrong", "right") if errors else ("right", "wrong"), name)
    if groups is not None and unit == "item":
        raise ValueError("unit 'item' is for single items; groups need another name, such as 'document'")
    kinds, which = distinct_rows_of(hits, 2)
    rows = np.stack([kinds, 1 - kinds], axis=-1).astype(float)
    return from_rows(names, task, rows, groups, which=which, unit=unit, each_an_item=True)


def _flags(values: Any, where: str) -> BoolArray:
    """Return which items are right, or say which answer is neither right nor wrong."""
    what = "True or False (1 or 0), one for each item; other scores go to from_scores"
    return read_numbers(values, where, what, bad=_is_no_flag).astype(bool)


def _is_no_flag(array: FloatArray) -> Any:
    return (array != 0) & (array != 1)


# ---- tables of units, and matrices -------------------------------------------------------------------------


@with_runs_in("counts")
def from_units(
    counts: ArrayLike | Mapping[str, ArrayLike], *, models: Sequence[str] | None = None, unit: str = "unit"
) -> Evaluation:
    """Build an Evaluation from what each unit (sentence, document) adds to each model's table.

    Parameters
    ----------
    counts
        An array (unit, model, cell) with cells tp, fp, fn and optionally tn, or a mapping of model name to
        an array (unit, cell).
    models
        Names of the models where `counts` is an array; A, B, … by default.
    unit
        What a unit is called in print.

    Examples
    --------
    >>> ev = from_units({"A": [(1, 0, 0), (0, 1, 1)], "B": [(1, 1, 0), (1, 0, 0)]}, unit="sentence")
    >>> ev
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, 2 sentences in 2 patterns>
    """
    if isinstance(counts, Mapping):
        if models is not None:
            raise ValueError("models= names the rows of an array; a mapping already names them")
        names = model_names(counts)
        arrays = [_unit_array(counts[name], f"counts of {name!r}", 2) for name in names]
        check_same_shapes({f"counts of {name!r}": own for name, own in zip(names, arrays, strict=True)})
        rows = np.stack(arrays, axis=1)
    else:
        rows = _unit_array(counts, "counts", 3)
        names = model_names(models or default_names(rows.shape[1]))
        if len(names) != rows.shape[1]:
            raise ValueError(f"counts have {rows.shape[1]} models, but models= names {len(names)}")
    check_same_gold(rows, names, ("unit",), "all models must be judged on the same gold")
    if unit == "item":
        raise ValueError("unit 'item' is for single items; build those with from_labels")
    task = Binary(BINARY_CELLS[: rows.shape[2]])
    return Evaluation.of_units(names, task, Units.merge(rows, np.ones(len(rows)), unit))


def default_names(n: int) -> list[str]:
    """Return names for `n` models that have none: A, B, … or M1, M2, … where letters run out."""
    return [chr(ord("A") + i) if n <= 26 else f"M{i + 1}" for i in range(n)]


def _unit_array(counts: ArrayLike, where: str, ndim: int) -> FloatArray:
    array = check_counts(counts, where)
    if array.ndim != ndim or not len(array):
        axes = "(unit, cell)" if ndim == 2 else "(unit, model, cell)"
        raise ValueError(f"{where} have shape {array.shape}; give an array {axes}")
    return array


@with_runs_in("matrices")
def from_confusion(matrices: Mapping[str, ArrayLike], *, labels: Sequence[Any] | None = None) -> Evaluation:
    """Build an Evaluation from confusion matrices, whose rows are the truth and columns the predictions.

    A matrix does not say which items the models had in common, so models are taken as independent.

    Parameters
    ----------
    matrices
        Mapping of model name to a K×K matrix of counts.
    labels
        Names of the classes, in the order of rows and columns; 1, 2, … by default.

    Examples
    --------
    >>> ev = from_confusion({"A": [[8, 1, 1], [0, 9, 1], [2, 0, 8]], "B": [[9, 1, 0], [1, 9, 0], [1, 1, 8]]})
    >>> ev
    <Evaluation of 2 models (A, B) on 3 classes (1, 2, 3), totals only>
    >>> from bayesf1 import confusion
    >>> confusion(ev, "A")
    array([[8., 1., 1.], [0., 9., 1.], [2., 0., 8.]])
    """
    names = model_names(matrices)
    for name in names:
        matrix: Any = matrices[name]
        axes = (matrix.index, matrix.columns) if hasattr(matrix, "columns") else ()
        if any(list(axis) != [*range(len(axis))] for axis in axes):
            raise ValueError(
                f"matrix of {name!r} is a frame with names; give it as m.reindex(index=labels, columns=labels, "
                "fill_value=0).to_numpy(), and labels="
            )
    arrays = [check_matrix(matrices[name], f"matrix of {name!r}") for name in names]
    check_same_shapes({f"matrix of {name!r}": own for name, own in zip(names, arrays, strict=True)})
    k = len(arrays[0])
    classes = class_names(range(1, k + 1) if labels is None else labels)
    if len(classes) != k:
        raise ValueError(f"labels= has {len(classes)} names, but there are {k} classes")
    seen = [np.argwhere(array > 0) for array in arrays]
    rows = block_diagonal([class_outcomes(pairs, k) for pairs in seen])
    weights = np.concatenate([array[tuple(pairs.T)] for array, pairs in zip(arrays, seen, strict=True)])
    units = Units.merge(rows, weights, "item", shared=False)
    return Evaluation.of_units(names, MultiClass(classes), units)
