"""Tables of predictions, of answers right or wrong, or of scores: wide, long, or a file for each model."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, quoted
from bayesf1.base.text_files import located, read_number
from bayesf1.evaluation import Evaluation
from bayesf1.io.columns import (
    TRUTH,
    checked_numbers,
    column_as_numbers,
    guess_columns,
    named_columns,
    rows_of_models,
)
from bayesf1.io.experiment import from_long
from bayesf1.io.formats import Format, ReadRequest
from bayesf1.io.frames import from_frame
from bayesf1.io.label_values import align
from bayesf1.io.labels import NoPositiveItem, from_correct
from bayesf1.io.long_tables import MODEL, Content, melted, text_of, texts_of
from bayesf1.io.roles import ROLES, UnclearRows, check_given, check_possible, role_of
from bayesf1.io.scores import from_scores
from bayesf1.io.tables import Table, is_arrow, is_json
from bayesf1.tasks.final import known_share

Kind: TypeAlias = Literal["gold", "correct", "scores"]
# The options that say what rows hold, each with those that do not go with it.
_SCORES_ONLY = ("lower_is_better", "unit")
_LABELS_ONLY = ("positive", "prediction", "judge")
_MISPLACED: Mapping[Kind, tuple[str, ...]] = {
    "gold": _SCORES_ONLY,
    "correct": (*_LABELS_ONLY, "lower_is_better"),
    "scores": _LABELS_ONLY,
}
# Options for the role of a column, which have another name as well.
_ROLE_OPTIONS: Mapping[str, tuple[str, ...]] = {
    **{role: (role,) for role in ROLES},
    "model": ("model", "model_column"),
    "run": ("run", "run_column"),
    "item": ("item", "id"),
}
# Roles that say what final scores were sampled from.
_OF_FINAL_SCORES = ("fold", "run", "corpus")
_BY_ORDER = "Items were matched by their order in the files, as no column identifies them."


# ---- what is asked for ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TableRequest:
    """Tables to read, and the options, with what follows from them.

    Attributes
    ----------
    request
        The files and all options.
    kind
        The option that says what rows hold.
    value
        The column of predictions, answers or scores where a row is of one model; or what scores are called.
    given
        The columns whose role was given.
    """

    request: ReadRequest
    kind: Kind
    value: Any
    given: Mapping[str, str]

    @classmethod
    def of(cls, request: ReadRequest) -> _TableRequest:
        """Return what is asked for, or refuse options that do not go together."""
        options = request.options
        kinds = [kind for kind in _MISPLACED if kind in options]
        if not kinds:
            header = Table.opened(request.first).header
            raise ValueError(
                f"{request.first} is a table with columns {listing(header, most=12)}; name the column of gold labels with "
                "gold=, the columns of right or wrong answers with correct=, or the scores with scores="
            )
        kind = kinds[0]
        misplaced = [*kinds[1:], *(name for name in _MISPLACED[kind] if name in options)]
        if misplaced:
            raise ValueError(f"{misplaced[0]}= does not apply if {kind}= is given; leave one out")
        value = options.get("prediction", "prediction") if kind == "gold" else options[kind]
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

    @property
    def gold(self) -> str | None:
        """The column of gold labels."""
        return self.options.get("gold")

    @property
    def id(self) -> str | None:
        """The column that tells items apart."""
        return self.given.get("item")

    @property
    def judges(self) -> dict[str, str] | None:
        """The column of each judge by its name; None if every item has a gold label."""
        if "judge" not in self.options:
            return None
        judge = self.options["judge"]
        if isinstance(judge, str):
            return {judge: judge}
        return dict(judge) if isinstance(judge, Mapping) else {column: column for column in judge}

    @property
    def shared(self) -> list[str]:
        """The columns that say something of an item, whatever the model."""
        judges = self.judges
        named = [self.options[name] for name in ("gold", "group") if name in self.options]
        return named if judges is None else [*named, *judges.values()]

    def content(self, values: Sequence[str]) -> Content:
        """Return what the rows of a long table hold, in these columns."""
        options = self.options
        cv = options.get("cv")
        if self.kind == "gold":
            positive = options.get("positive")
            return Content(gold=self.gold, prediction=values[0], positive=positive, judge=self.judges, cv=cv)
        if self.kind == "correct":
            return Content(correct=values[0], cv=cv)
        lower_is_better = bool(options.get("lower_is_better", False))
        return Content(scores=tuple(values), lower_is_better=lower_is_better, cv=cv)


def _read(request: ReadRequest) -> Evaluation:
    """Return the evaluation of tables: of rows whose columns have roles, or of items in one row each."""
    asked = _TableRequest.of(request)
    long = _long_rows(asked)
    if long is not None:
        return _from_long_rows(asked, long)
    if "cv" in request.options:
        raise ValueError("cv= is the design of test folds, and no column names them; name it with fold=")
    wide = _of_files(asked) if request.models else _of_table(asked)
    if asked.kind == "scores":
        _check_items_of_scores(asked, wide)
    with located(request.places[0]):
        ev = _from_items(asked, wide)
    return replace(ev, remarks=ev.remarks + wide.remarks)


# ---- rows with roles --------------------------------------------------------------------------------------


class _LongRows(NamedTuple):
    """Rows of all models, and what is known of them.

    Attributes
    ----------
    frame
        The columns that have values or roles, perhaps by their names.
    given
        The columns whose role is given.
    values
        The columns of predictions, answers or scores.
    remarks
        Remarks on how tables were read.
    tables
        The tables that have other columns as well, by their models.
    """

    frame: Any
    given: Mapping[str, str]
    values: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    tables: Mapping[str, Table] = MappingProxyType({})


def _from_long_rows(asked: _TableRequest, long: _LongRows) -> Evaluation:
    """Return the evaluation of rows whose columns have roles."""
    content = asked.content(long.values)
    if content.positive is not None:
        gold = long.frame[content.gold]
        content = replace(content, positive=_as_in(gold, content.positive))
    unit = asked.options.get("unit")
    with located(asked.request.places[0]), _no_positive_refused():
        try:
            return from_long(long.frame, long.given, content, unit=unit, remarks=long.remarks)
        except UnclearRows:
            if not long.tables:
                raise
            # Columns that nothing asks for may say in which way rows differ.
            header = dict.fromkeys(column for table in long.tables.values() for column in table.header)
            frame = _joined(long.tables, [column for column in header if column], filled=())
            return from_long(frame, long.given, content, unit=unit, remarks=long.remarks)


def _long_rows(asked: _TableRequest) -> _LongRows | None:
    """Return the rows of tables in which columns have roles; None if rows are items, of all models or in a file of each."""
    check_possible(asked.given, item_option="id")
    request = asked.request
    if request.models:
        return _long_rows_of_files(asked)
    table = Table.opened(request.first)
    named = _roles_by_name(asked, table)
    if not _has_row_for_each_model(asked, table, named):
        return _melted_rows(asked, table, named) if _has_roles(asked, named, wide=True) else None
    if _may_be_data_sets(asked, table, named):
        of_data_sets = _rows_of_data_sets(asked, table, asked.given.get("model") or named["model"])
        if of_data_sets is not None:
            return of_data_sets
    return _joined_rows(asked, {"": table})


def _long_rows_of_files(asked: _TableRequest) -> _LongRows | None:
    """Return the rows of a file for each model; None if no columns have roles, or gold has a file of its own."""
    request = asked.request
    for name in ("model", "model_column", "columns"):
        if name in asked.options:
            raise ValueError(f"{name}= says how one table holds several models; each has a file here")
    tables = {name: Table.opened(place.file) for name, place in request.models.items()}
    named = _roles_by_name(asked, next(iter(tables.values())))
    if request.alone is None:
        return _joined_rows(asked, tables) if _has_roles(asked, named) else None
    roles = asked.given.keys() - {"item", "group", "run"}
    if roles:
        role = sorted(roles)[0]
        raise ValueError(
            f"{role}= is not read beside a file of gold labels; give each model's file a column of gold labels"
        )
    return None


def _roles_by_name(asked: _TableRequest, table: Table) -> dict[str, str]:
    """Return the first column that is called after each role, among those that no option names."""
    named: dict[str, str] = {}
    options = [value for value in asked.options.values() if isinstance(value, str)]
    for column in table.header:
        role = role_of(column)
        if role is not None and column not in options:
            named.setdefault(role, column)
    return named


def _has_row_for_each_model(asked: _TableRequest, table: Table, named: Mapping[str, str]) -> bool:
    """Return whether each row of a table is of one model; else each model has a column.

    A column is one of models' names only beside that of their values: a column ``name`` alone may hold people's.
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


