"""A sentence for the section on methods says what a reader needs to judge and to repeat the test."""

import numpy as np
import pytest

import bayesf1 as bf


def test_an_exact_comparison_is_said_to_need_no_sampling():
    text = bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)), rope=0.01).methods_sentence()
    for part in (
        "B was compared with A on P, R and F1",
        "Wang and Li (2019",
        f"bayesf1 {bf.__version__}",
        "Dirichlet(0.5) prior",
        "taken as independent",
        "numerical quadrature, without sampling",
        "±1 percentage point ",
        "95 % equal-tailed",
    ):
        assert part in text
    assert "discounted" not in text


def test_a_cross_validation_names_its_discount():
    text = bf.compare(bf.load_example("wang-li-ner"), metrics="f1").methods_sentence()
    assert "discounted by k = 0.3688 (rule wang-li)" in text
    assert "models fitted in these folds" in text


def test_draws_are_counted_and_units_named():
    res = bf.compare(bf.load_example("wnut17"), "Arcada", "FLYTXT", metrics="f1", n_draws=2_000, rng=1)
    text = res.methods_sentence()
    assert "2,000 posterior draws (standard error" in text
    assert "1,287 sentences" in text
    assert "Rubin 1981" in text


def test_scores_are_said_to_have_no_prior():
    rng = np.random.default_rng(1)
    res = bf.compare(bf.from_scores({"A": rng.random(40), "B": rng.random(40)}), rng=1)
    assert "with no prior; the models were paired on 40 queries" in res.methods_sentence()


def test_a_ranking_says_when_systems_count_as_tied():
    ranking = bf.rank(bf.load_example("wnut17"), rope=0.02, n_draws=1_000, rng=1)
    text = ranking.methods_sentence()
    assert "The 7 models were ranked by F1 from 1,000 joint posterior draws" in text
    assert "probability 0.975" in text


def test_names_cannot_break_the_line():
    res = bf.compare(bf.from_counts({"a\nb": (77, 44, 10), "c": (80, 30, 7)}))
    assert "\n" not in res.methods_sentence()


@pytest.mark.parametrize("metric", ["mcc", "f1"])
def test_a_margin_has_the_unit_of_its_measure(metric):
    ev = bf.from_counts(A=(77, 44, 10, 500), B=(80, 30, 7, 514))
    text = bf.compare(ev, metrics=metric, rope=0.05, n_draws=1_000, rng=1).methods_sentence()
    assert ("within ±5 percentage points" in text) == (metric == "f1")
    assert ("within ±0.05 " in text) == (metric == "mcc")
