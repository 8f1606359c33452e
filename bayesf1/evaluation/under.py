"""An evaluation under an assumption: what was sampled, by all models together or by each alone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import joined, plural
from bayesf1.evaluation.anchors import Anchor
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.retraining import Retraining
from bayesf1.evaluation.samples import Sample, Samples
from bayesf1.evaluation.stretch import Stretch, Worth, worth_of
from bayesf1.evaluation.training import Training, training_of
from bayesf1.evaluation.units import Units
from bayesf1.laws.spread import SCALE

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation

Assumption: TypeAlias = Literal["independent", "paired", "clustered"]
Target: TypeAlias = Literal["models", "method"]
ASSUMPTIONS = ("auto", "independent", "paired", "clustered")
TARGETS = ("auto", "models", "method")
# Draws from which it is learnt how much units alone make runs differ.
_PILOT = 1000
# Variates that a few seconds are enough for, and draws that are made in any case.
_AFFORDABLE, _FEWEST = 200_000_000, 4_000
# What units are worth from which on they show well enough how much they vary.
FEW_UNITS = 10


@dataclass(frozen=True, eq=False)
class Under:
    """An evaluation at the level of units that an assumption speaks of.

    Attributes
    ----------
    ev
        The evaluation.
    assumption
        ``"independent"``, ``"paired"`` or ``"clustered"``.
    target
        ``"models"``, of which it speaks as they are, or ``"method"``, of which they are runs, or fitted in folds.
    """

    ev: Evaluation
    assumption: Assumption
    target: Target = "models"

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

    def asking(self, measures: Sequence[Metric]) -> Under:
        """Return the same without cells that no measure asks for, which would only keep patterns apart."""
        cells = self.ev.kind.cells_for(measures)
        return self if cells is self.ev.cells else replace(self, ev=self.ev.keep(cells))

    def scores(
        self,
        measures: Sequence[Metric],
        *,
        prior: float,
        n_draws: int,
        rng: np.random.Generator,
        anchors: Mapping[int, Anchor] = MappingProxyType({}),
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield blocks of posterior draws of the scores of what is compared, for each measure an array (draw, name).

        Where units are bootstrapped, draws are stretched by what so few or uneven ones do not know; a score may
        then lie outside of a measure's support, as the end of a t interval does. A method's score is the mean of its
        runs' scores, and where the target is the method what training adds is drawn, too.

        Parameters
        ----------
        measures
            The measures.
        prior, n_draws, rng
            As in `draw`.
        anchors
            For some of the measures, by their places, an anchor whose draws, stretched as those of the measure, come
            behind all measures', in this order.
        """
        asked = self.asking(measures)
        if asked.retraining is not None:
            yield from asked.retraining.draw(measures, n_draws=n_draws, rng=rng)
            return
        stretches = [self.stretch(measure) for measure in measures]
        training = self.training(measures, prior=prior, rng=rng) if self.target == "method" else None
        kind = asked.ev.kind
        # Anchors are asked as measures are, of tables and cells.
        functions = [*measures, *cast("list[Metric]", list(anchors.values()))]
        for drawn in kind.draw_scores(asked, functions, prior=prior, n_draws=n_draws, rng=rng):
            block, beside = [], dict(zip(anchors, drawn[len(measures) :], strict=True))
            for i, (plain, stretch) in enumerate(zip(drawn, stretches, strict=False)):
                factors = stretch.factors(len(plain), rng)
                scores = stretch(plain, factors)
                if i in anchors:
                    beside[i] = anchors[i].middle + (beside[i] - anchors[i].middle) * factors
                known = None if training is None else training[i]
                block.append(self.of_methods(scores, stretch.centre, known, rng))
            yield (*block, *beside.values())

    @property
    def default_draws(self) -> int:
        """How many draws are made where no number was asked for."""
        units = self.ev.units if self.shared else None
        if self.retraining is not None:
            units = self.retraining.folds.units
        elif not self.ev.methods:
            return self.ev.kind.default_draws(self)
        # Every draw of every run costs as much as there are patterns.
        n_patterns = 1 if units is None else units.n_patterns
        return int(np.clip(6_000_000 // n_patterns, 4_000, 50_000))

    def affordable_draws(self, most: int) -> int:
        """Return how many draws of all models are made where no number was asked for: what a few seconds allow."""
        units = self.ev.units
        if self.retraining is not None or units is None:
            return most
        # A product of matrices takes a column of a table several times faster than a variate is drawn.
        cost = units.n_patterns * (1 + self.ev.tables.size // 8) + self.ev.tables.size
        return int(np.clip(_AFFORDABLE // cost, _FEWEST, most))

    def plain(self, measure: Metric) -> FloatArray:
        """Return the plain scores of what is compared: of the tables, or the means of the runs' or folds' scores."""
        if self.retraining is not None:
            return self.retraining.plain(measure)
        return self.ev.mean_scores(measure(self.ev.tables, self.ev.cells))

    # ---- runs of a method, or folds -----------------------------------------------------------------------------

    @cached_property
    def retraining(self) -> Retraining | None:
        """The models as ways of training, where folds tell of them and the target is the method."""
        if self.target != "method" or self.ev.folds is None:
            return None
        return Retraining.of(self.ev, shared=self.shared)

    def training(
        self, measures: Sequence[Metric], *, prior: float, rng: np.random.Generator
    ) -> list[Training]:
        """Return how much training adds to the doubt about the methods, for each measure."""
        ev = self.ev
        groups = [[ev.models.index(run) for run in method.runs] for method in ev.methods]
        drawn: list[FloatArray | None] = [None] * len(measures)
        if self.shared:
            tables = np.concatenate(list(self.draw(prior=prior, n_draws=_PILOT, rng=rng)))
            drawn = [self.stretch(m).widening * m(tables, ev.cells) for m in measures]
        return [
            training_of(measure, measure(ev.tables, ev.cells), scores, groups)
            for measure, scores in zip(measures, drawn, strict=True)
        ]

    def of_methods(
        self, scores: FloatArray, centre: FloatArray, training: Training | None, rng: np.random.Generator
    ) -> FloatArray:
        """Return draws of the models' scores, axes (draw, model), as those of what is compared."""
        if not self.ev.methods:
            return scores
        means = self.ev.mean_scores(scores)
        if not self.shared:
            # Totals cannot show that runs did not share all their units, and then their mean varies as one of them.
            middle = self.ev.mean_scores(centre)
            runs = np.array([len(method.runs) for method in self.ev.methods])
            means = middle + (means - middle) * np.sqrt(runs)
        return means if training is None else means + training.draw(len(means), rng)

    # ---- few or uneven units --------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether the scores that are compared may follow a law in closed form."""
        return not self.bootstraps and not self.ev.methods and self.retraining is None

    @property
    def bootstraps(self) -> bool:
        """Whether units are drawn by a bootstrap, which knows of no unit but those that were seen."""
        return not self.single or self.ev.kind.bootstraps_items

    def worth(self, measure: Metric) -> Worth:
        """Return what the units are worth for a measure; in cross-validation each is counted once."""
        loads, folds = self.ev.kind.loads(measure, self.ev.tables), self.ev.folds
        found = []
        for units, columns in self.samples.parts:
            if folds is not None:
                units = units.scale(1.0 / (folds.k * folds.cv.shape[0]))
            width = loads.shape[1]
            found.append(worth_of(units, loads[columns.start // width : columns.stop // width]))
        return min(found)

    def stretch(self, measure: Metric) -> Stretch:
        """Return how draws of a measure are moved away from the plain scores."""
        centre = measure(self.ev.tables, self.ev.cells)
        if not self.bootstraps:
            return Stretch(centre)
        units, seen = self.worth(measure)
        # Of a single unit nothing is known but itself.
        return Stretch(centre, max(units - 1.0, 1.0), max(seen, 1e-6))

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
        gaps = self.ev.kind.gaps(self.ev.tables, units.name)
        return f"{n:,.0f} {units.name if n == 1 else plural(units.name)}{gaps and f' ({gaps})'}"

    def counted(self, measure: Metric) -> str:
        """Return how many units there are, and how many even ones they are worth where that is far fewer."""
        if not self.bootstraps or not self.sampled:
            return self.sampled
        effective = self.worth(measure).units
        if effective > 0.75 * self.n_units or self.ev.kind.gaps(self.ev.tables):
            return self.sampled
        return f"{self.sampled}, worth about {max(effective, 1.0):,.0f}"

    @property
    def scope(self) -> str:
        """What a claim about methods speaks of, as the middle of a sentence; empty where models are compared."""
        if self.retraining is not None:
            return self.retraining.scope
        if not self.ev.methods:
            return ""
        numbers = [len(method.runs) for method in self.ev.methods]
        alike = len(set(numbers)) == 1
        runs = f"{numbers[0]} runs each" if alike else f"{joined(map(str, numbers))} runs"
        if self.target == "models":
            return f"averaged over these {runs}"
        return f"averaged over {runs}, allowing for the training and for the {self.sampled or 'test items'}"

    def dependence(self, measure: Metric) -> str:
        """Return what was assumed of the models' dependence."""
        if self.retraining is not None:
            return f"models paired fold by fold; {self.retraining.law_in_words()}"
        what = "runs" if self.ev.methods else "models"
        if not self.shared:
            return f"{what} taken as independent"
        if not self.bootstraps:
            return f"{what} paired on {self.sampled}"
        counted = self.counted(measure)
        return f"{what} paired on {counted}{',' if 'worth' in counted else ''} as units (Bayesian bootstrap)"

    def in_methods(self, measure: Metric) -> str:
        """Return the same for a paper's section on methods."""
        if self.retraining is not None:
            return self.retraining.in_methods()
        return f"{self._in_methods(measure)}{self._of_runs}"

    @property
    def _of_runs(self) -> str:
        if not self.ev.methods:
            return ""
        said = "; a method's score is the mean of its runs' scores"
        if self.target == "models":
            return f"{said}, and the conclusions concern these runs only"
        return (
            f"{said}, and the runs' true scores were taken to vary around it by a standard deviation with a half-t prior "
            f"(3 degrees of freedom, scale {SCALE:g} of the measure's range), learnt from how far the runs "
            "differ beyond what drawing test items explains"
        )

    def _in_methods(self, measure: Metric) -> str:
        if not self.shared:
            return "the two models' test results were taken as independent"
        if not self.bootstraps:
            return f"the models were paired item by item ({self.sampled})"
        freedom = self.stretch(measure).freedom
        return (
            f"the models were paired on {self.counted(measure)}, taken as units by a Bayesian bootstrap (Rubin 1981), "
            f"widened as a t distribution with {freedom:,.0f} degree{'' if round(freedom) == 1 else 's'} of freedom is "
            "compared with a normal one"
        )

    def caution(self, measure: Metric) -> str:
        """Return what to mind where there are too few units to know well how much they vary; else nothing."""
        unused = self.retraining is not None and not self.retraining.mixed
        if unused or not self.bootstraps or not self.sampled or self.worth(measure).units >= FEW_UNITS:
            return ""
        units = self.ev.units
        assert units is not None
        many = plural(units.name)
        if self.ev.kind.gaps(self.ev.tables):
            return (
                f"of {self.sampled}, what is labelled counts as about {self.worth(measure).units:,.0f} {many}: so few hardly "
                f"show how much {many} vary, and intervals are wider for it"
            )
        if self.counted(measure) == self.sampled:
            return (
                f"there {'is' if self.n_units == 1 else 'are'} only {self.sampled}: so few hardly show how much {many} "
                "vary, and intervals are wider for it"
            )
        return (
            f"the {self.counted(measure)} as a few hold most of what is counted, hardly show how much {many} vary, "
            "and intervals are wider for it"
        )

    def warn(self, *measures: Metric) -> None:
        """Warn of what the caution says, once."""
        found = next(filter(None, map(self.caution, measures)), "")
        if found:
            warnings.warn(found, stacklevel=3)
