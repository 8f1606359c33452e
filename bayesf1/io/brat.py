"""Brat's stand-off annotation: typed spans by the offsets of their characters, a file for each document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import counted, listing
from bayesf1.evaluation import Evaluation
from bayesf1.io.conll import gold_and_models
from bayesf1.io.formats import Format, Request
from bayesf1.io.tags import SpanTable, chosen_types, from_span_table

# What else an annotation file has: events, relations, attributes, normalisations, notes, equivalences.
_OTHERS = re.compile(r"[ERAMN][0-9][^\t ]*\t|#[^\t ]*\t|\*\t")
_SPAN = re.compile(r"(T[^\t ]+)\t([^\t ]+) ([0-9]{1,12}) ([0-9]{1,12})((?:;[0-9]+ [0-9]+)*)(?:\t(.*))?")


def _spans(files: Sequence[InputFile]) -> Counter[tuple[int, int, int, str]]:
    """Count each span: document, start, end and type; those of several parts end at -1."""
    found: Counter[tuple[int, int, int, str]] = Counter()
    for document, file in enumerate(files):
        seen: set[str] = set()
        for number, line in enumerate(file.text().split("\n"), 1):
            if not line.strip() or _OTHERS.match(line):
                continue
            where = f"{file}, line {number},"
            matched = _SPAN.fullmatch(line)
            if not matched:
                raise ValueError(f"{where} has {line[:40]!r}, but a span is such as 'T1⇥Person 0 5⇥Peter'")
            name, kind, start, end, more, _ = matched.groups()
            if name in seen:
                raise ValueError(f"{where} has {name} again; names of spans are unique")
            if int(start) >= int(end):
                raise ValueError(f"{where} has a span from {start} to {end}; its end lies behind its start")
            seen.add(name)
            found[document, int(start), -1 if more else int(end), kind] += 1
    return found


def _read(request: Request) -> Evaluation:
    gold, models = gold_and_models(request, "an annotation")
    sides = {"gold": _spans(gold)} | {name: _spans(files) for name, files in models.items()}
    remarks = []
    for name, spans in sides.items():
        parted = sum(n for span, n in spans.items() if span[2] < 0)
        twice = spans.total() - len(spans)
        if parted:
            remarks.append(f"{name} has {counted(parted, 'span')} with several parts: left out.")
        if twice:
            remarks.append(f"{name} has {counted(twice, 'span')} twice in a document: counted once.")
    whole = sorted({span for spans in sides.values() for span in spans if span[2] >= 0})
    types = chosen_types(request.options.get("types"), sorted({span[3] for span in whole}))
    rows = [span for span in whole if span[3] in types]
    known = {span[3] for span in sides["gold"]}
    for name, spans in sides.items():
        if strange := sorted({span[3] for span in spans if span[3] in types} - known):
            remarks.append(f"{name} has types of spans that gold never has: {listing(strange, most=5)}.")
    table = SpanTable(
        np.array([document for document, *_ in rows], dtype=np.int64),
        np.array([types.index(kind) for *_, kind in rows], dtype=np.int64),
        np.array([[span in spans for spans in sides.values()] for span in rows], dtype=bool),
        types,
        tuple(models),
        len(gold),
    )
    by_type = request.options.get("by_type", False)
    ev = from_span_table(table, groups=np.arange(len(gold)), by_type=by_type)
    return replace(ev, remarks=(*ev.remarks, *remarks))


def _holds_annotations(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether lines are annotations and some are spans; a document may have none, which only its name tells then."""
    lines = [line for line in file.lines[:1000] if line.strip()]
    if not lines:
        return not file.head.strip() and file.suffix == ".ann"
    known = [bool(_SPAN.fullmatch(line) or _OTHERS.match(line)) for line in lines]
    return sum(known) > 0.9 * len(lines) and any(map(_SPAN.fullmatch, lines))


BRAT = Format(
    "brat",
    "brat's stand-off annotation (.ann)",
    _holds_annotations,
    ("types", "by_type"),
    _read,
    folder="*.ann",
    gold_file=True,
)
