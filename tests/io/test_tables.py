"""Tables in files: which are read, with what counts, and which are refused."""

import csv
import gzip
import io
import json
import random

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import bayesf1 as bf
from bayesf1 import read
from bayesf1.base.input_files import InputFile
from bayesf1.io.tables import TableFile
from file_samples import SAMPLES

# Columns: a has one false positive and one false negative, b one false negative.
ROWS = [
    ("1", "yes", "yes", "yes"),
    ("2", "yes", "no", "yes"),
    ("3", "no", "no", "no"),
    ("4", "no", "yes", "no"),
    ("5", "yes", "yes", "no"),
    ("6", "no", "no", "no"),
]
A, B = [2, 1, 1, 2], [2, 0, 1, 3]
BOTH = {"a": A, "b": B}
HEADER = ("id", "gold", "a", "b")
LABELS = {"gold": "gold", "positive": "yes", "id": "id"}


def text(rows=ROWS, header=HEADER, sep=",", end="\n"):
    return end.join(sep.join(row) for row in [header, *rows]) + end


def changed(row, column, value):
    rows = [list(r) for r in ROWS]
    rows[row][column] = value
    return rows


def records(rows=ROWS, header=HEADER):
    return [dict(zip(header, row, strict=True)) for row in rows]


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def parquet(columns):
    out = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), out)
    return out.getvalue()


COLUMNS = {name: [row[i] for row in ROWS] for i, name in enumerate(HEADER)}
LONG = [{"model": m, "id": r[0], "gold": r[1], "said": r[2 + i]} for i, m in enumerate("ab") for r in ROWS]
NESTED = [{"id": r[0], "gold": r[1], "out": {"a": r[2], "b": r[3]}} for r in ROWS]
SCORES = {"q1": {"a": 0.5, "b": 0.75}, "q2": {"a": 0.25, "b": 1.0}, "q3": {"a": 0.75, "b": 0.5}}
FLAGS = [{"id": i, "a": i % 2 == 0, "b": i % 3 == 0} for i in range(6)]

# Name of the file, its content, options, and the cells of each model; test_read.py has all containers and layouts.
READ = {
    "semicolon": ("t.csv", text(sep=";"), LABELS, BOTH),
    "no last end of line": ("t.csv", text()[:-1], LABELS, BOTH),
    "quoted cells": ("t.csv", text([[f'"{cell}"' for cell in row] for row in ROWS]), LABELS, BOTH),
    "separator in quotes": ("t.csv", text(changed(0, 0, '"1,5"')), LABELS, BOTH),
    "line break in quotes": ("t.csv", text(changed(0, 0, '"1\n5"')), LABELS, BOTH),
    "doubled quotes": ("t.csv", text(changed(0, 0, '"1 "" 5"')), LABELS, BOTH),
    "records in another order of keys": ("t.jsonl", jsonl([dict(reversed(r.items())) for r in records()]), LABELS, {"b": B, "a": A}),
    "nested records": ("t.jsonl", jsonl(NESTED), LABELS | {"columns": ["out.a", "out.b"]}, {"out.a": A, "out.b": B}),
    "ids like dates": ("t.csv", text([(f"2026-01-0{r[0]}", *r[1:]) for r in ROWS]), LABELS, BOTH),
    "ids like dates in records": ("t.jsonl", jsonl(records([(f"2026-01-0{r[0]}", *r[1:]) for r in ROWS])), LABELS, BOTH),
    "ids with zeros before them": ("t.csv", text([(f"00{r[0]}", *r[1:]) for r in ROWS] + [("1", "no", "no", "no")]), LABELS, {"a": [2, 1, 1, 3], "b": [2, 0, 1, 4]}),
    "a blank line at the end": ("t.csv", text() + "\n", LABELS, BOTH),
    "a label that only one model says": ("t.csv", text(changed(2, 2, "maybe")), LABELS, BOTH),
    "empty gold": ("t.csv", text(changed(0, 1, "")), LABELS, None),
    "empty id": ("t.csv", text(changed(0, 0, "")), LABELS, None),
    "null prediction": ("t.jsonl", jsonl(records(changed(0, 2, None))), LABELS, None),
    "null in parquet": ("t.parquet", parquet(COLUMNS | {"a": [None, *COLUMNS["a"][1:]]}), LABELS, None),
    "two columns of one name": ("t.csv", text(header=("id", "gold", "a", "a")), LABELS, None),
    "names that differ by a blank": ("t.csv", text(header=("id", "gold", "a", "a ")), LABELS, None),
    "an id twice": ("t.csv", text(changed(1, 0, "1")), LABELS, None),
    "an id twice in a model's rows": ("t.jsonl", jsonl([*LONG, LONG[0]]), LABELS | {"prediction": "said"}, None),
    "an id that a model lacks": ("t.jsonl", jsonl(LONG[:-1]), LABELS | {"prediction": "said"}, None),
    "gold that models disagree on": ("t.jsonl", jsonl([*LONG[:-1], LONG[-1] | {"gold": "yes"}]), LABELS | {"prediction": "said"}, None),
    "no rows": ("t.csv", text([]), LABELS, None),
    "an empty first line": ("t.csv", "\n" + text(), LABELS, None),
    "a cut record": ("t.jsonl", jsonl(records())[:-9], LABELS, None),
    "a key twice in a line": ("t.jsonl", jsonl(records()).replace('"a"', '"b"', 1), LABELS, None),
    "a record that is a list": ("t.jsonl", jsonl([*records(), [1, 2]]), LABELS, None),
    "a cut gzip": ("t.csv.gz", gzip.compress(text().encode())[:-12], LABELS, None),
    "a byte that is no UTF-8": ("t.csv", text().encode().replace(b"3,", b"\xff,"), LABELS, None),
    "null bytes": ("t.csv", text().replace("3,", "3\0,"), LABELS, None),
}  # fmt: skip

