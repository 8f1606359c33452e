"""The slider of the region of practical equivalence, and what it moves along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayesf1.base.table import amount, equation
from bayesf1.bayes.comparison import Comparison
from bayesf1.report.inline_svg import Frame
from bayesf1.report.markup import escaped
from bayesf1.report.rope_curve import RopeCurve

# Digits of what is embedded; three are shown.
DIGITS = 8


@dataclass(frozen=True)
class RopeSlider:
    """A slider for one measure.

    Attributes
    ----------
    name
        What the names of its elements begin with.
    c
        The comparison that it starts from.
    curve
        What it moves along.
    frame
        Where the axes of the figure are in which it moves a band.
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
            **{
                key: [round(float(x), DIGITS) for x in values]
                for key, values in (("less", curve.less), ("greater", curve.greater))
            },
            "margins": [float(f"{x:.10g}") for x in curve.margins],
        }

    def band(self) -> str:
        """Return the band that the region is in the figure of the difference."""
        x, width = self.frame.band(self.c.rope)
        top, bottom = self.frame.top, self.frame.bottom
        # The figure's upper fifth is for texts.
        y = top + 0.17 * (bottom - top)
        return (
            f'<rect class="rope-band" id="{self.name}-band" x="{x:g}" y="{y:g}" width="{width:g}" '
            f'height="{bottom - y:g}"/>'
        )

    def html(self) -> str:
        """Return the slider with the three probabilities."""
        c, name, at = self.c, self.name, self.curve.start
        percent = c.measure.percent
        shown = f"±{self.curve.labels(percent=percent)[at]}{_unit(percent)}"
        less, within, greater = (
            float(x[at]) for x in (self.curve.less, self.curve.within, self.curve.greater)
        )
        parts = (
            _Part("h0", "less", 0.0, less, f"H0, beyond the ROPE: {c.model_a} is better by more"),
            _Part("in", "within", less, within, "ROPE: practically equivalent", empty=not c.rope),
            _Part(
                "h1", "greater", 1.0 - greater, greater, f"H1, beyond the ROPE: {c.model_b} is better by more"
            ),
        )
        # Without a script there is nothing to move: it shows the controls.
        return f"""\
<div class="rope">
<label for="{name}-slider">ROPE of {escaped(c.label)}: differences up to
<output id="{name}-margin" for="{name}-slider">{shown}</output> do not matter</label>
<div class="control" id="{name}-control" hidden>
<input type="range" id="{name}-slider" min="0" max="{len(self.curve.margins) - 1}" step="1" value="{at}" \
aria-valuetext="{shown}" autocomplete="off">
<button type="button" id="{name}-reset">As reported: ±{amount(c.rope, percent=percent)}</button>
</div>
<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">\
{"".join(part.bar(name) for part in parts)}</svg>
<dl aria-live="polite">{"".join(part.term(name) for part in parts)}</dl>
</div>"""


@dataclass(frozen=True)
class _Part:
    """One of the three probabilities: on one side of the region, within it, or on the other side."""

    kind: str
    name: str
    start: float
    p: float
    words: str
    empty: bool = False

    def bar(self, name: str) -> str:
        x, width = (f"{100.0 * value:.6g}" for value in (self.start, self.p))
        return f'<rect class="{self.kind}" id="{name}-bar-{self.name}" x="{x}" y="0" width="{width}" height="1"/>'

    def term(self, name: str) -> str:
        shown = "= 0" if self.empty else equation("P", self.p)[2:]
        value = f'<span id="{name}-{self.name}">{escaped(shown)}</span>'
        return f'<div class="{self.kind}"><dt>{escaped(self.words)}</dt><dd>P {value}</dd></div>'


def _unit(percent: bool) -> str:
    return " percentage points" if percent else ""
