"""Small-sample inflation: few or uneven units understate how much other units would differ, so draws are stretched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.units import Units

# Fewer units or runs than this do not show well how much they vary.
FEW_UNITS = 10
# How far a sample with other long units moves scores; chosen by simulated coverage for documents of many sizes.
_SIZE_EFFECT = 2.5


class EffectiveSample(NamedTuple):
    """The effective sample size of uneven units.

    Attributes
    ----------
    units
        The effective number of units: this many units of equal size would be as informative.
    seen_variance
        The share of the variance between units that a bootstrap over them sees.
    """

    units: float
    seen_variance: float

    @property
    def freedom(self) -> float:
        """Degrees of freedom, at least 1, which a single unit is given."""
        return max(self.units - 1.0, 1.0)

    def inflation(self, centre: FloatArray) -> SmallSampleInflation:
        """Return how draws are stretched around the plain scores."""
        return SmallSampleInflation(centre, self.freedom, max(self.seen_variance, 1e-6))


def effective_sample_of(units: Units, denominator_weights: FloatArray) -> EffectiveSample:
    r"""Return the effective sample size of units for a metric.

    Let :math:`s_u` be a unit's share of the metric's denominator, averaged over the models. The variance of a mean with
    these weights is proportional to :math:`\sum s_u^2`, the inverse of the effective number of units (Kish 1965). A
    bootstrap sees :math:`\sum s_u^2 (1 - 2 s_u + \sum s_v^2)` of it on average, as each unit is compared with a mean that
    it is part of.

    Parameters
    ----------
    units
        The units.
    denominator_weights
        What one count in each cell adds to a metric's denominator, axes (model, cell).

    Examples
    --------
    One long unit among forty short ones:

    >>> units = Units(np.array([[3.0], [900.0]]), np.array([40.0, 1.0]), "document")
    >>> [round(value, 3) for value in effective_sample_of(units, np.ones((1, 1)))]
    [1.284, 0.015]
    """
    # Axes (pattern, model), and their totals over all units.
    added = units.sums(denominator_weights)
    denominators = units.weights @ added
    positive = denominators > 0.0
    if not positive.any():
        return EffectiveSample(units.size, 1.0)
    mean_weights = 1.0 / (positive.sum() * denominators[positive])
    shares = added[:, positive] @ mean_weights
    squares = float(units.weights @ shares**2)
    cubes = float(units.weights @ shares**3)
    return EffectiveSample(1.0 / squares, 1.0 - 2.0 * cubes / squares + squares)


class SizeEffect(NamedTuple):
    """How a sample with other long units would move scores, if differences between models depend on the sizes of units.

    Attributes
    ----------
    long_units
        The effective number of long units.
    shift
        How much long units move each model's score, relative to the mean of the models, axes (model,).
    """

    long_units: float
    shift: FloatArray

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw how much scores are moved, axes (draw, model).

        Another sample has g more long units, where g is a Cauchy variate; its median is one, not zero, as a sample
        rarely contains the longest unit of all. Scores move by :math:`2.5g/(n + |g|)` times the shift; this may exceed
        the whole shift, as there may be longer units.
        """
        extra = 1.0 + rng.standard_cauchy((n, 1))
        return np.asarray(_SIZE_EFFECT * extra / (self.long_units + np.abs(extra)) * self.shift)


