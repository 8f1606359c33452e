"""Looking after every unit: fair bets, false decisions and power, and looks that another process goes on from."""

import json
from itertools import product

import numpy as np
import pytest
from scipy import optimize, special, stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.frequentist.monitoring import BOUNDED, OF_ITEMS, Wagers, wagers_of
from builders import joint_evaluation, two_models
from evaluations import EVALUATIONS

MONITORED = "items, documents, classes in documents, label sets, spans, types, right or wrong, scores"
STAKES = OF_ITEMS
WEIGHTS = 1 / np.arange(1, 17) / np.sum(1 / np.arange(1, 17))
# Items found by both, only A, only B, neither; claimed by both, only A, only B, neither: tp, fp, fn of A and of B.
ITEMS = np.array(
    [
        [(1, 0, 0), (1, 0, 0)],
        [(1, 0, 0), (0, 0, 1)],
        [(0, 0, 1), (1, 0, 0)],
        [(0, 0, 1), (0, 0, 1)],
        [(0, 1, 0), (0, 1, 0)],
        [(0, 1, 0), (0, 0, 0)],
        [(0, 0, 0), (0, 1, 0)],
        [(0, 0, 0), (0, 0, 0)],
    ],
    dtype=float,
)
SHARES, LOADS = (
    np.stack([ITEMS[:, model] @ each for model in (0, 1)]) / 2.0 for each in ((2, 0, 0), (2, 1, 1))
)
# Accuracy where only B is right, only A, or both.
ACCURACY = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
# Both have F1 = .8, but A finds more and claims more: .48 / .6 and .56 / .7.
ALIKE = np.array([0.18, 0.10, 0.06, 0.0, 0.0, 0.08, 0.02, 0.56])


def f1_wagers(counts):
    return Wagers(SHARES, LOADS, np.asarray(counts, dtype=float), same_loads=False)


def best_stopping(value, probabilities, steps):
    """The largest expectation that any rule to stop within so many steps has, by enumeration of all trees."""
    kinds = len(probabilities)
    states = {n: [s for s in product(range(n + 1), repeat=kinds) if sum(s) == n] for n in range(steps + 1)}
    known = {}
    for n in range(steps, -1, -1):
        capital = np.exp(value(np.array(states[n], dtype=float)))
        for state, now in zip(states[n], capital, strict=True):
            later = 0.0
            if n < steps:
                after = (tuple(np.add(state, step)) for step in np.eye(kinds, dtype=int))
                later = sum(p * known[s] for p, s in zip(probabilities, after, strict=True))
            known[state] = max(now, later)
    return known[(0,) * kinds]


# ---- fair bets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("of", ["items", "sentences"])
def test_of_f1_no_rule_to_stop_wins_on_average_though_outputs_of_sentences_cannot_be_swapped(of, turned):
    if of == "items":
        kinds, steps, how = ALIKE > 0, 5, {}
        shares, loads, p = SHARES[:, kinds], LOADS[:, kinds], ALIKE[kinds] / ALIKE.sum()
    else:
        # A finds nothing in a long sentence, and B misses some in short ones; yet both have the same score.
        shares = np.array([[2.0, 0.0, 2.0], [1.0, 4.0, 2.0]]) / 6.0
        loads, steps, how = np.array([[2.0, 5.0, 3.0], [1.5, 6.0, 3.0]]) / 6.0, 7, {"stakes": BOUNDED}
        p = equal_scores(shares, loads)

    def value(counts):
        wagers = Wagers(shares, loads, counts, same_loads=False, **how)
        return (wagers.mirrored if turned else wagers).log_capital(0.0)

    assert best_stopping(value, p, steps) <= 1.0 + 1e-12


@pytest.mark.parametrize(("d", "share"), [(0.0, [0.15, 0.15, 0.7]), (0.2, [0.3, 0.1, 0.6])])
def test_of_accuracy_no_rule_to_stop_wins_against_the_true_difference_and_none_loses(d, share):
    def value(counts):
        return Wagers(ACCURACY, np.ones((2, 3)), counts, same_loads=True).log_capital(d)

    assert best_stopping(value, share, 7) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("d", [0.3, -0.3])
