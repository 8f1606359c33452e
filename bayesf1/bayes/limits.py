"""What limits a conclusion, said beside it wherever it is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.naming import capitalised, joined
from bayesf1.base.table import printable, probability
from bayesf1.bayes import verdict
from bayesf1.bayes.fold_spread import fold_spread

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparison


def notes_of(c: Comparison) -> tuple[str, ...]:
    """Return what limits the conclusion of a comparison, a sentence each.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> notes_of(compare(from_counts(A=(77, 44, 10), B=(70, 40, 9)))["f1"])
    ()
    """
    if np.ndim(c.p_h1):
        return ()
    spread = fold_spread(c)
    found = (
        *_of_training(c),
        *_of_folds(c),
        _no_spread(c) or _few_units(c),
        spread and spread.sentence(),
        _pairing(c),
        *c.ev.notes,
        *c.ev.kind.notes_on(c.under, c.measure),
    )
    return tuple(printable(note) for note in found if note)


def _of_training(c: Comparison) -> Iterator[str]:
    """Say where doubt about methods comes from, and of which training nothing is known."""
    if c.variance is not None:
        yield c.variance.sentence()
    once = [method.name for method in c.ev.methods if len(method.runs) == 1]
    if once and c.target == "method":
        yield (
            f"There is only one run of {joined(once)}, which does not show how its training varies; it is assumed to vary as "
            "much as the other's."
        )
    if c.ev.methods and not c.under.shared:
        yield "Only the runs' totals are known; all runs are assumed to have been tested on the same items."


def _of_folds(c: Comparison) -> Iterator[str]:
    """Say what the other target would give: one of the two is what the reader means."""
    other = None if c.ev.alike else c.other_target
    if other is None:
        return
    trained = c.under.retraining or other.under.retraining
    assert trained is not None
    silent = trained.silent(c.measure)
    if silent:
        yield "The difference is the same in all folds, so they do not show how much training varies."
    if c.under.retraining is not None:
        what = "For the models fitted in these folds, not for the way of training"
        how = verdict.discounted(trained.folds)
    elif silent:
        return
    else:
        what = "For the way of training, and not only for the models fitted in these folds"
        how = trained.law_in_words()
    gap, low, high = verdict.difference(other)
    unit = " points" if c.measure.percent else ""
    yield (
        f"{what}: {c.model_b} is better with probability {probability(other.p_h1)} (difference {gap}{unit}, {low} to "
        f"{high}; {how})."
    )
    yield trained.caution


def _no_spread(c: Comparison) -> str:
    """Say where all units show one difference, of which a bootstrap without a prior is then certain."""
    if c.ev.alike or not c.under.bootstraps or not c.under.sampled or c.target == "method":
        return ""
    low, high = c.difference.interval(c.prob)
    if high - low > 1e-9 * max(abs(low), abs(high)):
        return ""
    unit = c.under.ev.unit
    return (
        f"The difference is the same on all {c.under.sampled}, so they do not show how much it varies from {unit} to {unit}: "
        "its interval has no width, and the probability is surer than the data."
    )


def _few_units(c: Comparison) -> str:
    caution = c.under.caution(c.measure)
    return caution and f"{capitalised(caution)}."


def _pairing(c: Comparison) -> str:
    """Return what unknown pairing could change, where only the totals of one test set are known."""
    if c.under.shared or c.folds is not None:
        return ""
    try:
        bounds = c.pairing_bounds
    except ValueError:
        return ""
    ends = [probability(end, bounds.digits) for end in bounds]
    if ends[0] == ends[1]:
        return ""
    return (
        f"Paired item by item, P(H1) for {c.label} would lie between {ends[0]} and {ends[1]}, depending on how far the "
        "two models' errors coincide; only the totals are known here."
    )