@dataclass(frozen=True)
class SmallSampleInflation:
    r"""Draws D stretched around the plain score d: :math:`d + (D - d)\sqrt{\nu/(s\chi^2_\nu)}`.

    Attributes
    ----------
    centre
        The plain scores of the models.
    freedom
        The degrees of freedom ν, infinite if nothing is stretched.
    seen_variance
        The share s of the variance that draws show.
    size_effect
        How other long units would move the scores, if these seem to depend on the sizes of units.
    """

    centre: FloatArray
    freedom: float = np.inf
    seen_variance: float = 1.0
    size_effect: SizeEffect | None = None

    @property
    def widening(self) -> float:
        """The factor by which the standard deviation exceeds that of the draws."""
        return float(self.seen_variance**-0.5)

    def stretch(self, scores: FloatArray, factors: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return stretched draws of scores, axes (draw, model).

        All models of a draw have the same factor, so that their differences are stretched by it, too.
        """
        if self.freedom == np.inf and self.seen_variance == 1.0:
            return scores
        stretched = np.asarray(self.centre + (scores - self.centre) * factors[:, None])
        if self.size_effect is None:
            return stretched
        return stretched + self.size_effect.draw(len(scores), rng)

    def draw_factors(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw the factors by which draws are stretched."""
        if not np.isfinite(self.freedom):
            return np.full(n, self.widening)
        half = 0.5 * self.freedom
        factors = np.sqrt(half / rng.standard_gamma(half, size=n).clip(1e-300))
        if self.freedom <= 1.0:
            # Draws of a single unit differ from its score only through the prior, to one side; the other side is as
            # probable.
            factors *= rng.choice((-1.0, 1.0), size=n)
        return np.asarray(self.widening * factors)

    def quadrature(self) -> list[tuple[float, float]]:
        """Return nodes and weights of the distribution of the factors, for an expectation without draws."""
        if not np.isfinite(self.freedom):
            return [(self.widening, 1.0)]
        # With many degrees of freedom all factors are close to 1, and few nodes are enough.
        n_nodes = 8 if self.freedom > 100.0 else 24
        nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
        half = 0.5 * self.freedom
        quantiles = special.gammaincinv(half, 0.5 * (nodes + 1.0))
        factors = self.widening * np.sqrt(half / quantiles)
        return list(zip(factors.tolist(), (0.5 * weights).tolist(), strict=True))


class ClusterSizes(NamedTuple):
    """Clusters that count for a metric.

    Attributes
    ----------
    rows
        What one cluster of each pattern adds to the models' tables, axes (pattern, model, cell).
    sizes
        The size of such a cluster: what it adds to the metric's denominators.
    weights
        How many clusters there are of each pattern.
    """

    rows: FloatArray
    sizes: FloatArray
    weights: FloatArray

    @property
    def n_clusters(self) -> float:
        """The number of clusters."""
        return float(self.weights.sum())

    @property
    def n_long(self) -> float:
        r"""The effective number of long clusters, :math:`\sum s \sum s^2 / \sum s^3` with sizes s.

        It is the inverse of the mean share :math:`s/\sum s` of a cluster that is drawn in proportion to :math:`s^2`.
        """
        first = self.weights @ self.sizes
        second = self.weights @ self.sizes**2
        third = self.weights @ self.sizes**3
        return float(first * second / third)

    @property
    def long_tables(self) -> FloatArray:
        """The mean tables on clusters that are drawn in proportion to their squared sizes, axes (model, cell)."""
        squares = self.sizes**2
        return np.tensordot(self.weights * squares / (self.weights @ squares), self.rows, 1)

    def correlations(self, scores: FloatArray, evident: float) -> FloatArray:
        """Return Spearman's correlations of sizes with scores, axes (pattern, model).

        They are 0 if their p-values are not below `evident`.
        """
        # The sizes of means of generations differ only by rounding.
        rounded = np.round(self.sizes / self.sizes.max(), 9)
        ranks = np.array([_centred_ranks(values, self.weights) for values in (rounded, *scores.T)])
        # The first row and column are those of the sizes.
        products = (ranks * self.weights) @ ranks.T
        scale = np.sqrt(products[0, 0] * np.diagonal(products)[1:])
        correlations = np.divide(products[0, 1:], scale, out=np.zeros(len(scale)), where=scale > 0.0)
        freedom = self.n_clusters - 2.0
        t = np.abs(correlations) * np.sqrt(freedom / np.maximum(1.0 - correlations**2, 1e-12))
        p_values = 2.0 * special.stdtr(freedom, -t)
        return np.where(p_values < evident, correlations, 0.0)


def _centred_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return mid-ranks of values that occur several times, less the mean rank."""
    place = np.unique(values, return_inverse=True)[1]
    times = np.bincount(place, weights)
    ranks = (np.cumsum(times) - 0.5 * times)[place]
    return np.asarray(ranks - weights @ ranks / weights.sum())
