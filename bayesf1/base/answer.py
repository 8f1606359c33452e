"""What a verb found: a title, a table, sentences and numbers, and every form that follows from them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from bayesf1.base.checks import checked
from bayesf1.base.references import bibtex
from bayesf1.base.table import Table

if TYPE_CHECKING:
    import pandas as pd


class Outcome(NamedTuple):
    """What a program that reads tests is told: of what, the condition, whether it holds, and why."""

    group: str
    name: str
    passed: bool
    why: str


class Answer(ABC):
    """A result that is printed, and written as Markdown, LaTeX, HTML, CSV, JSON and a DataFrame.

    A subclass gives `title`, `table`, what is said `below` it, and its numbers: `to_dict`, `records`, or both.

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
    titled: ClassVar[bool] = True
    # Whether the title must stand beside the table in a paper, as the table does not say itself what it is of.
    captioned: ClassVar[bool] = False
    # Whether several are rows of one table, followed by what is said of each; else each has its own.
    stacked: ClassVar[bool] = False
    # Name and version of the JSON document, and of the document that lists several, with the name of the list.
    json_format: ClassVar[str] = ""
    json_list: ClassVar[tuple[str, str] | None] = None
    # Columns of the records that make up the index of a DataFrame, as far as they are there.
    index_names: ClassVar[tuple[str, ...]] = ()

    # ---- what a subclass gives ----------------------------------------------------------------------------

    @property
    @abstractmethod
    def title(self) -> str:
        """What the answer is about."""

    @property
    @abstractmethod
    def table(self) -> Table:
        """The answer as a table."""

    @property
    def below(self) -> Sequence[str]:
        """What is said below the table: the verdict first, then what was assumed."""
        return ()

    @property
    def key(self) -> Mapping[str, str]:
        """Columns that tell the records from those of other answers, where they do not themselves."""
        return {}

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """What is tested: nothing fails unless conditions were set, and the verdict is told."""
        return (Outcome("bayesf1", self.title, True, next(iter(self.below), self.title)),)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        return {"title": self.title, "rows": self.records(), "notes": list(self.below)}

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a dict for each row, all with the same names."""
        return [self.to_dict()]

    # ---- what follows -------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.title)}</p>{self.table.to_html()}{paragraphs(self.below)}"

    def to_text(self) -> str:
        """Return title, table and what is said below it as plain text."""
        head = [self.title, ""] if self.titled else []
        return "\n".join([*head, self.table.to_text(), *(["", *self.below] if self.below else [])])

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return self.table.to_markdown()

    @checked
    def to_latex(
        self,
        *,
        caption: str | None = None,
        label: str | None = None,
        siunitx: bool = False,
        columns: Sequence[str] | None = None,
        width: str | None = None,
    ) -> str:
        """Return the table in LaTeX with booktabs rules; `Table.to_latex` explains the options."""
        return self.table.to_latex(
            caption=caption, label=label, siunitx=siunitx, columns=columns, width=width
        )

    def bibtex(self) -> str:
        """Return BibTeX entries of what the answer, and the sentence on its methods, cites."""
        methods: Any = getattr(self, "methods_sentence", str)
        cells = (cell for row in self.table.rows for cell in row)
        return bibtex("\n".join([*cells, *self.below, methods()]))

    @property
    def numbers(self) -> Table:
        """The full numbers as a table, for a file."""
        return table_of(self.records())

    def to_csv(self) -> str:
        """Return the full numbers as comma-separated values."""
        return self.numbers.to_csv()

    def document(self) -> dict[str, Any]:
        """Return what JSON holds: everything as in `to_dict`, and the name of the format."""
        return {"format": self.json_format, **self.to_dict()}

    def to_json(self) -> str:
        """Return everything as indented JSON, which has no NaN."""
        return as_json(self.document())

    def to_frame(self) -> pd.DataFrame:
        """Return the full numbers as a DataFrame."""
        import pandas as pd

        frame = pd.DataFrame(self.records())
        index = [name for name in self.index_names if name in frame]
        return frame.set_index(index) if index else frame


def paragraphs(lines: Iterable[str]) -> str:
    """Return sentences as paragraphs of HTML."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def as_json(document: Mapping[str, Any]) -> str:
    """Return a document as indented JSON, which has no NaN."""
    return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)


def table_of(records: Sequence[Mapping[str, Any]]) -> Table:
    """Return records with the same names as a table of full numbers.

    Examples
    --------
    >>> table_of([{"n": 1, "p": 0.5}, {"n": 2, "p": None}]).rows
    (('1', '0.5'), ('2', ''))
    """
    rows = (tuple("" if value is None else str(value) for value in record.values()) for record in records)
    return Table(tuple(records[0]), tuple(rows))
