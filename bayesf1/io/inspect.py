"""Logs of Inspect evaluations: what each sample scored, averaged over its epochs."""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import counted, listing, quoted
from bayesf1.base.text_files import read_number
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, Place, Request
from bayesf1.io.lm_eval import check_alike, chosen, group_at
from bayesf1.io.scores import Item, ItemLog, from_item_scores, spelled

_ZIP = b"PK\x03\x04"
# As Inspect's value_to_float has them.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True)
class _Log:
    """One log file: its header, and its samples without their transcripts."""

    file: InputFile
    model: str
    task: str
    status: str
    reducers: tuple[str, ...]
    samples: Sequence[Any]


@dataclass(frozen=True)
class _Scored(ItemLog):
    """What a model's logs hold of each sample."""

    unscored: set[Item] = field(default_factory=set)
    # Those of which some epochs were scored, and others not.
    partly: set[Item] = field(default_factory=set)


def _read_log(file: InputFile) -> _Log:
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
    except ImportError:
        raise ValueError(f"{file} is a log of Inspect; pip install 'bayesf1[inspect]' to read it") from None
    try:
        if file.head.startswith(_ZIP):
            _check_sums(file)
            header = read_eval_log(file.path, header_only=True, format="eval")
            samples = read_eval_log_sample_summaries(file.path, format="eval")
        else:
            file.check_size(file.size, 8)
            # By its path a log that was read before would come from a cache, even if it is another by now.
            with file.open() as stream:
                header = read_eval_log(stream, format="json")
            samples = [sample.summary() for sample in header.samples or ()]
    # Zip, JSON, validation and event loops each have errors of their own.
    except Exception as error:
        why = (str(error) or type(error).__name__).strip().splitlines()[0]
        raise ValueError(f"{file} is not a complete log of Inspect ({why:.100}); was it cut?") from None
    reducers = tuple(header.eval.config.epochs_reducer or ())
    return _Log(file, header.eval.model, header.eval.task, header.status, reducers, samples)


def _check_sums(file: InputFile) -> None:
    """Raise an error where what is read of an archive was changed: Inspect does not look at its check sums."""
    with zipfile.ZipFile(file.path) as archive:
        for name in {"header.json", "summaries.json"} & {*archive.namelist()}:
            file.check_size(archive.getinfo(name).file_size, 8, f", {name},")
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


def _score(logs: Sequence[_Log], measure: str, group: str | None) -> _Scored:
    """Average what each sample scored over its epochs."""
    read = _Scored()
    for log in logs:
        values: dict[Item, list[float]] = defaultdict(list)
        epochs: Counter[Item] = Counter()
        seen: set[tuple[Item, int]] = set()
        for sample in log.samples:
            item = (log.task, sample.id)
            where = f"{log.file}, {spelled(item, 'sample')}, epoch {sample.epoch},"
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
                read.groups[item] = log.task if group == "task" else group_at(found, group, where)
        most = max(epochs.values(), default=0)
        read.partly.update(item for item, numbers in values.items() if 0 < len(numbers) < most)
        read.unscored.update(item for item, numbers in values.items() if not numbers)
        # Exactly 0 and 1 where all epochs agree, so that such samples stay right or wrong.
        read.scores.update({item: sum(all_) / len(all_) for item, all_ in values.items() if all_})
    return read


def _one_a_task(logs: Sequence[_Log], model: str) -> tuple[list[_Log], list[str]]:
    """Return one log for each task, the one that succeeded where others were tries, and what to say of those."""
    by_task: dict[str, list[_Log]] = defaultdict(list)
    for log in logs:
        by_task[log.task].append(log)
    kept, remarks = [], []
    for task, tries in by_task.items():
        whole = [log for log in tries if log.status == "success"] or tries
        log = whole[0]
        if len(whole) > 1:
            both = f"{log.file} and {whole[1].file} are both of task {task!r} of model {model!r}"
            raise ValueError(f"{both}; name one, or give each its own name")
        kept.append(log)
        for other in tries:
            if other is not log:
                remarks.append(f"{other.file} has status {other.status!r}, and was left out for {log.file}.")
        if log.status != "success":
            remarks.append(f"{log.file} of {model} has status {log.status!r}, and may lack samples.")
        if log.reducers not in ((), ("mean",)):
            remarks.append(f"{log.file} reduces epochs by {listing(log.reducers)}; here they were averaged.")
    return kept, remarks


def _logs_of(place: Place) -> Iterator[_Log]:
    for file in place.files.values():
        # A folder of logs may hold a listing of them, which is JSON, too.
        if place.folder and file.suffix == ".json" and not _holds_log(file, {}):
            continue
        yield _read_log(file)


def _read(request: Request) -> Evaluation:
    request.without_gold("samples of Inspect are scored already")
    options, group, wanted = request.options, request.options.get("group"), request.options.get("task")
    by_model: dict[str, list[_Log]] = {model: [*_logs_of(place)] for model, place in request.models.items()}
    for log in _logs_of(request.alone) if request.alone else ():
        by_model.setdefault(log.model, []).append(log)
    remarks: list[str] = []
    measures: dict[str, None] = {}
    for model, logs in by_model.items():
        kept, own_remarks = _one_a_task(logs, model)
        remarks += own_remarks
        if wanted is not None:
            by_task = {log.task: log for log in kept}
            kept = [by_task[chosen("task", wanted, by_task, f"model {model!r}")]]
        by_model[model] = kept
        names = {name: None for log in kept for sample in log.samples for name in _values(sample)}
        measures[chosen("measure", options.get("measure"), names, kept[0].file)] = None
    measure = chosen("measure", None, measures, "what was given")
    found = {model: _score(logs, measure, group) for model, logs in by_model.items()}
    (name, first), *others = found.items()
    for model, own in others:
        check_alike("input", own.inputs, first.inputs, "sample", (f"{model!r}", f"{name!r}"))
    for model, own in found.items():
        for items, what, then in (
            (own.unscored, "without a score", "left out for all"),
            (own.partly, "in which some epochs have no score", "averaged over the others"),
        ):
            for _, example in sorted(items, key=str)[:1]:
                n = counted(len(items), "sample")
                remarks.append(f"{model} has {n} {what} by {measure}, such as {example!r}: {then}.")
    out = {item for own in found.values() for item in own.unscored}
    scores = {
        model: {item: s for item, s in own.scores.items() if item not in out} for model, own in found.items()
    }
    ev = from_item_scores(scores, first.groups, options, noun="sample", name=measure)
    return replace(ev, remarks=(*ev.remarks, *remarks))


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
    _read,
    folder="*.eval *.json",
    tasks=lambda place: (log.task for log in _logs_of(place)),
)
