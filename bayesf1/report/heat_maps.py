"""Rankings as heat maps, set for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import checked
from bayesf1.bayes.rope import Rope
from bayesf1.report.plot_style import (
    PLAIN,
    SHADE,
    AxesArray,
    check_width,
    label_x,
    note,
    panels,
    words,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

    from bayesf1.bayes.ranking import Ranking
    from bayesf1.report.plot_style import AxesLike

# Cells are annotated while three digits fit, in inches.
LEAST_CELL = 0.26
MOST_TICKS = 15


@checked
def plot_rank(ranking: Ranking, *, width: float | None = None, ax: AxesLike | None = None) -> AxesArray:
    """Draw a ranking as two heat maps: P(row beats column), and the probability of every rank.

    Columns of the first are the systems by their numbers in the rows. Darker is likelier, also in grey.

    Parameters
    ----------
    ranking
        What `rank` returned.
    width, ax
        Width of the figure in inches, 6.3 by default; two axes to draw on.

    Returns
    -------
    ndarray of Axes
        P(row beats column), then the ranks.

    Examples
    --------
    >>> from bayesf1 import load_example, rank
    >>> beats, ranks = plot_rank(rank(load_example("wnut17"), n_draws=1000, rng=1))
    >>> [label.get_text() for label in beats.get_yticklabels()][:2]
    ['UH-RiTUAL  1', 'SpinningBytes  2']
    """
    missing = {"p_beats", "p_rank"} - set(getattr(ranking, "data_vars", ()))
    if missing:
        raise ValueError(f"a Ranking belongs here, as rank returns, not {ranking!r:.60}")
    names = [str(name) for name in ranking["system"].values]
    k = len(names)
    labels = [f"{name}  {i}" for i, name in enumerate(wrapped(names, 22), start=1)]
    beats = np.where(np.eye(k, dtype=bool), np.nan, ranking["p_beats"].values)
    least = Rope.of(ranking.attrs.get("rope", 0.0)).high
    margin = f" by > {least:g}" if least else ""
    # Labels and margins take 1.8 inches or so.
    annotate = (check_width(width, 2) - 1.8) / (2 * k) >= LEAST_CELL
    row = 0.24 if annotate or any("\n" in name for name in labels) else 0.16
    with panels(2, ax=ax, width=width, height=0.75 + row * max(k, 3)) as axes:
        left, right = axes
        _draw_heat(left, beats, annotate=annotate)
        mesh = _draw_heat(right, ranking["p_rank"].values, annotate=annotate)
        if not annotate:
            left.get_figure().colorbar(mesh, ax=list(axes), label="Probability", aspect=40)
        left.set_yticks(np.arange(k), labels, **PLAIN)
        right.set_yticks([])
        left.set_title(words(f"P(row beats column{margin})"), **PLAIN)
        right.set_title("P(rank)")
        left.set_xlabel("System by its number")
        label_x(right, f"Rank in {ranking.attrs.get('label', 'score')}")
    return axes


def _draw_heat(panel: Axes, values: FloatArray, *, annotate: bool) -> QuadMesh:
    rows, columns = values.shape
    panel.set_facecolor(SHADE)
    across, down = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    style: dict[str, Any] = {"cmap": "Blues", "edgecolor": "white", "linewidth": 0.6}
    mesh = panel.pcolormesh(across, down, np.ma.masked_invalid(values), vmin=0.0, vmax=1.0, **style)
    if annotate:
        for i, j in np.argwhere(np.isfinite(values)):
            ink = "white" if values[i, j] > 0.55 else "black"
            note(panel, j, i, _brief(values[i, j]), ha="center", va="center", color=ink)
    step = -(-columns // MOST_TICKS)
    panel.set_xticks(np.arange(0, columns, step), [str(j + 1) for j in range(0, columns, step)])
    panel.tick_params(length=0)
    panel.invert_yaxis()
    panel.spines[:].set_visible(False)
    return mesh


def _brief(p: float) -> str:
    """Write a probability in a small cell: two decimals, and never 0 or 1."""
    return "<.01" if p < 0.005 else ">.99" if p >= 0.995 else f"{p:.2f}".lstrip("0")
