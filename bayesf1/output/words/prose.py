"""Sentences as text or LaTeX."""

from __future__ import annotations

from bayesf1.base import naming
from bayesf1.base.naming import printable
from bayesf1.output.table import escape_latex


def formatted(sentence: str, form: str = "text") -> str:
    r"""Return a sentence as text, or as LaTeX.

    Examples
    --------
    >>> print(formatted("by the Bayes test of Wang & Li (2019), 95 % intervals", "latex"))
    by the Bayes test of Wang \& Li (2019), 95~\% intervals
    """
    naming.check_known(form, "format", ("text", "latex"))
    return printable(sentence) if form == "text" else escape_latex(sentence)
