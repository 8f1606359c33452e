"""What a hierarchical fit of counts answers and says, what it takes, and what it refuses."""

import importlib.util
import json
import subprocess
import sys
import warnings

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.base.arviz_data import group, is_old, load_arviz
from bayesf1.groups import fitting, importance, nuts
from bayesf1.groups.corpora import read_groups
from bayesf1.groups.diagnostics import Diagnostics
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.saved import load_fit
from bayesf1.kinds.joint import joint_counts
from builders import group_names, noisy

CORPORA = {
    "conll": bf.from_counts(A=(77, 44, 10), B=(83, 9, 4)),
    "wnut": bf.from_counts(A=(30, 25, 22), B=(33, 20, 19)),
    "folk": bf.from_counts(A=(55, 20, 31), B=(50, 22, 36)),
    "mail": bf.from_counts(A=(12, 3, 2), B=(11, 0, 3)),
}


def hierarchical(data, **options):
    return fitting.hierarchical(data, **{"likelihood": "dirichlet", **options})


@pytest.fixture(scope="module")
def fit():
    return hierarchical(CORPORA, rope=0.02, rng=1)


def sentences(n, seed):
    """An evaluation whose units are sentences."""
    rng = np.random.default_rng(seed)
    gold = [rng.choice(["O", "B-X"], size=5, p=[0.7, 0.3]).tolist() for _ in range(n)]

    def corrupt():
        return [[t if rng.random() > 0.1 else "O" for t in s] for s in gold]

    return bf.from_tags(gold, {"A": corrupt(), "B": corrupt()})


# ---- answers ----------------------------------------------------------------------------------------------


def test_a_new_corpus_is_less_certain_than_the_average_one(fit):
    for metric in ("precision", "recall", "f1"):
        average, new = (fit.compare(question=q)[metric] for q in ("average", "new"))
        assert new.difference.std() > average.difference.std()
    assert fit.compare(question="new")["f1"].p_h1 < fit.compare()["f1"].p_h1


def test_a_small_corpus_is_shrunk_towards_the_others_more_than_a_large_one(fit):
    f1 = fit.posterior["score_dataset"].sel(system="A", measure="f1").mean(("chain", "draw"))
    average = float(fit.posterior["score"].sel(system="A", measure="f1").mean())
    kept = {
        name: (float(f1.sel(dataset=name)) - average) / (bf.score(CORPORA[name], "A") - average)
        for name in ("mail", "conll")
    }
    assert 0.0 < kept["mail"] < 1.0
    # mail has 17 relevant items, folk 106; both are far from the average
    folk = (float(f1.sel(dataset="folk")) - average) / (bf.score(CORPORA["folk"], "A") - average)
    assert kept["mail"] < folk < 1.0


def test_swapping_the_models_swaps_the_probabilities(fit):
    for question in fit.questions:
        one, other = (
            fit.compare("A", "B", question=question)["f1"],
            fit.compare("B", "A", question=question)["f1"],
        )
        assert one.p_less == pytest.approx(other.p_greater, abs=1e-12)
        assert one.p_rope == pytest.approx(other.p_rope, abs=1e-12)
        assert one.p_less + one.p_rope + one.p_greater == pytest.approx(1.0)


def test_answers_are_comparisons_that_say_of_which_corpus_they_speak(fit):
    res = fit.compare(question="wnut")
    assert isinstance(res, bf.Comparisons)
    assert isinstance(res["f1"], bf.Comparison)
    assert "wnut, shrunk towards the other corpora" in str(res)
    assert res.sentence().startswith("On wnut")
    assert fit.compare().sentence().startswith("On the average corpus")
    assert "On a new corpus" in fit.compare(question="new")._repr_html_()
    assert list(res.to_frame().index) == ["precision", "recall", "f1"]
    assert "toprule" in res.to_latex()


def test_a_fit_prints_all_three_answers(fit):
    text = str(fit)
    for part in ("the average corpus", "a new corpus", *CORPORA, "On the 4 corpora at hand", "Pareto k"):
        assert part in text
    assert "B better" in text
    assert "<table>" in fit._repr_html_()
    document = json.loads(json.dumps(fit.to_dict(), allow_nan=False))
    assert list(document["answers"]) == list(fit.questions)
    assert len(fit.to_frame()) == 3 * 7


def test_corpora_are_named_safely_in_html():
    fit = hierarchical({"<b>x</b>": CORPORA["wnut"], "y": CORPORA["folk"]}, draws=200, rng=2)
    assert "<b>x</b>" not in fit._repr_html_()


