"""An evaluation under an assumption: what was sampled, by all models together or by each alone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest, plural
from bayesf1.evaluation.samples import Sample, Samples
from bayesf1.evaluation.units import Units

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation

Assumption: TypeAlias = Literal["independent", "paired", "clustered"]
ASSUMPTIONS = ("auto", "independent", "paired", "clustered")
# Units from which a bootstrap over them can be trusted, roughly.
FEW_UNITS = 20


@dataclass(frozen=True, eq=False)
class Under:
    """An evaluation at the level of units that an assumption speaks of.

    Attributes
    ----------
    ev
        The evaluation.
    assumption
        ``"independent"``, ``"paired"`` or ``"clustered"``.
    """

    ev: Evaluation
    assumption: Assumption

    @property
    def shared(self) -> bool:
        """Whether the models share one sample of units; otherwise each has its own."""
        return self.assumption != "independent"

    @property
    def single(self) -> bool:
        """Whether single items are the units, so that the closed forms of a table hold."""
        return self.assumption != "clustered"

    @property
    def paired(self) -> bool:
        """Whether the models share a sample of single items."""
        return self.shared and self.single

    @cached_property
    def samples(self) -> Samples:
        """The sample of units, one that the models share or one for each model.

        Where only totals are known every count of a model is a unit.
        """
        ev = self.ev
        width, n = len(ev.cells), len(ev.models)
        if self.shared:
            assert ev.units is not None
            return Samples((Sample(ev.units.seen, slice(0, width * n)),), ev.tables)
        base, alone = ev.finer or ev.units, []
        for i in range(n):
            one = Units(np.eye(width), ev.tables[i], "item") if base is None else base.select([i], n)
            if not one.shared:
                # What only other models did adds nothing here.
                some = np.asarray(one.rows @ np.ones(width)) > 0.0
                one = Units(one.rows[some], one.weights[some], one.name)
            alone.append(Sample(one.seen, slice(i * width, (i + 1) * width)))
        return Samples(tuple(alone), ev.tables)

    def draw(self, *, prior: float, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield blocks of posterior draws of all models' tables, axes (draw, model, cell).

        Weights of patterns are gamma variates and tables are weighted sums of patterns, so that models are
        dependent as they were on the units; a table's scale is free, as every measure is a ratio.

        Parameters
        ----------
        prior
            λ of the Dirichlet(λ) on each model's cells.
        n_draws
            How many draws in all; memory does not grow with it.
        rng
            The source of randomness.
        """
        return self.ev.kind.draw(self, prior=prior, n_draws=n_draws, rng=rng)

    # ---- words --------------------------------------------------------------------------------------------

    @property
    def n_units(self) -> float:
        """Number of units, each counted once however often a cross-validation repeats it; 0 where unknown."""
        units, folds = self.ev.units, self.ev.folds
        if units is None or not units.shared:
            return 0.0
        return units.size / (folds.k * folds.cv.shape[0] if folds is not None else 1.0)

    @property
    def sampled(self) -> str:
        """How many units there are, and of what kind; empty where only totals are known."""
        units, n = self.ev.units, self.n_units
        if units is None or not units.shared:
            return ""
        return f"{n:,.0f} {units.name if n == 1 else plural(units.name)}"

    @property
    def dependence(self) -> str:
        """What was assumed of the models' dependence."""
        if not self.shared:
            return "models taken as independent"
        how = "" if self.single else " as units (Bayesian bootstrap)"
        return f"models paired on {self.sampled}{how}"

    @property
    def in_methods(self) -> str:
        """The same for a paper's section on methods."""
        if not self.shared:
            return "the two models' test results were taken as independent"
        if self.single:
            return f"the models were paired item by item ({self.sampled})"
        return (
            f"the models were paired on {self.sampled}, taken as units by a Bayesian bootstrap (Rubin 1981)"
        )

    @property
    def caution(self) -> str:
        """What to mind where a bootstrap has too few units to know how much they vary; else empty."""
        units = self.ev.units
        if self.single or units is None or units.size >= FEW_UNITS:
            return ""
        return f"there are only {units.size:.4g} {plural(units.name)}; a bootstrap over so few is too sure of itself"

    def warn(self) -> None:
        """Warn of what the caution says."""
        if self.caution:
            warnings.warn(self.caution, stacklevel=3)


def under(ev: Evaluation, assumption: str) -> Under:
    """Return an evaluation under an assumption, or say why the data do not support it."""
    if assumption not in ASSUMPTIONS:
        raise ValueError(f"unknown assumption {assumption!r}; {nearest(str(assumption), ASSUMPTIONS)}")
    if assumption == "auto":
        return Under(ev, ev.assumption)
    if assumption == "independent":
        return Under(ev, "independent")
    if ev.units is None or not ev.units.shared:
        raise ValueError(
            f"{assumption!r} needs to know what each unit adds, but only totals are known; build the "
            "evaluation from predictions (from_labels, from_tags, from_frame) or ask for 'independent'"
        )
    if assumption == "clustered":
        if ev.units.single:
            raise ValueError(
                "'clustered' needs units of several items, but here every item is its own unit; "
                "give groups= when building the evaluation"
            )
        return Under(ev, "clustered")
    if ev.units.single:
        return Under(ev, "paired")
    if ev.items is None:
        raise ValueError(
            f"'paired' needs single items, but only the sums over each {ev.unit} are known; "
            "ask for 'clustered'"
        )
    return Under(ev.items, "paired")
