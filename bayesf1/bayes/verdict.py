"""A comparison in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import joined, listing, plural
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
    from bayesf1.evaluation.folds import Folds
    from bayesf1.laws.law import Posterior

HEADLINES = ("f1", "macro_f1", "micro_f1", "roc_auc")


def headline(comparisons: tuple[Comparison, ...]) -> Comparison:
    """Return the comparison that a summary speaks of: F1, its average or ROC AUC where it is there, else the first."""
    found = {c.metric: c for c in comparisons}
    return next((found[name] for name in HEADLINES if name in found), comparisons[0])


def is_decisive(c: Comparison) -> bool:
    """Say whether one model may be called better: the central interval of the difference excludes 0."""
    return bool(max(c.p_h0, c.p_h1) >= c.threshold)


def not_worse(c: Comparison) -> tuple[str, str, float, float] | None:
    """Return which model is shown not to be worse than which by more than what, and how surely; None where none is."""
    if c.region and c.p_not_worse >= c.threshold:
        return c.model_b, c.model_a, -c.region.low, c.p_not_worse
    if c.region and 1.0 - c.p_greater >= c.threshold:
        return c.model_a, c.model_b, c.region.high, 1.0 - c.p_greater
    return None


def sentence(c: Comparison) -> str:
    """Return the verdict on one measure as a sentence for a paper."""
    label = {"P": "precision", "R": "recall"}.get(c.label, c.label)
    if c.ev.alike:
        return printable(
            f"{c.model_a} and {c.model_b} did the same on every {c.ev.unit}: nothing tells them apart."
        )
    if not np.any([c.gap, *c.difference.interval(c.prob)]) and c.difference.std() < 1e-12:
        return printable(
            f"{c.model_a} and {c.model_b} have the same {label}, whichever {plural(c.ev.unit)} are drawn: "
            "nothing tells them apart."
        )
    gap, low, high = difference(c)
    percent = c.measure.percent
    size = (
        f"difference {gap}{' percentage points' if percent else ''}, {100 * c.prob:.4g} % credible interval "
        f"{low} to {high}, {c.model_b} minus {c.model_a}{'; lower is better' if c.measure.lower_is_better else ''}"
    )
    # At one half neither leads; the first name is named, whichever is A.
    b_leads = c.p_h1 > c.p_h0 or (c.p_h1 == c.p_h0 and c.model_b < c.model_a)
    better, worse, p = (c.model_b, c.model_a, c.p_h1) if b_leads else (c.model_a, c.model_b, c.p_h0)
    margin = c.region.words(percent=percent)
    scope = f", {c.under.scope}" if c.under.scope else ""
    # A region is one of how much better B is, and a difference of losses has the other sign.
    ahead = f"{c.model_b} is ahead by"
    if c.region and c.p_rope >= c.prob:
        within = "they differ by no more than" if c.region.symmetric else ahead
        return printable(
            f"{c.model_a} and {c.model_b} are practically equivalent in {label}: {within} "
            f"{margin} with probability {probability(c.p_rope)}{scope} ({size})."
        )
    if is_decisive(c):
        claim = f"{better} outperforms {worse} in {label} with probability {probability(p)}{scope} ({size})"
    elif (shown := not_worse(c)) is not None:
        model, other, least, sure = shown
        claim = (
            f"{model} is not worse than {other} in {label} by more than {amount(least, percent=percent)}, with probability "
            f"{probability(sure)}{scope}; which is better is not decided ({size})"
        )
    else:
        claim = (
            f"The data do not decide between {c.model_a} and {c.model_b} in {label}: "
            f"{better} is better with probability {probability(p)}{scope} ({size})"
        )
    if c.region:
        within = "the difference is within" if c.region.symmetric else ahead
        claim += f"; {within} {margin} with probability {probability(c.p_rope)}"
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


def assumptions(comparisons: tuple[Comparison, ...]) -> str:
    """Return what comparisons assumed, how each measure was computed, and what "better" needs, as a sentence."""
    c = headline(comparisons)
    parts = [c.ev.kind.describe_prior(c.prior), c.under.dependence(c.measure), computed(comparisons)]
    if c.folds is not None and c.under.retraining is not None:
        parts[0] = f"{c.folds.cv}, for the way of training and not only for the models fitted in these folds"
    elif c.folds is not None:
        parts.insert(1, f"{discounted(c.folds)}, for the models fitted in these folds")
    if start := drawn_from(comparisons):
        parts.append(start)
    parts.append(f"“better” means a probability of at least {c.threshold:.4g}")
    return f"{'; '.join(parts)}."


def discounted(folds: Folds) -> str:
    """Write a design with what its folds are taken to be worth."""
    rule = folds.rule if isinstance(folds.rule, str) else "given"
    return f"{folds.cv} with discount {rule}, k = {folds.k:.4f}"


def by_method(comparisons: tuple[Comparison, ...]) -> dict[str, list[Comparison]]:
    """Return the comparisons by how their probabilities were computed."""
    ways: dict[str, list[Comparison]] = {}
    for c in comparisons:
        ways.setdefault(c.method, []).append(c)
    return ways


def computed(comparisons: tuple[Comparison, ...]) -> str:
    """Return how each measure's probabilities were computed, in a few words."""
    ways, said = by_method(comparisons), []
    for method, found in ways.items():
        error = max(float(c.mcse) for c in found)
        how = {
            "exact": f"{'probabilities ' * any(c.n_draws for c in found)}computed exactly",
            "quasi-montecarlo": f"computed by quasi-Monte Carlo (standard error {error:.1g})",
            "montecarlo": f"computed by Monte Carlo (standard error {error:.1g})",
        }[method]
        some = f"{joined(c.label for c in found)} " if len(ways) > 1 else ""
        said.append(f"{some}{how}")
    return ", ".join(said)


