"""Do 95 % intervals of macro F1 hold what they promise where classes are many and rare?

    python benchmarks/calibration_classes.py [--replicates 100]

In each replicate classes get new accuracies and two models label one sample. Coverage, mean length and bias of the
posterior mean, for one model and for the difference of two paired ones, and how often an interval of the difference
lies on the wrong side of 0: with λ = 4/K² on every pair of classes, as plain Dirichlet draws, and with the package's
prior. The truth is that of the population, in which all K classes occur, whether the sample has them or not. Seeded;
about two minutes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling import sampling_model

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

SIZES = ((3, 60), (10, 150), (10, 1000), (50, 500), (50, 3000))
N_DRAWS = 400
# Share of the models' luck that is common to both.
SHARED = 0.6


class Setting(NamedTuple):
    """How frequent classes are, how often a model is right, and what it takes a class for otherwise.

    Attributes
    ----------
    name
        What it is called.
    zipf
        Whether class k is as frequent as 1/k; otherwise all are equally frequent.
    accuracy
        Mean of the classes' accuracies, whose standard deviation is .08.
    trend
        How much the rarest class is worse than the most frequent.
    neighbours
        Whether a class is taken for those next to it; otherwise for others as they are frequent.
    """

    name: str
    zipf: bool
    accuracy: float
    trend: float = 0.0
    neighbours: bool = False


SETTINGS = (
    Setting("Zipf", True, 0.8),
    Setting("even", False, 0.6),
    Setting("neighbours", True, 0.75, neighbours=True),
    Setting("rare are harder", True, 0.75, trend=0.2),
)


def population(setting: Setting, k: int, rng: np.random.Generator) -> tuple[Floats, list[Floats]]:
    """Draw a population: shares of classes, and what two models take each class for, matrices (gold, predicted)."""
    share = 1.0 / np.arange(1, k + 1) if setting.zipf else np.ones(k)
    share /= share.sum()
    place = np.arange(k)
    wrong = (
        np.exp(-np.abs(np.subtract.outer(place, place)) / 1.5)
        if setting.neighbours
        else np.tile(share, (k, 1))
    )
    np.fill_diagonal(wrong, 0.0)
    wrong /= wrong.sum(axis=1, keepdims=True)
    common, matrices = rng.standard_normal(k), []
    for better in (-0.01, 0.01):
        spread = 0.08 * (0.8 * common + 0.6 * rng.standard_normal(k))
        right = setting.accuracy + better + spread + setting.trend * (0.5 - place / (k - 1))
        right = np.clip(right, 0.05, 0.98)
        matrices.append(wrong * (1.0 - right)[:, None] + np.diag(right))
    return share, matrices


def sample(
    share: Floats, matrices: list[Floats], n: int, rng: np.random.Generator
) -> tuple[Labels, dict[str, Labels]]:
    """Draw items, and what the models say of them."""
    gold = rng.choice(len(share), n, p=share)
    luck, said = rng.random((2, n)), {}
    for name, matrix in zip("AB", matrices, strict=True):
        own, common = rng.random((2, n)), rng.random(n) < SHARED
        chance, which = np.where(common, luck, own)
        others = matrix - np.diag(matrix.diagonal())
        steps = np.cumsum(others, axis=1)
        wrong = (which[:, None] * steps[gold, -1:] > steps[gold]).sum(axis=1)
        said[name] = np.where(chance < matrix[gold, gold], gold, wrong)
    return gold, said


def macro_f1(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """Macro F1 of counts (..., class), 0 for a class that has none."""
    whole = 2.0 * tp + fp + fn
    return np.asarray(np.divide(2.0 * tp, whole, out=np.zeros(whole.shape), where=whole > 0).mean(axis=-1))


def truth_of(share: Floats, matrix: Floats) -> float:
    """Macro F1 in the population."""
    joint = share[:, None] * matrix
    right = joint.diagonal()
    return float(macro_f1(right, joint.sum(axis=0) - right, joint.sum(axis=1) - right))


def before(gold: Labels, said: dict[str, Labels], k: int, rng: np.random.Generator) -> Floats:
    """Draw macro F1 (draw, model) with λ = 4/K² on each model's cells: four items of random joint outcomes."""
    items = np.stack([gold, *said.values()], axis=1)
    kinds, times = np.unique(items, axis=0, return_counts=True)
    # A gamma process of mass 4 in so many pieces, each with an outcome of its own.
    atoms = rng.integers(0, k, (N_DRAWS, 400, 3))
    mass = rng.standard_gamma(4.0 / atoms.shape[1], atoms.shape[:2])
    weights = rng.standard_gamma(times, (N_DRAWS, len(times)))
    row = np.arange(N_DRAWS)[:, None]
    scores = []
    for j in (1, 2):
        tp, fp, fn = (np.zeros((N_DRAWS, k)) for _ in range(3))
        seen, one = kinds[:, 0] == kinds[:, j], np.eye(k)
        tp += weights[:, seen] @ one[kinds[seen, 0]]
        fp += weights[:, ~seen] @ one[kinds[~seen, j]]
        fn += weights[:, ~seen] @ one[kinds[~seen, 0]]
        same = atoms[..., 0] == atoms[..., j]
        np.add.at(tp, (row, atoms[..., 0]), mass * same)
        np.add.at(fp, (row, atoms[..., j]), mass * ~same)
        np.add.at(fn, (row, atoms[..., 0]), mass * ~same)
        scores.append(macro_f1(tp, fp, fn))
    return np.stack(scores, axis=1)


