"""Tables in text files, one item a row: every cell is text, and each label is held once."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from io import StringIO
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import nearest, shown
from bayesf1.base.text_files import BOM, MAX_LINE_BYTES, decode, numbered_lines
from bayesf1.reading.text_slices import PADDING, TextSlices

_BYTES = 1 << 20


class Column(NamedTuple):
    """A column of labels: those that occur, in the order in which they do, and which of them each row has, or -1."""

    labels: list[Any]
    codes: NDArray[np.int32]


def read_header(path: InputFile) -> tuple[list[str], str]:
    """Return the names of a table's columns, and what separates them."""
    with path.open() as stream:
        raw = stream.readline(MAX_LINE_BYTES + 1)
    if len(raw) > MAX_LINE_BYTES:
        raise ValueError(f"{path}, line 1, is longer than a megabyte; the names of columns belong there")
    line = decode(raw.removeprefix(BOM), f"{path}, line 1,", "is not UTF-8").rstrip("\r\n")
    if not line.strip():
        raise ValueError(f"{path} begins with an empty line; the names of its columns belong there")
    if "\r" in line:
        raise ValueError(f"{path}, line 1, holds a carriage return by itself; end lines with line feeds")
    if line.lower().startswith("sep=") and len(line) == len("sep=,"):
        raise ValueError(f"{path}, line 1, is {line!r}, which tells Excel the separator; remove the line")
    separator = max(",;\t", key=line.count)
    header = [name.strip() for name in _parsed(path, [line], separator, start=0)[0]]
    times = Counter(header)
    for name in header:
        # Columns that nobody named cannot be asked for.
        if name and times[name] > 1:
            raise ValueError(f"{path}, line 1, names column {name!r} twice; rename one")
    return header, separator


def read_columns(
    path: InputFile, wanted: Sequence[str], *, optional: Container[str] = (), most: int | None = None
) -> dict[str, Column]:
    r"""Read columns of a table, or say in which line something else than a row of it stands.

    Cells of `optional` columns may be empty. At least the first `most` rows are read, or all.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = InputFile.of(f"{folder}/predictions.csv")
    ...     size = file.path.write_text("label,crf\n01,1\n1,01\n01,1\n")
    ...     read_columns(file, ["label"])["label"].labels
    ['01', '1']
    """
    header, separator = read_header(path)
    check_columns(wanted, header, path)
    place = {name: header.index(name) for name in wanted}
    known: dict[str, dict[str, int]] = {name: {} for name in wanted}
    parts: dict[str, list[NDArray[np.int32]]] = {name: [] for name in wanted}
    rows = 0
    for columns in _blocks(path, separator, header):
        for name, labels in known.items():
            parts[name].append(_numbered(columns[place[name]], labels))
        rows += len(columns[0])
        if most is not None and rows >= most:
            break
    if not next(iter(parts.values())):
        raise ValueError(f"{path} has no rows below its header; there is nothing to compare the models on")
    found = {name: Column(list(known[name]), np.concatenate(parts[name])) for name in wanted}
    return {name: _filled(column, path, name, name in optional) for name, column in found.items()}


def coded(values: Sequence[Any], labels: dict[Any, int]) -> NDArray[np.int32]:
    """Return the number of each label, -1 for None, and number those that are new.

    Examples
    --------
    >>> labels = {"spam": 0}
    >>> coded(["spam", "ham", None], labels).tolist(), labels
    ([0, 1, -1], {'spam': 0, 'ham': 1})
    """
    # Most labels are known, and looking them up in C is several times as fast.
    found = list(map(labels.get, values))
    if None in found:
        found = [-1 if value is None else labels.setdefault(value, len(labels)) for value in values]
    return np.array(found, dtype=np.int32)


def _filled(column: Column, path: InputFile, name: str, optional: bool) -> Column:
    """Return a column in which empty cells have no label, or say which is empty."""
    if "" not in column.labels:
        return column
    empty = column.labels.index("")
    if not optional:
        row = int(np.argmax(column.codes == empty)) + 1
        raise EmptyCell(f"{path}, row {row}, has no value in column {name!r}", name)
    codes = column.codes - (column.codes > empty).astype(np.int32)
    codes[column.codes == empty] = -1
    return Column([*column.labels[:empty], *column.labels[empty + 1 :]], codes)


