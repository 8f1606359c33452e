"""Tables in files: CSV, TSV, JSON, JSON lines, Parquet and Arrow become a frame of the columns that are wanted."""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import nearest, quoted
from bayesf1.base.text_files import BOM, MAX_LINE_BYTES, decode, numbered_lines
from bayesf1.io.frames import EngineError, engine_errors
from bayesf1.io.json_files import is_json, json_frame, json_header

# Parquet, Arrow's files, and streams of Arrow's messages.
_PARQUET, _ARROW, _STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
# From here on an engine that need not load a file is worth its start.
_LARGE = 1 << 26


@dataclass(frozen=True)
class Table:
    r"""A table in a file, whose columns are read when they are asked for.

    Attributes
    ----------
    file
        The file.
    header
        Names of its columns; those of nested fields are joined by dots.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = InputFile.of(f"{folder}/a.jsonl")
    ...     size = file.path.write_text('{"q": 1, "a": {"right": true}}\n{"q": 2, "a": {"right": false}}\n')
    ...     table = Table.opened(file)
    ...     table.header, table.load(["a.right"])["a.right"].tolist()
    (('q', 'a.right'), [True, False])
    """

    file: InputFile
    header: tuple[str, ...]

    @classmethod
    def opened(cls, file: InputFile) -> Table:
        """Read the header of a file."""
        read = _arrow_header if is_arrow(file) else json_header if is_json(file) else _text_header
        header = read(file)
        # Columns that nobody named cannot be asked for.
        twice = [name for name, times in Counter(header).items() if name and times > 1]
        if twice:
            raise ValueError(f"{file} names column {twice[0]!r} twice; rename one")
        return cls(file, tuple(header))

    def __str__(self) -> str:
        return str(self.file)

    def check(self, *columns: str | None) -> None:
        """Say which column there is not."""
        for column in columns:
            if column is not None and column not in self.header:
                alike = nearest(column if isinstance(column, str) else "", self.header)
                raise ValueError(f"{self.file} has no column {quoted(column)}; {alike}")

    def load(self, wanted: Sequence[str], *, optional: Container[str] = (), most: int | None = None) -> Any:
        """Return columns, or at least their first `most` rows, as a frame of pandas; `optional` ones may have gaps.

        Text is held as categories, each label once.
        """
        if None in wanted:
            raise ValueError(f"columns= and judge= name columns of {self.file}, not None")
        self.check(*wanted)
        if is_arrow(self.file):
            frame = _load_arrow(self.file, wanted, most).to_pandas(ignore_metadata=True)
        else:
            read = json_frame if is_json(self.file) else _text_frame
            frame = read(self.file, wanted, most)
        for name in wanted:
            if name not in optional and (empty := frame[name].isna()).any():
                raise ValueError(
                    f"{self.file}, row {int(np.argmax(empty)) + 1}, has no value in column {name!r}; fill or drop it "
                    "(gold labels may be missing where a judge labels every item: judge=)"
                )
        return frame

    def scan(self, wanted: Sequence[str]) -> Any:
        """Return columns as a frame of whatever engine need not load them."""
        self.check(*wanted)
        if not is_arrow(self.file):
            return self.load(wanted)
        # DuckDB takes some characters of a path for a pattern, and dots and quotes in names for SQL.
        plain = not set("*?[") & set(str(self.file.path)) and not any(
            set(name) & set('."') for name in wanted
        )
        large = self.file.head.startswith(_PARQUET) and self.file.size > _LARGE
        if large and plain and importlib.util.find_spec("duckdb"):
            import duckdb

            with errors_of_file(self.file):
                return duckdb.read_parquet(str(self.file.path))
        return _load_arrow(self.file, wanted)

    def check_unique(self, name: str, remedy: str) -> None:
        """Say which value of a column several rows have, by an engine that need not load it."""
        import narwhals as nw

        rows = nw.from_native(self.scan([name])).lazy().select(c=nw.col(name)).group_by("c").agg(n=nw.len())
        with errors_of_file(self.file):
            bad = rows.filter((nw.col("n") > 1) | nw.col("c").is_null()).head(1).collect().rows()
        if bad and bad[0][0] is None:
            raise ValueError(f"{self.file} has a row without a value in column {name!r}; fill or drop it")
        if bad:
            raise ValueError(
                f"{self.file} has {name} {quoted(bad[0][0])} twice; an item stands once; {remedy}"
            )


# ---- text -------------------------------------------------------------------------------------------------


def _text_header(file: InputFile) -> list[str]:
    return _header_and_separator(file)[0]


def _header_and_separator(file: InputFile) -> tuple[list[str], str]:
    """Return the names of a table's columns, and what separates them."""
    with file.open() as stream:
        raw = stream.readline(MAX_LINE_BYTES + 1)
    if len(raw) > MAX_LINE_BYTES:
        raise ValueError(f"{file}, line 1, is longer than a megabyte; the names of columns belong there")
    line = decode(raw.removeprefix(BOM), f"{file}, line 1,", "is not UTF-8").rstrip("\r\n")
    if not line.strip():
        raise ValueError(f"{file} begins with an empty line; the names of its columns belong there")
    if "\r" in line:
        raise ValueError(f"{file}, line 1, holds a carriage return by itself; end lines with line feeds")
    separator = max(",;\t", key=line.count)
    try:
        (names,) = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
    except csv.Error as error:
        raise ValueError(f"{file}, line 1, is no row of a table: {error}") from None
    return [name.strip() for name in names], separator


