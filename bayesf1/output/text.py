"""The words of comparisons and rankings: title, table, verdict, limits, methods and signature.

Everything is made from a result's fields; the only thing computed here are quantiles of its distributions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import joined, listing, plural, printable
from bayesf1.output.latex import version
from bayesf1.output.table import Table, amount, digits_of, equation, points, probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bayesf1.inference.comparison import Comparison, Rope, Settings
    from bayesf1.inference.rank import Ranking, Scoreboard
    from bayesf1.sampling import SamplingSettings

HEADLINES = ("f1", "macro_f1", "micro_f1", "roc_auc")
# An effective number of units below which they hardly show how much they vary.
FEW_UNITS = 10
# A p-value below which observed and assumed spread of folds are said to disagree.
_DISAGREE = 0.01
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


class NotWorse(NamedTuple):
    """A model that is shown not to be worse than another by more than a margin, and how surely."""

    model: str
    other: str
    margin: float
    probability: float


def not_worse(c: Comparison) -> NotWorse | None:
    """Return which model is shown not to be worse than which; None if none is."""
    if c.rope and c.p_not_worse >= c.threshold:
        return NotWorse(c.model_b, c.model_a, -c.rope.low, c.p_not_worse)
    if c.rope and 1.0 - c.p_greater >= c.threshold:
        return NotWorse(c.model_a, c.model_b, c.rope.high, 1.0 - c.p_greater)
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
        margin = amount(found.margin, percent=c.definition.percent).replace("percentage ", "")
        return f"{found.model} not worse by more than {margin}"
    return "undecided"


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
    margin = region(c.rope, percent=c.definition.percent)
    return f"the difference is within {margin}" if c.rope.symmetric else f"{c.model_b} is ahead by {margin}"


def sentence(c: Comparison) -> str:
    """Return the verdict on one metric as a sentence for a paper, the leading model first."""
    label = {"P": "precision", "R": "recall"}.get(c.label, c.label)
    a, b, units, percent = c.model_a, c.model_b, plural(c.settings.unit), c.definition.percent
    if c.alike:
        return printable(f"{a} and {b} did the same on all {units}: nothing tells them apart.")
    if math.isnan(c.gap):
        scores = ((a, c.score_a), (b, c.score_b))
        which = joined(model for model, score in scores if math.isnan(score))
        return printable(
            f"The {label} of {which} is undefined, a share of nothing, so that it is not compared."
        )
    low, high = c.difference.interval(c.prob)
    if not any((c.gap, low, high)) and c.difference.std() < 1e-12:
        return printable(
            f"{a} and {b} have the same {label}, whichever {units} are drawn: nothing tells them apart."
        )
    # At one half neither leads; the first name is named, whichever is A.
    b_leads = c.p_h1 > c.p_h0 or (c.p_h1 == c.p_h0 and b < a)
    first, other, p = (b, a, c.p_h1) if b_leads else (a, b, c.p_h0)
    # How much better the leader is: a difference of losses has the other sign.
    sign, digits = c.definition.sign * (1.0 if b_leads else -1.0), digits_of(low, high, percent=percent)
    gain, (least, most) = sign * c.gap, sorted((sign * low, sign * high))
    ends = (points(x, digits, sign=least < 0.0 < most, percent=percent) for x in (least, most))
    size = f"{points(gain, digits, percent=percent)}{' points' if percent else ''} [{', '.join(ends)}]"
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
        margin = amount(found.margin, percent=percent)
        claim = (
            f"{found.model} is not worse than {found.other} in {label} by more than {margin}{about} "
            f"({equation('P', found.probability)}); which is better is not decided: {leads} {sure}"
        )
    else:
        leads = leads.replace(f"{first} leads by", f"{first} leads {other} in {label} by", 1)
        if gain <= 0.0:
            leads = f"{first} and {other} are level in {label}: {leads}"
        claim = f"{leads}{about}, which the data do not decide {sure}"
        claim += f"; {within(c)} {region_sure}" if c.rope else ""
    return printable(f"{claim}.")


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
    what, p, needed = {
        "better": (f"{b} better than {a}", c.p_h1, c.threshold),
        "not-worse": (
            f"{b} not worse than {a} by more than {amount(-c.rope.low, percent=percent)}",
            c.p_not_worse,
            c.threshold,
        ),
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
    scores = [estimates([_estimated(c, i) for c in comparisons]) for i in range(3)]
    rows = tuple(
        (
            f"{c.label} (%)" if c.definition.percent and not unit else c.label,
            *cells,
            *("–" if math.isnan(c.gap) else p(c) for p in columns.values()),
            verdict(c),
        )
        for c, *cells in zip(comparisons, *scores, strict=True)
    )
    # A model stands out if it is surely the better one.
    bold = frozenset((i, 2 if c.winner == c.model_b else 1) for i, c in enumerate(comparisons) if c.winner)
    return Table(header, rows, bold, tuple(c.winner is not None for c in comparisons))


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
    if not s.runs:
        return ""
    if set(s.runs) == {1}:
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
        f"the {what} were paired on {counted(s)} by a Bayesian bootstrap (Rubin 1981) with a small-sample inflation of "
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
        metric=",".join(metrics),
        units=sampled(s).replace(",", "") or "totals",
        sampling=s.assumption,
        prior=prior if prior in ("none", "hierarchical") else f"{prior}({s.prior:g})",
        cv=f"{'x'.join(map(str, s.cv.shape))},{s.rule},{s.discount:.4g}" if s.cv is not None else "",
        rope=f"{s.rope.low:g}:{s.rope.high:g}" if s.rope else "",
        prob=f"{s.prob:g}",
        method="exact" if s.method == "exact" else "mc",
        draws=f"{drawn}" if drawn else "",
        rng="" if not drawn else "generator" if s.rng is None else f"{s.rng}",
        target=s.target,
    )


def in_one_line(**parts: str) -> str:
    """Write a signature: the version, and all parts that are not empty."""
    known = {"v": version().rpartition(" ")[2], **parts}
    return printable("bayesf1|" + "|".join(f"{name}:{value}" for name, value in known.items() if value))


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
            f"differences within {margin} were counted as practically none"
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
    found = (
        *_training_notes(c),
        *_fold_notes(c),
        _no_spread(c) or few_units(c.settings),
        _fold_spread(c),
        _lengths(c),
        _pairing(c),
        *c.remarks,
    )
    return tuple(printable(note) for note in found if note)


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
            often = f"{times:.0f} times" if times < 10 else "more than ten times"
            yield f"{volatile[1]} varies about {often} as much from run to run as {steady[1]}."
        if min(c.settings.runs) < _FEW_RUNS:
            yield f"A training that fails in one run of ten could not be seen in {min(c.settings.runs)} runs."
    runs = zip((c.model_a, c.model_b), c.settings.runs, strict=False)
    once = [name for name, number in runs if number == 1]
    if once:
        yield (
            f"There is only one run of {joined(once)}, which does not show how its training varies: the answer is for "
            "these trained models, and another training might change it."
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
    silent = s.training != "mixture" and trained.difference.std() < 1e-11
    if silent:
        yield "The difference is the same in all folds, so they do not show how much training varies."
        if trained is not c:
            return
    about = "the models fitted in these folds" if trained is c else "the method of training"
    only = "" if trained is c else ", not only for the models fitted in these folds"
    e = _estimated(other, 2)
    yield (
        f"For {about}{only}: {equation(f'P({c.model_b} better)', other.p_h1)}, difference {estimates([e])[0]}"
        f"{' points' if e.percent else ''}."
    )
    if s.training != "corrected" and s.cv is not None and s.cv.shape[0] == 1:
        decides = ", so the prior decides" if s.training == "mixture" else ""
        yield f"A single repeat hardly shows how much training varies{decides}; more repeats would."


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
        f"{s.unit}: its interval has no width, and the probability is more certain than the data."
    )


def few_units(s: SamplingSettings) -> str:
    """Say if there are too few units to know well how much they vary."""
    # Fold scores alone are looked at after a training that is no mixture.
    if s.effective_units is None or not s.n_units or s.effective_units >= FEW_UNITS:
        return ""
    if s.training not in ("", "mixture"):
        return ""
    many = plural(s.unit)
    wider = f"hardly show how much {many} vary, so the intervals are wider."
    if s.labelled:
        return f"Of {sampled(s)}, the labelled ones count as about {s.effective_units:,.0f} {many}: so few {wider}"
    if counted(s) == sampled(s):
        return f"There {'is' if s.n_units == 1 else 'are'} only {sampled(s)}: so few {wider}"
    return f"The {counted(s)} {wider}"


def _fold_spread(c: Comparison) -> str:
    """Say if folds vary more or less than the discount assumes."""
    spread = c.fold_spread
    if spread is None or spread.p_value >= _DISAGREE or c.alike:
        return ""
    sds = f"sd {100 * spread.observed:.2g} instead of {100 * spread.expected:.2g} points"
    more = spread.observed > spread.expected
    if more:
        so = ": training sets add variation of their own, so the interval may be too short; 'nadeau-bengio' is stricter."
    elif c.assumption == "independent":
        so = (
            ": the models' errors are correlated, which totals cannot show; predictions item by item would sharpen the "
            "comparison."
        )
    else:
        so = ", so the interval may be too long."
    return f"From fold to fold the difference varies {'more' if more else 'less'} than the discount assumes ({sds}){so}"


def _lengths(c: Comparison) -> str:
    """Say that a few long units decide, where the difference goes with the size of units."""
    if not c.load_correlation:
        return ""
    size = "longer" if c.load_correlation > 0.0 else "shorter"
    return (
        f"{c.model_b} gains on {c.model_a} as {plural(c.settings.unit)} get {size} (Spearman correlation "
        f"{c.load_correlation:+.2f}): the answer depends on how many long ones there are, and its interval may be too short."
    )


def _pairing(c: Comparison) -> str:
    """Say that pairing could change the answer if only the totals of one test set are known."""
    if not c.pairing_unknown:
        return ""
    return (
        f"Only totals are known: P(H1) for {c.label} takes the models' errors as independent; bf.pairing_bounds(ev) gives "
        "its range over all pairings of the items."
    )


# ---- rankings ---------------------------------------------------------------------------------------------

# More would not be read.
_SHOWN, _NAMED = 4, 3


def ranking_estimates(r: Ranking) -> list[str]:
    """Write the scores of a ranking with their intervals."""
    found = zip(r.score, r.low, r.high, strict=True)
    return estimates([Estimate(*each, percent=r.metric.percent) for each in found])


def ranking_table(r: Ranking) -> Table:
    """Return a row for each model: score, probability of being the best, interval of ranks, tied or not."""
    tail = 0.5 * (1.0 - r.settings.prob)
    below = np.cumsum(r.p_rank, axis=1)
    # A share of draws may fall short of a half by its rounding.
    first, last = ((below < q - 1e-9).sum(axis=1) + 1 for q in (tail, 1.0 - tail))
    rows = tuple(
        (
            model,
            score,
            probability(best),
            f"{low}" if low == high else f"{low}–{high}",
            "–" if i == 0 else "equivalent" if r.equivalent[i] else "yes" if r.tied[i] else "no",
        )
        for i, (model, score, best, low, high) in enumerate(
            zip(r.models, ranking_estimates(r), r.p_best, first, last, strict=True)
        )
    )
    unit = " (%)" if r.metric.percent else ""
    header = ("Model", f"{r.label}{unit}", "P(best)", "Rank", "Tied with first")
    # The first stands out if no other is tied with it.
    bold = frozenset({(0, 0), (0, 1)} if not r.tied[1:].any() else ())
    return Table(header, rows, bold, tuple((~r.tied).tolist()))


def ranking_legend(r: Ranking) -> Iterator[str]:
    """Yield what "tied" and "equivalent" mean, as far as the table has them."""
    if r.tied[1:].any():
        yield f"Tied: the best is the first or one of these with probability {r.threshold:g} or more."
    if r.equivalent[1:].any():
        inside = region(r.settings.rope, percent=r.metric.percent)
        yield f"Equivalent: within {inside} of the first with probability {r.settings.prob:g} or more."


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
    whom = f"one of all {len(among)}" if len(among) == len(r.models) > 2 else joined(among, "or")
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
        f"{start and f'; {start}'}) with {version()}, with {_prior(s)}; {s.model or dependence(s)}. Models count as tied "
        f"with the first if they belong to the smallest set that holds the best with probability {r.threshold:g} "
        f"or more.{source}"
    )


def who_beats_whom(names: Sequence[str], beats: NDArray[np.bool_]) -> str:
    """Write who beats whom, those with most to beat first.

    Examples
    --------
    >>> who_beats_whom(["A", "B", "C"], np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    'A beats B and C, and B beats C'
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, row in zip(names, beats, strict=True):
        beaten = tuple(other for other, lost in zip(names, row, strict=True) if lost)
        groups.setdefault(beaten, []).append(name)
    groups.pop((), None)
    claims = []
    for beaten, winners in groups.items():
        n = len(beaten)
        whom = f"the last {n}" if n > _NAMED and beaten == tuple(names[-n:]) else joined(beaten)
        claims.append(f"{joined(winners)} {'beats' if len(winners) == 1 else 'beat'} {whom}")
    if len(claims) > _SHOWN:
        claims[_SHOWN:] = ["others beat those below them"]
    return ", and ".join(claims) if len(claims) < 3 else f"{'; '.join(claims[:-1])}; and {claims[-1]}"
