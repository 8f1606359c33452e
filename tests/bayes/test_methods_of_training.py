"""Methods and their runs: what is claimed of training, and what of these very models."""

import json

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.evaluation.scoring import find_measure


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
    return bf.compare(ev, rng=1)


def test_training_widens_what_items_leave(ev, res):
    models = bf.compare(ev, target="models", rng=1)
    for name in ("precision", "recall", "f1"):
        assert res[name].difference.std() > 1.2 * models[name].difference.std()
        assert res[name].score_a == models[name].score_a == pytest.approx(bf.score(ev, "crf", name))
    assert res["f1"].target == "method"
    assert models["f1"].target == "models"


def test_the_difference_is_items_and_training_together(ev, res):
    c = res["f1"]
    (known,) = c.under.training([c.measure], prior=1.0, rng=np.random.default_rng(0))
    models = bf.compare(ev, target="models", metrics="f1", rng=2)["f1"]
    expected = models.difference.var() + known.variance()
    assert c.difference.var() == pytest.approx(expected, rel=0.1)
    assert c.variance.training == pytest.approx(known.variance())
    assert c.variance.items == pytest.approx(models.difference.var(), rel=0.15)


def test_runs_are_paired_on_the_same_items(ev):
    # The mean over runs of independent draws would vary far less than that over shared items.
    f1 = find_measure("f1", ev)
    (scores,) = zip(
        *ev.under("auto", "models").scores([f1], prior=1.0, n_draws=4000, rng=np.random.default_rng(0)),
        strict=True,
    )
    shared = np.concatenate(scores)[:, 0].std()
    one = bf.posterior(ev, "crf/s0").std()
    assert shared > 0.6 * one


def test_words_say_what_was_allowed_for(res):
    text = str(res)
    assert "averaged over 4 runs each, allowing for the training and for the 400 items" in text
    assert "mean of its runs' scores" in res.methods_sentence()
    assert res["f1"].variance.sentence() in text
    assert json.loads(res.to_json())["comparisons"][0]["variance"]["training"] > 0
    assert res["f1"].variance.sentence() in json.loads(res.to_json())["notes"]
    for written in (res.to_latex(), res.to_markdown(), res._repr_html_()):
        assert "come from training" in written or "comes from training" in written


def test_these_very_runs_are_named_as_such(ev):
    text = str(bf.compare(ev, target="models", rng=1))
    assert "averaged over these 4 runs each" in text
    assert "training" not in text


@pytest.mark.parametrize(
    ("training", "items", "words"),
    [
        (9e-4, 1e-4, "Nine tenths"),
        (1e-4, 9e-4, "from the test items: add items"),
        (1e-4, 1e-4, "about equally"),
        (0.0, 1e-4, "All"),
    ],
)
def test_what_to_do_next(training, items, words):
    from bayesf1.bayes.variance import Variance

    assert words.lower() in Variance(training, items).sentence().lower()


def test_one_run_is_allowed_and_said():
    ev = trained(runs=(1, 4))
    text = str(bf.compare(ev, rng=1))
    assert "There is only one run of crf, which does not show how its training varies" in text
    assert "averaged over 1 and 4 runs" in text


def test_without_runs_there_is_no_method():
    ev = trained().select(["crf/s0", "bert/s0"])
    with pytest.raises(ValueError, match="give runs"):
        bf.compare(ev, target="method")
    with pytest.raises(ValueError, match="did you mean 'method'"):
        bf.compare(ev, target="methods")


def test_totals_of_runs_are_not_taken_for_more_items():
    ev = trained()
    totals = bf.from_counts({m.name: {run: tuple(ev.table(run)) for run in m.runs} for m in ev.methods})
    f1 = find_measure("f1", totals)
    (scores,) = zip(
        *totals.under("auto", "models").scores([f1], prior=1.0, n_draws=20_000, rng=np.random.default_rng(0)),
        strict=True,
    )
    one = bf.posterior(totals, totals.models[0]).std()
    assert np.concatenate(scores)[:, 0].std() == pytest.approx(one, rel=0.1)
    assert "Only the runs' totals are known" in str(bf.compare(totals, rng=1))


def test_a_ranking_is_of_methods(ev):
    ranking = bf.rank(ev, rng=1)
    assert ranking.system.values.tolist() == ["bert", "crf"]
    assert float(ranking.score.sel(system="crf")) == pytest.approx(bf.score(ev, "crf"))
    models = bf.rank(ev, target="models", rng=1)
    assert float(models.high[0] - models.low[0]) < float(ranking.high[0] - ranking.low[0])