SCORED = {"scores": "NDCG"}
# The same with the mean score of each model.
SCORES_READ = {
    "queries of each model": ("s.json", json.dumps({m: {q: SCORES[q][m] for q in SCORES} for m in "ab"}), SCORED, None),
    "models of each query": ("s.json", json.dumps(SCORES), SCORED, None),
    "records of queries": ("s.json", json.dumps([{"q": q, **s} for q, s in SCORES.items()]), SCORED | {"id": "q"}, {"a": 0.5, "b": 0.75}),
    "dates as ids": ("s.csv", "day,a,b\n2026-01-01,.5,.75\n2026-01-02,.25,1\n", SCORED | {"id": "day"}, {"a": 0.375, "b": 0.875}),
    "a true or false column beside": (
        "s.jsonl",
        jsonl([{"q": f"q{i}", "a": 0.5, "b": 0.25 + i / 4, "seen": i % 2 == 0} for i in range(3)]),
        SCORED | {"id": "q"},
        None,
    ),
    "columns asked for": ("s.csv", "query,a,b,c\nq1,.5,.75,1\nq2,.25,1,1\n", SCORED | {"id": "query", "columns": ["b", "a"]}, {"b": 0.875, "a": 0.375}),
    "one bad cell": ("s.csv", "query,a,b\nq1,.5,.75\nq2,.25,oops\nq3,.75,.5\n", SCORED | {"id": "query"}, None),
    "an empty cell": ("s.csv", "query,a,b\nq1,.5,.75\nq2,.25,\nq3,.75,.5\n", SCORED | {"id": "query"}, None),
    "not a number": ("s.csv", "query,a,b\nq1,.5,.75\nq2,.25,nan\nq3,.75,.5\n", SCORED | {"id": "query"}, None),
    "infinite": ("s.csv", "query,a,b\nq1,.5,.75\nq2,.25,inf\nq3,.75,.5\n", SCORED | {"id": "query"}, None),
    "decimal commas": ("s.csv", "query;a;b\nq1;0,5;0,75\nq2;0,25;1\n", SCORED | {"id": "query"}, None),
    "an id twice": ("s.csv", "query,a,b\nq1,.5,.75\nq1,.25,1\n", SCORED | {"id": "query"}, None),
    "a query that a model lacks": ("s.json", json.dumps(SCORES | {"q4": {"a": 1.0}}), SCORED, None),
    "right and wrong": ("f.jsonl", jsonl(FLAGS), {"correct": ["a", "b"], "id": "id"}, {"a": 0.5, "b": 1 / 3}),
    "right, wrong and maybe": ("f.jsonl", jsonl([*FLAGS, {"id": 6, "a": "maybe", "b": True}]), {"correct": ["a", "b"], "id": "id"}, None),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "content", "options", "expected"),
    [*READ.values(), *SCORES_READ.values()],
    ids=[*READ, *(f"scores: {case}" for case in SCORES_READ)],
)
def test_a_table_is_counted_or_averaged_or_refused(name, content, options, expected, tmp_path):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if expected is None:
        with pytest.raises(ValueError, match=r"\w"):
            bf.read(path, **options)
        return
    ev = bf.read(path, **options)
    assert list(ev.models) == list(expected)
    for model, value in expected.items():
        found = ev.tables[ev.models.index(model)].tolist() if isinstance(value, list) else bf.score(ev, model)
        assert found == pytest.approx(value, abs=1e-12)


