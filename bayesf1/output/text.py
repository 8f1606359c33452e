"""The words of all results: title, table, sentence, what limits it, methods and signature.

Everything is made from a result's fields; the only thing computed here are quantiles of its distributions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1 import __version__
from bayesf1.base import naming
from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import capitalised, counted as number_of, joined, listing, plural, printable
from bayesf1.metrics import Estimate
from bayesf1.output.table import Table, escape_latex
from bayesf1.output.words.numbers import amount, digits_of, equation, points, probability
from bayesf1.sampling.inflation import FEW_UNITS
from bayesf1.sampling.model import SamplingSettings

if TYPE_CHECKING:
    from bayesf1.corpora.fit import HierarchicalComparison, HierarchicalFit
    from bayesf1.cv.fold_tests import FoldTests
    from bayesf1.frequentist import coverage, intervals, monitoring, planning, randomization
    from bayesf1.inference.comparison import Comparison, Comparisons, Rope, Settings
    from bayesf1.inference.rank import Ranking, Scoreboard

_PACKAGE = f"bayesf1 {__version__}"
# A method whose runs vary so many times as much as another's is named.
_VOLATILE = 3.0
# Metrics that begin with a plain word, which is no name.
_WORDS = re.compile(
    "(Accuracy|Average|Balanced|Error|Kappa|Log|Macro|Mean|Micro|Precision|Recall|Score|Specificity|Weighted)\\b"
)


def in_prose(label: str) -> str:
    """Write the label of a metric as it stands within a sentence.

    Examples
    --------
    >>> in_prose("Precision"), in_prose("Balanced accuracy"), in_prose("Brier score")
    ('precision', 'balanced accuracy', 'Brier score')
    """
    return label[:1].lower() + label[1:] if _WORDS.match(label) else label


def prose(text: str, form: str = "text") -> str:
    r"""Return a sentence as text, or as LaTeX.

    Examples
    --------
    >>> print(prose("by the Bayes test of Wang & Li (2019), 95 % intervals", "latex"))
    by the Bayes test of Wang \& Li (2019), 95~\% intervals
    """
    naming.check_known(form, "format", ("text", "latex"))
    return printable(text) if form == "text" else escape_latex(text)


def bibtex(text: str) -> str:
    r"""Return the BibTeX entries of the works that a text cites by name and year, and of this package.

    Examples
    --------
    >>> [entry.partition(",")[0] for entry in bibtex("a Bayesian bootstrap (Rubin 1981)").split("\n\n")]
    ['@article{rubin1981bayesian', '@misc{bayesf1']
    """
    source = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    found = []
    for entry in source.strip().split("\n\n"):
        surname, year = (re.findall(field, entry)[0] for field in (r"author = \{([^,]+)", r"year = \{(\d+)"))
        if entry.startswith("@misc{bayesf1") or re.search(rf"{surname}[^()]*\(?{year}", text):
            found.append(entry.replace("VERSION", __version__))
    return "\n\n".join(found)


# ---- the verdict ------------------------------------------------------------------------------------------


def verdict(c: Comparison) -> str:
    """Return what may be claimed, in a few words."""
    if math.isnan(c.p_h1):
        return "undefined" if math.isnan(c.gap) else "undecided"
    claims = ["equivalent"] * c.equivalent + [f"{c.winner} better"] * (c.winner is not None)
    if not claims and (found := c.not_worse) is not None:
        margin = amount(found[2], percent=c.definition.percent).replace("percentage ", "")
        claims = [f"{found[0]} not worse by more than {margin}{_own_points(c)}"]
    return ", ".join(claims) or "undecided"


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
        return f"±{amount(abs(rope.high), percent=percent)}"
    low, high = (f"{(100.0 if percent else 1.0) * x:+.4g}".replace("-", "−") if x else "0" for x in rope)
    return f"{low} to {high}{' percentage points' if percent else ''}"


def within(c: Comparison) -> str:
    """Write that a difference lies in the region, which is one of how much better B is."""
    margin = region(c.rope, percent=c.definition.percent) + _own_points(c)
    return f"the difference is within {margin}" if c.rope.symmetric else f"{c.model_b} is ahead by {margin}"


def sentence(c: Comparison) -> str:
    """Return the verdict on one metric as a sentence for a paper, the leading model first."""
    return printable(f"{_not_compared(c) or _claim(c)}.")


def _not_compared(c: Comparison) -> str:
    """Write why the data do not compare the models; nothing if they do."""
    a, b, label, (_, low, high, _) = c.model_a, c.model_b, in_prose(c.label), c.estimates.difference
    if c.alike or (not any((c.gap, low, high)) and c.difference.std() < 1e-12):
        units = plural(c.settings.unit)
        same = f"did the same on all {units}" if c.alike else f"have the same {label} in every draw"
        return f"{a} and {b} {same}, so the data cannot tell them apart"
    if math.isnan(c.gap):
        which = joined(name for name, score in ((a, c.score_a), (b, c.score_b)) if math.isnan(score))
        return f"The {label} of {which} is undefined (there is nothing to divide by), so it is not compared"
    if not c.spread_unknown:
        return ""
    unit = _own_points(c) or " points" * c.definition.percent
    gap = estimates([c.estimates.difference], sign=True)[0] + unit
    return same_everywhere(f"{b} minus {a} in {label}", c.settings, gap)


def _claim(c: Comparison) -> str:
    """Write which model is better, or that neither surely is, with the difference and its interval."""
    a, b, metric, label = c.model_a, c.model_b, c.definition, in_prose(c.label)
    gap, low, high, _ = c.estimates.difference
    digits = digits_of(low, high, percent=metric.percent, sign=True)

    def written(*values: float, sign: bool = True) -> str:
        return ", ".join(points(x, digits, sign=sign, percent=metric.percent) for x in values)

    unit, about = _own_points(c) or " points" * metric.percent, scope(c.settings)
    # At one half neither leads; the first name is named, whichever is A.
    b_leads = c.p_h1 > c.p_h0 or (c.p_h1 == c.p_h0 and b < a)
    first, other, p = (b, a, c.p_h1) if b_leads else (a, b, c.p_h0)
    # How much better the leader is: a difference of losses has the other sign.
    sign = metric.sign * (1.0 if b_leads else -1.0)
    least, most = sorted((sign * low, sign * high))
    size = f"{written(sign * gap, sign=False)}{unit} [{written(least, most, sign=least < 0.0 < most)}]"
    lead, full = f"{first} leads by {size}", f"{first} leads {other} in {label} by {size}"
    if sign * gap <= 0.0:
        lead = f"{b} minus {a} is {written(gap)}{unit} [{written(low, high)}]"
        full = f"{a} and {b} are level in {label}: {lead}"
    sure = f"({equation('P', p, below=c.threshold)}{'; lower is better' * metric.lower_is_better})"
    inside = f"{within(c)} ({equation('P', c.p_rope)})" if c.rope else ""
    found = c.not_worse
    if c.winner is not None:
        claim = f"{first} outperforms {other} in {label} by {size}{about} {sure}"
        if c.equivalent:
            return f"{claim}, yet the two are practically equivalent: {inside}"
    elif c.equivalent:
        return f"{a} and {b} are practically equivalent in {label}{about}: {inside}; {lead} {sure}"
    elif found is not None:
        model, rival, margin, surely = found
        by = f"{amount(margin, percent=metric.percent)}{_own_points(c)}{about} ({equation('P', surely)})"
        claim = f"{model} is not worse than {rival} in {label} by more than {by}"
        return f"{claim}; which is better is not decided: {lead} {sure}"
    else:
        claim = f"{full}{about}, which the data do not decide {sure}"
    return f"{claim}; {equation(f'P({within(c)})', c.p_rope, below=c.prob)}" if c.rope else claim


def unmet(c: Comparison, claim: str) -> str | None:
    """Return why B may not be called so against A: a sentence with the probability; None if it may.

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
    words, p, needed = {
        "better": ("better than", c.p_h1, c.threshold),
        "not-worse": ("not worse than", c.p_not_worse, c.threshold),
        "equivalent": ("equivalent to", c.p_rope, c.prob),
    }[claim]
    if math.isnan(c.p_h1):
        return sentence(c)
    what = printable(f"P({c.model_b} {words} {c.model_a} in {in_prose(c.label)})")
    return None if p >= needed else f"{equation(what, p, below=needed)}, which is below {needed:.4g}."


