"""The words of a comparison: verdict, sentence, table, notes and methods."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bayesf1.base.naming import capitalised, joined, listing, plural, printable
from bayesf1.output.table import Table
from bayesf1.output.words.citations import PACKAGE
from bayesf1.output.words.numbers import amount, digits_of, equation, estimates, points, probability, region
from bayesf1.output.words.prose import in_prose
from bayesf1.output.words.sampled import (
    cited,
    dependence,
    design,
    draws_of,
    few_units,
    prior_of,
    same_everywhere,
    sampled,
    scope,
)
from bayesf1.sampling.inflation import FEW_UNITS

if TYPE_CHECKING:
    from bayesf1.inference.comparison import Comparison, Comparisons


# A method whose runs vary so many times as much as another's is named.
_VOLATILE = 3.0


def verdict(c: Comparison) -> str:
    """Return what may be claimed, in a few words."""
    if math.isnan(c.p_h1):
        return "undefined" if math.isnan(c.gap) else "undecided"
    claims = ["equivalent"] * c.equivalent + [f"{c.winner} better"] * (c.winner is not None)
    if not claims and (found := c.not_worse) is not None:
        margin = amount(found[2], percent=c.definition.percent).replace("percentage ", "")
        claims = [f"{found[0]} not worse by more than {margin}{own_points(c)}"]
    return ", ".join(claims) or "undecided"


def own_points(c: Comparison) -> str:
    """Return the unit of a metric that goes up to 100, such as BLEU points."""
    return f" {c.label} points" if c.definition.support == (0.0, 100.0) else ""


def within(c: Comparison) -> str:
    """Write that a difference lies in the region, which is one of how much better B is."""
    margin = region(c.rope, percent=c.definition.percent) + own_points(c)
    return f"the difference is within {margin}" if c.rope.symmetric else f"{c.model_b} is ahead by {margin}"


def sentence(c: Comparison) -> str:
    """Return the verdict on one metric as a sentence for a paper, the leading model first."""
    return printable(f"{_not_compared(c) or _claim(c)}.")


def _not_compared(c: Comparison) -> str:
    """Write why the data do not compare the models; nothing if they do."""
    a, b, label = c.model_a, c.model_b, in_prose(c.label)
    if c.alike or c.same_in_every_draw:
        units = plural(c.settings.unit)
        same = f"did the same on all {units}" if c.alike else f"have the same {label} in every draw"
        return f"{a} and {b} {same}, so the data cannot tell them apart"
    if math.isnan(c.gap):
        which = joined(name for name, score in ((a, c.score_a), (b, c.score_b)) if math.isnan(score))
        return f"The {label} of {which} is undefined (there is nothing to divide by), so it is not compared"
    if not c.spread_unknown:
        return ""
    unit = own_points(c) or " points" * c.definition.percent
    gap = estimates([c.estimates.difference], sign=True)[0] + unit
    return same_everywhere(f"{b} minus {a} in {label}", c.settings, gap)


def _claim(c: Comparison) -> str:
    """Write which model is better, or that neither surely is, with the difference and its interval."""
    a, b, metric, label = c.model_a, c.model_b, c.definition, in_prose(c.label)
    gap, low, high, _ = c.estimates.difference
    digits = digits_of(low, high, percent=metric.percent, sign=True)

    def written(*values: float, sign: bool = True) -> str:
        return ", ".join(points(x, digits, sign=sign, percent=metric.percent) for x in values)

    unit, about = own_points(c) or " points" * metric.percent, scope(c.settings)
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
        by = f"{amount(margin, percent=metric.percent)}{own_points(c)}{about} ({equation('P', surely)})"
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


def methods(res: Comparisons) -> str:
    """Return how models were compared: prior, discount, assumption, computation, version, citation."""
    s = res.headline.settings
    subject = compared(res)
    how = f" by {cited(s)}, as implemented in {PACKAGE}, with {prior_of(s)}"
    if s.final or s.within:
        scores = "data-set scores" if s.within else "final scores"
        scored = f"{subject} by {scores} ({design(s)}) with {PACKAGE}, with {prior_of(s)}"
        return _methods_of(res, [scored, dependence(s)])
    parts = [subject + (f", as methods{scope(s)}, with {PACKAGE}" if s.training else how), dependence(s)]
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


def compared(res: Comparisons) -> str:
    """Write which models were compared, and by which metrics."""
    c, labels = res.headline, joined(in_prose(one.label) for one in res.values())
    return f"{c.model_b} was compared with {c.model_a} on {labels}"


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
    if c.gold_positives is not None and c.gold_positives[0] != c.gold_positives[1]:
        yield _unlike_gold(c)


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


def _unlike_gold(c: Comparison) -> str:
    """Say that tables are not of one test set, as one has more gold positives than the other."""
    assert c.gold_positives is not None
    n_a, n_b = [f"{number:,.10g}" for number in c.gold_positives]
    return f"{c.model_a} has {n_a} gold positives and {c.model_b} has {n_b}: they are taken as tested on different items."


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
