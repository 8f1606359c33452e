"""Column files of tags, with one token on each line: those of the CoNLL shared tasks, and CoNLL-U."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from sys import intern
from typing import Any

import numpy as np

from bayesf1.base.arrays import IntArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import check_known, nearest, number_of
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, InputFiles, ReadRequest, gold_and_models, matched_files
from bayesf1.io.labels import from_labels
from bayesf1.io.tags import CodedTags, TagError, flat_spans, from_span_table, owner_of

UNITS = ("sentence", "document")
# How many lines are read to see what a column holds.
_SAMPLE = 1000
_BLANKS = " \t\v\f"
_DOCSTART = re.compile(r" *-DOCSTART-(?![^ \t])")
_FIRST_LETTERS_OF_OTHERS = f"#-{_BLANKS}"
_COMMENT = ("# ", "#begin document", "#end document")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_PREFIXES = frozenset("BIOESLUM")
# In CoNLL-U: the line of a range of words written as one, or of an empty node; and the columns that can be compared.
_NO_WORD = re.compile(r"[0-9]+[-.][0-9]+\t")
_FIELDS = {"UPOS": 3, "XPOS": 4, "FEATS": 5, "DEPREL": 7}


@dataclass(frozen=True, eq=False)
class _Columns:
    """The tokens of files that follow one another, and their tags in some columns."""

    files: InputFiles
    # The tags of all tokens, for each column that was asked for.
    tags: Sequence[list[str]]
    # For each token its text, and its line in its file.
    tokens: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    # For each file its first token; for each sentence its number of tokens, and its document.
    first_tokens: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)

    def place_of(self, token: int) -> str:
        """Return the file and the line of a token, in words."""
        file = self.files[bisect(self.first_tokens, token) - 1]
        return f"{file}, line {self.lines[token]}"

    def begin_sentence(self, *, in_new_document: bool) -> None:
        """Add a sentence without tokens."""
        document = self.documents[-1] if self.documents else -1
        self.documents.append(document + int(in_new_document))
        self.lengths.append(0)


def _read_columns(files: InputFiles, columns: Sequence[int], *, token_column: int = 0) -> _Columns:
    r"""Read column files: one token a line, a blank line after each sentence; each file begins a document.

    If the first line with a token has a tab, all lines are split at tabs, and fields may hold blanks; otherwise at runs of
    blanks. All have the same number of columns. A line that begins with ``-DOCSTART-`` or ``# newdoc`` begins a document. A
    line that begins with ``# `` where a sentence might begin is a comment unless it has the same number of columns: in a
    file of two columns ``# O`` is a token, and ``# sent_id = 1`` is not. In CoNLL-U, where the token is second, lines with
    numbers such as ``1-2`` or ``1.1`` are not words and are left out.
    """
    first_line, example = _first_token(files[0])
    separator = _separator(example)
    n_columns = len(_fields(example, separator))
    n_needed = 1 + max(abs(column) for column in columns)
    if n_columns < n_needed:
        needed = f"at least {n_needed}, the token's and the tags'"
        raise ValueError(f"{files[0]}, line {first_line}, has {n_columns} columns, but should have {needed}")
    has_word_numbers = token_column > 0
    read = _Columns(files, [[] for _ in columns])
    tag_columns = [*zip(columns, read.tags, strict=True)]
    for file in files:
        read.first_tokens.append(len(read.tokens))
        begins_document = True
        in_sentence = False
        for number, line in enumerate(file.text().split("\n"), 1):
            fields = line.split(separator)
            if "" in fields:
                fields = _fields(line, separator)
            # Only the few lines that may not be tokens are examined; an empty one is among them, as "" is in every text.
            if line[:1] in _FIRST_LETTERS_OF_OTHERS or len(fields) != n_columns or has_word_numbers:
                ends_sentence = not line.strip(_BLANKS)
                if _DOCSTART.match(line):
                    begins_document = True
                    ends_sentence = True
                if ends_sentence:
                    in_sentence = False
                    continue
                if has_word_numbers and _NO_WORD.match(line):
                    continue
                if len(fields) != n_columns:
                    if in_sentence or not line.startswith(_COMMENT):
                        n_given = number_of(len(fields), "column")
                        raise ValueError(
                            f"{file}, line {number}, has {n_given}, but all others have {n_columns}"
                        )
                    begins_document = begins_document or line.startswith("# newdoc")
                    continue
            if not in_sentence:
                read.begin_sentence(in_new_document=begins_document)
                begins_document = False
                in_sentence = True
            read.lengths[-1] += 1
            read.lines.append(number)
            # Files of millions of tokens have few different ones, each of which is kept once.
            read.tokens.append(intern(fields[token_column]))
            for column, tags in tag_columns:
                tag = intern(fields[column].strip(" "))
                if tag == "":
                    raise ValueError(f"{file}, line {number}, has an empty column {column}")
                tags.append(tag)
        if read.first_tokens[-1] == len(read.tokens):
            raise ValueError(f"{file} has no words, but should have one on each line")
    return read


def _separator(line: str) -> str:
    return "\t" if "\t" in line else " "


def _fields(line: str, separator: str) -> list[str]:
    """Split a line; several blanks are one separator."""
    # str.split() without argument would also split at no-break spaces, which tokens may hold.
    fields = line.split(separator)
    if separator == " " and "" in fields:
        return [field for field in fields if field]
    return fields


def _first_token(file: InputFile) -> tuple[int, str]:
    """Return the first line of a token and its number; if all begin with #, the last, as comments come before tokens."""
    last = None
    for number, line in enumerate(file.text().split("\n"), 1):
        if line.strip(_BLANKS) and not _DOCSTART.match(line):
            last = (number, line)
            if not line.startswith("#"):
                break
    if last is None:
        raise ValueError(f"{file} has no sentence, but should have one token per line, with its tag")
    return last


