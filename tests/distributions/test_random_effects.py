"""The random-effects engine against brute force, quadrature and simulation."""

import numpy as np
import pytest
from scipy import integrate, stats

from bayesf1.distributions.random_effects import (
    SCALE,
    RandomEffects,
    Spread,
    log_half_t,
    robust_covariance,
    shrink,
    spread_edges,
    spread_of,
    spread_ratio,
)


def some_groups(n_groups=4, n_models=3, seed=0):
    rng = np.random.default_rng(seed)
    root = 0.02 * rng.normal(size=(n_groups, n_models, n_models))
    covariances = root @ np.swapaxes(root, 1, 2) + 1e-4 * np.eye(n_models)
    scores = 0.7 + 0.05 * rng.normal(size=(n_groups, 1)) + 0.03 * rng.normal(size=(n_groups, n_models))
    return RandomEffects(scores, covariances)


def between(tau, tau_c, n_models):
    return tau_c**2 * np.ones((n_models, n_models)) + 0.5 * tau**2 * np.eye(n_models)


# ---- spreads ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("squares", "freedom", "variance"), [(0.004, 8, 1e-4), (0.02, 2, 1e-3), (0.0, 0, 1e-4)]
)
def test_the_posterior_of_a_spread_is_that_of_quadrature(squares, freedom, variance):
    def density(tau):
        prior = stats.t.pdf(tau / 0.05, 3)
        return prior * (tau**2 + variance) ** (-freedom / 2) * np.exp(-0.5 * squares / (tau**2 + variance))

    found = spread_of(squares, freedom, variance)
    mass = integrate.quad(density, 0, np.inf, limit=500)[0]
    for q in (0.05, 0.5, 0.95):
        at = float(found.quantile(q))
        assert integrate.quad(density, 0, at, limit=500)[0] / mass == pytest.approx(q, abs=2e-4)
    mean = integrate.quad(lambda x: x * density(x), 0, np.inf, limit=500)[0] / mass
    # beyond the grid lies a ten-thousandth of what a prior alone has
    assert found.mean == pytest.approx(mean, rel=2e-3)


def test_the_ratio_of_training_to_testing_is_that_of_quadrature():
    contrasts, variance = np.array([0.03, -0.02, 0.025]), 0.01**2

    def density(x):
        sd = np.sqrt((1 + x * x) * variance)
        return stats.t.pdf(x, 4) * np.prod(stats.norm.pdf(contrasts, 0, sd))

    mass = integrate.quad(density, 0, np.inf)[0]
    found = spread_ratio(contrasts, variance)
    assert integrate.quad(density, 0, float(found.quantile(0.3)))[0] / mass == pytest.approx(0.3, abs=2e-4)


# ---- random effects ---------------------------------------------------------------------------------------


def test_the_grid_holds_the_posterior_of_brute_force():
    model = some_groups()
    n_groups, n_models = model.scores.shape
    spread, difficulty, weights = model.grid()
    tau, tau_c = (0.5 * (edges[1:] + edges[:-1]) for edges in (spread, difficulty))
    design, y = np.tile(np.eye(n_models), (n_groups, 1)), model.scores.ravel()

    def log_posterior(a, b):
        whole = np.zeros((y.size, y.size))
        for g, own in enumerate(model.covariances):
            at = slice(g * n_models, (g + 1) * n_models)
            whole[at, at] = between(a, b, n_models) + own
        inverse = np.linalg.inv(whole)
        precision = design.T @ inverse @ design
        missed = y - design @ np.linalg.solve(precision, design.T @ inverse @ y)
        likelihood = np.linalg.slogdet(whole)[1] + np.linalg.slogdet(precision)[1] + missed @ inverse @ missed
        return stats.t.logpdf(a / 0.05, 3) + stats.t.logpdf(b / 0.2, 3) - 0.5 * likelihood

    some = [(i, j) for i in range(5, 60, 11) for j in range(5, 60, 11)]
    brute = np.array([log_posterior(tau[i], tau_c[j]) for i, j in some])
    ours = np.array([np.log(weights[i, j] / np.diff(spread)[i] / np.diff(difficulty)[j]) for i, j in some])
    assert np.ptp(brute - ours) < 1e-7
    # and nothing that matters lies beyond it
    assert weights[-1].sum() + weights[:, -1].sum() < 1e-5


def test_scores_given_the_spreads_are_the_normal_laws_of_the_textbook():
    model, n = some_groups(), 40_000
    tau, tau_c = 0.03, 0.08
    found = model._given(np.full(n, tau), np.full(n, tau_c), np.random.default_rng(3))
    whole = between(tau, tau_c, 3)
    precisions = np.linalg.inv(whole + model.covariances)
    variance = np.linalg.inv(precisions.sum(axis=0))
    mean = variance @ np.einsum("gmn,gn->m", precisions, model.scores)
    kept = whole @ precisions[1]
    left = np.eye(3) - kept
    distributions = {
        "average": (found.average, mean, variance),
        "new": (found.new, mean, variance + whole),
        "second": (
            found.each[:, 1],
            mean + kept @ (model.scores[1] - mean),
            left @ whole + left @ variance @ left.T,
        ),
    }
    for name, (draws, centre, covariance) in distributions.items():
        sd = np.sqrt(np.diag(covariance))
        assert np.abs((draws.mean(axis=0) - centre) / sd).max() < 5 / np.sqrt(n), name
        assert np.abs(np.cov(draws.T) - covariance).max() < 0.05 * sd.max() ** 2, name


