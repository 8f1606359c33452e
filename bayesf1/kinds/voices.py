r"""What each voice is worth on its own, and what all of them together then say of gold.

Where many models and judges speak, most combinations of their words hold no labelled item, nor do those that are alike. Each
voice on its own is well known all the same: how often it says w where gold is g. If voices err independently of one another
given gold,

.. math:: b_{cg} \propto P(g) \prod_v P(\text{word of } v \text{ in } c \mid g),

with one item added to everything that is counted. With two gold labels every word of a voice has its share, so that
scores in bins need no order and a judge that is always wrong tells as much as one that is always right; with more, a
voice is right or wrong, whatever the label is.

Dawid and Skene (1979), Applied Statistics 28, 20–28.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Voices:
    """What every voice says of each gold label.

    Attributes
    ----------
    adds
        Which event each gold label of a stratum is for every voice: a sparse array (event, stratum·gold).
    beside
        Which events exclude each other, axes (event, event).
    ways
        In how many ways an event happens, each as likely as the others.

    Examples
    --------
    A model that is right on six of ten items, and a judge that is right on nine:

    >>> said = (("no", "no"), ("no", "yes"), ("yes", "no"), ("yes", "yes"))
    >>> labelled = np.array([[27.0, 3.0], [3.0, 17.0], [18.0, 2.0], [2.0, 28.0]])
    >>> Voices.of(("no", "yes"), said).shares(labelled)[:, 1].round(2)
    array([0.08, 0.84, 0.16, 0.92])
    """

    adds: Any
    beside: FloatArray
    ways: FloatArray

    @classmethod
    def of(cls, golds: Sequence[str], said: Sequence[tuple[str, ...]]) -> Voices:
        """Return the voices that said this in each stratum."""
        from scipy.sparse import csr_array

        k, place = len(golds), dict[tuple[object, ...], int]()
        events = [
            place.setdefault((v, gold, word) if k == 2 else (v, word == gold), len(place))
            for row in said
            for gold in golds
            for v, word in enumerate(row)
        ]
        n = len(said) * k
        at = np.repeat(np.arange(n), len(said[0]))
        adds = csr_array((np.ones(len(at)), (events, at)), shape=(len(place), n))
        rivals = [event[:2] if k == 2 else event[:1] for event in place]
        beside = np.array([[float(one == other) for other in rivals] for one in rivals])
        ways = np.array([1.0 if k == 2 or event[1] else k - 1.0 for event in place])
        return cls(adds, beside, ways)

    def shares(self, labelled: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
        """Return shares of gold labels in each stratum if voices are independent given gold, axes (..., stratum, gold).

        What is added counts `scale` times, as in `Strata.shares`.
        """
        one = np.asarray(scale, dtype=float)[..., None]
        flat = labelled.reshape(*labelled.shape[:-2], -1)
        seen = _times(self.adds, flat) + one
        logs = np.log(seen / (seen @ self.beside) / self.ways)
        found = _times(self.adds.T, logs).reshape(labelled.shape)
        found = found + np.log(labelled.sum(axis=-2, keepdims=True) + one[..., None])
        found = np.exp(found - found.max(axis=-1, keepdims=True))
        return np.asarray(found / found.sum(axis=-1, keepdims=True))


def _times(matrix: Any, numbers: FloatArray) -> FloatArray:
    """Return a sparse array times numbers, axes (..., column) to (..., row)."""
    flat = numbers.reshape(-1, numbers.shape[-1])
    return np.ascontiguousarray((matrix @ flat.T).T).reshape(*numbers.shape[:-1], matrix.shape[0])
