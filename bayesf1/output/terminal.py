"""An answer on a terminal, in colour, with the same words as in plain text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from bayesf1.base.naming import printable
from bayesf1.output.answer import Answer

if TYPE_CHECKING:
    from rich.table import Table as RichTable

# How many characters bars have, the best first.
_BARS = (24, 12)


def show(answer: Answer, file: TextIO, *, verbose: bool = False) -> None:
    """Print an answer on a terminal; the last cell of a row is green if the row is sure.

    If there is room, intervals are drawn as bars. A table that is too wide has its intervals below their scores; if that
    does not do, each row is a list of its cells.
    """
    from rich.console import Console
    from rich.text import Text

    console, table = Console(file=file, highlight=False), answer.table
    console.print(Text(f"{printable(answer.title)}\n", style="bold"))
    lines = [[printable(cell) for cell in row] for row in (table.header, *table.rows)]
    broken = [[cell.replace(" [", "\n[").replace(" (%)", "\n(%)") for cell in row] for row in lines]
    forms, place = [lines, broken], table.bars_after
    if table.bars and console.encoding.startswith("utf") and not console.is_dumb_terminal:
        drawn = (zip(lines, ["", *bars(table.bars, width)], strict=True) for width in _BARS)
        forms = [[[*row[:place], bar, *row[place:]] for row, bar in rows] for rows in drawn] + forms
    styles = ["green" if sure else "yellow" for sure in table.sure] or ["yellow"] * len(lines)
    grids = (_grid(rows, styles) for rows in forms)
    unbounded = console.options.update(width=10_000)
    widths = ((grid, console.measure(grid, options=unbounded).maximum) for grid in grids)
    fitting = next((grid for grid, width in widths if width <= console.width), None)
    if fitting is not None:
        console.print(fitting)
    for row, style in zip(lines[1:] if fitting is None else [], styles, strict=False):
        pairs = list(zip(lines[0], row, strict=True))
        console.print(_grid(pairs, [*[""] * (len(row) - 2), style], wrap=True))
    for i, line in enumerate(answer.lines(verbose=verbose)):
        # A signature is one word, to be copied whole.
        whole = line.startswith("bayesf1|")
        text = Text(f"\n{line}" if not i else line, style="dim" if i else "")
        console.print(text, no_wrap=whole, overflow="ignore" if whole else None, crop=not whole)


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
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    header, *rows = lines
    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in header:
        grid.add_column(Text(name, style="bold"), no_wrap=not wrap, overflow="fold")
    for (*cells, last), style in zip(rows, styles, strict=False):
        grid.add_row(*map(Text, cells), Text(last, style=style))
    return grid
