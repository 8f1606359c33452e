"""Small-sample inflation: what few or uneven units do not show, and how much wider draws must be for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.units import Units

# A number of units, or of runs, below which they do not show well how much they vary.
FEW_UNITS = 10


class EffectiveSample(NamedTuple):
    """The effective sample size of uneven units.

    Attributes
    ----------
    units
        The effective number of units: how many of equal size would say as much.
    seen
        The share of the variance between units that a bootstrap over them sees.
    """

    units: float
    seen: float

    @property
    def freedom(self) -> float:
        """Degrees of freedom; of a single unit nothing is known but itself."""
        return max(self.units - 1.0, 1.0)

    def inflation(self, centre: FloatArray) -> SmallSampleInflation:
        """Return how draws are moved away from the plain scores."""
        return SmallSampleInflation(centre, self.freedom, max(self.seen, 1e-6))


def effective_sample_of(units: Units, denominator_weights: FloatArray) -> EffectiveSample:
    """Return the effective sample size of units for a metric.

    Parameters
    ----------
    units
        The units.
    denominator_weights
        What one of each cell adds to a metric's denominator, axes (model, cell).

    Examples
    --------
    One long unit among forty short ones:

    >>> units = Units(np.array([[3.0], [900.0]]), np.array([40.0, 1.0]), "document")
    >>> [round(value, 3) for value in effective_sample_of(units, np.ones((1, 1)))]
    [1.284, 0.015]
    """
    added = units.sums(denominator_weights)
    wholes = units.weights @ added
    some = wholes > 0.0
    if not some.any():
        return EffectiveSample(units.size, 1.0)
    each = added[:, some] @ (1.0 / (some.sum() * wholes[some]))
    second, third = (float(units.weights @ each**power) for power in (2, 3))
    return EffectiveSample(1.0 / second, 1.0 - 2.0 * third / second + second)


@dataclass(frozen=True)
class SmallSampleInflation:
    r"""Draws D moved away from the plain score d: :math:`d + (D - d)\sqrt{\nu/(s\chi^2_\nu)}`.

    Attributes
    ----------
    centre
        The plain scores of the models.
    freedom
        The degrees of freedom ν, infinite where nothing is stretched.
    seen
        The share s of the variance that draws have.
    long_units, pull
        How many long units there are, and how far the scores on them, relative to the mean of the models, are from those on
        all, if the models' differences may go with the sizes of units. A Cauchy number g of them more or fewer, one more at
        the median as a sample rarely has the longest, moves a draw by :math:`2.5g/(n + |g|)` of that: not to the scores on
        them, but further, as units not seen may be longer.
    """

    centre: FloatArray
    freedom: float = np.inf
    seen: float = 1.0
    long_units: float = 1.0
    pull: FloatArray | None = None

    @property
    def widening(self) -> float:
        """How much longer a standard deviation is than that of the draws."""
        return float(self.seen**-0.5)

    def __call__(self, scores: FloatArray, factors: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Stretch draws of scores, axes (draw, model); all models of a draw alike, so that differences are, too."""
        if self.freedom == np.inf and self.seen == 1.0:
            return scores
        moved = np.asarray(self.centre + (scores - self.centre) * factors[:, None])
        if self.pull is None:
            return moved
        more = 1.0 + rng.standard_cauchy((len(scores), 1))
        return moved + 2.5 * more / (self.long_units + np.abs(more)) * self.pull

    def factors(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw by how much draws are moved away from the plain scores."""
        if not np.isfinite(self.freedom):
            return np.full(n, self.widening)
        half = 0.5 * self.freedom
        factors = np.sqrt(half / rng.standard_gamma(half, size=n).clip(1e-300))
        if self.freedom <= 1.0:
            factors *= rng.choice((-1.0, 1.0), size=n)
        return np.asarray(self.widening * factors)

    def quadrature(self) -> list[tuple[float, float]]:
        """Return nodes and weights of the distribution of the factors, for an expectation without draws."""
        if not np.isfinite(self.freedom):
            return [(self.widening, 1.0)]
        nodes, weights = np.polynomial.legendre.leggauss(8 if self.freedom > 100.0 else 24)
        half = 0.5 * self.freedom
        factors = self.widening * np.sqrt(half / special.gammaincinv(half, 0.5 * (nodes + 1.0)))
        return list(zip(factors.tolist(), (0.5 * weights).tolist(), strict=True))


def evident_correlations(
    sizes: FloatArray, scores: FloatArray, weights: FloatArray, evident: float
) -> FloatArray:
    """Return Spearman's correlations of sizes with the columns of scores, units counted by weights; 0 unless evident."""
    ranks = []
    # Sizes of means of generations are equal but for rounding.
    for values in (np.round(sizes / sizes.max(), 9), *scores.T):
        place = np.unique(values, return_inverse=True)[1]
        times = np.bincount(place, weights)
        rank = (np.cumsum(times) - 0.5 * times)[place]
        ranks.append(rank - weights @ rank / weights.sum())
    products = np.array(ranks) * weights @ np.array(ranks).T
    scale = np.sqrt(products[0, 0] * np.diagonal(products)[1:])
    found = np.divide(products[0, 1:], scale, out=np.zeros(len(scale)), where=scale > 0.0)
    freedom = weights.sum() - 2.0
    t = np.abs(found) * np.sqrt(freedom / np.maximum(1.0 - found**2, 1e-12))
    return np.where(2.0 * special.stdtr(freedom, -t) < evident, found, 0.0)
