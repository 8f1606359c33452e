"""Randomisation tests against brute force, scipy, statsmodels and the lecture."""

import dataclasses
import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

import bayesf1 as bf
from bayesf1.frequentist.randomization import (
    merge_mirrored,
    randomization_test,
    swaps_listed,
    swaps_on_lattice,
)
from bayesf1.output.words.numbers import p_equation
from bayesf1.units import Folds

# Random labels are often all alike, which is warned of.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*never predicts? the positive", "ignore:no item is labelled", "ignore:all counts of"
)

FORMULAS = {
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0,
    "f2": lambda tp, fp, fn, tn: 5 * tp / (5 * tp + fp + 4 * fn) if tp + fp + fn else 0.0,
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp) if tp + fp else 0.0,
    "recall": lambda tp, fp, fn, tn: tp / (tp + fn) if tp + fn else 0.0,
    "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
    "mcc": lambda tp, fp, fn, tn: (
        (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        if (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        else 0.0
    ),
}


def of_scores(a, b, **how):
    """Test scores of units."""
    return randomization_test(bf.from_scores({"A": a, "B": b}, unit="unit"), **how)


def table(gold, said):
    return [np.sum(said & gold), np.sum(said & ~gold), np.sum(~said & gold), np.sum(~said & ~gold)]


def all_swaps(gold, a, b, groups, formula):
    """Differences B - A over every way to swap whole groups, the observed one first."""
    names = np.unique(groups)
    for coins in itertools.product((False, True), repeat=len(names)):
        swapped = np.isin(groups, names[list(coins)])
        one, other = np.where(swapped, b, a), np.where(swapped, a, b)
        yield formula(*table(gold, other)) - formula(*table(gold, one))


@settings(max_examples=40)
@given(
    rows=st.lists(st.tuples(*[st.booleans()] * 3, st.integers(0, 6)), min_size=1, max_size=14),
    grouped=st.booleans(),
    metric=st.sampled_from(sorted(FORMULAS)),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
)
def test_an_exact_p_value_is_the_share_of_all_swaps_of_items_or_of_whole_documents(
    rows, grouped, metric, alternative
):
    rows = rows if grouped else rows[:9]
    gold, a, b = np.array([row[:3] for row in rows]).T
    groups = np.array([row[3] for row in rows]) if grouped else np.arange(len(rows))
    how = {"groups": groups} if grouped else {}
    ev = bf.from_labels(gold, {"A": a, "B": b}, positive=True, **how)
    assume(not np.isnan([bf.score(ev, model, metric) for model in "AB"]).any())
    found = randomization_test(ev, metric=metric, alternative=alternative)
    d = np.array(list(all_swaps(gold, a, b, groups, FORMULAS[metric])))
    extreme = {"two-sided": abs(d) >= abs(d[0]) - 1e-9, "greater": d >= d[0] - 1e-9, "less": d <= d[0] + 1e-9}
    assert found.exact
    assert found.n_units == len(np.unique(groups))
    assert found.p_value == pytest.approx(extreme[alternative].mean(), rel=1e-12)
    assert found.difference == pytest.approx(d[0], abs=1e-12)


def test_padós_example_has_two_extreme_swaps_of_sixty_four():
    # Ustalov (2022), slide "Randomization Test: Example": p ≈ 0.0313 from 10^6 iterations.
    found = of_scores([1, 2, 1, 2, 2, 2, 0], [4, 5, 5, 4, 3, 2, 1])
    assert found.p_value == 2 / 64
    assert found.n_discordant == 6
    assert found.difference == pytest.approx(2.0)
    assert found.score_a == pytest.approx(1.4286, abs=5e-5)
    assert found.score_b == pytest.approx(3.4286, abs=5e-5)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_scores_get_the_p_value_of_scipy(alternative, decimals):
    rng = np.random.default_rng(decimals)
    a = rng.normal(size=10).round(decimals)
    b = (a + rng.normal(0.4, 1.0, size=10)).round(decimals)
    theirs = stats.permutation_test(
        (b, a),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
    )
    found = of_scores(a, b, alternative=alternative)
    assert found.exact
    if alternative == "two-sided":
        # scipy doubles the smaller tail; the law is symmetric, so both are the same.
        assert found.p_value == pytest.approx(min(1.0, theirs.pvalue), rel=1e-12)
    else:
        assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert found.difference == pytest.approx(theirs.statistic)


@pytest.mark.parametrize(
    ("only_a", "only_b", "claimed_a", "claimed_b"),
    [(3, 9, 2, 1), (0, 5, 0, 0), (40, 61, 17, 30), (700, 900, 2000, 2100), (20_000, 20_500, 30_000, 30_400)],
)
def test_accuracy_on_items_is_mcnemars_exact_test(only_a, only_b, claimed_a, claimed_b):
    from statsmodels.stats.contingency_tables import mcnemar

    kinds = {(1, 1, 0): only_a, (1, 0, 1): only_b, (0, 1, 0): claimed_a, (0, 0, 1): claimed_b, (1, 1, 1): 50}
    gold, a, b = np.repeat(np.array(list(kinds)), list(kinds.values()), axis=0).T
    ev = bf.from_labels(gold, {"A": a, "B": b}, positive=1)
    for_a, for_b = only_a + claimed_b, only_b + claimed_a
    found = randomization_test(ev, metric="accuracy")
    theirs = mcnemar([[50, for_a], [for_b, 0]], exact=True)
    assert found.exact
    assert found.n_discordant == for_a + for_b
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    better = randomization_test(ev, metric="accuracy", alternative="greater")
    assert better.p_value == pytest.approx(
        stats.binomtest(for_b, for_a + for_b, alternative="greater").pvalue, rel=1e-9
    )
    recall = randomization_test(ev, metric="recall")
    assert recall.p_value == pytest.approx(stats.binomtest(only_b, only_a + only_b).pvalue, rel=1e-9)


def wnut():
    return bf.load_example("wnut17")


def test_the_lattice_gives_the_distribution_that_listing_gives():
    rng = np.random.default_rng(0)
    net = rng.integers(-2, 3, size=(9, 3)).astype(float)
    swaps = merge_mirrored(np.column_stack([net, -net[:, 0]]), rng.integers(1, 3, size=9).astype(float))
    sums, mass = swaps_listed(*swaps)
    on_lattice, its_mass = swaps_on_lattice(*swaps)
    assert len(on_lattice) < len(sums)
    assert its_mass.sum() == pytest.approx(1.0, abs=1e-12)

    def distribution(points, weights):
        keys, which = np.unique(points.round(9) + 0.0, axis=0, return_inverse=True)
        return keys, np.bincount(which.ravel(), weights)

    for mine, theirs in zip(distribution(on_lattice, its_mass), distribution(sums, mass), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_monte_carlo_intervals_hold_the_exact_p_value_as_often_as_they_say():
    ev = wnut()
    exact = randomization_test(ev, "SJTU-Adapt", "Arcada", metric="precision").p_value
    inside = 0
    for seed in range(100):
        low, high = randomization_test(
            ev, "SJTU-Adapt", "Arcada", "precision", method="montecarlo", n_trials=200, rng=seed
        ).interval
        inside += low <= exact <= high
    # Clopper-Pearson covers at least 95 %: fewer than 88 of 100 has a probability of 0.004.
    assert inside >= 88


def test_a_p_value_from_trials_is_k_plus_1_of_n_plus_1():
    ev = wnut()
    found = randomization_test(ev, "UH-RiTUAL", "Drexel-CCI", method="montecarlo", n_trials=99, rng=0)
    # The exact p-value is 2e-17, so no trial is as extreme.
    assert found.p_value == 1 / 100
    assert found.interval[0] == 0.0


def test_a_p_value_is_never_0_however_sure_the_difference():
    gold = np.ones(5000, dtype=int)
    found = randomization_test(bf.from_labels(gold, {"A": 1 - gold, "B": gold}, positive=1), metric="recall")
    assert found.exact
    assert 0.0 < found.p_value < 1e-300
    assert p_equation(found.p_value) == "p < 0.0001"


def folded(repeats):
    ev = bf.from_labels([1, 0, 1, 1, 0], {"A": [1, 1, 0, 0, 0], "B": [1, 0, 1, 0, 0]}, positive=1)
    folds = Folds(np.zeros((repeats, 2, 2, 4)), bf.BlockedCV(m=repeats), 0.4, 0.4)
    return dataclasses.replace(ev.scaled(0.4), folds=folds), ev


def test_the_discount_of_a_single_repeat_changes_no_p_value():
    discounted, ev = folded(1)
    assert randomization_test(discounted).p_value == randomization_test(ev).p_value


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)), "only totals"),
        (lambda: folded(3)[0], "every item occurs in 3 repeats"),
        (lambda: folded(1)[1].scaled(0.5), r"there are 0\.5 items of one kind"),
        (
            lambda: bf.from_scores({m: np.random.default_rng(ord(m)).normal(size=200) for m in "AB"}),
            "too many",
        ),
    ],
)
def test_what_cannot_be_swapped_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        randomization_test(build(), method="exact")


@pytest.mark.parametrize("n", [1, 2, 20])
def test_adjusted_p_values_are_those_of_statsmodels(n):
    p = np.random.default_rng(n).random(n).round(1)
    test = bf.randomization_test(bf.from_scores({"A": [0.0, 0.2], "B": [1.0, 0.9]}))
    found = bf.adjust([replace(test, p_value=float(value)) for value in p])
    if n == 1:
        assert found[0].p_holm is None
        return
    assert [t.p_holm for t in found] == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert [t.p_bh for t in found] == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)
