"""Counts in CSV and JSON files, what conlleval prints, and the packaged examples."""

import csv
import functools
import io
import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

import bayesf1 as bf
from bayesf1 import BlockedCV, KFoldCV, from_counts, from_folds
from bayesf1.cli.main import main
from builders import writer
from file_samples import conlleval_output, lines

A, B = (77, 44, 10), (80, 30, 7)
EXPECTED = from_counts(A=A, B=B)
RECORDS = [{"model": name, "tp": tp, "fp": fp, "fn": fn} for name, (tp, fp, fn) in {"A": A, "B": B}.items()]
FOLDS = [(1, 1, 8, 1, 2), (1, 2, 9, 2, 1), (2, 1, 7, 3, 3), (2, 2, 6, 0, 4)]
FOLD_TABLES = [row[2:] for row in FOLDS]
FOLD_HEADER = "model,repeat,fold,tp,fp,fn\n"

read_counts = functools.partial(bf.read, input_format="counts")


@pytest.fixture
def write(tmp_path):
    return writer(tmp_path, "counts.csv")


def fold_rows(*models):
    return ["{},{},{},{},{},{}".format(model, *row) for model in models for row in FOLDS]


WRITTEN = {
    "comma": "model,tp,fp,fn\nA,77,44,10\nB,80,30,7\n",
    "semicolon": "model;tp;fp;fn\nA;77;44;10\nB;80;30;7",
    "tab": "model\ttp\tfp\tfn\nA\t77\t44\t10\nB\t80\t30\t7\n",
    "bom-crlf": "\ufeffmodel,tp,fp,fn\r\nA,77,44,10\r\nB,80,30,7\r\n",
    "quotes-blanks-case": ' Model , "TP", Fp ,fN\n"A", 77 ,44,10\nB,"80",30,7\n',
    "column-order": "fn,fp,model,tp\n10,44,A,77\n7,30,B,80\n",
    "numbers": "model,tp,fp,fn\nA,77.0,4.4e1,1E+1\nB,+80,30.,07\n",
    "chunks": "model,gold,predicted,correct\nA,87,121,77\nB,87,110,80\n",
    "one-task": "model,task,tp,fp,fn\nA,NER,77,44,10\nB,NER,80,30,7\n",
    "records": json.dumps(RECORDS),
    "keys of records": json.dumps([{key.upper(): value for key, value in m.items()} for m in RECORDS]),
    "records of a task": "\ufeff\n " + json.dumps([{**m, "task": "NER"} for m in RECORDS], indent=1),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_same_counts_are_read_however_they_are_written(write, name):
    assert read_counts(write(WRITTEN[name])) == EXPECTED
    assert read_counts(str(write(WRITTEN[name], "COUNTS.JSON"))) == EXPECTED


names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
numbers = st.floats(0.01, 1e8)


@given(st.dictionaries(names, st.tuples(numbers, numbers, numbers), min_size=1, max_size=5))
def test_what_the_csv_module_writes_comes_back_exactly(tmp_path_factory, models):
    buffer = io.StringIO()
    rows = csv.writer(buffer)
    rows.writerow(["tp", "fp", "fn", "model"])
    rows.writerows([*map(repr, counts), name] for name, counts in models.items())
    path = tmp_path_factory.getbasetemp() / "round_trip.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
    assert read_counts(path) == from_counts(models)


def test_an_all_zero_table_is_allowed_with_a_warning(write):
    with pytest.warns(UserWarning, match="all counts of A are 0"):
        read_counts(write("model,tp,fp,fn\nA,0,0,0\nB,1,2,3\n"))


# ---- folds ------------------------------------------------------------------------------------------------


def test_repeated_halves_are_asked_for_by_name_and_their_rows_come_in_any_order(write, capsys):
    rows = fold_rows("A", "B")
    path = write(FOLD_HEADER + "\n".join(rows[i] for i in (3, 7, 0, 5, 1, 6, 2, 4)))
    with pytest.raises(ValueError, match="cv='blocked-2x2' or cv='random-2x2'"):
        read_counts(path)
    assert main(["compare", str(path)]) == 2
    assert "--cv blocked-2x2 or --cv random-2x2" in capsys.readouterr().err
    for cv, design in (("blocked-2x2", BlockedCV(2)), ("random-2x2", KFoldCV(2, 2))):
        assert bf.read(path, cv=cv) == from_folds({"A": FOLD_TABLES, "B": FOLD_TABLES}, cv=design)
    once = read_counts(path, cv=BlockedCV(2), discount="once")
    np.testing.assert_allclose(once.tables[0], np.sum(FOLD_TABLES, axis=0) / 2)


@pytest.mark.parametrize("repeats", [1, 2])
def test_more_than_two_folds_are_those_of_k_fold_cross_validation(write, repeats):
    tables = {name: [(7 + i, 2, 3 + j) for i in range(repeats) for j in range(3)] for name in "AB"}
    spots = [(i, j) for i in range(1, repeats + 1) for j in (1, 2, 3)]
    rows = [",".join(map(str, (m, *s, *t))) for m in "AB" for s, t in zip(spots, tables[m], strict=True)]
    expected = from_folds(tables, cv=KFoldCV(3, repeats))
    path = write(FOLD_HEADER + "\n".join(rows))
    assert read_counts(path) == expected == bf.read(path, cv=f"{repeats}x3")


def test_tasks_of_different_designs_share_a_file(write):
    rows = [f"x,{row}" for row in fold_rows("A")] + [f"y,{row}" for row in fold_rows("A")[:2]]
    path = write("task," + FOLD_HEADER + "\n".join(rows))
    assert read_counts(path, task="x", cv=KFoldCV(2, 2)).folds.cv == KFoldCV(2, 2)
    assert read_counts(path, task="y").folds.cv == BlockedCV(1)


# ---- conlleval --------------------------------------------------------------------------------------------

NOTHING_FOUND = lines(
    "processed 9 tokens with 4 phrases; found: 0 phrases; correct: 0.",
    "accuracy:  50.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00",
)


@pytest.mark.parametrize(
    ("data", "table"),
    [(b"epoch 3\n" + conlleval_output(200, 40, 38, 30) + b"done\n", [30, 8, 10]), (NOTHING_FOUND, [0, 0, 4])],
)
def test_counts_are_those_that_conlleval_prints(data, table, write):
    assert bf.read({"crf": write(data)}).tables.tolist() == [table]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (conlleval_output(200, 40, 38, 30) * 2, "has 2 lines"),
        (conlleval_output(200, 40, 38, 30).replace(b"correct: 30", b"correct: 39"), "more correct"),
        (conlleval_output(200, 40, 38, 30).replace(b"correct: 30.", b"correct: 2.5"), "has 0 lines"),
        (conlleval_output(200, 41, 41, 34), "200 tokens and 41 phrases"),
    ],
)
def test_output_that_was_changed_or_is_of_other_gold_is_refused(data, message, write):
    first = write(conlleval_output(200, 40, 38, 30), "crf")
    with pytest.raises(ValueError, match=message):
        bf.read({"crf": first, "bert": write(data)})


