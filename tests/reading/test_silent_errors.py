"""Input that would be taken for something else without a word: refused, or read as it is meant."""

import unicodedata

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


def test_counts_of_a_frame_are_read_by_name():
    frame = pd.DataFrame({"fn": [3, 30], "tp": [1, 10], "fp": [2, 20]})
    assert bf.from_counts(A=frame).tables.tolist() == [[[1, 2, 3]], [[10, 20, 30]]]


def test_a_matrix_with_labels_is_read_by_them():
    plain = pd.DataFrame([[8, 1, 1], [0, 9, 1], [2, 0, 7]], index=list("abc"), columns=list("abc"))
    shuffled = plain.loc[list("cab"), list("bca")]
    ev = bf.from_confusion({"A": plain, "B": shuffled})
    assert ev.classes == ("a", "b", "c")
    assert np.array_equal(*ev.tables)
    assert bf.confusion(ev, "B").tolist() == plain.to_numpy().tolist()
    ordered = bf.from_confusion({"A": shuffled}, labels=list("cba"))
    assert ordered.classes == ("c", "b", "a")
    assert bf.confusion(ordered, "A").tolist() == plain.loc[list("cba"), list("cba")].to_numpy().tolist()


def test_a_class_that_is_never_said_has_a_column_of_zeros():
    table = pd.crosstab(pd.Series(list("aabbcc")), pd.Series(list("aabbba")))
    assert bf.confusion(bf.from_confusion({"A": table}), "A").tolist() == [[2, 0, 0], [0, 2, 0], [1, 1, 0]]


def test_matrices_with_and_without_labels_do_not_mix():
    named = pd.DataFrame([[1, 2], [3, 4]], index=["x", "y"], columns=["x", "y"])
    with pytest.raises(ValueError, match="matrix of 'A' names its classes, but that of 'B' does not"):
        bf.from_confusion({"A": named, "B": [[1, 2], [3, 4]]})
    with pytest.raises(ValueError, match="class 'y', which is none of labels="):
        bf.from_confusion({"A": named}, labels=["x", "z"])


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


def test_units_may_be_called_tables():
    ev = bf.from_units({"A": [(1, 0, 0), (0, 1, 1)], "B": [(1, 1, 0), (1, 0, 0)]}, unit="table")
    assert ev.assumption == "clustered"


def test_a_sentence_without_a_document_is_refused():
    tags = [["B-PER"], ["O"], ["B-PER"]]
    with pytest.raises(ValueError, match="groups has no label for item 2"):
        bf.from_tags(tags, {"A": tags}, groups=[1, float("nan"), 2])


def test_sets_of_labels_against_zeros_and_ones_are_refused():
    with pytest.raises(ValueError, match="give sets of labels for all, or arrays of 0 and 1 for all"):
        bf.from_labels([["a"], ["b"]], {"A": np.array([[1, 0], [0, 1]])}, multilabel=True)


ALIKE = ["Spam", "spam ", "sp\u200bam", "SPAM\u00a0"]


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


def test_one_letter_in_two_codings_is_one_label_in_print():
    composed = "caf\u00e9"
    apart = unicodedata.normalize("NFD", composed)
    with pytest.raises(ValueError, match="differ only in how their characters are coded"):
        bf.from_labels([composed, "tea"], {"A": [apart, "tea"]}, positive=composed)


def test_labels_that_are_listed_may_look_alike():
    ev = bf.from_labels(
        ["Spam", "spam", "ham"], {"A": ["Spam", "spam", "ham"]}, labels=["Spam", "spam", "ham"]
    )
    assert ev.classes == ("Spam", "spam", "ham")
