"""One contract for every kind of posterior, each clause checked by other means than the package's own."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from bayesf1 import Beta, Difference, FScore
from bayesf1.distributions.empirical import EmpiricalPosterior
from bayesf1.distributions.student_t import StudentT

# Names say what is special about them.
EXACT = {
    "Beta": Beta(78, 11),
    "Beta, uniform": Beta(1, 1),
    "Beta, U-shaped": Beta(0.5, 0.5),
    "Beta, falling": Beta(1, 20),
    "Beta, tiny and huge": Beta(0.5, 1e6),
    "Beta, huge": Beta(1e6, 1e6),
    "F1": FScore(78, 45, 11),
    "F1, prior only": FScore(1, 1, 1),
    "F1, few hits": FScore(0.5, 1e6, 2),
    "F1, few errors": FScore(1e6, 0.5, 3),
    "F0.5": FScore(78, 45, 11, 0.5),
    "F2": FScore(78, 45, 11, 2.0),
    "F2, Jeffreys' prior only": FScore(0.5, 0.5, 0.5, 2.0),
    "F2, large": FScore(1e6, 3e4, 2e5, 2.0),
    "difference": Difference(FScore(78, 45, 11), FScore(84, 10, 15)),
    "difference, skewed": Difference(Beta(21, 1), Beta(1.5, 20)),
    "difference, peaked": Difference(Beta(0.8, 4), Beta(0.9, 3)),
    "difference, huge": Difference(Beta(1e6, 1e6), Beta(1e6, 2e6)),
    "difference of F2": Difference(FScore(7, 4, 2, 2.0), FScore(8, 1, 2, 2.0)),
}
DRAWN = EmpiricalPosterior(np.random.default_rng(0).beta(5, 3, 40_000), support=(0.0, 1.0))
STUDENT = {"Student": StudentT(0, 1, 5), "Student, bounded": StudentT(0.2, 0.3, 5, support=(-1.0, 1.0))}
LEVELS = np.array([1e-9, 0.01, 0.2, 0.5, 0.8, 0.99])

over_exact = pytest.mark.parametrize("distribution", EXACT.values(), ids=EXACT.keys())
over_every = pytest.mark.parametrize(
    "distribution", [*EXACT.values(), DRAWN, *STUDENT.values()], ids=[*EXACT, "draws", *STUDENT]
)
over_all = pytest.mark.parametrize("distribution", [*EXACT.values(), DRAWN], ids=[*EXACT, "draws"])


def moments(distribution):
    """Mass, mean and variance after standardising, by scipy's adaptive quadrature of the density, cut at quantiles and poles."""
    lower, upper = (0.0, 1e-12, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.99, 0.9999), (1e-6, 1e-12, 0.0)
    singular = np.clip(0.0, *distribution.support)
    cuts = np.unique([*distribution.ppf(lower), *distribution.isf(upper), singular])
    centre, scale = distribution.mean(), distribution.std()

    def integrand(x):
        density, z = distribution.pdf(x), (x - centre) / scale
        return density * np.array([1.0, z, z * z]) if math.isfinite(density) else np.zeros(3)

    return sum(
        integrate.quad_vec(integrand, *ends, epsabs=1e-10, epsrel=1e-9, limit=200)[0]
        for ends in itertools.pairwise(cuts)
        if ends[1] - ends[0] > 1e-13 * max(abs(end) for end in ends)
    )


@over_every
def test_the_ends_are_those_of_the_support(distribution):
    low, high = distribution.support
    first, last = (DRAWN.draws[0], DRAWN.draws[-1]) if distribution is DRAWN else (low, high)
    assert distribution.ppf([0.0, 1.0]).tolist() == [first, last]
    assert distribution.isf([0.0, 1.0]).tolist() == [last, first]
    below, above = (low - 1.0, high + 1.0)
    assert distribution.cdf([below, above]).tolist() == [0.0, 1.0]
    assert distribution.sf([below, above]).tolist() == [1.0, 0.0]
    if math.isfinite(low):
        assert distribution.pdf([below, above]).tolist() == [0.0, 0.0]
    drawn = distribution.rvs(1000, rng=0)
    assert ((low <= drawn) & (drawn <= high)).all()


@over_every
def test_what_is_not_known_has_no_probability(distribution):
    for f in (distribution.cdf, distribution.sf, distribution.pdf, distribution.logpdf):
        assert math.isnan(f(math.nan))
        assert np.isnan(f([math.nan, 0.3])).tolist() == [True, False]


@over_every
@pytest.mark.parametrize("q", [1e-17, 1e-30, 1e-170, 1e-300, 5e-324])
def test_tiny_levels_have_quantiles(distribution, q):
    low, high = distribution.support
    assert low <= distribution.ppf(q) <= distribution.ppf(1e-9) + 1e-9
    assert high >= distribution.isf(q) >= distribution.isf(1e-9) - 1e-9


@over_all
def test_probabilities_below_and_above_add_up_to_one(distribution):
    x = distribution.ppf(LEVELS)
    np.testing.assert_allclose(distribution.cdf(x) + distribution.sf(x), 1.0, rtol=0, atol=1e-10)


@over_exact
def test_quantiles_invert_probabilities(distribution):
    for forth, back in ((distribution.ppf, distribution.cdf), (distribution.isf, distribution.sf)):
        x = forth(LEVELS)
        # A quantile is a double: its neighbours tell how well it can be known.
        slack = np.maximum(
            np.abs(back(np.nextafter(x, 1)) - back(np.nextafter(x, -1))), 1e-10 + 1e-8 * LEVELS
        )
        assert np.all(np.abs(back(x) - LEVELS) <= slack)


