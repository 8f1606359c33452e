"""Scores of the same items by several models, each in a log of its own: matched item by item."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from bayesf1.base.naming import listing, plural
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.correct import from_right
from bayesf1.reading.score_columns import from_scores

# The task, or nothing where there is just one, and what the log calls the item.
Item: TypeAlias = tuple[str, str | int]


def spelled(item: Item, noun: str) -> str:
    """Say which item it is.

    Examples
    --------
    >>> spelled(("gsm8k", 3), "document"), spelled(("", "q1"), "sample")
    ("document 3 of task 'gsm8k'", "sample 'q1'")
    """
    task, number = item
    return f"{noun} {number!r}{f' of task {task!r}' if task else ''}"


def from_item_scores(
    scores: Mapping[str, Mapping[Item, float]],
    logs: Mapping[str, object],
    *,
    noun: str,
    name: str,
    groups: Mapping[Item, Hashable] | None = None,
    unit: str | None = None,
    lower_is_better: bool = False,
) -> Evaluation:
    """Build an Evaluation from what each model scored on each item; scores of 0 and 1 are items right or wrong.

    Parameters
    ----------
    scores
        Mapping of model name to its scores by item.
    logs
        What errors call the log of each model.
    noun
        What an item is called in errors.
    name
        What the scores are called.
    groups
        The group of each item; groups are then the units.
    unit
        What a unit is called in print.
    lower_is_better
        Whether lower scores are better.

    Examples
    --------
    >>> a, b = {("", 1): 1.0, ("", 2): 0.0}, {("", 2): 1.0, ("", 1): 1.0}
    >>> from_item_scores({"A": a, "B": b}, {}, noun="sample", name="acc").tables
    array([[1., 1.], [2., 0.]])
    """
    names = tuple(scores)
    order = [*scores[names[0]]]
    for model in names[1:]:
        pairs = ((model, names[0]), (names[0], model))
        for lacks, has in pairs:
            missing = [item for item in scores[has] if item not in scores[lacks]]
            if missing:
                more = f" and {len(missing) - 1} more that" if len(missing) > 1 else ", which"
                raise ValueError(
                    f"{logs[lacks]} has no {spelled(missing[0], noun)}{more} {logs[has]} has; "
                    f"all models must have been given the same {plural(noun)}"
                )
    table = np.array([[scores[model][item] for model in names] for item in order])
    tasks = dict.fromkeys(task for task, _ in order)
    pooled = (
        f"{plural(noun).capitalize()} of {len(tasks)} tasks are taken together: {listing(tasks, most=6)}."
    )
    remarks = (pooled,) if len(tasks) > 1 and groups is None else ()
    of_item = None if groups is None else np.array([str(groups[item]) for item in order])
    if ((table == 0.0) | (table == 1.0)).all():
        ev = from_right(table > 0.0, names, name=name, unit=unit, groups=of_item, errors=lower_is_better)
    else:
        columns = {model: table[:, j] for j, model in enumerate(names)}
        ev = from_scores(
            columns, name=name, unit=unit or noun, groups=of_item, lower_is_better=lower_is_better
        )
    return replace(ev, remarks=(*ev.remarks, *remarks))
