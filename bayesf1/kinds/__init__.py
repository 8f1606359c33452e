"""Kinds of task: what the cells of a table mean, their measures, priors and draws."""

from collections.abc import Sequence

from bayesf1.evaluation.kind import Kind
from bayesf1.kinds.binary import Binary
from bayesf1.kinds.labels import LabelSets, TypedSpans
from bayesf1.kinds.multiclass import MultiClass

_CLASSED = {kind.name: kind for kind in (MultiClass, LabelSets, TypedSpans)}


def named_kind(name: str, cells: Sequence[str], classes: Sequence[str]) -> Kind:
    """Return the kind that a file names; scores stand in no file."""
    return _CLASSED[name](tuple(classes)) if name in _CLASSED else Binary(tuple(cells))
