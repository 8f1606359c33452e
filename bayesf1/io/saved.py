"""Evaluations that were saved, and those that come with the package.

A file is plain JSON. It becomes an evaluation only if saving that evaluation would give the same document again, so that
nothing in it is passed over, mistaken or run.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from importlib import resources
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from bayesf1.base.arrays import FloatArray, sparse
from bayesf1.base.input_files import LINE_SHARE, InputFile, input_files
from bayesf1.base.naming import check_known, listing, nearest, quoted
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.designs import BlockedCV, Discount, KFoldCV
from bayesf1.evaluation import Corpora, Evaluation, model_names
from bayesf1.io.counts import read_counts
from bayesf1.io.formats import Format, ReadRequest
from bayesf1.io.labels import from_confusion
from bayesf1.io.tags import SpanTable, from_span_table
from bayesf1.runs import methods_of
from bayesf1.task import Task
from bayesf1.tasks import (
    binary,
    classed,
    correctness,
    final,
    judged,
    multiclass,
    probabilities,
    scores,
    statistics,
)
from bayesf1.units import Folds, Generations, Units

# The tasks that a file can name; a new one is a word here.
_ONE_LABEL = (binary.Binary, correctness.Correctness, multiclass.MultiClass)
_OTHER_LABELS = (classed.LabelSets, classed.TypedSpans, judged.Audited)
_SCORED = (scores.Scores, statistics.Statistics, probabilities.Probabilities, final.FinalScores)
TASKS: dict[str, type[Task]] = {task.name: task for task in (*_ONE_LABEL, *_OTHER_LABELS, *_SCORED)}
_DESIGNS: dict[str, type[BlockedCV] | type[KFoldCV]] = {cv.__name__: cv for cv in (BlockedCV, KFoldCV)}
# Numbers up to here can be multiplied and added up; sums of the same counts in another order lie as far apart.
_MOST, _OFF = 1e100, 1e-9
_BEGINNING = re.compile(rb'\s*\{\s*"format"\s*:\s*"bayesf1\.evaluation/')
_FOLDER = resources.files("bayesf1") / "examples"


# Tasks that 0.2 saved, and what serves instead.
_REMOVED = {
    "preferences": "for pairwise preferences use evalica",
    "ratings": "for the agreement of raters use bf.measures.alpha_posterior",
}


def load(path: StrPath) -> Evaluation:
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
    file.check_size(file.size, LINE_SHARE)
    text = file.text()
    try:
        saved = json.loads(text, parse_constant=_no_number)
        if not isinstance(saved, dict) or not _BEGINNING.match(text.encode()[:200]):
            raise ValueError("holds no evaluation that bayesf1 saved; bf.read reads other files")
        if saved["format"] != FILE_FORMAT:
            raise ValueError(f"format is {quoted(saved['format'])}, but this version reads {FILE_FORMAT}")
        if saved["kind"].get("kept") == []:
            del saved["kind"]["kept"]  # 0.2 could leave cells of classes out
        ev = _evaluation(saved)
        made = json.loads(to_json(ev))
        changed = [name for name in {**saved, **made} if saved.get(name) != made.get(name)]
        if changed:
            raise ValueError(f"{listing(changed)} would not be saved so; the file was changed, save it again")
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    # What reads documents of any other shape as one of its own fails in all of these ways.
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        raise ValueError(f"{file}: has other parts than an evaluation ({error}); save it again") from None
    return ev


def _no_number(text: str) -> float:
    raise ValueError(f"has {text} instead of a finite number")


# ---- parts ------------------------------------------------------------------------------------------------


def _evaluation(saved: Mapping[str, Any]) -> Evaluation:
    models = model_names(_typed(tuple[str, ...], saved["models"], "models"))
    task = _typed(Task, saved["kind"], "kind")
    tables = _numbers(saved["tables"], "tables", signed=task.final)
    if tables.ndim != 2 or len(tables) != len(models):
        raise ValueError(f"tables have shape {tables.shape}, but there are {len(models)} models")
    task.check(models, tables)
    if tables.shape[-1] != len(task.cells):
        raise ValueError(f"tables have {tables.shape[-1]} cells, but the kind has {len(task.cells)}")
    units, item_units = (_units(saved[name], name, tables) for name in ("units", "finer"))
    folds = _folds(saved["folds"], tables, signed=task.final)
    runs = _typed(Mapping[str, tuple[str, ...]], saved["methods"], "methods")
    methods = methods_of(runs, models) if runs else ()
    if [model for method in methods for model in method.runs] not in ([], list(models)):
        raise ValueError("methods must name the models in their order")
    if units is None and (item_units is not None or task.bootstraps_items):
        raise ValueError(f"units is null, but {task.name} or finer parts are known by units alone")
    misplaced = item_units is not None and units is not None and units.single
    if misplaced or (methods and folds is not None):
        raise ValueError("finer parts of single items, or methods beside folds, do not belong there")
    remarks = _typed(tuple[str, ...], saved["remarks"], "remarks")
    generations, corpora = _generations(saved.get("generations"), tables), _corpora(saved.get("corpora"))
    return Evaluation(models, task, tables, units, item_units, folds, methods, remarks, generations, corpora)


def _generations(value: Any, tables: FloatArray) -> Generations | None:
    if value is None:
        return None
    deviations, weights = value["deviations"], _numbers(value["deviations"]["weights"], "generations.weights")
    rows = deviations["rows"]
    if isinstance(rows, dict):
        places = [np.array(rows[name], dtype=np.int32) for name in ("columns", "starts")]
        rows = sparse((np.array(rows["values"], dtype=float), *places), (weights.size, tables.size))
        rows.check_format(full_check=True)
    else:
        rows = np.array(rows, dtype=float).reshape(weights.size, tables.size)
    units = Units(rows, weights, deviations["name"])
    return Generations(
        units,
        least=_typed(int, value["least"], "least"),
        most=_typed(int, value["most"], "most"),
        noun=_typed(str, value["noun"], "noun"),
    )


def _corpora(value: Any) -> Corpora | None:
    if value is None:
        return None
    parts = tuple(map(_evaluation, value["parts"]))
    return Corpora(
        _typed(str, value["noun"], "noun"), _typed(tuple[str, ...], value["names"], "names"), parts
    )


def _numbers(value: Any, where: str, *, signed: bool = False) -> FloatArray:
    """Return nested lists as an array of counts, or of scores, which may have both signs."""
    try:
        array = np.array(value, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        array = np.array(np.nan)
    if not ((array >= (-_MOST if signed else 0.0)) & (array <= _MOST)).all():
        raise ValueError(f"{where} should be lists of equal length with numbers from 0 to {_MOST:g}")
    return array


def _units(value: Any, where: str, tables: FloatArray) -> Units | None:
    """Return units that add up to tables."""
    if value is None:
        return None
    weights, rows = _numbers(value["weights"], f"{where}.weights"), value["rows"]
    shape = (weights.size, tables.size)
    if isinstance(rows, dict):
        places = [np.array(rows[name], dtype=np.int32) for name in ("columns", "starts")]
        rows = sparse((_numbers(rows["values"], f"{where}.rows"), *places), shape)
        # Places outside the array would be read as they are.
        rows.check_format(full_check=True)
    else:
        rows = _numbers(rows, f"{where}.rows").reshape(shape)
    name, shared, single = (value[key] for key in ("name", "shared", "each_an_item"))
    if not isinstance(name, str) or not name.strip() or {type(shared), type(single)} != {bool}:
        raise ValueError(f"{where} has no name, or something else than true and false")
    units = Units(rows, weights, name, shared, single)
    _check_sums(f"{where}.rows times {where}.weights", units.totals, tables)
    return units


def _check_sums(what: str, sums: FloatArray, tables: FloatArray) -> None:
    off = np.abs(sums.ravel() - tables.ravel()) > _OFF * np.maximum(tables.ravel(), 1.0)
    if off.any() or not np.isfinite(sums).all():
        i = int(np.argmax(off))
        raise ValueError(f"{what} give {sums.flat[i]:.10g} where tables have {tables.flat[i]:.10g}")


def _folds(value: Any, tables: FloatArray, *, signed: bool = False) -> Folds | None:
    if value is None:
        return None
    design = dict(value["cv"])
    cv = _DESIGNS[design.pop("design")](**design)
    counts, k = _numbers(value["counts"], "folds.counts", signed=signed), _typed(float, value["k"], "folds.k")
    if counts.shape != (*cv.shape, *tables.shape):
        raise ValueError(f"folds.counts have shape {counts.shape}, but cv is of {cv.shape} folds")
    rule: Discount = tuple(value["rule"]) if isinstance(value["rule"], list) else value["rule"]
    if not (k > 0.0 and math.isclose(rule if isinstance(rule, float) else cv.discount(rule), k)):
        raise ValueError(f"folds.k is {k:g}, which is not what the discount {rule!r:.60} makes")
    _check_sums("folds.counts times folds.k", k * counts.sum(axis=(0, 1)), tables)
    return Folds(counts, cv, rule, k, _units(value["units"], "folds.units", counts))


def _typed(hint: Any, value: Any, where: str) -> Any:
    """Return a plain value as what a field's type says, or say what does not belong."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Task and isinstance(value, dict):
        name = value["name"]
        if name in _REMOVED:
            raise ValueError(f"holds {name}, which bayesf1 no longer reads since 0.3; {_REMOVED[name]}")
        if name not in TASKS:
            raise ValueError(f"{where}.name is unknown; {nearest(str(name), TASKS)}")
        return _typed(TASKS[name], {k: v for k, v in value.items() if k != "name"}, where)
    if isinstance(hint, type) and is_dataclass(hint) and isinstance(value, dict):
        hints = get_type_hints(hint)
        names = {FIELDS_IN_FILES.get(name, name): name for name in hints}
        return hint(
            **{names[key]: _typed(hints[names[key]], entry, f"{where}.{key}") for key, entry in value.items()}
        )
    if origin is tuple and isinstance(value, list):
        return tuple(_typed(arguments[0], entry, f"{where}[{i}]") for i, entry in enumerate(value))
    if origin is Mapping and isinstance(value, dict):
        return {name: _typed(arguments[1], entry, f"{where}.{name}") for name, entry in value.items()}
    if origin is Callable and value in (measures := corpus_measures()):
        return measures[value]
    if hint is float and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    allowed = arguments if origin in (Union, UnionType) else (hint,)
    if type(value) in allowed or (origin is Literal and value in arguments):
        return value
    raise ValueError(f"{where} is {quoted(value)}, which does not belong there")


