"""The law of a difference: against exact fractions, many-digit quadrature, other packages, and itself."""

import json
import math
from fractions import Fraction
from math import comb, factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from bayesf1 import Beta, Difference, FScore

REFERENCE = Path(__file__).parents[1] / "reference"
# Made by tests/reference/make_difference_grid.py with mpmath.
GRID = json.loads((REFERENCE / "difference_grid.json").read_text(encoding="utf-8"))["entries"]

# Made by tests/reference/make_fbeta_difference_grid.py with mpmath.
F_GRID = json.loads((REFERENCE / "fbeta_difference_grid.json").read_text(encoding="utf-8"))["entries"]

A, B = FScore(78, 45, 11), FScore(84, 10, 15)
PARAMETERS = st.floats(math.log(0.5), math.log(1e6)).map(math.exp)
MARGINS = st.floats(-0.999, 0.999)


def distribution_of(parameters):
    return Beta(*parameters) if len(parameters) == 2 else FScore(*parameters)


@pytest.mark.parametrize("entry", GRID, ids=lambda e: f"{e[0]}-{e[1]}-{e[2]:g}".replace(" ", ""))
def test_probabilities_and_densities_are_exact(entry):
    a, b, d, *exact = entry
    below, above, log_density = map(float, exact)
    distribution = Difference(distribution_of(a), distribution_of(b))
    assert distribution.cdf(d) == pytest.approx(below, rel=0, abs=1e-10)
    assert distribution.sf(d) == pytest.approx(above, rel=0, abs=1e-10)
    if min(below, above) > 1e-12:
        assert distribution.logpdf(d) == pytest.approx(log_density, abs=1e-7)


def exact_probability(a, b, c, e):
    """P(Be(c, e) > Be(a, b)) for whole parameters, as a finite sum of positive fractions."""

    def beta(x, y):
        return Fraction(factorial(x - 1) * factorial(y - 1), factorial(x + y - 1))

    return sum(beta(a + i, b + e) / ((e + i) * beta(1 + i, e) * beta(a, b)) for i in range(c))


@pytest.mark.parametrize("parameters", [(1, 1, 1, 1), (3, 4, 5, 2), (78, 56, 84, 25), (9, 200, 30, 190)])
def test_whole_parameters_give_the_finite_sum(parameters):
    a, b, c, e = parameters
    exact = float(exact_probability(a, b, c, e))
    assert Difference(Beta(a, b), Beta(c, e)).sf(0.0) == pytest.approx(exact, rel=1e-10)


def exact_shifted_probability(a, b, c, e, d):
    """P(Be(c, e) > Be(a, b) + d) for whole parameters and 0 < d < 1, by integrating polynomials in fractions."""

    def polynomial(power_t, power_u, shift):
        # t^power_t (1 - t)^power_u at t + shift, as coefficients of t
        out = {}
        for i in range(power_u + 1):
            for j in range(power_t + i + 1):
                term = comb(power_u, i) * (-1) ** i * comb(power_t + i, j) * shift ** (power_t + i - j)
                out[j] = out.get(j, Fraction(0)) + term
        return out

    def norm(x, y):
        return Fraction(factorial(x + y - 1), factorial(x - 1) * factorial(y - 1))

    density_b = polynomial(c - 1, e - 1, Fraction(0))
    cdf_b = {i + 1: norm(c, e) * v / (i + 1) for i, v in density_b.items()}
    shifted = {}
    for i, v in cdf_b.items():
        for j in range(i + 1):
            shifted[j] = shifted.get(j, Fraction(0)) + v * comb(i, j) * d ** (i - j)
    density_a = {i: norm(a, b) * v for i, v in polynomial(a - 1, b - 1, Fraction(0)).items()}
    top = 1 - d
    inside = sum(v * top ** (i + 1) / (i + 1) for i, v in density_a.items())
    below = sum(
        v * w * top ** (i + j + 1) / (i + j + 1) for i, v in density_a.items() for j, w in shifted.items()
    )
    return inside - below


