"""Looking more than once: an answer that stays valid however often one looks, and whenever one stops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesf1.base.answer import Answer
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_prob, checked
from bayesf1.base.naming import plural
from bayesf1.base.references import prose
from bayesf1.base.roots import crossing
from bayesf1.base.table import Table, amount, digits_of, equation, points, printable
from bayesf1.bayes.bayes_test import compare
from bayesf1.bayes.rope import Rope, RopeLike, check_rope
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.gaps import check_no_gaps
from bayesf1.evaluation.metric import MetricLike
from bayesf1.evaluation.runs import check_one_run
from bayesf1.evaluation.scoring import find_measure
from bayesf1.frequentist.betting import Wagers
from bayesf1.frequentist.looks import Look, remembered
from bayesf1.frequentist.staked_units import wagers_of


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
    bound
        Where the largest load that a unit can have is from: ``"known"`` of single items; ``"given"``; ``"seen"``, that of
        the largest so far, rounded up; or ``"none"``, so that bets were soft.
    tables
        What was counted of A and of B, a tuple for each.
    looks
        All looks, this one last; intervals are those of all looks so far together that still stand.
    """

    json_format = "bayesf1.monitor/1"
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
    bound: str
    tables: tuple[tuple[float, ...], ...]
    looks: tuple[Look, ...]

    @property
    def largest(self) -> float:
        """The largest load of a unit that this look reckoned with; infinite where there is no bound."""
        return self.looks[-1].bound

    @property
    def broken(self) -> tuple[Look, ...]:
        """Looks that reckoned with less than has come since: what was claimed at these does not stand."""
        return tuple(look for look in self.looks if look.bound < self.looks[-1].load)

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
        """Anytime-valid p-value of no difference: one over the largest e-value of all looks that stand, at most 1."""
        standing = self.looks[len(self.broken) :]
        return math.exp(-max(0.0, *(look.log_e for look in standing)))

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
        said = ((self.model_b, -self.region.low, low), (self.model_a, self.region.high, -high))
        for model, margin, least in said:
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
        standing = self.looks[len(self.broken) :]
        return next(look.n_units for look in standing if self._verdict(look) == self.verdict)

    @property
    def title(self) -> str:
        """What is monitored."""
        return printable(
            f"{self.label} of {self.model_b} minus {self.model_a}, looked at {_times(len(self.looks))}"
        )

    @property
    def table(self) -> Table:
        """A row for each look."""
        rows = tuple((f"{look.n_units:,}", self._interval(look), _written(look.log_e)) for look in self.looks)
        level = f"{100 * self.confidence_level:g} % confidence sequence"
        return Table((plural(self.unit).capitalize(), level, "e-value"), rows, note=self._note)

    @property
    def below(self) -> Sequence[str]:
        """The verdict, and what it rests on."""
        return (self.sentence(), self._note)

    @checked
    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict as a sentence, ``"text"`` or ``"latex"``."""
        units = plural(self.unit)
        now = f"{self.n_units:,} {units}"
        size = f"{self._interval(self.looks[-1])}{' percentage points' if self.percent else ''}"
        claim, later = f"Not decided after {now}", ""
        if (first := self.decided_after) is not None:
            claim = f"Decided after {first:,} {units}: {self.verdict}"
            later = f" after {now}" if first < self.n_units else ""
        told = printable(
            f"{claim} in {self.label} (difference {size}{later}, {self.model_b} minus {self.model_a}, valid at every look"
            f"{self._proviso}; the posterior at this look alone: {equation(f'P({self.model_b} better)', self.p_h1)})."
        )
        return prose(told, format)

    @property
    def _proviso(self) -> str:
        """What the answer needs beside units that are drawn one by one; nothing of single items."""
        if self.bound == "none":
            return " for models whose outputs could be swapped where they are equally good"
        return "" if self.bound == "known" else f" if no {self.unit} has a load above {self.largest:.4g}"

    @property
    def _note(self) -> str:
        """What the answer takes for granted, and where that did not come true."""
        scores = ", and their scores as lying from 0 to 1" if self.metric == "mean" else ""
        said = (
            f"{plural(self.unit).capitalize()} taken as drawn one by one{scores}; wrong with probability "
            f"{1 - self.confidence_level:.2g} at most{self._proviso}, however often one looks and whenever one stops"
        )
        if self.bound == "seen":
            said += (
                f"; the largest so far has {self.looks[-1].load:.4g}, and a bound that you know may be given as largest "
                "(--largest)"
            )
        elif self.bound == "none":
            said += f"; soft bets, which a rare {self.unit} that outweighs the others may overturn"
        claims = [look for look in self.broken if self._verdict(look) != "undecided"]
        if claims:
            said += (
                f". One {self.unit} has a load of {self.looks[-1].load:.4g}, and the look at {claims[-1].n_units:,} "
                f"{plural(self.unit)} had reckoned with {claims[-1].bound:.4g} at most: what was claimed then does not stand"
            )
        return f"{said}."

    def _interval(self, look: Look) -> str:
        digits = digits_of(look.low, look.high, percent=self.percent)
        low, high = (points(x, digits, sign=True, percent=self.percent) for x in (look.low, look.high))
        return f"{low} to {high}"

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each look."""
        return [
            {**look._asdict(), "bound": look.bound if math.isfinite(look.bound) else None}
            for look in self.looks
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        names = (
            "metric model_a model_b score_a score_b p_h1 unit confidence_level bound verdict decided decided_after "
            "p_value"
        )
        found = {name: getattr(self, name) for name in names.split()}
        said = {"sentence": self.sentence(), "notes": [self._note]}
        return {
            **found,
            "rope": self.region.written,
            "tables": [*map(list, self.tables)],
            "looks": self.records(),
            **said,
        }


@checked
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
    `bayesf1.frequentist.betting`. The differences d against which neither bet,

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
        many spans of F1, gold and predicted ones together, and how many items of accuracy. Without it the load of the
        largest so far is reckoned with, which the answer says; where a later one is larger, earlier claims do not stand.
        With ``math.inf`` there is no bound, and bets are soft: they need fewer units, but the answer only holds for
        models whose outputs could be swapped, as in a randomisation test, and not where rare units outweigh all that was
        seen before.

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
    check_evaluation(ev)
    pair = ev.pair(a, b)
    check_one_run(pair, "monitoring")
    check_no_gaps(pair, "monitoring", "plan_labels says what looking after each batch of labels does")
    measure = find_measure(metric, pair)
    level, region = check_prob(confidence_level, "confidence_level"), check_rope(rope, measure)
    wagers, bound, load, most = wagers_of(pair, measure, largest)
    need = math.log(2.0 / (1.0 - level))
    score_a, score_b = (float(x) for x in measure(pair.tables, pair.cells))
    gap = score_b - score_a
    low, high = _limit(wagers, gap, need), -_limit(wagers.mirrored, -gap, need)
    log_e = float(np.logaddexp(wagers.log_capital(0.0), wagers.mirrored.log_capital(0.0)) - np.log(2.0))
    look = Look(round(float(wagers.counts.sum())), low, high, log_e, load, most)
    found = Monitor(
        metric=measure.name,
        label=measure.label,
        percent=measure.percent,
        lower_is_better=measure.lower_is_better,
        model_a=pair.models[0],
        model_b=pair.models[1],
        score_a=score_a,
        score_b=score_b,
        p_h1=float(
            compare(pair, metrics=metric if metric is not None else measure.name, rng=0)[measure.name].p_h1
        ),
        unit=pair.unit,
        confidence_level=level,
        region=region,
        bound=bound,
        tables=tuple(map(tuple, np.asarray(pair.tables, dtype=float).tolist())),
        looks=(look,),
    )
    if previous is None:
        return found
    if not isinstance(previous, Monitor):
        previous = replace(found, **remembered(previous, Monitor.json_format))
    return _together(previous, found)


def _together(before: Monitor, now: Monitor) -> Monitor:
    """Return a look with all that were before it."""
    for name in ("metric", "model_a", "model_b", "unit", "confidence_level", "bound"):
        was, is_ = getattr(before, name), getattr(now, name)
        if was != is_:
            raise ValueError(
                f"the last look had {name} {was!r}, and this one has {is_!r}; looks must be alike"
            )
    if now.bound == "given" and before.largest != now.largest:
        raise ValueError(
            f"the last look had largest {before.largest:g}, and this one has {now.largest:g}; looks must be alike"
        )
    if now.n_units < before.n_units:
        raise ValueError(
            f"the last look had {before.n_units:,} {plural(now.unit)}, and this one has {now.n_units:,}; give all so far"
        )
    look, old = now.looks[0], np.ravel(before.tables)
    if old.shape == np.shape(np.ravel(now.tables)) and (np.ravel(now.tables) < old - 1e-9).any():
        raise ValueError(
            f"the last look counted things that this one does not, of {before.n_units:,} and {now.n_units:,} "
            f"{plural(now.unit)}; give all so far, with the labels that they had"
        )
    # A bound that did not come true takes what rests on it with it.
    if before.largest >= look.load:
        low, high = max(before.low, look.low), min(before.high, look.high)
        # Where no difference is left, some look was one of the few that are wrong.
        if low > high:
            low, high = before.low, before.high
        look = look._replace(low=low, high=high)
    return replace(now, looks=(*before.looks, look))


def _limit(wagers: Wagers, gap: float, need: float) -> float:
    """Return the largest difference d such that ν_B - ν_A ≤ d is ruled out; the capital falls as d grows."""

    def short(d: Any) -> FloatArray:
        return np.asarray(need - float(wagers.log_capital(float(d))))

    if float(short(-1.0)) > 0.0:
        return -1.0
    found = float(crossing(short, np.asarray(-1.0), np.asarray(max(gap, -1.0 + 1e-9)), accuracy=1e-9))
    # On the safe side of rounding.
    return max(-1.0, found - 1e-9)


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n} times")


def _written(log_e: float) -> str:
    return f"{math.exp(log_e):.3g}" if log_e < 15.0 else f"10^{log_e / math.log(10.0):.1f}"
