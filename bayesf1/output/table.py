"""Numbers as they are printed, and tables of strings: plain text, Markdown, LaTeX, HTML, CSV.

Texts in LaTeX are for pdflatex with T1 fonts and no package for symbols.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayesf1.base.naming import nearest, printable

# What a spreadsheet would run: a sign that begins a formula, and no number behind it.
_FORMULA = re.compile(r"^([=@]|[+-](?!\d*\.?\d+(e[+-]?\d+)?$|inf$))")
# Capitals that look like Latin letters have no command.
_LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
_LETTER_NAMES = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi
chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"""
_NAMED = ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar")
# Signs, each before what sets it in mathematical mode.
_MATHS = (
    r"− - × \times ± \pm · \cdot ≤ \le ≥ \ge ≈ \approx ≠ \ne → \rightarrow ← \leftarrow ∞ \infty √ \surd ∈ \in "
    r"∑ \sum ∫ \int ½ \frac12 ¼ \frac14 ¾ \frac34 ° ^\circ ✓ \surd µ \mu"
)
_LATEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    **{c: rf"\text{name}{{}}" for c, name in zip("\\~^<>|", _NAMED, strict=True)},
    **dict(zip("–—…“”‘’�", ("--", "---", r"\ldots{}", "``", "''", "`", "'", "?"), strict=True)),
    "\N{NO-BREAK SPACE}": "~",
    **dict.fromkeys("\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}", r"\,"),
    **{c: f"$\\{name}$" for c, name in zip(_LETTERS, _LETTER_NAMES.split(), strict=True)},
    **{sign: f"${tex}$" for sign, tex in re.findall(r"(\S+) (\S+)", _MATHS)},
    **{sign: f"$^{digit}$" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{sign: f"$_{digit}$" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    # Stands between two hyphens of a name, which are no dash.
    "\0": "{}",
}


def escape_markdown(text: str) -> str:
    r"""Make a text safe to paste into a Markdown table.

    Examples
    --------
    >>> escape_markdown("a|b*c")
    'a\\|b\\*c'
    """
    return re.sub(r"([\\`*_|<>\[\]~&$])", r"\\\1", printable(text))


def escape_latex(text: str) -> str:
    r"""Make a text safe to paste into LaTeX.

    Letters of the Latin script stay as they are, and so do those of scripts that pdflatex has no font for: a name in
    Chinese takes XeLaTeX or LuaLaTeX.

    Examples
    --------
    >>> escape_latex("BERT_base & 50 %, −1.2 to +3.4 × τ …")
    'BERT\\_base \\& 50~\\%, $-$1.2 to +3.4 $\\times$ $\\tau$ \\ldots{}'
    """
    # A line must not begin with the sign of a number before it.
    text = re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", printable(text))
    return "".join(_LATEX.get(c, c) for c in re.sub("-(?=-)", "-\0", text))


@dataclass(frozen=True)
class Table:
    """Rows of strings under a header.

    Attributes
    ----------
    header, rows
        Names of the columns, and the cells, as plain text.
    bold
        Cells that stand out, as pairs (row, column) counted from 0; plain text and CSV leave them as they are.
    sure
        For each row whether it is beyond reasonable doubt, and so green on a terminal; none of them by default.
    bars
        For each row the low end, point and high end of the interval that a terminal draws, all on one scale.
    bars_after
        The number of columns that stand before the bars.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bold: frozenset[tuple[int, int]] = frozenset()
    sure: tuple[bool, ...] = ()
    bars: tuple[tuple[float, float, float], ...] = ()
    bars_after: int = 0

    def _cells(self, escape: Callable[[str], str], strong: str = "{}") -> list[list[str]]:
        """Return header and rows with every cell escaped, and the bold ones put into a pattern."""
        lines = [[escape(cell) for cell in row] for row in (self.header, *self.rows)]
        for i, j in self.bold:
            if self.rows[i][j]:
                lines[i + 1][j] = strong.format(lines[i + 1][j])
        return lines

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return the table with aligned columns."""
        lines = self._cells(printable)
        widths = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
        lines.insert(1, ["─" * width for width in widths])

        def padded(cell: str, width: int) -> str:
            return cell + " " * (width - display_width(cell))

        return "\n".join("  ".join(map(padded, line, widths)).rstrip() for line in lines)

    def to_markdown(self) -> str:
        """Return a GitHub-flavoured Markdown table."""
        lines = self._cells(escape_markdown, "**{}**")
        lines.insert(1, ["---"] * len(self.header))
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def to_html(self) -> str:
        """Return an HTML table."""
        head, *rows = self._cells(lambda cell: html.escape(printable(cell)), "<strong>{}</strong>")
        names = "".join(f"<th>{name}</th>" for name in head)
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"

    def to_csv(self) -> str:
        """Return comma-separated values; a text that a spreadsheet would take for a formula gets a quote before it."""
        buffer = io.StringIO()
        lines = self._cells(lambda cell: re.sub(_FORMULA, r"'\g<0>", printable(cell)))
        csv.writer(buffer, lineterminator="\n").writerows(lines)
        return buffer.getvalue()

    def to_latex(
        self,
        *,
        caption: str | None = None,
        label: str | None = None,
        columns: Sequence[str] | None = None,
        limits: Sequence[str] = (),
    ) -> str:
        """Return a LaTeX tabular with booktabs rules, inside a table environment if there is a caption or label.

        Parameters
        ----------
        caption
            Caption, as plain text.
        label
            Label to refer to it by.
        columns
            Which columns, by their headers; all by default.
        limits
            What limits the conclusion, in sentences, which stand below the rows.
        """
        places = range(len(self.header)) if columns is None else self._places(columns)

        def line(cells: Sequence[str]) -> str:
            # A line break or rule would take a bracket or star behind it for its argument.
            chosen = (re.sub(r"^(?=[\[*])", "{}", cells[j]) for j in places)
            return f"{' & '.join(chosen)} \\\\"

        head, *rows = self._cells(escape_latex, r"\textbf{{{}}}")
        below = rf"\multicolumn{{{len(places)}}}{{@{{}}p{{0.95\linewidth}}@{{}}}}{{\footnotesize %s}} \\"
        body = [
            rf"\begin{{tabular}}{{@{{}}{'l' * len(places)}@{{}}}}",
            r"\toprule",
            re.sub(r"\bP\(H([01])\)", r"$P(H_\1)$", line(head)),
            r"\midrule",
            *map(line, rows),
            r"\bottomrule",
            *(below % escape_latex(text) for text in limits),
            r"\end{tabular}",
        ]
        if caption is not None or label is not None:
            named = [rf"\caption{{{escape_latex(caption)}}}"] if caption is not None else []
            named += [rf"\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', label)}}}"] if label is not None else []
            body = [r"\begin{table}", r"\centering", *body, *named, r"\end{table}"]
        return "\n".join([r"% needs \usepackage{booktabs}", *body])

    def _places(self, columns: Sequence[str]) -> list[int]:
        """Return where the columns of these names are; a unit need not be named."""
        if isinstance(columns, str) or not len(columns):
            raise ValueError(f"columns is a list of names, such as {list(self.header[:2])!r}, not {columns}")
        known = [name.lower().removesuffix(" (%)") for name in self.header]
        asked = {str(name).lower().removesuffix(" (%)"): name for name in columns}
        if unknown := [name for folded, name in asked.items() if folded not in known]:
            raise ValueError(f"there is no column {unknown[0]!r}; {nearest(str(unknown[0]), self.header)}")
        return [known.index(folded) for folded in asked]


def table_of(records: Sequence[Mapping[str, Any]]) -> Table:
    """Return records with the same names as a table of full numbers.

    Examples
    --------
    >>> table_of([{"n": 1, "p": 0.5}, {"n": 2, "p": None}]).rows
    (('1', '0.5'), ('2', ''))
    """
    rows = (tuple("" if value is None else str(value) for value in record.values()) for record in records)
    return Table(tuple(records[0]), tuple(rows))


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> display_width("F1"), display_width("模型")
    (2, 4)
    """
    from rich.cells import cell_len

    return len(text) if text.isascii() else cell_len(text)
