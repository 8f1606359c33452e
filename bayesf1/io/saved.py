"""Evaluations in files of JSON: written by `Evaluation.save`, read by `load`.

A document becomes an evaluation only if saving that evaluation would give the same document again, so nothing in it is
ignored, misread or executed. Every array is checked before it reaches numpy or scipy.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from bayesf1.base.arrays import AnyArray, FloatArray, indicators, sparse
from bayesf1.base.input_files import LINE_SHARE, InputFile, input_files
from bayesf1.base.naming import listing, nearest, quoted
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.designs import BlockedCV, Discount, KFoldCV
from bayesf1.evaluation import Corpora, Evaluation, model_names
from bayesf1.io.formats import Format, ReadRequest
from bayesf1.metrics import function_name
from bayesf1.runs import Method, methods_of
from bayesf1.task import Task
from bayesf1.tasks import binary, classed, correctness, final, multiclass, probabilities, scores, statistics
from bayesf1.tasks.judged.task import Judged
from bayesf1.units import Folds, Generations, Units

FILE_FORMAT = "bayesf1.evaluation/1"
_BEGINNING = re.compile(rb'\s*\{\s*"format"\s*:\s*"bayesf1\.evaluation/')
# Fields that have another name in files, which are older.
FIELDS_IN_FILES = {"predicted": "said", "unknown_labels": "strays", "inner_task": "task"}

# The tasks that a file can name; a new one is a word here.
_ONE_LABEL = (binary.Binary, correctness.Correctness, multiclass.MultiClass)
_OTHER_LABELS = (classed.LabelSets, classed.TypedSpans, Judged)
_SCORED = (scores.Scores, statistics.Statistics, probabilities.Probabilities, final.FinalScores)
TASKS: dict[str, type[Task]] = {task.name: task for task in (*_ONE_LABEL, *_OTHER_LABELS, *_SCORED)}
# Tasks that had another name in 0.2 and 0.3.
_RENAMED = {"audited": Judged.name}
# Tasks that 0.2 saved, and their replacements.
_REMOVED = {
    "preferences": "for pairwise preferences use evalica",
    "ratings": "for the agreement of raters use bf.measures.alpha_posterior",
}
_DESIGNS: dict[str, type[BlockedCV] | type[KFoldCV]] = {cv.__name__: cv for cv in (BlockedCV, KFoldCV)}

# Numbers up to here can be multiplied and added up without overflow.
_MOST = 1e100
# Sums of the same counts in another order differ by less than this part.
_ROUNDING = 1e-9


# ---- writing ----------------------------------------------------------------------------------------------


def write(ev: Evaluation, path: StrPath) -> None:
    """Write an evaluation to a file, whole or not at all; one whose name ends with ``.gz`` is compressed."""
    data = f"{to_json(ev)}\n".encode()
    if str(path).endswith(".gz"):
        # The fastest level: the slowest takes forty times as long for a few per cent less.
        data = gzip.compress(data, compresslevel=1, mtime=0)
    write_atomic(path, data)


def to_json(ev: Evaluation) -> str:
    """Return an evaluation as JSON.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> document = json.loads(to_json(from_counts(A=(77, 44, 10), B=(80, 30, 7))))
    >>> document["kind"], document["tables"]
    ({'name': 'binary', 'cells': ['tp', 'fp', 'fn']}, [[77, 44, 10], [80, 30, 7]])
    """
    document = {
        "format": FILE_FORMAT,
        "models": ev.models,
        "methods": {method.name: method.runs for method in ev.methods},
        "kind": ev.task,
        "tables": ev.tables,
        "units": ev.units,
        "finer": ev.item_units,
        "folds": ev.folds,
        "remarks": ev.remarks,
    }
    # Evaluations without these parts are written as before the parts existed.
    if ev.generations is not None:
        document["generations"] = ev.generations
    if ev.corpora is not None:
        parts = [json.loads(to_json(part)) for part in ev.corpora.parts]
        document["corpora"] = {"noun": ev.corpora.noun, "names": ev.corpora.names, "parts": parts}
    return json.dumps(document, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """Return a part of an evaluation as texts, numbers, lists and dicts.

    Whole numbers are written without a point. Only the entries of a sparse array that are not 0 are written.
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        exact_as_integers = (np.abs(value) < 2**53).all() and (value == np.rint(value)).all()
        return value.astype(np.int64).tolist() if exact_as_integers else value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value):
        return _plain_fields(value)
    if callable(value):
        return measure_name(value)
    from scipy.sparse import issparse

    if issparse(value):
        rows = sparse(value).copy()
        rows.sum_duplicates()
        return {"starts": rows.indptr, "columns": rows.indices, "values": rows.data}
    raise ValueError(f"{value!r:.60} cannot be kept in a JSON file; give texts or numbers")


