"""Few or uneven documents: do 95 % intervals of F1(B) - F1(A) cover, before and after the stretch?

Two equal models on documents that differ in how hard they are, for both models (.7 logits) and for each (.4). Before is
a plain Bayesian bootstrap over documents; after is what the package says. Since the models are equal, an interval that
does not cover is a false claim.

    python benchmarks/calibration_units.py [--replicates 400]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import special

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling import sampling_model

DRAWS = 2000


def even(k: int, rng: np.random.Generator) -> np.ndarray:
    """Return documents of 20 entities."""
    return np.full(k, 20)


def log_normal(k: int, rng: np.random.Generator) -> np.ndarray:
    """Return documents of about 20 entities, sd 1 of the logarithm."""
    return np.maximum(1, np.round(20 * np.exp(rng.normal(-0.5, 1.0, k)))).astype(int)


def one_long(k: int, rng: np.random.Generator) -> np.ndarray:
    """Return documents of 3 entities, and one of 900."""
    return np.append(np.full(k - 1, 3), 900)


SIZES: dict[str, Callable[[int, np.random.Generator], np.ndarray]] = {
    "even": even,
    "log-normal": log_normal,
    "one of 900 among 3": one_long,
}


class Row(NamedTuple):
    """Coverage and length of intervals before and after, for so many documents of some sizes."""

    sizes: str
    documents: int
    before: tuple[float, float]
    after: tuple[float, float]
    alone: float

    def __str__(self) -> str:
        told = (f"{coverage:.3f} / {length:.2f}" for coverage, length in (self.before, self.after))
        return f"{self.sizes:<20}{self.documents:<11}{'   '.join(told)}   {self.alone:.3f}"


def experiment(sizes: np.ndarray, rng: np.random.Generator) -> bf.Evaluation:
    """Simulate two equal models on documents."""
    k = len(sizes)
    common, own = rng.normal(0.0, 0.7, k), rng.normal(0.0, 0.4, (2, k))
    found = special.expit(0.8 + common + own)
    tp = rng.binomial(sizes, found)
    fp = rng.binomial(sizes, 0.6 * (1.0 - found))
    return bf.from_units(
        np.stack([tp, fp, sizes - tp], axis=-1).swapaxes(0, 1).astype(float), unit="document"
    )


def rows(
    replicates: int, rng: np.random.Generator, documents: tuple[int, ...] = (6, 10, 15, 30, 60)
) -> Iterator[Row]:
    """Yield coverage and length for all sizes and numbers of documents."""
    truth = _true_f1()
    for name, draw in SIZES.items():
        for k in documents if name != "one of 900 among 3" else (41,):
            ends: dict[str, list[np.ndarray]] = {"before": [], "after": [], "alone": []}
            for _ in range(replicates):
                ev = experiment(draw(k, rng), rng)
                f1, sampling = resolve_metric("f1", ev), sampling_model(ev)
                plain = np.concatenate(
                    [f1(t, ev.cells) for t in sampling.draw(prior=1.0, n_draws=DRAWS, rng=rng)]
                )
                (scores,) = zip(*sampling.scores([f1], prior=1.0, n_draws=DRAWS, rng=rng), strict=True)
                stretched = np.concatenate(scores)
                ends["before"].append(np.quantile(plain[:, 1] - plain[:, 0], [0.025, 0.975]))
                gaps = np.clip(stretched[:, 1] - stretched[:, 0], -1.0, 1.0)
                ends["after"].append(np.quantile(gaps, [0.025, 0.975]))
                ends["alone"].append(np.quantile(stretched[:, 0].clip(0.0, 1.0), [0.025, 0.975]))
            judged = {
                what: _judge(np.array(found), truth if what == "alone" else 0.0)
                for what, found in ends.items()
            }
            yield Row(name, k, judged["before"], judged["after"], judged["alone"][0])


def _judge(ends: np.ndarray, truth: float) -> tuple[float, float]:
    low, high = ends.T
    return float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low))


def _true_f1() -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    found = special.expit(0.8 + np.hypot(0.7, 0.4) * nodes) @ weights / weights.sum()
    return float(2 * found / (2 * found + 0.6 * (1 - found) + 1 - found))


def main(replicates: int | None = None) -> None:
    if replicates is None:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--replicates", type=int, default=400)
        replicates = parser.parse_args().replicates
    print("Documents: coverage / length of 95 % intervals of the difference of two equal models\n")
    print(f"{'sizes':<20}{'documents':<11}before         after          F1 of one model covered")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in rows(replicates, np.random.default_rng(9)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
