"""Does the 95 % interval of one model's precision, recall and F1 contain the truth?

A hundred and forty settings: 50 to 1000 items, 2 to 50 % of them positive, precision and recall from .5 to .98. The credible
intervals are those of `bf.posterior`, Jeffreys' prior (½, the default) beside the uniform one of Wang & Li (2019); Wald's
is the delta method, and BCa the bootstrap that scipy.stats has, each computed on arrays of counts. A replicate without
any true positive, false positive or false negative is drawn again; precision is looked at where the model says yes, recall
where there is a positive.

    python benchmarks/calibration_counts.py [--replicates 2000] [--seed 26422]
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np
from scipy import special

SIZES = (50, 100, 300, 1000)
PREVALENCES = (0.02, 0.05, 0.1, 0.2, 0.5)
# Precision and recall.
RATES = ((0.5, 0.5), (0.7, 0.7), (0.9, 0.9), (0.95, 0.95), (0.98, 0.98), (0.9, 0.6), (0.6, 0.9))
TAILS = np.array([0.025, 0.975])
Z = special.ndtri(0.975)
RESAMPLES = 499
# Fewer expected positives are a table of their own.
FEW = 5


def f1_of(ratio: np.ndarray) -> np.ndarray:
    """Return F1 of F* = tp / (tp + fp + fn)."""
    return 2 * ratio / (1 + ratio)


def credible(hits: np.ndarray, misses: np.ndarray, prior: tuple[float, float]) -> np.ndarray:
    """Return the equal-tailed interval of a share, axes (replicate, end)."""
    return special.betaincinv(hits[:, None] + prior[0], misses[:, None] + prior[1], TAILS)


def wald(estimate: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return the estimate ± 1.96 standard errors."""
    return estimate[:, None] + Z * np.sqrt(variance)[:, None] * np.array([-1.0, 1.0])


def scores(counts: np.ndarray) -> np.ndarray:
    """Return F1, precision and recall of counts (..., [tp, fp, fn, tn]); 0 where nothing is divided by nothing."""
    tp, fp, fn = (counts[..., i] for i in range(3))
    parts = ((2 * tp, 2 * tp + fp + fn), (tp, tp + fp), (tp, tp + fn))
    return np.stack([np.divide(a, b, out=np.zeros(a.shape), where=b > 0) for a, b in parts], axis=-1)


