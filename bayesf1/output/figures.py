"""How figures are set for print, and saved: column widths, legible type, colours that survive grey, embedded fonts."""

from __future__ import annotations

import textwrap
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
FORMATS = ("pdf", "svg", "png")
# Labels that stand on axes before we draw on them are read as formulas unless they are told.
PLAIN: dict[str, Any] = {"parse_math": False}

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
    """Return the settings of matplotlib that our figures are drawn with: those of ``paper.mplstyle``, and fonts."""
    import matplotlib as mpl
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    family = [*mpl.rcParams["font.family"], *(name for name in _FALLBACKS if name in installed)]
    style = mpl.rc_params_from_file(Path(__file__).with_name("paper.mplstyle"), use_default_template=False)
    return {**style, "font.family": family}


@contextmanager
def panels(n: int, *, ax: AxesLike | None, height: float) -> Iterator[AxesArray]:
    """Make a figure of `n` panels set for print, in rows of at most three and of this `height` in inches.

    Axes that were given are taken as they are, in their own style.
    """
    import warnings

    import matplotlib.pyplot as plt

    if ax is not None:
        given = np.array([ax] if hasattr(ax, "get_figure") else np.ravel(np.asarray(ax, object)), object)
        if len(given) != n or not all(hasattr(axes, "plot") for axes in given):
            raise ValueError(
                f"ax must be {n} matplotlib Axes, as this figure has {n} panels, not {quoted(ax)}"
            )
        with plt.rc_context({"text.parse_math": False}):
            yield given
        return
    # As even as the rows can be: 4 panels are 2 and 2, not 3 and 1.
    rows = -(-n // 3)
    size = (COLUMN if n == 1 else PAGE, rows * height)
    with warnings.catch_warnings():
        # Each call makes a figure, as users of pyplot expect; a loop over data sets is no mistake.
        warnings.filterwarnings("ignore", message="More than 20 figures", category=RuntimeWarning)
        # Not within the settings below: leaving them would undo what Jupyter sets with its first figure.
        figure = plt.figure(figsize=size, dpi=150, layout="constrained", FigureClass=paper_figure())
    try:
        with plt.rc_context(print_style()):
            grid = figure.subplots(rows, -(-n // rows), squeeze=False).ravel()
            for spare in grid[n:]:
                spare.remove()
            yield grid[:n]
    except BaseException:
        plt.close(figure)
        raise


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
    panel.text(x, y, words(text), **{"fontsize": small, **style})


def round_ticks(axis: Axis, factor: float = 1.0) -> None:
    """Mark a few round numbers on an axis, three at least, and write them times a factor, as 90 for 90 %.

    What is drawn stands where the numbers are, at 0.9 for 90 %, so that whoever draws on it need not think of units.
    """
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10], min_n_ticks=3))
    axis.set_major_formatter(lambda x, _: f"{round(factor * x, 10) + 0.0:.10g}".replace("-", "−"))


def wrapped(names: Sequence[str], width: int, *, lines: int = 2) -> list[str]:
    r"""Break long names into lines, and leave out the middle of those that are longer still.

    Nothing is left out if two names would look the same without it.

    Examples
    --------
    >>> wrapped(["bert-base-multilingual-cased", "crf"], 14)
    ['bert-base-\nmu…ngual-cased', 'crf']
    """
    found = [_fitted(name, width, lines) for name in names]
    if len({"".join(parts) for parts in found}) < len(names):
        found = [textwrap.wrap(name, width) for name in names]
    return ["\n".join(map(words, parts)) for parts in found]


def _fitted(name: str, width: int, lines: int) -> list[str]:
    found, kept = textwrap.wrap(name, width), width * lines
    while len(found) > lines:
        kept -= 1
        found = textwrap.wrap(f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}", width)
    return found


def legend_below(axes: AxesArray, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Add a legend below the panels, in as many columns as fit; inside the first one on axes of others."""
    figure = axes[0].get_figure()
    if not isinstance(figure, paper_figure()):
        axes[0].legend(handles, [words(name) for name in labels], fontsize="small")
        return
    names = wrapped(labels, 44, lines=1)
    # About 15 characters to the inch.
    columns = int(15 * figure.get_figwidth() / (max(map(len, names)) + 8))
    place: dict[str, Any] = {"loc": "outside lower center", "ncols": max(1, min(len(names), columns))}
    _grow(figure, figure.legend(handles, names, borderpad=0, columnspacing=1.5, **place))


def caption_below(axes: Sequence[Axes] | AxesArray, lines: Sequence[str]) -> None:
    """Write texts below the panels, on one line if they fit; below each label of axes of others."""
    figure: Any = axes[0].get_figure()
    if not isinstance(figure, paper_figure()):
        for panel in axes:
            panel.set_xlabel(f"{panel.get_xlabel()}\n{' '.join(map(words, lines))}", **PLAIN)
        return
    most = int(13 * figure.get_figwidth())
    found = wrapped(lines, most, lines=1)
    _grow(figure, figure.supxlabel((" " if sum(map(len, found)) < most else "\n").join(found)))


def _grow(figure: Any, artist: Any) -> None:
    """Make a figure higher by what was added to it."""
    figure.set_figheight(figure.get_figheight() + artist.get_window_extent().height / figure.dpi)


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
