import itertools
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.inference.posterior import distribution_of
from bayesf1.metrics import find_metric
from bayesf1.sampling import sampling_model

GOLD = [1, 1, 1, 0, 0, 0]
A = [1, 1, 0, 0, 0, 1]
B = [1, 0, 0, 0, 0, 0]
TABLES = [[2, 1, 1, 2], [1, 0, 2, 3]]
BINARY = ("tp", "fp", "fn", "tn")


def simulated(n_models, n_items, *, seed=0, groups=False):
    """Models that are right on most items, and tend to be wrong on the same ones."""
    rng = np.random.default_rng(seed)
    gold = rng.random(n_items) < 0.4
    hard = rng.random(n_items) < 0.3
    wrong = rng.random((n_models, n_items)) < np.where(hard, 0.5, 0.05)
    predictions = {f"m{i}": gold ^ row for i, row in enumerate(wrong)}
    documents = rng.integers(0, max(n_items // 5, 1), n_items) if groups else None
    return bf.from_labels(gold, predictions, groups=documents)


@pytest.fixture
def paired():
    return simulated(2, 200)


@pytest.fixture
def clustered():
    return simulated(2, 200, groups=True)


# ---- labels


@pytest.mark.parametrize("container", [list, np.array, pl.Series, pd.Categorical])
@pytest.mark.parametrize(
    "labels",
    [(0.0, 1.0), (False, True), ("no", "yes"), ("NEG", "POS"), (-1, 1)],
    ids=str,
)
def test_labels_of_every_kind_in_every_container_are_counted(container, labels):
    gold, a, b = (container([labels[v] for v in values]) for values in (GOLD, A, B))
    ev = bf.from_labels(gold, {"A": a, "B": b})
    np.testing.assert_array_equal(ev.tables, TABLES)
    assert ev == bf.from_labels(gold, {"A": a, "B": b}, positive=labels[1])


@pytest.mark.parametrize("dtype", ["Int64", "uint8", "float32", "boolean", "category"])
def test_booleans_and_numbers_of_every_dtype_agree(dtype):
    a = pd.Series(A).astype(dtype)
    assert bf.from_labels(GOLD, {"A": a, "B": np.array(B, dtype=bool)}) == bf.from_labels(
        GOLD, {"A": A, "B": B}
    )


def test_labels_other_than_the_positive_one_are_all_negative():
    ev = bf.from_labels(["x", "y", "z", "x"], {"A": ["x", "z", "y", "y"]}, positive="x")
    np.testing.assert_array_equal(ev.tables, [[1, 0, 1, 2]])


def test_twenty_models_are_merged_as_two_are():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 50)
    columns = {f"m{i}": rng.integers(0, 2, 50) for i in range(20)}
    ev = bf.from_labels(gold, columns)
    assert ev.select(["m3", "m17"]) == bf.from_labels(gold, {"m3": columns["m3"], "m17": columns["m17"]})


@pytest.mark.parametrize(
    "labels",
    [("a", "b"), ("0", "yes"), ("spam", "ham"), (2, 1)],
    ids=str,
)
def test_two_labels_of_which_neither_is_plainly_positive_are_averaged_over_with_a_remark(labels):
    ev = bf.from_labels(list(labels), {"A": [labels[0]] * 2})
    assert (ev.task.name, ev.classes) == ("multiclass", tuple(map(str, sorted(labels))))
    assert "positive= asks for one" in ev.remarks[-1]
    assert bf.score(ev, "A", "f1") == pytest.approx(1 / 3)
    named = bf.from_labels(list(labels), {"A": [labels[0]] * 2}, positive=labels[0])
    assert (named.task.name, named.remarks) == ("binary", ())


@pytest.mark.parametrize(
    ("gold", "positive", "hint"),
    [
        (["spam", "ham"], "sapm", r"no item is labelled 'sapm'; did you mean 'spam'\?"),
        ([0, 1], "1", r"no item is labelled '1'; did you mean 1\?"),
        (["0", "1"], 1, r"no item is labelled 1; did you mean '1'\?"),
    ],
)
def test_a_misspelt_positive_label_is_refused_with_the_right_one(gold, positive, hint):
    with pytest.raises(ValueError, match=hint):
        bf.from_labels(gold, {"A": gold}, positive=positive)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT], ids=str)
