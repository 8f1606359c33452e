"""How often intervals hold the true score, computed exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import special, stats

from bayesf1.base.arrays import FloatArray, IntArray
from bayesf1.base.checks import check_prob, is_number, is_whole
from bayesf1.base.naming import nearest, quoted
from bayesf1.frequentist.closed_intervals import closed_methods, f1_of_jaccard, grouped_counts
from bayesf1.metrics import FMeasure, Metric, Proportion, find_metric
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import intervals as words
from bayesf1.output.words.signature import in_one_line

# True proportions of true positives, false positives and false negatives among all items.
Proportions: TypeAlias = tuple[float, float, float]
# Counts tp, fp and fn, and the probability of each table.
Tables: TypeAlias = tuple[tuple[FloatArray, FloatArray, FloatArray], FloatArray]

# Mass of all tables that are left out: three binomials, two tails each.
_TAIL = 1e-12
_LOG = np.log(2.0 * 3.0 / _TAIL)
# Tables in one block.
_BLOCK = 1 << 18


def relevant_tables(n: int, p: Proportions) -> Iterator[Tables]:
    """Yield blocks of tables with their probabilities, with all mistakes as false positives.

    Examples
    --------
    >>> ((tp, wrong, _), mass), = relevant_tables(2, (0.4, 0.1, 0.1))
    >>> tp, wrong, mass.round(3)
    (array([0., 0., 1., 0., 1., 2.]), array([0., 1., 0., 2., 1., 0.]), array([0.16, 0.16, 0.32, 0.04, 0.16, 0.16]))
    """
    _, relevant, weight = next(_binomials(np.array([float(n)]), sum(p)))
    for which, tp, mass in _binomials(relevant, p[0] / sum(p)):
        yield (tp, relevant[which] - tp, np.zeros_like(tp)), weight[which] * mass


def all_tables(n: int, p: Proportions) -> Iterator[Tables]:
    """Yield blocks of tables with their probabilities.

    Examples
    --------
    >>> sum(mass.sum() for _, mass in all_tables(10, (0.4, 0.1, 0.2))).round(12)
    np.float64(1.0)
    """
    share = p[1] / (p[1] + p[2]) if p[1] + p[2] > 0.0 else 0.0
    for (tp, wrong, _), weight in relevant_tables(n, p):
        for which, fp, mass in _binomials(wrong, share):
            yield (tp[which], fp, wrong[which] - fp), weight[which] * mass


def _binomials(n: FloatArray, p: float) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Yield all values of several binomial variates: which variate, value, probability; about a block at a time."""
    # Bernstein: P(|X - np| >= t) <= 2 exp(-t²/(2(np(1-p) + t/3))).
    reach = _LOG / 3.0 + np.sqrt(_LOG * _LOG / 9.0 + 2.0 * n * p * (1.0 - p) * _LOG)
    low = np.maximum(np.ceil(n * p - reach), 0.0)
    high = np.minimum(np.floor(n * p + reach), n)
    sizes = (high - low + 1.0).astype(np.intp)
    starts = np.unique(np.cumsum(sizes) // _BLOCK, return_index=True)[1]
    for rows in np.split(np.arange(len(n)), starts[1:]):
        which = np.repeat(rows, sizes[rows])
        before = np.repeat(np.cumsum(sizes[rows]) - sizes[rows], sizes[rows])
        value = low[which] + (np.arange(len(which)) - before)
        yield which, value, np.asarray(stats.binom.pmf(value, n[which], p))


# From counts tp, fp, fn and confidence_level to the two ends.
Method: TypeAlias = Callable[..., Any]

CREDIBLE = "credible_equal_tailed"
F1_METHODS = ("clopper_pearson", "wald", "wilson_direct", "wilson_indirect", CREDIBLE)

_CELLS = ("tp", "fp", "fn")


# The columns of a method, in the order of the fields of `CoverageCurve`.
_FIELDS = ("coverage", "length", "overshoot", "degenerate")


@dataclass(frozen=True, eq=False, repr=False)
class CoverageCurve(Answer):
    """Coverage of several methods for several numbers of items.

    Attributes
    ----------
    n
        Numbers of items.
    methods, labels
        Names of the methods, and how they are printed.
    coverage
        Probability that the interval holds the true score, axes (method, n).
    length
        Expected distance between the ends, on the same axes.
    overshoot, degenerate
        Probability that an end lies outside the score's support, and that the interval is a single point.
    confidence_level
        The nominal level of the methods.
    metric, truth
        The metric, and its true value.
    proportions
        True proportions of true positives, false positives and false negatives.
    """

    json_format = "bayesf1.coverage/1"
    index_names = ("interval", "n")

    n: IntArray
    methods: tuple[str, ...]
    coverage: FloatArray
    length: FloatArray
    overshoot: FloatArray
    degenerate: FloatArray
    confidence_level: float
    metric: str
    truth: float
    proportions: Proportions

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the methods as they are printed."""
        return tuple(map(words.method_label, self.methods))

    @property
    def title(self) -> str:
        """The score to be covered, and the level."""
        return words.coverage_title(self)

    @property
    def table(self) -> Table:
        """A row for each method and number of items."""
        return words.coverage_table(self)

    def signature(self) -> str:
        """Return what is needed to compute the curve again, in one line."""
        return in_one_line(
            metric=self.metric,
            methods=self.methods,
            n=self.n,
            proportions=self.proportions,
            confidence_level=self.confidence_level,
        )

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each method and number of items."""
        return [
            {"interval": method, "n": int(n), **{f: float(getattr(self, f)[i, j]) for f in _FIELDS}}
            for i, method in enumerate(self.methods)
            for j, n in enumerate(self.n)
        ]


def coverage_curve(
    n: Sequence[int],
    p11: float,
    p10: float,
    p01: float,
    *,
    methods: Sequence[str] = F1_METHODS,
    metric: str = "f1",
    confidence_level: float = 0.95,
    prior: float = 0.5,
) -> CoverageCurve:
    """Return coverage, expected length, overshoot and degeneracy of interval methods as the number of items grows.

    Parameters
    ----------
    n
        Numbers of items, including items that are neither positive nor predicted to be.
    p11, p10, p01
        True proportions of true positives, false positives and false negatives among all items.
    methods
        Names of methods, such as ``"wilson_direct"`` or ``"credible_equal_tailed"``.
    metric
        A metric of tp, fp and fn whose true value should be covered.
    confidence_level
        The nominal level of the methods.
    prior
        λ of the Dirichlet prior of credible intervals.

    Notes
    -----
    Tables with a total probability below 10⁻¹² are left out, so coverage is too low by at most that.

    Without any relevant item nothing can be said: our methods then give [0, 1], which counts as covering, with
    a length of 1 and neither overshoot nor degeneracy. Lam (2023) leaves open what he does; in his scenarios
    this has a probability below 10⁻⁹.

    Examples
    --------
    Lam's first scenario:

    >>> curve = coverage_curve([25, 50], 0.4, 0.1, 0.1, methods=["wald", "wilson_indirect"])
    >>> curve.coverage.round(3)
    array([[0.905, 0.926], [0.953, 0.953]])
    """
    level = check_prob(confidence_level, "confidence_level")
    p = _check_proportions(p11=p11, p10=p10, p01=p01)
    numbers = list(n)
    if not numbers:
        raise ValueError("n must be at least one number of items")
    for number in numbers:
        if not is_whole(number) or not 1 <= number <= 10**7:
            raise ValueError(f"n must be a whole number of items from 1 to 1e7, not {quoted(number)}")
    definition = find_metric(metric)
    if not definition.needs or not set(definition.needs) <= set(_CELLS):
        raise ValueError(
            f"coverage is computed for metrics of tp, fp and fn such as f1 or recall, not {definition.name}"
        )
    if isinstance(methods, str) or not len(methods) or len({*methods}) < len(methods):
        raise ValueError(f"methods must be a list of different names, at least one, not {quoted(methods)}")
    functions = [_resolve(method, definition, prior) for method in methods]
    truth = float(definition(np.array(p), _CELLS))
    # Axes (n, method, field).
    values = np.array([_one_number(int(x), p, functions, truth, definition, level) for x in numbers])
    coverage, length, overshoot, degenerate = np.moveaxis(values, (2, 1, 0), (0, 1, 2))
    return CoverageCurve(
        n=np.array(numbers, dtype=np.int64),
        methods=tuple(methods),
        coverage=coverage,
        length=length,
        overshoot=overshoot,
        degenerate=degenerate,
        confidence_level=level,
        metric=definition.name,
        truth=truth,
        proportions=p,
    )


def _one_number(
    n: int, p: Proportions, functions: list[Method], truth: float, metric: Metric, level: float
) -> FloatArray:
    """Return the four numbers of each method, axes (method, field)."""
    # F1 and Jaccard depend on the sum of all mistakes only.
    tables = relevant_tables if metric.name in ("f1", "jaccard") else all_tables
    out = np.zeros((len(functions), len(_FIELDS)))
    for counts, mass in tables(n, p):
        for i, function in enumerate(functions):
            low, high = function(*counts, confidence_level=level)
            inside = (low <= truth) & (truth <= high)
            outside = (low < metric.support[0]) | (high > metric.support[1])
            out[i] += mass @ np.stack([inside, high - low, outside, high == low], axis=1)
    return out


def _resolve(method: str, metric: Metric, prior: float) -> Method:
    """Return an interval method as a function of tp, fp and fn, or raise a ValueError if no method has this name."""
    known: dict[str, Method] = {**closed_methods(metric)}
    if isinstance(metric.distribution, Proportion) or metric.distribution == FMeasure(1.0):
        known[CREDIBLE] = _credible
    if method not in known:
        raise ValueError(f"unknown method {quoted(method)} for {metric.name}; {nearest(str(method), known)}")
    if not is_number(prior) or not 0.0 < prior <= 1e6:
        raise ValueError(f"prior must be above 0, such as 1 (uniform) or 0.5 (Jeffreys), not {quoted(prior)}")
    added = float(prior) if method == CREDIBLE else 0.0

    def by_counts(*counts: FloatArray, confidence_level: float) -> Any:
        sums = grouped_counts(metric, np.stack(counts, axis=-1) + added, _CELLS)
        return known[method](*sums, confidence_level=confidence_level)

    return by_counts


def _credible(hits: FloatArray, *misses: FloatArray, confidence_level: float) -> list[Any]:
    """Return the ends of equal-tailed intervals of a share, or of F1, which has misses of two kinds."""
    tail = 0.5 * (1.0 - confidence_level)
    low = special.betaincinv(hits, sum(misses), tail)
    high = special.betainccinv(hits, sum(misses), tail)
    if len(misses) == 1:
        return [low, high]
    return [f1_of_jaccard(low), f1_of_jaccard(high)]


def _check_proportions(**proportions: float) -> Proportions:
    for name, value in proportions.items():
        if not is_number(value) or not 0.0 <= value <= 1.0:
            raise ValueError(f"{name} must be a proportion from 0 to 1, not {quoted(value)}")
    p11, p10, p01 = map(float, proportions.values())
    total = p11 + p10 + p01
    if not 0.0 < total <= 1.0 + 1e-12:
        raise ValueError(f"p11, p10 and p01 must add up to more than 0 and at most 1, not {total:g}")
    scale = max(total, 1.0)
    return p11 / scale, p10 / scale, p01 / scale
