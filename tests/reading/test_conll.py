from __future__ import annotations

import re
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from seqeval.metrics import f1_score

import bayesf1 as bf
from bayesf1.base import text_files
from bayesf1.base.input_files import InputFile
from bayesf1.reading import conll
from bayesf1.reading.conll import align_conll, read_conll
from bayesf1.reading.tags import read_spans
from builders import writer

DATA = Path(__file__).parents[1] / "data"
# True positives, false positives and false negatives of the two systems, as seqeval's get_entities finds spans.
COUNTED = {"crf": [9, 5, 7], "bert": [14, 4, 2]}


@pytest.fixture
def write(tmp_path):
    return writer(tmp_path, "a.conll")


def exactly(message: str) -> str:
    return f"^{re.escape(message)}$"


# ---- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("gap", ["\t", " ", "   "])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n \n\t\n"])
@pytest.mark.parametrize("finish", ["", "\n", "\n\n \n\n"])
def test_blanks_line_ends_byte_order_marks_and_empty_lines_make_no_difference(write, end, gap, start, finish):
    text = f"{start}Ada{gap}B-PER\nran{gap}O\n\n \t \nOn{gap}O{finish}".replace("\n", end)
    file = read_conll(write(text))
    assert file.tokens == [["Ada", "ran"], ["On"]]
    assert file.tags == [["B-PER", "O"], ["O"]]
    first = 1 + start.count("\n")
    assert file.lines == [first, first + 4]
    assert file.documents == [0, 0]


def test_any_column_can_be_read(write):
    path = write("Ada NNP B-NP B-PER\nran VBD B-VP O\n")
    assert read_conll(path).tags == [["B-PER", "O"]]
    assert read_conll(path, column=-2).tags == [["B-NP", "B-VP"]]
    assert read_conll(path, column=1).tags == [["NNP", "VBD"]]


@pytest.mark.parametrize(
    "token", ["a b", "\u00a0", "x\u0085y", "\u2028", "\u3000", "\x1c", " ", "", "🙂", "x\x0cy"]
)
def test_between_tabs_a_token_may_be_any_text(write, token):
    file = read_conll(write(f"{token}\tO\nnext\tB-PER\n"))
    assert file.tokens == [[token, "next"]]


@pytest.mark.parametrize("token", ["\u00a0", "x\u0085y", "\u2028", "\u3000x"])
def test_between_blanks_only_the_ascii_blank_parts_columns(write, token):
    assert read_conll(write(f"{token} O\nnext B-PER\n")).tokens == [[token, "next"]]


@settings(max_examples=200, deadline=None)
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
    path = tmp_path_factory.mktemp("conll") / "a.conll"
    lines = [line for s in sentences for line in [*(f"{token}\t{tag}" for token, tag in s), ""]]
    path.write_bytes(end.join(lines).encode("utf-8"))
    file = read_conll(path)
    assert file.tokens == [[token for token, _ in s] for s in sentences]
    assert file.tags == [[tag for _, tag in s] for s in sentences]


@pytest.mark.parametrize("gap", ["\t", " "])
def test_number_sign_with_a_tag_is_a_token(write, gap):
    for text in (
        f"#{gap}O\nx{gap}O\n",
        f"x{gap}O\n\n#{gap}O\n",
        f"x{gap}O\n#{gap}O\n",
        f"#{gap}O\n#{gap}B-PER\n",
    ):
        tokens = [token for s in read_conll(write(text)).tokens for token in s]
        assert sorted(tokens) == sorted(line[0] for line in text.split("\n") if line)


@pytest.mark.parametrize("gap", ["\t", " "])
@pytest.mark.parametrize(
    "comment", ["# sent_id = 1", "# id 5239\tdomain=train\tx", "#begin document (a); part 0", "# "]
)
def test_comment_before_a_sentence_is_passed_over(write, gap, comment):
    sentence = f"Ada{gap}B-PER\n#{gap}O\n"
    file = read_conll(write(f"{comment}\n{comment}\n{sentence}\n{comment}\n{sentence}\n{comment}\n"))
    assert file.tokens == [["Ada", "#"]] * 2
    assert file.lines == [3, 7]


def test_comment_of_as_many_words_as_a_tabbed_file_has_columns_is_a_comment(write):
    assert read_conll(write("# newdoc\nAda\tB-PER\n")).tokens == [["Ada"]]


