"""Figures of posteriors, differences, classes, rankings and intervals, set for a paper.

Every function takes ``ax=``, axes of your own, and then draws in their style. Without it a new figure of pyplot is
made, 3.03 inches wide for one panel and 6.3 for several; ``plt.close`` frees it. Its `savefig` embeds TrueType fonts;
`save_plot` does so for any figure. Axes are in the units of tables and sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy.ndimage import gaussian_filter1d

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, is_number
from bayesf1.base.naming import quoted
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.distributions.base import Posterior
from bayesf1.distributions.empirical import EmpiricalPosterior, Undefined
from bayesf1.evaluation import Evaluation, check_evaluation, resolve_metrics
from bayesf1.metrics import Metric, MetricLike, find_metric, in_prose
from bayesf1.output.panels import (
    COLOURS,
    PAGE,
    PLAIN,
    AxesArray,
    AxesLike,
    caption_below,
    check_path,
    label_x,
    legend_below,
    literal,
    note,
    panels,
    render,
    round_ticks,
    style_of,
    wrapped,
)
from bayesf1.output.words.numbers import digits_of, equation, points, probability, short_probability

if TYPE_CHECKING:
    from bayesf1.frequentist.coverage import CoverageCurve
    from bayesf1.frequentist.intervals import Intervals
    from bayesf1.inference.comparison import Comparison
    from bayesf1.inference.rank import Ranking
    from bayesf1.measures.curves import Curve

# Colours of the region of practical equivalence, and of lines in the background.
SHADE = "#d9d9d9"
RULE = "#6b6b6b"

# Wang & Li (2019), Section 4.1: "each curve ranges from 0.001 quantile to 0.999 quantile".
_TAIL = 0.001
_POINTS = 401
# Cells of a heat map are annotated if three digits fit, in inches.
_LEAST_CELL = 0.26
_MOST_TICKS = 15
# Characters on a line of a label beside intervals.
_LABEL = 24
_BETTER = COLOURS[0]
_WORSE = COLOURS[1]


class _CurveLabels(NamedTuple):
    """The names of the axes of a curve, and of the area below it."""

    across: str
    up: str
    area: str


_CURVES = {
    "roc": _CurveLabels(across="False positive rate", up="True positive rate", area="AUC"),
    "pr": _CurveLabels(across="Recall", up="Precision", area="AP"),
}


@runtime_checkable
class _Compared(Protocol):
    """The part of a comparison that figures need: this module may not import the results themselves."""

    difference: Any
    p_h1: float


@runtime_checkable
class _FitOfCorpora(Protocol):
    """A hierarchical fit, as figures see it."""

    observed: Any
    models: Sequence[str]

    def posteriors(self) -> Mapping[tuple[str, str], Posterior]:
        """Return the posterior of each model and metric on the average corpus."""


@runtime_checkable
class _WithDifferenceLabel(Protocol):
    """Comparisons that have a name for their differences."""

    difference_label: str


@runtime_checkable
class _Coverage(Protocol):
    """A curve of coverage, as figures see it."""

    truth: float
    coverage: FloatArray
    length: FloatArray


@runtime_checkable
class _RankingLike(Protocol):
    """A ranking, as figures see it."""

    p_beats: FloatArray
    p_rank: FloatArray


@runtime_checkable
class _RocOrPr(Protocol):
    """An ROC or precision-recall curve, as figures see it."""

    kind: str


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

    Each curve goes from the 0.001 to the 0.999 quantile, with a marker at its peak. Densities are exact if a distribution is
    known, and otherwise kernel estimates from draws. Runs of a method are points below its curve.

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
    from bayesf1.sampling.model import sampling_model

    if isinstance(ev, _FitOfCorpora):
        return _plot_curves(ev.posteriors(), ev.observed.resolve(metrics), ev.models, {}, ax)
    check_evaluation(ev)
    resolved = resolve_metrics(metrics, ev)
    curves = posteriors(sampling_model(ev, assumption, prior=prior), resolved, n_draws, rng)
    runs = {}
    for metric in resolved:
        scores = metric(ev.tables, ev.cells)
        of_methods = []
        for method in ev.methods:
            columns = [ev.models.index(run) for run in method.runs]
            of_methods.append(scores[columns])
        runs[metric.name] = of_methods
    return _plot_curves(curves, resolved, ev.names, runs, ax)


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
            of_metric = [curves.get((name, metric.name)) for name in names]
            _draw_posteriors(panel, metric, of_metric, runs.get(metric.name, ()))
        _name_models(axes, names)
    return axes


def draw_scores(c: Comparison, ax: Axes) -> None:
    """Draw the posteriors of both scores of a comparison, as `plot_posterior` does."""
    curves: list[Posterior | None] = []
    for posterior in (c.posterior_a, c.posterior_b):
        curves.append(None if isinstance(posterior, Undefined) else posterior)
    _draw_posteriors(ax, c.definition, curves, [])
    _name_models(np.array([ax], object), [c.model_a, c.model_b])


def _draw_posteriors(
    panel: Axes, metric: Metric, curves: Sequence[Posterior | None], runs: Sequence[FloatArray]
) -> None:
    """Draw one curve for each model whose score is defined, and runs as points below."""
    for i, distribution in enumerate(curves):
        if distribution is None:
            continue
        x = _curve_points(distribution)
        if len(x) == 1:
            # All draws are equal, so there is no density.
            panel.axvline(x[0], color=style_of(i)["color"])
            continue
        y = _density(distribution, x)
        panel.plot(x, y, **style_of(i), markevery=[int(np.argmax(y))])
    step = 0.06 * panel.get_ylim()[1]
    for i, scores in enumerate(runs):
        dots = {**style_of(i), "linestyle": "none", "markersize": 3, "alpha": 0.7, "clip_on": False}
        panel.plot(scores, np.full(len(scores), -step * (i + 1)), **dots)
    bottom = -step * (len(runs) + 0.7) if runs else 0.0
    panel.set_ylim(bottom=bottom)
    label_scores(panel, metric.label, percent=metric.percent)
    # If the axis is in points, so is the density.
    per_point = 0.01 if metric.percent else 1.0
    round_ticks(panel.yaxis, per_point)


def _name_models(axes: AxesArray, models: Sequence[str]) -> None:
    axes[0].set_ylabel("Posterior density")
    legend_below(axes, [Line2D([], [], **style_of(i)) for i in range(len(models))], models)


def _curve_points(distribution: Posterior, *extra: float) -> FloatArray:
    """Return the points of a curve, from the 0.001 to the 0.999 quantile, with extra points in between."""
    low = distribution.ppf(_TAIL)
    high = distribution.isf(_TAIL)
    return np.union1d(np.linspace(low, high, _POINTS), [x for x in extra if low < x < high])


def _density(distribution: Posterior, x: FloatArray) -> FloatArray:
    """Return the density at points; that of draws is smoothed, so its shape does not depend on their number."""
    y = np.asarray(distribution.pdf(x))
    # If both scores are 0, the density of the difference is infinite at 0.
    finite = np.isfinite(y)
    y = np.where(finite, y, y[finite].max())
    if isinstance(distribution, EmpiricalPosterior):
        return gaussian_filter1d(y, 10.0)
    return y


def plot_difference(res: Mapping[str, Comparison] | Comparison, *, ax: AxesLike | None = None) -> AxesArray:
    """Draw the density of B minus A, one panel a metric.

    The region of practical equivalence is shaded, the part of the density that favours B (H1) filled, the
    part that does not (H0) hatched; the bar below is the interval that tables and sentences have.

    Parameters
    ----------
    res
        The result of `compare`, or one `Comparison` of it.
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
    comparisons = _comparisons(res)
    first = comparisons[0]
    with panels(len(comparisons), ax=ax, height=1.8) as axes:
        for c, panel in zip(comparisons, axes, strict=True):
            draw_difference(c, panel)
        axes[0].set_ylabel("Posterior density")
        caption_below(axes, [first.model_b, f"minus {first.model_a}"])
    return axes


