"""Parquet and Arrow files become frames of pandas; damage is one sentence."""

import polars as pl
import pytest

import bayesf1 as bf
from file_samples import SAMPLES

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
