"""Class by class: differences are shrunk towards each other, and claims are counted."""

import numpy as np
import pytest

import bayesf1 as bf

CLASSES = [f"c{i:02d}" for i in range(30)]


def many(seed, gains=None, n=1500):
    """Two models on items of thirty classes of unequal sizes, B better in some."""
    rng = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, 31)
    gold = rng.choice(30, n, p=shares / shares.sum())
    gains = np.zeros(30) if gains is None else gains

    def said(better):
        right = rng.random(n) < np.clip(0.75 + better[gold], 0, 0.99)
        return np.where(right, gold, rng.integers(0, 30, n))

    names = np.array(CLASSES)
    return bf.from_labels(
        names[gold], {"A": names[said(np.zeros(30))], "B": names[said(gains)]}, labels=CLASSES
    )


def labels(seed, gain=0.0, n=400, k=20):
    """Two models on items with any number of twenty labels, B better in the first."""
    rng = np.random.default_rng(seed)
    gold = rng.random((n, k)) < 0.2
    error = np.full(k, 0.12)
    error[0] -= gain
    said = {m: gold ^ (rng.random((n, k)) < e) for m, e in (("A", np.full(k, 0.12)), ("B", error))}
    return bf.from_labels(gold.astype(int), {m: x.astype(int) for m, x in said.items()}, multilabel=True)


@pytest.mark.long
def test_labels_are_shrunk_towards_each_other():
    raw = shrunk = 0
    for seed in range(10):
        ev = labels(seed)
        alone = bf.compare(ev, metrics=[f"f1[{c}]" for c in ev.classes], n_draws=2000, rng=seed)
        raw += any("better" in c.verdict for c in alone.values())
        shrunk += any("better" in c.verdict for c in bf.compare_classes(ev, n_draws=2000, rng=seed).values())
    assert raw >= 3
    assert shrunk <= 2
    assert bf.compare_classes(labels(0, gain=0.1), rng=1)["f1[1]"].verdict == "B better"


@pytest.fixture(scope="module")
def res():
    gains = np.zeros(30)
    gains[:3] = 0.2
    return bf.compare_classes(many(1, gains, n=4000), n_draws=10_000, rng=1)


def test_a_class_that_is_better_is_still_found(res):
    assert [res[f"f1[{c}]"].verdict for c in CLASSES[:3]] == ["B better"] * 3


def test_each_claim_has_its_probability_and_their_errors_are_counted(res):
    claims = [c for c in res.values() if "better" in c.verdict]
    expected = sum(min(c.p_h0, c.p_h1) for c in claims)
    assert res.expected_false == pytest.approx(expected)
    assert res.to_dict()["expected_false"] == pytest.approx(expected)


def test_swapping_the_models_swaps_the_classes():
    ev = many(2, n=600)
    one, back = (
        bf.compare_classes(ev, *pair, n_draws=2000, rope=0.02, rng=1) for pair in (("A", "B"), ("B", "A"))
    )
    for c, d in zip(one.values(), back.values(), strict=True):
        assert (c.p_h1, c.p_greater) == pytest.approx((d.p_h0, d.p_less))
        assert c.gap == pytest.approx(-d.gap)


def test_the_observed_difference_stands_beside_the_shrunk_one(res):
    assert bf.plot_classes(res).get_xlabel().startswith("Shrunk difference")
    at = res.table.header.index("Observed")
    for c, row in zip(res.values(), res.table.rows, strict=True):
        assert float(row[at].replace("−", "-")) == pytest.approx(100 * (c.score_b - c.score_a), abs=0.051)
