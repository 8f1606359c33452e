"""Intervals of one model's score, and of the difference of two: a table of methods that say when they apply."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.checks import RNGLike, check_prob, check_rng, check_whole, start_of
from bayesf1.base.naming import check_known, cleaned, nearest, plural
from bayesf1.distributions.base import Posterior
from bayesf1.evaluation import (
    Evaluation,
    UndefinedScore,
    check_items,
    defined_scores,
    resolve_metric,
    resolve_metrics,
)
from bayesf1.frequentist.closed_intervals import Ends, closed_methods, grouped_counts, normal_quantile
from bayesf1.inference.compare import compare
from bayesf1.inference.posterior import posterior, unvaried
from bayesf1.metrics import Metric, MetricLike, in_prose, ratio
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import intervals as words
from bayesf1.output.words.signature import in_one_line, sampling_parts, signed_name
from bayesf1.sampling.inflation import SmallSampleInflation
from bayesf1.sampling.model import SamplingModel, SamplingSettings, sampling_model
from bayesf1.sampling.resampling import Samples, TableFunction
from bayesf1.tasks.judged.difference_estimator import difference_estimate

if TYPE_CHECKING:
    import pandas as pd


# ---- the bootstrap ----------------------------------------------------------------------------------------


def percentile_ends(scores: FloatArray, confidence_level: float = 0.95) -> tuple[float, float]:
    """Return the central interval that holds a share `confidence_level` of resampled scores.

    Examples
    --------
    >>> percentile_ends(np.linspace(0, 1, 1001), 0.5)
    (0.25, 0.75)

    References
    ----------
    Efron (1979), Annals of Statistics 7.
    """
    tail = 0.5 * (1.0 - check_prob(confidence_level, "confidence_level"))
    low, high = np.quantile(scores, [tail, 1.0 - tail])
    return float(low), float(high)


def bca_ends(
    scores: FloatArray, estimate: float, acceleration: float, confidence_level: float = 0.95
) -> tuple[float, float]:
    r"""Return the bias-corrected and accelerated interval from resampled scores.

    Its ends are the quantiles :math:`\Phi\bigl(z_0 + \frac{z_0 \pm z}{1 - a(z_0 \pm z)}\bigr)`, where
    :math:`\Phi(z_0)` is the share of resampled scores below the estimate and *a* the acceleration, a sixth of the
    skewness of the jackknife.

    Examples
    --------
    >>> bca_ends(np.linspace(0, 1, 1001), 0.5, acceleration=0.0, confidence_level=0.5)
    (0.25, 0.75)

    References
    ----------
    Efron (1987), JASA 82; Efron & Tibshirani (1993), Eqs. 14.9-14.15.
    """
    z = normal_quantile(confidence_level)
    if scores.min() == scores.max():
        return float(scores[0]), float(scores[0])
    # Half of the scores that equal the estimate count as below it. A share of 0 or 1 is moved inwards by half a
    # resample.
    below = 0.5 * (np.mean(scores < estimate) + np.mean(scores <= estimate))
    half_resample = 0.5 / len(scores)
    z0 = special.ndtri(np.clip(below, half_resample, 1.0 - half_resample))
    shifted = z0 + np.array([-z, z])
    # The denominator would change its sign for skewness far beyond that of any sample.
    denominator = np.maximum(1.0 - acceleration * shifted, 1e-3)
    levels = special.ndtr(z0 + shifted / denominator)
    low, high = np.quantile(scores, np.sort(levels))
    return float(low), float(high)


_T = TypeVar("_T")
# A bootstrap makes 9,999 resamples; fewer, but at least 1,000, if these would draw more than 10⁸ units in all.
_MOST_RESAMPLES = 9_999
_FEWEST_RESAMPLES = 1_000
_MOST_DRAWN_UNITS = 10**8


# ---- results ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MethodInterval(Ends):
    """The interval of one method: ``low, high = intervals(ev, "A")["wilson_direct"]``.

    Attributes
    ----------
    method
        Name of the method.
    low, high
        The ends, as the method gives them.
    support, percent
        Smallest and largest value that the score can take, and whether it is printed in percent.
    standard_error
        Standard error of the estimate, if the method has one.
    units
        The units that the method takes as independent, if the evaluation has clusters; else "".
    """

    method: str
    low: float
    high: float
    support: tuple[float, float]
    percent: bool = True
    standard_error: float | None = None
    units: str = ""

    @property
    def label(self) -> str:
        """Name of the method as it is printed."""
        return words.method_label(self.method)

    @property
    def kind(self) -> str:
        """``"confidence"`` or ``"credible"``."""
        return "credible" if self.method.startswith("credible") else "confidence"

    @property
    def note(self) -> str:
        """A warning about the interval; "" if there is none."""
        return words.note(self)


@dataclass(frozen=True, kw_only=True)
class IntervalSettings(SamplingSettings):
    """What was asked of intervals, besides what was sampled (`SamplingSettings`).

    Attributes
    ----------
    confidence_level
        Confidence level, and probability of the credible intervals.
    n_resamples
        Number of resamples of the bootstrap; 0 if there is no bootstrap.
    prior, prior_name, signed_prior
        The concentration of the prior of the credible intervals, and the prior in words and in a signature.
    rng
        The seed; None after a Generator.
    """

    confidence_level: float
    n_resamples: int
    prior: float
    prior_name: str
    signed_prior: str
    rng: int | None


@dataclass(frozen=True, eq=False)
class Intervals(Answer, Mapping[str, MethodInterval]):
    """Intervals of a score, or of the difference of two models' scores, by name of the method.

    Attributes
    ----------
    models
        The model, or models A and B of a difference B minus A.
    metric, label, percent
        Name of the metric, how it is printed, and whether in percent.
    estimate
        The point score, or difference of scores.
    rows
        The intervals.
    settings
        What was asked, and what was sampled.
    remarks
        Limits of the intervals that come from the data, in sentences.
    """

    json_format = "bayesf1.intervals/1"
    json_list = ("bayesf1.interval/1", "results")
    index_names = ("method",)

    models: tuple[str, ...]
    metric: str
    label: str
    percent: bool
    estimate: float
    rows: tuple[MethodInterval, ...]
    settings: IntervalSettings
    remarks: tuple[str, ...] = ()

    def __getitem__(self, method: str) -> MethodInterval:
        for row in self.rows:
            if row.method == method:
                return row
        raise KeyError(f"no method {method!r} here; {nearest(str(method), self)}")

    def __iter__(self) -> Iterator[str]:
        return (row.method for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def confidence_level(self) -> float:
        """Confidence level, and probability of the credible intervals."""
        return self.settings.confidence_level

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed, in sentences."""
        return words.notes(self)

    @property
    def title(self) -> str:
        """What the intervals are for, and the estimate."""
        return words.title(self)

    @property
    def table(self) -> Table:
        """The intervals as a table: method, interval, length, note."""
        return words.table(self)

    @property
    def explained(self) -> Sequence[str]:
        """What was assumed."""
        return self.notes

    @property
    def key(self) -> Mapping[str, str]:
        """The model or models, and the metric."""
        return {"models": " - ".join(reversed(self.models)), "metric": self.metric}

    def signature(self) -> str:
        """Return in one line what is needed to repeat the intervals."""
        s = self.settings
        asked = {
            "confidence_level": s.confidence_level,
            "methods": tuple(self),
            "resamples": s.n_resamples or None,
        }
        return in_one_line(
            metric=signed_name(self.metric, self.label), **sampling_parts(s), **asked, rng=s.rng
        )

    def __repr__(self) -> str:
        return f"<Intervals of {self.title}, {len(self)} methods>"

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each method."""
        return [
            {
                "method": row.method,
                "kind": row.kind,
                "low": row.low,
                "high": row.high,
                "length": row.length,
                "standard_error": row.standard_error,
                "overshoot": row.overshoot,
                "degenerate": row.degenerate,
                "note": row.note,
            }
            for row in self.rows
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        return {
            "format": self.json_format,
            "models": list(self.models),
            "metric": self.metric,
            "estimate": self.estimate,
            "confidence_level": self.confidence_level,
            "intervals": self.records(),
            "notes": list(self.notes),
            "signature": self.signature(),
        }


# ---- intervals of an evaluation ---------------------------------------------------------------------------


def intervals(
    ev: Evaluation,
    model: str,
    metric: MetricLike | None = None,
    *,
    methods: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    prior: float | None = None,
    assumption: str = "auto",
    rng: RNGLike = None,
) -> Intervals:
    """Return the intervals of a model's score, by every method that applies or by the given methods.

    The methods of Clopper-Pearson, Wald and Wilson take items as independent: those for F1 are the four of Lam (2023),
    and those for precision, recall and other shares are binomial. For other F-scores there is Jiang's. The delta
    method and the bootstrap take units as they are, so they also hold for sentences or documents, and for any metric. The
    credible intervals are those of `posterior`. If items have no gold label, the difference estimator corrects the
    estimate from labelled items by what the judges say of all items, as prediction-powered inference does.

    Parameters
    ----------
    ev
        The evaluation.
    model
        Name of the model.
    metric
        Name of a metric, or a callable on tables (..., cell); F1 by default.
    methods
        Names of the methods; all that apply by default. No other interval is computed.
    confidence_level
        Confidence level, and probability of the credible intervals.
    n_resamples
        Number of resamples of the bootstrap: 9,999 by default, and fewer, but at least 1,000, if there are thousands of
        patterns, each with many units.
    prior
        λ of the Dirichlet prior of the credible intervals, as in `posterior`.
    assumption
        What the units are, as in `posterior`.
    rng
        Source of randomness: a Generator or an integer.

    Returns
    -------
    Intervals
        A mapping from the methods' names to their intervals. The names are ``"clopper_pearson"``, ``"wald"``,
        ``"wilson_direct"``, ``"wilson_indirect"``, ``"wilson"``, ``"fbeta_delta"``, ``"difference_estimator"``,
        ``"delta"``, ``"bootstrap_percentile"``, ``"bootstrap_bca"``, ``"credible_equal_tailed"`` and ``"credible_hdi"``.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> ev = from_counts(A=(77, 44, 10, 702))
    >>> low, high = intervals(ev, "A", rng=1)["wilson_direct"]
    >>> low, high
    (0.66396..., 0.79870...)
    >>> list(intervals(ev, "A", "recall", methods=["delta"]))
    ['delta']

    References
    ----------
    Lam (2023); Jiang (2020); Takahashi et al. (2022); Efron (1987).
    """
    check_items(ev, "an interval")
    metric = resolve_metric(metric, ev)
    return _intervals(ev, (model,), metric, methods, confidence_level, n_resamples, prior, assumption, rng)


def interval_table(
    ev: Evaluation,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    method: str = "delta",
    confidence_level: float = 0.95,
    assumption: str = "auto",
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Return scores, standard errors and intervals of every model and metric, by one method.

    For micro and macro F1 of confusion matrices, the delta method is that of Takahashi et al. (2022). All numbers of an
    undefined score are NaN.

    Parameters
    ----------
    ev
        The evaluation.
    metrics
        Names of metrics, or callables on tables (..., cell); precision, recall and F1 by default.
    method, confidence_level, assumption, rng
        Name of one of the methods of `intervals`, and its options. The standard error is missing if the method has none.

    Examples
    --------
    Their example:

    >>> from bayesf1 import from_confusion
    >>> ev = from_confusion({"A": [[2, 5, 0], [2, 70, 2], [2, 2, 15]]})
    >>> interval_table(ev, ["micro_f1", "macro_f1"]).round(3)
    delta, 95 %     score     se    low   high
    model metric
    A     micro_f1  0.870  0.034  0.804  0.936
          macro_f1  0.689  0.065  0.562  0.817
    """
    import pandas as pd

    check_items(ev, "an interval")
    rows: dict[tuple[str, str], tuple[float | None, ...]] = {}
    for model in ev.names:
        for metric in resolve_metrics(metrics, ev):
            try:
                answer = intervals(
                    ev,
                    model,
                    metric,
                    methods=[method],
                    confidence_level=confidence_level,
                    assumption=assumption,
                    rng=rng,
                )
            except UndefinedScore:
                rows[model, metric.name] = (None, None, None, None)
            else:
                row = answer[method]
                rows[model, metric.name] = (answer.estimate, row.standard_error, row.low, row.high)
    index = pd.MultiIndex.from_tuples(list(rows), names=["model", "metric"])
    columns = pd.Index(["score", "se", "low", "high"], name=f"{method}, {100 * confidence_level:g} %")
    frame = pd.DataFrame(list(rows.values()), index, columns, dtype=float)
    return frame.rename(index=cleaned)


