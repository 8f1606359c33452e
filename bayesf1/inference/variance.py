"""Where the variance of a difference comes from: training and test items, or generations and items."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bayesf1.inference.control_variate import difference_slopes
from bayesf1.metrics import Metric
from bayesf1.sampling.model import SamplingModel

# Draws that show how much of the uncertainty about methods comes from the test items.
_DRAWS = 1_000
# Levels of a normal distribution one standard deviation below and above its mean.
_ONE_SD = (0.158655, 0.841345)


class Variance(NamedTuple):
    """The variance of a difference of two methods' scores, by where it comes from.

    Attributes
    ----------
    training, items
        The part of the training runs, and that of the test items.
    run_sd_a, run_sd_b
        The standard deviation of either method's true scores from run to run (posterior median).
    """

    training: float
    items: float
    run_sd_a: float
    run_sd_b: float

    @property
    def share(self) -> float:
        """The share of training."""
        total = self.training + self.items
        return 0.0 if total == 0.0 else self.training / total


class GenerationShare(NamedTuple):
    """How much of the variance of a difference generations of the same items have; the rest is that of the items.

    Attributes
    ----------
    share
        Their share.
    noun
        What one is called.
    """

    share: float
    noun: str


def variance_by_source(sampling: SamplingModel, metric: Metric) -> Variance | None:
    """Return how much of the uncertainty comes from training, and how much from items; None unless methods are compared."""
    if not sampling.ev.methods or sampling.target != "method":
        return None
    rng = np.random.default_rng(0)
    (runs,) = sampling.run_variances([metric], rng=rng)
    sd_a, sd_b = runs.medians.tolist()
    of_these_models = replace(sampling, target="models")
    (scores,) = of_these_models.scores([metric], n_draws=_DRAWS, rng=rng)
    # Inflated draws may have no variance, but they have quantiles.
    low, high = np.quantile(scores[:, 1] - scores[:, 0], _ONE_SD)
    return Variance(
        training=float((np.square(runs.medians) / runs.runs).sum()),
        items=float((0.5 * (high - low)) ** 2),
        run_sd_a=sd_a,
        run_sd_b=sd_b,
    )


def generation_share(sampling: SamplingModel, metric: Metric) -> GenerationShare | None:
    """Return which part of the variance of a difference comes from generations; None if each item has one."""
    ev = sampling.ev
    generations = ev.generations
    if generations is None or generations.most < 2 or ev.methods:
        return None
    units = ev.units
    assert units is not None
    slopes = difference_slopes(sampling, metric, ev.tables).ravel()
    # What one more unit of each pattern changes, to first order.
    changes = np.asarray(units.rows @ slopes)
    centred = changes - units.weights @ changes / units.size
    total = float(units.weights @ np.square(centred))
    share = float(generations.variance(slopes)) / total if total > 0.0 else 0.0
    return GenerationShare(min(share, 1.0), generations.noun)
