"""Posterior laws in closed form: Beta, and the F-score with any weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import Numbers, RNGLike, Size, checked
from bayesf1.laws import quadrature
from bayesf1.laws.law import lazy_property
from bayesf1.laws.unit_law import UnitLaw


def _checked(**parameters: ArrayLike) -> dict[str, FloatArray]:
    """Return parameters as arrays of one shape, or say which is none."""
    # Indexed by (), arrays stay what they are, and numpy's scalars are faster than arrays without axes.
    arrays = {name: np.asarray(value, dtype=np.float64)[()] for name, value in parameters.items()}
    for name, array in arrays.items():
        fine = (array > 0.0) & (array < np.inf)
        if not quadrature.holds_everywhere(fine):
            bad = np.extract(~fine, array)[0]
            raise ValueError(f"parameter {name} must be finite and above 0, not {bad:g}")
    if len({array.shape for array in arrays.values()}) == 1:
        return arrays
    return dict(zip(arrays, np.broadcast_arrays(*arrays.values()), strict=True))


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Beta(UnitLaw):
    r"""The beta law, :math:`f(t) = t^{a-1}(1-t)^{b-1}/B(a,b)`: precision, recall, accuracy, Jaccard.

    Parameters
    ----------
    a, b
        Successes and failures, each plus the prior; arrays broadcast.

    Examples
    --------
    >>> recall = Beta(78, 11)
    >>> recall.mean(), recall.sf(0.9)
    (0.876404..., 0.262970...)
    """

    a: FloatArray
    b: FloatArray

    @checked
    def __init__(self, a: Numbers, b: Numbers) -> None:
        vars(self).update(_checked(a=a, b=b))

    def take(self, index: Any) -> Self:
        """Return the law with flattened parameters at `index`."""
        return type(self)(self.a.ravel()[index], self.b.ravel()[index])

    @checked
    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the law."""
        return np.random.default_rng(rng).beta(self.a, self.b, size)

    def mean(self) -> Any:
        """Mean, a/(a+b)."""
        return plain(self.a / (self.a + self.b))

    def var(self) -> Any:
        """Variance, ab/((a+b)²(a+b+1))."""
        n = self.a + self.b
        return plain(self.a / n * (self.b / n) / (n + 1.0))

    def mode(self) -> Any:
        """Point of the highest density, (a-1)/(a+b-2) where both parameters exceed 1."""
        a, b = self.a, self.b
        interior = (a > 1.0) & (b > 1.0)
        inner = np.where(interior, a - 1.0, 1.0) / np.where(interior, a + b - 2.0, 2.0)
        end = np.where(a == b, np.where(a == 1.0, 0.5, 0.0), np.where(a < b, 0.0, 1.0))
        return plain(np.where(interior, inner, end))


