import numpy as np
import pytest

import bayesf1 as bf
from builders import random_folds


def folds(spread, seed=0):
    """Six folds of two models; the second model's recall varies from fold to fold by a spread of its own."""
    rng = np.random.default_rng(seed)
    rates = {"A": np.full(6, 0.8), "B": 0.8 + spread * rng.normal(size=6)}
    return bf.from_folds(random_folds(rng, 2000, rates, wrong=400))


def test_independent_folds_spread_as_their_counts_say():
    ratios = []
    for seed in range(60):
        a, b = folds(0.0, seed).folds.counts.reshape(6, 2, 3).swapaxes(0, 1)
        ev = bf.from_folds({"A": a, "B": b}, discount=1.0)
        spread = bf.compare(ev, metrics="recall")["recall"].fold_spread
        ratios.append((spread.observed / spread.expected) ** 2)
    # A chi-square with 5 degrees of freedom over 5: mean 1, sd .63.
    assert np.mean(ratios) == pytest.approx(1.0, abs=4 * 0.63 / np.sqrt(60))


def test_folds_that_vary_too_much_get_a_sentence():
    res = bf.compare(folds(0.05))
    assert "varies more than the discount assumes" in str(res)


def test_folds_that_vary_too_little_get_another():
    same = [(800, 100, 200)] * 6
    better = [(810 + i % 2, 100, 190 - i % 2) for i in range(6)]
    res = bf.compare(bf.from_folds({"A": same, "B": better}))
    assert "varies less than the discount assumes" in str(res)


def test_ordinary_folds_get_none():
    res = bf.compare(bf.load_example("wang-li-org"))
    assert res["f1"].fold_spread.p_value > 0.01
    assert "discount assumes" not in str(res)


def test_a_discount_that_takes_folds_as_copies_says_nothing_of_their_spread():
    ev = bf.from_folds({"A": [(80, 20, 20)] * 6, "B": [(81, 20, 19)] * 6}, discount="wang-2015")
    assert bf.compare(ev)["f1"].fold_spread is None
