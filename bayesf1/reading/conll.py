"""Column files with one token a line, as the CoNLL shared tasks use them: read, and laid side by side."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, zip_longest
from os import PathLike
from sys import intern
from typing import TypeAlias

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import shown
from bayesf1.base.text_files import MAX_LINE_BYTES, numbered_lines
from bayesf1.reading.regular_columns import split_regular
from bayesf1.reading.sentences import Sentences

__all__ = ["AlignedTags", "ConllFile", "align_conll", "read_conll"]

# A file, or several that follow one another.
Files: TypeAlias = str | PathLike[str] | InputFile | Sequence[InputFile]

_MAX_REGULAR_BYTES = 1 << 30
# As many tokens tell what a column holds.
_SAMPLE = 200
_DOCSTART = "-DOCSTART-"
_COMMENT = ("# ", "#begin document", "#end document")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class ConllFile:
    """The sentences of one or several column files: tokens from the first column, tags from the chosen one."""

    # The files, and the sentence with which each begins.
    files: tuple[InputFile, ...]
    begins: tuple[int, ...]
    tokens: Sentences
    tags: Sentences
    # Line, from 1, of each sentence's first token; the others follow line by line.
    lines: list[int]
    # Index, from 0, of each sentence's document; all 0 in a file without -DOCSTART-.
    documents: list[int]

    def spot(self, sentence: int, token: int = 0) -> str:
        """Say in which file and line a token stands."""
        return f"{self.files[bisect_right(self.begins, sentence) - 1]}, line {self.lines[sentence] + token}"

    @classmethod
    def joined(cls, files: Sequence[ConllFile]) -> ConllFile:
        """Return several files as one; each begins a document."""
        if len(files) == 1:
            return files[0]
        n_documents = accumulate((file.documents[-1] + 1 for file in files), initial=0)
        return cls(
            tuple(part for file in files for part in file.files),
            tuple(accumulate((len(file.tokens) for file in files[:-1]), initial=0)),
            Sentences.joined(file.tokens for file in files),
            Sentences.joined(file.tags for file in files),
            [line for file in files for line in file.lines],
            [before + i for before, file in zip(n_documents, files, strict=False) for i in file.documents],
        )


@dataclass(frozen=True, slots=True)
class AlignedTags:
    """Gold tags and the tags of several models for the same tokens, as `read_spans` takes them."""

    tokens: Sentences
    gold: Sentences
    predictions: dict[str, Sentences]
    documents: list[int]
    # The file of "gold" and of each model, to say where a tag stands.
    sources: dict[str, ConllFile]


def _lines(path: InputFile) -> Iterator[tuple[int, str]]:
    with path.open() as stream:
        for number, line in numbered_lines(
            stream,
            path,
            too_long=f"is longer than {MAX_LINE_BYTES} bytes, but a line should hold one token and its tags",
            not_utf8="has byte {byte}, which is not UTF-8",
        ):
            if "\r" in line:
                raise ValueError(
                    f"{path}, line {number}, has a carriage return inside; lines should end with LF or CRLF"
                )
            yield number, line


def _fields(line: str) -> list[str]:
    if "\t" in line:
        return line.split("\t")
    # str.split() without argument would also split at no-break spaces, which tokens may hold.
    return [field for field in line.split(" ") if field]


def _is_docstart(line: str) -> bool:
    return line.startswith(_DOCSTART) and line[len(_DOCSTART) :][:1] in ("", " ", "\t")


def _is_break(line: str) -> bool:
    return not line.strip(" \t\v\f") or _is_docstart(line)


def _read(files: Files, columns: tuple[int, ...]) -> list[ConllFile]:
    """Read one file for each of the columns; they share all but their tags."""
    if 0 in columns:
        raise ValueError("column 0 holds the tokens, but a column of tags is wanted, such as -1 for the last")
    parts = [InputFile.of(files)] if isinstance(files, str | PathLike | InputFile) else files
    read = [_read_regular(part, columns) or _read_any(part, columns) for part in parts]
    return [ConllFile.joined(of_column) for of_column in zip(*read, strict=True)]


def n_numbers_behind(file: InputFile) -> int:
    r"""Return how many columns behind the tags hold numbers alone, such as a tagger's confidence.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "crf.conll")
    ...     size = path.write_text("In O O .99\nRome B-LOC O .7\n")
    ...     n_numbers_behind(InputFile.of(path))
    1
    """
    said = (line for line in file.lines if not _is_break(line) and not line.startswith("#"))
    rows = [_fields(line) for line in islice(said, _SAMPLE)]
    width = min(map(len, rows), default=0)
    behind = 0
    while behind < width - 1 and all(_NUMBER.fullmatch(row[-1 - behind].strip()) for row in rows):
        behind += 1
    return behind


def _least_width(columns: tuple[int, ...]) -> int:
    return max(column + 1 if column > 0 else 1 - column for column in columns)


def _read_regular(path: InputFile, columns: tuple[int, ...]) -> list[ConllFile] | None:
    """Read a file without comments or flaws at once; None for any other."""
    if path.size > _MAX_REGULAR_BYTES:
        return None
    found = split_regular(path.path.read_bytes(), columns)
    if found is None:
        return None
    return [ConllFile((path,), (0,), found.tokens, tags, found.lines, found.documents) for tags in found.tags]


def _read_any(path: InputFile, columns: tuple[int, ...]) -> list[ConllFile]:
    lines, needed = _lines(path), _least_width(columns)
    head: list[tuple[int, str]] = []
    model_line, width, tabbed = 0, 0, False
    for number, line in lines:
        head.append((number, line))
        if not _is_break(line):
            # Comments come before tokens, so a file of nothing but # lines still ends with a token.
            model_line, width, tabbed = number, len(_fields(line)), "\t" in line
            if not line.startswith("#"):
                break

    tokens: list[str] = []
    bounds: list[int] = []
    starts: list[int] = []
    documents: list[int] = []
    tags: list[list[str]] = [[] for _ in columns]
    inside, new_document = False, False
    for number, line in chain(head, lines):
        if _is_break(line):
            inside = False
            new_document |= _is_docstart(line)
            continue
        fields = _fields(line)
        # The columns, split as the file's, tell a comment from the token #.
        if (
            not inside
            and line.startswith(_COMMENT)
            and (len(fields) != width or (tabbed and "\t" not in line))
        ):
            continue
        if len(fields) < needed:
            raise ValueError(
                f"{path}, line {number}, has {len(fields)} columns, but needs at least {needed}: "
                f"a token and {needed - 1} more"
                + "; if gold tags are in a file of their own, name it first, then each model's"
                * (needed > 2)
            )
        if len(fields) != width:
            raise ValueError(
                f"{path}, line {number}, has {len(fields)} columns, but line {model_line} has {width}; "
                "all lines should have the same"
            )
        if not inside:
            inside = True
            documents.append(documents[-1] + new_document if documents else 0)
            new_document = False
            starts.append(number)
            bounds.append(len(tokens))
        tokens.append(fields[0])
        for column, of_column in zip(columns, tags, strict=True):
            tag = fields[column].strip(" ")
            if not tag:
                raise ValueError(
                    f"{path}, line {number}, has an empty column {column}, but it should hold a tag"
                )
            of_column.append(intern(tag))
    if not tokens:
        raise ValueError(f"{path} has no sentence, but should have one token a line with its tag")
    bounds.append(len(tokens))
    words = Sentences(tokens, bounds)
    return [ConllFile((path,), (0,), words, Sentences(said, bounds), starts, documents) for said in tags]


def read_conll(path: Files, *, column: int = -1) -> ConllFile:
    r"""Read a column file: one token a line, a blank line after each sentence.

    A line with a tab is split at tabs, so that its fields may hold blanks; others are split at runs of
    blanks. All lines have the same number of columns. A line that begins with `-DOCSTART-` begins a document.
    A line that begins with `# ` where a sentence might begin is a comment unless it has, split as the file's
    first line with a token, just as many columns: in a file of two columns `# O` is a token, and
    `# sent_id = 1` is none. Lines `#begin document` and `#end document` are comments likewise.

    The file is UTF-8, with or without byte order mark, its lines ended by LF or CRLF; `column` holds the
    tags, -1 being the last.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "gold.conll")
    ...     size = path.write_text("# id 1\nAda\tB-PER\nran\tO\n\nIn\tO\nRome\tB-LOC\n", encoding="utf-8")
    ...     file = read_conll(path)
    >>> file.tokens, file.tags
    ([['Ada', 'ran'], ['In', 'Rome']], [['B-PER', 'O'], ['O', 'B-LOC']])
    >>> file.lines, file.documents
    ([2, 5], [0, 0])
    """
    return _read(path, (column,))[0]


def _spot(file: ConllFile, sentence: int, token: int) -> tuple[str, str]:
    """Say where a token stands, and what stands there."""
    if sentence == len(file.tokens):
        return file.spot(sentence - 1, len(file.tokens[-1])), "the end of the file"
    words = file.tokens[sentence]
    return file.spot(sentence, token), repr(words[token]) if token < len(words) else "the end of a sentence"


def _line_up(own: ConllFile, gold: ConllFile) -> None:
    """Check that two files hold the same sentences; tokens spelled differently get one warning."""
    changed: list[tuple[int, int]] = []
    if own.tokens == gold.tokens:
        return
    for s, (mine, theirs) in enumerate(zip_longest(own.tokens, gold.tokens, fillvalue=())):
        if mine != theirs:
            here = [(s, t) for t, (a, b) in enumerate(zip_longest(mine, theirs)) if a != b]
            if len(mine) != len(theirs):
                (own_place, own_word), (gold_place, gold_word) = _spot(own, *here[0]), _spot(gold, *here[0])
                raise ValueError(
                    f"{own_place}, has {own_word} where {gold_place}, has {gold_word}; "
                    "the two files should hold the same sentences and tokens"
                )
            changed += here
    if changed:
        (own_place, own_word), (gold_place, gold_word) = _spot(own, *changed[0]), _spot(gold, *changed[0])
        warnings.warn(
            f"{own.files[0]} spells {len(changed)} of its tokens differently from {gold.files[0]}; the first is "
            f"{own_word} ({own_place}) for {gold_word} ({gold_place})",
            UserWarning,
            stacklevel=3,
        )


def _same_gold(own: ConllFile, gold: ConllFile) -> None:
    if own.tags == gold.tags:
        return
    for s, (mine, theirs) in enumerate(zip(own.tags, gold.tags, strict=True)):
        for t, (a, b) in enumerate(zip(mine, theirs, strict=True)):
            if a != b:
                raise ValueError(
                    f"{_spot(own, s, t)[0]}, has gold tag {a!r} where {_spot(gold, s, t)[0]}, has {b!r}; "
                    "the columns of gold tags of all files should be the same"
                )


def _behind_tags(files: Files, from_end: int, column: int | None) -> int:
    """Return which column is meant, or the last or second-last of those in front of numbers."""
    if column is not None:
        return column
    if isinstance(files, Mapping):
        raise ValueError(f"models are given by the names of their files, not by {shown(files)}")
    first = InputFile.of(files) if isinstance(files, str | PathLike | InputFile) else files[0]
    return -from_end - n_numbers_behind(first)


def align_conll(
    gold: Files | None,
    models: Mapping[str, Files],
    *,
    gold_column: int | None = None,
    predicted_column: int | None = None,
) -> AlignedTags:
    r"""Read the tags of gold and of several models for the same tokens.

    Tags stand in the last column by default, but for columns of numbers behind it, as of confidences. Without a gold
    file every model's file carries the gold tags in its second-last column, as conlleval takes them, and those columns
    must agree. Tokens and documents are the gold file's, or without one the first model's. A file that spells tokens
    otherwise, though they line up, gets a
    warning.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "crf.conll")
    ...     size = path.write_text("In O O\nNew B-LOC B-LOC\nYork I-LOC O\n", encoding="utf-8")
    ...     aligned = align_conll(None, {"crf": path})
    >>> aligned.gold, aligned.predictions
    ([['O', 'B-LOC', 'I-LOC']], {'crf': [['O', 'B-LOC', 'O']]})
    """
    if not isinstance(models, Mapping) or not models:
        raise ValueError(
            "models should be a mapping of at least one name to a file, such as {'A': 'a.conll'}"
        )
    both = gold is None
    source = next(iter(models.values())) if gold is None else gold
    truth = read_conll(source, column=_behind_tags(source, 2 if both else 1, gold_column))
    predictions: dict[str, Sentences] = {}
    sources = {"gold": truth}
    for name, files in models.items():
        own_column = _behind_tags(files, 1, predicted_column)
        columns = (_behind_tags(files, 2, gold_column), own_column) if both else (own_column,)
        *own_gold, own = _read(files, columns)
        _line_up(own, truth)
        for file in own_gold:
            _same_gold(file, truth)
        predictions[name] = own.tags
        sources[f"model {name!r}"] = own
    return AlignedTags(truth.tokens, truth.tags, predictions, truth.documents, sources)
