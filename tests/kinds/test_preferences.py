"""Preferences: strengths against evalica, brute force and closed forms, and what bad judgements get."""

import evalica
import numpy as np
import pytest
from scipy import optimize, stats

import bayesf1 as bf
from bayesf1.kinds.preferences import log_strengths

NAMES = ("A", "B", "C", "D")


def judgements(seed, n, ties, names=NAMES):
    """Which two were shown, and which was preferred, the first names being the stronger."""
    rng = np.random.default_rng(seed)
    shown = np.array([rng.choice(len(names), 2, replace=False) for _ in range(n)])
    lead = 0.5 * (shown[:, 1] - shown[:, 0])
    won = rng.random(n) < 1 / (1 + np.exp(-lead))
    tied = rng.random(n) < ties
    said = [
        "tie" if t else names[pair[0] if w else pair[1]] for pair, w, t in zip(shown, won, tied, strict=True)
    ]
    return [names[i] for i in shown[:, 0]], [names[i] for i in shown[:, 1]], said


def test_without_ties_strengths_are_those_of_evalica():
    first, second, said = judgements(1, 400, 0.0)
    winners = [evalica.Winner.X if a == w else evalica.Winner.Y for a, w in zip(first, said, strict=True)]
    scores = evalica.bradley_terry(first, second, winners, tolerance=1e-12, limit=10_000).scores
    ev = bf.from_preferences(first, second, said)
    strengths = np.array([scores[name] for name in ev.models])
    expected = [
        np.mean([strengths[i] / (strengths[i] + strengths[j]) for j in range(4) if j != i]) for i in range(4)
    ]
    found = ev.kind.measure("preference", ev.tables)(ev.tables, ev.cells)
    assert found == pytest.approx(expected, abs=1e-6)


def test_with_ties_strengths_are_those_of_davidsons_likelihood():
    first, second, said = judgements(2, 300, 0.25)
    ev = bf.from_preferences(first, second, said)

    def loss(x):
        strength, nu, total = dict(zip(ev.models, np.exp([0.0, *x[:3]]), strict=True)), np.exp(x[3]), 0.0
        for a, b, winner in zip(first, second, said, strict=True):
            tie = nu * np.sqrt(strength[a] * strength[b])
            total -= np.log(
                (tie if winner == "tie" else strength[winner]) / (strength[a] + strength[b] + tie)
            )
        return total

    best = optimize.minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-8})
    assert log_strengths(ev.tables[0], 4)[1:] == pytest.approx(best.x[:3], abs=1e-5)


def test_every_model_sees_the_same_strengths_from_its_place():
    ev = bf.from_preferences(*judgements(3, 200, 0.2))
    strengths = log_strengths(ev.tables, 4)
    for i in range(4):
        assert np.roll(strengths[i], i) - np.roll(strengths[i], i)[0] == pytest.approx(strengths[0])


def test_of_two_models_it_is_a_beta_law():
    ev = bf.from_preferences("A", "B", ["A"] * 20 + ["B"] * 32 + ["tie"] * 15)
    c = bf.compare(ev, n_draws=100_000, rng=1)["preference"]
    law = stats.beta(33, 21)
    assert c.score_b == pytest.approx(32 / 52)
    assert c.p_h1 == pytest.approx(law.sf(0.5), abs=4 * c.mcse)
    assert c.posterior_b.mean() == pytest.approx(law.mean(), abs=1e-3)
    assert c.posterior_b.interval(0.95) == pytest.approx(law.interval(0.95), abs=5e-3)


def test_the_win_rate_counts_half_a_tie():
    ev = bf.from_preferences("A", "B", ["A", "tie", None, "B", "B"])
    assert bf.compare(ev, metrics="win_rate", rng=1)["win_rate"].score_b == pytest.approx(0.6)


def test_judgements_of_one_question_are_one_unit_and_so_are_those_of_a_rater():
    rng = np.random.default_rng(4)
    # Every question has its answer, which all five raters give.
    said = np.repeat(np.where(rng.random(40) < 0.65, "B", "A"), 5).tolist()
    question, rater = np.repeat(np.arange(40), 5), np.tile(np.arange(5), 40)
    naive = bf.compare(bf.from_preferences("A", "B", said), rng=1)["preference"]
    ev = bf.from_preferences("A", "B", said, items=question, raters=rater, unit="item")
    units = bf.compare(ev, rng=1)["preference"]
    assert ev.unit == "question"
    assert units.difference.std() / naive.difference.std() == pytest.approx(np.sqrt(5), rel=0.15)
    by_rater = bf.from_preferences("A", "B", said, items=question, raters=rater, unit="rater")
    assert by_rater.units.size == 5


def test_rankings_and_gates_take_preferences():
    ev = bf.from_preferences(*judgements(5, 600, 0.1))
    ranking = bf.rank(ev, n_draws=2000, rng=1)
    assert ranking.system.values.tolist() == ["A", "B", "C", "D"]
    assert bf.compare(ev, "D", "A", rng=1).check("preference: A better").passed


def test_a_model_that_always_wins_is_not_infinitely_strong():
    ev = bf.from_preferences("A", "B", ["B"] * 12)
    c = bf.compare(ev, n_draws=50_000, rng=1)["preference"]
    assert c.p_h1 == pytest.approx(stats.beta(13, 1).sf(0.5), abs=1e-3)
    assert 0.7 < c.posterior_b.interval(0.95)[0] < 0.8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bf.from_preferences("A", "B", ["A", "C"]), "judgement 2 of 'A' and 'B' prefers 'C'"),
        (lambda: bf.from_preferences("A", "A", ["A"]), "2 to 30 models, not 1"),
        (lambda: bf.from_preferences(["A", "B"], ["B", "B"], ["A", "B"]), "judgement 2 is of 'B' and itself"),
        (lambda: bf.from_preferences(["A"], "B", ["A", "B"]), "first has 1 names, but preferred 2"),
        (lambda: bf.from_preferences("A", "B", "A"), "preferred must be an array, not 'A'"),
        (lambda: bf.from_preferences("A", "B", ["A"] * 2, items=[1]), "items are 1 labels, but there are 2"),
        (lambda: bf.from_preferences("A", "B", ["A"] * 2, items=[1, 1], raters=[1, 2]), "say by unit='item'"),
        (lambda: bf.from_preferences("A", "B", ["A"], unit="rater"), "give raters="),
        (lambda: bf.from_preferences("A", "B", ["A"], unit="day"), "unknown unit 'day'"),
        (
            lambda: bf.compare(bf.from_preferences("A", "B", ["A"]), metrics="f1"),
            "unknown metric 'f1' of preferences",
        ),
    ],
)
def test_bad_judgements_get_one_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_nothing_is_said_of_models_judged_apart_and_ties_are_explained():
    res = bf.compare(bf.from_preferences("A", "B", ["B"] * 32 + ["A"] * 20 + ["tie"] * 15), rng=1)
    assert "if independent" not in str(res)
    assert "15 of 67 judgements are ties" in str(res)
    assert "ties:" not in str(bf.compare(bf.from_preferences("A", "B", ["B"] * 32 + ["A"] * 20), rng=1))


def test_ties_of_many_models_are_counted_once():
    pairs = [("A", "B"), ("B", "C"), ("C", "A")] * 8
    ev = bf.from_preferences([a for a, _ in pairs], [b for _, b in pairs], ["A", "tie", "tie"] * 8)
    assert "16 of 24 judgements are ties" in str(bf.rank(ev, rng=1))
