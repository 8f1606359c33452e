"""Tables 2 to 5 of Wang & Li (2019), cell by cell: what is printed, what is exact, and where they differ."""

import json
from pathlib import Path

import pytest

import bayesf1 as bf
from builders import load_script

PAPER = json.loads(
    (Path(__file__).parents[1] / "reference" / "wang_li_2019.json").read_text(encoding="utf-8")
)
MISPRINTS = {(m["task"], m["metric"], m["cell"]): m for m in PAPER["misprints"]}
ROWS = [(task, metric) for task in PAPER["tasks"] for metric in task["metrics"]]
# Cells and the decimals that are printed of them.
ENDS = [f"interval_{model} {end}" for model in "ab" for end in ("low", "high")]
CELLS = dict.fromkeys(ENDS, 2) | {"p_h0": 3, "p_h1": 3}

over_rows = pytest.mark.parametrize(("task", "metric"), ROWS, ids=[f"{t['task']}-{m}" for t, m in ROWS])


@pytest.fixture(scope="module")
def results():
    found = {}
    for task in PAPER["tasks"]:
        example = bf.load_example(task["example"])
        assert (example.models, example.folds.cv) == (tuple(task["models"]), bf.BlockedCV(3))
        models = {model: example.folds.counts[:, :, i] for i, model in enumerate(example.models)}
        ev = bf.from_folds(models, cv=bf.BlockedCV(m=3), discount=PAPER["discount"])
        found[task["task"]] = bf.compare(ev, prior=PAPER["prior"])
    return found


def cells_of(res):
    ends = [100 * end for post in (res.posterior_a, res.posterior_b) for end in post.interval(0.95)]
    return dict(zip(CELLS, [*ends, res.p_h0, res.p_h1], strict=True))


def printed_of(row):
    return dict(zip(CELLS, [*row["interval_a"], *row["interval_b"], row["p_h0"], row["p_h1"]], strict=True))


@over_rows
def test_every_cell_is_recomputed_to_the_last_digit(task, metric, results):
    exact = task["metrics"][metric]["recomputed"]
    found = cells_of(results[task["task"]][metric])
    assert found["p_h1"] == pytest.approx(exact["p_h1"], abs=6e-11)
    intervals = [*exact["interval_a"], *exact["interval_b"]]
    assert [found[end] for end in ENDS] == pytest.approx(intervals, abs=6e-7)


@over_rows
@pytest.mark.parametrize("cell", CELLS)
def test_a_printed_cell_is_the_exact_one_rounded_or_a_known_misprint(task, metric, cell, results):
    printed = printed_of(task["metrics"][metric]["printed"])[cell]
    exact = cells_of(results[task["task"]][metric])[cell]
    misprint = MISPRINTS.get((task["task"], metric, cell))
    assert (round(exact, CELLS[cell]) == printed) == (misprint is None)
    if misprint is not None:
        assert misprint["printed"] == printed
        assert exact == pytest.approx(misprint["exact"], rel=1e-5)
        # Even then the print is off by one in its last digit, or by one and Monte Carlo noise.
        assert abs(exact - printed) < 1.02 * 10 ** -CELLS[cell]


@over_rows
def test_every_decision_is_the_printed_one(task, metric, results):
    printed = task["metrics"][metric]["printed"]["decision"]
    assert results[task["task"]][metric].decision == printed.lower().replace("h", "H")


def test_all_misprints_belong_to_a_cell():
    assert set(MISPRINTS) <= {(task["task"], metric, cell) for task, metric in ROWS for cell in CELLS}
    assert len(MISPRINTS) == len(PAPER["misprints"]) == 14


def test_the_discount_in_closed_form_moves_no_printed_digit(results):
    # 0.3688 is 0.36880211... in full.
    for task in PAPER["tasks"]:
        full = bf.compare(bf.load_example(task["example"]))
        for metric, res in results[task["task"]].items():
            assert full[metric].p_h1 == pytest.approx(res.p_h1, abs=2e-6)


@pytest.fixture(scope="module")
def example():
    return load_script("examples/papers/wang_li_tables.py")


def test_the_example_shows_the_same_print(example):
    for task, metric in ROWS:
        printed = task["metrics"][metric]["printed"]
        intervals = (*printed["interval_a"], *printed["interval_b"])
        quoted = (*intervals, printed["p_h0"], printed["p_h1"], printed["decision"])
        assert example.PRINTED[task["task"]][metric] == quoted


def test_the_example_marks_all_misprints_and_nothing_else(example, capsys):
    example.main()
    title, text = capsys.readouterr().out.split("\n", 1)
    tables, notes = text.split("Where the print differs")
    assert "Tables 2-5" in title
    assert tables.count("*") == len(MISPRINTS)
    assert len(notes.strip().splitlines()) == len(MISPRINTS)
