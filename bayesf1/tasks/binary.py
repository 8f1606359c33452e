"""Models that say yes or no to each item: one class against the rest, and what such tasks have in common.

Each model's cells are Dirichlet(λ), as its outcomes are fair coins in the prior. Of a few models every joint outcome in
which they differ is a pattern of its own; of many the prior is a gamma process over random ones.
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
    def answers(self) -> tuple[tuple[str, ...], ...]:
        """For each sort of item the cells of models that say yes, and of models that say no, counted or not."""

    def outcomes(self, ev: Evaluation) -> Outcomes:
        """Return the cells."""
        return Outcomes(self.cells, np.eye(len(self.cells)), ev.tables)

    def joint_outcomes(self, n_models: int) -> FloatArray:
        """Return every joint outcome of models on one item, but for those that add nothing."""
        row = dict(zip(self.cells, np.eye(len(self.cells)), strict=True))
        uncounted = np.zeros(len(self.cells))
        listed = np.array(
            [
                outcome
                for cells in self.answers
                for outcome in itertools.product(
                    [row.get(cell, uncounted) for cell in cells], repeat=n_models
                )
            ]
        )
        return listed[listed.any(axis=(1, 2))]

    def prior_outcomes(self, n_models: int, prior: float) -> tuple[FloatArray, FloatArray]:
        """Return the joint outcomes (outcome, model, cell) to which the prior gives weight, and these weights.

        Of several models they are the outcomes in which the models differ: the prior does not take them for alike.
        """
        listed = self.joint_outcomes(n_models)
        if n_models > 1:
            listed = listed[(listed != listed[:, :1]).any(axis=(1, 2))]
        return listed, np.full(len(listed), prior / max(2 ** (n_models - 1) - 1, 1))

    def draw(
        self, sampling: SamplingModel, *, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws: Dirichlets of each model's cells, or of the patterns that the models share."""
        ev, prior = sampling.ev, sampling.prior
        if not sampling.shared:
            outcomes, believed = self.prior_outcomes(1, prior)
            yield from draw_cells(ev.tables + believed @ outcomes[:, 0], n_draws=n_draws, rng=rng)
            return
        assert ev.units is not None
        atoms, listed = atoms_of(2.0 * prior), self.drawn_units(sampling, None)
        units = listed or ev.units
        adds = (units.weights > 0) & units.rows.any(axis=1)
        rows, weights = units.rows[adds], units.weights[adds]
        size = len(weights) + rows.shape[1] + (0 if listed else 4 * atoms)
        for flat in draw_patterns(rows, weights, n_draws=n_draws, numbers_each=size, rng=rng):
            tables = flat.reshape(len(flat), *ev.tables.shape)
            yield tables if listed else tables + self._prior_atoms(tables.shape, prior, atoms, rng)

    def drawn_units(self, sampling: SamplingModel, metric: Metric | None) -> Units | None:
        """Return the patterns that the models share, and the prior's, where models are few."""
        ev, prior = sampling.ev, sampling.prior
        if not sampling.shared or 2 ** len(ev.models) > atoms_of(2.0 * prior):
            return None
        assert ev.units is not None
        listed, believed = self.prior_outcomes(len(ev.models), prior)
        rows = np.concatenate([ev.units.rows, listed.reshape(len(listed), -1)])
        weights = np.concatenate([ev.units.weights, believed])
        if not sampling.single:
            return replace(ev.units, rows=rows, weights=weights)
        # What is both believed and seen is drawn once: variates of a small weight take longest.
        return Units.merge(rows, weights, "item")

    def _prior_atoms(
        self, shape: tuple[int, ...], prior: float, atoms: int, rng: np.random.Generator
    ) -> FloatArray:
        """Draw the prior's share of tables for many models, as a gamma process over random joint outcomes."""
        out = np.zeros(shape)
        for cells in self.answers:
            sticks = break_sticks(2.0 * prior, atoms, shape[0], rng)
            heads = coin_shares(sticks, shape[1], rng)
            for cell, mass in zip(cells, (heads, sticks.sum(axis=1, keepdims=True) - heads), strict=True):
                if cell in self.cells:
                    out[..., self.cells.index(cell)] = mass
        return out


BINARY_CELLS = ("tp", "fp", "fn", "tn")

# Names that make sense with several classes only.
_SEVERAL = re.compile(r"(micro|macro|weighted)_|.*\[")


@dataclass(frozen=True)
class Binary(BinaryOutcome):
    """One class against the rest, with cells tp, fp, fn, and tn where true negatives are counted.

    Attributes
    ----------
    cells
        Those that are counted.
    positive
        The positive label, where it is known.
    """

    name: ClassVar[str] = "binary"
    drops_cells: ClassVar[bool] = True

    cells: tuple[str, ...] = BINARY_CELLS
    positive: str = field(default="", metadata={"since": "0.3"})

    def union(self, other: Self) -> Self:
        """Return this task, perhaps with the positive label of the other."""
        named = replace(self, positive=one_name(self.positive, other.positive, "positive"))
        return named if self.cells == other.cells else super().union(other)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where cells are not some of tp, fp, fn, tn, in this order."""
        if not self.cells or self.cells != tuple(cell for cell in BINARY_CELLS if cell in self.cells):
            raise ValueError(
                f"cells must be some of {', '.join(BINARY_CELLS)}, in this order, not {self.cells!r:.60}"
            )

    @property
    def counts_all_items(self) -> bool:  # type: ignore[override]
        """Whether true negatives are counted."""
        return "tn" in self.cells

    def gold_positives(self, tables: FloatArray) -> FloatArray | None:
        """Return how many gold positives tables (..., cell) have; None if true positives or misses are not counted."""
        if self.cells[:3] != BINARY_CELLS[:3]:
            return None
        return np.asarray(tables[..., 0] + tables[..., 2])

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Precision, recall and F1."""
        return ("precision", "recall", "f1")

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the metric of a name or callable; of averages over classes there are those of two labels."""
        several = isinstance(asked, str) and _SEVERAL.match(asked)
        if several and not (asked in METRICS and self.counts_all_items):
            both = "ask for macro_f1, micro_f1 or weighted_f1 of both labels, give labels= of both instead of positive="
            raise ValueError(
                f"{printable(str(asked))} needs several classes, but there is only one; "
                f"{both if self.counts_all_items else 'give counts with true negatives'}, or tags with by_type=True"
            )
        return find_metric(asked)

    @property
    def answers(self) -> tuple[tuple[str, ...], ...]:
        """A gold item is found or missed; another is claimed or left alone."""
        return (("tp", "fn"), ("fp", "tn"))
