"""CoNLL-U: a word a line in ten columns, of which one is compared word by word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import nearest
from bayesf1.evaluation import Evaluation
from bayesf1.io.conll import UNITS, gold_and_models
from bayesf1.io.formats import Format, Request
from bayesf1.io.labels import from_labels

_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_COMPARED = ("UPOS", "XPOS", "DEPREL", "FEATS")
# A word; a range of words that are written as one, or an empty node, is none.
_ID = re.compile(r"[0-9]+([-.][0-9]+)?")


class _Word(NamedTuple):
    form: str
    sentence: int
    document: int
    value: str
    where: str


_END = _Word("", -1, -1, "", "the end of the file")


def _read_words(files: Sequence[InputFile], asked: str) -> list[_Word]:
    words: list[_Word] = []
    sentence = document = -1
    for file in files:
        # Files and lines `# newdoc` begin documents.
        due, begins = 1, True
        for number, line in enumerate(file.text().split("\n"), 1):
            row, where = line.split("\t"), f"{file}, line {number},"
            if not line.strip():
                due = 1
            elif line.startswith("#"):
                begins |= line[1:].split()[:1] == ["newdoc"]
            elif len(row) != len(_COLUMNS):
                raise ValueError(f"{where} has {len(row)} columns between tabs, but CoNLL-U has 10")
            elif not (matched := _ID.fullmatch(row[0])) or not matched[1]:
                if row[0] != str(due):
                    raise ValueError(f"{where} has the number {row[0]!r:.20} where word {due} belongs")
                sentence, document = sentence + (due == 1), document + begins
                due, begins = due + 1, False
                value = row[_COLUMNS.index(asked)]
                if value in ("", "_") and asked != "FEATS":
                    raise ValueError(f"{where} has no {asked}; fill it, or choose another column by field=")
                words.append(_Word(row[1], sentence, document, value, where))
    if not words:
        raise ValueError(f"{files[0]} has no word, but CoNLL-U has one a line")
    return words


def _read(request: Request) -> Evaluation:
    options = dict(request.options)
    gold, models = gold_and_models(request, "a CoNLL-U file")
    asked, unit = str(options.pop("field", "UPOS")).upper(), options.pop("unit", "sentence")
    for name, value, known in (("field", asked, _COMPARED), ("unit", unit, UNITS)):
        if value not in known:
            raise ValueError(f"{name}={value!r} cannot be compared; {nearest(str(value), known)}")
    words = {name: _read_words(files, asked) for name, files in {"": gold, **models}.items()}
    truth = words[""]
    for name in models:
        for own, word in zip_longest(words[name], truth, fillvalue=_END):
            if own[:2] != word[:2]:
                said = f"{own.where} has {own.form!r} where gold's {word.where} has {word.form!r}"
                raise ValueError(f"{said}; files should hold the same sentences and words")
    if unit == "document" and truth[-1].document == 0:
        raise ValueError(f"{gold[0]} has no '# newdoc' lines; use unit='sentence'")
    sides = {name: [word.value for word in own] for name, own in words.items()}
    ev = from_labels(sides.pop(""), sides, groups=[getattr(word, unit) for word in truth], **options)
    return replace(ev, units=ev.units and replace(ev.units, name=unit))


def _holds_words(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether lines have ten columns between tabs, and begin with a number."""
    rows = [line.split("\t") for line in file.lines[:1000] if line.strip() and not line.startswith("#")]
    fits = sum(len(row) == len(_COLUMNS) and bool(_ID.fullmatch(row[0])) for row in rows)
    return bool(rows) and fits > 0.9 * len(rows)


_OPTIONS, _FOLDER = ("field", "unit", "positive"), "*.conllu *.conllu.gz"
CONLLU = Format(
    "conllu", "a CoNLL-U file (ten columns)", _holds_words, _OPTIONS, _read, folder=_FOLDER, gold_file=True
)
