"""One class against the rest: items are positive or not, spans are found or not."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.errors import WordedError, Wording
from bayesf1.base.latex import printable
from bayesf1.evaluation.kind import Estimate, Kind, Outcomes, PairingBounds
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.kinds.binary_measures import find_metric
from bayesf1.kinds.draws import break_sticks, coin_shares, draw_joint, joint_draws, joint_units

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation
    from bayesf1.evaluation.under import Under
    from bayesf1.evaluation.units import Units

BINARY_CELLS = ("tp", "fp", "fn", "tn")

# Names that make sense with several classes only.
_SEVERAL = re.compile(r"(micro|macro|weighted)_|.*\[")


@dataclass(frozen=True)
class Binary(Kind):
    """One class against the rest, with cells tp, fp, fn, and tn where true negatives are counted."""

    name: ClassVar[str] = "binary"
    # A quadrature needs Beta parameters whose mass does not underflow in the logit.
    least_prior: ClassVar[float] = 0.1

    cells: tuple[str, ...] = BINARY_CELLS

    def keep(self, cells: tuple[str, ...]) -> Self:
        """Return the kind on some of its cells."""
        return type(self)(cells)

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where cells are not some of tp, fp, fn, tn, in this order."""
        if not self.cells or self.cells != tuple(cell for cell in BINARY_CELLS if cell in self.cells):
            raise ValueError(
                f"cells must be some of {', '.join(BINARY_CELLS)}, in this order, not {self.cells!r:.60}"
            )

    def cells_for(self, measures: Sequence[Metric]) -> tuple[str, ...]:
        """Return the cells without true negatives where no measure asks for them."""
        unasked = all(m.needs and "tn" not in m.needs for m in measures)
        return tuple(cell for cell in self.cells if cell != "tn") if unasked else self.cells

    @property
    def counts_all_items(self) -> bool:
        """Whether true negatives are counted."""
        return "tn" in self.cells

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Precision, recall and F1."""
        return ("precision", "recall", "f1")

    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the measure of a name or callable; averages over classes have none here."""
        if isinstance(asked, str) and _SEVERAL.match(asked):
            raise WordedError(
                f"{printable(asked)} needs several classes, but here is one; ",
                Wording("build the evaluation by from_labels with", "give"),
                " more than two labels, or by ",
                Wording("from_tags or from_conll with by_type=True", "column files with --by-type"),
            )
        return find_metric(asked)

    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Return draws: Dirichlets of each model's cells, or of the patterns that the models share."""
        return draw_joint(
            under, self.joint_outcomes, self._prior_atoms, prior=prior, n_draws=n_draws, rng=rng
        )

    def drawn_units(self, under: Under, prior: float) -> Units | None:
        """Return the patterns that the models share, and the prior's, where models are few."""
        return joint_units(under, self.joint_outcomes, prior)

    def _prior_atoms(
        self, n_models: int, prior: float, atoms: int, n: int, rng: np.random.Generator
    ) -> FloatArray:
        """Draw the prior's share of tables for many models, as a gamma process over random joint outcomes."""
        # Mass 2λ on gold items, 2λ on others, outcomes of models fair coins.
        out = np.zeros((n, n_models, len(self.cells)))
        for yes, no in (("tp", "fn"), ("fp", "tn")):
            sticks = break_sticks(2.0 * prior, atoms, n, rng)
            heads = coin_shares(sticks, n_models, rng)
            out[..., self.cells.index(yes)] = heads
            if no in self.cells:
                out[..., self.cells.index(no)] = sticks.sum(axis=1, keepdims=True) - heads
        return out

    def default_draws(self, under: Under) -> int:
        """Return a million tables, or fewer sets of weights of patterns."""
        return joint_draws(under)

    def is_closed_when_paired(self, measure: Metric) -> bool:
        """Say whether a measure depends only on who was right, or is an F-score."""
        from bayesf1.kinds.joint import is_exact

        return is_exact(measure)

    def paired_sf(
        self,
        ev: Evaluation,
        measure: Metric,
        margins: Sequence[float],
        *,
        prior: float,
        rng: np.random.Generator,
    ) -> Estimate | None:
        """Return P(ν_B - ν_A > d) by quadrature over the joint Dirichlet of both models' outcomes."""
        from bayesf1.kinds.joint import joint_counts, paired_sf

        if not measure.needs:
            return None
        return paired_sf(joint_counts(ev, 0, 1), measure, self.cells, margins, prior=prior, rng=rng)

    def pairing_bounds(
        self, tables: FloatArray, measure: Metric, *, prior: float, rng: np.random.Generator
    ) -> PairingBounds:
        """Return the range of P(ν_B > ν_A) over all pairings of items that two tables allow."""
        from bayesf1.kinds.pairing import pairing_bounds

        a, b = tables
        return pairing_bounds(a, b, measure, self.cells, prior=prior, rng=rng)

    @property
    def outcomes(self) -> Outcomes:
        """The cells."""
        return Outcomes(self.cells, np.eye(len(self.cells)))

    def joint_outcomes(self, n_models: int) -> FloatArray:
        """Return every joint outcome of models on one item."""
        return item_patterns(n_models, self.cells)


def item_patterns(n_models: int, cells: tuple[str, ...]) -> FloatArray:
    """Return every joint outcome of `n_models` models on one item, axes (outcome, model, cell).

    A gold item is found or missed by each model; another item is claimed or left alone by each. Where true
    negatives are not counted, an item that every model leaves alone adds nothing and is left out.

    Examples
    --------
    >>> item_patterns(2, ("tp", "fp", "fn")).shape, item_patterns(2, ("tp", "fp", "fn", "tn")).shape
    ((7, 2, 3), (8, 2, 4))
    """
    one = np.eye(len(cells))
    right, claimed, missed = (one[cells.index(name)] for name in ("tp", "fp", "fn"))
    alone = one[cells.index("tn")] if "tn" in cells else np.zeros(len(cells))
    outcomes = [
        *itertools.product((right, missed), repeat=n_models),
        *itertools.product((claimed, alone), repeat=n_models),
    ]
    stacked = np.array(outcomes)
    return stacked[stacked.any(axis=(1, 2))]
