"""What conlleval prints: how many phrases gold and a system have, and how many of them are correct."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from bayesf1.base.input_files import InputFile
from bayesf1.base.text_files import BOM, decode
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.counts import from_counts
from bayesf1.reading.format import Format, Request

_COUNTS = re.compile(
    r"processed ([0-9]{1,15}) tokens with ([0-9]{1,15}) phrases; found: ([0-9]{1,15}) phrases; correct: ([0-9]{1,15})\."
    r"(?![0-9])"
)
_SHARES = re.compile(r"precision: +([0-9.]+)%; recall: +([0-9.]+)%; FB1: +([0-9.]+)")
_LARGEST = 1 << 24


class _Printed(NamedTuple):
    tokens: int
    gold: int
    predicted: int
    correct: int


def _read_output(file: InputFile) -> _Printed:
    if file.size > _LARGEST:
        raise ValueError(f"{file} is larger than 16 MB, but conlleval prints some dozens of lines")
    with file.open() as stream:
        text = decode(stream.read().removeprefix(BOM), f"{file}", "has the byte {byte}, which is not UTF-8")
    found = [*_COUNTS.finditer(text)]
    if len(found) != 1:
        what = "no line" if not found else f"{len(found)} lines"
        raise ValueError(
            f"{file} has {what} such as 'processed 46435 tokens with 5648 phrases; found: 5630 phrases; correct: "
            "5000.', but the output for one system has one"
        )
    counts = _Printed(*map(int, found[0].groups()))
    line = text.count("\n", 0, found[0].start()) + 1
    if counts.correct > min(counts.gold, counts.predicted):
        raise ValueError(
            f"{file}, line {line}, has {counts.correct} correct phrases, but gold has {counts.gold} and the system "
            f"{counts.predicted}; the output was changed"
        )
    _check_shares(counts, text[found[0].end() :], f"{file}, line {line},")
    return counts


def _check_shares(counts: _Printed, after: str, where: str) -> None:
    """Say that the percentages printed below the counts are not theirs."""
    printed = _SHARES.search(after)
    if printed is None:
        return
    shares = [100 * counts.correct / total if total else 0.0 for total in (counts.predicted, counts.gold)]
    for share, text in zip(shares, printed.groups(), strict=False):
        if text.count(".") > 1 or abs(float(text) - share) > 0.00501:
            raise ValueError(f"{where} gives {share:.2f} %, but {text} % is printed; the output was changed")


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
    return from_counts(
        {
            model: {"gold": own.gold, "predicted": own.predicted, "correct": own.correct}
            for model, own in printed.items()
        }
    )


def _holds_output(file: InputFile, options: Mapping[str, Any]) -> bool:
    return b"processed" in file.head and any(_COUNTS.match(line.strip()) for line in file.lines)


CONLLEVAL = Format(
    "conlleval", "conlleval's output ('processed … tokens with … phrases')", _holds_output, (), _read
)
