"""An answer on a terminal, in colour; the same words as in plain text."""

from __future__ import annotations

from typing import TextIO

from bayesf1.base.answer import Answer
from bayesf1.base.table import printable

SURE, UNSURE = "green", "yellow"


def show(answer: Answer, file: TextIO) -> None:
    """Print an answer on a terminal; the last cell of a row is green where the row is sure."""
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    table = answer.table
    console = Console(file=file, highlight=False)
    grid = RichTable(
        box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    for name in table.header:
        grid.add_column(Text(printable(name)), no_wrap=True)
    for row, certain in zip(table.rows, table.sure or [False] * len(table.rows), strict=True):
        *cells, last = (Text(printable(cell)) for cell in row)
        last.stylize(SURE if certain else UNSURE)
        grid.add_row(*cells, last)
    first, *rest = (printable(line) for line in answer.below or ("",))
    console.print(Text(printable(answer.title), style="bold"))
    console.print()
    # Cells are never broken: where the terminal is too narrow it wraps whole lines.
    widest = sum(
        max(cell_len(c) for c in column) + 2 for column in zip(table.header, *table.rows, strict=True)
    )
    Console(file=file, highlight=False, width=max(console.width, widest)).print(grid)
    console.print()
    console.print(Text(first))
    for line in rest:
        console.print(Text(line, style="dim"))
