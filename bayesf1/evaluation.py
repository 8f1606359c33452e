"""What several models did on the same gold data: the one noun."""

from __future__ import annotations

import functools
import gzip
import inspect
import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias, TypeVar, cast

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray, distinct_rows, indicators, sparse
from bayesf1.base.checks import Checked, is_number, refuse_reports
from bayesf1.base.naming import check_known, joined, listing, nearest, plural, printable, quoted
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.designs import BlockedCV, Discount, KFoldCV
from bayesf1.metrics import Metric, MetricLike, check_ratio

if TYPE_CHECKING:
    from bayesf1.sampling import SamplingModel


class Outcomes(NamedTuple):
    """The outcomes that one item can have, if it has exactly one, and how often each occurred.

    Attributes
    ----------
    labels
        Names of the outcomes.
    rows
        What one of each adds to a model's table, axes (outcome, cell).
    counts
        How many items there are of each, axes (model, outcome).
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
        return self.prior_share * (self.default_prior if given is None else given)


Assumption: TypeAlias = Literal["independent", "paired", "clustered"]


class Task(ABC):
    """What the cells of a table mean, and all that follows: metrics, prior, draws, closed forms, words.

    Attributes
    ----------
    name
        The task in one word, as files and options say it.
    many_cells
        Whether cells are so many that what a unit adds is kept sparse.
    bootstraps_items
        Whether even single items are bootstrapped, as the distribution of what an item can add is not known.
    citation
        Where the posterior was published.
    default_prior, least_prior
        λ if none is given (Jeffreys' prior of the table is ½), and the least that it can be; infinite if there is none.
    drops_cells
        Whether cells can be left out, as true negatives can.
    counts_all_items
        Whether a table tells how many items there were.
    unlabelled_cells
        The cells of items without a gold label, if there are any.
    cells
        Names of the cells of a model's table.
    classes
        Names of the classes, if there are several.
    """

    name: ClassVar[str]
    many_cells: ClassVar[bool] = False
    bootstraps_items: ClassVar[bool] = False
    citation: ClassVar[str] = "the Bayes test of Wang and Li (2019, ACL, 4135–4145)"
    default_prior: ClassVar[float] = 0.5
    least_prior: ClassVar[float] = 1e-9
    drops_cells: ClassVar[bool] = False
    counts_all_items: ClassVar[bool] = False
    unlabelled_cells: ClassVar[slice | None] = None
    classes: tuple[str, ...] = ()
    cells: tuple[str, ...]

    # ---- cells --------------------------------------------------------------------------------------------

    def union(self, other: Self) -> Self:
        """Return the task that has the cells of both, or say that they do not go together."""
        if self == other:
            return self
        raise ValueError

    def select(self, models: Sequence[str]) -> Self:
        """Return the task of some of the models, if it keeps anything of each of them."""
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
        """The metric that a verb takes alone, and that a summary speaks of."""
        return self.default_metrics[-1]

    @abstractmethod
    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the metric that a name, or a callable, means for tables of this task."""

    # ---- prior and posterior ------------------------------------------------------------------------------

    def cell_priors(self, metric: Metric, prior: float) -> float | FloatArray | None:
        """Return what a prior adds to each cell in the closed form of a metric on single items; None if it has none."""
        return None if metric.distribution is None else prior

    @abstractmethod
    def draw(
        self, sampling: SamplingModel, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield blocks of posterior draws of all models' tables, axes (draw, model, cell)."""

    def drawn_units(self, sampling: SamplingModel, metric: Metric, prior: float) -> Units | None:
        """Return the units whose gamma weights are all that a metric is drawn from, the prior's among them, or None."""
        return None

    def draw_scores(
        self,
        sampling: SamplingModel,
        metrics: Sequence[Metric],
        *,
        prior: float,
        n_draws: int,
        rng: np.random.Generator,
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield blocks of posterior draws of all models' scores, for each metric an array (draw, model)."""
        for tables in self.draw(sampling, prior=prior, n_draws=n_draws, rng=rng):
            yield tuple(metric(tables, self.cells) for metric in metrics)

    def outcomes(self, ev: Evaluation) -> Outcomes | None:
        """Return what can happen to an item, and how often it did; None if an item may be in several cells or in none."""
        return None

    # ---- words --------------------------------------------------------------------------------------------

    @property
    def about(self) -> str:
        """What the tables count, in a few words."""
        return f"cells {', '.join(self.cells)}"

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        return f"Dirichlet({prior:g}) prior"

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return what a reader should know of tables of this task, in sentences."""
        return ()

    def notes_on(self, sampling: SamplingModel, metric: Metric) -> tuple[str, ...]:
        """Return what a reader should know of a comparison by a metric, in sentences."""
        return ()


F = TypeVar("F", bound=Callable[..., Any])


class Method(NamedTuple):
    """A way of training, and the models that were trained in it."""

    name: str
    runs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {len(self.runs)} run{'s' if len(self.runs) > 1 else ''}"


def methods_of(runs: Mapping[str, Iterable[str]], models: Sequence[str]) -> tuple[Method, ...]:
    """Return the methods that runs belong to, in the order of the models; what no method names is one by itself.

    Examples
    --------
    >>> methods_of({"bert": ["b1", "b2"]}, ["crf", "b1", "b2"])
    (Method(name='crf', runs=('crf',)), Method(name='bert', runs=('b1', 'b2')))
    """
    if not runs:
        raise ValueError("no runs are given; name those of a method, as {'bert': ['bert-1', 'bert-2']}")
    owner: dict[str, str] = {}
    for method, named in runs.items():
        members = [] if isinstance(named, str) or not isinstance(named, Iterable) else [*named]
        if not members or not isinstance(method, str) or not method.strip():
            raise ValueError(
                f"runs of a method are a list of its models, as {{'bert': ['bert-1', 'bert-2']}}, not "
                f"{quoted(method)}: {quoted(named)}"
            )
        for model in members:
            if model not in models:
                raise ValueError(
                    f"run {model!r} of {quoted(method)} is not a model of this evaluation; {nearest(str(model), models)}"
                )
            if model in owner:
                raise ValueError(f"model {model!r} is a run of {owner[model]!r} already; name each run once")
            owner[model] = method
    for model in models:
        if model not in owner and model in runs:
            raise ValueError(
                f"{model!r} names both a method and a model that is not one of its runs; rename one of them"
            )
    grouped: dict[str, list[str]] = {}
    for model in models:
        grouped.setdefault(owner.get(model, model), []).append(model)
    return tuple(Method(name, tuple(members)) for name, members in grouped.items())


def averages(methods: Sequence[Method], models: Sequence[str]) -> FloatArray:
    """Return the matrix (model, method) that takes the runs' scores to the means of their methods."""
    matrix = np.zeros((len(models), len(methods)))
    for j, method in enumerate(methods):
        matrix[[models.index(run) for run in method.runs], j] = 1.0 / len(method.runs)
    return matrix


def check_one_run(ev: Evaluation, what: str) -> None:
    """Raise a ValueError if a method has several runs, for a verb that takes single trained models."""
    for method in ev.methods:
        if len(method.runs) > 1:
            raise ValueError(
                f"{what} takes trained models, but {method.name!r} has {len(method.runs)} runs; choose one of each, as "
                f"ev.select([{method.runs[0]!r}, …])"
            )


def dotted_runs(models: Sequence[str]) -> dict[str, list[str]]:
    """Return the runs of models that are called after their method, as ``bert.1`` and ``bert.2``.

    Examples
    --------
    >>> dotted_runs(["bert.1", "bert.2", "crf"])
    {'bert': ['bert.1', 'bert.2'], 'crf': ['crf']}
    """
    runs: dict[str, list[str]] = {}
    for model in models:
        runs.setdefault(model.rpartition(".")[0] or model, []).append(model)
    if len(runs) == len(models):
        raise ValueError(
            f"no two of {', '.join(models[:6])} are runs of one method; call them after it, as bert.1 and bert.2"
        )
    return runs


def flatten(
    models: Mapping[str, Any], one: Callable[[Mapping[Any, Any]], bool] | None = None
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return a nested mapping {method: {run: what it did}} as one of models, and the models of each method.

    A mapping that is what one model did, as `one` says, is left as it is; by default counts by the names of their cells.

    Examples
    --------
    >>> flatten({"bert": {"seed1": "b1.conll", "seed2": "b2.conll"}, "crf": "crf.conll"})
    ({'bert/seed1': 'b1.conll', 'bert/seed2': 'b2.conll', 'crf': 'crf.conll'}, {'bert': ['bert/seed1', 'bert/seed2']})
    """
    refuse_reports(models)
    flat: dict[str, Any] = {}
    runs: dict[str, list[str]] = {}
    for name, value in models.items():
        if not isinstance(value, Mapping) or (value and (one or is_counted)(value)):
            flat[name] = value
            continue
        if not value:
            raise ValueError(f"method {name!r} has no runs; give at least one")
        for run, what in value.items():
            model = f"{name}/{run}"
            if model in models or model in flat:
                raise ValueError(
                    f"run {run!r} of {name!r} is called {model!r}, which is another model's name"
                )
            flat[model] = what
            runs.setdefault(name, []).append(model)
    return flat, runs


# Counts by the names of their cells are one model's, not those of runs.
_TABLE = frozenset(("tp", "fp", "fn", "tn", "gold", "predicted", "correct"))


def is_counted(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping holds counts by the names of their cells, or numbers by the names of what was scored."""
    if _TABLE.issuperset(str(key).strip().lower() for key in value):
        return True
    return all(isinstance(x, float | int | np.number) for x in value.values())


def is_by_id(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping holds a number, label or set of labels for each item, and no columns of them.

    Examples
    --------
    >>> is_by_id({"doc1": "spam", "doc2": "ham"}), is_by_id({"seed1": ["spam", "ham"]})
    (True, False)
    """
    return all(
        isinstance(x, str | bytes | set | frozenset) or not hasattr(x, "__len__") for x in value.values()
    )


def with_runs_in(argument: str, one: Callable[[Mapping[Any, Any]], bool] = is_counted) -> Callable[[F], F]:
    """Let a function that builds an evaluation take runs, as nested mappings in one of its arguments.

    A mapping that is what `one` model did holds no runs.
    """

    def decorate(build: F) -> F:
        signature = inspect.signature(build)

        @functools.wraps(build)
        def built(*args: Any, **kwargs: Any) -> Evaluation:
            bound = signature.bind(*args, **kwargs)
            given, runs = bound.arguments.get(argument), dict[str, list[str]]()
            if isinstance(given, Mapping):
                bound.arguments[argument], runs = flatten(given, one)
            ev = cast("Evaluation", build(*bound.args, **bound.kwargs))
            return ev.with_runs(runs) if runs else ev

        return cast("F", built)

    return decorate


class _Comparable(Checked):
    """A part of an evaluation, equal to another if its fields are, arrays among them."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(cast("Any", self)) if field.compare]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]


def _equal(a: Any, b: Any) -> bool:
    if hasattr(a, "dtype") and hasattr(b, "dtype"):
        return a.shape == b.shape and bool(abs(a - b).sum() == 0)
    return bool(a == b)


# A remark on models that are called as runs are; with_runs says that they are.
SEPARATE_RUNS = "are compared as separate models; if they are runs of one method, say so with runs=True."

# More patterns than this are many.
MANY = 5_000

# Draws take time in proportion to λ, and data hardly matter beside a larger one.
_MOST_PRIOR = 100.0


@dataclass(frozen=True, eq=False)
class Units(_Comparable):
    """Units by what they add to the models' tables side by side; those that add the same are one pattern.

    Attributes
    ----------
    rows
        What one unit of each pattern adds, axes (pattern, model·cell): an array, or a sparse one if cells are many.
    weights
        How many units of each pattern there are, after any cross-validation discount.
    name
        What one unit is called; an ``"item"`` adds one outcome to every model.
    shared
        Whether the models were seen on the same units; otherwise each row is of one model alone.
    each_an_item
        Whether units of another name, such as queries, are single items, too; otherwise they are clusters of items.

    Examples
    --------
    >>> units = Units.merge(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.ones(3), "item")
    >>> units.weights, units.totals
    (array([1., 2.]), array([2., 1.]))
    """

    rows: Any
    weights: FloatArray
    name: str
    shared: bool = True
    each_an_item: bool = False

    def __post_init__(self) -> None:
        for array in (self.rows, self.weights):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    @classmethod
    def merge(
        cls, rows: Any, weights: FloatArray, name: str, *, shared: bool = True, each_an_item: bool = False
    ) -> Units:
        """Return units from what each adds, merging those that add the same."""
        if isinstance(rows, np.ndarray):
            flat = rows.reshape(len(rows), -1)
            patterns, which = np.unique(flat, axis=0, return_inverse=True)
        else:
            # From coordinates, so that equal rows hold equal entries in equal order.
            rows = sparse(rows.tocoo())
            rows.sum_duplicates()
            rows.eliminate_zeros()
            # Equal rows have equal projections, to the last bit, and others practically never have.
            projected = rows @ np.random.default_rng(0).random((rows.shape[1], 2))
            first, which = distinct_rows(projected)
            patterns = rows[first]
        summed = np.bincount(which.ravel(), weights=weights, minlength=patterns.shape[0])
        return cls(patterns, summed.astype(float), name, shared, each_an_item)

    @property
    def n_patterns(self) -> int:
        """Number of patterns."""
        return len(self.weights)

    @property
    def many(self) -> bool:
        """Whether there are so many patterns that most are drawn together, and areas under curves are linearised."""
        return self.n_patterns > MANY

    @property
    def size(self) -> float:
        """Number of units."""
        return float(self.weights.sum())

    @property
    def totals(self) -> FloatArray:
        """What all units add together."""
        return np.asarray(self.weights @ self.rows)

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return what a unit of each pattern adds to weighted sums of the models' cells, axes (pattern, model).

        Parameters
        ----------
        weights
            The weight of each cell in its model's sum, axes (model, cell).
        """
        n_models, n_cells = weights.shape
        if isinstance(self.rows, np.ndarray):
            return np.asarray(np.einsum("pmc,mc->pm", self.rows.reshape(-1, n_models, n_cells), weights))
        entries = self.rows.tocoo()
        model, cell = np.divmod(entries.col, n_cells)
        places = entries.row.astype(np.intp) * n_models + model
        added = np.bincount(places, entries.data * weights[model, cell], self.n_patterns * n_models)
        return np.asarray(added.reshape(-1, n_models))

    @property
    def seen(self) -> Units:
        """The patterns that have a weight."""
        some = np.flatnonzero(self.weights > 0.0)
        return replace(self, rows=self.rows[some], weights=self.weights[some])

    @property
    def single(self) -> bool:
        """Whether units are single items."""
        return self.each_an_item or self.name == "item"

    def select(self, models: Sequence[int], n_models: int) -> Units:
        """Return what the units add to some of the models."""
        return self.take(self._columns(n_models)[list(models)])

    def scale(self, k: float) -> Units:
        """Return the units, each counted `k` times."""
        return replace(self, weights=k * self.weights)

    def apart(self, n_models: int) -> Units:
        """Return what each model did by itself, as if it had been seen on units of its own."""
        from scipy.sparse import block_diag

        if not self.shared:
            return self
        alone = [self.select([i], n_models) for i in range(n_models)]
        rows = block_diag([sparse(one.rows) for one in alone], format="csr")
        weights = np.concatenate([one.weights for one in alone])
        return replace(self, shared=False)._merged(rows, weights)

    def __add__(self, other: Units) -> Units:
        if isinstance(self.rows, np.ndarray) and isinstance(other.rows, np.ndarray):
            rows: Any = np.concatenate([self.rows, other.rows])
        else:
            from scipy.sparse import vstack

            rows = vstack([self.rows, other.rows])
        return self._merged(rows, np.concatenate([self.weights, other.weights]))

    def _columns(self, n_models: int) -> Any:
        """Return the numbers of the columns, axes (model, cell)."""
        return np.arange(self.rows.shape[1]).reshape(n_models, -1)

    def take(self, columns: Any) -> Units:
        """Return what the units add to some of the columns; units that differ only in others become one pattern.

        To a column beyond the last no unit adds anything.
        """
        columns, n = columns.ravel(), self.rows.shape[1]
        if (columns < n).all():
            return self._merged(self.rows[:, columns], self.weights)
        old = np.flatnonzero(columns < n)
        places = indicators(columns[old], old, (n, len(columns)))
        return self._merged(sparse(self.rows) @ places, self.weights)

    def _merged(self, rows: Any, weights: FloatArray) -> Units:
        """Return units of this kind that add other rows."""
        return Units.merge(rows, weights, self.name, shared=self.shared, each_an_item=self.each_an_item)


def warn_if_empty(tables: FloatArray, models: tuple[str, ...]) -> FloatArray:
    """Return the tables, and warn if a model has no counts at all."""
    empty = [name for name, counts in zip(models, tables, strict=True) if not counts.any()]
    if empty:
        what = "their posteriors are" if len(empty) > 1 else "its posterior is"
        warnings.warn(f"all counts of {joined(empty)} are 0, so {what} the prior", stacklevel=3)
    return tables


@dataclass(frozen=True, eq=False)
class Folds(_Comparable):
    """The tables of a cross-validation before they were summed and discounted.

    Attributes
    ----------
    counts
        Raw counts, axes (repeat, fold, model, cell).
    cv
        The design that made the folds.
    rule
        The discount as it was asked for.
    k
        Its value: effective counts are ``k`` times summed counts.
    units
        What each unit adds to the tables of all folds, axes (pattern, repeat·fold·model·cell), each unit counted once;
        None if only the tables are known.
    """

    counts: FloatArray
    cv: BlockedCV | KFoldCV
    rule: Discount
    k: float
    units: Units | None = None

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)

    def take(self, models: Sequence[int], cells: Sequence[int]) -> Folds:
        """Return the folds of some of the models and cells; -1 is a cell that counts nothing."""
        columns = _columns(self.counts, models, cells)
        counts = np.append(self.counts, 0.0)[columns]
        return replace(self, counts=counts, units=self.units and self.units.take(columns))

    @property
    def tables_only(self) -> Folds:
        """The folds without what single units add to them."""
        return replace(self, units=None)

    def __add__(self, other: Folds) -> Folds:
        return replace(self, counts=self.counts + other.counts, units=_sum(self.units, other.units))


def _columns(tables: FloatArray, models: Sequence[int], cells: Sequence[int]) -> IntArray:
    """Return the places of some models' cells in flat tables (..., model, cell); of cell -1, that behind the last."""
    places = np.arange(tables.size).reshape(tables.shape)[..., list(models), :][..., list(cells)]
    return np.where(np.asarray(cells) < 0, tables.size, places)


_Part = TypeVar("_Part", Units, Folds)


@dataclass(frozen=True, eq=False)
class Evaluation(_Comparable):
    """What several models did on the same gold data.

    Units (items, sentences, documents) are what was sampled. A unit adds a small row to every model's
    table; units that add the same are one *pattern* with a *weight*. Where only totals are known
    there are tables and no units. Evaluations of two shards of a corpus add up.

    Build one with the ``from_*`` functions.

    Attributes
    ----------
    models
        Names of the models.
    task
        What the cells of a table mean: the task.
    tables
        Effective counts, axes (model, cell).
    units
        What was sampled, and what each unit adds; None if only totals are known.
    item_units
        The single items of the units, if clusters were read item by item.
    folds
        The tables of the folds, after cross-validation.
    methods
        The ways of training that the models are runs of, if some have several; see `with_runs`.
    remarks
        What was met when the data were read and limits what may be concluded, in sentences.
    """

    models: tuple[str, ...]
    task: Task
    tables: FloatArray
    units: Units | None = None
    item_units: Units | None = None
    folds: Folds | None = None
    methods: tuple[Method, ...] = ()
    remarks: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        self.tables.setflags(write=False)

    @classmethod
    def of_units(
        cls, models: tuple[str, ...], task: Task, units: Units, item_units: Units | None = None
    ) -> Evaluation:
        """Return the evaluation that units add up to, and warn if a model has no counts at all."""
        tables = units.totals.reshape(len(models), len(task.cells))
        return cls(models, task, warn_if_empty(tables, models), units, item_units)

    # ---- what it holds ------------------------------------------------------------------------------------

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of a table's cells: tp, fp, fn and perhaps tn; with several classes all ``"tp[class]"`` first."""
        return self.task.cells

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, if there are several."""
        return self.task.classes

    @property
    def unit(self) -> str:
        """What one unit is called; ``"table"`` if units are unknown, or known of each model alone."""
        return self.units.name if self.units is not None and self.units.shared else "table"

    @property
    def items(self) -> Evaluation | None:
        """The same evaluation with single items as units, if clusters were read item by item."""
        if self.item_units is None:
            return None
        return replace(
            self, units=self.item_units, item_units=None, folds=self.folds and self.folds.tables_only
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of any result should know of the data, in sentences: labels that no item has, empty classes."""
        copies = (
            f"The runs of {name} are identical, {self.unit} by {self.unit}."
            for name, (first, *others) in self.methods
            if others and self._copies(first, others)
        )
        return tuple(map(printable, (*self.remarks, *self.task.notes(self.tables), *copies)))

    def _copies(self, first: str, others: Sequence[str]) -> bool:
        """Return whether runs did the same on all units."""
        tables = self.tables[[self.index(run) for run in (first, *others)]]
        plain = replace(self, methods=())
        return bool((tables == tables[0]).all()) and all(plain.select((first, run)).alike for run in others)

    @property
    def labelled(self) -> str:
        """How many items have a gold label, in words, if not all have one; else nothing."""
        first = self.tables[0]
        missing = first[self.task.unlabelled_cells or slice(0)].sum()
        if not missing:
            return ""
        of = "them" if self.unit == "item" else f"{first.sum():,.0f} items"
        return f"{first.sum() - missing:,.0f} of {of} labelled"

    @property
    def assumption(self) -> Assumption:
        """The strongest assumption about the models' dependence that the data support."""
        if self.units is None or not self.units.shared:
            return "independent"
        return "paired" if self.units.single else "clustered"

    @property
    def alike(self) -> bool:
        """Whether the first two models did the same on every unit."""
        if self.units is None or not self.units.shared or self.methods or len(self.models) < 2:
            return False
        n = len(self.cells)
        return bool((self.units.rows[:, :n] != self.units.rows[:, n : 2 * n]).sum() == 0)

    @property
    def names(self) -> tuple[str, ...]:
        """What is compared: the methods if models are runs of them, else the models."""
        return tuple(method.name for method in self.methods) or self.models

    def check_prior(self, prior: float | None) -> float:
        """Return λ as given, or the default: the task's, and of folds 1, as Wang & Li (2019) have it."""
        task = self.task
        if prior is None:
            return task.default_prior if self.folds is None else 1.0
        if task.least_prior > _MOST_PRIOR:
            raise ValueError(f"there is no prior of {task.about}; leave prior= out")
        if not is_number(prior) or not task.least_prior <= prior <= _MOST_PRIOR:
            raise ValueError(
                f"prior must be between {task.least_prior:g} and {_MOST_PRIOR:g}, such as 1 (uniform) or 0.5 (Jeffreys), "
                f"not {quoted(prior)}"
            )
        return float(prior)

    def scores(self, metric: Metric) -> FloatArray:
        """Return the models' plain scores; a share of nothing, as the precision of one that never says yes, is NaN."""
        return plain_scores(metric, self.tables, self.cells)

    def mean_scores(self, scores: FloatArray) -> FloatArray:
        """Return scores of the models, axes (..., model), as those of what is compared: a method's is its runs' mean."""
        return scores @ averages(self.methods, self.models) if self.methods else scores

    def with_runs(self, runs: Mapping[str, Iterable[str]]) -> Evaluation:
        """Return the evaluation in which some models are runs of one method, trained several times.

        What is then compared are the methods. A method's score is the mean of its runs' scores.

        Parameters
        ----------
        runs
            Mapping of a method's name to the names of its models; a model that none names is a method of one run.

        Examples
        --------
        >>> from bayesf1 import from_labels
        >>> gold = [1, 1, 1, 0, 0, 0]
        >>> predictions = {"b1": [1, 1, 1, 0, 0, 1], "b2": [1, 1, 0, 0, 0, 0], "crf": [1, 0, 1, 0, 1, 0]}
        >>> from_labels(gold, predictions, positive=1).with_runs({"bert": ["b1", "b2"]})
        <Evaluation of 2 methods (bert: 2 runs, crf: 1 run) on cells tp, fp, fn, tn, 6 items in 6 patterns>
        """
        if self.folds is not None:
            raise ValueError(
                "runs share one test set; in a cross-validation each fold has its own training, which "
                "compare(ev, target='method') allows for"
            )
        methods = methods_of(runs, self.models)
        order = [model for method in methods for model in method.runs]
        remarks = tuple(remark for remark in self.remarks if not remark.endswith(SEPARATE_RUNS))
        return replace(self.select(order), methods=methods, remarks=remarks)

    def index(self, model: str) -> int:
        """Return the position of a model, or say which name was probably meant."""
        check_known(model, "model", self.models)
        return self.models.index(model)

    def save(self, path: StrPath) -> None:
        """Write the evaluation to a file of JSON, from which `load` makes it again.

        Parameters
        ----------
        path
            The file, which is written whole or stays as it was; a name that ends with ``.gz`` makes a compressed one.
            A metric that is your own function cannot be kept, and is refused.
        """
        data = f"{to_json(self)}\n".encode()
        # The fastest level: the slowest takes forty times as long for a few per cent less.
        packed = gzip.compress(data, compresslevel=1, mtime=0) if str(path).endswith(".gz") else data
        write_atomic(path, packed)

    # ---- parts of it --------------------------------------------------------------------------------------

    def select(self, models: Sequence[str]) -> Evaluation:
        """Return the evaluation of some of the models, in the order asked for; a method stands for all its runs."""
        known = {method.name: method for method in self.methods}
        asked = [known.get(name, Method(name, (name,))) for name in model_names(models)]
        index, n = [self.index(model) for method in asked for model in method.runs], len(self.models)
        # Models that go by their own names are no methods.
        methods = tuple(asked) if any(method.runs != (method.name,) for method in asked) else ()
        if index == list(range(n)) and methods == self.methods:
            return self
        kept = tuple(self.models[i] for i in index)
        found = self._take(index, range(len(self.cells)), self.task.select(kept))
        return replace(found, models=kept, methods=methods)

    def _take(self, models: Sequence[int], cells: Sequence[int], task: Task) -> Evaluation:
        """Return the evaluation of some models and cells; -1 is a cell that counts nothing."""
        columns = _columns(self.tables, models, cells)
        return replace(
            self,
            task=task,
            tables=np.append(self.tables, 0.0)[columns],
            units=self.units and self.units.take(columns),
            item_units=self.item_units and self.item_units.take(columns),
            folds=self.folds and self.folds.take(models, cells),
        )

    def keep(self, cells: Sequence[str]) -> Evaluation:
        """Return the evaluation on some of its cells; units that differ only in others become one pattern."""
        asked = set(cells)
        strange = sorted(asked.difference(self.cells))
        if strange or not asked:
            raise ValueError(
                f"keep needs cells of {listing(self.cells, most=8)}, not {listing(strange) or 'none'}"
            )
        index = [i for i, cell in enumerate(self.cells) if cell in asked]
        if len(index) == len(self.cells):
            return self
        kept = tuple(self.cells[i] for i in index)
        if not self.task.drops_cells:
            asked_for = f"but {', '.join(kept[:3])} was asked for; keep all cells"
            raise ValueError(f"no cell can be left out of {self.task.about}, {asked_for}")
        return self._take(range(len(self.models)), index, replace(cast("Any", self.task), cells=kept))

    def scaled(self, k: float) -> Evaluation:
        """Return the evaluation with every unit counted `k` times."""
        units, items = (part and part.scale(k) for part in (self.units, self.item_units))
        folds = self.folds and replace(self.folds, rule=k * self.folds.k, k=k * self.folds.k)
        return replace(self, tables=k * self.tables, units=units, item_units=items, folds=folds)

    def widened(self, task: Task) -> Evaluation:
        """Return the evaluation on the cells of another task, which has all that there are here."""
        if task.cells == self.cells:
            return self
        place = {cell: i for i, cell in enumerate(self.cells)}
        return self._take(range(len(self.models)), [place.get(cell, -1) for cell in task.cells], task)

    def pair(self, a: str | None = None, b: str | None = None) -> Evaluation:
        """Return the evaluation of two models, whose names may be left out if there are just two."""
        if a is None and b is None:
            if len(self.names) != 2:
                what = "method" if self.methods else "model"
                number = f"is one {what}" if len(self.names) == 1 else f"are {len(self.names)} {what}s"
                raise ValueError(f"there {number} ({', '.join(self.names)}); name the two to compare")
            return self
        if a is None or b is None:
            raise ValueError(f"name both models to compare, not only {a or b!r}")
        if a == b:
            raise ValueError(f"model {a!r} cannot be compared with itself; name two different models")
        return self.select((a, b))

    def __add__(self, other: object) -> Evaluation:
        if not isinstance(other, Evaluation):
            return NotImplemented
        mine, theirs = (
            (
                ev.models,
                ev.methods,
                type(ev.task),
                ev.unit,
                ev.assumption,
                ev.folds and (ev.folds.cv, ev.folds.k),
            )
            for ev in (self, other)
        )
        try:
            if mine != theirs:
                raise ValueError
            task = self.task.union(other.task)
        except ValueError as error:
            raise ValueError(
                f"evaluations of different models, cells, units or cross-validations cannot be added: "
                f"{_describe(self)} and {_describe(other)}{f': {error}' if error.args else ''}"
            ) from None
        a, b = self.widened(task), other.widened(task)
        return replace(
            a,
            task=task,
            tables=a.tables + b.tables,
            units=_sum(a.units, b.units),
            item_units=_sum(a.item_units, b.item_units),
            folds=_sum(a.folds, b.folds),
            remarks=tuple(dict.fromkeys(a.remarks + b.remarks)),
        )

    def __radd__(self, other: object) -> Evaluation:
        # sum() starts from the integer 0
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        return printable(f"<Evaluation of {_describe(self)}>")


def _sum(a: _Part | None, b: _Part | None) -> _Part | None:
    """Return the sum of two parts; what is known of one shard only is not known of both."""
    return None if a is None or b is None else a + b


def check_evaluation(ev: object) -> None:
    """Raise a ValueError if something is no evaluation."""
    if not isinstance(ev, Evaluation):
        raise ValueError(f"give an Evaluation, such as from_counts or from_labels returns, not {quoted(ev)}")


def model_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of models, or say which is none or comes twice."""
    if isinstance(names, str | bytes):
        raise ValueError(f"models must be a mapping or a list of names, not the string {quoted(names)}")
    found: dict[str, None] = {}
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"model name {quoted(name)} is not a non-empty string")
        if name in found:
            raise ValueError(f"model {quoted(name)} is given twice")
        found[name] = None
    if not found:
        raise ValueError("no model given; name at least one with what it predicted")
    return tuple(found)


def _describe(ev: Evaluation) -> str:
    what, names = ("method", tuple(map(str, ev.methods))) if ev.methods else ("model", ev.models)
    number = f"{len(names)} {what}{'s' if len(names) > 1 else ''} ({', '.join(names)})"
    parts = [f"{number} on {ev.task.about}"]
    if ev.units is not None and ev.units.shared:
        # Each unit is counted once, however often it was tested and whatever the discount.
        size = ev.units.size / (ev.folds.k * ev.folds.cv.shape[0] if ev.folds is not None else 1.0)
        parts.append(f"{size:.10g} {plural(ev.units.name)} in {ev.units.n_patterns} patterns")
    else:
        parts.append("totals only")
    if ev.folds is not None:
        parts.append(f"{ev.folds.cv}, discount {ev.folds.k:.4f}")
    return ", ".join(parts)


FILE_FORMAT = "bayesf1.evaluation/1"
# What files call fields that have another name since.
FIELDS_IN_FILES = {"predicted": "said", "unknown_labels": "strays"}
# Functions of these rooms can be named in a file.
_OWN_MEASURES = "bayesf1.measures"


def to_json(ev: Evaluation) -> str:
    """Return an evaluation as JSON.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> found = json.loads(to_json(from_counts(A=(77, 44, 10), B=(80, 30, 7))))
    >>> found["kind"], found["tables"]
    ({'name': 'binary', 'cells': ['tp', 'fp', 'fn']}, [[77, 44, 10], [80, 30, 7]])
    """
    document = {
        "format": FILE_FORMAT,
        "models": ev.models,
        "methods": {method.name: method.runs for method in ev.methods},
        "kind": ev.task,
        "tables": ev.tables,
        "units": ev.units,
        "finer": ev.item_units,
        "folds": ev.folds,
        "remarks": ev.remarks,
    }
    return json.dumps(document, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """Return a part of an evaluation as JSON knows it: whole numbers without a point, of a sparse array what is not 0."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        whole = (np.abs(value) < 2**53).all() and (value == np.rint(value)).all()
        return (value.astype(np.int64) if whole else value).tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value):
        # What makes two of them different; neither a seed nor which rows have no gold label does.
        # Files have no field that is younger than they are, unless something was given for it.
        names = [
            field.name
            for field in fields(value)
            if field.compare and not (field.metadata and getattr(value, field.name) == field.default)
        ]
        plain = {FIELDS_IN_FILES.get(name, name): getattr(value, name) for name in names}
        if isinstance(value, BlockedCV | KFoldCV):
            return {"design": type(value).__name__, **plain}
        return {"name": value.name, **plain} if isinstance(value, Task) else plain
    if hasattr(value, "tocsr"):
        sparse = value.tocsr(copy=True)
        sparse.sum_duplicates()
        return {"starts": sparse.indptr, "columns": sparse.indices, "values": sparse.data}
    if callable(value):
        return measure_name(value)
    raise ValueError(f"{value!r:.60} cannot be kept in a JSON file; give texts or numbers")


def measure_name(function: Any) -> str:
    """Return the name of a measure of ``bayesf1.measures``, or say that a file cannot keep any other function."""
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__qualname__", "")
    if not module.startswith(_OWN_MEASURES) or "." in name:
        raise ValueError(
            f"the metric {name or type(function).__name__!r} is a function, which a JSON file cannot hold, as reading it "
            "would run code; save the statistics and call from_statistics again, or take a measure of bayesf1.measures"
        )
    return str(name)


def check_all_labelled(ev: Evaluation, what: str, instead: str = "compare allows for that") -> None:
    """Raise a ValueError if items lack a gold label, for a verb that would take labels filled in for known ones.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> check_all_labelled(from_labels([1, 0, None], {"A": [1, 0, 0], "B": [1, 1, 0]}, judge={}), "a randomisation test")
    Traceback (most recent call last):
    ...
    ValueError: a randomisation test needs gold labels for all items, but there are 3 items (2 of them labelled); compare ...
    """
    if ev.labelled and ev.units is not None:
        number = f"{ev.units.size:,.0f} {plural(ev.unit)} ({ev.labelled})"
        raise ValueError(f"{what} needs gold labels for all items, but there are {number}; {instead}")


def plain_scores(metric: Metric, tables: FloatArray, cells: tuple[str, ...]) -> FloatArray:
    """Return the scores of tables (..., cell); NaN if there is nothing to divide by."""
    pair = metric.ratio(cells)
    some = tables.any(axis=-1) if pair is None else tables @ pair[1] > 0.0
    return np.where(some, metric(tables, cells), np.nan)


class UndefinedScore(ValueError):
    """A score that is asked for is undefined: there is nothing to divide by."""


def defined_scores(
    ev: Evaluation, metric: Metric, where: str = "", scores: FloatArray | None = None
) -> FloatArray:
    """Return the plain scores of the models, those of their tables unless given, or say which of them is undefined."""
    scores = ev.scores(metric) if scores is None else scores
    if np.isnan(scores).any():
        name = ev.models[int(np.isnan(scores).argmax())]
        why = f"undefined{where}, as there is nothing to divide by; ask for another metric"
        raise UndefinedScore(f"the {metric.name} of {quoted(name)} is {why}")
    return scores


def resolve_metric(metric: MetricLike | None, ev: Evaluation) -> Metric:
    """Return the metric that a name, or a callable, means for an evaluation; F1 if none is given.

    With several classes ``f1`` is their macro average if every item has one class, and the micro average
    of spans by type and of labels of which an item has any number; ``micro_f1``, ``macro_f1``,
    ``weighted_f1``, ``macro_f1_star`` and ``f1[class]`` are what they say.

    Examples
    --------
    >>> from bayesf1 import from_counts, from_labels
    >>> resolve_metric("f1", from_counts(A=(77, 44, 10))).label
    'F1'
    >>> resolve_metric("f1", from_labels(list("abc"), {"A": list("abb")})).label
    'Macro F1'
    """
    asked = ev.task.main_metric if metric is None else metric
    if not isinstance(asked, str) and not callable(asked):
        raise ValueError(f"metric {quoted(asked)} is neither a name such as 'f1' nor a function")
    metric = asked if isinstance(asked, Metric) else ev.task.metric(asked, ev.tables)
    metric.check_cells(ev.cells)
    if not isinstance(asked, str | Metric):
        check_ratio(functools.partial(metric, cells=ev.cells), metric.name, ev.tables)
    return replace(metric, origin=(ev.task, asked, ev.tables)) if isinstance(asked, str) else metric


def resolve_metrics(metrics: MetricLike | Sequence[MetricLike] | None, ev: Evaluation) -> list[Metric]:
    """Return the metrics of one or several names, each different; the usual ones if none is given."""
    chosen: Any = ev.task.default_metrics if metrics is None else metrics
    several = isinstance(chosen, Iterable) and not isinstance(chosen, str) and getattr(chosen, "ndim", 1) > 0
    given: Iterable[Any] = chosen if several else [chosen]
    found: list[Metric] = []
    # One by one, as an iterator may never end.
    for metric in (resolve_metric(m, ev) for m in given):
        for other in found:
            if metric.name == other.name or metric.label == other.label:
                raise ValueError(
                    f"metric {metric.name!r} is given twice, as {other.name!r}, {other.label}; name one"
                )
        found.append(metric)
    if not found:
        raise ValueError("no metric given; name one such as 'f1'")
    return found


def headline(ev: Evaluation, metrics: Sequence[str]) -> str:
    """Return the metric that a summary speaks of: the main one of the task if it is among these, else the first.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> ev = from_counts(A=(77, 44, 10))
    >>> headline(ev, ["precision", "recall", "f1"]), headline(ev, ["mcc", "kappa"])
    ('f1', 'mcc')
    """
    main = ev.task.metric(ev.task.main_metric, ev.tables).name
    return main if main in metrics else metrics[0]


def score(ev: Evaluation, model: str, metric: MetricLike | None = None) -> float:
    """Return the plain point score of a model.

    That of a method is the mean of its runs' scores, not the score of their pooled table. It is NaN if it is undefined:
    a model that never says yes has no precision.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> score(from_counts(A=(77, 44, 10)), "A", metric="f1")
    0.7403846...
    """
    scores = ev.scores(resolve_metric(metric, ev))
    if model in ev.names and ev.methods:
        return float(ev.mean_scores(scores)[ev.names.index(model)])
    return float(scores[ev.index(model)])
