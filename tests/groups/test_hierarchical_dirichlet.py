"""The Dirichlet-multinomial and its importance sampler, against scipy, quadrature, the closed form and itself."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import bayesf1 as bf
from bayesf1.base.arviz_data import is_old
from bayesf1.groups import importance
from bayesf1.groups.corpora import read_groups
from bayesf1.groups.dirichlet_multinomial import DirichletMultinomial, log_rising
from bayesf1.groups.fitting import hierarchical
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.simplex import draw_counts, draw_dirichlet

CORPORA = {
    "conll": bf.from_counts(A=(77, 44, 10), B=(83, 9, 4)),
    "wnut": bf.from_counts(A=(30, 25, 22), B=(33, 20, 19)),
    "folk": bf.from_counts(A=(55, 20, 31), B=(50, 22, 36)),
    "mail": bf.from_counts(A=(12, 3, 2), B=(11, 0, 3)),
}


def f1(shares):
    return 2 * shares[..., 0] / (2 * shares[..., 0] + shares[..., 1] + shares[..., 2])


def model(data=CORPORA, prior=None):
    return DirichletMultinomial(read_groups(data, paired=False), prior or HierarchicalPrior())


@given(st.floats(1e-6, 1e18), st.integers(0, 10**6))
def test_the_rising_factorial_is_accurate_for_small_and_huge_arguments(a, y):
    with mpmath.workdps(50):
        exact = float(mpmath.loggamma(mpmath.mpf(a) + y) - mpmath.loggamma(mpmath.mpf(a)))
    # gammaln loses what its argument's logarithm is worth below 1e5, and Stirling's next term is below 1e-17
    tolerance = 1e-14 * (abs(math.lgamma(min(a, 1e5) + y)) + abs(exact)) + 1e-12
    assert abs(float(log_rising(np.array(a), np.array(float(y)))) - exact) <= tolerance


def test_the_likelihood_of_a_corpus_is_that_of_scipy():
    likelihood = model()
    draws = likelihood.prior_draws(5, np.random.default_rng(1))
    found = likelihood.log_likelihood(draws)
    for i in range(5):
        for g, counts in enumerate(likelihood.groups.counts):
            exact = sum(
                stats.dirichlet_multinomial.logpmf(
                    counts[m].astype(int),
                    np.exp(draws["log_kappa"][i, m]) * draws["pi"][i, m],
                    counts[m].sum(),
                )
                for m in (0, 1)
            )
            assert found[i, g] == pytest.approx(exact, rel=1e-9)


def test_importance_sampling_agrees_with_a_sum_over_a_grid():
    # Independent of the sampler: scipy's probabilities on a grid of (pi, log kappa), summed.
    likelihood = model({name: ev.select(["A"]) for name, ev in CORPORA.items()})
    draws, pareto_k, ess = importance.sample(likelihood, 40_000, np.random.default_rng(2))
    assert pareto_k < 0.5
    assert ess > 0.7 * 40_000
    p, q = np.meshgrid(np.linspace(0.2, 0.85, 66), np.linspace(0.05, 0.55, 51), indexing="ij")
    inside = p + q < 0.97
    pi = np.stack([p[inside], q[inside], 1 - p[inside] - q[inside]], axis=-1)
    nodes = np.linspace(-1.0, 12.0, 53)
    log_p = np.zeros((len(nodes), len(pi)))
    for i, log_kappa in enumerate(nodes):
        log_p[i] = stats.norm.logpdf(log_kappa, math.log(100.0), 3.0)
        for counts in likelihood.groups.counts[:, 0]:
            log_p[i] += stats.dirichlet_multinomial.logpmf(
                counts.astype(int), math.exp(log_kappa) * pi, counts.sum()
            )
    weights = np.exp(log_p - log_p.max())
    weights /= weights.sum()
    # four standard errors of the draws, and the grid's own error
    for drawn, exact in (
        (f1(draws["pi"][:, 0]), weights.sum(axis=0) @ f1(pi)),
        (draws["log_kappa"][:, 0], weights.sum(axis=1) @ nodes),
    ):
        assert abs(drawn.mean() - exact) < 4 * drawn.std() / math.sqrt(ess) + 2e-3


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
def test_one_corpus_and_a_large_kappa_give_the_closed_form(metric):
    ev = bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))
    prior = HierarchicalPrior(kappa=1e9, log_kappa_sd=0.1)
    fit = hierarchical({"only": ev}, likelihood="dirichlet", prior=prior, rng=3)
    exact = bf.compare(ev, rope=0.02)[metric]
    for question in fit.questions:
        res = fit.compare(question=question, rope=0.02)[metric]
        assert abs(res.p_h1 - exact.p_h1) < 5 * res.mcse
        assert abs(res.p_rope - exact.p_rope) < 0.01
        for post, law in ((res.posterior_a, exact.posterior_a), (res.posterior_b, exact.posterior_b)):
            # Kolmogorov's statistic at one in a million for this many effective draws
            assert stats.kstest(post.draws, law.cdf).statistic < 2.7 / math.sqrt(fit.diagnostics.ess_bulk)


def test_the_pareto_shape_is_that_of_arviz():
    rng = np.random.default_rng(4)
    for scale in (0.3, 1.0, 2.0):
        log_weights = scale * rng.standard_t(4, size=4000)
        if is_old():
            import arviz

            theirs = float(arviz.psislw(log_weights)[1])
        else:
            from arviz_stats.base import array_stats

            theirs = float(array_stats.psislw(-log_weights)[1])
        # ArviZ 0.23 and 1.x differ by .02 themselves; the shape's standard error is above .1 with so many draws.
        assert importance.smooth_weights(log_weights).pareto_k == pytest.approx(theirs, abs=0.04)


@pytest.mark.parametrize(
    "counts",
    [[(0, 0, 5)], [(50, 0, 0)] * 3, [(100, 2, 3), (3, 50, 60), (20, 30, 1)], [(500_000, 2000, 3000)] * 6],
    ids=["one small corpus", "perfect", "unlike each other", "huge"],
)
def test_hard_cases_leave_a_third_of_the_draws_effective(counts):
    likelihood = model(bf.from_counts(A=np.array(counts, dtype=float)))
    _, pareto_k, ess = importance.sample(likelihood, 5000, np.random.default_rng(5))
    assert pareto_k < 0.7
    assert ess > 5000 / 3


def test_small_dirichlet_parameters_give_shares_and_not_nan():
    shares = draw_dirichlet(np.full((1000, 3), 1e-12), np.random.default_rng(6))
    assert np.allclose(shares.sum(axis=-1), 1.0)
    assert np.allclose(shares.max(axis=-1), 1.0)


def simulate(likelihood, rng):
    """Draw parameters from the prior and counts from them."""
    truth = {name: value[0] for name, value in likelihood.prior_draws(1, rng).items()}
    totals = likelihood.groups.counts.sum(axis=-1)
    counts = draw_counts(totals, truth["shares"], rng)
    return truth, replace(likelihood, groups=replace(likelihood.groups, counts=counts))


def test_ranks_of_the_truth_are_uniform_when_truth_comes_from_the_prior():
    # Simulation-based calibration, Talts et al. (2018): 200 experiments, ranks among 99 draws in 10 bins.
    rng = np.random.default_rng(7)
    base, ranks = model(prior=HierarchicalPrior(log_kappa_sd=1.5)), []
    for _ in range(200):
        truth, simulated = simulate(base, rng)
        draws, _, _ = importance.sample(simulated, 99, rng)
        scores, true = f1(draws["pi"]), f1(truth["pi"])
        ranks.append(
            [
                (scores[:, 0] < true[0]).sum(),
                (draws["log_kappa"][:, 0] < truth["log_kappa"][0]).sum(),
                (scores[:, 1] - scores[:, 0] < true[1] - true[0]).sum(),
            ]
        )
    for column in np.array(ranks).T:
        counts = np.histogram(column, bins=10, range=(0, 100))[0]
        # of three tests, one in 300 would fail by chance
        assert stats.chisquare(counts).pvalue > 1e-3


def test_intervals_of_a_new_corpus_cover_new_corpora():
    # A population with known pi and kappa: 8 corpora are seen, and the next one's F1 is asked for.
    rng = np.random.default_rng(8)
    pi, kappa, hits, n = np.array([0.6, 0.25, 0.15]), 60.0, 0, 150
    base = model({f"c{i}": bf.from_counts(A=(60, 25, 15)) for i in range(8)})
    for _ in range(n):
        shares = draw_dirichlet(np.broadcast_to(kappa * pi, (9, 1, 3)), rng)
        counts = draw_counts(np.full((8, 1), 200), shares[:8], rng)
        likelihood = replace(base, groups=replace(base.groups, counts=counts))
        draws, _, _ = importance.sample(likelihood, 1000, rng)
        new = f1(likelihood.new_shares(draws, rng)[:, 0])
        low, high = np.quantile(new, [0.05, 0.95])
        hits += low < f1(shares[8, 0]) < high
    # a binomial share of .9 stays within these but one time in 1000
    assert stats.binom.ppf(5e-4, n, 0.9) <= hits <= stats.binom.ppf(1 - 5e-4, n, 0.9)
