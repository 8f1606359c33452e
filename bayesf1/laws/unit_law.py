"""Laws on the unit interval that are Beta laws in disguise: what they have in common."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import Numbers, checked
from bayesf1.base.roots import crossing
from bayesf1.laws import quadrature
from bayesf1.laws.law import ParametricLaw, lazy_property, quantile_root


class LogitFrame(NamedTuple):
    """Where a law is, on the logit scale."""

    shift: FloatArray  # log of the multiple of the odds, or the middle of its range
    centre: FloatArray  # middle of the law; the peak of the logit's density where nothing is mixed
    scale: FloatArray  # width of the narrowest feature of the density
    radius: FloatArray  # six standard deviations, roughly
    # Bounds outside of which there is no mass to speak of.
    start: FloatArray
    stop: FloatArray
    # Bounds outside of which probabilities are below 1e-60.
    first: FloatArray
    last: FloatArray


class UnitLaw(ParametricLaw):
    """A law on [0, 1] whose odds are a multiple of a Beta variate's odds, or a mixture of such laws."""

    a: FloatArray
    b: FloatArray
    mixed: bool = False  # whether several laws are mixed

    @lazy_property
    def odds(self) -> tuple[Any, FloatArray | None]:
        """Multiples of the odds and their weights on a last axis; of a single multiple, a number and None."""
        return 1.0, None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the parameters."""
        return self.a.shape

    def tabulated(self, drop: float) -> UnitLaw:
        """Return the law where log densities are less than `drop` below their peak, faster to compute if it can be."""
        return self

    @lazy_property
    def _peak(self) -> FloatArray:
        return quadrature.log_peak(self.a, self.b)

    def logit_logpdf(self, t: FloatArray, tc: FloatArray) -> FloatArray:
        """Log density of the logit at t, given also tc = 1 - t; axes of points follow those of parameters."""
        odds, weights = self.odds
        if weights is None:
            a, b, peak = self._lengthened(t.ndim, self.a, self.b, self._peak)
            return quadrature.logit_logpdf(t, tc, a, b, odds, peak)
        a, b, peak = self._lengthened(t.ndim + 1, self.a, self.b, self._peak)
        odds, weights = self._lengthened(t.ndim, odds, weights)
        parts = quadrature.logit_logpdf(t[..., None], tc[..., None], a, b, odds, peak)
        top = np.max(parts, axis=-1, keepdims=True, initial=-1e308)
        return np.asarray(np.log(np.sum(weights * np.exp(parts - top), axis=-1)) + top[..., 0])

    def tails(self, t: FloatArray, tc: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(T <= t) and P(T > t), given also tc = 1 - t; axes of points follow those of parameters."""
        odds, weights = self.odds
        if weights is None:
            a, b = self._lengthened(t.ndim, self.a, self.b)
            return quadrature.beta_tails(t, tc, a, b, odds)
        a, b = self._lengthened(t.ndim + 1, self.a, self.b)
        odds, weights = self._lengthened(t.ndim, odds, weights)
        low, high = quadrature.beta_tails(t[..., None], tc[..., None], a, b, odds)
        low, high = np.sum(weights * low, axis=-1), np.sum(weights * high, axis=-1)
        left = low <= high
        return np.where(left, low, 1.0 - high), np.where(left, 1.0 - low, high)

    def _lengthened(self, ndim: int, *parameters: FloatArray) -> tuple[FloatArray, ...]:
        """Let axes of points follow those of parameters; an axis of what is mixed stays the last."""
        own = self.a.ndim
        if own in (0, ndim):
            return parameters
        return tuple(x.reshape(self.shape + (1,) * (ndim - own) + x.shape[own:]) for x in parameters)

    def logit_grid(self, start: FloatArray, stop: FloatArray, step: FloatArray) -> tuple[FloatArray, ...]:
        """Return t and 1-t, equidistant in the logit on a new last axis, its density up to a factor, and the step."""
        centre = self.frame.centre
        u, h = quadrature.trapezoid_grid(start - centre, stop - centre, step)
        t, tc = quadrature.expit_pair(quadrature.column(centre) + u)
        if self.mixed:
            return t, tc, np.exp(self.logit_logpdf(t, tc)), h
        a, b = self._lengthened(u.ndim, self.a, self.b)
        n = a + b
        return t, tc, np.exp(quadrature.log_change(u, a / n, b / n, a, b)), h

    @lazy_property
    def frame(self) -> LogitFrame:
        """Where the law is, on the logit scale."""
        odds, weights = self.odds
        mixing: Any = 0.0
        if weights is not None:
            likely = weights > 1e-17
            least = np.where(likely, odds, np.inf).min(axis=-1)
            most = np.where(likely, odds, 0.0).max(axis=-1)
            odds, mixing = np.sqrt(least * most), 0.5 * np.log(most / least)
        m = quadrature.maths_for(self.a)
        shift = m.log(odds)
        centre, scale = m.log(self.a / self.b) + shift, quadrature.logit_scale(self.a, self.b)
        ends = []
        for drop in (quadrature.DROP, quadrature.FAR_DROP):
            below, above = quadrature.logit_reach(self.a, self.b, drop)
            ends.append(m.maximum(centre - below - mixing, -quadrature.END))
            ends.append(m.minimum(centre + above + mixing, quadrature.END))
        return LogitFrame(shift, centre, scale, 6.0 * scale + mixing, *ends)

    @property
    def logit_window(self) -> tuple[FloatArray, FloatArray]:
        """Bounds of the logit outside of which there is no mass to speak of."""
        return self.frame.start, self.frame.stop

    def logit_curvature(self, z: FloatArray) -> Any:
        """Curvature of the logit's log density at z, ignoring what is mixed."""
        m = quadrature.maths_for(z)
        e = m.exp(-m.absolute(z - self.frame.shift))
        return (self.a + self.b) * e / (1.0 + e) ** 2

    @lazy_property
    def nodes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Nodes (t, 1-t) and weights for expectations under the law."""
        t, tc, w, _ = self.logit_grid(*self.logit_window, quadrature.trapezoid_step(self.frame.scale**-2))
        return t, tc, w / w.sum(axis=-1, keepdims=True)

    @checked
    def logpdf(self, x: Numbers) -> Any:
        """Log density at `x`."""
        x, law = self._aligned(x)
        inside = (x > 0.0) & (x < 1.0)
        t = np.where(inside, x, 0.5)
        density = law.logit_logpdf(t, 1.0 - t) - np.log(t) - np.log1p(-t)
        if not inside.all():
            outside = np.where(np.isnan(x), np.nan, -np.inf)
            for end in (0, 1):
                outside = np.where(x == end, law._log_density_at_end(end), outside)
            density = np.where(inside, density, outside)
        return plain(density)

    def _log_density_at_end(self, end: int) -> FloatArray:
        odds, weights = self.odds
        near, far = (self.a, self.b) if end == 0 else (self.b, self.a)
        # Be(1, b) has density b at 0, and T = odds·X there; near 1, 1 - T = (1 - X)/odds.
        slope = 1.0 / odds if end == 0 else odds
        if weights is not None:
            slope = np.sum(weights * slope, axis=-1)
        return np.where(near < 1.0, np.inf, np.where(near > 1.0, -np.inf, np.log(far * slope)))

    @checked
    def pdf(self, x: Numbers) -> Any:
        """Density at `x`."""
        return plain(np.exp(self.logpdf(x)))

    def _both_tails(self, x: Numbers) -> tuple[FloatArray, FloatArray]:
        x, law = self._aligned(x)
        t = np.clip(x, 0.0, 1.0)
        return law.tails(t, 1.0 - t)

    def _aligned(self, x: Numbers) -> tuple[FloatArray, Self]:
        """Broadcast points and parameters against each other."""
        points = np.asarray(x, dtype=np.float64)
        if not self.shape:
            return points, self
        shape = np.broadcast_shapes(points.shape, self.shape)
        return np.broadcast_to(points, shape), self.spread(shape)

    def spread(self, shape: tuple[int, ...]) -> Self:
        """Return the law with its parameters broadcast to a shape."""
        index = np.arange(self.a.size).reshape(self.shape)
        return self if shape == self.shape else self.take(np.broadcast_to(index, shape))

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        odds, weights = self.odds
        if weights is not None:
            q, law = self._aligned(q)
            shift = law.frame.scale * special.ndtri(np.clip(q, 1e-300, 1.0 - 1e-16))
            return law._solve(q, upper, law.frame.centre + (-shift if upper else shift))
        x = (special.betainccinv if upper else special.betaincinv)(self.a, self.b, q)
        if not quadrature.holds_somewhere(self.a + self.b > quadrature.LARGE):
            return np.asarray(odds * x / (1.0 + (odds - 1.0) * x))
        # betaincinv loses digits with large parameters, but is a good start.
        q, law = self._aligned(q)
        return law._solve(q, upper, special.logit(x) + np.log(odds))

    def _solve(self, q: FloatArray, upper: bool, start: FloatArray) -> FloatArray:
        """Find a quantile from a start for its logit."""

        def at(z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            t, tc = quadrature.expit_pair(z)
            return *self.tails(t, tc), np.exp(self.logit_logpdf(t, tc))

        return special.expit(quantile_root(at, q, upper, quadrature.END, start))

    def mean(self) -> Any:
        """Mean."""
        t, _, w = self.nodes
        return plain(quadrature.weighted_sum(w, t))

    def var(self) -> Any:
        """Variance."""
        t, tc, w = self.nodes
        x = np.where((quadrature.column(self.frame.centre) > 0), tc, t)
        centred = x - np.sum(w * x, axis=-1, keepdims=True)
        return plain(np.sum(w * centred * centred, axis=-1))

    def entropy(self) -> Any:
        """Differential entropy in nats."""
        t, tc, w = self.nodes
        log_density = self.logit_logpdf(t, tc) - np.log(t) - np.log(tc)
        return plain(-np.sum(w * log_density, axis=-1))

    def mode(self) -> Any:
        """Point of the highest density; an end of the support where the density is highest there."""
        odds, weights = self.odds
        weights = np.ones(1) if weights is None else weights
        a, b, peak = (x[..., None] for x in (self.a, self.b, self._peak))

        def descent(z: FloatArray) -> FloatArray:
            # Minus the derivative of the density, up to a positive factor.
            t, tc = (x[..., None] for x in quadrature.expit_pair(z))
            parts = quadrature.logit_logpdf(t, tc, a, b, odds, peak)
            density = weights * np.exp(parts - parts.max(axis=-1, keepdims=True))
            slope = (a - 1.0) * tc - (b - 1.0) * t - (a + b) * (1.0 - odds) * t * tc / (t + odds * tc)
            return np.asarray(-np.sum(density * slope, axis=-1))

        low, high = self.logit_window
        t, _ = quadrature.expit_pair(crossing(descent, low, high))
        candidates = np.stack([t, np.zeros_like(t), np.ones_like(t)])
        interior = (descent(low) < 0) & (descent(high) > 0)
        ends = (np.broadcast_to(self._log_density_at_end(end), t.shape) for end in (0, 1))
        heights = np.stack([np.where(interior, self.logpdf(t), -np.inf), *ends])
        return plain(np.take_along_axis(candidates, np.argmax(heights, axis=0)[None], axis=0)[0])

    def __repr__(self) -> str:
        names = (field.name for field in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{name}={plain(getattr(self, name))}' for name in names)})"
