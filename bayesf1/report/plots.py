"""Figures of posteriors, differences and coverage, set for a paper.

Every function takes ``ax=``, axes of your own, and then leaves matplotlib's settings alone. Without it a new
figure of pyplot is made, 3.03 inches wide for one panel and 6.3 for several; ``plt.close`` frees it. Its
`savefig` embeds TrueType fonts and escapes names for PGF; `save_plot` does so for any figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng, checked
from bayesf1.base.naming import shown
from bayesf1.base.table import equation
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.posterior import posteriors
from bayesf1.designs.design import BlockedCV, Discount
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measures
from bayesf1.laws.law import Posterior
from bayesf1.report.plot_style import (
    RULE,
    SHADE,
    STEPS,
    AxesArray,
    caption_below,
    colour_of,
    few_ticks,
    label_x,
    legend_below,
    marker_of,
    note,
    panels,
)
from bayesf1.report.units_of_figures import (
    INTERVALS,
    ends_of,
    gap_label,
    in_percent,
    score_label,
    signed,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayesf1.frequentist.coverage import CoverageCurve
    from bayesf1.report.plot_style import AxesLike

# Wang & Li (2019), Section 4.1: "each curve ranges from 0.001 quantile to 0.999 quantile".
TAIL = 0.001
POINTS = 401
# Draws of tables are cheap, those of the weights of many patterns are not.
DRAWS = 500_000, 50_000


@checked
def plot_posterior(
    ev: Evaluation,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    beside: Discount | None = "wang-2015",
    prior: float | None = None,
    assumption: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
    width: float | None = None,
    ax: AxesLike | None = None,
) -> AxesArray:
    """Draw what is believed about every model's scores, one panel a metric: Figures 1 to 3 of Wang & Li.

    Each curve goes from the 0.001 to the 0.999 quantile, with a marker at its peak. Densities are exact where
    a law is known and kernel estimates from draws where none is. Runs of a method are points below its curve.

    Parameters
    ----------
    ev
        The evaluation.
    metrics
        Names of measures, or callables on tables (..., cell); precision, recall and F1 by default.
    beside
        After blocked cross-validation, another discount whose curves are dash-dotted; None for none.
    prior, assumption, n_draws, rng
        As in `posterior`; by default as many draws as make a curve smooth, where any are needed.
    width, ax
        Width of the figure in inches, 3.03 for one panel and 6.3 for more; axes to draw on, as many as metrics.

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
    from matplotlib.lines import Line2D

    check_evaluation(ev)
    if ev.shape:
        raise ValueError(f"a figure shows one experiment, but the tables have leading axes {ev.shape}")
    measures, folds = find_measures(metrics, ev), ev.folds
    name = "" if folds is None else _discount_name(folds.rule, folds.k)
    curves: list[tuple[Evaluation, Any, str]] = [(ev, "-", name)]
    if beside is not None and folds is not None and isinstance(folds.cv, BlockedCV):
        k = folds.cv.discount(beside)
        if not np.isclose(k, folds.k):
            curves.append((ev.scaled(k / folds.k), "-.", _discount_name(beside, k)))
    smooth = DRAWS[ev.under(assumption).shared]
    settings: dict[str, Any] = {
        "prior": ev.kind.check_prior(prior),
        "assumption": assumption,
        "n_draws": smooth if n_draws is None else check_draws(n_draws),
        "rng": check_rng(rng),
    }
    with panels(len(measures), ax=ax, width=width, height=1.7) as axes:
        for data, style, _ in curves:
            beliefs = posteriors(data, measures, **settings)
            for panel, measure in zip(axes, measures, strict=True):
                for i, model in enumerate(ev.names):
                    marked = {"marker": marker_of(i)} if style == "-" else {}
                    law = beliefs[model, measure.name]
                    _draw_density(panel, law, color=colour_of(i), linestyle=style, **marked)
        for panel, measure in zip(axes, measures, strict=True):
            _draw_runs(panel, ev, measure)
            label_x(panel, score_label(measure.label, percent=measure.percent))
            _number_ticks(panel, 3 if len(measures) > 3 else 4, below=bool(ev.methods))
            in_percent(panel.xaxis, percent=measure.percent)
            # A density is that of a point where the axis is in points.
            in_percent(panel.yaxis, percent=measure.percent, scale=0.01)
        axes[0].set_ylabel("Posterior density")
        handles = [Line2D([], [], color=colour_of(i), marker=marker_of(i)) for i in range(len(ev.names))]
        labels = list(ev.names)
        if len(curves) > 1:
            handles += [Line2D([], [], color=RULE, linestyle=style) for _, style, _ in curves]
            labels += [name for _, _, name in curves]
        legend_below(axes, handles, labels)
    return axes