def corpus_measures() -> dict[str, Callable[..., Any]]:
    """Return the measures of a corpus by the names of their functions."""
    from bayesf1 import measures
    from bayesf1.measures import corpus

    # A measure says which way it points; what else the module has is none. Public names check what they are given.
    names = (name for name, entry in vars(corpus).items() if hasattr(entry, "lower_is_better"))
    return {name: getattr(measures, name) for name in names}


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


# ---- packaged examples ------------------------------------------------------------------------------------


def _wang_li(task: str) -> Evaluation:
    with resources.as_file(_FOLDER / "wang_li_2019.csv") as path:
        return read_counts(InputFile.of(path), task, BlockedCV(3), None)


def _wnut17() -> Evaluation:
    header, *rows = csv.reader((_FOLDER / "wnut17.csv").read_text(encoding="utf-8").splitlines())
    sentence = np.array([int(row[0]) - 1 for row in rows])
    types, kind = np.unique([row[1] for row in rows], return_inverse=True)
    found = np.array([row[2:] for row in rows]) == "1"
    n_sentences = int(sentence.max()) + 1
    return from_span_table(
        SpanTable(sentence, kind, found, tuple(types.tolist()), tuple(header[3:]), n_sentences)
    )


def _sleep_stages() -> Evaluation:
    header, *rows = csv.reader((_FOLDER / "sleep_stages.csv").read_text(encoding="utf-8").splitlines())
    return from_confusion({"MNN": np.array([row[1:] for row in rows], dtype=float)}, labels=header[1:])


