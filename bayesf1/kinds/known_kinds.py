"""The kinds of task that files can name; a new one is a line here."""

from __future__ import annotations

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