def summary(res: Comparisons) -> str:
    """Return what a table of comparisons says in all: on F1, or in which classes either model is better."""
    first, n = res.headline, len(res)
    if n < 2 or not all("[" in metric for metric in res):
        return str(first)
    won: dict[str | None, list[str]] = {first.model_b: [], first.model_a: [], None: []}
    for c in res.values():
        if not math.isnan(c.gap):
            won[c.winner].append(c.label.partition("[")[2].removesuffix("]"))
    undecided = len(won.pop(None))
    claims = [f"{model} is better in {listing(classes)}" for model, classes in won.items() if classes]
    claims += [f"undecided in {undecided} of {n} classes"] * bool(undecided)
    return printable(f"{first.label.partition('[')[0]} class by class: {'; '.join(claims)}.")


UNDEFINED = "A score is undefined, and not compared, if there is nothing to divide by."


def legend(res: Comparisons) -> Iterator[str]:
    """Yield what verdicts mean, as far as the table has them."""
    c = next(iter(res.values()))
    if any(one.equivalent for one in res.values()):
        yield f"Equivalent: {within(c)} with probability {c.prob:g} or more."
    if any(math.isnan(one.gap) for one in res.values()) and not math.isnan(res.headline.gap):
        yield UNDEFINED
    if any(one.not_worse and not (one.winner or one.equivalent) for one in res.values()):
        yield f"Not worse: behind by no more than the margin with probability {c.threshold:g} or more."


# ---- numbers ----------------------------------------------------------------------------------------------


def table(comparisons: Sequence[Comparison]) -> Table:
    """Return metric, both models' scores with intervals, the difference, P(H0), P(H1) and the verdict."""
    first = comparisons[0]
    # If some metrics are in percent and others are not, each row says so, else the header.
    unit = " (%)" if all(c.definition.percent for c in comparisons) else ""
    models = (f"{first.model_a}{unit}", f"{first.model_b}{unit}")
    header = ("Metric", *models, "Difference", *_probabilities(first), "Verdict")
    *scores, differences = zip(*(c.estimates for c in comparisons), strict=True)
    columns = [*map(estimates, scores), estimates(differences, sign=True)]
    rows = []
    for c, *cells in zip(comparisons, *columns, strict=True):
        label = f"{c.label} (%)" if c.definition.percent and not unit else c.label
        rows.append((label, *cells, *_probabilities(c).values(), verdict(c)))
    # A model stands out if it is surely the better one.
    bold = frozenset((i, 2 if c.winner == c.model_b else 1) for i, c in enumerate(comparisons) if c.winner)
    # Bars have one scale, which differences in percent share.
    one_scale = len({c.definition.percent for c in comparisons}) == 1
    bars = tuple((low, gap, high) for gap, low, high, _ in differences) if one_scale else ()
    sure = tuple(c.winner is not None for c in comparisons)
    return Table(header, tuple(rows), bold, sure, bars, bars_after=4)


def _probabilities(c: Comparison) -> dict[str, str]:
    """Write the probabilities of a comparison, by the names of their columns."""
    found = {"P(H0)": (c.p_h0, c.threshold), "P(H1)": (c.p_h1, c.threshold)}
    if c.rope:
        found["P(rope)"] = (c.p_rope, c.prob)
    # Of a symmetric region the verdict says it.
    if not c.rope.symmetric:
        found["P(not worse)"] = (c.p_not_worse, c.threshold)
    return {name: probability(p, below=needed) for name, (p, needed) in found.items()}


def estimates(column: Sequence[Estimate], *, sign: bool = False) -> list[str]:
    """Write a column of numbers with their intervals, all in percent with the same decimals, and so all others.

    Examples
    --------
    >>> estimates([Estimate(0.8, 0.7, 0.9, percent=True), Estimate(0.5, 0.496, 0.504, percent=True)])
    ['80.00 [70.00, 90.00]', '50.00 [49.60, 50.40]']
    """
    most: dict[bool, int] = {}
    for value, low, high, percent in column:
        if not math.isnan(value):
            most[percent] = max(most.get(percent, 0), digits_of(low, high, percent=percent, sign=sign))
    found = []
    for *values, percent in column:
        shown = "{}" if math.isnan(values[1]) else "{} [{}, {}]"
        if math.isnan(values[0]):
            shown = "–" if sign else "undefined"
        texts = (points(x, most.get(percent, 0), sign=sign, percent=percent) for x in values)
        found.append(shown.format(*texts))
    return found


