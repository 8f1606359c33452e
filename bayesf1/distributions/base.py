"""The methods of every posterior distribution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray, float_or_array
from bayesf1.base.checks import Checked, Numbers, RNGLike, Size, check_levels, check_prob


class MeanAndVariance(NamedTuple):
    """The mean and the variance of a distribution."""

    mean: float
    variance: float


class Posterior(Checked, ABC):
    """The posterior distribution of a number.

    Methods take scalars, which give floats, or arrays of points.
    """

    support: tuple[float, float]

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{self.mean():.4g}, 95 % equal-tailed interval [{low:.4g}, {high:.4g}]"

    def _repr_html_(self) -> str:
        numbers = {"Mean": self.mean(), "Sd": self.std(), "2.5 %": self.ppf(0.025), "97.5 %": self.ppf(0.975)}
        head = "".join(f"<th>{name}</th>" for name in numbers)
        cells = "".join(f"<td>{value:.4g}</td>" for value in numbers.values())
        return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{cells}</tr></tbody></table>"

    @abstractmethod
    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""

    @abstractmethod
    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        """Probability of more than `x`, or of at most `x`, inside the support."""

    @abstractmethod
    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        """Point with probability `q` below it, or above it."""

    @abstractmethod
    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the distribution."""

    @abstractmethod
    def mean(self) -> Any:
        """Mean."""

    @abstractmethod
    def var(self) -> Any:
        """Variance."""

    def cdf(self, x: Numbers) -> Any:
        """Probability of at most `x`."""
        return self._within(x, upper=False)

    def sf(self, x: Numbers) -> Any:
        """Probability of more than `x`, accurate also if it is tiny."""
        return self._within(x, upper=True)

    def ppf(self, q: Numbers) -> Any:
        """Quantile: the point with probability `q` below it."""
        return float_or_array(self._quantile(check_levels(q), upper=False))

    def isf(self, q: Numbers) -> Any:
        """Point with probability `q` above it."""
        return float_or_array(self._quantile(check_levels(q), upper=True))

    def logpdf(self, x: Numbers) -> Any:
        """Log density at `x`."""
        with np.errstate(divide="ignore"):
            return float_or_array(np.log(self.pdf(x)))

    def std(self) -> Any:
        """Square root of the variance."""
        return float_or_array(np.sqrt(self.var()))

    def median(self) -> Any:
        """Median."""
        return self.ppf(0.5)

    def mode(self) -> Any:
        """Point of the highest density; an end of the support if the density is highest there."""
        from scipy import optimize

        minimum = optimize.minimize_scalar(
            lambda x: -self.logpdf(x),
            bounds=self.interval(1.0 - 1e-9),
            method="bounded",
            options={"xatol": 1e-12},
        )
        ends = [end for end in self.support if np.isfinite(end)]
        return max([*ends, float(minimum.x)], key=self.pdf)

    def interval(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Equal-tailed interval with probability `prob`."""
        tail = np.asarray(0.5 * (1.0 - check_prob(prob)))
        return float_or_array(self._quantile(tail, upper=False)), float_or_array(
            self._quantile(tail, upper=True)
        )

    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval with probability `prob`; its ends have the same density, or are ends of the support."""
        tail = 1.0 - check_prob(prob)

        def interval_above(below: float) -> tuple[float, float]:
            """Return the interval with probability `prob` that begins above a tail."""
            return self.ppf(below), self.isf(tail - below)

        @cache
        def imbalance(below: float) -> float:
            """Return how much higher the log density is at the lower end."""
            low, high = interval_above(below)
            return float(np.clip(self.logpdf(low) - self.logpdf(high), -1e6, 1e6))

        def length(interval: tuple[float, float]) -> float:
            low, high = interval
            return round(high - low, 12)

        least = 1e-12 * tail
        most = (1.0 - 1e-12) * tail
        candidates = [0.0, tail]
        if imbalance(least) < 0.0 < imbalance(most):
            from scipy import optimize

            candidates.insert(0, optimize.brentq(imbalance, least, most, xtol=1e-9 * tail))
        # If intervals differ in length only by rounding, the first is taken.
        return min(map(interval_above, candidates), key=length)

    def _root(self, q: float, low: float, high: float, *, upper: bool) -> float:
        """Return the point between `low` and `high` with probability `q` below it, or above it."""
        from scipy import optimize, special

        @cache
        def miss(x: float) -> float:
            """Return how far the probability is from q, in standard deviations of a normal distribution."""
            z = float(special.ndtri(self._tail(np.asarray(x), upper=upper)))
            return min(max(z, -40.0), 40.0) - float(special.ndtri(q))

        ends = sorted((low, high), reverse=upper)
        for end, sign in zip(ends, (1.0, -1.0), strict=True):
            if not sign * miss(end) < 0.0:
                return float(end)
        return float(optimize.brentq(miss, low, high, xtol=1e-15 * max(abs(low), abs(high))))

    def _within(self, x: Numbers, *, upper: bool) -> Any:
        """Return a tail at any points: it is computed inside the support, and 0 or 1 outside; NaN stays NaN."""
        points = np.asarray(x, dtype=np.float64)
        low, high = self.support
        unknown = np.isnan(points)
        inside = np.clip(np.where(unknown, 0.0, points), low, high)
        values = self._tail(inside, upper=upper)
        values = np.where(points >= high, float(not upper), values)
        values = np.where(points < low, float(upper), values)
        return float_or_array(np.where(unknown, np.nan, values))


def parameters(above: float = -np.inf, **given: float) -> dict[str, float]:
    """Return parameters of a distribution, or raise a ValueError if one is not finite, or not above the least value."""
    for name, value in given.items():
        if not above < value < np.inf:
            least = f" and above {above:g}" if np.isfinite(above) else ""
            raise ValueError(f"parameter {name} must be finite{least}, not {value!r}")
    return {name: float(value) for name, value in given.items()}
