"""What limits a conclusion, said beside it wherever it is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.table import printable, probability
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
    found = (_few_units(c), spread and spread.sentence(), _pairing(c), *c.ev.notes)
    return tuple(printable(note) for note in found if note)


def _few_units(c: Comparison) -> str:
    caution = c.under.caution(c.measure)
    return caution and f"{caution[0].upper()}{caution[1:]}."


def _pairing(c: Comparison) -> str:
    """Return what unknown pairing could change, where only the totals of one test set are known."""
    if c.under.shared or c.folds is not None:
        return ""
    try:
        low, high = c.pairing_bounds
    except ValueError:
        return ""
    ends = probability(low), probability(high)
    if ends[0] == ends[1]:
        return ""
    return (
        f"Paired item by item, P(H1) for {c.label} would lie between {ends[0]} and {ends[1]}, as far as the two "
        "models' errors coincide; only the totals are known here."
    )
