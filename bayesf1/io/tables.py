"""Tables in files: CSV, TSV, JSON, JSON lines, Parquet and Arrow become a frame of the columns that are wanted."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from types import NoneType
from typing import Any, TypeAlias

import numpy as np

from bayesf1.base.input_files import LINE_SHARE, InputFile
from bayesf1.base.naming import listing, nearest, quoted
from bayesf1.base.text_files import BOM, located
from bayesf1.runs import refuse_reports

# The first bytes of Parquet, of Arrow's files, and of streams of Arrow's messages.
_PARQUET = b"PAR1"
_ARROW = b"ARROW1"
_STREAM = b"\xff\xff\xff\xff"

_RECORDS_OF_HEADER = 200
# Rows are read in blocks so small that the garbage collector, which would take half the time, does not start.
_ROWS_AT_ONCE = 400
# How many bytes of a text are examined at a time.
_SCANNED = 1 << 22

Record: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class TableFile:
    r"""A table in a file, whose columns are read when they are asked for.

    Attributes
    ----------
    file
        The file.
    header
        Names of its columns; those of nested fields are joined by dots.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.jsonl")
    ...     size = path.write_text('{"q": 1, "a": {"right": true}}\n{"q": 2, "a": {"right": false}}\n')
    ...     table = TableFile.opened(InputFile.of(path))
    ...     table.header, table.load(["a.right"])["a.right"].tolist()
    (('q', 'a.right'), [True, False])
    """

    file: InputFile
    header: tuple[str, ...]

    @classmethod
    def opened(cls, file: InputFile) -> TableFile:
        """Read the header of a file."""
        if is_arrow(file):
            header = _arrow_header(file)
        elif is_json(file):
            header = _json_header(file)
        else:
            header, _ = _header_and_separator(file)
        # Columns that nobody named cannot be asked for.
        twice = [name for name, times in Counter(header).items() if name and times > 1]
        if twice:
            raise ValueError(f"{file} names column {twice[0]!r} twice; rename one")
        return cls(file, tuple(header))

    def __str__(self) -> str:
        return str(self.file)

    def check(self, *columns: str | None) -> None:
        """Raise a ValueError if a column does not exist or is named twice; None is skipped."""
        check_columns([column for column in columns if column is not None], self.header, str(self.file))

    def load(self, wanted: Sequence[str], *, optional: Container[str] = (), most: int | None = None) -> Any:
        """Return columns, or their first `most` rows, as a frame of pandas; `optional` ones may have gaps.

        Text is held as categories, each label once.
        """
        file = self.file
        check_columns(wanted, self.header, str(file))
        if is_arrow(file):
            frame = _load_arrow(file, wanted, most)
        elif is_json(file):
            frame = _frame(_json_blocks(file, wanted), wanted, file, most)
        else:
            frame = _load_plain(file, wanted, most)
            if frame is None:
                frame = _frame(_text_blocks(file, wanted), wanted, file, most)
        if not len(frame):
            raise ValueError(f"{file} has no rows; there is nothing to compare the models on")
        for name in wanted:
            empty = frame[name].isna()
            if name not in optional and empty.any():
                raise ValueError(
                    f"{file}, row {int(np.argmax(empty)) + 1}, has no value in column {name!r}; fill or drop it "
                    "(gold labels may be missing if a judge labels every item: judge=)"
                )
        return frame


def check_columns(columns: Sequence[Any], known: Sequence[str], where: str) -> None:
    """Raise a ValueError if a column does not exist or is named twice.

    Examples
    --------
    >>> check_columns(["label", "brt"], ["label", "bert"], "a.csv")
    Traceback (most recent call last):
    ValueError: a.csv has no column 'brt'; did you mean 'bert'? (known: label, bert)
    """
    for i, column in enumerate(columns):
        if not isinstance(column, str):
            raise ValueError(f"columns of {where} are named by strings, not by {quoted(column)}")
        if column not in known:
            raise ValueError(f"{where} has no column {quoted(column)}; {nearest(column, known)}")
        if column in columns[:i]:
            raise ValueError(
                f"{where}: column {column!r} is named twice; gold, models and the rest need one each"
            )


def _frame(
    blocks: Iterable[Sequence[Sequence[Any]]], wanted: Sequence[str], file: InputFile, most: int | None
) -> Any:
    """Return blocks of columns, or their first rows, as a frame of pandas, in which each text is held once."""
    import pandas as pd

    n_blocks = None if most is None else math.ceil(most / _ROWS_AT_ONCE)
    texts: dict[Any, Any] = {}
    columns: dict[str, Any] = {name: [] for name in wanted}
    for block in islice(blocks, n_blocks):
        for name, values in zip(wanted, block, strict=True):
            if {*map(type, values)} <= {str, NoneType}:
                columns[name] += map(texts.setdefault, values, values)
            else:
                columns[name] += values
    for name, values in columns.items():
        kinds = {*map(type, values)} - {NoneType}
        if kinds & {list, dict}:
            i = next(i for i, value in enumerate(values, 1) if isinstance(value, list | dict))
            raise ValueError(
                f"{file}, record {i}, has a list or an object as {name!r}; name a field in it, as {name}.x; lists of tags go "
                "to bf.from_tags, sets of labels to bf.from_labels"
            )
        has_numbers = bool(kinds - {str, bool})
        if len(kinds & {str, bool}) + has_numbers > 1:
            raise ValueError(f"{file} mixes strings, numbers or booleans in {name!r}; use one kind")
        column = pd.Series(values, dtype=object)
        columns[name] = column.astype("category") if str in kinds else column.infer_objects()
    return pd.DataFrame(columns).iloc[:most]


# ---- text -------------------------------------------------------------------------------------------------


def _lines(file: InputFile) -> Iterator[str]:
    """Yield lines in UTF-8."""
    for number, raw in enumerate(file.raw_lines(), 1):
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{file}, line {number}, is not UTF-8; save the file as UTF-8") from None


def _header_and_separator(file: InputFile) -> tuple[list[str], str]:
    """Return the names of a table's columns, and what separates them."""
    line = next(_lines(file), "").rstrip("\r\n")
    if not line.strip():
        raise ValueError(f"{file} begins with an empty line; its first line should name the columns")
    if "\r" in line:
        raise ValueError(f"{file}, line 1, holds a carriage return by itself; end lines with line feeds")
    separator = max(",;\t", key=line.count)
    try:
        (names,) = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
    except (csv.Error, ValueError) as error:
        raise ValueError(f"{file}, line 1, is not a row of a table: {error}") from None
    return [name.strip() for name in names], separator


