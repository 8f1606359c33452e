r"""Probabilities of a binary label, or scores: metrics that are functions of all of them, without a threshold.

A cell of a model's table is a score and a label, and holds how many items have both. Areas under curves, the Brier score
and the log loss are functions of the weighted items,

.. math:: \mathrm{AUC} = \frac{\sum_{i \in P,\, j \in N} w_i w_j
   \bigl([s_i > s_j] + \tfrac12 [s_i = s_j]\bigr)}{\sum_{i \in P} w_i \sum_{j \in N} w_j}, \qquad
   \mathrm{BS} = \frac{\sum_i w_i (p_i - y_i)^2}{\sum_i w_i},

so that a Bayesian bootstrap over items, or documents, weighs them like any other table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np

from bayesf1.base.arrays import BoolArray, FloatArray, IntArray
from bayesf1.base.naming import nearest
from bayesf1.metrics import Metric, MetricLike, function_name, metric_of, ratio
from bayesf1.sampling.model import SamplingModel
from bayesf1.tasks.draws import BootstrappedTask


@dataclass(frozen=True, eq=False)
class ScoreOrder:
    """Items with a score, the highest scores first.

    Attributes
    ----------
    hits, others
        Which items are positive, and which are negative.
    n_hits, n_others
        The number of each down to each distinct score; the first entry is 0.

    Examples
    --------
    >>> items = ScoreOrder.sort(np.array([False, False, True, True]), np.array([0.1, 0.4, 0.35, 0.8]))
    >>> tp, fp = items.sums(np.ones(4))
    >>> roc_area(tp, fp), pr_area(tp, fp)
    (array(0.75), array(0.833...))
    """

    hits: IntArray
    others: IntArray
    n_hits: IntArray
    n_others: IntArray

    @classmethod
    def sort(cls, hit: BoolArray, values: FloatArray) -> Self:
        """Sort items by their scores."""
        order = np.argsort(-values, kind="stable")
        is_hit = hit[order]
        # The last item of each distinct score.
        ends = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
        n_items = np.append(0, ends + 1)
        n_hits = np.append(0, np.cumsum(is_hit)[ends])
        return cls(hits=order[is_hit], others=order[~is_hit], n_hits=n_hits, n_others=n_items - n_hits)

    def __len__(self) -> int:
        return len(self.hits) + len(self.others)

    def corners(self, curve: str) -> Self:
        """Return the items with only the distinct scores at which the curve can bend, whatever the weights of items."""
        has_hits = np.diff(self.n_hits) > 0
        has_others = np.diff(self.n_others) > 0
        if curve == "pr":
            # Precision counts where recall grows.
            kept = has_hits
        else:
            # The curve goes straight on if the items of a score and of the next one have one label.
            both = (has_hits[:-1] | has_hits[1:]) & (has_others[:-1] | has_others[1:])
            kept = np.append(both, True)
        kept = np.append(True, kept)
        return replace(self, n_hits=self.n_hits[kept], n_others=self.n_others[kept])

    def sums(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights of true and of false positives down to each distinct score; the first entries are 0."""
        true_positives = _sums_of(weights, self.hits, self.n_hits)
        false_positives = _sums_of(weights, self.others, self.n_others)
        return true_positives, false_positives


def roc_area(tp: FloatArray, fp: FloatArray) -> FloatArray:
    r"""Area under the ROC curve, :math:`\sum_n (F_n - F_{n-1})(T_n + T_{n-1})/2TF`; a half if it is undefined."""
    widths = np.diff(fp, axis=-1)
    heights = 0.5 * (tp[..., 1:] + tp[..., :-1])
    area = (widths * heights).sum(axis=-1)
    return _divided(area, tp[..., -1] * fp[..., -1], 0.5)


def pr_area(tp: FloatArray, fp: FloatArray) -> FloatArray:
    r"""Average precision :math:`\sum_n (R_n - R_{n-1}) P_n`; 0 without a positive item."""
    hits = tp[..., 1:]
    predicted = hits + fp[..., 1:]
    precision = np.divide(hits, predicted, out=np.zeros_like(hits), where=hits > 0)
    rises = np.diff(tp, axis=-1)
    return _divided((rises * precision).sum(axis=-1), tp[..., -1], 0.0)


def _divided(part: FloatArray, whole: FloatArray, otherwise: float) -> FloatArray:
    """Divide, and return `otherwise` if the denominator is 0."""
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(whole), otherwise), where=whole > 0.0))