def _comparisons(res: Mapping[str, Comparison] | Comparison) -> list[Comparison]:
    """Return the comparisons of a result."""
    comparisons: list[Any] = [*res.values()] if isinstance(res, Mapping) else [res]
    if not comparisons or not all(isinstance(c, _Compared) for c in comparisons):
        raise ValueError(f"res is a Comparison or Comparisons, as compare returns, not {quoted(res)}")
    return comparisons


def label_scores(panel: Axes, label: str, unit: str = "%", *, percent: bool) -> None:
    """Name the horizontal axis of scores or differences, with their unit, and mark round numbers."""
    if percent:
        label_x(panel, f"{label} ({unit})")
        round_ticks(panel.xaxis, 100.0)
    else:
        label_x(panel, label)
        round_ticks(panel.xaxis)


def draw_difference(c: Comparison, panel: Axes) -> None:
    """Draw the density of one difference, with its interval, its region and the probabilities."""
    distribution = c.difference
    percent = c.definition.percent
    label_scores(panel, f"Difference in {in_prose(c.label)}", "points", percent=percent)
    panel.set_yticks([])
    panel.spines[["left", "right", "top"]].set_visible(False)
    if np.isnan(c.p_h1):
        note(panel, 0.5, 0.5, c.verdict, ha="center", transform=panel.transAxes)
        panel.set_xticks([])
        return
    x = _curve_points(distribution, 0.0)
    # If all draws are equal there is no density, and a line is drawn instead.
    has_density = len(x) > 1
    y = _density(distribution, x) if has_density else np.ones(1)
    peak = float(y.max())
    if c.rope:
        low, high = c.rope.differences(c.definition)
        panel.bar(low, 1.06 * peak, high - low, align="edge", color=SHADE, linewidth=0, zorder=0)
    panel.vlines(0.0, 0.0, 1.06 * peak, color=RULE, linewidth=0.8, zorder=1)
    if has_density:
        gain = c.definition.sign * x
        panel.fill_between(x, y, where=gain >= 0, color=_BETTER, alpha=0.35, linewidth=0)
        hatched: Any = {"facecolor": "none", "edgecolor": RULE, "hatch": "/////", "linewidth": 0}
        panel.fill_between(x, y, where=gain <= 0, **hatched)
        panel.plot(x, y, color=_BETTER)
    else:
        panel.vlines(x, 0.0, peak, color=_BETTER)
    low = c.estimates.difference.low
    high = c.estimates.difference.high
    panel.plot([low, high], [-0.08 * peak, -0.08 * peak], color="black", linewidth=2.5, solid_capstyle="butt")
    # Each hypothesis on its side of 0.
    h1_side = 0.99 if c.definition.sign > 0 else 0.01
    write = partial(note, panel, transform=panel.transAxes, va="top")
    for x_text, words in ((1.0 - h1_side, equation("P(H0)", c.p_h0)), (h1_side, equation("P(H1)", c.p_h1))):
        write(x_text, 1.0, words, ha="left" if x_text < 0.5 else "right")
    digits = digits_of(low, high, percent=percent, sign=True)
    ends = ", ".join(points(end, digits, sign=True, percent=percent) for end in (low, high))
    write(0.5, 0.01, f"{100 * c.prob:g} % interval [{ends}]", ha="center", va="bottom")
    top = 1.28
    if c.rope:
        write(0.5, 0.89, equation("P(rope)", c.p_rope), ha="center")
        top = 1.5
    panel.set_ylim(-0.3 * peak, top * peak)


