"""Tables as spreadsheets, pandas, R and the tools of others write them: read as meant, or refused with the remedy."""

import json

import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from file_samples import lines

ROWS = [("yes", "yes", "no"), ("no", "no", "no"), ("yes", "no", "yes"), ("no", "yes", "no")]
RECORDS = [dict(zip(("label", "a", "b"), row, strict=True)) for row in ROWS]


@pytest.fixture
def refused(tmp_path, capsys):
    def said(data, *options):
        path = tmp_path / "file.json"
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        assert main(["compare", str(path), *options]) == 2
        out, err = capsys.readouterr()
        assert not out
        assert err.count("\n") == 1
        return err

    return said


@pytest.fixture
def read(tmp_path):
    def evaluation(data, **options):
        path = tmp_path / "file.json"
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        return bf.read(path, **options)

    return evaluation


@pytest.mark.parametrize(
    "document",
    [
        {"version": 1, "results": RECORDS},
        {"q1": "Denver", "q2": "Rome"},
        {f"q{i}": {"a": 0.1, "b": 0.2} for i in range(5)},
        {"label": {"0": "yes", "1": "no"}, "a": {"0": "yes", "1": "yes"}},
        {"columns": ["label"], "index": [0, 1], "data": [["yes"], ["no"]]},
    ],
)
def test_an_object_that_is_no_list_of_records_is_told_by_its_fields(refused, document):
    for options in ([], ["--scores"], ["--gold", "label"]):
        said = refused(document, *options)
        assert "orient='records'" in said
        assert next(iter(document)) in said


def test_results_of_a_harness_are_refused_for_their_samples(tmp_path, refused, capsys):
    averages = {"results": {"arc": {"acc,none": 0.5}}, "versions": {"arc": 1}, "n-shot": {"arc": 0}}
    assert "run it with --log_samples" in refused(averages)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "results_2026-01-02T03-04-05.json").write_text(json.dumps(averages))
    assert main(["compare", f"a={tmp_path / 'run'}", f"b={tmp_path / 'run'}"]) == 2
    assert "run it with --log_samples" in capsys.readouterr().err


def test_a_number_written_in_two_ways_is_no_second_label(refused):
    table = lines("label,a,b", "1,1.0,1", "0,0.0,1", "1,0.0,0")
    said = refused(table, "--gold", "label", "--positive", "1", "--columns", "a,b")
    assert "labels '0' and '0.0' differ only" in said
    assert bf.from_labels(["01", "1"], {"A": ["1", "01"]}, positive="1").tables.tolist() == [[0, 1, 1, 0]]


def test_whole_numbers_beside_fractions_are_no_model(refused, read):
    table = lines("q,length,a,b", "x,3,.1,.2", "y,3,.4,.3", "z,4,.2,.9")
    assert "columns=" in refused(table, "--scores", "F1")
    assert read(table, scores="F1", columns=["a", "b"]).models == ("a", "b")
    assert read(lines("q,a,b", "x,3,2", "y,3,5", "z,4,2"), scores="rating").models == ("a", "b")


@pytest.mark.parametrize("option", ["--scores", "--correct"])
def test_a_first_row_is_no_header(refused, option):
    assert "q1, 1, 0" in refused(lines("q1,1,0", "q2,0,0", "q3,1,0"), option)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("yes", "no"), ("Y", "N"), ("t", "f"), ("Right", "Wrong"), ("correct", "incorrect"), ("PASS", "FAIL")],
)
def test_answers_are_right_or_wrong_in_the_words_of_people(read, right, wrong):
    words = {True: right, False: wrong}
    rows = [(True, True), (False, True), (True, False), (True, True)]
    table = lines("q,a,b", *(f"q{i},{words[a]},{words[b]}" for i, (a, b) in enumerate(rows)))
    assert read(table, correct=["a", "b"]).tables.tolist() == [[3, 1], [3, 1]]


def test_words_and_numbers_as_people_write_them_are_no_scores(refused):
    assert "columns=" in refused(lines("q,a,b", "x,yes,no", "y,no,no", "z,no,yes"), "--scores", "F1")
    for cell in ("0,31", "31.5%", "31 %"):
        table = lines("q;a;b", f"x;{cell};{cell}", f"y;{cell};{cell}")
        assert "columns=" in refused(table, "--scores", "F1")
        assert f"has {cell!r}, " in refused(table, "--scores", "F1", "--columns", "a,b")


@pytest.mark.parametrize(("positive", "n"), [("yes", 2), (None, 2)])
def test_a_gold_label_that_may_be_a_gap_is_noted(read, positive, n):
    table = lines("label,a,b", "yes,yes,no", "NA,no,no", "no,no,no", "NA,yes,yes")
    (note,) = read(table, gold="label", positive=positive, columns=["a", "b"]).notes
    assert note.startswith(f"{n} items have the gold label 'NA', which no model predicts")
    said = lines("label,a,b", "yes,yes,no", "NA,NA,no", "no,no,no", "NA,yes,NA")
    assert not read(said, gold="label", columns=["a", "b"]).notes


def test_lists_of_tags_are_sent_to_their_reader(refused):
    record = {"tokens": ["Ada", "ran"], "gold": ["B-PER", "O"], "a": ["O", "O"]}
    said = refused([record] * 3, "--gold", "gold", "--columns", "a")
    assert "lists of tags go to bf.from_tags" in said


def test_a_third_column_of_the_same_types_is_noted(tmp_path):
    (tmp_path / "both.conll").write_bytes(lines("Ada B-PER O B-PER", "ran O O O", "", "In O B-PER O"))
    (tmp_path / "chunks.conll").write_bytes(lines("Ada NNP B-NP B-PER O", "ran VBD B-VP O B-PER"))
    (note,) = bf.read({"crf": tmp_path / "both.conll"}).notes
    assert "both.conll has tags of the same types in more than two columns" in note
    assert not bf.read({"crf": tmp_path / "both.conll"}, gold_column=2, predicted_column=3).notes
    assert not bf.read({"crf": tmp_path / "chunks.conll"}).notes


def test_a_warning_of_every_pair_of_models_is_given_once(tmp_path, capsys):
    rows = (f"{i % 3},{i % 2},{i % 5 // 4},{(i + 1) % 2}" for i in range(12))
    (tmp_path / "flags.csv").write_bytes(lines("doc,a,b,c", *rows))
    assert main(["compare", str(tmp_path / "flags.csv"), "--correct", "a,b,c", "--group", "doc"]) == 0
    assert capsys.readouterr().err.count("There are only 3 documents") == 1
