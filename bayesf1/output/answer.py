"""What a verb found: a title, a table, sentences and numbers, and every format that follows from them."""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from bayesf1.base.checks import Checked
from bayesf1.base.naming import cleaned, joined, printable
from bayesf1.output.table import Table, escape_markdown, table_of
from bayesf1.output.words.citations import bibtex

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.table import Table as RichTable

# How many characters bars on a terminal have, the best first.
_BARS = (24, 12)
# The formats that answers are written in, and the endings of files in them; plain text has several.
DEFAULT = "table"
FORMATS = {DEFAULT: ".txt", "json": ".json", "csv": ".csv", "markdown": ".md", "latex": ".tex"}


class Answer(Checked, ABC):
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
    titled: bool = True
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
    def verdicts(self) -> Sequence[str]:
        """What may be claimed, a sentence each."""
        return ()

    @property
    def explained(self) -> Sequence[str]:
        """What the words mean, and what limits the conclusion."""
        return ()

    @property
    def notes(self) -> Sequence[str]:
        """What limits the conclusion, in sentences."""
        return ()

    @property
    def below(self) -> Sequence[str]:
        """What is said below the table: the verdicts first."""
        return [*self.verdicts, *self.explained]

    @property
    def more(self) -> Sequence[str]:
        """What `details` adds: how the answer was computed."""
        return ()

    @property
    def key(self) -> Mapping[str, str]:
        """Columns that tell the records from those of other answers, if their own do not."""
        return {}

    def signature(self) -> str:
        """Return in one line what is needed to get the answer again; nothing if it has none."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        return {"title": self.title, "rows": self.records(), "notes": list(self.below)}

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a dict for each row, all with the same names."""
        return [self.to_dict()]

    # ---- what follows -------------------------------------------------------------------------------------

    def lines(self, *, verbose: bool = False) -> list[str]:
        """Return what stands below the table, a cleaned line each, the signature last."""
        lines = (*self.below, *(self.more if verbose else ()), self.signature())
        return [printable(line) for line in lines if line]

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {printable(self.title)}>"

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{escape(line)}</p>" for line in self.lines())
        return f"<p>{escape(printable(self.title))}</p>{self.table.to_html()}{lines}"

    def to_text(self, *, verbose: bool = False) -> str:
        """Return title, table and what is said below it as plain text; `verbose` adds how it was computed."""
        head, lines = [printable(self.title), ""] if self.titled else [], self.lines(verbose=verbose)
        return "\n".join([*head, self.table.to_text(), *(["", *lines] if lines else [])])

    def details(self) -> str:
        """Return the text with all that a reviewer asks for: prior, draws and seed, and how it was computed."""
        return self.to_text(verbose=True)

    def to_markdown(self) -> str:
        """Return title, table and what is said below it in Markdown."""
        title, *lines = map(escape_markdown, (self.title, *self.lines()))
        return "\n\n".join([title, self.table.to_markdown(), *lines])

    def to_latex(
        self, *, caption: str | None = None, label: str | None = None, columns: Sequence[str] | None = None
    ) -> str:
        """Return the table in LaTeX with booktabs rules; `Table.to_latex` explains the options."""
        # Below the rows stand what words mean and what limits the conclusion, but not the verdict.
        limits = tuple(dict.fromkeys((*self.explained, *self.notes)))
        body = self.table.to_latex(caption=caption, label=label, columns=columns, limits=limits)
        comments = [f"% {printable(line)}" for line in (self.title, self.signature()) if line]
        return "\n".join([*comments, body])

    def bibtex(self) -> str:
        """Return BibTeX entries of what the answer, and the sentence on its methods, cites."""
        return bibtex("\n".join([str(self.table), *self.below, *self.more]))

    def to_csv(self) -> str:
        """Return the full numbers as comma-separated values."""
        return table_of(self.records()).to_csv()

    def document(self) -> dict[str, Any]:
        """Return what JSON holds: everything as in `to_dict`, the name of the format and the signature."""
        signed = {"signature": self.signature()} if self.signature() else {}
        return {"format": self.json_format, **self.to_dict(), **signed}

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
class _Shown(Answer):
    """One of several answers without what others say as well, or all of them as rows of one table."""

    title: str = ""
    table: Any = None
    explained: Sequence[str] = ()
    more: Sequence[str] = ()
    titled: bool = True


