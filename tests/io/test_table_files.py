"""Which columns of a table are models', rows of models, and tables as people and their tools write them."""

import json

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
from bayesf1.base.input_files import InputFile
from bayesf1.cli.main import main
from bayesf1.io.columns import guess_columns, named_columns
from bayesf1.io.tables import TableFile
from file_samples import lines

N = 12
LABELLED = ["spam" if i % 3 else "ham" for i in range(N)]
LABELS = {"label": LABELLED, "crf": LABELLED[::-1], "bert": LABELLED}
SCORES = {
    "query": [f"q{i}" for i in range(N)],
    "a": [i % 7 / 10 for i in range(N)],
    "b": [i % 5 / 10 for i in range(N)],
}


@pytest.fixture
def table(tmp_path):
    def written(columns, container="csv"):
        path = tmp_path / f"table.{container}"
        frame = pd.DataFrame(columns)
        if container == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_json(path, orient="records", lines=True)
        return TableFile.opened(InputFile.of(path))

    return written


@pytest.mark.parametrize("container", ["csv", "jsonl"])
@pytest.mark.parametrize("other", [{}, {"id": [*range(N)]}, {"name": [f"q{i}" for i in range(N)]}])
def test_all_columns_of_gold_labels_are_models_and_ids_are_none(table, other, container):
    assert [*guess_columns(table({**other, **LABELS}, container), "label", ())] == ["crf", "bert"]


def test_what_is_named_otherwise_is_no_model(table):
    assert [*guess_columns(table(LABELS), "label", ["crf", None])] == ["bert"]


@pytest.mark.parametrize(
    "other",
    [
        {"doc": [f"d{i // 3}" for i in range(N)]},
        {"p": [i / 100 + 0.1 for i in range(N)]},
        {"model": ["x", "y"] * 6},
    ],
)
def test_a_column_that_may_be_no_model_is_refused_and_not_passed_over(table, other):
    with pytest.raises(ValueError, match=r"columns=\['crf', 'bert'\]"):
        guess_columns(table({**other, **LABELS}), "label", ())


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"doc": [f"d{i // 3}" for i in range(N)]}, "group='doc' if its items belong together"),
        ({"lang": [f"l{i % 4}" for i in range(N)]}, "corpus='lang' if languages were sampled"),
        ({"id": [*range(N - 1), 0]}, "as an id it has '0' twice"),
        ({"p": [i / 100 + 0.1 for i in range(N)]}, "bf.from_probabilities"),
    ],
)
def test_what_a_column_may_be_that_is_no_models_is_said(table, other, words):
    with pytest.raises(ValueError, match=words):
        guess_columns(table({**other, **LABELS}), "label", ())


def test_columns_of_answers_are_found_where_all_others_are_ids(read, refused_file):
    rows = ("q1,yes,no,10", "q2,no,no,20", "q3,yes,yes,20")
    assert read(lines("q,a,b", *(row.rpartition(",")[0] for row in rows)), correct="").models == ("a", "b")
    assert "'n' have 10" in refused_file(lines("q,a,b,n", *rows), "--correct")


def test_a_model_with_some_strange_labels_is_a_model(table):
    columns = {**LABELS, "llm": ["maybe", *LABELLED[1:]]}
    assert [*guess_columns(table(columns), "label", ())] == ["crf", "bert", "llm"]


def test_numbers_beside_ids_are_scores(table):
    assert [*guess_columns(table(SCORES), None, ())] == ["a", "b"]
    assert [*guess_columns(table({**SCORES, "b": ["oops", *SCORES["b"][1:]]}), None, ())] == ["a", "b"]


@pytest.mark.parametrize(
    "other",
    [{"n": [40 + i % 3 for i in range(N)]}, {"hard": [True, False] * 6}, {"split": ["dev", "test"] * 6}],
)
def test_columns_that_are_hardly_of_one_metric_are_refused(table, other):
    with pytest.raises(ValueError, match="columns="):
        guess_columns(table({**SCORES, **other}), None, ())


@pytest.mark.parametrize("asked", [["a", "b"], {"a": "a", "b": "b"}, ["a", "b=b"]])
def test_columns_that_are_named_are_honoured(table, asked):
    assert named_columns(asked, table(SCORES), "columns") == {"a": "a", "b": "b"}
    with pytest.raises(ValueError, match="has no column 'c'"):
        named_columns(["a", "c"], table(SCORES), "columns")


