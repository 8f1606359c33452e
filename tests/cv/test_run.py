"""Any splitter that tests every unit equally often will do, models are fitted in its folds, and an interrupted run goes on."""

import numpy as np
import pytest
from sklearn import model_selection as sk

import bayesf1 as bf
from bayesf1.cv.run import FitError

N = 90


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 2))
    return x, (x[:, 0] + rng.normal(size=N) > 0.3).astype(int)


def above(at):
    return lambda x_train, y_train: lambda x_test: (x_test[:, 0] > at).astype(int)


MODELS = {"low": above(0.0), "mid": above(0.3)}
SEEDED = bf.BlockedCV(m=3, rng=0)


@pytest.mark.parametrize(
    ("cv", "design"),
    [
        (10, bf.KFoldCV(10)),
        (bf.KFoldCV(5, repeats=3, rng=0), bf.KFoldCV(5, 3)),
        (sk.KFold(6), bf.KFoldCV(6)),
        (sk.StratifiedKFold(5, shuffle=True), bf.KFoldCV(5)),
        (sk.RepeatedStratifiedKFold(n_splits=4, n_repeats=3), bf.KFoldCV(4, 3)),
        (list(sk.KFold(3).split(np.zeros(N))), bf.KFoldCV(3)),
        (sk.KFold(3).split(np.zeros(N)), bf.KFoldCV(3)),
        (sk.LeaveOneOut(), bf.KFoldCV(N)),
        (None, bf.BlockedCV(3)),
    ],
)
def test_the_design_is_what_the_folds_are(data, cv, design):
    ev = bf.cross_validate(MODELS, *data, cv=cv)
    assert ev.folds.cv == design
    assert ev.folds.counts.shape == (*design.shape, 2, 4)
    assert ev.folds.rule == design.default_discount
    # Rules that learn nothing give the table of one test, in every repeat.
    x, y = data
    whole = bf.from_labels(y, {name: (x[:, 0] > at).astype(int) for name, at in (("low", 0.0), ("mid", 0.3))})
    np.testing.assert_allclose(ev.folds.counts.sum(axis=1), np.tile(whole.tables, (design.shape[0], 1, 1)))
    assert ev.folds.units.size == N
    np.testing.assert_allclose(ev.folds.units.totals, ev.folds.counts.ravel())


def test_folds_hold_what_scikit_learn_finds_in_them(data):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    cv = sk.StratifiedKFold(5, shuffle=True, random_state=1)
    ev = bf.cross_validate({"lr": LogisticRegression()}, *data, cv=cv)
    expected = cross_val_score(LogisticRegression(), *data, cv=cv, scoring="accuracy")
    tp, fp, fn, tn = np.moveaxis(ev.folds.counts[0, :, 0], -1, 0)
    np.testing.assert_allclose((tp + tn) / (tp + fp + fn + tn), expected)


def test_our_own_k_folds_are_alike_in_size_and_labels(data):
    x, y = data
    cv = bf.KFoldCV(7, repeats=2, rng=3)
    folds = list(cv.split(x, y))
    assert len(folds) == cv.get_n_splits() == 14
    assert {len(test) for _, test in folds} <= {N // 7, N // 7 + 1}
    positives = [y[test].sum() for _, test in folds]
    assert max(positives) - min(positives) <= 1
    assert not np.array_equal(folds[0][1], folds[7][1])
    assert [test.tolist() for _, test in cv.split(x, y)] == [test.tolist() for _, test in folds]


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored:UserWarning")
def test_documents_are_kept_whole(data):
    x, y = data
    groups = np.arange(N) // 6
    for cv in (sk.GroupKFold(5), bf.KFoldCV(5, rng=0), bf.BlockedCV(3, rng=0)):
        ev = bf.cross_validate(MODELS, x, y, cv=cv, groups=groups)
        assert ev.folds.units.size == 15
        assert ev.folds.units.name == "document"
    with pytest.raises(ValueError, match=r"cv divides group .* between folds"):
        bf.cross_validate(MODELS, x, y, cv=sk.KFold(7), groups=groups)
    with pytest.raises(ValueError, match="20 folds need at least 20 groups, but there are 15"):
        bf.cross_validate(MODELS, x, y, cv=20, groups=groups)


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (sk.ShuffleSplit(3, random_state=0), "tests unit .* again|does not test every unit equally often"),
        (sk.TimeSeriesSplit(3), "fold 1 .* train on all the others"),
        ([(range(1, N), [0])], "every unit equally often"),
        ([(range(1, N), [N])], "fold 1 of cv must test some of the 90 units"),
        ([(range(N), [])], "is not a pair of indices|must test some"),
    ],
)
def test_folds_that_test_units_unequally_are_refused_before_any_fit(data, cv, message):
    with pytest.raises(ValueError, match=message):
        bf.cross_validate({"A": lambda x, y: pytest.fail("fitted")}, *data, cv=cv)


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

    assert (
        bf.cross_validate({"A": fit}, tagged, y.astype(bool), cv=bf.BlockedCV(m=3, rng=0)).folds is not None
    )


