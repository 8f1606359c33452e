"""Student's t law with a location and a scale: what few contrasts say of a mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import Numbers, RNGLike, Size, check_prob, checked
from bayesf1.laws.law import ParametricLaw


@dataclass(frozen=True, eq=False, repr=False, init=False)
class StudentT(ParametricLaw):
    r"""The law of :math:`\mu + \sigma t_\nu`, with density :math:`\propto (1 + ((x-\mu)/\sigma)^2/\nu)^{-(\nu+1)/2}`.

    Parameters
    ----------
    location, scale, df
        The centre μ, the scale σ and the degrees of freedom ν; arrays broadcast. With one degree of freedom there is
        no mean, and up to two the variance is infinite.
    support
        Smallest and largest value that the quantity can take: quantiles end there, as those of a score do.

    Examples
    --------
    >>> law = StudentT(0.02, 0.01, 3)
    >>> law.sf(0.0), law.interval(0.95)
    (0.930337..., (-0.011824..., 0.051824...))
    """

    location: FloatArray
    scale: FloatArray
    df: FloatArray
    support: tuple[float, float]

    @checked
    def __init__(
        self,
        location: Numbers,
        scale: Numbers,
        df: Numbers,
        support: tuple[float, float] = (-math.inf, math.inf),
    ) -> None:
        given = {"location": location, "scale": scale, "df": df}
        arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in given.values()))
        for name, array in zip(given, arrays, strict=True):
            fine = np.isfinite(array) if name == "location" else np.isfinite(array) & (array > 0.0)
            if not fine.all():
                what = "finite" if name == "location" else "finite and above 0"
                raise ValueError(f"parameter {name} must be {what}, not {array[~fine].flat[0]:g}")
        vars(self).update(dict(zip(given, (array[()] for array in arrays), strict=True)), support=support)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the parameters."""
        return np.shape(self.location)

    def __repr__(self) -> str:
        if self.shape:
            return f"StudentT({'×'.join(map(str, self.shape))} laws)"
        return f"StudentT({self.location:.4g}, {self.scale:.4g}, df={self.df:g})"

    def take(self, index: Any) -> Self:
        """Return the law with flattened parameters at `index`."""
        location, scale, df = (np.ravel(x)[index] for x in (self.location, self.scale, self.df))
        return type(self)(location, scale, df, self.support)

    def _z(self, x: Numbers) -> Any:
        return (np.asarray(x, dtype=np.float64) - self.location) / self.scale

    @checked
    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""
        return plain(np.exp(self.logpdf(x)))

    @checked
    def logpdf(self, x: Numbers) -> Any:
        """Log density at `x`."""
        constant = -0.5 * np.log(self.df) - special.betaln(0.5 * self.df, 0.5) - np.log(self.scale)
        # Far out the square is infinite, and the density 0.
        with np.errstate(over="ignore"):
            square = self._z(x) ** 2
        return plain(constant - 0.5 * (self.df + 1.0) * np.log1p(square / self.df))

    def _both_tails(self, x: Numbers) -> tuple[Any, Any]:
        z = self._z(x)
        return special.stdtr(self.df, z), special.stdtr(self.df, -z)

    def _quantile(self, q: FloatArray, *, upper: bool) -> Any:
        z = special.stdtrit(self.df, q)
        return np.clip(self.location + self.scale * (-z if upper else z), *self.support)

    @checked
    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the law."""
        return self.location + self.scale * np.random.default_rng(rng).standard_t(self.df, size)

    def mean(self) -> Any:
        """Mean; NaN up to one degree of freedom."""
        return plain(np.where(self.df > 1.0, self.location, np.nan))

    def var(self) -> Any:
        """Variance; infinite up to two degrees of freedom, and NaN up to one."""
        more = np.where(self.df > 2.0, self.df, 3.0)
        wide = np.where(self.df > 2.0, more / (more - 2.0), np.where(self.df > 1.0, np.inf, np.nan))
        return plain(self.scale**2 * wide)

    def mode(self) -> Any:
        """Point of the highest density."""
        return plain(self.location)

    def entropy(self) -> Any:
        """Differential entropy in nats."""
        half, more = 0.5 * self.df, 0.5 * (self.df + 1.0)
        gain = more * (special.digamma(more) - special.digamma(half))
        return plain(gain + 0.5 * np.log(self.df) + special.betaln(half, 0.5) + np.log(self.scale))

    @checked
    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval with probability `prob`: the central one, as the law is symmetric."""
        return self.interval(check_prob(prob))
