"""Reading whatever is on disk: files are recognised by their content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypedDict, Unpack

from bayesf1.base.checks import OneLabel, check_whole
from bayesf1.base.input_files import MAX_BYTES, InputFile, input_files
from bayesf1.base.naming import joined, listing, nearest, number_of, quoted
from bayesf1.base.text_files import StrPath
from bayesf1.designs import BlockedCV, Discount, KFoldCV
from bayesf1.evaluation import Evaluation, model_names
from bayesf1.io.brat import BRAT
from bayesf1.io.conll import CONLLU, TAGS
from bayesf1.io.counts import CONLLEVAL, COUNTS
from bayesf1.io.formats import Format, InputSource, ReadRequest, find_place
from bayesf1.io.logs import INSPECT, LM_EVAL
from bayesf1.io.saved import EVALUATION
from bayesf1.io.scored import SEGMENTS, TREC
from bayesf1.io.table_files import TABLE
from bayesf1.runs import SeparateRuns, dotted_runs, flatten
from bayesf1.tasks.binary import BINARY_CELLS, Binary

# The more telling first: a new format is a file of its own and a word here.
_UNMISTAKABLE = (EVALUATION, INSPECT, LM_EVAL, SEGMENTS, TREC, BRAT, CONLLU, CONLLEVAL)
INPUT_FORMATS: tuple[Format, ...] = (*_UNMISTAKABLE, COUNTS, TAGS, TABLE)

# The cells of items with positive gold, and the remark if there are none, as in a file whose tags are lost.
_OF_GOLD = [BINARY_CELLS.index("tp"), BINARY_CELLS.index("fn")]
_NO_GOLD = "No gold label is positive, so recall is undefined and every positive prediction is wrong; is this the right gold?"

# Models that are called as runs of one method are.
_RUN = re.compile(r".+\.(seed|run|fold)?[-_ ]?\d+", re.IGNORECASE)
# Between two names, but not inside of brackets.
_COMMA = r",(?![^(]*\))"

_SEPARATE_RUNS = "were read as separate models; if they are runs of one method, say so with runs=True."
# A model's file, or those of the runs of a method.
Files: TypeAlias = StrPath | Sequence[StrPath] | Mapping[str, StrPath]


class ReadOptions(TypedDict, total=False):
    """Options for reading files; each format lists those that apply to it."""

    gold: str
    prediction: str
    columns: Sequence[str] | Mapping[str, str]
    model_column: str
    run_column: str
    id: str
    model: str
    item: str
    generation: str
    prompt: str
    run: str
    fold: str
    repeat: str
    corpus: str
    group: str
    positive: OneLabel
    judge: str | Sequence[str] | Mapping[str, str]
    correct: str | Sequence[str] | Mapping[str, str]
    scores: str
    lower_is_better: bool
    unit: str
    measure: str
    filter: str
    qrels: StrPath
    task: str
    cv: BlockedCV | KFoldCV | str
    discount: Discount
    scheme: str
    mode: str
    types: Sequence[str]
    by_type: bool
    gold_column: int
    predicted_column: int
    field: str


def read(
    source: Files | Mapping[str, Files],
    *,
    gold_file: StrPath | None = None,
    input_format: str | None = None,
    runs: bool = False,
    max_bytes: int = MAX_BYTES,
    **options: Unpack[ReadOptions],
) -> Evaluation:
    r"""Read what models did from files, whose format is recognised by their content.

    Tables (CSV, TSV, JSON, JSON lines, Parquet, Arrow) of counts, predictions, right or wrong answers, or scores; logs of
    lm-evaluation-harness and Inspect; TREC runs; translations and transcripts, one segment a line; tags in columns, CoNLL-U,
    brat's stand-off annotation; saved evaluations, or a folder of those of shards. Files may be compressed by gzip. An
    option that does not apply to a format is refused.

    Parameters
    ----------
    source
        A file that holds all models; or a mapping of a model's name to its file, to a folder where a tool writes
        several, or to the files of its runs. ``"-"`` is standard input.
    gold_file
        The file of gold tags, labels or annotations, if it is a separate file.
    input_format
        The name of the format, instead of recognising it.
    runs
        Whether models called ``bert.1`` and ``bert.2`` are runs of one method.
    max_bytes
        The most bytes to which a file may unpack, 4 GB by default. A text that is held in memory, such as a column file, may
        have at most a 16th of it, and a line a 64th.
    gold, prediction, columns
        For tables: the column of gold labels; the column of predictions if each model has a file, or each row a model;
        otherwise the models' columns, by default all that can be.
    model_column, run_column, id
        For tables with a row for each model and item: the columns that name the model (``"model"``) and the run; and the
        column that identifies items, by which rows and files are matched.
    model, item, generation, prompt, run, fold, repeat, corpus
        For tables with a row for each model and unit: the columns that name the model, the item and so on; by default, those
        with the usual names if rows need them. A score with folds, runs or data sets, but without items, is a final one.
    group
        The column of documents, speakers or the like, which are then the units; for harness logs a field of the
        document, or ``"task"``.
    positive
        The label that counts as positive.
    judge
        The column of a judge's labels of every item, as in `from_labels`; gold labels may then be missing.
    correct, scores
        Instead of gold: the columns that show whether an answer is right; the name of the scores, which is their column if
        each model has a file or each row a model.
    lower_is_better, unit
        Whether lower scores are better, and what a row is called, as in `from_scores`; for tags, ``"sentence"`` or
        ``"document"``.
    measure, filter
        For harness logs, TREC runs and texts: the measure, such as ``"acc"``, ``"nDCG@10"`` or ``"bleu"`` (``"chrf"``,
        ``"ter"``, ``"wer"``, ``"cer"``); and the filter of answers.
    qrels
        The file of relevance judgements.
    task, cv, discount
        For counts: the task, if a file holds several; the design of the cross-validation, by default with as many repeats
        and folds as there are; and the discount for correlated folds, see `BlockedCV.discount`.
    scheme, mode, types, by_type
        For tags: see `from_tags`.
    gold_column, predicted_column
        For tags: the number of the column, from 1, or -1 for the last.
    field
        For CoNLL-U: ``"UPOS"``, ``"XPOS"``, ``"DEPREL"`` or ``"FEATS"``, all of a word's features together.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     a, b = Path(folder, "crf.jsonl"), Path(folder, "bert.csv")
    ...     _ = a.write_text('{"doc": 1, "label": "yes", "said": "no"}\n{"doc": 2, "label": "no", "said": "yes"}\n')
    ...     _ = b.write_text("doc,said,label\n2,no,no\n1,yes,yes\n")
    ...     read({"crf": a, "bert": b}, id="doc", gold="label", prediction="said").tables
    array([[0., 1., 1., 0.], [1., 0., 0., 1.]])
    """
    given = {name: value for name, value in options.items() if value is not None}
    for name in given.keys() - ReadOptions.__annotations__.keys():
        known = nearest("columns" if name == "models" else name, ReadOptions.__annotations__)
        raise ValueError(f"unknown option {name!r}; {known}")
    if len(re.split(_COMMA, str(given.get("measure", "")))) > 1:
        raise ValueError(
            f"one measure= is read at a time, not {quoted(given['measure'])}; read each one separately (the command "
            "compare takes several)"
        )
    with input_files(check_whole(max_bytes, "max_bytes", 1, 18)) as take:
        sources = _sources(source, gold_file)
        alone = None
        if sources.alone is not None:
            alone = find_place(sources.alone, take)
        models = {name: find_place(path, take) for name, path in sources.models.items()}
        request = ReadRequest(alone, models, given)
        chosen = _chosen(request, input_format)
        chosen.check_options(given)
        ev = chosen.read(request.matching(chosen.folder))
    if isinstance(ev.task, Binary) and not ev.tables[..., _OF_GOLD].any():
        ev = replace(ev, remarks=(*ev.remarks, _NO_GOLD))
    if sources.methods:
        return ev.with_runs(sources.methods)
    if runs:
        return ev.with_runs(dotted_runs(ev.models))
    endings = {model: model.rpartition(".")[2] for model in ev.models if _RUN.fullmatch(model)}
    if len(set(endings.values())) < len(endings):
        remark = SeparateRuns(f"{joined([*endings][:2])} {_SEPARATE_RUNS}")
        return replace(ev, remarks=(*ev.remarks, remark))
    return ev


def from_conll(
    gold: StrPath | None,
    models: Mapping[str, Files],
    *,
    scheme: str = "IOB2",
    mode: str = "lenient",
    types: Iterable[str] | None = None,
    unit: str = "sentence",
    by_type: bool = False,
) -> Evaluation:
    r"""Build an Evaluation from column files: one token a line, its tag in the last column.

    Parameters
    ----------
    gold
        The file with the gold tags, or None if every model's file has gold and predicted tags in its last two columns, as
        for conlleval.
    models
        Mapping of model name to its file, or to those of its runs.
    scheme, mode, types, by_type
        As in `from_tags`.
    unit
        ``"sentence"``, or ``"document"`` for files with ``-DOCSTART-`` lines.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "crf.conll")
    ...     size = path.write_text("In O O\nNew B-LOC B-LOC\nYork I-LOC O\n", encoding="utf-8")
    ...     ev = from_conll(None, {"crf": path})
    >>> ev.tables
    array([[0., 1., 1.]])
    """
    how: dict[str, Any] = {"scheme": scheme, "mode": mode, "types": types, "unit": unit, "by_type": by_type}
    return read(models, gold_file=gold, input_format="tags", **how)


def tasks_of(path: StrPath) -> list[str]:
    """Return the names of the tasks in a file of counts or a folder of logs; () for anything else."""
    if str(path) == "-" or Path(path).is_fifo():
        return []
    # An error is raised when the file is read.
    with suppress(OSError, ValueError), input_files() as take:
        place = find_place(path, take)
        chosen = _chosen(ReadRequest(place, {}, {}), None)
        return list(dict.fromkeys(chosen.tasks(place.matching(chosen.folder))))
    return []


class _Sources(NamedTuple):
    """The file without a model's name, the models' files, and the names of the models that are runs of each method."""

    alone: StrPath | None
    models: Mapping[str, StrPath]
    methods: Mapping[str, list[str]]


def _sources(source: Any, gold_file: StrPath | None) -> _Sources:
    """Return the files that are named, or raise a ValueError if they are not files."""
    if isinstance(source, str | PathLike):
        if gold_file is not None:
            raise ValueError(
                f"gold_file {quoted(gold_file)} needs the models' files by their names, as {{'bert': {str(source)!r}}}"
            )
        return _Sources(source, {}, {})
    if not isinstance(source, Mapping):
        raise ValueError(
            f"give a file to read, or a mapping of models to their files, as {{'bert': 'bert.jsonl'}}, not "
            f"{type(source).__name__}; for what is in memory, use from_frame, from_labels and the like"
        )
    nested: dict[str, Any] = {}
    for name in model_names(source):
        value = source[name]
        if isinstance(value, list | tuple):
            files = [*map(str, value)]
            if twice := [file for file in files if files.count(file) > 1]:
                raise ValueError(f"{name!r} is given {twice[0]} twice; give each run's file once")
            value = value[0] if len(value) == 1 else {str(i): file for i, file in enumerate(value, 1)}
        nested[name] = value
    flat, methods = flatten(nested)
    for name, value in flat.items():
        if not isinstance(value, str | PathLike):
            raise ValueError(f"model {name!r} has {quoted(value)} instead of the name of a file")
    return _Sources(gold_file, flat, methods)


def _chosen(request: ReadRequest, input_format: str | None) -> Format:
    """Return the format of all files, or raise a ValueError that says what they look like."""
    if input_format is not None:
        known = {fmt.name: fmt for fmt in INPUT_FORMATS}
        if input_format not in known:
            raise ValueError(f"unknown input_format= {input_format!r}; {nearest(str(input_format), known)}")
        return known[input_format]
    recognised = [_recognised(place, request) for place in request.places]
    chosen = next((fmt for fmt in recognised if fmt is not None), None)
    if chosen is None:
        raise _unknown(request.places[0])
    first = request.places[recognised.index(chosen)]
    for place, fmt in zip(request.places, recognised, strict=True):
        if fmt is None:
            # A file with a fault in its first lines is read like the other files, so that the error names the line.
            file = _first_file(place, chosen)
            if file is None or not file.lines:
                raise _unknown(place)
        elif fmt is not chosen:
            raise ValueError(f"{first} looks like {chosen.about}, but {place} like {fmt.about}")
    return chosen


def _first_file(place: InputSource, fmt: Format) -> InputFile | None:
    """Return the first of the files that may be of a format, by which the format is recognised; None if none may be."""
    own = place.matching(fmt.folder)
    if not own.paths or (place.folder and not fmt.folder):
        return None
    return own.first


def _recognised(place: InputSource, request: ReadRequest) -> Format | None:
    # If options fit no format, the format that the files have should refuse them.
    for options in (request.options, {}):
        for fmt in INPUT_FORMATS:
            file = _first_file(place, fmt)
            if file is not None and fmt.recognises(file, options):
                return fmt
    return None


def _unknown(place: InputSource) -> ValueError:
    known = listing(fmt.name for fmt in INPUT_FORMATS)
    if not place.folder:
        file = place.file
        if not file.head:
            return ValueError(f"{place} is empty")
        first = next((line for line in file.lines if line.strip()), "")
        begins = f"{first[:60]!r}" if first else f"the bytes {file.head[:8].hex(' ')}, which are not UTF-8"
        return ValueError(
            f"{place} begins with {begins}, which is not a known format ({known}); in Python input_format= names one. A "
            "table is CSV in UTF-8 with two columns or more, between commas, semicolons or tabs, or Parquet; translations "
            "need measure=, as bleu"
        )
    if place.matching("results_*.json").paths:
        return ValueError(f"{place} holds averages of lm-evaluation-harness; run it with --log_samples")
    held = f"{number_of(len(place.paths), 'file')}, as {listing(place.paths, most=3)}"
    return ValueError(
        f"{place} holds {held}, of no format that comes in folders "
        f"({listing(fmt.name for fmt in INPUT_FORMATS if fmt.folder)}); name single files, one for each model or table"
    )