def _sums_of(weights: FloatArray, which: IntArray, n: IntArray) -> Any:
    """Return the weight of the first n of some items."""
    sums = np.empty((*weights.shape[:-1], len(which) + 1))
    sums[..., 0] = 0.0
    np.cumsum(np.take(weights, which, axis=-1), axis=-1, out=sums[..., 1:])
    return np.take(sums, n, axis=-1)


# Metrics by their names, with their names in print, and other common names.
_AREAS = {"roc_auc": "ROC AUC", "average_precision": "Average precision"}
_LOSSES = {"brier": "Brier score", "log_loss": "Log loss"}
_ALIASES = {"auc": "roc_auc", "auroc": "roc_auc", "ap": "average_precision"}


@dataclass(frozen=True)
class Probabilities(BootstrappedTask):
    """Probabilities of the positive label, or scores that rise with it; a cell is one of them with a label.

    Attributes
    ----------
    values
        The score of each cell, in rising order.
    hits
        Whether items of each cell are positive.
    """

    name: ClassVar[str] = "probabilities"
    many_cells: ClassVar[bool] = True

    values: tuple[float, ...]
    hits: tuple[bool, ...]

    @cached_property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The scores as text, each with a sign for its label."""
        signs = {True: "+", False: "-"}
        return tuple(f"{value!r}{signs[hit]}" for value, hit in zip(self.values, self.hits, strict=True))

    @cached_property
    def arrays(self) -> tuple[FloatArray, BoolArray]:
        """The score of each cell, and whether its items are positive."""
        return np.array(self.values), np.array(self.hits)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError if scores do not rise, or if their number differs from that of labels."""
        pairs = list(zip(self.values, self.hits, strict=False))
        if not pairs or len(self.values) != len(self.hits) or pairs != sorted({*pairs}):
            raise ValueError(
                "values must be in rising order, the positive one last among equal ones, with as many hits, not "
                f"{self.values!r:.60} and {self.hits!r:.60}"
            )

    def union(self, other: Self) -> Self:
        """Return the task with the scores of both."""
        mine = zip(self.values, self.hits, strict=True)
        theirs = zip(other.values, other.hits, strict=True)
        pairs = sorted({*mine, *theirs})
        return replace(self, values=tuple(value for value, _ in pairs), hits=tuple(hit for _, hit in pairs))

    def check_one_scale(self) -> None:
        """Raise a ValueError if scores are not probabilities, as scores of two models need not be on one scale."""
        if not self.are_probabilities:
            raise ValueError(
                "outputs of two models can only be exchanged if they are on one scale, but there are scores such as "
                f"{self.values[0]:g} and {self.values[-1]:g}; give probabilities, or the ranks of scores divided by "
                "the number of items"
            )

    # ---- metrics ------------------------------------------------------------------------------------------

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores lie between 0 and 1."""
        return self.values[0] >= 0.0 and self.values[-1] <= 1.0

    @cached_property
    def losses(self) -> dict[str, FloatArray]:
        """The loss of an item of each cell, by metric."""
        values, hits = self.arrays
        with np.errstate(divide="ignore"):
            of_label = np.where(hits, values, 1.0 - values)
            # A loss of -0 is one of 0.
            return {"brier": (1.0 - of_label) ** 2, "log_loss": -np.log(of_label) + 0.0}

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The losses that are defined, average precision and the area under the ROC curve."""
        areas = ("average_precision", "roc_auc")
        if not self.are_probabilities:
            return areas
        losses = tuple(name for name, loss in self.losses.items() if np.isfinite(loss).all())
        return (*losses, *areas)

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return an area or a loss by its name, or a function ``f(labels, scores, sample_weight=…)`` as in scikit-learn."""
        if not isinstance(asked, str):
            return self._of_function(cast("Callable[..., Any]", asked))
        name = asked.strip().lower().replace("-", "_").replace(" ", "_")
        name = _ALIASES.get(name, name)
        if name in _AREAS:
            return self._area(name)
        if name not in _LOSSES:
            raise ValueError(
                f"unknown metric {asked!r} of probabilities; {nearest(asked, {**_AREAS, **_LOSSES})}; or give a function "
                "of labels, scores and sample_weight"
            )
        loss = self._checked_loss(name, tables)
        largest = 1.0 if name == "brier" else np.inf
        return Metric(
            name,
            _LOSSES[name],
            self.cells,
            lambda tables: ratio(tables @ loss, tables.sum(axis=-1)),
            support=(0.0, largest),
            percent=False,
            lower_is_better=True,
            parts=(loss, np.ones(len(loss))),
        )

    def _checked_loss(self, name: str, tables: FloatArray) -> FloatArray:
        """Return the loss of an item of each cell, or raise a ValueError if one is undefined or infinite."""
        if not self.are_probabilities:
            odd = self.values[0] if self.values[0] < 0.0 else self.values[-1]
            raise ValueError(
                f"{name} needs probabilities from 0 to 1, but there is {odd:g}; roc_auc and average_precision take any "
                "scores"
            )
        loss = self.losses[name]
        infinite = ~np.isfinite(loss) & (tables.reshape(-1, tables.shape[-1]) > 0.0).any(axis=0)
        if infinite.any():
            i = int(np.argmax(infinite))
            label = "positive" if self.hits[i] else "negative"
            raise ValueError(
                f"{name} is infinite, as a {label} item has probability "
                f"{self.values[i]:g}; clip probabilities first, or use brier"
            )
        # A cell that holds no item of these models adds nothing.
        return np.where(np.isfinite(loss), loss, 0.0)

    def _area(self, name: str) -> Metric:
        """Return the area under a curve as a metric."""
        curve = "roc" if name == "roc_auc" else "pr"
        area = roc_area if name == "roc_auc" else pr_area
        values, hits = self.arrays
        order = ScoreOrder.sort(hits, values).corners(curve)
        return Metric(
            name,
            _AREAS[name],
            self.cells,
            lambda tables: area(*order.sums(tables)),
            weigh=self._area_weights,
            expand=partial(self._expanded_area, curve),
        )

    def _of_function(self, function: Callable[..., Any]) -> Metric:
        """Return a user's function of labels, scores and weights as a metric."""
        scores, hits = self.arrays
        labels = hits.astype(int)
        # In scikit-learn lower is better for functions with these names.
        down = function_name(function).endswith(("_loss", "_error"))

        def score(weights: FloatArray) -> float:
            used = weights > 0.0
            return float(function(labels[used], scores[used], sample_weight=weights[used]))

        return metric_of(function, lambda tables: np.apply_along_axis(score, -1, tables), down=down)

    def _area_weights(self, tables: FloatArray) -> FloatArray:
        r"""Return the weight of an item in an area, :math:`1/n_\pm^2` by its label's items.

        The variance of an area is about :math:`\sigma^2(1/n_+ + 1/n_-)`, and the weight of all items of a label is their
        part of it. The effective number of items is then :math:`(1/n_+ + 1/n_-)^2/(1/n_+^3 + 1/n_-^3)`: for ten positive
        items among a thousand, ten, as with the degrees of freedom of Welch (1947).
        """
        _, hits = self.arrays
        n_positive = tables[:, hits].sum(axis=1, keepdims=True)
        n_negative = tables[:, ~hits].sum(axis=1, keepdims=True)
        one = np.ones((len(tables), 1))
        return np.where(hits, ratio(one, n_positive**2), ratio(one, n_negative**2))

    def _expanded_area(self, curve: str, tables: FloatArray) -> tuple[FloatArray, FloatArray]:
        r"""Return the ratio that an area is to first order in the weights of items: `Metric.expand`.

        With the area A of a table, its slopes s in each cell and weights b of cells that add up to 1 in the table, it is
        :math:`\sum_c w_c (s_c + A b_c) / \sum_c w_c b_c`.
        """
        values, hits = self.arrays
        _, group = np.unique(values, return_inverse=True)
        below = self._area_weights(tables)  # (model, cell)
        below /= (below * tables).sum(axis=1, keepdims=True).clip(1e-300)
        above = np.empty_like(below)
        expand = _expanded_roc_area if curve == "roc" else _expanded_pr_area
        for model, table in enumerate(tables):
            expansion = expand(_ScoreCounts.of(table, hits, group), hits, group)
            value = expansion.value
            if curve == "pr":
                # Its second-order mean is that of the table, at which slopes times weights need not be 0.
                value = value + table @ (expansion.slopes * below[model])
            above[model] = expansion.slopes + value * below[model]
        return above, below

    def notes_on(self, sampling: SamplingModel, metric: Metric) -> tuple[str, ...]:
        """Return a note if a bootstrap of an area has no spread."""
        area = self.metric("roc_auc", sampling.ev.tables)
        if metric.name in _AREAS and (sampling.plain(area) >= 1.0).any():
            return ("A model separates the labels perfectly: these items cannot show how certain that is.",)
        return ()

    # ---- posterior and words ------------------------------------------------------------------------------

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return a note that losses are left out if values are not probabilities."""
        if self.are_probabilities:
            return ()
        return ("Not all values are from 0 to 1: no Brier score, no log loss.",)

    @property
    def about(self) -> str:
        """Whether there are probabilities, or other scores."""
        return "probabilities" if self.are_probabilities else "scores of a binary label"


class _ScoreCounts(NamedTuple):
    """Numbers of items by distinct score in rising order: with this score, and with this or a higher one."""

    positive: FloatArray
    negative: FloatArray
    tp: FloatArray
    fp: FloatArray

    @classmethod
    def of(cls, table: FloatArray, hits: BoolArray, group: IntArray) -> _ScoreCounts:
        """Return the numbers of a table's items, whose cells have a label and the number of their distinct score."""
        positive = np.asarray(np.bincount(group, table * hits), dtype=np.float64)
        negative = np.asarray(np.bincount(group, table * ~hits), dtype=np.float64)
        return cls(positive, negative, tp=_sums_from(positive), fp=_sums_from(negative))


