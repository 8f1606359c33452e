"""The public names, each with the module that has it; the package imports a module when a name of it is first used."""

from . import measures as measures
from .corpora.fit import hierarchical as hierarchical, load_fit as load_fit
from .corpora.model import HierarchicalPrior as HierarchicalPrior
from .cv.fold_tests import fold_tests as fold_tests
from .cv.run import cross_validate as cross_validate
from .designs import BlockedCV as BlockedCV, KFoldCV as KFoldCV
from .distributions.difference import Difference as Difference
from .distributions.fscore import Beta as Beta, FScore as FScore
from .evaluation import Evaluation as Evaluation, score as score
from .frequentist.coverage import coverage_curve as coverage_curve
from .frequentist.intervals import (
    difference_intervals as difference_intervals,
    interval_table as interval_table,
    intervals as intervals,
)
from .frequentist.monitoring import monitor as monitor
from .frequentist.planning import (
    assumed_pilot as assumed_pilot,
    plan as plan,
    plan_comparison as plan_comparison,
    resolution as resolution,
)
from .frequentist.randomization import adjust as adjust, randomization_test as randomization_test
from .inference.compare import compare as compare
from .inference.comparison import Comparison as Comparison, Comparisons as Comparisons
from .inference.pairing import pairing_bounds as pairing_bounds
from .inference.per_class import compare_classes as compare_classes
from .inference.posterior import posterior as posterior, summary as summary
from .inference.rank import rank as rank, scoreboard as scoreboard
from .io.counts import from_counts as from_counts, from_folds as from_folds
from .io.examples import load_example as load_example
from .io.frames import from_frame as from_frame, from_patterns as from_patterns
from .io.labels import (
    from_confusion as from_confusion,
    from_correct as from_correct,
    from_labels as from_labels,
    from_units as from_units,
)
from .io.read import from_conll as from_conll, read as read
from .io.saved import load as load
from .io.scores import (
    from_probabilities as from_probabilities,
    from_scores as from_scores,
    from_statistics as from_statistics,
)
from .io.tags import from_tags as from_tags
from .labelling import plan_labels as plan_labels
from .output.plots import (
    plot_classes as plot_classes,
    plot_coverage as plot_coverage,
    plot_curves as plot_curves,
    plot_difference as plot_difference,
    plot_intervals as plot_intervals,
    plot_posterior as plot_posterior,
    plot_rank as plot_rank,
    save_plot as save_plot,
)
from .tasks.multiclass import confusion as confusion

__version__: str
