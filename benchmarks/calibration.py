"""Do intervals and claims hold what they promise? Every study of it, one after another.

Coverage of the true difference, mean length, and power (share of intervals that exclude 0 where there is a
difference), for models taken as independent, as paired item by item, and as clustered; then one model's counts, few or
uneven units, items that are right or wrong, the same data put to other packages, rare classes, and several corpora.
Seeded; five minutes, and with --full, to about 1 %, an hour. Each of the others is also a script by itself.

    python benchmarks/calibration.py [--replicates 200] [--full] [--only units]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from importlib import import_module
from typing import NamedTuple

import numpy as np

import bayesf1 as bf
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import find_metric
from bayesf1.sampling.model import sampling_model
from bayesf1.tasks.binary import BINARY_CELLS, Binary
from bayesf1.units import Units

F1 = find_metric("f1")


class Quality(NamedTuple):
    """How intervals of one kind behaved."""

    coverage: float
    length: float
    power: float

    def __str__(self) -> str:
        return f"{self.coverage:.3f} / {self.length:.3f} / {self.power:.3f}"


def interval(ev: bf.Evaluation, assumption: str, rng: np.random.Generator, n_draws: int = 2000) -> np.ndarray:
    """Return the equal-tailed 95 % interval of F1(B) - F1(A)."""
    (scores,) = sampling_model(ev, assumption, prior=1.0).scores([F1], n_draws=n_draws, rng=rng)
    return np.quantile(scores[:, 1] - scores[:, 0], [0.025, 0.975])


def judge(intervals: np.ndarray, truth: float) -> Quality:
    """Summarise intervals (replicate, end) against the true difference."""
    low, high = intervals.T
    return Quality(
        coverage=float(np.mean((low <= truth) & (truth <= high))),
        length=float(np.mean(high - low)),
        power=float(np.mean((low > 0) | (high < 0))),
    )


# ---- labels: how much of the errors the two models share -------------------------------------------------


def joint_cells(
    prevalence: float, hit: tuple[float, float], claim: tuple[float, float], shared: float
) -> np.ndarray:
    """Probabilities of the eight joint outcomes, where a share of the models' outcomes is common to both."""

    def split(a: float, b: float) -> tuple[float, float, float, float]:
        both = (1 - shared) * a * b + shared * min(a, b)
        return both, a - both, b - both, 1 - a - b + both

    return np.concatenate([prevalence * np.array(split(*hit)), (1 - prevalence) * np.array(split(*claim))])


def label_study(
    shared: float, *, replicates: int, rng: np.random.Generator, n_items: int = 1000
) -> dict[str, object]:
    """Simulate label experiments with a true difference of 2 points, and one kind of interval each."""
    p = joint_cells(0.2, (0.70, 0.72), (0.06, 0.055), shared)
    patterns = Binary().joint_outcomes(2)
    tables = np.tensordot(p, patterns, axes=1)
    truth = float(np.diff(F1(tables, BINARY_CELLS))[0])
    agreement = float(p[0] + p[3] + p[4] + p[7])
    intervals: dict[str, list[np.ndarray]] = {"independent": [], "paired": []}
    for counts in rng.multinomial(n_items, p, size=replicates):
        ev = Evaluation.of_units(
            ("A", "B"), Binary(BINARY_CELLS), Units.merge(patterns, counts.astype(float), "item")
        )
        for name, kept in intervals.items():
            kept.append(interval(ev, name, rng))
    quality = {name: judge(np.array(kept), truth) for name, kept in intervals.items()}
    return {"agreement": agreement, "truth": truth, **quality}


# ---- spans: those of a document are alike ------------------------------------------------------------------


