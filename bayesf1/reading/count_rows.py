"""Rows of counts as they stand in a CSV or JSON file, checked one by one."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

from bayesf1.base.errors import WordedError, Wording
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import nearest, shown
from bayesf1.base.text_files import check_text, numbered_lines, read_number
from bayesf1.kinds.binary import BINARY_CELLS
from bayesf1.reading.counts import CHUNK_COLUMNS, MAX_COUNT
from bayesf1.reading.json_text import parse_json

_LABELS = ("model", "task")
_FOLDS = ("repeat", "fold")
# Of these at least two tell a table of counts.
COUNT_COLUMNS = (*BINARY_CELLS, *CHUNK_COLUMNS)
_COLUMNS = (*_LABELS, *_FOLDS, *COUNT_COLUMNS)
_COUNTS = (BINARY_CELLS[:3], BINARY_CELLS, CHUNK_COLUMNS)

_MAX_LINES = 1_000_000
_NOT_UTF8 = "has the byte {byte}, which is not UTF-8 text"

_WHOLE = re.compile(r"([0-9]{1,9})(?:\.0*)?")

# Repeat and fold (0, 0 without folds) -> table, and the line or record where it stands.
Tables: TypeAlias = dict[tuple[int, int], tuple[tuple[float, ...], str]]
# Task ("" without tasks) -> model -> tables.
Tasks: TypeAlias = dict[str, dict[str, Tables]]


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns a file has: ``model`` and perhaps ``task``, perhaps ``repeat`` and ``fold``, and counts."""

    labels: tuple[str, ...]
    folds: bool
    counts: tuple[str, ...]


def collect(file: InputFile) -> tuple[Layout, Tasks] | dict[str, Any]:
    """Read the rows of a CSV or JSON file, or the mapping that a JSON file may hold instead."""
    with file.open() as stream:
        # A file's name or its first character says whether it is JSON, without reading on.
        opening = file.head.lstrip()[:1]
        if file.suffix != ".json" and opening not in (b"[", b"{"):
            return _collect_lines(stream, file)
        document = parse_json(stream, file)
    return document if isinstance(document, dict) else _collect_records(document, file)


def _collect_lines(stream: BinaryIO, file: InputFile) -> tuple[Layout, Tasks]:
    lines = _lines(stream, file)
    number, header = next(lines, (0, ""))
    if not number:
        raise ValueError(
            f"{file} is empty, but should have a header such as model,tp,fp,fn and a row for each model"
        )
    delimiter = max(",;\t", key=header.count)
    where = f"{file}, line {number},"
    columns = [name.strip().lower() for name in _split(header, delimiter, where)]
    if len(columns) == 1:
        raise ValueError(
            f"{where} has {shown(header)} where a header such as model,tp,fp,fn belongs, its columns "
            "separated by commas, semicolons or tabs"
        )
    layout = _check_columns(columns, where)
    tasks: Tasks = {}
    for number, line in lines:
        where = f"{file}, line {number},"
        fields = _split(line, delimiter, where)
        if not any(field.strip() for field in fields):
            continue
        if len(fields) != len(columns):
            raise ValueError(
                f"{where} has {len(fields)} columns, but the header has {len(columns)}: {', '.join(columns)}"
            )
        _add_row(tasks, dict(zip(columns, fields, strict=True)), layout, where)
    if not tasks:
        raise ValueError(f"{file} has a header but no rows; write a row for each model")
    return layout, tasks


