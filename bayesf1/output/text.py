"""The words of all results: title, table, sentence, what limits it, methods and signature.

Everything is made from a result's fields; the only thing computed here are quantiles of its distributions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import capitalised, counted as number_of, joined, listing, plural, printable
from bayesf1.output.latex import version
from bayesf1.output.table import Table, amount, digits_of, equation, points, probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bayesf1.cv.fold_tests import FoldTests
    from bayesf1.frequentist.coverage import CoverageCurve
    from bayesf1.frequentist.intervals import Intervals, MethodInterval
    from bayesf1.frequentist.monitoring import Look, Monitor
    from bayesf1.frequentist.planning import DecisionPlan, SampleSize
    from bayesf1.frequentist.randomization import RandomizationTest
    from bayesf1.inference.comparison import Comparison, Rope, Settings
    from bayesf1.inference.rank import Ranking, Scoreboard
    from bayesf1.sampling import SamplingSettings

HEADLINES = ("f1", "macro_f1", "micro_f1", "roc_auc")
# An effective number of units below which they hardly show how much they vary.
FEW_UNITS = 10
# A method whose runs vary so many times as much as another's is named; fewer runs than this may miss a failure.
_VOLATILE, _FEW_RUNS = 3.0, 10


def headline(comparisons: tuple[Comparison, ...]) -> Comparison:
    """Return the comparison that a summary speaks of: F1, its average or ROC AUC if it is there, else the first."""
    found = {c.metric: c for c in comparisons}
    return next((found[name] for name in HEADLINES if name in found), comparisons[0])


def title(c: Comparison) -> str:
    """Return which models were compared, and what the intervals are."""
    return f"{c.model_b} against {c.model_a}, with {100 * c.prob:.4g} % credible intervals"


# ---- the verdict ------------------------------------------------------------------------------------------


def not_worse(c: Comparison) -> tuple[str, str, float, float] | None:
    """Return a model that is shown not to be worse than another, that one, the margin and how surely; None if none is."""
    if c.rope and c.p_not_worse >= c.threshold:
        return c.model_b, c.model_a, -c.rope.low, c.p_not_worse
    if c.rope and 1.0 - c.p_greater >= c.threshold:
        return c.model_a, c.model_b, c.rope.high, 1.0 - c.p_greater
    return None


def verdict(c: Comparison) -> str:
    """Return what may be claimed, in a few words."""
    if math.isnan(c.gap):
        return "undefined"
    better = f"{c.winner} better" if c.winner is not None else ""
    if c.rope and c.p_rope >= c.prob:
        return f"equivalent, {better}" if better else "equivalent"
    if better:
        return better
    if (found := not_worse(c)) is not None:
        margin = amount(found[2], percent=c.definition.percent).replace("percentage ", "")
        return f"{found[0]} not worse by more than {margin}{_own_points(c)}"
    return "undecided"


def _own_points(c: Comparison) -> str:
    """Return the unit of a metric that goes up to 100, such as BLEU points."""
    return f" {c.label} points" if c.definition.support == (0.0, 100.0) else ""


def region(rope: Rope, *, percent: bool) -> str:
    """Write a region of practical equivalence with its unit.

    Examples
    --------
    >>> from bayesf1.inference.comparison import Rope
    >>> region(Rope(-0.005, 0.01), percent=True), region(Rope.of(0.01), percent=True)
    ('−0.5 to +1 percentage points', '±1 percentage point')
    """
    if rope.symmetric:
        return f"±{amount(rope.high, percent=percent)}"
    low, high = (f"{(100.0 if percent else 1.0) * x:+.4g}".replace("-", "−") if x else "0" for x in rope)
    return f"{low} to {high}{' percentage points' if percent else ''}"


def within(c: Comparison) -> str:
    """Write that a difference lies in the region, which is one of how much better B is."""
    margin = region(c.rope, percent=c.definition.percent) + _own_points(c)
    return f"the difference is within {margin}" if c.rope.symmetric else f"{c.model_b} is ahead by {margin}"


def sentence(c: Comparison) -> str:
    """Return the verdict on one metric as a sentence for a paper, the leading model first."""
    label = {"P": "precision", "R": "recall"}.get(c.label, c.label)
    a, b, units, percent = c.model_a, c.model_b, plural(c.settings.unit), c.definition.percent
    if c.alike:
        return printable(f"{a} and {b} did the same on all {units}, so the data cannot tell them apart.")
    if math.isnan(c.gap):
        scores = ((a, c.score_a), (b, c.score_b))
        which = joined(model for model, score in scores if math.isnan(score))
        return printable(
            f"The {label} of {which} is undefined (there is nothing to divide by), so it is not compared."
        )
    low, high = c.difference.interval(c.prob)
    if silent(c):
        size = points(c.gap, 1 if percent else 3, sign=True, percent=percent)
        return printable(
            f"{b} minus {a} in {label} is {size}{' points' if percent else ''} in all folds: they do not show how much "
            "training varies, and decide nothing about the method."
        )
    if not any((c.gap, low, high)) and c.difference.std() < 1e-12:
        return printable(
            f"{a} and {b} have the same {label} whichever {units} are drawn, so the data cannot tell them apart."
        )
    # At one half neither leads; the first name is named, whichever is A.
    b_leads = c.p_h1 > c.p_h0 or (c.p_h1 == c.p_h0 and b < a)
    first, other, p = (b, a, c.p_h1) if b_leads else (a, b, c.p_h0)
    # How much better the leader is: a difference of losses has the other sign.
    sign, digits = c.definition.sign * (1.0 if b_leads else -1.0), digits_of(low, high, percent=percent)
    gain, (least, most) = sign * c.gap, sorted((sign * low, sign * high))
    ends = (points(x, digits, sign=least < 0.0 < most, percent=percent) for x in (least, most))
    size = f"{points(gain, digits, percent=percent)}{' points' if percent else _own_points(c)} [{', '.join(ends)}]"
    about, lower = scope(c.settings), "; lower is better" if c.definition.lower_is_better else ""
    leads = f"{first} leads by {size}" if gain > 0.0 else f"{first} minus {other} is {size}"
    sure = f"({equation('P', p, below=c.threshold)}{lower})"
    region_sure = f"({equation('P', c.p_rope, below=c.prob)})" if c.rope else ""
    found = not_worse(c)
    if c.winner is not None:
        claim = f"{first} outperforms {other} in {label} by {size}{about} {sure}"
        if c.rope:
            equivalent = ", yet the two are practically equivalent:" if c.p_rope >= c.prob else ";"
            claim += f"{equivalent} {within(c)} {region_sure}"
    elif c.rope and c.p_rope >= c.prob:
        claim = f"{a} and {b} are practically equivalent in {label}{about}: {within(c)} {region_sure}; {leads} {sure}"
    elif found is not None:
        model, rival, margin, surely = found
        claim = (
            f"{model} is not worse than {rival} in {label} by more than {amount(margin, percent=percent)}"
            f"{_own_points(c)}{about} ({equation('P', surely)}); which is better is not decided: {leads} {sure}"
        )
    else:
        leads = leads.replace(f"{first} leads by", f"{first} leads {other} in {label} by", 1)
        if gain <= 0.0:
            leads = f"{first} and {other} are level in {label}: {leads}"
        claim = f"{leads}{about}, which the data do not decide {sure}"
        claim += f"; {within(c)} {region_sure}" if c.rope else ""
    return printable(f"{claim}.")


def silent(c: Comparison) -> bool:
    """Return whether folds all show one difference, so that they do not tell how much it varies with training."""
    low, high = c.difference.interval(0.95)
    return c.settings.training in ("contrasts", "corrected") and not c.alike and high - low < 1e-9


def unmet(c: Comparison, claim: str) -> str | None:
    """Return why B may not be called so against A: a sentence with the probability; None where it may.

    The claims are ``"better"``, ``"not-worse"`` and ``"equivalent"``, and need the probability from which on a verdict
    makes them.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> c = compare(from_counts(crf=(77, 44, 10, 702), bert=(80, 30, 7, 716)), rope=0.05)["f1"]
    >>> print(unmet(c, "better"))
    P(bert better than crf in F1) = .940, which is below 0.975.
    >>> unmet(c, "not-worse") is None
    True
    """
    a, b, percent = c.model_a, c.model_b, c.definition.percent
    margin = amount(-c.rope.low, percent=percent)
    what, p, needed = {
        "better": (f"{b} better than {a}", c.p_h1, c.threshold),
        "not-worse": (f"{b} not worse than {a} by more than {margin}", c.p_not_worse, c.threshold),
        "equivalent": (f"{b} equivalent to {a} within {region(c.rope, percent=percent)}", c.p_rope, c.prob),
    }[claim]
    if p >= needed:
        return None
    return printable(f"{equation(f'P({what} in {c.label})', p, below=needed)}, which is below {needed:.4g}.")


def summary(comparisons: tuple[Comparison, ...]) -> str:
    """Return what a table of comparisons says in all: on F1, or in which classes either model is better."""
    if len(comparisons) < 2 or not all("[" in c.metric for c in comparisons):
        return str(headline(comparisons))
    first = comparisons[0]
    won = {
        model: [c.label.partition("[")[2].removesuffix("]") for c in comparisons if c.winner == model]
        for model in (first.model_b, first.model_a)
    }
    undecided = len(comparisons) - sum(map(len, won.values()))
    claims = [f"{model} is better in {listing(classes)}" for model, classes in won.items() if classes]
    if undecided:
        rest = "the other " if claims else "all "
        claims.append(
            f"{rest}{undecided} classes are undecided" if undecided > 1 else "one class is undecided"
        )
    return printable(f"{first.label.partition('[')[0]} class by class: {'; '.join(claims)}.")


def legend(comparisons: tuple[Comparison, ...]) -> Iterator[str]:
    """Yield what verdicts with a region mean, as far as the table has them."""
    c, found = comparisons[0], " ".join(map(verdict, comparisons))
    if "equivalent" in found:
        yield f"Equivalent: {within(c)} with probability {c.prob:g} or more."
    if "not worse" in found:
        yield f"Not worse: behind by no more than the margin with probability {c.threshold:g} or more."


# ---- numbers ----------------------------------------------------------------------------------------------


def table(comparisons: tuple[Comparison, ...]) -> Table:
    """Return metric, both models' scores with intervals, the difference, P(H0), P(H1) and the verdict."""
    first = comparisons[0]
    # If some metrics are in percent and others are not, each row says so, else the header.
    unit = " (%)" if all(c.definition.percent for c in comparisons) else ""
    columns: dict[str, Callable[[Comparison], str]] = {
        "P(H0)": lambda c: probability(c.p_h0, below=c.threshold),
        "P(H1)": lambda c: probability(c.p_h1, below=c.threshold),
    }
    if first.rope:
        columns["P(rope)"] = lambda c: probability(c.p_rope, below=c.prob)
    # Of a symmetric region the verdict says it.
    if not first.rope.symmetric:
        columns["P(not worse)"] = lambda c: probability(c.p_not_worse, below=c.threshold)
    header = ("Metric", f"{first.model_a}{unit}", f"{first.model_b}{unit}", "Difference", *columns, "Verdict")
    found = [[_estimated(c, i) for c in comparisons] for i in range(3)]
    rows = tuple(
        (
            f"{c.label} (%)" if c.definition.percent and not unit else c.label,
            *cells,
            *("–" if math.isnan(c.gap) or silent(c) else p(c) for p in columns.values()),
            verdict(c),
        )
        for c, *cells in zip(comparisons, *map(estimates, found), strict=True)
    )
    # A model stands out if it is surely the better one.
    bold = frozenset((i, 2 if c.winner == c.model_b else 1) for i, c in enumerate(comparisons) if c.winner)
    # Bars have one scale, which differences in percent share.
    one_scale = len({c.definition.percent for c in comparisons}) == 1
    bars = tuple((e.low, e.value, e.high) for e in found[2]) if one_scale else ()
    return Table(header, rows, bold, tuple(c.winner is not None for c in comparisons), bars, bars_after=4)