@pytest.mark.long
def test_ranks_of_the_truth_are_uniform_when_truth_comes_from_the_prior():
    # Simulation-based calibration, Talts et al. (2018): 200 experiments, ranks among 99 draws in 10 bins. The flat
    # average has no prior to draw from, but the posterior moves with it, so that any one value will do.
    rng, ranks = np.random.default_rng(7), []
    base = some_groups(n_models=2)
    for _ in range(200):
        tau, tau_c = np.abs(stats.t.rvs(3, size=2, random_state=rng)) * (0.05, 0.2)
        effects = tau_c * rng.normal(size=(5, 1)) + np.sqrt(0.5) * tau * rng.normal(size=(5, 2))
        noise = np.stack([rng.multivariate_normal(np.zeros(2), own) for own in base.covariances])
        found = RandomEffects(0.7 + effects[:4] + noise, base.covariances).draw(99, rng)
        new, first = (0.7 + effects[g] for g in (4, 0))
        pairs = [
            (found.spread, tau),
            (found.difficulty, tau_c),
            (found.average[:, 0], 0.7),
            (found.average[:, 1] - found.average[:, 0], 0.0),
            (found.new[:, 1] - found.new[:, 0], new[1] - new[0]),
            (found.each[:, 0, 1] - found.each[:, 0, 0], first[1] - first[0]),
        ]
        ranks.append([(draws < true).sum() for draws, true in pairs])
    for column in np.array(ranks).T:
        counts = np.histogram(column, bins=10, range=(0, 100))[0]
        # of six tests, one in 170 would fail by chance
        assert stats.chisquare(counts).pvalue > 1e-3


def test_heavy_tails_count_as_far_as_their_intervals_reach():
    rng = np.random.default_rng(8)
    common = rng.standard_normal((50_000, 2)) @ np.linalg.cholesky([[1.0, 0.9], [0.9, 1.0]]).T
    stretched = common / np.sqrt(rng.chisquare(2, size=(50_000, 1)) / 2)
    found = robust_covariance(stretched)
    factor = (stats.t.ppf(0.975, 2) / stats.norm.ppf(0.975)) ** 2
    assert np.allclose(np.diag(found), factor, rtol=0.05)
    assert found[0, 1] / found[0, 0] == pytest.approx(0.9, abs=0.01)
    assert np.allclose(robust_covariance(common), np.cov(common.T), atol=0.03)
    assert np.array_equal(robust_covariance(np.ones((100, 2))), np.zeros((2, 2)))


# ---- many differences -------------------------------------------------------------------------------------


def test_shrunken_values_are_those_of_brute_force():
    rng = np.random.default_rng(10)
    root = 0.02 * rng.normal(size=(5, 5))
    covariance, d = root @ root.T + 4e-4 * np.eye(5), np.array([0.03, -0.01, 0.08, 0.0, 0.02])
    found = shrink(d, covariance, 40_000, rng)
    grid = spread_edges(0.001, 3.0, 400)
    at, ones = 0.5 * (grid[1:] + grid[:-1]), np.ones(5)
    logs, means = [], []
    for tau in at:
        inverse = np.linalg.inv(covariance + tau**2 * np.eye(5))
        precision = ones @ inverse @ ones
        delta = ones @ inverse @ d / precision
        missed = d - delta
        logs.append(0.5 * (np.linalg.slogdet(inverse)[1] - np.log(precision) - missed @ inverse @ missed))
        means.append(delta + tau**2 * inverse @ missed)
    spread = Spread.of(lambda _: np.array(logs) + log_half_t(at), grid)
    assert np.allclose(found.mean(axis=0), spread.weights @ np.array(means), atol=0.0006)


@pytest.mark.parametrize("own_mean", [False, True])
def test_models_that_change_places_vary_as_their_differences_do_if_the_mean_is_free(own_mean):
    noise = 0.01
    rng = np.random.default_rng(1)
    ahead = 0.05 * rng.standard_normal(8)
    # What A gains on a data set B loses, so that their mean hardly varies.
    scores = 0.7 + np.stack([ahead, -ahead], axis=1)
    covariances = np.full((8, 1, 1), noise**2 / 2) * np.eye(2)
    drawn = RandomEffects(scores, covariances, tails=1.0, own_mean=own_mean).draw(40_000, rng).average
    difference = drawn[:, 1] - drawn[:, 0]
    d = scores[:, 1] - scores[:, 0]
    tau = spread_of(float(np.square(d - d.mean()).sum()), 7, noise**2, scale=SCALE, tails=1.0).draw(
        40_000, rng
    )
    alone = d.mean() + np.sqrt((tau**2 + noise**2) / 8) * rng.standard_normal(40_000)
    ratio = np.ptp(np.quantile(difference, [0.025, 0.975])) / np.ptp(np.quantile(alone, [0.025, 0.975]))
    assert ratio == pytest.approx(1.0, abs=0.03) if own_mean else ratio < 0.9
