"""Evaluations: what goes in, that shards add up, that all parts come along, and runs of a method."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import bayesf1 as bf
from bayesf1 import BlockedCV, from_counts, from_folds, from_labels
from bayesf1.evaluation import resolve_metric
from bayesf1.io.saved import to_json
from bayesf1.metrics import find_metric
from bayesf1.runs import flatten
from bayesf1.sampling.training import run_variance_of
from bayesf1.tasks.classed import Classed
from bayesf1.tasks.correctness import Correctness
from bayesf1.tasks.judged.task import Judged
from bayesf1.tasks.probabilities import Probabilities
from bayesf1.tasks.scores import Scores
from bayesf1.tasks.statistics import Statistics
from evaluations import EVALUATIONS

A, B = (77, 44, 10, 702), (80, 30, 7, 716)
BCV = BlockedCV(3)

counts = st.lists(st.integers(1, 10**6), min_size=3, max_size=3)
evaluations = st.builds(lambda a, b: from_counts(A=a, B=b), counts, counts)
# Every shard holds an item that all call positive, as from_labels doubts a label that it never sees.
labels = st.lists(st.tuples(*[st.sampled_from([0, 1])] * 3), max_size=30).map(
    lambda items: [(1, 1, 1), *items]
)


def of_items(items):
    gold, a, b = zip(*items, strict=True)
    return from_labels(gold, {"A": a, "B": b}, positive=1)


# ---- from counts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given_as",
    [
        A,
        np.array(A, dtype=np.float32),
        {"TN": 702, " fn ": 10, "Fp": 44, "tp": 77},
        tuple(Fraction(x) for x in A),
        tuple(Decimal(x) for x in A),
    ],
    ids=lambda x: type(x).__name__,
)
def test_counts_may_be_given_in_many_ways(given_as):
    ev = from_counts(A=given_as)
    assert ev.cells == ("tp", "fp", "fn", "tn")
    assert ev.tables.tolist() == [list(A)]
    assert from_counts(A={"gold": 87, "predicted": 121, "correct": 77}) == from_counts(A=A[:3])


def test_a_mapping_and_keywords_go_together_in_order():
    ev = from_counts({"model 1": A, "ü": A}, B=B)
    assert ev.models == ("model 1", "ü", "B")
    assert ev.tables[ev.index("B")].tolist() == list(B)


def test_arrays_are_read_only_and_those_given_stay_as_they_were():
    given_array = np.array([1.0, 2.0, 3.0])
    ev = from_counts(A=given_array)
    given_array[0] = 99
    assert ev.tables[0, 0] == 1
    assert given_array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        ev.tables[0, 0] = 5


# ---- from folds --------------------------------------------------------------------------------------------


FOLDS = np.arange(18.0).reshape(6, 3)


@pytest.mark.parametrize("discount", ["once", "nadeau-bengio", 0.25, (0.5, 0.25)])
def test_the_discount_is_applied_as_asked(discount):
    ev = from_folds({"A": FOLDS}, cv=BlockedCV(3), discount=discount)
    k = BlockedCV(3).discount(discount)
    np.testing.assert_allclose(ev.tables, [k * FOLDS.sum(axis=0)])
    assert ev.folds.k == k
    assert ev.folds.rule == discount


def test_folds_may_be_given_in_many_ways():
    rows = [tuple(row) for row in FOLDS]
    dicts = [dict(zip(("tp", "fp", "fn"), row, strict=True)) for row in rows]
    columns = dict(zip(("tp", "fp", "fn"), FOLDS.T, strict=True))
    for value in (rows, dicts, iter(rows), columns, FOLDS.reshape(3, 2, 3)):
        assert from_folds({"A": value}, cv=BCV) == from_folds({"A": FOLDS}, cv=BCV)


# ---- addition ----------------------------------------------------------------------------------------------


@given(evaluations, evaluations, evaluations)
def test_addition_is_associative_and_commutative(x, y, z):
    assert (x + y) + z == x + (y + z)
    assert x + y == y + x == sum([x, y])
    np.testing.assert_array_equal((x + y).tables, x.tables + y.tables)


@given(labels, labels)
def test_two_shards_of_labels_equal_their_union(one, two):
    whole = of_items(one + two)
    added = of_items(one) + of_items(two)
    assert added == whole
    assert added.assumption == "paired"


def test_shards_of_folds_add_up_fold_by_fold():
    one, two = (from_folds({"A": [row] * 6}, cv=BCV) for row in ((1, 2, 3), (10, 0, 5)))
    added = one + two
    np.testing.assert_allclose(added.tables, one.tables + two.tables)
    np.testing.assert_array_equal(added.folds.counts[0, 0, 0], [11, 2, 8])
    with pytest.raises(ValueError, match="cross-validations cannot be added"):
        one + from_folds({"A": [(1, 2, 3)] * 6}, cv=BCV, discount="once")


def check_parts(ev):
    """Every part says the same of every model and cell."""
    shape = (len(ev.models), len(ev.cells))
    assert ev.tables.shape == shape
    for units in (ev.units, ev.item_units):
        if units is not None:
            np.testing.assert_allclose(units.totals.reshape(shape), ev.tables, rtol=1e-12, atol=1e-12)
            # Patterns differ from each other.
            rows = units.rows if isinstance(units.rows, np.ndarray) else units.rows.toarray()
            assert len(np.unique(rows, axis=0)) == units.n_patterns == len(units.weights)
    if ev.folds is not None:
        assert ev.folds.counts.shape[2:] == shape
        np.testing.assert_allclose(ev.folds.k * ev.folds.counts.sum((0, 1)), ev.tables, rtol=1e-12)
        if ev.folds.units is not None:
            np.testing.assert_allclose(ev.folds.units.totals, ev.folds.counts.ravel(), rtol=1e-12)


def some_cells(ev, take):
    """About half of the cells; some kinds have none that could be left out."""
    whole = isinstance(ev.task, Classed | Scores | Correctness | Statistics | Probabilities | Judged)
    return ev.cells if whole else ev.cells[take % 2 :: 2] or ev.cells


STEPS = {
    "select": lambda ev, i: ev.select(np.roll(ev.models, i)[: max(1, len(ev.models) - 1)].tolist()),
    "keep": lambda ev, i: ev.keep(some_cells(ev, i)),
    "scaled": lambda ev, i: ev.scaled(0.5 + i),
    "pair": lambda ev, i: ev.pair(*ev.models[:2]) if len(ev.models) > 1 else ev,
    "+": lambda ev, i: ev + ev,
    "pickling": lambda ev, i: pickle.loads(pickle.dumps(ev)),
    "copying": lambda ev, i: copy.deepcopy(ev) if i else copy.copy(ev),
}


@pytest.mark.parametrize("name", EVALUATIONS)
@settings(max_examples=6)
@given(steps=st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 2)), max_size=5))
def test_every_part_comes_along_in_any_order_of_calls(name, steps):
    before = ev = EVALUATIONS[name]()
    for step, i in steps:
        ev = STEPS[step](ev, i)
        check_parts(ev)
    for part in ("units", "item_units", "folds"):
        assert (getattr(ev, part) is None) == (getattr(before, part) is None), part
    if before.folds is not None:
        assert (ev.folds.units is None) == (before.folds.units is None)
    assert type(ev.task) is type(before.task)
    assert ev.unit == before.unit


GOLD = [1, 1, 1, 0, 0, 0, 1, 0]
SAID = {
    "bert": {"s1": [1, 1, 1, 0, 0, 1, 1, 0], "s2": [1, 1, 0, 0, 0, 0, 1, 0]},
    "crf": {"s1": [1, 0, 1, 0, 1, 0, 0, 0], "s2": [0, 0, 1, 0, 1, 0, 1, 0], "s3": [1, 0, 1, 1, 1, 0, 1, 0]},
}


@pytest.fixture
def ev():
    return bf.from_labels(GOLD, SAID, positive=1)


def test_nested_mappings_are_runs_of_methods(ev):
    assert ev.names == ("bert", "crf")
    assert ev.models == ("bert/s1", "bert/s2", "crf/s1", "crf/s2", "crf/s3")
    assert "2 methods (bert: 2 runs, crf: 3 runs)" in repr(ev)


TAGS = [["B-PER", "O"], ["O", "B-LOC"]]
BUILDERS = {
    "from_labels": lambda: bf.from_labels(GOLD, SAID, positive=1),
    "from_labels classes": lambda: bf.from_labels(
        list("abcab"), {"A": {"1": list("abcaa"), "2": list("abccb")}, "B": list("aacab")}
    ),
    "from_tags": lambda: bf.from_tags(TAGS, {"A": {"1": TAGS, "2": TAGS}, "B": TAGS}),
    "from_scores": lambda: bf.from_scores({"A": {"1": [0.1, 0.5], "2": [0.2, 0.4]}, "B": [0.3, 0.9]}),
    "from_correct": lambda: bf.from_correct({"A": {"1": [1, 0], "2": [1, 1]}, "B": [0, 1]}),
    "from_units": lambda: bf.from_units({"A": {"1": [(1, 0, 1)], "2": [(2, 0, 0)]}, "B": [(1, 1, 1)]}),
    "from_counts": lambda: bf.from_counts(
        {"A": {"1": (3, 4, 5), "2": {"tp": 4, "fp": 4, "fn": 4}}, "B": (3, 4, 5)}
    ),
    "from_confusion": lambda: bf.from_confusion({"A": {"1": np.eye(3), "2": np.eye(3)}, "B": np.eye(3)}),
}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
def test_every_reader_takes_runs(build):
    ev = build()
    first = ev.methods[0]
    assert len(first.runs) == 2
    assert all(run.startswith(f"{first.name}/") for run in first.runs)
    assert len(ev.names) == 2


def test_a_methods_score_is_the_mean_of_its_runs_and_not_that_of_the_pooled_table(ev):
    f1 = resolve_metric("f1", ev)
    each = f1(ev.tables, ev.cells)
    assert bf.score(ev, "bert") == pytest.approx(each[:2].mean())
    assert bf.score(ev, "crf") == pytest.approx(each[2:].mean())
    assert bf.score(ev, "crf") != pytest.approx(float(f1(ev.tables[2:].sum(axis=0), ev.cells)))
    assert bf.score(ev, "crf/s1") == pytest.approx(each[2])


def test_parts_keep_their_runs(ev):
    assert ev.select(["crf"]).methods == (ev.methods[1],)
    assert ev.select(["crf", "bert"]).names == ("crf", "bert")
    assert ev.select(["bert/s1", "crf/s3"]).methods == ()
    assert ev.pair("bert/s1", "crf").names == ("bert/s1", "crf")
    assert (ev + ev).methods == ev.methods
    assert ev.keep(("tp", "fp", "fn")).methods == ev.methods
    with pytest.raises(ValueError, match="cannot be added"):
        ev + bf.from_labels(GOLD, flatten(SAID)[0], positive=1)


def test_the_spread_of_training_is_what_units_do_not_explain():
    rng = np.random.default_rng(0)
    f1 = find_metric("f1")
    groups = [range(40), range(40, 80)]
    noise, tau = 0.01, 0.03
    scores = 0.7 + rng.normal(0, np.hypot(noise, tau), 80)
    drawn = rng.normal(0, noise, (4000, 80))
    known = run_variance_of(f1, scores, drawn, groups)
    assert known.medians == pytest.approx(tau, rel=0.3)
    # What units explain is not taken for training.
    only = run_variance_of(f1, 0.7 + rng.normal(0, noise, 80), drawn, groups)
    assert (only.medians < 0.6 * noise).all()
    draws = known.draw(100_000, rng)
    assert draws.std(axis=0) == pytest.approx(known.medians / np.sqrt(40), rel=0.05)


def test_a_name_that_one_shard_has_is_that_of_both_and_files_leave_out_none():
    named, unnamed = of_items([(1, 1, 1)]), bf.from_counts(A=A, B=B)
    assert '"positive":"1"' in to_json(named)
    assert '"positive"' not in to_json(unnamed)
    assert (unnamed.task.union(named.task), named.task.union(unnamed.task)) == (named.task, named.task)
