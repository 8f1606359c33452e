"""Labels counted by kind: what comes back from an engine that did the group-by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import shown
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.class_codes import from_class_codes
from bayesf1.reading.counts import MAX_COUNT
from bayesf1.reading.label_columns import (
    BY_A_JUDGE,
    class_codes,
    class_names,
    distinct_labels,
    find_classes,
    is_missing,
    plain_label,
    stray_labels,
)


@dataclass(frozen=True, eq=False)
class Tally:
    """How many items there are of each combination of labels, in an array of objects for each column, gold first."""

    columns: tuple[str, ...]
    values: tuple[NDArray[Any], ...]
    weights: FloatArray

    @classmethod
    def from_rows(cls, columns: Sequence[str], rows: Sequence[Sequence[Any]], weights: FloatArray) -> Tally:
        """Take rows of labels, one for each column, leaving out what never occurs."""
        seen = np.flatnonzero(weights)
        values = tuple(np.empty(len(seen), dtype=object) for _ in columns)
        for i, value in enumerate(values):
            labels = (plain_label(rows[r][i]) for r in seen.tolist())
            value[:] = [float(label) if isinstance(label, Decimal) else label for label in labels]
        return cls(tuple(columns), values, weights[seen])

    def check_missing(self, *, gold: bool = True, judge: bool = False) -> None:
        """Raise a ValueError where a column has no label for some items; of the first, gold, a judge may say more."""
        for name, column in zip(self.columns, self.values, strict=True):
            # A model may well have said nothing, but nothing is no gold label.
            empty = gold and name == self.columns[0]
            items = sum(self.weights[i] for i, value in enumerate(column) if is_missing(value, blank=empty))
            if items:
                number = "1 item" if items == 1 else f"{items:,.10g} items"
                also = (f", or {BY_A_JUDGE}", Argument("judge")) if judge and name == self.columns[0] else ()
                raise WordedError(
                    f"column {name!r} has no value for {number}; drop or fill those rows first", *also
                )

    def check_kinds(self) -> None:
        """Raise a ValueError where labels are neither all text nor all numbers."""
        first = self.values[0][0]
        for name, column in zip(self.columns, self.values, strict=True):
            for value in column:
                if not isinstance(value, str | Number):
                    raise ValueError(
                        f"column {name!r} has label {shown(value)}; labels are strings, numbers or booleans"
                    )
                if isinstance(value, str) != isinstance(first, str):
                    raise ValueError(
                        f"column {self.columns[0]!r} has labels like {shown(first)} but column {name!r} like "
                        f"{shown(value)}; numbers and strings are never equal"
                    )

    def labels(self) -> list[Any]:
        """Return the labels that occur, sorted."""
        return distinct_labels(list(self.values))

    def by_class(
        self,
        names: tuple[str, ...],
        documents: NDArray[Any] | None = None,
        labels: Sequence[Any] | None = None,
    ) -> Evaluation:
        """Build an Evaluation whose classes are those asked for or of gold, with documents as units if given."""
        classes = find_classes(labels, distinct_labels([self.values[0]]), self.labels())
        coded = np.stack([class_codes(column, classes) for column in self.values], axis=1)
        said = dict(zip(names, self.values[1:], strict=True))
        return from_class_codes(
            coded[:, 0],
            coded[:, 1:],
            names,
            class_names(classes),
            weights=self.weights,
            groups=documents,
            strays=stray_labels(said, classes, self.weights),
        )

    def hits(self, positive: Any) -> NDArray[np.bool_]:
        """Return which labels are the positive one, axes (combination, column)."""
        return np.array([[bool(value == positive) for value in column] for column in self.values]).T


def read_weights(values: Sequence[Any], column: str) -> FloatArray:
    """Return counts as an array of finite numbers that are not negative, or say which row is wrong."""
    weights = np.zeros(len(values))
    for i, value in enumerate(values):
        try:
            weights[i] = np.nan if isinstance(value, str | bytes | bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            weights[i] = np.nan
        if not 0.0 <= weights[i] <= MAX_COUNT:
            raise ValueError(
                f"row {i + 1} has {shown(value):.40} as its count in column {column!r}; "
                f"counts are finite, not negative and at most {MAX_COUNT:g}"
            )
    if not weights.any():
        raise ValueError(f"all counts in column {column!r} are 0; there is nothing to compare the models on")
    return weights


def read_rows(table: Sequence[Any]) -> tuple[list[str] | None, list[tuple[Any, ...]]]:
    """Return the names of columns, None for tuples, and the rows of a list of dicts or tuples."""
    if all(isinstance(row, Mapping) for row in table):
        header = list(table[0]) if table else []
        for i, row in enumerate(table, start=1):
            if set(row) != set(header):
                raise ValueError(
                    f"row {i} has columns {', '.join(map(str, row))}, but row 1 {', '.join(map(str, header))}"
                )
        return header, [tuple(row[name] for name in header) for row in table]
    rows = []
    for i, row in enumerate(table, start=1):
        if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
            raise ValueError(f"row {i} is {shown(row)}, but rows are all tuples or all dicts")
        rows.append(tuple(row))
        if len(rows[-1]) != len(rows[0]) or len(rows[0]) < 3:
            raise ValueError(
                f"row {i} is {shown(row)}, where a gold label, a label for each model and a count belong"
            )
    return None, rows
