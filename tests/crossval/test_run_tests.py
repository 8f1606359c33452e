"""Tests on scores of runs, against scipy."""

import json

import numpy as np
import pytest
from scipy import stats

import bayesf1 as bf

A, B = [0.81, 0.80, 0.82], [0.83, 0.86, 0.84, 0.85]


def test_they_are_scipys():
    tests = bf.run_tests({"A": A, "B": B}, name="F1")
    for name, equal in (("Student's t", True), ("Welch's t", False)):
        theirs = stats.ttest_ind(B, A, equal_var=equal)
        assert tests[name].statistic == pytest.approx(theirs.statistic)
        assert tests[name].p_value == pytest.approx(theirs.pvalue)
    one_sided = stats.ttest_ind(B, A, alternative="greater").pvalue
    assert tests["Bayesian t"].p_greater == pytest.approx(1 - one_sided)


def test_direction_margin_and_order():
    up, down = bf.run_tests({"A": A, "B": B}), bf.run_tests({"A": A, "B": B}, lower_is_better=True)
    assert down["Bayesian t"].p_greater == pytest.approx(1 - up["Bayesian t"].p_greater)
    assert bf.run_tests({"A": A, "B": B}, rope=0.02)["Bayesian t"].p_greater < up["Bayesian t"].p_greater
    back = bf.run_tests({"A": A, "B": B, "C": A}, "B", "A")
    assert back["Student's t"].statistic == pytest.approx(-up["Student's t"].statistic)


def test_it_says_what_it_forgets():
    tests = bf.run_tests({"A": A, "B": B}, name="F1")
    assert "tested on the same items" in str(tests)
    assert "F1 of B minus A over runs: mean +3.50 points" in str(tests)
    json.loads(tests.to_json())


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({"A": [0.5], "B": B}, "scores of 'A' are finite numbers, one for each of at least two runs"),
        ({"A": [0.5, np.nan], "B": B}, "scores of 'A' are finite"),
        ({"A": "xy", "B": B}, "scores of 'A' are no array"),
        ({"A": A}, "name two of the methods"),
    ],
)
def test_bad_scores_are_named(scores, words):
    with pytest.raises(ValueError, match=words):
        bf.run_tests(scores)


def test_runs_without_any_spread():
    tests = bf.run_tests({"A": [0.5, 0.5], "B": [0.6, 0.6]})
    assert tests["Student's t"].p_value == 0.0
    json.loads(tests.to_json())


def test_scores_in_percent_are_told_as_they_are():
    tests = bf.run_tests({"A": [71.0, 74.0], "B": [75.0, 79.0]})
    assert "mean +4.50" in tests.title
    assert "points" not in tests.title
    folds = bf.fold_tests({"A": [71.0, 74.0, 69.0], "B": [75.0, 70.0, 76.0]}, cv=3)
    assert "mean +2.33, sd" in folds.title
    assert "−" in bf.fold_tests({"A": [0.9, 0.8], "B": [0.1, 0.2]}, cv=2).table.rows[0][1]
