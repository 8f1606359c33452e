"""Labels that models predict and that no item has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bayesf1.base.naming import joined

# So many labels of a model are kept by name, and so many characters of each.
_MOST_LABELS = 1000
_MOST_CHARACTERS = 60
# So many of them are named in a note.
_NAMED = 3
# The name of all labels of a model that are not kept by name.
_OTHERS = ""


@dataclass(frozen=True)
class UnknownLabels:
    """How often each model predicted labels that no item has.

    Attributes
    ----------
    predicted
        For each model its labels and how often it predicted them; if they are very many, the rest under an empty name.

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
    """Return labels with how often they were predicted, at most so many of them, and each with a short name."""
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
