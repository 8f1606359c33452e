r"""Probabilities of a binary label, or scores: measures that are functions of all of them, and of no threshold.

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
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.base.naming import nearest
from bayesf1.evaluation.kind import Score
from bayesf1.evaluation.metric import Metric, MetricLike, points_down, ratio
from bayesf1.evaluation.samples import draw_weights
from bayesf1.kinds.bootstrapped import Bootstrapped
from bayesf1.kinds.draws import bootstrapped
from bayesf1.kinds.score_order import ScoreOrder, pr_area, roc_area

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under
    from bayesf1.evaluation.units import Units

# Name, what it is called in print and by others.
_AREAS = {"roc_auc": "ROC AUC", "average_precision": "Average precision"}
_LOSSES = {"brier": "Brier score", "log_loss": "Log loss"}
_ALIASES = {
    "auc": "roc_auc",
    "auroc": "roc_auc",
    "ap": "average_precision",
    "brier_score": "brier",
    "brier_score_loss": "brier",
    "neg_brier_score": "brier",
    "logloss": "log_loss",
    "neg_log_loss": "log_loss",
}


@dataclass(frozen=True)
class Probabilities(Bootstrapped):
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

    @property
    def _pairs(self) -> Iterator[tuple[float, bool]]:
        return zip(self.values, self.hits, strict=True)

    def keep(self, cells: tuple[str, ...]) -> Self:
        """Refuse: a score is what an item has, not a cell that could be left out."""
        raise ValueError(
            f"scores have no cells to keep or leave out, but {', '.join(cells[:3])} was asked for"
        )

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where scores do not rise, or labels are not as many."""
        if not self.values or len(self.values) != len(self.hits):
            raise ValueError(
                f"hits must be one for each of {len(self.values):,} values, not {len(self.hits):,}"
            )
        pairs = list(self._pairs)
        if pairs != sorted({*pairs}):
            raise ValueError(
                f"values must rise, and of equal ones the positive be last, not {self.values!r:.60}"
            )

    def union(self, other: Self) -> Self:
        """Return the kind with the scores of both."""
        values, hits = zip(*sorted({*self._pairs, *other._pairs}), strict=True)
        return replace(self, values=values, hits=hits)

    # ---- measures -----------------------------------------------------------------------------------------

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores lie between 0 and 1."""
        return self.values[0] >= 0.0 and self.values[-1] <= 1.0

    @cached_property
    def losses(self) -> dict[str, FloatArray]:
        """What an item of each cell loses, by measure."""
        values, hits = np.array(self.values), np.array(self.hits)
        with np.errstate(divide="ignore"):
            given = np.where(hits, values, 1.0 - values)
            return {"brier": (1.0 - given) ** 2, "log_loss": -np.log(given) + 0.0}

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The losses that are defined, average precision and the area under the ROC curve."""
        known = self.losses if self.are_probabilities else {}
        finite = tuple(name for name, loss in known.items() if np.isfinite(loss).all())
        return (*finite, "average_precision", "roc_auc")

    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return an area or a loss by its name, or a function ``f(labels, scores, sample_weight=…)`` as scikit-learn has."""
        if not isinstance(asked, str):
            if not callable(asked):
                raise ValueError(f"metric {asked!r} is neither a name such as 'roc_auc' nor a function")
            return self._of_function(cast("Callable[..., Any]", asked))
        name = asked.strip().lower().replace("-", "_").replace(" ", "_")
        name = _ALIASES.get(name, name)
        if name in _AREAS:
            area = self._area(name, np.arange(len(self.values)), np.arange(len(self.values)))
            return Metric(name, _AREAS[name], self.cells, None, area)
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
        )

    def _area(self, name: str, cells: NDArray[np.intp], places: NDArray[np.intp]) -> Score:
        """Return the area of items that are in some cells, as a function of weights (..., place) that hold theirs."""
        curve, area = ("roc", roc_area) if name == "roc_auc" else ("pr", pr_area)
        order = ScoreOrder.sort(np.array(self.hits)[cells], np.array(self.values)[cells]).corners(curve)
        placed = replace(order, hits=places[order.hits], others=places[order.others])
        return lambda weights: area(*placed.sums(weights))

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
        labels, scores = np.array(self.hits).astype(int), np.array(self.values)
        name = getattr(function, "__name__", type(function).__name__)
        # By scikit-learn's convention functions of these names are better the lower they are.
        down = points_down(function, otherwise=name.endswith(("_loss", "_error")))

        def one(weights: FloatArray) -> float:
            some = weights > 0.0
            found = float(function(labels[some], scores[some], sample_weight=weights[some]))
            if not np.isfinite(found):
                raise ValueError(f"metric {name!r} gave {found} for a set of weights")
            return found

        return Metric(
            name,
            name,
            self.cells,
            None,
            lambda tables: np.apply_along_axis(one, -1, tables),
            (-np.inf, np.inf),
            percent=False,
            lower_is_better=down,
        )

    def loads(self, measure: Metric, tables: FloatArray) -> FloatArray:
        r"""Return what an item weighs: as much as others in a loss, in an area :math:`1/n_\pm^2` by its label's items.

        The variance of an area is about :math:`\sigma^2(1/n_+ + 1/n_-)`, and all items of a label weigh as much as their
        part of it. They are then worth :math:`(1/n_+ + 1/n_-)^2/(1/n_+^3 + 1/n_-^3)`: for ten positive items among a
        thousand, ten, as with the degrees of freedom of Welch (1947).
        """
        if measure.name not in _AREAS:
            return super().loads(measure, tables)
        hits = np.array(self.hits)
        positive, negative = (tables[:, which].sum(axis=1, keepdims=True) for which in (hits, ~hits))
        one = np.ones((len(tables), 1))
        return np.where(hits, ratio(one, positive**2), ratio(one, negative**2))

    def sums(self, measure: Metric) -> tuple[Any, Score]:
        """Return the sums that a measure is a function of: of a loss it and the number of items, of areas all cells."""
        if measure.name in _LOSSES:
            return self.sums_of_loss(measure.name)
        if not self.are_probabilities:
            raise ValueError(
                "outputs of two models can only be exchanged where they are on one scale, but there are scores such as "
                f"{self.values[0]:g} and {self.values[-1]:g}; give probabilities, or the ranks of scores divided by "
                "the number of items"
            )
        return super().sums(measure)

    def ratio(self, measure: Metric) -> tuple[FloatArray, FloatArray] | None:
        """Return the losses and ones, where the measure is a mean loss."""
        if measure.name not in _LOSSES or measure.origin is None:
            return None
        lost, number = self.sums_of_loss(measure.name)[0].T
        return lost, number

    def sums_of_loss(self, name: str) -> tuple[FloatArray, Score]:
        """Return what an item of each cell adds to a loss and to the number of items, and the mean loss."""
        loss = self.losses[name]
        known = np.where(np.isfinite(loss), loss, 0.0)
        return np.stack([known, np.ones(len(known))], axis=1), lambda s: ratio(s[..., 0], s[..., 1])

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Say why a loss is not defined, and where a bootstrap of an area sees no doubt."""
        notes = []
        if not self.are_probabilities:
            ends = f"from {self.values[0]:g} to {self.values[-1]:g}"
            notes.append(f"Scores {ends} are no probabilities: they have no Brier score and no log loss.")
        elif not np.isfinite(self.losses["log_loss"]).all():
            notes.append(
                "A label that occurred was given probability 0, so that there is no finite log loss."
            )
        if (self.measure("roc_auc", tables)(tables, self.cells) >= 1.0).any():
            notes.append(
                "A model separates the labels perfectly: a bootstrap knows of no item but those that were seen, and has no "
                "doubt about its areas, though there is some."
            )
        return tuple(notes)

    # ---- posterior and words ------------------------------------------------------------------------------

    def draw_scores(
        self,
        under: Under,
        measures: Sequence[Metric],
        *,
        prior: float,
        n_draws: int,
        rng: np.random.Generator,
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Return draws of scores from the weights of units, sorted once: no table is filled, as most of its cells are 0."""
        if any(measure.origin is None for measure in measures):
            return super().draw_scores(under, measures, prior=prior, n_draws=n_draws, rng=rng)
        return self._weighted(bootstrapped(under), measures, n_draws, rng)

    def _weighted(
        self, units: Units, measures: Sequence[Metric], n_draws: int, rng: np.random.Generator
    ) -> Iterator[tuple[FloatArray, ...]]:
        width = len(self.values)
        alone = [units.rows[:, i : i + width] for i in range(0, units.rows.shape[1], width)]
        scorers = [[self._scorer(measure.name, rows) for rows in alone] for measure in measures]
        for n in blocks_of(n_draws, 4 * units.n_patterns):
            weights = draw_weights(units.weights, n, rng)
            yield tuple(np.stack([score(weights) for score in of_models], axis=-1) for of_models in scorers)

    def _scorer(self, name: str, rows: Any) -> Score:
        """Return a measure of one model as a function of the weights of units, axes (..., unit), which add rows."""
        if name in _LOSSES:
            sums, _ = self.sums_of_loss(name)
            lost, number = (rows @ sums).T
            return lambda weights: ratio(weights @ lost, weights @ number)
        found = rows.tocoo()
        times = found.data.astype(int)
        return self._area(name, *(np.repeat(where, times) for where in found.coords[::-1]))

    @property
    def about(self) -> str:
        """Whether there are probabilities, or other scores."""
        return "probabilities" if self.are_probabilities else "scores of a binary label"


def cells_of(scores: FloatArray, hit: NDArray[np.bool_]) -> tuple[Probabilities, NDArray[np.intp]]:
    """Return the kind that scores, axes (item, model), and labels make, and the cell of each score.

    Examples
    --------
    >>> kind, where = cells_of(np.array([[0.2, 0.7], [0.7, 0.7]]), np.array([False, True]))
    >>> kind.cells, where
    (('0.2-', '0.7-', '0.7+'), array([[0, 1], [2, 2]]))
    """
    values, which = np.unique(scores, return_inverse=True)
    codes = 2 * which.reshape(scores.shape) + hit[:, None]
    seen, where = np.unique(codes, return_inverse=True)
    kind = Probabilities(tuple(map(float, values[seen // 2])), tuple(map(bool, seen % 2)))
    return kind, where.reshape(scores.shape)
