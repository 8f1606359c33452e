"""Tag sequences read as spans: the schemes, their lenient and strict readings, and evaluations of spans.

References
----------
Tjong Kim Sang and Veenstra (1999), Representing text chunks, EACL, for IOB1, IOB2, IOE1 and IOE2.
Tjong Kim Sang and Buchholz (2000), Introduction to the CoNLL-2000 shared task, for conlleval's reading.
Ratinov and Roth (2009), Design challenges and misconceptions in NER, CoNLL, for BILOU.
Zhao, Huang, Li and Lu (2006), Effective tag set selection in Chinese word segmentation, PACLIC, for BB2B3MES.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import AnyArray, BoolArray, IntArray, SupportsToList, indicators
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
    """A tag outside its scheme, with its owner and its place among all tags of the owner, counted from 0."""

    def __init__(self, tag: object, complaint: str, owner: str, place: int) -> None:
        super().__init__(f"tag {tag!r} of {owner} {complaint}")
        self.tag = tag
        self.complaint = complaint
        self.owner = owner
        self.place = place


def owner_of(model: str) -> str:
    """Return how errors call a model whose tags they are about."""
    return f"model {model!r}"


class CodedTags(NamedTuple):
    """The tags of all tokens, as numbers of the distinct ones."""

    codes: IntArray
    names: Sequence[str]

    @classmethod
    def of(cls, tags: Sequence[Any], owner: str) -> CodedTags:
        """Return tags numbered in the order in which they occur; raise a TagError if one is not a text."""
        if not all(issubclass(kind, str) for kind in {*map(type, tags)}):
            place = next(i for i, tag in enumerate(tags) if not isinstance(tag, str))
            type_name = type(tags[place]).__name__
            complaint = f"is of type {type_name}, but a tag is a string such as 'O' or 'B-PER'"
            raise TagError(tags[place], complaint, owner, place)
        number = {tag: i for i, tag in enumerate(dict.fromkeys(tags))}
        codes = np.fromiter(map(number.__getitem__, tags), np.int64, len(tags))
        return cls(codes, [*number])


class _Scheme(NamedTuple):
    """Prefixes, and which pairs of neighbours start, continue and end a span.

    A rule `A,B>C=` holds for a `C` after an `A` or a `B` of the same type; `!` asks for another type, and no sign for any
    type. `*` is every prefix.
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
# Bits that say whether a span starts, goes on or ends between two neighbours.
_START = 1
_INSIDE = 2
_END = 4
_UNORDERED = (str, bytes, Mapping, Set)

SCHEMES: tuple[str, ...] = tuple(_STRICT)
"""Names of the tag schemes; BIOES is read as IOBES and BIO as IOB2, in any case."""


@cache
def _pair_flags(scheme: str, mode: str) -> AnyArray:
    """Return which of the three bits are set for (prefix before, prefix, same type), raveled."""
    rules = _STRICT[scheme]
    names = rules.prefixes
    if mode == "lenient":
        names = tuple(_LENIENT_ROLE.get(name, name) for name in names)
        rules = _LENIENT
    flags = np.zeros((len(names), len(names), 2), dtype=np.uint8)
    for flag, text in ((_START, rules.starts), (_INSIDE, rules.inside), (_END, rules.ends)):
        for rule in text.split():
            left, right = rule.rstrip("=!").split(">")
            same_type = {"=": [1], "!": [0]}.get(rule[-1], [0, 1])
            flags[np.ix_(_meant(left, names), _meant(right, names), same_type)] |= flag
    return flags.ravel()


def _meant(prefixes: str, names: Sequence[str]) -> list[int]:
    """Return which of the names are meant by one side of a rule."""
    listed = prefixes.split(",")
    return [i for i, name in enumerate(names) if "*" in listed or name in listed]


class _Spans(NamedTuple):
    """Where spans start and end (exclusive), and the numbers of their types."""

    start: IntArray
    end: IntArray
    kind: IntArray


