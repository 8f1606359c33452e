"""Kinds of task: what the cells of a table mean. A new task is a new file among the kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import is_number
from bayesf1.base.naming import shown
from bayesf1.evaluation.metric import Harmonic, Metric, MetricLike, Proportion, fbeta, proportion

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation
    from bayesf1.evaluation.under import Under
    from bayesf1.evaluation.units import Units

# A measure on the sums that it is a function of, axes (..., sum) to (...,).
Score: TypeAlias = Callable[[FloatArray], FloatArray]


class Estimate(NamedTuple):
    """A probability and the standard error of its computation, 0 where it is exact."""

    value: FloatArray
    error: FloatArray


class Assisted(NamedTuple):
    """An estimate from labelled items with the help of what is known of all, and its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True)
class PairingBounds:
    """The range of a probability over all pairings of items that two tables allow; unpacks as its two ends.

    Attributes
    ----------
    low, high
        The smallest and the largest probability.
    error
        How far either may be off.

    Examples
    --------
    >>> low, high = bounds = PairingBounds(0.4899, 0.5032, 2e-6)
    >>> low, high, bounds.digits
    (0.4899, 0.5032, 3)
    """

    low: float
    high: float
    error: float

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    @property
    def digits(self) -> int:
        """Decimals, at most three, that the error leaves."""
        return int(np.clip(np.floor(-np.log10(2.0 * max(self.error, 1e-12))), 1, 3))


class Outcomes(NamedTuple):
    """What can happen to one item, where every item has one outcome.

    Attributes
    ----------
    labels
        Names of the outcomes.
    rows
        What one of each adds to a model's table, axes (outcome, cell).
    """

    labels: tuple[str, ...]
    rows: FloatArray


