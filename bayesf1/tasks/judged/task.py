r"""Items with labels of all models and perhaps of a judge, only some of which have a gold label.

Items with the same labels of all models and the judge are a *stratum* (`Strata`). Weights of units are those of a Bayesian
bootstrap. In each draw, the unlabelled items of a stratum are divided among gold labels by shares with a prior,

.. math:: \theta_c \sim \mathrm{Dirichlet}(L_c + a + \kappa\, m_c), \qquad
          m_c \propto p_c\, b_c / \bar b_c, \qquad
          p_c \sim \mathrm{Dirichlet}\bigl(\textstyle\sum_{d\text{ like }c} (L_d + a) + \bar b_c\bigr), \qquad
          a = \frac{4\lambda}{SK},

for S possible strata and K gold labels; κ is half an item. Similar strata are a *pool* (`Pools`). The shares b follow from
the models and the judge, each taken on its own (`IndependentRaters`), and :math:`\bar b` is their mean over the pool. Pools
without a labelled item follow b; with two gold labels, strata of one pool differ as b does, by which models say yes. If all
items are labelled, the posterior is that of paired models with the prior Dirichlet(λ). The choice of items to label is
ignorable if it depends only on what is known about all items.

Rubin (1976), Biometrika 63, 581–592.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray, block_diagonal, sparse
from bayesf1.base.naming import joined
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import Metric, MetricLike
from bayesf1.sampling.draws import draw_patterns
from bayesf1.sampling.model import SamplingModel
from bayesf1.task import AskedScores, ScoreBlock, Task
from bayesf1.tasks.binary import BINARY_CELLS
from bayesf1.tasks.judged.judge_errors import judge_notes
from bayesf1.tasks.judged.missing_labels import Unlabelled
from bayesf1.tasks.judged.strata import POOLED, Strata
from bayesf1.tasks.multiclass import class_outcomes
from bayesf1.units import Units

# Derivatives in more cells take too long.
_MOST_CELLS = 3000
# Arrays of (stratum, [*gold, none]) that a draw holds at the same time.
_ARRAYS_OF_A_DRAW = 5


@dataclass(frozen=True)
class _FilledMetric:
    """A metric of the inner task on tables of a judged task, whose unlabelled items get gold labels by mean shares.

    `size` is the number of items of the sample that was seen.
    """

    task: Judged
    inner: Metric
    size: float

    def __call__(self, tables: FloatArray) -> FloatArray:
        filled = self.task.strata.filled(tables, self.size)
        return self.inner(self.task.tables_of(filled), self.task.inner_task.cells)


@dataclass(frozen=True)
class Judged(Task):
    """Items with labels of all models and perhaps of a judge, only some of which have a gold label.

    Attributes
    ----------
    inner_task
        The task that it would be if every item were labelled.
    strata
        What is known about the items.
    cautions
        Doubts that come from the choice of labelled items, in sentences.
    unlabelled
        Which items have no gold label; None if they were counted by an engine, or come from several evaluations.
    """

    name: ClassVar[str] = "judged"
    many_cells: ClassVar[bool] = True
    bootstraps_items: ClassVar[bool] = True
    citation: ClassVar[str] = (
        "a Bayes test on the Bayesian bootstrap of labelled and unlabelled items, post-stratified by what is known of all"
    )

    inner_task: Task
    strata: Strata
    cautions: tuple[str, ...] = ()
    unlabelled: Unlabelled | None = field(default=None, compare=False, repr=False)

    @property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """Stratum, the model's label, and the gold label or ``?``."""
        return self.strata.cells

    @property
    def unlabelled_cells(self) -> slice:  # type: ignore[override]
        """The last cell of every stratum and label."""
        k = len(self.strata.golds)
        return slice(k, None, k + 1)

    @property
    def classes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the classes, if there are several."""
        return self.inner_task.classes

    def union(self, other: Self) -> Self:
        """Return the task with the strata of both."""
        a = self.strata
        b = other.strata
        if (a.golds, a.models, a.judges) != (b.golds, b.models, b.judges):
            raise ValueError("their gold labels, models or judges differ")
        return replace(
            self,
            inner_task=self.inner_task.union(other.inner_task),
            strata=replace(a, predicted=tuple(sorted({*a.predicted, *b.predicted}))),
            cautions=tuple(dict.fromkeys((*self.cautions, *other.cautions))),
            unlabelled=None,
        )

    def without_rows(self) -> Self:
        """Return the task without the rows of unlabelled items."""
        return replace(self, unlabelled=None)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError if the strata contradict themselves, or are not those of the task and the models."""
        self.strata.check()
        if isinstance(self.inner_task, Judged) or not self.inner_task.counts_all_items:
            raise ValueError(
                f"task must be one in which every item is counted, not {self.inner_task.name!r:.60}"
            )
        self.inner_task.check(self.strata.models, tables)
        classes = self.classes
        if not classes:
            classes = self.strata.golds[:2]
        if self.strata.golds != classes or not {*models} <= {*self.strata.models}:
            raise ValueError("strata must have the gold labels of the task, and all models")

    # ---- metrics ------------------------------------------------------------------------------------------

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The default metrics of the inner task."""
        return self.inner_task.default_metrics

    @cached_property
    def outcomes_of_gold(self) -> FloatArray:
        """What an item adds to a table of the inner task, by gold label and the model's label, axes (gold, label, cell)."""
        k = len(self.strata.golds)
        if self.classes:
            gold, label = np.indices((k, k + 1))
            pairs = np.stack([gold.ravel(), label.ravel()], axis=1)
            return np.asarray(class_outcomes(pairs, k).toarray()).reshape(k, k + 1, -1)
        one_item = dict(zip(BINARY_CELLS, np.eye(len(BINARY_CELLS)), strict=True))
        # Rows are the gold labels no and yes; columns the model's labels no, yes and any other, which counts as no.
        cells = (("tn", "fp", "tn"), ("fn", "tp", "fn"))
        return np.array([[one_item[cell] for cell in row] for row in cells])

    def tables_of(self, filled: FloatArray) -> FloatArray:
        """Return tables of the inner task from filled ones, axes (..., pair, gold) to (..., cell)."""
        return np.asarray(np.tensordot(self.strata.confusion(filled), self.outcomes_of_gold, 2))

    def counts(self, tables: FloatArray) -> FloatArray:
        """Return how many items there are of each stratum and gold label, axes (stratum, [*gold, none])."""
        # All models did the same items.
        first = tables.reshape(-1, len(self.cells))[0]
        return self.strata.by_stratum(first.reshape(len(self.strata.pairs), -1))

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the inner task's metric, on tables whose unlabelled items get gold labels stratum by stratum."""
        inner = self.inner_task.metric(asked, self.tables_of(self.strata.filled(tables)))
        size = float(tables.reshape(-1, len(self.cells))[0].sum())
        return replace(
            inner,
            needs=self.cells,
            distribution=None,
            function=_FilledMetric(self, inner, size),
            smooth=len(self.cells) <= _MOST_CELLS,
            weigh=self._label_weights,
        )

    def _label_weights(self, tables: FloatArray) -> FloatArray:
        """Return 1 for cells of labelled items; with two gold labels, only for the rarer one, which matters most."""
        k = len(self.strata.golds)
        weights = np.append(np.ones(k), 0.0)  # ([*gold, none])
        labelled = self.counts(tables)[:, :-1].sum(axis=0)  # (gold)
        if k == 2 and labelled.all():
            weights[np.argmax(labelled)] = 0.0
        return np.tile(weights, (len(tables), len(self.strata.pairs)))

    # ---- prior and posterior ------------------------------------------------------------------------------

    def describe_prior(self, prior: float) -> str:
        """Return the prior in words."""
        return f"Dirichlet({prior:g}) prior of gold labels, shared by {self.strata.possible} combinations of answers"

    def draw(self, sampling: SamplingModel, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield draws of tables without unlabelled items, from gamma weights of units and drawn gold labels."""
        k = len(self.strata.golds)
        models = self._models_of(sampling)
        for gold_of_models in self._draw_gold(sampling, n_draws, rng):
            n = len(gold_of_models[0])
            tables = np.zeros((n, len(models), len(self.strata.pairs), k + 1))
            for i, (model, gold) in enumerate(zip(models, gold_of_models, strict=True)):
                table = tables[:, i]  # (draw, pair, [*gold, none])
                table[:, self.strata.pair_of[:, model], :k] = gold
            yield tables.reshape(n, len(models), -1)

    def draw_scores(self, sampling: SamplingModel, asked: AskedScores) -> Iterator[ScoreBlock]:
        """Yield draws of scores from tables of the inner task, as all items are labelled in draws and its cells are few."""
        assert not asked.controls, (
            "draws are no weights of known units, of which a control could know the distribution"
        )
        inner: list[Metric] = []
        for metric in asked.metrics:
            assert isinstance(metric.function, _FilledMetric)
            inner.append(metric.function.inner)
        sums_by_label = [self.strata.sums_by_label(model) for model in self._models_of(sampling)]
        for gold_of_models in self._draw_gold(sampling, asked.n_draws, asked.rng):
            matrices = [
                _by_label(gold, sums) for gold, sums in zip(gold_of_models, sums_by_label, strict=True)
            ]
            # Axes (draw, model, gold, label) times (gold, label, cell).
            tables = np.tensordot(np.stack(matrices, axis=1), self.outcomes_of_gold, 2)
            scores = [metric(tables, self.inner_task.cells) for metric in inner]
            yield ScoreBlock(scores, controls={})

    def _models_of(self, sampling: SamplingModel) -> list[int]:
        """Return the numbers of the models of an evaluation among those of the strata."""
        return [self.strata.models.index(model) for model in sampling.ev.models]

    def _draw_gold(
        self, sampling: SamplingModel, n_draws: int, rng: np.random.Generator
    ) -> Iterator[list[FloatArray]]:
        """Yield, for each model, draws of how many items have which gold label, axes (draw, stratum, gold)."""
        ev = sampling.ev
        n_models = len(ev.models)
        if sampling.shared:
            assert ev.units is not None
            # Strata show the labels of all models, so the columns of the first model are enough.
            first = ev.units.select([0], n_models)
            for gold in self._draw_gold_of_sample(first, sampling.prior, n_draws, rng):
                yield [gold for _ in ev.models]
            return
        units = ev.units if ev.item_units is None else ev.item_units
        assert units is not None
        samples = [units.select([i], n_models) for i in range(n_models)]
        drawn = [self._draw_gold_of_sample(sample, sampling.prior, n_draws, rng) for sample in samples]
        for gold_of_models in zip(*drawn, strict=True):
            yield list(gold_of_models)

    def _draw_gold_of_sample(
        self, units: Units, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws of how many items have which gold label, axes (draw, stratum, gold), from units of one model."""
        strata = self.strata
        k = len(strata.golds)
        rows = units.rows @ strata.sums_by_stratum  # (pattern, stratum·[*gold, none])
        size = units.n_patterns + _ARRAYS_OF_A_DRAW * rows.shape[1]
        for flat in draw_patterns(rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
            items = flat.reshape(len(flat), strata.size, k + 1)
            unlabelled = items[..., k:]
            # L + a.
            labelled = items[..., :k] + rng.standard_gamma(strata.weight(prior), (*items.shape[:2], k))
            # Gamma variates stand for p and θ, as factors cancel when shares are formed.
            b = strata.independent_raters.shares(labelled)
            p = strata.pools.sums(labelled) + rng.standard_gamma(strata.pools.means(b))  # (draw, share)
            m = strata.pools.shares(p, b)
            theta = labelled + rng.standard_gamma(POOLED * m)
            theta = theta / theta.sum(axis=-1, keepdims=True)
            yield labelled + unlabelled * theta

    # ---- words --------------------------------------------------------------------------------------------

    @property
    def about(self) -> str:
        """The inner task, and who judged every item."""
        if not self.strata.judges:
            return self.inner_task.about
        return f"{self.inner_task.about} and what {joined(self.strata.judges)} said"

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return how many items are labelled, how the others get gold labels, and cautions, if any."""
        counts = self.counts(tables)
        labelled = counts[:, :-1].sum()
        note = (
            f"{labelled:,.0f} of {counts.sum():,.0f} items were labelled by hand; gold labels of the others were drawn from "
            f"those of labelled items on which {joined(self.strata.raters)} said the same. This is valid if nothing else "
            "that is related to the gold label influenced which items were labelled."
        )
        of_inner_task = self.inner_task.notes(self.tables_of(self.strata.filled(tables)))
        return (note, *self.cautions, *of_inner_task)

    def notes_on(self, sampling: SamplingModel, metric: Metric) -> tuple[str, ...]:
        """Return notes on strata without a labelled item, and on how reliable the judge is."""
        ev = sampling.ev
        return tuple(judge_notes(self.strata, self.counts(ev.tables), ev.models))


def _by_label(gold: FloatArray, sums_by_label: Any) -> FloatArray:
    """Return numbers of gold labels and a model's label, axes (draw, stratum, gold) to (draw, gold, label)."""
    n, n_strata, k = gold.shape
    by_stratum = gold.transpose(1, 2, 0).reshape(n_strata, k * n)
    by_label = (sums_by_label @ by_stratum).reshape(-1, k, n)
    return np.asarray(by_label.transpose(2, 1, 0))


def on_inner_task(ev: Evaluation, task: Judged) -> Evaluation:
    """Return an evaluation in which every item is labelled as one of the inner task, where judgements add nothing."""
    strata = task.strata
    k = len(strata.golds)
    # Cells are (pair, [*gold, none]). The cells without a gold label, which are empty, are added to those of the last label.
    gold_of_cell = np.tile(np.minimum(np.arange(k + 1), k - 1), len(strata.pairs))
    label_of_cell = np.repeat(strata.label, k + 1)
    outcomes = sparse(task.outcomes_of_gold[gold_of_cell, label_of_cell])  # (cell, cell of the inner task)
    of_all_models = block_diagonal([outcomes for _ in ev.models])

    def moved(units: Units | None) -> Units | None:
        if units is None:
            return None
        rows = units.rows @ of_all_models
        if not task.inner_task.many_cells:
            rows = rows.toarray()
        return Units.merge(rows, units.weights, units.name, shared=units.shared)

    return replace(
        ev,
        task=task.inner_task,
        tables=np.asarray(ev.tables @ outcomes),
        units=moved(ev.units),
        item_units=moved(ev.item_units),
    )
