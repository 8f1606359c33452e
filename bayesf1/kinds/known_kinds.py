"""The kinds of task that files can name; a new one is a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bayesf1.base.naming import nearest
from bayesf1.evaluation.kind import Kind
from bayesf1.kinds.audited import Audited
from bayesf1.kinds.binary import Binary
from bayesf1.kinds.labels import LabelSets, TypedSpans
from bayesf1.kinds.multiclass import MultiClass
from bayesf1.kinds.preferences import Preferences
from bayesf1.kinds.probabilities import Probabilities
from bayesf1.kinds.right_wrong import RightWrong
from bayesf1.kinds.scores import Scores
from bayesf1.kinds.statistics import Statistics

KINDS: dict[str, type[Kind]] = {
    kind.name: kind
    for kind in (
        Binary,
        MultiClass,
        LabelSets,
        TypedSpans,
        RightWrong,
        Scores,
        Statistics,
        Probabilities,
        Preferences,
        Audited,
    )
}

# How a kind of counts is made anew from the cells and classes that the file of a fit names.
_COUNTED: dict[str, Callable[[tuple[str, ...], tuple[str, ...]], Kind]] = {
    Binary.name: lambda cells, classes: Binary(cells),
    MultiClass.name: lambda cells, classes: MultiClass(classes),
    LabelSets.name: lambda cells, classes: LabelSets(classes),
    RightWrong.name: lambda cells, classes: RightWrong(cells),
    TypedSpans.name: lambda cells, classes: TypedSpans(classes),
}


def counted_kind(name: str, cells: Sequence[str], classes: Sequence[str]) -> Kind:
    """Return the kind that the file of a fit names, or say that there is none of this name."""
    if name not in _COUNTED:
        raise ValueError(f"unknown kind of task {name!r}; {nearest(str(name), _COUNTED)}")
    return _COUNTED[name](tuple(cells), tuple(classes))
