"""Input that would be taken for something else without a word: refused, or read as it is meant."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayesf1 as bf

GOLD = ["spam", "ham", "spam", "ham", "spam", "ham"]
SAID = ["spam", "ham", "ham", "ham", "spam", "spam"]


def test_counts_of_a_series_are_read_by_name():
    ev = bf.from_counts(A=pd.Series({"fn": 3, "tp": 1, "fp": 2}), B={"tp": 1, "fp": 2, "fn": 3})
    assert ev.tables.tolist() == [[1, 2, 3], [1, 2, 3]]
    assert bf.from_counts(A=pd.Series([1, 2, 3])).tables.tolist() == [[1, 2, 3]]
    with pytest.raises(ValueError, match="model 'A' has cells fn, tpp, fp"):
        bf.from_counts(A=pd.Series({"fn": 3, "tpp": 1, "fp": 2}))


def test_a_matrix_with_labels_is_refused_and_told_how_to_be_given():
    table = pd.crosstab(pd.Series(list("aabbcc")), pd.Series(list("aabbba")))
    with pytest.raises(ValueError, match=r"matrix of 'A' is a frame with names; give it as m\.reindex"):
        bf.from_confusion({"A": table})
    labels = list("abc")
    matrix = table.reindex(index=labels, columns=labels, fill_value=0).to_numpy()
    ev = bf.from_confusion({"A": matrix}, labels=labels)
    assert bf.confusion(ev, "A").tolist() == [[2, 0, 0], [0, 2, 0], [1, 1, 0]]


def test_a_frame_without_labels_of_its_own_is_a_plain_matrix():
    ev = bf.from_confusion({"A": pd.DataFrame([[8, 1], [2, 9]]), "B": [[9, 0], [1, 10]]}, labels=["x", "y"])
    assert ev.classes == ("x", "y")


@pytest.mark.parametrize(
    "build",
    [
        lambda labels: bf.from_confusion({"A": [[8, 1], [2, 9]]}, labels=labels),
        lambda labels: bf.from_labels([[1, 0]], {"A": [[1, 0]]}, labels=labels, multilabel=True),
        lambda labels: bf.from_labels(["cat", "dog"], {"A": ["cat", "cat"]}, labels=labels),
    ],
)
def test_a_set_of_labels_has_no_order(build):
    with pytest.raises(ValueError, match="labels must be a sequence"):
        build({"cat", "dog"})


@pytest.mark.parametrize(
    "build",
    [
        lambda m: bf.from_labels(m([1, 0, 1]), {"A": [1, 0, 1]}),
        lambda m: bf.from_labels([1, 0, 1], {"A": m([1, 0, 1])}),
        lambda m: bf.from_counts(A=m([77, 44, 10])),
        lambda m: bf.from_scores({"A": m([0.1, 0.2, 0.3])}),
        lambda m: bf.from_labels([[1, 0, 1]], {"A": m([1, 0, 1])[None]}, multilabel=True),
    ],
)
def test_what_is_masked_is_missing(build):
    with pytest.raises(ValueError, match=r"masked at entry (1, )?2; drop or fill it"):
        build(lambda values: np.ma.array(values, mask=[0, 1, 0]))
    build(lambda values: np.ma.array(values, mask=[0, 0, 0]))


def test_a_sentence_without_a_document_is_refused():
    tags = [["B-PER"], ["O"], ["B-PER"]]
    with pytest.raises(ValueError, match="groups has no label for item 2"):
        bf.from_tags(tags, {"A": tags}, groups=[1, float("nan"), 2])


ALIKE = ["Spam", "spam ", "sp\u200bam"]


@pytest.mark.parametrize("label", ALIKE)
def test_labels_that_look_alike_are_refused_by_every_reader(label, tmp_path):
    said = [label if x == "spam" else x for x in SAID]
    frame = {"gold": GOLD, "A": said}
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(["gold,A", *(f'{g},"{a}"' for g, a in zip(GOLD, said, strict=True))]), "utf-8")
    from bayesf1 import read

    readers = [
        lambda: bf.from_labels(GOLD, {"A": said}, positive="spam"),
        lambda: bf.from_frame(pd.DataFrame(frame), gold="gold", models=["A"], positive="spam"),
        lambda: bf.from_frame(pl.LazyFrame(frame), gold="gold", models=["A"], positive="spam"),
        lambda: bf.from_patterns([(g, a, 1) for g, a in zip(GOLD, said, strict=True)], positive="spam"),
        lambda: read(path, gold="gold", positive="spam"),
        lambda: bf.from_labels([*GOLD, "x"], {"A": [*said, "x"]}),
    ]
    for reader in readers:
        with pytest.raises(ValueError, match="differ only in"):
            reader()


def test_labels_that_are_listed_may_look_alike():
    ev = bf.from_labels(
        ["Spam", "spam", "ham"], {"A": ["Spam", "spam", "ham"]}, labels=["Spam", "spam", "ham"]
    )
    assert ev.classes == ("Spam", "spam", "ham")