def _are_final(asked: _TableRequest, named: Mapping[str, str]) -> bool:
    """Return whether rows hold final scores: scores without items."""
    return asked.kind == "scores" and "item" not in asked.given and "item" not in named


def _has_roles(asked: _TableRequest, named: Mapping[str, str], *, wide: bool = False) -> bool:
    """Return whether columns have roles beside model, item and group, by options or by their names.

    In wide tables of items only folds are recognised by name.
    """
    of_any_table = {"model", "item", "group"}
    if "run_column" in asked.options:
        # The older name of run= is for rows of models alone.
        of_any_table.add("run")
    if asked.given.keys() - of_any_table:
        return True
    if _are_final(asked, named):
        recognised = {*_OF_FINAL_SCORES}
    elif wide:
        recognised = {"fold"}
    else:
        recognised = {*_OF_FINAL_SCORES, "generation", "prompt"}
    return bool(recognised & named.keys())


def _joined_rows(asked: _TableRequest, tables: Mapping[str, Table]) -> _LongRows:
    """Return the rows of one table, or of a table for each model, one below the other.

    Columns are loaded that options name, or that are called after a role.
    """
    for table in tables.values():
        check_given(asked.given, table.header, str(table), item_option="id")
    values = _value_columns(asked, tables)
    named = [*values, *asked.given.values(), *asked.shared]
    # Gold labels may be missing if a judge labels every item, and so may what is recognised by name.
    filled = [column for column in named if asked.judges is None or column not in asked.shared]
    header = dict.fromkeys(column for table in tables.values() for column in table.header)
    by_role = [column for column in header if role_of(column) is not None]
    frame = _joined(tables, [*dict.fromkeys([*named, *by_role])], filled)
    given = asked.given
    if asked.request.models:
        given = {"model": MODEL, **given}
    return _LongRows(frame, given, values, tables=tables)