def bca(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the BCa intervals of F1, precision and recall, axes (replicate, score, end)."""
    n, seen = counts.sum(axis=1), scores(counts)
    drawn = scores(
        rng.multinomial(int(n[0]), counts[:, None] / n[0], size=(len(counts), RESAMPLES)).astype(float)
    )
    below = (drawn < seen[:, None]).mean(axis=1) + 0.5 * (drawn == seen[:, None]).mean(axis=1)
    bias = special.ndtri(np.clip(below, 0.5 / RESAMPLES, 1 - 0.5 / RESAMPLES))
    # The jackknife leaves out one item of each kind.
    left = scores(np.maximum(counts[:, None] - np.eye(4), 0.0))
    weights = counts[:, :, None]
    away = (weights * left).sum(axis=1, keepdims=True) / n[:, None, None] - left
    second, third = ((weights * away**power).sum(axis=1) for power in (2, 3))
    skew = np.divide(third, 6 * second**1.5, out=np.zeros(third.shape), where=second > 0)
    z = bias[..., None] + special.ndtri(TAILS)
    places = special.ndtr(bias[..., None] + z / (1 - skew[..., None] * z))
    drawn.sort(axis=1)
    at = np.clip((places * (RESAMPLES - 1)).round().astype(int), 0, RESAMPLES - 1)
    return np.take_along_axis(drawn.swapaxes(1, 2), at, axis=2)


def intervals(counts: np.ndarray, rng: np.random.Generator, resampled: int) -> dict[str, np.ndarray]:
    """Return each method's intervals of F1, precision and recall, axes (replicate, score, end)."""
    tp, fp, fn = counts[:, :3].T
    found = {}
    for name, weight in (("prior ½", 0.5), ("prior 1", 1.0)):
        f1 = f1_of(credible(tp, fp + fn, (weight, 2 * weight)))
        shares = [credible(tp, misses, (weight, weight)) for misses in (fp, fn)]
        found[name] = np.stack([f1, *shares], axis=1)
    seen = scores(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        f1, p, r = seen.T
        # Lam (2023): the delta method for F1.
        variances = (
            f1 * (1 - f1) * (2 - f1) ** 2 / (2 * (tp + fp + fn)),
            p * (1 - p) / (tp + fp),
            r * (1 - r) / (tp + fn),
        )
        found["Wald"] = np.stack([wald(x, v) for x, v in zip(seen.T, variances, strict=True)], axis=1)
    found["BCa"] = bca(counts[:resampled], rng)
    return found


def study(
    n: int, prevalence: float, rates: tuple[float, float], *, replicates: int, rng: np.random.Generator
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return coverage and mean length of F1, precision and recall by each method, in one setting."""
    precision, recall = rates
    tp = prevalence * recall
    fp, fn = tp * (1 - precision) / precision, prevalence - tp
    truth = scores(np.array([tp, fp, fn, 1 - tp - fp - fn]))
    counts = rng.multinomial(n, [tp, fp, fn, 1 - tp - fp - fn], size=replicates).astype(float)
    while not (some := counts[:, :3].any(axis=1)).all():
        counts[~some] = rng.multinomial(n, [tp, fp, fn, 1 - tp - fp - fn], size=int((~some).sum()))
    exists = np.stack([some, counts[:, :2].any(axis=1), counts[:, [0, 2]].any(axis=1)], axis=1)
    found = {}
    for name, ends in intervals(counts, rng, max(replicates // 10, 100)).items():
        low, high = ends[..., 0], ends[..., 1]
        kept = exists[: len(ends)]
        inside = (low <= truth + 1e-12) & (truth - 1e-12 <= high) & kept
        length = np.where(kept, high - low, 0.0)
        found[name] = (inside.sum(axis=0) / kept.sum(axis=0), length.sum(axis=0) / kept.sum(axis=0))
    return found


def main(replicates: int = 2000, seed: int = 26422) -> None:
    """Print how many settings are below .92, the worst one and the mean, for each method."""
    rng = np.random.default_rng(seed)
    settings = list(itertools.product(SIZES, PREVALENCES, RATES))
    rows = [study(n, share, rates, replicates=replicates, rng=rng) for n, share, rates in settings]
    many = np.array([n * share >= FEW for n, share, _ in settings])
    print(
        f"one model, {len(settings)} settings, {replicates} replicates each (BCa: {max(replicates // 10, 100)})"
    )
    print("coverage of 95 % intervals: smallest, settings below .92, mean; mean length\n")
    for title, chosen in ((f"{FEW} expected positives or more", many), (f"fewer than {FEW}", ~many)):
        print(f"{title}: {chosen.sum()} settings")
        for name in rows[0]:
            coverage, length = (np.array([row[name][i] for row in rows])[chosen] for i in (0, 1))
            parts = (
                f"{label} {coverage[:, i].min():.3f}, {(coverage[:, i] < 0.92).sum():3d}, {coverage[:, i].mean():.3f}; "
                f"{length[:, i].mean():.3f}"
                for i, label in enumerate(("F1", "P", "R"))
            )
            print(f"  {name:8} {'   '.join(parts)}")
        worst = sorted(
            (row["prior ½"][0][0], *setting)
            for row, setting, use in zip(rows, settings, chosen, strict=True)
            if use
        )
        for coverage, n, share, rates in worst[:5]:
            print(
                f"  prior ½, F1: {coverage:.3f} of {n} items, prevalence {share:g}, P {rates[0]:g}, R {rates[1]:g}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=26422)
    options = parser.parse_args()
    main(options.replicates, options.seed)
