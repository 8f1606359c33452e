"""Evaluations from what models did on each item: labels, classes, sets of labels, right and wrong, confusion matrices."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress, zip_longest
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    SupportsArray,
    SupportsColumns,
    SupportsILoc,
    SupportsToArray,
    SupportsToPylist,
    block_diagonal,
    rows_of_cells,
    sparse,
)
from bayesf1.base.cautions import Caution, warn_caller
from bayesf1.base.checks import ArrayLike, Column, OneLabel, check_unmasked
from bayesf1.base.naming import joined, listing, number_of, quoted
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
from bayesf1.tasks.multiclass import MultiClass, UnknownLabels, class_outcomes
from bayesf1.units import Units

# How we call the answer of a judge that gave no label.
NO_ANSWER = "no answer"
# More different labels are scores or texts.
_MOST_LABELS = 20
# Pairs of labels whose positive one is beyond doubt, lower-cased: (negative, positive).
_UNMISTAKABLE_PAIRS = (
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
    ("no", "yes"),
    ("neg", "pos"),
    ("negative", "positive"),
)
# A whole number with a decimal point, as pandas writes integers of a column that once had gaps.
_WHOLE = re.compile(r"([+-]?[0-9]+)\.0*")
# How programs spell a missing value.
_GAPS = frozenset(("na", "n/a", "#n/a", "nan", "<na>", "null", "none"))
# The largest number of gold labels that are compared with each other.
_MOST_COMPARED = 200
_NO_GAPS = "All items have gold labels, so the judge's were not used."
# The remedy for a missing gold label.
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

    Two labels, one of them positive, are a binary task. More than two are classes, whose metrics are averages
    (``macro_f1``), those of one class (``f1[spam]``) or of the whole matrix (``accuracy``, ``mcc``). A label that no item
    has is not a class but a mistake of the model that predicted it, as in scikit-learn's metrics if ``labels=`` are those of
    gold; ``ev.notes`` lists such predictions.

    Parameters
    ----------
    y_true
        Gold labels (strings, numbers or booleans): a list or array, or by id, as a mapping ``{"doc1": "spam", …}`` or a
        Series.
    predictions
        Mapping of model name to its labels, in the order of `y_true`, or by id in any order.
    positive
        The label that counts as positive. It may be left out if it is beyond doubt: 1 against 0 or -1,
        True against False, yes against no, pos(itive) against neg(ative).
    groups
        The document (speaker, user, …) of each item; documents are then the units, as items of one document
        are not independent trials.
    labels
        The classes, if there are more than gold has, or if there are just two and both count. A class
        that no item has counts as 0 in averages, as in scikit-learn.
    multilabel
        Whether an item has any number of labels; `y_true` and the predictions are then arrays (item, label)
        of 0 and 1, as scikit-learn's MultiLabelBinarizer makes them, and `labels` names the columns.
    judge
        The labels that a cheaper judge, such as a language model, gives all items; ``{"gpt": …}`` names it. Items of
        `y_true` may then be None, NaN or empty: they are unlabelled, and their gold labels are drawn from those of labelled
        items with the same labels by the models and the judge. ``{}`` allows gaps without a judge. Combine several judges
        beforehand, for example by a majority vote.

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
    """Build an Evaluation from arrays of labels, with `weights` items of each row; documents may be the units."""
    gold_labels = CodedLabels.of(gold)
    of_models = {name: CodedLabels.of(column) for name, column in columns.items()}
    distinct = distinct_labels([gold_labels, *of_models.values()])
    if labels is None and gold.dtype.kind not in "biuf":
        check_blank(gold, distinct, "y_true", NO_GOLD)
    counts = {name: own.counts(weights) for name, own in of_models.items()}
    coded = _coded(gold_labels, of_models, counts, positive, labels)
    # Axes (pattern, [gold, *models]).
    patterns, which = distinct_rows_of(np.stack([coded.gold, *coded.predicted], axis=1), len(coded.golds) + 1)
    notes = [*label_notes(gold_labels.counts(weights), counts, coded.positive)]
    if isinstance(coded.task, Binary):
        rows = CELL_OF_CODE[2 * patterns[:, :1] + patterns[:, 1:]]
    else:
        rows = class_outcomes(patterns, len(coded.golds))
        if labels is None and len(distinct) == 2:
            both = " nor ".join(map(quoted, distinct))
            notes.append(
                f"Neither {both} was named as positive, so metrics are averages over both; name one with positive=."
            )
    ev = from_rows(tuple(columns), coded.task, rows, groups, which=which, weights=weights)
    return replace(ev, remarks=tuple(notes))


class _Coded(NamedTuple):
    """A task, and the labels of all items as numbers of its gold labels."""

    task: Task
    # The label that counts as positive; None if there are classes.
    positive: Any
    # The names of the gold labels, by number.
    golds: tuple[str, ...]
    gold: IntArray
    # For each model; the number after the last one is used for any other label.
    predicted: list[IntArray]


def _coded(
    gold: CodedLabels,
    of_models: Mapping[str, CodedLabels],
    counts: Mapping[str, Mapping[Any, float]],
    positive: Any,
    labels: Sequence[Any] | None,
) -> _Coded:
    """Return the task of some labels, and the labels as numbers; `counts` has how often each model said each label."""
    if positive is not None and labels is not None:
        raise ValueError("positive= makes a binary task and labels= one of several classes; give one of them")
    for model, column in of_models.items():
        _check_kind(model, column, gold)
    every = [gold, *of_models.values()]
    distinct = distinct_labels(every)
    if positive is None and labels is None and len(distinct) < 3:
        positive = _unmistakable_positive(distinct)
    if positive is None and (labels is not None or len(distinct) > 1):
        classes = find_classes(labels, distinct_labels([gold]), distinct)
        distinct_classes = set(classes)
        unknown = {}
        for model, own in counts.items():
            unknown[model] = {
                _class_name(label): n for label, n in own.items() if label not in distinct_classes
            }
        names = class_names(classes)
        task = MultiClass(names, UnknownLabels.of(unknown))
        numbers = [column.among(classes) for column in every]
        return _Coded(task, None, names, gold=numbers[0], predicted=numbers[1:])
    if gold.sort != "number":
        check_alike(distinct)
    if positive is None:
        positive = guess_positive(distinct)
    hits = [column.equal_to(positive) for column in every]
    check_positive(positive, hits, tuple(of_models), distinct)
    (yes,) = class_names([positive])
    return _Coded(Binary(positive=yes), positive, (f"not {yes}", yes), gold=hits[0], predicted=hits[1:])


def _check_kind(model: str, own: CodedLabels, gold: CodedLabels) -> None:
    """Raise a ValueError if a model's labels are of another kind than the gold labels, or if they are probabilities."""
    if gold.sort != own.sort:
        raise ValueError(
            f"y_true has labels like {quoted(gold.names[0])} but predictions of {model!r} like {quoted(own.names[0])}; "
            "numbers and strings are never equal"
        )
    n_fractions = sum(isinstance(label, float) and label % 1 != 0 for label in own.names)
    if n_fractions > _MOST_LABELS:
        many = f"{len(own.names):,} numbers such as {own.names[1]:g}"
        raise ValueError(f"predictions of {model!r} are {many}; give probabilities to from_probabilities")


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
        """The type of all labels: numbers, texts or something else, such as dates."""
        first = self.names[0] if self.names else ""
        if isinstance(first, Number):
            return "number"
        return "text" if isinstance(first, str | bytes) else "other"

    def among(self, classes: Sequence[Any]) -> IntArray:
        """Return labels as indices into the classes, and the number of classes for any other label."""
        place = {label: i for i, label in enumerate(classes)}
        index = np.array([place.get(label, len(place)) for label in self.names], dtype=np.int64)
        return index[self.codes]

    def equal_to(self, label: Any) -> IntArray:
        """Return 1 for the items with a label, and 0 for the others."""
        is_label = np.array([name == label for name in self.names], dtype=np.int64)
        return is_label[self.codes]

    def counts(self, weights: FloatArray | None = None) -> dict[Any, float]:
        """Return how many items have each label, given `weights` items of each row."""
        sums = np.bincount(self.codes, weights, len(self.names)).astype(float)
        return dict(zip(self.names, sums.tolist(), strict=True))


