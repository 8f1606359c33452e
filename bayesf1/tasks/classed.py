"""Tasks with several classes: cells ``tp[class]``, ``fp[class]``, …, and metrics of them.

Metrics are functions of every class's true positives, false positives and false negatives. They agree with scikit-learn's on
``labels=task.classes``, and are 0 where a share is 0/0. If a model predicts a label that is not a class, the item's class
has one more false negative, and no class has one more false positive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar, NamedTuple, Self

import numpy as np

from bayesf1.base.arrays import BoolArray, FloatArray, IntArray
from bayesf1.base.naming import listing, nearest
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import (
    METRICS,
    ClassAverage,
    FMeasure,
    Metric,
    MetricLike,
    OfClass,
    Proportion,
    find_metric,
    in_prose,
    metric_of,
    ratio,
)
from bayesf1.sampling.model import SamplingModel
from bayesf1.task import Outcomes, Task
from bayesf1.tasks.draws import atoms_of, break_sticks, draw_bootstrap, draw_cells

AVERAGES = ("micro", "macro", "weighted")

_ONE_CLASS = re.compile(r"([^\[\]]+)\[(.*)\]", re.DOTALL)
_FSCORE = re.compile(r"f\d+(\.\d*)?")
_STAR = re.compile(r"macro_(f[\d.]+)_star")
_WHOLE = ("accuracy", "balanced_accuracy", "sba", "mcc", "kappa")


_CELLS = ("tp", "fp", "fn", "tn")


class ClassCounts(NamedTuple):
    """Counts of every class, axes (..., class)."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray

    @property
    def gold(self) -> FloatArray:
        """Items of every class."""
        return self.tp + self.fn

    @property
    def predicted(self) -> FloatArray:
        """Items that a model takes for every class."""
        return self.tp + self.fp


def class_counts(task: Classed, tables: FloatArray, *, negatives: bool = False) -> ClassCounts:
    """Return the counts of every class from tables (..., cell) of a task with several classes.

    True negatives are 0 unless they are asked for, as they take as long to compute as all the rest.
    """
    k = len(task.classes)
    tp = tables[..., :k]
    fp = tables[..., k : 2 * k]
    fn = tables[..., 2 * k : 3 * k]
    if not negatives:
        return ClassCounts(tp, fp, fn, np.broadcast_to(0.0, tp.shape))
    if task.true_negatives:
        return ClassCounts(tp, fp, fn, tables[..., 3 * k :])
    total = (tp + fn).sum(axis=-1, keepdims=True)
    others = total - tp - fp - fn
    # A remainder within rounding errors of the total is 0.
    return ClassCounts(tp, fp, fn, np.where(others > 1e-12 * total, others, 0.0))


def class_metric(name: str, task: Classed, tables: FloatArray) -> Metric:
    """Return a metric of several classes by its name.

    Parameters
    ----------
    name
        The name.
    task
        The task, which has the classes.
    tables
        The observed tables, axes (..., cell), which show the classes that gold has.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> ev = from_labels(list("aabbcc"), {"A": list("abbbca")})
    >>> [class_metric(m, ev.task, ev.tables).label for m in ("f1", "micro_f1", "macro_f1_star", "recall[b]", "mcc")]
    ['Macro F1', 'Micro F1', 'Macro F1*', 'Recall[b]', 'MCC']
    """
    key = name.strip()
    of_one_class = _ONE_CLASS.fullmatch(key)
    if of_one_class is not None:
        base, class_name = of_one_class.groups()
        return _of_one_class(_base(base, name), class_name, task)
    key = key.lower().replace("-", "_")
    if key == "accuracy" and task.exclusive:
        micro = _average("micro", METRICS["recall"], task, tables)
        return replace(micro, name=key, label=METRICS[key].label)
    if key in _WHOLE:
        return _of_whole(key, task, tables)
    star = _STAR.fullmatch(key)
    if star is not None:
        return _star(_base(star[1], name), task)
    average, _, base = key.partition("_")
    if average in AVERAGES:
        return _average(average, _base(base, name), task, tables)
    metric = _base(key, name)
    usual = "macro" if task.exclusive else "micro"
    return replace(_average(usual, metric, task, tables), name=metric.name)


