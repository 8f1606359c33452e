"""Corpora at the level of scores: any kind of task, what each corpus knows of itself, suites, files, words."""

import pickle
import re

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1 import HierarchicalPrior, load_fit
from builders import FOUR_CORPORA, two_models
from evaluations import EVALUATIONS

CORPORA = {
    "news": bf.from_counts(A=(770, 240, 130), B=(800, 210, 100)),
    "tweets": bf.from_counts(A=(310, 180, 290), B=(350, 190, 250)),
    "forum": bf.from_counts(A=(420, 160, 200), B=(450, 150, 170)),
}
# Nothing is believed to vary between corpora.
ALIKE = HierarchicalPrior(spread=1e-9, difficulty=1e-9, tails=1e6)


def rng(seed=1):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def fit():
    return bf.hierarchical(CORPORA, rope=0.01, rng=1)


def in_documents(seed, n_documents=12, size=30):
    """Two models on documents; single items are known, too."""
    source = rng(seed)
    gold = source.random(n_documents * size) < 0.4
    groups = np.repeat(np.arange(n_documents), size)
    said = {}
    for model in "AB":
        skill = source.normal(1.5, 1.0, n_documents)[groups]
        said[model] = np.where(source.random(len(gold)) < 1 / (1 + np.exp(-skill)), gold, ~gold)
    return bf.from_labels(gold, said, positive=True, groups=groups)


# ---- any data ---------------------------------------------------------------------------------------------


# One kind of each sort; the others are long.
USUAL = ("counts", "documents", "classes")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind in USUAL else pytest.mark.long) for kind in EVALUATIONS]
)
def test_corpora_of_every_kind_are_fitted_saved_and_printed(kind, tmp_path):
    make = EVALUATIONS[kind]
    found = bf.hierarchical({f"c{i}": make(i) for i in range(3)}, draws=200, rng=1)
    assert found.posterior["score"].sizes["system"] == 3
    assert "On the average corpus" in str(found)
    found.save(tmp_path / "fit.nc")
    again = load_fit(tmp_path / "fit.nc")
    assert str(again) == str(found)
    assert str(again.rank()) == str(found.rank())
    assert str(pickle.loads(pickle.dumps(found))) == str(found)


def test_tasks_of_different_kinds_share_a_measure():
    data = {"binary": EVALUATIONS["items"](0), "classes": EVALUATIONS["classes"](1)}
    found = bf.hierarchical(data, metrics="accuracy", draws=200, rng=1)
    assert found.observed.values.shape == (2, len(found.models), 1)
    with pytest.raises(ValueError, match="name those that all have"):
        bf.hierarchical(data, metrics="f1", draws=200)


def test_scores_beyond_one_have_a_prior_of_their_own_size():
    def corpus(seed, factor):
        source = rng(seed)
        return bf.from_scores({m: factor * source.beta(4, 2, 50) for m in "AB"}, name="BLEU")

    small, large = (
        bf.hierarchical({f"c{i}": corpus(i, factor) for i in range(3)}, rng=1) for factor in (1.0, 100.0)
    )
    unit = float(max(np.abs(large.observed.values).max(), 1.0))
    scaled = HierarchicalPrior(spread=0.05 * unit / 100, difficulty=0.2 * unit / 100)
    same = bf.hierarchical({f"c{i}": corpus(i, 1.0) for i in range(3)}, prior=scaled, rng=1)
    assert large.compare()["mean"].p_h1 == pytest.approx(same.compare()["mean"].p_h1, abs=1e-9)
    assert large.compare()["mean"].difference.std() == pytest.approx(
        100 * same.compare()["mean"].difference.std()
    )
    assert small.metrics[0].support == (0.0, 1.0)
    assert large.metrics[0].support == (0.0, np.inf)


# ---- what a corpus knows of itself ------------------------------------------------------------------------