def _load_plain(file: InputFile, wanted: Sequence[str], most: int | None) -> Any:
    """Return columns of a plain table, read by pyarrow; None if Python's parser should read it, or explain an error in it."""
    try:
        import pyarrow as pa
        from pyarrow import csv as arrow
    except ImportError:
        return None
    header, separator = _header_and_separator(file)
    # pyarrow cannot open a path that is not UTF-8, as in a locale without UTF-8.
    if not _is_plain(file, separator) or not str(file.path).isprintable():
        return None
    # Columns are known by number, as names may be empty or occur twice.
    places = [str(header.index(name)) for name in wanted]
    text = dict.fromkeys(places, pa.dictionary(pa.int32(), pa.string()))
    try:
        reader = arrow.open_csv(
            file.path,
            arrow.ReadOptions(use_threads=False, column_names=[*map(str, range(len(header)))], skip_rows=1),
            arrow.ParseOptions(delimiter=separator, quote_char=False),
            arrow.ConvertOptions(
                include_columns=places, column_types=text, null_values=[""], strings_can_be_null=True
            ),
        )
        with reader:
            # A block has some ten thousand rows.
            n_blocks = None if most is None else 1
            batches = [*islice(reader, n_blocks)]
    except pa.ArrowInvalid:
        batches = []
    if not batches:
        return None
    frame = pa.Table.from_batches(batches).slice(0, most).unify_dictionaries().to_pandas()
    frame.columns = list(wanted)
    repeats_header = any(name in map(str.strip, frame[name].cat.categories) for name in wanted)
    return None if repeats_header else frame


def _is_plain(file: InputFile, separator: str) -> bool:
    """Return whether a text has no quotes, and no blanks where cells begin, so that all parsers agree."""
    padded = f"{separator} ".encode()
    with file.open() as stream:
        while block := stream.read(_SCANNED) + stream.readline(_SCANNED):
            try:
                block.decode("utf-8")
            except UnicodeDecodeError:
                return False
            odd = b'"' in block or padded in block or block.startswith(b" ") or b"\n " in block
            if odd or block.count(b"\r") != block.count(b"\r\n"):
                return False
    return True


def _text_blocks(file: InputFile, wanted: Sequence[str]) -> Iterator[list[Sequence[str | None]]]:
    """Yield the rows in blocks, each as columns, with None where a cell is empty."""
    header, separator = _header_and_separator(file)
    places = [header.index(name) for name in wanted]
    rows = _rows(file, header, separator)
    while block := [*islice(rows, _ROWS_AT_ONCE)]:
        columns = [*zip(*block, strict=True)]
        yield [_with_gaps(columns[place]) for place in places]


def _with_gaps(cells: Sequence[str]) -> Sequence[str | None]:
    """Return cells with None for each that is empty."""
    return [None if cell == "" else cell for cell in cells] if "" in cells else cells


