"""From draws of a hierarchical model to named arrays: scores, predictions, likelihoods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.arviz_data import dataset
from bayesf1.evaluation.metric import Metric
from bayesf1.groups.likelihood import Draws, Likelihood
from bayesf1.groups.simplex import draw_counts

if TYPE_CHECKING:
    import xarray as xr

Variables: TypeAlias = dict[str, tuple[tuple[str, ...], FloatArray]]

_PRIOR_DRAWS = 500
_LEAD = ("chain", "draw")
# Predictions are for looking at; more draws of each chain would only take room.
_PREDICTED = 500


def arviz_groups(
    likelihood: Likelihood,
    draws: Draws,
    measures: Sequence[Metric],
    rng: np.random.Generator,
    stats: Mapping[str, FloatArray],
) -> dict[str, xr.Dataset]:
    """Return all that ArviZ is to know of a fit, by its names of groups.

    Draws of the parameters have axes (chain, draw, ...), statistics of the sampler, if any, axes (chain, draw).
    """
    from bayesf1 import __version__

    groups = likelihood.groups
    totals = groups.counts.sum(axis=-1)

    def predicted(shares: FloatArray) -> Variables:
        counts = draw_counts(np.broadcast_to(totals, shares.shape[:-1]), shares, rng)
        return {"counts": ((*_LEAD, "dataset", "system", "cell"), groups.tables(counts))}

    shares = likelihood.corpus_shares(draws, rng)
    posterior = _variables(likelihood, draws, shares, measures, rng)
    before = {name: value[None] for name, value in likelihood.prior_draws(_PRIOR_DRAWS, rng).items()}
    prior = _variables(likelihood, before, before["shares"], measures, rng)
    outcomes = (
        (("dataset", "outcome"), groups.counts[:, 0])
        if groups.joint
        else (("dataset", "system", "outcome"), groups.counts)
    )
    found: dict[str, Variables] = {
        "posterior": posterior,
        "posterior_predictive": predicted(shares[:, :_PREDICTED]),
        "log_likelihood": {"counts": ((*_LEAD, "dataset"), likelihood.log_likelihood(draws))},
        "prior": prior,
        "prior_predictive": predicted(before["shares"]),
        "observed_data": {"counts": (("dataset", "system", "cell"), groups.ev.tables.copy())},
        "constant_data": {"outcomes": (outcomes[0], outcomes[1].copy())},
    }
    if stats:
        found["sample_stats"] = {name: (_LEAD, value) for name, value in stats.items()}
    coords = {
        "system": groups.ev.models,
        "measure": [measure.name for measure in measures],
        "dataset": groups.names,
        "cell": groups.ev.cells,
        "outcome": groups.labels,
    }
    attrs = {"bayesf1_version": __version__}
    return {name: dataset(variables, coords, attrs) for name, variables in found.items()}


def _variables(
    likelihood: Likelihood,
    draws: Draws,
    shares: FloatArray,
    measures: Sequence[Metric],
    rng: np.random.Generator,
) -> Variables:
    groups = likelihood.groups

    def score(p: FloatArray) -> FloatArray:
        tables = groups.tables(p)
        return np.stack([measure(tables, groups.ev.cells) for measure in measures], axis=-1)

    wide = (*_LEAD, "system", "measure")
    found: Variables = {
        "score": (wide, score(draws["pi"])),
        "score_new": (wide, score(likelihood.new_shares(draws, rng))),
    }
    # One corpus at a time, so that tables of all at once need no room. Dims come in one order throughout, as
    # ArviZ 1.x mixes up its labels otherwise.
    each = [score(shares[:, :, g]) for g in range(len(groups.names))]
    found["score_dataset"] = ((*wide, "dataset"), np.stack(each, axis=-1))
    cell = "cell" if groups.labels == groups.ev.cells else "outcome"
    found["pi"] = (
        ((*_LEAD, cell), draws["pi"][..., 0, :]) if groups.joint else ((*_LEAD, "system", cell), draws["pi"])
    )
    # Effects on joint outcomes are effects on the cells of a table, too.
    dims = {"log_kappa": ("system",), "group_sd": ("cell" if groups.joint else cell,), "interaction_sd": ()}
    return found | {name: ((*_LEAD, *dims[name]), draws[name]) for name in dims if name in draws}
