r"""How well a clustering agrees with a gold one: by pairs of items, and by purity.

These are numbers, never an `Evaluation`: two pairs that share an item are dependent, so a table of pairs is not a
table of independent trials, and a posterior from it would be far too narrow. To compare two models, score each
document and compare the documents' scores.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.arrays import IntArray
from bayesf1.base.checks import ArrayLike
from bayesf1.base.naming import quoted
from bayesf1.io.label_values import read_labels

SoftClusters: TypeAlias = Sequence[Mapping[Any, float]] | Sequence[Collection[Any]]

# Pairs of overlapping clusters are listed, at about 100 bytes each.
_MOST_PAIRS = 10_000_000


@dataclass(frozen=True)
class PairScores:
    r"""Agreement of two clusterings on pairs of items.

    A pair is positive if a clustering puts both items together. A ratio of 0/0 is 0.

    Attributes
    ----------
    tp, fp, fn, tn
        Pairs together in both, only in the predicted, only in the gold, and in neither clustering. They are dependent,
        hence no counts for a posterior.
    """

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def precision(self) -> float:
        """Share of the pairs put together that belong together."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of the pairs that belong together that are put together."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall: the paired F-score of Manandhar et al. (2010)."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)


@dataclass(frozen=True)
class PurityScores:
    """Purity of a clustering, and how much of the gold clusters it keeps together.

    Attributes
    ----------
    purity
        Share of items in the gold cluster that their predicted cluster mostly holds.
    inverse_purity
        Share of items in the predicted cluster that mostly holds their gold cluster.
    """

    purity: float
    inverse_purity: float

    @property
    def f1(self) -> float:
        """Harmonic mean of purity and inverse purity, 0 where both are 0."""
        return _share(2.0 * self.purity * self.inverse_purity, self.purity + self.inverse_purity)


def pair_scores(gold: ArrayLike, predicted: ArrayLike) -> PairScores:
    r"""Compare two partitions of the same items by pairs of items.

    With :math:`n_{ij}` items in gold cluster i and predicted cluster j, there are
    :math:`TP = \sum_{ij} \binom{n_{ij}}{2}` pairs together in both, :math:`\sum_j \binom{n_{\cdot j}}{2}` in the
    predicted and :math:`\sum_i \binom{n_{i\cdot}}{2}` in the gold clustering. No pair is ever listed.

    Parameters
    ----------
    gold, predicted
        The cluster of each item, as any kind of label; the names of clusters do not matter.

    Examples
    --------
    >>> pairs = pair_scores([0, 0, 0, 1, 1, 1], ["a", "a", "b", "b", "c", "c"])
    >>> pairs
    PairScores(tp=2, fp=1, fn=4, tn=8)
    >>> pairs.precision, pairs.recall
    (0.666..., 0.333...)

    References
    ----------
    Manandhar et al. (2010), SemEval.
    """
    table = _contingency(gold, predicted)
    tp = _n_pairs(table.counts)
    n_gold = _n_pairs(table.gold_sizes)
    n_predicted = _n_pairs(table.predicted_sizes)
    n_all = _n_pairs(table.counts.sum())
    return PairScores(tp, fp=n_predicted - tp, fn=n_gold - tp, tn=n_all - n_gold - n_predicted + tp)


def soft_pair_scores(gold: SoftClusters, predicted: SoftClusters) -> PairScores:
    r"""Compare clusters that may overlap by pairs of items.

    A pair counts once, even if several clusters of one side contain it: with :math:`P` the union of the pairs of the
    predicted and :math:`P_G` of the gold clusters, :math:`TP = |P \cap P_G|`, :math:`FP = |P \setminus P_G|` and :math:`FN =
    |P_G \setminus P|`. Larger clusters that overlap more are not punished for it.

    Parameters
    ----------
    gold, predicted
        Clusters: sets of elements, or mappings of element to weight, where elements with a weight above 0 belong.

    Examples
    --------
    >>> gold = [{"bank", "lender"}, {"bank", "riverside", "shore"}]
    >>> soft_pair_scores(gold, [{"bank", "lender", "shore"}, {"riverside", "shore"}])
    PairScores(tp=3, fp=1, fn=1, tn=1)

    References
    ----------
    Manandhar et al. (2010), SemEval.
    """
    gold_clusters = _weights(gold, "gold")
    predicted_clusters = _weights(predicted, "predicted")
    number: dict[Any, int] = {}
    for cluster in (*gold_clusters, *predicted_clusters):
        for element in cluster:
            number.setdefault(element, len(number))
    gold_pairs = _listed_pairs(gold_clusters, number)
    predicted_pairs = _listed_pairs(predicted_clusters, number)
    tp = len(gold_pairs & predicted_pairs)
    fp = len(predicted_pairs) - tp
    fn = len(gold_pairs) - tp
    n_elements = len(number)
    n_all = n_elements * (n_elements - 1) // 2
    return PairScores(tp, fp, fn, tn=n_all - tp - fp - fn)


