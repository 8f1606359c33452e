"""Figures set for a paper: their panels, labels and legends, and how they are written to files."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager, ticker
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure

from bayesf1.base.arrays import AnyArray
from bayesf1.base.naming import printable, quoted
from bayesf1.base.text_files import StrPath
from bayesf1.output.table import escape_latex

AxesArray: TypeAlias = AnyArray
AxesLike: TypeAlias = Axes | Sequence[Axes] | AxesArray

# One column and the whole width of a page of an ACL paper, 219 and 455 points, in inches.
COLUMN = 3.03
PAGE = 6.3
# These colours differ for every kind of colour vision, and in grey: lightness (CIE L*) rises in steps of at least 9.
COLOURS = ("#0b4f9b", "#dd6b1a", "#0c0c0c", "#62b0e8", "#5b0f45", "#f2c14e", "#15806b")
# The numbers of markers and of colours have no common factor, so pairs of both repeat late.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
FORMATS = ("pdf", "svg", "png")
# Labels are plain text; matplotlib would otherwise read some as formulas.
PLAIN: dict[str, Any] = {"parse_math": False}

# Many publishers refuse Type 3 fonts, matplotlib's default.
_SAVED: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.hashsalt": "bayesf1"}
# Fonts for names with letters that the usual ones lack, if they are installed.
_FALLBACKS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Micro Hei", "Microsoft YaHei", "PingFang SC")


# ---- figures and their panels -----------------------------------------------------------------------------


class PaperFigure(Figure):
    """A figure whose `savefig` writes files that publishers accept."""

    def savefig(self, fname: Any, **kwargs: Any) -> None:
        """Write the figure with fonts embedded as TrueType, at 300 dots per inch if nothing else is asked for."""
        ending = Path(str(fname)).suffix.lstrip(".").lower()
        if "pgf" in (kwargs.get("format"), ending):
            raise ValueError("PGF would run the names in a figure as LaTeX; save a PDF")
        with mpl.rc_context(_SAVED):
            super().savefig(fname, **{"dpi": 300, **kwargs})


def print_style() -> Any:
    """Return matplotlib's settings for our figures: those of ``paper.mplstyle``, and fonts."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    family = [*mpl.rcParams["font.family"], *(name for name in _FALLBACKS if name in installed)]
    style = mpl.rc_params_from_file(Path(__file__).with_name("paper.mplstyle"), use_default_template=False)
    return {**style, "font.family": family}