ITEMS = 12
GOLD = ["spam" if i % 3 else "ham" for i in range(ITEMS)]
SAID = {m: [g if (i + k) % 5 else "ham" for i, g in enumerate(GOLD)] for k, m in enumerate(("crf", "bert"))}


def rows(model="model", pred="pred", seeds=(1,)):
    return pd.DataFrame(
        [
            {"item": i, model: m, "seed": seed, "label": GOLD[i], pred: SAID[m][i]}
            for m in SAID
            for seed in seeds
            for i in range(ITEMS)
        ]
    )


@pytest.fixture
def refused_rows(tmp_path, refused, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def said(frame, options):
        frame.to_csv("long.csv", index=False)
        return refused("long.csv", "--gold", "label", *options.split())

    return said


def test_columns_of_any_name_hold_models_runs_and_what_they_said(tmp_path):
    rows("system", "answer", seeds=(1, 2)).to_csv(tmp_path / "long.csv", index=False)
    ev = bf.read(
        tmp_path / "long.csv",
        gold="label",
        id="item",
        positive="spam",
        model_column="system",
        run_column="seed",
        prediction="answer",
    )
    assert ev.names == ("crf", "bert")
    expected = bf.from_labels(GOLD, SAID, positive="spam").tables
    assert np.array_equal(ev.tables, np.repeat(expected, 2, axis=0))


@pytest.mark.parametrize("model", ["model", "system", "Model"])
@pytest.mark.parametrize("options", ["", "--id item", "--id item --columns pred"])
def test_what_is_said_of_rows_of_models_reads_them(model, options, refused_rows, capsys):
    assert f"--model {model}" in refused_rows(rows(model), options)
    remedy = f"--model {model}"
    assert "--prediction: pred" in refused_rows(rows(model).drop(columns="seed"), f"--id item {remedy}")
    assert (
        main(f"compare long.csv --gold label --positive spam --id item {remedy} --prediction pred".split())
        == 0
    )
    assert "bert" in capsys.readouterr().out


ROWS = [("yes", "yes", "no"), ("no", "no", "no"), ("yes", "no", "yes"), ("no", "yes", "no")]
RECORDS = [dict(zip(("label", "a", "b"), row, strict=True)) for row in ROWS]


@pytest.fixture
def refused_file(tmp_path, refused):
    def said(data, *options):
        path = tmp_path / "file.json"
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        return refused(path, *options)

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
def test_an_object_that_is_no_list_of_records_is_told_by_its_fields(refused_file, document):
    for options in ([], ["--scores"], ["--gold", "label"]):
        said = refused_file(document, *options)
        assert "orient='records'" in said
        assert next(iter(document)) in said


def test_results_of_a_harness_are_refused_for_their_samples(tmp_path, refused_file, capsys):
    averages = {"results": {"arc": {"acc,none": 0.5}}, "versions": {"arc": 1}, "n-shot": {"arc": 0}}
    assert "run it with --log_samples" in refused_file(averages)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "results_2026-01-02T03-04-05.json").write_text(json.dumps(averages))
    assert main(["compare", f"a={tmp_path / 'run'}", f"b={tmp_path / 'run'}"]) == 2
    assert "run it with --log_samples" in capsys.readouterr().err


def test_a_number_written_in_two_ways_is_no_second_label(refused_file):
    table = lines("label,a,b", "1,1.0,1", "0,0.0,1", "1,0.0,0")
    said = refused_file(table, "--gold", "label", "--positive", "1", "--columns", "a,b")
    assert "labels '0' and '0.0' differ only" in said
    assert bf.from_labels(["01", "1"], {"A": ["1", "01"]}, positive="1").tables.tolist() == [[0, 1, 1, 0]]


@pytest.mark.parametrize("option", ["--scores", "--correct"])
def test_a_first_row_is_no_header(refused_file, option):
    assert "q1, 1, 0" in refused_file(lines("q1,1,0", "q2,0,0", "q3,1,0"), option)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("yes", "no"), ("Y", "N"), ("t", "f"), ("Right", "Wrong"), ("correct", "incorrect"), ("PASS", "FAIL")],
)
def test_answers_are_right_or_wrong_in_the_words_of_people(read, right, wrong):
    words = {True: right, False: wrong}
    rows = [(True, True), (False, True), (True, False), (True, True)]
    table = lines("q,a,b", *(f"q{i},{words[a]},{words[b]}" for i, (a, b) in enumerate(rows)))
    assert read(table, correct=["a", "b"]).tables.tolist() == [[3, 1], [3, 1]]


