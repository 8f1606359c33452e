r"""The law of a difference of two independent scores, exact by one-dimensional quadrature.

.. math:: P(X_B - X_A > d) = P(X_A \le -d) + \int f_A(t)\, \bar F_B(t + d)\, dt

over the t with 0 < t + d < 1. That range is mapped to the whole line by a logit of its own, so that the
integrand stays analytic in a strip and the kinks at its ends vanish for every d.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayesf1 import quadrature
from bayesf1.evaluation import FloatArray
from bayesf1.law import (
    CURVATURE,
    SLOPE,
    STENCIL,
    Posterior,
    RNGLike,
    check_levels,
    plain,
    shortest_interval,
)
from bayesf1.quadrature import holds_everywhere, holds_somewhere
from bayesf1.unit_law import UnitLaw

# How far to go towards an end of the mapped range, in units of the exponential decay there: densities reach
# 10⁹, so that e^-38 of them takes this.
_EDGE = 60.0
# Rate of the stretching in steps: a double exponential rule with a step of 1/12.
_STRETCH = 0.083
# Slowest decay towards an end that the density at 0 is followed through.
_CROWDED = 0.06
# Numbers in flight in one block of a vectorised call.
_BLOCK = 1 << 16
# Fewer blocks than this are not worth starting threads.
_THREADED = 8


class _Want(NamedTuple):
    """What is to be computed of a difference."""

    tails: bool
    density: bool

    @property
    def rows(self) -> int:
        return 2 * self.tails + self.density

    def swapped(self, found: list[FloatArray]) -> list[FloatArray]:
        """Return what was found for A - B as that for B - A."""
        return [found[1], found[0], *found[2:]] if self.tails else found


_TAILS, _DENSITY, _BOTH = _Want(True, False), _Want(False, True), _Want(True, True)


class _Range(NamedTuple):
    """A window and step on the mapped line, and the range (low, 1 - high_c) that was mapped.

    Beyond `knee` the line is stretched exponentially, at `rate`, towards the end that is not the law's own.
    """

    start: FloatArray
    stop: FloatArray
    step: FloatArray
    low: FloatArray
    high_c: FloatArray
    rate: FloatArray
    knee: FloatArray


class _Nodes(NamedTuple):
    """Where the integrand is evaluated: t + d with its complement, and weights f_A(t) dt."""

    shifted: FloatArray
    shifted_c: FloatArray
    weights: FloatArray


def _map_range(a: UnitLaw, b: UnitLaw, d: FloatArray, want: _Want) -> _Range:
    low, high_c = np.maximum(-d, 0.0), np.maximum(d, 0.0)
    moved = holds_somewhere(d != 0.0)
    target = _target(b, d) if moved else b.logit_centre
    start, stop = _extended_window(a, target)
    if want.density and not holds_everywhere(d != 0.0):
        # Where both laws crowd at the same end, the density at 0 comes from far out.
        far = [quadrature.DROP / np.maximum(both - 1.0, _CROWDED) for both in (a.a + b.a, a.b + b.b)]
        start = np.maximum(np.minimum(start, a.logit_centre - far[0]), -quadrature.END)
        stop = np.minimum(np.maximum(stop, a.logit_centre + far[1]), quadrature.END)
    if not moved:
        step = quadrature.trapezoid_step(a.logit_scale**-2 + b.logit_scale**-2)
        return _Range(start, stop, step, low, high_c, low, low)

    span = 1.0 - np.abs(d)
    # At an end that is not A's own the integrand dies out like dt, or like B's density.
    edge = np.minimum(_EDGE / np.minimum(np.where(d < 0.0, b.a, b.b), 1.0), quadrature.END)
    start, stop = (_mapped_logit(z, low, high_c, span, edge) for z in (start, stop))
    # How fast the laws' own logits move along the mapped line: never faster than it, fastest at an end.
    speed_a, speed_b = np.zeros(()), np.zeros(())
    for y in (start, stop):
        s, sc = quadrature.expit_pair(y)
        left, right = span * s, span * sc
        speed_a = np.maximum(speed_a, left / (low + left) * (sc / (high_c + right)))
        speed_b = np.maximum(speed_b, left / (high_c + left) * (sc / (low + right)))
    step = quadrature.trapezoid_step((speed_a / a.logit_scale) ** 2 + (speed_b / b.logit_scale) ** 2)
    # Towards the end that is not A's own, once A has slowed down and B is behind, nothing but dt changes.
    sign = np.where(d < 0.0, -1.0, 1.0)
    start, stop = np.where(d < 0.0, -stop, start), np.where(d < 0.0, -start, stop)
    behind = sign * _mapped_logit(b.logit_centre + sign * b.logit_radius, high_c, low, span, edge)
    slow = np.log(span / np.maximum(np.abs(d), 1e-300))
    rate = np.minimum(_STRETCH / step, 1.0)
    knee = np.maximum(np.maximum(start + 2.0 / rate, behind), np.maximum(np.minimum(slow, stop), 1.0))
    knee = np.where((d == 0.0) | (stop <= knee), np.inf, knee)
    stop = np.minimum(stop, knee + np.log(np.maximum(rate * (stop - knee), 1.0)) / rate)
    start = start - np.exp(rate * (start - knee)) / rate
    return _Range(start, stop, 0.88 * step, low, high_c, rate, knee)


def _extended_window(law: UnitLaw, target: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the window of a law, longer towards a far target, where tiny probabilities come from."""
    ends = []
    for sign, end in zip((-1.0, 1.0), law.logit_window, strict=True):
        width = sign * (end - law.logit_centre)
        missing = sign * (target - law.logit_centre) - 0.2 * width
        # The log density falls by at least 4·38 over four widths, which takes care of probabilities of 1e-60.
        ends.append(end + sign * np.minimum(np.maximum(missing, 0.0), 3.3 * width))
    return ends[0], ends[1]


