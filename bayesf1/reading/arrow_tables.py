"""Tables in Parquet and Arrow files, which an engine reads where they lie."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bayesf1.base.input_files import InputFile
from bayesf1.reading.engines import EngineError, engine_errors

PARQUET, ARROW = b"PAR1", b"ARROW1"
# A stream of Arrow messages, and the first version of Feather.
_STREAM, _FEATHER = b"\xff\xff\xff\xff", b"FEA1"
# From here on an engine that need not load a file is worth its start.
_LARGE = 1 << 26


def is_arrow(file: InputFile) -> bool:
    """Whether a file is Parquet or Arrow."""
    return file.head.startswith((PARQUET, ARROW, _STREAM, _FEATHER))


def _pyarrow(file: InputFile) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ValueError(
            f"{file} is a Parquet or Arrow file, which pyarrow reads; install it by: pip install 'bayesf1[files]'"
        ) from None
    return pyarrow


def arrow_header(file: InputFile) -> list[str]:
    """Return the names of the columns, those of nested ones by dots."""
    pa = _pyarrow(file)
    try:
        if file.head.startswith(PARQUET):
            from pyarrow import parquet

            schema = parquet.read_schema(file.path)
        else:
            schema = _open(file, pa).schema
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(file, error) from None
    return [name for field in schema for name in _flat(field, "", pa)]


def _flat(field: Any, before: str, pa: Any) -> list[str]:
    name = before + field.name
    if not pa.types.is_struct(field.type):
        return [name]
    return [found for child in field.type for found in _flat(child, f"{name}.", pa)]


def _open(file: InputFile, pa: Any) -> Any:
    if file.head.startswith(_FEATHER):
        raise ValueError("it is of the first version of Feather; write it again as Arrow or Parquet")
    source = pa.memory_map(str(file.path))
    return pa.ipc.open_stream(source) if file.head.startswith(_STREAM) else pa.ipc.open_file(source)


def _damaged(file: object, error: Exception) -> ValueError:
    return ValueError(f"{file} cannot be read as Parquet or Arrow: {' '.join(str(error).split())[:300]}")


def scan_arrow(file: InputFile, wanted: Sequence[str]) -> Any:
    """Return columns as a frame: a lazy one of DuckDB or Polars where a Parquet file is large and one is there."""
    plain = not any(set(name) & set('."') for name in wanted)
    if file.head.startswith(PARQUET) and file.size > _LARGE and plain:
        # DuckDB holds a tenth of what Polars does, but takes some characters of a path for a pattern.
        if importlib.util.find_spec("duckdb") and not set("*?[") & set(str(file.path)):
            import duckdb

            with errors_of_file(file):
                return duckdb.read_parquet(str(file.path))
        if importlib.util.find_spec("polars"):
            import polars as pl

            return pl.scan_parquet(file.path, glob=False).select(list(wanted))
    return load_arrow(file, wanted)


@contextmanager
def errors_of_file(file: object) -> Iterator[None]:
    """Let what an engine complains about while it reads a file be an error of this file."""
    try:
        with engine_errors():
            yield
    except EngineError as error:
        raise _damaged(file, error) from None


def load_arrow(file: InputFile, wanted: Sequence[str], most: int | None = None) -> Any:
    """Return columns, or their first rows, as a table of pyarrow."""
    pa = _pyarrow(file)
    try:
        if file.head.startswith(PARQUET):
            from pyarrow import dataset

            source = dataset.dataset(file.path, format="parquet")
            fields = {name: dataset.field(*_path(source.schema, name)) for name in wanted}
            table = source.to_table(columns=fields) if most is None else source.head(most, columns=fields)
            table.validate(full=True)
        else:
            whole = _open(file, pa).read_all()
            # Nothing else looks at offsets that damage has led astray, and following them ends the process.
            whole.validate(full=True)
            table = pa.table({name: _column(whole, _path(whole.schema, name)) for name in wanted})
            table = table if most is None else table.slice(0, most)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(file, error) from None
    if not table.num_rows:
        raise ValueError(f"{file} has no rows; there is nothing to compare the models on")
    return table


def _path(schema: Any, name: str) -> tuple[str, ...]:
    """Return the fields that lead to a nested one; names may hold dots themselves."""
    if name in schema.names:
        return (name,)
    for i, letter in enumerate(name):
        if letter == "." and name[:i] in schema.names:
            import pyarrow as pa

            inside = pa.schema(list(schema.field(name[:i]).type))
            return (name[:i], *_path(inside, name[i + 1 :]))
    raise ValueError(f"there is no column {name!r}")


def _column(table: Any, path: tuple[str, ...]) -> Any:
    from pyarrow import compute

    found = table[path[0]]
    return compute.struct_field(found, list(path[1:])) if len(path) > 1 else found