def rows(n=300, names=("0", "1"), seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    a, b = (gold ^ (rng.random(n) < error) for error in (0.25, 0.15))
    return [",".join(names[x] for x in row) for row in zip(gold, a, b, strict=True)]


def write(folder, lines, header="label,a,b"):
    path = folder / "predictions.csv"
    path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1,1", "line 152, has 2 cells, but the header names 3 columns; mend the row"),
        ("1,1,0,1", "line 152, has 4 cells, but the header names 3 columns"),
        ("label,a,b", "line 152, repeats the header"),
        ('1,"1,0', "line 152, is not a row of a table: unexpected end of data in line 301"),
        ("1,,0", "row 151, has no value in column 'a'"),
    ],
)
def test_a_row_that_is_none_is_refused_with_its_line(tmp_path, line, said):
    lines = rows(300)
    lines[150] = line
    with pytest.raises(ValueError, match=said):
        read(write(tmp_path, lines), gold="label")


def cells(path, name, **how):
    return TableFile.opened(InputFile.of(path)).load([name], **how)[name].tolist()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_cells_are_those_of_the_csv_module(end, tmp_path):
    rng = random.Random(20261117)
    plain = ["spam", "ham", "01", "1", "é", "日本" * 7, "a b", "x" * 17, "tab\tbed", "NA", "1e3", "\u2028"]
    for vocabulary in (plain, [*plain, 'said "no"', "a,b", "two\nlines", "", " led"]):
        rows = [[rng.choice(vocabulary) for _ in range(3)] for _ in range(60)]
        path = tmp_path / "t.csv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator=end).writerows([["label", "crf", "bert"], *rows])
        with path.open(encoding="utf-8", newline="") as stream:
            (_, *expected) = csv.reader(stream, skipinitialspace=True)
        for name, i in (("label", 0), ("bert", 2)):
            found = cells(path, name, optional=[name])
            assert ["" if cell != cell else cell for cell in found] == [row[i] for row in expected]


SAMPLE = SAMPLES["table in Arrow's parquet"]
DATA = SAMPLE.files["predictions"]


@pytest.mark.parametrize("name", ["run [1]*.parquet", "it's.parquet"])
def test_parquet_gives_the_same_evaluation_as_csv(name, tmp_path):
    (tmp_path / name).write_bytes(DATA)
    (tmp_path / "table.csv").write_bytes(SAMPLES["table of columns"].files["predictions.csv"])
    assert bf.read(tmp_path / name, **SAMPLE.options) == bf.read(tmp_path / "table.csv", **SAMPLE.options)


@pytest.mark.parametrize("level", ["oldest", "newest"])
def test_text_as_polars_writes_it_to_arrow_files_is_text(tmp_path, level):
    frame = pl.DataFrame({"label": ["y", "n", "y"], "crf": ["y", "y", "n"], "bert": ["y", "n", "y"]})
    frame.write_ipc(tmp_path / "a.arrow", compat_level=getattr(pl.CompatLevel, level)())
    expected = bf.from_frame(frame, gold="label", models=["crf", "bert"], positive="y")
    assert bf.read(tmp_path / "a.arrow", gold="label", positive="y") == expected
    assert bf.from_frame(frame.to_arrow(), gold="label", models=["crf", "bert"], positive="y") == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "rows",
    [
        ["y,y,é", "", "n,y,x", "y,n,x"],
        ["y,y,x", "n,,x", "y,n,x"],
        ["y,y,x", "n,y", "y,n,x"],
        ["y,y,x", "label,a,text", "y,n,x"],
        ["y,y,x", "label,y,x", "y,n,x"],
        [],
    ],
)
def test_plain_cells_and_the_same_cells_in_quotes_are_read_alike(rows, end, tmp_path):
    found = []
    for quote in ("", '"'):
        lines = [",".join(f"{quote}{cell}{quote}" for cell in row.split(",") if row) for row in rows]
        (tmp_path / "a.csv").write_bytes(end.join(["label,a,text", *lines, ""]).encode())
        try:
            found.append(read(tmp_path / "a.csv", gold="label", columns=["a"], positive="y").tables.tolist())
        except ValueError as error:
            found.append(str(error))
    assert found[0] == found[1]