def _target(b: UnitLaw, d: FloatArray) -> FloatArray:
    """Return the logit at which A is d below the middle of B, or as close to that as 0 and 1 allow."""
    t, tc = quadrature.expit_pair(b.logit_centre)
    floor = np.minimum(0.5 * (1.0 - np.abs(d)), 1.0 / (b.a + b.b))
    return np.log(np.maximum(t - d, floor)) - np.log(np.maximum(tc + d, floor))


def _mapped_logit(
    z: FloatArray, low: FloatArray, high_c: FloatArray, span: FloatArray, edge: FloatArray
) -> FloatArray:
    """Map a logit to that of the range (low, 1 - high_c), up to ±edge at an end that is not its own."""
    t, tc = quadrature.expit_pair(z)
    floor = np.exp(-edge)
    s = np.maximum((t - low) / span, np.where(low > 0.0, floor, 0.0))
    sc = np.maximum((tc - high_c) / span, np.where(high_c > 0.0, floor, 0.0))
    return np.log(s) - np.log(sc)


def _place_nodes(a: UnitLaw, d: FloatArray, mapped: _Range) -> _Nodes:
    if not holds_somewhere(d != 0.0):
        centre = a.logit_centre
        u, _ = quadrature.trapezoid_grid(mapped.start - centre, mapped.stop - centre, mapped.step)
        t, tc = quadrature.expit_pair(centre[..., None] + u)
        weights = a.logit_density(u)
        return _Nodes(t, tc, weights / np.add.reduce(weights, axis=-1, keepdims=True))
    v, h = quadrature.trapezoid_grid(mapped.start, mapped.stop, mapped.step)
    d, low, high_c, rate, knee = (x[..., None] for x in (d, *mapped[3:]))
    stretch = np.exp(rate * (v - knee))
    s, sc = quadrature.expit_pair(np.where(d < 0.0, -1.0, 1.0) * (v + stretch / rate))
    span = 1.0 - np.abs(d)
    left, right = span * s, span * sc
    t, tc = low + left, high_c + right
    weights = np.exp(a.logit_logpdf(t, tc)) * (left * sc / (t * tc)) * (h[..., None] * (1.0 + stretch))
    # t + d measured from the nearer end: low + d and high_c - d are exactly 0 or |d|.
    return _Nodes(high_c + left, low + right, weights)