@pytest.mark.parametrize("parameters", [(1, 1, 1, 1), (3, 4, 5, 2), (8, 2, 9, 1), (12, 9, 6, 11)])
@pytest.mark.parametrize("d", [2**-30, 0.01, 0.125, 0.5, 0.99])
def test_whole_parameters_give_the_exact_fraction_at_any_margin(parameters, d):
    exact = float(exact_shifted_probability(*parameters, Fraction(d)))
    distribution = Difference(Beta(*parameters[:2]), Beta(*parameters[2:]))
    np.testing.assert_allclose(distribution.sf(d), exact, rtol=1e-10, atol=1e-12)
    mirrored = Difference(Beta(*parameters[2:]), Beta(*parameters[:2]))
    np.testing.assert_allclose(mirrored.cdf(-d), exact, rtol=1e-10, atol=1e-12)


def test_published_values_come_out():
    # Computed twice, by different means, before they were written down.
    distribution = Difference(A, B)
    assert distribution.sf(0.0) == pytest.approx(0.9991898497, abs=5e-11)
    assert distribution.cdf(0.02) - distribution.cdf(-0.02) == pytest.approx(0.0033628886, abs=5e-11)
    assert distribution.interval(0.95) == (
        pytest.approx(0.05164558, abs=5e-9),
        pytest.approx(0.21935612, abs=5e-9),
    )
    assert Difference(Beta(0.5, 0.5), Beta(2, 3)).sf(0.0) == pytest.approx(0.4296875, abs=1e-10)


@given(a=PARAMETERS, b=PARAMETERS, c=PARAMETERS, e=PARAMETERS, d=MARGINS)
@settings(max_examples=60, deadline=None)
def test_swapping_the_laws_mirrors_the_difference(a, b, c, e, d):
    one, other = Difference(Beta(a, b), Beta(c, e)), Difference(Beta(c, e), Beta(a, b))
    assert one.cdf(d) == pytest.approx(other.sf(-d), rel=0, abs=1e-9)
    assert one.cdf(d) + one.sf(d) == pytest.approx(1.0, abs=1e-9)
    if min(one.cdf(d), one.sf(d)) > 1e-9 and d:
        assert one.logpdf(d) == pytest.approx(other.logpdf(-d), abs=1e-7)


@given(a=PARAMETERS, b=PARAMETERS, c=PARAMETERS, e=PARAMETERS, d=MARGINS)
@settings(max_examples=40, deadline=None)
def test_counting_failures_instead_of_successes_mirrors_the_difference(a, b, c, e, d):
    one, other = Difference(Beta(a, b), Beta(c, e)), Difference(Beta(b, a), Beta(e, c))
    assert one.cdf(d) == pytest.approx(other.sf(-d), rel=0, abs=1e-9)


SMALL = st.floats(math.log(0.1), math.log(3)).map(math.exp)
TINY = st.tuples(st.floats(-9, -0.1), st.sampled_from([-1.0, 1.0])).map(lambda x: x[1] * 10.0 ** x[0])


@given(a=SMALL, b=SMALL, c=SMALL, e=SMALL, d=TINY | st.sampled_from([0.0, -0.0]))
@settings(max_examples=60, deadline=None)
def test_densities_near_a_pole_are_mirrored(a, b, c, e, d):
    one, other = Difference(Beta(a, b), Beta(c, e)), Difference(Beta(b, a), Beta(e, c))
    assert one.logpdf(d) == pytest.approx(other.logpdf(-d), abs=1e-6)
    assert one.cdf(d) == pytest.approx(other.sf(-d), rel=0, abs=1e-9)


@pytest.mark.parametrize(("a", "b"), [((78, 56), (84, 25)), ((0.5, 0.5), (0.5, 20)), ((1e5, 3), (1e5, 4))])
def test_draws_agree_with_probabilities(a, b):
    rng = np.random.default_rng(1)
    n = 200_000
    gap = stats.beta(*b).rvs(n, random_state=rng) - stats.beta(*a).rvs(n, random_state=rng)
    distribution = Difference(Beta(*a), Beta(*b))
    for d in np.quantile(gap, [0.01, 0.3, 0.5, 0.9]):
        p = distribution.cdf(d)
        assert abs(np.mean(gap <= d) - p) < 4 * math.sqrt(p * (1 - p) / n)
    assert stats.kstest(distribution.rvs(2000, rng=2), distribution.cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    "distribution",
    [
        Difference(A, B),
        Difference(Beta(0.5, 0.5), Beta(0.5, 0.5)),
        Difference(Beta(21, 1), Beta(1.5, 20)),
        Difference(Beta(1e6, 1e6), Beta(1e6, 2e6)),
        Difference(Beta(0.5, 1e6), Beta(3, 1e6)),
    ],
    ids=str,
)
def test_quantiles_invert_probabilities(distribution):
    for q in (1e-9, 0.025, 0.3, 0.5):
        # The quantile is a double, and so are its neighbours.
        below, above = (np.nextafter(distribution.ppf(q), end) for end in (-1, 1))
        assert distribution.cdf(below) * (1 - 1e-8) <= q <= distribution.cdf(above) * (1 + 1e-8)
        below, above = (np.nextafter(distribution.isf(q), end) for end in (-1, 1))
        assert distribution.sf(above) * (1 - 1e-8) <= q <= distribution.sf(below) * (1 + 1e-8)


