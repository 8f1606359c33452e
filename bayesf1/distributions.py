"""Posterior laws in closed form: Beta, and the F-score with any weight."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayesf1 import quadrature
from bayesf1.evaluation import FloatArray

RNGLike: TypeAlias = np.random.Generator | int | None


def plain(value: Any) -> Any:
    """Return a 0-d array as a float, and any other array as it is."""
    array = np.asarray(value, dtype=np.float64)
    return array if array.ndim else float(array)


def check_prob(prob: float, name: str = "prob") -> float:
    """Return a credible mass, or say that it is not strictly between 0 and 1."""
    if isinstance(prob, bool) or not isinstance(prob, float | int | np.floating) or not 0.0 < prob < 1.0:
        raise ValueError(f"{name} must lie strictly between 0 and 1 (0.95 for 95 %), not {prob!r}")
    return float(prob)


def check_levels(q: ArrayLike) -> FloatArray:
    """Return probabilities as an array, or say which is none."""
    array = np.asarray(q, dtype=np.float64)
    bad = ~((array >= 0.0) & (array <= 1.0))
    if bad.any():
        raise ValueError(f"probabilities lie between 0 and 1, not {array[bad].flat[0]:g}")
    return array


class Posterior(ABC):
    """What is believed about a number after seeing the data.

    Methods are vectorised over points and, where the law has array parameters, over these; both broadcast
    against each other. Scalars in give floats out.
    """

    @abstractmethod
    def pdf(self, x: ArrayLike) -> Any:
        """Density at `x`."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> Any:
        """Probability of at most `x`."""

    @abstractmethod
    def sf(self, x: ArrayLike) -> Any:
        """Probability of more than `x`, accurate also where it is tiny."""

    @abstractmethod
    def ppf(self, q: ArrayLike) -> Any:
        """Quantile: the point with probability `q` below it."""

    @abstractmethod
    def isf(self, q: ArrayLike) -> Any:
        """Point with probability `q` above it."""

    @abstractmethod
    def rvs(self, size: int | tuple[int, ...] | None = None, *, rng: RNGLike = None) -> Any:
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

    def logpdf(self, x: ArrayLike) -> Any:
        """Log density at `x`."""
        with np.errstate(divide="ignore"):
            return plain(np.log(self.pdf(x)))

    def std(self) -> Any:
        """Standard deviation."""
        return plain(np.sqrt(self.var()))

    def median(self) -> Any:
        """Median."""
        return self.ppf(0.5)

    def interval(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Equal-tailed interval with probability `prob`."""
        tail = 0.5 * (1.0 - check_prob(prob))
        return self.ppf(tail), self.isf(tail)

    def _shortest(self, prob: float, shape: tuple[int, ...]) -> tuple[Any, Any]:
        """Shortest interval of a law with at most one interior mode, from its quantiles and density."""
        tail = 1.0 - check_prob(prob)

        def imbalance(q: FloatArray) -> FloatArray:
            with np.errstate(invalid="ignore"):
                gap = np.asarray(self.logpdf(self.ppf(q))) - np.asarray(self.logpdf(self.isf(tail - q)))
            return np.where(np.isnan(gap), 0.0, gap)

        low, high = np.zeros(shape), np.full(shape, tail)
        q = quadrature.crossing(imbalance, low, high)
        ends = np.stack([low, q, high])
        widths = np.stack([np.asarray(self.isf(tail - e)) - np.asarray(self.ppf(e)) for e in ends])
        best = np.take_along_axis(ends, np.argmin(widths, axis=0)[None], axis=0)[0]
        return plain(self.ppf(best)), plain(self.isf(np.maximum(tail - best, 0.0)))


class UnitLaw(Posterior):
    """A law on [0, 1] whose odds are a multiple of a Beta variate's odds, or a mixture of such laws."""

    a: FloatArray
    b: FloatArray

    @property
    @abstractmethod
    def odds(self) -> tuple[FloatArray, FloatArray]:
        """Multiples of the odds and their weights, on a last axis of the mixture's components."""

    @abstractmethod
    def take(self, index: Any) -> Self:
        """Return the law with flattened parameters at `index`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the parameters."""
        return self.a.shape

    @cached_property
    def _peak(self) -> FloatArray:
        return quadrature.log_peak(self.a, self.b)

    def logit_logpdf(self, t: FloatArray, tc: FloatArray) -> FloatArray:
        """Log density of the logit at t, given also tc = 1 - t; axes of points follow those of parameters."""
        extra = (1,) * (max(t.ndim - self.a.ndim, 0))
        a, b, peak = (x.reshape(x.shape + extra) for x in (self.a, self.b, self._peak))
        odds, weights = self.odds
        if odds.shape[-1] == 1:
            return quadrature.logit_logpdf(t, tc, a, b, float(odds.flat[0]), peak)
        odds, weights = (x.reshape(x.shape[:-1] + extra + x.shape[-1:]) for x in (odds, weights))
        parts = quadrature.logit_logpdf(
            t[..., None], tc[..., None], a[..., None], b[..., None], odds, peak[..., None]
        )
        top = np.max(parts, axis=-1, keepdims=True, initial=-1e308)
        with np.errstate(divide="ignore"):
            return np.log(np.sum(weights * np.exp(parts - top), axis=-1)) + top[..., 0]

    def tails(self, t: FloatArray, tc: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(T <= t) and P(T > t), given also tc = 1 - t; axes of points follow those of parameters."""
        extra = (1,) * (max(t.ndim - self.a.ndim, 0))
        a, b = (x.reshape(x.shape + extra) for x in (self.a, self.b))
        odds, weights = self.odds
        if odds.shape[-1] == 1:
            return quadrature.beta_tails(t, tc, a, b, float(odds.flat[0]))
        odds, weights = (x.reshape(x.shape[:-1] + extra + x.shape[-1:]) for x in (odds, weights))
        low, high = quadrature.beta_tails(t[..., None], tc[..., None], a[..., None], b[..., None], odds)
        return np.sum(weights * low, axis=-1), np.sum(weights * high, axis=-1)

    @cached_property
    def logit_window(self) -> tuple[FloatArray, FloatArray]:
        """Bounds of the logit outside of which there is no mass to speak of."""
        low, high = quadrature.logit_window(self.a, self.b)
        shift = np.log(self._likely_odds)
        return low + shift[0], high + shift[1]

    @cached_property
    def logit_scale(self) -> FloatArray:
        """Width of the narrowest feature of the logit's density."""
        return quadrature.logit_scale(self.a, self.b)

    @property
    def logit_centre(self) -> FloatArray:
        """Logit of the middle of the law, roughly."""
        shift = np.log(self._likely_odds)
        return np.log(self.a) - np.log(self.b) + 0.5 * (shift[0] + shift[1])

    @property
    def _likely_odds(self) -> tuple[FloatArray, FloatArray]:
        odds, weights = self.odds
        likely = weights > 1e-17
        return np.where(likely, odds, np.inf).min(axis=-1), np.where(likely, odds, 0.0).max(axis=-1)

    @cached_property
    def nodes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        low, high = self.logit_window
        step = quadrature.STEP / np.hypot(1.0 / self.logit_scale, quadrature.STRIP)
        z, h = quadrature.trapezoid_grid(low, high, step)
        t, tc = quadrature.expit_pair(z)
        w = np.exp(self.logit_logpdf(t, tc)) * h[..., None]
        return t, tc, w / w.sum(axis=-1, keepdims=True)

    def logpdf(self, x: ArrayLike) -> Any:
        """Log density at `x`."""
        x, law = self._aligned(x)
        inside = (x > 0.0) & (x < 1.0)
        t = np.where(inside, x, 0.5)
        density = law.logit_logpdf(t, 1.0 - t) - np.log(t) - np.log1p(-t)
        density = np.where(inside, density, -np.inf)
        density = np.where(x == 0.0, law._log_density_at_end(0), density)
        return plain(np.where(x == 1.0, law._log_density_at_end(1), np.where(np.isnan(x), np.nan, density)))

    def pdf(self, x: ArrayLike) -> Any:
        """Density at `x`."""
        return plain(np.exp(self.logpdf(x)))

    def cdf(self, x: ArrayLike) -> Any:
        """Probability of at most `x`."""
        return plain(self._both_tails(x)[0])

    def sf(self, x: ArrayLike) -> Any:
        """Probability of more than `x`, accurate also where it is tiny."""
        return plain(self._both_tails(x)[1])

    def _both_tails(self, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
        x, law = self._aligned(x)
        t = np.clip(x, 0.0, 1.0)
        return law.tails(t, 1.0 - t)

    def _aligned(self, x: ArrayLike) -> tuple[FloatArray, Self]:
        """Broadcast points and parameters against each other."""
        points = np.asarray(x, dtype=np.float64)
        if not self.shape:
            return points, self
        shape = np.broadcast_shapes(points.shape, self.shape)
        index = np.broadcast_to(np.arange(self.a.size).reshape(self.shape), shape)
        return np.broadcast_to(points, shape), self if shape == self.shape else self.take(index)

    @abstractmethod
    def _log_density_at_end(self, end: int) -> FloatArray:
        """Log density at 0 or 1."""

    def ppf(self, q: ArrayLike) -> Any:
        """Quantile: the point with probability `q` below it."""
        return plain(self._quantile(check_levels(q), upper=False))

    def isf(self, q: ArrayLike) -> Any:
        """Point with probability `q` above it."""
        return plain(self._quantile(check_levels(q), upper=True))

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        q, law = self._aligned(q)
        low, high = law.logit_window
        reach = 60.0 * law.logit_scale + 700.0 / np.minimum(law.a, law.b)
        low, high = np.maximum(low - reach, -708.0), np.minimum(high + reach, 708.0)
        # Solving on the log of the smaller tail keeps quantiles exact far out.
        lower_side = (q > 0.5) if upper else (q <= 0.5)
        target = np.where(lower_side, np.where(upper, 1.0 - q, q), np.where(upper, q, 1.0 - q))

        def excess(z: FloatArray) -> FloatArray:
            below, above = law.tails(*quadrature.expit_pair(z))
            with np.errstate(divide="ignore", invalid="ignore"):
                gap = np.where(lower_side, np.log(below) - np.log(target), np.log(target) - np.log(above))
            return np.where(np.isnan(gap), 0.0, gap)

        z = quadrature.crossing(excess, np.broadcast_to(low, q.shape), np.broadcast_to(high, q.shape))
        t, _ = quadrature.expit_pair(z)
        return np.where(target == 0.0, np.where(lower_side, 0.0, 1.0), t)

    def mean(self) -> Any:
        """Mean."""
        t, _, w = self.nodes
        return plain(np.sum(w * t, axis=-1))

    def var(self) -> Any:
        """Variance."""
        t, tc, w = self.nodes
        high = (self.logit_centre > 0)[..., None]
        x = np.where(high, tc, t)
        centred = x - np.sum(w * x, axis=-1, keepdims=True)
        return plain(np.sum(w * centred * centred, axis=-1))

    def entropy(self) -> Any:
        """Differential entropy in nats."""
        t, tc, w = self.nodes
        used = w > 0
        safe, safe_c = np.where(used, t, 0.5), np.where(used, tc, 0.5)
        log_density = self.logit_logpdf(safe, safe_c) - np.log(safe) - np.log(safe_c)
        return plain(-np.sum(np.where(used, w * log_density, 0.0), axis=-1))

    def mode(self) -> Any:
        """Point of the highest density; an end of the support where the density is highest there."""
        odds, weights = self.odds
        a, b, peak = (x[..., None] for x in (self.a, self.b, self._peak))

        def descent(z: FloatArray) -> FloatArray:
            # Minus the derivative of the density, up to a positive factor.
            t, tc = (x[..., None] for x in quadrature.expit_pair(z))
            parts = quadrature.logit_logpdf(t, tc, a, b, odds, peak)
            density = weights * np.exp(parts - parts.max(axis=-1, keepdims=True))
            slope = (a - 1.0) * tc - (b - 1.0) * t - (a + b) * (1.0 - odds) * t * tc / (t + odds * tc)
            return -np.sum(density * slope, axis=-1)

        low, high = self.logit_window
        t, _ = quadrature.expit_pair(quadrature.crossing(descent, low, high))
        candidates = np.stack([t, np.zeros_like(t), np.ones_like(t)])
        interior = (descent(low) < 0) & (descent(high) > 0)
        heights = np.stack(
            [
                np.where(interior, np.asarray(self.logpdf(t)), -np.inf),
                np.broadcast_to(self._log_density_at_end(0), t.shape),
                np.broadcast_to(self._log_density_at_end(1), t.shape),
            ]
        )
        return plain(np.take_along_axis(candidates, np.argmax(heights, axis=0)[None], axis=0)[0])

    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval with probability `prob`."""
        return self._shortest(prob, self.shape)

    def __repr__(self) -> str:
        names = ", ".join(f"{name}={value}" for name, value in self._parameters().items())
        return f"{type(self).__name__}({names})"

    @abstractmethod
    def _parameters(self) -> dict[str, Any]:
        """Parameters by name, for the eye."""


def _parameter(value: ArrayLike, name: str) -> FloatArray:
    array = np.asarray(value, dtype=np.float64)
    fine = (array > 0.0) & (array < np.inf)
    if not fine.all():
        raise ValueError(f"parameter {name} must be finite and above 0, not {array[~fine].flat[0]:g}")
    return array


@dataclass(frozen=True, eq=False, repr=False)
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
    (0.876404..., 0.257...)
    """

    a: FloatArray
    b: FloatArray

    def __post_init__(self) -> None:
        a, b = np.broadcast_arrays(_parameter(self.a, "a"), _parameter(self.b, "b"))
        object.__setattr__(self, "a", a)
        object.__setattr__(self, "b", b)

    @property
    def odds(self) -> tuple[FloatArray, FloatArray]:
        """Multiples of the odds and their weights: the Beta law itself."""
        return _ONE, _ONE

    def take(self, index: Any) -> Self:
        """Return the law with flattened parameters at `index`."""
        return type(self)(self.a.ravel()[index], self.b.ravel()[index])

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        return _beta_quantile(self.a, self.b, q, upper=upper)

    def rvs(self, size: int | tuple[int, ...] | None = None, *, rng: RNGLike = None) -> Any:
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

    def _log_density_at_end(self, end: int) -> FloatArray:
        near, far = (self.a, self.b) if end == 0 else (self.b, self.a)
        # Be(1, b) has density b at 0.
        return np.where(near < 1.0, np.inf, np.where(near > 1.0, -np.inf, np.log(far)))

    def _parameters(self) -> dict[str, Any]:
        return {"a": plain(self.a), "b": plain(self.b)}


@dataclass(frozen=True, eq=False, repr=False)
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
    (0.738689..., 0.627...)
    >>> FScore(78, 45, 11, beta=0.5).median()
    0.6718182...

    References
    ----------
    Wang & Li (2019), ACL, Eqs. 7 and 30.
    """

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    beta: float = 1.0

    def __post_init__(self) -> None:
        named = (("tp", self.tp), ("fp", self.fp), ("fn", self.fn))
        arrays = np.broadcast_arrays(*(_parameter(value, name) for name, value in named))
        for (name, _), array in zip(named, arrays, strict=True):
            object.__setattr__(self, name, array)
        if not (np.ndim(self.beta) == 0 and 0.0 < float(self.beta) <= 1e3):
            raise ValueError(f"beta must be one number above 0 and at most 1000, not {self.beta!r}")

    @property
    def a(self) -> FloatArray:  # type: ignore[override]
        """First parameter of the law of F*."""
        return self.tp

    @cached_property
    def b(self) -> FloatArray:  # type: ignore[override]
        """Second parameter of the law of F*."""
        return np.asarray(self.fp + self.fn)

    @cached_property
    def odds(self) -> tuple[FloatArray, FloatArray]:
        """Multiples 1/W of the odds of F* and their weights: one for β = 1, else nodes of V."""
        if self.beta == 1.0:
            return _TWO, _ONE
        v, vc, weights = quadrature.beta_nodes(self.fp, self.fn)
        square = self.beta * self.beta
        return (1.0 + square) / (v + square * vc), weights

    def take(self, index: Any) -> Self:
        """Return the law with flattened parameters at `index`."""
        tp, fp, fn = (x.ravel()[index] for x in (self.tp, self.fp, self.fn))
        return type(self)(tp, fp, fn, self.beta)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        if self.beta != 1.0:
            return super()._quantile(q, upper=upper)
        x = _beta_quantile(self.a, self.b, q, upper=upper)
        return 2.0 * x / (1.0 + x)

    def rvs(self, size: int | tuple[int, ...] | None = None, *, rng: RNGLike = None) -> Any:
        """Draw from the law."""
        rng = np.random.default_rng(rng)
        jaccard = rng.beta(self.a, self.b, size)
        square = self.beta * self.beta
        v = 0.5 if self.beta == 1.0 else rng.beta(self.fp, self.fn, size)
        w = (v + square * (1.0 - v)) / (1.0 + square)
        return jaccard / (jaccard + w * (1.0 - jaccard))

    def _log_density_at_end(self, end: int) -> FloatArray:
        odds, weights = self.odds
        near, far = (self.a, self.b) if end == 0 else (self.b, self.a)
        # Be(1, b) has density b at 0, and T = odds·X there; near 1, 1 - T = (1 - X)/odds.
        slope = np.sum(weights / odds, axis=-1) if end == 0 else np.sum(weights * odds, axis=-1)
        return np.where(near < 1.0, np.inf, np.where(near > 1.0, -np.inf, np.log(far * slope)))

    def _parameters(self) -> dict[str, Any]:
        cells = {name: plain(getattr(self, name)) for name in ("tp", "fp", "fn")}
        return {**cells, "beta": self.beta}


_ONE = np.ones(1)
_TWO = np.full(1, 2.0)


def _beta_quantile(a: FloatArray, b: FloatArray, q: FloatArray, *, upper: bool) -> FloatArray:
    x = np.asarray(special.betainccinv(a, b, q) if upper else special.betaincinv(a, b, q))
    if not np.any(a + b > quadrature.LARGE):
        return x
    # Two Newton steps on the log of the tail mend what betaincinv loses with large parameters.
    inner = (q > 0.0) & (q < 1.0) & (x > 0.0) & (x < 1.0)
    x_safe, q_safe = np.where(inner, x, 0.5), np.where(inner, q, 0.5)
    z = special.logit(x_safe)
    peak = quadrature.log_peak(a, b)
    for _ in range(2):
        t, tc = quadrature.expit_pair(z)
        tail = quadrature.beta_tails(t, tc, a, b, 1.0)[int(upper)]
        density = np.exp(quadrature.logit_logpdf(t, tc, a, b, 1.0, peak))
        usable = (tail > 0.0) & (density > 0.0)
        step = np.log(np.where(usable, tail, q_safe) / q_safe) * np.where(usable, tail, 0.0)
        z = z + (step if upper else -step) / np.where(usable, density, 1.0)
    return np.where(inner, special.expit(z), x)
