"""Tables of predictions, of answers right or wrong, or of scores: wide, long, or a file for each model."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import Aside, listing, quoted
from bayesf1.base.text_files import located, read_number
from bayesf1.evaluation import Evaluation
from bayesf1.io.columns import TRUTH, column_as_numbers, guess_columns, named_columns, rows_of_models
from bayesf1.io.experiment import from_long
from bayesf1.io.formats import Format, ReadRequest
from bayesf1.io.frames import from_wide
from bayesf1.io.labels import NoPositiveItem
from bayesf1.io.long_tables import (
    MODEL,
    ROW,
    Content,
    kind_of_content,
    melted,
    texts_of,
)
from bayesf1.io.roles import (
    OF_FINAL_SCORES,
    ROLES,
    UnclearRows,
    check_given,
    have_roles,
    is_total,
    role_of,
    roles_by_name,
    shown,
)
from bayesf1.io.tables import TableFile, is_arrow, is_json
from bayesf1.tasks.final import known_share

# Options for the role of a column, which have another name as well.
_ROLE_OPTIONS: Mapping[str, tuple[str, ...]] = {
    **{role: (role,) for role in ROLES},
    "model": ("model", "model_column"),
    "run": ("run", "run_column"),
    "item": ("item", "id"),
}
_BY_ORDER = "Items were matched by their order in the files, as no column identifies them."


# ---- what is asked for ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TableRequest:
    """Tables to read, the options, and what follows from the options.

    Attributes
    ----------
    request
        The files and all options.
    kind
        The option that says what rows hold: gold, correct or scores.
    value
        The column of predictions, answers or scores if each row is of one model; or the name of the scores.
    given
        The columns whose role was given.
    """

    request: ReadRequest
    kind: str
    value: Any
    given: Mapping[str, str]

    @classmethod
    def of(cls, request: ReadRequest) -> _TableRequest:
        """Return the request for some options, or raise a ValueError if they do not go together."""
        options = request.options
        kind = kind_of_content(options)
        if kind is None:
            header = TableFile.opened(request.first).header
            raise ValueError(
                f"{request.first} is a table with columns {listing(header, most=12)}; name the column of gold labels with "
                "gold=, the columns of right or wrong answers with correct=, or the scores with scores="
            )
        value = options.get("prediction", "prediction") if kind == "gold" else options[kind]
        # If an option has two names and both are given, the first name wins, as it is written last.
        given = {
            role: options[name]
            for role, names in _ROLE_OPTIONS.items()
            for name in reversed(names)
            if name in options
        }
        return cls(request, kind, value, given)

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that were given."""
        return self.request.options

    @cached_property
    def content(self) -> Content:
        """What rows hold; the name of the answers' column is provisional until tables are opened."""
        name = "prediction" if self.kind == "gold" else self.kind.removesuffix("s")
        if self.kind == "scores" and self.value:
            name = str(self.value)
        return Content.of(self.options, self.kind, [name])

    @property
    def gaps(self) -> list[str]:
        """The columns that may have gaps: gold and judgements, if a judge labels every item."""
        return [] if self.content.judge is None else self.content.shared

    @property
    def one_column(self) -> str:
        """The one column of models' answers that the options name."""
        if not isinstance(self.value, str) or not self.value:
            raise ValueError(
                f"{self.kind}= names the one column of each model's rows, as {self.kind}='{self.kind}'"
            )
        return self.value

    def roles_by_name(self, table: TableFile) -> dict[str, str]:
        """Return the first column that is named like each role, among those that no option names."""
        return roles_by_name(table.header, [v for v in self.options.values() if isinstance(v, str)])

    def are_final(self, named: Mapping[str, str]) -> bool:
        """Return whether rows hold final scores: scores without items."""
        return self.kind == "scores" and "item" not in self.given and "item" not in named


