"""Measures that are not functions of a confusion table: of ranked lists, curves, clusterings and raters."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayesf1.measures.agreement import (
        Coincidences,
        alpha_posterior,
        coincidence_matrix,
        krippendorff_alpha,
    )
    from bayesf1.measures.clustering import (
        PairScores,
        PurityScores,
        pair_scores,
        purity_scores,
        soft_purity_scores,
    )
    from bayesf1.measures.curves import Curve, pr_ap, pr_curve, pr_points, roc_auc, roc_curve, roc_points
    from bayesf1.measures.ranked import (
        average_precision,
        cg,
        dcg,
        err,
        grade_probability,
        mean_average_precision,
        mean_reciprocal_rank,
        ndcg,
        pfound,
        precision_at_k,
        reciprocal_rank,
    )

__all__ = [
    "Coincidences",
    "Curve",
    "PairScores",
    "PurityScores",
    "alpha_posterior",
    "average_precision",
    "cg",
    "coincidence_matrix",
    "dcg",
    "err",
    "grade_probability",
    "krippendorff_alpha",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg",
    "pair_scores",
    "pfound",
    "pr_ap",
    "pr_curve",
    "pr_points",
    "precision_at_k",
    "purity_scores",
    "reciprocal_rank",
    "roc_auc",
    "roc_curve",
    "roc_points",
    "soft_purity_scores",
]

_LATER = {
    "agreement": ("Coincidences", "alpha_posterior", "coincidence_matrix", "krippendorff_alpha"),
    "clustering": ("PairScores", "PurityScores", "pair_scores", "purity_scores", "soft_purity_scores"),
    "curves": ("Curve", "pr_ap", "pr_curve", "pr_points", "roc_auc", "roc_curve", "roc_points"),
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'bayesf1.measures' has no attribute {name!r}")
    module = next((module for module, names in _LATER.items() if name in names), "ranked")
    found = globals()[name] = getattr(import_module(f"bayesf1.measures.{module}"), name)
    return found
