"""Samples that lm-evaluation-harness logs: a file for each task, and a line for each document and filter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, nearest, shown
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.format import Format, Place, Request
from bayesf1.reading.item_scores import Item, from_item_scores, spelled
from bayesf1.reading.json_text import fast_json, json_lines

_NAME = re.compile(r"samples_(.+?)(?:_[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.:-]+)?\.jsonl(?:\.gz)?")
_ANSWERS = frozenset({"resps", "filtered_resps"})
# All that a record has beside its measures.
_NO_MEASURES = _ANSWERS | {"doc_id", "doc", "target", "arguments", "filter", "metrics", "sample_len"}


class _Asked(NamedTuple):
    measure: str | None
    filter: str | None
    group: str | None


@dataclass(frozen=True)
class _Log:
    """What is kept of a model's samples."""

    scores: dict[Item, float] = field(default_factory=dict)
    groups: dict[Item, str] = field(default_factory=dict)
    # The beginning of the hash of each document, where there is one.
    hashes: dict[Item, str] = field(default_factory=dict)
    # The measure and the filter of each task.
    measures: dict[str, str] = field(default_factory=dict)
    filters: dict[str, str] = field(default_factory=dict)


def _records(file: InputFile) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the samples of a file, each with the place where it stands."""
    for number, record in json_lines(file):
        where = f"{file}, line {number},"
        if not isinstance(record, dict) or "doc_id" not in record:
            raise ValueError(f"{where} is {shown(record)}, but a sample is an object with a key 'doc_id'")
        yield where, record


def _is_number(value: Any) -> bool:
    # NaN is not, nor is an integer that is too large for a double.
    return isinstance(value, int | float) and abs(value) <= 1e300


def _measures_of(record: Mapping[str, Any]) -> list[str]:
    """Return the measures that have a number in a record, by its own list where it has one."""
    listed = record.get("metrics")
    names = listed if isinstance(listed, list) else [key for key in record if key not in _NO_MEASURES]
    return [name for name in names if isinstance(name, str) and _is_number(record.get(name))]


def _choose_measure(record: Mapping[str, Any], asked: str | None, where: str) -> str:
    found = _measures_of(record)
    if asked is None and len(found) == 1:
        return found[0]
    if asked in found:
        return str(asked)
    if not found:
        raise ValueError(f"{where} has no measure that is a number; log the samples with a metric")
    if asked is None:
        raise WordedError(
            f"{where} has several measures ({listing(found)}); choose one by ", Argument("measure")
        )
    raise WordedError(where, " has no ", Argument("measure"), f" {asked!r}; {nearest(str(asked), found)}")


def _group_of(record: Mapping[str, Any], path: str, where: str) -> str:
    value: Any = record
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        document = record.get("doc")
        fields = document.items() if isinstance(document, Mapping) else ()
        known = [f"doc.{key}" for key, value in fields if isinstance(value, str | int)]
        raise WordedError(
            f"{where} has no name or number at {path!r}, which ",
            Argument("group"),
            f" asks for; {nearest(path, ['task', *known])}",
        )
    return str(value)


def _add_file(log: _Log, file: InputFile, task: str, asked: _Asked) -> None:
    """Read the samples of one task."""
    lines: dict[Item, str] = {}
    filters: dict[str, None] = {}
    measure, taken = None, asked.filter
    for where, record in _records(file):
        number, of_filter = record["doc_id"], record.get("filter", "none")
        if isinstance(number, bool) or not isinstance(number, str | int):
            raise ValueError(f"{where} has doc_id {number!r:.40}, but a document has a number")
        if not isinstance(of_filter, str):
            raise ValueError(f"{where} has filter {of_filter!r:.40}, but a filter has a name")
        filters[of_filter] = None
        taken = of_filter if taken is None else taken
        if of_filter != taken:
            continue
        item = (task, number)
        if item in lines:
            raise ValueError(
                f"{where} has {spelled(item, 'document')} again after {lines[item]}; keep one of them"
            )
        lines[item] = where.rpartition(", ")[2].strip(",")
        measure = measure or _choose_measure(record, asked.measure, where)
        value = record.get(measure)
        if not _is_number(value):
            raise ValueError(f"{where} has {measure} {value!r:.40} where a number belongs")
        log.scores[item] = float(record[measure])
        if isinstance(document := record.get("doc_hash"), str):
            log.hashes[item] = document[:16]
        if asked.group is not None:
            log.groups[item] = task if asked.group == "task" else _group_of(record, asked.group, where)
    if not filters:
        raise ValueError(f"{file} holds no sample; was the log cut?")
    if asked.filter is None and len(filters) > 1:
        raise WordedError(
            f"{file} has samples of several filters ({listing(filters)}); choose one by ", Argument("filter")
        )
    if measure is None:
        raise WordedError(
            f"{file} has no sample of ",
            Argument("filter"),
            f" {asked.filter!r}; {nearest(str(asked.filter), filters)}",
        )
    log.measures[task], log.filters[task] = measure, str(taken)


def _tasks(place: Place) -> dict[str, InputFile]:
    """Return the files of a place by the task that their names tell; without a name none."""
    tasks: dict[str, InputFile] = {}
    for name, file in place.files.items():
        matched = _NAME.fullmatch(Path(name).name)
        task = matched[1] if matched else Path(name).stem if place.folder else ""
        if task in tasks:
            raise ValueError(
                f"{tasks[task]} and {file} are both of task {task!r} of one model; name one, or move the older away"
            )
        tasks[task] = file
    return tasks


def _tasks_of_all(place: Place) -> Iterable[str]:
    return (task for own in _models_by_folder(place, "a log").values() for task in _tasks(own))


def _models_by_folder(place: Place, what: str) -> dict[str, Place]:
    """Return a place for each folder in a folder, or say that files lie there without a model's name."""
    files: dict[str, dict[str, InputFile]] = {}
    for name, file in place.files.items():
        files.setdefault(str(Path(name).parent), {})[name] = file
    if "." in files:
        raise ValueError(
            f"{place} is {what} of one model; give each model's by its name, as bert={place}, or a folder with a "
            "folder for each model"
        )
    return {model: replace(place, name=f"{place}/{model}", files=own) for model, own in files.items()}


