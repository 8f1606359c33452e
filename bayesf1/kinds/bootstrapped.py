"""What kinds have in common of whose units nothing is believed: they are drawn by the Bayesian bootstrap.

Rubin (1981), Annals of Statistics 9, 130–134.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.kind import Kind
from bayesf1.kinds.draws import bootstrapped, draw_bootstrap

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under
    from bayesf1.evaluation.units import Units


@dataclass(frozen=True)
class Bootstrapped(Kind):
    """A kind without a prior."""

    bootstraps_items: ClassVar[bool] = True
    citation: ClassVar[str] = "the Bayesian bootstrap (Rubin 1981, Annals of Statistics 9, 130–134)"

    def cell_priors(self, prior: float) -> float:
        """Return 0: there is no prior."""
        return 0.0

    def describe_prior(self, prior: float) -> str:
        """Say that nothing was believed before the data."""
        return "No prior"

    def drawn_units(self, under: Under, prior: float) -> Units:
        """Return the units: there is no prior."""
        return bootstrapped(under)

    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Return draws of the Bayesian bootstrap over units, which has no prior."""
        return draw_bootstrap(under, n_draws=n_draws, rng=rng)
