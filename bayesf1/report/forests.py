"""Intervals below each other: of methods, of classes, and of the halves of a split; set for a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.checks import check_prob, checked
from bayesf1.base.table import probability
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.verdict import is_decisive
from bayesf1.report.plot_style import (
    PLAIN,
    RULE,
    SHADE,
    caption_below,
    check_width,
    colour_of,
    few_ticks,
    label_x,
    note,
    panels,
    wrapped,
)
from bayesf1.report.plots import compared
from bayesf1.report.units_of_figures import ends_of, gap_label, in_percent, score_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayesf1.designs.balance import BalanceReport
    from bayesf1.frequentist.interval_table import Intervals

BETTER, WORSE = colour_of(0), colour_of(1)


@checked
def plot_intervals(res: Intervals, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw all intervals of a score below each other, the credible ones in colour and with square ends.

    The dashed line is the point score. Intervals that reach beyond the score's range, or have no width, say so.

    Parameters
    ----------
    res
        What `intervals` or `difference_intervals` returned.
    width, ax
        Width of the figure in inches, 3.03 by default; axes to draw on.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> from bayesf1.frequentist.intervals import intervals
    >>> ax = plot_intervals(intervals(from_counts(A=(77, 44, 10)), "A", rng=1))
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['Clopper–Pearson', 'Wald']
    """
    rows = list(getattr(res, "rows", ()))
    if not rows:
        raise ValueError(f"Intervals belong here, as intervals returns, not {res!r:.60}")
    names = [
        f"{row.label}{' (overshoots)' * row.overshoot}{' (zero width)' * row.degenerate}" for row in rows
    ]
    with _forest(names, width=width, ax=ax) as panel:
        panel.axvline(res.estimate, color=RULE, linestyle="--", linewidth=0.8, zorder=0)
        for i, row in enumerate(rows):
            look: dict[str, Any] = (
                {"color": BETTER, "marker": "s", "linewidth": 2.0}
                if row.kind == "credible"
                else {"color": "black", "marker": "x" if row.degenerate else "|", "linewidth": 1.0}
            )
            panel.plot([row.low, row.high], [i, i], **look)
        *others, model = res.models
        name = gap_label if others else score_label
        label_x(panel, name(res.label, percent=res.percent))
        in_percent(panel.xaxis, percent=res.percent)
        level = f"({100 * res.confidence_level:g} % intervals)"
        caption_below([panel], [model, *(f"minus {name}" for name in others), level])
    return panel


