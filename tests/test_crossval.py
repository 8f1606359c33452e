"""What the folds of a block-regularised cross-validation are worth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import dblquad

from bayesf1 import BlockedCV

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

    def test_a_number_is_the_factor_itself(self):
        assert BlockedCV(3).discount(0.25) == 0.25
        assert BlockedCV(3).discount(np.float32(0.25)) == 0.25
        assert BlockedCV(3).discount(1) == 1.0

    @given(st.integers(1, 50), st.floats(0, 1), st.floats(0, 1))
    def test_a_pair_gives_the_factor_of_these_correlations(self, m, rho1, rho2):
        assert BlockedCV(m).discount((rho1, rho2)) == pytest.approx(1 / (1 + rho1 + 2 * (m - 1) * rho2))

    def test_equal_correlations_of_one_are_the_rule_of_2015(self):
        assert BlockedCV(3).discount((1.0, 1.0)) == pytest.approx(BlockedCV(3).discount("wang-2015"))

    @given(st.integers(1, 200))
    def test_more_repeats_never_make_a_fold_worth_more_but_always_the_corpus(self, m):
        less, more = BlockedCV(m), BlockedCV(m + 1)
        assert more.discount() < less.discount()
        assert (m + 1) * more.discount() > m * less.discount()


class TestDesign:
    @pytest.mark.parametrize("text", ["3x2", "3×2", "3*2", " 3 X 2 "])
    def test_a_design_is_read_as_people_write_it(self, text):
        assert BlockedCV.parse(text) == BlockedCV(m=3)

    def test_it_prints_as_the_paper_writes_it(self):
        assert str(BlockedCV(3)) == "3×2 BCV"

    def test_a_numpy_integer_is_a_number_of_repeats(self):
        assert BlockedCV(np.int64(5)) == BlockedCV(5)
        assert type(BlockedCV(np.int64(5)).m) is int