@pytest.mark.parametrize("others", [("a", "b"), (1, 0)], ids=str)
def test_a_missing_label_is_named_by_its_item(missing, others):
    with pytest.raises(ValueError, match="predictions of 'A' has no label for item 2; drop or fill it first"):
        bf.from_labels([*others, others[0]], {"A": [others[0], missing, others[1]]}, positive=others[0])


@pytest.mark.parametrize(
    ("y_true", "predictions", "message"),
    [
        ([], {"A": []}, "y_true is empty"),
        ([1, 0], {"A": [1]}, "predictions of 'A' have 1 values, but y_true 2"),
        (
            [1, 0],
            {"A": ["1", "0"]},
            "y_true has labels like .*1.* but predictions of 'A' like .*'1'.*never equal",
        ),
        (["a", 1], {"A": ["a", "b"]}, "y_true mixes strings and numbers, first at item 2"),
    ],
)
def test_bad_labels_are_refused_in_words(y_true, predictions, message):
    with pytest.raises(ValueError, match=message):
        bf.from_labels(y_true, predictions)


# ---- groups and units


def test_documents_are_units_and_items_are_kept_beside_them():
    ev = bf.from_labels(GOLD, {"A": A, "B": B}, groups=["x", "x", "y", "y", "z", "z"])
    assert ev.assumption == "clustered"
    assert ev.unit == "document"
    assert ev.weights.sum() == 3
    np.testing.assert_array_equal(ev.tables, TABLES)
    assert ev.items == bf.from_labels(GOLD, {"A": A, "B": B})
    by_hand = {
        "A": [(2, 0, 0, 0), (0, 0, 1, 1), (0, 1, 0, 1)],
        "B": [(1, 0, 1, 0), (0, 0, 1, 1), (0, 0, 0, 2)],
    }
    units = bf.from_units(by_hand, unit="document")
    np.testing.assert_array_equal(ev.patterns, units.patterns)
    np.testing.assert_array_equal(ev.weights, units.weights)


def test_units_of_an_array_are_those_of_a_mapping():
    counts = {"A": [(1, 0, 0), (0, 1, 1), (1, 0, 0)], "B": [(1, 1, 0), (1, 0, 0), (1, 1, 0)]}
    ev = bf.from_units(counts, unit="sentence")
    assert ev == bf.from_units(np.stack(list(counts.values()), axis=1), unit="sentence")
    assert ev.cells == ("tp", "fp", "fn")
    np.testing.assert_array_equal(ev.weights, [1, 2])
    np.testing.assert_array_equal(ev.tables, [[2, 1, 1], [3, 2, 0]])
    assert bf.from_units(np.ones((2, 27, 3))).models[::26] == ("M1", "M27")


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        ({"A": [(1, 0, 0)], "B": [(0, 0, 2)]}, {}, "unit 1 has 1 gold positives .* for 'A' but 2 for 'B'"),
        ({"A": [(1, 0, 0)], "B": [(1, 0, 0)] * 2}, {}, "the same items and columns belong in all"),
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


# ---- one posterior mechanism


@pytest.mark.parametrize("n_items", [4, 200])
@pytest.mark.parametrize("n_models", [2, 9])
def test_each_models_margin_of_the_joint_draws_is_its_closed_form_law(n_models, n_items):
    prior = 0.5
    ev = simulated(n_models, n_items, seed=3)
    rng = np.random.default_rng(11)
    tables = np.concatenate(list(sampling_model(ev, "paired").draw(prior=prior, n_draws=20_000, rng=rng)))
    assert tables.shape == (20_000, n_models, 4)
    for i, name in itertools.product((0, n_models - 1), ("f1", "precision", "recall", "accuracy")):
        measure = find_metric(name)
        distribution = distribution_of(measure, ev, i, prior)
        assert stats.kstest(measure(tables[:, i], ev.cells), distribution.cdf).pvalue > 1e-3


