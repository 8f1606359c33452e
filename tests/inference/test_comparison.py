"""The Bayes test as a whole: properties of all tables, claims and verdicts, regions, results as data, spread of folds."""

import json
import math

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy import integrate, stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.inference.comparison import check_rope
from builders import joint_draws, joint_evaluation

LAWFUL = ("precision", "recall", "f1", "f0.5", "f2", "jaccard", "accuracy", "specificity", "npv")
COUNT = st.integers(0, 400)
TABLE = st.tuples(COUNT, COUNT, COUNT, COUNT).filter(any)
METRIC = st.sampled_from(LAWFUL)
ROPE = st.floats(0.0, 0.3)

ONE_TEST_SET = bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))


def bayes_test(a, b, metric="f1", **options):
    return bf.compare(bf.from_counts(A=a, B=b), metrics=metric, **options)[metric]


@given(a=TABLE, b=TABLE, metric=METRIC, ropes=st.tuples(ROPE, ROPE))
@settings(max_examples=60, deadline=None)
def test_three_probabilities_add_up_to_one_and_a_wider_rope_leaves_less_outside(a, b, metric, ropes):
    res, wide = (bayes_test(a, b, metric, rope=rope) for rope in sorted(ropes))
    assert wide.p_less <= res.p_less + 1e-12
    assert wide.p_greater <= res.p_greater + 1e-12
    itself = bayes_test(a, a, metric)
    assert itself.p_h1 == pytest.approx(0.5, abs=1e-13)
    assert itself.difference.mean() == 0.0
    assert res.p_less + res.p_rope + res.p_greater == pytest.approx(1.0, abs=1e-12)
    assert res.p_h0 + res.p_h1 == pytest.approx(1.0, abs=1e-12)
    assert min(res.p_less, res.p_rope, res.p_greater) >= 0.0
    assert res.p_less <= res.p_h0 + 1e-12
    assert res.p_greater <= res.p_h1 + 1e-12


@given(a=TABLE, b=TABLE, more=st.integers(1, 50))
@settings(max_examples=40, deadline=None)
def test_more_hits_make_a_model_better_and_more_errors_make_it_worse(a, b, more):
    base = bayes_test(a, b).p_h1
    assert bayes_test(a, b, "jaccard").p_h1 == pytest.approx(base, abs=1e-12)
    hits, false, missed = (tuple(x + more * (i == j) for i, x in enumerate(b)) for j in range(3))
    assert bayes_test(a, hits).p_h1 >= base - 1e-12
    assert bayes_test(a, false).p_h1 <= base + 1e-12
    assert bayes_test(a, missed).p_h1 <= base + 1e-12


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
    """P(F1_B > F1_A) by plain draws of the eight joint cells of the one test set, with a prior where they differ."""
    (tp_a, fp_a, fn_a, tn_a), (tp_b, fp_b, _, _) = ONE_TEST_SET.tables
    positives = [both, tp_a - both, tp_b - both, fn_a - tp_b + both]
    negatives = [claimed_both, fp_a - claimed_both, fp_b - claimed_both, tn_a - fp_b + claimed_both]
    tables = joint_draws(positives + negatives, 0.5, n, np.random.default_rng(3))
    f_a, f_b = resolve_metric("f1", ONE_TEST_SET)(tables, ONE_TEST_SET.cells).T
    return float(np.mean(f_b > f_a))


@pytest.mark.long
def test_pairing_bounds_hold_for_every_pairing():
    res = bf.compare(ONE_TEST_SET, metrics="f1", prior=1)["f1"]
    low, high = bounds = bf.pairing_bounds(ONE_TEST_SET)
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


def assert_swapped(res, back):
    for c, d in zip(res.values(), back.values(), strict=True):
        assert c.p_h1 == pytest.approx(d.p_h0, abs=1e-12), c.metric
        assert c.p_greater == pytest.approx(d.p_less, abs=1e-12), c.metric
        assert c.p_rope == pytest.approx(d.p_rope, abs=1e-12), c.metric
        assert (c.rope.low, c.rope.high) == (-d.rope.high, -d.rope.low)
        assert (c.score_a, c.score_b) == pytest.approx((d.score_b, d.score_a), abs=1e-12)
        low, high = c.difference.interval(c.prob)
        other = d.difference.interval(d.prob)
        assert (-high, -low) == pytest.approx(other, abs=1e-12), c.metric
        assert ("outperforms" in str(c)) == ("outperforms" in str(d))


# A joint table of which the verdict once hung on the order of the models.
NEAR = (300, 20, 37, 35, 80, 13, 14, 1040)


