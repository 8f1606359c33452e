"""Numbers as they are printed: probabilities, points, margins and intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayesf1.metrics import Estimate

if TYPE_CHECKING:
    from bayesf1.inference.comparison import Rope


def probability(p: float, digits: int = 3, *, below: float | None = None) -> str:
    """Write a probability with three decimals, or fewer, and never as 0 or 1; more of one just below a threshold.

    What is undefined is a dash.

    Examples
    --------
    >>> probability(0.70021), probability(1.4e-5), probability(0.99999), probability(0.9964, digits=2)
    ('0.700', '<0.001', '>0.999', '>0.99')
    >>> probability(0.9749, below=0.975), probability(0.9751, below=0.975)
    ('0.9749', '0.975')
    """
    least = 10.0**-digits
    if math.isnan(p):
        return "–"
    if below is not None and p < below <= round(p, digits) and digits < 6:
        return probability(p, digits + 1, below=below)
    if p < 0.5 * least:
        return f"<{least:.{digits}f}"
    if p >= 1.0 - 0.5 * least:
        return f">{1.0 - least:.{digits}f}"
    return f"{p:.{digits}f}"


def equation(name: str, p: float, *, below: float | None = None) -> str:
    """Write a named probability.

    Examples
    --------
    >>> equation("P(best)", 0.666), equation("P(best)", 0.99999)
    ('P(best) = .666', 'P(best) > .999')
    """
    text = probability(p, below=below).replace("0.", ".", 1)
    return f"{name} {text[0]} {text[1:]}" if text[0] in "<>" else f"{name} = {text}"


def digits_of(low: float, high: float, *, percent: bool = True, sign: bool = False) -> int:
    """Return how many decimals an estimate with this interval deserves: two digits of half its length.

    Up to two more show that a signed interval excludes 0.

    Examples
    --------
    >>> digits_of(0.667, 0.801), digits_of(0.893, 0.9), digits_of(0.8993, 0.9), digits_of(0.0003, 0.111, sign=True)
    (1, 2, 3, 2)
    """
    half_width = (50 if percent else 0.5) * (high - low)
    # Less is rounding of what has no width.
    if not half_width > 1e-9 or not math.isfinite(half_width):
        return 2
    digits = min(max(math.ceil(-math.log10(half_width)) + 1, 1), 6)
    least = (100 if percent else 1) * min(abs(low), abs(high))
    shown = (more for more in range(digits, digits + 3) if sign and low * high > 0.0 and round(least, more))
    return next(shown, digits)


def points(value: float, digits: int, *, sign: bool = False, percent: bool = True) -> str:
    """Write a proportion in percent, or any score as it is, with a true minus sign."""
    quoted = 100 * value if percent else value
    text = f"{quoted:+.{digits}f}" if sign else f"{quoted:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("+-")
    return text.replace("-", "−")


def amount(value: float, *, percent: bool = True) -> str:
    """Write a margin with its unit: ``0.01`` is one percentage point.

    Examples
    --------
    >>> amount(0.01), amount(0.025), amount(0.25, percent=False)
    ('1 percentage point', '2.5 percentage points', '0.25')
    """
    if not percent:
        return f"{value:.4g}"
    return f"{100 * value:.4g} percentage point{'' if round(100 * value, 10) == 1 else 's'}"


def estimates(column: Sequence[Estimate], *, sign: bool = False) -> list[str]:
    """Write a column of numbers with their intervals, all in percent with the same decimals, and so all others.

    Examples
    --------
    >>> estimates([Estimate(0.8, 0.7, 0.9, percent=True), Estimate(0.5, 0.496, 0.504, percent=True)])
    ['80.00 [70.00, 90.00]', '50.00 [49.60, 50.40]']
    """
    most: dict[bool, int] = {}
    for value, low, high, percent in column:
        if not math.isnan(value):
            most[percent] = max(most.get(percent, 0), digits_of(low, high, percent=percent, sign=sign))
    found = []
    for *values, percent in column:
        shown = "{}" if math.isnan(values[1]) else "{} [{}, {}]"
        if math.isnan(values[0]):
            shown = "–" if sign else "undefined"
        texts = (points(x, most.get(percent, 0), sign=sign, percent=percent) for x in values)
        found.append(shown.format(*texts))
    return found


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
    low, high = (f"{(100.0 if percent else 1.0) * x:+.4g}".replace("-", "−") if x else "0" for x in rope)
    return f"{low} to {high}{' percentage points' if percent else ''}"


def p_equation(p: float) -> str:
    """Write a p-value with two digits, and never as 0.

    Examples
    --------
    >>> p_equation(0.03125), p_equation(1.0), p_equation(3e-7)
    ('p = 0.031', 'p = 1', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 1e-4 else f"p = {p_value(p)}"


def p_value(p: float) -> str:
    """Write a p-value with two digits, or three if it is near one."""
    return f"{p:.2g}" if p < 0.0995 or p > 0.9995 else f"{p:.3f}"
