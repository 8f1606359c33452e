"""Posterior draws of confusion tables: one mechanism for independent, paired and clustered data.

Weights of patterns are gamma variates, tables are weighted sums of patterns; a table's scale is free, as every
measure is a ratio. The prior is a set of single-item patterns: every joint outcome of the models on one item,
weighted so that each model's cells are Dirichlet(λ).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from bayesf1.evaluation import Assumption, Evaluation, FloatArray

# Numbers in flight in one block of draws.
_BLOCK = 1 << 21
# Up to this many models the joint outcomes of an item are enumerated, 2·2^k of them.
_ENUMERATED = 8
# Atoms that stand for a prior spread over more outcomes than can be enumerated: e^-64 of its mass is left out.
_ATOMS = 64


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
    if assumption == "independent" or ev.patterns is None or ev.weights is None:
        for n in _blocks(n_draws, ev.tables.size):
            yield rng.standard_gamma(ev.tables + prior, size=(n, *ev.tables.shape))
        return
    patterns, weights = ev.patterns, ev.weights
    enumerated = len(ev.models) <= _ENUMERATED
    if enumerated:
        outcomes = item_patterns(len(ev.models), ev.cells)
        patterns = np.concatenate([patterns, outcomes])
        weights = np.concatenate([weights, np.full(len(outcomes), prior / 2 ** (len(ev.models) - 1))])
    flat = patterns.reshape(len(patterns), -1)
    seen = (weights > 0) & flat.any(axis=1)
    flat, weights = flat[seen], weights[seen]
    for n in _blocks(n_draws, len(weights) + flat.shape[1]):
        tables = (rng.standard_gamma(weights, size=(n, len(weights))) @ flat).reshape(n, *patterns.shape[1:])
        yield tables if enumerated else tables + _prior_atoms(ev, prior, n, rng)


def _prior_atoms(ev: Evaluation, prior: float, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw the prior's share of tables for many models, as a gamma process over random joint outcomes."""
    # Stick-breaking (Sethuraman 1994): mass 2λ on gold items, 2λ on others, outcomes of models fair coins.
    out = np.zeros((n, *ev.tables.shape))
    for yes, no in (("tp", "fn"), ("fp", "tn")):
        left = rng.beta(2.0 * prior, 1.0, size=(n, _ATOMS)).cumprod(axis=1)
        sticks = -np.diff(left, axis=1, prepend=1.0)
        mass = rng.standard_gamma(2.0 * prior, size=n)
        coins = rng.integers(0, 2, size=(n, _ATOMS, len(ev.models))).astype(float)
        hits = np.einsum("n,na,nam->nm", mass, sticks, coins)
        out[..., ev.cells.index(yes)] += hits
        if no in ev.cells:
            out[..., ev.cells.index(no)] += mass[:, None] * sticks.sum(axis=1)[:, None] - hits
    return out


def _blocks(n_draws: int, numbers_per_draw: int) -> Iterator[int]:
    size = max(1, _BLOCK // max(numbers_per_draw, 1))
    while n_draws > 0:
        yield min(size, n_draws)
        n_draws -= size
