r"""The quadrature behind differences of two independent scores.

.. math:: P(X_B - X_A > d) = P(X_A \le -d) + \int f_A(t)\, \bar F_B(t + d)\, dt

over the t with 0 < t + d < 1. That range is mapped to the whole line by a logit of its own, so that the
integrand stays analytic in a strip and the kinks at its ends vanish for every d.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.laws import quadrature
from bayesf1.laws.quadrature import holds_everywhere, holds_somewhere
from bayesf1.laws.unit_law import LogitFrame, UnitLaw

_Pair: TypeAlias = tuple[FloatArray, FloatArray]
# How far to go towards an end of the mapped range, in units of the exponential decay there: densities reach
# 10⁹, so that e^-38 of them takes this.
_EDGE = 60.0
# Rate of the stretching in steps: a double exponential rule with a step of 1/12.
_STRETCH = 0.083
# Slowest decay towards an end that the density is followed through.
_CROWDED = 0.01
# Margins below this one differ from it only by what both laws do at an end: 10⁹ of it are still nothing.
_NEAR = 1e-30
# Numbers in flight in one block of a vectorised call.
_BLOCK = 1 << 17
# Rows with mixtures that are in flight.
_MIXTURES = 4096
# Fewer blocks than this are not worth starting threads.
_THREADED = 8


class Want(NamedTuple):
    """What is to be computed of a difference; the rest comes out as 0."""

    tails: bool
    density: bool


class _Level(NamedTuple):
    """How far mixtures are tabulated, and the least tail and density for which this is enough."""

    drop: float
    tail: float
    density: float


_LEVELS = (_Level(50.0, 1e-11, 1e-6), _Level(quadrature.FAR_DROP, 1e-60, 1e-50))
TAILS, DENSITY, BOTH = Want(True, False), Want(False, True), Want(True, True)


class _Plan(NamedTuple):
    """A window and step on the mapped line, and the range (low, 1 - high_c) that was mapped.

    Beyond `knee` the line is stretched exponentially, at `rate`, towards the end that is not A's own.
    """

    start: FloatArray
    stop: FloatArray
    step: FloatArray
    low: FloatArray
    high_c: FloatArray
    rate: FloatArray
    knee: FloatArray


class _Points(NamedTuple):
    """Points of the mapped line: t, t + d, their complements, and dt."""

    t: FloatArray
    tc: FloatArray
    shifted: FloatArray
    shifted_c: FloatArray
    dt: FloatArray


def _points(y: FloatArray, low: FloatArray, high_c: FloatArray) -> _Points:
    s, sc = quadrature.expit_pair(y)
    span = 1.0 - (low + high_c)
    left, right = span * s, span * sc
    # Measured from the nearer end: low + d and high_c - d are exactly 0 or |d|.
    return _Points(low + left, high_c + right, high_c + left, low + right, left * sc)


def _plan(a: UnitLaw, b: UnitLaw, d: FloatArray, want: Want) -> _Plan:
    """Return where to integrate; A is the outer law."""
    m = quadrature.maths_for(a.frame.centre)
    low, high_c = np.maximum(-d, 0.0), np.maximum(d, 0.0)
    moved = holds_somewhere(d != 0.0)
    target = _target(b, d) if moved else b.frame.centre
    start, stop = _extended_window(a.frame, target)
    if not moved:
        # Tiny probabilities come from between the laws, where these may be curved more than at their centres.
        first, last = m.minimum(a.frame.centre, target), m.maximum(a.frame.centre, target)
        at_a, at_b = (m.minimum(m.maximum(law.frame.shift, first), last) for law in (a, b))
        step = quadrature.trapezoid_step(_curvature(a, at_a) + _curvature(b, at_b))
        return _Plan(start, stop, step, low, high_c, low, low)

    slow = np.log((1.0 - np.abs(d)) / np.maximum(np.abs(d), 1e-300))
    if want.density:
        start = -_followed(-start, a.a, b.a, np.where(d > 0.0, slow, np.inf))
        stop = _followed(stop, a.b, b.b, np.where(d < 0.0, slow, np.inf))
    # Closer than |d| to an end that is not A's own the integrand dies out like dt, or like B's density.
    decay = np.minimum(np.where(d < 0.0, b.a, b.b), 1.0)
    floor = np.abs(d) * np.exp(-np.minimum(_EDGE / decay, quadrature.END))
    start, centre, target, stop = (
        _mapped_logit(z, low, high_c, floor) for z in (start, a.frame.centre, target, stop)
    )
    step = quadrature.trapezoid_step(_fineness(a, b, (low, high_c), (start, stop), (centre, target)))
    # Towards the end that is not A's own, once A has slowed down and B is behind, nothing but dt changes.
    sign = np.where(d < 0.0, -1.0, 1.0)
    start, stop = np.where(d < 0.0, -stop, start), np.where(d < 0.0, -start, stop)
    behind, straight = (sign * _mapped_logit(z, high_c, low, floor) for z in _calm(b, sign))
    behind = np.maximum(behind, np.minimum(straight, sign * centre))
    # At a rate up to 4 A's logit keeps slowing down.
    rate = np.minimum(_STRETCH / step, 4.0)
    knee = np.maximum(np.maximum(start, behind), np.maximum(np.minimum(slow, stop), 1.0)) + 2.0 / rate
    knee = np.where((d == 0.0) | (stop <= knee), np.inf, knee)
    stop = np.minimum(stop, knee + np.log(np.maximum(rate * (stop - knee), 1.0)) / rate)
    start = start - np.exp(rate * (start - knee)) / rate
    return _Plan(start, stop, 0.88 * step, low, high_c, rate, knee)


def _target(b: UnitLaw, d: FloatArray) -> FloatArray:
    """Return the logit at which A is d below the middle of B, or as close to that as 0 and 1 allow."""
    t, tc = quadrature.expit_pair(b.frame.centre)
    floor = np.minimum(0.5 * (1.0 - np.abs(d)), 1.0 / (b.a + b.b))
    return np.log(np.maximum(t - d, floor)) - np.log(np.maximum(tc + d, floor))


def _extended_window(law: LogitFrame, target: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the window of a law, longer towards a far target, where tiny probabilities come from."""
    m = quadrature.maths_for(target)
    start = m.minimum(law.start, target - 0.8 * (law.centre - law.start))
    stop = m.maximum(law.stop, target + 0.8 * (law.stop - law.centre))
    return m.maximum(start, law.first), m.minimum(stop, law.last)


