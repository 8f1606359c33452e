"""Items by id: in every reader the order of what was given does not matter, and what lacks or comes twice is named."""

import numpy as np
import pandas as pd
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
    with pytest.raises(ValueError, match="not clear in which order predictions of 'A' are"):
        bf.from_labels(gold, {m: pd.Series(x) for m, x in SAID.items()}, positive=1)
    assert bf.from_labels(gold, SAID, positive=1) == bf.from_labels(GOLD, SAID, positive=1)


def test_lists_beside_ids_are_refused_where_their_order_is_not_plain():
    with pytest.raises(ValueError, match="scores of 'A' have ids, but scores of 'B' none"):
        bf.from_scores({"A": as_mapping(SCORES["A"], IDS), "B": SCORES["B"]})
    turned = {m: pd.Series(x, index=i) for (m, x), i in zip(SAID.items(), (IDS, IDS[::-1]), strict=True)}
    with pytest.raises(ValueError, match="not clear in which order y_true are"):
        bf.from_labels(GOLD, turned, positive=1)


def test_labels_by_id_are_words_too():
    by_id = {m: as_mapping(WORDS[x].tolist(), IDS) for m, x in SAID.items()}
    gold = as_mapping(WORDS[GOLD].tolist(), IDS)
    ev = bf.from_labels(gold, by_id, positive="spam", groups=as_mapping(np.arange(N) % 4, IDS[::-1]))
    assert ev.models == ("A", "B")
    assert np.array_equal(ev.tables, bf.from_labels(GOLD, SAID, positive=1).tables)
    assert ev.units.size == 4
    # Lists by name are runs, as ever.
    assert bf.from_labels(GOLD, {"A": {"seed1": SAID["A"], "seed2": SAID["B"]}}, positive=1).names == ("A",)


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