def _sums_from(numbers: FloatArray) -> FloatArray:
    """Return the sums of each number and all that follow."""
    return np.asarray(numbers[::-1].cumsum()[::-1])


class _Expansion(NamedTuple):
    """An area, and its slopes in each cell of a table."""

    value: FloatArray
    slopes: FloatArray


def _expanded_roc_area(counts: _ScoreCounts, hits: BoolArray, group: IntArray) -> _Expansion:
    """Return the area under the ROC curve by the placements of DeLong, DeLong & Clarke-Pearson (1988)."""
    positive, negative, tp, fp = counts
    n_positive = tp[0]
    n_negative = fp[0]
    # The share of negative items that a positive one beats, and the share of positive items that beat a negative one.
    beats = ratio(n_negative - fp + 0.5 * negative, n_negative)
    beaten = ratio(tp - 0.5 * positive, n_positive)
    area = ratio(positive @ beats, n_positive)
    slopes_of_positive = ratio(beats[group] - area, n_positive)
    slopes_of_negative = ratio(beaten[group] - area, n_negative)
    return _Expansion(area, np.where(hits, slopes_of_positive, slopes_of_negative))


def _expanded_pr_area(counts: _ScoreCounts, hits: BoolArray, group: IntArray) -> _Expansion:
    r"""Return average precision, :math:`\sum_i w_i p_i / \sum_i w_i` of positive items, with its second-order mean.

    With gamma weights the precision :math:`p_i` has a Beta distribution, and :math:`w_i p_i` the mean :math:`p_i + (1 -
    p_i)/(S_i + 1)`, where :math:`S_i` items have this or a higher score.
    """
    positive, _, tp, fp = counts
    n_positive = tp[0]
    predicted = tp + fp
    precision = ratio(tp, predicted)
    area = ratio(positive @ precision, n_positive)
    # One more item moves the precision at its own score and at all lower ones: up if it is positive, and otherwise down.
    rise = ratio(positive * fp, predicted**2).cumsum()[group]
    fall = ratio(positive * tp, predicted**2).cumsum()[group]
    slopes = ratio(np.where(hits, precision[group] - area + rise, -fall), n_positive)
    of_weights = (1.0 - precision) / (predicted + 1.0)
    of_ratio = ratio(precision * (1.0 - precision), n_positive)
    second_order = ratio(positive @ (of_weights - of_ratio), n_positive)
    return _Expansion(area + second_order, slopes)


def cells_of(scores: FloatArray, hit: BoolArray) -> tuple[Probabilities, IntArray]:
    """Return the task of some scores, axes (item, model), and labels, and the cell of each score.

    Examples
    --------
    >>> task, where = cells_of(np.array([[0.2, 0.7], [0.7, 0.7]]), np.array([False, True]))
    >>> task.cells, where
    (('0.2-', '0.7-', '0.7+'), array([[0, 1], [2, 2]]))
    """
    values, which = np.unique(scores, return_inverse=True)
    codes = 2 * which.reshape(scores.shape) + hit[:, None]
    seen, where = np.unique(codes, return_inverse=True)
    task = Probabilities(tuple(map(float, values[seen // 2])), tuple(map(bool, seen % 2)))
    return task, where.reshape(scores.shape)
