"""One unit and one kind of interval in figures, tables and sentences: points, and equal-tailed intervals.

Curves and bars stand where the numbers are, at 0.9 for 90 %, so that whoever draws on them need not think of units; the
numbers below the axis are in percent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.naming import nearest
from bayesf1.base.table import digits_of, points
from bayesf1.laws.law import Posterior

if TYPE_CHECKING:
    from matplotlib.axis import Axis

# Kinds of interval, and what a figure calls them.
INTERVALS = {"equal-tailed": "interval", "hdi": "HDI"}


def check_interval(kind: str) -> str:
    """Return a kind of interval, or say that there is none such."""
    if kind not in INTERVALS:
        raise ValueError(f"unknown interval {kind!r}; {nearest(str(kind), INTERVALS)}")
    return kind


def ends_of(law: Posterior, prob: float, kind: str) -> tuple[float, float]:
    """Return the ends of an interval, equal-tailed or of the highest density.

    Examples
    --------
    >>> from bayesf1 import Beta
    >>> ends_of(Beta(2, 5), 0.9, "equal-tailed")
    (0.06284..., 0.58180...)
    """
    return law.hdi(prob) if check_interval(kind) == "hdi" else law.interval(prob)


def score_label(label: str, *, percent: bool) -> str:
    """Name a score with its unit."""
    return f"{label} (%)" if percent else label


def gap_label(label: str, *, percent: bool) -> str:
    """Name a difference of scores with its unit."""
    return f"Difference in {label} (points)" if percent else f"Difference in {label}"


def in_percent(axis: Axis, *, percent: bool = True, scale: float = 100.0) -> None:
    """Write the numbers of an axis in percent, where a measure is told so, or otherwise scaled."""
    from matplotlib.ticker import FuncFormatter

    if percent:
        axis.set_major_formatter(FuncFormatter(lambda x, _: f"{scale * x:.10g}".replace("-", "−")))


def signed(low: float, high: float, *, percent: bool = True) -> str:
    """Write an interval of differences, with signs and the digits that it deserves.

    Examples
    --------
    >>> signed(-0.0123, 0.00456), signed(-0.0123, 0.00456, percent=False)
    ('[−1.23, +0.46]', '[−0.0123, +0.0046]')
    """
    digits = digits_of(low, high, percent=percent)
    ends = (points(x, digits, sign=True, percent=percent) for x in (low, high))
    return f"[{', '.join(ends)}]"
