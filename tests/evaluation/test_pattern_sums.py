"""Sums over patterns with gamma weights: their law, however many units a pattern has and however they are sliced."""

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array

from bayesf1.evaluation.pattern_sums import PatternSums

N_DRAWS = 20_000
# A right law falls below this p-value once in 10,000 times; seeds are fixed.
LEAST_P = 1e-4


@pytest.mark.parametrize("units", [1.0, 2.0, 8.0, 9.0, 300.0, 0.37, 2.5])
def test_a_pattern_weighs_as_a_gamma_variate(units):
    sums = PatternSums.of(csr_array(np.ones((1, 1))), np.array([units]), N_DRAWS)
    drawn = sums.draw(N_DRAWS, np.random.default_rng(1))[:, 0]
    assert stats.kstest(drawn, stats.gamma(units).cdf).pvalue > LEAST_P


@pytest.mark.parametrize("at_a_time", [16, N_DRAWS])
def test_sums_have_the_moments_of_independent_gamma_weights(at_a_time):
    rng = np.random.default_rng(2)
    rows = csr_array((rng.random((60, 5)) < 0.3) * rng.integers(1, 4, (60, 5)))
    weights = rng.choice([0.0, 0.4, 1.0, 1.0, 3.0, 40.0], 60)
    sums = PatternSums.of(rows, weights, at_a_time)
    drawn = sums.draw(N_DRAWS, rng)
    dense = rows.toarray()
    mean, covariance = weights @ dense, dense.T @ (weights[:, None] * dense)
    error = np.sqrt(covariance.diagonal() / N_DRAWS)
    np.testing.assert_array_less(abs(drawn.mean(axis=0) - mean), 4 * error)
    spread = np.sqrt(2 * np.outer(covariance.diagonal(), covariance.diagonal()) / N_DRAWS)
    np.testing.assert_array_less(abs(np.cov(drawn.T) - covariance), 5 * spread)


def test_what_no_unit_does_adds_nothing():
    sums = PatternSums.of(csr_array(np.eye(2)), np.array([0.0, 0.0]), 4)
    assert (sums.draw(4, np.random.default_rng(3)) == np.zeros((4, 2))).all()


def test_more_units_than_fit_at_a_time_are_drawn_in_slices():
    rows = csr_array(np.tile(np.eye(2), (300, 1)))
    sums = PatternSums.of(rows, np.ones(600), 1 << 12)
    assert len(sums.single) > 1
    drawn = sums.draw(5_000, np.random.default_rng(4))
    for column in drawn.T:
        assert stats.kstest(column, stats.gamma(300).cdf).pvalue > LEAST_P
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 4 / np.sqrt(5_000)
