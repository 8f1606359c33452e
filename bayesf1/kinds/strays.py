"""Labels that a model said and no item has: mistakes of that model, and no classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

# Labels are kept by name up to this many of a model's, and up to this many characters of each.
_MOST_LABELS, _MOST_CHARACTERS = 1000, 60
# So many of them are named in a note.
_NAMED = 3


@dataclass(frozen=True)
class Strays:
    """How often each model said what no item is.

    Attributes
    ----------
    said
        For each model its labels and how often it said them; of very many labels, the rest under an empty name.

    Examples
    --------
    >>> strays = Strays.of({"B": {"z": 2, "y": 1}}) + Strays.of({"B": {"z": 1}})
    >>> strays.notes
    ("B said 'z' and 'y', which no item is, 4 times.",)
    >>> strays.select(["A"]).notes
    ()
    """

    said: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, said: Mapping[str, Mapping[str, float]]) -> Strays:
        """Return what models said, with labels cut where they are long or many; models without any are left out."""
        return cls({model: _bounded(labels.items()) for model, labels in said.items() if labels})

    def select(self, models: Sequence[str]) -> Strays:
        """Return what some of the models said."""
        return Strays({model: self.said[model] for model in models if model in self.said})

    def among(self, classes: Iterable[str]) -> list[str]:
        """Return the labels that are classes elsewhere."""
        known = set(classes)
        return sorted({label for labels in self.said.values() for label in labels if label in known})

    def __add__(self, other: Strays) -> Strays:
        models = dict.fromkeys((*self.said, *other.said))
        pairs = {m: [*self.said.get(m, {}).items(), *other.said.get(m, {}).items()] for m in models}
        return Strays({model: _bounded(labels) for model, labels in pairs.items()})

    def __bool__(self) -> bool:
        return bool(self.said)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each model that said any."""
        return tuple(_note(model, labels) for model, labels in self.said.items())


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
    shown, others = [repr(name) for name in often[:_NAMED]], len(often) - _NAMED
    if others > 0 or "" in labels:
        more = f"more than {others:,}" if "" in labels else f"{others:,}"
        what = f"{', '.join(shown)} and {more} other label{'' if more == '1' else 's'} that no item is"
    else:
        what = f"{' and '.join(filter(None, [', '.join(shown[:-1]), shown[-1]]))}, which no item is"
    times = sum(labels.values())
    often_said = "once" if times == 1 else f"{times:,.10g} times"
    comma = "," if others > 0 or "which" in what else ""
    return f"{model} said {what}{comma} {often_said}{' in all' if others > 0 else ''}."


NO_STRAYS = Strays()