def together(answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return answers of one kind as they are shown: as rows of one table, or each by itself."""
    if not answers[0].stacked:
        return _without_repeats(answers) if len(answers) > 1 else answers
    tables = [answer.table for answer in answers]
    rows, sure = tuple(row for t in tables for row in t.rows), tuple(one for t in tables for one in t.sure)
    lines = [line for answer in answers for line in answer.below]
    lines += dict.fromkeys(answer.signature() for answer in answers)
    more = [line for answer in answers for line in answer.more]
    return [_Shown(answers[0].title, Table(tables[0].header, rows, sure=sure), lines, more, titled=False)]


def _without_repeats(answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return answers of which the last one says what several have in common, and of which ones."""
    whose: dict[str, list[str]] = {}
    for answer in answers:
        # A verdict stands below its own table.
        for line in dict.fromkeys(answer.explained):
            whose.setdefault(line, []).append(answer.title.partition(", with ")[0])
    whose = {line: which for line, which in whose.items() if len(which) > 1}
    one_signature = len({answer.signature() for answer in answers}) == 1
    parts = []
    for answer in answers:
        signed = [] if one_signature else [answer.signature()]
        parts.append([*(line for line in answer.below if line not in whose), *signed])
    for line, which in whose.items():
        everywhere = len(which) == len(answers)
        parts[-1].append(f"{line} ({f'all {len(answers)} tables' if everywhere else ', '.join(which)})")
    parts[-1] += [answers[0].signature()] * one_signature
    return [_Shown(one.title, one.table, lines, one.more) for one, lines in zip(answers, parts, strict=True)]


def written(answers: Sequence[Answer], form: str, *, verbose: bool = False) -> str:
    """Return answers of one kind as a text in one of the `FORMATS`, without a last line break."""
    if form == "json":
        if answers[0].json_list is None:
            return answers[0].to_json()
        name, several = answers[0].json_list
        return as_json({"format": name, several: [answer.document() for answer in answers]})
    if form == "csv":
        records = [{**answer.key, **record} for answer in answers for record in answer.records()]
        return table_of(records).to_csv().rstrip("\n")
    render = {DEFAULT: "details" if verbose else "to_text"}.get(form, f"to_{form}")
    # Tables in LaTeX are moved one by one.
    shown = answers if form == "latex" and not answers[0].stacked else together(answers)
    return "\n\n".join(getattr(answer, render)() for answer in shown)


def as_json(document: Mapping[str, Any]) -> str:
    """Return a document as indented JSON, which has no NaN, and no character that a terminal would obey."""
    text = json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)
    return re.sub(r"[^\n -~\w]", lambda c: c[0] if c[0].isprintable() else json.dumps(c[0])[1:-1], text)


def format_of(path: str) -> str:
    """Return the format that the ending of a file's name says, or say which endings there are.

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


# ---- on a terminal -----------------------------------------------------------------------------------------


def show(answer: Answer, file: TextIO, *, verbose: bool = False) -> None:
    """Print an answer on a terminal; the last cell of a row is green if the row is sure.

    If there is room, intervals are drawn as bars. A table that is too wide has its intervals below their scores; if that
    does not do, each row is a list of its cells.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, highlight=False)
    console.print(Text(f"{printable(answer.title)}\n", style="bold"))
    for grid in _fitted(answer.table, console):
        console.print(grid)
    for i, line in enumerate(answer.lines(verbose=verbose)):
        # A signature is one word, to be copied whole.
        whole = line.startswith("bayesf1|")
        text = Text(f"\n{line}" if not i else line, style="dim" if i else "")
        console.print(text, no_wrap=whole, overflow="ignore" if whole else None, crop=not whole)


def _fitted(table: Table, console: Console) -> list[RichTable]:
    """Return the first form of a table that fits on a terminal, or a list of its cells for each row."""
    lines = [[printable(cell) for cell in row] for row in (table.header, *table.rows)]
    broken = [[cell.replace(" [", "\n[").replace(" (%)", "\n(%)") for cell in row] for row in lines]
    forms, place = [lines, broken], table.bars_after
    if table.bars and console.encoding.startswith("utf") and not console.is_dumb_terminal:
        drawn = (zip(lines, ["", *bars(table.bars, width)], strict=True) for width in _BARS)
        forms = [[[*row[:place], bar, *row[place:]] for row, bar in rows] for rows in drawn] + forms
    styles = ["green" if sure else "yellow" for sure in table.sure] or ["yellow"] * len(lines)
    unbounded = console.options.update(width=10_000)
    for grid in (_grid(rows, styles) for rows in forms):
        if console.measure(grid, options=unbounded).maximum <= console.width:
            return [grid]
    by_cell = [list(zip(lines[0], row, strict=True)) for row in lines[1:]]
    last = [""] * (len(lines[0]) - 2)
    return [_grid(pairs, [*last, style], wrap=True) for pairs, style in zip(by_cell, styles, strict=False)]


def bars(intervals: Sequence[tuple[float, float, float]], width: int) -> list[str]:
    """Draw intervals (low, point, high) as lines of characters on one scale, with a mark at 0 if some hold it.

    Examples
    --------
    >>> bars([(-1.0, 1.0, 3.0), (2.0, 3.0, 4.0)], 11)
    ['──┼─●────  ', '  │   ──●──']
    """
    known = [end for interval in intervals for end in interval if math.isfinite(end)]
    low, high = min(known, default=0.0), max(known, default=0.0)

    def place(x: float) -> int:
        return round((x - low) / ((high - low) or 1.0) * (width - 1))

    drawn = []
    for first, point, last in intervals:
        cells = [" "] * width
        if math.isfinite(first + point + last):
            cells[place(first) : place(last) + 1] = "─" * (place(last) - place(first) + 1)
        if low < 0.0 < high:
            cells[place(0.0)] = "│" if cells[place(0.0)] == " " else "┼"
        if math.isfinite(first + point + last):
            cells[place(point)] = "●"
        drawn.append("".join(cells))
    return drawn


def _grid(lines: Sequence[Sequence[str]], styles: Sequence[str], *, wrap: bool = False) -> RichTable:
    from rich import box, table, text

    header, *rows = lines
    grid = table.Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in header:
        grid.add_column(text.Text(name, style="bold"), no_wrap=not wrap, overflow="fold")
    for (*cells, last), style in zip(rows, styles, strict=False):
        grid.add_row(*map(text.Text, cells), text.Text(last, style=style))
    return grid
