"""The few sums of cells that a measure is a function of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Harmonic, Metric, Proportion, fbeta, proportion

# The measure on its sums, axes (..., sum) to (...,).
Score: TypeAlias = Callable[[FloatArray], FloatArray]


def sufficient_sums(measure: Metric, ev: Evaluation) -> tuple[Any, Score]:
    """Return the sums that a measure is a function of, as a matrix (cell, sum), and that function.

    Shares need two sums and F-scores three, however many classes are pooled in them; the mean of scores needs one.
    Other measures need the cells that they name.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> from bayesf1.evaluation.metric import find_metric
    >>> sums, score = sufficient_sums(find_metric("accuracy"), from_counts(A=(77, 44, 10, 702)))
    >>> sums.T
    array([[1., 0., 0., 1.], [0., 1., 1., 0.]])
    >>> score(np.array([9.0, 1.0]))
    array(0.9)
    """

    def indicators(*groups: tuple[str, ...]) -> FloatArray:
        return np.array([[cell in group for group in groups] for cell in ev.cells], dtype=float)

    match measure.law:
        case Proportion(successes, failures):
            return indicators(successes, failures), proportion(1)
        case Harmonic(beta, tp, fp, fn):
            return indicators(tp, fp, fn), lambda sums: fbeta(sums, beta=beta)
    if ev.task == "scores" and measure.name == "mean":
        values = np.array([float(cell) for cell in ev.cells])
        return np.stack([values, np.ones(len(values))], axis=1), lambda sums: sums[..., 0] / sums[..., 1]
    needed = [i for i, cell in enumerate(ev.cells) if not measure.needs or cell in measure.needs]
    cells = tuple(ev.cells[i] for i in needed)
    if ev.sparse_patterns is None:
        return np.eye(len(ev.cells))[:, needed], lambda sums: measure(sums, cells)
    from scipy.sparse import eye_array

    return eye_array(len(ev.cells), format="csr")[:, needed], lambda sums: measure(sums, cells)
