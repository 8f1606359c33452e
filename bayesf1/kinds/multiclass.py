"""Every item has one class of several.

An item of class g that a model takes for p adds 1 to ``tp[g]`` where g = p, else 1 to ``fn[g]`` and 1 to
``fp[p]``; nothing to the latter where p is no class at all. Only what occurs is stored, so a thousand classes cost no
more than the items that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.base.checks import checked
from bayesf1.base.cores import in_blocks
from bayesf1.base.naming import listing, shown
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.kind import Estimate, Outcomes
from bayesf1.evaluation.metric import Metric, Proportion
from bayesf1.evaluation.pattern_sums import PatternSums
from bayesf1.kinds.class_rates import JEFFREYS, ClassRates
from bayesf1.kinds.classed import Classed
from bayesf1.kinds.draws import atoms_of, break_sticks
from bayesf1.kinds.strays import NO_STRAYS, Strays

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under

# See `class_rates`: the spread of classes' rates is then uniform.
_PRIOR_ITEMS = 3.0
# Of a hierarchical model, where all cells are outcomes: four cells have weight 1 each in the binary case.
_OUTCOME_ITEMS = 4.0
# Cells of tables that are worked on at once, about a core's share of the cache; and the fewest tables.
_IN_FLIGHT, _TOGETHER = 1 << 16, 16


@dataclass(frozen=True)
class MultiClass(Classed):
    """Every item has one class of several.

    Recalls and precisions of the classes have a prior that is learned from all of them (`ClassRates`); the accuracy
    has Jeffreys', half an item right and half an item wrong. Classes that gold does not have score 0.

    Attributes
    ----------
    strays
        What models said that is none of the classes, and how often.
    """

    name: ClassVar[str] = "multiclass"
    exclusive: ClassVar[bool] = True
    learns_classes: ClassVar[bool] = True

    strays: Strays = NO_STRAYS

    def select(self, models: Sequence[str]) -> Self:
        """Return the kind without what other models said."""
        return replace(self, strays=self.strays.select(models))

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where classes are none, or what counts as no class is one."""
        super().check(models, tables)
        for model, labels in self.strays.said.items():
            if model not in models or not labels or min(labels.values()) < 0.0:
                raise ValueError(
                    f"strays must tell how often models said what, not {model!r:.60}: {labels!r:.60}"
                )
        if astray := self.strays.among(self.classes):
            raise ValueError(f"label {astray[0]!r:.60} is among the classes and among strays, which are none")

    def union(self, other: Self) -> Self:
        """Return the kind with the classes of both and all that was said."""
        for strays, kind in ((self.strays, other), (other.strays, self)):
            if astray := strays.among(kind.classes):
                raise ValueError(
                    f"label {shown(astray[0])} is a class of one of them, but counts as no class in the other, where no "
                    "item has it; build both with labels= of all classes"
                )
        strays = self.strays + other.strays
        both = replace(self, strays=strays), replace(other, strays=strays)
        return both[0] if both[0] == both[1] else super(MultiClass, both[0]).union(both[1])

    @property
    def counts_all_items(self) -> bool:
        """Every item is in the table."""
        return True

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Accuracy, and macro averages of precision, recall and F1."""
        return ("accuracy", *super().default_metrics)

    # ---- prior and draws ----------------------------------------------------------------------------------

    @property
    def default_prior(self) -> float:
        """Items a class: as many as make the standard deviation between classes uniform."""
        return _PRIOR_ITEMS

    def cell_priors(self, prior: float) -> FloatArray:
        """Return what the prior adds to cells, which holds for their sums over all classes: half an item each."""
        return np.full(len(self.cells), JEFFREYS / len(self.classes))

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        number = "1 item" if prior == 1.0 else f"{prior:.3g} items"
        return (
            f"Beta prior of about {number} a class, learned from how alike classes are and centred on each model's "
            "own rates"
        )

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Name what models said and no item is, and the classes that no item has."""
        found, k = self.strays.notes, len(self.classes)
        if self.kept:
            return found
        gold = (tables[..., :k] + tables[..., 2 * k :]).reshape(-1, k).sum(axis=0)
        empty = [repr(name) for name, items in zip(self.classes, gold, strict=True) if not items]
        if not empty:
            return found
        what, they = ("is a class", "it counts") if len(empty) == 1 else ("are classes", "they count")
        note = f"{listing(empty, most=3)} {what} that no item has; as in scikit-learn, {they} as 0 in averages over classes."
        return (*found, note)

    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws: gamma weights of patterns, and of what classes have in common."""
        for (tables,) in self._draw(under, lambda tables: (tables,), prior, n_draws, rng):
            yield tables

    def draw_scores(
        self,
        under: Under,
        measures: Sequence[Metric],
        *,
        prior: float,
        n_draws: int,
        rng: np.random.Generator,
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield draws of scores, which are made of the tables where these are drawn, on all cores."""
        # A measure of somebody's own may not bear to be called in several threads.
        if not all(measure.needs for measure in measures):
            return super().draw_scores(under, measures, prior=prior, n_draws=n_draws, rng=rng)

        def score(tables: FloatArray) -> tuple[FloatArray, ...]:
            return tuple(measure(tables, self.cells) for measure in measures)

        return self._draw(under, score, prior, n_draws, rng)

    def _draw(
        self,
        under: Under,
        of: Callable[[FloatArray], tuple[FloatArray, ...]],
        prior: float,
        n_draws: int,
        rng: np.random.Generator,
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield what a function makes of draws of tables."""
        ev, n_models, width = under.ev, len(under.ev.models), len(self.all_cells)
        units = ev.units if under.shared else ev.finer or ev.units
        if units is None:
            raise ValueError("draws of several classes need single items, but only totals are known")
        units = units if under.shared else units.apart(n_models)
        columns, observed = self.columns, np.zeros((n_models, width))
        observed[:, columns] = ev.tables
        rates = [ClassRates.learn(table, prior, complete=not self.kept) for table in observed]
        together = max(_IN_FLIGHT // observed.size, _TOGETHER)
        sums = PatternSums.of(units.rows, units.weights, together)

        def draw(n: int, rng: np.random.Generator) -> tuple[FloatArray, ...]:
            tables = np.zeros((n, n_models, width))
            tables[..., columns] = sums.draw(n, rng).reshape(n, n_models, -1)
            right = tables[..., : width // 3].sum(axis=2)
            wrong = tables[..., 2 * width // 3 :].sum(axis=2)
            more = self._some_item(n, n_models, alone=not under.shared, rng=rng)
            accuracy = (right + more[0]) / (right + wrong + more.sum(axis=0))
            for j, rate in enumerate(rates):
                tables[:, j] = rate.shrink(tables[:, j], accuracy[:, j], rng)
            return of(tables[..., columns])

        return in_blocks(draw, blocks_of(n_draws, 1, together), rng)

    def _some_item(self, n: int, n_models: int, *, alone: bool, rng: np.random.Generator) -> FloatArray:
        """Draw the item that the prior puts half right and half wrong, axes ([right, wrong], draw, model).

        It is a gamma process over joint outcomes, fair coins all, so that each model has half an item of either,
        however many models there are.
        """
        mass = 2.0 * JEFFREYS
        atoms = atoms_of(mass)
        shared = break_sticks(mass, atoms, n, rng)
        out = np.empty((2, n, n_models))
        for j in range(n_models):
            sticks = break_sticks(mass, atoms, n, rng) if alone and j else shared
            out[0, :, j] = (sticks * rng.integers(0, 2, (n, atoms))).sum(axis=1)
            out[1, :, j] = sticks.sum(axis=1) - out[0, :, j]
        return out

    def outcome_prior(self, prior: float | None) -> float:
        """Return λ of each pair of gold and predicted class, by default such that all weigh as much as four items."""
        return _OUTCOME_ITEMS / len(self.classes) ** 2 if prior is None else prior

    # ---- closed form --------------------------------------------------------------------------------------

    def has_law(self, measure: Metric) -> bool:
        """Say whether a measure is a share of all items, which is the accuracy; classes borrow from each other."""
        return isinstance(measure.law, Proportion) and measure.needs == self.all_cells

    def is_closed_when_paired(self, measure: Metric) -> bool:
        """Say whether a measure is the accuracy."""
        return self.has_law(measure)

    def paired_sf(
        self,
        ev: Evaluation,
        measure: Metric,
        margins: Sequence[float],
        *,
        prior: float,
        rng: np.random.Generator,
    ) -> Estimate | None:
        r"""Return P(B is more accurate than A).

        Only items that one of them gets right matter: it is :math:`P(\mathrm{Be}(n_B + 1/4, n_A + 1/4) > 1/2)`, where
        n counts those that only one model has right; the prior's one item falls on either with a quarter.
        """
        if not self.is_closed_when_paired(measure) or list(margins) != [0.0] or self.kept:
            return None
        assert ev.units is not None
        k, rows, weights = len(self.classes), ev.units.rows, ev.units.weights
        a, b = (np.asarray(rows[:, i * 3 * k : i * 3 * k + k].sum(axis=1)).ravel() for i in (0, 1))
        only_a, only_b = float(weights @ (a * (1 - b))), float(weights @ (b * (1 - a)))
        p = special.betaincc(only_b + 0.5 * JEFFREYS, only_a + 0.5 * JEFFREYS, 0.5)
        return Estimate(np.array([p]), np.zeros(1))

    # ---- the matrix ---------------------------------------------------------------------------------------

    @property
    def outcomes(self) -> Outcomes:
        """The pairs of gold and predicted class; another label is one more where some were said."""
        k = len(self.classes)
        said = (*self.classes, "another label") if self.strays else self.classes
        pairs = np.stack([i.ravel() for i in np.indices((k, len(said)))], axis=1)
        labels = tuple(f"{self.classes[g]} as {said[s]}" for g, s in pairs)
        return Outcomes(labels, np.asarray(class_outcomes(pairs, k).toarray()))

    def outcome_counts(self, ev: Evaluation) -> FloatArray:
        """Return the models' confusion matrices, axes (model, gold·predicted)."""
        k = len(self.classes)
        matrices = np.stack([confusion(ev, model) for model in ev.models])
        if self.strays:
            gold = ev.tables[:, :k] + ev.tables[:, 2 * k :]
            matrices = np.concatenate([matrices, (gold - matrices.sum(axis=2))[..., None]], axis=2)
        return matrices.reshape(len(ev.models), -1)


def class_outcomes(pairs: NDArray[np.int64], k: int) -> Any:
    """Return what items of given classes add, a sparse array (item, model·cell).

    Parameters
    ----------
    pairs
        The gold class of each item and what the models took it for, as numbers from 0, axes (item, [gold, *models]);
        k is none of the classes.
    k
        How many classes there are.
    """
    from scipy.sparse import csr_array

    gold, predicted = pairs[:, :1], pairs[:, 1:]
    right = gold == predicted
    start = np.arange(predicted.shape[1]) * 3 * k
    missed = np.where(right, gold, 2 * k + gold) + start
    claimed = k + predicted + start
    row = np.broadcast_to(np.arange(len(pairs))[:, None], right.shape)
    mistaken = ~right & (predicted < k)
    columns = np.concatenate([missed.ravel(), claimed[mistaken]])
    rows = np.concatenate([row.ravel(), row[mistaken]])
    shape = (len(pairs), predicted.shape[1] * 3 * k)
    return csr_array((np.ones(len(columns)), (rows, columns)), shape=shape)


@checked
def confusion(ev: Evaluation, model: str) -> FloatArray:
    """Return a model's confusion matrix, rows the truth, from an evaluation where every item has one class.

    Items that the model took for none of the classes are in no column, as in scikit-learn's with ``labels=``.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> ev = from_labels(list("aabbcc"), {"A": list("abbbca")})
    >>> confusion(ev, "A")
    array([[1., 1., 0.], [0., 2., 0.], [1., 0., 1.]])
    """
    if not isinstance(ev.kind, MultiClass) or ev.kind.kept:
        raise ValueError(f"a confusion matrix needs items of one class each, and this is {ev!r}")
    k, units = len(ev.classes), ev.finer or ev.units
    if units is None or (units.shared and not units.single):
        raise ValueError(
            f"a confusion matrix needs single items, but only the sums over each {ev.unit} are known"
        )
    start = ev.index(model) * 3 * k
    rows, weights = units.rows[:, start : start + 3 * k], units.weights
    right, claimed, missed = (rows[:, i * k : (i + 1) * k] for i in range(3))
    matrix: FloatArray = (missed.multiply(weights[:, None]).T @ claimed).toarray()
    matrix[np.diag_indices(k)] += weights @ right
    return matrix
