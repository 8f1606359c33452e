"""Evaluations as documents of plain values, which a file of JSON keeps: no code is in it, and none is run to read it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.text_files import write_atomic
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.units import Units

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation

FILE_FORMAT = "bayesf1.evaluation/1"
# Functions of these rooms can be named in a file.
_OWN_MEASURES = "bayesf1.measures."


def save(ev: Evaluation, path: str | PathLike[str]) -> None:
    """Write an evaluation to a file, whole or not at all; a name that ends with ``.gz`` makes a compressed one."""
    text = json.dumps(document(ev), ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
    data = text.encode("utf-8")
    # The fastest level: the slowest takes forty times as long for a few per cent less.
    write_atomic(path, gzip.compress(data, compresslevel=1, mtime=0) if str(path).endswith(".gz") else data)


def document(ev: Evaluation) -> dict[str, Any]:
    """Return an evaluation as plain values.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> found = document(from_counts(A=(77, 44, 10), B=(80, 30, 7)))
    >>> found["kind"], found["tables"]
    ({'name': 'binary', 'cells': ['tp', 'fp', 'fn']}, [[77, 44, 10], [80, 30, 7]])
    """
    return {
        "format": FILE_FORMAT,
        "models": list(ev.models),
        "methods": {method.name: list(method.runs) for method in ev.methods},
        "kind": _plain(ev.kind),
        "tables": _numbers(ev.tables),
        "units": ev.units and _units(ev.units),
        "finer": ev.finer and _units(ev.finer),
        "folds": ev.folds and _folds(ev.folds),
        "remarks": list(ev.remarks),
    }


def _units(units: Units) -> dict[str, Any]:
    return {
        "name": units.name,
        "shared": units.shared,
        "each_an_item": units.each_an_item,
        "weights": _numbers(units.weights),
        "rows": _rows(units.rows),
    }


def _rows(rows: Any) -> Any:
    """Return what units add: a list of lists, or the entries of a sparse array that are not 0, row by row."""
    if isinstance(rows, np.ndarray):
        return _numbers(rows)
    from scipy.sparse import csr_array

    sparse = csr_array(rows)
    sparse.sum_duplicates()
    return {
        "starts": sparse.indptr.tolist(),
        "columns": sparse.indices.tolist(),
        "values": _numbers(sparse.data),
    }


def _folds(folds: Folds) -> dict[str, Any]:
    return {
        "cv": {
            "design": type(folds.cv).__name__,
            # What makes two designs different; neither the seed nor what was balanced does.
            **{field.name: getattr(folds.cv, field.name) for field in fields(folds.cv) if field.compare},
        },
        "rule": list(folds.rule) if isinstance(folds.rule, tuple) else folds.rule,
        "k": folds.k,
        "counts": _numbers(folds.counts),
        "units": folds.units and _units(folds.units),
    }


def _numbers(array: FloatArray) -> Any:
    """Return numbers as nested lists, whole ones without a point."""
    array = np.asarray(array)
    whole = (np.abs(array) < 2**53).all() and (array == np.rint(array)).all()
    return (array.astype(np.int64) if whole else array).tolist()


def _plain(value: Any) -> Any:
    """Return a kind, or what stands in its fields, as plain values."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    if is_dataclass(value):
        # What makes two kinds different; which rows have no gold label does not.
        found = {field.name: _plain(getattr(value, field.name)) for field in fields(value) if field.compare}
        return {"name": value.name, **found} if isinstance(value, Kind) else found
    if callable(value):
        return measure_name(value)
    raise ValueError(f"{value!r:.60} is nothing that a file of JSON can keep; give texts or numbers")


def measure_name(function: Any) -> str:
    """Return the name of a measure of ``bayesf1.measures``, or say that a file cannot keep any other function."""
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__qualname__", "")
    if not module.startswith(_OWN_MEASURES) or "." in name:
        raise ValueError(
            f"the measure {name or type(function).__name__!r} is a function, which no file of JSON can keep, as reading it "
            "would run code; save the statistics and call from_statistics again, or take a measure of bayesf1.measures"
        )
    return str(name)
