"""Pieces of a text that were found but not cut out: compared and numbered as words of eight bytes, without a string each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

_WORD = 8
# What stands behind the last piece, for it may begin the last word.
PADDING = bytes(_WORD)
# What remains of a word whose first 0, 1, … or 8 bytes belong to a piece; words are little-endian.
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(_WORD + 1)], dtype=np.uint64)
# Odd, and without a pattern: 2^64 over the golden ratio.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_HASH_BITS = 16
_BLOCK = 1 << 14


def _same(one: TextSlices, other: TextSlices) -> bool:
    """Whether as many pieces are the same."""
    return np.array_equal(one.stops - one.starts, other.stops - other.starts) and all(
        np.array_equal(mine, theirs)
        for (_, mine), (_, theirs) in zip(one._words(), other._words(), strict=True)
    )


class TextSlices(Sequence[str]):
    r"""Pieces of a text in UTF-8: a sequence of strings, each made when it is asked for.

    Parameters
    ----------
    data
        The text; it is copied unless `PADDING` stands behind it.
    starts, stops
        Where each piece begins, and where it ends.

    Examples
    --------
    >>> tags = TextSlices(b"O\nB-LOC\nO", np.array([0, 2, 8]), np.array([1, 7, 9]))
    >>> tags[1], list(tags), tags == ["O", "B-LOC", "O"]
    ('B-LOC', ['O', 'B-LOC', 'O'], True)
    >>> distinct, numbers = tags.numbered()
    >>> [distinct[i] for i in numbers]
    ['O', 'B-LOC', 'O']
    """

    __slots__ = ("data", "starts", "stops")

    def __init__(self, data: bytes, starts: IntArray, stops: IntArray) -> None:
        padded = len(data) >= int(stops.max(initial=0)) + _WORD
        self.data, self.starts, self.stops = data if padded else data + PADDING, starts, stops

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return list(self._texts(self.starts[place], self.stops[place]))
        return self.data[self.starts[place] : self.stops[place]].decode()

    def __iter__(self) -> Iterator[str]:
        return self._texts(self.starts, self.stops)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextSlices):
            return isinstance(other, list) and list(self) == other
        return len(self) == len(other) and all(map(_same, self._blocks(), other._blocks()))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def numbered(self) -> tuple[list[str], IntArray]:
        """Return the distinct pieces, in no order, and the number of each piece among them."""
        slots = np.empty(len(self), dtype=np.uint16)
        table, begin = np.full(1 << _HASH_BITS, -1), 0
        for block in self._blocks():
            own = block._hashed()
            slots[begin : begin + len(block)] = own
            new = np.flatnonzero(table[own] < 0)
            table[own[new]] = begin + new
            first = table[own]
            if not _same(block, TextSlices(self.data, self.starts[first], self.stops[first])):
                # Two pieces share a slot, which is rare.
                known: dict[str, int] = {}
                numbers = [known.setdefault(piece, len(known)) for piece in self]
                return [*known], np.array(numbers)
            begin += len(block)
        used = np.flatnonzero(table >= 0)
        distinct = [self[i] for i in table[used].tolist()]
        table[used] = np.arange(len(used))
        return distinct, table[slots]

    def _hashed(self) -> npt.NDArray[np.uint16]:
        hashes = np.zeros(len(self), dtype=np.uint64)
        for which, words in self._words():
            hashes[which] = (hashes[which] ^ words) * _SPREAD
        return (hashes >> np.uint64(64 - _HASH_BITS)).astype(np.uint16)

    def _blocks(self) -> Iterator[TextSlices]:
        """Yield the pieces some at a time, as what fits into a cache is read several times as fast."""
        for begin in range(0, len(self), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            yield TextSlices(self.data, self.starts[part], self.stops[part])

    def _texts(self, starts: IntArray, stops: IntArray) -> Iterator[str]:
        data = self.data
        return (data[a:b].decode() for a, b in zip(starts.tolist(), stops.tolist(), strict=True))

    def _words(self) -> Iterator[tuple[slice | IntArray, npt.NDArray[np.uint64]]]:
        """Yield the first word of all pieces, the second of those that have one, and so on, each with whose it is."""
        words = np.ndarray(len(self.data) - _WORD + 1, dtype="<u8", buffer=self.data, strides=(1,))
        which: slice | IntArray = slice(None)
        starts, left = self.starts, self.stops - self.starts
        while len(starts):
            yield which, words[starts] & _MASKS[np.minimum(left, _WORD)]
            longer = np.flatnonzero(left > _WORD)
            which = longer if isinstance(which, slice) else which[longer]
            starts, left = starts[longer] + _WORD, left[longer] - _WORD
