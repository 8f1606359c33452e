"""Parquet and Arrow files become frames of pandas; damage is one sentence."""

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import bayesf1 as bf
from file_samples import SAMPLES

SAMPLE = SAMPLES["table in Arrow's parquet"]
DATA = SAMPLE.files["predictions"]


@pytest.mark.parametrize("name", ["run [1]*.parquet", "it's.parquet"])
def test_parquet_gives_the_same_evaluation_as_csv(name, tmp_path):
    (tmp_path / name).write_bytes(DATA)
    (tmp_path / "table.csv").write_bytes(SAMPLES["table of columns"].files["predictions.csv"])
    assert bf.read(tmp_path / name, **SAMPLE.options) == bf.read(tmp_path / "table.csv", **SAMPLE.options)


@pytest.mark.parametrize("damage", [DATA[:-100] + DATA[-8:], DATA[:200] + b"?" * 400 + DATA[600:]])
def test_what_pyarrow_complains_about_is_an_error_of_the_file(damage, tmp_path):
    (tmp_path / "bad.parquet").write_bytes(damage)
    with pytest.raises(ValueError, match=r"bad\.parquet cannot be read as Parquet or Arrow: [^\n]+$"):
        bf.read(tmp_path / "bad.parquet", gold="étiquette", columns=["crf", "bert"], positive="spam")


@pytest.mark.parametrize("ids", [["x", "y", "z"], [3, 1, 2], [0.5, 0.25, 1.0]])
def test_an_id_stands_once(ids, tmp_path):
    path = tmp_path / "a.parquet"
    rest = {"label": ["y", "n", "y"], "crf": ["y", "y", "n"], "bert": ["y", "n", "y"]}
    asked = {"gold": "label", "columns": ["crf", "bert"], "positive": "y", "id": "id"}

    def write(ids):
        parquet.write_table(pa.table({"id": ids, **rest}), path)

    write([*ids[:2], ids[0]])
    with pytest.raises(ValueError, match="twice"):
        bf.read(path, **asked)
    write([*ids[:2], None])
    with pytest.raises(ValueError, match="value in column 'id'"):
        bf.read(path, **asked)
    write(ids)
    assert bf.read(path, **asked).tables.tolist() == [[1, 1, 1, 0], [2, 0, 0, 1]]


@pytest.mark.parametrize("level", ["oldest", "newest"])
def test_text_as_polars_writes_it_to_arrow_files_is_text(tmp_path, level):
    frame = pl.DataFrame({"label": ["y", "n", "y"], "crf": ["y", "y", "n"], "bert": ["y", "n", "y"]})
    frame.write_ipc(tmp_path / "a.arrow", compat_level=getattr(pl.CompatLevel, level)())
    expected = bf.from_frame(frame, gold="label", models=["crf", "bert"], positive="y")
    assert bf.read(tmp_path / "a.arrow", gold="label", positive="y") == expected
    assert bf.from_frame(frame.to_arrow(), gold="label", models=["crf", "bert"], positive="y") == expected
