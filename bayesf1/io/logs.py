"""Logs of evaluations of language models, by lm-evaluation-harness or Inspect: the score of each document or sample."""

from __future__ import annotations

import json
import math
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from bayesf1.base.input_files import LINE_SHARE, InputFile
from bayesf1.base.naming import listing, nearest, number_of, plural, quoted
from bayesf1.base.text_files import read_number
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, InputSource, ReadRequest
from bayesf1.io.long_tables import Content, LongTable
from bayesf1.io.repeated_answers import from_item_means
from bayesf1.io.roles import Roles
from bayesf1.io.scores import from_columns
from bayesf1.io.tables import json_lines

# The task ("" if there is just one), and the name or number of the item in the log.
Item: TypeAlias = tuple[str, str | int]


@dataclass(frozen=True)
class _Log:
    """The items of a model's logs: their scores, and data by which the items of several logs are compared."""

    # The score of each generation of an item.
    scores: dict[Item, list[float]] = field(default_factory=dict)
    groups: dict[Item, str] = field(default_factory=dict)
    # The text of each item, or a hash of it.
    inputs: dict[Item, str] = field(default_factory=dict)
    # The filter of each task, and the measures of all.
    filters: dict[str, str] = field(default_factory=dict)
    measures: dict[str, None] = field(default_factory=dict)
    # Items without a scored epoch, and items with some epochs that were not scored.
    unscored: set[Item] = field(default_factory=set)
    partly_scored: set[Item] = field(default_factory=set)


def _spelled(item: Item, noun: str) -> str:
    """Return an item in words.

    Examples
    --------
    >>> _spelled(("gsm8k", 3), "document"), _spelled(("", "q1"), "sample")
    ("document 3 of task 'gsm8k'", "sample 'q1'")
    """
    task, number = item
    of_task = f" of task {task!r}" if task else ""
    return f"{noun} {number!r}{of_task}"


def _chosen(option: str, asked: Any, available: Iterable[str], where: object) -> str:
    """Return the name that was asked for, or the only one that is available.

    Examples
    --------
    >>> _chosen("measure", None, ["acc"], "a.jsonl")
    'acc'
    >>> _chosen("measure", None, ["acc", "f1"], "a.jsonl")
    Traceback (most recent call last):
    ValueError: a.jsonl has several measures (acc, f1); choose one with measure=
    """
    names = [*available]
    if asked is None and len(names) == 1:
        return names[0]
    if asked in names:
        return str(asked)
    if not names:
        raise ValueError(f"{where} has no {option} that is a number; log the samples with a score")
    if asked is None:
        raise ValueError(f"{where} has several {option}s ({listing(names)}); choose one with {option}=")
    raise ValueError(f"{where} has no {option} {asked!r}; {nearest(str(asked), names)}")


def _group_at(record: Mapping[str, Any], path: str, task: str, where: str) -> str:
    """Return the task, or the name or number at a path by dots, such as ``doc.subject``."""
    if path == "task":
        return task
    value: Any = record
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        paths = ["task"]
        for name, entry in record.items():
            if isinstance(entry, Mapping):
                paths += [f"{name}.{key}" for key in entry]
        raise ValueError(f"{where} has no name at group={path!r}; {nearest(path, paths)}")
    return str(value)


def _evaluated(
    logs: Mapping[str, _Log], options: Mapping[str, Any], noun: str, remarks: Iterable[str] = ()
) -> Evaluation:
    """Build an Evaluation from the log of each model, in which an item is called `noun`."""
    (first_name, first), *others = logs.items()
    for name, log in others:
        _check_same_items(name, log, first_name, first, noun)
    measures = dict.fromkeys(measure for log in logs.values() for measure in log.measures)
    measure = _chosen("measure", None, measures, "what was given")
    notes = [*remarks]
    for name, log in logs.items():
        notes += _notes_on_missing_scores(name, log, measure, noun)

    left_out = {item for log in logs.values() for item in log.unscored}
    scores = {
        name: {_spelled(item, noun): own for item, own in log.scores.items() if item not in left_out}
        for name, log in logs.items()
    }
    kept = [item for item in first.scores if item not in left_out]
    group = options.get("group")
    groups = None
    if group is not None:
        groups = {_spelled(item, noun): first.groups[item] for item in kept}
    unit = options.get("unit")
    if not unit and group is not None:
        unit = group.rpartition(".")[2]
    lower_is_better = bool(options.get("lower_is_better", False))
    if any(len(own) > 1 for by_item in scores.values() for own in by_item.values()):
        content = Content(
            "score", (measure,), lower_is_better=lower_is_better, unit=noun if unit is None else unit
        )
        ev = _of_generations(scores, groups, content)
    else:
        once = {name: {item: own[0] for item, own in by_item.items()} for name, by_item in scores.items()}
        if not unit:
            # Items that are right or wrong have a name already.
            right_or_wrong = {score for own in once.values() for score in own.values()} <= {0.0, 1.0}
            unit = None if right_or_wrong else noun
        ev = from_columns(once, name=measure, unit=unit, lower_is_better=lower_is_better, groups=groups)
    tasks = dict.fromkeys(task for task, _ in kept)
    if len(tasks) > 1 and groups is None:
        together = f"{plural(noun).capitalize()} of {len(tasks)} tasks are taken together"
        notes.append(f"{together}: {listing(tasks, most=6)}.")
    return replace(ev, remarks=(*ev.remarks, *notes))


