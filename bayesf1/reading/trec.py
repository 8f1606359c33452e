"""TREC runs, scored query by query by ir_measures against relevance judgements."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import ne
from os import PathLike
from typing import Any, Literal

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.errors import Argument, WordedError, Wording
from bayesf1.base.input_files import InputFile, input_files
from bayesf1.base.naming import counted, listing, nearest
from bayesf1.base.text_files import BOM, decode
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.format import Format, Request
from bayesf1.reading.score_columns import from_scores

# Query -> document -> score, or grade.
Ranked = dict[str, dict[str, float]]
Judged = dict[str, dict[str, int]]

_RUN = "query, Q0, document, rank, score and name of the run"
_QRELS = "query, 0, document and grade"
# Of a line its width, the place of its number, how that is read, and how large it may be.
_LAYOUT: dict[str, tuple[int, int, Callable[[str], float], float]] = {
    "run": (6, 4, float, 1e300),
    "qrels": (4, 3, int, 1e9),
}
_COMMON = ("nDCG@10", "AP", "RR", "P@10", "R@1000", "Success@1", "Rprec", "Bpref")


def read_trec(
    runs: Mapping[str, InputFile], qrels: str | PathLike[str], measures: Sequence[str]
) -> dict[str, Evaluation]:
    r"""Score runs by several measures, and return an Evaluation for each; every judged query counts.

    A judged query that a run has no document for scores 0, as by ``trec_eval -c``, and a query without judgements is
    left out; `Evaluation.remarks` say so.

    Parameters
    ----------
    runs
        Mapping of model name to its run.
    qrels
        The file of relevance judgements.
    measures
        Names as ir_measures has them, such as ``"nDCG@10"``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     qrels, run = Path(folder, "qrels"), Path(folder, "bm25.run")
    ...     _ = qrels.write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n")
    ...     _ = run.write_text("1 Q0 d2 1 9.5 bm25\n1 Q0 d1 2 8 bm25\n")
    ...     ev = read_trec({"bm25": InputFile.of(run)}, qrels, ["RR"])["RR"]
    >>> ev.kind.values
    (0.0, 0.5)
    >>> ev.remarks
    ('bm25 has no document for 1 of 2 judged queries, as 2, and scores 0 there.',)
    """
    scored_by = _parse_measures(measures)
    with input_files() as take:
        judged: Judged = _columns(take(qrels), "qrels")[0]
    evaluator = _evaluator(scored_by, judged)
    found: dict[str, dict[str, dict[str, float]]] = {name: {} for name in scored_by}
    remarks: list[str] = []
    for model, file in runs.items():
        run: Ranked
        run, n_contrary = _columns(file, "run")
        remarks += _remarks(model, run, n_contrary, judged, file)
        rows = _score({query: run[query] for query in judged if query in run}, evaluator, file)
        for name, measure in scored_by.items():
            found[name][model] = rows[measure]
    return {
        name: replace(
            from_scores(
                {model: [scores[query] for query in judged] for model, scores in by_model.items()}, name=name
            ),
            remarks=tuple(remarks),
        )
        for name, by_model in found.items()
    }


def _remarks(model: str, run: Ranked, n_contrary: int, judged: Judged, file: InputFile) -> list[str]:
    missing = [query for query in judged if query not in run]
    strange = [query for query in run if query not in judged]
    if len(strange) == len(run):
        raise ValueError(
            f"{file} has no query that is judged; its first is {strange[0]!r}, that of the judgements "
            f"{next(iter(judged))!r}"
        )
    said = []
    if missing:
        said.append(
            f"{model} has no document for {len(missing)} of {len(judged)} judged queries, as "
            f"{listing(missing, most=3)}, and scores 0 there."
        )
    if strange:
        said.append(
            f"{model} has {counted(len(strange), 'query')} without judgements, as {listing(strange, most=3)}: left out."
        )
    if n_contrary:
        said.append(
            f"Ranks contradict scores in {counted(n_contrary, 'query')} of {model}; as in trec_eval the score counts, "
            "the highest first."
        )
    return said


def _columns(file: InputFile, kind: Literal["run", "qrels"]) -> tuple[dict[str, dict[str, Any]], int]:
    """Read the scores of a run, or the grades of judgements, by query and document.

    Beside them, the number of queries whose documents have another order by rank than by score.
    """
    with file.open() as stream:
        data = stream.read().removeprefix(BOM)
    text = decode(data, f"{file}", "has the byte {byte}, which is not UTF-8")
    width, place, convert, most = _LAYOUT[kind]
    fields = text.split()
    if not fields:
        raise ValueError(f"{file} is empty, but should have lines of {_RUN if kind == 'run' else _QRELS}")
    if not _is_regular(data, len(fields), width):
        _check_lines(file, text, kind)
    try:
        values = [*map(convert, fields[place::width])]
        numbers = np.array(values, dtype=np.float64)
    except (ValueError, OverflowError):
        raise _check_lines(file, text, kind) from None
    queries, documents = fields[::width], fields[2::width]
    changes = np.fromiter(map(ne, queries[1:], queries), bool, len(queries) - 1)
    starts = [0, *(np.flatnonzero(changes) + 1).tolist(), len(queries)]
    by_query: dict[str, dict[str, Any]] = {}
    for start, stop in pairwise(starts):
        found = zip(documents[start:stop], values[start:stop], strict=True)
        by_query.setdefault(queries[start], {}).update(found)
    if len(queries) != sum(map(len, by_query.values())) or not (np.abs(numbers) <= most).all():
        raise _check_lines(file, text, kind)
    return by_query, _n_contrary(fields[3::width], numbers, starts) if kind == "run" else 0


def _n_contrary(ranks: list[str], scores: FloatArray, starts: list[int]) -> int:
    try:
        place = np.array([*map(int, ranks)], dtype=np.int64)
    except (ValueError, OverflowError):
        # Nobody reads ranks, so that some runs have none.
        return 0
    query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((place, query))
    query, place, score = query[order], place[order], scores[order]
    contrary = (np.diff(query) == 0) & (np.diff(place) > 0) & (np.diff(score) > 0)
    return len(np.unique(query[1:][contrary]))


def _is_regular(data: bytes, n_fields: int, width: int) -> bool:
    """Whether each line that is not blank has just so many fields, with nothing but ASCII blanks between them."""
    codes = np.frombuffer(data + b"\n", dtype=np.uint8)
    blank = codes <= 32
    begins = np.flatnonzero(~blank & np.concatenate([[True], blank[:-1]]))
    of_line = np.diff(np.searchsorted(begins, np.flatnonzero(codes == 10)), prepend=0)
    return len(begins) == n_fields and bool(np.isin(of_line, (0, width)).all())


def _check_lines(file: InputFile, text: str, kind: str) -> ValueError:
    """Raise what is wrong with the first bad line, or say that nothing of it is known to be."""
    width, place, convert, most = _LAYOUT[kind]
    seen: dict[tuple[str, str], int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        row = line.split()
        if not row:
            continue
        try:
            if len(row) != width or not abs(convert(row[place])) <= most:
                raise ValueError
        except ValueError:
            raise _bad_line(file, number, row, kind) from None
        if seen.setdefault((row[0], row[2]), number) != number:
            raise ValueError(
                f"{file}, line {number}, has document {row[2]!r} of query {row[0]!r} again after line "
                f"{seen[row[0], row[2]]}; keep one of them"
            )
    return ValueError(
        f"{file} has a line that cannot be read; a line has {_RUN if kind == 'run' else _QRELS}"
    )


def _bad_line(file: InputFile, number: int, row: list[str], kind: str) -> ValueError:
    where = f"{file}, line {number},"
    (width, place, *_), belongs = _LAYOUT[kind], _RUN if kind == "run" else _QRELS
    if len(row) == width:
        return ValueError(f"{where} has {row[place]!r} where a number belongs; a line has {belongs}")
    if kind == "run" and len(row) == 4 and number == 1:
        return WordedError(
            f"{file} holds relevance judgements and no run; give it by ",
            Argument("qrels"),
            ", and the runs by their models' names",
        )
    if kind == "qrels" and len(row) == 6 and number == 1:
        return WordedError(
            f"{file} is a run, but ", Argument("qrels"), " is the file of relevance judgements"
        )
    return ValueError(f"{where} has {len(row)} columns, but a line has {width}: {belongs}")


def _parse_measures(names: Sequence[str]) -> dict[str, Any]:
    try:
        import ir_measures
    except ImportError:
        raise ValueError(
            "TREC runs are scored by ir_measures, which is not installed; pip install 'bayesf1[trec]'"
        ) from None
    found: dict[str, Any] = {}
    for name in names:
        try:
            with warnings.catch_warnings():
                # Its parser of names uses what newer Pythons call outdated.
                warnings.simplefilter("ignore", DeprecationWarning)
                found[name] = ir_measures.parse_measure(name)
        except (NameError, ValueError, TypeError, AssertionError, KeyError):
            if "," in str(name):
                raise WordedError(
                    Argument("measure"),
                    f" {name!r} names several, but one at a time is read; call once for each",
                ) from None
            raise WordedError(
                Argument("measure"),
                f" {name!r} is none that ir_measures knows; {nearest(str(name), _COMMON)}, or another of its names",
            ) from None
    return found


def _evaluator(measures: Mapping[str, Any], judged: Judged) -> Any:
    import ir_measures

    try:
        return ir_measures.evaluator([*measures.values()], judged)
    except (ValueError, AssertionError) as error:
        why = " ".join(str(error).split())
        said = "needs a cutoff, as P@10" if "<object" in why else f"cannot be computed: {why}"
        raise WordedError(Argument("measure"), f" {listing(measures)} {said}") from None


def _score(run: Ranked, evaluator: Any, file: InputFile) -> dict[Any, dict[str, float]]:
    """Return what a run scored, by measure and query."""
    rows: dict[Any, dict[str, float]] = defaultdict(dict)
    try:
        for metric in evaluator.iter_calc(run):
            rows[metric.measure][metric.query_id] = float(metric.value)
    # Some measures are computed by other programs, each of which fails in a way of its own.
    except Exception as error:
        raise WordedError(
            f"{file} cannot be scored by this ", Argument("measure"), f" of ir_measures: {error!s:.200}"
        ) from None
    return rows


def _read(request: Request) -> Evaluation:
    options, measure = request.options, request.options.get("measure")
    if request.alone is not None and not request.models and len(request.first.lines[0].split()) == 4:
        raise _bad_line(request.first, 1, request.first.lines[0].split(), "run")
    runs = {model: place.file for model, place in request.named_models("a run").items()}
    if request.alone is not None and len(request.first.lines[0].split()) == 4:
        raise WordedError(
            f"{request.alone} has no model's name and holds judgements; give it by ",
            Wording(f"qrels={str(request.alone)!r}", f"--qrels {request.alone}"),
        )
    request.without_gold("judgements are given by qrels")
    if "qrels" not in options:
        raise WordedError(
            "TREC runs are scored against relevance judgements; give their file by ", Argument("qrels")
        )
    if not isinstance(measure, str) or not measure.strip():
        raise WordedError(
            "TREC runs are scored by a measure; give it by ",
            Argument("measure"),
            f", such as {listing(_COMMON[:4])}",
        )
    return read_trec(runs, options["qrels"], [measure])[measure]


def _is_trec(row: list[str]) -> bool:
    """Whether fields are those of a run, or of judgements."""
    try:
        if len(row) == 6:
            return abs(int(row[3])) <= 1e9 and abs(float(row[4])) <= 1e300
        return len(row) == 4 and row[1].lower() in ("0", "q0", "1") and abs(int(row[3])) <= 1e9
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
