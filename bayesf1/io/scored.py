"""What other packages score: TREC runs by ir_measures, translations and transcripts by sacrebleu and jiwer."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, TypeAlias

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import counted, listing, nearest, quoted
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, ReadRequest
from bayesf1.io.saved import corpus_measures
from bayesf1.io.scores import from_scores, from_statistics
from bayesf1.io.tables import is_arrow, is_json

# Query -> document -> score, or grade.
Ranked = dict[str, dict[str, Any]]

_COMMON = ("nDCG@10", "AP", "RR", "P@10", "R@1000", "Success@1", "Rprec", "Bpref")


# What a line holds: its width, the place of its number, how that is read, and how large it may be.
_Layout: TypeAlias = tuple[str, int, int, Callable[[str], float], float]
_RUN: _Layout = ("query, Q0, document, rank, score and name of the run", 6, 4, float, 1e300)
_QRELS: _Layout = ("query, 0, document and grade", 4, 3, int, 1e9)


def _columns(file: InputFile, layout: _Layout) -> Ranked:
    """Read the scores of a run, or the grades of judgements, by query and document."""
    by_query: Ranked = {}
    words, width, place, convert, most = layout
    for number, line in enumerate(file.text().split("\n"), 1):
        row, where = line.split(), f"{file}, line {number},"
        if not row:
            continue
        if len(row) != width:
            known = {4: "; give judgements with qrels=", 6: "; that is a run, not judgements"}
            other = known.get(len(row), "") if number == 1 else ""
            raise ValueError(f"{where} has {len(row)} columns, but should have {width}: {words}{other}")
        # To trec_eval a name ends at a zero byte, and two names that are then alike end the whole program.
        if "\0" in line:
            raise ValueError(f"{where} has a zero byte; remove it")
        query, document, found = row[0], row[2], row[place]
        try:
            value = convert(found)
        except ValueError:
            value = float("nan")
        if not abs(value) <= most:
            raise ValueError(f"{where} has {quoted(found)} instead of a number; a line has {words}")
        documents = by_query.setdefault(query, {})
        if document in documents:
            raise ValueError(f"{where} has document {document!r} of query {query!r} again; keep one of them")
        documents[document] = value
    if not by_query:
        raise ValueError(f"{file} is empty, but should have lines of {words}")
    return by_query


# ---- runs ---------------------------------------------------------------------------------------------


def _scorer(measure: str, judged: Ranked) -> Any:
    """Return what scores a run by a measure as ir_measures names it."""
    try:
        import ir_measures
    except ImportError:
        raise ValueError("TREC runs are scored by ir_measures; pip install 'bayesf1[trec]'") from None
    try:
        with warnings.catch_warnings():
            # Its parser of names uses what newer Pythons call outdated.
            warnings.simplefilter("ignore", DeprecationWarning)
            return ir_measures.evaluator([ir_measures.parse_measure(measure)], judged)
    except (NameError, ValueError, TypeError, AssertionError, KeyError):
        raise ValueError(
            f"measure={measure!r} is not one of ir_measures, or needs a cutoff; {nearest(measure, _COMMON)}"
        ) from None


def _score(run: Ranked, scorer: Any, file: InputFile) -> dict[str, float]:
    """Return what each query of a run scored."""
    try:
        return {metric.query_id: float(metric.value) for metric in scorer.iter_calc(run)}
    # Some measures are computed by other programs, each of which fails in a way of its own.
    except Exception as error:
        raise ValueError(f"{file} cannot be scored by this measure= of ir_measures: {error!s:.200}") from None


def _remarks(model: str, run: Ranked, judged: Ranked, file: InputFile) -> list[str]:
    missing = [query for query in judged if query not in run]
    strange = [query for query in run if query not in judged]
    if len(strange) == len(run):
        raise ValueError(f"{file} has {strange[0]!r}, but no judged query such as {next(iter(judged))!r}")
    remarks = []
    if missing:
        remarks.append(
            f"{model} has no document for {len(missing)} of {len(judged)} judged queries, such as "
            f"{listing(missing, most=3)}, and scores 0 there."
        )
    if strange:
        them = f"{counted(len(strange), 'query')} without judgements, such as {listing(strange, most=3)}"
        remarks.append(f"{model} has {them}, left out here.")
    return remarks


def _read(request: ReadRequest) -> Evaluation:
    """Score runs; a judged query that a run has no document for scores 0, as by ``trec_eval -c``."""
    options, measure = request.options, request.options.get("measure")
    if request.alone is not None and len(request.first.lines[0].split()) == _QRELS[1]:
        raise ValueError(f"{request.alone} holds relevance judgements; give it with qrels=, beside the runs")
    runs = request.named_models("a run")
    request.without_gold("judgements come with qrels=")
    if "qrels" not in options or not measure:
        raise ValueError(f"TREC runs need qrels= and measure=, such as {listing(_COMMON[:4])}")
    judged = _columns(next(iter(runs.values())).opened(options["qrels"]), _QRELS)
    scorer = _scorer(measure, judged)
    scores: dict[str, list[float]] = {}
    remarks: list[str] = []
    for model, place in runs.items():
        run = _columns(place.file, _RUN)
        remarks += _remarks(model, run, judged, place.file)
        found = _score({query: run[query] for query in judged if query in run}, scorer, place.file)
        scores[model] = [found[query] for query in judged]
    return replace(from_scores(scores, name=measure, unit="query"), remarks=tuple(remarks))


def _is_trec(row: list[str]) -> bool:
    """Whether fields are those of a run, or of judgements."""
    try:
        if len(row) == _RUN[1]:
            return abs(int(row[3])) <= 1e9 and abs(float(row[4])) <= _RUN[-1]
        return len(row) == _QRELS[1] and row[1].lower() in ("0", "q0", "1") and abs(int(row[3])) <= 1e9
    except ValueError:
        return False


def _holds_run(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether lines are of a run, or of judgements, which the reader then says."""
    rows = [row for line in file.lines[:1000] if (row := line.split())]
    # Nearly all lines have the same in their second column, and a run one name; a table of six columns has not.
    alike = [Counter(row[i] for row in rows if len(row) > i).most_common(1) for i in (1, 5)]
    same = all(not found or found[0][1] > 0.9 * len(rows) for found in alike)
    return bool(rows) and same and sum(map(_is_trec, rows)) > 0.9 * len(rows)


