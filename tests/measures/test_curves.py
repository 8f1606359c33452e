"""Curves and their areas, beside scikit-learn's, and bands that mean what they say."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn import metrics

from bayesf1.measures.curves import pr_ap, pr_curve, roc_auc, roc_curve


@st.composite
def scored(draw):
    n = draw(st.integers(2, 30))
    gold = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda g: 0 < sum(g) < len(g)))
    # few different scores, so that there are ties
    scores = draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    return np.array(gold), np.array(scores, dtype=float)


def sample(n, rng, shift=1.0, decimals=1):
    gold = rng.random(n) < 0.4
    return gold, np.round(rng.normal(size=n) + shift * gold, decimals)


@settings(max_examples=50)
@given(scored())
def test_areas_are_those_of_scikit_learn_ties_included(data):
    gold, scores = data
    assert roc_auc(gold, scores) == pytest.approx(metrics.roc_auc_score(gold, scores), abs=1e-13)
    assert pr_ap(gold, scores) == pytest.approx(metrics.average_precision_score(gold, scores), abs=1e-13)


@settings(max_examples=10)
@given(scored(), st.integers(0, 2**32))
def test_drawn_areas_are_those_of_scikit_learn_under_the_weights(data, seed):
    gold, scores = data
    weights = np.random.default_rng(seed).standard_exponential((100, len(gold)))[:5]
    for curve, area in ((roc_curve, metrics.roc_auc_score), (pr_curve, metrics.average_precision_score)):
        drawn = curve(gold, scores, n_draws=100, rng=seed)
        expected = [area(gold, scores, sample_weight=w) for w in weights]
        np.testing.assert_allclose(drawn.area_draws[:5], expected, atol=1e-12)
        assert drawn.area == pytest.approx(area(gold, scores), abs=1e-13)


@settings(max_examples=40)
@given(scored())
def test_a_roc_curve_is_read_straight_between_its_corners(data):
    gold, scores = data
    curve = roc_curve(gold, scores, n_points=41, n_draws=100, rng=1)
    fpr, tpr, _ = metrics.roc_curve(gold, scores, drop_intermediate=False)
    for x, y in zip(curve.x, curve.y, strict=True):
        # where the curve rises it has two values; the upper one is read, reached from the right in the limit
        beyond = np.interp(min(x + 1e-9, 1.0), fpr, tpr) if x < 1 else 1.0
        assert y == pytest.approx(beyond, abs=1e-6)


@pytest.mark.parametrize("interpolated", [False, True])
@settings(max_examples=40)
@given(data=scored())
def test_a_pr_curve_is_read_at_the_shortest_list_or_the_best_one_with_that_recall(interpolated, data):
    gold, scores = data
    curve = pr_curve(gold, scores, n_points=12, n_draws=100, rng=1, interpolated=interpolated)
    # scikit-learn goes from the lowest score to the highest, and ends with a made-up point
    precision, recall = (line[-2::-1] for line in metrics.precision_recall_curve(gold, scores)[:2])
    for x, y in zip(curve.x, curve.y, strict=True):
        enough = precision[(recall >= x) & (recall > 0)]
        assert y == pytest.approx(enough.max() if interpolated else enough[0], abs=1e-14)


@pytest.mark.parametrize("curve", [roc_curve, pr_curve])
def test_a_band_holds_its_curve_and_narrows_with_more_items(curve):
    rng = np.random.default_rng(3)
    widths = []
    for n in (100, 1600):
        gold, scores = sample(n, rng, decimals=3)
        found = curve(gold, scores, rng=1)
        assert found.x.shape == found.y.shape == found.low.shape == found.high.shape == (201,)
        assert (found.low <= found.high).all()
        inside = (found.low <= found.y + 1e-12) & (found.y <= found.high + 1e-12)
        assert inside.mean() > 0.97
        assert found.area_interval[0] < found.area < found.area_interval[1]
        widths.append(found.area_interval[1] - found.area_interval[0])
    # sixteen times the items: a quarter of the width, give or take what two samples differ by
    assert 2.5 < widths[0] / widths[1] < 6.5


@pytest.mark.long
def test_the_interval_of_an_auc_covers_its_true_value_as_often_as_it_says():
    # scores N(0, 1) and N(1, 1): the true area is Φ(1/√2) = .7602499
    rng, hits, n = np.random.default_rng(4), 0, 300
    for _ in range(n):
        gold, scores = sample(150, rng, decimals=9)
        low, high = roc_curve(gold, scores, n_points=2, n_draws=400, rng=rng).area_interval
        hits += low <= 0.7602499 <= high
    # 4 standard errors of a share of .95 are .05; a bootstrap of 150 items may lose a point or two
    assert 0.89 <= hits / n <= 0.99


def test_the_draws_of_two_systems_on_the_same_items_are_paired():
    rng = np.random.default_rng(5)
    gold, scores = sample(300, rng, decimals=6)
    near = scores + rng.normal(0, 0.05, 300)
    a, b, apart = (roc_curve(gold, s, rng=r) for s, r in ((scores, 7), (near, 7), (near, 8)))
    assert np.std(a.area_draws - b.area_draws) < 0.3 * np.std(a.area_draws - apart.area_draws)
