r"""What may be said of many models at once, from joint posterior draws of their scores.

Statements that each hold with probability .95 do not all hold with probability .95. Here the probability is that of
all statements together: of a set that has the best model in it, of who beats whom, and of the whole order.

Who beats whom is read from a region that holds the differences of all pairs together,

.. math:: P\Bigl(\max_{i<j} \frac{|\delta_{ij} - \bar\delta_{ij}|}{s_{ij}} \le c\Bigr) = .95, \qquad
          \text{i beats j where } \bar\delta_{ij} - c\, s_{ij} > 0,

as with Tukey's test of all pairs. Whatever is read from it holds jointly; to pick those pairs that happen to be sure would
find some among any twenty equal models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import joined

_NUMBERS = ("", "", "", "", "four", "five", "six", "seven", "eight", "nine", "ten")
# More would not be read.
_SHOWN = 4
_NAMED = 3


@dataclass(frozen=True, eq=False)
class JointClaims:
    """Statements that hold together.

    Attributes
    ----------
    among_best, p_among_best
        The smallest set of systems, as found one after the other, that has one in it which no other beats by more than
        the margin, and with which probability.
    beats, p_beats
        Which systems (rows) beat which (columns) by more than the margin, and with which probability all of them do.
    p_order
        Probability that no system beats one before it by more than the margin.
    """

    among_best: NDArray[np.bool_]
    p_among_best: float
    beats: NDArray[np.bool_]
    p_beats: float
    p_order: float


def joint_claims(scores: FloatArray, margin: float, prob: float) -> JointClaims:
    """Return what may be said with a joint probability of at least `prob`.

    Parameters
    ----------
    scores
        Draws of scores that are the better the higher, axes (draw, system), systems in the order of the ranking.
    margin
        What a system must be better by.
    prob
        The probability of all that is said together.

    Examples
    --------
    >>> draws = np.random.default_rng(1).normal([2.0, 1.9, 0.0], 0.3, size=(10_000, 3))
    >>> found = joint_claims(draws, 0.0, 0.95)
    >>> found.among_best.tolist(), found.beats.tolist()
    ([True, True, False], [[False, False, True], [False, False, True], [False, False, False]])
    """
    among, p_among = _with_the_best(scores, margin, prob)
    beats, p_beats = _all_true(scores, margin, prob)
    return JointClaims(among, p_among, beats, p_beats, _p_order(scores, margin))


def _p_order(scores: FloatArray, margin: float) -> float:
    """Return how often no system is beaten by one that comes later, hence not by the best of these."""
    later, kept = scores[:, -1].copy(), np.ones(len(scores), dtype=bool)
    for one in scores[:, -2::-1].T:
        kept &= later <= one + margin
        np.maximum(later, one, out=later)
    return float(kept.mean())


def _with_the_best(scores: FloatArray, margin: float, prob: float) -> tuple[NDArray[np.bool_], float]:
    """Add one system after the other, that which covers most draws, until enough of them have a best one."""
    most = scores.max(axis=1)
    best = np.stack([most <= one + margin for one in scores.T], axis=1)
    if margin == 0.0:
        # Of those that tie in a draw the first is the best.
        best = best.argmax(axis=1)[:, None] == np.arange(scores.shape[1])
    chosen, open_ = np.zeros(scores.shape[1], dtype=bool), np.ones(len(scores), dtype=bool)
    while (covered := 1.0 - float(open_.mean())) < prob:
        gain = np.where(chosen, -1.0, best[open_].sum(axis=0))
        chosen[np.argmax(gain)] = True
        open_ &= ~best[:, np.argmax(gain)]
    return chosen, covered


def _all_true(scores: FloatArray, margin: float, prob: float) -> tuple[NDArray[np.bool_], float]:
    """Return who beats whom by the region that holds all differences, and in how many draws all of that is so."""
    n, k = scores.shape
    centre = scores.mean(axis=0)
    spreads, farthest = np.zeros((k, k)), np.zeros(n)
    for i, j in combinations(range(k), 2):
        gap = np.abs(scores[:, i] - scores[:, j] - (centre[i] - centre[j]))
        spreads[i, j] = spreads[j, i] = np.sqrt(np.square(gap).mean())
        if spreads[i, j] > 0.0:
            np.maximum(farthest, gap / spreads[i, j], out=farthest)
    beats = centre[:, None] - centre - np.quantile(farthest, prob) * spreads > margin
    hold = np.ones(n, dtype=bool)
    for i, j in np.argwhere(beats):
        hold &= scores[:, i] > scores[:, j] + margin
    return beats, float(hold.mean())


def who_beats_whom(names: Sequence[str], beats: NDArray[np.bool_]) -> str:
    """Write who beats whom, those with most to beat first.

    Examples
    --------
    >>> who_beats_whom(["A", "B", "C"], np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    'A beats B and C, and B beats C'
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, row in zip(names, beats, strict=True):
        groups.setdefault(tuple(other for other, lost in zip(names, row, strict=True) if lost), []).append(
            name
        )
    groups.pop((), None)
    said = []
    for beaten, winners in groups.items():
        n = len(beaten)
        number = _NUMBERS[n] if n < len(_NUMBERS) else str(n)
        whom = f"the last {number}" if n > _NAMED and beaten == tuple(names[-n:]) else joined(beaten)
        said.append(f"{joined(winners)} {'beats' if len(winners) == 1 else 'beat'} {whom}")
    if len(said) > _SHOWN:
        said[_SHOWN:] = ["others beat those below them"]
    return ", and ".join(said) if len(said) < 3 else f"{'; '.join(said[:-1])}; and {said[-1]}"