def _integrate(a: UnitLaw, b: UnitLaw, d: FloatArray, mapped: _Range, want: _Want) -> list[FloatArray]:
    """Return P(B - A <= d), P(B - A > d) and the density at d, as far as wanted; A is the outer law."""
    shifted, shifted_c, weights = _place_nodes(a, d, mapped)
    found = []
    if want.tails:
        no_more, more = (np.add.reduce(weights * tail, axis=-1) for tail in b.tails(shifted, shifted_c))
        if holds_somewhere(d != 0.0):
            more = more + np.where(d < 0, a.tails(mapped.low, 1.0 - mapped.low)[0], 0.0)
            no_more = no_more + np.where(d > 0, a.tails(1.0 - mapped.high_c, mapped.high_c)[1], 0.0)
        total = no_more + more
        found = [no_more / total, more / total]
    if want.density:
        density = np.exp(b.logit_logpdf(shifted, shifted_c)) / (shifted * shifted_c)
        height = np.add.reduce(weights * density, axis=-1)
        endless = (d == 0.0) & ((a.a + b.a <= 1.0) | (a.b + b.b <= 1.0))
        found.append(np.where(endless, np.inf, height) if holds_somewhere(endless) else height)
    return found


def _evaluate(a: UnitLaw, b: UnitLaw, d: FloatArray, want: _Want) -> list[FloatArray]:
    shape = np.broadcast_shapes(a.shape, b.shape, d.shape)
    inside = np.abs(d) < 1.0
    if not holds_everywhere(inside):
        # Outside of [-1, 1] there is nothing to integrate.
        found = _evaluate(a, b, np.where(inside, d, 0.0), want)
        unknown = np.where(np.isnan(d), np.nan, 0.0)
        certain = [unknown + (d >= 1.0), unknown + (d <= -1.0)] if want.tails else []
        return [np.where(inside, f, c) for f, c in zip(found, [*certain, unknown], strict=False)]
    if shape == ():
        if a.logit_scale <= b.logit_scale:
            return _integrate(a, b, d, _map_range(a, b, d, want), want)
        return want.swapped(_integrate(b, a, -d, _map_range(b, a, -d, want), want))
    a, b, d = _flat(a, shape), _flat(b, shape), np.broadcast_to(d, shape).ravel()
    out = np.empty((want.rows, d.size))
    a_outer = a.logit_scale <= b.logit_scale
    rows = np.flatnonzero(a_outer)
    if len(rows):
        out[:, rows] = _in_blocks(a.take(rows), b.take(rows), d[rows], want)
    rows = np.flatnonzero(~a_outer)
    if len(rows):
        out[:, rows] = want.swapped(list(_in_blocks(b.take(rows), a.take(rows), -d[rows], want)))
    return [row.reshape(shape) for row in out]


def _flat(law: UnitLaw, shape: tuple[int, ...]) -> UnitLaw:
    index = np.broadcast_to(np.arange(max(law.a.size, 1)).reshape(law.shape), shape)
    return law.take(index.ravel())


def _in_blocks(a: UnitLaw, b: UnitLaw, d: FloatArray, want: _Want) -> FloatArray:
    mapped = _map_range(a, b, d, want)
    out = np.empty((want.rows, len(d)))

    def work(rows: NDArray[np.intp]) -> None:
        part = _Range(*(x[rows] for x in mapped))
        out[:, rows] = _integrate(a.take(rows), b.take(rows), d[rows], part, want)

    blocks = list(_blocks(mapped, max(a.components, b.components)))
    if len(blocks) < _THREADED:
        for rows in blocks:
            work(rows)
        return out
    from concurrent.futures import ThreadPoolExecutor

    # betainc and the elementwise functions release the interpreter's lock.
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        list(pool.map(work, blocks))
    return out