def defined_answers(questions: Iterable[Callable[[], _T]]) -> list[_T]:
    """Return the answers to some questions; leave out questions about undefined scores, with a warning."""
    answers = []
    undefined = []
    for question in questions:
        try:
            answers.append(question())
        except UndefinedScore as error:
            undefined.append(error)
    if undefined and not answers:
        raise undefined[0]
    for reason in undefined:
        warn_caller(f"left out: {reason}")
    return answers


def difference_intervals(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    metric: MetricLike | None = None,
    *,
    methods: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    prior: float | None = None,
    assumption: str = "auto",
    rng: RNGLike = None,
) -> Intervals:
    r"""Return intervals for how much better model B scores than model A on the same units.

    The delta method takes the variance of :math:`\sum_u w_u\,(\nabla g_B\cdot x_{Bu} - \nabla g_A\cdot x_{Au})`
    over the units u, so that units on which the models agree count for less; it holds for any smooth metric
    and for clustered units. If only totals are known, models are taken as independent and variances add.

    Parameters
    ----------
    ev, metric, methods, confidence_level, n_resamples, prior, rng
        As in `intervals`.
    a, b
        Names of the models; may be left out if there are exactly two.
    assumption
        How the models depend on each other, as in `compare`.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> gold, a, b = [1] * 60 + [0] * 60, [1] * 50 + [0] * 55 + [1] * 15, [1] * 55 + [0] * 60 + [1] * 5
    >>> ev = from_labels(gold, {"A": a, "B": b}, positive=1)
    >>> low, high = difference_intervals(ev, metric="f1", methods=["delta"])["delta"]
    >>> low, high
    (0.05812..., 0.17521...)

    References
    ----------
    Lam (2023), Section VII, where it is an open problem; Efron & Tibshirani (1993), Chapter 22.
    """
    pair = ev.pair(a, b)
    check_items(pair, "an interval")
    metric = resolve_metric(metric, pair)
    return _intervals(
        pair, pair.names, metric, methods, confidence_level, n_resamples, prior, assumption, rng
    )


