"""The numerics below the laws, each against exact or many-digit arithmetic."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import special

from bayesf1.laws import quadrature

PARAMETERS = st.floats(0.5, 1e9)


@pytest.mark.parametrize("z", [0.05, 0.5, 1.0, 3.3, 15.9, 16.0, 40.0, 1e4, 1e9])
def test_the_error_of_stirlings_formula_has_fourteen_digits(z):
    with mpmath.workdps(40):
        x = mpmath.mpf(z)
        exact = mpmath.loggamma(x) - ((x - 0.5) * mpmath.log(x) - x + mpmath.log(2 * mpmath.pi) / 2)
    assert quadrature.stirling_error(np.float64(z)) == pytest.approx(float(exact), rel=1e-14, abs=3e-15)


@pytest.mark.parametrize("v", [-0.999, -0.4, -0.3, -0.1, -1e-5, 1e-12, 1e-3, 0.29, 0.3, 5.0, 1e8])
def test_the_excess_over_the_logarithm_does_not_cancel(v):
    with mpmath.workdps(50):
        exact = mpmath.mpf(v) - mpmath.log(1 + mpmath.mpf(v))
    found = quadrature.log_excess(np.array([v]), np.array([1.0 + v]))[0]
    np.testing.assert_allclose(found, float(exact), rtol=1e-13)


@given(t=st.floats(1e-9, 1.0), b=PARAMETERS, a=PARAMETERS, nudge=st.floats(-1e-12, 1e-12))
def test_a_difference_of_products_is_rounded_about_once(t, b, a, nudge):
    s = t * b / a * (1.0 + nudge)
    exact = Fraction(t) * Fraction(b) - Fraction(s) * Fraction(a)
    found = float(quadrature.product_gap(*(np.float64(x) for x in (t, b, s, a))))
    # What the heads of 24 bits leave over is rounded: 2^-24 of a rounding error of the products.
    assert abs(Fraction(found) - exact) <= 3e-16 * abs(exact) + Fraction(t * b) * Fraction(1, 2**74)


@given(a=PARAMETERS, b=PARAMETERS, share=st.floats(-1.0, 1.0))
def test_the_log_density_changes_as_the_density_does(a, b, share):
    below, above = quadrature.logit_reach(np.float64(a), np.float64(b), quadrature.DROP)
    w = float(share * (below if share < 0 else above))
    n = a + b
    with mpmath.workdps(60):
        p = mpmath.mpf(a) / (mpmath.mpf(a) + mpmath.mpf(b))
        exact = mpmath.mpf(a) * w - (mpmath.mpf(a) + mpmath.mpf(b)) * mpmath.log(1 - p + p * mpmath.exp(w))
    found = quadrature.log_change(*(np.float64(x) for x in (w, a / n, b / n, a, b)))
    assert found == pytest.approx(
        float(exact), rel=1e-13, abs=4e-16 * (n * abs(w) * min(a, b) / n + 1.0) + 1e-14
    )


def test_no_window_ends_before_the_density_has_dropped():
    a, b = (np.geomspace(0.05, 1e10, 150).reshape(shape) for shape in ((-1, 1), (1, -1)))
    a, b = np.broadcast_arrays(a, b)
    for drop in (quadrature.DROP, quadrature.FAR_DROP):
        below, above = quadrature.logit_reach(a, b, drop)
        for w in (-below, above):
            w = np.clip(w, -700.0, 700.0)
            change = quadrature.log_change(w, a / (a + b), b / (a + b), a, b)
            assert np.all((change <= -drop * (1 - 1e-9)) | (np.abs(w) == 700.0))


def test_rows_with_large_and_small_parameters_do_not_disturb_each_other():
    a, b = np.array([[3.0], [2e6], [40.0]]), np.array([[7.0], [1e6], [1e9]])
    t = special.expit(np.log(a / b) + np.linspace(-3, 3, 7) * quadrature.logit_scale(a, b))
    low, high = quadrature.beta_tails(t, 1.0 - t, a, b, 2.0)
    for i in range(3):
        row = quadrature.beta_tails(t[i], 1.0 - t[i], a[i], b[i], 2.0)
        np.testing.assert_allclose([low[i], high[i]], row, rtol=1e-14)


def test_integrated_tails_agree_with_scipy_where_scipy_is_good(monkeypatch):
    a, b = np.array([[0.5], [3.0], [900.0], [40.0]]), np.array([[700.0], [0.5], [50.0], [60.0]])
    t = special.expit(np.log(a / b) + np.linspace(-5, 5, 21) * quadrature.logit_scale(a, b))
    with_scipy = quadrature.beta_tails(t, 1.0 - t, a, b, 1.0)
    monkeypatch.setattr(quadrature, "LARGE", 0.0)
    np.testing.assert_allclose(quadrature.beta_tails(t, 1.0 - t, a, b, 1.0), with_scipy, rtol=2e-12)


def test_the_rule_for_the_unit_interval_integrates_singular_ends():
    t, w = quadrature.UNIT_RULE
    assert np.all(np.diff(t) > 0)
    # Nodes end where 1 - t is 2e-17, and 1/sqrt(t) holds 1e-8 of its integral below that.
    assert np.sum(w / np.sqrt(t)) == pytest.approx(2.0, abs=2e-8)
    assert np.sum(w * np.log(t)) == pytest.approx(-1.0, abs=1e-13)
