"""Closed-form posteriors and comparisons as ArviZ has them, under either of its lines."""

import os
import subprocess
import sys

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.corpora.files import load_groups, save_groups
from bayesf1.corpora.multinomial import convergence
from bayesf1.output.arviz import dataset, group, load_arviz, summary
from builders import group_names, noisy
from evaluations import EVALUATIONS

EV = bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))


@pytest.fixture(scope="module")
def posterior():
    return group(bf.compare(EV).to_arviz(rng=1, n_draws=20_000), "posterior")


def test_draws_are_those_of_the_closed_form(posterior):
    for model in EV.models:
        for metric in ("precision", "recall", "f1"):
            draws = posterior["score"].sel(system=model, measure=metric).values.ravel()
            distribution = bf.posterior(EV, model, metric)
            assert abs(draws.mean() - distribution.mean()) < 5 * distribution.std() / np.sqrt(draws.size)
            assert draws.std() == pytest.approx(distribution.std(), rel=0.03)


def test_the_summary_is_ours_whatever_arviz_defaults_to(posterior):
    table = summary(posterior[["score"]], 0.9)
    exact = bf.summary(EV, prob=0.9)
    for model, metric in exact.index:
        row = table.loc[f"score[{model}, {metric}]"]
        # twenty thousand draws know an end of an interval to a hundredth of it
        assert np.allclose(row[["mean", "sd", "hdi_5%", "hdi_95%"]], exact.loc[(model, metric)], atol=0.006)


@pytest.mark.parametrize("kind", ["paired", "clustered"])
def test_dependent_models_share_their_draws(kind):
    rng = np.random.default_rng(2)
    gold = rng.random(400) < 0.5
    a = noisy(rng, gold, 0.8)
    b = np.where(rng.random(400) < 0.97, a, gold)
    ev = bf.from_labels(
        gold, {"A": a, "B": b}, groups=None if kind == "paired" else np.repeat(np.arange(80), 5)
    )
    scores = group(bf.compare(ev, rng=3).to_arviz(rng=3), "posterior")["score"].sel(measure="f1")
    assert np.corrcoef(*(scores.sel(system=m).values.ravel() for m in "AB"))[0, 1] > 0.8


def test_a_comparison_becomes_its_draws():
    res = bf.compare(EV, rope=0.02)
    idata = res.to_arviz(n_draws=20_000, rng=4)
    assert set(group(idata, "posterior").data_vars) == {"score", "difference"}
    difference = group(idata, "posterior")["difference"]
    assert difference.dims == ("chain", "draw", "measure")
    for metric, test in res.items():
        share = float((difference.sel(measure=metric) > 0).mean())
        assert abs(share - test.p_h1) < 5 * np.sqrt(test.p_h1 * test.p_h0 / 20_000) + 1e-4


def test_what_is_undefined_has_no_draws():
    never = bf.compare(bf.from_counts(A=(0, 0, 10, 90), B=(8, 2, 2, 88))).to_arviz(n_draws=400, rng=9)
    posterior = group(never, "posterior")
    undefined = posterior["difference"].isnull().all(("chain", "draw"))
    assert undefined.sel(measure=["precision", "recall"]).values.tolist() == [True, False]
    assert "draws:400|rng:9" in posterior.attrs["signature"]


@pytest.mark.parametrize("kind", ["items", "scores", "statistics", "probabilities"])
def test_comparisons_of_every_sort_have_draws(kind):
    ev = EVALUATIONS[kind](1)
    posterior = group(bf.compare(ev, *ev.names[:2], rng=1).to_arviz(n_draws=400, rng=1), "posterior")
    assert posterior["score"].sizes["draw"] == 100
    assert not posterior["score"].isnull().any()


def test_files_keep_all_groups_and_arviz_reads_them(tmp_path):
    idata = bf.compare(EV).to_arviz(rng=6)
    groups = {name: group(idata, name) for name in group_names(idata)}
    save_groups(groups, tmp_path / "draws.nc")
    again = load_groups(tmp_path / "draws.nc")
    assert set(again) == {"posterior", "observed_data", "constant_data"}
    for name, data in groups.items():
        assert again[name].identical(data)
    theirs = load_arviz().from_netcdf(str(tmp_path / "draws.nc"))
    assert np.array_equal(theirs["posterior"]["score"], idata["posterior"]["score"])
    assert np.array_equal(again["observed_data"]["counts"], EV.tables)


def test_convergence_sees_chains_that_disagree_and_halves_of_one():
    rng = np.random.default_rng(7)
    good = rng.normal(size=(4, 500))
    bad = good + np.arange(4)[:, None]
    drift = good[:1] + np.linspace(0, 3, 500)

    def worst(draws):
        return convergence(dataset({"x": (("chain", "draw"), draws)}, {}))

    assert worst(good)[0] < 1.01
    assert worst(good)[1] > 1000
    assert worst(bad)[0] > 1.1
    assert worst(drift)[0] > 1.1
    assert worst(np.ones((4, 100))) == (1.0, 400.0, 400.0)


@pytest.mark.long
def test_the_announcement_of_a_new_day_is_not_heard(tmp_path):
    # ArviZ 0.23 keeps in its cache on which day it last made it.
    load = "from bayesf1.output.arviz import load_arviz; load_arviz()"
    done = subprocess.run(
        [sys.executable, "-W", "error::FutureWarning", "-c", load],
        check=False,
        capture_output=True,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, b"")
