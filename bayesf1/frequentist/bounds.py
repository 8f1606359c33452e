"""Two ends of an interval, and what may be wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import check_prob

BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Bounds:
    """Intervals of one kind, one for each table: ``low, high = wald(77, 44, 10)``.

    Attributes
    ----------
    estimate
        The point estimate.
    low, high
        The ends as the method gives them: they are never cut off at the ends of the support.
    undefined
        Where the estimate is 0/0, such as F1 without any relevant item. No data exclude nothing, so the interval
        is then the whole support; with several classes it is where the score of some class is 0/0, which
        counts as 0.
    se
        Standard error of the estimate, where the method has one.
    support
        Smallest and largest value that the score can take.
    """

    estimate: Any
    low: Any
    high: Any
    undefined: Any = False
    se: Any = None
    support: tuple[float, float] = (0.0, 1.0)

    @property
    def length(self) -> Any:
        """Distance of the ends."""
        return self.high - self.low

    @property
    def overshoot(self) -> Any:
        """Whether an end lies outside the support."""
        return (self.low < self.support[0]) | (self.high > self.support[1])

    @property
    def degenerate(self) -> Any:
        """Whether the interval is a single point."""
        return self.high == self.low

    def __iter__(self) -> Iterator[Any]:
        return iter((self.low, self.high))


def bounds(
    estimate: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    undefined: BoolArray,
    empty: BoolArray | None = None,
    se: FloatArray | None = None,
) -> Bounds:
    """Return intervals on [0, 1], which are [0, 1] where there is nothing to estimate from.

    That is where they are `empty`, or else where the estimate, or a part of it, is `undefined`.
    """
    empty = undefined if empty is None else empty
    ends = plain(np.where(empty, 0.0, low)), plain(np.where(empty, 1.0, high))
    flags = undefined if np.ndim(undefined) else bool(undefined)
    return Bounds(plain(estimate), *ends, flags, None if se is None else plain(se))


def normal_bounds(
    estimate: FloatArray, variance: FloatArray, confidence_level: float, **where: BoolArray
) -> Bounds:
    """Return intervals of some standard errors to either side, else as `bounds`."""
    se = np.sqrt(variance)
    reach = normal_quantile(confidence_level) * se
    return bounds(estimate, estimate - reach, estimate + reach, se=se, **where)


def normal_quantile(confidence_level: float) -> float:
    """Return z, between which and -z a standard normal variate lies with this probability.

    Examples
    --------
    >>> normal_quantile(0.95)
    1.959963...
    """
    return float(special.ndtri(0.5 * (1.0 + check_prob(confidence_level, "confidence_level"))))


def t_quantile(confidence_level: float, freedom: float) -> float:
    """Return the same for Student's t, which is z with infinite degrees of freedom.

    Examples
    --------
    >>> t_quantile(0.95, 9), t_quantile(0.95, np.inf) == normal_quantile(0.95)
    (2.26215..., True)
    """
    if not np.isfinite(freedom):
        return normal_quantile(confidence_level)
    return float(special.stdtrit(freedom, 0.5 * (1.0 + check_prob(confidence_level, "confidence_level"))))


def check_counts(**counts: ArrayLike) -> list[FloatArray]:
    """Return counts as arrays of one shape, or say which is none."""
    arrays = []
    for name, value in counts.items():
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} must be numbers of items, not {value!r:.60}") from None
        bad = ~((array >= 0.0) & (array < np.inf))
        if bad.any():
            raise ValueError(f"{name} must be finite and not negative, but it is {array[bad].flat[0]:g}")
        arrays.append(array)
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in zip(counts, arrays, strict=True))
        raise ValueError(f"counts must have shapes that fit together, not {shapes}") from None
