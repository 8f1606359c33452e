"""Posterior draws of two models' scores, made once and when something asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.bayes.posterior import KEPT_DRAWS
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.under import Under
from bayesf1.laws.empirical import EmpiricalPosterior
from bayesf1.laws.law import lazy_property


class Counts(NamedTuple):
    """How many draws say that B is better, and that it is so or worse by more than a margin; ties are halved."""

    better: float
    worse_by: float
    better_by: float

    @classmethod
    def of(cls, gains: FloatArray, rope: float) -> Counts:
        """Count draws of how much better B is than A."""
        better = (gains > 0).sum() + 0.5 * (gains == 0).sum()
        return cls(float(better), float((gains < -rope).sum()), float((gains > rope).sum()))


@dataclass(frozen=True, eq=False)
class Drawn:
    """Posterior draws of two models' scores in several measures.

    The models are drawn in the order of their names, so that swapping them swaps what is said of them and no more;
    and always from the same seed, so that two threads that ask at once are told the same.

    Attributes
    ----------
    under
        The evaluation of the two models, and what was sampled.
    measures
        The measures, which share the draws.
    prior, rope
        λ of the prior, and the margin of practical equivalence.
    n_draws, seed
        How many draws, and what they are seeded with.
    """

    under: Under
    measures: Sequence[Metric]
    prior: float
    rope: float
    n_draws: int
    seed: tuple[int, ...]

    def counts(self, metric: str) -> Counts:
        """Return how many draws favour either model."""
        return self._made[metric][1]

    def scores(self, metric: str, model: int) -> FloatArray:
        """Return the kept draws of a model's score."""
        return self._made[metric][0][:, model]

    def differences(self, metric: str) -> FloatArray:
        """Return the kept draws of B minus A."""
        scores = self._made[metric][0]
        return np.asarray(scores[:, 1] - scores[:, 0])

    def law(self, measure: Metric, model: int) -> EmpiricalPosterior:
        """Return what is believed of a model's score, drawn when first looked at."""
        return EmpiricalPosterior.later(partial(self.scores, measure.name, model), measure.support)

    def difference(self, measure: Metric) -> EmpiricalPosterior:
        """Return what is believed of B minus A, drawn when first looked at."""
        low, high = measure.support
        return EmpiricalPosterior.later(partial(self.differences, measure.name), (low - high, high - low))

    @lazy_property
    def _made(self) -> dict[str, tuple[FloatArray, Counts]]:
        first, second = self.under.ev.names
        swapped = second < first
        names = (second, first) if swapped else (first, second)
        ordered = replace(self.under, ev=self.under.ev.select(names))
        kept: list[list[FloatArray]] = [[] for _ in self.measures]
        counts = np.zeros((len(self.measures), 3))
        stored = 0
        rng = np.random.default_rng(self.seed)
        for block in ordered.scores(self.measures, prior=self.prior, n_draws=self.n_draws, rng=rng):
            for i, (measure, drawn) in enumerate(zip(self.measures, block, strict=True)):
                scores = drawn[:, ::-1] if swapped else drawn
                gain = (scores[:, 1] - scores[:, 0]) * measure.sign
                counts[i] += Counts.of(gain, self.rope)
                if stored < KEPT_DRAWS:
                    kept[i].append(scores)
            stored += len(block[0])
        return {
            measure.name: (np.concatenate(parts), Counts(*map(float, row)))
            for measure, parts, row in zip(self.measures, kept, counts, strict=True)
        }
