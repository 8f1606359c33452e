"""Final scores: one number for a model on a test set, a fold or a data set whose items are unknown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import itemgetter
from typing import ClassVar

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.base.naming import nearest, quoted, same_name
from bayesf1.metrics import Metric, MetricLike, find_metric
from bayesf1.sampling.model import SamplingModel
from bayesf1.task import Task
from bayesf1.tasks.scores import hint_of_loss

# Prefixes that scikit-learn and experiment trackers put before the name of a metric.
_PREFIXES = re.compile(r"^((test|dev|val|valid|eval|metrics|summary)[_ ./-])+")


@dataclass(frozen=True)
class FinalScores(Task):
    """Scores that others computed. Only folds, runs or data sets show how uncertain they are.

    Attributes
    ----------
    scored
        The names of the scores, each a cell.
    lower_is_better
        Whether the better of two models has the lower scores.
    percent
        Whether scores are shares, from 0 to 1.
    """

    name: ClassVar[str] = "final scores"
    final: ClassVar[bool] = True
    least_prior: ClassVar[float] = math.inf
    prior_family: ClassVar[str] = ""
    citation: ClassVar[str] = "a posterior of mean scores"

    scored: tuple[str, ...]
    lower_is_better: bool = False
    percent: bool = True

    @property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the scores."""
        return self.scored

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """All scores."""
        return self.scored

    @property
    def main_metric(self) -> str:
        """The first F1 among the scores, else the first score.

        Examples
        --------
        >>> FinalScores(("precision", "test/f1")).main_metric, FinalScores(("BLEU", "chrF")).main_metric
        ('test/f1', 'BLEU')
        """
        f1_scores = [name for name in self.scored if "f1" in re.split(r"[\W_]+", name.lower())]
        return f1_scores[0] if f1_scores else self.scored[0]

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return a score by its name."""
        names = [name for name in self.scored if isinstance(asked, str) and same_name(asked, name)]
        if not names:
            raise ValueError(
                f"{quoted(asked)} is none of the final scores; {nearest(str(asked), self.scored)}"
            )
        name = names[0]
        share = known_share(name)
        label = name if share is None else share.label
        support = (0.0, 1.0) if self.percent else (-math.inf, math.inf)
        return Metric(
            name,
            label,
            (name,),
            itemgetter((..., 0)),
            support=support,
            percent=self.percent,
            lower_is_better=self.lower_is_better,
            always_defined=True,
        )

    def draw(self, sampling: SamplingModel, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield the scores as they are; their uncertainty is added for folds, runs or data sets."""
        tables = sampling.ev.tables
        for n in blocks_of(n_draws, tables.size):
            yield np.broadcast_to(tables, (n, *tables.shape)).copy()

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return a hint if scores are named as losses are, but more is taken as better."""
        return hint_of_loss(" ".join(self.scored), lower_is_better=self.lower_is_better)

    def notes_on(self, sampling: SamplingModel, metric: Metric) -> tuple[str, ...]:
        """Return a note on the uncertainty that the scores of one test set do not show."""
        if not sampling.ev.methods:
            return ()
        limit = (
            "Only training varied: with other test items or another split the result may differ. "
            "Learners that are equal over data sets may well differ on one."
        )
        return (limit,)

    @property
    def about(self) -> str:
        """The names of the scores."""
        return f"final scores ({', '.join(self.scored)})"


def known_share(name: str) -> Metric | None:
    """Return the metric of a confusion table named by a score, as by ``test_f1``; None if it is not one.

    Examples
    --------
    >>> known_share("test_f1").label, known_share("summary.test/f1").label, known_share("BLEU")
    ('F1', 'F1', None)
    """
    with suppress(ValueError):
        return find_metric(_PREFIXES.sub("", name.strip().lower()))
    return None


def check_scored(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of scores, each different."""
    if not names or len({*names}) < len(names):
        raise ValueError(f"scores need different names, not {quoted(list(names))}")
    return tuple(names)
