"""The logistic-normal model: its density against PyMC's, its draws against the closed form and simulation."""

import math
import os
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.groups import nuts
from bayesf1.groups.corpora import read_groups
from bayesf1.groups.dirichlet_multinomial import DirichletMultinomial, log_coefficient
from bayesf1.groups.fitting import hierarchical
from bayesf1.groups.logistic_normal import LogisticNormal
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.simplex import draw_counts

pytest.importorskip("pymc")
pytest.importorskip("nutpie")

PRIOR = HierarchicalPrior()
FOLDS = bf.from_counts(
    A=np.array([[12, 5, 7.0], [4, 4, 9], [30, 11, 8]]), B=np.array([[10, 5, 9.0], [6, 2, 7], [33, 9, 5]])
)


def labelled(rng, n, skill):
    gold = rng.random(n) < 0.4
    noise = rng.random((2, n))
    shared = rng.random(n) < 0.7
    a, b = (np.where(np.where(shared, noise[0], noise[i]) < skill + 0.03 * i, gold, ~gold) for i in (0, 1))
    return bf.from_labels(gold, {"A": a, "B": b})


@pytest.fixture(scope="module")
def corpora():
    rng = np.random.default_rng(1)
    return {
        name: labelled(rng, n, skill)
        for name, n, skill in (("x", 400, 0.8), ("y", 300, 0.85), ("z", 500, 0.7))
    }


@pytest.fixture(scope="module")
def fit(corpora):
    return hierarchical(corpora, likelihood="logistic-normal", rng=2, progress=False)


def gradient_error(density, q):
    slope, trash, step = np.empty_like(q), np.empty_like(q), 1e-5
    density(q, slope)
    numeric = [
        (density(q + step * e, trash) - density(q - step * e, trash)) / (2 * step) for e in np.eye(len(q))
    ]
    return np.abs(np.array(numeric) - slope).max() / np.abs(slope).max()


def density_of(likelihood):
    return lambda q, slope: likelihood.log_density(q, *likelihood.fixed, slope)


@pytest.mark.parametrize("joint", [False, True], ids=["totals", "joint outcomes"])
def test_the_gradient_of_the_logistic_normal_is_its_derivative(joint, corpora):
    likelihood = LogisticNormal(read_groups(corpora if joint else FOLDS, paired=joint), PRIOR)
    q = likelihood.start + 0.3 * np.random.default_rng(3).normal(size=len(likelihood.start))
    assert gradient_error(density_of(likelihood), q) < 1e-6


def test_the_gradient_of_the_dirichlet_multinomial_is_its_derivative():
    likelihood = DirichletMultinomial(read_groups(FOLDS, paired=False), PRIOR)
    q = likelihood.start + 0.3 * np.random.default_rng(4).normal(size=len(likelihood.start))
    assert gradient_error(density_of(likelihood), q) < 1e-6


def test_the_density_that_is_compiled_is_that_of_pymc(corpora):
    # up to a constant, which is the same at every point
    import pytensor

    likelihood = LogisticNormal(read_groups(corpora, paired=True), PRIOR)
    model = likelihood.pymc_model()
    theirs = pytensor.function(model.value_vars, model.logp(), mode="FAST_COMPILE", on_unused_input="ignore")
    density, rng, gaps = density_of(likelihood), np.random.default_rng(5), []
    for _ in range(4):
        q = likelihood.start + 0.3 * rng.normal(size=len(likelihood.start))
        named = likelihood.unpack(q)
        value = theirs(*(named[variable.name] for variable in model.value_vars))
        gaps.append(float(value) - density(q, np.empty_like(q)))
    assert np.ptp(gaps) < 1e-8


