"""The two figures of a pair of models, as SVG for a page: what is believed of either score, and of the difference.

They look as those of `plots`. A page may have a hundred of them, and matplotlib would take most of its time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.table import display_width, equation
from bayesf1.bayes.comparison import Comparison
from bayesf1.report.markup import escaped
from bayesf1.report.plot_style import RULE, STEPS, broken, colour_of
from bayesf1.report.plots import POINTS, TAIL, curve_points
from bayesf1.report.units_of_figures import gap_label, score_label, signed

# Where axes are, in points; a figure is as wide as one column of a paper, as in `plot_style`.
WIDTH, LEFT, RIGHT, TOP = 218.16, 15.0, 215.16, 3.0
# Free space at either side of what is drawn, as a share of it.
MARGIN = 0.05
# About how wide a character of a legend is, and how wide what stands before it.
CHARACTER, HANDLE = 4.3, 19.6
# Between the entries of a legend, and from one of its lines to the next.
GAP = 10.5
# Characters of a line of names.
MOST = 39


@dataclass(frozen=True)
class Frame:
    """Where the axes of a figure are in its SVG, in points.

    The horizontal one ends `left` and `right`, has its 0 at `zero`, and 1 is `scale` long; the upper end of the vertical
    one is at the height `top`, and its 0 at `bottom`.
    """

    left: float
    right: float
    zero: float
    scale: float
    top: float
    bottom: float


@dataclass(frozen=True)
class _Axes:
    """Axes from (low, floor) to (high, ceiling), whose lower end is at the height `end`."""

    low: float
    high: float
    floor: float
    ceiling: float
    end: float

    @classmethod
    def around(cls, x: FloatArray, floor: float, ceiling: float, end: float) -> _Axes:
        """Return axes on which there is some space on either side of all `x`."""
        low, high = float(np.min(x)), float(np.max(x))
        if low == high:
            low, high = (at + side * 0.05 * (abs(at) or 1.0) for at, side in ((low, -1.0), (high, 1.0)))
        free = MARGIN * (high - low)
        return cls(low - free, high + free, floor, ceiling, end)

    def x(self, x: FloatArray | float) -> FloatArray:
        return np.asarray(LEFT + (RIGHT - LEFT) * (np.asarray(x) - self.low) / (self.high - self.low))

    def y(self, y: FloatArray | float) -> FloatArray:
        return np.asarray(
            self.end - (self.end - TOP) * (np.asarray(y) - self.floor) / (self.ceiling - self.floor)
        )

    def path(self, x: FloatArray, y: FloatArray) -> str:
        """Return a line through points."""
        pairs = zip(self.x(x).tolist(), self.y(y).tolist(), strict=True)
        return "M" + "L".join(f"{across:.2f} {down:.2f}" for across, down in pairs)

    @property
    def frame(self) -> Frame:
        """Where the axes are."""
        zero = float(self.x(0.0))
        return Frame(LEFT, RIGHT, zero, float(self.x(1.0)) - zero, TOP, float(self.y(0.0)))

    def drawn(self, label: str, *, percent: bool) -> Iterator[str]:
        """Draw the horizontal axis with its numbers, in points where a measure is in percent, and both labels."""
        middle = 0.5 * (LEFT + RIGHT)
        yield f'<path d="M{LEFT} {self.end:.2f}H{RIGHT}" stroke="#000" stroke-width="0.6"/>'
        for tick in round_numbers(self.low, self.high):
            x = float(self.x(tick))
            yield f'<path d="M{x:.2f} {self.end:.2f}v2.5" stroke="#000" stroke-width="0.6"/>'
            number = f"{(100.0 if percent else 1.0) * tick:.10g}".replace("-", "−")
            yield _text(x, self.end + 11.3, number)
        yield _text(middle, self.end + 23.1, label, size=8)
        up = 0.5 * (TOP + self.end)
        yield _text(9.1, up, "Posterior density", size=8, turned=True)


def round_numbers(low: float, high: float, most: int = 4) -> list[float]:
    """Return a few round numbers of an axis, evenly spaced: about as many as `most`, and two at least.

    Examples
    --------
    >>> round_numbers(-0.058, 0.066)
    [-0.05, 0.0, 0.05]
    """
    least = (high - low) / most
    power = math.floor(math.log10(least))
    steps = [each * 10.0**at for at in (power - 1, power, power + 1) for each in STEPS[:-1]]
    found: list[float] = []
    # The smallest step that is long enough, and smaller ones where it leaves too few.
    for step in reversed([step for step in steps if step < least] + [min(x for x in steps if x >= least)]):
        found = [
            round(i * step, 2 - power) + 0.0
            for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        ]
        if len(found) > 1:
            break
    return found


def difference_svg(c: Comparison, name: str) -> tuple[str, Frame]:
    """Draw the density of B minus A as `plot_difference` does, but for the region, which a slider moves.

    Names of its parts begin with `name`.

    Examples
    --------
    >>> from bayesf1 import compare, load_example
    >>> svg, frame = difference_svg(compare(load_example("wang-li-org"))["f1"], "f")
    >>> svg[:31], round(frame.bottom, 1)
    ('<svg viewBox="0 0 218.16 137.8"', 78.2)
    """
    law, blue = c.difference, colour_of(0)
    x = curve_points(law, 0.0)
    # All draws may be alike, and then there is no density.
    y = law.pdf(x) if len(x) > 1 else np.ones(1)
    peak = float(y.max())
    low, high = law.interval(c.prob)
    axes = _Axes.around(np.array([*x[[0, -1]], low, high, 0.0]), -0.3 * peak, 1.28 * peak, 95.8)
    zero, bottom = axes.frame.zero, axes.frame.bottom
    parts = [
        f'<path d="M{zero:.2f} {bottom:.2f}V{float(axes.y(1.06 * peak)):.2f}" stroke="{RULE}" stroke-width="0.8"/>'
    ]
    ahead = c.measure.sign * x
    for side, fill in (
        (ahead >= 0.0, f'"{blue}" fill-opacity="0.35"'),
        (ahead <= 0.0, f'"url(#{name}-hatch)"'),
    ):
        if side.sum() > 1:
            ends = axes.x(x[side][[-1, 0]])
            area = f"{axes.path(x[side], y[side])}L{ends[0]:.2f} {bottom:.2f}H{ends[1]:.2f}z"
            parts.append(f'<path d="{area}" fill={fill}/>')
    curve = axes.path(x, y) if len(x) > 1 else f"{axes.path(x, y)}V{bottom:.2f}"
    parts.append(f'<path d="{curve}" stroke="{blue}" stroke-width="1.2" stroke-linecap="square"/>')
    bar = axes.path(np.array([low, high]), np.full(2, -0.08 * peak))
    parts.append(f'<path d="{bar}" stroke="#000" stroke-width="2.5"/>')
    # Each hypothesis on its side of 0.
    sides = [equation("P(H0)", c.p_h0), equation("P(H1)", c.p_h1)]
    left, right = reversed(sides) if c.measure.lower_is_better else sides
    told = f"{100 * c.prob:g} % interval {signed(low, high, percent=c.measure.percent)}"
    caption = [line for name in broken([c.model_b, f"minus {c.model_a}"], MOST, lines=1) for line in name]
    if sum(map(len, caption)) < MOST:
        caption = [" ".join(caption)]
    parts += [
        _text(LEFT + 2.2, 8.3, left, anchor="start"),
        _text(RIGHT - 2.2, 8.3, right, anchor="end"),
        _text(0.5 * (LEFT + RIGHT), axes.end - 2.6, told),
        *axes.drawn(gap_label(c.label, percent=c.measure.percent), percent=c.measure.percent),
        *(_text(0.5 * WIDTH, axes.end + 37.1 + 10.0 * i, line, size=8) for i, line in enumerate(caption)),
    ]
    hatch = (
        f'<defs><pattern id="{name}-hatch" patternUnits="userSpaceOnUse" width="3.4" height="3.4" '
        f'patternTransform="rotate(45)"><path d="M1.7 0v3.4" stroke="{RULE}" stroke-width="0.5"/></pattern></defs>'
    )
    title = f"Posterior density of the difference in {c.label}, {c.model_b} minus {c.model_a}"
    return _svg(name, title, axes.end + 32.0 + 10.0 * len(caption), [hatch, *parts]), axes.frame


def scores_svg(c: Comparison, name: str) -> str:
    """Draw what is believed about the score of either model, with a marker at the peak.

    It goes from the 0.001 to the 0.999 quantile; runs of a method are points below.

    Examples
    --------
    >>> from bayesf1 import compare, load_example
    >>> scores_svg(compare(load_example("wang-li-org"))["f1"], "f")[:35]
    '<svg viewBox="0 0 218.16 129.4" str'
    """
    curves = []
    for law in (c.posterior_a, c.posterior_b):
        x = np.linspace(law.ppf(TAIL), law.isf(TAIL), POINTS)
        curves.append((x, np.asarray(law.pdf(x)) if x[0] < x[-1] else np.ones(POINTS)))
    runs: list[FloatArray] = []
    if c.ev.methods:
        scores = c.measure(c.ev.tables, c.ev.cells)
        runs = [scores[[c.ev.models.index(run) for run in method.runs]] for method in c.ev.methods]
    ceiling = (1.0 + MARGIN) * max(float(y.max()) for _, y in curves)
    step = 0.06 * ceiling
    floor = -step * (len(runs) + 0.7) if runs else 0.0
    axes = _Axes.around(np.concatenate([*(x for x, _ in curves), *runs]), floor, ceiling, 88.4)
    parts = [f'<path d="M{LEFT} {axes.end}V{TOP}" stroke="#000" stroke-width="0.6"/>']
    for i, (x, y) in enumerate(curves):
        line = f'stroke="{colour_of(i)}" stroke-width="1.2" stroke-linecap="square"'
        parts.append(f'<path d="{axes.path(x, y)}" {line}/>')
        at = int(np.argmax(y))
        parts.append(_marker(i, float(axes.x(x[at])), float(axes.y(y[at]))))
    for i, found in enumerate(runs):
        down = float(axes.y(-step * (i + 1)))
        parts += [_marker(i, across, down, size=3.0, opacity=0.7) for across in axes.x(found).tolist()]
    parts += axes.drawn(score_label(c.label, percent=c.measure.percent), percent=c.measure.percent)
    legend, rows = _legend(broken([c.model_a, c.model_b], MOST, lines=1), axes.end + 33.4)
    title = f"Posterior densities of {c.label}, {c.model_a} and {c.model_b}"
    return _svg(name, title, axes.end + 30.5 + GAP * rows, [*parts, *legend])


def _legend(names: Sequence[Sequence[str]], y: float) -> tuple[list[str], int]:
    """Draw which line is whose, side by side where that fits, and return how many rows that takes."""
    widths = [HANDLE + CHARACTER * max(map(display_width, lines)) for lines in names]
    total = sum(widths) + GAP * (len(names) - 1)
    below = total > WIDTH or any(len(lines) > 1 for lines in names)
    x = 0.5 * (WIDTH - (max(widths) if below else total))
    found = []
    for i, (lines, width) in enumerate(zip(names, widths, strict=True)):
        look = f'stroke="{colour_of(i)}" stroke-width="1.2" stroke-linecap="square"'
        found.append(f'<path d="M{x:.2f} {y:.2f}h14" {look}/>{_marker(i, x + 7.0, y)}')
        found += [_text(x + HANDLE, y + 2.4 + GAP * j, line, anchor="start") for j, line in enumerate(lines)]
        x, y = (x, y + GAP * len(lines)) if below else (x + width + GAP, y)
    return found, sum(map(len, names)) if below else 1


def _marker(i: int, x: float, y: float, *, size: float = 4.0, opacity: float = 1.0) -> str:
    """Mark a point of the first model by a disk, of the second by a square; an outline of a point goes around either."""
    look = f'fill="{colour_of(i)}" fill-opacity="{opacity:g}"'
    half = 0.5 * (size + 1.0)
    if i:
        corner = f'x="{x - half:.2f}" y="{y - half:.2f}"'
        return f'<rect {corner} width="{2.0 * half:g}" height="{2.0 * half:g}" {look}/>'
    return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{half:g}" {look}/>'


def _text(
    x: float, y: float, words: str, *, size: int = 7, anchor: str = "middle", turned: bool = False
) -> str:
    turn = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if turned else ""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size}" text-anchor="{anchor}" fill="#000"{turn}>'
        f"{escaped(words)}</text>"
    )


def _svg(name: str, title: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.5g}" stroke-linejoin="round" fill="none" role="img" '
        f'aria-labelledby="{name}-title"><title id="{name}-title">{escaped(title)}</title>{"".join(parts)}</svg>'
    )
