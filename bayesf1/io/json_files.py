"""JSON in files: a document at once, or a record a line; records become a frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from bayesf1.base.checks import refuse_reports
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, quoted
from bayesf1.base.text_files import BOM, check_text, decode, located, read_number

_MAX_JSON_BYTES = 64_000_000
# A log may hold a whole conversation in a line.
_MAX_LINE_BYTES = 1 << 28
_RECORDS_OF_HEADER = 200
_RECORDS_AT_ONCE = 10_000

Record: TypeAlias = dict[str, Any]


def is_json(file: InputFile) -> bool:
    """Return whether a file begins as JSON does."""
    return file.head.lstrip()[:1] in (b"{", b"[")


def fast_json() -> Callable[[bytes], Any]:
    """Return the fastest parser that is installed."""
    try:
        import orjson
    except ImportError:
        return json.loads
    parser: Callable[[bytes], Any] = orjson.loads
    return parser


def json_lines(file: InputFile) -> Iterator[tuple[int, Any]]:
    """Yield what stands in each line that is not blank, and the line's number."""
    parse = fast_json()
    with file.open() as stream:
        for number, line in enumerate(iter(partial(stream.readline, _MAX_LINE_BYTES + 1), b""), 1):
            try:
                yield number, parse(line)
            # The first line, blank ones, NaN and Infinity, which Python writes and JSON has not, or something worse.
            except (ValueError, RecursionError):
                text = line.removeprefix(BOM) if number == 1 else line
                if text.strip():
                    yield number, _parsed_line(text, f"{file}, line {number},")


def _parsed_line(line: bytes, where: str) -> Any:
    if len(line) > _MAX_LINE_BYTES:
        raise ValueError(f"{where} is longer than {_MAX_LINE_BYTES >> 20} MB")
    try:
        return json.loads(line)
    except UnicodeDecodeError:
        raise ValueError(f"{where} is not UTF-8; save the file as UTF-8") from None
    except RecursionError:
        raise ValueError(f"{where} is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{where} is not JSON: {error}") from None


def parse_json(stream: BinaryIO, file: InputFile) -> Any:
    """Read a JSON document whose numbers are finite and whose keys are unique."""
    raw = stream.read(_MAX_JSON_BYTES + 1)
    if len(raw) > _MAX_JSON_BYTES:
        raise ValueError(
            f"{file} is larger than {_MAX_JSON_BYTES // 10**6} MB; split it, or write a record a line"
        )
    text = decode(raw.removeprefix(BOM), f"{file}", "has the byte {byte}, which is not UTF-8 text")
    check_text(text, f"{file}")

    def number(text: str) -> float:
        value = read_number(text)
        if value is None:
            raise ValueError(f"{file} has the number {quoted(text)[1:-1]}; numbers in JSON are finite")
        return value

    def unique(pairs: list[tuple[str, Any]]) -> Record:
        names = [name for name, _ in pairs]
        if len(found := dict(pairs)) < len(pairs):
            twice = next(name for name in found if names.count(name) > 1)
            raise ValueError(f"{file} has the key {quoted(twice)} twice in one object; keep one")
        return found

    try:
        return json.loads(
            text,
            parse_float=number,
            parse_int=lambda text: int(number(text)),
            parse_constant=number,
            object_pairs_hook=unique,
        )
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{file}, line {error.lineno}, column {error.colno}, is not JSON: {error.msg}"
        ) from None
    except RecursionError:
        raise ValueError(f"{file} is nested too deeply; write a list of records") from None


# ---- records ----------------------------------------------------------------------------------------------


def json_header(file: InputFile) -> list[str]:
    """Return the names of the fields, those of nested objects by dots, in the order in which they first occur."""
    first = islice(_records(file), _RECORDS_OF_HEADER)
    names = list(dict.fromkeys(name for record in first for name in _flat(record, "")))
    if not names:
        raise ValueError(f"{file} has no records; there is nothing to compare the models on")
    return names


