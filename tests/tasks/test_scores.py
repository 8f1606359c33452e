"""Scores of units: statistics against numpy and scipy, the Bayesian bootstrap against its theory."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.tasks.scores import STATISTICS
from builders import drawn

numbers = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@pytest.fixture(scope="module")
def queries():
    rng = np.random.default_rng(1)
    a = rng.beta(2, 3, 60)
    return {"bm25": a, "dense": np.clip(a + rng.normal(0.02, 0.08, 60), 0, 1), "hybrid": rng.beta(2, 2, 60)}


@pytest.fixture(scope="module")
def ev(queries):
    return bf.from_scores(queries)


# ---- statistics -------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=30))
def test_mean_and_median_are_numpys(rows):
    a, b = np.array(rows).T
    ev = bf.from_scores({"A": a, "B": b})
    for name, column in (("A", a), ("B", b)):
        assert bf.score(ev, name, "mean") == pytest.approx(column.mean(), abs=1e-9)
        assert bf.score(ev, name, "median") == pytest.approx(np.median(column), abs=1e-9)
        assert bf.score(ev, name) == bf.score(ev, name, "mean")


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(numbers, st.integers(1, 4)), min_size=1, max_size=12))
def test_a_weight_is_a_repetition(rows):
    values, times = (np.array(column) for column in zip(*rows, strict=True))
    order = np.argsort(values, kind="stable")
    for _, statistic in STATISTICS.values():
        many = np.sort(np.repeat(values, times))
        once = statistic(values[order], times[order].astype(float))
        assert once == pytest.approx(float(statistic(many, np.ones(len(many)))), abs=1e-9)


def test_any_function_of_scores_and_weights_is_a_metric(queries, ev):
    def success(scores, weights):
        return (weights * (scores > 0.5)).sum(axis=-1) / weights.sum(axis=-1)

    assert bf.score(ev, "dense", success) == pytest.approx(np.mean(queries["dense"] > 0.5))
    post = bf.posterior(ev, "dense", success, rng=1)
    n, s = 60, (queries["dense"] > 0.5).sum()
    # The sum of s of n Dirichlet(1, …, 1) weights is Be(s, n - s).
    assert stats.kstest(post.draws[::20], stats.beta(s, n - s).cdf).pvalue > 1e-4
    assert bf.compare(ev, "bm25", "dense", metrics=success, rng=1)["success"].label == "success"


# ---- the Bayesian bootstrap -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 7, 60])
def test_the_posterior_of_a_mean_has_rubins_moments(n):
    x = np.random.default_rng(n).normal(size=n)
    ev = bf.from_scores({"A": x})
    draws = drawn(ev, "clustered", n_draws=100_000, rng=2)
    means = resolve_metric("mean", ev)(draws, ev.cells)[:, 0]
    # Rubin (1981), Ann. Statist. 9: with Dirichlet(1, …, 1) weights the mean is x̄ and the variance s²/(n+1), where
    # s² divides by n.
    sd = x.std() / np.sqrt(n + 1)
    assert means.mean() == pytest.approx(x.mean(), abs=4 * sd / np.sqrt(100_000))
    kurtosis = stats.kurtosis(means, fisher=False)
    assert means.std() == pytest.approx(sd, rel=4 * np.sqrt((kurtosis - 1) / 4 / 100_000))


def test_differences_are_paired(queries, ev):
    gap = queries["dense"] - queries["bm25"]
    c = bf.compare(ev, "bm25", "dense", rng=1, n_draws=50_000)["mean"]
    assert c.assumption == "clustered"
    assert c.difference.mean() == pytest.approx(gap.mean(), abs=4 * gap.std() / np.sqrt(61 * 50_000))
    # A bootstrap's spread, and beside it that of a t variate with 59 degrees of freedom.
    inflation = np.sqrt(60 / 59 * 59 / 57)
    assert c.difference.std() == pytest.approx(inflation * gap.std() / np.sqrt(61), rel=0.02)
    # Taken as independent the variances add up.
    apart = bf.compare(ev, "bm25", "dense", assumption="independent", rng=1, n_draws=50_000)["mean"]
    variances = sum(queries[m].var() for m in ("bm25", "dense"))
    assert apart.difference.std() == pytest.approx(inflation * np.sqrt(variances / 61), rel=0.02)


# ---- bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({}, "no model given"),
        ({"A": [1.0, math.nan]}, "scores of 'A' have nan for item 2; they must be finite"),
        ({"A": ["high", "low"]}, "scores of 'A' must be finite numbers"),
        ({"A": [1.0, 2.0], "B": [1.0]}, "scores of 'B' have 1 values, but .* 2"),
    ],
)
def test_bad_scores_are_named(scores, words):
    with pytest.raises(ValueError, match=words):
        bf.from_scores(scores)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("f1", "unknown metric 'f1' of scores; known: mean, median; or give a function"),
        ("meen", "did you mean 'mean'"),
        (lambda scores, weights: 1.0, r"gave an array of shape \(\) for tables of shape"),
        (lambda scores, weights: np.nan * weights.sum(axis=-1), "gave nan for a table"),
    ],
)
def test_bad_statistics_are_named(ev, metric, words):
    with pytest.raises(ValueError, match=words):
        bf.compare(ev, "bm25", "dense", metrics=metric, rng=1)


def test_the_mean_may_be_asked_for_by_what_the_scores_are_called():
    ev = bf.from_scores({"A": [0.1, 0.5, 0.9, 0.3] * 8, "B": [0.2, 0.6, 0.7, 0.5] * 8}, name="nDCG@10")
    res = bf.compare(ev, rng=1)
    assert res["nDCG@10"] is res["ndcg@10"] is res["mean"]
    assert bf.compare(ev, metrics="nDCG@10", rng=1)["mean"].p_h1 == res["mean"].p_h1
    with pytest.raises(KeyError, match="known: mean, nDCG@10"):
        res["x"]
    with pytest.raises(ValueError, match="known: mean, median, nDCG@10"):
        bf.compare(ev, metrics="x")


@pytest.mark.filterwarnings("ignore:There are only 3 units")
def test_few_units_that_differ_alike_are_no_evidence_for_any_verb():
    ev = bf.from_scores({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5], "C": [0.2, 0.2, 0.2]})
    assert np.isnan(bf.compare(ev, "A", "B")["mean"].p_h1)
    assert not np.isnan(bf.compare(ev, "A", "C")["mean"].p_h1)
    corpora = {"x": ev.pair("A", "B"), "y": ev.pair("A", "B")}
    for refuses in (
        lambda: bf.rank(ev),
        lambda: bf.posterior(ev, "C"),
        lambda: bf.difference_intervals(ev, "A", "B"),
        lambda: bf.hierarchical(corpora),
    ):
        with pytest.raises(ValueError, match="on all 3 units, which does not show"):
            refuses()
    ranking = bf.rank(ev.select(["A", "C"]), rng=1)
    assert np.isnan(ranking.low).tolist() == [name == "C" for name in ranking.models]
    assert not np.isnan(ranking.p_first).any()


def test_corpora_of_opposite_direction_are_not_mixed():
    scores = np.random.default_rng(1).random((2, 30))
    up, down = (
        bf.from_scores(dict(zip("AB", scores, strict=True)), lower_is_better=low) for low in (False, True)
    )
    with pytest.raises(ValueError, match="lower is better"):
        bf.hierarchical({"x": up, "y": down})


@pytest.mark.filterwarnings("ignore:There is only 1 unit")
def test_a_single_unit_shows_no_variation():
    ev = bf.from_scores({"A": [0.1], "B": [0.3]})
    assert "a single unit" in bf.compare(ev).sentence()
    with pytest.raises(ValueError, match=r"a single unit.*give more units"):
        bf.posterior(ev, "A")
