"""Whatever is done to an evaluation, all of its parts come along: units, items, folds, discount."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import bayesf1 as bf
from bayesf1.tasks.classed import Classed
from bayesf1.tasks.correctness import Correctness
from bayesf1.tasks.judged import Audited
from bayesf1.tasks.probabilities import Probabilities
from bayesf1.tasks.scores import Scores
from bayesf1.tasks.statistics import Statistics
from evaluations import EVALUATIONS


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
    whole = isinstance(ev.task, Classed | Scores | Correctness | Statistics | Probabilities | Audited)
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
@settings(max_examples=6, deadline=None)
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


@pytest.mark.parametrize("name", EVALUATIONS)
def test_the_order_of_selecting_and_keeping_does_not_matter(name):
    ev = EVALUATIONS[name]()
    cells = some_cells(ev, 0)
    assert ev.select(["C", "A"]).keep(cells) == ev.keep(cells).select(["C", "A"])
    assert ev.keep(cells).scaled(0.25) == ev.scaled(0.25).keep(cells)


def test_paired_items_of_a_cross_validation_keep_their_discount():
    ev = EVALUATIONS["cross-validated documents"]()
    # What documents add to folds is not what single items add.
    assert ev.items.folds == ev.folds.tables_only != ev.folds
    assert "120 items" in str(bf.compare(ev, "A", "B", assumption="paired", rng=1, n_draws=1000))


@pytest.mark.long
def test_independent_items_are_the_trials_also_after_cells_were_left_out():
    # 30 documents of 20 items, whose difficulty differs from document to document.
    rng = np.random.default_rng(3)
    ease = np.repeat(rng.normal(1.0, 2.5, 30), 20)
    gold = rng.random(600) < 0.5
    said = {m: np.where(rng.random(600) < 1 / (1 + np.exp(-ease)), gold, ~gold) for m in "AB"}
    ev = bf.from_labels(gold, said, groups=np.repeat(np.arange(30), 20))
    for method in ("delta", "bootstrap_percentile"):
        by_document = bf.intervals(ev, "A", "f1", rng=1)[method].length
        as_items = bf.intervals(ev, "A", "f1", assumption="independent", rng=1)[method].length
        alone = bf.intervals(ev.items, "A", "f1", rng=1)[method].length
        assert as_items == pytest.approx(alone, rel=0.05)
        assert by_document > 1.5 * as_items
    gaps = bf.difference_intervals(ev, metric="f1", assumption="independent", rng=1)["delta"].length
    lone = [bf.intervals(ev.items, m, "f1", rng=1)["delta"].length for m in "AB"]
    assert gaps == pytest.approx(np.hypot(*lone), rel=1e-6)