class _Reader:
    """Finds the spans of a scheme; numbers types as they turn up."""

    def __init__(self, scheme: str, mode: str) -> None:
        check_known(mode, "mode", _MODES)
        name = str(scheme).upper()
        self.scheme = _ALIASES.get(name, name)
        if self.scheme not in _STRICT:
            raise ValueError(f"unknown tag scheme {scheme!r}; {nearest(name, (*SCHEMES, *_ALIASES))}")
        # O is prefix 0.
        self.prefixes = {prefix: i for i, prefix in enumerate(_STRICT[self.scheme].prefixes)}
        self.pair_flags = _pair_flags(self.scheme, mode)
        self.types: dict[str, int] = {}

    def holds(self, flag: int, before: IntArray, prefix: IntArray, same_type: BoolArray) -> BoolArray:
        """Return where a bit holds for pairs of neighbours."""
        pair = 2 * (before * len(self.prefixes) + prefix) + same_type
        return np.asarray(self.pair_flags[pair] & flag) > 0

    def spans(self, tags: CodedTags, owner: str, sentence_of: IntArray) -> _Spans:
        """Find all spans. Places are numbers of tokens, with one number left free after each sentence."""
        prefix_of_tag, kind_of_tag = self._parts(tags, owner)
        prefixes = prefix_of_tag[tags.codes]
        # Only tokens that are not O, with an O at the end.
        tagged = np.flatnonzero(prefixes)
        place = np.append(tagged + sentence_of[tagged], -1)
        prefix = np.append(prefixes[tagged], 0)
        kind = np.append(kind_of_tag[tags.codes[tagged]], 0)
        is_next = np.roll(place, 1) == place - 1
        before = np.where(is_next, np.roll(prefix, 1), 0)
        same_type = np.roll(kind, 1) == kind
        starts = np.flatnonzero(self.holds(_START, before, prefix, same_type))
        breaks = np.flatnonzero(~self.holds(_INSIDE, before, prefix, same_type))
        next_break = np.searchsorted(breaks, starts, side="right")
        # IOB1 may see a second start inside a span that has begun: only the first before a break counts.
        is_first = np.diff(next_break, prepend=-1) > 0
        starts = starts[is_first]
        ends = breaks[next_break[is_first]]
        last = ends - 1
        after = np.where(before[ends] == 0, 0, prefix[ends])
        is_span = self.holds(_END, prefix[last], after, kind[ends] == kind[last])
        starts = starts[is_span]
        return _Spans(start=place[starts], end=place[last[is_span]] + 1, kind=kind[starts])

    def _parts(self, tags: CodedTags, owner: str) -> tuple[IntArray, IntArray]:
        """Return the numbers of each distinct tag's prefix and type; raise a TagError if a tag is outside the scheme."""
        parts = [tag.partition("-") for tag in tags.names]
        wrong = [i for i, (prefix, _, _) in enumerate(parts) if prefix not in self.prefixes]
        if wrong:
            place = int(np.argmax(np.isin(tags.codes, wrong)))
            complaint = f"is outside {self.scheme}, whose prefixes are {', '.join(sorted(self.prefixes))}"
            raise TagError(tags.names[tags.codes[place]], complaint, owner, place)
        prefixes = [self.prefixes[prefix] for prefix, _, _ in parts]
        kinds = [self.types.setdefault(kind, len(self.types)) for _, _, kind in parts]
        return np.array(prefixes, dtype=np.int64), np.array(kinds, dtype=np.int64)