def _joined(tables: Mapping[str, Table], columns: Sequence[str], filled: Sequence[str]) -> Any:
    """Return columns of several tables, one below the other, with the models' names if each has a table."""
    import pandas as pd

    frames = []
    for model, table in tables.items():
        own = [column for column in columns if column in table.header]
        gaps = [column for column in own if column not in filled]
        frame = table.load(own, optional=gaps)
        frames.append(frame.assign(**{MODEL: model}) if model else frame)
    return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)


def _value_columns(asked: _TableRequest, tables: Mapping[str, Table]) -> tuple[str, ...]:
    """Return the columns of predictions, answers or scores, which all tables have."""
    header = next(iter(tables.values())).header
    value = asked.value
    if not value and asked.kind != "gold":
        return (_only_free_column(asked.kind, header),)
    if not isinstance(value, str):
        raise ValueError(
            f"{asked.kind}= names the one column of each model's rows, as {asked.kind}='{asked.kind}'"
        )
    columns: tuple[str, ...] = (value,)
    if asked.kind == "scores" and value not in header:
        # A part of the column's name will do, as F1 for test_f1.
        close = [column for column in header if role_of(column) is None and value.lower() in column.lower()]
        columns = (close[0],) if len(close) == 1 else tuple(name.strip() for name in value.split(","))
    for table in tables.values():
        if asked.kind == "gold" and value not in table.header:
            taken = [*asked.options.values()]
            others = [c for c in table.header if c and role_of(c) is None and c not in taken]
            raise ValueError(
                f"{table} has no column {value!r}; name the one that holds what a model predicted with prediction=: "
                f"{listing(others) or 'there is none'}"
            )
        table.check(*columns, *asked.shared)
    return columns


def _only_free_column(kind: Kind, header: Sequence[str]) -> str:
    """Return the one column that has no role."""
    free = [column for column in header if column and role_of(column) is None]
    if len(free) != 1:
        raise ValueError(f"which column holds the {kind}? Name it with {kind}=: {listing(free)}")
    return free[0]