def test_scikit_learn_estimators_are_copied_for_each_fit(data):
    from sklearn.linear_model import LogisticRegression

    x, y = data
    estimator = LogisticRegression()
    ev = bf.cross_validate({"logreg": estimator, "mid": above(0.3)}, x, y, cv=bf.BlockedCV(m=3, rng=0))
    assert not hasattr(estimator, "coef_")
    assert bf.score(ev, "logreg") > 0.5


def test_tag_sequences_make_sentences_the_units():
    gold = [["B-PER", "O"], ["O", "B-LOC"], ["O", "O"], ["B-PER", "I-PER"]] * 5
    echo = {
        "echo": lambda xt, yt: lambda xs: list(xs),
        "mute": lambda xt, yt: lambda xs: [["O"] * len(s) for s in xs],
    }
    ev = bf.cross_validate(echo, gold, gold, cv=bf.BlockedCV(m=3, rng=0))
    assert ev.unit == "sentence"
    assert bf.score(ev, "echo") == 1.0
    assert bf.score(ev, "mute") == 0.0


def test_an_interrupted_run_resumes_and_loses_nothing(data, tmp_path):
    x, y = data
    calls = []

    def counting(at, limit):
        def fit(x_train, y_train):
            if len(calls) >= limit:
                raise KeyboardInterrupt
            calls.append(at)
            return above(at)(x_train, y_train)

        return fit

    def run(limit):
        models = {"low": ("1", counting(0.0, limit)), "mid": ("1", counting(0.3, limit))}
        return bf.cross_validate(models, x, y, cv=SEEDED, directory=tmp_path)

    with pytest.raises(KeyboardInterrupt):
        run(5)
    assert (len(calls), len([*tmp_path.iterdir()])) == (5, 5)
    ev = run(99)
    assert len(calls) == 12
    assert run(0) == ev == bf.cross_validate(MODELS, x, y, cv=SEEDED)
    sorted(tmp_path.iterdir())[3].unlink()
    assert run(13) == ev
    assert len(calls) == 13


def test_a_failing_fit_names_model_repeat_and_fold(data):
    def broken(x_train, y_train):
        raise ZeroDivisionError("no gradient")

    with pytest.raises(
        FitError, match="model 'bad', repeat 1, fold 1 failed: ZeroDivisionError: no gradient"
    ):
        bf.cross_validate({"bad": broken}, *data)


def test_bad_gold_labels_are_refused_before_any_fit(data):
    x, _ = data
    with pytest.raises(ValueError, match="which label is positive"):
        bf.cross_validate({"A": lambda xt, yt: pytest.fail("fitted")}, x, ["a", "b"] * (N // 2))
    with pytest.raises(ValueError, match="no item of y is labelled 3; the labels are 0, 1"):
        bf.cross_validate({"A": lambda xt, yt: pytest.fail("fitted")}, x, [0, 1] * (N // 2), positive=3)
