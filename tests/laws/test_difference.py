"""The law of a difference: against exact fractions, many-digit quadrature, other packages, and itself."""

import json
import math
from fractions import Fraction
from math import comb, factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import integrate, stats

from bayesf1 import Beta, Difference, FScore
from bayesf1.laws import convolution, difference, quadrature
from bayesf1.laws.difference import tail_probabilities

REFERENCE = Path(__file__).parents[1] / "reference"
# Made by tests/reference/make_difference_grid.py with mpmath.
GRID = json.loads((REFERENCE / "difference_grid.json").read_text(encoding="utf-8"))["entries"]

# Made by tests/reference/make_fbeta_difference_grid.py with mpmath.
F_GRID = json.loads((REFERENCE / "fbeta_difference_grid.json").read_text(encoding="utf-8"))["entries"]

A, B = FScore(78, 45, 11), FScore(84, 10, 15)
PARAMETERS = st.floats(math.log(0.5), math.log(1e9)).map(math.exp)
MARGINS = st.floats(-0.999, 0.999)


def law_of(parameters):
    return Beta(*parameters) if len(parameters) == 2 else FScore(*parameters)


@pytest.mark.parametrize("entry", GRID, ids=lambda e: f"{e[0]}-{e[1]}-{e[2]:g}".replace(" ", ""))
def test_probabilities_and_densities_are_exact(entry):
    a, b, d, *exact = entry
    below, above, log_density = map(float, exact)
    law = Difference(law_of(a), law_of(b))
    assert law.cdf(d) == pytest.approx(below, rel=0, abs=2e-12)
    assert law.sf(d) == pytest.approx(above, rel=0, abs=2e-12)
    if min(below, above) > 1e-50:
        np.testing.assert_allclose([law.cdf(d), law.sf(d)], [below, above], rtol=1e-10)
        assert law.logpdf(d) == pytest.approx(log_density, rel=1e-10, abs=1e-10)


def exact_probability(a, b, c, e):
    """P(Be(c, e) > Be(a, b)) for whole parameters, as a finite sum of positive fractions."""

    def beta(x, y):
        return Fraction(factorial(x - 1) * factorial(y - 1), factorial(x + y - 1))

    return sum(beta(a + i, b + e) / ((e + i) * beta(1 + i, e) * beta(a, b)) for i in range(c))


@pytest.mark.parametrize("parameters", [(1, 1, 1, 1), (3, 4, 5, 2), (78, 56, 84, 25), (9, 200, 30, 190)])
def test_whole_parameters_give_the_finite_sum(parameters):
    a, b, c, e = parameters
    exact = float(exact_probability(a, b, c, e))
    no_more, more = tail_probabilities(Beta(a, b), Beta(c, e))
    np.testing.assert_allclose([no_more, more], [float(exact_probability(c, e, a, b)), exact], rtol=1e-13)


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
    law = Difference(Beta(*parameters[:2]), Beta(*parameters[2:]))
    np.testing.assert_allclose(law.sf(d), exact, rtol=1e-11)
    mirrored = Difference(Beta(*parameters[2:]), Beta(*parameters[:2]))
    np.testing.assert_allclose(mirrored.cdf(-d), exact, rtol=1e-11)


def test_published_values_come_out():
    # Computed twice, by different means, before they were written down.
    law = Difference(A, B)
    assert law.sf(0.0) == pytest.approx(0.9991898497, abs=5e-11)
    assert law.cdf(0.02) - law.cdf(-0.02) == pytest.approx(0.0033628886, abs=5e-11)
    assert law.interval(0.95) == (pytest.approx(0.05164558, abs=5e-9), pytest.approx(0.21935612, abs=5e-9))
    assert tail_probabilities(Beta(0.5, 0.5), Beta(2, 3))[1] == pytest.approx(0.4296875, abs=1e-15)


@given(a=PARAMETERS, b=PARAMETERS, c=PARAMETERS, e=PARAMETERS, d=MARGINS)
@settings(max_examples=150, deadline=None)
def test_swapping_the_laws_mirrors_the_difference(a, b, c, e, d):
    one, other = Difference(Beta(a, b), Beta(c, e)), Difference(Beta(c, e), Beta(a, b))
    assert one.cdf(d) == pytest.approx(other.sf(-d), rel=0, abs=1e-11)
    assert one.cdf(d) + one.sf(d) == pytest.approx(1.0, abs=1e-15)
    if min(one.cdf(d), one.sf(d)) > 1e-60 and d:
        assert one.logpdf(d) == pytest.approx(other.logpdf(-d), rel=1e-9, abs=1e-9)