def test_a_corpus_brings_its_own_posterior():
    ev = two_models(3, 400)
    found = bf.hierarchical({"x": ev, "y": ev}, metrics="f1", rng=1).compare(question="suite")["f1"]
    test = bf.compare(ev, metrics="f1", rng=1)["f1"]
    assert found.observed == pytest.approx([bf.score(ev, m) for m in "AB"])
    for part in ("posterior_a", "posterior_b", "difference"):
        ours, alone = getattr(found, part), getattr(test, part)
        assert ours.median() == pytest.approx(alone.median(), abs=0.002)
        assert np.sqrt(2) * ours.std() == pytest.approx(alone.std(), rel=0.05)


def test_documents_are_units_and_items_only_where_that_is_said():
    data = {f"c{i}": in_documents(i, n_documents=8) for i in range(3)}
    clustered, items = (
        bf.hierarchical(data, assumption=assumption, metrics="f1", rng=1) for assumption in ("auto", "paired")
    )
    assert (clustered.assumption, items.assumption) == ("clustered", "paired")
    assert clustered.compare(question="suite")["f1"].difference.std() > 1.5 * (
        items.compare(question="suite")["f1"].difference.std()
    )
    assert "models paired on documents as units within corpora" in clustered.details()
    assert "On c0, c1, c2: There are only 8 documents" in str(clustered)
    with pytest.raises(ValueError, match="use the likelihood 'scores'"):
        bf.hierarchical(data, likelihood="multinomial")


def test_corpora_without_spread_are_compared_as_one_of_all_their_items():
    ev = CORPORA["tweets"]
    exact = bf.compare(ev + ev)["f1"]
    found = bf.hierarchical({"x": ev, "y": ev}, prior=ALIKE, rng=3)
    for question in found.questions:
        res = found.compare(question=question)["f1"]
        assert res.p_h1 == pytest.approx(exact.p_h1, abs=0.01)
        assert res.difference.std() == pytest.approx(exact.difference.std(), rel=0.05)
    assert "on the prior" in str(found)


# ---- answers ----------------------------------------------------------------------------------------------