# ---- what was sampled -------------------------------------------------------------------------------------


def sampled(s: SamplingSettings) -> str:
    """Write how many units there are, and of what kind; nothing if only totals are known."""
    if not s.n_units:
        return ""
    return f"{number_of(round(s.n_units), s.unit)}{s.labelled and f' ({s.labelled})'}"


def design(s: SamplingSettings) -> str:
    """Write what was sampled, by the roles of a table's columns: items, generations, runs, folds, data sets."""
    if s.within:
        inside = " or ".join(dict.fromkeys(filter(None, map(_inner, s.within))))
        return sampled(s) + (f", {inside}" if inside else "")
    each = _each(s)
    if s.final:
        return each
    return f"{sampled(s)}{each and f', {each}'}"


def _inner(s: SamplingSettings) -> str:
    """Write what was sampled within a data set."""
    return _each(s) or sampled(s)


def _each(s: SamplingSettings) -> str:
    """Write how often an item was answered, or a model trained, or on which folds."""
    if s.training and s.final:
        return f"the folds of the {s.cv}"
    parts = []
    for numbers, noun in ((s.runs, "run"), (s.generations, s.repeated)):
        if numbers and max(numbers) > 1:
            number = (
                number_of(numbers[0], noun)
                if len({*numbers}) == 1
                else f"{min(numbers)} to {max(numbers)} {noun}s"
            )
            parts.append(f"{number} each")
    return ", ".join(parts)


def on_what(s: SamplingSettings) -> str:
    """Write what was sampled as a part of a title, where that is more than items; nothing elsewhere."""
    return f"{',' if s.final and s.runs else ' on'} {design(s)}" if _has_roles(s) else ""


def _has_roles(s: SamplingSettings) -> bool:
    """Return whether more was sampled than items, and folds or runs of them."""
    return bool(s.final or s.within or s.generations)


def same_everywhere(what: str, s: SamplingSettings, value: str = "the same") -> str:
    """Say that a score does not vary over the few units, or the folds, that there are."""
    known = f"{value} in all folds" if s.training else f"{value} on all {sampled(s)}"
    known = f"known on a single {s.unit}" if s.n_units == 1 and not s.training else known
    return f"{what} is {known}, which does not show how much it varies"


def counted(s: SamplingSettings) -> str:
    """Write how many units there are, and their effective number if that is far smaller."""
    effective = s.effective_units
    if effective is None or not s.n_units or effective > 0.75 * s.n_units:
        return sampled(s)
    why = "" if s.labelled else " as they differ in weight"
    return f"{sampled(s)}, effectively about {max(effective, 1.0):,.0f}{why}"


def scope(s: SamplingSettings) -> str:
    """Write what a claim about methods speaks of, as the middle of a sentence; nothing if models are compared."""
    if s.within:
        return f" on the average {s.unit}"
    if s.training and s.cv is not None:
        folds = s.cv.shape[1]
        return f" when trained on {100 * (folds - 1) / folds:.3g} % of such data"
    if not s.runs or set(s.runs) == {1}:
        return ""
    each = f"{s.runs[0]} runs each" if len(set(s.runs)) == 1 else f"{joined(map(str, s.runs))} runs"
    return (
        f" when trained again{' and tested on this test set' * s.final}, to judge by {each}"
        if s.target == "method"
        else f" averaged over these {each}"
    )


def dependence(s: SamplingSettings) -> str:
    """Write what was taken as sampled, and how the models depend on each other."""
    if s.within:
        known = " or ".join(dict.fromkeys(map(_known_within, s.within)))
        return (
            f"{plural(s.unit)} ({sampled(s)}) are a sample of others: random effects of their scores (half-t priors), each "
            f"{known}"
        )
    if s.final and not s.training:
        return "a score varies from run to run, by which alone it is known"
    what, bootstrap = "runs" if s.runs else "models", "by a Bayesian bootstrap (Rubin 1981)"
    if s.training:
        halves = "learnt from the two halves of each repeat"
        how = {
            "corrected": "follows the corrected t distribution of Nadeau and Bengio (2003)",
            "contrasts": f"follows a t distribution whose scale is {halves}",
            "mixture": f"is drawn {bootstrap} over {plural(s.unit)}, with what training adds {halves} (half-t prior)",
        }[s.training]
        return f"scores are means over the folds of the {s.cv}, and their difference {how}"
    if s.assumption == "independent":
        return f"the {what} were taken as independent"
    if s.freedom is None:
        return f"the {what} were paired item by item ({sampled(s)})"
    what = f"means of {plural(s.repeated)} ({plural(s.unit)})" if s.generations else what
    inflation = f"a small-sample inflation ({s.freedom:,.0f} degrees of freedom)"
    return f"the {what} were paired on {counted(s)}, {bootstrap} with {inflation}"


def _known_within(s: SamplingSettings) -> str:
    if not s.final:
        return "with the sampling covariance of its own posterior"
    if not (s.runs or s.training):
        return "with one score of each model"
    return (
        "with the variance of runs, which is taken as the same on all"
        if s.runs
        else "with the corrected variance of its folds"
    )


# ---- signatures -------------------------------------------------------------------------------------------


def signature_of(settings: Sequence[Settings], metrics: Sequence[str]) -> str:
    """Return in one line what was asked, and what was done: the same of all metrics, but for the method and draws."""
    s, n_draws = settings[0], max(one.n_draws for one in settings)
    drawn = {"draws": n_draws, "rng": s.rng} if n_draws else {}
    methods = ["exact" if one.method == "exact" else "mc" for one in settings]
    method = methods[0] if len({*methods}) == 1 else methods
    asked = {"rope": s.rope, "prob": s.prob, "method": method, **drawn, "target": s.target}
    return in_one_line(metric=metrics, **sampling_parts(s), **asked, **dict(s.signed))


