"""Several answers of a model to each item, by generation or by prompt: an item counts by their mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import AnyArray, FloatArray, IntArray, indicators, rows_of_cells, sparse
from bayesf1.base.naming import quoted
from bayesf1.evaluation import Evaluation
from bayesf1.io.folded import Gold, Marked
from bayesf1.io.labels import from_correct
from bayesf1.io.long_tables import LongTable, numbered, numbers_by_occurrence
from bayesf1.io.roles import noun_of
from bayesf1.task import Task
from bayesf1.tasks.correctness import Correctness
from bayesf1.tasks.scores import Scores
from bayesf1.units import Generations, Units

# Rows of more columns than this are kept sparse.
_WIDE = 64


def from_item_means(table: LongTable) -> Evaluation:
    """Return the evaluation of means over the generations, or prompts, of each item; models may have more or fewer.

    How the answers of one model to one item differ is kept as `Generations`.
    """
    from scipy.sparse import hstack

    if table.content.gold is not None and table.roles["prompt"] is None:
        # Only another prompt, as in another language, may have another gold label.
        table.of_items(table.content.gold)
    # The place of each row's model, or run, and of its item.
    model, names = numbered(table.run_names)
    item = table.items.numbers
    n_answers = _numbers_of_answers(table, names, model, item)
    answers = _answers(table)
    means: list[Any] = []
    deviations: list[_Deviations] = []
    for m in range(len(names)):
        of_model = np.flatnonzero(model == m)
        own = answers.rows[of_model]
        mean = _means(own, item[of_model], n_answers[m])
        means.append(mean)
        deviations.append(_deviations(own, item[of_model], mean, n_answers[m]))
    ev = _of_items(table, tuple(names), answers.task, sparse(hstack(means, format="csr")))
    if n_answers.max() > 1.0:
        noun = "prompt" if table.roles["generation"] is None else "generation"
        parts = Generations(
            _units_of_deviations(deviations),
            freedom=n_answers.sum(axis=1) - n_answers.shape[1],
            least=int(n_answers.min()),
            most=int(n_answers.max()),
            noun=noun,
        )
        ev = replace(ev, generations=parts)
    return ev if table.roles["run"] is None else ev.with_runs(table.runs)


def _numbers_of_answers(table: LongTable, models: AnyArray, model: IntArray, item: IntArray) -> FloatArray:
    """Return how many answers each model gave to each item, axes (model, item), or refuse an item without one."""
    n_answers = np.zeros((len(models), int(item.max()) + 1))
    np.add.at(n_answers, (model, item), 1.0)
    missing = np.argwhere(n_answers == 0.0)
    if len(missing):
        m, i = missing[0]
        name = table.items.names[i]
        raise ValueError(f"{models[m]!r} has no answer to item {quoted(name)}; all models need all items")
    return n_answers


# ---- what a row adds --------------------------------------------------------------------------------------


class _Answers(NamedTuple):
    """A task, and what each answer adds to its model's table, a sparse array (row, cell)."""

    task: Task
    rows: Any


def _answers(table: LongTable) -> _Answers:
    """Return what each row adds to its model's table, as if all rows were of one model."""
    content = table.content
    if content.kind == "gold":
        predicted = {"model": table.frame[content.answer].tolist()}
        gold = Gold.read(table.frame[content.gold].tolist(), None, content.positive).knowing([predicted])
        return _Answers(gold.evaluate(predicted).task, gold.rows(predicted))
    if content.kind == "correct":
        marks = {"model": table.frame[content.answer].to_numpy(dtype=float)}
        return _Answers(from_correct(marks).task, Marked([]).rows(marks))
    name = content.answer
    scores = table.frame[name].to_numpy(dtype=float)
    if np.isin(scores, (0.0, 1.0)).all():
        cells = ("wrong", "right") if content.lower_is_better else ("right", "wrong")
        return _Answers(Correctness(cells, name), Marked([]).rows({"model": scores}))
    values, which = np.unique(scores, return_inverse=True)
    task = Scores(tuple(values.tolist()), name, content.lower_is_better)
    return _Answers(task, rows_of_cells(which[:, None], len(values)))


# ---- means of items ---------------------------------------------------------------------------------------


def _means(rows: Any, item: IntArray, n_answers: FloatArray) -> Any:
    """Return the mean of the rows of each item, a sparse array (item, cell)."""
    shares = 1.0 / n_answers[item]
    averaging = sparse((shares, (item, np.arange(len(item)))), (len(n_answers), len(item)))
    return averaging @ rows


class _Deviations(NamedTuple):
    """How rows differ from the means of their items, axes (row, cell) of one model, and the weights of their squares."""

    rows: Any
    weights: FloatArray


def _deviations(rows: Any, item: IntArray, means: Any, n_answers: FloatArray) -> _Deviations:
    r"""Return how rows differ from the means of their items, for items with several rows.

    The mean of an item's k answers has the variance :math:`s^2 / k` with :math:`s^2 = \sum (x - \bar{x})^2 / (k - 1)`. Items
    with one answer are assumed to vary as the others do on average, so each of the others also counts for :math:`n_1 /
    n_{>1}` of them.
    """
    k = n_answers[item]
    n_single = float((n_answers == 1.0).sum())
    n_repeated = float((n_answers > 1.0).sum())
    repeated = np.flatnonzero(k > 1.0)
    differences = rows[repeated] - means[item[repeated]]
    if not len(repeated):
        return _Deviations(differences, np.zeros(0))
    k = k[repeated]
    weights = (1.0 / k + n_single / n_repeated) / (k - 1.0)
    return _Deviations(differences, weights)


def _units_of_deviations(deviations: Sequence[_Deviations]) -> Units:
    """Return the deviations of all models as units, each row with zeros in the columns of other models."""
    from scipy.sparse import block_diag

    rows = sparse(block_diag([own.rows for own in deviations], format="csr"))
    weights = np.concatenate([own.weights for own in deviations])
    return _merged(rows, weights, "generation")


# ---- units ------------------------------------------------------------------------------------------------


def _of_items(table: LongTable, models: tuple[str, ...], task: Task, means: Any) -> Evaluation:
    """Return the evaluation of what items add, axes (item, model·cell), or of the sums over their groups."""
    n_items = means.shape[0]
    unit = table.content.unit
    item = noun_of(str(table.roles["item"]), "example")
    if unit is not None and table.groups is None:
        item = unit
    items = _merged(means, np.ones(n_items), item)
    if table.groups is None:
        return Evaluation.of_units(models, task, items)
    group = numbers_by_occurrence(table.groups)
    n_groups = int(group.max()) + 1
    sums = indicators(group, np.arange(n_items), (n_groups, n_items)) @ means
    documents = _merged(sums, np.ones(n_groups), "document" if unit is None else unit)
    return Evaluation.of_units(models, task, documents, items)


def _merged(rows: Any, weights: FloatArray, name: str) -> Units:
    """Return units of sparse rows, which stay sparse if they are wide."""
    if rows.shape[1] <= _WIDE:
        rows = rows.toarray()
    return Units.merge(rows, weights, name)
