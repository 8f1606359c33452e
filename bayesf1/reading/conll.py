"""Column files with one token a line, as the CoNLL shared tasks use them: read, and laid side by side."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise, zip_longest
from os import PathLike
from pathlib import Path
from sys import intern

import numpy as np

from bayesf1.base.text_files import BOM, MAX_LINE_BYTES, numbered_lines

__all__ = ["AlignedTags", "ConllFile", "align_conll", "read_conll"]

_MAX_REGULAR_BYTES = 1 << 30
_DOCSTART = "-DOCSTART-"
_COMMENT = ("# ", "#begin document", "#end document")


@dataclass(frozen=True, slots=True)
class ConllFile:
    """The sentences of a column file: tokens from its first column, tags from the chosen one."""

    path: Path
    tokens: list[list[str]]
    tags: list[list[str]]
    # Line, from 1, of each sentence's first token; the others follow line by line.
    lines: list[int]
    # Index, from 0, of each sentence's document; all 0 in a file without -DOCSTART-.
    documents: list[int]


@dataclass(frozen=True, slots=True)
class AlignedTags:
    """Gold tags and the tags of several models for the same tokens, as `read_spans` takes them."""

    tokens: list[list[str]]
    gold: list[list[str]]
    predictions: dict[str, list[list[str]]]
    documents: list[int]
    # File of "gold" and of each model, and the line, from 1, where each of its sentences begins.
    sources: dict[str, tuple[Path, list[int]]]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with path.open("rb") as stream:
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


def _read(path: str | PathLike[str], columns: tuple[int, ...]) -> list[ConllFile]:
    """Read one file for each of the columns; they share all but their tags."""
    path = Path(path)
    if 0 in columns:
        raise ValueError("column 0 holds the tokens, but a column of tags is wanted, such as -1 for the last")
    return _read_regular(path, columns) or _read_any(path, columns)


def _least_width(columns: tuple[int, ...]) -> int:
    return max(column + 1 if column > 0 else 1 - column for column in columns)


def _read_regular(path: Path, columns: tuple[int, ...]) -> list[ConllFile] | None:
    """Read a file without comments, documents or flaws at the speed of str.split; None for any other."""
    if path.stat().st_size > _MAX_REGULAR_BYTES:
        return None
    data = path.read_bytes().removeprefix(BOM).replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
    if b"\t" not in data:
        data = data.replace(b" ", b"\t")
    if data.startswith((b"\n", b"#", b"-DOCSTART-")) or any(
        part in data for part in (b"\r", b"\n#", b"\n-DOCSTART-", b"\t\t", b"\n\t", b"\t\n", b" ")
    ):
        return None
    codes = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(codes == 10)
    tabs = np.diff(np.searchsorted(np.flatnonzero(codes == 9), ends), prepend=0)
    blank = np.diff(ends, prepend=-1) == 1
    width = int(tabs[0]) + 1
    if (tabs[~blank] != width - 1).any() or _least_width(columns) > width:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = np.flatnonzero(~blank)
    first = np.flatnonzero(np.diff(lines, prepend=-2) > 1)
    bounds = [*first.tolist(), len(lines)]
    # Blank lines hold no field, so every field of every other line follows in turn.
    while "\n\n" in text:
        text = text.replace("\n\n", "\n")
    fields = text.replace("\n", "\t").split("\t")

    def by_sentence(column: int) -> list[list[str]]:
        flat = fields[column % width : -1 : width]
        return [flat[start:stop] for start, stop in pairwise(bounds)]

    tokens, starts = by_sentence(0), (lines[first] + 1).tolist()
    documents = [0] * len(starts)
    return [ConllFile(path, tokens, by_sentence(column), starts, documents) for column in columns]


def _read_any(path: Path, columns: tuple[int, ...]) -> list[ConllFile]:
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

    tokens: list[list[str]] = []
    starts: list[int] = []
    documents: list[int] = []
    tags: list[list[list[str]]] = [[] for _ in columns]
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
            tokens.append([])
            for of_column in tags:
                of_column.append([])
        tokens[-1].append(fields[0])
        for column, of_column in zip(columns, tags, strict=True):
            tag = fields[column].strip(" ")
            if not tag:
                raise ValueError(
                    f"{path}, line {number}, has an empty column {column}, but it should hold a tag"
                )
            of_column[-1].append(intern(tag))
    if not tokens:
        raise ValueError(f"{path} has no sentence, but should have one token a line with its tag")
    return [ConllFile(path, tokens, of_column, starts, documents) for of_column in tags]


def read_conll(path: str | PathLike[str], *, column: int = -1) -> ConllFile:
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
        return f"{file.path}, line {file.lines[-1] + len(file.tokens[-1])}", "the end of the file"
    words = file.tokens[sentence]
    what = repr(words[token]) if token < len(words) else "the end of a sentence"
    return f"{file.path}, line {file.lines[sentence] + token}", what


def _line_up(own: ConllFile, gold: ConllFile) -> None:
    """Check that two files hold the same sentences; tokens spelled differently get one warning."""
    changed: list[tuple[int, int]] = []
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
            f"{own.path} spells {len(changed)} of its tokens otherwise than {gold.path}; the first is "
            f"{own_word} ({own_place}) for {gold_word} ({gold_place})",
            UserWarning,
            stacklevel=3,
        )


def _same_gold(own: ConllFile, gold: ConllFile) -> None:
    for s, (mine, theirs) in enumerate(zip(own.tags, gold.tags, strict=True)):
        for t, (a, b) in enumerate(zip(mine, theirs, strict=True)):
            if a != b:
                raise ValueError(
                    f"{_spot(own, s, t)[0]}, has gold tag {a!r} where {_spot(gold, s, t)[0]}, has {b!r}; "
                    "the second-last columns of all files should be the same"
                )


def align_conll(gold: str | PathLike[str] | None, models: Mapping[str, str | PathLike[str]]) -> AlignedTags:
    r"""Read the tags of gold and of several models for the same tokens.

    Tags stand in the last column. Without a gold file every model's file carries the gold tags in its
    second-last column, as conlleval takes them, and those columns must agree. Tokens and documents are the gold
    file's, or without one the first model's. A file that spells tokens otherwise, though they line up, gets a
    warning.

    Examples
    --------
    >>> import tempfile
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
    columns = (-2, -1) if gold is None else (-1,)
    truth = read_conll(next(iter(models.values())), column=-2) if gold is None else read_conll(gold)
    predictions: dict[str, list[list[str]]] = {}
    sources = {"gold": (truth.path, truth.lines)}
    for name, path in models.items():
        *own_gold, own = _read(path, columns)
        _line_up(own, truth)
        for file in own_gold:
            _same_gold(file, truth)
        predictions[name] = own.tags
        sources[f"model {name!r}"] = (own.path, own.lines)
    return AlignedTags(truth.tokens, truth.tags, predictions, truth.documents, sources)
