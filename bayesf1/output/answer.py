"""Answers of verbs: a title, a table, sentences and numbers, and every format that follows from them."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bayesf1.base.checks import Checked
from bayesf1.base.naming import Aside, cleaned, joined, printable
from bayesf1.output.table import Table, escape_markdown, table_of
from bayesf1.output.words.citations import bibtex

if TYPE_CHECKING:
    import pandas as pd

# The formats that answers are written in, and the endings of files in them; plain text has several.
DEFAULT = "table"
FORMATS = {DEFAULT: ".txt", "json": ".json", "csv": ".csv", "markdown": ".md", "latex": ".tex"}


class Answer(Checked, ABC):
    """A result that is printed, and written as Markdown, LaTeX, HTML, CSV, JSON and a DataFrame.

    A subclass gives `title`, `table`, the sentences `below` it, and its numbers: `to_dict`, `records`, or both.

    Examples
    --------
    >>> class Sum(Answer):
    ...     title, table = "A sum", Table(("a", "b", "a + b"), (("1", "2", "3"),))
    ...     below = ("It is odd.",)
    ...     def to_dict(self):
    ...         return {"a": 1, "b": 2, "sum": 3}
    >>> print(Sum())
    A sum
    <BLANKLINE>
    a  b  a + b
    ─  ─  ─────
    1  2  3
    <BLANKLINE>
    It is odd.
    >>> print(Sum().to_csv())
    a,b,sum
    1,2,3
    <BLANKLINE>
    """

    __slots__ = ()

    # Whether plain text begins with the title; a terminal and HTML always do.
    titled: bool = True
    # Whether several answers are printed as rows of one table, with all sentences below it; otherwise each has its own table.
    stacked: ClassVar[bool] = False
    # Name and version of the JSON document, and of the document that lists several, with the name of the list.
    json_format: ClassVar[str] = ""
    json_list: ClassVar[tuple[str, str] | None] = None
    # Columns of the records that become the index of a DataFrame, if they exist.
    index_names: ClassVar[tuple[str, ...]] = ()

    # ---- what a subclass gives ----------------------------------------------------------------------------

    @property
    @abstractmethod
    def title(self) -> str:
        """A title that says what the answer is about."""

    @property
    @abstractmethod
    def table(self) -> Table:
        """The answer as a table."""

    @property
    def subject(self) -> str:
        """A short title that distinguishes the answer from others of its kind, such as the names of the models."""
        return self.title

    @property
    def verdicts(self) -> Sequence[str]:
        """The claims that the data support, a sentence each."""
        return ()

    @property
    def explained(self) -> Sequence[str]:
        """The meanings of words in the answer, and the limits of the conclusion."""
        return ()

    @property
    def notes(self) -> Sequence[str]:
        """The limits of the conclusion, in sentences."""
        return ()

    @property
    def below(self) -> Sequence[str]:
        """The sentences below the table, the verdicts first."""
        return [*self.verdicts, *self.explained]

    @property
    def more(self) -> Sequence[str]:
        """The sentences that `details` adds, on how the answer was computed."""
        return ()

    @property
    def key(self) -> Mapping[str, str]:
        """Further columns of the records, if the records do not show to which answer they belong."""
        return {}

    def signature(self) -> str:
        """Return in one line what is needed to reproduce the answer; "" if there is no such line."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        return {"title": self.title, "rows": self.records(), "notes": list(self.below)}

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a dict for each row, all with the same names."""
        return [self.to_dict()]

    # ---- what follows -------------------------------------------------------------------------------------

    @property
    def signatures(self) -> Sequence[str]:
        """The signature, or those of several answers that are printed as one."""
        return (self.signature(),)

    def lines(self, *, verbose: bool = False) -> list[str]:
        """Return the lines below the table, cleaned for print, the signature last."""
        lines = [*self.below]
        if verbose:
            lines += self.more
        lines += self.signatures
        return [printable(line) for line in lines if line]

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {printable(self.title)}>"

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{escape(line)}</p>" for line in self.lines())
        return f"<p>{escape(printable(self.title))}</p>{self.table.to_html()}{lines}"

    def to_text(self, *, verbose: bool = False) -> str:
        """Return title, table and the sentences below it as plain text; `verbose` adds how it was computed."""
        parts = [self.table.to_text()]
        if self.titled:
            parts.insert(0, printable(self.title))
        lines = self.lines(verbose=verbose)
        if lines:
            parts.append("\n".join(lines))
        return "\n\n".join(parts)

    def details(self) -> str:
        """Return the text with all that a reviewer asks for: prior, draws and seed, and how it was computed."""
        return self.to_text(verbose=True)

    def to_markdown(self) -> str:
        """Return title, table and the sentences below it in Markdown."""
        title, *lines = map(escape_markdown, (self.title, *self.lines()))
        return "\n\n".join([title, self.table.to_markdown(), *lines])

    def to_latex(
        self, *, caption: str | None = None, label: str | None = None, columns: Sequence[str] | None = None
    ) -> str:
        """Return the table in LaTeX with booktabs rules; `Table.to_latex` explains the options."""
        # Below the rows come the meanings of words and the limits of the conclusion, but not the verdict.
        lines = dict.fromkeys((*self.explained, *self.notes))
        limits = [line for line in lines if not isinstance(line, Aside)]
        asides = [line for line in lines if isinstance(line, Aside)]
        body = self.table.to_latex(caption=caption, label=label, columns=columns, limits=limits)
        comments = [f"% {printable(line)}" for line in (self.title, *asides, self.signature()) if line]
        return "\n".join([*comments, body])

    def bibtex(self) -> str:
        """Return BibTeX entries of the works that the answer, and the sentence on its methods, cites."""
        return bibtex("\n".join([str(self.table), *self.below, *self.more]))

    def to_csv(self) -> str:
        """Return the full numbers as comma-separated values."""
        return table_of(self.records()).to_csv()

    def document(self) -> dict[str, Any]:
        """Return the content of the JSON: everything in `to_dict`, the name of the format and the signature."""
        document = {"format": self.json_format, **self.to_dict()}
        signature = self.signature()
        if signature:
            document["signature"] = signature
        return document

    def to_json(self) -> str:
        """Return everything as indented JSON, which has no NaN."""
        return as_json(self.document())

    def to_frame(self) -> pd.DataFrame:
        """Return the full numbers as a DataFrame."""
        import pandas as pd

        frame = pd.DataFrame([{cleaned(k): cleaned(v) for k, v in row.items()} for row in self.records()])
        index = [name for name in self.index_names if name in frame]
        return frame.set_index(index) if index else frame


@dataclass(frozen=True)
class _Printed(Answer):
    """The printed form of one answer among others, or of several answers as rows of one table."""

    title: str = ""
    table: Any = None
    explained: Sequence[str] = ()
    more: Sequence[str] = ()
    signatures: Sequence[str] = ()
    titled: bool = True


def together(answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return answers of one kind as they are printed: as rows of one table, or each by itself."""
    if answers[0].stacked:
        return [_stacked(answers)]
    if len(answers) == 1:
        return answers
    return _without_repeats(answers)


