"""What is known of two models' scores: laws, or posterior draws, made once and when something asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.bayes.posterior import KEPT_DRAWS, QUANTILES, known_law
from bayesf1.bayes.rope import Rope
from bayesf1.evaluation.anchors import Anchor, anchor_of
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.under import Under
from bayesf1.laws.empirical import EmpiricalPosterior
from bayesf1.laws.law import lazy_property

# Draws that are made before it is asked whether they are enough; those with an anchor say more.
_FIRST, _FIRST_ANCHORED = 20_000, 4_000


class Counts(NamedTuple):
    """How many draws say that B is better, and that it is so or worse by more than a margin; ties are halved."""

    better: float
    worse_by: float
    better_by: float

    @classmethod
    def of(cls, gains: FloatArray, rope: Rope) -> Counts:
        """Count draws of how much better B is than A."""
        better = (gains > 0).sum() + 0.5 * (gains == 0).sum()
        return cls(float(better), float((gains < rope.low).sum()), float((gains > rope.high).sum()))


def share_error(successes: float, n: float) -> float:
    """Return the standard error of a share of draws."""
    # One success and one failure more, so that 0 of n does not claim an error of 0.
    share = (successes + 1.0) / (n + 2.0)
    return float(np.sqrt(share * (1.0 - share) / n))


class Made(NamedTuple):
    """Draws of one measure: of both scores where they are kept, of B - A, and of what anchors these, if anything does.

    At most so many are kept as memory allows; all n are counted.
    """

    scores: FloatArray | None
    gaps: FloatArray
    anchored: FloatArray | None
    counts: Counts
    n: int

    @property
    def error(self) -> float:
        """Standard error of the share of all n draws in which B is better."""
        if self.anchored is None:
            return share_error(self.counts.better, self.n)
        # What the anchor says is certain, so that only draws that contradict it were left to chance.
        against = np.count_nonzero((self.gaps > 0.0) != (self.anchored > 0.0))
        return float(np.sqrt(against + 1.0) / self.n)


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is known of two models' scores in several measures: laws where they need no draws, and posterior draws.

    The models are drawn in the order of their names, so that swapping them swaps what is said of them and no more;
    and always from the same seed, so that two threads that ask at once are told the same.

    Attributes
    ----------
    under
        The evaluation of the two models, and what was sampled.
    measures
        The measures, which share the draws.
    prior, rope
        λ of the prior, and the region of practical equivalence.
    n_draws, seed
        How many draws at the most, and what they are seeded with.
    enough
        The standard error of P(H1) from which on there are enough draws; with 0 all are made.
    anchored
        Whether laws that are known, or nearly, may stand in for draws and steady them (`anchors`).
    lawful
        Names of measures whose scores follow laws of their own, so that only draws of the difference are kept.
    """

    under: Under
    measures: Sequence[Metric]
    prior: float
    rope: Rope
    n_draws: int
    seed: tuple[int, ...]
    enough: float = 0.0
    anchored: bool = True
    lawful: frozenset[str] = frozenset()

    def counts(self, metric: str) -> Counts:
        """Return how many draws favour either model."""
        return self._made[metric].counts

    def error(self, metric: str) -> float:
        """Return the standard error of the share of draws in which B is better."""
        return self._made[metric].error

    def size(self, metric: str) -> int:
        """Return how many draws were made for a measure: none where its law is known."""
        return 0 if self.known(metric) else self._made[metric].n

    def known(self, metric: str) -> Anchor | None:
        """Return what gives the law of the later name's score minus the earlier's, where that needs no draws."""
        anchor = self._anchors[metric]
        return anchor if anchor is not None and anchor.exact else None

    @property
    def swapped(self) -> bool:
        """Whether B's name comes before A's."""
        first, second = self.under.ev.names
        return second < first

    def scores(self, metric: str, model: int) -> FloatArray:
        """Return draws of a model's score, or quantiles of its law."""
        (measure,) = (m for m in self.measures if m.name == metric)
        place = 1 - model if self.swapped else model
        known = known_law(self._ordered, measure, place, self.prior) if self.anchored else None
        if known is not None:
            return known.draws
        drawn = self._made[metric].scores
        assert drawn is not None
        return drawn[:, model]

    def differences(self, metric: str) -> FloatArray:
        """Return draws of B minus A, or quantiles of its law."""
        known = self.known(metric)
        if known is None:
            return self._made[metric].gaps
        gaps = known.quantiles(QUANTILES)
        return -gaps if self.swapped else gaps

    def law(self, measure: Metric, model: int) -> EmpiricalPosterior:
        """Return what is believed of a model's score, drawn when first looked at."""
        return EmpiricalPosterior.later(partial(self.scores, measure.name, model), measure.support)

    def difference(self, measure: Metric) -> EmpiricalPosterior:
        """Return what is believed of B minus A, drawn when first looked at."""
        low, high = measure.support
        return EmpiricalPosterior.later(partial(self.differences, measure.name), (low - high, high - low))

    @lazy_property
    def _ordered(self) -> Under:
        ordered = replace(self.under, ev=self.under.ev.select(sorted(self.under.ev.names)))
        return ordered.asking(self.measures)

    @lazy_property
    def _anchors(self) -> dict[str, Anchor | None]:
        """Return what anchors the difference of the scores, the later name's minus the earlier's, in each measure."""
        gap = np.array([-1.0, 1.0])
        some = self.anchored and self.n_draws <= KEPT_DRAWS
        return {m.name: anchor_of(self._ordered, m, gap, self.prior) if some else None for m in self.measures}

    @lazy_property
    def _made(self) -> dict[str, Made]:
        """Draw in measures whose laws are not known, until there are enough draws."""
        measures = [m for m in self.measures if self.known(m.name) is None]
        anchors = {i: a for i, m in enumerate(measures) if (a := self._anchors[m.name]) is not None}
        kept: list[list[FloatArray]] = [[] for _ in range(len(measures) + len(anchors))]
        counts = np.zeros((len(measures), 3))
        rng = np.random.default_rng(self.seed)
        made: dict[str, Made] = {}
        n = 0
        more = min(self.n_draws, _FIRST_ANCHORED if len(anchors) == len(measures) else _FIRST)
        more = more if self.enough else self.n_draws
        while more:
            blocks = self._ordered.scores(measures, prior=self.prior, n_draws=more, rng=rng, anchors=anchors)
            for block in blocks:
                for i, measure in enumerate(measures):
                    turned = block[i][:, ::-1] if self.swapped else block[i]
                    counts[i] += Counts.of((turned[:, 1] - turned[:, 0]) * measure.sign, self.rope)
                if n < KEPT_DRAWS:
                    for parts, drawn in zip(kept, block, strict=True):
                        parts.append(drawn)
                n += len(block[0])
            joined = [np.concatenate(parts) for parts in kept]
            beside = dict(zip(anchors, joined[len(measures) :], strict=True))
            made = {
                measure.name: self._of(measure, scores, anchors.get(i), beside.get(i), Counts(*counts[i]), n)
                for i, (measure, scores) in enumerate(zip(measures, joined, strict=False))
            }
            error = max(found.error for found in made.values())
            wanted = n * (error / self.enough) ** 2 if self.enough else 0.0
            # A little more than is wanted, as errors are not known to the last digit.
            more = max(min(int(1.1 * wanted) + 1, self.n_draws) - n, 0) if wanted > n else 0
        return made

    def _of(
        self,
        measure: Metric,
        scores: FloatArray,
        anchor: Anchor | None,
        beside: FloatArray | None,
        counts: Counts,
        n: int,
    ) -> Made:
        """Return what was drawn, the difference steadied by its anchor where there is one."""
        turn = -1.0 if self.swapped else 1.0
        gaps, anchored = scores[:, 1] - scores[:, 0], None
        if anchor is not None and beside is not None:
            gaps, anchored = anchor.steady(gaps, beside)
        gaps = turn * gaps
        if anchored is not None:
            anchored = turn * anchored
            counts = Counts.of(gaps * measure.sign, self.rope)
        if measure.name in self.lawful:
            return Made(None, gaps, anchored, counts, n)
        return Made(scores[:, ::-1] if self.swapped else scores, gaps, anchored, counts, n)
