"""Plain scores of models on several corpora, as an evaluation whose cells are the measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.metric import Metric, MetricLike

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under


def _itself(tables: FloatArray) -> FloatArray:
    return tables[..., 0]


@dataclass(frozen=True)
class PlainScores(Kind):
    """A score for each measure; whatever the corpora count, this is what they have in common.

    Attributes
    ----------
    measures
        The measures, each of its own cell.

    Examples
    --------
    >>> kind = PlainScores.of([Metric("f1", "F1", ("tp", "fp", "fn"), None, lambda tables: tables)])
    >>> float(kind.measure("f1", np.zeros(1))(np.array([0.75]), kind.cells))
    0.75
    """

    name: ClassVar[str] = "plain scores"

    measures: tuple[Metric, ...]

    @classmethod
    def of(cls, measures: Sequence[Metric]) -> Self:
        """Return the kind of the scores of some measures of anything."""
        return cls(
            tuple(replace(m, needs=(m.name,), law=None, function=_itself, origin=None) for m in measures)
        )

    @property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the measures."""
        return tuple(measure.name for measure in self.measures)

    def keep(self, cells: tuple[str, ...]) -> Self:
        """Return the kind with some of the measures."""
        return type(self)(tuple(m for m in self.measures if m.name in cells))

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """All measures."""
        return self.cells

    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the measure of a name."""
        for measure in self.measures:
            if asked in (measure, measure.name):
                return measure
        raise ValueError(f"unknown metric {asked!r}; {nearest(str(asked), self.cells)}")

    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Refuse: of a plain score nothing is known but itself."""
        raise ValueError("plain scores have no posterior of their own; ask the fit that holds them")

    @property
    def about(self) -> str:
        """What the scores are."""
        return f"plain scores ({', '.join(m.label for m in self.measures)})"
