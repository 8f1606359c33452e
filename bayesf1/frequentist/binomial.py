r"""Intervals for a share of independent items: precision, recall, accuracy, Jaccard.

For `s` successes and `f` failures, :math:`\hat p = s/(s+f)`. Successes and failures may be arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_prob
from bayesf1.evaluation.metric import ratio
from bayesf1.frequentist.bounds import Bounds, bounds, check_counts, normal_bounds, normal_quantile


def binomial_clopper_pearson(
    successes: ArrayLike, failures: ArrayLike, *, confidence_level: float = 0.95
) -> Bounds:
    r"""Invert the binomial test: :math:`\mathrm{Be}_{\alpha/2}(s, f+1)` to :math:`\mathrm{Be}_{1-\alpha/2}(s+1, f)`.

    Parameters
    ----------
    successes, failures
        Counts; arrays broadcast.
    confidence_level
        Probability with which the interval shall hold the true share.

    Examples
    --------
    >>> tuple(binomial_clopper_pearson(77, 44))
    (0.54401..., 0.72187...)

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26.
    """
    s, f = check_counts(successes=successes, failures=failures)
    tail = 0.5 * (1.0 - check_prob(confidence_level, "confidence_level"))
    # Without a success the lower end is 0, without a failure the upper end is 1.
    low = np.where(s > 0.0, special.betaincinv(np.where(s > 0.0, s, 1.0), f + 1.0, tail), 0.0)
    high = np.where(f > 0.0, special.betainccinv(s + 1.0, np.where(f > 0.0, f, 1.0), tail), 1.0)
    return bounds(ratio(s, s + f), low, high, undefined=s + f == 0.0)


def binomial_wald(successes: ArrayLike, failures: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Invert the Wald test, :math:`\hat p \pm z\sqrt{\hat p(1-\hat p)/n}`; the ends may lie outside [0, 1].

    Parameters
    ----------
    successes, failures, confidence_level
        As in `binomial_clopper_pearson`.

    Examples
    --------
    >>> interval = binomial_wald(29, 1)
    >>> interval.high, interval.overshoot
    (1.03090..., True)
    """
    s, f = check_counts(successes=successes, failures=failures)
    share = ratio(s, s + f)
    variance = ratio(share * ratio(f, s + f), s + f)
    return normal_bounds(share, variance, confidence_level, undefined=s + f == 0.0)


def binomial_wilson(successes: ArrayLike, failures: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Invert the score test: the roots of :math:`(1+k)p^2 - (2\hat p+k)p + \hat p^2 = 0`, :math:`k=z^2/n`.

    Parameters
    ----------
    successes, failures, confidence_level
        As in `binomial_clopper_pearson`.

    Examples
    --------
    >>> tuple(binomial_wilson(77, 44))
    (0.54768..., 0.71665...)

    References
    ----------
    Wilson (1927), JASA 22; Lam (2023), Eq. 42.
    """
    s, f = check_counts(successes=successes, failures=failures)
    low, upper_gap = wilson_ends(s, f, normal_quantile(confidence_level))
    return bounds(ratio(s, s + f), low, 1.0 - upper_gap, undefined=s + f == 0.0)


def wilson_ends(s: FloatArray, f: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Return the lower root of the score equation, and 1 minus the upper one, neither by a subtraction."""
    n = np.where(s + f > 0.0, s + f, 1.0)
    root = np.sqrt(z**4 + 4.0 * z * z * s * f / n)
    low, gap = (2.0 * x * x / (n * (2.0 * x + z * z + root)) for x in (s, f))
    return low, gap
