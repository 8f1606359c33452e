"""Numbers as they are printed: probabilities, points, margins and intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bayesf1.metrics import Estimate, Metric

if TYPE_CHECKING:
    from bayesf1.inference.comparison import Rope

_MINUS = "−"


# ---- probabilities ----------------------------------------------------------------------------------------


class _Rounded(NamedTuple):
    """A rounded probability: whether it is equal to a number, below or above it ("=", "<", ">"), and that number."""

    relation: str
    number: str

    @property
    def without_zero(self) -> str:
        """The number without the zero before its point."""
        return self.number.removeprefix("0")


def _rounded(p: float, digits: int, below: float | None) -> _Rounded:
    least = 10.0**-digits
    if math.isnan(p):
        return _Rounded("=", "–")
    if below is not None and p < below <= round(p, digits) and digits < 6:
        return _rounded(p, digits + 1, below)
    if p < 0.5 * least:
        return _Rounded("<", f"{least:.{digits}f}")
    if p >= 1.0 - 0.5 * least:
        return _Rounded(">", f"{1.0 - least:.{digits}f}")
    return _Rounded("=", f"{p:.{digits}f}")


def probability(p: float, digits: int = 3, *, below: float | None = None) -> str:
    """Write a probability with three decimals, or fewer, and never as 0 or 1; with more just below a threshold.

    An undefined probability is a dash.

    Examples
    --------
    >>> probability(0.70021), probability(1.4e-5), probability(0.99999), probability(0.9964, digits=2)
    ('0.700', '<0.001', '>0.999', '>0.99')
    >>> probability(0.9749, below=0.975), probability(0.9751, below=0.975)
    ('0.9749', '0.975')
    """
    relation, number = _rounded(p, digits, below)
    return number if relation == "=" else f"{relation}{number}"


def short_probability(p: float) -> str:
    """Write a probability with two decimals and no zero before its point, and never as 0 or 1.

    Examples
    --------
    >>> short_probability(0.666), short_probability(0.99999), short_probability(0.001)
    ('.67', '>.99', '<.01')
    """
    rounded_p = _rounded(p, 2, None)
    if rounded_p.relation == "=":
        return rounded_p.without_zero
    return f"{rounded_p.relation}{rounded_p.without_zero}"


def equals(p: float, *, below: float | None = None) -> str:
    """Write the right-hand side of an equation of a probability.

    Examples
    --------
    >>> equals(0.666), equals(0.99999)
    ('= .666', '> .999')
    """
    rounded_p = _rounded(p, 3, below)
    return f"{rounded_p.relation} {rounded_p.without_zero}"


def equation(name: str, p: float, *, below: float | None = None) -> str:
    """Write a named probability.

    Examples
    --------
    >>> equation("P(first)", 0.666), equation("P(first)", 0.99999)
    ('P(first) = .666', 'P(first) > .999')
    """
    return f"{name} {equals(p, below=below)}"


def p_value(p: float) -> str:
    """Write a p-value with two digits, or with three decimals near one.

    Examples
    --------
    >>> p_value(0.03125), p_value(0.9), p_value(1.0)
    ('0.031', '0.900', '1')
    """
    # Between these bounds, two digits would be fewer than three decimals; above, three decimals would be 1.000.
    return f"{p:.2g}" if p < 0.0995 or p > 0.9995 else f"{p:.3f}"


_LEAST_P = 1e-4


def p_cell(p: float) -> str:
    """Write a p-value in a table, and never as 0."""
    return "< 0.0001" if p < _LEAST_P else p_value(p)


def p_equation(p: float) -> str:
    """Write a p-value in a sentence, and never as 0.

    Examples
    --------
    >>> p_equation(0.03125), p_equation(1.0), p_equation(3e-7)
    ('p = 0.031', 'p = 1', 'p < 0.0001')
    """
    return "p < 0.0001" if p < _LEAST_P else f"p = {p_value(p)}"


def percentage(share: float) -> str:
    """Write the mass of an interval, or a level.

    Examples
    --------
    >>> percentage(0.95), percentage(2 / 3)
    ('95 %', '66.67 %')
    """
    return f"{100 * share:.4g} %"


def credible_intervals(prob: float) -> str:
    """Write the kind of interval that scores and differences have."""
    return f"{percentage(prob)} equal-tailed credible intervals"


# ---- scores -----------------------------------------------------------------------------------------------


def digits_of(
    low: float, high: float, *, percent: bool = True, sign: bool = False, exact: bool = False
) -> int:
    """Return how many decimals an estimate with this interval deserves: two digits of half its length.

    A percentage that counts as exact has one. Up to two more show that a signed interval excludes 0.

    Examples
    --------
    >>> digits_of(0.667, 0.801), digits_of(0.893, 0.9), digits_of(0.8993, 0.9), digits_of(0.0003, 0.111, sign=True)
    (1, 2, 3, 2)
    """
    scale = 100 if percent else 1
    half_width = 0.5 * scale * (high - low)
    # The width of a shorter interval is only a rounding error.
    if not half_width > 1e-9 or not math.isfinite(half_width):
        return 2
    digits = min(max(math.ceil(-math.log10(half_width)) + 1, 1), 6)
    if exact and percent:
        digits = 1
    if sign and low * high > 0.0:
        nearest_end = scale * min(abs(low), abs(high))
        for more in range(digits, digits + 3):
            if round(nearest_end, more) != 0.0:
                return more
    return digits


def points(value: float, digits: int, *, sign: bool = False, percent: bool = True) -> str:
    """Write a proportion in percent, or any score as it is, with a true minus sign; zero has no sign."""
    shown = float(100 * value if percent else value)
    if round(shown, digits) == 0.0:
        return f"{0.0:.{digits}f}"
    text = f"{shown:+.{digits}f}" if sign else f"{shown:.{digits}f}"
    return text.replace("-", _MINUS)


def decimals(e: Estimate, *, sign: bool = False) -> int:
    """Return how many decimals an estimate deserves, as `digits_of` says."""
    return digits_of(e.low, e.high, percent=e.percent, sign=sign, exact=e.exact)


def estimates(column: Sequence[Estimate], *, sign: bool = False) -> list[str]:
    """Write a column of numbers with their intervals: numbers in percent have equally many decimals, and so have all others.

    Examples
    --------
    >>> estimates([Estimate(0.8, 0.7, 0.9, percent=True), Estimate(0.5, 0.496, 0.504, percent=True)])
    ['80.00 [70.00, 90.00]', '50.00 [49.60, 50.40]']
    """
    digits = {True: 0, False: 0}
    for e in column:
        if not math.isnan(e.value):
            digits[e.percent] = max(digits[e.percent], decimals(e, sign=sign))
    undefined = "–" if sign else "undefined"
    cells = []
    for e in column:
        ends = [points(x, digits[e.percent], sign=sign, percent=e.percent) for x in (e.low, e.high)]
        cell = points(e.value, digits[e.percent], sign=sign, percent=e.percent)
        if math.isnan(e.value):
            cell = undefined
        elif not math.isnan(e.low):
            cell = f"{cell} [{', '.join(ends)}]"
        cells.append(cell)
    return cells


def rounded(value: float, digits: int = 2) -> float:
    """Return a number rounded to a number of significant digits.

    Examples
    --------
    >>> rounded(0.01234), rounded(1234.0)
    (0.012, 1200.0)
    """
    if value == 0.0 or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


# ---- margins ----------------------------------------------------------------------------------------------


def amount(value: float, *, percent: bool = True, short: bool = False) -> str:
    """Write a margin with its unit: ``0.01`` is one percentage point, or in short one point.

    Examples
    --------
    >>> amount(0.01), amount(0.025), amount(0.25, percent=False), amount(0.005, short=True)
    ('1 percentage point', '2.5 percentage points', '0.25', '0.5 points')
    """
    if not percent:
        return f"{value:.4g}"
    noun = "point" if short else "percentage point"
    plural = "" if round(100 * value, 10) == 1 else "s"
    return f"{100 * value:.4g} {noun}{plural}"


def margin(value: float, metric: Metric, *, short: bool = False) -> str:
    """Write a margin with the unit of a metric: percentage points, points of its own, or none."""
    return amount(value, percent=metric.percent, short=short) + own_points(metric)


def own_points(metric: Metric) -> str:
    """Return the unit of a metric that goes up to 100, such as BLEU points; "" for any other."""
    return f" {metric.label} points" if metric.support == (0.0, 100.0) else ""


def unit_of(metric: Metric) -> str:
    """Return the unit of a difference of scores: points, points of its own, or "" if there is none."""
    if metric.support == (0.0, 100.0):
        return own_points(metric)
    return " points" if metric.percent else ""


def region(rope: Rope, *, percent: bool) -> str:
    """Write a region of practical equivalence with its unit.

    Examples
    --------
    >>> from bayesf1.inference.comparison import Rope
    >>> region(Rope(-0.005, 0.01), percent=True), region(Rope.of(0.01), percent=True)
    ('−0.5 to +1 percentage points', '±1 percentage point')
    """
    if rope.symmetric:
        return f"±{amount(abs(rope.high), percent=percent)}"
    unit = " percentage points" if percent else ""
    return f"{_signed_end(rope.low, percent=percent)} to {_signed_end(rope.high, percent=percent)}{unit}"


def _signed_end(value: float, *, percent: bool) -> str:
    if value == 0.0:
        return "0"
    shown = 100.0 * value if percent else value
    return f"{shown:+.4g}".replace("-", _MINUS)