def test_a_suite_is_the_weighted_mean_of_its_corpora_and_nothing_else(fit):
    gaps = np.array([bf.compare(ev)["f1"].difference.median() for ev in CORPORA.values()])
    alone = [bf.compare(ev)["f1"].difference.std() for ev in CORPORA.values()]
    weights = {"news": 2, "tweets": 1, "forum": 0}
    weighted = bf.hierarchical(CORPORA, weights=weights, rng=1)
    for found, shares in ((fit, np.ones(3) / 3), (weighted, np.array([2, 1, 0]) / 3)):
        res = found.compare(question="suite")["f1"]
        sd = np.sqrt(np.square(shares) @ np.square(alone))
        assert res.difference.mean() == pytest.approx(gaps @ shares, abs=0.001)
        assert res.difference.std() == pytest.approx(sd, rel=0.04)
        observed = [shares @ [bf.score(ev, model) for ev in CORPORA.values()] for model in "AB"]
        assert res.observed == pytest.approx(observed)
    # A large corpus is shrunk little.
    for name, ev in CORPORA.items():
        assert fit.compare(question=name)["f1"].score_a == pytest.approx(bf.score(ev, "A"), abs=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fit: bf.hierarchical(CORPORA, weights={"nws": 1}), "did you mean 'news'"),
        (lambda fit: bf.hierarchical(CORPORA, weights={"news": 1}), "numbers from 0, one for each corpus"),
        (lambda fit: bf.hierarchical(CORPORA, weights=dict.fromkeys(CORPORA, 0)), "not all 0"),
        (lambda fit: fit.rank("mcc"), "unknown metric 'mcc'; known: precision"),
        (lambda fit: fit.rank(question="old"), "unknown question 'old'"),
        (lambda fit: bf.hierarchical({"x": CORPORA["news"]}), "relates several corpora"),
        (lambda fit: bf.hierarchical({n: ev.select(["A"]) for n, ev in CORPORA.items()}), "one model"),
    ],
)
def test_bad_arguments_get_one_sentence(fit, call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call(fit)
    assert "\n" not in str(caught.value)


def test_models_that_did_the_same_are_not_told_apart():
    gold = rng(6).random(200) < 0.5
    said = np.where(rng(7).random(200) < 0.8, gold, ~gold)
    ev = bf.from_labels(gold, {"A": said, "B": said}, positive=True)
    found = bf.hierarchical({"x": ev, "y": ev, "z": ev}, metrics="f1", rng=1)
    alone = bf.compare(ev, metrics="f1", rng=1)["f1"].difference.std()
    for question in found.questions:
        res = found.compare(question=question)["f1"]
        assert res.p_h1 == pytest.approx(0.5, abs=0.03)
        assert question == "new" or res.difference.interval(0.9)[1] < 3.0 * alone


# ---- which number is printed ------------------------------------------------------------------------------


def number(text):
    return float(text.split(" ")[0].replace("−", "-"))


@pytest.mark.parametrize("question", ["average", "new", "suite", "news", "tweets", "forum"])
def test_what_is_printed_is_the_posterior_mean_or_median_and_the_observed_score_is_named(fit, question):
    res = fit.compare(question=question)["f1"]
    draws = fit.posterior["score"].sel(measure="f1", question=question)
    middle = "median" if question == "new" else "mean"
    a, b = (float(getattr(draws.sel(system=m), middle)()) for m in "AB")
    gap = float(getattr(draws.sel(system="B") - draws.sel(system="A"), middle)())
    weight = {"tweets": (1,), "news": (0,), "forum": (2,)}.get(question, (0, 1, 2))
    plain = np.mean(
        [[bf.score(ev, m) for m in "AB"] for ev in np.array([*CORPORA.values()])[[*weight]]], axis=0
    )
    assert (res.score_a, res.score_b, res.gap) == pytest.approx((a, b, gap))
    assert res.observed == pytest.approx(tuple(plain))
    table = fit.compare(question=question).table
    row = dict(zip(table.header, table.rows[2], strict=True))
    assert number(row["A (%)"]) == pytest.approx(100 * a, abs=0.051)
    assert number(row["Difference"]) == pytest.approx(100 * gap, abs=0.051)
    assert [*map(float, row["Observed"].split(" / "))] == pytest.approx([*(100 * plain)], abs=0.051)
    (told,) = (row for row in fit.table.rows if row[0] in (question, fit.scope(question)) and row[1] == "F1")
    # Numbers of a column share their decimals, which other rows may need.
    assert [number(cell) for cell in told[2:5]] == pytest.approx(
        [number(cell) for cell in table.rows[2][1:4]], abs=0.051
    )
    sentence = fit.compare(question=question).sentence()
    assert float(re.search(r"by ([\d.]+) points", sentence)[1]) == pytest.approx(100 * gap, abs=0.051)
    assert f"{100 * (plain[1] - plain[0]):+.1f}".replace("-", "−") in sentence.rpartition("bserved")[2]
    assert ("median" in sentence) == (question == "new")
    said = res.to_dict()
    assert (said["a"]["score"], said["difference"]["score"]) == pytest.approx((a, gap))
    assert said["a"]["observed"] == pytest.approx(plain[0])
    assert said["estimate"] == f"posterior {middle}"
    assert row["Observed"] in fit.to_latex()
    assert row["A (%)"] in fit._repr_html_()


@pytest.mark.parametrize(("likelihood", "name"), [("scores", "kappa"), ("multinomial", "spread")])
def test_a_part_of_the_prior_that_a_likelihood_does_not_have_is_refused(likelihood, name):
    with pytest.raises(ValueError, match=f"has no {name} in its prior"):
        bf.hierarchical(FOUR_CORPORA, likelihood=likelihood, prior=bf.HierarchicalPrior(**{name: 3.0}))


def test_settings_of_markov_chains_are_refused_where_there_is_none():
    for settings in ({"tune": 500}, {"target_accept": 0.9}):
        with pytest.raises(ValueError, match=f"no {next(iter(settings))}; leave it out"):
            bf.hierarchical(FOUR_CORPORA, **settings)
