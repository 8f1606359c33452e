"""Confidence intervals of one model's score and of a difference."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy import special

from bayesf1.base.arrays import BoolArray, FloatArray, plain
from bayesf1.base.checks import ArrayLike, RNGLike, check_prob, check_rng, check_whole, is_number, start_of
from bayesf1.base.naming import cleaned, nearest, plural
from bayesf1.distributions.base import Posterior
from bayesf1.evaluation import (
    Evaluation,
    UndefinedScore,
    check_items,
    defined_scores,
    resolve_metric,
    resolve_metrics,
)
from bayesf1.inference.compare import compare
from bayesf1.inference.posterior import posterior
from bayesf1.metrics import FMeasure, Metric, MetricLike, Proportion, ratio
from bayesf1.output import text
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.sampling.inflation import SmallSampleInflation
from bayesf1.sampling.model import SamplingModel, SamplingSettings, sampling_model
from bayesf1.sampling.resampling import Samples, Statistic
from bayesf1.tasks.judged import difference_estimate

if TYPE_CHECKING:
    import pandas as pd


class Ends:
    """The two ends of an interval, or arrays of them: ``low, high = ends``."""

    low: Any
    high: Any
    # Smallest and largest value that the score can take.
    support: tuple[float, float] = (0.0, 1.0)

    @property
    def length(self) -> Any:
        """Distance of the ends."""
        return self.high - self.low

    @property
    def overshoot(self) -> Any:
        """Whether an end is no possible value of the score."""
        return (self.low < self.support[0]) | (self.high > self.support[1])

    @property
    def degenerate(self) -> Any:
        """Whether the interval is a single point."""
        return self.high == self.low

    def __iter__(self) -> Iterator[Any]:
        return iter((self.low, self.high))


@dataclass(frozen=True, eq=False)
class Bounds(Ends):
    """Intervals of one kind, one for each table: ``low, high = wald(77, 44, 10)``.

    Attributes
    ----------
    estimate
        The point estimate.
    low, high
        The ends as the method gives them: they are never cut off at the ends of the support.
    undefined
        Where the estimate is 0/0, such as F1 without any relevant item, or that of some class is. No data exclude
        nothing, so the interval is then the whole support.
    se
        Standard error of the estimate, where the method has one.
    """

    estimate: Any
    low: Any
    high: Any
    undefined: Any = False
    se: Any = None


def bounds(
    estimate: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    undefined: BoolArray,
    se: FloatArray | None = None,
) -> Bounds:
    """Return intervals on [0, 1], which are [0, 1] where the estimate, or a part of it, is `undefined`."""
    ends = plain(np.where(undefined, 0.0, low)), plain(np.where(undefined, 1.0, high))
    flags = undefined if np.ndim(undefined) else bool(undefined)
    return Bounds(plain(estimate), *ends, flags, None if se is None else plain(se))


def normal_bounds(
    estimate: FloatArray, variance: FloatArray, confidence_level: float, **where: BoolArray
) -> Bounds:
    """Return intervals of some standard errors to either side, else as `bounds`."""
    se = np.sqrt(variance)
    reach = normal_quantile(confidence_level) * se
    return bounds(estimate, estimate - reach, estimate + reach, se=se, **where)


def normal_quantile(confidence_level: float) -> float:
    """Return z, between which and -z a standard normal variate lies with this probability.

    Examples
    --------
    >>> normal_quantile(0.95)
    1.959963...
    """
    return float(special.ndtri(0.5 * (1.0 + check_prob(confidence_level, "confidence_level"))))


def check_counts(**counts: ArrayLike) -> list[FloatArray]:
    """Return counts as arrays of one shape, or say which is none."""
    try:
        arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in counts.values()))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{', '.join(counts)} must be numbers of items, or arrays of them: {error}"
        ) from None
    for name, array in zip(counts, arrays, strict=True):
        bad = ~((array >= 0.0) & (array < np.inf))
        if bad.any():
            raise ValueError(f"{name} must be finite and not negative, but it is {array[bad].flat[0]:g}")
    return list(arrays)


# ---- F-scores -----------------------------------------------------------------------------------------------


def fbeta_delta(
    tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, beta: float = 1.0, confidence_level: float = 0.95
) -> Bounds:
    r"""Interval for :math:`F_\beta`, the Tversky index with :math:`a = 1/(1+\beta^2)`, :math:`b = \beta^2/(1+\beta^2)`.

    Parameters
    ----------
    tp, fp, fn, confidence_level
        As in `tversky_delta`.
    beta
        Weight of recall against precision, above 0.

    Examples
    --------
    The orange juice data of the paper:

    >>> juice = fbeta_delta(286, 47, 43, beta=0.5)
    >>> juice.estimate, juice.se
    (0.86092..., 0.01623...)

    References
    ----------
    Jiang (2020), Statistical Formulas for F Measures, Proposition 1 and Corollary 1.
    """
    if not is_number(beta) or not 0.0 < beta <= 1e3:
        raise ValueError(f"beta must be above 0 and at most 1000, not {beta!r}")
    a = 1.0 / (1.0 + beta * beta)
    return tversky_delta(tp, fp, fn, a=a, b=beta * beta * a, confidence_level=confidence_level)


def tversky_delta(
    tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, a: float, b: float, confidence_level: float = 0.95
) -> Bounds:
    r"""Interval for the Tversky index :math:`\tau(a,b) = TP/(TP + a\,FP + b\,FN)`.

    .. math:: \operatorname{Var} \tau = \frac{\tau(a^2,b^2)^{-1} - 1 + (\tau^{-1}-1)^2}{TP\,\tau^{-4}}
              = \frac{TP\,(TP\,S_2 + S_1^2)}{(TP+S_1)^4}, \qquad S_i = a^i FP + b^i FN.

    Its ends may lie outside [0, 1], and it is a single point where the index is 0 or 1.

    Parameters
    ----------
    tp, fp, fn
        Counts; arrays broadcast.
    a, b
        Weights of false positives and of false negatives, not negative and not both 0: (1, 0) is precision,
        (0, 1) recall, (½, ½) F1, (1, 1) Jaccard.
    confidence_level
        Probability with which the interval shall hold the true index.

    Examples
    --------
    >>> jaccard = tversky_delta(77, 44, 10, a=1, b=1)
    >>> jaccard.low, jaccard.high
    (0.50349..., 0.67207...)

    References
    ----------
    Jiang (2020), Proposition 1.
    """
    check_weights(a, b)
    if a == b == 0:
        raise ValueError("a and b are both 0, which makes every index 1; give at least one a weight above 0")
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    first, second = a * fp + b * fn, a * a * fp + b * b * fn
    total = tp + first
    index = ratio(tp, total)
    variance = ratio(index * (index * second + ratio(first, total) * first), total * total)
    return normal_bounds(index, variance, confidence_level, undefined=total == 0.0)


def check_weights(a: float, b: float) -> None:
    """Say which weight of a Tversky index is none."""
    for name, weight in (("a", a), ("b", b)):
        if not is_number(weight) or not 0.0 <= weight <= 1e6:
            raise ValueError(f"{name} must be a weight from 0 to 1e6, not {weight!r}")


# ---- shares -----------------------------------------------------------------------------------------------


def binomial_clopper_pearson(
    successes: ArrayLike, failures: ArrayLike, *, confidence_level: float = 0.95
) -> Bounds:
    r"""Invert the binomial test: :math:`\mathrm{Be}_{\alpha/2}(s, f+1)` to :math:`\mathrm{Be}_{1-\alpha/2}(s+1, f)`.

    Parameters
    ----------
    successes, failures
        Counts; arrays broadcast.
    confidence_level
        Probability with which the interval shall hold the true share.

    Examples
    --------
    >>> tuple(binomial_clopper_pearson(77, 44))
    (0.54401..., 0.72187...)

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26.
    """
    s, f = check_counts(successes=successes, failures=failures)
    tail = 0.5 * (1.0 - check_prob(confidence_level, "confidence_level"))
    # Without a success the lower end is 0, without a failure the upper end is 1.
    low = np.where(s > 0.0, special.betaincinv(np.where(s > 0.0, s, 1.0), f + 1.0, tail), 0.0)
    high = np.where(f > 0.0, special.betainccinv(s + 1.0, np.where(f > 0.0, f, 1.0), tail), 1.0)
    return bounds(ratio(s, s + f), low, high, undefined=s + f == 0.0)


def binomial_wald(successes: ArrayLike, failures: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Invert the Wald test, :math:`\hat p \pm z\sqrt{\hat p(1-\hat p)/n}`; the ends may lie outside [0, 1].

    Parameters
    ----------
    successes, failures, confidence_level
        As in `binomial_clopper_pearson`.

    Examples
    --------
    >>> interval = binomial_wald(29, 1)
    >>> interval.high, interval.overshoot
    (1.03090..., True)
    """
    s, f = check_counts(successes=successes, failures=failures)
    return tversky_delta(s, f, 0.0, a=1.0, b=0.0, confidence_level=confidence_level)