def test_of_any_difference_that_is_the_true_one_no_stake_can_be_ruined_and_no_rule_wins(d):
    # Recall on sentences: what wins and loses most is a whole sentence that only one model gets right.
    shares = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]])
    share = [0.5, 0.2, 0.3] if d > 0 else [0.2, 0.5, 0.3]

    def value(counts):
        return Wagers(shares, np.ones((2, 3)), counts, same_loads=True, stakes=BOUNDED).log_capital(d)

    assert best_stopping(value, share, 6) <= 1.0 + 1e-12


def equal_scores(shares, denominator_weights):
    """Probabilities of three kinds of units under which both models have the same score."""

    def gap(p):
        both = (shares @ p) / (denominator_weights @ p)
        return both[1] - both[0]

    found = optimize.brentq(lambda q: gap(np.array([0.8 - q, q, 0.2])), 0.0, 0.8, xtol=1e-15)
    return np.array([0.8 - found, found, 0.2])


# ---- the capital -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (3, 1), (30, 60), (500, 420)])
def test_of_accuracy_it_is_a_mixture_of_likelihood_ratios_of_who_wins(wins, losses):
    wagers = Wagers(ACCURACY, np.ones((2, 3)), np.array([wins, losses, 100.0]), same_loads=True)
    n = wins + losses
    ratios = stats.binom.pmf(wins, n, (1 + STAKES) / 2) / stats.binom.pmf(wins, n, 0.5)
    assert np.exp(wagers.log_capital(0.0)) == pytest.approx(ratios @ WEIGHTS, rel=1e-9)


@pytest.mark.parametrize("d", [-0.3, -0.05, 0.0, 0.1])
def test_of_f1_it_is_hardly_less_than_the_least_of_a_dense_grid_and_never_more(d):
    counts = 800 * np.array([0.18, 0.05, 0.1, 0.02, 0.01, 0.08, 0.02, 0.54])
    wagers = f1_wagers(counts)
    found = []
    for own in (0, 1):
        f = (
            np.linspace(max(0.0, -d), 1.0, 20_001)
            if own == 0
            else np.linspace(0.0, min(1.0, 1.0 + d), 20_001)
        )
        f_a, f_b = (f, np.minimum(f + d, 1.0)) if own == 0 else (np.maximum(f - d, 0.0), f)
        y = SHARES[:, :, None] - LOADS[:, :, None] * np.stack([f_a, f_b])[:, None]
        bets = sum(
            w * np.exp(counts @ np.log1p(s * (y[1] - y[0]))) for s, w in zip(STAKES, WEIGHTS, strict=True)
        )
        both = sum(
            0.5 * w * np.exp(counts @ np.log1p(side * s * y[own]))
            for s, w in zip(STAKES, WEIGHTS, strict=True)
            for side in (-1, 1)
        )
        found.append(np.log(0.5 * (bets + both).min()))
    exact = np.logaddexp(*found) - np.log(2)
    assert exact - 0.1 - 0.02 * abs(exact) <= wagers.log_capital(d) <= exact + 1e-9


# ---- many looks --------------------------------------------------------------------------------------------
# Looks after every item: Ville's inequality bounds false decisions by .05, and the posterior's exceed it by far.


@pytest.mark.long
def test_equal_models_are_decided_in_at_most_one_of_twenty_sets_and_by_the_posterior_in_more():
    rng = np.random.default_rng(1)
    drawn = rng.choice(3, (600, 400), p=[0.1, 0.1, 0.8])
    wins, losses = ((drawn == k).cumsum(axis=1) for k in (0, 1))
    counts = np.stack([wins, losses, np.zeros_like(wins)], axis=-1).astype(float)
    wagers = Wagers(ACCURACY, np.ones((2, 3)), counts, same_loads=True)
    capital = np.maximum(wagers.log_capital(0.0), wagers.mirrored.log_capital(0.0))
    decided = (capital >= np.log(40.0)).any(axis=1).mean()
    p = special.betaincc(losses + 0.5, wins + 0.5, 0.5)[:, 20:]
    by_posterior = (np.maximum(p, 1 - p) >= 0.975).any(axis=1).mean()
    assert decided <= 0.05
    assert by_posterior > 0.25


