"""A comparison in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.naming import listing
from bayesf1.base.table import (
    Table,
    amount,
    digits_of,
    escape_latex,
    interval,
    points,
    printable,
    probability,
)

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparison

_HEADLINES = ("f1", "macro_f1", "micro_f1")


def headline(comparisons: tuple[Comparison, ...]) -> Comparison:
    """Return the comparison that a summary speaks of: F1 or an average of it where it is there, else the first."""
    found = {c.metric: c for c in comparisons}
    return next((found[name] for name in _HEADLINES if name in found), comparisons[0])


def is_decisive(c: Comparison) -> bool:
    """Say whether a model is better so surely that the central interval of the difference excludes 0."""
    return bool(max(p_worse(c), c.p_h1) >= 0.5 * (1.0 + c.prob))


def p_worse(c: Comparison) -> float:
    """Return the probability that B is worse than A; where draws tie, less than that of H0."""
    if not c.mcse or c.p_h1 > c.p_h0:
        return float(c.p_h0)
    return min(float(c.p_h0), float(c.difference.cdf(np.nextafter(0.0, -1.0))))


def sentence(c: Comparison) -> str:
    """Return the verdict on one measure as a sentence for a paper."""
    label = {"P": "precision", "R": "recall"}.get(c.label, c.label)
    if c.ev.alike:
        return printable(
            f"{c.model_a} and {c.model_b} did the same on every {c.ev.unit}: nothing tells them apart."
        )
    mean, low, high = _difference(c)
    percent = c.measure.percent
    size = (
        f"difference {mean}{' percentage points' if percent else ''}, {100 * c.prob:.4g} % credible interval "
        f"{low} to {high}, {c.model_b} minus {c.model_a}"
    )
    better, worse, p = (
        (c.model_b, c.model_a, c.p_h1) if c.p_h1 > c.p_h0 else (c.model_a, c.model_b, p_worse(c))
    )
    margin = f"±{amount(c.rope, percent=percent)}"
    if c.rope and c.p_rope >= c.prob:
        return printable(
            f"{c.model_a} and {c.model_b} are practically equivalent in {label}: they differ by no more than "
            f"{margin} with probability {probability(c.p_rope)} ({size})."
        )
    if is_decisive(c):
        claim = f"{better} outperforms {worse} in {label} with probability {probability(p)} ({size})"
    else:
        claim = (
            f"The data do not decide between {c.model_a} and {c.model_b} in {label}: "
            f"{better} is better with probability {probability(p)} ({size})"
        )
    if c.rope:
        claim += f"; the difference is within {margin} with probability {probability(c.p_rope)}"
    return printable(f"{claim}.")


def verdict(comparisons: tuple[Comparison, ...]) -> str:
    """Return what a table of comparisons says in all: on F1, or class by class."""
    if len(comparisons) > 1 and all("[" in c.metric for c in comparisons):
        return by_class(comparisons)
    return sentence(headline(comparisons))


def by_class(comparisons: tuple[Comparison, ...]) -> str:
    """Return in which classes either model is the better one, as a sentence."""
    first = comparisons[0]
    names = {
        winner: [
            c.label.partition("[")[2].removesuffix("]")
            for c in comparisons
            if is_decisive(c) and (c.p_h1 > c.p_h0) == (winner == first.model_b)
        ]
        for winner in (first.model_b, first.model_a)
    }
    open_ = len(comparisons) - sum(map(len, names.values()))
    claims = [f"{winner} is better in {listing(found)}" for winner, found in names.items() if found]
    if open_:
        rest = "the other " if claims else "all "
        claims.append(f"{rest}{open_} classes are undecided" if open_ > 1 else "one class is undecided")
    return printable(f"{first.label.partition('[')[0]} class by class: {'; '.join(claims)}.")


def assumptions(c: Comparison) -> str:
    """Return what a comparison assumed, and how it was computed, as a sentence."""
    how = {
        "exact": "computed exactly",
        "quasi-montecarlo": f"computed by quasi-Monte Carlo (standard error {c.mcse:.1g})",
        "montecarlo": f"computed by Monte Carlo (standard error {c.mcse:.1g})",
    }[c.method]
    parts = [c.ev.kind.describe_prior(c.prior), c.under.dependence(c.measure), how]
    if c.folds is not None:
        rule = c.folds.rule if isinstance(c.folds.rule, str) else "given"
        parts.insert(
            1, f"{c.folds.cv} with discount {rule}, k = {c.folds.k:.4f}, for the rules fitted in these folds"
        )
    return f"{'; '.join(parts)}."


def pairing_note(c: Comparison) -> str | None:
    """Return what unknown pairing could change, where only the totals of one test set are known."""
    if c.under.shared or c.folds is not None or np.ndim(c.p_h1):
        return None
    try:
        bounds = c.pairing_bounds
    except ValueError:
        return None
    ends = [probability(end, bounds.digits) for end in bounds]
    if ends[0] == ends[1]:
        return None
    return (
        f"Paired item by item, P(H1) for {c.label} would lie between {ends[0]} and {ends[1]}, as far as the two "
        "models' errors coincide; only the totals are known here."
    )


def table(comparisons: tuple[Comparison, ...]) -> Table:
    """Return the paper's table: metric, both models' intervals, P(H0), P(H1), decision."""
    first = comparisons[0]
    if np.ndim(first.p_h1):
        raise ValueError(
            "a table shows one experiment, but these comparisons have leading axes; use to_frame"
        )
    rope, beside = first.rope > 0, first.independent is not None
    # Where some measures are in percent and others are not, each row says so, else the header.
    percent = {c.measure.percent for c in comparisons}
    unit = " (%)" if percent == {True} else ""
    header = ["Metric", f"{first.model_a}{unit}", f"{first.model_b}{unit}", "Difference", "P(H0)", "P(H1)"]
    latex = [*map(escape_latex, header[:4]), "$P(H_0)$", "$P(H_1)$"]
    if rope:
        header.append("P(rope)")
        latex.append(r"$P(\textrm{rope})$")
    if beside:
        header.append("P(H1) if independent")
        latex.append(r"$P(H_1)$ indep.")
    rows = []
    for c in comparisons:
        row = [f"{c.label} (%)" if c.measure.percent and not unit else c.label]
        row += [
            interval(*post.interval(c.prob), percent=c.measure.percent)
            for post in (c.posterior_a, c.posterior_b)
        ]
        row += [signed(c), probability(c.p_h0), probability(c.p_h1)]
        row += [probability(c.p_rope)] if rope else []
        row += [probability(c.independent.p_h1) if c.independent else ""] if beside else []
        rows.append((*row, c.decision))
    # A model stands out where it is surely the better one.
    sure = tuple(is_decisive(c) for c in comparisons)
    bold = frozenset((i, 2 if c.p_h1 > c.p_h0 else 1) for i, c in enumerate(comparisons) if sure[i])
    note = assumptions(headline(comparisons))
    return Table((*header, "Decision"), tuple(rows), (*latex, "Decision"), bold, note, sure)


def signed(c: Comparison) -> str:
    """Write the difference, B minus A, as its mean and interval."""
    mean, low, high = _difference(c)
    return f"{mean} [{low}, {high}]"


def _difference(c: Comparison) -> tuple[str, ...]:
    low, high = c.difference.interval(c.prob)
    digits, percent = digits_of(low, high, percent=c.measure.percent), c.measure.percent
    return tuple(points(x, digits, sign=True, percent=percent) for x in (c.difference.mean(), low, high))