@checked
def plot_classes(
    res: Mapping[str, Comparison],
    *,
    prob: float | None = None,
    interval: str = "equal-tailed",
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the difference of B minus A for every class, sorted, with its interval.

    Classes where B is likelier the better have a triangle to the right, others one to the left; it is filled
    where the comparison is decisive. The region of practical equivalence is shaded.

    Parameters
    ----------
    res
        A `Comparison` for each class, such as ``compare(ev, metrics=["f1[LOC]", "f1[PER]"])``.
    prob
        Mass of the intervals; by default that of the comparisons.
    interval
        ``"equal-tailed"``, or ``"hdi"`` for those of the highest density.
    width, ax
        As in `plot_intervals`.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> person = from_counts(A=(77, 44, 10), B=(83, 9, 14))
    >>> place = from_counts(A=(70, 30, 17), B=(60, 30, 27))
    >>> ax = plot_classes({"PER": compare(person)["f1"], "LOC": compare(place)["f1"]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['PER', 'LOC']
    """
    compared(res)
    ordered = sorted(res.items(), key=lambda entry: -float(entry[1].difference.mean()))
    first = ordered[0][1]
    with _forest([_class_of(name) for name, _ in ordered], width=width, ax=ax) as panel:
        if first.region:
            panel.axvspan(*first.region.differences(first.measure), color=SHADE, linewidth=0, zorder=0)
        panel.axvline(0.0, color=RULE, linewidth=0.8, zorder=1)
        small = panel.yaxis.get_ticklabels()[0].get_fontsize()
        beside = {"transform": panel.get_yaxis_transform(), "ha": "left", "va": "center", "fontsize": small}
        for i, (_, c) in enumerate(ordered):
            better = c.p_h1 > c.p_h0
            colour = BETTER if better else WORSE
            low, high = ends_of(c.difference, c.prob if prob is None else check_prob(prob), interval)
            panel.plot([low, high], [i, i], color=colour, solid_capstyle="butt")
            inside = colour if is_decisive(c) else "white"
            look: dict[str, Any] = {
                "marker": ">" if better else "<",
                "markersize": 5,
                "markerfacecolor": inside,
            }
            panel.plot([c.difference.mean()], [i], color=colour, **look)
            note(panel, 1.03, i, probability(c.p_h1), **beside)
        note(panel, 1.03, -1.0, "P(H1)", **beside)
        labels = {c.label.partition("[")[0] for _, c in ordered}
        percent = all(c.measure.percent for _, c in ordered)
        label_x(panel, gap_label(labels.pop() if len(labels) == 1 else "scores", percent=percent))
        in_percent(panel.xaxis, percent=percent)
        caption_below([panel], [first.model_b, f"minus {first.model_a}"])
    return panel


@checked
def plot_balance(report: BalanceReport, *, width: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw how unlike the two halves of every repeat are, in percent of the corpus.

    A dot is a repeat: the count in its first half minus that in its second, in percent of both. The bar is
    what the worst of as many random halvings would be expected to reach.

    Parameters
    ----------
    report
        What `BlockedCV.balance_report` returned.
    width, ax
        As in `plot_intervals`.

    Examples
    --------
    >>> from bayesf1 import BlockedCV
    >>> y = ["spam", "ham", "ham", "ham"] * 25
    >>> ax = plot_balance(BlockedCV(m=3, rng=0).balance_report(y, y))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['items (100)', 'y=spam (25)', 'y=ham (75)']
    """
    if not hasattr(report, "halves"):
        raise ValueError(f"a BalanceReport belongs here, as balance_report returns, not {report!r:.60}")
    totals = report.halves[0].sum(axis=0)
    share = 100.0 / np.where(totals > 0, totals, 1.0)
    names = [f"{name} ({total:,.10g})" for name, total in zip(report.names, totals, strict=True)]
    with _forest(names, width=width, ax=ax) as panel:
        random = report.random_difference * share
        rows = np.arange(len(names))
        bars = panel.barh(rows, 2 * random, left=-random, height=0.6, color=SHADE, zorder=0)
        panel.axvline(0.0, color=RULE, linewidth=0.8, zorder=1)
        differences = (report.halves[:, 0] - report.halves[:, 1]) * share
        (dots,) = panel.plot(differences.T.ravel(), np.repeat(rows, len(differences)), "o", color=BETTER)
        label_x(panel, "First − second half (% of both)")
        place: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderpad": 0.2}
        panel.legend([dots, bars], ["repeats", "worst at random"], ncols=2, **place)
    return panel


@contextmanager
def _forest(names: Sequence[str], *, width: float | None, ax: Axes | None) -> Iterator[Axes]:
    labels = wrapped(names, int(8 * check_width(width)))
    row = 0.27 if any("\n" in label for label in labels) else 0.18
    with panels(1, ax=ax, width=width, height=0.7 + row * max(2, len(names))) as axes:
        panel: Axes = axes[0]
        panel.set_yticks(np.arange(len(names)), labels, **PLAIN)
        panel.set_ylim(len(names) - 0.4, -0.6)
        panel.tick_params(axis="y", length=0)
        panel.spines[["left", "right", "top"]].set_visible(False)
        few_ticks(panel)
        yield panel


def _class_of(name: str) -> str:
    """Return the class that a measure such as ``f1[PER]`` is of, and other names as they are."""
    found = re.fullmatch(r"[^\[\]]+\[(.*)\]", name, flags=re.DOTALL)
    return name if found is None else found[1]
