"""Laws under a bootstrap, and draws anchored to them, beside plain draws.

A mean of scores, and a difference of recalls, need no draws; differences of precisions and F-scores are drawn beside a ratio
whose law is known. For each, the time and the standard error of P(H1), how far twenty seeds lie apart, and how long plain draws
take in the same run, and would take to an error below what is printed.

    python benchmarks/bootstrap_laws.py
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import bayesf1 as bf
from timing import best

SEEDS = 20
# The standard error at which the third digit of a probability may be printed.
PRINTED = 5e-4


def documents(n: int) -> bf.Evaluation:
    rng = np.random.default_rng(n)
    gold, hard = rng.poisson(30, size=n) + 1, rng.beta(8, 2, size=n)
    counts = {}
    for name, gain in (("A", 0.0), ("B", 0.08 / n**0.5)):
        tp = rng.binomial(gold, np.clip(hard + gain, 0.0, 1.0))
        counts[name] = np.stack([tp, rng.binomial(gold, 0.2), gold - tp], axis=1)
    return bf.from_units(counts, unit="document")


def queries(n: int) -> bf.Evaluation:
    rng = np.random.default_rng(n)
    hard = rng.normal(size=n)
    return bf.from_scores({"A": hard, "B": hard + rng.normal(0.8 / n**0.5, 1.0, size=n)})


CASES: tuple[tuple[str, Callable[[], bf.Evaluation], str], ...] = (
    ("mean of 60 scores", lambda: queries(60), "mean"),
    ("mean of 10,000 scores", lambda: queries(10_000), "mean"),
    ("recall on 40 documents", lambda: documents(40), "recall"),
    ("F1 on 40 documents", lambda: documents(40), "f1"),
    ("F1 on 1,000 documents", lambda: documents(1_000), "f1"),
    ("F1 on 10,000 documents", lambda: documents(10_000), "f1"),
)


def main() -> None:
    print(
        "| what | P(H1), seeds apart by (sd) | standard error said | seconds | plain draws: seconds, error | plain draws to an error of .0005 |"
    )
    print("|---|---|---|---|---|---|")
    for label, make, metric in CASES:
        ev = make()
        found = [bf.compare(ev, metrics=metric, rng=seed)[metric] for seed in range(SEEDS)]
        apart, said = float(np.std([c.p_h1 for c in found])), float(np.mean([c.mcse for c in found]))
        plain = bf.compare(ev, metrics=metric, method="montecarlo")[metric]
        seconds = best(lambda ev=ev, metric=metric: bf.compare(ev, metrics=metric), 3)
        drawn = best(lambda ev=ev, metric=metric: bf.compare(ev, metrics=metric, method="montecarlo"), 3)
        # The error falls with the root of the number of draws.
        ratio = drawn * (plain.mcse / PRINTED) ** 2 / seconds
        print(
            f"| {label} | {np.mean([c.p_h1 for c in found]):.4f}, {apart:.1g} | {said:.1g} | {seconds:.3f} | "
            f"{drawn:.3f}, {plain.mcse:.1g} | {ratio:,.0f} times as long |",
            flush=True,
        )


if __name__ == "__main__":
    main()