TREC = Format(
    "trec", "a TREC run (query Q0 document rank score name)", _holds_run, ("qrels", "measure"), _read
)


# ---- translations and transcripts, one segment a line ----------------------------------------------------

# By the name of a metric its function in `bayesf1.measures`.
_METRICS = {"bleu": "corpus_bleu", "chrf": "chrf", "ter": "ter", "wer": "wer", "cer": "wer"}


def _segments(file: InputFile) -> list[str]:
    return file.text().removesuffix("\n").split("\n")


def _statistics(name: str, predicted: Sequence[str], gold: Sequence[str]) -> Any:
    """Return the counts of each segment, as the metric's own package has them."""
    try:
        if name in ("wer", "cer"):
            import jiwer

            count = jiwer.process_words if name == "wer" else jiwer.process_characters
            found = [count(right, own) for right, own in zip(gold, predicted, strict=True)]
            return [(own.hits, own.substitutions, own.deletions, own.insertions) for own in found]
        from sacrebleu import metrics

        return getattr(metrics, name.upper())()._extract_corpus_statistics(predicted, [gold])
    except ImportError as error:
        raise ValueError(f"{name} needs {error.name}; pip install 'bayesf1[translation]'") from None


def _read_segments(request: ReadRequest) -> Evaluation:
    models, name = request.named_models("a text"), str(request.options.get("measure", "")).lower()
    if name not in _METRICS:
        raise ValueError(f"texts are scored by one measure=, not {name!r}; {nearest(name, _METRICS)}")
    if request.alone is None:
        raise ValueError(f"{request.places[0]} is a model's file; also give the references with gold_file=")
    gold = _segments(request.alone.file)
    if empty := [i for i, segment in enumerate(gold, 1) if not segment.strip()]:
        raise ValueError(f"{request.alone}, line {empty[0]}, is empty; drop that line in all files")
    sums = {}
    for model, place in models.items():
        predicted = _segments(place.file)
        if len(predicted) != len(gold):
            raise ValueError(
                f"{place} has {len(predicted):,} lines, but {request.alone} has {len(gold):,}; each line is the same segment "
                "in both"
            )
        sums[model] = _statistics(name, predicted, gold)
    unit, label = request.options.get("unit", "segment"), "CER" if name == "cer" else ""
    return from_statistics(sums, corpus_measures()[_METRICS[name]], name=label, unit=unit)


def _holds_segments(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether a text is to be scored as translations and transcripts are: of any lines, so that only the metric tells."""
    # A slip is one, too, which the reader then says.
    meant = get_close_matches(str(options.get("measure", "")).lower(), _METRICS)
    return bool(meant and file.lines) and not (is_json(file) or is_arrow(file))


SEGMENTS = Format(
    "segments",
    f"a text with one segment per line, of a translation or transcript (measure= {listing(_METRICS)})",
    _holds_segments,
    ("measure", "unit"),
    _read_segments,
    gold_file=True,
)
