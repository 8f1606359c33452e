"""Every interval for a score, or for the difference of two, beside the credible one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_prob, check_rng, check_whole, checked
from bayesf1.base.naming import capitalised, plural
from bayesf1.bayes.bayes_test import compare
from bayesf1.bayes.posterior import posterior
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measure
from bayesf1.evaluation.under import Under
from bayesf1.frequentist.binomial import binomial_clopper_pearson, binomial_wald, binomial_wilson
from bayesf1.frequentist.bounds import Bounds
from bayesf1.frequentist.delta import fbeta_delta, macro_f1, macro_f1_star, micro_f1, tversky_delta
from bayesf1.frequentist.f1 import clopper_pearson, wald, wilson_direct, wilson_indirect
from bayesf1.frequentist.interval_table import Intervals, MethodInterval
from bayesf1.frequentist.methods import assisted_row, closed_rows, credible_rows, is_undefined, unit_rows

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


@checked
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
    for any measure. The credible intervals are those of `posterior`. Where items have no gold label, the difference
    estimator corrects the labelled ones by what the judges say of all, as prediction-powered inference does.

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
        ``"bootstrap_bca"``, ``"difference_estimator"``, ``"credible_equal_tailed"`` and ``"credible_hdi"``, to their
        intervals.

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
    return _listed(ev, (model,), measure, confidence_level, n_resamples, prior, assumption, rng)


@checked
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
    ev, metric, confidence_level, n_resamples, prior, rng
        As in `intervals`.
    a, b
        Names of the models; may be left out where there are exactly two.
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
    return _listed(pair, pair.names, measure, confidence_level, n_resamples, prior, assumption, rng)


def _listed(
    ev: Evaluation,
    models: tuple[str, ...],
    measure: Metric,
    confidence_level: float,
    n_resamples: int,
    prior: float | None,
    assumption: str,
    rng: RNGLike,
) -> Intervals:
    """Return the intervals of one model's score, or of the difference of two."""
    level = check_prob(confidence_level, "confidence_level")
    n_resamples = check_whole(n_resamples, "n_resamples", 100, 8)
    prior = ev.kind.check_prior(prior)
    rng = check_rng(rng)
    for model in models:
        if model not in ev.names:
            ev.index(model)
    under = ev.under(assumption)
    if ev.shape:
        raise ValueError(
            f"intervals are shown for one experiment, but the tables have leading axes {ev.shape}; "
            "functions such as wilson_direct take arrays of counts"
        )
    kept = under.ev.select(models)
    if kept.units is not None and measure.needs and not kept.kind.many_cells:
        # Cells that the measure does not ask for would only keep patterns apart.
        kept = kept.keep(measure.needs)
    under = replace(under, ev=kept)
    alone = len(models) == 1

    def statistic(tables: FloatArray) -> FloatArray:
        if alone and not kept.methods:
            return measure(tables[..., 0, :], kept.cells)
        scores = kept.mean_scores(measure(tables, kept.cells))
        return np.asarray(scores[..., 0] if alone else scores[..., 1] - scores[..., 0])

    low, high = measure.support
    support = (low, high) if alone else (low - high, high - low)
    rows = []
    if alone and not kept.methods:
        note = "" if under.single else "single items as independent"
        rows += closed_rows(measure, kept.tables[0], kept.cells, level, note)
    stretch = under.stretch(measure)
    helped = kept.kind.assisted(under, measure)
    if not isinstance(helped, str):
        rows.append(assisted_row(helped, measure, support, level, stretch))
    if not kept.kind.gaps(kept.tables):
        # With gaps they cover far too seldom: no resample has a gold label that its cell has not.
        rows += unit_rows(
            under.samples,
            statistic,
            support,
            level,
            "" if under.single else f"over {plural(kept.unit)}",
            n_resamples=n_resamples,
            rng=rng,
            smooth=ev.kind.is_smooth(measure),
            stretch=stretch,
            undefined=any(is_undefined(measure, table, kept.cells) for table in kept.tables),
        )
    if alone:
        law = posterior(ev, models[0], measure, prior=prior, assumption=assumption, rng=rng)
    else:
        test = compare(ev, metrics=[measure], prior=prior, assumption=assumption, rng=rng)
        law = test[measure.name].difference
    rows += credible_rows(law, support, level)
    estimate = float(statistic(kept.tables))
    notes = _notes(under, measure, n_resamples, prior, alone=alone)
    if isinstance(helped, str) and helped:
        notes = (*notes, helped)
    return Intervals(
        models, measure.name, measure.label, estimate, level, tuple(rows), notes, measure.percent
    )


def _notes(under: Under, measure: Metric, n_resamples: int, prior: float, *, alone: bool) -> tuple[str, ...]:
    ev, sampled = under.ev, under.counted(measure)
    if alone:
        said = f"From {sampled}" if sampled else "From totals, each count an independent item"
    elif under.shared:
        said = f"Models paired on {sampled}"
    else:
        said = under.dependence(measure).capitalize()
        said += "" if sampled else ", as only totals are known, so that their variances add"
    words = ev.kind.describe_prior(prior)
    credible = f"credible intervals with {words[0].lower() + words[1:] if words.startswith('No') else words}"
    if under.bootstraps:
        credible += f" and a Bayesian bootstrap over {plural(ev.unit)}"
    resampled = "" if ev.kind.gaps(ev.tables) else f"bootstrap of {n_resamples:,} resamples; "
    notes = [f"{said}; {resampled}{credible}."]
    if ev.methods:
        notes.append(
            "The delta method and the bootstrap speak of the mean of these runs; the credible intervals also allow "
            "for what training would give another time."
        )
    if ev.folds is not None:
        notes.append(f"Counts are effective ones: {ev.folds.cv}, sums of folds times k = {ev.folds.k:.4f}.")
    if caution := under.caution(measure):
        rest = "; those of the bootstrap are not." if resampled else "."
        notes.append(f"{capitalised(caution)}{rest}")
    return (*notes, *ev.notes, *ev.kind.notes_on(under, measure))