class Estimate(NamedTuple):
    """A number with its interval, and how it is written."""

    value: float
    low: float
    high: float
    percent: bool = True
    sign: bool = False


def _estimated(c: Comparison, i: int) -> Estimate:
    """Return the score of A or B, or the difference of both."""
    value = (c.score_a, c.score_b, c.gap)[i]
    low, high = (c.posterior_a, c.posterior_b, c.difference)[i].interval(c.prob)
    return Estimate(value, low, high, c.definition.percent, i == 2)


def estimates(column: Sequence[Estimate]) -> list[str]:
    """Write a column of numbers with their intervals, all in percent with the same decimals, and so all others.

    Examples
    --------
    >>> estimates([Estimate(0.8, 0.7, 0.9), Estimate(0.5, 0.496, 0.504)])
    ['80.00 [70.00, 90.00]', '50.00 [49.60, 50.40]']
    """
    defined = [e for e in column if not math.isnan(e.value)]
    most = {
        percent: max(digits_of(e.low, e.high, percent=percent) for e in defined if e.percent == percent)
        for percent in {e.percent for e in defined}
    }

    def written(e: Estimate) -> str:
        if math.isnan(e.value):
            return "–" if e.sign else "undefined"
        value, low, high = (points(x, most[e.percent], sign=e.sign, percent=e.percent) for x in e[:3])
        return f"{value} [{low}, {high}]"

    return [written(e) for e in column]