def _unmistakable_positive(labels: list[Any]) -> Any:
    """Return the positive one of two labels if it is beyond doubt, and None otherwise."""
    lowered = {_class_name(label).strip().lower(): label for label in labels}
    # Labels that only differ in case are two labels, and then nothing is beyond doubt.
    if len(lowered) < len(labels):
        return None
    for negative, positive in _UNMISTAKABLE_PAIRS:
        if positive in lowered and set(lowered) <= {negative, positive}:
            return lowered[positive]
    return None


def guess_positive(labels: list[Any]) -> Any:
    """Return the positive one of two labels if it is beyond doubt; otherwise, raise a ValueError that lists the labels."""
    positive = _unmistakable_positive(labels)
    if positive is None:
        known = listing(map(repr, labels), most=10)
        raise ValueError(f"which label is positive? The labels are {known}; say positive= with one of them")
    return positive


def positive_items(y_true: AnyArray, positive: Any) -> BoolArray:
    """Return which items have the positive label; raise a ValueError if all or none of them have it."""
    labels = distinct_labels([CodedLabels.of(y_true)])
    positive = guess_positive(labels) if positive is None else plain_label(positive)
    is_positive = np.asarray(y_true == positive)
    if is_positive.all() or not is_positive.any():
        lacking = "negative" if is_positive.all() else "positive"
        listed = listing(map(quoted, labels), most=5)
        raise ValueError(
            f"y_true holds no {lacking} item (positive is {quoted(positive)}, labels are {listed}); both are needed"
        )
    return is_positive


