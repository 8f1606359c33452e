"""A table and its text on a terminal, in colour; the same words as in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from bayesf1.base.table import Table, printable

SURE, UNSURE = "green", "yellow"


def show(title: str, table: Table, below: Sequence[str], *, sure: Sequence[bool], file: TextIO) -> None:
    """Print a title, a table and sentences that follow it.

    Parameters
    ----------
    title, table, below
        What to print.
    sure
        For each row whether its last cell is beyond reasonable doubt, and so green.
    file
        The terminal.
    """
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(file=file, highlight=False)
    grid = RichTable(
        box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    for name in table.header:
        grid.add_column(Text(printable(name)), no_wrap=True)
    for row, certain in zip(table.rows, sure, strict=True):
        *cells, last = (Text(printable(cell)) for cell in row)
        last.stylize(SURE if certain else UNSURE)
        grid.add_row(*cells, last)
    first, *rest = (Text(printable(line)) for line in below)
    console.print(Text(printable(title), style="bold"))
    console.print()
    # Cells are never broken: where the terminal is too narrow it wraps whole lines.
    widest = sum(
        max(cell_len(c) for c in column) + 2 for column in zip(table.header, *table.rows, strict=True)
    )
    Console(file=file, highlight=False, width=max(console.width, widest)).print(grid)
    console.print()
    console.print(first)
    for line in rest:
        line.stylize("dim")
        console.print(line)
