"""Evaluation: what several models did on the same gold data. Every verb takes one."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.checks import is_number
from bayesf1.base.naming import check_known, joined, listing, number_of, plural, printable, quoted
from bayesf1.base.text_files import StrPath
from bayesf1.metrics import Metric, MetricLike, MetricOrigin, check_ratio
from bayesf1.runs import Method, SeparateRuns, averages, methods_of
from bayesf1.task import Task, plain_scores
from bayesf1.units import (
    Assumption,
    EqualByFields,
    Folds,
    Generations,
    Units,
    changed_part,
    columns_of,
    sum_of_parts,
    take_columns,
)

# Draws take time in proportion to λ, and with a larger λ data hardly matter.
_MOST_PRIOR = 100.0


def warn_if_empty(tables: FloatArray, models: tuple[str, ...]) -> FloatArray:
    """Return the tables, and warn if a model has no counts at all."""
    empty = [name for name, counts in zip(models, tables, strict=True) if not counts.any()]
    if empty:
        what = "their posteriors are" if len(empty) > 1 else "its posterior is"
        warn_caller(f"all counts of {joined(empty)} are 0, so {what} the prior")
    return tables


@dataclass(frozen=True, eq=False)
class Corpora(EqualByFields):
    """Several data sets that were sampled, with an evaluation of the same models on each.

    Attributes
    ----------
    noun
        What a data set is called, such as ``"corpus"``.
    names, parts
        The names of the data sets, and an evaluation of each.
    """

    noun: str
    names: tuple[str, ...]
    parts: tuple[Evaluation, ...]

    def select(self, models: Sequence[str]) -> Corpora:
        """Return the data sets with some of the models."""
        return replace(self, parts=tuple(part.select(models) for part in self.parts))


@dataclass(frozen=True, eq=False)
class Evaluation(EqualByFields):
    """What several models did on the same gold data.

    Units (items, sentences, documents) are what was sampled. A unit adds a small row to every model's table; units that
    add the same row are one *pattern* with a *weight*. If only totals are known, there are tables and no units.
    Evaluations of two shards of a corpus can be added.

    Build one with the ``from_*`` functions.

    Attributes
    ----------
    models
        Names of the models.
    task
        The task, which says what the cells of a table mean.
    tables
        The table of each model, axes (model, cell). Cells are effective counts, or, as the task says, sums of scores or
        other statistics of the units, or final scores.
    units
        The units that were sampled, and the row that each adds; None if only totals are known.
    item_units
        The single items of the units, if clusters were read item by item.
    folds
        The tables of the folds, after cross-validation.
    methods
        The ways of training that the models are runs of, if some have several; see `with_runs`.
    remarks
        Sentences about what was found while reading the data, and about what limits a conclusion.
    generations
        How generations of one item differ, if units are means of several generations.
    corpora
        The data sets, if several were sampled; the tables are then means over them.
    """

    models: tuple[str, ...]
    task: Task
    tables: FloatArray
    units: Units | None = None
    item_units: Units | None = None
    folds: Folds | None = None
    methods: tuple[Method, ...] = ()
    remarks: tuple[str, ...] = field(default=(), compare=False)
    generations: Generations | None = None
    corpora: Corpora | None = None

    def __post_init__(self) -> None:
        self.tables.setflags(write=False)

    @classmethod
    def of_units(
        cls, models: tuple[str, ...], task: Task, units: Units, item_units: Units | None = None
    ) -> Evaluation:
        """Return the evaluation with these units, whose tables are their sums; warn if a model has no counts at all."""
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
        """The name of one unit; ``"table"`` if units are unknown, or known only for each model by itself."""
        if self.corpora is not None:
            return self.corpora.noun
        if self.units is None or not self.units.shared:
            return "table"
        return self.units.name

    @property
    def items(self) -> Evaluation | None:
        """The same evaluation with single items as units, if clusters were read item by item."""
        if self.item_units is None:
            return None
        folds = None if self.folds is None else self.folds.tables_only
        return replace(self, units=self.item_units, item_units=None, folds=folds)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of any result should know about the data: labels that no item has, empty classes."""
        notes = [*self.remarks, *self.task.notes(self.tables)]
        for method in self.methods:
            if len(method.runs) > 1 and self._identical(method.runs):
                notes.append(f"The runs of {method.name} are identical, {self.unit} by {self.unit}.")
        return tuple(map(printable, notes))

    def _identical(self, runs: Sequence[str]) -> bool:
        """Return whether runs did the same on all units."""
        tables = self.tables[[self.index(run) for run in runs]]
        if not (tables == tables[0]).all():
            return False
        # Each run counts as a model by itself.
        models = replace(self, methods=())
        return all(models.select((runs[0], run)).alike for run in runs[1:])

    @property
    def labelled(self) -> str:
        """How many items have a gold label, in words, if not all have one; else ""."""
        if self.task.unlabelled_cells is None:
            return ""
        # The tables of all models are of the same items.
        first = self.tables[0]
        n_unlabelled = first[self.task.unlabelled_cells].sum()
        if not n_unlabelled:
            return ""
        items = "them" if self.unit == "item" else f"{first.sum():,.0f} items"
        return f"{first.sum() - n_unlabelled:,.0f} of {items} labelled"

    @property
    def assumption(self) -> Assumption:
        """The strongest assumption about the models' dependence that the data support."""
        if self.corpora is not None:
            # Every model is on every data set, so data sets are paired units.
            return "paired"
        if self.units is None or not self.units.shared:
            return "independent"
        return "paired" if self.units.single else "clustered"

    @property
    def alike(self) -> bool:
        """Whether the first two models did the same on every unit."""
        if self.units is None or not self.units.shared or self.methods or len(self.models) < 2:
            return False
        n = len(self.cells)
        # Dense or sparse, axes (pattern, cell).
        different = self.units.rows[:, :n] != self.units.rows[:, n : 2 * n]
        return bool(different.sum() == 0)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is compared: the methods if models are runs of them, else the models."""
        if self.methods:
            return tuple(method.name for method in self.methods)
        return self.models

    def check_prior(self, prior: float | None) -> float:
        """Return λ as given, or the default: the task's, or 1 for folds, as in Wang & Li (2019)."""
        task = self.task
        if prior is None:
            return task.default_prior if self.folds is None else 1.0
        # The least prior is infinite if there is none.
        if task.least_prior > _MOST_PRIOR:
            raise ValueError(f"there is no prior of {task.about}; leave prior= out")
        if not is_number(prior) or not task.least_prior <= prior <= _MOST_PRIOR:
            raise ValueError(
                f"prior must be between {task.least_prior:g} and {_MOST_PRIOR:g}, such as 1 (uniform) or 0.5 (Jeffreys), "
                f"not {quoted(prior)}"
            )
        return float(prior)

    def scores(self, metric: Metric) -> FloatArray:
        """Return the models' plain scores; NaN if undefined, such as the precision of a model that never says yes."""
        return plain_scores(metric, self.tables, self.cells)

    def mean_scores(self, scores: FloatArray) -> FloatArray:
        """Return the scores of what is compared: means over runs of the models' scores, axes (..., model)."""
        return scores @ averages(self.methods, self.models) if self.methods else scores

    def with_runs(self, runs: Mapping[str, Iterable[str]]) -> Evaluation:
        """Return the evaluation in which some models are runs of one method, trained several times.

        Methods are then compared instead of models. A method's score is the mean of its runs' scores.

        Parameters
        ----------
        runs
            Mapping of a method's name to the names of its models; a model in no list is a method with one run.

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
        remarks = tuple(remark for remark in self.remarks if not isinstance(remark, SeparateRuns))
        return replace(self.select(order), methods=methods, remarks=remarks)

    def index(self, model: str) -> int:
        """Return the position of a model, or raise a ValueError that suggests a similar name."""
        check_known(model, "model", self.models)
        return self.models.index(model)

    def save(self, path: StrPath) -> None:
        """Write the evaluation to a JSON file, from which `load` restores it.

        Parameters
        ----------
        path
            The file, which is written completely or left unchanged; with a name that ends with ``.gz`` it is compressed.
            A metric that is your own function cannot be saved, and is refused.
        """
        from bayesf1.io.saved import write

        write(self, path)

    # ---- subsets ------------------------------------------------------------------------------------------

    def select(self, models: Sequence[str]) -> Evaluation:
        """Return the evaluation of some of the models, in this order; the name of a method selects all its runs."""
        by_name = {method.name: method for method in self.methods}
        chosen = [by_name.get(name, Method(name, (name,))) for name in model_names(models)]
        index = [self.index(run) for method in chosen for run in method.runs]
        methods = () if all(method.is_model for method in chosen) else tuple(chosen)
        if index == list(range(len(self.models))) and methods == self.methods:
            return self
        kept = tuple(self.models[i] for i in index)
        ev = self._take(index, range(len(self.cells)), self.task.select(kept))
        corpora = None if self.corpora is None else self.corpora.select([method.name for method in chosen])
        return replace(ev, models=kept, methods=methods, corpora=corpora)

    def _take(self, models: Sequence[int], cells: Sequence[int | None], task: Task) -> Evaluation:
        """Return the evaluation of some models and cells by their numbers; None is a cell in which nothing is counted."""
        columns = columns_of(self.tables, models, cells)
        return replace(
            self,
            task=task,
            tables=take_columns(self.tables, columns),
            units=changed_part(self.units, lambda units: units.take(columns)),
            item_units=changed_part(self.item_units, lambda units: units.take(columns)),
            folds=changed_part(self.folds, lambda folds: folds.take(models, cells)),
            generations=changed_part(self.generations, lambda generations: generations.take(models, columns)),
        )

    def keep(self, cells: Sequence[str]) -> Evaluation:
        """Return the evaluation on some of its cells; units that differ only in other cells become one pattern."""
        asked = set(cells)
        unknown = sorted(asked.difference(self.cells))
        if unknown or not asked:
            not_these = listing(unknown) if unknown else "none"
            raise ValueError(f"keep needs cells of {listing(self.cells, most=8)}, not {not_these}")
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

        def scaled_folds(folds: Folds) -> Folds:
            # The rule becomes a number, as its name would mean the discount before.
            return replace(folds, rule=k * folds.k, k=k * folds.k)

        return replace(
            self,
            tables=k * self.tables,
            units=changed_part(self.units, lambda units: units.scale(k)),
            item_units=changed_part(self.item_units, lambda units: units.scale(k)),
            folds=changed_part(self.folds, scaled_folds),
            generations=changed_part(self.generations, lambda generations: generations.scale(k)),
        )

    def widened(self, task: Task) -> Evaluation:
        """Return the evaluation on the cells of another task, which has all cells of this one."""
        if task.cells == self.cells:
            return self
        place = {cell: i for i, cell in enumerate(self.cells)}
        return self._take(range(len(self.models)), [place.get(cell) for cell in task.cells], task)

    def pair(self, a: str | None = None, b: str | None = None) -> Evaluation:
        """Return the evaluation of two models, whose names may be left out if there are just two."""
        noun = "method" if self.methods else "model"
        pair = check_pair(self.names, a, b, noun)
        return self if a is None else self.select(pair)

    def __add__(self, other: object) -> Evaluation:
        if not isinstance(other, Evaluation):
            return NotImplemented
        for ev in (self, other):
            check_items(ev, "adding evaluations up")
        task: Task | None = None
        reason = ""
        if self._design() == other._design():
            try:
                task = self.task.union(other.task)
            except ValueError as error:
                reason = f": {error}"
        if task is None:
            raise ValueError(
                f"evaluations of different models, cells, units or cross-validations cannot be added: "
                f"{_describe(self)} and {_describe(other)}{reason}"
            )
        a = self.widened(task)
        b = other.widened(task)
        return replace(
            a,
            task=task,
            tables=a.tables + b.tables,
            units=sum_of_parts(a.units, b.units),
            item_units=sum_of_parts(a.item_units, b.item_units),
            folds=sum_of_parts(a.folds, b.folds),
            generations=sum_of_parts(a.generations, b.generations),
            remarks=tuple(dict.fromkeys(a.remarks + b.remarks)),
        )

    def _design(self) -> tuple[object, ...]:
        """Return what evaluations must have in common, besides cells, to be added."""
        folds = None if self.folds is None else (self.folds.cv, self.folds.k)
        return (self.models, self.methods, type(self.task), self.unit, self.assumption, folds)

    def __radd__(self, other: object) -> Evaluation:
        # `sum` starts from the integer 0.
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        return printable(f"<Evaluation of {_describe(self)}>")


# ---- checks -----------------------------------------------------------------------------------------------


def check_evaluation(ev: object) -> None:
    """Raise a ValueError if an object is not an Evaluation."""
    if not isinstance(ev, Evaluation):
        raise ValueError(f"give an Evaluation, such as from_counts or from_labels returns, not {quoted(ev)}")


def check_same_models(noun: str, models_of: Mapping[str, Sequence[str]]) -> None:
    """Raise a ValueError if not every model is on all data sets; it names the cells that are missing.

    Examples
    --------
    >>> check_same_models("language", {"de": ["A", "B"], "fr": ["A"], "it": ["B", "A"]})
    Traceback (most recent call last):
    ValueError: every model must be on every language, but there is no B on fr; leave out such models or languages
    """
    models = dict.fromkeys(model for models in models_of.values() for model in models)
    missing = [
        f"{m} on {name}" for name, models_here in models_of.items() for m in models if m not in models_here
    ]
    if missing:
        raise ValueError(
            f"every model must be on every {noun}, but there is no {listing(missing, most=4)}; "
            f"leave out such models or {plural(noun)}"
        )


def check_items(ev: Evaluation, what: str) -> None:
    """Raise a ValueError if there are final scores or data sets, for a verb that takes what models did on items."""
    if ev.task.final:
        known = "final scores, of whose items nothing is known"
    elif ev.corpora is not None:
        known = f"several {plural(ev.unit)}"
    else:
        return
    raise ValueError(
        f"{what} takes what models did on the items of one test set, but these are {known}; use compare or rank"
    )


def check_one_run(ev: Evaluation, what: str) -> None:
    """Raise a ValueError if a method has several runs, for a verb that takes single trained models."""
    check_items(ev, what)
    for method in ev.methods:
        if len(method.runs) > 1:
            raise ValueError(
                f"{what} takes trained models, but {method.name!r} has {len(method.runs)} runs; choose one of each, as "
                f"ev.select([{method.runs[0]!r}, …])"
            )


def model_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of models, or raise a ValueError if one is empty or occurs twice."""
    if isinstance(names, str | bytes):
        raise ValueError(f"models must be a mapping or a list of names, not the string {quoted(names)}")
    # A dict can be searched fast, and keeps the order.
    different: dict[str, None] = {}
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"model name {quoted(name)} is not a non-empty string")
        if name in different:
            raise ValueError(f"model {quoted(name)} is given twice")
        different[name] = None
    if not different:
        raise ValueError("no model given; name at least one with what it predicted")
    return tuple(different)