def check_positive(
    positive: Any, hits: Sequence[AnyArray], names: tuple[str, ...], labels: Sequence[Any]
) -> None:
    """Raise a ValueError if no item is positive because of a misspelt label; warn if none is for another reason.

    `hits` has those of gold, then those of each model.
    """
    if not any(own.any() for own in hits):
        by_folded = {str(label).casefold(): label for label in labels[:1000]}
        close = difflib.get_close_matches(str(positive).casefold(), by_folded, n=1, cutoff=0.75)
        problem = f"no item is labelled {quoted(positive)}"
        if close:
            raise ValueError(f"{problem}; did you mean {quoted(by_folded[close[0]])}?")
        # A shard of a corpus may well have no positive item.
        warn_caller(f"{problem}; the labels are {listing(map(quoted, by_folded.values()))}", NoPositiveItem)
        return
    silent = [name for name, predicted in zip(names, hits[1:], strict=True) if not predicted.any()]
    if silent:
        never = "never predicts" if len(silent) == 1 else "never predict"
        warn_caller(f"{joined(silent)} {never} the positive label {quoted(positive)}")


def find_classes(labels: Sequence[Any] | None, gold: Sequence[Any], predicted: Iterable[Any]) -> list[Any]:
    """Return the classes (the labels asked for, or those of gold); refuse predicted labels that only look like one.

    Examples
    --------
    >>> find_classes(None, ["ham", "spam"], ["ham", "spam", "eggs"])
    ['ham', 'spam']
    """
    if labels is None:
        check_alike(gold)
        classes = [plain_label(label) for label in gold]
    else:
        if (
            isinstance(labels, str | bytes)
            or not isinstance(labels, Sequence | np.ndarray)
            or len(labels) < 2
        ):
            raise ValueError(f"labels= is a list of at least two classes, not {quoted(labels)}")
        check_unmasked(labels, "labels=")
        classes = [plain_label(label) for label in labels]
        if not all(isinstance(label, Hashable) for label in classes):
            raise ValueError(f"labels= holds {quoted(labels)}, but a label is a string or a number")
    distinct_classes = set(classes)
    missing = [label for label in gold if label not in distinct_classes]
    if missing:
        listed = listing(map(quoted, classes), most=10)
        raise ValueError(f"label {quoted(missing[0])} occurs, but is not one of labels= {listed}")
    by_look = {_as_seen(label): label for label in classes}
    # Padding makes a label longer, but hardly ten times as long.
    longest = 10 * max(map(len, by_look), default=0) + 100
    for label in predicted:
        if label not in distinct_classes and len(str(label)) <= longest:
            look = _as_seen(label)
            if look in by_look:
                raise _too_alike(by_look[look], label)
    return classes


