"""Very many fair coins: eight of them are one random byte, and a table knows what each byte adds."""

from __future__ import annotations

import numpy as np

from bayesf1.base.arrays import FloatArray, slices_of
from bayesf1.base.cores import in_blocks

# Coin minus ½ of each of eight coins, axes (byte, coin).
_COINS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 0.5


def toss(values: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    r"""Draw :math:`\sum_u (c_u - \tfrac12) v_u` with fair coins c, `n` times.

    Parameters
    ----------
    values
        What goes with each coin, axes (coin, cell).
    n
        How many draws.
    rng
        The source of randomness.

    Returns
    -------
    FloatArray
        The sums, axes (draw, cell).

    Examples
    --------
    >>> sums = toss(np.array([[1.0], [2.0], [4.0]]), 1000, np.random.default_rng(1))
    >>> np.unique(sums)
    array([-3.5, -2.5, -1.5, -0.5,  0.5,  1.5,  2.5,  3.5])
    """
    n_cells = values.shape[1]
    padded = np.zeros((-(-len(values) // 8) * 8, n_cells))
    padded[: len(values)] = values
    eights = padded.reshape(-1, 8, n_cells)
    used = np.flatnonzero(values.any(axis=0))

    def add(part: slice, rng: np.random.Generator) -> FloatArray:
        tables = np.swapaxes(eights[part], 1, 2) @ _COINS.T
        total, one = np.zeros((n_cells, n)), np.empty(n)
        for table, coins in zip(
            tables, rng.integers(256, size=(len(tables), n), dtype=np.uint8), strict=True
        ):
            for cell in used:
                total[cell] += np.take(table[cell], coins, out=one, mode="clip")
        return total

    # Parts are added in order, so that rounding does not hang on who comes first.
    parts = in_blocks(add, slices_of(len(eights), 256 * n_cells + n), rng)
    return np.ascontiguousarray(sum(parts, np.zeros((n_cells, n))).T)