# ---- rows ---------------------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """Rows of one or several tables, and what is known about them.

    Attributes
    ----------
    frame
        The columns with values, and those with roles, given or perhaps guessed from their names.
    given
        The columns whose role is given.
    content
        What the columns hold.
    remarks
        Remarks on how tables were read.
    tables
        The tables that have other columns as well, by their models.
    """

    frame: Any
    given: Mapping[str, str]
    content: Content
    remarks: tuple[str, ...] = ()
    tables: Mapping[str, TableFile] = MappingProxyType({})


def _read(request: ReadRequest) -> Evaluation:
    """Return the evaluation of tables with a row for each model, or with a column for each."""
    asked = _TableRequest.of(request)
    place = request.places[0]
    if request.models:
        return _evaluate(_rows_of_files(asked), place)
    table = TableFile.opened(request.first)
    check_given(asked.given, table.header, str(table), item_option="id", has_scores=asked.kind == "scores")
    named = asked.roles_by_name(table)
    if not _has_row_for_each_model(asked, table, named):
        return _evaluate_wide(asked, table, named)
    rows = None
    has_roles = bool(OF_FINAL_SCORES & {*named, *asked.given})
    # Scores without items, folds or runs, and without a column of their own, may be in a column for each data set.
    if asked.are_final(named) and not has_roles and asked.value not in table.header:
        rows = _rows_of_data_sets(asked, table, asked.given.get("model", named.get("model", "")))
    return _evaluate(_joined_rows(asked, {"": table}) if rows is None else rows, place)


def _has_row_for_each_model(asked: _TableRequest, table: TableFile, named: Mapping[str, str]) -> bool:
    """Return whether each row of a table is of one model; otherwise each model has a column.

    A column is taken for the models' names only if there is one for their values: a column ``name`` may hold names of
    people.
    """
    if "columns" in asked.options:
        if "model" in asked.given:
            raise ValueError(
                "columns= names a column for each model, and model= says that each has rows; leave one out"
            )
        return False
    if "model" in asked.given:
        return True
    return "model" in named and (asked.kind == "scores" or asked.value in table.header)


def _evaluate(rows: _Rows, place: object) -> Evaluation:
    """Return the evaluation of rows that are of one model each."""
    content = _with_positive(rows.content, rows.frame)
    with located(place), _no_positive_refused():
        try:
            return from_long(rows.frame, rows.given, content, remarks=rows.remarks)
        except UnclearRows:
            if not rows.tables:
                raise
            # Columns that were not loaded may show how rows differ.
            header = dict.fromkeys(column for table in rows.tables.values() for column in table.header)
            frame = _joined(rows.tables, [column for column in header if column], gaps=header)
            return from_long(frame, rows.given, content, remarks=rows.remarks)


def _with_positive(content: Content, frame: Any) -> Content:
    """Return content whose positive label is spelled as in the column of gold labels."""
    if content.positive is None:
        return content
    return replace(content, positive=_as_in(frame[content.gold], content.positive))


# ---- a row for each model ---------------------------------------------------------------------------------


def _joined_rows(
    asked: _TableRequest, tables: Mapping[str, TableFile], elsewhere: Collection[str] = ()
) -> _Rows:
    """Return the rows of one table, or of a table for each model, one below the other.

    The columns that options name and those named like a role are loaded. Columns `elsewhere` are in a separate gold file.
    """
    content = asked.content
    given = {role: column for role, column in asked.given.items() if column not in elsewhere}
    for table in tables.values():
        check_given(given, table.header, str(table), item_option="id", has_scores=asked.kind == "scores")
        table.check(*(column for column in (*content.shared, *given.values()) if column not in elsewhere))
    values = _value_columns(asked, tables)
    named = dict.fromkeys([*values, *asked.given.values(), *content.shared])
    header = dict.fromkeys(column for table in tables.values() for column in table.header)
    by_role = [column for column in header if role_of(column) is not None and column not in named]
    frame = _joined(tables, [*named, *by_role], gaps=[*asked.gaps, *by_role])
    content = replace(content, answers=values)
    of_files = {"model": MODEL} if asked.request.models else {}
    return _Rows(frame, {**of_files, **asked.given}, content, tables=tables)


def _joined(tables: Mapping[str, TableFile], columns: Sequence[str], gaps: Collection[str]) -> Any:
    """Return columns of several tables, one below the other, with the models' names if each has a table."""
    import pandas as pd

    frames = []
    # A table of all models has no name.
    for model, table in tables.items():
        frame = table.load([column for column in columns if column in table.header], optional=gaps)
        if model:
            frame = frame.assign(**{MODEL: model})
        frames.append(frame)
    return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)


