"""Tables in text files, one item a row: every cell is text, and each label is held once."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.naming import nearest
from bayesf1.base.text_files import BOM, MAX_LINE_BYTES, decode, numbered_lines

_ROWS = 1 << 12


class Column(NamedTuple):
    """A column of labels: those that occur, in the order in which they do, and which of them each row has."""

    labels: list[str]
    codes: NDArray[np.int32]


def read_header(path: Path) -> tuple[list[str], str]:
    """Return the names of a table's columns, and what separates them."""
    with path.open("rb") as stream:
        raw = stream.readline(MAX_LINE_BYTES + 1)
    if len(raw) > MAX_LINE_BYTES:
        raise ValueError(f"{path}, line 1, is longer than a megabyte; the names of columns belong there")
    line = decode(raw.removeprefix(BOM), f"{path}, line 1,", "is not UTF-8").rstrip("\r\n")
    if not line.strip():
        raise ValueError(f"{path} begins with an empty line; the names of its columns belong there")
    if "\r" in line:
        raise ValueError(f"{path}, line 1, holds a carriage return by itself; end lines with line feeds")
    separator = max(",;\t", key=line.count)
    header = [name.strip() for name in _parsed(path, [line], separator, start=0)[0]]
    for name in header:
        if header.count(name) > 1:
            raise ValueError(f"{path}, line 1, names column {name!r} twice; rename one")
    return header, separator


def read_columns(path: Path, wanted: Sequence[str]) -> dict[str, Column]:
    r"""Read columns of a table, or say in which line something else than a row of it stands.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "predictions.csv")
    ...     size = path.write_text("label,crf\n01,1\n1,01\n01,1\n")
    ...     read_columns(path, ["label"])["label"].labels
    ['01', '1']
    """
    header, separator = read_header(path)
    check_columns(wanted, header, path)
    place = {name: header.index(name) for name in wanted}
    known: dict[str, dict[str, int]] = {name: {} for name in wanted}
    parts: dict[str, list[NDArray[np.int32]]] = {name: [] for name in wanted}
    for block in _blocks(path, separator, header):
        columns = list(zip(*block, strict=True))
        for name, labels in known.items():
            coded = [labels.setdefault(value, len(labels)) for value in columns[place[name]]]
            parts[name].append(np.array(coded, dtype=np.int32))
    if not next(iter(parts.values())):
        raise ValueError(f"{path} has no rows below its header; there is nothing to compare the models on")
    found = {name: Column(list(known[name]), np.concatenate(parts[name])) for name in wanted}
    for name, column in found.items():
        if "" in known[name]:
            row = int(np.argmax(column.codes == known[name][""])) + 1
            raise ValueError(f"{path}, row {row}, has no value in column {name!r}; fill or drop it")
    return found


def check_columns(wanted: Iterable[str], header: Sequence[str], path: Path) -> None:
    """Say which column a file does not have."""
    for column in wanted:
        if column not in header:
            raise ValueError(f"{path} has no column {column!r}; {nearest(str(column), header)}")


def _blocks(path: Path, separator: str, header: Sequence[str]) -> Iterator[list[list[str]]]:
    """Yield the rows below the header, many at a time, each as long as the header and none equal to it."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        try:
            stream.readline()
            number = 1
            while lines := list(islice(stream, _ROWS)):
                # A quoted cell may hold a line break.
                while sum(line.count('"') for line in lines) % 2 and (more := stream.readline()):
                    lines.append(more)
                rows = _parsed(path, lines, separator, start=number)
                width = len(header)
                if any(len(row) != width for row in rows) or header in rows:
                    _complain(path, lines, separator, header, start=number)
                    rows = [row for row in rows if row]
                number += len(lines)
                if rows:
                    yield rows
        except UnicodeDecodeError:
            with path.open("rb") as raw:
                for _ in numbered_lines(raw, path, too_long="is too long", not_utf8="is not UTF-8"):
                    pass
            raise


def _parsed(path: Path, lines: Sequence[str], separator: str, *, start: int) -> list[list[str]]:
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    try:
        return list(reader)
    except csv.Error as error:
        raise ValueError(f"{path}, line {start + reader.line_num}, is no row of a table: {error}") from None


def _complain(path: Path, lines: Sequence[str], separator: str, header: Sequence[str], *, start: int) -> None:
    """Say which line is longer or shorter than the header, or repeats it; blank lines say nothing."""
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    for row in reader:
        where = f"{path}, line {start + reader.line_num},"
        if row and len(row) != len(header):
            names = (
                "; are the first ones names of rows, without a column?" if len(row) == len(header) + 1 else ""
            )
            raise ValueError(
                f"{where} has {len(row)} cells, but the header names {len(header)} columns{names or '; mend the row'}"
            )
        if [cell.strip() for cell in row] == list(header):
            raise ValueError(f"{where} repeats the header; remove it, or the file's second part")
