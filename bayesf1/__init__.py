"""Is model B better than model A, how sure are we, and by how much?

An `Evaluation` says what several models did on the same gold data; everything that builds one is called
``from_*``, everything that is asked of one is a verb.
"""

from typing import TYPE_CHECKING, Any

from bayesf1.bayes_test import compare
from bayesf1.comparison import Comparison, Comparisons
from bayesf1.counts import from_counts, from_folds
from bayesf1.crossval import BlockedCV, KFoldCV
from bayesf1.difference import Difference
from bayesf1.distributions import Beta, FScore, Posterior
from bayesf1.evaluation import Evaluation
from bayesf1.files import read_counts
from bayesf1.fold_tests import fold_tests
from bayesf1.frames import from_frame, from_patterns
from bayesf1.metrics import score
from bayesf1.packaged import load_example
from bayesf1.posterior import EmpiricalPosterior, posterior
from bayesf1.predictions import from_labels, from_units
from bayesf1.runner import cross_validate
from bayesf1.spans import from_conll, from_tags
from bayesf1.summary import summary

if TYPE_CHECKING:
    from bayesf1.ranking import Ranking, rank

__version__ = "0.1.0"

__all__ = [
    "Beta",
    "BlockedCV",
    "Comparison",
    "Comparisons",
    "Difference",
    "EmpiricalPosterior",
    "Evaluation",
    "FScore",
    "KFoldCV",
    "Posterior",
    "Ranking",
    "compare",
    "cross_validate",
    "fold_tests",
    "from_conll",
    "from_counts",
    "from_folds",
    "from_frame",
    "from_labels",
    "from_patterns",
    "from_tags",
    "from_units",
    "load_example",
    "posterior",
    "rank",
    "read_counts",
    "score",
    "summary",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    # A Ranking is an xarray Dataset, and xarray takes longer to import than all the rest.
    if name in ("rank", "Ranking"):
        from bayesf1 import ranking

        return getattr(ranking, name)
    raise AttributeError(f"module 'bayesf1' has no attribute {name!r}")
