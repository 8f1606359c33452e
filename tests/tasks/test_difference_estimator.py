"""Intervals where gold labels are missing: the difference estimator, and verbs that would take guesses for gold."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling import sampling_model
from bayesf1.tasks.judged import difference_estimate
from builders import flipped as noisy, judged_items as items


def test_the_difference_estimator_is_that_of_prediction_powered_inference():
    gold, known, said, judge = items(n=5000, labelled=400, seed=3)
    ev = bf.from_labels(known, said, judge=judge, positive=1).select(["A"])
    some = np.array([label is not None for label in known])
    calibrated = np.array([gold[some & (judge == j)].mean() for j in (0, 1)])[judge]
    y, f = (said["A"] == gold).astype(float), np.where(said["A"] == 1, calibrated, 1 - calibrated)
    # Angelopoulos, Duchi & Zrnic (2023), PPI++: the mean of y with predictions f, power-tuned for both samples.
    n, rest = some.sum(), (~some).sum()
    tuned = np.cov(y[some], f[some], ddof=0)[0, 1] / n / (f[some].var() / n + f[~some].var() / rest)
    estimate = y[some].mean() + tuned * (f[~some].mean() - f[some].mean())
    error = np.sqrt((y - tuned * f)[some].var() / n + tuned**2 * f[~some].var() / rest)
    found = difference_estimate(sampling_model(ev), resolve_metric("accuracy", ev))
    # Slopes are numerical.
    assert found.value == pytest.approx(estimate, abs=1e-6)
    assert found.standard_error == pytest.approx(error, rel=1e-5)


def test_the_difference_estimator_covers_f1_and_its_difference():
    inside, errors, n = [], [], 60
    for seed in range(n):
        _, known, said, judge = items(n=4000, labelled=400, seed=seed)
        ev = bf.from_labels(known, said, judge=judge, positive=1)
        found = difference_estimate(sampling_model(ev), resolve_metric("f1", ev))
        a, b = (2 * 0.3 * (1 - e) / (2 * 0.3 * (1 - e) + 0.7 * e + 0.3 * e) for e in (0.15, 0.1))
        inside.append(abs(found.value - (b - a)) < 1.96 * found.standard_error)
        errors.append((found.value - (b - a)) / found.standard_error)
    assert np.mean(inside) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / n)
    assert abs(np.mean(errors)) < 4 / np.sqrt(n)


def test_intervals_of_gaps_are_the_difference_estimator_and_the_credible_ones():
    _, known, said, judge = items(n=4000, labelled=400)
    ev = bf.from_labels(known, said, judge=judge, positive=1)
    for found in (bf.intervals(ev, "A", rng=1), bf.difference_intervals(ev, rng=1)):
        assert set(found) == {"difference_estimator", "credible_equal_tailed", "credible_hdi"}
        row = found["difference_estimator"]
        assert row.length == pytest.approx(2 * 1.96 * row.standard_error, rel=0.05)
        assert "standard error" in found.to_text()
        assert found.to_dict()["intervals"][0]["standard_error"] == row.standard_error
        assert any("worth about" in note for note in found.notes)
    full = bf.from_labels(items(n=500)[0], items(n=500)[2], judge=items(n=500)[3], positive=1)
    assert "delta" in bf.intervals(full, "A", n_resamples=200, rng=1)


@pytest.mark.parametrize("k", [2, 3])
def test_the_difference_estimator_knows_documents(k):
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(300), 10)
    gold = np.repeat(rng.integers(0, k, 300), 10)
    hard = np.repeat(rng.random(300) < 0.3, 10)
    said = {
        m: np.where(hard & (rng.random(3000) < 0.8), (gold + 1) % k, noisy(gold, e, rng, k))
        for m, e in (("A", 0.1), ("B", 0.05))
    }
    known = np.where(groups % 3 == 0, gold.astype(object), None)
    how = {"judge": noisy(gold, 0.2, rng, k), **({"positive": 1} if k == 2 else {})}
    measure = "f1" if k == 2 else "macro_f1"
    single, clustered = (
        bf.from_labels(known, said, groups=which, **how).select(["A"]) for which in (None, groups)
    )
    narrow, wide = (
        difference_estimate(sampling_model(ev), resolve_metric(measure, ev)) for ev in (single, clustered)
    )
    assert wide.value == pytest.approx(narrow.value, abs=0.03)
    assert wide.standard_error > 1.5 * narrow.standard_error


@pytest.mark.parametrize(
    ("verb", "what"),
    [
        (lambda ev: bf.randomization_test(ev, "A", "B"), "a randomisation test"),
        (lambda ev: bf.plan_comparison(ev, difference=0.02), "a plan"),
        (lambda ev: bf.resolution(ev), "a plan"),
        (lambda ev: bf.monitor(ev), "monitoring"),
        (lambda ev: bf.plan(half_width=0.02, pilot=ev, model="A"), "a plan for an interval"),
    ],
)
def test_what_would_take_filled_in_labels_for_known_refuses(verb, what):
    _, known, said, judge = items(n=1000)
    with pytest.raises(
        ValueError, match=rf"^{what} takes gold labels of all items, but there are 1,000 items \(300"
    ):
        verb(bf.from_labels(known, said, judge=judge, positive=1))


@pytest.mark.parametrize("copied", [None, "A", "B"])
def test_a_judge_that_errs_as_one_model_does_is_told(copied):
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 2, 3000)
    said = {name: np.where(rng.random(3000) < 0.2, 1 - gold, gold) for name in "AB"}
    judge = np.where(rng.random(3000) < 0.1, 1 - gold, gold)
    if copied:
        judge = np.where(rng.random(3000) < 0.8, said[copied], judge)
    ev = bf.from_labels(np.where(np.arange(3000) < 150, gold, np.nan), said, judge=judge, positive=1)
    notes = " ".join(bf.compare(ev, metrics="f1", n_draws=500, rng=1).notes)
    assert [f"errs as {name} does" in notes for name in "AB"] == [copied == "A", copied == "B"]


def test_what_is_drawn_is_told_only_where_something_is_drawn():
    _, known, said, judge = items(n=1000)
    ev = bf.from_labels(known, said, judge=judge, positive=1)
    alone = bf.intervals(ev, "A", "accuracy", methods=["difference_estimator"])
    assert [*alone] == ["difference_estimator"]
    assert "agrees with gold" not in " ".join(alone.notes)