def test_the_density_of_the_dirichlet_multinomial_is_that_of_pymc():
    import pymc as pm
    import pytensor
    import pytensor.tensor as pt

    likelihood = DirichletMultinomial(read_groups(FOLDS, paired=False), PRIOR)
    counts = likelihood.groups.counts.astype(int)
    pi, log_kappa = pt.dmatrix(), pt.dvector()
    value = pm.logp(pm.Dirichlet.dist(likelihood.alpha), pi).sum()
    value += pm.logp(pm.Normal.dist(math.log(PRIOR.kappa), PRIOR.log_kappa_sd), log_kappa).sum()
    a = pt.exp(log_kappa)[:, None] * pi
    value += pm.logp(pm.DirichletMultinomial.dist(counts.sum(axis=-1), pt.tile(a, (3, 1, 1))), counts).sum()
    theirs = pytensor.function([pi, log_kappa], value, mode="FAST_COMPILE")
    density, rng, gaps = density_of(likelihood), np.random.default_rng(6), []
    for _ in range(4):
        q = likelihood.start + 0.5 * rng.normal(size=len(likelihood.start))
        draws = likelihood.read(q)
        # from shares to contrasts of logits the Jacobian is the product of shares, up to a constant
        jacobian = np.log(draws["pi"]).sum()
        gaps.append(float(theirs(draws["pi"], draws["log_kappa"])) + jacobian - density(q, np.empty_like(q)))
    assert np.ptp(gaps) < 1e-8


def test_effects_of_a_corpus_are_integrated_out_of_its_likelihood():
    # against a plain average over 400,000 draws of the effects; Laplace's method errs by a hundredth here
    likelihood = LogisticNormal(read_groups(FOLDS, paired=False), PRIOR)
    rng = np.random.default_rng(7)
    draws = likelihood.prior_draws(1, rng)
    many = {name: np.repeat(value, 400_000, axis=0) for name, value in draws.items() if name != "shares"}
    shares = likelihood.new_shares(many, rng)
    for g, counts in enumerate(likelihood.groups.counts):
        logs = (counts * np.log(shares)).sum(axis=(-2, -1))
        exact = np.log(np.exp(logs - logs.max()).mean()) + logs.max() + log_coefficient(counts).sum()
        assert likelihood.log_likelihood(draws)[0, g] == pytest.approx(exact, abs=0.05)


def test_one_corpus_without_spread_gives_the_paired_closed_form(corpora):
    prior = HierarchicalPrior(group_sd=1e-4, interaction_sd=1e-4)
    ev = corpora["x"]
    found = hierarchical(
        {"only": ev}, likelihood="logistic-normal", prior=prior, draws=1000, tune=500, rng=8, progress=False
    )
    assert found.diagnostics.ok
    exact = bf.compare(ev, rng=9)
    assert exact["f1"].assumption == found.assumption == "paired"
    for metric, test in exact.items():
        for question in found.questions:
            res = found.compare(question=question)[metric]
            assert abs(res.p_h1 - test.p_h1) < 5 * (res.mcse + test.mcse)
            error = res.difference.std() / math.sqrt(found.diagnostics.ess_bulk)
            assert abs(res.difference.mean() - test.difference.mean()) < 5 * error
            assert res.posterior_a.std() == pytest.approx(test.posterior_a.std(), rel=0.12)


def test_pairing_sharpens_the_comparison(corpora, fit):
    assert fit.diagnostics.ok
    loose = hierarchical(corpora, likelihood="dirichlet", rng=10)
    for question in ("average", "x"):
        paired, independent = (f.compare(question=question)["f1"].difference.std() for f in (fit, loose))
        assert paired < 0.8 * independent


def test_the_same_seed_gives_the_same_draws():
    likelihood = LogisticNormal(read_groups(FOLDS, paired=False), PRIOR)
    run = nuts.Run(draws=100, tune=200, chains=2, target_accept=0.9, progress=False)
    once, again, other = (
        nuts.sample(likelihood, "nutpie", run, np.random.default_rng(seed)).draws["pi"] for seed in (1, 1, 2)
    )
    assert np.array_equal(once, again)
    assert not np.array_equal(once, other)


