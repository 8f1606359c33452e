"""How figures are set for print: column widths, legible type, colours that survive grey."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.checks import is_number
from bayesf1.base.naming import shown
from bayesf1.base.table import escape_latex, printable
from bayesf1.report.plot_files import paper_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    AxesLike: TypeAlias = Axes | Sequence[Axes] | NDArray[np.object_]

AxesArray: TypeAlias = NDArray[np.object_]

# One column and the whole width of a page of an ACL paper, 219 and 455 points, in inches.
COLUMN, PAGE = 3.03, 6.3

# Told apart by people with any colour vision, and in grey: lightness (CIE L*) rises in steps of at least 9.
COLOURS = ("#0b4f9b", "#dd6b1a", "#0c0c0c", "#62b0e8", "#5b0f45", "#f2c14e", "#15806b")
# As many markers as share no factor with the colours, so that the pairs of both repeat late.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
SHADE, RULE = "#d9d9d9", "#6b6b6b"
# Round numbers for ticks.
STEPS = [1, 2, 2.5, 5, 10]

# Names of models and classes are plain text: no dollar sign in them starts a formula.
PLAIN: dict[str, Any] = {"parse_math": False}

_TICKS = {"labelsize": 7.0, "major.width": 0.6, "major.size": 2.5}
_GROUPS: dict[str, dict[str, Any]] = {
    "font": {"size": 8.0},
    "axes": {"labelsize": 8.0, "titlesize": 8.0, "linewidth": 0.6, "grid": False},
    "axes.spines": {"top": False, "right": False},
    "xtick": _TICKS,
    "ytick": _TICKS,
    "legend": {"fontsize": 7.0, "frameon": False},
    "lines": {"linewidth": 1.2, "markersize": 4.0},
    "patch": {"linewidth": 0.6},
    "hatch": {"linewidth": 0.5},
    # Each call makes a figure, as pyplot's users expect; a loop over data sets is no mistake.
    "figure": {"labelsize": 8.0, "dpi": 150.0, "max_open_warning": 0},
}
PRINT: Any = {f"{group}.{name}": value for group, some in _GROUPS.items() for name, value in some.items()}
# Fonts for names that the usual ones cannot write, where installed.
FALLBACKS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Micro Hei", "Microsoft YaHei", "PingFang SC")


@contextmanager
def panels(
    n: int, *, ax: AxesLike | None, height: float, width: float | None = None, columns: int = 4
) -> Iterator[AxesArray]:
    """Make a figure of `n` panels set for print, in rows of so many `columns` at most and of this `height`.

    Axes that were given are taken as they are, and settings of matplotlib are then left alone.
    """
    import matplotlib.pyplot as plt

    if ax is not None:
        given = np.array([ax] if hasattr(ax, "get_figure") else np.ravel(np.asarray(ax, object)), object)
        if len(given) != n or not all(hasattr(axes, "plot") for axes in given):
            raise ValueError(
                f"ax must be {n} matplotlib Axes, as this figure has {n} panels, not {shown(ax)}"
            )
        yield given
        return
    with plt.rc_context({**PRINT, "font.family": [*plt.rcParams["font.family"], *_fallbacks()]}):
        # As even as the rows can be: 5 panels are 3 and 2, not 4 and 1.
        rows = -(-n // columns)
        per_row = -(-n // rows)
        size: Any = (check_width(width, n), rows * height)
        figure = plt.figure(figsize=size, layout="constrained", FigureClass=paper_figure())
        grid = figure.subplots(rows, per_row, squeeze=False).ravel()
        for spare in grid[n:]:
            spare.remove()
        try:
            yield grid[:n]
        except BaseException:
            plt.close(figure)
            raise


def check_width(width: float | None, n: int = 1) -> float:
    """Return the width in inches of a figure of `n` panels, by default one or two columns, or say that it is none."""
    if width is None:
        return COLUMN if n == 1 else PAGE
    if not is_number(width) or not 1.0 <= width <= 100.0:
        raise ValueError(
            f"width is in inches, from 1 to 100, such as {COLUMN} for a column, not {shown(width)}"
        )
    return float(width)


@cache
def _fallbacks() -> list[str]:
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return [name for name in FALLBACKS if name in installed]


def colour_of(i: int) -> str:
    """Return the colour of the i-th model."""
    return COLOURS[i % len(COLOURS)]


def marker_of(i: int) -> str:
    """Return the marker of the i-th model."""
    return MARKERS[i % len(MARKERS)]


def words(text: str) -> str:
    """Return a text to be drawn as it stands: without control characters, and escaped where LaTeX sets it."""
    import matplotlib as mpl

    return escape_latex(text) if mpl.rcParams["text.usetex"] else printable(text)


def label_x(panel: Axes, text: str) -> None:
    """Write plain text below the horizontal axis."""
    panel.set_xlabel(words(text), **PLAIN)


def note(panel: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Write plain text on axes, as small as the numbers below them."""
    small = panel.xaxis.get_ticklabels()[0].get_fontsize()
    panel.text(x, y, words(text), **{"fontsize": small, **PLAIN, **style})


