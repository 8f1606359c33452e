"""Plain scores that lie outside their own intervals: 20 right of 20 is 100 %, and [83.9, 99.9] is what is believed.

Nobody would expect another number than the plain score, and the interval is right: it allows for errors that these items
did not show. So both are told, and a sentence says why they disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayesf1.base.naming import joined
from bayesf1.base.table import printable

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparison


class Told(NamedTuple):
    """A plain score with its interval, of a model in a measure."""

    model: str
    label: str
    score: float
    low: float
    high: float


def outside(told: Iterable[Told]) -> tuple[str, ...]:
    """Return a sentence on scores outside their intervals; none where there are none.

    Examples
    --------
    >>> outside([Told("A", "P", 1.0, 0.839, 0.999), Told("B", "P", 0.9, 0.7, 0.97)])[0].split(",")[0]
    'The plain score of A in P lies outside its equal-tailed interval'
    """
    found = [each for each in told if not each.low <= each.score <= each.high]
    if not found:
        return ()
    which = joined(f"of {each.model} in {each.label}" for each in found)
    lies = f"score {which} lies outside its equal-tailed interval, which allows"
    if len(found) > 1:
        lies = f"scores {which} lie outside their equal-tailed intervals, which allow"
    return (printable(f"The plain {lies} for what these data did not show."),)


def of_comparisons(comparisons: Iterable[Comparison]) -> tuple[str, ...]:
    """Return the sentence on the scores that comparisons tell, each of one experiment."""
    return outside(
        Told(model, c.label, score, *law.interval(c.prob))
        for c in comparisons
        if not np.ndim(c.p_h1)
        for model, score, law in (
            (c.model_a, c.score_a, c.posterior_a),
            (c.model_b, c.score_b, c.posterior_b),
        )
    )
