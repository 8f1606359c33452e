"""Items of which some have no gold label, and one judge of all: draws, the difference estimator, and what is refused."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sklearn.metrics import f1_score
from sklearn.naive_bayes import CategoricalNB

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling.model import sampling_model
from bayesf1.tasks.judged.difference_estimator import difference_estimate
from bayesf1.tasks.judged.gold_shares import IndependentRaters
from bayesf1.tasks.judged.judge_errors import error_correlation
from bayesf1.tasks.judged.strata import Strata
from builders import drawn, drawn_scores, flipped as noisy, judged_items as items


def scores(ev, metric, n_draws=40_000, seed=1):
    return drawn_scores(ev, metric, prior=1.0, n_draws=n_draws, rng=seed)


def by_bayes(labelled, words):
    """Shares of two gold labels by what each voice says of labelled strata, axes (..., stratum, gold)."""
    odds = labelled.sum(axis=-2, keepdims=True) + 1
    for column in np.array(words).T.tolist():
        heard = {
            word: labelled[..., np.equal(column, word), :].sum(axis=-2) + 1 for word in sorted({*column})
        }
        odds = odds * np.stack([heard[word] / sum(heard.values()) for word in column], axis=-2)
    return odds / odds.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("groups", [None, np.arange(90) // 5])
def test_fully_labelled_data_are_the_paired_ones(k, groups):
    gold, _, said, judge = items(n=90, k=k)
    how = {"groups": groups, **({"positive": 1} if k == 2 else {})}
    assert bf.from_labels(gold, said, judge=judge, **how) == bf.from_labels(gold, said, **how)


@pytest.mark.long
def test_almost_fully_labelled_data_give_the_paired_answer():
    gold, known, said, judge = items(n=3000, labelled=2998)
    almost = bf.from_labels(known, said, positive=1, judge=judge)
    plain = bf.from_labels(gold, said, positive=1)
    found, expected = (bf.compare(ev, metrics="f1", n_draws=200_000, rng=1)["f1"] for ev in (almost, plain))
    for one, other in (
        (found.difference, expected.difference),
        (found.posterior_a, expected.posterior_a),
        (found.posterior_b, expected.posterior_b),
    ):
        np.testing.assert_allclose(one.interval(0.95), other.interval(0.95), atol=1e-3)
    assert found.p_h1 == pytest.approx(expected.p_h1, abs=1e-3 + 4 * found.mcse)


def test_plain_scores_are_those_of_labels_shared_out_cell_by_cell():
    _, known, said, judge = items(labelled=900)
    ev = bf.from_labels(known, said, judge=judge, positive=1)
    # Weights of each labelled item: how many of its cell it stands for.
    cell = judge * 4 + said["A"] * 2 + said["B"]
    labelled = np.array([value is not None for value in known])
    stands_for = np.bincount(cell) / np.bincount(cell[labelled])
    weights = stands_for[cell[labelled]]
    for model, predicted in said.items():
        expected = f1_score(known[labelled].astype(int), predicted[labelled], sample_weight=weights)
        # The prior has half an item of each cell, and half an item comes from its pool.
        assert bf.score(ev, model, "f1") == pytest.approx(expected, abs=0.01)


def test_intervals_cover_the_truth_where_a_judge_taken_as_gold_does_not():
    inside, naive, n = [], [], 30
    for seed in range(n):
        rng = np.random.default_rng(seed)
        gold, known, said, judge = items(n=3000, labelled=300, judge_error=0.0, seed=seed)
        # The judge takes a third of the positive items for negative.
        judge = np.where((gold == 1) & (rng.random(len(gold)) < 0.33), 0, gold)
        truth = 2 * 0.3 * 0.9 / (2 * 0.3 * 0.9 + 0.7 * 0.1 + 0.3 * 0.1)
        drawn = scores(bf.from_labels(known, said, judge=judge, positive=1), "f1", 2000)[:, 1]
        inside.append(np.quantile(drawn, 0.025) <= truth <= np.quantile(drawn, 0.975))
        low, high = bf.posterior(bf.from_labels(judge, said, positive=1), "B", "f1").interval(0.95)
        naive.append(low <= truth <= high)
    assert np.mean(inside) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / n)
    assert np.mean(naive) < 0.1


def test_a_judge_makes_intervals_shorter_and_a_bad_one_does_no_harm():
    _, known, said, judge = items(n=8000, judge_error=0.05)
    rng = np.random.default_rng(5)
    width = {}
    for name, word in {"good": judge, "noise": rng.integers(0, 2, 8000), "none": None}.items():
        ev = bf.from_labels(known, said, judge={} if word is None else {"judge": word}, positive=1)
        drawn = scores(ev, "f1")
        width[name] = np.ptp(np.quantile(drawn[:, 1] - drawn[:, 0], [0.025, 0.975]))
    assert width["good"] < 0.8 * width["none"]
    assert width["noise"] < 1.15 * width["none"]


@pytest.mark.long
def test_a_judge_that_is_always_wrong_tells_as_much_as_one_that_is_always_right():
    _, known, said, judge = items()
    straight, upside_down = (
        scores(bf.from_labels(known, said, judge=word, positive=1), "f1", 10_000)
        for word in (judge, 1 - judge)
    )
    np.testing.assert_allclose(straight.std(axis=0), upside_down.std(axis=0), rtol=0.05)
    note = bf.compare(bf.from_labels(known, said, judge=1 - judge, positive=1), rng=1).notes
    assert any("no better than chance" in sentence for sentence in note)


@pytest.mark.long
def test_an_audit_of_the_cells_where_models_disagree_is_as_good_as_any_other():
    gold, _, said, judge = items(n=20_000, seed=4)
    rng = np.random.default_rng(7)
    known = np.full(len(gold), None, dtype=object)
    odd = said["A"] != said["B"]
    for where, number in ((odd, 300), (~odd, 300)):
        chosen = rng.choice(np.flatnonzero(where), number, replace=False)
        known[chosen] = gold[chosen]
    drawn = scores(bf.from_labels(known, said, judge=judge, positive=1), "f1")
    truth = [f1_score(gold, said[m]) for m in "AB"]
    assert np.abs((drawn.mean(axis=0) - truth) / drawn.std(axis=0)).max() < 3


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "f1[2]"])
def test_several_classes_go_by_the_same_cells(metric):
    gold, known, said, judge = items(n=6000, labelled=600, k=3)
    ev = bf.from_labels(known, said, judge=judge)
    drawn = scores(ev, metric, 4000)
    full = bf.from_labels(gold, said)
    for i, model in enumerate("AB"):
        truth = bf.score(full, model, metric)
        assert abs(drawn[:, i].mean() - truth) < 3.5 * drawn[:, i].std()
        assert drawn[:, i].std() < 0.02


def test_documents_that_were_labelled_whole_make_intervals_wider():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(200), 20)
    hard = rng.random(200)[groups] < 0.3
    gold = rng.integers(0, 2, 4000)
    said = {m: np.where(rng.random(4000) < np.where(hard, 0.4, 0.05), 1 - gold, gold) for m in "AB"}
    judge = noisy(gold, 0.1, rng)
    known = np.where(groups < 40, gold.astype(object), None)
    clustered = bf.from_labels(known, said, judge=judge, positive=1, groups=groups)
    assert any("40 of 200 documents" in note for note in clustered.notes)
    wide, narrow = (
        drawn_scores(clustered, "f1", a, prior=1.0, n_draws=4000, rng=rng)[:, 0].std()
        for a in ("clustered", "paired")
    )
    assert wide > 1.2 * narrow


def test_voices_alone_are_those_of_naive_bayes():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 3, (40, 4))
    labelled = rng.integers(0, 5, (40, 2)).astype(float)
    # Laplace's rule for words is that of scikit-learn; each gold label has an item more as well.
    peer = CategoricalNB(alpha=1.0, class_prior=(labelled.sum(axis=0) + 1) / (labelled.sum() + 2))
    peer.fit(np.r_[words, words], np.repeat([0, 1], 40), sample_weight=labelled.T.ravel())
    said = [tuple(map(str, row)) for row in words]
    found = IndependentRaters.of(("no", "yes"), said).shares(labelled)
    np.testing.assert_allclose(found, peer.predict_proba(words), rtol=1e-12)


def test_voices_of_several_classes_are_right_or_wrong():
    said = [("a", "a"), ("a", "b"), ("b", "c")]
    labelled = np.array([[6.0, 1.0, 0.0], [2.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    # The first is right on 8 of 10 items and the second on 6; each outcome has an item more.
    right, wrong = np.array([9, 7]) / 12, np.array([3, 5]) / 12 / 2
    share = np.array([9.0, 2.0, 2.0])
    expected = share * [[right[0] * right[1], wrong[0] * wrong[1], wrong[0] * wrong[1]]]
    found = IndependentRaters.of(("a", "b", "c"), said).shares(labelled)
    np.testing.assert_allclose(found[0], expected[0] / expected.sum(), rtol=1e-12)
    expected = share * [wrong[0] * wrong[1], right[0] * wrong[1], wrong[0] * right[1]]
    np.testing.assert_allclose(found[2], expected / expected.sum(), rtol=1e-12)


def test_of_models_that_disagree_the_better_one_is_believed_where_no_item_is_labelled():
    said = tuple(product(("no", "yes"), repeat=3))
    strata = Strata(("no", "yes"), ("weak", "good", "other"), (), said)
    labelled = np.array(
        [[20.0, 0.0], [0.0, 0.0], [0.0, 0.0], [4.0, 9.0], [6.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 20.0]]
    )
    weak, good, other = (
        labelled[[row[i] == "yes" for row in said], 1].sum()
        - labelled[[row[i] == "yes" for row in said], 0].sum()
        for i in range(3)
    )
    assert weak < good == other
    yes = dict(zip(said, strata.pooled(labelled)[:, 1], strict=True))
    assert yes["no", "yes", "yes"] > yes["yes", "no", "yes"] == pytest.approx(yes["yes", "yes", "no"])
    assert yes["no", "yes", "no"] > yes["yes", "no", "no"]


@pytest.mark.parametrize(("hard", "low", "high"), [(0.0, -0.05, 0.05), (0.3, 0.1, 0.6)])
def test_errors_that_all_make_on_the_same_items_are_told_where_few_of_many_combinations_are_labelled(
    hard, low, high
):
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 2, 600)
    often = np.where(rng.random(600) < hard, 0.6, 0.2)
    *said, judge = (np.where(rng.random(600) < often, 1 - gold, gold) for _ in range(7))
    known = np.where(np.arange(600) < 100, gold, np.nan)
    ev = bf.from_labels(known, dict(zip("ABCDEF", said, strict=True)), judge=judge, positive=1)
    errors = np.array([*said, judge])[:, :100] != gold[:100]
    each = [np.corrcoef(errors[:, gold[:100] == g])[np.triu_indices(7, 1)].mean() for g in (0, 1)]
    found = error_correlation(ev.task.strata, ev.task.counts(ev.tables))
    assert low < found < high
    assert found == pytest.approx(np.mean(each), abs=0.03)
    told = any(
        "err on the same items" in note
        for note in ev.task.notes_on(sampling_model(ev), resolve_metric("f1", ev))
    )
    assert told == (hard > 0)


def test_few_labels_are_a_caution():
    _, known, said, judge = items(n=1000, labelled=12)
    res = bf.compare(
        bf.from_labels(known, said, judge=judge, positive=1), metrics=["f1"], n_draws=1000, rng=1
    )
    assert any("12 of them labelled" in note and "too few to show" in note for note in res.notes)


def few_labels():
    _, known, said, judge = items(n=2000, labelled=200, seed=3)
    return bf.from_labels(known, said, judge=judge, positive=1)


def many_raters(n=400, labelled=12):
    """So many cells that the prior of each is smaller than a hundredth."""
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, n)
    models = {name: noisy(gold, 0.2, rng) for name in "ABCDEFGHI"}
    known = np.where(np.arange(n) < labelled, gold, np.nan)
    return bf.from_labels(known, models, judge=noisy(gold, 0.2, rng), positive=1)


@pytest.mark.long
@pytest.mark.parametrize(("build", "weight"), [(few_labels, 0.25), (many_raters, 1 / 512)])
def test_draws_are_those_of_an_independent_simulation_of_the_model(build, weight):
    ev, n = build(), 4000
    strata, counts = ev.task.strata, ev.task.counts(ev.tables)
    assert strata.weight() == weight
    with np.errstate(divide="raise", invalid="raise"):
        tables = drawn(ev, prior=1.0, n_draws=n)
    found = resolve_metric("f1", ev)(tables, ev.cells)
    # By logarithms throughout, which know no smallest number: log Gamma(a) = log Gamma(a + 1) + log(U) / a.
    rng = np.random.default_rng(2)
    shape = (n, *counts[:, :-1].shape)
    prior = np.log(rng.standard_gamma(weight + 1.0, shape)) + np.log(rng.random(shape)) / weight
    with np.errstate(divide="ignore"):
        labelled = np.logaddexp(prior, np.log(rng.standard_gamma(np.broadcast_to(counts[:, :-1], shape))))
    numbers = np.exp(labelled)
    pools = [(row[-1], list(row[:-1]).count(strata.golds[1])) for row in strata.predicted]
    alone, shares = by_bayes(numbers, strata.predicted), np.empty(shape)
    for those in ([c for c, other in enumerate(pools) if other == pool] for pool in sorted({*pools})):
        pool = numbers[:, those].sum(axis=1) + rng.standard_gamma(alone[:, those].mean(axis=1))
        pool = pool[:, None] * alone[:, those] / alone[:, those].mean(axis=1, keepdims=True)
        pool = pool / pool.sum(axis=2, keepdims=True)
        shares[:, those] = numbers[:, those] + rng.standard_gamma(0.5 * pool, (n, len(those), 2))
    shares /= shares.sum(axis=-1, keepdims=True)
    filled = numbers + rng.standard_gamma(np.broadcast_to(counts[:, -1:], (n, len(counts), 1))) * shares
    for i, model in enumerate("AB"):
        yes = strata.predicted_by(strata.models.index(model)) == 1
        tp, fp, fn = (part.sum(axis=1) for part in (filled[:, yes, 1], filled[:, yes, 0], filled[:, ~yes, 1]))
        expected = 2 * tp / (2 * tp + fp + fn)
        assert found[:, i].mean() == pytest.approx(expected.mean(), abs=5 * expected.std() / np.sqrt(n / 2))
        assert found[:, i].std() == pytest.approx(expected.std(), rel=0.1)
        assert ks_2samp(found[:, i], expected).pvalue > 1e-3


@pytest.mark.long
def test_twelve_classes_three_models_and_a_judge_fit_into_memory():
    rng = np.random.default_rng(0)
    names = np.array([f"c{i}" for i in range(12)])
    gold = rng.integers(0, 12, 1500)
    said = {
        name: names[np.where(rng.random(1500) < error, rng.integers(0, 12, 1500), gold)]
        for name, error in (("A", 0.3), ("B", 0.2), ("C", 0.2), ("j", 0.1))
    }
    judge = said.pop("j")
    ev = bf.from_labels(np.where(np.arange(1500) < 300, names[gold], None), said, judge=judge)
    tracemalloc.start()
    try:
        difference_estimate(sampling_model(ev), resolve_metric("f1", ev))
        bf.plan_labels(ev, "A", "B", budget=10)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Dense patterns would take 97 MB.
    assert most < 60e6


@pytest.mark.filterwarnings("ignore:.*what is labelled counts as:UserWarning")
def test_more_models_than_labels_can_tell_of_are_warned_of():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3, 400)
    models = {name: noisy(gold, 0.3, rng, 3) for name in "ABCDEF"}
    judge = noisy(gold, 0.2, rng, 3)
    some = [int(label) if i < 40 else None for i, label in enumerate(gold)]

    def told(names):
        ev = bf.from_labels(some, {name: models[name] for name in names}, judge=judge)
        return bf.compare(ev, "A", "B", metrics="accuracy", n_draws=1000, rng=1)

    many, two = told("ABCDEF"), told("AB")
    for text in (str(many), many.to_latex(), many.to_markdown()):
        assert "are unlike any labelled item" in " ".join(text.split())
    assert "unlike any" not in str(two)


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


def test_intervals_of_judged_items_are_the_difference_estimator_and_the_credible_ones():
    _, known, said, judge = items(n=4000, labelled=400)
    ev = bf.from_labels(known, said, judge=judge, positive=1)
    for found in (bf.intervals(ev, "A", rng=1), bf.difference_intervals(ev, rng=1)):
        assert set(found) == {"difference_estimator", "credible_equal_tailed", "credible_hdi"}
        row = found["difference_estimator"]
        assert row.length == pytest.approx(2 * 1.96 * row.standard_error, rel=0.05)
        assert found.to_dict()["intervals"][0]["standard_error"] == row.standard_error
        assert any("agrees with gold" in note for note in found.notes)
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
        ValueError, match=rf"^{what} needs gold labels for all items, but there are 1,000 items \(300"
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
    assert [f"often errs where {name} does" in notes for name in "AB"] == [copied == "A", copied == "B"]