def few_ticks(panel: Axes, most: int = 4) -> None:
    """Mark a few round numbers on the horizontal axis, in full."""
    from matplotlib.ticker import MaxNLocator

    panel.xaxis.set_major_locator(MaxNLocator(nbins=most, steps=STEPS, min_n_ticks=2))
    panel.ticklabel_format(axis="x", useOffset=False)


def wrapped(names: Sequence[str], width: int, *, lines: int = 2) -> list[str]:
    r"""Break long names into lines, and leave out the middle of those that are longer still.

    Nothing is left out where two names would look the same without it.

    Examples
    --------
    >>> wrapped(["bert-base-multilingual-cased", "crf"], 14)
    ['bert-base-\nmu…ngual-cased', 'crf']
    """
    return ["\n".join(map(words, parts)) for parts in broken(names, width, lines=lines)]


def broken(names: Sequence[str], width: int, *, lines: int = 2) -> list[list[str]]:
    """Return names as `wrapped` does, each as its lines, and not yet as they are drawn."""
    whole = [_lines(name, width) for name in names]
    elided = [_elided(name, width, lines) for name in names]
    return elided if len({*map(tuple, elided)}) == len(names) else whole


def _lines(name: str, width: int) -> list[str]:
    parts = re.findall(r"[^\s_/.-]*[\s_/.-]*", name)
    lines = [""]
    for piece in (part[i : i + width] for part in parts for i in range(0, len(part), width)):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def _elided(name: str, width: int, lines: int) -> list[str]:
    found, kept = _lines(name, width), width * lines - 1
    while len(found) > lines:
        found = _lines(f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}", width)
        kept -= 1
    return found


def legend_below(axes: AxesArray, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Add a legend below the panels, in as many columns as fit; inside the first one on axes of others."""
    figure = axes[0].get_figure()
    if not isinstance(figure, paper_figure()):
        axes[0].legend(handles, [words(name) for name in labels], fontsize="small")
        return
    names = wrapped(labels, 44, lines=1)
    for columns in range(len(handles), 0, -1):
        legend = figure.legend(
            handles, names, loc="outside lower center", ncols=columns, borderpad=0, columnspacing=1.5
        )
        for text in legend.get_texts():
            text.set(**PLAIN)
        box = legend.get_window_extent()
        if box.width <= figure.bbox.width or columns == 1:
            break
        legend.remove()
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + box.height / figure.dpi)


def caption_below(axes: Sequence[Axes] | AxesArray, lines: Sequence[str]) -> None:
    """Write texts below the panels, on one line where they fit; below each label of axes of others."""
    figure: Any = axes[0].get_figure()
    if not isinstance(figure, paper_figure()):
        for panel in axes:
            panel.set_xlabel("\n".join([panel.get_xlabel(), " ".join(map(words, lines))]), **PLAIN)
        return
    most = int(13 * figure.bbox.width / figure.dpi)
    shown = wrapped(lines, most, lines=1)
    text = figure.supxlabel((" " if sum(map(len, shown)) < most else "\n").join(shown), **PLAIN)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + text.get_window_extent().height / figure.dpi)
