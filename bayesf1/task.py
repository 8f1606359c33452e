"""Task, the protocol of all tasks: the meaning of a table's cells, metrics, prior, draws, closed forms and words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.metrics import Metric, MetricLike

if TYPE_CHECKING:
    from bayesf1.evaluation import Evaluation
    from bayesf1.sampling.model import SamplingModel
    from bayesf1.units import Units


class Outcomes(NamedTuple):
    """The outcomes that an item can have, if it has exactly one of them, and how often each occurred.

    Attributes
    ----------
    labels
        Names of the outcomes.
    rows
        What one item with each outcome adds to a model's table, axes (outcome, cell).
    counts
        How many items have each outcome, axes (model, outcome).
    default_prior, prior_share
        λ of the prior of outcomes if none is given, and the share of λ that each outcome has.
    """

    labels: tuple[str, ...]
    rows: FloatArray
    counts: FloatArray
    default_prior: float = 1.0
    prior_share: float = 1.0

    def prior(self, given: float | None) -> float:
        """Return what a prior adds to each outcome of a model."""
        prior = self.default_prior if given is None else given
        return self.prior_share * prior


class Control(Protocol):
    """A control variate of a metric: two sums over the cells of all models, which are drawn together with its scores."""

    def sums(self, rows: Any) -> FloatArray:
        """Return what rows (row, model·cell) add to the two sums, axes (row, sum)."""


class AskedScores(NamedTuple):
    """The scores that are to be drawn: by which metrics, with which controls by their metrics' names, and how many draws."""

    metrics: Sequence[Metric]
    n_draws: int
    rng: np.random.Generator
    controls: Mapping[str, Control] = MappingProxyType({})


class ScoreBlock(NamedTuple):
    """A block of draws of scores, and of the control variates of some metrics.

    Attributes
    ----------
    scores
        The scores by each metric, axes (draw, model).
    controls
        The two sums of each control, axes (draw, sum), by the name of its metric.
    """

    scores: list[FloatArray]
    controls: dict[str, FloatArray]


# Where the Bayes test of counts was published.
WANG_AND_LI = "the Bayes test of Wang and Li (2019, ACL, 4135–4145)"


