"""The multinomial model: what it answers, takes and refuses, and numbers that others found."""

import importlib.util
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import special, stats

import bayesf1 as bf
from bayesf1.corpora import multinomial
from bayesf1.corpora.model import read_corpora
from bayesf1.corpora.multinomial import read_counts
from bayesf1.output.arviz import is_old, load_arviz
from builders import FOUR_CORPORA as CORPORA, SHORT_CHAINS, has
from evaluations import EVALUATIONS

# PyMC takes seconds to import: only where it is used.
pytestmark = pytest.mark.skipif(not has("pymc"), reason="pymc is not installed")


@pytest.fixture(scope="module")
def fit(sampled):
    return sampled


# ---- the model --------------------------------------------------------------------------------------------


def test_the_model_is_plain_pymc_with_named_dims(fit):
    model = fit.model
    assert isinstance(model, pytest.importorskip("pymc").Model)
    assert {v.name for v in model.free_RVs} == {"pi", "log_kappa"}
    assert model.named_vars_to_dims["counts"] == ("dataset", "system", "cell")
    assert tuple(model.coords["dataset"]) == tuple(CORPORA)


def test_the_log_likelihood_is_scipys_dirichlet_multinomial_summed_over_models(fit):
    one = fit.posterior.isel(chain=1, draw=7)
    a = np.exp(one["log_kappa"].values)[:, None] * one["pi"].values
    counts = fit.groups["observed_data"]["counts"].values
    expected = stats.dirichlet_multinomial.logpmf(counts, a, counts.sum(axis=-1)).sum(axis=-1)
    found = fit.groups["log_likelihood"]["counts"].isel(chain=1, draw=7).values
    assert found == pytest.approx(expected, abs=1e-6)


def test_prior_predictive_draws_come_from_the_prior_that_is_documented(fit):
    before = fit.groups["prior"]["log_kappa"].values.ravel()
    assert before.max() <= 15.0
    assert np.median(before) == pytest.approx(np.log(100), abs=0.3)
    assert before.std() == pytest.approx(2.0, abs=0.25)
    drawn = fit.groups["prior_predictive"]["counts"]
    assert (drawn.sum("cell") == fit.groups["observed_data"]["counts"].sum("cell")).all()


