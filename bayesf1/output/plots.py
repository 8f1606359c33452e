"""Figures of posteriors, differences, rankings and intervals, set for a paper.

Every function takes ``ax=``, axes of your own, and then draws in their style. Without it a new figure of pyplot is
made, 3.03 inches wide for one panel and 6.3 for several; ``plt.close`` frees it. Its `savefig` embeds TrueType fonts;
`save_plot` does so for any figure. Axes are in the units of tables and sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_rng, checked
from bayesf1.base.naming import quoted
from bayesf1.distributions.base import Posterior
from bayesf1.evaluation import Evaluation, check_evaluation, resolve_metrics
from bayesf1.metrics import Metric, MetricLike
from bayesf1.output.figures import (
    PAGE,
    PLAIN,
    RULE,
    SHADE,
    AxesArray,
    caption_below,
    colour_of,
    label_density,
    label_x,
    legend_below,
    marker_of,
    note,
    panels,
    round_ticks,
    words,
    wrapped,
)
from bayesf1.output.table import digits_of, equation, points, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

    from bayesf1.frequentist.intervals import Intervals
    from bayesf1.inference.comparison import Comparison
    from bayesf1.inference.rank import Ranking
    from bayesf1.output.figures import AxesLike

# Wang & Li (2019), Section 4.1: "each curve ranges from 0.001 quantile to 0.999 quantile".
_TAIL, _POINTS = 0.001, 401
# Cells of a heat map are annotated while three digits fit, in inches.
_LEAST_CELL, _MOST_TICKS = 0.26, 15
# Characters on a line of a label beside intervals.
_LABEL = 24
_BETTER, _WORSE = colour_of(0), colour_of(1)


def _belongs(value: Any, attribute: str, kind: str, verb: str) -> Any:
    if not hasattr(value, attribute):
        raise ValueError(f"this figure takes {kind}, as {verb} returns, not {quoted(value)}")
    return value


# ---- densities --------------------------------------------------------------------------------------------


@checked
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
    """Draw what is believed about every model's scores, one panel a metric: Figures 1 to 3 of Wang & Li.

    Each curve goes from the 0.001 to the 0.999 quantile, with a marker at its peak. Densities are exact where
    a distribution is known and kernel estimates from draws elsewhere. Runs of a method are points below its curve.

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
    ['P (%)', 'R (%)', 'F1 (%)']

    References
    ----------
    Wang & Li (2019), ACL, Figures 1-3.
    """
    from bayesf1.inference.posterior import posteriors

    fit: Any = ev
    known = fit.posteriors() if hasattr(fit, "posteriors") else None
    if known is not None:
        ev = Evaluation(fit.ev.models, fit.ev.task, fit.ev.tables.mean(axis=0))
    check_evaluation(ev)
    metrics = resolve_metrics(metrics, ev)
    curves = known or posteriors(
        ev,
        metrics,
        prior=ev.check_prior(prior),
        assumption=assumption,
        n_draws=n_draws,
        rng=check_rng(rng),
    )
    with panels(len(metrics), ax=ax, height=1.7) as axes:
        for panel, metric in zip(axes, metrics, strict=True):
            _draw_posteriors(
                panel, metric, [curves[name, metric.name] for name in ev.names], _runs(ev, metric)
            )
        _name_models(axes, ev.names)
    return axes


def _runs(ev: Evaluation, metric: Metric) -> list[FloatArray]:
    scores = metric(ev.tables, ev.cells)
    return [scores[[ev.models.index(run) for run in method.runs]] for method in ev.methods]


def draw_scores(c: Comparison, ax: Axes) -> None:
    """Draw the posteriors of both scores of a comparison, as `plot_posterior` does."""
    _draw_posteriors(ax, c.definition, [c.posterior_a, c.posterior_b], [])
    _name_models(np.array([ax], object), [c.model_a, c.model_b])


def _draw_posteriors(
    panel: Axes, metric: Metric, curves: Sequence[Posterior], runs: Sequence[FloatArray]
) -> None:
    """Draw one curve a model, and runs as points below."""
    for i, distribution in enumerate(curves):
        x = _curve_points(distribution)
        if len(x) == 1:
            # All draws are alike: there is no density.
            panel.axvline(x[0], color=colour_of(i))
            continue
        y = distribution.pdf(x)
        panel.plot(x, y, color=colour_of(i), marker=marker_of(i), markevery=[int(np.argmax(y))])
    step = 0.06 * panel.get_ylim()[1]
    for i, scores in enumerate(runs):
        dots: dict[str, Any] = {"color": colour_of(i), "marker": marker_of(i), "markersize": 3, "alpha": 0.7}
        panel.plot(scores, np.full(len(scores), -step * (i + 1)), linestyle="none", clip_on=False, **dots)
    panel.set_ylim(bottom=-step * (len(runs) + 0.7) if runs else 0.0)
    label_x(panel, f"{metric.label} (%)" if metric.percent else metric.label)
    # A density is that of a point if the axis is in points.
    round_ticks(panel.xaxis, 100.0 if metric.percent else 1.0)
    round_ticks(panel.yaxis, 0.01 if metric.percent else 1.0)


def _name_models(axes: AxesArray, models: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    label_density(axes)
    handles = [Line2D([], [], color=colour_of(i), marker=marker_of(i)) for i in range(len(models))]
    legend_below(axes, handles, models)


def _curve_points(distribution: Posterior, *extra: float) -> FloatArray:
    """Return where a density is drawn, from the 0.001 to the 0.999 quantile, and at further points between."""
    low, high = distribution.ppf(_TAIL), distribution.isf(_TAIL)
    return np.union1d(np.linspace(low, high, _POINTS), [x for x in extra if low < x < high])


@checked
def plot_difference(
    res: Mapping[str, Comparison] | Comparison,
    *,
    ax: AxesLike | None = None,
) -> AxesArray:
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
    found = _compared(res)
    first = found[0]
    with panels(len(found), ax=ax, height=1.8) as axes:
        for c, panel in zip(found, axes, strict=True):
            draw_difference(panel, c)
        label_density(axes)
        caption_below(axes, [first.model_b, f"minus {first.model_a}"])
    return axes


def _compared(res: Mapping[str, Comparison] | Comparison) -> list[Comparison]:
    """Return the comparisons of a result."""
    found: list[Any] = [*res.values()] if isinstance(res, Mapping) else [res]
    if not found or not all(hasattr(c, "difference") and hasattr(c, "p_h1") for c in found):
        raise ValueError(f"res is a Comparison or Comparisons, as compare returns, not {quoted(res)}")
    return found


def _difference_label(label: str, *, percent: bool) -> str:
    return f"Difference in {label} (points)" if percent else f"Difference in {label}"


def draw_difference(panel: Axes, c: Comparison) -> None:
    """Draw the density of one difference, with its interval, its region and the probabilities."""
    from matplotlib.patches import Rectangle

    rope, distribution, percent = bool(c.rope), c.difference, c.definition.percent
    x = _curve_points(distribution, 0.0)
    # All draws may be alike, and then there is no density.
    y = distribution.pdf(x) if len(x) > 1 else np.ones(1)
    peak = float(y.max())
    if rope:
        low, high = c.rope.differences(c.definition)
        panel.add_patch(Rectangle((low, 0.0), high - low, 1.06 * peak, color=SHADE, linewidth=0, zorder=0))
    panel.vlines(0.0, 0.0, 1.06 * peak, color=RULE, linewidth=0.8, zorder=1)
    if len(x) > 1:
        ahead = c.definition.sign * x
        panel.fill_between(x, y, where=ahead >= 0, color=_BETTER, alpha=0.35, linewidth=0)
        panel.fill_between(
            x, y, where=ahead <= 0, facecolor="none", edgecolor=RULE, hatch="/////", linewidth=0
        )
        panel.plot(x, y, color=_BETTER)
    else:
        panel.vlines(x, 0.0, peak, color=_BETTER)
    low, high = distribution.interval(c.prob)
    panel.plot([low, high], [-0.08 * peak] * 2, color="black", linewidth=2.5, solid_capstyle="butt")
    # Each hypothesis on its side of 0.
    left, right = [equation("P(H0)", c.p_h0), equation("P(H1)", c.p_h1)][:: int(c.definition.sign)]
    digits = digits_of(low, high, percent=percent)
    ends = ", ".join(points(end, digits, sign=True, percent=percent) for end in (low, high))
    texts = [
        (0.01, 1.0, "left", left),
        (0.99, 1.0, "right", right),
        (0.5, 0.01, "center", f"{100 * c.prob:g} % interval [{ends}]"),
        *([(0.5, 0.89, "center", equation("P(rope)", c.p_rope))] if rope else []),
    ]
    for across, up, side, text in texts:
        va = "top" if up > 0.5 else "bottom"
        note(panel, across, up, text, ha=side, va=va, transform=panel.transAxes)
    panel.set_ylim(-0.3 * peak, peak * (1.5 if rope else 1.28))
    panel.set_yticks([])
    panel.spines[["left", "right", "top"]].set_visible(False)
    round_ticks(panel.xaxis, 100.0 if percent else 1.0)
    label_x(panel, _difference_label(c.label, percent=percent))


# ---- intervals below each other ---------------------------------------------------------------------------


@checked
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
    >>> from bayesf1 import from_counts
    >>> from bayesf1.frequentist.intervals import intervals
    >>> ax = plot_intervals(intervals(from_counts(A=(77, 44, 10)), "A", rng=1))
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['Clopper–Pearson', 'Wald']
    """
    rows = _belongs(res, "rows", "Intervals", "intervals").rows
    names = [
        f"{row.label}{' (overshoots)' * row.overshoot}{' (zero width)' * row.degenerate}" for row in rows
    ]
    with _forest(names, ax=ax) as panel:
        panel.axvline(res.estimate, color=RULE, linestyle="--", linewidth=0.8, zorder=0)
        for i, row in enumerate(rows):
            look: dict[str, Any] = (
                {"color": _BETTER, "marker": "s", "linewidth": 2.0}
                if row.kind == "credible"
                else {"color": "black", "marker": "x" if row.degenerate else "|", "linewidth": 1.0}
            )
            panel.plot([row.low, row.high], [i, i], **look)
        *others, model = res.models
        score = f"{res.label} (%)" if res.percent else res.label
        label_x(panel, _difference_label(res.label, percent=res.percent) if others else score)
        round_ticks(panel.xaxis, 100.0 if res.percent else 1.0)
        level = f"({100 * res.confidence_level:g} % intervals)"
        caption_below([panel], [model, *(f"minus {name}" for name in others), level])
    return panel


