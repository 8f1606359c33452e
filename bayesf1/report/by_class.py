"""Where a model gains and where it loses: the classes that a comparison of all of them hides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bayesf1.base.table import Table
from bayesf1.bayes.class_test import compare_classes
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.comparisons import Comparisons
from bayesf1.bayes.verdict import headline

# More would be neither read nor drawn.
MOST = 40


@dataclass(frozen=True)
class ByClass:
    """Comparisons of F1 of single classes, the frequent ones first where some are left out."""

    classes: tuple[str, ...]
    comparisons: Comparisons

    @property
    def table(self) -> Table:
        """The table of the comparisons, by class."""
        found = self.comparisons.table
        rows = tuple((name, *row[1:]) for name, row in zip(self.classes, found.rows, strict=True))
        return replace(found, header=("Class", *found.header[1:]), rows=rows)


def by_class(comparisons: Sequence[Comparison]) -> ByClass | None:
    """Compare F1 class by class, as the measures of all classes were compared; None without classes.

    Examples
    --------
    >>> from bayesf1 import compare, from_labels
    >>> gold = list("aaabbbcccc") * 10
    >>> ev = from_labels(gold, {"A": list("aabbbcccca") * 10, "B": list("aaabbbccca") * 10})
    >>> [row[0] for row in by_class(list(compare(ev, rng=1).values())).table.rows]
    ['a', 'b', 'c']
    """
    first = headline(tuple(comparisons))
    ev, classes = first.ev, first.ev.classes
    if not classes:
        return None
    if len(classes) > MOST:
        sizes = dict(zip(classes, ev.kind.class_sizes(ev.tables), strict=True))
        classes = tuple(sorted(classes, key=lambda name: -sizes[name])[:MOST])
    names = [f"f1[{name}]" for name in classes]
    known = {c.metric: c for c in comparisons}
    if all(name in known for name in names):
        found = Comparisons([known[name] for name in names])
    else:
        shared: Any = {"prior": first.prior, "prob": first.prob, "assumption": first.assumption}
        shared |= {"target": first.target, "rope": first.rope if first.region.widest < 1.0 else 0.0}
        found = compare_classes(ev, classes=classes, rng=0, **shared)
    return ByClass(classes, found)