class EmptyCell(ValueError):
    """A cell that should hold something.

    Attributes
    ----------
    where
        The file, the row and the column.
    column
        The column's name.
    """

    def __init__(self, where: str, column: str) -> None:
        super().__init__(where, column)
        self.where, self.column = where, column

    def __str__(self) -> str:
        return f"{self.where}; fill or drop it"


def check_columns(wanted: Iterable[str], header: Sequence[str], path: InputFile) -> None:
    """Say which column a file does not have."""
    for column in wanted:
        if column not in header:
            alike = nearest(column if isinstance(column, str) else "", header)
            raise ValueError(f"{path} has no column {shown(column)}; {alike}")


def _numbered(cells: Sequence[str], labels: dict[str, int]) -> NDArray[np.int32]:
    if not isinstance(cells, TextSlices):
        return coded(cells, labels)
    distinct, numbers = cells.numbered()
    first = np.empty(len(distinct), dtype=np.intp)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    order = np.argsort(first)
    codes = np.empty(len(distinct), dtype=np.int32)
    codes[order] = coded([distinct[i] for i in order.tolist()], labels)
    found: NDArray[np.int32] = codes[numbers]
    return found


def _blocks(path: InputFile, separator: str, header: Sequence[str]) -> Iterator[list[Sequence[str]]]:
    """Yield the columns of many rows at a time, each as long as the header and none equal to it."""
    with path.open() as stream:
        stream.readline()
        number = 1
        while block := stream.read(_BYTES):
            block += stream.readline()
            # A quoted cell may hold a line break.
            if block.count(b'"') % 2:
                block += b"".join(_until_even(stream))
            columns = _regular(block, separator, header)
            if columns is None:
                rows, lines = _rows(path, block, separator, header, start=number)
                columns = [*zip(*rows, strict=True)]
            else:
                lines = len(columns[0])
            number += lines
            if columns:
                yield columns


def _until_even(stream: BinaryIO) -> Iterator[bytes]:
    """Yield lines up to one with an odd number of quotes."""
    while line := stream.readline():
        yield line
        if line.count(b'"') % 2:
            return


def _regular(block: bytes, separator: str, header: Sequence[str]) -> list[Sequence[str]] | None:
    """Return the columns of plain rows, no cell of them cut out; None where a row needs a closer look."""
    block = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    block = block if block.endswith(b"\n") else block + b"\n"
    if any(strange in block for strange in (b'"', b"\r", b"\0", b"\n ", separator.encode() + b" ")):
        return None
    if block.startswith((b" ", b"\n")) or f"\n{separator.join(header)}\n".encode() in b"\n" + block:
        return None
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return None
    padded = block + PADDING
    codes = np.frombuffer(padded, dtype=np.uint8)[: len(block)]
    marks = np.flatnonzero((codes == ord(separator)) | (codes == ord("\n")))
    width = len(header)
    if len(marks) % width:
        return None
    stops = marks.reshape(-1, width)
    ends = codes[stops] == ord("\n")
    starts = np.concatenate([[0], marks[:-1] + 1]).reshape(-1, width)
    if not ends[:, -1].all() or ends[:, :-1].any() or (stops - starts).max() > csv.field_size_limit():
        return None
    return [TextSlices(padded, starts[:, i], stops[:, i]) for i in range(width)]


def _rows(
    path: InputFile, block: bytes, separator: str, header: Sequence[str], *, start: int
) -> tuple[list[list[str]], int]:
    """Return rows cell by cell and their number of lines, or say in which line something else stands."""
    try:
        # A carriage return ends a line as well.
        lines = list(StringIO(block.decode("utf-8"), newline=""))
    except UnicodeDecodeError:
        with path.open() as raw:
            for _ in numbered_lines(raw, path, too_long="is too long", not_utf8="is not UTF-8"):
                pass
        raise
    rows = _parsed(path, lines, separator, start=start)
    if set(map(len, rows)) != {len(header)} or header in rows:
        _complain(path, lines, separator, header, start=start)
        rows = [row for row in rows if row]
    return rows, len(lines)


def _parsed(path: InputFile, lines: Sequence[str], separator: str, *, start: int) -> list[list[str]]:
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    try:
        return list(reader)
    except csv.Error as error:
        raise ValueError(f"{path}, line {start + reader.line_num}, is no row of a table: {error}") from None


def _complain(
    path: InputFile, lines: Sequence[str], separator: str, header: Sequence[str], *, start: int
) -> None:
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