class Task(ABC):
    """The meaning of a table's cells, and what follows from it: metrics, prior, draws, closed forms, words.

    Attributes
    ----------
    name
        The task in one word, as files and options say it.
    many_cells
        Whether there are so many cells that rows of units are sparse.
    bootstraps_items
        Whether even single items are bootstrapped, as an item may add more than one of a few known rows.
    citation
        Where the posterior was published.
    default_prior, least_prior
        λ if none is given (Jeffreys' prior of the table is ½), and the least that it can be; infinite if there is none.
    prior_family
        The family of the prior as signatures name it; "" if there is no prior.
    drops_cells
        Whether cells can be left out, as true negatives can.
    counts_all_items
        Whether a table tells how many items there were.
    unlabelled_cells
        The cells of items without a gold label, if there are any.
    final
        Whether a table holds final scores, without anything about items.
    cells
        Names of the cells of a model's table.
    classes
        Names of the classes, if there are several.
    """

    name: ClassVar[str]
    many_cells: ClassVar[bool] = False
    bootstraps_items: ClassVar[bool] = False
    citation: ClassVar[str] = WANG_AND_LI
    default_prior: ClassVar[float] = 0.5
    least_prior: ClassVar[float] = 1e-9
    prior_family: ClassVar[str] = "dirichlet"
    drops_cells: ClassVar[bool] = False
    counts_all_items: ClassVar[bool] = False
    unlabelled_cells: ClassVar[slice | None] = None
    final: ClassVar[bool] = False
    classes: tuple[str, ...] = ()
    cells: tuple[str, ...]

    # ---- cells --------------------------------------------------------------------------------------------

    @property
    def answers(self) -> tuple[tuple[str, str], ...]:
        """For each sort of item, the cell in which yes is counted, and that for no; () if there are other answers."""
        return ()

    def union(self, other: Self) -> Self:
        """Return the task that has the cells of both, or raise a ValueError that says why there is none."""
        if self == other:
            return self
        raise ValueError("their cells differ")

    def select(self, models: Sequence[str]) -> Self:
        """Return the task of some of the models, without what it keeps about the others."""
        return self

    def check_one_scale(self) -> None:
        """Raise a ValueError if outputs of two models could not be exchanged, as they are not on one scale."""
        return

    def without_rows(self) -> Self:
        """Return the task without numbers of rows, for data that may be in another order the next time."""
        return self

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError if fields that were read from a file contradict each other, the models or the tables."""
        if not self.cells or len({*self.cells}) < len(self.cells):
            raise ValueError(f"cells must be different names, not {self.cells!r:.60}")

    # ---- metrics ------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that are shown if none is named."""

    @property
    def main_metric(self) -> str:
        """The metric that is used if only one is needed, and in summaries."""
        return self.default_metrics[-1]

    @abstractmethod
    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the metric that a name, or a callable, means for tables of this task."""

    # ---- prior and posterior ------------------------------------------------------------------------------

    def cell_priors(self, metric: Metric, prior: float) -> float | FloatArray | None:
        """Return what a prior adds to each cell in the closed form of a metric on single items; None if it has none."""
        return None if metric.distribution is None else prior

    def prior_outcomes(self, n_models: int, prior: float) -> tuple[FloatArray, FloatArray]:
        """Return the joint outcomes (outcome, model, cell) to which the prior gives weight, and these weights.

        There are none if there are many cells, as the prior then has almost no weight in each.
        """
        return np.zeros((0, n_models, len(self.cells))), np.zeros(0)

    @abstractmethod
    def draw(self, sampling: SamplingModel, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield blocks of posterior draws of all models' tables, axes (draw, model, cell)."""

    def drawn_units(self, sampling: SamplingModel, metric: Metric) -> Units | None:
        """Return the units, including the prior's, if a metric is drawn from their gamma weights alone; else None."""
        return None

    def draw_scores(self, sampling: SamplingModel, asked: AskedScores) -> Iterator[ScoreBlock]:
        """Yield blocks of posterior draws of all models' scores by each metric, and of controls by their metrics' names."""
        for tables in self.draw(sampling, asked.n_draws, asked.rng):
            flat = tables.reshape(len(tables), -1)
            scores = [metric(tables, self.cells) for metric in asked.metrics]
            controls = {name: control.sums(flat) for name, control in asked.controls.items()}
            yield ScoreBlock(scores, controls)

    def gold_counts(self, tables: FloatArray) -> FloatArray | None:
        """Return how many items of each gold label tables (..., cell) have, axes (..., label); None if cells do not tell.

        The positive label is first. The negative label is left out if true negatives are not counted.
        """
        return None

    def outcomes(self, ev: Evaluation) -> Outcomes | None:
        """Return what can happen to an item, and how often it did; None if an item may be in several cells or in none."""
        return None

    # ---- words --------------------------------------------------------------------------------------------

    @property
    def about(self) -> str:
        """What the tables count, in a few words."""
        return f"cells {', '.join(self.cells)}"

    def describe_prior(self, prior: float) -> str:
        """Describe the prior in words."""
        return f"Dirichlet({prior:g}) prior" if self.prior_family else "No prior"

    def sign_prior(self, prior: float) -> str:
        """Return the prior as written in signatures; "" if there is none."""
        return f"{self.prior_family}({prior:g})" if self.prior_family else ""

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return what a reader should know about tables of this task, in sentences."""
        return ()

    def notes_on(self, sampling: SamplingModel, metric: Metric) -> tuple[str, ...]:
        """Return what a reader should know about a comparison by a metric, in sentences."""
        return ()


def plain_scores(metric: Metric, tables: FloatArray, cells: tuple[str, ...]) -> FloatArray:
    """Return the scores of tables (..., cell); NaN for a score that is undefined because there is nothing to divide by."""
    if metric.always_defined:
        return metric(tables, cells)
    ratio = metric.ratio(cells)
    if ratio is None:
        is_defined = tables.any(axis=-1)
    else:
        _, denominator_weights = ratio
        is_defined = tables @ denominator_weights > 0.0
    return np.where(is_defined, metric(tables, cells), np.nan)
