"""Posterior draws of tables: gamma weights of patterns, and tables as weighted sums of them.

A table's scale is free, as every metric is a ratio. The prior is mostly a set of single-item patterns, weighted so that each
model's cells are Dirichlet(λ); each task adds its own. If there are too many joint outcomes to list, the prior is a gamma
process, cut to the atoms that carry mass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.metrics import Metric, ratio
from bayesf1.sampling.draws import draw_patterns
from bayesf1.sampling.model import SamplingModel
from bayesf1.task import AskedScores, ScoreBlock, Task
from bayesf1.units import Units

# A gamma process is cut where e^-14 of its mass is left, a millionth, which goes to its last atom.
_CUT = 14.0


def draw_cells(parameters: FloatArray, *, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield blocks of draws of tables whose cells are independent gamma variates, axes (draw, model, cell)."""
    for n in blocks_of(n_draws, parameters.size):
        yield rng.standard_gamma(parameters, size=(n, *parameters.shape))


def draw_bootstrap(
    sampling: SamplingModel, *, n_draws: int, rng: np.random.Generator, more: int = 0
) -> Iterator[FloatArray]:
    """Yield blocks of draws of tables by the Bayesian bootstrap over units, axes (draw, model, cell).

    A draw takes `more` numbers in memory beside its variates and its tables.
    """
    ev = sampling.ev
    units = bootstrapped(sampling)
    size = units.n_patterns + 2 * ev.tables.size + more
    for flat in draw_patterns(units.rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
        yield np.ascontiguousarray(flat).reshape(len(flat), *ev.tables.shape)


def bootstrapped(sampling: SamplingModel) -> Units:
    """Return the units that a bootstrap draws: those that the models share, or the items of each model by itself."""
    ev = sampling.ev
    assert ev.units is not None
    if sampling.shared:
        return ev.units
    units = ev.units if ev.item_units is None else ev.item_units
    return units.apart(len(ev.models))


def atoms_of(mass: float) -> int:
    """Return how many atoms of a gamma process of this mass carry nearly all of it."""
    return math.ceil(_CUT / math.log1p(1.0 / mass))


def coin_shares(atoms: FloatArray, n_models: int, rng: np.random.Generator) -> FloatArray:
    """Return how much of the mass of atoms (draw, atom) falls to heads of each model's fair coins, axes (draw, model)."""
    out = np.empty((len(atoms), n_models))
    for j in range(0, n_models, 62):
        coins = rng.integers(0, 1 << min(62, n_models - j), size=atoms.shape)
        for i in range(j, min(j + 62, n_models)):
            out[:, i] = (atoms * (coins >> (i - j) & 1)).sum(axis=1)
    return out


def break_sticks(mass: float, atoms: int, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw the atoms of a gamma process by stick-breaking (Sethuraman 1994), axes (draw, atom)."""
    left = rng.beta(mass, 1.0, size=(n, atoms)).cumprod(axis=1)
    left[:, -1] = 0.0
    return -np.diff(left, axis=1, prepend=1.0) * rng.standard_gamma(mass, size=(n, 1))


@dataclass(frozen=True)
class BootstrappedTask(Task):
    """A task without a prior."""

    bootstraps_items: ClassVar[bool] = True
    least_prior: ClassVar[float] = math.inf
    prior_family: ClassVar[str] = ""
    citation: ClassVar[str] = "the Bayesian bootstrap (Rubin 1981, Annals of Statistics 9, 130–134)"

    def drawn_units(self, sampling: SamplingModel, metric: Metric) -> Units:
        """Return the units alone, as there is no prior."""
        return bootstrapped(sampling)

    def draw(self, sampling: SamplingModel, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Return draws of the Bayesian bootstrap over units, which has no prior."""
        return draw_bootstrap(sampling, n_draws=n_draws, rng=rng)

    def draw_scores(self, sampling: SamplingModel, asked: AskedScores) -> Iterator[ScoreBlock]:
        """Yield draws of scores; for ratios only their numerators and denominators are drawn, not every cell.

        With many units areas under curves are drawn as ratios, too: the remainder had 2 to 12 % of their spread at 5,000
        units.
        """
        units = bootstrapped(sampling)
        tables = sampling.ev.tables
        expansions = [metric.expansion(tables, self.cells, units.many) for metric in asked.metrics]
        ratios = [pair for pair in expansions if pair is not None]
        if len(ratios) < len(asked.metrics):
            yield from super().draw_scores(sampling, asked)
        elif units.many and len(asked.metrics) > 1:
            yield from self._draw_each(sampling, asked)
        else:
            yield from _draw_ratios(units, ratios, asked)

    def _draw_each(self, sampling: SamplingModel, asked: AskedScores) -> Iterator[ScoreBlock]:
        """Yield draws of each metric by itself.

        Very many units are drawn together, by variates that depend on all sums that are asked for. A metric's draws must
        not depend on which other metrics there are.
        """
        streams = []
        for metric in asked.metrics:
            own = {name: control for name, control in asked.controls.items() if name == metric.name}
            asked_alone = AskedScores([metric], asked.n_draws, deepcopy(asked.rng), own)
            streams.append(self.draw_scores(sampling, asked_alone))
        for blocks in zip(*streams, strict=True):
            yield ScoreBlock(
                scores=[block.scores[0] for block in blocks],
                controls={name: sums for block in blocks for name, sums in block.controls.items()},
            )


def _draw_ratios(
    units: Units, ratios: Sequence[tuple[FloatArray, FloatArray]], asked: AskedScores
) -> Iterator[ScoreBlock]:
    """Yield draws of ratios of two sums, given by the weights of cells in both, axes (model, cell), and of controls."""
    columns = []
    for above, below in ratios:
        # Axes (pattern, model, [above, below]).
        added = np.stack([units.sums(above), units.sums(below)], axis=-1)
        columns.append(added.reshape(units.n_patterns, -1))
    columns.extend(control.sums(units.rows) for control in asked.controls.values())
    rows = np.concatenate(columns, axis=1)
    n_models = len(ratios[0][0])
    n_scores = len(ratios) * n_models
    size = units.n_patterns + rows.shape[1]
    for flat in draw_patterns(rows, units.weights, n_draws=asked.n_draws, numbers_each=size, rng=asked.rng):
        # Axes (draw, [each score, each control], [above, below]).
        pairs = flat.reshape(len(flat), -1, 2)
        scores = ratio(pairs[:, :n_scores, 0], pairs[:, :n_scores, 1])
        yield ScoreBlock(
            scores=[scores[:, start : start + n_models] for start in range(0, n_scores, n_models)],
            controls={name: pairs[:, n_scores + i] for i, name in enumerate(asked.controls)},
        )