def _rows(file: InputFile, header: Sequence[str], separator: str) -> Iterator[list[str]]:
    """Yield the rows below the header, or raise a ValueError that names the first bad line."""
    reader = csv.reader(_lines(file), delimiter=separator, skipinitialspace=True, strict=True)
    start = 1
    try:
        next(reader)
        for row in reader:
            if len(row) == len(header):
                if row[0].strip() == header[0] and [cell.strip() for cell in row] == header:
                    raise ValueError(f"{file}, line {reader.line_num}, repeats the header; remove it")
                yield row
            elif row:
                raise ValueError(
                    f"{file}, line {reader.line_num}, has {len(row)} cells, but the header names {len(header)} columns; mend "
                    "the row, or name all columns"
                )
            start = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f"{file}, line {start}, is not a row of a table: {error} in line {reader.line_num}; was a quote left open?"
        ) from None


# ---- JSON -------------------------------------------------------------------------------------------------


def is_json(file: InputFile) -> bool:
    """Return whether a file begins as JSON does."""
    return file.head.lstrip()[:1] in (b"{", b"[")


def json_lines(file: InputFile) -> Iterator[tuple[int, Any]]:
    """Yield the number of each line that is not blank, and what it holds."""
    parse: Callable[[bytes], Any] = json.loads
    with suppress(ImportError):
        import orjson

        parse = orjson.loads
    lines = enumerate(file.raw_lines(), 1)
    # orjson keeps the last value of a repeated key; but if programs repeat a key, they do so in the first lines, too.
    for number, line in islice(lines, _RECORDS_OF_HEADER):
        if line.strip():
            yield number, _parsed(line, f"{file}, line {number},")
    for number, line in lines:
        try:
            yield number, parse(line)
        # The line is blank, has NaN or Infinity, which Python writes although JSON lacks them, or is broken.
        except (ValueError, RecursionError):
            if line.strip():
                yield number, _parsed(line, f"{file}, line {number},")


def _parsed(text: bytes, where: str) -> Any:
    """Return what a JSON text holds, or raise a ValueError that says why it is not JSON."""

    def unique(pairs: list[tuple[str, Any]]) -> Record:
        record = dict(pairs)
        if len(record) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in record if names.count(name) > 1)
            raise ValueError(f"the key {quoted(twice)} occurs twice in one object; keep one")
        return record

    try:
        return json.loads(text, object_pairs_hook=unique)
    except RecursionError:
        raise ValueError(f"{where} is nested too deeply; write a list of records") from None
    except ValueError as error:
        raise ValueError(f"{where} is not JSON in UTF-8: {error}") from None


def _json_header(file: InputFile) -> list[str]:
    """Return the names of the fields (nested ones joined by dots) in the order in which they first occur."""
    first = islice(_records(file), _RECORDS_OF_HEADER)
    names = list(dict.fromkeys(name for record in first for name in _flat(record, "")))
    if not names:
        raise ValueError(f"{file} has no records; there is nothing to compare the models on")
    return names


def _json_blocks(file: InputFile, wanted: Sequence[str]) -> Iterator[list[Sequence[Any]]]:
    """Yield the records in blocks, each as columns of fields, with None where a record lacks the field."""
    records = _records(file)
    while block := [*islice(records, _ROWS_AT_ONCE)]:
        yield [[_field(record, name) for record in block] for name in wanted]


def _records(file: InputFile) -> Iterator[Record]:
    """Yield the records of a file."""
    in_lines = is_lines(file)
    rows = json_lines(file) if in_lines else enumerate(_records_of_document(file), 1)
    for i, record in rows:
        if type(record) is not dict:
            noun = "line" if in_lines else "record"
            raise ValueError(f'{file}, {noun} {i}, is {quoted(record)}, not one like {{"label": "yes"}}')
        yield record


def _records_of_document(file: InputFile) -> list[Any]:
    """Return the records of a file that is one list of them."""
    file.check_size(file.size, LINE_SHARE)
    with file.open() as stream:
        document = _parsed(stream.read().removeprefix(BOM), str(file))
    with located(file):
        refuse_reports(document)
    if isinstance(document, list):
        return document
    fields = listing(document, most=8) if isinstance(document, dict) else quoted(document)
    raise ValueError(
        f"{file} holds an object with {fields}, but a table in JSON is a list of records, or one per line (pandas "
        "writes them with orient='records')"
    )


def is_lines(file: InputFile) -> bool:
    """Return whether a file holds one object per line, judged by whether the first line is a complete object."""
    lines = [line for line in file.lines if line.strip()]
    if not lines or not lines[0].startswith("{"):
        return False
    try:
        record = json.loads(lines[0])
    except (ValueError, RecursionError):
        # A first line that fills the head of the file goes on after it; a shorter one begins an object on several lines.
        return len(lines) == 1 and len(file.head) >= 1 << 15
    # A single object may be a whole table, with columns nested in it.
    flat = not any(isinstance(value, list | dict) for value in record.values())
    return len(lines) > 1 or (flat and file.suffix != ".json")


