"""What kinds with several classes have in common: cells ``tp[class]``, ``fp[class]``, …, and measures of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.metric import Metric, MetricLike, metric_of
from bayesf1.kinds.class_measures import class_metric

_CELLS = ("tp", "fp", "fn", "tn")


def class_cells(classes: Sequence[str], *, true_negatives: bool = False) -> tuple[str, ...]:
    """Return the names of a table's cells: those of true positives first, a class after another.

    Examples
    --------
    >>> class_cells(["LOC", "PER"])
    ('tp[LOC]', 'tp[PER]', 'fp[LOC]', 'fp[PER]', 'fn[LOC]', 'fn[PER]')
    """
    kinds = _CELLS if true_negatives else _CELLS[:3]
    return tuple(f"{kind}[{name}]" for kind in kinds for name in classes)


@dataclass(frozen=True)
class Classed(Kind):
    """Several classes, each with its own true positives, false positives and false negatives.

    Attributes
    ----------
    classes
        Names of the classes.
    kept
        The cells, where they are not all that the classes have.
    """

    many_cells: ClassVar[bool] = True
    # What the classes are called.
    noun: ClassVar[str] = "classes"
    # Whether each class has true negatives of its own.
    true_negatives: ClassVar[bool] = False
    # Whether every item has one class; then the rest of all items are a class' true negatives.
    exclusive: ClassVar[bool] = False

    classes: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    @cached_property
    def all_cells(self) -> tuple[str, ...]:
        """The cells of all classes."""
        return class_cells(self.classes, true_negatives=self.true_negatives)

    @cached_property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The cells of all classes, or those that were kept."""
        return self.kept or self.all_cells

    @property
    def columns(self) -> Any:
        """Where the cells stand among those of all classes."""
        place = {cell: i for i, cell in enumerate(self.all_cells)}
        return [place[cell] for cell in self.kept] if self.kept else slice(None)

    def keep(self, cells: tuple[str, ...]) -> Self:
        """Return the kind on some of its cells; measures of others can then not be asked for."""
        return replace(self, kept=cells)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where classes are none or come twice, or cells are kept that none of them has."""
        if not self.classes or len({*self.classes}) < len(self.classes):
            raise ValueError(f"classes must be different names, not {self.classes!r:.60}")
        kept = {*self.kept}
        if kept and self.kept != tuple(cell for cell in self.all_cells if cell in kept):
            raise ValueError(f"kept must be cells of the classes, in their order, not {self.kept!r:.60}")

    def union(self, other: Self) -> Self:
        """Return the kind with the classes of both, in the order of their names."""
        if self.kept or other.kept or self == other:
            return super().union(other)
        known = {*self.classes, *other.classes}
        return replace(self, classes=tuple(sorted(known, key=float if all(map(_is_number, known)) else str)))

    def class_sizes(self, tables: FloatArray) -> FloatArray:
        """Return what all tables have of each class: found or missed."""
        place = {cell: i for i, cell in enumerate(self.cells)}
        gold = [[place[f"tp[{name}]"], place[f"fn[{name}]"]] for name in self.classes]
        return np.asarray(tables.reshape(-1, len(self.cells)).sum(axis=0)[gold].sum(axis=1))

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Precision, recall and F1, averaged over classes."""
        return ("precision", "recall", "f1")

    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the measure of a name or callable."""
        return class_metric(asked, self, tables) if isinstance(asked, str) else metric_of(asked)

    def cell_priors(self, prior: float) -> float | FloatArray:
        """Return what a prior adds to each cell; classes that do not exclude each other share λ."""
        return prior / len(self.classes)

    @property
    def about(self) -> str:
        """How many classes there are, and which."""
        return f"{len(self.classes)} {self.noun} ({listing(self.classes, most=6)})"

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        return f"Dirichlet({prior:g}) prior shared by {len(self.classes)} classes"


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdecimal()