@contextmanager
def panels(n: int, *, ax: AxesLike | None, height: float) -> Iterator[AxesArray]:
    """Make a figure of `n` panels set for print, in rows of at most three and of this `height` in inches.

    Axes that were given keep their own style.
    """
    import matplotlib.pyplot as plt

    if ax is not None:
        given = _axes_of(ax)
        if len(given) != n or not all(isinstance(axes, Axes) for axes in given):
            raise ValueError(f"ax must be {n} matplotlib Axes, one for each panel, not {quoted(ax)}")
        with plt.rc_context({"text.parse_math": False}):
            yield given
        return
    # Rows are as even as possible: 4 panels are 2 and 2, not 3 and 1.
    rows = -(-n // 3)
    width = COLUMN if n == 1 else PAGE
    with warnings.catch_warnings():
        # Each call makes a figure, as users of pyplot expect, also in a loop over many data sets.
        warnings.filterwarnings("ignore", message="More than 20 figures", category=RuntimeWarning)
        # This is outside the settings below: leaving them would undo what Jupyter sets with its first figure.
        figure = plt.figure(
            figsize=(width, rows * height), dpi=150, layout="constrained", FigureClass=PaperFigure
        )
    try:
        with plt.rc_context(print_style()):
            grid = figure.subplots(rows, -(-n // rows), squeeze=False).ravel()
            # Texts of neighbouring panels must not read as one line.
            figure.set_layout_engine("constrained", wspace=0.08)
            for spare in grid[n:]:
                spare.remove()
            yield grid[:n]
    except BaseException:
        plt.close(figure)
        raise


def _axes_of(ax: AxesLike) -> AxesArray:
    """Return axes, or any nesting of them, as a flat array."""
    if isinstance(ax, Axes):
        return np.array([ax], object)
    return np.ravel(np.asarray(ax, object))


def style_of(i: int) -> dict[str, Any]:
    """Return colour and marker of the i-th model."""
    return {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}


# ---- words and numbers ------------------------------------------------------------------------------------


def literal(text: str) -> str:
    """Return a text to be drawn literally: without control characters, and escaped if LaTeX sets it."""
    if mpl.rcParams["text.usetex"]:
        return escape_latex(text)
    return printable(text)


def label_x(panel: Axes, text: str) -> None:
    """Write plain text below the horizontal axis."""
    panel.set_xlabel(literal(text), **PLAIN)


def note(panel: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Write plain text on axes, as small as the numbers below them."""
    small = panel.xaxis.get_ticklabels()[0].get_fontsize()
    panel.text(x, y, literal(text), **{"fontsize": small, **style})


def round_ticks(axis: Axis, factor: float = 1.0) -> None:
    """Mark a few round numbers on an axis, three at least, and write them times a factor, such as 90 for 90 %.

    Data keep their own scale, 0.9 for 90 %, so that further drawing needs no conversion.
    """
    axis.set_major_locator(ticker.MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10], min_n_ticks=3))
    axis.set_major_formatter(lambda x, _: f"{round(factor * x, 10) + 0.0:.10g}".replace("-", "−"))


def wrapped(names: Sequence[str], width: int, *, lines: int = 2) -> list[str]:
    r"""Break long names into lines, and leave out the middle of still longer ones.

    Nothing is left out if two names would look the same without it.

    Examples
    --------
    >>> wrapped(["bert-base-multilingual-cased", "crf"], 14)
    ['bert-base-\nmu…ngual-cased', 'crf']
    """
    labels = []
    for name in names:
        parts = textwrap.wrap(name, width)
        kept = width * lines
        while len(parts) > lines:
            kept -= 1
            tail = kept // 2
            shortened = f"{name[: kept - tail]}…{name[len(name) - tail :]}"
            parts = textwrap.wrap(shortened, width)
        labels.append(parts)
    if len(set(map("".join, labels))) < len(names):
        labels = [textwrap.wrap(name, width) for name in names]
    return ["\n".join(map(literal, parts)) for parts in labels]


def legend_below(axes: AxesArray, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Add a legend below the panels, in as many columns as fit; on a user's own axes inside the first one."""
    figure = axes[0].get_figure()
    if not isinstance(figure, PaperFigure):
        axes[0].legend(handles, [literal(name) for name in labels], fontsize="small")
        return
    names = wrapped(labels, 44, lines=1)
    # About 15 characters to the inch.
    columns = int(15 * figure.get_figwidth() / (max(map(len, names)) + 8))
    place: dict[str, Any] = {"loc": "outside lower center", "ncols": max(1, min(len(names), columns))}
    _grow(figure, figure.legend(handles, names, borderpad=0, columnspacing=1.5, **place))


def caption_below(axes: Sequence[Axes] | AxesArray, lines: Sequence[str]) -> None:
    """Write texts below the panels, on one line if they fit; on a user's own axes below each label."""
    figure: Any = axes[0].get_figure()
    if not isinstance(figure, PaperFigure):
        for panel in axes:
            panel.set_xlabel(f"{panel.get_xlabel()}\n{' '.join(map(literal, lines))}", **PLAIN)
        return
    # About 13 characters to the inch.
    most = int(13 * figure.get_figwidth())
    texts = wrapped(lines, most, lines=1)
    separator = " " if sum(map(len, texts)) < most else "\n"
    _grow(figure, figure.supxlabel(separator.join(texts)))


def _grow(figure: Any, artist: Any) -> None:
    """Make a figure higher by the height of an artist that was added to it."""
    figure.set_figheight(figure.get_figheight() + artist.get_window_extent().height / figure.dpi)


# ---- files ----------------------------------------------------------------------------------------------


def render(ax: AxesLike, kind: str, *, dpi: float = 300) -> bytes:
    """Return the figure of some axes as the bytes of a PDF, SVG or PNG file, without a date.

    Examples
    --------
    >>> from bayesf1 import load_example, plot_posterior
    >>> render(plot_posterior(load_example("wang-li-org")), "svg")[:13]
    b'<?xml version'
    """
    axes = _axes_of(ax)
    if len(axes) == 0 or not isinstance(axes[0], Axes):
        raise ValueError(f"ax must be axes of matplotlib, as a plot returns, not {quoted(ax)}")
    undated: Any = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    # Axes may be in a part of a figure; its canvas holds the whole.
    part: Any = axes[0].get_figure()
    buffer = BytesIO()
    with mpl.rc_context(_SAVED):
        part.canvas.figure.savefig(buffer, format=kind, dpi=dpi, metadata=undated.get(kind))
    return buffer.getvalue()


def check_path(path: StrPath) -> str:
    """Return the format of the figure that a path names, or refuse its ending."""
    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise ValueError(f"cannot save a figure as {str(path)!r}; end its name with .{', .'.join(FORMATS)}")
    return kind
