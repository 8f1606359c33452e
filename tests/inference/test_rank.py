"""Rankings, what may be said of many models at once, and scoreboards."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.inference.comparison import Rope
from bayesf1.inference.rank import joint_claims, ranking_of

TABLES = {"A": (77, 44, 10), "B": (83, 9, 14), "C": (70, 30, 27)}


def test_pairwise_probabilities_agree_with_the_exact_comparison():
    three = bf.from_counts(TABLES)
    ranking = bf.rank(three, rng=1)
    for a, b in permutations(three.models, 2):
        exact = bf.compare(three, a, b, metrics="f1")["f1"].p_h1
        error = np.sqrt(exact * (1 - exact) / ranking.settings.n_draws) + 1e-4
        assert ranking.p_beats[ranking.models.index(b), ranking.models.index(a)] == pytest.approx(
            exact, abs=4 * error
        )


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
    ends = 1 + np.quantile(ranks, [0.05, 0.95], axis=0, method="inverted_cdf")
    assert np.array_equal([found.rank_low, found.rank_high], ends)
    assert np.array_equal(found.p_beats, (better[:, :, None] > better[:, None, :] + 0.15).mean(axis=0))
    gaps = better - better[:, [0]]
    assert np.array_equal(found.equivalent, ((gaps >= -0.1) & (gaps <= 0.15)).mean(axis=0) >= 0.9)


def draws(seed, k, gap, n=4000):
    rng = np.random.default_rng(seed)
    return rng.normal(np.arange(k, 0, -1) * gap, 1.0, (n, k)) + rng.normal(size=(n, 1))


def reach_of_dunnett(n_others, level):
    """Return the quantile of the largest of differences from a control, all of one spread that is known."""

    def p_within(reach):
        return integrate.quad(
            lambda z: stats.norm.cdf(reach * np.sqrt(2.0) + z) ** n_others * stats.norm.pdf(z), -8, 8
        )[0]

    return optimize.brentq(lambda reach: p_within(reach) - level, 0.5, 6.0)


@pytest.mark.parametrize("k", [3, 5, 9])
def test_models_may_be_the_best_and_have_ranks_by_hsus_comparisons_with_the_best(k):
    reach = reach_of_dunnett(k - 1, 0.975) * np.sqrt(2.0)
    rng = np.random.default_rng(k)
    clear = 0
    for _ in range(10):
        centre = -np.sort(-rng.normal(0.0, 2.5, k))
        found = joint_claims(rng.normal(centre, 1.0, (20_000, k)), 0.0, 0.95)
        leads = centre - centre[:, None]
        # Monte Carlo leaves models at the border open.
        if np.abs(leads - reach).min() < 0.15:
            continue
        clear += 1
        assert found.rank_low.tolist() == (1 + (leads > reach).sum(axis=1)).tolist()
        assert found.rank_high.tolist() == (k - (leads < -reach).sum(axis=1)).tolist()
        assert found.tied.tolist() == (found.rank_low == 1).tolist()
    assert clear >= 3


@pytest.mark.parametrize("seed", range(3))
def test_claims_about_pairs_ranks_and_the_best_do_not_contradict_each_other(seed):
    rng = np.random.default_rng(seed)
    scores = rng.gamma(0.5, size=(3000, 7)) * rng.gamma(2.0, size=7) + np.arange(7, 0, -1)
    scores = scores[:, np.argsort(-scores.mean(axis=0))]
    found = joint_claims(scores, 0.0, 0.95)
    beaten = found.jointly.sum(axis=0)
    assert (found.rank_low >= 1 + beaten).all()
    assert (found.rank_high <= 7 - found.jointly.sum(axis=1)).all()
    assert found.tied[0]
    assert not found.tied[beaten > 0].any()
    assert (found.tied == (found.rank_low == 1)).all()


@pytest.mark.parametrize(("n_beaten", "beaten"), [(3, "and"), (4, "and"), (5, "and 2 more")])
def test_a_claim_names_all_beaten_models_unless_it_can_leave_out_two(n_beaten, beaten):
    others = {f"m{i}": (700, 300, 300) for i in range(n_beaten)}
    claim = bf.rank(bf.from_counts(best=(950, 50, 50), **others), rng=1).joint_sentence()
    assert "best beats m" in claim
    assert f" {beaten}" in claim
    assert ("more" in claim) == (n_beaten > 4)


def test_two_models_are_ranked_as_they_are_compared():
    for b in range(70, 100, 3):
        ev = bf.from_counts(A=(77, 44, 10), B=(b, 30, 14))
        c = bf.compare(ev, "A", "B", metrics="f1", rng=5)["f1"]
        found = bf.rank(ev, rng=5)
        assert dict(zip(found.models, found.p_first, strict=True)) == pytest.approx(
            {"A": c.p_h0, "B": c.p_h1}
        )
        assert found.tied.all() == (c.verdict == "undecided")
    losses = bf.from_correct({"A": [0, 1, 1, 0] * 9, "B": [1, 1, 1, 0] * 9})
    c = bf.compare(losses, "A", "B", metrics="error_rate", rng=5)["error_rate"]
    assert bf.rank(losses, "error_rate", rng=5).p_first[0] == pytest.approx(c.p_h1)


@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_all_statements_hold_together_in_as_many_draws_as_it_says(margin):
    scores = draws(5, 6, 1.5)
    found = joint_claims(scores, margin, 0.95)
    hold = np.ones(len(scores), dtype=bool)
    for i, j in zip(*np.nonzero(found.jointly), strict=True):
        hold &= scores[:, i] > scores[:, j] + margin
    assert found.jointly.any()
    assert found.p_jointly == hold.mean() >= 0.95
    wrong = [scores[:, j] > scores[:, i] + margin for i, j in combinations(range(6), 2)]
    assert found.p_order == pytest.approx(1.0 - np.any(wrong, axis=0).mean())


def test_who_beats_whom_is_what_tukeys_test_of_all_pairs_says():
    # Means of four groups with known and equal spreads: the studentised range with infinite degrees of freedom.
    rng = np.random.default_rng(7)
    for centre in rng.normal(0.0, 2.0, (20, 4)):
        order = -np.sort(-centre)
        scores = rng.normal(order, 1.0, (40_000, 4))
        reach = stats.studentized_range.ppf(0.95, 4, 1e6)
        gaps = order[:, None] - order
        found = joint_claims(scores, 0.0, 0.95).jointly
        # Monte Carlo leaves pairs at the border open.
        clear = np.abs(gaps - reach) > 0.1
        assert np.array_equal(found[clear], (gaps > reach)[clear])


def test_systems_within_the_region_of_the_first_are_equivalent_to_it():
    ev = bf.from_counts(A=(9000, 500, 500), B=(9010, 495, 490), C=(7000, 900, 3000))
    found = bf.rank(ev, rope=0.01, rng=1)
    assert found.equivalent.tolist() == [True, True, False]
    assert [row[-1] for row in found.table.rows] == ["yes", "yes, equivalent", "no"]
    assert not bf.rank(ev, rng=1).equivalent.any()


BOARD = bf.scoreboard(bf.from_counts(TABLES))


def test_intervals_are_those_of_the_beta_law():
    found = BOARD.to_frame()
    for name, (tp, fp, fn) in TABLES.items():
        for metric, misses in (("precision", fp), ("recall", fn)):
            low, high = stats.beta(tp + 0.5, misses + 0.5).interval(0.95)
            row = found.loc[(name, metric)]
            assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9)
            assert row["score"] == pytest.approx(tp / (tp + misses))


def test_rows_are_ordered_by_f1_and_the_surely_best_stands_out():
    assert BOARD.models == ("B", "A", "C")
    # B is surely the best in P and F1; in R A leads, but B is near.
    assert BOARD.table.bold == {(0, 1), (0, 3)}
    assert BOARD.sentence() == bf.rank(bf.from_counts(TABLES)).sentence()


def test_no_score_stands_out_in_a_scoreboard_beside_an_undefined_one():
    board = bf.scoreboard(bf.from_counts(A=(900, 10, 10), B=(0, 0, 910)), ["precision", "recall"], rng=1)
    assert [row[1] for row in board.table.rows][1] == "undefined"
    assert board.table.bold == {(0, 2)}


def test_ends_of_ranks_are_those_of_a_bootstrap_by_hand():
    rng = np.random.default_rng(11)
    scores = rng.normal(np.linspace(0.0, 0.4, 8), 1.0, (400, 8)) + rng.normal(size=(400, 1))
    found = bf.rank(bf.from_scores({f"m{i}": scores[:, i] for i in range(8)}), rng=1)
    scores = scores[:, [int(name[1]) for name in found.models]]
    means = np.stack([scores[rng.integers(400, size=400)].mean(axis=0) for _ in range(4000)])
    low, high = [], []
    for i in range(8):
        gaps = np.delete(means - means[:, [i]], i, axis=1)
        centre = gaps.mean(axis=0)
        spread = gaps.std(axis=0)
        ahead = np.quantile(((gaps - centre) / spread).max(axis=1), 0.975)
        behind = np.quantile(((centre - gaps) / spread).max(axis=1), 0.975)
        low.append(1 + (centre > ahead * spread).sum())
        high.append(8 - (centre < -behind * spread).sum())
    # A difference at the border is decided by Monte Carlo error.
    assert np.abs(found.rank_low - low).max() <= 1 >= np.abs(found.rank_high - high).max()
    assert (found.rank_low == low).sum() + (found.rank_high == high).sum() >= 14
    assert (found.rank_high > found.rank_low).any()


def test_models_of_one_group_do_not_beat_each_other_and_no_neighbour_could_be_added():
    found = bf.rank(bf.load_example("wnut17"), rng=1)
    places = [[found.models.index(name) for name in group] for group in found.groups]
    assert set().union(*places) == set(range(7))
    assert len(places) > 1
    for mine in places:
        assert not found.jointly[np.ix_(mine, mine)].any()
        for more in {mine[0] - 1, mine[-1] + 1} & set(range(7)):
            assert found.jointly[np.ix_([*mine, more], [*mine, more])].any()
    for jointly in (found.jointly, np.eye(7, k=2, dtype=bool), np.eye(7, k=-1, dtype=bool)):
        groups = [set(group) for group in replace(found, jointly=jointly).groups]
        for i, j in combinations(range(7), 2):
            assert jointly[i, j] or any({found.models[i], found.models[j]} <= group for group in groups)


def test_beside_an_undefined_score_the_table_calls_no_model_the_best():
    ranked = bf.rank(
        bf.from_counts(A=(0, 0, 10, 20), B=(5, 1, 5, 19), C=(6, 2, 4, 18)), "precision", n_draws=500
    )
    assert "no model is called the best" in ranked.sentence()
    assert [(row[2], row[-1]) for row in ranked.table.rows] == [("–", "–")] * 3
    assert ranked.table.bold == frozenset()
