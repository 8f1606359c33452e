r"""How much training adds to the doubt about a method: runs × items.

A method was trained R times, and every run was tested on the same units. Its score is the mean of its runs' scores.
Units that were drawn are one source of doubt, and runs that happened to be trained another: a run's true score varies
around its method's by a standard deviation τ, which adds :math:`\tau^2 / R`. Of τ the runs' observed scores tell, less
what drawing units alone does to their differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.metric import Metric
from bayesf1.laws.spread import SCALE, Spread, spread_of


@dataclass(frozen=True, eq=False)
class Training:
    """What is known of how much runs of a method differ.

    Attributes
    ----------
    spread
        The standard deviation τ of runs' true scores around their method's.
    runs
        How many runs each method has.
    """

    spread: Spread
    runs: FloatArray

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw what training adds to the methods' scores, axes (draw, method)."""
        return np.asarray(
            self.spread.draw(n, rng)[:, None] * rng.standard_normal((n, len(self.runs))) / np.sqrt(self.runs)
        )

    def variance(self, methods: Sequence[int] = (0, 1)) -> float:
        """Return the variance that training adds to the difference of two methods' scores."""
        middle = 0.5 * (self.spread.edges[1:] + self.spread.edges[:-1])
        return float(self.spread.weights @ middle**2 * sum(1.0 / self.runs[i] for i in methods))


def variance_apart(drawn: FloatArray, groups: Sequence[Sequence[int]]) -> float:
    """Return the variance that units alone give to a run's score beside those of its method's other runs.

    Parameters
    ----------
    drawn
        Draws of the runs' scores, axes (draw, run).
    groups
        The runs of each method.

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(0.0, 0.1, (50_000, 4))
    >>> shared = np.random.default_rng(2).normal(0.0, 1.0, (50_000, 1))
    >>> round(variance_apart(noise + shared, [[0, 1, 2, 3]]), 4)
    0.01
    """
    total = freedom = 0.0
    for runs in (list(runs) for runs in groups if len(runs) > 1):
        apart = drawn[:, runs] - drawn[:, runs].mean(axis=1, keepdims=True)
        total += float(apart.var(axis=0).mean()) * len(runs)
        freedom += len(runs) - 1
    return total / freedom if freedom else 0.0


def training_of(
    measure: Metric, observed: FloatArray, drawn: FloatArray | None, groups: Sequence[Sequence[int]]
) -> Training:
    r"""Return how much training adds, from the scores of all runs.

    With :math:`f_r` the observed scores, :math:`\bar f` their method's mean and v the variance that drawing units alone
    gives to :math:`f_r - \bar f`, times R/(R-1), :math:`\sum (f_r - \bar f)^2 / (\tau^2 + v)` has as many degrees of
    freedom as there are runs less methods. It is the runs' average v that counts: the covariance of the contrasts has
    its leading direction along the runs' own spread, and would explain it away.

    Parameters
    ----------
    measure
        The measure, whose range is the scale of what is believed of τ beforehand.
    observed
        The plain scores of the runs.
    drawn
        Posterior draws of them, axes (draw, run), as units alone make them vary; None where it is not known what units
        the runs share, and the whole spread is taken for that of training.
    groups
        The runs of each method.

    Examples
    --------
    >>> from bayesf1.kinds.binary_measures import find_metric
    >>> scores = np.array([0.80, 0.82, 0.78, 0.84, 0.86, 0.85])
    >>> known = training_of(find_metric("f1"), scores, None, [[0, 1, 2], [3, 4, 5]])
    >>> [round(float(x), 3) for x in known.spread.quantile([0.025, 0.5, 0.975])]
    [0.01, 0.019, 0.051]
    """
    several = [list(runs) for runs in groups if len(runs) > 1]
    squares = float(sum(((observed[runs] - observed[runs].mean()) ** 2).sum() for runs in several))
    freedom = float(sum(len(runs) - 1 for runs in several))
    variance = 0.0 if drawn is None else variance_apart(drawn, groups)
    low, high = measure.support
    # A measure without ends, as a loss, has no scale but that of its runs.
    typical = np.sqrt(max(squares / freedom if freedom else 0.0, variance)) or 1.0
    scale = SCALE * (high - low) if np.isfinite(high - low) else float(typical)
    return Training(
        spread_of(squares, freedom, variance, scale=scale), np.array([float(len(g)) for g in groups])
    )