# ---- what no file of counts may hold ----------------------------------------------------------------------

HEADER = "model,tp,fp,fn\n"
TWO_TASKS = "task,model,tp,fp,fn\nNER,A,8,1,2\nPOS,A,8,1,2\n"
BAD = {
    "header alone": HEADER,
    "no header": "A,8,1,2\n",
    "blanks between columns": "model tp fp fn\nA 1 2 3\n",
    "a mistyped column": "modle,tp,fp,fn\nA,8,1,2\n",
    "a column too many": "model,tp,fp,fn,note\nA,8,1,2,x\n",
    "a column without a name": ",model,tp,fp,fn\n0,A,8,1,2\n",
    "a column twice": "model,tp,tp,fn\nA,8,1,2\n",
    "no model": "tp,fp,fn\n8,1,2\n",
    "a repeat without folds": "model,repeat,tp,fp,fn\nA,1,8,1,2\n",
    "counts of two kinds": "model,tp,fp,gold\nA,8,1,2\n",
    "a row too short": HEADER + "A,8,1,2\nB,8,1\n",
    **{f"{cell} for a count": HEADER + f"A,8,{cell},2\n" for cell in ("-1", "nan", "1e16", "one", " ", "1_0", "0x1", "１")},
    "more correct than gold": "model,gold,predicted,correct\nA,5,9,6\n",
    "a missing name": HEADER + '" ",8,1,2\n',
    "a model twice": HEADER + "A,8,1,2\n\nA,8,1,2\n",
    "a fold twice": FOLD_HEADER + "A,1,1,8,1,2\nA,1,2,8,1,2\nA,1,1,8,1,2\n",
    "a missing fold": FOLD_HEADER + "A,1,1,8,1,2\nA,1,2,8,1,2\nA,1,3,8,1,2\nA,2,1,8,1,2\nA,2,2,8,1,2\n",
    "a model without a fold": FOLD_HEADER + "A,1,1,8,1,2\nA,1,2,8,1,2\nB,1,1,8,1,2\n",
    "folds counted from zero": FOLD_HEADER + "A,1,0,8,1,2\nA,1,1,8,1,2\n",
    "a named fold": FOLD_HEADER + "A,1,one,8,1,2\n",
    "folds with different gold": FOLD_HEADER + "A,1,1,8,1,2\nA,1,2,8,1,2\nB,1,1,8,1,2\nB,1,2,8,1,3\n",
    "several tasks": TWO_TASKS,
    "a row without task": "task,model,tp,fp,fn\n,A,8,1,2\n",
    "an open quote": HEADER + '"A,8,1,2\n',
    "old line ends": HEADER.strip() + "\rA,8,1,2\r",
    "invalid UTF-8": HEADER.encode() + b"caf\xe9,8,1,2\n",
    "UTF-16": HEADER.encode("utf-16"),
    "zero bytes": b"model,tp\x00,fp,fn\n",
    "a packed file": b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
    "an endless line": b"m" * 1_000_002,
    "endless lines": b"\n" * 1_000_001,
    "broken JSON": '[{"model": "A",\n',
    "a JSON number": "3",
    "an empty list": "[]",
    "a list of numbers": "[8, 1, 2]",
    "a mapping of models": '{"A": [8, 1, 2]}',
    "endless digits": f'{{"A": [8, 1, {"9" * 5000}]}}',
    "a key twice": '[{"model": "A", "tp": 8, "tp": 9, "fp": 1, "fn": 2}]',
    "deep nesting": "[" * 200_000,
    **{
        f"{value} for a count": f'[{{"model": "A", "tp": 8, "fp": {value}, "fn": 2}}]'
        for value in ("true", "null", "-1", "NaN", "-Infinity", "1e400")
    },
    "a number for a model": '[{"model": 1, "tp": 8, "fp": 1, "fn": 2}]',
    "half a character": '[{"model": "\\ud800", "tp": 8, "fp": 1, "fn": 2}]',
    "records unlike each other": json.dumps([RECORDS[0], {"model": "B", "tp": 8, "fp": 1}]),
    "a key too many": json.dumps([{**RECORDS[0], "when": 0}]),
    "keys that differ in case": '[{"model": "A", "tp": 8, "TP": 9, "fp": 1, "fn": 2}]',
}  # fmt: skip
BAD_OPTIONS = {
    "folds that do not fit the cv": (FOLD_HEADER + "A,1,1,8,1,2\nA,1,2,8,1,2\n", {"cv": "blocked-3x2"}),
    "a cv without folds": (HEADER + "A,8,1,2\n", {"cv": "blocked-3x2"}),
    "a discount without folds": (HEADER + "A,8,1,2\n", {"discount": "once"}),
    "an unknown task": (TWO_TASKS, {"task": "NRE"}),
    "a task where there are none": (HEADER + "A,8,1,2\n", {"task": "NER"}),
}
CASES = {name: (content, {}) for name, content in BAD.items()} | BAD_OPTIONS


@pytest.mark.parametrize(("content", "options"), CASES.values(), ids=CASES)
def test_a_bad_file_gets_one_sentence_that_names_it(content, options, write):
    path = write(content)
    with pytest.raises(ValueError, match=r"^[^\n]{1,600}$") as caught:
        read_counts(path, **options)
    assert str(path) in str(caught.value)
