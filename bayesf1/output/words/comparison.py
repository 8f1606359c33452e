"""The words of a comparison: title, table, verdict and sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bayesf1.base.naming import joined, listing, plural, printable
from bayesf1.metrics import in_prose
from bayesf1.output.table import Table
from bayesf1.output.words.notes import UNDEFINED
from bayesf1.output.words.numbers import (
    credible_intervals,
    decimals,
    equation,
    estimates,
    margin,
    own_points,
    points,
    probability,
    region,
    unit_of,
)
from bayesf1.output.words.sampled import on_what, same_everywhere, scope

if TYPE_CHECKING:
    from bayesf1.inference.comparison import Comparison, Comparisons

# The columns up to the difference: metric, two scores, difference.
_DIFFERENCE_ENDS = 4


# ---- title and table --------------------------------------------------------------------------------------


def title(res: Comparisons) -> str:
    """Return which models were compared, on what, and the kind of the intervals."""
    c = res.headline
    return f"{subject(res)}{on_what(c.settings)}, with {credible_intervals(c.prob)}"


def subject(res: Comparisons) -> str:
    """Return which models were compared."""
    c = res.headline
    return f"{c.model_b} against {c.model_a}"


def table(
    comparisons: Sequence[Comparison], *, difference: str = "Difference", observed: Sequence[str] = ()
) -> Table:
    """Return metric, both models' scores with intervals, the difference, P(H0), P(H1) and the verdict.

    Parameters
    ----------
    comparisons
        A comparison for each row.
    difference
        The header of the differences.
    observed
        The cells of a column after the differences; by default there is none.
    """
    first = comparisons[0]
    # If some metrics are in percent and others are not, each row says so; otherwise the header does.
    all_percent = all(c.definition.percent for c in comparisons)
    unit = " (%)" if all_percent else ""
    models = (f"{first.model_a}{unit}", f"{first.model_b}{unit}")
    header = ["Metric", *models, difference, *_probabilities(first), "Verdict"]
    scores_a = estimates([c.estimates.a for c in comparisons])
    scores_b = estimates([c.estimates.b for c in comparisons])
    differences = estimates([c.estimates.difference for c in comparisons], sign=True)
    rows = []
    bold = []
    for i, c in enumerate(comparisons):
        label = c.label
        if c.definition.percent and not all_percent:
            label = f"{label} (%)"
        rows.append(
            [label, scores_a[i], scores_b[i], differences[i], *_probabilities(c).values(), verdict(c)]
        )
        # A model is bold if it is called better.
        if c.winner is not None:
            bold.append((i, 2 if c.winner == c.model_b else 1))
    if observed:
        header.insert(_DIFFERENCE_ENDS, "Observed")
        for row, cell in zip(rows, observed, strict=True):
            row.insert(_DIFFERENCE_ENDS, cell)
    return Table(
        tuple(header),
        tuple(map(tuple, rows)),
        bold=frozenset(bold),
        sure=tuple(c.winner is not None for c in comparisons),
        bars=_bars(comparisons),
        bars_after=_DIFFERENCE_ENDS,
    )


def _bars(comparisons: Sequence[Comparison]) -> tuple[tuple[float, float, float], ...]:
    """Return the differences to be drawn; none if some are in percent and others are not, as bars have one scale."""
    if len({c.definition.percent for c in comparisons}) > 1:
        return ()
    differences = [c.estimates.difference for c in comparisons]
    return tuple((difference.low, difference.value, difference.high) for difference in differences)


def _probabilities(c: Comparison) -> dict[str, str]:
    """Write the probabilities of a comparison, by the names of their columns."""
    cells = {
        "P(H0)": probability(c.p_h0, below=c.threshold),
        "P(H1)": probability(c.p_h1, below=c.threshold),
    }
    if c.rope:
        cells["P(rope)"] = probability(c.p_rope, below=c.prob)
    # If the region is symmetric, the verdict says which model is not worse.
    if not c.rope.symmetric:
        cells["P(not worse)"] = probability(c.p_not_worse, below=c.threshold)
    return cells


def legend(res: Comparisons) -> list[str]:
    """Return the meanings of the verdicts that occur in the table."""
    comparisons = list(res.values())
    first = comparisons[0]
    lines = []
    if any(c.equivalent for c in comparisons):
        lines.append(f"Equivalent: {inside_region(first)} with probability {first.prob:g} or more.")
    # The sentence on the headline metric says itself that a score is undefined.
    if any(math.isnan(c.gap) for c in comparisons) and not math.isnan(res.headline.gap):
        lines.append(UNDEFINED)
    if any(c.not_worse is not None and c.winner is None and not c.equivalent for c in comparisons):
        lines.append(
            f"Not worse: behind by no more than the margin with probability {first.threshold:g} or more."
        )
    return lines


# ---- the verdict ------------------------------------------------------------------------------------------


def verdict(c: Comparison) -> str:
    """Return the claim that the data support, in a few words."""
    if math.isnan(c.p_h1):
        return "undefined" if math.isnan(c.gap) else "undecided"
    if c.winner is not None:
        return f"equivalent, {c.winner} better" if c.equivalent else f"{c.winner} better"
    if c.equivalent:
        return "equivalent"
    if c.not_worse is not None:
        by = margin(c.not_worse.margin, c.definition, short=True)
        return f"{c.not_worse.model} not worse by more than {by}"
    return "undecided"


def inside_region(c: Comparison) -> str:
    """Write that a difference lies in the region of practical equivalence, as a clause."""
    ends = region(c.rope, percent=c.definition.percent) + own_points(c.definition)
    return f"the difference is within {ends}" if c.rope.symmetric else f"{c.model_b} is ahead by {ends}"


def many_pairs(n_pairs: int) -> str:
    """Say that among claims about many pairs some are likely to be wrong.

    Examples
    --------
    >>> print(many_pairs(3))
    Each of 3 pairs is judged on its own: the more pairs, ... bayesf1 rank says what holds for all models together.
    """
    return (
        f"Each of {n_pairs} pairs is judged on its own: the more pairs, the likelier it is that some claim is wrong; bayesf1 "
        "rank says what holds for all models together."
    )


def unmet(c: Comparison, claim: str) -> str | None:
    """Return a sentence that says why the claim about B against A is not supported; None if it is.

    The claims are ``"better"``, ``"not-worse"`` and ``"equivalent"``; each needs the same probability as in a verdict.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> c = compare(from_counts(crf=(77, 44, 10, 702), bert=(80, 30, 7, 716)), rope=0.05)["f1"]
    >>> print(unmet(c, "better"))
    P(bert better than crf in F1) = .940, which is below 0.975.
    >>> unmet(c, "not-worse") is None
    True
    """
    if math.isnan(c.p_h1):
        return sentence(c)
    match claim:
        case "better":
            relation = "better than"
            p = c.p_h1
            needed = c.threshold
        case "not-worse":
            relation = "not worse than"
            p = c.p_not_worse
            needed = c.threshold
        case _:
            relation = "equivalent to"
            p = c.p_rope
            needed = c.prob
    if p >= needed:
        return None
    event = printable(f"P({c.model_b} {relation} {c.model_a} in {in_prose(c.label)})")
    return f"{equation(event, p, below=needed)}, which is below {needed:.4g}."


# ---- the sentence -----------------------------------------------------------------------------------------


def summary(res: Comparisons) -> str:
    """Return the verdict of a table of comparisons: on the headline metric, or in which classes either model is better."""
    headline = res.headline
    of_class = headline.definition.of_class
    if len(res) < 2 or of_class is None or any(c.definition.of_class is None for c in res.values()):
        return str(headline)
    claims = []
    for model in (headline.model_b, headline.model_a):
        better = _classes(res, model)
        if better:
            claims.append(f"{model} is better in {listing(better)}")
    undecided = _classes(res, None)
    if undecided:
        claims.append(f"undecided in {len(undecided)} of {len(res)} classes")
    return printable(f"{of_class.metric} class by class: {'; '.join(claims)}.")


def _classes(res: Comparisons, winner: str | None) -> list[str]:
    """Return the classes with this winner, or without one, in which both scores are defined."""
    return [
        c.definition.of_class.name
        for c in res.values()
        if c.definition.of_class is not None and not math.isnan(c.gap) and c.winner == winner
    ]


def sentence(c: Comparison) -> str:
    """Return the verdict on one metric as a sentence for a paper, the leading model first."""
    reason = _not_compared(c)
    return printable(f"{_claim(c)}." if reason is None else f"{reason}.")


def _not_compared(c: Comparison) -> str | None:
    """Write why the data do not compare the models; None if they do."""
    a = c.model_a
    b = c.model_b
    metric = in_prose(c.label)
    if c.alike:
        return (
            f"{a} and {b} did the same on all {plural(c.settings.unit)}, so the data cannot tell them apart"
        )
    if c.same_in_every_draw:
        return f"{a} and {b} have the same {metric} in every draw, so the data cannot tell them apart"
    if math.isnan(c.gap):
        undefined = joined(model for model, score in ((a, c.score_a), (b, c.score_b)) if math.isnan(score))
        return (
            f"The {metric} of {undefined} is undefined (there is nothing to divide by), so it is not compared"
        )
    if c.spread_unknown:
        difference = f"{estimates([c.estimates.difference], sign=True)[0]}{unit_of(c.definition)}"
        return same_everywhere(f"{b} minus {a} in {metric}", c.settings, difference)
    return None


class _Lead(NamedTuple):
    """The model that leads, and by how much.

    Attributes
    ----------
    first, second
        The model that is probably better, and the other.
    p
        The probability that it is better.
    size
        How much better it is, with the interval.
    clause, sentence
        The lead as a clause that follows another one, and as the beginning of a sentence.
    """

    first: str
    second: str
    p: float
    size: str
    clause: str
    sentence: str


def _lead(c: Comparison) -> _Lead:
    metric = in_prose(c.label)
    unit = unit_of(c.definition)
    difference = c.estimates.difference
    # At one half neither leads, and the name that comes first in the alphabet is named first, whichever is A.
    b_leads = c.p_h1 > c.p_h0 or (c.p_h1 == c.p_h0 and c.model_b < c.model_a)
    first = c.model_b if b_leads else c.model_a
    second = c.model_a if b_leads else c.model_b
    p = c.p_h1 if b_leads else c.p_h0
    sign = c.definition.sign if b_leads else -c.definition.sign
    # How much better the leader is: a difference of losses has the other sign.
    ahead = sign * difference.value
    low, high = sorted((sign * difference.low, sign * difference.high))
    size = f"{_points(c, ahead)}{unit} [{_ends(c, low, high, sign=low < 0.0 < high)}]"
    # The difference is of plain scores or means, so it may be 0 or against the model that is probably better.
    if ahead > 0.0:
        return _Lead(
            first,
            second,
            p,
            size,
            clause=f"{first} leads by {size}",
            sentence=f"{first} leads {second} in {metric} by {size}",
        )
    signed = f"{_points(c, difference.value, sign=True)}{unit} [{_ends(c, difference.low, difference.high, sign=True)}]"
    clause = f"{c.model_b} minus {c.model_a} is {signed}"
    return _Lead(
        first,
        second,
        p,
        size,
        clause=clause,
        sentence=f"{c.model_a} and {c.model_b} are level in {metric}: {clause}",
    )


def _points(c: Comparison, value: float, *, sign: bool = False) -> str:
    difference = c.estimates.difference
    return points(value, decimals(difference, sign=True), sign=sign, percent=difference.percent)


def _ends(c: Comparison, low: float, high: float, *, sign: bool) -> str:
    return f"{_points(c, low, sign=sign)}, {_points(c, high, sign=sign)}"


def _claim(c: Comparison) -> str:
    """Write which model is better, or that neither surely is, with the difference and its interval."""
    metric = in_prose(c.label)
    about = scope(c.settings)
    lead = _lead(c)
    direction = "; lower is better" if c.definition.lower_is_better else ""
    surely = f"({equation('P', lead.p, below=c.threshold)}{direction})"
    inside = f"{inside_region(c)} ({equation('P', c.p_rope)})"
    if c.winner is not None:
        claim = f"{lead.first} outperforms {lead.second} in {metric} by {lead.size}{about} {surely}"
        if c.equivalent:
            return f"{claim}, yet the two are practically equivalent: {inside}"
        return f"{claim}{_p_rope(c)}"
    if c.equivalent:
        return f"{c.model_a} and {c.model_b} are practically equivalent in {metric}{about}: {inside}; {lead.clause} {surely}"
    if c.not_worse is not None:
        model, rival, by, p = c.not_worse
        return (
            f"{model} is not worse than {rival} in {metric} by more than {margin(by, c.definition)}{about} "
            f"({equation('P', p)}); which is better is not decided: {lead.clause} {surely}"
        )
    return f"{lead.sentence}{about}, which the data do not decide {surely}{_p_rope(c)}"


def _p_rope(c: Comparison) -> str:
    """Write the probability of the region as a further clause; nothing without a region."""
    return f"; {equation(f'P({inside_region(c)})', c.p_rope, below=c.prob)}" if c.rope else ""