def _curvature(law: UnitLaw, z: FloatArray) -> Any:
    m = quadrature.maths_for(z)
    return law.logit_curvature(m.minimum(m.maximum(z, law.frame.first), law.frame.last))


def _followed(end: FloatArray, own: FloatArray, other: FloatArray, turn: FloatArray) -> FloatArray:
    """Return the end of A's window for a product of densities of powers `own`, A's, and `other`, B's.

    Where B's density grows towards the end the product falls more slowly than A's, but only up to `turn`.
    """
    slower = np.where(other < 1.0, 1.0 / np.maximum(own + other - 1.0, _CROWDED) - 1.0 / own, 0.0)
    further = np.minimum(end + quadrature.DROP * slower, turn + quadrature.DROP / own)
    return np.minimum(np.maximum(end, further), quadrature.END)


def _mapped_logit(z: FloatArray, low: FloatArray, high_c: FloatArray, floor: FloatArray) -> FloatArray:
    """Map a logit to that of the range (low, 1 - high_c), down to a share `floor` at an end that is not its own."""
    t, tc = quadrature.expit_pair(z)
    span = 1.0 - (low + high_c)
    s = np.maximum((t - low) / span, np.where(low > 0.0, floor, 0.0))
    sc = np.maximum((tc - high_c) / span, np.where(high_c > 0.0, floor, 0.0))
    with np.errstate(divide="ignore"):
        y: FloatArray = np.log(s) - np.log(sc)
    return np.clip(y, -quadrature.END, quadrature.END)


def _fineness(a: UnitLaw, b: UnitLaw, mapped: _Pair, window: _Pair, laws: _Pair) -> FloatArray:
    """Return the largest curvature of the laws along the mapped line, in its window and between the laws."""
    # Their own logits never move faster than the line, and fastest at an end.
    at = _points(np.stack(window), *mapped)
    speed_a = np.max(at.dt / (at.t * at.tc), axis=0)
    speed_b = np.max(at.dt / (at.shifted * at.shifted_c), axis=0)
    central = (speed_a / a.frame.scale) ** 2 + (speed_b / b.frame.scale) ** 2
    first, last = (np.minimum(np.maximum(y, window[0]), window[1]) for y in laws)
    at = _points(first + np.multiply.outer(_SHARES, last - first), *mapped)
    between: FloatArray = np.zeros(())
    for law, t, tc in ((a, at.t, at.tc), (b, at.shifted, at.shifted_c)):
        between = between + (at.dt / (t * tc)) ** 2 * _curvature(law, np.log(t / tc))
    return np.asarray(np.maximum(central, between.max(axis=0)))


_SHARES = np.linspace(0.0, 1.0, 16)