def _value_columns(asked: _TableRequest, tables: Mapping[str, TableFile]) -> tuple[str, ...]:
    """Return the columns of predictions, answers or scores, which all tables have."""
    header = next(iter(tables.values())).header
    free = [column for column in header if column and role_of(column) is None]
    if not asked.value and not asked.request.models:
        if len(free) != 1:
            raise ValueError(
                f"which column holds the {asked.kind}? Name it with {asked.kind}=: {listing(free)}"
            )
        return (free[0],)
    value = asked.one_column
    columns: tuple[str, ...] = (value,)
    if asked.kind == "scores" and value not in header:
        # A part of the column's name is enough, such as F1 for test_f1.
        close = [column for column in free if value.lower() in column.lower()]
        columns = (close[0],) if len(close) == 1 else tuple(name.strip() for name in value.split(","))
    for table in tables.values():
        # A missing column that an option names is refused by `check`.
        if value not in (*table.header, *asked.options.values()) and asked.kind == "gold":
            others = [column for column in free if column not in asked.options.values()]
            raise ValueError(
                f"{table} has no column {value!r}; name the one that holds what a model predicted with prediction=: "
                f"{listing(others) or 'there is none'}"
            )
        table.check(*columns)
    return columns


# ---- a file for each model --------------------------------------------------------------------------------


def _rows_of_files(asked: _TableRequest) -> _Rows:
    """Return the rows of a file for each model, with gold labels that may have a file of their own."""
    request = asked.request
    for name in ("model", "model_column", "columns", "run_column"):
        if name in asked.options:
            raise ValueError(f"{name}= says how one table holds several models; each has a file here")
    tables = {name: TableFile.opened(place.file) for name, place in request.models.items()}
    named = asked.roles_by_name(next(iter(tables.values())))
    item = asked.given.get("item", named.get("item"))
    gold_file = None if request.alone is None else TableFile.opened(request.alone.file)
    of_gold: list[str] = []
    if gold_file is not None:
        gold_file.check(asked.content.gold, item)
        wanted = dict.fromkeys([*asked.content.shared, *asked.given.values()])
        of_gold = [column for column in wanted if column in gold_file.header and column != item]
    rows = _joined_rows(asked, tables, of_gold)
    is_final = asked.kind == "scores" and bool(OF_FINAL_SCORES & {*named, *asked.given})
    if item is None and not is_final:
        rows = _numbered_by_order(asked, rows)
    if gold_file is None:
        return rows
    loaded = [*of_gold] if item is None else [item, *of_gold]
    gold = gold_file.load(loaded, optional=asked.gaps)
    return _with_gold(rows, str(rows.given.get("item", item)), gold_file, gold)


def _numbered_by_order(asked: _TableRequest, rows: _Rows) -> _Rows:
    """Return rows of files with their numbers as ids; later, the gold labels in the files must agree by these ids."""
    n_rows = rows.frame.groupby(MODEL, sort=False).size()
    have_gold = all(asked.content.gold in table.header for table in rows.tables.values())
    if len(rows.tables) > 1 and not (have_gold and n_rows.nunique() == 1):
        first, second, *_ = rows.tables.values()
        raise ValueError(
            f"which column tells items apart? Rows of {first} and {second} are matched by it; name it with id="
        )
    frame = rows.frame.assign(**{ROW: np.concatenate([np.arange(1, n + 1) for n in n_rows])})
    return rows._replace(frame=frame, given={**rows.given, "item": ROW}, remarks=(_BY_ORDER,))


