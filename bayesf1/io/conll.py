"""Tags and spans in files: one token a line, as the CoNLL shared tasks have it, CoNLL-U, and brat's stand-off annotation."""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise
from operator import ne
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import AnyArray, IntArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import check_known, counted, listing, nearest
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, InputSource, ReadRequest
from bayesf1.io.labels import from_labels
from bayesf1.io.tags import CodedTags, SpanTable, TagError, chosen_types, flat_spans, from_span_table

# As many lines tell what a column holds.
_SAMPLE = 1000
_BLANKS = " \t\v\f"
_DOCSTART = re.compile(r"-DOCSTART-(?![^ \t])")
# Only lines that begin with one of these can be blank, a document's start or a comment.
_ODD = np.frombuffer(b"#-" + _BLANKS.encode(), np.uint8)
# Masks of the first letters of eight, by their number.
_FIRST_LETTERS = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
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
    # The first line of each file among all, which count from 0.
    first_lines: list[int]
    tags: list[CodedTags]
    # The letters of all tokens; of each token its number of letters and its line; of each sentence its number of tokens
    # and its document.
    letters: NDArray[np.uint8]
    widths: IntArray
    lines: IntArray
    lengths: IntArray
    documents: IntArray

    def spot(self, token: int) -> str:
        """Say in which file and line a token stands."""
        return _spot(self.files, self.first_lines, int(self.lines[token]))

    def tokens(self) -> list[str]:
        """Return the tokens."""
        data, ends = self.letters.tobytes(), np.cumsum(self.widths).tolist()
        return [data[begin:end].decode() for begin, end in pairwise([0, *ends])]


def _spot(files: Files, first_lines: Sequence[int], line: int) -> str:
    file = bisect(first_lines, line) - 1
    return f"{files[file]}, line {line - first_lines[file] + 1}"


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

    def wrong(line: int, what: str) -> ValueError:
        return ValueError(f"{_spot(files, first_lines, int(line))}, {what}")

    texts = [file.text() for file in files]
    first_lines = [*accumulate((each.count("\n") + 2 for each in texts[:-1]), initial=0)]
    text = "\n-DOCSTART-\n".join(texts)
    model = _first_token(files[0], text)
    separator, as_written = "\t" if "\t" in model else " ", None
    data = text.encode()
    if separator == " " and _is_ragged(np.frombuffer(b"\n" + data + b"\n", np.uint8)):
        # Not by str.split() without argument, which splits at no-break spaces, too, which tokens may hold.
        as_written = text.split("\n")
        text = "\n".join(line.strip(" ") for line in re.sub("  +", " ", text).split("\n"))
        data = text.encode()
    width = len(_fields(model))
    letters = np.frombuffer(data, np.uint8)
    stops = np.append(np.flatnonzero(letters == ord("\n")), len(data))
    starts = np.append(0, stops[:-1] + 1)
    separators = np.flatnonzero(letters == ord(separator))
    before = np.searchsorted(separators, np.append(starts, len(data)))
    n_columns = 1 + np.diff(before)
    # Few lines are no plain tokens, and only these are looked at one by one.
    odd = np.isin(np.append(letters, 0)[starts], _ODD) | (n_columns != width)
    if token:
        odd |= np.array([_NO_WORD.match(line) is not None for line in text.split("\n")])
    is_token = stops > starts
    breaks, documents = np.flatnonzero(~is_token).tolist(), list[int]()
    for i in np.flatnonzero(odd & is_token).tolist():
        line = data[starts[i] : stops[i]].decode()
        if not line.strip(_BLANKS) or _DOCSTART.match(line):
            is_token[i] = False
            insort(breaks, i)
            documents += [i] if "-" in line else []
            continue
        last = bisect(breaks, i)
        inside = is_token[breaks[last - 1] + 1 if last else 0 : i].any()
        written = as_written[i] if as_written else line
        comment = not inside and n_columns[i] != width and written.startswith(_COMMENT)
        if comment or (token and _NO_WORD.match(line)):
            is_token[i] = False
            documents += [i] if line.startswith("# newdoc") else []
        elif n_columns[i] != width:
            raise wrong(i, f"has {counted(int(n_columns[i]), 'column')}, but all others have {width}")
    at = np.flatnonzero(is_token)
    for file, n_tokens in zip(files, np.diff(np.searchsorted(at, [*first_lines, len(starts)])), strict=True):
        if not n_tokens:
            raise ValueError(f"{file} has no words, but should have one on each line")
    needed = max(column + 1 if column > 0 else 1 - column for column in columns)
    if width < needed:
        right = f"at least {needed}, the token's and the tags'"
        raise wrong(at[0], f"has {width} columns, but should have {right}")

    def cells(column: int) -> tuple[IntArray, IntArray]:
        """Return where a column's cells begin and end."""
        left = separators[before[at] + column - 1] + 1 if column else starts[at]
        return left, separators[before[at] + column] if column < width - 1 else stops[at]

    tags = [_coded(data, *cells(column % width)) for column in columns]
    for column, own in zip(columns, tags, strict=True):
        if "" in own.names:
            raise wrong(at[np.argmax(own.codes == own.names.index(""))], f"has an empty column {column}")
    edges = np.stack(cells(token), axis=1)
    of_tokens = np.repeat(
        np.arange(2 * at.size + 1) % 2 > 0, np.diff(edges.ravel(), prepend=0, append=len(data))
    )
    begins = np.flatnonzero(np.diff(np.searchsorted(breaks, at), prepend=-1))
    return _Columns(
        files,
        first_lines,
        tags,
        letters=letters[of_tokens],
        widths=edges[:, 1] - edges[:, 0],
        lines=at,
        lengths=np.diff(np.append(begins, at.size)),
        documents=np.cumsum(np.append(0, np.diff(np.searchsorted(documents, at[begins])) > 0)),
    )