def _blocks(mapped: _Range, components: int) -> Iterator[NDArray[np.intp]]:
    """Yield row numbers in blocks of similar numbers of nodes, bounded in memory."""
    nodes = np.ceil((mapped.stop - mapped.start) / mapped.step)
    order = np.argsort(nodes, kind="stable")
    start = 0
    while start < len(order):
        first = nodes[order[start]]
        # A block ends early where rows would need more than a quarter more nodes than its first one.
        stop = int(np.searchsorted(nodes[order], 1.25 * first + 8, "right"))
        stop = max(start + 1, min(stop, start + int(_BLOCK / (components * max(first, 1.0)))))
        yield order[start:stop]
        start = stop


def tail_probabilities(a: UnitLaw, b: UnitLaw, d: ArrayLike = 0.0) -> tuple[FloatArray, FloatArray]:
    """Return P(B - A <= d) and P(B - A > d) for independent A and B, the smaller to relative precision.

    Parameters
    ----------
    a, b
        Laws on [0, 1]; their parameters broadcast against each other and against `d`.
    d
        The margin.

    Examples
    --------
    >>> from bayesf1.distributions import Beta
    >>> no_more, more = tail_probabilities(Beta(0.5, 0.5), Beta(2, 3))
    >>> round(float(more), 12)
    0.4296875
    """
    no_more, more = _evaluate(a, b, np.asarray(d, dtype=np.float64)[()], _TAILS)
    return no_more, more


@dataclass(frozen=True, eq=False)
class Difference(Posterior):
    """The law of B - A for two independent scores, by quadrature.

    Parameters
    ----------
    a, b
        Laws of the two scores.

    Examples
    --------
    >>> from bayesf1.distributions import FScore
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

    def _evaluate(self, x: ArrayLike, want: _Want) -> list[FloatArray]:
        return _evaluate(self.a, self.b, np.asarray(x, dtype=np.float64)[()], want)

    def pdf(self, x: ArrayLike) -> Any:
        """Density at `x`."""
        return plain(self._evaluate(x, _DENSITY)[0])

    def cdf(self, x: ArrayLike) -> Any:
        """Probability of at most `x`."""
        return plain(self._evaluate(x, _TAILS)[0])

    def sf(self, x: ArrayLike) -> Any:
        """Probability of more than `x`, accurate also where it is tiny."""
        return plain(self._evaluate(x, _TAILS)[1])

    def ppf(self, q: ArrayLike) -> Any:
        """Quantile: the point with probability `q` below it."""
        return plain(self._quantile(check_levels(q), upper=False))

    def isf(self, q: ArrayLike) -> Any:
        """Point with probability `q` above it."""
        return plain(self._quantile(check_levels(q), upper=True))

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        shape = np.broadcast_shapes(q.shape, self.shape)
        lower_side = (q > 0.5) if upper else (q <= 0.5)
        target = np.where(lower_side == upper, 1.0 - q, q)

        def excess(d: FloatArray) -> tuple[FloatArray, FloatArray]:
            below, above, density = self._evaluate(d, _BOTH)
            tail = np.where(lower_side, below, above)
            gap = np.where(target > 0.0, np.log(tail / target), 0.0)
            return np.where(lower_side, gap, -gap), density / tail

        shift = special.ndtri(np.clip(q, 1e-300, 1.0 - 1e-16))
        start = np.asarray(self.mean()) + np.asarray(self.std()) * (-shift if upper else shift)
        end = np.ones(shape)
        d = quadrature.increasing_root(excess, -end, end, start)
        return np.where(target == 0.0, np.where(lower_side, -1.0, 1.0), d)

    def rvs(self, size: int | tuple[int, ...] | None = None, *, rng: RNGLike = None) -> Any:
        """Draw from the law."""
        rng = np.random.default_rng(rng)
        return -self.a.rvs(size, rng=rng) + self.b.rvs(size, rng=rng)

    def mean(self) -> Any:
        """Mean."""
        return plain(np.asarray(self.b.mean()) - self.a.mean())

    def var(self) -> Any:
        """Variance."""
        return plain(np.asarray(self.a.var()) + self.b.var())

    @cached_property
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

    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval with probability `prob`."""
        return shortest_interval(self, prob)
