"""Student's t distribution with a location and a scale: the posterior of a mean from few contrasts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, float_or_array
from bayesf1.base.checks import Numbers, RNGLike, Size, check_prob
from bayesf1.distributions.base import Posterior, parameters


@dataclass(frozen=True, eq=False, repr=False, init=False)
class StudentT(Posterior):
    r"""The distribution of :math:`\mu + \sigma t_\nu`.

    Its density is :math:`\propto (1 + ((x-\mu)/\sigma)^2/\nu)^{-(\nu+1)/2}`.

    Parameters
    ----------
    location, scale, df
        The centre μ, the scale σ and the degrees of freedom ν. With one degree of freedom there is
        no mean, and up to two the variance is infinite.
    support
        Smallest and largest value that the quantity can take: quantiles and draws end there.

    Examples
    --------
    >>> gap = StudentT(0.02, 0.01, 3)
    >>> gap.sf(0.0), gap.interval(0.95)
    (0.930337..., (-0.011824..., 0.051824...))
    """

    location: float
    scale: float
    df: float
    support: tuple[float, float]

    def __init__(
        self, location: float, scale: float, df: float, support: tuple[float, float] = (-math.inf, math.inf)
    ) -> None:
        vars(self).update(
            parameters(location=location), **parameters(0.0, scale=scale, df=df), support=support
        )

    def __repr__(self) -> str:
        return f"StudentT({self.location:.4g}, {self.scale:.4g}, df={self.df:g})"

    def _z(self, x: Numbers) -> Any:
        return (np.asarray(x, dtype=np.float64) - self.location) / self.scale

    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""
        return float_or_array(np.exp(self.logpdf(x)))

    def logpdf(self, x: Numbers) -> Any:
        """Log density at `x`."""
        constant = -0.5 * np.log(self.df) - special.betaln(0.5 * self.df, 0.5) - np.log(self.scale)
        # Far out the square is infinite, and the density 0.
        with np.errstate(over="ignore"):
            square = self._z(x) ** 2
        logs = constant - 0.5 * (self.df + 1.0) * np.log1p(square / self.df)
        points = np.asarray(x, dtype=np.float64)
        outside = np.not_equal(np.clip(points, *self.support), points) & ~np.isnan(square)
        return float_or_array(np.where(outside, -np.inf, logs))

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        sign = -1.0 if upper else 1.0
        return np.asarray(special.stdtr(self.df, sign * self._z(x)))

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        z = special.stdtrit(self.df, q)
        # scipy's inverse is +inf at 0, and at levels so small that they nearly are.
        z = np.where((q < 0.5) & (z > 0.0), -np.inf, z)
        sign = -1.0 if upper else 1.0
        return np.clip(self.location + self.scale * (sign * z), *self.support)

    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the distribution."""
        drawn = self.location + self.scale * np.random.default_rng(rng).standard_t(self.df, size)
        return float_or_array(np.clip(drawn, *self.support))

    def mean(self) -> Any:
        """Mean; NaN up to one degree of freedom."""
        return self.location if self.df > 1.0 else math.nan

    def var(self) -> Any:
        """Variance; infinite up to two degrees of freedom, and NaN up to one."""
        if self.df > 2.0:
            return self.scale**2 * self.df / (self.df - 2.0)
        return math.inf if self.df > 1.0 else math.nan

    def mode(self) -> Any:
        """Point of the highest density."""
        return self.location

    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval with probability `prob`: the central one, as the distribution is symmetric."""
        return self.interval(check_prob(prob))
