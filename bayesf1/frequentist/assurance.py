"""Planning for a decision: how many units until a better model is seen to be better, and what a test set resolves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_draws, check_rng, check_whole, checked, is_number
from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import plural, shown
from bayesf1.bayes.posterior import claim_threshold
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.gaps import check_no_gaps
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measure
from bayesf1.frequentist.decision_plan import DecisionPlan
from bayesf1.frequentist.method_plan import method_pilot, smallest_difference, units_for
from bayesf1.frequentist.rivals import rivals

# From which on a comparison with 95 % intervals calls a model better.
DECIDED = claim_threshold(0.95)
_MAX_UNITS = 1e12
_ROUNDS = 10
# No score is as large.
_LARGEST = 1e9
# Kinds of units in all test sets of a round of the search; the answer is then checked on as many sets as asked for.
_SEARCHED = 1 << 20


@checked
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
    runs: int | None = None,
    prior: float | None = None,
    n_sets: int = 10_000,
    rng: RNGLike = None,
) -> DecisionPlan:
    r"""Return how many units it takes to see that one of two models is better, or that it is not worse by much.

    The Bayesian assurance of n units is the probability that the Bayes test of a test set of n units will find

    .. math:: P(H_1 \mid \text{data}) \ge p, \qquad H_1: \nu_B > \nu_A,

    given that :math:`\nu_B - \nu_A` is the difference supposed; with a margin m it is that of
    of non-inferiority, :math:`P(\nu_B - \nu_A > -m \mid \text{data}) \ge p`. Test sets are drawn from the pilot's units,
    whose winners are tilted until that is the true difference; see `bayesf1.frequentist.rivals`. The posterior is the paired
    one, or that of the Bayesian bootstrap where units are clusters.

    Parameters
    ----------
    pilot
        What both models, or two like them, did on some units; from data, or from `assumed_pilot`. It tells how often
        models differ on a unit, and in what; who was right there does not matter.
    a, b
        Names of the models; may be left out where there are exactly two.
    difference
        How much better one model truly is, such as 0.02 for two percentage points. With a margin 0 by default, two
        models that are equally good; it may be negative, above minus the margin.
    not_worse_by
        The margin, such as 0.005, where it shall be shown that the model is not worse by more than that.
    metric
        Name of a measure, or a callable on tables (..., cell); F1 by default.
    p_h1
        The probability of being better from which on the decision is made; by default .975, from which on `compare`
        with its 95 % intervals calls a model better.
    assurance
        The probability with which it shall be made.
    runs
        Where the pilot has runs of two methods: how many of each there will be; as many as the pilot's by default. See
        `bayesf1.frequentist.method_plan`.
    prior
        λ of the Dirichlet prior on each model's cells.
    n_sets, rng
        Number of simulated test sets and source of randomness.

    Examples
    --------
    >>> from bayesf1.frequentist.assumed import assumed_pilot
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
    target = _supposed_difference(difference, not_worse_by)
    margin = not_worse_by or 0.0
    check_evaluation(pilot)
    check_no_gaps(pilot, "a plan", "plan_labels plans labels")
    pair = pilot.pair(a, b)
    if runs is not None and not pair.methods:
        raise ValueError("runs plans for methods, but the pilot has models of one run each; see ev.with_runs")
    decision = _Decision.of(pair, metric, p_h1, assurance)
    if pair.methods:
        return _between_methods(decision, runs, prior, rng, target, not_worse_by)
    task = _Simulation(decision, prior, n_sets, rng)
    largest = task.rivals.largest
    if abs(target) >= 0.99 * largest:
        raise ValueError(
            f"difference {target:g} is out of reach: of models that differ on {1 - task.rivals.agreement:.3g} of the "
            f"{plural(pilot.unit)}, and there as the pilot's do, one that were ahead on all of these would be {largest:.3g} "
            f"ahead in {decision.measure.label}; suppose less agreement or a smaller difference"
        )
    shares = task.rivals.shares(target)
    slope = (target + margin) / task.rivals.spread
    root = task.start / slope
    for _ in range(_ROUNDS):
        n = math.ceil(min(root * root, 2.0 * _MAX_UNITS))
        if n > _MAX_UNITS:
            raise ValueError(
                f"a difference of {target + margin:g} would take more than {_MAX_UNITS:g} {plural(pilot.unit)}"
            )
        missing = task.shortfall(n, shares, margin)
        # The certainty that is reached grows with the root of n, by so much for each standard error.
        root = max(root + missing / slope, 0.5 * root, 1.0)
        if abs(missing) < task.noise:
            break
    found = task.result(math.ceil(root * root), target, "size", not_worse_by)
    for _ in range(_ROUNDS):
        # Where few units tell the models apart, probabilities come in lumps that quantiles pass over.
        if found.assurance >= decision.goal - 3.0 * found.mcse:
            break
        root += float(special.ndtri(decision.goal) - special.ndtri(max(found.assurance, 1e-3))) / slope
        found = task.result(math.ceil(root * root), target, "size", not_worse_by)
    return found


