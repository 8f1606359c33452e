"""The formats that answers are written in: a new one is a function and a row of `FORMATS`.

========  ===========================================================================================
table     table, verdict and assumptions as plain text, a block for each answer
json      ``to_dict()`` of an answer with the name of its format; several answers of one kind are a list
          in a document of its own, such as ``{"format": "bayesf1.pairs/1", "pairs": [...]}``, which is
          a list also where there is one; with conditions, "gate" tells which hold
csv       full numbers, the records of all answers under one header
markdown  a table for each answer
latex     a tabular with booktabs rules for each answer
junit     a report of tests in JUnit's XML: which conditions hold, and the verdict where none was set
github    the same as annotations of GitHub's workflows, a line each
========  ===========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bayesf1.base.answer import Answer, as_json, table_of
from bayesf1.base.naming import joined
from bayesf1.base.outcome_formats import github, junit
from bayesf1.base.table import Table, escape_markdown, stack

# What is written where no format is named.
DEFAULT = "table"


@dataclass(frozen=True)
class Format:
    """How answers of one kind, one or several, become a text without a last line break.

    The `ending` is that of files in this format; where there is none, it is never guessed from a file's name.
    """

    render: Callable[[Sequence[Answer]], str]
    ending: str | None = None


@dataclass(frozen=True)
class _Stack(Answer):
    """Several answers as rows of one table."""

    titled = False

    answers: Sequence[Answer]

    @property
    def title(self) -> str:
        return self.answers[0].title

    @property
    def table(self) -> Table:
        return stack([answer.table for answer in self.answers])

    @property
    def below(self) -> Sequence[str]:
        return [line for answer in self.answers for line in answer.below]

    def records(self) -> list[dict[str, Any]]:
        return [record for answer in self.answers for record in answer.records()]


def together(answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return answers of one kind as they are shown: as rows of one table, or each by itself."""
    return [_Stack(answers)] if answers[0].stacked else answers


def _blocks(render: Callable[[Answer], str]) -> Callable[[Sequence[Answer]], str]:
    return lambda answers: "\n\n".join(map(render, together(answers)))


def json_document(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return what JSON holds of answers of one kind."""
    listed = answers[0].json_list
    if listed is None:
        (answer,) = answers
        return answer.document()
    name, key = listed
    return {"format": name, key: [answer.to_dict() for answer in answers]}


def _csv(answers: Sequence[Answer]) -> str:
    records = [{**answer.key, **record} for answer in answers for record in answer.records()]
    return table_of(records).to_csv().rstrip("\n")


def _markdown(answer: Answer) -> str:
    caption = f"{escape_markdown(answer.title)}\n\n" if answer.captioned else ""
    return caption + answer.to_markdown()


FORMATS = {
    DEFAULT: Format(_blocks(lambda answer: answer.to_text())),
    "json": Format(lambda answers: as_json(json_document(answers)), ".json"),
    "csv": Format(_csv, ".csv"),
    "markdown": Format(_blocks(_markdown), ".md"),
    "latex": Format(_blocks(lambda a: a.to_latex(caption=a.title if a.captioned else None)), ".tex"),
    "junit": Format(junit, ".xml"),
    "github": Format(github),
}
# Those that tell which conditions hold, and nothing else of the answers.
OF_OUTCOMES = ("junit", "github")


# Endings of plain text, in which a table is written.
_TEXT = ("", ".txt", ".text", ".log")


def format_of(suffix: str) -> str:
    """Return the format that the ending of a file's name says, or say which endings there are.

    Examples
    --------
    >>> format_of(".tex"), format_of(".txt")
    ('latex', 'table')
    """
    endings = {form.ending: name for name, form in FORMATS.items() if form.ending}
    endings |= dict.fromkeys(_TEXT, DEFAULT)
    if suffix.lower() not in endings:
        known = joined(
            f"{ending} ({name})" for ending, name in endings.items() if ending not in ("", *_TEXT[2:])
        )
        raise ValueError(
            f"there is no format with the ending {suffix}, only {known}; choose one, or name a format"
        )
    return endings[suffix.lower()]