@given(a=PARAMETERS, b=PARAMETERS, c=PARAMETERS, e=PARAMETERS, d=MARGINS)
@settings(max_examples=100, deadline=None)
def test_counting_failures_instead_of_successes_mirrors_the_difference(a, b, c, e, d):
    one, other = Difference(Beta(a, b), Beta(c, e)), Difference(Beta(b, a), Beta(e, c))
    assert one.cdf(d) == pytest.approx(other.sf(-d), rel=0, abs=1e-11)


SMALL = st.floats(math.log(0.1), math.log(3)).map(math.exp)
TINY = st.tuples(st.floats(-320, -0.1), st.sampled_from([-1.0, 1.0])).map(lambda x: x[1] * 10.0 ** x[0])


@given(a=SMALL, b=SMALL, c=SMALL, e=SMALL, d=TINY | st.sampled_from([0.0, -0.0]))
@settings(max_examples=150, deadline=None)
def test_densities_near_a_pole_are_mirrored(a, b, c, e, d):
    mirrored = Difference(Beta(b, a), Beta(e, c)).logpdf(-d)
    assert Difference(Beta(a, b), Beta(c, e)).logpdf(d) == pytest.approx(mirrored, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_twice_as_many_nodes_change_nothing(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    a, b, c, e = np.exp(rng.uniform(math.log(0.05), math.log(1e9), (4, 500)))
    alike = rng.random(500) < 0.5
    c, e = np.where(alike, np.clip(1.1 * a, 0.05, 1e9), c), np.where(alike, np.clip(1.09 * b, 0.05, 1e9), e)
    law_a, law_b = Beta(a, b), Beta(c, e)
    far = Difference(law_a, law_b).mean() + rng.normal(0, 8, 500) * Difference(law_a, law_b).std()
    d = np.clip(np.where(rng.random(500) < 0.2, rng.uniform(-1, 1, 500), far), -0.999999, 0.999999)
    d[::7] = 0.0
    coarse = tail_probabilities(law_a, law_b, d)
    monkeypatch.setattr(quadrature, "STEP", 0.4)
    fine = tail_probabilities(law_a, law_b, d)
    np.testing.assert_allclose(coarse, fine, rtol=0, atol=2e-12)
    for c1, f1 in zip(coarse, fine, strict=True):
        np.testing.assert_allclose(c1[f1 > 1e-50], f1[f1 > 1e-50], rtol=2e-10)


def test_f1_is_compared_like_the_jaccard_index():
    for tables in (((78, 45, 11), (84, 10, 15)), ((0.5, 1e6, 2), (3, 1e6, 0.5)), ((1e9, 3, 3), (1e9, 1, 8))):
        f1 = tail_probabilities(*(FScore(*t) for t in tables))
        jaccard = tail_probabilities(*(Beta(t[0], t[1] + t[2]) for t in tables))
        np.testing.assert_allclose(f1, jaccard, rtol=1e-11)


@pytest.mark.parametrize("beta", [0.5, 2.0])
@pytest.mark.parametrize("d", [0.0, 0.05, -0.2])
def test_other_weights_agree_with_plain_integration(beta, d):
    a, b = FScore(78, 45, 11, beta), FScore(84, 10, 15, beta)
    low = max(0.0, -d)
    inner, _ = integrate.quad(
        lambda t: a.pdf(t) * b.sf(t + d), low, min(1.0, 1.0 - d), points=[0.75], epsabs=1e-12
    )
    assert Difference(a, b).sf(d) == pytest.approx(inner + a.cdf(low), abs=1e-11)


@pytest.mark.parametrize(("a", "b"), [((78, 56), (84, 25)), ((0.5, 0.5), (0.5, 20)), ((1e5, 3), (1e5, 4))])
def test_draws_agree_with_probabilities(a, b):
    rng = np.random.default_rng(1)
    n = 200_000
    gap = stats.beta(*b).rvs(n, random_state=rng) - stats.beta(*a).rvs(n, random_state=rng)
    law = Difference(Beta(*a), Beta(*b))
    for d in np.quantile(gap, [0.01, 0.3, 0.5, 0.9]):
        p = law.cdf(d)
        assert abs(np.mean(gap <= d) - p) < 4 * math.sqrt(p * (1 - p) / n)
    assert stats.kstest(law.rvs(2000, rng=2), law.cdf).pvalue > 1e-3


def test_nothing_lies_outside_of_minus_one_to_one():
    law = Difference(A, B)
    assert law.cdf([-2, -1, 1, 2]).tolist() == [0, 0, 1, 1]
    assert law.sf([-2, -1, 1, 2]).tolist() == [1, 1, 0, 0]
    assert law.pdf([-2, -1, 1, 2]).tolist() == [0, 0, 0, 0]
    assert (law.ppf(0.0), law.ppf(1.0), law.isf(0.0), law.isf(1.0)) == (-1, 1, 1, -1)
    assert all(math.isnan(f(math.nan)) for f in (law.cdf, law.sf, law.pdf))


@pytest.mark.parametrize(
    "law",
    [
        Difference(A, B),
        Difference(Beta(0.5, 0.5), Beta(0.5, 0.5)),
        Difference(Beta(21, 1), Beta(1.5, 20)),
        Difference(Beta(1e9, 1e9), Beta(1e9, 2e9)),
        Difference(Beta(0.5, 1e6), Beta(3, 1e6)),
    ],
    ids=str,
)
def test_quantiles_invert_probabilities_far_into_the_tails(law):
    for q in (1e-30, 1e-9, 0.025, 0.3, 0.5):
        # The quantile is a double, and so are its neighbours.
        below, above = (np.nextafter(law.ppf(q), end) for end in (-1, 1))
        assert law.cdf(below) * (1 - 1e-9) <= q <= law.cdf(above) * (1 + 1e-9)
        below, above = (np.nextafter(law.isf(q), end) for end in (-1, 1))
        assert law.sf(above) * (1 - 1e-9) <= q <= law.sf(below) * (1 + 1e-9)


def test_many_comparisons_at_once_equal_single_ones():
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 400, (2, 20_000, 3)) + 1.0
    a, b = (FScore(*c.T) for c in counts)
    no_more, more = tail_probabilities(a, b)
    np.testing.assert_allclose(no_more + more, 1.0, rtol=1e-15)
    for i in range(0, 20_000, 997):
        single = tail_probabilities(FScore(*counts[0, i]), FScore(*counts[1, i]))
        np.testing.assert_allclose((no_more[i], more[i]), single, rtol=1e-10)


def test_laws_and_margins_broadcast():
    law = Difference(Beta([3.0, 30.0], 4.0), Beta([[5.0], [6.0], [0.5]], 2.0))
    assert law.shape == (3, 2)
    d = np.array([-0.1, 0.2]).reshape(2, 1, 1)
    for name in ("cdf", "sf", "pdf", "logpdf"):
        found = getattr(law, name)(d)
        assert found.shape == (2, 3, 2)
        single = getattr(Difference(Beta(30.0, 4.0), Beta(6.0, 2.0)), name)(0.2)
        assert found[1, 1, 1] == pytest.approx(single, rel=1e-11)
    assert law.ppf(0.3).shape == law.mode().shape == law.entropy().shape == law.hdi()[0].shape == (3, 2)


def test_the_density_at_0_is_infinite_where_both_laws_crowd_at_an_end():
    assert Difference(Beta(0.5, 2), Beta(0.5, 3)).pdf(0.0) == math.inf
    assert Difference(Beta(2, 0.3), Beta(3, 0.4)).pdf(0.0) == math.inf
    # It is finite where both parameters at that end add up to more than 1.
    law = Difference(Beta(0.8, 2), Beta(0.8, 2))
    assert law.pdf(0.0) == pytest.approx(law.pdf(1e-13), rel=1e-4)


@pytest.mark.parametrize(
    ("a", "b"), [((78, 56), (84, 25)), ((21, 1), (1.5, 20)), ((1e9, 1e9), (1e9, 2e9)), ((2.5, 3), (4, 1.2))]
)
def test_the_mode_is_where_the_density_is_highest(a, b):
    law = Difference(Beta(*a), Beta(*b))
    mode, spread = law.mode(), law.std()
    around = law.pdf(mode + spread * np.array([-0.1, -1e-3, 1e-3, 0.1]))
    assert np.all(law.pdf(mode) > around)
    # Between points of equal height the mode is in the middle, to second order.
    assert around[1] == pytest.approx(around[2], rel=1e-7)


def test_modes_without_a_slope_are_found():
    assert Difference(Beta(0.5, 0.5), Beta(0.5, 0.5)).mode() == 0.0
    assert Difference(Beta(1, 1), Beta(1, 1)).mode() == pytest.approx(0.0, abs=1e-12)
    assert Difference(Beta(0.5, 1e6), Beta(0.5, 1e6)).mode() == 0.0


def test_the_entropy_of_a_difference_of_uniforms_is_one_half():
    # The density is the triangle 1 - |d|.
    assert Difference(Beta(1, 1), Beta(1, 1)).entropy() == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("prob", [0.5, 0.95, 0.999])
def test_the_shortest_interval_has_its_mass_between_equal_heights(prob):
    law = Difference(A, B)
    low, high = law.hdi(prob)
    assert law.cdf(high) - law.cdf(low) == pytest.approx(prob, abs=1e-12)
    assert law.logpdf(low) == pytest.approx(law.logpdf(high), abs=1e-9)
    # Searching all intervals with this mass finds none shorter.
    tails = np.linspace(0, 1 - prob, 201)[1:-1]
    assert high - low <= np.min(law.isf(1 - prob - tails) - law.ppf(tails)) + 1e-12


def test_threads_that_work_on_mixtures_do_not_wait_for_each_other():
    # Laws made of other laws deadlocked on the lock of Python 3.11's cached_property.
    counts = np.random.default_rng(4).integers(1, 60, (2, 3, 300)).astype(float)
    a, b = (FScore(*c, 2.0) for c in counts)
    _, more = tail_probabilities(a, b)
    for i in (0, 150, 299):
        single = tail_probabilities(FScore(*counts[0, :, i], 2.0), FScore(*counts[1, :, i], 2.0))[1]
        assert more[i] == pytest.approx(single, rel=1e-10)


@pytest.mark.parametrize("entry", F_GRID, ids=lambda e: f"{e[0]}-{e[1]}-{e[2]:g}".replace(" ", ""))
def test_differences_of_other_weights_are_exact(entry):
    a, b, d, *exact = entry
    below, above, log_density = map(float, exact)
    law = Difference(FScore(*a), FScore(*b))
    np.testing.assert_allclose([law.cdf(d), law.sf(d)], [below, above], rtol=1e-10)
    assert law.logpdf(d) == pytest.approx(log_density, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("beta", [0.5, 2.0, 10.0])
@pytest.mark.parametrize(("least", "most"), [(0.5, 3), (1, 60), (50, 500), (1e3, 1e5)])
def test_tables_of_mixtures_give_what_all_components_give(beta, least, most):
    rng = np.random.default_rng(8)
    parameters = np.exp(rng.uniform(math.log(least), math.log(most), (2, 3, 25)))
    a, b = (FScore(*p, beta) for p in parameters)
    for d in (0.0, 0.03, -0.2):
        tabulated = convolution.evaluate(a, b, d, convolution.BOTH)
        plain = convolution._evaluate(a, b, np.asarray(d), convolution.BOTH)
        for found, exact in zip(tabulated, plain, strict=True):
            kept = exact > 1e-50
            np.testing.assert_allclose(found[kept], exact[kept], rtol=1e-10)


def test_mixtures_are_tabulated_once_and_with_fewer_components():
    law = FScore(78, 45, 11, 2.0)
    table = law.tabulated(50.0)
    assert table is law.tabulated(50.0)
    assert 2 * table.odds[0].size < law.odds[0].size
    assert FScore(78, 45, 11).tabulated(50.0).mixed is False


@pytest.mark.parametrize(
    ("a", "b", "ends"),
    [
        ((0.5, 0.5), (0.5, 1), (-1.0, 0.6475607184897866)),
        ((0.5, 1), (0.5, 0.5), (-0.6475607184897866, 1.0)),
    ],
)
def test_a_shortest_interval_that_ends_with_the_law_is_found_in_few_evaluations(a, b, ends, monkeypatch):
    calls = []
    evaluate = convolution.evaluate
    monkeypatch.setattr(difference, "evaluate", lambda *args: calls.append(args) or evaluate(*args))
    law = Difference(Beta(*a), Beta(*b))
    assert law.hdi() == pytest.approx(ends, abs=1e-11)
    assert law.cdf(ends[1]) - law.cdf(ends[0]) == pytest.approx(0.95, abs=1e-11)
    # Following a vanishing tail through all numbers took thousands.
    assert len(calls) < 400
