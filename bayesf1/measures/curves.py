r"""ROC and precision-recall curves with credible bands, by the Bayesian bootstrap over items.

Items with the same score are on the same side of every threshold, as in scikit-learn. The bootstrap weighs items by :math:`w
\sim \mathrm{Dirichlet}(1, \dots, 1)` and draws the curve of the weighted items. It cannot go beyond the sample: if scores
separate the classes perfectly, the band has no width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesf1.base import checks
from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.base.checks import ArrayLike, Numbers, OneLabel, RNGLike
from bayesf1.io.label_values import read_labels
from bayesf1.io.labels import positive_items
from bayesf1.tasks.probabilities import ScoreOrder, pr_area, roc_area

# Draws are made in blocks of this many numbers, which fit into a cache.
_BLOCK = 1 << 17


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve with a credible band, read at evenly spaced points.

    Attributes
    ----------
    kind
        ``"roc"`` or ``"pr"``.
    x
        False positive rates or recalls, evenly spaced from 0 to 1.
    y
        True positive rates or precisions there.
    low, high
        The band: for each x, an equal-tailed interval of y.
    area
        Area under the curve: ROC-AUC by trapezoids, or average precision.
    area_interval
        Equal-tailed interval of the area.
    area_draws
        Draws of the area. Draws of two models on the same items, made with the same whole number as `rng` or with
        generators in the same state, have the same weights of items: their differences are paired.
    prob
        Probability of the band at each x, and of the interval.
    """

    kind: str
    x: FloatArray
    y: FloatArray
    low: FloatArray
    high: FloatArray
    area: float
    area_interval: tuple[float, float]
    area_draws: FloatArray
    prob: float

    def __repr__(self) -> str:
        low, high = self.area_interval
        return f"<Curve {self.kind}: area {self.area:.4f}, {100 * self.prob:g} % in [{low:.4f}, {high:.4f}]>"


def roc_curve(
    y_true: ArrayLike,
    scores: Numbers,
    *,
    positive: OneLabel = None,
    n_points: int = 201,
    prob: float = 0.95,
    n_draws: int = 2000,
    rng: RNGLike = None,
) -> Curve:
    r"""Return the trade-off of true against false positive rate, with a credible band.

    Parameters
    ----------
    y_true
        Gold labels.
    scores
        The model's score of each item, higher if the positive label is more probable.
    positive
        The label that counts as positive; may be left out if it is beyond doubt (1, True, yes, …).
    n_points
        At how many evenly spaced false positive rates the curve is read.
    prob
        Probability of the band and of the area's interval.
    n_draws, rng
        Number of draws and source of randomness.

    Examples
    --------
    >>> curve = roc_curve([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9], rng=1)
    >>> curve.area
    0.888...
    >>> low, high = curve.area_interval
    >>> 0 < low < curve.area < high <= 1
    True
    """
    items = _sorted(y_true, scores, positive)
    return _curve("roc", items, n_points=n_points, prob=prob, n_draws=n_draws, rng=rng)


def pr_curve(
    y_true: ArrayLike,
    scores: Numbers,
    *,
    positive: OneLabel = None,
    interpolated: bool = False,
    n_points: int = 201,
    prob: float = 0.95,
    n_draws: int = 2000,
    rng: RNGLike = None,
) -> Curve:
    r"""Return the trade-off of precision against recall, with a credible band.

    Precision at recall r is that of the shortest list whose recall is at least r, so the area under the curve is the average
    precision :math:`\sum_n (R_n - R_{n-1}) P_n`. At recall 0 it is that of the first relevant item.

    Parameters
    ----------
    y_true, scores, positive, prob, n_draws, rng
        As in `roc_curve`.
    interpolated
        Whether y is the highest precision of all lists whose recall is at least r. With 11 points this is the
        11-point interpolated curve; the area stays the average precision, as interpolation flatters.
    n_points
        At how many evenly spaced recalls the curve is read.

    Examples
    --------
    >>> curve = pr_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], n_points=3, interpolated=True, rng=1)
    >>> curve.area, curve.x, curve.y
    (0.833..., array([0. , 0.5, 1. ]), array([1. , 1. , 0.666...]))

    References
    ----------
    Manning, Raghavan & Schütze (2008), section 8.4; Davis & Goadrich (2006), ICML.
    """
    items = _sorted(y_true, scores, positive)
    return _curve(
        "pr", items, interpolated=interpolated, n_points=n_points, prob=prob, n_draws=n_draws, rng=rng
    )