def _melted_rows(asked: _TableRequest, table: Table, named: Mapping[str, str]) -> _LongRows:
    """Return a table with a column for each model, and roles of others, as one with a row for each model."""
    check_given(asked.given, table.header, str(table), item_option="id")
    _check_wide(asked, table)
    others = dict.fromkeys([*asked.given.values(), *named.values(), *asked.shared])
    models = _model_columns(asked, table, [*others])
    keys = [column for column in others if column not in models.values()]
    frame = _load(asked, table, [*keys, *models.values()])
    if asked.kind == "scores":
        name = str(asked.value) if asked.value else "score"
    else:
        name = {"gold": "prediction", "correct": "correct"}[asked.kind]
    if asked.kind != "gold":
        numbers = {
            column: checked_numbers(frame[column], model, answers=asked.kind == "correct")
            for model, column in models.items()
        }
        frame = frame.assign(**numbers)
    long = melted(frame, models, name)
    return _LongRows(long.frame, {"model": long.model, **asked.given}, (long.value,))


# ---- rows of models, columns of data sets -----------------------------------------------------------------


def _may_be_data_sets(asked: _TableRequest, table: Table, named: Mapping[str, str]) -> bool:
    """Return whether a table with a row for each model may have a column of scores for each data set."""
    if not _are_final(asked, named) or asked.value in table.header:
        return False
    return not any(role in named or role in asked.given for role in _OF_FINAL_SCORES)


def _rows_of_data_sets(asked: _TableRequest, table: Table, model: str) -> _LongRows | None:
    """Return a table with a row for each model and a column for each data set as rows; None if it is another table."""
    columns = [column for column in table.header if column and column != model]
    frame = table.load([model, *columns], optional=columns)
    numbers = {column: column_as_numbers(frame[column]) for column in columns}
    data_sets = {column: column for column in columns if not np.isnan(numbers[column]).any()}
    if frame[model].duplicated().any() or len(data_sets) < 2:
        return None
    if all(known_share(column) for column in data_sets):
        raise ValueError(
            f"{table} has one score of each kind ({listing(data_sets)}) for each model, which does not show how much they "
            "vary; give those of several runs, folds or data sets, or what the models did item by item"
        )
    wide = frame[[model]].assign(**{column: numbers[column] for column in data_sets})
    score = str(asked.value) if asked.value else "score"
    long = melted(wide, data_sets, score)
    corpus = "data set" if model == "task" else "task"
    rows = long.frame.rename(columns={long.model: corpus})
    remark = f"Rows were taken as models, and columns as data sets: {listing(data_sets)}."
    return _LongRows(rows, {"model": model, "corpus": corpus}, (long.value,), (remark,))


# ---- items in one row each --------------------------------------------------------------------------------


class _WideTable(NamedTuple):
    """A frame with one item a row, the column of each model, and remarks."""

    frame: Any
    models: Mapping[str, str]
    remarks: tuple[str, ...] = ()


class _Part(NamedTuple):
    """The rows of one model, or of gold, and what errors call them."""

    where: str
    rows: Any


def _of_table(asked: _TableRequest) -> _WideTable:
    """Read a table with a column for each model."""
    table = Table.opened(asked.request.first)
    _check_wide(asked, table)
    table.check(*asked.shared, asked.id)
    models = _model_columns(asked, table, [asked.id, *asked.shared])
    frame = _load(asked, table, [*asked.shared, *models.values(), asked.id])
    if asked.id is not None:
        rows = "; if each model has rows of its own, name the column that says which with model_column="
        frame = _by_id(_Part(str(table), frame), asked.id, rows_of_models(table) or rows)
    return _WideTable(frame, models)


def _check_wide(asked: _TableRequest, table: Table) -> None:
    """Refuse options for rows of models where each model has a column."""
    table.check(asked.options.get("prediction"))
    for name in ("prediction", "run_column"):
        if name in asked.options:
            raise ValueError(
                f"{name}= says what each row of a model holds; name the column that says which model with model_column="
                f"{rows_of_models(table)}; if each has a column of its own, give columns= instead"
            )


def _model_columns(asked: _TableRequest, table: Table, other: Sequence[str | None]) -> dict[str, str]:
    """Return the column of each model: those that were named, or all but these others."""
    for option in ("columns", "correct"):
        if asked.options.get(option):
            return named_columns(asked.options[option], table, option)
    return guess_columns(table, asked.gold, other, answers=asked.kind == "correct")


