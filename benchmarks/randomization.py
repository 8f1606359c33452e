"""Speed of the randomisation test: a million items, beside scipy's permutation test at a size that it can do.

    python benchmarks/randomization.py

Ratios are measured side by side in one run on the same data; the p-values are checked to be the same within their
Monte Carlo error.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import bayesf1 as bf
from bayesf1.frequentist.randomization import randomization_test
from timing import best, in_turns, timed


def labels(n: int, rng: np.random.Generator) -> tuple[NDArray[np.bool_], dict[str, NDArray[np.bool_]]]:
    """Gold labels and those of two models, whose accuracies are a standard error or two apart."""
    gold = rng.random(n) < 0.2
    gap = 1.2 * np.sqrt(0.18 / n)
    return gold, {
        name: gold ^ (rng.random(n) < rate) for name, rate in (("A", 0.1 + gap / 2), ("B", 0.1 - gap / 2))
    }


def million() -> None:
    gold, models = labels(1_000_000, np.random.default_rng(0))
    ev = bf.from_labels(gold, models, positive=True)
    for metric in ("f1", "mcc"):
        work = best(lambda m=metric: randomization_test(ev, metric=m, method="montecarlo", rng=0))
        found = randomization_test(ev, metric=metric, method="montecarlo", rng=0)
        print(f"10^4 trials on 10^6 items, {found.label}: {work:.4f} s, goal 0.5 s; {found}")
    count, exact = in_turns(
        lambda: bf.from_labels(gold, models, positive=True),
        lambda: randomization_test(ev, metric="accuracy"),
        repeats=3,
    )
    print(f"  counting the items takes {count:.3f} s, McNemar's exact test of them {exact:.4f} s\n")


def beside_scipy(n: int) -> None:
    """scipy.stats.permutation_test swaps item by item, here with a vectorised F1."""
    gold, models = labels(n, np.random.default_rng(n))
    ev = bf.from_labels(gold, models, positive=True)
    codes = [np.where(gold, 2, 0) + said for said in models.values()]

    def f1(code: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        tp, wrong = (code == 3).sum(axis=axis), ((code == 1) | (code == 2)).sum(axis=axis)
        return 2 * tp / (2 * tp + wrong)

    def difference(x: NDArray[np.int64], y: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        return f1(y, axis) - f1(x, axis)

    def scipys() -> object:
        return stats.permutation_test(
            codes,
            difference,
            permutation_type="samples",
            n_resamples=10_000,
            batch=max(1, 20_000_000 // n),
            rng=np.random.default_rng(1),
        )

    slow, theirs = timed(scipys)
    ours = randomization_test(ev, method="montecarlo", rng=1, confidence_level=0.9999)
    fast, usual = in_turns(
        lambda: randomization_test(ev, method="montecarlo", rng=1), lambda: randomization_test(ev)
    )
    chosen = randomization_test(ev)
    error = 4 * np.sqrt(2 * ours.p_value * (1 - ours.p_value) / 10_000)
    assert abs(theirs.pvalue - ours.p_value) < error
    assert ours.interval[0] <= chosen.p_value <= ours.interval[1]
    how = "exact" if chosen.exact else "trials"
    print(
        f"{n:>7,} items, 10^4 trials: scipy {slow:.2f} s, p = {theirs.pvalue:.4f}; here {fast:.4f} s, "
        f"p = {ours.p_value:.4f}, {slow / fast:.0f} times as fast; {how} p = {chosen.p_value:.4f} in "
        f"{usual:.4f} s"
    )


def sentences() -> None:
    ev = bf.load_example("wnut17").select(["UH-RiTUAL", "SpinningBytes"])
    rows = np.repeat(ev.units.rows.reshape(-1, *ev.tables.shape), ev.units.weights.astype(int), axis=0)

    def naive(n_trials: int) -> None:
        """Swap sentence by sentence, trial by trial, as a script would."""
        rng = np.random.default_rng(0)
        for _ in range(n_trials):
            swap = rng.random(len(rows)) < 0.5
            tp, fp, fn = np.where(swap[:, None, None], rows[:, ::-1], rows).sum(axis=0).T
            _ = 2 * tp / (2 * tp + fp + fn)

    few, drawn, exact = in_turns(
        lambda: naive(100),
        lambda: randomization_test(ev, method="montecarlo", rng=0),
        lambda: randomization_test(ev),
        repeats=3,
    )
    loop = 100 * few
    found = randomization_test(ev)
    print(
        f"\n1,287 sentences: 10^4 trials {drawn:.3f} s, a loop over trials {loop:.1f} s by extrapolation, "
        f"{loop / drawn:.0f} times;\n  the exact p = {found.p_value:.6f} takes {exact:.3f} s"
    )


if __name__ == "__main__":
    million()
    for size in (1_000, 10_000):
        beside_scipy(size)
    sentences()