def _discount_name(rule: Discount, k: float) -> str:
    return f"discount {k:.3g} ({rule})" if isinstance(rule, str) else f"discount {k:.3g}"


@checked
def plot_difference(
    res: Mapping[str, Comparison] | Comparison,
    *,
    prob: float | None = None,
    interval: str = "equal-tailed",
    width: float | None = None,
    ax: AxesLike | None = None,
) -> AxesArray:
    """Draw the density of B minus A, one panel a metric.

    The region of practical equivalence is shaded, the part of the density that favours B (H1) filled, the
    part that does not (H0) hatched; the bar below is the interval that tables and sentences have.

    Parameters
    ----------
    res
        What `compare` returned, or one `Comparison` of it.
    prob
        Mass of the interval; by default that of the comparison.
    interval
        ``"equal-tailed"``, or ``"hdi"`` for that of the highest density.
    width, ax
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
    ['P(H0) = 0.587', 'P(H1) = 0.413']
    """
    found = compared(res)
    first = found[0]
    with panels(len(found), ax=ax, width=width, height=1.8, columns=3) as axes:
        for c, panel in zip(found, axes, strict=True):
            _draw_difference(panel, c, c.prob if prob is None else check_prob(prob), interval)
            label_x(panel, gap_label(c.label, percent=c.measure.percent))
        axes[0].set_ylabel("Posterior density")
        caption_below(axes, [first.model_b, f"minus {first.model_a}"])
    return axes


@checked
def plot_coverage(
    curve: CoverageCurve, *, width: float | None = None, ax: AxesLike | None = None
) -> AxesArray:
    """Draw how often intervals hold the true score, and how long they are, as the test set grows.

    Parameters
    ----------
    curve
        Coverage and length of several methods at several numbers of items.
    width, ax
        Width of the figure in inches, 6.3 by default; two axes to draw on.

    Returns
    -------
    ndarray of Axes
        Coverage, with the nominal level as a dashed line, then expected length.

    Examples
    --------
    >>> from bayesf1.frequentist.coverage import coverage_curve
    >>> axes = plot_coverage(coverage_curve([25, 50, 100], 0.4, 0.1, 0.1))
    >>> [ax.get_ylabel() for ax in axes]
    ['Coverage (%)', 'Expected length (points)']
    """
    from matplotlib.ticker import MaxNLocator

    if not hasattr(curve, "coverage"):
        raise ValueError(f"curve is a CoverageCurve, as coverage_curve returns, not {shown(curve)}")
    n = curve.n
    with panels(2, ax=ax, width=width, height=2.1) as axes:
        left, right = axes
        left.axhline(curve.confidence_level, color=RULE, linestyle="--", linewidth=0.8, zorder=0)
        handles = []
        for i, (covered, length) in enumerate(zip(curve.coverage, curve.length, strict=True)):
            style = {"color": colour_of(i), "marker": marker_of(i), "markevery": max(1, len(n) // 8)}
            handles += left.plot(n, covered, **style)
            right.plot(n, length, **style)
        for panel, what in ((left, "Coverage (%)"), (right, "Expected length (points)")):
            if n.max() > 20 * n.min():
                panel.set_xscale("log")
                panel.xaxis.set_major_formatter("{x:,.10g}")
                panel.xaxis.set_minor_formatter("")
            panel.set_xlabel("Number of items")
            panel.set_ylabel(what)
            panel.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=STEPS))
            in_percent(panel.yaxis)
        right.set_ylim(bottom=0.0)
        legend_below(axes, handles, curve.labels)
    return axes


def compared(res: Mapping[str, Comparison] | Comparison) -> list[Comparison]:
    """Return the comparisons of a result, each of a single experiment."""
    found = [res] if isinstance(res, Comparison) else [*res.values()] if isinstance(res, Mapping) else []
    if not found or not all(isinstance(c, Comparison) for c in found):
        raise ValueError(f"res is a Comparison or Comparisons, as compare returns, not {shown(res)}")
    if np.ndim(found[0].p_h1):
        raise ValueError("a figure shows one experiment, but these comparisons have leading axes")
    return found


