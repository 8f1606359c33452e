"""Whether comparisons meet conditions, for a gate in front of a release: passed or not, and why."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.answer import Answer, Outcome
from bayesf1.base.naming import joined, nearest
from bayesf1.base.table import Table, amount, equation, printable, probability
from bayesf1.bayes.condition import Condition, Name, parse
from bayesf1.evaluation.scoring import find_measure

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparison
    from bayesf1.bayes.comparisons import Comparisons

_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}


@dataclass(frozen=True)
class Claim:
    """What a condition says of two models in one measure, and how probable it is.

    Attributes
    ----------
    metric, model_a, model_b
        The measure and the pair of models.
    said
        The claim in words.
    p
        Its probability.
    sign, level
        How the probability must compare with what.
    """

    metric: str
    model_a: str
    model_b: str
    said: str
    p: float
    sign: str
    level: float

    @property
    def passed(self) -> bool:
        """Whether the probability is as it must be."""
        return _SIGNS[self.sign](self.p, self.level)

    @property
    def why(self) -> str:
        """The probability, and what it must be, as a sentence."""
        needed = f"{'as' if self.passed else 'not'} {self.sign} {self.level:.6g}{' needed' * self.passed}"
        found = equation(f"P({self.said})", self.p)
        # So close that three digits would not tell which is the larger.
        if 0.0 < self.p < 1.0 and abs(self.p - self.level) < 1e-3:
            found = f"P({self.said}) = {self.p:.6g}"
        return printable(f"{found}, {needed}.")


@dataclass(frozen=True)
class Check:
    """Whether a condition holds: of one claim, or of one for each class or pair of models.

    Attributes
    ----------
    condition
        The condition as it was written.
    claims
        What it says, of each pair and measure that it is on.
    note
        How it was read, where it could be read otherwise.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> res = compare(from_counts(A=(77, 44, 10), B=(83, 9, 14)))
    >>> check = res.check("f1: B not worse by 0.005")
    >>> check.passed
    True
    >>> print(check.why)
    P(B not worse than A by more than 0.5 percentage points in F1) = 0.999, as >= 0.975 needed.
    """

    condition: str
    claims: tuple[Claim, ...]
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether every claim has the probability that it must have."""
        return all(claim.passed for claim in self.claims)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def why(self) -> str:
        """The claims that fail, or where none does all of them, as sentences."""
        failed = [claim for claim in self.claims if not claim.passed]
        return " ".join(
            [*(claim.why for claim in failed or self.claims), *([self.note] if self.note else [])]
        )


