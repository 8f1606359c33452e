"""Block-regularised halvings: sizes, overlaps, balance, documents, and the protocol of scikit-learn."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from bayesf1 import BlockedCV
from bayesf1.cv.splitting import blocks, hadamard


@pytest.fixture
def rng():
    return np.random.default_rng(20190728)


def first_halves(cv, X, y=None, groups=None):
    """Membership of the first half of each repeat, axes (item, repeat), after checks that all splits pass."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    folds = list(cv.split(X, y, groups))
    assert len(folds) == cv.get_n_splits(X, y, groups) == 2 * cv.m
    halves = np.zeros((n, cv.m), dtype=bool)
    for j, (one, two) in enumerate(zip(folds[::2], folds[1::2], strict=True)):
        assert np.array_equal(one[0], two[1])
        assert np.array_equal(one[1], two[0])
        assert np.array_equal(np.sort(np.concatenate(one)), np.arange(n))
        assert min(map(len, one)) > 0
        halves[one[0], j] = True
    return halves


def check_sizes_and_overlaps(halves):
    n, m = halves.shape
    assert np.all(np.abs(2 * halves.sum(axis=0) - n) <= n % 2)
    for i, j in itertools.combinations(range(m), 2):
        for s, t in itertools.product((halves[:, i], ~halves[:, i]), (halves[:, j], ~halves[:, j])):
            assert np.count_nonzero(s & t) in (n // 4, -(-n // 4))


def entities(rng, n):
    """Entity-like counts: mentions of four types, and their tokens."""
    mentions = rng.poisson(rng.gamma(0.6, 1 / 0.6, size=(n, 1)) * [0.47, 0.5, 0.45, 0.25])
    return np.hstack([mentions, mentions + rng.poisson(0.6 * mentions)])


def worst(halves, counts):
    signs = np.where(halves, 1.0, -1.0)
    return np.abs(signs.T @ counts).max(axis=0)


def random_halves(rng, n, m):
    return rng.permuted(np.tile(np.arange(n) < n // 2, (m, 1)), axis=1).T


# ---- the matrices


@pytest.mark.parametrize("order", [2, *range(4, 49, 4)])
def test_columns_of_every_sign_matrix_are_orthogonal_and_the_first_is_constant(order):
    h = hadamard(order)
    assert np.array_equal(h.T @ h, order * np.eye(order))
    assert np.array_equal(np.abs(h), np.ones((order, order)))
    assert np.all(h[:, 0] == 1)


# ---- sizes and overlaps


@settings(max_examples=60)
@given(m=st.integers(1, 23), extra=st.integers(0, 99), classes=st.integers(0, 6), seed=st.integers(0, 999))
def test_halves_and_overlaps_are_exact_also_when_labels_and_counts_are_balanced(m, extra, classes, seed):
    n = blocks(m) + extra
    noise = np.random.default_rng(seed)
    y = noise.integers(0, classes, n) if classes else None
    cv = BlockedCV(m, balance=noise.poisson(1.5, size=(n, 2)) if classes else None, rng=seed)
    check_sizes_and_overlaps(first_halves(cv, range(n), y))


# ---- balance


@pytest.mark.parametrize(("m", "most"), [(1, 1), (3, 2), (5, 3), (10, 5)])
def test_classes_are_alike_in_all_halves(m, most, rng):
    y = rng.choice(["a", "b", "c", "d"], size=1501, p=[0.6, 0.3, 0.08, 0.02])
    halves = first_halves(BlockedCV(m, rng=0), y, y)
    assert worst(halves, y[:, None] == np.unique(y)).max() <= most


@pytest.mark.parametrize("m", [3, 7, 20])
def test_counts_are_twenty_times_nearer_than_in_random_halves(rng, m):
    counts = entities(rng, 14041)
    ours = worst(first_halves(BlockedCV(m, balance=counts, rng=0), counts), counts)
    assert 20 * ours.max() <= worst(random_halves(rng, 14041, m), counts).max()


# ---- labels that are and are not classes


@pytest.mark.parametrize(
    ("y", "names"),
    [
        ([True, False] * 20, ("y=False", "y=True")),
        ([0.0, 0.5] * 20, ("y=0.0", "y=0.5")),
        (np.array(["ham", None] * 20, dtype=object), ("y=ham", "y=None")),
        (pd.Series(["ham", "spam"] * 20, dtype="category"), ("y=ham", "y=spam")),
        (np.array([[0], [1]] * 20), ("y=0", "y=1")),
    ],
)
def test_few_distinct_labels_are_balanced(y, names):
    report = BlockedCV(3).balance_report(y, y)
    assert tuple(report.index) == ("items", *names)
    assert np.all(report["difference"] == 0)


@pytest.mark.parametrize(
    ("y", "reason"),
    [
        (np.linspace(0.0, 1.0, 60), "its 60 values for 60 items are not classes"),
        (np.repeat(np.linspace(0.0, 1.0, 30), 2), "its 30 values for 60 items are not classes"),
        ([["O"] * k for k in range(1, 61)], "not one label for each item"),
        ([["O", "B-PER"]] * 60, "not one label for each item"),
        (np.zeros((60, 2)), "not one label for each item"),
    ],
)
def test_labels_that_are_no_classes_are_left_alone_and_the_report_says_so(y, reason):
    cv = BlockedCV(3, rng=0)
    check_sizes_and_overlaps(first_halves(cv, range(60), y))
    with pytest.warns(UserWarning, match=reason):
        report = cv.balance_report(range(60), y)
    assert tuple(report.index) == ("items",)


# ---- documents


def check_documents(halves, groups):
    for document in np.unique(groups):
        assert len(np.unique(halves[groups == document], axis=0)) == 1


@settings(max_examples=60)
@given(
    m=st.integers(1, 12),
    extra=st.integers(0, 60),
    tail=st.sampled_from([0.7, 1.5, 5.0]),
    seed=st.integers(0, 999),
)
def test_a_document_is_never_divided_and_no_half_is_empty(m, extra, tail, seed):
    noise = np.random.default_rng(seed)
    sizes = 1 + noise.pareto(tail, blocks(m) + extra).clip(max=300).astype(int)
    groups = noise.permutation(np.repeat(np.arange(len(sizes)), sizes))
    y = noise.integers(0, 3, len(groups))
    check_documents(first_halves(BlockedCV(m, rng=seed), groups, y, groups), groups)


def test_halves_and_quarters_of_documents_hold_nearly_as_many_items(rng):
    sizes = rng.integers(5, 40, 400)
    groups = rng.permutation(np.repeat(np.arange(400), sizes))
    for m in (3, 5, 10):
        halves = first_halves(BlockedCV(m, rng=0), groups, groups=groups)
        n = len(groups)
        assert np.abs(2 * halves.sum(axis=0) - n).max() <= 10
        overlaps = halves.T.astype(float) @ halves
        assert np.abs(overlaps - n / 4)[~np.eye(m, dtype=bool)].max() <= 10


# ---- random numbers


@pytest.mark.parametrize("source", [None, np.random.default_rng(1)])
def test_a_generator_or_nothing_gives_another_split_at_each_call(source):
    cv = BlockedCV(3, rng=source)
    assert not np.array_equal(first_halves(cv, range(200)), first_halves(cv, range(200)))


# ---- the report


def test_the_report_describes_the_split_that_the_same_number_makes(rng):
    counts, y = entities(rng, 999), rng.choice(["x", "y"], 999)
    cv = BlockedCV(5, balance=counts, rng=11)
    halves, report = first_halves(cv, y, y), cv.balance_report(y, y)
    columns = np.column_stack([np.ones(999), y[:, None] == ["x", "y"], counts])
    report = report.loc[["items", "y=x", "y=y", *report.index[3:]]]
    expected = np.stack([halves.T @ columns, ~halves.T @ columns], axis=1)
    assert np.array_equal(report["smallest_half"], expected.min(axis=(0, 1)))
    assert np.array_equal(report["largest_half"], expected.max(axis=(0, 1)))
    assert np.array_equal(report["difference"], worst(halves, columns))


@pytest.mark.parametrize("documents", [False, True])
def test_what_random_halves_would_leave_agrees_with_simulation(documents, rng):
    size = 5 if documents else 1
    counts = rng.poisson(2.0, size=(2000, 2))
    groups = np.repeat(np.arange(2000 // size), size)
    report = BlockedCV(3, balance=counts).balance_report(counts, groups=groups)
    summed = counts.reshape(-1, size, 2).sum(axis=1)
    found = np.array([worst(random_halves(rng, len(summed), 3), summed) for _ in range(400)])
    error = found.std(axis=0) / 20
    assert np.all(np.abs(found.mean(axis=0) - report["random_difference"].values[1:]) < 4 * error)


# ---- scikit-learn


def test_cross_val_score_passes_documents_on():
    X, y = load_iris(return_X_y=True)
    groups = np.tile(np.arange(30), 5)
    scores = cross_val_score(GaussianNB(), X, y, groups=groups, cv=BlockedCV(3, rng=0))
    cv = BlockedCV(3, rng=0)
    by_hand = [GaussianNB().fit(X[a], y[a]).score(X[b], y[b]) for a, b in cv.split(X, y, groups)]
    assert scores == pytest.approx(by_hand)


# ---- errors


@pytest.mark.parametrize(
    ("cv", "arguments", "message"),
    [
        (BlockedCV(3), (range(3),), "needs 4 items or more, but there are 3"),
        (BlockedCV(4), (range(9), None, [0, 1, 2] * 3), "needs 8 groups or more, but there are 3"),
        (BlockedCV(3), (range(9), [1, 2]), "y has 2 entries for 9 items"),
        (BlockedCV(3), (range(3), None, ["a", None, "b"]), "groups has None for item 1"),
        (BlockedCV(3, balance=np.ones(8)), (range(9),), "balance has 8 rows for 9 items"),
        (BlockedCV(64), (range(500),), "m = 64 repeats cannot be laid out in blocks"),
    ],
)
def test_what_cannot_be_split_is_named_at_once(cv, arguments, message):
    with pytest.raises(ValueError, match=message):
        cv.split(*arguments)
    with pytest.raises(ValueError, match=message):
        cv.balance_report(*arguments)
