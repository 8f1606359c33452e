"""What tasks with several classes have in common: cells ``tp[class]``, ``fp[class]``, …, and metrics of them.

Metrics are functions of every class's true positives, false positives and false negatives. They agree with scikit-learn's on
``labels=task.classes``, and are 0 where a share is 0/0. What a model says and no class is, is a false negative of the item's
class and nobody's false positive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
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


class Blocks(NamedTuple):
    """Counts of every class, axes (..., class)."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray


def blocks(task: Classed, tables: FloatArray, *, negatives: bool = True) -> Blocks:
    """Return the counts of every class from tables (..., cell) of a task with several classes.

    True negatives take as long as all the rest; a metric that does not ask for them may leave them 0.
    """
    k = len(task.classes)
    parts = [tables[..., i * k : (i + 1) * k] for i in range(tables.shape[-1] // k)]
    if not negatives:
        parts[3:] = [np.broadcast_to(0.0, parts[0].shape)]
    elif len(parts) == 3:
        tp, fp, fn = parts
        total = (tp + fn).sum(axis=-1, keepdims=True)
        rest = total - tp - fp - fn
        # What rounding leaves of a total is no true negative.
        parts.append(np.where(rest > 1e-12 * total, rest, 0.0))
    return Blocks(*parts)


def class_metric(name: str, task: Classed, tables: FloatArray) -> Metric:
    """Return a metric of several classes by its name.

    Parameters
    ----------
    name
        The name.
    task
        The task, which has the classes.
    tables
        The observed tables, axes (..., cell), which say what classes gold has.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> ev = from_labels(list("aabbcc"), {"A": list("abbbca")})
    >>> [class_metric(m, ev.task, ev.tables).label for m in ("f1", "micro_f1", "macro_f1_star", "recall[b]", "mcc")]
    ['Macro F1', 'Micro F1', 'Macro F1*', 'Recall[b]', 'MCC']
    """
    key = name.strip()
    one = _ONE_CLASS.fullmatch(key)
    if one is not None:
        return _of_one_class(_base(one[1], name), one[2], task)
    key = key.lower().replace("-", "_")
    if key == "accuracy" and task.exclusive:
        micro = _average("micro", METRICS["recall"], task, tables)
        return replace(micro, name=key, label=METRICS[key].label)
    if key in _WHOLE and task.exclusive:
        return _of_whole(key, task, tables)
    star = _STAR.fullmatch(key)
    if star is not None:
        return _star(_base(star[1], name), task)
    average, _, base = key.partition("_")
    if average not in AVERAGES:
        if key in _WHOLE:
            alone = f"{key if task.true_negatives else 'f1'}[{task.classes[0]}]"
            raise ValueError(
                f"{key} needs items of one class each, but here an item has any number of {task.noun}; "
                f"use micro_f1, macro_f1 or {alone}"
            )
        plain = _base(key, name)
        usual = _average("macro" if task.exclusive else "micro", plain, task, tables)
        return replace(usual, name=plain.name)
    return _average(average, _base(base, name), task, tables)


def _base(base: str, asked: str) -> Metric:
    try:
        return find_metric(base)
    except ValueError:
        if _FSCORE.fullmatch(base.strip().lower()):
            # An F-score, but with a weight that it cannot have.
            raise
        known = [*METRICS, "f1", *(f"{a}_f1" for a in AVERAGES), "macro_f1_star", "f1[class]"]
        raise ValueError(f"unknown metric {asked!r}; {nearest(asked, known)}") from None


def _check_negatives(base: Metric, task: Classed) -> None:
    if not task.true_negatives and not task.exclusive:
        base.check_cells(("tp", "fp", "fn"))


def _stacked(base: Metric, found: Blocks) -> FloatArray:
    """Score every class by itself."""
    stacked = np.stack([getattr(found, cell) for cell in base.needs])
    # Cell by cell in memory, as they are read.
    return base.function(np.moveaxis(stacked, 0, -1))


# ---- one class --------------------------------------------------------------------------------------------


def _of_one_class(base: Metric, name: str, task: Classed) -> Metric:
    if name not in task.classes:
        raise ValueError(f"there is no class {name!r} in {base.name}[{name}]; {nearest(name, task.classes)}")
    _check_negatives(base, task)
    named = replace(
        base,
        name=f"{base.name}[{name}]",
        label=f"{base.label}[{name}]",
        of_class=OfClass(base.label, name),
    )
    if "tn" in base.needs and not task.true_negatives:
        i = task.classes.index(name)
        return replace(
            named,
            needs=task.cells,
            distribution=None,
            function=lambda t: _stacked(base, blocks(task, t))[..., i],
        )

    def mapped(cells: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{cell}[{name}]" for cell in cells)

    distribution: Proportion | FMeasure | None = None
    match base.distribution:
        case Proportion(successes, failures):
            distribution = Proportion(mapped(successes), mapped(failures))
        case FMeasure(beta):
            distribution = FMeasure(beta, *(mapped((cell,)) for cell in ("tp", "fp", "fn")))
    return replace(named, needs=mapped(base.needs), distribution=distribution)


# ---- averages ---------------------------------------------------------------------------------------------


def _average(average: str, base: Metric, task: Classed, tables: FloatArray) -> Metric:
    _check_negatives(base, task)
    scorers: dict[str, Callable[[Blocks], FloatArray]] = {
        "micro": lambda b: _stacked(base, Blocks(*(part.sum(axis=-1) for part in b))),
        "macro": lambda b: np.asarray(_stacked(base, b).mean(axis=-1)),
        "weighted": lambda b: ratio(
            (_stacked(base, b) * (b.tp + b.fn)).sum(axis=-1), (b.tp + b.fn).sum(axis=-1)
        ),
    }
    scorer, negatives = scorers[average], "tn" in base.needs
    square = base.distribution.beta**2 if isinstance(base.distribution, FMeasure) else 0.0
    label = base.name if base.name in ("precision", "recall") else base.label
    return replace(
        base,
        name=f"{average}_{base.name}",
        label=f"{average.capitalize()} {label}",
        needs=task.cells,
        distribution=_micro_distribution(base, task, tables) if average == "micro" else None,
        of_classes=ClassAverage(base.needs, square) if average == "macro" and not negatives else None,
        function=lambda tables: scorer(blocks(task, tables, negatives=negatives)),
    )


def _cells(task: Classed, cell: str) -> tuple[str, ...]:
    return tuple(f"{cell}[{name}]" for name in task.classes)


def _micro_distribution(base: Metric, task: Classed, tables: FloatArray) -> Proportion | FMeasure | None:
    if task.exclusive:
        # Every mistake is a false positive and a false negative, so that P = R = F = accuracy; but for those that
        # take an item for no class at all, which only recall is the same with.
        same = base.name == "recall" or (
            (base.name == "precision" or isinstance(base.distribution, FMeasure))
            and _all_claimed(task, tables)
        )
        return Proportion(_cells(task, "tp"), _cells(task, "fn")) if same else None
    match base.distribution:
        case Proportion(successes, failures):
            sums = (tuple(c for cell in group for c in _cells(task, cell)) for group in (successes, failures))
            return Proportion(*sums)
        case FMeasure(beta):
            return FMeasure(beta, *(_cells(task, cell) for cell in ("tp", "fp", "fn")))
    return None


def _all_claimed(task: Classed, tables: FloatArray) -> bool:
    """Return whether everything that a model took an item for is a class."""
    k = len(task.classes)
    claimed, missed = (tables[..., part].sum(axis=-1) for part in (slice(k, 2 * k), slice(2 * k, None)))
    return bool(np.allclose(claimed, missed, rtol=1e-9, atol=1e-9))


def _star(base: Metric, task: Classed) -> Metric:
    """Return F-beta of macro precision and macro recall (Sokolova & Lapalme 2009)."""
    if not isinstance(base.distribution, FMeasure):
        raise ValueError(f"macro_{base.name}_star is unknown; use an F-score, such as macro_f1_star")
    square = base.distribution.beta**2

    def function(tables: FloatArray) -> FloatArray:
        b = blocks(task, tables, negatives=False)
        precision = ratio(b.tp, b.tp + b.fp).mean(axis=-1)
        recall = ratio(b.tp, b.tp + b.fn).mean(axis=-1)
        return ratio((1.0 + square) * precision * recall, square * precision + recall)

    return Metric(
        f"macro_{base.name}_star",
        f"Macro {base.label}*",
        task.cells,
        None,
        function,
        of_classes=ClassAverage(_CELLS[:3]),
    )


# ---- the whole matrix -------------------------------------------------------------------------------------


def _of_whole(name: str, task: Classed, tables: FloatArray) -> Metric:
    first = blocks(task, tables)
    in_gold = (first.tp + first.fn).sum(axis=0) > 0

    def balanced(b: Blocks) -> FloatArray:
        gold = np.where(in_gold, b.tp + b.fn, 0.0)
        return ratio(ratio(b.tp, gold).sum(axis=-1), (gold > 0).sum(axis=-1))

    def symmetric(b: Blocks) -> FloatArray:
        # Classes without gold items are out, but what a prior gave them stays in the number of items.
        n = (b.tp + b.fn).sum(axis=-1, keepdims=True)
        right, gold, predicted = (ratio(share, n) for share in (b.tp, b.tp + b.fn, b.tp + b.fp))
        recall = np.where(in_gold, ratio(right, gold), predicted)
        precision = np.where(predicted > 0, ratio(right, predicted), np.where(in_gold, gold, 0.0))
        return np.asarray(0.5 * (recall + precision).mean(axis=-1))

    scorers = {"balanced_accuracy": balanced, "sba": symmetric, "mcc": correlation, "kappa": agreement}

    def function(tables: FloatArray) -> FloatArray:
        return scorers[name](blocks(task, tables, negatives=False))

    return replace(METRICS[name], needs=task.cells, distribution=None, function=function)


def correlation(b: Blocks) -> FloatArray:
    r"""Gorodkin's R_K, the correlation of gold and predicted classes, 0 where it is 0/0.

    With gold shares t and predicted shares p it is
    :math:`(\sum_k C_{kk}/n - \sum_k t_k p_k) / \sqrt{(1-\sum_k p_k^2)(1-\sum_k t_k^2)}`. All that is said and no class
    is one more, of which gold has none.
    """
    right, gold, predicted = _shares(b)
    astray = np.maximum(1.0 - predicted.sum(axis=-1), 0.0)
    spread = (1.0 - (predicted**2).sum(axis=-1) - astray**2) * (1.0 - (gold**2).sum(axis=-1))
    # Margins of draws that the prior made of two or three items may contradict each other.
    found = ratio(right - (gold * predicted).sum(axis=-1), np.sqrt(np.where(spread > 1e-15, spread, 0.0)))
    return found.clip(-1.0, 1.0)


def agreement(b: Blocks) -> FloatArray:
    """Cohen's kappa of gold and predicted classes, 0 where it is 0/0."""
    right, gold, predicted = _shares(b)
    chance = (gold * predicted).sum(axis=-1)
    return ratio(right - chance, np.where(1.0 - chance > 1e-15, 1.0 - chance, 0.0)).clip(-1.0, 1.0)


def _shares(b: Blocks) -> tuple[FloatArray, FloatArray, FloatArray]:
    gold, predicted = b.tp + b.fn, b.tp + b.fp
    n = gold.sum(axis=-1, keepdims=True)
    return ratio(b.tp, n).sum(axis=-1), ratio(gold, n), ratio(predicted, n)


_CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class Classed(Task):
    """Several classes, each with its own true positives, false positives and false negatives.

    Attributes
    ----------
    classes
        Names of the classes.
    """

    many_cells: ClassVar[bool] = True
    # What the classes are called.
    noun: ClassVar[str] = "classes"
    # Whether each class has true negatives of its own.
    true_negatives: ClassVar[bool] = False
    # Whether every item has one class; then the rest of all items are a class' true negatives.
    exclusive: ClassVar[bool] = False

    classes: tuple[str, ...] = ()

    @cached_property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The cells of all classes: those of true positives first, a class after another."""
        return tuple(f"{cell}[{name}]" for cell in _CELLS[: 3 + self.true_negatives] for name in self.classes)

    def union(self, other: Self) -> Self:
        """Return the task with the classes of both, in the order of their names."""
        known = {*self.classes, *other.classes}
        if self == other:
            return self
        return replace(self, classes=tuple(sorted(known, key=float if all(map(_is_number, known)) else str)))

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Precision, recall and F1, averaged over classes."""
        return ("precision", "recall", "f1")

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the metric of a name or callable."""
        return class_metric(asked, self, tables) if isinstance(asked, str) else metric_of(asked)

    def cell_priors(self, metric: Metric, prior: float) -> float | FloatArray | None:
        """Return what a prior adds to each cell; classes that do not exclude each other share λ."""
        return super().cell_priors(metric, prior / len(self.classes))

    @property
    def about(self) -> str:
        """How many classes there are, and which."""
        return f"{len(self.classes)} {self.noun} ({listing(self.classes, most=6)})"

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        return f"Dirichlet({prior:g}) prior shared by {len(self.classes)} classes"


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdecimal()


# ---- classes that do not exclude each other ---------------------------------------------------------------


@dataclass(frozen=True)
class LabelSets(Classed):
    """Every item has any number of labels, each of which is right or wrong by itself."""

    name: ClassVar[str] = "multilabel"
    true_negatives: ClassVar[bool] = True

    def draw(
        self, sampling: SamplingModel, *, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws: gamma weights of patterns, and a prior over more joint outcomes than could be listed.

        They are K to the power of the models' number and more. The prior is a gamma process, of which only the
        few atoms that carry mass are drawn, each with a random joint outcome.
        """
        ev, n_models, prior = sampling.ev, len(sampling.ev.models), sampling.prior
        if not sampling.shared or ev.units is None:
            yield from draw_cells(ev.tables + prior / len(self.classes), n_draws=n_draws, rng=rng)
            return
        atoms = atoms_of(2.0 * prior)
        for tables in draw_bootstrap(sampling, n_draws=n_draws, rng=rng, more=(n_models + 3) * atoms):
            self._add_prior(tables, prior, atoms, rng)
            yield tables

    def _add_prior(self, tables: FloatArray, prior: float, atoms: int, rng: np.random.Generator) -> None:
        """Add to each class an equal share of λ on its cells."""
        n, k = len(tables), len(self.classes)
        for yes, no in ((0, 2), (1, 3)):
            sticks = break_sticks(2.0 * prior, atoms, n, rng)
            which = rng.integers(0, k, size=(n, atoms))
            for j in range(tables.shape[1]):
                found = rng.random((n, atoms)) < 0.5
                _add_at(tables[:, j], yes * k + which, np.where(found, sticks, 0.0))
                if no < tables.shape[2] // k:
                    _add_at(tables[:, j], no * k + which, np.where(found, 0.0, sticks))


def _add_at(table: FloatArray, columns: Any, values: FloatArray) -> None:
    """Add values to columns of each draw's table, axes (draw, ...); several may hit the same column."""
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
