"""Final scores: one number of a model on a test set, a fold or a data set, of whose items nothing is known."""

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


@dataclass(frozen=True)
class FinalScores(Task):
    """Scores that others computed. How surely they are known, only folds, runs or data sets tell.

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

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return a score by its name."""
        name = next((name for name in self.scored if isinstance(asked, str) and same_name(asked, name)), None)
        if name is None:
            raise ValueError(
                f"{quoted(asked)} is none of the final scores; {nearest(str(asked), self.scored)}"
            )
        known = known_share(name)
        return Metric(
            name,
            known.label if known is not None else name,
            (name,),
            None,
            itemgetter((..., 0)),
            (0.0, 1.0) if self.percent else (-math.inf, math.inf),
            percent=self.percent,
            lower_is_better=self.lower_is_better,
        )

    def draw(
        self, sampling: SamplingModel, *, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield the scores as they are: what they are not known by, folds, runs or data sets add."""
        tables = sampling.ev.tables
        for n in blocks_of(n_draws, tables.size):
            yield np.broadcast_to(tables, (n, *tables.shape)).copy()

    def describe_prior(self, prior: float) -> str:
        """Say that nothing was believed of scores before the data."""
        return "No prior"

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return a hint where scores are called as losses are, but more is taken as better."""
        return hint_of_loss(" ".join(self.scored), lower_is_better=self.lower_is_better)

    def notes_on(self, sampling: SamplingModel, metric: Metric) -> tuple[str, ...]:
        """Say of what the scores tell nothing."""
        if not sampling.ev.methods:
            return ()
        limit = (
            "Final scores of one test set and split: how its items, or another split, would change them is not known. "
            "Learners that are equal over data sets may well differ on one."
        )
        return (limit,)

    @property
    def about(self) -> str:
        """What the scores are called."""
        return f"final scores ({', '.join(self.scored)})"


def known_share(name: str) -> Metric | None:
    """Return the metric of a confusion table that a score is called after, as ``test_f1``; None if there is none.

    Examples
    --------
    >>> known_share("test_f1").label, known_share("BLEU")
    ('F1', None)
    """
    with suppress(ValueError):
        return find_metric(re.sub("^(test|dev|val|valid|eval)[_ -]", "", name.strip().lower()))
    return None


def check_scored(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of scores, each different."""
    if not names or len({*names}) < len(names):
        raise ValueError(f"scores need different names, not {quoted(list(names))}")
    return tuple(names)
