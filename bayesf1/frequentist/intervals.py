"""Every interval for a score, or for the difference of two, beside the credible one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_prob, check_rng
from bayesf1.base.naming import plural
from bayesf1.bayes.posterior import posterior
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measure
from bayesf1.evaluation.under import Under
from bayesf1.frequentist.binomial import binomial_clopper_pearson, binomial_wald, binomial_wilson
from bayesf1.frequentist.bootstrap import check_resamples
from bayesf1.frequentist.bounds import Bounds
from bayesf1.frequentist.class_averages import macro_f1, macro_f1_star, micro_f1
from bayesf1.frequentist.delta import fbeta_delta, tversky_delta
from bayesf1.frequentist.f1 import clopper_pearson, wald, wilson_direct, wilson_indirect
from bayesf1.frequentist.interval_table import Intervals, MethodInterval
from bayesf1.frequentist.methods import closed_rows, credible_rows, is_undefined, unit_rows

__all__ = [
    "Bounds",
    "Intervals",
    "MethodInterval",
    "binomial_clopper_pearson",
    "binomial_wald",
    "binomial_wilson",
    "clopper_pearson",
    "difference_intervals",
    "fbeta_delta",
    "intervals",
    "macro_f1",
    "macro_f1_star",
    "micro_f1",
    "tversky_delta",
    "wald",
    "wilson_direct",
    "wilson_indirect",
]

N_RESAMPLES = 9_999


def intervals(
    ev: Evaluation,
    model: str,
    metric: MetricLike | None = None,
    *,
    confidence_level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    prior: float | None = None,
    assumption: str = "auto",
    rng: RNGLike = None,
) -> Intervals:
    """Return every interval that applies to a model's score.

    Clopper-Pearson's, Wald's and Wilson's take items as independent: for F1 they are the four of Lam (2023), for
    precision, recall and other shares the binomial ones, and for other F-scores there is Jiang's. The delta
    method and the bootstrap take units as they are, so that they also hold for sentences or documents, and
    for any measure. The credible intervals are those of `posterior`.

    Parameters
    ----------
    ev
        The evaluation.
    model
        Name of the model.
    metric
        Name of a measure, or a callable on tables (..., cell); F1 by default.
    confidence_level
        Confidence level, and mass of the credible intervals.
    n_resamples
        How often the bootstrap draws.
    prior
        λ of the Dirichlet prior of the credible intervals, as in `posterior`.
    assumption
        What the units are, as in `posterior`.
    rng
        Source of randomness: a Generator or an integer.

    Returns
    -------
    Intervals
        A mapping from the methods' names, among them ``"clopper_pearson"``, ``"wald"``, ``"wilson_direct"``,
        ``"wilson_indirect"``, ``"wilson"``, ``"fbeta_delta"``, ``"delta"``, ``"bootstrap_percentile"``,
        ``"bootstrap_bca"``, ``"credible_equal_tailed"`` and ``"credible_hdi"``, to their intervals.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> res = intervals(from_counts(A=(77, 44, 10, 702)), "A", rng=1)
    >>> low, high = res["wilson_direct"]
    >>> low, high
    (0.66396..., 0.79870...)
    >>> res["wald"].overshoot
    False

    References
    ----------
    Lam (2023); Jiang (2020); Takahashi et al. (2022); Efron (1987).
    """
    measure = find_measure(metric, ev)
    settings = _Settings.checked(ev, confidence_level, n_resamples, prior, rng)
    index = ev.index(model)
    under = ev.under(assumption)
    _check_single(ev)
    one = _slim(under.ev.select([ev.models[index]]), measure)
    samples = replace(under, ev=one).samples

    def statistic(tables: FloatArray) -> FloatArray:
        return measure(tables[..., 0, :], one.cells)

    level = settings.level
    alone = "" if under.single else "single items as independent"
    rows = closed_rows(measure, one.tables[0], one.cells, level, note=alone)
    rows += unit_rows(
        samples,
        statistic,
        measure.support,
        level,
        n_resamples=settings.n_resamples,
        rng=settings.rng,
        smooth=ev.kind.is_smooth(measure),
        undefined=is_undefined(measure, one.tables[0], one.cells),
        note="" if under.single else f"over {plural(one.unit)}",
    )
    law = posterior(ev, model, measure, prior=settings.prior, assumption=assumption, rng=settings.rng)
    rows += credible_rows(law, measure.support, level)
    estimate = float(statistic(samples.tables))
    notes = _notes(under, 1, settings)
    return Intervals(
        (model,), measure.name, measure.label, estimate, settings.level, tuple(rows), notes, measure.percent
    )


def difference_intervals(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    metric: MetricLike | None = None,
    *,
    confidence_level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    prior: float | None = None,
    assumption: str = "auto",
    rng: RNGLike = None,
) -> Intervals:
    r"""Return intervals for how much better model B scores than model A on the same units.

    The delta method takes the variance of :math:`\sum_u w_u\,(\nabla g_B\cdot x_{Bu} - \nabla g_A\cdot x_{Au})`
    over the units u, so that units on which the models agree count for less; it holds for any smooth measure
    and for clustered units. Where only totals are known, models are taken as independent and variances add.

    Parameters
    ----------
    ev
        The evaluation.
    a, b
        Names of the models; may be left out where there are exactly two.
    metric
        Name of a measure, or a callable on tables (..., cell); F1 by default.
    confidence_level, n_resamples, prior, rng
        As in `intervals`.
    assumption
        How the models depend on each other, as in `compare`.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> gold, a, b = [1] * 60 + [0] * 60, [1] * 50 + [0] * 55 + [1] * 15, [1] * 55 + [0] * 60 + [1] * 5
    >>> res = difference_intervals(from_labels(gold, {"A": a, "B": b}, positive=1), metric="f1", rng=1)
    >>> low, high = res["delta"]
    >>> low, high
    (0.05812..., 0.17521...)

    References
    ----------
    Lam (2023), Section VII, where it is an open problem; Efron & Tibshirani (1993), Chapter 22.
    """
    check_evaluation(ev)
    pair = ev.pair(a, b)
    measure = find_measure(metric, pair)
    settings = _Settings.checked(pair, confidence_level, n_resamples, prior, rng)
    under = pair.under(assumption)
    _check_single(pair)
    both = _slim(under.ev, measure)
    samples = replace(under, ev=both).samples

    def statistic(tables: FloatArray) -> FloatArray:
        scores = measure(tables, both.cells)
        return np.asarray(scores[..., 1] - scores[..., 0])

    low, high = measure.support
    support = (low - high, high - low)
    rows = unit_rows(
        samples,
        statistic,
        support,
        settings.level,
        n_resamples=settings.n_resamples,
        rng=settings.rng,
        smooth=ev.kind.is_smooth(measure),
        undefined=any(is_undefined(measure, table, both.cells) for table in both.tables),
        note="" if under.single else f"over {plural(both.unit)}",
    )
    from bayesf1.bayes.bayes_test import compare

    test = compare(pair, metrics=[measure], prior=settings.prior, assumption=assumption, rng=settings.rng)[
        measure.name
    ]
    rows += credible_rows(test.difference, support, settings.level)
    estimate = float(statistic(samples.tables))
    notes = _notes(under, 2, settings)
    return Intervals(
        pair.models,
        measure.name,
        measure.label,
        estimate,
        settings.level,
        tuple(rows),
        notes,
        measure.percent,
    )


@dataclass(frozen=True)
class _Settings:
    level: float
    n_resamples: int
    prior: float
    rng: np.random.Generator

    @classmethod
    def checked(
        cls, ev: Evaluation, level: float, n_resamples: int, prior: float | None, rng: RNGLike
    ) -> _Settings:
        return cls(
            check_prob(level, "confidence_level"),
            check_resamples(n_resamples),
            ev.kind.check_prior(prior),
            check_rng(rng),
        )


def _check_single(ev: Evaluation) -> None:
    if ev.shape:
        raise ValueError(
            f"intervals are shown for one experiment, but the tables have leading axes {ev.shape}; "
            "functions such as wilson_direct take arrays of counts"
        )


def _slim(ev: Evaluation, measure: Metric) -> Evaluation:
    # Cells that the measure does not ask for would only keep patterns apart.
    return ev.keep(measure.needs) if ev.units is not None and measure.needs and not ev.kind.many_cells else ev


def _notes(under: Under, n_models: int, settings: _Settings) -> tuple[str, ...]:
    ev, sampled = under.ev, under.sampled
    if n_models == 1:
        said = f"From {sampled}" if sampled else "From totals, each count an independent item"
    elif under.shared:
        said = f"Models paired on {sampled}"
    else:
        said = under.dependence.capitalize()
        said += "" if sampled else ", as only totals are known, so that their variances add"
    prior = ev.kind.describe_prior(settings.prior)
    credible = f"credible intervals with {prior[0].lower() + prior[1:] if prior.startswith('No') else prior}"
    if not under.single:
        credible += f" and a Bayesian bootstrap over {plural(ev.unit)}"
    notes = [f"{said}; bootstrap of {settings.n_resamples:,} resamples; {credible}."]
    if ev.folds is not None:
        notes.append(f"Counts are effective ones: {ev.folds.cv}, sums of folds times k = {ev.folds.k:.4f}.")
    return tuple(notes)
