"""Two models on the same items: exact probabilities, honest errors, symmetry, and bounds over pairings."""

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy import integrate, special, stats

import bayesf1 as bf
from bayesf1.kinds import joint
from bayesf1.kinds.binary_measures import find_metric
from bayesf1.kinds.joint import JointCounts, fscore_terms, paired_sf, shares_sf
from bayesf1.kinds.paired_fscores import Term, p_positive
from bayesf1.kinds.pairing import pairing_bounds

CELLS = ("tp", "fp", "fn", "tn")
F_WEIGHTS = {"f1": 1.0, "f2": 4.0, "f0.5": 0.25, "precision": 0.0}


def rng(seed=0):
    return np.random.default_rng(seed)


def wins(alpha, weight, *, n, seed):
    """Share of draws of the joint Dirichlet in which B has the larger F-score."""
    both, only_a, only_b, neither, claimed, by_a, by_b = rng(seed).standard_gamma(alpha[:7], size=(n, 7)).T
    gold = both + only_a + only_b + neither
    return np.mean(
        (both + only_b) * (claimed + by_a + weight * gold)
        > (both + only_a) * (claimed + by_b + weight * gold)
    )


# ---- F-scores, exactly

TINY = [
    (0, 0, 0, 0, 0, 0, 1, 0),
    (0, 1, 0, 1, 0, 0, 0, 0),
    (1, 0, 1, 0, 0, 0, 1, 0),
    (0, 1, 0, 0, 1, 0, 0, 5),
    (1, 1, 1, 0, 0, 0, 0, 0),
]
OTHERS = [(40, 6, 13, 5, 3, 7, 4, 120), (50, 0, 1, 50, 20, 3, 8, 0), (5, 4, 2, 4, 5000, 40_000, 40_100, 0)]


@pytest.mark.parametrize("prior", [0.5, 1.0])
@pytest.mark.parametrize("counts", TINY + OTHERS, ids=str)
def test_the_larger_f_score_is_that_of_draws_however_few_the_items(counts, prior):
    n = 200_000
    alpha = np.array(counts) + prior / 2
    for metric, weight in F_WEIGHTS.items():
        found = paired_sf(JointCounts(*counts), find_metric(metric), CELLS, 0.0, prior=prior, rng=rng())
        share = wins(alpha, weight, n=n, seed=3)
        assert found.error == 0
        assert abs(found.value - share) < 4.5 * np.sqrt((share * (1 - share) + 1 / n) / n)


@pytest.mark.parametrize("counts", [TINY[1], TINY[2], *OTHERS[:2]], ids=str)
def test_the_larger_f_score_is_that_of_a_long_lattice(counts, monkeypatch):
    # Another way to the same number: one split integrated out, and a lattice over all else.
    monkeypatch.setattr(joint, "_GOAL", 0.0)
    monkeypatch.setattr(joint, "_POINTS", 1 << 12)
    monkeypatch.setattr(joint, "_MOST_POINTS", 1 << 12)
    alpha = {name: n + 0.5 for name, n in zip(JointCounts._fields, counts, strict=True)}
    for metric in ("f1", "f2"):
        (value,), (error,) = joint._Joint(alpha, find_metric(metric), CELLS[:3]).by_lattice(
            np.zeros(1), rng(1)
        )
        exact = p_positive(*fscore_terms(alpha, F_WEIGHTS[metric]))
        assert error < 5e-4
        assert abs(value - exact) < 4 * error + 1e-7


@pytest.mark.parametrize(
    "counts", [(40, 6, 13, 5, 3, 7, 4, 120), (40, 13, 6, 5, 3, 4, 7, 120), (4, 1, 1, 2, 1, 3, 3, 9)]
)
@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "mcc"])
def test_margins_that_are_asked_for_together_are_answered_as_each_alone(counts, metric):
    margins = [0.0, 0.01, -0.01, 0.3, -0.04]
    found = paired_sf(JointCounts(*counts), find_metric(metric), CELLS, margins, prior=1.0, rng=rng(3))
    for margin, value, error in zip(margins, found.value, found.error, strict=True):
        alone = paired_sf(JointCounts(*counts), find_metric(metric), CELLS, margin, prior=1.0, rng=rng(3))
        assert value == pytest.approx(alone.value, abs=1e-12)
        assert error == pytest.approx(alone.error, abs=1e-12)


