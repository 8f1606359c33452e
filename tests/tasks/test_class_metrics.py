"""Measures of several classes against scikit-learn, the defining sums, and the papers."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics as sk

import bayesf1 as bf
from bayesf1.metrics import METRICS
from bayesf1.tasks.classed import AVERAGES

TAKAHASHI = json.loads((Path(__file__).parents[1] / "reference" / "takahashi_2022.json").read_text("utf-8"))

BETAS = {"f0.5": 0.5, "f1": 1.0, "f2": 2.0}

# Zeros are likely, so that rows, columns and the diagonal are empty now and then.
counts = st.integers(2, 5).flatmap(
    lambda k: hnp.arrays(np.int64, (k, k), elements=st.sampled_from([0, 0, 0, 1, 2, 7]))
).filter(np.any)  # fmt: skip


def labels_of(matrix):
    """Return gold labels, predictions and weights that make up a confusion matrix."""
    gold, said = np.nonzero(matrix)
    return gold, said, matrix[gold, said]


def evaluate(matrix):
    return bf.from_confusion({"A": matrix}, labels=range(len(matrix)))


def sklearn_averages(gold, said, weights, average, **labels):
    """Return precision, recall, Jaccard's index and F-scores, of all classes where `average` is None."""
    common = {"sample_weight": weights, "average": average, "zero_division": 0, **labels}
    found = {"jaccard": sk.jaccard_score(gold, said, **common)}
    for name, beta in BETAS.items():
        found["precision"], found["recall"], found[name], _ = sk.precision_recall_fscore_support(
            gold, said, beta=beta, **common
        )
    return found