def signed_name(of: Any) -> str:
    """Return the name of a metric, or of a result's, and of what it scores: two kinds of accuracy may share a name."""
    name, scored = (of.name, of.alias) if hasattr(of, "alias") else (of.metric, getattr(of, "label", ""))
    return f"{name}({scored})" if scored and not naming.same_name(name, scored) else name


def sampling_parts(s: Settings | intervals.IntervalSettings) -> dict[str, Any]:
    """Return the parts of a signature that say what was sampled, and the prior."""
    return {
        "units": design(s).replace(",", "") if _has_roles(s) else sampled(s).replace(",", "") or "totals",
        "sampling": "random-effects" if s.within else "final" if s.final else s.assumption,
        "prior": s.signed_prior,
        "cv": None
        if s.cv is None or s.final
        else ("x".join(map(str, s.cv.shape)), s.rule, f"{s.discount:.4g}"),
    }


def in_one_line(**parts: Any) -> str:
    """Write a signature: the version, and all parts that are known; several values of one have commas between.

    Examples
    --------
    >>> in_one_line(metric=["f1", "recall"], rope=(-0.01, 0.01), prior=None, rng=None).partition("metric")[2]
    ':f1,recall|rope:-0.01,0.01|rng:generator'
    """

    def written(value: Any) -> str:
        if isinstance(value, np.ndarray | list | tuple):
            return ",".join(map(written, value))
        return f"{value:g}" if isinstance(value, float) else str(value)

    # Draws of a Generator have no number to start from.
    unknown = {name: "generator" for name in ("rng", "start") if parts.get(name, "") is None}
    known = {"v": __version__, **parts, **unknown}
    shown = {name: written(value).replace("|", "/") for name, value in known.items()}
    # What was not given, and a region of no width, say nothing.
    kept = (f"{name}:{value}" for name, value in shown.items() if value not in ("", "None", "0,0"))
    return printable("|".join(("bayesf1", *kept)))


# ---- a paper's section on methods -------------------------------------------------------------------------


def methods(res: Comparisons) -> str:
    """Return how models were compared: prior, discount, assumption, computation, version, citation."""
    s, compared = res.headline.settings, _compared(res)
    how = f" by {_cited(s)}, as implemented in {_PACKAGE}, with {prior_of(s)}"
    if s.final or s.within:
        scores = "data-set scores" if s.within else "final scores"
        scored = f"{compared} by {scores} ({design(s)}) with {_PACKAGE}, with {prior_of(s)}"
        return _methods_of(res, [scored, dependence(s)])
    parts = [compared + (f", as methods{scope(s)}, with {_PACKAGE}" if s.training else how), dependence(s)]
    if s.cv is not None and not s.training:
        parts.append(f"counts of the {s.cv} were discounted by k = {s.discount:.4f} (rule {s.rule})")
    if s.runs:
        vary = " (half-Cauchy prior on how much they vary, scale 0.05 of the metric's range)"
        parts.append("a method's score is the mean of its runs' scores" + vary * (s.target == "method"))
    return _methods_of(res, parts)


def _methods_of(res: Comparisons, parts: list[str]) -> str:
    """Return the sentence on methods with what all answers say: computation, threshold, intervals."""
    c, s = res.headline, res.headline.settings
    if s.generations:
        parts.append(f"a score is the mean over the {plural(s.repeated)} of each {s.unit} ({design(s)})")
    parts.append(_computed(res))
    if c.rope:
        parts.append(f"models count as practically equivalent if {within(c)}")
    parts.append(f"a model was called better if that had a probability of at least {c.threshold:.4g}")
    level = f"{100 * c.prob:.4g} %"
    return printable(f"{'; '.join(parts)}. Intervals are {level} equal-tailed credible intervals.")


def _computed(res: Comparisons) -> str:
    """Write how probabilities were found, by which metrics if not all alike."""
    drawn = [c for c in res.values() if c.settings.n_draws]
    exact = [in_prose(c.label) for c in res.values() if not c.settings.n_draws]
    if not drawn:
        return "probabilities were computed by quadrature, without sampling"
    error, n_draws = max(c.mcse for c in drawn), max(c.settings.n_draws for c in drawn)
    rest = f"rest on {draws_of(drawn[0].settings, n_draws, max(error, 1e-4))}"
    quadrature = f", and those of {joined(exact)} on quadrature" if exact else ""
    return f"probabilities {rest}{quadrature}"


def _cited(s: Settings) -> str:
    wider = s.assumption != "independent" and "Wang and Li" in s.citation
    return s.citation + f", extended to shared {plural(s.unit)}" * wider


def _compared(res: Comparisons) -> str:
    c, labels = res.headline, joined(in_prose(one.label) for one in res.values())
    return f"{c.model_b} was compared with {c.model_a} on {labels}"


def prior_of(s: Settings | intervals.IntervalSettings) -> str:
    """Write which prior was used."""
    return f"a {s.prior_name}" if s.signed_prior else "no prior"


def draws_of(s: Settings, n_draws: int, error: float) -> str:
    """Write how many draws were made, their standard error and where they start."""
    start = start_in_words(s.rng)
    return f"{n_draws:,} posterior draws (standard error up to {error:.1g}{start and f'; {start}'})"


# ---- what limits a conclusion -----------------------------------------------------------------------------