@dataclass(frozen=True, eq=False)
class Estimand:
    """The quantity that intervals are for: the score of one model, or the difference of two, B minus A.

    Attributes
    ----------
    given
        The evaluation, of all its models.
    models
        One model, or A and B.
    metric
        The metric.
    sampling
        What was sampled, for these models and for the cells that the metric needs.
    level
        The confidence level, and the probability of the credible intervals.
    asked
        The prior, the assumption and the source of randomness, as they were given.
    n_resamples
        The number of resamples of a bootstrap; None for the usual one.
    """

    given: Evaluation
    models: tuple[str, ...]
    metric: Metric
    sampling: SamplingModel
    level: float
    asked: Mapping[str, Any]
    n_resamples: int | None = None

    @property
    def ev(self) -> Evaluation:
        """The evaluation of these models."""
        return self.sampling.ev

    @property
    def of_one_model(self) -> bool:
        """Whether it is the score of one model."""
        return len(self.models) == 1

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        low, high = self.metric.support
        if self.of_one_model:
            return low, high
        return low - high, high - low

    def of_scores(self, scores: FloatArray) -> FloatArray:
        """Return its values from scores of the models, axes (..., model)."""
        scores = self.ev.mean_scores(scores)
        if self.of_one_model:
            return np.asarray(scores[..., 0])
        return np.asarray(scores[..., 1] - scores[..., 0])

    @cached_property
    def value(self) -> float:
        """The plain score, or difference of scores."""
        return float(self.of_scores(defined_scores(self.ev, self.metric)))

    @cached_property
    def inflation(self) -> SmallSampleInflation:
        """The factor and the degrees of freedom by which few or uneven units widen an interval."""
        return self.sampling.inflation(self.metric)

    def statistic(self, *, linearised: bool) -> tuple[Samples, TableFunction]:
        """Return the sample, and the estimand as a function of its tables.

        For a task of many cells, the tables hold only the two sums whose ratio is the metric. If `linearised`, a ratio
        of sums to first order only (an area under a curve) is replaced by that ratio.
        """
        ev = self.ev
        metric = self.metric
        samples = self.sampling.samples
        sums = None
        if ev.task.many_cells:
            sums = metric.expansion(ev.tables, ev.cells, linearised)
        if sums is None:
            return samples, lambda tables: self.of_scores(metric(tables, ev.cells))
        numerators, denominators = sums
        # Resampling takes cells of 0 as empty, so both sums must be positive: the smallest ratio, if negative, or else 0, is
        # moved to 1, and back at the end.
        smallest = float((numerators / denominators.clip(1e-300)).min(initial=0.0))
        shift = 1.0 - smallest
        columns = np.stack([numerators + shift * denominators, denominators], axis=-1)
        return samples.of_sums(columns), lambda s: self.of_scores(ratio(s[..., 0], s[..., 1]) - shift)

    @cached_property
    def _bootstrap(self) -> tuple[Samples, TableFunction]:
        """The sample and the statistic of a bootstrap."""
        linearised = all(units.many for units, _ in self.sampling.samples.parts)
        return self.statistic(linearised=linearised)

    @property
    def resamples(self) -> int:
        """The number of resamples of a bootstrap."""
        if self.n_resamples is not None:
            return self.n_resamples
        samples, _ = self._bootstrap
        affordable = _MOST_DRAWN_UNITS // max(1, samples.resample_cost)
        return min(_MOST_RESAMPLES, max(affordable, _FEWEST_RESAMPLES))

    @cached_property
    def resampled(self) -> FloatArray:
        """The values of the estimand in samples of units drawn with replacement."""
        samples, statistic = self._bootstrap
        return samples.resampled(statistic, self.resamples, check_rng(self.asked["rng"]))

    @cached_property
    def posterior(self) -> Posterior:
        """The posterior of the estimand."""
        options: Any = self.asked
        if self.of_one_model:
            with warnings.catch_warnings():
                # A note says if there are few units.
                warnings.simplefilter("ignore")
                return posterior(self.given, self.models[0], self.metric, **options)
        comparison = compare(self.given, metrics=[self.metric], **options)[self.metric.name]
        if comparison.spread_unknown:
            gap = f"{comparison.model_b} minus {comparison.model_a} in {in_prose(self.metric.label)}"
            raise unvaried(gap, comparison.settings)
        return comparison.difference

    # ---- a row for each method ------------------------------------------------------------------------------

    def row(self, method: str, low: float, high: float, **more: Any) -> MethodInterval:
        """Return the interval of a method."""
        percent = self.metric.percent
        return MethodInterval(method, float(low), float(high), self.support, percent, **more)

    def closed(self, method: str) -> MethodInterval:
        """Return an interval that needs no more than the table of one model, as if items were independent."""
        counts = grouped_counts(self.metric, self.ev.tables[0], self.ev.cells)
        ends = closed_methods(self.metric)[method](*counts, confidence_level=self.level)
        units = "" if self.sampling.single else "item"
        return self.row(method, ends.low, ends.high, standard_error=ends.se, units=units)

    def normal(self, method: str, centre: float, error: float, **more: Any) -> MethodInterval:
        """Return the centre ± t standard errors; infinite degrees of freedom give the normal quantile."""
        # Units that a bootstrap would draw understate the variance if they are few. The delta method of Takahashi et al.
        # (2022) for classes has no such factor.
        if self.sampling.bootstraps:
            error *= self.inflation.widening
        half_width = float(special.stdtrit(self.inflation.freedom, 0.5 * (1.0 + self.level))) * error
        return self.row(method, centre - half_width, centre + half_width, standard_error=error, **more)

    def difference_estimator(self, method: str) -> MethodInterval:
        """Return the interval whose estimate from labelled items is corrected by what the judges say of all items."""
        assisted = difference_estimate(self.sampling, self.metric)
        assert assisted is not None
        return self.normal(method, assisted.value, assisted.standard_error)

    def delta(self, method: str) -> MethodInterval:
        """Return the interval of the delta method over units."""
        samples, statistic = self.statistic(linearised=True)
        error = float(np.sqrt(samples.variance(statistic)))
        return self.normal(method, self.value, error, units=self._units)

    def percentile(self, method: str) -> MethodInterval:
        """Return the percentile interval of a bootstrap over units."""
        low, high = percentile_ends(self.resampled, self.level)
        return self.row(method, low, high, units=self._units)

    def bca(self, method: str) -> MethodInterval:
        """Return the bias-corrected and accelerated interval of a bootstrap over units."""
        samples, statistic = self.statistic(linearised=True)
        acceleration = samples.acceleration(statistic)
        low, high = bca_ends(self.resampled, self.value, acceleration, self.level)
        return self.row(method, low, high, units=self._units)

    def equal_tailed(self, method: str) -> MethodInterval:
        """Return the equal-tailed interval of the posterior."""
        low, high = self.posterior.interval(self.level)
        return self.row(method, low, high)

    def highest_density(self, method: str) -> MethodInterval:
        """Return the highest density interval of the posterior."""
        low, high = self.posterior.hdi(self.level)
        return self.row(method, low, high)

    @property
    def _units(self) -> str:
        """The units that a method over units takes as independent, if these are not single items."""
        return "" if self.sampling.single else self.ev.unit


