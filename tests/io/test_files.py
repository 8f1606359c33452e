"""Counts from CSV and JSON, and packaged examples."""

import csv
import functools
import io
import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bayesf1 import BlockedCV, KFoldCV, compare, from_counts, from_folds, load_example, read
from bayesf1.base.text_files import read_number
from builders import writer

A, B = (77, 44, 10), (80, 30, 7)
EXPECTED = from_counts(A=A, B=B)

read_counts = functools.partial(read, input_format="counts")

FOLDS = [(1, 1, 8, 1, 2), (1, 2, 9, 2, 1), (2, 1, 7, 3, 3), (2, 2, 6, 0, 4)]
FOLD_TABLES = [row[2:] for row in FOLDS]


@pytest.fixture
def write(tmp_path):
    return writer(tmp_path, "counts.csv")


class TestCsv:
    @pytest.mark.parametrize(
        "content",
        [
            "model,tp,fp,fn\nA,77,44,10\nB,80,30,7\n",
            "model;tp;fp;fn\nA;77;44;10\nB;80;30;7",
            "model\ttp\tfp\tfn\nA\t77\t44\t10\nB\t80\t30\t7\n",
            "\ufeffmodel,tp,fp,fn\r\nA,77,44,10\r\nB,80,30,7\r\n",
            ' Model , "TP", Fp ,fN\n"A", 77 ,44,10\nB,"80",30,7\n',
            "fn,fp,model,tp\n10,44,A,77\n7,30,B,80\n",
            "model,tp,fp,fn\nA,77.0,4.4e1,1E+1\nB,+80,30.,07\n",
            "model,gold,predicted,correct\nA,87,121,77\nB,87,110,80\n",
            "model,task,tp,fp,fn\nA,NER,77,44,10\nB,NER,80,30,7\n",
        ],
        ids=[
            "comma",
            "semicolon",
            "tab",
            "bom-crlf",
            "quotes-blanks-case",
            "column-order",
            "numbers",
            "chunks",
            "one-task",
        ],
    )
    def test_the_same_counts_are_read_however_they_are_written(self, write, content):
        assert read_counts(write(content)) == EXPECTED

    def test_true_negatives_are_read_where_they_are_there(self, write):
        ev = read_counts(write("model,tp,fp,fn,tn\nA,77,44,10,702\n"))
        assert ev == from_counts(A=(*A, 702))

    def test_models_come_in_the_order_of_their_first_row(self, write):
        assert read_counts(write("model,tp,fp,fn\nz,1,1,1\na,1,1,1\nm,1,1,1\n")).models == ("z", "a", "m")

    def test_a_quoted_name_may_hold_what_separates_and_what_comments(self, write):
        ev = read_counts(write('model,tp,fp,fn\n"#1, ""big""",1,2,3\n'))
        assert ev.models == ('#1, "big"',)

    def test_a_path_object_and_a_string_are_the_same(self, write):
        path = write("model,tp,fp,fn\nA,77,44,10\nB,80,30,7\n")
        assert read_counts(path) == read_counts(str(path))

    names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
    numbers = st.floats(0.01, 1e15)

    @given(st.dictionaries(names, st.tuples(numbers, numbers, numbers), min_size=1, max_size=5))
    def test_what_the_csv_module_writes_comes_back_exactly(self, tmp_path_factory, models):
        buffer = io.StringIO()
        writer = csv.writer(buffer)
        writer.writerow(["tp", "fp", "fn", "model"])
        writer.writerows([*map(repr, counts), name] for name, counts in models.items())
        path = tmp_path_factory.getbasetemp() / "round_trip.csv"
        path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
        assert read_counts(path) == from_counts(models)

    def test_an_all_zero_table_is_allowed_with_a_warning(self, write):
        with pytest.warns(UserWarning, match="all counts of A are 0"):
            read_counts(write("model,tp,fp,fn\nA,0,0,0\nB,1,2,3\n"))


