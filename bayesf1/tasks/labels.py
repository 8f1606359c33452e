"""Classes that do not exclude each other: items with any number of labels, and spans by their types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation import Outcomes
from bayesf1.sampling import draw_patterns
from bayesf1.tasks.classed import Classed
from bayesf1.tasks.draws import atoms_of, break_sticks, draw_cells

if TYPE_CHECKING:
    from bayesf1.sampling import SamplingModel


@dataclass(frozen=True)
class LabelSets(Classed):
    """Every item has any number of labels, each of which is right or wrong by itself."""

    name: ClassVar[str] = "multilabel"
    true_negatives: ClassVar[bool] = True

    def draw(
        self, sampling: SamplingModel, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws: gamma weights of patterns, and a prior over more joint outcomes than could be listed.

        They are K to the power of the models' number and more. The prior is a gamma process, of which only the
        few atoms that carry mass are drawn, each with a random joint outcome.
        """
        ev, n_models = sampling.ev, len(sampling.ev.models)
        if not sampling.shared or ev.units is None:
            yield from draw_cells(ev.tables + self.cell_priors(prior), n_draws=n_draws, rng=rng)
            return
        atoms, units = atoms_of(2.0 * prior), ev.units
        size = units.n_patterns + 2 * ev.tables.size + (n_models + 3) * atoms
        for flat in draw_patterns(units.rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
            tables = np.ascontiguousarray(flat).reshape(len(flat), *ev.tables.shape)
            self._add_prior(tables, prior, atoms, rng)
            yield tables

    def _add_prior(self, tables: FloatArray, prior: float, atoms: int, rng: np.random.Generator) -> None:
        """Add to each class an equal share of λ on its cells."""
        n, k = len(tables), len(self.classes)
        for yes, no in ((0, 2), (1, 3)):
            sticks = break_sticks(2.0 * prior, atoms, n, rng)
            which = rng.integers(0, k, size=(n, atoms))
            for j in range(tables.shape[1]):
                found = rng.random((n, atoms)) < 0.5
                _add_at(tables[:, j], yes * k + which, np.where(found, sticks, 0.0))
                if no < tables.shape[2] // k:
                    _add_at(tables[:, j], no * k + which, np.where(found, 0.0, sticks))


def _add_at(table: FloatArray, columns: Any, values: FloatArray) -> None:
    """Add values to columns of each draw's table, axes (draw, ...); several may hit the same column."""
    n, width = table.shape
    places = columns + width * np.arange(n)[:, None]
    table += np.bincount(places.ravel(), weights=values.ravel(), minlength=n * width).reshape(n, width)


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