def test_more_models_show_the_best_two_and_compare_any():
    data = {
        name: bf.from_counts(A=(50, 30 + i, 20), B=(70, 10, 12 + i), C=(66, 14, 13), D=(9, 9, 60))
        for i, name in enumerate("wxyz")
    }
    fit = hierarchical(data, draws=500, rng=3)
    assert "test of B against C" in str(fit)
    assert "name others" in str(fit)
    assert fit.compare("D", "A")["f1"].p_h1 > 0.99
    with pytest.raises(ValueError, match="name the two"):
        fit.compare()


def test_one_model_has_scores_but_nothing_to_compare():
    fit = hierarchical({name: ev.select(["A"]) for name, ev in CORPORA.items()}, draws=500, rng=4)
    assert "score_new[A, f1]" in str(fit)
    with pytest.raises(ValueError, match="one model"):
        fit.table()


def test_folds_are_groups_with_all_their_counts():
    ev = bf.load_example("wang-li-org")
    fit = hierarchical(ev, draws=500, rng=5)
    assert fit.datasets[-1] == "repeat 3, fold 2"
    assert np.array_equal(fit.ev.tables.sum(axis=0), ev.folds.counts.sum(axis=(0, 1)))
    assert "On a new fold" in str(fit)
    assert "discounted counts" in str(fit)


def test_callables_and_other_metrics_are_scored():
    def tp_share(tables):
        return tables[..., 0] / tables.sum(axis=-1)

    fit = hierarchical(CORPORA, metrics=["f0.5", "jaccard", tp_share], draws=500, rng=6)
    assert list(fit.compare()) == ["f0.5", "jaccard", "tp_share"]
    # the share of tp in tp+fp+fn is Jaccard's
    assert fit.compare()["tp_share"].p_h1 == fit.compare()["jaccard"].p_h1


def test_classes_are_counted_as_pairs_of_gold_and_predicted():
    rng = np.random.default_rng(7)

    def corpus(labels, n):
        gold = rng.choice(labels, size=n)
        said = {m: noisy(rng, gold, 0.8, labels) for m in "AB"}
        return bf.from_labels(gold, said)

    data = {"x": corpus(list("abc"), 200), "y": corpus(list("bcd"), 150), "z": corpus(list("abd"), 150)}
    fit = hierarchical(data, metrics=["accuracy", "macro_f1", "f1[b]"], rng=8)
    scores = fit.posterior["score_dataset"].sel(dataset="x", measure="accuracy").mean(("chain", "draw"))
    for model in "AB":
        assert float(scores.sel(system=model)) == pytest.approx(
            bf.score(data["x"], model, "accuracy"), abs=0.05
        )


# ---- data -------------------------------------------------------------------------------------------------


def test_joint_outcomes_are_those_of_the_paired_comparison():
    gold = np.tile([True, True, True, False, False], 30)
    rng = np.random.default_rng(9)
    ev = bf.from_labels(gold, {m: noisy(rng, gold, 0.8) for m in "AB"})
    groups = read_groups({"x": ev, "y": ev}, paired=True)
    names = dict(zip(groups.labels, groups.counts[0, 0], strict=True))
    joint = joint_counts(ev, 0, 1)
    assert (names["tp+tp"], names["tp+fn"], names["fn+tp"], names["fn+fn"]) == joint[:4]
    assert (names["fp+fp"], names["fp+tn"], names["tn+fp"], names["tn+tn"]) == joint[4:]
    assert np.array_equal(groups.ev.tables[0], ev.tables)
    # lambda / 2 on each joint outcome is lambda on each cell of a model
    assert np.allclose(groups.tables(groups.alpha(1.0)), 1.0)


def test_sentences_are_taken_apart_into_spans():
    ev = sentences(100, 10)
    groups = read_groups({"x": ev, "y": ev}, paired=True, assumption="items")
    assert groups.assumption == "paired"
    assert groups.labels[:2] == ("tp+tp", "tp+fn")
    assert "items of one sentence were taken as independent" in groups.note
    assert np.array_equal(groups.ev.tables[0], ev.tables)


def test_units_of_several_items_are_refused_where_items_are_taken_as_independent():
    data = {"x": CORPORA["wnut"], "y": sentences(30, 11)}
    with pytest.raises(ValueError, match="corpus 'y' was sampled by the sentence"):
        hierarchical(data, draws=200)
    told = str(hierarchical(data, assumption="items", draws=200, rng=1))
    assert "Items of one sentence were taken as independent" in told
    assert "all items taken as independent" in told


