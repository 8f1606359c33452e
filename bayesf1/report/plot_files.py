"""Figures as files that a publisher takes: PDF, SVG, PNG and PGF."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from os import PathLike
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.checks import checked, is_number
from bayesf1.base.naming import nearest, shown
from bayesf1.base.table import escape_latex
from bayesf1.base.text_files import write_atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bayesf1.report.plot_style import AxesLike

FORMATS = ("pdf", "svg", "png", "pgf")
# Type 3 fonts, matplotlib's default, are refused by many publishers.
SAVED: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.hashsalt": "bayesf1"}
# Who measures texts for PGF where matplotlib's choice is not installed.
TEX_SYSTEMS = ("xelatex", "pdflatex", "lualatex")


@cache
def paper_figure() -> type[Figure]:
    """Return the class of our figures, whose `savefig` writes files that a publisher takes."""
    from matplotlib.figure import Figure

    class PaperFigure(Figure):
        def savefig(self, fname: Any, **kwargs: Any) -> None:
            kind = kwargs.get("format") or Path(str(fname)).suffix.lstrip(".").lower()
            with print_ready(self, kind):
                super().savefig(fname, **{"dpi": 300, **kwargs})

    return PaperFigure


@contextmanager
def print_ready(figure: Figure, kind: str) -> Iterator[None]:
    """Embed fonts as publishers want them and, for PGF, make LaTeX of texts that are plain."""
    import matplotlib as mpl
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter

    with mpl.rc_context(SAVED):
        if kind != "pgf":
            yield
            return
        asked = mpl.rcParams["pgf.texsystem"]
        mpl.rcParams["pgf.texsystem"] = next(filter(which, (asked, *TEX_SYSTEMS)), asked)
        figure.draw_without_rendering()
        formatters = []
        for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
            labels = axis.get_ticklabels()
            if labels and all(map(_is_plain, labels)):
                formatters.append((axis, axis.get_major_formatter()))
                axis.set_major_formatter(FixedFormatter([_latex(t.get_text()) for t in labels]))
        texts = [(text, text.get_text()) for text in figure.findobj(Text) if _is_plain(text)]
        for text, words in texts:
            text.set_text(_latex(words))
        try:
            yield
        finally:
            for text, words in texts:
                text.set_text(words)
            for axis, formatter in formatters:
                axis.set_major_formatter(formatter)


def _is_plain(text: Any) -> bool:
    return not text.get_parse_math() and not text.get_usetex()


def _latex(text: str) -> str:
    return "\n".join(map(escape_latex, text.split("\n")))


def render(ax: AxesLike, kind: str, *, dpi: float = 300) -> bytes:
    """Return the figure of some axes as the bytes of a PDF, SVG, PNG or PGF file, without a date.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> from bayesf1.report.plots import plot_posterior
    >>> render(plot_posterior(load_example("wang-li-org")), "svg")[:13]
    b'<?xml version'
    """
    from matplotlib.figure import Figure

    if kind not in FORMATS:
        raise ValueError(f"unknown format of figures {kind!r}; {nearest(kind, FORMATS)}")
    # Axes may be in a part of a figure; its canvas holds the whole.
    figure = _axes(ax).get_figure().canvas.figure
    undated: Any = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    buffer = BytesIO()
    with print_ready(figure, kind):
        about = {"metadata": undated[kind]} if kind in undated else {}
        Figure.savefig(figure, buffer, format=kind, dpi=dpi, **about)
    return buffer.getvalue()


def _axes(ax: AxesLike) -> Any:
    """Return the axes, or the first of several, or say that there are none."""
    first = ax
    while isinstance(first, list | tuple | np.ndarray) and len(first):
        first = first[0]
    if not hasattr(first, "get_figure"):
        raise ValueError(f"ax must be axes of matplotlib, as a plot returns, not {shown(ax)}")
    return first


def check_path(path: str | PathLike[str]) -> tuple[Path, str]:
    """Return where a figure goes and its format, or say why it cannot go there."""
    target = Path(path)
    kind = target.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise ValueError(f"cannot save a figure as {str(path)!r}; end its name with .{', .'.join(FORMATS)}")
    if not target.parent.is_dir():
        raise ValueError(f"cannot write to {path}, as there is no folder {target.parent}; create it first")
    return target, kind


@checked
def save_plot(ax: AxesLike, path: str | PathLike[str], *, dpi: float = 300) -> None:
    """Save the figure of some axes for a paper, as PDF, SVG, PNG or PGF.

    Fonts are embedded as TrueType, names with LaTeX's special characters can go into PGF, and the file
    appears whole or not at all.

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
    >>> from bayesf1 import load_example
    >>> from bayesf1.report.plots import plot_posterior
    >>> with TemporaryDirectory() as folder:
    ...     save_plot(plot_posterior(load_example("wang-li-org")), Path(folder, "org.pdf"))
    ...     Path(folder, "org.pdf").read_bytes()[:4]
    b'%PDF'
    """
    _, kind = check_path(path)
    if not is_number(dpi) or not 10 <= dpi <= 4800:
        raise ValueError(f"dpi must be a number from 10 to 4800, such as 300, not {dpi!r}")
    write_atomic(path, render(ax, kind, dpi=dpi))
