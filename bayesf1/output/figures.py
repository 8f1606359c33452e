"""How figures are set for print, and saved: column widths, legible type, colours that survive grey, embedded fonts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.checks import checked, is_number
from bayesf1.base.naming import nearest, printable, quoted
from bayesf1.base.text_files import write_atomic
from bayesf1.output.latex import escape_latex

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

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
FORMATS = ("pdf", "svg", "png")
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
    "figure": {"labelsize": 8.0},
}
# Type 3 fonts, matplotlib's default, are refused by many publishers.
_SAVED: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.hashsalt": "bayesf1"}
# Fonts for names that the usual ones cannot write, where installed.
_FALLBACKS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Micro Hei", "Microsoft YaHei", "PingFang SC")


# ---- figures and their panels -----------------------------------------------------------------------------


@cache
def paper_figure() -> type[Figure]:
    """Return the class of our figures, whose `savefig` writes files that a publisher takes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    class PaperFigure(Figure):
        def savefig(self, fname: Any, **kwargs: Any) -> None:
            if "pgf" in (kwargs.get("format"), Path(str(fname)).suffix.lstrip(".").lower()):
                raise ValueError("names in a figure are plain text, which PGF would run as LaTeX; save a PDF")
            with mpl.rc_context(_SAVED):
                super().savefig(fname, **{"dpi": 300, **kwargs})

    return PaperFigure


def print_style() -> Any:
    """Return the settings of matplotlib that our figures are drawn with."""
    import matplotlib as mpl
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    family = [*mpl.rcParams["font.family"], *(name for name in _FALLBACKS if name in installed)]
    flat = {f"{group}.{name}": value for group, some in _GROUPS.items() for name, value in some.items()}
    return {**flat, "font.family": family}