# ---- what was sampled -------------------------------------------------------------------------------------


def sampled(s: SamplingSettings) -> str:
    """Write how many units there are, and of what kind; nothing if only totals are known."""
    if not s.n_units:
        return ""
    name = s.unit if s.n_units == 1 else plural(s.unit)
    return f"{s.n_units:,.0f} {name}{s.labelled and f' ({s.labelled})'}"


def counted(s: SamplingSettings) -> str:
    """Write how many units there are, and their effective number if that is far smaller."""
    effective = s.effective_units
    if effective is None or not s.n_units or effective > 0.75 * s.n_units or s.labelled:
        return sampled(s)
    return f"{sampled(s)} (effectively about {max(effective, 1.0):,.0f}, as they differ in size)"


def scope(s: SamplingSettings) -> str:
    """Write what a claim about methods speaks of, as the middle of a sentence; nothing if models are compared."""
    if s.training and s.cv is not None:
        folds = s.cv.shape[1]
        return f" when trained on {100 * (folds - 1) / folds:.3g} % of such data"
    if not s.runs or set(s.runs) == {1}:
        return ""
    each = f"{s.runs[0]} runs each" if len(set(s.runs)) == 1 else f"{joined(map(str, s.runs))} runs"
    return f" averaged over {'these ' if s.target == 'models' else ''}{each}"