def notes(c: Comparison) -> Iterator[str]:
    """Yield what limits the conclusion of a comparison, a sentence each."""
    s = c.settings
    if s.within:
        nouns = plural(s.unit)
        yield (
            f"The {nouns} are taken as a sample: the claim is about the average {s.unit} of such a population, not "
            "about these."
        )
        if s.n_units < FEW_UNITS:
            yield f"With {sampled(s)} it rests on what was believed of how much {nouns} differ (half-t, 5 points)."
    if c.generations is not None:
        yield _generation_note(c)
    if c.variance is not None:
        share = c.variance.share
        what = "training" if share > 0.5 else "the test items"
        if not s.final:
            yield f"{100 * max(share, 1.0 - share):.0f} % of the uncertainty comes from {what}."
        spreads = (c.variance.run_sd_a, c.model_a), (c.variance.run_sd_b, c.model_b)
        (less, steady), (more, volatile) = sorted(spreads)
        if more > _VOLATILE * less:
            often = f"about {more / less:.0f}" if more < 10.0 * less else "more than ten"
            yield f"{volatile} varies {often} times as much from run to run as {steady}."
        if min(s.runs) < FEW_UNITS:
            yield f"With {min(s.runs)} runs, a failure that happens in one training run of ten may go unseen."
    if once := [name for name, runs in zip((c.model_a, c.model_b), s.runs, strict=False) if runs == 1]:
        yield f"Of {joined(once)} one run is known: the answer is about these models, not about new training runs."
    yield from _fold_notes(c)
    yield "" if c.spread_unknown else few_units(s)
    if c.size_correlation:
        gains = f"{c.model_b} gains on {c.model_a} on {plural(s.unit)} that count for"
        size = "more" if c.size_correlation > 0.0 else "less"
        correlation = points(c.size_correlation, 2, sign=True, percent=False)
        many = "the difference depends on how many there are of these"
        yield f"{gains} {size} in {in_prose(c.label)} (Spearman {correlation}): {many}."
    if c.pairing_unknown and s.n_units:
        yield "The models were taken as tested on different items, as asked, though they share them."
    elif c.pairing_unknown:
        bounds = "bf.pairing_bounds(ev) gives its range over all pairings on the same ones"
        yield f"Only totals are known: P(H1) takes the models as tested on different items; {bounds}."
    elif s.runs and c.assumption == "independent" and not s.final:
        yield "Only totals are known: P(H1) takes the runs' errors as independent."
    yield from c.remarks


def _generation_note(c: Comparison) -> str:
    """Say which part of the variance generations have, and what more of either would bring (Miller 2024)."""
    s, known = c.settings, c.generations
    assert known is not None
    share, noun = known.share, plural(known.noun)
    if known.noun == "prompt":
        return f"Scores are means over these {s.generations[1]} prompts; others may give other scores."
    shorter = [1.0 - math.sqrt(1.0 - share + share / 2.0), 1.0 - math.sqrt(0.5)]
    more, items = (f"{100 * x:.0f} %" for x in shorter)
    return (
        f"{capitalised(noun)} have {100 * share:.0f} % of the variance: twice as many of each {s.unit} would make the "
        f"interval about {more} shorter, twice as many {plural(s.unit)} {items}. The claim is about these models, which "
        "were not trained again."
    )


def unlike_gold(models: Sequence[str], gold: Sequence[float]) -> Iterator[str]:
    """Say that tables are not of one test set, if one has more gold positives than the other."""
    if len(set(gold)) > 1:
        (a, b), (n, m) = models, (f"{number:,.10g}" for number in gold)
        yield f"{a} has {n} gold positives and {b} has {m}: they are taken as tested on different items."


def _fold_notes(c: Comparison) -> Iterator[str]:
    """Say what the other target would give: one of the two is what the reader means."""
    other, s = c.other_target, c.settings
    if other is None or c.alike or math.isnan(other.gap):
        return
    if not s.training and other.spread_unknown:
        yield "The difference is the same in all folds, which does not show how much training varies."
        return
    about = "the models fitted in these folds" if s.training else "the method, trained again"
    # Fold totals do not pair items, but the folds themselves are pairs of scores.
    if other.settings.training in ("contrasts", "corrected"):
        about += " (paired by fold)"
    elif s.training and other.assumption == "independent":
        about += " (taken as independent)"
    gap = estimates([other.estimates.difference], sign=True)[0] + " points" * c.definition.percent
    yield f"For {about}: {equation(f'P({c.model_b} better)', other.p_h1)}, difference {gap}."
    if s.training == "contrasts":
        yield "Predictions item by item would give a shorter interval than totals of folds, and one that holds more often."


def few_units(s: SamplingSettings) -> str:
    """Say if there are too few units to know well how much they vary."""
    # Only fold scores count after a training that is no mixture.
    if not s.n_units or s.training not in ("", "mixture") or (s.effective_units or FEW_UNITS) >= FEW_UNITS:
        return ""
    there = "There is" if s.n_units == 1 else "There are"
    return f"{there} only {counted(s)}: too few to show how much {plural(s.unit)} vary, so credible intervals are wider."


# ---- rankings ---------------------------------------------------------------------------------------------


def ranking_estimates(r: Ranking) -> list[str]:
    """Write the scores of a ranking with their intervals."""
    rows = zip(r.score, r.low, r.high, strict=True)
    return estimates([Estimate(*row, r.metric.percent) for row in rows])


def ranking_table(r: Ranking) -> Table:
    """Return a row for each model: score, probability of being the best, ranks, groups, and whether it may be the best."""
    rows, groups = [], list(enumerate(map(set, r.groups), 1))
    # Beside an undefined score no model is called the best.
    defined = not np.isnan(r.score).any()
    for i, (model, score) in enumerate(zip(r.models, ranking_estimates(r), strict=True)):
        mine = [number for number, group in groups if model in group]
        spans = (_span(r.rank_low[i], r.rank_high[i]), _span(mine[0], mine[-1]))
        best = ("yes" if r.tied[i] else "no") + ", equivalent" * bool(i and r.equivalent[i])
        chances = (probability(float(r.p_best[i])), best) if defined else ("–", "–")
        known = ("–", "–", "–") if math.isnan(r.score[i]) else (*spans, chances[1])
        rows.append((model, score, chances[0], *known))
    unit = " (%)" if r.metric.percent else ""
    header = ("Model", f"{r.label}{unit}", "P(best)", "Rank", "Group", "May be best")
    # The first stands out if no other may be the best.
    bold = frozenset({(0, 0), (0, 1)} if defined and not r.tied[1:].any() else ())
    sure = (bool(bold), *(~r.tied[1:]).tolist())
    bars = zip(r.low.tolist(), r.score.tolist(), r.high.tolist(), strict=True)
    return Table(header, tuple(rows), bold, sure, tuple(bars), bars_after=2)


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}–{high}"


