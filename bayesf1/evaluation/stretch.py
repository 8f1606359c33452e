r"""What a bootstrap over few or uneven units does not know of itself.

A Bayesian bootstrap over k units is too short for small k, and for large k where a few units hold most of what is
counted. With unit u's share :math:`\ell_u` of what a measure is divided by, units are worth
:math:`k_{\mathrm{eff}} = 1/\sum_u \ell_u^2` even ones, and the bootstrap's variance is too small by

.. math:: 1 - 2\,\frac{\sum_u \ell_u^3}{\sum_u \ell_u^2} + \sum_u \ell_u^2,

as each unit is seen beside a mean that it is part of; for k even units that is (k - 1)/k. Draws are moved away from
the plain score by the root of it, and as a t variate with :math:`k_{\mathrm{eff}} - 1` degrees of freedom lies away
from a normal one. For many even units nothing changes. Where units are worth two or fewer, in which direction draws
lie says something of the prior alone, and either is as likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.units import Units


class Worth(NamedTuple):
    """What units are worth.

    Attributes
    ----------
    units
        How many even units they are worth.
    seen
        Share of the variance between units that a bootstrap over them sees.
    """

    units: float
    seen: float


def worth_of(units: Units, loads: FloatArray) -> Worth:
    """Return what units are worth for a measure.

    Parameters
    ----------
    units
        The units.
    loads
        What one of each cell adds to a measure's denominator, axes (model, cell).

    Examples
    --------
    One long unit among forty short ones:

    >>> units = Units(np.array([[3.0], [900.0]]), np.array([40.0, 1.0]), "document")
    >>> [round(value, 3) for value in worth_of(units, np.ones((1, 1)))]
    [1.284, 0.015]
    """
    totals = units.totals.reshape(loads.shape)
    wholes = (totals * loads).sum(axis=1, keepdims=True)
    some = int((wholes > 0.0).sum())
    if not some:
        return Worth(units.size, 1.0)
    shares = np.divide(loads, some * wholes, out=np.zeros(loads.shape), where=wholes > 0.0)
    each = np.asarray(units.rows @ shares.ravel())
    second, third = (float(units.weights @ each**power) for power in (2, 3))
    return Worth(1.0 / second, 1.0 - 2.0 * third / second + second)


@dataclass(frozen=True)
class Stretch:
    r"""Draws D moved away from the plain score d: :math:`d + (D - d)\sqrt{\nu/(s\chi^2_\nu)}`.

    Attributes
    ----------
    centre
        The plain scores of the models.
    freedom
        The degrees of freedom ν, infinite where nothing is stretched.
    seen
        The share s of the variance that draws have.
    """

    centre: FloatArray
    freedom: float = np.inf
    seen: float = 1.0

    @property
    def widening(self) -> float:
        """How much longer a standard deviation is than that of the draws."""
        return float(self.seen**-0.5)

    def __call__(self, scores: FloatArray, factors: FloatArray) -> FloatArray:
        """Stretch draws of scores, axes (draw, model); all models of a draw alike, so that differences are, too."""
        if not np.isfinite(self.freedom):
            return scores
        return np.asarray(self.centre + (scores - self.centre) * factors[:, None])

    def factors(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw by how much draws are moved away from the plain scores."""
        if not np.isfinite(self.freedom):
            return np.ones(n)
        half = 0.5 * self.freedom
        factors = np.sqrt(half / rng.standard_gamma(half, size=n).clip(1e-300))
        if self.freedom <= 1.0:
            factors *= rng.choice((-1.0, 1.0), size=n)
        return np.asarray(self.widening * factors)
