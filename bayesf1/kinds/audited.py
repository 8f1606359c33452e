r"""An evaluation with gaps: some items have a gold label, of all it is known what the models and the judges said.

Weights of units are those of a Bayesian bootstrap. In each draw of them the gold labels of what nobody has labelled are
shared out stratum by stratum (`strata`), by shares with a prior,

.. math:: \theta_c \sim \mathrm{Dirichlet}(L_c + a + \kappa\, m_c), \qquad
          m_c \sim \mathrm{Dirichlet}\bigl(\textstyle\sum_{d\text{ like }c} (L_d + a) + \bar b_c\bigr),

with b the mean in such strata of what voices say, each taken on its own (`voices`). Where all is labelled this is the
Dirichlet(λ) of paired models. Any choice of items to be labelled that hangs on what is known of all items alone is
ignorable.

Rubin (1976), Biometrika 63, 581–592; Angelopoulos et al. (2023), Science 382, 669–674.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import joined
from bayesf1.evaluation.kind import Assisted, Kind
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.samples import draw_patterns
from bayesf1.evaluation.units import Units
from bayesf1.kinds.gold_draws import drawn_pools, drawn_prior
from bayesf1.kinds.multiclass import class_outcomes
from bayesf1.kinds.strata import POOLED, Strata, union
from bayesf1.kinds.unlabelled import Unlabelled

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation
    from bayesf1.evaluation.under import Under

# Derivatives in so many cells take too long.
_MOST_CELLS = 3000


@dataclass(frozen=True)
class _Scored:
    """A measure of the task as a function of tables with gaps, of samples of as many items as `size` says."""

    kind: Audited
    inner: Metric
    size: float

    def __call__(self, tables: FloatArray) -> FloatArray:
        filled = self.kind.strata.filled(tables, size=self.size)
        return self.inner(self.kind.tables_of(filled), self.kind.task.cells)


@dataclass(frozen=True)
class _Filled(Metric):
    """A measure of tables with gaps; what it rests on are the labelled items, of two outcomes those of the rarer."""

    counts: FloatArray | None = field(default=None, compare=False, repr=False)

    def loads(self, cells: tuple[str, ...]) -> FloatArray:
        """Return 1 for each cell of labelled items, of two gold labels for those of the rarer."""
        assert self.counts is not None
        return self.counts


@dataclass(frozen=True)
class Audited(Kind):
    """Items of which some have a gold label, and all what the models and perhaps judges said.

    Attributes
    ----------
    task
        The kind of task as it is where every item is labelled.
    strata
        What is known of items.
    cautions
        What the choice of labelled items makes doubtful, in sentences.
    unlabelled
        Which items have no gold label; None where they were counted by an engine, or come from several evaluations.
    """

    name: ClassVar[str] = "audited"
    many_cells: ClassVar[bool] = True
    bootstraps_items: ClassVar[bool] = True
    citation: ClassVar[str] = (
        "a Bayes test on the Bayesian bootstrap of labelled and unlabelled items, post-stratified by what is known of all"
    )

    task: Kind
    strata: Strata
    cautions: tuple[str, ...] = ()
    unlabelled: Unlabelled | None = field(default=None, compare=False, repr=False)

    @property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """Stratum, what the model said, and the gold label or ``?``."""
        return self.strata.cells

    @property
    def classes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the classes, where there are several."""
        return self.task.classes

    def keep(self, cells: tuple[str, ...]) -> Self:
        """Refuse: what is not labelled could be in any cell."""
        raise ValueError(
            "where items have no gold label any cell may hold them, so that none can be left out"
        )

    def union(self, other: Self) -> Self:
        """Return the kind with the strata of both."""
        task = self.task.union(other.task)
        cautions = tuple(dict.fromkeys((*self.cautions, *other.cautions)))
        strata = union(self.strata, other.strata)
        return replace(self, task=task, strata=strata, cautions=cautions, unlabelled=None)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where the strata contradict themselves, or are not those of the task and the models."""
        self.strata.check()
        if isinstance(self.task, Audited) or not self.task.counts_all_items:
            raise ValueError(f"task must be one in which every item is counted, not {self.task.name!r:.60}")
        self.task.check(self.strata.models, tables)
        classes = self.classes or self.strata.golds[:2]
        if self.strata.golds != classes or not {*models} <= {*self.strata.models}:
            raise ValueError("strata must have the gold labels of the task, and all models")

    def class_sizes(self, tables: FloatArray) -> FloatArray:
        """Return how many items each class is expected to have."""
        return self.task.class_sizes(self.tables_of(self.strata.filled(tables)))

    # ---- measures -----------------------------------------------------------------------------------------

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Those of the task."""
        return self.task.default_metrics

    @cached_property
    def _outcomes(self) -> FloatArray:
        """What an item of each gold label and prediction adds to a table of the task, axes (gold·said, cell)."""
        k = len(self.strata.golds)
        if not self.classes:
            # tn, fp, fn, tp, by gold and what was said; a model that says anything else does not say yes.
            return np.array(
                [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]], float
            )
        pairs = np.stack([i.ravel() for i in np.indices((k, k + 1))], axis=1)
        return np.asarray(class_outcomes(pairs, k).toarray())

    @property
    def outcomes_of_gold(self) -> FloatArray:
        """What an item of each gold label and prediction adds to a table of the task, axes (gold, said, cell)."""
        k = len(self.strata.golds)
        return self._outcomes.reshape(k, k + 1, -1)

    def tables_of(self, filled: FloatArray) -> FloatArray:
        """Return tables of the task from filled ones, axes (..., pair, gold) to (..., cell)."""
        matrices = self.strata.confusion(filled)
        return np.asarray(matrices.reshape(*matrices.shape[:-2], -1) @ self._outcomes)

    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the task's measure, on tables whose gaps are filled in stratum by stratum."""
        if isinstance(asked, _Filled):
            return asked
        inner = self.task.measure(asked, self.tables_of(self.strata.filled(tables)))
        size = float(tables.reshape(-1, len(self.cells))[0].sum())
        found = {**vars(inner), "needs": self.cells, "law": None, "function": _Scored(self, inner, size)}
        return _Filled(**found, counts=self._relevant(tables))

    def _relevant(self, tables: FloatArray) -> FloatArray:
        """Return 1 for cells of labelled items; of two gold labels the rarer tells how well a score is known."""
        k, n = len(self.strata.golds), len(self.strata.pairs)
        counts = np.ones(k + 1)
        counts[-1] = 0.0
        if k == 2:
            labelled = self.strata.split(tables)[0]
            totals = labelled.reshape(-1, 2).sum(axis=0)
            counts[np.argmax(totals)] = 0.0 if totals.all() else 1.0
        return np.tile(counts, n)

    def is_smooth(self, measure: Metric) -> bool:
        """Say whether there are not too many cells for derivatives."""
        return len(self.cells) <= _MOST_CELLS

    # ---- prior and posterior ------------------------------------------------------------------------------

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        return (
            f"Dirichlet({prior:g}) prior of gold labels, spread over the {self.strata.possible} combinations of what "
            f"{joined(self.strata.voices)} can say, each with half an item from similar combinations"
        )

    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws: gamma weights of units, and gold labels of what has none from the labelled items of its stratum."""
        shown, k = self._shown(under), len(self.strata.golds)
        for parts in self._drawn(under, prior, n_draws, rng):
            tables = np.zeros((len(parts[0]), len(shown), len(self.strata.pairs), k + 1))
            for i, (model, filled) in enumerate(zip(shown, parts, strict=True)):
                tables[:, i, self.strata.columns[:, model], :k] = filled
            yield tables.reshape(*tables.shape[:2], -1)

    def draw_scores(
        self,
        under: Under,
        measures: Sequence[Metric],
        *,
        prior: float,
        n_draws: int,
        rng: np.random.Generator,
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield draws of scores from tables of the task, as draws have no gaps and far fewer cells are enough."""
        asked = [measure.function for measure in measures]
        if not all(isinstance(each, _Scored) for each in asked):
            yield from super().draw_scores(under, measures, prior=prior, n_draws=n_draws, rng=rng)
            return
        words = [self.strata.word_sums(model) for model in self._shown(under)]
        for parts in self._drawn(under, prior, n_draws, rng):
            matrices = [_by_word(filled, word) for filled, word in zip(parts, words, strict=True)]
            tables = np.stack(matrices, axis=1) @ self._outcomes
            yield tuple(each.inner(tables, self.task.cells) for each in asked if isinstance(each, _Scored))

    def _shown(self, under: Under) -> list[int]:
        return [self.strata.models.index(model) for model in under.ev.models]

    def _drawn(
        self, under: Under, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[list[FloatArray]]:
        """Yield, for each model, draws of how many items have which gold label, axes (draw, stratum, gold)."""
        ev, n = under.ev, len(under.ev.models)
        units = ev.units if under.shared else ev.finer or ev.units
        assert units is not None
        samples = [units.select([i], n) for i in range(1 if under.shared else n)]
        drawn = [self._of_sample(part, prior, n_draws, rng) for part in samples]
        for blocks in zip(*drawn, strict=True):
            yield [blocks[0]] * n if under.shared else list(blocks)

    def _of_sample(
        self, units: Units, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        strata, k = self.strata, len(self.strata.golds)
        rows = units.rows @ strata.cell_sums
        size = units.n_patterns + 5 * rows.shape[1]
        for flat in draw_patterns(rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
            parts = flat.reshape(len(flat), strata.size, k + 1)
            labelled, unlabelled = parts[..., :k], parts[..., k:]
            labelled = labelled + drawn_prior(strata.weight(prior), labelled.shape, rng)
            shares = labelled + rng.standard_gamma(POOLED * drawn_pools(strata, labelled, rng))
            yield labelled + unlabelled * (shares / shares.sum(axis=-1, keepdims=True))

    def default_draws(self, under: Under) -> int:
        """Return fewer draws where there are more cells, each of which is filled in."""
        return int(np.clip(10_000_000 // under.ev.tables.size, 1_000, 40_000))

    def rows_of(self, models: Sequence[int], stratum: Any, gold: Any) -> Any:
        """Return what items of given strata and gold labels add, a sparse array (item, model·cell).

        The number of gold labels stands for an item that has none.
        """
        from scipy.sparse import csr_array

        width = len(self.strata.golds) + 1
        cell = self.strata.columns[:, list(models)][stratum] * width + np.asarray(gold)[:, None]
        columns = cell + np.arange(len(models)) * len(self.cells)
        row = np.broadcast_to(np.arange(len(columns))[:, None], columns.shape)
        shape = (len(columns), len(models) * len(self.cells))
        return csr_array((np.ones(columns.size), (row.ravel(), columns.ravel())), shape=shape)

    def assisted(self, under: Under, measure: Metric) -> Assisted | str:
        """Return the difference estimator, as prediction-powered inference has it."""
        from bayesf1.kinds.difference_estimator import difference_estimate

        return difference_estimate(under, self, measure) if self.gaps(under.ev.tables) else ""

    # ---- words --------------------------------------------------------------------------------------------

    @property
    def about(self) -> str:
        """The task, and what is known of every item."""
        judged = f" and what {joined(self.strata.judges)} said" if self.strata.judges else ""
        return f"{self.task.about}{judged}"

    def counts(self, tables: FloatArray) -> FloatArray:
        """Return how many items there are of each stratum and gold label, axes (stratum, [*gold, none])."""
        first = tables.reshape(-1, len(self.cells))[0]
        return self.strata.by_stratum(first.reshape(len(self.strata.pairs), -1))

    def gaps(self, tables: FloatArray, unit: str = "item") -> str:
        """Say how many items are labelled, where not all are."""
        counts = self.counts(tables)
        labelled, total = counts[:, :-1].sum(), counts.sum()
        if labelled == total:
            return ""
        of = "them" if unit == "item" else f"{total:,.0f} items"
        return f"{labelled:,.0f} of {of} labelled"

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Say how many items are labelled and how the others are filled in, and what cautions there are."""
        counts = self.counts(tables)
        labelled, total = counts[:, :-1].sum(), counts.sum()
        said = (
            f"{labelled:,.0f} of {total:,.0f} items were labelled by hand; gold labels of the others were drawn from those "
            f"of labelled items on which {joined(self.strata.voices)} said the same. This is valid if nothing else that is "
            "related to the gold label influenced which items were labelled."
        )
        strays = self.task.notes(self.tables_of(self.strata.filled(tables)))
        return (said, *self.cautions, *strays)

    def notes_on(self, under: Under, measure: Metric) -> tuple[str, ...]:
        """Say what strata without a label could change, and what the judges are worth."""
        from bayesf1.kinds.judges import copies, empty_strata, judged, too_many_voices, worth

        return (
            *too_many_voices(under, self),
            *empty_strata(under, self, measure),
            *judged(under, self),
            *copies(under, self),
            *worth(under, self, measure),
        )


def _by_word(filled: FloatArray, word: Any) -> FloatArray:
    """Return numbers of gold labels and what the model said, axes (draw, gold·said), from those of strata."""
    n, size, k = filled.shape
    sums = word @ filled.transpose(1, 2, 0).reshape(size, -1)
    return np.asarray(sums.reshape(-1, k, n).transpose(2, 1, 0).reshape(n, -1))


def settled(ev: Evaluation) -> Evaluation:
    """Return an evaluation without gaps as one of its task, to which what judges say adds nothing; others as they are."""
    from scipy.sparse import block_diag, csr_array

    kind = ev.kind
    if not isinstance(kind, Audited) or kind.gaps(ev.tables):
        return ev
    strata, k = kind.strata, len(kind.strata.golds)
    gold = np.tile(np.minimum(np.arange(k + 1), k - 1), len(strata.pairs))
    adds = kind.outcomes_of_gold[gold, np.repeat(strata.own, k + 1)]
    moves = block_diag([csr_array(adds)] * len(ev.models), format="csr")

    def moved(units: Units | None) -> Units | None:
        if units is None:
            return None
        rows = units.rows @ moves
        rows = rows if kind.task.many_cells else rows.toarray()
        return Units.merge(rows, units.weights, units.name, shared=units.shared)

    units, finer = moved(ev.units), moved(ev.finer)
    return replace(ev, kind=kind.task, tables=ev.tables @ adds, units=units, finer=finer)