def _flat(record: Record, before: str, depth: int = 0) -> Iterator[str]:
    """Yield the names of the fields of a record; those of nested objects are joined by dots."""
    for key, value in record.items():
        if isinstance(value, dict) and value and depth < 8:
            yield from _flat(value, f"{before}{key}.", depth + 1)
        else:
            yield before + key


def _field(record: Record, name: str) -> Any:
    """Return a field, perhaps of a nested object; None if it does not exist. Names may have dots of their own.

    Examples
    --------
    >>> _field({"175b.v": {"is_correct": True}}, "175b.v.is_correct")
    True
    """
    if name in record:
        return record[name]
    paths = ((name[:i], name[i + 1 :]) for i, letter in enumerate(name) if letter == ".")
    inside = (_field(record[top], rest) for top, rest in paths if isinstance(record.get(top), dict))
    return next((value for value in inside if value is not None), None)


# ---- Parquet and Arrow ------------------------------------------------------------------------------------


def is_arrow(file: InputFile) -> bool:
    """Return whether a file is Parquet or Arrow."""
    return file.head.startswith((_PARQUET, _ARROW, _STREAM))


@contextmanager
def errors_of_file(file: object) -> Iterator[None]:
    """Turn every error of pyarrow while it reads a file into a ValueError about this file."""
    try:
        yield
    # pyarrow raises errors of many types.
    except Exception as error:
        why = " ".join(str(error).split())[:300]
        raise ValueError(f"{file} cannot be read as Parquet or Arrow: {why}") from None


def _arrow_header(file: InputFile) -> list[str]:
    """Return the names of the columns; those of nested ones are joined by dots."""
    with errors_of_file(file):
        return list(_flattened(_dataset(file).schema.empty_table()).column_names)


def _dataset(file: InputFile) -> Any:
    import pyarrow as pa
    from pyarrow import dataset

    if file.head.startswith(_PARQUET):
        return dataset.dataset(file.path, format="parquet")
    source = pa.memory_map(str(file.path))
    opened = pa.ipc.open_stream if file.head.startswith(_STREAM) else pa.ipc.open_file
    whole = opened(source).read_all()
    if whole.nbytes > file.size:
        file.check_size(whole.nbytes, 8, " when unpacked")
    # Nothing else checks damaged offsets, and following them ends the process.
    whole.validate(full=True)
    return dataset.dataset(whole)


def _flattened(table: Any) -> Any:
    """Return a table whose nested fields are columns with dotted names, and whose columns have types that pandas has."""
    import pyarrow as pa

    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    for i, field in enumerate(table.schema):
        # pyarrow can hardly compare text as polars writes it, and pandas has no decimals.
        if pa.types.is_string_view(field.type):
            table = table.set_column(i, field.name, table[i].cast(pa.string()))
        elif pa.types.is_decimal(field.type):
            table = table.set_column(i, field.name, table[i].cast(pa.float64()))
    return table


def _unpacked(file: InputFile, tops: Sequence[str]) -> int:
    """Return the unpacked size in bytes of columns of Parquet, from its metadata; 0 for Arrow, which is in memory."""
    from pyarrow import parquet

    if not file.head.startswith(_PARQUET):
        return 0
    whole = parquet.ParquetFile(file.path)
    schema = whole.schema
    columns = [i for i in range(len(schema)) if schema.column(i).path.split(".")[0] in tops]
    n_bytes = 0
    for number in range(whole.num_row_groups):
        # Metadata of a damaged column ends the process; reading one row first raises an error instead.
        next(whole.iter_batches(1, row_groups=[number], columns=[*tops], use_threads=False), None)
        group = whole.metadata.row_group(number)
        n_bytes += sum(group.column(i).total_uncompressed_size for i in columns)
    return n_bytes


def _load_arrow(file: InputFile, wanted: Sequence[str], most: int | None) -> Any:
    """Return columns, or their first rows, as a frame of pandas, text as categories."""
    with errors_of_file(file):
        source = _dataset(file)
        tops = [
            top for top in source.schema.names if any(f"{name}.".startswith(f"{top}.") for name in wanted)
        ]
        n_rows = source.count_rows() if most is None else most
        n_bytes = _unpacked(file, tops)
    # Runs of one value take no room in a file, but at least four bytes a cell in memory.
    file.check_size(4 * len(tops) * n_rows)
    file.check_size(n_bytes, 8, " when unpacked")
    with errors_of_file(file):
        table = source.to_table(columns=tops) if most is None else source.head(most, columns=tops)
        table.validate(full=True)
        table = _flattened(table).select(list(wanted))
        return table.to_pandas(ignore_metadata=True, strings_to_categorical=True)
