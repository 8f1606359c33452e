"""Planning for a decision: how many units until a better model is seen to be better, and what a test set resolves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_draws, check_rng, check_whole, is_number
from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import plural
from bayesf1.base.table import Table, digits_of, points, printable, probability
from bayesf1.bayes.posterior import claim_threshold
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import MetricLike
from bayesf1.evaluation.scoring import find_measure
from bayesf1.frequentist.method_plan import method_pilot, smallest_difference, units_for
from bayesf1.frequentist.planning import Plan
from bayesf1.frequentist.rivals import rivals

# From which on a comparison with 95 % intervals calls a model better.
DECIDED = claim_threshold(0.95)
_MAX_UNITS = 1e12
_ROUNDS = 10
# Kinds of units in all test sets of a round of the search; the answer is then checked on as many sets as asked for.
_SEARCHED = 1 << 20


@dataclass(frozen=True)
class DecisionPlan(Plan):
    """How many units it takes to decide between two models, or what so many units can decide.

    Attributes
    ----------
    metric, label, percent
        Name of the measure, how it is printed, and whether in percent.
    difference
        The true difference, by which one model is better than the other.
    n_units, unit
        How many units the test set has, and of what kind.
    agreement
        Share of the units on which both models do the same, as far as the measure counts it; None of methods.
    p_h1
        The probability of being better from which on the decision is made.
    goal
        The probability with which the decision was to be made.
    assurance, mcse
        The probability with which it is made, and the standard error of its simulation.
    question
        ``"size"`` where the number of units was asked for, ``"resolution"`` where the difference was.
    runs
        How many runs each method has; 0 where two trained models are compared.
    """

    metric: str
    label: str
    percent: bool
    difference: float
    n_units: int
    unit: str
    agreement: float | None
    p_h1: float
    goal: float
    assurance: float
    mcse: float
    question: str
    runs: int = 0

    @property
    def _amount(self) -> str:
        digits = digits_of(0.0, self.difference, percent=self.percent)
        shown = points(self.difference, digits, percent=self.percent)
        return f"{shown} percentage points" if self.percent else shown

    @property
    def assumptions(self) -> str:
        """What was supposed, as a sentence."""
        if self.runs:
            return (
                "Supposes that training varies as among the pilot's runs, and that items do what the pilot's did; normal "
                f"approximation, power {self.assurance:.3f}."
            )
        return (
            f"Supposes that the models agree on {points(self.agreement or 0.0, 1)} % of the {plural(self.unit)}; simulated "
            f"assurance {self.assurance:.3f}, standard error {self.mcse:.1g}."
        )

    @property
    def sentence(self) -> str:
        """The answer as a sentence."""
        units = f"{self.n_units:,} {self.unit if self.n_units == 1 else plural(self.unit)}"
        what = "method" if self.runs else "model"
        units += f" and {self.runs} runs of each" if self.runs else ""
        better = f"P(H1) ≥ {self.p_h1:g}"
        if self.question == "size":
            return printable(
                f"A {what} that is better by {self._amount} in {self.label} is called better "
                f"({better}) with probability {self.goal:g} on {units}."
            )
        return printable(
            f"With {units} a difference in {self.label} below {self._amount} may well stay undecided: the power to "
            f"call the better {what} better ({better}) is less than {self.goal:g}."
        )

    @property
    def table(self) -> Table:
        """The plan as a table of one row."""
        units = plural(self.unit).capitalize()
        header = ("Metric", "Difference", units, "Agreement", "P(H1) from", "Assurance")
        numbers = f"{self.n_units:,}", f"{points(self.agreement or 0.0, 1)} %", f"{self.p_h1:g}"
        row = (self.label, self._amount, *numbers, probability(self.assurance))
        if self.runs:
            header, row = (*header[:3], "Runs", *header[4:]), (*row[:3], str(self.runs), *row[4:])
        return Table(header, (row,), sure=(True,))


def plan_comparison(
    pilot: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    difference: float,
    metric: MetricLike | None = None,
    p_h1: float = DECIDED,
    assurance: float = 0.8,
    runs: int | None = None,
    prior: float | None = None,
    n_sets: int = 10_000,
    rng: RNGLike = None,
) -> DecisionPlan:
    r"""Return how many units it takes to see that one of two models is better.

    The Bayesian assurance of n units is the probability that the Bayes test of a test set of n units will find

    .. math:: P(H_1 \mid \text{data}) \ge p, \qquad H_1: \nu_B > \nu_A,

    given that :math:`\nu_B - \nu_A` is the difference supposed. Test sets are drawn from the pilot's units, whose
    winners are tilted until that is the true difference; see `bayesf1.frequentist.rivals`. The posterior is the paired
    one, or that of the Bayesian bootstrap where units are clusters.

    Parameters
    ----------
    pilot
        What both models, or two like them, did on some units; from data, or from `assumed_pilot`. It tells how often
        models differ on a unit, and in what; who was right there does not matter.
    a, b
        Names of the models; may be left out where there are exactly two.
    difference
        How much better one model truly is, such as 0.02 for two percentage points.
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

    References
    ----------
    O'Hagan, Stevens & Campbell (2005), *Assurance in clinical trial design*, Pharmaceutical Statistics 4.
    """
    if not is_number(difference) or not difference > 0:
        raise ValueError(
            f"difference is how much better a model is, such as 0.02 for two points, not {difference!r}"
        )
    check_evaluation(pilot)
    if pilot.pair(a, b).methods:
        return _between_methods(
            pilot.pair(a, b), metric, p_h1, assurance, runs, prior, rng, float(difference)
        )
    if runs is not None:
        raise ValueError("runs plans for methods, but the pilot has models of one run each; see ev.with_runs")
    task = _Task(pilot, a, b, metric, p_h1, assurance, prior, n_sets, rng)
    target = float(difference)
    largest = task.rivals.largest
    if target >= 0.99 * largest:
        raise ValueError(
            f"difference {target:g} is out of reach: of models that differ on {1 - task.rivals.agreement:.3g} of the "
            f"{plural(pilot.unit)}, and there as the pilot's do, one that were ahead on all of these would be {largest:.3g} "
            f"ahead in {task.measure.label}; suppose less agreement or a smaller difference"
        )
    shares = task.rivals.shares(target)
    slope = target / task.rivals.spread
    root = task.start / slope
    for _ in range(_ROUNDS):
        n = math.ceil(root * root)
        if n > _MAX_UNITS:
            raise ValueError(
                f"a difference of {target:g} would take more than {_MAX_UNITS:g} {plural(pilot.unit)}"
            )
        missing = task.shortfall(n, shares)
        # The certainty that is reached grows with the root of n, by so much for each standard error.
        root = max(root + missing / slope, 0.5 * root, 1.0)
        if abs(missing) < task.noise:
            break
    return task.result(math.ceil(root * root), target, "size")


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
    if ev.pair(a, b).methods:
        return _between_methods(ev.pair(a, b), metric, p_h1, assurance, runs, prior, rng, None)
    if runs is not None:
        raise ValueError("runs plans for methods, but there are models of one run each; see ev.with_runs")
    task = _Task(ev, a, b, metric, p_h1, assurance, prior, n_sets, rng)
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


def _between_methods(
    ev: Evaluation,
    metric: MetricLike | None,
    p_h1: float,
    assurance: float,
    runs: int | None,
    prior: float | None,
    rng: RNGLike,
    difference: float | None,
) -> DecisionPlan:
    """Return how many units it takes to see a difference between methods, or the smallest that is seen."""
    measure = find_measure(metric, ev)
    _check_shares(p_h1=(p_h1, 0.5), assurance=(assurance, 0.0))
    if runs is not None:
        check_whole(runs, "runs", 2, 6)
    number = runs or min(len(method.runs) for method in ev.methods if len(method.runs) > 1)
    pilot = method_pilot(ev, measure, ev.kind.check_prior(prior), check_rng(rng))
    if difference is None:
        n_units, question = round(pilot.n_units), "resolution"
        difference = smallest_difference(pilot, number, p_h1, assurance)
    else:
        n_units, question = units_for(pilot, difference, number, p_h1, assurance, ev.unit), "size"
    return DecisionPlan(
        metric=measure.name,
        label=measure.label,
        percent=measure.percent,
        difference=difference,
        n_units=n_units,
        unit=ev.unit,
        agreement=None,
        p_h1=float(p_h1),
        goal=float(assurance),
        assurance=pilot.power(difference, n_units, number, p_h1),
        mcse=0.0,
        question=question,
        runs=number,
    )


def _check_shares(**shares: tuple[float, float]) -> None:
    for name, (value, low) in shares.items():
        if not is_number(value) or not low < value < 1.0:
            raise WordedError(Argument(name), f" must lie between {low:g} and 1, such as 0.95, not {value!r}")


class _Task:
    """What both questions are asked of: two models, and the decision that shall be made."""

    def __init__(
        self,
        ev: Evaluation,
        a: str | None,
        b: str | None,
        metric: MetricLike | None,
        p_h1: float,
        assurance: float,
        prior: float | None,
        n_sets: int,
        rng: RNGLike,
    ) -> None:
        check_evaluation(ev)
        ev = ev.pair(a, b)
        self.unit, self.measure = ev.unit, find_measure(metric, ev)
        _check_shares(p_h1=(p_h1, 0.5), assurance=(assurance, 0.0))
        self.p_h1, self.goal = float(p_h1), float(assurance)
        self.rivals = rivals(ev, self.measure, ev.kind.check_prior(prior))
        self.n_sets, self.rng = check_draws(n_sets), check_rng(rng)
        # The difference in standard errors that the normal law asks for.
        self.start = max(0.1, float(special.ndtri(self.p_h1) + special.ndtri(self.goal)))
        # Test sets in a round of the search, whose noise is how many standard errors off is near enough.
        self.sets = int(np.clip(_SEARCHED // len(self.rivals.weights), min(1000, self.n_sets), self.n_sets))
        self.noise = 1.0 / math.sqrt(self.sets)

    def shortfall(self, n_units: int, shares: FloatArray) -> float:
        """Return by how many standard errors the certainty that shall be reached exceeds the one that is."""
        p = self.rivals.probabilities(n_units, shares, self.sets, self.rng)
        reached = float(np.clip(np.quantile(p, 1.0 - self.goal), 1e-12, 1.0 - 1e-12))
        return float(special.ndtri(self.p_h1) - special.ndtri(reached))

    def result(self, n_units: int, difference: float, question: str) -> DecisionPlan:
        p = self.rivals.probabilities(n_units, self.rivals.shares(difference), self.n_sets, self.rng)
        reached = float((p >= self.p_h1).mean())
        return DecisionPlan(
            metric=self.measure.name,
            label=self.measure.label,
            percent=self.measure.percent,
            difference=difference,
            n_units=n_units,
            unit=self.unit,
            agreement=self.rivals.agreement,
            p_h1=self.p_h1,
            goal=self.goal,
            assurance=reached,
            mcse=math.sqrt(reached * (1.0 - reached) / self.n_sets),
            question=question,
        )
