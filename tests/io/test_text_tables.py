"""Tables in text files: cells are text, and a row that is none is refused with its line."""

import csv
import random

import numpy as np
import pytest

from bayesf1 import read
from bayesf1.base.input_files import InputFile
from bayesf1.io.tables import Table


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
    "names", [("0", "1"), ("false", "true"), ("00", "01"), ("0.0", "1.0"), ("no", "yes")]
)
def test_a_label_is_the_text_that_stands_there(tmp_path, names):
    path = write(tmp_path, rows(names=names))
    expected = read(write(tmp_path, rows(names=("ham", "spam"))), gold="label", positive="spam")
    path = write(tmp_path, rows(names=names))
    assert read(path, gold="label", positive=names[1]) == expected


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1,1", "line 152, has 2 cells, but the header names 3 columns; mend the row"),
        (
            "1,1,0,1",
            "line 152, has 4 cells, but the header names 3 columns",
        ),
        ("label,a,b", "line 152, repeats the header"),
        ('1,"1,0', "line 152, is no row of a table: unexpected end of data in line 301"),
        ("1,,0", "row 151, has no value in column 'a'"),
    ],
)
def test_a_row_that_is_none_is_refused_with_its_line(tmp_path, line, said):
    lines = rows(300)
    lines[150] = line
    with pytest.raises(ValueError, match=said):
        read(write(tmp_path, lines), gold="label")


def cells(path, name, **how):
    return Table.opened(InputFile.of(path)).load([name], **how)[name].tolist()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"label,a\r1,1\r", "line 1, holds a carriage return by itself"),
        (
            b"label," + b"a" * 200_000 + b"\n1,1\n",
            "line 1, is no row of a table: field larger than field limit",
        ),
        (b"\nlabel,a\n", "begins with an empty line"),
    ],
)
def test_a_file_that_holds_no_table_is_refused(tmp_path, content, said):
    path = tmp_path / "predictions.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        read(path, gold="label")


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


def test_the_line_of_a_short_row_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("label,crf\n" + "a,b\n" * 20 + '"a\nb",b\n' + "a,b\n" * 20 + "a\n" + "a,b\n" * 5)
    with pytest.raises(ValueError, match=r"t.csv, line 44, has 1 cells, but the header names 2 columns"):
        cells(path, "label")


def test_the_first_rows_alone_may_be_read(tmp_path):
    assert len(cells(write(tmp_path, rows(300)), "a", most=10)) == 10


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
