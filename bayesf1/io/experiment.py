"""From the rows of a long table to an evaluation: the roles of its columns show what was sampled.

====================================  ==================================================================
item                                  items, paired (`from_labels`, `from_correct`, `from_scores`)
item and generation, or prompt        means over the generations of an item (`repeated_answers`)
item and run                          items and training (`Evaluation.with_runs`)
item and fold                         predictions out of fold (`folded`)
fold, without item                    the correlated t of final scores (`final_scores`)
run, without item                     final scores of one test set (`final_scores`)
corpus, and any of these              random effects of the scores on data sets (`Corpora`)
====================================  ==================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import IntArray
from bayesf1.base.naming import plural
from bayesf1.evaluation import Corpora, Evaluation, check_same_models
from bayesf1.io.columns import checked_numbers
from bayesf1.io.final_scores import design_of_folds, from_final_scores, repeats_of
from bayesf1.io.folded import Gold, Marked, folded
from bayesf1.io.label_values import check_unit
from bayesf1.io.labels import from_correct, from_labels
from bayesf1.io.long_tables import Content, LongTable, numbers_in_order, text_of
from bayesf1.io.repeated_answers import from_item_means
from bayesf1.io.roles import ABOUT, Roles, noun_of, recognise_roles, role_of
from bayesf1.io.scores import from_scores
from bayesf1.tasks.final import FinalScores, known_share


def from_long(
    frame: Any, given: Mapping[str, str], content: Content, *, remarks: tuple[str, ...] = ()
) -> Evaluation:
    """Return the evaluation of a long frame of pandas by the roles of its columns.

    Parameters
    ----------
    frame
        A row for each model and unit that was sampled.
    given
        The columns whose role was given; others are recognised by their names.
    content
        The columns that hold what models did.
    remarks
        Remarks from reading the table.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"model": list("AAABBB"), "fold": [1, 2, 3] * 2, "f1": [0.7, 0.6, 0.8, 0.8, 0.7, 0.8]})
    >>> from_long(frame, {}, Content("score", ("f1",)))
    <Evaluation of 2 models (A, B) on final scores (f1), totals only, 3-fold CV, discount 0.3333>
    """
    if content.unit is not None:
        check_unit(content.unit)
        raise ValueError(
            "unit= does not apply to rows with roles, whose columns say what was sampled; leave it out"
        )
    roles = recognise_roles(frame, given, [*content.shared, *content.answers], final=content.kind == "score")
    check_roles(roles, content)
    if content.kind != "gold":
        answers = content.kind == "correct"
        numbers = {name: checked_numbers(frame[name], name, answers=answers) for name in content.answers}
        frame = frame.assign(**numbers)
    table = LongTable(frame, roles, content)
    if roles["item"] is None:
        read = _as_shares(table)
        table = read.table
        remarks = (*remarks, *read.remarks)
    ev = from_data_sets(table) if roles["corpus"] else from_test_set(table)
    if (
        ev.task.final
        and ev.corpora is None
        and ev.folds is None
        and all(len(method.runs) == 1 for method in ev.methods)
    ):
        _check_model_column(table)
        raise ValueError(
            "one final score of each model does not show how much it varies; give those of several runs (run=), folds "
            "(fold=) or data sets (corpus=), or what the models did item by item"
        )
    return replace(ev, remarks=(*ev.remarks, *remarks, *roles.remarks))


def _check_model_column(table: LongTable) -> None:
    """Refuse names of training runs as those of models, if another column names the models."""
    frame = table.frame
    model = table.roles["model"]
    taken = [*table.roles.columns.values(), *table.content.answers]
    names = frame[model]
    n_names = names.nunique()
    others = [column for column in frame.columns if column not in taken]
    groupings = [column for column in others if 1 < frame[column].nunique() <= n_names / 2]
    if groupings:
        named = next((column for column in groupings if role_of(column) == "model"), groupings[0])
        raise ValueError(
            f"each of the {n_names} names in column {model!r} has one run; if {named!r} names what is compared, say "
            f"model={named!r}"
        )


class _Shares(NamedTuple):
    """A table of final scores, which may be shares, and remarks on them."""

    table: LongTable
    remarks: tuple[str, ...]


def _as_shares(table: LongTable) -> _Shares:
    """Return final scores of metrics that are shares as shares, if they are in percent, and note whether all are shares."""
    content = table.content
    # Axes (row, score).
    scores = table.frame[[*content.answers]].to_numpy(dtype=float)
    metrics = [known_share(name) for name in content.answers]
    all_known = all(metric is not None and metric.support == (0.0, 1.0) for metric in metrics)
    if all_known and scores.min() >= 0.0 and 1.0 < scores.max() <= 100.0:
        frame = table.frame.assign(**dict(zip(content.answers, scores.T / 100.0, strict=True)))
        return _Shares(replace(table, frame=frame), ("Scores were taken as percent.",))
    shares = bool(scores.min() >= 0.0 and scores.max() <= 1.0)
    return _Shares(replace(table, content=replace(content, shares=shares)), ())


def check_roles(roles: Roles, content: Content) -> None:
    """Refuse roles and options that would say nothing beside the others."""
    if roles["repeat"] is not None and roles["fold"] is None:
        raise ValueError(
            f"repeat={roles['repeat']!r} are repeats of a cross-validation, whose folds there are not; name them with fold="
        )
    content.check_design(roles["fold"])
    if roles["item"] is None:
        for role in ("group", "generation", "prompt"):
            if roles[role] is not None:
                raise ValueError(
                    f"{role}={roles[role]!r} tells {ABOUT[role]} apart, and no column tells items apart; name it with id=, "
                    "or name training runs with run="
                )
        return
    if len(content.answers) > 1:
        raise ValueError(
            f"scores of items are read one at a time, not {len(content.answers)}; name one of {', '.join(content.answers)}"
        )
    read_as_a_whole = roles["fold"] is None and roles["generation"] is None and roles["prompt"] is None
    if not read_as_a_whole and (content.judge is not None or content.labels is not None):
        option = "labels" if content.judge is None else "judge"
        raise ValueError(
            f"{option}= is not read yet beside test folds, generations or prompts; leave it out, or give one answer of each "
            "model to each item"
        )


def from_test_set(table: LongTable) -> Evaluation:
    """Return the evaluation of one test set, by the roles of the columns."""
    roles = table.roles
    if roles["item"] is None:
        return from_final_scores(table)
    if roles["fold"] is not None:
        return out_of_fold(table)
    if roles["generation"] is not None or roles["prompt"] is not None:
        return from_item_means(table)
    return from_items(table)


# ---- several data sets ------------------------------------------------------------------------------------


def from_data_sets(table: LongTable) -> Evaluation:
    """Return the evaluation of several data sets: an evaluation of each, and their mean scores."""
    column = table.roles["corpus"]
    assert column is not None
    parts = {
        text_of(name): from_test_set(LongTable(rows, table.roles.without("corpus"), table.content))
        for name, rows in table.frame.groupby(column, sort=False, observed=True)
    }
    noun = noun_of(column, "data set")
    first_name, first = next(iter(parts.items()))
    if len(parts) < 2:
        raise ValueError(
            f"there is one {column} ({first_name}), and a sample takes several; leave corpus= out"
        )
    check_same_models(noun, {name: part.names for name, part in parts.items()})
    metrics = [first.task.metric(asked, first.tables) for asked in first.task.default_metrics]
    task = FinalScores(
        tuple(metric.name for metric in metrics),
        any(metric.lower_is_better for metric in metrics),
        all(metric.percent for metric in metrics),
    )
    ordered = tuple(part.select(first.names) for part in parts.values())
    # Axes (corpus, metric, model).
    scores = [
        [part.mean_scores(part.scores(part.task.metric(metric.name, part.tables))) for metric in metrics]
        for part in ordered
    ]
    corpora = Corpora(noun, tuple(parts), ordered)
    tables = np.mean(scores, axis=0).T.copy()
    remarks = _remarks_on_same_items(table, column, noun)
    return Evaluation(first.names, task, tables, corpora=corpora, remarks=remarks)


def _remarks_on_same_items(table: LongTable, column: str, noun: str) -> tuple[str, ...]:
    """Return a remark if data sets seem to have the same items, as translations or prompts have."""
    item = table.roles["item"]
    if item is None:
        return ()
    frame = table.frame
    items_of = [{*map(text_of, ids)} for ids in frame.groupby(column, observed=True)[item].unique()]
    common = set.intersection(*items_of)
    # Numbers may count the rows of each data set from 1, so they are evidence only if all sets are equal.
    numbered = all(name.isdecimal() for name in common)
    fewest = max(map(len, items_of)) if numbered else min(map(len, items_of)) / 2
    if not common or len(common) < fewest:
        return ()
    gold = table.content.gold
    if gold is not None and frame.groupby(item, observed=True)[gold].nunique().max() > 1:
        return ()
    remark = (
        f"All {plural(noun)} have the same ids. If they are translations of the same items, or prompts, say "
        f"prompt={column!r} instead of corpus=. Counted as different items, they give intervals that are too short."
    )
    return (remark,)


# ---- items ------------------------------------------------------------------------------------------------


def from_items(table: LongTable) -> Evaluation:
    """Return the evaluation of items, each answered once by each model, or by each training run of a method."""
    content = table.content
    answers = _answers_by_item(table)
    if content.gold is not None:
        judge = None
        if content.judge is not None:
            judge = {name: table.of_items(column) for name, column in content.judge.items()}
        return from_labels(
            table.of_items(content.gold),
            answers,
            positive=content.positive,
            groups=table.groups,
            labels=content.labels,
            judge=judge,
        )
    if content.kind == "correct":
        return from_correct(answers, groups=table.groups)
    return from_scores(
        answers, name=content.answer, lower_is_better=content.lower_is_better, groups=table.groups
    )


def _answers_by_item(table: LongTable) -> dict[str, Any]:
    """Return the answers of each model by item, or of each run of each method."""
    rows = table.by_item[table.content.answer]
    models = table.texts("model")
    if table.roles["run"] is None:
        return dict(iter(rows.groupby(models, sort=False)))
    answers: dict[str, Any] = {}
    for (name, run), own in rows.groupby([models, table.texts("run")], sort=False):
        answers.setdefault(name, {})[run] = own
    return answers


# ---- predictions out of fold ------------------------------------------------------------------------------


def out_of_fold(table: LongTable) -> Evaluation:
    """Return the evaluation of predictions out of fold, as `cross_validate` makes it."""
    roles = table.roles
    content = table.content
    for role in ("run", "generation", "prompt"):
        if roles[role] is not None:
            raise ValueError(
                f"{ABOUT[role]} beside test folds are not read; give their mean, or leave {role}= out"
            )
    if content.kind == "score":
        raise ValueError(
            "scores of items out of fold are not read yet; give fold= with gold labels or right and wrong answers"
        )
    groups = None if table.groups is None else table.groups.tolist()
    beside: Gold | Marked
    if content.gold is not None:
        beside = Gold.read(table.of_items(content.gold).tolist(), groups, content.positive)
    else:
        beside = Marked([True] * len(table.items.names), groups)
    repeat = repeats_of(table)
    repeats = [_repeat(table, np.flatnonzero(repeat == j)) for j in range(int(repeat.max()) + 1)]
    n_folds = [int(own.folds.max()) + 1 for own in repeats]
    if len({*n_folds}) > 1:
        raise ValueError(
            f"repeats of a cross-validation have {min(n_folds)} to {max(n_folds)} folds; all need equally many"
        )
    # Axes (repeat, item).
    partition = np.stack([own.folds for own in repeats])
    cv = design_of_folds(table, len(repeats), n_folds[0], partition)
    return folded(beside, [own.answers for own in repeats], partition, cv, cv.default_discount)


class _Repeat(NamedTuple):
    """The answers of each model to all items in one repeat of a cross-validation, and the items' test folds."""

    answers: dict[str, list[Any]]
    folds: IntArray


def _repeat(table: LongTable, rows: IntArray) -> _Repeat:
    """Return the answers and folds in these rows of one repeat, in the order of the items."""
    n_items = len(table.items.names)
    own = table.frame.iloc[rows]
    item = table.items.numbers[rows]
    models = table.texts("model")[rows]
    answers: dict[str, list[Any]] = {}
    folds: IntArray | None = None
    for model in table.models:
        places = np.flatnonzero(models == model)
        in_order = places[np.argsort(item[places], kind="stable")]
        if not np.array_equal(item[in_order], np.arange(n_items)):
            raise ValueError(f"{model!r} did not predict each of {n_items} items once in every repeat")
        ordered = own.iloc[in_order]
        answers[model] = ordered[table.content.answer].tolist()
        own_folds = numbers_in_order(ordered[table.roles["fold"]])
        if folds is not None and (own_folds != folds).any():
            raise ValueError(f"{model!r} has other folds than the models before it; all need the same")
        folds = own_folds
    assert folds is not None
    return _Repeat(answers, folds)
