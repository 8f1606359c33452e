r"""The law of a difference of two independent scores, exact by one-dimensional quadrature.

.. math:: P(X_B - X_A > d) = P(X_A \le -d) + \int f_A(t)\, \bar F_B(t + d)\, dt

over the t with 0 < t + d < 1. That range is mapped to the whole line by a logit of its own, so that the
integrand stays analytic in a strip and the kinks at its ends vanish for every d.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bayesf1 import quadrature
from bayesf1.distributions import Posterior, RNGLike, UnitLaw, check_levels, plain
from bayesf1.evaluation import FloatArray

# Points beyond this logit of the mapped range hold less than e^-38 of it.
_EDGE = 38.0
# Numbers in flight in one block of a vectorised call.
_BLOCK = 1 << 16


class _Nodes(NamedTuple):
    """Where the integrand is evaluated: t and t + d with their complements, and weights f_A(t) dt."""

    t: FloatArray
    tc: FloatArray
    shifted: FloatArray
    shifted_c: FloatArray
    weights: FloatArray


class _Range(NamedTuple):
    """A window and step on the mapped line, and the range (low, 1 - high) that was mapped."""

    start: FloatArray
    stop: FloatArray
    step: FloatArray
    low: FloatArray
    high_c: FloatArray


def _map_range(a: UnitLaw, b: UnitLaw, d: FloatArray) -> _Range:
    start, stop = a.logit_window
    # Reach towards the other law, so that a tiny probability is still integrated over where it comes from.
    reach = 30.0 * a.logit_scale
    target = b.logit_centre if not d.any() else _shifted_logit(b.logit_centre, -d)
    start = np.maximum(np.minimum(start, target), start - reach)
    stop = np.minimum(np.maximum(stop, target), stop + reach)
    low, high_c = np.maximum(-d, 0.0), np.maximum(d, 0.0)
    if not d.any():
        fineness = np.sqrt(a.logit_scale**-2 + b.logit_scale**-2 + quadrature.STRIP**2)
        return _Range(start, stop, quadrature.STEP / fineness, low, high_c)

    span = 1.0 - np.abs(d)
    start, stop = (_mapped_logit(z, low, high_c, span) for z in (start, stop))
    # How fast the laws' own logits move along the mapped line: never faster than it, fastest at an end.
    speed_a, speed_b = np.zeros(()), np.zeros(())
    for y in (start, stop):
        s, sc = quadrature.expit_pair(y)
        left, right = span * s, span * sc
        speed_a = np.maximum(speed_a, left / (low + left) * (sc / (high_c + right)))
        speed_b = np.maximum(speed_b, left / (high_c + left) * (sc / (low + right)))
    fineness = np.sqrt((speed_a / a.logit_scale) ** 2 + (speed_b / b.logit_scale) ** 2 + quadrature.STRIP**2)
    return _Range(start, stop, quadrature.STEP / fineness, low, high_c)


def _shifted_logit(z: FloatArray, d: FloatArray) -> FloatArray:
    t, tc = quadrature.expit_pair(z)
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(t + d, 0.0)) - np.log(np.maximum(tc - d, 0.0))


def _mapped_logit(z: FloatArray, low: FloatArray, high_c: FloatArray, span: FloatArray) -> FloatArray:
    """Map a logit to that of the range (low, 1 - high_c), stopping short of an end that is not its own."""
    t, tc = quadrature.expit_pair(z)
    floor = np.exp(-_EDGE)
    s = np.maximum((t - low) / span, np.where(low > 0.0, floor, 0.0))
    sc = np.maximum((tc - high_c) / span, np.where(high_c > 0.0, floor, 0.0))
    return np.log(s) - np.log(sc)


def _place_nodes(a: UnitLaw, d: FloatArray, mapped: _Range) -> _Nodes:
    y, h = quadrature.trapezoid_grid(mapped.start, mapped.stop, mapped.step)
    s, sc = quadrature.expit_pair(y)
    d, low, high_c = d[..., None], mapped.low[..., None], mapped.high_c[..., None]
    span = 1.0 - np.abs(d)
    left, right = span * s, span * sc
    t, tc = low + left, high_c + right
    # t + d measured from the nearer end: low + d and high_c - d are exactly 0 or |d|.
    shifted, shifted_c = np.maximum(d, 0.0) + left, np.maximum(-d, 0.0) + right
    weights = np.exp(a.logit_logpdf(t, tc)) * (left * sc / (t * tc)) * h[..., None]
    return _Nodes(t, tc, shifted, shifted_c, weights)


def _integrate(a: UnitLaw, b: UnitLaw, d: FloatArray, mapped: _Range) -> FloatArray:
    """Return P(B - A <= d), P(B - A > d) and the density at d, on a first axis; A is the outer law."""
    nodes = _place_nodes(a, d, mapped)
    below, above = b.tails(nodes.shifted, nodes.shifted_c)
    no_more = np.sum(nodes.weights * below, axis=-1)
    more = np.sum(nodes.weights * above, axis=-1)
    if np.any(d != 0.0):
        edge_low, _ = a.tails(mapped.low, 1.0 - mapped.low)
        _, edge_high = a.tails(1.0 - mapped.high_c, mapped.high_c)
        more = more + np.where(d < 0, edge_low, 0.0)
        no_more = no_more + np.where(d > 0, edge_high, 0.0)
    total = no_more + more
    return np.stack([no_more / total, more / total])


def _integrate_density(a: UnitLaw, b: UnitLaw, d: FloatArray, mapped: _Range) -> FloatArray:
    nodes = _place_nodes(a, d, mapped)
    product = nodes.shifted * nodes.shifted_c
    return np.sum(nodes.weights * np.exp(b.logit_logpdf(nodes.shifted, nodes.shifted_c)) / product, axis=-1)


def _flat(a: UnitLaw, b: UnitLaw, d: FloatArray) -> tuple[UnitLaw, UnitLaw, FloatArray, tuple[int, ...]]:
    shape = np.broadcast_shapes(a.shape, b.shape, d.shape)
    if shape == () or (a.shape == b.shape == d.shape and len(shape) == 1):
        return a, b, d, shape
    flat = []
    for law in (a, b):
        index = np.broadcast_to(np.arange(max(law.a.size, 1)).reshape(law.shape), shape)
        flat.append(law.take(index.ravel()))
    return flat[0], flat[1], np.broadcast_to(d, shape).ravel(), shape


def _blocks(mapped: _Range) -> Iterator[FloatArray]:
    """Yield row numbers in blocks of similar numbers of nodes, bounded in memory."""
    nodes = np.ceil((mapped.stop - mapped.start) / mapped.step)
    order = np.argsort(nodes, kind="stable")
    start = 0
    while start < len(order):
        size = max(1, int(_BLOCK / max(nodes[order[start]], 1.0)))
        # A block ends early where rows would need more than a quarter more nodes than its first one.
        stop = min(start + size, int(np.searchsorted(nodes[order], 1.25 * nodes[order[start]] + 8, "right")))
        yield order[start : max(stop, start + 1)]
        start = max(stop, start + 1)


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
    a, b, d_flat, shape = _flat(a, b, np.asarray(d, dtype=np.float64))
    inside = np.abs(d_flat) < 1.0
    d_safe = np.where(inside, d_flat, 0.0)
    result = _tails_of_rows(a, b, d_safe)
    certain = np.stack([d_flat >= 1.0, d_flat <= -1.0]).astype(float)
    no_more, more = np.where(inside, result, certain).reshape(2, *shape)
    return no_more, more


def _tails_of_rows(a: UnitLaw, b: UnitLaw, d: FloatArray) -> FloatArray:
    if d.ndim == 0:
        if a.logit_scale <= b.logit_scale:
            return _integrate(a, b, d, _map_range(a, b, d))
        return _integrate(b, a, -d, _map_range(b, a, -d))[::-1]
    out = np.empty((2, len(d)))
    a_narrow = a.logit_scale <= b.logit_scale
    for rows, outer, inner, sign in (
        (np.flatnonzero(a_narrow), a, b, 1.0),
        (np.flatnonzero(~a_narrow), b, a, -1.0),
    ):
        if len(rows):
            part = _rows_in_blocks(outer.take(rows), inner.take(rows), sign * d[rows])
            out[:, rows] = part if sign > 0 else part[::-1]
    return out


def _rows_in_blocks(a: UnitLaw, b: UnitLaw, d: FloatArray) -> FloatArray:
    mapped = _map_range(a, b, d)
    out = np.empty((2, len(d)))

    def work(rows: FloatArray) -> None:
        part = _Range(*(np.broadcast_to(x, d.shape)[rows] for x in mapped))
        out[:, rows] = _integrate(a.take(rows), b.take(rows), d[rows], part)

    blocks = list(_blocks(mapped))
    if len(blocks) == 1:
        work(blocks[0])
    else:
        # betainc and the elementwise functions release the interpreter's lock.
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            list(pool.map(work, blocks))
    return out


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
    (0.05164558..., 0.21935612...)
    """

    a: UnitLaw
    b: UnitLaw

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the parameters."""
        return np.broadcast_shapes(self.a.shape, self.b.shape)

    def pdf(self, x: ArrayLike) -> Any:
        """Density at `x`."""
        d = np.asarray(x, dtype=np.float64)
        a, b, d, shape = _flat(self.a, self.b, d)
        inside = np.abs(d) < 1.0
        safe = np.where(inside, d, 0.0)
        if d.ndim == 0:
            density = _integrate_density(a, b, safe, _map_range(a, b, safe))
        else:
            mapped = _map_range(a, b, safe)
            density = np.empty(len(d))
            for rows in _blocks(mapped):
                part = _Range(*(np.broadcast_to(x, d.shape)[rows] for x in mapped))
                density[rows] = _integrate_density(a.take(rows), b.take(rows), safe[rows], part)
        return plain(np.where(inside, density, np.where(np.isnan(d), np.nan, 0.0)).reshape(shape))

    def cdf(self, x: ArrayLike) -> Any:
        """Probability of at most `x`."""
        return plain(tail_probabilities(self.a, self.b, x)[0])

    def sf(self, x: ArrayLike) -> Any:
        """Probability of more than `x`, accurate also where it is tiny."""
        return plain(tail_probabilities(self.a, self.b, x)[1])

    def ppf(self, q: ArrayLike) -> Any:
        """Quantile: the point with probability `q` below it."""
        return plain(self._quantile(check_levels(q), upper=False))

    def isf(self, q: ArrayLike) -> Any:
        """Point with probability `q` above it."""
        return plain(self._quantile(check_levels(q), upper=True))

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        shape = np.broadcast_shapes(q.shape, self.shape)
        lower_side = (q > 0.5) if upper else (q <= 0.5)
        target = np.where(lower_side, np.where(upper, 1.0 - q, q), np.where(upper, q, 1.0 - q))

        def excess(d: FloatArray) -> FloatArray:
            below, above = tail_probabilities(self.a, self.b, d)
            with np.errstate(divide="ignore", invalid="ignore"):
                gap = np.where(lower_side, np.log(below) - np.log(target), np.log(target) - np.log(above))
            return np.where(np.isnan(gap), 0.0, gap)

        low, high = (np.broadcast_to(np.asarray(end, dtype=float), shape) for end in self._reach)
        near = np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)
        d = quadrature.crossing(excess, *near)
        return np.where(target == 0.0, np.where(lower_side, -1.0, 1.0), d)

    @property
    def _reach(self) -> tuple[Any, Any]:
        """Bounds of the support as far as floating point can tell."""
        (a_low, a_high), (b_low, b_high) = (
            tuple(
                quadrature.expit_pair(z + s * 30.0 * law.logit_scale)[0]
                for z, s in zip(law.logit_window, (-1, 1), strict=True)
            )
            for law in (self.a, self.b)
        )
        return b_low - a_high, b_high - a_low

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
    def _grid(self) -> tuple[FloatArray, FloatArray]:
        """Points across the bulk of the law, on a first axis, and the densities there."""
        centre, spread = np.asarray(self.mean()), np.asarray(self.std())
        low, high = np.maximum(centre - 12 * spread, -1.0), np.minimum(centre + 12 * spread, 1.0)
        share = (np.arange(400) + 0.5).reshape(-1, *(1,) * len(self.shape)) / 400
        points = low + (high - low) * share
        return points, np.asarray(self.pdf(points))

    def mode(self) -> Any:
        """Point of the highest density."""
        points, density = self._grid
        best = np.argmax(density, axis=0)[None]
        step = points[1] - points[0]
        low = np.take_along_axis(points, best, axis=0)[0] - step
        width = 2.0 * step
        golden = 0.5 * (np.sqrt(5.0) - 1.0)
        for _ in range(40):
            left, right = low + (1.0 - golden) * width, low + golden * width
            low = np.where(np.asarray(self.pdf(left)) >= np.asarray(self.pdf(right)), low, left)
            width = golden * width
        return plain(low + 0.5 * width)

    def entropy(self) -> Any:
        """Differential entropy in nats."""
        points, density = self._grid
        with np.errstate(divide="ignore", invalid="ignore"):
            surprise = np.where(density > 0, -density * np.log(density), 0.0)
        return plain(np.sum(surprise, axis=0) * (points[1] - points[0]))

    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval with probability `prob`."""
        return self._shortest(prob, self.shape)
