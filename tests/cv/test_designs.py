"""What the folds of a block-regularised cross-validation are worth."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import dblquad
from sklearn.model_selection import StratifiedKFold

from bayesf1 import BlockedCV, KFoldCV, cross_validate, fold_tests, from_folds
from bayesf1.designs import read_design

# k(m) of Wang & Li (2019), Eq. 22, averaged in closed form to ten digits.
PUBLISHED = {
    1: 0.8109302162,
    2: 0.5053430784,
    3: 0.3688021103,
    5: 0.2400914214,
    7: 0.1781538464,
    10: 0.1285097610,
}


class TestDiscount:
    @pytest.mark.parametrize(("m", "k"), PUBLISHED.items())
    def test_the_default_is_the_closed_form_of_wang_and_li(self, m, k):
        assert BlockedCV(m).discount() == pytest.approx(k, abs=1e-10)

    def test_for_three_repeats_it_is_the_papers_combination_of_logarithms(self):
        k = 7 * math.log(7) - 5 * math.log(5) - 6 * math.log(3) + 2 * math.log(2)
        assert BlockedCV(3).discount() == pytest.approx(k, abs=1e-13)
        assert round(k, 4) == 0.3688  # as printed

    @pytest.mark.parametrize("m", PUBLISHED)
    def test_the_closed_form_is_the_mean_over_the_ranges_of_the_correlations(self, m):
        def factor(rho2, rho1):
            return 1.0 / (1.0 + rho1 + 2.0 * (m - 1) * rho2)

        integral, _ = dblquad(factor, 0.0, 0.5, 0.25, 0.5, epsabs=1e-13, epsrel=1e-13)
        assert BlockedCV(m).discount() == pytest.approx(8.0 * integral, abs=1e-11)

    def test_named_rules_are_their_formulas(self):
        cv = BlockedCV(4)
        assert cv.discount("once") == 1 / 4
        assert cv.discount("nadeau-bengio") == 1 / 9
        assert cv.discount("wang-2015") == 1 / 8

    @given(st.integers(1, 50), st.floats(0, 1), st.floats(0, 1))
    def test_a_pair_gives_the_factor_of_these_correlations(self, m, rho1, rho2):
        assert BlockedCV(m).discount((rho1, rho2)) == pytest.approx(1 / (1 + rho1 + 2 * (m - 1) * rho2))

    @given(st.integers(1, 200))
    def test_more_repeats_never_make_a_fold_worth_more_but_always_the_corpus(self, m):
        less, more = BlockedCV(m), BlockedCV(m + 1)
        assert more.discount() < less.discount()
        assert (m + 1) * more.discount() > m * less.discount()


class TestReading:
    def test_repeated_halves_are_asked_for_by_name(self):
        assert read_design("blocked-3x2") == read_design(" BLOCKED-3 × 2 ") == BlockedCV(3)
        assert read_design("random-3x2") == KFoldCV(2, 3)
        assert read_design("random-3x2").discount() == pytest.approx(1 / 7)
        assert read_design("3x10") == KFoldCV(10, 3)
        assert read_design("1x2") == BlockedCV(1)
        with pytest.raises(ValueError, match="cv=blocked-3x2 or cv=random-3x2"):
            read_design("3x2")

    def test_random_halves_are_not_taken_for_balanced_ones(self):
        y = np.array([0, 1] * 40)
        random = [f for s in range(3) for f in StratifiedKFold(2, shuffle=True, random_state=s).split(y, y)]
        balanced = list(BlockedCV(3, rng=0).split(y, y))
        model = {"A": lambda X, y: lambda Z: [int(z > 40) for z in Z]}
        for cv, k in ((random, 1 / 7), (balanced, BlockedCV(3).discount())):
            assert cross_validate(model, np.arange(80), y, cv=cv).folds.k == pytest.approx(k)


class TestKFold:
    @pytest.mark.parametrize("repeats", [1, 2, 3, 10])
    def test_two_folds_are_discounted_as_an_m_by_2_design(self, repeats):
        for rule in ("once", "nadeau-bengio"):
            assert KFoldCV(2, repeats).discount(rule) == pytest.approx(BlockedCV(repeats).discount(rule))

    def test_the_correction_is_nadeau_and_bengios(self):
        # Var = (1/JK + n_test/n_train) σ² for the mean of JK folds, against σ²/(JK k) for effective counts.
        k, j = 10, 3
        assert KFoldCV(k, j).discount("nadeau-bengio") == pytest.approx(
            1 / (j * k * (1 / (j * k) + 1 / (k - 1)))
        )

    def test_fold_tests_know_the_sizes_of_the_sets(self):
        rng = np.random.default_rng(0)
        tp = rng.integers(70, 90, size=(2, 10))
        a, b = (np.stack([t, np.full(10, 20), 100 - t], axis=1) for t in tp)
        tests = fold_tests(from_folds({"A": a, "B": b}, cv=KFoldCV(10), discount="once"))
        d = tests.differences.ravel()
        assert tests["corrected resampled t"].statistic == pytest.approx(
            d.mean() / np.sqrt(d.var(ddof=1) * (0.1 + 1 / 9))
        )
        with pytest.raises(KeyError, match="m×2 BCV t"):
            tests["m×2 BCV t"]
