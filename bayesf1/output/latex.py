r"""Texts that LaTeX sets as they stand: pdflatex with T1 fonts, and no package for symbols."""

from __future__ import annotations

import re
from pathlib import Path

from bayesf1.base.naming import nearest, printable

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


def bibtex(text: str) -> str:
    r"""Return the BibTeX entries of the works that a text cites by name and year, and of this package.

    Examples
    --------
    >>> [entry.partition(",")[0] for entry in bibtex("a Bayesian bootstrap (Rubin 1981)").split("\n\n")]
    ['@article{rubin1981bayesian', '@misc{bayesf1']
    """
    source = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    found = []
    for entry in source.strip().split("\n\n"):
        surname, year = (re.findall(field, entry)[0] for field in (r"author = \{([^,]+)", r"year = \{(\d+)"))
        if entry.startswith("@misc{bayesf1") or re.search(rf"{surname}[^()]*\(?{year}", text):
            found.append(entry.replace("VERSION", version().rpartition(" ")[2]))
    return "\n\n".join(found)


def version() -> str:
    """Return the package's name and version."""
    from bayesf1 import __version__

    return f"bayesf1 {__version__}"
