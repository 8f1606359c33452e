r"""Texts and tables that LaTeX sets as they stand: pdflatex with T1 fonts, booktabs, and no package for symbols."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayesf1.base.naming import nearest, printable

if TYPE_CHECKING:
    from bayesf1.output.table import Table

# Forms of a sentence: as it is read, and as it is pasted into LaTeX.
PROSE = ("text", "latex")

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
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{THIN SPACE}": r"\,",
    **{c: f"$\\{name}$" for c, name in zip(_LETTERS, _LETTER_NAMES.split(), strict=True)},
    **{sign: f"${tex}$" for sign, tex in re.findall(r"(\S+) (\S+)", _MATHS)},
    **{sign: f"$^{digit}$" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{sign: f"$_{digit}$" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    # Stands between two hyphens of a name, which are no dash.
    "\0": "{}",
}


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


def tabular(
    table: Table,
    *,
    caption: str | None,
    label: str | None,
    columns: Sequence[str] | None,
    limits: Sequence[str] = (),
) -> str:
    """Return a LaTeX tabular with booktabs rules; see `Table.to_latex`."""
    places = range(len(table.header)) if columns is None else _places(table.header, columns)

    def line(cells: Sequence[str], row: int | None = None) -> str:
        found = [(escape_latex(cells[j]), (row, j) in table.bold and cells[j]) for j in places]
        return " & ".join(rf"\textbf{{{c}}}" if bold else _guarded(c) for c, bold in found) + r" \\"

    below = rf"\multicolumn{{{len(places)}}}{{@{{}}p{{0.95\linewidth}}@{{}}}}{{\footnotesize %s}} \\"
    body = [
        rf"\begin{{tabular}}{{@{{}}{'l' * len(places)}@{{}}}}",
        r"\toprule",
        re.sub(r"\bP\(H([01])\)", r"$P(H_\1)$", line(table.header)),
        r"\midrule",
        *(line(row, i) for i, row in enumerate(table.rows)),
        r"\bottomrule",
        *(below % escape_latex(text) for text in limits),
        r"\end{tabular}",
    ]
    if caption is not None or label is not None:
        named = [rf"\caption{{{escape_latex(caption)}}}"] if caption is not None else []
        named += [rf"\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', label)}}}"] if label is not None else []
        body = [r"\begin{table}", r"\centering", *body, *named, r"\end{table}"]
    return "\n".join([r"% needs \usepackage{booktabs}", *body])


def _guarded(source: str) -> str:
    """Return what may stand behind a line break or rule, which would take a bracket or star for its argument."""
    return f"{{}}{source}" if source.startswith(("[", "*")) else source


def _places(header: Sequence[str], columns: Sequence[str]) -> list[int]:
    """Return where the columns of these names are; a unit need not be named."""
    folded = {name.lower(): j for j, name in enumerate(header)}
    folded = {name.removesuffix(" (%)"): j for name, j in folded.items()} | folded
    if isinstance(columns, str) or not len(columns):
        raise ValueError(f"columns is a list of names, such as {list(header[:2])!r}, not {columns}")
    for name in columns:
        if str(name).lower() not in folded:
            raise ValueError(f"there is no column {name!r}; {nearest(str(name), header)}")
    return [folded[str(name).lower()] for name in columns]


def prose(text: str, form: str = "text") -> str:
    r"""Return a sentence as text, or as LaTeX.

    Examples
    --------
    >>> print(prose("by the Bayes test of Wang & Li (2019), 95 % intervals", "latex"))
    by the Bayes test of Wang \& Li (2019), 95~\% intervals
    """
    if form not in PROSE:
        raise ValueError(f"a sentence has no format {form!r}; {nearest(str(form), PROSE)}")
    return printable(text) if form == "text" else escape_latex(text)


def version() -> str:
    """Return the package's name and version."""
    from bayesf1 import __version__

    return f"bayesf1 {__version__}"