@pytest.mark.parametrize(
    "text", ["x O\n# two words\n", "x O\n\n#Ada\n", "x O\n\n#\n", "x\ty\tO\n\n#Ada\tO\n"]
)
def test_number_sign_that_could_be_a_broken_token_is_refused(write, text):
    path = write(text)
    line = text.count("\n")
    with pytest.raises(ValueError, match=re.escape(f"{path}, line {line}, has ")):
        read_conll(path)


@pytest.mark.parametrize("mark", ["-DOCSTART-", "-DOCSTART- -X- -X- O", "-DOCSTART-\tO", "-DOCSTART- (1)\tO"])
def test_docstart_begins_a_document_and_is_no_sentence(write, mark):
    file = read_conll(write(f"{mark}\n\na O\n\nb O\n{mark}\nc O\n\n{mark}\n\n{mark}\n\nd O\n\n{mark}\n"))
    assert file.tokens == [["a"], ["b"], ["c"], ["d"]]
    assert file.documents == [0, 0, 1, 2]


def test_sentences_before_the_first_docstart_are_a_document(write):
    assert read_conll(write("a O\n\n-DOCSTART- O\n\nb O\n")).documents == [0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a O\nb\n", "{path}, line 2, has 1 columns, but needs at least 2: a token and 1 more"),
        ("a\nb\n", "{path}, line 1, has 1 columns, but needs at least 2: a token and 1 more"),
        ("a x O\nb O\n", "{path}, line 2, has 2 columns, but line 1 has 3; all lines should have the same"),
        (
            "\na O\nNew York O\n",
            "{path}, line 3, has 3 columns, but line 2 has 2; all lines should have the same",
        ),
        ("a\tO\nb\t \n", "{path}, line 2, has an empty column -1, but it should hold a tag"),
        ("", "{path} has no sentence, but should have one token a line with its tag"),
        ("\ufeff\n \n", "{path} has no sentence, but should have one token a line with its tag"),
        ("-DOCSTART- O\n", "{path} has no sentence, but should have one token a line with its tag"),
        (b"a O\nb\xe9 O\n", "{path}, line 2, has byte 0xe9, which is not UTF-8; save the file as UTF-8"),
        (
            "a O\n".encode("utf-16"),
            "{path}, line 1, has byte 0xff, which is not UTF-8; save the file as UTF-8",
        ),
        ("a O\rb O\r", "{path}, line 1, has a carriage return inside; lines should end with LF or CRLF"),
    ],
)
def test_broken_file_is_refused_with_its_line(write, text, message):
    path = write(text)
    with pytest.raises(ValueError, match=exactly(message.format(path=path))):
        read_conll(path)


def test_line_that_never_ends_is_refused_before_it_is_read(write, monkeypatch):
    monkeypatch.setattr(text_files, "MAX_LINE_BYTES", 1000)
    assert read_conll(write("a O\n" + "b" * 997 + " O\n")).tags == [["O", "O"]]
    path = write("a O\n" + "b" * 5000)
    with pytest.raises(ValueError, match=exactly(f"{path}, line 2, is longer than 1000000 bytes, ")[:-1]):
        read_conll(path)


def test_column_of_tokens_is_refused_as_column_of_tags(write):
    with pytest.raises(ValueError, match="column 0 holds the tokens"):
        read_conll(write("a O\n"), column=0)


def test_column_beyond_the_line_is_refused(write):
    path = write("a O\n")
    for column, needed in ((-2, 3), (2, 3), (5, 6)):
        with pytest.raises(ValueError, match=f"line 1, has 2 columns, but needs at least {needed}"):
            read_conll(path, column=column)


# ---- alignment -----------------------------------------------------------------------------------

GOLD = "-DOCSTART- O\n\nAda B-PER\nran O\n\n-DOCSTART- O\n\nIn O\nRome B-LOC\n"


def test_separate_files_give_the_last_column_of_each(write):
    gold = write(GOLD, "gold.conll")
    models = {"A": write("Ada\tx\tO\nran\tx\tO\n\nIn\tx\tO\nRome\tx\tB-PER\n", "a.conll"), "B": str(gold)}
    aligned = align_conll(gold, models)
    assert aligned.tokens == [["Ada", "ran"], ["In", "Rome"]]
    assert aligned.gold == aligned.predictions["B"] == [["B-PER", "O"], ["O", "B-LOC"]]
    assert aligned.predictions["A"] == [["O", "O"], ["O", "B-PER"]]
    assert list(aligned.predictions) == ["A", "B"]
    assert aligned.documents == [0, 1]


