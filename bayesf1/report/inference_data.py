"""Evaluations and comparisons as ArviZ keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayesf1 import __version__
from bayesf1.base.arrays import FloatArray
from bayesf1.base.arviz_data import container, dataset
from bayesf1.base.checks import RNGLike, check_draws, check_rng
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measures
from bayesf1.evaluation.under import Under

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparisons

_CHAINS = 4
# Arrays by name, with the names of their axes.
_Variables: TypeAlias = Mapping[str, tuple[Sequence[str], FloatArray]]


def to_arviz(
    ev: Evaluation,
    *,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    prior: float | None = None,
    assumption: str = "auto",
    n_draws: int = 4000,
    rng: RNGLike = None,
) -> Any:
    r"""Return posterior draws of all models and measures, for ArviZ.

    Draws come from the posterior of the tables, :math:`\mathrm{Dirichlet}(\text{counts}+\lambda)` or the
    Bayesian bootstrap of clusters; the same draws serve all models and measures.

    Parameters
    ----------
    ev
        The evaluation.
    metrics
        Names of measures, or callables on tables (..., cell); precision, recall and F1 by default.
    prior, assumption
        As in `compare`.
    n_draws, rng
        How many draws in all, in four chains, and the source of randomness.

    Returns
    -------
    arviz.InferenceData or xarray.DataTree
        As the installed ArviZ has it, with the same variables in either. The group ``posterior`` holds ``score``
        (chain, draw, system, measure) and the share of each cell, ``pi`` (chain, draw, system, cell);
        ``observed_data`` the tables.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> idata = to_arviz(from_counts(A=(77, 44, 10), B=(83, 9, 14)), rng=1)
    >>> idata["posterior"]["score"].sel(measure="f1").dims
    ('chain', 'draw', 'system')
    """
    check_evaluation(ev)
    measures = find_measures(metrics, ev)
    weight, under = ev.kind.check_prior(prior), ev.under(assumption)
    under.warn(*measures)
    draws, scores = _drawn(under, measures, weight, n_draws, rng)
    settings = {"prior": weight, "assumption": under.assumption, "n_draws": n_draws}
    sums = draws.sum(axis=-1, keepdims=True)
    cells = np.divide(draws, sums, out=np.zeros_like(draws), where=sums > 0)
    shares = {"pi": (("chain", "draw", "system", "cell"), cells)}
    return _inference_data(scores, shares, ev, measures, settings)


def comparisons_to_arviz(res: Comparisons, *, n_draws: int = 4000, rng: RNGLike = None) -> Any:
    """Return draws of a comparison for ArviZ: ``score`` as in `to_arviz`, and ``difference``, B minus A.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> idata = comparisons_to_arviz(compare(from_counts(A=(77, 44, 10), B=(83, 9, 14))), rng=1)
    >>> idata["posterior"]["difference"].dims
    ('chain', 'draw', 'measure')
    """
    found = list(res.values())
    first = found[0]
    measures = [c.measure for c in found]
    kept = [getattr(c, "scores", None) for c in found]
    if kept[0] is not None:
        scores = np.stack([np.asarray(values) for values in kept], axis=-1)
    else:
        _, scores = _drawn(first.under, measures, first.prior, n_draws, rng)
    settings = {"rope": first.rope, "prob": first.prob, "prior": first.prior, "assumption": first.assumption}
    gaps = scores[..., 1, :] - scores[..., 0, :]
    differences: _Variables = {"difference": (("chain", "draw", "measure"), gaps)}
    return _inference_data(scores, differences, first.ev, measures, settings)


def _drawn(
    under: Under, measures: Sequence[Metric], prior: float, n_draws: int, rng: RNGLike
) -> tuple[FloatArray, FloatArray]:
    """Return draws of the tables (chain, draw, system, cell), and their scores (chain, draw, system, metric)."""
    ev = under.ev
    if ev.shape:
        raise ValueError(f"draws are made for one experiment, but the tables have leading axes {ev.shape}")
    each = -(-check_draws(n_draws) // _CHAINS)
    generator = check_rng(rng)
    flat = np.concatenate(list(under.draw(prior=prior, n_draws=_CHAINS * each, rng=generator)))
    scores = [
        np.clip(under.stretch(measure)(measure(flat, ev.cells), generator), *measure.support)
        for measure in measures
    ]
    shape = (_CHAINS, each, len(ev.models))
    return flat.reshape(*shape, -1), np.stack([each.reshape(shape) for each in scores], axis=-1)


def _inference_data(
    scores: FloatArray, more: _Variables, ev: Evaluation, measures: Sequence[Metric], settings: dict[str, Any]
) -> Any:
    names = [m.name for m in measures]
    coords = {"system": ev.models, "measure": names, "cell": ev.cells}
    attrs = {"bayesf1_version": __version__, "settings": json.dumps(settings)}
    lead = ("dataset",) if ev.shape else ()
    n_units = np.array(0.0 if ev.units is None else ev.units.size)
    groups: dict[str, _Variables] = {
        "posterior": {"score": (("chain", "draw", "system", "measure"), scores), **more},
        "observed_data": {"counts": ((*lead, "system", "cell"), np.array(ev.tables))},
        "constant_data": {"n_units": ((), n_units)},
    }
    return container({group: dataset(variables, coords, attrs) for group, variables in groups.items()})
