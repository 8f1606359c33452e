"""How many items a comparison needs."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, block_diagonal, blocks_of, crossing
from bayesf1.base.checks import LEAST_PROB, RNGLike, check_draws, check_rng, is_number, is_whole, start_of
from bayesf1.base.naming import plural, printable, quoted
from bayesf1.evaluation import Evaluation, check_all_labelled, check_one_run, resolve_metric
from bayesf1.frequentist.closed_intervals import check_weights, normal_quantile
from bayesf1.inference.comparison import claim_threshold
from bayesf1.inference.variance import generation_share
from bayesf1.metrics import FMeasure, Metric, MetricLike, Score, find_metric
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import planning as words
from bayesf1.output.words.signature import in_one_line, signed_name
from bayesf1.sampling.inflation import EffectiveSample
from bayesf1.sampling.model import sampling_model
from bayesf1.tasks.binary import BINARY_CELLS, Binary
from bayesf1.units import Units


@dataclass(frozen=True)
class Plan(Answer):
    """What all plans share: a sentence, what it assumes, and a table of one row.

    Attributes
    ----------
    metric, label, percent
        Name of the metric, how it is printed, and whether in percent.
    """

    title = "Plan"
    titled = False
    json_format = "bayesf1.plan/1"

    metric: str
    label: str
    percent: bool

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The answer as a sentence."""

    @property
    @abstractmethod
    def assumptions(self) -> str:
        """The assumptions as a sentence."""

    @property
    def verdicts(self) -> Sequence[str]:
        """The answer."""
        return (self.sentence,)

    @property
    def explained(self) -> Sequence[str]:
        """What was assumed."""
        return (self.assumptions,)

    def __str__(self) -> str:
        return "\n".join(self.below)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain numbers and strings, with stable names."""
        fields = asdict(self)
        # JSON has lists, and no tuples.
        for name, value in fields.items():
            if isinstance(value, tuple):
                fields[name] = list(value)
        return {**fields, "sentence": self.sentence}


# ---- intervals --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SampleSize(Plan):
    """How many items an interval of a given half-width takes.

    Attributes
    ----------
    half_width, confidence_level
        The interval that is planned for.
    standard_error
        The standard error that this requires, half-width / z.
    n_positives
        The number of gold items; None if the metric does not depend on them.
    n_units, unit
        The total number of items, or units like the pilot's; None if that needs a prevalence, and none was given.
    prevalence
        The assumed share of gold items, or None.
    basis
        ``"bound"`` if the plan holds for any model, ``"pilot"`` if it holds for a model like that of the pilot.
    generations, repeated
        The least and the most generations of an item, in the pilot as in the plan, and the name of one.
    """

    half_width: float
    confidence_level: float
    standard_error: float
    n_positives: int | None
    n_units: int | None
    unit: str
    prevalence: float | None
    basis: str
    generations: tuple[int, ...] = ()
    repeated: str = ""

    @property
    def sentence(self) -> str:
        """How many items the interval takes, as a sentence."""
        return printable(words.size_sentence(self))

    @property
    def assumptions(self) -> str:
        """The assumptions as a sentence."""
        return printable(words.size_assumptions(self))

    @property
    def table(self) -> Table:
        """The plan as a table of one row."""
        return words.size_table(self)

    def signature(self) -> str:
        """Return in one line what is needed to get the plan again."""
        return in_one_line(
            metric=signed_name(self.metric, self.label),
            basis=self.basis,
            half_width=self.half_width,
            confidence_level=self.confidence_level,
            prevalence=self.prevalence,
        )


def variance_bound(a: float, b: float) -> float:
    r"""Return Jiang's :math:`V(\max\{a,b\})`: no Tversky index has a larger variance than V/(b·positives).

    .. math:: V = \max_\tau\ \tau(1-\tau)\bigl(1-(1-\max\{a,b\})\tau\bigr)^2, \qquad
              \tau_0 = \frac{2}{2+3e+\sqrt{9e^2-4e+4}}, \quad e = 1-\max\{a,b\}.

    Parameters
    ----------
    a, b
        Weights of false positives and of false negatives: (½, ½) is F1, (0.8, 0.2) F0.5, (0.2, 0.8) F2.

    Examples
    --------
    >>> round(variance_bound(0.8, 0.2), 9)
    0.204970226

    References
    ----------
    Jiang (2020), *Statistical formulas for F measures*, Proposition 1 (ii).
    """
    check_weights(a, b)
    e = 1.0 - max(a, b)
    tau = 2.0 / (2.0 + 3.0 * e + math.sqrt(9.0 * e * e - 4.0 * e + 4.0))
    return tau * (1.0 - tau) * (1.0 - e * tau) ** 2


def plan(
    half_width: float,
    metric: MetricLike | None = None,
    *,
    prevalence: float | None = None,
    pilot: Evaluation | None = None,
    model: str | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    r"""Return how many items an interval of a given half-width takes.

    Without a pilot the answer holds for any model: with :math:`\delta` = half-width / z,

    .. math:: n_+ \ge \frac{V(\max\{a,b\})}{b\,\delta^2}

    gold items, and enough items to include them. With a pilot, its own variance takes the place of the bound, and any
    metric and any kind of unit is possible.

    Parameters
    ----------
    half_width
        Half of the interval's length, such as 0.02 for ±2 percentage points.
    metric
        Name of a metric. Without a pilot: an F-score, ``"jaccard"``, ``"recall"`` or ``"accuracy"``.
    prevalence
        Share of gold items, which gives the total number of items.
    pilot
        An evaluation of a similar model on some items or other units.
    model
        Which model of the pilot; may be left out if there is only one.
    confidence_level
        Confidence level of the interval.

    Examples
    --------
    >>> size = plan(half_width=0.02, metric="f0.5", prevalence=0.615)
    >>> size.n_positives, size.n_units
    (9843, 16005)
    >>> from bayesf1 import from_counts
    >>> juice = from_counts(logistic=(286, 47, 43, 159))
    >>> plan(half_width=0.02, metric="f0.5", pilot=juice).n_units
    1355

    References
    ----------
    Jiang (2020), *Statistical formulas for F measures*, Corollary 2; there δ is rounded to 0.01, which gives 10,250 and
    16,667.
    """
    if not is_number(half_width) or not 1e-6 <= half_width < 1.0:
        raise ValueError(
            f"half_width must lie between 1e-6 and 1, such as 0.02 for ±2 points, not {quoted(half_width)}"
        )
    if prevalence is not None and not (is_number(prevalence) and LEAST_PROB <= prevalence <= 1.0):
        raise ValueError(
            f"prevalence is a share above 0 and at most 1, such as 0.2, not {quoted(prevalence)}"
        )
    needed = float(half_width) / normal_quantile(confidence_level)
    if pilot is not None:
        if prevalence is not None:
            raise ValueError("prevalence is assumed only without a pilot; leave one of them out")
        metric, n_positives, n_units, unit = _from_pilot(needed, metric, pilot, model)
    elif model is not None:
        raise ValueError(f"model {model!r} is named, but there is no pilot; give pilot=")
    else:
        unit = "item"
        metric = find_metric("f1" if metric is None else metric)
        n_positives, n_units = _from_bound(needed, metric, prevalence)
    return SampleSize(
        metric=metric.name,
        label=metric.label,
        percent=metric.percent,
        half_width=float(half_width),
        confidence_level=confidence_level,
        standard_error=needed,
        n_positives=n_positives,
        n_units=n_units,
        unit=unit,
        prevalence=None if prevalence is None else float(prevalence),
        basis="bound" if pilot is None else "pilot",
        **_generations_of(pilot),
    )


def _generations_of(pilot: Evaluation | None) -> dict[str, Any]:
    """Return the fields of a plan that say how often each item is answered; empty if it is answered once."""
    if pilot is None or pilot.generations is None:
        return {}
    parts = pilot.generations
    return {"generations": (parts.least, parts.most), "repeated": parts.noun}


def _ceil(x: float) -> int:
    # A whole number that rounding errors have raised slightly is still that number.
    return math.ceil(x * (1.0 - 1e-12))


def _from_bound(needed: float, metric: Metric, prevalence: float | None) -> tuple[int | None, int | None]:
    """Return the numbers of gold items and of all items that are enough for any model."""
    if metric.name == "accuracy":
        # A share of all items, whose variance is at most ¼.
        n_items = _ceil(0.25 / needed**2)
        n_positives = None if prevalence is None else _ceil(n_items * prevalence)
        return n_positives, n_items
    # The weights of false positives and of false negatives, as a Tversky index.
    if isinstance(metric.distribution, FMeasure):
        square = metric.distribution.beta**2
        a = 1.0 / (1.0 + square)
        b = square / (1.0 + square)
    elif metric.name == "recall":
        a = 0.0
        b = 1.0
    elif metric.name == "jaccard":
        a = 1.0
        b = 1.0
    else:
        raise ValueError(
            f"no number of items makes an interval for the metric {metric.name} short for every model; give a pilot"
        )
    # Jiang (2020), Corollary 2.
    n_positives = _ceil(variance_bound(a, b) / (b * needed**2))
    n_units = None if prevalence is None else _ceil(n_positives / prevalence)
    return n_positives, n_units


def _from_pilot(
    needed: float, metric: MetricLike | None, pilot: Evaluation, model: str | None
) -> tuple[Metric, int | None, int | None, str]:
    """Return the metric, the numbers of gold items and of all units that it takes, and what a unit is called."""
    if model is None:
        if len(pilot.names) > 1:
            raise ValueError(
                f"the pilot has several models ({', '.join(pilot.names)}); choose one with model="
            )
        model = pilot.names[0]
    one = pilot.select([model])
    check_one_run(one, "a plan for an interval")
    check_all_labelled(one, "a plan for an interval", "plan_labels plans labels")
    metric = resolve_metric(metric, one)
    sample = sampling_model(one).samples
    variance = sample.variance(lambda tables: metric(tables[..., 0, :], one.cells))
    if not variance > 0.0:
        raise ValueError(
            f"{model} scores {float(metric(one.tables, one.cells)[0]):g} in the pilot without any spread, which says "
            "nothing about a larger test set; leave the pilot out, or take a larger one"
        )
    # A test set that is larger than the pilot by this factor has the standard error that is needed.
    times = variance / needed**2
    n_gold = 0.0
    for cell, count in zip(one.cells, one.tables[0], strict=True):
        if cell.startswith(("tp", "fn")):
            n_gold += count
    n_positives = _ceil(n_gold * times) if n_gold > 0.0 else None
    has_units = one.units is not None and one.units.shared
    n_units = None
    if has_units or one.task.counts_all_items:
        n_units = _ceil(sample.parts[0].units.size * times)
    if n_positives is None and n_units is None:
        raise ValueError("the pilot's totals do not say how many items there were; give one with predictions")
    unit = one.unit if has_units else "item"
    return metric, n_positives, n_units, unit


# ---- decisions between models -----------------------------------------------------------------------------

_STEP = 1e-6
# A larger tilt is practically certainty.
_STEEPEST = 200.0
# More kinds of units than this are merged into this many strata.
_STRATA = 64
# With more sums than this (averages over many classes) strata would blur how many units a rare class has. Then only many
# more kinds are merged.
_FEW_SUMS = 24
_MOST_KINDS = 1000
# With many sums the slopes take longest. Outcomes are then drawn this often for the same units.
_OUTCOMES = 10
# Entries of what units add, in full.
_DENSE = 1 << 26


@dataclass(frozen=True, eq=False)
class SimulatedPair:
    """Units of a pilot, and of the prior, by their contributions to the sums that a metric is a function of.

    Attributes
    ----------
    middle, net
        The mean of a unit's contributions to A's and to B's sums, and B's minus A's, axes (kind, sum).
    weights
        How many units of each kind there are.
    score
        The metric as a function of the sums.
    prior_middle, prior_net, prior_weights
        The same for the outcomes of the prior.
    effective_sample
        The effective sample of the pilot's units if they are bootstrapped, None if they are single items.
    """

    middle: FloatArray
    net: FloatArray
    weights: FloatArray
    score: Score
    prior_middle: FloatArray
    prior_net: FloatArray
    prior_weights: FloatArray
    effective_sample: EffectiveSample | None = None

    @property
    def size(self) -> float:
        """Number of units of the pilot."""
        return float(self.weights.sum())

    @property
    def agreement(self) -> float:
        """Share of the units on which both models do the same, as far as the metric counts it."""
        return float(self.weights[~self.net.any(axis=1)].sum() / self.size)

    @property
    def many_sums(self) -> bool:
        """Whether the metric is a function of many sums, as averages over classes are."""
        return bool(self.net.shape[1] > _FEW_SUMS)

    @cached_property
    def gain(self) -> FloatArray:
        """The contribution ψ of a unit of each kind to the difference of the scores, to first order."""
        slopes = _slopes(self.score, (self.weights @ self.middle)[None])[0]
        return np.asarray(slopes @ self.net.T)

    def merged(self) -> SimulatedPair:
        """Return the pair with kinds of similar gain merged into strata, if there are many.

        The units of a stratum get their mean contribution, so that totals stay as they are. Strata are narrower where the
        density of ψ is higher, by its cube root, which loses the least variance.

        References
        ----------
        Panter & Dite (1951), *Quantization distortion in pulse-count modulation with nonuniform spacing of levels*.
        """
        most_kinds = _MOST_KINDS if self.many_sums else _STRATA
        if len(self.weights) <= most_kinds:
            return self
        from scipy.sparse import csr_array

        # Kinds on which the models do not differ are stratum 0; the others are numbered in the order of their gain.
        differs = np.flatnonzero(self.net.any(axis=1))
        order = differs[np.argsort(self.gain[differs])]
        gain = self.gain[order]
        steps = np.diff(gain, prepend=gain[0])
        position = np.cumsum(np.cbrt(self.weights[order] * steps**2))
        share = position / max(position[-1], 1e-300)
        stratum = np.zeros(len(self.weights))
        # Half a number separates units that favour B from units that favour A.
        stratum[order] = 1.0 + np.floor(_STRATA * share) + np.where(gain > 0.0, 0.5, 0.0)
        which = np.unique(stratum, return_inverse=True)[1]

        members: Any = csr_array((self.weights, (which, np.arange(len(which)))))
        weights = np.asarray(members.sum(axis=1))
        middle = members @ self.middle / weights[:, None]
        net = members @ self.net / weights[:, None]
        return replace(self, middle=middle, net=net, weights=weights)

    @property
    def spread(self) -> float:
        """Standard deviation of the observed difference, times the root of the number of units."""
        return float(np.sqrt(self.size * (self.weights @ self.gain**2)))

    @property
    def largest(self) -> float:
        """The difference if B were right wherever the models differ."""
        shares = 0.5 + 0.5 * np.sign(self.gain)
        return self._difference(shares)

    def shares(self, difference: float) -> FloatArray:
        """Return the share of each kind's units that are not swapped, such that the models differ this much."""
        if difference == 0.0:
            return np.full(len(self.gain), 0.5)
        if difference < 0.0:
            return 1.0 - self.shares(-difference)
        steepness = self.gain / np.abs(self.gain).max()

        def excess(tilt: float) -> float:
            return self._difference(special.expit(tilt * steepness)) - difference

        tilt = crossing(excess, 0.0, _STEEPEST)
        return np.asarray(special.expit(tilt * steepness))

    def _difference(self, shares: FloatArray) -> float:
        """Return the difference of the scores if these shares of the units are not swapped."""
        total = self.weights @ self.middle
        moved = (self.weights * (shares - 0.5)) @ self.net
        return float(self.score(total + moved) - self.score(total - moved))

    def probabilities(
        self, n_units: int, shares: FloatArray, n_sets: int, rng: np.random.Generator, margin: float = 0.0
    ) -> FloatArray:
        """Return P(H1), or P(ν_B - ν_A > -margin), on `n_sets` test sets of `n_units` units, axes (units, outcome).

        Units are drawn first; then, once or several times, the units on which the models are swapped, by `shares`.
        """
        outcomes = _OUTCOMES if self.many_sums else 1
        blocks = []
        for n in blocks_of(math.ceil(n_sets / outcomes), 4 * outcomes * len(shares)):
            counts = rng.multinomial(n_units, self.weights / self.size, size=(n, 1))
            kept = rng.binomial(counts, shares, (n, outcomes, len(shares)))
            blocks.append(self._p_h1(counts.astype(float), kept.astype(float), margin))
        p_h1 = np.concatenate(blocks)
        if self.effective_sample is None:
            return p_h1
        return self._inflated(p_h1, n_units, self.effective_sample)

    def _inflated(self, p: FloatArray, n_units: int, effective_sample: EffectiveSample) -> FloatArray:
        """Return the probabilities of a bootstrap over this many units: Student's t in place of the normal distribution."""
        times = n_units / self.size
        freedom = max(effective_sample.units * times - 1.0, 1.0)
        seen = max(1.0 - (1.0 - effective_sample.seen_variance) / times, 1e-6)
        z = special.ndtri(p.clip(1e-300, 1.0 - 1e-16))
        return np.asarray(special.stdtr(freedom, np.sqrt(seen) * z))

    def _p_h1(self, counts: FloatArray, kept: FloatArray, margin: float = 0.0) -> FloatArray:
        r"""Return P(ν_B - ν_A > -m) given how many units of each kind were seen, and how many of them are not swapped.

        With weights :math:`\gamma_p \sim \mathrm{Gamma}(n_p)`, B is ahead iff :math:`m + \sum_p \gamma_p \psi_p > 0` up to
        terms of third order in the difference, with ψ at the mean of both tables. The terms in favour of B and those in
        favour of A sum to two gamma variates: exactly if all units weigh the same (recall, accuracy), and by their first
        two moments otherwise. Their ratio is Beta distributed.
        """
        totals = counts[:, 0] @ self.middle + self.prior_weights @ self.prior_middle
        slopes = _slopes(self.score, totals)
        # Gains and squared gains, axes (set, kind, 2), as a unit is and if it is swapped.
        gain = slopes @ self.net.T
        gain_for_b = _moments(gain)
        gain_for_a = _moments(-gain)
        prior_gain = slopes @ self.prior_net.T
        prior_for_b = self.prior_weights @ _moments(prior_gain)
        prior_for_a = self.prior_weights @ _moments(-prior_gain)

        swapped = counts - kept
        for_b = kept @ gain_for_b + swapped @ gain_for_a + prior_for_b[:, None]
        for_a = kept @ gain_for_a + swapped @ gain_for_b + prior_for_a[:, None]
        for_b[..., 0] += margin
        return _first_is_larger(for_b, for_a)


