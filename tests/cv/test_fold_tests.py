import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.cv.fold_tests import fold_tests
from builders import random_folds


def evaluation(m, seed=0):
    """Folds of two models whose gold totals agree."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(90, 110, size=2 * m)
    return bf.from_folds(random_folds(rng, gold, {"A": 0.8, "B": 0.83}, wrong=20), cv=bf.BlockedCV(m=m))


@pytest.fixture(scope="module")
def five():
    return fold_tests(evaluation(5))


def test_t_tests_over_folds_are_their_formulas(five):
    d = five.differences.ravel()
    plain, corrected = five["paired t over folds"], five["corrected resampled t"]
    expected = stats.ttest_1samp(d, 0.0)
    assert (plain.statistic, plain.p_value) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)
    # Nadeau and Bengio add the ratio of test to training items, which is 1 of halves.
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 10 + 1.0))
    assert (corrected.statistic, corrected.p_value) == pytest.approx((t, 2 * stats.t.sf(abs(t), 9)))
    distribution = stats.t(9, loc=d.mean(), scale=np.sqrt(d.var(ddof=1) * 1.1))
    assert five["Bayesian correlated t"].p_greater == pytest.approx(distribution.sf(0.0))
    assert five["m×2 BCV t"].statistic == pytest.approx(d.mean() / d.std())


def test_five_by_two_tests_agree_with_their_definitions(five):
    # Dietterich (1998) and Alpaydin (1999), written out repeat by repeat.
    d = five.differences
    s2 = [(a - (a + b) / 2) ** 2 + (b - (a + b) / 2) ** 2 for a, b in d]
    t = d[0, 0] / np.sqrt(sum(s2) / 5)
    f = sum(a**2 + b**2 for a, b in d) / (2 * sum(s2))
    assert five["5×2 cv t"].p_value == pytest.approx(2 * stats.t.sf(abs(t), 5))
    assert five["5×2 cv F"].p_value == pytest.approx(stats.f.sf(f, 10, 5))


def test_models_without_any_difference_have_no_statistic_to_speak_of():
    folds = [(80, 20, 20)] * 6
    tests = fold_tests(bf.from_folds({"A": folds, "B": folds}, cv=bf.BlockedCV(3)))
    assert all(test.statistic == 0.0 for test in tests.tests)
    assert tests["m×2 BCV t"].p_value == 1.0
    assert tests["Bayesian correlated t"].p_greater == 0.5


# ---- final scores -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cv", [bf.BlockedCV(m=5), bf.KFoldCV(10, repeats=3), bf.KFoldCV(5)])
def test_scores_of_folds_are_tested_as_those_of_an_evaluation(cv):
    rng = np.random.default_rng(1)
    gold = rng.integers(90, 110, size=cv.get_n_splits())
    ev = bf.from_folds(random_folds(rng, gold, {"A": 0.8, "B": 0.83}, wrong=20), cv=cv)
    tp, fp, fn = np.moveaxis(ev.folds.counts, -1, 0)
    f1 = 2 * tp / (2 * tp + fp + fn)
    expected = fold_tests(ev, rope=0.01)
    of_scores = fold_tests(bf.from_frame(scored_folds(f1), score="f1", cv=cv), rope=0.01)
    assert [test.name for test in of_scores] == [test.name for test in expected]
    for one, other in zip(of_scores, expected, strict=True):
        found, known = ((test.statistic, test.p_value or 0.0, test.p_greater or 0.0) for test in (one, other))
        assert found == pytest.approx(known)
    assert "F1 of B minus A" in of_scores.title
    if cv == bf.KFoldCV(5):
        # The sizes of the sets are those of the design.
        d = of_scores.differences.ravel()
        t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 5 + 1 / 4))
        assert of_scores["corrected resampled t"].statistic == pytest.approx(t)


def scored_folds(scores, name="f1"):
    """Rows of final scores, from an array (repeat, fold, model)."""
    rows = [("AB"[m], j, k, score) for (j, k, m), score in np.ndenumerate(scores)]
    return pd.DataFrame(rows, columns=["model", "repeat", "fold", name])


def test_a_lower_score_may_be_the_better():
    loss = np.array([0.5, 0.4, 0.45, 0.42, 0.4, 0.38, 0.41, 0.35, 0.36, 0.3]).reshape(1, 5, 2)
    higher = fold_tests(bf.from_frame(scored_folds(loss, "loss"), score="loss"))
    lower = fold_tests(bf.from_frame(scored_folds(loss, "loss"), score="loss", lower_is_better=True))
    name = "Bayesian correlated t"
    assert lower[name].p_greater == pytest.approx(1 - higher[name].p_greater)
    assert lower[name].p_greater > 0.9


@pytest.mark.parametrize("given", [{"A": [0.1, 0.2], "B": [0.2, 0.3]}, [0.1, 0.2], None])
def test_scores_without_an_evaluation_are_sent_to_from_frame(given):
    with pytest.raises(
        ValueError, match=r"ev must be an Evaluation, as from_frame\(frame, score='f1', fold='fold'\)"
    ):
        bf.fold_tests(given)


# ---- McNemar ----------------------------------------------------------------------------------------------


def cross_validated(m, classes=2, seed=0, n=160, **options):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, classes, n)
    said = {
        name: [np.where(rng.random(n) < skill, gold, rng.integers(0, classes, n)) for _ in range(2 * m)]
        for name, skill in (("A", 0.5), ("B", 0.8))
    }

    def model(name):
        calls = iter(said[name])
        return lambda xt, yt: lambda xs: next(calls)[xs]

    cv = bf.BlockedCV(m, rng=seed)
    return (
        bf.cross_validate({name: model(name) for name in said}, np.arange(n), gold, cv=cv, **options),
        gold,
        said,
        cv,
    )


@pytest.mark.parametrize(("m", "classes"), [(3, 2), (5, 2), (5, 4), (1, 3)])
def test_mcnemars_test_on_all_folds_is_that_of_their_mean_table(m, classes):
    ev, gold, said, cv = cross_validated(m, classes)
    tables = []
    for i, (_, test) in enumerate(cv.split(np.zeros(len(gold)), gold)):
        a, b = (said[name][i][test] == gold[test] for name in "AB")
        tables.append([(a & ~b).sum(), (b & ~a).sum()])
    # Of 2m tables correlated by ½; for m = 5 the paper's 20/11 times their mean.
    factor = 2 * m / (1 + 0.5 + 2 * (m - 1) * 0.5)
    assert m != 5 or factor == pytest.approx(20 / 11)
    n10, n01 = factor * np.mean(tables, axis=0)
    expected = (abs(n01 - n10) - 1) ** 2 / (n01 + n10)
    test = fold_tests(ev)["m×2 BCV McNemar"]
    assert test.statistic == pytest.approx(expected)
    assert test.p_value == pytest.approx(stats.chi2(1).sf(expected))
    assert fold_tests(ev, "B", "A")["m×2 BCV McNemar"].p_value == pytest.approx(test.p_value)


def test_mcnemars_test_needs_single_items_and_halves():
    for ev in (evaluation(3), cross_validated(3, groups=np.arange(160) // 4)[0]):
        with pytest.raises(KeyError, match="no test 'm×2 BCV McNemar' here"):
            fold_tests(ev)["m×2 BCV McNemar"]
