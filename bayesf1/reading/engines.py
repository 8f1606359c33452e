"""Engines of data frames: what they complain about, and what old ones misread, as sentences."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Modules that exceptions come from, and the packages that are to blame.
_PACKAGES = {
    "duckdb": "duckdb",
    "_duckdb": "duckdb",
    "polars": "polars",
    "pyo3_runtime": "polars",
    "narwhals": "narwhals",
}


class EngineError(ValueError):
    """An engine failed, whatever it was asked."""


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turn what an engine raises into one sentence that names it and its version.

    Examples
    --------
    >>> import duckdb
    >>> with engine_errors():
    ...     duckdb.read_parquet("nowhere.parquet")
    Traceback (most recent call last):
    bayesf1.reading.engines.EngineError: duckdb ... failed (IO Error: ...); another version may not, nor may pyarrow
    """
    try:
        yield
    # Polars panics by an exception that is no Exception.
    except BaseException as error:
        package = _PACKAGES.get(type(error).__module__.partition(".")[0])
        if isinstance(error, ImportError) and error.name in _PACKAGES:
            package = error.name
        if package is None:
            raise
        why = " ".join(str(error).split())[:200]
        raise EngineError(
            f"{package} {_version(package)} failed ({why}); another version may not, nor may pyarrow"
        ) from None


def check_names(frame: Any, names: Sequence[str]) -> None:
    """Refuse columns that DuckDB before 2.0 takes for others: it reads names as SQL."""
    if type(frame).__module__.partition(".")[0] not in ("duckdb", "_duckdb"):
        return
    version = _version("duckdb")
    for name in names:
        if int(version.partition(".")[0]) < 2 and set(name) & set('."'):
            raise ValueError(
                f"duckdb {version} may take column {name!r} for another, for its dot or quote; rename it, or update duckdb"
            )


def _version(package: str) -> str:
    return str(getattr(sys.modules.get(package), "__version__", ""))