def _moments(gain: FloatArray) -> FloatArray:
    """Return positive gains and their squares on a last axis, 0 for negative gains."""
    positive = np.maximum(gain, 0.0)
    return np.stack([positive, positive * positive], axis=-1)


def _first_is_larger(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the probability that the first of two gamma variates is the larger; a last axis has mean and variance."""
    mean_b = first[..., 0]
    mean_a = second[..., 0]
    p = np.where(mean_a > 0, 0.0, 0.5)
    p[mean_b > 0] = 1.0
    both = (mean_b > 0) & (mean_a > 0)
    # A margin that no unit contradicts is taken as certain.
    var_b = np.maximum(first[both, 1], 1e-12 * mean_b[both] ** 2)
    scale_b = var_b / mean_b[both]
    scale_a = second[both, 1] / mean_a[both]
    p[both] = special.betaincc(mean_b[both] / scale_b, mean_a[both] / scale_a, scale_a / (scale_a + scale_b))
    return p


def _slopes(score: Score, sums: FloatArray) -> FloatArray:
    """Return the derivative of a metric by each of its sums, axes (set, sum); steps go up, away from 0."""
    step = _STEP * np.abs(sums).sum(axis=1)
    start = score(sums)
    slopes = np.empty_like(sums)
    for j in range(sums.shape[1]):
        moved = sums.copy()
        moved[:, j] += step
        slopes[:, j] = (score(moved) - start) / step
    return slopes


def simulated_pair(ev: Evaluation, metric: Metric, prior: float) -> SimulatedPair:
    """Return the units of a pilot of two models, ready to be drawn again with another true difference."""
    if ev.units is None or not ev.units.shared:
        raise ValueError(
            "a pilot must say what both models did on each unit, but only totals are known; build it from "
            "predictions (from_labels, from_tags, from_frame), or assume an agreement with assumed_pilot"
        )
    ev.task.check_one_scale()
    if metric.expand is not None:
        # An area under a curve is, to first order, a ratio of two sums.
        numerators, denominators = metric.expand(ev.tables.mean(axis=0)[None])
        metric = replace(metric, parts=(numerators[0], denominators[0]))
    sums, score = metric.sums(ev.cells)
    n_kinds = ev.units.n_patterns
    if n_kinds * sums.shape[1] > _DENSE:
        raise ValueError(
            f"{n_kinds:,} kinds of {plural(ev.unit)} are too many to plan for {metric.label}; give a sample of some "
            "thousand of them, or name another metric"
        )
    both = block_diagonal([sums, sums])
    units = Units.merge(ev.units.rows @ both, ev.units.weights, ev.unit).seen
    rows = units.rows
    if not isinstance(rows, np.ndarray):
        rows = rows.toarray()
    of_a, of_b = np.split(rows, 2, axis=1)
    if np.array_equal(of_a, of_b):
        raise ValueError(
            f"{ev.models[0]} and {ev.models[1]} did the same on every {ev.unit} of the pilot, as far as "
            f"{metric.label} counts it, so it cannot tell how often they differ; take more {plural(ev.unit)}"
        )
    outcomes, prior_weights = ev.task.prior_outcomes(2, prior)
    prior_a = outcomes[:, 0] @ sums
    prior_b = outcomes[:, 1] @ sums
    sampling = sampling_model(ev)
    effective_sample = sampling.effective_sample(metric) if sampling.bootstraps else None
    return SimulatedPair(
        middle=0.5 * (of_a + of_b),
        net=of_b - of_a,
        weights=units.weights,
        score=score,
        prior_middle=0.5 * (prior_a + prior_b),
        prior_net=prior_b - prior_a,
        prior_weights=prior_weights,
        effective_sample=effective_sample,
    )


class _Stratum(NamedTuple):
    """Gold items, or all other items: their share, the rate of positive predictions, and the cells of both outcomes."""

    share: float
    rate: float
    predicted: str
    missed: str


def assumed_pilot(
    *,
    prevalence: float,
    agreement: float,
    f1: float | None = None,
    precision: float | None = None,
    recall: float | None = None,
    n_items: int = 1000,
) -> Evaluation:
    r"""Return what two equally good models are expected to do on binary items, in place of a pilot.

    Errors of the two models have the same correlation on gold items and on other items: given recall r and false positive
    rate f, :math:`P(\text{only A finds it}) = c\,r(1-r)` and :math:`P(\text{only A claims it}) = c\,f(1-f)`, with c such
    that they agree as often as assumed; c = 1 would be independence.

    Parameters
    ----------
    prevalence
        Share of gold items.
    agreement
        Share of items on which both models say the same.
    f1
        F1 around which the two models lie; both precision and recall are then taken to equal it.
    precision, recall
        Both may be given instead of `f1`.
    n_items
        Number of items of the test set.

    Examples
    --------
    >>> ev = assumed_pilot(prevalence=0.2, precision=0.85, recall=0.75, agreement=0.95, n_items=1000)
    >>> ev.tables.round(1)
    array([[150. ,  26.5,  50. , 773.5], [150. ,  26.5,  50. , 773.5]])
    """
    if f1 is not None and (precision is not None or recall is not None):
        raise ValueError("give either f1 or both precision and recall, not all of them")
    if f1 is not None:
        precision = recall = f1
    if precision is None or recall is None:
        raise ValueError("give f1, or both precision and recall, around which the two models lie")
    around = {"precision": precision, "recall": recall} if f1 is None else {"f1": f1}
    given = {"prevalence": prevalence, "agreement": agreement, **around}
    for name, value in given.items():
        if not is_number(value) or not LEAST_PROB <= value < 1.0:
            raise ValueError(f"{name} must lie strictly between 0 and 1, such as 0.8, not {quoted(value)}")
    if not is_whole(n_items) or not 1 <= n_items <= 10**12:
        raise ValueError(f"n_items must be a whole number from 1, not {quoted(n_items)}")
    claimed = prevalence * recall * (1.0 / precision - 1.0) / (1.0 - prevalence)
    if claimed >= 1.0:
        raise ValueError(
            f"precision {precision:g} with recall {recall:g} needs more wrong predictions than there are items at a "
            f"prevalence of {prevalence:g}"
        )
    gold = _Stratum(share=prevalence, rate=recall, predicted="tp", missed="fn")
    others = _Stratum(share=1.0 - prevalence, rate=claimed, predicted="fp", missed="tn")
    strata = (gold, others)
    # The models differ most if their errors exclude each other as far as possible.
    most = 1.0 / max(max(s.rate, 1.0 - s.rate) for s in strata)
    independent = 2.0 * sum(s.share * s.rate * (1.0 - s.rate) for s in strata)
    c = (1.0 - agreement) / independent
    if c > most:
        raise ValueError(
            f"agreement {agreement:g} is too small: models of precision {precision:g} and recall {recall:g} agree on at "
            f"least {1.0 - most * independent:.3g} of the items"
        )
    rows = []
    masses = []
    for s in strata:
        # The probability that a given model alone predicts an item to be positive.
        alone = c * s.rate * (1.0 - s.rate)
        outcomes = {
            (s.predicted, s.predicted): s.rate - alone,
            (s.predicted, s.missed): alone,
            (s.missed, s.predicted): alone,
            (s.missed, s.missed): 1 - s.rate - alone,
        }
        for row, probability in outcomes.items():
            rows.append(row)
            masses.append(n_items * s.share * max(probability, 0.0))
    tables = np.array(rows)[..., None] == np.array(BINARY_CELLS)
    units = Units.merge(tables.astype(float), np.array(masses), "item")
    return Evaluation.of_units(("A", "B"), Binary(), units)


@dataclass(frozen=True)
class DecisionPlan(Plan):
    """How many units a decision between two models takes, or which difference a number of units can decide.

    Attributes
    ----------
    difference
        The true difference, by which one model is better than the other.
    n_units, unit
        How many units the test set has, and of what kind.
    agreement
        Share of the units on which both models do the same, as far as the metric counts it.
    p_h1
        The probability of being better from which the decision is made.
    goal
        The probability with which the decision was to be made.
    assurance, mcse
        The probability with which it is made, and the standard error of its simulation.
    question
        ``"size"`` if the number of units was asked for, ``"resolution"`` if the difference was.
    not_worse_by
        The margin, if a model should be shown not to be worse by more than this; None if it should be shown to be better.
    n_sets, rng
        Number of simulated test sets, and the seed (None after a Generator).
    generations, repeated
        The least and the most generations of an item, in the pilot as in the plan, and the name of one.
    generation_share
        The share of generations in the variance of the difference; None if each item has one generation.
    """

    difference: float
    n_units: int
    unit: str
    agreement: float
    p_h1: float
    goal: float
    assurance: float
    mcse: float
    question: str
    not_worse_by: float | None = None
    n_sets: int = 0
    rng: int | None = None
    prior: float | None = None
    generations: tuple[int, ...] = ()
    repeated: str = ""
    generation_share: float | None = None

    @property
    def sentence(self) -> str:
        """How many units the decision takes, or which difference these units can decide, as a sentence."""
        return printable(words.decision_sentence(self))

    @property
    def assumptions(self) -> str:
        """The assumptions as a sentence."""
        return printable(words.decision_assumptions(self))

    @property
    def table(self) -> Table:
        """The plan as a table of one row."""
        return words.decision_table(self)

    def signature(self) -> str:
        """Return in one line what is needed to get the plan again."""
        given = {"difference": self.difference} if self.question == "size" else {"n_units": self.n_units}
        return in_one_line(
            metric=signed_name(self.metric, self.label),
            question=self.question,
            **given,
            prior=self.prior,
            not_worse_by=self.not_worse_by,
            p_h1=self.p_h1,
            goal=self.goal,
            n_sets=self.n_sets,
            rng=self.rng,
        )


# The probability from which a comparison with 95% intervals calls a model better.
DECIDED = claim_threshold(0.95)
_MAX_UNITS = 1e12
_ROUNDS = 10
# A bound above any score.
_LARGEST = 1e9
# The assurance is close enough to its goal within this many standard errors.
_NEAR = 2.0


def plan_comparison(
    pilot: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    difference: float | None = None,
    not_worse_by: float | None = None,
    metric: MetricLike | None = None,
    p_h1: float = DECIDED,
    assurance: float = 0.8,
    prior: float | None = None,
    n_sets: int = 10_000,
    rng: RNGLike = None,
) -> DecisionPlan:
    r"""Return how many units are needed to see that one of two models is better, or that it is not worse by much.

    The Bayesian assurance of n units is the probability that the Bayes test of a test set of n units will find

    .. math:: P(H_1 \mid \text{data}) \ge p, \qquad H_1: \nu_B > \nu_A,

    given that :math:`\nu_B - \nu_A` is the assumed difference; with a margin m the test is one of non-inferiority,
    :math:`P(\nu_B - \nu_A > -m \mid \text{data}) \ge p`. Test sets are drawn from the pilot's units, whose winners are
    tilted until the true difference is the assumed one. The posterior is the paired one, or that of the Bayesian
    bootstrap if units are clusters.

    Parameters
    ----------
    pilot
        An evaluation of both models, or of two similar models, on some units; from data, or from `assumed_pilot`. It
        shows how often models differ on a unit, and how; it does not matter which of them was right.
    a, b
        Names of the models; may be left out if there are exactly two.
    difference
        How much better one model truly is, such as 0.02 for two percentage points. With a margin 0 by default, two
        models that are equally good; it may be negative, above minus the margin.
    not_worse_by
        The margin, such as 0.005, if the model should be shown not to be worse by more than that.
    metric
        Name of a metric, or a callable on tables (..., cell); F1 by default.
    p_h1
        The probability of being better from which the decision is made; by default .975, from which `compare` with its
        95% intervals calls a model better.
    assurance
        The probability with which the decision should be made.
    prior
        λ of the Dirichlet prior on each model's cells.
    n_sets, rng
        Number of simulated test sets and source of randomness.

    Examples
    --------
    >>> from bayesf1.frequentist.planning import assumed_pilot
    >>> pilot = assumed_pilot(prevalence=0.2, f1=0.8, agreement=0.95)
    >>> plan = plan_comparison(pilot, difference=0.03, rng=1)
    >>> round(plan.n_units, -2)
    2700
    >>> round(plan_comparison(pilot, not_worse_by=0.03, rng=1).n_units, -2)
    2800

    References
    ----------
    O'Hagan, Stevens & Campbell (2005), *Assurance in clinical trial design*, Pharmaceutical Statistics 4.
    """
    target = _assumed_difference(difference, not_worse_by)
    return _plan_decision(pilot.pair(a, b), target, not_worse_by, metric, p_h1, assurance, prior, n_sets, rng)


def _assumed_difference(difference: float | None, margin: float | None) -> float:
    """Return how much better a model is assumed to be, or raise a ValueError if that, or the margin, is not possible."""
    if margin is not None and (not is_number(margin) or not 0 < margin <= _LARGEST):
        raise ValueError(
            f"not_worse_by is a margin above 0, such as 0.005 for half a point, not {quoted(margin)}",
        )
    if difference is None and margin is not None:
        return 0.0
    least = 0.0 if margin is None else -margin
    if difference is None or not is_number(difference) or not difference > least:
        bound = "" if margin is None else f", and above minus the margin of {margin:g}"
        raise ValueError(
            f"difference is how much better a model is, such as 0.02 for two points{bound}, not {difference!r}"
        )
    return float(difference)


def resolution(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    metric: MetricLike | None = None,
    p_h1: float = DECIDED,
    assurance: float = 0.8,
    prior: float | None = None,
    n_sets: int = 10_000,
    rng: RNGLike = None,
) -> DecisionPlan:
    """Return the smallest difference between two models that a test set of this size is likely to decide.

    Parameters
    ----------
    ev
        What two models did on the test set, or an `assumed_pilot` of its size.
    a, b, metric, p_h1, assurance, prior, n_sets, rng
        As in `plan_comparison`.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> found = resolution(load_example("wnut17"), "UH-RiTUAL", "SpinningBytes", n_sets=500, rng=1)
    >>> print(found.sentence)
    With 1,287 sentences, a difference in F1 below ... percentage points may well stay undecided: ...
    """
    return _plan_decision(ev.pair(a, b), None, None, metric, p_h1, assurance, prior, n_sets, rng)


def _pair_of_pilot(
    ev: Evaluation, metric: Metric, prior: float | None, difference: float | None
) -> SimulatedPair:
    """Return the two models of a pilot, or raise a ValueError if they cannot differ by as much as is asked."""
    pair = simulated_pair(ev, metric, ev.check_prior(prior)).merged()
    if pair.spread == 0.0:
        raise ValueError(
            f"no {ev.unit} on which {ev.models[0]} and {ev.models[1]} differ in the pilot changes their {metric.label}, so "
            "the pilot says nothing of how it varies; name another metric"
        )
    if difference is not None and abs(difference) >= 0.99 * pair.largest:
        raise ValueError(
            f"difference {difference:g} is out of reach: if two models differ on {1 - pair.agreement:.3g} of the "
            f"{plural(ev.unit)} as the pilot's do, and one is better on all of these, it leads by {pair.largest:.3g} in "
            f"{metric.label}; assume less agreement or a smaller difference"
        )
    return pair


def _plan_decision(
    ev: Evaluation,
    difference: float | None,
    not_worse_by: float | None,
    metric: MetricLike | None,
    p_h1: float,
    goal: float,
    prior: float | None,
    n_sets: int,
    rng: RNGLike,
) -> DecisionPlan:
    """Return how many units show a difference, or, if none is given, the smallest difference that these units show.

    Test sets of the pilot's units are simulated.
    """
    check_one_run(ev, "a plan")
    check_all_labelled(ev, "a plan", "plan_labels plans labels")
    metric = resolve_metric(metric, ev)
    for name, value, low in (("p_h1", p_h1, 0.5), ("assurance", goal, 0.0)):
        if not is_number(value) or not low < value < 1.0:
            raise ValueError(f"{name} must lie between {low:g} and 1, such as 0.95, not {value!r}")
    pair = _pair_of_pilot(ev, metric, prior, difference)
    largest = pair.largest
    n_sets = check_draws(n_sets, "n_sets")
    generator = check_rng(rng)
    margin = 0.0 if not_worse_by is None else not_worse_by
    size = max(1, round(pair.size))
    share = generation_share(sampling_model(ev), metric)

    def planned(x: float) -> DecisionPlan:
        """Return the plan at x: a difference, or the root of a number of units."""
        if difference is None:
            n = size
            target = x
        elif x * x > _MAX_UNITS:
            raise ValueError(
                f"a difference of {difference + margin:g} would take more than {_MAX_UNITS:g} {plural(ev.unit)}"
            )
        else:
            n = math.ceil(x * x)
            target = difference
        p = pair.probabilities(n, pair.shares(target), n_sets, generator, margin)
        decided = (p >= p_h1).mean(axis=1)
        return DecisionPlan(
            metric=metric.name,
            label=metric.label,
            percent=metric.percent,
            difference=target,
            n_units=n,
            unit=ev.unit,
            agreement=pair.agreement,
            p_h1=float(p_h1),
            goal=float(goal),
            assurance=float(decided.mean()),
            mcse=float(decided.std(ddof=1)) / math.sqrt(len(decided)),
            question="resolution" if difference is None else "size",
            not_worse_by=not_worse_by,
            n_sets=n_sets,
            rng=start_of(rng),
            prior=prior,
            generation_share=None if share is None else share.share,
            **_generations_of(ev),
        )

    # The search is for the difference, or for the root of the number of units. The assurance grows with either, by one
    # standard error for each 1 / slope; the normal distribution gives the start.
    if difference is None:
        slope = math.sqrt(size) / pair.spread
        least = 0.0
        most = largest
    else:
        slope = (difference + margin) / pair.spread
        least = 1.0
        most = math.inf
    errors_needed = max(0.1, float(special.ndtri(p_h1) + special.ndtri(goal)))
    x = min(errors_needed / slope, 0.9 * most)
    enough: list[DecisionPlan] = []
    missing = 0.0
    for i in range(_ROUNDS):
        candidate = planned(x)
        if candidate.assurance > goal - _NEAR * candidate.mcse:
            enough.append(candidate)
        if i > 0 and abs(candidate.assurance - goal) < _NEAR * candidate.mcse:
            return candidate
        reached = np.clip(candidate.assurance, 0.5 / n_sets, 1.0 - 0.5 / n_sets)
        missing_before = missing
        missing = float(special.ndtri(goal) - special.ndtri(reached))
        if missing_before * missing < 0.0:
            # The last step passed the goal, so the next one is shorter.
            slope *= 2.0
        x = float(np.clip(x + missing / slope, max(0.5 * x, least), 0.5 * (x + most)))
    if difference is None and not enough:
        raise ValueError(
            f"{size:,} {plural(ev.unit)} decide nothing: even if one model is better wherever the two differ, which is "
            f"a lead of {largest:.3g}, P(H1) ≥ {p_h1:g} is reached with a probability below {goal:g}; take more"
        )
    if not enough:
        return candidate
    # If the models differ on few units, the assurance grows in jumps and may pass its goal without coming close to it.
    return min(enough, key=lambda plan: (plan.n_units, plan.difference))
