"""Laws of ratios of sums with gamma weights, against closed forms that others have derived."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from bayesf1.laws.difference import Difference
from bayesf1.laws.distributions import Beta
from bayesf1.laws.gamma_ratio import GammaRatio, IndependentDifference, StretchedLaw


def share(a, b):
    """Ones among zeros, whose share is a Beta variate."""
    return GammaRatio(np.array([1.0, 0.0]), np.ones(2), np.array([a, b], dtype=float))


def mean_of(scores):
    scores = np.asarray(scores, dtype=float)
    return GammaRatio(scores, np.ones(len(scores)), np.ones(len(scores)))


@pytest.mark.parametrize("shapes", [(7, 3), (2.5, 40), (300, 20), (1e5, 3e4)])
def test_a_share_of_items_is_a_beta_variate(shapes):
    points = special.betaincinv(*shapes, [1e-6, 0.001, 0.025, 0.3, 0.5, 0.7, 0.975, 0.999])
    assert share(*shapes).cdf(points) == pytest.approx(special.betainc(*shapes, points), abs=2e-7)


@pytest.mark.parametrize("n", [8, 12, 20])
def test_a_mean_of_distinct_scores_has_the_tails_of_sums_of_exponentials(n):
    rng = np.random.default_rng(n)
    scores = np.round(rng.normal(0.1, 1.0, size=n) * np.exp(rng.normal(size=n)), 3)
    for t in (-0.5, -0.1, 0.0, 0.2, 0.7):
        # P(sum of w y > 0) for exponential w and distinct y, by partial fractions and without rounding.
        y = [Fraction(str(score)) - Fraction(str(t)) for score in scores]
        above = sum(
            (np.prod([y[i] / (y[i] - y[j]) for j in range(n) if j != i]) for i in range(n) if y[i] > 0),
            start=Fraction(0),
        )
        assert float(mean_of(scores).cdf(t)) == pytest.approx(1.0 - float(above), abs=1e-7)


def test_many_light_units_beside_a_heavy_one_are_summed_by_their_powers():
    # All light ones are alike, so that their sum is one gamma variate.
    light = GammaRatio(np.r_[np.zeros(5000), 300.0], np.r_[np.ones(5000), 400.0], np.ones(5001))
    heavy = GammaRatio(np.array([0.0, 300.0]), np.array([1.0, 400.0]), np.array([5000.0, 1.0]))
    points = np.array([0.001, 0.02, 0.1, 0.2])
    # Q > t iff E (300 - 400 t) > t G with exponential E: of Gamma(5000), E exp(-t G / (300 - 400 t)).
    expected = 1.0 - (1.0 + points / (300.0 - 400.0 * points)) ** -5000.0
    # A single exponential variate falls off late, and the rule ends before it.
    assert light.cdf(points) == pytest.approx(expected, abs=2e-5)
    assert heavy.cdf(points) == pytest.approx(light.cdf(points), abs=1e-9)


def test_the_law_that_is_looked_up_is_the_law():
    law = share(60, 4)
    levels = np.array([0.001, 0.025, 0.5, 0.975, 0.999])
    assert StretchedLaw(law).ppf(levels) == pytest.approx(special.betaincinv(60, 4, levels), abs=1e-6)
    points = np.linspace(0.7, 0.999, 60)
    assert StretchedLaw(law).cdf(points) == pytest.approx(special.betainc(60, 4, points), abs=5e-6)


@pytest.mark.parametrize("freedom", [9.0, 30.0])
def test_a_normal_law_is_stretched_to_students(freedom):
    law = mean_of(np.random.default_rng(1).normal(size=100_000))
    away = np.linspace(-4.0, 4.0, 17)
    found = StretchedLaw(law, law.centre, 1.3, freedom).cdf(law.centre + 1.3 * law.sd * away)
    assert found == pytest.approx(stats.t(freedom).cdf(away), abs=5e-5)


@pytest.mark.parametrize(("a", "b"), [((7, 3), (3, 7)), ((70, 30), (60, 40)), ((700, 30), (60, 4))])
def test_a_difference_of_independent_shares_is_that_of_betas(a, b):
    points = np.array([-0.1, 0.0, 0.05])
    found = IndependentDifference(share(*a), share(*b)).cdf(points)
    assert found == pytest.approx(Difference(Beta(*a), Beta(*b)).cdf(points), abs=3e-5)


def test_units_that_are_all_alike_leave_no_doubt():
    law = StretchedLaw(GammaRatio(np.full(20, 0.1), np.ones(20), np.ones(20)), 0.1, 1.02, 19.0)
    assert law.cdf(np.array([0.0, 0.1 + 1e-9])).tolist() == [0.0, 1.0]
    assert law.ppf(np.array([0.025, 0.975])) == pytest.approx(0.1, abs=1e-12)
    nothing = StretchedLaw(GammaRatio(np.zeros(20), np.ones(20), np.ones(20)))
    assert float(nothing.cdf(0.0)) == 0.5
