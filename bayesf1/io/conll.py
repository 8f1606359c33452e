"""Column files of tags: one token a line, as the CoNLL shared tasks have it, and CoNLL-U."""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import AnyArray, BoolArray, IntArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import check_known, counted, nearest
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, InputFiles, ReadRequest, gold_and_models, matched_files
from bayesf1.io.labels import from_labels
from bayesf1.io.tags import CodedTags, TagError, flat_spans, from_span_table, owner_of

UNITS = ("sentence", "document")
# As many lines tell what a column holds.
_SAMPLE = 1000
_BLANKS = " \t\v\f"
_DOCSTART = re.compile(r"-DOCSTART-(?![^ \t])")
_COMMENT = ("# ", "#begin document", "#end document")
# Only lines that begin with one of these can be blank, a document's start or a comment.
_FIRST_BYTES_OF_OTHERS = np.frombuffer(b"#-" + _BLANKS.encode(), np.uint8)
# Masks of the first letters of eight, by their number.
_FIRST_LETTERS = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_PREFIXES = frozenset("BIOESLUM")
# CoNLL-U: a range of words that are written as one, or an empty node; and the columns that can be compared.
_NO_WORD = re.compile(r"[0-9]+[-.][0-9]+\t")
_FIELDS = {"UPOS": 3, "XPOS": 4, "FEATS": 5, "DEPREL": 7}


@dataclass(frozen=True, eq=False)
class _Columns:
    """The tokens of files that follow one another, and their tags in some columns."""

    files: InputFiles
    # The first line of each file among the lines of all, which count from 0.
    first_lines: Sequence[int]
    tags: Sequence[CodedTags]
    # The letters of all tokens together; for each token its number of letters, and its line.
    letters: NDArray[np.uint8]
    widths: IntArray
    lines: IntArray
    # For each sentence its number of tokens, and its document.
    lengths: IntArray
    documents: IntArray

    def place_of(self, token: int) -> str:
        """Say in which file and line a token stands."""
        return _place_of(int(self.lines[token]), self.files, self.first_lines)

    def tokens(self) -> list[str]:
        """Return the tokens."""
        data = self.letters.tobytes()
        ends = np.cumsum(self.widths).tolist()
        return [data[begin:end].decode() for begin, end in pairwise([0, *ends])]


def _place_of(line: int, files: InputFiles, first_lines: Sequence[int]) -> str:
    file = bisect(first_lines, line) - 1
    return f"{files[file]}, line {line - first_lines[file] + 1}"