def _load(asked: _TableRequest, table: Table, columns: Sequence[str | None]) -> Any:
    """Return columns; only gold labels and those of judges may have gaps, and only beside a judge."""
    gaps: list[str] = []
    if asked.judges is not None:
        gaps = [column for column in asked.shared if column != asked.options.get("group")]
    return table.load([column for column in columns if column is not None], optional=gaps)


def _of_files(asked: _TableRequest) -> _WideTable:
    """Merge a file for each model, and perhaps one of gold, by the ids of their items."""
    request = asked.request
    if "run_column" in asked.options:
        raise ValueError("run_column= says how one table holds several models; each has a file here")
    models = {
        name: _Part(str(place), _rows_of_model(asked, Table.opened(place.file)))
        for name, place in request.models.items()
    }
    truth = None
    if request.alone is not None:
        table = Table.opened(request.alone.file)
        table.check(asked.gold, asked.id)
        truth = _Part(str(table), _own_columns(asked, table, None))
    return _side_by_side(asked, models, truth)


def _rows_of_model(asked: _TableRequest, table: Table) -> Any:
    """Return the column of one model's values, and the other columns that options name and the table has."""
    value = asked.value
    if not isinstance(value, str) or not value:
        raise ValueError(
            f"{asked.kind}= names the one column of each model's rows, as {asked.kind}='{asked.kind}'"
        )
    # A column that an option names is refused by the name of the column alone.
    if value not in (*table.header, *asked.options.values()):
        others = [column for column in table.header if column not in ("", *asked.options.values())]
        raise ValueError(
            f"{table} has no column {value!r}; name the one that holds what a model predicted with prediction=: "
            f"{listing(others) or 'there is none'}"
        )
    table.check(value)
    return _own_columns(asked, table, value)


def _own_columns(asked: _TableRequest, table: Table, value: str | None) -> Any:
    """Return the columns that a table has, among those that options name."""
    wanted = dict.fromkeys([value, asked.id, *asked.shared])
    return _load(asked, table, [column for column in wanted if column in table.header])


def _side_by_side(asked: _TableRequest, models: Mapping[str, _Part], truth: _Part | None) -> _WideTable:
    """Lay the models' rows beside each other, item by item, by their ids; what is shared is the same for all.

    Without ids rows are matched by their order, for which gold labels have to agree in all rows.
    """
    import pandas as pd

    parts = dict(models)
    if truth is not None:
        parts = {f"gold in {truth.where}": truth, **models}
    frames = _frames_by_item(asked, [*parts.values()])
    if truth is not None and asked.judges is not None:
        # Items that only models have are those that nobody has labelled yet.
        unlabelled = frames[1].index.difference(frames[0].index, sort=False)
        frames[0] = frames[0].reindex([*frames[0].index, *unlabelled])
    aligned, _ = align(dict(zip(parts, frames, strict=True)), "rows", {})
    rows = [_Part(part.where, aligned[name]) for name, part in parts.items()]
    wide = {column: _shared_column(asked, rows, column) for column in asked.shared}
    names = {model: f"\0{i}" for i, model in enumerate(models)}
    for model, name in names.items():
        wide[name] = aligned[model][asked.value]
    remarks = (_BY_ORDER,) if asked.id is None else ()
    return _WideTable(pd.DataFrame(wide), names, remarks)


def _frames_by_item(asked: _TableRequest, parts: Sequence[_Part]) -> list[Any]:
    """Return the rows of all parts by their ids, or in their order if they have none."""
    if asked.id is not None:
        return [_by_id(part, asked.id) for part in parts]
    frames = [part.rows.reset_index(drop=True) for part in parts]
    have_gold = all(asked.gold in frame for frame in frames)
    equally_long = all(len(frame) == len(frames[0]) for frame in frames)
    if len(frames) > 1 and not (have_gold and equally_long):
        raise ValueError(
            f"which column tells items apart? Rows of {parts[0].where} and {parts[1].where} are matched by it; "
            "name it with id="
        )
    return frames


def _shared_column(asked: _TableRequest, parts: Sequence[_Part], column: str) -> Any:
    """Return a column that says the same of an item in all parts that have it, or say in which it differs."""
    owners = [part for part in parts if column in part.rows]
    if not owners:
        raise ValueError(
            f"{parts[0].where} has no column {column!r}; it has {listing(parts[0].rows.columns)}"
        )
    first, *others = owners
    if column != asked.value:
        # In models' files, a column that is called as gold is elsewhere may be that of predictions.
        for other in others:
            _check_same(first, other, column, asked.id)
    return first.rows[column]