def purity_scores(gold: ArrayLike, predicted: ArrayLike) -> PurityScores:
    r"""Compare two partitions of the same items by purity.

    .. math:: PU = \frac1N \sum_i \max_j |C^i \cap C_G^j|, \quad iPU = \frac1N \sum_j \max_i |C^i \cap C_G^j|

    with N items. (Ustalov's slides (2022) divide by the number of clusters, which can give more than 1.)

    Parameters
    ----------
    gold, predicted
        The cluster of each item, as any kind of label.

    Examples
    --------
    >>> purity_scores([0, 0, 0, 1, 1, 1], ["a", "a", "b", "b", "c", "c"])
    PurityScores(purity=0.833..., inverse_purity=0.666...)

    References
    ----------
    Manning, Raghavan & Schütze (2008), chapter 16.
    """
    table = _contingency(gold, predicted)
    largest_in_predicted = np.zeros(len(table.predicted_sizes))
    np.maximum.at(largest_in_predicted, table.predicted, table.counts)
    largest_in_gold = np.zeros(len(table.gold_sizes))
    np.maximum.at(largest_in_gold, table.gold, table.counts)
    n_items = table.counts.sum()
    return PurityScores(float(largest_in_predicted.sum() / n_items), float(largest_in_gold.sum() / n_items))


def soft_purity_scores(gold: SoftClusters, predicted: SoftClusters) -> PurityScores:
    r"""Compare soft clusters by normalised modified purity (nmPU) and normalised inverse purity (niPU).

    .. math::

        nmPU = \frac1N \sum_{i: |C^i| > 1} \max_j \delta_{C^i}(C^i \cap C_G^j), \quad
        niPU = \frac{1}{N_G} \sum_j \max_i \delta_{C_G^j}(C^i \cap C_G^j)

    where :math:`\delta_C(S)` sums the weights that the elements of S have in C, and :math:`N, N_G` are the total weights of
    the predicted and the gold clusters: the number of elements, if the weights of each element sum to one. Clusters of a
    single element are pure by nature and add nothing to nmPU. (Ustalov's slides (2022) divide by the number of clusters, but
    their example divides by the weight.)

    Parameters
    ----------
    gold, predicted
        Clusters: mappings of element to weight, used as they are; or sets, in which the weight of an element is one over the
        number of its clusters.

    Examples
    --------
    >>> gold = [{"bank"}, {"riverbank", "streambank", "streamside"}, {"building", "bank building"}]
    >>> predicted = [
    ...     {"bank": 0.5, "riverbank": 1, "streambank": 1, "streamside": 1},
    ...     {"bank": 0.5, "building": 1, "bank building": 1},
    ... ]
    >>> scores = soft_purity_scores(gold, predicted)
    >>> scores, scores.f1
    (PurityScores(purity=0.833..., inverse_purity=1.0), 0.909...)

    References
    ----------
    Kawahara, Peterson & Palmer (2014), ACL; Ustalov et al. (2019), Computational Linguistics.
    """
    gold_weights = _weights(gold, "gold")
    predicted_weights = _weights(predicted, "predicted")
    return PurityScores(
        _kept_together(predicted_weights, gold_weights, least=2),
        _kept_together(gold_weights, predicted_weights, least=1),
    )


class _Contingency(NamedTuple):
    """The cells of a contingency table that are not empty, and the sizes of the clusters."""

    # The clusters of each cell, by their numbers, and its number of items.
    gold: IntArray
    predicted: IntArray
    counts: IntArray
    # The number of items in each cluster.
    gold_sizes: IntArray
    predicted_sizes: IntArray