@dataclass(frozen=True, eq=False, repr=False, init=False)
class FScore(UnitLaw):
    r"""The law of :math:`F_\beta` when the cells of the confusion table are Dirichlet.

    With :math:`F^* \sim \mathrm{Be}(tp, fp+fn)` and, independently, :math:`V \sim \mathrm{Be}(fp, fn)`,

    .. math:: F_\beta = \frac{F^*}{F^* + W(1-F^*)}, \qquad W = \frac{V + \beta^2(1-V)}{1+\beta^2}.

    For β = 1, W is ½ and the density is Eq. 7 of Wang & Li (2019), with the quantile of their Eq. 30; for
    other weights V is integrated out by quadrature.

    Parameters
    ----------
    tp, fp, fn
        Dirichlet parameters of the cells: counts plus the prior; arrays broadcast.
    beta
        Weight of recall against precision.

    Examples
    --------
    >>> f1 = FScore(78, 45, 11)
    >>> f1.mode(), f1.cdf(0.75)
    (0.738689..., 0.659762...)
    >>> FScore(78, 45, 11, beta=0.5).median()
    0.6718182...

    References
    ----------
    Wang & Li (2019), ACL, Eqs. 7 and 30.
    """

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    beta: float

    @checked
    def __init__(self, tp: Numbers, fp: Numbers, fn: Numbers, beta: float = 1.0) -> None:
        if not (np.ndim(beta) == 0 and 0.0 < float(beta) <= 1e3):
            raise ValueError(f"beta must be one number above 0 and at most 1000, not {beta!r}")
        cells = _checked(tp=tp, fp=fp, fn=fn)
        # Weights other than 1 mix laws: V is integrated out.
        derived = {"a": cells["tp"], "b": cells["fp"] + cells["fn"], "mixed": float(beta) != 1.0}
        vars(self).update(cells, **derived, beta=float(beta))

    @lazy_property
    def odds(self) -> tuple[Any, FloatArray | None]:
        """Multiples 1/W of the odds of F* and their weights: the number 2 for β = 1, else nodes of V."""
        return self._mixture(quadrature.FAR_DROP) if self.mixed else (2.0, None)

    def _mixture(self, drop: float) -> tuple[FloatArray, FloatArray]:
        """Return multiples of the odds and their weights, as far as the log density of logit V falls by `drop`."""
        split, square = Beta(self.fp, self.fn), self.beta * self.beta
        below, above = quadrature.logit_reach(self.fp, self.fn, drop)
        low = np.maximum(split.frame.centre - below, -quadrature.END)
        high = np.minimum(split.frame.centre + above, quadrature.END)
        # log W moves fastest with logit V where V/(1-V) = β.
        v, vc = quadrature.expit_pair(np.clip(np.log(self.beta), low, high))
        speed = (1.0 - square) * v * vc / (v + square * vc)
        fineness = 1.0 / split.frame.scale**2 + (speed / quadrature.logit_scale(self.a, self.b)) ** 2
        # Beyond this logit of V all multiples are the same: the ends stand for geometric series.
        same = quadrature.DROP + abs(np.log(square))
        low, high = np.maximum(low, -same), np.minimum(high, same)
        v, vc, weights, h = split.logit_grid(low, high, quadrature.trapezoid_step(fineness))
        weights[..., 0] /= -np.expm1(-self.fp * h)
        weights[..., -1] /= -np.expm1(-self.fn * h)
        return (1.0 + square) / (v + square * vc), weights / weights.sum(axis=-1, keepdims=True)

    @lazy_property
    def _tables(self) -> dict[float, UnitLaw]:
        return {}

    def tabulated(self, drop: float) -> UnitLaw:
        """Return the law where log densities are less than `drop` below their peak, faster to compute if it can be."""
        if not self.mixed:
            return self
        if drop not in self._tables:
            self._tables[drop] = _Tabulated(self.tp, self.fp, self.fn, self.beta, drop)
        return self._tables[drop]

    def take(self, index: Any) -> Self:
        """Return the law with flattened parameters at `index`."""
        tp, fp, fn = (x.ravel()[index] for x in (self.tp, self.fp, self.fn))
        return type(self)(tp, fp, fn, self.beta)

    @checked
    def rvs(self, size: Size = None, *, rng: RNGLike = None) -> Any:
        """Draw from the law."""
        rng = np.random.default_rng(rng)
        jaccard = rng.beta(self.a, self.b, size)
        square = self.beta * self.beta
        v = 0.5 if self.beta == 1.0 else rng.beta(self.fp, self.fn, size)
        w = (v + square * (1.0 - v)) / (1.0 + square)
        return jaccard / (jaccard + w * (1.0 - jaccard))

    def mode(self) -> Any:
        """Point of the highest density; an end of the support where the density is highest there."""
        a, b = self.a, self.b
        if self.beta != 1.0 or not quadrature.holds_everywhere((a > 1.0) & (b > 1.0)):
            return super().mode()
        # Eq. 7 is highest where 2t² + mt - 2(a-1) = 0.
        m = 2.0 * a + b - 5.0
        root = np.sqrt(m * m + 16.0 * (a - 1.0)) + np.abs(m)
        return plain(np.where(m < 0.0, 0.25 * root, 4.0 * (a - 1.0) / root))


# Step of the table of tails in units of their scale: errors of 1e-11.
_TABLE_STEP = 0.08


