"""Tag sequences read as spans: the schemes, their lenient and strict readings, and a table of spans.

References
----------
Tjong Kim Sang and Veenstra (1999), Representing text chunks, EACL, for IOB1, IOB2, IOE1 and IOE2.
Tjong Kim Sang and Buchholz (2000), Introduction to the CoNLL-2000 shared task, for conlleval's reading.
Ratinov and Roth (2009), Design challenges and misconceptions in NER, CoNLL, for BILOU.
Zhao, Huang, Li and Lu (2006), Effective tag set selection in Chinese word segmentation, PACLIC, for BB2B3MES.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bayesf1.base.naming import nearest
from bayesf1.reading.sentences import Sentences
from bayesf1.reading.text_slices import TextSlices

__all__ = ["SCHEMES", "SpanTable", "TagError", "read_spans", "split_spans"]

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class TagError(ValueError):
    """A tag outside its scheme, with the place where it stands, counted from 1."""

    def __init__(self, tag: object, complaint: str, owner: str, sentence: int, token: int) -> None:
        super().__init__(f"tag {tag!r} of {owner}, sentence {sentence}, token {token}, {complaint}")
        self.tag, self.complaint = tag, complaint
        self.owner, self.sentence, self.token = owner, sentence, token


class _Scheme(NamedTuple):
    """Prefixes, and which pairs of neighbours start, continue and end a span.

    A rule `A,B>C=` holds for a `C` after an `A` or a `B` of the same type; `!` asks for another type, and
    neither sign for any. `*` stands for every prefix.
    """

    prefixes: tuple[str, ...]
    starts: str
    inside: str
    ends: str


_STRICT = {
    "IOB1": _Scheme(("O", "I", "B"), "O,B>I I>I! I,B>B=", "B,I>I=", "I>* B>O,I B>B="),
    "IOB2": _Scheme(("O", "I", "B"), "*>B", "B,I>I=", "B,I>*"),
    "IOE1": _Scheme(("O", "I", "E"), "O,E>I I>I! E>E= O>E I>E!", "I>I,E=", "I>* E>I,E="),
    "IOE2": _Scheme(("O", "I", "E"), "O,E>I,E I>I,E!", "I>I,E=", "E>*"),
    "IOBES": _Scheme(("O", "I", "B", "E", "S"), "*>B,S", "B,I>I,E=", "E,S>*"),
    "BILOU": _Scheme(("O", "B", "I", "L", "U"), "*>B,U", "B,I>I,L=", "L,U>*"),
    "BMES": _Scheme(("O", "B", "M", "E", "S"), "*>B,S", "B,M>M,E=", "E,S>*"),
    "BB2B3MES": _Scheme(
        ("O", "B", "B2", "B3", "M", "E", "S"), "*>B,S", "B>B2,E= B2>B3,E= B3,M>M,E=", "E,S>*"
    ),
}
_LENIENT = _Scheme(("O", "I", "B", "E", "S"), "*>I,B,E,S", "B,I>I,E=", "*>*")
_LENIENT_ROLE = {"M": "I", "B2": "I", "B3": "I", "L": "E", "U": "S"}
_ALIASES = {"BIOES": "IOBES", "BIO": "IOB2"}
_MODES = ("lenient", "strict")
_START, _INSIDE, _END = 1, 2, 4
_UNORDERED = (str, bytes, Mapping, Set)

SCHEMES: tuple[str, ...] = tuple(_STRICT)
"""Names of the tag schemes; BIOES is read as IOBES and BIO as IOB2, in any case."""


@cache
def _pair_flags(scheme: str, mode: str) -> npt.NDArray[np.uint8]:
    """Tabulate what holds for (previous prefix, prefix, same type), raveled."""
    rules = _STRICT[scheme]
    names = rules.prefixes
    if mode == "lenient":
        rules, names = _LENIENT, tuple(_LENIENT_ROLE.get(name, name) for name in names)
    flags = np.zeros((len(names), len(names), 2), dtype=np.uint8)
    for flag, text in ((_START, rules.starts), (_INSIDE, rules.inside), (_END, rules.ends)):
        for rule in text.split():
            left, right = (side.split(",") for side in rule.rstrip("=!").split(">"))
            same = {"=": [1], "!": [0]}.get(rule[-1], [0, 1])
            before = [i for i, name in enumerate(names) if "*" in left or name in left]
            here = [i for i, name in enumerate(names) if "*" in right or name in right]
            flags[np.ix_(before, here, same)] |= flag
    return flags.ravel()


class _Codebook(dict[str, str]):
    """Numbers the distinct tags as they turn up, each by the character of that number; `O` is 0."""

    def __init__(self, scheme: str, mode: str) -> None:
        if mode not in _MODES:
            raise ValueError(f"unknown mode {mode!r}; {nearest(mode, _MODES)}")
        name = str(scheme).upper()
        self.scheme = _ALIASES.get(name, name)
        if self.scheme not in _STRICT:
            raise ValueError(f"unknown tag scheme {scheme!r}; {nearest(name, (*SCHEMES, *_ALIASES))}")
        self.known = {prefix: i for i, prefix in enumerate(_STRICT[self.scheme].prefixes)}
        self.flags = _pair_flags(self.scheme, mode)
        self.types: dict[str, int] = {}
        self.prefixes: list[int] = []
        self.kinds: list[int] = []
        self["O"]

    def __missing__(self, tag: str) -> str:
        if self.complaint(tag):
            raise ValueError
        prefix, _, kind = tag.partition("-")
        self[tag] = code = chr(len(self))
        self.prefixes.append(self.known[prefix])
        self.kinds.append(self.types.setdefault(kind, len(self.types)))
        return code

    def complaint(self, tag: object) -> str:
        """Say what is wrong with a tag, if anything."""
        if not isinstance(tag, str):
            return f"is of type {type(tag).__name__}, but a tag is a string such as 'O' or 'B-PER'"
        if tag.partition("-")[0] in self.known:
            return ""
        return f"is outside {self.scheme}, whose prefixes are {', '.join(sorted(self.known))}"

    def encode(self, sentences: Sequence[Any], owner: str) -> npt.NDArray[np.uint32]:
        """Encode all tags, sentence after sentence."""
        try:
            flat = sentences.flat if isinstance(sentences, Sentences) else chain.from_iterable(sentences)
            if isinstance(flat, TextSlices):
                distinct, numbers = flat.numbered()
                return np.array([ord(self[tag]) for tag in distinct], dtype=np.uint32)[numbers]
            # Looking up and joining characters keeps the loop over tokens in C, and beats np.fromiter.
            text = "".join(map(self.__getitem__, flat))
            return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        except (TypeError, ValueError):
            for number, sentence in enumerate(sentences, 1):
                for position, tag in enumerate(sentence, 1):
                    if complaint := self.complaint(tag):
                        raise TagError(tag, complaint, owner, number, position) from None
            raise

    def spans(self, codes: npt.NDArray[np.uint32], sentence_of: IntArray) -> tuple[IntArray, ...]:
        """Find start, end (exclusive) and kind of all spans; one place stays free after each sentence."""
        tagged = np.flatnonzero(codes)
        place = np.append(tagged + sentence_of[tagged], -1)
        codes = np.append(codes[tagged], 0)
        prefix, kind = np.array(self.prefixes)[codes], np.array(self.kinds)[codes]
        before = np.where(np.roll(place, 1) == place - 1, np.roll(prefix, 1), 0)
        flags = self.flags[2 * (before * len(self.known) + prefix) + (np.roll(kind, 1) == kind)]
        starts = np.flatnonzero(flags & _START)
        breaks = np.flatnonzero((flags & _INSIDE) == 0)
        closing = np.searchsorted(breaks, starts, side="right")
        # IOB1 may see a second start inside a span that has begun: only the first before a break counts.
        first = np.diff(closing, prepend=-1) > 0
        starts, ends = starts[first], breaks[closing[first]]
        after = np.where(before[ends] == 0, 0, prefix[ends])
        same = kind[ends] == kind[ends - 1]
        ended = (self.flags[2 * (prefix[ends - 1] * len(self.known) + after) + same] & _END) > 0
        return place[starts[ended]], place[ends[ended] - 1] + 1, kind[starts[ended]]


def _sentences(values: Iterable[Any], owner: str) -> tuple[Sequence[Any], IntArray]:
    """List the sentences, each something sized that yields its tags in order, and their lengths."""
    if isinstance(values, Sentences):
        return values, np.diff(values.bounds)
    if isinstance(values, _UNORDERED) or not isinstance(values, Iterable):
        raise ValueError(f"{owner} is of type {type(values).__name__}, but should be a list of lists of tags")
    sentences = list(values)
    if not set(map(type, sentences)) <= {list, tuple}:
        sentences = [s.tolist() if hasattr(s, "tolist") else s for s in sentences]
        for number, s in enumerate(sentences, 1):
            if isinstance(s, _UNORDERED) or not (isinstance(s, Sized) and isinstance(s, Iterable)):
                raise ValueError(
                    f"sentence {number} of {owner} is {s!r:.80}, but should be a list of tags; "
                    "the tags of a single sentence want a list around them: [tags]"
                )
    return sentences, np.fromiter(map(len, sentences), np.int64, len(sentences))


def _chosen_types(types: Iterable[str] | None, present: Sequence[str]) -> tuple[str, ...]:
    if types is None:
        return tuple(present)
    if isinstance(types, str):
        raise ValueError(f"types is the string {types!r}, but should be a list of types: [{types!r}]")
    chosen = set(types)
    if not chosen:
        raise ValueError("types is empty, but should name at least one type, or be None for all")
    for name in sorted(chosen.difference(present), key=str):
        hint = nearest(name, present) if present else "there is no span at all"
        raise ValueError(f"no span of gold or of a model has type {name!r}; {hint}")
    return tuple(sorted(chosen))


@dataclass(frozen=True, slots=True, eq=False)
class SpanTable:
    """Who found which span: its sentence and type, and whether gold (column 0) and each model has it.

    Types are sorted, and an untyped span has type `""`; sentences count with or without spans.
    """

    sentence: IntArray
    kind: IntArray
    found: BoolArray
    types: tuple[str, ...]
    models: tuple[str, ...]
    n_sentences: int

    def counts(self) -> IntArray:
        """Count tp, fp and fn, axes (sentence, model, cell).

        Examples
        --------
        >>> table = read_spans([["B-PER", "I-PER", "B-LOC"]], {"A": [["B-PER", "I-PER", "O"]]})
        >>> table.counts().tolist()
        [[[1, 0, 1]]]
        """
        return self._count(self.sentence, self.n_sentences).reshape(-1, len(self.models), 3)

    def typed_counts(self) -> IntArray:
        """Count tp, fp and fn of each type, axes (sentence, model, type, cell); summed over types, `counts`.

        Examples
        --------
        >>> table = read_spans([["B-PER", "I-PER", "B-LOC"]], {"A": [["B-PER", "I-PER", "O"]]})
        >>> table.types, table.typed_counts().tolist()
        (('LOC', 'PER'), [[[[0, 0, 1], [1, 0, 0]]]])
        """
        shape = self.n_sentences, len(self.types), len(self.models), 3
        cell = self.sentence * len(self.types) + self.kind
        return self._count(cell, shape[0] * shape[1]).reshape(shape).swapaxes(1, 2)

    def _count(self, group: IntArray, n_groups: int) -> IntArray:
        gold, own = self.found[:, :1], self.found[:, 1:]
        cells = np.stack((gold & own, ~gold & own, gold & ~own), axis=-1)
        row, model, cell = np.nonzero(cells)
        n_models = len(self.models)
        return np.bincount((group[row] * n_models + model) * 3 + cell, minlength=n_groups * n_models * 3)


def read_spans(
    gold: Iterable[Sequence[str]],
    predictions: Mapping[str, Iterable[Sequence[str]]],
    *,
    scheme: str = "IOB2",
    mode: str = "lenient",
    types: Iterable[str] | None = None,
) -> SpanTable:
    """Read the spans of gold tags and of the tags that models predicted, in order of sentence and start.

    Parameters
    ----------
    gold, predictions, scheme, mode, types
        As in `from_tags`; an untyped tag is such as ``"B"``.

    Examples
    --------
    >>> gold = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
    >>> table = read_spans(gold, {"A": [["B-PER", "I-PER", "O"], ["O", "O", "I-LOC"]]})
    >>> table.types, table.kind.tolist(), table.found.tolist()
    (('LOC', 'PER'), [1, 0, 0], [[True, True], [True, False], [False, True]])
    >>> table.counts().sum(axis=0).tolist()
    [[1, 1, 1]]
    """
    book = _Codebook(scheme, mode)
    if not isinstance(predictions, Mapping) or not all(isinstance(name, str) for name in predictions):
        raise ValueError("predictions should be a mapping of model names to sentences, such as {'A': tags_a}")
    if not predictions:
        raise ValueError("predictions is empty, but should name at least one model")
    sentences, lengths = _sentences(gold, "gold")
    if not lengths.any():
        raise ValueError(f"gold has {len(sentences)} sentences and no token, but should have at least one")
    sentence_of = np.repeat(np.arange(lengths.size), lengths)
    parts = [book.spans(book.encode(sentences, "gold"), sentence_of)]
    for name, tags in predictions.items():
        owner = f"model {name!r}"
        sentences, own = _sentences(tags, owner)
        if own.size != lengths.size:
            counts = f"{own.size} sentences, but gold has {lengths.size}"
            raise ValueError(f"{owner} has {counts}; they must be the same")
        if (own != lengths).any():
            at = int(np.argmax(own != lengths))
            counts = f"{own[at]} tokens, but gold has {lengths[at]} there"
            raise ValueError(f"sentence {at + 1} of {owner} has {counts}; they must be the same")
        parts.append(book.spans(book.encode(sentences, owner), sentence_of))
    start, end, kind = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    side = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])

    names = list(book.types)
    chosen = _chosen_types(types, sorted(names[i] for i in np.unique(kind)))
    rank = np.full(len(names), -1)
    rank[[book.types[name] for name in chosen]] = np.arange(len(chosen))
    kept = rank[kind] >= 0
    start, end, kind, side = start[kept], end[kept], rank[kind[kept]], side[kept]

    # One number a span, in the order of start, end and type, as sorting rows takes several times as long.
    longest = int((end - start).max(initial=0)) + 1
    numbers = (start * longest + (end - start)) * len(chosen) + kind
    distinct, which = np.unique(numbers, return_inverse=True)
    found = np.zeros((distinct.size, len(parts)), dtype=bool)
    found[which.ravel(), side] = True
    begins, kinds = distinct // (longest * len(chosen)), distinct % len(chosen)
    sentence = np.searchsorted(np.cumsum(lengths + 1), begins, side="right")
    return SpanTable(sentence, kinds, found, chosen, tuple(predictions), lengths.size)


def split_spans(
    tags: Sequence[str], scheme: str = "IOB2", mode: str = "lenient"
) -> list[tuple[str, int, int]]:
    """Split the tags of one sentence into its spans: type, start and end (exclusive), in order.

    Examples
    --------
    >>> split_spans(["B-PER", "I-PER", "O", "I-LOC"])
    [('PER', 0, 2), ('LOC', 3, 4)]
    >>> split_spans(["B-PER", "I-PER", "O", "I-LOC"], mode="strict")
    [('PER', 0, 2)]
    >>> split_spans(["B", "M", "E", "S"], scheme="BMES")
    [('', 0, 3), ('', 3, 4)]
    """
    book = _Codebook(scheme, mode)
    sentences, _ = _sentences([tags], "the sequence")
    codes = book.encode(sentences, "the sequence")
    spans = book.spans(codes, np.zeros(codes.size, dtype=np.int64))
    names = list(book.types)
    return [(names[kind], int(start), int(end)) for start, end, kind in zip(*spans, strict=True)]
