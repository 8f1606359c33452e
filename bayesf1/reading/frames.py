"""Evaluations from data frames: the frame's own engine counts, and only the counts come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import OneLabel, checked
from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import listing
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.binary import Binary
from bayesf1.reading.engines import engine_errors
from bayesf1.reading.frame_columns import (
    Label,
    Models,
    check_columns,
    check_frame,
    collect,
    is_in_memory,
    label_columns,
    named_columns,
    present,
    read_frame,
)
from bayesf1.reading.judged_frames import from_judged_frame
from bayesf1.reading.label_columns import (
    check_alike,
    check_positive,
    distinct_labels,
    guess_positive,
    is_missing,
    plain_label,
)
from bayesf1.reading.predictions import default_names, from_hits
from bayesf1.reading.tally import Tally, read_rows, read_weights

if TYPE_CHECKING:
    import narwhals as nw

    Lazy: TypeAlias = nw.LazyFrame[Any]


@checked
@with_runs_in("models")
@engine_errors()
def from_frame(
    frame: Any,
    *,
    gold: str,
    models: Models,
    positive: OneLabel = None,
    group: str | None = None,
    labels: Sequence[Any] | None = None,
    judge: str | Models | None = None,
    bins: Any = None,
    audit_probability: str | None = None,
    covariates: str | Models | None = None,
) -> Evaluation:
    """Build an Evaluation from a data frame with a column of gold labels and one for each model.

    It is the same that `from_labels` builds, but the group-by runs where the data are, so the frame may be
    larger than memory. Evaluations of the shards of a corpus add up to that of the whole, ``sum(evs)``; with
    `group`, as long as no document straddles two shards.

    Parameters
    ----------
    frame
        A frame of pandas, polars (eager or lazy) or pyarrow, or a lazy one of DuckDB, Dask, PySpark or Ibis:
        whatever narwhals reads. One row is one item.
    gold
        Name of the column of gold labels.
    models
        Names of the columns of predictions, or a mapping of model name to column, or of a method to its runs' columns.
    positive
        The label that counts as positive; see `from_labels` on when it may be left out. More than two labels
        are classes.
    group
        Name of the column that says which document (speaker, user, …) an item belongs to; documents are then
        the units.
    labels
        The classes, as in `from_labels`. Shards that are to add up need them where some lack a class.
    judge
        Name of the column of what a judge says, or several, or a mapping of a judge's name to its column; gold may then
        have gaps, as in `from_labels`. ``[]`` allows them without a judge.
    bins, audit_probability, covariates
        As in `from_labels`; the probabilities are a column, and covariates are columns of numbers, each by itself or in
        a mapping of what it is called to its column.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"label": [1, 0, 1, 0], "bert": [1, 0, 1, 1], "crf": [1, 0, 0, 0]})
    >>> ev = from_frame(frame, gold="label", models=["bert", "crf"])
    >>> ev
    <Evaluation of 2 models (bert, crf) on cells tp, fp, fn, tn, 4 items in 4 patterns>
    >>> ev.tables
    array([[2., 1., 0., 1.], [1., 0., 1., 2.]])
    """
    lazy = read_frame(frame, "lists of labels go to from_labels, counted rows to from_patterns")
    named = named_columns(models)
    if judge is not None or audit_probability is not None:
        how = {"bins": bins, "positive": positive, "labels": labels}
        return from_judged_frame(
            lazy,
            gold,
            named,
            _beside(judge),
            _beside(covariates),
            audit_probability,
            group,
            how,
            in_memory=is_in_memory(frame),
        )
    if covariates is not None and len(covariates):
        raise WordedError(
            Argument("covariates"),
            " are for items of which some have no gold label; allow gaps by ",
            Argument("judge"),
        )
    if bins is not None:
        raise ValueError("bins= says how to read a judge's scores; name their column by judge=")
    columns = [gold, *named.values(), *([] if group is None else [group])]
    check_frame(lazy, columns)
    read = label_columns(lazy, columns[: 1 + len(named)])
    names = tuple(named)
    if positive is None:
        found = _count(lazy, read, [label.expr for label in read], group, blank=labels is not None)
        if labels is not None or len(found.labels()) > 2:
            if group is None:
                return found.by_class(names, labels=labels)
            counted, of_document = _count_in_documents(lazy, read, group)
            return counted.by_class(names, of_document, labels)
        positive = guess_positive(found.labels())
        hits = found.hits(positive)
    else:
        if labels is not None:
            raise ValueError(
                "positive= makes a binary task and labels= one of several classes; give one of them"
            )
        positive = plain_label(positive)
        # Few kinds of items, however many labels there are.
        found = _count(lazy, read, [label.code(positive) for label in read], group)
        hits = found.hits(1)
    if any(label.text for label in read):
        said = _some_labels(lazy, read)
        check_alike(said)
        if any(is_missing(label, blank=True) for label in said):
            _count(lazy, read[:1], [read[0].expr], None)  # says how many items have no gold label
    check_positive(positive, hits, names, lambda: _some_labels(lazy, read))
    items = from_hits(hits, names, weights=found.weights)
    if group is None:
        return items
    rows, weights = _count_documents(lazy, read, positive, group)
    units = Units.merge(rows, weights, "document")
    documents = Evaluation.of_units(names, Binary(), units, items.units)
    if not np.array_equal(documents.tables, items.tables):
        raise ValueError(
            "the frame gave other items when it was read again; store it first, if it is a sample or a stream"
        )
    return documents


@checked
@with_runs_in("models")
@engine_errors()
def from_patterns(
    table: Any,
    *,
    gold: str | None = None,
    models: Models | None = None,
    count: str | None = None,
    positive: OneLabel = None,
) -> Evaluation:
    """Build an Evaluation from labels that a database has counted already.

    That is the result of ``SELECT gold, a, b, count(*) FROM … GROUP BY gold, a, b`` from any engine. Rows
    with the same labels add up.

    Parameters
    ----------
    table
        A list of tuples or of dicts, or a frame as `from_frame` takes it.
    gold
        Name of the column of gold labels; the first by default.
    models
        Names of the columns of predictions, or a mapping of model name to column; by default those between.
        For tuples, whose columns have no names, the names of the models; A, B, … by default.
    count
        Name of the column that says how many items there are of each kind; the last by default. Fractions
        are allowed, such as a discount after cross-validation.
    positive
        The label that counts as positive; see `from_labels` on when it may be left out.

    Examples
    --------
    >>> rows = [("spam", "spam", "spam", 70), ("spam", "ham", "spam", 12), ("ham", "ham", "ham", 900)]
    >>> ev = from_patterns(rows, models=["bert", "crf"], positive="spam")
    >>> ev
    <Evaluation of 2 models (bert, crf) on cells tp, fp, fn, tn, 982 items in 3 patterns>
    >>> ev.tables
    array([[ 70.,   0.,  12., 900.], [ 82.,   0.,   0., 900.]])
    """
    header, rows = read_rows(table) if isinstance(table, list | tuple) else _read_few(table)
    if not rows:
        raise ValueError("the table has no rows; there is nothing to compare the models on")
    if header is None:
        if gold is not None or count is not None or isinstance(models, Mapping):
            raise ValueError("tuples have no column names: gold stands first, the count last, models between")
        header = used = [str(i + 1) for i in range(len(rows[0]))]
        names = model_names(default_names(len(header) - 2) if models is None else models)
        if len(names) != len(header) - 2:
            raise ValueError(
                f"rows have {len(header)} columns, so {len(header) - 2} models between gold and count, "
                f"but models= names {len(names)}"
            )
    else:
        used, names = _assign_columns(header, gold, models, count)
    places = [header.index(name) for name in used]
    weights = read_weights([row[places[-1]] for row in rows], used[-1])
    found = Tally.from_rows(used[:-1], [[row[i] for i in places[:-1]] for row in rows], weights)
    found.check_missing()
    found.check_kinds()
    if positive is None and len(found.labels()) > 2:
        return found.by_class(names)
    positive = guess_positive(found.labels()) if positive is None else positive
    check_alike(found.labels())
    hits = found.hits(positive)
    check_positive(positive, hits, names, found.labels)
    return from_hits(hits, names, weights=found.weights)


def _beside(columns: str | Models | None) -> dict[str, str]:
    """Return columns that are none of models by what they are called."""
    if columns is None or not len(columns):
        return {}
    return {columns: columns} if isinstance(columns, str) else named_columns(columns)


def _count(
    lazy: Lazy, labels: Sequence[Label], keys: Sequence[nw.Expr], group: str | None, *, blank: bool = False
) -> Tally:
    """Count the items of each combination of keys, one for each column of labels; a gold label may be `blank`."""
    import narwhals as nw

    # Columns get plain names, so that no engine stumbles over spaces, quotes or reserved words.
    named = {f"c{i}": key for i, key in enumerate(keys)}
    columns = [label.column for label in labels]
    if group is not None:
        named["g"] = nw.when(present(nw.col(group), lazy.collect_schema()[group])).then(nw.lit(0))
        columns.append(group)
    rows = collect(
        lazy.select(**named).group_by(*named).agg(nw.len().alias("n")),
        f"the columns {listing(columns)} have",
        "different combinations of labels; was a column with a value for every row named by mistake?",
    )
    if not rows:
        raise ValueError("the frame has no rows; there is nothing to compare the models on")
    found = Tally.from_rows(columns, rows, np.array([row[-1] for row in rows], dtype=np.float64))
    found.check_missing(gold=not blank, judge=True)
    return replace(found, columns=found.columns[: len(labels)], values=found.values[: len(labels)])


def _count_documents(
    lazy: Lazy, labels: Sequence[Label], positive: OneLabel, group: str
) -> tuple[FloatArray, FloatArray]:
    """Count the documents of each kind; a kind is what a document adds to the models' tables."""
    import narwhals as nw

    k = len(labels) - 1
    named = {f"c{i}": label.code(positive) for i, label in enumerate(labels)}
    items = lazy.select(g=nw.col(group), **named).with_columns(
        **{f"t{j}": nw.col("c0") * nw.col(f"c{j}") for j in range(1, k + 1)}
    )
    sums = [*named, *(f"t{j}" for j in range(1, k + 1))]
    documents = items.group_by("g").agg(nw.len().alias("m"), *(nw.col(name).sum() for name in sums))
    rows = collect(
        documents.group_by("m", *sums).agg(nw.len().alias("n")),
        f"column {group!r} makes documents of",
        "different kinds, too many to draw from; group by smaller units",
    )
    counts = np.array(rows, dtype=np.float64).reshape(len(rows), -1 if rows else 3 + 2 * k)
    size, gold, said, right = counts[:, :1], counts[:, 1:2], counts[:, 2 : 2 + k], counts[:, 2 + k : -1]
    tables = np.stack([right, said - right, gold - right, size - gold - said + right], axis=-1)
    return tables, counts[:, -1]