def gauss(n):
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 + 0.5 * x, 0.5 * w


def tail_of_term(gain, loss, common, s):
    """P((2V - 1) K/(2 - K) > s) for s >= 0, conditioned on K, which must exceed 2s/(1 + s)."""
    x, w = gauss(60)
    low = 2 * s[..., None] / (1 + s[..., None])
    k = low + (1 - low) * x
    above = special.betaincc(gain, loss, np.minimum(0.5 + 0.5 * s[..., None] * (2 - k) / k, 1.0))
    return np.sum(w * (1 - low) * stats.beta.pdf(k, gain + loss, common) * above, axis=-1)


def nested_integral(first, second):
    """P(first + second > 0): over discordant share and split of the first, of the second's tail."""
    gain, loss, common = second
    (k, wk), (half, wv) = gauss(40), gauss(40)
    total = 0.0
    for v in (0.5 * half, 0.5 + 0.5 * half):
        s = np.multiply.outer(k / (2 - k), 2 * v - 1)
        chance = (
            tail_of_term(gain, loss, common, -s) if s.max() < 0 else 1 - tail_of_term(loss, gain, common, s)
        )
        shares = wk * stats.beta.pdf(k, first[0] + first[1], first[2])
        total += shares @ chance @ (0.5 * wv * stats.beta.pdf(v, first[0], first[1]))
    return total


def test_the_sum_of_two_terms_is_positive_as_often_as_nested_integrals_say():
    first, second = (3.5, 2.5, 4.5), (2.5, 4.5, 9.5)
    found = p_positive(Term(*first), Term(*second))
    assert found == pytest.approx(nested_integral(first, second), abs=1e-7)


def test_gold_items_that_weigh_one_join_the_others():
    found = Term(3.5, 1.5, 7.5)
    apart = p_positive(found, Term(2.5, 3.5, 4.5, 20.5, 1.0 + 1e-12))
    assert apart == pytest.approx(p_positive(found, Term.of_errors(2.5, 3.5, 4.5, 20.5, 1.0)), abs=1e-7)


# ---- shares, exactly at every margin


def conditioned_on_discordance(gain, loss, rest, d):
    """P(p_gain - p_loss > d) by scipy, over how much is discordant."""

    def inside(x):
        return stats.beta.pdf(x, gain + loss, rest) * stats.beta.sf(0.5 + d / (2 * x), gain, loss)

    value, _ = integrate.quad(inside, abs(d), 1, epsabs=1e-12, limit=500)
    return value + (stats.beta.cdf(abs(d), gain + loss, rest) if d < 0 else 0)


@pytest.mark.parametrize(
    "shares",
    [(3.0, 2.0, 5.0), (0.5, 0.25, 0.25), (0.5, 1.5, 0.25), (300.0, 280.0, 4000.0), (20.5, 0.5, 0.5)],
    ids=str,
)
@pytest.mark.parametrize("d", [0.005, -0.005, 0.1, -0.3, 0.9])
def test_margins_of_shares_are_exact(shares, d):
    assert shares_sf(*shares, d) == pytest.approx(conditioned_on_discordance(*shares, d), abs=1e-9)


def test_margins_of_shares_reach_from_certain_to_impossible():
    assert (shares_sf(3, 2, 5, -1.0), shares_sf(3, 2, 5, 1.0)) == (1.0, 0.0)
    assert shares_sf(3, 2, 5, 1e-13) == pytest.approx(special.betaincc(3, 2, 0.5), abs=1e-11)


