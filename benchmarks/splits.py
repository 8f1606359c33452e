"""Balanced halves beside random ones: how far they are off, and how long they take.

    python benchmarks/splits.py

Counts are like entities in sentences: four types, over-dispersed, and the tokens of each. Both kinds of halves
are made of the same counts in one run.
"""

from __future__ import annotations

import numpy as np

from bayesf1 import BlockedCV
from timing import timed


def entities(n: int, rng: np.random.Generator) -> np.ndarray:
    """Return mentions of four types in each sentence, and their tokens."""
    mentions = rng.poisson(rng.gamma(0.6, 1 / 0.6, size=(n, 1)) * [0.47, 0.5, 0.45, 0.25])
    return np.hstack([mentions, mentions + rng.poisson(0.6 * mentions)])


def random_folds(n: int, m: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return m random halvings, each with its two folds."""
    halves = [np.split(rng.permutation(n), [n // 2]) for _ in range(m)]
    return [fold for s, t in halves for fold in ((s, t), (t, s))]


def worst(folds: list[tuple[np.ndarray, np.ndarray]], counts: np.ndarray) -> float:
    """Return the largest difference of a count between the halves of a repeat."""
    return max(float(np.abs(counts[s].sum(axis=0) - counts[t].sum(axis=0)).max()) for s, t in folds[::2])


def compare(what: str, counts: np.ndarray, m: int, goal: float | None = None, **labels: np.ndarray) -> None:
    n = len(counts)
    seconds, ours = timed(lambda: list(BlockedCV(m, balance=counts, rng=0).split(counts, **labels)))
    random_seconds, chance = timed(lambda: random_folds(n, m, np.random.default_rng(0)))
    a, b = worst(ours, counts), worst(chance, counts)
    promise = f", goal {goal:g} s" if goal is not None else ""
    print(f"{what}, {m}×2: worst half-difference {a:.3g}, random {b:.4g}, {b / a:.0f} times, goal 20;")
    print(
        f"  {seconds:.2f} s{promise}; random halves {random_seconds:.3f} s, {seconds / random_seconds:.0f} times"
    )


def main() -> None:
    rng = np.random.default_rng(0)
    # The solver is loaded once a session.
    list(BlockedCV(3, balance=np.ones(8)).split(range(8)))
    sentences = entities(14_041, rng)
    for m in (3, 5, 10, 63):
        compare("14,041 sentences × 8 counts", sentences, m, 0.5 if m == 3 else None)
    labels = rng.integers(0, 5, len(sentences))
    compare("the same with 5 classes", sentences, 3, y=labels)
    compare("the same in 700 documents", sentences, 3, groups=np.arange(len(sentences)) // 20)
    compare("10^6 sentences × 8 counts", entities(1_000_000, rng), 3, 30)
    compare("10^6 items × 8 real numbers, no two alike", rng.gamma(1.0, size=(1_000_000, 8)), 3, 30)


if __name__ == "__main__":
    main()
