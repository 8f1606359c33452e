"""What is claimed: one probability, alike whichever model comes first, and limits said wherever the claim is."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
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