def ranking_legend(r: Ranking) -> Iterator[str]:
    """Yield what the columns mean, as far as the table needs it."""
    prob = r.settings.prob
    if len(r.groups[0]) > 1 or len(r.groups) < len(r.models):
        yield f"Group: models with no group in common differ (probability {prob:g} for all pairs together)."
    if r.tied[1:].any() and not np.isnan(r.score).any():
        yield f"May be best: the best is one of these with probability {r.threshold:g} or more."
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
    among, p = np.array(r.models)[r.tied], equation("P", r.p_among_best)
    if np.isnan(r.score).any():
        which = joined(np.array(r.models)[np.isnan(r.score)])
        reason = "is undefined (there is nothing to divide by), so no model is called the best"
        return printable(f"The {in_prose(r.label)} of {which} {reason}.")
    if len(among) == 1:
        return printable(f"{among[0]} is the best in {in_prose(r.label)} ({p}).")
    whom = f"any of the {len(among)}" if len(among) == len(r.models) > 2 else joined(among, "or")
    leads = f"{r.models[0]} leads in {in_prose(r.label)} ({equation('P(best)', float(r.p_best[0]))})"
    return printable(f"{leads}, but the data do not decide which is the best: {whom} ({p}).")


def joint_sentence(r: Ranking) -> str:
    """Return what may be said of all models at once: who beats whom, and the whole order."""
    names, rope = np.array(r.models), r.settings.rope.high
    groups: dict[str, list[str]] = {}
    for name, row in zip(names, r.jointly, strict=True):
        groups.setdefault(listing(names[row], most=3), []).append(name)
    claims = [f"{joined(who)} beat{'s' * (len(who) == 1)} {whom}" for whom, who in groups.items() if whom]
    # More would not be read.
    beats = ("; ".join(claims[:4]) or "no model beats another") + " and so on" * (len(claims) > 4)
    margin = f" by more than {amount(rope, percent=r.metric.percent)}" if rope else ""
    together = f"With probability {r.settings.prob:g} for all claims together"
    return printable(f"{together}, {beats}{margin}; {equation('P(whole order)', r.p_order)}.")


def ranking_methods(r: Ranking, labels: str = "") -> str:
    """Return how models were ranked: prior, assumption, draws, version."""
    s = r.settings
    ranked = f"{len(r.models)} models were ranked by {labels or in_prose(r.label)} with {_PACKAGE}, with {prior_of(s)}"
    drawn = f"probabilities rest on {draws_of(s, s.n_draws, 0.5 / s.n_draws**0.5)}"
    best = f"A model may be the best if it is in the smallest set with the best in it (P ≥ {r.threshold:g})."
    source = "" if s.training else f" Posteriors of the scores are those of {_cited(s)}."
    return printable(f"{ranked}; {s.model or dependence(s)}; {drawn}. {best}{source}")


# ---- several corpora ----------------------------------------------------------------------------------------


def fit_assumptions(fit: HierarchicalFit) -> str:
    """Say what was assumed, and how it was computed."""
    start = start_in_words(fit.start)
    model = _scores_model(fit) if fit.likelihood == "scores" else _multinomial_model(fit)
    medians = [fit.scope(question) for question in ("average", "new") if "median" in fit.estimate(question)]
    where = f", but posterior medians on {joined(medians)}, where a mean may not exist" if medians else ""
    estimates = f"scores and differences are posterior means{where}"
    return "; ".join(filter(None, (model, estimates, str(fit.diagnostics), start)))


def _scores_model(fit: HierarchicalFit) -> str:
    metric = fit.main_metric
    names = ("difficulty", "spread")
    medians = [float(fit.posterior[name].sel(measure=metric.name).median()) for name in names]
    apart = [amount(float(f"{value:.2g}"), percent=metric.percent) for value in medians]
    scale = " and ".join(amount(getattr(fit.prior, name), percent=metric.percent) for name in names)
    return (
        f"random-effects model of the scores, {fit.within}: {fit.nouns} differ in {metric.label} by about "
        f"{apart[0]} for all models alike, and in the difference of two models by about {apart[1]} (standard deviations, "
        f"posterior medians; half-t priors with {fit.prior.tails:g} degree{'s' * (fit.prior.tails != 1)} of freedom "
        f"and scale {scale})"
    )


def _multinomial_model(fit: HierarchicalFit) -> str:
    kappa = np.exp(np.median(fit.posterior["log_kappa"].values, axis=(0, 1)))
    pairs = zip(fit.models, kappa, strict=True)
    alike = joined(f"{float(f'{value:.2g}'):,.0f} of {name}" for name, value in pairs)
    made = fit.posterior.attrs.get("made_with", "PyMC")
    return (
        f"Dirichlet-multinomial model in {made}, {fit.within}, effects of a {fit.noun} on one model unrelated to those on "
        f'another (likelihood="scores" shares them): concentration κ about {alike} (posterior medians; log-normal prior with '
        f"median {fit.prior.kappa:g} and standard deviation {fit.prior.log_kappa_sd:g} of the logarithm)"
    )


def few_corpora(fit: HierarchicalFit) -> list[str]:
    """Say if there are too few corpora to know how much they differ."""
    rest = f"the answers for the average {fit.noun} and a new one rest on the prior"
    words = f"{fit.number} are too few to show how much {fit.nouns} differ, so {rest}."
    return [words] if len(fit.datasets) < 3 else []


def fit_notes(fit: HierarchicalFit) -> list[str]:
    """Return what should be known of the data."""
    again = "though their training sets, or test items, overlap; compare() allows for that"
    folds = [f"Folds are taken as separate test sets, {again}."] if fit.noun == "fold" else []
    return [*([f"{capitalised(fit.note)}."] if fit.note else []), *few_corpora(fit), *folds]


def hierarchical_sentence(c: HierarchicalComparison) -> str:
    """Return the verdict on one metric, of which corpus it speaks, and the observed difference."""
    observed = "Observed difference:"
    if c.estimate == "posterior median":
        observed = "The difference is the posterior median, as a mean may not exist; observed"
    percent = c.definition.percent
    digits = digits_of(*c.intervals[2], percent=percent)
    gap = points(c.observed_gap, digits, sign=True, percent=percent)
    return printable(f"On {c.scope}: {sentence(c)} {observed} {gap}. {c.caution}".rstrip())


def hierarchical_methods(res: Comparisons) -> str:
    """Return how models were compared on several corpora."""
    c: Any = res.headline
    how = f"{_compared(res)} by a hierarchical model fitted with {_PACKAGE}. It was a {c.settings.model}."
    level = f"Intervals are {100 * c.prob:.4g} % equal-tailed credible intervals."
    return printable(" ".join((how, f"The probabilities concern {c.scope}.", level, *c.notes)))


# ---- intervals --------------------------------------------------------------------------------------------

