"""What predictions of a cross-validation come to: an evaluation of each repeat, and what every unit adds to each fold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.naming import shown
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.units import Units
from bayesf1.kinds.multiclass import class_outcomes
from bayesf1.reading.label_columns import (
    class_codes,
    distinct_labels,
    find_classes,
    guess_positive,
    read_groups,
    read_labels,
)
from bayesf1.reading.predictions import CELL_OF_CODE, from_labels
from bayesf1.reading.spans import from_tags
from bayesf1.reading.tags import read_spans

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
    def read(
        cls,
        y: Sequence[Any],
        *,
        groups: ArrayLike | None,
        positive: Any,
        types: Iterable[str] | None,
        **how: str,
    ) -> Gold:
        """Return gold labels or tags, with the positive label where there are just two."""
        if len(y) == 0:
            raise ValueError("y is empty; there is nothing to cross-validate on")
        first = y.iloc[0] if hasattr(y, "iloc") else y[0]
        if not isinstance(first, str | bytes) and isinstance(first, Sequence | np.ndarray):
            return cls(y, groups, reading={**how, "types": None if types is None else list(types)})
        if positive is None and len(known := distinct_labels([read_labels(y, "y")])) <= 2:
            # What gold says is positive stays so, whatever else a model may say.
            positive = guess_positive(known)
        return cls(y, groups, positive)

    @property
    def labels(self) -> Sequence[Any] | None:
        """The labels that folds may be balanced in; None of tag sequences."""
        return self.y if self.reading is None else None

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
                f"y has labels like {shown(gold[0])} but {whose} predicted {shown(found[0])}; numbers and strings are "
                "never equal"
            )

    def knowing(self, said: Sequence[Mapping[str, Sequence[Any]]]) -> Gold:
        """Return the same with the classes of gold, which are then those of every fold."""
        if self.reading is not None or self.positive is not None:
            return self
        columns = [read_labels(column, f"predictions of {m!r}") for one in said for m, column in one.items()]
        gold = read_labels(self.y, "y")
        return replace(
            self, classes=find_classes(None, distinct_labels([gold]), distinct_labels([gold, *columns]))
        )

    def rows(self, predictions: Mapping[str, Sequence[Any]]) -> Any:
        """Return what each unit adds to the models' tables, a sparse array (unit, model·cell), in the order of y."""
        from scipy.sparse import csr_array

        if self.reading is not None:
            counts = read_spans(self.y, predictions, **self.reading).counts()
            return csr_array(counts.reshape(len(counts), -1).astype(float))
        columns = [read_labels(self.y, "y"), *(read_labels(said, "y") for said in predictions.values())]
        if self.classes is not None:
            coded = np.stack([class_codes(column, self.classes) for column in columns], axis=1)
            return class_outcomes(coded, len(self.classes))
        hits = np.stack([column == self.positive for column in columns], axis=1).astype(np.intp)
        cells = CELL_OF_CODE[2 * hits[:, :1] + hits[:, 1:]]
        return csr_array(cells.reshape(len(cells), -1))


def folded(
    gold: Gold,
    said: Sequence[Mapping[str, Sequence[Any]]],
    partition: NDArray[np.intp],
    cv: Any,
    rule: Any,
) -> Evaluation:
    """Return the evaluation of a cross-validation: repeats added up and discounted, and what units add to folds.

    Parameters
    ----------
    gold
        The gold labels or tags.
    said
        What each model said of all units, repeat by repeat.
    partition
        The fold in which each unit was tested, axes (repeat, unit).
    cv, rule
        The design, and what its folds are worth.
    """
    from scipy.sparse import csr_array, diags_array, hstack

    k, gold = cv.discount(rule), gold.knowing(said)
    total = reduce(add, (gold.evaluate(predictions).scaled(k) for predictions in said))
    parts = [
        diags_array((fold == f).astype(float)) @ rows
        for fold, rows in zip(partition, map(gold.rows, said), strict=True)
        for f in range(cv.shape[1])
    ]
    rows, n = csr_array(hstack(parts, format="csr")), len(gold.y)
    counts = np.asarray(rows.sum(axis=0), dtype=np.float64).reshape(
        *cv.shape, len(total.models), len(total.cells)
    )
    if gold.groups is not None:
        documents, which = np.unique(read_groups(gold.groups), return_inverse=True)
        shape = len(documents), n
        rows = csr_array((np.ones(n), (which.ravel(), np.arange(n))), shape=shape) @ rows
    units = Units.merge(rows, np.ones(rows.shape[0]), total.unit)
    if rows.shape[1] <= _WIDE:
        units = Units.merge(units.rows.toarray(), units.weights, units.name)
    return replace(total, folds=Folds(counts, cv, rule, k, units))