@pytest.mark.long
def test_a_better_model_is_found_on_less_than_twice_the_items_of_a_test_of_fixed_size():
    # B wins 12 % of the items and A 6 %; McNemar's test with a power of .8 takes some 390 items.
    rng = np.random.default_rng(3)
    n = next(n for n in range(100, 1000, 10) if _mcnemar_power(n, 0.12, 0.06) >= 0.8)
    drawn = rng.choice(3, (300, 2 * n), p=[0.12, 0.06, 0.82])
    counts = np.eye(3)[drawn].cumsum(axis=1)
    capital = Wagers(ACCURACY, np.ones((2, 3)), counts, same_loads=True).log_capital(0.0)
    found = (capital >= np.log(40.0)).any(axis=1)
    assert found.mean() >= 0.8
    # Looking lets one stop early.
    assert np.argmax(capital >= np.log(40.0), axis=1)[found].mean() < n


def _mcnemar_power(n, wins, losses):
    gap, spread = wins - losses, wins + losses
    return stats.norm.sf((1.96 * np.sqrt(spread) - gap * np.sqrt(n)) / np.sqrt(spread - gap**2))


# ---- monitor -----------------------------------------------------------------------------------------------


def test_the_confidence_sequence_holds_what_neither_bet_speaks_against():
    ev = two_models(1, 600)
    found = bf.monitor(ev)
    counts = ev.units.weights
    rows = ev.units.rows.reshape(-1, *ev.tables.shape)[..., :3]
    shares, denominator_weights = (
        np.stack([rows[:, m] @ e for m in (0, 1)]) / 2 for e in ((2, 0, 0), (2, 1, 1))
    )
    wagers = Wagers(shares, denominator_weights, counts, same_loads=False)
    need = np.log(40.0)
    assert wagers.log_capital(found.low) == pytest.approx(need, abs=1e-4)
    assert wagers.mirrored.log_capital(-found.high) == pytest.approx(need, abs=1e-4)
    assert found.low < found.score_b - found.score_a < found.high


@pytest.mark.parametrize("metric", ["f1", "accuracy", "precision", "recall", "f0.5"])
def test_swapping_the_models_mirrors_the_answer(metric):
    ev = two_models(2, 500)
    one, other = bf.monitor(ev, "A", "B", metric), bf.monitor(ev, "B", "A", metric)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-8)
    assert one.e_value == pytest.approx(other.e_value)


def test_looks_together_are_no_wider_than_the_last():
    looks, previous = [], None
    drawn = np.eye(8)[np.random.default_rng(400).choice(8, 400, p=ALIKE)].cumsum(axis=0).astype(int)
    for n in (100, 200, 400):
        part = joint_evaluation(drawn[n - 1])
        previous = bf.monitor(part, previous=previous)
        looks.append(bf.monitor(part))
    assert previous.low == max(look.low for look in looks)
    assert previous.high == min(look.high for look in looks)
    assert previous.p_value == pytest.approx(min(1.0, *(1 / look.e_value for look in looks)))
    assert len(previous.table.rows) == 3


@pytest.mark.parametrize("name", MONITORED.split(", "))
def test_loads_that_are_taken_as_those_of_both_models_are_the_same(name):
    ev = EVALUATIONS[name]().pair("A", "B")
    found = set()
    for metric in ("accuracy", "precision", "recall", "npv", "jaccard", "f1", "mean"):
        try:
            wagers = wagers_of(ev, resolve_metric(metric, ev), 1000.0)
        except ValueError:
            continue
        found.add(wagers.same_loads)
        assert (
            not wagers.same_loads or (wagers.denominator_weights[0] == wagers.denominator_weights[1]).all()
        ), metric
    assert found