def test_files_with_gold_beside_the_prediction_need_no_gold_file(write):
    a = write("Ada NNP B-PER O\nran VBD O O\n", "a.conll")
    b = write("Ada B-PER B-PER\nran O B-PER\n", "b.conll")
    aligned = align_conll(None, {"A": a, "B": b})
    assert aligned.gold == [["B-PER", "O"]]
    assert aligned.predictions == {"A": [["O", "O"]], "B": [["B-PER", "B-PER"]]}


def test_gold_columns_that_differ_are_refused_with_both_lines(write):
    a = write("Ada B-PER O\nran O O\n", "a.conll")
    b = write("# a comment of words\nAda B-PER B-PER\nran B-PER O\n", "b.conll")
    message = (
        f"{b}, line 3, has gold tag 'B-PER' where {a}, line 2, has 'O'; "
        "the columns of gold tags of all files should be the same"
    )
    with pytest.raises(ValueError, match=exactly(message)):
        align_conll(None, {"A": a, "B": b})


def test_file_without_gold_column_is_refused_where_gold_is_none(write):
    with pytest.raises(ValueError, match="needs at least 3: a token and 2 more; if gold tags are in a"):
        align_conll(None, {"A": write("Ada O\n")})


@pytest.mark.parametrize(
    ("text", "own_line", "own", "gold_line", "theirs"),
    [
        ("Ada O\nruns O\n\nRome O\n", 4, "'Rome'", 8, "'In'"),
        ("Ada O\n\nIn O\nRome O\n", 2, "the end of a sentence", 4, "'ran'"),
        ("Ada O\nran O\nIn O\nRome O\n", 3, "'In'", 5, "the end of a sentence"),
        ("Ada O\nran O\n\nRome O\n", 4, "'Rome'", 8, "'In'"),
        ("Ada O\nran O\n", 3, "the end of the file", 8, "'In'"),
        ("Ada O\nran O\n\nIn O\nRome O\n\nAt O\n", 7, "'At'", 10, "the end of the file"),
    ],
)
def test_sentences_that_do_not_line_up_are_refused_with_both_places(
    write, text, own_line, own, gold_line, theirs
):
    gold, path = write(GOLD, "gold.conll"), write(text)
    message = f"{path}, line {own_line}, has {own} where {gold}, line {gold_line}, has {theirs}; "
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        align_conll(gold, {"A": path})


def test_tokens_spelled_otherwise_are_one_warning_a_file(write):
    gold = write(GOLD, "gold.conll")
    a = write("Ada O\nruns O\n\nin O\nRome O\n", "a.conll")
    b = write("Ada O\nran O\n\nIn O\nrome O\n", "b.conll")
    with pytest.warns(UserWarning, match="otherwise") as caught:
        aligned = align_conll(gold, {"A": a, "B": b, "C": gold})
    first, second = (str(warning.message) for warning in caught)
    assert first.startswith(f"{a} spells 2 of its tokens differently from {gold}; the first is 'runs'")
    assert first.endswith(f"'runs' ({a}, line 2) for 'ran' ({gold}, line 4)")
    assert second.startswith(f"{b} spells 1 of its tokens differently from {gold}; the first is 'rome'")
    assert second.endswith(f"'rome' ({b}, line 5) for 'Rome' ({gold}, line 9)")
    assert caught[0].filename == __file__
    assert aligned.tokens == [["Ada", "ran"], ["In", "Rome"]]


@pytest.mark.parametrize("models", [{}, ["a.conll"], None, "a.conll"])
def test_models_that_are_no_mapping_of_names_to_files_are_refused(write, models):
    with pytest.raises(ValueError, match="models should be a mapping of at least one name to a file"):
        align_conll(write(GOLD), models)


# ---- whole files ---------------------------------------------------------------------------------


def test_sentences_tokens_and_spans_of_a_whole_file_are_all_read():
    gold = read_conll(DATA / "gold.conll")
    assert (len(gold.tokens), sum(map(len, gold.tokens))) == (12, 89)
    assert gold.documents == [0] * 3 + [1] * 4 + [2] * 3 + [3] * 2
    assert gold.tokens[10][2:4] == ["#", "7"]
    assert read_spans(gold.tags, {"gold": gold.tags}).counts().sum(axis=0).tolist() == [[16, 0, 0]]


