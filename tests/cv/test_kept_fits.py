"""Kept fits are those of the same data and parameters, in every process; what cannot be kept is said before any fit."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

import bayesf1 as bf


class Estimator:
    """As scikit-learn's: parameters by name."""

    def __init__(self, **parameters):
        self.parameters = parameters

    def get_params(self, deep=True):
        return self.parameters

    def fit(self, X, y):
        self.common = max(set(y), key=list(y).count)
        return self

    def predict(self, X):
        return [self.common] * len(X)


def data(n=60, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, (x + rng.normal(size=n) > 0).astype(int)


def threshold(at):
    return lambda X_train, y_train: lambda X_test: (np.asarray(X_test) > at).astype(int)


MODELS = {"low": ("1", threshold(-1)), "mid": ("1", threshold(0))}
SEEDED = bf.BlockedCV(m=3, rng=0)


def fitted_anew(folder, models, x, y, cv=SEEDED):
    """Say which models were fitted, as their fits were not kept, and compare with an evaluation without a directory."""
    fitted = set()

    def told(name, model):
        def fit(X_train, y_train):
            fitted.add(name)
            return model(X_train, y_train)

        return fit

    kept = {name: (version, told(name, model)) for name, (version, model) in models.items()}
    ev = bf.cross_validate(kept, x, y, cv=cv, directory=folder)
    assert ev == bf.cross_validate(models, x, y, cv=cv)
    return fitted


def test_only_what_is_the_same_is_taken_from_kept_fits(tmp_path):
    x, y = data()
    assert fitted_anew(tmp_path, MODELS, x, y) == {"low", "mid"}
    assert fitted_anew(tmp_path, MODELS, x, y) == set()
    assert fitted_anew(tmp_path, MODELS | {"mid": ("2", threshold(0.5))}, x, y) == {"mid"}
    assert fitted_anew(tmp_path, MODELS, x[::-1], y) == {"low", "mid"}
    assert fitted_anew(tmp_path, MODELS, x, 1 - y) == {"low", "mid"}
    assert fitted_anew(tmp_path, MODELS, x, y, cv=bf.BlockedCV(m=3, rng=1)) == {"low", "mid"}
    assert fitted_anew(tmp_path, MODELS, x, y) == set()


@pytest.mark.filterwarnings("ignore:.* never predicts? the positive label:UserWarning")
@pytest.mark.long
def test_parameters_are_known_without_a_new_version_and_with_any_number_of_workers(tmp_path):
    x, y = data()
    for parameters, jobs, n_kept in (({"C": 1}, 1, 12), ({"C": 1}, 2, 12), ({"C": {2.0, 1}}, 2, 18)):
        models = {"A": ("1", Estimator(**parameters)), "B": ("1", threshold(0))}
        bf.cross_validate(models, x, y, cv=SEEDED, directory=tmp_path, n_jobs=jobs)
        assert len([*tmp_path.iterdir()]) == n_kept


def test_renamed_columns_are_other_data(tmp_path):
    x, y = data()
    models = {
        "low": ("1", lambda X, y: lambda Z: (Z.iloc[:, 0] > 0).astype(int)),
        "high": ("1", lambda X, y: lambda Z: [1] * len(Z)),
    }
    for name in ("a", "b"):
        assert fitted_anew(tmp_path, models, pd.DataFrame({name: x}), y) == {"low", "high"}


def test_a_directory_takes_a_version_and_a_seed(tmp_path):
    x, y = data()
    with pytest.raises(ValueError, match=r"version of each model.*'A'"):
        bf.cross_validate({"A": threshold(0)}, x, y, cv=SEEDED, directory=tmp_path)
    for cv in (None, 5, bf.BlockedCV(m=3), KFold(5, shuffle=True)):
        with pytest.raises(ValueError, match=r"give .* a seed"):
            bf.cross_validate(MODELS, x, y, cv=cv, directory=tmp_path)


@pytest.mark.parametrize("content", ["{", "3", "[0]", "[" * 5000])
def test_a_damaged_kept_fit_is_named(tmp_path, content):
    x, y = data()
    bf.cross_validate(MODELS, x, y, cv=SEEDED, directory=tmp_path)
    path = sorted(tmp_path.iterdir())[5]
    path.write_text(content)
    with pytest.raises(ValueError, match=rf"{path.name} does not hold the 30 predictions of model"):
        bf.cross_validate(MODELS, x, y, cv=SEEDED, directory=tmp_path)


def test_a_class_that_is_in_few_folds_does_not_lose_the_fits():
    rng = np.random.default_rng(0)
    y = np.array(["a"] * 30 + ["b"] * 27 + ["c"] * 2 + ["d"])
    models = {m: Estimator() for m in ("A", "B")}
    models["C"] = lambda X, y: lambda Z: rng.choice(list("abcd"), len(Z))
    ev = bf.cross_validate(models, np.arange(60), y, cv=bf.BlockedCV(m=3, rng=0))
    assert ev.classes == ("a", "b", "c", "d")
    assert ev.folds.counts.shape == (3, 2, 3, 12)
    np.testing.assert_allclose(ev.folds.k * ev.folds.counts.sum((0, 1)), ev.tables)
    assert "Macro F1" in str(bf.compare(ev, "A", "C", rng=1, n_draws=1000))


@pytest.mark.parametrize("label", [Decimal(1), b"1", datetime.date(2020, 1, 1), "1", None, float("nan")])
@pytest.mark.parametrize("kept", [False, True])
def test_predictions_that_are_not_like_gold_are_refused_after_the_first_fit(label, kept, tmp_path):
    fitted = []

    def model(X, y):
        fitted.append(1)
        return lambda Z: [label] * len(Z)

    models = {"A": ("1", model), "B": ("1", model)}
    folder = tmp_path / "fits" if kept else None
    with pytest.raises(ValueError, match=r"model 'A', repeat 1, fold 1,? predicted|labels cannot be kept"):
        bf.cross_validate(models, np.zeros(40), [0, 1] * 20, cv=SEEDED, directory=folder)
    assert len(fitted) == 1
