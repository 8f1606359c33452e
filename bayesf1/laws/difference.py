"""The law of a difference of two independent scores, exact by one-dimensional quadrature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import Numbers, RNGLike, Size, checked
from bayesf1.laws import quadrature
from bayesf1.laws.convolution import BOTH, DENSITY, TAILS, evaluate
from bayesf1.laws.law import CURVATURE, SLOPE, STENCIL, ParametricLaw, lazy_property, quantile_root
from bayesf1.laws.unit_law import UnitLaw


def tail_probabilities(a: UnitLaw, b: UnitLaw, d: ArrayLike = 0.0) -> tuple[FloatArray, FloatArray]:
    """Return P(B - A <= d) and P(B - A > d) for independent A and B, the smaller to relative precision.

    Parameters of the laws broadcast against each other and against the margin `d`.

    Examples
    --------
    >>> from bayesf1.laws.distributions import Beta
    >>> no_more, more = tail_probabilities(Beta(0.5, 0.5), Beta(2, 3))
    >>> round(float(more), 12)
    0.4296875
    """
    no_more, more, _ = evaluate(a, b, d, TAILS)
    return no_more, more


@dataclass(frozen=True, eq=False)
class Difference(ParametricLaw):
    """The law of B - A for two independent scores, by quadrature.

    Parameters
    ----------
    a, b
        Laws of the two scores.

    Examples
    --------
    >>> from bayesf1.laws.distributions import FScore
    >>> d = Difference(FScore(78, 45, 11), FScore(84, 10, 15))
    >>> d.sf(0.0)
    0.99918984...
    >>> d.interval(0.95)
    (0.05164558..., 0.21935611...)
    """

    a: UnitLaw
    b: UnitLaw

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the parameters."""
        return np.broadcast_shapes(self.a.shape, self.b.shape)

    def take(self, index: Any) -> Self:
        """Return the law with flattened parameters at `index`."""
        return type(self)(self.a.spread(self.shape).take(index), self.b.spread(self.shape).take(index))

    @checked
    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""
        return plain(evaluate(self.a, self.b, x, DENSITY)[2])

    def _both_tails(self, x: Numbers) -> tuple[Any, Any]:
        return tail_probabilities(self.a, self.b, x)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        shift = special.ndtri(np.clip(q, 1e-300, 1.0 - 1e-16))
        start = np.asarray(self.mean()) + np.asarray(self.std()) * (-shift if upper else shift)
        d = quantile_root(lambda x: evaluate(self.a, self.b, x, BOTH), q, upper, 1.0, start)
        return np.clip(d, -1.0, 1.0)

    @checked
    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the law."""
        rng = np.random.default_rng(rng)
        return -self.a.rvs(size, rng=rng) + self.b.rvs(size, rng=rng)

    def mean(self) -> Any:
        """Mean."""
        return plain(np.asarray(self.b.mean()) - self.a.mean())

    def var(self) -> Any:
        """Variance."""
        return plain(np.asarray(self.a.var()) + self.b.var())

    @lazy_property
    def _grid(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Points across the law, rising along a first axis, their densities, and weights of a quadrature."""
        low, high = (np.asarray(end) for end in (self.ppf(1e-17), self.isf(1e-17)))
        # Where the supports' ends meet the density may have a peak without a slope.
        middle = np.clip(0.0, low, high)
        shares, weights = (x.reshape(-1, *(1,) * len(self.shape)) for x in quadrature.UNIT_RULE)
        points = np.concatenate([middle - (middle - low) * shares[::-1], middle + (high - middle) * shares])
        widths = np.concatenate([(middle - low) * weights, (high - middle) * weights])
        return points, np.asarray(self.pdf(points)), widths

    def mode(self) -> Any:
        """Point of the highest density."""
        points, density, _ = self._grid
        best = np.argmax(density, axis=0)[None]
        low, x, high = (
            np.take_along_axis(points, np.clip(best + i, 0, len(points) - 1), axis=0)[0] for i in (-1, 0, 1)
        )
        peak, h = x, 4e-3 * np.asarray(self.std())
        with np.errstate(all="ignore"):
            for _ in range(6):
                heights = np.asarray(self.logpdf(peak + np.multiply.outer(STENCIL, h)))
                slope, curvature = np.tensordot(SLOPE, heights, 1), np.tensordot(CURVATURE, heights, 1)
                peak = np.clip(peak - h * slope / curvature, low, high)
        candidates = np.stack([np.where(np.isfinite(peak), peak, x), x, np.zeros_like(x)])
        heights = np.asarray(self.pdf(candidates))
        # Rounding may favour a neighbour of the peak by a hair.
        heights[0] *= 1.0 + 1e-12
        return plain(np.take_along_axis(candidates, np.argmax(heights, axis=0)[None], axis=0)[0])

    def entropy(self) -> Any:
        """Differential entropy in nats."""
        _, density, widths = self._grid
        return plain(np.sum(widths * special.entr(density), axis=0))
