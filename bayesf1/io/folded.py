"""Predictions out of fold: in each repeat, an item is tested in one fold, and adds to the table of that fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from bayesf1.base.arrays import IntArray, SupportsILoc, indicators, sparse
from bayesf1.base.checks import ArrayLike
from bayesf1.base.naming import listing, quoted
from bayesf1.evaluation import Evaluation
from bayesf1.io.label_values import read_groups, read_labels
from bayesf1.io.labels import (
    CELL_OF_CODE,
    CodedLabels,
    distinct_labels,
    find_classes,
    from_correct,
    from_labels,
    guess_positive,
)
from bayesf1.io.tags import from_tags, read_spans
from bayesf1.tasks.multiclass import class_outcomes
from bayesf1.units import Folds, Units

# Rows of more columns than this are kept sparse.
_WIDE = 64


@dataclass(frozen=True, eq=False)
class Gold:
    """Gold labels or tags, and how predictions are read beside them.

    Attributes
    ----------
    y
        Gold labels, one for each unit, or gold tag sequences.
    groups
        The document of each unit, if documents are the units of inference.
    positive
        The positive label of a binary task; None with several classes.
    classes
        All classes that occur in gold, once predictions are known not to look like them.
    reading
        Options of `from_tags` for tag sequences; None for labels.
    """

    y: Sequence[Any]
    groups: ArrayLike | None = None
    positive: Any = None
    classes: list[Any] | None = None
    reading: dict[str, Any] | None = None

    @classmethod
    def read(cls, y: Sequence[Any], groups: ArrayLike | None, positive: Any, **reading: Any) -> Gold:
        """Return gold labels or tags, with the positive label if there are just two."""
        if len(y) == 0:
            raise ValueError("y is empty; there is nothing to cross-validate on")
        first = y.iloc[0] if isinstance(y, SupportsILoc) else y[0]
        if not isinstance(first, str | bytes) and isinstance(first, Sequence | np.ndarray):
            return cls(y, groups, reading=reading)
        labels = distinct_labels([CodedLabels.of(read_labels(y, "y"))])
        if positive is None and len(labels) <= 2:
            # The positive label of gold stays positive, whatever else a model may predict.
            positive = guess_positive(labels)
        if positive is not None and positive not in labels:
            listed = listing(map(quoted, labels), most=10)
            raise ValueError(f"no item of y is labelled {quoted(positive)}; the labels are {listed}")
        return cls(y, groups, positive)

    def evaluate(self, predictions: Mapping[str, Sequence[Any]]) -> Evaluation:
        """Return the evaluation of predictions of all units."""
        if self.reading is not None:
            return from_tags(self.y, predictions, groups=self.groups, **self.reading)
        return from_labels(
            self.y, predictions, positive=self.positive, groups=self.groups, labels=self.classes
        )

    def check(self, labels: Sequence[Any], whose: object) -> None:
        """Raise a ValueError, before other models are fitted, if one predicts numbers for texts or texts for numbers."""
        if self.reading is not None:
            return
        gold = read_labels(self.y[:1], "y")
        predicted = read_labels(labels, f"what {whose} predicted")
        if len(predicted) > 0 and (gold.dtype.kind in "biuf") != (predicted.dtype.kind in "biuf"):
            raise ValueError(
                f"{whose} predicted {quoted(predicted[0])}, which never equals labels like {quoted(gold[0])}"
            )

    def knowing(self, predicted: Sequence[Mapping[str, Sequence[Any]]]) -> Gold:
        """Return the same gold labels with all classes, which are then those of every fold."""
        if self.reading is not None or self.positive is not None:
            return self
        gold = CodedLabels.of(read_labels(self.y, "y"))
        every = [gold]
        for of_repeat in predicted:
            for model, column in of_repeat.items():
                every.append(CodedLabels.of(read_labels(column, f"predictions of {model!r}")))
        return replace(self, classes=find_classes(None, distinct_labels([gold]), distinct_labels(every)))

    def rows(self, predictions: Mapping[str, Sequence[Any]]) -> Any:
        """Return what each unit adds to the models' tables, a sparse array (unit, model·cell), in the order of y."""
        if self.reading is not None:
            counts = read_spans(self.y, predictions, **self.reading).counts()
            return sparse(counts.reshape(len(counts), -1).astype(float))
        columns = [read_labels(column, "y") for column in (self.y, *predictions.values())]
        if self.classes is not None:
            coded = np.stack([CodedLabels.of(column).among(self.classes) for column in columns], axis=1)
            return class_outcomes(coded, len(self.classes))
        hits = np.stack([column == self.positive for column in columns], axis=1).astype(np.intp)
        cells = CELL_OF_CODE[2 * hits[:, :1] + hits[:, 1:]]
        return sparse(cells.reshape(len(cells), -1))


@dataclass(frozen=True, eq=False)
class Marked:
    """Answers that are right or wrong, in place of gold labels and predictions."""

    y: Sequence[Any]
    groups: ArrayLike | None = None

    def evaluate(self, answers: Mapping[str, Sequence[Any]]) -> Evaluation:
        """Return the evaluation of answers to all items."""
        return from_correct(answers, groups=self.groups)

    def knowing(self, answers: Sequence[Mapping[str, Sequence[Any]]]) -> Marked:
        """Return the same, as there are no classes."""
        return self

    def rows(self, answers: Mapping[str, Sequence[Any]]) -> Any:
        """Return what each item adds to the models' tables, a sparse array (item, model·cell)."""
        right = np.stack([np.asarray(own, dtype=float) for own in answers.values()], axis=1)
        return sparse(np.stack([right, 1.0 - right], axis=-1).reshape(len(right), -1))


def folded(
    gold: Gold | Marked,
    predicted: Sequence[Mapping[str, Sequence[Any]]],
    partition: IntArray,
    cv: Any,
    rule: Any,
) -> Evaluation:
    """Return the evaluation of a cross-validation: repeats are added up and discounted, and units are kept by fold.

    Parameters
    ----------
    gold
        The gold labels or tags.
    predicted
        The predictions of each model for all units, repeat by repeat.
    partition
        The fold in which each unit was tested, axes (repeat, unit).
    cv, rule
        The design, and the rule that discounts its folds.
    """
    from scipy.sparse import diags_array, hstack

    k = cv.discount(rule)
    gold = gold.knowing(predicted)
    total = reduce(add, (gold.evaluate(predictions).scaled(k) for predictions in predicted))
    # For each repeat and fold what each unit adds, axes (unit, model·cell).
    parts = []
    for fold_of_unit, predictions in zip(partition, predicted, strict=True):
        rows_of_repeat = gold.rows(predictions)
        for fold in range(cv.shape[1]):
            is_tested = diags_array((fold_of_unit == fold).astype(float))
            parts.append(is_tested @ rows_of_repeat)
    # Axes (unit, repeat·fold·model·cell).
    rows = sparse(hstack(parts, format="csr"))
    shape = (*cv.shape, len(total.models), len(total.cells))
    counts = np.asarray(rows.sum(axis=0), dtype=np.float64).reshape(shape)
    if gold.groups is not None:
        documents, document = np.unique(read_groups(gold.groups), return_inverse=True)
        n_items = rows.shape[0]
        rows = indicators(document, np.arange(n_items), (len(documents), n_items)) @ rows
    units = Units.merge(rows, np.ones(rows.shape[0]), total.unit)
    if rows.shape[1] <= _WIDE:
        units = Units.merge(units.rows.toarray(), units.weights, units.name)
    return replace(total, folds=Folds(counts, cv, rule, k, units))
