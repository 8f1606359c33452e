"""Coins tossed by bytes."""

import itertools

import numpy as np
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.evaluation.samples import resampled_times
from bayesf1.frequentist import swaps
from bayesf1.frequentist.coins import toss


@pytest.mark.parametrize("n_coins", [1, 7, 8, 9, 11])
def test_sums_have_the_law_of_all_ways_that_coins_can_fall(n_coins):
    values = np.random.default_rng(n_coins).integers(-3, 4, size=(n_coins, 2)).astype(float)
    sums = toss(values, 40_000, np.random.default_rng(1))
    every = np.array([np.subtract(c, 0.5) @ values for c in itertools.product((0, 1), repeat=n_coins)])
    outcomes, times = np.unique(every, axis=0, return_counts=True)
    place = {tuple(row): i for i, row in enumerate(outcomes)}
    seen = np.bincount([place[tuple(row)] for row in sums], minlength=len(outcomes))
    likely = times >= 2**n_coins / 8000
    expected = 40_000 * times[likely] / 2**n_coins
    chi2 = ((seen[likely] - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(chi2, max(1, likely.sum() - 1)) > 1e-4


def test_many_coins_give_the_p_value_that_few_at_a_time_give(monkeypatch):
    rng = np.random.default_rng(5)
    a = rng.normal(size=3000)
    b = a + rng.normal(0.03, 1.0, size=3000)
    by_bytes = bf.randomization_test_scores(a, b, rng=1)
    monkeypatch.setattr(swaps, "_MANY_COINS", 10**9)
    one_by_one = bf.randomization_test_scores(a, b, rng=1)
    assert by_bytes.p_value != one_by_one.p_value
    # The law of a sum of 3,000 signs is normal to four digits.
    z = (b - a).sum() / np.sqrt(((b - a) ** 2).sum())
    for test in (by_bytes, one_by_one):
        assert test.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), abs=4 * np.sqrt(0.25 / 10_000))


@pytest.mark.parametrize("most", [1, 3])
def test_units_named_one_by_one_come_as_often_as_binomial_variates_do(most):
    weights = np.random.default_rng(2).integers(1, most + 1, size=1200).astype(float)
    times = resampled_times(weights, 400, np.random.default_rng(1))
    assert (times.sum(axis=1) == weights.sum()).all()
    # Each pattern's number is Bin(n, w/n), with mean w and variance close to w.
    assert np.mean(times, axis=0) == pytest.approx(weights, abs=6 * np.sqrt(most / 400))
    assert times[:, weights == 1].var() == pytest.approx(1.0, abs=0.02)
