"""Several classes from labels, label sets and data frames, and what is printed of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import bayesf1 as bf
from builders import noisy

STRANGE = ["B-[x]", "-", "a_b & $c%", "<b>", "f1[y]|z"]


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(1)
    gold = rng.choice(STRANGE, 150)
    return gold, {m: noisy(rng, gold, skill, STRANGE) for m, skill in (("A", 0.6), ("B", 0.7), ("C", 0.3))}


@pytest.fixture(scope="module")
def ev(labels):
    return bf.from_labels(*labels)


# ---- building ---------------------------------------------------------------------------------------------


def test_more_than_two_labels_are_classes_and_two_are_a_binary_task():
    assert bf.from_labels(list("abc"), {"A": list("abb")}).task.name == "multiclass"
    assert bf.from_labels([0, 1, 1], {"A": [0, 1, 0]}).task.name == "binary"
    assert bf.from_labels([0, 1, 1], {"A": [0, 1, 0]}, labels=[0, 1]).task.name == "multiclass"
    # A third label may be a model's alone, and is then no class.
    assert bf.from_labels([0, 1, 1], {"A": [0, 1, 2]}).classes == ("0", "1")
    assert bf.from_labels(list("abc"), {"A": list("abb")}, positive="a").task.name == "binary"


def test_labels_name_and_order_the_classes():
    ev = bf.from_labels(list("lmh"), {"A": list("lml")}, labels=["l", "m", "h", "x"])
    assert ev.classes == ("l", "m", "h", "x")
    assert bf.confusion(ev, "A").tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


def test_classes_that_do_not_occur_count_in_averages_as_in_scikit_learn():
    with_x = bf.from_labels(list("abc"), {"A": list("abc")}, labels=list("abcx"))
    assert bf.score(with_x, "A", "macro_f1") == 0.75
    assert bf.score(with_x, "A", "weighted_f1") == bf.score(with_x, "A", "balanced_accuracy") == 1.0


@pytest.mark.parametrize("kind", [int, float, str, object])
def test_labels_of_any_kind_give_the_same_counts(kind):
    rng = np.random.default_rng(2)
    gold, said = rng.integers(0, 4, (2, 40))
    expected = bf.from_labels(gold, {"A": said})
    assert bf.from_labels(gold.astype(kind), {"A": said.astype(kind)}) == expected
    series = pd.Series(gold.astype(kind)), pd.Series(said.astype(kind))
    assert bf.from_labels(series[0], {"A": series[1]}) == expected


def test_label_sets_may_be_sparse_and_boolean():
    gold, said = np.random.default_rng(3).random((2, 20, 3)) < 0.4
    expected = bf.from_labels(gold, {"A": said}, multilabel=True, labels=["x", "y", "z"])
    for kind in (int, float):
        same = bf.from_labels(
            csr_array(gold.astype(kind)), {"A": said.astype(kind)}, multilabel=True, labels=["x", "y", "z"]
        )
        assert same == expected
    assert expected.classes == ("x", "y", "z")
    assert bf.from_labels(gold, {"A": said}, multilabel=True).classes == ("1", "2", "3")


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((list("abd"), list("abc")), {"labels": list("abc")}, "label 'd' occurs, but is none of labels="),
        ((list("abc"), list("abc")), {"labels": list("abcc")}, "label 'c' is given twice"),
        ((list("abc"), list("abc")), {"labels": list("abc"), "positive": "a"}, "give one of them"),
        ((["a", "A ", "b"], list("abb")), {}, "labels 'A ' and 'a' differ only in case or spaces"),
        (([1.0, 2.0, np.nan], [1.0, 2.0, 3.0]), {}, "y_true has no label for item 3"),
        (([[1, 0]], [[1, 2]]), {"multilabel": True}, "have 2 for item 1, column 2"),
        (([[1, 0]], [[1, 0, 1]]), {"multilabel": True}, r"have shape \(1, 3\), but y_true \(1, 2\)"),
        (([[1, 0]], [[1, 0]]), {"multilabel": True, "labels": ["a"]}, "labels= names 1 labels, but"),
        (([[1, 0]], [[1, 0]]), {"multilabel": True, "labels": ["a", "a"]}, "label 'a' is given twice"),
        (([[1, np.nan]], [[1, 0]]), {"multilabel": True}, "y_true have nan for item 1, column 2"),
    ],
)
def test_bad_labels_are_named(arguments, options, words):
    gold, said = arguments
    with pytest.raises(ValueError, match=words):
        bf.from_labels(gold, {"A": said}, **options)


# ---- printing ---------------------------------------------------------------------------------------------


def test_comparisons_of_classes_show_where_a_model_gains_and_where_it_loses():
    rng = np.random.default_rng(5)
    gold = rng.choice(list("abc"), 600)
    swapped = {"a": "b", "b": "a", "c": "c"}
    wrong = np.array([swapped[g] for g in gold])
    # A errs on items of a and b, B on those of c.
    said = {
        "A": np.where((rng.random(600) < 0.3) & (gold != "c"), wrong, gold),
        "B": np.where((rng.random(600) < 0.3) & (gold == "c"), "a", gold),
    }
    found = bf.compare_classes(bf.from_labels(gold, said), metric="recall", rng=1)
    assert found["recall[a]"].p_h1 > 0.99
    assert found["recall[b]"].p_h1 > 0.99
    assert found["recall[c]"].p_h1 < 0.01


def test_identical_models_are_even_and_no_noise_decides():
    gold = list("abcabcaabb") * 5
    said = list("abcabcabca") * 5
    res = bf.compare(bf.from_labels(gold, {"A": said, "B": said}), metrics="macro_f1", rope=0.02, rng=3)[
        "macro_f1"
    ]
    assert res.p_h1 == res.p_h0 == 0.5
    assert res.p_less == res.p_greater
