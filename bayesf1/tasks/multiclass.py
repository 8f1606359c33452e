"""Every item has one class of several.

An item of class g that a model takes for p adds 1 to ``tp[g]`` where g = p, else 1 to ``fn[g]`` and 1 to
``fp[p]``; nothing to the latter where p is no class at all. Only what occurs is stored, so a thousand classes cost no
more than the items that there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray, indicators, sparse
from bayesf1.base.naming import joined, listing, quoted
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import Metric, Proportion, ratio
from bayesf1.sampling.model import SamplingModel
from bayesf1.task import Control, Outcomes, ScoreBlock
from bayesf1.tasks.classed import Classed
from bayesf1.tasks.draws import draw_bootstrap
from bayesf1.units import Units

# Labels are kept by name up to this many of a model's, and up to this many characters of each.
_MOST_LABELS, _MOST_CHARACTERS = 1000, 60
# So many of them are named in a note.
_NAMED = 3


@dataclass(frozen=True)
class UnknownLabels:
    """How often each model said what no item is.

    Attributes
    ----------
    predicted
        For each model its labels and how often it said them; of very many labels, the rest under an empty name.

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
        """Return what models said, with labels cut where they are long or many; models without any are left out."""
        return cls({model: _bounded(labels.items()) for model, labels in predicted.items() if labels})

    def select(self, models: Sequence[str]) -> UnknownLabels:
        """Return what some of the models said."""
        return UnknownLabels({model: self.predicted[model] for model in models if model in self.predicted})

    def among(self, classes: Iterable[str]) -> list[str]:
        """Return the labels that are classes elsewhere."""
        known = set(classes)
        return sorted({label for labels in self.predicted.values() for label in labels if label in known})

    def __add__(self, other: UnknownLabels) -> UnknownLabels:
        models = dict.fromkeys((*self.predicted, *other.predicted))
        pairs = {m: [*self.predicted.get(m, {}).items(), *other.predicted.get(m, {}).items()] for m in models}
        return UnknownLabels({model: _bounded(labels) for model, labels in pairs.items()})

    def __bool__(self) -> bool:
        return bool(self.predicted)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each model that said any."""
        return tuple(_note(model, labels) for model, labels in self.predicted.items())


def _bounded(labels: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for label, times in labels:
        name = label if len(label) <= _MOST_CHARACTERS else f"{label[: _MOST_CHARACTERS - 1]}…"
        if name not in found and len(found) >= _MOST_LABELS:
            name = ""
        found[name] = found.get(name, 0.0) + times
    return found


def _note(model: str, labels: Mapping[str, float]) -> str:
    often = sorted((name for name in labels if name), key=lambda name: -labels[name])
    others, times = len(often) - _NAMED, sum(labels.values())
    more = "or more " if "" in labels else ""
    names = [*map(repr, often[:_NAMED]), *([f"{others:,} {more}other labels"] if others > 0 else [])]
    return f"{model} predicted {joined(names)} (never a gold label) {'once' if times == 1 else f'{times:,.10g} times'}."


NO_UNKNOWN_LABELS = UnknownLabels()


# Jeffreys' prior of a rate: half an item on either side.
JEFFREYS = 0.5
# Masses of a tiny prior, which would be 0 in double precision, are at least this.
_LEAST = 1e-100
# Of a hierarchical model, where all cells are outcomes: four cells have weight 1 each in the binary case.
_OUTCOME_ITEMS = 4.0


@dataclass(frozen=True)
class MultiClass(Classed):
    """Every item has one class of several.

    Each class of gold has a prior of λ items, of which a model is right on as many as in the mean of its classes; the
    accuracy on all items has Jeffreys', half an item right and half an item wrong. Classes that gold does not have score 0.

    Attributes
    ----------
    unknown_labels
        What models said that is none of the classes, and how often.
    """

    name: ClassVar[str] = "multiclass"
    exclusive: ClassVar[bool] = True
    counts_all_items: ClassVar[bool] = True
    default_prior: ClassVar[float] = 1.0
    prior_family: ClassVar[str] = "beta"

    unknown_labels: UnknownLabels = NO_UNKNOWN_LABELS

    def select(self, models: Sequence[str]) -> Self:
        """Return the task without what other models said."""
        return replace(self, unknown_labels=self.unknown_labels.select(models))

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where classes are none, or what counts as no class is one."""
        super().check(models, tables)
        if astray := self.unknown_labels.among(self.classes):
            raise ValueError(f"label {astray[0]!r:.60} is both a class and an unknown label")

    def union(self, other: Self) -> Self:
        """Return the task with the classes of both and all that was said."""
        for unknown_labels, task in ((self.unknown_labels, other), (other.unknown_labels, self)):
            if astray := unknown_labels.among(task.classes):
                raise ValueError(
                    f"label {quoted(astray[0])} is a class of one of them, but counts as no class in the other, where no "
                    "item has it; build both with labels= of all classes"
                )
        unknown_labels = self.unknown_labels + other.unknown_labels
        both = replace(self, unknown_labels=unknown_labels), replace(other, unknown_labels=unknown_labels)
        return both[0] if both[0] == both[1] else super(MultiClass, both[0]).union(both[1])

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Accuracy, and macro averages of precision, recall and F1."""
        return ("accuracy", *super().default_metrics)

    # ---- prior and draws ----------------------------------------------------------------------------------

    def cell_priors(self, metric: Metric, prior: float) -> float | None:
        """Return what the prior adds to cells of a share of all items, which is the accuracy: half an item to their sum.

        Other metrics have no closed form, as classes borrow from each other.
        """
        of_all = isinstance(metric.distribution, Proportion) and metric.needs == self.cells
        return JEFFREYS / len(self.classes) if of_all else None

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        number = "one item" if prior == 1.0 else f"{prior:.3g} items"
        return f"Beta prior of {number} per class, centred on the mean of its classes' accuracies"

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Name what models said and no item is, and the classes that no item has."""
        found, k = self.unknown_labels.notes, len(self.classes)
        gold = (tables[..., :k] + tables[..., 2 * k :]).reshape(-1, k).sum(axis=0)
        empty = [repr(name) for name, items in zip(self.classes, gold, strict=True) if not items]
        if not empty:
            return found
        what, they = ("is a class", "it counts") if len(empty) == 1 else ("are classes", "they count")
        note = f"{listing(empty, most=3)} {what} that no item has; as in scikit-learn, {they} as 0 in averages over classes."
        return (*found, note)

    def draw(
        self, sampling: SamplingModel, *, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws: gamma weights of patterns, and of the prior's items, on which the models are right by themselves."""
        prior, observed = sampling.prior, sampling.ev.tables
        items = self._prior_items(observed, prior)
        m, _, k = items.shape
        for tables in draw_bootstrap(sampling, n_draws=n_draws, rng=rng, more=2 * observed.size):
            n = len(tables)
            # Half an item is right, and half an item wrong; two models share it as in `drawn_units`.
            more = rng.standard_gamma(JEFFREYS, (n, m, 2))
            if sampling.shared and m == 2:
                more[:, 1] = more[:, 0, ::-1]
            masses = rng.standard_gamma(prior, (n, 1 if sampling.shared else m, k)) + _LEAST
            hits, misses = (rng.standard_gamma(items[:, i], (n, m, k)) + _LEAST for i in (0, 2))
            masses = masses * items[:, ::2].any(axis=1)
            right, wrong = (masses * (part / (hits + misses)) for part in (hits, misses))
            drawn = tables.reshape(n, m, 3, k)
            gold, sums = drawn[:, :, 0] + drawn[:, :, 2], drawn.sum(axis=3) + more[..., [0, 1, 1]]
            drawn += np.stack([right, _taken_for(wrong), wrong], axis=2)
            # A class keeps its weight, which no score of its own depends on, and the accuracy goes by all items alone.
            drawn *= (ratio(gold, gold + masses) + (gold == 0.0))[:, :, None]
            drawn *= ratio(sums, drawn.sum(axis=3))[..., None]
            yield tables

    def draw_scores(
        self,
        sampling: SamplingModel,
        metrics: Sequence[Metric],
        *,
        n_draws: int,
        rng: np.random.Generator,
        controls: Mapping[str, Control],
    ) -> Iterator[ScoreBlock]:
        """Yield draws of scores; averages over classes are moved and widened as classes of few items ask for."""
        corrections = [self._correction(metric, sampling.ev.tables, sampling.prior) for metric in metrics]
        blocks = super().draw_scores(sampling, metrics, n_draws=n_draws, rng=rng, controls=controls)
        for block in blocks:
            pairs = zip(corrections, block.scores, strict=True)
            yield block._replace(scores=[shift + widening * scores for (shift, widening), scores in pairs])

    def _correction(self, metric: Metric, tables: FloatArray, prior: float) -> tuple[Any, Any]:
        """Return a and b of each model, by which draws D of an average over classes are made a + b·D; 0 and 1 of others.

        A class of N items has a variance of p(1 - p)/(N + λ + 1) in draws, and of p(1 - p)/N in samples. An F-score is
        concave: its mean over draws is below that of their mean table, and its mean over samples is below the truth, by
        as much to second order.
        """
        if metric.of_classes is None:
            return 0.0, 1.0
        needs, square = metric.of_classes
        observed, items = tables.reshape(len(tables), 3, -1), self._prior_items(tables, prior)
        counts = observed[:, [cell in needs for cell in ("tp", "fp", "fn")]].sum(axis=1).clip(1.0)
        known = items[:, ::2].any(axis=1) / np.stack([counts, counts + prior + 1.0])
        widening = np.sqrt(ratio(*known.sum(axis=2)))
        tp, fp, fn = np.moveaxis(observed + items, 1, 0)
        curve = square * (1.0 + square) * tp * (fp + fn) * (tp + fp + fn) / (tp + fp + fn + 1.0)
        lost = ratio(curve, ((1.0 + square) * tp + fp + square * fn) ** 3).mean(axis=1)
        centre = metric((observed + items).reshape(tables.shape), self.cells)
        return centre + lost - widening * (centre - lost), widening

    def _prior_items(self, tables: FloatArray, prior: float) -> FloatArray:
        """Return what the prior adds to tables in the mean, axes (model, [tp, fp, fn], class): λ items to each class of gold.

        A model is right on as many as in the mean of its classes: where rare classes are harder, all items together would
        promise too much. A wrong one is taken for the next class.
        """
        tp, _, fn = np.moveaxis(tables.reshape(len(tables), 3, -1), 1, 0)
        some = tp + fn > 0.0
        mean = (ratio(tp, tp + fn).sum(axis=1) + JEFFREYS) / (some.sum(axis=1) + 2.0 * JEFFREYS)
        right, wrong = (prior * some * share[:, None] for share in (mean, 1.0 - mean))
        return np.stack([right, _taken_for(wrong), wrong], axis=1)

    def drawn_units(self, sampling: SamplingModel, metric: Metric) -> Units | None:
        """Return the patterns that the accuracy is drawn from: what the models share, and an item that just one has right."""
        ev, m = sampling.ev, len(sampling.ev.models)
        if (
            self.cell_priors(metric, sampling.prior) is None
            or not sampling.shared
            or ev.units is None
            or m > 2
        ):
            return None
        # Right and wrong, of whatever class.
        cells = np.eye(len(self.cells))[[0, 2 * len(self.classes)]]
        joint = np.concatenate([cells, cells[::-1]][:m], axis=1)
        return ev.units + Units(sparse(joint), np.full(2, JEFFREYS), ev.units.name)

    # ---- the matrix ---------------------------------------------------------------------------------------

    def outcomes(self, ev: Evaluation) -> Outcomes:
        """Return the pairs of gold and predicted class; another label is one more where some were said.

        By default the prior of all pairs weighs as much as four items.
        """
        k = len(self.classes)
        predicted = (*self.classes, "another label") if self.unknown_labels else self.classes
        pairs = np.stack([i.ravel() for i in np.indices((k, len(predicted)))], axis=1)
        labels = tuple(f"{self.classes[g]} as {predicted[s]}" for g, s in pairs)
        rows = np.asarray(class_outcomes(pairs, k).toarray())
        matrices = np.stack([confusion(ev, model) for model in ev.models])
        if self.unknown_labels:
            gold = ev.tables[:, :k] + ev.tables[:, 2 * k :]
            matrices = np.concatenate([matrices, (gold - matrices.sum(axis=2))[..., None]], axis=2)
        return Outcomes(labels, rows, matrices.reshape(len(ev.models), -1), _OUTCOME_ITEMS / k**2)


def _taken_for(wrong: FloatArray) -> FloatArray:
    """Return false positives of wrong items, axes (..., class): those of the class before, or its own if that is empty."""
    found = np.roll(wrong, 1, axis=-1)
    return np.where(found > 0.0, found, wrong)


def class_outcomes(pairs: IntArray, k: int) -> Any:
    """Return what items of given classes add, a sparse array (item, model·cell).

    Parameters
    ----------
    pairs
        The gold class of each item and what the models took it for, as numbers from 0, axes (item, [gold, *models]);
        k is none of the classes.
    k
        How many classes there are.
    """
    gold, predicted = pairs[:, :1], pairs[:, 1:]
    right = gold == predicted
    start = np.arange(predicted.shape[1]) * 3 * k
    missed = np.where(right, gold, 2 * k + gold) + start
    claimed = k + predicted + start
    row = np.broadcast_to(np.arange(len(pairs))[:, None], right.shape)
    mistaken = ~right & (predicted < k)
    columns = np.concatenate([missed.ravel(), claimed[mistaken]])
    rows = np.concatenate([row.ravel(), row[mistaken]])
    return indicators(rows, columns, (len(pairs), predicted.shape[1] * 3 * k))


def confusion(ev: Evaluation, model: str) -> FloatArray:
    """Return a model's confusion matrix, rows the truth, from an evaluation where every item has one class.

    Items that the model took for none of the classes are in no column, as in scikit-learn's with ``labels=``.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> ev = from_labels(list("aabbcc"), {"A": list("abbbca")})
    >>> confusion(ev, "A")
    array([[1., 1., 0.], [0., 2., 0.], [1., 0., 1.]])
    """
    if not isinstance(ev.task, MultiClass):
        raise ValueError(f"a confusion matrix needs items of one class each, and this is {ev!r}")
    k, units = len(ev.classes), ev.item_units or ev.units
    if units is None or (units.shared and not units.single):
        raise ValueError(
            f"a confusion matrix needs single items, but only the sums over each {ev.unit} are known"
        )
    start = ev.index(model) * 3 * k
    rows, weights = units.rows[:, start : start + 3 * k], units.weights
    right, claimed, missed = (rows[:, i * k : (i + 1) * k] for i in range(3))
    matrix: FloatArray = (missed.multiply(weights[:, None]).T @ claimed).toarray()
    matrix[np.diag_indices(k)] += weights @ right
    return matrix
