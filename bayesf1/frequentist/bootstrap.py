r"""Bootstrap intervals from resampled scores: percentile, and bias-corrected and accelerated (BCa)."""

from __future__ import annotations

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_prob
from bayesf1.frequentist.bounds import normal_quantile


def percentile_ends(scores: FloatArray, confidence_level: float = 0.95) -> tuple[float, float]:
    """Return the central interval that holds a share `confidence_level` of resampled scores.

    Examples
    --------
    >>> percentile_ends(np.linspace(0, 1, 1001), 0.5)
    (0.25, 0.75)

    References
    ----------
    Efron (1979), Annals of Statistics 7.
    """
    tail = 0.5 * (1.0 - check_prob(confidence_level, "confidence_level"))
    low, high = np.quantile(scores, [tail, 1.0 - tail])
    return float(low), float(high)


def bca_ends(
    scores: FloatArray, estimate: float, acceleration: float, confidence_level: float = 0.95
) -> tuple[float, float]:
    r"""Return the bias-corrected and accelerated interval from resampled scores.

    Its ends are the quantiles :math:`\Phi\bigl(z_0 + \frac{z_0 \pm z}{1 - a(z_0 \pm z)}\bigr)`, where
    :math:`\Phi(z_0)` is the share of resampled scores below the estimate and *a* the acceleration, a sixth of the
    skewness of the jackknife.

    Examples
    --------
    >>> bca_ends(np.linspace(0, 1, 1001), 0.5, acceleration=0.0, confidence_level=0.5)
    (0.25, 0.75)

    References
    ----------
    Efron (1987), JASA 82; Efron & Tibshirani (1993), Eqs. 14.9-14.15.
    """
    z = normal_quantile(confidence_level)
    if scores.min() == scores.max():
        return float(scores[0]), float(scores[0])
    # Scores equal to the estimate lie half below it; a share of 0 or 1 is only known to be below half a resample.
    below = 0.5 * (np.mean(scores < estimate) + np.mean(scores <= estimate))
    z0 = special.ndtri(np.clip(below, 0.5 / len(scores), 1.0 - 0.5 / len(scores)))
    shifted = z0 + np.array([-z, z])
    # Far beyond what a sample of any size gives, the denominator would change its sign.
    levels = special.ndtr(z0 + shifted / np.maximum(1.0 - acceleration * shifted, 1e-3))
    low, high = np.quantile(scores, np.sort(levels))
    return float(low), float(high)
