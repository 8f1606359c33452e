"""One class against the rest: items are positive or not, spans are found or not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.errors import WordedError, Wording
from bayesf1.base.latex import printable
from bayesf1.evaluation.kind import Estimate, PairingBounds
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.kinds.binary_measures import find_metric
from bayesf1.kinds.yes_no import YesNo

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation

BINARY_CELLS = ("tp", "fp", "fn", "tn")

# Names that make sense with several classes only.
_SEVERAL = re.compile(r"(micro|macro|weighted)_|.*\[")


@dataclass(frozen=True)
class Binary(YesNo):
    """One class against the rest, with cells tp, fp, fn, and tn where true negatives are counted."""

    name: ClassVar[str] = "binary"

    cells: tuple[str, ...] = BINARY_CELLS

    def keep(self, cells: tuple[str, ...]) -> Self:
        """Return the kind on some of its cells."""
        return type(self)(cells)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where cells are not some of tp, fp, fn, tn, in this order."""
        if not self.cells or self.cells != tuple(cell for cell in BINARY_CELLS if cell in self.cells):
            raise ValueError(
                f"cells must be some of {', '.join(BINARY_CELLS)}, in this order, not {self.cells!r:.60}"
            )

    def cells_for(self, measures: Sequence[Metric]) -> tuple[str, ...]:
        """Return the cells without true negatives where no measure asks for them."""
        unasked = all(m.needs and "tn" not in m.needs for m in measures)
        return tuple(cell for cell in self.cells if cell != "tn") if unasked else self.cells

    @property
    def counts_all_items(self) -> bool:
        """Whether true negatives are counted."""
        return "tn" in self.cells

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Precision, recall and F1."""
        return ("precision", "recall", "f1")

    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the measure of a name or callable; averages over classes have none here."""
        if isinstance(asked, str) and _SEVERAL.match(asked):
            raise WordedError(
                f"{printable(asked)} needs several classes, but here is one; ",
                Wording("build the evaluation by from_labels with", "give"),
                " more than two labels, or by ",
                Wording("from_tags or from_conll with by_type=True", "column files with --by-type"),
            )
        return find_metric(asked)

    @property
    def answers(self) -> tuple[tuple[str, ...], ...]:
        """A gold item is found or missed; another is claimed or left alone."""
        return (("tp", "fn"), ("fp", "tn"))

    def is_closed_when_paired(self, measure: Metric) -> bool:
        """Say whether a measure depends only on who was right, or is an F-score."""
        from bayesf1.kinds.joint import is_exact

        return is_exact(measure)

    def paired_sf(
        self,
        ev: Evaluation,
        measure: Metric,
        margins: Sequence[float],
        *,
        prior: float,
        rng: np.random.Generator,
    ) -> Estimate | None:
        """Return P(ν_B - ν_A > d) by quadrature over the joint Dirichlet of both models' outcomes."""
        from bayesf1.kinds.joint import joint_counts, paired_sf

        if not measure.needs:
            return None
        return paired_sf(joint_counts(ev, 0, 1), measure, self.cells, margins, prior=prior, rng=rng)

    def pairing_bounds(
        self, tables: FloatArray, measure: Metric, *, prior: float, rng: np.random.Generator
    ) -> PairingBounds:
        """Return the range of P(ν_B > ν_A) over all pairings of items that two tables allow."""
        from bayesf1.kinds.pairing import pairing_bounds

        a, b = tables
        return pairing_bounds(a, b, measure, self.cells, prior=prior, rng=rng)