@settings(max_examples=10)
@example(cells=NEAR, rope=(-0.01, 0.01), seed=3)
@given(
    cells=st.lists(st.integers(0, 30), min_size=8, max_size=8).filter(lambda cells: sum(cells[:7])),
    rope=st.sampled_from([(0.0, 0.0), (-0.005, 0.02)]),
    seed=st.integers(0, 2**32),
)
def test_swapping_the_models_swaps_every_word_and_number(cells, rope, seed):
    ev, mirrored = joint_evaluation(cells), (-rope[1], -rope[0])
    rng = np.random.default_rng(seed)
    loss = bf.from_scores(
        {"A": rng.random(80), "B": rng.random(80) - 0.02}, name="loss", lower_is_better=True
    )
    for data, how in (
        (ev, {"metrics": ["accuracy", "mcc"]}),
        (ev, {"assumption": "independent", "metrics": "accuracy"}),
        (ev, {"method": "montecarlo", "metrics": "accuracy"}),
        (loss, {}),
    ):
        assert_swapped(
            bf.compare(data, "A", "B", rope=rope, n_draws=2000, rng=seed, **how),
            bf.compare(data, "B", "A", rope=mirrored, n_draws=2000, rng=seed, **how),
        )


def test_what_is_drawn_of_a_metric_does_not_depend_on_the_others():
    ev = joint_evaluation(NEAR)
    alone = bf.compare(ev, metrics="f1", rng=1, n_draws=5000)["f1"]
    beside = bf.compare(ev, metrics=["mcc", "f1", "recall"], rng=1, n_draws=5000)["f1"]
    assert np.array_equal(alone.difference.draws, beside.difference.draws)
    assert (alone.p_h1, alone.mcse) == (beside.p_h1, beside.mcse)


def test_the_methods_sentence_has_the_largest_error_of_all_metrics():
    # One recall is surely higher; precisions are as good as equal.
    res = bf.compare(joint_evaluation([60, 5, 30, 5, 10, 10, 13, 300]), n_draws=10_000, rng=1)
    errors = {c.metric: c.mcse for c in res.values()}
    assert errors["precision"] > 4 * errors["recall"]
    assert f"standard error up to {errors['precision']:.1g}" in res.methods_sentence()


def test_the_table_has_the_probability_of_each_hypothesis_in_its_column():
    c = bf.compare(bf.from_counts(A=(77, 44, 10), B=(83, 9, 14)), metrics="recall")
    row = dict(zip(c.table.header, c.table.rows[0], strict=True))
    printed = [float(row[column]) for column in ("P(H0)", "P(H1)")]
    assert printed == pytest.approx([c["recall"].p_h0, c["recall"].p_h1], abs=0.00051)
    assert printed[0] > 0.7


def test_a_lower_loss_is_better():
    rng = np.random.default_rng(0)
    worse = rng.random(80)
    ev = bf.from_scores({"A": worse, "B": worse - 0.05 - 0.1 * rng.random(80)})
    from dataclasses import replace

    mean = replace(resolve_metric("mean", ev), lower_is_better=True)
    c = bf.compare(ev, metrics=[mean], rope=0.01, rng=1)["mean"]
    assert c.p_h1 > 0.99
    assert c.p_greater > 0.99
    assert c.verdict == "B better"
    assert "B outperforms A" in str(c)
    assert "lower is better" in str(c)
    assert c.difference.mean() < 0
    ranking = bf.rank(ev, mean, rng=1)
    assert ranking.models == ("B", "A")
    assert float(ranking.p_first[0]) > 0.99
    totals = bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))
    f1 = replace(resolve_metric("f1", totals), lower_is_better=True)
    higher, lower = (
        bf.compare(totals, metrics="f1", rope=0.02)["f1"],
        bf.compare(totals, metrics=[f1], rope=0.02)["f1"],
    )
    assert (lower.p_h1, lower.p_less) == pytest.approx((higher.p_h0, higher.p_greater))
    joint = joint_evaluation(NEAR)
    higher, lower = (bf.compare(joint, metrics=[m], rope=0.01, rng=1)["f1"] for m in ("f1", f1))
    assert (lower.p_h1, lower.p_less) == pytest.approx((higher.p_h0, higher.p_greater))


@pytest.mark.parametrize("counts", [(79, 25, 8), (80, 30, 7), (84, 20, 5), (70, 60, 17), (83, 9, 14)])
def test_a_model_outperforms_another_just_where_the_interval_excludes_zero(counts):
    res = bf.compare(bf.from_counts(A=(77, 44, 10), B=counts))
    low, high = res["f1"].difference.interval(0.95)
    assert ("outperforms" in res.sentence()) == (low > 0 or high < 0)