def _base(base: str, asked: str) -> Metric:
    """Return the metric of one class from which a metric of several is made, or raise a ValueError that names `asked`."""
    try:
        return find_metric(base)
    except ValueError:
        if _FSCORE.fullmatch(base.strip().lower()):
            # The name is one of an F-score, but its weight is out of range.
            raise
        names = [*METRICS, "f1", *(f"{a}_f1" for a in AVERAGES), "macro_f1_star", "f1[class]"]
        raise ValueError(f"unknown metric {asked!r}; {nearest(asked, names)}") from None


def _check_negatives(base: Metric, task: Classed) -> None:
    """Raise a ValueError if a metric needs true negatives and there are none."""
    if not task.true_negatives and not task.exclusive:
        base.check_cells(_CELLS[:3])


def _scores_of_classes(base: Metric, counts: ClassCounts) -> FloatArray:
    """Score every class by itself."""
    by_name = counts._asdict()
    cells = np.stack([by_name[cell] for cell in base.needs])  # (cell, ..., class)
    # Moving the axis copies nothing, so the values of each cell stay together in memory, as functions read them.
    return base.function(np.moveaxis(cells, 0, -1))


# ---- one class --------------------------------------------------------------------------------------------


def _of_one_class(base: Metric, name: str, task: Classed) -> Metric:
    """Return a metric of one class against the rest."""
    if name not in task.classes:
        raise ValueError(f"there is no class {name!r} in {base.name}[{name}]; {nearest(name, task.classes)}")
    _check_negatives(base, task)
    named = replace(
        base, name=f"{base.name}[{name}]", label=f"{base.label}[{name}]", of_class=OfClass(base.label, name)
    )
    if "tn" in base.needs and not task.true_negatives:
        place = task.classes.index(name)

        def score(tables: FloatArray) -> FloatArray:
            counts = class_counts(task, tables, negatives=True)
            return _scores_of_classes(base, counts)[..., place]

        return replace(named, needs=task.cells, distribution=None, function=score)

    def of_class(cells: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{cell}[{name}]" for cell in cells)

    distribution = None if base.distribution is None else base.distribution.on(of_class)
    return replace(named, needs=of_class(base.needs), distribution=distribution)


# ---- averages ---------------------------------------------------------------------------------------------


def _average(average: str, base: Metric, task: Classed, tables: FloatArray) -> Metric:
    """Return an average of a metric over classes, or the metric of their summed counts."""
    _check_negatives(base, task)
    negatives = "tn" in base.needs

    def function(tables: FloatArray) -> FloatArray:
        return _averaged(average, base, class_counts(task, tables, negatives=negatives))

    metric = replace(
        base,
        name=f"{average}_{base.name}",
        label=f"{average.capitalize()} {in_prose(base.label)}",
        needs=task.cells,
        function=function,
        distribution=None,
        of_classes=None,
    )
    if average == "micro":
        return replace(metric, distribution=_micro_distribution(base, task, tables))
    if average == "weighted" or negatives:
        return metric
    squared_beta = base.distribution.beta**2 if isinstance(base.distribution, FMeasure) else 0.0
    return replace(metric, of_classes=ClassAverage(base.needs, squared_beta))


def _averaged(average: str, base: Metric, counts: ClassCounts) -> FloatArray:
    """Return the metric of summed counts, or the mean of the scores of classes, weighted by their items or not."""
    if average == "micro":
        return _scores_of_classes(base, ClassCounts(*(cell.sum(axis=-1) for cell in counts)))
    scores = _scores_of_classes(base, counts)
    if average == "macro":
        return np.asarray(scores.mean(axis=-1))
    return ratio((scores * counts.gold).sum(axis=-1), counts.gold.sum(axis=-1))


def _micro_distribution(base: Metric, task: Classed, tables: FloatArray) -> Proportion | FMeasure | None:
    """Return the closed form of a metric of summed counts, if it has one."""

    def of_classes(cells: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{cell}[{name}]" for cell in cells for name in task.classes)

    if task.exclusive:
        # Every mistake is a false positive and a false negative, so P = R = F = accuracy. Items that are taken for an
        # unknown label are false negatives only; if there are any, only recall equals the accuracy.
        is_precision_or_f = base.name == "precision" or isinstance(base.distribution, FMeasure)
        if base.name == "recall" or (is_precision_or_f and _all_claimed(task, tables)):
            return Proportion(of_classes(("tp",)), of_classes(("fn",)))
        return None
    return None if base.distribution is None else base.distribution.on(of_classes)


def _all_claimed(task: Classed, tables: FloatArray) -> bool:
    """Return whether models take every item for a class."""
    counts = class_counts(task, tables)
    claimed = counts.fp.sum(axis=-1)
    missed = counts.fn.sum(axis=-1)
    return bool(np.allclose(claimed, missed, rtol=1e-9, atol=1e-9))


def _star(base: Metric, task: Classed) -> Metric:
    """Return F-beta of macro precision and macro recall (Sokolova & Lapalme 2009)."""
    if not isinstance(base.distribution, FMeasure):
        raise ValueError(f"macro_{base.name}_star is unknown; use an F-score, such as macro_f1_star")
    squared_beta = base.distribution.beta**2

    def function(tables: FloatArray) -> FloatArray:
        counts = class_counts(task, tables)
        precision = ratio(counts.tp, counts.predicted).mean(axis=-1)
        recall = ratio(counts.tp, counts.gold).mean(axis=-1)
        return ratio((1.0 + squared_beta) * precision * recall, squared_beta * precision + recall)

    return Metric(
        f"macro_{base.name}_star",
        f"Macro {base.label}*",
        task.cells,
        function,
        of_classes=ClassAverage(_CELLS[:3]),
    )


# ---- the whole matrix -------------------------------------------------------------------------------------


def _of_whole(name: str, task: Classed, tables: FloatArray) -> Metric:
    """Return a metric of the whole matrix of gold and predicted classes."""
    if not task.exclusive:
        of_one_class = name if task.true_negatives else "f1"
        raise ValueError(
            f"{name} needs items of one class each, but here an item has any number of {task.noun}; "
            f"use micro_f1, macro_f1 or {of_one_class}[{task.classes[0]}]"
        )
    # A prior may give items to classes that gold does not have; the data say which these are.
    observed = class_counts(task, tables)
    in_gold = np.asarray((observed.gold > 0).any(axis=0))
    scores: dict[str, Callable[[ClassCounts], FloatArray]] = {
        "balanced_accuracy": partial(_balanced_accuracy, in_gold=in_gold),
        "sba": partial(_symmetric_balanced_accuracy, in_gold=in_gold),
        "mcc": correlation,
        "kappa": cohen_kappa,
    }
    score = scores[name]

    def function(tables: FloatArray) -> FloatArray:
        return score(class_counts(task, tables))

    return replace(METRICS[name], needs=task.cells, distribution=None, function=function)


def _balanced_accuracy(counts: ClassCounts, *, in_gold: BoolArray) -> FloatArray:
    """Return the mean recall of the classes that gold has."""
    gold = np.where(in_gold, counts.gold, 0.0)
    recalls = ratio(counts.tp, gold)
    return ratio(recalls.sum(axis=-1), (gold > 0).sum(axis=-1))


def _symmetric_balanced_accuracy(counts: ClassCounts, *, in_gold: BoolArray) -> FloatArray:
    """Return symmetric balanced accuracy, which is `bayesf1.metrics.sba` if there are two classes.

    The recall of a class without gold items is its share of predictions, and items that a prior gave it still count in the
    total.
    """
    shares = _shares(counts)
    recall = np.where(in_gold, ratio(shares.right, shares.gold), shares.predicted)
    # The precision of a class that is never predicted is its share of gold.
    if_never_predicted = np.where(in_gold, shares.gold, 0.0)
    precision = np.where(shares.predicted > 0, ratio(shares.right, shares.predicted), if_never_predicted)
    return np.asarray(0.5 * (recall + precision).mean(axis=-1))


def correlation(counts: ClassCounts) -> FloatArray:
    r"""Gorodkin's R_K, the correlation of gold and predicted classes, 0 where it is 0/0.

    With gold shares t and predicted shares p it is :math:`(\sum_k C_{kk}/n - \sum_k t_k p_k) / \sqrt{(1-\sum_k
    p_k^2)(1-\sum_k t_k^2)}`. Predicted labels that are not classes count as one further class, which gold does not have.
    """
    right, gold, predicted = _shares(counts)
    no_class = np.maximum(1.0 - predicted.sum(axis=-1), 0.0)
    covariance = right.sum(axis=-1) - (gold * predicted).sum(axis=-1)
    variance_of_predicted = 1.0 - (predicted**2).sum(axis=-1) - no_class**2
    variance_of_gold = 1.0 - (gold**2).sum(axis=-1)
    variances = variance_of_predicted * variance_of_gold
    positive = np.where(variances > 1e-15, variances, 0.0)
    # With two or three items, margins of draws with the prior may contradict each other.
    return ratio(covariance, np.sqrt(positive)).clip(-1.0, 1.0)


def cohen_kappa(counts: ClassCounts) -> FloatArray:
    """Cohen's kappa of gold and predicted classes, 0 where it is 0/0."""
    right, gold, predicted = _shares(counts)
    chance = (gold * predicted).sum(axis=-1)
    beyond_chance = np.where(1.0 - chance > 1e-15, 1.0 - chance, 0.0)
    return ratio(right.sum(axis=-1) - chance, beyond_chance).clip(-1.0, 1.0)


class _Shares(NamedTuple):
    """Shares of all items, axes (..., class): right items, items of each gold class, and of each predicted class."""

    right: FloatArray
    gold: FloatArray
    predicted: FloatArray


def _shares(counts: ClassCounts) -> _Shares:
    gold = counts.gold
    n = gold.sum(axis=-1, keepdims=True)
    return _Shares(ratio(counts.tp, n), ratio(gold, n), ratio(counts.predicted, n))


@dataclass(frozen=True)
class Classed(Task):
    """Several classes, each with its own true positives, false positives and false negatives.

    Attributes
    ----------
    classes
        Names of the classes.
    """

    many_cells: ClassVar[bool] = True
    # The noun for classes in print.
    noun: ClassVar[str] = "classes"
    # Whether each class has true negatives of its own.
    true_negatives: ClassVar[bool] = False
    # Whether every item has one class; items that are not in tp, fp or fn of a class are then its true negatives.
    exclusive: ClassVar[bool] = False

    classes: tuple[str, ...] = ()

    @cached_property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The cells of all classes: first all true positives, in the order of the classes."""
        cells = _CELLS if self.true_negatives else _CELLS[:3]
        return tuple(f"{cell}[{name}]" for cell in cells for name in self.classes)

    def union(self, other: Self) -> Self:
        """Return the task with the classes of both, in the order of their names."""
        if self == other:
            return self
        classes = {*self.classes, *other.classes}
        if all(_is_number(name) for name in classes):
            return replace(self, classes=tuple(sorted(classes, key=float)))
        return replace(self, classes=tuple(sorted(classes)))

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Precision, recall and F1, averaged over classes."""
        return ("precision", "recall", "f1")

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the metric of a name or callable."""
        if isinstance(asked, str):
            return class_metric(asked, self, tables)
        return metric_of(asked)

    def gold_counts(self, tables: FloatArray) -> FloatArray:
        """Return how many items of each class tables (..., cell) have, axes (..., class)."""
        return class_counts(self, tables).gold

    def cell_priors(self, metric: Metric, prior: float) -> float | FloatArray | None:
        """Return what a prior adds to each cell; classes that do not exclude each other share λ."""
        return super().cell_priors(metric, prior / len(self.classes))

    @property
    def about(self) -> str:
        """How many classes there are, and which."""
        return f"{len(self.classes)} {self.noun} ({listing(self.classes, most=6)})"

    def describe_prior(self, prior: float) -> str:
        """Return the prior in words."""
        return f"Dirichlet({prior:g}) prior shared by {len(self.classes)} classes"


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdecimal()


# ---- classes that do not exclude each other ---------------------------------------------------------------


@dataclass(frozen=True)
class LabelSets(Classed):
    """Every item has any number of labels, and each label is right or wrong by itself."""

    name: ClassVar[str] = "multilabel"
    true_negatives: ClassVar[bool] = True

    def draw(self, sampling: SamplingModel, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield draws: gamma weights of patterns, and a prior over more joint outcomes than could be listed.

        The number of joint outcomes grows exponentially with the number of models. The prior is a gamma process; only its
        few atoms that carry mass are drawn, each with a random joint outcome.
        """
        ev = sampling.ev
        n_models = len(ev.models)
        prior = sampling.prior
        if not sampling.shared or ev.units is None:
            yield from draw_cells(ev.tables + prior / len(self.classes), n_draws=n_draws, rng=rng)
            return
        atoms = atoms_of(2.0 * prior)
        for tables in draw_bootstrap(sampling, n_draws=n_draws, rng=rng, more=(n_models + 3) * atoms):
            self._add_prior(tables, prior, atoms, rng)
            yield tables

    def _add_prior(self, tables: FloatArray, prior: float, atoms: int, rng: np.random.Generator) -> None:
        """Add the prior to tables (draw, model, cell): λ to each kind of cell, shared by the classes."""
        n, n_models, n_cells = tables.shape
        k = len(self.classes)
        # An atom of gold is tp or fn (kinds of cells 0 and 2), another one fp or tn (1 and 3). The mass of both kinds is 2λ.
        for yes, no in ((0, 2), (1, 3)):
            sticks = break_sticks(2.0 * prior, atoms, n, rng)  # (draw, atom)
            classes = rng.integers(0, k, size=(n, atoms))
            for model in range(n_models):
                says_yes = rng.random((n, atoms)) < 0.5
                _add_at(tables[:, model], yes * k + classes, np.where(says_yes, sticks, 0.0))
                if no * k < n_cells:
                    _add_at(tables[:, model], no * k + classes, np.where(says_yes, 0.0, sticks))


def _add_at(table: FloatArray, columns: IntArray, values: FloatArray) -> None:
    """Add values, axes (draw, atom), to columns of each draw's table (draw, cell); several may hit the same column."""
    n, width = table.shape
    places = columns + width * np.arange(n)[:, None]
    table += np.bincount(places.ravel(), weights=values.ravel(), minlength=n * width).reshape(n, width)


@dataclass(frozen=True)
class TypedSpans(LabelSets):
    """Spans by their types: each is found, missed or claimed, and nothing is a true negative."""

    name: ClassVar[str] = "spans"
    noun: ClassVar[str] = "types"
    true_negatives: ClassVar[bool] = False

    def outcomes(self, ev: Evaluation) -> Outcomes:
        """Return the cells, which share λ."""
        return Outcomes(self.cells, np.eye(len(self.cells)), ev.tables, prior_share=1.0 / len(self.classes))
