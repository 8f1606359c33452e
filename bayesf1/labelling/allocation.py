r"""Which items to label next: where a label tells most of a score, or of the difference of two.

With :math:`N_c` items in stratum c, :math:`n_c` of them labelled, shares θ of gold labels and a score D of the tables,

.. math:: \operatorname{Var} D \approx V_\pi + \sum_c \frac{\sigma_c^2}{n_c + 1 + a_c}, \qquad
          \sigma_c^2 = \operatorname{Var}_{g \sim \theta_c}\Bigl(\frac{\partial D}{\partial \theta_{cg}}\Bigr),

where :math:`V_\pi` is what no label takes away, as the items themselves are a sample, and :math:`a_c` is the prior's
weight. Neyman's allocation makes :math:`n_c` proportional to :math:`\sigma_c`.

Neyman (1934), Journal of the Royal Statistical Society 97, 558–625.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Metric
from bayesf1.kinds.audited import Audited
from bayesf1.kinds.difference_estimator import slopes_of
from bayesf1.kinds.strata import POOLED


@dataclass(frozen=True, eq=False)
class Doubt:
    """Where the doubt about a score comes from.

    Attributes
    ----------
    spread
        σ of each stratum.
    labelled, unlabelled
        How many items of each stratum have a gold label, and how many have none.
    believed
        The prior's weight in each stratum.
    sampled
        The variance that no label takes away.
    scale
        How much larger the posterior variance is than this sum.
    """

    spread: FloatArray
    labelled: FloatArray
    unlabelled: FloatArray
    believed: FloatArray
    sampled: float
    scale: float = 1.0

    def variance(self, more: FloatArray | float = 0.0) -> float:
        """Return the posterior variance that is expected once so many more items of each stratum are labelled."""
        known = self.labelled + more + 1.0 + self.believed
        return float(self.scale * (self.sampled + (self.spread**2 / known).sum()))

    def neyman(self, budget: int, *, explore: float) -> FloatArray:
        r"""Return how many items of each stratum to label: :math:`m_c = \max(t\,\sigma_c - n_c, f_c)`, at most all.

        The floor :math:`f_c` is the share `explore` of the budget, spread over strata by the root of their size, so that
        none stays unseen because few labels so far made it look sure.
        """
        budget = int(min(budget, self.unlabelled.sum()))
        size = np.sqrt(self.unlabelled)
        floor = np.minimum(np.floor(explore * budget * size / max(size.sum(), 1.0)), self.unlabelled)

        def taken(t: float) -> FloatArray:
            return np.clip(t * self.spread - self.labelled - self.believed, floor, self.unlabelled)

        some = self.spread > 0.0
        full = self.labelled + self.believed + self.unlabelled
        low, high = 0.0, float((full[some] / self.spread[some]).max(initial=0.0)) + 1.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if taken(middle).sum() < budget else (low, middle)
        found = taken(high)
        short = budget - found.sum()
        if short > 0.0:
            # Strata that tell nothing take what is left.
            left = self.unlabelled - found
            found = found + left * (short / left.sum())
        return whole(found, self.unlabelled, budget)

    def at_random(self, budget: int) -> FloatArray:
        """Return how many items of each stratum a choice at random labels, on average."""
        total = self.unlabelled.sum()
        return self.unlabelled * (min(budget, total) / total if total else 0.0)


def whole(numbers: FloatArray, most: FloatArray, total: int) -> FloatArray:
    """Return whole numbers next to these that add up to a total, by largest remainders.

    Examples
    --------
    >>> whole(np.array([1.6, 2.7, 0.7]), np.array([9.0, 9.0, 9.0]), 5)
    array([1., 3., 1.])
    """
    found = np.minimum(np.floor(numbers + 1e-9), most)
    order = np.argsort(-(numbers - found), kind="stable")
    while (short := int(total - found.sum())) > 0:
        room = [c for c in order.tolist() if found[c] < most[c]]
        found[room[:short]] += 1.0
    return found


def doubt_of(ev: Evaluation, kind: Audited, measure: Metric, *, prior: float) -> Doubt:
    """Return where the doubt about a score of one model, or about the difference of two, comes from."""
    strata, k = kind.strata, len(kind.strata.golds)
    counts = kind.counts(ev.tables)
    labelled, total = counts[:, :-1], counts.sum(axis=1)
    each = strata.weight(prior)
    believed = labelled + each + POOLED * strata.pooled(labelled + each)
    shares = believed / believed.sum(axis=1, keepdims=True)
    slopes = _slopes(ev, kind, measure, total[:, None] * shares)
    mean = (shares * slopes).sum(axis=1)
    spread = total * np.sqrt((shares * (slopes - mean[:, None]) ** 2).sum(axis=1))
    size = max(total.sum(), 1.0)
    away = mean - total @ mean / size
    return Doubt(
        spread,
        labelled.sum(axis=1),
        counts[:, -1],
        np.full(strata.size, each * k + POOLED),
        float(total @ away**2),
    )


def _slopes(ev: Evaluation, kind: Audited, measure: Metric, masses: FloatArray) -> FloatArray:
    """Return how the score, or the difference of two, moves with one more item beside `masses`, axes (stratum, gold)."""
    strata = kind.strata
    assert measure.origin is not None
    task = kind.task.measure(measure.origin[1], kind.tables_of(strata.filled(ev.tables)))
    models = [strata.models.index(model) for model in ev.models]
    size = max(masses.sum(), 1.0)

    def score(tables: FloatArray) -> FloatArray:
        scores = ev.mean_scores(task(tables, kind.task.cells))
        return np.asarray(scores[..., -1] - scores[..., 0] if len(ev.names) > 1 else scores[..., 0])

    matrices = np.stack([strata.word_sums(model) @ masses for model in models]) / size
    adds = kind.outcomes_of_gold
    slopes = slopes_of(score, np.einsum("msg,gst->mt", matrices, adds))
    # How each model's score moves with an item of a gold label of which it said this.
    moves = np.einsum("gst,mt->msg", adds, slopes) / size
    return np.asarray(sum(moves[i, strata.said_by(model)] for i, model in enumerate(models)))


@dataclass(frozen=True, eq=False)
class Prospect:
    """What may be expected of more labels.

    Attributes
    ----------
    doubt
        Where the doubt comes from.
    mean
        The posterior mean of the score, or of the difference.
    prob
        The mass of the interval that is to exclude 0.
    """

    doubt: Doubt
    mean: float
    prob: float

    @property
    def _z(self) -> float:
        return float(special.ndtri(0.5 * (1.0 + self.prob)))

    def length(self, more: FloatArray | float = 0.0) -> float:
        """Return how long the interval is expected to be."""
        return 2.0 * self._z * float(np.sqrt(self.doubt.variance(more)))

    def verdict(self, more: FloatArray) -> float:
        r"""Return the probability that the interval of a difference will exclude 0.

        The posterior mean moves by a normal variate of variance :math:`V_0 - V_1`, and must end beyond
        :math:`z\sqrt{V_1}`.
        """
        after = self.doubt.variance(more)
        moved = np.sqrt(max(self.doubt.variance() - after, 1e-300))
        need = self._z * np.sqrt(after)
        above, below = (self.mean - need) / moved, (-self.mean - need) / moved
        return float(special.ndtr(above) + special.ndtr(below))

    def labels_until(self, allocate: Callable[[int], FloatArray]) -> int | None:
        """Return after how many labels the interval excludes 0 if the mean stays; None where not even after all."""
        every = int(self.doubt.unlabelled.sum())

        def decided(n: int) -> bool:
            return 2.0 * abs(self.mean) >= self.length(allocate(n))

        return bisect_left(range(every), True, key=decided) if decided(every) else None
