r"""Shares of gold labels among items that all raters label alike: from each rater on its own, and from similar strata.

A stratum c is a set of items to which each *rater* (a model or the judge) gave one label. Most strata have few labelled
items. Their shares of gold labels g have two more sources: :math:`b_{cg}`, as if raters erred independently of one another
(`IndependentRaters`), and the labelled items of similar strata (`Pools`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray, indicators
from bayesf1.metrics import ratio

# Matrices with more entries are sparse.
_DENSE = 4096


class RaterEvent(NamedTuple):
    """An event of one rater on an item.

    Attributes
    ----------
    rater
        Number of the rater.
    gold
        The gold label of the item; None if the event is the same for all gold labels.
    outcome
        The label of the rater, or whether it was right.
    ways
        In how many equally likely ways the event can happen.
    """

    rater: int
    gold: str | None
    outcome: str
    ways: float = 1.0

    @classmethod
    def of(cls, rater: int, predicted: str, gold: str, n_golds: int) -> RaterEvent:
        """Return the event that a rater predicts a label for an item with a gold label."""
        if n_golds == 2:
            return cls(rater, gold, predicted)
        if predicted == gold:
            return cls(rater, None, "right")
        return cls(rater, None, "wrong", ways=n_golds - 1.0)


@dataclass(frozen=True, eq=False)
class IndependentRaters:
    r"""Shares of gold labels if raters (the models and the judge) err independently of one another.

    If there are several raters, most combinations of their labels have no labelled item, and similar combinations may have
    none either. How often one rater says w where gold is g is well known all the same. If raters err independently of one
    another given gold,

    .. math:: b_{cg} \propto P(g) \prod_v P(\text{word of } v \text{ in } c \mid g),

    with one item added to every count. With two gold labels, each label that a rater may say has its own share, so a judge
    that is always wrong is as informative as one that is always right. With more, a label is only right or wrong. Dawid and
    Skene (1979), Applied Statistics 28, 20–28.

    Attributes
    ----------
    adds
        The event of every rater for each gold label of a stratum: an array of 0 and 1, axes (event, stratum·gold).
    exclusive
        Which events exclude each other, axes (event, event).
    ways
        In how many equally likely ways each event can happen.

    Examples
    --------
    A model that is right on six of ten items, and a judge that is right on nine:

    >>> predicted = (("no", "no"), ("no", "yes"), ("yes", "no"), ("yes", "yes"))
    >>> labelled = np.array([[27.0, 3.0], [3.0, 17.0], [18.0, 2.0], [2.0, 28.0]])
    >>> IndependentRaters.of(("no", "yes"), predicted).shares(labelled)[:, 1].round(2)
    array([0.08, 0.84, 0.16, 0.92])
    """

    adds: Any
    exclusive: FloatArray
    ways: FloatArray

    @classmethod
    def of(cls, golds: Sequence[str], predicted: Sequence[tuple[str, ...]]) -> IndependentRaters:
        """Return the raters whose labels in each stratum are `predicted`."""
        numbers: dict[RaterEvent, int] = {}
        events: list[int] = []
        columns: list[int] = []
        for c, labels in enumerate(predicted):
            for g, gold in enumerate(golds):
                for rater, label in enumerate(labels):
                    event = RaterEvent.of(rater, label, gold, len(golds))
                    events.append(numbers.setdefault(event, len(numbers)))
                    columns.append(c * len(golds) + g)
        adds = _adder(events, columns, (len(numbers), len(predicted) * len(golds)))
        # Events of one rater, on items of one gold label if it matters, exclude each other.
        sets: dict[tuple[int, str | None], int] = {}
        set_of = np.array([sets.setdefault((event.rater, event.gold), len(sets)) for event in numbers])
        exclusive = (set_of[:, None] == set_of).astype(float)
        return cls(adds, exclusive, np.array([event.ways for event in numbers]))

    def shares(self, labelled: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
        """Return b, the shares of gold labels in each stratum, axes (..., stratum, gold), from the labelled items there.

        The item that is added to every count has the weight `scale`, as in `Strata.shares`.
        """
        added = np.asarray(scale, dtype=float)[..., None]
        flat = labelled.reshape(*labelled.shape[:-2], -1)  # (..., stratum·gold)
        times = _times(self.adds, flat) + added  # (..., event)
        times_of_all = times @ self.exclusive
        log_event = np.log(times / times_of_all / self.ways)
        log_raters = _times(self.adds.T, log_event).reshape(labelled.shape)  # (..., stratum, gold)
        log_gold = np.log(labelled.sum(axis=-2, keepdims=True) + added[..., None])
        log_b = log_raters + log_gold
        b = np.exp(log_b - log_b.max(axis=-1, keepdims=True))
        return np.asarray(b / b.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Pools:
    r"""Similar strata, and what their gold labels have in common.

    With two gold labels, the strata of a pool have the same judgement and the same number of models that say yes; with more,
    the same raters agree in them. Within a pool, gold labels with the same *role* share one probability. With two gold
    labels the role is the label itself; with more, it is the set of raters that predicted the label.

    Attributes
    ----------
    index
        The number of the share to which each gold label of a stratum belongs, axes (stratum, gold).
    parts
        How that share is divided between the labels of a stratum with the same role, on the same axes; None if it is divided
        by the shares that follow from each rater on its own.
    n_strata
        The number of strata in the pool of each share.
    """

    index: IntArray
    parts: FloatArray | None
    n_strata: FloatArray

    @classmethod
    def of(cls, golds: Sequence[str], n_models: int, predicted: Sequence[tuple[str, ...]]) -> Pools:
        """Return the pools of strata; `predicted` has the labels of the raters in each stratum, those of the models first."""
        numbers: dict[tuple[Hashable, Hashable], int] = {}
        n_strata: Counter[Hashable] = Counter()
        index = np.zeros((len(predicted), len(golds)), dtype=np.intp)
        parts = np.ones((len(predicted), len(golds)))
        for c, labels in enumerate(predicted):
            pool = _pool_of(golds, n_models, labels)
            roles = _roles_of(golds, labels)
            n_strata[pool] += 1
            index[c] = [numbers.setdefault((pool, role), len(numbers)) for role in roles]
            parts[c] = [1.0 / roles.count(role) for role in roles]
        n_strata_of_share = np.array([n_strata[pool] for pool, _ in numbers], dtype=float)
        if len(golds) == 2:
            return cls(index, None, n_strata_of_share)
        return cls(index, parts, n_strata_of_share)

    @cached_property
    def _adds(self) -> Any:
        return _adder(self.index, np.arange(self.index.size), (len(self.n_strata), self.index.size))

    def sums(self, labelled: FloatArray) -> FloatArray:
        """Return labelled items, axes (..., stratum, gold), added up by share, axes (..., share)."""
        return _times(self._adds, labelled.reshape(*labelled.shape[:-2], -1))

    def means(self, shares: FloatArray) -> FloatArray:
        """Return mean shares of gold labels in the strata of each pool, axes (..., stratum, gold) to (..., share)."""
        return np.asarray(self.sums(shares) / self.n_strata)

    def shares(self, p: FloatArray, b: FloatArray) -> FloatArray:
        r"""Return :math:`m_c \propto p_c b_c / \bar b_c`: the pool's shares p of gold labels as shares in each stratum.

        Parameters
        ----------
        p
            The pool's shares of gold labels, up to a factor of each pool, axes (..., share).
        b
            The shares if raters err independently, axes (..., stratum, gold).
        """
        parts = b if self.parts is None else self.parts
        p_by_mean = ratio(p, self.means(parts))  # (..., share)
        m = p_by_mean[..., self.index] * parts  # (..., stratum, gold)
        return np.asarray(m / m.sum(axis=-1, keepdims=True))


def _pool_of(golds: Sequence[str], n_models: int, labels: tuple[str, ...]) -> Hashable:
    """Return the key of a stratum's pool, equal for all its strata."""
    if len(golds) == 2:
        by_models = labels[:n_models]
        by_judge = labels[n_models:]
        return by_judge, by_models.count(golds[1])
    # Who agrees with whom, whatever the label is: for each rater, the first one that predicts the same label.
    return tuple(labels.index(label) for label in labels)


def _roles_of(golds: Sequence[str], labels: tuple[str, ...]) -> list[Hashable]:
    """Return the role of each gold label in its stratum."""
    if len(golds) == 2:
        return list(golds)
    first_rater: dict[str, Hashable] = {label: labels.index(label) for label in labels}
    return [first_rater.get(gold, "predicted by nobody") for gold in golds]


def _adder(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """Return indicators for `_times`; a small matrix is dense, as a sparse one would take ten times as long."""
    matrix = indicators(rows, columns, shape)
    if shape[0] * shape[1] <= _DENSE:
        return matrix.toarray()
    return matrix


def _times(matrix: Any, numbers: FloatArray) -> FloatArray:
    """Return a matrix times numbers, axes (..., column) to (..., row)."""
    flat = numbers.reshape(-1, numbers.shape[-1])
    product = np.ascontiguousarray((matrix @ flat.T).T)
    return product.reshape(*numbers.shape[:-1], matrix.shape[0])
