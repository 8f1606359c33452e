"""Figures of posteriors, differences, classes, rankings and intervals, set for a paper.

Every function takes ``ax=``, axes of your own, and then draws in their style. Without it a new figure of pyplot is
made, 3.03 inches wide for one panel and 6.3 for several; ``plt.close`` frees it. Its `savefig` embeds TrueType fonts;
`save_plot` does so for any figure. Axes are in the units of tables and sentences.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager, ticker
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.ndimage import gaussian_filter1d

from bayesf1.base.arrays import AnyArray, FloatArray
from bayesf1.base.checks import RNGLike, is_number
from bayesf1.base.naming import printable, quoted
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.distributions.base import Posterior
from bayesf1.distributions.empirical import EmpiricalPosterior, Undefined
from bayesf1.evaluation import Evaluation, check_evaluation, resolve_metrics
from bayesf1.metrics import Metric, MetricLike, find_metric
from bayesf1.output.table import escape_latex
from bayesf1.output.words.numbers import digits_of, equation, points, probability
from bayesf1.output.words.prose import in_prose

if TYPE_CHECKING:
    from bayesf1.frequentist.coverage import CoverageCurve
    from bayesf1.frequentist.intervals import Intervals
    from bayesf1.inference.comparison import Comparison
    from bayesf1.inference.rank import Ranking
    from bayesf1.measures.curves import Curve

AxesArray: TypeAlias = AnyArray
AxesLike: TypeAlias = Axes | Sequence[Axes] | AxesArray

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
# Wang & Li (2019), Section 4.1: "each curve ranges from 0.001 quantile to 0.999 quantile".
_TAIL, _POINTS = 0.001, 401
# Cells of a heat map are annotated while three digits fit, in inches.
_LEAST_CELL, _MOST_TICKS = 0.26, 15
# Characters on a line of a label beside intervals.
_LABEL = 24
_BETTER, _WORSE = COLOURS[:2]
# Both axes of a curve, and the area below it.
_CURVES = {
    "roc": ("False positive rate", "True positive rate", "AUC"),
    "pr": ("Recall", "Precision", "AP"),
}


# ---- densities --------------------------------------------------------------------------------------------


def plot_posterior(
    ev: Evaluation | Any,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    prior: float | None = None,
    assumption: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
    ax: AxesLike | None = None,
) -> AxesArray:
    """Draw the posterior of every model's scores, one panel a metric: Figures 1 to 3 of Wang & Li.

    Each curve goes from the 0.001 to the 0.999 quantile, with a marker at its peak. Densities are exact if
    a distribution is known, else kernel estimates from draws. Runs of a method are points below its curve.

    Parameters
    ----------
    ev
        The evaluation; or a hierarchical fit, whose average corpus is shown in the metrics that it has.
    metrics
        Names of metrics, or callables on tables (..., cell); precision, recall and F1 by default.
    prior, assumption, n_draws, rng
        As in `posterior`; by default as many draws as make a curve smooth, if any are needed.
    ax
        Axes to draw on, as many as metrics.

    Returns
    -------
    ndarray of Axes
        One for each metric.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> axes = plot_posterior(load_example("wang-li-org"))
    >>> [ax.get_xlabel() for ax in axes]
    ['Precision (%)', 'Recall (%)', 'F1 (%)']

    References
    ----------
    Wang & Li (2019), ACL, Figures 1-3.
    """
    from bayesf1.inference.posterior import posteriors

    fit: Any = ev
    if hasattr(fit, "posteriors"):
        return _plot_curves(fit.posteriors(), fit.observed.resolve(metrics), fit.models, {}, ax)
    check_evaluation(ev)
    resolved = resolve_metrics(metrics, ev)
    how: Any = {"prior": prior, "assumption": assumption, "n_draws": n_draws, "rng": rng}
    runs = {}
    for metric in resolved:
        scores = metric(ev.tables, ev.cells)
        runs[metric.name] = [scores[[ev.models.index(run) for run in method.runs]] for method in ev.methods]
    return _plot_curves(posteriors(ev, resolved, **how), resolved, ev.names, runs, ax)


def _plot_curves(
    curves: Mapping[tuple[str, str], Posterior],
    metrics: Sequence[Metric],
    names: Sequence[str],
    runs: Mapping[str, Sequence[FloatArray]],
    ax: AxesLike | None,
) -> AxesArray:
    """Draw posteriors by name and metric, a panel for each metric, with the scores of runs by metric, if there are any."""
    with panels(len(metrics), ax=ax, height=1.7) as axes:
        for panel, metric in zip(axes, metrics, strict=True):
            known = [curves.get((name, metric.name)) for name in names]
            _draw_posteriors(panel, metric, known, runs.get(metric.name, ()))
        _name_models(axes, names)
    return axes


def draw_scores(c: Comparison, ax: Axes) -> None:
    """Draw the posteriors of both scores of a comparison, as `plot_posterior` does."""
    known = [None if isinstance(post, Undefined) else post for post in (c.posterior_a, c.posterior_b)]
    _draw_posteriors(ax, c.definition, known, [])
    _name_models(np.array([ax], object), [c.model_a, c.model_b])


def _draw_posteriors(
    panel: Axes, metric: Metric, curves: Sequence[Posterior | None], runs: Sequence[FloatArray]
) -> None:
    """Draw one curve a model whose score is defined, and runs as points below."""
    for i, distribution in enumerate(curves):
        if distribution is None:
            continue
        x = _curve_points(distribution)
        if len(x) == 1:
            # All draws are alike: there is no density.
            panel.axvline(x[0], color=style_of(i)["color"])
            continue
        y = _density(distribution, x)
        panel.plot(x, y, **style_of(i), markevery=[int(np.argmax(y))])
    step = 0.06 * panel.get_ylim()[1]
    for i, scores in enumerate(runs):
        dots = {**style_of(i), "linestyle": "none", "markersize": 3, "alpha": 0.7, "clip_on": False}
        panel.plot(scores, np.full(len(scores), -step * (i + 1)), **dots)
    panel.set_ylim(bottom=-step * (len(runs) + 0.7) if runs else 0.0)
    label_scores(panel, metric.label, percent=metric.percent)
    # A density is that of a point if the axis is in points.
    round_ticks(panel.yaxis, 0.01 if metric.percent else 1.0)


def _name_models(axes: AxesArray, models: Sequence[str]) -> None:
    axes[0].set_ylabel("Posterior density")
    legend_below(axes, [Line2D([], [], **style_of(i)) for i in range(len(models))], models)


def _curve_points(distribution: Posterior, *extra: float) -> FloatArray:
    """Return where a density is drawn, from the 0.001 to the 0.999 quantile, and at further points between."""
    low, high = distribution.ppf(_TAIL), distribution.isf(_TAIL)
    return np.union1d(np.linspace(low, high, _POINTS), [x for x in extra if low < x < high])


def _density(distribution: Posterior, x: FloatArray) -> FloatArray:
    """Return the density at points; that of draws is smoothed until a reader does not see how many they are."""
    y = np.asarray(distribution.pdf(x))
    # Of two scores of 0 the density of the difference has no bound at 0.
    y = np.where(np.isfinite(y), y, y[np.isfinite(y)].max())
    return gaussian_filter1d(y, 10.0) if isinstance(distribution, EmpiricalPosterior) else y


def plot_difference(res: Mapping[str, Comparison] | Comparison, *, ax: AxesLike | None = None) -> AxesArray:
    """Draw the density of B minus A, one panel a metric.

    The region of practical equivalence is shaded, the part of the density that favours B (H1) filled, the
    part that does not (H0) hatched; the bar below is the interval that tables and sentences have.

    Parameters
    ----------
    res
        What `compare` returned, or one `Comparison` of it.
    ax
        As in `plot_posterior`.

    Returns
    -------
    ndarray of Axes
        One for each metric.

    Examples
    --------
    >>> from bayesf1 import compare, load_example
    >>> axes = plot_difference(compare(load_example("wang-li-org"), rope=0.01))
    >>> [text.get_text() for text in axes[2].texts][:2]
    ['P(H0) = .587', 'P(H1) = .413']
    """
    found = _comparisons(res)
    with panels(len(found), ax=ax, height=1.8) as axes:
        for c, panel in zip(found, axes, strict=True):
            draw_difference(c, panel)
        axes[0].set_ylabel("Posterior density")
        caption_below(axes, [found[0].model_b, f"minus {found[0].model_a}"])
    return axes


def _comparisons(res: Mapping[str, Comparison] | Comparison) -> list[Comparison]:
    """Return the comparisons of a result."""
    found: list[Any] = [*res.values()] if isinstance(res, Mapping) else [res]
    if not found or not all(hasattr(c, "difference") and hasattr(c, "p_h1") for c in found):
        raise ValueError(f"res is a Comparison or Comparisons, as compare returns, not {quoted(res)}")
    return found


def label_scores(panel: Axes, label: str, unit: str = "%", *, percent: bool) -> None:
    """Name the horizontal axis, along which scores or differences lie, with their unit, and mark round numbers."""
    label_x(panel, f"{label} ({unit})" if percent else label)
    round_ticks(panel.xaxis, 100.0 if percent else 1.0)


def draw_difference(c: Comparison, panel: Axes) -> None:
    """Draw the density of one difference, with its interval, its region and the probabilities."""
    rope, distribution, percent = bool(c.rope), c.difference, c.definition.percent
    label_scores(panel, f"Difference in {in_prose(c.label)}", "points", percent=percent)
    panel.set_yticks([])
    panel.spines[["left", "right", "top"]].set_visible(False)
    if np.isnan(c.p_h1):
        note(panel, 0.5, 0.5, c.verdict, ha="center", transform=panel.transAxes)
        panel.set_xticks([])
        return
    x = _curve_points(distribution, 0.0)
    # All draws may be alike, and then there is no density.
    y = _density(distribution, x) if len(x) > 1 else np.ones(1)
    peak = float(y.max())
    if rope:
        low, high = c.rope.differences(c.definition)
        panel.bar(low, 1.06 * peak, high - low, align="edge", color=SHADE, linewidth=0, zorder=0)
    panel.vlines(0.0, 0.0, 1.06 * peak, color=RULE, linewidth=0.8, zorder=1)
    if len(x) > 1:
        ahead = c.definition.sign * x
        panel.fill_between(x, y, where=ahead >= 0, color=_BETTER, alpha=0.35, linewidth=0)
        hatched: Any = {"facecolor": "none", "edgecolor": RULE, "hatch": "/////", "linewidth": 0}
        panel.fill_between(x, y, where=ahead <= 0, **hatched)
        panel.plot(x, y, color=_BETTER)
    else:
        panel.vlines(x, 0.0, peak, color=_BETTER)
    low, high = c.intervals[2]
    panel.plot([low, high], [-0.08 * peak] * 2, color="black", linewidth=2.5, solid_capstyle="butt")
    # Each hypothesis on its side of 0.
    left, right = [equation("P(H0)", c.p_h0), equation("P(H1)", c.p_h1)][:: int(c.definition.sign)]
    digits = digits_of(low, high, percent=percent, sign=True)
    ends = ", ".join(points(end, digits, sign=True, percent=percent) for end in (low, high))
    say = partial(note, panel, transform=panel.transAxes, va="top")
    say(0.01, 1.0, left, ha="left")
    say(0.99, 1.0, right, ha="right")
    say(0.5, 0.01, f"{100 * c.prob:g} % interval [{ends}]", ha="center", va="bottom")
    say(0.5, 0.89, equation("P(rope)", c.p_rope) if rope else "", ha="center")
    panel.set_ylim(-0.3 * peak, peak * (1.5 if rope else 1.28))


# ---- classes ----------------------------------------------------------------------------------------------


def plot_classes(res: Mapping[str, Comparison], *, apart: int = 0, ax: Axes | None = None) -> Axes:
    """Draw the difference of B minus A for every class, sorted, with its interval.

    Classes in which B is likelier the better have a triangle to the right, others one to the left; it is filled
    if the comparison is decisive. The region of practical equivalence is shaded.

    Parameters
    ----------
    res
        A `Comparison` for each class, as `compare_classes` returns.
    apart
        How many of the first entries stand above the others and a line, in their own order.
    ax
        Axes to draw on.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> person = from_counts(A=(77, 44, 10), B=(83, 9, 14))
    >>> place = from_counts(A=(70, 30, 17), B=(60, 30, 27))
    >>> ax = plot_classes({"PER": compare(person)["f1"], "LOC": compare(place)["f1"]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['PER', 'LOC']
    """
    _comparisons(res)
    rows = list(res.items())
    if not 0 <= apart <= len(rows):
        raise ValueError(f"apart is how many of the {len(rows)} rows stand apart, not {quoted(apart)}")
    ordered = rows[:apart] + sorted(rows[apart:], key=lambda entry: -float(entry[1].difference.mean()))
    first = ordered[0][1]
    # The class that a metric such as f1[PER] is of, and other names as they are.
    classes = [name.partition("[")[2].removesuffix("]") or name for name, _ in ordered]
    with _forest(classes, ax) as panel:
        if first.rope:
            panel.axvspan(*first.rope.differences(first.definition), color=SHADE, linewidth=0, zorder=0)
        panel.axvline(0.0, color=RULE, linewidth=0.8, zorder=1)
        if apart:
            panel.axhline(apart - 0.5, color=RULE, linewidth=0.5, zorder=0)
        small = panel.yaxis.get_ticklabels()[0].get_fontsize()
        beside = {"transform": panel.get_yaxis_transform(), "ha": "left", "va": "center", "fontsize": small}
        for i, (_, c) in enumerate(ordered):
            if np.isnan(c.p_h1):
                note(panel, 1.03, i, c.verdict, **beside)
                continue
            better, decisive = c.p_h1 > c.p_h0, max(c.p_h0, c.p_h1) >= c.threshold
            colour = _BETTER if better else _WORSE
            panel.plot(c.intervals[2], [i, i], color=colour, solid_capstyle="butt")
            marker, inside = ">" if better else "<", colour if decisive else "white"
            at = [c.difference.mean()], [i]
            panel.plot(*at, color=colour, marker=marker, markersize=5, markerfacecolor=inside)
            note(panel, 1.03, i, probability(c.p_h1), **beside)
        note(panel, 1.03, -1.0, "P(H1)", **beside)
        labels = {c.label.partition("[")[0] for _, c in ordered}
        percent = all(c.definition.percent for _, c in ordered)
        what = in_prose(labels.pop()) if len(labels) == 1 else "scores"
        label = f"{getattr(res, 'difference_label', 'Difference')} in {what}"
        label_scores(panel, label, "points", percent=percent)
        caption_below([panel], [first.model_b, f"minus {first.model_a}"])
    return panel


def plot_intervals(res: Intervals, *, ax: Axes | None = None) -> Axes:
    """Draw all intervals of a score below each other, the credible ones in colour and with square ends.

    The dashed line is the point score. Intervals that reach beyond the score's range, or have no width, say so.

    Parameters
    ----------
    res
        What `intervals` or `difference_intervals` returned.
    ax
        Axes to draw on.

    Examples
    --------
    >>> from bayesf1 import from_counts, intervals
    >>> ax = plot_intervals(intervals(from_counts(A=(77, 44, 10)), "A", rng=1))
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['Clopper–Pearson', 'Wald']
    """
    marks = [" (overshoots)" * row.overshoot + " (zero width)" * row.degenerate for row in res.rows]
    with _forest([row.label + mark for row, mark in zip(res.rows, marks, strict=True)], ax) as panel:
        panel.axvline(res.estimate, color=RULE, linestyle="--", linewidth=0.8, zorder=0)
        for i, row in enumerate(res.rows):
            plain = ("black", "x" if row.degenerate else "|", 1.0)
            colour, marker, width = (_BETTER, "s", 2.0) if row.kind == "credible" else plain
            panel.plot([row.low, row.high], [i, i], color=colour, marker=marker, linewidth=width)
        *others, model = res.models
        named = (f"Difference in {in_prose(res.label)}", "points") if others else (res.label, "%")
        label_scores(panel, *named, percent=res.percent)
        level = f"({100 * res.confidence_level:g} % intervals)"
        caption_below([panel], [model, *(f"minus {name}" for name in others), level])
    return panel


def plot_coverage(
    curve: CoverageCurve | Mapping[str, Sequence[CoverageCurve]], *, ax: AxesLike | None = None
) -> AxesArray:
    """Draw how often intervals hold the true score, and how long they are, as the test set or the score grows.

    Parameters
    ----------
    curve
        What `coverage_curve` returned: coverage and length of several methods at several numbers of items. Or lists of
        curves by name, each of one true score, over which its first method and number of items are drawn.
    ax
        Two axes to draw on.

    Returns
    -------
    ndarray of Axes
        Coverage, with the nominal level as a dashed line, then expected length.

    Examples
    --------
    >>> from bayesf1 import coverage_curve
    >>> axes = plot_coverage(coverage_curve([25, 50, 100], 0.4, 0.1, 0.1))
    >>> [ax.get_ylabel() for ax in axes]
    ['Coverage (%)', 'Expected length (points)']
    >>> scores = [coverage_curve([100], 0.2 * f1, 0.2 - 0.2 * f1, 0.2 - 0.2 * f1) for f1 in (0.6, 0.7, 0.8)]
    >>> plot_coverage({"20 positives": scores})[0].get_xlabel()
    'True F1 (%)'
    """
    over, given = isinstance(curve, Mapping), curve if isinstance(curve, Mapping) else {"": [curve]}
    found: list[Any] = [each for each in given.values() if isinstance(each, list | tuple) and each]
    if not found or len(found) < len(given) or not all(hasattr(c, "truth") for each in found for c in each):
        raise ValueError(f"curve is a CoverageCurve, or lists of them by name, not {quoted(curve)}")
    first = found[0][0]
    lines: list[Any] = [(first.n, *rows) for rows in zip(first.coverage, first.length, strict=True)]
    if over:
        lines = [np.array([(c.truth, c.coverage[0, 0], c.length[0, 0]) for c in each]).T for each in found]
    with panels(2, ax=ax, height=2.1) as axes:
        axes[0].axhline(first.confidence_level, color=RULE, linestyle="--", linewidth=0.8, zorder=0)
        for i, (x, *rows) in enumerate(lines):
            for panel, row in zip(axes, rows, strict=True):
                panel.plot(x, row, **style_of(i), markevery=max(1, len(x) // 8))
        for panel, what in zip(axes, ("Coverage (%)", "Expected length (points)"), strict=True):
            if over:
                label_scores(panel, f"True {find_metric(first.metric).label}", percent=True)
            else:
                label_x(panel, "Number of items")
            panel.set_ylabel(what)
            round_ticks(panel.yaxis, 100.0)
        axes[1].set_ylim(bottom=0.0)
        legend_below(axes, axes[1].lines, tuple(given) if over else first.labels)
    return axes


def plot_curves(curves: Mapping[str, Curve] | Curve, *, ax: Axes | None = None) -> Axes:
    """Draw ROC or precision-recall curves, each with its credible band.

    Bands hold at each point of the horizontal axis by itself, not for the whole curve at once.

    Parameters
    ----------
    curves
        What `bf.measures.roc_curve` or `pr_curve` returned, or several of one kind by their models' names.
    ax
        Axes to draw on.

    Examples
    --------
    >>> from bayesf1.measures import roc_curve
    >>> curve = roc_curve([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9])
    >>> plot_curves({"A": curve}).get_xlabel()
    'False positive rate (%)'
    """
    found: dict[str, Any] = {**curves} if isinstance(curves, Mapping) else {"": curves}
    kinds = {getattr(curve, "kind", "") for curve in found.values()}
    if kinds not in ({"roc"}, {"pr"}):
        raise ValueError(f"curves are roc_curves or pr_curves, all of one kind, not {quoted(curves)}")
    across, up, area = _CURVES[kinds.pop()]
    with panels(1, ax=ax, height=2.6) as axes:
        panel: Axes = axes[0]
        if area == "AUC":
            panel.plot([0, 1], [0, 1], color=RULE, linestyle="--", linewidth=0.8, zorder=0)
        for i, curve in enumerate(found.values()):
            style = style_of(i)
            panel.fill_between(curve.x, curve.low, curve.high, color=style["color"], alpha=0.2, linewidth=0)
            panel.plot(curve.x, curve.y, **style, markevery=(0.1, 0.2))
        label_scores(panel, across, percent=True)
        panel.set(ylabel=f"{up} (%)", xlim=(0.0, 1.0), ylim=(0.0, 1.02))
        round_ticks(panel.yaxis, 100.0)
        names = []
        for name, curve in found.items():
            low, high = (points(x, 1) for x in curve.area_interval)
            names.append(f"{name} ({area} {points(curve.area, 1)} [{low}, {high}])".strip())
        band = f"{100 * next(iter(found.values())).prob:g} % band at each point"
        legend_below(axes, [*panel.lines[-len(names) :], panel.collections[0]], [*names, band])
    return panel


@contextmanager
def _forest(names: Sequence[str], ax: Axes | None) -> Iterator[Axes]:
    """Make axes for intervals below each other, with their names to the left."""
    with panels(1, ax=ax, height=forest_height(names)) as axes:
        panel: Axes = axes[0]
        panel.set_yticks(np.arange(len(names)), wrapped(names, _LABEL), **PLAIN)
        panel.set_ylim(len(names) - 0.4, -0.6)
        panel.tick_params(axis="y", length=0)
        panel.spines[["left", "right", "top"]].set_visible(False)
        yield panel


def forest_height(names: Sequence[str]) -> float:
    """Return how high a figure of intervals below each other is, in inches."""
    lines = 1 + max(label.count("\n") for label in wrapped(names, _LABEL))
    return 0.7 + 0.09 * (lines + 1) * max(2, len(names))


# ---- rankings ---------------------------------------------------------------------------------------------


def plot_rank(ranking: Ranking, *, ax: AxesLike | None = None) -> AxesArray:
    """Draw a ranking as two heat maps: P(row beats column), and the probability of every rank.

    Columns of the first are the models by their numbers in the rows. Darker is likelier, also in grey.

    Parameters
    ----------
    ranking
        What `rank` returned.
    ax
        Two axes to draw on.

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
    if not hasattr(ranking, "p_beats"):
        raise ValueError(f"this figure needs a Ranking, as rank returns, not {quoted(ranking)}")
    names, k = ranking.models, len(ranking.models)
    labels = [f"{name}  {i}" for i, name in enumerate(wrapped(names, 22), start=1)]
    beats = np.where(np.eye(k, dtype=bool), np.nan, ranking.p_beats)
    margin = f" by > {least:g}" if (least := ranking.settings.rope.high) else ""
    # Labels and margins take 1.8 inches or so.
    annotate = (PAGE - 1.8) / (2 * k) >= _LEAST_CELL
    row = 0.24 if annotate or any("\n" in name for name in labels) else 0.16
    with panels(2, ax=ax, height=0.75 + row * max(k, 3)) as axes:
        left, right = axes
        _draw_heat(left, beats, annotate=annotate)
        _draw_heat(right, ranking.p_rank, annotate=annotate)
        if not annotate:
            left.get_figure().colorbar(right.collections[0], ax=list(axes), label="Probability", aspect=40)
        left.set_yticks(np.arange(k), labels, **PLAIN)
        right.set_yticks([])
        left.set_title(literal(f"P(row beats column{margin})"), **PLAIN)
        right.set_title("P(rank)")
        left.set_xlabel("Model by its number")
        label_x(right, f"Rank in {ranking.label}")
    return axes


def _draw_heat(panel: Axes, values: FloatArray, *, annotate: bool) -> None:
    rows, columns = values.shape
    panel.set_facecolor(SHADE)
    across, down = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    style: dict[str, Any] = {"cmap": "Blues", "edgecolor": "white", "linewidth": 0.6}
    panel.pcolormesh(across, down, np.ma.masked_invalid(values), vmin=0.0, vmax=1.0, **style)
    if annotate:
        for i, j in np.argwhere(np.isfinite(values)):
            ink = "white" if values[i, j] > 0.55 else "black"
            # Two decimals, and never 0 or 1.
            brief = probability(values[i, j], digits=2).replace("0.", ".")
            note(panel, j, i, brief, ha="center", va="center", color=ink)
    step = -(-columns // _MOST_TICKS)
    panel.set_xticks(np.arange(0, columns, step), [str(j + 1) for j in range(0, columns, step)])
    panel.tick_params(length=0)
    panel.invert_yaxis()
    panel.spines[:].set_visible(False)


# ---- figures and their panels -----------------------------------------------------------------------------


class PaperFigure(Figure):
    """A figure whose `savefig` writes files that a publisher takes."""

    def savefig(self, fname: Any, **kwargs: Any) -> None:
        """Write the figure with fonts embedded as TrueType, at 300 dots per inch if nothing else is asked for."""
        if "pgf" in (kwargs.get("format"), Path(str(fname)).suffix.lstrip(".").lower()):
            raise ValueError("PGF would run the names in a figure as LaTeX; save a PDF")
        with mpl.rc_context(_SAVED):
            super().savefig(fname, **{"dpi": 300, **kwargs})


def print_style() -> Any:
    """Return the settings of matplotlib that our figures are drawn with: those of ``paper.mplstyle``, and fonts."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    family = [*mpl.rcParams["font.family"], *(name for name in _FALLBACKS if name in installed)]
    style = mpl.rc_params_from_file(Path(__file__).with_name("paper.mplstyle"), use_default_template=False)
    return {**style, "font.family": family}


@contextmanager
def panels(n: int, *, ax: AxesLike | None, height: float) -> Iterator[AxesArray]:
    """Make a figure of `n` panels set for print, in rows of at most three and of this `height` in inches.

    Axes that were given are taken as they are, in their own style.
    """
    import matplotlib.pyplot as plt

    if ax is not None:
        given = np.array([ax] if hasattr(ax, "get_figure") else np.ravel(np.asarray(ax, object)), object)
        if len(given) != n or not all(hasattr(axes, "plot") for axes in given):
            raise ValueError(f"ax must be {n} matplotlib Axes, one for each panel, not {quoted(ax)}")
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
        figure = plt.figure(figsize=size, dpi=150, layout="constrained", FigureClass=PaperFigure)
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


def style_of(i: int) -> dict[str, Any]:
    """Return colour and marker of the i-th model."""
    return {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}


# ---- words and numbers ------------------------------------------------------------------------------------


def literal(text: str) -> str:
    """Return a text to be drawn as it stands: without control characters, and escaped if LaTeX sets it."""
    return escape_latex(text) if mpl.rcParams["text.usetex"] else printable(text)


def label_x(panel: Axes, text: str) -> None:
    """Write plain text below the horizontal axis."""
    panel.set_xlabel(literal(text), **PLAIN)


def note(panel: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Write plain text on axes, as small as the numbers below them."""
    small = panel.xaxis.get_ticklabels()[0].get_fontsize()
    panel.text(x, y, literal(text), **{"fontsize": small, **style})


def round_ticks(axis: Axis, factor: float = 1.0) -> None:
    """Mark a few round numbers on an axis, three at least, and write them times a factor, as 90 for 90 %.

    What is drawn stands where the numbers are, at 0.9 for 90 %, so that further drawing needs no conversion.
    """
    axis.set_major_locator(ticker.MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10], min_n_ticks=3))
    axis.set_major_formatter(lambda x, _: f"{round(factor * x, 10) + 0.0:.10g}".replace("-", "−"))


def wrapped(names: Sequence[str], width: int, *, lines: int = 2) -> list[str]:
    r"""Break long names into lines, and leave out the middle of those that are longer still.

    Nothing is left out if two names would look the same without it.

    Examples
    --------
    >>> wrapped(["bert-base-multilingual-cased", "crf"], 14)
    ['bert-base-\nmu…ngual-cased', 'crf']
    """
    found = []
    for name in names:
        parts, kept = textwrap.wrap(name, width), width * lines
        while len(parts) > lines:
            kept -= 1
            parts = textwrap.wrap(f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}", width)
        found.append(parts)
    if len(set(map("".join, found))) < len(names):
        found = [textwrap.wrap(name, width) for name in names]
    return ["\n".join(map(literal, parts)) for parts in found]


def legend_below(axes: AxesArray, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Add a legend below the panels, in as many columns as fit; inside the first one on axes of others."""
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
    """Write texts below the panels, on one line if they fit; below each label of axes of others."""
    figure: Any = axes[0].get_figure()
    if not isinstance(figure, PaperFigure):
        for panel in axes:
            panel.set_xlabel(f"{panel.get_xlabel()}\n{' '.join(map(literal, lines))}", **PLAIN)
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
    first: Any = next(iter(np.ravel(np.asarray(ax, object))), None)
    if not hasattr(first, "get_figure"):
        raise ValueError(f"ax must be axes of matplotlib, as a plot returns, not {quoted(ax)}")
    undated: Any = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    buffer = BytesIO()
    with mpl.rc_context(_SAVED):
        # Axes may be in a part of a figure; its canvas holds the whole.
        first.get_figure().canvas.figure.savefig(buffer, format=kind, dpi=dpi, metadata=undated.get(kind))
    return buffer.getvalue()


def check_path(path: StrPath) -> str:
    """Return the format of the figure that a path names, or say which formats there are."""
    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise ValueError(f"cannot save a figure as {str(path)!r}; end its name with .{', .'.join(FORMATS)}")
    return kind


def save_plot(ax: AxesLike, path: StrPath, *, dpi: float = 300) -> None:
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
