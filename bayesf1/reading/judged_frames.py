"""Evaluations with gaps from data frames: the frame's own engine counts what models and judges said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.naming import listing
from bayesf1.base.number_columns import numbers_in_texts
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.frame_columns import as_text, check_frame, collect, label_columns
from bayesf1.reading.judged import from_judged
from bayesf1.reading.side_by_side import ids_in
from bayesf1.reading.tally import Tally

if TYPE_CHECKING:
    import narwhals as nw

    Lazy: TypeAlias = nw.LazyFrame[Any]


def from_judged_frame(
    lazy: Lazy,
    gold: str,
    models: dict[str, str],
    judges: dict[str, str],
    covariates: dict[str, str],
    probability: str | None,
    group: str | None,
    how: dict[str, Any],
    *,
    in_memory: bool = False,
) -> Evaluation:
    """Count the items of each combination of gold, predictions and judgements, and of each document.

    Of a frame `in_memory` it is kept which rows nobody has labelled.
    """
    import narwhals as nw

    beside = [column for column in (probability, group) if column is not None]
    columns = [gold, *models.values(), *judges.values(), *covariates.values(), *beside]
    check_frame(lazy, columns)
    read = label_columns(lazy, [gold, *models.values()])
    keys = {f"c{i}": label.expr for i, label in enumerate(read)}
    schema = lazy.collect_schema()
    for i, column in enumerate(columns[len(read) :], start=len(read)):
        text = schema[column] in (nw.Categorical, nw.Enum)
        keys[f"c{i}"] = as_text(column) if text else nw.col(column)
    of_row, ids = None, None
    if in_memory:
        rows, of_row = _counted(lazy.select(**keys))
        # An index that is none of row numbers says what items are called.
        index = ids_in(lazy.to_native(), None, "frame")
        ids = index if index is not None and len(set(index)) == len(index) else None
    else:
        rows = collect(
            lazy.select(**keys).group_by(*keys).agg(nw.len().alias("n")),
            f"the columns {listing(columns)} have",
            "different combinations; round scores and covariates first, or group by larger units",
        )
    if not rows:
        raise ValueError("the frame has no rows; there is nothing to compare the models on")
    # Engines give groups in any order, and an answer must not hang on it.
    order = sorted(range(len(rows)), key=lambda i: tuple((value is None, str(value)) for value in rows[i]))
    rows = [rows[i] for i in order]
    if of_row is not None:
        of_row = np.argsort(order)[of_row]
    found = Tally.from_rows(columns, rows, np.array([row[-1] for row in rows], dtype=np.float64))
    rest = range(1, 1 + len(models)), range(len(columns) - len(beside), len(columns))
    for places in rest:
        part = replace(
            found,
            columns=tuple(columns[i] for i in places),
            values=tuple(found.values[i] for i in places),
        )
        part.check_missing(gold=False)
    values = dict(zip(columns, found.values, strict=True))
    return from_judged(
        values[gold],
        {name: values[column] for name, column in models.items()},
        {name: values[column] for name, column in judges.items()},
        groups=None if group is None else values[group].astype(str),
        weights=found.weights,
        covariates={name: numbers_in_texts(values[column]) for name, column in covariates.items()},
        audit_probability=None if probability is None else numbers_in_texts(values[probability]),
        of_row=of_row,
        ids=ids,
        **how,
    )


def _counted(lazy: Lazy) -> tuple[list[tuple[Any, ...]], NDArray[np.intp]]:
    """Return the combinations of values that rows have, each with its number, and which of them each row has."""
    import pandas as pd

    frame = lazy.collect()
    which = np.zeros(len(frame), dtype=np.intp)
    for column in frame.iter_columns():
        codes, kinds = pd.factorize(column.to_numpy(), use_na_sentinel=False)
        which = np.unique(which * len(kinds) + codes, return_inverse=True)[1]
    _, first, counts = np.unique(which, return_index=True, return_counts=True)
    rows = frame[first.tolist()].rows()
    return [(*row, n) for row, n in zip(rows, counts.tolist(), strict=True)], which
