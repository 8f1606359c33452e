"""The control variate: the same answers from fewer draws."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.inference.control_variate import gamma_sum_sf
from builders import joint_evaluation

NEAR = (300, 20, 37, 35, 80, 13, 14, 1040)
FEW = (0, 3, 1, 0, 2, 0, 0, 1)


def test_sums_of_very_many_gamma_variates_are_those_of_fewer_larger_ones():
    rng = np.random.default_rng(1)
    for coefficients in (rng.normal(size=200), rng.exponential(size=200) - 1.0, np.linspace(-1.0, 1.01, 200)):
        exact = gamma_sum_sf(coefficients, np.full(200, 100.0))
        assert gamma_sum_sf(np.repeat(coefficients, 100), np.ones(20_000)) == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("metric", "cells"),
    [
        *((metric, NEAR) for metric in ("f1", "recall", "precision", "mcc")),
        *((metric, FEW) for metric in ("f1", "f2", "precision", "jaccard")),
    ],
)
def test_the_control_variate_changes_the_error_and_not_the_answer(metric, cells):
    ev = joint_evaluation(cells)
    plain = bf.compare(ev, metrics=metric, method="montecarlo", rope=0.01, n_draws=400_000, rng=1)[metric]
    controlled = bf.compare(ev, metrics=metric, rope=0.01, n_draws=20_000, rng=2)[metric]
    # Plain draws as few would have a standard error √20 times as large.
    assert controlled.mcse < (0.5 if cells == NEAR else 0.7) * np.sqrt(20) * plain.mcse
    for name in ("p_h1", "p_less", "p_greater"):
        assert getattr(controlled, name) == pytest.approx(
            getattr(plain, name), abs=4 * np.hypot(plain.mcse, controlled.mcse) + 1e-4
        )