def check_pair(names: Sequence[str], a: str | None, b: str | None, noun: str = "model") -> tuple[str, str]:
    """Return the names of two models to compare, which may be left out if there are just two.

    Examples
    --------
    >>> check_pair(["A", "B"], None, None), check_pair(["A", "B", "C"], "C", "A")
    (('A', 'B'), ('C', 'A'))
    """
    if a is None and b is None:
        if len(names) != 2:
            number = f"is one {noun}" if len(names) == 1 else f"are {len(names)} {noun}s"
            raise ValueError(f"there {number} ({', '.join(names)}); name the two to compare")
        return names[0], names[1]
    if a is None or b is None:
        named = b if a is None else a
        raise ValueError(f"name both models to compare, not only {named!r}")
    if a == b:
        raise ValueError(f"model {a!r} cannot be compared with itself; name two different models")
    return a, b


def _describe(ev: Evaluation) -> str:
    """Return in a few words what was evaluated."""
    if ev.methods:
        number = f"{number_of(len(ev.methods), 'method')} ({', '.join(map(str, ev.methods))})"
    else:
        number = f"{number_of(len(ev.models), 'model')} ({', '.join(ev.models)})"
    parts = [f"{number} on {ev.task.about}"]
    if ev.corpora is not None:
        parts.append(f"{len(ev.corpora.names)} {plural(ev.unit)}")
    elif ev.units is not None and ev.units.shared:
        # Each unit is counted once, however often it was tested and whatever the discount.
        size = ev.units.size
        if ev.folds is not None:
            n_repeats = ev.folds.cv.shape[0]
            size /= ev.folds.k * n_repeats
        parts.append(f"{size:.10g} {plural(ev.units.name)} in {ev.units.n_patterns} patterns")
    else:
        parts.append("totals only")
    if ev.folds is not None:
        parts.append(f"{ev.folds.cv}, discount {ev.folds.k:.4f}")
    return ", ".join(parts)