def test_draws_of_pymc_are_read_as_what_they_are(monkeypatch):
    # PyMC compiles for longer than a test may take, so its sampler is replaced; its density is checked above.
    import pymc

    from bayesf1.base.arviz_data import container, dataset

    asked = {}

    def pretend(**options):
        asked.update(options)
        free = {v.name: v.type.shape for v in options["model"].free_RVs}
        rng = np.random.default_rng(options["random_seed"])
        values = {name: np.abs(rng.normal(size=(2, 100, *shape))) for name, shape in free.items()}
        lead = ("chain", "draw")
        named = {n: ((*lead, *(f"{n}_{i}" for i in range(v.ndim - 2))), v) for n, v in values.items()}
        stats = {"diverging": (lead, np.zeros((2, 100), dtype=bool))}
        return container({"posterior": dataset(named, {}), "sample_stats": dataset(stats, {})})

    monkeypatch.setattr(pymc, "sample", pretend)
    likelihood = LogisticNormal(read_groups(FOLDS, paired=False), PRIOR)
    run = nuts.Run(draws=100, tune=100, chains=2, target_accept=0.9, progress=False)
    found = nuts.sample(likelihood, "pymc", run, np.random.default_rng(11))
    # never a process, never another sampler than the one that was asked for
    assert (asked["cores"], asked["nuts_sampler"], asked["chains"]) == (1, "pymc", 2)
    assert found.draws["shares"].shape == (2, 100, 3, 2, 3)
    assert np.allclose(found.draws["shares"].sum(axis=-1), 1.0)


def test_without_a_compiler_pymc_falls_back_to_numba_and_says_so_once(monkeypatch):
    import pytensor

    monkeypatch.setattr(pytensor, "__version__", "2.38.3")
    with pytest.warns(UserWarning, match=r"no C\+\+ compiler.*nutpie") as caught:
        assert nuts._compile_options(False) == {"compile_kwargs": {"mode": "NUMBA"}}
    assert len(caught) == 1
    assert nuts._compile_options(True) == {}
    monkeypatch.setattr(pytensor, "__version__", "3.3.6")
    assert nuts._compile_options(False) == {}


SLOW = pytest.mark.skipif("BAYESF1_SLOW_TESTS" not in os.environ, reason="PyMC samples this one for minutes")


@pytest.mark.parametrize("likelihood", ["dirichlet", pytest.param("logistic-normal", marks=SLOW)])
def test_pymc_samples_the_same_posterior(likelihood):
    reference = hierarchical(FOLDS, likelihood=likelihood, sampler="pymc", rng=11, progress=False)
    other = hierarchical(FOLDS, likelihood=likelihood, rng=12, progress=False)
    ess = min(reference.diagnostics.ess_bulk, other.diagnostics.ess_bulk)
    for name in ("score", "score_new", "score_dataset"):
        theirs, ours = reference.posterior[name], other.posterior[name]
        error = ours.std(("chain", "draw")) * math.sqrt(2 / ess)
        assert (abs(theirs.mean(("chain", "draw")) - ours.mean(("chain", "draw"))) < 5 * error).all()


def test_ranks_of_the_truth_are_uniform_when_truth_comes_from_the_prior():
    # A small version of simulation-based calibration; benchmarks/sbc.py has the full one.
    rng = np.random.default_rng(13)
    base = LogisticNormal(read_groups(FOLDS, paired=False), PRIOR)
    run, ranks = nuts.Run(draws=240, tune=250, chains=1, target_accept=0.85, progress=False), []
    for _ in range(40):
        truth = {name: value[0] for name, value in base.prior_draws(1, rng).items()}
        counts = draw_counts(base.groups.counts.sum(axis=-1), truth["shares"], rng)
        likelihood = replace(base, groups=replace(base.groups, counts=counts))
        draws = nuts.sample(likelihood, "nutpie", run, rng).draws
        f1, true = (2 * p[..., 0] / (1 + p[..., 0]) for p in (draws["pi"][0, ::8], truth["pi"]))
        ranks.append(
            [
                (f1[:, 0] < true[0]).mean(),
                (draws["interaction_sd"][0, ::8] < truth["interaction_sd"]).mean(),
                (f1[:, 1] - f1[:, 0] < true[1] - true[0]).mean(),
            ]
        )
    for column in np.array(ranks).T:
        # ranks among 30 thinned draws; discrete, so Kolmogorov's test is on the safe side
        assert stats.kstest(column, "uniform").pvalue > 1e-3