def _text_frame(file: InputFile, wanted: Sequence[str], most: int | None) -> Any:
    """Read columns of text, each label of which is held once; an empty cell has none."""
    import pandas as pd

    header, separator = _header_and_separator(file)
    places = [header.index(name) for name in wanted]
    labels: list[dict[str, int]] = [{} for _ in places]
    codes: list[list[int]] = [[] for _ in places]
    for row in islice(_rows(file, separator, header), most):
        for known, code, i in zip(labels, codes, places, strict=True):
            code.append(known.setdefault(row[i], len(known)) if row[i] else -1)
    if codes and not codes[0]:
        raise ValueError(f"{file} has no rows below its header; there is nothing to compare the models on")
    categories = [pd.Index([*known], dtype=object) for known in labels]
    columns = map(pd.Categorical.from_codes, codes, categories)
    return pd.DataFrame(dict(zip(wanted, columns, strict=True)))


def _rows(file: InputFile, separator: str, header: Sequence[str]) -> Iterator[list[str]]:
    """Yield the rows below the header, or say in which line something else than a row stands."""
    with file.path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(_bounded(stream, file), delimiter=separator, skipinitialspace=True, strict=True)
        start = 1
        try:
            next(reader)
            for row in filter(None, reader):
                if len(row) != len(header):
                    raise ValueError(
                        f"{file}, line {reader.line_num}, has {len(row)} cells, but the header names {len(header)} columns; "
                        "mend the row, or name all columns"
                    )
                if row[0].strip() == header[0] and [cell.strip() for cell in row] == header:
                    raise ValueError(f"{file}, line {reader.line_num}, repeats the header; remove it")
                yield row
                start = reader.line_num + 1
        except csv.Error as error:
            raise ValueError(
                f"{file}, line {start}, is no row of a table: {error} in line {reader.line_num}; is a quote left open?"
            ) from None
        except UnicodeDecodeError:
            with file.open() as raw:
                for _ in numbered_lines(raw, file, too_long="is too long", not_utf8="is not UTF-8"):
                    pass
            raise


def _bounded(stream: Any, file: InputFile) -> Iterator[str]:
    """Yield lines, none of which may be so long that memory runs out."""
    for number, line in enumerate(iter(partial(stream.readline, MAX_LINE_BYTES + 1), ""), 1):
        if len(line) > MAX_LINE_BYTES:
            raise ValueError(f"{file}, line {number}, is longer than a megabyte; is it a table?")
        yield line


# ---- Parquet and Arrow ------------------------------------------------------------------------------------


def is_arrow(file: InputFile) -> bool:
    """Return whether a file is Parquet or Arrow."""
    return file.head.startswith((_PARQUET, _ARROW, _STREAM))


@contextmanager
def errors_of_file(file: object) -> Iterator[None]:
    """Let what an engine complains about while it reads a file be an error of this file."""
    try:
        with engine_errors():
            yield
    except (EngineError, OSError, UnicodeDecodeError) as error:
        why = " ".join(str(error).split())[:300]
        raise ValueError(f"{file} cannot be read as Parquet or Arrow: {why}") from None


def _arrow_header(file: InputFile) -> list[str]:
    """Return the names of the columns, those of nested ones by dots."""
    with errors_of_file(file):
        return list(_flattened(_dataset(file).schema.empty_table()).column_names)


def _dataset(file: InputFile) -> Any:
    import pyarrow as pa
    from pyarrow import dataset

    if file.head.startswith(_PARQUET):
        return dataset.dataset(file.path, format="parquet")
    source = pa.memory_map(str(file.path))
    whole = (pa.ipc.open_stream if file.head.startswith(_STREAM) else pa.ipc.open_file)(source).read_all()
    # Nothing else looks at offsets that damage has led astray, and following them ends the process.
    whole.validate(full=True)
    return dataset.dataset(whole)


def _flattened(table: Any) -> Any:
    """Return a table without nested columns, whose fields are named by dots, and with plain text, as pandas has it."""
    import pyarrow as pa

    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    for i, field in enumerate(table.schema):
        # As polars writes text, which pyarrow can hardly compare.
        if field.type == pa.string_view():
            table = table.set_column(i, field.name, table[i].cast(pa.string()))
    return table


def _load_arrow(file: InputFile, wanted: Sequence[str], most: int | None = None) -> Any:
    """Return columns, or their first rows, as a table of pyarrow."""
    with errors_of_file(file):
        source = _dataset(file)
        tops = [
            top for top in source.schema.names if any(f"{name}.".startswith(f"{top}.") for name in wanted)
        ]
        table = source.to_table(columns=tops) if most is None else source.head(most, columns=tops)
        table.validate(full=True)
        table = _flattened(table).select(list(wanted))
    if not table.num_rows:
        raise ValueError(f"{file} has no rows; there is nothing to compare the models on")
    return table