def check_all_labelled(ev: Evaluation, what: str, instead: str = "compare allows for that") -> None:
    """Raise a ValueError if items lack a gold label, for a verb that would treat filled-in labels as known.

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


# ---- metrics and scores -----------------------------------------------------------------------------------


class UndefinedScore(ValueError):
    """The requested score is undefined: there is nothing to divide by."""


def defined_scores(
    ev: Evaluation, metric: Metric, where: str = "", scores: FloatArray | None = None
) -> FloatArray:
    """Return the models' plain scores, by default those of their tables; an undefined one is an error that names it."""
    if scores is None:
        scores = ev.scores(metric)
    if np.isnan(scores).any():
        name = ev.models[int(np.isnan(scores).argmax())]
        why = f"undefined{where}, as there is nothing to divide by; ask for another metric"
        raise UndefinedScore(f"the {metric.name} of {quoted(name)} is {why}")
    return scores


def resolve_metric(metric: MetricLike | None, ev: Evaluation) -> Metric:
    """Return the metric that a name, or a callable, means for an evaluation; F1 if none is given.

    With several classes ``f1`` is the macro average if every item has one class, and the micro average for typed spans
    and for sets of labels. ``micro_f1``, ``macro_f1``, ``weighted_f1``, ``macro_f1_star`` and ``f1[class]`` name an
    average, or a class.

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
    if isinstance(asked, str):
        return replace(metric, origin=MetricOrigin(ev.task, asked, ev.tables))
    return metric


def resolve_metrics(metrics: MetricLike | Sequence[MetricLike] | None, ev: Evaluation) -> list[Metric]:
    """Return the metrics of one or several names, all different; the usual metrics if no name is given."""
    chosen: Any = ev.task.default_metrics if metrics is None else metrics
    if not _is_several(chosen):
        return [resolve_metric(chosen, ev)]
    resolved: list[Metric] = []
    # Each metric is compared with earlier ones as soon as it is read, because an iterator may never end.
    for asked in chosen:
        metric = resolve_metric(asked, ev)
        for other in resolved:
            if metric.name == other.name or metric.label == other.label:
                raise ValueError(
                    f"metric {metric.name!r} is given twice, as {other.name!r}, {other.label}; name one"
                )
        resolved.append(metric)
    if not resolved:
        raise ValueError("no metric given; name one such as 'f1'")
    return resolved


def _is_several(metrics: Any) -> bool:
    """Return whether there are several metrics; an array without axes is a single value, though it has ``__iter__``."""
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        return False
    return not (isinstance(metrics, np.ndarray) and metrics.ndim == 0)


def headline(ev: Evaluation, metrics: Mapping[str, str]) -> str:
    """Return the metric used in a summary: the main metric of the task if it is among these, else the first.

    Metrics are given by name, with their labels: several names may mean one metric, such as ``f1`` and ``macro_f1``.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> ev = from_counts(A=(77, 44, 10))
    >>> headline(ev, {"recall": "Recall", "f1": "F1"}), headline(ev, {"mcc": "MCC", "kappa": "Kappa"})
    ('f1', 'mcc')
    """
    main = ev.task.metric(ev.task.main_metric, ev.tables).label
    for name, label in metrics.items():
        if label == main:
            return name
    return next(iter(metrics))


def score(ev: Evaluation, model: str, metric: MetricLike | None = None) -> float:
    """Return the plain point score of a model.

    The score of a method is the mean of its runs' scores, not the score of their pooled table. An undefined score is NaN:
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