def _of_generations(
    scores: Mapping[str, Mapping[str, Sequence[float]]], groups: Mapping[str, str] | None, content: Content
) -> Evaluation:
    """Return the evaluation of items that models answered several times, as of a table with a row for each answer."""
    import pandas as pd

    rows = [
        (model, item, generation, score)
        for model, by_item in scores.items()
        for item, own in by_item.items()
        for generation, score in enumerate(own)
    ]
    frame = pd.DataFrame(rows, columns=["model", "item", "generation", content.answer])
    roles = {"model": "model", "item": "item", "generation": "generation"}
    if groups is not None:
        frame["group"] = frame["item"].map(groups)
        roles["group"] = "group"
    return from_item_means(LongTable(frame, Roles(roles), content))


def _check_same_items(name: str, log: _Log, first_name: str, first: _Log, noun: str) -> None:
    """Raise a ValueError if an item, or a task, has another filter, group or text in the logs of two models."""
    compared: tuple[tuple[str, Mapping[Any, str], Mapping[Any, str]], ...] = (
        ("filter", log.filters, first.filters),
        ("group", log.groups, first.groups),
        ("input", log.inputs, first.inputs),
    )
    for attribute, values, first_values in compared:
        for key, own in values.items():
            other = first_values.get(key, own)
            if own != other:
                owner = f"task {key!r}" if isinstance(key, str) else _spelled(key, noun)
                raise ValueError(
                    f"{owner} has the {attribute} {quoted(own)} in {name!r}, but {quoted(other)} in {first_name!r}; give all "
                    f"models the same {noun}s"
                )


def _notes_on_missing_scores(name: str, log: _Log, measure: str, noun: str) -> list[str]:
    """Return a remark on how many items of a model lack scores, and on how they are treated."""
    notes = []
    for items, missing, treatment in (
        (log.unscored, "without a score", "left out for all"),
        (log.partly_scored, "in which some epochs have no score", "averaged over the others"),
    ):
        if items:
            _, example = min(items, key=str)
            n = number_of(len(items), noun)
            notes.append(f"{name} has {n} {missing} by {measure}, such as {example!r}: {treatment}.")
    return notes


def _notes_on_repeats(logs: Mapping[str, _Log]) -> list[str]:
    """Return a remark on models with repeated documents, as the harness does not number its repeats."""
    notes = []
    for name, log in logs.items():
        n_repeated = sum(len(own) > 1 for own in log.scores.values())
        if n_repeated:
            n = number_of(n_repeated, "document")
            notes.append(f"{name} has several samples of {n}: each sample was taken as a generation.")
    return notes


# ---- lm-evaluation-harness -------------------------------------------------------------------------------

_NAME = re.compile(r"samples_(.+?)(?:_[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.:-]+)?\.jsonl(?:\.gz)?")
_ANSWERS = frozenset({"resps", "filtered_resps"})
# Keys of a record that are not measures.
_NO_MEASURES = _ANSWERS | {"doc_id", "doc", "target", "arguments", "filter", "metrics", "sample_len"}


def _is_number(value: Any) -> bool:
    # Neither NaN nor an integer that is too large for a double.
    return isinstance(value, int | float) and abs(value) <= 1e300


def _measures_of(record: Mapping[str, Any]) -> list[str]:
    """Return the measures that have a number in a record, by its own list if it has one."""
    listed = record.get("metrics")
    names = listed if isinstance(listed, list) else [key for key in record if key not in _NO_MEASURES]
    return [name for name in names if isinstance(name, str) and _is_number(record.get(name))]


