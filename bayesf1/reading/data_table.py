"""A table in a file of any format, whose columns are read when they are asked for."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.input_files import InputFile
from bayesf1.reading.arrow_tables import (
    arrow_header,
    errors_of_file,
    is_arrow,
    load_arrow,
    scan_arrow,
)
from bayesf1.reading.json_tables import json_header, read_json_columns
from bayesf1.reading.label_columns import BY_A_JUDGE
from bayesf1.reading.text_tables import Column, EmptyCell, check_columns, read_columns, read_header


@dataclass(frozen=True)
class DataTable:
    r"""A table in a file: CSV, TSV, JSON, JSON lines, Parquet or Arrow.

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
    ...     table = DataTable.opened(file)
    ...     table.header, table.load(["a.right"])["a.right"].tolist()
    (('q', 'a.right'), [True, False])
    """

    file: InputFile
    header: tuple[str, ...]

    @classmethod
    def opened(cls, file: InputFile) -> DataTable:
        """Read the header of a file."""
        if is_arrow(file):
            return cls(file, tuple(arrow_header(file)))
        return cls(file, tuple(json_header(file) if is_json(file) else read_header(file)[0]))

    def __str__(self) -> str:
        return str(self.file)

    def check(self, *columns: str | None) -> None:
        """Say which column there is not."""
        check_columns((c for c in columns if c is not None), self.header, self.file)

    def load(self, wanted: Sequence[str], *, optional: Container[str] = (), most: int | None = None) -> Any:
        """Return columns as a frame of pandas, text as categories; cells of `optional` ones may be missing."""
        import pandas as pd

        self.check(*wanted)
        if is_arrow(self.file):
            frame = load_arrow(self.file, wanted, most).to_pandas(ignore_metadata=True)
            for name in wanted:
                if name not in optional and frame[name].isna().any():
                    row = int(np.argmax(frame[name].isna())) + 1
                    raise EmptyCell(f"{self.file}, row {row}, has no value in column {name!r}", name)
            return frame
        read = read_json_columns if is_json(self.file) else read_columns
        found = read(self.file, wanted, optional=optional, most=most)
        return pd.DataFrame({name: _series(column) for name, column in found.items()})

    def scan(self, wanted: Sequence[str]) -> Any:
        """Return columns as a frame of whatever engine need not load them."""
        self.check(*wanted)
        return scan_arrow(self.file, wanted) if is_arrow(self.file) else self.load(wanted)

    def tells_apart(self, name: str) -> bool:
        """Whether every row has a value of its own in a column, by an engine that need not load it."""
        import narwhals as nw

        rows = nw.from_native(self.scan([name])).lazy().select(c=nw.col(name)).group_by("c").agg(n=nw.len())
        with errors_of_file(self.file):
            return not rows.filter((nw.col("n") > 1) | nw.col("c").is_null()).head(1).collect().rows()


@contextmanager
def gaps_of_gold(gold: str | None) -> Iterator[None]:
    """Let the error of an empty cell of gold say that a judge makes up for it."""
    try:
        yield
    except EmptyCell as error:
        if error.column != gold:
            raise
        raise WordedError(f"{error}, or {BY_A_JUDGE}", Argument("judge")) from None


def _series(column: Column) -> Any:
    """Return a column of pandas; categories hold each label once, so that memory grows by a byte or two a cell."""
    import pandas as pd

    labels, codes = column
    if all(isinstance(label, str) for label in labels):
        return pd.Categorical.from_codes(codes, pd.Index(labels, dtype=object))
    values: Any = np.array(labels)
    if (codes >= 0).all():
        return values[codes]
    return pd.Series([None if code < 0 else labels[code] for code in codes.tolist()], dtype="object")


def is_json(file: InputFile) -> bool:
    """Whether a file begins as JSON does."""
    return file.head.lstrip()[:1] in (b"{", b"[")
