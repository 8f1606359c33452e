"""Column files with one token a line and its tags, as the CoNLL shared tasks use them."""

from __future__ import annotations

import re
import warnings
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, islice
from operator import ne
from typing import Any, TypeAlias

import numpy as np

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import nearest
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, Place, Request, check_same_names
from bayesf1.io.labels import from_labels
from bayesf1.io.tags import TagError, flat_spans, from_span_table

# Tokens take some fifty bytes each, so that this is the largest file that a laptop holds.
_MAX_BYTES = 1 << 29
# As many lines tell what a column holds.
_SAMPLE = 1000
_BLANKS = " \t\v\f"
_DOCSTART = re.compile(r"-DOCSTART-(?![^ \t])")
# Only lines that begin with one of these can be blank, a document's start or a comment.
_ODD = np.frombuffer(b"#-" + _BLANKS.encode(), np.uint8)
_COMMENT = ("# ", "#begin document", "#end document")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
# A range of words that are written as one, or an empty node.
_NO_WORD = re.compile(r"[0-9]+[-.][0-9]+\t")
_PREFIXES = frozenset("BIOESLUM")
UNITS = ("sentence", "document")
# What can be compared of CoNLL-U, and its column.
_FIELDS = {"UPOS": 3, "XPOS": 4, "FEATS": 5, "DEPREL": 7}

# A file, or several that follow one another.
Files: TypeAlias = Sequence[InputFile]


@dataclass(frozen=True, eq=False)
class _Columns:
    """The tokens of files that follow one another, and their tags in some columns."""

    files: Files
    tags: list[list[str]]
    tokens: list[str] = field(default_factory=list)
    # Of each token its line, from 1; of each sentence its number of tokens and its document; of each file its end.
    lines: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def spot(self, token: int) -> str:
        """Say in which file and line a token stands."""
        return f"{self.files[bisect(self.ends, token)]}, line {self.lines[token]}"


def _fields(line: str) -> list[str]:
    if "\t" in line:
        return line.split("\t")
    # str.split() without argument would also split at no-break spaces, which tokens may hold.
    row = line.split(" ")
    return [field for field in row if field] if "" in row else row


