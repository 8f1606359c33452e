"""Brat's stand-off annotation: typed spans by the offsets of their characters, a file for each document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.errors import Argument, WordedError, Wording
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import counted, listing, nearest
from bayesf1.base.text_files import numbered_lines
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.format import Format, Place, Request, check_same_names
from bayesf1.reading.spans import from_span_table
from bayesf1.reading.tags import SpanTable

# What else an annotation file has: events, relations, attributes, normalisations, notes, equivalences.
_OTHERS = re.compile(r"[ERAMN][0-9][^\t ]*\t|#[^\t ]*\t|\*\t")
_SPAN = re.compile(r"(T[^\t ]+)\t([^\t ]+) ([0-9]+) ([0-9]+)((?:;[0-9]+ [0-9]+)*)(?:\t(.*))?")


class _Span(NamedTuple):
    document: int
    start: int
    end: int
    kind: str


class _Side(NamedTuple):
    """The spans of gold or of a model, and how many were met of what is said in remarks."""

    spans: frozenset[_Span]
    met: Counter[str]


_REMARKS = {
    "parted": "with several parts: left out.",
    "twice": "twice in a document: counted once.",
    "text": "longer or shorter than the text beside; offsets should count characters.",
}


def _lines(file: InputFile) -> Iterator[tuple[str, str]]:
    words = {"too_long": "is longer than 1 MB", "not_utf8": "has the byte {byte}, which is not UTF-8"}
    with file.open() as stream:
        for number, line in numbered_lines(stream, file, **words):
            if line.strip():
                yield f"{file}, line {number},", line


def _read_side(files: Mapping[int, InputFile]) -> _Side:
    found: set[_Span] = set()
    met: Counter[str] = Counter()
    for document, file in files.items():
        seen: dict[str, str] = {}
        for where, line in _lines(file):
            if _OTHERS.match(line):
                continue
            matched = _SPAN.fullmatch(line)
            if not matched:
                raise ValueError(
                    f"{where} has {line[:40]!r}, but a span is such as 'T1⇥Person 0 5⇥Peter', ⇥ being a tab"
                )
            name, kind, start, end, more, text = matched.groups()
            if name in seen:
                raise ValueError(f"{where} has {name} again after {seen[name]}; names of spans are unique")
            seen[name] = where.rpartition(", ")[2].strip(",")
            if len(end) > 12 or not int(start) < int(end):
                raise ValueError(
                    f"{where} has a span from {start[:12]} to {end[:12]}; its end lies behind its start"
                )
            if more:
                met["parted"] += 1
                continue
            span = _Span(document, int(start), int(end), kind)
            met["twice"] += span in found
            met["text"] += bool(text) and len(text) != span.end - span.start
            found.add(span)
    return _Side(frozenset(found), met)


def _side_of(place: Place, order: Place) -> _Side:
    files = [place.files[name] for name in order.files] if place.folder else [place.file]
    return _read_side(dict(enumerate(files)))


def _table(sides: Mapping[str, _Side], n_documents: int, types: Any) -> SpanTable:
    """Lay the spans of gold, whose name is empty, and of the models side by side."""
    present = sorted({span.kind for side in sides.values() for span in side.spans})
    if isinstance(types, str):
        raise ValueError(f"types is the string {types!r}, but should be a list of types: [{types!r}]")
    chosen = present if types is None else sorted(set(types))
    for name in chosen:
        if name not in present:
            raise ValueError(
                f"no span of gold or of a model has type {name!r}; {nearest(str(name), present)}"
            )
    rank = {name: i for i, name in enumerate(chosen)}
    rows = sorted({span for side in sides.values() for span in side.spans if span.kind in rank})
    found = np.array([[span in side.spans for side in sides.values()] for span in rows], dtype=bool)
    return SpanTable(
        np.array([span.document for span in rows], dtype=np.int64),
        np.array([rank[span.kind] for span in rows], dtype=np.int64),
        found,
        tuple(chosen),
        tuple(sides)[1:],
        n_documents,
    )


def _strange_types(sides: Mapping[str, _Side], asked: Sequence[str]) -> Iterator[str]:
    """Yield what is to be said of types that were asked for and gold never has: often another spelling."""
    gold, *_ = ({span.kind for span in side.spans} for side in sides.values())
    for name, side in sides.items():
        strange = Counter(span.kind for span in side.spans if span.kind in asked and span.kind not in gold)
        if strange:
            n, types = strange.total(), listing(strange, most=5)
            yield f"{name} has {counted(n, 'span')} of types that gold never has: {types}."


def _read(request: Request) -> Evaluation:
    gold, models = request.alone, request.named_models("an annotation")
    if gold is None:
        raise WordedError(
            f"{request.places[0]} and what else was given are annotations of models; give those of gold, too, ",
            Wording("by gold_file", "as a file or folder without a name"),
        )
    if (unit := request.options.get("unit", "document")) != "document":
        raise WordedError(
            Argument("unit"),
            f" {unit!r} is none of brat's annotation, whose units are documents; leave it out",
        )
    if any(place.folder != gold.folder for place in models.values()):
        raise ValueError(f"{gold} and the models' are not all folders, or not all files; give one kind")
    if gold.folder:
        check_same_names(models, gold)
    sides = {"": _side_of(gold, gold)} | {name: _side_of(place, gold) for name, place in models.items()}
    n = len(gold.files)
    table = _table(sides, n, request.options.get("types"))
    if not len(table.found):
        raise ValueError(f"neither {gold} nor any model has a span; are these the right files?")
    ev = from_span_table(table, groups=np.arange(n), by_type=request.options.get("by_type", False))
    remarks = [*_strange_types(sides, table.types)]
    remarks += [
        f"{name or 'gold'} has {counted(side.met[met], 'span')} {what}"
        for name, side in sides.items()
        for met, what in _REMARKS.items()
        if side.met[met]
    ]
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
    ("types", "by_type", "unit"),
    _read,
    folder="*.ann",
    gold_file=True,
)