def roc_auc(y_true: ArrayLike, scores: Numbers, *, positive: OneLabel = None) -> float:
    """Area under the ROC curve, by trapezoids: a chance of 1/2 for ties.

    Parameters
    ----------
    y_true, scores, positive
        As in `roc_curve`.

    Examples
    --------
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    tp, fp = _sums(y_true, scores, positive)
    return float(roc_area(tp, fp))


def pr_ap(y_true: ArrayLike, scores: Numbers, *, positive: OneLabel = None) -> float:
    r"""Average precision of scored items, :math:`\sum_n (R_n - R_{n-1}) P_n`.

    Parameters
    ----------
    y_true, scores, positive
        As in `roc_curve`.

    Examples
    --------
    >>> pr_ap([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.833...
    """
    tp, fp = _sums(y_true, scores, positive)
    return float(pr_area(tp, fp))


def _sorted(y_true: ArrayLike, scores: Numbers, positive: Any) -> ScoreOrder:
    """Sort items by their scores; raise a ValueError if these are not finite numbers, one for each item."""
    gold = read_labels(y_true, "y_true")
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != gold.shape or not len(gold):
        raise ValueError(
            f"scores have shape {values.shape} for {len(gold)} items of y_true; give one for each"
        )
    finite = np.isfinite(values)
    if not finite.all():
        i = int(np.argmin(finite))
        raise ValueError(f"scores hold {values[i]} at item {i + 1}; scores are finite numbers")
    return ScoreOrder.sort(positive_items(gold, positive), values)


def _sums(y_true: ArrayLike, scores: Numbers, positive: Any) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of true and of false positives down to each distinct score, both from 0 on."""
    items = _sorted(y_true, scores, positive)
    return items.sums(np.ones(len(items)))


def _roc_at(points: FloatArray, tp: FloatArray, fp: FloatArray) -> FloatArray:
    """Return true positive rates at false positive rates: linear between corners, the upper end where the curve rises.

    Counts have axes (draw, corner), the result (draw, point).
    """
    x = fp / fp[:, -1:]
    y = tp / tp[:, -1:]
    after = np.clip([np.searchsorted(row, points, side="right") for row in x], 1, x.shape[1] - 1)
    x_before = np.take_along_axis(x, after - 1, axis=1)
    x_after = np.take_along_axis(x, after, axis=1)
    y_before = np.take_along_axis(y, after - 1, axis=1)
    y_after = np.take_along_axis(y, after, axis=1)
    width = x_after - x_before
    share = np.divide(points - x_before, width, out=np.ones_like(width), where=x_after > x_before)
    return y_before + np.clip(share, 0.0, 1.0) * (y_after - y_before)


def _precision_at(points: FloatArray, tp: FloatArray, fp: FloatArray, *, interpolated: bool) -> FloatArray:
    """Return precisions of the shortest lists with a recall of each point, or the highest of these and longer lists.

    Counts have axes (draw, corner), the result (draw, point).
    """
    # The corner of the empty list has no precision.
    hits = tp[:, 1:]
    listed = hits + fp[:, 1:]
    recall = hits / hits[:, -1:]
    precision = np.divide(hits, listed, out=np.zeros_like(hits), where=hits > 0)
    if interpolated:
        from_the_end = precision[:, ::-1]
        precision = np.maximum.accumulate(from_the_end, axis=1)[:, ::-1]
    # The first corner with at least the recall of the point; it always exists, as recall ends with 1.
    first = np.stack([np.searchsorted(row, points) for row in recall])
    return np.take_along_axis(precision, first, axis=1)


def _curve(
    kind: str,
    items: ScoreOrder,
    *,
    interpolated: bool = False,
    n_points: int,
    prob: float,
    n_draws: int,
    rng: RNGLike,
) -> Curve:
    """Return a curve of items in order of their scores, with its band."""
    checks.check_prob(prob)
    checks.check_draws(n_draws)
    checks.check_whole(n_points, "n_points", 2, 5)
    generator = checks.check_rng(rng)
    points = np.linspace(0.0, 1.0, n_points)
    corners = items.corners(kind)

    def read(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the curves, axes (draw, point), and their areas, given weights of items, axes (draw, item)."""
        tp, fp = corners.sums(weights)
        if kind == "roc":
            return _roc_at(points, tp, fp), roc_area(tp, fp)
        return _precision_at(points, tp, fp, interpolated=interpolated), pr_area(tp, fp)

    observed, observed_area = read(np.ones((1, len(corners))))
    curves = []
    areas = []
    for n in blocks_of(n_draws, len(corners), _BLOCK):
        # Weights of the Bayesian bootstrap. Their scale is free, as rates and areas are ratios.
        curve_draws, area_draws = read(generator.standard_exponential((n, len(corners))))
        curves.append(curve_draws)
        areas.append(area_draws)
    tails = [0.5 * (1.0 - prob), 0.5 * (1.0 + prob)]
    low, high = np.quantile(np.concatenate(curves), tails, axis=0)
    all_areas = np.concatenate(areas)
    area_low, area_high = np.quantile(all_areas, tails).tolist()
    return Curve(
        kind,
        x=points,
        y=observed[0],
        low=low,
        high=high,
        area=float(observed_area[0]),
        area_interval=(area_low, area_high),
        area_draws=all_areas,
        prob=float(prob),
    )