def dependence(s: SamplingSettings) -> str:
    """Write what was taken as sampled, and how the models depend on each other."""
    what = "runs" if s.runs else "models"
    if s.training:
        means = f"scores are means over the folds of the {s.cv}"
        return {
            "corrected": f"{means}, and their difference follows the corrected t distribution of Nadeau and Bengio (2003)",
            "contrasts": f"{means}, and their difference follows a t distribution whose scale is the root mean square of "
            "half the difference between the two halves of each repeat",
            "mixture": f"{means}; {plural(s.unit)} were drawn by a Bayesian bootstrap (Rubin 1981), and what training adds "
            "to their standard deviation was learnt from the halves' differences (half-t prior on the ratio, 4 degrees of "
            "freedom, scale 1)",
        }[s.training]
    if s.assumption == "independent":
        return f"the {what} were taken as independent"
    if s.freedom is None:
        return f"the {what} were paired item by item ({sampled(s)})"
    return (
        f"the {what} were paired on {counted(s)} by a Bayesian bootstrap (Rubin 1981) and a small-sample inflation with "
        f"{s.freedom:,.0f} degree{'' if round(s.freedom) == 1 else 's'} of freedom"
    )


# ---- signatures -------------------------------------------------------------------------------------------


def signature(*comparisons: Comparison) -> str:
    """Return what is needed to repeat tests, in one line."""
    names, n_draws = [c.metric for c in comparisons], max(c.settings.n_draws for c in comparisons)
    return signature_of(headline(comparisons).settings, names, n_draws=n_draws)


def signature_of(s: Settings, metrics: Sequence[str], *, n_draws: int | None = None) -> str:
    """Return in one line what was asked, and what was done."""
    drawn = s.n_draws if n_draws is None else n_draws
    prior = s.prior_name.lower().replace("no prior", "none").partition("(")[0].partition(" ")[0]
    return in_one_line(
        metric=metrics,
        units=sampled(s).replace(",", "") or "totals",
        sampling=s.assumption,
        prior=prior if prior in ("none", "hierarchical") else f"{prior}({s.prior:g})",
        cv="" if s.cv is None else ("x".join(map(str, s.cv.shape)), s.rule, f"{s.discount:.4g}"),
        rope=_region_in_short(s.rope),
        prob=s.prob,
        method="exact" if s.method == "exact" else "mc",
        draws=drawn or None,
        rng=_start(s.rng) if drawn else None,
        target=s.target,
        **dict(s.signed),
    )


def in_one_line(**parts: Any) -> str:
    """Write a signature: the version, and all parts that are known; several values of one have commas between."""

    def written(value: Any) -> str:
        if isinstance(value, list | tuple):
            return ",".join(map(written, value))
        return f"{value:g}" if isinstance(value, float) else str(value)

    known = {"v": version().rpartition(" ")[2], **parts}
    shown = {name: written(value).replace("|", "/") for name, value in known.items() if value is not None}
    return printable("bayesf1|" + "|".join(f"{name}:{value}" for name, value in shown.items() if value))


def _start(rng: int | None) -> str:
    return "generator" if rng is None else f"{rng}"


def _region_in_short(rope: Rope) -> str:
    return f"{rope.low:g}:{rope.high:g}" if rope else ""


# ---- a paper's section on methods -------------------------------------------------------------------------


def methods(comparisons: tuple[Comparison, ...]) -> str:
    """Return how models were compared: prior, discount, assumption, computation, version, citation."""
    c = headline(comparisons)
    s = c.settings
    compared = f"{c.model_b} was compared with {c.model_a} on {joined(one.label for one in comparisons)}"
    parts = [f"{compared} by {s.citation}, as implemented in {version()}, with {_prior(s)}", dependence(s)]
    if s.training:
        parts[0] = f"{compared}, as methods{scope(s)}, with {version()}"
    elif s.cv is not None:
        parts.append(
            f"counts of the {s.cv} were discounted by k = {s.discount:.4f} (rule {s.rule}), and the conclusions concern "
            "the models fitted in these folds"
        )
    parts += [
        *_runs_method(s),
        *_computed(comparisons, "are those of this distribution" if s.training else ""),
    ]
    if c.rope:
        margin = region(c.rope, percent=c.definition.percent)
        parts.append(
            f"differences within {margin} were counted as practically zero"
            if c.rope.symmetric
            else f"models were counted as practically equivalent if {c.model_b} is ahead by {margin}"
        )
    parts.append(f"a model was called better if that had a probability of at least {c.threshold:.4g}")
    return printable(
        f"{'; '.join(parts)}. Intervals are {100 * c.prob:.4g} % equal-tailed credible intervals."
    )