def binomial_wilson(successes: ArrayLike, failures: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Invert the score test: the roots of :math:`(1+k)p^2 - (2\hat p+k)p + \hat p^2 = 0`, :math:`k=z^2/n`.

    Parameters
    ----------
    successes, failures, confidence_level
        As in `binomial_clopper_pearson`.

    Examples
    --------
    >>> tuple(binomial_wilson(77, 44))
    (0.54768..., 0.71665...)

    References
    ----------
    Wilson (1927), JASA 22; Lam (2023), Eq. 42.
    """
    s, f = check_counts(successes=successes, failures=failures)
    z, n = normal_quantile(confidence_level), np.where(s + f > 0.0, s + f, 1.0)
    root = np.sqrt(z**4 + 4.0 * z * z * s * f / n)
    # The lower root, and 1 minus the upper one, neither by a subtraction.
    low, gap = (2.0 * x * x / (n * (2.0 * x + z * z + root)) for x in (s, f))
    return bounds(ratio(s, s + f), low, 1.0 - gap, undefined=s + f == 0.0)


# ---- F1 ---------------------------------------------------------------------------------------------------


def clopper_pearson(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for F1 by the binomial test of :math:`F^*`, mapped by :math:`2x/(1+x)`; never too short.

    Parameters
    ----------
    tp, fp, fn
        Counts; arrays broadcast.
    confidence_level
        Probability with which the interval shall hold the true F1.

    Examples
    --------
    >>> tuple(clopper_pearson(77, 44, 10))
    (0.66532..., 0.80455...)

    References
    ----------
    Lam (2023), Eqs. 26-27.
    """
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    return _from_jaccard(binomial_clopper_pearson(tp, fp + fn, confidence_level=confidence_level))


def wald(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval :math:`\hat F_1 \pm z\sqrt{\hat F_1(1-\hat F_1)(2-\hat F_1)^2/2\nu}`, as the delta method gives it.

    Its ends may lie outside [0, 1], and it is a single point where F1 is 0 or 1: see `Bounds.overshoot` and
    `Bounds.degenerate`.

    Parameters
    ----------
    tp, fp, fn, confidence_level
        As in `clopper_pearson`.

    Examples
    --------
    >>> tuple(wald(77, 44, 10))
    (0.67351..., 0.80725...)
    >>> wald(12, 1, 0).overshoot, wald(12, 0, 0).degenerate
    (True, True)

    References
    ----------
    Lam (2023), Eqs. 28-31.
    """
    # Jiang's variance is Lam's where beta is 1.
    return fbeta_delta(tp, fp, fn, confidence_level=confidence_level)


def wilson_direct(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for F1 by the score test of F1 itself: the two real roots, in [0, 1], of a quartic.

    .. math:: kF^4 - 5kF^3 + 2(4k+1)F^2 - 4(k+\hat F_1)F + 2\hat F_1^2 = 0, \qquad k = z^2/\nu.

    Lam's theorem has exactly two roots for :math:`k < 16/11`, that is from ν = 3 on at 95 %. They are the only
    two for any k: with :math:`s(F) = \sqrt{F(1-F)}\,(2-F)`, which is concave, the quartic says
    :math:`F \pm \sqrt{k/2}\,s(F) = \hat F_1`, and a concave (convex) function that begins at 0 and ends at 1
    takes each value between once.

    Parameters
    ----------
    tp, fp, fn, confidence_level
        As in `clopper_pearson`.

    Examples
    --------
    >>> tuple(wilson_direct(77, 44, 10))
    (0.66396..., 0.79870...)

    References
    ----------
    Lam (2023), Eq. 37 and Theorem 1.
    """
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    nu, f1 = tp + fp + fn, ratio(2.0 * tp, 2.0 * tp + fp + fn)
    k = normal_quantile(confidence_level) ** 2 / np.where(nu > 0.0, nu, 1.0)
    return bounds(f1, *_score_roots(f1, k), undefined=nu == 0.0)


def wilson_indirect(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for F1 by the score test of :math:`F^*`, mapped by :math:`2x/(1+x)`.

    Parameters
    ----------
    tp, fp, fn, confidence_level
        As in `clopper_pearson`.

    Examples
    --------
    >>> tuple(wilson_indirect(77, 44, 10))
    (0.66858..., 0.80125...)

    References
    ----------
    Lam (2023), Eq. 42.
    """
    tp, fp, fn = check_counts(tp=tp, fp=fp, fn=fn)
    return _from_jaccard(binomial_wilson(tp, fp + fn, confidence_level=confidence_level))


def _from_jaccard(share: Bounds) -> Bounds:
    """Return intervals for F1 from those for the Jaccard index, which is a share."""
    estimate, low, high = (f1_of_jaccard(x) for x in (share.estimate, *share))
    return Bounds(estimate, low, high, share.undefined)


def f1_of_jaccard(share: Any) -> Any:
    """Return 2x/(1+x), Lam (2023), Eq. 10."""
    return 2.0 * share / (1.0 + share)


def _score_roots(f1: FloatArray, k: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return the two roots of Lam's quartic for many tables, for k above 0.

    With :math:`F = \sin^2\theta` and :math:`c = \sqrt{k/2}` it falls apart into two equations that are smooth up to
    the ends of the interval, each with one root: plus for the lower end, minus for the upper one.

    .. math:: \sin^2\theta \pm c\,\sin\theta\cos\theta\,(1+\cos^2\theta) = \hat F_1
    """
    from scipy.optimize import elementwise

    def excess(theta: FloatArray, c: FloatArray, f1: FloatArray) -> FloatArray:
        sin, cos = np.sin(theta), np.cos(theta)
        return np.asarray(sin * sin - f1 + c * sin * cos * (1.0 + cos * cos))

    c, middle, right = np.sqrt(0.5 * k), np.arcsin(np.sqrt(f1)), 0.5 * np.pi
    # An estimate of 0 or 1 is a root itself, and has another one beside it.
    low = elementwise.find_root(
        excess, (np.zeros_like(middle), np.minimum(middle, right - 1e-9)), args=(c, f1)
    )
    high = elementwise.find_root(
        excess, (np.maximum(middle, 1e-9), np.full_like(middle, right)), args=(-c, f1)
    )
    return np.where(f1 == 0.0, 0.0, np.sin(low.x) ** 2), np.where(f1 == 1.0, 1.0, np.sin(high.x) ** 2)


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
    # Scores equal to the estimate lie half below it; a share of 0 or 1 is only known to be below half a resample.
    below = 0.5 * (np.mean(scores < estimate) + np.mean(scores <= estimate))
    z0 = special.ndtri(np.clip(below, 0.5 / len(scores), 1.0 - 0.5 / len(scores)))
    shifted = z0 + np.array([-z, z])
    # Far beyond what a sample of any size gives, the denominator would change its sign.
    levels = special.ndtr(z0 + shifted / np.maximum(1.0 - acceleration * shifted, 1e-3))
    low, high = np.quantile(scores, np.sort(levels))
    return float(low), float(high)


# ---- what applies to a metric -----------------------------------------------------------------------------


_T = TypeVar("_T")
_SHARE = (binomial_clopper_pearson, binomial_wald, binomial_wilson)
_F1 = (clopper_pearson, wald, wilson_direct, wilson_indirect)
# Resamples by default, and where units are many: so many draws of units in all, but no fewer resamples.
_MOST_RESAMPLES, _DRAWN_UNITS, _FEWEST_RESAMPLES = 9_999, 10**8, 1_000


def closed_methods(metric: Metric) -> dict[str, Callable[..., Bounds]]:
    """Return the methods that need no more than a table, as functions of its `grouped_counts`."""
    match metric.distribution:
        case Proportion():
            return {method.__name__.removeprefix("binomial_"): method for method in _SHARE}
        case FMeasure(1.0):
            return {method.__name__: method for method in _F1}
        case FMeasure(beta):
            return {"fbeta_delta": partial(fbeta_delta, beta=beta)}
    return {}


def grouped_counts(metric: Metric, table: FloatArray, cells: tuple[str, ...]) -> list[FloatArray]:
    """Return the sums of cells (..., cell) of a closed form: successes and failures, or tp, fp and fn."""
    match metric.distribution:
        case Proportion(successes, failures):
            groups = [successes, failures]
        case FMeasure(_, tp, fp, fn):
            groups = [tp, fp, fn]
        case _:
            groups = []
    return [np.asarray(table[..., [cells.index(cell) for cell in g]].sum(axis=-1)) for g in groups]


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
        What the method takes as independent, if the evaluation has clusters; else "".
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
        return text.method_label(self.method)

    @property
    def kind(self) -> str:
        """``"confidence"`` or ``"credible"``."""
        return "credible" if self.method.startswith("credible") else "confidence"

    @property
    def note(self) -> str:
        """What to mind about it."""
        return text.interval_note(self)


@dataclass(frozen=True, kw_only=True)
class IntervalSettings(SamplingSettings):
    """What was asked of intervals; what was sampled stands in `SamplingSettings`.

    Attributes
    ----------
    confidence_level
        Confidence level, and probability of the credible intervals.
    n_resamples
        Number of resamples of the bootstrap; 0 if there is no bootstrap.
    prior, prior_name
        The concentration of the prior of the credible intervals, and the prior in words.
    rng
        The seed; None after a Generator.
    """

    confidence_level: float
    n_resamples: int
    prior: float
    prior_name: str
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
        What was asked, and what was taken as sampled.
    remarks
        What limits the intervals by the nature of the data, in sentences.
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
        return text.intervals_notes(self)

    @property
    def title(self) -> str:
        """What the intervals are of, and the estimate."""
        return text.intervals_title(self)

    @property
    def table(self) -> Table:
        """The intervals as a table: method, interval, length, note."""
        return text.intervals_table(self)

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
        return text.in_one_line(metric=text.signed_name(self), **text.sampling_parts(s), **asked, rng=s.rng)

    def __repr__(self) -> str:
        return f"<Intervals of {self.title}, {len(self)} methods>"

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each method."""
        names = "method kind low high length standard_error overshoot degenerate note"
        return [{name: getattr(row, name) for name in names.split()} for row in self.rows]

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
    """Return the intervals of a model's score, by every method that applies or by those that are asked for.

    Clopper-Pearson's, Wald's and Wilson's take items as independent: for F1 they are the four of Lam (2023), for
    precision, recall and other shares the binomial ones, and for other F-scores there is Jiang's. The delta
    method and the bootstrap resample units as they are, so they also hold for sentences or documents, and
    for any metric. The credible intervals are those of `posterior`. If items have no gold label, the difference
    estimator corrects the labelled ones by what the judges say of all, as prediction-powered inference does.

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
        Number of resamples of the bootstrap: 9,999 by default, and fewer, but at least 1,000, if patterns of
        units are thousands and each has many units.
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

    Of confusion matrices the delta method is that of Takahashi et al. (2022), for micro and macro F1 alike. Of a score that
    is undefined all numbers are NaN.

    Parameters
    ----------
    ev
        The evaluation.
    metrics
        Names of metrics, or callables on tables (..., cell); precision, recall and F1 by default.
    method, confidence_level, assumption, rng
        Name of one of the methods of `intervals`, and what it takes. The standard error is missing if the method has none.

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
    rows = {}
    how: Any = {"confidence_level": confidence_level, "assumption": assumption, "rng": rng}
    for model in ev.names:
        for metric in resolve_metrics(metrics, ev):
            try:
                found = intervals(ev, model, metric, methods=[method], **how)
            except UndefinedScore:
                rows[model, metric.name] = (None,) * 4
            else:
                rows[model, metric.name] = (found.estimate, found[method].standard_error, *found[method])
    index = pd.MultiIndex.from_tuples(list(rows), names=["model", "metric"])
    columns = pd.Index(["score", "se", "low", "high"], name=f"{method}, {100 * confidence_level:g} %")
    frame = pd.DataFrame(list(rows.values()), index, columns, dtype=float)
    return frame.rename(index=cleaned)


def defined_answers(questions: Iterable[Callable[[], _T]]) -> list[_T]:
    """Return the answers to some questions, without those about undefined scores, of which a warning tells."""
    found, left_out = [], []
    for question in questions:
        try:
            found.append(question())
        except UndefinedScore as error:
            left_out.append(error)
    if left_out and not found:
        raise left_out[0]
    for why in left_out:
        warnings.warn(f"left out: {why}", stacklevel=2)
    return found


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
    """What intervals are asked of: the score of one model, or the difference of two, B minus A.

    Attributes
    ----------
    given
        The evaluation.
    models
        One model, or A and B.
    metric
        The metric.
    sampling
        What was sampled, of these models and of the cells that the metric needs.
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
    def alone(self) -> bool:
        """Whether it is the score of one model."""
        return len(self.models) == 1

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        low, high = self.metric.support
        return (low, high) if self.alone else (low - high, high - low)

    def of_scores(self, scores: FloatArray) -> FloatArray:
        """Return it from scores of the models, axes (..., model)."""
        scores = self.ev.mean_scores(scores)
        return np.asarray(scores[..., 0] if self.alone else scores[..., 1] - scores[..., 0])

    @cached_property
    def value(self) -> float:
        """The plain score, or difference of scores."""
        return float(self.of_scores(defined_scores(self.ev, self.metric)))

    @cached_property
    def inflation(self) -> SmallSampleInflation:
        """What few or uneven units add to a standard error."""
        return self.sampling.inflation(self.metric)

    def statistic(self, *, near: bool) -> tuple[Samples, Statistic]:
        """Return the sample, and the estimand as a function of its tables; of many cells of the metric's two sums alone.

        With `near`, a metric that is a ratio to first order only is taken for that ratio.
        """
        ev, metric, samples = self.ev, self.metric, self.sampling.samples
        parts = metric.expansion(ev.tables, ev.cells, near) if ev.task.many_cells else None
        if parts is None:
            return samples, lambda tables: self.of_scores(metric(tables, ev.cells))
        # A mean is a ratio of two sums; it is shifted, so that neither is 0 or less.
        shift = 1.0 - float((parts[0] / parts[1].clip(1e-300)).min(initial=0.0))
        columns = np.stack([parts[0] + shift * parts[1], parts[1]], axis=-1)
        return samples.of_sums(columns), lambda s: self.of_scores(ratio(s[..., 0], s[..., 1]) - shift)

    @cached_property
    def _resampled(self) -> tuple[Samples, Statistic]:
        return self.statistic(near=all(units.many for units, _ in self.sampling.samples.parts))

    @property
    def resamples(self) -> int:
        """How many resamples a bootstrap makes."""
        few = _DRAWN_UNITS // max(1, self._resampled[0].n_resampled)
        return self.n_resamples or min(_MOST_RESAMPLES, max(few, _FEWEST_RESAMPLES))

    @cached_property
    def resampled(self) -> FloatArray:
        """Its values in samples of units drawn with replacement."""
        samples, statistic = self._resampled
        return samples.resampled(statistic, self.resamples, check_rng(self.asked["rng"]))

    @cached_property
    def posterior(self) -> Posterior:
        """Its posterior."""
        options: Any = self.asked
        if self.alone:
            with warnings.catch_warnings():
                # A note tells of few units.
                warnings.simplefilter("ignore")
                return posterior(self.given, self.models[0], self.metric, **options)
        found = compare(self.given, metrics=[self.metric], **options)[self.metric.name]
        if found.spread_unknown:
            raise UndefinedScore(f"{str(found)[:-1]}; give more {plural(found.settings.unit)}")
        return found.difference

    # ---- a row for each method ------------------------------------------------------------------------------

    def row(self, method: str, ends: Iterable[float], **more: Any) -> MethodInterval:
        """Return the interval of a method."""
        low, high = map(float, ends)
        return MethodInterval(method, low, high, self.support, self.metric.percent, **more)

    def closed(self, method: str) -> MethodInterval:
        """Return an interval that needs no more than the table of one model, as if items were independent."""
        counts = grouped_counts(self.metric, self.ev.tables[0], self.ev.cells)
        ends = closed_methods(self.metric)[method](*counts, confidence_level=self.level)
        return self.row(method, ends, standard_error=ends.se, units="" if self.sampling.single else "item")

    def normal(self, method: str, centre: float, error: float, **more: Any) -> MethodInterval:
        """Return an estimate ± t standard errors."""
        # Of classes, the delta method is that of Takahashi et al. (2022), as they have it.
        error *= self.inflation.widening if self.sampling.bootstraps else 1.0
        half = float(special.stdtrit(self.inflation.freedom, 0.5 * (1.0 + self.level))) * error
        return self.row(method, (centre - half, centre + half), standard_error=error, **more)

    def difference_estimator(self, method: str) -> MethodInterval:
        """Return the interval that corrects labelled items by what the judges say of all."""
        assisted = difference_estimate(self.sampling, self.metric)
        assert assisted is not None
        return self.normal(method, assisted.value, assisted.standard_error)

    def delta(self, method: str) -> MethodInterval:
        """Return the interval of the delta method over units."""
        samples, statistic = self.statistic(near=True)
        return self.normal(method, self.value, float(np.sqrt(samples.variance(statistic))), units=self._units)

    def percentile(self, method: str) -> MethodInterval:
        """Return the percentile interval of a bootstrap over units."""
        return self.row(method, percentile_ends(self.resampled, self.level), units=self._units)

    def bca(self, method: str) -> MethodInterval:
        """Return the bias-corrected and accelerated interval of a bootstrap over units."""
        samples, statistic = self.statistic(near=True)
        ends = bca_ends(self.resampled, self.value, samples.acceleration(statistic), self.level)
        return self.row(method, ends, units=self._units)

    def equal_tailed(self, method: str) -> MethodInterval:
        """Return the equal-tailed interval of the posterior."""
        return self.row(method, self.posterior.interval(self.level))

    def highest_density(self, method: str) -> MethodInterval:
        """Return the highest density interval of the posterior."""
        return self.row(method, self.posterior.hdi(self.level))

    @property
    def _units(self) -> str:
        return "" if self.sampling.single else self.ev.unit


def _closed(name: str) -> tuple[Callable[[Estimand, str], MethodInterval], Callable[[Estimand], Any]]:
    """Return the row of a method that needs no more than the table of one model."""
    return Estimand.closed, lambda e: e.alone and not e.ev.methods and name in closed_methods(e.metric)


# With gaps in gold a bootstrap covers far too seldom: no resample has a gold label that its cell has not.
_METHODS: dict[str, tuple[Callable[[Estimand, str], MethodInterval], Callable[[Estimand], Any]]] = {
    **{
        name: _closed(name)
        for name in ("clopper_pearson", "wald", "wilson", "wilson_direct", "wilson_indirect")
    },
    "fbeta_delta": _closed("fbeta_delta"),
    "difference_estimator": (
        Estimand.difference_estimator,
        lambda e: difference_estimate(e.sampling, e.metric) is not None,
    ),
    "delta": (Estimand.delta, lambda e: not e.ev.labelled and e.metric.smooth),
    "bootstrap_percentile": (Estimand.percentile, lambda e: not e.ev.labelled),
    "bootstrap_bca": (Estimand.bca, lambda e: not e.ev.labelled),
    "credible_equal_tailed": (Estimand.equal_tailed, lambda e: True),
    "credible_hdi": (Estimand.highest_density, lambda e: True),
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
    level, weight = check_prob(confidence_level, "confidence_level"), ev.check_prior(prior)
    if n_resamples is not None:
        check_whole(n_resamples, "n_resamples", 100, 8)
    for model in models:
        if model not in ev.names:
            ev.index(model)
    sampling = sampling_model(ev, assumption)
    kept = sampling.ev.select(models)
    if kept.units is not None and metric.needs and not kept.task.many_cells:
        # Cells that the metric does not ask for would only keep patterns apart.
        kept = kept.keep(metric.needs)
    sampling = replace(sampling, ev=kept)
    how = {"prior": prior, "assumption": assumption, "rng": rng}
    e = Estimand(ev, models, metric, sampling, level, how, n_resamples)
    value, known = e.value, [name for name, (_, applies) in _METHODS.items() if applies(e)]
    names = known if asked is None else list(asked)
    for name in names:
        if name not in known:
            raise ValueError(f"unknown method {name!r} for {metric.name} here; {nearest(str(name), known)}")
    settings = IntervalSettings(
        **vars(sampling.settings(metric)),
        confidence_level=level,
        n_resamples=e.resamples if any(name.startswith("bootstrap") for name in names) else 0,
        prior=weight,
        prior_name=ev.task.describe_prior(weight),
        rng=start_of(rng),
    )
    # How gaps are filled in matters to what is drawn alone.
    noted = not kept.labelled or any(name.startswith("credible") for name in names)
    remarks = (*kept.notes, *(kept.task.notes_on(sampling, metric) if noted else ()))
    rows = tuple(_METHODS[name][0](e, name) for name in names)
    return Intervals(models, metric.name, metric.label, metric.percent, value, rows, settings, remarks)