def check_alike(labels: Iterable[Any], what: str = "labels") -> None:
    """Raise a ValueError if a reader would take two labels, or other names, for the same.

    Examples
    --------
    >>> check_alike(["spam", "ham"])
    >>> check_alike(["spam", "Spam"])
    Traceback (most recent call last):
    ValueError: labels 'spam' and 'Spam' differ only in case or spaces, in how ...
    """
    by_look: dict[str, Any] = {}
    for label in labels:
        other = by_look.setdefault(_as_seen(label), label)
        if other is not label and (type(other), other) != (type(label), label):
            raise _too_alike(other, label, what)


def _as_seen(label: Any) -> str:
    """Return a label as a reader sees it: without case, invisible characters and blanks around it, 1.0 as 1."""
    text = label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)
    visible = "".join(c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c) != "Cf")
    folded = visible.strip().casefold()
    whole_number = _WHOLE.fullmatch(folded)
    return folded if whole_number is None else whole_number[1]


def _too_alike(one: Any, other: Any, what: str = "labels") -> ValueError:
    classes = ", or list both as classes with labels=" if what == "labels" else ""
    how = "in case or spaces, in how their characters are coded or in how a number is written"
    return ValueError(f"{what} {quoted(one)} and {quoted(other)} differ only {how}; make them one{classes}")


def class_names(labels: Sequence[Any]) -> tuple[str, ...]:
    """Return labels as names of classes; raise a ValueError if two are the same."""
    names = tuple(_class_name(label) for label in labels)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"label {quoted(twice)} is given twice; classes need different names")
    return names


def _class_name(label: Any) -> str:
    value = plain_label(label)
    if isinstance(value, Mapping | list | tuple | set):
        raise ValueError(f"labels are strings, numbers and the like, not {quoted(value)}")
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def label_notes(
    gold: Mapping[Any, float], predicted: Mapping[str, Mapping[Any, float]], positive: Any = None
) -> tuple[str, ...]:
    """Return notes on gold labels that may be gaps or slips, and, if a label is positive, on predictions of unknown labels.

    Examples
    --------
    >>> label_notes({"spam": 20, "ham": 9, "spma": 1}, {"A": {"spam": 29, "eggs": 1}}, "spam")
    ("1 item has the gold label 'spma', ...", "A predicts 'eggs' (never a gold label) for 1 item, ...")
    """
    notes = []
    frequent = [str(label) for label, n in gold.items() if n >= 10]
    for label, n in gold.items():
        have = "has" if n == 1 else "have"
        which = f"{number_of(int(n), 'item')} {have} the gold label {quoted(label)}"
        if str(label).strip().lower() in _GAPS and not any(label in own for own in predicted.values()):
            notes.append(
                f"{which}, which no model predicts: if it stands for a missing label, drop such items."
            )
        if n == 1 and len(str(label)) > 3 and len(gold) <= _MOST_COMPARED:
            close = difflib.get_close_matches(str(label), frequent, n=1, cutoff=0.75)
            if close:
                notes.append(f"{which}, which looks like {quoted(close[0])}: if it is a typo, correct it.")
    if positive is not None:
        for model, counts in predicted.items():
            unknown = {label: n for label, n in counts.items() if label != positive and label not in gold}
            if unknown:
                labels = listing(map(quoted, sorted(unknown, key=str)), most=3)
                n_items = number_of(int(sum(unknown.values())), "item")
                notes.append(
                    f"{model} predicts {labels} (never a gold label) for {n_items}, which counts as not {quoted(positive)}."
                )
    return tuple(notes)


def distinct_labels(columns: Iterable[CodedLabels]) -> list[Any]:
    """Return the labels that occur in any of the columns, sorted."""

    def by_type_and_value(label: Any) -> tuple[str, Any]:
        value = label if isinstance(label, int | float) else str(label)
        return str(type(label)), value

    distinct = dict.fromkeys(label for column in columns for label in column.names)
    return sorted(distinct, key=by_type_and_value)


# ---- judged: gold labels of some items, predictions and perhaps a judge's labels of all ------------------