@checked
def plot_classes(
    res: Mapping[str, Comparison],
    *,
    apart: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw the difference of B minus A for every class, sorted, with its interval.

    Classes where B is likelier the better have a triangle to the right, others one to the left; it is filled
    where the comparison is decisive. The region of practical equivalence is shaded.

    Parameters
    ----------
    res
        A `Comparison` for each class, as `compare_classes` returns.
    apart
        How many of the first entries stand above the others and a line, in their own order.
    ax
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
    _compared(res)
    rows = list(res.items())
    if not 0 <= apart <= len(rows):
        raise ValueError(f"apart is how many of the {len(rows)} rows stand apart, not {quoted(apart)}")
    ordered = rows[:apart] + sorted(rows[apart:], key=lambda entry: -float(entry[1].difference.mean()))
    first = ordered[0][1]
    with _forest([_class_of(name) for name, _ in ordered], ax=ax) as panel:
        if first.rope:
            panel.axvspan(*first.rope.differences(first.definition), color=SHADE, linewidth=0, zorder=0)
        panel.axvline(0.0, color=RULE, linewidth=0.8, zorder=1)
        if apart:
            panel.axhline(apart - 0.5, color=RULE, linewidth=0.5, zorder=0)
        small = panel.yaxis.get_ticklabels()[0].get_fontsize()
        beside = {"transform": panel.get_yaxis_transform(), "ha": "left", "va": "center", "fontsize": small}
        for i, (_, c) in enumerate(ordered):
            better, decisive = c.p_h1 > c.p_h0, max(c.p_h0, c.p_h1) >= c.threshold
            colour = _BETTER if better else _WORSE
            panel.plot(c.difference.interval(c.prob), [i, i], color=colour, solid_capstyle="butt")
            look: dict[str, Any] = {"marker": ">" if better else "<", "markersize": 5}
            look["markerfacecolor"] = colour if decisive else "white"
            panel.plot([c.difference.mean()], [i], color=colour, **look)
            note(panel, 1.03, i, probability(c.p_h1), **beside)
        note(panel, 1.03, -1.0, "P(H1)", **beside)
        labels = {c.label.partition("[")[0] for _, c in ordered}
        percent = all(c.definition.percent for _, c in ordered)
        label_x(panel, _difference_label(labels.pop() if len(labels) == 1 else "scores", percent=percent))
        round_ticks(panel.xaxis, 100.0 if percent else 1.0)
        caption_below([panel], [first.model_b, f"minus {first.model_a}"])
    return panel


@contextmanager
def _forest(names: Sequence[str], *, ax: Axes | None) -> Iterator[Axes]:
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


def _class_of(name: str) -> str:
    """Return the class that a metric such as ``f1[PER]`` is of, and other names as they are."""
    found = re.fullmatch(r"[^\[\]]+\[(.*)\]", name, flags=re.DOTALL)
    return name if found is None else found[1]


# ---- rankings ---------------------------------------------------------------------------------------------


@checked
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
    names = _belongs(ranking, "p_beats", "Ranking", "rank").models
    k = len(names)
    labels = [f"{name}  {i}" for i, name in enumerate(wrapped(names, 22), start=1)]
    beats = np.where(np.eye(k, dtype=bool), np.nan, ranking.p_beats)
    least = ranking.settings.rope.high
    margin = f" by > {least:g}" if least else ""
    # Labels and margins take 1.8 inches or so.
    annotate = (PAGE - 1.8) / (2 * k) >= _LEAST_CELL
    row = 0.24 if annotate or any("\n" in name for name in labels) else 0.16
    with panels(2, ax=ax, height=0.75 + row * max(k, 3)) as axes:
        left, right = axes
        _draw_heat(left, beats, annotate=annotate)
        mesh = _draw_heat(right, ranking.p_rank, annotate=annotate)
        if not annotate:
            left.get_figure().colorbar(mesh, ax=list(axes), label="Probability", aspect=40)
        left.set_yticks(np.arange(k), labels, **PLAIN)
        right.set_yticks([])
        left.set_title(words(f"P(row beats column{margin})"), **PLAIN)
        right.set_title("P(rank)")
        left.set_xlabel("Model by its number")
        label_x(right, f"Rank in {ranking.label}")
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
            # Two decimals, and never 0 or 1.
            brief = probability(values[i, j], digits=2).replace("0.", ".")
            note(panel, j, i, brief, ha="center", va="center", color=ink)
    step = -(-columns // _MOST_TICKS)
    panel.set_xticks(np.arange(0, columns, step), [str(j + 1) for j in range(0, columns, step)])
    panel.tick_params(length=0)
    panel.invert_yaxis()
    panel.spines[:].set_visible(False)
    return mesh