def test_quantiles_of_draws_invert_probabilities_up_to_one_draw():
    n = len(DRAWN.draws)
    assert np.all(np.abs(DRAWN.cdf(DRAWN.ppf(LEVELS)) - LEVELS) <= 1.01 / n)
    assert np.all(np.abs(DRAWN.sf(DRAWN.isf(LEVELS)) - LEVELS) <= 1.01 / n)


@over_all
def test_probabilities_never_fall(distribution):
    x = np.linspace(distribution.ppf(1e-6), distribution.isf(1e-6), 30)
    assert np.all(np.diff(distribution.cdf(x)) >= -1e-11)
    assert np.all(np.diff(distribution.sf(x)) <= 1e-11)
    assert np.all(distribution.pdf(x) >= 0)


@over_exact
def test_the_density_integrates_to_one_and_has_the_mean_and_variance(distribution):
    assert moments(distribution) == pytest.approx([1.0, 0.0, 1.0], abs=1e-6)
    assert distribution.var() == pytest.approx(distribution.std() ** 2, rel=1e-12)


@over_exact
def test_the_density_is_the_slope_of_the_distribution(distribution):
    x = distribution.ppf([0.1, 0.4, 0.7])
    h = 1e-3 * np.minimum(
        distribution.ppf([0.11, 0.41, 0.71]) - distribution.ppf([0.09, 0.39, 0.69]), np.abs(x)
    )
    # Fourth order, so that steps can be large enough for differences to keep their digits.
    slope = 8 * (distribution.cdf(x + h) - distribution.cdf(x - h)) - (
        distribution.cdf(x + 2 * h) - distribution.cdf(x - 2 * h)
    )
    rounding = np.max(np.spacing(x) / h)
    np.testing.assert_allclose(distribution.pdf(x), slope / (12 * h), rtol=1e-6 + rounding)
    np.testing.assert_allclose(distribution.logpdf(x), np.log(distribution.pdf(x)), rtol=1e-10, atol=1e-12)


@over_all
@pytest.mark.parametrize("prob", [0.5, 0.95])
def test_intervals_have_their_mass_and_the_shortest_is_no_longer_than_the_equal_tailed(distribution, prob):
    low, high = distribution.interval(prob)
    h_low, h_high = distribution.hdi(prob)
    coarse = 2 / len(DRAWN.draws) if distribution is DRAWN else 0.0
    # Ends are doubles, which matters for laws that are squeezed against 1.
    slack = 1e-9 + coarse + 4 * np.spacing(max(abs(low), abs(high))) / distribution.std()
    assert distribution.cdf(high) - distribution.cdf(low) == pytest.approx(prob, abs=slack)
    assert distribution.cdf(h_high) - distribution.cdf(h_low) == pytest.approx(prob, abs=slack)
    assert h_high - h_low <= (high - low) * (1 + 1e-12) + 4 * np.spacing(1.0)


@over_exact
def test_nothing_is_denser_than_the_mode(distribution):
    near = distribution.mode() + distribution.std() * np.array([-1e-3, 1e-3])
    x = np.concatenate([distribution.ppf(np.linspace(0.01, 0.99, 25)), near])
    assert np.all(distribution.pdf(distribution.mode()) >= distribution.pdf(x) * (1 - 1e-9))


@over_all
def test_draws_follow_the_law(distribution):
    # Some probabilities are integrals.
    n = 300 if isinstance(distribution, Difference | FScore) else 4000
    draws = distribution.rvs(n, rng=1)
    assert draws.shape == (n,)
    assert stats.kstest(draws, distribution.cdf).pvalue > 1e-3


@over_all
def test_draws_are_reproducible(distribution):
    one, other = (distribution.rvs((2, 3), rng=rng) for rng in (7, np.random.default_rng(7)))
    assert one.tolist() == other.tolist()


@over_all
def test_scalars_give_floats_and_arrays_give_arrays(distribution):
    x = distribution.median()
    for name in ("pdf", "cdf", "sf", "logpdf"):
        f = getattr(distribution, name)
        assert type(f(x)) is float
        assert f([x, x]).shape == (2,)
        assert f(np.full((2, 1), x)).shape == (2, 1)
    for name in ("ppf", "isf"):
        f = getattr(distribution, name)
        assert type(f(0.3)) is float
        assert f([[0.1, 0.2, 0.3]]).shape == (1, 3)
    for name in ("mean", "var", "std", "median", "mode"):
        assert type(getattr(distribution, name)()) is float
    assert [type(end) for end in (*distribution.interval(), *distribution.hdi())] == [float] * 4


@over_all
def test_levels_and_masses_that_are_no_probabilities_are_refused(distribution):
    for level in (-0.1, 1.1, math.nan, [0.5, 2.0]):
        for f in (distribution.ppf, distribution.isf):
            with pytest.raises(ValueError, match="probabilities lie between 0 and 1, not"):
                f(level)
    for prob in (0, 1, 95, math.nan, True, "0.95", None):
        for f in (distribution.interval, distribution.hdi):
            with pytest.raises(ValueError, match=r"prob must (lie strictly between 0 and 1|be a number)"):
                f(prob)
