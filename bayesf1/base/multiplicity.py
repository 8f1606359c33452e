r"""Many p-values at once: what each is worth beside the others.

Of twenty true hypotheses one has p < .05. Holm's adjusted p-values keep the probability of *any* false claim below the level,

.. math:: \tilde p_{(i)} = \max_{j \le i} \min\bigl(1, (m - j + 1)\, p_{(j)}\bigr),

and those of Benjamini and Hochberg the expected *share* of false claims, :math:`\min_{j \ge i} \min(1, m\, p_{(j)} / j)`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_levels


def holm(p_values: Sequence[float]) -> FloatArray:
    """Return p-values adjusted by Holm's method.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65–70.
    """
    p = check_levels(p_values)
    order = np.argsort(p, kind="stable")
    steps = np.minimum(np.arange(len(p), 0, -1) * p[order], 1.0)
    found = np.empty(len(p))
    found[order] = np.maximum.accumulate(steps)
    return found


def benjamini_hochberg(p_values: Sequence[float]) -> FloatArray:
    """Return p-values adjusted by the method of Benjamini and Hochberg.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]

    References
    ----------
    Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57, 289–300.
    """
    from scipy import stats

    return np.asarray(stats.false_discovery_control(check_levels(p_values)), dtype=np.float64)


def adjusted(p_values: Sequence[float | None]) -> list[tuple[float | None, float | None]]:
    """Return both adjusted p-values of each one, None where there is no p-value, or where there is only one.

    Examples
    --------
    >>> adjusted([0.01, None, 0.04])[:2]
    [(0.02, 0.02), (None, None)]
    """
    known = [p for p in p_values if p is not None]
    if len(known) < 2:
        return [(None, None)] * len(p_values)
    pairs = iter(zip(holm(known).tolist(), benjamini_hochberg(known).tolist(), strict=True))
    return [(None, None) if p is None else next(pairs) for p in p_values]
