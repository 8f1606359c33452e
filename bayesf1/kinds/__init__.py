"""Kinds of task: what the cells of a table mean, their measures, priors and draws."""

from collections.abc import Callable, Sequence

from bayesf1.base.naming import nearest
from bayesf1.evaluation.kind import Kind
from bayesf1.kinds.binary import Binary
from bayesf1.kinds.labels import LabelSets, TypedSpans
from bayesf1.kinds.multiclass import MultiClass
from bayesf1.kinds.right_wrong import RightWrong

# How a kind is made anew from the cells and classes that a file names; scores stand in no file.
_NAMED: dict[str, Callable[[tuple[str, ...], tuple[str, ...]], Kind]] = {
    Binary.name: lambda cells, classes: Binary(cells),
    MultiClass.name: lambda cells, classes: MultiClass(classes),
    LabelSets.name: lambda cells, classes: LabelSets(classes),
    RightWrong.name: lambda cells, classes: RightWrong(cells),
    TypedSpans.name: lambda cells, classes: TypedSpans(classes),
}


def named_kind(name: str, cells: Sequence[str], classes: Sequence[str]) -> Kind:
    """Return the kind that a file names, or say that there is none of this name."""
    if name not in _NAMED:
        raise ValueError(f"unknown kind of task {name!r}; {nearest(str(name), _NAMED)}")
    return _NAMED[name](tuple(cells), tuple(classes))
