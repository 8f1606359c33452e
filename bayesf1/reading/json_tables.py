"""Tables in JSON: records, one object a line or in a list, or an object of columns; nested fields by dots."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.errors import located
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, shown
from bayesf1.base.reports import refuse_reports
from bayesf1.reading.json_text import BLANK, json_blocks, json_lines, parse_json
from bayesf1.reading.text_tables import Column, EmptyCell, coded

_RECORDS_OF_HEADER = 200
_MISSING = object()

Record: TypeAlias = dict[str, Any]


def json_records(file: InputFile) -> Iterator[tuple[str, Record]]:
    """Yield the records of a file, each with the place where it stands."""
    if is_lines(file):
        for number, record in json_lines(file):
            yield f"line {number}", _checked(record, f"{file}, line {number},")
        return
    with file.open() as stream:
        document = parse_json(stream, file)
    rows = _rows_of(document, file) if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise ValueError(f"{file} holds {shown(document)} where a list of records belongs")
    for number, record in enumerate(rows, 1):
        yield f"record {number}", _checked(record, f"{file}, record {number},")


def is_lines(file: InputFile) -> bool:
    """Whether a file holds an object a line: the first line is a whole one."""
    lines = [line for line in file.lines if line.strip()]
    if not lines:
        return False
    if not lines[0].startswith("{"):
        return False
    try:
        record = json.loads(lines[0])
    except ValueError:
        # Perhaps a line longer than what was looked at, else the beginning of an object on several lines.
        return len(lines) == 1 and len(file.head) >= 1 << 15
    except RecursionError:
        return False
    # An object alone may be a whole table; what is nested in it tells.
    flat = not any(isinstance(value, list | dict) for value in record.values())
    return len(lines) > 1 or (flat and file.suffix != ".json")


def _checked(record: Any, where: str) -> Record:
    if not isinstance(record, dict):
        raise ValueError(f'{where} is {shown(record)} where an object such as {{"label": "yes"}} belongs')
    return record


def _rows_of(document: Mapping[str, Any], file: InputFile) -> list[Any]:
    """Return the rows of an object: of columns, or of records by their numbers."""
    if not document:
        raise ValueError(f"{file} holds an empty object; there is nothing to compare the models on")
    with located(file):
        refuse_reports(document)
    inside = next(iter(document.values()))
    if not isinstance(inside, list | dict) or {type(inside)} != set(map(type, document.values())):
        raise _no_table(document, file)
    if isinstance(inside, dict) and not _is_numbered(inside):
        if _is_numbered(document):
            return list(document.values())
        if len(document) > len(inside) or not all(
            inside.keys() & other.keys() for other in document.values()
        ):
            raise _no_table(document, file)
    return _rows_of_columns(document, file)


def _is_numbered(document: Mapping[str, Any]) -> bool:
    """Whether the keys of an object count: 0, 1, 2, … or from 1 on."""
    return list(document) in ([str(i + start) for i in range(len(document))] for start in (0, 1))


def _no_table(document: Mapping[str, Any], file: InputFile) -> ValueError:
    """Say what an object holds that is no table, and where in it records are."""
    found = _path_to_records(document, 3)
    where = f"; records are in its field {found!r}: store them by themselves" if found else ""
    return ValueError(
        f"{file} is an object with the fields {listing(document, most=8)}, but a table in JSON is a list of records, or an "
        f"object of columns, lists of one length{where}"
    )


def _path_to_records(document: Any, depth: int) -> str:
    """Return the field, by dots where it is nested, that holds a list of objects; nothing where none does."""
    for name, value in document.items():
        rows = list(value.values()) if isinstance(value, dict) and _is_numbered(value) else value
        if isinstance(rows, list) and rows and isinstance(rows[0], dict):
            return str(name)
        if isinstance(value, dict) and depth and (found := _path_to_records(value, depth - 1)):
            return f"{name}.{found}"
    return ""


def _rows_of_columns(document: Mapping[str, Any], file: InputFile) -> list[dict[str, Any]]:
    """Return the rows of an object of columns: lists, or objects with the same keys, as pandas writes them."""
    columns: dict[str, list[Any]] = {}
    first, keys = next(iter(document.items()))
    for name, values in document.items():
        if isinstance(values, dict) and isinstance(keys, dict):
            if values.keys() != keys.keys():
                odd = sorted(values.keys() ^ keys.keys())[0]
                raise ValueError(f"{file} has row {odd!r} in one of columns {first!r} and {name!r} only")
            values = [values[key] for key in keys]
        if len(values) != len(keys):
            split = (
                "; did pandas write it? Use orient='records'"
                if {"columns", "data"} <= document.keys()
                else ""
            )
            raise ValueError(
                f"{file} has {len(values)} values in column {name!r}, but {len(keys)} in column {first!r}{split}"
            )
        columns[name] = values
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def json_header(file: InputFile) -> list[str]:
    """Return the names of the fields, those of nested objects by dots, in the order in which they first occur."""
    names: dict[str, None] = {}
    for _, record in islice(json_records(file), _RECORDS_OF_HEADER):
        for name in _flat(record, ""):
            names[name] = None
    if not names:
        raise ValueError(f"{file} has no records; there is nothing to compare the models on")
    return list(names)


def _flat(record: Record, before: str, depth: int = 0) -> Iterator[str]:
    for key, value in record.items():
        if isinstance(value, dict) and value and depth < 8:
            yield from _flat(value, f"{before}{key}.", depth + 1)
        else:
            yield before + key


def field_of(record: Any, name: str) -> Any:
    """Return a field, or one of a nested object by dots; names may hold dots themselves.

    Examples
    --------
    >>> field_of({"175b.v": {"is_correct": True}}, "175b.v.is_correct")
    True
    """
    found = _find(record, name)
    return None if found is _MISSING else found


def _find(record: Any, name: str) -> Any:
    if not isinstance(record, dict):
        return _MISSING
    if name in record:
        return record[name]
    for i, letter in enumerate(name):
        if letter == "." and name[:i] in record:
            found = _find(record[name[:i]], name[i + 1 :])
            if found is not _MISSING:
                return found
    return _MISSING


def read_json_columns(
    file: InputFile, wanted: Sequence[str], *, optional: Container[str] = (), most: int | None = None
) -> dict[str, Column]:
    """Read fields of all records, or of the first `most`, as columns; those of `optional` may be missing."""
    known: dict[str, dict[Any, int]] = {name: {} for name in wanted}
    parts: dict[str, list[NDArray[np.int32]]] = {name: [] for name in wanted}
    kinds: dict[str, set[type]] = {name: set() for name in wanted}
    rows = 0
    for places, records in _blocks_of_records(file):
        for name in wanted:
            # A string equals nothing but a string, so that what is known needs no look at its kind.
            numbers = _known_numbers(records, name, known[name]) if kinds[name] == {str} else None
            if numbers is not None:
                parts[name].append(numbers)
                continue
            try:
                values = list(map(itemgetter(name), records))
            except KeyError:
                values = [field_of(record, name) for record in records]
            new = set(map(type, values)) - kinds[name]
            if new:
                kinds[name] |= new
                _check_kinds(kinds[name], values, places, file, name, name in optional)
            parts[name].append(coded(values, known[name]))
        rows += len(records)
        if most is not None and rows >= most:
            break
    if not rows:
        raise ValueError(f"{file} has no records; there is nothing to compare the models on")
    return {name: Column(list(known[name]), np.concatenate(parts[name])) for name in wanted}


def _known_numbers(
    records: Sequence[Record], name: str, labels: Mapping[str, int]
) -> NDArray[np.int32] | None:
    """Return the number of each record's label, or None where one is new, missing or nested."""
    try:
        return np.fromiter(map(labels.__getitem__, map(itemgetter(name), records)), np.int32, len(records))
    except (KeyError, TypeError):
        return None


