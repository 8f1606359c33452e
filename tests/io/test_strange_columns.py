"""Columns that numpy would take for something else: what is masked, dated, complex or blank is refused, and never a number."""

import datetime
import decimal
import enum

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf

N = 8
GOLD = [1, 0, 1, 0, 1, 1, 0, 0]
SAID = [1, 0, 0, 0, 1, 1, 1, 0]
GAPS = [1, None, 0, None, 1, 0, None, None]
SCORES = np.linspace(0.1, 0.8, N)


# Readers of numbers, given one column of them.
NUMBERS = {
    "scores": lambda x: bf.from_scores({"A": x, "B": SCORES}),
    "probabilities": lambda x: bf.from_probabilities(GOLD, {"A": x}, positive=1),
    "statistics": lambda x: bf.from_statistics({"A": pd.DataFrame({"e": x, "n": np.ones(N)})}, lambda t: t[..., 0] / t[..., 1]),
    "runs": lambda x: bf.run_tests({"A": x, "B": SCORES}),
    "folds": lambda x: bf.fold_tests({"A": x, "B": SCORES}, cv=bf.KFoldCV(N)),
    "gains": lambda x: bf.measures.dcg(x),
    "lists of gains": lambda x: bf.measures.dcg([x, x]),
    "scored items": lambda x: bf.measures.roc_auc(GOLD, x, positive=1),
}  # fmt: skip
NO_NUMBERS = {
    "masked": np.ma.array(SCORES, mask=[0, 1] * 4),
    "dates": np.arange(N).astype("M8[D]"),
    "days": np.arange(N).astype("m8[D]"),
    "complex": SCORES.astype(complex),
    "huge": [10**400, *SCORES[1:]],
}


@pytest.mark.parametrize("values", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("read", NUMBERS.values(), ids=NUMBERS)
def test_what_is_no_number_is_not_made_one(read, values):
    read(SCORES)
    with pytest.raises(ValueError, match=r"number|masked|shape|finite"):
        read(values)


# Readers of labels, given one column of them.
LABELS = {
    "gold": lambda x: bf.from_labels(x, {"A": SAID}, positive=1),
    "predictions": lambda x: bf.from_labels(GOLD, {"A": x}, positive=1),
    "groups": lambda x: bf.from_labels(GOLD, {"A": SAID}, positive=1, groups=x),
    "groups of scores": lambda x: bf.from_scores({"A": SCORES}, groups=x),
    "groups of answers": lambda x: bf.from_correct({"A": SAID}, groups=x),
    "groups of probabilities": lambda x: bf.from_probabilities(GOLD, {"A": SCORES}, positive=1, groups=x),
    "judge": lambda x: bf.from_labels(GAPS, {"A": SAID}, positive=1, judge=x),
    "clusters": lambda x: bf.measures.pair_scores(x, SAID),
    "curve": lambda x: bf.measures.roc_auc(x, SCORES, positive=1),
}
NO_LABELS = {
    "enumerated texts": [enum.Enum("colour", {"RED": "r", "BLUE": "b"}, type=str).RED] * N,
    "sets": [{1}, *GOLD[1:]],
    "mappings": [{"a": 1}, *GOLD[1:]],
    "complex": np.array(GOLD, dtype=complex),
    "records": np.array([(1,)] * N, dtype=[("a", "i4")]),
    "two axes": np.array([GOLD, GOLD]).T,
}


@pytest.mark.parametrize("values", NO_LABELS.values(), ids=NO_LABELS)
@pytest.mark.parametrize("read", LABELS.values(), ids=LABELS)
def test_what_is_no_label_is_named(read, values):
    read(GOLD)
    with pytest.raises(ValueError, match=r"label|groups"):
        read(values)


def test_a_row_of_a_matrix_that_is_masked_is_not_read():
    row = np.ma.array([8, 1], mask=[False, True])
    with pytest.raises(ValueError, match="matrix of 'A' is masked at entry 1, 2"):
        bf.from_confusion({"A": [row, [2, 9]]}, labels=["x", "y"])


def test_groups_may_be_of_any_kind_that_can_be_told_apart():
    colour = enum.Enum("colour", "RED BLUE")
    numbered = LABELS["groups"]([0, 0, 1, 1, 0, 0, 1, 1])
    for one, other in ((colour.RED, colour.BLUE), (datetime.date(2020, 1, 1), 3), (decimal.Decimal(1), "x")):
        if isinstance(other, str):
            with pytest.raises(ValueError, match="mixes strings and numbers"):
                LABELS["groups"]([one, one, other, other] * 2)
        else:
            assert LABELS["groups"]([one, one, other, other] * 2) == numbered


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_is_no_gold_label_and_no_document(blank):
    gold, said = ["spam", blank, "ham", "ham"], ["spam", "ham", "ham", "spam"]
    for how in ({"positive": "spam"}, {}):
        with pytest.raises(ValueError, match=r"y_true has no label for item 2; .*judge"):
            bf.from_labels(gold, {"A": said}, **how)
    with pytest.raises(ValueError, match="groups has no label for item 2"):
        bf.from_labels(said, {"A": said}, positive="spam", groups=gold)
    frame = pd.DataFrame({"gold": gold, "A": said})
    with pytest.raises(ValueError, match="column 'gold' has no value for 1 item"):
        bf.from_frame(frame, gold="gold", models=["A"], positive="spam")


def test_a_blank_is_a_class_where_the_classes_are_listed():
    gold, said = ["a", "", "b"], ["a", "b", "b"]
    ev = bf.from_labels(gold, {"A": said}, labels=["", "a", "b"])
    assert ev.classes == ("", "a", "b")
    frame = pd.DataFrame({"gold": gold, "A": said})
    assert bf.from_frame(frame, gold="gold", models=["A"], labels=["", "a", "b"]) == ev


def test_a_judge_that_says_the_same_in_two_spellings_is_told_so():
    judge = ["spam", "Spam", "ham", "ham", "spam", "ham", "ham", "ham"]
    with pytest.raises(ValueError, match="judge 'judge' says 'Spam' and 'spam' differ only in case"):
        LABELS["judge"](judge)
