"""Every item has one class of several.

An item of class g that a model takes for p adds 1 to ``tp[g]`` where g = p, else 1 to ``fn[g]`` and 1 to
``fp[p]``. Only what occurs is stored, so a thousand classes cost no more than the items that there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.kind import Estimate, Outcomes
from bayesf1.evaluation.metric import Metric, Proportion
from bayesf1.evaluation.units import Units
from bayesf1.kinds.classed import Classed, add_at
from bayesf1.kinds.draws import atoms_of, break_sticks

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under

# Four cells of a table have weight 1 each in the binary case; more cells share the same weight.
_PRIOR_ITEMS = 4.0
# Below, variates of a gold class may all be 0 in double precision, and cannot be scaled to their sum.
_MIN_SHAPE = 0.1
# Joint outcomes of several models are drawn up to this many atoms, a prior that weighs as much as 292 items.
MOST_ATOMS = 4096


@dataclass(frozen=True)
class MultiClass(Classed):
    """Every item has one class of several; a prior puts λ on each of the K×K cells of (gold, predicted)."""

    name: ClassVar[str] = "multiclass"
    exclusive: ClassVar[bool] = True

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
        """λ such that in all the prior weighs as much as four items."""
        return _PRIOR_ITEMS / len(self.classes) ** 2

    def cell_priors(self, prior: float) -> FloatArray:
        """Return λ for ``tp`` and (K-1)λ for ``fp`` and ``fn``."""
        k = len(self.classes)
        return np.asarray((prior * np.repeat([1.0, k - 1.0, k - 1.0], k))[self.columns])

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        return f"Dirichlet({prior:.3g}) prior on {len(self.classes)}×{len(self.classes)} cells"

    def _sampled(self, under: Under) -> Units | None:
        ev = under.ev
        units = ev.units if under.shared else ev.finer or ev.units
        if units is None:
            raise ValueError("draws of several classes need single items, but only totals are known")
        return units if under.shared else units.apart(len(ev.models))

    def _atoms(self, n_models: int, prior: float, *, alone: bool) -> int:
        k = len(self.classes)
        atoms = atoms_of(prior * k * k)
        few = k * k <= atoms if alone or n_models == 1 else atoms > MOST_ATOMS
        return 0 if few and prior * k >= _MIN_SHAPE else atoms

    def _add_prior(
        self, tables: FloatArray, prior: float, atoms: int, *, alone: bool, rng: np.random.Generator
    ) -> None:
        """Add λ on each (gold, predicted) of each model.

        With m models an atom is an item of a random joint outcome, so that each of the K^(m+1) outcomes has
        λ/K^(m-1). Without atoms every cell of each model is drawn.
        """
        n, k = len(tables), len(self.classes)
        sticks, gold = _gold(n, k, prior, atoms, rng)
        for j in range(tables.shape[1]):
            if alone and j:
                sticks, gold = _gold(n, k, prior, atoms, rng)
            table = tables[:, j]
            if not atoms:
                # Given the gold classes' masses the models err independently. Margins and covariances are those of
                # joint outcomes all the same, and the law is, too, as a mass this large is almost normal.
                split = rng.standard_gamma(prior, size=(n, k, k))
                split *= (sticks / split.sum(axis=2))[:, :, None]
                right = np.einsum("nii->ni", split)
                table[:, :k] += right
                table[:, k : 2 * k] += split.sum(axis=1) - right
                table[:, 2 * k :] += sticks - right
            else:
                said = rng.integers(0, k, size=(n, atoms))
                same = said == gold
                add_at(table, np.where(same, gold, 2 * k + gold), sticks)
                add_at(table, k + said, np.where(same, 0.0, sticks))

    # ---- closed form --------------------------------------------------------------------------------------

    def is_closed_when_paired(self, measure: Metric) -> bool:
        """Say whether a measure is a share of all items, which is the accuracy."""
        return isinstance(measure.law, Proportion) and measure.needs == self.all_cells

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

        Only items that one of them gets right matter: it is :math:`P(\mathrm{Be}(n_B + (K-1)\lambda, n_A +
        (K-1)\lambda) > 1/2)`, where n counts those that only one model has right.
        """
        if not self.is_closed_when_paired(measure) or list(margins) != [0.0] or self.kept:
            return None
        assert ev.units is not None
        k, rows, weights = len(self.classes), ev.units.rows, ev.units.weights
        a, b = (np.asarray(rows[:, i * 3 * k : i * 3 * k + k].sum(axis=1)).ravel() for i in (0, 1))
        only_a, only_b = float(weights @ (a * (1 - b))), float(weights @ (b * (1 - a)))
        p = special.betaincc(only_b + (k - 1) * prior, only_a + (k - 1) * prior, 0.5)
        return Estimate(np.array([p]), np.zeros(1))

    # ---- the matrix ---------------------------------------------------------------------------------------

    @property
    def outcomes(self) -> Outcomes:
        """The pairs of gold and predicted class."""
        k = len(self.classes)
        pairs = np.stack([i.ravel() for i in np.indices((k, k))], axis=1)
        labels = tuple(f"{self.classes[g]} as {self.classes[s]}" for g, s in pairs)
        return Outcomes(labels, np.asarray(class_outcomes(pairs, k).toarray()))

    def outcome_counts(self, ev: Evaluation) -> FloatArray:
        """Return the models' confusion matrices, axes (model, gold·predicted)."""
        return np.stack([confusion(ev, model).ravel() for model in ev.models])


def class_outcomes(pairs: NDArray[np.int64], k: int) -> Any:
    """Return what items of given classes add, a sparse array (item, model·cell).

    Parameters
    ----------
    pairs
        The gold class of each item and what the models took it for, as numbers from 0, axes (item, [gold, *models]).
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
    columns = np.concatenate([missed.ravel(), claimed[~right]])
    rows = np.concatenate([row.ravel(), row[~right]])
    shape = (len(pairs), predicted.shape[1] * 3 * k)
    return csr_array((np.ones(len(columns)), (rows, columns)), shape=shape)


def confusion(ev: Evaluation, model: str) -> FloatArray:
    """Return a model's confusion matrix, rows the truth, from an evaluation where every item has one class.

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


def _gold(
    n: int, k: int, prior: float, atoms: int, rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Draw the prior's masses and their gold classes: of the atoms that carry mass, or of all classes."""
    if not atoms:
        return rng.standard_gamma(k * prior, size=(n, k)), np.broadcast_to(np.arange(k), (n, k))
    return break_sticks(k * k * prior, atoms, n, rng), rng.integers(0, k, size=(n, atoms))