def _sentences(values: Iterable[Any], owner: str) -> tuple[list[Any], IntArray]:
    """Return the tags of all sentences one after another, and the lengths of the sentences."""
    if isinstance(values, _UNORDERED) or not isinstance(values, Iterable):
        raise ValueError(f"{owner} is of type {type(values).__name__}, but should be a list of lists of tags")
    sentences = list(values)
    if not set(map(type, sentences)) <= {list, tuple}:
        sentences = [s.tolist() if isinstance(s, SupportsToList) else s for s in sentences]
        for number, sentence in enumerate(sentences, 1):
            if isinstance(sentence, _UNORDERED) or not isinstance(sentence, Collection):
                raise ValueError(
                    f"sentence {number} of {owner} is {quoted(sentence)}, but should be a list of tags"
                )
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
    """All spans: sentence and type of each, and whether gold (column 0) and each model (the other columns) have it.

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
        gold = self.found[:, :1]
        own = self.found[:, 1:]
        # Axes (span, model, cell).
        in_cell = np.stack((gold & own, ~gold & own, gold & ~own), axis=-1)
        row, model, cell = np.nonzero(in_cell)
        shape = (self.n_sentences, len(self.models), len(_SPAN_CELLS))
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
    predicted = {}
    for name, sentences in predictions.items():
        owner = owner_of(name)
        predicted[name], own_lengths = _sentences(sentences, owner)
        if own_lengths.size != lengths.size:
            counts = f"{own_lengths.size} sentences, but gold has {lengths.size}"
            raise ValueError(f"{owner} has {counts}; they must be the same")
        differs = own_lengths != lengths
        if differs.any():
            at = int(np.argmax(differs))
            counts = f"{own_lengths[at]} tokens, but gold has {lengths[at]} there"
            raise ValueError(f"sentence {at + 1} of {owner} has {counts}; they must be the same")
    try:
        gold_tags = CodedTags.of(flat, "gold")
        coded = {name: CodedTags.of(own, owner_of(name)) for name, own in predicted.items()}
        return flat_spans(gold_tags, coded, lengths, scheme=scheme, mode=mode, types=types)
    except TagError as error:
        ends = np.cumsum(lengths)
        sentence = int(np.searchsorted(ends, error.place, side="right"))
        start = ends[sentence] - lengths[sentence]
        place = f"sentence {sentence + 1}, token {error.place - start + 1}"
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
    # Gold, then each model.
    sides = [reader.spans(gold, "gold", sentence_of)]
    for name, tags in predictions.items():
        sides.append(reader.spans(tags, owner_of(name), sentence_of))
    kind = np.concatenate([spans.kind for spans in sides])
    names = list(reader.types)
    chosen = chosen_types(types, sorted(names[i] for i in np.unique(kind)))
    n_types = len(chosen)
    new_number = np.full(len(names), -1)
    new_number[[reader.types[name] for name in chosen]] = np.arange(n_types)

    is_chosen = new_number[kind] >= 0
    start = np.concatenate([spans.start for spans in sides])[is_chosen]
    end = np.concatenate([spans.end for spans in sides])[is_chosen]
    kind = new_number[kind[is_chosen]]
    side = np.repeat(np.arange(len(sides)), [len(spans.start) for spans in sides])[is_chosen]

    # One number a span, in the order of start, end and type, as sorting rows takes several times as long.
    length = end - start
    longest = int(length.max(initial=0)) + 1
    numbers = (start * longest + length) * n_types + kind
    distinct, which = np.unique(numbers, return_inverse=True)
    found = np.zeros((distinct.size, len(sides)), dtype=bool)
    found[which.ravel(), side] = True
    return SpanTable(
        sentence=np.searchsorted(np.cumsum(lengths + 1), distinct // (longest * n_types), side="right"),
        kind=distinct % n_types,
        found=found,
        types=chosen,
        models=tuple(predictions),
        n_sentences=lengths.size,
    )


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
    rows = zip(spans.kind.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True)
    return [(names[kind], start, end) for kind, start, end in rows]


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

    A span counts as found if its type and both its ends are right.

    Parameters
    ----------
    gold
        Gold tags, a list of sentences, each a list of tags such as ``"B-PER"``.
    predictions
        Mapping of model name to its tags, for the same sentences and tokens.
    scheme
        IOB1, IOB2, IOE1, IOE2, IOBES (BIOES), BILOU, BMES or BB2B3MES.
    mode
        ``"lenient"`` reads tags as conlleval does: an ``I-X`` after ``O`` begins a span; ``"strict"`` drops spans that break
        the scheme.
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
    """Build an Evaluation from a table of spans, and of the models that found each of them."""
    if len(table.found) == 0:
        raise ValueError("neither gold nor any model has a span; is the tag scheme the right one?")
    if by_type and len(table.types) < 2:
        raise ValueError(f"spans are of one type, {table.types[0]!r}; leave by_type out")
    unit = "sentence"
    n_units = table.n_sentences
    unit_of_span = table.sentence
    if groups is not None:
        labels = read_groups(groups)
        if labels.shape != (n_units,):
            raise ValueError(f"groups have shape {labels.shape}; give one for each of {n_units} sentences")
        documents, document_of_sentence = np.unique(labels, return_inverse=True)
        unit = "document"
        n_units = len(documents)
        unit_of_span = document_of_sentence.ravel()[table.sentence]

    rows, pattern_of_span = _span_patterns(table, by_type=by_type)
    n_patterns = rows.shape[0]
    sums = indicators(unit_of_span, pattern_of_span, (n_units, n_patterns)) @ rows
    units = Units.merge(sums, np.ones(n_units), unit)
    items = Units.merge(rows, np.bincount(pattern_of_span).astype(float), "item")
    task = TypedSpans(table.types) if by_type else Binary(_SPAN_CELLS)
    return replace(Evaluation.of_units(table.models, task, units, items), remarks=_type_notes(table))


def _span_patterns(table: SpanTable, *, by_type: bool) -> tuple[Any, IntArray]:
    """Return what each pattern of spans adds to the tables, axes (pattern, model·cell·type), and the pattern of each span.

    Spans of a pattern are in gold and in the predictions of the same models, and of one type if types count.
    """
    n_types = len(table.types) if by_type else 1
    n_cells = len(_SPAN_CELLS)
    kind_of_span = table.kind if by_type else np.zeros_like(table.kind)
    patterns, pattern_of_span = distinct_rows_of(
        np.column_stack([kind_of_span, table.found]), max(2, n_types)
    )
    kind = patterns[:, :1]
    in_gold = patterns[:, 1:2] > 0
    predicted = patterns[:, 2:] > 0
    # tp 0, fp 1, fn 2; a span that neither gold nor the model has adds nothing.
    cell = np.where(in_gold & predicted, 0, np.where(predicted, 1, 2))
    column = (np.arange(len(table.models)) * n_cells + cell) * n_types + kind
    adds = in_gold | predicted
    which_pattern, _ = np.nonzero(adds)
    shape = (len(patterns), len(table.models) * n_cells * n_types)
    rows = indicators(which_pattern, column[adds], shape)
    if not by_type:
        rows = rows.toarray()
    return rows, pattern_of_span


def _type_notes(table: SpanTable) -> tuple[str, ...]:
    """Return notes on gold types that may be slips, and on types of models that gold never has."""
    gold = _counts_by_type(table, 0)
    notes = [*label_notes(gold, {"": gold})]
    for column, name in enumerate(table.models, 1):
        new_types = sorted(_counts_by_type(table, column).keys() - gold.keys())
        if new_types:
            listed = listing(map(quoted, new_types), most=5)
            notes.append(f"{name} has types of spans that gold never has: {listed}.")
    return tuple(notes)


def _counts_by_type(table: SpanTable, column: int) -> dict[str, int]:
    """Return the number of spans of each type that gold (column 0) or a model has."""
    kinds = table.kind[table.found[:, column]]
    counts = np.bincount(kinds, minlength=len(table.types)).tolist()
    return {name: n for name, n in zip(table.types, counts, strict=True) if n > 0}
