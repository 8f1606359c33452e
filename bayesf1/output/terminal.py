"""An answer on a terminal, in colour, with the same words as in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from bayesf1.base.naming import printable
from bayesf1.output.answer import Answer

if TYPE_CHECKING:
    from rich.table import Table as RichTable
    from rich.text import Text


def show(answer: Answer, file: TextIO, *, verbose: bool = False) -> None:
    """Print an answer on a terminal; the last cell of a row is green if the row is sure.

    A table that is too wide has its intervals below their scores; if that does not do, each row is a list of its cells.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, highlight=False)
    console.print(Text(f"{printable(answer.title)}\n", style="bold"))
    lines = [[printable(cell) for cell in row] for row in (answer.table.header, *answer.table.rows)]
    broken = [[cell.replace(" [", "\n[").replace(" (%)", "\n(%)") for cell in row] for row in lines]
    styles = ["green" if sure else "yellow" for sure in answer.table.sure] or ["yellow"] * len(lines)
    grids = (_grid(rows, styles) for rows in (lines, broken))
    unbounded = console.options.update(width=10_000)
    widths = ((grid, console.measure(grid, options=unbounded).maximum) for grid in grids)
    fitting = next((grid for grid, width in widths if width <= console.width), None)
    console.print(_list(lines, styles) if fitting is None else fitting)
    for i, line in enumerate(answer.lines(verbose=verbose)):
        # A signature is one word, to be copied whole.
        whole = line.startswith("bayesf1|")
        text = Text(f"\n{line}" if not i else line, style="dim" if i else "")
        console.print(text, no_wrap=whole, overflow="ignore" if whole else None, crop=not whole)


def _grid(lines: Sequence[Sequence[str]], styles: Sequence[str]) -> RichTable:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    header, *rows = lines
    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in header:
        grid.add_column(Text(name, style="bold"), no_wrap=True)
    for (*cells, last), style in zip(rows, styles, strict=False):
        grid.add_row(*map(Text, cells), Text(last, style=style))
    return grid


def _list(lines: Sequence[Sequence[str]], styles: Sequence[str]) -> Text:
    from rich.text import Text

    (what, *names), *rows = lines
    found = Text(overflow="fold")
    for (first, *cells, last), style in zip(rows, styles, strict=False):
        found.append(f"{what} {first}\n", style="bold")
        found.append("".join(f"  {name}: {cell}\n" for name, cell in zip(names, cells, strict=False)))
        found.append(f"  {names[-1]}: {last}\n", style=style)
    found.rstrip()
    return found
