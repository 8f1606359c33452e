"""Draws of independent models, from draws of models that share their items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from bayesf1.bayes.drawn import Counts, Drawn, Made
from bayesf1.bayes.posterior import KEPT_DRAWS
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.under import Under
from bayesf1.laws.law import lazy_property


@dataclass(frozen=True, eq=False)
class Unpaired(Drawn):
    """Draws of two models by themselves.

    What is believed of a model does not hang on others that saw the same items, so that a draw of its score beside another
    draw of the other's is one of independent models, and nothing need be drawn anew.

    Attributes
    ----------
    paired
        Draws of both together.
    """

    paired: Drawn = field(kw_only=True)

    @classmethod
    def of(cls, paired: Drawn, under: Under, measures: Sequence[Metric], n_draws: int) -> Self | None:
        """Return draws of independent models, None where others would be drawn, or more of them."""
        kept = all(measure.name not in paired.lawful for measure in measures)
        if paired.under.bootstraps or not kept or not n_draws <= paired.n_draws <= KEPT_DRAWS:
            return None
        asked = tuple(measures), paired.prior, paired.rope, paired.n_draws, paired.seed
        return cls(under, *asked, anchored=False, paired=paired)

    @lazy_property
    def _made(self) -> dict[str, Made]:
        first, second = self.under.ev.names
        # The same one of the two, whatever their order, so that swapping them swaps the answer and no more.
        moved = int(first < second)
        found = {}
        for measure in self.measures:
            scores = np.stack([self.paired.scores(measure.name, model) for model in (0, 1)], axis=1)
            scores[:, moved] = np.roll(scores[:, moved], len(scores) // 2)
            gaps = scores[:, 1] - scores[:, 0]
            counts = Counts.of(gaps * measure.sign, self.rope)
            found[measure.name] = Made(scores, gaps, None, counts, len(gaps))
        return found
