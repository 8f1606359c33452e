"""Where the variance of a difference comes from: training and test items, or generations and items."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bayesf1.inference.control_variate import weighted_slopes
from bayesf1.metrics import Metric
from bayesf1.sampling.model import SamplingModel

# The number of draws that show how much of the uncertainty about methods comes from the test items.
_DRAWS = 1_000
# Levels of a normal distribution one standard deviation below and above its mean.
_ONE_SD = (0.158655, 0.841345)


class Variance(NamedTuple):
    """The variance of a difference of two methods' scores, by where it comes from.

    Attributes
    ----------
    training, items
        The variance that comes from training runs, and from test items.
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
    """How much of the variance of differences comes from generations of the same items; the rest comes from the items.

    Attributes
    ----------
    share
        The share of generations.
    noun
        What a generation is called.

    Examples
    --------
    >>> found = GenerationShare(0.85, "generation")
    >>> round(found.shorter_with_twice_generations, 3), round(found.shorter_with_twice_items, 3)
    (0.242, 0.293)
    """

    share: float
    noun: str

    @property
    def shorter_with_twice_generations(self) -> float:
        """How much shorter the interval would be with twice as many generations of each item, as a share of its length."""
        return 1.0 - math.sqrt(1.0 - 0.5 * self.share)

    @property
    def shorter_with_twice_items(self) -> float:
        """How much shorter the interval would be with twice as many items, as a share of its length."""
        return 1.0 - math.sqrt(0.5)

    def to_dict(self) -> dict[str, float]:
        """Return the share and what more generations, or items, would bring (Miller 2024)."""
        return {
            "share": self.share,
            "shorter_with_twice_generations": self.shorter_with_twice_generations,
            "shorter_with_twice_items": self.shorter_with_twice_items,
        }


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
    """Return which part of the variance of differences between models comes from generations.

    It is None if each item has one generation, or if answers to several prompts take their place, as prompts are not a
    sample.
    """
    ev = sampling.ev
    generations = ev.generations
    if generations is None or ev.methods or sampling.assumption == "fixed":
        return None
    if generations.most < 2 or generations.noun == "prompt":
        return None
    units = ev.units
    assert units is not None
    n_models = len(ev.names)
    total = 0.0
    of_generations = 0.0
    # Squared differences of all pairs of models add up to a multiple of the squared differences from their mean.
    for weights in np.eye(n_models) - 1.0 / n_models:
        slopes = weighted_slopes(sampling, metric, ev.tables, weights).ravel()
        # The change by one more unit of each pattern, to first order.
        changes = np.asarray(units.rows @ slopes)
        centred = changes - units.weights @ changes / units.size
        total += float(units.weights @ np.square(centred))
        of_generations += generations.variance(slopes)
    if total == 0.0:
        return GenerationShare(0.0, generations.noun)
    return GenerationShare(min(of_generations / total, 1.0), generations.noun)
