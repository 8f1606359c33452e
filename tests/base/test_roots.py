"""Roots of many functions at once, where slopes help, mislead, or are missing."""

import numpy as np
import pytest

from bayesf1.base.arrays import crossing, increasing_root


def test_roots_are_found_from_any_start_inside_the_bracket():
    target = np.array([0.1, 2.0, 7.0])

    def f(x):
        return np.log(x / target), 1.0 / x

    for start in (1e-3, 1.0, 9.9):
        root = increasing_root(f, np.zeros(3), np.full(3, 10.0), np.full(3, start))
        np.testing.assert_allclose(root, target, rtol=1e-14)


def test_a_root_is_found_where_the_slope_is_useless():
    root = increasing_root(
        lambda x: (np.sign(x - 0.3), np.zeros_like(x)), np.zeros(1), np.ones(1), np.full(1, 0.9)
    )
    assert root[0] == pytest.approx(0.3, rel=1e-14)


@pytest.mark.parametrize("root", [-2.0, 0.25, 2.0])
def test_a_function_without_a_change_of_sign_crosses_at_the_nearer_end(root):
    assert crossing(lambda x: x - root, 0.0, 1.0) == pytest.approx(np.clip(root, 0.0, 1.0), rel=1e-15)