def _contingency(gold: ArrayLike, predicted: ArrayLike) -> _Contingency:
    """Return the contingency table of two partitions; raise a ValueError if their items differ in number."""
    gold_labels = read_labels(gold, "gold")
    predicted_labels = read_labels(predicted, "predicted")
    if len(gold_labels) != len(predicted_labels) or len(gold_labels) == 0:
        raise ValueError(
            f"predicted has {len(predicted_labels)} items, but gold has {len(gold_labels)}; give the same items"
        )
    _, rows, gold_sizes = np.unique(gold_labels, return_inverse=True, return_counts=True)
    _, columns, predicted_sizes = np.unique(predicted_labels, return_inverse=True, return_counts=True)
    codes, counts = np.unique(rows.ravel() * len(predicted_sizes) + columns.ravel(), return_counts=True)
    gold_of_cell, predicted_of_cell = np.divmod(codes, len(predicted_sizes))
    return _Contingency(gold_of_cell, predicted_of_cell, counts, gold_sizes, predicted_sizes)


def _n_pairs(sizes: IntArray) -> int:
    """Return the number of pairs within clusters of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def _listed_pairs(clusters: Sequence[Collection[Any]], number: Mapping[Any, int]) -> set[tuple[int, int]]:
    """Return the pairs of elements, by their numbers, that are together in some cluster."""
    if sum(len(cluster) ** 2 for cluster in clusters) > 2 * _MOST_PAIRS:
        raise ValueError(f"there are more than {_MOST_PAIRS:,} pairs in clusters; compare parts of them")
    pairs: set[tuple[int, int]] = set()
    for cluster in clusters:
        pairs.update(combinations(sorted(number[element] for element in cluster), 2))
    return pairs


def _share(part: float, whole: float) -> float:
    """Return a ratio, 0 for 0/0."""
    return part / whole if whole else 0.0


def _weights(clusters: Any, name: str) -> list[dict[Any, float]]:
    """Return clusters as weights by element; raise a ValueError if they are not clusters."""
    listed: list[Any] = []
    if isinstance(clusters, Sequence) and not isinstance(clusters, str):
        listed = [*clusters]
    are_mappings = {isinstance(cluster, Mapping) for cluster in listed}
    if len(are_mappings) != 1 or any(isinstance(c, str) or not isinstance(c, Collection) for c in listed):
        raise ValueError(f"{name} must be a list of clusters, all mappings of element to weight or all sets")
    try:
        if are_mappings == {False}:
            n_clusters = Counter(element for cluster in listed for element in {*cluster})
            listed = [{element: 1.0 / n_clusters[element] for element in cluster} for cluster in listed]
        weights = [{element: float(weight) for element, weight in cluster.items()} for cluster in listed]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must have names as elements and numbers as weights ({error})") from None
    rule = f"weights of {name} must be finite and not negative, and one of them above 0"
    for i, cluster in enumerate(weights, 1):
        for element, weight in cluster.items():
            if not 0.0 <= weight < np.inf:
                raise ValueError(f"{rule}, but {quoted(element)} in cluster {i} has {weight:g}")
    belonging = [
        {element: weight for element, weight in cluster.items() if weight > 0.0} for cluster in weights
    ]
    if not any(belonging):
        raise ValueError(rule)
    return belonging


def _kept_together(clusters: list[dict[Any, float]], others: list[dict[Any, float]], least: int) -> float:
    """Return the share of weight that each cluster has in common with the other cluster that shares most of it.

    Clusters with fewer than `least` elements have nothing in common with others.
    """
    holders = defaultdict(list)
    for j, other in enumerate(others):
        for element in other:
            holders[element].append(j)
    kept = 0.0
    for cluster in clusters:
        if len(cluster) >= least:
            # The weight that the cluster shares with each of the others, by their numbers.
            shared: Counter[int] = Counter()
            for element, weight in cluster.items():
                shared.update(dict.fromkeys(holders[element], weight))
            kept += max(shared.values(), default=0.0)
    return kept / sum(sum(cluster.values()) for cluster in clusters)
