"""Intervals of scores hold the truth when six models and one judge speak of many items and sixty are labelled."""

import numpy as np
import pytest

import bayesf1 as bf

N_MODELS, N_ITEMS, N_LABELS, N_CLASSES, ERROR, JUDGE_ERROR = 6, 300, 60, 4, 0.2, 0.1


def holds_the_truth(seed: int) -> bool:
    """Simulate an experiment, and say whether the 95 % interval of a model's F1 holds the F1 of its whole population."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, N_CLASSES, N_ITEMS)

    def said(error):
        other = (gold + rng.integers(1, N_CLASSES, N_ITEMS)) % N_CLASSES
        return np.where(rng.random(N_ITEMS) < error, other, gold)

    models = {f"model {i}": said(ERROR) for i in range(N_MODELS)}
    labelled = {*rng.choice(N_ITEMS, N_LABELS, replace=False).tolist()}
    known = [int(y) if i in labelled else None for i, y in enumerate(gold)]
    ev = bf.from_labels(known, models, judge=said(JUDGE_ERROR))
    low, high = bf.posterior(ev, "model 0", "f1", n_draws=500, rng=seed).interval(0.95)
    # Classes are equally frequent and errors fall on all others alike: precision, recall and F1 are one number.
    return bool(low <= 1 - ERROR <= high)


@pytest.mark.filterwarnings("ignore")
def test_most_intervals_hold_the_truth():
    # If each holds it with probability 0.85, fewer than four of eight do with probability 0.003.
    assert sum(holds_the_truth(seed) for seed in range(8)) >= 4


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_nine_of_twelve_intervals_hold_the_truth():
    assert sum(holds_the_truth(seed) for seed in range(60)) >= 45