def test_totals_and_many_models_are_not_paired_and_it_is_said():
    totals = read_groups(CORPORA, paired=True)
    assert totals.assumption == "independent"
    assert "only totals are known" in totals.note
    gold = np.array([True, False] * 20)
    many = bf.from_labels(gold, dict.fromkeys("ABCD", gold))
    assert "too many joint outcomes" in read_groups({"x": many, "y": many}, paired=True).note


def test_folds_of_several_corpora_are_summed_and_discounted_and_it_is_said():
    ev = bf.load_example("wang-li-org")
    groups = read_groups({"x": ev, "y": ev}, paired=False)
    assert np.array_equal(groups.counts[0], ev.tables)
    assert "discounted" in groups.note


def test_three_models_have_fifteen_joint_outcomes_of_spans():
    ev = bf.load_example("wnut17").select(["Arcada", "FLYTXT", "MIC-CIS"])
    groups = read_groups({"x": ev, "y": ev}, paired=True, assumption="items")
    assert groups.counts.shape == (2, 1, 15)
    assert np.array_equal(groups.ev.tables[0], ev.tables)
    assert np.allclose(groups.tables(groups.alpha(1.0)), 1.0)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ({}, {}, "no corpus given"),
        (CORPORA["wnut"], {}, "one evaluation is one corpus"),
        ({"new": CORPORA["wnut"]}, {}, "names a question"),
        ({"suite": CORPORA["wnut"]}, {}, "names a question"),
        ({3: CORPORA["wnut"]}, {}, "corpus name 3"),
        (
            {"x": CORPORA["wnut"], "y": bf.from_counts(A=(1, 2, 3), C=(1, 2, 3))},
            {},
            "corpus 'y' has the models A, C",
        ),
        ({"x": CORPORA["wnut"], "y": bf.from_counts(A=(1, 2, 3, 4), B=(1, 2, 3, 4))}, {}, "keep those"),
        ({"x": "file.csv"}, {}, "an Evaluation belongs here"),
        (CORPORA, {"likelihood": "dirichlt"}, "did you mean 'dirichlet'"),
        (CORPORA, {"sampler": "stan"}, "unknown sampler 'stan'"),
        (
            CORPORA,
            {"sampler": "importance", "likelihood": "logistic-normal"},
            "the sampler 'importance' is not for",
        ),
        (CORPORA, {"draws": 10}, "draws must be a whole number from 100"),
        (CORPORA, {"chains": 0}, "chains must be"),
        (CORPORA, {"tune": 2.5}, "tune must be"),
        (CORPORA, {"target_accept": 1.0}, "target_accept is a share"),
        (CORPORA, {"rope": -1}, "rope is a half-width"),
        (CORPORA, {"prior": 0}, "prior must be"),
        (CORPORA, {"rng": "x"}, "rng must be"),
        (CORPORA, {"metrics": "mcc"}, "needs true negatives"),
        (CORPORA, {"assumption": "pared"}, "did you mean 'paired'"),
        (CORPORA, {"assumption": "paired"}, "only the logistic-normal"),
        (CORPORA, {"assumption": "paired", "likelihood": "logistic-normal"}, "only totals are known"),
    ],
)
def test_bad_arguments_get_one_sentence(data, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        hierarchical(data, **options)
    assert "\n" not in str(caught.value)


def test_a_prior_that_is_none_gets_one_sentence():
    with pytest.raises(ValueError, match="kappa of the prior must be a number above 0, not -1"):
        HierarchicalPrior(kappa=-1)


def test_unknown_questions_get_the_nearest(fit):
    with pytest.raises(ValueError, match="did you mean 'average'"):
        fit.compare(question="avrage")


def test_the_population_is_another_name_of_the_average(fit):
    res = fit.compare(question="population")["f1"]
    assert res.question == "average"
    assert res.p_h1 == fit.compare()["f1"].p_h1


# ---- trust ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quality", "words"),
    [
        (Diagnostics("pymc", 4000, 900, 900, divergences=2, r_hat=1.0), ("2 of 4,000", "target_accept")),
        (Diagnostics("pymc", 4000, 900, 900, divergences=0, r_hat=1.05), ("R-hat 1.050", "tune")),
        (Diagnostics("pymc", 4000, 900, 399, divergences=0, r_hat=1.0), ("399", "more draws")),
        (Diagnostics("importance", 4000, 900, 900, pareto_k=0.8), ("Pareto k 0.80", "nutpie")),
    ],
)
def test_every_problem_is_told_with_what_to_try(quality, words):
    assert not quality.ok
    assert all(word in quality.caution for word in words)


