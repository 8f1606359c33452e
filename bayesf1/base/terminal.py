"""An answer on a terminal, in colour; the same words as in plain text.

Where the terminal is too narrow for the table, intervals move below their scores and words below each other; where that
does not help, each row is a block of lines, one a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from bayesf1.base.answer import Answer
from bayesf1.base.breaking import broken
from bayesf1.base.table import Table, printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

SURE, UNSURE = "green", "yellow"
# Between two columns.
_GAP = 2


def show(answer: Answer, file: TextIO, *, colour: bool = True) -> None:
    """Print an answer on a terminal; the last cell of a row is green where the row is sure."""
    from rich.console import Console
    from rich.text import Text

    palette: Any = "auto" if colour else None
    console = Console(file=file, highlight=False, color_system=palette)
    first, *rest = (printable(line) for line in answer.below or ("",))
    console.print(Text(printable(answer.title), style="bold"))
    console.print()
    console.print(_laid_out(answer.table, console.width))
    console.print()
    console.print(Text(first))
    for line in rest:
        console.print(Text(line, style="dim"))


def _laid_out(table: Table, width: int) -> RenderableType:
    """Return a table as it fits: as it is, with cells in several lines, or row by row."""
    lines = [[printable(cell) for cell in row] for row in (table.header, *table.rows)]
    for most in (None, 16, 12):
        cells = [["\n".join(broken(cell, most)) for cell in row] for row in lines]
        if _widest(cells) <= width:
            return _grid(cells, table.sure)
    return _row_by_row(lines, table.sure, width)


def _widest(lines: Sequence[Sequence[str]]) -> int:
    from rich.cells import cell_len

    columns = (
        max(cell_len(part) for c in column for part in c.split("\n")) for column in zip(*lines, strict=True)
    )
    return sum(columns) + _GAP * len(lines[0])


def _grid(lines: Sequence[Sequence[str]], sure: Sequence[bool]) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(
        box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    header, *rows = lines
    for name in header:
        grid.add_column(Text(name), no_wrap=True)
    for row, certain in zip(rows, sure or [False] * len(rows), strict=True):
        *cells, last = map(Text, row)
        last.stylize(SURE if certain else UNSURE)
        grid.add_row(*cells, last)
    return grid


def _row_by_row(lines: Sequence[Sequence[str]], sure: Sequence[bool], width: int) -> Text:
    """Return a block for each row: its first cell with the name of that column, then the others, beside or below theirs."""
    from rich.cells import cell_len
    from rich.text import Text

    (what, *names), *rows = lines
    room = max(map(cell_len, names), default=0) + _GAP
    beside = _GAP + room + max((cell_len(cell) for row in rows for cell in row[1:]), default=0) <= width
    found = Text(overflow="fold")
    for i, ((first, *cells), certain) in enumerate(zip(rows, sure or [False] * len(rows), strict=True)):
        found.append(f"{chr(10) * bool(i)}{what} {first}", style="bold")
        for j, (name, cell) in enumerate(zip(names, cells, strict=True), 1):
            parts = [cell] if beside else broken(cell, width - 2 * _GAP)
            before = " " * (room - cell_len(name)) if beside else "\n" + " " * 2 * _GAP
            found.append(f"\n{' ' * _GAP}{name}")
            for part in parts:
                found.append(before)
                found.append(part, style=(SURE if certain else UNSURE) if j == len(cells) else "")
        found.append("\n" if i < len(rows) - 1 else "")
    return found