def json_frame(file: InputFile, wanted: Sequence[str], most: int | None) -> Any:
    """Return fields of all records, or of the first `most`, as a frame of pandas; text as categories."""
    import pandas as pd

    # Each label is held once, and each record has its number.
    labels: dict[str, dict[Any, int]] = {name: {} for name in wanted}
    parts: dict[str, list[Any]] = {name: [] for name in wanted}
    kinds: dict[str, set[type]] = {name: set() for name in wanted}
    records, rows = islice(_records(file), most), 0
    while block := [*islice(records, _RECORDS_AT_ONCE)]:
        for name in wanted:
            try:
                values = [record[name] for record in block]
            except KeyError:
                values = [_field(record, name) for record in block]
            kinds[name].update(map(type, values))
            _check_kinds(kinds[name], values, file, rows, name)
            known = labels[name]
            parts[name].append(
                np.array([-1 if v is None else known.setdefault(v, len(known)) for v in values], np.int32)
            )
        rows += len(block)
    if not rows:
        raise ValueError(f"{file} has no records; there is nothing to compare the models on")
    columns: dict[str, Any] = {}
    for name in wanted:
        codes, values = np.concatenate(parts[name]), [*labels[name]]
        if str in kinds[name]:
            columns[name] = pd.Categorical.from_codes(codes, pd.Index(values, dtype=object))
        else:
            columns[name] = pd.Series([*values, None], dtype=object)[
                codes % (len(values) + 1)
            ].infer_objects()
            columns[name].index = range(rows)
    return pd.DataFrame(columns)


def _check_kinds(kinds: set[type], values: Sequence[Any], file: InputFile, before: int, name: str) -> None:
    """Refuse a column that mixes kinds of values, and what is nested."""
    if kinds & {list, dict}:
        i, value = next((i, v) for i, v in enumerate(values, before + 1) if isinstance(v, list | dict))
        remedy = "lists of tags go to bf.from_tags, sets of labels to bf.from_labels"
        if isinstance(value, dict):
            remedy = f"name a field in it, as {name}.{next(iter(value), 'x')}"
        raise ValueError(
            f"{file}, record {i}, has {quoted(value)} as {name!r} where one label or number belongs; {remedy}"
        )
    if len({kind if kind in (str, bool) else float for kind in kinds - {type(None)}}) > 1:
        raise ValueError(f"{file} mixes strings, numbers or booleans in {name!r}; use one kind")


def _records(file: InputFile) -> Iterator[Record]:
    """Yield the records of a file."""
    rows: Iterator[tuple[int, Any]]
    if is_lines(file):
        rows, noun = json_lines(file), "line"
    else:
        with file.open() as stream:
            document = parse_json(stream, file)
        with located(file):
            refuse_reports(document)
        if not isinstance(document, list):
            fields = listing(document, most=8) if isinstance(document, dict) else quoted(document)
            raise ValueError(
                f"{file} holds an object with {fields}, but a table in JSON is a list of records or a record a line (pandas "
                "writes them by orient='records')"
            )
        rows, noun = enumerate(document, 1), "record"
    for i, record in rows:
        if type(record) is not dict:
            raise ValueError(
                f'{file}, {noun} {i}, is {quoted(record)} where an object such as {{"label": "yes"}} belongs'
            )
        yield record


def is_lines(file: InputFile) -> bool:
    """Return whether a file holds an object a line: the first line is a whole one."""
    lines = [line for line in file.lines if line.strip()]
    if not lines or not lines[0].startswith("{"):
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


def _flat(record: Record, before: str, depth: int = 0) -> Iterator[str]:
    for key, value in record.items():
        if isinstance(value, dict) and value and depth < 8:
            yield from _flat(value, f"{before}{key}.", depth + 1)
        else:
            yield before + key


def _field(record: Any, name: str) -> Any:
    """Return a field, or one of a nested object by dots, None where there is none; names may hold dots themselves.

    Examples
    --------
    >>> _field({"175b.v": {"is_correct": True}}, "175b.v.is_correct")
    True
    """
    if not isinstance(record, dict):
        return None
    if name in record:
        return record[name]
    paths = ((name[:i], name[i + 1 :]) for i, letter in enumerate(name) if letter == ".")
    inside = (_field(record[before], rest) for before, rest in paths if before in record)
    return next((value for value in inside if value is not None), None)