def _check_alike(logs: Mapping[str, _Log], places: Mapping[str, Place]) -> None:
    """Say where measures, filters, groups or documents differ."""
    measures = {
        measure: (task, places[model])
        for model, log in logs.items()
        for task, measure in log.measures.items()
    }
    if len(measures) > 1:
        (a, (task_a, in_a)), (b, (task_b, in_b)), *_ = measures.items()
        raise WordedError(
            f"{in_a} has measure {a!r} of task {task_a!r}, but {in_b} has {b!r} of {task_b!r}; choose one that all have "
            "by ",
            Argument("measure"),
            ", or one task by ",
            Argument("task"),
        )
    (first, log), *others = logs.items()
    for other, own in others:
        for task, of_filter in own.filters.items():
            if log.filters.get(task, of_filter) != of_filter:
                raise ValueError(
                    f"{places[first]} has samples of filter {log.filters[task]!r}, but {places[other]} of {of_filter!r}; "
                    "log the same for all"
                )
        for what, mine, theirs in (("group", own.groups, log.groups), ("doc_hash", own.hashes, log.hashes)):
            for item, value in mine.items():
                if theirs.get(item, value) != value:
                    raise ValueError(
                        f"{spelled(item, 'document')} has {what} {theirs[item]!r} in {places[first]}, but {value!r} in "
                        f"{places[other]}; all models must have been given the same documents"
                    )


def _read(request: Request) -> Evaluation:
    request.without_gold("samples of lm-evaluation-harness are scored already")
    options = request.options
    places: Mapping[str, Place] = request.models
    if request.alone is not None:
        places = _models_by_folder(request.alone, "a log")
    asked = _Asked(options.get("measure"), options.get("filter"), options.get("group"))
    tasks = {model: _tasks(place) for model, place in places.items()}
    if any("" in found for found in tasks.values()) and all(len(found) == 1 for found in tasks.values()):
        tasks = {model: dict.fromkeys([""], next(iter(found.values()))) for model, found in tasks.items()}
    wanted = options.get("task")
    logs: dict[str, _Log] = {}
    for model, found in tasks.items():
        if wanted is not None and wanted not in found:
            raise ValueError(f"{places[model]} has no task {wanted!r}; {nearest(str(wanted), found)}")
        logs[model] = _Log()
        for task, file in found.items():
            if wanted in (None, task):
                _add_file(logs[model], file, task, asked)
    _check_alike(logs, places)
    first = next(iter(logs.values()))
    return from_item_scores(
        {model: log.scores for model, log in logs.items()},
        places,
        noun="document",
        name=next(iter(first.measures.values())),
        groups=first.groups if asked.group is not None else None,
        unit=options.get("unit") or (asked.group and asked.group.rpartition(".")[2]),
        lower_is_better=options.get("lower_is_better", False),
    )


def _holds_samples(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether the first line is a sample with a document and answers, or begins as a long one does."""
    first = next((line for line in file.lines if line.strip()), "")
    if options.keys() & {"gold", "correct", "scores", "prediction"}:
        return False
    try:
        record = fast_json()(first.encode())
    except (ValueError, RecursionError):
        return re.match(r'\s*\{\s*"doc_id": [^,]+, "doc": ', first) is not None
    return isinstance(record, dict) and "doc_id" in record and bool(record.keys() & _ANSWERS)


LM_EVAL = Format(
    "lm-eval",
    "a log of samples of lm-evaluation-harness (samples_*.jsonl)",
    _holds_samples,
    ("measure", "filter", "group", "task", "unit", "lower_is_better"),
    _read,
    folder="samples_*.jsonl samples_*.jsonl.gz",
    tasks=_tasks_of_all,
)
