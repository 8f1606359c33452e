"""The exact Bayes test beside the Monte Carlo test of Wang & Li (2019): time, accuracy, scale and import.

Run ``python benchmarks/bayes_test.py``. All times of a comparison are taken in turns in one run, so that their
ratio means something on a busy computer as well.
"""

from __future__ import annotations

import subprocess
import sys

import mpmath
import numpy as np
from scipy import stats

import bayesf1 as bf
from bayesf1.distributions.difference import prob_greater
from timing import in_turns

COUNTS = {"A": (77, 44, 10), "B": (83, 9, 14)}
DRAWS = 1_000_000
MANY = 100_000
METRICS = ("precision", "recall", "f1")


def paper(metric: str, rng: np.random.Generator) -> float:
    """P(H1) as in the paper's Algorithm 1: draws from both distributions, and the share of wins."""
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
            lambda m=metric: [bf.compare(ev, metrics=m, prior=1) for _ in range(50)],
            lambda m=metric: paper(m, rng),
            repeats=15,
        )
        mine = fifty / 50
        truth = thirty_digits(metric)
        error = abs(mpmath.mpf(bf.compare(ev, metrics=metric, prior=1)[metric].p_h1) - truth)
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
    # F1 rises with the Jaccard index tp / (tp + fp + fn), whose posterior is a Beta distribution.
    betas = np.stack([counts[..., 0] + 1.0, counts[..., 1] + counts[..., 2] + 2.0], axis=-1)
    sample = range(0, MANY, MANY // 300)
    mine, few = in_turns(
        lambda: prob_greater(betas[0], betas[1]), lambda: [single(counts, i) for i in sample], repeats=3
    )
    loop = few / len(sample) * MANY
    p = prob_greater(betas[0], betas[1])
    error = max(abs(p[i] - single(counts, i)) for i in sample)
    print(
        f"\n{MANY:,} comparisons in one call: {mine:.2f} s; one by one: {loop:.0f} s (from {len(sample)}); "
        f"ratio {loop / mine:.0f}; largest difference {error:.1e}"
    )


def single(counts: np.ndarray, i: int) -> float:
    ev = bf.from_counts(A=counts[0, i], B=counts[1, i])
    return float(bf.compare(ev, metrics="f1", prior=1)["f1"].p_h1)


def other_weights() -> None:
    """F2, whose distribution is a mixture of Beta distributions, beside a million draws."""
    exact = bf.Difference(bf.FScore(78, 45, 11, 2.0), bf.FScore(84, 10, 15, 2.0))

    def drawn() -> float:
        return float(np.mean(exact.rvs(DRAWS, rng=1) > 0.0))

    mine, theirs = in_turns(
        lambda: bf.Difference(bf.FScore(78, 45, 11, 2.0), bf.FScore(84, 10, 15, 2.0)).sf(0.0),
        drawn,
        repeats=5,
    )
    print(
        f"\nP(H1) of F2: {1e3 * mine:.1f} ms, {DRAWS:,} draws {1e3 * theirs:.0f} ms, ratio {theirs / mine:.0f}; "
        f"they differ by {abs(exact.sf(0.0) - drawn()):.0e}"
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
