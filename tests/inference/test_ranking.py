"""Rankings: their numbers, against exact comparisons and brute force, and their words."""

from dataclasses import replace

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.inference.comparison import Rope
from bayesf1.inference.rank import ranking_of


@pytest.fixture(scope="module")
def three():
    return bf.from_counts(A=(77, 44, 10), B=(83, 9, 14), C=(70, 30, 27))


@pytest.fixture(scope="module")
def ranking(three):
    return bf.rank(three, rng=1)


def test_systems_come_in_the_order_of_their_means(ranking):
    assert ranking.models == ("B", "A", "C")
    assert (np.diff(ranking.mean) < 0).all()


def test_rank_probabilities_sum_to_one_over_ranks_and_over_systems(ranking):
    np.testing.assert_allclose(ranking.p_rank.sum(axis=1), 1.0)
    np.testing.assert_allclose(ranking.p_rank.sum(axis=0), 1.0)


def test_pairwise_probabilities_agree_with_the_exact_comparison(three, ranking):
    for a in three.models:
        for b in three.models:
            if a != b:
                exact = bf.compare(three, a, b, metrics="f1")["f1"].p_h1
                error = np.sqrt(exact * (1 - exact) / ranking.settings.n_draws) + 1e-4
                beats = ranking.p_beats[ranking.models.index(b), ranking.models.index(a)]
                assert beats == pytest.approx(exact, abs=4 * error)


def test_intervals_of_ranks_are_those_of_a_bootstrap_by_hand():
    rng = np.random.default_rng(11)
    scores = rng.normal(np.linspace(0.0, 0.4, 8), 1.0, (400, 8)) + rng.normal(size=(400, 1))
    found = bf.rank(bf.from_scores({f"m{i}": scores[:, i] for i in range(8)}), rng=1)
    means = np.stack([scores[rng.integers(400, size=400)].mean(axis=0) for _ in range(4000)])
    ranks = 1 + np.argsort(np.argsort(-means, axis=1), axis=1)[:, [int(name[1]) for name in found.models]]
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    # Shares near a quantile differ by Monte Carlo error.
    assert np.abs(found.rank_low - low).max() <= 1 >= np.abs(found.rank_high - high).max()
    assert (found.rank_low == low).sum() + (found.rank_high == high).sum() >= 14


def test_models_of_one_group_do_not_beat_each_other_and_no_neighbour_could_be_added():
    found = bf.rank(bf.load_example("wnut17"), rng=1)
    places = [[found.models.index(name) for name in group] for group in found.groups]
    assert set().union(*places) == set(range(7))
    assert len(places) > 1
    for mine in places:
        assert not found.jointly[np.ix_(mine, mine)].any()
        for more in {mine[0] - 1, mine[-1] + 1} & set(range(7)):
            assert found.jointly[np.ix_([*mine, more], [*mine, more])].any()


@pytest.mark.parametrize("metric", ["f1", "error_rate"])
@pytest.mark.parametrize("layout", ["C", "F"])
def test_a_ranking_counts_draws_as_if_all_were_looked_at_at_once(metric, layout):
    down = metric == "error_rate"
    ev = bf.from_correct({"A": [0, 1], "B": [1, 0]}) if down else bf.from_counts(A=(7, 4, 1), B=(8, 3, 7))
    measure = resolve_metric(metric, ev)
    rng = np.random.default_rng(2)
    # A few values, so that systems tie.
    scores = np.asarray(rng.integers(1, 9, size=(500, 6)) / 10 + 0.02 * np.arange(6), order=layout)
    settings = replace(bf.rank(ev, measure, n_draws=1000).settings, rope=Rope(-0.1, 0.15), prob=0.9)
    found = ranking_of(scores, scores[0], list("ABCDEF"), measure, settings)
    order = ["ABCDEF".index(name) for name in found.models]
    drawn = scores[:, order]
    assert found.mean == pytest.approx(drawn.mean(axis=0))
    assert np.transpose([found.low, found.high]) == pytest.approx(np.quantile(drawn, [0.05, 0.95], axis=0).T)
    better = -drawn if down else drawn
    # Whoever is not behind comes before; of those that tie the first.
    behind = better[:, :, None] < better[:, None, :]
    tied = (better[:, :, None] == better[:, None, :]) & (np.arange(6)[:, None] > np.arange(6))
    ranks = (behind | tied).sum(axis=2)
    assert np.array_equal(found.p_rank, [[(ranks[:, i] == r).mean() for r in range(6)] for i in range(6)])
    assert np.array_equal(found.p_beats, (better[:, :, None] > better[:, None, :] + 0.15).mean(axis=0))
    gaps = better - better[:, [0]]
    assert np.array_equal(found.equivalent, ((gaps >= -0.1) & (gaps <= 0.15)).mean(axis=0) >= 0.9)