EXAMPLES: dict[str, Callable[[], Evaluation]] = {
    "wang-li-cws": partial(_wang_li, "CWS"),
    "wang-li-ner": partial(_wang_li, "NER"),
    "wang-li-org": partial(_wang_li, "ORG"),
    "wnut17": _wnut17,
    "sleep-stages": _sleep_stages,
}


def load_example(name: str) -> Evaluation:
    """Return a packaged example.

    Parameters
    ----------
    name
        ``"wang-li-cws"``, ``"wang-li-ner"`` or ``"wang-li-org"``: the six folds of Wang & Li's experiments on
        Chinese word segmentation, named entities, and organisations; the paper's model A comes first.
        ``"wnut17"``: which of seven systems found which entity of the WNUT 2017 test set.
        ``"sleep-stages"``: the confusion matrix of a neural network that tells five stages of sleep apart.

    Examples
    --------
    >>> load_example("wang-li-org")
    <Evaluation of 2 models (IOB2, IOBES) on cells tp, fp, fn, totals only, 3×2 BCV, discount 0.3688>
    >>> load_example("wnut17").models
    ('UH-RiTUAL', 'SpinningBytes', 'SJTU-Adapt', 'Arcada', 'FLYTXT', 'MIC-CIS', 'Drexel-CCI')
    >>> load_example("sleep-stages")
    <Evaluation of 1 model (MNN) on 5 classes (W, N1, N2, N3, REM), totals only>

    References
    ----------
    Wang & Li (2019), *Bayes test of precision, recall, and F1 measure*, ACL, Tables 2-5.
    Derczynski, Nichols, van Erp & Limsopatham (2017), *Results of the WNUT2017 shared task on novel and
    emerging entity recognition*, W-NUT; CC BY 4.0.
    Takahashi, Yamamoto, Kuchiba & Koyama (2022), *Confidence interval for micro-averaged F1 and macro-averaged F1
    scores*, Applied Intelligence 52, Appendix D; CC BY 4.0.
    """
    check_known(name, "example", EXAMPLES)
    return EXAMPLES[name]()