def _supposed_difference(difference: float | None, margin: float | None) -> float:
    """Return how much better a model is supposed to be, or say what is wrong with it or with the margin."""
    if margin is not None and (not is_number(margin) or not 0 < margin <= _LARGEST):
        raise WordedError(
            Argument("not_worse_by"),
            f" is a margin above 0, such as 0.005 for half a point, not {shown(margin)}",
        )
    if difference is None and margin is not None:
        return 0.0
    least = 0.0 if margin is None else -margin
    if difference is None or not is_number(difference) or not difference > least:
        raise ValueError(
            "difference is how much better a model is, such as 0.02 for two points"
            f"{'' if margin is None else f', and above minus the margin of {margin:g}'}, not {difference!r}"
        )
    return float(difference)


@checked
def resolution(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    metric: MetricLike | None = None,
    p_h1: float = DECIDED,
    assurance: float = 0.8,
    runs: int | None = None,
    prior: float | None = None,
    n_sets: int = 10_000,
    rng: RNGLike = None,
) -> DecisionPlan:
    """Return the smallest difference between two models that a test set of this size is likely to decide.

    Parameters
    ----------
    ev
        What two models did on the test set, or an `assumed_pilot` of its size.
    a, b, metric, p_h1, assurance, runs, prior, n_sets, rng
        As in `plan_comparison`.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> found = resolution(load_example("wnut17"), "UH-RiTUAL", "SpinningBytes", rng=1)
    >>> print(found.sentence)
    With 1,287 sentences a difference in F1 below ... percentage points may well stay undecided: ...
    """
    check_evaluation(ev)
    check_no_gaps(ev, "what a test set can decide", "plan_labels plans labels")
    pair = ev.pair(a, b)
    if runs is not None and not pair.methods:
        raise ValueError("runs plans for methods, but there are models of one run each; see ev.with_runs")
    decision = _Decision.of(pair, metric, p_h1, assurance)
    if pair.methods:
        return _between_methods(decision, runs, prior, rng)
    task = _Simulation(decision, prior, n_sets, rng)
    n = max(1, round(task.rivals.size))
    slope = math.sqrt(n) / task.rivals.spread
    largest = task.rivals.largest
    target = min(task.start / slope, 0.9 * largest)
    for _ in range(_ROUNDS):
        missing = task.shortfall(n, task.rivals.shares(target))
        target = float(np.clip(target + missing / slope, 0.5 * target, 0.5 * (target + largest)))
        if abs(missing) < task.noise:
            break
    if target > 0.99 * largest:
        raise ValueError(
            f"{n:,} {plural(ev.unit)} decide nothing: even if one model were ahead on each where the two differ, by as "
            f"much as they do there, which would put it {largest:.3g} ahead, P(H1) ≥ {p_h1:g} is reached with a probability "
            f"of less than {assurance:g}"
        )
    return task.result(n, target, "resolution")


