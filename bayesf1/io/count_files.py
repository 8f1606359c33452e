"""Confusion counts in files: CSV and JSON, of one test set or of folds, and what conlleval prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, nearest, quoted
from bayesf1.base.text_files import located, read_number
from bayesf1.designs import BlockedCV, Discount, KFoldCV, design_of, read_design
from bayesf1.evaluation import Evaluation
from bayesf1.io.counts import CHUNKS, check_counts, from_counts, from_folds
from bayesf1.io.formats import Format, Place, Request
from bayesf1.io.tables import Table
from bayesf1.tasks.binary import BINARY_CELLS

_COUNT_COLUMNS = (*BINARY_CELLS, *CHUNKS)
_COLUMNS = ("model", "task", "repeat", "fold", *_COUNT_COLUMNS)
# Repeat and fold (1, 1 without folds) -> table.
_Tables: TypeAlias = dict[tuple[int, int], FloatArray]


def read_counts(
    file: InputFile, task: str | None, cv: BlockedCV | KFoldCV | None, discount: Discount | None
) -> Evaluation:
    """Read the counts of all models; the options are those of `read`."""
    with located(file):
        tasks = _tables_of(file)
        if task is not None and task not in tasks:
            known = [*filter(None, tasks)]
            other = nearest(task, known) if known else "nor any other; leave task= out"
            raise ValueError(f"there is no task {task!r}; {other}")
        if task is None and len(tasks) > 1:
            raise ValueError(f"there are several tasks ({listing(tasks)}); choose one by task=")
        models = tasks[task] if task is not None else next(iter(tasks.values()))
        if any(tables.keys() != {(0, 0)} for tables in models.values()):
            folds, design = _arrange_folds(models, cv)
            return from_folds(folds, cv=design, discount=discount)
        if cv is not None or discount is not None:
            raise ValueError("there is no column 'fold', so cv= and discount= do not apply; leave both out")
        return from_counts({name: tables[0, 0] for name, tables in models.items()})


def _tables_of(file: InputFile) -> dict[str, dict[str, _Tables]]:
    """Return the tables of each task ("" without tasks) and model; without folds at (0, 0)."""
    table = Table.opened(file)
    columns = {name.strip().lower(): name for name in table.header}
    if len(columns) < len(table.header):
        raise ValueError(f"two columns of {listing(table.header)} differ in case or blanks only; keep one")
    for name in columns:
        if name not in _COLUMNS:
            raise ValueError(
                f"column {quoted(name)} is unknown; {nearest(name, _COLUMNS)}; a table of predictions needs "
                "gold=, one of scores scores="
            )
    if "model" not in columns or ("repeat" in columns and "fold" not in columns):
        raise ValueError(f"there is no column {'fold' if 'model' in columns else 'model'!r}; add it")
    frame = table.load([*columns.values()])
    tasks: dict[str, dict[str, _Tables]] = {}
    for i, cells in enumerate(zip(*(frame[name].tolist() for name in columns.values()), strict=True), 1):
        row, where = dict(zip(columns, cells, strict=True)), f"row {i}"
        model = _name(row["model"], "model", where)
        task = _name(row["task"], "task", where) if "task" in row else ""
        numbers = {name: _number(row[name], name, where) for name in columns if name not in ("model", "task")}
        repeat, fold = numbers.pop("repeat", 1.0), numbers.pop("fold", 0.0)
        if "fold" in row and not (1 <= repeat == int(repeat) and 1 <= fold == int(fold)):
            raise ValueError(f"{where} has repeat {repeat:g}, fold {fold:g}; both are numbered 1, 2, …")
        spot = (int(repeat), int(fold)) if "fold" in row else (0, 0)
        tables = tasks.setdefault(task, {}).setdefault(model, {})
        if spot in tables:
            again = f", repeat {repeat:g}, fold {fold:g}" if fold else ""
            raise ValueError(f"{where} has model {model!r}{again} again; keep one (folds: a column 'fold')")
        tables[spot] = check_counts(numbers, where)
    return tasks


def _name(value: Any, what: str, where: str) -> str:
    """Return the name of a model or task, or say that it is none."""
    text = value.strip() if isinstance(value, str) else ""
    if not text or any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError(f"{where} has {what} {quoted(value)} where a name in UTF-8 belongs")
    return text


def _number(value: Any, name: str, where: str) -> float:
    number = read_number(value) if isinstance(value, str) else value
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | float) or not abs(number) < 1e300:
        raise ValueError(f"{where} has {name} = {quoted(value)}, where a number such as 12 or 0.5 belongs")
    return float(number)


def _arrange_folds(
    models: dict[str, _Tables], cv: BlockedCV | KFoldCV | None
) -> tuple[dict[str, FloatArray], BlockedCV | KFoldCV]:
    """Return each model's tables repeat by repeat, and the design."""
    spots = {spot for tables in models.values() for spot in tables}
    n_repeats, n_folds = (len({spot[axis] for spot in spots}) for axis in (0, 1))
    design = design_of(n_repeats, max(2, n_folds)) if cv is None else cv
    repeats, folds = design.shape
    expected = [*product(range(1, repeats + 1), range(1, folds + 1))]
    for name, tables in models.items():
        for repeat, fold in sorted({*expected} ^ tables.keys()):
            has = "there is a" if (repeat, fold) in tables else "there is no"
            raise ValueError(
                f"{has} repeat {repeat}, fold {fold} of model {name!r}, but {repeats}×{folds} cross-validation has repeats 1 "
                f"to {repeats} with folds 1 to {folds}"
            )
    return {name: np.array([tables[spot] for spot in expected]) for name, tables in models.items()}, design