class TestFolds:
    header = "model,repeat,fold,tp,fp,fn\n"

    def rows(self, *models):
        return ["{},{},{},{},{},{}".format(model, *row) for model in models for row in FOLDS]

    def test_repeated_halves_are_asked_for_by_name(self, write):
        path = write(self.header + "\n".join(self.rows("A", "B")))
        with pytest.raises(ValueError, match="cv=blocked-2x2 or cv=random-2x2"):
            read_counts(path)
        for cv, design in (("blocked-2x2", BlockedCV(2)), ("random-2x2", KFoldCV(2, 2))):
            assert read(path, cv=cv) == from_folds({"A": FOLD_TABLES, "B": FOLD_TABLES}, cv=design)

    @pytest.mark.parametrize("repeats", [1, 2])
    def test_more_than_two_folds_are_those_of_k_fold_cross_validation(self, write, repeats):
        tables = {name: [(7 + i, 2, 3 + j) for i in range(repeats) for j in range(3)] for name in "AB"}
        spots = [(i, j) for i in range(1, repeats + 1) for j in (1, 2, 3)]
        rows = [",".join(map(str, (m, *s, *t))) for m in "AB" for s, t in zip(spots, tables[m], strict=True)]
        expected = from_folds(tables, cv=KFoldCV(3, repeats))
        path = write(self.header + "\n".join(rows))
        assert read_counts(path) == expected == read(path, cv=f"{repeats}x3")

    def test_folds_of_one_repeat_need_no_column_repeat(self, write):
        path = write("model,fold,tp,fp,fn\nA,1,7,2,3\nA,2,8,2,2\nA,3,6,1,4\n")
        assert read(path, cv="3") == from_folds({"A": [(7, 2, 3), (8, 2, 2), (6, 1, 4)]}, cv=KFoldCV(3))

    def test_rows_may_come_in_any_order(self, write):
        rows = self.rows("A", "B")
        shuffled = [rows[i] for i in (3, 7, 0, 5, 1, 6, 2, 4)]
        paths = write(self.header + "\n".join(shuffled)), write(self.header + "\n".join(rows), "other.csv")
        first, second = (read_counts(path, cv=BlockedCV(2)) for path in paths)
        assert first == second

    def test_cv_and_discount_are_applied_as_asked(self, write):
        path = write(self.header + "\n".join(self.rows("A")))
        ev = read_counts(path, cv=BlockedCV(2), discount="once")
        np.testing.assert_allclose(ev.tables[0], np.sum(FOLD_TABLES, axis=0) / 2)

    def test_whole_numbers_may_have_a_point_as_pandas_writes_them(self, write):
        text = self.header + "\n".join(self.rows("A")).replace("A,1,", "A,1.0,").replace("A,2,", "A,2.,")
        assert read_counts(write(text), cv=BlockedCV(2)).folds.cv == BlockedCV(2)

    def test_tasks_of_different_designs_share_a_file(self, write):
        text = "task,model,repeat,fold,tp,fp,fn\n" + "\n".join(
            [*("x," + row for row in self.rows("A")), *("y," + row for row in self.rows("A")[:2])]
        )
        path = write(text)
        assert read_counts(path, task="x", cv=KFoldCV(2, 2)).folds.cv == KFoldCV(2, 2)
        assert read_counts(path, task="y").folds.cv == BlockedCV(1)


class TestJson:
    records = tuple(
        {"model": name, "tp": tp, "fp": fp, "fn": fn} for name, (tp, fp, fn) in {"A": A, "B": B}.items()
    )

    @pytest.mark.parametrize(
        "document",
        [
            list(records),
            [{"FN": m["fn"], " Model ": m["model"], "Tp": m["tp"], "fp": m["fp"]} for m in records],
            [{**record, "task": "NER"} for record in records],
        ],
        ids=["records", "keys", "task"],
    )
    @pytest.mark.parametrize("name", ["counts.json", "COUNTS.JSON", "counts.txt"])
    def test_the_same_counts_are_read_however_they_are_written(self, write, document, name):
        assert read_counts(write(json.dumps(document), name)) == EXPECTED
        assert read_counts(write("\ufeff\n " + json.dumps(document, indent=1), name)) == EXPECTED

    def test_records_may_hold_folds(self, write):
        keys = ("repeat", "fold", "tp", "fp", "fn")
        document = [{"model": "A", **dict(zip(keys, row, strict=True))} for row in reversed(FOLDS)]
        path = write(json.dumps(document))
        assert read_counts(path, cv=BlockedCV(2)) == from_folds({"A": FOLD_TABLES}, cv=BlockedCV(2))

    def test_a_mapping_of_models_is_no_list_of_records(self, write):
        with pytest.raises(ValueError, match="list of records"):
            read_counts(write(json.dumps({"A": A, "B": B})))


class TestNumbers:
    @pytest.mark.parametrize(
        "text", ["", ".", "1_000", "0x10", "1e400", "nan", "inf", "１２", "1,5", "1 2", "--1", "e5"]
    )
    def test_what_is_no_plain_number_is_none(self, text):
        assert read_number(text) is None

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_a_number_comes_back_exactly(self, x):
        assert read_number(f" {x!r}") == x


class TestExamples:
    @pytest.mark.parametrize(
        ("name", "models", "p_h1"),
        # Wang & Li (2019), Tables 3-5, exact by quadrature with the printed k = 0.3688: P, R, F1.
        [
            ("wang-li-cws", ("BMES", "BB2B3MES"), (0.9759079438, 0.9999853880, 0.9999913219)),
            ("wang-li-ner", ("IOB2", "IOBES"), (0.6799293614, 0.6274323192, 0.6997968841)),
            ("wang-li-org", ("IOB2", "IOBES"), (0.8097460319, 0.2949610426, 0.4126646415)),
        ],
    )
    def test_a_packaged_example_gives_the_published_probabilities(self, name, models, p_h1):
        ev = load_example(name)
        assert ev.models == models
        assert ev.folds.cv == BlockedCV(3)
        tables = {model: ev.folds.counts[:, :, i] for i, model in enumerate(models)}
        res = compare(from_folds(tables, discount=0.3688))
        assert [res[m].p_h1 for m in ("precision", "recall", "f1")] == pytest.approx(p_h1, abs=1e-9)
