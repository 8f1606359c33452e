"""Draws of two models' scores: how many, of what, and what is kept of them."""

from dataclasses import replace

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.bayes import drawn
from bayesf1.bayes.drawn import Drawn
from bayesf1.bayes.rope import Rope
from bayesf1.evaluation import samples
from bayesf1.evaluation.samples import draw_patterns
from bayesf1.evaluation.scoring import find_measures


def test_draws_of_the_difference_are_those_of_the_scores_where_these_are_not_kept():
    ev = bf.from_labels(
        [1, 1, 0, 0, 1, 0] * 30, {"B": [1, 0, 0, 1, 1, 0] * 30, "A": [1, 1, 0, 0, 0, 1] * 30}, positive=1
    )
    under, measures = ev.under("auto"), find_measures(["recall", "f1"], ev)
    every = Drawn(under, measures, 1.0, Rope(-0.1, 0.1), 3000, (1, 0))
    some = replace(every, lawful=frozenset({"f1"}))
    for measure in measures:
        assert np.array_equal(some.differences(measure.name), every.differences(measure.name))
        assert some.counts(measure.name) == every.counts(measure.name)
    assert np.array_equal(some.scores("recall", 1), every.scores("recall", 1))


def test_few_patterns_are_drawn_as_many_are(monkeypatch):
    rows, weights = (
        np.eye(4)[[0, 1, 2, 3, 0]] + np.eye(4)[[1, 1, 0, 2, 3]],
        np.array([1.0, 2.0, 1.0, 0.5, 7.0]),
    )
    settings = {"n_draws": 20_000, "numbers_each": 9}
    few = np.concatenate(list(draw_patterns(rows, weights, **settings, rng=np.random.default_rng(1))))
    monkeypatch.setattr(samples, "_THIN", 0)
    many = np.concatenate(list(draw_patterns(rows, weights, **settings, rng=np.random.default_rng(1))))
    np.testing.assert_allclose(few, many, rtol=1e-12)
    # Weights are gamma variates: mean and variance of each are how many units there are.
    assert few.mean(axis=0) == pytest.approx(weights @ rows, rel=0.03)
    assert few.var(axis=0) == pytest.approx(weights @ rows**2, rel=0.05)


def test_draws_serve_intervals_alone_where_probabilities_are_computed():
    ev = bf.from_labels(
        [1, 1, 0, 0, 1, 0] * 30, {"A": [1, 0, 0, 1, 1, 0] * 30, "B": [1, 1, 0, 0, 0, 1] * 30}, positive=1
    )
    closed, by_draws = (
        bf.compare(ev, metrics=["precision", "f1"]),
        bf.compare(ev, metrics="f1", method="montecarlo"),
    )
    assert (closed["f1"].n_draws, by_draws["f1"].n_draws) == (50_000, 100_000)
    assert bf.compare(ev, metrics="f1", n_draws=7000)["f1"].n_draws == 7000
    for one, other in zip(
        closed["f1"].difference.interval(), by_draws["f1"].difference.interval(), strict=True
    ):
        assert one == pytest.approx(other, abs=0.06 * by_draws["f1"].difference.std())


def test_all_draws_are_counted_though_not_all_are_kept(monkeypatch):
    rng = np.random.default_rng(2)
    ev = bf.from_scores({"A": rng.normal(size=40), "B": rng.normal(0.1, 1.0, size=40)})
    whole = bf.compare(ev, metrics="median", n_draws=40_000, rng=1)["median"]
    monkeypatch.setattr(drawn, "KEPT_DRAWS", 500)
    some = bf.compare(ev, metrics="median", n_draws=40_000, rng=1)["median"]
    assert len(some.difference.draws) < 20_000
    assert some.n_draws == 40_000
    assert some.p_h1 == pytest.approx(whole.p_h1, abs=5 * whole.mcse)
    assert some.mcse == pytest.approx(whole.mcse, rel=0.1)
