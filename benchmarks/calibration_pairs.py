"""Exact coverage of 95 % intervals of a difference in accuracy, for several priors of two models on the same items.

Sums over all tables of n items; what counts is on how many only A, or only B, is right. Beside the priors stand Wald's interval and
that of Bonett and Price (2012). Nothing is random; some minutes.

    python benchmarks/calibration_pairs.py [--items 20 50 100]
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np
from scipy import special

# The prior's items that only one model has right, each way, and on which both agree, right and wrong alike.
PRIORS = {
    "¼ on each joint outcome": (0.25, 0.25),
    "½ on each": (0.5, 0.5),
    "1 on each": (1.0, 1.0),
    "½ where they differ, the default": (0.5, 1e-3),
    "1 where they differ, prior=1": (1.0, 1e-3),
}
ACCURACIES, SHARED = (0.6, 0.7, 0.8, 0.9, 0.95, 0.98), (0.0, 0.3, 0.6, 0.9)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
BISECTIONS = 15


def credible(n: int, a: np.ndarray, b: np.ndarray, differ: float, agree: float) -> list[np.ndarray]:
    """Return the ends of equal-tailed intervals of p_b - p_a = s(2u - 1), with s and u Beta variates."""
    share = special.betaincinv(
        (a + b + 2 * differ)[:, None], (n - a - b + 2 * agree)[:, None], 0.5 + 0.5 * NODES
    )
    ends = []
    for tail in (0.975, 0.025):
        low, high = np.full(len(a), -1.0), np.full(len(a), 1.0)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            place = np.clip(0.5 + 0.5 * middle[:, None] / share, 0.0, 1.0)
            above = special.betaincc((b + differ)[:, None], (a + differ)[:, None], place) @ (0.5 * WEIGHTS)
            low, high = np.where(above > tail, middle, low), np.where(above > tail, high, middle)
        ends.append(0.5 * (low + high))
    return ends


def normal(n: int, a: np.ndarray, b: np.ndarray, more: float) -> list[np.ndarray]:
    """Return Wald's interval, with so many items more that only one model has right, each way."""
    total = n + 2 * more
    gap = (b - a) / total
    reach = 1.959964 * np.sqrt(np.maximum((a + b + 2 * more) / total - gap**2, 0.0) / total)
    return [gap - reach, gap + reach]


def rows(n: int) -> dict[str, list[tuple[float, float, float]]]:
    """Return coverage, mean length and false claims (nan if the models differ) of every method in every setting."""
    a, b = np.array([(i, j) for i in range(n + 1) for j in range(n + 1 - i)], float).T
    methods = {name: credible(n, a, b, *prior) for name, prior in PRIORS.items()}
    methods |= {"Wald": normal(n, a, b, 0.0), "Bonett and Price": normal(n, a, b, 1.0)}
    times = special.gammaln(n + 1) - sum(special.gammaln(x + 1) for x in (a, b, n - a - b))
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in methods}
    for (worse, better), shared in itertools.product(
        itertools.combinations_with_replacement(ACCURACIES, 2), SHARED
    ):
        if better - worse > 0.2001:
            continue
        both = (1 - shared) * worse * better + shared * worse
        of_a, of_b, truth = worse - both, better - both, better - worse
        mass = np.exp(
            times
            + special.xlogy(a, of_a)
            + special.xlogy(b, of_b)
            + special.xlogy(n - a - b, 1 - of_a - of_b)
        )
        for name, (low, high) in methods.items():
            claims = mass @ ((low > 0) | (high < 0)) if worse == better else np.nan
            covers = mass @ ((low - 1e-9 <= truth) & (truth <= high + 1e-9))
            found[name].append((covers, mass @ (np.minimum(high, 1) - np.maximum(low, -1)), claims))
    return found


def main(items: list[int]) -> None:
    """Print every method's coverage, length and false claims."""
    parts = [rows(n) for n in items]
    print(f"{'prior or method':34} smallest, mean; below .92; length; false claims, mean and largest")
    for name in parts[0]:
        cover, length, claims = np.array([row for part in parts for row in part[name]]).T
        false = claims[~np.isnan(claims)]
        print(
            f"{name:34} {cover.min():.3f}, {cover.mean():.3f}; {(cover < 0.92).sum()} of {len(cover)}; {length.mean():.3f}; "
            f"{false.mean():.3f}, {false.max():.3f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, nargs="+", default=[20, 50, 100])
    main(parser.parse_args().items)
