"""Logs of evaluations of language models: what each document or sample scored, by lm-evaluation-harness or by Inspect."""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from bayesf1.base.input_files import LINE_SHARE, InputFile
from bayesf1.base.naming import counted, listing, nearest, plural, quoted
from bayesf1.base.text_files import read_number
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, InputSource, ReadRequest
from bayesf1.io.scores import from_columns
from bayesf1.io.tables import json_lines

# The task, or nothing where there is just one, and what the log calls the item.
Item: TypeAlias = tuple[str, str | int]


@dataclass(frozen=True)
class _Log:
    """What a model's logs say of each item: its score, its group, and its text or hash, by which logs are compared."""

    scores: dict[Item, float] = field(default_factory=dict)
    groups: dict[Item, str] = field(default_factory=dict)
    inputs: dict[Item, str] = field(default_factory=dict)
    # The filter of each task, and the measures of all.
    filters: dict[str, str] = field(default_factory=dict)
    measures: dict[str, None] = field(default_factory=dict)
    # Items of which no epoch was scored, and those of which some were.
    unscored: set[Item] = field(default_factory=set)
    partly: set[Item] = field(default_factory=set)


def _spelled(item: Item, noun: str) -> str:
    """Say which item it is.

    Examples
    --------
    >>> _spelled(("gsm8k", 3), "document"), _spelled(("", "q1"), "sample")
    ("document 3 of task 'gsm8k'", "sample 'q1'")
    """
    task, number = item
    return f"{noun} {number!r}{f' of task {task!r}' if task else ''}"


def _chosen(option: str, asked: Any, found: Iterable[str], where: object) -> str:
    """Return which of those found was asked for, or the only one there is.

    Examples
    --------
    >>> _chosen("measure", None, ["acc"], "a.jsonl")
    'acc'
    >>> _chosen("measure", None, ["acc", "f1"], "a.jsonl")
    Traceback (most recent call last):
    ValueError: a.jsonl has several measures (acc, f1); choose one with measure=
    """
    names = [*found]
    if asked in names or (asked is None and len(names) == 1):
        return names[0] if asked is None else str(asked)
    if not names:
        raise ValueError(f"{where} has no {option} that is a number; log the samples with a score")
    if asked is None:
        raise ValueError(f"{where} has several {option}s ({listing(names)}); choose one with {option}=")
    raise ValueError(f"{where} has no {option} {asked!r}; {nearest(str(asked), names)}")


def _group_at(record: Mapping[str, Any], path: str, where: str) -> str:
    """Return the name or number at a path by dots, such as ``doc.subject``."""
    value: Any = record
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        inner = {name: entry for name, entry in record.items() if isinstance(entry, Mapping)}
        known = [f"{name}.{key}" for name, entry in inner.items() for key in entry]
        raise ValueError(f"{where} has no name at group={path!r}; {nearest(path, ['task', *known])}")
    return str(value)


def _evaluated(
    logs: Mapping[str, _Log], options: Mapping[str, Any], noun: str, remarks: Iterable[str] = ()
) -> Evaluation:
    """Build an Evaluation from the log of each model, in which an item is called `noun`."""
    (name, first), *others = logs.items()
    for model, own in others:
        for what in ("filters", "groups", "inputs"):
            mine, theirs = getattr(own, what), getattr(first, what)
            for item in (item for item in mine if theirs.get(item, mine[item]) != mine[item]):
                whose = _spelled(item, noun) if isinstance(item, tuple) else f"task {item!r}"
                raise ValueError(
                    f"{whose} has the {what[:-1]} {quoted(mine[item])} in {model!r}, but {quoted(theirs[item])} in {name!r}; "
                    f"give all models the same {noun}s"
                )
    every = {measure: None for log in logs.values() for measure in log.measures}
    measure, notes = _chosen("measure", None, every, "what was given"), [*remarks]
    for model, own in logs.items():
        for items, what, then in (
            (own.unscored, "without a score", "left out for all"),
            (own.partly, "in which some epochs have no score", "averaged over the others"),
        ):
            for _, example in sorted(items, key=str)[:1]:
                n = counted(len(items), noun)
                notes.append(f"{model} has {n} {what} by {measure}, such as {example!r}: {then}.")
    out = {item for own in logs.values() for item in own.unscored}
    scores = {
        model: {_spelled(item, noun): score for item, score in own.scores.items() if item not in out}
        for model, own in logs.items()
    }
    group, kept = options.get("group"), [item for item in first.scores if item not in out]
    groups = None if group is None else {_spelled(item, noun): first.groups[item] for item in kept}
    binary = all(score in (0.0, 1.0) for own in scores.values() for score in own.values())
    unit = options.get("unit") or (group.rpartition(".")[2] if group else None if binary else noun)
    down = bool(options.get("lower_is_better", False))
    ev = from_columns(scores, name=measure, unit=unit, lower_is_better=down, groups=groups)
    tasks = dict.fromkeys(task for task, _ in kept)
    if len(tasks) > 1 and groups is None:
        together = f"{plural(noun).capitalize()} of {len(tasks)} tasks are taken together"
        notes.append(f"{together}: {listing(tasks, most=6)}.")
    return replace(ev, remarks=(*ev.remarks, *notes))


