"""The same data and `rng` give the same digits: from many threads, and from two workers."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bayesf1 as bf
from evaluations import EVALUATIONS

PAIRED, GROUPED, SCORES = (EVALUATIONS[name]() for name in ("items", "documents", "scores"))
VERBS = {
    "compare": lambda rng: bf.compare(GROUPED, "A", "B", rng=rng, n_draws=2000).to_text(),
    "compare scores": lambda rng: bf.compare(SCORES, "A", "B", rng=rng, n_draws=2000).to_text(),
    "rank": lambda rng: bf.rank(GROUPED, rng=rng, n_draws=2000).to_text(),
    "summary": lambda rng: str(bf.summary(PAIRED, rng=rng)),
    "posterior": lambda rng: str(bf.posterior(PAIRED, "A", rng=rng).interval()),
    "hierarchical": lambda rng: str(bf.hierarchical({"x": PAIRED, "y": GROUPED}, rng=rng, draws=500)),
    "randomization": lambda rng: str(bf.randomization_test(GROUPED, "A", "B", rng=rng, n_trials=500)),
    "latex": lambda rng: bf.compare(GROUPED, "A", "C", rng=rng, n_draws=2000).to_latex(),
}


@pytest.mark.long
def test_many_threads_give_what_one_gives():
    tasks = [(name, rng) for rng in range(2) for name in VERBS]
    serial = {task: VERBS[task[0]](task[1]) for task in dict.fromkeys(tasks)}
    with ThreadPoolExecutor(8) as pool:
        for task, found in zip(tasks, pool.map(lambda task: VERBS[task[0]](task[1]), tasks), strict=True):
            assert found == serial[task], task


def fit(X_train, y_train):
    above = np.mean(np.asarray(X_train)[np.asarray(y_train) == 1])
    return lambda X_test: (np.asarray(X_test) > above).astype(int)


def constant(X_train, y_train):
    return lambda X_test: [1] * len(X_test)


@pytest.mark.long
def test_two_workers_give_the_same_digits():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    y = (x + rng.normal(size=80) > 0).astype(int)
    models = {"A": fit, "B": constant}
    one, other = (bf.cross_validate(models, x, y, cv=bf.BlockedCV(m=3, rng=1), n_jobs=n) for n in (1, 2))
    assert one == other
    assert bf.compare(one, target="method").to_text() == bf.compare(other, target="method").to_text()
