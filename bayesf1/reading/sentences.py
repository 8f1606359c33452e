"""Sentences of a file in one flat list, as a million small lists take longer to make than to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import overload

from bayesf1.reading.text_slices import TextSlices


class Sentences(Sequence[list[str]]):
    """What stands at the tokens of sentences: a flat list, and where each sentence begins; a sequence of lists.

    Examples
    --------
    >>> sentences = Sentences(["In", "Rome", "Ada"], [0, 2, 3])
    >>> sentences[0], len(sentences), sentences == [["In", "Rome"], ["Ada"]]
    (['In', 'Rome'], 2, True)
    """

    __slots__ = ("bounds", "flat")

    def __init__(self, flat: list[str] | TextSlices, bounds: list[int]) -> None:
        self.flat, self.bounds = flat, bounds

    @classmethod
    def joined(cls, parts: Iterable[Iterable[Sequence[str]]]) -> Sentences:
        """Return the sentences of several parts, one after another."""
        whole = [sentence for part in parts for sentence in part]
        return cls(list(chain.from_iterable(whole)), list(accumulate(map(len, whole), initial=0)))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @overload
    def __getitem__(self, place: int) -> list[str]: ...
    @overload
    def __getitem__(self, place: slice) -> list[list[str]]: ...
    def __getitem__(self, place: int | slice) -> list[str] | list[list[str]]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        i = place + len(self) if place < 0 else place
        if not 0 <= i < len(self):
            raise IndexError(place)
        return self.flat[self.bounds[i] : self.bounds[i + 1]]

    def __iter__(self) -> Iterator[list[str]]:
        return (self.flat[start:stop] for start, stop in pairwise(self.bounds))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Sentences):
            return self.bounds == other.bounds and self.flat == other.flat
        return isinstance(other, list) and list(self) == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))
