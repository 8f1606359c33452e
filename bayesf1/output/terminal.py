"""An answer on a terminal, in colour, with the same words as in plain text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from bayesf1.base.naming import printable
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table, display_width

if TYPE_CHECKING:
    from rich.console import RenderableType

SURE, UNSURE = "green", "yellow"


def show(answer: Answer, file: TextIO, *, colour: bool = True, verbose: bool = False) -> None:
    """Print an answer on a terminal; the last cell of a row is green if the row is sure."""
    from rich.console import Console
    from rich.text import Text

    palette: Any = "auto" if colour else None
    console = Console(file=file, highlight=False, color_system=palette)
    console.print(Text(f"{printable(answer.title)}\n", style="bold"))
    for part in _fitted(answer.table, console.width):
        console.print(part)
    for i, line in enumerate(answer.lines(verbose=verbose)):
        # A signature is one word, to be copied whole.
        whole = line.startswith("bayesf1|")
        text = Text(f"\n{line}" if not i else line, style="dim" if i else "")
        console.print(text, no_wrap=whole, overflow="ignore" if whole else None, crop=not whole)


def _fitted(table: Table, width: int) -> Iterator[RenderableType]:
    """Yield a table as it fits: as it is, with intervals below their scores, or each row as a list of its cells."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    lines = [[printable(cell) for cell in row] for row in (table.header, *table.rows)]
    colours = [SURE if certain else UNSURE for certain in table.sure or (False,) * len(table.rows)]

    def fits(lines: list[list[str]]) -> bool:
        columns = zip(*lines, strict=True)
        return width >= sum(
            2 + max(display_width(part) for cell in column for part in cell.split("\n")) for column in columns
        )

    if not fits(lines):
        lines = [[cell.replace(" [", "\n[").replace(" (%)", "\n(%)") for cell in row] for row in lines]
    (what, *names), *rows = lines
    if not fits(lines):
        for (first, *others), colour in zip(rows, colours, strict=True):
            yield Text(f"{what} {first}", style="bold")
            for name, cell in zip(names, others, strict=True):
                line = f"  {name}: {cell}".replace("\n", " ")
                yield Text(line, style=colour if name == names[-1] else "", overflow="fold")
        return
    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in (what, *names):
        grid.add_column(Text(name, style="bold"), no_wrap=True)
    for row, colour in zip(rows, colours, strict=True):
        *cells, last = map(Text, row)
        last.stylize(colour)
        grid.add_row(*cells, last)
    yield grid
