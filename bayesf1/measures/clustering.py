r"""How well a clustering agrees with a gold one: by pairs of items, and by purity.

These are numbers, never an `Evaluation`: two pairs that share an item are dependent, so a table of pairs is not a
table of independent trials, and a posterior from it would be far too sure. To compare two systems, score each
document and compare the documents' scores.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from bayesf1.base.arrays import IntArray
from bayesf1.base.checks import ArrayLike
from bayesf1.io.label_values import read_labels

SoftClusters: TypeAlias = Sequence[Mapping[Any, float]] | Sequence[Collection[Any]]

# Pairs of overlapping clusters are listed, at about 100 bytes each.
_MOST_PAIRS = 10_000_000


@dataclass(frozen=True)
class PairScores:
    r"""Agreement of two clusterings on pairs of items.

    A pair is positive where a clustering puts both items together. Where a ratio is 0/0 it is 0.

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
        The cluster of each item, as any kind of label; what clusters are called does not matter.

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
    _, _, counts, *margins = _contingency(gold, predicted)
    tp, together, found, whole = map(_pairs, (counts, *margins, counts.sum()))
    return PairScores(tp, found - tp, together - tp, whole - together - found + tp)


def soft_pair_scores(gold: SoftClusters, predicted: SoftClusters) -> PairScores:
    r"""Compare clusters that may overlap by pairs of items.

    A pair counts once, in however many clusters of one side it is together: with :math:`P` the union of the pairs of the
    predicted and :math:`P_G` of the gold clusters, :math:`TP = |P \cap P_G|`, :math:`FP = |P \setminus P_G|` and
    :math:`FN = |P_G \setminus P|`. Larger clusters that overlap more are not punished for it.

    Parameters
    ----------
    gold, predicted
        Clusters: sets of elements, or mappings of element to weight, of which those above 0 belong.

    Examples
    --------
    >>> gold = [{"bank", "lender"}, {"bank", "riverside", "shore"}]
    >>> soft_pair_scores(gold, [{"bank", "lender", "shore"}, {"riverside", "shore"}])
    PairScores(tp=3, fp=1, fn=1, tn=1)

    References
    ----------
    Manandhar et al. (2010), SemEval.
    """
    found = [_weights(gold, "gold"), _weights(predicted, "predicted")]
    elements = {element for side in found for cluster in side for element in cluster}
    place = {element: i for i, element in enumerate(elements)}
    if any(sum(len(c) ** 2 for c in side) > 2 * _MOST_PAIRS for side in found):
        raise ValueError(f"there are more than {_MOST_PAIRS:,} pairs in clusters; compare parts of them")
    together, put = (
        {pair for c in side for pair in combinations(sorted(place[element] for element in c), 2)}
        for side in found
    )
    tp, n = len(together & put), len(place)
    return PairScores(tp, len(put) - tp, len(together) - tp, n * (n - 1) // 2 - len(together | put))


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
    gold_of, predicted_of, counts, by_gold, by_predicted = _contingency(gold, predicted)
    purest, fullest = np.zeros(len(by_predicted)), np.zeros(len(by_gold))
    np.maximum.at(purest, predicted_of, counts)
    np.maximum.at(fullest, gold_of, counts)
    return PurityScores(float(purest.sum() / counts.sum()), float(fullest.sum() / counts.sum()))


def soft_purity_scores(gold: SoftClusters, predicted: SoftClusters) -> PurityScores:
    r"""Compare soft clusters by normalised modified purity (nmPU) and normalised inverse purity (niPU).

    .. math::

        nmPU = \frac1N \sum_{i: |C^i| > 1} \max_j \delta_{C^i}(C^i \cap C_G^j), \quad
        niPU = \frac{1}{N_G} \sum_j \max_i \delta_{C_G^j}(C^i \cap C_G^j)

    where :math:`\delta_C(S)` sums the weights that the elements of S have in C, and :math:`N, N_G` are the total
    weights of the predicted and the gold clusters: the number of elements, where the weights of each element sum to
    one. Clusters of a single element are pure by nature and add nothing to nmPU. (Ustalov's slides (2022) divide by
    the number of clusters, but their example divides by the weight.)

    Parameters
    ----------
    gold, predicted
        Clusters: mappings of element to its weight, taken as they are; or sets, where the weight of an element is
        one over the number of its clusters.

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
    gold_weights, predicted_weights = _weights(gold, "gold"), _weights(predicted, "predicted")
    return PurityScores(
        _kept_together(predicted_weights, gold_weights, least=2),
        _kept_together(gold_weights, predicted_weights, least=1),
    )


def _contingency(gold: ArrayLike, predicted: ArrayLike) -> tuple[IntArray, ...]:
    """Return the cells of the contingency table that hold items (gold, predicted, count), and both margins."""
    labels = read_labels(gold, "gold"), read_labels(predicted, "predicted")
    sizes = [*map(len, labels)]
    if sizes[0] != sizes[1] or not sizes[0]:
        raise ValueError(f"predicted has {sizes[1]} items, but gold has {sizes[0]}; give the same items")
    (_, rows, by_gold), (_, columns, by_predicted) = (
        np.unique(column, return_inverse=True, return_counts=True) for column in labels
    )
    codes, counts = np.unique(rows.ravel() * len(by_predicted) + columns.ravel(), return_counts=True)
    return *np.divmod(codes, len(by_predicted)), counts, by_gold, by_predicted


def _pairs(counts: IntArray) -> int:
    return int((counts * (counts - 1) // 2).sum())


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _weights(clusters: Any, name: str) -> list[dict[Any, float]]:
    """Return clusters as weights by element, or say what is wrong with them."""
    listed = [*clusters] if isinstance(clusters, Sequence) and not isinstance(clusters, str) else []
    weighted = {isinstance(c, Mapping) for c in listed}
    if len(weighted) != 1 or any(isinstance(c, str) or not isinstance(c, Collection) for c in listed):
        raise ValueError(f"{name} must be a list of clusters, all mappings of element to weight or all sets")
    try:
        if weighted == {False}:
            times = Counter(element for c in listed for element in {*c})
            listed = [{element: 1.0 / times[element] for element in c} for c in listed]
        found = [{element: float(weight) for element, weight in c.items()} for c in listed]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must have names as elements and numbers as weights ({error})") from None
    weights = [weight for c in found for weight in c.values()]
    if not any(weights) or not all(0.0 <= weight < np.inf for weight in weights):
        raise ValueError(f"weights of {name} must be finite and not negative, and one of them above 0")
    return [{element: weight for element, weight in c.items() if weight} for c in found]


def _kept_together(clusters: list[dict[Any, float]], others: list[dict[Any, float]], least: int) -> float:
    """Return the share of weight in the other cluster that mostly holds a cluster's, of clusters with `least` elements."""
    found_in = defaultdict(list)
    for j, other in enumerate(others):
        for element in other:
            found_in[element].append(j)
    kept = 0.0
    for cluster in clusters:
        if len(cluster) >= least:
            shared: Counter[int] = Counter()
            for element, weight in cluster.items():
                shared.update(dict.fromkeys(found_in[element], weight))
            kept += max(shared.values(), default=0.0)
    return kept / sum(sum(cluster.values()) for cluster in clusters)
