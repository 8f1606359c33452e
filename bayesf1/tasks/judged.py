r"""Items of which some have a gold label, and all what the models and perhaps a judge said.

Items of which the same is known are a *stratum*. A model's table counts, for each stratum c and each label p that some
model said there, the items of each gold label g and those that nobody has labelled:

.. math:: T_m(c, p, g), \quad T_m(c, p, ?), \qquad p = \text{what } m \text{ said in } c.

Weights of units are those of a Bayesian bootstrap. In each draw of them the gold labels of what nobody has labelled are
shared out stratum by stratum, by shares with a prior,

.. math:: \theta_c \sim \mathrm{Dirichlet}(L_c + a + \kappa\, m_c), \qquad
          m_c \propto p_c\, b_c / \bar b_c, \qquad
          p_c \sim \mathrm{Dirichlet}\bigl(\textstyle\sum_{d\text{ like }c} (L_d + a) + \bar b_c\bigr), \qquad
          a = \frac{4\lambda}{SK},

for S strata that could be and K gold labels; κ is half an item. Strata that are alike are a *pool*: with two gold labels
those of the same judgement and of as many models that say yes, with more those in which the same raters agree. b is what
the models and the judge say, each taken on its own (`IndependentRaters`), and its mean that of the pool: pools without a
label follow it, and with two gold labels a stratum differs from its pool as the models that say yes differ from others.
Where all is labelled this is the Dirichlet(λ) of paired models. Any choice of items to be labelled that depends on what is
known of all items alone is ignorable.

Rubin (1976), Biometrika 63, 581–592; Angelopoulos et al. (2023), Science 382, 669–674.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from scipy import special

from bayesf1.base.arrays import AnyArray, BoolArray, FloatArray, IntArray, block_diagonal, indicators, sparse
from bayesf1.base.naming import joined, listing
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import Metric, MetricLike, ratio
from bayesf1.sampling.draws import draw_patterns
from bayesf1.sampling.model import SamplingModel
from bayesf1.task import Control, ScoreBlock, Task
from bayesf1.tasks.multiclass import class_outcomes
from bayesf1.units import Units

# Items that a stratum takes from its pool.
POOLED = 0.5
# Up to so many entries a matrix is dense.
_DENSE = 4096
_MOST_CELLS = 3000


@dataclass(frozen=True, eq=False)
class IndependentRaters:
    r"""What each model and the judge, every *rater*, is worth on its own, and what all of them together then say of gold.

    Where several raters speak, most combinations of their words hold no labelled item, nor do those that are alike. Each
    rater on its own is well known all the same: how often it says w where gold is g. If raters err independently of one
    another given gold,

    .. math:: b_{cg} \propto P(g) \prod_v P(\text{word of } v \text{ in } c \mid g),

    with one item added to everything that is counted. With two gold labels every word of a rater has its share, so that a
    judge that is always wrong tells as much as one that is always right; with more, a rater is right or wrong, whatever
    the label is. Dawid and Skene (1979), Applied Statistics 28, 20–28.

    Attributes
    ----------
    adds
        Which event each gold label of a stratum is for every rater: a sparse array (event, stratum·gold).
    exclusive
        Which events exclude each other, axes (event, event).
    multiplicity
        In how many ways an event happens, each as likely as the others.

    Examples
    --------
    A model that is right on six of ten items, and a judge that is right on nine:

    >>> predicted = (("no", "no"), ("no", "yes"), ("yes", "no"), ("yes", "yes"))
    >>> labelled = np.array([[27.0, 3.0], [3.0, 17.0], [18.0, 2.0], [2.0, 28.0]])
    >>> IndependentRaters.of(("no", "yes"), predicted).shares(labelled)[:, 1].round(2)
    array([0.08, 0.84, 0.16, 0.92])
    """

    adds: Any
    exclusive: FloatArray
    multiplicity: FloatArray

    @classmethod
    def of(cls, golds: Sequence[str], predicted: Sequence[tuple[str, ...]]) -> IndependentRaters:
        """Return the raters that said this in each stratum."""
        k, place = len(golds), dict[tuple[object, ...], int]()
        events = [
            place.setdefault((v, gold, word) if k == 2 else (v, word == gold), len(place))
            for row in predicted
            for gold in golds
            for v, word in enumerate(row)
        ]
        at = np.repeat(np.arange(len(predicted) * k), len(predicted[0]))
        adds = _adder(events, at, (len(place), len(predicted) * k))
        kinds = [event[:2] if k == 2 else event[:1] for event in place]
        exclusive = np.array([[float(one == other) for other in kinds] for one in kinds])
        multiplicity = np.array([1.0 if k == 2 or event[1] else k - 1.0 for event in place])
        return cls(adds, exclusive, multiplicity)

    def shares(self, labelled: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
        """Return shares of gold labels in each stratum if raters are independent given gold, axes (..., stratum, gold).

        What is added counts `scale` times, as in `Strata.shares`.
        """
        one = np.asarray(scale, dtype=float)[..., None]
        flat = labelled.reshape(*labelled.shape[:-2], -1)
        seen = _times(self.adds, flat) + one
        logs = np.log(seen / (seen @ self.exclusive) / self.multiplicity)
        found = _times(self.adds.T, logs).reshape(labelled.shape)
        found = found + np.log(labelled.sum(axis=-2, keepdims=True) + one[..., None])
        found = np.exp(found - found.max(axis=-1, keepdims=True))
        return np.asarray(found / found.sum(axis=-1, keepdims=True))


def _adder(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """Return indicators for `_times`, sparse only if they are many: a small sparse array takes ten times as long."""
    found = indicators(rows, columns, shape)
    return found.toarray() if shape[0] * shape[1] <= _DENSE else found


def _times(matrix: Any, numbers: FloatArray) -> FloatArray:
    """Return a matrix times numbers, axes (..., column) to (..., row)."""
    flat = numbers.reshape(-1, numbers.shape[-1])
    return np.ascontiguousarray((matrix @ flat.T).T).reshape(*numbers.shape[:-1], matrix.shape[0])


@dataclass(frozen=True, eq=False)
class Pools:
    """Strata that are alike, and what their gold labels have in common.

    Attributes
    ----------
    index
        Number of the share that each gold label of a stratum has in its pool, axes (stratum, gold).
    parts
        What part of that share each of them has, one that shares it with others of the stratum; None if what raters say
        on their own tells strata of a pool apart.
    strata
        How many strata the pool of each share has.
    """

    index: IntArray
    parts: FloatArray | None
    strata: FloatArray

    @cached_property
    def _adds(self) -> Any:
        return _adder(self.index, np.arange(self.index.size), (len(self.strata), self.index.size))

    def sums(self, labelled: FloatArray) -> FloatArray:
        """Return what is labelled, axes (..., stratum, gold), added up by share, axes (..., share)."""
        return _times(self._adds, labelled.reshape(*labelled.shape[:-2], -1))

    def means(self, shares: FloatArray) -> FloatArray:
        """Return mean shares of gold labels in the strata of each pool, axes (..., stratum, gold) to (..., share)."""
        return np.asarray(self.sums(shares) / self.strata)

    def shares(self, sums: FloatArray, guessed: FloatArray) -> FloatArray:
        """Return what its pool says of each stratum, from sums, axes (..., share), and guesses, axes (..., stratum, gold)."""
        parts = guessed if self.parts is None else self.parts
        found = ratio(sums, self.means(parts))[..., self.index] * parts
        return np.asarray(found / found.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class Strata:
    """The strata of items by what is known of all of them.

    Attributes
    ----------
    golds
        Gold labels; of two the second is the positive one.
    models, judges
        Whose words are known of every item; there is one judge, or none.
    predicted
        For each stratum what every model and then the judge said.

    Examples
    --------
    >>> found = Strata(("no", "yes"), ("A", "B"), ("gpt",), (("no", "yes", "yes"), ("yes", "yes", "yes")))
    >>> found.words(0)
    'A no, B yes, gpt yes'
    >>> len(found.cells), found.cells[-1]
    (9, 'A yes, B yes, gpt yes | yes: ?')
    """

    golds: tuple[str, ...]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    predicted: tuple[tuple[str, ...], ...]

    def check(self) -> None:
        """Raise a ValueError where names come twice, or what was said is not in order or not said by everybody."""
        for names, least in ((self.golds, 2), (self.raters, 1), (self.predicted, 1)):
            if not least <= len(names) == len({*names}):
                raise ValueError(f"strata must have {least} different names at least, not {names!r:.60}")
        if len(self.judges) > 1 or not self.models:
            raise ValueError(f"strata must have a model, and one judge at most, not {self.raters!r:.60}")
        if {*map(len, self.predicted)} != {len(self.raters)} or list(self.predicted) != sorted(
            {*self.predicted}
        ):
            raise ValueError(f"strata must say in order what all of {len(self.raters)} raters said")

    @property
    def size(self) -> int:
        """How many strata there are."""
        return len(self.predicted)

    @property
    def raters(self) -> tuple[str, ...]:
        """The models and the judge."""
        return self.models + self.judges

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Names of the cells: stratum, what the model said, gold label or ``?``; these last run fastest."""
        return tuple(
            f"{self.words(c)} | {own}: {gold}" for c, own in self.pairs for gold in (*self.golds, "?")
        )

    @cached_property
    def pairs(self) -> tuple[tuple[int, str], ...]:
        """Stratum and what a model said there, for every label that some model said."""
        n = len(self.models)
        return tuple(
            (c, own) for c, predicted in enumerate(self.predicted) for own in sorted(set(predicted[:n]))
        )

    @cached_property
    def stratum(self) -> IntArray:
        """The stratum of each pair."""
        return np.array([c for c, _ in self.pairs], dtype=np.intp)

    @cached_property
    def own(self) -> IntArray:
        """What the model said in each pair, as a number of a gold label; their number for any other label."""
        place = {gold: i for i, gold in enumerate(self.golds)}
        return np.array([place.get(own, len(place)) for _, own in self.pairs], dtype=np.intp)

    @cached_property
    def columns(self) -> IntArray:
        """The pair that each model's word makes in each stratum, axes (stratum, model)."""
        place = {pair: i for i, pair in enumerate(self.pairs)}
        n = len(self.models)
        found = [[place[c, own] for own in predicted[:n]] for c, predicted in enumerate(self.predicted)]
        return np.array(found, dtype=np.intp).reshape(self.size, n)

    def predicted_by(self, model: int) -> IntArray:
        """Return what a model said in each stratum, as a number of a gold label; their number for any other label."""
        return np.asarray(self.own[self.columns[:, model]])

    def word_sums(self, model: int) -> Any:
        """Return what adds strata up by what a model said in them: a sparse array (said, stratum)."""
        return indicators(self.predicted_by(model), np.arange(self.size), (len(self.golds) + 1, self.size))

    @cached_property
    def cell_sums(self) -> Any:
        """What adds cells of a model's table up, whatever it said: a sparse array (cell, stratum·[*gold, none])."""
        width = len(self.golds) + 1
        to = self.stratum[:, None] * width + np.arange(width)
        return indicators(np.arange(to.size), to, (to.size, self.size * width))

    def words(self, stratum: int) -> str:
        """Return what is known of a stratum's items, in words."""
        return ", ".join(
            f"{who} {what}" for who, what in zip(self.raters, self.predicted[stratum], strict=True)
        )

    @cached_property
    def possible(self) -> int:
        """How many strata could be: every model may say each gold label, the judge what it said somewhere."""
        n = len(self.models)
        return int(float(len(self.golds)) ** n * len({predicted[n:] for predicted in self.predicted}))

    # ---- shares of gold labels ----------------------------------------------------------------------------

    def split(self, tables: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what is labelled, axes (..., pair, gold), and what is not, axes (..., pair, 1), of tables (..., cell)."""
        parts = tables.reshape(*tables.shape[:-1], len(self.pairs), len(self.golds) + 1)
        return parts[..., :-1], parts[..., -1:]

    def by_stratum(self, parts: FloatArray) -> FloatArray:
        """Return sums over the pairs of each stratum, axes (..., pair, x) to (..., stratum, x)."""
        first = np.searchsorted(self.stratum, np.arange(self.size))
        return np.asarray(np.add.reduceat(parts, first, axis=-2))

    def weight(self, prior: float = 1.0) -> float:
        """Return what the prior adds to each gold label of a stratum; where all is labelled, that of paired models."""
        return 4.0 * prior / (self.possible * len(self.golds))

    def pooled(self, labelled: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
        """Return what its pool says of each stratum, from what is labelled, axes (..., stratum, gold)."""
        guessed = self.independent_raters.shares(labelled, scale)
        one = np.asarray(scale)[..., None] * self.pools.means(guessed)
        return self.pools.shares(self.pools.sums(labelled) + one, guessed)

    @cached_property
    def independent_raters(self) -> IndependentRaters:
        """What each rater is worth on its own."""
        return IndependentRaters.of(self.golds, self.predicted)

    @cached_property
    def pools(self) -> Pools:
        """The pools of the strata."""
        n, k, place = len(self.models), len(self.golds), dict[tuple[object, object], int]()
        index = np.zeros((self.size, k), dtype=np.intp)
        parts = np.ones((self.size, k))
        found = list[object]()
        for c, predicted in enumerate(self.predicted):
            if k == 2:
                pool: object = (predicted[n:], predicted[:n].count(self.golds[1]))
                roles: list[object] = list(self.golds)
            else:
                # Who agrees with whom is what strata have in common, whatever the label is.
                first = {label: i for i, label in reversed(list(enumerate(predicted)))}
                pool = tuple(first[label] for label in predicted)
                roles = [first.get(gold, "another") for gold in self.golds]
            index[c] = [place.setdefault((pool, role), len(place)) for role in roles]
            parts[c] = [1.0 / roles.count(role) for role in roles]
            found.append(pool)
        sizes = Counter(found)
        strata = np.array([sizes[pool] for pool, _ in place], dtype=float)
        return Pools(index, None if k == 2 else parts, strata)

    def shares(self, labelled: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
        """Return shares of gold labels in each stratum from what is labelled there, axes (..., stratum, gold).

        The prior counts `scale` times, where numbers are of so many samples as large as the one that was seen.
        """
        by = np.asarray(scale)[..., None, None]
        found = labelled + by * self.weight()
        found = found + by * POOLED * self.pooled(found, scale)
        return np.asarray(found / found.sum(axis=-1, keepdims=True))

    def filled(self, tables: FloatArray, size: float | None = None) -> FloatArray:
        """Return tables (..., cell) in which what nobody has labelled has gold labels by shares, axes (..., pair, gold).

        The tables are of samples of as many items as `size` says.
        """
        known, unknown = self.split(tables)
        if not unknown.any():
            return known
        scale = 1.0 if size is None else tables.sum(axis=-1) / size
        shares = self.shares(self.by_stratum(known), scale)
        return np.asarray(known + unknown * shares[..., self.stratum, :])

    def confusion(self, filled: FloatArray) -> FloatArray:
        """Return matrices of gold and what the model said, axes (..., pair, gold) to (..., gold, said)."""
        return np.asarray(np.swapaxes(filled, -1, -2) @ np.eye(len(self.golds) + 1)[self.own])


def strata_of(
    golds: Sequence[str], models: Sequence[str], judges: Sequence[str], predicted: Sequence[tuple[str, ...]]
) -> tuple[Strata, IntArray]:
    """Return the strata of what was said by all raters, in order and each once, and which of them each of these is."""
    found = Strata(tuple(golds), tuple(models), tuple(judges), tuple(sorted(set(predicted))))
    place = {row: c for c, row in enumerate(found.predicted)}
    return found, np.array([place[row] for row in predicted], dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Unlabelled:
    """Items without a gold label, so that a plan can name them; eight bytes for each.

    Attributes
    ----------
    rows
        Numbers from 0 of the items of each stratum.
    ids
        What all items are called, where they have names.

    Examples
    --------
    >>> found = Unlabelled.of(np.array([0, 1, 0, 1]), np.array([True, False, False, False]), 2, ["a", "b", "c", "d"])
    >>> found.rows
    (array([2]), array([1, 3]))
    >>> sorted(found.chosen(np.array([1, 2]), np.random.default_rng(0)).tolist())
    ['b', 'c', 'd']
    """

    rows: tuple[IntArray, ...]
    ids: Sequence[Any] | None = None

    @classmethod
    def of(
        cls,
        stratum: IntArray,
        labelled: BoolArray,
        n_strata: int,
        ids: Sequence[Any] | None = None,
    ) -> Unlabelled:
        """Return the unlabelled ones of items of given strata."""
        free = np.flatnonzero(~labelled)
        order = free[np.argsort(stratum[free], kind="stable")]
        ends = np.cumsum(np.bincount(stratum[free], minlength=n_strata))
        return cls(tuple(np.split(order, ends[:-1])), ids)

    def chosen(self, numbers: FloatArray, rng: np.random.Generator) -> AnyArray:
        """Return so many items of each stratum, drawn at random and shuffled: their ids, or row numbers without."""
        drawn = [
            rng.choice(rows, int(n), replace=False) for rows, n in zip(self.rows, numbers, strict=True) if n
        ]
        found = rng.permutation(np.concatenate([np.zeros(0, dtype=np.intp), *drawn]))
        if self.ids is None:
            return found
        names = [self.ids[i] for i in found.tolist()]
        plain = np.asarray(names)
        if plain.ndim != 1:
            # Ids that are tuples are names all the same.
            plain = np.empty(len(names), dtype=object)
            plain[:] = names
        return plain


class Assisted(NamedTuple):
    """An estimate from labelled items with the help of what is known of all, and its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True)
