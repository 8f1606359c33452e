"""Scores of units that are no functions of a confusion table: one a query, document or sentence.

The table of a model is the histogram of its scores; a statistic is a function of the scores and of how often
each occurs, so that a Bayesian bootstrap over units weighs it like any other table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest
from bayesf1.evaluation.evaluation import Evaluation, merge_sparse, model_names
from bayesf1.evaluation.metric import Metric, ratio

Statistic = Callable[[FloatArray, FloatArray], Any]


def from_scores(scores: Mapping[str, ArrayLike], *, name: str = "", unit: str = "query") -> Evaluation:
    """Build an Evaluation from scores, one for each unit and model: paired over the units.

    So measures of ranked lists, clusterings or translations can be compared: average precision of each query,
    BLEU of each sentence. Ask for ``"mean"``, ``"median"``, ``"geometric_mean"``, or give a function
    ``f(scores, weights)`` whose weights have axes (..., score).

    Parameters
    ----------
    scores
        Mapping of model name to its scores, in the same order of units for all models.
    name
        What the scores are called in print, such as ``"NDCG@10"``.
    unit
        What a unit is called in print.

    Examples
    --------
    >>> ev = from_scores({"bm25": [0.2, 0.5, 0.4, 0.1], "dense": [0.3, 0.5, 0.6, 0.3]})
    >>> ev
    <Evaluation of 2 models (bm25, dense) on scores, 4 queries in 4 patterns>
    >>> from bayesf1 import score
    >>> round(score(ev, "dense", "mean"), 3)
    0.425
    """
    from scipy.sparse import csr_array

    if not isinstance(scores, Mapping):
        raise ValueError(f"scores must be a mapping such as {{'A': scores}}, not {type(scores).__name__}")
    names = model_names(scores)
    if not isinstance(name, str):
        raise ValueError(f"name says what the scores are called, such as 'NDCG', not {name!r}")
    if not isinstance(unit, str) or not unit.strip() or unit in ("item", "table"):
        raise ValueError(f"unit is a name such as 'query' or 'document', not {unit!r}")
    columns = [_scores(scores[model], f"scores of {model!r}") for model in names]
    n = len(columns[0])
    for model, column in zip(names, columns, strict=True):
        if len(column) != n:
            raise ValueError(f"there are {len(column)} scores of {model!r}, but {n} of {names[0]!r}")
    values, which = np.unique(np.stack(columns, axis=1), return_inverse=True)
    place = which.reshape(n, len(names)) + np.arange(len(names)) * len(values)
    rows = csr_array(
        (np.ones(place.size), (np.repeat(np.arange(n), len(names)), place.ravel())),
        shape=(n, len(names) * len(values)),
    )
    tables = np.stack(
        [np.bincount(column, minlength=len(values)) for column in which.reshape(n, len(names)).T]
    ).astype(float)
    cells = tuple(repr(float(value)) for value in values)
    ev = Evaluation(names, cells, tables, weights=np.ones(n), unit=unit, task="scores", scored=name)
    return merge_sparse(ev, rows)


def _scores(values: ArrayLike, where: str) -> FloatArray:
    try:
        # Numbers that were read as text are not taken for scores.
        if np.asarray(values).dtype.kind not in "biufO":
            raise TypeError
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{where} must be numbers, one for each unit") from None
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{where} have shape {array.shape}; one number for each unit belongs here")
    if not np.isfinite(array).all():
        i = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{where} have {array[i]} for unit {i + 1}; scores are finite")
    # A negative zero is a zero, and would be another score in print.
    return array + 0.0


def _mean(scores: FloatArray, weights: FloatArray) -> FloatArray:
    return ratio(weights @ scores, weights.sum(axis=-1))


def _median(scores: FloatArray, weights: FloatArray) -> FloatArray:
    below = weights.cumsum(axis=-1)
    half = 0.5 * below[..., -1:]
    # The middle between the last score with at most half of the weight below it and the first with more.
    upper = np.minimum((below <= half * (1 + 1e-12)).sum(axis=-1), len(scores) - 1)
    lower = (below < half * (1 - 1e-12)).sum(axis=-1)
    return np.asarray(0.5 * (scores[lower] + scores[upper]))


def _geometric_mean(scores: FloatArray, weights: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logs = np.where(scores > 0, np.log(np.where(scores > 0, scores, 1.0)), -np.inf)
    used = (weights > 0) & np.isneginf(logs)
    finite = np.where(np.isneginf(logs), 0.0, logs)
    return np.where(used.any(axis=-1), 0.0, np.exp(_mean(finite, weights)))


STATISTICS: dict[str, tuple[str, Statistic]] = {
    "mean": ("Mean", _mean),
    "median": ("Median", _median),
    "geometric_mean": ("Geometric mean", _geometric_mean),
}


def statistic(asked: str | Callable[..., Any], ev: Evaluation) -> Metric:
    """Return a statistic of an evaluation's scores as a measure of its tables."""
    if isinstance(asked, str):
        name = asked.strip().lower().replace("-", "_").replace(" ", "_")
        if name not in STATISTICS:
            raise ValueError(
                f"unknown metric {asked!r} of scores; {nearest(asked, STATISTICS)}; or give a function of "
                "scores and weights"
            )
        label, function = STATISTICS[name]
        label = f"{label} {ev.scored}".strip()
    elif callable(asked):
        name = label = getattr(asked, "__name__", type(asked).__name__)
        function = asked
    else:
        raise ValueError(f"metric {asked!r} is neither a name such as 'mean' nor a function")
    values = np.array([float(cell) for cell in ev.cells])
    named = isinstance(asked, str)
    if named and name == "geometric_mean" and values[0] < 0:
        raise ValueError(f"a geometric mean needs scores from 0, but there is {values[0]:g}")

    def scored(tables: FloatArray) -> FloatArray:
        found = np.asarray(function(values, tables), dtype=np.float64)
        if found.shape == tables.shape[:-1] and not np.isfinite(found).all():
            raise ValueError(
                f"metric {name!r} gave {found[~np.isfinite(found)].flat[0]} for a set of weights"
            )
        if found.shape != tables.shape[:-1]:
            raise ValueError(
                f"metric {name!r} gave an array of shape {found.shape} for weights of shape {tables.shape}; "
                "it works on leading axes and returns one number for each set of weights"
            )
        return found

    support = (float(values[0]), float(values[-1])) if named else (-np.inf, np.inf)
    share = named and values[0] >= 0 and values[-1] <= 1
    return Metric(name, label, ev.cells, None, scored, support, percent=bool(share))
