"""The control variate: the same answers from fewer draws."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.inference.control_variate import gamma_sum_sf
from builders import joint_evaluation

NEAR = (300, 20, 37, 35, 80, 13, 14, 1040)


def test_sums_of_very_many_gamma_variates_are_those_of_fewer_larger_ones():
    rng = np.random.default_rng(1)
    for coefficients in (rng.normal(size=200), rng.exponential(size=200) - 1.0, np.linspace(-1.0, 1.01, 200)):
        exact = gamma_sum_sf(coefficients, np.full(200, 100.0))
        assert gamma_sum_sf(np.repeat(coefficients, 100), np.ones(20_000)) == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize("metric", ["f1", "f2", "precision", "jaccard"])
def test_a_control_variate_helps_draws_of_paired_f_scores(metric):
    handful = joint_evaluation((0, 3, 1, 0, 2, 0, 0, 1))
    found = bf.compare(handful, metrics=metric, rng=0)[metric]
    brute = bf.compare(handful, metrics=metric, rng=1, method="montecarlo", n_draws=400_000)[metric]
    assert abs(found.p_h1 - brute.p_h1) < 4 * np.hypot(brute.mcse, found.mcse)
    assert found.mcse < 0.7 * np.sqrt(found.p_h1 * found.p_h0 / found.settings.n_draws)


@pytest.mark.parametrize("metric", ["f1", "recall", "precision", "mcc"])
def test_the_control_variate_changes_the_error_and_not_the_answer(metric):
    ev = joint_evaluation(NEAR)
    plain = bf.compare(ev, metrics=metric, method="montecarlo", rope=0.01, n_draws=200_000, rng=1)[metric]
    controlled = bf.compare(ev, metrics=metric, rope=0.01, n_draws=20_000, rng=2)[metric]
    # Plain draws as few would have a standard error √10 times as large.
    assert controlled.mcse < 0.5 * np.sqrt(10) * plain.mcse
    for name in ("p_h1", "p_less", "p_greater"):
        assert getattr(controlled, name) == pytest.approx(
            getattr(plain, name), abs=4 * np.hypot(plain.mcse, controlled.mcse) + 1e-4
        )
