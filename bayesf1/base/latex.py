"""Texts that LaTeX sets as they stand: pdflatex with T1 fonts and no package for symbols."""

from __future__ import annotations

import re
import unicodedata

from bayesf1.base.naming import nearest

# Forms of a sentence: as it is read, and as it is pasted into LaTeX.
PROSE = ("text", "latex")

_SMALL = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi
psi omega"""
# Other capitals look like Latin letters and have no command.
_CAPITAL = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"


def _greek(name: str) -> str:
    """Return the letter that a command of LaTeX sets; Unicode writes lambda without its b."""
    size = "SMALL" if name.islower() else "CAPITAL"
    return unicodedata.lookup(f"GREEK {size} LETTER {name.upper().replace('MBD', 'MD')}")


_SIGNS = {
    **{_greek(name): f"\\{name}" for name in f"{_SMALL} {_CAPITAL}".split()},
    "−": "-",
    "×": r"\times",
    "±": r"\pm",
    "·": r"\cdot",
    "≤": r"\le",
    "≥": r"\ge",
    "≈": r"\approx",
    "≠": r"\ne",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "∞": r"\infty",
    "√": r"\surd",
    "∑": r"\sum",
    "∫": r"\int",
    "∈": r"\in",
    "½": r"\frac{1}{2}",
    "¼": r"\frac{1}{4}",
    "¾": r"\frac{3}{4}",
    "°": r"^\circ",
    **{sign: f"^{digit}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{sign: f"_{digit}" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}
_LATEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{THIN SPACE}": r"\,",
    "�": "?",
    "✓": r"$\surd$",
    "µ": r"$\mu$",
    **{c: f"${tex}$" for c, tex in _SIGNS.items()},
    # Stands between two hyphens of a name, which are no dash.
    "\0": "{}",
}


def printable(text: str) -> str:
    """Replace control characters, which could rewrite a terminal or break a line."""
    if text.isprintable():
        return text
    return "".join("�" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)


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


def check_prose(form: str) -> str:
    """Return the form of a sentence that was asked for, or say that there is none such."""
    if form not in PROSE:
        raise ValueError(f"a sentence has no format {form!r}; {nearest(str(form), PROSE)}")
    return form