def check_averages(ev, *arguments, **labels):
    for average in AVERAGES:
        for base, theirs in sklearn_averages(*arguments, average, **labels).items():
            # What is 0/0 is undefined here, and 0 there.
            ours = np.nan_to_num(bf.score(ev, "A", f"{average}_{base}"))
            assert ours == pytest.approx(theirs, abs=1e-12)
    for base, theirs in sklearn_averages(*arguments, None, **labels).items():
        ours = np.nan_to_num([bf.score(ev, "A", f"{base}[{name}]") for name in ev.classes])
        assert ours == pytest.approx(theirs, abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(counts)
def test_averages_and_single_classes_are_scikit_learns(matrix):
    check_averages(evaluate(matrix), *labels_of(matrix), labels=range(len(matrix)))


@settings(max_examples=15, deadline=None)
@given(counts)
def test_measures_of_the_whole_matrix_are_scikit_learns(matrix):
    ev = evaluate(matrix)
    gold, said, weights = labels_of(matrix)
    with warnings.catch_warnings():
        # scikit-learn warns of classes that are not in gold, and of 0/0.
        warnings.simplefilter("ignore")
        theirs = {
            "accuracy": sk.accuracy_score(gold, said, sample_weight=weights),
            "balanced_accuracy": sk.balanced_accuracy_score(gold, said, sample_weight=weights),
            "mcc": sk.matthews_corrcoef(gold, said, sample_weight=weights),
            "kappa": np.nan_to_num(sk.cohen_kappa_score(gold, said, sample_weight=weights)),
        }
    for name, value in theirs.items():
        assert bf.score(ev, "A", name) == pytest.approx(value, abs=1e-12), name


@settings(max_examples=15, deadline=None)
@given(counts)
def test_sba_is_the_lectures_sum_with_its_rule_for_missing_classes(matrix):
    k, n = len(matrix), matrix.sum()
    total = 0.0
    for i in range(k):
        a, b = matrix[i].sum(), matrix[:, i].sum()
        total += (matrix[i, i] / a if a else b / n) + (matrix[i, i] / b if b else a / n)
    assert bf.score(evaluate(matrix), "A", "sba") == pytest.approx(total / (2 * k), abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(counts, st.sampled_from(sorted(BETAS)))
def test_macro_f_star_is_the_f_score_of_macro_precision_and_macro_recall(matrix, name):
    gold, said, weights = labels_of(matrix)
    p, r, _, _ = sk.precision_recall_fscore_support(
        gold, said, sample_weight=weights, average="macro", zero_division=0, labels=range(len(matrix))
    )
    square = BETAS[name] ** 2
    expected = (1 + square) * p * r / (square * p + r) if p + r else 0.0
    assert bf.score(evaluate(matrix), "A", f"macro_{name}_star") == pytest.approx(expected, abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(hnp.arrays(np.int64, (2, 2), elements=st.integers(0, 9)).filter(np.any))
def test_two_classes_have_the_binary_measures(matrix):
    (tn, fp), (fn, tp) = matrix
    binary, ev = bf.from_counts(A=(tp, fp, fn, tn)), bf.from_confusion({"A": matrix}, labels=["no", "yes"])
    for name in ("accuracy", "mcc", "kappa", "sba", "balanced_accuracy"):
        assert bf.score(ev, "A", name) == pytest.approx(bf.score(binary, "A", name), abs=1e-12), name
    for name in (*METRICS, "f1", "f0.5"):
        expected = bf.score(binary, "A", name)
        assert bf.score(ev, "A", f"{name}[yes]") == pytest.approx(expected, abs=1e-12, nan_ok=True), name


def test_rounding_leaves_no_true_negatives():
    # All items are of one class and none is claimed for another, but for what 0.3688 times a count rounds to.
    ev = bf.from_confusion({"A": [[77, 0, 0], [0, 0, 0], [0, 0, 0]]}).scaled(0.3688021103)
    for k in (0.1, 0.3, 1 / 3, 0.7):
        for name in ("specificity[1]", "npv[1]", "mcc[1]"):
            assert bf.score(ev.scaled(k), "A", name) == 0.0
    cells = [[5, 3, 2], [0, 0, 0], [0, 0, 0]]
    for k in (0.1, 0.3, 1 / 3, 0.7):
        assert bf.score(bf.from_confusion({"A": cells}).scaled(k), "A", "npv[1]") == 0.0


# ---- multi-label ------------------------------------------------------------------------------------------

indicators = st.tuples(st.integers(1, 12), st.integers(2, 4)).flatmap(
    lambda shape: st.tuples(*[hnp.arrays(np.bool_, shape)] * 2)
)


@settings(max_examples=20, deadline=None)
@given(indicators)
def test_averages_of_labels_are_scikit_learns(pair):
    gold, said = pair
    ev = bf.from_labels(gold, {"A": said}, multilabel=True)
    check_averages(ev, gold, said, None)
    assert bf.score(ev, "A", "micro_accuracy") == pytest.approx(1 - sk.hamming_loss(gold, said), abs=1e-12)
    with warnings.catch_warnings():
        # scikit-learn warns of columns that are all 0 or all 1.
        warnings.simplefilter("ignore")
        theirs = [sk.matthews_corrcoef(g, s) for g, s in zip(gold.T, said.T, strict=True)]
    assert [bf.score(ev, "A", f"mcc[{name}]") for name in ev.classes] == pytest.approx(theirs, abs=1e-12)


# ---- the papers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["example", "mnn"])
def test_scores_are_those_of_takahashi(which):
    ev = bf.from_confusion({"A": TAKAHASHI[which]["matrix"]})
    for name, (value, *_) in TAKAHASHI[which]["recomputed"].items():
        assert bf.score(ev, "A", name) == pytest.approx(value, abs=5e-11)
    for name, printed in zip(ev.classes, TAKAHASHI["example"]["class_f1"], strict=False):
        if which == "example":
            assert bf.score(ev, "A", f"f1[{name}]") == pytest.approx(printed, abs=5e-4)


def test_packaged_sleep_stages_give_the_papers_table_4():
    ev = bf.load_example("sleep-stages")
    assert ev.classes == ("W", "N1", "N2", "N3", "REM")
    assert ev.tables.reshape(3, 5)[[0, 2]].sum() == TAKAHASHI["mnn"]["n"]
    assert bf.confusion(ev, "MNN").tolist() == TAKAHASHI["mnn"]["matrix"]
    for name, (value, *ends) in TAKAHASHI["mnn"]["printed"].items():
        assert bf.score(ev, "MNN", name) == pytest.approx(value, abs=5e-4)
        # With 59,066 epochs a posterior and a large-sample interval agree to half of the last printed digit, and
        # ends of draws have an error of about 3e-5.
        found = bf.posterior(ev, "MNN", name, rng=4).interval(0.95)
        assert found == pytest.approx(tuple(ends), abs=6e-4)


# ---- names ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def three():
    return bf.from_confusion({"A": [[8, 1, 1], [0, 9, 1], [2, 0, 8]]}, labels=["a", "b", "c"])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("acuracy", "unknown metric 'acuracy'; did you mean 'accuracy'"),
        ("f1_macro", "did you mean 'macro_f1'"),
        ("f1[d]", r"there is no class 'd' in f1\[d\]; known: a, b, c"),
        ("f1[A]", r"did you mean 'a'"),
        ("macro_f0", "weight of 0; F-beta needs one from 0.1"),
    ],
)
def test_unknown_names_say_what_was_meant(three, asked, words):
    with pytest.raises(ValueError, match=words):
        bf.score(three, "A", asked)
