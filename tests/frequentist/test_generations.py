"""Plans, tests, looks and intervals of items that were answered several times, beside plain calculations on item means."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesf1 as bf

# The differences of two models' items, and of the generations of one item, in standard deviations.
BETWEEN = 0.1
WITHIN = 0.15


def answers(n, least, most, *, gap=0.0, seed=0):
    """Scores of two models, a row for each model, item and generation."""
    rng = np.random.default_rng(seed)
    item = np.stack([np.full(n, 0.5), 0.5 + gap + BETWEEN * rng.standard_normal(n)])
    n_answers = rng.integers(least, most + 1, (2, n))
    model, question = np.divmod(np.repeat(np.arange(2 * n), n_answers.ravel()), n)
    score = item[model, question] + WITHIN * rng.standard_normal(len(model))
    frame = pd.DataFrame({"model": np.array(["A", "B"])[model], "question_id": question, "score": score})
    return frame.assign(epoch=frame.groupby(["model", "question_id"]).cumcount())


def marks(n, least, most, seed=0):
    """Right and wrong answers, and labels, of two models."""
    frame = answers(n, least, most, seed=seed)
    right = (frame.score > 0.45).astype(int)
    gold = (frame.question_id % 3 == 0).astype(int)
    return frame.assign(correct=right, gold=gold, prediction=np.where(right == 1, gold, 1 - gold))


def item_means(frame, value="score"):
    return frame.groupby(["model", "question_id"])[value].mean().unstack("model")


def items_for(difference, k):
    """How many items show a difference with a power of .8, by the normal distribution, and k generations of each."""
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    return z**2 * (BETWEEN**2 + 2 * WITHIN**2 / k) / difference**2


@pytest.fixture(scope="module")
def pilot():
    return bf.from_frame(answers(2000, 3, 3, seed=1), score="score")


def test_a_plan_is_that_of_item_means_and_of_more_generations(pilot):
    plan = bf.plan_comparison(pilot, difference=0.03, n_sets=4000, rng=1)
    assert plan.n_units == pytest.approx(items_for(0.03, 3), rel=0.08)
    assert f"{plan.n_units:,} questions (3 generations each)" in plan.sentence
    doubled = plan.n_units * (1 - plan.generation_share / 2)
    assert doubled == pytest.approx(items_for(0.03, 6), rel=0.1)
    assert "with twice as many of each, about" in plan.assumptions
    assert [*plan.to_dict()["generations"]] == [3, 3]


def test_so_many_items_and_generations_have_the_power_that_was_planned(pilot):
    n = bf.plan_comparison(pilot, difference=0.03, n_sets=4000, rng=1).n_units
    found = 0
    for seed in range(300):
        means = item_means(answers(n, 3, 3, gap=0.03, seed=1000 + seed))
        found += stats.ttest_rel(means.B, means.A).pvalue < 0.05
    # Four standard errors of 300 experiments are .09.
    assert found / 300 == pytest.approx(0.8, abs=0.1)


def test_the_resolution_is_that_of_item_means():
    ev = bf.from_frame(answers(400, 1, 4, seed=2), score="score")
    found = bf.resolution(ev, n_sets=4000, rng=1)
    of_answers = np.mean(1 / np.arange(1, 5))
    expected = np.sqrt(items_for(1.0, 1 / of_answers) / 400)
    assert found.difference == pytest.approx(expected, rel=0.12)
    assert "400 questions (1 to 4 generations each)" in found.sentence
    assert "the difference would be about" in found.assumptions


def test_a_plan_for_an_interval_says_generations(pilot):
    size = bf.plan(0.02, pilot=pilot, model="B")
    expected = 1.96**2 * (BETWEEN**2 + WITHIN**2 / 3) / 0.02**2
    assert size.n_units == pytest.approx(expected, rel=0.1)
    assert "questions (3 generations each)" in size.sentence


@pytest.mark.parametrize(("least", "most"), [(3, 3), (1, 5)])
def test_a_randomisation_test_swaps_the_means_of_items(least, most):
    frame = marks(60, least, most, seed=3)
    found = bf.randomization_test(bf.from_frame(frame, correct="correct"), n_trials=4000, rng=1)
    means = item_means(frame, "correct")
    d = (means.B - means.A).to_numpy()
    expected = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=4000, rng=1)
    assert found.p_value == pytest.approx(expected.pvalue, abs=0.04)


@pytest.mark.parametrize(("least", "most"), [(3, 3), (1, 5)])
def test_looks_at_right_and_wrong_generations_are_those_at_scores_of_items(least, most):
    frame = marks(150, least, most, seed=4)
    look = bf.monitor(bf.from_frame(frame, correct="correct"))
    means = item_means(frame, "correct")
    of_scores = bf.monitor(bf.from_scores({m: means[m] for m in "AB"}))
    assert (look.low, look.high) == pytest.approx((of_scores.low, of_scores.high), abs=1e-6)
    assert look.n_units == 150


def test_an_item_of_labels_is_one_item_however_often_it_was_answered():
    frame = marks(150, 3, 3, seed=4)
    ev = bf.from_frame(frame, gold="gold", positive=1)
    look = bf.monitor(ev)
    means = item_means(frame.assign(tp=frame.gold * frame.prediction, said=frame.prediction), "tp")
    assert look.n_units == 150
    assert look.low < look.score_b - look.score_a < look.high
    assert means.B.sum() == pytest.approx(ev.tables[1, 0])
    grouped = bf.from_frame(frame.assign(doc=frame.question_id % 50), gold="gold", positive=1, group="doc")
    with pytest.raises(ValueError, match="give largest="):
        bf.monitor(grouped)


@pytest.mark.parametrize(("least", "most"), [(3, 3), (1, 5)])
def test_intervals_of_generations_are_over_items(least, most):
    frame = marks(200, least, most, seed=5)
    ev = bf.from_frame(frame, correct="correct")
    found = bf.intervals(ev, "A", n_resamples=500, rng=1)
    assert not {"clopper_pearson", "wald", "wilson"} & {*found}
    means = item_means(frame, "correct")
    expected = stats.ttest_1samp(means.A, 0.0).confidence_interval()
    low, high = found["delta"]
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.002)
    with pytest.raises(
        ValueError, match=r"'wilson' takes each question as answered once.*ask for one of delta"
    ):
        bf.intervals(ev, "A", methods=["wilson"])
    of_labels = bf.from_frame(frame, gold="gold", positive=1)
    assert not {"clopper_pearson", "wilson_direct", "wilson_indirect"} & {
        *bf.intervals(of_labels, "A", n_resamples=200)
    }
    with pytest.raises(ValueError, match="as answered once"):
        bf.interval_table(of_labels, method="wald")


# ---- these very items -------------------------------------------------------------------------------------


def fixed_items(n, least, most, seed):
    """Truths of two models on fixed items, and a function that draws their generations."""
    rng = np.random.default_rng(seed)
    probability = rng.beta(1.0, 1.0, (2, n))
    n_answers = rng.integers(least, most + 1, (2, n))
    model, question = np.divmod(np.repeat(np.arange(2 * n), n_answers.ravel()), n)
    gold = (np.arange(n) % 3 == 0).astype(int)

    def draw(seed):
        right = (np.random.default_rng(seed).random(len(model)) < probability[model, question]).astype(int)
        frame = pd.DataFrame(
            {"model": np.array(["A", "B"])[model], "question_id": question, "correct": right}
        )
        labels = np.where(right == 1, gold[question], 1 - gold[question])
        return frame.assign(
            epoch=frame.groupby(["model", "question_id"]).cumcount(), gold=gold[question], prediction=labels
        )

    found = (probability * gold).sum(axis=1)
    f1 = 2 * found / (gold.sum() + found + ((1 - probability) * (1 - gold)).sum(axis=1))
    return probability.mean(axis=1), f1, draw


@pytest.mark.parametrize(("least", "most"), [(3, 3), (2, 6)])
def test_intervals_on_these_items_hold_the_truth_of_these_items(least, most):
    accuracy, f1, draw = fixed_items(60, least, most, seed=1)
    held = np.zeros(2)
    lengths = []
    for seed in range(150):
        frame = draw(seed)
        of_answers = bf.from_frame(frame, correct="correct")
        of_labels = bf.from_frame(frame, gold="gold", positive=1)
        for i, (ev, truth) in enumerate(((of_answers, accuracy), (of_labels, f1))):
            c = bf.compare(ev, metrics=ev.task.main_metric, assumption="fixed", n_draws=2000, rng=1).headline
            low, high = c.intervals[2]
            held[i] += low <= truth[1] - truth[0] <= high
            lengths.append(high - low)
    # Four standard errors of a coverage of .95 over 150 replicates are .07.
    assert (held / 150 > 0.88).all()
    low, high = bf.compare(of_answers, rng=1).headline.intervals[2]
    assert np.mean(lengths[::2]) < 0.9 * (high - low)


def test_the_answer_on_these_items_is_the_t_of_millers_part_of_generations():
    _, _, draw = fixed_items(40, 2, 5, seed=2)
    frame = draw(3)
    ev = bf.from_frame(frame, correct="correct")
    res = bf.compare(ev, assumption="fixed", n_draws=100_000, rng=1)
    c = res.headline
    by_item = frame.groupby(["model", "question_id"]).correct.agg(["mean", "count", "var"])
    variance = (by_item["var"] / by_item["count"]).sum() / 40**2
    freedom = (by_item["count"] - 1).sum()
    t = (c.estimates.difference.value) / np.sqrt(variance)
    assert c.p_h1 == pytest.approx(stats.t.cdf(t, freedom), abs=0.006)
    low, high = c.intervals[2]
    assert high - low == pytest.approx(2 * stats.t.ppf(0.975, freedom) * np.sqrt(variance), rel=0.02)
    assert "on these questions" in res.sentence()
    assert "sampling:fixed" in res.signature()
    assert f"t distribution with {freedom:,} degrees of freedom" in res.methods_sentence()
    assert c.generations is None
    of_a = bf.posterior(ev, "A", assumption="fixed", rng=1).interval(0.95)
    of_a_alone = by_item.loc["A"]
    error = np.sqrt((of_a_alone["var"] / of_a_alone["count"]).sum()) / 40
    freedom_of_a = (of_a_alone["count"] - 1).sum()
    assert of_a[1] - of_a[0] == pytest.approx(2 * stats.t.ppf(0.975, freedom_of_a) * error, rel=0.03)
    assert {*bf.intervals(ev, "A", assumption="fixed")} == {"credible_equal_tailed", "credible_hdi"}
    assert bf.rank(ev, assumption="fixed", rng=1).title.startswith("2 models ranked")


def test_without_generations_these_items_are_all_there_is():
    with pytest.raises(ValueError, match="'fixed' takes generations of the same items as the sample"):
        bf.compare(bf.from_correct({"A": [1, 0, 1], "B": [1, 1, 1]}), assumption="fixed")
    ev = bf.from_frame(marks(20, 2, 2), correct="correct")
    with pytest.raises(ValueError, match="assumption='fixed' asks about these items"):
        bf.hierarchical({"x": ev, "y": ev}, assumption="fixed")


def test_items_that_are_counted_twice_have_the_share_of_variance_that_each_has_once():
    rng = np.random.default_rng(1)
    rows = [(m, i, g, int(rng.random() < 0.6)) for m in "AB" for i in range(50) for g in range(4)]
    ev = bf.from_frame(pd.DataFrame(rows, columns=["model", "id", "epoch", "ok"]), correct="ok")
    once, twice, added = (bf.compare(one, rng=1).headline for one in (ev, ev.scaled(2), ev + ev))
    share = [c.generations.share for c in (once, twice, added)]
    assert share[1] == pytest.approx(share[2])
    assert share[1] == pytest.approx(share[0], rel=0.01)
