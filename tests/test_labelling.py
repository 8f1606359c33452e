"""Which items to label next, what is then known, and intervals of scores if few items are labelled."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.labelling import Doubt, doubt_of
from builders import drawn_scores, flipped, judged_items


def evaluation(known, said, judge):
    return bf.from_labels(known, said, judge=judge, positive=1)


def items(**how):
    """Gold labels, those that are known, and what two models and a judge say."""
    gold, known, said, judge = judged_items(**{"n": 6000, "labelled": 200, "judge_error": 0.08, **how})
    return gold, known.astype(float), said, judge


def spread(ev, metric="f1"):
    scores = drawn_scores(ev, metric, prior=1.0)
    return np.std(scores[:, 1] - scores[:, 0])


def test_a_plan_labels_where_models_disagree():
    plan = bf.plan_labels(evaluation(*items()[1:]), budget=100, rng=1)
    assert sum(cell.plan for cell in plan.cells) == plan.budget == 100
    odd = sum(cell.plan for cell in plan.cells if ("A 1" in cell.known) != ("B 1" in cell.known))
    assert odd > 70
    assert plan.length_after < plan.length_random < plan.length


def test_the_allocation_is_the_best_of_all_of_whole_numbers():
    doubt = Doubt(
        spread=np.array([5.0, 1.0, 2.0]),
        labelled=np.array([3.0, 0.0, 10.0]),
        unlabelled=np.array([6.0, 20.0, 20.0]),
        believed=np.full(3, 1.5),
        sampled=0.1,
    )
    best = min(
        doubt.variance(np.array(m, dtype=float))
        for m in itertools.product(range(7), range(13), range(13))
        if sum(m) == 12
    )
    found = doubt.neyman(12, explore=0.0)
    assert found.sum() == 12
    assert doubt.variance(found) == pytest.approx(best, rel=0.01)


def test_a_share_of_the_budget_goes_everywhere_by_the_root_of_sizes_and_a_large_budget_takes_all():
    sizes = np.array([100.0, 400.0, 2500.0])
    doubt = Doubt(np.array([5.0, 1e-9, 1e-9]), np.zeros(3), sizes, np.ones(3), 0.0)
    assert doubt.neyman(100, explore=0.4).tolist() == [65, 10, 25]
    assert doubt.neyman(100, explore=0.0).tolist() == [100, 0, 0]
    assert doubt.neyman(10_000, explore=0.1).tolist() == sizes.tolist()


def test_the_doubt_is_the_variance_of_the_posterior():
    ev = evaluation(*items(labelled=1500)[1:])
    doubt = doubt_of(ev, ev.task, resolve_metric("f1", ev), prior=1.0)
    assert np.sqrt(doubt.variance()) == pytest.approx(spread(ev), rel=0.1)


@pytest.mark.long
@pytest.mark.parametrize("way", ["plan", "random"])
def test_the_expected_length_is_that_after_labelling(way):
    ratios = []
    for seed in range(6):
        gold, known, said, judge = items(seed=seed, labelled=300)
        ev = evaluation(known, said, judge)
        plan = bf.plan_labels(ev, budget=300, rng=1)
        rng = np.random.default_rng(seed)
        at_random = rng.choice(np.flatnonzero(pd.isna(known)), 300, replace=False)
        chosen = plan.items if way == "plan" else at_random
        known[chosen] = gold[chosen]
        after = 2 * 1.96 * spread(evaluation(known, said, judge))
        ratios.append(after / (plan.length_after if way == "plan" else plan.length_random))
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.12)


def test_the_probability_of_a_verdict_is_that_of_a_simulation():
    doubt = Doubt(np.array([3.0, 1.0]), np.array([10.0, 10.0]), np.full(2, 1000.0), np.ones(2), 0.01)
    prospect = replace(doubt, mean=0.8)
    more = np.array([30.0, 10.0])
    rng = np.random.default_rng(0)
    before, after = doubt.variance(), doubt.variance(more)
    means = rng.normal(0.8, np.sqrt(before - after), 400_000)
    expected = np.mean(np.abs(means) > 1.959964 * np.sqrt(after))
    assert prospect.verdict(more) == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(400_000))


def test_items_are_unlabelled_and_of_the_cells_that_were_planned():
    _, known, said, judge = items()
    plan = bf.plan_labels(evaluation(known, said, judge), budget=120, rng=1)
    rows = plan.items
    assert len(set(rows.tolist())) == 120
    assert pd.isna(known[rows]).all()
    for cell in plan.cells:
        a, b, j = (int("not" not in part and part.endswith("1")) for part in cell.known.split(", "))
        same = (said["A"][rows] == a) & (said["B"][rows] == b) & (judge[rows] == j)
        assert same.sum() == cell.plan
    assert json.loads(plan.to_json())["items"] == rows.tolist()


def test_items_have_their_ids_where_they_were_given():
    _, known, said, judge = items(n=500)
    names = [f"doc{i}" for i in range(len(known))]
    how = {"budget": 30, "rng": 1}
    rows = bf.plan_labels(evaluation(known, said, judge), **how).items
    named = {m: pd.Series(x, index=names) for m, x in {**said, "judge": judge, "gold": known}.items()}
    told = bf.from_labels(named.pop("gold"), named, judge=named.pop("judge"), positive=1)
    frame = pd.DataFrame({"gold": known, **said, "judge": judge})
    columns = {"gold": "gold", "models": ["A", "B"], "judge": "judge", "positive": 1}
    found = [
        bf.plan_labels(ev, **how).items.tolist()
        for ev in (
            told,
            bf.from_frame(frame.set_axis(names), **columns),
            bf.from_frame(frame, **columns),
            bf.from_frame(pl.from_pandas(frame, nan_to_null=True), **columns),
        )
    ]
    assert found == 2 * [[names[i] for i in rows]] + 2 * [rows.tolist()]


def holds_the_truth(seed: int) -> bool:
    """Simulate an experiment, and say whether the 95 % interval of a model's F1 holds the F1 of its whole population."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, 300)
    models = {f"model {i}": flipped(gold, 0.2, rng, k=4) for i in range(6)}
    labelled = {*rng.choice(300, 60, replace=False).tolist()}
    known = [int(y) if i in labelled else None for i, y in enumerate(gold)]
    ev = bf.from_labels(known, models, judge=flipped(gold, 0.1, rng, k=4))
    low, high = bf.posterior(ev, "model 0", "f1", n_draws=500, rng=seed).interval(0.95)
    # Classes are equally frequent and errors fall on all others alike: precision, recall and F1 are one number.
    return bool(low <= 0.8 <= high)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("n", "least"), [(8, 4), pytest.param(60, 45, marks=pytest.mark.long)])
def test_most_intervals_hold_the_truth(n, least):
    # If each holds it with probability 0.85, fewer than four of eight do with probability 0.003.
    assert sum(holds_the_truth(seed) for seed in range(n)) >= least