def _read_columns(files: InputFiles, columns: Sequence[int], *, token_column: int = 0) -> _Columns:
    r"""Read column files: one token a line, a blank line after each sentence; each file begins a document.

    If the first line with a token has a tab, all lines are split at tabs, so that fields may hold blanks; else at runs of
    blanks. All have the same number of columns. A line that begins with ``-DOCSTART-`` or ``# newdoc`` begins a document.
    A line that begins with ``# `` where a sentence might begin is a comment unless it has just as many columns: in a file
    of two columns ``# O`` is a token, and ``# sent_id = 1`` is not. In CoNLL-U, whose token stands second, lines that
    number more or less than a word, as ``1-2``, are left out.
    """
    texts = [file.text() for file in files]
    first_lines = [*accumulate((text.count("\n") + 2 for text in texts[:-1]), initial=0)]
    text = "\n-DOCSTART-\n".join(texts)
    example = _first_token(files[0], text)
    n_columns = len(_fields(example))
    separator = "\t" if "\t" in example else " "
    lines = _Lines.split(text, separator)

    def wrong(line: int, complaint: str) -> ValueError:
        return ValueError(f"{_place_of(line, files, first_lines)}, {complaint}")

    sorted_lines = _sort_lines(lines, n_columns, has_word_numbers=token_column > 0)
    if sorted_lines.ragged is not None:
        found = counted(int(lines.n_columns[sorted_lines.ragged]), "column")
        raise wrong(sorted_lines.ragged, f"has {found}, but all others have {n_columns}")
    of_tokens = np.flatnonzero(sorted_lines.is_token)
    for file, begin, end in zip(files, first_lines, [*first_lines[1:], len(lines.starts)], strict=True):
        if not sorted_lines.is_token[begin:end].any():
            raise ValueError(f"{file} has no words, but should have one on each line")
    n_needed = 1 + max(abs(column) for column in columns)
    if n_columns < n_needed:
        needed = f"at least {n_needed}, the token's and the tags'"
        raise wrong(int(of_tokens[0]), f"has {n_columns} columns, but should have {needed}")

    tags = []
    for column in columns:
        begins, ends = lines.cells(of_tokens, column % n_columns, n_columns)
        coded = _coded(lines.data, begins, ends)
        if "" in coded.names:
            empty = int(of_tokens[np.argmax(coded.codes == coded.names.index(""))])
            raise wrong(empty, f"has an empty column {column}")
        tags.append(coded)

    token_begins, token_ends = lines.cells(of_tokens, token_column, n_columns)
    # The sentence of a token is the number of breaks before it.
    first_tokens = np.flatnonzero(np.diff(np.searchsorted(sorted_lines.breaks, of_tokens), prepend=-1))
    n_documents_begun = np.searchsorted(sorted_lines.document_starts, of_tokens[first_tokens])
    return _Columns(
        files,
        first_lines,
        tags,
        letters=_letters_between(lines.letters, token_begins, token_ends),
        widths=token_ends - token_begins,
        lines=of_tokens,
        lengths=np.diff(np.append(first_tokens, of_tokens.size)),
        documents=np.cumsum(np.append(0, np.diff(n_documents_begun) > 0)),
    )


@dataclass(frozen=True, eq=False)
class _Lines:
    """The lines of a text and their fields, as places in its bytes."""

    data: bytes
    letters: NDArray[np.uint8]
    # Where each line begins and ends.
    starts: IntArray
    stops: IntArray
    # Where separators stand, and how many stand before each line and in all.
    separators: IntArray
    n_before: IntArray
    # The lines as they were written, if blanks were taken out.
    as_written: Sequence[str] | None

    @classmethod
    def split(cls, text: str, separator: str) -> _Lines:
        """Split a text at a separator, where a run of blanks counts as one."""
        data = text.encode()
        as_written = None
        if separator == " " and _has_spare_blanks(data):
            as_written = text.split("\n")
            # Not by str.split() without argument, which also splits at no-break spaces, which tokens may hold.
            squeezed = re.sub("  +", " ", text).split("\n")
            data = "\n".join(line.strip(" ") for line in squeezed).encode()
        letters = np.frombuffer(data, np.uint8)
        stops = np.append(np.flatnonzero(letters == ord("\n")), len(data))
        starts = np.append(0, stops[:-1] + 1)
        separators = np.flatnonzero(letters == ord(separator))
        n_before = np.searchsorted(separators, np.append(starts, len(data)))
        return cls(data, letters, starts, stops, separators, n_before, as_written)

    @cached_property
    def n_columns(self) -> IntArray:
        """The number of fields of each line."""
        return 1 + np.diff(self.n_before)

    def line(self, number: int) -> str:
        """Return a line."""
        return self.data[self.starts[number] : self.stops[number]].decode()

    def cells(self, of_lines: IntArray, column: int, n_columns: int) -> tuple[IntArray, IntArray]:
        """Return where the cells of a column begin and end, in lines that have `n_columns` each."""
        first = self.n_before[of_lines]
        begins = self.starts[of_lines] if column == 0 else self.separators[first + column - 1] + 1
        ends = self.stops[of_lines] if column == n_columns - 1 else self.separators[first + column]
        return begins, ends


