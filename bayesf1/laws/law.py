"""What every posterior can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import Numbers, RNGLike, Size, check_levels, check_prob, checked
from bayesf1.base.roots import crossing, increasing_root

T = TypeVar("T")


class lazy_property(cached_property[T]):
    """A property computed once: `functools.cached_property` as of Python 3.12, without a lock.

    The lock of Python 3.11 is one for all instances, and two threads deadlock where one law is made of others.
    """

    if not TYPE_CHECKING:

        def __get__(self, instance: object | None, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = vars(instance)[self.attrname] = self.func(instance)
            return value


class Posterior(ABC):
    """What is believed about a number after seeing the data.

    Methods are vectorised over points and, where the law has array parameters, over these; both broadcast
    against each other. Scalars in give floats out.
    """

    @abstractmethod
    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""

    @abstractmethod
    def _both_tails(self, x: Numbers) -> tuple[Any, Any]:
        """Probabilities of at most `x` and of more."""

    @abstractmethod
    def _quantile(self, q: FloatArray, *, upper: bool) -> Any:
        """Point with probability `q` below it, or above it."""

    @checked
    def cdf(self, x: Numbers) -> Any:
        """Probability of at most `x`."""
        return plain(self._both_tails(x)[0])

    @checked
    def sf(self, x: Numbers) -> Any:
        """Probability of more than `x`, accurate also where it is tiny."""
        return plain(self._both_tails(x)[1])

    @checked
    def ppf(self, q: Numbers) -> Any:
        """Quantile: the point with probability `q` below it."""
        return plain(self._quantile(check_levels(q), upper=False))

    @checked
    def isf(self, q: Numbers) -> Any:
        """Point with probability `q` above it."""
        return plain(self._quantile(check_levels(q), upper=True))

    @abstractmethod
    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the law."""

    @abstractmethod
    def mean(self) -> Any:
        """Mean."""

    @abstractmethod
    def var(self) -> Any:
        """Variance."""

    @abstractmethod
    def mode(self) -> Any:
        """Point of the highest density; an end of the support where the density is highest there."""

    @abstractmethod
    def entropy(self) -> Any:
        """Differential entropy in nats."""

    @abstractmethod
    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval with probability `prob`."""

    @checked
    def logpdf(self, x: Numbers) -> Any:
        """Log density at `x`."""
        with np.errstate(divide="ignore"):
            return plain(np.log(self.pdf(x)))

    def std(self) -> Any:
        """Square root of the variance."""
        return plain(np.sqrt(self.var()))

    def median(self) -> Any:
        """Median."""
        return self.ppf(0.5)

    @checked
    def interval(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Equal-tailed interval with probability `prob`."""
        tail = 0.5 * (1.0 - check_prob(prob))
        return self.ppf(tail), self.isf(tail)


class ParametricLaw(Posterior):
    """A law with parameters, which may be arrays: as many laws at once."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of the parameters."""

    @abstractmethod
    def take(self, index: Any) -> Self:
        """Return the law with flattened parameters at `index`."""

    @checked
    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval with probability `prob`.

        Its ends are equally likely and have `prob` between them: two equations, solved by Newton steps from
        the equal-tailed interval. Where the density is highest at an end of the support it has no such ends,
        and the interval is searched by its lower tail.
        """
        tail = 1.0 - check_prob(prob)
        low, high, solved = _equally_likely_ends(self, tail)
        if not solved.all():
            rest = self.take(np.flatnonzero(~solved)) if self.shape else self
            low[~solved], high[~solved] = _search_shortest(rest, tail)
        return plain(low), plain(high)


def quantile_root(
    law_at: Callable[[FloatArray], Any], q: FloatArray, upper: bool, end: float, start: FloatArray
) -> FloatArray:
    """Return quantiles between ±end, infinite for q of 0 or 1, on the log of the smaller tail.

    At each point `law_at` gives the probabilities below and above, and the density.
    """
    lower_side = (q > 0.5) if upper else (q <= 0.5)
    target = np.where(lower_side == upper, 1.0 - q, q)

    def excess(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        below, above, density = law_at(x)
        tail = np.where(lower_side, below, above)
        gap = np.where(target > 0.0, np.log(tail / target), 0.0)
        return np.where(lower_side, gap, -gap), density / tail

    root = increasing_root(excess, np.asarray(-end), np.asarray(end), start)
    return np.where(target == 0.0, np.where(lower_side, -np.inf, np.inf), root)


# Central differences of fourth order, in units of the step.
STENCIL = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
SLOPE = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
CURVATURE = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0


def _equally_likely_ends(law: ParametricLaw, tail: float) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return ends with equal densities and a probability of `tail` outside, and whether they were found."""
    low, high = (np.asarray(end) for end in law.interval(1.0 - tail))
    least, most = np.asarray(law.ppf(0.0)), np.asarray(law.isf(0.0))
    with np.errstate(all="ignore"):
        for _ in range(12):
            width = high - low
            # Errors of the slopes only slow the convergence.
            steps = 1e-3 * np.multiply.outer(STENCIL, width)
            heights = np.asarray(law.logpdf(np.stack([low + steps, high + steps])))
            slope_low, slope_high = (np.tensordot(SLOPE, h, 1) / (1e-3 * width) for h in heights)
            (f_low, f_high), gap = np.exp(heights[:, 2]), heights[0, 2] - heights[1, 2]
            excess = np.asarray(law.cdf(low)) + np.asarray(law.sf(high)) - tail
            determinant = f_low * slope_high - f_high * slope_low
            move_low = (f_high * gap - slope_high * excess) / determinant
            move_high = (f_low * gap - slope_low * excess) / determinant
            low = np.where(low + move_low > least, low + move_low, 0.5 * (low + least))
            high = np.where(high + move_high < most, high + move_high, 0.5 * (high + most))
            rising = (slope_low > 0.0) & (slope_high < 0.0)
            solved = rising & (np.maximum(np.abs(move_low), np.abs(move_high)) <= 1e-8 * width)
            if np.all(solved | ~rising):
                break
    return low, high, solved


def _search_shortest(law: ParametricLaw, tail: float) -> tuple[FloatArray, FloatArray]:
    def imbalance(q: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            gap = np.asarray(law.logpdf(law.ppf(q))) - np.asarray(law.logpdf(law.isf(tail - q)))
        return np.where(np.isnan(gap), 0.0, gap)

    none, all_of_it = np.zeros(law.shape), np.full(law.shape, tail)
    # A tail that tends to 0 would be followed through all numbers that there are.
    least, most = none + 1e-13 * tail, (1.0 - 1e-13) * all_of_it
    balanced = crossing(imbalance, least, most)
    balanced = np.where(balanced <= least, none, np.where(balanced >= most, all_of_it, balanced))
    tails = np.stack([none, balanced, all_of_it])
    widths = np.asarray(law.isf(tail - tails)) - np.asarray(law.ppf(tails))
    # Of intervals that are equally short but for rounding the lowest is taken.
    longer = widths > (1.0 + 1e-12) * widths.min(axis=0)
    best = np.take_along_axis(tails, np.argmin(longer, axis=0)[None], axis=0)[0]
    return np.asarray(law.ppf(best)), np.asarray(law.isf(np.maximum(tail - best, 0.0)))
