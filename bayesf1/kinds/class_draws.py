"""Posterior draws of tables with many cells: several classes, spans by type, scores.

The mechanism is that of `draws`: gamma weights of patterns. The prior covers all joint outcomes of the models,
K to the power of their number and more; they are never listed. It is a gamma process, of which only the few
atoms that carry mass are drawn, each with a random joint outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.evaluation.evaluation import Assumption, Evaluation
from bayesf1.kinds.classes import apart, cell_priors
from bayesf1.kinds.gamma_process import atoms_of, break_sticks

Integers: TypeAlias = NDArray[np.int64]

# Below, variates of a gold class may all be 0 in double precision, and cannot be scaled to their sum.
_MIN_SHAPE = 0.1
# Joint outcomes of several models are drawn up to this many atoms, a prior that weighs as much as 292 items.
_MOST_ATOMS = 4096


def draw_class_tables(
    ev: Evaluation, assumption: Assumption, *, prior: float, n_draws: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield blocks of posterior draws of all models' tables, axes (draw, model, cell); see `draw_tables`."""
    alone = assumption == "independent"
    if alone and ev.task in ("spans", "multilabel"):
        for n in blocks_of(n_draws, ev.tables.size):
            yield rng.standard_gamma(ev.tables + cell_priors(ev, prior), size=(n, *ev.tables.shape))
        return
    if alone:
        ev = apart(ev.items if ev.items is not None else ev)
    weights, rows = ev.weights, ev.flat_patterns
    assert weights is not None
    # Most kinds occur once where there are many, and exponential variates are drawn several times faster.
    once = weights == 1.0
    rows_once, rows_more, more = rows[once], rows[~once], weights[~once]
    atoms = _atoms(ev, prior, alone=alone)
    prior_size = (len(ev.models) + 3) * (atoms or len(ev.classes) ** 2)
    for n in blocks_of(n_draws, len(weights) + 2 * ev.tables.size + prior_size):
        flat = rng.standard_exponential((n, int(once.sum()))) @ rows_once
        flat += rng.standard_gamma(more, size=(n, len(more))) @ rows_more
        tables = flat.reshape(n, *ev.tables.shape)
        if ev.task == "multiclass":
            _add_classes(tables, ev, prior, atoms, alone=alone, rng=rng)
        elif ev.classes:
            _add_outcomes(tables, ev, prior, atoms, rng)
        yield tables


def _atoms(ev: Evaluation, prior: float, *, alone: bool) -> int:
    """Return how many atoms of the prior carry mass; 0 where every cell of each model is drawn instead."""
    k = len(ev.classes)
    if ev.task != "multiclass":
        return atoms_of(2.0 * prior) if k else 0
    atoms = atoms_of(prior * k * k)
    few = k * k <= atoms if alone or len(ev.models) == 1 else atoms > _MOST_ATOMS
    return 0 if few and prior * k >= _MIN_SHAPE else atoms


def _add_classes(
    tables: FloatArray, ev: Evaluation, prior: float, atoms: int, *, alone: bool, rng: np.random.Generator
) -> None:
    """Add the prior where every item has one class: λ on each (gold, predicted) of each model.

    With m models an atom is an item of a random joint outcome, so that each of the K^(m+1) outcomes has
    λ/K^(m-1). Without atoms every cell of each model is drawn.
    """
    n, k = len(tables), len(ev.classes)
    sticks, gold = _gold(n, k, prior, atoms, rng)
    for j in range(len(ev.models)):
        if alone and j:
            sticks, gold = _gold(n, k, prior, atoms, rng)
        table = tables[:, j]
        if not atoms:
            # Given the gold classes' masses the models err independently. Margins and covariances are those of
            # joint outcomes all the same, and the law is, too, as a mass this large is almost normal.
            split = rng.standard_gamma(prior, size=(n, k, k))
            split *= (sticks / split.sum(axis=2))[:, :, None]
            right = np.einsum("nii->ni", split)
            table[:, :k] += right
            table[:, k : 2 * k] += split.sum(axis=1) - right
            table[:, 2 * k :] += sticks - right
        else:
            said = rng.integers(0, k, size=(n, atoms))
            same = said == gold
            _add_at(table, np.where(same, gold, 2 * k + gold), sticks)
            _add_at(table, k + said, np.where(same, 0.0, sticks))


def _gold(n: int, k: int, prior: float, atoms: int, rng: np.random.Generator) -> tuple[FloatArray, Integers]:
    """Draw the prior's masses and their gold classes: of the atoms that carry mass, or of all classes."""
    if not atoms:
        return rng.standard_gamma(k * prior, size=(n, k)), np.broadcast_to(np.arange(k), (n, k))
    return break_sticks(k * k * prior, atoms, n, rng), rng.integers(0, k, size=(n, atoms))


def _add_outcomes(
    tables: FloatArray, ev: Evaluation, prior: float, atoms: int, rng: np.random.Generator
) -> None:
    """Add the prior where classes do not exclude each other: each class an equal share of λ on its cells."""
    n, k = len(tables), len(ev.classes)
    kinds = ev.tables.shape[1] // k
    for yes, no in ((0, 2), (1, 3)):
        sticks = break_sticks(2.0 * prior, atoms, n, rng)
        which = rng.integers(0, k, size=(n, atoms))
        for j in range(len(ev.models)):
            found = rng.random((n, atoms)) < 0.5
            _add_at(tables[:, j], yes * k + which, np.where(found, sticks, 0.0))
            if no < kinds:
                _add_at(tables[:, j], no * k + which, np.where(found, 0.0, sticks))


def _add_at(table: FloatArray, columns: Integers, values: FloatArray) -> None:
    """Add values to columns of each draw's table, axes (draw, ...); several may hit the same column."""
    n, width = table.shape
    places = columns + width * np.arange(n)[:, None]
    table += np.bincount(places.ravel(), weights=values.ravel(), minlength=n * width).reshape(n, width)
