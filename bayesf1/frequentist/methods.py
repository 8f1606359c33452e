"""The methods behind a table of intervals: which apply to a measure, and what their results are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.metric import Harmonic, Metric, Proportion
from bayesf1.evaluation.samples import Samples, Statistic
from bayesf1.frequentist.binomial import binomial_clopper_pearson, binomial_wald, binomial_wilson
from bayesf1.frequentist.bootstrap import bca_ends, percentile_ends
from bayesf1.frequentist.bounds import Bounds, normal_quantile
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
    "credible_equal_tailed": "credible, equal-tailed",
    "credible_hdi": "credible, highest density",
}

_SHARE: dict[str, Callable[..., Bounds]] = {
    "clopper_pearson": binomial_clopper_pearson,
    "wald": binomial_wald,
    "wilson": binomial_wilson,
}
_F1: dict[str, Callable[..., Bounds]] = {
    "clopper_pearson": clopper_pearson,
    "wald": wald,
    "wilson_direct": wilson_direct,
    "wilson_indirect": wilson_indirect,
}


def closed_methods(measure: Metric) -> dict[str, Callable[..., Bounds]]:
    """Return the methods that need no more than a table, as functions of the counts of `count_groups`."""
    match measure.law:
        case Proportion():
            return _SHARE
        case Harmonic(beta):
            return _F1 if beta == 1.0 else {"fbeta_delta": partial(fbeta_delta, beta=beta)}
    return {}


def count_groups(measure: Metric) -> tuple[tuple[str, ...], ...]:
    """Return the cells whose sums a closed form takes: successes and failures, or tp, fp and fn."""
    match measure.law:
        case Proportion(successes, failures):
            return successes, failures
        case Harmonic(_, tp, fp, fn):
            return tp, fp, fn
    return ()


def grouped_counts(measure: Metric, table: FloatArray, cells: tuple[str, ...]) -> list[FloatArray]:
    """Return the sums of cells that a closed form takes, from tables (..., cell)."""
    groups = ([cells.index(cell) for cell in group] for group in count_groups(measure))
    return [np.asarray(table[..., group].sum(axis=-1)) for group in groups]


def is_undefined(measure: Metric, table: FloatArray, cells: tuple[str, ...]) -> bool:
    """Say whether a table's score is 0/0, as far as is known of the measure."""
    counts = grouped_counts(measure, table, cells)
    return not any(count > 0.0 for count in counts) if counts else not table.any()


def closed_rows(
    measure: Metric, table: FloatArray, cells: tuple[str, ...], level: float, *, note: str = ""
) -> list[MethodInterval]:
    """Return the intervals that need no more than a table; items are taken as independent."""
    counts = grouped_counts(measure, table, cells)
    rows = []
    for method, function in closed_methods(measure).items():
        notes = [note] if note else []
        # Lam (2023), Theorem 1.
        if method == "wilson_direct" and 0.0 < sum(counts) <= 11.0 / 16.0 * normal_quantile(level) ** 2:
            notes.append("fewer relevant items than Lam's theorem asks for")
        found = function(*counts, confidence_level=level)
        rows.append(_row(method, found, measure.support, *notes))
    return rows


def unit_rows(
    samples: Samples,
    statistic: Statistic,
    support: Support,
    level: float,
    *,
    n_resamples: int,
    rng: np.random.Generator,
    smooth: bool,
    undefined: bool,
    note: str = "",
) -> list[MethodInterval]:
    """Return the intervals that a sample of units gives for any statistic: delta method and bootstrap.

    Parameters
    ----------
    samples
        The units.
    statistic, support
        A number of tables (..., model, cell), and its smallest and largest value.
    level
        Confidence level.
    n_resamples, rng
        How often the bootstrap draws, and the source of randomness.
    smooth
        Whether the statistic has a derivative, which the delta method needs.
    undefined
        Whether there is nothing to estimate from; intervals are then the whole support.
    note
        What to say of each.
    """
    estimate = float(statistic(samples.tables))
    if undefined:
        if not np.isfinite(support).all():
            raise ValueError("all counts are 0, so that no interval of this measure has ends; give some data")
        methods = ("delta", "bootstrap_percentile", "bootstrap_bca")
        return [_row(method, Bounds(estimate, *support, undefined=True), support, note) for method in methods]
    ends: dict[str, tuple[float, float]] = {}
    if smooth:
        half = float(normal_quantile(level) * np.sqrt(samples.variance(statistic)))
        ends["delta"] = estimate - half, estimate + half
    scores = samples.resampled(statistic, n_resamples, rng)
    ends["bootstrap_percentile"] = percentile_ends(scores, level)
    ends["bootstrap_bca"] = bca_ends(scores, estimate, samples.acceleration(statistic), level)
    return [_row(method, Bounds(estimate, *found), support, note) for method, found in ends.items()]


def credible_rows(law: Posterior, support: Support, level: float) -> list[MethodInterval]:
    """Return the credible intervals of a posterior law."""
    found = {"credible_equal_tailed": law.interval(level), "credible_hdi": law.hdi(level)}
    return [_row(method, Bounds(law.mean(), *ends), support) for method, ends in found.items()]


def _row(method: str, found: Bounds, support: Support, *notes: str) -> MethodInterval:
    low, high = float(found.low), float(found.high)
    words = [note for note in notes if note]
    outside = [f"above {support[1]:g}"] * (high > support[1]) + [f"below {support[0]:g}"] * (low < support[0])
    if outside:
        words.append(f"overshoots: reaches {' and '.join(outside)}")
    if found.undefined:
        words.append("nothing to estimate from")
    elif low == high:
        words.append("degenerate: zero width")
    kind = "credible" if method.startswith("credible") else "confidence"
    return MethodInterval(
        method, LABELS[method], kind, low, high, bool(outside), low == high, "; ".join(words)
    )
