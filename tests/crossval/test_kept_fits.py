"""Kept fits are those of the same data and parameters, in every process; what cannot be kept is said before any fit."""

import datetime
import multiprocessing
import subprocess
import sys
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
from bayesf1.crossval.kept_fits import _identity, digest_of


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


class Other(Estimator):
    """Another class with the same parameters."""


def data(n=60, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, (x + rng.normal(size=n) > 0).astype(int)


def threshold(at):
    return lambda X_train, y_train: lambda X_test: (np.asarray(X_test) > at).astype(int)


MODELS = {"low": threshold(-1), "mid": threshold(0)}


def test_other_groups_are_other_data(tmp_path):
    x, y = data()
    bf.cross_validate(MODELS, x, y, directory=tmp_path, groups=np.arange(60) // 3)
    with pytest.raises(ValueError, match="other data or another design"):
        bf.cross_validate(MODELS, x, y, directory=tmp_path, groups=np.arange(60) // 2)


def test_renamed_columns_are_other_data(tmp_path):
    x, y = data()
    models = {
        "low": lambda X, y: lambda Z: (Z.iloc[:, 0] > 0).astype(int),
        "high": lambda X, y: lambda Z: [1] * len(Z),
    }
    bf.cross_validate(models, pd.DataFrame({"a": x}), y, directory=tmp_path)
    with pytest.raises(ValueError, match="other data or another design"):
        bf.cross_validate(models, pd.DataFrame({"b": x}), y, directory=tmp_path)


def test_the_middle_of_a_long_parameter_counts():
    weights = np.arange(10_000.0)
    other = weights.copy()
    other[5000] += 1
    assert _identity(Estimator(weights=weights)) == _identity(Estimator(weights=weights.copy()))
    assert _identity(Estimator(weights=weights)) != _identity(Estimator(weights=other))
    assert _identity(Estimator(weights=list(weights))) != _identity(Estimator(weights=list(other)))


def test_functions_generators_and_nested_estimators_are_told_apart():
    told = [
        Estimator(f=lambda x: x + 1),
        Estimator(f=lambda x: x + 2),
        Estimator(rng=np.random.RandomState(1)),
        Estimator(rng=np.random.RandomState(2)),
        Estimator(rng=np.random.default_rng(1)),
        Estimator(inner=Estimator(c=1)),
        Estimator(inner=Estimator(c=2)),
        Estimator(c={"a", "b"}),
        Other(c={"a", "b"}),
        Estimator(f=threshold(1)),
        Estimator(f=threshold(2)),
        Estimator(f=lambda x, at=1: x),
        Estimator(f=lambda x, at=2: x),
        Estimator(f=partial(max, 1)),
        Estimator(f=partial(max, 2)),
        Estimator(f=np.log),
        Estimator(f=len),
    ]
    assert len({_identity(estimator) for estimator in told}) == len(told)


def test_an_identity_is_the_same_in_another_process():
    code = (
        "import sys; sys.path.insert(0, 'tests/crossval'); import numpy as np\n"
        "from test_kept_fits import Estimator, threshold; from bayesf1.crossval.kept_fits import _identity\n"
        "print(_identity(Estimator(f=threshold, rng=np.random.RandomState(1), names={'b', 'a', 'c'}, o=object())))"
    )
    run = [sys.executable, "-c", code]
    found = {subprocess.run(run, capture_output=True, text=True, check=True).stdout for _ in range(2)}
    assert len(found) == 1


def test_a_function_that_holds_itself_has_an_identity():
    def again(x):
        return again(x - 1) if x else 0

    assert _identity(Estimator(f=again)) == _identity(Estimator(f=again))


def test_where_there_are_no_links_the_partition_is_kept_all_the_same(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr("os.link", refuse)
    x, y = data()
    first, second = (bf.cross_validate(MODELS, x, y, directory=tmp_path).folds.counts for _ in range(2))
    assert np.array_equal(first, second)
    assert [path.name for path in tmp_path.glob("partition*")] == ["partition.json"]


def test_a_digest_tells_what_is_missing_from_what_is_none():
    assert digest_of([1, 2], None) != digest_of([1, 2], [0, 0])


def _run(folder, seed, out):
    x, y = data()
    ev = bf.cross_validate(MODELS, x, y, directory=folder)
    out.put(ev.folds.counts.tolist())


def test_two_processes_on_one_directory_agree_on_the_partition(tmp_path):
    context = multiprocessing.get_context("spawn")
    for attempt in range(3):
        out = context.Queue()
        runs = [context.Process(target=_run, args=(tmp_path / str(attempt), i, out)) for i in range(2)]
        for run in runs:
            run.start()
        first, second = out.get(timeout=120), out.get(timeout=120)
        for run in runs:
            run.join()
        assert first == second
        names = [path.name for path in (tmp_path / str(attempt)).iterdir()]
        assert "partition.json" in names
        assert not [name for name in names if name.startswith(("partition-", ".bayesf1"))]


@pytest.mark.parametrize("label", [b"spam", datetime.date(2020, 1, 1)])
def test_labels_that_no_file_can_keep_are_refused_before_any_fit(tmp_path, label):
    fitted = []

    def model(X, y):
        fitted.append(1)
        return lambda Z: [label] * len(Z)

    y = np.array([label, "ham"] * 20, dtype=object) if isinstance(label, bytes) else [label] * 40
    with pytest.raises(ValueError, match=r"cannot be kept in a file|mixes strings"):
        bf.cross_validate({"A": model, "B": model}, np.zeros(40), y, positive=label, directory=tmp_path)
    assert not fitted


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


@pytest.mark.filterwarnings("ignore:.* never predicts the positive label:UserWarning")
def test_a_stray_label_of_one_fit_is_a_wrong_answer():
    x, y = data()
    calls = []

    def stray(X_train, y_train):
        calls.append(1)
        return lambda Z: [2 if len(calls) == 1 else 0] * len(Z)

    ev = bf.cross_validate({"A": threshold(0), "B": stray}, x, y, cv=bf.BlockedCV(m=1, rng=0))
    assert ev.task == "binary"
    assert ev.tables[1, 0] == 0


@pytest.mark.parametrize("label", [Decimal(1), b"1", datetime.date(2020, 1, 1), "1", None, float("nan")])
@pytest.mark.parametrize("kept", [False, True])
def test_predictions_that_are_not_like_gold_are_refused_after_the_first_fit(label, kept, tmp_path):
    fitted = []

    def model(X, y):
        fitted.append(1)
        return lambda Z: [label] * len(Z)

    with pytest.raises(ValueError, match=r"model 'A', repeat 1, fold 1,? predicted"):
        bf.cross_validate(
            {"A": model, "B": model}, np.zeros(40), [0, 1] * 20, directory=tmp_path / "fits" if kept else None
        )
    assert len(fitted) == 1