@dataclass(frozen=True, eq=False)
class _Decision:
    """What shall be decided between two models or methods: in what measure, how surely, and how probably."""

    ev: Evaluation
    measure: Metric
    p_h1: float
    goal: float

    @classmethod
    def of(cls, ev: Evaluation, metric: MetricLike | None, p_h1: float, assurance: float) -> _Decision:
        measure = find_measure(metric, ev)
        for name, value, low in (("p_h1", p_h1, 0.5), ("assurance", assurance, 0.0)):
            if not is_number(value) or not low < value < 1.0:
                raise WordedError(
                    Argument(name), f" must lie between {low:g} and 1, such as 0.95, not {value!r}"
                )
        return cls(ev, measure, float(p_h1), float(assurance))

    def plan(self, **found: Any) -> DecisionPlan:
        measure = self.measure
        return DecisionPlan(
            metric=measure.name,
            label=measure.label,
            percent=measure.percent,
            unit=self.ev.unit,
            p_h1=self.p_h1,
            goal=self.goal,
            **found,
        )


def _between_methods(
    decision: _Decision,
    runs: int | None,
    prior: float | None,
    rng: RNGLike,
    difference: float | None = None,
    not_worse_by: float | None = None,
) -> DecisionPlan:
    """Return how many units it takes to see a difference between methods, or the smallest that is seen."""
    ev, p_h1, goal = decision.ev, decision.p_h1, decision.goal
    if runs is not None:
        check_whole(runs, "runs", 2, 6)
    number = runs or min(len(method.runs) for method in ev.methods if len(method.runs) > 1)
    pilot = method_pilot(ev, decision.measure, ev.kind.check_prior(prior), check_rng(rng))
    if difference is None:
        n_units, question = round(pilot.n_units), "resolution"
        difference = smallest_difference(pilot, number, p_h1, goal)
    else:
        reach = difference + (not_worse_by or 0.0)
        n_units, question = units_for(pilot, reach, number, p_h1, goal, ev.unit), "size"
    return decision.plan(
        difference=difference,
        n_units=n_units,
        agreement=None,
        assurance=pilot.power(difference + (not_worse_by or 0.0), n_units, number, p_h1),
        mcse=0.0,
        question=question,
        runs=number,
        not_worse_by=not_worse_by,
    )


class _Simulation:
    """Simulated test sets of two models, of which both questions are asked."""

    def __init__(self, decision: _Decision, prior: float | None, n_sets: int, rng: RNGLike) -> None:
        self.decision, ev = decision, decision.ev
        self.rivals = rivals(ev, decision.measure, ev.kind.check_prior(prior))
        self.n_sets, self.rng = check_draws(n_sets, "n_sets"), check_rng(rng)
        # The difference in standard errors that the normal law asks for.
        self.start = max(0.1, float(special.ndtri(decision.p_h1) + special.ndtri(decision.goal)))
        # Test sets in a round of the search, whose noise is how many standard errors off is near enough.
        self.sets = int(np.clip(_SEARCHED // len(self.rivals.weights), min(1000, self.n_sets), self.n_sets))
        self.noise = 1.0 / math.sqrt(self.sets)

    def shortfall(self, n_units: int, shares: FloatArray, margin: float = 0.0) -> float:
        """Return by how many standard errors the certainty that shall be reached exceeds the one that is."""
        p = self.rivals.probabilities(n_units, shares, self.sets, self.rng, margin)
        reached = float(np.clip(np.quantile(p, 1.0 - self.decision.goal), 1e-12, 1.0 - 1e-12))
        return float(special.ndtri(self.decision.p_h1) - special.ndtri(reached))

    def result(
        self, n_units: int, difference: float, question: str, not_worse_by: float | None = None
    ) -> DecisionPlan:
        """Return the plan of so many units, with the assurance that they reach."""
        shares = self.rivals.shares(difference)
        p = self.rivals.probabilities(n_units, shares, self.n_sets, self.rng, not_worse_by or 0.0)
        reached = float((p >= self.decision.p_h1).mean())
        return self.decision.plan(
            difference=difference,
            n_units=n_units,
            agreement=self.rivals.agreement,
            assurance=reached,
            mcse=math.sqrt(reached * (1.0 - reached) / self.n_sets),
            question=question,
            not_worse_by=not_worse_by,
        )