def _by_id(part: _Part, id: str, remedy: str = "; give each of several runs a file of its own") -> Any:
    """Return rows by their ids, as text."""
    if id not in part.rows:
        raise ValueError(f"{part.where} has no column {id!r}, by which items are matched")
    frame = part.rows.set_axis(texts_of(part.rows[id]))
    if not frame.index.is_unique:
        twice = frame.index[frame.index.duplicated()][0]
        raise ValueError(f"{part.where} has {id} {quoted(twice)} twice; an item may occur once{remedy}")
    return frame


def _check_same(first: _Part, other: _Part, column: str, id: str | None) -> None:
    """Refuse a column that is not the same in two parts."""
    expected = first.rows[column].tolist()
    values = other.rows[column].tolist()
    for i, (a, b) in enumerate(zip(expected, values, strict=True)):
        if a is not b and text_of(a) != text_of(b):
            item = f"row {i + 1}" if id is None else f"item {quoted(first.rows.index[i])}"
            order = "; if rows are in different orders, name the column that tells items apart with id="
            raise ValueError(
                f"{other.where} has {column} {quoted(b)} for {item}, but {first.where} has {quoted(a)}; it should "
                f"be the same for all models{order if id is None else ''}"
            )


# ---- evaluations of items ---------------------------------------------------------------------------------


def _check_items_of_scores(asked: _TableRequest, wide: _WideTable) -> None:
    """Refuse rows of a metric such as F1 that no column calls items: they may be folds, runs or data sets."""
    name = str(asked.value)
    if known_share(name) is None or asked.options.keys() & {"id", "item", "unit", "group"}:
        return
    header = Table.opened(asked.request.first).header
    if "item" in map(role_of, header):
        return
    numbers = [column_as_numbers(wide.frame[column]) for column in wide.models.values()]
    # What is no number is refused by its cell.
    if not any(np.isnan(own).any() for own in numbers):
        raise ValueError(
            f"{asked.request.first} has rows of {name}, and no column says what a row is: name it with fold=, run= or "
            "corpus=, or with id= if items were scored one by one"
        )


def _from_items(asked: _TableRequest, wide: _WideTable) -> Evaluation:
    """Return the evaluation of a table with one item a row."""
    options = asked.options
    if asked.kind == "gold":
        return _from_labels(asked, wide)
    answers = asked.kind == "correct"
    numbers = {
        model: checked_numbers(wide.frame[column], model, answers=answers)
        for model, column in wide.models.items()
    }
    groups = wide.frame[options["group"]].tolist() if "group" in options else None
    unit = options.get("unit")
    if asked.kind == "correct":
        return from_correct(numbers, groups=groups, unit=unit)
    return from_scores(
        numbers,
        name=options["scores"],
        lower_is_better=options.get("lower_is_better", False),
        groups=groups,
        unit=unit,
    )


def _from_labels(asked: _TableRequest, wide: _WideTable) -> Evaluation:
    options = asked.options
    positive = options.get("positive")
    if positive is not None:
        positive = _as_in(wide.frame[asked.gold], positive)
    with _no_positive_refused():
        return from_frame(
            wide.frame,
            gold=asked.gold,
            models=wide.models,
            positive=positive,
            group=options.get("group"),
            judge=options.get("judge"),
        )


@contextmanager
def _no_positive_refused() -> Iterator[None]:
    """Refuse gold labels of which none is positive: a shard in memory may hold none, but a file is all there is."""
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
    # True and False are spelled by the program that wrote them.
    if text.lower() in TRUTH and text.capitalize() in values:
        return text.capitalize()
    return text


# ---- recognition ------------------------------------------------------------------------------------------


def _is_table(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether a file is Parquet, Arrow or JSON, or its rows have as many cells as its first line has names."""
    if is_arrow(file) or is_json(file):
        return True
    lines = [line for line in file.lines[:50] if line.strip()]
    if not lines:
        return False
    separator = max(",;\t", key=lines[0].count)
    if separator not in lines[0]:
        return False
    if options.keys() & _MISPLACED.keys():
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
