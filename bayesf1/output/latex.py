r"""Texts, tables and citations that LaTeX sets as they stand: pdflatex with T1 fonts, booktabs, and no package for symbols.

Sentences name a work as ``Rubin (1981)`` or ``(Rubin 1981)``, with or without where it appeared. In LaTeX that becomes
``Rubin~\cite{rubin1981bayesian}`` or ``\cite{rubin1981bayesian}``; ``references.bib`` has the entries.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from bayesf1.base.naming import nearest, printable

if TYPE_CHECKING:
    from bayesf1.output.table import Table

# Forms of a sentence: as it is read, and as it is pasted into LaTeX.
PROSE = ("text", "latex")

_SMALL = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi
psi omega"""
# Other capitals look like Latin letters and have no command.
_CAPITAL = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"

_NAMED = ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar")


def _greek(name: str) -> str:
    """Return the letter that a command of LaTeX sets; Unicode writes lambda without its b."""
    size = "SMALL" if name.islower() else "CAPITAL"
    return unicodedata.lookup(f"GREEK {size} LETTER {name.upper().replace('MBD', 'MD')}")


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
    **{_greek(name): f"$\\{name}$" for name in f"{_SMALL} {_CAPITAL}".split()},
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


# ---- citations --------------------------------------------------------------------------------------------


class Reference(NamedTuple):
    """A work: its key, its BibTeX entry, and how a sentence cites it."""

    key: str
    bibtex: str
    pattern: re.Pattern[str]


@cache
def references() -> tuple[Reference, ...]:
    """Return the works that sentences may cite, and this package, which is cited by its name and version."""
    from importlib import resources

    text = (resources.files("bayesf1.output") / "references.bib").read_text(encoding="utf-8")
    package = f"""@misc{{bayesf1,
  author = {{{{The bayesf1 developers}}}},
  title = {{bayesf1: {{B}}ayesian comparison of precision, recall, {{F1}} and other metrics of a confusion table}},
  note = {{Version {version().removeprefix("bayesf1 ")}}},
  year = {{2026}},
}}"""
    named = Reference("bayesf1", package, re.compile(rf"(?P<named>{re.escape(version())})"))
    return (*(_reference(entry) for entry in text.strip().split("\n\n")), named)


def _reference(entry: str) -> Reference:
    key, author, year = (
        re.findall(pattern, entry)[0] for pattern in (r"\{(\w+),", r"author = \{(.*)\}", r"year = \{(\d+)\}")
    )
    surnames = [re.escape(name.partition(",")[0]) for name in author.split(" and ")]
    names = f"{surnames[0]} et al." if len(surnames) > 2 else r" (?:and|&) ".join(surnames)
    # "Wang and Li (2019, …)" or "(Wang & Li 2019, …)"
    pattern = rf"(?P<named>{names}) \({year}[^()]*\)| \({names} {year}[^()]*\)"
    return Reference(key, entry, re.compile(pattern))


def cited(text: str) -> list[Reference]:
    """Return the works that a text cites, and this package if it is named.

    Examples
    --------
    >>> [reference.key for reference in cited("a Bayesian bootstrap (Rubin 1981), as in Nadeau & Bengio (2003)")]
    ['rubin1981bayesian', 'nadeau2003inference']
    """
    return [reference for reference in references() if reference.pattern.search(text)]


def bibtex(text: str) -> str:
    """Return the BibTeX entries of the works that a text cites."""
    return "\n\n".join(reference.bibtex for reference in cited(text))


def prose(text: str, form: str = "text") -> str:
    r"""Return a sentence as text, or as LaTeX with ``\cite`` for every work.

    Examples
    --------
    >>> print(prose("by the Bayes test of Wang and Li (2019, ACL, 4135–4145), 95 % intervals", "latex"))
    by the Bayes test of Wang and Li~\cite{wang2019bayes}, 95~\% intervals
    """
    if form not in PROSE:
        raise ValueError(f"a sentence has no format {form!r}; {nearest(str(form), PROSE)}")
    if form == "text":
        return printable(text)
    found = [(match, work.key) for work in cited(text) for match in work.pattern.finditer(text)]
    source, start = "", 0
    for match, key in sorted(found, key=lambda pair: pair[0].start()):
        source += escape_latex(text[start : match.start()] + (match["named"] or "")) + rf"~\cite{{{key}}}"
        start = match.end()
    return source + escape_latex(text[start:])


def version() -> str:
    """Return the package's name and version."""
    from bayesf1 import __version__

    return f"bayesf1 {__version__}"
