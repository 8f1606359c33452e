import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.cv.run import FitError, cross_validate

N = 240


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 2))
    return x, (x[:, 0] + 0.5 * rng.normal(size=N) > 0.3).astype(int)


def always(at):
    """A model that learns nothing and calls everything above a threshold positive."""
    return lambda x_train, y_train: lambda x_test: (x_test[:, 0] > at).astype(int)


def test_training_and_test_items_never_meet(data):
    x, y = data
    tagged = np.column_stack([x, np.arange(N)])

    def fit(x_train, y_train):
        seen = set(x_train[:, 2])
        assert len(seen) == N // 2

        def predict(x_test):
            assert seen.isdisjoint(x_test[:, 2])
            return x_test[:, 0] > 0

        return predict

    assert cross_validate({"A": fit}, tagged, y.astype(bool), cv=bf.BlockedCV(m=3, rng=0)).folds is not None


def test_scikit_learn_estimators_are_copied_for_each_fit(data):
    from sklearn.linear_model import LogisticRegression

    x, y = data
    estimator = LogisticRegression()
    ev = cross_validate({"logreg": estimator, "mid": always(0.3)}, x, y, cv=bf.BlockedCV(m=3, rng=0))
    assert not hasattr(estimator, "coef_")
    assert bf.score(ev, "logreg") > 0.7


def test_tag_sequences_make_sentences_the_units():
    gold = [["B-PER", "O"], ["O", "B-LOC"], ["O", "O"], ["B-PER", "I-PER"]] * 5
    echo = {
        "echo": lambda xt, yt: lambda xs: list(xs),
        "mute": lambda xt, yt: lambda xs: [["O"] * len(s) for s in xs],
    }
    ev = cross_validate(echo, gold, gold, cv=bf.BlockedCV(m=3, rng=0))
    assert ev.unit == "sentence"
    assert bf.score(ev, "echo") == 1.0
    assert bf.score(ev, "mute") == 0.0


SEEDED = bf.BlockedCV(m=3, rng=0)


def test_an_interrupted_run_resumes_and_loses_nothing(data, tmp_path):
    x, y = data
    calls = []

    def counting(at, limit):
        def fit(x_train, y_train):
            if len(calls) >= limit:
                raise KeyboardInterrupt
            calls.append(at)
            return always(at)(x_train, y_train)

        return fit

    def run(limit):
        models = {"low": ("1", counting(0.0, limit)), "mid": ("1", counting(0.3, limit))}
        return cross_validate(models, x, y, cv=SEEDED, directory=tmp_path)

    with pytest.raises(KeyboardInterrupt):
        run(5)
    assert (len(calls), len([*tmp_path.iterdir()])) == (5, 5)
    ev = run(99)
    assert len(calls) == 12
    assert run(0) == ev == cross_validate({"low": always(0.0), "mid": always(0.3)}, x, y, cv=SEEDED)
    sorted(tmp_path.iterdir())[3].unlink()
    assert run(13) == ev
    assert len(calls) == 13


def test_a_failing_fit_names_model_repeat_and_fold(data):
    def broken(x_train, y_train):
        raise ZeroDivisionError("no gradient")

    with pytest.raises(
        FitError, match="model 'bad', repeat 1, fold 1 failed: ZeroDivisionError: no gradient"
    ):
        cross_validate({"bad": broken}, *data)


def test_bad_gold_labels_are_refused_before_any_fit(data):
    x, _ = data
    with pytest.raises(ValueError, match="which label is positive"):
        cross_validate({"A": lambda xt, yt: pytest.fail("fitted")}, x, ["a", "b"] * 120)
