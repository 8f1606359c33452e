"""What the folds of a block-regularised cross-validation are worth."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import dblquad
from sklearn.model_selection import StratifiedKFold

from bayesf1 import BlockedCV, KFoldCV, cross_validate
from bayesf1.designs import read_design

# ---- discount ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 3, 5, 10])
def test_the_default_is_the_mean_over_the_ranges_of_the_correlations(m):
    def factor(rho2, rho1):
        return 1.0 / (1.0 + rho1 + 2.0 * (m - 1) * rho2)

    integral, _ = dblquad(factor, 0.0, 0.5, 0.25, 0.5, epsabs=1e-13, epsrel=1e-13)
    assert BlockedCV(m).discount() == pytest.approx(8.0 * integral, abs=1e-11)
    # Wang & Li (2019), as printed
    assert m != 3 or round(BlockedCV(m).discount(), 4) == 0.3688


def test_named_rules_are_their_formulas():
    cv = BlockedCV(4)
    assert cv.discount("once") == 1 / 4
    assert cv.discount("nadeau-bengio") == 1 / 9
    assert cv.discount("wang-2015") == 1 / 8
    assert cv.discount((0.3, 0.2)) == pytest.approx(1 / (1 + 0.3 + 6 * 0.2))


@given(st.integers(1, 200))
def test_more_repeats_never_make_a_fold_worth_more_but_always_the_corpus(m):
    less, more = BlockedCV(m), BlockedCV(m + 1)
    assert more.discount() < less.discount()
    assert (m + 1) * more.discount() > m * less.discount()


# ---- reading -----------------------------------------------------------------------------------------------


def test_repeated_halves_are_asked_for_by_name():
    assert read_design("blocked-3x2") == read_design(" BLOCKED-3 × 2 ") == BlockedCV(3)
    assert read_design("random-3x2") == KFoldCV(2, 3)
    assert read_design("random-3x2").discount() == pytest.approx(1 / 7)
    assert read_design("3x10") == KFoldCV(10, 3)
    assert read_design("1x2") == BlockedCV(1)
    with pytest.raises(ValueError, match="cv='blocked-3x2' or cv='random-3x2'"):
        read_design("3x2")


def test_random_halves_are_not_taken_for_balanced_ones():
    y = np.array([0, 1] * 40)
    random = [f for s in range(3) for f in StratifiedKFold(2, shuffle=True, random_state=s).split(y, y)]
    balanced = list(BlockedCV(3, rng=0).split(y, y))
    model = {"A": lambda X, y: lambda Z: [int(z > 40) for z in Z]}
    for cv, k in ((random, 1 / 7), (balanced, BlockedCV(3).discount())):
        assert cross_validate(model, np.arange(80), y, cv=cv).folds.k == pytest.approx(k)


# ---- k folds -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [1, 2, 3, 10])
def test_two_folds_are_discounted_as_an_m_by_2_design(repeats):
    for rule in ("once", "nadeau-bengio"):
        assert KFoldCV(2, repeats).discount(rule) == pytest.approx(BlockedCV(repeats).discount(rule))


def test_the_correction_is_nadeau_and_bengios():
    # Var = (1/JK + n_test/n_train) σ² for the mean of JK folds, against σ²/(JK k) for effective counts.
    k, j = 10, 3
    assert KFoldCV(k, j).discount("nadeau-bengio") == pytest.approx(1 / (j * k * (1 / (j * k) + 1 / (k - 1))))