def _plain_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by their names in files, after the name of its class if readers need it.

    Fields that make no two values different are left out, such as a seed. So are fields with `metadata`, which are
    younger than files, as long as they have their default.
    """
    plain: dict[str, Any] = {}
    if isinstance(value, BlockedCV | KFoldCV):
        plain["design"] = type(value).__name__
    elif isinstance(value, Task):
        plain["name"] = value.name
    for field in fields(value):
        entry = getattr(value, field.name)
        is_young = bool(field.metadata)
        if field.compare and not (is_young and entry == field.default):
            plain[FIELDS_IN_FILES.get(field.name, field.name)] = entry
    return plain


def measure_name(function: Any) -> str:
    """Return the name of a measure of ``bayesf1.measures``, or refuse any other function.

    Examples
    --------
    >>> from bayesf1.measures import ter
    >>> measure_name(ter)
    'ter'
    """
    for name, measure in corpus_measures().items():
        if measure is function:
            return name
    raise ValueError(
        f"the metric {function_name(function)!r} is a function, which a JSON file cannot hold, as reading it would run code; "
        "save the statistics and call from_statistics again, or take a measure of bayesf1.measures"
    )


def corpus_measures() -> dict[str, Callable[..., Any]]:
    """Return the measures of a corpus by the names of their functions."""
    from bayesf1 import measures
    from bayesf1.measures import corpus

    # Not the functions themselves: the public ones check their arguments.
    return {name: getattr(measures, name) for name in corpus.NAMES}


# ---- reading ----------------------------------------------------------------------------------------------


def load(path: StrPath) -> Evaluation:
    """Read an evaluation that was saved.

    Evaluations of shards add up, so shards can be counted anywhere, and only the files need to be collected.

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
    file.check_size(file.size, LINE_SHARE)
    text = file.text()
    try:
        return _evaluation_of(text)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    # A document of another shape may fail in all of these ways.
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        raise ValueError(f"{file}: has other parts than an evaluation ({error}); save it again") from None


def _evaluation_of(text: str) -> Evaluation:
    """Return the evaluation that a text holds, whose own text is the same."""
    saved = json.loads(text, parse_constant=_refuse_constant)
    if not isinstance(saved, dict) or not _BEGINNING.match(text.encode()[:200]):
        raise ValueError("holds no evaluation that bayesf1 saved; bf.read reads other files")
    if saved["format"] != FILE_FORMAT:
        raise ValueError(f"format is {quoted(saved['format'])}, but this version reads {FILE_FORMAT}")
    if saved["kind"].get("kept") == []:
        # 0.2 could leave cells of classes out.
        del saved["kind"]["kept"]
    if saved["kind"]["name"] in _RENAMED:
        saved["kind"]["name"] = _RENAMED[saved["kind"]["name"]]
    ev = _evaluation(saved)
    written = json.loads(to_json(ev))
    changed = [name for name in {**saved, **written} if saved.get(name) != written.get(name)]
    if changed:
        raise ValueError(f"{listing(changed)} would not be saved so; the file was changed, save it again")
    return ev


def _refuse_constant(text: str) -> float:
    raise ValueError(f"has {text} instead of a finite number")


