"""JSON as it is parsed: a document at once, or lines, a few at a time, with the place of what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, BinaryIO

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import shown
from bayesf1.base.text_files import BOM, check_text, decode, read_number

_MAX_JSON_BYTES = 64_000_000
# A log may hold a whole conversation in a line.
_MAX_LINE_BYTES = 1 << 28
# What is made of so many bytes stays in the cache of a processor until its columns are taken.
_BLOCK_BYTES = 1 << 16
# What stands in a line without anything.
BLANK = object()


def fast_json() -> Callable[[bytes], Any]:
    """Return the fastest parser that is there."""
    try:
        import orjson
    except ImportError:
        return json.loads
    loads: Callable[[bytes], Any] = orjson.loads
    return loads


def json_lines(file: InputFile) -> Iterator[tuple[int, Any]]:
    """Yield what stands in each line that is not blank, and the line's number, holding few at a time."""
    for first, found in json_blocks(file):
        for i, record in enumerate(found):
            if record is not BLANK:
                yield first + i, record


def json_blocks(file: InputFile) -> Iterator[tuple[int, list[Any]]]:
    """Yield what stands in some lines, and the number of the first."""
    loads, number, rest = fast_json(), 1, b""
    with file.open() as stream:
        # As much again as there is of a line that has not ended yet, so that long ones are not copied often.
        while data := stream.read(max(_BLOCK_BYTES, len(rest))):
            lines, end, rest = (rest + data).rpartition(b"\n")
            n_lines = lines.count(b"\n") + len(end)
            if len(rest) > _MAX_LINE_BYTES:
                raise ValueError(
                    f"{file}, line {number + n_lines}, is longer than {_MAX_LINE_BYTES >> 20} MB"
                )
            if end:
                yield number, _parsed(lines, range(number, number + n_lines), file, loads)
                number += n_lines
        if rest:
            yield number, _parsed(rest, range(number, number + 1), file, loads)


def _parsed(data: bytes, numbers: range, file: InputFile, loads: Callable[[bytes], Any]) -> list[Any]:
    if numbers[0] == 1:
        data = data.removeprefix(BOM)
    try:
        # One list of objects takes less time than an object a line.
        found: list[Any] = loads(b"[" + data.replace(b"\n", b",") + b"]")
        if len(found) == len(numbers):
            return found
    except (ValueError, RecursionError):
        pass
    # Blank lines, and NaN and Infinity, which Python writes and JSON has not, or something worse.
    lines = zip(numbers, data.split(b"\n"), strict=True)
    return [_parsed_line(line, f"{file}, line {i},") for i, line in lines]


def _parsed_line(line: bytes, where: str) -> Any:
    if not line.strip():
        return BLANK
    try:
        return json.loads(line)
    except UnicodeDecodeError:
        raise ValueError(f"{where} is not UTF-8; save the file as UTF-8") from None
    except RecursionError:
        raise ValueError(f"{where} is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{where} is not JSON: {_why(error)}") from None


def _why(error: ValueError) -> str:
    return f"{error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)


def parse_json(stream: BinaryIO, file: InputFile) -> Any:
    """Read a JSON document whose numbers are finite and whose keys are unique."""
    raw = stream.read(_MAX_JSON_BYTES + 1)
    if len(raw) > _MAX_JSON_BYTES:
        raise ValueError(
            f"{file} is larger than {_MAX_JSON_BYTES // 10**6} MB; split it, or write a record a line"
        )
    text = decode(raw.removeprefix(BOM), f"{file}", "has the byte {byte}, which is not UTF-8 text")
    check_text(text, f"{file}")
    if not text.strip():
        raise ValueError(
            f"{file} is empty, but should hold a list of records or a mapping of model to counts"
        )
    number = partial(_json_number, file=file)
    try:
        return json.loads(
            text,
            parse_float=number,
            parse_int=lambda text: int(number(text)),
            parse_constant=number,
            object_pairs_hook=partial(_json_object, file=file),
        )
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{file}, line {error.lineno}, column {error.colno}, is not JSON: {error.msg}"
        ) from None
    except RecursionError:
        raise ValueError(f"{file} is nested too deeply; write a list of records with a count a key") from None


def _json_number(text: str, file: InputFile) -> float:
    value = read_number(text)
    if value is None:
        raise ValueError(f"{file} has the number {shown(text)[1:-1]}; numbers in JSON are finite")
    return value


def _json_object(pairs: list[tuple[str, Any]], file: InputFile) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = sorted(name for name, _ in pairs)
        twice = next(a for a, b in pairwise(names) if a == b)
        raise ValueError(f"{file} has the key {shown(twice)} twice in one object; keep one")
    return found