def test_too_few_draws_warn_and_no_verdict_stands_alone():
    with pytest.warns(UserWarning, match="fewer than 400"):
        fit = hierarchical(CORPORA, draws=100, chains=2, rng=11)
    assert "Caution: only" in str(fit)
    for question in fit.questions:
        assert "Caution: only" in fit.compare(question=question).sentence()
    assert "Caution" in fit.to_dict()["caution"]
    assert "Caution" in fit.compare().to_dict()["sentence"]


def test_bad_importance_weights_give_way_to_nuts(monkeypatch):
    monkeypatch.setattr(importance, "sample", lambda *_: ({}, 1.7, 30.0))
    asked = []

    def stop(likelihood, sampler, run, rng):
        asked.append(sampler)
        raise KeyboardInterrupt

    monkeypatch.setattr(nuts, "sample", stop)
    with (
        pytest.warns(UserWarning, match="Pareto k 1.70.*sampling by NUTS instead"),
        pytest.raises(KeyboardInterrupt),
    ):
        hierarchical(CORPORA, rng=12)
    assert asked == ["nutpie"]


def test_an_importance_sampler_that_was_asked_for_stays_and_warns(monkeypatch):
    sample = importance.sample
    monkeypatch.setattr(fitting.importance, "sample", lambda *a: (sample(*a)[0], 1.7, 5000.0))
    with pytest.warns(UserWarning, match="Pareto k 1.70"):
        fit = hierarchical(CORPORA, sampler="importance", rng=13)
    assert "Caution" in fit.compare().sentence()


def test_without_the_extra_the_error_names_the_line_to_install_it(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in ("nutpie", "pymc") else found(name)
    )
    for sampler in ("nutpie", "pymc"):
        with pytest.raises(ImportError, match=r"pip install 'bayesf1\[pymc\]'"):
            hierarchical(CORPORA, likelihood="logistic-normal", sampler=sampler)
    # and what needs no extra needs none
    assert hierarchical(CORPORA, draws=200, rng=14).diagnostics.ok


def test_an_interrupted_sampler_does_not_give_a_fit(monkeypatch):
    short = nuts.Chains({}, np.zeros((2, 50), dtype=bool))
    monkeypatch.setattr(nuts, "_by_nutpie", lambda *_: short)
    with pytest.raises(KeyboardInterrupt, match="after 50 of 100"):
        hierarchical(CORPORA, sampler="nutpie", draws=100, chains=2)