def _evaluation(saved: Mapping[str, Any]) -> Evaluation:
    models = model_names(_typed(tuple[str, ...], saved["models"], "models"))
    task = _typed(Task, saved["kind"], "kind")
    tables = _numbers(saved["tables"], "tables", signed=task.final)
    if tables.ndim != 2 or len(tables) != len(models):
        raise ValueError(f"tables have shape {tables.shape}, but there are {len(models)} models")
    task.check(models, tables)
    if tables.shape[-1] != len(task.cells):
        raise ValueError(f"tables have {tables.shape[-1]} cells, but the kind has {len(task.cells)}")
    ev = Evaluation(
        models=models,
        task=task,
        tables=tables,
        units=_units(saved["units"], "units", tables),
        item_units=_units(saved["finer"], "finer", tables),
        folds=_folds(saved["folds"], tables, signed=task.final),
        methods=_methods(saved["methods"], models),
        remarks=_typed(tuple[str, ...], saved["remarks"], "remarks"),
        generations=_generations(saved.get("generations"), tables),
        corpora=_corpora(saved.get("corpora")),
    )
    _check_parts(ev)
    return ev


def _check_parts(ev: Evaluation) -> None:
    """Refuse parts of an evaluation that do not go together."""
    if ev.units is None and (ev.item_units is not None or ev.task.bootstraps_items):
        raise ValueError(f"units is null, but {ev.task.name} or finer parts are known by units alone")
    has_parts_of_items = ev.item_units is not None and ev.units is not None and bool(ev.units.single)
    if has_parts_of_items or (ev.methods and ev.folds is not None):
        raise ValueError("finer parts of single items, or methods beside folds, do not belong there")
    if ev.generations is not None and (ev.units is None or ev.task.final):
        raise ValueError("generations are of items, but units is null")
    if ev.corpora is not None:
        _check_corpora(ev, ev.corpora)


def _methods(value: Any, models: tuple[str, ...]) -> tuple[Method, ...]:
    runs = _typed(Mapping[str, tuple[str, ...]], value, "methods")
    methods = methods_of(runs, models) if runs else ()
    if methods and [model for method in methods for model in method.runs] != list(models):
        raise ValueError("methods must name the models in their order")
    return methods


# ---- units ------------------------------------------------------------------------------------------------


def _units(value: Any, where: str, tables: FloatArray) -> Units | None:
    """Return units that add up to tables."""
    if value is None:
        return None
    units = _unit_rows(value, where, tables.size)
    _check_sums(f"{where}.rows times {where}.weights", units.totals, tables)
    return units


def _unit_rows(value: Any, where: str, n_columns: int, *, signed: bool = False) -> Units:
    """Return units with rows of `n_columns` columns, dense or sparse."""
    weights = _numbers(value["weights"], f"{where}.weights")
    if weights.ndim != 1:
        raise ValueError(f"{where}.weights should be one list of numbers")
    shape = (len(weights), n_columns)
    if isinstance(value["rows"], dict):
        rows = _sparse_rows(value["rows"], f"{where}.rows", shape, signed=signed)
    else:
        rows = _numbers(value["rows"], f"{where}.rows", signed=signed)
        if rows.shape != shape:
            raise ValueError(f"{where}.rows have shape {rows.shape}, but should have {shape}")
    flags = {key: _typed(bool, value[key], f"{where}.{key}") for key in ("shared", "each_an_item")}
    return Units(rows, weights, _noun(value["name"], f"{where}.name"), **flags)


def _sparse_rows(value: Any, where: str, shape: tuple[int, int], *, signed: bool) -> Any:
    """Return a sparse array kept by rows: row i has the values from ``starts[i]`` to before ``starts[i + 1]``.

    scipy uses starts and columns without checks, so a wrong one would crash the process.
    """
    n_rows, n_columns = shape
    values = _numbers(value["values"], f"{where}.values", signed=signed)
    columns = _numbers(value["columns"], f"{where}.columns")
    starts = _numbers(value["starts"], f"{where}.starts")
    if values.ndim != 1 or columns.shape != values.shape:
        raise ValueError(f"{where} has {columns.size} columns for {values.size} values; each value has one")
    if (columns != np.rint(columns)).any() or (columns >= n_columns).any():
        raise ValueError(f"{where}.columns should be whole numbers from 0 to {n_columns - 1}")
    # Starts from 0 that rise, and end with the number of values.
    ends = np.append(starts[1:], values.size) if starts.ndim == 1 else starts
    rises = starts.shape == (n_rows + 1,) and starts[0] == 0.0 and starts[-1] == values.size
    if not rises or (starts != np.rint(starts)).any() or (ends < starts).any():
        raise ValueError(
            f"{where}.starts should be {n_rows + 1} whole numbers that rise from 0 to {values.size}, the number of values"
        )
    return sparse((values, columns.astype(np.int32), starts.astype(np.int32)), shape)