def _prior(s: Settings) -> str:
    return "no prior" if s.prior_name == "No prior" else f"a {s.prior_name}"


def _runs_method(s: Settings) -> Iterator[str]:
    """Yield how runs make up a method."""
    if s.runs and s.target == "models":
        yield "a method's score is the mean of its runs' scores, and the conclusions concern these runs only"
    elif s.runs:
        yield (
            "a method's score is the mean of its runs' scores, and the runs' true scores vary around it by a standard "
            "deviation of each method's own with a half-Cauchy prior (scale 0.05 of the metric's range)"
        )


def _computed(comparisons: tuple[Comparison, ...], exactly: str) -> Iterator[str]:
    """Yield how probabilities were computed, of which metrics if not of all alike."""
    names = dict.fromkeys(c.method for c in comparisons)
    for method in names:
        some = [c for c in comparisons if c.method == method]
        which = f" of {joined(c.label for c in some)}" if len(names) > 1 else ""
        how = exactly or "were computed by numerical quadrature, without sampling"
        if method == "montecarlo":
            draws, error = max(c.settings.n_draws for c in some), max(1e-4, *(c.mcse for c in some))
            how = f"rest on {draws:,} posterior draws (standard error {error:.1g}; {start_in_words(some[0].settings.rng)})"
        yield f"probabilities{which} {how}".replace("; )", ")")


# ---- what limits a conclusion -----------------------------------------------------------------------------


def notes(c: Comparison) -> tuple[str, ...]:
    """Return what limits the conclusion of a comparison, a sentence each."""
    units = _no_spread(c) or few_units(c.settings)
    found = [*_training_notes(c), *_fold_notes(c), units]
    if c.load_correlation:
        # A few long units decide if the difference goes with their size.
        size = "longer" if c.load_correlation > 0.0 else "shorter"
        found.append(
            f"{c.model_b} gains on {c.model_a} as {plural(c.settings.unit)} get {size} (Spearman correlation "
            f"{c.load_correlation:+.2f}): the answer depends on how many long ones there are, so the interval is wider."
        )
    if c.pairing_unknown:
        found.append(
            f"Only totals are known: P(H1) for {c.label} takes the models' errors as independent; bf.pairing_bounds(ev) "
            "gives its range over all pairings of the items."
        )
    return tuple(printable(note) for note in (*found, *c.remarks) if note)


def _training_notes(c: Comparison) -> Iterator[str]:
    """Say where doubt about methods comes from, which of them varies more, and of which training nothing is known."""
    if c.variance is not None:
        share = c.variance.share
        what = "training" if share > 0.5 else "the test items"
        yield f"{100 * max(share, 1.0 - share):.0f} % of the uncertainty comes from {what}."
        steady, volatile = sorted(
            ((c.variance.run_sd_a, c.model_a), (c.variance.run_sd_b, c.model_b)), key=lambda pair: pair[0]
        )
        if volatile[0] > _VOLATILE * steady[0]:
            times = volatile[0] / steady[0]
            often = f"about {times:.0f} times" if times < 10 else "more than ten times"
            yield f"{volatile[1]} varies {often} as much from run to run as {steady[1]}."
        if min(c.settings.runs) < _FEW_RUNS:
            yield f"With {min(c.settings.runs)} runs, a failure that happens in one training of ten may go unseen."
    runs = zip((c.model_a, c.model_b), c.settings.runs, strict=False)
    once = [name for name, number in runs if number == 1]
    if once:
        yield (
            f"There is only one run of {joined(once)}, so it is not known how much training varies: the answer is about "
            "these trained models, and training again might change it."
        )
    if c.settings.runs and c.assumption == "independent":
        yield "Only the runs' totals are known; all runs are assumed to have been tested on the same items."


