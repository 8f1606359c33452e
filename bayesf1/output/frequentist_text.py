"""The words of intervals, tests, plans, monitoring and coverage: titles, tables, sentences and signatures.

Everything is made from a result's fields; nothing is computed here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import capitalised, counted as number_of, plural, printable
from bayesf1.output.latex import version
from bayesf1.output.table import Table, amount, digits_of, equation, points, probability
from bayesf1.output.text import counted, dependence, few_units, in_one_line, sampled

if TYPE_CHECKING:
    from bayesf1.cv.fold_tests import FoldTests
    from bayesf1.cv.splitting import BalanceReport
    from bayesf1.frequentist.coverage import CoverageCurve
    from bayesf1.frequentist.intervals import Intervals, MethodInterval
    from bayesf1.frequentist.monitoring import Look, Monitor
    from bayesf1.frequentist.planning import DecisionPlan, SampleSize
    from bayesf1.frequentist.randomization import RandomizationTest

_METHODS = {
    "clopper_pearson": "Clopper–Pearson",
    "wald": "Wald",
    "wilson": "Wilson",
    "wilson_direct": "Wilson direct",
    "wilson_indirect": "Wilson indirect",
    "difference_estimator": "difference estimator",
    "fbeta_delta": "Jiang",
    "delta": "delta method",
    "bootstrap_percentile": "bootstrap, percentile",
    "bootstrap_bca": "bootstrap, BCa",
    "credible_equal_tailed": "credible, equal-tailed",
    "credible_hdi": "credible, highest density",
}


def _start(rng: int | None) -> str:
    return "generator" if rng is None else f"{rng}"


# ---- intervals --------------------------------------------------------------------------------------------


def method_label(method: str) -> str:
    """Write the name of an interval method."""
    return _METHODS[method]


def interval_note(row: MethodInterval) -> str:
    """Return what to mind about one interval; nothing if there is nothing."""
    notes = []
    if row.units:
        notes.append("single items as independent" if row.units == "item" else f"over {plural(row.units)}")
    if row.method == "difference_estimator" and row.standard_error is not None:
        error = points(row.standard_error, 1 if row.percent else 3, percent=row.percent)
        notes.append(f"standard error {error}")
    low, high = row.support
    outside = [f"above {high:g}"] * (row.high > high) + [f"below {low:g}"] * (row.low < low)
    if outside:
        notes.append(f"overshoots: reaches {' and '.join(outside)}")
    if row.undefined or row.degenerate:
        notes.append("nothing to estimate from" if row.undefined else "degenerate: zero width")
    return "; ".join(notes)


def _digits(r: Intervals) -> int:
    return max((digits_of(*row, percent=r.percent) for row in r.rows), default=2)


def intervals_title(r: Intervals) -> str:
    """Return what the intervals are of, and the estimate."""
    difference = len(r.models) == 2
    score = points(r.estimate, _digits(r), sign=difference, percent=r.percent)
    unit = (" percentage points" if difference else " %") if r.percent else ""
    return printable(f"{r.label} of {' minus '.join(reversed(r.models))}: {score}{unit}")


def intervals_table(r: Intervals) -> Table:
    """Return a row for each method: interval, length, note."""
    unit, digits = " (%)" if r.percent else "", _digits(r)
    header = ("Method", f"{100 * r.confidence_level:.4g} % interval{unit}", f"Length{unit}", "Note")
    # A column that would stay empty is left out.
    width = 4 if any(row.note for row in r.rows) else 3
    rows = []
    for row in r.rows:
        low, high, length = (points(x, digits, percent=r.percent) for x in (*row, row.length))
        rows.append((row.label, f"[{low}, {high}]", length, row.note)[:width])
    return Table(
        header[:width], tuple(rows), sure=tuple(not (row.overshoot or row.degenerate) for row in r.rows)
    )


def intervals_notes(r: Intervals) -> tuple[str, ...]:
    """Return what intervals assumed, a sentence each."""
    s, units = r.settings, counted(r.settings)
    if len(r.models) == 1:
        parts = [f"From {units or 'totals, each count an independent item'}"]
    elif s.assumption != "independent":
        parts = [f"Models paired on {units}"]
    else:
        totals = "" if units else ", as only totals are known"
        parts = [f"{capitalised(dependence(s))}{totals}"]
    if s.n_resamples:
        parts.append(f"bootstrap of {s.n_resamples:,} resamples")
    if any(row.kind == "credible" for row in r.rows):
        bootstrap = "" if s.effective_units is None else f" and a Bayesian bootstrap over {plural(s.unit)}"
        prior = "no prior" if s.prior_name == "No prior" else s.prior_name
        parts.append(f"credible intervals with {prior}{bootstrap}")
    notes = [f"{'; '.join(parts)}."]
    if s.runs:
        notes.append(
            "The delta method and the bootstrap concern the mean of these runs; the credible intervals also allow for "
            "further training runs."
        )
    if s.cv is not None:
        notes.append(f"Counts are effective ones: {s.cv}, sums of folds times k = {s.discount:.4f}.")
    if caution := few_units(s):
        notes.append(f"{caution[:-1]}; those of the bootstrap are not." if s.n_resamples else caution)
    return (*notes, *r.remarks)


def intervals_signature(r: Intervals) -> str:
    """Return in one line what is needed to repeat the intervals."""
    s = r.settings
    return in_one_line(
        metric=r.metric,
        units=sampled(s).replace(",", "") or "totals",
        sampling=s.assumption,
        prior=s.prior_name.lower().replace(" prior", "").replace(" ", "-"),
        level=f"{s.confidence_level:g}",
        methods=",".join(r),
        resamples=str(s.n_resamples or ""),
        rng=_start(s.rng),
    )


# ---- coverage ---------------------------------------------------------------------------------------------


def coverage_title(c: CoverageCurve) -> str:
    """Return what is covered, and at which level."""
    return f"Coverage of {c.metric} = {points(c.truth, 1)} % by {100 * c.confidence_level:.4g} % intervals"


def coverage_table(c: CoverageCurve) -> Table:
    """Return a row for each method and number of items."""
    header = ("Method", "Items", "Coverage (%)", "Length (%)", "P(overshoot)", "P(degenerate)")
    rows = []
    for method, n, coverage, length, *others in (record.values() for record in c.records()):
        shares = (points(coverage, 2), points(length, 2), *map(probability, others))
        rows.append((method_label(method), f"{n:,}", *shares))
    return Table(header, tuple(rows))


def coverage_signature(c: CoverageCurve) -> str:
    """Return in one line what is needed to repeat the computation of coverage."""
    return in_one_line(
        metric=c.metric,
        methods=",".join(c.methods),
        items=",".join(map(str, c.n)),
        proportions=",".join(f"{p:g}" for p in c.proportions),
        level=f"{c.confidence_level:g}",
    )


# ---- randomisation ----------------------------------------------------------------------------------------


def p_equation(p: float) -> str:
    """Write a p-value with two digits, and never as 0.

    Examples
    --------
    >>> p_equation(0.03125), p_equation(1.0), p_equation(3e-7)
    ('p = 0.031', 'p = 1', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 1e-4 else f"p = {_plain_p(p)}"


def _plain_p(p: float) -> str:
    return f"{p:.2g}" if p < 0.0995 or p > 0.9995 else f"{p:.3f}"


def _amounts(t: RandomizationTest) -> tuple[str, str, str]:
    """Write both scores and their difference."""
    digits = digits_of(0.0, abs(t.difference), percent=t.percent)
    unit = " %" if t.percent else ""
    a, b = (f"{points(score, digits, percent=t.percent)}{unit}" for score in (t.score_a, t.score_b))
    return a, b, points(t.difference, digits, sign=True, percent=t.percent)


def _discordant(t: RandomizationTest) -> str:
    return f"{t.n_discordant:,} of {number_of(t.n_units, t.unit)}"


def randomization_table(t: RandomizationTest) -> Table:
    """Return a randomisation test as a table of one row."""
    how = "exactly" if t.exact else f"{t.n_trials:,} trials"
    p_values = {"p": t.p_value, "p (Holm)": t.p_holm, "p (BH)": t.p_bh}
    shown = {
        name: p_equation(p).removeprefix("p ").removeprefix("= ")
        for name, p in p_values.items()
        if p is not None
    }
    header = ("Metric", "A", "B", "Score of A", "Score of B", "B − A", *shown, "Discordant", "Computed")
    row = (t.label, t.model_a, t.model_b, *_amounts(t), *shown.values(), _discordant(t), how)
    # Among several a test stands out if it does beside the others.
    least = t.p_value if t.p_holm is None else t.p_holm
    return Table(header, (row,), sure=(least < 1.0 - t.confidence_level,))


def randomization_sentence(t: RandomizationTest) -> str:
    """Return what a randomisation test found."""
    what = {
        "two-sided": f"{t.model_a} and {t.model_b} differ in {t.label}",
        "greater": f"{t.model_b} is better than {t.model_a} in {t.label}",
        "less": f"{t.model_b} is worse than {t.model_a} in {t.label}",
    }[t.alternative]
    score_a, score_b, _ = _amounts(t)
    lower = ", lower is better" if t.lower_is_better else ""
    adjusted = "" if t.p_holm is None else f" (Holm: {_plain_p(t.p_holm)})"
    how = "exact" if t.exact else f"{t.n_trials:,} trials, {' to '.join(map(_plain_p, t.interval))}"
    return printable(
        f"Randomisation test of whether {what} ({score_a} and {score_b}{lower}): {p_equation(t.p_value)}{adjusted}, "
        f"{how}; the models differ on {_discordant(t)}."
    )


def randomization_methods(t: RandomizationTest) -> str:
    """Return how a randomisation test was made, for a paper's section on methods."""
    how = "all swaps were counted"
    if not t.exact:
        trials = (
            f"{t.n_trials:,} random swaps{f' ({start_in_words(t.start)})' if t.start is not None else ''}"
        )
        how = (
            f"the p-value rests on {trials} and counts the observed outcome among them; its interval is a "
            f"{100 * t.confidence_level:g} % one"
        )
    sides = "two-sided" if t.alternative == "two-sided" else f"one-sided ({t.alternative})"
    return printable(
        f"{t.model_a} and {t.model_b} were compared on {t.label} by a {sides} randomisation test (Yeh 2000) "
        f"with {version()}, which swaps the models' outputs on whole {plural(t.unit)}; {how}."
    )


def randomization_signature(t: RandomizationTest) -> str:
    """Return in one line what is needed to repeat a randomisation test."""
    return in_one_line(
        metric=t.metric,
        units=number_of(t.n_units, t.unit).replace(",", ""),
        test="randomization",
        alternative=t.alternative,
        method="exact" if t.exact else "mc",
        trials=str(t.n_trials or ""),
        rng="" if t.exact else _start(t.start),
    )


# ---- plans ------------------------------------------------------------------------------------------------


class PlanWords(NamedTuple):
    """What a plan says."""

    sentence: str
    assumptions: str
    table: Table
    signature: str


def plan_words(p: Any) -> PlanWords:
    """Return what a plan says: the plan of a decision has a question, that of an interval has none."""
    return _decision_words(p) if hasattr(p, "question") else _size_words(p)


def _size_words(p: SampleSize) -> PlanWords:
    """Return how many items an interval takes."""
    sizes = [] if p.n_units is None else [f"{p.n_units:,} {plural(p.unit)}"]
    if p.n_positives is not None:
        sizes.append(f"{p.n_positives:,} positive {'ones' if sizes else 'items'}")
    level = f"{100 * p.confidence_level:g} %"
    share = "" if p.prevalence is None else f", {100 * p.prevalence:.4g} % of the items positive"
    who = "any model" if p.basis == "bound" else "models like the pilot's"
    header = ("Metric", "Half-width", "Confidence", "Positives", plural(p.unit).capitalize(), "Holds for")
    numbers = ("–" if n is None else f"{n:,}" for n in (p.n_positives, p.n_units))
    return PlanWords(
        f"A {level} interval for {p.label} no wider than ±{amount(p.half_width, percent=p.percent)} takes "
        f"{' with '.join(sizes)}.",
        f"Holds for {who}{share}; normal approximation.",
        Table(header, ((p.label, f"{p.half_width:g}", level, *numbers, who),), sure=(True,)),
        in_one_line(
            metric=p.metric,
            plan=p.basis,
            half_width=f"{p.half_width:g}",
            level=f"{p.confidence_level:g}",
            prevalence="" if p.prevalence is None else f"{p.prevalence:g}",
        ),
    )


def _decision_words(p: DecisionPlan) -> PlanWords:
    """Return how many units a decision takes, or which difference so many decide."""
    size = points(abs(p.difference), digits_of(0.0, abs(p.difference), percent=p.percent), percent=p.percent)
    size += " percentage points" if p.percent else ""
    assumed = f"{'better' if p.difference > 0 else 'worse'} by {size}" if p.difference else "equally good"
    units = number_of(p.n_units, p.unit)
    margin, from_ = "", "P(H1) from"
    claim = f"called better (P(H1) ≥ {p.p_h1:g})"
    if p.not_worse_by is not None:
        size_of_margin = amount(p.not_worse_by, percent=p.percent)
        margin, from_ = f"not worse by {size_of_margin}", "P(not worse) from"
        claim = f"shown not to be worse by more than {size_of_margin} (P ≥ {p.p_h1:g})"
    sentence = f"A model that is {assumed} in {p.label} is {claim} with probability {p.goal:g} on {units}."
    if p.question == "resolution":
        sentence = (
            f"With {units} a difference in {p.label} below {size} may well stay undecided: the power to call the better "
            f"model better (P(H1) ≥ {p.p_h1:g}) is less than {p.goal:g}."
        )
    agreement = f"{points(p.agreement, 1)} %"
    assumptions = (
        f"Assumes that the models agree on {agreement} of the {plural(p.unit)}; simulated assurance {p.assurance:.3f}, "
        f"standard error {p.mcse:.1g}."
    )
    header = ("Metric", "Difference", plural(p.unit).capitalize(), "Agreement", from_, "Assurance")
    difference = f"{assumed}; {margin}" if margin else size
    row = (p.label, difference, f"{p.n_units:,}", agreement, f"{p.p_h1:g}", probability(p.assurance))
    signature = in_one_line(
        metric=p.metric,
        plan=p.question,
        difference=f"{p.difference:g}" if p.question == "size" else "",
        units=number_of(p.n_units, p.unit).replace(",", "") if p.question == "resolution" else "",
        not_worse_by="" if p.not_worse_by is None else f"{p.not_worse_by:g}",
        p_h1=f"{p.p_h1:g}",
        assurance=f"{p.goal:g}",
        sets=str(p.n_sets),
        rng=_start(p.rng),
    )
    return PlanWords(sentence, assumptions, Table(header, (row,), sure=(True,)), signature)


# ---- monitoring -------------------------------------------------------------------------------------------


def monitor_title(m: Monitor) -> str:
    """Return what is monitored, and how often it was looked at."""
    times = {1: "once", 2: "twice"}.get(len(m.looks), f"{len(m.looks)} times")
    return printable(f"{m.label} of {m.model_b} minus {m.model_a}, looked at {times}")


def monitor_table(m: Monitor) -> Table:
    """Return a row for each look."""
    digits = max(digits_of(look.low, look.high, percent=m.percent) for look in m.looks)
    rows = tuple((f"{look.n_units:,}", _sequence(m, look, digits), _e_value(look.log_e)) for look in m.looks)
    level = f"{100 * m.confidence_level:g} % confidence sequence"
    return Table((plural(m.unit).capitalize(), level, "e-value"), rows)


def monitor_sentence(m: Monitor) -> str:
    """Return what may be claimed, as a sentence."""
    last, many = m.looks[-1], plural(m.unit)
    claim, later = f"Not decided after {m.n_units:,} {many}", ""
    if (first := m.decided_after) is not None:
        claim = f"Decided after {first:,} {many}: {m.verdict}"
        later = f" after {m.n_units:,} {many}" if first < m.n_units else ""
    size = _sequence(m, last, digits_of(last.low, last.high, percent=m.percent))
    return printable(
        f"{claim} in {m.label} (difference {size}{' percentage points' if m.percent else ''}{later}, {m.model_b} minus "
        f"{m.model_a}, valid at every look{_proviso(m)}; the posterior at this look alone: "
        f"{equation(f'P({m.model_b} better)', m.p_h1)})."
    )


def monitor_note(m: Monitor) -> str:
    """Return what monitoring takes for granted."""
    scores = ", and their scores as lying from 0 to 1" if m.metric == "mean" else ""
    return (
        f"{plural(m.unit).capitalize()} taken as drawn one by one{scores}; wrong with probability "
        f"{1 - m.confidence_level:.2g} at most{_proviso(m)}, however often one looks and whenever one stops."
    )


def monitor_signature(m: Monitor) -> str:
    """Return in one line what is needed to repeat the last look."""
    return in_one_line(
        metric=m.metric,
        units=number_of(m.n_units, m.unit).replace(",", ""),
        looks=str(len(m.looks)),
        rope=f"{m.region.low:g}:{m.region.high:g}" if m.region else "",
        level=f"{m.confidence_level:g}",
        largest="" if m.largest is None else f"{m.largest:g}",
    )


def _proviso(m: Monitor) -> str:
    """Return what the answer needs beside units that are drawn one by one; nothing of single items."""
    return "" if m.largest is None else f" if no {m.unit} has a load above {m.largest:.4g}"


def _sequence(m: Monitor, look: Look, digits: int) -> str:
    return " to ".join(points(x, digits, sign=True, percent=m.percent) for x in (look.low, look.high))


def _e_value(log_e: float) -> str:
    return f"{math.exp(log_e):.3g}" if log_e < 15.0 else f"10^{log_e / math.log(10.0):.1f}"


# ---- folds and runs ---------------------------------------------------------------------------------------

RUN_TESTS_FORGET = (
    "All runs were tested on the same items, which these tests ignore; compare() of predictions does not."
)


def fold_tests_title(f: FoldTests) -> str:
    """Return what was tested, and how the folds differ."""
    mean, sd = f.differences.mean(), f.differences.std(ddof=1)
    return printable(
        f"{f.label} of {f.model_b} minus {f.model_a} in {f.differences.size} folds: "
        f"mean {points(mean, 2, sign=True, percent=f.shares)}, sd {points(sd, 2, percent=f.shares)}"
        f"{' points' if f.shares else ''}"
    )


def run_tests_title(f: FoldTests) -> str:
    """Return what was tested, and the mean difference of runs."""
    mean = points(float(f.differences.mean()), 2, sign=True, percent=f.shares)
    return printable(
        f"{f.label} of {f.model_b} minus {f.model_a} over runs: mean {mean}{' points' if f.shares else ''}"
    )


def fold_tests_table(f: FoldTests) -> Table:
    """Return a row for each test; adjusted p-values if there are several."""
    adjusted = ("p (Holm)", "p (BH)") if any(test.p_holm is not None for test in f.tests) else ()
    rows = []
    for test in f.tests:
        p_values = (test.p_value, *((test.p_holm, test.p_bh) if adjusted else ()), test.p_greater)
        quoted = ("" if p is None else probability(p) for p in p_values)
        statistic = f"{test.statistic:.3f}".replace("-", "−")
        rows.append((test.name, statistic, ", ".join(map(str, test.df)), *quoted, test.reference))
    header = ("Test", "Statistic", "df", "p", *adjusted, f"P({f.model_b} better)", "Reference")
    return Table(header, tuple(rows))


def fold_tests_signature(f: FoldTests) -> str:
    """Return in one line what is needed to repeat the tests."""
    return in_one_line(
        metric=f.label,
        scores="x".join(map(str, f.differences.shape)),
        tests=",".join(test.name.replace(" ", "-") for test in f.tests),
    )


def balance_table(b: BalanceReport) -> Table:
    """Return smallest and largest half, and the worst repeat, for each count."""
    header = ("count", "smallest half", "largest half", "difference", "at random")
    rows = []
    for name, smallest, largest, *differences in (record.values() for record in b.records()):
        rows.append((name, f"{smallest:.10g}", f"{largest:.10g}", *(f"{d:.4g}" for d in differences)))
    return Table(header, tuple(rows))
