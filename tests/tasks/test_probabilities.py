"""Areas under curves and losses of probabilities: scikit-learn's weighted ones, DeLong's variance, Dirichlet weights."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special, stats
from sklearn import metrics

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling.model import sampling_model
from builders import drawn

THEIRS = {
    "roc_auc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
    "brier": metrics.brier_score_loss,
    "log_loss": metrics.log_loss,
}


def items(n=80, seed=1, models="AB"):
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    logits = {m: 1.5 * y - 0.7 + rng.normal(0, 1 + 0.4 * i, n) for i, m in enumerate(models)}
    # Rounded, so that some are tied.
    return y, {m: np.round(1 / (1 + np.exp(-x)), 2).clip(0.01, 0.99) for m, x in logits.items()}


@pytest.mark.parametrize("name", THEIRS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 60))
def test_scores_are_scikit_learns_under_any_weights(name, seed, n):
    y, p = items(n, seed)
    ev = bf.from_probabilities(y, p)
    assert bf.score(ev, "B", name) == pytest.approx(THEIRS[name](y, p["B"]), abs=1e-12)
    # One set of weights for all models, as a Bayesian bootstrap draws it.
    weights = np.random.default_rng(seed).exponential(size=(3, n))
    for i in range(2):
        found = resolve_metric(name, ev)(_tables(ev, y, p, weights)[:, i], ev.cells)
        theirs = [THEIRS[name](y, p["AB"[i]], sample_weight=w) for w in weights]
        assert found == pytest.approx(theirs, abs=1e-12)


def _tables(ev, y, p, weights):
    """Tables of weighted items by adding up cell by cell."""
    place = {cell: i for i, cell in enumerate(ev.cells)}
    tables = np.zeros((len(weights), len(ev.models), len(ev.cells)))
    for j, m in enumerate(ev.models):
        for i, (value, label) in enumerate(zip(p[m], y, strict=True)):
            tables[:, j, place[f"{float(value)!r}{'+' if label else '-'}"]] += weights[:, i]
    return tables


@pytest.mark.parametrize("name", THEIRS)
def test_draws_are_scikit_learns_under_dirichlet_weights(name):
    y, p = items(60)
    c = bf.compare(bf.from_probabilities(y, p), metrics=name, rng=1, n_draws=20_000)[name]
    rng = np.random.default_rng(2)
    gaps = []
    for _ in range(80):
        w = rng.exponential(size=60)
        one, other = (THEIRS[name](y, p[m], sample_weight=w) for m in "AB")
        gaps.append(other - one)
    effective_sample = sampling_model(c.ev).effective_sample(c.definition)
    inflation = np.sqrt(
        (effective_sample.units - 1) / (effective_sample.units - 3) / effective_sample.seen_variance
    )
    assert c.difference.mean() == pytest.approx(np.mean(gaps), abs=5 * np.std(gaps) / np.sqrt(80))
    # Spreads of 80 draws are known to 8 %.
    assert c.difference.std() == pytest.approx(inflation * np.std(gaps), rel=0.32)


def delong(y, one, other):
    """DeLong, DeLong & Clarke-Pearson (1988): the variance of the difference of two areas, by placements."""
    parts = []
    for side in (1, 0):
        own, rest = y == side, y != side
        placed = []
        for p in (one, other):
            gap = p[own][:, None] - p[rest][None, :]
            placed.append(((gap > 0) + 0.5 * (gap == 0)).mean(axis=1))
        parts.append(np.var(placed[1] - placed[0], ddof=1) / own.sum())
    return sum(parts)


@pytest.mark.long
def test_the_spread_of_a_difference_of_areas_is_delongs():
    y, p = items(100, seed=3)
    ev = bf.from_probabilities(y, p)
    c = bf.compare(ev, metrics="roc_auc", rng=1, n_draws=10_000)["roc_auc"]
    # A t law of as many degrees of freedom as items are worth is wider than a normal one.
    freedom = sampling_model(c.ev).effective_sample(c.definition).units - 1
    wider = np.sqrt(freedom / (freedom - 2))
    assert c.difference.std() == pytest.approx(wider * np.sqrt(delong(y, p["A"], p["B"])), rel=0.06)
    low, high = bf.difference_intervals(ev, metric="roc_auc", n_resamples=500, rng=1)["delta"]
    assert (high - low) / 2 == pytest.approx(1.96 * np.sqrt(delong(y, p["A"], p["B"])), rel=0.06)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
def test_an_area_to_first_order_has_its_slopes_and_the_mean_of_its_draws(name):
    y, p = items(200)
    ev = bf.from_probabilities(y, p)
    area, sampling = resolve_metric(name, ev), sampling_model(ev)
    above, below = area.expansion(ev.tables, ev.cells)
    wholes = (below * ev.tables).sum(axis=1, keepdims=True)
    centre = (above * ev.tables).sum(axis=1, keepdims=True) / wholes
    for i in range(2):
        slopes = sampling.samples.gradient(lambda tables, i=i: area(tables, ev.cells)[..., i]).reshape(2, -1)
        here = ev.tables[i] > 0
        assert ((above - centre * below) / wholes)[i, here] == pytest.approx(slopes[i, here], abs=1e-8)
    scores = area(drawn(ev), ev.cells)
    assert (np.abs(scores.mean(axis=0) - centre[:, 0]) < 4 * scores.std(axis=0) / np.sqrt(20_000)).all()


def test_swaps_of_areas_to_first_order_are_those_of_whole_areas():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 700)
    both = special.expit(1.5 * y + rng.normal(size=700) + rng.normal(0.0, [[0.5], [0.6]], (2, 700)))
    found = bf.randomization_test(
        bf.from_probabilities(y, dict(zip("AB", both, strict=True))), metric="roc_auc", rng=1
    )
    swapped = np.where(rng.random((1, 2_000, 700)) < 0.5, both[:, None], both[::-1, None])
    sums = stats.rankdata(swapped, axis=2)[..., y == 1].sum(axis=2)
    gaps = np.abs(sums[1] - sums[0]) / (y.sum() * (700 - y.sum()))
    share = np.mean(gaps >= abs(found.score_b - found.score_a))
    assert found.p_value == pytest.approx(share, abs=4 * np.sqrt(0.25 / 2_000 + 0.25 / 10_000))


def test_groups_are_units_and_items_stay_known():
    y, p = items(80)
    ev = bf.from_probabilities(y, p, groups=np.arange(80) // 8)
    assert (ev.unit, ev.units.size, ev.assumption) == ("document", 10, "clustered")
    assert ev.items == bf.from_probabilities(y, p)
    # Ten copies of each document tell no more than one.
    copied = bf.from_probabilities(
        np.tile(y, 10), {m: np.tile(x, 10) for m, x in p.items()}, groups=np.tile(np.arange(80), 10)
    )
    one, many = (
        bf.compare(e, metrics="roc_auc", rng=1)["roc_auc"] for e in (bf.from_probabilities(y, p), copied)
    )
    assert many.difference.std() == pytest.approx(one.difference.std(), rel=0.03)


def test_rare_labels_are_worth_little():
    y, p = items(400)
    rare = np.flatnonzero((y == 0) | (np.cumsum(y) <= 10))
    ev = bf.from_probabilities(y[rare], {m: x[rare] for m, x in p.items()})
    area, loss = (
        sampling_model(ev).effective_sample(resolve_metric(name, ev)).units for name in ("roc_auc", "brier")
    )
    assert 10 < area < 13
    assert loss == pytest.approx(len(rare))
    even = bf.from_probabilities([0, 1] * 50, {"A": np.linspace(0.1, 0.9, 100)})
    assert sampling_model(even).effective_sample(resolve_metric("roc_auc", even)).units == pytest.approx(100)


def test_any_scores_have_areas_but_no_losses():
    y, p = items(60)
    logits = {m: np.log(x / (1 - x)) for m, x in p.items()}
    ev, same = bf.from_probabilities(y, logits), bf.from_probabilities(y, p)
    assert bf.score(ev, "A", "roc_auc") == pytest.approx(bf.score(same, "A", "roc_auc"), abs=1e-12)
    assert list(bf.compare(ev, rng=1)) == ["average_precision", "roc_auc"]
    with pytest.raises(ValueError, match="brier needs probabilities from 0 to 1, but there is -"):
        bf.score(ev, "A", "brier")
    with pytest.raises(ValueError, match="on one scale"):
        bf.randomization_test(ev, metric="roc_auc")


def test_an_infinite_log_loss_is_named_and_left_out():
    ev = bf.from_probabilities(
        [1, 0, 1, 0] * 5, {"A": [0.0, 0.1, 0.8, 0.3] * 5, "B": [0.5, 0.1, 0.8, 0.3] * 5}
    )
    assert ev.task.default_metrics == ("brier", "average_precision", "roc_auc")
    with pytest.raises(ValueError, match="log_loss is infinite, as a positive item has probability 0"):
        bf.compare(ev, metrics="log_loss")
    # B alone has none of these.
    assert bf.score(ev.select(["B"]), "B", "log_loss") == pytest.approx(
        metrics.log_loss([1, 0, 1, 0], [0.5, 0.1, 0.8, 0.3])
    )


def test_a_perfect_separation_is_told_to_leave_doubt():
    ev = bf.from_probabilities([0, 1] * 20, {"A": [0.1, 0.9] * 20, "B": [0.6, 0.5] * 20})
    assert "separates the labels perfectly" in str(bf.compare(ev, rng=1))
    assert ev.select(["B"]).notes == ()


def test_scores_beyond_0_and_1_have_no_losses_and_say_so():
    ev = bf.from_probabilities([0, 1, 0, 1], {"A": [0.1, 1.2, 0.3, 0.9]})
    assert ev.task.default_metrics == ("average_precision", "roc_auc")
    assert "no Brier score" in " ".join(ev.notes)


def test_functions_of_scikit_learns_are_measures():
    y, p = items(40)
    ev = bf.from_probabilities(y, p)
    assert bf.score(ev, "A", metrics.d2_brier_score) == pytest.approx(metrics.d2_brier_score(y, p["A"]))
    c = bf.compare(ev, metrics=metrics.brier_score_loss, rng=1, n_draws=150)["brier_score_loss"]
    own = bf.compare(ev, metrics="brier", method="montecarlo", rng=1, n_draws=150)["brier"]
    # The weights are the same; how much few items are inflated is drawn for each metric by itself.
    assert c.difference.mean() == pytest.approx(own.difference.mean(), abs=0.1 * own.difference.std())
    with pytest.raises(ValueError, match="metric 'broken' gave nan"):
        bf.score(ev, "A", broken)


def broken(y, p, sample_weight):
    return float("nan")


@pytest.mark.parametrize(
    ("y", "p", "options", "words"),
    [
        ([0, 1], {"A": [[0.1, 0.9], [0.8, 0.2]]}, {}, r"the positive label alone, such as p\[:, 1\]"),
        ([0, 1], {"A": [0.1]}, {}, "probabilities of 'A' have 1 values, but y_true 2"),
        ([1, 1], {"A": [0.1, 0.2]}, {}, "y_true holds no negative item"),
        (["a", "b"], {"A": [0.1, 0.2]}, {"positive": "c"}, "y_true holds no positive item"),
        ([0, 1], {"A": [0.1, 0.2]}, {"groups": [1]}, "groups have 1 values, but y_true 2"),
    ],
)
def test_bad_probabilities_are_named(y, p, options, words):
    with pytest.raises(ValueError, match=words):
        bf.from_probabilities(y, p, **options)


def test_the_standard_error_of_an_area_of_many_items_holds_what_first_order_leaves_out():
    rng = np.random.default_rng(3)
    y = np.arange(5_100) % 40 == 0
    logits = {m: 1.1 * y + rng.normal(0, 1, len(y)) for m in "AB"}
    ev = bf.from_probabilities(y.astype(int), {m: special.expit(x) for m, x in logits.items()})
    metric = resolve_metric("average_precision", ev)
    weights = (rng.standard_exponential((50, len(y))) for _ in range(20))
    tables = (np.asarray(some @ ev.units.rows).reshape(50, *ev.tables.shape) for some in weights)
    gaps = np.concatenate([np.diff(metric(some, ev.cells))[:, 0] for some in tables])
    found = bf.compare(ev, metrics="average_precision", rng=0)["average_precision"]
    assert abs(found.p_h1 - (gaps > 0).mean()) < 3 * np.hypot(found.mcse, 0.5 / np.sqrt(len(gaps)))
    # 128 items are positive: digits beyond the second say nothing of them.
    assert found.mcse > 1 / 128
