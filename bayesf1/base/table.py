"""A small table of strings, and its forms: plain text, Markdown, LaTeX, HTML, CSV."""

from __future__ import annotations

import csv
import html
import io
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bayesf1.base.latex import escape_latex as escape_latex, printable as printable
from bayesf1.base.latex_table import latex_of

# What a spreadsheet would run: a sign that begins a formula, and no number behind it.
_FORMULA = re.compile(r"[=@]|[+-](?!\d*\.?\d+(e[+-]?\d+)?$|inf$)")


def escape_markdown(text: str) -> str:
    r"""Make a text safe to paste into a Markdown table.

    Examples
    --------
    >>> escape_markdown("a|b*c")
    'a\\|b\\*c'
    """
    return re.sub(r"([\\`*_|<>\[\]~&$])", r"\\\1", printable(text))


def probability(p: float, digits: int = 3) -> str:
    """Write a probability with three decimals, or fewer, and never as 0 or 1.

    Examples
    --------
    >>> probability(0.70021), probability(1.4e-5), probability(0.99999), probability(0.9964, digits=2)
    ('0.700', '<0.001', '>0.999', '>0.99')
    """
    least = 10.0**-digits
    if p < 0.5 * least:
        return f"<{least:.{digits}f}"
    if p >= 1.0 - 0.5 * least:
        return f">{1.0 - least:.{digits}f}"
    return f"{p:.{digits}f}"


def equation(name: str, p: float) -> str:
    """Write a named probability.

    Examples
    --------
    >>> equation("P(best)", 0.666), equation("P(best)", 0.99999)
    ('P(best) = 0.666', 'P(best) > 0.999')
    """
    text = probability(p)
    return f"{name} {text[0]} {text[1:]}" if text[0] in "<>" else f"{name} = {text}"


def decimals(half_width: float) -> int:
    """Return how many decimals an estimate with this half-width deserves: two digits of its uncertainty.

    Examples
    --------
    >>> decimals(6.7), decimals(0.35), decimals(0.036)
    (1, 2, 3)
    """
    # Less is rounding of what has no width.
    if not half_width > 1e-9 or not math.isfinite(half_width):
        return 2
    return min(max(math.ceil(-math.log10(half_width)) + 1, 1), 6)


def points(value: float, digits: int, *, sign: bool = False, percent: bool = True) -> str:
    """Write a proportion in percent, or any score as it is, with a true minus sign."""
    shown = 100 * value if percent else value
    text = f"{shown:+.{digits}f}" if sign else f"{shown:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("+-")
    return text.replace("-", "−")


def digits_of(low: float, high: float, *, percent: bool = True) -> int:
    """Return how many decimals an estimate with this interval deserves."""
    return decimals((50 if percent else 0.5) * (high - low))


def interval(low: float, high: float, *, percent: bool = True) -> str:
    """Write an interval of proportions in percent, or of scores as they are, with the digits it deserves."""
    digits = digits_of(low, high, percent=percent)
    return f"[{points(low, digits, percent=percent)}, {points(high, digits, percent=percent)}]"


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


