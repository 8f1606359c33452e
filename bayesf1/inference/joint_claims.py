"""Claims about many models at once: which may be the best, which ranks each may have, and which pairs differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import BoolArray, FloatArray, IntArray
from bayesf1.inference.comparison import claim_threshold


class JointClaims(NamedTuple):
    """Claims from the same joint draws, which do not contradict each other.

    Attributes
    ----------
    tied
        Which models are unbeaten: no other model beats them in comparisons with all others at once.
    rank_low, rank_high
        One more than the number of models that beat a model, and the number of models that it does not beat.
    jointly, p_jointly
        Which models (rows) beat which (columns), all pairs at once, and the probability that all of them do.
    p_order
        The probability that no model beats one before it by more than the margin.
    """

    tied: BoolArray
    rank_low: IntArray
    rank_high: IntArray
    jointly: BoolArray
    p_jointly: float
    p_order: float

    def without(self, last: BoolArray) -> JointClaims:
        """Return the claims if the scores of the last models are undefined: these beat no model, and none beats them."""
        n_defined = int(np.count_nonzero(~last))
        defined = ~last
        return self._replace(
            tied=self.tied & defined,
            rank_low=np.where(last, n_defined + 1, self.rank_low),
            rank_high=np.where(last, len(last), np.minimum(self.rank_high, n_defined)),
            jointly=self.jointly & defined & defined[:, None],
        )


def joint_claims(scores: FloatArray, margin: float, prob: float) -> JointClaims:
    r"""Return what may be claimed about all models.

    A standardised lead of model j over model i is :math:`t_{ij} = (D_j - D_i - m_j + m_i) / s_{ij}`, with draws D, their
    means m, and the standard deviation s of their differences. Model j *beats* model i if :math:`m_j - m_i` is more than the
    margin plus :math:`q_i s_{ij}`, where q is the quantile of :math:`\max_j t_{ij}` at the probability from which
    `compare` claims a difference: each model is compared with all others at once, as in Hsu's comparisons with the best
    (1984). For the upper end of a rank, the same is asked of the models that i beats, with :math:`\max_j t_{ji}`.
    A claim about all pairs uses the `prob` quantile of the largest of all :math:`t_{ij}`, and must meet both conditions
    above as well.

    Parameters
    ----------
    scores
        Draws of scores, axes (draw, model), in the order of the ranking; higher is better.
    margin
        The margin by which a model must be better.
    prob
        The probability of all claims about pairs together.

    Examples
    --------
    >>> draws = np.random.default_rng(1).normal([2.0, 1.9, 0.0], 0.3, size=(10_000, 3))
    >>> claims = joint_claims(draws, 0.0, 0.95)
    >>> claims.tied.tolist(), claims.rank_low.tolist(), claims.rank_high.tolist()
    ([True, True, False], [1, 1, 3], [2, 2, 3])
    >>> claims.jointly.tolist()
    [[False, False, True], [False, False, True], [False, False, False]]
    """
    leads = _Leads.of(scores)
    reaches = leads.reaches(claim_threshold(prob), prob)
    gaps = leads.centre[:, None] - leads.centre - margin
    beaten_by = gaps > reaches.lead_over[None, :] * leads.spreads
    beats = gaps > reaches.lead_of[:, None] * leads.spreads
    jointly = (gaps > reaches.all_pairs * leads.spreads) & beaten_by & beats
    # All claims about pairs hold in draws within the region of all pairs.
    beyond = scores[reaches.farthest > reaches.all_pairs]
    return JointClaims(
        tied=np.asarray(~beaten_by.any(axis=0)),
        rank_low=1 + beaten_by.sum(axis=0),
        rank_high=scores.shape[1] - beats.sum(axis=1),
        jointly=jointly,
        p_jointly=1.0 - _count_broken(beyond, jointly, margin) / len(scores),
        p_order=_p_order(scores, margin),
    )


def claims_of_pair(p_beats: FloatArray, prob: float) -> JointClaims:
    """Return what may be claimed about two models, which is what `compare` claims about their difference.

    Parameters
    ----------
    p_beats
        The probability that the row is better than the column by more than the margin, axes (model, model).
    prob
        Mass of the intervals.

    Examples
    --------
    >>> claims = claims_of_pair(np.array([[0.0, 0.98], [0.02, 0.0]]), 0.95)
    >>> claims.tied.tolist(), claims.p_jointly
    ([True, False], 0.98)
    """
    beats = p_beats >= claim_threshold(prob)
    return JointClaims(
        tied=np.asarray(~beats.any(axis=0)),
        rank_low=1 + beats.sum(axis=0),
        rank_high=2 - beats.sum(axis=1),
        jointly=beats,
        p_jointly=float(p_beats[beats].min(initial=1.0)),
        p_order=float(1.0 - p_beats[1, 0]),
    )


class _Reaches(NamedTuple):
    """How many standard deviations from 0 a difference must be for a claim.

    Attributes
    ----------
    lead_over
        The quantile of the largest standardised lead of any other model over each model.
    lead_of
        The quantile of the largest standardised lead of each model over any other.
    all_pairs
        The quantile of the largest standardised difference of all pairs.
    farthest
        The largest standardised difference of each draw.
    """

    lead_over: FloatArray
    lead_of: FloatArray
    all_pairs: float
    farthest: FloatArray


class _Leads(NamedTuple):
    """Draws of scores about their means, in the form from which differences of pairs are computed.

    Attributes
    ----------
    centre
        The mean of each model's draws.
    spreads
        The standard deviations of the differences, axes (model, model); 0 for models that are the same in every draw.
    apart
        Draws about their means in units of the largest standard deviation, axes (model, draw).
    scales
        That unit divided by `spreads`, or 0; a difference in `apart` times its scale is standardised.
    """

    centre: FloatArray
    spreads: FloatArray
    apart: FloatArray
    scales: FloatArray

    @classmethod
    def of(cls, scores: FloatArray) -> _Leads:
        """Return the leads from draws of scores, axes (draw, model)."""
        centre = scores.mean(axis=0)
        apart = scores.T - centre[:, None]
        products = apart @ apart.T / len(scores)
        own = products.diagonal()
        variances = own[:, None] + own - 2.0 * products
        # The difference of models that are alike has a variance of 0, apart from rounding.
        is_rounding = variances <= 1e-12 * np.maximum.outer(own, own)
        spreads = np.sqrt(np.where(is_rounding, 0.0, variances))
        unit = float(spreads.max())
        if unit == 0.0:
            unit = 1.0
        scales = np.divide(unit, spreads, out=np.zeros(spreads.shape, np.float32), where=spreads > 0.0)
        # Single precision is enough for quantiles, and takes half the time.
        return cls(centre, spreads, (apart / unit).astype(np.float32), scales)

    def reaches(self, prob_one: float, prob_all: float) -> _Reaches:
        """Return the quantiles of the largest differences: of one model with all others, and of all pairs."""
        n_models, n_draws = self.apart.shape
        lead_over = np.empty(n_models)
        lead_of = np.empty(n_models)
        farthest = np.zeros(n_draws)
        differences = np.empty_like(self.apart)
        for i, (one, scale) in enumerate(zip(self.apart, self.scales, strict=True)):
            np.subtract(self.apart, one, out=differences)
            differences *= scale[:, None]
            largest = differences.max(axis=0)
            lead_over[i] = np.quantile(largest, prob_one)
            lead_of[i] = np.quantile(-differences.min(axis=0), prob_one)
            # Each pair comes up twice, once from either side, so the minimum is not needed.
            np.maximum(farthest, largest, out=farthest)
        return _Reaches(lead_over, lead_of, float(np.quantile(farthest, prob_all)), farthest)


def _count_broken(scores: FloatArray, beats: BoolArray, margin: float) -> int:
    """Return in how many draws, axes (draw, model), at least one claim fails: a model does not exceed one that it beats."""
    holds = np.ones(len(scores), dtype=bool)
    for one, beaten in zip(scores.T, beats, strict=True):
        if beaten.any():
            holds &= one > scores[:, beaten].max(axis=1) + margin
    return int(np.count_nonzero(~holds))


def _p_order(scores: FloatArray, margin: float) -> float:
    """Return the share of draws in which no model is beaten by a later one, hence not by the best later one."""
    later = np.maximum.accumulate(scores[:, :0:-1], axis=1)[:, ::-1]
    return float((later <= scores[:, :-1] + margin).all(axis=1).mean())