@dataclass(frozen=True)
class Gate(Answer):
    """All conditions on some comparisons; it is passed where all of them hold."""

    json_format = "bayesf1.gate/1"

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every condition holds."""
        return all(self.checks)

    @property
    def title(self) -> str:
        """How many of the conditions hold."""
        held = sum(check.passed for check in self.checks)
        n_claims = sum(len(check.claims) for check in self.checks)
        several = f" ({n_claims} claims)" if n_claims > len(self.checks) else ""
        return f"{held} of {len(self.checks)} conditions hold{several}"

    @property
    def table(self) -> Table:
        """A row for each claim."""
        rows = tuple(
            (
                check.condition,
                claim.said,
                probability(claim.p),
                f"{claim.sign} {claim.level:.4g}",
                _held(claim.passed),
            )
            for check in self.checks
            for claim in check.claims
        )
        return Table(
            ("Condition", "Claim", "P", "Needed", "Held"), rows, sure=tuple(row[-1] == "yes" for row in rows)
        )

    @property
    def below(self) -> Sequence[str]:
        """What failed, and why."""
        return [f"{check.condition}: {check.why}" for check in self.checks if not check.passed]

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """Every claim as a test that passed or failed."""
        return [
            Outcome(
                f"{claim.model_a} → {claim.model_b}, {claim.metric}", check.condition, claim.passed, claim.why
            )
            for check in self.checks
            for claim in check.claims
        ]

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each claim."""
        return [
            {"condition": check.condition, **vars(claim), "passed": claim.passed, "why": claim.why}
            for check in self.checks
            for claim in check.claims
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        conditions = [
            {"condition": check.condition, "passed": check.passed, "why": check.why} for check in self.checks
        ]
        return {
            "passed": self.passed,
            "conditions": conditions,
            "claims": self.records(),
            "why": list(self.below),
        }


def gate(results: Sequence[Comparisons], conditions: Sequence[str]) -> Gate:
    """Check conditions on the comparisons of one or several pairs of models.

    A condition that names models is one on the pairs that have them, others are conditions on every pair.
    """
    return Gate(tuple(_check(results, parse(text)) for text in conditions))


def _check(results: Sequence[Comparisons], condition: Condition) -> Check:
    told = [name for name in (condition.model, condition.other) if name is not None]
    known = list(dict.fromkeys(name for res in results for name in _pair(res)))
    for name in told:
        if name.text not in (*known, "A", "B"):
            raise condition.fault(f"there is no model {name.text!r} here; {nearest(name.text, known)}", name)
    # A and B are the first and the second of any pair, where no model is called so.
    named = {name.text for name in told if name.text in known}
    chosen = [res for res in results if named <= {*_pair(res)}]
    if not chosen:
        raise condition.fault(f"{' and '.join(sorted(named))} were not compared with each other", told[0])
    if condition.model is not None and condition.other is not None:
        model, other = condition.model, condition.other
        chosen = [res for res in chosen if _role(model, _pair(res)) != _role(other, _pair(res))]
        if not chosen:
            raise condition.fault(_with_itself(model, other), other)
    found = [c for res in chosen for c in _measures(res, condition)]
    if not found:
        raise condition.fault(_not_compared(chosen, condition.metric.text), condition.metric)
    claims = tuple(_claim(c, condition) for c in found)
    return Check(condition.text, claims, _read_as(told, known, {_pair(res) for res in chosen}))


def _with_itself(model: Name, other: Name) -> str:
    if model.text == other.text:
        return "a model is compared with another, not with itself"
    return f"in no pair is {model.text} another model than {other.text}; A is the first of a pair, and B the second"


def _read_as(told: Sequence[Name], known: Sequence[str], pairs: set[tuple[str, str]]) -> str:
    """Say what A and B stand for, where these are no models and there are several pairs."""
    letters = sorted({name.text for name in told if name.text not in known})
    if len(pairs) < 2 or not letters:
        return ""
    places = {"A": "first", "B": "second"}
    said = " and ".join(f"{letter} is the {places[letter]}" for letter in letters)
    return f"{said} of each of {len(pairs)} pairs; name models to ask of fewer."


def _not_compared(results: Sequence[Comparisons], metric: str) -> str:
    """Say which measures there are: where the name is none of those that could be compared, all of these."""
    try:
        find_measure(metric, next(iter(results[0].values())).ev)
    except ValueError as error:
        return str(error)
    compared = dict.fromkeys(name for res in results for name in res.known)
    return f"{metric!r} was not compared; {nearest(metric, compared)}"


def _pair(res: Comparisons) -> tuple[str, str]:
    first = next(iter(res.values()))
    return first.model_a, first.model_b


def _measures(res: Comparisons, condition: Condition) -> list[Comparison]:
    metric = condition.metric.text
    base = metric.removesuffix("[*]")
    asked = (
        [metric] if base == metric else [f"{base}[{name}]" for name in next(iter(res.values())).ev.classes]
    )
    found = {}
    for name in asked:
        with suppress(KeyError):
            found[name] = res[name]
    # A gate on every class must not open because some of them were not compared.
    if found and (missing := [name for name in asked if name not in found]):
        raise condition.fault(
            f"{metric} is that of every class, but {joined(missing)} {'was' if len(missing) == 1 else 'were'} not compared",
            condition.metric,
        )
    return list(found.values())


def _claim(c: Comparison, condition: Condition) -> Claim:
    if np.ndim(c.p_h1):
        raise ValueError("a condition is one on a single experiment, but these comparisons have leading axes")
    pair, by = (c.model_a, c.model_b), condition.by
    margin = amount(by, percent=c.measure.percent)
    low, high = c.measure.support
    if by and by >= high - low:
        raise condition.fault(
            f"a margin of {by:g} is more than any two scores in {c.label} differ by; a point is 0.01",
            condition.by_at,
        )
    if condition.kind == "equivalent" and not by:
        raise condition.fault("models are equivalent within a margin above 0", condition.by_at)
    if condition.kind == "equivalent":
        said = f"{pair[0]} and {pair[1]} within {margin} in {c.label}"
        p = c.p_better_by(-by) - c.p_better_by(by)
    else:
        assert condition.model is not None
        who = _role(condition.model, pair)
        other = 1 - who
        # A is better by x where B is not better by -x.
        least = by if condition.kind == "better" else -by
        p = c.p_better_by(least) if who else 1.0 - c.p_better_by(-least)
        more = f" by more than {margin}" if by else ""
        said = f"{pair[who]} {condition.kind} than {pair[other]}{more} in {c.label}"
    usual = c.prob if condition.kind == "equivalent" else c.threshold
    level = usual if condition.level is None else condition.level
    metric = c.measure.alias or c.metric
    return Claim(metric, *pair, printable(said), float(np.clip(p, 0.0, 1.0)), condition.sign, level)


def _role(name: Name, pair: tuple[str, str]) -> int:
    return pair.index(name.text) if name.text in pair else ("A", "B").index(name.text)


def _held(passed: bool) -> str:
    return "yes" if passed else "no"