class IntervalMethod(NamedTuple):
    """A row of `METHODS`: how a method makes its interval, and whether it applies to an estimand."""

    interval: Callable[[Estimand, str], MethodInterval]
    applies: Callable[[Estimand], bool]


def _needs_one_table(name: str) -> IntervalMethod:
    """Return the row of a method that needs no more than the table of one model."""

    def applies(e: Estimand) -> bool:
        # An item that was answered several times is not a single trial.
        if e.ev.methods or e.ev.generations is not None:
            return False
        return e.of_one_model and name in closed_methods(e.metric)

    return IntervalMethod(Estimand.closed, applies)


def _resamples_units(e: Estimand) -> bool:
    # If gold has gaps, a bootstrap covers far too seldom: resampled items are never given the gold labels they lack.
    return not e.ev.labelled and e.sampling.assumption != "fixed"


METHODS: dict[str, IntervalMethod] = {
    "clopper_pearson": _needs_one_table("clopper_pearson"),
    "wald": _needs_one_table("wald"),
    "wilson": _needs_one_table("wilson"),
    "wilson_direct": _needs_one_table("wilson_direct"),
    "wilson_indirect": _needs_one_table("wilson_indirect"),
    "fbeta_delta": _needs_one_table("fbeta_delta"),
    "difference_estimator": IntervalMethod(
        Estimand.difference_estimator,
        lambda e: difference_estimate(e.sampling, e.metric) is not None,
    ),
    "delta": IntervalMethod(Estimand.delta, lambda e: _resamples_units(e) and bool(e.metric.smooth)),
    "bootstrap_percentile": IntervalMethod(Estimand.percentile, _resamples_units),
    "bootstrap_bca": IntervalMethod(Estimand.bca, _resamples_units),
    "credible_equal_tailed": IntervalMethod(Estimand.equal_tailed, lambda e: True),
    "credible_hdi": IntervalMethod(Estimand.highest_density, lambda e: True),
}