def drawn_from(comparisons: tuple[Comparison, ...]) -> str:
    """Say what draws start from; nothing where the table and its probabilities need none."""
    drawn = next((c for c in comparisons if c.n_draws), None)
    if drawn is None:
        return ""
    # Beside "computed exactly" a reader asks what was drawn.
    exact = all(c.method == "exact" for c in comparisons)
    return start_in_words(drawn.start, "draws for the interval of the difference" if exact else "draws")


def table(comparisons: tuple[Comparison, ...], notes: tuple[str, ...] = ()) -> Table:
    """Return metric, both models' scores with intervals, the difference, P(H0), P(H1) and the verdict."""
    first = comparisons[0]
    if np.ndim(first.p_h1):
        raise ValueError(
            "a table shows one experiment, but these comparisons have leading axes; use to_frame"
        )
    rope, beside = bool(first.region), first.beside is not None
    # Of a symmetric region the verdict says it.
    one_sided = not first.region.symmetric
    # Where some measures are in percent and others are not, each row says so, else the header.
    percent = {c.measure.percent for c in comparisons}
    unit = " (%)" if percent == {True} else ""
    header = ["Metric", f"{first.model_a}{unit}", f"{first.model_b}{unit}", "Difference", "P(H0)", "P(H1)"]
    latex = [*map(escape_latex, header[:4]), "$P(H_0)$", "$P(H_1)$"]
    if rope:
        header.append("P(rope)")
        latex.append(r"$P(\textrm{rope})$")
    if one_sided:
        header.append("P(not worse)")
        latex.append(r"$P(\textrm{not worse})$")
    if beside:
        header.append("P(H1) if independent")
        latex.append(r"$P(H_1)$ indep.")
    rows = []
    for c in comparisons:
        row = [f"{c.label} (%)" if c.measure.percent and not unit else c.label]
        row += [_scored(c.score_a, c.posterior_a, c), _scored(c.score_b, c.posterior_b, c)]
        row += [signed(c), probability(c.p_h0), probability(c.p_h1)]
        row += [probability(c.p_rope)] if rope else []
        row += [probability(c.p_not_worse)] if one_sided else []
        row += [probability(c.independent.p_h1) if c.independent else ""] if beside else []
        rows.append((*row, c.verdict))
    # A model stands out where it is surely the better one.
    sure = tuple(is_decisive(c) for c in comparisons)
    bold = frozenset((i, 2 if c.p_h1 > c.p_h0 else 1) for i, c in enumerate(comparisons) if sure[i])
    note = assumptions(comparisons)
    # P(H1) says what the other probabilities and the verdict rest on.
    spare = (("P(H1) if independent",), ("Verdict",), ("P(H0)",), ("P(rope)",), ("P(not worse)",))
    return Table((*header, "Verdict"), tuple(rows), (*latex, "Verdict"), bold, note, sure, notes, spare)


def _scored(score: float, post: Posterior, c: Comparison) -> str:
    """Write a plain score with its interval."""
    low, high = post.interval(c.prob)
    digits, percent = digits_of(low, high, percent=c.measure.percent), c.measure.percent
    return f"{points(score, digits, percent=percent)} {interval(low, high, percent=percent)}"


def signed(c: Comparison) -> str:
    """Write the difference of the plain scores, B minus A, with its interval."""
    gap, low, high = difference(c)
    return f"{gap} [{low}, {high}]"


def difference(c: Comparison) -> tuple[str, ...]:
    """Write the difference of the plain scores, B minus A, and the ends of its interval."""
    low, high = c.difference.interval(c.prob)
    digits, percent = digits_of(low, high, percent=c.measure.percent), c.measure.percent
    return tuple(points(x, digits, sign=True, percent=percent) for x in (c.gap, low, high))
