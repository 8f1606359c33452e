"""The closed-form distributions: accuracy against many-digit arithmetic, and their ends."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special, stats

from bayesf1 import Beta, FScore
from bayesf1.distributions.empirical import EmpiricalPosterior
from bayesf1.distributions.student_t import StudentT

REFERENCE = Path(__file__).parents[1] / "reference"
# Made by tests/reference/make_grids.py with mpmath: parameters from 0.5 to 1e6.
GRID = json.loads((REFERENCE / "law_grid.json").read_text(encoding="utf-8"))["entries"]


def distribution_of(entry):
    return {"Beta": Beta, "FScore": FScore}[entry["law"]](*entry["parameters"])


def column(rows, i):
    return np.array([float(row[i]) for row in rows])


def name_of(entry):
    return f"{entry['law']}({', '.join(f'{p:g}' for p in entry['parameters'])})"


over_grid = pytest.mark.parametrize("entry", GRID, ids=name_of)
with_quantiles = pytest.mark.parametrize("entry", [e for e in GRID if "quantiles" in e], ids=name_of)
with_summaries = pytest.mark.parametrize("entry", [e for e in GRID if "summaries" in e], ids=name_of)


@over_grid
def test_both_tails_have_nine_digits_and_the_density_seven(entry):
    distribution, x = distribution_of(entry), column(entry["points"], 0)
    np.testing.assert_allclose(distribution.cdf(x), column(entry["points"], 2), rtol=0, atol=1e-10)
    np.testing.assert_allclose(distribution.sf(x), column(entry["points"], 3), rtol=0, atol=1e-10)
    np.testing.assert_allclose(distribution.logpdf(x), column(entry["points"], 1), rtol=0, atol=1e-7)


@with_quantiles
def test_quantiles_have_nine_digits(entry):
    distribution, q = distribution_of(entry), column(entry["quantiles"], 0)
    np.testing.assert_allclose(distribution.ppf(q), column(entry["quantiles"], 1), rtol=1e-9)
    np.testing.assert_allclose(distribution.isf(q), column(entry["quantiles"], 2), rtol=1e-9)


@with_summaries
def test_moments_and_mode_have_ten_digits(entry):
    distribution = distribution_of(entry)
    exact = {name: float(value) for name, value in entry["summaries"].items()}
    np.testing.assert_allclose(distribution.mean(), exact["mean"], rtol=1e-11)
    np.testing.assert_allclose(distribution.var(), exact["var"], rtol=1e-10)
    np.testing.assert_allclose(distribution.std(), math.sqrt(exact["var"]), rtol=1e-10)
    if "mode" in exact:
        np.testing.assert_allclose(distribution.mode(), exact["mode"], rtol=1e-14)


@pytest.mark.parametrize("entry", [e for e in GRID if "hdi" in e], ids=name_of)
def test_highest_density_intervals_have_nine_digits(entry):
    np.testing.assert_allclose(
        distribution_of(entry).hdi(0.95), [float(end) for end in entry["hdi"]], rtol=1e-9
    )


@given(
    tp=st.floats(0.5, 1e4),
    fp=st.floats(0.5, 1e4),
    fn=st.floats(0.5, 1e4),
    beta=st.floats(0.2, 5.0),
    q=st.floats(0.001, 0.999),
)
@settings(max_examples=20)
def test_swapping_precision_and_recall_turns_beta_upside_down(tp, fp, fn, beta, q):
    one, other = FScore(tp, fp, fn, beta), FScore(tp, fn, fp, 1 / beta)
    x = one.ppf(q)
    assert other.cdf(x) == pytest.approx(one.cdf(x), abs=1e-9)
    assert other.sf(x) == pytest.approx(one.sf(x), abs=1e-9)
    assert other.logpdf(x) == pytest.approx(one.logpdf(x), abs=1e-7)


@pytest.mark.parametrize(
    ("distribution", "at_0", "at_1"),
    [
        (Beta(0.5, 0.5), math.inf, math.inf),
        (Beta(1, 20), 20, 0),
        (Beta(20, 1), 0, 20),
        (Beta(1, 1), 1, 1),
        (FScore(1, 1, 1), 1, 0),
        (FScore(3, 0.5, 0.5), 0, 6),
        (FScore(3, 0.5, 0.25, 2.0), 0, math.inf),
    ],
)
def test_densities_at_the_ends_are_limits(distribution, at_0, at_1):
    assert (distribution.pdf(0.0), distribution.pdf(1.0)) == (pytest.approx(at_0), pytest.approx(at_1))


@pytest.mark.parametrize(
    ("distribution", "mode"),
    [
        (Beta(0.5, 3), 0),
        (Beta(3, 1), 1),
        (Beta(1, 1), 0.5),
        (Beta(0.5, 0.7), 0),
        (FScore(0.5, 4, 4), 0),
        (FScore(20, 0.4, 0.5), 1),
        (FScore(0.5, 4, 4, 2.0), 0),
        (FScore(20, 0.4, 0.5, 2.0), 1),
    ],
)
def test_a_law_that_crowds_at_an_end_has_its_mode_there(distribution, mode):
    assert distribution.mode() == mode


@pytest.mark.parametrize(
    ("distribution", "interval"),
    [
        (Beta(21, 1), (0.05 ** (1 / 21), 1)),
        (Beta(1, 21), (0, 1 - 0.05 ** (1 / 21))),
        (Beta(0.5, 3), (0, special.betaincinv(0.5, 3, 0.95))),
    ],
)
def test_the_shortest_interval_of_a_monotone_density_starts_at_its_end(distribution, interval):
    assert distribution.hdi(0.95) == (
        pytest.approx(interval[0], abs=1e-14),
        pytest.approx(interval[1], abs=1e-14),
    )


LAWS = [(0.02, 0.01, 3), (-1.0, 2.5, 5), (0.7, 0.03, 29), (0.0, 1e-6, 2), (0.3, 0.2, 1)]
X = np.array([-3.0, -0.5, 0.0, 0.015, 0.2, 0.9])
Q = np.array([1e-6, 0.025, 0.3, 0.5, 0.975])


@pytest.mark.parametrize(("location", "scale", "df"), LAWS)
def test_it_is_scipys_law(location, scale, df):
    ours, theirs = StudentT(location, scale, df), stats.t(df, location, scale)
    for name in ("pdf", "logpdf", "cdf", "sf"):
        np.testing.assert_allclose(getattr(ours, name)(X), getattr(theirs, name)(X), rtol=1e-10, err_msg=name)
    for name in ("ppf", "isf"):
        np.testing.assert_allclose(
            getattr(ours, name)(Q), getattr(theirs, name)(Q), rtol=1e-9, atol=1e-12 * scale
        )
    assert ours.interval(0.9) == pytest.approx(theirs.interval(0.9), rel=1e-9)
    assert ours.hdi(0.9) == ours.interval(0.9)
    assert (ours.mode(), ours.median()) == pytest.approx((location, location), abs=1e-12)
    assert stats.kstest(ours.rvs(4000, rng=1), theirs.cdf).pvalue > 1e-3


def test_moments_are_as_the_law_has_them():
    assert StudentT(0.5, 0.1, 5).var() == pytest.approx(float(stats.t(5, 0.5, 0.1).var()))
    assert (StudentT(0.5, 0.1, 2).mean(), StudentT(0.5, 0.1, 2).var()) == (0.5, math.inf)
    assert math.isnan(StudentT(0.5, 0.1, 1).mean())
    assert math.isnan(StudentT(0.5, 0.1, 1).var())


def test_quantiles_end_at_the_support():
    distribution = StudentT(0.95, 0.1, 2, support=(0.0, 1.0))
    assert distribution.interval(0.95)[1] == 1.0
    assert (distribution.sf(0.99) > 0.2, distribution.sf(1.0), distribution.pdf(1.1)) == (True, 0.0, 0.0)


def test_of_many_draws_mean_and_variance_are_those_of_all():
    draws = np.random.default_rng(1).standard_t(2.5, 100_000)
    post = EmpiricalPosterior(draws)
    assert (post.mean(), post.var()) == pytest.approx((draws.mean(), draws.var()))
