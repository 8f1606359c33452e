"""Look at a comparison after every batch of units: confidence sequences by betting."""

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
from bayesf1.output.words.prose import formatted
from bayesf1.output.words.signature import in_one_line, signed_name


class Look(NamedTuple):
    """One look: the number of units, the confidence sequence of B minus A, and the logarithm of the e-value."""

    n_units: int
    low: float
    high: float
    log_e: float


_FORMAT = "bayesf1.monitor/2"


def remembered(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an earlier `Monitor` that later looks need, from its ``to_dict()`` or ``to_json()``.

    Every value is checked, because a file may have been truncated or edited.
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
        looks: list[Look] = []
        n_units = 1.0
        for row in document["looks"]:
            # Units can only have been added from one look to the next.
            n_units = number(row["n_units"], "n_units", n_units)
            low = number(row["low"], "low", -1.0, 1.0)
            high = number(row["high"], "high", low, 1.0)
            log_e = number(row["log_e"], "log_e")
            looks.append(Look(int(n_units), low, high, log_e))
        if not looks:
            raise ValueError("previous= has no looks; give what the last look kept")
        table_a, table_b = document["tables"]
        largest = document["largest"]
        if largest is not None:
            largest = number(largest, "largest")
        return {
            "metric": document["metric"],
            "model_a": document["model_a"],
            "model_b": document["model_b"],
            "unit": document["unit"],
            "confidence_level": number(document["confidence_level"], "confidence_level"),
            "largest": largest,
            "tables": (
                tuple(number(count, "tables", 0.0) for count in table_a),
                tuple(number(count, "tables", 0.0) for count in table_b),
            ),
            "looks": tuple(looks),
        }
    except KeyError as error:
        raise ValueError(f"previous= is not what the last look kept; it has no {error}") from None
    except (TypeError, IndexError, AttributeError):
        raise ValueError("previous= is not what the last look kept") from None


# Ends of the cells of f: how many lie within how many standard errors of the score, and how many over the whole range.
_N_NEAR = 161
_STANDARD_ERRORS = 12.0
_N_FAR = 41
# Loads that are means of several generations are exact up to this error.
_ROUNDING = 1e-9
# Stakes as shares of the capital. For single items: half the capital on a unit of the largest load, down to a
# two-hundredth of that, which pays only with many units. For given bounds: from the stake that one unit can just ruin.
OF_ITEMS = np.exp2(-1.0 - 0.5 * np.arange(16.0))
BOUNDED = np.exp2(-0.5 * np.arange(20.0))


# Positions of the two models in `Wagers`.
_A = 0
_B = 1


@dataclass(frozen=True, eq=False)
class Wagers:
    """Units by their contributions, as shares of the largest load, and how many of each kind there are.

    Attributes
    ----------
    shares, denominator_weights
        The contribution of a unit of each kind to numerator and denominator, axes (model, kind), models A and B.
    counts
        The number of units of each kind, axes (..., kind): a row for each look.
    same_loads
        Whether both models have the same load on every unit that may come.
    stakes
        The stakes; the k-th has a weight in proportion to 1/k. Loads are at most 1.

    Examples
    --------
    B wins 32 of the 40 units on which the models differ.

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
        """Return log G(d) for each look: the capital of a bet against ν_B - ν_A ≤ d."""
        if self.same_loads:
            contrasts = self.shares[1] - self.shares[0] - difference * self.denominator_weights[0]
            return self._bets(contrasts[:, None], difference)[..., 0]
        return _log_mean(self._least(difference, _A), self._least(difference, _B))

    def _least(self, d: float, model: int) -> FloatArray:
        """Return the logarithm of the least capital over all scores f of A, or of B, if they differ by at most d."""
        if model == _A:
            f = self._cell_ends(_A, low=max(0.0, -d), high=1.0, corner=1.0 - d)
            f_a = f
            f_b = np.minimum(f + d, 1.0)
        else:
            f = self._cell_ends(_B, low=0.0, high=min(1.0, 1.0 + d), corner=d)
            f_a = np.maximum(f - d, 0.0)
            f_b = f
        on_difference = self._bets(self._excess(_B, f_b) - self._excess(_A, f_a), d)
        # A second bet, on either side, against f as the model's own score.
        excess = self._excess(model, f)
        on_score = _log_mean(self._bets(excess), self._bets(-excess))
        return np.asarray(_log_mean(on_difference, on_score).min(axis=-1))

    def _bets(self, contrasts: FloatArray, d: float = 0.0) -> FloatArray:
        """Return the logarithm of the capital of all stakes that no contrast can ruin, in each cell of f."""
        weights = 1.0 / np.arange(1.0, len(self.stakes) + 1.0)
        log_weights = np.log(weights / weights.sum())
        safe = self.stakes * (1.0 + max(d, 0.0)) <= 1.0 + 1e-12
        logs = _cells(self._won(contrasts, self.stakes[safe]))
        return np.asarray(special.logsumexp(logs + log_weights[safe, None], axis=-2))

    def _excess(self, model: int, f: FloatArray) -> FloatArray:
        """Return the contribution of units beyond a score, axes (kind, score)."""
        return np.asarray(self.shares[model][:, None] - self.denominator_weights[model][:, None] * f)

    def _cell_ends(self, model: int, *, low: float, high: float, corner: float) -> FloatArray:
        """Return the ends of the cells of f, which are narrow near the model's score; the bound holds for any cells.

        At the corner the other model's score reaches the end of its range.
        """
        latest = self.counts.reshape(-1, self.counts.shape[-1])[-1]
        load = max(float(latest @ self.denominator_weights[model]), 1.0)
        score = float(latest @ self.shares[model]) / load
        residuals = self._excess(model, np.array([score]))[:, 0]
        error = np.sqrt(latest @ residuals**2 + 1.0) / load
        near = score + _STANDARD_ERRORS * error * np.linspace(-1.0, 1.0, _N_NEAR)
        far = np.linspace(low, high, _N_FAR)
        return np.unique(np.clip([*near, *far, corner], low, high))

    def _won(self, contrasts: FloatArray, stakes: FloatArray) -> FloatArray:
        """Return log K of every stake, axes (..., stake, score), from contrasts (kind, score)."""
        bets = stakes[:, None] * contrasts[:, None, :]
        with np.errstate(divide="ignore"):
            # The logarithm is kept finite, so that a kind of unit that would ruin the bet does not matter while it was not
            # seen (0 · -∞).
            logs = np.maximum(np.log1p(np.maximum(bets, -1.0)), -1e6)
        return np.asarray(np.tensordot(self.counts, logs, axes=1))


def _log_mean(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the logarithm of the mean of two capitals, given by their logarithms."""
    return np.asarray(np.logaddexp(first, second) - np.log(2.0))


def _cells(values: FloatArray) -> FloatArray:
    """Return the smaller of the values at the two ends of each cell; a single score has no cells and keeps its value."""
    if values.shape[-1] == 1:
        return values
    return np.minimum(values[..., 1:], values[..., :-1])


def wagers_of(ev: Evaluation, metric: Metric, largest: float | None) -> Wagers:
    """Return the units of an evaluation as kinds to bet on."""
    if ev.units is None or not ev.units.shared or ev.folds is not None:
        raise ValueError(
            "monitoring needs what both models did on every unit of one test set; build the evaluation from predictions "
            "(from_labels, from_tags, from_correct)"
        )
    share, load = _ratio(ev, metric)
    n_cells = len(ev.cells)
    rows_a = ev.units.rows[:, :n_cells]
    rows_b = ev.units.rows[:, n_cells:]
    # Axes (model, pattern).
    shares = np.stack([np.asarray(rows_a @ share), np.asarray(rows_b @ share)])
    denominator_weights = np.stack([np.asarray(rows_a @ load), np.asarray(rows_b @ load)])
    seen = float(denominator_weights.max(initial=0.0))
    of_one_cell = float(load.max())
    if largest is not None and not (is_number(largest) and seen <= largest < math.inf and largest > 0.0):
        raise ValueError(
            f"largest is the largest load that one {ev.unit} can have, at least {max(seen, of_one_cell):g}, as one here has "
            f"{seen:g}, not {largest!r}; give a larger number, from the first look on"
        )
    # A single item is in one cell of a table, or is missed as one class and claimed as another. A score counts once, and
    # so does an item that was answered several times.
    counts_once = metric.distribution is None or ev.generations is not None
    single = ev.units.single or (counts_once and ev.items is None)
    if largest is None and not (single and seen <= of_one_cell + _ROUNDING):
        raise ValueError(
            f"one {ev.unit} has a load of up to {seen:g} here, and later ones may have more; give largest=, the "
            "largest load that one can have (for F1 the number of gold and predicted spans together), from the first look on"
        )
    if largest is None:
        scale = of_one_cell
        stakes = OF_ITEMS
    else:
        scale = float(largest)
        stakes = BOUNDED
    # Patterns with the same contributions are one kind, as for two errors that the metric counts alike.
    contributions = np.concatenate([shares, denominator_weights])
    kinds, which = np.unique(contributions, axis=1, return_inverse=True)
    counts = np.bincount(which.ravel(), weights=ev.units.weights).astype(float)
    return Wagers(
        shares=kinds[:2] / scale,
        denominator_weights=kinds[2:] / scale,
        counts=counts,
        same_loads=_same_loads(metric),
        stakes=stakes,
    )


def _ratio(ev: Evaluation, metric: Metric) -> tuple[FloatArray, FloatArray]:
    """Return what one count of each cell adds to numerator and denominator of a metric from 0 to 1."""
    contributions = metric.ratio(ev.cells)
    if contributions is None or metric.support[0] < 0.0 or metric.support[1] > 1.0:
        raise ValueError(
            f"{metric.label} is not a ratio of counts, so it cannot be monitored; use f1, precision, recall, accuracy, "
            "micro_f1 or one of a class, a Brier score, or the mean of scores from 0 to 1"
        )
    return contributions


def _same_loads(metric: Metric) -> bool:
    """Return whether the gold label alone decides how much a unit counts, and not the prediction."""
    if not isinstance(metric.distribution, Proportion):
        return metric.distribution is None
    of_class = (*metric.distribution.successes, *metric.distribution.failures)
    # Cells of a class are named tp[class].
    cells = {cell.partition("[")[0] for cell in of_class}
    gold_positive = ("tp" in cells) == ("fn" in cells)
    gold_negative = ("tn" in cells) == ("fp" in cells)
    return gold_positive and gold_negative


class LookClaim(NamedTuple):
    """The claim that a look supports: at most one of these.

    Attributes
    ----------
    equivalent
        Whether the models are practically equivalent.
    better
        The model that is better, if one is.
    not_worse, margin
        The model that is not worse by more than the margin, if one is.
    """

    equivalent: bool = False
    better: str | None = None
    not_worse: str | None = None
    margin: float = 0.0


@dataclass(frozen=True, eq=False)
class Monitor(Answer):
    """The claim about two models after any number of looks.

    Attributes
    ----------
    metric, label, percent, lower_is_better
        Name of the metric, how it is printed, whether in percent, and whether less is better.
    model_a, model_b, score_a, score_b
        Names of the models and their scores so far.
    p_h1
        The posterior's P(H1) at this look, which does not allow for other looks.
    unit, confidence_level, region
        What one unit is called, the level of the confidence sequence, and the region of practical equivalence.
    largest
        The largest load that a unit can have, as given; None for single items.
    tables
        The counts of A and of B, a tuple for each.
    looks
        All looks, this one last; each interval is that of all looks so far together.
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
        """Mean capital of the bets on B and on A at this look, which start with 1; 20, if one bet has 40, means p = .05."""
        return math.exp(min(self.looks[-1].log_e, 700.0))

    @property
    def p_value(self) -> float:
        """Anytime-valid p-value of no difference: one over the largest e-value of all looks, at most 1."""
        return math.exp(-max(0.0, *(look.log_e for look in self.looks)))

    @property
    def verdict(self) -> str:
        """The claim, as in a comparison, from the confidence sequence."""
        return words.verdict(self._claim(self.looks[-1]), percent=self.percent)

    def _claim(self, look: Look) -> LookClaim:
        """Return the claim that the confidence sequence at a look supports."""
        # The interval of how much better B is than A.
        low = -look.high if self.lower_is_better else look.low
        high = -look.low if self.lower_is_better else look.high
        if self.region and self.region.low <= low and high <= self.region.high:
            return LookClaim(equivalent=True)
        if low > 0.0:
            return LookClaim(better=self.model_b)
        if high < 0.0:
            return LookClaim(better=self.model_a)
        margins = ((self.model_b, -self.region.low, low), (self.model_a, self.region.high, -high))
        for model, margin, least in margins:
            if self.region and least >= -margin:
                return LookClaim(not_worse=model, margin=margin)
        return LookClaim()

    @property
    def decided(self) -> bool:
        """Whether anything may be claimed, so that labelling may stop."""
        return self._claim(self.looks[-1]) != LookClaim()

    @property
    def decided_after(self) -> int | None:
        """The number of units at the first look with the present verdict; None if it is still undecided."""
        if not self.decided:
            return None
        claim = self._claim(self.looks[-1])
        return next(look.n_units for look in self.looks if self._claim(look) == claim)

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
        """What monitoring assumes."""
        return (words.note(self),)

    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict as a sentence, ``"text"`` or ``"latex"``."""
        return formatted(words.sentence(self), format)

    def signature(self) -> str:
        """Return in one line what is needed to repeat the last look."""
        looks = [look.n_units for look in self.looks]
        asked = {"rope": self.region, "confidence_level": self.confidence_level, "largest": self.largest}
        return in_one_line(metric=signed_name(self.metric, self.label), unit=self.unit, looks=looks, **asked)

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
    r"""Return what may be claimed about two models so far, however often one looks.

    A posterior, or a p-value, that is looked at after every batch of labels is wrong far more often than it says. Here
    one looks at the capital of a bet, which exceeds 1/α with probability α at most over all looks together; see
    `bayesf1.frequentist.monitoring`. The differences d against which neither bet,

    .. math:: G_+(d) < 2/\alpha, \qquad G_-(d) < 2/\alpha,

    has won so much are a *confidence sequence*: it holds the true difference at all looks with probability
    :math:`1 - \alpha`.

    Parameters
    ----------
    ev
        What both models did on all units so far. Units must be labelled in an order that does not depend on what the
        models do on them, such as at random, in batches or one at a time.
    a, b
        Names of the models; may be left out if there are exactly two.
    metric
        Name of a metric that is a ratio of counts, such as F1, recall or accuracy, or the mean of scores from 0 to 1.
    previous
        The result of the last look, or its ``to_dict()`` or ``json.loads(state.to_json())``, so that a later process can
        go on: the answer is then that of all looks together. Without it the answer is that of this look alone, which is
        as valid and may be a little wider.
    rope
        The region of practical equivalence, as in `compare`.
    confidence_level
        One minus the probability of ever being wrong.
    largest
        For sentences or documents: the largest load that one can have, known before any was seen. For F1 that is the
        number of spans, gold and predicted ones together, and for accuracy the number of items.

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
    level = check_prob(confidence_level, "confidence_level")
    region = check_rope(rope, metric)
    wagers = wagers_of(pair, metric, largest)
    need = math.log(2.0 / (1.0 - level))
    score_a, score_b = map(float, defined_scores(pair, metric))
    difference = score_b - score_a
    low = _limit(wagers, difference, need)
    high = -_limit(wagers.mirrored, -difference, need)
    log_e = float(_log_mean(wagers.log_capital(0.0), wagers.mirrored.log_capital(0.0)))
    look = Look(round(float(wagers.counts.sum())), low, high, log_e)
    now = Monitor(
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
        return now
    if not isinstance(previous, Monitor):
        previous = replace(now, **remembered(previous))
    return _together(previous, now)


def _together(before: Monitor, now: Monitor) -> Monitor:
    """Return a look with all looks before it."""
    for name in ("metric", "model_a", "model_b", "unit", "confidence_level", "largest"):
        old_value = getattr(before, name)
        new_value = getattr(now, name)
        if old_value != new_value:
            raise ValueError(
                f"the last look had {name} {old_value!r}, and this one has {new_value!r}; all looks must have the same"
            )
    if now.n_units < before.n_units:
        raise ValueError(
            f"the last look had {before.n_units:,} {plural(now.unit)}, and this one has {now.n_units:,}; give all so far"
        )
    old_counts = np.ravel(before.tables)
    new_counts = np.ravel(now.tables)
    if old_counts.shape == new_counts.shape and (new_counts < old_counts - 1e-9).any():
        raise ValueError(
            f"the last look counted items that this one does not, among {before.n_units:,} and {now.n_units:,} "
            f"{plural(now.unit)}; give all so far, with the labels that they had"
        )
    look = now.looks[0]
    low = max(before.low, look.low)
    high = min(before.high, look.high)
    if low > high:
        # The sequences have no difference in common, so one of the looks is among the few that err: keep the last interval.
        low = before.low
        high = before.high
    return replace(now, looks=(*before.looks, look._replace(low=low, high=high)))


def _limit(wagers: Wagers, difference: float, need: float) -> float:
    """Return the largest d such that ν_B - ν_A ≤ d is ruled out: the capital, which falls as d grows, is still enough."""

    def missing(d: float) -> float:
        return need - float(wagers.log_capital(d))

    if missing(-1.0) > 0.0:
        return -1.0
    limit = crossing(missing, -1.0, max(difference, -1.0 + 1e-9), accuracy=1e-9)
    # The end is moved outwards, so that rounding errs on the safe side.
    return max(-1.0, limit - 1e-9)
