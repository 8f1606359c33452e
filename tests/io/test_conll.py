"""Column files of tags and CoNLL-U: what a line is, how files line up, and counts of whole files."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from seqeval.metrics import f1_score as span_f1
from sklearn.metrics import accuracy_score, f1_score

import bayesf1 as bf
from builders import writer
from file_samples import conllu

DATA = Path(__file__).parents[1] / "data"
# True positives, false positives and false negatives of the two systems, as seqeval's get_entities finds spans.
COUNTED = {"crf": [9, 5, 7], "bert": [14, 4, 2]}


@pytest.fixture
def write(tmp_path):
    return writer(tmp_path, "a.conll")


def check_read(path, sentences, folder):
    """Check that a file holds these sentences, lists of (token, tag), by a file of them between tabs."""
    plain = folder / "plain.conll"
    plain.write_text("\n\n".join("\n".join(f"{w}\t{t}" for w, t in s) for s in sentences), encoding="utf-8")
    tags = [[t for _, t in s] for s in sentences]
    if not any(tag != "O" for s in tags for tag in s):
        with pytest.raises(ValueError, match="neither gold nor any model has a span"):
            bf.from_conll(plain, {"A": path})
        return
    with warnings.catch_warnings():
        # Tokens that are spelled otherwise are a warning.
        warnings.simplefilter("error")
        assert bf.from_conll(plain, {"A": path}) == bf.from_tags(tags, {"A": tags})


ADA = [[("Ada", "B-PER"), ("ran", "O")], [("On", "O")]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("gap", ["\t", " ", "   "])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n \n\t\n"])
@pytest.mark.parametrize("finish", ["", "\n", "\n\n \n\n"])
def test_blanks_line_ends_byte_order_marks_and_empty_lines_make_no_difference(
    write, tmp_path, end, gap, start, finish
):
    text = f"{start}Ada{gap}B-PER\nran{gap}O\n\n \t \nOn{gap}O{finish}".replace("\n", end)
    check_read(write(text), ADA, tmp_path)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=["Cs"]), min_size=1),
                st.sampled_from(["O", "B-PER", "I-creative-work"]),
            ),
            min_size=1,
            max_size=5,
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_reading_gives_back_what_was_written_with_tabs(tmp_path_factory, sentences, end):
    # A first token that begins with a byte order mark would lose it, and -DOCSTART- is no token.
    sentences[0][0] = ("first", "O")
    folder = tmp_path_factory.mktemp("conll")
    lines = [line for s in sentences for line in [*(f"{token}\t{tag}" for token, tag in s), ""]]
    (folder / "a.conll").write_bytes(end.join(lines).encode("utf-8"))
    check_read(folder / "a.conll", sentences, folder)


@pytest.mark.parametrize("gap", ["\t", " "])
def test_number_sign_with_a_tag_is_a_token_and_only_ascii_blanks_part_columns(write, tmp_path, gap):
    sign, x = ("#", "B-PER"), ("x", "O")
    odd = [[(token, "O") for token in ("\u00a0", "x\u0085y", "\u2028", "\u3000x")] + [sign]]
    for sentences in ([[sign, x]], [[x], [sign]], [[x, sign]], [[sign, sign]], odd):
        text = "\n\n".join("\n".join(gap.join(pair) for pair in s) for s in sentences)
        check_read(write(text), sentences, tmp_path)


@pytest.mark.parametrize("gap", ["\t", " "])
@pytest.mark.parametrize(
    "comment", ["# sent_id = 1", "# id 5239\tdomain=train\tx", "#begin document (a); part 0", "# "]
)
def test_comment_before_a_sentence_is_passed_over(write, tmp_path, gap, comment):
    sentence = f"Ada{gap}B-PER\n#{gap}O\n"
    path = write(f"{comment}\n{comment}\n{sentence}\n{comment}\n{sentence}\n{comment}\n")
    check_read(path, [[("Ada", "B-PER"), ("#", "O")]] * 2, tmp_path)


@pytest.mark.parametrize(
    "text", ["x O\n# two words\n", "x O\n\n#Ada\n", "x O\n\n#\n", "x\ty\tO\n\n#Ada\tO\n"]
)
def test_number_sign_that_could_be_a_broken_token_is_refused(write, text):
    path = write(text)
    with pytest.raises(ValueError, match=re.escape(f"{path}, line {text.count(chr(10))}, has ")):
        bf.from_conll(path, {"A": path})


@pytest.mark.parametrize("mark", ["-DOCSTART-", "-DOCSTART- -X- -X- O", "-DOCSTART-\tO", "-DOCSTART- (1)\tO"])
def test_docstart_begins_a_document_and_is_no_sentence(write, mark):
    tag = "B-X"
    path = write(
        f"{mark}\n\na {tag}\n\nb O\n{mark}\nc {tag}\n\n{mark}\n\n{mark}\n\nd O\n\n{mark}\n".replace(
            "O\n", f"{tag}\n"
        )
    )
    ev = bf.from_conll(path, {"A": path}, unit="document")
    tags = [[tag]] * 4
    assert ev == bf.from_tags(tags, {"A": tags}, groups=[0, 0, 1, 2])


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("a O\nb\n", ", line 2", "1 column"),
        ("a\nb\n", ", line 1", "at least 2"),
        ("\na O\nNew York O\n", ", line 3", "3 columns"),
        ("a\tO\nb\t \n", ", line 2", "empty column"),
        ("a\tO\nb\t\n", ", line 2", "empty column"),
        ("-DOCSTART- O\n", "", "no sentence"),
        (b"a O\nb\xe9 O\n", ", line 2", "0xe9, which is not UTF-8"),
        ("a O\rb O\r", ", line 1", "carriage return"),
        ("a O\n" + "b" * 2_000_000, ", line 2", "1 column"),
    ],
)
def test_broken_file_is_refused_with_its_line(write, text, place, what):
    path = write(text)
    with pytest.raises(ValueError, match=rf"^{re.escape(f'{path}{place}')}.* {re.escape(what)}"):
        bf.from_conll(path, {"A": path})


# ---- alignment -----------------------------------------------------------------------------------

GOLD = "-DOCSTART- O\n\nAda B-PER\nran O\n\n-DOCSTART- O\n\nIn O\nRome B-LOC\n"


def test_files_with_gold_beside_the_prediction_need_no_gold_file(write):
    a = write("Ada NNP B-PER O\nran VBD O O\n", "a.conll")
    b = write("Ada B-PER B-PER\nran O B-PER\n", "b.conll")
    ev = bf.from_conll(None, {"A": a, "B": b})
    assert ev == bf.from_tags([["B-PER", "O"]], {"A": [["O", "O"]], "B": [["B-PER", "B-PER"]]})


def test_gold_columns_that_differ_are_refused_with_both_lines(write):
    a = write("Ada B-PER O\nran O O\n", "a.conll")
    b = write("# a comment of words\nAda B-PER B-PER\nran B-PER O\n", "b.conll")
    said = f"{b}, line 3, has a different gold tag from {a}, line 2"
    with pytest.raises(ValueError, match=re.escape(said)):
        bf.from_conll(None, {"A": a, "B": b})


@pytest.mark.parametrize(
    ("text", "own", "theirs"),
    [
        ("Ada O\nruns O\n\nRome O\n", "line 4, begins sentence 2 of 2", "line 8, begins sentence 2"),
        ("Ada O\nran O\nIn O\nRome O\n", "line 1, begins sentence 1 of 1", "line 3, begins sentence 1"),
        ("Ada O\nran O\n\nIn O\nRome O\n\nAt O\n", "line 4, begins sentence 2 of 3", "line 8, begins"),
    ],
)
def test_sentences_that_do_not_line_up_are_refused_with_both_places(write, text, own, theirs):
    gold, path = write(GOLD, "gold.conll"), write(text)
    said = f"^{re.escape(f'{path}, {own}')}.* but {re.escape(f'{gold}, {theirs}')}"
    with pytest.raises(ValueError, match=said):
        bf.from_conll(gold, {"A": path})


def test_a_tag_outside_the_scheme_is_named_with_file_and_line(write):
    gold = write(GOLD, "gold.conll")
    odd = write(GOLD.replace("B-LOC", "E-ORG"), "odd.conll")
    with pytest.raises(ValueError, match=r"odd\.conll, line 9, has tag 'E-ORG'.* IOB2.* scheme="):
        bf.from_conll(gold, {"odd": odd})
    with pytest.raises(ValueError, match=r"odd\.conll, line 9, has tag 'E-ORG'"):
        bf.from_conll(odd, {"gold": gold})


# ---- whole files ---------------------------------------------------------------------------------


def tags_of(path):
    rows = [s.split("\n") for s in path.read_text(encoding="utf-8").split("\n\n")]
    found = [[r.split()[-1] for r in s if r and not r.startswith(("# ", "-DOCSTART-"))] for s in rows]
    return [tags for tags in found if tags]


def test_whole_files_give_the_counts_of_seqeval_though_one_spells_a_token_otherwise():
    models = {name: DATA / f"{name}.conll" for name in COUNTED}
    with pytest.warns(UserWarning, match=r"bert.conll spells 1 of its tokens .* 'crown' .*line 64") as caught:
        ev = bf.from_conll(DATA / "gold.conll", models)
    assert len(caught) == 1
    assert ev.tables.tolist() == [*COUNTED.values()]
    assert (ev.unit, ev.units.weights.sum()) == ("sentence", 12)
    gold = tags_of(DATA / "gold.conll")
    for name in COUNTED:
        assert bf.score(ev, name) == pytest.approx(span_f1(gold, tags_of(models[name])))


def test_folders_of_files_are_matched_by_name_and_each_is_a_document(tmp_path):
    for side, tags in (("gold", ("B-X", "O")), ("crf", ("B-X", "B-X"))):
        (tmp_path / side).mkdir()
        for name, tag in zip("ab", tags, strict=True):
            (tmp_path / side / f"{name}.conll").write_text(f"word {tag}\n\nword O\n")
    ev = bf.read({"crf": tmp_path / "crf"}, gold_file=tmp_path / "gold", unit="document")
    assert ev.tables.tolist() == [[1, 1, 0]]
    assert ev.units.weights.sum() == 2
    (tmp_path / "crf" / "b.conll").write_text("word B-X\n\nother E-X\n")
    with (
        pytest.warns(UserWarning, match="spells"),
        pytest.raises(ValueError, match=r"b\.conll, line 3, has tag"),
    ):
        bf.read({"crf": tmp_path / "crf"}, gold_file=tmp_path / "gold")
    (tmp_path / "crf" / "b.conll").rename(tmp_path / "crf" / "c.conll")
    with pytest.raises(ValueError, match=r"has no file b.conll, but .*gold has"):
        bf.read({"crf": tmp_path / "crf"}, gold_file=tmp_path / "gold")


WORDS = ("A/DET b/NOUN", "c/VERB d/NOUN e/DET", "f/VERB g/NOUN")
WORDS_SAID = ("A/DET b/VERB", "c/VERB d/NOUN e/NOUN", "f/DET g/NOUN")


def write_pair(folder, gold=WORDS, said=WORDS_SAID, **options):
    (folder / "gold.conllu").write_bytes(conllu(*gold, **options))
    (folder / "crf.txt").write_bytes(conllu(*said, **options))
    return {"crf": folder / "crf.txt"}, folder / "gold.conllu"


def values(sentences):
    return [word.partition("/")[2] for sentence in sentences for word in sentence.split()]


@pytest.mark.parametrize(("field", "column"), [(None, 3), ("UPOS", 3), ("xpos", 4), ("DEPREL", 7)])
def test_labels_of_words_score_as_in_scikit_learn(field, column, tmp_path):
    models, gold = write_pair(tmp_path, column=column)
    ev = bf.read(models, gold_file=gold, field=field)
    a, b = values(WORDS), values(WORDS_SAID)
    assert bf.score(ev, "crf", "accuracy") == accuracy_score(a, b)
    assert bf.score(ev, "crf", "macro_f1") == pytest.approx(f1_score(a, b, average="macro"))
    assert (ev.unit, ev.units.size) == ("sentence", 3)
    sentences = np.repeat([0, 1, 2], [2, 3, 2])
    assert ev.tables.tolist() == bf.from_labels(a, {"crf": b}, groups=sentences).tables.tolist()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"b\tVERB", b"b\t_", "crf.txt, line 6, has no UPOS; .* field="),
        (b"2\tb", b"2 b", "crf.txt, line 6, has 9 columns, but all others have 10"),
        (b"\n\n", b"\n", "crf.txt, line 8, has 1 column, but all others have 10"),
    ],
)
def test_a_bad_line_of_words_is_named(old, new, message, tmp_path):
    more = ["w/X " * 30]
    models, gold = write_pair(tmp_path, (*WORDS, *more), (*WORDS_SAID, *more))
    data = (tmp_path / "crf.txt").read_bytes()
    (tmp_path / "crf.txt").write_bytes(data.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        bf.read(models, gold_file=gold)
