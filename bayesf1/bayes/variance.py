"""Where doubt about a difference of methods comes from: more runs, or more test items?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparison

_DRAWS = 1000
# Halves and tenths are told in words.
_SHARES = ("none", "a tenth", "a fifth", "three tenths", "two fifths", "half", "three fifths", "seven tenths",
           "four fifths", "nine tenths", "all")  # fmt: skip


class Variance(NamedTuple):
    """The variance of a difference of two methods' scores, by where it comes from.

    Attributes
    ----------
    training
        What the runs that happened to be trained add.
    items
        What the test items that happened to be drawn add.
    """

    training: float
    items: float

    @property
    def share(self) -> float:
        """The share of training."""
        return self.training / (self.training + self.items) if self.training + self.items else 0.0

    def sentence(self) -> str:
        """Return what to do next.

        Examples
        --------
        >>> Variance(training=9e-4, items=1e-4).sentence()
        'Nine tenths of the uncertainty comes from training: add runs rather than items.'
        """
        if self.share >= 0.65:
            said = _SHARES[round(10 * self.share)]
            return f"{said.capitalize()} of the uncertainty comes from training: add runs rather than items."
        if self.share <= 0.35:
            said = _SHARES[round(10 * (1.0 - self.share))]
            return f"{said.capitalize()} of the uncertainty comes from the test items: add items rather than runs."
        return "Training and test items contribute about equally to the uncertainty: add both runs and items."


def variance_of(c: Comparison) -> Variance:
    """Return where the doubt of a comparison of methods comes from."""
    rng = np.random.default_rng(0)
    (known,) = c.under.training([c.measure], prior=c.prior, rng=rng)
    models = replace(c.under, target="models")
    blocks = models.scores([c.measure], prior=c.prior, n_draws=_DRAWS, rng=rng)
    gaps = np.concatenate([np.diff(scores, axis=1)[:, 0] for (scores,) in blocks])
    # Of stretched draws the variance may be without bounds.
    low, high = np.quantile(gaps, [0.158655, 0.841345])
    return Variance(known.variance(), float(0.25 * (high - low) ** 2))
