"""How time and memory grow with what is compared: three sizes of each case, each in a process of its own.

The largest size is the one that a case is named after. Data are made before the clock starts; what is timed is what a
user does with them, from building the evaluation to reading the answer. The exponent is the slope of the logarithm of
time over that of the size between the two largest; below one, twice the data cost less than twice the time.

    python benchmarks/scale.py --growth
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from timing import timed

# What is timed.
Work = Callable[[], object]


class Case(NamedTuple):
    """What grows, by what, and through which sizes."""

    label: str
    grows: str
    sizes: tuple[int, int, int]
    prepare: Callable[[int], Work]


def _scores(n: int, n_models: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    difficulty = rng.normal(size=n)
    return {f"m{i}": difficulty + rng.normal(0.002 * i, 0.5, size=n) for i in range(n_models)}


def _compare_scores(n: int) -> Work:
    import bayesf1 as bf

    scores = _scores(n)
    return lambda: str(bf.compare(bf.from_scores(scores)))


def _randomize_scores(n: int) -> Work:
    import bayesf1 as bf

    a, b = _scores(n).values()
    return lambda: str(bf.randomization_test(bf.from_scores({"A": a, "B": b})))


def _documents(n: int, n_models: int = 2) -> dict[str, Any]:
    """Return counts of long documents, hardly any two of them alike, axes (document, cell)."""
    rng = np.random.default_rng(n)
    gold, hard = rng.integers(100, 1000, size=n), rng.beta(12, 3, size=n)
    found = {}
    for i in range(n_models):
        tp = rng.binomial(gold, np.clip(hard + 0.0005 * i, 0.0, 1.0))
        found[f"m{i}"] = np.stack([tp, rng.binomial(gold, 0.2), gold - tp], axis=1)
    return found


def _compare_documents(n: int) -> Work:
    import bayesf1 as bf

    counts = _documents(n)
    return lambda: str(bf.compare(bf.from_units(counts, unit="document")))


def _rank_documents(n: int) -> Work:
    import bayesf1 as bf

    counts = _documents(n, 7)
    return lambda: str(bf.rank(bf.from_units(counts, unit="document")))


def _intervals_of_documents(n: int) -> Work:
    import bayesf1 as bf

    counts = _documents(n)
    return lambda: str(bf.intervals(bf.from_units(counts, unit="document"), "m0"))


def _confusion(k: int) -> Work:
    import bayesf1 as bf

    rng = np.random.default_rng(k)
    matrices = {
        name: rng.poisson(0.4, size=(k, k)) + np.diag(rng.poisson(mean, size=k))
        for name, mean in (("A", 100), ("B", 101))
    }
    return lambda: str(bf.compare(bf.from_confusion(matrices)))


def _rank_items(n_models: int) -> Callable[[int], Work]:
    def prepare(n: int) -> Work:
        import bayesf1 as bf

        rng = np.random.default_rng(n)
        gold, easy = rng.random(n) < 0.4, rng.random(n)
        said = {
            f"m{i}": np.where(easy + rng.normal(0.002 * i, 0.3, size=n) > 0.2, gold, ~gold).astype(int)
            for i in range(n_models)
        }
        return lambda: str(bf.rank(bf.from_labels(gold.astype(int), said, positive=1)))

    return prepare


def _compare_classes(n: int) -> Work:
    import bayesf1 as bf

    rng = np.random.default_rng(n)
    k = 50
    gold = rng.integers(0, k, size=n)
    said = {
        name: np.where(rng.random(n) < share, gold, rng.integers(0, k, size=n))
        for name, share in (("A", 0.80), ("B", 0.81))
    }
    return lambda: str(bf.compare(bf.from_labels(gold, said)))


def _hierarchical(n: int) -> Work:
    import bayesf1 as bf

    rng = np.random.default_rng(n)
    corpora = {}
    for i in range(n):
        gold, hard = rng.random(500) < 0.4, rng.normal(0.0, 0.3)
        said = {
            name: np.where(rng.random(500) < 1 / (1 + np.exp(-1.5 - hard - gain)), gold, ~gold).astype(int)
            for name, gain in (("A", 0.0), ("B", 0.1))
        }
        corpora[f"corpus {i}"] = bf.from_labels(gold.astype(int), said, positive=1)
    return lambda: str(bf.hierarchical(corpora))


def _pages(pairs: int) -> Work:
    import bayesf1 as bf
    from bayesf1.output.html import report_html

    n_models = round((1 + (1 + 8 * pairs) ** 0.5) / 2)
    rng = np.random.default_rng(n_models)
    n = 1000
    gold, easy = rng.random(n) < 0.4, rng.random(n)
    said = {
        f"m{i}": np.where(easy + rng.normal(0.01 * i, 0.3, size=n) > 0.2, gold, ~gold).astype(int)
        for i in range(n_models)
    }

    def work() -> str:
        ev = bf.from_labels(gold.astype(int), said, positive=1)
        names = list(said)
        found = [bf.compare(ev, a, b, rope=0.01) for i, a in enumerate(names) for b in names[i + 1 :]]
        return report_html(found)

    return work


def _long_label(n: int) -> Work:
    import bayesf1 as bf

    rng = np.random.default_rng(n)
    gold = [("spam", "ham", "eggs")[i] for i in rng.integers(0, 3, size=n)]
    said = {name: list(gold) for name in "AB"}
    for labels, share in zip(said.values(), (0.2, 0.19), strict=True):
        for i in np.flatnonzero(rng.random(n) < share):
            labels[i] = "eggs"
    said["A"][n // 2] = "x" * 20_000
    return lambda: str(bf.compare(bf.from_labels(gold, said)))


CASES = {
    "scores": Case("comparing 10⁵ distinct scores", "units", (1_000, 10_000, 100_000), _compare_scores),
    "randomisation": Case(
        "randomisation of 10⁶ scores", "units", (10_000, 100_000, 1_000_000), _randomize_scores
    ),
    "documents": Case(
        "comparing on 10⁵ distinct documents", "units", (1_000, 10_000, 100_000), _compare_documents
    ),
    "ranking": Case("ranking 7 models on them", "units", (1_000, 10_000, 100_000), _rank_documents),
    "intervals": Case("intervals on 10⁴ documents", "units", (100, 1_000, 10_000), _intervals_of_documents),
    "confusion": Case("confusion matrices of 500 classes", "classes", (50, 150, 500), _confusion),
    "20 models": Case("ranking 20 models on 5,000 items", "items", (50, 500, 5_000), _rank_items(20)),
    "200 models": Case("ranking 200 models on 5,000 items", "items", (50, 500, 5_000), _rank_items(200)),
    "classes": Case("50 classes on 20,000 items", "items", (200, 2_000, 20_000), _compare_classes),
    "corpora": Case("a hierarchy of 200 corpora", "corpora", (20, 60, 200), _hierarchical),
    "pages": Case("45 pairs on one page", "pairs", (3, 15, 45), _pages),
    "long label": Case(
        "one label of 20,000 characters among 40,000 items", "items", (400, 4_000, 40_000), _long_label
    ),
}


def grow(case: str, size: int) -> dict[str, Any]:
    """Return how long one size of a case takes; memory is that of the process."""
    chosen = CASES[case]
    # Imports are no part of it.
    chosen.prepare(chosen.sizes[0])()
    work = chosen.prepare(size)
    start = time.process_time()
    seconds, _ = timed(work)
    return {"seconds": seconds, "cpu": time.process_time() - start}


def growth_table(found: dict[str, list[dict[str, Any]]]) -> str:
    """Return times, exponents and memory of every case as a Markdown table."""
    lines = ["| what | seconds | exponent | MB |", "|---|---|---|---|"]
    for name, steps in found.items():
        case = CASES[name]
        times = " → ".join(f"{step['seconds']:.2g}" for step in steps)
        sizes = "; ".join(f"{size:,}" for size in case.sizes)
        slope = np.log(steps[-1]["seconds"] / steps[-2]["seconds"]) / np.log(case.sizes[-1] / case.sizes[-2])
        lines.append(
            f"| {case.label} ({sizes} {case.grows}) | {times} | {slope:.1f} | {steps[-1]['peak']:.0f} |"
        )
    return "\n".join(lines)
