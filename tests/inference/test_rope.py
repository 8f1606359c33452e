"""Regions of practical equivalence that are not symmetric: how much worse B may be, and how much better."""

import numpy as np
import pytest
from scipy import integrate, stats

import bayesf1 as bf
from bayesf1.inference.comparison import check_rope
from builders import two_models

COUNTS = bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))
REGION = (-0.005, 0.02)


def test_margins_of_independent_recalls_are_those_of_two_beta_laws():
    c = bf.compare(COUNTS, metrics="recall", rope=REGION, prior=1)["recall"]
    a, b = stats.beta(78, 11), stats.beta(81, 8)
    for margin, found in (
        (REGION[0], c.p_not_worse),
        (REGION[1], c.p_greater),
        (0.03, c.difference.sf(0.03)),
    ):
        exact, _ = integrate.quad(lambda t, d=margin: a.pdf(t) * b.sf(t + d), 0.0, 1.0, epsabs=1e-13)
        assert found == pytest.approx(exact, abs=1e-9)
    assert c.p_rope == pytest.approx(1.0 - c.p_less - c.p_greater, abs=1e-15)


def test_a_margin_of_paired_recalls_is_that_of_a_beta_law():
    ev = two_models(1, 400)
    c = bf.compare(ev, metrics="recall", rope=(-0.02, 0.01), rng=1)["recall"]
    drawn = bf.compare(ev, metrics="recall", rope=(-0.02, 0.01), method="montecarlo", rng=1)["recall"]
    for name in ("p_not_worse", "p_rope", "p_greater"):
        assert getattr(c, name) == pytest.approx(getattr(drawn, name), abs=4 * drawn.mcse + 4e-3)


@pytest.mark.parametrize("kind", ["exact", "drawn", "paired", "lower"])
def test_swapping_the_models_mirrors_the_region(kind):
    if kind == "lower":
        rng = np.random.default_rng(2)
        ev = bf.from_scores(
            {"A": rng.random(80), "B": rng.random(80) - 0.02}, name="loss", lower_is_better=True
        )
        settings = {}
    else:
        ev = COUNTS if kind == "exact" else two_models(3, 300)
        settings = {"method": "montecarlo"} if kind == "drawn" else {}
    ab = bf.compare(ev, "A", "B", rope=REGION, rng=1, **settings)
    ba = bf.compare(ev, "B", "A", rope=(-0.02, 0.005), rng=1, **settings)
    for one, other in zip(ab.values(), ba.values(), strict=True):
        found = (one.p_less, one.p_rope, one.p_greater)
        assert found == pytest.approx((other.p_greater, other.p_rope, other.p_less), abs=1e-9)
        assert (one.rope.low, one.rope.high) == (-other.rope.high, -other.rope.low)


def test_of_a_loss_the_region_is_of_how_much_better_and_not_of_how_much_more():
    rng = np.random.default_rng(4)
    loss = {"A": rng.random(200), "B": rng.random(200)}
    gain = {name: 1.0 - scores for name, scores in loss.items()}
    lower = bf.compare(bf.from_scores(loss, lower_is_better=True), rope=(-0.01, 0.05), rng=1)["mean"]
    higher = bf.compare(bf.from_scores(gain), rope=(-0.01, 0.05), rng=1)["mean"]
    for name in ("p_less", "p_rope", "p_greater", "p_not_worse"):
        # Means are linear in the weights, so that a control variate leaves nothing to chance.
        assert getattr(lower, name) == pytest.approx(getattr(higher, name), abs=1e-9)


def test_what_is_not_worse_is_called_so_and_undecided_without_a_region():
    ev = bf.from_counts(A=(800, 100, 100), B=(812, 95, 98))
    assert bf.compare(ev)["f1"].verdict == "undecided"
    c = bf.compare(ev, rope=(-0.02, 0.001))["f1"]
    assert c.verdict == "B not worse by more than 2 points"
    assert str(c).startswith("B is not worse than A in F1 by more than 2 percentage points (P = .9")
    other = bf.compare(ev, "B", "A", rope=(-0.001, 0.02))["f1"]
    assert other.verdict == "B not worse by more than 2 points"


@pytest.mark.parametrize(
    "bad", [(0.01, 0.02), (-0.1,), (-0.1, -0.05), (-2.0, 0.1), ("a", 0.1), (-0.1, np.nan)]
)
def test_a_pair_without_0_in_it_is_no_region(bad):
    with pytest.raises(ValueError, match="rope as a pair is how much better B may be than A"):
        check_rope(bad, bf.compare(COUNTS)["f1"].definition)
