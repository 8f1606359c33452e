"""Draws of what all units add together: gamma weights of patterns, and normal variates if units are very many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesf1.base.arrays import BoolArray, FloatArray, blocks_of, slices_of
from bayesf1.units import MANY

# Of many patterns, units that have less than so much of the variance of any sum are drawn together, unless sums are many.
SMALL, FEW_SUMS = 1e-3, 24
# A product with no more numbers than this on its right is cut into slices of so many draws.
_THIN, _SLICE = 1 << 10, 1 << 13


def draw_patterns(
    rows: Any, weights: FloatArray, *, n_draws: int, numbers_each: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield blocks of draws of what all units add together, axes (draw, column)."""
    together = ManyUnits.of(rows, weights)
    if together is not None:
        rows, weights = rows[together.large], weights[together.large]
        numbers_each = 2 * MANY
    # Most kinds of sentences occur once, and exponential variates are drawn several times faster.
    once = weights == 1.0
    rows_once, rows_more, more = rows[once], rows[~once], weights[~once]
    n_once = int(once.sum())
    for n in blocks_of(n_draws, numbers_each):
        flat = _product(rng.standard_exponential((n, n_once)), rows_once)
        if len(more):
            flat += _product(rng.standard_gamma(more, size=(n, len(more))), rows_more)
        yield flat if together is None else flat + together.draw(n, rng)


def join_blocks(blocks: Iterable[Sequence[FloatArray]]) -> list[FloatArray]:
    """Return blocks of draws, each with an array for each metric, as one array for each metric."""
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


@dataclass(frozen=True, eq=False)
class ManyUnits:
    r"""Sums over very many units, of which none counts for much: normal variates, bent to have the right skewness.

    In whitened coordinates :math:`x_i = z_i + \sum_{jk} \kappa_{ijk}(z_j z_k - \delta_{jk})/6` has the third cumulants
    :math:`\kappa` of the sums (Cornish & Fisher 1938). As no unit has more than a share s of the variance of any sum,
    fourth cumulants are below 6s, and probabilities differ by less than about s/7.

    Attributes
    ----------
    large
        Which patterns have units that count for more, and are left out.
    mean, root, bend
        Means of the sums, the factor (whitened, column) of their covariance, and :math:`\kappa/6`.
    """

    large: BoolArray
    mean: FloatArray
    root: FloatArray
    bend: FloatArray

    @classmethod
    def of(cls, rows: Any, weights: FloatArray, *, resampled: bool = False) -> ManyUnits | None:
        """Return the sums of units with gamma weights, or drawn with replacement; None if units are few or sums many."""
        if len(weights) <= MANY or not isinstance(rows, np.ndarray) or rows.shape[1] > FEW_SUMS:
            return None
        roots = np.sqrt(weights)[:, None]
        small = np.square(np.linalg.qr(roots * rows)[0]).sum(axis=1) < SMALL * weights
        if np.count_nonzero(small) < MANY // 2:
            return None
        rows, roots, total = rows[small], roots[small], weights[small] @ rows[small]
        q, root = np.linalg.qr(roots * (rows - total / weights[small].sum() if resampled else rows))
        bend = np.zeros((root.shape[0], root.size))
        for part in slices_of(len(q), root.size):
            bend += (q[part] / roots[part]).T @ _pairs(q[part])
        # An exponential variate has a third cumulant of 2, and how often a unit is drawn again one of 1.
        return cls(~small, total, root, bend / (6.0 if resampled else 3.0))

    def draw(self, n: int, rng: np.random.Generator, share: Any = 1.0) -> FloatArray:
        """Draw the sums of a share of the units, axes (draw, column)."""
        z = rng.standard_normal((n, len(self.root)))
        bent = (_pairs(z) - np.eye(len(self.root)).ravel()) @ self.bend.T
        return np.asarray(share * self.mean + np.sqrt(share) * ((z + bent) @ self.root))


def _pairs(rows: FloatArray) -> FloatArray:
    """Return the products of all pairs of columns."""
    return (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)


def _product(drawn: FloatArray, rows: Any) -> FloatArray:
    """Return draws of weights times the rows of few patterns or many."""
    if not isinstance(rows, np.ndarray) or rows.size > _THIN:
        return np.asarray(drawn @ rows)
    # Cores that share so thin a product spend their time on waiting for each other.
    out = np.zeros((len(drawn), rows.shape[1]))
    for start in range(0, len(drawn) if rows.size else 0, _SLICE):
        np.matmul(drawn[start : start + _SLICE], rows, out=out[start : start + _SLICE])
    return out
