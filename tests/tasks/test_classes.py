"""Evaluations of several classes: what they hold, and that shards, documents and types add up."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from seqeval.metrics import classification_report
from sklearn.metrics import confusion_matrix, multilabel_confusion_matrix

import bayesf1 as bf
from builders import noisy, noisy_tags, random_tags, tags_of

A = [[8, 1, 1], [0, 9, 1], [2, 0, 8]]
B = [[9, 1, 0], [1, 9, 0], [1, 1, 8]]

names = st.sampled_from("abcd")
items = st.lists(st.tuples(names, names, names), min_size=1, max_size=30)


def columns(rows):
    gold, a, b = zip(*rows, strict=True)
    return list(gold), {"A": list(a), "B": list(b)}


def evaluate(rows, **options):
    gold, said = columns(rows)
    return bf.from_labels(gold, said, labels=list("abcd"), **options)


def random_labels(k, n, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n)
    return gold, {m: noisy(rng, gold, skill, k) for m, skill in (("A", 0.8), ("B", 0.81))}


# ---- counts -----------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(items)
def test_matrices_and_tables_are_scikit_learns(rows):
    gold, said = columns(rows)
    ev = evaluate(rows)
    for model, column in said.items():
        assert np.array_equal(
            bf.confusion(ev, model), confusion_matrix(gold, column, labels=list(ev.classes))
        )
        counts = multilabel_confusion_matrix(gold, column, labels=list(ev.classes))
        expected = np.concatenate([counts[:, 1, 1], counts[:, 0, 1], counts[:, 1, 0]])
        assert np.array_equal(ev.tables[ev.index(model)], expected)
    assert ev.units.weights.sum() == len(rows)
    assert len(ev.units.weights) == len(set(rows))
    totals = bf.from_confusion({m: bf.confusion(ev, m) for m in ev.models}, labels=list("abcd"))
    assert np.array_equal(totals.tables, ev.tables)
    assert totals.assumption == "independent"
    assert totals.units == ev.units.apart(len(ev.models))


# ---- the Evaluation's own operations ----------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(items, items)
def test_shards_with_different_classes_add_up(one, two):
    def shard(rows):
        gold, said = columns(rows)
        found = sorted({*gold, *said["A"], *said["B"]})
        # A shard of one class has another that does not occur.
        return bf.from_labels(gold, said, labels=found if len(found) > 1 else [*found, "e"])

    assert (shard(one) + shard(two)).classes == tuple(sorted({*shard(one).classes, *shard(two).classes}))
    both, whole = shard(one) + shard(two), shard(one + two)
    for m in both.models:
        for metric in ("micro_f1", "mcc", "weighted_f1"):
            assert bf.score(both, m, metric) == pytest.approx(bf.score(whole, m, metric), abs=1e-12)
    if both.classes == whole.classes:
        assert both == whole


def test_shards_of_documents_spans_labels_and_matrices_add_up():
    gold, said = random_labels(5, 60)
    groups = np.arange(60) // 4

    def documents(rows):
        return bf.from_labels(
            gold[rows], {m: c[rows] for m, c in said.items()}, groups=groups[rows], labels=range(5)
        )

    assert documents(slice(0, 20)) + documents(slice(20, 60)) == documents(slice(0, 60))
    matrices = [bf.from_confusion({"A": A, "B": B}), bf.from_confusion({"A": B, "B": A})]
    both = np.add(A, B)
    assert sum(matrices) == bf.from_confusion({"A": both, "B": both})
    rng = np.random.default_rng(5)
    sets, sets_said = rng.random((2, 30, 3)) < 0.4
    whole = bf.from_labels(sets, {"A": sets_said}, multilabel=True)
    parts = [bf.from_labels(sets[s], {"A": sets_said[s]}, multilabel=True) for s in (slice(9), slice(9, 30))]
    assert parts[0] + parts[1] == whole


# ---- documents --------------------------------------------------------------------------------------------


def test_documents_hold_the_sums_of_their_items():
    gold, said = random_labels(4, 80, seed=6)
    groups = np.random.default_rng(7).integers(0, 12, 80)
    ev = bf.from_labels(gold, said, groups=groups)
    plain = bf.from_labels(gold, said)
    assert np.array_equal(ev.tables, plain.tables)
    assert ev.items == plain
    assert (ev.unit, ev.units.weights.sum()) == ("document", 12)
    rows = np.repeat(ev.units.rows.toarray(), ev.units.weights.astype(int), axis=0)
    expected = []
    for document in np.unique(groups):
        inside = groups == document
        one = bf.from_labels(gold[inside], {m: c[inside] for m, c in said.items()}, labels=range(4))
        expected.append(one.tables.ravel())
    assert sorted(map(tuple, rows)) == sorted(map(tuple, expected))
    for m in said:
        assert np.array_equal(bf.confusion(ev, m), bf.confusion(plain, m))


# ---- spans by type ----------------------------------------------------------------------------------------


def tagged(seed, n=60):
    rng = np.random.default_rng(seed)
    vocabulary = tags_of(("LOC", "ORG", "PER"), outside=3)
    gold = random_tags(rng, n, vocabulary, longest=9)
    return gold, {m: noisy_tags(rng, gold, vocabulary, 0.25) for m in "AB"}


@pytest.mark.parametrize("seed", range(4))
def test_counts_of_each_type_are_seqevals(seed):
    gold, models = tagged(seed)
    ev = bf.from_tags(gold, models, by_type=True)
    assert ev.classes == ("LOC", "ORG", "PER")
    for model, said in models.items():
        with warnings.catch_warnings():
            # seqeval calls into numpy and scikit-learn by names that are going away.
            warnings.simplefilter("ignore")
            report = classification_report(gold, said, output_dict=True, zero_division=0)
        for name in ev.classes:
            tp, fn = (ev.tables[ev.index(model)][ev.cells.index(f"{cell}[{name}]")] for cell in ("tp", "fn"))
            assert tp + fn == report[name]["support"]
            for theirs, ours in (("precision", "precision"), ("recall", "recall"), ("f1-score", "f1")):
                assert bf.score(ev, model, f"{ours}[{name}]") == pytest.approx(
                    report[name][theirs], abs=1e-12
                )
        for average in ("micro", "macro", "weighted"):
            found = report[f"{average} avg"]
            assert bf.score(ev, model, f"{average}_f1") == pytest.approx(found["f1-score"], abs=1e-12)
            assert bf.score(ev, model, f"{average}_precision") == pytest.approx(found["precision"], abs=1e-12)


# ---- many classes -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_thousand_classes_take_little_memory():
    k, n = 1000, 20_000
    gold, said = random_labels(k, n)
    # Modules are loaded, and their memory taken, before anything is measured.
    bf.compare(bf.from_labels([0, 1, 2], {"A": [0, 1, 1], "B": [0, 1, 2]}), n_draws=200, rng=1)
    tracemalloc.start()
    try:
        ev = bf.from_labels(gold, said)
        built = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        found = bf.compare(ev, metrics=["accuracy", "macro_f1", "mcc"], n_draws=1000, rng=1)
        compared = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # A few columns of n numbers; dense patterns would be 8,000 × 6,000 numbers, 384 MB, and joint cells 8 GB.
    assert built < 20 * n * 8 * 4
    # A block of draws is 2^21 numbers, held in a handful of copies.
    assert compared < 10 * 2**21 * 8
    assert ev.units.rows.nnz <= 4 * len(ev.units.weights)
    assert 0 < found["mcc"].p_h1 < 1


# ---- bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matrices", "options", "words"),
    [
        ({"A": [[1, 2, 3], [4, 5, 6]]}, {}, r"matrix of 'A' has shape \(2, 3\).* a square one"),
        ({"A": [[1, -2], [0, 3]]}, {}, "matrix of 'A', row 1, has column 2 = -2"),
        ({"A": A, "B": [[1, 0], [0, 1]]}, {}, "matrix of 'B' have shape"),
        ({"A": A}, {"labels": ["a", "b"]}, "2 names, but there are 3 classes"),
        ({"A": A}, {"labels": [1, "1", 2]}, "label '1' is given twice"),
    ],
)
def test_bad_matrices_are_named(matrices, options, words):
    with pytest.raises(ValueError, match=words):
        bf.from_confusion(matrices, **options)


def test_of_an_empty_matrix_everything_is_undefined():
    with pytest.warns(UserWarning, match="all counts of A are 0"):
        ev = bf.from_confusion({"A": np.zeros((3, 3)), "B": B})
    for metric in ("accuracy", "mcc", "macro_f1", "precision[1]"):
        assert np.isnan(bf.score(ev, "A", metric))
        assert bf.compare(ev, metrics=metric, rng=1, n_draws=1000)[metric].verdict == "undefined"
        with pytest.raises(ValueError, match="undefined"):
            bf.posterior(ev, "A", metric)


def test_a_class_after_one_that_no_item_has_is_in_doubt():
    ev = bf.from_labels(list("aabbcc") * 6, {"A": list("aabbcb") * 6}, labels=list("abcd"))
    low, high = bf.posterior(ev, "A", "precision[a]", rng=1).interval(0.95)
    assert low < 0.95 < high
