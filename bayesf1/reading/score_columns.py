"""Evaluations from scores, one for each unit and model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_unmasked
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.scores import Scores
from bayesf1.reading.correct import from_right
from bayesf1.reading.side_by_side import align, check_unit


@with_runs_in("scores")
def from_scores(
    scores: Mapping[str, ArrayLike], *, name: str = "", unit: str = "query", lower_is_better: bool = False
) -> Evaluation:
    """Build an Evaluation from scores, one for each unit and model: paired over the units.

    So measures of ranked lists, clusterings or translations can be compared: average precision of each query,
    BLEU of each sentence. Ask for ``"mean"``, ``"median"``, ``"geometric_mean"``, or give a function
    ``f(scores, weights)`` whose weights have axes (..., score).

    Scores that are all 0 or 1 are no amounts but items right or wrong, which a bootstrap over a few of them knows too
    little of: they come in as by `from_correct`, where ``"mean"`` is another name of ``"accuracy"``.

    Parameters
    ----------
    scores
        Mapping of model name to its scores, in the same order of units for all models. Series are aligned by their
        index.
    name
        What the scores are called in print, such as ``"NDCG@10"``.
    unit
        What a unit is called in print. Folds, splits, seeds and runs are no independent units; see `fold_tests`.
    lower_is_better
        Whether the better of two models has the lower scores, as with word error rates, losses and perplexities.

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
    if not isinstance(lower_is_better, bool | np.bool_):
        raise ValueError(f"lower_is_better is True or False, not {lower_is_better!r}")
    if check_unit(unit) == "item":
        raise ValueError(
            "unit is a name such as 'query' or 'document', not 'item'; items right or wrong go to from_correct"
        )
    said = {model: f"scores of {model!r}" for model in names}
    aligned = align({said[model]: scores[model] for model in names})
    columns = [_scores(aligned[where], where) for where in said.values()]
    n = len(columns[0])
    for model, column in zip(names, columns, strict=True):
        if len(column) != n:
            raise ValueError(f"there are {len(column)} scores of {model!r}, but {n} of {names[0]!r}")
    stacked = np.stack(columns, axis=1)
    if ((stacked == 0.0) | (stacked == 1.0)).all():
        return from_right(stacked > 0.0, names, name=name, unit=unit, errors=bool(lower_is_better))
    values, which = np.unique(stacked, return_inverse=True)
    place = which.reshape(n, len(names)) + np.arange(len(names)) * len(values)
    rows = csr_array(
        (np.ones(place.size), (np.repeat(np.arange(n), len(names)), place.ravel())),
        shape=(n, len(names) * len(values)),
    )
    kind = Scores(tuple(map(float, values)), name, bool(lower_is_better))
    return Evaluation.of_units(names, kind, Units.merge(rows, np.ones(n), unit))


def _scores(values: ArrayLike, where: str) -> FloatArray:
    check_unmasked(values, where)
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