def span_evaluation(n_documents: int, size: int, spread: float, rng: np.random.Generator) -> bf.Evaluation:
    """Simulate two models on documents of `size` sentences; documents differ in how hard they are.

    Part of a document's difficulty is common to both models, part is each model's own; B is a little better.
    """
    common, own = (
        rng.normal(0.0, spread, size=(1, n_documents, 1)),
        rng.normal(0.0, spread, size=(2, n_documents, 1)),
    )
    ease = 1.0 / (1.0 + np.exp(-(0.6 + common + 0.5 * own + np.array([0.0, 0.15])[:, None, None])))
    present = np.arange(10) < rng.poisson(1.5, size=(n_documents, size, 1))
    coin, luck = rng.random((n_documents, size, 10)), rng.random((2, n_documents, size, 10))
    # Two thirds of the models' luck is common to both.
    luck = np.where(coin < 2 / 3, 1.5 * coin, luck)
    found = present & (luck < ease[..., None])
    false = rng.poisson(0.8 * (1.0 - ease), size=(2, n_documents, size))
    counts = [found.sum((2, 3)), false.sum(2), (present & ~found).sum((2, 3))]
    rows = np.stack(counts, axis=-1).swapaxes(0, 1).astype(float)
    joint = [(present & (found[0] == a) & (found[1] == b)).sum() for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
    weights = np.array([*joint, 0, *false.sum((1, 2))], dtype=float)
    items = Units.merge(Binary(BINARY_CELLS[:3]).joint_outcomes(2), weights, "item")
    return replace(bf.from_units(rows, unit="document"), item_units=items)


def span_study(size: int, spread: float, *, replicates: int, rng: np.random.Generator) -> dict[str, object]:
    """Simulate span experiments, and intervals with single spans and with documents as trials."""
    total = sum(span_evaluation(20_000 // size, size, spread, rng).tables for _ in range(40))
    scores = F1(total, BINARY_CELLS[:3])
    intervals: dict[str, list[np.ndarray]] = {"independent": [], "paired": [], "clustered": []}
    alone: dict[str, list[tuple[float, float]]] = {"independent": [], "clustered": []}
    for _ in range(replicates):
        ev = span_evaluation(600 // size, size, spread, rng)
        for name, kept in intervals.items():
            kept.append(interval(ev, name, rng))
        for name, ends in alone.items():
            ends.append(bf.posterior(ev, "A", assumption=name, n_draws=2000, rng=rng).interval(0.95))
    return {
        "truth": float(scores[1] - scores[0]),
        **{name: judge(np.array(kept), float(scores[1] - scores[0])) for name, kept in intervals.items()},
        **{f"{name}_f1": judge(np.array(ends), float(scores[0])).coverage for name, ends in alone.items()},
    }


def pairs(replicates: int) -> None:
    """Print the studies of pairing and clustering."""
    rng = np.random.default_rng(2019)
    print(f"coverage / length / power of 95 % intervals of F1(B) - F1(A), {replicates} replicates\n")
    print("labels, 1000 items\nagreement  true difference  independent            paired")
    for shared in (0.0, 0.6, 0.9):
        row = label_study(shared, replicates=replicates, rng=rng)
        print(
            f"{row['agreement']:.3f}      {row['truth']:.3f}            {row['independent']}  {row['paired']}"
        )
    print("\nspans, 600 sentences in documents of a size, which differ by a spread")
    print(
        "size  spread  true difference  independent            paired                 clustered            ",
        end="",
    )
    print("  coverage of F1(A): spans, documents as trials")
    for size, spread in ((1, 0.0), (1, 1.0), (10, 1.0)):
        row = span_study(size, spread, replicates=replicates, rng=rng)
        print(f"{size:<4}  {spread:<6}  {row['truth']:.3f}            ", end="")
        print(f"{row['independent']}  {row['paired']}  {row['clustered']}", end="")
        print(f"  {row['independent_f1']:.3f}, {row['clustered_f1']:.3f}")


# Name of a study, and the script that has it.
STUDIES = {
    "counts": "calibration_counts",
    "units": "calibration_units",
    "correct": "calibration_correct",
    "peers": "calibration_peers",
    "classes": "calibration_classes",
    "ranks": "calibration_ranks",
    "corpora": "calibration_corpora",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--full", action="store_true", help="2000 replicates")
    parser.add_argument("--only", choices=["pairs", *STUDIES])
    args = parser.parse_args()
    replicates = 2000 if args.full else args.replicates
    for name in ["pairs", *STUDIES] if args.only is None else [args.only]:
        start = time.perf_counter()
        if name == "pairs":
            pairs(replicates)
        else:
            import_module(STUDIES[name]).main(replicates)
        print(f"\n{time.perf_counter() - start:.0f} s\n", flush=True)


if __name__ == "__main__":
    main()