_METHODS = {
    "clopper_pearson": "Clopper–Pearson",
    "delta": "Delta method",
    "fbeta_delta": "Jiang",
    "bootstrap_bca": "Bootstrap BCa",
    "credible_equal_tailed": "Credible, equal-tailed",
    "credible_hdi": "Credible, highest density",
}


def method_label(method: str) -> str:
    """Write the name of an interval method.

    Examples
    --------
    >>> method_label("wilson_direct"), method_label("credible_hdi")
    ('Wilson direct', 'Credible, highest density')
    """
    return _METHODS.get(method, method.replace("_", " ").capitalize())


def interval_note(row: intervals.MethodInterval) -> str:
    """Return what to mind about one interval; nothing if there is nothing."""
    low, high = row.support
    outside = [f"above {high:g}"] * (row.high > high) + [f"below {low:g}"] * (row.low < low)
    found = {
        "takes single items as independent": row.units == "item",
        f"over {plural(row.units)}": row.units not in ("", "item"),
        f"overshoots: reaches {' and '.join(outside)}": outside,
        "degenerate: zero width": row.degenerate,
    }
    return "; ".join(note for note, holds in found.items() if holds)


def _digits(r: intervals.Intervals) -> int:
    return max((digits_of(*row, percent=r.percent) for row in r.rows), default=2)


def intervals_title(r: intervals.Intervals) -> str:
    """Return what the intervals are of, and the estimate."""
    difference = len(r.models) == 2
    score = points(r.estimate, _digits(r), sign=difference, percent=r.percent)
    unit = (" percentage points" if difference else " %") if r.percent else ""
    return printable(f"{r.label} of {' minus '.join(reversed(r.models))}: {score}{unit}")


def intervals_table(r: intervals.Intervals) -> Table:
    """Return a row for each method: interval, length, and a note if any method has one."""
    unit, digits = " (%)" if r.percent else "", _digits(r)
    header = ("Method", f"{100 * r.confidence_level:.4g} % interval{unit}", f"Length{unit}", "Note")
    width = 4 if any(row.note for row in r.rows) else 3
    rows = []
    for row in r.rows:
        low, high, length = (points(x, digits, percent=r.percent) for x in (*row, row.length))
        rows.append((row.label, f"[{low}, {high}]", length, row.note)[:width])
    sure = tuple(not (row.overshoot or row.degenerate) for row in r.rows)
    return Table(header[:width], tuple(rows), sure=sure)


def intervals_notes(r: intervals.Intervals) -> tuple[str, ...]:
    """Return what intervals assumed, a sentence each."""
    s = r.settings
    pairing = f", with models {'independent' if s.assumption == 'independent' else 'paired'}"
    source = f"from {counted(s) or 'totals, each count as an independent item'}"
    parts = [f"{source}{pairing if len(r.models) > 1 else ''}"]
    if s.n_resamples:
        parts.append(f"bootstrap of {s.n_resamples:,} resamples")
    if any(row.kind == "credible" for row in r.rows):
        parts.append(f"credible intervals with {prior_of(s)}")
    notes = [f"{capitalised('; '.join(parts))}."]
    if s.runs:
        notes.append("Credible intervals allow for further training runs; the others are about these runs.")
    return (*notes, *filter(None, [few_units(s)]), *r.remarks)


# ---- tests ------------------------------------------------------------------------------------------------


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


def _scored(t: randomization.RandomizationTest) -> tuple[str, str, str]:
    """Write both scores and their difference."""
    digits, unit = digits_of(0.0, abs(t.difference), percent=t.percent), " %" if t.percent else ""
    a, b = (f"{points(score, digits, percent=t.percent)}{unit}" for score in (t.score_a, t.score_b))
    return a, b, points(t.difference, digits, sign=True, percent=t.percent)


def randomization_table(t: randomization.RandomizationTest) -> Table:
    """Return a randomisation test as a table of one row."""
    p_values = {"p": t.p_value, "p (Holm)": t.p_holm, "p (BH)": t.p_bh}
    shown = {name: p_equation(p)[2:].removeprefix("= ") for name, p in p_values.items() if p is not None}
    header = ("Metric", "A", "B", "Score of A", "Score of B", "B − A", *shown, "Discordant", "Computed")
    how = "exactly" if t.exact else f"{t.n_trials:,} trials"
    row = (t.label, t.model_a, t.model_b, *_scored(t), *shown.values(), _discordant(t), how)
    # Among several a test stands out if it does beside the others.
    least = t.p_value if t.p_holm is None else t.p_holm
    return Table(header, (row,), sure=(least < 1.0 - t.confidence_level,))


def randomization_sentence(t: randomization.RandomizationTest) -> str:
    """Return what a randomisation test found."""
    side = {"greater": f"one-sided ({t.model_b} better)", "less": f"one-sided ({t.model_b} worse)"}
    p = p_equation(t.p_value) + ("" if t.p_holm is None else f" (Holm: {_plain_p(t.p_holm)})")
    how = "exact" if t.exact else f"{t.n_trials:,} trials, {' to '.join(map(_plain_p, t.interval))}"
    gap = f"{t.model_b} minus {t.model_a} in {in_prose(t.label)} is {_scored(t)[2]}{' points' * t.percent}"
    test = f"{side.get(t.alternative, t.alternative)} randomisation test, {how}"
    return printable(f"{gap}: {p} ({test}); the models differ on {_discordant(t)}.")


def _discordant(t: randomization.RandomizationTest) -> str:
    return f"{t.n_discordant:,} of {number_of(t.n_units, t.unit)}"


def fold_tests_title(f: FoldTests) -> str:
    """Return what was tested, and how the folds differ."""
    d, what = f.differences, f"{f.label} of {f.model_b} minus {f.model_a}"
    mean, sd = points(d.mean(), 2, sign=True, percent=f.shares), points(d.std(ddof=1), 2, percent=f.shares)
    return printable(f"{what} in {d.size} folds: mean {mean}, sd {sd}{' points' * f.shares}")


def fold_tests_table(f: FoldTests) -> Table:
    """Return a row for each test."""
    rows = []
    for test in f.tests:
        quoted = ("" if p is None else probability(p) for p in (test.p_value, test.p_greater))
        statistic = f"{test.statistic:.3f}".replace("-", "−")
        rows.append((test.name, statistic, ", ".join(map(str, test.df)), *quoted, test.reference))
    return Table(("Test", "Statistic", "df", "p", f"P({f.model_b} better)", "Reference"), tuple(rows))


