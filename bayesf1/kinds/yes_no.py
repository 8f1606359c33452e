"""What kinds have in common whose models say yes or no to each item: few joint outcomes, with a Dirichlet prior.

Each model's cells are Dirichlet(λ), as its outcomes are fair coins in the prior. Of a few models every joint outcome is a
pattern of its own; of many the prior is a gamma process over random ones.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.kind import Kind, Outcomes
from bayesf1.evaluation.samples import draw_patterns
from bayesf1.evaluation.units import Units
from bayesf1.kinds.draws import atoms_of, break_sticks, coin_shares, draw_cells

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under


@dataclass(frozen=True)
class YesNo(Kind):
    """A kind whose items put each model into one of two cells."""

    # A quadrature needs Beta parameters whose mass does not underflow in the logit.
    least_prior: ClassVar[float] = 0.1

    @property
    @abstractmethod
    def answers(self) -> tuple[tuple[str, ...], ...]:
        """For each sort of item the cells of models that say yes, and of models that say no, counted or not."""

    @property
    def outcomes(self) -> Outcomes:
        """The cells."""
        return Outcomes(self.cells, np.eye(len(self.cells)))

    def joint_outcomes(self, n_models: int) -> FloatArray:
        """Return every joint outcome of models on one item, but for those that add nothing."""
        row = dict(zip(self.cells, np.eye(len(self.cells)), strict=True))
        uncounted = np.zeros(len(self.cells))
        listed = np.array(
            [
                outcome
                for cells in self.answers
                for outcome in itertools.product(
                    [row.get(cell, uncounted) for cell in cells], repeat=n_models
                )
            ]
        )
        return listed[listed.any(axis=(1, 2))]

    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws: Dirichlets of each model's cells, or of the patterns that the models share."""
        ev = under.ev
        if not under.shared:
            yield from draw_cells(ev.tables + prior, n_draws=n_draws, rng=rng)
            return
        assert ev.units is not None
        atoms, listed = atoms_of(2.0 * prior), self.drawn_units(under, prior)
        units = listed or ev.units
        adds = (units.weights > 0) & units.rows.any(axis=1)
        rows, weights = units.rows[adds], units.weights[adds]
        size = len(weights) + rows.shape[1] + (0 if listed else 4 * atoms)
        for flat in draw_patterns(rows, weights, n_draws=n_draws, numbers_each=size, rng=rng):
            tables = flat.reshape(len(flat), *ev.tables.shape)
            yield tables if listed else tables + self._prior_atoms(tables.shape, prior, atoms, rng)

    def drawn_units(self, under: Under, prior: float) -> Units | None:
        """Return the patterns that the models share, and the prior's, where models are few."""
        ev = under.ev
        if not under.shared or 2 ** len(ev.models) > atoms_of(2.0 * prior):
            return None
        assert ev.units is not None
        listed = self.joint_outcomes(len(ev.models))
        rows = np.concatenate([ev.units.rows, listed.reshape(len(listed), -1)])
        weights = np.concatenate([ev.units.weights, np.full(len(listed), prior / 2 ** (len(ev.models) - 1))])
        if not under.single:
            return replace(ev.units, rows=rows, weights=weights)
        # What is both believed and seen is drawn once: variates of a small weight take longest.
        return Units.merge(rows, weights, "item")

    def _prior_atoms(
        self, shape: tuple[int, ...], prior: float, atoms: int, rng: np.random.Generator
    ) -> FloatArray:
        """Draw the prior's share of tables for many models, as a gamma process over random joint outcomes."""
        out = np.zeros(shape)
        for cells in self.answers:
            sticks = break_sticks(2.0 * prior, atoms, shape[0], rng)
            heads = coin_shares(sticks, shape[1], rng)
            for cell, mass in zip(cells, (heads, sticks.sum(axis=1, keepdims=True) - heads), strict=True):
                if cell in self.cells:
                    out[..., self.cells.index(cell)] = mass
        return out

    def default_draws(self, under: Under) -> int:
        """Return a million tables, or fewer sets of weights of patterns."""
        units = under.ev.units
        if not under.shared or units is None:
            return 1_000_000
        # Of very many patterns even 20,000 would take long.
        fewest = np.clip(400_000_000 // units.n_patterns, 4_000, 20_000)
        return int(np.clip(50_000_000 // units.n_patterns, fewest, 100_000))