def _calm(b: UnitLaw, sign: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the logits beyond which B has little mass, and beyond which its tail is a mere power."""
    last = np.where(sign < 0.0, -b.frame.first, b.frame.last)
    straight = np.minimum(sign * b.frame.shift + np.log(b.a + b.b), last)
    return b.frame.centre + sign * b.frame.radius, sign * straight


def _place_nodes(a: UnitLaw, d: FloatArray, plan: _Plan) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return t + d with its complement, and weights f_A(t) dt, up to a factor where d is 0."""
    if not holds_somewhere(d != 0.0):
        t, tc, weights, _ = a.logit_grid(plan.start, plan.stop, plan.step)
        return t, tc, weights
    v, h = quadrature.trapezoid_grid(plan.start, plan.stop, plan.step)
    d, low, high_c, rate, knee = (quadrature.column(x) for x in (d, *plan[3:]))
    stretch = np.exp(rate * (v - knee))
    at = _points(np.where(d < 0.0, -1.0, 1.0) * (v + stretch / rate), low, high_c)
    speed = at.dt / (at.t * at.tc)
    weights = np.exp(a.logit_logpdf(at.t, at.tc)) * speed * (quadrature.column(h) * (1.0 + stretch))
    return at.shifted, at.shifted_c, weights


def _integrate(a: UnitLaw, b: UnitLaw, d: FloatArray, plan: _Plan, want: Want) -> list[FloatArray]:
    """Return P(B - A <= d), P(B - A > d) and the density at d, as far as wanted; A is the outer law."""
    shifted, shifted_c, weights = _place_nodes(a, d, plan)
    no_more = more = height = np.zeros_like(d)
    if want.tails:
        below, above = b.tails(shifted, shifted_c)
        no_more, more = quadrature.weighted_sum(weights, below), quadrature.weighted_sum(weights, above)
        if holds_somewhere(d != 0.0):
            more = more + np.where(d < 0, a.tails(plan.low, 1.0 - plan.low)[0], 0.0)
            no_more = no_more + np.where(d > 0, a.tails(1.0 - plan.high_c, plan.high_c)[1], 0.0)
        total = no_more + more
        no_more, more = no_more / total, more / total
    if want.density:
        density = np.exp(b.logit_logpdf(shifted, shifted_c)) / (shifted * shifted_c)
        height = quadrature.weighted_sum(weights, density)
        if not holds_somewhere(d != 0.0):
            height = height / np.sum(weights, axis=-1)
    return [no_more, more, height]


def evaluate(a: UnitLaw, b: UnitLaw, d: ArrayLike, want: Want) -> list[FloatArray]:
    """Return what is wanted of B - A at d: P(B - A <= d), P(B - A > d), and the density."""
    # Indexed by (), numpy's scalars are faster than arrays without axes.
    d = np.asarray(d, dtype=np.float64)[()]
    inside = np.abs(d) < 1.0
    if not holds_everywhere(inside):
        # Outside of [-1, 1] there is nothing to integrate.
        found = evaluate(a, b, np.where(inside, d, 0.0), want)
        unknown = np.where(np.isnan(d), np.nan, 0.0)
        certain = [unknown + (d >= 1.0), unknown + (d <= -1.0), unknown]
        return [np.where(inside, f, c) for f, c in zip(found, certain, strict=True)]
    return _by_levels(a, b, d, want, _LEVELS if a.mixed or b.mixed else ())


def _by_levels(
    a: UnitLaw, b: UnitLaw, d: FloatArray, want: Want, levels: tuple[_Level, ...]
) -> list[FloatArray]:
    """Return what is wanted from tables of mixtures, with more of their components where it is tiny."""
    if not levels:
        return _evaluate(a, b, d, want)
    level = levels[0]
    found = _evaluate(a.tabulated(level.drop), b.tabulated(level.drop), d, want)
    tiny = np.zeros(np.shape(found[0]), dtype=bool)
    if want.tails:
        tiny |= ~(np.minimum(found[0], found[1]) > level.tail)
    if want.density:
        tiny |= ~(found[2] > level.density)
    if not tiny.any():
        return found
    if not tiny.ndim:
        return _by_levels(a, b, d, want, levels[1:])
    rows = np.flatnonzero(tiny)
    one, other = (law.spread(tiny.shape).take(rows) for law in (a, b))
    rest = _by_levels(one, other, np.broadcast_to(d, tiny.shape).ravel()[rows], want, levels[1:])
    for everything, part in zip(found, rest, strict=True):
        everything[tiny] = part
    return found


def _evaluate(a: UnitLaw, b: UnitLaw, d: FloatArray, want: Want) -> list[FloatArray]:
    """Return what is wanted of B - A at margins between -1 and 1."""
    if not (a.shape or b.shape or d.shape or (want.density and _near_a_pole(a, b, d))):
        if a.frame.scale <= b.frame.scale:
            return _integrate(a, b, d, _plan(a, b, d, want), want)
        more, no_more, height = _integrate(b, a, -d, _plan(b, a, -d, want), want)
        return [no_more, more, height]
    shape = np.broadcast_shapes(a.shape, b.shape, d.shape)
    a, b, d = a.spread(shape), b.spread(shape), np.broadcast_to(d, shape).ravel()
    out = np.empty((3, d.size))
    # Mixtures are as many laws as they have components, which add up.
    size = _MIXTURES if a.mixed or b.mixed else max(d.size, 1)
    for start in range(0, d.size, size):
        rows = np.arange(start, min(start + size, d.size))
        out[:, rows] = _rows(a.take(rows), b.take(rows), d[rows], want)
    return [row.reshape(shape) for row in out]


def _rows(a: UnitLaw, b: UnitLaw, d: FloatArray, want: Want) -> FloatArray:
    near = np.flatnonzero(_near_a_pole(a, b, d)) if want.density else ()
    if len(near):
        away = d.copy()
        away[near] = np.where(d[near] < 0.0, -_NEAR, _NEAR)
        out = _rows(a, b, away, DENSITY)
        out[2, near] += _rise(a.take(near), b.take(near), d[near])
        if want.tails:
            out[:2] = _rows(a, b, d, TAILS)[:2]
        return out
    out = np.empty((3, d.size))
    a_outer = a.frame.scale <= b.frame.scale
    rows = np.flatnonzero(a_outer)
    if len(rows):
        out[:, rows] = _in_blocks(a.take(rows), b.take(rows), d[rows], want)
    rows = np.flatnonzero(~a_outer)
    if len(rows):
        out[:, rows] = _in_blocks(b.take(rows), a.take(rows), -d[rows], want)[[1, 0, 2]]
    return out


def _near_a_pole(a: UnitLaw, b: UnitLaw, d: FloatArray) -> NDArray[np.bool_]:
    """Return whether d is tiny and both laws crowd at one end, so that the density may have a pole at 0."""
    return (np.abs(d) < _NEAR) & ((a.a + b.a < 2.0) | (a.b + b.b < 2.0))


def _rise(a: UnitLaw, b: UnitLaw, d: FloatArray) -> FloatArray:
    r"""Return the density at d less that at ±_NEAR.

    At an end where the densities are :math:`\alpha t^{p-1}` and :math:`\beta t^{q-1}`, first that which starts
    there, the integral of :math:`\alpha\beta\,t^{p-1}(t+d)^{q-1}` depends on d by
    :math:`\alpha\beta\,d^{p+q-1} B(p, 1-p-q)`, up to a factor 1 + O(d).
    """
    steps = np.zeros(len(d))
    tiny, one = np.full(len(d), _NEAR), np.ones(len(d))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        way = np.log(np.abs(d) / _NEAR)
        for first, p, q, at in ((d >= 0.0, a.a, b.a, (tiny, one)), (d < 0.0, a.b, b.b, (one, tiny))):
            p, q = np.where(first, p, q), np.where(first, q, p)
            power = p + q - 1.0
            height = np.exp(a.logit_logpdf(*at) + b.logit_logpdf(*at)) / _NEAR
            slope = height * special.gamma(p) * special.gamma(1.0 - power) * special.rgamma(1.0 - q)
            rise = np.where(power == 0.0, way, np.expm1(power * way) / power)
            steps -= np.where((power < 1.0) & (slope != 0.0), slope * rise, 0.0)
    return steps


def _in_blocks(a: UnitLaw, b: UnitLaw, d: FloatArray, want: Want) -> FloatArray:
    plan = _plan(a, b, d, want)
    out = np.empty((3, len(d)))

    def work(rows: NDArray[np.intp]) -> None:
        part = _Plan(*(x[rows] for x in plan))
        out[:, rows] = _integrate(a.take(rows), b.take(rows), d[rows], part, want)

    components = max(1 if weights is None else weights.shape[-1] for _, weights in (a.odds, b.odds))
    blocks = list(_blocks(plan, components))
    if len(blocks) < _THREADED:
        for rows in blocks:
            work(rows)
        return out
    from concurrent.futures import ThreadPoolExecutor

    # betainc and the elementwise functions release the interpreter's lock.
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        list(pool.map(work, blocks))
    return out


def _blocks(plan: _Plan, components: int) -> Iterator[NDArray[np.intp]]:
    """Yield row numbers in blocks of similar numbers of nodes, bounded in memory."""
    nodes = np.ceil((plan.stop - plan.start) / plan.step)
    order = np.argsort(nodes, kind="stable")
    nodes = nodes[order]
    start = 0
    while start < len(order):
        # A block ends early where rows would need more than a quarter more nodes than its first one.
        stop = int(np.searchsorted(nodes, 1.25 * nodes[start] + 8, "right"))
        stop = max(start + 1, min(stop, start + int(_BLOCK / (components * max(nodes[start], 1.0)))))
        yield order[start:stop]
        start = stop
