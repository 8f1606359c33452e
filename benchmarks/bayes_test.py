"""The exact Bayes test beside the Monte Carlo test of Wang & Li (2019): time, accuracy, scale and import.

Run ``python benchmarks/bayes_test.py``. All times of a comparison are taken in turns in one run, so that their
ratio means something on a busy computer as well.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import mpmath
import numpy as np
from scipy import stats

import bayesf1 as bf
from bayesf1.laws import convolution
from bayesf1.laws.difference import Difference, tail_probabilities
from bayesf1.laws.distributions import FScore
from timing import in_turns

COUNTS = {"A": (77, 44, 10), "B": (83, 9, 14)}
DRAWS = 1_000_000
MANY = 100_000
METRICS = ("precision", "recall", "f1")


def paper(metric: str, rng: np.random.Generator) -> float:
    """P(H1) as in the paper's Algorithm 1: draws from both laws, and the share of wins."""
    scores = []
    for tp, fp, fn in COUNTS.values():
        if metric == "f1":
            scores.append(2 / (2 + stats.betaprime.rvs(fp + fn + 2, tp + 1, size=DRAWS, random_state=rng)))
        else:
            failures = fp if metric == "precision" else fn
            scores.append(stats.beta.rvs(tp + 1, failures + 1, size=DRAWS, random_state=rng))
    return float(np.mean(scores[1] > scores[0]))


def thirty_digits(metric: str) -> mpmath.mpf:
    """P(H1) for whole Beta parameters, a finite sum of positive terms."""
    (a, b), (c, e) = (
        (tp + 1, {"f1": fp + fn + 2, "precision": fp + 1, "recall": fn + 1}[metric])
        for tp, fp, fn in COUNTS.values()
    )
    with mpmath.workdps(30):
        return mpmath.fsum(
            mpmath.beta(a + i, b + e) / ((e + i) * mpmath.beta(1 + i, e) * mpmath.beta(a, b))
            for i in range(c)
        )


def one_comparison() -> None:
    ev = bf.from_counts(COUNTS)
    rng = np.random.default_rng(1)
    print(f"One comparison, and {DRAWS:,} draws as in the paper (best of 15, taken in turns)\n")
    print(f"{'':10}  {'exact':>9}  {'draws':>9}  {'ratio':>6}  {'error, exact':>13}  {'error, draws':>13}")
    for metric in METRICS:
        fifty, theirs = in_turns(
            lambda m=metric: [bf.compare(ev, metrics=m) for _ in range(50)],
            lambda m=metric: paper(m, rng),
            repeats=15,
        )
        mine = fifty / 50
        truth = thirty_digits(metric)
        error = abs(mpmath.mpf(bf.compare(ev, metrics=metric)[metric].p_h1) - truth)
        noise = max(abs(mpmath.mpf(paper(metric, rng)) - truth) for _ in range(5))
        print(
            f"{metric:10}  {1e6 * mine:6.0f} µs  {1e3 * theirs:6.0f} ms  {theirs / mine:6.0f}  "
            f"{float(error):13.1e}  {float(noise):13.1e}"
        )
    half_width = 1.96 * np.sqrt(0.25 / DRAWS)
    print(
        f"\n(errors against 30 digits; the 95 % half-width of {DRAWS:,} draws is {half_width:.1e} at P = 1/2)"
    )


def many_comparisons() -> None:
    counts = np.random.default_rng(0).integers(50, 500, (2, MANY, 3))
    ev = bf.from_counts(A=counts[0], B=counts[1])
    sample = range(0, MANY, MANY // 300)
    mine, few = in_turns(
        lambda: bf.compare(ev, metrics="f1"), lambda: [single(counts, i) for i in sample], repeats=3
    )
    loop = few / len(sample) * MANY
    p = bf.compare(ev, metrics="f1")["f1"].p_h1
    error = max(abs(p[i] - single(counts, i)) for i in sample)
    print(
        f"\n{MANY:,} comparisons in one call: {mine:.2f} s; one by one: {loop:.0f} s (from {len(sample)}); "
        f"ratio {loop / mine:.0f}; largest difference {error:.1e}"
    )


def single(counts: np.ndarray, i: int) -> float:
    return float(bf.compare(bf.from_counts(A=counts[0, i], B=counts[1, i]), metrics="f1")["f1"].p_h1)


def other_weights() -> None:
    """F2, whose law is a mixture: from tables of its tails, beside all components at every point."""
    rng = np.random.default_rng(2)
    counts = rng.integers(50, 500, (3, 500)).astype(float)
    near = counts * np.exp(rng.normal(0.0, 0.1, counts.shape))
    work = {
        "interval of one difference": lambda: Difference(
            FScore(78, 45, 11, 2.0), FScore(84, 10, 15, 2.0)
        ).interval(),
        "P(H1) of 500 pairs": lambda: tail_probabilities(FScore(*counts, 2.0), FScore(*near, 2.0)),
    }
    levels = convolution._LEVELS

    def plainly(task: Callable[[], object]) -> object:
        convolution._LEVELS = ()
        try:
            return task()
        finally:
            convolution._LEVELS = levels

    print("\nF2, from tables and with all components")
    for name, task in work.items():
        fast, slow = in_turns(task, lambda task=task: plainly(task), repeats=3)
        error = np.max(np.abs(np.subtract(task(), plainly(task))))
        print(
            f"{name:28} {1e3 * fast:7.1f} ms, {1e3 * slow:7.1f} ms, ratio {slow / fast:4.1f}; they differ by {error:.0e}"
        )


def imports() -> None:
    def fresh(code: str) -> object:
        return subprocess.run([sys.executable, "-c", code], check=True)

    base, package = in_turns(
        lambda: fresh("import numpy, scipy.special"), lambda: fresh("import bayesf1"), repeats=9
    )
    print(
        f"\nimport bayesf1: {package:.2f} s; numpy and scipy.special: {base:.2f} s; ratio {package / base:.2f} "
        "(fresh interpreters, best of 9)"
    )


if __name__ == "__main__":
    one_comparison()
    many_comparisons()
    other_weights()
    imports()
