"""Is model B better than model A, how sure are we, and by how much?

An `Evaluation` says what several models did on the same gold data; everything that builds one is called
``from_*``, everything that is asked of one is a verb.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bayesf1.crossval import BlockedCV, KFoldCV
from bayesf1.distributions import Beta, FScore
from bayesf1.evaluation import Evaluation
from bayesf1.fold_tests import fold_tests
from bayesf1.law import Posterior
from bayesf1.posterior import EmpiricalPosterior, posterior
from bayesf1.scoring import score
from bayesf1.summary import summary

if TYPE_CHECKING:
    from bayesf1.bayes_test import compare, compare_classes
    from bayesf1.classes import confusion, from_confusion
    from bayesf1.comparison import Comparison, Comparisons
    from bayesf1.counts import from_counts, from_folds
    from bayesf1.difference import Difference
    from bayesf1.files import read_counts
    from bayesf1.frames import from_frame, from_patterns
    from bayesf1.frequentist.assumed import assumed_pilot
    from bayesf1.frequentist.assurance import DecisionPlan, plan_comparison, resolution
    from bayesf1.frequentist.coverage import CoverageCurve, coverage_curve, exact_coverage
    from bayesf1.frequentist.interval_table import Intervals
    from bayesf1.frequentist.intervals import difference_intervals, intervals
    from bayesf1.frequentist.planning import SampleSize, plan
    from bayesf1.frequentist.randomization import (
        RandomizationTest,
        randomization_test,
        randomization_test_scores,
    )
    from bayesf1.hierarchy.fit import HierarchicalFit
    from bayesf1.hierarchy.fitting import hierarchical
    from bayesf1.hierarchy.prior import HierarchicalPrior
    from bayesf1.hierarchy.saved import load_fit
    from bayesf1.packaged import load_example
    from bayesf1.predictions import from_labels, from_units
    from bayesf1.ranking import Ranking, rank
    from bayesf1.report.forests import plot_balance, plot_classes, plot_intervals
    from bayesf1.report.heat_maps import plot_rank
    from bayesf1.report.inference_data import to_arviz
    from bayesf1.report.plot_files import save_plot
    from bayesf1.report.plots import plot_coverage, plot_difference, plot_posterior
    from bayesf1.runner import cross_validate
    from bayesf1.scores import from_scores
    from bayesf1.spans import from_conll, from_tags

__version__ = "0.1.0"

__all__ = [
    "Beta",
    "BlockedCV",
    "Comparison",
    "Comparisons",
    "CoverageCurve",
    "DecisionPlan",
    "Difference",
    "EmpiricalPosterior",
    "Evaluation",
    "FScore",
    "HierarchicalFit",
    "HierarchicalPrior",
    "Intervals",
    "KFoldCV",
    "Posterior",
    "RandomizationTest",
    "Ranking",
    "SampleSize",
    "assumed_pilot",
    "compare",
    "compare_classes",
    "confusion",
    "coverage_curve",
    "cross_validate",
    "difference_intervals",
    "exact_coverage",
    "fold_tests",
    "from_confusion",
    "from_conll",
    "from_counts",
    "from_folds",
    "from_frame",
    "from_labels",
    "from_patterns",
    "from_scores",
    "from_tags",
    "from_units",
    "hierarchical",
    "intervals",
    "load_example",
    "load_fit",
    "plan",
    "plan_comparison",
    "plot_balance",
    "plot_classes",
    "plot_coverage",
    "plot_difference",
    "plot_intervals",
    "plot_posterior",
    "plot_rank",
    "posterior",
    "randomization_test",
    "randomization_test_scores",
    "rank",
    "read_counts",
    "resolution",
    "save_plot",
    "score",
    "summary",
    "to_arviz",
]


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__", "measures"})


# What is not needed by everyone is imported when it is first asked for. A name that is a module's, too, must not
# stand here: the module would hide it.
_LATER = {
    "Comparison": "comparison",
    "Comparisons": "comparison",
    "CoverageCurve": "frequentist.coverage",
    "DecisionPlan": "frequentist.assurance",
    "Difference": "difference",
    "HierarchicalFit": "hierarchy.fit",
    "HierarchicalPrior": "hierarchy.prior",
    "Intervals": "frequentist.interval_table",
    "RandomizationTest": "frequentist.randomization",
    "Ranking": "ranking",
    "SampleSize": "frequentist.planning",
    "assumed_pilot": "frequentist.assumed",
    "compare": "bayes_test",
    "compare_classes": "bayes_test",
    "confusion": "classes",
    "coverage_curve": "frequentist.coverage",
    "cross_validate": "runner",
    "difference_intervals": "frequentist.intervals",
    "exact_coverage": "frequentist.coverage",
    "from_confusion": "classes",
    "from_conll": "spans",
    "from_counts": "counts",
    "from_folds": "counts",
    "from_frame": "frames",
    "from_labels": "predictions",
    "from_patterns": "frames",
    "from_scores": "scores",
    "from_tags": "spans",
    "from_units": "predictions",
    "hierarchical": "hierarchy.fitting",
    "intervals": "frequentist.intervals",
    "load_example": "packaged",
    "load_fit": "hierarchy.saved",
    "plan": "frequentist.planning",
    "plan_comparison": "frequentist.assurance",
    "plot_balance": "report.forests",
    "plot_classes": "report.forests",
    "plot_coverage": "report.plots",
    "plot_difference": "report.plots",
    "plot_intervals": "report.forests",
    "plot_posterior": "report.plots",
    "plot_rank": "report.heat_maps",
    "randomization_test": "frequentist.randomization",
    "randomization_test_scores": "frequentist.randomization",
    "rank": "ranking",
    "read_counts": "files",
    "resolution": "frequentist.assurance",
    "save_plot": "report.plot_files",
    "to_arviz": "report.inference_data",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        found = globals()[name] = getattr(import_module(f"bayesf1.{_LATER[name]}"), name)
        return found
    if name == "measures":
        return import_module("bayesf1.measures")
    raise AttributeError(f"module 'bayesf1' has no attribute {name!r}")
