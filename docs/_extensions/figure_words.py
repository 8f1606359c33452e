"""Words for the gallery's figures: what stands on their axes, where sphinx-gallery has the name of the script."""

from __future__ import annotations

import re
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import matplotlib_scraper


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures of a block as sphinx-gallery does, each with its own words."""
    told = iter([_words(plt.figure(number)) for number in plt.get_fignums()])
    text: str = matplotlib_scraper(block, block_vars, gallery_conf)
    return re.sub(r"(?<=:alt: ).*", lambda _: next(told), text)


def _words(figure: Figure) -> str:
    """Return the titles and labels of a figure, each once."""
    said = [figure.get_supxlabel()]
    for axes in figure.axes:
        said += [axes.get_title(), axes.get_ylabel(), axes.get_xlabel()]
    return "Figure: " + "; ".join(dict.fromkeys(" ".join(text.split()) for text in said if text))