@contextmanager
def panels(
    n: int, *, ax: AxesLike | None, height: float, width: float | None = None, columns: int = 3
) -> Iterator[AxesArray]:
    """Make a figure of `n` panels set for print, in rows of at most `columns` and of this `height`.

    Axes that were given are taken as they are, and settings of matplotlib are then left alone.
    """
    import warnings

    import matplotlib.pyplot as plt

    if ax is not None:
        given = np.array([ax] if hasattr(ax, "get_figure") else np.ravel(np.asarray(ax, object)), object)
        if len(given) != n or not all(hasattr(axes, "plot") for axes in given):
            raise ValueError(
                f"ax must be {n} matplotlib Axes, as this figure has {n} panels, not {quoted(ax)}"
            )
        yield given
        return
    # As even as the rows can be: 5 panels are 3 and 2, not 4 and 1.
    rows = -(-n // columns)
    per_row = -(-n // rows)
    size: Any = (check_width(width, n), rows * height)
    with warnings.catch_warnings():
        # Each call makes a figure, as users of pyplot expect; a loop over data sets is no mistake.
        warnings.filterwarnings("ignore", message="More than 20 figures", category=RuntimeWarning)
        # Not within the settings below: leaving them would undo what Jupyter sets with its first figure.
        figure = plt.figure(figsize=size, dpi=150, layout="constrained", FigureClass=paper_figure())
    try:
        with plt.rc_context(print_style()):
            grid = figure.subplots(rows, per_row, squeeze=False).ravel()
            for spare in grid[n:]:
                spare.remove()
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
            f"width is in inches, from 1 to 100, such as {COLUMN} for a column, not {quoted(width)}"
        )
    return float(width)


def colour_of(i: int) -> str:
    """Return the colour of the i-th model."""
    return COLOURS[i % len(COLOURS)]


def marker_of(i: int) -> str:
    """Return the marker of the i-th model."""
    return MARKERS[i % len(MARKERS)]


# ---- words and numbers ------------------------------------------------------------------------------------


def words(text: str) -> str:
    """Return a text to be drawn as it stands: without control characters, and escaped where LaTeX sets it."""
    import matplotlib as mpl

    return escape_latex(text) if mpl.rcParams["text.usetex"] else printable(text)


def label_x(panel: Axes, text: str) -> None:
    """Write plain text below the horizontal axis."""
    panel.set_xlabel(words(text), **PLAIN)


def label_density(axes: AxesArray) -> None:
    """Name the vertical axes of densities, in the first column of panels."""
    for panel in axes:
        place = panel.get_subplotspec()
        if panel is axes[0] or (place is not None and place.is_first_col()):
            panel.set_ylabel("Posterior density")


def note(panel: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Write plain text on axes, as small as the numbers below them."""
    small = panel.xaxis.get_ticklabels()[0].get_fontsize()
    panel.text(x, y, words(text), **{"fontsize": small, **PLAIN, **style})


def round_ticks(axis: Axis, most: int = 4) -> None:
    """Mark a few round numbers on an axis, three at least, in full."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=most, steps=STEPS, min_n_ticks=3))


def in_percent(axis: Axis, *, percent: bool, scale: float = 100.0) -> None:
    """Write the numbers of an axis in percent if a metric is, else as they are, all with the same decimals.

    What is drawn stands where the numbers are, at 0.9 for 90 %, so that whoever draws on it need not think of units.
    """
    from matplotlib.ticker import ScalarFormatter

    factor = scale if percent else 1.0

    class Scaled(ScalarFormatter):
        def format_ticks(self, values: Any) -> list[str]:
            numbers = [round(factor * value, 10) + 0.0 for value in values]
            digits = max((len(f"{x:.10g}".partition(".")[2]) for x in numbers), default=0)
            return [f"{x:.{digits}f}".replace("-", "−") for x in numbers]

    axis.set_major_formatter(Scaled(useOffset=False))


def wrapped(names: Sequence[str], width: int, *, lines: int = 2) -> list[str]:
    r"""Break long names into lines, and leave out the middle of those that are longer still.

    Nothing is left out if two names would look the same without it.

    Examples
    --------
    >>> wrapped(["bert-base-multilingual-cased", "crf"], 14)
    ['bert-base-\nmu…ngual-cased', 'crf']
    """
    elided = [_elided(name, width, lines) for name in names]
    alike = len({*map(tuple, elided)}) < len(names)
    found = [_lines(name, width) for name in names] if alike else elided
    return ["\n".join(map(words, parts)) for parts in found]


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
    width, height = figure.get_size_inches()
    # About 15 characters and a line to the inch.
    columns = max(1, min(len(names), int(15 * width / (max(map(len, names)) + 8))))
    legend = figure.legend(
        handles, names, loc="outside lower center", ncols=columns, borderpad=0, columnspacing=1.5
    )
    for text in legend.get_texts():
        text.set(**PLAIN)
    figure.set_size_inches(width, height + legend.get_window_extent().height / figure.dpi)


def caption_below(axes: Sequence[Axes] | AxesArray, lines: Sequence[str]) -> None:
    """Write texts below the panels, on one line if they fit; below each label of axes of others."""
    figure: Any = axes[0].get_figure()
    if not isinstance(figure, paper_figure()):
        for panel in axes:
            panel.set_xlabel("\n".join([panel.get_xlabel(), " ".join(map(words, lines))]), **PLAIN)
        return
    most = int(13 * figure.bbox.width / figure.dpi)
    shown_lines = wrapped(lines, most, lines=1)
    text = figure.supxlabel((" " if sum(map(len, shown_lines)) < most else "\n").join(shown_lines), **PLAIN)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + text.get_window_extent().height / figure.dpi)


# ---- files ------------------------------------------------------------------------------------------------


def render(ax: AxesLike, kind: str, *, dpi: float = 300) -> bytes:
    """Return the figure of some axes as the bytes of a PDF, SVG or PNG file, without a date.

    Examples
    --------
    >>> from bayesf1 import load_example, plot_posterior
    >>> render(plot_posterior(load_example("wang-li-org")), "svg")[:13]
    b'<?xml version'
    """
    import matplotlib as mpl

    if kind not in FORMATS:
        raise ValueError(f"unknown format of figures {kind!r}; {nearest(kind, FORMATS)}")
    first: Any = ax
    while isinstance(first, list | tuple | np.ndarray) and len(first):
        first = first[0]
    if not hasattr(first, "get_figure"):
        raise ValueError(f"ax must be axes of matplotlib, as a plot returns, not {quoted(ax)}")
    undated: Any = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    buffer = BytesIO()
    with mpl.rc_context(_SAVED):
        # Axes may be in a part of a figure; its canvas holds the whole.
        first.get_figure().canvas.figure.savefig(buffer, format=kind, dpi=dpi, metadata=undated.get(kind))
    return buffer.getvalue()


def check_path(path: str | PathLike[str]) -> str:
    """Return the format of the figure that a path names, or say why it cannot go there."""
    target = Path(path)
    kind = target.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise ValueError(f"cannot save a figure as {str(path)!r}; end its name with .{', .'.join(FORMATS)}")
    if not target.parent.is_dir():
        raise ValueError(f"cannot write to {path}, as there is no folder {target.parent}; create it first")
    return kind


@checked
def save_plot(ax: AxesLike, path: str | PathLike[str], *, dpi: float = 300) -> None:
    """Save the figure of some axes for a paper, as PDF, SVG or PNG.

    Fonts are embedded as TrueType, and the file appears whole or not at all.

    Parameters
    ----------
    ax
        What a ``plot_*`` function returned, or any axes.
    path
        Where to; the format is that of its ending.
    dpi
        Dots per inch of a PNG.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from bayesf1 import load_example, plot_posterior
    >>> with TemporaryDirectory() as folder:
    ...     save_plot(plot_posterior(load_example("wang-li-org")), Path(folder, "org.pdf"))
    ...     Path(folder, "org.pdf").read_bytes()[:4]
    b'%PDF'
    """
    kind = check_path(path)
    if not is_number(dpi) or not 10 <= dpi <= 4800:
        raise ValueError(f"dpi must be a number from 10 to 4800, such as 300, not {dpi!r}")
    write_atomic(path, render(ax, kind, dpi=dpi))