class Kind(ABC):
    """What the cells of a table mean, and all that follows: measures, prior, draws, closed forms, words.

    Attributes
    ----------
    name
        The kind in one word, as files and options say it.
    many_cells
        Whether cells are so many that what a unit adds is kept sparse.
    bootstraps_items
        Whether even single items are drawn by a bootstrap, as no law of what an item can add is known.
    learns_classes
        Whether the prior of a class is learned from all classes, so that their posteriors are shrunk towards each other.
    citation
        Where the posterior law was published.
    cells
        Names of the cells of a model's table.
    classes
        Names of the classes, where there are several.
    """

    name: ClassVar[str]
    many_cells: ClassVar[bool] = False
    bootstraps_items: ClassVar[bool] = False
    learns_classes: ClassVar[bool] = False
    # Whether each model could have been judged on units of its own.
    separable: ClassVar[bool] = True
    citation: ClassVar[str] = "the Bayes test of Wang and Li (2019, ACL, 4135–4145)"
    classes: tuple[str, ...] = ()
    cells: tuple[str, ...]

    # ---- cells --------------------------------------------------------------------------------------------

    @abstractmethod
    def keep(self, cells: tuple[str, ...]) -> Self:
        """Return the kind on some of its cells, in their order here."""

    def union(self, other: Self) -> Self:
        """Return the kind that has the cells of both, or say that they do not go together."""
        if self == other:
            return self
        raise ValueError

    def select(self, models: Sequence[str]) -> Self:
        """Return the kind of some of the models, where it holds what each of them did."""
        return self

    def cells_for(self, measures: Sequence[Metric]) -> tuple[str, ...]:
        """Return the cells that some measures ask for, and without which the prior stays the same."""
        return self.cells

    @property
    def counts_all_items(self) -> bool:
        """Whether a table tells how many items there were."""
        return False

    def class_sizes(self, tables: FloatArray) -> FloatArray:
        """Return how many items each class has in gold, summed over all tables; empty where there are no classes."""
        return np.zeros(0)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where fields that were read from a file do not go together, or with models and tables."""
        if not self.cells or len({*self.cells}) < len(self.cells):
            raise ValueError(f"cells must be different names, not {self.cells!r:.60}")

    # ---- measures -----------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def default_metrics(self) -> tuple[str, ...]:
        """The measures that are shown where none is named; the last is the one that a verb takes alone."""

    @abstractmethod
    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the measure that a name, or a callable, means for tables of this kind."""

    def is_smooth(self, measure: Metric) -> bool:
        """Say whether a measure has a derivative in the weights of units, which the delta method needs."""
        return True

    def sums(self, measure: Metric) -> tuple[Any, Score]:
        """Return the sums that a measure is a function of, as a matrix (cell, sum), and that function.

        Shares need two sums and F-scores three, however many classes are pooled in them. Other measures need
        the cells that they name.
        """

        def indicators(*groups: tuple[str, ...]) -> FloatArray:
            return np.array([[cell in group for group in groups] for cell in self.cells], dtype=float)

        match measure.law:
            case Proportion(successes, failures):
                return indicators(successes, failures), proportion(1)
            case Harmonic(beta, tp, fp, fn):
                return indicators(tp, fp, fn), lambda sums: fbeta(sums, beta=beta)
        needed = [i for i, cell in enumerate(self.cells) if not measure.needs or cell in measure.needs]
        cells = tuple(self.cells[i] for i in needed)
        if not self.many_cells:
            return np.eye(len(self.cells))[:, needed], lambda sums: measure(sums, cells)
        from scipy.sparse import eye_array

        return eye_array(len(self.cells), format="csr")[:, needed], lambda sums: measure(sums, cells)

    def loads(self, measure: Metric, tables: FloatArray) -> FloatArray:
        """Return how much one of each cell weighs in a measure of tables (model, cell), on these axes.

        What units hold of it tells how many even ones they are worth; it is what a measure is divided by.
        """
        return np.tile(measure.loads(self.cells), (len(tables), 1))

    def ratio(self, measure: Metric) -> tuple[FloatArray, FloatArray] | None:
        """Return what one of each cell adds above and below, where a measure is a ratio of two sums; else None."""
        return measure.ratio(self.cells)

    # ---- prior and posterior ------------------------------------------------------------------------------

    least_prior: ClassVar[float] = 1e-9

    @property
    def default_prior(self) -> float:
        """λ where none was asked for."""
        return 1.0

    def check_prior(self, prior: float | None) -> float:
        """Return λ, the default where none was given, or say that it is none."""
        if prior is None:
            return self.default_prior
        if not is_number(prior):
            raise ValueError(
                f"prior must be a number such as 1 (uniform) or 0.5 (Jeffreys), not {shown(prior)}"
            )
        if not self.least_prior <= float(prior) <= 1e6:
            raise ValueError(
                f"prior must be between {self.least_prior:g} and 1e6, such as 1 (uniform) or 0.5 (Jeffreys), "
                f"not {shown(prior)}"
            )
        return float(prior)

    def cell_priors(self, prior: float) -> float | FloatArray:
        """Return what a prior adds to each cell of a model's table."""
        return prior

    @abstractmethod
    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield blocks of posterior draws of all models' tables, axes (draw, model, cell)."""

    def drawn_units(self, under: Under, prior: float) -> Units | None:
        """Return the units whose gamma weights are all that is drawn, the prior's among them, None where there is more."""
        return None

    def draw_scores(
        self,
        under: Under,
        measures: Sequence[Metric],
        *,
        prior: float,
        n_draws: int,
        rng: np.random.Generator,
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield blocks of posterior draws of all models' scores, for each measure an array (draw, model)."""
        for tables in self.draw(under, prior=prior, n_draws=n_draws, rng=rng):
            yield tuple(measure(tables, self.cells) for measure in measures)

    def default_draws(self, under: Under) -> int:
        """Return how many draws are made where no number was asked for."""
        units = under.ev.units
        if units is None:
            return 1_000_000
        # A draw costs as much as there are patterns, and cells.
        return int(np.clip(100_000_000 // (units.n_patterns + 2 * under.ev.tables.size), 4_000, 50_000))

    # ---- closed forms -------------------------------------------------------------------------------------

    def has_law(self, measure: Metric) -> bool:
        """Say whether the closed form of a measure holds, given the prior, for a model on single items."""
        return measure.law is not None

    def is_closed_when_paired(self, measure: Metric) -> bool:
        """Say whether P(ν_B > ν_A) is known in closed form for models that saw the same items."""
        return False

    def paired_sf(
        self,
        ev: Evaluation,
        measure: Metric,
        margins: Sequence[float],
        *,
        prior: float,
        rng: np.random.Generator,
    ) -> Estimate | None:
        """Return P(ν_B - ν_A > d) for each margin d and two models on single items, None where only draws will do."""
        return None

    def pairing_bounds(
        self, tables: FloatArray, measure: Metric, *, prior: float, rng: np.random.Generator
    ) -> PairingBounds:
        """Return the range of P(ν_B > ν_A) over all pairings of items that two models' tables allow."""
        raise ValueError(f"pairing bounds are those of two binary tables, and this is a {self.name} task")

    # ---- one outcome an item ------------------------------------------------------------------------------

    @property
    def outcomes(self) -> Outcomes | None:
        """What can happen to an item, None where an item may be in several cells or in none."""
        return None

    def outcome_counts(self, ev: Evaluation) -> FloatArray:
        """Return how many items there are of each outcome, axes (model, outcome)."""
        return ev.tables

    def outcome_prior(self, prior: float | None) -> float:
        """Return what a prior adds to each outcome of a model."""
        return self.default_prior if prior is None else prior

    def joint_outcomes(self, n_models: int) -> FloatArray | None:
        """Return all joint outcomes of models on an item, axes (outcome, model, cell), None where they are too many."""
        return None

    def assisted(self, under: Under, measure: Metric) -> Assisted | str:
        """Return an estimate that predictions of missing gold labels help, or say why not; nothing where none is missing."""
        return ""

    # ---- words --------------------------------------------------------------------------------------------

    @property
    def about(self) -> str:
        """What the tables count, in a few words."""
        return f"cells {', '.join(self.cells)}"

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        return f"Dirichlet({prior:g}) prior"

    def gaps(self, tables: FloatArray, unit: str = "item") -> str:
        """Say beside the number of units how many items have a gold label, where not all have one; else nothing."""
        return ""

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return what a reader should know of tables of this kind, in sentences."""
        return ()

    def notes_on(self, under: Under, measure: Metric) -> tuple[str, ...]:
        """Return what a reader should know of a comparison by a measure, in sentences."""
        return ()
