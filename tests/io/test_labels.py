"""Labels in memory: classes, label sets, gaps and judges, notes, labels that no item has, scores and answers side by side."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics as sk

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from builders import judged_items as items


def test_more_than_two_labels_are_classes_and_two_are_a_binary_task():
    assert bf.from_labels(list("abc"), {"A": list("abb")}).task.name == "multiclass"
    assert bf.from_labels([0, 1, 1], {"A": [0, 1, 0]}).task.name == "binary"
    assert bf.from_labels([0, 1, 1], {"A": [0, 1, 0]}, labels=[0, 1]).task.name == "multiclass"
    # A third label may be a model's alone, and is then no class.
    assert bf.from_labels([0, 1, 1], {"A": [0, 1, 2]}).classes == ("0", "1")
    assert bf.from_labels(list("abc"), {"A": list("abb")}, positive="a").task.name == "binary"


def test_classes_that_do_not_occur_count_in_averages_as_in_scikit_learn():
    with_x = bf.from_labels(list("abc"), {"A": list("abc")}, labels=list("abcx"))
    assert bf.score(with_x, "A", "macro_f1") == 0.75
    assert bf.score(with_x, "A", "weighted_f1") == bf.score(with_x, "A", "balanced_accuracy") == 1.0


ABC, GAPS, MORE = list("abc"), [1, 0, None, None, 1, 0], {"A": [1, 0, 1, 0, 0, 1]}
SETS = {"multilabel": True}
# Gold, what a model said, options, and what is said of them.
BAD = [
    (list("abd"), ABC, {"labels": ABC}, "label 'd' occurs, but is not one of labels="),
    (ABC, ABC, {"labels": list("abcc")}, "label 'c' is given twice"),
    (ABC, ABC, {"labels": ABC, "positive": "a"}, "give one of them"),
    (["a", "A ", "b"], list("abb"), {}, "labels 'A ' and 'a' differ only in case or spaces"),
    ([1.0, 2.0, np.nan], [1.0, 2.0, 3.0], {}, "y_true has no label for item 3"),
    ([[1, 0]], [[1, 2]], SETS, "have 2 for item 1, column 2"),
    ([[1, 0]], [[1, 0, 1]], SETS, r"have shape \(1, 3\), but y_true \(1, 2\)"),
    ([[1, 0]], [[1, 0]], SETS | {"labels": ["a"]}, "labels= names 1 labels, but"),
    ([[1, np.nan]], [[1, 0]], SETS, "y_true have nan for item 1, column 2"),
    ([], [], {}, "y_true is empty"),
    ([1, 0], [1], {}, "predictions of 'A' have 1 values, but y_true 2"),
    ([1, 0, 1], [[1, 0, 1], [1, 0, 0]], {}, r"if they are runs, name them, as \{'A': \{'seed1'"),
    ([1, 0] * 20, [i / 41 for i in range(1, 41)], {}, "probabilities to from_probabilities"),
    (GAPS, MORE["A"], {"judge": [1, 0]}, "labels of judge 'judge' have 2 values"),
    ([1, 0], ["1", "0"], {}, "y_true has labels like 0 but predictions of 'A' like '0'.*never equal"),
    (["a", 1], ["a", "b"], {}, "y_true mixes strings and numbers, first at item 2"),
    (["spam", "ham"], ["spam", "ham"], {"positive": "sapm"}, r"'sapm'; did you mean 'spam'\?"),
    ([0, 1], [0, 1], {"positive": "1"}, r"no item is labelled '1'; did you mean 1\?"),
    ([None] * 6, MORE["A"], {"judge": [1] * 6}, "none of 6 items has a gold label"),
    (GAPS, MORE["A"], {"judge": {"x": [1] * 6, "y": [0] * 6}}, "one judge, not 2.*majority vote"),
    (GAPS, MORE["A"], {"judge": MORE}, "'A' names a model and a judge"),
    (GAPS, MORE["A"], {"judge": [0.1, 0.5, 0.3, 0.2, 0.9, 0.8]}, "put scores into classes before"),
    (GAPS, MORE["A"], {}, "y_true has no label for item 3"),
    *((ABC, ["a", gap, "b"], {}, "'A' has no label for item 2") for gap in (None, np.nan, pd.NA, pd.NaT)),
    *(([1, 0, 1], [1, gap, 0], {}, "'A' has no label for item 2") for gap in (None, np.nan, pd.NA, pd.NaT)),
]


def test_warnings_point_at_the_line_that_called_the_package():
    with pytest.warns(UserWarning, match="A and B never predict the positive label 1") as caught:
        bf.from_labels([1, 0, 1], {"A": [0, 0, 0], "B": [0, 0, 0]})
    assert caught[0].filename == __file__


def test_half_points_are_labels():
    ratings = [i % 9 / 2 for i in range(40)]
    assert len(bf.from_labels(ratings, {"A": ratings[::-1]}).classes) == 9


@pytest.mark.parametrize(("gold", "said", "options", "words"), BAD)
def test_bad_labels_are_named(gold, said, options, words):
    with pytest.raises(ValueError, match=words):
        bf.from_labels(gold, {"A": said}, **options)


BAD_FLAGS = [
    ({"A": [1, float("nan")]}, "answers of 'A' have nan for item 2"),
    ({"A": [1, 0], "B": [1, 0.5]}, "answers of 'B' have 0.5 for item 2.*from_scores"),
    ({"A": ["yes", "no"]}, "answers of 'A' must be True or False"),
]


@pytest.mark.parametrize(("flags", "words"), BAD_FLAGS)
def test_answers_that_are_neither_right_nor_wrong_are_named(flags, words):
    with pytest.raises(ValueError, match=words):
        bf.from_correct(flags)


def test_gold_may_be_missing_by_id():
    gold, _, said, judge = items(n=600)
    names = [f"d{i}" for i in range(600)]
    by_id = {name: dict(zip(names, word.tolist(), strict=True)) for name, word in said.items()}
    judged = dict(zip(names, judge.tolist(), strict=True))
    some = {names[i]: int(gold[i]) for i in range(400, 500)}
    known = np.where((np.arange(600) >= 400) & (np.arange(600) < 500), gold.astype(object), None)
    expected = bf.from_labels(known, said, judge={"j": judge}, positive=1)
    found = bf.from_labels(some, by_id, judge={"j": judged}, positive=1)
    assert found == expected
    assert bf.from_labels(pd.Series(some), by_id, judge={"j": judged}, positive=1) == expected
    chosen = bf.plan_labels(found, budget=20, rng=1).items
    assert not set(chosen) & set(some)
    with pytest.raises(ValueError, match="'x', which y_true have"):
        bf.from_labels({**some, "x": 1}, by_id, judge={"j": judged}, positive=1)


def test_files_of_gold_may_lack_what_nobody_has_labelled(tmp_path):
    gold, known, said, judge = items(n=300, labelled=80)
    names = [f"d{i}" for i in range(300)]
    some = [i for i, label in enumerate(known) if label is not None]
    pd.DataFrame({"id": [names[i] for i in some], "label": gold[some]}).to_csv(
        tmp_path / "gold.csv", index=False
    )
    files = {}
    for name, word in said.items():
        # Each file has an order of its own.
        frame = pd.DataFrame({"id": names, "said": word, "gpt": judge}).iloc[:: 1 if name == "A" else -1]
        frame.to_csv(files.setdefault(name, tmp_path / f"{name}.csv"), index=False)
    how = {"gold": "label", "prediction": "said", "id": "id", "judge": "gpt", "positive": 1}
    ev = bf.read(files, gold_file=tmp_path / "gold.csv", **how)
    assert ev == bf.from_labels(known, said, judge={"gpt": judge}, positive=1)
    chosen = bf.plan_labels(ev, budget=20, rng=1).items.tolist()
    assert set(chosen) <= {names[i] for i in range(300) if i not in some}
    with pytest.raises(ValueError, match=r"gold\.csv has no row for id 'd0'"):
        bf.read(files, gold_file=tmp_path / "gold.csv", **{k: v for k, v in how.items() if k != "judge"})


MAILS = ["spam"] * 12 + ["ham"] * 12 + ["spma"]
MAILS_SAID = ["spam"] * 11 + ["refused"] + ["ham"] * 13
FRAME = pd.DataFrame({"gold": MAILS, "A": MAILS_SAID})
ROWS = [(g, a, 1) for g, a in zip(MAILS, MAILS_SAID, strict=True)]
TAGS, TAGS_SAID = ([[f"B-{kind}"] for kind in kinds] for kinds in (MAILS, MAILS_SAID))
# Of the last nothing is unknown: models give no labels.
NOTING = {
    "labels": lambda **how: bf.from_labels(MAILS, {"A": MAILS_SAID}, **how),
    "frame": lambda **how: bf.from_frame(FRAME, gold="gold", models=["A"], **how),
    "patterns": lambda **how: bf.from_patterns(ROWS, models=["A"], **how),
    "judge": lambda **how: bf.from_labels([*MAILS, None], {"A": [*MAILS_SAID, "ham"]}, judge=[*MAILS, "ham"], **how),
    "tags": lambda **_: bf.from_tags(TAGS, {"A": TAGS_SAID}),
    "types": lambda **_: bf.from_tags(TAGS, {"A": TAGS_SAID}, by_type=True),
    "probabilities": lambda positive="spam": bf.from_probabilities(MAILS, {"A": np.linspace(0.1, 0.9, 25)}, positive=positive),
}  # fmt: skip


@pytest.mark.parametrize("reader", NOTING)
def test_a_label_that_no_item_has_and_a_slip_in_gold_are_noted_by_every_reader(reader):
    notes = NOTING[reader](positive="spam").notes
    assert any("'spma', which looks like 'spam'" in note for note in notes)
    unknown = [note for note in notes if note.startswith("A ") and "'refused'" in note]
    assert len(unknown) == (reader != "probabilities")
    assert any("which looks like 'spam'" in note for note in NOTING[reader]().notes)


def test_models_that_are_called_as_runs_are_noted(tmp_path):
    names = [f"{m}.seed{i}" for m in ("sgd", "svm") for i in range(2)]
    rows = [",".join(["label", *names]), *(",".join(np.roll(["y", "n", "n", "y", "n"], i)) for i in range(9))]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    ev = bf.read(tmp_path / "a.csv", gold="label", positive="y")
    assert "runs=True" in ev.notes[-1]
    named = bf.read(tmp_path / "a.csv", gold="label", positive="y", runs=True)
    assert len(named.names) == 2
    methods = {"sgd": names[:2], "svm": names[2:]}
    assert ev.with_runs(methods).notes == named.notes == ()
    # A remark is told by its type, whatever its words.
    others = replace(ev, remarks=(f"{ev.remarks[-1]}",)).with_runs(methods)
    assert len(others.remarks) == 1


SCORES = {"A": [0.1, 0.5, 0.4, 0.9], "B": [0.2, 0.6, 0.4, 0.7]}
FLAGS = {"A": [1, 0, 1, 1], "B": [0, 0, 1, 1]}


# ---- lower is better --------------------------------------------------------------------------------------


def test_scores_say_which_way_they_point():
    ev = bf.from_scores(SCORES, lower_is_better=True)
    for name in ("mean", "median"):
        assert resolve_metric(name, ev).sign == -1.0
        assert resolve_metric(name, bf.from_scores(SCORES)).sign == 1.0

    def best(scores, weights):
        return np.where(weights > 0, scores, -np.inf).max(axis=-1)

    assert resolve_metric(best, ev).lower_is_better
    best.lower_is_better = False
    assert not resolve_metric(best, ev).lower_is_better
    with pytest.raises(ValueError, match="lower_is_better must be True or False, not 'yes'"):
        bf.from_scores(SCORES, lower_is_better="yes")
    with pytest.raises(ValueError, match="cannot be added"):
        ev + bf.from_scores(SCORES)


def test_a_randomisation_test_of_losses_asks_who_loses_less():
    a, b = [4, 5, 5, 4, 3, 2, 1], [1, 2, 1, 2, 2, 2, 0]
    better = bf.randomization_test(
        bf.from_scores({"A": a, "B": b}, lower_is_better=True), alternative="greater"
    )
    assert (
        better.p_value
        == bf.randomization_test(bf.from_scores({"A": a, "B": b}), alternative="less").p_value
        == 1 / 64
    )
    assert better.difference < 0 < better.statistic
    both = bf.randomization_test(bf.from_scores({"A": a, "B": b}, lower_is_better=True))
    assert both.p_value == bf.randomization_test(bf.from_scores({"A": a, "B": b})).p_value


@pytest.mark.parametrize(("build", "data"), [(bf.from_scores, SCORES), (bf.from_correct, FLAGS)])
def test_a_label_that_comes_twice_cannot_be_aligned_and_folds_are_no_units(build, data):
    labels = ["q1", "q1", "q2", "q3"]
    first = pd.Series(data["A"], index=labels)
    assert build({"A": first, "B": pd.Series(data["B"], index=labels)}) == build(data)
    with pytest.raises(ValueError, match="two values for 'q1'"):
        build({"A": first, "B": pd.Series(data["B"], index=labels[::-1])})
    with pytest.raises(ValueError, match=r"not independent units.*fold= or run="):
        build(data, unit="folds")


GOLD = list("aabbcc") * 20
PERFECT = list(GOLD)
ASTRAY = ["z", *GOLD[1:]]


def both(**options):
    return bf.from_labels(GOLD, {"A": PERFECT, "B": ASTRAY}, **options)


def test_notes_say_who_said_what():
    ev = both()
    assert ev.notes == ("B predicted 'z' (never a gold label) once.",)
    assert (ev + ev + ev).notes == ("B predicted 'z' (never a gold label) 3 times.",)
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
        for name in ("f1", "precision", "recall"):
            theirs = getattr(sk, f"{name}_score")(gold, said, average=average, **options)
            assert bf.score(ev, "A", f"{average}_{name}") == pytest.approx(theirs, abs=1e-12)
    assert bf.score(ev, "A", "accuracy") == pytest.approx(sk.accuracy_score(gold, said), abs=1e-12)
    assert bf.score(ev, "A", "mcc") == pytest.approx(sk.matthews_corrcoef(gold, said), abs=1e-12)
    assert bf.score(ev, "A", "kappa") == pytest.approx(sk.cohen_kappa_score(gold, said), abs=1e-12)


SIX = [1, 1, 1, 0, 0, 0]
SIX_A = [1, 1, 0, 0, 0, 1]
SIX_B = [1, 0, 0, 0, 0, 0]
SIX_TABLES = [[2, 1, 1, 2], [1, 0, 2, 3]]


# ---- labels


@pytest.mark.parametrize("container", [list, np.array, pl.Series, pd.Categorical])
@pytest.mark.parametrize(
    "labels", [(0.0, 1.0), (False, True), ("no", "yes"), ("NEG", "POS"), (-1, 1)], ids=str
)
def test_labels_of_every_kind_in_every_container_are_counted(container, labels):
    gold, a, b = (container([labels[v] for v in values]) for values in (SIX, SIX_A, SIX_B))
    ev = bf.from_labels(gold, {"A": a, "B": b})
    np.testing.assert_array_equal(ev.tables, SIX_TABLES)
    assert ev == bf.from_labels(gold, {"A": a, "B": b}, positive=labels[1])


@pytest.mark.parametrize("labels", [("a", "b"), ("0", "yes"), ("spam", "ham"), (2, 1)], ids=str)
def test_two_labels_of_which_neither_is_plainly_positive_are_averaged_over_with_a_remark(labels):
    ev = bf.from_labels(list(labels), {"A": [labels[0]] * 2})
    assert (ev.task.name, ev.classes) == ("multiclass", tuple(map(str, sorted(labels))))
    assert "name one with positive=" in ev.remarks[-1]
    assert bf.score(ev, "A", "f1") == pytest.approx(1 / 3)
    named = bf.from_labels(list(labels), {"A": [labels[0]] * 2}, positive=labels[0])
    assert (named.task.name, named.remarks) == ("binary", ())


# ---- groups and units


def test_documents_are_units_and_items_are_kept_beside_them():
    ev = bf.from_labels(SIX, {"A": SIX_A, "B": SIX_B}, groups=["x", "x", "y", "y", "z", "z"])
    assert ev.assumption == "clustered"
    assert ev.unit == "document"
    assert ev.units.weights.sum() == 3
    np.testing.assert_array_equal(ev.tables, SIX_TABLES)
    assert ev.items == bf.from_labels(SIX, {"A": SIX_A, "B": SIX_B})
    by_hand = {
        "A": [(2, 0, 0, 0), (0, 0, 1, 1), (0, 1, 0, 1)],
        "B": [(1, 0, 1, 0), (0, 0, 1, 1), (0, 0, 0, 2)],
    }
    units = bf.from_units(by_hand, unit="document")
    np.testing.assert_array_equal(ev.units.rows, units.units.rows)
    np.testing.assert_array_equal(ev.units.weights, units.units.weights)


def test_units_of_an_array_are_those_of_a_mapping():
    counts = {"A": [(1, 0, 0), (0, 1, 1), (1, 0, 0)], "B": [(1, 1, 0), (1, 0, 0), (1, 1, 0)]}
    ev = bf.from_units(counts, unit="sentence")
    assert ev == bf.from_units(np.stack(list(counts.values()), axis=1), unit="sentence")
    assert ev.cells == ("tp", "fp", "fn")
    np.testing.assert_array_equal(ev.units.weights, [1, 2])
    np.testing.assert_array_equal(ev.tables, [[2, 1, 1], [3, 2, 0]])
    assert bf.from_units(np.ones((2, 27, 3))).models[::26] == ("M1", "M27")


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        ({"A": [(1, 0, 0)], "B": [(0, 0, 2)]}, {}, "unit 1 has 1 gold positives .* for 'A' but 2 for 'B'"),
        ({"A": [(1, 0, 0)], "B": [(1, 0, 0)] * 2}, {}, "the same items and columns"),
        ({"A": [(1, -1, 0)]}, {}, "counts of 'A'.*fp = -1"),
        (
            np.ones((4, 2, 3)),
            {"unit": "item"},
            "unit 'item' is for single items; build those with from_labels",
        ),
    ],
)
def test_bad_units_are_refused_in_words(counts, options, message):
    with pytest.raises(ValueError, match=message):
        bf.from_units(counts, **options)