def _check_same_tokens(own: _Columns, gold: _Columns) -> None:
    """Check that two files hold the same sentences; tokens spelled differently get one warning."""
    if own.lengths != gold.lengths:
        pairs = zip(own.lengths, gold.lengths, strict=False)
        n_common = min(len(own.lengths), len(gold.lengths))
        sentence = next((i for i, (n_own, n_gold) in enumerate(pairs) if n_own != n_gold), n_common - 1)
        raise ValueError(
            f"{_sentence_start(own, sentence)}, but {_sentence_start(gold, sentence)}; the two files should hold the same "
            "sentences and tokens"
        )
    if own.tokens != gold.tokens:
        changed = [i for i, token in enumerate(own.tokens) if token != gold.tokens[i]]
        first = changed[0]
        warn_caller(
            f"{own.files[0]} spells {len(changed)} of its tokens differently from {gold.files[0]}; the first is "
            f"{own.tokens[first]!r} ({own.place_of(first)}) for {gold.tokens[first]!r} ({gold.place_of(first)})"
        )


def _sentence_start(side: _Columns, sentence: int) -> str:
    first_token = sum(side.lengths[:sentence])
    return (
        f"{side.place_of(first_token)}, begins sentence {sentence + 1} of {len(side.lengths)} with "
        f"{side.lengths[sentence]} tokens"
    )


def _n_trailing_numbers(file: InputFile) -> int:
    """Return how many columns after the tags have only numbers, such as a tagger's confidence."""
    rows = _sample(file)
    width = min(map(len, rows), default=0)
    n = 0
    while n < width - 1 and all(_NUMBER.fullmatch(row[-1 - n].strip()) for row in rows):
        n += 1
    return n


# ---- the format among others ------------------------------------------------------------------------------


def _sample(file: InputFile) -> list[list[str]]:
    """Return the fields of the first lines that hold tokens."""
    filled = (line for line in file.lines if line.strip() and not line.startswith(("#", "-DOCSTART-")))
    lines = [*islice(filled, _SAMPLE)]
    return [_fields(line, _separator(lines[0])) for line in lines]