def test_systems_get_the_counts_of_seqeval_though_one_spells_a_token_otherwise():
    models = {name: DATA / f"{name}.conll" for name in COUNTED}
    with pytest.warns(UserWarning, match=r"bert.conll spells 1 of its tokens .* 'crown' .*line 64") as caught:
        aligned = align_conll(DATA / "gold.conll", models)
    assert len(caught) == 1
    assert read_spans(aligned.gold, aligned.predictions).counts().sum(axis=0).tolist() == [*COUNTED.values()]
    for name, (tp, fp, fn) in COUNTED.items():
        assert 2 * tp / (2 * tp + fp + fn) == pytest.approx(f1_score(aligned.gold, aligned.predictions[name]))


def test_a_file_lines_up_with_itself_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        aligned = align_conll(DATA / "gold.conll", {"A": DATA / "crf.conll", "gold": DATA / "gold.conll"})
    assert aligned.predictions["gold"] == aligned.gold


@pytest.mark.parametrize(
    "text",
    [
        "Ada\tB-PER\nran\tO\n\nIn\tO\nRome\tB-LOC\n",
        "Ada B-PER\nran O\n\n\n\nIn O\nRome B-LOC",
        "Ada\tB-PER\r\nran\tO\r\n\r\nIn\tO\r\n",
        "\ufeffAda\tx\tB-PER\nran\ty\tO\n\n",
        "a\u2028b\tO\nc\u0085\tB-X\n",
        "\n\nAda\tB-PER\n",
        "-DOCSTART-\tO\n\nAda\tB-PER\n",
        "-DOCSTART- -X- -X- O\r\n\r\nAda\tB-PER\r\n-DOCSTART-\r\n-DOCSTART-\r\nran\tO\r\n\r\nfar\tO\r\n-DOCSTART-\r\n",
        "Ada O\n-DOCSTART-x O\n- O\n-DOCSTART- O\nran O\n",
        f"{'long' * 9} B-{'X' * 20}\n{'long' * 8}lang B-{'X' * 19}Y\n",
    ],
)
def test_regular_files_read_the_same_at_speed_and_line_by_line(tmp_path, text):
    path = tmp_path / "file.conll"
    path.write_bytes(text.encode())
    fast, slow = conll._read_regular(InputFile.of(path), (-1,)), conll._read_any(InputFile.of(path), (-1,))
    assert fast == slow


@given(
    st.lists(
        st.sampled_from(
            ["a O", "bé B-X", "-DOCSTART- O", "-DOCSTART-", "", "-DOCSTART-y O", "# O", "c O O", " ", "d"]
        ),
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([" ", "\t"]),
)
def test_what_is_read_at_speed_is_what_is_read_line_by_line(lines, end, gap):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.conll")
        path.write_bytes(end.join(lines).replace(" ", gap).encode())
        fast = conll._read_regular(InputFile.of(path), (-1,))
        assert fast is None or fast == conll._read_any(InputFile.of(path), (-1,))


@pytest.mark.parametrize(
    "text",
    [
        "# id 1\nAda\tB-PER\n",
        "Ada\tB-PER\nran\n",
        "Ada\tB-PER\nran\t\n",
        "Ada  B-PER\nran O\n",
        "Ada\tB-PER\n \nran\tO\n",
        "New York\tB-LOC\n",
        "Ada\tx\tO\nran\tO\nfar\tx\ty\tO\n",
        "",
        "Ada\n",
    ],
)
def test_anything_irregular_is_left_to_the_careful_reader(tmp_path, text):
    path = tmp_path / "file.conll"
    path.write_bytes(text.encode())
    assert conll._read_regular(InputFile.of(path), (-1,)) is None


def test_bytes_that_are_not_utf8_are_left_to_the_careful_reader(tmp_path):
    path = tmp_path / "file.conll"
    path.write_bytes(b"Ad\xe4\tB-PER\n")
    assert conll._read_regular(InputFile.of(path), (-1,)) is None


def test_no_function_is_called_for_every_token(tmp_path):
    n = 20_000
    for name in ("gold", "crf"):
        (tmp_path / name).write_text("word O\nRome B-LOC\n\n" * (n // 2))
    calls = 0

    def count(frame, event, arg):
        nonlocal calls
        calls += event == "call"

    read = partial(bf.read, {"crf": tmp_path / "crf"}, gold_file=tmp_path / "gold")
    read()
    sys.setprofile(count)
    try:
        ev = read()
    finally:
        sys.setprofile(None)
    assert ev.tables.tolist() == [[n // 2, 0, 0]]
    assert calls < n