def test_words_and_numbers_as_people_write_them_are_no_scores(refused_file):
    assert "--columns" in refused_file(lines("q,a,b", "x,yes,no", "y,no,no", "z,no,yes"), "--scores", "F1")
    for cell in ("0,31", "31.5%", "31 %"):
        table = lines("q;a;b", f"x;{cell};{cell}", f"y;{cell};{cell}")
        assert "--columns" in refused_file(table, "--scores", "F1")
        assert f"has {cell!r}, " in refused_file(table, "--scores", "F1", "--columns", "a,b")


@pytest.mark.parametrize(("positive", "n"), [("yes", 2), (None, 2)])
def test_a_gold_label_that_may_be_a_gap_is_noted(read, positive, n):
    table = lines("label,a,b", "yes,yes,no", "NA,no,no", "no,no,no", "NA,yes,yes")
    (note,) = read(table, gold="label", positive=positive, columns=["a", "b"]).notes
    assert note.startswith(f"{n} items have the gold label 'NA', which no model predicts")
    said = lines("label,a,b", "yes,yes,no", "NA,NA,no", "no,no,no", "NA,yes,NA")
    assert not read(said, gold="label", columns=["a", "b"]).notes


def test_lists_of_tags_are_sent_to_their_reader(refused_file):
    record = {"tokens": ["Ada", "ran"], "gold": ["B-PER", "O"], "a": ["O", "O"]}
    said = refused_file([record] * 3, "--gold", "gold", "--columns", "a")
    assert "lists of tags go to bf.from_tags" in said


def test_a_third_column_of_the_same_types_is_noted(tmp_path):
    (tmp_path / "both.conll").write_bytes(lines("Ada B-PER O B-PER", "ran O O O", "", "In O B-PER O"))
    (tmp_path / "chunks.conll").write_bytes(lines("Ada NNP B-NP B-PER O", "ran VBD B-VP O B-PER"))
    (note,) = bf.read({"crf": tmp_path / "both.conll"}).notes
    assert "both.conll has tags of the same types in more than two columns" in note
    assert not bf.read({"crf": tmp_path / "both.conll"}, gold_column=2, predicted_column=3).notes
    assert not bf.read({"crf": tmp_path / "chunks.conll"}).notes


# Tables of the scores of two models, by a function of the cell that is a word: a frame for each file.
SCORE_TABLES = {
    "a column for each model": lambda cell: {
        "all": {"id": [1, 2, 3], "a": [0.5, 0.3, 1], "b": [0.2, 0.9, cell]}
    },
    "a row for each model": lambda cell: {
        "all": {"model": ["a", "a", "b", "b"], "id": [1, 2, 1, 2], "ndcg": [0.5, 0.3, 0.4, cell]}
    },
    "a file for each model": lambda cell: {
        "a": {"id": [1, 2], "ndcg": [0.5, 0.3]},
        "b": {"id": [1, 2], "ndcg": [cell, 0.7]},
    },
    "final scores": lambda cell: {
        "all": {"model": ["a", "a", "b", "b"], "fold": [1, 2, 1, 2], "ndcg": [0.5, 0.3, 0.4, cell]}
    },
}


@pytest.mark.parametrize("word", ["true", "False", " TRUE ", True])
@pytest.mark.parametrize("container", ["csv", "jsonl"])
@pytest.mark.parametrize("layout", SCORE_TABLES)
def test_a_truth_value_among_scores_is_refused_in_every_layout_and_format(
    table, layout, container, word, tmp_path
):
    files = {}
    for name, columns in SCORE_TABLES[layout](word).items():
        written = table({key: pd.Series(values, dtype=object) for key, values in columns.items()}, container)
        files[name] = tmp_path / f"{name}.{container}"
        written.file.path.rename(files[name])
    source = files.get("all", files)
    more = {"columns": ["a", "b"]} if "column" in layout else {}
    with pytest.raises(ValueError, match=r"but other rows have numbers|mixes strings, numbers or booleans"):
        bf.read(source, scores="ndcg", **more)