@pytest.mark.parametrize("metric", ["accuracy", "recall", "specificity"])
def test_shares_with_a_rope_are_exact_and_say_so(metric):
    counts = JointCounts(3, 1, 2, 1, 0, 2, 1, 4)
    found = paired_sf(counts, find_metric(metric), CELLS, [0.0, 0.02, -0.02], prior=1.0, rng=rng())
    assert found.error.tolist() == [0, 0, 0]
    gain, loss, rest = (sum(getattr(counts, c) + 0.5 for c in g) for g in joint.CLOSED_WHEN_PAIRED[metric])
    for d, value in zip((0.02, -0.02), found.value[1:], strict=True):
        assert value == pytest.approx(conditioned_on_discordance(gain, loss, rest, d), abs=1e-9)


# ---- lattices


def test_reported_errors_of_lattices_are_honest_on_small_tables(monkeypatch):
    cases = [
        (tuple(counts), metric, margin)
        for counts in rng(5).integers(0, 3, (4, 8)).tolist()
        for metric, margin in (("f1", 0.02), ("precision", -0.1), ("mcc", 0.0))
    ]
    found = {
        case: [
            paired_sf(JointCounts(*case[0]), find_metric(case[1]), CELLS, case[2], prior=1.0, rng=rng(s))
            for s in range(6)
        ]
        for case in cases
    }
    monkeypatch.setattr(joint, "_GOAL", 0.0)
    monkeypatch.setattr(joint, "_POINTS", 1 << 12)
    monkeypatch.setattr(joint, "_MOST_POINTS", 1 << 12)
    ratios, misses = [], []
    for (counts, metric, margin), estimates in found.items():
        truth = paired_sf(JointCounts(*counts), find_metric(metric), CELLS, margin, prior=1.0, rng=rng(99))
        for e in estimates:
            misses.append(abs(float(e.value - truth.value)))
            ratios.append(misses[-1] / np.hypot(e.error, truth.error))
    assert np.mean(np.array(ratios) > 3) <= 0.01
    assert np.sqrt(np.mean(np.square(misses))) < 3e-4


# ---- symmetry

COUNTS = st.tuples(*[st.integers(0, 6) | st.integers(0, 300)] * 8)


@given(
    counts=COUNTS,
    metric=st.sampled_from(["f1", "f2", "precision", "jaccard", "recall", "accuracy", "mcc", "npv"]),
    margin=st.sampled_from([0.0, 0.01, -0.05]),
    prior=st.sampled_from([0.5, 1.0]),
)
@example(counts=(3, 2, 2, 1, 0, 1, 1, 4), metric="f1", margin=0.01, prior=1.0)
@example(counts=(3, 2, 2, 1, 0, 1, 1, 4), metric="mcc", margin=0.0, prior=1.0)
@settings(max_examples=40, deadline=None)
def test_swapping_the_models_gives_the_complement(counts, metric, margin, prior):
    counts, measure = JointCounts(*counts), find_metric(metric)
    one = paired_sf(counts, measure, CELLS, [margin], prior=prior, rng=rng(4))
    other = paired_sf(counts.swapped, measure, CELLS, [-margin], prior=prior, rng=rng(4))
    assert one.value[0] + other.value[0] == pytest.approx(1.0, abs=1e-12)


def test_swapping_the_models_swaps_the_probabilities_of_a_comparison():
    generator = rng(2)
    gold = generator.random(60) < 0.4
    said = {name: gold ^ (generator.random(60) < error) for name, error in (("A", 0.3), ("B", 0.2))}
    ev = bf.from_labels(gold, said)
    for metric in ("f1", "mcc", "accuracy"):
        c = bf.compare(ev, "A", "B", metrics=metric, rope=0.02, n_draws=1000, rng=5)[metric]
        swapped = bf.compare(ev, "B", "A", metrics=metric, rope=0.02, n_draws=1000, rng=5)[metric]
        assert c.p_h1 == pytest.approx(swapped.p_h0, abs=1e-12)
        assert (c.p_less, c.p_greater) == pytest.approx((swapped.p_greater, swapped.p_less), abs=1e-12)


