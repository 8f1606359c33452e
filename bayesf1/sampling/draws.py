"""Draws of sums over units: gamma weights of patterns, and normal variates if there are very many units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesf1.base.arrays import BoolArray, FloatArray, blocks_of, slices_of
from bayesf1.units import MANY

# If there are many patterns, units with a smaller share of the variance of any sum are drawn together.
SMALL_SHARE = 1e-3
# More sums than this have so many pairs that computing their third cumulants does not pay.
_FEW_SUMS = 24
# With at most this many numbers in the rows, a matrix product is so small that cores sharing it mostly wait.
_THIN_SIZE = 1 << 10
# The number of draws of a thin product that are made at a time.
_THIN_DRAWS = 1 << 13


def draw_patterns(
    rows: Any, weights: FloatArray, *, n_draws: int, numbers_each: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield blocks of draws of the sums over all units, axes (draw, column).

    Parameters
    ----------
    rows
        What one unit of each pattern adds, axes (pattern, column), dense or sparse.
    weights
        How many units of each pattern there are.
    n_draws, rng
        The number of draws, and the source of randomness.
    numbers_each
        How many numbers a draw takes, which determines the size of blocks.
    """
    many = ManyUnits.of(rows, weights)
    if many is not None:
        rows = rows[many.large]
        weights = weights[many.large]
        # Few patterns are left, usually fewer than `MANY`.
        numbers_each = 2 * MANY
    # Most patterns of sentences occur once, and exponential variates are drawn several times faster than gamma variates.
    once = weights == 1.0
    n_once = int(once.sum())
    rows_once = rows[once]
    rows_repeated = rows[~once]
    repeated = weights[~once]
    for n in blocks_of(n_draws, numbers_each):
        sums = _product(rng.standard_exponential((n, n_once)), rows_once)
        if len(repeated):
            sums += _product(rng.standard_gamma(repeated, size=(n, len(repeated))), rows_repeated)
        if many is not None:
            sums = sums + many.draw(n, rng)
        yield sums


def _product(drawn: FloatArray, rows: Any) -> FloatArray:
    """Return drawn weights (draw, pattern) times rows (pattern, column)."""
    if not isinstance(rows, np.ndarray) or rows.size > _THIN_SIZE:
        return np.asarray(drawn @ rows)
    sums = np.zeros((len(drawn), rows.shape[1]))
    if rows.size == 0:
        return sums
    for start in range(0, len(drawn), _THIN_DRAWS):
        part = slice(start, start + _THIN_DRAWS)
        np.matmul(drawn[part], rows, out=sums[part])
    return sums


def join_blocks(blocks: Iterable[Sequence[FloatArray]]) -> list[FloatArray]:
    """Return blocks of draws, each with an array for each metric, as one array for each metric."""
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


@dataclass(frozen=True, eq=False)
class ManyUnits:
    r"""Sums over very many units that each count for little: normal variates, bent to have the right skewness.

    In whitened coordinates :math:`x_i = z_i + \sum_{jk} \kappa_{ijk}(z_j z_k - \delta_{jk})/6` has the third cumulants
    :math:`\kappa` of the sums (Cornish & Fisher 1938). As no unit has more than a share s of the variance of any sum,
    fourth cumulants are below 6s, and probabilities differ by less than about s/7.

    Attributes
    ----------
    large
        Which patterns have units that count for more, and are left out.
    mean
        The means of the sums.
    root
        The factor of their covariance, axes (whitened, column).
    skewness
        :math:`\kappa/6`, axes (whitened, pair of whitened).
    """

    large: BoolArray
    mean: FloatArray
    root: FloatArray
    skewness: FloatArray

    @classmethod
    def of(cls, rows: Any, weights: FloatArray, *, resampled: bool = False) -> ManyUnits | None:
        """Return the sums of units with gamma weights, or resampled units; None if there are few units, or many sums."""
        if len(weights) <= MANY or not isinstance(rows, np.ndarray) or rows.shape[1] > _FEW_SUMS:
            return None
        # A pattern's leverage over its weight is the largest share that one of its units has in the variance of any sum.
        roots = np.sqrt(weights)[:, None]
        orthonormal, _ = np.linalg.qr(roots * rows)
        leverages = np.square(orthonormal).sum(axis=1)
        small = leverages < SMALL_SHARE * weights
        # Drawing units together pays only if many of them are small.
        if np.count_nonzero(small) < MANY // 2:
            return None
        small_rows = rows[small]
        small_roots = roots[small]
        mean = weights[small] @ small_rows
        centred = small_rows
        if resampled:
            centred = small_rows - mean / weights[small].sum()
        q, root = np.linalg.qr(small_roots * centred)
        # Sums over units of the products of three whitened coordinates, which are q over the root of a unit's weight.
        thirds = np.zeros((root.shape[0], root.size))
        for part in slices_of(len(q), root.size):
            thirds += (q[part] / small_roots[part]).T @ _pairs(q[part])
        # An exponential variate has a third cumulant of 2, and the number of times that a unit is resampled has one of 1.
        skewness = thirds / 6.0 if resampled else thirds / 3.0
        return cls(~small, mean, root, skewness)

    @staticmethod
    def applies(n_patterns: int, n_sums: int) -> bool:
        """Return whether most units are sure to be small: shares of the variance add up to the number of sums."""
        return n_sums <= _FEW_SUMS and n_sums <= 0.5 * SMALL_SHARE * n_patterns

    def draw(self, n: int, rng: np.random.Generator, share: Any = 1.0) -> FloatArray:
        """Draw the sums of a share of the units, axes (draw, column)."""
        z = rng.standard_normal((n, len(self.root)))
        centred_pairs = _pairs(z) - np.eye(len(self.root)).ravel()
        bent = z + centred_pairs @ self.skewness.T
        return np.asarray(share * self.mean + np.sqrt(share) * (bent @ self.root))


def _pairs(rows: FloatArray) -> FloatArray:
    """Return the products of all pairs of columns, axes (row, pair)."""
    return (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
