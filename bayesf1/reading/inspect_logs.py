"""Logs of Inspect evaluations: what each sample scored, averaged over its epochs."""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import counted, listing, nearest, shown
from bayesf1.base.text_files import read_number
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.format import Format, Place, Request
from bayesf1.reading.item_scores import Item, from_item_scores, spelled

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
class _Scored:
    """What a model's logs hold of each sample."""

    scores: dict[Item, float] = field(default_factory=dict)
    unscored: set[Item] = field(default_factory=set)
    # Those of which some epochs were scored, and others not.
    partly: set[Item] = field(default_factory=set)
    inputs: dict[Item, str] = field(default_factory=dict)
    groups: dict[Item, str] = field(default_factory=dict)


def _read_log(file: InputFile) -> _Log:
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
    except ImportError:
        raise ValueError(
            f"{file} is a log of Inspect, which reads it and is not installed; pip install 'bayesf1[inspect]'"
        ) from None
    try:
        if file.head.startswith(_ZIP):
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
        raise ValueError(f"{file} is no whole log of Inspect ({why:.100}); was it cut?") from None
    return _Log(
        file,
        header.eval.model,
        header.eval.task,
        header.status,
        tuple(header.eval.config.epochs_reducer or ()),
        samples,
    )


def _check_sums(file: InputFile) -> None:
    """Raise an error where what is read of an archive was changed: Inspect does not look at its check sums."""
    with zipfile.ZipFile(file.path) as archive:
        for name in {"header.json", "summaries.json"} & {*archive.namelist()}:
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
        raise ValueError(
            f"{where} is scored {shown(value)}, which is neither a number nor one of Inspect's C, P, I and N"
        )
    return float(number)


def _choose_measure(logs: Sequence[_Log], asked: Any) -> str:
    found = {name: None for log in logs for sample in log.samples for name in _values(sample)}
    if not found:
        raise ValueError(f"{logs[0].file} has no scored sample; was the evaluation run to its end?")
    if asked is None and len(found) > 1:
        raise WordedError(
            f"{logs[0].file} has several scorers ({listing(found)}); choose one by ", Argument("measure")
        )
    if asked is not None and asked not in found:
        raise WordedError(
            f"{logs[0].file} has no ", Argument("measure"), f" {asked!r}; {nearest(str(asked), found)}"
        )
    return next(iter(found)) if asked is None else str(asked)


def _group_of(sample: Any, log: _Log, path: str, where: str) -> str:
    if path == "task":
        return log.task
    value: Any = {"metadata": sample.metadata}
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        known = [f"metadata.{key}" for key, value in sample.metadata.items() if isinstance(value, str | int)]
        raise WordedError(
            f"{where} has no name or number at {path!r}, which ",
            Argument("group"),
            f" asks for; {nearest(path, ['task', *known])}",
        )
    return str(value)


def _score(logs: Sequence[_Log], measure: str, group: str | None) -> _Scored:
    """Average what each sample scored over its epochs."""
    scored = _Scored()
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
                scored.inputs[item] = sample.input
            if group is not None:
                scored.groups[item] = _group_of(sample, log, group, where)
        most = max(epochs.values(), default=0)
        scored.partly.update(item for item, numbers in values.items() if 0 < len(numbers) < most)
        scored.unscored.update(item for item, numbers in values.items() if not numbers)
        # Exactly 0 and 1 where all epochs agree, so that such samples stay right or wrong.
        scored.scores.update({item: sum(all_) / len(all_) for item, all_ in values.items() if all_})
    return scored


def _one_a_task(logs: Sequence[_Log], model: str) -> tuple[list[_Log], list[str]]:
    """Return one log for each task, the one that succeeded where others were tries, and what to say of those."""
    by_task: dict[str, list[_Log]] = defaultdict(list)
    for log in logs:
        by_task[log.task].append(log)
    kept, said = [], []
    for task, tries in by_task.items():
        whole = [log for log in tries if log.status == "success"] if len(tries) > 1 else tries
        if len(whole) != 1:
            a, b = (whole or tries)[:2]
            raise ValueError(
                f"{a.file} and {b.file} are both of task {task!r} of model {model!r}; name one, or give each its own "
                "name"
            )
        kept.append(whole[0])
        said += [
            f"{log.file} of {model} has status {log.status!r}, and was left out for {whole[0].file}."
            for log in tries
            if log is not whole[0]
        ]
        if whole[0].status != "success":
            said.append(f"{whole[0].file} of {model} has status {whole[0].status!r}, and may lack samples.")
        if whole[0].reducers not in ((), ("mean",)):
            said.append(
                f"{whole[0].file} reduces epochs by {listing(whole[0].reducers)}; here they were averaged."
            )
    return kept, said


def _logs_of(place: Place) -> Iterator[_Log]:
    for file in place.files.values():
        # A folder of logs may hold a listing of them, which is JSON, too.
        if place.folder and file.suffix == ".json" and not _holds_log(file, {}):
            continue
        yield _read_log(file)


def _check_inputs(found: Mapping[str, _Scored]) -> None:
    (first, known), *others = found.items()
    for model, own in others:
        for item, text in own.inputs.items():
            if known.inputs.get(item, text) != text:
                raise ValueError(
                    f"{spelled(item, 'sample')} has the input {shown(text)} for model {model!r}, but "
                    f"{shown(known.inputs[item])} for {first!r}; all models must have been given the same samples"
                )


def _read(request: Request) -> Evaluation:
    request.without_gold("samples of Inspect are scored already")
    options = request.options
    by_model: dict[str, list[_Log]] = {model: [*_logs_of(place)] for model, place in request.models.items()}
    for log in _logs_of(request.alone) if request.alone else ():
        by_model.setdefault(log.model, []).append(log)
    remarks: list[str] = []
    for model, logs in by_model.items():
        by_model[model], said = _one_a_task(logs, model)
        remarks += said
    group, wanted = options.get("group"), options.get("task")
    for model, logs in by_model.items() if wanted is not None else ():
        by_model[model] = [log for log in logs if wanted == log.task]
        if not by_model[model]:
            tasks = [log.task for log in logs]
            raise ValueError(f"model {model!r} has no task {wanted!r}; {nearest(str(wanted), tasks)}")
    chosen = {model: _choose_measure(logs, options.get("measure")) for model, logs in by_model.items()}
    measure = next(iter(chosen.values()))
    if len({*chosen.values()}) > 1:
        raise WordedError(
            f"models have different scorers ({listing(dict.fromkeys(chosen.values()))}); choose one that all have by ",
            Argument("measure"),
        )
    found = {model: _score(logs, measure, group) for model, logs in by_model.items()}
    _check_inputs(found)
    remarks += [
        f"{model} has {counted(len(own.unscored), 'sample')} without a score by {measure}, such as {first!r}: "
        "left out for all."
        for model, own in found.items()
        for _, first in sorted(own.unscored, key=str)[:1]
    ]
    remarks += [
        f"{model} has {counted(len(own.partly), 'sample')} in which some epochs have no score by {measure}, "
        f"such as {first!r}: averaged over the others."
        for model, own in found.items()
        for _, first in sorted(own.partly, key=str)[:1]
    ]
    out = {item for own in found.values() for item in own.unscored}
    ev = from_item_scores(
        {
            model: {item: s for item, s in own.scores.items() if item not in out}
            for model, own in found.items()
        },
        {model: f"the log of {model!r}" for model in found},
        noun="sample",
        name=measure,
        groups=None if group is None else next(iter(found.values())).groups,
        unit=options.get("unit") or (group and group.rpartition(".")[2]),
        lower_is_better=options.get("lower_is_better", False),
    )
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
