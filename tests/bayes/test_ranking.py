import numpy as np
import pytest
import xarray as xr

import bayesf1 as bf


@pytest.fixture(scope="module")
def three():
    return bf.from_counts(A=(77, 44, 10), B=(83, 9, 14), C=(70, 30, 27))


@pytest.fixture(scope="module")
def ranking(three):
    return bf.rank(three, rng=1)


def test_systems_come_in_the_order_of_their_means(ranking):
    assert ranking.system.values.tolist() == ["B", "A", "C"]
    assert (np.diff(ranking["mean"].values) < 0).all()


def test_rank_probabilities_sum_to_one_over_ranks_and_over_systems(ranking):
    np.testing.assert_allclose(ranking.p_rank.sum("rank"), 1.0)
    np.testing.assert_allclose(ranking.p_rank.sum("system"), 1.0)


def test_best_is_rank_one_and_expected_rank_is_its_mean(ranking):
    np.testing.assert_allclose(ranking.p_best, ranking.p_rank.sel(rank=1))
    np.testing.assert_allclose(ranking.expected_rank, (ranking.p_rank * ranking["rank"]).sum("rank"))


def test_pairwise_probabilities_agree_with_the_exact_comparison(three, ranking):
    for a in three.models:
        for b in three.models:
            if a != b:
                exact = bf.compare(three, a, b, metrics="f1")["f1"].p_h1
                error = np.sqrt(exact * (1 - exact) / ranking.attrs["n_draws"]) + 1e-4
                assert float(ranking.p_beats.sel(system=b, opponent=a)) == pytest.approx(exact, abs=4 * error)


def test_without_rope_either_of_two_systems_is_better(ranking):
    total = ranking.p_beats.values + ranking.p_beats.values.T
    np.testing.assert_allclose(total[~np.eye(3, dtype=bool)], 1.0)


def test_a_rope_can_only_add_to_the_tied_set(three):
    narrow = bf.rank(three, rng=1)
    wide = bf.rank(three, rope=0.15, rng=1)
    assert (wide.tied | ~narrow.tied).all()
    assert int(wide.tied.sum()) > int(narrow.tied.sum())


def test_the_leader_is_always_in_the_tied_set(ranking):
    assert bool(ranking.tied[0])


def test_wording_names_a_clear_winner(ranking):
    assert ranking.sentence().startswith("B is the best in F1 (P(best) = ")


def test_wording_admits_that_a_ranking_does_not_decide():
    ranking = bf.rank(bf.from_counts(A=(77, 44, 10), B=(78, 43, 9)), rng=1)
    assert "does not decide which is the best in F1: B comes first" in ranking.sentence()
    assert "does not reach 0.975 against A" in ranking.sentence()


def test_a_ranking_is_a_dataset_that_prints_as_a_table(ranking):
    assert isinstance(ranking, xr.Dataset)
    text = str(ranking)
    assert "P(best)" in text
    assert ranking.sentence() in text


def test_parts_of_a_ranking_still_print(ranking):
    assert "p_best" in str(ranking[["p_best"]])


def test_the_same_seed_gives_the_same_ranking(three):
    assert bf.rank(three, rng=5, n_draws=1000).equals(bf.rank(three, rng=5, n_draws=1000))


def test_many_models_use_the_same_mechanism():
    rng = np.random.default_rng(0)
    gold = rng.random(400) < 0.3
    models = {f"m{j:02}": np.where(rng.random(400) < 0.1 + 0.01 * j, ~gold, gold) for j in range(20)}
    ranking = bf.rank(bf.from_labels(gold, models), rng=0, n_draws=4000)
    assert ranking.sizes == {"system": 20, "rank": 20, "opponent": 20}
    assert float(ranking.p_best.sum()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda ev: bf.rank(bf.from_counts(A=(1, 2, 3))), "at least two models"),
        (lambda ev: bf.rank(ev, "mcc"), "mcc needs true negatives"),
        (lambda ev: bf.rank(ev, rope=-0.1), "rope is a half-width"),
        (lambda ev: bf.rank(ev, prob=95), "prob must lie strictly between 0 and 1"),
        (lambda ev: bf.rank(ev, n_draws=10), "n_draws must be a whole number"),
        (lambda ev: bf.rank(ev, assumption="paired"), "only totals are known"),
    ],
)
def test_bad_input_is_refused_in_words(three, call, message):
    with pytest.raises(ValueError, match=message):
        call(three)