# ---- the format -------------------------------------------------------------------------------------------


def _read_request(request: Request) -> Evaluation:
    if request.models or request.alone is None:
        raise ValueError("counts of all models come in one file, with a column 'model'; name it alone")
    options, cv = request.options, request.options.get("cv")
    cv = read_design(cv) if isinstance(cv, str) else cv
    return read_counts(request.alone.file, options.get("task"), cv, options.get("discount"))


def _holds_counts(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether columns or keys are those of counts, and no option asks for a table of something else."""
    first = next((line for line in file.lines if line.strip()), "").lstrip()
    if not first or options.keys() & {"gold", "correct", "scores", "prediction"}:
        return False
    text = "".join(file.lines)[:4000]
    if first.startswith(("{", "[")):
        keys = sum(f'"{name}"' in text.lower() for name in _COUNT_COLUMNS)
        return '"model"' in text.lower() and keys > 2
    names = {name.strip().strip('"').lower() for name in first.split(max(",;\t", key=first.count))}
    return len(names & set(_COUNT_COLUMNS)) > 1


def _tasks(place: Place) -> Iterable[str]:
    return filter(None, _tables_of(place.file))


COUNTS = Format(
    "counts",
    "a table of counts (CSV or JSON: model and tp, fp, fn, or gold, predicted, correct)",
    _holds_counts,
    ("task", "cv", "discount"),
    _read_request,
    tasks=_tasks,
)


# ---- what conlleval prints -------------------------------------------------------------------------------


_COUNTS = re.compile(
    r"processed ([0-9]{1,15}) tokens with ([0-9]{1,15}) phrases; found: ([0-9]{1,15}) phrases; correct: ([0-9]{1,15})\."
    r"(?![0-9])"
)


def _read_printed(request: Request) -> Evaluation:
    request.without_gold("conlleval's output has counted gold already")
    places = request.named_models("conlleval's output")
    printed: dict[str, list[int]] = {}
    for model, place in places.items():
        lines = _COUNTS.findall(place.file.text())
        if len(lines) != 1:
            raise ValueError(f"{place} has {len(lines)} lines 'processed … tokens …', but one belongs there")
        printed[model] = [*map(int, lines[0])]
        first, known = next(iter(printed.items()))
        if printed[model][:2] != known[:2]:
            raise ValueError(
                f"{place} was printed of {printed[model][0]} tokens with {printed[model][1]} phrases, but {places[first]} of "
                f"{known[0]} with {known[1]}; both must be judged on the same gold"
            )
    return from_counts({model: dict(zip(CHUNKS, own[1:], strict=True)) for model, own in printed.items()})


def _holds_output(file: InputFile, options: Mapping[str, Any]) -> bool:
    return b"processed" in file.head and any(_COUNTS.match(line.strip()) for line in file.lines)


CONLLEVAL = Format(
    "conlleval", "conlleval's output ('processed … tokens with … phrases')", _holds_output, (), _read_printed
)
