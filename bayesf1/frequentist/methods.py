"""The methods behind a table of intervals: which apply to a measure, and what their results are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.table import points
from bayesf1.evaluation.kind import Assisted
from bayesf1.evaluation.metric import Harmonic, Metric, Proportion
from bayesf1.evaluation.samples import Samples, Statistic
from bayesf1.evaluation.stretch import Stretch
from bayesf1.frequentist.binomial import binomial_clopper_pearson, binomial_wald, binomial_wilson
from bayesf1.frequentist.bootstrap import bca_ends, percentile_ends
from bayesf1.frequentist.bounds import Bounds, normal_quantile, t_quantile
from bayesf1.frequentist.delta import fbeta_delta
from bayesf1.frequentist.f1 import clopper_pearson, wald, wilson_direct, wilson_indirect
from bayesf1.frequentist.interval_table import MethodInterval
from bayesf1.laws.law import Posterior

Support: TypeAlias = tuple[float, float]

LABELS = {
    "clopper_pearson": "Clopper–Pearson",
    "wald": "Wald",
    "wilson": "Wilson",
    "wilson_direct": "Wilson direct",
    "wilson_indirect": "Wilson indirect",
    "fbeta_delta": "Jiang",
    "delta": "delta method",
    "bootstrap_percentile": "bootstrap, percentile",
    "bootstrap_bca": "bootstrap, BCa",
    "difference_estimator": "difference estimator",
    "credible_equal_tailed": "credible, equal-tailed",
    "credible_hdi": "credible, highest density",
}

_SHARE = (binomial_clopper_pearson, binomial_wald, binomial_wilson)
_F1 = (clopper_pearson, wald, wilson_direct, wilson_indirect)


def closed_methods(measure: Metric) -> dict[str, Callable[..., Bounds]]:
    """Return the methods that need no more than a table, as functions of its `grouped_counts`."""
    match measure.law:
        case Proportion():
            return {method.__name__.removeprefix("binomial_"): method for method in _SHARE}
        case Harmonic(1.0):
            return {method.__name__: method for method in _F1}
        case Harmonic(beta):
            return {"fbeta_delta": partial(fbeta_delta, beta=beta)}
    return {}


def grouped_counts(measure: Metric, table: FloatArray, cells: tuple[str, ...]) -> list[FloatArray]:
    """Return the sums of cells (..., cell) of a closed form: successes and failures, or tp, fp and fn."""
    match measure.law:
        case Proportion(successes, failures):
            groups = [successes, failures]
        case Harmonic(_, tp, fp, fn):
            groups = [tp, fp, fn]
        case _:
            groups = []
    return [np.asarray(table[..., [cells.index(cell) for cell in g]].sum(axis=-1)) for g in groups]


def is_undefined(measure: Metric, table: FloatArray, cells: tuple[str, ...]) -> bool:
    """Say whether a table's score is 0/0, as far as is known of the measure."""
    counts = grouped_counts(measure, table, cells)
    return not any(count > 0.0 for count in counts) if counts else not table.any()


def closed_rows(
    measure: Metric, table: FloatArray, cells: tuple[str, ...], level: float, note: str
) -> list[MethodInterval]:
    """Return the intervals that need no more than a table; items are taken as independent."""
    counts = grouped_counts(measure, table, cells)
    # Lam (2023), Theorem 1.
    few = 0.0 < sum(counts) <= 11.0 / 16.0 * normal_quantile(level) ** 2
    rows = []
    for method, function in closed_methods(measure).items():
        found = function(*counts, confidence_level=level)
        lam = "fewer relevant items than Lam's theorem asks for" if few and method == "wilson_direct" else ""
        rows.append(_row(method, found, measure.support, note, lam, undefined=found.undefined))
    return rows


def unit_rows(
    samples: Samples,
    statistic: Statistic,
    support: Support,
    level: float,
    note: str,
    *,
    n_resamples: int,
    rng: np.random.Generator,
    smooth: bool,
    undefined: bool,
    stretch: Stretch,
) -> list[MethodInterval]:
    """Return the intervals that a sample of units gives for any statistic: delta method and bootstrap.

    The delta method needs a `smooth` one, and is widened where units are few or uneven (`stretch`); where the
    statistic is `undefined` the intervals are its whole support.
    """
    ends: dict[str, tuple[float, float]] = {}
    if undefined:
        if not np.isfinite(support).all():
            raise ValueError("all counts are 0, so that no interval of this measure has ends; give some data")
        ends = dict.fromkeys(("delta", "bootstrap_percentile", "bootstrap_bca"), support)
    else:
        estimate = float(statistic(samples.tables))
        if smooth:
            half = float(
                stretch.widening * t_quantile(level, stretch.freedom) * np.sqrt(samples.variance(statistic))
            )
            ends["delta"] = estimate - half, estimate + half
        scores = samples.resampled(statistic, n_resamples, rng)
        ends["bootstrap_percentile"] = percentile_ends(scores, level)
        ends["bootstrap_bca"] = bca_ends(scores, estimate, samples.acceleration(statistic), level)
    return [_row(method, found, support, note, undefined=undefined) for method, found in ends.items()]


def assisted_row(
    found: Assisted, measure: Metric, support: Support, level: float, stretch: Stretch
) -> MethodInterval:
    """Return the interval of an estimate that predictions of missing gold labels help, and its standard error."""
    error = stretch.widening * found.standard_error
    half = t_quantile(level, stretch.freedom) * error
    told = f"standard error {points(error, 1 if measure.percent else 3, percent=measure.percent)}"
    row = _row("difference_estimator", (found.value - half, found.value + half), support, told)
    return replace(row, standard_error=error)


def credible_rows(law: Posterior, support: Support, level: float) -> list[MethodInterval]:
    """Return the credible intervals of a posterior law."""
    equal_tailed = _row("credible_equal_tailed", law.interval(level), support)
    return [equal_tailed, _row("credible_hdi", law.hdi(level), support)]


def _row(
    method: str, ends: Iterable[float], support: Support, *notes: str, undefined: bool = False
) -> MethodInterval:
    low, high = map(float, ends)
    outside = [f"above {support[1]:g}"] * (high > support[1]) + [f"below {support[0]:g}"] * (low < support[0])
    words = [note for note in notes if note]
    if outside:
        words.append(f"overshoots: reaches {' and '.join(outside)}")
    if undefined:
        words.append("nothing to estimate from")
    elif low == high:
        words.append("degenerate: zero width")
    kind = "credible" if method.startswith("credible") else "confidence"
    return MethodInterval(
        method,
        LABELS.get(method, method.replace("_", "–").title()),
        kind,
        low,
        high,
        bool(outside),
        low == high,
        "; ".join(words),
    )
