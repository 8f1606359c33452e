"""The public names, each with the module that has it; the package imports a module when a name of it is first used."""

from . import measures as measures
from .bayes.bayes_test import compare as compare
from .bayes.class_test import compare_classes as compare_classes
from .bayes.comparison import Comparison as Comparison
from .bayes.comparisons import Comparisons as Comparisons
from .bayes.posterior import posterior as posterior
from .bayes.ranking import Ranking as Ranking, rank as rank
from .bayes.scoreboard import Scoreboard as Scoreboard, scoreboard as scoreboard
from .bayes.summary import summary as summary
from .crossval.fold_tests import fold_tests as fold_tests
from .crossval.run_tests import run_tests as run_tests
from .crossval.running import cross_validate as cross_validate
from .designs.design import BlockedCV as BlockedCV, KFoldCV as KFoldCV
from .evaluation.evaluation import Evaluation as Evaluation
from .evaluation.scoring import score as score
from .frequentist.assumed import assumed_pilot as assumed_pilot
from .frequentist.assurance import plan_comparison as plan_comparison, resolution as resolution
from .frequentist.coverage import (
    CoverageCurve as CoverageCurve,
    coverage_curve as coverage_curve,
    exact_coverage as exact_coverage,
)
from .frequentist.decision_plan import DecisionPlan as DecisionPlan
from .frequentist.interval_table import Intervals as Intervals
from .frequentist.intervals import difference_intervals as difference_intervals, intervals as intervals
from .frequentist.monitoring import Monitor as Monitor, monitor as monitor
from .frequentist.planning import SampleSize as SampleSize, plan as plan
from .frequentist.randomization import (
    randomization_test as randomization_test,
    randomization_test_scores as randomization_test_scores,
)
from .frequentist.randomization_answer import RandomizationTest as RandomizationTest, adjust as adjust
from .groups.fit import HierarchicalFit as HierarchicalFit
from .groups.fitting import hierarchical as hierarchical
from .groups.prior import HierarchicalPrior as HierarchicalPrior
from .groups.saved import load_fit as load_fit
from .kinds.multiclass import confusion as confusion
from .labelling.audit_table import Audit as Audit, audit as audit
from .labelling.label_plan import LabelPlan as LabelPlan, plan_labels as plan_labels
from .laws.difference import Difference as Difference
from .laws.distributions import Beta as Beta, FScore as FScore
from .laws.empirical import EmpiricalPosterior as EmpiricalPosterior
from .laws.law import Posterior as Posterior
from .laws.student import StudentT as StudentT
from .reading.confusion import from_confusion as from_confusion
from .reading.correct import from_correct as from_correct
from .reading.count_files import read_counts as read_counts
from .reading.counts import from_counts as from_counts, from_folds as from_folds
from .reading.frames import from_frame as from_frame, from_patterns as from_patterns
from .reading.packaged import load_example as load_example
from .reading.predictions import from_labels as from_labels, from_units as from_units
from .reading.preferences_of_pairs import from_preferences as from_preferences
from .reading.probability_columns import from_probabilities as from_probabilities
from .reading.read import read as read
from .reading.saved_evaluations import load as load
from .reading.score_columns import from_scores as from_scores
from .reading.spans import from_conll as from_conll, from_tags as from_tags
from .reading.statistics_columns import from_statistics as from_statistics
from .report.forests import (
    plot_balance as plot_balance,
    plot_classes as plot_classes,
    plot_intervals as plot_intervals,
)
from .report.heat_maps import plot_rank as plot_rank
from .report.inference_data import to_arviz as to_arviz
from .report.plot_files import save_plot as save_plot
from .report.plots import (
    plot_coverage as plot_coverage,
    plot_difference as plot_difference,
    plot_posterior as plot_posterior,
)

__version__: str
