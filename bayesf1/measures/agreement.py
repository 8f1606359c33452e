r"""Do raters agree more than by chance? Krippendorff's alpha with an interval by the bootstrap over units.

.. math:: \alpha = 1 - \frac{D_o}{D_e} = 1 - (n-1)\frac{\sum_{ck} O_{ck}\,\delta^2_{ck}}{\sum_{ck} n_c n_k\,\delta^2_{ck}}

with the coincidence matrix O, its margins :math:`n_c`, their sum n, and a squared distance by level of measurement:
nominal :math:`1[c \ne k]`, interval :math:`(c-k)^2`, ratio :math:`((c-k)/(c+k))^2`, and ordinal
:math:`(\sum_{g=c}^k n_g - (n_c+n_k)/2)^2`, which is the interval distance of mid-ranks.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.base.checks import OneLabel, RNGLike, check_draws, check_rng, checked
from bayesf1.evaluation.under import FEW_UNITS
from bayesf1.laws.empirical import EmpiricalPosterior
from bayesf1.measures.ratings import Level, Ratings, read_ratings

# Numbers in flight in one block.
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class Coincidences:
    r"""How often values meet within units.

    Attributes
    ----------
    values
        The values, in the order of rows and columns.
    matrix
        :math:`O_{ck} = \sum_u` (pairs of ratings c, k in unit u) / (ratings of u - 1).
    n
        Number of ratings that can be paired: the sum of the matrix.
    """

    values: tuple[Any, ...]
    matrix: FloatArray
    n: int

    @property
    def agreement(self) -> float:
        """Share of pairs of ratings that are equal, not corrected for chance."""
        return float(np.trace(self.matrix)) / self.n


@checked
def krippendorff_alpha(
    ratings: ArrayLike,
    *,
    level: Level = "nominal",
    values: Sequence[Any] | None = None,
    missing: OneLabel = None,
) -> float:
    r"""Return Krippendorff's alpha: 1 where raters agree, 0 where they do as by chance, below 0 where less.

    (Ustalov's slides (2022) bound it by 0 from below; it has no such bound.)

    Parameters
    ----------
    ratings
        Values with axes (rater, unit): a row for each rater. None, NaN and what is masked are missing. Units with
        fewer than two ratings do not count.
    level
        ``"nominal"``, ``"ordinal"``, ``"interval"`` or ``"ratio"``; the last two need numbers.
    values
        The values that may occur, in their order; needed for ordinal values that are not numbers.
    missing
        Another value that stands for no rating, such as ``""``.

    Examples
    --------
    The lecture's four tasks, rated by four workers:

    >>> N, V = "NN", "VBP"
    >>> ratings = [[N, N, V, V], [None, V, V, N], [N, V, V, N], [N, N, N, V]]
    >>> krippendorff_alpha(ratings)
    0.083333...

    References
    ----------
    Krippendorff (2018), Content Analysis, 4th edition, chapter 12.
    """
    data = read_ratings(ratings, level, values, missing)
    return float(alphas(data, level, data.times[None])[0])


@checked
def alpha_posterior(
    ratings: ArrayLike,
    *,
    level: Level = "nominal",
    values: Sequence[Any] | None = None,
    missing: OneLabel = None,
    n_draws: int = 4000,
    rng: RNGLike = None,
) -> EmpiricalPosterior:
    r"""Return what is believed about alpha, by the Bayesian bootstrap over units.

    Units, not pairs of ratings, were sampled, so units are weighed: :math:`w \sim N\cdot\mathrm{Dirichlet}(1,\dots,1)`
    for N units. ``interval()`` gives the bootstrap interval, ``sf(0.8)`` the probability of a reliable annotation.
    At level ``"ratio"`` the time grows with the square of the number of different values.

    Parameters
    ----------
    ratings, level, values, missing
        As in `krippendorff_alpha`.
    n_draws, rng
        Number of draws and source of randomness.

    Examples
    --------
    >>> ratings = np.random.default_rng(1).integers(0, 2, 60) ^ (np.arange(120).reshape(2, 60) % 17 == 0)
    >>> low, high = alpha_posterior(ratings, rng=1).interval(0.95)
    >>> low < krippendorff_alpha(ratings) < high
    True
    """
    data = read_ratings(ratings, level, values, missing)
    n_draws, generator = check_draws(n_draws), check_rng(rng)
    n_units = data.times.sum()
    if n_units < FEW_UNITS:
        warnings.warn(
            f"there are only {n_units:g} units with two ratings; a bootstrap over so few is too sure of itself",
            stacklevel=2,
        )
    drawn = []
    for n in blocks_of(n_draws, len(data.codes) + len(data.values), _BLOCK):
        # Weights of units that were rated alike add up: a sum of exponential variates is a gamma variate.
        weights = generator.standard_gamma(data.times, size=(n, len(data.times)))
        weights *= n_units / weights.sum(axis=1, keepdims=True)
        drawn.append(alphas(data, level, weights))
    return EmpiricalPosterior(np.concatenate(drawn), support=(-np.inf, 1.0))


@checked
def coincidence_matrix(
    ratings: ArrayLike, *, values: Sequence[Any] | None = None, missing: OneLabel = None
) -> Coincidences:
    """Count how often values meet within units; each rating counts once in all.

    Parameters
    ----------
    ratings, values, missing
        As in `krippendorff_alpha`.

    Examples
    --------
    >>> N, V = "NN", "VBP"
    >>> met = coincidence_matrix([[N, N, V, V], [None, V, V, N], [N, V, V, N], [N, N, N, V]])
    >>> met.values, met.matrix.round(2), met.n
    (('NN', 'VBP'), array([[4.33, 3.67],
           [3.67, 3.33]]), 15)
    """
    data = read_ratings(ratings, "nominal", values, missing)
    share = data.times / (data.sizes - 1.0)
    matrix = (data.counts.T @ data.counts.multiply(share[:, None])).toarray()
    matrix[np.diag_indices(len(matrix))] -= share @ data.counts
    return Coincidences(data.values, np.maximum(matrix, 0.0), int(data.times @ data.sizes))


def alphas(data: Ratings, level: str, weights: FloatArray) -> FloatArray:
    """Return alpha under weights of patterns, axes (draw, pattern), that sum to the number of units."""
    n = weights @ data.sizes
    if level == "nominal":
        unequal = data.sizes**2 - data.counts.multiply(data.counts).sum(axis=1)
        observed = weights @ (unequal / (data.sizes - 1.0))
        expected = n**2 - ((weights @ data.counts) ** 2).sum(axis=1)
    elif level == "ratio":
        observed, expected = _ratio(data, weights)
    else:
        observed, expected = _interval(data, level, weights, n)
    return np.asarray(1.0 - (n - 1.0) * observed / expected)


def _interval(data: Ratings, level: str, weights: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray]:
    if level == "ordinal":
        margins = weights @ data.counts
        # Mid-ranks, from the middle on: what is squared below stays small.
        points = np.cumsum(margins, axis=1) - 0.5 * margins - 0.5 * n[:, None]
    else:
        numbers = _unit_size(np.array(data.values, dtype=np.float64))
        points = _unit_size(numbers - numbers[data.codes].mean())[None]
    rated = points[:, data.codes]
    first, second = (np.add.reduceat(power, data.starts, axis=1) for power in (rated, rated**2))
    # Sums of squared differences over ordered pairs: 2(m Σx² - (Σx)²).
    within = 2.0 * np.maximum(data.sizes * second - first**2, 0.0)
    mean, square = ((weights * part).sum(axis=1) for part in (first, second))
    return (weights * (within / (data.sizes - 1.0))).sum(axis=1), 2.0 * (n * square - mean**2)


def _ratio(data: Ratings, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    numbers = _unit_size(np.array(data.values, dtype=np.float64))
    counts, within = data.counts, np.zeros(len(data.sizes))
    row = np.repeat(np.arange(len(within)), np.diff(counts.indptr))
    # Pairs of different values of one pattern: neighbours, then those two apart, and so on.
    for lag in range(1, int(np.diff(counts.indptr).max())):
        same = np.flatnonzero(row[lag:] == row[:-lag])
        distance = _ratio_distance(numbers[counts.indices[same]], numbers[counts.indices[same + lag]])
        pairs = counts.data[same] * counts.data[same + lag]
        within += np.bincount(row[same], weights=2.0 * pairs * distance, minlength=len(within))
    margins, expected = weights @ counts, np.zeros(len(weights))
    size = max(1, _BLOCK // len(numbers))
    for start in range(0, len(numbers), size):
        block = slice(start, start + size)
        distance = _ratio_distance(numbers[:, None], numbers[block])
        expected += ((margins @ distance) * margins[:, block]).sum(axis=1)
    return weights @ (within / (data.sizes - 1.0)), expected


def _unit_size(numbers: FloatArray) -> FloatArray:
    """Return numbers in another unit, so that their squares are neither too large nor too small."""
    return np.asarray(numbers / np.abs(numbers).max())


def _ratio_distance(first: FloatArray, second: FloatArray) -> FloatArray:
    total = first + second
    distance = np.divide(first - second, total, out=np.zeros_like(total), where=total > 0)
    return distance * distance
