"""Many classes: 100,000 items of 10 and of 1,000 classes, beside plain numpy at a size that it can do.

    python benchmarks/classes.py

Two models are compared in accuracy, macro F1 and the matrix's correlation. Beside it stand the Dirichlet of all
joint outcomes (gold, A, B), K³ gamma variates a draw, and a bootstrap that resamples items one by one. Ratios are
measured side by side in one run on the same data, and the probabilities of accuracy are checked to agree within their
errors.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

import bayesf1 as bf
from timing import best, timed

METRICS = ("accuracy", "macro_f1", "mcc")
DRAWS = 2_000


def labels(
    k: int, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], dict[str, NDArray[np.int64]]]:
    """Gold classes of uneven sizes, and models whose accuracies are about a standard error apart."""
    share = 1.0 / np.arange(1, k + 1)
    gold = rng.choice(k, n, p=share / share.sum())
    gap = 0.5 / np.sqrt(n)
    return gold, {
        name: np.where(rng.random(n) < rate, gold, rng.choice(k, n, p=share / share.sum()))
        for name, rate in (("A", 0.8), ("B", 0.8 + gap))
    }


def megabytes(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def many_classes() -> None:
    times, n = {}, 100_000
    for k in (10, 100, 1_000):
        gold, said = labels(k, n, np.random.default_rng(k))
        ev = bf.from_labels(gold, said)
        build = best(lambda g=gold, s=said: bf.from_labels(g, s), 3)
        test = best(lambda e=ev: bf.compare(e, metrics=METRICS, n_draws=DRAWS, rng=0), 3)
        usual = best(lambda e=ev: bf.compare(e, metrics=METRICS, rng=0), 1)
        memory = megabytes(lambda e=ev: bf.compare(e, metrics=METRICS, n_draws=DRAWS, rng=0))
        times[k] = build, test
        found = bf.compare(ev, metrics=METRICS, n_draws=DRAWS, rng=0)
        said_so = ", ".join(f"{name} {found[name].p_h1:.3f}" for name in METRICS)
        print(
            f"{n:,} items of {k:,} classes, {len(ev.units.weights):,} kinds: built in {build:.2f} s, compared by {DRAWS:,} draws "
            f"in {test:.2f} s and {memory:.0f} MB, by as many as usual in {usual:.1f} s; P(H1): {said_so}"
        )
    build, test = (times[1_000][i] / times[10][i] for i in (0, 1))
    print(f"  1,000 classes take {build:.1f} times as long to build as 10, and {test:.0f} times to compare\n")


def measures(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Accuracy, macro F1 and the matrix's correlation of matrices (draw, gold, predicted)."""
    n = matrices.sum(axis=(1, 2))
    right = np.einsum("nii->ni", matrices)
    gold, said = matrices.sum(axis=2), matrices.sum(axis=1)
    share = right.sum(axis=1) / n
    chance = (gold * said).sum(axis=1) / n**2
    spread = np.sqrt((1 - (gold**2).sum(axis=1) / n**2) * (1 - (said**2).sum(axis=1) / n**2))
    f1 = 2 * right / np.maximum(gold + said, 1e-300)
    return np.stack([share, f1.mean(axis=1), (share - chance) / spread])


def joint_dirichlet(
    gold: NDArray[np.int64],
    said: dict[str, NDArray[np.int64]],
    k: int,
    n_draws: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """P(B better than A) by gamma variates of all K³ joint outcomes, in blocks that fit memory."""
    a, b = said.values()
    alpha = np.bincount((gold * k + a) * k + b, minlength=k**3).reshape(k, k, k) + 4.0 / k**3
    better = np.zeros(3)
    block = max(1, 2_000_000 // k**3)
    for start in range(0, n_draws, block):
        joint = rng.standard_gamma(alpha, size=(min(block, n_draws - start), k, k, k))
        better += (measures(joint.sum(axis=2)) > measures(joint.sum(axis=3))).sum(axis=1)
    return better / n_draws


def bootstrap(
    gold: NDArray[np.int64],
    said: dict[str, NDArray[np.int64]],
    k: int,
    n_draws: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """P(B better than A) in a bootstrap that resamples items, draw by draw, as a script would."""
    better = np.zeros(3)
    for _ in range(n_draws):
        chosen = rng.integers(0, len(gold), len(gold))
        scores = [
            measures(
                np.bincount(gold[chosen] * k + c[chosen], minlength=k * k).reshape(1, k, k).astype(float)
            )
            for c in said.values()
        ]
        better += (scores[1] > scores[0])[:, 0]
    return better / n_draws


def beside_numpy() -> None:
    for k, n, n_naive in ((10, 10_000, DRAWS), (50, 10_000, 100)):
        gold, said = labels(k, n, np.random.default_rng(k + 1))
        ev = bf.from_labels(gold, said, labels=range(k))
        ours = bf.compare(ev, metrics=METRICS, n_draws=20_000, rng=0)
        fast = best(lambda e=ev: bf.compare(e, metrics=METRICS, n_draws=DRAWS, rng=0), 3)
        print(f"{n:,} items of {k} classes, {DRAWS:,} draws: {fast:.2f} s")
        for name, naive in (
            ("all K³ joint outcomes", joint_dirichlet),
            ("a loop that resamples items", bootstrap),
        ):
            once, theirs = timed(partial(naive, gold, said, k, n_naive, np.random.default_rng(1)))
            slow = once * DRAWS / n_naive
            how = "" if n_naive == DRAWS else " by extrapolation"
            if naive is joint_dirichlet:
                # The prior of classes is another one here, which leaves the accuracy as it is.
                p, c = theirs[0], ours["accuracy"]
                assert abs(c.p_h1 - p) < 4 * np.sqrt(0.25 / n_naive) + 4 * c.mcse, (c.p_h1, p)
            print(f"  {name}: {slow:.1f} s{how}, {slow / fast:.0f} times; P(H1) of macro F1 {theirs[1]:.3f}")
        print(f"  here {ours['macro_f1'].p_h1:.3f}")


if __name__ == "__main__":
    many_classes()
    beside_numpy()
