"""The words of intervals, and of the coverage of their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.naming import capitalised, plural, printable
from bayesf1.output.table import Table
from bayesf1.output.words.numbers import digits_of, percentage, points, probability
from bayesf1.output.words.sampled import few_units, on_what, prior_of, units_in_words

if TYPE_CHECKING:
    from bayesf1.frequentist.coverage import CoverageCurve
    from bayesf1.frequentist.intervals import Intervals, MethodInterval

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


# ---- intervals of a score, or of a difference -------------------------------------------------------------


def title(r: Intervals) -> str:
    """Return the score or difference for which intervals are given, and what was sampled."""
    difference = len(r.models) == 2
    score = points(r.estimate, _digits(r), sign=difference, percent=r.percent)
    unit = ""
    if r.percent:
        unit = " percentage points" if difference else " %"
    models = " minus ".join(reversed(r.models))
    return printable(f"{r.label} of {models}{on_what(r.settings)}: {score}{unit}")


def table(r: Intervals) -> Table:
    """Return a row for each method: interval, length, and a note if any method has one."""
    digits = _digits(r)
    unit = " (%)" if r.percent else ""
    header = ["Method", f"{percentage(r.confidence_level)} interval{unit}", f"Length{unit}"]
    rows = []
    for row in r.rows:
        low = points(row.low, digits, percent=r.percent)
        high = points(row.high, digits, percent=r.percent)
        rows.append([row.label, f"[{low}, {high}]", points(row.length, digits, percent=r.percent)])
    if any(row.note for row in r.rows):
        header.append("Note")
        for cells, row in zip(rows, r.rows, strict=True):
            cells.append(row.note)
    sure = tuple(not (row.overshoot or row.degenerate) for row in r.rows)
    return Table(tuple(header), tuple(map(tuple, rows)), sure=sure)


def _digits(r: Intervals) -> int:
    return max((digits_of(row.low, row.high, percent=r.percent) for row in r.rows), default=2)


def note(row: MethodInterval) -> str:
    """Return a warning about one interval; "" if there is none."""
    least, most = row.support
    warnings = []
    if row.units == "item":
        warnings.append("takes single items as independent")
    elif row.units:
        warnings.append(f"over {plural(row.units)}")
    outside = []
    if row.high > most:
        outside.append(f"above {most:g}")
    if row.low < least:
        outside.append(f"below {least:g}")
    if outside:
        warnings.append(f"overshoots: reaches {' and '.join(outside)}")
    if row.degenerate:
        warnings.append("degenerate: zero width")
    return "; ".join(warnings)


def notes(r: Intervals) -> tuple[str, ...]:
    """Return the assumptions of intervals, a sentence each."""
    s = r.settings
    source = f"from {units_in_words(s)}" if s.n_units else "from totals, each count as an independent item"
    if len(r.models) > 1:
        pairing = "independent" if s.assumption == "independent" else "paired"
        source = f"{source}, with models {pairing}"
    parts = [source]
    if s.assumption == "fixed":
        parts.append(f"the {plural(s.unit)} as given, their {plural(s.repeated)} as sampled")
    if s.n_resamples:
        parts.append(f"bootstrap of {s.n_resamples:,} resamples")
    if any(row.kind == "credible" for row in r.rows):
        parts.append(f"credible intervals with {prior_of(s)}")
    notes = [f"{capitalised('; '.join(parts))}."]
    if s.runs:
        notes.append("Credible intervals allow for further training runs; the others are about these runs.")
    caution = few_units(s)
    if caution:
        notes.append(caution)
    return (*notes, *r.remarks)


# ---- coverage ---------------------------------------------------------------------------------------------


def coverage_title(c: CoverageCurve) -> str:
    """Return the score to be covered, and the level."""
    return f"Coverage of {c.metric} = {points(c.truth, 1)} % by {percentage(c.confidence_level)} intervals"


def coverage_table(c: CoverageCurve) -> Table:
    """Return a row for each method and number of items."""
    header = ("Method", "Items", "Coverage (%)", "Length (%)", "P(overshoot)", "P(degenerate)")
    rows = [
        (
            method_label(record["interval"]),
            f"{record['n']:,}",
            points(record["coverage"], 2),
            points(record["length"], 2),
            probability(record["overshoot"]),
            probability(record["degenerate"]),
        )
        for record in c.records()
    ]
    return Table(header, tuple(rows))
