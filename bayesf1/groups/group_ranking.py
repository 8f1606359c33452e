"""All models of a hierarchical fit, ranked for one of its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.bayes.ranking import Ranking
from bayesf1.evaluation.metric import Metric
from bayesf1.groups import wording

if TYPE_CHECKING:
    from bayesf1.groups.fit import HierarchicalFit


def ranking_of(
    fit: HierarchicalFit, measure: Metric, question: str, rope: float, scores: FloatArray
) -> Ranking:
    """Return the ranking that draws of scores (draw, model) make, in the words of a fit."""
    n, k = scores.shape
    if k < 2:
        raise ValueError(f"there is one model ({fit.models[0]}); a ranking takes two")
    at = [fit.datasets.index(question)] if question in fit.datasets else slice(None)
    observed = measure(fit.ev.tables[at], fit.ev.cells).mean(axis=0)
    order = np.argsort(-scores.mean(axis=0), kind="stable")
    scores = scores[:, order]
    ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable")
    p_rank = np.stack([np.bincount(ranks[:, i], minlength=k) for i in range(k)]) / n
    p_beats = np.stack([(scores[:, [i]] > scores + rope).mean(axis=0) for i in range(k)])
    low, high = np.quantile(scores, [0.5 * (1.0 - fit.prob), 0.5 * (1.0 + fit.prob)], axis=0)
    names = [fit.models[i] for i in order]
    model = wording.assumptions(fit).removesuffix(".")
    return Ranking(
        data_vars={
            "score": ("system", observed[order]),
            "mean": ("system", scores.mean(axis=0)),
            "low": ("system", low),
            "high": ("system", high),
            "p_best": ("system", p_rank[:, 0]),
            "expected_rank": ("system", p_rank @ np.arange(1, k + 1)),
            "p_rank": (("system", "rank"), p_rank),
            "p_beats": (("system", "opponent"), p_beats),
            "tied": ("system", p_beats[0] < fit.prob),
        },
        coords={"system": names, "rank": np.arange(1, k + 1), "opponent": names},
        attrs={
            "metric": measure.name,
            "label": f"{measure.label} on {fit.scope(question)}",
            "percent": int(measure.percent),
            "belief": f"hierarchical model of {len(fit.datasets)} {fit.nouns}",
            "rope": rope,
            "prior": fit.ev.kind.default_prior if fit.prior.cells is None else fit.prior.cells,
            "prob": fit.prob,
            "assumption": fit.assumption,
            "dependence": f"{model[0].lower()}{model[1:]}",
            "caution": fit.diagnostics.caution,
            "n_draws": n,
        },
    )