class _Tabulated(FScore):
    """The law of an F-score up to some distance of its peak, of fewer components and with tails from a table.

    The logit of a component is that of F* plus a number. So tails of all components are those of F*, which are
    tabulated once, as logits of probabilities: both tails keep their digits.
    """

    drop: float

    def __init__(self, tp: Numbers, fp: Numbers, fn: Numbers, beta: float, drop: float) -> None:
        super().__init__(tp, fp, fn, beta)
        vars(self).update(drop=drop)

    def tabulated(self, drop: float) -> UnitLaw:
        """Return the law itself."""
        return self

    def take(self, index: Any) -> Self:
        """Return the law with flattened parameters at `index`."""
        tp, fp, fn = (x.ravel()[index] for x in (self.tp, self.fp, self.fn))
        return type(self)(tp, fp, fn, self.beta, self.drop)

    @lazy_property
    def _components(self) -> tuple[FloatArray, FloatArray]:
        return self._mixture(self.drop)

    @lazy_property
    def odds(self) -> tuple[Any, FloatArray | None]:
        """Multiples 1/W of the odds of F* and their weights, as far as they matter here."""
        return self._components

    @lazy_property
    def _table(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Logit of F* at the first entry, the step, and polynomials for the logit of its probability."""
        law = Beta(self.a, self.b)
        below, above = quadrature.logit_reach(self.a, self.b, self.drop)
        step = _TABLE_STEP * np.minimum(law.frame.scale, 1.0)
        start = np.asarray(law.frame.centre - below)
        z, h = quadrature.trapezoid_grid(start, law.frame.centre + above, step)
        t, tc = quadrature.expit_pair(z)
        no_more, more = law.tails(t, tc)
        # The slope of log(F/(1 - F)) is f/(F(1 - F)), and f'/f is a(1 - t) - bt.
        a, b, width = (np.asarray(x)[..., None] for x in (self.a, self.b, h))
        slope = np.exp(law.logit_logpdf(t, tc)) / (no_more * more)
        curvature = slope * (a * tc - b * t) - slope * slope * (more - no_more)
        logits = np.log(no_more) - np.log(more)
        return start, np.asarray(h), quadrature.quintic(logits, slope * width, curvature * width**2)

    def tails(self, t: FloatArray, tc: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(T <= t) and P(T > t), given also tc = 1 - t; axes of points follow those of parameters."""
        start, step, polynomials = self._table
        odds, weights = self._components
        # In units of the table's step from its first entry.
        offset = np.log(odds) / step[..., None]
        first, width = self._lengthened(t.ndim, start, step)
        # Points at 0 and 1 are as good as outside.
        points = (np.log(np.maximum(t, 1e-300)) - np.log(np.maximum(tc, 1e-300)) - first) / width
        offset, weights = self._lengthened(t.ndim, offset, weights)
        chance = np.exp(quadrature.interpolate(polynomials, points[..., None] - offset))
        no_more = weights / (1.0 + chance)
        more = np.sum(no_more, axis=-1)
        no_more *= chance
        return np.sum(no_more, axis=-1), more

    def logit_logpdf(self, t: FloatArray, tc: FloatArray) -> FloatArray:
        """Log density of the logit at t, given also tc = 1 - t; axes of points follow those of parameters."""
        if not quadrature.holds_everywhere(self.a + self.b < quadrature.SMALL):
            return super().logit_logpdf(t, tc)
        odds, weights = self._components
        # As in `quadrature.logit_logpdf`, with one logarithm for each component.
        own = np.log(weights) + self.b[..., None] * np.log(odds)
        odds, own = self._lengthened(t.ndim, odds, own)
        a, b, peak = self._lengthened(t.ndim, self.a, self.b, self._peak)
        n = a + b
        parts = np.log(t[..., None] + odds * tc[..., None])
        parts *= -n[..., None]
        parts += own
        parts += (peak + a * np.log(t * (n / a)) + b * np.log(tc * (n / b)))[..., None]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.sum(np.exp(parts), axis=-1)))
