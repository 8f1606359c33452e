"""All models of a hierarchical fit, ranked for one of its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.arrays import FloatArray
from bayesf1.bayes import ranking
from bayesf1.bayes.rope import Rope
from bayesf1.evaluation.metric import Metric
from bayesf1.groups import wording

if TYPE_CHECKING:
    from bayesf1.groups.fit import HierarchicalFit


def ranking_of(
    fit: HierarchicalFit, measure: Metric, question: str, rope: Rope, scores: FloatArray
) -> ranking.Ranking:
    """Return the ranking that draws of scores (draw, model) make, in the words of a fit."""
    if scores.shape[1] < 2:
        raise ValueError(f"there is one model ({fit.models[0]}); a ranking takes two")
    at = [fit.datasets.index(question)] if question in fit.datasets else slice(None)
    observed = measure(fit.ev.tables[at], fit.ev.cells).mean(axis=0)
    model = wording.assumptions(fit).removesuffix(".")
    caution = fit.diagnostics.caution
    return ranking.ranking_of(
        scores,
        observed,
        fit.models,
        measure,
        rope=rope,
        prob=fit.prob,
        attrs={
            "label": f"{measure.label} on {fit.scope(question)}",
            "belief": f"hierarchical model of {len(fit.datasets)} {fit.nouns}",
            "prior": fit.ev.kind.default_prior if fit.prior.cells is None else fit.prior.cells,
            "assumption": fit.assumption,
            "target": "models",
            "dependence": f"{model[0].lower()}{model[1:]}",
            "citation": "a hierarchical model",
            "notes": [*wording.notes(fit), *([caution] if caution else [])],
        },
    )
