"""The works that an answer cites, and this package."""

from __future__ import annotations

import re
from pathlib import Path

from bayesf1 import __version__

PACKAGE = f"bayesf1 {__version__}"


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
        surname = re.findall(r"author = \{([^,]+)", entry)[0]
        year = re.findall(r"year = \{(\d+)", entry)[0]
        is_own = entry.startswith("@misc{bayesf1")
        # Cited is a first author's name that is followed by the year, with no other bracket between them.
        if is_own or re.search(rf"{surname}[^()]*\(?{year}", text):
            found.append(entry.replace("VERSION", __version__))
    return "\n\n".join(found)
