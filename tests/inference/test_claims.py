"""What is claimed: one probability, alike whichever model comes first, and limits said wherever the claim is."""

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.output.table import probability
from builders import joint_evaluation


def assert_swapped(res, back):
    for c, d in zip(res.values(), back.values(), strict=True):
        assert c.p_h1 == pytest.approx(d.p_h0, abs=1e-12), c.metric
        assert c.p_greater == pytest.approx(d.p_less, abs=1e-12), c.metric
        assert c.p_rope == pytest.approx(d.p_rope, abs=1e-12), c.metric
        assert (c.score_a, c.score_b) == (d.score_b, d.score_a)
        low, high = c.difference.interval(c.prob)
        other = d.difference.interval(d.prob)
        assert (-high, -low) == pytest.approx(other, abs=1e-12), c.metric
        assert c.verdict == d.verdict
        assert is_claim(c) == is_claim(d)


def is_claim(c):
    return "outperforms" in str(c)


# A joint table of which the verdict once hung on the order of the models.
NEAR = (300, 20, 37, 35, 80, 13, 14, 1040)


@pytest.mark.parametrize("rng", [0, 1, 2, 3, 4])
def test_swapping_the_models_swaps_every_word_and_number(rng):
    ev = joint_evaluation(NEAR)
    metrics = ["precision", "recall", "f1", "accuracy", "mcc"]
    assert_swapped(
        bf.compare(ev, "A", "B", metrics=metrics, rope=0.01, n_draws=5000, rng=rng),
        bf.compare(ev, "B", "A", metrics=metrics, rope=0.01, n_draws=5000, rng=rng),
    )


@settings(max_examples=10)
@given(
    cells=st.lists(st.integers(0, 30), min_size=8, max_size=8),
    rope=st.sampled_from([0.0, 0.02]),
    seed=st.integers(0, 2**32),
)
def test_swapping_any_models(cells, rope, seed):
    if not any(cells):
        return
    ev = joint_evaluation(cells)
    assert_swapped(
        bf.compare(ev, "A", "B", metrics=["f1", "mcc"], rope=rope, n_draws=2000, rng=seed),
        bf.compare(ev, "B", "A", metrics=["f1", "mcc"], rope=rope, n_draws=2000, rng=seed),
    )


@pytest.mark.parametrize("counts", [((77, 44, 10), (83, 9, 14)), ((5, 0, 2), (5, 1, 2))])
def test_swapping_totals(counts):
    ev = bf.from_counts(A=counts[0], B=counts[1])
    assert_swapped(bf.compare(ev, "A", "B", rope=0.01), bf.compare(ev, "B", "A", rope=0.01))


def test_sentence_and_table_give_one_probability():
    for seed in range(5):
        res = bf.compare(joint_evaluation(NEAR), "B", "A", rng=seed)
        for c in res.values():
            said = probability(max(c.p_h0, c.p_h1), below=c.threshold)
            assert said.removeprefix("0") in str(c)
            assert said in str(res)


def test_the_threshold_is_one_and_is_named():
    ev = joint_evaluation(NEAR)
    res = bf.compare(ev, rng=1)
    assert res["f1"].threshold == 0.975
    assert "0.975" in res.details()
    assert "0.975" in res.methods_sentence()
    assert json.loads(res.to_json())["threshold"] == 0.975
    assert bf.rank(ev, rng=1).threshold == 0.975


def test_the_verdict_is_what_may_be_claimed():
    strong = bf.compare(bf.from_counts(A=(77, 44, 10), B=(83, 9, 14)))
    assert strong["f1"].verdict == "B better"
    assert strong["f1"].decision == "accept H1"
    undecided = bf.compare(bf.from_counts(A=(77, 44, 10), B=(78, 44, 10)))
    assert undecided["f1"].verdict == "undecided"
    assert undecided["f1"].decision == "accept H1"
    alike = bf.compare(bf.from_counts(A=(7700, 440, 100), B=(7701, 440, 99)), rope=0.02)
    assert alike["f1"].verdict == "equivalent"
    for res in (strong, undecided, alike):
        assert [row[-1] for row in res.table.rows] == [c.verdict for c in res.values()]
        assert res.to_dict()["comparisons"][-1]["verdict"] == res["f1"].verdict
        assert res.to_dict()["comparisons"][-1]["decision"] == res["f1"].decision


