"""An answer on a terminal: its table as wide as there is room, with bars or as a list, and its sentences wrapped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from bayesf1.base.naming import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

    from bayesf1.output.answer import Answer
    from bayesf1.output.table import Table

# The widths of drawn intervals, in characters; the first that fits is taken.
_BAR_WIDTHS = (24, 12)
# Wider than any table, in characters.
_UNBOUNDED = 10_000
# The last cell of a row that is sure, and of one that is not.
_STYLES = {True: "green", False: "yellow"}


def show(answer: Answer, file: TextIO, *, verbose: bool = False) -> None:
    """Print an answer on a terminal; the last cell of a row is green if the row is sure.

    If there is room, intervals are drawn as bars. A table that is too wide has its intervals below their scores; if it is
    still too wide, each row becomes a list of its cells.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, highlight=False)
    console.print(Text(f"{printable(answer.title)}\n", style="bold"))
    for grid in _fitted(answer.table, console):
        console.print(grid)
    signatures = {printable(signature) for signature in answer.signatures}
    for i, line in enumerate(answer.lines(verbose=verbose)):
        if i == 0:
            # The verdict is brighter than the lines that follow it.
            console.print()
            console.print(Text(line))
        elif line in signatures:
            # A signature is one word, to be copied whole.
            console.print(Text(line, style="dim"), no_wrap=True, overflow="ignore", crop=False)
        else:
            console.print(Text(line, style="dim"))


def _fitted(table: Table, console: Console) -> list[RichTable]:
    """Return the first form of a table that fits on a terminal, or a list of its cells for each row."""
    lines = [[printable(cell) for cell in row] for row in (table.header, *table.rows)]
    sure = table.sure if table.sure else [False for _ in table.rows]
    styles = [_STYLES[is_sure] for is_sure in sure]
    forms = []
    if table.bars and console.encoding.startswith("utf") and not console.is_dumb_terminal:
        forms += [_with_bars(lines, table, width) for width in _BAR_WIDTHS]
    forms += [lines, [[_broken(cell) for cell in row] for row in lines]]
    unbounded = console.options.update(width=_UNBOUNDED)
    for form in forms:
        grid = _grid(form, styles)
        if console.measure(grid, options=unbounded).maximum <= console.width:
            return [grid]
    header, *rows = lines
    return [_as_list(header, row, style) for row, style in zip(rows, styles, strict=True)]


def _with_bars(lines: Sequence[Sequence[str]], table: Table, width: int) -> list[list[str]]:
    """Return the lines of a table with a further column, in which intervals are drawn."""
    place = table.bars_after
    column = ["", *bars(table.bars, width)]
    return [[*row[:place], bar, *row[place:]] for row, bar in zip(lines, column, strict=True)]


def _broken(cell: str) -> str:
    """Return a cell with its interval, or its unit, in a second line."""
    return cell.replace(" [", "\n[").replace(" (%)", "\n(%)")


def bars(intervals: Sequence[tuple[float, float, float]], width: int) -> list[str]:
    """Draw intervals (low, point, high) as lines of characters on one scale, with a mark at 0 if the scale includes it.

    Examples
    --------
    >>> bars([(-1.0, 1.0, 3.0), (2.0, 3.0, 4.0)], 11)
    ['──┼─●────  ', '  │   ──●──']
    """
    ends = [end for interval in intervals for end in interval if math.isfinite(end)]
    low = min(ends, default=0.0)
    high = max(ends, default=0.0)
    span = high - low

    def place(x: float) -> int:
        if span == 0.0:
            return 0
        return round((x - low) / span * (width - 1))

    drawn = []
    for first, point, last in intervals:
        bounded = math.isfinite(first + point + last)
        cells = [" " for _ in range(width)]
        if bounded:
            line = slice(place(first), place(last) + 1)
            cells[line] = ["─" for _ in cells[line]]
        if low < 0.0 < high:
            zero = place(0.0)
            cells[zero] = "│" if cells[zero] == " " else "┼"
        if bounded:
            cells[place(point)] = "●"
        drawn.append("".join(cells))
    return drawn


def _grid(lines: Sequence[Sequence[str]], styles: Sequence[str], *, wrap: bool = False) -> RichTable:
    """Return a header and rows as rich lays them out; the last cell of each row has the row's style."""
    from rich import box, table, text

    header, *rows = lines
    grid = table.Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in header:
        grid.add_column(text.Text(name, style="bold"), no_wrap=not wrap, overflow="fold")
    for row, style in zip(rows, styles, strict=True):
        *cells, last = row
        grid.add_row(*map(text.Text, cells), text.Text(last, style=style))
    return grid


def _as_list(header: Sequence[str], row: Sequence[str], style: str) -> RichTable:
    """Return a row as a list of its cells, each after the name of its column; the first pair is the head of the list."""
    lines = list(zip(header, row, strict=True))
    styles = ["" for _ in lines[1:]]
    styles[-1] = style
    return _grid(lines, styles, wrap=True)
