"""Names of metrics within a sentence, and sentences as text or LaTeX."""

from __future__ import annotations

import re

from bayesf1.base import naming
from bayesf1.base.naming import printable
from bayesf1.output.table import escape_latex

# Labels that begin with one of these words are no names.
_COMMON_WORDS = re.compile(
    "(Accuracy|Average|Balanced|Error|Kappa|Log|Macro|Mean|Micro|Precision|Recall|Score|Specificity|Weighted)\\b"
)


def in_prose(label: str) -> str:
    """Write the label of a metric as it stands within a sentence.

    Examples
    --------
    >>> in_prose("Precision"), in_prose("Balanced accuracy"), in_prose("Brier score")
    ('precision', 'balanced accuracy', 'Brier score')
    """
    return label[:1].lower() + label[1:] if _COMMON_WORDS.match(label) else label


def formatted(sentence: str, form: str = "text") -> str:
    r"""Return a sentence as text, or as LaTeX.

    Examples
    --------
    >>> print(formatted("by the Bayes test of Wang & Li (2019), 95 % intervals", "latex"))
    by the Bayes test of Wang \& Li (2019), 95~\% intervals
    """
    naming.check_known(form, "format", ("text", "latex"))
    return printable(sentence) if form == "text" else escape_latex(sentence)
