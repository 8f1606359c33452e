r"""The law of what random swaps of two models' outputs do to their tables.

Swapping unit u moves its net effect :math:`d_u = x_{B,u} - x_{A,u}` from one table to the other, so the tables are
:math:`M - S` and :math:`M + S` with :math:`M` their mean and :math:`S = \sum_p (K_p - n_p/2)\, d_p`, where
:math:`n_p` units share the net effect :math:`\pm d_p` and :math:`K_p \sim \mathrm{Binomial}(n_p, 1/2)` of them are
not swapped. The number of units appears in no cost but that of the binomials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.evaluation.units import distinct_rows
from bayesf1.frequentist.coins import toss

# Sums that are listed one by one, sums on a lattice, and additions to get there: about a second at most.
_LISTED = 1 << 20
_LATTICE = 1 << 21
_WORK = 1 << 29
# Sums that are looked at together.
_BLOCK = 1 << 18
# Beyond this many coins a binomial coefficient is larger than the largest number.
_COINS = 1000
# From so many single units on their coins are tossed by bytes.
_MANY_COINS = 2048

# A number for each S, axes (trial, cell) to (trial,).
Statistic: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Swaps:
    """Units by the net effect of swapping them: how many have it, or its mirror image."""

    # What a unit adds to B's table beyond A's, axes (pattern, cell); a pattern and its mirror image are one.
    net: Any
    counts: FloatArray

    def exact_share(self, happens: Callable[[FloatArray], NDArray[np.bool_]]) -> float | None:
        """Return the probability of an event of S, or None where there are too many S to count."""
        law = self.null()
        if law is None:
            return None
        sums, mass = law
        parts = (slice(start, start + _BLOCK) for start in range(0, len(mass), _BLOCK))
        return sum(float(mass[part][happens(sums[part])].sum()) for part in parts)

    def null(self) -> tuple[FloatArray, FloatArray] | None:
        """Return every S with its probability, or None where there are too many."""
        if isinstance(self.net, np.ndarray):
            if np.log1p(self.counts).sum() <= math.log(_LISTED):
                return self._listed()
            if np.array_equal(self.net, np.rint(self.net)):
                return self._on_lattice()
        return None

    def _listed(self) -> tuple[FloatArray, FloatArray]:
        sums, mass = np.zeros((1, self.net.shape[1])), np.ones(1)
        for net, n in zip(self.net, self.counts.astype(int), strict=True):
            steps = np.arange(n + 1) - 0.5 * n
            sums = (sums[:, None, :] + steps[:, None] * net).reshape(-1, len(net))
            mass = np.multiply.outer(mass, fair_binomial(n)).ravel()
        return sums, mass

    def _on_lattice(self) -> tuple[FloatArray, FloatArray] | None:
        """Add the units up pattern by pattern, where their sums are whole numbers and often coincide."""
        cells = _independent_columns(self.net, self.counts)
        net, counts = np.rint(self.net[:, cells]).astype(np.int64), self.counts.astype(np.int64)
        widths = counts @ np.abs(net) + 1
        if np.log(widths.astype(float)).sum() > math.log(_LATTICE):
            return None
        # A sum is one number with the cells as its digits; patterns are turned so that it grows.
        strides = np.cumprod(np.concatenate([[1], widths[:-1]]))
        turn = np.where(net @ strides < 0, -1, 1)
        net = turn[:, None] * net
        steps = net @ strides
        # Patterns of many units go first, while the array is short.
        order = np.argsort(-counts, kind="stable")
        lengths = 1 + np.concatenate([[0], np.cumsum((steps * counts)[order])])
        if ((counts[order] + 1.0) * lengths[:-1]).sum() > _WORK:
            return None
        mass = np.ones(1)
        for step, n, length in zip(steps[order], counts[order], lengths[1:], strict=True):
            longer = np.zeros(length)
            for k, weight in enumerate(fair_binomial(int(n))):
                longer[k * step : k * step + len(mass)] += weight * mass
            mass = longer
        codes = np.flatnonzero(mass)
        lowest = counts @ np.minimum(net, 0)
        digits = (codes - lowest @ strides)[:, None] // strides % widths
        to_all_cells = np.linalg.lstsq(net.astype(float), turn[:, None] * self.net, rcond=None)[0]
        return (digits + lowest - 0.5 * (counts @ net)) @ to_all_cells, mass[codes]

    def trials(self, n_trials: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield blocks of S under random swaps, axes (trial, cell)."""
        singles = self.counts == 1.0
        if singles.sum() >= _MANY_COINS and isinstance(self.net, np.ndarray):
            several = Swaps(self.net[~singles], self.counts[~singles])
            for n in blocks_of(n_trials, self.net.shape[1]):
                rest = np.concatenate(list(several.trials(n, rng)))
                yield rest + toss(self.net[singles], n, rng)
            return
        for n in blocks_of(n_trials, len(self.counts) + self.net.shape[1]):
            kept = np.empty((n, len(self.counts)))
            # A coin is several times faster than a binomial variate, and most kinds of sentences occur once.
            kept[:, singles] = rng.integers(0, 2, size=(n, int(singles.sum())), dtype=np.int8)
            several = self.counts[~singles].astype(np.int64)
            kept[:, ~singles] = rng.binomial(several, 0.5, (n, len(several)))
            yield np.asarray((kept - 0.5 * self.counts) @ self.net)


def merge_mirrored(net: FloatArray, weights: FloatArray) -> Swaps:
    """Drop the units that a swap does not change, and merge those that it changes alike, up to the sign.

    Examples
    --------
    >>> swaps = merge_mirrored(np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]]), np.array([3.0, 2.0, 9.0]))
    >>> swaps.net, swaps.counts
    (array([[ 1., -1.]]), array([5.]))
    """
    used = net.any(axis=1) & (weights > 0)
    net, weights = net[used], weights[used]
    first = net[np.arange(len(net)), (net != 0).argmax(axis=1)]
    turned = np.sign(first)[:, None] * net
    places, which = distinct_rows(turned)
    return Swaps(turned[places], np.bincount(which, weights=weights, minlength=len(places)).astype(float))


def fair_binomial(n: int) -> FloatArray:
    """Return the probabilities of 0 to n heads of n fair coins, to relative precision.

    Examples
    --------
    >>> fair_binomial(3)
    array([0.125, 0.375, 0.375, 0.125])
    """
    if n <= _COINS:
        return np.asarray(special.binom(n, np.arange(n + 1)) * 0.5**n)
    # Ratios of neighbours, from the middle outwards; log-gamma functions would lose digits.
    k = np.arange(n // 2, n)
    upper = np.concatenate([[1.0], np.cumprod((n - k) / (k + 1.0))])
    both = np.concatenate([upper[:0:-1], upper[n % 2 :]])
    return np.asarray(both / both.sum())


def _independent_columns(net: FloatArray, counts: FloatArray) -> NDArray[np.intp]:
    """Return the cells that determine all others, those of the smallest sums first."""
    # A missed item is one found less: of the cells of a table of fixed gold, half say nothing new.
    chosen: list[int] = []
    for j in np.argsort(counts @ np.abs(net), kind="stable"):
        if np.linalg.matrix_rank(net[:, [*chosen, j]]) > len(chosen):
            chosen.append(int(j))
    return np.array(chosen)
