"""A control variate of paired differences: their first order, whose probabilities are known without draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.metrics import Metric
from bayesf1.sampling.draws import SMALL
from bayesf1.sampling.inflation import SmallSampleInflation
from bayesf1.sampling.model import SamplingModel
from bayesf1.units import MANY

# Of fewer effective units, draws cost little, and a linear form is a poor guide.
_FEWEST_UNITS = 10
# Of more cells numerical slopes cost as much as draws do.
_MOST_CELLS = 1_000


def gamma_sum_sf(coefficients: FloatArray, shapes: FloatArray) -> float:
    r"""Return :math:`P(\sum_i a_i G_i > 0)` of independent :math:`G_i \sim \mathrm{Gamma}(k_i)`.

    The characteristic function is inverted (Gil-Pelaez 1951),

    .. math:: \tfrac12 + \tfrac1\pi \int_0^\infty \sin\Big(\sum_i k_i \arctan a_i t\Big)
              \prod_i (1 + a_i^2 t^2)^{-k_i/2} \, \frac{dt}{t},

    by the midpoint rule, whose error falls exponentially with its step.

    Examples
    --------
    >>> gamma_sum_sf(np.array([1.0, -1.0]), np.array([5.0, 3.0]))  # P(Beta(5, 3) > 1/2)
    0.7734375
    """
    spread = float(np.sqrt(shapes @ coefficients**2))
    reach = abs(float(shapes @ coefficients)) + 10.0 * spread + 30.0 * float(np.abs(coefficients).max())
    if not spread:
        return 0.5
    n = 64
    while n < 1 << 13 and shapes @ np.log1p((coefficients * (n * np.pi / reach)) ** 2) < 64.0:
        n *= 2
    places, total = np.arange(n) + 0.5, 0.0
    # Of very many patterns those that count for little do so by their first four cumulants: where the integrand is not
    # yet 0, the rest of their series is below 1e-5.
    squares = np.square(coefficients)
    small = (squares < SMALL * spread * spread) & (len(shapes) > MANY)
    powers = (coefficients, squares, coefficients * squares, squares * squares)
    first, second, third, fourth = ((shapes * small) @ power / k for k, power in enumerate(powers, 1))
    coefficients, shapes = coefficients[~small], shapes[~small]
    # Patterns times nodes that fit into the cache.
    step = max(1, 100_000 // max(len(shapes), 1))
    for some in np.split(places, range(step, n, step)):
        at = some * (np.pi / reach)
        t = np.outer(at, coefficients)
        modulus = np.exp(-0.5 * (np.log1p(t * t) @ shapes) - second * at**2 + fourth * at**4)
        total += float((np.sin(np.arctan(t) @ shapes + first * at - third * at**3) * modulus / some).sum())
    return float(np.clip(0.5 + total / np.pi, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class LinearControl:
    r"""A control variate of the difference D of two models' scores: D to first order in the tables.

    To first order :math:`D \approx d + g\cdot T / (h\cdot T)` with the plain difference d, its slopes g and what the
    metric is divided by, h. As tables T are sums of gamma variates, how probable it is that this exceeds a margin is
    known, and only draws in which D itself and its first order disagree are left to chance.

    Attributes
    ----------
    difference
        The plain difference d.
    slopes, denominators
        g and h, axes (model, cell).
    rises, divisors, shapes
        What one unit of each pattern adds to g·T and to h·T, and how many units there are, the prior's among them.
    inflation
        How draws are moved away from the plain difference.
    """

    difference: float
    slopes: FloatArray
    denominators: FloatArray
    rises: FloatArray
    divisors: FloatArray
    shapes: FloatArray
    inflation: SmallSampleInflation

    @classmethod
    def of(cls, sampling: SamplingModel, metric: Metric) -> LinearControl | None:
        """Return the control of the second model's score minus the first's; None if draws stand by themselves."""
        ev, task = sampling.ev, sampling.ev.task
        if ev.methods or sampling.training_variance is not None or not metric.smooth:
            return None
        inflation = sampling.inflation(metric)
        # A pull on both models alike leaves their difference as it is.
        if inflation.freedom < _FEWEST_UNITS - 1.0 or (inflation.pull is not None and np.ptp(inflation.pull)):
            return None
        units = task.drawn_units(sampling, metric)
        if units is None:
            return None
        # The prior's units move the centre.
        tables = units.totals.reshape(ev.tables.shape)
        gap, parts = np.array([-1.0, 1.0]), metric.expansion(tables, ev.cells)
        weights = metric.denominator_weights(tables, ev.cells)
        wholes = (weights * tables).sum(axis=1, keepdims=True)
        if not (wholes > 0.0).all() or (parts is None and tables.size > _MOST_CELLS):
            return None
        if parts is None:
            slopes = replace(sampling.samples, tables=tables).gradient(lambda t: metric(t, ev.cells) @ gap)
        else:
            above, below = ((part * tables).sum(axis=1, keepdims=True) for part in parts)
            slopes = (gap[:, None] * (parts[0] - above / below * parts[1]) / below).ravel()
        if not slopes.any():
            return None
        denominators = 0.5 * weights / wholes
        rises, divisors = np.asarray(units.rows @ np.stack([slopes, denominators.ravel()], axis=1)).T
        used = (rises != 0.0) | (divisors != 0.0)
        return cls(
            float(metric(tables, ev.cells) @ gap),
            slopes.reshape(ev.tables.shape),
            denominators,
            rises[used],
            divisors[used],
            units.weights[used],
            inflation,
        )

    def sums(self, rows: Any) -> FloatArray:
        """Return g·T and h·T of rows (row, model·cell), which are whole tables or what units add to them, axes (row, 2)."""
        return np.asarray(rows @ np.stack([self.slopes.ravel(), self.denominators.ravel()], axis=1))

    def exceed(self, drawn: FloatArray, sign: float, margins: FloatArray) -> FloatArray:
        """Return whether the control, times a sign, exceeds margins, of draws of g·T and h·T; ties are halves."""
        ahead = sign * drawn[:, :1] + (sign * self.difference - margins) * drawn[:, 1:]
        return np.asarray((ahead > 0.0) + 0.5 * (ahead == 0.0))

    def sf(self, sign: float, margins: FloatArray) -> FloatArray:
        """Return the probabilities of this."""
        nodes = self.inflation.quadrature()
        known = {}
        for margin in {*margins.tolist()}:
            ahead = (sign * self.difference - margin) * self.divisors
            known[margin] = sum(
                weight * gamma_sum_sf(sign * factor * self.rises + ahead, self.shapes)
                for factor, weight in nodes
            )
        return np.array([known[margin] for margin in margins.tolist()])
