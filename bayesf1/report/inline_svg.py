"""Figures as SVG inside a page: without styles, scripts, dates or names that could clash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from bayesf1.base.table import printable
from bayesf1.report.plot_files import render

if TYPE_CHECKING:
    from bayesf1.report.plot_style import AxesLike

# Properties that matplotlib sets by style and that an attribute can set as well.
_PAINT = re.compile(r"(fill|stroke|opacity|font-(size|style|weight)|text-anchor)(-[a-z]+)*")
_LINK = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+(e-?\d+)?")
_SIZE = re.compile(r"([\d.]+)px")
_SVG = "{http://www.w3.org/2000/svg}"


@contextmanager
def page_figures() -> Iterator[None]:
    """Draw figures as they are on every machine: no settings of the user, texts as texts, no windows."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib import style

    with style.context("default"), mpl.rc_context({"svg.fonttype": "none"}), plt.ioff():
        yield


def inline_svg(ax: AxesLike, name: str, title: str) -> str:
    """Return the figure of some axes as an element of an HTML page, and close it.

    Styles become attributes, which a strict policy of the page allows, and names of its parts begin with
    `name`, which is to be another for each figure of a page. The `title` is for those who do not see it.

    Examples
    --------
    >>> from bayesf1 import compare, load_example
    >>> from bayesf1.report.plots import plot_difference
    >>> with page_figures():
    ...     svg = inline_svg(plot_difference(compare(load_example("wang-li-org"))["f1"]), "f", "F1 < 1")
    >>> svg[:75]
    '<svg viewBox="0 0 218.16 137.76" ... role="img"...'
    """
    import matplotlib.pyplot as plt

    figure = np.ravel(np.asarray(ax, dtype=object))[0].get_figure()
    try:
        root = ElementTree.fromstring(render(ax, "svg", dpi=72))
    finally:
        plt.close(figure)
    # Only what is referred to needs a name.
    named = [e.attrib["id"] for e in root.iter() if "id" in e.attrib]
    linked = " ".join(value for e in root.iter() for value in e.attrib.values())
    names = {old: f"{name}-{i}" for i, old in enumerate((x for x in named if f"#{x}" in linked), 1)}
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.attrib = dict(_attributes(element.attrib, names))
        element.tail = None
        if element.tag not in ("text", "tspan"):
            element.text = None
    about = {"stroke-linejoin": "round", "role": "img", "aria-labelledby": f"{name}-title"}
    root.attrib = {"viewBox": _short(root.attrib["viewBox"]), **about}
    heading = ElementTree.Element("title", {"id": f"{name}-title"})
    heading.text = printable(title)
    root.insert(0, heading)
    return ElementTree.tostring(root, encoding="unicode")


def _attributes(old: dict[str, str], names: dict[str, str]) -> Iterator[tuple[str, str]]:
    for key, value in old.items():
        if key == "style":
            yield from _painted(value, names)
        elif key == _LINK:
            yield "href", f"#{names[value[1:]]}"
        elif key != "id":
            yield key, _short(_renamed(value, names))
        elif value in names:
            yield "id", names[value]


def _painted(style: str, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    for part in style.split(";"):
        key, _, value = (text.strip() for text in part.partition(":"))
        if key == "font":
            # Older versions write all of a font in one.
            size = _SIZE.search(value)
            yield "font-size", size[1] if size else "8"
        elif _PAINT.fullmatch(key):
            yield key, _renamed(value.removesuffix("px"), names)


def _renamed(value: str, names: dict[str, str]) -> str:
    return re.sub(r"url\(#([^)]+)\)", lambda found: f"url(#{names[found[1]]})", value)


def _short(value: str) -> str:
    """Round the numbers of a path or transform to a hundredth of a point."""
    value = _NUMBER.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), value)
    return " ".join(value.split())