def _from_judged(
    y_true: Any, predictions: Mapping[str, Any], judge: Any, groups: Any, positive: Any, labels: Any
) -> Evaluation:
    """Build an Evaluation of items some of which have no gold label; the arguments are those of `from_labels`."""
    judges = _named_judges(judge)
    given = {f"labels of judge {name!r}": column for name, column in judges.items()}
    given["groups"] = groups
    y_true, ids = gold_with_gaps(y_true, {**given, **predictions})
    predictions, aligned = align(predictions, "predictions", {"y_true": y_true, **given})
    models = tuple(predictions)
    documents = aligned["groups"]
    labels_known, labelled = _known_labels(aligned["y_true"], "y_true")
    n_items = len(labelled)
    if not labelled.any():
        raise ValueError(f"none of {n_items:,} items has a gold label; label some, chosen at random")
    columns = {name: read_labels(own, f"predictions of {name!r}") for name, own in predictions.items()}
    twice = {*judges} & {*models}
    if twice:
        raise ValueError(f"{twice.pop()!r} names a model and a judge; rename one of them")
    gold_labels = CodedLabels.of(labels_known)
    of_models = {name: CodedLabels.of(column) for name, column in columns.items()}
    distinct = distinct_labels([gold_labels, *of_models.values()])
    if positive is None and labels is None and len(distinct) < 3:
        positive = guess_positive(distinct)
    counts = {name: own.counts() for name, own in of_models.items()}
    coded = _coded(gold_labels, of_models, counts, positive, labels)
    notes = label_notes(gold_labels.counts(), counts, coded.positive)

    predicted_names = coded.golds
    if not isinstance(coded.task, Binary):
        predicted_names = (*coded.golds, "another label")
    raters = [_Rater(codes, predicted_names) for codes in coded.predicted]
    raters += [_read_judge(aligned[f"labels of judge {name!r}"], name, n_items) for name in judges]
    combinations, combination_of_item = _combinations(raters, n_items)
    strata, stratum_of_combination = Strata.of(coded.golds, models, tuple(judges), combinations)
    stratum = stratum_of_combination[combination_of_item]

    cautions: tuple[str, ...] = ()
    if documents is not None:
        _, document = np.unique(documents, return_inverse=True)
        cautions = uneven_documents(stratum, labelled, document)
    task = Judged(coded.task, strata, cautions, Unlabelled.of(stratum, labelled, strata.size, ids))
    # A column for each gold label, and one for items without.
    n_columns = len(coded.golds) + 1
    gold = np.full(n_items, n_columns - 1, dtype=np.intp)
    gold[labelled] = coded.gold
    patterns, pattern_of_item = np.unique(stratum * n_columns + gold, return_inverse=True)
    stratum_of_pattern, gold_of_pattern = np.divmod(patterns, n_columns)
    # Axes (pattern, model).
    cells = strata.pair_of[stratum_of_pattern] * n_columns + gold_of_pattern[:, None]
    rows = rows_of_cells(cells, len(task.cells))
    ev = from_rows(models, task, rows, documents, which=pattern_of_item)
    if not ev.labelled:
        ev = on_inner_task(ev, task)
        if judges:
            notes = (*notes, _NO_GAPS)
    return replace(ev, remarks=notes)


def _named_judges(judge: Any) -> Mapping[str, Any]:
    """Return the labels of the judge by its name, or nothing without a judge."""
    # A column by itself, perhaps by id, is of a judge without a name.
    is_column_by_id = isinstance(judge, Mapping) and len(judge) > 0 and is_by_id(judge)
    judges = judge if isinstance(judge, Mapping) and not is_column_by_id else {"judge": judge}
    if len(judges) > 1:
        several = f"{len(judges)} ({joined([*map(str, judges)])})"
        raise ValueError(f"judge= takes one judge, not {several}; combine them, as by a majority vote")
    return judges


class _Rater(NamedTuple):
    """The labels of a model or judge for all items, as numbers of names."""

    codes: IntArray
    names: tuple[str, ...]


def _combinations(raters: Sequence[_Rater], n_items: int) -> tuple[list[tuple[str, ...]], IntArray]:
    """Return the distinct combinations of labels that raters gave an item, and which of them each item has."""
    combinations: list[tuple[str, ...]] = [()]
    which = np.zeros(n_items, dtype=np.intp)
    for rater in raters:
        n_names = len(rater.names)
        numbers, which = np.unique(which * n_names + rater.codes, return_inverse=True)
        longer = []
        for number in numbers.tolist():
            so_far, name = divmod(number, n_names)
            longer.append((*combinations[so_far], rater.names[name]))
        combinations = longer
    return combinations, which