def _with_gold(rows: _Rows, item: str, gold_file: TableFile, gold: Any) -> _Rows:
    """Return rows of models with the columns of gold's own file, item by item."""
    content = rows.content
    frame = rows.frame
    if content.answer in gold:
        # If the gold file has a column of this name, the one in the models' files holds predictions.
        column = f"{content.answer} of a model"
        frame = frame.rename(columns={content.answer: column})
        content = content.in_column(column)
    if item == ROW:
        gold = gold.assign(**{ROW: np.arange(1, len(gold) + 1)})
    gold = gold.set_index(texts_of(gold.pop(item)))
    twice = gold.index[gold.index.duplicated()]
    if len(twice):
        raise ValueError(f"{gold_file} has {shown(item)} {quoted(twice[0])} twice; an item may occur once")
    ids = texts_of(frame[item])
    places = gold.index.get_indexer(ids)
    unlabelled = places < 0
    if unlabelled.any() and content.judge is None:
        name = ids[np.argmax(unlabelled)]
        raise ValueError(f"{gold_file} has no row for {shown(item)} {quoted(name)}, which models have")
    unanswered = np.ones(len(gold), dtype=bool)
    unanswered[places[~unlabelled]] = False
    if unanswered.any():
        name = gold.index[np.argmax(unanswered)]
        raise ValueError(f"no model has a row for {shown(item)} {quoted(name)} of {gold_file}")
    for column in gold:
        values = gold[column].reindex(ids).set_axis(frame.index)
        if column in frame:
            own = frame[column]
            both = np.flatnonzero(own.notna() & values.notna())
            different = texts_of(own.iloc[both]) != texts_of(values.iloc[both])
            if different.any():
                row = both[np.argmax(different)]
                raise ValueError(
                    f"{gold_file} has {column} {quoted(values.iloc[row])} for {shown(item)} {quoted(ids[row])}, but a "
                    f"model's file has {quoted(own.iloc[row])}; it should be the same for all models"
                )
        frame = frame.assign(**{column: values})
    return rows._replace(frame=frame, content=content, tables={})


# ---- a column for each model ------------------------------------------------------------------------------


def _evaluate_wide(asked: _TableRequest, table: TableFile, named: Mapping[str, str]) -> Evaluation:
    """Return the evaluation of a table with a column for each model, and perhaps columns for what was sampled."""
    content = asked.content
    table.check(*content.shared, *asked.given.values(), asked.options.get("prediction"))
    for name in ("prediction", "run_column"):
        if name in asked.options:
            raise ValueError(
                f"{name}= says what each row of a model holds; name the column that says which with model_column="
                f"{rows_of_models(table)}; if each has a column of its own, give columns= instead"
            )
    others = dict.fromkeys([*asked.given.values(), *content.shared])
    item = asked.given.get("item", named.get("item"))
    has_roles = bool(asked.given.keys() - {"item", "group"})
    if not has_roles and named.keys() - {"model", "item"}:
        columns = [*named.values()] if item is None else [*{item, *named.values()}]
        frame = table.load(columns, optional=columns)
        has_roles = have_roles(frame, named, item, final=asked.are_final(named))
    if has_roles or "fold" in named:
        others |= dict.fromkeys(named.values())
    models = _model_columns(asked, table, [*others])
    keys = [column for column in others if column not in models.values()]
    frame = table.load([*keys, *models.values()], optional=asked.gaps)
    item = asked.given.get("item")
    if item is not None and not has_roles:
        frame = frame.set_axis(texts_of(frame[item]))
        twice = frame.index[frame.index.duplicated()]
        if len(twice):
            hint = rows_of_models(table)
            if not hint:
                hint = (
                    "; if each model has rows of its own, name the column that says which with model_column="
                )
            raise ValueError(f"{table} has {item} {quoted(twice[0])} twice; an item may occur once{hint}")
    with located(table), _no_positive_refused():
        content = _with_positive(content, frame)
        header = [column for column in table.header if column]
        return from_wide(frame, models, asked.given, content, has_roles=has_roles, header=header)


