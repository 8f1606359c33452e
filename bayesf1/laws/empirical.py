"""A posterior known by its draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import Numbers, RNGLike, Size, check_prob, checked
from bayesf1.laws.law import Posterior, lazy_property


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
    _draw: Callable[[], ArrayLike]

    @checked
    def __init__(self, draws: Numbers, support: tuple[float, float] = (-math.inf, math.inf)) -> None:
        self.support = support
        self.draws = _sorted(draws)

    @classmethod
    def within(cls, draws: ArrayLike, support: tuple[float, float]) -> Self:
        """Return the posterior of draws of which some may lie beyond the support, and are taken to its ends."""
        return cls(np.clip(draws, *support), support)

    @classmethod
    def later(cls, draw: Callable[[], ArrayLike], support: tuple[float, float]) -> EmpiricalPosterior:
        """Return the same of draws that are made when they are first asked for."""
        law = cls.__new__(cls)
        law.support, law._draw = support, draw
        return law

    if not TYPE_CHECKING:

        @lazy_property
        def draws(self) -> FloatArray:
            """Make the draws, and sort them."""
            return _sorted(np.clip(self._draw(), *self.support))

    def __repr__(self) -> str:
        return f"EmpiricalPosterior({len(self.draws)} draws, mean {self.mean():.4g}, sd {self.std():.2g})"

    @cached_property
    def _density(self) -> tuple[FloatArray, FloatArray]:
        """Kernel density on a grid: Gaussian kernel with Scott's width, reflected at the support."""
        x = self.draws
        quartiles = np.quantile(x, [0.25, 0.75])
        spread = min(x.std(), (quartiles[1] - quartiles[0]) / 1.349) or x.std() or 1e-12
        width = 1.06 * spread * len(x) ** -0.2
        low, high = max(x[0] - 4 * width, self.support[0]), min(x[-1] + 4 * width, self.support[1])
        n = int(np.clip(np.ceil(6 * (high - low) / width), 64, 8192))
        counts, edges = np.histogram(x, bins=n, range=(low, high))
        step = edges[1] - edges[0]
        reach = min(n, int(np.ceil(5 * width / step)))
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
        padded = np.pad(counts.astype(float), reach, mode="symmetric")
        # Draws are never closer than four widths to a cut that is not an end of the support.
        density = np.convolve(padded, kernel / kernel.sum(), mode="valid")
        return 0.5 * (edges[1:] + edges[:-1]), density / (density.sum() * step)

    @checked
    def pdf(self, x: Numbers) -> Any:
        """Density at `x`, estimated."""
        points = np.asarray(x, dtype=np.float64)
        grid, density = self._density
        inside = (points >= self.support[0]) & (points <= self.support[1])
        half = 0.5 * (grid[1] - grid[0])
        near = (points >= grid[0] - half) & (points <= grid[-1] + half)
        return plain(np.where(inside & near, np.interp(points, grid, density), 0.0))

    def _both_tails(self, x: Numbers) -> tuple[Any, Any]:
        below, n = np.searchsorted(self.draws, np.asarray(x, np.float64), side="right"), len(self.draws)
        return below / n, (n - below) / n

    def _quantile(self, q: FloatArray, *, upper: bool) -> Any:
        # As numpy's, which would sort what is sorted.
        n = len(self.draws)
        place = np.asarray(1.0 - q if upper else q) * (n - 1)
        below = np.floor(place).astype(np.intp)
        low, high = self.draws[below], self.draws[np.minimum(below + 1, n - 1)]
        part = place - below
        return np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1.0 - part))[()]

    @checked
    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw again from the draws."""
        return np.random.default_rng(rng).choice(self.draws, size)

    def mean(self) -> Any:
        """Mean."""
        return float(self.draws.mean())

    def var(self) -> Any:
        """Variance."""
        return float(self.draws.var())

    def mode(self) -> Any:
        """Point of the highest estimated density."""
        grid, density = self._density
        return float(grid[np.argmax(density)])

    def entropy(self) -> Any:
        """Differential entropy in nats, of the estimated density."""
        grid, density = self._density
        used = density > 0
        return float(-np.sum(density[used] * np.log(density[used])) * (grid[1] - grid[0]))

    @checked
    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval that holds a share `prob` of the draws."""
        n = len(self.draws)
        inside = min(n - 1, max(1, math.ceil(check_prob(prob) * n) - 1)) if n > 1 else 0
        widths = self.draws[inside:] - self.draws[: n - inside]
        start = int(np.argmin(widths))
        return float(self.draws[start]), float(self.draws[start + inside])


class QuantilePosterior(EmpiricalPosterior):
    """A posterior known by quantiles of its law, with equal probabilities between them; nothing is random in it.

    Examples
    --------
    >>> QuantilePosterior(np.linspace(0.005, 0.995, 100), support=(0.0, 1.0))
    QuantilePosterior(mean 0.5, sd 0.29)
    """

    def __repr__(self) -> str:
        return f"QuantilePosterior(mean {self.mean():.4g}, sd {self.std():.2g})"


def _sorted(draws: ArrayLike) -> FloatArray:
    found = np.sort(np.asarray(draws, dtype=np.float64).ravel())
    if not len(found) or not np.isfinite(found).all():
        raise ValueError("draws of a posterior are finite numbers, at least one")
    return found
