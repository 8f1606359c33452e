r"""Probabilities of a binary label, or scores: metrics that are functions of all of them, and of no threshold.

A cell of a model's table is a score and a label, and holds how many items have both. Areas under curves, the Brier score
and the log loss are functions of the weighted items,

.. math:: \mathrm{AUC} = \frac{\sum_{i \in P,\, j \in N} w_i w_j
   \bigl([s_i > s_j] + \tfrac12 [s_i = s_j]\bigr)}{\sum_{i \in P} w_i \sum_{j \in N} w_j}, \qquad
   \mathrm{BS} = \frac{\sum_i w_i (p_i - y_i)^2}{\sum_i w_i},

so that a Bayesian bootstrap over items, or documents, weighs them like any other table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self, cast

import numpy as np

from bayesf1.base.arrays import BoolArray, FloatArray, IntArray
from bayesf1.base.naming import nearest
from bayesf1.metrics import Metric, MetricLike, points_down, ratio
from bayesf1.sampling.model import SamplingModel
from bayesf1.tasks.draws import BootstrappedTask


@dataclass(frozen=True, eq=False)
class ScoreOrder:
    """Items with a score, those of the highest scores first.

    Attributes
    ----------
    hits, others
        Which items are positive, and which are negative.
    n_hits, n_others
        How many of them there are down to each distinct score; 0 to begin with.

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
        ends = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
        n_hits = np.append(0, np.cumsum(hit[order])[ends])
        return cls(order[hit[order]], order[~hit[order]], n_hits, np.append(0, ends + 1) - n_hits)

    def __len__(self) -> int:
        return len(self.hits) + len(self.others)

    def corners(self, curve: str) -> Self:
        """Return the items with only those distinct scores that shape a curve, however items are weighted."""
        hits, others = np.diff(self.n_hits) > 0, np.diff(self.n_others) > 0
        # Precision counts where recall grows; a line goes straight on where both neighbours are of one label.
        kept = hits if curve == "pr" else np.append((hits[:-1] | hits[1:]) & (others[:-1] | others[1:]), True)
        kept = np.append(True, kept)
        return replace(self, n_hits=self.n_hits[kept], n_others=self.n_others[kept])

    def sums(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights of true and of false positives down to each distinct score; 0 to begin with."""
        return _sums_of(weights, self.hits, self.n_hits), _sums_of(weights, self.others, self.n_others)


def roc_area(tp: FloatArray, fp: FloatArray) -> FloatArray:
    r"""Area under the ROC curve, :math:`\sum_n (F_n - F_{n-1})(T_n + T_{n-1})/2TF`; a half where it is undefined."""
    area = 0.5 * (np.diff(fp, axis=-1) * (tp[..., 1:] + tp[..., :-1])).sum(axis=-1)
    return _divided(area, tp[..., -1] * fp[..., -1], 0.5)


def pr_area(tp: FloatArray, fp: FloatArray) -> FloatArray:
    r"""Average precision :math:`\sum_n (R_n - R_{n-1}) P_n`; 0 without a positive item."""
    hits, predicted = tp[..., 1:], tp[..., 1:] + fp[..., 1:]
    precision = np.divide(hits, predicted, out=np.zeros_like(hits), where=hits > 0)
    return _divided((np.diff(tp, axis=-1) * precision).sum(axis=-1), tp[..., -1], 0.0)


def _divided(part: FloatArray, whole: FloatArray, otherwise: float) -> FloatArray:
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(whole), otherwise), where=whole > 0.0))


def _sums_of(weights: FloatArray, which: IntArray, n: IntArray) -> Any:
    """Return the weight of the first n of some items."""
    sums = np.empty((*weights.shape[:-1], len(which) + 1))
    sums[..., 0] = 0.0
    np.cumsum(np.take(weights, which, axis=-1), axis=-1, out=sums[..., 1:])
    return np.take(sums, n, axis=-1)


# Name, what it is called in print and by others.
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
        return tuple(f"{value!r}{'+' if hit else '-'}" for value, hit in self._pairs)

    @cached_property
    def arrays(self) -> tuple[FloatArray, BoolArray]:
        """The score of each cell, and whether its items are positive."""
        return np.array(self.values), np.array(self.hits)

    @property
    def _pairs(self) -> Iterator[tuple[float, bool]]:
        return zip(self.values, self.hits, strict=True)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where scores do not rise, or labels are not as many."""
        pairs = list(zip(self.values, self.hits, strict=False))
        if not pairs or len(self.values) != len(self.hits) or pairs != sorted({*pairs}):
            raise ValueError(
                "values must be in rising order, the positive one last among equal ones, with as many hits, not "
                f"{self.values!r:.60} and {self.hits!r:.60}"
            )

    def union(self, other: Self) -> Self:
        """Return the task with the scores of both."""
        values, hits = zip(*sorted({*self._pairs, *other._pairs}), strict=True)
        return replace(self, values=values, hits=hits)

    # ---- metrics ------------------------------------------------------------------------------------------

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores lie between 0 and 1."""
        return self.values[0] >= 0.0 and self.values[-1] <= 1.0

    @cached_property
    def losses(self) -> dict[str, FloatArray]:
        """What an item of each cell loses, by metric."""
        values, hits = self.arrays
        with np.errstate(divide="ignore"):
            given = np.where(hits, values, 1.0 - values)
            return {"brier": (1.0 - given) ** 2, "log_loss": -np.log(given) + 0.0}

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The losses that are defined, average precision and the area under the ROC curve."""
        known = self.losses if self.are_probabilities else {}
        finite = tuple(name for name, loss in known.items() if np.isfinite(loss).all())
        return (*finite, "average_precision", "roc_auc")

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return an area or a loss by its name, or a function ``f(labels, scores, sample_weight=…)`` as scikit-learn has."""
        if not isinstance(asked, str):
            return self._of_function(cast("Callable[..., Any]", asked))
        name = asked.strip().lower().replace("-", "_").replace(" ", "_")
        name = _ALIASES.get(name, name)
        if name in _AREAS:
            curve, area = ("roc", roc_area) if name == "roc_auc" else ("pr", pr_area)
            order = ScoreOrder.sort(*self.arrays[::-1]).corners(curve)
            return Metric(
                name,
                _AREAS[name],
                self.cells,
                None,
                lambda tables: area(*order.sums(tables)),
                weigh=self._area_weights,
                expand=partial(self._expanded_area, curve),
            )
        if name not in _LOSSES:
            raise ValueError(
                f"unknown metric {asked!r} of probabilities; {nearest(asked, {**_AREAS, **_LOSSES})}; or give a function "
                "of labels, scores and sample_weight"
            )
        loss = self._checked_loss(name, tables)
        support = (0.0, 1.0 if name == "brier" else np.inf)
        return Metric(
            name,
            _LOSSES[name],
            self.cells,
            None,
            lambda tables: ratio(tables @ loss, tables.sum(axis=-1)),
            support,
            percent=False,
            lower_is_better=True,
            parts=(loss, np.ones(len(loss))),
        )

    def _checked_loss(self, name: str, tables: FloatArray) -> FloatArray:
        """Return what an item of each cell loses, or say why that is no number."""
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
            raise ValueError(
                f"{name} is infinite, as a {'positive' if self.hits[i] else 'negative'} item has probability "
                f"{self.values[i]:g}; clip probabilities first, or use brier"
            )
        # Cells that no item of these models is in add nothing.
        return np.where(np.isfinite(loss), loss, 0.0)

    def _of_function(self, function: Callable[..., Any]) -> Metric:
        scores, labels = self.arrays[0], self.arrays[1].astype(int)
        name = getattr(function, "__name__", type(function).__name__)
        # By scikit-learn's convention functions of these names are better the lower they are.
        down = points_down(function, otherwise=name.endswith(("_loss", "_error")))

        def one(weights: FloatArray) -> float:
            some = weights > 0.0
            return float(function(labels[some], scores[some], sample_weight=weights[some]))

        return Metric(
            name,
            name,
            (),
            None,
            lambda tables: np.apply_along_axis(one, -1, tables),
            (-np.inf, np.inf),
            percent=False,
            lower_is_better=down,
        )

    def _area_weights(self, tables: FloatArray) -> FloatArray:
        r"""Return what an item weighs in an area, :math:`1/n_\pm^2` by its label's items.

        The variance of an area is about :math:`\sigma^2(1/n_+ + 1/n_-)`, and all items of a label weigh as much as their
        part of it. They are then worth :math:`(1/n_+ + 1/n_-)^2/(1/n_+^3 + 1/n_-^3)`: for ten positive items among a
        thousand, ten, as with the degrees of freedom of Welch (1947).
        """
        hits = self.arrays[1]
        positive, negative = (tables[:, which].sum(axis=1, keepdims=True) for which in (hits, ~hits))
        one = np.ones((len(tables), 1))
        return np.where(hits, ratio(one, positive**2), ratio(one, negative**2))

    def _expanded_area(self, curve: str, tables: FloatArray) -> tuple[FloatArray, FloatArray]:
        r"""Return the ratio that an area is to first order in the weights of items: `Metric.expand`.

        Of the ROC curve these are the placements of DeLong, DeLong & Clarke-Pearson (1988). Average precision,
        :math:`\sum_i w_i p_i / \sum_i w_i` of positive items, also has a second-order mean: with gamma weights the precision
        :math:`p_i` has a Beta distribution, and :math:`w_i p_i` the mean :math:`p_i + (1 - p_i)/(S_i + 1)`, where
        :math:`S_i` items are scored as high.
        """
        values, hits = self.arrays
        group = np.unique(values, return_inverse=True)[1]
        below = self._area_weights(tables)
        below /= (below * tables).sum(axis=1, keepdims=True).clip(1e-300)
        above = np.empty_like(below)
        for table, whole, out in zip(tables, below, above, strict=True):
            tied_p, tied_n = (np.bincount(group, table * which) for which in (hits, ~hits))
            tp, fp = (tied[::-1].cumsum()[::-1] for tied in (tied_p, tied_n))
            if curve == "roc":
                beats, beaten = ratio(fp[0] - fp + 0.5 * tied_n, fp[0]), ratio(tp - 0.5 * tied_p, tp[0])
                area = ratio(tied_p @ beats, tp[0])
                slopes = np.where(hits, ratio(beats[group] - area, tp[0]), ratio(beaten[group] - area, fp[0]))
            else:
                predicted, precision = tp + fp, ratio(tp, tp + fp)
                area = ratio(tied_p @ precision, tp[0])
                rise, fall = (ratio(tied_p * part, predicted**2).cumsum()[group] for part in (fp, tp))
                slopes = ratio(np.where(hits, precision[group] - area + rise, -fall), tp[0])
                doubt = (1.0 - precision) / (predicted + 1.0) - ratio(precision * (1.0 - precision), tp[0])
                area = area + ratio(tied_p @ doubt, tp[0]) + table @ (slopes * whole)
            out[:] = slopes + area * whole
        return above, below

    def notes_on(self, sampling: SamplingModel, metric: Metric) -> tuple[str, ...]:
        """Say where a bootstrap of an area sees no doubt."""
        area = self.metric("roc_auc", sampling.ev.tables)
        if metric.name in _AREAS and (sampling.plain(area) >= 1.0).any():
            return ("A model separates the labels perfectly: these items cannot show how certain that is.",)
        return ()

    # ---- posterior and words ------------------------------------------------------------------------------

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Say that losses are left out, as values are no probabilities."""
        outside = "Not all values are from 0 to 1: no Brier score, no log loss."
        return () if self.are_probabilities else (outside,)

    @property
    def about(self) -> str:
        """Whether there are probabilities, or other scores."""
        return "probabilities" if self.are_probabilities else "scores of a binary label"


def check_one_scale(task: object) -> None:
    """Raise a ValueError where outputs of two models would be exchanged that are not on one scale."""
    if isinstance(task, Probabilities) and not task.are_probabilities:
        raise ValueError(
            "outputs of two models can only be exchanged if they are on one scale, but there are scores such as "
            f"{task.values[0]:g} and {task.values[-1]:g}; give probabilities, or the ranks of scores divided by "
            "the number of items"
        )


def cells_of(scores: FloatArray, hit: BoolArray) -> tuple[Probabilities, IntArray]:
    """Return the task that scores, axes (item, model), and labels make, and the cell of each score.

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
