"""Evaluations from counts and folds: what goes in, and that shards add up."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bayesf1 import BlockedCV, Evaluation, from_counts, from_folds, from_labels

A, B = (77, 44, 10, 702), (80, 30, 7, 716)

counts = st.lists(st.integers(1, 10**6), min_size=3, max_size=3)
evaluations = st.builds(lambda a, b: from_counts(A=a, B=b), counts, counts)
# Every shard holds an item that all call positive, as from_labels doubts a label that it never sees.
labels = st.lists(st.tuples(*[st.sampled_from([0, 1])] * 3), max_size=30).map(
    lambda items: [(1, 1, 1), *items]
)


def of_items(items):
    gold, a, b = zip(*items, strict=True)
    return from_labels(gold, {"A": a, "B": b}, positive=1)


class TestFromCounts:
    @pytest.mark.parametrize(
        "given_as",
        [
            A,
            list(A),
            np.array(A),
            np.array(A, dtype=np.int32),
            np.array(A, dtype=np.float32),
            {"tp": 77, "fp": 44, "fn": 10, "tn": 702},
            {"TN": 702, " fn ": 10, "Fp": 44, "tp": 77},
            tuple(Fraction(x) for x in A),
            tuple(Decimal(x) for x in A),
        ],
        ids=lambda x: type(x).__name__,
    )
    def test_counts_may_be_given_in_many_ways(self, given_as):
        ev = from_counts(A=given_as)
        assert ev.cells == ("tp", "fp", "fn", "tn")
        assert ev.tables.tolist() == [list(A)]

    def test_chunks_are_turned_into_cells(self):
        ev = from_counts(A={"gold": 87, "predicted": 121, "correct": 77})
        assert ev.cells == ("tp", "fp", "fn")
        assert ev.tables.tolist() == [[77, 44, 10]]

    def test_a_mapping_and_keywords_go_together_in_order(self):
        ev = from_counts({"model 1": A, "ü": A}, B=B)
        assert ev.models == ("model 1", "ü", "B")
        assert ev.table("B").tolist() == list(B)

    def test_arrays_are_read_only_and_those_given_stay_as_they_were(self):
        given_array = np.array([1.0, 2.0, 3.0])
        ev = from_counts(A=given_array)
        given_array[0] = 99
        assert ev.tables[0, 0] == 1
        assert given_array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            ev.tables[0, 0] = 5


class TestFromFolds:
    folds = np.arange(18.0).reshape(6, 3)

    def test_effective_counts_are_the_discounted_sum(self):
        ev = from_folds({"A": self.folds}, cv=BlockedCV(3))
        np.testing.assert_allclose(ev.tables, [BlockedCV(3).discount() * self.folds.sum(axis=0)])

    @pytest.mark.parametrize("discount", ["once", "nadeau-bengio", 0.25, (0.5, 0.25)])
    def test_the_discount_is_applied_as_asked(self, discount):
        ev = from_folds({"A": self.folds}, cv=BlockedCV(3), discount=discount)
        k = BlockedCV(3).discount(discount)
        np.testing.assert_allclose(ev.tables, [k * self.folds.sum(axis=0)])
        assert ev.folds.k == k
        assert ev.folds.rule == discount

    def test_folds_may_be_given_in_many_ways(self):
        rows = [tuple(row) for row in self.folds]
        dicts = [dict(zip(("tp", "fp", "fn"), row, strict=True)) for row in rows]
        columns = dict(zip(("tp", "fp", "fn"), self.folds.T, strict=True))
        for value in (rows, dicts, iter(rows), columns, self.folds.reshape(3, 2, 3)):
            assert from_folds({"A": value}) == from_folds({"A": self.folds})

    def test_the_tables_of_the_folds_are_kept_repeat_by_repeat(self):
        folds = from_folds({"A": self.folds, "B": self.folds}).folds
        assert folds.counts.shape == (3, 2, 2, 3)
        np.testing.assert_array_equal(folds.counts[1, 0, 0], self.folds[2])
        assert not folds.counts.flags.writeable


class TestEquality:
    @pytest.mark.parametrize(
        "other",
        [
            from_counts(B=B, A=A),
            from_counts(A=A, C=B),
            from_counts(A=A[:3], B=B[:3]),
            from_counts(A=A, B=(80, 30, 7, 717)),
            "an evaluation",
            None,
        ],
        ids=["order", "name", "cells", "count", "string", "none"],
    )
    def test_anything_else_is_not(self, other):
        assert from_counts(A=A, B=B) != other


class TestAddition:
    @given(evaluations, evaluations, evaluations)
    def test_addition_is_associative_and_commutative(self, x, y, z):
        assert (x + y) + z == x + (y + z)
        assert x + y == y + x

    @given(st.lists(evaluations, min_size=1, max_size=5))
    def test_sum_adds_the_counts_up(self, shards):
        total = sum(shards)
        assert isinstance(total, Evaluation)
        np.testing.assert_array_equal(total.tables, sum(ev.tables for ev in shards))

    @given(labels, labels)
    def test_two_shards_of_labels_equal_their_union(self, one, two):
        whole = of_items(one + two)
        added = of_items(one) + of_items(two)
        assert added == whole
        assert added.assumption == "paired"

    def test_shards_of_folds_add_up_fold_by_fold(self):
        one, two = from_folds({"A": [(1, 2, 3)] * 6}), from_folds({"A": [(10, 0, 5)] * 6})
        added = one + two
        np.testing.assert_allclose(added.tables, one.tables + two.tables)
        np.testing.assert_array_equal(added.folds.counts[0, 0, 0], [11, 2, 8])

    def test_folds_of_different_designs_do_not_add_up(self):
        with pytest.raises(ValueError, match="cross-validations do not add up"):
            from_folds({"A": [(1, 2, 3)] * 6}) + from_folds({"A": [(1, 2, 3)] * 6}, discount="once")