def _has_spare_blanks(data: bytes) -> bool:
    """Return whether a blank stands beside another or at an end of a line."""
    letters = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    blank = letters == ord(" ")
    blank_or_end = blank | (letters == ord("\n"))
    return bool((blank[1:] & blank_or_end[:-1] | blank[:-1] & blank_or_end[1:]).any())


class _SortedLines(NamedTuple):
    """Which lines are tokens, and what others mean."""

    is_token: BoolArray
    # Lines between sentences, and those that begin a document, both in order.
    breaks: list[int]
    document_starts: list[int]
    # The first line that should be a token, but has another number of columns; None if all have the same.
    ragged: int | None = None


def _sort_lines(lines: _Lines, n_columns: int, *, has_word_numbers: bool) -> _SortedLines:
    """Tell tokens from breaks between sentences, starts of documents and comments."""
    is_token = lines.stops > lines.starts
    first_bytes = np.append(lines.letters, 0)[lines.starts]
    # Few lines may be something else than a token, and only these are looked at one by one.
    doubtful = np.isin(first_bytes, _FIRST_BYTES_OF_OTHERS) | (lines.n_columns != n_columns)
    if has_word_numbers:
        every_line = lines.data.decode().split("\n")
        doubtful |= np.array([_NO_WORD.match(line) is not None for line in every_line])
    breaks = np.flatnonzero(~is_token).tolist()
    document_starts: list[int] = []
    for i in np.flatnonzero(doubtful & is_token).tolist():
        line = lines.line(i)
        if not line.strip(_BLANKS):
            is_token[i] = False
            insort(breaks, i)
        elif _DOCSTART.match(line):
            is_token[i] = False
            insort(breaks, i)
            document_starts.append(i)
        elif has_word_numbers and _NO_WORD.match(line):
            is_token[i] = False
        elif lines.n_columns[i] != n_columns:
            n_breaks = bisect(breaks, i)
            sentence_start = breaks[n_breaks - 1] + 1 if n_breaks > 0 else 0
            inside_sentence = is_token[sentence_start:i].any()
            written = line if lines.as_written is None else lines.as_written[i]
            if inside_sentence or not written.startswith(_COMMENT):
                return _SortedLines(is_token, breaks, document_starts, ragged=i)
            is_token[i] = False
            if line.startswith("# newdoc"):
                document_starts.append(i)
    return _SortedLines(is_token, breaks, document_starts)


def _letters_between(letters: NDArray[np.uint8], begins: IntArray, ends: IntArray) -> NDArray[np.uint8]:
    """Return the letters of places in order, one place after another."""
    edges = np.stack([begins, ends], axis=1).ravel()
    stretches = np.diff(edges, prepend=0, append=len(letters))
    # Every other stretch is a place.
    within: BoolArray = np.repeat(np.arange(stretches.size) % 2 == 1, stretches)
    return np.compress(within, letters)


def _fields(line: str) -> list[str]:
    if "\t" in line:
        return line.split("\t")
    # str.split() without argument would also split at no-break spaces, which tokens may hold.
    return [field for field in line.split(" ") if field]


def _first_token(file: InputFile, text: str) -> str:
    """Return the first line of a token; if all lines begin with #, the last, as comments come before tokens."""
    last = None
    for match in re.finditer("[^\n]+", text):
        line = match[0]
        if line.strip(_BLANKS) and not _DOCSTART.match(line):
            last = line
            if not line.startswith("#"):
                break
    if last is None:
        raise ValueError(f"{file} has no sentence, but should have one token per line, with its tag")
    return last


