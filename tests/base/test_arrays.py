"""Adjusted p-values, and where a function crosses 0."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from bayesf1.base.arrays import adjusted, crossing


@pytest.mark.parametrize("n", [2, 3, 20])
def test_they_are_those_of_statsmodels(n):
    p = np.random.default_rng(n).random(n).round(1)
    holm, hochberg = zip(*adjusted(p.tolist()), strict=True)
    assert holm == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert hochberg == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


def test_one_p_value_is_not_adjusted_and_missing_ones_do_not_count():
    assert adjusted([0.04, None]) == [(None, None), (None, None)]
    assert adjusted([0.04, None, 0.5])[1] == (None, None)
    assert adjusted([0.04, None, 0.5])[0] == (0.08, 0.08)


def test_any_false_claim_among_twenty_true_hypotheses_is_as_rare_as_it_says():
    p = np.random.default_rng(2).random((500, 20))
    raw, corrected = (
        (p < 0.05).any(axis=1).mean(),
        np.mean([adjusted(row)[i][0] < 0.05 for row in p for i in [row.argmin()]]),
    )
    assert raw > 0.6
    assert corrected == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 500))


@pytest.mark.parametrize("root", [-2.0, 0.25, 2.0])
def test_a_function_without_a_change_of_sign_crosses_at_the_nearer_end(root):
    assert crossing(lambda x: x - root, 0.0, 1.0) == pytest.approx(np.clip(root, 0.0, 1.0), rel=1e-15)
