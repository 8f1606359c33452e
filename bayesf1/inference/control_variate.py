"""A control variate of paired differences: their first-order expansion, whose probabilities are known without draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.metrics import Metric
from bayesf1.sampling.draws import SMALL_SHARE
from bayesf1.sampling.inflation import SmallSampleInflation
from bayesf1.sampling.model import SamplingModel
from bayesf1.units import MANY

# With fewer effective units, draws cost little, and a linear form is a poor approximation.
_FEWEST_UNITS = 10
# With more cells, numerical slopes cost as much as draws do.
_MOST_CELLS = 1_000
# The fewest and the most nodes of the integral.
_FEWEST_NODES = 64
_MOST_NODES = 1 << 13
# The logarithm of a modulus that is practically 0.
_NEGLIGIBLE = -32.0
# Weights of the second score minus the first.
_SIGNS = np.array([-1.0, 1.0])
# The number of patterns times nodes that fit into the cache.
_CACHED = 100_000


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
    mean = float(shapes @ coefficients)
    sd = float(np.sqrt(shapes @ coefficients**2))
    if sd == 0.0:
        return 0.5
    # The sum hardly ever exceeds the reach, so nodes may be π/reach apart.
    reach = abs(mean) + 10.0 * sd + 30.0 * float(np.abs(coefficients).max())
    n_nodes = _FEWEST_NODES
    while n_nodes < _MOST_NODES and _log_modulus(coefficients, shapes, n_nodes * np.pi / reach) > _NEGLIGIBLE:
        n_nodes *= 2
    # If patterns are very many, those that count for little enter by the first four terms of their series; where the
    # integrand is not yet 0, the rest is below 1e-5.
    small = np.zeros(len(shapes), dtype=bool)
    if len(shapes) > MANY:
        small = np.square(coefficients) < SMALL_SHARE * sd * sd
    series = _Series.of(coefficients, shapes * small)
    coefficients = coefficients[~small]
    shapes = shapes[~small]
    total = 0.0
    step = max(1, _CACHED // max(len(shapes), 1))
    for places in np.split(np.arange(n_nodes) + 0.5, range(step, n_nodes, step)):
        t = places * (np.pi / reach)
        # Axes (node, pattern).
        products = np.outer(t, coefficients)
        angles = np.arctan(products) @ shapes + series.first * t - series.third * t**3
        log_moduli = (
            -0.5 * (np.log1p(products * products) @ shapes) - series.second * t**2 + series.fourth * t**4
        )
        total += float((np.sin(angles) * np.exp(log_moduli) / places).sum())
    return float(np.clip(0.5 + total / np.pi, 0.0, 1.0))


def _log_modulus(coefficients: FloatArray, shapes: FloatArray, t: float) -> float:
    """Return the logarithm of the modulus of the characteristic function."""
    return -0.5 * float(shapes @ np.log1p((coefficients * t) ** 2))


class _Series(NamedTuple):
    r"""The coefficients :math:`\sum_i k_i a_i^j / j` of the series of the characteristic function's logarithm."""

    first: float
    second: float
    third: float
    fourth: float

    @classmethod
    def of(cls, coefficients: FloatArray, shapes: FloatArray) -> _Series:
        squares = np.square(coefficients)
        return cls(
            first=float(shapes @ coefficients),
            second=float(shapes @ squares) / 2.0,
            third=float(shapes @ (coefficients * squares)) / 3.0,
            fourth=float(shapes @ (squares * squares)) / 4.0,
        )


