"""Gaps in gold and judges' columns of data frames."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayesf1 as bf


def columns(n=600, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.random(n) < 0.4
    words = np.array(["ham", "spam"])

    def said(error):
        return words[(gold ^ (rng.random(n) < error)).astype(int)]

    labels = np.where(rng.random(n) < 0.3, words[gold.astype(int)].astype(object), None)
    score = np.round(np.clip(0.6 * gold + 0.4 * rng.random(n), 0, 1), 2)
    return {
        "label": labels.tolist(),
        "crf": said(0.2).tolist(),
        "bert": said(0.1).tolist(),
        "gpt": said(0.1).tolist(),
        "score": score.tolist(),
        "doc": (np.arange(n) // 6).tolist(),
    }


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "pyarrow": pa.table,
    "categories": lambda data: pd.DataFrame(data).astype(
        dict.fromkeys(("label", "crf", "bert", "gpt"), "category")
    ),
}


def expected(data, judge, **how):
    return bf.from_labels(
        data["label"], {m: data[m] for m in ("crf", "bert")}, positive="spam", judge=judge, **how
    )


@pytest.mark.parametrize("engine", FRAMES)
def test_a_frame_gives_what_lists_give(engine):
    data = columns()
    how = {"gold": "label", "models": ["crf", "bert"], "positive": "spam"}
    frame = FRAMES[engine](data)
    found = bf.from_frame(frame, judge="gpt", **how)
    assert found == expected(data, {"gpt": data["gpt"]})
    none = bf.from_frame(frame, judge=[], **how)
    assert none == expected(data, {})
    named = bf.from_frame(frame, judge={"model": "gpt"}, **how)
    assert named == expected(data, {"model": data["gpt"]})


def test_documents_are_a_column():
    data = columns()
    how = {"gold": "label", "models": ["crf", "bert"], "positive": "spam", "judge": "gpt"}
    found = bf.from_frame(pl.DataFrame(data), group="doc", **how)
    other = expected(data, {"gpt": data["gpt"]}, groups=data["doc"])
    assert found.unit == "document"
    np.testing.assert_allclose(found.tables, other.tables)
    assert found.units.size == other.units.size == 100