def test_plain_scores_stand_in_every_comparison():
    res = bf.compare(bf.from_counts(A=(77, 44, 10), B=(83, 9, 14)), metrics="f1")
    score_a, score_b = 2 * 77 / (2 * 77 + 54), 2 * 83 / (2 * 83 + 23)
    assert (res["f1"].score_a, res["f1"].score_b) == pytest.approx((score_a, score_b))
    for text in (str(res), res.to_latex(), res.to_markdown()):
        assert f"{100 * score_a:.1f}" in text
        assert f"{100 * score_b:.1f}" in text
        assert f"+{100 * (score_b - score_a):.1f}" in text
    found = json.loads(res.to_json())["comparisons"][0]
    assert found["a"]["score"] == pytest.approx(score_a)
    assert found["difference"]["score"] == pytest.approx(score_b - score_a)


def test_each_measure_has_its_own_method():
    ev = bf.from_counts(A=(77, 44, 10, 702), B=(83, 9, 14, 702))
    res = bf.compare(ev, metrics=["accuracy", "f1", "mcc"], rng=1)
    assert [c.method for c in res.values()] == ["exact", "exact", "montecarlo"]
    methods = res.methods_sentence()
    assert "probabilities of Accuracy and F1 were computed by numerical quadrature" in methods
    assert "probabilities of MCC rest on" in methods


def test_what_is_drawn_of_a_metric_does_not_depend_on_the_others():
    ev = joint_evaluation(NEAR)
    alone = bf.compare(ev, metrics="f1", rng=1, n_draws=5000)["f1"]
    beside = bf.compare(ev, metrics=["mcc", "f1", "recall"], rng=1, n_draws=5000)["f1"]
    assert np.array_equal(alone.difference.draws, beside.difference.draws)
    assert (alone.p_h1, alone.mcse) == (beside.p_h1, beside.mcse)


@pytest.mark.parametrize("metric", ["f1", "recall", "precision", "mcc"])
def test_the_control_variate_changes_the_error_and_not_the_answer(metric):
    ev = joint_evaluation(NEAR)
    plain = bf.compare(ev, metrics=metric, method="montecarlo", rope=0.01, n_draws=200_000, rng=1)[metric]
    controlled = bf.compare(ev, metrics=metric, rope=0.01, n_draws=20_000, rng=2)[metric]
    # Plain draws as few would have a standard error √10 times as large.
    assert controlled.mcse < 0.5 * np.sqrt(10) * plain.mcse
    for name in ("p_h1", "p_less", "p_greater"):
        assert getattr(controlled, name) == pytest.approx(
            getattr(plain, name), abs=4 * np.hypot(plain.mcse, controlled.mcse) + 1e-4
        )


def test_draws_are_enough_for_what_is_printed():
    res = bf.compare(joint_evaluation(NEAR), metrics=["f1", "recall", "accuracy"], rng=1)
    assert all(0.0 < c.mcse <= 5e-4 for c in res.values())


def test_scores_cite_the_bayesian_bootstrap():
    rng = np.random.default_rng(0)
    ev = bf.from_scores({"A": rng.random(60), "B": rng.random(60)}, name="NDCG")
    for said in (bf.compare(ev, rng=1).methods_sentence(), bf.rank(ev, rng=1).methods_sentence()):
        assert "Rubin" in said
        assert "Wang" not in said
    assert "Wang and Li" in bf.compare(joint_evaluation(NEAR), rng=1).methods_sentence()


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
    assert float(ranking.p_best[0]) > 0.99
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


@pytest.mark.filterwarnings("ignore:there are only:UserWarning")
def test_a_difference_that_no_unit_contradicts_is_said_to_be_surer_than_the_data():
    a = np.array([0.5, 0.4, 0.3, 0.2])
    same = bf.compare(bf.from_scores({"A": a, "B": a + 0.25}, name="chrF"))
    for text in (str(same), same.to_latex(), same.to_json()):
        assert "The difference is the same on all 4" in " ".join(text.split())
    assert "+25.00 [+25.00, +25.00]" in str(same)
    assert "the intervals are wider" not in str(same)
    for other in (a + np.array([0.25, 0.25, 0.25, 0.2]), a):
        assert "The difference is the same" not in str(bf.compare(bf.from_scores({"A": a, "B": other})))