def test_a_script_needs_no_guard(tmp_path):
    pytest.importorskip("nutpie")
    script = tmp_path / "script.py"
    script.write_text(
        "import bayesf1 as bf, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "data = {n: bf.from_counts(A=(30, 9, 5 + i), B=(33, 5, 2 + i)) for i, n in enumerate('xyz')}\n"
        "fit = bf.hierarchical(data, likelihood='logistic-normal', draws=100, tune=200, rng=1)\n"
        "print('ran once,', fit.diagnostics.sampler)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.count("ran once, nutpie") == 1


# ---- ArviZ and files --------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_fit(fit):
    assert hierarchical(CORPORA, rope=0.02, rng=1).posterior.identical(fit.posterior)


def test_arviz_gets_named_dims_and_every_metric_by_name(fit):
    idata = fit.to_arviz()
    posterior = group(idata, "posterior")
    assert posterior["score_dataset"].dims == ("chain", "draw", "system", "measure", "dataset")
    assert posterior["pi"].dims == ("chain", "draw", "system", "cell")
    assert set(posterior.data_vars) == {"score", "score_new", "score_dataset", "pi", "log_kappa"}
    assert {
        "posterior",
        "prior",
        "posterior_predictive",
        "prior_predictive",
        "log_likelihood",
        "observed_data",
    } <= set(group_names(idata))
    assert type(idata) is type(fit.inference_data)


def test_the_summary_has_our_interval_and_names_what_it_means(fit):
    table = fit.summary(0.9)
    assert list(table.columns[:4]) == ["mean", "sd", "hdi_5%", "hdi_95%"]
    # every row speaks of the draws that its label names
    for system in "AB":
        for name in CORPORA:
            row = table.loc[f"score_dataset[{system}, f1, {name}]"]
            draws = fit.posterior["score_dataset"].sel(system=system, measure="f1", dataset=name).values
            low, high = bf.EmpiricalPosterior(draws).hdi(0.9)
            assert row["mean"] == pytest.approx(draws.mean(), abs=1e-9)
            assert row["hdi_5%"] == pytest.approx(low, abs=0.003)
            assert row["hdi_95%"] == pytest.approx(high, abs=0.003)


def test_leave_one_corpus_out_and_predictive_plots_work(fit):
    import matplotlib

    matplotlib.use("Agg")
    arviz, idata = load_arviz(), fit.to_arviz()
    with warnings.catch_warnings():
        # what plotting libraries deprecate among themselves
        warnings.simplefilter("ignore")
        loo = arviz.loo(idata)
        if is_old():
            arviz.plot_ppc(idata, num_pp_samples=20)
            arviz.plot_ppc(idata, group="prior", num_pp_samples=20)
            arviz.plot_posterior(
                idata, var_names=["score"], coords={"measure": "f1"}, hdi_prob=0.95, rope=(-0.01, 0.01)
            )
            arviz.plot_forest(idata, var_names=["score_dataset"], combined=True, hdi_prob=0.95)
            assert {"score[A, f1]", "score[B, f1]"} <= set(arviz.summary(idata).index)
        else:
            arviz.plot_ppc_dist(idata)
            arviz.plot_ppc_dist(idata, group="prior_predictive")
            arviz.plot_dist(idata, var_names=["score"], coords={"measure": "f1"}, ci_kind="hdi", ci_prob=0.95)
            arviz.plot_forest(idata, var_names=["score_dataset"], combined=True)
            assert len(arviz.summary(idata)) > 30
    assert np.isfinite(loo.elpd_loo if is_old() else loo.elpd)


def test_leaving_a_corpus_out_is_what_fitting_without_it_gives():
    arviz, ev = load_arviz(), bf.load_example("wang-li-org")
    folds = {str(i): bf.from_counts(A=a, B=b) for i, (a, b) in enumerate(ev.folds.counts.reshape(6, 2, 3))}
    loo = arviz.loo(hierarchical(folds, rng=15).to_arviz())
    total = 0.0
    for name in folds:
        part = hierarchical({k: v for k, v in folds.items() if k != name}, rng=16)
        likelihood = fitting.DirichletMultinomial(read_groups({name: folds[name]}, paired=False), part.prior)
        draws = {key: part.posterior[key].values for key in ("pi", "log_kappa")}
        total += np.log(np.exp(likelihood.log_likelihood(draws)).mean())
    # smoothed weights stand in for six fits, and err by some hundredths each
    assert float(loo.elpd_loo if is_old() else loo.elpd) == pytest.approx(total, abs=0.4)


def test_predictions_look_like_the_data(fit):
    groups = {name: group(fit.to_arviz(), name) for name in ("posterior_predictive", "observed_data")}
    drawn, seen = (groups[name]["counts"] for name in ("posterior_predictive", "observed_data"))
    assert np.array_equal(drawn.sum("cell").isel(chain=0, draw=0), seen.sum("cell"))
    low, high = (drawn.quantile(q, ("chain", "draw")) for q in (0.005, 0.995))
    assert float(((seen >= low) & (seen <= high)).mean()) > 0.9


@pytest.mark.parametrize("name", ["fit.nc", "fit.zarr"])
def test_a_file_keeps_everything(fit, tmp_path, name):
    if name.endswith("zarr"):
        pytest.importorskip("zarr")
    fit.save(tmp_path / name)
    fit.save(tmp_path / name)
    again = load_fit(tmp_path / name)
    assert str(again) == str(fit)
    assert (again.prior, again.diagnostics, again.rope) == (fit.prior, fit.diagnostics, fit.rope)
    assert set(again.groups) == set(fit.groups)
    for key, data in fit.groups.items():
        assert again.groups[key].equals(data)
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_callables_keep_their_scores_in_a_file(tmp_path):
    def half(tables):
        return 0.5 * tables[..., 0] / tables.sum(axis=-1)

    fit = hierarchical(CORPORA, metrics=half, draws=200, rng=16)
    fit.save(tmp_path / "fit.nc")
    assert load_fit(tmp_path / "fit.nc").compare()["half"].p_h1 == fit.compare()["half"].p_h1


def test_other_files_are_refused_in_words(fit, tmp_path):
    (tmp_path / "text.nc").write_text("no draws")
    with pytest.raises(ValueError, match="not a file of draws"):
        load_fit(tmp_path / "text.nc")
    with pytest.raises(FileNotFoundError):
        load_fit(tmp_path / "none.nc")
    with pytest.raises(ValueError, match="there is no folder"):
        fit.save(tmp_path / "none" / "fit.nc")
    fit.posterior.drop_attrs().to_netcdf(tmp_path / "other.nc", group="posterior", engine="h5netcdf")
    with pytest.raises(ValueError, match="not a fit that bayesf1 saved"):
        load_fit(tmp_path / "other.nc")