def test_models_are_as_dependent_in_the_draws_as_on_the_items():
    ev = simulated(2, 2000)
    draws = {}
    for assumption in ("paired", "independent"):
        rng = np.random.default_rng(5)
        tables = next(sampling_model(ev, assumption).draw(prior=1.0, n_draws=50_000, rng=rng))
        draws[assumption] = np.corrcoef(find_metric("accuracy")(tables, ev.cells).T)[0, 1]
    right = ev.patterns[..., [0, 3]].sum(axis=-1)
    on_items = np.cov(right.T, fweights=ev.weights.astype(int))
    assert draws["paired"] == pytest.approx(
        on_items[0, 1] / np.sqrt(on_items[0, 0] * on_items[1, 1]), abs=0.02
    )
    assert abs(draws["independent"]) < 0.02


JOINT = [
    (40, 6, 13, 5, 3, 7, 4, 120),
    (4, 6, 3, 3, 4, 3, 4, 9),
    (900, 60, 30, 80, 11, 25, 40, 5000),
]


def of_joint_counts(counts):
    """Return items that both models have, only A, only B, neither, of positive and of negative ones."""
    gold = np.repeat([1, 1, 1, 1, 0, 0, 0, 0], counts)
    a, b = np.repeat([1, 1, 0, 0, 1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0, 1, 0, 1, 0], counts)
    return bf.from_labels(gold, {"A": a, "B": b}, positive=1)


def brute_force(counts, measure, margin, *, prior=1.0, n=200_000, seed=1):
    """P(B - A > margin) and its standard error from Dirichlet draws of the eight joint outcomes."""
    rng = np.random.default_rng(seed)
    both, a, b, neither, claimed, by_a, by_b, alone = rng.dirichlet(np.array(counts) + prior / 2, size=n).T
    table_a = np.stack([both + a, claimed + by_a, neither + b, alone + by_b], axis=-1)
    table_b = np.stack([both + b, claimed + by_b, neither + a, alone + by_a], axis=-1)
    p = float(np.mean(measure(table_b, BINARY) - measure(table_a, BINARY) > margin))
    return p, np.sqrt((p * (1 - p) + 1 / n) / n)


LONG = pytest.mark.long


@pytest.mark.long
@pytest.mark.parametrize(
    "counts", [pytest.param(JOINT[0], marks=LONG), JOINT[1], pytest.param(JOINT[2], marks=LONG)]
)
def test_paired_probabilities_are_within_their_error_of_brute_force(counts):
    names = ["f1", "f2", "precision", "mcc", "jaccard", "recall", "specificity", "accuracy"]
    res = bf.compare(of_joint_counts(counts), metrics=names, rope=0.02, prior=1.0)
    for name, c in res.items():
        assert c.mcse < 2e-3
        for margin, value in ((0.0, c.p_h1), (0.02, c.p_greater), (-0.02, 1.0 - c.p_less)):
            p, mcse = brute_force(counts, find_metric(name), margin)
            assert abs(value - p) < 4.5 * np.hypot(mcse, max(c.mcse, 1e-4)), (name, margin)


def test_paired_f1_is_what_quadrature_gave():
    # P(H1) of F1 by a double integral over discordant shares and splits, exact to 1e-7.
    c = bf.compare(of_joint_counts(JOINT[0]), metrics="f1", prior=1.0)["f1"]
    assert c.p_h1 == pytest.approx(0.9666082, abs=4 * c.mcse)


# ---- assumptions


def test_auto_takes_the_strongest_assumption_that_the_data_support(paired, clustered):
    totals = bf.from_counts(A=(7, 4, 1), B=(8, 3, 0))
    for ev, assumption in ((totals, "independent"), (paired, "paired"), (clustered, "clustered")):
        assert bf.compare(ev, n_draws=1000, rng=0)["f1"].assumption == assumption


def test_clusters_read_item_by_item_can_be_taken_as_items(paired, clustered):
    as_items = bf.compare(clustered, assumption="paired", rng=0)["f1"]
    assert as_items.assumption == "paired"
    assert as_items.p_h1 == bf.compare(clustered.items, rng=0)["f1"].p_h1


