"""Tables 2 to 5 of Wang & Li (2019), cell by cell."""

import json
from pathlib import Path

import pytest

import bayesf1 as bf

ROWS = json.loads((Path(__file__).parent / "reference" / "wang_li_2019.json").read_text(encoding="utf-8"))[
    "rows"
]
EACH = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['task']}-{row['metric']}")


def comparison(row, discount="wang-li"):
    ev = bf.load_example(f"wang-li-{row['task']}")
    folds = {name: ev.folds.counts[:, :, i] for i, name in enumerate(ev.models)}
    ev = bf.from_folds(folds, cv=bf.BlockedCV(m=3), discount=discount)
    return bf.compare(ev, metrics=row["metric"])[row["metric"]]


def cells(c):
    a, b = c.posterior_a.interval(0.95), c.posterior_b.interval(0.95)
    ends = {"a_low": a[0], "a_high": a[1], "b_low": b[0], "b_high": b[1]}
    return {name: round(100 * end, 2) for name, end in ends.items()} | {
        "p_h0": round(c.p_h0, 3),
        "p_h1": round(c.p_h1, 3),
    }


def printed(row):
    p = row["published"]
    ends = dict(zip(("a_low", "a_high", "b_low", "b_high"), (*p["a"], *p["b"]), strict=True))
    return ends | {"p_h0": p["p_h0"], "p_h1": p["p_h1"]}


# MATHS of the recomputation: k = .3688 as the paper rounds it; digits are good to the last one.
@EACH
def test_with_the_papers_rounded_discount_every_digit_of_the_exact_values_is_met(row):
    c = comparison(row, 0.3688)
    assert c.p_h1 == pytest.approx(row["exact"]["p_h1"], abs=6e-11)
    for post, ends in ((c.posterior_a, row["exact"]["a"]), (c.posterior_b, row["exact"]["b"])):
        assert [100 * end for end in post.interval(0.95)] == pytest.approx(ends, abs=6e-7)


@EACH
def test_every_published_cell_is_ours_but_for_the_known_misprints(row):
    ours, theirs = cells(comparison(row)), printed(row)
    assert {name for name in ours if ours[name] != pytest.approx(theirs[name])} == set(row["misprints"])


@EACH
def test_where_the_print_differs_it_is_by_little(row):
    ours, theirs = cells(comparison(row)), printed(row)
    for name in row["misprints"]:
        assert ours[name] == pytest.approx(theirs[name], abs=0.011 if name[0] in "ab" else 0.0011)


@EACH
def test_decisions_are_the_papers(row):
    assert comparison(row).decision == row["published"]["decision"]


@EACH
def test_the_papers_monte_carlo_agrees_with_the_exact_answer_within_its_error(row):
    ev = bf.load_example(f"wang-li-{row['task']}")
    exact = comparison(row)
    drawn = bf.compare(ev, metrics=row["metric"], method="montecarlo", rng=2019)[row["metric"]]
    assert abs(drawn.p_h1 - exact.p_h1) < 4 * drawn.mcse