def _fold_notes(c: Comparison) -> Iterator[str]:
    """Say what the other target would give: one of the two is what the reader means."""
    other = c.other_target
    if other is None or c.alike:
        return
    trained = c if c.settings.training else other
    s = trained.settings
    if trained is not c and silent(trained):
        yield "The difference is the same in all folds, so they do not show how much training varies."
        return
    about = "the models fitted in these folds" if trained is c else "the method of training"
    only = "" if trained is c else ", not only for the models fitted in these folds"
    if s.training != "mixture":
        # Fold totals do not pair items, but the folds themselves are pairs of scores.
        unpaired = " (taken as independent)" if c.assumption == "independent" else ""
        only = unpaired if trained is c else f"{only} (paired by fold)"
    e = _estimated(other, 2)
    yield (
        f"For {about}{only}: {equation(f'P({c.model_b} better)', other.p_h1)}, difference {estimates([e])[0]}"
        f"{' points' if e.percent else ''}."
    )
    if s.training == "contrasts" and trained is c:
        yield "Predictions item by item would give a shorter interval than totals of folds, and one that holds more often."
    if s.training != "corrected" and s.cv is not None and s.cv.shape[0] == 1:
        decides = ", so the prior decides" if s.training == "mixture" else ""
        yield f"A single repeat hardly shows how much training varies{decides}; more repeats would show it."


def _no_spread(c: Comparison) -> str:
    """Say if all units show one difference, of which a bootstrap without a prior is then certain."""
    s = c.settings
    if c.alike or s.effective_units is None or not s.n_units or s.target == "method":
        return ""
    low, high = c.difference.interval(c.prob)
    if high - low > 1e-9 * max(abs(low), abs(high)):
        return ""
    return (
        f"The difference is the same on all {sampled(s)}, so they do not show how much it varies from {s.unit} to "
        f"{s.unit}: its interval has no width, and the probability overstates the certainty."
    )


def few_units(s: SamplingSettings) -> str:
    """Say if there are too few units to know well how much they vary."""
    if s.effective_units is None or not s.n_units or s.effective_units >= FEW_UNITS:
        return ""
    # Only fold scores count after a training that is no mixture.
    if s.training not in ("", "mixture"):
        return ""
    many = plural(s.unit)
    wider = f"too few to show well how much {many} vary, so the intervals are wider."
    if s.labelled:
        return f"Of {sampled(s)}, the labelled ones count as about {s.effective_units:,.0f} {many}, {wider}"
    if counted(s) == sampled(s):
        return f"There {'is' if s.n_units == 1 else 'are'} only {sampled(s)}, {wider}"
    return f"The {counted(s)} are {wider}"


# ---- rankings ---------------------------------------------------------------------------------------------

# More would not be read.
_SHOWN, _NAMED = 4, 3


def ranking_estimates(r: Ranking) -> list[str]:
    """Write the scores of a ranking with their intervals."""
    found = zip(r.score, r.low, r.high, strict=True)
    return estimates([Estimate(*each, percent=r.metric.percent) for each in found])


def ranking_table(r: Ranking) -> Table:
    """Return a row for each model: score, probability of being the best, ranks, groups, and whether it may be the best."""
    groups = list(enumerate(map(set, r.groups), 1))
    rows = []
    for i, (model, score) in enumerate(zip(r.models, ranking_estimates(r), strict=True)):
        mine = [number for number, group in groups if model in group]
        rows.append(
            (
                model,
                score,
                probability(float(r.p_best[i])),
                _span(r.rank_low[i], r.rank_high[i]),
                _span(mine[0], mine[-1]),
                ("yes" if r.tied[i] else "no") + ", equivalent" * bool(i and r.equivalent[i]),
            )
        )
    unit = " (%)" if r.metric.percent else ""
    header = ("Model", f"{r.label}{unit}", "P(best)", "Rank", "Group", "May be best")
    # The first stands out if no other may be the best.
    bold = frozenset({(0, 0), (0, 1)} if not r.tied[1:].any() else ())
    sure = (bool(bold), *(~r.tied[1:]).tolist())
    bars = zip(r.low.tolist(), r.score.tolist(), r.high.tolist(), strict=True)
    return Table(header, tuple(rows), bold, sure, tuple(bars), bars_after=2)


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}–{high}"


def ranking_legend(r: Ranking) -> Iterator[str]:
    """Yield what the columns mean, as far as the table needs it."""
    prob = r.settings.prob
    if len(r.groups[0]) > 1 or len(r.groups) < len(r.models):
        yield f"Group: models without a number in common are told apart (probability {prob:g} for all pairs together)."
    if r.tied[1:].any():
        yield f"May be best: the best is one of these with probability {r.threshold:g} or more."
    if np.isnan(r.score).any():
        yield "Undefined: there is nothing to divide by; such a model stands last and is not compared."
    if r.equivalent[1:].any():
        inside = region(r.settings.rope, percent=r.metric.percent)
        yield f"Equivalent: within {inside} of the first with probability {prob:g} or more."


