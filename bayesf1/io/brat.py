"""Brat's stand-off annotation: a file for each document, with the places of its spans."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import number_of
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, InputFiles, ReadRequest, gold_and_models
from bayesf1.io.tags import SpanTable, chosen_types, from_span_table

# Other lines of an annotation file: events, relations, attributes, normalisations, notes, equivalences.
_OTHERS = re.compile(r"[ERAMN][0-9][^\t ]*\t|#[^\t ]*\t|\*\t")
_ANNOTATION = re.compile(r"(T[^\t ]+)\t([^\t ]+) ([0-9]{1,12}) ([0-9]{1,12})((?:;[0-9]+ [0-9]+)*)(?:\t(.*))?")


class _Span(NamedTuple):
    """A span of a document; one of several parts has no single end."""

    document: int
    start: int
    end: int | None
    kind: str


def _spans(files: InputFiles) -> Counter[_Span]:
    """Count each span, or raise a ValueError that names a line that is not an annotation."""
    spans: Counter[_Span] = Counter()
    for document, file in enumerate(files):
        names: set[str] = set()
        for number, line in enumerate(file.text().split("\n"), 1):
            if not line.strip() or _OTHERS.match(line):
                continue
            where = f"{file}, line {number},"
            match = _ANNOTATION.fullmatch(line)
            if match is None:
                raise ValueError(f"{where} has {line[:40]!r}, but a span looks like 'T1⇥Person 0 5⇥Peter'")
            name, kind, start, end, more_parts, _ = match.groups()
            if name in names:
                raise ValueError(f"{where} has {name} again; names of spans are unique")
            if int(start) >= int(end):
                raise ValueError(f"{where} has a span from {start} to {end}; its end must be after its start")
            names.add(name)
            only_end = None if more_parts else int(end)
            spans[_Span(document, int(start), only_end, kind)] += 1
    return spans


def _read(request: ReadRequest) -> Evaluation:
    """Compare the spans of models and of gold, document by document."""
    gold_files, models = gold_and_models(request, "an annotation")
    sides = {"gold": _spans(gold_files)}
    for name, files in models.items():
        sides[name] = _spans(files)
    remarks = []
    for name, spans in sides.items():
        n_parted = sum(n for span, n in spans.items() if span.end is None)
        n_repeated = spans.total() - len(spans)
        if n_parted > 0:
            remarks.append(f"{name} has {number_of(n_parted, 'span')} with several parts: left out.")
        if n_repeated > 0:
            remarks.append(f"{name} has {number_of(n_repeated, 'span')} twice in a document: counted once.")
    whole = sorted({span for spans in sides.values() for span in spans if span.end is not None})
    types = chosen_types(request.options.get("types"), sorted({span.kind for span in whole}))
    rows = [span for span in whole if span.kind in types]
    table = SpanTable(
        sentence=np.array([span.document for span in rows], dtype=np.int64),
        kind=np.array([types.index(span.kind) for span in rows], dtype=np.int64),
        found=np.array([[span in spans for spans in sides.values()] for span in rows], dtype=bool),
        types=types,
        models=tuple(models),
        n_sentences=len(gold_files),
    )
    by_type = request.options.get("by_type", False)
    ev = from_span_table(table, groups=np.arange(len(gold_files)), by_type=by_type)
    return replace(ev, remarks=(*ev.remarks, *remarks))


def _holds_annotations(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether lines are annotations and some are spans; an empty file is recognised by its name."""
    lines = [line for line in file.lines[:1000] if line.strip()]
    if not lines:
        return not file.head.strip() and file.suffix == ".ann"
    spans = [line for line in lines if _ANNOTATION.fullmatch(line)]
    others = [line for line in lines if _OTHERS.match(line)]
    return len(spans) > 0 and len(spans) + len(others) > 0.9 * len(lines)


BRAT = Format(
    "brat",
    "brat's stand-off annotation (.ann)",
    _holds_annotations,
    ("types", "by_type"),
    _read,
    folder="*.ann",
    gold_file=True,
)