def gold_with_gaps(y_true: Any, columns: Mapping[str, Any]) -> tuple[Any, list[Any] | None]:
    """Return gold with None for items that only other columns have, and the ids of items, if they have any.

    Examples
    --------
    >>> gold_with_gaps({"d2": 1}, {"A": {"d1": 0, "d2": 1}})
    ({'d2': 1, 'd1': None}, ['d2', 'd1'])
    >>> gold_with_gaps([1, None], {"A": [0, 1]})
    ([1, None], None)
    """
    gold_index = index_of(y_true, "y_true")
    other_index = None
    for name, column in columns.items():
        if other_index is None:
            other_index = index_of(column, name)
    if gold_index is None or other_index is None:
        index = other_index if gold_index is None else gold_index
        ids = None if index is None else list(index)
        return y_true, ids
    without_gold = other_index[~other_index.isin(gold_index)].tolist()
    ids = [*gold_index, *without_gold]
    if not without_gold:
        return y_true, ids
    values = list(y_true.values()) if isinstance(y_true, Mapping) else list(y_true)
    return dict(zip_longest(ids, values)), ids


def _known_labels(values: Any, where: str) -> tuple[AnyArray, BoolArray]:
    """Return the labels that are not missing, and which items have one."""
    is_column = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    if not is_column or (isinstance(values, SupportsArray) and np.ndim(values) != 1):
        raise ValueError(f"{where} must be a sequence of labels, one for each item, not {quoted(values)}")
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and not np.ma.isMaskedArray(values):
        known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
        return read_labels(values[known], where), known
    # Columns of pyarrow have values in a shell.
    every = values.to_pylist() if isinstance(values, SupportsToPylist) else list(values)
    is_known = [value is not np.ma.masked and not is_missing(value, blank=True) for value in every]
    known = np.array(is_known, bool)
    return read_labels([*compress(every, is_known)], where), known


def _read_judge(column: Any, name: str, n_items: int) -> _Rater:
    """Return the labels of a judge; items without one have the last number."""
    values, answered = _known_labels(column, f"judge {name!r}")
    if len(answered) != n_items:
        raise ValueError(f"judge {name!r} has {len(answered)} labels, but y_true has {n_items}")
    coded = CodedLabels.of(values)
    distinct = distinct_labels([coded])
    are_fractions = values.dtype.kind == "f" and any(value % 1 != 0 for value in distinct)
    if len(distinct) > _MOST_LABELS or (are_fractions and len(distinct) > 2):
        raise ValueError(
            f"judge {name!r} says {len(distinct):,} different things ({listing(map(str, distinct), most=3)}); give a judge "
            f"of at most {_MOST_LABELS} labels, and put scores into classes before, such as score >= 0.5"
        )
    if values.dtype.kind not in "biuf":
        check_alike(distinct, f"judge {name!r} says")
    codes = np.full(n_items, len(distinct), dtype=np.intp)
    codes[answered] = coded.among(distinct)
    return _Rater(codes, (*class_names(distinct), NO_ANSWER))


# ---- sets of labels ----------------------------------------------------------------------------------------


def _from_label_sets(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    labels: Sequence[Any] | None,
    groups: AnyArray | None,
) -> Evaluation:
    """Build an Evaluation from sets of labels, arrays (item, label) of 0 and 1."""
    from scipy.sparse import hstack

    gold = _indicators(y_true, "y_true")
    columns = {}
    for name, value in predictions.items():
        where = f"predictions of {name!r}"
        columns[where] = _indicators(value, where)
    check_same_shapes({"y_true": gold, **columns})
    n_labels = gold.shape[1]
    names = range(1, n_labels + 1) if labels is None else labels
    classes = class_names(names)
    if len(classes) != n_labels:
        raise ValueError(f"labels= names {len(classes)} labels, but y_true has {n_labels} columns")
    # For each model the cells tp, fp, fn, tn, axes (item, label) each.
    blocks = []
    for predicted in columns.values():
        blocks += [gold & predicted, ~gold & predicted, gold & ~predicted, ~gold & ~predicted]
    rows = hstack([sparse(block.astype(float)) for block in blocks], format="csr")
    ev = from_rows(tuple(predictions), LabelSets(classes), rows, groups, one="instance")
    return replace(ev, item_units=None)


