r"""Two models on the same items, of which only those matter that just one of them has right.

With :math:`n_A` and :math:`n_B` such items and r others, and a prior of λ/2 on each of the four joint outcomes,

.. math:: \nu_B - \nu_A = S(2U - 1), \qquad S \sim \mathrm{Be}(n_A + n_B + \lambda,\, r + \lambda), \qquad
          U \sim \mathrm{Be}(n_B + \tfrac\lambda2,\, n_A + \tfrac\lambda2),

where S, the share of discordant items, and U, B's part of them, are independent. The probability that B is ahead is
:math:`P(U > \tfrac12)`, and that it is ahead by d an integral over S alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from bayesf1.laws.distributions import Beta
from bayesf1.laws.quadrature import UNIT_RULE, expit_pair, logit_scale


@dataclass(frozen=True)
class Discordance:
    """How many items only A has right, only B has right, and how many others there are.

    Examples
    --------
    Twenty of twenty against eighteen of twenty:

    >>> found = Discordance(only_a=0.0, only_b=2.0, others=18.0, prior=1.0)
    >>> round(found.sf(0.0), 4), round(found.sf(0.05), 4)
    (0.9244, 0.6979)
    """

    only_a: float
    only_b: float
    others: float
    prior: float

    def sf(self, margin: float) -> float:
        """Return P(ν_B - ν_A > margin)."""
        for_a, for_b = self.only_a + 0.5 * self.prior, self.only_b + 0.5 * self.prior
        if margin == 0.0:
            return float(special.betaincc(for_b, for_a, 0.5))
        if margin < 0.0:
            return 1.0 - self._ahead(for_b, for_a, -margin)
        return self._ahead(for_a, for_b, margin)

    def _ahead(self, against: float, in_favour: float, margin: float) -> float:
        r"""Return :math:`\int_d^1 P(U > \tfrac12(1 + d/s)) f_S(s)\, ds` by a double exponential rule in the logit of s."""
        if margin >= 1.0:
            return 0.0
        share = Beta(np.asarray(against + in_favour), np.asarray(self.others + self.prior))
        part = Beta(np.asarray(against), np.asarray(in_favour))
        low, high = (float(z) for z in share.logit_window)
        low = max(low, float(special.logit(margin)))
        # A law squeezed against 1 has most of its mass in a small part of its window.
        middle, reach = float(np.log(share.a / share.b)), 4.0 * float(logit_scale(share.a, share.b))
        cuts = np.clip([low, middle - reach, middle + reach, high], low, max(low, high))
        nodes, weights = UNIT_RULE
        lengths = np.diff(cuts)[:, None]
        s, sc = expit_pair(cuts[:-1, None] + lengths * nodes)
        rest = np.clip(0.5 * (s - margin) / s, 0.0, 0.5)
        integrand = np.exp(share.logit_logpdf(s, sc)) * part.tails(rest, 1.0 - rest)[0]
        return float(np.clip((lengths * weights * integrand).sum(), 0.0, 1.0))