# ---- bounds over pairings

PAIRS = [
    # The lowest value is inside.
    ((35, 57, 5, 83), (32, 49, 8, 91)),
    ((77, 44, 10, 702), (80, 30, 7, 716)),
    ((3, 1, 1, 4), (2, 2, 2, 3)),
    ((31, 24, 0, 13), (23, 20, 8, 17)),
]


def every_pairing(a, b, metric, *, steps):
    """P(H1) at whole overlaps all over the rectangle."""
    (tp_a, fp_a, fn_a, tn_a), (tp_b, fp_b, _, _) = a, b
    found = np.unique(np.linspace(max(0, tp_a + tp_b - tp_a - fn_a), min(tp_a, tp_b), steps).round())
    claimed = np.unique(np.linspace(max(0, fp_a + fp_b - fp_a - tn_a), min(fp_a, fp_b), steps).round())
    for both in found:
        for c in claimed:
            positives = [both, tp_a - both, tp_b - both, tp_a + fn_a - tp_a - tp_b + both]
            negatives = [c, fp_a - c, fp_b - c, fp_a + tn_a - fp_a - fp_b + c]
            counts = JointCounts(*positives, *negatives)
            yield float(paired_sf(counts, find_metric(metric), CELLS, 0.0, prior=1.0, rng=rng()).value)


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=str)
@pytest.mark.parametrize("metric", ["f1", "recall", "accuracy"])
def test_bounds_are_the_extremes_over_all_pairings(a, b, metric):
    bounds = pairing_bounds(
        np.array(a, float), np.array(b, float), find_metric(metric), CELLS, prior=1.0, rng=rng()
    )
    answers = list(every_pairing(a, b, metric, steps=12))
    assert bounds.error <= 1e-4
    assert min(answers) >= bounds.low - bounds.error - 1e-6
    assert max(answers) <= bounds.high + bounds.error + 1e-6
    assert bounds.low <= min(answers) + 2e-3
    assert bounds.high >= max(answers) - 2e-3


def test_bounds_are_found_inside_of_the_rectangle_of_overlaps():
    a, b = (np.array(table, float) for table in PAIRS[0])
    low, high = pairing_bounds(a, b, find_metric("f1"), CELLS, prior=1.0, rng=rng())
    corners = [
        float(paired_sf(JointCounts(*counts), find_metric("f1"), CELLS, 0.0, prior=1.0, rng=rng()).value)
        for counts in (
            (27, 8, 5, 0, 0, 57, 49, 34),
            (32, 3, 0, 5, 0, 57, 49, 34),
            (27, 8, 5, 0, 49, 8, 0, 83),
        )
    ]
    # 2·10⁷ draws give 0.48970 ± 1.1e-4 for the lower end, a lattice of two million points 0.50318 ± 4e-5 for the upper.
    assert low == pytest.approx(0.48987, abs=1e-5)
    assert high == pytest.approx(0.50315, abs=1e-5)
    assert low < min(corners) - 4e-5


def test_bounds_by_a_lattice_state_their_error_and_are_printed_with_the_digits_it_leaves():
    a, b = (np.array(table, float) for table in PAIRS[3])
    bounds = pairing_bounds(a, b, find_metric("mcc"), CELLS, prior=1.0, rng=rng())
    assert bounds.error > 0
    low, high = bounds
    assert (low, high) == (bounds.low, bounds.high)
    rough = bf.compare(bf.from_counts(A=PAIRS[3][0], B=PAIRS[3][1]), metrics="f1")
    vars(rough["f1"])["pairing_bounds"] = type(bounds)(0.4123, 0.6789, 0.004)
    assert "would lie between 0.41 and 0.68," in rough.to_text()
