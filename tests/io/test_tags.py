from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import bayesf1 as bf
from bayesf1.io.tags import SCHEMES, read_spans, split_spans

PREFIXES = {
    "IOB1": "I O B",
    "IOB2": "I O B",
    "IOE1": "I O E",
    "IOE2": "I O E",
    "IOBES": "I O B E S",
    "BILOU": "B I L O U",
    "BMES": "B M E S O",
    "BB2B3MES": "B B2 B3 M E S O",
}
CONLLEVAL_PREFIX = {"M": "I", "B2": "I", "B3": "I", "L": "E", "U": "S"}
TASKS = ["", "-PER", "-LOC", "-creative-work"]
many = settings(max_examples=80, deadline=None)


def all_tags(scheme: str) -> list[str]:
    return [p + kind for p in PREFIXES[scheme].split() for kind in (TASKS if p != "O" else [""])]


def sequences(scheme: str, max_size: int = 12) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(all_tags(scheme)), max_size=max_size)


def corpora(scheme: str) -> st.SearchStrategy[tuple[list[list[str]], list[list[str]]]]:
    tag = st.sampled_from(all_tags(scheme))
    sentence = st.lists(st.tuples(tag, st.one_of(st.none(), tag)), max_size=8)
    # A tag drawn as None is predicted right, so that true positives are not rare.
    return (
        st.lists(sentence, min_size=1, max_size=6)
        .filter(any)
        .map(lambda c: ([[g for g, _ in s] for s in c], [[g if p is None else p for g, p in s] for s in c]))
    )


def seqeval_lenient(tags: list[str]) -> list[tuple[str, int, int]]:
    labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
    # seqeval calls the missing type "_", and its end is inclusive.
    return [("" if k == "_" else k, s, e + 1) for k, s, e in labeling.get_entities(tags)]


def seqeval_strict(tags: list[str], scheme: type) -> list[tuple[str, int, int]]:
    module = pytest.importorskip("seqeval.scheme")
    entities = module.Tokens(tags, scheme).entities
    return [("" if e.tag == "_" else e.tag, e.start, e.end) for e in entities]


def tag_spans(
    scheme: str, pieces: list[tuple[str | None, int]]
) -> tuple[list[str], list[tuple[str, int, int]]]:
    """Tag pieces of text, each of a type or None, by the definition of the scheme."""
    tags: list[str] = []
    spans = []
    for i, (kind, n) in enumerate(pieces):
        if kind is None:
            tags += ["O"] * n
            continue
        spans.append((kind, len(tags), len(tags) + n))
        follows_same = i > 0 and pieces[i - 1][0] == kind
        precedes_same = i + 1 < len(pieces) and pieces[i + 1][0] == kind
        inner = ["I"] * n
        if scheme == "IOB2" or (scheme == "IOB1" and follows_same):
            inner[0] = "B"
        elif scheme == "IOE2" or (scheme == "IOE1" and precedes_same):
            inner[-1] = "E"
        elif scheme not in ("IOB1", "IOE1"):
            last, single = ("L", "U") if scheme == "BILOU" else ("E", "S")
            middle = {"BMES": ["M"] * n, "BB2B3MES": ["B2", "B3"] + ["M"] * n}.get(scheme, ["I"] * n)
            inner = [single] if n == 1 else ["B", *middle[: n - 2], last]
        tags += [f"{p}-{kind}" if kind else p for p in inner]
    return tags, spans


# ---- agreement with seqeval ----------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_lenient_reading_is_seqevals_default_on_any_sequence(scheme):
    @many
    @given(sequences(scheme))
    def check(tags):
        known = []
        for tag in tags:
            prefix, hyphen, kind = tag.partition("-")
            known.append(CONLLEVAL_PREFIX.get(prefix, prefix) + hyphen + kind)
        assert split_spans(tags, scheme) == seqeval_lenient(known)

    check()


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOE2", "IOBES", "BILOU"])
def test_strict_reading_is_seqevals_strict_mode_on_any_sequence(scheme):
    reference = getattr(pytest.importorskip("seqeval.scheme"), scheme)

    @many
    @given(sequences(scheme))
    def check(tags):
        assert split_spans(tags, scheme, "strict") == seqeval_strict(tags, reference)

    check()


