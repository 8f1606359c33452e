"""Samples that lm-evaluation-harness logs: a file for each task, and a line for each document and filter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, nearest, quoted
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, Place, Request
from bayesf1.io.scores import ItemLog, from_item_scores, spelled
from bayesf1.io.tables import fast_json, json_lines

_NAME = re.compile(r"samples_(.+?)(?:_[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.:-]+)?\.jsonl(?:\.gz)?")
_ANSWERS = frozenset({"resps", "filtered_resps"})
# All that a record has beside its measures.
_NO_MEASURES = _ANSWERS | {"doc_id", "doc", "target", "arguments", "filter", "metrics", "sample_len"}


@dataclass(frozen=True)
class _Log(ItemLog):
    """What is kept of a model's samples; of each task the measure and the filter."""

    measures: dict[str, str] = field(default_factory=dict)
    filters: dict[str, str] = field(default_factory=dict)


def chosen(option: str, asked: Any, found: Iterable[str], where: object) -> str:
    """Return which of those found was asked for, or the only one there is.

    Examples
    --------
    >>> chosen("measure", None, ["acc"], "a.jsonl")
    'acc'
    >>> chosen("measure", None, ["acc", "f1"], "a.jsonl")
    Traceback (most recent call last):
    ValueError: a.jsonl has several measures (acc, f1); choose one by measure=
    """
    names = [*found]
    if asked in names or (asked is None and len(names) == 1):
        return names[0] if asked is None else str(asked)
    if not names:
        raise ValueError(f"{where} has no {option} that is a number; log the samples with a score")
    if asked is None:
        raise ValueError(f"{where} has several {option}s ({listing(names)}); choose one by {option}=")
    raise ValueError(f"{where} has no {option} {asked!r}; {nearest(str(asked), names)}")


def group_at(record: Mapping[str, Any], path: str, where: str) -> str:
    """Return the name or number at a path by dots, such as ``doc.subject``."""
    value: Any = record
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        inner = {name: entry for name, entry in record.items() if isinstance(entry, Mapping)}
        known = [f"{name}.{key}" for name, entry in inner.items() for key in entry]
        raise ValueError(f"{where} has no name at group={path!r}; {nearest(path, ['task', *known])}")
    return str(value)


def _is_number(value: Any) -> bool:
    # NaN is not, nor is an integer that is too large for a double.
    return isinstance(value, int | float) and abs(value) <= 1e300


def _measures_of(record: Mapping[str, Any]) -> list[str]:
    """Return the measures that have a number in a record, by its own list where it has one."""
    listed = record.get("metrics")
    names = listed if isinstance(listed, list) else [key for key in record if key not in _NO_MEASURES]
    return [name for name in names if isinstance(name, str) and _is_number(record.get(name))]


def _add_file(log: _Log, file: InputFile, task: str, options: Mapping[str, Any]) -> None:
    """Read the samples of one task."""
    filters: dict[str, None] = {}
    measure, taken, group = "", options.get("filter"), options.get("group")
    for line, record in json_lines(file):
        where = f"{file}, line {line},"
        if not isinstance(record, dict) or "doc_id" not in record:
            raise ValueError(f"{where} is {quoted(record)}, but a sample is an object with a key 'doc_id'")
        number, of_filter = record["doc_id"], str(record.get("filter", "none"))
        if isinstance(number, bool) or not isinstance(number, str | int):
            raise ValueError(f"{where} has doc_id {quoted(number)}, but it is a name or number")
        filters[of_filter] = None
        taken = of_filter if taken is None else taken
        if of_filter != taken:
            continue
        item = (task, number)
        if item in log.scores:
            raise ValueError(f"{where} has {spelled(item, 'document')} again; keep one of them")
        asked = options.get("measure")
        if asked in record and isinstance(record[asked], list | dict):
            raise ValueError(
                f"{where} has {asked} {quoted(record[asked])}, of which the harness makes one number for all samples, but "
                f"here each needs its own; {nearest(str(asked), _measures_of(record))}"
            )
        measure = measure or chosen("measure", asked, _measures_of(record), where)
        value = record.get(measure)
        if not _is_number(value):
            raise ValueError(f"{where} has {measure} {quoted(value)} where a number belongs")
        log.scores[item] = float(record[measure])
        if isinstance(document := record.get("doc_hash"), str):
            log.inputs[item] = document[:16]
        if group is not None:
            log.groups[item] = task if group == "task" else group_at(record, group, where)
    if not filters:
        raise ValueError(f"{file} holds no sample; was the log cut?")
    log.filters[task] = chosen("filter", options.get("filter"), filters, file)
    log.measures[task] = measure


def _tasks(place: Place) -> dict[str, InputFile]:
    """Return the files of a place by the task that their names tell; without a name none."""
    tasks: dict[str, InputFile] = {}
    for name, file in place.files.items():
        matched = _NAME.fullmatch(Path(name).name)
        task = matched[1] if matched else Path(name).stem if place.folder else ""
        if task in tasks:
            raise ValueError(f"{tasks[task]} and {file} are both of task {task!r}; name one of them")
        tasks[task] = file
    return tasks


def _models_by_folder(place: Place) -> dict[str, Place]:
    """Return a place for each folder in a folder, or say that files lie there without a model's name."""
    files: dict[str, dict[str, Any]] = {}
    for name, path in place.paths.items():
        files.setdefault(str(Path(name).parent), {})[name] = path
    if "." in files:
        raise ValueError(f"{place} is a log of one model; give each model's by its name, as bert={place}")
    return {model: replace(place, name=f"{place}/{model}", paths=own) for model, own in files.items()}


def check_alike(
    what: str, mine: Mapping[Any, str], theirs: Mapping[Any, str], noun: str, logs: tuple[object, object]
) -> None:
    """Say which item, or which task, has something else in one log than in another."""
    for item, value in mine.items():
        if theirs.get(item, value) != value:
            whose = spelled(item, noun) if isinstance(item, tuple) else f"task {item!r}"
            differs = f"{quoted(value)} in {logs[0]}, but {quoted(theirs[item])} in {logs[1]}"
            raise ValueError(f"{whose} has the {what} {differs}; give all models the same {noun}s")


def _read(request: Request) -> Evaluation:
    request.without_gold("samples of lm-evaluation-harness are scored already")
    options, wanted = request.options, request.options.get("task")
    places = request.models if request.alone is None else _models_by_folder(request.alone)
    tasks = {model: _tasks(place) for model, place in places.items()}
    if any("" in found for found in tasks.values()) and all(len(found) == 1 for found in tasks.values()):
        tasks = {model: {"": file} for model, found in tasks.items() for file in found.values()}
    logs: dict[str, _Log] = {}
    for model, found in tasks.items():
        if wanted is not None:
            task = chosen("task", wanted, found, places[model])
            found = {task: found[task]}
        logs[model] = _Log()
        for task, file in found.items():
            _add_file(logs[model], file, task, options)
    (name, first), *others = logs.items()
    for other, own in others:
        for what, part in (("filter", "filters"), ("group", "groups"), ("doc_hash", "inputs")):
            between = places[other], places[name]
            check_alike(what, getattr(own, part), getattr(first, part), "document", between)
    measures = {measure: None for log in logs.values() for measure in log.measures.values()}
    scores = {model: log.scores for model, log in logs.items()}
    measure = chosen("measure", None, measures, "what was given")
    return from_item_scores(scores, first.groups, options, noun="document", name=measure)


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
    tasks=lambda place: (task for own in _models_by_folder(place).values() for task in _tasks(own)),
)