def curve_points(law: Posterior, *extra: float) -> FloatArray:
    """Return where a density is drawn, from the 0.001 to the 0.999 quantile, and at further points between."""
    low, high = law.ppf(TAIL), law.isf(TAIL)
    return np.union1d(np.linspace(low, high, POINTS), [x for x in extra if low < x < high])


def _draw_density(panel: Axes, law: Posterior, **style: Any) -> None:
    x = curve_points(law)
    if len(x) == 1:
        # All draws are alike: there is no density.
        panel.axvline(x[0], **{key: value for key, value in style.items() if key != "marker"})
        return
    y = law.pdf(x)
    panel.plot(x, y, markevery=[int(np.argmax(y))], **style)


def _draw_runs(panel: Axes, ev: Evaluation, measure: Metric) -> None:
    """Draw the runs of each method as points below the curves, a row for each method."""
    if not ev.methods:
        return
    scores = measure(ev.tables, ev.cells)
    step = 0.06 * panel.get_ylim()[1]
    for i, method in enumerate(ev.methods):
        x = scores[[ev.models.index(run) for run in method.runs]]
        look: dict[str, Any] = {
            "color": colour_of(i),
            "marker": marker_of(i),
            "markersize": 3.0,
            "alpha": 0.7,
        }
        panel.plot(x, np.full(len(x), -step * (i + 1)), linestyle="none", clip_on=False, **look)
    panel.set_ylim(bottom=-step * (len(ev.methods) + 0.7))


def _number_ticks(panel: Axes, most: int, *, below: bool) -> None:
    from matplotlib.ticker import AutoMinorLocator, MaxNLocator

    few_ticks(panel, most)
    panel.yaxis.set_major_locator(MaxNLocator(nbins=4, steps=STEPS, min_n_ticks=2))
    panel.xaxis.set_minor_locator(AutoMinorLocator())
    panel.tick_params(which="minor", length=1.5, width=0.5)
    panel.ticklabel_format(axis="y", useOffset=False)
    if not below:
        panel.set_ylim(bottom=0.0)


def _draw_difference(panel: Axes, c: Comparison, prob: float, interval: str) -> None:
    from matplotlib.patches import Rectangle

    law = c.difference
    x = curve_points(law, 0.0)
    # All draws may be alike, and then there is no density.
    y = law.pdf(x) if len(x) > 1 else np.ones(1)
    peak = float(y.max())
    if c.region:
        low, high = c.region.differences(c.measure)
        panel.add_patch(Rectangle((low, 0.0), high - low, 1.06 * peak, color=SHADE, linewidth=0, zorder=0))
    panel.vlines(0.0, 0.0, 1.06 * peak, color=RULE, linewidth=0.8, zorder=1)
    if len(x) > 1:
        ahead = c.measure.sign * x
        panel.fill_between(x, y, where=ahead >= 0, color=colour_of(0), alpha=0.35, linewidth=0)
        panel.fill_between(
            x, y, where=ahead <= 0, facecolor="none", edgecolor=RULE, hatch="/////", linewidth=0
        )
        panel.plot(x, y, color=colour_of(0))
    else:
        panel.vlines(x, 0.0, peak, color=colour_of(0))
    low, high = ends_of(law, prob, interval)
    panel.plot([low, high], [-0.08 * peak] * 2, color="black", linewidth=2.5, solid_capstyle="butt")
    # Each hypothesis on its side of 0.
    left, right = [equation("P(H0)", c.p_h0), equation("P(H1)", c.p_h1)][
        :: -1 if c.measure.lower_is_better else 1
    ]
    texts = [
        (0.01, 1.0, "left", left),
        (0.99, 1.0, "right", right),
        (
            0.5,
            0.01,
            "center",
            f"{100 * prob:g} % {INTERVALS[interval]} {signed(low, high, percent=c.measure.percent)}",
        ),
    ]
    if c.region:
        texts.append((0.5, 0.89, "center", equation("P(rope)", c.p_rope)))
    for across, up, side, text in texts:
        va = "top" if up > 0.5 else "bottom"
        note(panel, across, up, text, ha=side, va=va, transform=panel.transAxes)
    panel.set_ylim(-0.3 * peak, peak * (1.5 if c.region else 1.28))
    panel.set_yticks([])
    panel.spines[["left", "right", "top"]].set_visible(False)
    few_ticks(panel)
    in_percent(panel.xaxis, percent=c.measure.percent)