# ---- lm-evaluation-harness -------------------------------------------------------------------------------

_NAME = re.compile(r"samples_(.+?)(?:_[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.:-]+)?\.jsonl(?:\.gz)?")
_ANSWERS = frozenset({"resps", "filtered_resps"})
# All that a record has beside its measures.
_NO_MEASURES = _ANSWERS | {"doc_id", "doc", "target", "arguments", "filter", "metrics", "sample_len"}


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
            raise ValueError(f"{where} has {_spelled(item, 'document')} again; keep one of them")
        asked = options.get("measure")
        if asked in record and isinstance(record[asked], list | dict):
            raise ValueError(
                f"{where} has {asked} {quoted(record[asked])}, which the harness sums up over all samples, but here "
                f"each sample needs its own number; {nearest(str(asked), _measures_of(record))}"
            )
        measure = measure or _chosen("measure", asked, _measures_of(record), where)
        value = record.get(measure)
        if not _is_number(value):
            raise ValueError(f"{where} has {measure} {quoted(value)} instead of a number")
        log.scores[item] = float(record[measure])
        if isinstance(document := record.get("doc_hash"), str):
            log.inputs[item] = document[:16]
        if group is not None:
            log.groups[item] = task if group == "task" else _group_at(record, group, where)
    if not filters:
        raise ValueError(f"{file} holds no sample; was the log cut?")
    log.filters[task] = _chosen("filter", options.get("filter"), filters, file)
    log.measures[measure] = None


def _tasks(place: InputSource) -> dict[str, InputFile]:
    """Return the files of a place by the task that their names tell; without a name none."""
    tasks: dict[str, InputFile] = {}
    for name, file in place.files.items():
        matched = _NAME.fullmatch(Path(name).name)
        task = matched[1] if matched else Path(name).stem if place.folder else ""
        if task in tasks:
            raise ValueError(f"{tasks[task]} and {file} are both of task {task!r}; name one of them")
        tasks[task] = file
    return tasks


def _models_by_folder(place: InputSource) -> dict[str, InputSource]:
    """Return a place for each folder in a folder, or say that files lie there without a model's name."""
    files: dict[str, dict[str, Any]] = {}
    for name, path in place.paths.items():
        files.setdefault(str(Path(name).parent), {})[name] = path
    if "." in files:
        raise ValueError(f"{place} is a log of one model; give each model's by its name, as bert={place}")
    return {model: replace(place, name=f"{place}/{model}", paths=own) for model, own in files.items()}


def _read_samples(request: ReadRequest) -> Evaluation:
    request.without_gold("samples of lm-evaluation-harness are scored already")
    options, wanted = request.options, request.options.get("task")
    places = request.models if request.alone is None else _models_by_folder(request.alone)
    tasks = {model: _tasks(place) for model, place in places.items()}
    if any("" in found for found in tasks.values()) and all(len(found) == 1 for found in tasks.values()):
        tasks = {model: {"": file} for model, found in tasks.items() for file in found.values()}
    logs = {model: _Log() for model in tasks}
    for model, found in tasks.items():
        for task in found if wanted is None else [_chosen("task", wanted, found, places[model])]:
            _add_file(logs[model], found[task], task, options)
    return _evaluated(logs, options, "document")


