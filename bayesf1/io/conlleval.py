"""What conlleval prints: how many phrases gold and a system have, and how many of them are correct."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from bayesf1.base.input_files import InputFile
from bayesf1.evaluation import Evaluation
from bayesf1.io.counts import from_counts
from bayesf1.io.formats import Format, Request

_COUNTS = re.compile(
    r"processed ([0-9]{1,15}) tokens with ([0-9]{1,15}) phrases; found: ([0-9]{1,15}) phrases; correct: ([0-9]{1,15})\."
    r"(?![0-9])"
)
_SHARES = re.compile(r"precision: +([0-9]+\.[0-9]+)%; recall: +([0-9]+\.[0-9]+)%; FB1: +[0-9.]+")
_LARGEST = 1 << 24


class _Printed(NamedTuple):
    tokens: int
    gold: int
    predicted: int
    correct: int


def _read_output(file: InputFile) -> _Printed:
    text = file.text(_LARGEST)
    lines = [*_COUNTS.finditer(text)]
    if len(lines) != 1:
        raise ValueError(
            f"{file} has {len(lines)} lines 'processed … tokens with … phrases; …', but one belongs there"
        )
    counts = _Printed(*map(int, lines[0].groups()))
    # The percentages printed below the counts are to be theirs.
    printed = _SHARES.search(text, lines[0].end())
    shares = printed.groups() if printed else ()
    changed = counts.correct > min(counts.gold, counts.predicted)
    for share, total in zip(shares, (counts.predicted, counts.gold), strict=False):
        changed |= abs(float(share) - (100 * counts.correct / total if total else 0.0)) > 0.00501
    if changed:
        line = text.count("\n", 0, lines[0].start()) + 1
        raise ValueError(
            f"{file}, line {line}, has {counts.correct} correct of {counts.gold} phrases in gold and {counts.predicted} of "
            "the system, which do not fit each other or the percentages printed below; the output was changed"
        )
    return counts


def _read(request: Request) -> Evaluation:
    request.without_gold("conlleval's output has counted gold already")
    places = request.named_models("conlleval's output")
    printed = {model: _read_output(place.file) for model, place in places.items()}
    (first, known), *others = printed.items()
    for model, own in others:
        if own[:2] != known[:2]:
            raise ValueError(
                f"{places[model]} was printed of {own.tokens} tokens with {own.gold} phrases, but {places[first]} of "
                f"{known.tokens} with {known.gold}; both must be judged on the same gold"
            )
    counts = ("gold", "predicted", "correct")
    return from_counts({model: dict(zip(counts, own[1:], strict=True)) for model, own in printed.items()})


def _holds_output(file: InputFile, options: Mapping[str, Any]) -> bool:
    return b"processed" in file.head and any(_COUNTS.match(line.strip()) for line in file.lines)


CONLLEVAL = Format(
    "conlleval", "conlleval's output ('processed … tokens with … phrases')", _holds_output, (), _read
)