def test_strict_ioe1_is_seqevals_once_a_lone_e_may_start_a_span():
    # IOE1 marks with E the last token of a span that another of its type follows at once, so a span of one
    # token is a lone E there. seqeval's IOE1, which a remark there calls unfinished, starts no span at an E
    # after O or after another type, and so loses a span of a valid sequence.
    scheme = pytest.importorskip("seqeval.scheme")
    p, t = scheme.Prefix, scheme.Tag

    class Mended(scheme.IOE1):
        start_patterns = scheme.IOE1.start_patterns | {(p.O, p.E, t.ANY), (p.I, p.E, t.DIFF)}

    valid = ["O", "E-PER", "I-PER", "O"]
    assert seqeval_strict(valid, scheme.IOE1) == [("PER", 2, 3)]
    assert split_spans(valid, "IOE1", "strict") == [("PER", 1, 2), ("PER", 2, 3)]

    @many
    @given(sequences("IOE1"))
    def check(tags):
        assert split_spans(tags, "IOE1", "strict") == seqeval_strict(tags, Mended)
        untouched = all(
            not cur.startswith("E") or (prev[1:] == cur[1:] and prev != "O")
            for prev, cur in zip(["O", *tags], tags, strict=False)
        )
        if untouched:
            assert split_spans(tags, "IOE1", "strict") == seqeval_strict(tags, scheme.IOE1)

    check()


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("scheme", ["IOB2", "IOBES"])
def test_counts_give_seqevals_precision_recall_and_support(scheme, mode):
    labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
    strict = pytest.importorskip("seqeval.metrics.v1").precision_recall_fscore_support
    reference = getattr(pytest.importorskip("seqeval.scheme"), scheme)

    def by_seqeval(gold, own):
        if mode == "strict":
            return strict(gold, own, average="micro", scheme=reference, zero_division=0)
        return labeling.precision_recall_fscore_support(gold, own, average="micro", zero_division=0)

    @settings(max_examples=50, deadline=None)
    @given(corpora(scheme))
    def check(corpus):
        gold, own = corpus
        tp, fp, fn = read_spans(gold, {"A": own}, scheme=scheme, mode=mode).counts().sum(axis=(0, 1))
        precision, recall, _, support = by_seqeval(gold, own)
        assert support == tp + fn
        assert precision == pytest.approx(tp / max(tp + fp, 1))
        assert recall == pytest.approx(tp / max(tp + fn, 1))

    check()


# ---- definitions of the schemes ------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_valid_tags_give_back_the_spans_they_were_made_from(scheme):
    piece = st.tuples(st.sampled_from([None, "", "PER", "creative-work"]), st.integers(1, 6))

    @settings(max_examples=50, deadline=None)
    @given(st.lists(piece, max_size=8))
    def check(pieces):
        tags, spans = tag_spans(scheme, pieces)
        assert split_spans(tags, scheme, "lenient") == split_spans(tags, scheme, "strict") == spans

    check()


@pytest.mark.parametrize(
    ("scheme", "letters", "pattern"),
    [
        ("BMES", {"B": "b", "M": "m", "E": "e", "S": "s", "O": "o"}, "s|bm*e"),
        (
            "BB2B3MES",
            {"B": "b", "B2": "c", "B3": "d", "M": "m", "E": "e", "S": "s", "O": "o"},
            "s|be|bce|bcdm*e",
        ),
    ],
)
def test_strict_word_segmentation_is_a_regular_expression(scheme, letters, pattern):
    @many
    @given(st.lists(st.sampled_from(list(letters)), max_size=15))
    def check(tags):
        text = "".join(letters[tag] for tag in tags)
        expected = [("", match.start(), match.end()) for match in re.finditer(pattern, text)]
        assert split_spans(tags, scheme, "strict") == expected

    check()