def _count_in_documents(lazy: Lazy, labels: Sequence[Label], group: str) -> tuple[Tally, NDArray[Any]]:
    """Count the items of each document and combination of labels."""
    import narwhals as nw

    named = {f"c{i}": label.expr for i, label in enumerate(labels)}
    rows = collect(
        lazy.select(g=nw.col(group), **named).group_by("g", *named).agg(nw.len().alias("n")),
        f"column {group!r} makes",
        "combinations of documents and labels; group by larger units",
    )
    weights = np.array([row[-1] for row in rows], dtype=np.float64)
    columns = [label.column for label in labels]
    place: dict[Any, int] = {}
    documents = np.array([place.setdefault(row[0], len(place)) for row in rows])
    return Tally.from_rows(columns, [row[1:-1] for row in rows], weights), documents


def _some_labels(lazy: Lazy, labels: Sequence[Label]) -> list[Any]:
    import narwhals as nw

    found: list[NDArray[Any]] = []
    for label in labels:
        kinds = lazy.select(c=label.expr).group_by("c").agg(nw.len().alias("n")).head(1000)
        rows = kinds.collect().rows()
        found += Tally.from_rows(["c"], rows, np.ones(len(rows))).values
    return distinct_labels(found)


def _read_few(table: Any) -> tuple[list[str] | None, list[tuple[Any, ...]]]:
    lazy = read_frame(table, "or a list of tuples or dicts")
    rows = collect(lazy, "the table has", "rows; items that are not counted yet go to from_frame")
    header = lazy.collect_schema().names()
    # A pandas frame made of tuples counts its columns.
    return header if all(isinstance(name, str) for name in header) else None, rows


def _assign_columns(
    header: Sequence[str], gold: str | None, models: Models | None, count: str | None
) -> tuple[list[str], tuple[str, ...]]:
    """Return the columns of gold, models and count, and the names of the models."""
    named = {} if models is None else named_columns(models)
    free = [name for name in header if name not in (gold, count, *named.values())]
    gold = free.pop(0) if gold is None and free else gold
    count = free.pop() if count is None and free else count
    named = named or {name: name for name in free}
    if gold is None or count is None or not named:
        raise ValueError(
            f"columns of gold, models and the count are needed, but there are only {listing(header)}"
        )
    used = [gold, *named.values(), count]
    check_columns(used, header)
    return used, model_names(named)
