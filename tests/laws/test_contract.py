"""One contract for every kind of posterior, each clause checked by other means than the package's own."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from bayesf1 import Beta, Difference, EmpiricalPosterior, FScore

# Names say what is special about them.
EXACT = {
    "Beta": Beta(78, 11),
    "Beta, uniform": Beta(1, 1),
    "Beta, U-shaped": Beta(0.5, 0.5),
    "Beta, falling": Beta(1, 20),
    "Beta, tiny and huge": Beta(0.5, 1e9),
    "Beta, huge": Beta(1e9, 1e9),
    "F1": FScore(78, 45, 11),
    "F1, prior only": FScore(1, 1, 1),
    "F1, few hits": FScore(0.5, 1e6, 2),
    "F1, few errors": FScore(1e9, 0.5, 3),
    "F0.5": FScore(78, 45, 11, 0.5),
    "F2": FScore(78, 45, 11, 2.0),
    "F2, Jeffreys' prior only": FScore(0.5, 0.5, 0.5, 2.0),
    "F2, large": FScore(1e6, 3e4, 2e5, 2.0),
    "difference": Difference(FScore(78, 45, 11), FScore(84, 10, 15)),
    "difference, skewed": Difference(Beta(21, 1), Beta(1.5, 20)),
    "difference, peaked": Difference(Beta(0.8, 4), Beta(0.9, 3)),
    "difference, huge": Difference(Beta(1e9, 1e9), Beta(1e9, 2e9)),
    "difference of F2": Difference(FScore(7, 4, 2, 2.0), FScore(8, 1, 2, 2.0)),
}
DRAWN = EmpiricalPosterior(np.random.default_rng(0).beta(5, 3, 40_000), support=(0.0, 1.0))
MANY = {
    "Beta": Beta([[2.0, 78.0, 1e6]], [[11.0], [0.5]]),
    "F1": FScore([3.0, 40.0], 5.0, [[1.0], [8.0], [1e5]]),
    "F2": FScore([3.0, 40.0], 5.0, [[1.0], [8.0], [1e5]], 2.0),
    "difference": Difference(Beta([3.0, 30.0], 4.0), Beta(5.0, [[2.0], [7.0], [1.0]])),
}
LEVELS = np.array([1e-9, 0.01, 0.2, 0.5, 0.8, 0.99])

over_exact = pytest.mark.parametrize("law", EXACT.values(), ids=EXACT.keys())
over_all = pytest.mark.parametrize("law", [*EXACT.values(), DRAWN], ids=[*EXACT, "draws"])
over_many = pytest.mark.parametrize("law", MANY.values(), ids=MANY.keys())


def integral(law, g):
    """E[g(X)] by scipy's adaptive quadrature of the density, cut at quantiles and where it may be singular."""
    cuts = law.ppf([0.0, 1e-12, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.99, 0.9999])
    cuts = np.unique([*cuts, *law.isf([1e-6, 1e-12, 0.0]), np.clip(0.0, law.ppf(0.0), law.isf(0.0))])

    def integrand(x):
        density = law.pdf(x)
        return g(x) * density if math.isfinite(density) else 0.0

    return sum(
        integrate.quad(integrand, *ends, epsabs=1e-11, epsrel=1e-9, limit=200, full_output=1)[0]
        for ends in itertools.pairwise(cuts)
        if ends[1] - ends[0] > 1e-13 * max(abs(end) for end in ends)
    )


@over_all
def test_probabilities_below_and_above_add_up_to_one(law):
    x = law.ppf(LEVELS)
    np.testing.assert_allclose(law.cdf(x) + law.sf(x), 1.0, rtol=1e-15)


@over_exact
def test_quantiles_invert_probabilities(law):
    for forth, back in ((law.ppf, law.cdf), (law.isf, law.sf)):
        x = forth(LEVELS)
        # A quantile is a double: its neighbours tell how well it can be known.
        slack = np.maximum(np.abs(back(np.nextafter(x, 1)) - back(np.nextafter(x, -1))), 1e-10 * LEVELS)
        assert np.all(np.abs(back(x) - LEVELS) <= slack)


def test_quantiles_of_draws_invert_probabilities_up_to_one_draw():
    n = len(DRAWN.draws)
    assert np.all(np.abs(DRAWN.cdf(DRAWN.ppf(LEVELS)) - LEVELS) <= 1.01 / n)
    assert np.all(np.abs(DRAWN.sf(DRAWN.isf(LEVELS)) - LEVELS) <= 1.01 / n)


@over_all
def test_probabilities_never_fall(law):
    x = np.linspace(law.ppf(1e-6), law.isf(1e-6), 60)
    assert np.all(np.diff(law.cdf(x)) >= 0)
    assert np.all(np.diff(law.sf(x)) <= 0)
    assert np.all(law.pdf(x) >= 0)


@over_exact
def test_the_density_integrates_to_one(law):
    assert integral(law, lambda _: 1.0) == pytest.approx(1.0, abs=2e-7)


@over_exact
def test_the_density_is_the_slope_of_the_distribution(law):
    x = law.ppf([0.1, 0.4, 0.7])
    h = 1e-3 * np.minimum(law.ppf([0.11, 0.41, 0.71]) - law.ppf([0.09, 0.39, 0.69]), np.abs(x))
    # Fourth order, so that steps can be large enough for differences to keep their digits.
    slope = 8 * (law.cdf(x + h) - law.cdf(x - h)) - (law.cdf(x + 2 * h) - law.cdf(x - 2 * h))
    rounding = np.max(np.spacing(x) / h)
    np.testing.assert_allclose(law.pdf(x), slope / (12 * h), rtol=1e-6 + rounding)
    np.testing.assert_allclose(law.logpdf(x), np.log(law.pdf(x)), rtol=1e-12, atol=1e-14)


