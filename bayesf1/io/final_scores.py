"""Final scores of folds, or of training runs: a number for each model, of whose items nothing is known."""

from __future__ import annotations

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray
from bayesf1.base.naming import joined, number_of
from bayesf1.designs import BlockedCV, KFoldCV, design_of, is_block_regularised, read_design
from bayesf1.evaluation import Evaluation
from bayesf1.io.long_tables import LongTable, numbered, numbers_in_order
from bayesf1.runs import methods_of
from bayesf1.tasks.final import FinalScores, check_scored
from bayesf1.units import Folds


def from_final_scores(table: LongTable) -> Evaluation:
    """Return the evaluation of final scores: of folds, of runs, or one of each model."""
    if table.roles["fold"] is not None:
        return _of_folds(table)
    if table.roles["run"] is not None:
        return _of_runs(table)
    return Evaluation(tuple(table.models), _task(table), _scores(table))


def _task(table: LongTable) -> FinalScores:
    content = table.content
    return FinalScores(check_scored(content.answers), content.lower_is_better, content.shares)


def _scores(table: LongTable) -> FloatArray:
    """Return the scores, axes (row, score)."""
    return np.asarray(table.frame[[*table.content.answers]].to_numpy(dtype=float))


# ---- training runs ----------------------------------------------------------------------------------------


def _of_runs(table: LongTable) -> Evaluation:
    """Return the evaluation of scores of several training runs of each model, on one test set."""
    names = table.run_names
    methods = methods_of(table.runs, [*names])
    row_of_name = {name: row for row, name in enumerate(names)}
    rows = {method.name: [row_of_name[run] for run in method.runs] for method in methods}
    scores = _scores(table)
    _check_runs_vary({method: scores[own] for method, own in rows.items()})
    ordered = [row for own in rows.values() for row in own]
    return Evaluation(tuple(names[ordered]), _task(table), scores[ordered], methods=methods)


def _check_runs_vary(scores: dict[str, FloatArray]) -> None:
    """Refuse runs that have the same scores for every model, axes (run, score)."""
    have_several = any(len(own) > 1 for own in scores.values())
    vary = any(np.ptp(own, axis=0).any() for own in scores.values())
    if have_several and not vary:
        raise ValueError(
            f"all runs of {joined(scores)} have the same score, which does not show how much training "
            "varies; was the seed used? Give one run of each with what it did item by item"
        )


# ---- folds ------------------------------------------------------------------------------------------------


def _of_folds(table: LongTable) -> Evaluation:
    """Return the evaluation of scores of the folds of a cross-validation; scores of several rows of a fold are averaged."""
    model, models = numbered(table.column("model"))
    scores = _scores(table)
    # The place of each row's repeat and fold.
    repeat = repeats_of(table)
    fold = _folds_within(table, repeat)
    n_repeats = int(repeat.max()) + 1
    n_folds = int(fold.max()) + 1
    # Axes (repeat, fold, model), then also (…, score).
    n_rows = np.zeros((n_repeats, n_folds, len(models)))
    sums = np.zeros((*n_rows.shape, scores.shape[1]))
    np.add.at(n_rows, (repeat, fold, model), 1.0)
    np.add.at(sums, (repeat, fold, model), scores)
    cv = design_of_folds(table, n_repeats, n_folds)
    missing = np.argwhere(n_rows == 0.0)
    if len(missing):
        j, k, m = missing[0]
        where = f"fold {k + 1} of repeat {j + 1}" if n_repeats > 1 else f"fold {k + 1}"
        raise ValueError(f"{models[m]!r} has no score for {where}; all models need all folds")
    means = sums / n_rows[..., None]
    share = 1.0 / (n_repeats * n_folds)
    remarks = ("Scores of several rows of a fold were averaged.",) if n_rows.max() > 1.0 else ()
    return Evaluation(
        tuple(models),
        _task(table),
        means.mean(axis=(0, 1)),
        folds=Folds(means, cv, share, share),
        remarks=remarks,
    )


def repeats_of(table: LongTable) -> IntArray:
    """Return the number of each row's repeat of a cross-validation, from 0."""
    if table.roles["repeat"] is None:
        return np.zeros(len(table.frame), dtype=np.intp)
    return numbers_in_order(table.column("repeat"))


def _folds_within(table: LongTable, repeat: IntArray) -> IntArray:
    """Return the number of each row's fold from 0, as folds are numbered within each repeat."""
    names = table.column("fold").to_numpy()
    folds = np.zeros(len(names), dtype=np.intp)
    for j in np.unique(repeat):
        rows = repeat == j
        folds[rows] = numbers_in_order(names[rows])
    return folds


def design_of_folds(
    table: LongTable, n_repeats: int, n_folds: int, partition: IntArray | None = None
) -> BlockedCV | KFoldCV:
    """Return the design that was given, or the one with these numbers of repeats and folds.

    Halves are block-regularised or random, which shows if we know the fold of each item, axes (repeat, item). Final
    scores have no items, and their comparison is the same for both.
    """
    if n_folds < 2:
        raise ValueError(f"column {table.roles['fold']!r} has one fold; a cross-validation has two or more")
    given = table.content.cv
    if given is not None:
        cv = read_design(given) if isinstance(given, str) else given
        if cv.shape != (n_repeats, n_folds):
            raise ValueError(
                f"cv= is {cv}, but the table has {number_of(n_repeats, 'repeat')} of {n_folds} folds"
            )
        return cv
    if partition is not None and is_block_regularised(partition):
        return BlockedCV(n_repeats)
    if partition is not None and n_repeats == 1:
        return KFoldCV(n_folds)
    if partition is None and n_repeats > 1:
        return KFoldCV(n_folds, n_repeats)
    return design_of(n_repeats, n_folds)
