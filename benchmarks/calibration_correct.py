"""Do 95 % intervals of a difference of accuracies, or of mean scores, hold what they promise where units are few?

Before: a Bayesian bootstrap over items, or queries, in plain numpy. After: the package, which takes 0 and 1 as items
right or wrong and stretches a bootstrap over few units. Coverage of the true difference, mean length, and false claims
(how often an interval excludes 0 where the models are equally good). Seeded; under a minute.

    python benchmarks/calibration_correct.py [--replicates 300]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import bayesf1 as bf
from bayesf1.sampling.model import sampling_model

DRAWS = 2000
# Share of the models' luck that is common to both, as on one test set.
SHARED = 0.5


class Row(NamedTuple):
    """How intervals behaved before and after, each as coverage, length and false claims."""

    data: str
    n: int
    before: tuple[float, float, float]
    after: tuple[float, float, float]

    def __str__(self) -> str:
        cells = (f"{c:.3f} / {length:.3f} / {claims:.3f}" for c, length, claims in (self.before, self.after))
        return f"{self.data:<36} {self.n:>5}  {'    '.join(cells)}"


def bootstrapped(gap: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the equal-tailed interval of a mean by the Bayesian bootstrap (Rubin 1981)."""
    weights = rng.standard_exponential((DRAWS, len(gap)))
    return np.quantile(weights @ gap / weights.sum(axis=1), [0.025, 0.975])


def by_package(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the equal-tailed interval of a difference, B minus A, by the package."""
    ev = bf.from_scores({"A": a, "B": b})
    mean = ev.task.metric("mean", ev.tables)
    (scores,) = sampling_model(ev).scores([mean], n_draws=DRAWS, rng=rng)
    return np.quantile(scores[:, 1] - scores[:, 0], [0.025, 0.975])


def judged(ends: np.ndarray, truth: float, null: np.ndarray) -> tuple[float, float, float]:
    """Return coverage of a truth and mean length of intervals (replicate, end), and how often `null` ones exclude 0."""
    low, high = ends.T
    covers = (low <= truth) & (truth <= high)
    return (
        float(covers.mean()),
        float((high - low).mean()),
        float(((null[:, 0] > 0) | (null[:, 1] < 0)).mean()),
    )


def study(
    data: str,
    n: int,
    draw: Callable[[bool], tuple[np.ndarray, np.ndarray]],
    truth: float,
    replicates: int,
    rng: np.random.Generator,
) -> Row:
    """Simulate experiments with a true difference, and as many without; `draw` says which is wanted."""
    ends: dict[tuple[str, bool], list[np.ndarray]] = {}
    for differs in (True, False):
        for _ in range(replicates):
            a, b = draw(differs)
            ends.setdefault(("before", differs), []).append(bootstrapped(b - a, rng))
            ends.setdefault(("after", differs), []).append(by_package(a, b, rng))
    before, after = (
        judged(np.array(ends[how, True]), truth, np.array(ends[how, False])) for how in ("before", "after")
    )
    return Row(data, n, before, after)


def answers(
    n: int, accuracies: tuple[float, float], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Simulate two models right or wrong on the same items; part of their luck is common."""
    common = rng.random(n)
    mine = rng.random((2, n)) < SHARED
    luck = np.where(mine, common, rng.random((2, n)))
    a, b = (luck < np.array(accuracies)[:, None]).astype(float)
    return a, b


def skewed(n: int, shape: str, shift: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Simulate scores whose differences are skewed, with this mean."""
    z = rng.standard_normal(n)
    # All of mean 0; a cube is symmetric, with tails as long.
    gap = {
        "cubed normal": z**3,
        "log-normal": np.exp(z) - np.exp(0.5),
        "mildly log-normal": np.exp(0.5 * z) - np.exp(0.125),
    }[shape]
    a = rng.standard_normal(n)
    return a, a + gap + shift


def rows(replicates: int, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the studies: accuracies near 1, and mean scores of a few queries."""
    for n in (20, 50, 200):
        for better in (0.9, 0.98):
            worse = better - 0.05

            def draw(differs: bool, *, n: int = n, a: float = worse, b: float = better) -> tuple:
                return answers(n, (a if differs else b, b), rng)

            yield study(f"accuracies {worse:.2f} and {better:.2f}", n, draw, better - worse, replicates, rng)
    for shape in ("mildly log-normal", "log-normal", "cubed normal"):

        def draw(differs: bool, *, shape: str = shape) -> tuple:
            return skewed(10, shape, 0.5 if differs else 0.0, rng)

        yield study(f"scores, {shape} differences", 10, draw, 0.5, replicates, rng)


def main(replicates: int | None = None) -> None:
    if replicates is None:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--replicates", type=int, default=300)
        replicates = parser.parse_args().replicates
    start = time.perf_counter()
    print(f"coverage / length / false claims of 95 % intervals of B minus A, {replicates} replicates\n")
    print(f"{'data':<36} {'units':>5}  {'Bayesian bootstrap':<21}    as the package does")
    for row in rows(replicates, np.random.default_rng(2026)):
        print(row, flush=True)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
