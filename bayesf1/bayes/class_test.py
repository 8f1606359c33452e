r"""Class by class: where does B gain and where does it lose, and how much of that is chance?

Of thirty classes one or two look decided where nothing differs. The classes' differences are therefore shrunk towards
each other by as much as they are alike. Where every item has one class their prior does it, which is learned from all of
them; of labels and types of spans the differences are shrunk, :math:`\theta_k \sim N(\delta, \tau^2)` under a half-t
prior of τ; see `bayesf1.laws.shrinkage`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, checked
from bayesf1.base.naming import nearest, shown
from bayesf1.base.table import Table, printable
from bayesf1.bayes.bayes_test import Settings, read_settings, result
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.comparisons import Comparisons
from bayesf1.bayes.drawn import Counts, Drawn, share_error
from bayesf1.bayes.posterior import law_of
from bayesf1.bayes.rope import RopeLike
from bayesf1.bayes.tails import shares_of
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.scoring import find_measures
from bayesf1.evaluation.under import Under
from bayesf1.laws.empirical import EmpiricalPosterior
from bayesf1.laws.shrinkage import shrink_draws

_DRAWS = 10_000


@dataclass(frozen=True, eq=False)
class ClassComparison(Comparison):
    """The test of one class, whose difference was shrunk towards those of the others."""

    @property
    def gap(self) -> float:
        """What is believed of B minus A, beside the other classes."""
        return float(self.difference.mean())


class ClassComparisons(Comparisons):
    """The tests of all classes for one pair of models."""

    @property
    def expected_false(self) -> float:
        """How many of the claims are expected to be wrong."""
        return float(sum(min(c.p_h0, c.p_h1) for c in self.values() if c.verdict.endswith(" better")))

    @property
    def table(self) -> Table:
        """The table, whose differences are what is believed beside the other classes."""
        found = super().table

        def renamed(header: tuple[str, ...]) -> tuple[str, ...]:
            return tuple("Difference, shrunk" if name == "Difference" else name for name in header)

        latex = None if found.latex_header is None else renamed(found.latex_header)
        return replace(found, header=renamed(found.header), latex_header=latex)

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences: that of shrinking first."""
        n = sum(c.verdict.endswith(" better") for c in self.values())
        told = "The classes' differences are shrunk towards each other by as much as they are alike"
        if n:
            claims = "one claim" if n == 1 else f"{n} claims"
            told += f"; of the {claims} {self.expected_false:.2g} are expected to be wrong"
        return (printable(f"{told}."), *super().notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        return {**super().to_dict(), "expected_false": self.expected_false}


@checked
def compare_classes(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    metric: str = "f1",
    classes: tuple[str, ...] | None = None,
    rope: RopeLike = 0.0,
    prior: float | None = None,
    prob: float = 0.95,
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int = _DRAWS,
    rng: RNGLike = None,
) -> ClassComparisons:
    """Test class by class whether model B is better than model A: where it gains and where it loses.

    The classes' differences are shrunk towards each other, so that among many equal ones none stands out by chance.
    ``compare(ev, metrics=["f1[PER]"])`` asks of one class by itself.

    Parameters
    ----------
    ev
        An evaluation of several classes, labels or types of spans.
    a, b
        Names of the models; may be left out where there are exactly two.
    metric
        The measure of each class.
    classes
        Which classes; all by default.
    rope, prior, prob, assumption, target, n_draws, rng
        As in `compare`.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> gold = list("aaabbbcccc") * 10
    >>> ev = from_labels(gold, {"A": list("aabbbcccca") * 10, "B": list("aaabbbccca") * 10})
    >>> list(compare_classes(ev, rng=1))
    ['f1[a]', 'f1[b]', 'f1[c]']
    """
    check_evaluation(ev)
    if not ev.classes:
        raise ValueError(
            "there are no classes to compare one by one; build the evaluation by from_labels with more than "
            "two labels, or by from_tags with by_type=True"
        )
    ev = ev.pair(a, b)
    chosen = (
        ev.classes
        if classes is None
        else [name if isinstance(name, str) else shown(name) for name in classes]
    )
    if not chosen:
        raise ValueError(f"classes names no class; {nearest('', ev.classes)}")
    measures = find_measures([f"{metric}[{name}]" for name in chosen], ev)
    settings = read_settings(ev, measures, rope, prior, prob, "montecarlo", n_draws, rng)
    under = ev.under(assumption, target)
    under.warn(*measures)
    seed = settings.seed
    drawn = Drawn(under, tuple(measures), settings.prior, settings.rope, n_draws, (*seed, 0))
    gaps = np.stack([drawn.differences(m.name) for m in measures], axis=1)
    # A prior that is learned from all classes has shrunk them already.
    found = gaps
    if not ev.kind.learns_classes:
        # The models stand in the order of their names, so that swapping them swaps the answer and no more.
        turn = -1.0 if ev.names[1] < ev.names[0] else 1.0
        found = turn * shrink_draws(turn * gaps, np.random.default_rng((*seed, 1))).draws
    return ClassComparisons(
        [_of_class(under, measure, settings, drawn, found[:, i]) for i, measure in enumerate(measures)]
    )


def _of_class(
    under: Under, measure: Metric, settings: Settings, drawn: Drawn, gaps: FloatArray
) -> ClassComparison:
    counts = Counts.of(measure.sign * gaps, settings.rope)
    tails = shares_of(counts, len(gaps), settings.rope)
    low, high = measure.support
    laws = [law_of(measure, under.ev, i, settings.prior) if under.closed else None for i in (0, 1)]
    raw = result(
        under,
        measure,
        settings,
        tails,
        posterior_a=laws[0] or drawn.law(measure, 0),
        posterior_b=laws[1] or drawn.law(measure, 1),
        difference=EmpiricalPosterior.within(gaps, (low - high, high - low)),
        mcse=share_error(counts.better, len(gaps)),
        method="montecarlo",
        n_draws=len(gaps),
    )
    return ClassComparison(**{field.name: getattr(raw, field.name) for field in fields(raw)})