def _add_file(log: _Log, file: InputFile, task: str, options: Mapping[str, Any]) -> None:
    """Add the samples of one task, whose rows of one document and filter are generations of the same model."""
    asked = options.get("measure")
    group = options.get("group")
    measure = ""
    # By default the filter of the first sample; if there are several, it must be asked for.
    wanted_filter = options.get("filter")
    filters: dict[str, None] = {}
    for line, record in json_lines(file):
        where = f"{file}, line {line},"
        number = _document_number(record, where)
        own_filter = str(record.get("filter", "none"))
        filters[own_filter] = None
        if wanted_filter is None:
            wanted_filter = own_filter
        if own_filter != wanted_filter:
            continue
        item = (task, number)
        if asked in record and isinstance(record[asked], list | dict):
            raise ValueError(
                f"{where} has {asked} {quoted(record[asked])}, which the harness sums up over all samples, but here "
                f"each sample needs its own number; {nearest(str(asked), _measures_of(record))}"
            )
        if not measure:
            measure = _chosen("measure", asked, _measures_of(record), where)
        value = record.get(measure)
        if not _is_number(value):
            raise ValueError(f"{where} has {measure} {quoted(value)} instead of a number")
        # A repeated document was answered again.
        log.scores.setdefault(item, []).append(float(value))
        text_hash = record.get("doc_hash")
        if isinstance(text_hash, str):
            text_hash = text_hash[:16]
            if log.inputs.setdefault(item, text_hash) != text_hash:
                raise ValueError(
                    f"{where} has {_spelled(item, 'document')} again with another doc_hash; give each document its own "
                    "doc_id"
                )
        if group is not None:
            log.groups[item] = _group_at(record, group, task, where)
    if not filters:
        raise ValueError(f"{file} holds no sample; was the log cut?")
    log.filters[task] = _chosen("filter", options.get("filter"), filters, file)
    log.measures[measure] = None


def _document_number(record: Any, where: str) -> str | int:
    """Return the name or number of a sample's document; raise a ValueError if there is none."""
    if not isinstance(record, dict) or "doc_id" not in record:
        raise ValueError(f"{where} is {quoted(record)}, but a sample is an object with a key 'doc_id'")
    number = record["doc_id"]
    if isinstance(number, bool) or not isinstance(number, str | int):
        raise ValueError(f"{where} has doc_id {quoted(number)}, but it is a name or number")
    return number


def _task_in_name(name: str, *, in_folder: bool) -> str:
    """Return the task in the name of a file; a single file with another name has none.

    Examples
    --------
    >>> _task_in_name("samples_gsm8k_2024-05-01T10-00-00.1.jsonl", in_folder=True)
    'gsm8k'
    >>> _task_in_name("mine.jsonl", in_folder=False)
    ''
    """
    match = _NAME.fullmatch(Path(name).name)
    if match is not None:
        return match[1]
    return Path(name).stem if in_folder else ""


def _files_by_task(place: InputSource) -> dict[str, InputFile]:
    """Return the files of a place by the task in their names."""
    files: dict[str, InputFile] = {}
    for name, file in place.files.items():
        task = _task_in_name(name, in_folder=place.folder)
        if task in files:
            raise ValueError(f"{files[task]} and {file} are both of task {task!r}; name one of them")
        files[task] = file
    return files


def _models_by_folder(place: InputSource) -> dict[str, InputSource]:
    """Return a place for each folder in a folder; raise a ValueError if there are files without a model's name."""
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for name, path in place.paths.items():
        paths[str(Path(name).parent)][name] = path
    if "." in paths:
        raise ValueError(f"{place} is a log of one model; give each model's by its name, as bert={place}")
    return {model: replace(place, name=f"{place}/{model}", paths=own) for model, own in paths.items()}


def _read_samples(request: ReadRequest) -> Evaluation:
    """Read a log of each model, with a file for each task."""
    request.without_gold("samples of lm-evaluation-harness are scored already")
    places = request.models if request.alone is None else _models_by_folder(request.alone)
    files = {model: _files_by_task(place) for model, place in places.items()}
    some_unnamed = any("" in own for own in files.values())
    if some_unnamed and all(len(own) == 1 for own in files.values()):
        # Files of one task, whatever their names.
        files = {model: {"": file} for model, own in files.items() for file in own.values()}
    wanted_task = request.options.get("task")
    logs = {}
    for model, own in files.items():
        tasks = [*own] if wanted_task is None else [_chosen("task", wanted_task, own, places[model])]
        logs[model] = _Log()
        for task in tasks:
            _add_file(logs[model], own[task], task, request.options)
    return _evaluated(logs, request.options, "document", _notes_on_repeats(logs))


