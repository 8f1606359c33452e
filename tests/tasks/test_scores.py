"""Scores of units: statistics against numpy and scipy, the Bayesian bootstrap against its theory."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling import sampling_model
from bayesf1.tasks.scores import STATISTICS

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


def test_a_function_that_has_the_name_of_a_statistic_is_itself(ev):
    def mean(scores, weights):
        return 1000.0 + (weights @ scores) / weights.sum(axis=-1)

    measure = resolve_metric(mean, ev)
    assert measure.support == (-math.inf, math.inf)
    assert not measure.percent
    assert bf.posterior(ev, "bm25", mean, rng=1).pdf(bf.score(ev, "bm25", mean)) > 0
    low = bf.from_scores({"A": [-1.0, 2.0]})
    median = STATISTICS["median"][1]
    assert bf.score(low, "A", lambda scores, weights: median(scores, weights)) == 0.5


# ---- the Bayesian bootstrap -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 7, 60])
def test_the_posterior_of_a_mean_has_rubins_moments(n):
    x = np.random.default_rng(n).normal(size=n)
    ev = bf.from_scores({"A": x})
    draws = np.concatenate(
        list(sampling_model(ev, "clustered").draw(prior=1.0, n_draws=100_000, rng=np.random.default_rng(2)))
    )
    means = resolve_metric("mean", ev)(draws, ev.cells)[:, 0]
    # Rubin (1981), Ann. Statist. 9: with Dirichlet(1, …, 1) weights the mean is x̄ and the variance s²/(n+1), where
    # s² divides by n.
    sd = x.std() / np.sqrt(n + 1)
    assert means.mean() == pytest.approx(x.mean(), abs=4 * sd / np.sqrt(100_000))
    kurtosis = stats.kurtosis(means, fisher=False)
    assert means.std() == pytest.approx(sd, rel=4 * np.sqrt((kurtosis - 1) / 4 / 100_000))


def test_ties_are_drawn_as_one_score_of_their_weight():
    ev = bf.from_scores({"A": [0.0] * 30 + [0.5] * 10})
    assert len(ev.weights) == 2
    draws = np.concatenate(
        list(sampling_model(ev).draw(prior=1.0, n_draws=5000, rng=np.random.default_rng(1)))
    )
    shares = 2.0 * resolve_metric("mean", ev)(draws, ev.cells)[:, 0]
    assert stats.kstest(shares, stats.beta(10, 30).cdf).pvalue > 1e-4


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


def test_a_region_of_practical_equivalence_splits_the_difference(queries, ev):
    gap = queries["dense"] - queries["bm25"]
    c = bf.compare(ev, "bm25", "dense", rope=0.01, rng=1, n_draws=40_000)["mean"]
    means = np.random.default_rng(3).dirichlet(np.ones(60), 40_000) @ gap
    for ours, theirs in (
        (c.p_less, np.mean(means < -0.01)),
        (c.p_rope, np.mean(np.abs(means) <= 0.01)),
        (c.p_greater, np.mean(means > 0.01)),
    ):
        assert ours == pytest.approx(theirs, abs=4 * np.sqrt(2 * 0.25 / 40_000))
    assert c.p_less + c.p_rope + c.p_greater == pytest.approx(1.0)


# ---- what everyone asks -----------------------------------------------------------------------------------


def test_ranking_and_summary_agree_with_posteriors(ev):
    ranking = bf.rank(ev, rng=1)
    table = bf.summary(ev, rng=1)
    assert set(ranking.models) == set(ev.models)
    assert ranking.p_best.sum() == pytest.approx(1.0)
    for name in ev.models:
        post = bf.posterior(ev, name, rng=5)
        assert table.loc[(name, "mean"), "mean"] == pytest.approx(post.mean(), abs=0.001)
        assert ranking.mean[ranking.models.index(name)] == pytest.approx(post.mean(), abs=0.001)


def test_shares_are_printed_in_percent_and_other_scores_are_not(ev, queries):
    share = str(bf.compare(ev, "bm25", "dense", rng=1))
    assert "bm25 (%)" in share
    assert "units:60 queries" in share
    scaled = bf.from_scores({name: 40 * column - 3 for name, column in queries.items()}, unit="sentence")
    for printed in (bf.compare(scaled, "bm25", "dense", rng=1, rope=1.0), bf.rank(scaled, rng=1)):
        assert "percent" not in str(printed)
        assert "(%)" not in str(printed)
        assert " points" not in str(printed)
        assert "60 sentences" in str(printed)


def test_shards_add_up_and_models_can_be_chosen(queries, ev):
    parts = [bf.from_scores({m: x[s] for m, x in queries.items()}) for s in (slice(20), slice(20, 60))]
    assert parts[0] + parts[1] == ev
    pair = ev.select(["dense", "bm25"])
    assert pair.models == ("dense", "bm25")
    assert bf.score(pair, "bm25") == bf.score(ev, "bm25")
    assert bf.score(ev.scaled(2), "bm25") == pytest.approx(bf.score(ev, "bm25"))
    with pytest.raises(ValueError, match="do not add up"):
        ev + bf.from_scores(queries, unit="sentence")


def test_zeros_of_both_signs_are_one_score():
    ev = bf.from_scores({"A": [0.0, -0.0, 1.5]})
    assert ev.cells == ("0.0", "1.5")


# ---- bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({}, "no model given"),
        ({"A": []}, r"scores of 'A' have shape \(0,\)"),
        ({"A": 3.0}, r"scores of 'A' have shape \(\)"),
        ({"A": [[1.0], [2.0]]}, r"scores of 'A' have shape \(2, 1\)"),
        ({"A": [1.0, math.nan]}, "scores of 'A' have nan for item 2; they must be finite"),
        ({"A": [1.0, None]}, "scores of 'A' have nan for item 2"),
        ({"A": [-math.inf, 1.0]}, "scores of 'A' have -inf for item 1"),
        ({"A": ["high", "low"]}, "scores of 'A' must be finite numbers"),
        ({"A": ["0.5", "0.7"]}, "scores of 'A' must be finite numbers"),
        ({"A": [1j]}, "scores of 'A' must be finite numbers"),
        ({"A": {"q1": "high"}}, "scores of 'A' must be finite numbers"),
        ({"A": [1.0, 2.0], "B": [1.0]}, "scores of 'B' have 1 values, but .* 2"),
        ({"": [1.0]}, "model name ''"),
    ],
)
def test_bad_scores_are_named(scores, words):
    with pytest.raises(ValueError, match=words):
        bf.from_scores(scores)


@pytest.mark.parametrize("unit", ["item", "table", "", "  ", 3])
def test_a_unit_has_a_name_of_its_own(unit):
    with pytest.raises(ValueError, match=r"unit (is a name such as 'query'|must be a string)"):
        bf.from_scores({"A": [1.0]}, unit=unit)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("f1", "unknown metric 'f1' of scores; known: mean, median; or give a function"),
        ("avg", "unknown metric 'avg'"),
        ("meen", "did you mean 'mean'"),
        (3, "neither a name such as 'mean' nor a function"),
        (lambda scores, weights: 1.0, r"gave an array of shape \(\) for tables of shape"),
        (lambda scores, weights: weights, "works on leading axes"),
        (lambda scores, weights: np.nan * weights.sum(axis=-1), "gave nan for a table"),
    ],
)
def test_bad_statistics_are_named(ev, metric, words):
    with pytest.raises(ValueError, match=words):
        bf.compare(ev, "bm25", "dense", metrics=metric, rng=1)


def test_scores_have_no_classes_no_items_and_no_closed_form(ev):
    with pytest.raises(ValueError, match="no classes to compare"):
        bf.compare_classes(ev, "bm25", "dense")
    with pytest.raises(ValueError, match="'paired' needs single items"):
        bf.compare(ev, "bm25", "dense", assumption="paired")
    with pytest.raises(ValueError, match="by method 'exact'"):
        bf.compare(ev, "bm25", "dense", metrics="median", method="exact")


def test_scores_have_a_name_in_print():
    ev = bf.from_scores({"A": [0.1, 0.4] * 20, "B": [0.2, 0.4] * 20}, name="NDCG@10")
    assert bf.compare(ev, rng=1)["mean"].label == "Mean NDCG@10"
    assert "on NDCG@10, 40 queries" in repr(ev)


def test_scores_come_from_a_file_on_the_command_line(tmp_path, capsys):
    from bayesf1.cli.main import main

    path = tmp_path / "scores.csv"
    path.write_text("query,a,b\n" + "".join(f"q{i},{i % 7 / 7},{i % 5 / 5}\n" for i in range(40)))
    assert main(["compare", str(path), "--scores", "AP", "--rng", "1"]) == 0
    assert "Mean AP" in capsys.readouterr().out
    assert main(["test", str(path), "--scores", "--columns", "a,c"]) == 2
    assert "has no column 'c'" in capsys.readouterr().err
    path.write_text("query,a,b\nq1,0.5,x\nq2,0.1,0.2\nq3,0.2,0.3\n")
    assert main(["rank", str(path), "--scores"]) == 2
    assert "row 1 of 'b' has 'x', no number" in capsys.readouterr().err


def test_a_loss_by_its_name_is_asked_about():
    scores = {"A": [0.1, 0.3, 0.2] * 10, "B": [0.2, 0.3, 0.3] * 10}
    assert "lower_is_better=True" in str(bf.compare(bf.from_scores(scores, name="WER"), rng=1))
    for quiet in (
        bf.from_scores(scores, name="WER", lower_is_better=True),
        bf.from_scores(scores, name="answered"),
    ):
        assert quiet.notes == ()


def test_the_mean_may_be_asked_for_by_what_the_scores_are_called():
    ev = bf.from_scores({"A": [0.1, 0.5, 0.9, 0.3] * 8, "B": [0.2, 0.6, 0.7, 0.5] * 8}, name="nDCG@10")
    res = bf.compare(ev, rng=1)
    assert res["nDCG@10"] is res["ndcg@10"] is res["mean"]
    assert bf.compare(ev, metrics="nDCG@10", rng=1)["mean"].p_h1 == res["mean"].p_h1
    with pytest.raises(KeyError, match="known: mean, nDCG@10"):
        res["x"]
    with pytest.raises(ValueError, match="known: mean, median, nDCG@10"):
        bf.compare(ev, metrics="x")


def test_accuracy_may_be_asked_for_by_what_being_right_is_called():
    ev = bf.from_correct({"A": [1, 0, 1, 0], "B": [1, 1, 1, 0]}, name="exact_match")
    res = bf.compare(ev, metrics="exact_match")
    assert res["exact_match"] is res["Exact match"] is res["accuracy"]
