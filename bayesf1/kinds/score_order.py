"""Positive and negative items in the order of their scores, and the areas under their curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class ScoreOrder:
    """Items with a score, those of the highest scores first.

    Attributes
    ----------
    hits, others
        Which items are positive, and which are negative.
    n_hits, n_others
        How many of them there are down to each distinct score; 0 to begin with.

    Examples
    --------
    >>> items = ScoreOrder.sort(np.array([False, False, True, True]), np.array([0.1, 0.4, 0.35, 0.8]))
    >>> tp, fp = items.sums(np.ones(4))
    >>> roc_area(tp, fp), pr_area(tp, fp)
    (array(0.75), array(0.833...))
    """

    hits: NDArray[np.intp]
    others: NDArray[np.intp]
    n_hits: NDArray[np.intp]
    n_others: NDArray[np.intp]

    @classmethod
    def sort(cls, hit: NDArray[np.bool_], values: FloatArray) -> Self:
        """Sort items by their scores."""
        order = np.argsort(-values, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
        n_hits = np.append(0, np.cumsum(hit[order])[ends])
        return cls(order[hit[order]], order[~hit[order]], n_hits, np.append(0, ends + 1) - n_hits)

    def __len__(self) -> int:
        return len(self.hits) + len(self.others)

    def corners(self, kind: str) -> Self:
        """Return the items with only those distinct scores that shape a curve, however items are weighted."""
        hits, others = np.diff(self.n_hits) > 0, np.diff(self.n_others) > 0
        # Precision counts where recall grows; a line goes straight on where both neighbours are of one label.
        kept = hits if kind == "pr" else np.append((hits[:-1] | hits[1:]) & (others[:-1] | others[1:]), True)
        kept = np.append(True, kept)
        return replace(self, n_hits=self.n_hits[kept], n_others=self.n_others[kept])

    def sums(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights of true and of false positives down to each distinct score; 0 to begin with."""
        return _sums_of(weights, self.hits, self.n_hits), _sums_of(weights, self.others, self.n_others)


def roc_area(tp: FloatArray, fp: FloatArray) -> FloatArray:
    r"""Area under the ROC curve, :math:`\sum_n (F_n - F_{n-1})(T_n + T_{n-1})/2TF`; a half where it is undefined."""
    area = 0.5 * (np.diff(fp, axis=-1) * (tp[..., 1:] + tp[..., :-1])).sum(axis=-1)
    return _divided(area, tp[..., -1] * fp[..., -1], 0.5)


def pr_area(tp: FloatArray, fp: FloatArray) -> FloatArray:
    r"""Average precision :math:`\sum_n (R_n - R_{n-1}) P_n`; 0 without a positive item."""
    hits, said = tp[..., 1:], tp[..., 1:] + fp[..., 1:]
    precision = np.divide(hits, said, out=np.zeros_like(hits), where=hits > 0)
    return _divided((np.diff(tp, axis=-1) * precision).sum(axis=-1), tp[..., -1], 0.0)


def _divided(part: FloatArray, whole: FloatArray, otherwise: float) -> FloatArray:
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(whole), otherwise), where=whole > 0.0))


def _sums_of(weights: FloatArray, which: NDArray[np.intp], n: NDArray[np.intp]) -> Any:
    """Return the weight of the first n of some items."""
    sums = np.empty((*weights.shape[:-1], len(which) + 1))
    sums[..., 0] = 0.0
    np.cumsum(np.take(weights, which, axis=-1), axis=-1, out=sums[..., 1:])
    return np.take(sums, n, axis=-1)