# ---- classes ----------------------------------------------------------------------------------------------


def plot_classes(res: Mapping[str, Comparison], *, apart: int = 0, ax: Axes | None = None) -> Axes:
    """Draw the difference of B minus A for every class, sorted, with its interval.

    Classes in which B is more probably better have a triangle to the right, others one to the left; it is filled if the
    comparison is decisive. The region of practical equivalence is shaded.

    Parameters
    ----------
    res
        A `Comparison` for each class, as `compare_classes` returns.
    apart
        How many of the first entries are drawn above the others, in their own order and set off by a line.
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
    by_gain = sorted(rows[apart:], key=lambda row: -float(row[1].difference.mean()))
    ordered = rows[:apart] + by_gain
    _, first = ordered[0]
    names = [_row_name(name, c) for name, c in ordered]
    with _forest(names, ax) as panel:
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
            better = c.p_h1 > c.p_h0
            decisive = max(c.p_h0, c.p_h1) >= c.threshold
            colour = _BETTER if better else _WORSE
            marker = ">" if better else "<"
            filling = colour if decisive else "white"
            interval = [c.estimates.difference.low, c.estimates.difference.high]
            panel.plot(interval, [i, i], color=colour, solid_capstyle="butt")
            mean = float(c.difference.mean())
            panel.plot(mean, i, color=colour, marker=marker, markersize=5, markerfacecolor=filling)
            note(panel, 1.03, i, probability(c.p_h1), **beside)
        note(panel, 1.03, 1.0, "P(H1)", **(beside | {"transform": panel.transAxes, "va": "bottom"}))
        labels = {metric_of_classes(c) for _, c in ordered}
        percent = all(c.definition.percent for _, c in ordered)
        what = in_prose(labels.pop()) if len(labels) == 1 else "scores"
        label = f"{_difference_label(res)} in {what}"
        label_scores(panel, label, "points", percent=percent)
        caption_below([panel], [first.model_b, f"minus {first.model_a}"])
    return panel


def _row_name(name: str, c: Comparison) -> str:
    """Return the class of a metric such as f1[PER], the label of any other metric, or the name that was given."""
    if name != c.metric:
        return name
    of_class = c.definition.of_class
    return c.label if of_class is None else of_class.name


def metric_of_classes(c: Comparison) -> str:
    """Return the label of a metric, without the class if it is that of one."""
    of_class = c.definition.of_class
    return c.label if of_class is None else of_class.metric


def _difference_label(res: Mapping[str, Comparison]) -> str:
    """Return the name of a difference: the comparison of classes has one for shrunken differences."""
    return res.difference_label if isinstance(res, _WithDifferenceLabel) else "Difference"


def plot_intervals(res: Intervals, *, ax: Axes | None = None) -> Axes:
    """Draw all intervals of a score below each other, the credible ones in colour and with square ends.

    The dashed line is the point score. Intervals that reach beyond the score's range, or have no width, are marked.

    Parameters
    ----------
    res
        The result of `intervals` or `difference_intervals`.
    ax
        Axes to draw on.

    Examples
    --------
    >>> from bayesf1 import from_counts, intervals
    >>> ax = plot_intervals(intervals(from_counts(A=(77, 44, 10)), "A", rng=1))
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['Clopper–Pearson', 'Wald']
    """
    labels = []
    for row in res.rows:
        label = row.label
        if row.overshoot:
            label += " (overshoots)"
        if row.degenerate:
            label += " (zero width)"
        labels.append(label)
    with _forest(labels, ax) as panel:
        panel.axvline(res.estimate, color=RULE, linestyle="--", linewidth=0.8, zorder=0)
        for i, row in enumerate(res.rows):
            if row.kind == "credible":
                style: dict[str, Any] = {"color": _BETTER, "marker": "s", "linewidth": 2.0}
            elif row.degenerate:
                style = {"color": "black", "marker": "x", "linewidth": 1.0}
            else:
                style = {"color": "black", "marker": "|", "linewidth": 1.0}
            panel.plot([row.low, row.high], [i, i], **style)
        level = f"({100 * res.confidence_level:g} % intervals)"
        if len(res.models) == 1:
            label_scores(panel, res.label, percent=res.percent)
            caption_below([panel], [res.models[0], level])
        else:
            model_a, model_b = res.models
            label_scores(panel, f"Difference in {in_prose(res.label)}", "points", percent=res.percent)
            caption_below([panel], [model_b, f"minus {model_a}", level])
    return panel


def plot_coverage(
    curve: CoverageCurve | Mapping[str, Sequence[CoverageCurve]], *, ax: AxesLike | None = None
) -> AxesArray:
    """Draw how often intervals contain the true score, and how long they are, as the test set or the score grows.

    Parameters
    ----------
    curve
        The result of `coverage_curve`: coverage and length of several methods at several numbers of items. Or lists of
        curves by name; coverage and length of each curve's first method and number of items are then drawn over its true
        score.
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
    over_scores = isinstance(curve, Mapping)
    groups: dict[str, Any] = {**curve} if isinstance(curve, Mapping) else {"": [curve]}
    for group in groups.values():
        if (
            not isinstance(group, list | tuple)
            or not group
            or not all(isinstance(c, _Coverage) for c in group)
        ):
            raise ValueError(f"curve is a CoverageCurve, or lists of them by name, not {quoted(curve)}")
    if not groups:
        raise ValueError(f"curve is a CoverageCurve, or lists of them by name, not {quoted(curve)}")
    first = next(iter(groups.values()))[0]
    lines = []
    if over_scores:
        for group in groups.values():
            x = np.array([c.truth for c in group])
            coverage = np.array([c.coverage[0, 0] for c in group])
            length = np.array([c.length[0, 0] for c in group])
            lines.append(_CoverageLine(x, coverage, length))
        labels = tuple(groups)
    else:
        for coverage, length in zip(first.coverage, first.length, strict=True):
            lines.append(_CoverageLine(first.n, coverage, length))
        labels = first.labels

    with panels(2, ax=ax, height=2.1) as axes:
        of_coverage, of_length = axes
        of_coverage.axhline(first.confidence_level, color=RULE, linestyle="--", linewidth=0.8, zorder=0)
        for i, line in enumerate(lines):
            markevery = max(1, len(line.x) // 8)
            of_coverage.plot(line.x, line.coverage, **style_of(i), markevery=markevery)
            of_length.plot(line.x, line.length, **style_of(i), markevery=markevery)
        of_coverage.set_ylabel("Coverage (%)")
        of_length.set_ylabel("Expected length (points)")
        for panel in axes:
            if over_scores:
                label_scores(panel, f"True {find_metric(first.metric).label}", percent=True)
            else:
                label_x(panel, "Number of items")
            round_ticks(panel.yaxis, 100.0)
        of_length.set_ylim(bottom=0.0)
        legend_below(axes, of_length.lines, labels)
    return axes


class _CoverageLine(NamedTuple):
    """One line of both panels of coverage."""

    x: FloatArray
    coverage: FloatArray
    length: FloatArray


def plot_curves(curves: Mapping[str, Curve] | Curve, *, ax: Axes | None = None) -> Axes:
    """Draw ROC or precision-recall curves, each with its credible band.

    Bands hold at each point of the horizontal axis by itself, not for the whole curve at once.

    Parameters
    ----------
    curves
        The result of `bf.measures.roc_curve` or `pr_curve`, or several of one kind by their models' names.
    ax
        Axes to draw on.

    Examples
    --------
    >>> from bayesf1.measures import roc_curve
    >>> curve = roc_curve([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9])
    >>> plot_curves({"A": curve}).get_xlabel()
    'False positive rate (%)'
    """
    by_name: dict[str, Any] = {**curves} if isinstance(curves, Mapping) else {"": curves}
    kinds = {curve.kind if isinstance(curve, _RocOrPr) else None for curve in by_name.values()}
    if kinds not in ({"roc"}, {"pr"}):
        raise ValueError(f"curves are roc_curves or pr_curves, all of one kind, not {quoted(curves)}")
    kind = kinds.pop()
    labels = _CURVES[str(kind)]
    first = next(iter(by_name.values()))
    with panels(1, ax=ax, height=2.6) as axes:
        panel: Axes = axes[0]
        if kind == "roc":
            panel.plot([0, 1], [0, 1], color=RULE, linestyle="--", linewidth=0.8, zorder=0)
        for i, curve in enumerate(by_name.values()):
            style = style_of(i)
            panel.fill_between(curve.x, curve.low, curve.high, color=style["color"], alpha=0.2, linewidth=0)
            panel.plot(curve.x, curve.y, **style, markevery=(0.1, 0.2))
        label_scores(panel, labels.across, percent=True)
        panel.set(ylabel=f"{labels.up} (%)", xlim=(0.0, 1.0), ylim=(0.0, 1.02))
        round_ticks(panel.yaxis, 100.0)
        names = []
        for name, curve in by_name.items():
            low, high = curve.area_interval
            area = f"{labels.area} {points(curve.area, 1)} [{points(low, 1)}, {points(high, 1)}]"
            names.append(f"{name} ({area})".strip())
        band = f"{100 * first.prob:g} % band at each point"
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
    """Return the height of a figure of intervals below each other, in inches."""
    lines = 1 + max(label.count("\n") for label in wrapped(names, _LABEL))
    return 0.7 + 0.09 * (lines + 1) * max(2, len(names))


# ---- rankings ---------------------------------------------------------------------------------------------


def plot_rank(ranking: Ranking, *, ax: AxesLike | None = None) -> AxesArray:
    """Draw a ranking as two heat maps: P(row beats column), and the probability of every rank.

    Columns of the first are the models by their numbers in the rows. Darker is likelier, also in grey.

    Parameters
    ----------
    ranking
        The result of `rank`.
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
    if not isinstance(ranking, _RankingLike):
        raise ValueError(f"this figure needs a Ranking, as rank returns, not {quoted(ranking)}")
    k = len(ranking.models)
    labels = [f"{name}  {i}" for i, name in enumerate(wrapped(ranking.models, 22), start=1)]
    beats = np.where(np.eye(k, dtype=bool), np.nan, ranking.p_beats)
    rope = ranking.settings.rope
    margin = f" by > {rope.high:g}" if rope.high else ""
    # Labels and margins take about 1.8 inches.
    annotate = (PAGE - 1.8) / (2 * k) >= _LEAST_CELL
    high_rows = annotate or any("\n" in name for name in labels)
    row = 0.24 if high_rows else 0.16
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
        label_x(right, f"Rank in {in_prose(ranking.label)}")
    return axes


def _draw_heat(panel: Axes, values: FloatArray, *, annotate: bool) -> None:
    """Draw probabilities (row, column) as a heat map, with their digits if they fit."""
    rows, columns = values.shape
    panel.set_facecolor(SHADE)
    across = np.arange(columns + 1) - 0.5
    down = np.arange(rows + 1) - 0.5
    style: dict[str, Any] = {"cmap": "Blues", "edgecolor": "white", "linewidth": 0.6}
    panel.pcolormesh(across, down, np.ma.masked_invalid(values), vmin=0.0, vmax=1.0, **style)
    if annotate:
        for i, j in np.argwhere(np.isfinite(values)):
            ink = "white" if values[i, j] > 0.55 else "black"
            note(panel, j, i, short_probability(values[i, j]), ha="center", va="center", color=ink)
    step = -(-columns // _MOST_TICKS)
    panel.set_xticks(np.arange(0, columns, step), [str(j + 1) for j in range(0, columns, step)])
    panel.tick_params(length=0)
    panel.invert_yaxis()
    panel.spines[:].set_visible(False)


# ---- files ----------------------------------------------------------------------------------------------


def save_plot(ax: AxesLike, path: StrPath, *, dpi: float = 300) -> None:
    """Save the figure of some axes for a paper, as PDF, SVG or PNG.

    Fonts are embedded as TrueType, and the file appears whole or not at all.

    Parameters
    ----------
    ax
        The result of a ``plot_*`` function, or any axes.
    path
        Where to; the format is that of its ending.
    dpi
        Dots per inch of a PNG.

    Examples
    --------
    >>> from pathlib import Path
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
