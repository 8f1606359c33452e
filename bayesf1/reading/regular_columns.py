"""Column files whose lines all have the same columns, one blank or tab between: read without a loop over lines."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from bayesf1.base.text_files import BOM
from bayesf1.reading.sentences import Sentences
from bayesf1.reading.text_slices import PADDING, IntArray, TextSlices

_DOCSTART = re.compile(rb"\n-DOCSTART-(?=[ \t\n])[^\n]*")
_TAB, _LINE_FEED = 9, 10


class RegularColumns(NamedTuple):
    """Tokens and tags by sentence, the line, from 1, of each sentence's first token, and its document, from 0."""

    tokens: Sentences
    tags: list[Sentences]
    lines: list[int]
    documents: list[int]


def split_regular(data: bytes, columns: tuple[int, ...]) -> RegularColumns | None:
    r"""Return some columns of a column file beside its tokens, or None of a file with comments or flaws.

    Examples
    --------
    >>> found = split_regular(b"-DOCSTART- O\n\nAda B-PER\nran O\n\nIn O\nRome B-LOC\n", (-1,))
    >>> found.tokens, found.tags
    ([['Ada', 'ran'], ['In', 'Rome']], [[['B-PER', 'O'], ['O', 'B-LOC']]])
    >>> found.lines, found.documents
    ([3, 6], [0, 0])
    >>> split_regular(b"Ada B-PER\nran\n", (-1,))
    """
    data = data.removeprefix(BOM)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    data, docstarts = _blank_docstarts(b"\n" + data.rstrip(b"\n") + b"\n" + PADDING)
    if b"\t" not in data:
        data = data.replace(b" ", b"\t")
    if b"\r" in data or b" " in data or not _is_utf8(data):
        return None
    codes = np.frombuffer(data, dtype=np.uint8)
    marks = np.flatnonzero(codes <= _LINE_FEED)
    found = codes[marks]
    ends, gaps = marks[found == _LINE_FEED], marks[found == _TAB]
    # Cells that are empty, and comments.
    if (codes[gaps - 1] <= _LINE_FEED).any() or (codes[gaps + 1] == _LINE_FEED).any():
        return None
    if (codes[ends[:-1] + 1] == ord("#")).any():
        return None
    lines = np.flatnonzero(np.diff(ends) > 1)
    if not len(lines):
        return None
    stops = ends[lines + 1]
    width = int(np.searchsorted(gaps, stops[0])) + 1
    if width < 2 or not all(-width < column < width for column in columns):
        return None
    if len(gaps) != len(lines) * (width - 1):
        return None
    # As many gaps as there should be: they are where they should be if each line's last lies in it, and its first.
    in_line = gaps.reshape(len(lines), width - 1)
    if (in_line[:, -1] > stops).any() or (in_line[1:, 0] < stops[:-1]).any():
        return None
    first = np.flatnonzero(np.diff(lines, prepend=-2) > 1)
    bounds = [*first.tolist(), len(lines)]

    def by_sentence(column: int) -> Sentences:
        i = column % width
        begin = ends[lines] + 1 if i == 0 else in_line[:, i - 1] + 1
        end = stops if i == width - 1 else in_line[:, i]
        return Sentences(TextSlices(data, begin, end), bounds)

    starts = lines[first] + 1
    return RegularColumns(
        by_sentence(0),
        [by_sentence(column) for column in columns],
        starts.tolist(),
        _documents(starts, docstarts),
    )


def _is_utf8(data: bytes) -> bool:
    try:
        return data.isascii() or bool(data.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def _blank_docstarts(data: bytes) -> tuple[bytes, list[int]]:
    """Return the text with empty lines in place of those that begin a document, and the numbers of these lines."""
    numbers, at, line = list[int](), 0, 1
    if b"\n-DOCSTART-" not in data:
        return data, numbers
    for match in _DOCSTART.finditer(data):
        line += data.count(b"\n", at, match.start())
        at = match.start()
        numbers.append(line)
    return _DOCSTART.sub(b"\n", data), numbers


def _documents(starts: IntArray, docstarts: list[int]) -> list[int]:
    before = np.searchsorted(docstarts, starts)
    found: list[int] = np.cumsum(np.diff(before, prepend=before[:1]) > 0).tolist()
    return found
