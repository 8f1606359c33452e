"""Posterior draws of tables: gamma weights of patterns, and tables as weighted sums of them.

A table's scale is free, as every measure is a ratio. The prior is mostly a set of single-item patterns, weighted so that
each model's cells are Dirichlet(λ); each kind of task adds its own. Where joint outcomes are too many to be listed the prior
is a gamma process, cut to the atoms that carry mass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
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


def draw_joint(
    under: Under,
    outcomes: Callable[[int], FloatArray],
    prior_atoms: Callable[[int, float, int, int, np.random.Generator], FloatArray],
    *,
    prior: float,
    n_draws: int,
    rng: np.random.Generator,
) -> Iterator[FloatArray]:
    """Yield draws of tables of models that say yes or no to each item: of each alone, or of the patterns they share.

    Parameters
    ----------
    under
        The evaluation, and whether its models share their units.
    outcomes
        Every joint outcome of some models on one item, axes (outcome, model, cell).
    prior_atoms
        Draws of the prior's share of tables where joint outcomes are too many, from the number of models, λ, the number
        of atoms, that of draws, and the source of randomness.
    prior, n_draws, rng
        As in `Under.draw`.
    """
    ev = under.ev
    if not under.shared:
        yield from draw_cells(ev.tables + prior, n_draws=n_draws, rng=rng)
        return
    assert ev.units is not None
    n_models, atoms = len(ev.models), atoms_of(2.0 * prior)
    # Few models: every joint outcome of an item. Many: as many atoms of the prior as carry mass.
    listed = joint_units(under, outcomes, prior)
    units = listed or ev.units
    adds = (units.weights > 0) & units.rows.any(axis=1)
    rows, weights = units.rows[adds], units.weights[adds]
    size = len(weights) + rows.shape[1] + (0 if listed else 4 * atoms)
    for flat in draw_patterns(rows, weights, n_draws=n_draws, numbers_each=size, rng=rng):
        tables = flat.reshape(len(flat), *ev.tables.shape)
        yield tables if listed else tables + prior_atoms(n_models, prior, atoms, len(flat), rng)


def joint_units(under: Under, outcomes: Callable[[int], FloatArray], prior: float) -> Units | None:
    """Return the units that models share, and the prior as units of every joint outcome; None where those are too many."""
    ev = under.ev
    if not under.shared or 2 ** len(ev.models) > atoms_of(2.0 * prior):
        return None
    assert ev.units is not None
    listed = outcomes(len(ev.models))
    rows = np.concatenate([ev.units.rows, listed.reshape(len(listed), -1)])
    weights = np.concatenate([ev.units.weights, np.full(len(listed), prior / 2 ** (len(ev.models) - 1))])
    # What is both believed and seen is drawn once: variates of a small weight take longest.
    return (
        Units.merge(rows, weights, "item") if under.single else replace(ev.units, rows=rows, weights=weights)
    )


def joint_draws(under: Under) -> int:
    """Return how many draws are made of such tables: a million, or fewer sets of weights of patterns."""
    units = under.ev.units
    if not under.shared or units is None:
        return 1_000_000
    # Of very many patterns even 20,000 would take long.
    fewest = np.clip(400_000_000 // units.n_patterns, 4_000, 20_000)
    return int(np.clip(50_000_000 // units.n_patterns, fewest, 100_000))