def test_scheme_names_ignore_case_and_have_aliases():
    tags = ["B-PER", "E-PER", "S-PER"]
    for scheme in ("bioes", "BIOES", "iobes", "IobES"):
        assert split_spans(tags, scheme, "strict") == [("PER", 0, 2), ("PER", 2, 3)]
    assert split_spans(["I-PER"], "bio", "strict") == []


# ---- the table of spans --------------------------------------------------------------------------


def test_spans_do_not_reach_over_the_end_of_a_sentence():
    table = read_spans([["O", "B-PER"], [], ["I-PER", "O"]], {"A": [["O", "O"], [], ["I-PER", "O"]]})
    assert table.counts().tolist() == [[[0, 0, 1]], [[0, 0, 0]], [[1, 0, 0]]]


# ---- bad input -----------------------------------------------------------------------------------

GOLD = [["B-PER", "O"], ["O"]]


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("tag", ["E-PER", "Q-PER", "", "-PER", "BPER", "b-PER", "o", "B2", "B_PER", " O"])
def test_tag_outside_the_scheme_is_refused_with_its_place(tag, mode):
    place = f"tag {tag!r} of model 'crf', sentence 2, token 1, is outside IOB2"
    with pytest.raises(ValueError, match=f"^{re.escape(place)}"):
        read_spans(GOLD, {"A": GOLD, "crf": [["O", "O"], [tag]]}, mode=mode)


@pytest.mark.parametrize(
    ("tag", "name"), [(None, "NoneType"), (np.nan, "float"), (3, "int"), (b"O", "bytes"), ([], "list")]
)
def test_tag_that_is_no_string_is_refused_with_its_place(tag, name):
    with pytest.raises(ValueError, match=rf"model 'A', sentence 1, token 2, is of type {name}"):
        read_spans(GOLD, {"A": [["O", tag], ["O"]]})


@pytest.mark.parametrize(
    ("gold", "predictions", "message"),
    [
        (GOLD, {"A": GOLD, "crf": GOLD[:1]}, "model 'crf' has 1 sentences, but gold has 2"),
        (GOLD, {"crf": [["O", "O"]] * 2}, "sentence 2 of model 'crf' has 2 tokens, but gold has 1 there"),
        ([["O", "M"]], {"A": [["O", "O"]]}, "'M' of gold, sentence 1, token 2, .* prefixes are B, I, O"),
        (["B-PER", "O"], {"A": GOLD}, r"sentence 1 of gold is 'B-PER', but should be a list of tags"),
        (GOLD, {"A": [["O", "O"], None]}, "sentence 2 of model 'A' is None, but should be a list"),
        ([], {"A": []}, "gold has 0 sentences and no token"),
        ([[]], {"A": [[]]}, "gold has 1 sentences and no token"),
    ],
)
def test_input_that_does_not_line_up_is_refused(gold, predictions, message):
    with pytest.raises(ValueError, match=message):
        read_spans(gold, predictions)


# ---- evaluations -----------------------------------------------------------------------------------

# Derczynski et al. (2017), Results of the WNUT2017 shared task, Table 3, F1 (entity); tp, fp and fn were counted
# in the systems' outputs.
PUBLISHED = {
    "UH-RiTUAL": (41.86, (355, 262, 724)),
    "SpinningBytes": (40.78, (388, 436, 691)),
    "SJTU-Adapt": (40.42, (365, 362, 714)),
    "Arcada": (39.98, (373, 414, 706)),
    "FLYTXT": (38.35, (345, 375, 734)),
    "MIC-CIS": (37.06, (365, 526, 714)),
    "Drexel-CCI": (26.30, (192, 189, 887)),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_packaged_wnut17_reproduces_the_published_f1(name):
    ev = bf.load_example("wnut17")
    f1, counts = PUBLISHED[name]
    assert 100 * bf.score(ev, name) == pytest.approx(f1, abs=0.005)
    assert tuple(ev.tables[ev.index(name)]) == counts
