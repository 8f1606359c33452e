"""Probabilities of both hypotheses, and that the models differ by more than a margin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bayesf1.bayes.drawn import Counts
from bayesf1.bayes.rope import Rope
from bayesf1.evaluation.anchors import Anchor
from bayesf1.evaluation.metric import Metric


class Tails(NamedTuple):
    """Probabilities of both hypotheses, and that B is worse or better by more than the margin."""

    p_h0: Any
    p_h1: Any
    p_less: Any
    p_greater: Any


def tails_of(known: Anchor, measure: Metric, rope: Rope, *, swapped: bool) -> Tails:
    """Return the probabilities that the law of the later name's score minus the earlier's gives."""
    margins = rope.differences(measure)
    turn = -1.0 if swapped else 1.0
    below = known.law.cdf(turn * np.array([0.0, margins.low, margins.high]))
    below, above = (1.0 - below, below) if swapped else (below, 1.0 - below)
    tails = Tails(*map(float, (below[0], above[0], below[1], above[2])))
    if measure.lower_is_better:
        tails = Tails(tails.p_h1, tails.p_h0, tails.p_greater, tails.p_less)
    return tails


def shares_of(counts: Counts, n_draws: int, rope: Rope) -> Tails:
    """Return the shares of draws that favour either model."""
    better, worse_by, better_by = (count / n_draws for count in counts)
    if not rope:
        worse_by, better_by = 1.0 - better, better
    return Tails(1.0 - better, better, worse_by, better_by)
