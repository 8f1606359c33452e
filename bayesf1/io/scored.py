"""Formats that other packages score: TREC runs by ir_measures, translations and transcripts by sacrebleu and jiwer."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeAlias

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, nearest, number_of, quoted
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, ReadRequest, gold_and_models
from bayesf1.io.saved import corpus_measures
from bayesf1.io.scores import from_scores, from_statistics
from bayesf1.io.tables import is_arrow, is_json

# Query -> document -> score, or grade.
Ranked: TypeAlias = dict[str, dict[str, Any]]

_COMMON = ("nDCG@10", "AP", "RR", "P@10", "R@1000", "Success@1", "Rprec", "Bpref")


class _Layout(NamedTuple):
    """The fields of a line; the first is a query and the third a document."""

    described: str
    n_fields: int
    # The index of the field with the number, the function that reads it, and the largest number allowed.
    number_field: int
    convert: Callable[[str], float]
    most: float

    def number(self, fields: Sequence[str]) -> float | None:
        """Return the score or grade, None if the field holds something else."""
        try:
            value = self.convert(fields[self.number_field])
        except ValueError:
            return None
        return value if abs(value) <= self.most else None


_RUN = _Layout(
    "query, Q0, document, rank, score and name of the run", 6, number_field=4, convert=float, most=1e300
)
_QRELS = _Layout("query, 0, document and grade", 4, number_field=3, convert=int, most=1e9)
# Remedies for a file whose lines have the number of fields of the other kind.
_IF_OTHER = {4: "; give judgements with qrels=", 6: "; that is a run, not judgements"}


def _by_query(file: InputFile, layout: _Layout) -> Ranked:
    """Read the scores of a run, or the grades of judgements, by query and document."""
    by_query: Ranked = {}
    for number, line in enumerate(file.text().split("\n"), 1):
        fields = line.split()
        if not fields:
            continue
        where = f"{file}, line {number},"
        if len(fields) != layout.n_fields:
            hint = "" if by_query else _IF_OTHER.get(len(fields), "")
            raise ValueError(
                f"{where} has {len(fields)} columns, but should have {layout.n_fields}: {layout.described}{hint}"
            )
        # For trec_eval a name ends at a zero byte, and two names that become equal crash the whole program.
        if "\0" in line:
            raise ValueError(f"{where} has a zero byte; remove it")
        query = fields[0]
        document = fields[2]
        value = layout.number(fields)
        if value is None:
            given = quoted(fields[layout.number_field])
            raise ValueError(f"{where} has {given} instead of a number; a line has {layout.described}")
        documents = by_query.setdefault(query, {})
        if document in documents:
            raise ValueError(f"{where} has document {document!r} of query {query!r} again; keep one of them")
        documents[document] = value
    if not by_query:
        raise ValueError(f"{file} is empty, but should have lines of {layout.described}")
    return by_query


# ---- runs ---------------------------------------------------------------------------------------------


def _scorer(measure: str, judged: Ranked) -> Any:
    """Return the scorer of runs by a measure, which is named as in ir_measures."""
    try:
        import ir_measures
    except ImportError:
        raise ValueError("TREC runs are scored by ir_measures; pip install 'bayesf1[trec]'") from None
    try:
        with warnings.catch_warnings():
            # Its parser of names uses functions that are deprecated in newer versions of Python.
            warnings.simplefilter("ignore", DeprecationWarning)
            return ir_measures.evaluator([ir_measures.parse_measure(measure)], judged)
    except (NameError, ValueError, TypeError, AssertionError, KeyError):
        raise ValueError(
            f"measure={measure!r} is not one of ir_measures, or needs a cutoff; {nearest(measure, _COMMON)}"
        ) from None


def _scores(run: Ranked, scorer: Any, file: InputFile) -> dict[str, float]:
    """Return the score of each query of a run."""
    try:
        return {metric.query_id: float(metric.value) for metric in scorer.iter_calc(run)}
    # Some measures are computed by other programs, which raise errors of many types.
    except Exception as error:
        raise ValueError(f"{file} cannot be scored by this measure= of ir_measures: {error!s:.200}") from None


def _remarks(model: str, run: Ranked, judged: Ranked, file: InputFile) -> list[str]:
    """Return notes on queries that a run lacks, and on those without judgements; a run needs at least one judged query."""
    missing = [query for query in judged if query not in run]
    unjudged = [query for query in run if query not in judged]
    if len(unjudged) == len(run):
        raise ValueError(f"{file} has {unjudged[0]!r}, but no judged query such as {next(iter(judged))!r}")
    remarks = []
    if missing:
        examples = listing(missing, most=3)
        remarks.append(
            f"{model} has no document for {len(missing)} of {len(judged)} judged queries, such as {examples}, and scores 0 "
            "there."
        )
    if unjudged:
        n_queries = number_of(len(unjudged), "query")
        examples = listing(unjudged, most=3)
        remarks.append(f"{model} has {n_queries} without judgements, such as {examples}, left out here.")
    return remarks


def _read_runs(request: ReadRequest) -> Evaluation:
    """Score runs; a judged query that a run has no document for scores 0, as by ``trec_eval -c``."""
    if request.alone is not None and len(request.first.lines[0].split()) == _QRELS.n_fields:
        raise ValueError(f"{request.alone} holds relevance judgements; give it with qrels=, beside the runs")
    runs = request.named_models("a run")
    request.without_gold("judgements come with qrels=")
    measure = request.options.get("measure")
    if "qrels" not in request.options or not measure:
        raise ValueError(f"TREC runs need qrels= and measure=, such as {listing(_COMMON[:4])}")
    first_run = next(iter(runs.values()))
    judged = _by_query(first_run.opened(request.options["qrels"]), _QRELS)
    scorer = _scorer(measure, judged)
    scores: dict[str, list[float]] = {}
    remarks: list[str] = []
    for model, place in runs.items():
        run = _by_query(place.file, _RUN)
        remarks += _remarks(model, run, judged, place.file)
        judged_part = {query: run[query] for query in judged if query in run}
        by_query = _scores(judged_part, scorer, place.file)
        scores[model] = [by_query[query] for query in judged]
    return replace(from_scores(scores, name=measure, unit="query"), remarks=tuple(remarks))


def _is_trec(fields: Sequence[str]) -> bool:
    """Return whether fields are those of a run, or of judgements."""
    if len(fields) == _RUN.n_fields:
        return fields[3].lstrip("+-").isdecimal() and _RUN.number(fields) is not None
    is_judgement = len(fields) == _QRELS.n_fields and fields[1].lower() in ("0", "q0", "1")
    return is_judgement and _QRELS.number(fields) is not None


def _holds_runs(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether lines are of a run, or of judgements, which the reader then says."""
    rows = [fields for line in file.lines[:1000] if (fields := line.split())]
    most = 0.9 * len(rows)
    for column in (1, 5):
        # Nearly all lines have the same in their second column, and a run one name; a table of six columns has not.
        values = Counter(fields[column] for fields in rows if len(fields) > column)
        if values and max(values.values()) <= most:
            return False
    return len(rows) > 0 and sum(map(_is_trec, rows)) > most


