"""Predictions out of fold: each item tested in one fold of each repeat, and what it adds to that fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from bayesf1.base.arrays import IntArray, indicators, sparse
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
        The document of each unit, where documents are the units of inference.
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
        """Return gold labels or tags, with the positive label where there are just two."""
        if len(y) == 0:
            raise ValueError("y is empty; there is nothing to cross-validate on")
        first = y.iloc[0] if hasattr(y, "iloc") else y[0]
        if not isinstance(first, str | bytes) and isinstance(first, Sequence | np.ndarray):
            return cls(y, groups, reading=reading)
        known = distinct_labels([CodedLabels.of(read_labels(y, "y"))])
        if positive is None and len(known) <= 2:
            # What gold says is positive stays so, whatever else a model may say.
            positive = guess_positive(known)
        if positive is not None and positive not in known:
            raise ValueError(
                f"no item of y is labelled {quoted(positive)}; the labels are {listing(map(quoted, known), most=10)}"
            )
        return cls(y, groups, positive)

    def evaluate(self, predictions: Mapping[str, Sequence[Any]]) -> Evaluation:
        """Return the evaluation of predictions of all units."""
        if self.reading is not None:
            return from_tags(self.y, predictions, groups=self.groups, **self.reading)
        return from_labels(
            self.y, predictions, positive=self.positive, groups=self.groups, labels=self.classes
        )

    def check(self, labels: Sequence[Any], whose: object) -> None:
        """Say at once of what a fit predicted that it is not like gold, rather than after all other fits."""
        if self.reading is not None:
            return
        gold, found = read_labels(self.y[:1], "y"), read_labels(labels, f"what {whose} predicted")
        if len(found) and (gold.dtype.kind in "biuf") != (found.dtype.kind in "biuf"):
            raise ValueError(
                f"{whose} predicted {quoted(found[0])}, which never equals labels like {quoted(gold[0])}"
            )

    def knowing(self, predicted: Sequence[Mapping[str, Sequence[Any]]]) -> Gold:
        """Return the same with the classes of gold, which are then those of every fold."""
        if self.reading is not None or self.positive is not None:
            return self
        columns = [
            read_labels(column, f"predictions of {m!r}") for one in predicted for m, column in one.items()
        ]
        every = [CodedLabels.of(column) for column in (read_labels(self.y, "y"), *columns)]
        return replace(self, classes=find_classes(None, distinct_labels(every[:1]), distinct_labels(every)))

    def rows(self, predictions: Mapping[str, Sequence[Any]]) -> Any:
        """Return what each unit adds to the models' tables, a sparse array (unit, model·cell), in the order of y."""
        if self.reading is not None:
            counts = read_spans(self.y, predictions, **self.reading).counts()
            return sparse(counts.reshape(len(counts), -1).astype(float))
        columns = [
            read_labels(self.y, "y"),
            *(read_labels(predicted, "y") for predicted in predictions.values()),
        ]
        if self.classes is not None:
            coded = np.stack([CodedLabels.of(c).among(self.classes) for c in columns], axis=1)
            return class_outcomes(coded, len(self.classes))
        hits = np.stack([column == self.positive for column in columns], axis=1).astype(np.intp)
        cells = CELL_OF_CODE[2 * hits[:, :1] + hits[:, 1:]]
        return sparse(cells.reshape(len(cells), -1))


@dataclass(frozen=True, eq=False)
class Marked:
    """Answers that are right or wrong, which are read as predictions beside gold labels are."""

    y: Sequence[Any]
    groups: ArrayLike | None = None

    def evaluate(self, answers: Mapping[str, Sequence[Any]]) -> Evaluation:
        """Return the evaluation of answers to all items."""
        return from_correct(answers, groups=self.groups)

    def knowing(self, answers: Sequence[Mapping[str, Sequence[Any]]]) -> Marked:
        """Return the same: there are no classes."""
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
    """Return the evaluation of a cross-validation: repeats added up and discounted, and what units add to folds.

    Parameters
    ----------
    gold
        The gold labels or tags.
    predicted
        What each model said of all units, repeat by repeat.
    partition
        The fold in which each unit was tested, axes (repeat, unit).
    cv, rule
        The design, and what its folds are worth.
    """
    from scipy.sparse import diags_array, hstack

    k, gold = cv.discount(rule), gold.knowing(predicted)
    total = reduce(add, (gold.evaluate(predictions).scaled(k) for predictions in predicted))
    parts = [
        diags_array((fold == f).astype(float)) @ rows
        for fold, rows in zip(partition, map(gold.rows, predicted), strict=True)
        for f in range(cv.shape[1])
    ]
    rows, n = sparse(hstack(parts, format="csr")), len(gold.y)
    counts = np.asarray(rows.sum(axis=0), dtype=np.float64).reshape(
        *cv.shape, len(total.models), len(total.cells)
    )
    if gold.groups is not None:
        documents, which = np.unique(read_groups(gold.groups), return_inverse=True)
        rows = indicators(which, np.arange(n), (len(documents), n)) @ rows
    units = Units.merge(rows, np.ones(rows.shape[0]), total.unit)
    if rows.shape[1] <= _WIDE:
        units = Units.merge(units.rows.toarray(), units.weights, units.name)
    return replace(total, folds=Folds(counts, cv, rule, k, units))
