import numpy as np
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.crossval.fold_tests import fold_tests
from builders import random_folds


def evaluation(m, seed=0):
    """Folds of two models whose gold totals agree."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(90, 110, size=2 * m)
    return bf.from_folds(random_folds(rng, gold, {"A": 0.8, "B": 0.83}, wrong=20), cv=bf.BlockedCV(m=m))


@pytest.fixture(scope="module")
def five():
    return fold_tests(evaluation(5))


def test_differences_are_those_of_the_fold_scores():
    ev = evaluation(3)
    tests = fold_tests(ev, metric="recall")
    tp, _, fn = np.moveaxis(ev.folds.counts, -1, 0)
    np.testing.assert_allclose(tests.differences, np.diff(tp / (tp + fn), axis=-1)[..., 0])


def test_the_plain_t_test_is_scipys(five):
    expected = stats.ttest_1samp(five.differences.ravel(), 0.0)
    test = five["paired t over folds"]
    assert (test.statistic, test.p_value) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)


def test_the_correction_of_nadeau_and_bengio_adds_the_ratio_of_test_to_training_items(five):
    d = five.differences.ravel()
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 10 + 1.0))
    assert five["corrected resampled t"].statistic == pytest.approx(t)
    assert five["corrected resampled t"].p_value == pytest.approx(2 * stats.t.sf(abs(t), 9))


def test_the_bayesian_test_is_the_tail_of_a_t_law(five):
    d = five.differences.ravel()
    law = stats.t(9, loc=d.mean(), scale=np.sqrt(d.var(ddof=1) * 1.1))
    assert five["Bayesian correlated t"].p_greater == pytest.approx(law.sf(0.0))


def test_a_rope_lowers_the_bayesian_probability():
    ev = evaluation(3)
    assert (
        fold_tests(ev, rope=0.02)["Bayesian correlated t"].p_greater
        < fold_tests(ev)["Bayesian correlated t"].p_greater
    )


def test_five_by_two_tests_agree_with_their_definitions(five):
    # Dietterich (1998) and Alpaydin (1999), written out repeat by repeat.
    d = five.differences
    s2 = [(a - (a + b) / 2) ** 2 + (b - (a + b) / 2) ** 2 for a, b in d]
    t = d[0, 0] / np.sqrt(sum(s2) / 5)
    f = sum(a**2 + b**2 for a, b in d) / (2 * sum(s2))
    assert five["5×2 cv t"].p_value == pytest.approx(2 * stats.t.sf(abs(t), 5))
    assert five["5×2 cv F"].p_value == pytest.approx(stats.f.sf(f, 10, 5))


def test_five_by_two_tests_need_five_repeats():
    with pytest.raises(KeyError, match="no test '5×2 cv t' here"):
        fold_tests(evaluation(3))["5×2 cv t"]


def test_the_blocked_test_takes_the_conservative_variance(five):
    d = five.differences.ravel()
    assert five["m×2 BCV t"].statistic == pytest.approx(d.mean() / d.std())


def test_models_without_any_difference_have_no_statistic_to_speak_of():
    folds = [(80, 20, 20)] * 6
    tests = fold_tests(bf.from_folds({"A": folds, "B": folds}))
    assert all(test.statistic == 0.0 for test in tests.tests)
    assert tests["m×2 BCV t"].p_value == 1.0
    assert tests["Bayesian correlated t"].p_greater == 0.5


def test_swapping_the_models_turns_the_statistics_round():
    ev = evaluation(3)
    there, back = fold_tests(ev, "A", "B"), fold_tests(ev, "B", "A")
    for one, other in zip(there.tests, back.tests, strict=True):
        assert one.statistic == pytest.approx(-other.statistic)
        assert one.p_value == pytest.approx(other.p_value) if one.p_value is not None else True


def test_they_print_as_a_table_with_their_sources(five):
    assert "Nadeau & Bengio (2003)" in str(five)
    assert "F1 of B minus A in 10 folds" in str(five)


def test_an_evaluation_without_folds_is_refused():
    with pytest.raises(ValueError, match="fold tests need the tables of folds"):
        fold_tests(bf.from_counts(A=(1, 2, 3), B=(1, 2, 3)))
