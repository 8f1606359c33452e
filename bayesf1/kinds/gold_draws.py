r"""Draws of what the prior adds to gold labels where these could be many and the prior's weight for each is tiny.

A gamma variate of shape a is smaller than any x near 0 with probability :math:`x^a / \Gamma(a + 1)`. With a hundred thousand
combinations of what could be said, a is so small that nearly all variates are less than a computer's smallest number.
Those above are drawn by number and place; the others are 0.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.kinds.strata import Strata

# What is less counts as 0, beside anything that is more.
_LEAST = 1e-300
# Below this shape most variates are.
_TINY = 1e-3


def drawn_prior(shape: float, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Return gamma variates, 0 where they are less than can be told from it.

    Examples
    --------
    >>> drawn = drawn_prior(1e-6, (1000, 1000), np.random.default_rng(0))
    >>> int((drawn > 0).sum()), 1e6 * float(special.gammaincc(1e-6, 1e-300))
    (722, 689.96...)
    """
    if shape >= _TINY:
        found = rng.standard_gamma(shape, size)
        found[found < _LEAST] = 0.0
        return found
    n = int(np.prod(size))
    above = float(special.gammaincc(shape, _LEAST))
    found = np.zeros(n)
    where = rng.choice(n, int(rng.binomial(n, above)), replace=False, shuffle=False)
    found[where] = special.gammainccinv(shape, above * rng.random(len(where)))
    return found.reshape(size)


def drawn_pools(strata: Strata, labelled: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return shares of gold labels in each stratum's pool, axes (draw, stratum, gold), from labels and what a prior added."""
    pools = strata.pools
    guessed = pools.means(strata.voices_alone.shares(labelled))
    return pools.shares(pools.sums(labelled) + rng.standard_gamma(guessed))
