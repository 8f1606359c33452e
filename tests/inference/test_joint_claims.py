"""Statements on many models at once, against brute force over draws and subsets."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.inference.rank import joint_claims


def draws(seed, k, gap, n=4000):
    rng = np.random.default_rng(seed)
    return rng.normal(np.arange(k, 0, -1) * gap, 1.0, (n, k)) + rng.normal(size=(n, 1))


@pytest.mark.parametrize("seed", range(4))
def test_no_smaller_set_has_the_best_in_it_with_that_probability(seed):
    scores = draws(seed, 5, 0.8)
    found = joint_claims(scores, 0.0, 0.95)
    best = np.argmax(scores, axis=1)
    assert np.isin(best, np.flatnonzero(found.among_best)).mean() == found.p_among_best >= 0.95
    for smaller in combinations(range(5), int(found.among_best.sum()) - 1):
        assert np.isin(best, smaller).mean() < 0.95


@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_all_statements_hold_together_in_as_many_draws_as_it_says(margin):
    scores = draws(5, 6, 1.5)
    found = joint_claims(scores, margin, 0.95)
    hold = np.ones(len(scores), dtype=bool)
    for i, j in zip(*np.nonzero(found.jointly), strict=True):
        hold &= scores[:, i] > scores[:, j] + margin
    assert found.jointly.any()
    assert found.p_jointly == hold.mean() >= 0.95


def test_who_beats_whom_is_what_tukeys_test_of_all_pairs_says():
    # Means of four groups with known and equal spreads: the studentised range with infinite degrees of freedom.
    rng = np.random.default_rng(7)
    for centre in rng.normal(0.0, 2.0, (20, 4)):
        order = -np.sort(-centre)
        scores = rng.normal(order, 1.0, (40_000, 4))
        reach = stats.studentized_range.ppf(0.95, 4, 1e6)
        gaps = order[:, None] - order
        found = joint_claims(scores, 0.0, 0.95).jointly
        # Monte Carlo leaves pairs at the border open.
        clear = np.abs(gaps - reach) > 0.1
        assert np.array_equal(found[clear], (gaps > reach)[clear])


def test_among_twenty_equal_models_a_pair_is_found_in_one_of_twenty_sets_and_not_in_all():
    rng = np.random.default_rng(8)
    false = np.zeros(2)
    for _ in range(40):
        scores = rng.normal(rng.normal(size=20), 1.0, (2000, 20))
        p = (scores[:, :, None] > scores[:, None]).mean(axis=0)
        false += [joint_claims(scores, 0.0, 0.95).jointly.any(), (p >= 0.975).any()]
    assert false[0] / 40 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 40)
    assert false[1] / 40 > 0.9


@pytest.mark.parametrize("margin", [0.0, 0.7])
def test_the_order_is_right_where_nobody_beats_one_before(margin):
    scores = draws(6, 4, 1.0)
    wrong = [scores[:, j] > scores[:, i] + margin for i, j in combinations(range(4), 2)]
    assert joint_claims(scores, margin, 0.95).p_order == pytest.approx(1.0 - np.any(wrong, axis=0).mean())


def test_of_two_models_it_is_what_the_comparison_says():
    ev = bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))
    ranking = bf.rank(ev, rng=1)
    exact = bf.compare(ev, metrics="f1")["f1"].p_h1
    assert ranking.p_order == pytest.approx(exact, abs=2e-3)
    assert ranking.among_best.tolist() == [True, False]
    assert ranking.jointly.tolist() == [[False, True], [False, False]]


def test_systems_within_the_region_of_the_first_are_equivalent_to_it():
    ev = bf.from_counts(A=(9000, 500, 500), B=(9010, 495, 490), C=(7000, 900, 3000))
    found = bf.rank(ev, rope=0.01, rng=1)
    assert found.equivalent.tolist() == [True, True, False]
    assert [row[-1] for row in found.table.rows] == ["yes", "yes, equivalent", "no"]
    assert not bf.rank(ev, rng=1).equivalent.any()
