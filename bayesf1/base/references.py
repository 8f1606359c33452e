r"""What answers cite: one row for each work, from which ``\cite`` and BibTeX follow.

Sentences name a work as ``Rubin (1981)`` or ``(Rubin 1981)``, with or without where it appeared. In LaTeX that becomes
``Rubin~\cite{rubin1981bayesian}`` or ``\cite{rubin1981bayesian}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bayesf1.base.latex import check_prose, escape_latex


@dataclass(frozen=True)
class Reference:
    """A work: its key, the names and the year that sentences have, and its BibTeX entry."""

    key: str
    names: str
    year: str
    kind: str
    fields: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """How a sentence cites the work: ``Wang and Li (2019, …)`` or ``(Wang & Li 2019, …)``."""
        names = re.escape(self.names).replace(r"\ and\ ", r"\ (?:and|&)\ ")
        return re.compile(rf"(?P<named>{names}) \({self.year}[^()]*\)| \({names} {self.year}[^()]*\)")

    @property
    def bibtex(self) -> str:
        """The entry in BibTeX."""
        lines = (f"  {name} = {{{value}}},\n" for name, value in {**self.fields, "year": self.year}.items())
        return f"@{self.kind}{{{self.key},\n{''.join(lines)}}}"


def _article(key: str, names: str, year: str, **fields: str) -> Reference:
    return Reference(key, names, year, "article", fields)


def _paper(key: str, names: str, year: str, **fields: str) -> Reference:
    return Reference(key, names, year, "inproceedings", fields)


REFERENCES = (
    _paper(
        "wang2019bayes",
        "Wang and Li",
        "2019",
        author="Wang, Ruibo and Li, Jihong",
        title="{B}ayes Test of Precision, Recall, and {F1} Measure for Comparison of Two Natural Language Processing "
        "Models",
        booktitle="Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics",
        pages="4135--4145",
        publisher="Association for Computational Linguistics",
        doi="10.18653/v1/P19-1405",
    ),
    _article(
        "rubin1981bayesian",
        "Rubin",
        "1981",
        author="Rubin, Donald B.",
        title="The {B}ayesian Bootstrap",
        journal="The Annals of Statistics",
        volume="9",
        number="1",
        pages="130--134",
        doi="10.1214/aos/1176345338",
    ),
    _article(
        "davidson1970extending",
        "Davidson",
        "1970",
        author="Davidson, Roger R.",
        title="On Extending the {B}radley--{T}erry Model to Accommodate Ties in Paired Comparison Experiments",
        journal="Journal of the American Statistical Association",
        volume="65",
        number="329",
        pages="317--328",
        doi="10.1080/01621459.1970.10481082",
    ),
    _article(
        "nadeau2003inference",
        "Nadeau and Bengio",
        "2003",
        author="Nadeau, Claude and Bengio, Yoshua",
        title="Inference for the Generalization Error",
        journal="Machine Learning",
        volume="52",
        number="3",
        pages="239--281",
        doi="10.1023/A:1024068626366",
    ),
    _article(
        "corani2015bayesian",
        "Corani and Benavoli",
        "2015",
        author="Corani, Giorgio and Benavoli, Alessio",
        title="A {B}ayesian Approach for Comparing Cross-Validated Algorithms on Multiple Data Sets",
        journal="Machine Learning",
        volume="100",
        number="2--3",
        pages="285--304",
        doi="10.1007/s10994-015-5486-z",
    ),
    _article(
        "wang2014blocked",
        "Wang et al.",
        "2014",
        author="Wang, Yu and Wang, Ruibo and Jia, Huichen and Li, Jihong",
        title="Blocked $3\\times 2$ Cross-Validated $t$-Test for Comparing Supervised Classification Learning "
        "Algorithms",
        journal="Neural Computation",
        volume="26",
        number="1",
        pages="208--235",
        doi="10.1162/NECO_a_00532",
    ),
    _article(
        "dietterich1998approximate",
        "Dietterich",
        "1998",
        author="Dietterich, Thomas G.",
        title="Approximate Statistical Tests for Comparing Supervised Classification Learning Algorithms",
        journal="Neural Computation",
        volume="10",
        number="7",
        pages="1895--1923",
        doi="10.1162/089976698300017197",
    ),
    _article(
        "alpaydin1999combined",
        "Alpaydin",
        "1999",
        author="Alpaydin, Ethem",
        title="Combined $5\\times 2$ cv {F} Test for Comparing Supervised Classification Learning Algorithms",
        journal="Neural Computation",
        volume="11",
        number="8",
        pages="1885--1892",
        doi="10.1162/089976699300016007",
    ),
    _article(
        "welch1947generalization",
        "Welch",
        "1947",
        author="Welch, Bernard L.",
        title="The Generalization of `{S}tudent's' Problem when Several Different Population Variances are Involved",
        journal="Biometrika",
        volume="34",
        number="1--2",
        pages="28--35",
        doi="10.1093/biomet/34.1-2.28",
    ),
    _article(
        "yang2023block",
        "Yang et al.",
        "2023",
        author="Yang, Jing and Wang, Ruibo and Song, Yijun and Li, Jihong",
        title="Block-regularized $5\\times 2$ Cross-validated {McNemar}'s Test for Comparing Two Classification "
        "Algorithms",
        journal="arXiv preprint arXiv:2304.03990",
    ),
    _paper(
        "yeh2000more",
        "Yeh",
        "2000",
        author="Yeh, Alexander",
        title="More Accurate Tests for the Statistical Significance of Result Differences",
        booktitle="{COLING} 2000 Volume 2: The 18th International Conference on Computational Linguistics",
        pages="947--953",
        url="https://aclanthology.org/C00-2137/",
    ),
)


def cited(text: str) -> list[Reference]:
    """Return the works that a text cites, in the order of the table, and this package where it is named.

    Examples
    --------
    >>> [reference.key for reference in cited("a Bayesian bootstrap (Rubin 1981), as in Nadeau & Bengio (2003)")]
    ['rubin1981bayesian', 'nadeau2003inference']
    """
    found = [reference for reference in REFERENCES if reference.pattern.search(text)]
    return [*found, *([_package()] if version() in text else [])]


def bibtex(text: str) -> str:
    """Return the BibTeX entries of the works that a text cites."""
    return "\n\n".join(reference.bibtex for reference in cited(text))


def prose(text: str, form: str = "text") -> str:
    r"""Return a sentence as text, or as LaTeX with ``\cite`` for every work in the table.

    Examples
    --------
    >>> print(prose("by the Bayes test of Wang and Li (2019, ACL, 4135–4145), 95 % intervals", "latex"))
    by the Bayes test of Wang and Li~\cite{wang2019bayes}, 95~\% intervals
    """
    if check_prose(form) == "text":
        return text
    pieces = [(text, "")]
    for reference in cited(text):
        pieces = [part for piece, after in pieces for part in _split(piece, after, reference)]
    return "".join(escape_latex(piece) + after for piece, after in pieces)


def _split(piece: str, after: str, reference: Reference) -> list[tuple[str, str]]:
    """Cut a text behind each place that cites a work, with the command that stands there."""
    found, start = [], 0
    for match in reference.pattern.finditer(piece):
        found.append((piece[start : match.start()] + (match["named"] or ""), rf"~\cite{{{reference.key}}}"))
        start = match.end()
    return [*found, (piece[start:], after)]


def version() -> str:
    """Return the package's name and version."""
    from bayesf1 import __version__

    return f"bayesf1 {__version__}"


def _package() -> Reference:
    fields = {
        "author": "{The bayesf1 developers}",
        "title": "bayesf1: {B}ayesian comparison of precision, recall, {F1} and other measures of a confusion table",
        "note": f"Version {version().removeprefix('bayesf1 ')}",
    }
    return _Package("bayesf1", version(), "2026", "misc", fields)


class _Package(Reference):
    """The package, which sentences name with its version."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(rf"(?P<named>{re.escape(self.names)})")
