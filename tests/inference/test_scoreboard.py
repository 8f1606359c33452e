"""Several models and measures in one table."""

import pytest
from scipy import stats

import bayesf1 as bf

TABLES = {"A": (77, 44, 10), "B": (83, 9, 14), "C": (70, 30, 27)}
BOARD = bf.scoreboard(bf.from_counts(TABLES))


def test_intervals_are_those_of_the_beta_law():
    found = BOARD.to_frame()
    for name, (tp, fp, fn) in TABLES.items():
        for metric, misses in (("precision", fp), ("recall", fn)):
            low, high = stats.beta(tp + 0.5, misses + 0.5).interval(0.95)
            row = found.loc[(name, metric)]
            assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9)
            assert row["score"] == pytest.approx(tp / (tp + misses))


def test_intervals_are_those_of_compare_to_the_last_digit():
    res = bf.compare(bf.from_counts(TABLES), "A", "B")
    cells = {
        (row[0], name): cell for row in BOARD.table.rows for name, cell in zip("PRF", row[1:], strict=True)
    }
    for row, name in zip(res.table.rows, "PRF", strict=True):
        assert row[1] == cells["A", name]
        assert row[2] == cells["B", name]


def test_rows_are_ordered_by_f1_and_the_surely_best_stands_out():
    assert BOARD.models == ("B", "A", "C")
    # B is surely the best in P and F1; in R A leads, but B is near.
    assert BOARD.table.bold == {(0, 1), (0, 3)}
    assert BOARD.sentence() == bf.rank(bf.from_counts(TABLES)).sentence()
