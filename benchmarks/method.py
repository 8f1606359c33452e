"""Is it the method that is better, or these trained models? Coverage of what is said of either.

Two methods are trained several times each and all runs tested on the same items. 95 % intervals of the difference of
the methods' expected F1, coverage / length: from one run of each, from the mean of all runs (both ask only what the
items that were drawn could change), by a t-test over runs (which asks only for the training), and by runs × items.
The same for folds of a cross-validation, in `method_folds.py`. Seeded; a few minutes.

    python benchmarks/method.py [--replicates 150] [--full]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import special, stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling.model import sampling_model

DRAWS = 1000
PREVALENCE, EASE, SHARED = 0.3, 1.5, 0.7


class Setting(NamedTuple):
    """Items, runs of each method, spread of training, of a method's own items, and of a run's own items (logits)."""

    n: int
    runs: int
    training: float
    method_items: float
    run_items: float


SETTINGS = (
    Setting(1000, 5, 0.1, 0.0, 0.5),
    Setting(1000, 5, 0.3, 0.0, 0.5),
    Setting(1000, 3, 0.3, 0.0, 0.5),
    Setting(300, 10, 0.2, 0.0, 0.2),
    Setting(1000, 3, 0.0, 0.0, 0.5),
    Setting(300, 5, 0.05, 0.8, 0.3),
    Setting(1000, 5, 0.1, 0.8, 0.3),
    Setting(3000, 5, 0.1, 0.8, 0.3),
    Setting(300, 20, 0.1, 0.8, 0.3),
)


def expected_f1(setting: Setting, better: float) -> float:
    """Return the F1 that a run has on average, on all items that there could be."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    items = np.sqrt(SHARED**2 + setting.method_items**2 + setting.run_items**2)
    ease = EASE + better + setting.training * nodes[:, None] + items * nodes
    right = special.expit(ease) @ weights / weights.sum()
    f1 = 2 * PREVALENCE * right / (2 * PREVALENCE * right + 1 - right)
    return float(f1 @ weights / weights.sum())


def experiment(setting: Setting, better: float, rng: np.random.Generator) -> bf.Evaluation:
    """Train and test both methods: B is better by so many logits."""
    n = setting.n
    gold = rng.random(n) < PREVALENCE
    hard = rng.normal(0.0, SHARED, n)
    said: dict[str, dict[str, np.ndarray]] = {}
    for name, gain in (("A", 0.0), ("B", better)):
        own = rng.normal(0.0, setting.method_items, n)
        said[name] = {}
        for run in range(setting.runs):
            trained = rng.normal(0.0, setting.training)
            ease = EASE + gain + hard + own + trained + rng.normal(0.0, setting.run_items, n)
            right = rng.random(n) < special.expit(ease)
            said[name][str(run)] = np.where(right, gold, ~gold).astype(int)
    return bf.from_labels(gold.astype(int), said, positive=1)


def interval(ev: bf.Evaluation, target: str, rng: np.random.Generator) -> tuple[float, float]:
    """Return the 95 % interval of F1(B) - F1(A)."""
    f1 = resolve_metric("f1", ev)
    (scores,) = sampling_model(ev, "auto", target, prior=1.0).scores([f1], n_draws=DRAWS, rng=rng)
    low, high = np.quantile(scores[:, 1] - scores[:, 0], [0.025, 0.975])
    return float(low), float(high)


def t_interval(ev: bf.Evaluation) -> tuple[float, float]:
    """Return that of a t-test over runs."""
    scores = resolve_metric("f1", ev)(ev.tables, ev.cells)
    a, b = np.split(scores, 2)
    found = stats.ttest_ind(b, a).confidence_interval(0.95)
    return float(found.low), float(found.high)


def rows(
    replicates: int, rng: np.random.Generator, settings: tuple[Setting, ...] = SETTINGS
) -> Iterator[dict[str, object]]:
    """Yield, for each setting, coverage and mean length of each kind of interval."""
    better = 0.15
    for setting in settings:
        truth = expected_f1(setting, better) - expected_f1(setting, 0.0)
        found: dict[str, list[tuple[float, float]]] = {
            name: [] for name in ("one run", "mean of runs", "t over runs", "runs × items")
        }
        for _ in range(replicates):
            ev = experiment(setting, better, rng)
            one = ev.select([ev.methods[0].runs[0], ev.methods[1].runs[0]])
            found["one run"].append(interval(one, "models", rng))
            found["mean of runs"].append(interval(ev, "models", rng))
            found["t over runs"].append(t_interval(ev))
            found["runs × items"].append(interval(ev, "method", rng))
        row: dict[str, object] = {"setting": setting}
        for name, ends in found.items():
            low, high = np.array(ends).T
            row[name] = (float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low)))
        yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=150)
    parser.add_argument("--full", action="store_true", help="2000 replicates: coverage to about 1 %%")
    args = parser.parse_args()
    replicates = 2000 if args.full else args.replicates
    rng, start = np.random.default_rng(7), time.perf_counter()
    print(f"coverage / length of 95 % intervals of the methods' difference in F1, {replicates} replicates\n")
    print(
        "items  runs  training  method×item  run×item   one run      mean of runs  t over runs  runs × items"
    )
    for row in rows(replicates, rng):
        s = row.pop("setting")
        assert isinstance(s, Setting)
        cells = "  ".join(f"{c:.2f} / {length:.3f}" for c, length in row.values())  # type: ignore[misc]
        print(
            f"{s.n:<5}  {s.runs:<4}  {s.training:<8}  {s.method_items:<11}  {s.run_items:<8}  {cells}",
            flush=True,
        )
    ev = experiment(Setting(10_000, 5, 0.1, 0.8, 0.3), 0.15, rng)
    begin = time.perf_counter()
    str(bf.compare(ev, metrics="f1", rng=1))
    print(f"\n2 × 5 runs × 10,000 items, compared and printed: {time.perf_counter() - begin:.2f} s")
    print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