def _lines(stream: BinaryIO, file: InputFile) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something with their numbers."""
    too_long = "is longer than 1 MB; a row of counts takes some dozens of characters"
    for number, line in numbered_lines(stream, file, too_long=too_long, not_utf8=_NOT_UTF8):
        if number > _MAX_LINES:
            raise ValueError(f"{file} has more than {_MAX_LINES:,} lines; split it by task")
        check_text(line, f"{file}, line {number},")
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _split(line: str, delimiter: str, where: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise ValueError(
            f"{where} is not CSV ({error}); close quotes on the line where they open, and double those inside"
        ) from None


def _check_columns(columns: Sequence[str], where: str) -> Layout:
    for i, name in enumerate(columns):
        if not name:
            raise ValueError(f"{where} leaves column {i + 1} without a name; name or remove it")
        if name not in _COLUMNS:
            raise WordedError(
                f"{where} has an unknown column {shown(name)}; {nearest(name, _COLUMNS)}",
                Wording("", "; a table of predictions needs --gold, one of scores --scores"),
            )
        if name in columns[:i]:
            raise ValueError(f"{where} has two columns {name!r}; remove one")
    if "model" not in columns:
        raise ValueError(f"{where} has no column 'model'; add the name of the model to each row")
    if "repeat" in columns and "fold" not in columns:
        raise ValueError(f"{where} has a column 'repeat', but none called 'fold'; add it")
    found = {name for name in columns if name not in (*_LABELS, *_FOLDS)}
    counts = next((names for names in _COUNTS if set(names) == found), None)
    if counts is None:
        listing = ", ".join(name for name in columns if name in found) or "none"
        raise ValueError(
            f"{where} has columns of counts {listing}; give tp, fp, fn and optionally tn, "
            "or gold, predicted, correct"
        )
    return Layout(tuple(name for name in _LABELS if name in columns), "fold" in columns, counts)


def _add_row(tasks: Tasks, row: Mapping[str, Any], layout: Layout, where: str) -> None:
    model = read_label(row["model"], "model", where)
    task = read_label(row["task"], "task", where) if "task" in layout.labels else ""
    spot = (0, 0)
    if layout.folds:
        spot = _whole(row.get("repeat", "1"), "repeat", where), _whole(row["fold"], "fold", where)
    counts = tuple(_count(row[name], name, where) for name in layout.counts)
    if layout.counts == CHUNK_COLUMNS:
        gold, predicted, correct = counts
        for name, total in (("gold", gold), ("predicted", predicted)):
            if correct > total:
                raise ValueError(
                    f"{where} has {correct:g} correct but only {total:g} {name}; correct cannot be larger"
                )
        counts = (correct, predicted - correct, gold - correct)
    tables = tasks.setdefault(task, {}).setdefault(model, {})
    if spot in tables:
        fold = f", repeat {spot[0]}, fold {spot[1]}" if layout.folds else ""
        hint = "" if layout.folds else " (folds need a column 'fold')"
        raise ValueError(
            f"{where} has model {model!r}{fold} again after {tables[spot][1]}; keep one row{hint}"
        )
    tables[spot] = counts, where.rpartition(", ")[2].rstrip(",")


def read_label(value: Any, name: str, where: str) -> str:
    """Return the name of a model or task, or say that it is none."""
    if not isinstance(value, str):
        raise ValueError(f"{where} has {name} {shown(value)} where a name in quotes belongs")
    text = value.strip()
    if not text:
        raise ValueError(f"{where} has no {name}; write its name")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError(f"{where} has {name} {shown(text)}, which holds half a character; write it in UTF-8")
    return text


def _whole(value: Any, name: str, where: str) -> int:
    match = _WHOLE.fullmatch(value.strip()) if isinstance(value, str) else None
    number: Any = int(match[1]) if match else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not 1 <= number == int(number):
        raise ValueError(f"{where} has {name} {shown(value)}; repeats and folds are numbered 1, 2, …")
    return int(number)


def _count(value: Any, name: str, where: str) -> float:
    number = read_number(value) if isinstance(value, str) else value
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ValueError(f"{where} has no {name}; write a count, 0 where there is none")
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= MAX_COUNT:
        raise ValueError(
            f"{where} has {name} = {shown(value)}; counts are numbers such as 12 or 0.5, "
            f"not negative and at most {MAX_COUNT:g}"
        )
    return float(number)


def _collect_records(document: Any, file: InputFile) -> tuple[Layout, Tasks]:
    if not isinstance(document, list) or not document:
        what = "an empty list" if document == [] else shown(document)
        raise ValueError(
            f"{file} holds {what}, but should hold a list of records or a mapping of model to counts"
        )
    if len(document) > _MAX_LINES:
        raise ValueError(f"{file} has more than {_MAX_LINES:,} records; split it by task")
    layout, columns, tasks = None, set[str](), Tasks()
    for number, record in enumerate(document, start=1):
        where = f"{file}, record {number},"
        if not isinstance(record, dict):
            raise ValueError(
                f"{where} is {shown(record)} where an object such as "
                '{"model": "A", "tp": 8, "fp": 1, "fn": 2} belongs'
            )
        row = {key.strip().lower(): value for key, value in record.items()}
        if layout is None or len(row) < len(record):
            layout = _check_columns([key.strip().lower() for key in record], where)
            columns = set(row)
        if row.keys() != columns:
            differs = sorted(row.keys() ^ columns)[0]
            raise ValueError(
                f"{where} has {'a' if differs in row else 'no'} key {shown(differs)}, unlike record 1; "
                "all records should have the same keys"
            )
        _add_row(tasks, row, layout, where)
    assert layout is not None
    return layout, tasks
