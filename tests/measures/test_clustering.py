"""Agreement of clusterings, beside scikit-learn, the lecture's example and pairs counted one by one."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix

from bayesf1.measures.clustering import (
    PairScores,
    PurityScores,
    pair_scores,
    purity_scores,
    soft_pair_scores,
    soft_purity_scores,
)

# Ustalov (2022), slide "Normalized Modified Purity: Example".
GOLD = [{"bank": 1}, {"riverbank": 1, "streambank": 1, "streamside": 1}, {"building": 1, "bank building": 1}]
PREDICTED = [
    {"bank": 0.5, "riverbank": 1, "streambank": 1, "streamside": 1},
    {"bank": 0.5, "building": 1, "bank building": 1},
]

two_partitions = st.integers(1, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n)] * 2)
)


@settings(max_examples=50)
@given(two_partitions)
def test_pairs_are_those_of_scikit_learn_and_scores_those_of_pairs_listed_one_by_one(partitions):
    pairs = pair_scores(*partitions)
    # scikit-learn counts ordered pairs
    np.testing.assert_array_equal(
        pair_confusion_matrix(*partitions), 2 * np.array([[pairs.tn, pairs.fp], [pairs.fn, pairs.tp]])
    )
    together = [[a == b for a, b in itertools.combinations(labels, 2)] for labels in partitions]
    if together[0]:
        found = (pairs.precision, pairs.recall, pairs.f1)
        theirs = [f(*together, zero_division=0) for f in (precision_score, recall_score, f1_score)]
        assert found == pytest.approx(theirs, abs=1e-14)


@settings(max_examples=60)
@given(two_partitions)
def test_purity_sums_the_maxima_of_the_contingency_table(partitions):
    table = contingency_matrix(*partitions)
    scores = purity_scores(*partitions)
    assert scores.purity == pytest.approx(table.max(axis=0).sum() / table.sum())
    assert scores.inverse_purity == pytest.approx(table.max(axis=1).sum() / table.sum())
    assert scores.f1 == pytest.approx(2 / (1 / scores.purity + 1 / scores.inverse_purity))


def test_many_items_in_thousands_of_clusters_are_counted_exactly():
    gold, predicted = np.random.default_rng(2).integers(0, 5000, (2, 200_000))
    pairs = pair_scores(gold, predicted)
    tn, fp, fn, tp = (int(x) // 2 for x in pair_confusion_matrix(gold, predicted).ravel())
    assert pairs == PairScores(tp, fp, fn, tn)


def test_the_lectures_soft_clusters_give_the_lectures_numbers():
    # nmPU .833, niPU 1.000 and F1 .909 on the slide
    scores = soft_purity_scores(GOLD, PREDICTED)
    assert scores.purity == pytest.approx(5 / 6, abs=1e-15)
    assert scores.inverse_purity == 1.0
    assert scores.f1 == pytest.approx(10 / 11, abs=1e-15)
    # Sets share the weight of an element among its clusters.
    assert soft_purity_scores([set(c) for c in GOLD], [list(c) for c in PREDICTED]) == scores


@settings(max_examples=50)
@given(
    st.lists(st.dictionaries(st.integers(0, 8), st.integers(1, 5)), min_size=1, max_size=5),
    st.lists(st.dictionaries(st.integers(0, 8), st.integers(1, 5)), min_size=1, max_size=5),
)
def test_soft_scores_are_their_definitions_spelt_out(gold, predicted):
    assume(any(gold) and any(predicted))
    scores = soft_purity_scores(gold, predicted)
    pure = sum(max(sum(w for e, w in c.items() if e in g) for g in gold) for c in predicted if len(c) > 1)
    kept = sum(max(sum(w for e, w in g.items() if e in c) for c in predicted) for g in gold)
    assert scores.purity == pytest.approx(pure / sum(sum(c.values()) for c in predicted), abs=1e-14)
    assert scores.inverse_purity == pytest.approx(kept / sum(sum(g.values()) for g in gold), abs=1e-14)
    pairs = soft_pair_scores(gold, predicted)
    elements = {e for c in (*gold, *predicted) for e in c}
    told = [
        tuple(any(a in c and b in c for c in clusters) for clusters in (gold, predicted))
        for a, b in itertools.combinations(elements, 2)
    ]
    cells = (True, True), (False, True), (True, False), (False, False)
    assert (pairs.tp, pairs.fp, pairs.fn, pairs.tn) == tuple(map(told.count, cells))


def test_clusters_of_one_element_add_nothing_to_modified_purity():
    assert soft_purity_scores([{"a", "b"}, {"c"}], [{"a"}, {"b"}, {"c"}]) == PurityScores(0.0, 2 / 3)
    assert PurityScores(0.0, 0.0).f1 == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pair_scores([1, 2], [1, 2, 3]), "predicted has 3 items, but gold has 2"),
        (lambda: pair_scores(["a", 1], [1, 2]), "gold mixes strings and numbers"),
        (lambda: soft_purity_scores([set()], [{"a"}]), "one of them above 0"),
        (lambda: soft_purity_scores([{"a"}], [{"a": 1}, {"b"}]), "all mappings .* or all sets"),
        (lambda: soft_pair_scores([range(10**4)], [{"a"}]), "more than 10,000,000 pairs"),
        (lambda: soft_purity_scores([{"a": -1}], [{"a"}]), "finite and not negative"),
    ],
)
def test_bad_clusters_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
