"""Look at a comparison as often as one likes: betting on units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray, crossing
from bayesf1.base.checks import check_prob, is_number
from bayesf1.base.naming import plural, quoted
from bayesf1.evaluation import Evaluation, check_all_labelled, check_one_run, defined_scores, resolve_metric
from bayesf1.inference.compare import compare
from bayesf1.inference.comparison import Rope, RopeLike, check_rope
from bayesf1.metrics import Metric, MetricLike, Proportion
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import monitoring as words
from bayesf1.output.words.numbers import amount
from bayesf1.output.words.prose import formatted
from bayesf1.output.words.signature import in_one_line, signed_name


class Look(NamedTuple):
    """What one look saw: how many units, the confidence sequence of B minus A, and the logarithm of the e-value."""

    n_units: int
    low: float
    high: float
    log_e: float


_FORMAT = "bayesf1.monitor/2"


def remembered(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what later looks need of earlier ones, from what ``to_dict()`` or ``to_json()`` of a `Monitor` held.

    Every value is checked, as a file may have been cut or edited.
    """

    def number(value: Any, where: str, low: float = -math.inf, high: float = math.inf) -> float:
        if type(value) not in (int, float) or not math.isfinite(value) or not low <= value <= high:
            raise ValueError(
                f"{where} of previous= is {quoted(value)}, but should be a number from {low:g} to {high:g}"
            )
        return float(value)

    try:
        if document.get("format", _FORMAT) != _FORMAT:
            raise ValueError(
                f"format of previous= is {quoted(document['format'])}, but should be {_FORMAT!r}"
            )
        looks, least = list[Look](), 1.0
        for row in document["looks"]:
            least = number(row["n_units"], "n_units", least)
            low = number(row["low"], "low", -1.0, 1.0)
            high = number(row["high"], "high", low, 1.0)
            looks.append(Look(int(least), low, high, number(row["log_e"], "log_e")))
        if not looks:
            raise ValueError("previous= has no looks; give what the last look kept")
        a, b = (tuple(number(n, "tables", 0.0) for n in row) for row in document["tables"])
        largest = document["largest"]
        return {
            **{name: document[name] for name in ("metric", "model_a", "model_b", "unit")},
            "confidence_level": number(document["confidence_level"], "confidence_level"),
            "largest": None if largest is None else number(largest, "largest"),
            "tables": (a, b),
            "looks": tuple(looks),
        }
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        lacks = f"; it has no {error}" if isinstance(error, KeyError) else ""
        raise ValueError(f"previous= is not what the last look kept{lacks}") from None


# Cells of f around the score, in standard errors, and over all that there is.
_NEAR, _REACH, _FAR = 161, 12.0, 41
# Stakes in parts of what a unit of load 1 can win: from half the capital on units of the largest load to a two-hundredth
# of that, which only many units reward; and from what a unit of the largest load can just ruin.
OF_ITEMS = np.exp2(-1.0 - 0.5 * np.arange(16.0))
BOUNDED = np.exp2(-0.5 * np.arange(20.0))


