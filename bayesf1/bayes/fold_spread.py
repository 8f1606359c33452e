r"""Do the folds of a cross-validation vary as much as the discount assumes?

A discount k stands for an average correlation :math:`\bar\rho = (1/k - 1)/(2m - 1)` between the 2m
folds. If the posterior's variance V of the difference is right, one fold's difference has variance
:math:`2mkV`, and the sample variance of the 2m differences should be near :math:`2mkV(1-\bar\rho)`;
their ratio times 2m - 1 is then about chi-square with 2m - 1 degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparison

# A p-value below which observed and assumed spread are said to disagree.
_DISAGREE = 0.01


@dataclass(frozen=True)
class FoldSpread:
    """Spread of the difference of two models from fold to fold, beside what the discount assumes.

    Attributes
    ----------
    observed, expected
        Standard deviation of the folds' differences, and what the discount makes of the posterior's.
    ratio
        Observed over expected variance.
    p_value
        Two-sided p-value of this ratio.
    """

    observed: float
    expected: float
    ratio: float
    p_value: float

    def sentence(self) -> str | None:
        """Return a sentence where observed and assumed spread disagree, else None."""
        if self.p_value >= _DISAGREE:
            return None
        sds = f"sd {100 * self.observed:.2g} instead of {100 * self.expected:.2g} points"
        if self.ratio > 1.0:
            return (
                f"From fold to fold the difference varies more than the discount assumes ({sds}): training "
                "sets add variation of their own, so the interval may be too short; 'nadeau-bengio' is "
                "stricter."
            )
        return (
            f"From fold to fold the difference varies less than the discount assumes ({sds}): the "
            "models' errors go together, which totals cannot show; predictions item by item would sharpen "
            "the comparison."
        )


def fold_spread(c: Comparison) -> FoldSpread | None:
    """Compare the spread of fold differences with what a comparison's discount assumes.

    Returns None without folds or of ways of training, which need no discount, or where the discount takes all
    folds as copies of one another and so says nothing about their spread.

    Examples
    --------
    >>> from bayesf1 import compare, load_example
    >>> spread = fold_spread(compare(load_example("wang-li-ner"))["f1"])
    >>> round(spread.ratio, 2), spread.sentence() is None
    (0.36, True)
    """
    if c.folds is None or c.under.retraining is not None or np.ndim(c.p_h1):
        return None
    scores = c.measure(c.folds.counts, c.ev.cells)
    differences = scores[..., 1] - scores[..., 0]
    n, k = differences.size, c.folds.k
    correlation = (1.0 / k - 1.0) / (n - 1)
    if correlation > 1.0 - 1e-9:
        return None
    expected = n * k * float(c.difference.var()) * (1.0 - correlation)
    ratio = float(differences.var(ddof=1)) / expected
    tails = special.chdtr(n - 1, ratio * (n - 1)), special.chdtrc(n - 1, ratio * (n - 1))
    return FoldSpread(
        observed=float(differences.std(ddof=1)),
        expected=float(np.sqrt(expected)),
        ratio=ratio,
        p_value=float(min(1.0, 2.0 * min(tails))),
    )