def test_summaries_and_posteriors_are_of_methods(ev):
    table = bf.summary(ev, metrics="f1", rng=1)
    assert [name for name, _ in table.index] == ["crf", "bert"]
    assert table.loc[("crf", "f1"), "sd"] == pytest.approx(bf.posterior(ev, "crf", rng=2).std(), rel=0.05)
    assert bf.posterior(ev, "crf/s0").std() > 0


def test_swapping_methods_swaps_the_answer(ev, res):
    back = bf.compare(ev, "bert", "crf", rng=1)
    assert back["f1"].p_h0 == res["f1"].p_h1


def test_what_takes_trained_models_says_so(ev):
    for ask in (
        lambda: bf.randomization_test(ev),
        lambda: bf.plan(0.02, pilot=ev, model="crf"),
    ):
        with pytest.raises(ValueError, match="has 4 runs; choose one of each"):
            ask()


def test_intervals_of_methods_are_of_the_runs_mean(ev):
    found = bf.intervals(ev, "crf", rng=1)
    assert found.estimate == pytest.approx(bf.score(ev, "crf"))
    assert "wilson_direct" not in found
    assert "the mean of these runs" in str(found)
    low, high = found["credible_equal_tailed"]
    assert high - low > found["delta"].length
    gap = bf.difference_intervals(ev, rng=1)
    assert gap.estimate == pytest.approx(bf.score(ev, "bert") - bf.score(ev, "crf"))


def test_figures_show_the_runs(ev, res):
    axes = bf.plot_posterior(ev, metrics="f1", n_draws=2000, rng=1)
    rows = [line for line in axes[0].lines if len(line.get_xdata()) == 4]
    assert len(rows) == 2
    assert all((line.get_ydata() < 0).all() for line in rows)
    scores = find_measure("f1", ev)(ev.tables, ev.cells)
    assert rows[0].get_xdata() == pytest.approx(scores[:4])
    bf.plot_difference(res)


def test_a_plan_for_methods_holds_what_it_promises():
    # Experiments of the planned size, simulated anew: how often is the better method called better?
    pilot = trained(seed=3, n=600, runs=(6, 6), tau=0.1, gain=0.5)
    gain = bf.score(pilot, "bert") - bf.score(pilot, "crf")
    plan = bf.plan_comparison(pilot, difference=gain, runs=6, assurance=0.7, rng=1)
    assert plan.runs == 6
    assert "6 runs of each" in plan.sentence
    json.loads(plan.to_json())
    more = bf.plan_comparison(pilot, difference=gain, runs=20, assurance=0.7, rng=1)
    assert more.n_units < plan.n_units


def test_a_plan_says_when_it_takes_more_runs():
    with pytest.raises(ValueError, match="cannot be seen with 4 runs of each method, however many items"):
        bf.plan_comparison(trained(), difference=0.02, rng=1)
    with pytest.raises(ValueError, match="runs plans for methods"):
        bf.plan_comparison(trained().select(["crf/s0", "bert/s0"]), difference=0.02, runs=5)
    with pytest.raises(ValueError, match="runs must be a whole number from 2"):
        bf.plan_comparison(trained(), difference=0.2, runs=1)


def test_power_for_methods_is_that_of_simulated_comparisons():
    from bayesf1.frequentist.method_plan import MethodPilot

    rng = np.random.default_rng(0)
    tau, single, shared, runs, n = 0.02, 2e-4, 1e-4, 5, 2.0
    pilot = MethodPilot(1.0, shared, single, np.full(1, tau))
    power = pilot.power(0.05, n, runs, 0.975)
    items = (shared + 2 * single / runs) / n
    means = 0.05 + rng.normal(0, np.sqrt(items + 2 * tau**2 / runs), 20_000)
    spread = tau**2 * rng.chisquare(2 * runs - 2, 20_000) / (2 * runs - 2)
    total = items + 2 * spread / runs
    from scipy import stats

    freedom = (2 * runs - 2) * (total / (2 * spread / runs)) ** 2
    assert power == pytest.approx(np.mean(means / np.sqrt(total) > stats.t(freedom).ppf(0.975)), abs=0.02)


def test_arviz_gets_methods_and_their_runs(ev, res):
    from bayesf1.base.arviz_data import group

    for idata in (bf.to_arviz(ev, metrics="f1", n_draws=4000, rng=1), res.to_arviz(n_draws=4000, rng=1)):
        posterior = group(idata, "posterior")
        assert posterior.system.values.tolist() == ["crf", "bert"]
        assert posterior.run.values.tolist() == list(ev.models)
        runs, score = (
            posterior["score_run"].sel(measure="f1"),
            posterior["score"].sel(measure="f1", system="crf"),
        )
        assert float(score.mean()) == pytest.approx(float(runs[..., :4].mean()), abs=0.01)
        # Training is in the methods' scores and not in those of the runs at hand.
        assert float(score.std()) > 1.2 * float(runs[..., :4].mean("run").std())