@pytest.mark.parametrize(
    ("build", "assumption", "message"),
    [
        (
            lambda: bf.from_counts(A=(7, 4, 1), B=(8, 3, 0)),
            "paired",
            "'paired' needs to know what each unit adds",
        ),
        (lambda: bf.from_counts(A=(7, 4, 1), B=(8, 3, 0)), "clustered", "only totals are known"),
        (lambda: simulated(2, 50), "clustered", "'clustered' needs units of several items.*give groups="),
        (lambda: bf.from_units(np.ones((4, 2, 3))), "paired", "only the sums over each unit are known"),
        (lambda: simulated(2, 50), "piared", "unknown assumption 'piared'; did you mean 'paired'"),
    ],
)
def test_an_assumption_that_the_data_do_not_support_is_refused_in_words(build, assumption, message):
    ev = build()
    with pytest.raises(ValueError, match=message):
        bf.compare(ev, assumption=assumption)
    with pytest.raises(ValueError, match=message):
        bf.posterior(ev, ev.models[0], assumption=assumption)


def test_clusters_of_one_item_are_as_good_as_items():
    ev = simulated(2, 300)
    units = bf.from_units(np.repeat(ev.patterns, ev.weights.astype(int), axis=0), models=ev.models)
    drawn = bf.posterior(units, "m0", "f1", n_draws=20_000, rng=0)
    assert stats.kstest(drawn.draws, bf.posterior(ev, "m0", "f1").cdf).pvalue > 1e-3


def test_items_that_stick_together_make_a_score_less_certain():
    rng = np.random.default_rng(0)
    gold, right = np.repeat(rng.integers(0, 2, 40), 10), np.repeat(rng.random(40) < 0.8, 10)
    predictions, documents = {"A": np.where(right, gold, 1 - gold)}, np.repeat(np.arange(40), 10)
    ev = bf.from_labels(gold, predictions, groups=documents)
    wide = bf.posterior(ev, "A", "f1", rng=0).std()
    narrow = bf.posterior(ev, "A", "f1", assumption="paired").std()
    assert wide == pytest.approx(np.sqrt(10) * narrow, rel=0.15)


def test_a_clustered_model_without_a_true_positive_has_a_proper_posterior():
    ev = bf.from_units({"A": [(0, 1, 2)] * 20, "B": [(2, 1, 0)] * 20}, unit="sentence")
    post = bf.posterior(ev, "A", "f1", rng=0)
    assert 0 < post.interval(0.95)[0] < post.interval(0.95)[1] < 0.2
    assert post.std() > 0
    res = bf.compare(ev, n_draws=10_000, rng=0)
    assert all(c.p_h1 > 0.99 for c in res.values())
    assert all(c.mcse > 0 or c.method == "exact" for c in res.values())


# ---- randomness and memory


def test_the_global_random_generator_is_left_alone(clustered):
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    bf.compare(clustered, n_draws=1000)
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_memory_does_not_grow_with_the_number_of_draws(clustered):
    def peak(n_draws):
        tracemalloc.start()
        for _ in sampling_model(clustered, "clustered").draw(
            prior=1.0, n_draws=n_draws, rng=np.random.default_rng(0)
        ):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(400_000) < 1.2 * peak(100_000)


@pytest.fixture
def handful():
    gold = [1, 1, 1, 1, 0, 0, 0]
    return bf.from_labels(gold, {"A": [1, 1, 1, 0, 1, 1, 0], "B": [0, 0, 0, 1, 1, 1, 0]})


@pytest.mark.parametrize("metric", ["f1", "f2", "precision", "jaccard"])
def test_a_control_variate_helps_draws_of_paired_f_scores(handful, metric):
    found = bf.compare(handful, metrics=metric, rng=0)[metric]
    brute = bf.compare(handful, metrics=metric, rng=1, method="montecarlo", n_draws=400_000)[metric]
    assert abs(found.p_h1 - brute.p_h1) < 4 * np.hypot(brute.mcse, found.mcse)
    assert found.mcse < 0.7 * np.sqrt(found.p_h1 * found.p_h0 / found.settings.n_draws)


def test_cells_that_no_measure_needs_do_not_keep_patterns_apart():
    rng = np.random.default_rng(0)
    gold = rng.random(2000) < 0.2
    ev = bf.from_labels(gold, {"A": gold ^ (rng.random(2000) < 0.1)}, groups=rng.integers(0, 100, size=2000))
    kept = ev.keep(("tp", "fp", "fn"))
    assert len(kept.weights) < len(ev.weights)
    np.testing.assert_array_equal(kept.tables, ev.tables[:, :3])
