"""Agreement as a measure of an evaluation: did the second guideline raise it, and how sure are we?

A guideline's table is the histogram of what all raters together said of a unit, and alpha, kappa and plain agreement are
functions of it. The Bayesian bootstrap over units weighs it like any other table, and units that were rated under both
guidelines are weighed alike, so that the comparison is paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import OneLabel, checked
from bayesf1.base.naming import nearest
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.metric import Metric, MetricLike, metric_of, ratio
from bayesf1.evaluation.under import Under
from bayesf1.evaluation.units import Units
from bayesf1.kinds.draws import draw_bootstrap
from bayesf1.measures.agreement import alphas
from bayesf1.measures.ratings import Level, Ratings, coded_ratings

MEASURES = ("alpha", "kappa", "agreement")


@dataclass(frozen=True)
class RatedUnits(Kind):
    """Units that several raters rated; the cells of a table are what the raters said of a unit, in their order.

    Attributes
    ----------
    values
        The values, in their order.
    said
        Number of the value that each rater gave, axes (cell, rater); below 0 where there is none.
    level
        Level of measurement.
    """

    name: ClassVar[str] = "ratings"
    bootstraps_items: ClassVar[bool] = True
    citation: ClassVar[str] = "the Bayesian bootstrap (Rubin 1981, Annals of Statistics 9, 130–134)"

    values: tuple[str | int | float | bool, ...]
    said: tuple[tuple[int, ...], ...]
    level: Level

    @cached_property
    def _said(self) -> NDArray[np.intp]:
        return np.array(self.said, dtype=np.intp)

    @cached_property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """What the raters said, as text."""
        return tuple("|".join("" if i < 0 else str(self.values[i]) for i in row) for row in self.said)

    def keep(self, cells: tuple[str, ...]) -> Self:
        """Refuse: what was said of units cannot be left out."""
        raise ValueError(f"agreement needs all that was said, but {', '.join(cells[:3])} alone was asked for")

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where what raters said are no numbers of values, or values are not of their level."""
        coded_ratings([[[*self.values], [*self.values]]], self.level, self.values)
        widths, places = {*map(len, self.said)}, {i for row in self.said for i in row}
        if len(widths) != 1 or not places or min(places) < -1 or max(places) >= len(self.values):
            raise ValueError(
                f"said must be rows of equal length with numbers from -1 to {len(self.values) - 1}, not {self.said!r:.60}"
            )
        if (np.sum(self._said >= 0, axis=1) < 2).any():
            raise ValueError("said has a row with fewer than two ratings")

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Krippendorff's alpha."""
        return ("alpha",)

    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return alpha, kappa, the plain share of pairs that agree, or a function of tables."""
        if not isinstance(asked, str):
            return metric_of(asked)
        if asked not in MEASURES:
            raise ValueError(f"unknown metric {asked!r} of ratings; {nearest(asked, MEASURES)}")
        if asked == "kappa":
            if self._said.shape[1] != 2:
                raise ValueError(
                    f"Cohen's kappa is of two raters, and here are {self._said.shape[1]}; take alpha"
                )
            return Metric(asked, "Cohen's κ", self.cells, None, self._kappa, (-1.0, 1.0), percent=False)
        if asked == "agreement":
            return Metric(asked, "Agreement", self.cells, None, self._agreement)
        support = (-np.inf, 1.0)
        return Metric(asked, "Krippendorff's α", self.cells, None, self._alpha, support, percent=False)

    def cell_priors(self, prior: float) -> float:
        """Return 0: there is no prior."""
        return 0.0

    def describe_prior(self, prior: float) -> str:
        """Say that nothing was believed before the data."""
        return "No prior"

    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Return draws of the Bayesian bootstrap over units, which has no prior."""
        return draw_bootstrap(under, n_draws=n_draws, rng=rng)

    @cached_property
    def _ratings(self) -> Ratings:
        """The cells as patterns of ratings, which each occur once; a unit with fewer than two ratings has none."""
        some = self._said >= 0
        sizes = some.sum(axis=1)
        return Ratings(
            self.values,
            np.sort(self._said, axis=1)[np.sort(some, axis=1)],
            np.cumsum(sizes) - sizes,
            sizes.astype(float),
            np.ones(len(sizes)),
        )

    def _alpha(self, tables: FloatArray) -> FloatArray:
        flat = tables.reshape(-1, tables.shape[-1])
        return alphas(self._ratings, self.level, flat).reshape(tables.shape[:-1])

    def _agreement(self, tables: FloatArray) -> FloatArray:
        rated = self._ratings
        same = np.asarray(rated.counts.multiply(rated.counts).sum(axis=1)).ravel() - rated.sizes
        return ratio(tables @ (same / (rated.sizes - 1.0)), tables @ rated.sizes)

    def _kappa(self, tables: FloatArray) -> FloatArray:
        r"""Return :math:`(p_o - p_e)/(1 - p_e)`, Cohen (1960)."""
        first, second = (np.eye(len(self.values))[self._said[:, i]] for i in (0, 1))
        total = tables.sum(axis=-1)
        observed = ratio(tables @ (first * second).sum(axis=1), total)
        margins = [ratio(tables @ side, total[..., None]) for side in (first, second)]
        expected = (margins[0] * margins[1]).sum(axis=-1)
        return ratio(observed - expected, 1.0 - expected)

    @property
    def about(self) -> str:
        """How many raters there are."""
        return f"ratings by {self._said.shape[1]} raters"