@dataclass(frozen=True, eq=False)
class LinearControl:
    r"""A control variate of the difference D of two models' scores: D to first order in the tables.

    To first order :math:`D \approx d + g\cdot T / (h\cdot T)`, with the plain difference d, its slopes g and the weights
    h of the metric's denominator. As tables T are sums of gamma variates, the probability that this exceeds a margin is
    known. Only draws in which D itself and its first order disagree are left to chance.

    Attributes
    ----------
    difference
        The plain difference d.
    slopes, denominators
        g and h, axes (model, cell).
    rises, divisors, shapes
        What one unit of each pattern adds to g·T and to h·T, and how many units there are, including the prior's.
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
        """Return the control of the second model's score minus the first's; None if draws have no control."""
        ev = sampling.ev
        if sampling.assumption == "fixed" or not metric.smooth:
            return None
        if ev.methods or sampling.training_variance is not None:
            return None
        inflation = sampling.inflation(metric)
        if inflation.freedom < _FEWEST_UNITS - 1.0:
            return None
        # An equal shift of both models leaves their difference as it is.
        if inflation.size_effect is not None and np.ptp(inflation.size_effect.shift) > 0.0:
            return None
        units = ev.task.drawn_units(sampling, metric)
        if units is None:
            return None
        # The prior's units move the centre.
        tables = units.totals.reshape(ev.tables.shape)
        weights = metric.denominator_weights(tables, ev.cells)
        wholes = (weights * tables).sum(axis=1, keepdims=True)
        if not (wholes > 0.0).all():
            return None
        if tables.size > _MOST_CELLS and metric.expansion(tables, ev.cells) is None:
            return None
        slopes = weighted_slopes(sampling, metric, tables, _SIGNS)
        if not slopes.any():
            return None
        denominators = 0.5 * weights / wholes
        rises, divisors = _linear_sums(units.rows, slopes, denominators).T
        used = (rises != 0.0) | (divisors != 0.0)
        return cls(
            difference=float(metric(tables, ev.cells) @ _SIGNS),
            slopes=slopes,
            denominators=denominators,
            rises=rises[used],
            divisors=divisors[used],
            shapes=units.weights[used],
            inflation=inflation,
        )

    def sums(self, rows: Any) -> FloatArray:
        """Return g·T and h·T of rows (row, model·cell), which are whole tables or what units add to them, axes (row, 2)."""
        return _linear_sums(rows, self.slopes, self.denominators)

    def exceeds(self, drawn: FloatArray, sign: float, margins: FloatArray) -> FloatArray:
        """Return whether the control, times a sign, exceeds each margin; a tie counts half.

        Parameters
        ----------
        drawn
            Draws of g·T and h·T, axes (draw, 2).
        sign
            1, or -1 if the question is whether the first model is better.
        margins
            Axes (margin,); those of the result are (draw, margin).
        """
        # Axes (draw, 1).
        rises, divisors = np.hsplit(drawn, 2)
        ahead = sign * rises + (sign * self.difference - margins) * divisors
        return np.asarray((ahead > 0.0) + 0.5 * (ahead == 0.0))

    def sf(self, sign: float, margins: FloatArray) -> FloatArray:
        """Return the probabilities that the control, times a sign, exceeds each margin."""
        by_margin = {margin: self._sf(sign, margin) for margin in set(margins.tolist())}
        return np.array([by_margin[margin] for margin in margins.tolist()])

    def _sf(self, sign: float, margin: float) -> float:
        ahead = (sign * self.difference - margin) * self.divisors
        probability = 0.0
        for factor, weight in self.inflation.quadrature():
            probability += weight * gamma_sum_sf(sign * factor * self.rises + ahead, self.shapes)
        return probability


def _linear_sums(rows: Any, slopes: FloatArray, denominators: FloatArray) -> FloatArray:
    """Return the sums of rows (row, model·cell) with slopes and with denominators (model, cell), axes (row, 2)."""
    return np.asarray(rows @ np.stack([slopes.ravel(), denominators.ravel()], axis=1))


def weighted_slopes(
    sampling: SamplingModel, metric: Metric, tables: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return the slopes of a weighted sum of the models' scores at tables (model, cell), on these axes."""
    cells = sampling.ev.cells
    slopes = metric.ratio_slopes(tables, cells)
    if slopes is not None:
        return np.asarray(weights[:, None] * slopes)
    samples = replace(sampling.samples, tables=tables)
    return samples.gradient(lambda moved: metric(moved, cells) @ weights).reshape(tables.shape)