def scoreboard_table(board: Scoreboard) -> Table:
    """Return a row for each model, a column for each metric."""
    header, columns, bold = ["Model"], [], []
    for j, r in enumerate(board.rankings.values(), 1):
        header.append(f"{r.label}{' (%)' if r.metric.percent else ''}")
        column = dict(zip(r.models, ranking_estimates(r), strict=True))
        columns.append([column[model] for model in board.models])
        if not r.tied[1:].any():
            bold.append((board.models.index(r.models[0]), j))
    return Table(tuple(header), tuple(zip(board.models, *columns, strict=True)), frozenset(bold))


def ranking_sentence(r: Ranking) -> str:
    """Return which model is the best, or among which it is, as a sentence."""
    among = [model for model, one in zip(r.models, r.tied, strict=True) if one]
    p = equation("P", r.p_among_best)
    if len(among) == 1:
        return printable(f"{among[0]} is the best in {r.label} ({p}).")
    whom = f"any of the {len(among)}" if len(among) == len(r.models) > 2 else joined(among, "or")
    return printable(
        f"{r.models[0]} leads in {r.label} ({equation('P(best)', float(r.p_best[0]))}), but the data do not decide which is "
        f"the best: {whom} ({p})."
    )


def joint_sentence(r: Ranking) -> str:
    """Return what may be said of all models at once: who beats whom, and the whole order."""
    beats, rope = who_beats_whom(r.models, r.jointly), r.settings.rope.high
    margin = f" by more than {amount(rope, percent=r.metric.percent)}" if rope else ""
    claims = f"{beats}{margin}" if beats else f"no model beats another{margin}"
    return printable(
        f"With probability {r.settings.prob:g} for all claims together, {claims}; "
        f"{equation('P(whole order)', r.p_order)}."
    )


def ranking_methods(r: Ranking, labels: str = "") -> str:
    """Return how models were ranked: prior, assumption, draws, version."""
    s = r.settings
    error, start = f"standard error of a probability up to {0.5 / s.n_draws**0.5:.1g}", start_in_words(s.rng)
    source = "" if s.training else f" Posteriors of the scores are those of {s.citation}."
    return printable(
        f"The {len(r.models)} models were ranked by {labels or r.label} from {s.n_draws:,} joint posterior draws ({error}"
        f"{start and f'; {start}'}) with {version()}, with {_prior(s)}; {s.model or dependence(s)}. A model may be "
        f"the best if it belongs to the smallest set that holds the best with probability {r.threshold:g} or more.{source}"
    )


def who_beats_whom(names: Sequence[str], beats: NDArray[np.bool_]) -> str:
    """Write who beats whom.

    Examples
    --------
    >>> who_beats_whom(["A", "B", "C"], np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    'A beats B and C; B beats C'
    """
    groups: dict[str, list[str]] = {}
    for name, row in zip(names, beats, strict=True):
        beaten = [other for other, lost in zip(names, row, strict=True) if lost]
        whom = joined([*beaten[:_NAMED], *[f"{len(beaten) - _NAMED} more"][: len(beaten) > _NAMED]] or [""])
        groups.setdefault(whom, []).append(name)
    groups.pop("", None)
    claims = [f"{joined(who)} {'beats' if len(who) == 1 else 'beat'} {whom}" for whom, who in groups.items()]
    return "; ".join([*claims[:_SHOWN], *[f"and {len(claims) - _SHOWN} more"][: len(claims) > _SHOWN]])


# ---- intervals --------------------------------------------------------------------------------------------

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


def method_label(method: str) -> str:
    """Write the name of an interval method."""
    return _METHODS[method]


def interval_note(row: MethodInterval) -> str:
    """Return what to mind about one interval; nothing if there is nothing."""
    low, high = row.support
    outside = [f"above {high:g}"] * (row.high > high) + [f"below {low:g}"] * (row.low < low)
    shown = row.standard_error if row.method == "difference_estimator" else None
    error = "" if shown is None else points(shown, 1 if row.percent else 3, percent=row.percent)
    found = {
        "takes single items as independent": row.units == "item",
        f"over {plural(row.units)}": row.units and row.units != "item",
        f"standard error {error}": error,
        f"overshoots: reaches {' and '.join(outside)}": outside,
        "nothing to estimate from": row.undefined,
        "degenerate: zero width": row.degenerate and not row.undefined,
    }
    return "; ".join(note for note, holds in found.items() if holds)


def _digits(r: Intervals) -> int:
    return max((digits_of(*row, percent=r.percent) for row in r.rows), default=2)