class _Scored:
    """A metric of the task as a function of tables with gaps, of samples of as many items as `size` says."""

    task: Audited
    inner: Metric
    size: float

    def __call__(self, tables: FloatArray) -> FloatArray:
        filled = self.task.strata.filled(tables, self.size)
        return self.inner(self.task.tables_of(filled), self.task.task.cells)


@dataclass(frozen=True)
class Audited(Task):
    """Items of which some have a gold label, and all what the models and perhaps a judge said.

    Attributes
    ----------
    task
        The task as it is where every item is labelled.
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

    task: Task
    strata: Strata
    cautions: tuple[str, ...] = ()
    unlabelled: Unlabelled | None = field(default=None, compare=False, repr=False)

    @property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """Stratum, what the model said, and the gold label or ``?``."""
        return self.strata.cells

    @property
    def unlabelled_cells(self) -> slice:  # type: ignore[override]
        """The last cell of every stratum and label."""
        k = len(self.strata.golds)
        return slice(k, None, k + 1)

    @property
    def classes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the classes, where there are several."""
        return self.task.classes

    def union(self, other: Self) -> Self:
        """Return the task with the strata of both."""
        a, b = self.strata, other.strata
        if (a.golds, a.models, a.judges) != (b.golds, b.models, b.judges):
            raise ValueError("their gold labels, models or judges differ")
        cautions = tuple(dict.fromkeys((*self.cautions, *other.cautions)))
        strata = replace(a, predicted=tuple(sorted({*a.predicted, *b.predicted})))
        task = self.task.union(other.task)
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

    # ---- metrics ------------------------------------------------------------------------------------------

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Those of the task."""
        return self.task.default_metrics

    @cached_property
    def outcomes_of_gold(self) -> FloatArray:
        """What an item of each gold label and prediction adds to a table of the task, axes (gold, said, cell)."""
        k = len(self.strata.golds)
        if not self.classes:
            # The cells are tp, fp, fn and tn; a model that says anything else does not say yes.
            return np.eye(4)[[[3, 1, 3], [2, 0, 2]]]
        pairs = np.stack([i.ravel() for i in np.indices((k, k + 1))], axis=1)
        return np.asarray(class_outcomes(pairs, k).toarray()).reshape(k, k + 1, -1)

    def tables_of(self, filled: FloatArray) -> FloatArray:
        """Return tables of the task from filled ones, axes (..., pair, gold) to (..., cell)."""
        return np.asarray(np.tensordot(self.strata.confusion(filled), self.outcomes_of_gold, 2))

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the task's metric, on tables whose gaps are filled in stratum by stratum."""
        inner = self.task.metric(asked, self.tables_of(self.strata.filled(tables)))
        size = float(tables.reshape(-1, len(self.cells))[0].sum())
        return replace(
            inner,
            needs=self.cells,
            distribution=None,
            function=_Scored(self, inner, size),
            # Derivatives in many cells take too long.
            smooth=len(self.cells) <= _MOST_CELLS,
            weigh=self._label_weights,
        )

    def _label_weights(self, tables: FloatArray) -> FloatArray:
        """Return 1 for cells of labelled items; of two gold labels the rarer tells how well a score is known."""
        k = len(self.strata.golds)
        counts = np.arange(k + 1) < k
        totals = self.counts(tables)[:, :-1].sum(axis=0)
        if k == 2 and totals.all():
            counts[np.argmax(totals)] = False
        return np.tile(counts.astype(float), (len(tables), len(self.strata.pairs)))

    # ---- prior and posterior ------------------------------------------------------------------------------

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        return f"Dirichlet({prior:g}) prior of gold labels, shared by {self.strata.possible} combinations of answers"

    def draw(
        self, sampling: SamplingModel, *, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws: gamma weights of units, and gold labels of what has none from the labelled items of its stratum."""
        quoted, k = self._shown(sampling), len(self.strata.golds)
        for parts in self._drawn(sampling, n_draws, rng):
            tables = np.zeros((len(parts[0]), len(quoted), len(self.strata.pairs), k + 1))
            for i, (model, filled) in enumerate(zip(quoted, parts, strict=True)):
                tables[:, i, self.strata.columns[:, model], :k] = filled
            yield tables.reshape(*tables.shape[:2], -1)

    def draw_scores(
        self,
        sampling: SamplingModel,
        metrics: Sequence[Metric],
        *,
        n_draws: int,
        rng: np.random.Generator,
        controls: Mapping[str, Control],
    ) -> Iterator[ScoreBlock]:
        """Yield draws of scores from tables of the task, as draws have no gaps and far fewer cells are enough."""
        assert not controls, (
            "draws are no weights of known units, of which a control could know the distribution"
        )
        scored = [cast("_Scored", metric.function) for metric in metrics]
        words = [self.strata.word_sums(model) for model in self._shown(sampling)]
        for parts in self._drawn(sampling, n_draws, rng):
            matrices = [_by_word(filled, word) for filled, word in zip(parts, words, strict=True)]
            tables = np.tensordot(np.stack(matrices, axis=1), self.outcomes_of_gold, 2)
            yield ScoreBlock([each.inner(tables, self.task.cells) for each in scored], controls={})

    def _shown(self, sampling: SamplingModel) -> list[int]:
        return [self.strata.models.index(model) for model in sampling.ev.models]

    def _drawn(
        self, sampling: SamplingModel, n_draws: int, rng: np.random.Generator
    ) -> Iterator[list[FloatArray]]:
        """Yield, for each model, draws of how many items have which gold label, axes (draw, stratum, gold)."""
        ev, n = sampling.ev, len(sampling.ev.models)
        units = ev.units if sampling.shared else ev.item_units or ev.units
        assert units is not None
        samples = [units.select([i], n) for i in range(1 if sampling.shared else n)]
        drawn = [self._of_sample(part, sampling.prior, n_draws, rng) for part in samples]
        for blocks in zip(*drawn, strict=True):
            yield [blocks[0]] * n if sampling.shared else list(blocks)

    def _of_sample(
        self, units: Units, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        strata, pools, k = self.strata, self.strata.pools, len(self.strata.golds)
        rows = units.rows @ strata.cell_sums
        size = units.n_patterns + 5 * rows.shape[1]
        for flat in draw_patterns(rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
            parts = flat.reshape(len(flat), strata.size, k + 1)
            labelled, unlabelled = parts[..., :k], parts[..., k:]
            labelled = labelled + rng.standard_gamma(strata.weight(prior), labelled.shape)
            guessed = strata.independent_raters.shares(labelled)
            alone = rng.standard_gamma(pools.means(guessed))
            shares = labelled + rng.standard_gamma(
                POOLED * pools.shares(pools.sums(labelled) + alone, guessed)
            )
            yield labelled + unlabelled * (shares / shares.sum(axis=-1, keepdims=True))

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

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Say how many items are labelled and how the others are filled in, and what cautions there are."""
        counts = self.counts(tables)
        labelled, total = counts[:, :-1].sum(), counts.sum()
        note = (
            f"{labelled:,.0f} of {total:,.0f} items were labelled by hand; gold labels of the others were drawn from those "
            f"of labelled items on which {joined(self.strata.raters)} said the same. This is valid if nothing else that is "
            "related to the gold label influenced which items were labelled."
        )
        unknown_labels = self.task.notes(self.tables_of(self.strata.filled(tables)))
        return (note, *self.cautions, *unknown_labels)

    def notes_on(self, sampling: SamplingModel, metric: Metric) -> tuple[str, ...]:
        """Say which strata have no label, and what the judge is worth."""
        return tuple(judge_notes(sampling, self, metric))


def _by_word(filled: FloatArray, word: Any) -> FloatArray:
    """Return numbers of gold labels and what the model said, axes (draw, gold, said), from those of strata."""
    n, size, k = filled.shape
    sums = word @ filled.transpose(1, 2, 0).reshape(size, -1)
    return np.asarray(sums.reshape(-1, k, n).transpose(2, 1, 0))


def settled(ev: Evaluation) -> Evaluation:
    """Return an evaluation without gaps as one of its task, to which what a judge says adds nothing; others as they are."""
    task = ev.task
    if not isinstance(task, Audited) or ev.labelled:
        return ev
    strata, k = task.strata, len(task.strata.golds)
    gold = np.tile(np.minimum(np.arange(k + 1), k - 1), len(strata.pairs))
    moves = sparse(task.outcomes_of_gold[gold, np.repeat(strata.own, k + 1)])
    every = block_diagonal([moves] * len(ev.models))

    def moved(units: Units | None) -> Units | None:
        if units is None:
            return None
        rows = units.rows @ every if task.task.many_cells else (units.rows @ every).toarray()
        return Units.merge(rows, units.weights, units.name, shared=units.shared)

    tables = np.asarray(ev.tables @ moves)
    return replace(ev, task=task.task, tables=tables, units=moved(ev.units), item_units=moved(ev.item_units))


# Difference in kappa from which on a judge is said to err as one of the models does.
_LEANS = 0.3
# Share of items whose gold labels rest on each rater alone, from which on a reader must be told.
_GUESSED = 0.05
# Percentage of items in strata without a label, and correlation of errors, from which on weak models look too good.
_HELD, _COMMON = 20.0, 0.1


def agreement(task: Audited, tables: FloatArray) -> tuple[float, float] | None:
    """Return on what share of all items the judge says what gold says, or would say, and Cohen's kappa; None if it cannot.

    Below a kappa of 0 the judge is worse than chance.
    """
    strata = task.strata
    if not strata.judges or {predicted[-1] for predicted in strata.predicted}.isdisjoint(strata.golds):
        return None
    gold = _expected_gold(task, tables)
    matrix = gold.T @ np.eye(len(strata.golds) + 1)[_judged_words(strata)] / gold.sum()
    share = float(np.trace(matrix[:, :-1]))
    chance = float(matrix.sum(axis=1) @ matrix.sum(axis=0)[:-1])
    return share, (share - chance) / (1.0 - chance) if chance < 1.0 else 0.0


def _expected_gold(task: Audited, tables: FloatArray) -> FloatArray:
    """Return how many items of each stratum have, or would have, each gold label, axes (stratum, gold)."""
    counts = task.counts(tables)
    return np.asarray(counts[:, :-1] + counts[:, -1:] * task.strata.shares(counts[:, :-1]))


def _judged_words(strata: Strata) -> list[int]:
    """Return what the judge said in each stratum, as a number of a gold label; their number for any other label."""
    place, k = {name: i for i, name in enumerate(strata.golds)}, len(strata.golds)
    # Of two gold labels the first is whatever is not the second.
    return [place.get(predicted[-1], 0 if k == 2 else k) for predicted in strata.predicted]


def shared_errors(task: Audited, tables: FloatArray, model: str) -> float:
    """Return Cohen's kappa of the judge and a model among items of the same gold label: 0 if they err independently."""
    strata, each = task.strata, np.eye(len(task.strata.golds) + 1)
    own = each[strata.predicted_by(strata.models.index(model))]
    joint = np.einsum("sj,sm,sg->gjm", each[_judged_words(strata)], own, _expected_gold(task, tables))
    chance = ratio((joint.sum(axis=1) * joint.sum(axis=2)).sum(axis=1), joint.sum(axis=(1, 2))).sum()
    return float(ratio(np.einsum("gjj->", joint) - chance, joint.sum() - chance))


def error_correlation(task: Audited, tables: FloatArray) -> float:
    """Return the mean correlation of the errors of models and judge among labelled items of the same gold label."""
    strata = task.strata
    labelled, golds = task.counts(tables)[:, :-1], strata.golds
    # Of two gold labels the first is whatever is not the second.
    named = golds if len(golds) > 2 else golds[1:]
    right = np.array(
        [[[(w in named and w) == (g in named and g) for g in golds] for w in row] for row in strata.predicted]
    ).astype(float)
    shares = ratio(labelled, labelled.sum(axis=0))
    rates = np.einsum("cg,cvg->vg", shares, right)
    each = (rates * (1.0 - rates)).clip(0.0)
    together = np.einsum("cg,cg->g", shares, right.sum(axis=1) ** 2) - rates.sum(axis=0) ** 2
    most = np.sqrt(each).sum(axis=0) ** 2
    size = labelled.sum(axis=0)
    return float(ratio(size @ (together - each.sum(axis=0)), size @ (most - each.sum(axis=0))))


def drawn_gaps(sampling: SamplingModel, metric: Metric, n_draws: int, **how: Any) -> FloatArray:
    """Return draws of the score of one model, or of the difference of two."""
    how = {"rng": np.random.default_rng(0), **how}
    (scores,) = sampling.scores([metric], n_draws=min(n_draws, sampling.n_draws([metric])), **how)
    return np.asarray(scores[:, -1] - scores[:, 0] if scores.shape[1] > 1 else scores[:, 0])


def judge_notes(sampling: SamplingModel, task: Audited, metric: Metric) -> Iterator[str]:
    """Say which strata have no label, and how far the judge agrees with gold."""
    ev, counts, pools = sampling.ev, task.counts(sampling.ev.tables), task.strata.pools
    # Items without a labelled one in any stratum like theirs.
    alike = pools.sums(counts[:, :-1])[pools.index].sum(axis=1)
    guessed = float(counts[alike == 0.0, -1].sum() / counts.sum())
    if guessed > _GUESSED:
        yield (
            f"{100 * guessed:.2g} % of all items are unlike any labelled item: their gold labels rest on how often "
            "each model and judge is right on its own, as if they erred independently. More labels would test that."
        )
    empty = np.flatnonzero((counts[:, :-1].sum(axis=1) == 0.0) & (counts[:, -1] > 0.0))
    if len(empty):
        order = empty[np.argsort(-counts[empty, -1], kind="stable")]
        named = listing((f"{task.strata.words(c)}: {counts[c, -1]:,.0f}" for c in order), most=3)
        held = 100.0 * counts[empty, -1].sum() / counts.sum()
        yield (
            f"No item is labelled in {len(empty)} of {task.strata.size} combinations of what is known, with {held:.2g} % of "
            f"all items ({named}); {'its' if len(empty) == 1 else 'their'} gold labels were drawn from those of similar ones."
        )
        if held > _HELD and (common := error_correlation(task, ev.tables)) > _COMMON:
            yield (
                f"{joined(task.strata.raters)} err on the same items (mean correlation given gold {common:.2f}), while so "
                "much rests on similar items: the weaker models may be worse than their intervals say. Label more items."
            )
    if found := agreement(task, ev.tables):
        (share, kappa), judge = found, task.strata.judges[0]
        chance = ", no better than chance: it does no harm, but gains nothing" if kappa <= 0.0 else ""
        yield f"{judge} agrees with gold on {100 * share:.3g} % of items (kappa {kappa:.2f}{chance})."
        kappas = sorted((shared_errors(task, ev.tables, model), model) for model in ev.models)
        (less, other), (more, one) = kappas[0], kappas[-1]
        if more - less > _LEANS:
            yield (
                f"{judge} often errs where {one} does (kappa given gold {more:.2f}; {other}: {less:.2f}): with few labels "
                f"the difference is biased towards {one}. Label items on which the models differ."
            )


_STEP = 1e-5
# Below, labels are called uneven.
_LEVEL = 1e-3


def difference_estimate(sampling: SamplingModel, metric: Metric) -> Assisted | None:
    """Return the difference estimator of a score, or of the difference of two, as prediction-powered inference has it.

    None if all items are labelled, or if labels were not given at random.
    """
    ev, task = sampling.ev, sampling.ev.task
    if not isinstance(task, Audited) or not ev.labelled or not sampling.shared:
        return None
    units, strata, counts = ev.units, task.strata, task.counts(ev.tables)
    if units is None or metric.origin is None or not counts[:, :-1].any() or _are_uneven(sampling, task):
        return None
    predicted = _predicted(strata, counts)[strata.stratum]
    labelled, unlabelled = strata.split(ev.tables.reshape(len(ev.models), -1))
    known_items = labelled.sum(axis=-1, keepdims=True)
    known, total = known_items[0].sum(), counts.sum()
    # Means of what items add to each model's table: by gold, by what is predicted of labelled ones, and of all.
    seen, guessed = task.tables_of(labelled) / known, task.tables_of(known_items * predicted) / known
    gap = task.tables_of((known_items + unlabelled) * predicted) / total - guessed
    score = score_of(ev, task, metric)
    each = (np.arange(len(strata.golds) + 1) < len(strata.golds)) / known
    tuned, spread = 0.0, 0.0
    for _ in range(3):
        slopes = slopes_of(score, seen + tuned * gap)
        # What each item moves the score by: its gold label, and what is predicted of it, axes (model, pair, gold or none).
        moves = np.einsum("gst,mt->msg", task.outcomes_of_gold, slopes)[:, strata.own]
        guess = (moves * predicted).sum(axis=-1, keepdims=True)
        value = np.concatenate([moves, np.zeros_like(guess)], axis=-1)
        at, guess_at, all_at = (
            (part * slopes).sum(axis=1)[:, None, None] for part in (seen, guessed, guessed + gap)
        )
        by_label, by_guess = each * (value - at), each * (guess - guess_at) - (guess - all_at) / total
        a, b = (np.asarray(units.rows @ part.ravel()) for part in (by_label, by_guess))
        rest = float(units.weights @ (b * b))
        tuned = float(units.weights @ (a * b)) / rest if rest > 0.0 else 0.0
        spread = float(np.sqrt(units.weights @ (a - tuned * b) ** 2))
    return Assisted(float(score(seen + tuned * gap)), spread)


def _predicted(strata: Strata, counts: FloatArray) -> FloatArray:
    """Return shares of gold labels among labelled items of which the judge says the same, axes (stratum, gold)."""
    place: dict[tuple[str, ...], int] = {}
    same = [place.setdefault(predicted[len(strata.models) :], len(place)) for predicted in strata.predicted]
    sums = np.zeros((len(place), len(strata.golds)))
    np.add.at(sums, same, counts[:, :-1])
    labelled = sums[same]
    whole = counts[:, :-1].sum(axis=0) / counts[:, :-1].sum()
    size = labelled.sum(axis=1, keepdims=True)
    return np.asarray(np.where(size > 0.0, labelled / np.maximum(size, 1.0), whole))


def _are_uneven(sampling: SamplingModel, task: Audited) -> bool:
    """Return whether labels lie otherwise in strata than chance would have them, from unit to unit."""
    units, strata, k = sampling.ev.units, task.strata, len(task.strata.golds)
    assert units is not None
    counts = task.counts(sampling.ev.tables)
    rate = counts[:, :-1].sum() / counts.sum()
    away = np.tile(np.arange(k + 1) < k, len(strata.pairs)) - rate
    where = (np.arange(len(away)), np.repeat(strata.stratum, k + 1))
    each = units.rows[:, : len(away)] @ sparse((away, where), (len(away), strata.size))
    # Where few labels fall in a stratum their own spread is no measure; where units are documents, that of chance is none.
    chance = counts.sum(axis=1) * rate * (1.0 - rate)
    spread = np.sqrt(np.maximum(units.weights @ each.power(2), chance))
    largest = np.max(np.abs(units.weights @ each) / np.maximum(spread, 1e-300))
    return bool(2.0 * strata.size * special.ndtr(-largest) < _LEVEL)


def score_of(ev: Evaluation, task: Audited, metric: Metric) -> Callable[[FloatArray], FloatArray]:
    """Return the score, or the difference of two, as a function of tables of the task, axes (..., model, cell)."""
    assert metric.origin is not None
    inner = task.task.metric(metric.origin[1], task.tables_of(task.strata.filled(ev.tables)))

    def score(tables: FloatArray) -> FloatArray:
        scores = ev.mean_scores(inner(np.maximum(tables, 0.0), task.task.cells))
        return np.asarray(scores[..., -1] - scores[..., 0] if len(ev.names) > 1 else scores[..., 0])

    return score


def slopes_of(score: Callable[[FloatArray], FloatArray], means: FloatArray) -> FloatArray:
    """Return how a score moves with each cell of the models' tables, axes (model, cell)."""
    steps = _STEP * np.eye(means.size).reshape(-1, *means.shape)
    low = np.maximum(means - steps, 0.0)
    gaps = (means + steps - low).reshape(means.size, -1).max(axis=1)
    return np.asarray((score(means + steps) - score(low)) / gaps).reshape(means.shape)


def uneven_documents(stratum: IntArray, labelled: BoolArray, group: IntArray) -> tuple[str, ...]:
    r"""Return a note where labelled items lie otherwise in documents than a choice within strata would have it.

    Of :math:`n_{cd}` items of stratum c in document d so many are labelled as chance has it with the share
    :math:`r_c = L_c/N_c`; :math:`\sum_d (L_d - \sum_c n_{cd} r_c)^2 / \sum_c n_{cd} r_c (1 - r_c)(1 - n_{cd}/N_c)` is about
    :math:`\chi^2` with as many degrees of freedom as there are documents less one.

    Examples
    --------
    >>> where = np.repeat(np.arange(20), 50)
    >>> uneven_documents(np.zeros(1000, int), np.arange(1000) % 5 == 0, where)
    ()
    >>> uneven_documents(np.zeros(1000, int), np.arange(1000) < 200, where)
    ('Labelled items lie in 4 of 20 documents, ...',)
    """
    n_strata, n_groups = int(stratum.max()) + 1, int(group.max()) + 1
    cell = stratum * n_groups + group
    shape = (n_strata, n_groups)
    items = np.bincount(cell, minlength=n_strata * n_groups).reshape(shape)
    found = np.bincount(cell, weights=labelled, minlength=n_strata * n_groups).reshape(shape)
    total = items.sum(axis=1, keepdims=True)
    share = found.sum(axis=1, keepdims=True) / np.maximum(total, 1.0)
    expected = (items * share).sum(axis=0)
    variance = (items * share * (1.0 - share) * (1.0 - items / np.maximum(total, 1.0))).sum(axis=0)
    some = variance > 0.0
    statistic = float((((found.sum(axis=0) - expected)[some]) ** 2 / variance[some]).sum())
    if some.sum() < 2 or special.chdtrc(some.sum() - 1, statistic) >= _LEVEL:
        return ()
    holding = int((found.sum(axis=0) > 0).sum())
    note = (
        f"Labelled items lie in {holding:,} of {n_groups:,} documents, less evenly than if items had been chosen by judge "
        "and predictions alone. That is fine if whole documents were chosen at random; otherwise the labelled items may not "
        "represent the others."
    )
    return (note,)
