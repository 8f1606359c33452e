"""The independent answer beside a paired one, from the same draws."""

import numpy as np
import pytest

import bayesf1 as bf

N_DRAWS = 20_000


@pytest.fixture(scope="module")
def ev():
    rng = np.random.default_rng(5)
    gold, easy = rng.integers(0, 6, 300), rng.random(300)
    wrong = (gold + rng.integers(1, 6, 300)) % 6
    said = {
        name: np.where(easy + 0.05 * rng.normal(size=300) < share, gold, wrong)
        for name, share in (("A", 0.70), ("B", 0.72))
    }
    return bf.from_labels(gold, said)


@pytest.fixture(scope="module")
def paired(ev):
    return bf.compare(ev, n_draws=N_DRAWS, rope=0.01)


def test_it_is_that_of_independent_draws(ev, paired):
    alone = bf.compare(ev, n_draws=N_DRAWS, rope=0.01, assumption="independent", rng=1)
    for name in ("precision", "recall", "f1"):
        beside, other = paired[name].independent, alone[name]
        assert beside.assumption == "independent"
        error = 4 * np.hypot(beside.mcse, other.mcse)
        for what in ("p_h1", "p_rope", "p_less", "p_greater"):
            assert getattr(beside, what) == pytest.approx(getattr(other, what), abs=error), (name, what)
        # The standard error of a standard deviation is sd/√(2n).
        wide = other.difference.std()
        assert beside.difference.std() == pytest.approx(wide, abs=4 * wide / np.sqrt(N_DRAWS))
        # Models that go together differ less.
        assert paired[name].difference.std() < 0.8 * wide


def test_it_is_no_other_draw_of_either_model(paired):
    for name in ("precision", "recall", "f1"):
        one, other = paired[name], paired[name].independent
        assert (one.posterior_a.draws == other.posterior_a.draws).all()
        assert (one.posterior_b.draws == other.posterior_b.draws).all()


def test_swapping_the_models_swaps_it(ev, paired):
    swapped = bf.compare(ev, "B", "A", n_draws=N_DRAWS, rope=0.01)
    for name in ("accuracy", "precision", "recall", "f1"):
        one, other = paired[name].independent, swapped[name].independent
        assert other.p_h1 == pytest.approx(one.p_h0, abs=1e-12)
        assert other.p_less == pytest.approx(one.p_greater, abs=1e-12)


def test_units_that_are_no_items_are_drawn_anew():
    # Independent models are judged on items, but these were drawn on documents.
    rng = np.random.default_rng(6)
    gold = rng.integers(0, 3, 200)
    said = {name: np.where(rng.random(200) < 0.7, gold, (gold + 1) % 3) for name in "AB"}
    c = bf.compare(bf.from_labels(gold, said, groups=np.repeat(range(20), 10)), n_draws=2_000)["f1"]
    assert c.independent.posterior_a.std() != c.posterior_a.std()


def test_few_draws_do_not_stand_for_many():
    # Tables of independent models are drawn faster than weights of joint outcomes, and more often.
    rng = np.random.default_rng(7)
    gold = rng.integers(0, 2, 200)
    said = {name: np.where(rng.random(200) < 0.8, gold, 1 - gold) for name in "AB"}
    c = bf.compare(bf.from_labels(gold, said, positive=1), metrics="mcc")["mcc"]
    assert c.independent.n_draws > c.n_draws
