"""The same data and `rng` give the same digits: from many threads, any number of workers, and any engine of frames."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayesf1 as bf
from builders import needed


def columns(n=240):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, n)
    said = {m: np.where(rng.random(n) < 0.8, gold, 1 - gold) for m in ("A", "B", "C")}
    words = np.array(["ham", "spam"])
    return {"gold": words[gold], **{m: words[s] for m, s in said.items()}, "doc": rng.integers(0, 60, n)}


DATA = columns()
PAIRED = bf.from_labels(DATA["gold"], {m: DATA[m] for m in "ABC"}, positive="spam")
GROUPED = bf.from_labels(DATA["gold"], {m: DATA[m] for m in "ABC"}, positive="spam", groups=DATA["doc"])
SCORES = bf.from_scores({m: np.random.default_rng(i).random(80) for i, m in enumerate("AB")}, name="NDCG")
VERBS = {
    "compare": lambda rng: bf.compare(GROUPED, "A", "B", rng=rng, n_draws=2000).to_text(),
    "compare scores": lambda rng: bf.compare(SCORES, rng=rng, n_draws=2000).to_text(),
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
@pytest.mark.parametrize("n_jobs", [2, -1])
def test_any_number_of_workers_gives_the_same_digits(n_jobs):
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    y = (x + rng.normal(size=80) > 0).astype(int)
    models = {"A": fit, "B": constant}
    one, other = (bf.cross_validate(models, x, y, cv=bf.BlockedCV(m=3, rng=1), n_jobs=n) for n in (1, n_jobs))
    assert one == other
    assert bf.compare(one, target="method").to_text() == bf.compare(other, target="method").to_text()


ENGINES = {
    "pandas": pd.DataFrame,
    "pandas, shuffled": lambda data: pd.DataFrame(data).sample(frac=1, random_state=1),
    "pandas, categories": lambda data: pd.DataFrame(data).astype(dict.fromkeys(("gold", *"ABC"), "category")),
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda data: needed("duckdb").from_arrow(pa.table(data)),
}


@pytest.mark.parametrize("engine", [*list(ENGINES)[:-1], pytest.param("duckdb", marks=pytest.mark.long)])
@pytest.mark.parametrize("group", [None, "doc"])
def test_any_engine_gives_the_same_digits(engine, group):
    how = {"gold": "gold", "models": ["A", "B", "C"], "positive": "spam", "group": group}
    ev = bf.from_frame(ENGINES[engine](DATA), **how)
    other = PAIRED if group is None else GROUPED
    assert bf.rank(ev, rng=1, n_draws=2000).to_text() == bf.rank(other, rng=1, n_draws=2000).to_text()
    mcc = [bf.compare(each, "A", "B", metrics=["mcc"], rng=1, n_draws=2000).to_text() for each in (ev, other)]
    assert mcc[0] == mcc[1]
