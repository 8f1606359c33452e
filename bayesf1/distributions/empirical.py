"""A posterior known by its draws."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Self

import numpy as np

from bayesf1.base.arrays import FloatArray, float_or_array
from bayesf1.base.checks import ArrayLike, Numbers, RNGLike, Size, check_prob
from bayesf1.distributions.base import MeanAndVariance, Posterior

# The most draws that are kept; more draws are replaced by this many quantiles.
_MOST = 10_000


class EmpiricalPosterior(Posterior):
    """A posterior known by its draws.

    Parameters
    ----------
    draws
        Draws, in any order.
    support
        Smallest and largest value that the quantity can take; the density is reflected there.

    Examples
    --------
    >>> post = EmpiricalPosterior(np.linspace(0, 1, 1001), support=(0.0, 1.0))
    >>> post.mean(), post.cdf(0.25), post.interval(0.5)
    (0.5, 0.25..., (0.25, 0.75))
    """

    draws: FloatArray
    support: tuple[float, float]

    def __init__(self, draws: Numbers, support: tuple[float, float] = (-math.inf, math.inf)) -> None:
        ordered = np.sort(np.asarray(draws, dtype=np.float64).ravel())
        if not len(ordered) or not np.isfinite(ordered).all():
            raise ValueError("draws of a posterior are finite numbers, at least one")
        # With quantiles in place of many draws, the outermost two would get too much weight.
        self._moments = MeanAndVariance(float(ordered.mean()), float(ordered.var()))
        if len(ordered) > _MOST:
            places = np.linspace(0.0, len(ordered) - 1.0, _MOST)
            ordered = np.interp(places, np.arange(len(ordered)), ordered)
        self.draws = ordered
        self.support = support

    @classmethod
    def clipped(cls, draws: ArrayLike, support: tuple[float, float]) -> Self:
        """Return the posterior of draws that are moved to the ends of the support if they lie beyond it."""
        return cls(np.clip(draws, *support), support)

    def __repr__(self) -> str:
        return f"EmpiricalPosterior({len(self.draws)} draws, mean {self.mean():.4g}, sd {self.std():.2g})"

    @cached_property
    def _density(self) -> tuple[FloatArray, FloatArray]:
        """Points of a grid, and the kernel density there: a Gaussian kernel of Scott's width, reflected at the support."""
        x = self.draws
        sd = float(x.std())
        lower_quartile, upper_quartile = np.quantile(x, [0.25, 0.75])
        # The standard deviation of a normal distribution with these quartiles, which outliers do not widen.
        spread = min(sd, (upper_quartile - lower_quartile) / 1.349)
        if spread == 0.0:
            spread = max(sd, 1e-12)
        width = 1.06 * spread * len(x) ** -0.2
        least, most = self.support
        # Draws are never closer than four widths to a cut that is not an end of the support.
        low = max(x[0] - 4 * width, least)
        high = min(x[-1] + 4 * width, most)
        n_bins = int(np.clip(np.ceil(6 * (high - low) / width), 64, 8192))
        counts, edges = np.histogram(x, bins=n_bins, range=(low, high))
        step = edges[1] - edges[0]
        reach = min(n_bins, int(np.ceil(5 * width / step)))
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
        padded = np.pad(counts.astype(float), reach, mode="symmetric")
        density = np.convolve(padded, kernel / kernel.sum(), mode="valid")
        return 0.5 * (edges[1:] + edges[:-1]), density / (density.sum() * step)

    def pdf(self, x: Numbers) -> Any:
        """Density at `x`, estimated."""
        points = np.asarray(x, dtype=np.float64)
        grid, density = self._density
        low, high = self.support
        half = 0.5 * (grid[1] - grid[0])
        inside = (points >= max(low, grid[0] - half)) & (points <= min(high, grid[-1] + half))
        values = np.where(inside, np.interp(points, grid, density), 0.0)
        return float_or_array(np.where(np.isnan(points), np.nan, values))

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        below = np.asarray(np.searchsorted(self.draws, x, side="right") / len(self.draws))
        return 1.0 - below if upper else below

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        if not q.size:
            return np.zeros(q.shape)
        levels = 1.0 - q if upper else q
        return np.asarray(np.quantile(self.draws, levels.ravel()).reshape(q.shape))

    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw again from the draws."""
        return np.random.default_rng(rng).choice(self.draws, size)

    def mean(self) -> Any:
        """Mean."""
        return self._moments.mean

    def var(self) -> Any:
        """Variance."""
        return self._moments.variance

    def mode(self) -> Any:
        """Point of the highest estimated density."""
        grid, density = self._density
        return float(grid[np.argmax(density)])

    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval that holds a share `prob` of the draws."""
        n = len(self.draws)
        # The interval reaches this many draws beyond the first in it, and at least one if there are several.
        n_further = min(n - 1, max(1, math.ceil(check_prob(prob) * n) - 1))
        widths = self.draws[n_further:] - self.draws[: n - n_further]
        start = int(np.argmin(widths))
        return float(self.draws[start]), float(self.draws[start + n_further])


class Undefined(EmpiricalPosterior):
    """The posterior of an undefined score, such as the precision of a model that never says yes: NaN throughout."""

    def __init__(self) -> None:
        self.draws = np.array([np.nan])
        self.support = (-math.inf, math.inf)
        self._moments = MeanAndVariance(np.nan, np.nan)

    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""
        return float_or_array(np.full(np.shape(x), np.nan))

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return np.full(x.shape, np.nan)

    def mode(self) -> Any:
        """Point of the highest density."""
        return np.nan
