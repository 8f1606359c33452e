"""What was sampled and believed: items, clusters, runs or folds, shared by the models or not, and the prior."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import check_known, joined, plural
from bayesf1.designs import BlockedCV, KFoldCV
from bayesf1.distributions.random_effects import DIFFICULTY, SCALE, RandomEffects, robust_covariance, within
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import Metric
from bayesf1.sampling.draws import FEW_SUMS, SMALL, join_blocks
from bayesf1.sampling.inflation import (
    FEW_UNITS,
    EffectiveSample,
    SmallSampleInflation,
    effective_sample_of,
    evident_correlations,
)
from bayesf1.sampling.resampling import Sample, Samples
from bayesf1.sampling.training import RunVariance, TrainingVariance, run_variance_of
from bayesf1.task import Control, ScoreBlock
from bayesf1.units import MANY, Assumption, Units

Target: TypeAlias = Literal["models", "method"]
ASSUMPTIONS = ("auto", "independent", "paired", "clustered")
TARGETS = ("auto", "models", "method")
# Draws from which it is learnt how much units alone make runs differ.
_PILOT = 1000
# Draws of each data set for its covariance, and the most draws of a random-effects model.
_CORPUS_PILOT, _MOST_EFFECTS = 4_000, 100_000
# Scores are printed with a tenth of a point, whose rounding has this standard deviation.
_ROUNDED = 3e-4
# Numbers in the covariances of all draws of a random-effects model that a second or two are enough for.
_EFFECTS = 20_000_000
# A p-value below which scores are said to go with the sizes of units; units to rank, at least, and patterns at most.
_EVIDENT, _RANKED, _MOST_PATTERNS = 0.1, 5, 50_000
# Intervals of n units are wider from a p-value below so many nths: few show little, and of many a false alarm costs more.
_SUSPECTED = 2.0
# Variates that a few seconds are enough for, and draws that are made in any case.
_AFFORDABLE, _FEWEST = 200_000_000, 2_000


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """What was taken as sampled, for a metric.

    Attributes
    ----------
    assumption
        ``"independent"`` tables, ``"paired"`` items or ``"clustered"`` units.
    target
        What a claim is about: these ``"models"``, or the ``"method"`` that trained them.
    unit, n_units, labelled
        What a shared unit is called, how many there are (0 if only totals are known), and how many have gold labels, in
        words, if not all have.
    effective_units, freedom
        How many even units would tell as much as the units of a bootstrap, and the degrees of freedom of its
        small-sample inflation; None without a bootstrap.
    runs
        The number of runs of each method.
    cv, discount, rule
        The cross-validation, the factor that its counts are discounted by, and the rule that gave it.
    training
        How folds tell of training: ``"contrasts"`` of halves, ``"corrected"`` t, or a ``"mixture"`` of contrasts with
        a bootstrap; "" if they do not.
    final
        Whether scores are final, and nothing is known of items.
    generations, repeated
        The least and the most generations that an item has, if units are their means, and what one is called.
    within
        What was sampled within each of several data sets, if these are the units.
    """

    assumption: Assumption
    target: Target
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
    within: tuple[SamplingSettings, ...] = ()

    @property
    def hides_spread(self) -> bool:
        """Whether a score that is the same throughout tells nothing: few units may be alike by chance, and so may folds."""
        few = self.target == "models" and not self.training
        return self.training in ("contrasts", "corrected") or (
            few and (self.effective_units or FEW_UNITS) < FEW_UNITS
        )


class _StretchedMetric(NamedTuple):
    """A metric, how its draws are stretched, what training adds to them, and its own source of randomness."""

    metric: Metric
    inflation: SmallSampleInflation
    training: RunVariance | None
    rng: np.random.Generator


@dataclass(frozen=True, eq=False)
class SamplingModel:
    """An evaluation at the level of units that an assumption speaks of.

    Attributes
    ----------
    ev
        The evaluation.
    assumption
        ``"independent"``, ``"paired"`` or ``"clustered"``.
    target
        ``"models"``, of which it speaks as they are, or ``"method"``, of which they are runs, or fitted in folds.
    prior
        λ of the Dirichlet(λ) on each model's cells.
    """

    ev: Evaluation
    assumption: Assumption
    target: Target
    prior: float

    @property
    def shared(self) -> bool:
        """Whether the models share one sample of units; otherwise each has its own."""
        return self.assumption != "independent"

    @property
    def single(self) -> bool:
        """Whether single items are the units, so that the closed forms of a table hold."""
        return self.assumption != "clustered"

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
        base, alone = ev.item_units or ev.units, []
        for i in range(n):
            one = Units(np.eye(width), ev.tables[i], "item") if base is None else base.select([i], n)
            if not one.shared:
                # What only other models did adds nothing here.
                some = np.asarray(one.rows @ np.ones(width)) > 0.0
                one = Units(one.rows[some], one.weights[some], one.name)
            alone.append(Sample(one.seen, slice(i * width, (i + 1) * width)))
        return Samples(tuple(alone), ev.tables)

    def draw(self, *, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield blocks of posterior draws of all models' tables, axes (draw, model, cell).

        Weights of patterns are gamma variates and tables are weighted sums of patterns, so that models are
        dependent as they were on the units; a table's scale is free, as every metric is a ratio.

        Parameters
        ----------
        n_draws
            How many draws in all; memory does not grow with it.
        rng
            The source of randomness.
        """
        return self.ev.task.draw(self, n_draws=n_draws, rng=rng)

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

        Draws are stretched if units are bootstrapped, as few or uneven units do not show all that others would. A score
        may then lie outside of a metric's support, as the end of a t interval does. A method's score is the mean of its
        runs' scores, to which training adds if the target is the method. The draws of a metric do not depend on which
        others are asked for.

        Parameters
        ----------
        metrics
            The metrics.
        n_draws, rng
            As in `draw`.
        controls
            Control variates by the names of their metrics. Their draws are stretched as those of the metrics are.
        """
        seed = int(rng.integers(1 << 63))
        rng_of_tables = np.random.default_rng(seed)
        rngs = [np.random.default_rng((seed, zlib.crc32(metric.name.encode()))) for metric in metrics]
        if controls is None:
            controls = {}
        if self.ev.corpora is not None:
            assert not controls
            effects = [self.effects(metric, own) for metric, own in zip(metrics, rngs, strict=True)]
            averages = [model.draw(n_draws, own).average for model, own in zip(effects, rngs, strict=True)]
            scores = [within(drawn, m.support) for drawn, m in zip(averages, metrics, strict=True)]
            yield ScoreBlock(scores, controls={})
        elif self.training_variance is not None:
            assert not controls
            for scores in self.training_variance.draw(metrics, n_draws=n_draws, rng=rng_of_tables, own=rngs):
                yield ScoreBlock(scores, controls={})
        else:
            stretched = self._stretched_metrics(metrics, rngs, np.random.default_rng((seed, 0)))
            blocks = self.ev.task.draw_scores(
                self, metrics, n_draws=n_draws, rng=rng_of_tables, controls=controls
            )
            for block in blocks:
                yield self._stretch(block, stretched)

    def _stretched_metrics(
        self,
        metrics: Sequence[Metric],
        rngs: Sequence[np.random.Generator],
        rng_of_training: np.random.Generator,
    ) -> list[_StretchedMetric]:
        """Return how draws of each metric are stretched."""
        training: Sequence[RunVariance | None] = [None] * len(metrics)
        if self.target == "method":
            training = self.training(metrics, rng=rng_of_training)
        parts = zip(metrics, rngs, training, strict=True)
        return [_StretchedMetric(metric, self.inflation(metric), added, rng) for metric, rng, added in parts]

    def _stretch(self, block: ScoreBlock, metrics: Sequence[_StretchedMetric]) -> ScoreBlock:
        """Return draws of models' scores and of controls as those of what is compared, stretched alike."""
        stretched = ScoreBlock([], {})
        for scores, (metric, inflation, training, rng) in zip(block.scores, metrics, strict=True):
            factors = inflation.factors(len(scores), rng)
            moved = inflation(scores, factors, rng)
            stretched.scores.append(self.of_methods(moved, inflation.centre, training, rng))
            if metric.name in block.controls:
                rises, divisors = block.controls[metric.name].T
                stretched.controls[metric.name] = np.stack([rises * factors, divisors], axis=1)
        return stretched

    def n_draws(self, metrics: Sequence[Metric], most: int = 100_000, fewest: int = _FEWEST) -> int:
        """Return how many draws are made if no number was asked for: what a second allows."""
        ev = self.ev
        if ev.corpora is not None:
            return int(
                np.clip(
                    _EFFECTS // (len(ev.corpora.names) * len(ev.models) ** 2),
                    min(fewest, most),
                    min(most, _MOST_EFFECTS),
                )
            )
        units = self.training_variance.folds.units if self.training_variance is not None else ev.units
        if units is None or not self.shared:
            return most
        # A product of matrices takes a column of a table several times faster than a variate is drawn, and of a sparse
        # one only the entries that it has.
        entries = getattr(units.rows, "nnz", units.n_patterns * (ev.tables.size // 8))
        cost = units.n_patterns + entries + ev.tables.size
        many = ev.task.many_cells
        if many and any(
            metric.ratio(ev.cells) is None and not (units.many and metric.expand) for metric in metrics
        ):
            cost *= 3
        else:
            # Most of very many units are drawn together; shares of the variance add up to the number of sums.
            sums = 2 * len(ev.models) if many else ev.tables.size
            together = sums <= min(FEW_SUMS, 0.5 * SMALL * units.n_patterns)
            cost = min(cost, MANY) if together else cost
        return int(np.clip(_AFFORDABLE // cost, min(fewest, most), most))

    def plain(self, metric: Metric) -> FloatArray:
        """Return the plain scores of what is compared: of the tables, or the means of the runs' or folds' scores."""
        if self.training_variance is not None:
            return self.training_variance.plain(metric)
        return self.ev.mean_scores(self.ev.scores(metric))

    # ---- several data sets --------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[SamplingModel, ...]:
        """What was sampled within each of several data sets."""
        assert self.ev.corpora is not None
        return tuple(sampling_model(part) for part in self.ev.corpora.parts)

    def effects(self, metric: Metric, rng: np.random.Generator) -> RandomEffects:
        """Return the random-effects model of the scores on several data sets, each with its own covariance."""
        centres, covariances = [], []
        pooled = _pooled_variances([part.ev for part in self.parts], metric)
        for part in self.parts:
            own = part.ev.task.metric(metric.name, part.ev.tables)
            if pooled is not None:
                runs = np.array([len(method.runs) for method in part.ev.methods], dtype=float)
                centres.append(part.plain(own))
                covariances.append(np.diag(pooled / runs))
                continue
            (drawn,) = part.scores([own], n_draws=_CORPUS_PILOT, rng=rng)
            centres.append(np.median(drawn, axis=0))
            covariances.append(robust_covariance(drawn))
        unit = max(1.0, float(np.abs(centres).max()))
        covariances = np.stack(covariances) + np.square(_ROUNDED * unit) * np.eye(len(centres[0]))
        return RandomEffects(np.stack(centres), covariances, unit * SCALE, unit * DIFFICULTY, 1.0)

    # ---- runs of a method, or folds -----------------------------------------------------------------------------

    @cached_property
    def training_variance(self) -> TrainingVariance | None:
        """The models as ways of training, where folds tell of them and the target is the method."""
        if self.target != "method" or self.ev.folds is None:
            return None
        folds = self.ev.folds if self.shared else self.ev.folds.tables_only
        return TrainingVariance(folds, self.ev.cells)

    def training(self, metrics: Sequence[Metric], *, rng: np.random.Generator) -> list[RunVariance]:
        """Return how much training adds to the doubt about the methods, for each metric."""
        ev = self.ev
        groups = [[ev.models.index(run) for run in method.runs] for method in ev.methods]
        drawn: list[FloatArray | None] = [None] * len(metrics)
        if self.shared:
            blocks = ev.task.draw_scores(self, metrics, n_draws=_PILOT, rng=rng, controls={})
            pilot = join_blocks(block.scores for block in blocks)
            drawn = [
                self.inflation(metric).widening * scores
                for metric, scores in zip(metrics, pilot, strict=True)
            ]
        return [
            run_variance_of(metric, metric(ev.tables, ev.cells), scores, groups)
            for metric, scores in zip(metrics, drawn, strict=True)
        ]

    def of_methods(
        self, scores: FloatArray, centre: FloatArray, training: RunVariance | None, rng: np.random.Generator
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
        """Whether the scores that are compared may have a distribution in closed form."""
        ev = self.ev
        return not (
            self.bootstraps or ev.methods or ev.corpora is not None or self.training_variance is not None
        )

    @property
    def bootstraps(self) -> bool:
        """Whether units are drawn by a bootstrap, which knows of no unit but those that were seen."""
        return not self.single or self.ev.task.bootstraps_items

    @cached_property
    def _effective_samples(self) -> dict[str, EffectiveSample]:
        return {}

    def effective_sample(self, metric: Metric) -> EffectiveSample:
        """Return the effective sample for a metric; in cross-validation each unit is counted once."""
        if metric.name in self._effective_samples:
            return self._effective_samples[metric.name]
        weights, folds = metric.denominator_weights(self.ev.tables, self.ev.cells), self.ev.folds
        found, width = [], weights.shape[1]
        for units, columns in self.samples.parts:
            if folds is not None:
                units = units.scale(1.0 / (folds.k * folds.cv.shape[0]))
            found.append(effective_sample_of(units, weights[columns.start // width : columns.stop // width]))
        return self._effective_samples.setdefault(metric.name, min(found))

    def size_correlations(self, metric: Metric, evident: float = _EVIDENT) -> FloatArray:
        """Return Spearman's correlations of units' sizes with each model's score relative to the mean of the models.

        They are 0 unless their p-values are below `evident`. A few long units then decide, and the sample may have more
        or fewer of them than others would, of which no bootstrap knows.
        """
        rows, sizes, weights = self._sized(metric)
        if weights.sum() < _RANKED or len(weights) > _MOST_PATTERNS:
            return np.zeros(len(self.ev.models))
        return evident_correlations(sizes, _relative(metric(rows, self.ev.cells)), weights, evident)

    def _sized(self, metric: Metric) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return rows (pattern, model, cell) of clusters that count for a metric, their sizes and weights."""
        ev, units = self.ev, self.ev.units
        if self.assumption != "clustered" or units is None or ev.task.many_cells or ev.methods:
            return ev.tables[None], np.zeros(1), np.zeros(1)
        sizes = np.asarray(units.rows @ metric.denominator_weights(ev.tables, ev.cells).ravel())
        some = sizes > 0.0
        return units.rows[some].reshape(-1, *ev.tables.shape), sizes[some], units.weights[some]

    def inflation(self, metric: Metric) -> SmallSampleInflation:
        """Return how draws of a metric are moved away from the plain scores."""
        centre = metric(self.ev.tables, self.ev.cells)
        if not self.bootstraps:
            return SmallSampleInflation(centre)
        inflation = self.effective_sample(metric).inflation(centre)
        rows, sizes, weights = self._sized(metric)
        found = self.size_correlations(metric, _SUSPECTED / max(weights.sum(), 1.0))
        if not found.any():
            return inflation
        first, second, third = (weights @ sizes**power for power in (1, 2, 3))
        long = np.tensordot(weights * sizes**2 / second, rows, 1)
        pull = np.where(found, _relative(metric(long, self.ev.cells) - centre), 0.0)
        return replace(inflation, long_units=float(first * second / third), pull=pull)

    @property
    def n_units(self) -> float:
        """Number of units, each counted once however often a cross-validation repeats it; 0 where unknown."""
        units, folds = self.ev.units, self.ev.folds
        if self.ev.corpora is not None:
            return float(len(self.ev.corpora.names))
        if units is None or not units.shared:
            return 0.0
        return units.size / (folds.k * folds.cv.shape[0] if folds is not None else 1.0)

    def settings(self, metric: Metric) -> SamplingSettings:
        """Return what was taken as sampled, as plain values."""
        ev, folds, trained, training = self.ev, self.ev.folds, self.training_variance, ""
        sample = self.effective_sample(metric) if self.bootstraps else None
        if trained is not None:
            halves = isinstance(trained.folds.cv, BlockedCV)
            training = "corrected" if not halves else "mixture" if trained.mixed else "contrasts"
        return SamplingSettings(
            assumption=self.assumption,
            target=self.target,
            unit=ev.unit,
            n_units=self.n_units,
            labelled=ev.labelled if self.n_units else "",
            effective_units=sample and sample.units,
            freedom=sample and sample.freedom,
            runs=tuple(len(method.runs) for method in ev.methods),
            cv=None if folds is None else folds.cv,
            discount=None if folds is None else folds.k,
            rule="" if folds is None else folds.rule if isinstance(folds.rule, str) else "given",
            training=training,
            final=ev.task.final,
            generations=() if ev.generations is None else (ev.generations.least, ev.generations.most),
            repeated="" if ev.generations is None else ev.generations.noun,
            within=() if ev.corpora is None else tuple(part.settings(metric) for part in self.parts),
        )


def sampling_model(
    ev: Evaluation, assumption: str = "auto", target: str = "auto", prior: float | None = None
) -> SamplingModel:
    """Return an evaluation under an assumption, and for a target, or say why the data do not support it."""
    check_known(assumption, "assumption", ASSUMPTIONS)
    target, weight = check_target(ev, target), ev.check_prior(prior)
    if assumption not in ("auto", ev.assumption) and (ev.task.final or ev.corpora is not None):
        raise ValueError(
            f"assumption={assumption!r} is about items, of which final scores know nothing; leave it out"
        )
    if ev.task.final or ev.corpora is not None:
        return SamplingModel(ev, ev.assumption, target, weight)
    if assumption in ("auto", "independent"):
        return SamplingModel(ev, ev.assumption if assumption == "auto" else "independent", target, weight)
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
        return SamplingModel(ev, "clustered", target, weight)
    items = ev if ev.units.single else ev.items
    if items is None:
        raise ValueError(
            f"'paired' needs single items, but only the sums over each {ev.unit} are known; ask for 'clustered'"
        )
    return SamplingModel(items, "paired", target, weight)


def _relative(scores: FloatArray) -> FloatArray:
    """Return how each model's score differs from the mean of the models, axes (..., model)."""
    return np.asarray(scores - scores.mean(axis=-1, keepdims=True))


def _pooled_variances(parts: Sequence[Evaluation], metric: Metric) -> FloatArray | None:
    """Return how much final scores of runs vary in each method, over all data sets; None if scores are no runs' final ones.

    Of a few runs on each data set the variance of each by itself would be as good as unknown.
    """
    if not all(part.task.final and part.methods for part in parts):
        return None
    squares, freedom = np.zeros(len(parts[0].names)), np.zeros(len(parts[0].names))
    for part in parts:
        scores = part.scores(part.task.metric(metric.name, part.tables))
        for i, method in enumerate(part.methods):
            own = scores[[part.models.index(run) for run in method.runs]]
            squares[i] += float(np.square(own - own.mean()).sum())
            freedom[i] += len(own) - 1.0
    return np.asarray(squares / np.maximum(freedom, 1.0))


def check_target(ev: Evaluation, target: str) -> Target:
    """Return what a conclusion is to speak of, or say why the data do not tell."""
    check_known(target, "target", TARGETS)
    if ev.corpora is not None and target == "method":
        raise ValueError(f"target= is of one test set, but there are several {plural(ev.unit)}; leave it out")
    if ev.task.final and ev.corpora is None:
        if target == "models":
            raise ValueError(
                "target='models' takes what models did on items, of which final scores know nothing; leave it out"
            )
        target = "method" if ev.methods or ev.folds is not None else "auto"
    if target == "method" and not ev.methods and ev.folds is None:
        raise ValueError(
            "target='method' needs a method that was trained several times; give runs, as {'bert': {'seed1': …, "
            "'seed2': …}} or with ev.with_runs, or a cross-validation"
        )
    once = [method.name for method in ev.methods if len(method.runs) == 1]
    if target == "method" and once:
        raise ValueError(
            f"one run of {joined(once)} does not show how much training varies; give more runs, or ask for target='models'"
        )
    if target == "auto":
        return "method" if ev.methods and not once else "models"
    return "method" if target == "method" else "models"