def _holds_samples(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether the first line is a sample with a document and answers, or begins as a long one does."""
    first = next((line for line in file.lines if line.strip()), "")
    if options.keys() & {"gold", "correct", "scores", "prediction"}:
        return False
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return re.match(r'\s*\{\s*"doc_id": [^,]+, "doc": ', first) is not None
    return isinstance(record, dict) and "doc_id" in record and bool(record.keys() & _ANSWERS)


LM_EVAL = Format(
    "lm-eval",
    "a log of samples of lm-evaluation-harness (samples_*.jsonl)",
    _holds_samples,
    ("measure", "filter", "group", "task", "unit", "lower_is_better"),
    _read_samples,
    folder="samples_*.jsonl samples_*.jsonl.gz",
    tasks=lambda place: (task for own in _models_by_folder(place).values() for task in _tasks(own)),
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
    file.check_size(0 if packed else file.size, LINE_SHARE)
    try:
        if packed:
            _check_sums(file)
            header = read_eval_log(file.path, header_only=True, format="eval")
            samples = read_eval_log_sample_summaries(file.path, format="eval")
        else:
            # By its path a log that was read before would come from a cache, even if it is another by now.
            with file.open() as stream:
                header = read_eval_log(stream, format="json")
            samples = [sample.summary() for sample in header.samples or ()]
    # Zip, JSON, validation and event loops each have errors of their own.
    except Exception as error:
        why = (str(error) or type(error).__name__).strip().splitlines()[0]
        raise ValueError(f"{file} is not a complete log of Inspect ({why:.200}); was it cut?") from None
    return _InspectLog(file, header, samples)


def _check_sums(file: InputFile) -> None:
    """Raise an error where what is read of an archive was changed: Inspect does not look at its check sums."""
    with zipfile.ZipFile(file.path) as archive:
        for name in {"header.json", "summaries.json"} & {*archive.namelist()}:
            file.check_size(archive.getinfo(name).file_size, LINE_SHARE, f", {name},")
            # Inspect, which is loaded by now, taught the library of Python how its archives are packed.
            archive.read(name)


def _values(sample: Any) -> dict[str, Any]:
    """Return the scores of a sample by their scorer, and by a key where a scorer gives several."""
    found: dict[str, Any] = {}
    for name, score in (sample.scores or {}).items():
        if isinstance(score.value, Mapping):
            found |= {f"{name}.{key}": value for key, value in score.value.items()}
        else:
            found[name] = score.value
    return found


def _number(value: Any, where: str) -> float | None:
    """Return a score as Inspect values it, none of a sample that was not scored, or say that it is no number."""
    if value is None or value != value:
        return None
    number = value
    if isinstance(value, str):
        number = _GRADES.get(value, _WORDS.get(value.lower()))
        number = read_number(value) if number is None else number
    if not isinstance(number, int | float) or not abs(number) <= 1e300:
        raise ValueError(f"{where} is scored {quoted(value)}, which is neither a number nor C, P, I or N")
    return float(number)


def _score(logs: Sequence[_InspectLog], measure: str, group: str | None) -> _Log:
    """Average what each sample scored over its epochs."""
    read = _Log(measures={measure: None})
    for log in logs:
        values: dict[Item, list[float]] = defaultdict(list)
        epochs: Counter[Item] = Counter()
        seen: set[tuple[Item, int]] = set()
        for sample in log.samples:
            item = (log.header.eval.task, sample.id)
            where = f"{log.file}, {_spelled(item, 'sample')}, epoch {sample.epoch},"
            if (item, sample.epoch) in seen:
                raise ValueError(f"{where} is there twice; keep one of them")
            seen.add((item, sample.epoch))
            number = _number(_values(sample).get(measure), where)
            values[item] += [] if number is None else [number]
            epochs[item] += 1
            if isinstance(sample.input, str):
                read.inputs[item] = sample.input
            if group is not None:
                found = {"metadata": sample.metadata}
                read.groups[item] = (
                    log.header.eval.task if group == "task" else _group_at(found, group, where)
                )
        most = max(epochs.values(), default=0)
        read.partly.update(item for item, numbers in values.items() if 0 < len(numbers) < most)
        read.unscored.update(item for item, numbers in values.items() if not numbers)
        # Exactly 0 and 1 where all epochs agree, so that such samples stay right or wrong.
        read.scores.update({item: sum(all_) / len(all_) for item, all_ in values.items() if all_})
    return read


def _one_a_task(logs: Sequence[_InspectLog], model: str) -> tuple[list[_InspectLog], list[str]]:
    """Return one log for each task, the one that succeeded where others were tries, and what to say of those."""
    by_task: dict[str, list[_InspectLog]] = defaultdict(list)
    for log in logs:
        by_task[log.header.eval.task].append(log)
    kept, remarks = [], []
    for task, tries in by_task.items():
        whole = [log for log in tries if log.header.status == "success"] or tries
        log = whole[0]
        if len(whole) > 1:
            both = f"{log.file} and {whole[1].file} are both of task {task!r} of model {model!r}"
            raise ValueError(f"{both}; name one, or give each its own name")
        kept.append(log)
        for other in tries:
            if other is not log:
                remarks.append(
                    f"{other.file} has status {other.header.status!r}, and was left out for {log.file}."
                )
        if log.header.status != "success":
            remarks.append(f"{log.file} of {model} has status {log.header.status!r}, and may lack samples.")
        if (reducers := log.header.eval.config.epochs_reducer or ["mean"]) != ["mean"]:
            remarks.append(f"{log.file} reduces epochs by {listing(reducers)}; here they were averaged.")
    return kept, remarks


def _logs_of(place: InputSource) -> Iterator[_InspectLog]:
    for file in place.files.values():
        # A folder of logs may hold a listing of them, which is JSON, too.
        if place.folder and file.suffix == ".json" and not _holds_log(file, {}):
            continue
        yield _read_log(file)


def _read_inspect(request: ReadRequest) -> Evaluation:
    request.without_gold("samples of Inspect are scored already")
    options, wanted = request.options, request.options.get("task")
    by_model = {model: [*_logs_of(place)] for model, place in request.models.items()}
    for log in _logs_of(request.alone) if request.alone else ():
        by_model.setdefault(log.header.eval.model, []).append(log)
    remarks: list[str] = []
    found: dict[str, _Log] = {}
    for model, logs in by_model.items():
        kept, own_remarks = _one_a_task(logs, model)
        remarks += own_remarks
        if wanted is not None:
            by_task = {log.header.eval.task: log for log in kept}
            kept = [by_task[_chosen("task", wanted, by_task, f"model {model!r}")]]
        names = {name: None for log in kept for sample in log.samples for name in _values(sample)}
        measure = _chosen("measure", options.get("measure"), names, kept[0].file)
        found[model] = _score(kept, measure, options.get("group"))
    return _evaluated(found, options, "sample", remarks)


def _holds_log(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether a file is an archive that has Inspect's header or journal, or JSON that begins as its logs do."""
    if file.head.startswith(_ZIP):
        try:
            with zipfile.ZipFile(file.path) as archive:
                return bool({"header.json", "_journal/start.json"} & {*archive.namelist()})
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
            return file.head[30:].startswith(b"_journal/start.json")
    start = "\n".join(file.lines[:40])[:2000]
    keys = [rf'"{name}"\s*:' for name in ("status", "eval", "(?:eval_id|run_id|task_id)")]
    return start.lstrip().startswith("{") and all(re.search(key, start) for key in keys)


INSPECT = Format(
    "inspect",
    "a log of Inspect (.eval, or JSON)",
    _holds_log,
    ("measure", "group", "task", "unit", "lower_is_better"),
    _read_inspect,
    folder="*.eval *.json",
    tasks=lambda place: (log.header.eval.task for log in _logs_of(place)),
)