def _is_ragged(letters: NDArray[np.uint8]) -> bool:
    """Return whether a blank stands beside another or at a line's end."""
    blank = letters == ord(" ")
    either = blank | (letters == ord("\n"))
    return bool((blank[1:] & either[:-1] | blank[:-1] & either[1:]).any())


def _first_token(file: InputFile, text: str) -> str:
    """Return the first line of a token; of a file of nothing but # lines the last, as comments come before tokens."""
    lines = (found[0] for found in re.finditer("[^\n]+", text))
    filled = (line for line in lines if line.strip(_BLANKS) and not _DOCSTART.match(line))
    last = None
    for last in filled:
        if last[0] != "#":
            break
    if last is None:
        raise ValueError(f"{file} has no sentence, but should have one token per line, with its tag")
    return last


def _coded(data: bytes, left: IntArray, right: IntArray) -> CodedTags:
    """Return the tags between places of a text."""
    widths = right - left
    # Eight letters are one number, and a tag is its length and some of these: several times as fast as strings.
    eights: NDArray[np.uint64] = np.ndarray(len(data) + 1, "<u8", data + bytes(8), strides=(1,))
    known, codes = _numbered(widths)
    for k in range(0, int(widths.max()), 8):
        mask = _FIRST_LETTERS[np.clip(widths - k, 0, 8)]
        known, own = _numbered(eights[np.minimum(left + k, len(data))] & mask)
        known, codes = _numbered(codes * len(known) + own)
    first = np.zeros(len(known), dtype=np.int64)
    first[codes[::-1]] = np.arange(codes.size)[::-1]
    return CodedTags(codes, [data[left[i] : right[i]].decode().strip(" ") for i in first])


