"""The Bayes test as a whole: properties that hold for all tables, agreement of its methods, and what it prints."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import bayesf1 as bf

LAWFUL = ("precision", "recall", "f1", "f0.5", "f2", "jaccard", "accuracy", "specificity", "npv")
COUNT = st.integers(0, 400)
TABLE = st.tuples(COUNT, COUNT, COUNT, COUNT).filter(any)
METRIC = st.sampled_from(LAWFUL)
ROPE = st.floats(0.0, 0.3)

ONE_TEST_SET = bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))


def bayes_test(a, b, metric="f1", **options):
    return bf.compare(bf.from_counts(A=a, B=b), metrics=metric, **options)[metric]


@given(a=TABLE, b=TABLE, metric=METRIC, rope=ROPE)
@settings(max_examples=60, deadline=None)
def test_three_probabilities_add_up_to_one(a, b, metric, rope):
    res = bayes_test(a, b, metric, rope=rope)
    assert res.p_less + res.p_rope + res.p_greater == pytest.approx(1.0, abs=1e-12)
    assert res.p_h0 + res.p_h1 == pytest.approx(1.0, abs=1e-12)
    assert min(res.p_less, res.p_rope, res.p_greater) >= 0.0
    assert res.p_less <= res.p_h0 + 1e-12
    assert res.p_greater <= res.p_h1 + 1e-12


@given(table=TABLE, metric=METRIC)
@settings(max_examples=30, deadline=None)
def test_nothing_is_better_than_itself(table, metric):
    res = bayes_test(table, table, metric)
    assert res.p_h1 == pytest.approx(0.5, abs=1e-13)
    assert res.difference.mean() == 0.0


@given(a=TABLE, b=TABLE, metric=METRIC, ropes=st.tuples(ROPE, ROPE))
@settings(max_examples=40, deadline=None)
def test_a_wider_rope_leaves_less_outside(a, b, metric, ropes):
    narrow, wide = (bayes_test(a, b, metric, rope=rope) for rope in sorted(ropes))
    assert wide.p_less <= narrow.p_less + 1e-12
    assert wide.p_greater <= narrow.p_greater + 1e-12


@given(a=TABLE, b=TABLE, more=st.integers(1, 50))
@settings(max_examples=40, deadline=None)
def test_more_hits_make_a_model_better_and_more_errors_make_it_worse(a, b, more):
    base = bayes_test(a, b).p_h1
    hits, false, missed = (tuple(x + more * (i == j) for i, x in enumerate(b)) for j in range(3))
    assert bayes_test(a, hits).p_h1 >= base - 1e-12
    assert bayes_test(a, false).p_h1 <= base + 1e-12
    assert bayes_test(a, missed).p_h1 <= base + 1e-12


@given(a=TABLE, b=TABLE)
@settings(max_examples=30, deadline=None)
def test_f1_and_jaccard_always_agree_on_which_is_better(a, b):
    ev = bf.from_counts(A=a, B=b)
    res = bf.compare(ev, metrics=("f1", "jaccard"))
    assert res["f1"].p_h1 == pytest.approx(res["jaccard"].p_h1, abs=1e-12)


@pytest.mark.parametrize("k", [4, 100, 10_000])
def test_more_of_the_same_data_sharpens_the_answer(k):
    a, b = (77, 44, 10), (80, 30, 7)
    few, many = bayes_test(a, b), bayes_test(tuple(k * x for x in a), tuple(k * x for x in b))
    assert many.p_h1 > few.p_h1
    assert many.difference.std() == pytest.approx(few.difference.std() / math.sqrt(k), rel=0.05)


@pytest.mark.parametrize("metric", LAWFUL)
def test_draws_agree_with_the_exact_answer(metric):
    exact = bf.compare(ONE_TEST_SET, metrics=metric, rope=0.02)[metric]
    drawn = bf.compare(ONE_TEST_SET, metrics=metric, rope=0.02, method="montecarlo", n_draws=200_000, rng=1)[
        metric
    ]
    assert (exact.method, exact.mcse) == ("exact", 0.0)
    assert drawn.method == "montecarlo"
    assert 0 < drawn.mcse < 2e-3
    for name in ("p_h1", "p_less", "p_rope", "p_greater"):
        p = getattr(exact, name)
        assert abs(getattr(drawn, name) - p) < 4 * math.sqrt(p * (1 - p) / 200_000) + 1e-5
    assert abs(drawn.p_h1 - exact.p_h1) < 4 * drawn.mcse
    assert drawn.difference.mean() == pytest.approx(
        exact.difference.mean(), abs=4 * exact.difference.std() / 400
    )


def joint_dirichlet(both, claimed_both, n=400_000):
    """P(F1_B > F1_A) by plain draws of the eight joint cells of the one test set, half of the prior on each."""
    (tp_a, fp_a, fn_a, tn_a), (tp_b, fp_b, _, _) = ONE_TEST_SET.tables
    positives = [both, tp_a - both, tp_b - both, fn_a - tp_b + both]
    negatives = [claimed_both, fp_a - claimed_both, fp_b - claimed_both, tn_a - fp_b + claimed_both]
    rng = np.random.default_rng(3)
    hit, only_a, only_b, missed, claimed, claimed_a, claimed_b, _ = rng.standard_gamma(
        np.array(positives + negatives) + 0.5, size=(n, 8)
    ).T
    errors_a = only_b + claimed + claimed_a
    errors_b = only_a + claimed + claimed_b
    f_a = 2 * (hit + only_a) / (2 * (hit + only_a) + errors_a + missed)
    f_b = 2 * (hit + only_b) / (2 * (hit + only_b) + errors_b + missed)
    return float(np.mean(f_b > f_a))


@pytest.mark.long
def test_pairing_bounds_hold_for_every_pairing():
    res = bf.compare(ONE_TEST_SET, metrics="f1", prior=1)["f1"]
    low, high = bounds = bf.pairing_bounds(ONE_TEST_SET, prior=1)
    assert bounds.error < 1e-3
    assert bounds.metric == "f1"
    assert res.p_h1 == pytest.approx(0.93801, abs=5e-6)
    answers = {
        (both, claimed): joint_dirichlet(both, claimed) for both in (70, 73, 77) for claimed in (0, 2, 15, 30)
    }
    assert all(low - 2e-3 <= p <= high + 1e-4 for p in answers.values())
    # Errors independent given the gold label share 70.8 hits and 1.8 claims; nested errors share all they can.
    assert joint_dirichlet(77 * 80 / 87, 44 * 30 / 746) == pytest.approx(0.963, abs=2e-3)
    assert answers[77, 30] == pytest.approx(0.99999, abs=3e-5)
    assert low == pytest.approx(min(answers.values()), abs=2e-3)


def test_tables_of_different_test_sets_cannot_be_paired():
    with pytest.raises(ValueError, match="87 and 97 items"):
        bf.pairing_bounds(bf.from_counts(A=(77, 44, 10), B=(83, 9, 14)))


def test_a_tie_goes_to_h0():
    # Wang & Li (2019): accept H0 iff P(H0) >= P(H1).
    res = bayes_test((10, 5, 5), (10, 5, 5))
    tied = type(res)(**{**{f: getattr(res, f) for f in res.__dataclass_fields__}, "p_h0": 0.5, "p_h1": 0.5})
    assert tied.decision == "accept H0"


def test_a_tiny_probability_is_not_rounded_to_nothing():
    res = bayes_test((2000, 1300, 1300), (2600, 1000, 1000))
    assert 0 < res.p_h0 < 1e-30
    assert res.p_h1 == pytest.approx(1.0, abs=1e-14)


def test_comparisons_are_a_mapping_in_order():
    res = bf.compare(ONE_TEST_SET, metrics=("f1", "recall"))
    assert list(res) == ["f1", "recall"]
    assert len(res) == 2
    assert "recall" in res
    assert "precision" not in res
    assert [c.metric for c in res.values()] == ["f1", "recall"]
    with pytest.raises(KeyError, match="did you mean 'recall'"):
        res["recal"]


def test_the_prior_matters_to_small_tables():
    uniform, jeffreys = (bayes_test((3, 1, 0), (2, 0, 2), prior=prior) for prior in (1.0, 0.5))
    assert uniform.posterior_a.tp == 4.0
    assert jeffreys.posterior_a.tp == 3.5
    assert abs(uniform.p_h1 - jeffreys.p_h1) > 1e-3


def test_an_argument_of_another_name_is_named_with_the_nearest():
    ev = bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))
    with pytest.raises(
        TypeError, match=r"compare\(\) got an unexpected keyword argument 'metric'; did you mean 'metrics'"
    ):
        bf.compare(ev, metric="f1")