@over_exact
def test_mean_and_variance_are_integrals(law):
    centre, scale = law.mean(), law.std()
    assert integral(law, lambda x: (x - centre) / scale) == pytest.approx(0.0, abs=1e-6)
    assert integral(law, lambda x: ((x - centre) / scale) ** 2) == pytest.approx(1.0, abs=1e-6)
    assert law.var() == pytest.approx(scale**2, rel=1e-12)


@over_exact
def test_entropy_is_an_integral(law):
    scale = law.std()

    def surprise(x):
        density = law.pdf(x) * scale
        return -math.log(density) if density > 0 else 0.0

    assert law.entropy() == pytest.approx(integral(law, surprise) + math.log(scale), abs=2e-6)


@pytest.mark.parametrize("parameters", [(78, 11), (0.5, 0.5), (1, 20), (300, 2e4)])
def test_the_entropy_of_a_beta_law_is_scipys(parameters):
    assert Beta(*parameters).entropy() == pytest.approx(float(stats.beta(*parameters).entropy()), abs=1e-10)


@over_all
@pytest.mark.parametrize("prob", [0.5, 0.95])
def test_intervals_have_their_mass_and_the_shortest_is_no_longer_than_the_equal_tailed(law, prob):
    low, high = law.interval(prob)
    h_low, h_high = law.hdi(prob)
    coarse = 2 / len(DRAWN.draws) if law is DRAWN else 0.0
    # Ends are doubles, which matters for laws that are squeezed against 1.
    slack = 1e-9 + coarse + 4 * np.spacing(max(abs(low), abs(high))) / law.std()
    assert law.cdf(high) - law.cdf(low) == pytest.approx(prob, abs=slack)
    assert law.cdf(h_high) - law.cdf(h_low) == pytest.approx(prob, abs=slack)
    assert h_high - h_low <= (high - low) * (1 + 1e-12) + 4 * np.spacing(1.0)


@over_exact
def test_nothing_is_denser_than_the_mode(law):
    x = np.concatenate(
        [law.ppf(np.linspace(0.01, 0.99, 50)), law.mode() + law.std() * np.array([-1e-3, 1e-3])]
    )
    assert np.all(law.pdf(law.mode()) >= law.pdf(x) * (1 - 1e-9))


@over_all
def test_draws_follow_the_law(law):
    # Probabilities of differences of F2 are double integrals.
    n = 300 if law is EXACT["difference of F2"] else 4000
    draws = law.rvs(n, rng=1)
    assert draws.shape == (n,)
    assert stats.kstest(draws, law.cdf).pvalue > 1e-3


@over_all
def test_draws_are_reproducible(law):
    assert law.rvs((2, 3), rng=7).tolist() == law.rvs((2, 3), rng=np.random.default_rng(7)).tolist()


@over_all
def test_scalars_give_floats_and_arrays_give_arrays(law):
    x = law.median()
    for name in ("pdf", "cdf", "sf", "logpdf"):
        f = getattr(law, name)
        assert type(f(x)) is float
        assert f([x, x]).shape == (2,)
        assert f(np.full((2, 1), x)).shape == (2, 1)
    for name in ("ppf", "isf"):
        f = getattr(law, name)
        assert type(f(0.3)) is float
        assert f([[0.1, 0.2, 0.3]]).shape == (1, 3)
    for name in ("mean", "var", "std", "median", "mode", "entropy"):
        assert type(getattr(law, name)()) is float
    assert [type(end) for end in (*law.interval(), *law.hdi())] == [float] * 4


@over_many
def test_parameters_and_points_broadcast(law):
    assert len(law.shape) == 2
    for name in ("mean", "var", "std", "median", "mode", "entropy"):
        assert getattr(law, name)().shape == law.shape
    for ends in (law.interval(0.9), law.hdi(0.9)):
        assert [end.shape for end in ends] == [law.shape] * 2
        np.testing.assert_allclose(law.cdf(ends[1]) - law.cdf(ends[0]), 0.9, atol=1e-9)
    x = np.array([0.1, 0.4]).reshape(2, 1, 1)
    for name in ("pdf", "cdf", "sf", "logpdf", "ppf", "isf"):
        assert getattr(law, name)(x).shape == (2, *law.shape)
        assert getattr(law, name)(0.3).shape == law.shape
    np.testing.assert_allclose(law.cdf(law.ppf(x)), np.broadcast_to(x, (2, *law.shape)), rtol=1e-8)


@over_many
def test_each_of_many_laws_is_itself(law):
    for i in range(law.median().size):
        one = law.take(i)
        x = law.median().flat[i]
        for name in ("pdf", "cdf", "sf"):
            assert getattr(law, name)(x).flat[i] == pytest.approx(getattr(one, name)(x), rel=1e-10)
        np.testing.assert_allclose([end.flat[i] for end in law.hdi()], one.hdi(), rtol=1e-8)


@over_all
@pytest.mark.parametrize("level", [-0.1, 1.1, math.nan, [0.5, 2.0]])
def test_levels_that_are_no_probabilities_are_refused(law, level):
    for f in (law.ppf, law.isf):
        with pytest.raises(ValueError, match="probabilities lie between 0 and 1, not"):
            f(level)


@over_all
@pytest.mark.parametrize("prob", [0, 1, -0.5, 95, math.nan, True, "0.95", None])
def test_masses_that_are_none_are_refused(law, prob):
    for f in (law.interval, law.hdi):
        with pytest.raises(ValueError, match=r"prob must (lie strictly between 0 and 1|be a number)"):
            f(prob)
