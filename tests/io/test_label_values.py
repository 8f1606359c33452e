"""Labels and numbers as people have them: by id in any order, strange columns, and what looks like something else."""

import datetime
import decimal
import enum

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.metrics import classification_report

import bayesf1 as bf
from builders import needed

N = 12
IDS = [f"doc{i}" for i in range(N)]
RNG = np.random.default_rng(1)
GOLD = (np.arange(N) % 3 == 0).astype(int)
SAID = {m: np.where(RNG.random(N) < 0.3, 1 - GOLD, GOLD) for m in "AB"}
SCORES = {m: RNG.random(N).round(3) for m in "AB"}
SUMS = {m: RNG.integers(1, 9, (N, 2)) for m in "AB"}


def rate(totals):
    return totals[..., 0] / (totals[..., 0] + totals[..., 1])


def scored(columns, gold=None, **options):
    return bf.from_scores(columns, **options)


def right(columns, gold=None, **options):
    return bf.from_correct(columns, **options)


def summed(columns, gold=None, **options):
    return bf.from_statistics(columns, rate, **options)


def labelled(columns, gold, **options):
    return bf.from_labels(gold, columns, positive=1, **options)


def believed(columns, gold, **options):
    return bf.from_probabilities(gold, columns, **options)


READERS = {
    "labels": (labelled, SAID),
    "probabilities": (believed, SCORES),
    "scores": (scored, SCORES),
    "correct": (right, SAID),
    "statistics": (summed, SUMS),
}


def as_mapping(values, ids):
    return dict(zip(ids, values, strict=True))


def as_index(values, ids):
    if np.ndim(values) == 2:
        return pd.DataFrame(values, index=ids, columns=["x", "y"])
    return pd.Series(values, index=ids)


@pytest.fixture(params=READERS)
def reader(request):
    return READERS[request.param]


def same(one, other):
    """Names of statistics in frames aside."""
    return np.array_equal(one.tables, other.tables) and one.units == other.units


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(sorted(READERS)),
    orders=st.tuples(*[st.permutations(range(N))] * 3),
    mapped=st.booleans(),
)
def test_the_order_of_items_does_not_matter(name, orders, mapped):
    build, data = READERS[name]
    keyed = as_mapping if mapped and name != "statistics" else as_index
    gold, *columns = (
        keyed(np.asarray(values)[list(order)], [IDS[i] for i in order])
        for values, order in zip((GOLD, *data.values()), orders, strict=True)
    )
    assert same(build(dict(zip(data, columns, strict=True)), gold), build(data, GOLD))


@pytest.mark.parametrize("keyed", [as_mapping, as_index])
def test_an_item_that_a_model_lacks_is_named(reader, keyed):
    build, data = reader
    if keyed is as_mapping and build is summed:
        keyed = as_index
    columns = {m: keyed(x, IDS) for m, x in data.items()}
    columns["B"] = keyed(data["B"], [*IDS[:-1], "other"])
    with pytest.raises(ValueError, match=r"of 'B' have no value for 'doc11', which"):
        build(columns, keyed(GOLD, IDS))


def test_the_index_that_pandas_gives_is_no_id(reader):
    build, data = reader
    if build is summed:
        return
    # What a model predicts for rows of a test set comes without their index.
    gold = pd.Series(GOLD, index=np.arange(N) + 100)
    columns = {m: pd.Series(x) for m, x in data.items()}
    assert build(columns, gold) == build(data, GOLD)


def test_numbers_in_two_orders_are_not_guessed():
    gold = pd.Series(GOLD, index=np.arange(N)[::-1])
    with pytest.raises(ValueError, match="the order of predictions of 'A' is not known"):
        bf.from_labels(gold, {m: pd.Series(x) for m, x in SAID.items()}, positive=1)
    assert bf.from_labels(gold, SAID, positive=1) == bf.from_labels(GOLD, SAID, positive=1)


