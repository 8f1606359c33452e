"""Evaluations and comparisons as ArviZ keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from bayesf1 import __version__
from bayesf1.base.arrays import FloatArray
from bayesf1.base.arviz_data import container, dataset
from bayesf1.base.checks import RNGLike, check_draws, check_rng, checked
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measures
from bayesf1.evaluation.under import Under

if TYPE_CHECKING:
    from bayesf1.bayes.comparisons import Comparisons

_CHAINS = 4
# Arrays by name, with the names of their axes.
_Variables: TypeAlias = Mapping[str, tuple[Sequence[str], FloatArray]]


@checked
def to_arviz(
    ev: Evaluation,
    *,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    prior: float | None = None,
    assumption: str = "auto",
    target: str = "auto",
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
    prior, assumption, target
        As in `compare`.
    n_draws, rng
        How many draws in all, in four chains, and the source of randomness.

    Returns
    -------
    arviz.InferenceData or xarray.DataTree
        As the installed ArviZ has it, with the same variables in either. The group ``posterior`` holds ``score``
        (chain, draw, system, measure) and the share of each cell, ``pi`` (chain, draw, system, cell);
        ``observed_data`` the tables. Where models are runs of methods, systems are the methods, and ``score_run``
        (chain, draw, run, measure) has the runs.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> idata = to_arviz(from_counts(A=(77, 44, 10), B=(83, 9, 14)), rng=1)
    >>> idata["posterior"]["score"].sel(measure="f1").dims
    ('chain', 'draw', 'system')
    """
    check_evaluation(ev)
    measures = find_measures(metrics, ev)
    weight, under = ev.kind.check_prior(prior), ev.under(assumption, target)
    under.warn(*measures)
    drawn = _drawn(under, measures, weight, n_draws, rng)
    settings = {
        "prior": weight,
        "assumption": under.assumption,
        "target": under.target,
        "n_draws": n_draws,
    }
    sums = drawn.tables.sum(axis=-1, keepdims=True)
    cells = np.divide(drawn.tables, sums, out=np.zeros_like(drawn.tables), where=sums > 0)
    shares = {"pi": (("chain", "draw", _trained(ev), "cell"), cells)}
    return _inference_data(drawn.scores, {**_runs(ev, drawn), **shares}, ev, measures, settings)


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
    more: _Variables = {}
    kept = [getattr(c, "scores", None) for c in found]
    if kept[0] is not None:
        scores = np.stack([np.asarray(values) for values in kept], axis=-1)
    else:
        drawn = _drawn(first.under, measures, first.prior, n_draws, rng)
        scores, more = drawn.scores, _runs(first.ev, drawn)
    names = ("rope", "prob", "prior", "assumption", "target")
    settings = {name: getattr(first, name) for name in names}
    gaps = scores[..., 1, :] - scores[..., 0, :]
    differences: _Variables = {"difference": (("chain", "draw", "measure"), gaps), **more}
    return _inference_data(scores, differences, first.ev, measures, settings)


class _Drawn(NamedTuple):
    """Draws of the models' tables and scores, and of the scores of what is compared."""

    tables: FloatArray
    runs: FloatArray
    scores: FloatArray


def _trained(ev: Evaluation) -> str:
    """Return what a trained model is called: a run, where several belong to a method."""
    return "run" if ev.methods else "system"


def _runs(ev: Evaluation, drawn: _Drawn) -> _Variables:
    return {"score_run": (("chain", "draw", "run", "measure"), drawn.runs)} if ev.methods else {}


def _drawn(under: Under, measures: Sequence[Metric], prior: float, n_draws: int, rng: RNGLike) -> _Drawn:
    ev = under.ev
    if ev.shape:
        raise ValueError(f"draws are made for one experiment, but the tables have leading axes {ev.shape}")
    each = -(-check_draws(n_draws) // _CHAINS)
    generator = check_rng(rng)
    flat = np.concatenate(list(under.draw(prior=prior, n_draws=_CHAINS * each, rng=generator)))
    known: list[Any] = [None] * len(measures)
    if under.target == "method":
        known = under.training(measures, prior=prior, rng=generator)
    runs, scores = [], []
    for measure, training in zip(measures, known, strict=True):
        stretch = under.stretch(measure)
        of_runs = stretch(measure(flat, ev.cells), stretch.factors(len(flat), generator))
        of_all = under.of_methods(of_runs, stretch.centre, training, generator)
        runs.append(np.clip(of_runs, *measure.support).reshape(_CHAINS, each, -1))
        scores.append(np.clip(of_all, *measure.support).reshape(_CHAINS, each, -1))
    tables = flat.reshape(_CHAINS, each, *flat.shape[1:])
    return _Drawn(tables, np.stack(runs, axis=-1), np.stack(scores, axis=-1))


def _inference_data(
    scores: FloatArray, more: _Variables, ev: Evaluation, measures: Sequence[Metric], settings: dict[str, Any]
) -> Any:
    names = [m.name for m in measures]
    coords = {"system": ev.names, "measure": names, "cell": ev.cells}
    if ev.methods:
        coords["run"] = ev.models
    attrs = {"bayesf1_version": __version__, "settings": json.dumps(settings)}
    lead = ("dataset",) if ev.shape else ()
    n_units = np.array(0.0 if ev.units is None else ev.units.size)
    groups: dict[str, _Variables] = {
        "posterior": {"score": (("chain", "draw", "system", "measure"), scores), **more},
        "observed_data": {"counts": ((*lead, _trained(ev), "cell"), np.array(ev.tables))},
        "constant_data": {"n_units": ((), n_units)},
    }
    return container({group: dataset(variables, coords, attrs) for group, variables in groups.items()})