@pytest.mark.parametrize(
    ("metric", "other", "ev"),
    [
        ("precision", "recall", bf.from_counts(A=(0, 0, 12), B=(9, 2, 3))),
        ("recall", "precision", bf.from_counts(A=(0, 5, 0), B=(0, 2, 0))),
    ],
)
def test_a_score_that_does_not_exist_is_undefined_and_nothing_is_believed_of_it(metric, other, ev):
    res = bf.compare(ev)
    assert res[metric].verdict == "undefined"
    c = res[metric]
    assert (c.winner, c.decision) == (None, "none")
    believed = (c.p_h0, c.p_h1, c.p_less, c.p_greater, c.p_not_worse, *c.difference.interval())
    assert np.isnan([*believed, *c.posterior_a.interval(), c.difference.sf(0.0), c.difference.rvs()]).all()
    assert f"{metric} of A" in res.sentence(metric)
    assert res[other].verdict != "undefined"
    assert res.to_frame().loc[metric, ["score_a", "low_a", "p_h1"]].isna().all()
    ranked = bf.rank(ev, metric)
    for answer in (res, ranked, bf.scoreboard(ev)):
        assert "nothing to divide by" in answer.to_text()
        assert "undefined" in answer.to_text()
        assert "undefined" in answer.to_latex()
        json.loads(answer.to_json())
    assert ranked.to_frame().loc["A", ["score", "mean", "low", "high", "p_first"]].isna().all()
    assert not ranked.jointly.any()
    assert bf.interval_table(ev).isna().all(axis=1)["A", metric]
    assert math.isnan(bf.score(ev, "A", metric))
    assert bf.summary(ev).isna().all(axis=1)["A", metric]
    for refused in (
        lambda: bf.posterior(ev, "A", metric),
        lambda: bf.intervals(ev, "A", metric),
        lambda: bf.difference_intervals(ev, metric=metric),
        lambda: bf.hierarchical({"wnut": ev, "conll": bf.from_counts(A=(8, 3, 2), B=(9, 2, 3))}),
    ):
        with pytest.raises(ValueError, match=rf"{metric} of 'A' is undefined"):
            refused()
    for figure in (
        bf.plot_difference(res),
        bf.plot_posterior(ev),
        bf.plot_classes(res),
        bf.plot_rank(ranked),
    ):
        plt.close(np.ravel(figure)[0].get_figure())


def test_a_method_has_no_precision_if_one_of_its_folds_has_none():
    folds = {"A": [(0, 0, 5, 5)] + [(1, 0, 4, 5)] * 5, "B": [(3, 1, 2, 4), (2, 1, 3, 4)] * 3}
    ev = bf.from_folds(folds, cv=bf.BlockedCV(3))
    res = bf.compare(ev, target="method")
    assert [c.verdict == "undefined" for c in res.values()] == [True, False, False]
    assert "undefined" not in bf.compare(ev).to_text()


def test_models_that_did_the_same_are_not_told_apart():
    gold = [["B-PER", "O"], ["O", "B-LOC"]] * 20
    said = [["B-PER", "O"], ["O", "O"]] * 20
    text = bf.compare(bf.from_tags(gold, {"A": said, "B": said}), rng=0).sentence()
    assert "cannot tell them apart" in text


def test_margins_of_independent_recalls_are_those_of_two_beta_laws():
    c = bf.compare(ONE_TEST_SET, metrics="recall", rope=(-0.005, 0.02), prior=1)["recall"]
    a, b = stats.beta(78, 11), stats.beta(81, 8)
    for margin, found in ((-0.005, c.p_not_worse), (0.02, c.p_greater), (0.03, c.difference.sf(0.03))):
        exact, _ = integrate.quad(lambda t, d=margin: a.pdf(t) * b.sf(t + d), 0.0, 1.0, epsabs=1e-13)
        assert found == pytest.approx(exact, abs=1e-9)
    assert c.p_rope == pytest.approx(1.0 - c.p_less - c.p_greater, abs=1e-15)


@pytest.mark.parametrize(
    "bad", [(0.01, 0.02), (-0.1,), (-0.1, -0.05), (-2.0, 0.1), ("a", 0.1), (-0.1, np.nan)]
)
def test_a_pair_without_0_in_it_is_no_region(bad):
    with pytest.raises(ValueError, match="rope as a pair is how much better B may be than A"):
        check_rope(bad, bf.compare(ONE_TEST_SET)["f1"].definition)


def test_a_perfect_score_lies_in_its_interval_and_leaves_the_posterior_alone():
    yes_no = [1] * 14 + [0] * 40
    ev = bf.from_labels(yes_no, {"perfect": yes_no, "other": [1] * 10 + [0] * 44}, positive=1)
    found = bf.compare(ev, "perfect", "other", metrics=["f1", "precision"], rng=1)
    for c in found.values():
        (low, high), described = c.intervals[0], c.to_dict()["a"]
        assert low < c.score_a == high == described["high"] == 1
        assert c.posterior_a.interval(c.prob)[1] < 1
    ranking = bf.rank(ev, rng=1)
    assert ranking.high[0] == ranking.score[0] == 1


def test_tables_of_different_gold_are_not_taken_for_one_test_set():
    res = bf.compare(bf.from_counts(A=(10, 1, 5, 100), B=(8, 2, 3, 5)))
    assert any("15 gold" in note and "11" in note for note in res.notes)
    assert not res["f1"].pairing_unknown


def test_what_is_undefined_has_no_curve_over_margins():
    with pytest.raises(ValueError, match="undefined"):
        bf.compare(bf.from_counts(A=(0, 0, 10, 90), B=(8, 2, 2, 88)))["precision"].rope_curve()


def test_independence_that_was_asked_for_is_said_to_be_asked_for():
    ev = bf.from_labels([1, 0] * 20, {"A": [1, 0] * 20, "B": [1, 1] * 20}, positive=1)
    notes = bf.compare(ev, assumption="independent").notes
    assert any("as asked" in note for note in notes)
    assert not any("Only totals" in note for note in notes)
