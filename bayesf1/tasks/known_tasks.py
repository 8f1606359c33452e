"""The kinds of task that files can name; a new one is a line here."""

from __future__ import annotations

from bayesf1.evaluation import Task
from bayesf1.tasks.binary import Binary
from bayesf1.tasks.classed import LabelSets, TypedSpans
from bayesf1.tasks.correctness import Correctness
from bayesf1.tasks.judged import Audited
from bayesf1.tasks.multiclass import MultiClass
from bayesf1.tasks.probabilities import Probabilities
from bayesf1.tasks.scores import Scores
from bayesf1.tasks.statistics import Statistics

_COUNTED = (Binary, Correctness, MultiClass, LabelSets, TypedSpans, Audited)
TASKS: dict[str, type[Task]] = {task.name: task for task in (*_COUNTED, Scores, Statistics, Probabilities)}
