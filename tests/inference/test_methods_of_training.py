"""Methods and their runs: what is claimed of training, and what of these very models."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling import run_variance_of, sampling_model


def trained(seed=0, n=400, runs=(4, 4), tau=0.3, gain=0.4):
    """Two methods, so many runs of each, on the same items."""
    rng = np.random.default_rng(seed)
    gold = rng.random(n) < 0.4
    hard = rng.normal(0, 0.8, n)
    said = {}
    for name, number, better in (("crf", runs[0], 0.0), ("bert", runs[1], gain)):
        said[name] = {}
        for r in range(number):
            ease = 1.0 + better + hard + rng.normal(0, tau) + rng.normal(0, 0.3, n)
            right = rng.random(n) < 1 / (1 + np.exp(-ease))
            said[name][f"s{r}"] = np.where(right, gold, ~gold).astype(int)
    return bf.from_labels(gold.astype(int), said, positive=1)


@pytest.fixture(scope="module")
def ev():
    return trained()


@pytest.fixture(scope="module")
def res(ev):
    return bf.compare(ev, rng=1, n_draws=20_000)


def test_training_widens_what_items_leave(ev, res):
    models = bf.compare(ev, target="models", rng=1, n_draws=20_000)
    for name in ("precision", "recall", "f1"):
        assert res[name].difference.std() > 1.2 * models[name].difference.std()
        assert res[name].score_a == models[name].score_a == pytest.approx(bf.score(ev, "crf", name))
    assert res["f1"].target == "method"
    assert models["f1"].target == "models"


def test_the_difference_is_items_and_training_together(ev, res):
    c = res["f1"]
    (known,) = sampling_model(ev).training([c.definition], prior=0.5, rng=np.random.default_rng(0))
    models = bf.compare(ev, target="models", metrics="f1", rng=2, n_draws=20_000)["f1"]
    training = float((known.medians**2 / known.runs).sum())
    assert c.variance.training == pytest.approx(training)
    low, high = c.difference.interval(0.6827)
    assert 0.25 * (high - low) ** 2 > models.difference.var() + training
    assert c.variance.items == pytest.approx(models.difference.var(), rel=0.15)


def test_runs_are_paired_on_the_same_items(ev):
    # The mean over runs of independent draws would vary far less than that over shared items.
    f1 = resolve_metric("f1", ev)
    model = sampling_model(ev, target="models")
    drawn = model.scores([f1], prior=1.0, n_draws=4000, rng=np.random.default_rng(0))
    shared = np.concatenate([block[0] for block in drawn])[:, 0].std()
    one = bf.posterior(ev, "crf/s0").std()
    assert shared > 0.6 * one


def test_a_steady_method_does_not_vouch_for_a_volatile_one():
    f1 = resolve_metric("f1", trained())
    scores = np.array([*np.linspace(0.80, 0.81, 10), 0.70, 0.80, 0.90])
    known = run_variance_of(f1, scores, None, [range(10), range(10, 13)])
    steady, volatile = known.medians
    assert steady < 0.005
    assert volatile > 0.06


@pytest.mark.parametrize("runs", [(1, 4), (1, 1)])
def test_one_run_is_a_model_and_no_method(runs):
    ev = trained(runs=runs)
    res = bf.compare(ev, rng=1)
    assert res["f1"].target == "models"
    assert "There is only one run of crf" in str(res)
    assert "allowing for the training" not in str(res)
    with pytest.raises(ValueError, match="one run of crf"):
        bf.compare(ev, target="method")


def test_without_runs_there_is_no_method():
    ev = trained().select(["crf/s0", "bert/s0"])
    with pytest.raises(ValueError, match="give runs"):
        bf.compare(ev, target="method")
    with pytest.raises(ValueError, match="did you mean 'method'"):
        bf.compare(ev, target="methods")


def test_totals_of_runs_are_not_taken_for_more_items():
    ev = trained()
    totals = bf.from_counts({m.name: {run: tuple(ev.table(run)) for run in m.runs} for m in ev.methods})
    f1 = resolve_metric("f1", totals)
    model = sampling_model(totals, target="models")
    drawn = model.scores([f1], prior=1.0, n_draws=20_000, rng=np.random.default_rng(0))
    scores = np.concatenate([block[0] for block in drawn])
    one = bf.posterior(totals, totals.models[0]).std()
    assert scores[:, 0].std() == pytest.approx(one, rel=0.1)
    assert "Only the runs' totals are known" in str(bf.compare(totals, metrics="f1", rng=1, n_draws=2000))


def test_a_ranking_is_of_methods(ev):
    ranking = bf.rank(ev, rng=1, n_draws=10_000)
    assert ranking.models == ("bert", "crf")
    assert ranking.score[1] == pytest.approx(bf.score(ev, "crf"))
    models = bf.rank(ev, target="models", rng=1, n_draws=10_000)
    assert models.high[0] - models.low[0] < ranking.high[0] - ranking.low[0]


@pytest.mark.long
def test_intervals_of_methods_are_of_the_runs_mean(ev):
    found = bf.intervals(ev, "crf", n_resamples=200, rng=1)
    assert found.estimate == pytest.approx(bf.score(ev, "crf"))
    assert "wilson_direct" not in found
    assert "the mean of these runs" in str(found)
    low, high = found["credible_equal_tailed"]
    assert high - low > found["delta"].length
    gap = bf.difference_intervals(ev, methods=["delta"], rng=1)
    assert gap.estimate == pytest.approx(bf.score(ev, "bert") - bf.score(ev, "crf"))


def test_figures_show_the_runs(ev, res):
    axes = bf.plot_posterior(ev, metrics="f1", n_draws=2000, rng=1)
    rows = [line for line in axes[0].lines if len(line.get_xdata()) == 4]
    assert len(rows) == 2
    assert all((line.get_ydata() < 0).all() for line in rows)
    scores = resolve_metric("f1", ev)(ev.tables, ev.cells)
    assert rows[0].get_xdata() == pytest.approx(scores[:4])
    bf.plot_difference(res)
