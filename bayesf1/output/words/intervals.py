"""The words of intervals, and of the coverage of their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.naming import capitalised, plural, printable
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import digits_of, points, probability
from bayesf1.output.words.sampled import counted, few_units, prior_of

if TYPE_CHECKING:
    from bayesf1.frequentist import coverage, intervals


_METHODS = {
    "clopper_pearson": "Clopper–Pearson",
    "delta": "Delta method",
    "fbeta_delta": "Jiang",
    "bootstrap_bca": "Bootstrap BCa",
    "credible_equal_tailed": "Credible, equal-tailed",
    "credible_hdi": "Credible, highest density",
}


def method_label(method: str) -> str:
    """Write the name of an interval method.

    Examples
    --------
    >>> method_label("wilson_direct"), method_label("credible_hdi")
    ('Wilson direct', 'Credible, highest density')
    """
    return _METHODS.get(method, method.replace("_", " ").capitalize())


def note(row: intervals.MethodInterval) -> str:
    """Return what to mind about one interval; nothing if there is nothing."""
    low, high = row.support
    outside = [f"above {high:g}"] * (row.high > high) + [f"below {low:g}"] * (row.low < low)
    found = {
        "takes single items as independent": row.units == "item",
        f"over {plural(row.units)}": row.units not in ("", "item"),
        f"overshoots: reaches {' and '.join(outside)}": outside,
        "degenerate: zero width": row.degenerate,
    }
    return "; ".join(note for note, holds in found.items() if holds)


def _digits(r: intervals.Intervals) -> int:
    return max((digits_of(*row, percent=r.percent) for row in r.rows), default=2)


def title(r: intervals.Intervals) -> str:
    """Return what the intervals are of, and the estimate."""
    difference = len(r.models) == 2
    score = points(r.estimate, _digits(r), sign=difference, percent=r.percent)
    unit = (" percentage points" if difference else " %") if r.percent else ""
    return printable(f"{r.label} of {' minus '.join(reversed(r.models))}: {score}{unit}")


def table(r: intervals.Intervals) -> Table:
    """Return a row for each method: interval, length, and a note if any method has one."""
    unit, digits = " (%)" if r.percent else "", _digits(r)
    header = ("Method", f"{100 * r.confidence_level:.4g} % interval{unit}", f"Length{unit}", "Note")
    width = 4 if any(row.note for row in r.rows) else 3
    rows = []
    for row in r.rows:
        low, high, length = (points(x, digits, percent=r.percent) for x in (*row, row.length))
        rows.append((row.label, f"[{low}, {high}]", length, row.note)[:width])
    sure = tuple(not (row.overshoot or row.degenerate) for row in r.rows)
    return Table(header[:width], tuple(rows), sure=sure)


def notes(r: intervals.Intervals) -> tuple[str, ...]:
    """Return what intervals assumed, a sentence each."""
    s = r.settings
    pairing = f", with models {'independent' if s.assumption == 'independent' else 'paired'}"
    source = f"from {counted(s) or 'totals, each count as an independent item'}"
    parts = [f"{source}{pairing if len(r.models) > 1 else ''}"]
    if s.n_resamples:
        parts.append(f"bootstrap of {s.n_resamples:,} resamples")
    if any(row.kind == "credible" for row in r.rows):
        parts.append(f"credible intervals with {prior_of(s)}")
    notes = [f"{capitalised('; '.join(parts))}."]
    if s.runs:
        notes.append("Credible intervals allow for further training runs; the others are about these runs.")
    return (*notes, *filter(None, [few_units(s)]), *r.remarks)


def coverage_table(c: coverage.CoverageCurve) -> Table:
    """Return a row for each method and number of items."""
    header = ("Method", "Items", "Coverage (%)", "Length (%)", "P(overshoot)", "P(degenerate)")
    rows = []
    for method, n, coverage, length, *others in (record.values() for record in c.records()):
        shares = (points(coverage, 2), points(length, 2), *map(probability, others))
        rows.append((method_label(method), f"{n:,}", *shares))
    return Table(header, tuple(rows))