def _numbered(values: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the distinct values, sorted, and which of them each is; most are among the first thousand."""
    known = np.unique(values[:1000])
    codes = np.searchsorted(known, values)
    if (known.take(codes, mode="clip") != values).any():
        known, codes = np.unique(values, return_inverse=True)
    return known, codes


def _line_up(own: _Columns, gold: _Columns) -> None:
    """Check that two files hold the same sentences; tokens spelled differently get one warning."""
    if not np.array_equal(own.lengths, gold.lengths):
        pairs = zip(own.lengths, gold.lengths, strict=False)
        last = min(len(own.lengths), len(gold.lengths)) - 1
        at = next((i for i, (a, b) in enumerate(pairs) if a != b), last)
        begins = [
            f"{side.spot(sum(side.lengths[:at]))}, begins sentence {at + 1} of {len(side.lengths)} with "
            f"{side.lengths[at]} tokens"
            for side in (own, gold)
        ]
        raise ValueError(f"{', but '.join(begins)}; the two files should hold the same sentences and tokens")
    if not (np.array_equal(own.widths, gold.widths) and np.array_equal(own.letters, gold.letters)):
        mine, theirs = own.tokens(), gold.tokens()
        changed = [i for i, differs in enumerate(map(ne, mine, theirs)) if differs]
        i = changed[0]
        warn_caller(
            f"{own.files[0]} spells {len(changed)} of its tokens differently from {gold.files[0]}; the first is "
            f"{mine[i]!r} ({own.spot(i)}) for {theirs[i]!r} ({gold.spot(i)})"
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


def _files(places: Sequence[InputSource]) -> list[Files]:
    """Return the files of each place, those of folders in one order, matched by their names."""
    first = places[0]
    if any(place.folder != first.folder for place in places):
        raise ValueError(f"{first} and the models' are not all folders, or not all files; give one kind")
    if first.folder:
        for lacks, has in ((a, b) for place in places for a, b in ((place, first), (first, place))):
            if missing := [name for name in has.paths if name not in lacks.paths]:
                raise ValueError(
                    f"{lacks} has no file {listing(missing, most=3)}, but {has} has; files are matched by name"
                )
        return [[place.opened(place.paths[name]) for name in first.paths] for place in places]
    return [[place.file] for place in places]


def gold_and_models(request: ReadRequest, what: str) -> tuple[Files, dict[str, Files]]:
    """Return the files of gold and of each model, where gold has its own."""
    models = request.named_models(what)
    if request.alone is None:
        raise ValueError(f"{request.places[0]} is a model's file; also give the gold file with gold_file=")
    gold, *others = _files([request.alone, *models.values()])
    return gold, dict(zip(models, others, strict=True))


def _read(request: ReadRequest) -> Evaluation:
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
    truth = None if gold is None else _read_columns(gold, [of_gold or -1 - _n_numbers_behind(gold[0])])
    sides: dict[str, _Columns] = {}
    for name, files in models.items():
        behind = _n_numbers_behind(files[0])
        columns = [of_gold or -2 - behind, of_model or -1 - behind]
        own = _read_columns(files, columns if gold is None else columns[1:])
        truth = truth or own
        _line_up(own, truth)
        if gold is None and (theirs := own.tags[0].tolist()) != (tags := truth.tags[0].tolist()):
            at = next(i for i, differs in enumerate(map(ne, theirs, tags)) if differs)
            raise ValueError(
                f"{own.spot(at)}, has a different gold tag from {truth.spot(at)}; give all the same"
            )
        sides[f"model {name!r}"] = own
    assert truth is not None
    units = _units(truth, unit, "-DOCSTART-")
    predicted = dict(zip(models, (own.tags[-1] for own in sides.values()), strict=True))
    try:
        # Not by `from_tags`, whose check of its arguments would take as long as all else: these tags were read as text.
        table = flat_spans(truth.tags[0], predicted, truth.lengths, **options)
    except TagError as error:
        spot = sides.get(error.owner, truth).spot(error.place)
        raise ValueError(f"{spot}, has tag {error.tag!r}, which {error.complaint}; see scheme=") from None
    ev = from_span_table(table, groups=units, by_type=by_type)
    doubts = _doubts(models) if gold is None and of_gold is of_model is None else ()
    return replace(ev, remarks=(*ev.remarks, *doubts))


def _units(gold: _Columns, unit: str, begins: str) -> IntArray | None:
    """Return the document of each sentence where documents are the units, or say that there is just one."""
    check_known(unit, "unit", UNITS)
    if unit == "document" and gold.documents[-1] == 0:
        raise ValueError(f"{gold.files[0]} is a single document without {begins} lines; use unit='sentence'")
    return gold.documents if unit == "document" else None


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


def _read_words(request: ReadRequest) -> Evaluation:
    """Compare one column of CoNLL-U, word by word."""
    options = dict(request.options)
    gold, models = gold_and_models(request, "a CoNLL-U file")
    asked, unit = str(options.pop("field", "UPOS")).upper(), options.pop("unit", "sentence")
    if asked not in _FIELDS:
        raise ValueError(f"field={asked!r} cannot be compared; {nearest(asked, _FIELDS)}")
    truth, *sides = (_read_columns(files, [_FIELDS[asked]], token=1) for files in (gold, *models.values()))
    for own in (truth, *sides):
        _line_up(own, truth)
        if asked != "FEATS" and "_" in own.tags[0].names:
            spot = own.spot(int(np.argmax(own.tags[0].codes == own.tags[0].names.index("_"))))
            raise ValueError(f"{spot}, has no {asked}; fill it, or choose another column with field=")
    documents = _units(truth, unit, "# newdoc")
    units = range(len(truth.lengths)) if documents is None else documents
    predicted = {name: own.tags[0].tolist() for name, own in zip(models, sides, strict=True)}
    ev = from_labels(truth.tags[0].tolist(), predicted, groups=np.repeat(units, truth.lengths), **options)
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


# ---- brat ------------------------------------------------------------------------------------------------

# What else an annotation file has: events, relations, attributes, normalisations, notes, equivalences.
_OTHERS = re.compile(r"[ERAMN][0-9][^\t ]*\t|#[^\t ]*\t|\*\t")
_ANNOTATION = re.compile(r"(T[^\t ]+)\t([^\t ]+) ([0-9]{1,12}) ([0-9]{1,12})((?:;[0-9]+ [0-9]+)*)(?:\t(.*))?")


def _spans(files: Sequence[InputFile]) -> Counter[tuple[int, int, int, str]]:
    """Count each span: document, start, end and type; those of several parts end at -1."""
    found: Counter[tuple[int, int, int, str]] = Counter()
    for document, file in enumerate(files):
        seen: set[str] = set()
        for number, line in enumerate(file.text().split("\n"), 1):
            if not line.strip() or _OTHERS.match(line):
                continue
            where = f"{file}, line {number},"
            matched = _ANNOTATION.fullmatch(line)
            if not matched:
                raise ValueError(f"{where} has {line[:40]!r}, but a span looks like 'T1⇥Person 0 5⇥Peter'")
            name, kind, start, end, more, _ = matched.groups()
            if name in seen:
                raise ValueError(f"{where} has {name} again; names of spans are unique")
            if int(start) >= int(end):
                raise ValueError(f"{where} has a span from {start} to {end}; its end must be after its start")
            seen.add(name)
            found[document, int(start), -1 if more else int(end), kind] += 1
    return found


def _read_annotations(request: ReadRequest) -> Evaluation:
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
    known = [bool(_ANNOTATION.fullmatch(line) or _OTHERS.match(line)) for line in lines]
    return sum(known) > 0.9 * len(lines) and any(map(_ANNOTATION.fullmatch, lines))


BRAT = Format(
    "brat",
    "brat's stand-off annotation (.ann)",
    _holds_annotations,
    ("types", "by_type"),
    _read_annotations,
    folder="*.ann",
    gold_file=True,
)
