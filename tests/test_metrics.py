"""Measures of confusion tables, against scikit-learn and against themselves."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import metrics as sk

import bayesf1 as bf
from bayesf1 import from_counts, score
from bayesf1.metrics import METRICS, find_metric, in_prose

CELLS = ("tp", "fp", "fn", "tn")

REFERENCE = {
    "precision": lambda t, p: sk.precision_score(t, p, zero_division=0),
    "recall": lambda t, p: sk.recall_score(t, p, zero_division=0),
    "specificity": lambda t, p: sk.recall_score(t, p, pos_label=0, zero_division=0),
    "npv": lambda t, p: sk.precision_score(t, p, pos_label=0, zero_division=0),
    "accuracy": sk.accuracy_score,
    "jaccard": lambda t, p: sk.jaccard_score(t, p, zero_division=0),
    "fowlkes_mallows": lambda t, p: math.sqrt(
        sk.precision_score(t, p, zero_division=0) * sk.recall_score(t, p, zero_division=0)
    ),
    "mcc": sk.matthews_corrcoef,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "kappa": sk.cohen_kappa_score,
    "f1": lambda t, p: sk.f1_score(t, p, zero_division=0),
    "macro_f1": lambda t, p: sk.f1_score(t, p, labels=[0, 1], average="macro", zero_division=0),
    "weighted_f1": lambda t, p: sk.f1_score(t, p, labels=[0, 1], average="weighted", zero_division=0),
    "micro_f1": lambda t, p: sk.f1_score(t, p, labels=[0, 1], average="micro", zero_division=0),
    "f0.5": lambda t, p: sk.fbeta_score(t, p, beta=0.5, zero_division=0),
    "f2": lambda t, p: sk.fbeta_score(t, p, beta=2.0, zero_division=0),
    "f3.25": lambda t, p: sk.fbeta_score(t, p, beta=3.25, zero_division=0),
    "tversky(0.8,0.2)": lambda t, p: sk.fbeta_score(t, p, beta=0.5, zero_division=0),
    "tversky(1, 1)": lambda t, p: sk.jaccard_score(t, p, zero_division=0),
}

counts = st.integers(0, 10**9)
tables = st.tuples(counts, counts, counts, counts).map(lambda t: np.array(t, dtype=float))


def labels_of(tp, fp, fn, tn):
    """Gold and predicted labels whose confusion table this is."""
    return np.repeat([1, 0, 1, 0], [tp, fp, fn, tn]), np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])


def small_tables():
    rng = np.random.default_rng(5)
    few = rng.integers(0, 4, size=(20, 4))
    many = rng.integers(0, 200, size=(5, 4))
    # Both classes occur in gold, as scikit-learn warns or gives nan where one does not.
    return [t for t in np.concatenate([few, many]) if t[0] + t[2] > 0 and t[1] + t[3] > 0]


# ---- against scikit-learn ----------------------------------------------------------------------------------


def test_every_metric_is_checked():
    # Symmetric balanced accuracy is checked below; scikit-learn has none.
    assert METRICS.keys() <= REFERENCE.keys() | {"sba"}


@pytest.mark.parametrize("name", REFERENCE)
def test_a_metric_is_what_scikit_learn_computes_from_the_labels(name):
    for table in small_tables():
        gold, predicted = labels_of(*table)
        mine = np.nan_to_num(score(from_counts(A=tuple(table)), "A", metric=name))
        # What is undefined is nan to people, and 0 in a draw, as in scikit-learn.
        drawn = find_metric(name)(table.astype(float), CELLS)
        assert [mine, drawn] == pytest.approx([REFERENCE[name](gold, predicted)] * 2, abs=1e-12), table


# ---- zero division -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REFERENCE)
def test_an_empty_table_scores_0(name):
    assert find_metric(name)(np.zeros(4), CELLS) == 0.0


def test_balanced_accuracy_is_over_the_classes_that_occur():
    assert find_metric("balanced_accuracy")(np.array([3.0, 0.0, 1.0, 0.0]), CELLS) == 0.75


def test_symmetric_balanced_accuracy_replaces_the_shares_of_missing_classes():
    # Ustalov (2022), the part-of-speech tagger that says NN: (90/90 + 90/100 + 0/10 + 10/100) / 4
    assert find_metric("sba")(np.array([90.0, 10.0, 0.0, 0.0]), CELLS) == pytest.approx(0.5)


@given(tables, st.floats(1e-3, 1e3))
def test_a_metric_depends_on_proportions_alone(table, factor):
    for name in REFERENCE:
        metric = find_metric(name)
        assert metric(factor * table, CELLS) == pytest.approx(float(metric(table, CELLS)), abs=1e-9)


# ---- batches -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REFERENCE)
def test_a_batch_scores_as_its_tables_do_one_by_one(name):
    rng = np.random.default_rng(0)
    batch = rng.integers(0, 5, size=(2, 3, 4)).astype(float)
    metric = find_metric(name)
    scores = metric(batch, CELLS)
    assert scores.shape == (2, 3)
    for i in np.ndindex(2, 3):
        assert scores[i] == metric(batch[i], CELLS)


@pytest.mark.parametrize("name", ["f1", "precision", "recall", "jaccard", "fowlkes_mallows"])
def test_true_negatives_change_nothing_where_they_are_not_needed(name):
    table = np.array([77.0, 44.0, 10.0, 702.0])
    assert find_metric(name)(table, CELLS) == find_metric(name)(table[:3], CELLS[:3])


def test_a_callable_is_given_whole_tables():
    ev = from_counts(A=(8, 1, 2, 9))

    def prevalence(t):
        return (t[..., 0] + t[..., 2]) / t.sum(axis=-1)

    assert score(ev, "A", metric=prevalence) == 0.5
    assert find_metric(prevalence).name == "prevalence"


def test_names_of_metrics_begin_with_a_small_letter_in_prose_unless_they_are_proper_names():
    proper = {"F1", "F0.5", "F2", "FM", "MCC", "NPV", "SBA", "Jaccard", "Dice"}
    for metric in METRICS.values():
        said = in_prose(metric.label)
        assert said[0].islower() or any(said.startswith(name) for name in proper), said
    labels = ["a", "b", "c", "a", "b", "c"]
    ev = bf.from_labels(labels, {"A": labels, "B": ["a", "b", "b", "a", "c", "c"]})
    res = bf.compare(ev, metrics=["macro_specificity", "macro_precision", "macro_kappa"])
    assert [c.label for c in res.values()] == ["Macro specificity", "Macro precision", "Macro kappa"]
