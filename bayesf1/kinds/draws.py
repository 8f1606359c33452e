"""Posterior draws of tables: gamma weights of patterns, and tables as weighted sums of them.

A table's scale is free, as every measure is a ratio. The prior is mostly a set of single-item patterns, weighted so that
each model's cells are Dirichlet(λ); each kind of task adds its own. Where joint outcomes are too many to be listed the prior
is a gamma process, cut to the atoms that carry mass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.evaluation.samples import draw_patterns
from bayesf1.evaluation.units import Units

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under

# A process is cut where e^-14, a millionth, of its mass is left; that goes to its last atom.
_CUT = 14.0


def draw_cells(parameters: FloatArray, *, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield blocks of draws of tables whose cells are independent gamma variates, axes (draw, model, cell)."""
    for n in blocks_of(n_draws, parameters.size):
        yield rng.standard_gamma(parameters, size=(n, *parameters.shape))


def draw_bootstrap(under: Under, *, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield blocks of draws of tables by the Bayesian bootstrap over units, axes (draw, model, cell)."""
    ev, units = under.ev, bootstrapped(under)
    size = units.n_patterns + 2 * ev.tables.size
    for flat in draw_patterns(units.rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
        yield flat.reshape(len(flat), *ev.tables.shape)


def bootstrapped(under: Under) -> Units:
    """Return the units that a bootstrap draws: those that the models share, or the items of each model by itself."""
    ev = under.ev
    assert ev.units is not None
    return ev.units if under.shared else (ev.finer or ev.units).apart(len(ev.models))


def atoms_of(mass: float) -> int:
    """Return how many atoms of a gamma process of this mass carry all of it that matters."""
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