def _numbers(value: Any, where: str, *, signed: bool = False) -> FloatArray:
    """Return nested lists as an array of counts, or of numbers of either sign."""
    try:
        array = np.array(value, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        array = np.array(np.nan)
    least = -_MOST if signed else 0.0
    if not ((array >= least) & (array <= _MOST)).all():
        raise ValueError(f"{where} should be lists of equal length with numbers from {least:g} to {_MOST:g}")
    return array


def _check_sums(what: str, sums: FloatArray, tables: FloatArray) -> None:
    """Refuse sums that differ from those of the tables."""
    given = sums.ravel()
    expected = tables.ravel()
    off = np.abs(given - expected) > _ROUNDING * np.maximum(expected, 1.0)
    if off.any() or not np.isfinite(given).all():
        i = int(np.argmax(off))
        raise ValueError(f"{what} give {given[i]:.10g} where tables have {expected[i]:.10g}")


# ---- folds, generations, data sets ------------------------------------------------------------------------


def _folds(value: Any, tables: FloatArray, *, signed: bool) -> Folds | None:
    if value is None:
        return None
    design = dict(value["cv"])
    cv = _DESIGNS[design.pop("design")](**design)
    counts = _numbers(value["counts"], "folds.counts", signed=signed)
    if counts.shape != (*cv.shape, *tables.shape):
        raise ValueError(f"folds.counts have shape {counts.shape}, but cv is of {cv.shape} folds")
    k = _typed(float, value["k"], "folds.k")
    rule: Discount = tuple(value["rule"]) if isinstance(value["rule"], list) else value["rule"]
    expected = rule if isinstance(rule, float) else cv.discount(rule)
    if not (k > 0.0 and math.isclose(expected, k)):
        raise ValueError(f"folds.k is {k:g}, which is not what the discount {rule!r:.60} makes")
    _check_sums("folds.counts times folds.k", k * counts.sum(axis=(0, 1)), tables)
    return Folds(counts, cv, rule, k, _units(value["units"], "folds.units", counts))


def _generations(value: Any, tables: FloatArray) -> Generations | None:
    if value is None:
        return None
    least = _typed(int, value["least"], "generations.least")
    most = _typed(int, value["most"], "generations.most")
    if not 1 <= least <= most or most < 2:
        raise ValueError(f"generations are from {least} to {most} an item, but should be from 1 to 2 or more")
    deviations = _unit_rows(value["deviations"], "generations.deviations", tables.size, signed=True)
    n_models, n_cells = tables.shape
    model_of_column = indicators(
        np.arange(tables.size), np.arange(tables.size) // n_cells, (tables.size, n_models)
    )
    # Axes (row, model): how much a row has in a model's cells.
    in_model = abs(sparse(deviations.rows)) @ model_of_column
    if ((in_model > 0).sum(axis=1) > 1).any():
        raise ValueError("generations.deviations has a row of several models; each is of one")
    freedom = _numbers(value["freedom"], "generations.freedom", signed=False)
    if freedom.shape != (n_models,):
        raise ValueError(f"generations.freedom has shape {freedom.shape}, but there are {n_models} models")
    noun = _noun(value["noun"], "generations.noun")
    return Generations(deviations, freedom, least, most, noun)


def _corpora(value: Any) -> Corpora | None:
    if value is None:
        return None
    names = _typed(tuple[str, ...], value["names"], "corpora.names")
    parts = tuple(_evaluation(part) for part in value["parts"])
    return Corpora(_noun(value["noun"], "corpora.noun"), names, parts)


def _check_corpora(ev: Evaluation, corpora: Corpora) -> None:
    """Refuse data sets of other models than an evaluation, or whose mean scores are not its tables."""
    if not ev.task.final or ev.units is not None or ev.folds is not None or ev.methods:
        raise ValueError("corpora have units, folds and methods of their own; none belongs beside them")
    names = corpora.names
    if len(names) != len(corpora.parts) or len(names) < 2 or len({*names}) < len(names):
        raise ValueError("corpora.names should be two or more different names, one for each of corpora.parts")
    for name, part in zip(names, corpora.parts, strict=True):
        if part.names != ev.models or part.corpora is not None:
            raise ValueError(f"corpora.parts has other models for {quoted(name)} than models says")
    # Axes (corpus, metric, model).
    scores = np.array([_mean_scores(part, ev.cells) for part in corpora.parts])
    _check_sums("means of corpora.parts", scores.mean(axis=0).T, ev.tables)


def _mean_scores(part: Evaluation, metrics: Sequence[str]) -> AnyArray:
    """Return the scores of a data set's models, axes (metric, model)."""
    found = [part.scores(part.task.metric(name, part.tables)) for name in metrics]
    return part.mean_scores(np.array(found))


def _noun(value: Any, where: str) -> str:
    noun: str = _typed(str, value, where)
    if not noun.strip():
        raise ValueError(f"{where} is empty; it is what one is called, such as 'data set'")
    return noun


# ---- values by their types --------------------------------------------------------------------------------


def _typed(hint: Any, value: Any, where: str) -> Any:
    """Return a plain value as a field of a type holds it, or refuse it.

    Examples
    --------
    >>> _typed(tuple[str, ...], ["A", "B"], "models")
    ('A', 'B')
    >>> _typed(tuple[str, ...], ["A", 1], "models")
    Traceback (most recent call last):
    ValueError: models[1] is 1, which does not belong there
    """
    origin = get_origin(hint)
    arguments = get_args(hint)
    if hint is Task and isinstance(value, dict):
        return _task(value, where)
    if isinstance(hint, type) and is_dataclass(hint) and isinstance(value, dict):
        return _dataclass(hint, value, where)
    if origin is tuple and isinstance(value, list):
        return tuple(_typed(arguments[0], entry, f"{where}[{i}]") for i, entry in enumerate(value))
    if origin is Mapping and isinstance(value, dict):
        return {name: _typed(arguments[1], entry, f"{where}.{name}") for name, entry in value.items()}
    if origin is Callable and isinstance(value, str):
        measures = corpus_measures()
        if value in measures:
            return measures[value]
    if hint is float and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if origin is Literal and value in arguments:
        return value
    allowed = arguments if origin in (Union, UnionType) else (hint,)
    if type(value) in allowed:
        return value
    raise ValueError(f"{where} is {quoted(value)}, which does not belong there")


def _task(value: dict[str, Any], where: str) -> Any:
    """Return the task that a dict names, with its fields."""
    name = value["name"]
    if name in _REMOVED:
        raise ValueError(f"holds {name}, which bayesf1 no longer reads since 0.3; {_REMOVED[name]}")
    if name not in TASKS:
        raise ValueError(f"{where}.name is unknown; {nearest(str(name), TASKS)}")
    own = {key: entry for key, entry in value.items() if key != "name"}
    return _typed(TASKS[name], own, where)


def _dataclass(cls: type, value: dict[str, Any], where: str) -> Any:
    """Return a dataclass with the fields that a dict has by their names in files."""
    hints = get_type_hints(cls)
    names = {FIELDS_IN_FILES.get(name, name): name for name in hints}
    given = {names[key]: _typed(hints[names[key]], entry, f"{where}.{key}") for key, entry in value.items()}
    return cls(**given)


# ---- the format among others ------------------------------------------------------------------------------


def _read_request(request: ReadRequest) -> Evaluation:
    if request.models or request.alone is None:
        raise ValueError("a saved evaluation holds all models; name its file or folder alone")
    first, *others = map(_load, request.alone.files.values())
    for name, shard in zip([*request.alone.paths][1:], others, strict=True):
        try:
            first = first + shard
        except ValueError as error:
            raise ValueError(f"{request.alone}, {name}: {error}") from None
    return first


EVALUATION = Format(
    "evaluation",
    "a saved evaluation (ev.save), or a folder of those of shards, which are added up",
    lambda file, options: _BEGINNING.match(file.head) is not None,
    (),
    _read_request,
    folder="*.json *.json.gz",
)
