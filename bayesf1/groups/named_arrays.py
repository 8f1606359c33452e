"""From draws of a hierarchical model to named arrays: scores, predictions, likelihoods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.arviz_data import dataset, named_scores
from bayesf1.evaluation.metric import Metric
from bayesf1.groups.dirichlet_multinomial import Draws
from bayesf1.groups.nuts import Likelihood
from bayesf1.groups.simplex import draw_counts

if TYPE_CHECKING:
    import xarray as xr

_PRIOR_DRAWS = 500
# Predictions are for looking at; more draws of each chain would only take room.
_PREDICTED = 500


def arviz_groups(
    likelihood: Likelihood,
    draws: Draws,
    measures: Sequence[Metric],
    rng: np.random.Generator,
    *,
    stats: Mapping[str, FloatArray],
    attrs: Mapping[str, Any],
) -> dict[str, xr.Dataset]:
    """Return all that ArviZ is to know of a fit, by its names of groups.

    Parameters
    ----------
    likelihood
        The model.
    draws
        Draws of its parameters, axes (chain, draw, ...).
    measures
        The measures to score.
    rng
        The source of randomness for new corpora and predictions.
    stats
        Statistics of the sampler, axes (chain, draw); may be empty.
    attrs
        What to say of every group.
    """
    groups = likelihood.groups
    coords = {
        "system": groups.ev.models,
        "metric": [measure.name for measure in measures],
        "dataset": groups.names,
        "cell": groups.ev.cells,
        "outcome": groups.labels,
    }
    shares = likelihood.corpus_shares(draws, rng)
    posterior = _variables(likelihood, draws, shares, measures, rng)
    lead = ("chain", "draw")
    log_likelihood = {"counts": ((*lead, "dataset"), likelihood.log_likelihood(draws))}
    before = {name: value[None] for name, value in likelihood.prior_draws(_PRIOR_DRAWS, rng).items()}
    prior = _variables(likelihood, before, before["shares"], measures, rng)
    found = {
        "posterior": dataset(posterior, coords, attrs),
        "posterior_predictive": dataset(_predict(likelihood, shares[:, :_PREDICTED], rng), coords, attrs),
        "log_likelihood": dataset(log_likelihood, coords, attrs),
        "prior": dataset(prior, coords, attrs),
        "prior_predictive": dataset(_predict(likelihood, before["shares"], rng), coords, attrs),
        "observed_data": dataset(
            {"counts": (("dataset", "system", "cell"), np.array(groups.ev.tables))}, coords, attrs
        ),
        "constant_data": dataset({"outcomes": _observed(likelihood)}, coords, attrs),
    }
    if stats:
        found["sample_stats"] = dataset({name: (lead, value) for name, value in stats.items()}, coords, attrs)
    return found


def _variables(
    likelihood: Likelihood,
    draws: Draws,
    shares: FloatArray,
    measures: Sequence[Metric],
    rng: np.random.Generator,
) -> dict[str, tuple[tuple[str, ...], FloatArray]]:
    lead, groups = ("chain", "draw"), likelihood.groups

    def score(p: FloatArray) -> FloatArray:
        tables = groups.tables(p)
        return np.stack([measure(tables, groups.ev.cells) for measure in measures], axis=-1)

    found = named_scores(score(draws["pi"]), [m.name for m in measures])
    found["score_new"] = ((*lead, "system", "metric"), score(likelihood.new_shares(draws, rng)))
    # One corpus at a time, so that tables of all at once need no room. Dims come in one order throughout, as
    # ArviZ 1.x mixes up its labels otherwise.
    each = [score(shares[:, :, g]) for g in range(len(groups.names))]
    found["score_dataset"] = ((*lead, "system", "metric", "dataset"), np.stack(each, axis=-1))
    cell = "cell" if groups.labels == groups.ev.cells else "outcome"
    found["pi"] = (
        ((*lead, cell), draws["pi"][..., 0, :]) if groups.joint else ((*lead, "system", cell), draws["pi"])
    )
    dims = {
        "log_kappa": ("system",),
        "group_sd": ("cell",) if likelihood_cells(likelihood) else ("outcome",),
        "interaction_sd": (),
    }
    found |= {name: ((*lead, *dims[name]), draws[name]) for name in dims if name in draws}
    return found


def likelihood_cells(likelihood: Likelihood) -> bool:
    """Say whether effects of a corpus are effects on cells of a table, not on outcomes."""
    groups = likelihood.groups
    return groups.joint or groups.labels == groups.ev.cells


def _predict(
    likelihood: Likelihood, shares: FloatArray, rng: np.random.Generator
) -> dict[str, tuple[tuple[str, ...], FloatArray]]:
    totals = likelihood.groups.counts.sum(axis=-1)
    counts = draw_counts(np.broadcast_to(totals, shares.shape[:-1]), shares, rng)
    dims = ("chain", "draw", "dataset", "system", "cell")
    return {"counts": (dims, likelihood.groups.tables(counts))}


def _observed(likelihood: Likelihood) -> tuple[tuple[str, ...], FloatArray]:
    groups = likelihood.groups
    if groups.joint:
        return ("dataset", "outcome"), np.array(groups.counts[:, 0])
    return ("dataset", "system", "outcome"), np.array(groups.counts)