@dataclass(frozen=True, eq=False)
class Wagers:
    """Units by what they add, in parts of the largest load, and how many of each kind there are.

    Attributes
    ----------
    shares, denominator_weights
        What a unit of each kind adds to numerator and denominator, axes (model, kind), models A and B.
    counts
        How many there are, axes (..., kind): a row for each look.
    same_loads
        Whether both models have the same load on whatever unit may come.
    stakes
        What is staked, the k-th with a weight in proportion to 1/k; loads are at most 1.

    Examples
    --------
    Of 40 units on which the models differ B wins 32.

    >>> wagers = Wagers(np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones((2, 2)), np.array([32.0, 8.0]), same_loads=True)
    >>> round(float(np.exp(wagers.log_capital(0.0))), 1)
    588.3
    """

    shares: FloatArray
    denominator_weights: FloatArray
    counts: FloatArray
    same_loads: bool
    stakes: FloatArray = field(default_factory=lambda: OF_ITEMS)

    @property
    def mirrored(self) -> Wagers:
        """The same with the models swapped."""
        return replace(self, shares=self.shares[::-1], denominator_weights=self.denominator_weights[::-1])

    def log_capital(self, difference: float) -> FloatArray:
        """Return log G(d), for each look: what a bet against ν_B - ν_A ≤ d has won."""
        if self.same_loads:
            x = self.shares[1] - self.shares[0] - difference * self.denominator_weights[0]
            return self._bets(x[:, None], difference)[..., 0]
        found = [self._least(difference, own) for own in (0, 1)]
        return np.asarray(np.logaddexp(*found) - np.log(2.0))

    def _least(self, d: float, own: int) -> FloatArray:
        """Return the logarithm of the least capital over all scores of A, or of B."""
        # Scores that go with a difference of at most d; beyond the corner the other's score is at its end.
        low, high = (max(0.0, -d), 1.0) if own == 0 else (0.0, min(1.0, 1.0 + d))
        f = self._scores(own, low, high, d)
        f_a, f_b = (f, np.minimum(f + d, 1.0)) if own == 0 else (np.maximum(f - d, 0.0), f)
        x = self._excess(1, f_b) - self._excess(0, f_a)
        bets = self._bets(x, d)
        excess = self._excess(own, f)
        known = np.logaddexp(self._bets(excess), self._bets(-excess)) - np.log(2.0)
        return np.asarray((np.logaddexp(bets, known) - np.log(2.0)).min(axis=-1))

    def _bets(self, x: FloatArray, d: float = 0.0) -> FloatArray:
        """Return the logarithm of the capital of all stakes that no contrast can ruin, in each cell of f."""
        weights = 1.0 / np.arange(1.0, len(self.stakes) + 1.0)
        safe = self.stakes * (1.0 + max(d, 0.0)) <= 1.0 + 1e-12
        logs = _cells(self._won(x, self.stakes[safe]))
        return np.asarray(special.logsumexp(logs + np.log(weights / weights.sum())[safe, None], axis=-2))

    def _excess(self, model: int, f: FloatArray) -> FloatArray:
        """Return what units add beyond a score, axes (kind, score)."""
        return np.asarray(self.shares[model][:, None] - self.denominator_weights[model][:, None] * f)

    def _scores(self, own: int, low: float, high: float, d: float) -> FloatArray:
        """Return ends of the cells of f, narrow where it probably is; the bound holds for any."""
        total = self.counts.reshape(-1, self.counts.shape[-1])[-1]
        load = max(float(total @ self.denominator_weights[own]), 1.0)
        near = float(total @ self.shares[own]) / load
        error = np.sqrt(total @ self._excess(own, np.array([near]))[:, 0] ** 2 + 1.0) / load
        corner = 1.0 - d if own == 0 else d
        ends = np.concatenate(
            [near + _REACH * error * np.linspace(-1.0, 1.0, _NEAR), np.linspace(low, high, _FAR)]
        )
        return np.unique(np.clip([*ends, corner], low, high))

    def _won(self, x: FloatArray, stakes: FloatArray) -> FloatArray:
        """Return log K of every stake, axes (..., stake, score), from contrasts (kind, score)."""
        bets = stakes[:, None] * x[:, None, :]
        with np.errstate(divide="ignore"):
            # A unit that ruins a bet must not make it undefined where none was seen.
            logs = np.maximum(np.log1p(np.maximum(bets, -1.0)), -1e6)
        return np.asarray(np.tensordot(self.counts, logs, axes=1))


def _cells(values: FloatArray) -> FloatArray:
    """Return the smaller of the values at the ends of each cell; at the only score there is, its value."""
    return np.minimum(values[..., 1:], values[..., :-1]) if values.shape[-1] > 1 else values


