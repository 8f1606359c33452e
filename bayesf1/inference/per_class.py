"""Which classes a model is better at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike
from bayesf1.base.naming import nearest
from bayesf1.distributions.random_effects import shrink_draws
from bayesf1.evaluation import Evaluation, resolve_metrics
from bayesf1.inference.compare import ComparisonOptions, Computation, comparison_of
from bayesf1.inference.comparison import Comparison, Comparisons, RopeLike
from bayesf1.inference.posterior import ScorePosterior
from bayesf1.inference.tails import Tails, share_error
from bayesf1.metrics import Metric
from bayesf1.output.table import Table
from bayesf1.output.words import classes as words
from bayesf1.output.words.prose import formatted
from bayesf1.sampling.model import SamplingModel, sampling_model

_DRAWS = 10_000


class ClassComparisons(Comparisons):
    """The tests of all classes for one pair of models."""

    difference_label = "Shrunk difference"

    @property
    def expected_false(self) -> float:
        """How many of the claims are expected to be wrong."""
        return float(sum(min(c.p_h0, c.p_h1) for c in self.values() if c.winner is not None))

    @property
    def table(self) -> Table:
        """The table, with observed differences, and with differences shrunk towards those of other classes."""
        return words.table(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences; the one on shrinking comes first."""
        return (words.shrinkage_note(self), *super().notes)

    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the answer was found, for a paper's section on methods."""
        return formatted(words.methods(self), format)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        return {**super().to_dict(), "expected_false": self.expected_false}


def compare_classes(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    metric: str = "f1",
    classes: Sequence[str] | None = None,
    rope: RopeLike = 0.0,
    prior: float | None = None,
    prob: float = 0.95,
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int = _DRAWS,
    rng: RNGLike = None,
) -> ClassComparisons:
    """Test class by class whether model B is better than model A: where it gains and where it loses.

    The classes' differences are shrunk towards each other, so that none of many equal classes stands out by chance.
    ``compare(ev, metrics=["f1[PER]"])`` asks about one class by itself.

    Parameters
    ----------
    ev
        An evaluation of several classes, labels or types of spans.
    a, b
        Names of the models; may be left out if there are exactly two.
    metric
        The metric of each class.
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
    if not ev.classes:
        raise ValueError(
            "there are no classes to compare one by one; build the evaluation by from_labels with more than "
            "two labels, or by from_tags with by_type=True"
        )
    ev = ev.pair(a, b)
    chosen = ev.classes if classes is None else classes
    if not len(chosen):
        raise ValueError(f"classes names no class; {nearest('', ev.classes)}")
    metrics = resolve_metrics([f"{metric}[{name}]" for name in chosen], ev)
    asked = ComparisonOptions.of(metrics, rope=rope, prob=prob, method="auto", n_draws=n_draws, rng=rng)
    sampling = sampling_model(ev, assumption, target, prior)
    # The models are drawn in the order of their names, so that swapping them swaps the answer and nothing else.
    ordered = replace(sampling, ev=ev.select(sorted(ev.names)))
    drawn = ordered.scores(metrics, n_draws=n_draws, rng=np.random.default_rng(asked.seed))
    # Axes (draw, class).
    differences = np.stack([scores[:, 1] - scores[:, 0] for scores in drawn], axis=1)
    shrunk = shrink_draws(differences, np.random.default_rng((asked.seed, 1)))
    swapped = ordered.ev.names != sampling.ev.names
    if swapped:
        drawn = [scores[:, ::-1] for scores in drawn]
        shrunk = -shrunk
    comparisons = []
    for of_class, scores, shrunk_differences in zip(metrics, drawn, shrunk.T, strict=True):
        comparisons.append(_of_class(sampling, of_class, asked, scores, shrunk_differences))
    return ClassComparisons(comparisons)


def _of_class(
    sampling: SamplingModel,
    metric: Metric,
    asked: ComparisonOptions,
    scores: FloatArray,
    differences: FloatArray,
) -> Comparison:
    """Return the comparison of one class from draws of both scores, axes (draw, model), and of the shrunk difference."""
    n_draws = len(differences)
    tails = Tails.from_draws(metric.sign * differences, asked.rope)
    posteriors = ScorePosterior(sampling, metric, scores).pair(differences)
    return comparison_of(
        sampling,
        metric,
        asked,
        tails,
        posteriors,
        Computation(method="montecarlo", n_draws=n_draws, mcse=share_error(tails.p_h1 * n_draws, n_draws)),
        shrunk_difference=float(posteriors.difference.mean()),
    )
