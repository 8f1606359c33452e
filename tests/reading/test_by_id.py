"""Items by id: in every reader the order of what was given does not matter, and what lacks or comes twice is named."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given, settings, strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, f1_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import bayesf1 as bf

N = 12
IDS = [f"doc{i}" for i in range(N)]
RNG = np.random.default_rng(1)
GOLD = (np.arange(N) % 3 == 0).astype(int)
SAID = {m: np.where(RNG.random(N) < 0.3, 1 - GOLD, GOLD) for m in "AB"}
WORDS = np.array(["ham", "spam"])
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


def test_ids_of_arrays_put_them_in_order(reader):
    build, data = reader
    back = np.arange(N)[::-1]
    turned = {"A": data["A"], "B": np.asarray(data["B"])[back]}
    ids = {"A": IDS, "B": IDS[::-1]}
    if build in (labelled, believed):
        ids["y_true"] = IDS
    assert same(build(turned, GOLD, ids=ids), build(data, GOLD))
    # One sequence is that of all that have no ids of their own.
    mixed = {"A": data["A"], "B": as_index(turned["B"], IDS[::-1])}
    assert same(build(mixed, GOLD, ids=IDS), build(data, GOLD))


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (["doc1"] * N, "have 'doc1' twice; an item has one id"),
        (IDS[1:], "there are 11 ids of .*, but 12 values"),
        ("doc", "ids are a sequence with one for each item"),
        ({"C": IDS}, "ids are given for 'C', which is none here; known: A, B"),
        ([*IDS[:-1], None], "lack one, that of item 12"),
    ],
)
def test_ids_that_are_none_are_named(reader, ids, words):
    build, data = reader
    with pytest.raises(ValueError, match=words):
        build(data, GOLD, ids=ids)


def test_ids_are_given_once():
    columns = {"A": as_mapping(SCORES["A"], IDS), "B": SCORES["B"]}
    with pytest.raises(ValueError, match="scores of 'A', which have ids of their own"):
        bf.from_scores(columns, ids={"A": IDS})


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
    with pytest.raises(
        ValueError, match=r"numbered 0, 1, 2, … and y_true have these numbers in another order"
    ):
        bf.from_labels(gold, {m: pd.Series(x) for m, x in SAID.items()}, positive=1)
    assert bf.from_labels(gold, SAID, positive=1) == bf.from_labels(GOLD, SAID, positive=1)


def test_lists_beside_ids_are_refused_where_their_order_is_not_plain():
    with pytest.raises(ValueError, match=r"scores of 'A' are by id, but scores of 'B' have no ids; .* ids="):
        bf.from_scores({"A": as_mapping(SCORES["A"], IDS), "B": SCORES["B"]})
    turned = {m: pd.Series(x, index=i) for (m, x), i in zip(SAID.items(), (IDS, IDS[::-1]), strict=True)}
    with pytest.raises(ValueError, match="not clear in which order y_true are"):
        bf.from_labels(GOLD, turned, positive=1)


def test_numbers_and_strings_are_different_ids():
    one, other = (as_mapping(SCORES["A"], ids) for ids in (range(N), map(str, range(N))))
    with pytest.raises(ValueError, match="scores of 'B' have no value for 0, which scores of 'A' have"):
        bf.from_scores({"A": one, "B": other})


def test_labels_by_id_are_words_too():
    by_id = {m: as_mapping(WORDS[x].tolist(), IDS) for m, x in SAID.items()}
    gold = as_mapping(WORDS[GOLD].tolist(), IDS)
    ev = bf.from_labels(gold, by_id, positive="spam", groups=as_mapping(np.arange(N) % 4, IDS[::-1]))
    assert ev.models == ("A", "B")
    assert np.array_equal(ev.tables, bf.from_labels(GOLD, SAID, positive=1).tables)
    assert ev.units.size == 4
    # Lists by name are runs, as ever.
    assert bf.from_labels(GOLD, {"A": {"seed1": SAID["A"], "seed2": SAID["B"]}}, positive=1).names == ("A",)


def test_sets_of_labels_by_id_are_put_in_order():
    gold = {"d1": {"x"}, "d2": {"x", "y"}, "d3": {"y"}}
    said = {"d3": {"y"}, "d2": {"x"}, "d1": {"x", "y"}}
    ev = bf.from_labels(gold, {"A": said}, multilabel=True)
    assert ev == bf.from_labels(list(gold.values()), {"A": [{"x", "y"}, {"x"}, {"y"}]}, multilabel=True)


# ---- frames of scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_a_frame_has_a_column_for_each_model(frame):
    table = frame({"query": IDS, **SCORES})
    assert (
        bf.from_scores(table, ids="query")
        == bf.from_scores(table, models=["A", "B"])
        == bf.from_scores(SCORES)
    )
    assert bf.from_scores(frame(SCORES)) == bf.from_scores(SCORES)


@pytest.mark.parametrize(
    ("ids", "words"),
    [(IDS, "column 'query' holds String"), (range(100, 100 + N), "column 'query' numbers the rows")],
)
def test_ids_in_a_frame_are_no_model(ids, words):
    frame = pd.DataFrame({"query": list(ids), **SCORES})
    with pytest.raises(ValueError, match=rf"{words} and is hardly the scores of a model; say ids='query'"):
        bf.from_scores(frame)
    assert bf.from_scores(frame, ids="query") == bf.from_scores(SCORES)


def test_whole_numbers_that_repeat_are_scores():
    stars = pd.DataFrame({m: x // 3 for m, x in zip("AB", (np.arange(N), np.arange(N)[::-1]), strict=True)})
    assert bf.from_scores(stars).models == ("A", "B")


def test_columns_that_are_not_there_are_named():
    frame = pd.DataFrame(SCORES)
    with pytest.raises(ValueError, match="there is no column 'query'; known: A, B"):
        bf.from_scores(frame, ids="query")
    with pytest.raises(ValueError, match="there is no column 'C'"):
        bf.from_scores(frame, models=["A", "C"])
    with pytest.raises(ValueError, match="a mapping already names its models"):
        bf.from_scores(SCORES, models=["A"])
    with pytest.raises(ValueError, match="or a frame with a column for each model, not int"):
        bf.from_scores(3)


# ---- what other programs return -------------------------------------------------------------------------------


def rankings(seed, drop=()):
    rng = np.random.default_rng(seed)
    queries = [f"q{i}" for i in range(12) if f"q{i}" not in drop]
    return {q: {f"d{j}": float(rng.random()) for j in range(6)} for q in rng.permutation(queries)}


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(5)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(6)} for i in range(12)}
    return pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "map"})


def test_results_of_pytrec_eval_are_taken_by_the_name_of_the_measure(judged):
    found = {name: judged.evaluate(rankings(i)) for i, name in enumerate(("bm25", "dense"))}
    ev = bf.from_scores(found, name="ndcg")
    order = sorted(found["bm25"])
    assert same(ev, bf.from_scores({m: [x[q]["ndcg"] for q in order] for m, x in found.items()}, name="ndcg"))
    assert bf.score(ev, "dense") == pytest.approx(np.mean([x["ndcg"] for x in found["dense"].values()]))
    for name in ("ndgc", ""):
        with pytest.raises(ValueError, match=r"are measures of each query.*map, ndcg"):
            bf.from_scores(found, name=name)
    runs = bf.from_scores({"dense": {"seed1": found["bm25"], "seed2": found["dense"]}}, name="map")
    assert runs.names == ("dense",)


def test_a_query_that_one_lacks_is_an_error_unless_its_score_is_given(judged):
    found = {"bm25": judged.evaluate(rankings(1)), "dense": judged.evaluate(rankings(2, drop=("q3", "q5")))}
    with pytest.raises(
        ValueError, match=r"scores of 'dense' have no value for 'q[35]', which scores of 'bm25' have"
    ):
        bf.from_scores(found, name="map")
    ev = bf.from_scores(found, name="map", missing=0.0)
    assert bf.score(ev, "dense") == pytest.approx(sum(x["map"] for x in found["dense"].values()) / 12)
    note = "Scores of 'dense' have no value for 2 of 12 queries, which count 0."
    assert ev.notes == (note,)
    assert note in str(bf.compare(ev, rng=1, n_draws=1000))


def test_what_is_missing_must_be_known():
    with pytest.raises(ValueError, match="missing= needs to know which queries scores of 'A' lack"):
        bf.from_scores(SCORES, missing=0.0)
    with pytest.raises(ValueError, match=r"missing (is the score of what a model lacks|must be a number)"):
        bf.from_scores({"A": {"q1": 0.1}}, missing="zero")
    twice = pd.Series([0.1, 0.2], index=["q1", "q1"])
    with pytest.raises(ValueError, match="scores of 'A' have two values for 'q1'"):
        bf.from_scores({"A": twice, "B": {"q1": 0.1}}, missing=0.0)
    hits = {"A": {"q1": 1, "q2": 0, "q3": 1}, "B": {"q1": 1}}
    ev = bf.from_scores(hits, missing=0)
    assert ev.task == "correct"
    assert "2 of 3 queries" in ev.notes[0]


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


def test_predictions_of_a_cross_validation_are_labels():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(90, 3))
    y = pd.Series(x[:, 0] + rng.normal(size=90) > 0, index=rng.permutation(90) + 1000)
    cv = KFold(5, shuffle=True, random_state=1)
    said = {
        name: cross_val_predict(model, x, y, cv=cv)
        for name, model in (("logistic", LogisticRegression()), ("bayes", GaussianNB()))
    }
    ev = bf.from_labels(y, said)
    for name, column in said.items():
        assert bf.score(ev, name, "f1") == pytest.approx(f1_score(y, column))