def wagers_of(ev: Evaluation, metric: Metric, largest: float | None) -> Wagers:
    """Return the units as bets take them."""
    if ev.units is None or not ev.units.shared or ev.folds is not None:
        raise ValueError(
            "monitoring needs what both models did on every unit of one test set; build the evaluation from predictions "
            "(from_labels, from_tags, from_correct)"
        )
    share, load = _ratio(ev, metric)
    flat, n_cells = ev.units.rows, len(ev.cells)
    models = [flat[:, :n_cells], flat[:, n_cells:]]
    shares, denominator_weights = (
        np.stack([np.asarray(part @ each) for part in models]) for each in (share, load)
    )
    seen, each = float(denominator_weights.max(initial=0.0)), float(load.max())
    if largest is not None and not (is_number(largest) and seen <= largest < math.inf and largest > 0.0):
        raise ValueError(
            f"largest is the largest load that one {ev.unit} can have, at least {max(seen, each):g}, as one here has "
            f"{seen:g}, not {largest!r}; give a larger number, from the first look on"
        )
    # A single item is in one cell of a table, or is missed as one class and claimed as another; a score counts once.
    single = ev.units.single or (metric.distribution is None and ev.items is None)
    if largest is None and not (single and seen <= each):
        raise ValueError(
            f"one {ev.unit} has a load of up to {seen:g} here, and later ones may have more; give largest=, the "
            "largest load that one can have (for F1 the number of gold and predicted spans together), from the first look on"
        )
    scale, stakes = (each, OF_ITEMS) if largest is None else (float(largest), BOUNDED)
    # Many patterns add the same to the measure, as it does not matter which of two kinds of errors was made.
    kinds, which = np.unique(np.concatenate([shares, denominator_weights]), axis=1, return_inverse=True)
    counts = np.bincount(which.ravel(), weights=ev.units.weights).astype(float)
    return Wagers(kinds[:2] / scale, kinds[2:] / scale, counts, _same_loads(metric), stakes)


def _ratio(ev: Evaluation, metric: Metric) -> tuple[FloatArray, FloatArray]:
    """Return what one of each cell adds to numerator and denominator of a measure from 0 to 1."""
    found = metric.ratio(ev.cells)
    if found is None or metric.support[0] < 0.0 or metric.support[1] > 1.0:
        raise ValueError(
            f"{metric.label} is not a ratio of counts, so it cannot be monitored; use f1, precision, recall, accuracy, "
            "micro_f1 or one of a class, a Brier score, or the mean of scores from 0 to 1"
        )
    return found


def _same_loads(metric: Metric) -> bool:
    """Return whether the gold data alone decide how much a unit counts: all that is positive, or none of it, and so on."""
    if not isinstance(metric.distribution, Proportion):
        return metric.distribution is None
    counted = {
        cell.partition("[")[0] for cell in (*metric.distribution.successes, *metric.distribution.failures)
    }
    return all((hit in counted) == (miss in counted) for hit, miss in (("tp", "fn"), ("tn", "fp")))


