r"""Draws of what the prior adds to gold labels where these could be many and the prior's weight for each is tiny.

A gamma variate of shape a is smaller than any x near 0 with probability :math:`x^a / \Gamma(a + 1)`. With a hundred thousand
combinations of what could be said, a is so small that nearly all variates are less than a computer's smallest number.
Those above are drawn by number and place; of those below only the largest of some is ever asked for, whose logarithm is
:math:`\log x - E/(na)` among n of them, with an exponential E.
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


def drawn_pools(strata: Strata, labelled: FloatArray, weight: float, rng: np.random.Generator) -> FloatArray:
    """Return shares of gold labels in each stratum's pool, axes (draw, stratum, gold), from labels and what a prior added.

    The prior's `weight` decides where a pool has neither.
    """
    pools = strata.pools
    sums = pools.sums(labelled)
    shares = sums[:, pools.slots] / pools.several
    totals = shares.sum(axis=-1, keepdims=True)
    draw, stratum = np.nonzero(totals[..., 0] == 0.0)
    if len(draw):
        below = np.log(_LEAST) - rng.standard_exponential(sums.shape) / (weight * pools.numbers)
        logs = below[draw[:, None], pools.slots[stratum]] - np.log(pools.several[stratum])
        shares[draw, stratum] = np.exp(logs - logs.max(axis=-1, keepdims=True))
        totals[draw, stratum] = shares[draw, stratum].sum(axis=-1, keepdims=True)
    return np.asarray(shares / totals)
