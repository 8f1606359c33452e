"""Large Parquet files are counted by an engine that need not load them, whichever is there."""

import importlib.util
import re

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import bayesf1 as bf
from bayesf1.base.input_files import InputFile
from bayesf1.io import tables
from bayesf1.io.tables import Table
from builders import needed
from file_samples import SAMPLES

SAMPLE = SAMPLES["table in Arrow's parquet"]
DATA = SAMPLE.files["predictions"]


@pytest.fixture(params=["duckdb", "neither"])
def engine(request, monkeypatch):
    """Take every file for large, and DuckDB for installed or not."""
    if request.param == "duckdb":
        needed("duckdb")
    monkeypatch.setattr(tables, "_LARGE", 0)
    known = importlib.util.find_spec

    def find_spec(name, *args):
        return None if name == "duckdb" != request.param else known(name, *args)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    return request.param


@pytest.mark.parametrize("name", ["predictions.parquet", "run [1]*.parquet", "it's.parquet"])
def test_every_engine_gives_the_same_evaluation(engine, name, tmp_path):
    (tmp_path / name).write_bytes(DATA)
    (tmp_path / "table.csv").write_bytes(SAMPLES["table of columns"].files["predictions.csv"])
    assert bf.read(tmp_path / name, **SAMPLE.options) == bf.read(tmp_path / "table.csv", **SAMPLE.options)


def test_the_engine_that_is_there_is_used(engine, tmp_path):
    (tmp_path / "a").write_bytes(DATA)
    frame = Table.opened(InputFile.of(tmp_path / "a")).scan(["crf"])
    modules = {"duckdb": ("duckdb", "_duckdb"), "polars": ("polars",), "neither": ("pyarrow",)}
    assert type(frame).__module__.partition(".")[0] in modules[engine]


@pytest.mark.parametrize("damage", [DATA[:-100] + DATA[-8:], DATA[:200] + b"?" * 400 + DATA[600:]])
def test_what_an_engine_complains_about_is_an_error_of_the_file(engine, damage, tmp_path):
    (tmp_path / "bad.parquet").write_bytes(damage)
    with pytest.raises(ValueError, match=r"bad\.parquet cannot be read as Parquet or Arrow: [^\n]+$"):
        bf.read(tmp_path / "bad.parquet", gold="étiquette", columns=["crf", "bert"], positive="spam")


@pytest.mark.parametrize(
    "ids", [["x", "y", "z"], [3, 1, 2], [0.5, 0.25, 1.0]], ids=["text", "whole", "numbers"]
)
def test_ids_are_looked_through_by_the_engine(engine, ids, tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    rest = {"label": ["y", "n", "y"], "crf": ["y", "y", "n"], "bert": ["y", "n", "y"]}
    asked = {"gold": "label", "columns": ["crf", "bert"], "positive": "y", "id": "id"}

    def write(ids):
        parquet.write_table(pa.table({"id": ids, **rest}), path)

    write([*ids[:2], ids[0]])
    with pytest.raises(ValueError, match=f"has id {re.escape(repr(ids[0]))} twice"):
        bf.read(path, **asked)
    write([*ids[:2], None])
    with pytest.raises(ValueError, match="value in column 'id'"):
        bf.read(path, **asked)
    write(ids)
    # Loaded they would be strings of Python, 100 bytes each.
    monkeypatch.setattr(Table, "load", None)
    assert bf.read(path, **asked).tables.tolist() == [[1, 1, 1, 0], [2, 0, 0, 1]]


def test_text_as_polars_writes_it_to_arrow_files_is_text(tmp_path):
    frame = pl.DataFrame({"label": ["y", "n", "y"], "crf": ["y", "y", "n"], "bert": ["y", "n", "y"]})
    frame.write_ipc(tmp_path / "a.arrow", compat_level=pl.CompatLevel.newest())
    ev = bf.read(tmp_path / "a.arrow", gold="label", positive="y")
    assert ev == bf.from_frame(frame, gold="label", models=["crf", "bert"], positive="y")