def _read_columns(files: Files, columns: Sequence[int], token: int = 0) -> _Columns:
    r"""Read column files: one token a line, a blank line after each sentence; each file begins a document.

    If the first line with a token has a tab, all are split at tabs, so that fields may hold blanks; else at runs of blanks.
    All have the same number of columns. A line that begins with ``-DOCSTART-`` or ``# newdoc`` begins a document. A line
    that begins with ``# `` where a sentence might begin is a comment unless it has just as many columns: in a file of two
    columns ``# O`` is a token, and ``# sent_id = 1`` is none. Of CoNLL-U, whose token stands second, lines with another
    number than a word's, as ``1-2``, are passed over.
    """
    own = _Columns(files, [[] for _ in columns])
    needed = max(column + 1 if column > 0 else 1 - column for column in columns)
    for file in files:
        text = file.text(_MAX_BYTES)
        lines = as_written = text.split("\n")
        filled = (line for line in lines if line.strip(_BLANKS) and not _DOCSTART.match(line))
        # Comments come before tokens, so a file of nothing but # lines still ends with a token.
        model = next((line for line in filled if line[0] != "#"), None) or _last_filled(file, lines)
        separator = "\t" if "\t" in model else " "
        if separator == " " and any(run in text for run in ("  ", " \n", "\n ")):
            # Not by str.split() without argument, which splits at no-break spaces, too, which tokens may hold.
            lines = [line.strip(" ") for line in re.sub("  +", " ", text).split("\n")]
            text = "\n".join(lines)
        width = len(_fields(model))
        letters = np.frombuffer(text.encode(), np.uint8)
        starts = np.append(0, np.flatnonzero(letters == ord("\n")) + 1)
        separators = np.flatnonzero(letters == ord(separator))
        n_columns = 1 + np.diff(np.searchsorted(separators, np.append(starts, letters.size)))
        # Few lines are no plain tokens, and only these are looked at one by one.
        odd = np.isin(np.append(letters, 0)[starts], _ODD) | (n_columns != width)
        if token:
            odd |= np.fromiter((_NO_WORD.match(line) is not None for line in lines), bool, len(lines))
        is_token, breaks, documents = np.ones(len(lines), dtype=bool), list[int](), list[int]()
        for i in np.flatnonzero(odd).tolist():
            line = lines[i]
            if not line.strip(_BLANKS) or _DOCSTART.match(line):
                is_token[i] = False
                breaks.append(i)
                documents += [i] if "-" in line else []
                continue
            inside = is_token[breaks[-1] + 1 if breaks else 0 : i].any()
            comment = not inside and n_columns[i] != width and as_written[i].startswith(_COMMENT)
            if comment or (token and _NO_WORD.match(line)):
                is_token[i] = False
                documents += [i] if line.startswith("# newdoc") else []
            elif n_columns[i] != width:
                right = f"{width} as all"
                raise ValueError(f"{file}, line {i + 1}, has {n_columns[i]} columns, but should have {right}")
        at = np.flatnonzero(is_token)
        if not at.size:
            raise ValueError(f"{file} has no word, but should have one a line")
        if width < needed:
            right = f"at least {needed}, the token's and the tags'"
            raise ValueError(f"{file}, line {at[0] + 1}, has {width} columns, but should have {right}")
        begins = np.flatnonzero(np.diff(np.searchsorted(breaks, at), prepend=-1))
        before = np.searchsorted(documents, at[begins])
        number = np.cumsum(np.append(1, np.diff(before) > 0)) + (own.documents[-1] if own.documents else -1)
        own.documents.extend(number.tolist())
        own.lengths.extend(np.diff(np.append(begins, at.size)).tolist())
        own.lines.extend((at + 1).tolist())
        # Cells in one list: a list a line would take the collector of garbage twice as long as reading.
        cells = separator.join(compress(lines, is_token.tolist())).split(separator)
        own.tokens.extend(cells[token::width])
        for column, tags in zip(columns, own.tags, strict=True):
            found = cells[column % width :: width]
            if separator == "\t":
                found = [cell.strip(" ") for cell in found]
            if "" in found:
                raise ValueError(f"{file}, line {at[found.index('')] + 1}, has an empty column {column}")
            tags.extend(found)
        own.ends.append(len(own.tokens))
    return own


def _last_filled(file: InputFile, lines: Sequence[str]) -> str:
    for line in reversed(lines):
        if line.strip(_BLANKS) and not _DOCSTART.match(line):
            return line
    raise ValueError(f"{file} has no sentence, but should have one token a line with its tag")


def _line_up(own: _Columns, gold: _Columns) -> None:
    """Check that two files hold the same sentences; tokens spelled differently get one warning."""
    if own.lengths != gold.lengths:
        pairs = zip(own.lengths, gold.lengths, strict=False)
        at = next(
            (i for i, (a, b) in enumerate(pairs) if a != b), min(len(own.lengths), len(gold.lengths)) - 1
        )
        begins = [
            f"{side.spot(sum(side.lengths[:at]))}, begins sentence {at + 1} of {len(side.lengths)} with "
            f"{side.lengths[at]} tokens"
            for side in (own, gold)
        ]
        raise ValueError(f"{' where '.join(begins)}; the two files should hold the same sentences and tokens")
    if own.tokens != gold.tokens:
        changed = [i for i, differs in enumerate(map(ne, own.tokens, gold.tokens)) if differs]
        mine, theirs = (f"{side.tokens[changed[0]]!r} ({side.spot(changed[0])})" for side in (own, gold))
        warnings.warn(
            f"{own.files[0]} spells {len(changed)} of its tokens differently from {gold.files[0]}; the first is "
            f"{mine} for {theirs}",
            UserWarning,
            stacklevel=3,
        )