def _line(lines: Sequence[int], i: int) -> str:
    return f"line {lines[i]}"


def _blocks_of_records(file: InputFile) -> Iterator[tuple[Callable[[int], str], list[Record]]]:
    """Yield some records at a time, and what says where one of them stands."""
    if not is_lines(file):
        records = list(json_records(file))
        yield lambda i: records[i][0], [record for _, record in records]
        return
    for first, found in json_blocks(file):
        lines: Sequence[int] = range(first, first + len(found))
        if not set(map(type, found)) <= {dict}:
            kept = [(line, record) for line, record in zip(lines, found, strict=True) if record is not BLANK]
            lines = [line for line, _ in kept]
            found = [_checked(record, f"{file}, line {line},") for line, record in kept]
        yield partial(_line, lines), found


def _check_kinds(
    kinds: set[type],
    values: Iterable[Any],
    place: Callable[[int], str],
    file: InputFile,
    name: str,
    optional: bool,
) -> None:
    """Say which value is missing, nested, or of another kind than those before."""
    kept = {kind for kind in kinds if kind is not type(None)}
    mixed = len({str if kind is str else bool if kind is bool else float for kind in kept}) > 1
    for i, value in enumerate(values):
        if value is None and not optional:
            raise EmptyCell(f"{file}, {place(i)}, has no value of {name!r}", name)
        if isinstance(value, list | dict):
            remedy = "tags of tokens or sets of labels go to bf.from_tags or bf.from_labels"
            if isinstance(value, dict):
                remedy = "name a field in it" + "".join(f", as {name}.{key}" for key in islice(value, 1))
            raise ValueError(
                f"{file}, {place(i)}, has {shown(value)} as {name!r} where one label or number belongs; {remedy}"
            )
    if mixed:
        raise ValueError(f"{file} mixes strings, numbers or booleans in {name!r}; use one kind")
