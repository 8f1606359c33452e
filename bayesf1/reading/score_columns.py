"""Evaluations from scores, one for each unit and model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import Column, checked
from bayesf1.base.number_columns import numbers_of
from bayesf1.base.reports import refuse_reports
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import is_by_id, with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.scores import Scores
from bayesf1.reading.correct import from_right
from bayesf1.reading.label_columns import read_groups
from bayesf1.reading.query_results import fill_missing, pick_measure
from bayesf1.reading.score_frames import columns_of
from bayesf1.reading.side_by_side import align, check_unit, ids_of


@checked
def from_scores(
    scores: Any,
    *,
    name: str = "",
    unit: str | None = None,
    lower_is_better: bool = False,
    groups: ArrayLike | None = None,
    ids: Column | str | None = None,
    models: Sequence[str] | None = None,
    missing: float | None = None,
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
        Mapping of model name to its scores: lists or arrays in the same order of units for all models, or by id of the
        unit, as mappings ``{"q1": 0.3, …}`` or Series, whose order does not matter. What pytrec_eval returns,
        ``{"q1": {"ndcg": 0.3, "map": 0.2}, …}``, is taken by the measure that `name` says. A frame of pandas, polars or
        pyarrow has a column for each model.
    name
        What the scores are called in print, such as ``"NDCG@10"``.
    unit
        What a unit is called in print, by default ``"query"``, or ``"document"`` where there are groups. Folds, splits,
        seeds and runs are no independent units; see `fold_tests`.
    lower_is_better
        Whether the better of two models has the lower scores, as with word error rates, losses and perplexities.
    groups
        The topic, document or speaker of each score; these are then the units.
    ids
        Ids of the units of lists and arrays: a sequence for all of them, or a mapping of model name to its own. Of a
        frame, the column that has them.
    models
        The columns of a frame that are models; all but that of `ids` by default.
    missing
        The score of a unit that another model has and this one lacks, as 0.0 for a query that found nothing; ``ev.notes``
        says how many there were. By default such a unit is an error.

    Examples
    --------
    >>> ev = from_scores({"bm25": [0.2, 0.5, 0.4, 0.1], "dense": [0.3, 0.5, 0.6, 0.3]})
    >>> ev
    <Evaluation of 2 models (bm25, dense) on scores, 4 queries in 4 patterns>
    >>> from bayesf1 import score
    >>> round(score(ev, "dense", "mean"), 3)
    0.425
    >>> found = {"bm25": {"q1": {"ndcg": 0.2}, "q2": {"ndcg": 0.5}}, "dense": {"q2": {"ndcg": 0.6}, "q1": {"ndcg": 0.3}}}
    >>> round(score(from_scores(found, name="ndcg"), "dense"), 3)
    0.45
    """
    if not isinstance(name, str):
        raise ValueError(f"name says what the scores are called, such as 'NDCG', not {name!r}")
    refuse_reports(scores)
    if isinstance(scores, Mapping):
        if models is not None:
            raise ValueError("models= names the columns of a frame; a mapping already names its models")
        scores = pick_measure(scores, name)
    else:
        scores, ids = columns_of(scores, models, ids)
    return _from_columns(
        scores, name=name, unit=unit, lower_is_better=lower_is_better, groups=groups, ids=ids, missing=missing
    )


@with_runs_in("scores", is_by_id)
def _from_columns(
    scores: Mapping[str, Any],
    *,
    name: str,
    unit: str | None,
    lower_is_better: bool,
    groups: ArrayLike | None,
    ids: Any,
    missing: float | None,
) -> Evaluation:
    names = model_names(scores)
    if not isinstance(lower_is_better, bool | np.bool_):
        raise ValueError(f"lower_is_better is True or False, not {lower_is_better!r}")
    if unit is not None and check_unit(unit) == "item":
        raise ValueError(
            "unit is a name such as 'query' or 'document', not 'item'; items right or wrong go to from_correct"
        )
    said = {model: f"scores of {model!r}" for model in names}
    known = {model: (said[model], scores[model]) for model in names}
    known |= {} if groups is None else {"groups": ("groups", groups)}
    own = ids_of(ids, known)
    given = dict(known[model] for model in names)
    remarks: tuple[str, ...] = ()
    if missing is not None:
        given, own, remarks = fill_missing(given, own, missing, unit or "query")
    aligned = align(given if groups is None else {**given, "groups": groups}, own)
    columns = [_scores(aligned[where], where) for where in said.values()]
    n = len(columns[0])
    for model, column in zip(names, columns, strict=True):
        if len(column) != n:
            raise ValueError(f"there are {len(column)} scores of {model!r}, but {n} of {names[0]!r}")
    document = None if groups is None else read_groups(aligned["groups"])
    if document is not None and len(document) != n:
        raise ValueError(f"groups are {len(document)} labels, but there are {n} scores of {names[0]!r}")
    ev = _evaluation(np.stack(columns, axis=1), names, name, unit, bool(lower_is_better), document)
    return replace(ev, remarks=remarks)


def _evaluation(
    stacked: FloatArray,
    names: tuple[str, ...],
    name: str,
    unit: str | None,
    lower_is_better: bool,
    groups: NDArray[Any] | None,
) -> Evaluation:
    """Build an Evaluation from finite scores, axes (unit, model)."""
    from scipy.sparse import csr_array

    n = len(stacked)
    if ((stacked == 0.0) | (stacked == 1.0)).all():
        one = "query" if unit is None and groups is None else unit
        return from_right(stacked > 0.0, names, name=name, unit=one, groups=groups, errors=lower_is_better)
    values, which = np.unique(stacked, return_inverse=True)
    place = which.reshape(n, len(names)) + np.arange(len(names)) * len(values)
    rows = csr_array(
        (np.ones(place.size), (np.repeat(np.arange(n), len(names)), place.ravel())),
        shape=(n, len(names) * len(values)),
    )
    kind = Scores(tuple(values.tolist()), name, lower_is_better)
    if groups is None:
        return Evaluation.of_units(names, kind, Units.merge(rows, np.ones(n), unit or "query"))
    found, which = np.unique(groups, return_inverse=True)
    together = csr_array((np.ones(n), (which.ravel(), np.arange(n))), shape=(len(found), n))
    units = Units.merge(together @ rows, np.ones(len(found)), unit or "document")
    return Evaluation.of_units(names, kind, units, Units.merge(rows, np.ones(n), "query"))


def _scores(values: ArrayLike, where: str) -> FloatArray:
    array = numbers_of(values, where, remedy="must be numbers, one for each unit")
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{where} have shape {array.shape}; one number for each unit belongs here")
    if not np.isfinite(array).all():
        i = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{where} have {array[i]} for unit {i + 1}; scores are finite")
    # A negative zero is a zero, and would be another score in print.
    return array + 0.0
