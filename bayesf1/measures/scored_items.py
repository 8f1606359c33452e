"""Items with a gold label and a score, in the order of their scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.base.naming import shown
from bayesf1.kinds.score_order import ScoreOrder
from bayesf1.measures.label_arrays import label_array, same_length
from bayesf1.reading.label_columns import distinct_labels, guess_positive

# Numbers in flight in one block of draws: what a cache holds.
_BLOCK = 1 << 17


class ScoredItems(ScoreOrder):
    """Scored items, those of the highest scores first."""

    @classmethod
    def of(cls, y_true: ArrayLike, scores: ArrayLike, positive: Any) -> ScoredItems:
        """Sort items by their scores, or say what is wrong with them."""
        gold = label_array(y_true, "y_true")
        values = _scores(scores)
        same_length(gold, values, ("y_true", "scores"))
        known = distinct_labels([gold])
        if positive is None:
            positive = guess_positive(known)
        hit = np.asarray(gold == positive)
        if hit.all() or not hit.any():
            lacking = "negative" if hit.all() else "positive"
            raise ValueError(
                f"y_true holds no {lacking} item (positive is {shown(positive)}, labels are {known[:5]}); a curve needs both"
            )
        return cls.sort(hit, values)

    def weighted(self, weights: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
        """Return `sums` under a user's weights, or say what is wrong with these."""
        if weights is None:
            return self.sums(np.ones(len(self)))
        try:
            array = np.asarray(weights, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError("weights must be numbers, one for each item") from None
        if array.ndim == 0 or array.shape[-1] != len(self):
            raise ValueError(
                f"weights have shape {array.shape}; (..., {len(self)}) is right, one for each item"
            )
        bad = ~(np.isfinite(array) & (array >= 0.0))
        if bad.any():
            raise ValueError(f"weights hold {array[bad].flat[0]:g}; weights are finite and not negative")
        tp, fp = self.sums(array)
        if not ((tp[..., -1] > 0) & (fp[..., -1] > 0)).all():
            raise ValueError("weights leave no positive or no negative item; a curve needs both")
        return tp, fp

    def draws(self, n_draws: int, rng: np.random.Generator) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield `sums` under weights of the Bayesian bootstrap; the weights' scale is free, as all are ratios."""
        for n in blocks_of(n_draws, len(self), _BLOCK):
            yield self.sums(rng.standard_exponential((n, len(self))))


def _scores(scores: ArrayLike) -> FloatArray:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("scores must be numbers, one for each item") from None
    if values.ndim != 1:
        raise ValueError(f"scores must be one number for each item, not an array of shape {values.shape}")
    bad = ~np.isfinite(values)
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"scores hold {values[i]} at item {i + 1}; scores are finite numbers")
    return values
