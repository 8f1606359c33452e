"""Few or uneven documents: do 95 % intervals of F1(B) - F1(A) cover?

Two equal models on documents that differ in how hard they are, for both models (.7 logits) and for each (.4); in the last
rows B gets better and A worse as documents get longer. By a plain Bayesian bootstrap over documents; stretched by what
few and uneven ones do not show; as the package says, which is wider still where scores go with length; and stretched by
the degrees of freedom of what documents add to the difference, which the package does not do. Since the models are equal,
an interval that does not cover is a false claim.

    python benchmarks/calibration_units.py [--replicates 400] [--seed 9]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling.inflation import SmallSampleInflation
from bayesf1.sampling.model import sampling_model

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
# How much better B gets, and A worse, with a standard deviation of the logarithm of lengths, in logits.
SLOPE = 0.4
LENGTHS = {"with length, sd .8": 0.8, "with length, sd 1.2": 1.2}


class Row(NamedTuple):
    """Coverage and length of intervals of the difference and of one model's F1, for so many documents of some sizes."""

    sizes: str
    documents: int
    found: dict[str, tuple[float, float]]

    def __str__(self) -> str:
        told = (f"{coverage:.3f} / {length:.3f}" for coverage, length in self.found.values())
        return f"{self.sizes:<20}{self.documents:<11}{'   '.join(told)}"


def experiment(
    sizes: np.ndarray, rng: np.random.Generator, gains: np.ndarray | float = 0.0, offset: float = 0.0
) -> bf.Evaluation:
    """Simulate two equal models on documents, of which B gains where A loses."""
    k = len(sizes)
    common, own = rng.normal(0.0, 0.7, k), rng.normal(0.0, 0.4, (2, k))
    gains = np.zeros(k) + gains
    found = special.expit(0.8 + common + own + np.stack([offset - gains, gains]))
    tp = rng.binomial(sizes, found)
    fp = rng.binomial(sizes, 0.6 * (1.0 - found))
    return bf.from_units(
        np.stack([tp, fp, sizes - tp], axis=-1).swapaxes(0, 1).astype(float), unit="document"
    )


def rows(
    replicates: int, rng: np.random.Generator, documents: tuple[int, ...] = (6, 10, 15, 30, 60)
) -> Iterator[Row]:
    """Yield coverage and length for all sizes and numbers of documents."""
    for name, draw in SIZES.items():
        for k in documents if name != "one of 900 among 3" else (41,):
            simulate = partial(lambda k, draw: experiment(draw(k, rng), rng), k, draw)
            yield Row(name, k, study(simulate, _true_f1(), replicates, rng))
    for name, sigma in LENGTHS.items():
        truth = _true_f1(SLOPE, sigma)
        offset = optimize.brentq(lambda x, s=sigma, t=truth: _true_f1(-SLOPE, s, x) - t, -5.0, 5.0)
        for k in documents:
            simulate = partial(going_with_length, k, sigma, offset, rng)
            yield Row(name, k, study(simulate, truth, replicates, rng))


def going_with_length(k: int, sigma: float, offset: float, rng: np.random.Generator) -> bf.Evaluation:
    """Simulate documents of about 20 entities, of which B gains and A loses as they get longer, equal on the whole."""
    z = rng.normal(size=k)
    sizes = np.maximum(1, np.round(20 * np.exp(sigma * z - 0.5 * sigma**2))).astype(int)
    return experiment(sizes, rng, SLOPE * z, offset)


def study(
    simulate: Callable[[], bf.Evaluation], truth: float, replicates: int, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Return coverage and mean length of intervals: of the difference by a plain bootstrap and in two steps, and of F1."""
    ends: dict[str, list[np.ndarray]] = {name: [] for name in COLUMNS}
    for _ in range(replicates):
        ev = simulate()
        f1, sampling = resolve_metric("f1", ev), sampling_model(ev, prior=1.0)
        plain = np.concatenate([f1(t, ev.cells) for t in sampling.draw(n_draws=DRAWS, rng=rng)])
        inflation = sampling.inflation(f1)
        factors = inflation.draw_factors(len(plain), rng)
        stretched = replace(inflation, size_effect=None).stretch(plain, factors, rng)
        drawn = (plain, stretched, inflation.stretch(plain, factors, rng))
        gaps = [*(x[:, 1] - x[:, 0] for x in drawn), by_influence(ev, plain, inflation)]
        scores = [x.clip(-1.0, 1.0) for x in gaps] + [x[:, 0].clip(0.0, 1.0) for x in drawn[1:]]
        for name, values in zip(COLUMNS, scores, strict=True):
            ends[name].append(np.quantile(values, [0.025, 0.975]))
    return {name: _judge(np.array(x), truth if "F1" in name else 0.0) for name, x in ends.items()}


COLUMNS = ("plain", "stretched", "as here", "by influence", "F1 stretched", "F1 as here")


def by_influence(ev: bf.Evaluation, plain: np.ndarray, known: SmallSampleInflation) -> np.ndarray:
    """Stretch draws of the difference by Satterthwaite's degrees of freedom of documents' influence on it, if they are fewer."""
    rows, weights = ev.units.rows.reshape(-1, 2, 3), ev.units.weights
    loads, totals = rows @ [2.0, 1.0, 1.0], ev.tables @ [2.0, 1.0, 1.0]
    influence = np.diff((2.0 * rows[..., 0] - known.centre * loads) / totals)[:, 0]
    freedom = (weights @ influence**2) ** 2 / (weights @ influence**4) - 1.0
    freedom = min(known.freedom, max(freedom, 1.0))
    inflation = replace(known, freedom=freedom, seen_variance=freedom / (freedom + 1.0), size_effect=None)
    rng = np.random.default_rng(0)
    return np.diff(inflation.stretch(plain, inflation.draw_factors(len(plain), rng), rng))[:, 0]


def _judge(ends: np.ndarray, truth: float) -> tuple[float, float]:
    low, high = ends.T
    return float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low))


def _true_f1(slope: float = 0.0, sigma: float = 0.0, offset: float = 0.0) -> float:
    """Return the F1 on all documents, of which one is drawn in proportion to its length."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    middle = 0.8 + offset + slope * sigma
    found = special.expit(middle + np.sqrt(0.7**2 + 0.4**2 + slope**2) * nodes) @ weights / weights.sum()
    return float(2 * found / (2 * found + 0.6 * (1 - found) + 1 - found))


def main(replicates: int | None = None, seed: int = 9) -> None:
    if replicates is None:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--replicates", type=int, default=400)
        parser.add_argument("--seed", type=int, default=9)
        options = parser.parse_args()
        replicates, seed = options.replicates, options.seed
    print("Documents: coverage / length of 95 % intervals of the difference of two equal models\n")
    print(f"{'sizes':<20}{'documents':<11}" + "".join(f"{name:<16}" for name in COLUMNS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in rows(replicates, np.random.default_rng(seed)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
