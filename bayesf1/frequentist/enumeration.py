r"""All confusion tables that n items may give, with their probabilities.

Of n items :math:`\nu \sim \mathrm{Binomial}(n, p_{11}+p_{10}+p_{01})` are relevant, and
:math:`TP \mid \nu \sim \mathrm{Binomial}(\nu, F^*)` of them are right: Lam (2023), Eqs. 15 and 16. Of the mistakes,
:math:`FP \sim \mathrm{Binomial}(\nu - TP, p_{10}/(p_{10}+p_{01}))` are false positives. Tables are left out in the tails of
these binomials, by Bernstein's inequality with less than 10⁻¹² of the mass in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray

# True proportions of true positives, false positives and false negatives among all items.
Proportions: TypeAlias = tuple[float, float, float]
# Counts tp, fp and fn, and the probability of each table.
Tables: TypeAlias = tuple[tuple[FloatArray, FloatArray, FloatArray], FloatArray]

# Mass of all tables that are left out: three binomials, two tails each.
_TAIL = 1e-12
_LOG = np.log(2.0 * 3.0 / _TAIL)
# Tables in one block.
_BLOCK = 1 << 18


def relevant_tables(n: int, p: Proportions) -> Iterator[Tables]:
    """Yield blocks of tables with their probabilities, all mistakes together taken as false positives.

    Examples
    --------
    >>> ((tp, wrong, _), mass), = relevant_tables(2, (0.4, 0.1, 0.1))
    >>> tp, wrong, mass.round(3)
    (array([0., 0., 1., 0., 1., 2.]), array([0., 1., 0., 2., 1., 0.]), array([0.16, 0.16, 0.32, 0.04, 0.16, 0.16]))
    """
    _, relevant, weight = next(_binomials(np.array([float(n)]), sum(p)))
    for which, tp, mass in _binomials(relevant, p[0] / sum(p)):
        yield (tp, relevant[which] - tp, np.zeros_like(tp)), weight[which] * mass


def all_tables(n: int, p: Proportions) -> Iterator[Tables]:
    """Yield blocks of tables with their probabilities.

    Examples
    --------
    >>> sum(mass.sum() for _, mass in all_tables(10, (0.4, 0.1, 0.2))).round(12)
    np.float64(1.0)
    """
    share = p[1] / (p[1] + p[2]) if p[1] + p[2] > 0.0 else 0.0
    for (tp, wrong, _), weight in relevant_tables(n, p):
        for which, fp, mass in _binomials(wrong, share):
            yield (tp[which], fp, wrong[which] - fp), weight[which] * mass


def _binomials(n: FloatArray, p: float) -> Iterator[tuple[NDArray[np.intp], FloatArray, FloatArray]]:
    """Yield all values of several binomial variates: which variate, value, probability; about a block at a time."""
    from scipy import stats

    # Bernstein: P(|X - np| >= t) <= 2 exp(-t²/(2(np(1-p) + t/3))).
    reach = _LOG / 3.0 + np.sqrt(_LOG * _LOG / 9.0 + 2.0 * n * p * (1.0 - p) * _LOG)
    low, high = np.maximum(np.ceil(n * p - reach), 0.0), np.minimum(np.floor(n * p + reach), n)
    sizes = (high - low + 1.0).astype(np.intp)
    starts = np.unique(np.cumsum(sizes) // _BLOCK, return_index=True)[1]
    for rows in np.split(np.arange(len(n)), starts[1:]):
        which = np.repeat(rows, sizes[rows])
        before = np.repeat(np.cumsum(sizes[rows]) - sizes[rows], sizes[rows])
        value = low[which] + (np.arange(len(which)) - before)
        yield which, value, np.asarray(stats.binom.pmf(value, n[which], p))
