"""Is model B better than model A, how sure are we, and by how much?

An `Evaluation` says what several models did on the same gold data; everything that builds one is called
``from_*``, everything that is asked of one is a verb.
"""

from bayesf1.comparison import Comparison, Comparisons, compare
from bayesf1.crossval import BlockedCV
from bayesf1.difference import Difference
from bayesf1.distributions import Beta, FScore, Posterior
from bayesf1.evaluation import Evaluation, from_counts, from_folds
from bayesf1.metrics import score
from bayesf1.posterior import EmpiricalPosterior, posterior

__version__ = "0.1.0"