def _coded(data: bytes, begins: IntArray, ends: IntArray) -> CodedTags:
    """Return the tags between places of a text."""
    widths = ends - begins
    # Eight letters are one number, and a tag is its length and some of these: several times as fast as strings.
    eights: NDArray[np.uint64] = np.ndarray(len(data) + 1, "<u8", data + bytes(8), strides=(1,))
    distinct, codes = _numbered(widths)
    for offset in range(0, int(widths.max()), 8):
        mask = _FIRST_LETTERS[np.clip(widths - offset, 0, 8)]
        letters = eights[np.minimum(begins + offset, len(data))] & mask
        distinct_letters, own = _numbered(letters)
        distinct, codes = _numbered(codes * len(distinct_letters) + own)
    first = np.zeros(len(distinct), dtype=np.int64)
    first[codes[::-1]] = np.arange(codes.size)[::-1]
    return CodedTags(codes, [data[begins[i] : ends[i]].decode().strip(" ") for i in first])


def _numbered(values: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the distinct values, sorted, and which of them each is; most are among the first thousand."""
    distinct = np.unique(values[:1000])
    codes = np.searchsorted(distinct, values)
    if (distinct.take(codes, mode="clip") != values).any():
        distinct, codes = np.unique(values, return_inverse=True)
    return distinct, codes


def _check_same_tokens(own: _Columns, gold: _Columns) -> None:
    """Check that two files hold the same sentences; tokens spelled differently get one warning."""
    if not np.array_equal(own.lengths, gold.lengths):
        n_common = min(len(own.lengths), len(gold.lengths))
        differing = np.flatnonzero(own.lengths[:n_common] != gold.lengths[:n_common])
        sentence = int(differing[0]) if differing.size > 0 else n_common - 1
        raise ValueError(
            f"{_sentence_start(own, sentence)}, but {_sentence_start(gold, sentence)}; the two files should hold the same "
            "sentences and tokens"
        )
    if not (np.array_equal(own.widths, gold.widths) and np.array_equal(own.letters, gold.letters)):
        own_tokens = own.tokens()
        gold_tokens = gold.tokens()
        changed = [i for i, token in enumerate(own_tokens) if token != gold_tokens[i]]
        first = changed[0]
        warn_caller(
            f"{own.files[0]} spells {len(changed)} of its tokens differently from {gold.files[0]}; the first is "
            f"{own_tokens[first]!r} ({own.place_of(first)}) for {gold_tokens[first]!r} ({gold.place_of(first)})"
        )


def _sentence_start(side: _Columns, sentence: int) -> str:
    first_token = int(side.lengths[:sentence].sum())
    return (
        f"{side.place_of(first_token)}, begins sentence {sentence + 1} of {len(side.lengths)} with "
        f"{side.lengths[sentence]} tokens"
    )


def _n_trailing_numbers(file: InputFile) -> int:
    """Return how many columns after the tags hold numbers alone, such as a tagger's confidence."""
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
    return [_fields(line) for line in islice(filled, _SAMPLE)]


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
    doubts: tuple[str, ...] = ()
    if request.alone is not None and request.models:
        gold_files, models = gold_and_models(request, "a column file")
        gold, sides = _read_beside_gold(gold_files, models, gold_column, predicted_column)
    else:
        models = _files_of_models(request)
        gold, sides = _read_with_gold(models, gold_column, predicted_column)
        if gold_column is None and predicted_column is None:
            doubts = _doubts(models)
    documents = _documents(gold, unit, "-DOCSTART-")
    predicted = {name: own.tags[-1] for name, own in sides.items()}
    try:
        # Not by `from_tags`, whose check of its arguments would take as long as all else: these tags were read as text.
        table = flat_spans(gold.tags[0], predicted, gold.lengths, **options)
    except TagError as error:
        by_owner = {owner_of(name): own for name, own in sides.items()}
        place = by_owner.get(error.owner, gold).place_of(error.place)
        raise ValueError(f"{place}, has tag {error.tag!r}, which {error.complaint}; see scheme=") from None
    ev = from_span_table(table, groups=documents, by_type=by_type)
    return replace(ev, remarks=(*ev.remarks, *doubts))


def _files_of_models(request: ReadRequest) -> dict[str, InputFiles]:
    """Return the files of each model; a file that stands alone is that of one model, which has no name."""
    places = request.models
    if request.alone is not None:
        places = {"model": request.alone}
    return dict(zip(places, matched_files([*places.values()]), strict=True))


def _read_beside_gold(
    gold_files: InputFiles,
    models: Mapping[str, InputFiles],
    gold_column: int | None,
    predicted_column: int | None,
) -> tuple[_Columns, dict[str, _Columns]]:
    """Return the tags of gold, which has files of its own, and those of each model."""
    if gold_column is None:
        gold_column = -1 - _n_trailing_numbers(gold_files[0])
    gold = _read_columns(gold_files, [gold_column])
    sides = {}
    for name, files in models.items():
        column = -1 - _n_trailing_numbers(files[0]) if predicted_column is None else predicted_column
        sides[name] = _read_columns(files, [column])
        _check_same_tokens(sides[name], gold)
    return gold, sides


def _read_with_gold(
    models: Mapping[str, InputFiles], gold_column: int | None, predicted_column: int | None
) -> tuple[_Columns, dict[str, _Columns]]:
    """Return the tags of gold and of each model, given files that hold both."""
    sides: dict[str, _Columns] = {}
    for name, files in models.items():
        n_trailing = _n_trailing_numbers(files[0])
        own_gold_column = -2 - n_trailing if gold_column is None else gold_column
        own_predicted_column = -1 - n_trailing if predicted_column is None else predicted_column
        sides[name] = _read_columns(files, [own_gold_column, own_predicted_column])
        gold = next(iter(sides.values()))
        _check_same_tokens(sides[name], gold)
        _check_same_gold(sides[name], gold)
    return gold, sides


def _check_same_gold(own: _Columns, gold: _Columns) -> None:
    """Raise a ValueError for a token that has other gold tags in two files."""
    own_tags = own.tags[0].tolist()
    gold_tags = gold.tags[0].tolist()
    if own_tags != gold_tags:
        token = next(i for i, tag in enumerate(own_tags) if tag != gold_tags[i])
        raise ValueError(
            f"{own.place_of(token)}, has a different gold tag from {gold.place_of(token)}; give all the same"
        )


def _documents(gold: _Columns, unit: str, begins: str) -> IntArray | None:
    """Return the document of each sentence if documents are the units, or say that there is just one."""
    check_known(unit, "unit", UNITS)
    if unit == "sentence":
        return None
    if gold.documents[-1] == 0:
        raise ValueError(f"{gold.files[0]} is a single document without {begins} lines; use unit='sentence'")
    return gold.documents


def _doubts(models: Mapping[str, InputFiles]) -> tuple[str, ...]:
    """Say in which files a third column has tags of the types of the last two: gold, or another model's."""
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
    field = str(options.pop("field", "UPOS")).upper()
    unit = options.pop("unit", "sentence")
    if field not in _FIELDS:
        raise ValueError(f"field={field!r} cannot be compared; {nearest(field, _FIELDS)}")
    columns = [_FIELDS[field]]
    gold = _read_columns(gold_files, columns, token_column=1)
    sides = {name: _read_columns(files, columns, token_column=1) for name, files in models.items()}
    for own in (gold, *sides.values()):
        _check_same_tokens(own, gold)
        values = own.tags[0]
        # An underscore stands for no value, but a word may well have no features.
        if field != "FEATS" and "_" in values.names:
            token = int(np.argmax(values.codes == values.names.index("_")))
            raise ValueError(
                f"{own.place_of(token)}, has no {field}; fill it, or choose another column with field="
            )
    documents = _documents(gold, unit, "# newdoc")
    units = np.arange(len(gold.lengths)) if documents is None else documents
    predicted = {name: own.tags[0].tolist() for name, own in sides.items()}
    ev = from_labels(gold.tags[0].tolist(), predicted, groups=np.repeat(units, gold.lengths), **options)
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
