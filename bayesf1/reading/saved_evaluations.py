"""Evaluations that were saved: files of JSON, checked against what an evaluation is before one is made of them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import checked
from bayesf1.base.errors import located
from bayesf1.base.input_files import InputFile, input_files
from bayesf1.base.naming import nearest
from bayesf1.base.text_files import BOM, decode
from bayesf1.base.typed_values import check_keys, number_array, typed, typed_fields, wrong
from bayesf1.designs.design import BlockedCV, Discount, KFoldCV
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.runs import Method, methods_of
from bayesf1.evaluation.saving import FILE_FORMAT
from bayesf1.evaluation.units import Units
from bayesf1.kinds.known_kinds import KINDS
from bayesf1.reading.format import Format, Request

MAX_BYTES = 1 << 30
_KEYS = ("format", "models", "methods", "kind", "tables", "units", "finer", "folds", "remarks")
_UNIT_KEYS = ("name", "shared", "each_an_item", "weights", "rows")
_ROW_KEYS = ("starts", "columns", "values")
_FOLD_KEYS = ("cv", "rule", "k", "counts", "units")
_DESIGNS: dict[str, type[BlockedCV] | type[KFoldCV]] = {cv.__name__: cv for cv in (BlockedCV, KFoldCV)}
# How far sums of the same counts in another order may lie apart.
_OFF = 1e-9
_BEGINNING = re.compile(rb'\s*\{\s*"format"\s*:\s*"bayesf1\.evaluation/')


@checked
def load(path: str | PathLike[str]) -> Evaluation:
    """Read an evaluation that was saved.

    Evaluations of shards add up, so that shards can be counted anywhere and files are all that need be brought together.

    Parameters
    ----------
    path
        A file that `Evaluation.save` wrote, compressed or not. It is checked before an evaluation is made of it, and
        nothing in it is run.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bayesf1 import from_labels
    >>> shards = [from_labels(y, {"A": a}, positive=1) for y, a in (([1, 1, 0], [1, 0, 0]), ([0, 1, 1], [1, 1, 1]))]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i, shard in enumerate(shards):
    ...         shard.save(Path(folder, f"{i}.json"))
    ...     whole = sum(map(load, Path(folder).glob("*.json")))
    >>> whole.tables
    array([[3., 1., 1., 1.]])
    """
    with input_files() as take:
        return _load(take(path))


def _load(file: InputFile) -> Evaluation:
    if file.size > MAX_BYTES:
        raise ValueError(f"{file} is larger than {MAX_BYTES >> 20:,} MB; save the evaluation in shards")
    with file.open() as stream:
        text = decode(
            stream.read().removeprefix(BOM), f"{file}", "has the byte {byte}, which is not UTF-8 text"
        )
    with located(file):
        return _evaluation(_parsed(text))


def _parsed(text: str) -> dict[str, Any]:
    """Return the object that a text in JSON is, and has each key once."""
    try:
        found = json.loads(text, parse_constant=_no_number, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}, is not JSON: {error.msg}") from None
    except RecursionError:
        raise ValueError("is nested too deeply to be an evaluation") from None
    version = found.get("format") if isinstance(found, dict) else None
    if not isinstance(version, str) or not version.startswith(FILE_FORMAT.partition("/")[0]):
        raise ValueError("holds no evaluation that bayesf1 saved; other files are read by bf.read")
    if version != FILE_FORMAT:
        raise ValueError(f"format is {version!r:.60}, and this version of bayesf1 reads {FILE_FORMAT}")
    return check_keys(found, "the evaluation", _KEYS)


def _no_number(text: str) -> float:
    raise ValueError(f"has {text} where a finite number belongs")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = sorted(name for name, _ in pairs)
        raise ValueError(f"has the key {next(a for a, b in pairwise(names) if a == b)!r:.60} twice")
    return found


# ---- parts ------------------------------------------------------------------------------------------------


def _evaluation(said: Mapping[str, Any]) -> Evaluation:
    models = model_names(typed(tuple[str, ...], said["models"], "models", _other))
    kind = _kind(said["kind"], "kind")
    tables = _tables(said["tables"], len(models))
    with located("kind"):
        kind.check(models, tables)
        n_cells = len(kind.cells)
    if tables.shape[-1] != n_cells:
        raise ValueError(f"tables have {tables.shape[-1]:,} cells, but the kind has {n_cells:,}")
    units, finer = (_units(said[name], name, len(models) * n_cells) for name in ("units", "finer"))
    for name, part in (("units", units), ("finer", finer)):
        if part is not None:
            _check_sums(f"{name}.rows times {name}.weights", part.totals, tables)
    folds = _folds(said["folds"], len(models), n_cells)
    if folds is not None:
        _check_sums("folds.counts times folds.k", folds.k * folds.counts.sum(axis=(0, 1)), tables)
    methods = _methods(said["methods"], models)
    if units is None and (finer is not None or kind.bootstraps_items):
        what = (
            "finer is there, parts of units" if finer is not None else f"{kind.name} are known by units alone"
        )
        raise ValueError(f"units is null, but {what}")
    if finer is not None and units is not None and units.single:
        raise ValueError("finer is there, but units are single items already")
    if methods and (folds is not None or tables.ndim > 2):
        raise ValueError("methods are there beside folds or experiments; runs are of one test set")
    remarks = typed(tuple[str, ...], said["remarks"], "remarks", _other)
    return Evaluation(models, kind, tables, units, finer, folds, methods, remarks)


def _kind(value: Any, where: str) -> Kind:
    known = KINDS | _later_kinds()
    name = value.get("name") if isinstance(value, dict) else None
    if not isinstance(name, str):
        raise wrong(f"{where}.name" if isinstance(value, dict) else where, name or value, "a kind of task")
    if name not in known:
        raise ValueError(f"{where}.name is the unknown kind {name!r:.60}; {nearest(name, known)}")
    found: Kind = typed_fields(known[name], {k: v for k, v in value.items() if k != "name"}, where, _other)
    return found


def _later_kinds() -> dict[str, type[Kind]]:
    from bayesf1.measures.rated import RatedUnits

    return {RatedUnits.name: RatedUnits}


def _other(kind: Any, value: Any, where: str) -> Any:
    """Return a kind within a kind, or a measure by its name."""
    return _kind(value, where) if kind is Kind else _measure(value, where)


def _measure(value: Any, where: str) -> Callable[..., Any]:
    from bayesf1.measures import corpus

    # A measure says which way it points; what else the module has is none.
    known = {name: entry for name, entry in vars(corpus).items() if hasattr(entry, "lower_is_better")}
    if not isinstance(value, str) or value not in known:
        raise wrong(where, value, f"the name of a measure of bayesf1.measures ({', '.join(known)})")
    found: Callable[..., Any] = known[value]
    return found


def _tables(value: Any, n_models: int) -> FloatArray:
    shape, inner = list[int | None](), value
    # Experiments come first, as many axes as there are.
    while isinstance(inner, list) and inner and isinstance(inner[0], list):
        shape.append(len(inner))
        inner = inner[0]
    if not shape or not inner:
        raise wrong("tables", value, "a list with the counts of each model")
    if shape[-1] != n_models:
        raise ValueError(f"tables are of {shape[-1]} models, but models names {n_models}")
    return number_array(value, (*shape, len(inner)), "tables")


def _units(value: Any, where: str, n_columns: int) -> Units | None:
    if value is None:
        return None
    said = check_keys(value, where, _UNIT_KEYS)
    name = typed(str, said["name"], f"{where}.name", _other)
    shared, single = (typed(bool, said[key], f"{where}.{key}", _other) for key in ("shared", "each_an_item"))
    if not name.strip():
        raise wrong(f"{where}.name", name, "what a unit is called")
    weights = number_array(said["weights"], (None,), f"{where}.weights")
    if isinstance(said["rows"], dict):
        rows = _sparse(said["rows"], f"{where}.rows", (len(weights), n_columns))
    else:
        rows = number_array(said["rows"], (len(weights), n_columns), f"{where}.rows")
    return Units(rows, weights, name, shared, single)


def _sparse(value: Any, where: str, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    said = check_keys(value, where, _ROW_KEYS)
    values = number_array(said["values"], (None,), f"{where}.values")
    starts = number_array(said["starts"], (shape[0] + 1,), f"{where}.starts")
    columns = number_array(said["columns"], (len(values),), f"{where}.columns")
    if starts[0] != 0 or starts[-1] != len(values) or (np.diff(starts) < 0).any() or (starts % 1).any():
        raise ValueError(f"{where}.starts must rise from 0 to the {len(values):,} values")
    if (columns >= shape[1]).any() or (columns % 1).any():
        raise ValueError(f"{where}.columns must be whole numbers below {shape[1]:,}")
    # Within a row columns rise: the place of a value in the whole array does.
    places = np.repeat(np.arange(shape[0]), np.diff(starts).astype(np.intp)) * float(shape[1]) + columns
    if (np.diff(places) <= 0).any():
        raise ValueError(f"{where}.columns must rise within each row")
    return csr_array((values, columns.astype(np.int32), starts.astype(np.int32)), shape=shape)


def _check_sums(what: str, sums: FloatArray, tables: FloatArray) -> None:
    if tables.size != sums.size:
        raise ValueError("tables are of several experiments, of which only totals can be known")
    off = np.abs(sums.ravel() - tables.ravel()) > _OFF * np.maximum(tables.ravel(), 1.0)
    if off.any() or not np.isfinite(sums).all():
        i = int(np.argmax(off))
        raise ValueError(
            f"{what} give {sums.flat[i]:.10g} where tables have {tables.flat[i]:.10g}; they are of the same counts"
        )


def _folds(value: Any, n_models: int, n_cells: int) -> Folds | None:
    if value is None:
        return None
    said = check_keys(value, "folds", _FOLD_KEYS)
    cv = _design(said["cv"])
    shape = (*cv.shape, n_models, n_cells)
    counts = number_array(said["counts"], shape, "folds.counts")
    k = typed(float, said["k"], "folds.k", _other)
    rule = _rule(said["rule"])
    with located("folds.rule"):
        same = rule == k if isinstance(rule, float) else math.isclose(cv.discount(rule), k)
    if not same or k <= 0.0:
        raise ValueError(f"folds.k is {k:g}, which is not what the discount {said['rule']!r:.60} makes")
    units = _units(said["units"], "folds.units", counts.size)
    if units is not None:
        _check_sums("folds.units.rows times folds.units.weights", units.totals, counts)
    return Folds(counts, cv, rule, k, units)


def _design(value: Any) -> BlockedCV | KFoldCV:
    name = value.get("design") if isinstance(value, dict) else None
    if not isinstance(name, str) or name not in _DESIGNS:
        raise wrong("folds.cv", name or value, f"a design of {' or '.join(_DESIGNS)}")
    known = {"BlockedCV": ("design", "m"), "KFoldCV": ("design", "folds", "repeats")}[name]
    said = check_keys(value, "folds.cv", known)
    with located("folds.cv"):
        return _DESIGNS[name](**{key: said[key] for key in known[1:]})


def _rule(value: Any) -> Discount:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        first, second = number_array(value, (2,), "folds.rule").tolist()
        return first, second
    found: float = typed(float, value, "folds.rule", _other)
    return found


def _methods(value: Any, models: tuple[str, ...]) -> tuple[Method, ...]:
    runs = typed(Mapping[str, tuple[str, ...]], value, "methods", _other)
    if not runs:
        return ()
    with located("methods"):
        found = methods_of(runs, models)
    if [model for method in found for model in method.runs] != list(models) or len(found) != len(runs):
        raise ValueError("methods must name the models in their order")
    return found


# ---- the format among others ------------------------------------------------------------------------------


def _read_request(request: Request) -> Evaluation:
    if request.models or request.alone is None:
        raise ValueError(
            "a saved evaluation holds all models; name its file alone, or the folder of its shards"
        )
    first, *others = map(_load, request.alone.files.values())
    for name, shard in zip([*request.alone.files][1:], others, strict=True):
        with located(f"{request.alone}, {name}"):
            first = first + shard
    return first


EVALUATION = Format(
    "evaluation",
    "a saved evaluation (ev.save), or a folder of those of shards, which are added up",
    lambda file, options: _BEGINNING.match(file.head) is not None,
    (),
    _read_request,
    folder="*.json *.json.gz",
)
