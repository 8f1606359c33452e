"""Every item has one class of several.

An item of class g that a model takes for p adds 1 to ``tp[g]`` if g = p; if not, it adds 1 to ``fn[g]`` and, if p is a
class, 1 to ``fp[p]``. Rows are sparse: a thousand classes need no more memory than a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from bayesf1.base.arrays import BoolArray, FloatArray, IntArray, indicators, sparse
from bayesf1.base.naming import joined, listing, quoted
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import Metric, Proportion, ratio
from bayesf1.sampling.model import SamplingModel
from bayesf1.task import AskedScores, Outcomes, ScoreBlock
from bayesf1.tasks.classed import Classed, class_counts
from bayesf1.tasks.draws import draw_bootstrap
from bayesf1.units import Units

# Jeffreys' prior of a rate: half an item on either side.
JEFFREYS = 0.5
# The least mass of a prior item: a smaller one would be 0 in double precision.
_LEAST = 1e-100
# In a hierarchical model all pairs of classes are outcomes. Their prior weighs four items in all, like that of the four
# cells of a binary table.
_OUTCOME_ITEMS = 4.0


# At most this many labels of a model are kept by name, and this many characters of each.
_MOST_LABELS = 1000
_MOST_CHARACTERS = 60
# A note names at most this many labels.
_NAMED = 3
# The name of all labels of a model that are not kept by name.
_OTHERS = ""


# ---- labels that no item has ------------------------------------------------------------------------------


@dataclass(frozen=True)
class UnknownLabels:
    """How often each model predicted labels that no item has.

    Attributes
    ----------
    predicted
        For each model, its labels and how often it predicted them; if there are very many, the rest under an empty name.

    Examples
    --------
    >>> unknown_labels = UnknownLabels.of({"B": {"z": 2, "y": 1}}) + UnknownLabels.of({"B": {"z": 1}})
    >>> unknown_labels.notes
    ("B predicted 'z' and 'y' (never a gold label) 4 times.",)
    >>> unknown_labels.select(["A"]).notes
    ()
    """

    predicted: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, predicted: Mapping[str, Mapping[str, float]]) -> UnknownLabels:
        """Return the labels of models that have any, cut if they are long or many."""
        return cls({model: _bounded(labels.items()) for model, labels in predicted.items() if labels})

    def select(self, models: Sequence[str]) -> UnknownLabels:
        """Return the labels of some of the models."""
        return UnknownLabels({model: self.predicted[model] for model in models if model in self.predicted})

    def among(self, classes: Iterable[str]) -> list[str]:
        """Return the labels that are among some classes."""
        predicted = {label for labels in self.predicted.values() for label in labels}
        return sorted(predicted.intersection(classes))

    def __add__(self, other: UnknownLabels) -> UnknownLabels:
        total: dict[str, Mapping[str, float]] = {}
        for model in (*self.predicted, *other.predicted):
            mine = self.predicted.get(model, {})
            theirs = other.predicted.get(model, {})
            total[model] = _bounded([*mine.items(), *theirs.items()])
        return UnknownLabels(total)

    def __bool__(self) -> bool:
        return bool(self.predicted)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each model that predicted any."""
        return tuple(_note(model, labels) for model, labels in self.predicted.items())