def after(gold: Labels, said: dict[str, Labels], k: int, rng: np.random.Generator) -> Floats:
    """Draw macro F1 (draw, model) by the package, over the classes that the sample has."""
    ev = bf.from_labels(gold, said, labels=np.unique(gold))
    measure = resolve_metric("macro_f1", ev)
    blocks = sampling_model(ev, "paired").scores(
        [measure], prior=ev.task.default_prior, n_draws=N_DRAWS, rng=rng
    )
    return np.concatenate([scores for (scores,) in blocks])


PRIORS: dict[str, Callable[[Labels, dict[str, Labels], int, np.random.Generator], Floats]] = {
    "before": before,
    "after": after,
}


def judge(draws: Floats, truth: float) -> tuple[float, float, float]:
    """Return whether an interval covers the truth, its length, and how far the mean is off."""
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low <= truth <= high), float(high - low), float(draws.mean() - truth)


def study(
    setting: Setting, k: int, n: int, *, replicates: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Simulate one setting; a row for each prior."""
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in PRIORS}
    for _ in range(replicates):
        share, matrices = population(setting, k, rng)
        truths = [truth_of(share, matrix) for matrix in matrices]
        gold, said = sample(share, matrices, n, rng)
        gap = truths[1] - truths[0]
        for name, draw in PRIORS.items():
            scores = draw(gold, said, k, rng)
            difference = scores[:, 1] - scores[:, 0]
            high = np.quantile(difference * np.sign(gap), 0.975)
            found[name].append((*judge(scores[:, 0], truths[0]), *judge(difference, gap), float(high < 0.0)))
    keys = (
        "coverage",
        "length",
        "bias",
        "difference_coverage",
        "difference_length",
        "difference_bias",
        "false",
    )
    return [
        {"setting": setting.name, "k": k, "n": n, "prior": name}
        | dict(zip(keys, np.mean(kept, axis=0).tolist(), strict=True))
        for name, kept in found.items()
    ]


def rows(replicates: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return a row for each setting, size and prior."""
    return [
        row
        for setting in SETTINGS
        for k, n in SIZES
        for row in study(setting, k, n, replicates=replicates, rng=rng)
    ]


def main(replicates: int | None = None) -> None:
    if replicates is None:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--replicates", type=int, default=100)
        replicates = parser.parse_args().replicates
    start = time.perf_counter()
    print(f"95 % intervals of macro F1, {replicates} replicates: coverage / length / bias\n")
    print("setting          K   n     prior   one model               difference              wrong side")
    for row in rows(replicates, np.random.default_rng(2019)):
        one, two = (
            f"{row[f'{kind}coverage']:.3f} / {row[f'{kind}length']:.3f} / {row[f'{kind}bias']:+.3f}"
            for kind in ("", "difference_")
        )
        print(
            f"{row['setting']:<16} {row['k']:<3} {row['n']:<5} {row['prior']:<7} {one}  {two}  {row['false']:.3f}"
        )
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
