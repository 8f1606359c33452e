"""Intervals of one score by several methods, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayesf1.base.answer import Answer
from bayesf1.base.naming import nearest
from bayesf1.base.table import Table, digits_of, interval, points, printable


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
    standard_error
        That of the estimate, where the method is to estimate by it.
    """

    method: str
    label: str
    kind: str
    low: float
    high: float
    overshoot: bool
    degenerate: bool
    note: str = ""
    standard_error: float | None = None

    @property
    def length(self) -> float:
        """Distance of the ends."""
        return self.high - self.low

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


@dataclass(frozen=True, eq=False)
class Intervals(Answer, Mapping[str, MethodInterval]):
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

    captioned = True
    json_format = "bayesf1.intervals/1"
    json_list = ("bayesf1.interval/1", "results")
    index_names = ("method",)

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
        unit = " (%)" if self.percent else ""
        header = ("Method", f"{100 * self.confidence_level:.4g} % interval{unit}", f"Length{unit}", "Note")
        # A column that would stay empty is left out.
        width = 4 if any(row.note for row in self.rows) else 3
        rows = []
        for row in self.rows:
            length = points(row.length, digits_of(*row, percent=self.percent), percent=self.percent)
            rows.append((row.label, interval(*row, percent=self.percent), length, row.note)[:width])
        sure = tuple(not (row.overshoot or row.degenerate) for row in self.rows)
        note = " ".join((self.title, *self.notes))
        return Table(header[:width], tuple(rows), note=note, sure=sure, spare=(("Note",),))

    @property
    def title(self) -> str:
        """What the intervals are of, and the estimate."""
        digits = max((digits_of(*row, percent=self.percent) for row in self.rows), default=2)
        difference = len(self.models) == 2
        score = points(self.estimate, digits, sign=difference, percent=self.percent)
        unit = (" percentage points" if difference else " %") if self.percent else ""
        subject = f"{self.models[1]} minus {self.models[0]}" if difference else self.models[0]
        return printable(f"{self.label} of {subject}: {score}{unit}")

    @property
    def below(self) -> Sequence[str]:
        """What was assumed."""
        return self.notes

    @property
    def key(self) -> Mapping[str, str]:
        """The model or models, and the measure."""
        return {"models": " - ".join(reversed(self.models)), "metric": self.metric}

    def __repr__(self) -> str:
        return f"<Intervals of {self.title}, {len(self)} methods>"

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each method."""
        names = ["method", "kind", "low", "high", "length", "overshoot", "degenerate", "note"]
        if any(row.standard_error is not None for row in self.rows):
            names.append("standard_error")
        return [{name: getattr(row, name) for name in names} for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        return {
            "format": self.json_format,
            "models": list(self.models),
            "metric": self.metric,
            "estimate": self.estimate,
            "confidence_level": self.confidence_level,
            "intervals": self.records(),
            "notes": list(self.notes),
        }
