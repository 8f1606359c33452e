"""Adjusted p-values against statsmodels and scipy, and what they keep."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from bayesf1.base.multiplicity import adjusted, benjamini_hochberg, holm


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30))
def test_they_are_those_of_statsmodels(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


def test_benjamini_and_hochberg_is_that_of_scipy():
    p = np.random.default_rng(1).random(20)
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p))


def test_one_p_value_is_not_adjusted_and_missing_ones_do_not_count():
    assert adjusted([0.04, None]) == [(None, None), (None, None)]
    assert adjusted([0.04, None, 0.5])[1] == (None, None)
    assert adjusted([0.04, None, 0.5])[0] == (0.08, 0.08)


def test_any_false_claim_among_twenty_true_hypotheses_is_as_rare_as_it_says():
    p = np.random.default_rng(2).random((2000, 20))
    raw, corrected = (p < 0.05).any(axis=1).mean(), np.mean([(holm(row) < 0.05).any() for row in p])
    assert raw > 0.6
    assert corrected == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 2000))
