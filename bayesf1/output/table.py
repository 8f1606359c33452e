"""Tables of strings: plain text, Markdown, LaTeX, HTML, CSV.

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

# Text that a spreadsheet would run: a sign that begins a formula, not followed by a number.
_FORMULA = re.compile(r"^([=@]|[+-](?!\d*\.?\d+(e[+-]?\d+)?$|inf$))")
# Capitals that look like Latin letters have no command.
_LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
_LETTER_NAMES = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi
chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"""
_NAMED = ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar")
# Signs, each followed by its command in mathematical mode.
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
    # Put between two hyphens of a name, which would otherwise become a dash.
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

    Latin letters are kept, and so are those of scripts for which pdflatex has no font: a name in Chinese needs XeLaTeX or
    LuaLaTeX.

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
        Cells in bold, as pairs (row, column) counted from 0; plain text and CSV ignore them.
    sure
        For each row, whether it is beyond reasonable doubt, and so green on a terminal; by default none is.
    bars
        For each row the low end, point and high end of the interval that a terminal draws, all on one scale.
    bars_after
        The number of columns before the bars.
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
        sizes = [[display_width(cell) for cell in line] for line in lines]
        widths = [max(column) for column in zip(*sizes, strict=True)]
        texts = []
        for line, own in zip(lines, sizes, strict=True):
            padded = [
                cell + "".ljust(width - size) for cell, size, width in zip(line, own, widths, strict=True)
            ]
            texts.append("  ".join(padded).rstrip())
        rule = "  ".join("".ljust(width, "─") for width in widths)
        return "\n".join([texts[0], rule, *texts[1:]])

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
            Limits of the conclusion, in sentences to be printed below the rows.
        """
        places = list(range(len(self.header)))
        if columns is not None:
            places = self._places(columns)
        cells = self._cells(escape_latex, r"\textbf{{{}}}")
        head, *rows = [_latex_line([row[place] for place in places]) for row in cells]
        alignment = "".join("l" for _ in places)
        body = [
            rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}",
            r"\toprule",
            re.sub(r"\bP\(H([01])\)", r"$P(H_\1)$", head),
            r"\midrule",
            *rows,
            r"\bottomrule",
            *[_latex_note(text, len(places)) for text in limits],
            r"\end{tabular}",
        ]
        if caption is not None or label is not None:
            body = [r"\begin{table}", r"\centering", *body]
            if caption is not None:
                body.append(rf"\caption{{{escape_latex(caption)}}}")
            if label is not None:
                key = re.sub(r"[^A-Za-z0-9:._-]", "-", label)
                body.append(rf"\label{{{key}}}")
            body.append(r"\end{table}")
        return "\n".join([r"% needs \usepackage{booktabs}", *body])

    def _places(self, columns: Sequence[str]) -> list[int]:
        """Return the places of the columns with these names; names may omit the unit."""
        if isinstance(columns, str) or len(columns) == 0:
            raise ValueError(f"columns is a list of names, such as {list(self.header[:2])!r}, not {columns}")
        known = [_plain_name(name) for name in self.header]
        asked = {_plain_name(name): name for name in map(str, columns)}
        for plain_name, name in asked.items():
            if plain_name not in known:
                raise ValueError(f"there is no column {name!r}; {nearest(name, self.header)}")
        return [known.index(plain_name) for plain_name in asked]


def _plain_name(column: str) -> str:
    """Return the name of a column in small letters and without its unit."""
    return column.lower().removesuffix(" (%)")


def _latex_line(cells: Sequence[str]) -> str:
    """Return a line of a LaTeX tabular; a bracket or star would be the argument of the line break or rule before it."""
    guarded = [re.sub(r"^(?=[\[*])", "{}", cell) for cell in cells]
    return f"{' & '.join(guarded)} \\\\"


def _latex_note(text: str, n_columns: int) -> str:
    """Return a sentence for below the rows of a LaTeX tabular, as wide as all of its columns."""
    note = rf"{{\footnotesize {escape_latex(text)}}}"
    return rf"\multicolumn{{{n_columns}}}{{@{{}}p{{0.95\linewidth}}@{{}}}}{note} \\"


def table_of(records: Sequence[Mapping[str, Any]]) -> Table:
    """Return records with the same names as a table of full numbers.

    Examples
    --------
    >>> table_of([{"n": 1, "p": 0.5}, {"n": 2, "p": None}]).rows
    (('1', '0.5'), ('2', ''))
    """
    rows = tuple(tuple(map(_full, record.values())) for record in records)
    return Table(tuple(records[0]), rows)


def _full(value: Any) -> str:
    """Write a value in full; None is an empty cell."""
    return "" if value is None else str(value)


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> display_width("F1"), display_width("模型")
    (2, 4)
    """
    from rich.cells import cell_len

    return len(text) if text.isascii() else cell_len(text)
