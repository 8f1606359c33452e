r"""What draws of scores are anchored to: ratios of sums that move as the scores do, and whose law is known.

Under a bootstrap, precision, recall, F-scores and means of one model are ratios of sums with the same random weights,
and so is a difference of two models that divide by the same, such as recalls: their laws need no draws at all
(`GammaRatio`). Other differences are nearly such ratios. To first order in the weights w of units u, which add
:math:`h_u` to what is divided by,

.. math:: D(w) \approx A(w) = \sum_u w_u (\nabla g \cdot x_u + d h_u) \Big/ \sum_u w_u h_u,

with the plain difference d and its slopes in the cells. Draws of D are moved by as much as the draws of A that go with
them lie beside A's quantiles, so that only what A does not know of D is left to chance: a control variate for all
probabilities and quantiles at once, which leaves the law of D as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.metric import Metric
from bayesf1.laws.gamma_ratio import GammaRatio, IndependentDifference, StretchedLaw

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under

# Of units that are worth fewer, draws cost little, and a ratio of their sums falls off slowly.
_FEW = 10
# An anchor that explains less of the draws than this is none.
_LEAST_EXPLAINED = 0.5


@dataclass(frozen=True, eq=False)
class Anchor:
    """A ratio of sums that moves as a contrast of scores does.

    Attributes
    ----------
    law
        Its law, stretched as the draws are.
    middle
        The plain contrast, from which draws are stretched.
    top, bottom
        What one of each cell of the models' tables adds above and below, axes (model, cell).
    cells
        The names of the cells.
    exact
        Whether it is the contrast itself.
    """

    law: StretchedLaw
    middle: float
    top: FloatArray
    bottom: FloatArray
    cells: tuple[str, ...]
    exact: bool

    def __call__(self, tables: FloatArray, cells: tuple[str, ...]) -> FloatArray:
        """Return the ratio of each of the draws of all models' tables, axes (draw, model, cell)."""
        flat = tables.reshape(len(tables), -1)
        # Cells that no measure asked for may have been left out since.
        where = [self.cells.index(cell) for cell in cells]
        top, bottom = (part[:, where].ravel() for part in (self.top, self.bottom))
        return np.asarray(flat @ top / (flat @ bottom))

    def quantiles(self, n: int) -> FloatArray:
        """Return n points with equal probabilities between them."""
        return self.law.ppf((np.arange(n) + 0.5) / n)

    def steady(self, draws: FloatArray, beside: FloatArray) -> tuple[FloatArray, FloatArray | None]:
        """Move draws of the contrast with the anchor's own, which lie `beside` them, to the anchor's quantiles.

        Returns
        -------
        draws, anchored
            The draws, and those of the anchor at its quantiles; the draws as they were, and None, where the anchor
            explains too little of them.
        """
        anchored = np.empty(len(draws))
        anchored[np.argsort(beside, kind="stable")] = self.quantiles(len(draws))
        away = beside - beside.mean()
        spread, total = float(away @ away), float(np.sum((draws - draws.mean()) ** 2))
        together = float(away @ draws)
        if not spread or together**2 < _LEAST_EXPLAINED * spread * total:
            return draws, None
        return draws + together / spread * (anchored - beside), anchored


def anchor_of(under: Under, measure: Metric, contrast: FloatArray, prior: float) -> Anchor | None:
    """Return what moves as a contrast of the models' scores does, None where draws stand by themselves.

    Parameters
    ----------
    under
        The evaluation, and what was sampled.
    measure
        The measure.
    contrast
        How much of each model's score there is in it: (-1, 1) is a difference.
    prior
        λ of the prior.
    """
    ev, kind = under.ev, under.ev.kind
    if (
        not under.bootstraps
        or ev.methods
        or under.retraining is not None
        or under.worth(measure).units < _FEW
    ):
        return None
    units = kind.drawn_units(under, prior)
    if units is None:
        return None
    stretch = under.stretch(measure)
    middle = float(contrast @ stretch.centre)
    shape = ev.tables.shape

    def of(
        law: GammaRatio | IndependentDifference, top: FloatArray, bottom: FloatArray, *, exact: bool
    ) -> Anchor:
        stretched = StretchedLaw(law, middle, stretch.widening, stretch.freedom)
        return Anchor(stretched, middle, top, bottom, ev.cells, exact)

    def law(top: FloatArray, bottom: FloatArray) -> GammaRatio | None:
        above, below = (np.asarray(units.rows @ part.ravel()) for part in (top, bottom))
        used = below > 0.0
        # What nothing is divided by must not add anything.
        if above[~used].any() or not used.any():
            return None
        return GammaRatio(above[used], below[used], units.weights[used])

    known = kind.ratio(measure)
    asked = np.flatnonzero(contrast)
    if known is not None:
        tops, bottoms = (np.zeros((len(ev.models), *shape)) for _ in range(2))
        for i in asked:
            tops[i, i], bottoms[i, i] = known
        below = [np.asarray(units.rows @ bottoms[i].ravel()) for i in asked]
        if all(np.array_equal(below[0], other) for other in below[1:]):
            top = np.tensordot(contrast, tops, 1)
            exact = law(top, bottoms[asked[0]])
            return None if exact is None else of(exact, top, bottoms[asked[0]], exact=True)
        if not under.shared and contrast.tolist() == [-1.0, 1.0]:
            a, b = (law(tops[i], bottoms[i]) for i in asked)
            if a is None or b is None:
                return None
            return of(IndependentDifference(a, b), np.zeros(shape), np.ones(shape), exact=True)
    if kind.many_cells or not kind.is_smooth(measure):
        return None
    # The loads of units, as in their worth; their scale is free.
    loads = kind.loads(measure, ev.tables) * (contrast != 0.0)[:, None]
    wholes = (loads * ev.tables).sum(axis=1, keepdims=True)
    bottom = np.divide(loads, len(asked) * wholes, out=np.zeros(shape), where=wholes > 0.0)
    slopes = under.samples.gradient(lambda tables: measure(tables, ev.cells) @ contrast)
    top = slopes.reshape(shape) + middle * bottom
    near = law(top, bottom) if (wholes[asked] > 0.0).all() and slopes.any() else None
    return None if near is None or not near.sd else of(near, top, bottom, exact=False)