def coverage_table(c: coverage.CoverageCurve) -> Table:
    """Return a row for each method and number of items."""
    header = ("Method", "Items", "Coverage (%)", "Length (%)", "P(overshoot)", "P(degenerate)")
    rows = []
    for method, n, coverage, length, *others in (record.values() for record in c.records()):
        shares = (points(coverage, 2), points(length, 2), *map(probability, others))
        rows.append((method_label(method), f"{n:,}", *shares))
    return Table(header, tuple(rows))


# ---- plans: the answer, what it assumes, and a table of one row ---------------------------------------------


def plan_words(p: Any) -> tuple[str, str, Table]:
    """Return what a plan says: the plan of a decision has a question, that of an interval has none."""
    return _decision_plan(p) if hasattr(p, "question") else _size_plan(p)


def _size_plan(p: planning.SampleSize) -> tuple[str, str, Table]:
    """Return how many items an interval takes."""
    level, many = f"{100 * p.confidence_level:g} %", plural(p.unit)
    positives = "positive ones" if p.n_units and p.unit == "item" else "positive items"
    sizes = {many: p.n_units, positives: p.n_positives}
    takes = " with ".join(f"{n:,} {what}" for what, n in sizes.items() if n is not None)
    who = "any model" if p.basis == "bound" else "models like the pilot's"
    share = "" if p.prevalence is None else f", {100 * p.prevalence:.4g} % of the items positive"
    header = ("Metric", "Half-width", "Confidence", "Positives", capitalised(many), "Holds for")
    numbers = ("–" if n is None else f"{n:,}" for n in (p.n_positives, p.n_units))
    table = Table(header, ((p.label, f"{p.half_width:g}", level, *numbers, who),), sure=(True,))
    width = f"no wider than ±{amount(p.half_width, percent=p.percent)}"
    return (
        f"A {level} interval for {in_prose(p.label)} {width} takes {takes}.",
        f"Holds for {who}{share}; normal approximation.",
        table,
    )


def _decision_plan(p: planning.DecisionPlan) -> tuple[str, str, Table]:
    """Return how many units a decision takes, or which difference so many decide."""
    units, agreement = number_of(p.n_units, p.unit), f"{points(p.agreement, 1)} %"
    known = abs(p.difference) if p.question == "size" else float(f"{p.difference:.2g}")
    size = amount(known, percent=p.percent)
    assumed = f"{'better' if p.difference > 0 else 'worse'} by {size}" if p.difference else "equally good"
    claim, from_ = f"called better (P(H1) ≥ {p.p_h1:g})", "P(H1) from"
    if p.not_worse_by is not None:
        margin, from_ = amount(p.not_worse_by, percent=p.percent), "P(not worse) from"
        claim = f"shown not to be worse by more than {margin} (P ≥ {p.p_h1:g})"
        size = f"{assumed}; not worse by {margin}"
    label = in_prose(p.label)
    sentence = (
        f"A model that is {assumed} in {label} is {claim} with probability about {p.goal:g} on {units}."
    )
    if p.question == "resolution":
        often = f"the better model is {claim} with a probability below {p.goal:g}"
        sentence = f"With {units}, a difference in {label} below {size} may well stay undecided: {often}."
    header = ("Metric", "Difference", capitalised(plural(p.unit)), "Agreement", from_, "Assurance")
    row = (p.label, size, f"{p.n_units:,}", agreement, f"{p.p_h1:g}", probability(p.assurance))
    assumes = f"Assumes that the models agree on {agreement} of the {plural(p.unit)}"
    simulated = f"simulated assurance {p.assurance:.3f}, standard error {p.mcse:.1g}"
    return sentence, f"{assumes}; {simulated}.", Table(header, (row,), sure=(True,))


# ---- monitoring -------------------------------------------------------------------------------------------


def monitor_title(m: monitoring.Monitor) -> str:
    """Return what is monitored, and how often it was looked at."""
    return printable(f"{m.label} of {m.model_b} minus {m.model_a}, {number_of(len(m.looks), 'look')}")


def monitor_table(m: monitoring.Monitor) -> Table:
    """Return a row for each look."""
    digits = max(digits_of(look.low, look.high, percent=m.percent, sign=True) for look in m.looks)
    rows = tuple((f"{look.n_units:,}", _sequence(m, look, digits), _e_value(look.log_e)) for look in m.looks)
    level = f"{100 * m.confidence_level:g} % confidence sequence"
    return Table((capitalised(plural(m.unit)), level, "e-value"), rows)


def monitor_sentence(m: monitoring.Monitor) -> str:
    """Return what may be claimed, as a sentence."""
    last, claim = m.looks[-1], f"Not decided after {number_of(m.n_units, m.unit)}"
    if m.decided_after is not None:
        claim = f"Decided after {number_of(m.decided_after, m.unit)}: {m.verdict}"
    digits = digits_of(last.low, last.high, percent=m.percent, sign=True)
    size = _sequence(m, last, digits) + " points" * m.percent
    alone = f"the posterior at this look alone: {equation(f'P({m.model_b} better)', m.p_h1)}"
    gap = f"{m.model_b} minus {m.model_a} {size}, valid at every look"
    return printable(f"{claim} in {in_prose(m.label)} ({gap}; {alone}).")


def monitor_note(m: monitoring.Monitor) -> str:
    """Return what monitoring takes for granted."""
    scores = " and scored from 0 to 1" if m.metric == "mean" else ""
    largest = "" if m.largest is None else f", none with a load above {m.largest:.4g}"
    wrong = f"wrong with probability at most {1 - m.confidence_level:.2g}, however often you look and whenever you stop"
    return f"Assumes that {plural(m.unit)} are drawn one by one{scores}{largest}; {wrong}."


def _sequence(m: monitoring.Monitor, look: monitoring.Look, digits: int) -> str:
    return " to ".join(points(x, digits, sign=True, percent=m.percent) for x in (look.low, look.high))


def _e_value(log_e: float) -> str:
    return f"{math.exp(log_e):.3g}" if log_e < 15.0 else f"10^{log_e / math.log(10.0):.1f}"
