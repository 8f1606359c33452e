"""Models that say yes or no to each item: one class against the rest, and the base of all tasks with two answers.

Each model's cells are Dirichlet(λ), as its outcomes are fair coins in the prior. If there are few models, every joint
outcome in which they differ is a pattern of its own; if there are many, the prior is a gamma process over random joint
outcomes.
"""

from __future__ import annotations

import itertools
import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import one_name, printable
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import METRICS, Metric, MetricLike, find_metric
from bayesf1.sampling.draws import draw_patterns
from bayesf1.sampling.model import SamplingModel
from bayesf1.task import Outcomes, Task
from bayesf1.tasks.draws import atoms_of, break_sticks, coin_shares, draw_cells
from bayesf1.units import Units


@dataclass(frozen=True)
class BinaryOutcome(Task):
    """A task whose items put each model into one of two cells."""

    # A quadrature needs Beta parameters whose mass does not underflow in the logit.
    least_prior: ClassVar[float] = 0.1

    @property
    @abstractmethod
    def answers(self) -> tuple[tuple[str, str], ...]:
        """For each sort of item, the cell of models that say yes, and that of models that say no, counted or not."""

    def outcomes(self, ev: Evaluation) -> Outcomes:
        """Return the cells."""
        return Outcomes(self.cells, np.eye(len(self.cells)), ev.tables)

    def joint_outcomes(self, n_models: int) -> FloatArray:
        """Return every joint outcome of models on one item that adds something, axes (outcome, model, cell)."""
        one_item = dict(zip(self.cells, np.eye(len(self.cells)), strict=True))
        uncounted = np.zeros(len(self.cells))
        outcomes: list[tuple[FloatArray, ...]] = []
        for yes, no in self.answers:
            of_one_model = (one_item.get(yes, uncounted), one_item.get(no, uncounted))
            outcomes.extend(itertools.product(of_one_model, repeat=n_models))
        listed = np.array(outcomes)
        return listed[listed.any(axis=(1, 2))]

    def prior_outcomes(self, n_models: int, prior: float) -> tuple[FloatArray, FloatArray]:
        """Return the joint outcomes (outcome, model, cell) to which the prior gives weight, and these weights.

        If there are several models, these are the outcomes in which they differ: the prior does not assume that models
        agree.
        """
        outcomes = self.joint_outcomes(n_models)
        if n_models == 1:
            return outcomes, np.full(len(outcomes), prior)
        differ = (outcomes != outcomes[:, :1]).any(axis=(1, 2))
        # Half of the outcomes of a sort of item put a model into a given cell; the one in which all agree is left out.
        n_of_a_cell = 2 ** (n_models - 1) - 1
        return outcomes[differ], np.full(np.count_nonzero(differ), prior / n_of_a_cell)

    def draw(self, sampling: SamplingModel, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield draws: Dirichlets of each model's cells, or of the patterns that the models share."""
        ev = sampling.ev
        prior = sampling.prior
        if not sampling.shared:
            outcomes, weights = self.prior_outcomes(1, prior)
            added = weights @ outcomes[:, 0]  # (cell)
            yield from draw_cells(ev.tables + added, n_draws=n_draws, rng=rng)
            return
        assert ev.units is not None
        with_prior = self._units_with_prior(sampling)
        atoms = atoms_of(2.0 * prior) if with_prior is None else 0
        units = ev.units if with_prior is None else with_prior
        units = _used(units)
        size = units.n_patterns + units.rows.shape[1] + 4 * atoms
        for flat in draw_patterns(units.rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
            tables = flat.reshape(len(flat), *ev.tables.shape)
            if with_prior is None:
                tables = tables + self._prior_atoms(tables.shape, prior, atoms, rng)
            yield tables

    def drawn_units(self, sampling: SamplingModel, metric: Metric) -> Units | None:
        """Return the patterns that the models share, and the prior's, if there are few models; None if there are many."""
        return self._units_with_prior(sampling)

    def _units_with_prior(self, sampling: SamplingModel) -> Units | None:
        ev = sampling.ev
        n_models = len(ev.models)
        if not sampling.shared or 2**n_models > atoms_of(2.0 * sampling.prior):
            return None
        assert ev.units is not None
        outcomes, prior_weights = self.prior_outcomes(n_models, sampling.prior)
        prior_rows = outcomes.reshape(len(outcomes), -1)
        rows = np.concatenate([ev.units.rows, prior_rows])
        weights = np.concatenate([ev.units.weights, prior_weights])
        if not sampling.single:
            return replace(ev.units, rows=rows, weights=weights)
        # A pattern that data and prior share is drawn once, because gamma variates of a small weight take longest.
        return Units.merge(rows, weights, "item")

    def _prior_atoms(
        self, shape: tuple[int, ...], prior: float, atoms: int, rng: np.random.Generator
    ) -> FloatArray:
        """Draw the prior's share of tables for many models, as a gamma process over random joint outcomes."""
        n_draws, n_models, _ = shape
        tables = np.zeros(shape)
        for yes, no in self.answers:
            sticks = break_sticks(2.0 * prior, atoms, n_draws, rng)  # (draw, atom)
            says_yes = coin_shares(sticks, n_models, rng)  # (draw, model)
            says_no = sticks.sum(axis=1, keepdims=True) - says_yes
            for cell, mass in ((yes, says_yes), (no, says_no)):
                if cell in self.cells:
                    tables[..., self.cells.index(cell)] = mass
        return tables


def _used(units: Units) -> Units:
    """Return the units that have a weight and add anything."""
    used = (units.weights > 0) & units.rows.any(axis=1)
    return replace(units, rows=units.rows[used], weights=units.weights[used])


BINARY_CELLS = ("tp", "fp", "fn", "tn")

# Names that make sense with several classes only.
_SEVERAL = re.compile(r"(micro|macro|weighted)_|.*\[")


@dataclass(frozen=True)
class Binary(BinaryOutcome):
    """One class against the rest, with cells tp, fp, fn, and tn where true negatives are counted.

    Attributes
    ----------
    cells
        The cells that are counted.
    positive
        The positive label, if it is known.
    """

    name: ClassVar[str] = "binary"
    drops_cells: ClassVar[bool] = True

    cells: tuple[str, ...] = BINARY_CELLS
    positive: str = field(default="", metadata={"since": "0.3"})

    def union(self, other: Self) -> Self:
        """Return this task, perhaps with the positive label of the other."""
        positive = one_name(self.positive, other.positive, "positive")
        if self.cells == other.cells:
            return replace(self, positive=positive)
        return super().union(other)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError if cells are not some of tp, fp, fn, tn, in this order."""
        if not self.cells or self.cells != tuple(cell for cell in BINARY_CELLS if cell in self.cells):
            raise ValueError(
                f"cells must be some of {', '.join(BINARY_CELLS)}, in this order, not {self.cells!r:.60}"
            )

    @property
    def counts_all_items(self) -> bool:  # type: ignore[override]
        """Whether true negatives are counted."""
        return "tn" in self.cells

    def gold_counts(self, tables: FloatArray) -> FloatArray | None:
        """Return how many gold positives, and perhaps gold negatives, tables (..., cell) have, axes (..., label)."""
        if self.cells[:3] != BINARY_CELLS[:3]:
            return None
        positives = tables[..., 0] + tables[..., 2]
        if not self.counts_all_items:
            return positives[..., None]
        negatives = tables[..., 1] + tables[..., 3]
        return np.stack([positives, negatives], axis=-1)

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Precision, recall and F1."""
        return ("precision", "recall", "f1")

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the metric of a name or callable; averages over classes are those of the two labels."""
        if not isinstance(asked, str) or not _SEVERAL.match(asked):
            return find_metric(asked)
        if asked in METRICS and self.counts_all_items:
            return find_metric(asked)
        if self.counts_all_items:
            remedy = "ask for macro_f1, micro_f1 or weighted_f1 of both labels, give labels= of both instead of positive="
        else:
            remedy = "give counts with true negatives"
        raise ValueError(
            f"{printable(asked)} needs several classes, but there is only one; {remedy}, or tags with by_type=True"
        )

    @property
    def answers(self) -> tuple[tuple[str, str], ...]:
        """A gold item is found or missed; another is claimed or left alone."""
        return (("tp", "fn"), ("fp", "tn"))