def _is_tag(text: str) -> bool:
    """Return whether a field reads as a tag of some scheme: O, or a prefix and a type."""
    prefix, dash, kind = text.strip().partition("-")
    if len(prefix) not in (1, 2) or prefix[0] not in _PREFIXES:
        return False
    return dash == "" or kind != ""


def _holds_tags(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether lines have the same few columns, one of which after the token holds tags."""
    rows = _sample(file)
    if options.keys() & {"correct", "scores"} or not rows:
        return False
    width = len(rows[0])
    even = [row for row in rows if len(row) == width]
    if len(even) < 0.9 * len(rows):
        return False
    tag_columns = [i for i in range(1, width) if sum(_is_tag(row[i]) for row in even) > 0.9 * len(even)]
    if "gold" not in options:
        return len(tag_columns) > 0
    # If a column is named, tags below a header make a table.
    return options["gold"] not in rows[0] and any(_is_tag(rows[0][i]) for i in tag_columns)


def _column(number: Any, name: str) -> int | None:
    """Return the index of a column that was counted from 1, or from -1 at the end."""
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int) or number in (0, 1):
        raise ValueError(f"{name}= is {number!r}; columns are counted from 1, the token's, or from -1")
    return number - 1 if number > 0 else number


def _read(request: ReadRequest) -> Evaluation:
    """Lay the tags of gold and of models for the same tokens side by side, and count their spans."""
    options = dict(request.options)
    gold_column = _column(options.pop("gold_column", None), "gold_column")
    predicted_column = _column(options.pop("predicted_column", None), "predicted_column")
    by_type = options.pop("by_type", False)
    unit = options.pop("unit", "sentence")
    has_gold_file = request.alone is not None and len(request.models) > 0
    gold = None
    if has_gold_file:
        gold_files, models = gold_and_models(request, "a column file")
        gold = _read_columns(gold_files, [_tag_column(gold_files, gold_column, default=-1)])
    else:
        models = _files_of_models(request)
    sides = {}
    for name, files in models.items():
        columns = [_tag_column(files, predicted_column, default=-1)]
        if not has_gold_file:
            columns = [_tag_column(files, gold_column, default=-2), *columns]
        own = _read_columns(files, columns)
        if gold is None:
            gold = own
        _check_same_tokens(own, gold)
        if not has_gold_file:
            _check_same_gold(own, gold)
        sides[name] = own
    assert gold is not None, "there is a model"
    documents = _documents(gold, unit, "-DOCSTART-")
    gold_tags = CodedTags.of(gold.tags[0], "gold")
    predicted = {name: CodedTags.of(own.tags[-1], owner_of(name)) for name, own in sides.items()}
    try:
        # Not by `from_tags`, whose check of its arguments would take as long as all else: these tags were read as text.
        table = flat_spans(gold_tags, predicted, np.array(gold.lengths), **options)
    except TagError as error:
        by_owner = {owner_of(name): own for name, own in sides.items()}
        place = by_owner.get(error.owner, gold).place_of(error.place)
        raise ValueError(f"{place}, has tag {error.tag!r}, which {error.complaint}; see scheme=") from None
    ev = from_span_table(table, groups=documents, by_type=by_type)
    if has_gold_file or gold_column is not None or predicted_column is not None:
        return ev
    return replace(ev, remarks=(*ev.remarks, *_doubts(models)))


def _files_of_models(request: ReadRequest) -> dict[str, InputFiles]:
    """Return the files of each model; files without a name are those of one model, called "model"."""
    places = request.models
    if request.alone is not None:
        places = {"model": request.alone}
    return dict(zip(places, matched_files([*places.values()]), strict=True))


def _tag_column(files: InputFiles, asked: int | None, *, default: int) -> int:
    """Return the column that was asked for, or the default, counted from the end without trailing numbers."""
    return default - _n_trailing_numbers(files[0]) if asked is None else asked


def _check_same_gold(own: _Columns, gold: _Columns) -> None:
    """Raise a ValueError for a token that has other gold tags in two files."""
    if own.tags[0] != gold.tags[0]:
        token = next(i for i, tag in enumerate(own.tags[0]) if tag != gold.tags[0][i])
        raise ValueError(
            f"{own.place_of(token)}, has a different gold tag from {gold.place_of(token)}; give all the same"
        )


def _documents(gold: _Columns, unit: str, begins: str) -> IntArray | None:
    """Return the document of each sentence if documents are the units; raise a ValueError if there is only one."""
    check_known(unit, "unit", UNITS)
    if unit == "sentence":
        return None
    if gold.documents[-1] == 0:
        raise ValueError(f"{gold.files[0]} is a single document without {begins} lines; use unit='sentence'")
    return np.array(gold.documents)


def _doubts(models: Mapping[str, InputFiles]) -> tuple[str, ...]:
    """Return notes on files in which a third column has tags like the last two: gold, or another model's."""
    doubts = []
    for files in models.values():
        file = files[0]
        rows = _sample(file)
        width = min(map(len, rows), default=1) - _n_trailing_numbers(file)
        # The token, a third column, and the last two.
        if width >= 4:
            third = _types_in(rows, width - 3)
            if third and third <= _types_in(rows, width - 2) | _types_in(rows, width - 1):
                doubts.append(
                    f"{file} has tags of the same types in more than two columns, of which the last two were taken for gold "
                    "and predicted; gold_column and predicted_column name others."
                )
    return tuple(dict.fromkeys(doubts))


def _types_in(rows: Sequence[Sequence[str]], column: int) -> set[str]:
    """Return the types of the tags in a column."""
    types = {row[column].partition("-")[2] for row in rows if _is_tag(row[column])}
    return types - {""}


TAGS = Format(
    "tags",
    "a column file of tags (CoNLL: one token a line)",
    _holds_tags,
    ("scheme", "mode", "types", "by_type", "unit", "gold_column", "predicted_column"),
    _read,
    folder="*",
    gold_file=True,
)


# ---- CoNLL-U ----------------------------------------------------------------------------------------------


def _read_words(request: ReadRequest) -> Evaluation:
    """Compare one column of CoNLL-U, word by word."""
    options = dict(request.options)
    gold_files, models = gold_and_models(request, "a CoNLL-U file")
    column = str(options.pop("field", "UPOS")).upper()
    unit = options.pop("unit", "sentence")
    if column not in _FIELDS:
        raise ValueError(f"field={column!r} cannot be compared; {nearest(column, _FIELDS)}")
    columns = [_FIELDS[column]]
    gold = _read_columns(gold_files, columns, token_column=1)
    sides = {name: _read_columns(files, columns, token_column=1) for name, files in models.items()}
    for own in (gold, *sides.values()):
        _check_same_tokens(own, gold)
        # An underscore means that there is no value; only features may be missing.
        if column != "FEATS" and "_" in own.tags[0]:
            place = own.place_of(own.tags[0].index("_"))
            raise ValueError(f"{place}, has no {column}; fill it, or choose another column with field=")
    documents = _documents(gold, unit, "# newdoc")
    units = np.arange(len(gold.lengths)) if documents is None else documents
    predicted = {name: own.tags[0] for name, own in sides.items()}
    ev = from_labels(gold.tags[0], predicted, groups=np.repeat(units, gold.lengths), **options)
    assert ev.units is not None, "groups are units"
    return replace(ev, units=replace(ev.units, name=unit))


def _holds_words(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether lines have ten columns between tabs, and begin with a number."""
    rows = [line.split("\t") for line in file.lines[:1000] if line.strip() and not line.startswith("#")]
    n_words = sum(len(row) == 10 and row[0][:1].isdecimal() for row in rows)
    return n_words > 0.9 * len(rows)


CONLLU = Format(
    "conllu",
    "a CoNLL-U file (ten columns)",
    _holds_words,
    ("field", "unit", "positive"),
    _read_words,
    folder="*.conllu *.conllu.gz",
    gold_file=True,
)
