"""The distribution of a difference: against many-digit quadrature and itself; test_contract.py has the rest."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import integrate

from bayesf1 import Beta, Difference, FScore

REFERENCE = Path(__file__).parents[1] / "reference"
# Made by tests/reference/make_grids.py with mpmath.
GRID = json.loads((REFERENCE / "difference_grid.json").read_text(encoding="utf-8"))["entries"]

A, B = FScore(78, 45, 11), FScore(84, 10, 15)
# From crowded at an end to a million counts, and margins of any size.
PARAMETERS = st.floats(math.log(0.1), math.log(1e6)).map(math.exp)
MARGINS = st.tuples(st.floats(-9, -0.0005), st.sampled_from([-1.0, 1.0])).map(lambda x: x[1] * 10.0 ** x[0])


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


@given(a=PARAMETERS, b=PARAMETERS, c=PARAMETERS, e=PARAMETERS, d=MARGINS | st.sampled_from([0.0, -0.0]))
@settings(max_examples=60)
def test_swapping_the_models_or_counting_failures_mirrors_the_difference(a, b, c, e, d):
    one = Difference(Beta(a, b), Beta(c, e))
    assert one.cdf(d) + one.sf(d) == pytest.approx(1.0, abs=1e-9)
    for other in (Difference(Beta(c, e), Beta(a, b)), Difference(Beta(b, a), Beta(e, c))):
        assert one.cdf(d) == pytest.approx(other.sf(-d), rel=0, abs=1e-9)
        if min(one.cdf(d), one.sf(d)) > 1e-9:
            assert one.logpdf(d) == pytest.approx(other.logpdf(-d), abs=1e-6)


def test_the_density_at_0_is_infinite_where_both_laws_crowd_at_an_end():
    assert Difference(Beta(0.5, 2), Beta(0.5, 3)).pdf(0.0) == math.inf
    assert Difference(Beta(2, 0.3), Beta(3, 0.4)).pdf(0.0) == math.inf
    # It is finite where both parameters at that end add up to more than 1.
    distribution = Difference(Beta(0.8, 2), Beta(0.8, 2))
    assert distribution.pdf(0.0) == pytest.approx(distribution.pdf(1e-13), rel=1e-4)


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


@pytest.mark.parametrize("beta", [0.5, 2.0])
@pytest.mark.parametrize(
    ("a", "b", "d"),
    [((7, 4, 2), (8, 1, 2), 0.1), ((78, 45, 11), (84, 10, 15), 0.0), ((20, 5, 30), (40, 10, 3), -0.1)],
)
def test_differences_of_other_weights_are_integrals_over_one_score(a, b, d, beta):
    a, b = FScore(*a, beta), FScore(*b, beta)
    low, high, cuts = max(0.0, -d), min(1.0, 1.0 - d), a.ppf([1e-6, 0.01, 0.5, 0.99])

    def integral(g):
        return integrate.quad(lambda t: a.pdf(t) * g(t + d), low, high, points=cuts, epsabs=1e-12, limit=200)[
            0
        ]

    distribution = Difference(a, b)
    assert distribution.sf(d) == pytest.approx(a.cdf(low) + integral(b.sf), abs=1e-9)
    assert distribution.cdf(d) == pytest.approx(a.sf(high) + integral(b.cdf), abs=1e-9)
    assert distribution.pdf(d) == pytest.approx(integral(b.pdf), rel=1e-7)


@pytest.mark.parametrize(
    ("a", "b", "ends"),
    [((0.5, 0.5), (0.5, 1), (-1.0, 0.6475607184897866)), ((0.5, 1), (0.5, 0.5), (-0.6475607184897866, 1.0))],
)
def test_a_shortest_interval_that_ends_with_the_support_is_found(a, b, ends):
    distribution = Difference(Beta(*a), Beta(*b))
    assert distribution.hdi() == pytest.approx(ends, abs=1e-9)
    assert distribution.cdf(ends[1]) - distribution.cdf(ends[0]) == pytest.approx(0.95, abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("beta", [1.0, 0.1])
def test_a_thousand_million_counts_have_answers(beta):
    distribution = Difference(FScore(1e9, 2e8, 3e8, beta), FScore(1e9, 1e8, 2e8 + 0.5, beta))
    assert distribution.sf(0.0) == pytest.approx(1.0, abs=1e-9)
    low, high = distribution.interval()
    assert low < distribution.mean() < high
    assert distribution.cdf(high) - distribution.cdf(low) == pytest.approx(0.95, abs=1e-4)
    assert np.isfinite([distribution.mode(), distribution.pdf(distribution.mean())]).all()
