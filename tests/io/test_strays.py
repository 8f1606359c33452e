"""A label that no item has is a mistake of the model that said it, and no class."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    f1_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)

import bayesf1 as bf
from bayesf1 import read

GOLD = list("aabbcc") * 20
PERFECT = list(GOLD)
ASTRAY = ["z", *GOLD[1:]]


def both(**options):
    return bf.from_labels(GOLD, {"A": PERFECT, "B": ASTRAY}, **options)


def test_a_stray_label_of_one_model_does_not_lower_the_other():
    ev = both()
    assert ev.classes == ("a", "b", "c")
    assert bf.score(ev, "A", "macro_f1") == 1.0
    assert bf.score(ev, "B", "macro_f1") > 0.99
    gap = bf.compare(ev, metrics="macro_f1", rng=1, n_draws=4000)["macro_f1"].difference
    low, high = gap.interval(0.95)
    assert high - low < 0.05


def test_notes_say_who_said_what():
    ev = both()
    assert ev.notes == ("B said 'z', which no item is, once.",)
    assert (ev + ev + ev).notes == ("B said 'z', which no item is, 3 times.",)
    assert ev.select(["A"]).notes == ()
    assert ev.select(["A"]) == bf.from_labels(GOLD, {"A": PERFECT})
    assert ev.select(["B", "A"]).notes == ev.notes
    assert both(labels=list("abc")) == ev
    assert bf.from_labels(GOLD, {"A": PERFECT}).notes == ()
    assert bf.from_counts(A=(1, 2, 3)).notes == ()


def test_a_long_label_does_not_take_the_memory_of_all():
    gold = list("abc") * 2000
    said = [*gold[:-1], "word " * 20_000]
    bf.from_labels(list("abc"), {"A": list("abd")})
    tracemalloc.start()
    try:
        ev = bf.from_labels(gold, {"A": said})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ev.tables.sum() == 6000
    # An array of 6,000 texts of 100,000 characters would be 2.4 GB.
    assert peak < 20e6


@pytest.mark.parametrize("seed", range(5))
def test_measures_are_scikit_learns_on_the_labels_of_gold(seed):
    rng = np.random.default_rng(seed)
    gold = rng.choice(list("abcd"), 60)
    said = np.where(rng.random(60) < 0.6, gold, rng.choice(list("abcdz"), 60))
    said[0] = "z"
    ev = bf.from_labels(gold, {"A": said})
    options = {"labels": np.unique(gold), "zero_division": 0}
    for average in ("micro", "macro", "weighted"):
        for name, theirs in (("f1", f1_score), ("precision", precision_score), ("recall", recall_score)):
            assert bf.score(ev, "A", f"{average}_{name}") == pytest.approx(
                theirs(gold, said, average=average, **options), abs=1e-12
            )
    assert bf.score(ev, "A", "accuracy") == pytest.approx(accuracy_score(gold, said), abs=1e-12)
    assert bf.score(ev, "A", "mcc") == pytest.approx(matthews_corrcoef(gold, said), abs=1e-12)
    assert bf.score(ev, "A", "kappa") == pytest.approx(cohen_kappa_score(gold, said), abs=1e-12)


def test_a_class_that_no_item_has_counts_as_zero_and_is_named():
    ev = bf.from_labels(GOLD, {"A": PERFECT}, labels=list("abcd"))
    assert ev.notes == (
        "'d' is a class that no item has; as in scikit-learn, it counts as 0 in averages over classes.",
    )
    expected = f1_score(GOLD, PERFECT, labels=list("abcd"), average="macro", zero_division=0)
    assert bf.score(ev, "A", "macro_f1") == expected == 0.75
    assert bf.posterior(ev, "A", "macro_f1", rng=1, n_draws=1000).interval(0.95)[1] <= 0.75


def test_every_reader_takes_strays_alike(tmp_path):
    expected = both()
    frame = {"gold": GOLD, "A": PERFECT, "B": ASTRAY}
    path = tmp_path / "predictions.csv"
    pd.DataFrame(frame).to_csv(path, index=False)
    readers = [
        bf.from_frame(pd.DataFrame(frame), gold="gold", models=["A", "B"]),
        bf.from_frame(pl.LazyFrame(frame), gold="gold", models=["A", "B"]),
        bf.from_frame(pl.DataFrame(frame), gold="gold", models=["A", "B"], labels=list("abc")),
        bf.from_patterns([(*row, 1) for row in zip(GOLD, PERFECT, ASTRAY, strict=True)], models=["A", "B"]),
        read(path, gold="gold"),
    ]
    for ev in readers:
        assert ev == expected
        assert ev.notes == expected.notes


def test_folds_know_a_stray_label_of_one_fit():
    rng = np.random.default_rng(0)
    y = np.array(list("abc") * 20)

    def stray(X_train, y_train):
        return lambda Z: ["z", *rng.choice(list("abc"), len(Z) - 1)]

    def fair(X_train, y_train):
        return lambda Z: rng.choice(list("abc"), len(Z))

    ev = bf.cross_validate({"A": fair, "B": stray}, np.arange(60), y, cv=bf.BlockedCV(m=3, rng=0))
    assert ev.classes == ("a", "b", "c")
    assert ev.notes == ("B said 'z', which no item is, 6 times.",)
    np.testing.assert_allclose(ev.folds.k * ev.folds.counts.sum((0, 1)), ev.tables)


def test_a_label_that_is_a_class_of_another_shard_does_not_add_up():
    one = bf.from_labels(list("aabb"), {"A": list("aabc")}, labels=list("ab"))
    two = bf.from_labels(list("abcc"), {"A": list("abcc")})
    with pytest.raises(ValueError, match=r"label .c. is a class of one of them.*labels= of all classes"):
        one + two
    whole = bf.from_labels(list("aabb"), {"A": list("aabc")}, labels=list("abc")) + two
    assert whole == bf.from_labels(list("aabbabcc"), {"A": list("aabcabcc")})