@pytest.mark.long
def test_two_corpora_agree_with_a_numerical_integral():
    # Right or wrong on two corpora: two cells, so that a grid of (share, log kappa) is the posterior.
    data = {
        name: bf.from_counts(A=table, B=table) for name, table in (("x", (40, 10, 0)), ("y", (24, 16, 0)))
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = bf.hierarchical(data, **SHORT_CHAINS | {"draws": 1500, "tune": 500}, metrics="jaccard", rng=1)
    p, log_kappa = np.meshgrid(np.linspace(0.001, 0.999, 200), np.linspace(-4, 15, 150), indexing="ij")
    # Dirichlet(1, 1, 1) over (tp, fp, fn) with no fn: integrate the third share out on a grid, too.
    total, mean, second = 0.0, 0.0, 0.0
    for third in np.linspace(0.0005, 0.2, 60):
        shares = [p * (1 - third), (1 - p) * (1 - third), np.full_like(p, third)]
        logs = stats.norm.logpdf(log_kappa, np.log(100), 2.0) + np.log1p(-third)
        for table in ((40, 10, 0), (24, 16, 0)):
            kappa = np.exp(log_kappa)
            logs += special.gammaln(kappa) - special.gammaln(kappa + sum(table))
            for share, count in zip(shares, table, strict=True):
                logs += special.gammaln(kappa * share + count) - special.gammaln(kappa * share)
        weights = np.exp(logs + 60.0)
        total += weights.sum()
        mean += (weights * shares[0]).sum()
        second += (weights * shares[0] ** 2).sum()
    mean, second = mean / total, second / total
    draws = found.posterior["pi"].sel(system="A", cell="tp").values
    assert draws.mean() == pytest.approx(mean, abs=0.01)
    assert draws.std() == pytest.approx(np.sqrt(second - mean**2), rel=0.1)


@pytest.mark.long
def test_the_folds_of_wang_and_li_are_alike_under_the_other_sampler():
    pytest.importorskip("nutpie")
    found = bf.hierarchical(
        bf.load_example("wang-li-org"),
        **SHORT_CHAINS | {"draws": 500, "tune": 500, "chains": 4},
        sampler="nutpie",
        rng=1,
    )
    res = found.compare()["f1"]
    assert not found.diagnostics.caution
    assert res.p_h1 == pytest.approx(0.40, abs=0.04)
    assert (res.score_a, res.score_b) == pytest.approx((0.769, 0.768), abs=0.002)


# ---- answers ----------------------------------------------------------------------------------------------


def test_a_small_corpus_is_shrunk_towards_the_others(fit):
    f1 = fit.posterior["score"].sel(system="A", measure="f1").mean(("chain", "draw"))
    average = float(f1.sel(question="average"))
    for name in ("mail", "wnut"):
        kept = (float(f1.sel(question=name)) - average) / (bf.score(CORPORA[name], "A") - average)
        assert 0.0 < kept < 1.0


def test_the_effective_sample_is_the_smaller_one_of_bulk_and_tails(fit):
    reached = multinomial.convergence(fit.posterior)
    assert reached.bulk != reached.tail
    assert fit.diagnostics.ess == min(reached.bulk, reached.tail)


def test_a_new_corpus_is_less_certain_than_the_average_one(fit):
    average, new = [fit.compare(question=question)["f1"].difference for question in ("average", "new")]
    assert new.std() > 1.2 * average.std()
    # The population's shares scatter by κ: hand-made draws of a new corpus are as wide.
    rng = np.random.default_rng(1)
    pi = fit.posterior["pi"].values
    kappa = np.exp(fit.posterior["log_kappa"].values)[..., None]
    tp, fp, fn = np.moveaxis(rng.standard_gamma(np.maximum(kappa * pi, 1e-12)), -1, 0)
    f1 = 2 * tp / (2 * tp + fp + fn)
    assert new.std() == pytest.approx((f1[..., 1] - f1[..., 0]).std(), rel=0.15)


# ---- data -------------------------------------------------------------------------------------------------


def test_classes_are_counted_as_pairs_of_gold_and_predicted():
    found = read_counts(read_corpora({"x": EVALUATIONS["classes"](1), "y": EVALUATIONS["classes"](2, n=150)}))
    assert found.counts.shape == (2, 3, 16)
    assert found.counts.sum(axis=-1).tolist() == [[160] * 3, [150] * 3]


def test_folds_are_groups_with_all_their_counts():
    ev = bf.load_example("wang-li-org")
    found = read_counts(read_corpora(ev))
    assert found.names[-1] == "repeat 3, fold 2"
    assert np.array_equal(found.counts.sum(axis=0), ev.folds.counts.sum(axis=(0, 1)))


def test_items_of_sentences_are_taken_as_independent_only_where_that_is_said():
    data = {"x": CORPORA["wnut"], "y": EVALUATIONS["spans"]().pair("A", "B")}
    with pytest.raises(ValueError, match="corpus 'y' was sampled by sentence"):
        bf.hierarchical(data, **SHORT_CHAINS)
    assert (
        "items of one sentence were taken as independent"
        in read_counts(read_corpora(data), assumption="independent").note
    )


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ({"new": CORPORA["wnut"], "x": CORPORA["wnut"]}, {}, "names a question"),
        ({"x": CORPORA["wnut"], "y": bf.from_counts(A=(1, 2, 3), C=(1, 2, 3))}, {}, "there is no C on x"),
        ({"x": CORPORA["wnut"], "y": bf.from_counts(A=(1, 2, 3, 4), B=(1, 2, 3, 4))}, {}, "keep those"),
        (dict.fromkeys("xy", bf.load_example("wang-li-org")), {}, "whole items"),
        (CORPORA, {"target_accept": 1.0}, "target_accept is a share"),
        (CORPORA, {"metrics": "mcc"}, "needs true negatives"),
        (CORPORA, {"assumption": "paired"}, "use the likelihood 'scores'"),
        (dict.fromkeys("xy", bf.from_scores({"A": [0.1, 0.3], "B": [0.2, 0.4]})), {}, "likelihood 'scores'"),
    ],
)
def test_bad_arguments_get_one_sentence(data, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        bf.hierarchical(data, **SHORT_CHAINS | options)
    assert "\n" not in str(caught.value)


# ---- samplers that fail -----------------------------------------------------------------------------------


def test_without_the_extra_the_error_names_the_line_to_install_it(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        multinomial, "find_spec", lambda name: None if name in ("nutpie", "pymc") else found(name)
    )
    for sampler in ("nutpie", "pymc"):
        with pytest.raises(ValueError, match=r"pip install 'bayesf1\[pymc\]'"):
            bf.hierarchical(CORPORA, **SHORT_CHAINS, sampler=sampler)


def test_a_sampler_that_fails_or_panics_is_one_sentence(monkeypatch):
    class PanicException(BaseException):
        pass

    for error in (
        PanicException("called `Option::unwrap()`\non a `None` value"),
        RuntimeError("mass matrix"),
    ):

        def fail(error=error, **_):
            raise error

        monkeypatch.setattr("pymc.sample", fail)
        with pytest.raises(
            ValueError, match=r"the sampler 'nutpie' failed .* or the sampler 'pymc'"
        ) as caught:
            bf.hierarchical(CORPORA, **SHORT_CHAINS, sampler="nutpie")
        assert "\n" not in str(caught.value)


@pytest.mark.long
def test_a_script_needs_no_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import bayesf1 as bf, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "data = {n: bf.from_counts(A=(30, 9, 5 + i), B=(33, 5, 2 + i)) for i, n in enumerate('xyz')}\n"
        "fit = bf.hierarchical(data, likelihood='multinomial', draws=100, tune=200, rng=1, progress=False)\n"
        "print('ran once,', fit.diagnostics.sampler)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout.count("ran once, pymc") == 1
    assert done.stderr == ""


# ---- ArviZ ------------------------------------------------------------------------------------------------


def test_the_summary_has_our_interval_and_names_what_it_means(fit):
    table = fit.summary(0.9)
    assert list(table.columns[:4]) == ["mean", "sd", "hdi_5%", "hdi_95%"]
    # every row speaks of the draws that its label names
    for name in fit.questions:
        draws = fit.posterior["score"].sel(system="B", measure="f1", question=name).values
        assert table.loc[f"score[B, f1, {name}]", "mean"] == pytest.approx(draws.mean(), abs=1e-9)
        # It holds 90 % of the draws, up to one draw at each end.
        low, high = table.loc[f"score[B, f1, {name}]", ["hdi_5%", "hdi_95%"]]
        assert np.mean((draws >= low) & (draws <= high)) == pytest.approx(0.9, abs=2 / draws.size + 1e-9)
        gaps = fit.posterior["difference"].sel(contrast="B - A", measure="f1", question=name).values
        assert table.loc[f"difference[B - A, f1, {name}]", "mean"] == pytest.approx(gaps.mean(), abs=1e-9)


def test_leave_one_corpus_out_needs_one_line(fit):
    with warnings.catch_warnings():
        # few draws
        warnings.simplefilter("ignore")
        loo = load_arviz().loo(fit.to_arviz())
    assert np.isfinite(loo.elpd_loo if is_old() else loo.elpd)
    assert loo.n_data_points == 4


@pytest.mark.long
def test_plots_of_arviz_need_one_line_each(fit):
    import matplotlib

    matplotlib.use("Agg")
    arviz, idata = load_arviz(), fit.to_arviz()
    with warnings.catch_warnings():
        # what plotting libraries deprecate among themselves
        warnings.simplefilter("ignore")
        arviz.plot_forest(idata, var_names=["difference"], coords={"measure": "f1"}, combined=True)
        if is_old():
            arviz.plot_ppc(idata, num_pp_samples=20)
            arviz.plot_trace(idata, var_names=["log_kappa"])
        else:
            arviz.plot_ppc_dist(idata)
            arviz.plot_trace_dist(idata, var_names=["log_kappa"])
    assert len(bf.plot_posterior(fit)) > 0