def test_a_brier_score_is_a_mean_of_scores_and_less_of_it_is_better():
    rng = np.random.default_rng(5)
    gold = rng.random(800) < 0.4
    told = {"A": np.full(800, 0.4), "B": np.where(gold, 0.7, 0.3)}
    ev = bf.from_probabilities(gold.tolist(), told)
    scores = {name: (p - gold) ** 2 for name, p in told.items()}
    same = bf.monitor(bf.from_scores(scores, lower_is_better=True))
    found = bf.monitor(ev, metric="brier")
    assert found.verdict == same.verdict == "B better"
    assert (found.low, found.high) == pytest.approx((same.low, same.high))
    with pytest.raises(ValueError, match="Log loss is not a ratio of counts"):
        bf.monitor(ev, metric="log_loss")


def test_what_no_bet_can_be_made_on_is_refused():
    ev = two_models(5, 100)
    with pytest.raises(ValueError, match="MCC is not a ratio of counts"):
        bf.monitor(ev, metric="mcc")
    with pytest.raises(ValueError, match="what both models did on every unit"):
        bf.monitor(bf.from_counts(A=(77, 44, 10), B=(83, 9, 14)))
    with pytest.raises(ValueError, match="at least 2"):
        bf.monitor(ev, largest=1)
    first = bf.monitor(ev)
    with pytest.raises(ValueError, match="the last look had metric 'f1'"):
        bf.monitor(ev, metric="recall", previous=first)
    with pytest.raises(ValueError, match="the last look had 100 items, and this one has 50"):
        bf.monitor(two_models(5, 50), previous=first)
    with pytest.raises(ValueError, match="the last look counted items that this one does not"):
        bf.monitor(two_models(6, 101), previous=first)
    with pytest.raises(ValueError, match=r"the last look had largest 4\.0, and this one has 6"):
        bf.monitor(ev, largest=6, previous=bf.monitor(ev, largest=4))


A, B = [1, 0] * 100, [1, 1, 1, 0] * 50


def look(n, **options):
    return bf.monitor(bf.from_correct({"A": A[:n], "B": B[:n]}), **options)


def test_it_was_decided_at_the_first_look_that_decided():
    state = None
    for n in (40, 60, 80, 200):
        state = look(n, previous=state)
    assert (state.n_units, state.decided_after, state.to_dict()["decided_after"]) == (200, 60, 60)
    assert state.sentence().startswith("Decided after 60 items: B better in accuracy")
    assert look(40).decided_after is None


@pytest.mark.parametrize("keep", [lambda s: s.to_dict(), lambda s: json.loads(s.to_json())])
def test_what_was_kept_goes_on_as_what_was_returned(keep):
    units = {"A": [(1, 0, 1), (2, 0, 0)] * 40, "B": [(2, 0, 0), (2, 0, 0)] * 40}
    first, ev = (
        bf.from_units({name: rows[:n] for name, rows in units.items()}, unit="sentence") for n in (40, 80)
    )
    before = bf.monitor(first, largest=8)
    plain = bf.monitor(ev, largest=8, previous=before)
    kept = bf.monitor(ev, largest=8, previous=keep(before))
    assert kept.to_dict() == plain.to_dict()
    assert kept.looks == plain.looks
    assert len(kept.looks) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"format": "bayesf1.compare/1"},
            r"format of previous= is 'bayesf1.compare/1', but should be 'bayesf1.monitor/2'",
        ),
        ({"looks": []}, "previous= has no looks"),
        ({"largest": 5.0}, r"the last look had largest 5\.0, and this one has None"),
        ({"metric": "f1"}, "the last look had metric 'f1'"),
    ],
)
def test_what_was_damaged_is_named(change, said):
    document = json.loads(look(40).to_json()) | change
    with pytest.raises(ValueError, match=said):
        look(80, previous=document)
