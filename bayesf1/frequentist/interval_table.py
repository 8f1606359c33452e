"""Intervals of one score by several methods, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayesf1.base.naming import nearest

if TYPE_CHECKING:
    import pandas as pd

    from bayesf1.base.table import Table

JSON_FORMAT = "bayesf1.intervals/1"


@dataclass(frozen=True)
class MethodInterval:
    """The interval of one method: ``low, high = intervals(ev, "A")["wilson_direct"]``.

    Attributes
    ----------
    method, label
        Name of the method, and how it is printed.
    kind
        ``"confidence"`` or ``"credible"``.
    low, high
        The ends, as the method gives them.
    overshoot
        Whether an end is no possible value of the score.
    degenerate
        Whether the interval is a single point.
    note
        What to mind about it.
    """

    method: str
    label: str
    kind: str
    low: float
    high: float
    overshoot: bool
    degenerate: bool
    note: str = ""

    @property
    def length(self) -> float:
        """Distance of the ends."""
        return self.high - self.low

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


@dataclass(frozen=True, eq=False)
class Intervals(Mapping[str, MethodInterval]):
    """Intervals of a score, or of the difference of two models' scores, by name of the method.

    Attributes
    ----------
    models
        The model, or models A and B of a difference B minus A.
    metric, label
        Name of the measure, and how it is printed.
    estimate
        The point score, or difference of scores.
    confidence_level
        Confidence level, and mass of the credible intervals.
    rows
        The intervals.
    notes
        What was assumed, in sentences.
    percent
        Whether scores are printed in percent.
    """

    models: tuple[str, ...]
    metric: str
    label: str
    estimate: float
    confidence_level: float
    rows: tuple[MethodInterval, ...]
    notes: tuple[str, ...]
    percent: bool = True

    def __getitem__(self, method: str) -> MethodInterval:
        for row in self.rows:
            if row.method == method:
                return row
        raise KeyError(f"no method {method!r} here; {nearest(str(method), self)}")

    def __iter__(self) -> Iterator[str]:
        return (row.method for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def table(self) -> Table:
        """The intervals as a table: method, interval, length, note."""
        from bayesf1.base.table import Table, digits_of, interval, points

        unit = " (%)" if self.percent else ""
        rows = []
        for row in self.rows:
            digits = digits_of(row.low, row.high, percent=self.percent)
            length = points(row.length, digits, percent=self.percent)
            rows.append((row.label, interval(*row, percent=self.percent), length, row.note))
        level = f"{100 * self.confidence_level:.4g} % interval{unit}"
        header = ["Method", level, f"Length{unit}", "Note"]
        # A column that would stay empty is left out.
        width = 4 if any(row[3] for row in rows) else 3
        shown = tuple(row[:width] for row in rows)
        return Table(tuple(header[:width]), shown, note=" ".join((self.title, *self.notes)))

    @property
    def title(self) -> str:
        """What the intervals are of, and the estimate."""
        from bayesf1.base.table import digits_of, points, printable

        digits = max((digits_of(*row, percent=self.percent) for row in self.rows), default=2)
        difference = len(self.models) == 2
        score = points(self.estimate, digits, sign=difference, percent=self.percent)
        unit = ""
        if self.percent:
            unit = " percentage points" if difference else " %"
        subject = f"{self.models[1]} minus {self.models[0]}" if difference else self.models[0]
        return printable(f"{self.label} of {subject}: {score}{unit}")

    def __str__(self) -> str:
        return "\n".join([self.title, "", self.table.to_text(), "", *self.notes])

    def __repr__(self) -> str:
        return f"<Intervals of {self.title}, {len(self)} methods>"

    def _repr_html_(self) -> str:
        from html import escape

        below = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<p>{escape(self.title)}</p>{self.table.to_html()}{below}"

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each method."""
        import pandas as pd

        return pd.DataFrame(self.to_dict()["intervals"]).set_index("method")

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return self.table.to_markdown()

    def to_latex(self, *, caption: str | None = None, label: str | None = None) -> str:
        """Return the table in LaTeX with booktabs rules."""
        return self.table.to_latex(caption=caption, label=label)

    def to_csv(self) -> str:
        """Return the full numbers as comma-separated values."""
        return str(self.to_frame().to_csv(lineterminator="\n"))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        return {
            "format": JSON_FORMAT,
            "models": list(self.models),
            "metric": self.metric,
            "estimate": self.estimate,
            "confidence_level": self.confidence_level,
            "intervals": [
                {
                    "method": row.method,
                    "kind": row.kind,
                    "low": row.low,
                    "high": row.high,
                    "length": row.length,
                    "overshoot": row.overshoot,
                    "degenerate": row.degenerate,
                    "note": row.note,
                }
                for row in self.rows
            ],
            "notes": list(self.notes),
        }