@dataclass(frozen=True, eq=False)
class Monitor(Answer):
    """What may be claimed of two models after any number of looks.

    Attributes
    ----------
    metric, label, percent, lower_is_better
        Name of the measure, how it is printed, whether in percent, and whether less is better.
    model_a, model_b, score_a, score_b
        Names of the models and their scores so far.
    p_h1
        What the posterior says at this look, P(H1); it does not know of the others.
    unit, confidence_level, region
        What one unit is called, the level of the confidence sequence, and the region of practical equivalence.
    largest
        The largest load that a unit can have, as it was given; None of single items.
    tables
        What was counted of A and of B, a tuple for each.
    looks
        All looks, this one last; intervals are those of all looks so far together.
    """

    json_format = _FORMAT
    index_names = ("n_units",)

    metric: str
    label: str
    percent: bool
    lower_is_better: bool
    model_a: str
    model_b: str
    score_a: float
    score_b: float
    p_h1: float
    unit: str
    confidence_level: float
    region: Rope
    largest: float | None
    tables: tuple[tuple[float, ...], ...]
    looks: tuple[Look, ...]

    @property
    def n_units(self) -> int:
        """How many units there are so far."""
        return self.looks[-1].n_units

    @property
    def low(self) -> float:
        """Lower end of the confidence sequence of B minus A."""
        return self.looks[-1].low

    @property
    def high(self) -> float:
        """Upper end of the confidence sequence of B minus A."""
        return self.looks[-1].high

    @property
    def e_value(self) -> float:
        """Mean capital of the bets on B and on A, from 1, at this look; one that reaches 40 makes 20, as loud as p = .05."""
        return math.exp(min(self.looks[-1].log_e, 700.0))

    @property
    def p_value(self) -> float:
        """Anytime-valid p-value of no difference: one over the largest e-value of all looks, at most 1."""
        return math.exp(-max(0.0, *(look.log_e for look in self.looks)))

    @property
    def verdict(self) -> str:
        """What may be claimed: as that of a comparison, from the confidence sequence."""
        return self._verdict(self.looks[-1])

    def _verdict(self, look: Look) -> str:
        low, high = (-look.high, -look.low) if self.lower_is_better else (look.low, look.high)
        if self.region and self.region.low <= low and high <= self.region.high:
            return "equivalent"
        if low > 0.0 or high < 0.0:
            return f"{self.model_b if low > 0.0 else self.model_a} better"
        margins = ((self.model_b, -self.region.low, low), (self.model_a, self.region.high, -high))
        for model, margin, least in margins:
            if self.region and least >= -margin:
                words = amount(margin, percent=self.percent).replace("percentage ", "")
                return f"{model} not worse by more than {words}"
        return "undecided"

    @property
    def decided(self) -> bool:
        """Whether anything may be claimed, so that labelling may stop."""
        return self.verdict != "undecided"

    @property
    def decided_after(self) -> int | None:
        """How many units there were at the first look that claimed what is claimed now; None where nothing is."""
        if not self.decided:
            return None
        return next(look.n_units for look in self.looks if self._verdict(look) == self.verdict)

    @property
    def title(self) -> str:
        """What is monitored."""
        return words.title(self)

    @property
    def table(self) -> Table:
        """A row for each look."""
        return words.table(self)

    @property
    def verdicts(self) -> Sequence[str]:
        """The verdict."""
        return (self.sentence(),)

    @property
    def explained(self) -> Sequence[str]:
        """What monitoring takes for granted."""
        return (words.note(self),)

    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict as a sentence, ``"text"`` or ``"latex"``."""
        return formatted(words.sentence(self), format)

    def signature(self) -> str:
        """Return in one line what is needed to repeat the last look."""
        looks = [look.n_units for look in self.looks]
        asked = {"rope": self.region, "confidence_level": self.confidence_level, "largest": self.largest}
        return in_one_line(metric=signed_name(self), unit=self.unit, looks=looks, **asked)

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each look."""
        return [look._asdict() for look in self.looks]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        names = (
            "metric model_a model_b score_a score_b p_h1 unit confidence_level largest verdict decided decided_after "
            "p_value"
        )
        return {
            **{name: getattr(self, name) for name in names.split()},
            "rope": self.region.given,
            "tables": [*map(list, self.tables)],
            "looks": self.records(),
            "sentence": self.sentence(),
            "notes": [words.note(self)],
        }


