"""Posterior draws of confusion tables: one mechanism for independent, paired and clustered data.

Weights of patterns are gamma variates, tables are weighted sums of patterns; a table's scale is free, as
every measure is a ratio. The prior is a set of single-item patterns: every joint outcome of the models on one
item, weighted so that each model's cells are Dirichlet(λ).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.evaluation.evaluation import Assumption, Evaluation
from bayesf1.kinds.class_draws import draw_class_tables
from bayesf1.kinds.gamma_process import atoms_of, break_sticks


def item_patterns(n_models: int, cells: tuple[str, ...]) -> FloatArray:
    """Return every joint outcome of `n_models` models on one item, axes (outcome, model, cell).

    A gold item is found or missed by each model; another item is claimed or left alone by each. Where true
    negatives are not counted, an item that every model leaves alone adds nothing and is left out.

    Examples
    --------
    >>> item_patterns(2, ("tp", "fp", "fn")).shape, item_patterns(2, ("tp", "fp", "fn", "tn")).shape
    ((7, 2, 3), (8, 2, 4))
    """
    one = np.eye(len(cells))
    right, claimed, missed = (one[cells.index(name)] for name in ("tp", "fp", "fn"))
    alone = one[cells.index("tn")] if "tn" in cells else np.zeros(len(cells))
    outcomes = [
        *itertools.product((right, missed), repeat=n_models),
        *itertools.product((claimed, alone), repeat=n_models),
    ]
    stacked = np.array(outcomes)
    return stacked[stacked.any(axis=(1, 2))]


def draw_tables(
    ev: Evaluation, assumption: Assumption, *, prior: float, n_draws: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield blocks of posterior draws of all models' tables, axes (draw, model, cell).

    Parameters
    ----------
    ev
        An evaluation of a single experiment, with patterns unless `assumption` is ``"independent"``.
    assumption
        ``"independent"`` draws each model's Dirichlet by itself, from the totals; otherwise patterns are
        drawn, so that models are dependent as they were on the units.
    prior
        λ of the Dirichlet(λ) on each model's cells.
    n_draws
        How many draws in all; memory does not grow with it.
    rng
        The source of randomness.
    """
    if ev.task != "binary":
        yield from draw_class_tables(ev, assumption, prior=prior, n_draws=n_draws, rng=rng)
        return
    if assumption == "independent" or ev.patterns is None or ev.weights is None:
        for n in blocks_of(n_draws, ev.tables.size):
            yield rng.standard_gamma(ev.tables + prior, size=(n, *ev.tables.shape))
        return
    patterns, weights = ev.patterns, ev.weights
    atoms = atoms_of(2.0 * prior)
    # Few models: every joint outcome of an item. Many: as many atoms of the prior as carry mass.
    enumerated = 2 ** len(ev.models) <= atoms
    if enumerated:
        outcomes = item_patterns(len(ev.models), ev.cells)
        patterns = np.concatenate([patterns, outcomes])
        weights = np.concatenate([weights, np.full(len(outcomes), prior / 2 ** (len(ev.models) - 1))])
    flat = patterns.reshape(len(patterns), -1)
    seen = (weights > 0) & flat.any(axis=1)
    flat, weights = flat[seen], weights[seen]
    order = np.argsort(weights != 1.0, kind="stable")
    flat, weights = flat[order], weights[order]
    singles = int((weights == 1.0).sum())
    for n in blocks_of(n_draws, len(weights) + flat.shape[1] + (0 if enumerated else 4 * atoms)):
        # Most kinds of sentences occur once, and exponential variates are drawn several times faster.
        tables = rng.standard_exponential((n, singles)) @ flat[:singles]
        tables += rng.standard_gamma(weights[singles:], size=(n, len(weights) - singles)) @ flat[singles:]
        tables = tables.reshape(n, *patterns.shape[1:])
        yield tables if enumerated else tables + _prior_atoms(ev, prior, atoms, n, rng)


def _prior_atoms(ev: Evaluation, prior: float, atoms: int, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw the prior's share of tables for many models, as a gamma process over random joint outcomes."""
    # Mass 2λ on gold items, 2λ on others, outcomes of models fair coins.
    k = len(ev.models)
    out = np.zeros((n, *ev.tables.shape))
    for yes, no in (("tp", "fn"), ("fp", "tn")):
        sticks = break_sticks(2.0 * prior, atoms, n, rng)
        mass = sticks.sum(axis=1, keepdims=True)
        for j in range(0, k, 62):
            coins = rng.integers(0, 1 << min(62, k - j), size=(n, atoms))
            for i in range(j, min(j + 62, k)):
                out[:, i, ev.cells.index(yes)] = (sticks * (coins >> (i - j) & 1)).sum(axis=1)
        if no in ev.cells:
            out[..., ev.cells.index(no)] = mass - out[..., ev.cells.index(yes)]
    return out