def test_lists_beside_ids_are_refused_where_their_order_is_not_plain():
    with pytest.raises(ValueError, match="scores of 'A' have ids, but scores of 'B' have none"):
        bf.from_scores({"A": as_mapping(SCORES["A"], IDS), "B": SCORES["B"]})
    turned = {m: pd.Series(x, index=i) for (m, x), i in zip(SAID.items(), (IDS, IDS[::-1]), strict=True)}
    with pytest.raises(ValueError, match="the order of y_true is not known"):
        bf.from_labels(GOLD, turned, positive=1)


# ---- what other programs return -------------------------------------------------------------------------------


def rankings(seed, drop=()):
    rng = np.random.default_rng(seed)
    queries = [f"q{i}" for i in range(12) if f"q{i}" not in drop]
    return {q: {f"d{j}": float(rng.random()) for j in range(6)} for q in rng.permutation(queries)}


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(5)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(6)} for i in range(12)}
    pytrec_eval = needed("pytrec_eval")
    return pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "map"})


def test_results_of_pytrec_eval_are_taken_by_the_name_of_the_measure(judged):
    found = {name: judged.evaluate(rankings(i)) for i, name in enumerate(("bm25", "dense"))}
    ev = bf.from_scores(found, name="ndcg")
    order = sorted(found["bm25"])
    assert same(ev, bf.from_scores({m: [x[q]["ndcg"] for q in order] for m, x in found.items()}, name="ndcg"))
    assert bf.score(ev, "dense") == pytest.approx(np.mean([x["ndcg"] for x in found["dense"].values()]))
    for name in ("ndgc", ""):
        with pytest.raises(ValueError, match=r"are metrics of each query.*map, ndcg"):
            bf.from_scores(found, name=name)
    runs = bf.from_scores({"dense": {"seed1": found["bm25"], "seed2": found["dense"]}}, name="map")
    assert runs.names == ("dense",)


def test_a_classification_report_is_no_data():
    report = classification_report(GOLD, SAID["A"], output_dict=True)
    builders = (
        *(bf.from_counts, bf.from_scores, bf.from_correct, bf.from_confusion, bf.from_units),
        lambda x: bf.from_labels(GOLD, x),
        lambda x: bf.from_probabilities(GOLD, x),
        lambda x: bf.from_statistics(x, rate),
    )
    for build in builders:
        with pytest.raises(ValueError, match="'A' is a classification report, which has no counts"):
            build({"A": report})
        with pytest.raises(ValueError, match="what was given is a classification report"):
            build(report)


N_ITEMS = 8
BITS = [1, 0, 1, 0, 1, 1, 0, 0]
BITS_SAID = [1, 0, 0, 0, 1, 1, 1, 0]
GAPS = [1, None, 0, None, 1, 0, None, None]
SHARES = np.linspace(0.1, 0.8, N_ITEMS)


# Readers of numbers, given one column of them.
NUMBERS = {
    "scores": lambda x: bf.from_scores({"A": x, "B": SHARES}),
    "probabilities": lambda x: bf.from_probabilities(BITS, {"A": x}, positive=1),
    "statistics": lambda x: bf.from_statistics({"A": pd.DataFrame({"e": x, "n": np.ones(N_ITEMS)})}, lambda t: t[..., 0] / t[..., 1]),
    "gains": lambda x: bf.measures.dcg(x),
    "lists of gains": lambda x: bf.measures.dcg([x, x]),
    "scored items": lambda x: bf.measures.roc_auc(BITS, x, positive=1),
}  # fmt: skip
NO_NUMBERS = {
    "masked": np.ma.array(SHARES, mask=[0, 1] * 4),
    "dates": np.arange(N_ITEMS).astype("M8[D]"),
    "days": np.arange(N_ITEMS).astype("m8[D]"),
    "complex": SHARES.astype(complex),
    "huge": [10**400, *SHARES[1:]],
}


