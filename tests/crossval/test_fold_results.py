"""Results of scikit-learn's cross_validate: the tests of fold scores, by the design that their indices tell."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, cross_validate
from sklearn.naive_bayes import GaussianNB

import bayesf1 as bf


def results(cv, scoring=None, **options):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 3))
    y = (x[:, 0] + rng.normal(size=60) > 0).astype(int)
    models = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    return {m: cross_validate(model, x, y, cv=cv, scoring=scoring, **options) for m, model in models.items()}


def test_scores_of_folds_are_those_of_the_result():
    found = results(KFold(5), return_indices=True)
    tests = bf.fold_tests(found)
    plain = bf.fold_tests({m: x["test_score"] for m, x in found.items()}, cv=bf.KFoldCV(5))
    assert tests.to_dict() == plain.to_dict()
    assert bf.fold_tests(results(KFold(5)), cv=5).to_dict() == plain.to_dict()


def test_repeats_are_told_by_the_indices():
    cv = RepeatedKFold(n_splits=4, n_repeats=3, random_state=1)
    tests = bf.fold_tests(results(cv, ["f1", "accuracy"], return_indices=True), metric="f1")
    assert tests.differences.shape == (3, 4)
    assert tests.label == "f1"


def test_what_the_folds_do_not_tell_must_be_said():
    found = results(KFold(5), ["f1", "accuracy"])
    for options, words in (
        ({}, "hold several scores; say metric= with one of f1, accuracy"),
        ({"metric": "f2"}, "hold no scores 'f2'; did you mean 'f1'"),
        ({"metric": "f1"}, "scores of folds need their design"),
    ):
        with pytest.raises(ValueError, match=words):
            bf.fold_tests(found, **options)
    drawn = results(ShuffleSplit(5, random_state=1), return_indices=True)
    with pytest.raises(ValueError, match="do not test every item once in each repeat"):
        bf.fold_tests(drawn)
    with pytest.raises(ValueError, match="hold no scores of folds"):
        bf.fold_tests({"A": {"fit_time": [1]}, "B": {"fit_time": [1]}}, cv=5)


def test_other_folds_of_the_other_model_are_refused():
    one, other = (results(KFold(5, shuffle=True, random_state=i), return_indices=True) for i in (1, 2))
    with pytest.raises(ValueError, match="results of 'bayes' are of other folds than those of 'logistic'"):
        bf.fold_tests({"logistic": one["logistic"], "bayes": other["bayes"]})


def test_folds_are_no_units_of_other_readers():
    found = results(KFold(5))
    for build in (bf.from_scores, bf.from_counts, bf.from_correct, lambda x: bf.from_labels([0, 1], x)):
        with pytest.raises(ValueError, match=r"cross_validate, whose folds share their data.*bf\.fold_tests"):
            build(found)