def _stacked(answers: Sequence[Answer]) -> Answer:
    """Return several answers as rows of one table, with the sentences of all below it."""
    tables = [answer.table for answer in answers]
    rows = tuple(row for table in tables for row in table.rows)
    sure = tuple(one for table in tables for one in table.sure)
    verdicts = [line for answer in answers for line in answer.verdicts]
    explained = dict.fromkeys(line for answer in answers for line in answer.explained)
    return _Printed(
        title=answers[0].title,
        table=Table(tables[0].header, rows, sure=sure),
        explained=[*verdicts, *explained],
        more=[line for answer in answers for line in answer.more],
        signatures=[*dict.fromkeys(answer.signature() for answer in answers)],
        titled=False,
    )


def _without_repeats(answers: Sequence[Answer]) -> Sequence[Answer]:
    """Move sentences that several answers share to the last answer, each with the subjects that it holds for."""
    subjects: dict[str, list[str]] = {}
    for answer in answers:
        # A verdict stays below its own table.
        for line in dict.fromkeys(answer.explained):
            subjects.setdefault(line, []).append(answer.subject)
    repeated = {line: names for line, names in subjects.items() if len(names) > 1}
    below = [[line for line in answer.below if line not in repeated] for answer in answers]
    for line, names in repeated.items():
        whose = f"all {len(answers)} tables" if len(names) == len(answers) else ", ".join(names)
        below[-1].append(f"{line} ({whose})")
    signatures = [[answer.signature()] for answer in answers]
    if all(signed == signatures[0] for signed in signatures):
        signatures[:-1] = [[] for _ in answers[:-1]]
    return [
        _Printed(title=answer.title, table=answer.table, explained=lines, more=answer.more, signatures=signed)
        for answer, lines, signed in zip(answers, below, signatures, strict=True)
    ]


def written(answers: Sequence[Answer], form: str, *, verbose: bool = False) -> str:
    """Return answers of one kind as a text in one of the `FORMATS`, without a last line break."""
    match form:
        case "json":
            return _json_of(answers)
        case "csv":
            records = [{**answer.key, **record} for answer in answers for record in answer.records()]
            return table_of(records).to_csv().rstrip("\n")
        case "markdown":
            texts = [answer.to_markdown() for answer in together(answers)]
        case "latex":
            # A paper takes tables one by one, so each has all of its sentences.
            shown = together(answers) if answers[0].stacked else answers
            texts = [answer.to_latex() for answer in shown]
        case _:
            texts = [answer.to_text(verbose=verbose) for answer in together(answers)]
    return "\n\n".join(texts)


def _json_of(answers: Sequence[Answer]) -> str:
    """Return an answer as JSON, or the document that lists several."""
    if answers[0].json_list is None:
        return answers[0].to_json()
    name, several = answers[0].json_list
    return as_json({"format": name, several: [answer.document() for answer in answers]})


def as_json(document: Mapping[str, Any]) -> str:
    """Return a document as indented JSON, which has no NaN, and no character that a terminal would obey."""
    text = json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)
    # Printable ASCII and letters, which make up nearly all text, need no test.
    return re.sub(r"[^\n -~\w]", _escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """Return a character of a JSON text as it is if it can be printed, and otherwise as its escape sequence."""
    character = found[0]
    if character.isprintable():
        return character
    return json.dumps(character).strip('"')


def format_of(path: str) -> str:
    """Return the format for the ending of a file's name, or raise a ValueError that lists the endings.

    Examples
    --------
    >>> format_of("table.tex"), format_of("run.log")
    ('latex', 'table')
    """
    suffix = Path(path).suffix
    endings = {ending: name for name, ending in FORMATS.items()}
    known = {**endings, "": DEFAULT, ".text": DEFAULT, ".log": DEFAULT}
    if suffix.lower() not in known:
        remedy = f"end it with {joined(endings, 'or')}, or name a format with --format"
        raise ValueError(f"cannot write to {path}: no format has the ending {suffix}; {remedy}")
    return known[suffix.lower()]