def monitor(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    metric: MetricLike | None = None,
    *,
    previous: Monitor | Mapping[str, Any] | None = None,
    rope: RopeLike = 0.0,
    confidence_level: float = 0.95,
    largest: float | None = None,
) -> Monitor:
    r"""Say what may be claimed of two models so far, where one looks again and again.

    A posterior, or a p-value, that is looked at after every batch of labels is wrong far more often than it says. Here
    the capital of a bet is looked at, which exceeds 1/α with probability α at most over all looks together; see
    `bayesf1.frequentist.monitoring`. The differences d against which neither bet,

    .. math:: G_+(d) < 2/\alpha, \qquad G_-(d) < 2/\alpha,

    has won so much are a *confidence sequence*: it holds the true difference at all looks with probability
    :math:`1 - \alpha`.

    Parameters
    ----------
    ev
        What both models did on all units so far. Units must be labelled in an order that does not depend on what the
        models do on them, such as at random; whole batches or single units, it does not matter.
    a, b
        Names of the models; may be left out where there are exactly two.
    metric
        Name of a measure that is a ratio of counts, such as F1, recall or accuracy, or the mean of scores from 0 to 1.
    previous
        What the last look returned, or what its ``to_dict()`` or ``json.loads(state.to_json())`` gives, so that a later
        process can go on: the answer is then that of all looks together. Without it that of this look is returned,
        which is as valid and may be a little wider.
    rope
        The region of practical equivalence, as in `compare`.
    confidence_level
        One minus the probability of ever being wrong.
    largest
        Where units are sentences or documents: the largest load that one can have, known before any was seen. That is how
        many spans of F1, gold and predicted ones together, and how many items of accuracy.

    Examples
    --------
    >>> from bayesf1 import from_correct
    >>> a, b = [1, 0] * 60, [1, 1, 1, 0] * 30
    >>> first = monitor(from_correct({"A": a[:40], "B": b[:40]}))
    >>> first.verdict
    'undecided'
    >>> monitor(from_correct({"A": a, "B": b}), previous=first).verdict
    'B better'
    """
    pair = ev.pair(a, b)
    check_one_run(pair, "monitoring")
    check_all_labelled(
        pair, "monitoring", "plan_labels says what it means to look after each batch of labels"
    )
    metric = resolve_metric(metric, pair)
    level, region = check_prob(confidence_level, "confidence_level"), check_rope(rope, metric)
    wagers = wagers_of(pair, metric, largest)
    need = math.log(2.0 / (1.0 - level))
    score_a, score_b = map(float, defined_scores(pair, metric))
    gap = score_b - score_a
    low, high = _limit(wagers, gap, need), -_limit(wagers.mirrored, -gap, need)
    log_e = float(np.logaddexp(wagers.log_capital(0.0), wagers.mirrored.log_capital(0.0)) - np.log(2.0))
    look = Look(round(float(wagers.counts.sum())), low, high, log_e)
    found = Monitor(
        metric=metric.name,
        label=metric.label,
        percent=metric.percent,
        lower_is_better=metric.lower_is_better,
        model_a=pair.models[0],
        model_b=pair.models[1],
        score_a=score_a,
        score_b=score_b,
        p_h1=float(compare(pair, metrics=[metric], rng=0)[metric.name].p_h1),
        unit=pair.unit,
        confidence_level=level,
        region=region,
        largest=None if largest is None else float(largest),
        tables=tuple(map(tuple, np.asarray(pair.tables, dtype=float).tolist())),
        looks=(look,),
    )
    if previous is None:
        return found
    if not isinstance(previous, Monitor):
        previous = replace(found, **remembered(previous))
    return _together(previous, found)


def _together(before: Monitor, now: Monitor) -> Monitor:
    """Return a look with all that were before it."""
    for name in ("metric", "model_a", "model_b", "unit", "confidence_level", "largest"):
        was, is_ = getattr(before, name), getattr(now, name)
        if was != is_:
            raise ValueError(
                f"the last look had {name} {was!r}, and this one has {is_!r}; all looks must have the same"
            )
    if now.n_units < before.n_units:
        raise ValueError(
            f"the last look had {before.n_units:,} {plural(now.unit)}, and this one has {now.n_units:,}; give all so far"
        )
    look, old = now.looks[0], np.ravel(before.tables)
    if old.shape == np.shape(np.ravel(now.tables)) and (np.ravel(now.tables) < old - 1e-9).any():
        raise ValueError(
            f"the last look counted items that this one does not, among {before.n_units:,} and {now.n_units:,} "
            f"{plural(now.unit)}; give all so far, with the labels that they had"
        )
    low, high = max(before.low, look.low), min(before.high, look.high)
    # Where no difference is left, some look was one of the few that are wrong.
    if low > high:
        low, high = before.low, before.high
    return replace(now, looks=(*before.looks, look._replace(low=low, high=high)))


def _limit(wagers: Wagers, gap: float, need: float) -> float:
    """Return the largest difference d such that ν_B - ν_A ≤ d is ruled out; the capital falls as d grows."""

    def short(d: Any) -> FloatArray:
        return np.asarray(need - float(wagers.log_capital(float(d))))

    if float(short(-1.0)) > 0.0:
        return -1.0
    found = float(crossing(short, np.asarray(-1.0), np.asarray(max(gap, -1.0 + 1e-9)), accuracy=1e-9))
    # On the safe side of rounding.
    return max(-1.0, found - 1e-9)
