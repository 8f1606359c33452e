"""Evaluations from scores, from sums of statistics, and from probabilities, one row for each unit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray, SupportsColumns, rows_of_cells
from bayesf1.base.checks import ArrayLike, Column, OneLabel, is_number
from bayesf1.base.naming import listing, nearest
from bayesf1.evaluation import Evaluation, model_names
from bayesf1.io.label_values import align, check_same_shapes, check_unit, from_rows, read_labels, read_numbers
from bayesf1.io.labels import CodedLabels, from_right, label_notes, positive_items
from bayesf1.metrics import points_down
from bayesf1.runs import is_by_id, refuse_reports, with_runs_in
from bayesf1.tasks.probabilities import cells_of
from bayesf1.tasks.scores import Scores
from bayesf1.tasks.statistics import Statistics, Totals, name_of


def from_scores(
    scores: Mapping[str, Any],
    *,
    name: str = "",
    unit: str | None = None,
    lower_is_better: bool = False,
    groups: ArrayLike | None = None,
) -> Evaluation:
    """Build an Evaluation from scores, one for each unit and model: paired over the units.

    This is how models are compared by metrics of ranked lists, clusterings or translations, such as the average precision of
    each query or BLEU of each sentence. Ask for ``"mean"``, ``"median"``, or give a function ``f(scores, weights)`` whose
    weights have axes (..., score).

    Scores that are all 0 or 1 show which items are right. A bootstrap over few of these would be overconfident, so they are
    read as by `from_correct`, where ``"mean"`` is another name for ``"accuracy"``.

    Parameters
    ----------
    scores
        Mapping of model name to its scores: lists or arrays in the same order of units for all models, or by id of the unit,
        as mappings ``{"q1": 0.3, …}`` or Series, whose order does not matter. From results of pytrec_eval, ``{"q1": {"ndcg":
        0.3, "map": 0.2}, …}``, the metric called `name` is taken. Columns of a frame of pandas are given by ``dict(frame)``.
    name
        What the scores are called in print, such as ``"NDCG@10"``.
    unit
        What a unit is called in print, by default ``"unit"``, or ``"document"`` if there are groups. Folds, splits, seeds
        and runs are not independent units; pass them to `from_frame`.
    lower_is_better
        Whether the better of two models has the lower scores, as with word error rates, losses and perplexities.
    groups
        The topic, document or speaker of each score; these are then the units.

    Examples
    --------
    >>> ev = from_scores({"bm25": [0.2, 0.5, 0.4, 0.1], "dense": [0.3, 0.5, 0.6, 0.3]})
    >>> ev
    <Evaluation of 2 models (bm25, dense) on scores, 4 units in 4 patterns>
    >>> from bayesf1 import score
    >>> round(score(ev, "dense", "mean"), 3)
    0.425
    >>> found = {"bm25": {"q1": {"ndcg": 0.2}, "q2": {"ndcg": 0.5}}, "dense": {"q2": {"ndcg": 0.6}, "q1": {"ndcg": 0.3}}}
    >>> round(score(from_scores(found, name="ndcg"), "dense"), 3)
    0.45
    """
    refuse_reports(scores)
    columns = _pick_metric(scores, name)
    return from_columns(columns, name=name, unit=unit, lower_is_better=lower_is_better, groups=groups)


@with_runs_in("scores", is_by_id)
def from_columns(
    scores: Mapping[str, Any], *, name: str, unit: str | None, lower_is_better: bool, groups: Column | None
) -> Evaluation:
    """Build an Evaluation from scores, as `from_scores` does once it knows their metric."""
    if unit is not None and check_unit(unit) == "item":
        raise ValueError("unit is a name such as 'query', not 'item'; right or wrong goes to from_correct")
    given, beside = align(scores, "scores", {"groups": groups})
    names = tuple(given)
    columns = [
        read_numbers(column, f"scores of {model!r}", "finite numbers, one for each unit", bad=_is_no_number)
        for model, column in given.items()
    ]
    documents = beside["groups"]
    # Axes (unit, model).
    stacked = np.stack(columns, axis=1)
    if ((stacked == 0.0) | (stacked == 1.0)).all():
        return from_right(
            stacked > 0.0, names, name=name, unit=unit, groups=documents, errors=bool(lower_is_better)
        )
    values, number = np.unique(stacked, return_inverse=True)
    task = Scores(tuple(values.tolist()), name, bool(lower_is_better))
    rows = rows_of_cells(number.reshape(stacked.shape), len(values))
    return from_rows(names, task, rows, documents, unit=unit, one="unit")


def _is_no_number(array: FloatArray) -> Any:
    return ~np.isfinite(array)


def _is_no_sum(array: FloatArray) -> Any:
    return ~(np.isfinite(array) & (array >= 0.0))


def _pick_metric(scores: Mapping[str, Any], name: str, *, runs: bool = False) -> Mapping[str, Any]:
    """Return scores with one metric, ``{query: value}``, in place of several, ``{query: {metric: value}}``.

    Examples
    --------
    >>> _pick_metric({"bm25": {"q1": {"ndcg": 0.3, "map": 0.2}}, "dense": [0.4]}, "ndcg")
    {'bm25': {'q1': 0.3}, 'dense': [0.4]}
    """
    picked: dict[str, Any] = {}
    for model, value in scores.items():
        rows: Collection[Any] = ()
        if isinstance(value, Mapping):
            rows = value.values()
        if rows and all(isinstance(row, Mapping) and all(map(is_number, row.values())) for row in rows):
            lacking = [query for query, row in value.items() if name not in row]
            if lacking:
                hint = nearest(name, map(str, value[lacking[0]]))
                raise ValueError(
                    f"scores of {model!r} are metrics of each query, and query {lacking[0]!r} has no {name!r}; give "
                    f"name= another; {hint}; runs whose scores are by id are given as Series"
                )
            value = {query: row[name] for query, row in value.items()}
        elif rows and not runs and all(isinstance(row, Mapping) and not is_by_id(row) for row in rows):
            value = _pick_metric(value, name, runs=True)
        picked[model] = value
    return picked


# ---- statistics --------------------------------------------------------------------------------------------


@with_runs_in("statistics")
def from_statistics(
    statistics: Mapping[str, Any],
    measure: Totals,
    *,
    name: str = "",
    lower_is_better: bool | None = None,
    groups: Column | None = None,
    unit: str | None = None,
) -> Evaluation:
    r"""Build an Evaluation from sums of statistics, where a metric is a function of their totals: paired over units.

    Corpus BLEU, chrF, word error rate and perplexity are not means of their values on single sentences, but :math:`g(\sum_u
    x_u)` with a row :math:`x_u` of counts for each sentence. ``bayesf1.measures`` has several functions g: ``corpus_bleu``,
    ``chrf``, ``ter``, ``wer``.

    Parameters
    ----------
    statistics
        Mapping of model name to its sums: an array (unit, statistic) or a frame. All models have the same statistics and
        units, in one order unless frames have an index. Sums are not negative.
    measure
        The function g of the totals. It is given an array (table, statistic) and returns a number for each table. If it
        cannot, or if the numbers differ from those for single tables, it is called for each table, which is slower. It must
        not depend on the number of units: g(2x) = g(x).
    name
        What the metric is called in print; by default the attribute ``label`` of `measure`, such as BLEU, else its name.
    lower_is_better
        Whether the better of two models has the lower value, as with error rates and perplexities; by default what the
        attribute ``lower_is_better`` of `measure` says, if it has one, else False.
    groups
        The document (speaker, …) of each unit; documents are then the units, and the statistics of their sentences are added
        up.
    unit
        What a unit is called in print: ``"sentence"`` by default, or with groups ``"document"``.

    Examples
    --------
    Errors and words of each sentence:

    >>> def rate(totals):
    ...     return totals[..., 0] / totals[..., 1]
    >>> sums = {"A": [(3, 10), (0, 8), (2, 20)], "B": [(1, 10), (1, 8), (2, 20)]}
    >>> ev = from_statistics(sums, rate, name="WER", lower_is_better=True)
    >>> ev
    <Evaluation of 2 models (A, B) on WER of 2 statistics, 3 sentences in 3 patterns>
    >>> from bayesf1 import score
    >>> round(score(ev, "B"), 4)
    0.1053
    """
    names = model_names(statistics)
    aligned, beside = align(statistics, "statistics", {"groups": groups})
    what = "finite numbers by (unit, statistic), not negative (split amounts of both signs into two columns)"
    sums = {}
    for model in names:
        where = f"statistics of {model!r}"
        sums[where] = read_numbers(aligned[model], where, what, bad=_is_no_sum, ndim=2)
    check_same_shapes(sums)
    # Axes (unit, model, statistic).
    rows = np.stack([*sums.values()], axis=1)
    cells = _cells(statistics, names, rows.shape[-1])
    title = name.strip()
    if title == "":
        title = name_of(measure)
    if lower_is_better is None:
        lower_is_better = points_down(measure)
    task = Statistics(cells, measure, title, bool(lower_is_better))
    task.check(names, rows.sum(axis=0))
    documents = beside["groups"]
    return from_rows(names, task, rows, documents, unit=unit, one="sentence", each_an_item=groups is not None)


def _cells(given: Mapping[str, Any], names: tuple[str, ...], n: int) -> tuple[str, ...]:
    """Return the names of the statistics; raise a ValueError if they differ between models."""
    named = {}
    for model in names:
        if isinstance(given[model], SupportsColumns):
            named[model] = tuple(map(str, given[model].columns))
    if not named:
        return tuple(f"s{i + 1}" for i in range(n))
    first, cells = next(iter(named.items()))
    for model, other in named.items():
        if other != cells:
            raise ValueError(
                f"statistics of {model!r} are {listing(other, most=10)}, but those of {first!r} {listing(cells, most=10)}; "
                "give the same columns in the same order"
            )
    return cells


# ---- probabilities -----------------------------------------------------------------------------------------


@with_runs_in("probabilities", is_by_id)
def from_probabilities(
    y_true: Column,
    probabilities: Mapping[str, Any],
    *,
    positive: OneLabel = None,
    groups: Column | None = None,
) -> Evaluation:
    """Build an Evaluation from probabilities of the positive label, or scores: paired, as all models saw the same items.

    The metrics are ``"roc_auc"``, ``"average_precision"``, ``"brier"`` and ``"log_loss"``, where lower is better for the
    last two; or give a function of scikit-learn that takes ``sample_weight``.

    Parameters
    ----------
    y_true
        Gold labels, one of which is positive; a list or array, or by id, as a mapping or a Series.
    probabilities
        Mapping of model name to the probability of the positive label of each item, in the order of `y_true` or by id.
        For ``roc_auc`` and ``average_precision`` any scores will do that rise with it, such as logits.
    positive
        The label that counts as positive; it may be left out where it is beyond doubt, as in `from_labels`.
    groups
        The document (patient, user, …) of each item; documents are then the units.

    Examples
    --------
    >>> y = [0, 0, 1, 1, 0, 1]
    >>> p = {"A": [0.1, 0.4, 0.35, 0.8, 0.2, 0.9], "B": [0.2, 0.3, 0.6, 0.7, 0.1, 0.8]}
    >>> ev = from_probabilities(y, p)
    >>> ev
    <Evaluation of 2 models (A, B) on probabilities, 6 items in 6 patterns>
    >>> from bayesf1 import score
    >>> round(score(ev, "A", "roc_auc"), 4), round(score(ev, "A", "brier"), 4)
    (0.8889, 0.1138)
    """
    columns, beside = align(probabilities, "probabilities", {"y_true": y_true, "groups": groups})
    gold = read_labels(beside["y_true"], "y_true")
    what = "finite numbers, one for each item: the probability of the positive label alone, such as p[:, 1]"
    read = [
        read_numbers(column, f"probabilities of {model!r}", what, bad=_is_no_number)
        for model, column in columns.items()
    ]
    task, where = cells_of(np.stack(read, axis=1), positive_items(gold, positive))
    rows = rows_of_cells(where, len(task.values))
    ev = from_rows(tuple(columns), task, rows, beside["groups"])
    counts = CodedLabels.of(gold).counts()
    return replace(ev, remarks=label_notes(counts, {"": counts}))