@checked
def from_ratings(
    ratings: Mapping[str, ArrayLike],
    *,
    level: Level = "nominal",
    values: Sequence[Any] | None = None,
    missing: OneLabel = None,
) -> Evaluation:
    """Build an Evaluation from ratings of the same units under several guidelines, to compare how far raters agree.

    The measures are ``"alpha"`` (Krippendorff), ``"kappa"`` (Cohen, of two raters) and plain ``"agreement"``. The units
    are bootstrapped, the same ones for all guidelines.

    Parameters
    ----------
    ratings
        Mapping of guideline (or round, or kind of raters) to values with axes (rater, unit), as in
        `krippendorff_alpha`. Units are the same and in the same order; raters may differ, but not how many there are.
    level, values, missing
        As in `krippendorff_alpha`.

    Examples
    --------
    >>> from bayesf1 import compare
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(0, 3, 200)
    >>> def rated(errors):
    ...     return [np.where(rng.random(200) < errors, rng.integers(0, 3, 200), truth) for _ in range(2)]
    >>> res = compare(from_ratings({"first": rated(0.3), "second": rated(0.1)}), rng=1)
    >>> res["alpha"].verdict
    'second better'
    """
    if not isinstance(ratings, Mapping):
        raise ValueError(
            f"ratings must be a mapping such as {{'first guideline': [[…], […]], …}}, not {type(ratings).__name__}"
        )
    names = model_names(ratings)
    known, said = coded_ratings([ratings[name] for name in names], level, values, missing)
    shapes = {table.shape for table in said}
    if len(shapes) > 1:
        wrong = next(name for name, table in zip(names, said, strict=True) if table.shape != said[0].shape)
        raise ValueError(
            f"ratings of {wrong!r} have axes (rater, unit) {said[names.index(wrong)].shape}, but those of {names[0]!r} "
            f"{said[0].shape}; rate the same units by as many raters"
        )
    # A unit that fewer than two rated under some guideline tells nothing of the difference.
    paired = np.all([(table >= 0).sum(axis=0) >= 2 for table in said], axis=0)
    if not paired.any():
        raise ValueError("no unit has two ratings under every guideline; agreement needs pairs")
    stacked = np.concatenate([table[:, paired].T for table in said])
    cells, which = np.unique(stacked, axis=0, return_inverse=True)
    kind = RatedUnits(known, tuple(map(tuple, cells.tolist())), level)
    n = int(paired.sum())
    rows = np.zeros((n, len(names), len(cells)))
    for i, part in enumerate(np.split(which.ravel(), len(names))):
        rows[np.arange(n), i, part] = 1.0
    return Evaluation.of_units(names, kind, Units.merge(rows, np.ones(n), "unit"))
