"""Classes that do not exclude each other: items with any number of labels, and spans by their types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.kind import Outcomes
from bayesf1.evaluation.units import Units
from bayesf1.kinds.classed import Classed, add_at
from bayesf1.kinds.draws import atoms_of, break_sticks

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under


@dataclass(frozen=True)
class LabelSets(Classed):
    """Every item has any number of labels, each of which is right or wrong by itself."""

    name: ClassVar[str] = "multilabel"
    true_negatives: ClassVar[bool] = True

    def _sampled(self, under: Under) -> Units | None:
        return under.ev.units if under.shared else None

    def _atoms(self, n_models: int, prior: float, *, alone: bool) -> int:
        return atoms_of(2.0 * prior)

    def _add_prior(
        self, tables: FloatArray, prior: float, atoms: int, *, alone: bool, rng: np.random.Generator
    ) -> None:
        """Add to each class an equal share of λ on its cells."""
        n, k = len(tables), len(self.classes)
        for yes, no in ((0, 2), (1, 3)):
            sticks = break_sticks(2.0 * prior, atoms, n, rng)
            which = rng.integers(0, k, size=(n, atoms))
            for j in range(tables.shape[1]):
                found = rng.random((n, atoms)) < 0.5
                add_at(tables[:, j], yes * k + which, np.where(found, sticks, 0.0))
                if no < tables.shape[2] // k:
                    add_at(tables[:, j], no * k + which, np.where(found, 0.0, sticks))


@dataclass(frozen=True)
class TypedSpans(LabelSets):
    """Spans by their types: each is found, missed or claimed, and nothing is a true negative."""

    name: ClassVar[str] = "spans"
    noun: ClassVar[str] = "types"
    true_negatives: ClassVar[bool] = False

    @property
    def outcomes(self) -> Outcomes:
        """The cells."""
        return Outcomes(self.cells, np.eye(len(self.cells)))

    def outcome_prior(self, prior: float | None) -> float:
        """Return a type's share of λ."""
        return super().outcome_prior(prior) / len(self.classes)
