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
        "p": np.where(np.arange(n) % 2, 0.2, 0.4).tolist(),
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
    named = bf.from_frame(frame, judge={"model": "gpt", "scores": "score"}, bins=3, **how)
    assert named == expected(data, {"model": data["gpt"], "scores": data["score"]}, bins=3)


def test_documents_and_probabilities_are_columns():
    data = columns()
    how = {"gold": "label", "models": ["crf", "bert"], "positive": "spam", "judge": "gpt"}
    found = bf.from_frame(pl.DataFrame(data), group="doc", audit_probability="p", **how)
    other = expected(data, {"gpt": data["gpt"]}, groups=data["doc"], audit_probability=data["p"])
    assert found.unit == "document"
    np.testing.assert_allclose(found.tables, other.tables)
    assert found.units.size == other.units.size == 100


def test_scores_that_are_text_are_put_into_bins():
    data = columns()
    text = [str(value) for value in data["score"]]
    assert expected(data, {"s": text}, bins=4) == expected(data, {"s": data["score"]}, bins=4)


@pytest.mark.parametrize(
    ("change", "how", "message"),
    [
        ({}, {"judge": "gtp"}, "there is no column 'gtp'; did you mean 'gpt'?"),
        ({}, {"judge": "crf"}, "column 'crf' is named twice"),
        ({}, {"bins": 3}, "bins= says how to read a judge's scores"),
        ({"crf": [None] * 600}, {"judge": "gpt"}, "column 'crf'"),
        ({}, {}, "column 'label' has no value for"),
    ],
)
def test_what_cannot_be_read_is_said(change, how, message):
    frame = pd.DataFrame(columns() | change)
    with pytest.raises(ValueError, match=message):
        bf.from_frame(frame, gold="label", models=["crf", "bert"], positive="spam", **how)


@pytest.mark.parametrize("column", ["label", "crf"])
def test_a_category_that_is_missing_is_no_label(column):
    frame = FRAMES["categories"]({**columns(), "label": columns()["gpt"]})
    frame.loc[3, column] = None
    with pytest.raises(ValueError, match=f"column '{column}' has no value for 1 item"):
        bf.from_frame(frame, gold="label", models=["crf", "bert"], positive="spam")


def _longer_ones_labelled(n=3000):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, n)
    length = rng.integers(1, 30, n)
    said = {name: np.where(rng.random(n) < 0.2, 1 - gold, gold) for name in ("A", "B", "j")}
    even = np.where(rng.random(n) < 0.2, gold.astype(float), np.nan)
    uneven = np.where(rng.random(n) < length / 60, gold.astype(float), np.nan)
    return pd.DataFrame({"even": even, "uneven": uneven, **said, "length": length.astype(float)})


@pytest.mark.parametrize("engine", ["pandas", "polars", "lazy", "file"])
def test_covariates_of_a_frame_are_those_of_from_labels(engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = _longer_ones_labelled()
    frame.loc[::50, "length"] = np.nan
    for gold, n_notes in (("even", 0), ("uneven", 1)):
        how = {"judge": ["j"], "positive": 1, "covariates": ["length"]}
        if engine == "file":
            frame[[gold, "A", "B", "j", "length"]].astype({gold: "Int64"}).to_csv("p.csv", index=False)
            ev = bf.read("p.csv", gold=gold, **how)
        else:
            made = frame if engine == "pandas" else pl.from_pandas(frame)
            made = made.lazy() if engine == "lazy" else made
            ev = bf.from_frame(made, gold=gold, models=["A", "B"], **how)
        said = {name: frame[name].to_numpy() for name in "AB"}
        plain = bf.from_labels(
            frame[gold].to_numpy(),
            said,
            judge={"j": frame["j"].to_numpy()},
            positive=1,
            covariates={"length": frame["length"].to_numpy()},
        )
        assert ev.kind.cautions == plain.kind.cautions
        assert len(ev.kind.cautions) == n_notes
        np.testing.assert_array_equal(ev.tables, plain.tables)


def test_covariates_are_columns_of_numbers_beside_a_judge():
    frame = _longer_ones_labelled(60)
    with pytest.raises(ValueError, match="no column 'sizes'"):
        bf.from_frame(frame, gold="even", models=["A", "B"], judge="j", covariates="sizes")
    with pytest.raises(ValueError, match="covariates are for items of which some have no gold label"):
        bf.from_frame(frame, gold="A", models=["A", "B"], covariates="length")
    with pytest.raises(ValueError, match="covariate 'long' has values that are no numbers"):
        bf.from_frame(
            frame.assign(words="many"),
            gold="even",
            models=["A", "B"],
            judge="j",
            positive=1,
            covariates={"long": "words"},
        )


def test_items_without_any_label_are_counted_and_not_their_patterns():
    frame = pd.DataFrame({"gold": [None] * 60, "A": ["x", "y"] * 30, "B": ["x"] * 60, "j": ["x", "y"] * 30})
    with pytest.raises(ValueError, match="none of 60 items has a gold label"):
        bf.from_frame(frame, gold="gold", models=["A", "B"], positive="x", judge="j")
