"""CoNLL-U: a word a line in ten columns, of which one is compared word by word, or as spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, nearest
from bayesf1.base.text_files import numbered_lines
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.format import Format, Place, Request, check_same_names
from bayesf1.reading.predictions import from_labels
from bayesf1.reading.spans import from_tags
from bayesf1.reading.tags import TagError

_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_LABELS = ("UPOS", "XPOS", "DEPREL")
_SETS = "FEATS"
_OF_SPANS = ("scheme", "mode", "types", "by_type")
_OF_LABELS = ("positive",)
_UNITS = ("sentence", "document")
# A word, a range of words that are written as one, an empty node.
_WORD = re.compile(r"[1-9][0-9]{0,8}")
_NO_WORD = re.compile(r"[0-9]+[-.][0-9]+")


@dataclass(frozen=True)
class _Words:
    """The words of files one after another, with what stands in the column asked for."""

    forms: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    # Of each word the number of its sentence and of its document.
    sentences: list[int] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    # What keys MISC has, where a key was asked for.
    keys: dict[str, None] = field(default_factory=dict)
    # The files, each by the number of its first word.
    files: dict[int, InputFile] = field(default_factory=dict)

    def spot(self, word: int) -> str:
        """Say where a word stands."""
        file = self.files[max(first for first in self.files if first <= word)]
        return f"{file}, line {self.lines[word]},"

    def by_sentence(self, values: Sequence[str]) -> list[list[str]]:
        """Return what belongs to the words, sentence by sentence."""
        found: list[list[str]] = []
        for value, sentence in zip(values, self.sentences, strict=True):
            if sentence == len(found):
                found.append([])
            found[-1].append(value)
        return found


def _lines(file: InputFile) -> Iterator[tuple[int, str]]:
    words = {"too_long": "is longer than 1 MB", "not_utf8": "has the byte {byte}, which is not UTF-8"}
    with file.open() as stream:
        yield from numbered_lines(stream, file, **words)


def _read_words(files: Sequence[InputFile], asked: str) -> _Words:
    words = _Words()
    column = _COLUMNS.index(asked) if asked in _COLUMNS else _COLUMNS.index("MISC")
    sentence = document = -1
    for file in files:
        # Files and lines `# newdoc` begin documents.
        due, begins, first = 0, True, len(words.forms)
        words.files[first] = file
        for number, line in _lines(file):
            if not line.strip():
                due = 0
            elif line.startswith("#"):
                begins |= re.match(r"#\s*newdoc\b", line) is not None
            else:
                where = f"{file}, line {number},"
                row = line.split("\t")
                if len(row) != len(_COLUMNS):
                    raise ValueError(
                        f"{where} has {len(row)} columns between tabs, but CoNLL-U has 10: {', '.join(_COLUMNS)}"
                    )
                if _NO_WORD.fullmatch(row[0]):
                    continue
                if not _WORD.fullmatch(row[0]) or int(row[0]) != due + 1:
                    raise ValueError(
                        f"{where} has the number {row[0]!r:.20} where word {due + 1} of the sentence belongs"
                    )
                sentence += due == 0
                document += begins
                due, begins = due + 1, False
                words.forms.append(row[1])
                words.values.append(row[column] if asked in _COLUMNS else _key_of(row[column], asked, words))
                words.lines.append(number)
                words.sentences.append(sentence)
                words.documents.append(document)
        if len(words.forms) == first:
            raise ValueError(f"{file} has no word, but CoNLL-U has one a line")
    return words


def _key_of(misc: str, key: str, words: _Words) -> str:
    """Return the tag that stands at a key of MISC; words without it are outside of spans."""
    pairs = dict(part.partition("=")[::2] for part in misc.split("|"))
    words.keys.update(dict.fromkeys(name for name in pairs if name != "_"))
    return pairs.get(key, "O")


def _line_up(own: _Words, gold: _Words) -> None:
    """Say where two files have other words or sentences."""
    if own.forms == gold.forms and own.sentences == gold.sentences:
        return
    n = min(len(own.forms), len(gold.forms))
    at = next(
        (i for i in range(n) if (own.forms[i], own.sentences[i]) != (gold.forms[i], gold.sentences[i])), n
    )
    said = []
    for words in (own, gold):
        ended = at == len(words.forms)
        what = "no further word" if ended else f"{words.forms[at]!r} in sentence {words.sentences[at] + 1}"
        said.append(f"{words.spot(at - ended)} has {what}")
    raise ValueError(f"{said[0]} where {said[1]}; the files should hold the same sentences and words")


def _labels(words: _Words, asked: str) -> list[str]:
    for i, value in enumerate(words.values):
        if value in ("", "_"):
            raise WordedError(
                f"{words.spot(i)} has no {asked}; fill it, or choose another column by ", Argument("field")
            )
    return words.values


def _feature_sets(words: _Words) -> list[set[str]]:
    found = []
    for i, value in enumerate(words.values):
        features = [] if value == "_" else value.split("|")
        if not all(re.fullmatch(r"[^=\s]+=[^=]+", feature) for feature in features):
            raise ValueError(
                f"{words.spot(i)} has FEATS {value!r:.40}, but features are such as 'Case=Nom|Number=Sing'"
            )
        found.append(set(features))
    return found


def _spans(
    gold: _Words, models: Mapping[str, _Words], key: str, groups: list[int] | None, **options: Any
) -> Evaluation:
    if key not in gold.keys:
        known = [*_LABELS, _SETS, *gold.keys]
        raise WordedError(
            Argument("field"),
            f" {key!r} is no column that can be compared, and no word of gold has it in MISC; {nearest(key, known)}",
        )
    tags = {name: gold.by_sentence(words.values) for name, words in models.items()}
    try:
        ev = from_tags(gold.by_sentence(gold.values), tags, groups=groups, **options)
    except TagError as error:
        words = {"gold": gold, **{f"model {name!r}": words for name, words in models.items()}}[error.owner]
        word = gold.sentences.index(error.sentence - 1) + error.token - 1
        raise ValueError(f"{words.spot(word)} has {key}={error.tag}, which {error.complaint}") from None
    without = [name for name, words in models.items() if key not in words.keys]
    remarks = tuple(f"{name} has no word with {key} in MISC, so that it has no span." for name in without)
    return replace(ev, remarks=(*ev.remarks, *remarks))


def _files(place: Place, order: Place) -> list[InputFile]:
    return [place.files[name] for name in order.files] if place.folder else [place.file]


def _read(request: Request) -> Evaluation:
    options = dict(request.options)
    gold, models = request.alone, request.named_models("a CoNLL-U file")
    if gold is None:
        raise ValueError(
            f"{request.places[0]} and what else was given are files of models; give gold's, too, without a name"
        )
    if any(place.folder != gold.folder for place in models.values()):
        raise ValueError(f"{gold} and the models' are not all folders, or not all files; give one kind")
    if gold.folder:
        check_same_names(models, gold)
    asked, unit = str(options.pop("field", "UPOS")), options.pop("unit", "sentence")
    asked = asked.upper() if asked.upper() in _COLUMNS else asked
    _check_options(asked, unit, options)
    truth = _read_words(_files(gold, gold), asked)
    found = {name: _read_words(_files(place, gold), asked) for name, place in models.items()}
    for words in found.values():
        _line_up(words, truth)
    if unit == "document" and truth.documents[-1] == 0:
        raise ValueError(f"{gold} has a single document, as it has no '# newdoc' lines; use unit 'sentence'")
    if asked not in _COLUMNS:
        firsts = [i for i, s in enumerate(truth.sentences) if i == 0 or s != truth.sentences[i - 1]]
        groups = [truth.documents[i] for i in firsts] if unit == "document" else None
        return _spans(truth, found, asked, groups, **options)
    per_word = truth.sentences if unit == "sentence" else truth.documents
    if asked == _SETS:
        of_gold: Any = _feature_sets(truth)
        sets: dict[str, Any] = {name: _feature_sets(words) for name, words in found.items()}
        ev = from_labels(of_gold, sets, multilabel=True, groups=per_word)
    else:
        said = {name: _labels(words, asked) for name, words in found.items()}
        ev = from_labels(_labels(truth, asked), said, groups=per_word, **options)
    return replace(ev, units=ev.units and replace(ev.units, name=unit))


def _check_options(asked: str, unit: Any, options: Mapping[str, Any]) -> None:
    """Say what cannot be compared, and which option does not apply to it."""
    if unit not in _UNITS:
        raise ValueError(f"unknown unit {unit!r}; {nearest(str(unit), _UNITS)}")
    if asked in _COLUMNS and asked not in (*_LABELS, _SETS):
        raise WordedError(
            Argument("field"),
            f" {asked} cannot be compared; choose {listing((*_LABELS, _SETS))}, or a key of MISC",
        )
    applies = _OF_LABELS if asked in _LABELS else _OF_SPANS if asked not in _COLUMNS else ()
    for name in options:
        if name not in applies:
            raise WordedError(Argument(name), f" does not apply to {asked}; leave it out")


def _holds_words(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether lines have ten columns between tabs, and begin with a number."""
    rows = [line.split("\t") for line in file.lines[:1000] if line.strip() and not line.startswith("#")]
    fits = [
        len(row) == len(_COLUMNS) and bool(_WORD.fullmatch(row[0]) or _NO_WORD.fullmatch(row[0]))
        for row in rows
    ]
    return bool(rows) and sum(fits) > 0.9 * len(fits)


CONLLU = Format(
    "conllu",
    "a CoNLL-U file (ten columns)",
    _holds_words,
    ("field", "unit", *_OF_LABELS, *_OF_SPANS),
    _read,
    folder="*.conllu *.conllu.gz",
    gold_file=True,
)
