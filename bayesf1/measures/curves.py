r"""ROC and precision-recall curves with credible bands, by the Bayesian bootstrap over items.

Items with the same score stand or fall together, as in scikit-learn. The bootstrap weighs items by
:math:`w \sim \mathrm{Dirichlet}(1, \dots, 1)` and draws the curve of the weighted items; it knows nothing that
the sample did not show, so where scores separate the classes perfectly the band has no width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesf1.base import checks
from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.base.checks import ArrayLike, Numbers, OneLabel, RNGLike
from bayesf1.base.naming import quoted
from bayesf1.io.label_values import read_labels
from bayesf1.io.labels import CodedLabels, distinct_labels, guess_positive
from bayesf1.tasks.probabilities import ScoreOrder, pr_area, roc_area

# Numbers in flight in one block of draws: what a cache holds.
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
        Draws of the area. Draws of two systems on the same items, made with the same whole number as `rng` or with
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
        The system's score of each item, higher where it believes more in the positive label.
    positive
        The label that counts as positive; may be left out where it is beyond doubt (1, True, yes, …).
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
    return _curve("roc", _sorted(y_true, scores, positive), False, n_points, prob, n_draws, rng)


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

    Precision at recall r is that of the shortest list whose recall is at least r, so that the area under the curve is
    the average precision :math:`\sum_n (R_n - R_{n-1}) P_n`. At recall 0 it is that of the first relevant item.

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
    return _curve("pr", _sorted(y_true, scores, positive), interpolated, n_points, prob, n_draws, rng)


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
    return float(roc_area(*_sums(y_true, scores, positive)))


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
    return float(pr_area(*_sums(y_true, scores, positive)))


def _sorted(y_true: ArrayLike, scores: Numbers, positive: Any) -> ScoreOrder:
    """Sort items by their scores, or say what is wrong with them."""
    gold, values = read_labels(y_true, "y_true"), np.asarray(scores, dtype=np.float64)
    if values.shape != gold.shape or not len(gold):
        raise ValueError(
            f"scores have shape {values.shape} for {len(gold)} items of y_true; give one for each"
        )
    if not np.isfinite(values).all():
        i = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"scores hold {values[i]} at item {i + 1}; scores are finite numbers")
    positive = guess_positive(distinct_labels([CodedLabels.of(gold)])) if positive is None else positive
    hit = np.asarray(gold == positive)
    if hit.all() or not hit.any():
        lacking = "negative" if hit.all() else "positive"
        raise ValueError(f"y_true holds no {lacking} item (positive={quoted(positive)})")
    return ScoreOrder.sort(hit, values)


def _sums(y_true: ArrayLike, scores: Numbers, positive: Any) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of true and of false positives down to each distinct score; 0 to begin with."""
    items = _sorted(y_true, scores, positive)
    return items.sums(np.ones(len(items)))


def _read_line(x: FloatArray, y: FloatArray, at: FloatArray) -> FloatArray:
    """Read curves (draw, corner) at points `at`, straight between corners, the upper end where they rise."""
    after = np.clip([np.searchsorted(row, at, side="right") for row in x], 1, x.shape[1] - 1)
    (x0, x1), (y0, y1) = ([np.take_along_axis(z, i, axis=1) for i in (after - 1, after)] for z in (x, y))
    share = np.divide(at - x0, x1 - x0, out=np.ones_like(x0), where=x1 > x0)
    return y0 + np.clip(share, 0.0, 1.0) * (y1 - y0)


def _curve(
    kind: str, items: ScoreOrder, interpolated: bool, n_points: int, prob: float, n_draws: int, rng: RNGLike
) -> Curve:
    prob, n_draws, generator = checks.check_prob(prob), checks.check_draws(n_draws), checks.check_rng(rng)
    at, items = np.linspace(0.0, 1.0, checks.check_whole(n_points, "n_points", 2, 5)), items.corners(kind)

    def read(tp: FloatArray, fp: FloatArray) -> tuple[FloatArray, FloatArray]:
        if kind == "roc":
            return _read_line(fp / fp[:, -1:], tp / tp[:, -1:], at), roc_area(tp, fp)
        hits = tp[:, 1:]
        x, y = hits / hits[:, -1:], np.divide(hits, hits + fp[:, 1:], out=np.zeros_like(hits), where=hits > 0)
        highest = np.maximum.accumulate(y[:, ::-1], axis=1)[:, ::-1] if interpolated else y
        # The first corner that is as far as the point: there always is one, as x ends with 1.
        corners = np.stack([np.searchsorted(row, at) for row in x])
        return np.take_along_axis(highest, corners, axis=1), pr_area(tp, fp)

    (y,), (area,) = read(*items.sums(np.ones((1, len(items)))))
    # Weights of the Bayesian bootstrap; their scale is free, as all that is read are ratios.
    sizes = blocks_of(n_draws, len(items), _BLOCK)
    drawn = (items.sums(generator.standard_exponential((n, len(items)))) for n in sizes)
    bands, areas = zip(*(read(*sums) for sums in drawn), strict=True)
    tails = [0.5 * (1.0 - prob), 0.5 * (1.0 + prob)]
    low, high = np.quantile(np.concatenate(bands), tails, axis=0)
    left, right = np.quantile(area_draws := np.concatenate(areas), tails).tolist()
    return Curve(kind, at, y, low, high, float(area), (left, right), area_draws, prob)