def _model_columns(asked: _TableRequest, table: TableFile, other: Sequence[str]) -> dict[str, str]:
    """Return the column of each model: those that were named, or all but these others."""
    for option in ("columns", "correct"):
        if asked.options.get(option):
            return named_columns(asked.options[option], table, option)
    return guess_columns(table, asked.content.gold, other, answers=asked.kind == "correct")


# ---- rows of models, columns of data sets -----------------------------------------------------------------


def _rows_of_data_sets(asked: _TableRequest, table: TableFile, model: str) -> _Rows | None:
    """Return the rows of a table with a row for each model and a column for each data set; None for any other table."""
    columns = [column for column in table.header if column and column != model]
    frame = table.load([model, *columns], optional=columns)
    numbers = {column: column_as_numbers(frame[column]) for column in columns}
    data_sets = {column: column for column in columns if not np.isnan(numbers[column]).any()}
    if frame[model].duplicated().any() or len(data_sets) < 2:
        return None
    if all(known_share(column) is not None for column in data_sets):
        raise ValueError(
            f"{table} has one score of each kind ({listing(data_sets)}) for each model, which does not show how much they "
            "vary; give those of several runs, folds or data sets, or what the models did item by item"
        )
    totals = [column for column in data_sets if is_total(column)]
    if totals:
        raise ValueError(
            f"{table} has column {totals[0]!r} among its data sets, which sums up the others; leave it out"
        )
    wide = frame[[model]].assign(**{column: numbers[column] for column in data_sets})
    long = melted(wide, data_sets, asked.content.answer)
    # In such tables data sets are mostly called tasks; but the column of models may have this name.
    corpus = "data set" if model == "task" else "task"
    return _Rows(
        long.frame.rename(columns={long.model: corpus}),
        {"model": model, "corpus": corpus},
        asked.content.in_column(long.value),
        (Aside(f"Rows were taken as models, and columns as data sets: {listing(data_sets)}."),),
    )


# ---- labels ------------------------------------------------------------------------------------------------


@contextmanager
def _no_positive_refused() -> Iterator[None]:
    """Refuse gold labels without a positive one: a shard in memory may lack them, but a file is all the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoPositiveItem)
        try:
            yield
        except NoPositiveItem as warning:
            raise ValueError(str(warning)) from None


def _as_in(column: Any, label: Any) -> Any:
    """Return a label as a column would hold it: text, a number, or true or false."""
    values = column.dropna().unique().tolist()
    text = str(label)
    if values and not isinstance(values[0], str):
        number = read_number(text)
        if isinstance(values[0], bool) and text.lower() in TRUTH:
            return text.lower() == "true"
        return label if number is None else number
    # Text spells true and false as the program that wrote it does.
    if text.lower() in TRUTH and text.capitalize() in values:
        return text.capitalize()
    return text


# ---- recognition ------------------------------------------------------------------------------------------


def _is_table(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether a file is Parquet, Arrow or JSON, or has rows with one cell for each name in its first line."""
    if is_arrow(file) or is_json(file):
        return True
    lines = [line for line in file.lines[:50] if line.strip()]
    if not lines:
        return False
    separator = max(",;\t", key=lines[0].count)
    if separator not in lines[0]:
        return False
    if kind_of_content(options) is not None:
        return True
    try:
        rows = list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error:
        return False
    as_wide_as_header = sum(len(row) == len(rows[0]) for row in rows)
    return len(rows) > 1 and as_wide_as_header > 0.8 * len(rows)


TABLE = Format(
    "table",
    "a table (CSV, TSV, JSON, JSON lines, Parquet or Arrow) of predictions, right or wrong answers, or scores",
    _is_table,
    (
        *("gold", "prediction", "columns", "model_column", "run_column", "id", "group", "positive", "judge"),
        *("correct", "scores", "lower_is_better", "unit", "cv"),
        *(role for role in ROLES if role != "group"),
    ),
    _read,
)
