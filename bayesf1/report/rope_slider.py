"""The slider of the region of practical equivalence, and what it moves along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayesf1.base.table import equation
from bayesf1.bayes.comparison import Comparison
from bayesf1.report.density_svg import Frame
from bayesf1.report.markup import escaped
from bayesf1.report.rope_curve import RopeCurve

# Digits of what is embedded; three are shown.
DIGITS = 8


@dataclass(frozen=True)
class RopeSlider:
    """A slider that starts from a comparison, moves along a curve, and moves a band in the frame of a figure.

    The names of its elements begin with `name`.
    """

    name: str
    c: Comparison
    curve: RopeCurve
    frame: Frame

    def data(self) -> dict[str, Any]:
        """Return what the page's script needs to know."""
        curve, frame, percent = self.curve, self.frame, self.c.measure.percent
        return {
            "id": self.name,
            "metric": self.c.metric,
            "model_a": self.c.model_a,
            "model_b": self.c.model_b,
            "start": curve.start,
            "unit": _unit(percent),
            "axis": [round(x, 3) for x in (frame.left, frame.right, frame.zero, frame.scale)],
            "labels": curve.labels(percent=percent),
            "less": [round(float(x), DIGITS) for x in curve.less],
            "greater": [round(float(x), DIGITS) for x in curve.greater],
            "margins": [float(f"{x:.10g}") for x in curve.margins],
            "shape": list(curve.shape.differences(self.c.measure)),
        }

    def band(self) -> str:
        """Return the band that the region is in the figure of the difference."""
        at = self.frame
        low, high = (
            min(at.right, max(at.left, at.zero + at.scale * end))
            for end in self.c.region.differences(self.c.measure)
        )
        # The figure's upper fifth is for texts.
        y = at.top + 0.17 * (at.bottom - at.top)
        return (
            f'<rect class="rope-band" id="{self.name}-band" x="{low:g}" y="{y:g}" width="{high - low:g}" '
            f'height="{at.bottom - y:g}"/>'
        )

    def html(self) -> str:
        """Return the slider with the three probabilities."""
        c, name, at, percent = self.c, self.name, self.curve.start, self.c.measure.percent
        shown = f"{self.curve.labels(percent=percent)[at]}{_unit(percent)}"
        less, within, greater = (x[at] for x in (self.curve.less, self.curve.within, self.curve.greater))
        # Class, name, where the bar begins, probability, and what it is of.
        parts = (
            ("h0", "less", 0.0, less, f"H0, beyond the ROPE: {c.model_a} is better by more"),
            ("in", "within", less, within, "ROPE: practically equivalent"),
            ("h1", "greater", 1.0 - greater, greater, f"H1, beyond the ROPE: {c.model_b} is better by more"),
        )
        bars = "".join(
            f'<rect class="{kind}" id="{name}-bar-{part}" x="{100.0 * x:.6g}" y="0" width="{100.0 * p:.6g}" height="1"/>'
            for kind, part, x, p, _ in parts
        )
        terms = "".join(
            f'<div class="{kind}"><dt>{escaped(about)}</dt><dd>P <span id="{name}-{part}">'
            f"{escaped('= 0' if kind == 'in' and not c.region else equation('P', p)[2:])}</span></dd></div>"
            for kind, part, _, p, about in parts
        )
        # As the region of a pair is one of how much better B is, while a difference of losses has the other sign.
        about, matter = (
            ("differences within", "do") if c.region.symmetric else (f"{c.model_b} ahead by", "does")
        )
        # Without a script there is nothing to move: it shows the controls.
        return f"""\
<div class="rope">
<label for="{name}-slider">ROPE of {escaped(c.label)}: {escaped(about)}
<output id="{name}-margin" for="{name}-slider">{shown}</output> {matter} not matter</label>
<div class="control" id="{name}-control" hidden>
<input type="range" id="{name}-slider" min="0" max="{len(self.curve.margins) - 1}" step="1" value="{at}" \
aria-valuetext="{shown}" autocomplete="off">
<button type="button" id="{name}-reset">As reported: {c.region.words(percent=percent)}</button>
</div>
<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">\
{bars}</svg>
<dl aria-live="polite">{terms}</dl>
</div>"""


def _unit(percent: bool) -> str:
    return " percentage points" if percent else ""