def _holds_samples(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether the first line is a sample with a document and answers, or begins as a long one does."""
    first = next((line for line in file.lines if line.strip()), "")
    if options.keys() & {"gold", "correct", "scores", "prediction"}:
        return False
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return re.match(r'\s*\{\s*"doc_id": [^,]+, "doc": ', first) is not None
    return isinstance(record, dict) and "doc_id" in record and bool(record.keys() & _ANSWERS)


def _tasks_of_samples(place: InputSource) -> Iterator[str]:
    for own in _models_by_folder(place).values():
        yield from _files_by_task(own)


LM_EVAL = Format(
    "lm-eval",
    "a log of samples of lm-evaluation-harness (samples_*.jsonl)",
    _holds_samples,
    ("measure", "filter", "group", "task", "unit", "lower_is_better"),
    _read_samples,
    folder="samples_*.jsonl samples_*.jsonl.gz",
    tasks=_tasks_of_samples,
)


# ---- Inspect ---------------------------------------------------------------------------------------------

_ZIP = b"PK\x03\x04"
# As Inspect's value_to_float has them.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True)
class _InspectLog:
    """One log file: its header, and its samples without their transcripts."""

    file: InputFile
    header: Any
    samples: Sequence[Any]


def _read_log(file: InputFile) -> _InspectLog:
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
    except ImportError:
        raise ValueError(f"{file} is a log of Inspect; pip install 'bayesf1[inspect]' to read it") from None
    packed = file.head.startswith(_ZIP)
    if not packed:
        file.check_size(file.size, LINE_SHARE)
    try:
        if packed:
            _check_sums(file)
            header = read_eval_log(file.path, header_only=True, format="eval")
            samples = read_eval_log_sample_summaries(file.path, format="eval")
        else:
            # By its path a log that was read before would come from a cache, even if it is another by now.
            with file.open() as stream:
                header = read_eval_log(stream, format="json")
            samples = []
            if header.samples is not None:
                samples = [sample.summary() for sample in header.samples]
    # Zip, JSON, validation and event loops each have errors of their own.
    except Exception as error:
        lines = str(error).strip().splitlines()
        why = lines[0] if lines else type(error).__name__
        raise ValueError(f"{file} is not a complete log of Inspect ({why:.200}); was it cut?") from None
    return _InspectLog(file, header, samples)


def _check_sums(file: InputFile) -> None:
    """Raise an error if a part of an archive that is read was changed: Inspect does not look at check sums."""
    with zipfile.ZipFile(file.path) as archive:
        for name in {"header.json", "summaries.json"} & {*archive.namelist()}:
            file.check_size(archive.getinfo(name).file_size, LINE_SHARE, f", {name},")
            # Inspect, which is loaded by now, taught the library of Python how its archives are packed.
            archive.read(name)


def _values(sample: Any) -> dict[str, Any]:
    """Return the scores of a sample by their scorer, and by a key if a scorer gives several."""
    values: dict[str, Any] = {}
    if sample.scores is not None:
        for name, score in sample.scores.items():
            if isinstance(score.value, Mapping):
                values |= {f"{name}.{key}": value for key, value in score.value.items()}
            else:
                values[name] = score.value
    return values


def _number(value: Any, where: str) -> float | None:
    """Return the number that Inspect takes a score for, None for a sample without a score; raise a ValueError otherwise."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    number = value
    if isinstance(value, str):
        number = _GRADES.get(value, _WORDS.get(value.lower()))
        if number is None:
            number = read_number(value)
    if not isinstance(number, int | float) or not abs(number) <= 1e300:
        raise ValueError(f"{where} is scored {quoted(value)}, which is neither a number nor C, P, I or N")
    return float(number)


def _add_log(to: _Log, log: _InspectLog, measure: str, group: str | None) -> None:
    """Add the samples of one log, whose epochs are generations of the same model."""
    task = log.header.eval.task
    # By epoch; None if a sample was not scored.
    scores: dict[Item, dict[int, float | None]] = defaultdict(dict)
    for sample in log.samples:
        item = (task, sample.id)
        where = f"{log.file}, {_spelled(item, 'sample')}, epoch {sample.epoch},"
        if sample.epoch in scores[item]:
            raise ValueError(f"{where} is there twice; keep one of them")
        scores[item][sample.epoch] = _number(_values(sample).get(measure), where)
        if isinstance(sample.input, str):
            to.inputs[item] = sample.input
        if group is not None:
            to.groups[item] = _group_at({"metadata": sample.metadata}, group, task, where)
    n_epochs = max(map(len, scores.values()), default=0)
    for item, by_epoch in scores.items():
        known = [score for score in by_epoch.values() if score is not None]
        if not known:
            to.unscored.add(item)
            continue
        if len(known) < n_epochs:
            to.partly_scored.add(item)
        to.scores[item] = known


def _one_log_per_task(logs: Sequence[_InspectLog], model: str) -> tuple[list[_InspectLog], list[str]]:
    """Return one log for each task, the one that succeeded if others failed, and remarks on those left out."""
    by_task: dict[str, list[_InspectLog]] = defaultdict(list)
    for log in logs:
        by_task[log.header.eval.task].append(log)
    kept = []
    remarks = []
    for task, tries in by_task.items():
        succeeded = [log for log in tries if log.header.status == "success"]
        log, *others = succeeded if succeeded else tries
        if others:
            both = f"{log.file} and {others[0].file} are both of task {task!r} of model {model!r}"
            raise ValueError(f"{both}; name one, or give each its own name")
        kept.append(log)
        for other in tries:
            if other is not log:
                remarks.append(
                    f"{other.file} has status {other.header.status!r}, and was left out for {log.file}."
                )
        if log.header.status != "success":
            remarks.append(f"{log.file} of {model} has status {log.header.status!r}, and may lack samples.")
        reducers = log.header.eval.config.epochs_reducer
        if reducers and reducers != ["mean"]:
            remarks.append(f"{log.file} reduces epochs by {listing(reducers)}; here they were averaged.")
    return kept, remarks


def _logs_of(place: InputSource) -> Iterator[_InspectLog]:
    for file in place.files.values():
        # A folder of logs may have a listing of them, which is JSON, too.
        if not place.folder or file.suffix != ".json" or _holds_log(file, {}):
            yield _read_log(file)


def _read_inspect(request: ReadRequest) -> Evaluation:
    """Read the logs of each model; if none is named, the logs say which model each of them is of."""
    request.without_gold("samples of Inspect are scored already")
    options = request.options
    by_model = {model: [*_logs_of(place)] for model, place in request.models.items()}
    if request.alone is not None:
        for log in _logs_of(request.alone):
            by_model.setdefault(log.header.eval.model, []).append(log)
    wanted_task = options.get("task")
    remarks: list[str] = []
    items: dict[str, _Log] = {}
    for model, logs in by_model.items():
        kept, own_remarks = _one_log_per_task(logs, model)
        remarks += own_remarks
        if wanted_task is not None:
            by_task = {log.header.eval.task: log for log in kept}
            kept = [by_task[_chosen("task", wanted_task, by_task, f"model {model!r}")]]
        measures = dict.fromkeys(name for log in kept for sample in log.samples for name in _values(sample))
        measure = _chosen("measure", options.get("measure"), measures, kept[0].file)
        items[model] = _Log(measures={measure: None})
        for log in kept:
            _add_log(items[model], log, measure, options.get("group"))
    return _evaluated(items, options, "sample", remarks)


def _holds_log(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether a file is an archive that has Inspect's header or journal, or JSON that begins as its logs do."""
    if file.head.startswith(_ZIP):
        try:
            with zipfile.ZipFile(file.path) as archive:
                return bool({"header.json", "_journal/start.json"} & {*archive.namelist()})
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
            return file.head[30:].startswith(b"_journal/start.json")
    start = "\n".join(file.lines[:40])[:2000]
    keys = [rf'"{name}"\s*:' for name in ("status", "eval", "(?:eval_id|run_id|task_id)")]
    return start.lstrip().startswith("{") and all(re.search(key, start) for key in keys)


def _tasks_of_logs(place: InputSource) -> Iterator[str]:
    for log in _logs_of(place):
        yield log.header.eval.task


INSPECT = Format(
    "inspect",
    "a log of Inspect (.eval, or JSON)",
    _holds_log,
    ("measure", "group", "task", "unit", "lower_is_better"),
    _read_inspect,
    folder="*.eval *.json",
    tasks=_tasks_of_logs,
)