def _intervals(
    ev: Evaluation,
    models: tuple[str, ...],
    metric: Metric,
    asked: Sequence[str] | None,
    confidence_level: float,
    n_resamples: int | None,
    prior: float | None,
    assumption: str,
    rng: RNGLike,
) -> Intervals:
    """Return the intervals of one model's score, or of the difference of two."""
    level = check_prob(confidence_level, "confidence_level")
    concentration = ev.check_prior(prior)
    if n_resamples is not None:
        check_whole(n_resamples, "n_resamples", 100, 8)
    for model in models:
        # A method, or one of its runs.
        check_known(model, "model", dict.fromkeys((*ev.names, *ev.models)))

    sampling = sampling_model(ev, assumption)
    of_models = sampling.ev.select(models)
    if of_models.units is not None and metric.needs and not of_models.task.many_cells:
        # Without the cells that the metric does not need, more units share a pattern.
        of_models = of_models.keep(metric.needs)
    sampling = replace(sampling, ev=of_models)
    options = {"prior": prior, "assumption": assumption, "rng": rng}
    estimand = Estimand(ev, models, metric, sampling, level, options, n_resamples)
    value = estimand.value

    applicable = [name for name, method in METHODS.items() if method.applies(estimand)]
    names = applicable if asked is None else list(asked)
    for name in names:
        if name not in applicable and name in METHODS and of_models.generations is not None:
            raise ValueError(
                f"method {name!r} takes each {ev.unit} as answered once, but there are several "
                f"{plural(of_models.generations.noun)} of each; ask for one of {', '.join(applicable)}"
            )
        if name not in applicable and name in METHODS:
            raise ValueError(
                f"method {name!r} does not apply to {metric.name} here; ask for one of {', '.join(applicable)}"
            )
        if name not in applicable:
            raise ValueError(
                f"unknown method {name!r} for {metric.name} here; {nearest(str(name), applicable)}"
            )
    resamples = any(name.startswith("bootstrap") for name in names)
    draws = any(name.startswith("credible") for name in names)

    settings = IntervalSettings(
        **vars(sampling.settings(metric)),
        confidence_level=level,
        n_resamples=estimand.resamples if resamples else 0,
        prior=concentration,
        prior_name=ev.task.describe_prior(concentration),
        signed_prior=ev.task.sign_prior(concentration) if sampling.has_prior else "",
        rng=start_of(rng),
    )
    remarks = [*of_models.notes]
    # Only draws depend on how gaps in gold are filled in.
    if draws or not of_models.labelled:
        remarks += of_models.task.notes_on(sampling, metric)
    rows = tuple(METHODS[name].interval(estimand, name) for name in names)
    return Intervals(
        models=models,
        metric=metric.name,
        label=metric.label,
        percent=metric.percent,
        estimate=value,
        rows=rows,
        settings=settings,
        remarks=tuple(remarks),
    )