@pytest.mark.parametrize("values", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("read", NUMBERS.values(), ids=NUMBERS)
def test_what_is_no_number_is_not_made_one(read, values):
    read(SHARES)
    with pytest.raises(ValueError, match=r"number|masked|shape|finite"):
        read(values)


# Readers of labels, given one column of them.
LABELS = {
    "gold": lambda x: bf.from_labels(x, {"A": BITS_SAID}, positive=1),
    "predictions": lambda x: bf.from_labels(BITS, {"A": x}, positive=1),
    "groups": lambda x: bf.from_labels(BITS, {"A": BITS_SAID}, positive=1, groups=x),
    "groups of scores": lambda x: bf.from_scores({"A": SHARES}, groups=x),
    "groups of answers": lambda x: bf.from_correct({"A": BITS_SAID}, groups=x),
    "groups of probabilities": lambda x: bf.from_probabilities(BITS, {"A": SHARES}, positive=1, groups=x),
    "judge": lambda x: bf.from_labels(GAPS, {"A": BITS_SAID}, positive=1, judge=x),
    "clusters": lambda x: bf.measures.pair_scores(x, BITS_SAID),
    "curve": lambda x: bf.measures.roc_auc(x, SHARES, positive=1),
}
NO_LABELS = {
    "enumerated texts": [enum.Enum("colour", {"RED": "r", "BLUE": "b"}, type=str).RED] * N_ITEMS,
    "sets": [{1}, *BITS[1:]],
    "mappings": [{"a": 1}, *BITS[1:]],
    "complex": np.array(BITS, dtype=complex),
    "records": np.array([(1,)] * N_ITEMS, dtype=[("a", "i4")]),
    "two axes": np.array([BITS, BITS]).T,
}


@pytest.mark.parametrize("values", NO_LABELS.values(), ids=NO_LABELS)
@pytest.mark.parametrize("read", LABELS.values(), ids=LABELS)
def test_what_is_no_label_is_named(read, values):
    read(BITS)
    with pytest.raises(ValueError, match=r"label|groups"):
        read(values)


def test_groups_may_be_of_any_kind_that_can_be_told_apart():
    colour = enum.Enum("colour", "RED BLUE")
    numbered = LABELS["groups"]([0, 0, 1, 1, 0, 0, 1, 1])
    for one, other in ((colour.RED, colour.BLUE), (datetime.date(2020, 1, 1), 3)):
        assert LABELS["groups"]([one, one, other, other] * 2) == numbered
    with pytest.raises(ValueError, match="mixes strings and numbers"):
        LABELS["groups"]([decimal.Decimal(1), "x"] * 4)


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_is_no_gold_label_and_no_document(blank):
    gold, said = ["spam", blank, "ham", "ham"], ["spam", "ham", "ham", "spam"]
    for how in ({"positive": "spam"}, {}):
        with pytest.raises(ValueError, match=r"y_true has no label for item 2; .*judge"):
            bf.from_labels(gold, {"A": said}, **how)
    with pytest.raises(ValueError, match="groups has no label for item 2"):
        bf.from_labels(said, {"A": said}, positive="spam", groups=gold)
    frame = pd.DataFrame({"gold": gold, "A": said})
    with pytest.raises(ValueError, match="column 'gold' has no value for 1 item"):
        bf.from_frame(frame, gold="gold", models=["A"], positive="spam")


def test_a_blank_is_a_class_where_the_classes_are_listed():
    gold, said = ["a", "", "b"], ["a", "b", "b"]
    ev = bf.from_labels(gold, {"A": said}, labels=["", "a", "b"])
    assert ev.classes == ("", "a", "b")
    frame = pd.DataFrame({"gold": gold, "A": said})
    assert bf.from_frame(frame, gold="gold", models=["A"], labels=["", "a", "b"]) == ev


def test_a_judge_that_says_the_same_in_two_spellings_is_told_so():
    judge = ["spam", "Spam", "ham", "ham", "spam", "ham", "ham", "ham"]
    with pytest.raises(ValueError, match="judge 'judge' says 'Spam' and 'spam' differ only in case"):
        LABELS["judge"](judge)


MAILS = ["spam", "ham", "spam", "ham", "spam", "ham"]
MAILS_SAID = ["spam", "ham", "ham", "ham", "spam", "spam"]


def test_counts_of_a_series_are_read_by_name():
    ev = bf.from_counts(A=pd.Series({"fn": 3, "tp": 1, "fp": 2}), B={"tp": 1, "fp": 2, "fn": 3})
    assert ev.tables.tolist() == [[1, 2, 3], [1, 2, 3]]
    assert bf.from_counts(A=pd.Series([1, 2, 3])).tables.tolist() == [[1, 2, 3]]
    with pytest.raises(ValueError, match="model 'A' has cells fn, tpp, fp"):
        bf.from_counts(A=pd.Series({"fn": 3, "tpp": 1, "fp": 2}))


def test_a_matrix_with_labels_is_refused_and_told_how_to_be_given():
    table = pd.crosstab(pd.Series(list("aabbcc")), pd.Series(list("aabbba")))
    with pytest.raises(ValueError, match=r"matrix of 'A' is a frame with names; give it as m\.reindex"):
        bf.from_confusion({"A": table})
    labels = list("abc")
    matrix = table.reindex(index=labels, columns=labels, fill_value=0).to_numpy()
    ev = bf.from_confusion({"A": matrix}, labels=labels)
    assert bf.confusion(ev, "A").tolist() == [[2, 0, 0], [0, 2, 0], [1, 1, 0]]


@pytest.mark.parametrize(
    "build",
    [
        lambda m: bf.from_labels(m([1, 0, 1]), {"A": [1, 0, 1]}),
        lambda m: bf.from_labels([1, 0, 1], {"A": m([1, 0, 1])}),
        lambda m: bf.from_counts(A=m([77, 44, 10])),
        lambda m: bf.from_scores({"A": m([0.1, 0.2, 0.3])}),
        lambda m: bf.from_labels([[1, 0, 1]], {"A": m([1, 0, 1])[None]}, multilabel=True),
    ],
)
def test_what_is_masked_is_missing(build):
    with pytest.raises(ValueError, match=r"masked at entry (1, )?2; drop or fill it"):
        build(lambda values: np.ma.array(values, mask=[0, 1, 0]))
    build(lambda values: np.ma.array(values, mask=[0, 0, 0]))


ALIKE = ["Spam", "spam ", "sp\u200bam"]


@pytest.mark.parametrize("label", ALIKE)
def test_labels_that_look_alike_are_refused_by_every_reader(label, tmp_path):
    said = [label if x == "spam" else x for x in MAILS_SAID]
    frame = {"gold": MAILS, "A": said}
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(["gold,A", *(f'{g},"{a}"' for g, a in zip(MAILS, said, strict=True))]), "utf-8")
    from bayesf1 import read

    readers = [
        lambda: bf.from_labels(MAILS, {"A": said}, positive="spam"),
        lambda: bf.from_frame(pd.DataFrame(frame), gold="gold", models=["A"], positive="spam"),
        lambda: bf.from_frame(pl.LazyFrame(frame), gold="gold", models=["A"], positive="spam"),
        lambda: bf.from_patterns([(g, a, 1) for g, a in zip(MAILS, said, strict=True)], positive="spam"),
        lambda: read(path, gold="gold", positive="spam"),
        lambda: bf.from_labels([*MAILS, "x"], {"A": [*said, "x"]}),
    ]
    for reader in readers:
        with pytest.raises(ValueError, match="differ only in"):
            reader()


def test_labels_that_are_listed_may_look_alike():
    ev = bf.from_labels(
        ["Spam", "spam", "ham"], {"A": ["Spam", "spam", "ham"]}, labels=["Spam", "spam", "ham"]
    )
    assert ev.classes == ("Spam", "spam", "ham")