@dataclass(frozen=True)
class Table:
    """Rows of strings under a header.

    Attributes
    ----------
    header
        Column names.
    rows
        Cells, as plain text.
    latex_header
        Column names as LaTeX source, where plain text will not do.
    bold
        Cells that stand out, as pairs (row, column) counted from 0; plain text and CSV leave them as they are.
    sure
        For each row whether it is beyond reasonable doubt, and so green on a terminal; none of them by default.
    note
        What a reader must know of how the numbers came about; a comment in LaTeX, a line below in Markdown.
    limits
        What limits the conclusion, in sentences: printed below the table in LaTeX and Markdown.
    spare
        Columns that may be left out where the table is too wide for a column of a paper, the first of them first; those
        that go together in one tuple.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    latex_header: tuple[str, ...] | None = None
    bold: frozenset[tuple[int, int]] = frozenset()
    note: str = ""
    sure: tuple[bool, ...] = ()
    limits: tuple[str, ...] = ()
    spare: tuple[tuple[str, ...], ...] = ()

    def _rendered(self, escape: Callable[[str], str], strong: tuple[str, str]) -> Iterator[tuple[str, ...]]:
        """Yield the rows, escaped, with the bold cells between two marks."""
        for i, row in enumerate(self.rows):
            yield tuple(
                f"{strong[0]}{escape(c)}{strong[1]}" if (i, j) in self.bold and c else escape(c)
                for j, c in enumerate(row)
            )

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return the table with aligned columns."""
        lines = [tuple(printable(c) for c in line) for line in (self.header, *self.rows)]
        widths = [max(display_width(line[i]) for line in lines) for i in range(len(self.header))]
        first, *rest = (
            "  ".join(c + " " * (w - display_width(c)) for c, w in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )
        return "\n".join([first, "  ".join("─" * w for w in widths), *rest])

    def to_markdown(self) -> str:
        """Return a GitHub-flavoured Markdown table."""
        header = tuple(escape_markdown(c) for c in self.header)
        rows = self._rendered(escape_markdown, ("**", "**"))
        lines = ["| " + " | ".join(line) + " |" for line in (header, *rows)]
        below = [line for text in (self.note, *self.limits) if text for line in ("", escape_markdown(text))]
        return "\n".join([lines[0], "|" + " --- |" * len(self.header), *lines[1:], *below])

    def to_latex(
        self,
        *,
        caption: str | None = None,
        label: str | None = None,
        siunitx: bool = False,
        columns: Sequence[str] | None = None,
        width: str | None = None,
    ) -> str:
        """Return a LaTeX tabular with booktabs rules, inside a table environment where there is a caption.

        Parameters
        ----------
        caption
            Caption, as plain text.
        label
            Label to refer to it by.
        siunitx
            Whether columns of plain numbers are aligned at the decimal point by the package siunitx.
        columns
            Which columns, by their headers; all by default.
        width
            What the table is to fit: ``"column"``, 219 points as in a paper of the ACL, or ``"page"``, 455 points. Type
            gets smaller, intervals move below their scores, and columns in `spare` are left out as far as is needed.
        """
        return latex_of(self, caption=caption, label=label, siunitx=siunitx, columns=columns, width=width)

    def to_html(self) -> str:
        """Return an HTML table."""
        head = "".join(f"<th>{html.escape(printable(c))}</th>" for c in self.header)
        rows = (
            "".join(f"<td>{c}</td>" for c in row)
            for row in self._rendered(lambda c: html.escape(printable(c)), ("<strong>", "</strong>"))
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_csv(self) -> str:
        """Return comma-separated values; a text that a spreadsheet would take for a formula gets a quote before it."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        lines = ((printable(c) for c in line) for line in (self.header, *self.rows))
        writer.writerows([f"'{c}" if _FORMULA.match(c) else c for c in line] for line in lines)
        return buffer.getvalue()


def stack(tables: Sequence[Table]) -> Table:
    """Return the rows of tables with the same columns as one table.

    Examples
    --------
    >>> print(stack([Table(("A",), (("1",),)), Table(("A",), (("2",),))]).to_csv())
    A
    1
    2
    <BLANKLINE>
    """
    rows: list[tuple[str, ...]] = []
    bold: set[tuple[int, int]] = set()
    sure: list[bool] = []
    for table in tables:
        bold |= {(len(rows) + i, j) for i, j in table.bold}
        sure += table.sure or (False,) * len(table.rows)
        rows += table.rows
    limits = tuple(dict.fromkeys(text for table in tables for text in table.limits))
    return replace(tables[0], rows=tuple(rows), bold=frozenset(bold), sure=tuple(sure), limits=limits)


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> display_width("F1"), display_width("模型")
    (2, 4)
    """
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.category(c) in ("Mn", "Me") for c in text)
