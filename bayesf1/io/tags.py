"""Tag sequences read as spans: the schemes, their lenient and strict readings, and evaluations of spans.

References
----------
Tjong Kim Sang and Veenstra (1999), Representing text chunks, EACL, for IOB1, IOB2, IOE1 and IOE2.
Tjong Kim Sang and Buchholz (2000), Introduction to the CoNLL-2000 shared task, for conlleval's reading.
Ratinov and Roth (2009), Design challenges and misconceptions in NER, CoNLL, for BILOU.
Zhao, Huang, Li and Lu (2006), Effective tag set selection in Chinese word segmentation, PACLIC, for BB2B3MES.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import AnyArray, BoolArray, IntArray, indicators
from bayesf1.base.checks import ArrayLike
from bayesf1.base.naming import check_known, listing, nearest, quoted
from bayesf1.evaluation import Evaluation, model_names
from bayesf1.io.label_values import distinct_rows_of, read_groups
from bayesf1.io.labels import label_notes
from bayesf1.runs import with_runs_in
from bayesf1.tasks.binary import BINARY_CELLS, Binary
from bayesf1.tasks.classed import TypedSpans
from bayesf1.units import Units

_SPAN_CELLS = BINARY_CELLS[:3]


class TagError(ValueError):
    """A tag outside its scheme, with whose it is and its place among all of their tags, counted from 0."""

    def __init__(self, tag: object, complaint: str, owner: str, place: int) -> None:
        super().__init__(f"tag {tag!r} of {owner} {complaint}")
        self.tag, self.complaint, self.owner, self.place = tag, complaint, owner, place


class CodedTags(NamedTuple):
    """The tags of all tokens, as numbers of the distinct ones."""

    codes: IntArray
    names: Sequence[str]

    @classmethod
    def of(cls, tags: Sequence[Any], owner: str) -> CodedTags:
        """Return tags numbered in the order in which they occur, or say which is no text."""
        if not all(issubclass(kind, str) for kind in {*map(type, tags)}):
            place, tag = next((i, tag) for i, tag in enumerate(tags) if not isinstance(tag, str))
            what = f"is of type {type(tag).__name__}, but a tag is a string such as 'O' or 'B-PER'"
            raise TagError(tag, what, owner, place)
        number = {tag: i for i, tag in enumerate(dict.fromkeys(tags))}
        return cls(np.fromiter(map(number.__getitem__, tags), np.int64, len(tags)), [*number])

    def tolist(self) -> list[str]:
        """Return the tags themselves."""
        return list(map(self.names.__getitem__, self.codes.tolist()))


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
def _pair_flags(scheme: str, mode: str) -> AnyArray:
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


class _Reader:
    """Finds the spans of a scheme; numbers types as they turn up."""

    def __init__(self, scheme: str, mode: str) -> None:
        check_known(mode, "mode", _MODES)
        name = str(scheme).upper()
        self.scheme = _ALIASES.get(name, name)
        if self.scheme not in _STRICT:
            raise ValueError(f"unknown tag scheme {scheme!r}; {nearest(name, (*SCHEMES, *_ALIASES))}")
        self.known = {prefix: i for i, prefix in enumerate(_STRICT[self.scheme].prefixes)}
        self.flags = _pair_flags(self.scheme, mode)
        self.types: dict[str, int] = {}

    def complaint(self, tag: str) -> str:
        """Say what is wrong with a tag, if anything."""
        if tag.partition("-")[0] in self.known:
            return ""
        return f"is outside {self.scheme}, whose prefixes are {', '.join(sorted(self.known))}"

    def spans(self, tags: CodedTags, owner: str, sentence_of: IntArray) -> tuple[IntArray, ...]:
        """Find start, end (exclusive) and kind of all spans; one place stays free after each sentence."""
        if wrong := [i for i, tag in enumerate(tags.names) if self.complaint(tag)]:
            place = int(np.argmax(np.isin(tags.codes, wrong)))
            tag = tags.names[tags.codes[place]]
            raise TagError(tag, self.complaint(tag), owner, place)
        parts = [tag.partition("-") for tag in tags.names]
        kinds = np.array([self.types.setdefault(kind, len(self.types)) for *_, kind in parts], dtype=np.int64)
        prefixes = np.array([self.known[prefix] for prefix, *_ in parts], dtype=np.int64)[tags.codes]
        tagged = np.flatnonzero(prefixes)
        place_of = np.append(tagged + sentence_of[tagged], -1)
        prefix, kind = np.append(prefixes[tagged], 0), np.append(kinds[tags.codes[tagged]], 0)
        before = np.where(np.roll(place_of, 1) == place_of - 1, np.roll(prefix, 1), 0)
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
        return place_of[starts[ended]], place_of[ends[ended] - 1] + 1, kind[starts[ended]]


def _sentences(values: Iterable[Any], owner: str) -> tuple[list[Any], IntArray]:
    """Return the tags of all sentences one after another, and the lengths of the sentences."""
    if isinstance(values, _UNORDERED) or not isinstance(values, Iterable):
        raise ValueError(f"{owner} is of type {type(values).__name__}, but should be a list of lists of tags")
    sentences = list(values)
    if not set(map(type, sentences)) <= {list, tuple}:
        sentences = [s.tolist() if hasattr(s, "tolist") else s for s in sentences]
        for number, s in enumerate(sentences, 1):
            if isinstance(s, _UNORDERED) or not (isinstance(s, Sized) and isinstance(s, Iterable)):
                raise ValueError(f"sentence {number} of {owner} is {quoted(s)}, but should be a list of tags")
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    return list(chain.from_iterable(sentences)), lengths


def chosen_types(types: Iterable[str] | None, present: Sequence[str]) -> tuple[str, ...]:
    """Return the types asked for, sorted, or all that are present; one that no span has is refused."""
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
        gold, own = self.found[:, :1], self.found[:, 1:]
        row, model, cell = np.nonzero(np.stack((gold & own, ~gold & own, gold & ~own), axis=-1))
        shape = self.n_sentences, len(self.models), len(_SPAN_CELLS)
        places = np.ravel_multi_index((self.sentence[row], model, cell), shape)
        return np.bincount(places, minlength=int(np.prod(shape))).reshape(shape)


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
    model_names(predictions)
    flat, lengths = _sentences(gold, "gold")
    if not lengths.any():
        raise ValueError(f"gold has {lengths.size} sentences and no token, but should have at least one")
    found = {}
    for name, sentences in predictions.items():
        owner = f"model {name!r}"
        found[name], own = _sentences(sentences, owner)
        if own.size != lengths.size:
            counts = f"{own.size} sentences, but gold has {lengths.size}"
            raise ValueError(f"{owner} has {counts}; they must be the same")
        if (own != lengths).any():
            at = int(np.argmax(own != lengths))
            counts = f"{own[at]} tokens, but gold has {lengths[at]} there"
            raise ValueError(f"sentence {at + 1} of {owner} has {counts}; they must be the same")
    try:
        tags = CodedTags.of(flat, "gold")
        coded = {name: CodedTags.of(own, f"model {name!r}") for name, own in found.items()}
        return flat_spans(tags, coded, lengths, scheme=scheme, mode=mode, types=types)
    except TagError as error:
        ends = np.cumsum(lengths)
        sentence = int(np.searchsorted(ends, error.place, side="right"))
        place = f"sentence {sentence + 1}, token {error.place - ends[sentence] + lengths[sentence] + 1}"
        raise ValueError(f"tag {error.tag!r} of {error.owner}, {place}, {error.complaint}") from None


def flat_spans(
    gold: CodedTags,
    predictions: Mapping[str, CodedTags],
    lengths: IntArray,
    *,
    scheme: str = "IOB2",
    mode: str = "lenient",
    types: Iterable[str] | None = None,
) -> SpanTable:
    """Read spans as `read_spans` does, given the tags of all sentences one after another and the lengths of these."""
    reader = _Reader(scheme, mode)
    sentence_of = np.repeat(np.arange(lengths.size), lengths)
    sides = {"gold": gold} | {f"model {name!r}": tags for name, tags in predictions.items()}
    parts = [reader.spans(tags, owner, sentence_of) for owner, tags in sides.items()]
    start, end, kind = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    side = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])

    names = list(reader.types)
    chosen = chosen_types(types, sorted(names[i] for i in np.unique(kind)))
    rank = np.full(len(names), -1)
    rank[[reader.types[name] for name in chosen]] = np.arange(len(chosen))
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
    reader = _Reader(scheme, mode)
    coded = CodedTags.of(tags, "the sequence")
    spans = reader.spans(coded, "the sequence", np.zeros(len(tags), dtype=np.int64))
    names = list(reader.types)
    return [(names[kind], int(start), int(end)) for start, end, kind in zip(*spans, strict=True)]


# ---- evaluations ----------------------------------------------------------------------------------------


@with_runs_in("predictions")
def from_tags(
    gold: Iterable[Sequence[str]],
    predictions: Mapping[str, Iterable[Sequence[str]]],
    *,
    scheme: str = "IOB2",
    mode: str = "lenient",
    types: Iterable[str] | None = None,
    groups: ArrayLike | None = None,
    by_type: bool = False,
) -> Evaluation:
    """Build an Evaluation from tag sequences, sentence by sentence: paired and clustered.

    A span counts as found where its type and both its ends are right.

    Parameters
    ----------
    gold
        Gold tags, a list of sentences, each a list of tags such as ``"B-PER"``.
    predictions
        Mapping of model name to its tags, for the same sentences and tokens.
    scheme
        IOB1, IOB2, IOE1, IOE2, IOBES (BIOES), BILOU, BMES or BB2B3MES.
    mode
        ``"lenient"`` reads as conlleval does, so that an ``I-X`` after ``O`` begins a span; ``"strict"``
        drops spans that break the scheme.
    types
        Restricts the evaluation to spans of these types, such as ``["ORG"]``.
    groups
        The document of each sentence; documents are then the units.
    by_type
        Whether to count each type by itself, for ``macro_f1``, ``f1[PER]`` and the like; plain ``f1`` is the
        same either way.

    Examples
    --------
    >>> gold = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
    >>> a = [["B-PER", "I-PER", "O"], ["O", "O", "O"]]
    >>> b = [["B-PER", "O", "O"], ["O", "B-LOC", "O"]]
    >>> ev = from_tags(gold, {"A": a, "B": b})
    >>> ev
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, 2 sentences in 2 patterns>
    >>> ev.tables
    array([[1., 0., 1.], [1., 1., 1.]])
    """
    table = read_spans(gold, predictions, scheme=scheme, mode=mode, types=types)
    return from_span_table(table, groups=groups, by_type=by_type)


def from_span_table(
    table: SpanTable, *, groups: ArrayLike | None = None, by_type: bool = False
) -> Evaluation:
    """Build an Evaluation from a table that says who found which span."""
    if not len(table.found):
        raise ValueError("neither gold nor any model has a span; is the tag scheme the right one?")
    if by_type and len(table.types) < 2:
        raise ValueError(f"spans are of one type, {table.types[0]!r}; leave by_type out")
    unit, n, of_sentence = "sentence", table.n_sentences, table.sentence
    if groups is not None:
        labels = read_groups(groups)
        if labels.shape != (n,):
            raise ValueError(f"groups have shape {labels.shape}; give one for each of {n} sentences")
        document = np.unique(labels, return_inverse=True)[1].ravel()
        unit, n, of_sentence = "document", int(document.max()) + 1, document[table.sentence]
    k, m = len(table.types) if by_type else 1, len(table.models)
    coded = np.column_stack([table.kind if by_type else np.zeros_like(table.kind), table.found])
    kinds, which = distinct_rows_of(coded, max(2, k))
    kind, in_gold, predicted = kinds[:, :1], kinds[:, 1:2] > 0, kinds[:, 2:] > 0
    # tp 0, fp 1, fn 2; a span of nobody's but another model's adds nothing.
    cell = np.where(in_gold & predicted, 0, np.where(predicted, 1, 2))
    columns = (np.arange(m) * 3 + cell) * k + kind
    seen = in_gold | predicted
    rows = indicators(np.nonzero(seen)[0], columns[seen], (len(kinds), m * 3 * k))
    rows = rows if by_type else rows.toarray()
    sums = indicators(of_sentence, which, (n, len(kinds))) @ rows
    units = Units.merge(sums, np.ones(n), unit)
    items = Units.merge(rows, np.bincount(which).astype(float), "item")
    task = TypedSpans(table.types) if by_type else Binary(_SPAN_CELLS)
    return replace(Evaluation.of_units(table.models, task, units, items), remarks=_type_notes(table))


def _type_notes(table: SpanTable) -> tuple[str, ...]:
    """Say which type of gold may be a slip, and which types a model has that gold never has."""
    numbers = (np.bincount(table.kind[own], minlength=len(table.types)).tolist() for own in table.found.T)
    gold, *predicted = ({kind: n for kind, n in zip(table.types, own, strict=True) if n} for own in numbers)
    strange = {
        name: sorted(own.keys() - gold.keys()) for name, own in zip(table.models, predicted, strict=True)
    }
    return label_notes(gold, {"": gold}) + tuple(
        f"{name} has types of spans that gold never has: {listing(map(quoted, types), most=5)}."
        for name, types in strange.items()
        if types
    )