def intervals_title(r: Intervals) -> str:
    """Return what the intervals are of, and the estimate."""
    difference = len(r.models) == 2
    score = points(r.estimate, _digits(r), sign=difference, percent=r.percent)
    unit = (" percentage points" if difference else " %") if r.percent else ""
    shown = "undefined" if any(row.undefined for row in r.rows) else f"{score}{unit}"
    return printable(f"{r.label} of {' minus '.join(reversed(r.models))}: {shown}")


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
        parts = [f"From {units or 'totals, each count as an independent item'}"]
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
        notes.append(
            f"Counts are sums over the folds of the {s.cv}, times the discount k = {s.discount:.4f}."
        )
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
        level=s.confidence_level,
        methods=tuple(r),
        resamples=s.n_resamples or None,
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
    chosen = {"methods": c.methods, "items": tuple(map(int, c.n)), "proportions": tuple(c.proportions)}
    return in_one_line(metric=c.metric, **chosen, level=c.confidence_level)


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


def randomization_signature(t: RandomizationTest) -> str:
    """Return in one line what is needed to repeat a randomisation test."""
    drawn = {} if t.exact else {"trials": t.n_trials, "rng": _start(t.start)}
    units, method = number_of(t.n_units, t.unit).replace(",", ""), "exact" if t.exact else "mc"
    asked = {
        "test": "randomization",
        "alternative": t.alternative,
        "level": t.confidence_level,
        "method": method,
    }
    return in_one_line(metric=t.metric, units=units, **asked, **drawn)


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
    asked = {"half_width": p.half_width, "level": p.confidence_level, "prevalence": p.prevalence}
    return PlanWords(
        f"A {level} interval for {p.label} no wider than ±{amount(p.half_width, percent=p.percent)} takes "
        f"{' with '.join(sizes)}.",
        f"Holds for {who}{share}; normal approximation.",
        Table(header, ((p.label, f"{p.half_width:g}", level, *numbers, who),), sure=(True,)),
        in_one_line(metric=p.metric, plan=p.basis, **asked),
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
    sized = p.question == "size"
    asked: dict[str, Any] = {"difference": p.difference} if sized else {"units": units.replace(",", "")}
    asked |= {"prior": p.prior, "not_worse_by": p.not_worse_by, "p_h1": p.p_h1, "assurance": p.goal}
    signature = in_one_line(metric=p.metric, plan=p.question, **asked, sets=p.n_sets, rng=_start(p.rng))
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
    scores = " and scored from 0 to 1" if m.metric == "mean" else ""
    return (
        f"Assumes that {plural(m.unit)} are drawn one by one{scores}; wrong with probability at most "
        f"{1 - m.confidence_level:.2g}{_proviso(m)}, however often you look and whenever you stop."
    )


def monitor_signature(m: Monitor) -> str:
    """Return in one line what is needed to repeat the last look."""
    seen = {"units": number_of(m.n_units, m.unit).replace(",", ""), "looks": len(m.looks)}
    asked = {"rope": _region_in_short(m.region), "level": m.confidence_level, "largest": m.largest}
    return in_one_line(metric=m.metric, **seen, **asked)


def _proviso(m: Monitor) -> str:
    """Return what the answer needs beside units that are drawn one by one; nothing of single items."""
    return "" if m.largest is None else f" if no {m.unit} has a load above {m.largest:.4g}"


def _sequence(m: Monitor, look: Look, digits: int) -> str:
    return " to ".join(points(x, digits, sign=True, percent=m.percent) for x in (look.low, look.high))


def _e_value(log_e: float) -> str:
    return f"{math.exp(log_e):.3g}" if log_e < 15.0 else f"10^{log_e / math.log(10.0):.1f}"


# ---- folds and runs ---------------------------------------------------------------------------------------


def fold_tests_title(f: FoldTests) -> str:
    """Return what was tested, and how the folds differ."""
    mean = points(float(f.differences.mean()), 2, sign=True, percent=f.shares)
    sd = points(f.differences.std(ddof=1), 2, percent=f.shares)
    spread = f"mean {mean}, sd {sd}{' points' * f.shares}"
    return printable(f"{f.label} of {f.model_b} minus {f.model_a} in {f.differences.size} folds: {spread}")


def fold_tests_table(f: FoldTests) -> Table:
    """Return a row for each test."""
    rows = []
    for test in f.tests:
        quoted = ("" if p is None else probability(p) for p in (test.p_value, test.p_greater))
        statistic = f"{test.statistic:.3f}".replace("-", "−")
        rows.append((test.name, statistic, ", ".join(map(str, test.df)), *quoted, test.reference))
    header = ("Test", "Statistic", "df", "p", f"P({f.model_b} better)", "Reference")
    return Table(header, tuple(rows))


def fold_tests_signature(f: FoldTests) -> str:
    """Return in one line what is needed to repeat the tests."""
    tests = [test.name.replace(" ", "-") for test in f.tests]
    return in_one_line(metric=f.label, scores="x".join(map(str, f.differences.shape)), tests=tests)
