"""The formats that answers are written in: a new one is a function and a row of `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bayesf1.base.answer import Answer, as_json, table_of
from bayesf1.base.table import escape_markdown

# What is written where no format is named.
DEFAULT = "table"


@dataclass(frozen=True)
class Format:
    """How answers of one kind, one or several, become a text without a last line break.

    Attributes
    ----------
    render
        Makes the text.
    ending
        The ending of files in this format; where there is none, it is never guessed from a file's name.
    """

    render: Callable[[Sequence[Answer]], str]
    ending: str | None = None


def _blocks(render: Callable[[Answer], str]) -> Callable[[Sequence[Answer]], str]:
    return lambda answers: "\n\n".join(map(render, answers))


def _json(answers: Sequence[Answer]) -> str:
    listed = answers[0].json_list
    if listed is None:
        (answer,) = answers
        return answer.to_json()
    name, key = listed
    return as_json({"format": name, key: [answer.to_dict() for answer in answers]})


def _csv(answers: Sequence[Answer]) -> str:
    records = [{**answer.key, **record} for answer in answers for record in answer.records()]
    return table_of(records).to_csv().rstrip("\n") + answers[0].csv_end


def _markdown(answer: Answer) -> str:
    caption = f"{escape_markdown(answer.caption)}\n\n" if answer.caption else ""
    return caption + answer.to_markdown()


FORMATS = {
    DEFAULT: Format(_blocks(lambda answer: answer.to_text())),
    "json": Format(_json, ".json"),
    "csv": Format(_csv, ".csv"),
    "markdown": Format(_blocks(_markdown), ".md"),
    "latex": Format(_blocks(lambda answer: answer.to_latex(caption=answer.caption)), ".tex"),
}


def format_of(suffix: str) -> str:
    """Return the format that the ending of a file's name says.

    Examples
    --------
    >>> format_of(".tex"), format_of(".txt")
    ('latex', 'table')
    """
    return next((name for name, form in FORMATS.items() if form.ending == suffix.lower()), DEFAULT)