def test_the_density_at_0_is_infinite_where_both_laws_crowd_at_an_end():
    assert Difference(Beta(0.5, 2), Beta(0.5, 3)).pdf(0.0) == math.inf
    assert Difference(Beta(2, 0.3), Beta(3, 0.4)).pdf(0.0) == math.inf
    # It is finite where both parameters at that end add up to more than 1.
    distribution = Difference(Beta(0.8, 2), Beta(0.8, 2))
    assert distribution.pdf(0.0) == pytest.approx(distribution.pdf(1e-13), rel=1e-4)


@pytest.mark.parametrize(
    ("a", "b"), [((78, 56), (84, 25)), ((21, 1), (1.5, 20)), ((1e6, 1e6), (1e6, 2e6)), ((2.5, 3), (4, 1.2))]
)
def test_the_mode_is_where_the_density_is_highest(a, b):
    distribution = Difference(Beta(*a), Beta(*b))
    mode, spread = distribution.mode(), distribution.std()
    around = distribution.pdf(mode + spread * np.array([-0.1, -1e-3, 1e-3, 0.1]))
    assert np.all(distribution.pdf(mode) > around)
    # Between points of equal height the mode is in the middle, to second order.
    assert around[1] == pytest.approx(around[2], rel=1e-7)


@pytest.mark.long
@pytest.mark.parametrize("prob", [0.5, 0.95, 0.999])
def test_the_shortest_interval_has_its_mass_between_equal_heights(prob):
    distribution = Difference(A, B)
    low, high = distribution.hdi(prob)
    assert distribution.cdf(high) - distribution.cdf(low) == pytest.approx(prob, abs=1e-9)
    assert distribution.logpdf(low) == pytest.approx(distribution.logpdf(high), abs=1e-6)
    # Searching all intervals with this mass finds none shorter.
    tails = np.linspace(0, 1 - prob, 201)[1:-1]
    assert high - low <= np.min(distribution.isf(1 - prob - tails) - distribution.ppf(tails)) + 1e-9


@pytest.mark.parametrize("entry", F_GRID, ids=lambda e: f"{e[0]}-{e[1]}-{e[2]:g}".replace(" ", ""))
def test_differences_of_other_weights_are_exact(entry):
    a, b, d, *exact = entry
    below, above, log_density = map(float, exact)
    distribution = Difference(FScore(*a), FScore(*b))
    np.testing.assert_allclose([distribution.cdf(d), distribution.sf(d)], [below, above], rtol=0, atol=1e-10)
    assert distribution.logpdf(d) == pytest.approx(log_density, abs=1e-7)


@pytest.mark.parametrize(
    ("a", "b", "ends"),
    [
        ((0.5, 0.5), (0.5, 1), (-1.0, 0.6475607184897866)),
        ((0.5, 1), (0.5, 0.5), (-0.6475607184897866, 1.0)),
    ],
)
def test_a_shortest_interval_that_ends_with_the_support_is_found(a, b, ends):
    distribution = Difference(Beta(*a), Beta(*b))
    assert distribution.hdi() == pytest.approx(ends, abs=1e-9)
    assert distribution.cdf(ends[1]) - distribution.cdf(ends[0]) == pytest.approx(0.95, abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("beta", [1.0, 0.1, 10.0])
def test_a_thousand_million_counts_have_answers(beta):
    distribution = Difference(FScore(1e9, 2e8, 3e8, beta), FScore(1e9, 1e8, 2e8 + 0.5, beta))
    assert distribution.sf(0.0) == pytest.approx(1.0, abs=1e-9)
    low, high = distribution.interval()
    assert low < distribution.mean() < high
    assert distribution.cdf(high) - distribution.cdf(low) == pytest.approx(0.95, abs=1e-4)
    assert np.isfinite([distribution.mode(), distribution.pdf(distribution.mean())]).all()