def _n_numbers_behind(file: InputFile) -> int:
    """Return how many columns behind the tags hold numbers alone, such as a tagger's confidence."""
    rows = _sample(file)
    width = min(map(len, rows), default=0)
    behind = 0
    while behind < width - 1 and all(_NUMBER.fullmatch(row[-1 - behind].strip()) for row in rows):
        behind += 1
    return behind


# ---- the format among others ------------------------------------------------------------------------------


def _sample(file: InputFile) -> list[list[str]]:
    """Return the fields of the first lines that hold tokens."""
    filled = (line for line in file.lines if line.strip() and not line.startswith(("#", "-DOCSTART-")))
    return [_fields(line) for line in islice(filled, _SAMPLE)]


def _is_tag(text: str) -> bool:
    """Whether a field reads as a tag of some scheme: O, or a prefix and a type."""
    prefix, dash, kind = text.strip().partition("-")
    return bool(prefix) and prefix[0] in _PREFIXES and len(prefix) <= 2 and (not dash or bool(kind))


def _holds_tags(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether lines have the same few columns, one of which behind the token holds tags."""
    rows = _sample(file)
    if options.keys() & {"correct", "scores"} or not rows:
        return False
    width = len(rows[0])
    alike = [row for row in rows if len(row) == width]
    if len(alike) < 0.9 * len(rows):
        return False
    tags = [i for i in range(1, width) if sum(_is_tag(row[i]) for row in alike) > 0.9 * len(alike)]
    if "gold" not in options:
        return bool(tags)
    # Where a column is named, tags below a header make a table.
    return options["gold"] not in rows[0] and any(_is_tag(rows[0][i]) for i in tags)


def _column(number: Any, name: str) -> int | None:
    """Return the index of a column that was counted from 1, or from -1 at the end."""
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int) or number in (0, 1):
        raise ValueError(f"{name}= is {number!r}; columns are counted from 1, the token's, or from -1")
    return number - 1 if number > 0 else number


def _files(places: Sequence[Place]) -> list[Files]:
    """Return the files of each place, those of folders in one order, matched by their names."""
    first = places[0]
    if any(place.folder != first.folder for place in places):
        raise ValueError(f"{first} and the models' are not all folders, or not all files; give one kind")
    if first.folder:
        check_same_names({str(place): place for place in places}, first)
        return [[place.opened(place.paths[name]) for name in first.paths] for place in places]
    return [[place.file] for place in places]


def gold_and_models(request: Request, what: str) -> tuple[Files, dict[str, Files]]:
    """Return the files of gold and of each model, where gold has its own."""
    models = request.named_models(what)
    if request.alone is None:
        raise ValueError(f"{request.places[0]} is of a model; give gold's, too, by gold_file=")
    gold, *others = _files([request.alone, *models.values()])
    return gold, dict(zip(models, others, strict=True))


def _read(request: Request) -> Evaluation:
    """Lay the tags of gold and of models for the same tokens side by side, and count their spans."""
    gold, options = None, dict(request.options)
    if request.alone is not None and request.models:
        gold, models = gold_and_models(request, "a column file")
    else:
        # A file that stands alone has gold and predicted tags of one model.
        places = request.models or {"model": request.places[0]}
        models = dict(zip(places, _files([*places.values()]), strict=True))
    of_gold, of_model = (
        _column(options.pop(name, None), name) for name in ("gold_column", "predicted_column")
    )
    by_type, unit = options.pop("by_type", False), options.pop("unit", "sentence")
    if unit not in UNITS:
        raise ValueError(f"unknown unit {unit!r}; {nearest(str(unit), UNITS)}")
    truth = None if gold is None else _read_columns(gold, [of_gold or -1 - _n_numbers_behind(gold[0])])
    sides: dict[str, _Columns] = {}
    for name, files in models.items():
        behind = _n_numbers_behind(files[0])
        columns = [of_gold or -2 - behind, of_model or -1 - behind]
        own = _read_columns(files, columns if gold is None else columns[1:])
        truth = truth or own
        _line_up(own, truth)
        if gold is None and own.tags[0] != truth.tags[0]:
            differs = map(ne, own.tags[0], truth.tags[0])
            at = next(i for i, here in enumerate(differs) if here)
            raise ValueError(f"{own.spot(at)}, has another gold tag than {truth.spot(at)}; give all the same")
        sides[f"model {name!r}"] = own
    assert truth is not None
    if unit == "document" and truth.documents[-1] == 0:
        raise ValueError("gold has a single document, as it has no -DOCSTART- lines; use unit='sentence'")
    predicted = dict(zip(models, (own.tags[-1] for own in sides.values()), strict=True))
    try:
        # Not by `from_tags`, whose check of its arguments would take as long as all else: these tags were read as text.
        table = flat_spans(truth.tags[0], predicted, np.array(truth.lengths), **options)
    except TagError as error:
        spot = sides.get(error.owner, truth).spot(error.place)
        raise ValueError(
            f"{spot}, has tag {error.tag!r}, which {error.complaint}; is it another scheme=?"
        ) from None
    ev = from_span_table(table, groups=truth.documents if unit == "document" else None, by_type=by_type)
    doubts = _doubts(models) if gold is None and of_gold is of_model is None else ()
    return replace(ev, remarks=doubts)


def _doubts(models: Mapping[str, Files]) -> tuple[str, ...]:
    """Say in which files a third column has tags of the types of the last two: gold, or another system's."""
    found = []
    for file, *_ in models.values():
        rows = _sample(file)
        width = min(map(len, rows), default=1) - _n_numbers_behind(file)
        types = [
            {row[i].partition("-")[2] for row in rows if _is_tag(row[i])} - {""} for i in range(1, width)
        ]
        third, gold, predicted = ([set[str]()] * 3 + types)[-3:]
        if third and third <= gold | predicted:
            found.append(
                f"{file} has tags of the same types in more than two columns, of which the last two were taken for gold and "
                "predicted; gold_column and predicted_column name others."
            )
    return tuple(dict.fromkeys(found))


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


def _read_words(request: Request) -> Evaluation:
    """Compare one column of CoNLL-U, word by word."""
    options = dict(request.options)
    gold, models = gold_and_models(request, "a CoNLL-U file")
    asked, unit = str(options.pop("field", "UPOS")).upper(), options.pop("unit", "sentence")
    for name, value, known in (("field", asked, _FIELDS), ("unit", unit, UNITS)):
        if value not in known:
            raise ValueError(f"{name}={value!r} cannot be compared; {nearest(str(value), known)}")
    truth, *sides = (_read_columns(files, [_FIELDS[asked]], token=1) for files in (gold, *models.values()))
    for own in (truth, *sides):
        _line_up(own, truth)
        if asked != "FEATS" and "_" in own.tags[0]:
            spot = own.spot(own.tags[0].index("_"))
            raise ValueError(f"{spot}, has no {asked}; fill it, or choose another column by field=")
    if unit == "document" and truth.documents[-1] == 0:
        raise ValueError(f"{gold[0]} has no '# newdoc' lines; use unit='sentence'")
    units = truth.documents if unit == "document" else range(len(truth.lengths))
    predicted = {name: own.tags[0] for name, own in zip(models, sides, strict=True)}
    ev = from_labels(truth.tags[0], predicted, groups=np.repeat(units, truth.lengths), **options)
    return replace(ev, units=ev.units and replace(ev.units, name=unit))


def _holds_words(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether lines have ten columns between tabs, and begin with a number."""
    rows = [line.split("\t") for line in file.lines[:1000] if line.strip() and not line.startswith("#")]
    return bool(rows) and sum(len(row) == 10 and row[0][:1].isdecimal() for row in rows) > 0.9 * len(rows)


CONLLU = Format(
    "conllu",
    "a CoNLL-U file (ten columns)",
    _holds_words,
    ("field", "unit", "positive"),
    _read_words,
    folder="*.conllu *.conllu.gz",
    gold_file=True,
)