def _indicators(values: Any, where: str) -> BoolArray:
    dense = values.toarray() if isinstance(values, SupportsToArray) else values
    what = "0 and 1 by (item, label) where multilabel=True; sets become that by scikit-learn's MultiLabelBinarizer"
    return read_numbers(dense, where, what, bad=_is_no_flag, ndim=2).astype(bool)


# ---- right and wrong ---------------------------------------------------------------------------------------


@with_runs_in("correct", is_by_id)
def from_correct(
    correct: Mapping[str, Any], *, groups: Column | None = None, name: str = "", unit: str | None = None
) -> Evaluation:
    r"""Build an Evaluation from each model's right and wrong answers, item by item: paired, as all saw the same items.

    The metrics are ``"accuracy"`` and ``"error_rate"``. With a prior of :math:`2\lambda/(2^m-2)` on each joint outcome in
    which m models differ, an accuracy has the posterior :math:`\mathrm{Be}(\text{right}+\lambda, \text{wrong}+\lambda)`.
    With two models, of which only A is right on :math:`n_A` items and only B on :math:`n_B`,

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

    Being right on all of 20 items does not prove that a model is better than one that is right on 18:

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
    """Build an Evaluation from the items that scored 1, axes (item, model); 1 is right, or wrong if scores are `errors`."""
    cells = ("wrong", "right") if errors else ("right", "wrong")
    if groups is not None and unit == "item":
        raise ValueError("unit 'item' is for single items; groups need another name, such as 'document'")
    patterns, which = distinct_rows_of(hits, 2)
    # Axes (pattern, model, cell).
    rows = np.stack([patterns, 1 - patterns], axis=-1).astype(float)
    task = Correctness(cells, name)
    return from_rows(names, task, rows, groups, which=which, unit=unit, each_an_item=True)


def _flags(values: Any, where: str) -> BoolArray:
    """Return which items are right; raise a ValueError if an answer is neither right nor wrong."""
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
        if models is None:
            models = default_names(rows.shape[1])
        names = model_names(models)
        if len(names) != rows.shape[1]:
            raise ValueError(f"counts have {rows.shape[1]} models, but models= names {len(names)}")
    check_same_gold(rows, names, ("unit",), "all models must be judged on the same gold")
    if unit == "item":
        raise ValueError("unit 'item' is for single items; build those with from_labels")
    task = Binary(BINARY_CELLS[: rows.shape[2]])
    return Evaluation.of_units(names, task, Units.merge(rows, np.ones(len(rows)), unit))


def default_names(n: int) -> list[str]:
    """Return names for `n` models that have none: A, B, … or M1, M2, … where letters run out."""
    if n <= 26:
        return [chr(ord("A") + i) for i in range(n)]
    return [f"M{i + 1}" for i in range(n)]


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
    arrays = {}
    for name in names:
        where = f"matrix of {name!r}"
        matrix: Any = matrices[name]
        if isinstance(matrix, SupportsColumns) and _has_names(matrix):
            raise ValueError(
                f"{where} is a frame with names; give it as m.reindex(index=labels, columns=labels, "
                "fill_value=0).to_numpy(), and labels="
            )
        arrays[where] = check_matrix(matrix, where)
    check_same_shapes(arrays)
    k = len(next(iter(arrays.values())))
    class_labels = range(1, k + 1) if labels is None else labels
    classes = class_names(class_labels)
    if len(classes) != k:
        raise ValueError(f"labels= has {len(classes)} names, but there are {k} classes")
    outcomes = []
    counts = []
    for array in arrays.values():
        # Gold class and predicted class of each cell that holds items.
        pairs = np.argwhere(array > 0)
        outcomes.append(class_outcomes(pairs, k))
        counts.append(array[pairs[:, 0], pairs[:, 1]])
    rows = block_diagonal(outcomes)
    weights = np.concatenate(counts)
    units = Units.merge(rows, weights, "item", shared=False)
    return Evaluation.of_units(names, MultiClass(classes), units)


def _has_names(frame: Any) -> bool:
    """Return whether rows or columns of a frame are called otherwise than 0, 1, …"""
    axes = [frame.columns]
    if isinstance(frame, SupportsILoc):
        axes.append(frame.index)
    return any([*names] != [*range(len(names))] for names in axes)
