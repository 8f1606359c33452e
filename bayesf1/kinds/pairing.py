r"""What two tables of one test set leave open: the range of a paired probability over all pairings of items.

The tables do not say on which items the models agree, but they bound it: both were right on at least
:math:`\max(0, TP_A + TP_B - n_+)` items and at most :math:`\min(TP_A, TP_B)`, and likewise for false positives. Over this
rectangle of overlaps the probability is smooth, and mostly monotone, but its extremes may lie inside. So it is
computed on a few lines of either overlap and interpolated between them, with more lines where the interpolant is extreme
and wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.kind import PairingBounds
from bayesf1.evaluation.metric import Metric
from bayesf1.kinds.joint import JointCounts, paired_sf

# Lines of each overlap on which the probability is computed.
_LINES = 5
# Overlaps among which the extremes are sought, at most, in each direction.
_CANDIDATES = 65
# Lines are added where the interpolant is extreme, so often at most, until it is right there to this much.
_ROUNDS, _GOAL = 4, 1e-4
# What a probability without a stated error may be off by.
_LEAST_ERROR = 1e-7


class _Overlap(NamedTuple):
    """What is known of the items that two models share: how many each has, and how many they share at least and most."""

    a: float
    b: float
    least: float
    most: float

    @property
    def candidates(self) -> FloatArray:
        """Overlaps to choose from, whole numbers where counts are whole, dense where few items are discordant."""
        whole = all(float(x).is_integer() for x in self)
        if whole and self.most - self.least < _CANDIDATES:
            return np.arange(self.least, self.most + 1.0)
        low, high = self.scale(np.array([self.most, self.least]))
        shared = 0.5 * (self.a + self.b + 1.0 - np.linspace(low, high, _CANDIDATES) ** 2)
        shared = np.clip(np.round(shared) if whole else shared, self.least, self.most)
        return np.unique(shared)

    def scale(self, shared: FloatArray) -> FloatArray:
        """Return the root of how many items are discordant, in which a probability is smooth."""
        return np.sqrt(self.a + self.b + 1.0 - 2.0 * shared)

    @property
    def lines(self) -> FloatArray:
        """A few of the candidates, both ends among them, close to each other near the ends."""
        found = self.candidates
        at = 0.5 - 0.5 * np.cos(np.pi * np.linspace(0.0, 1.0, _LINES))
        return np.unique(found[np.round(at * (len(found) - 1)).astype(int)])


def pairing_bounds(
    table_a: FloatArray,
    table_b: FloatArray,
    measure: Metric,
    cells: tuple[str, ...],
    *,
    prior: float,
    rng: np.random.Generator,
) -> PairingBounds:
    """Return the range of P(ν_B > ν_A) over all pairings of items that two tables allow, and its error.

    Examples
    --------
    >>> from bayesf1.kinds.binary_measures import find_metric
    >>> rng, cells = np.random.default_rng(0), ("tp", "fp", "fn", "tn")
    >>> a, b = np.array([35.0, 57.0, 5.0, 83.0]), np.array([32.0, 49.0, 8.0, 91.0])
    >>> low, high = pairing_bounds(a, b, find_metric("f1"), cells, prior=1.0, rng=rng)
    >>> round(low, 4), round(high, 4)
    (0.4899, 0.5032)
    """
    a, b = (dict(zip(cells, table.tolist(), strict=True)) for table in (table_a, table_b))
    gold = _common_total(a["tp"] + a["fn"], b["tp"] + b["fn"], "gold positives (tp+fn)")
    negatives = np.inf
    if "tn" in cells:
        negatives = _common_total(a["fp"] + a["tn"], b["fp"] + b["tn"], "gold negatives (fp+tn)")
    found = _overlap(a["tp"], b["tp"], gold)
    claimed = _overlap(a["fp"], b["fp"], negatives)
    seed = int(rng.integers(1 << 62))

    def at(both: float, claimed_both: float) -> tuple[float, float]:
        counts = JointCounts(
            both=both,
            only_a=a["tp"] - both,
            only_b=b["tp"] - both,
            neither=max(0.0, gold - a["tp"] - b["tp"] + both),
            claimed_both=claimed_both,
            claimed_a=a["fp"] - claimed_both,
            claimed_b=b["fp"] - claimed_both,
            left_alone=max(0.0, negatives - a["fp"] - b["fp"] + claimed_both) if "tn" in cells else 0.0,
        )
        # The same shifts everywhere, so that what is compared differs by no noise.
        shifts = np.random.default_rng(seed)
        value, error = paired_sf(counts, measure, cells, 0.0, prior=prior, rng=shifts)
        return float(value), float(error)

    known: dict[tuple[float, float], tuple[float, float]] = {}

    def computed(both: float, claimed_both: float) -> float:
        place = float(both), float(claimed_both)
        if place not in known:
            known[place] = at(*place)
        return known[place][0]

    x, y = found.lines, claimed.lines
    for _ in range(_ROUNDS):
        values = np.array([[computed(both, shared) for shared in y] for both in x])
        between = _interpolated(values, (found, claimed), (x, y))
        misses = []
        for best in (np.argmin, np.argmax):
            i, j = np.unravel_index(int(best(between)), between.shape)
            place = found.candidates[i], claimed.candidates[j]
            misses.append((abs(computed(*place) - float(between[i, j])), place))
        miss, place = max(misses)
        if miss <= _GOAL:
            break
        x, y = np.union1d(x, place[0]), np.union1d(y, place[1])
    everywhere = [value for value, _ in known.values()]
    error = max(error for _, error in known.values())
    return PairingBounds(min(everywhere), max(everywhere), max(error, miss, _LEAST_ERROR))


def _overlap(a: float, b: float, total: float) -> _Overlap:
    return _Overlap(a, b, max(0.0, a + b - total), min(a, b))


def _interpolated(
    values: FloatArray, overlaps: tuple[_Overlap, _Overlap], lines: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Return probabilities at all candidates by polynomials through the lines, in normal scores."""
    scores = special.ndtri(np.clip(values, 1e-12, 1.0 - 1e-12))
    left, right = (
        _lagrange(overlap.scale(overlap.candidates), overlap.scale(at))
        for overlap, at in zip(overlaps, lines, strict=True)
    )
    return np.asarray(special.ndtr(left @ scores @ right.T))


def _lagrange(x: FloatArray, nodes: FloatArray) -> FloatArray:
    """Return the values at x of the polynomials that are 1 at one node and 0 at the others, axes (point, node)."""
    gaps = nodes[:, None] - nodes
    np.fill_diagonal(gaps, 1.0)
    products = [np.prod(np.delete(x[:, None] - nodes, i, axis=1), axis=1) for i in range(len(nodes))]
    return np.asarray(np.stack(products, axis=1) / gaps.prod(axis=1))


def _common_total(a: float, b: float, what: str) -> float:
    if not np.isclose(a, b, rtol=1e-9, atol=1e-9):
        raise ValueError(
            f"the tables have {a:g} and {b:g} {what}, so they are not from one test set and there is no "
            "pairing to bound"
        )
    return a