# ---- writing -----------------------------------------------------------------------------------------------


FILE_FORMAT = "bayesf1.evaluation/1"


# What files call fields that have another name since.
FIELDS_IN_FILES = {"predicted": "said", "unknown_labels": "strays"}


# Functions of these rooms can be named in a file.
_OWN_MEASURES = "bayesf1.measures"


def write(ev: Evaluation, path: StrPath) -> None:
    """Write an evaluation to a file, whole or not at all; one whose name ends with ``.gz`` is compressed."""
    data = f"{to_json(ev)}\n".encode()
    # The fastest level: the slowest takes forty times as long for a few per cent less.
    packed = gzip.compress(data, compresslevel=1, mtime=0) if str(path).endswith(".gz") else data
    write_atomic(path, packed)


def to_json(ev: Evaluation) -> str:
    """Return an evaluation as JSON.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> found = json.loads(to_json(from_counts(A=(77, 44, 10), B=(80, 30, 7))))
    >>> found["kind"], found["tables"]
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
    # Files of other evaluations are as they were.
    if ev.generations is not None:
        known = ev.generations
        document["generations"] = {
            "deviations": known.deviations,
            "least": known.least,
            "most": known.most,
            "noun": known.noun,
        }
    if ev.corpora is not None:
        parts = [json.loads(to_json(part)) for part in ev.corpora.parts]
        document["corpora"] = {"noun": ev.corpora.noun, "names": ev.corpora.names, "parts": parts}
    return json.dumps(document, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """Return a part of an evaluation as JSON knows it: whole numbers without a point, of a sparse array what is not 0."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        whole = (np.abs(value) < 2**53).all() and (value == np.rint(value)).all()
        return (value.astype(np.int64) if whole else value).tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value):
        # What makes two of them different; neither a seed nor which rows have no gold label does.
        # Files have no field that is younger than they are, unless something was given for it.
        names = [
            field.name
            for field in fields(value)
            if field.compare and not (field.metadata and getattr(value, field.name) == field.default)
        ]
        plain = {FIELDS_IN_FILES.get(name, name): getattr(value, name) for name in names}
        if isinstance(value, BlockedCV | KFoldCV):
            return {"design": type(value).__name__, **plain}
        return {"name": value.name, **plain} if isinstance(value, Task) else plain
    if hasattr(value, "tocsr"):
        sparse = value.tocsr(copy=True)
        sparse.sum_duplicates()
        return {"starts": sparse.indptr, "columns": sparse.indices, "values": sparse.data}
    if callable(value):
        return measure_name(value)
    raise ValueError(f"{value!r:.60} cannot be kept in a JSON file; give texts or numbers")


def measure_name(function: Any) -> str:
    """Return the name of a measure of ``bayesf1.measures``, or say that a file cannot keep any other function."""
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__qualname__", "")
    if not module.startswith(_OWN_MEASURES) or "." in name:
        raise ValueError(
            f"the metric {name or type(function).__name__!r} is a function, which a JSON file cannot hold, as reading it "
            "would run code; save the statistics and call from_statistics again, or take a measure of bayesf1.measures"
        )
    return str(name)
