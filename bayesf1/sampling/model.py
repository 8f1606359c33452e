"""The sampling model: which units, runs or folds were sampled, whether models share them, and the prior."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import check_known, joined, plural
from bayesf1.designs import BlockedCV, KFoldCV
from bayesf1.distributions.random_effects import RandomEffects, moved_into
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import Metric
from bayesf1.sampling.data_sets import random_effects_of
from bayesf1.sampling.draws import ManyUnits, join_blocks
from bayesf1.sampling.inflation import (
    FEW_UNITS,
    ClusterSizes,
    EffectiveSample,
    SizeEffect,
    SmallSampleInflation,
    effective_sample_of,
)
from bayesf1.sampling.resampling import Sample, Samples
from bayesf1.sampling.training import RunVariance, TrainingVariance, run_variance_of
from bayesf1.task import AskedScores, Control, ScoreBlock
from bayesf1.units import MANY, Assumption, Units

Target: TypeAlias = Literal["models", "method"]
Claim: TypeAlias = Literal["models", "method", "corpora"]
ASSUMPTIONS = ("auto", "independent", "paired", "clustered", "fixed")
TARGETS = ("auto", "models", "method", "corpora")

# The number of draws that show how much the scores of runs vary between samples of units alone.
_PILOT = 1000
# The most draws of a random-effects model, and how many entries of covariance matrices, over all draws, take a second
# or two.
_MOST_EFFECTS = 100_000
_AFFORDABLE_EFFECTS = 20_000_000
# The number of variates that take a few seconds, and the fewest draws, which are made in any case.
_AFFORDABLE = 200_000_000
_FEWEST = 2_000
# This many columns of a dense product take as long as drawing a variate.
_COLUMNS_PER_VARIATE = 8
# Scores are said to depend on the sizes of units if the p-value of their correlation is below this.
_EVIDENT = 0.1
# The fewest units that are ranked, and the most patterns, as more take too long.
_FEWEST_RANKED = 5
_MOST_RANKED = 50_000
# Intervals of n units are widened if the p-value is below this, divided by n. The threshold is lenient for few units,
# which show little, and strict for many, where a false alarm costs more.
_SUSPECTED = 2.0


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """What was sampled, for a metric, as plain values.

    Attributes
    ----------
    assumption
        ``"independent"`` tables, ``"paired"`` items, ``"clustered"`` units, or ``"fixed"`` items with sampled generations.
    target
        What a claim is about: these ``"models"``, the ``"method"`` that trained them, or models on ``"corpora"`` like
        the data sets that were sampled.
    unit, n_units
        What a shared unit is called, and how many there are; 0 if only totals are known.
    labelled
        How many units have gold labels, in words; "" if all have.
    effective_units, freedom
        The effective number of units of a bootstrap, and the degrees of freedom of its small-sample inflation; None
        without a bootstrap. If items are fixed, the degrees of freedom are those of their generations.
    runs
        The number of runs of each method.
    cv, discount, rule
        The cross-validation, the factor that its counts are discounted by, and the rule that gave it.
    training
        How folds show training: by ``"contrasts"`` of halves, by the ``"corrected"`` t, or by a ``"mixture"`` of
        contrasts with a bootstrap; "" if they do not.
    final
        Whether scores are final, and their items unknown.
    generations, repeated
        The least and the most generations of an item, if units are their means, and the name of one.
    data_sets
        The settings within each of several data sets, if these are the units.
    """

    assumption: Assumption
    target: Claim
    unit: str
    n_units: float
    labelled: str = ""
    effective_units: float | None = None
    freedom: float | None = None
    runs: tuple[int, ...] = ()
    cv: BlockedCV | KFoldCV | None = None
    discount: float | None = None
    rule: str = ""
    training: str = ""
    final: bool = False
    generations: tuple[int, ...] = ()
    repeated: str = ""
    data_sets: tuple[SamplingSettings, ...] = ()

    @property
    def hides_spread(self) -> bool:
        """Whether scores that never vary prove nothing, as few units or a few folds may be alike by chance."""
        if self.training in ("contrasts", "corrected"):
            return True
        # Training has a prior that lets scores vary even if runs, or halves, are alike.
        if self.training == "mixture" or self.target == "method":
            return False
        # Only a bootstrap is limited to the units that were seen.
        if self.effective_units is None:
            return False
        return self.effective_units < FEW_UNITS


class _StretchedMetric(NamedTuple):
    """How draws of one metric become draws of what is compared, with its own source of randomness."""

    metric: Metric
    inflation: SmallSampleInflation
    training: RunVariance | None
    rng: np.random.Generator


@dataclass(frozen=True, eq=False)
class SamplingModel:
    """An evaluation with the units of an assumption, the target of a claim, and a prior.

    Attributes
    ----------
    ev
        The evaluation.
    assumption
        ``"independent"``, ``"paired"``, ``"clustered"`` or ``"fixed"``.
    target
        What a claim is about: the ``"models"`` themselves, or the ``"method"`` of which they are runs, or that trained
        them on folds.
    prior
        λ of the Dirichlet(λ) on each model's cells.
    """

    ev: Evaluation
    assumption: Assumption
    target: Target
    prior: float

    # ---- units ----------------------------------------------------------------------------------------------

    @property
    def shared(self) -> bool:
        """Whether the models share one sample of units; otherwise each has its own."""
        return self.assumption != "independent"

    @property
    def single(self) -> bool:
        """Whether single items are the units, so that the closed forms of a table hold."""
        return self.assumption in ("independent", "paired")

    @property
    def bootstraps(self) -> bool:
        """Whether units are drawn by a bootstrap, which has only the units that were seen."""
        if self.assumption == "fixed":
            return False
        return not self.single or self.ev.task.bootstraps_items

    @property
    def closed(self) -> bool:
        """Whether the scores that are compared may have a distribution in closed form."""
        if self.bootstraps or self.assumption == "fixed" or self.ev.methods:
            return False
        return self.ev.corpora is None and self.training_variance is None

    @property
    def has_prior(self) -> bool:
        """Whether the cells have a prior; scores of folds and of generations are t distributed without one."""
        return self.training_variance is None and self.assumption != "fixed"

    @property
    def citation(self) -> str:
        """Where the posterior was published."""
        if self.assumption == "fixed":
            return "a posterior of mean scores over generations (Miller 2024, arXiv 2411.00640)"
        return self.ev.task.citation

    @property
    def n_units(self) -> float:
        """The number of units, each counted once however often a cross-validation repeats it; 0 if it is unknown."""
        units = self.ev.units
        if self.ev.corpora is not None:
            return float(len(self.ev.corpora.names))
        if units is None or not units.shared:
            return 0.0
        return units.size / self._times_counted

    @property
    def _times_counted(self) -> float:
        """How often the weights count each unit: once, or in a cross-validation once per repeat, times the discount."""
        folds = self.ev.folds
        if folds is None:
            return 1.0
        n_repeats, _ = folds.cv.shape
        return folds.k * n_repeats

    @cached_property
    def samples(self) -> Samples:
        """The sample of units that the models share, or one for each model.

        If only totals are known, every count of a model is a unit.
        """
        ev = self.ev
        n_models = len(ev.models)
        if self.shared:
            assert ev.units is not None
            return Samples((Sample(ev.units.seen, slice(0, n_models)),), ev.tables)
        parts = [Sample(self._units_of(i).seen, slice(i, i + 1)) for i in range(n_models)]
        return Samples(tuple(parts), ev.tables)

    def _units_of(self, i: int) -> Units:
        """Return the units of one of the models by itself."""
        ev = self.ev
        n_cells = len(ev.cells)
        units = ev.units if ev.item_units is None else ev.item_units
        if units is None:
            return Units(np.eye(n_cells), ev.tables[i], "item")
        units = units.select([i], len(ev.models))
        if units.shared:
            return units
        # Units of other models add nothing to this one.
        own = np.asarray(units.rows @ np.ones(n_cells)) > 0.0
        return Units(units.rows[own], units.weights[own], units.name)

    # ---- draws ----------------------------------------------------------------------------------------------

    def draw(self, *, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield blocks of posterior draws of all models' tables, axes (draw, model, cell).

        Weights of patterns are gamma variates and tables are weighted sums of patterns, so that models are
        dependent as they were on the units. The scale of a table does not matter, as every metric is a ratio.

        Parameters
        ----------
        n_draws
            How many draws in all; memory does not grow with it.
        rng
            The source of randomness.
        """
        return self.ev.task.draw(self, n_draws, rng)

    def scores(
        self, metrics: Sequence[Metric], *, n_draws: int, rng: np.random.Generator
    ) -> list[FloatArray]:
        """Return posterior draws of the scores of what is compared, for each metric an array (draw, name)."""
        blocks = self.score_blocks(metrics, n_draws=n_draws, rng=rng)
        return join_blocks(block.scores for block in blocks)

    def score_blocks(
        self,
        metrics: Sequence[Metric],
        *,
        n_draws: int,
        rng: np.random.Generator,
        controls: Mapping[str, Control] | None = None,
    ) -> Iterator[ScoreBlock]:
        """Yield blocks of posterior draws of the scores of what is compared, for each metric an array (draw, name).

        Draws are stretched if units are bootstrapped, as few or uneven units understate the variance. A stretched score
        may lie outside a metric's support, as the end of a t interval may. A method's score is the mean of its runs'
        scores, and varies more if the target is the method, as training adds to it. The draws of a metric do not depend
        on which others are asked for.

        Parameters
        ----------
        metrics
            The metrics.
        n_draws, rng
            As in `draw`.
        controls
            Control variates by the names of their metrics. They are stretched by the same factors as the scores.
        """
        seed = int(rng.integers(1 << 63))
        rng_of_tables = np.random.default_rng(seed)
        rngs = [np.random.default_rng((seed, zlib.crc32(metric.name.encode()))) for metric in metrics]
        if controls is None:
            controls = {}
        if self.ev.corpora is not None:
            assert not controls
            yield ScoreBlock(self._draw_averages(metrics, n_draws, rngs), controls={})
        elif self.training_variance is not None:
            assert not controls
            blocks = self.training_variance.draw(
                metrics, n_draws=n_draws, rng=rng_of_tables, metric_rngs=rngs
            )
            for scores in blocks:
                yield ScoreBlock(scores, controls={})
        elif self.assumption == "fixed":
            assert not controls
            drawn = [
                self._draw_generations(metric, n_draws, metric_rng)
                for metric, metric_rng in zip(metrics, rngs, strict=True)
            ]
            yield ScoreBlock(drawn, controls={})
        else:
            stretched = self._stretched_metrics(metrics, rngs, np.random.default_rng((seed, 0)))
            asked = AskedScores(metrics, n_draws, rng_of_tables, controls)
            for block in self.ev.task.draw_scores(self, asked):
                yield self._stretch(block, stretched)

    def _stretched_metrics(
        self,
        metrics: Sequence[Metric],
        rngs: Sequence[np.random.Generator],
        rng_of_training: np.random.Generator,
    ) -> list[_StretchedMetric]:
        """Return how draws of each metric become draws of what is compared."""
        variances: Sequence[RunVariance | None] = [None for _ in metrics]
        if self.target == "method":
            variances = self.run_variances(metrics, rng=rng_of_training)
        parts = zip(metrics, variances, rngs, strict=True)
        return [
            _StretchedMetric(metric, self.inflation(metric), variance, rng) for metric, variance, rng in parts
        ]

    def _stretch(self, block: ScoreBlock, metrics: Sequence[_StretchedMetric]) -> ScoreBlock:
        """Turn draws of models' scores, and of controls, into draws of what is compared, stretched by the same factors."""
        stretched_scores = []
        stretched_controls = {}
        for scores, (metric, inflation, training, rng) in zip(block.scores, metrics, strict=True):
            factors = inflation.draw_factors(len(scores), rng)
            stretched = inflation.stretch(scores, factors, rng)
            stretched_scores.append(self._average_runs(stretched, inflation.centre, training, rng))
            if metric.name in block.controls:
                # A control is linear: stretching its first sum stretches the difference that it approximates.
                # Models whose difference is also moved by training, or by a size effect, have no control.
                rises, divisors = block.controls[metric.name].T
                stretched_controls[metric.name] = np.stack([rises * factors, divisors], axis=1)
        return ScoreBlock(stretched_scores, stretched_controls)

    def n_draws(self, metrics: Sequence[Metric], most: int = 100_000, fewest: int = _FEWEST) -> int:
        """Return how many draws are made if no number was asked for: as many as a second allows."""
        ev = self.ev
        if ev.corpora is not None:
            most = min(most, _MOST_EFFECTS)
            affordable = _AFFORDABLE_EFFECTS // (len(ev.corpora.names) * len(ev.models) ** 2)
        else:
            units = ev.units
            if self.training_variance is not None:
                units = self.training_variance.folds.units
            if units is None or not self.shared:
                return most
            affordable = _AFFORDABLE // self._cost_of_draw(units, metrics)
        return int(np.clip(affordable, min(fewest, most), most))

    def _cost_of_draw(self, units: Units, metrics: Sequence[Metric]) -> int:
        """Return how long a draw takes, in variates."""
        ev = self.ev
        n_cells = ev.tables.size
        # Multiplying a column takes a fraction of the time of drawing a variate; if rows are sparse, only their entries
        # are multiplied.
        if isinstance(units.rows, np.ndarray):
            products = units.n_patterns * (n_cells // _COLUMNS_PER_VARIATE)
        else:
            products = int(units.rows.nnz)
        cost = units.n_patterns + products + n_cells
        if not ev.task.many_cells:
            n_sums = n_cells
        elif all(metric.ratio(ev.cells) is not None or _linearised(metric, units) for metric in metrics):
            n_sums = 2 * len(ev.models)
        else:
            # Whole tables are drawn, which takes about three times as long.
            return 3 * cost
        return min(cost, MANY) if ManyUnits.applies(units.n_patterns, n_sums) else cost

    def linearises(self, metric: Metric) -> bool:
        """Return whether a metric is drawn to first order only, as there are many units."""
        return self.ev.units is not None and _linearised(metric, self.ev.units)

    def plain(self, metric: Metric) -> FloatArray:
        """Return the plain scores of what is compared: of the tables, or the means of the runs' or folds' scores."""
        if self.training_variance is not None:
            return self.training_variance.plain(metric)
        return self.ev.mean_scores(self.ev.scores(metric))

    # ---- these very items ---------------------------------------------------------------------------------------

    def _draw_generations(self, metric: Metric, n_draws: int, rng: np.random.Generator) -> FloatArray:
        r"""Return draws of scores on these very items, axes (draw, model); only their generations are a sample.

        They are t distributed around the plain scores, with the generations' part of Miller's (2024) variance,
        :math:`\sum_i s_i^2 / (n^2 K_i)`, and :math:`\sum_i (K_i - 1)` degrees of freedom.
        """
        ev = self.ev
        generations = ev.generations
        assert generations is not None
        n_models = len(ev.models)
        slopes = metric.ratio_slopes(ev.tables, ev.cells)
        # Axes (model, cell). A score depends on its own model's cells alone.
        if slopes is None:
            sums = self.samples.gradient(lambda tables: metric(tables, ev.cells).sum(axis=-1))
            slopes = sums.reshape(n_models, -1)
        of_models = np.eye(n_models)[:, :, None] * slopes
        errors = np.sqrt([generations.variance(of_model.ravel()) for of_model in of_models])
        half = 0.5 * float(generations.freedom.sum())
        factors = np.sqrt(half / rng.standard_gamma(half, size=(n_draws, 1)))
        return np.asarray(self.plain(metric) + factors * rng.standard_normal((n_draws, n_models)) * errors)

    # ---- several data sets --------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[SamplingModel, ...]:
        """What was sampled within each of several data sets."""
        assert self.ev.corpora is not None
        return tuple(sampling_model(part) for part in self.ev.corpora.parts)

    def effects(self, metric: Metric, rng: np.random.Generator) -> RandomEffects:
        """Return the random-effects model of the scores on several data sets."""
        return random_effects_of(self.parts, metric, rng)

    def _draw_averages(
        self, metrics: Sequence[Metric], n_draws: int, rngs: Sequence[np.random.Generator]
    ) -> list[FloatArray]:
        """Return draws of the scores on the average data set, for each metric an array (draw, model)."""
        averages = []
        for metric, rng in zip(metrics, rngs, strict=True):
            drawn = self.effects(metric, rng).draw(n_draws, rng)
            averages.append(moved_into(drawn.average, metric.support))
        return averages

    # ---- runs of a method, or folds -----------------------------------------------------------------------------

    @cached_property
    def training_variance(self) -> TrainingVariance | None:
        """How training varies between folds, if there are folds and the target is the method."""
        if self.target != "method" or self.ev.folds is None:
            return None
        folds = self.ev.folds if self.shared else self.ev.folds.tables_only
        return TrainingVariance(folds, self.ev.cells, self.ev.task.final)

    def run_variances(self, metrics: Sequence[Metric], *, rng: np.random.Generator) -> list[RunVariance]:
        """Return how much training adds to the uncertainty about the methods, for each metric."""
        ev = self.ev
        groups = [[ev.models.index(run) for run in method.runs] for method in ev.methods]
        pilot: Sequence[FloatArray | None] = [None for _ in metrics]
        if self.shared:
            blocks = ev.task.draw_scores(self, AskedScores(metrics, _PILOT, rng))
            drawn = join_blocks(block.scores for block in blocks)
            # Only the variances of these scores are used, so it does not matter that they are widened about 0.
            pilot = [
                self.inflation(metric).widening * scores
                for metric, scores in zip(metrics, drawn, strict=True)
            ]
        return [
            run_variance_of(metric, metric(ev.tables, ev.cells), scores, groups)
            for metric, scores in zip(metrics, pilot, strict=True)
        ]

    def _average_runs(
        self, scores: FloatArray, centre: FloatArray, training: RunVariance | None, rng: np.random.Generator
    ) -> FloatArray:
        """Return draws of what is compared, axes (draw, name), from draws of the models' scores, axes (draw, model)."""
        if not self.ev.methods:
            return scores
        means = self.ev.mean_scores(scores)
        if not self.shared:
            # Totals do not show whether runs shared all their units. If they did, their mean varies as much as one run.
            mean_centre = self.ev.mean_scores(centre)
            n_runs = np.array([len(method.runs) for method in self.ev.methods])
            means = mean_centre + (means - mean_centre) * np.sqrt(n_runs)
        if training is None:
            return means
        return means + training.draw(len(means), rng)

    # ---- few or uneven units --------------------------------------------------------------------------------

    def effective_sample(self, metric: Metric) -> EffectiveSample:
        """Return the effective sample for a metric, the smallest of the models' if each has its own units."""
        weights = metric.denominator_weights(self.ev.tables, self.ev.cells)
        samples = []
        for units, models in self.samples.parts:
            if self.ev.folds is not None:
                units = units.scale(1.0 / self._times_counted)
            samples.append(effective_sample_of(units, weights[models]))
        return min(samples, key=lambda sample: sample.units)

    def size_correlations(self, metric: Metric, evident: float = _EVIDENT) -> FloatArray:
        """Return Spearman's correlations of units' sizes with each model's score relative to the mean of the models.

        A correlation is 0 unless its p-value is below `evident`. If it is not 0, a few long units dominate the score.
        Other samples may have more or fewer of them, which no bootstrap shows.
        """
        clusters = self._cluster_sizes(metric)
        if clusters is None or clusters.n_clusters < _FEWEST_RANKED or len(clusters.weights) > _MOST_RANKED:
            return np.zeros(len(self.ev.models))
        scores = metric(clusters.rows, self.ev.cells)
        return clusters.correlations(_relative_to_mean(scores), evident)

    def _cluster_sizes(self, metric: Metric) -> ClusterSizes | None:
        """Return the clusters that count for a metric, with their sizes; None if units are not clusters."""
        ev = self.ev
        if self.assumption != "clustered" or ev.units is None or ev.task.many_cells or ev.methods:
            return None
        weights = metric.denominator_weights(ev.tables, ev.cells)
        sizes = np.asarray(ev.units.rows @ weights.ravel())
        counting = sizes > 0.0
        rows = ev.units.rows[counting].reshape(-1, *ev.tables.shape)
        return ClusterSizes(rows, sizes[counting], ev.units.weights[counting])

    def inflation(self, metric: Metric) -> SmallSampleInflation:
        """Return how draws of a metric are stretched around the plain scores."""
        centre = metric(self.ev.tables, self.ev.cells)
        if not self.bootstraps:
            return SmallSampleInflation(centre)
        inflation = self.effective_sample(metric).inflation(centre)
        return replace(inflation, size_effect=self._size_effect(metric, centre))

    def _size_effect(self, metric: Metric, centre: FloatArray) -> SizeEffect | None:
        """Return how other long clusters would move the scores; None if sizes do not seem to matter."""
        clusters = self._cluster_sizes(metric)
        if clusters is None:
            return None
        correlations = self.size_correlations(metric, _SUSPECTED / max(clusters.n_clusters, 1.0))
        if not correlations.any():
            return None
        on_long_clusters = metric(clusters.long_tables, self.ev.cells)
        shift = np.where(correlations != 0.0, _relative_to_mean(on_long_clusters - centre), 0.0)
        return SizeEffect(clusters.n_long, shift)

    # ---- as plain values ------------------------------------------------------------------------------------

    def settings(self, metric: Metric) -> SamplingSettings:
        """Return what was sampled, as plain values."""
        ev = self.ev
        n_units = self.n_units
        settings = SamplingSettings(
            assumption=self.assumption,
            target=self.target,
            unit=ev.unit,
            n_units=n_units,
            runs=tuple(len(method.runs) for method in ev.methods),
            final=ev.task.final,
        )
        if n_units:
            settings = replace(settings, labelled=ev.labelled)
        if self.bootstraps:
            sample = self.effective_sample(metric)
            settings = replace(settings, effective_units=sample.units, freedom=sample.freedom)
        if self.assumption == "fixed":
            assert ev.generations is not None
            settings = replace(settings, freedom=float(ev.generations.freedom.sum()))
        if ev.folds is not None:
            rule = ev.folds.rule if isinstance(ev.folds.rule, str) else "given"
            settings = replace(settings, cv=ev.folds.cv, discount=ev.folds.k, rule=rule)
        if self.training_variance is not None:
            settings = replace(settings, training=self.training_variance.estimate)
        if ev.generations is not None:
            least_and_most = (ev.generations.least, ev.generations.most)
            settings = replace(settings, generations=least_and_most, repeated=ev.generations.noun)
        if ev.corpora is not None:
            data_sets = tuple(part.settings(metric) for part in self.parts)
            settings = replace(settings, data_sets=data_sets, target="corpora")
        return settings


def _linearised(metric: Metric, units: Units) -> bool:
    """Return whether draws replace a metric by a ratio of two sums, equal to first order, as there are many units."""
    return units.many and metric.expand is not None


def _relative_to_mean(scores: FloatArray) -> FloatArray:
    """Return how each model's score differs from the mean of the models, axes (..., model)."""
    return np.asarray(scores - scores.mean(axis=-1, keepdims=True))


def sampling_model(
    ev: Evaluation, assumption: str = "auto", target: str = "auto", prior: float | None = None
) -> SamplingModel:
    """Return the sampling model, or raise a ValueError if the data do not support the assumption or the target.

    Parameters
    ----------
    ev
        The evaluation.
    assumption
        ``"independent"``, ``"paired"`` or ``"clustered"``; ``"auto"`` is the strongest assumption that the data support.
        ``"fixed"`` takes the items as given, and only their generations as sampled.
    target
        ``"models"`` or ``"method"``; ``"auto"`` is the method if each was trained several times.
    prior
        λ of the Dirichlet(λ) on each model's cells; by default that of the task.
    """
    check_known(assumption, "assumption", ASSUMPTIONS)
    checked_target = check_target(ev, target)
    checked_prior = ev.check_prior(prior)
    with_units = _evaluation_of_assumption(ev, assumption)
    checked_assumption = ev.assumption if assumption == "auto" else cast("Assumption", assumption)
    return SamplingModel(with_units, checked_assumption, checked_target, checked_prior)


def _evaluation_of_assumption(ev: Evaluation, assumption: str) -> Evaluation:
    """Return the evaluation with the units of an assumption, or raise a ValueError if the data do not support it."""
    if ev.task.final or ev.corpora is not None:
        if assumption not in ("auto", ev.assumption):
            raise ValueError(
                f"assumption={assumption!r} needs what models did on each item, and this table has final scores; leave it out"
            )
        return ev
    if assumption in ("auto", "independent"):
        return ev
    if assumption == "fixed":
        # Answers to several prompts are not a sample of generations.
        if ev.generations is None or ev.generations.noun != "generation" or ev.methods:
            raise ValueError(
                "'fixed' takes generations of the same items as the sample, and these data have none of single models; "
                "give generation= to from_frame, or leave assumption= out"
            )
        return ev
    if ev.units is None or not ev.units.shared:
        raise ValueError(
            f"{assumption!r} needs the counts of each unit, but only totals are known; build the "
            "evaluation from predictions (from_labels, from_tags, from_frame) or ask for 'independent'"
        )
    if assumption == "clustered":
        if ev.units.single:
            raise ValueError(
                "'clustered' needs units of several items, but here every item is its own unit; "
                "give groups= when building the evaluation"
            )
        return ev
    items = ev if ev.units.single else ev.items
    if items is None:
        raise ValueError(
            f"'paired' needs single items, but only the sums over each {ev.unit} are known; ask for 'clustered'"
        )
    return items


def check_target(ev: Evaluation, target: str) -> Target:
    """Return the target of a claim, or raise a ValueError if the data do not support it."""
    check_known(target, "target", TARGETS)
    if ev.corpora is not None:
        if target not in ("auto", "corpora"):
            raise ValueError(
                f"target={target!r} is about one test set, but there are several {plural(ev.unit)}; leave it out"
            )
        # The settings call it "corpora"; nothing is added for training, as if the target were the models.
        return "models"
    if target == "corpora":
        raise ValueError("target='corpora' takes several data sets, but there is one test set; leave it out")
    trained_several_times = bool(ev.methods) or ev.folds is not None
    if ev.task.final:
        if target == "models":
            raise ValueError(
                "target='models' needs what models did on each item, and this table has final scores; leave it out"
            )
        target = "method" if trained_several_times else "auto"
    if target == "method" and not trained_several_times:
        raise ValueError(
            "target='method' needs a method that was trained several times; give runs, as {'bert': {'seed1': …, "
            "'seed2': …}} or with ev.with_runs, or a cross-validation"
        )
    with_one_run = [method.name for method in ev.methods if len(method.runs) == 1]
    if target == "method" and with_one_run:
        remedy = "give more runs"
        if not ev.task.final:
            remedy = f"{remedy}, or ask for target='models'"
        raise ValueError(
            f"one run of {joined(with_one_run)} does not show how much training varies; {remedy}"
        )
    if target == "auto":
        return "method" if ev.methods and not with_one_run else "models"
    return cast("Target", target)