def _bounded(labels: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return labels with how often they were predicted: at most `_MOST_LABELS`, each with a short name."""
    bounded: dict[str, float] = {}
    for label, times in labels:
        name = label
        if len(name) > _MOST_CHARACTERS:
            name = f"{label[: _MOST_CHARACTERS - 1]}…"
        if name not in bounded and len(bounded) >= _MOST_LABELS:
            name = _OTHERS
        bounded[name] = bounded.get(name, 0.0) + times
    return bounded


def _note(model: str, labels: Mapping[str, float]) -> str:
    """Name the labels that a model predicted most often, and say how often it predicted any."""
    by_frequency = sorted((name for name in labels if name != _OTHERS), key=lambda name: -labels[name])
    names = [repr(name) for name in by_frequency[:_NAMED]]
    n_others = len(by_frequency) - len(names)
    if n_others > 0:
        or_more = "or more " if _OTHERS in labels else ""
        names.append(f"{n_others:,} {or_more}other labels")
    total = sum(labels.values())
    times = "once" if total == 1 else f"{total:,.10g} times"
    return f"{model} predicted {joined(names)} (never a gold label) {times}."


NO_UNKNOWN_LABELS = UnknownLabels()


# ---- the task ---------------------------------------------------------------------------------------------


class _Correction(NamedTuple):
    """How draws D of an average over classes are moved and widened, to shift + widening·D, both of axes (model)."""

    shift: FloatArray
    widening: FloatArray


@dataclass(frozen=True)
class MultiClass(Classed):
    """Every item has one class of several.

    The prior adds λ items to each class that gold has. The share of them that a model gets right has the average of its
    accuracies by class as its mean. The accuracy on all items has Jeffreys' prior, half an item right and half wrong. Classes
    that gold does not have score 0.

    Attributes
    ----------
    unknown_labels
        The labels of models that are not classes, and how often they were predicted.
    """

    name: ClassVar[str] = "multiclass"
    exclusive: ClassVar[bool] = True
    counts_all_items: ClassVar[bool] = True
    default_prior: ClassVar[float] = 1.0

    unknown_labels: UnknownLabels = NO_UNKNOWN_LABELS

    def select(self, models: Sequence[str]) -> Self:
        """Return the task without the unknown labels of other models."""
        return replace(self, unknown_labels=self.unknown_labels.select(models))

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError if there are no classes, or if an unknown label is one of them."""
        super().check(models, tables)
        in_both = self.unknown_labels.among(self.classes)
        if in_both:
            raise ValueError(f"label {in_both[0]!r:.60} is both a class and an unknown label")

    def union(self, other: Self) -> Self:
        """Return the task with the classes and the unknown labels of both."""
        in_both = [*self.unknown_labels.among(other.classes), *other.unknown_labels.among(self.classes)]
        if in_both:
            raise ValueError(
                f"label {quoted(in_both[0])} is a class of one of them, but counts as no class in the other, where no "
                "item has it; build both with labels= of all classes"
            )
        unknown_labels = self.unknown_labels + other.unknown_labels
        mine = replace(self, unknown_labels=unknown_labels)
        theirs = replace(other, unknown_labels=unknown_labels)
        return Classed.union(mine, theirs)

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Accuracy, and macro averages of precision, recall and F1."""
        return ("accuracy", *super().default_metrics)

    # ---- prior and draws ----------------------------------------------------------------------------------

    def cell_priors(self, metric: Metric, prior: float) -> float | None:
        """Return what the prior adds to each cell for the accuracy: over all classes, half an item right and half wrong.

        Other metrics have no closed form, as classes borrow from each other.
        """
        # Only the accuracy, and averages that equal it, are a proportion of all items.
        if isinstance(metric.distribution, Proportion) and metric.needs == self.cells:
            return JEFFREYS / len(self.classes)
        return None

    def describe_prior(self, prior: float) -> str:
        """Return the prior in words."""
        number = "one item" if prior == 1.0 else f"{prior:.3g} items"
        return f"Beta prior of {number} per class, centred on the mean of its classes' accuracies"

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Name labels of models that no item has, and classes that no item has."""
        notes = self.unknown_labels.notes
        gold = self.gold_counts(tables).reshape(-1, len(self.classes)).sum(axis=0)
        empty = [repr(name) for name, items in zip(self.classes, gold, strict=True) if items == 0.0]
        if not empty:
            return notes
        is_a_class = "is a class" if len(empty) == 1 else "are classes"
        it_counts = "it counts" if len(empty) == 1 else "they count"
        note = (
            f"{listing(empty, most=3)} {is_a_class} that no item has; as in scikit-learn, {it_counts} as 0 in averages over "
            "classes."
        )
        return (*notes, note)

    def draw(self, sampling: SamplingModel, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield draws: gamma weights of patterns and of the prior's items, which each model has right or wrong."""
        observed = sampling.ev.tables
        n_models = len(observed)
        for tables in draw_bootstrap(sampling, n_draws=n_draws, rng=rng, more=2 * observed.size):
            counts = tables.reshape(len(tables), n_models, 3, -1)  # (draw, model, [tp, fp, fn], class)
            prior_of_all = self._draw_half_items(sampling, len(tables), rng)
            prior_of_classes = self._draw_prior_items(sampling, len(tables), rng)
            believed = _with_class_weights(counts, prior_of_classes)
            # The accuracy is that of all items and two half items; the prior's items of classes do not change it.
            totals = counts.sum(axis=3) + prior_of_all  # (draw, model, [tp, fp, fn])
            believed *= ratio(totals, believed.sum(axis=3))[..., None]
            yield believed.reshape(tables.shape)

    def _draw_half_items(self, sampling: SamplingModel, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw the prior of the accuracy, half an item right and half an item wrong, axes (draw, model, [tp, fp, fn])."""
        n_models = len(sampling.ev.models)
        right_wrong = rng.standard_gamma(JEFFREYS, (n, n_models, 2))
        if sampling.shared and n_models == 2:
            # Two models share the half items, and are right on different ones: the prior does not assume that models agree.
            right_wrong[:, 1] = right_wrong[:, 0, ::-1]
        right = right_wrong[..., 0]
        wrong = right_wrong[..., 1]
        return np.stack([right, wrong, wrong], axis=2)

    def _draw_prior_items(self, sampling: SamplingModel, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw the prior's items of each class of gold, axes (draw, model, [tp, fp, fn], class).

        Models that share their units share the prior's mass in each class; the part that is right is drawn for each model.
        """
        observed = sampling.ev.tables
        mean_items = self._prior_items(observed, sampling.prior)
        n_models, _, n_classes = mean_items.shape
        n_masses = 1 if sampling.shared else n_models
        masses = rng.standard_gamma(sampling.prior, (n, n_masses, n_classes)) + _LEAST
        right = rng.standard_gamma(mean_items[:, 0], (n, n_models, n_classes)) + _LEAST
        wrong = rng.standard_gamma(mean_items[:, 2], (n, n_models, n_classes)) + _LEAST
        masses = masses * self._has_gold(observed)  # (draw, model, class)
        right_items = masses * (right / (right + wrong))
        wrong_items = masses * (wrong / (right + wrong))
        return np.stack([right_items, _false_positives_of(wrong_items), wrong_items], axis=2)

    def _has_gold(self, tables: FloatArray) -> BoolArray:
        """Return whether any item is of a class, axes (model, class)."""
        return np.asarray(self.gold_counts(tables) > 0.0)

    def _prior_items(self, tables: FloatArray, prior: float) -> FloatArray:
        """Return what the prior adds to tables on average, axes (model, [tp, fp, fn], class): λ items to each class of gold.

        The share that is right is the mean of the model's accuracies by class: the accuracy on all items would be too high
        if rare classes are harder. A wrong item is taken for the next class.
        """
        counts = class_counts(self, tables)
        has_gold = self._has_gold(tables)
        accuracies = ratio(counts.tp, counts.gold)  # (model, class)
        mean_accuracy = (accuracies.sum(axis=1) + JEFFREYS) / (has_gold.sum(axis=1) + 2.0 * JEFFREYS)
        right = prior * has_gold * mean_accuracy[:, None]
        wrong = prior * has_gold * (1.0 - mean_accuracy)[:, None]
        return np.stack([right, _false_positives_of(wrong), wrong], axis=1)

    def draw_scores(self, sampling: SamplingModel, asked: AskedScores) -> Iterator[ScoreBlock]:
        """Yield draws of scores; averages over classes are moved and widened, which matters if classes have few items."""
        tables = sampling.ev.tables
        corrections = [self._correction(metric, tables, sampling.prior) for metric in asked.metrics]
        for block in super().draw_scores(sampling, asked):
            corrected = []
            for scores, correction in zip(block.scores, corrections, strict=True):
                if correction is None:
                    corrected.append(scores)
                else:
                    corrected.append(correction.shift + correction.widening * scores)
            yield block._replace(scores=corrected)

    def _correction(self, metric: Metric, tables: FloatArray, prior: float) -> _Correction | None:
        r"""Return how draws of an average over classes are corrected; None for other metrics.

        A class of N items has a variance of p(1 - p)/(N + λ + 1) in draws, and of p(1 - p)/N in samples. Both are summed
        over classes as if p(1 - p) were the same in all, and draws are widened by the root of the ratio.

        An F-score is concave. Its mean over draws is below the score of their mean table, and its mean over samples is below
        the truth. To second order both differences are the mean over classes of

        .. math:: \frac{\beta^2 (1 + \beta^2)\, TP\, (FP + FN)(TP + FP + FN)/(TP + FP + FN + 1)}
                  {((1 + \beta^2) TP + FP + \beta^2 FN)^3}.

        So draws are moved up by twice this mean.
        """
        average = metric.of_classes
        if average is None:
            return None
        observed = tables.reshape(len(tables), 3, -1)  # (model, [tp, fp, fn], class)
        needed = [cell in average.cells for cell in ("tp", "fp", "fn")]
        items = observed[:, needed].sum(axis=1).clip(1.0)  # (model, class)
        has_gold = self._has_gold(tables)
        variance_of_samples = (has_gold / items).sum(axis=1)  # (model)
        variance_of_draws = (has_gold / (items + prior + 1.0)).sum(axis=1)
        widening = np.sqrt(ratio(variance_of_samples, variance_of_draws))

        mean_table = observed + self._prior_items(tables, prior)
        tp = mean_table[:, 0]
        fp = mean_table[:, 1]
        fn = mean_table[:, 2]
        squared_beta = average.squared_beta
        total = tp + fp + fn
        curvature = squared_beta * (1.0 + squared_beta) * tp * (fp + fn) * total / (total + 1.0)
        denominator = (1.0 + squared_beta) * tp + fp + squared_beta * fn
        bias = ratio(curvature, denominator**3).mean(axis=1)  # (model)
        score = metric(mean_table.reshape(tables.shape), self.cells)
        # The mean of draws is score - bias, and should be score + bias.
        return _Correction(score + bias - widening * (score - bias), widening)

    def drawn_units(self, sampling: SamplingModel, metric: Metric) -> Units | None:
        """Return the patterns from which the accuracy is drawn: those of all models, and two half items of the prior."""
        ev = sampling.ev
        n_models = len(ev.models)
        if ev.units is None or not sampling.shared or n_models > 2:
            return None
        if self.cell_priors(metric, sampling.prior) is None:
            return None
        # All items count alike in the accuracy, so the prior's items may be of any class.
        right = np.zeros(len(self.cells))
        right[0] = 1.0
        wrong = np.zeros(len(self.cells))
        wrong[2 * len(self.classes)] = 1.0
        rows = np.array([[right, wrong], [wrong, right]])  # (pattern, model, cell)
        prior_rows = rows[:, :n_models].reshape(2, -1)
        return ev.units + Units(sparse(prior_rows), np.full(2, JEFFREYS), ev.units.name)

    # ---- the matrix ---------------------------------------------------------------------------------------

    def outcomes(self, ev: Evaluation) -> Outcomes:
        """Return the pairs of gold and predicted class.

        If there are unknown labels, "another label" is one more predicted class. By default the prior of all pairs
        weighs four items in all.
        """
        k = len(self.classes)
        matrices = np.stack([confusion(ev, model) for model in ev.models])  # (model, gold, predicted)
        predicted = self.classes
        if self.unknown_labels:
            predicted = (*self.classes, "another label")
            counts = class_counts(self, ev.tables)
            unknown = counts.gold - matrices.sum(axis=2)  # (model, gold)
            matrices = np.concatenate([matrices, unknown[..., None]], axis=2)
        gold, label = np.indices((k, len(predicted)))
        pairs = np.stack([gold.ravel(), label.ravel()], axis=1)
        return Outcomes(
            labels=tuple(f"{self.classes[g]} as {predicted[p]}" for g, p in pairs),
            rows=np.asarray(class_outcomes(pairs, k).toarray()),
            counts=matrices.reshape(len(ev.models), -1),
            default_prior=_OUTCOME_ITEMS / k**2,
        )


def _with_class_weights(counts: FloatArray, prior_items: FloatArray) -> FloatArray:
    """Return counts with the prior's items, both (draw, model, [tp, fp, fn], class), each class with its old weight.

    The score of a single class does not depend on the scale; averages that weigh classes should use the weights of the data.
    """
    gold = counts[:, :, 0] + counts[:, :, 2]  # (draw, model, class)
    prior_gold = prior_items[:, :, 0] + prior_items[:, :, 2]
    scale = np.where(gold == 0.0, 1.0, ratio(gold, gold + prior_gold))
    return np.asarray((counts + prior_items) * scale[:, :, None])


def _false_positives_of(wrong: FloatArray) -> FloatArray:
    """Return false positives by class from wrong items by gold class, axes (..., class).

    Items of a class are taken for the next class. If the class before has no wrong items, a class gets as many false
    positives as it has wrong items itself.
    """
    of_class_before = np.roll(wrong, 1, axis=-1)
    return np.where(of_class_before > 0.0, of_class_before, wrong)


def class_outcomes(pairs: IntArray, k: int) -> Any:
    """Return what items of given classes add, a sparse array (item, model·cell).

    Parameters
    ----------
    pairs
        The gold class of each item and the models' classes of it, as numbers from 0, axes (item, [gold, *models]); the
        number k means a label that is not a class.
    k
        How many classes there are.
    """
    gold = pairs[:, :1]
    predicted = pairs[:, 1:]  # (item, model)
    is_right = gold == predicted
    is_claimed = ~is_right & (predicted < k)
    tp_cell = gold
    fp_cell = k + predicted
    fn_cell = 2 * k + gold
    first_cell = np.arange(predicted.shape[1]) * 3 * k  # (model)
    gold_column = np.where(is_right, tp_cell, fn_cell) + first_cell
    claimed_column = fp_cell + first_cell
    item = np.broadcast_to(np.arange(len(pairs))[:, None], is_right.shape)
    rows = np.concatenate([item.ravel(), item[is_claimed]])
    columns = np.concatenate([gold_column.ravel(), claimed_column[is_claimed]])
    return indicators(rows, columns, (len(pairs), predicted.shape[1] * 3 * k))


def confusion(ev: Evaluation, model: str) -> FloatArray:
    """Return a model's confusion matrix, rows the truth, from an evaluation in which every item has one class.

    Items that the model took for something other than a class are left out, as in scikit-learn's matrix with ``labels=``.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> ev = from_labels(list("aabbcc"), {"A": list("abbbca")})
    >>> confusion(ev, "A")
    array([[1., 1., 0.], [0., 2., 0.], [1., 0., 1.]])
    """
    if not isinstance(ev.task, MultiClass):
        raise ValueError(f"a confusion matrix needs items of one class each, and this is {ev!r}")
    units = ev.units if ev.item_units is None else ev.item_units
    if units is None or (units.shared and not units.single):
        raise ValueError(
            f"a confusion matrix needs single items, but only the sums over each {ev.unit} are known"
        )
    k = len(ev.classes)
    first_cell = ev.index(model) * 3 * k
    rows = units.rows[:, first_cell : first_cell + 3 * k]
    tp = rows[:, :k]
    fp = rows[:, k : 2 * k]
    fn = rows[:, 2 * k :]
    wrong_items = fn.multiply(units.weights[:, None])  # (pattern, gold)
    matrix: FloatArray = (wrong_items.T @ fp).toarray()
    matrix[np.diag_indices(k)] += units.weights @ tp
    return matrix