TREC = Format(
    "trec", "a TREC run (query Q0 document rank score name)", _holds_runs, ("qrels", "measure"), _read_runs
)


# ---- translations and transcripts, one segment a line ----------------------------------------------------

# The function in `bayesf1.measures` by the name of a metric.
_METRICS = {"bleu": "corpus_bleu", "chrf": "chrf", "ter": "ter", "wer": "wer", "cer": "wer"}


def _segments(file: InputFile) -> list[str]:
    return file.text().removesuffix("\n").split("\n")


def _statistics(metric: str, predicted: Sequence[str], gold: Sequence[str]) -> Any:
    """Return the counts of each segment, as the metric's own package has them."""
    try:
        if metric in ("wer", "cer"):
            import jiwer

            count = jiwer.process_words if metric == "wer" else jiwer.process_characters
            alignments = [count(right, own) for right, own in zip(gold, predicted, strict=True)]
            return [(a.hits, a.substitutions, a.deletions, a.insertions) for a in alignments]
        from sacrebleu import metrics

        return getattr(metrics, metric.upper())()._extract_corpus_statistics(predicted, [gold])
    except ImportError as error:
        raise ValueError(f"{metric} needs {error.name}; pip install 'bayesf1[translation]'") from None


def _read_segments(request: ReadRequest) -> Evaluation:
    """Score each model's segments against those of the references."""
    (gold_file,), models = gold_and_models(request, "a text")
    metric = str(request.options.get("measure", "")).lower()
    if metric not in _METRICS:
        raise ValueError(f"texts are scored by one measure=, not {metric!r}; {nearest(metric, _METRICS)}")
    gold = _segments(gold_file)
    empty = [i for i, segment in enumerate(gold, 1) if not segment.strip()]
    if empty:
        raise ValueError(f"{gold_file}, line {empty[0]}, is empty; drop that line in all files")
    sums = {}
    for model, (file,) in models.items():
        predicted = _segments(file)
        if len(predicted) != len(gold):
            raise ValueError(
                f"{file} has {len(predicted):,} lines, but {gold_file} has {len(gold):,}; a line is the same segment in both"
            )
        sums[model] = _statistics(metric, predicted, gold)
    name = "CER" if metric == "cer" else ""
    unit = request.options.get("unit", "segment")
    return from_statistics(sums, corpus_measures()[_METRICS[metric]], name=name, unit=unit)


def _holds_segments(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether a metric of texts was asked for, as any lines may be segments."""
    # A misspelt name is accepted here, too, as the reader then raises a better error.
    close = get_close_matches(str(options.get("measure", "")).lower(), _METRICS)
    return len(close) > 0 and len(file.lines) > 0 and not (is_json(file) or is_arrow(file))


SEGMENTS = Format(
    "segments",
    f"a text with one segment per line, of a translation or transcript (measure= {listing(_METRICS)})",
    _holds_segments,
    ("measure", "unit"),
    _read_segments,
    gold_file=True,
)
