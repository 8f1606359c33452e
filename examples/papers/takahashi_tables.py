"""Tables 3 and 4 of Takahashi et al. (2022): coverage of intervals for micro- and macro-averaged F1.

Table 3 is simulated as in the paper, with all replicates of a condition at once; the micro average is a share, so
that its coverage is also listed exactly. The second macro average, F1*, is undefined where a class does not occur
or is never predicted: such replicates are left out, as the print must have done, and their share is shown. Run::

    python examples/papers/takahashi_tables.py            # 100,000 replicates
    python examples/papers/takahashi_tables.py --full     # 1,000,000 replicates, as in the paper; about a minute
"""

from __future__ import annotations

import argparse
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.frequentist.closed_intervals import Bounds, binomial_wald, check_counts, normal_bounds
from bayesf1.frequentist.coverage import coverage_curve
from bayesf1.metrics import ratio

FloatArray: TypeAlias = NDArray[np.float64]


def micro_f1(matrix: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for the micro-averaged F1, the share :math:`\sum_i p_{ii}` of the diagonal.

    Parameters
    ----------
    matrix
        Counts, axes (..., truth, prediction).
    confidence_level
        Probability with which the interval shall hold the true score.

    Examples
    --------
    >>> interval = micro_f1([[2, 5, 0], [2, 70, 2], [2, 2, 15]])
    >>> interval.estimate, interval.se
    (0.87, 0.03363...)

    References
    ----------
    Takahashi et al. (2022), Applied Intelligence 52, Eq. 4.
    """
    p, n = _shares(matrix)
    score = np.trace(p, axis1=-2, axis2=-1)
    variance = ratio(score * (1.0 - score).clip(0.0), n)
    return normal_bounds(score, variance, confidence_level, undefined=n == 0.0)


def macro_f1(matrix: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for the macro-averaged F1, the mean of the classes' :math:`F_{1i} = 2p_{ii}/s_i`.

    With :math:`s_i = p_{i\cdot}+p_{\cdot i}` its variance is

    .. math:: \frac{2}{K^2 n}\Bigl\{\sum_i \frac{F_{1i}(s_i-2p_{ii})}{s_i^2}\Bigl(\frac{s_i-2p_{ii}}{s_i}
              + \frac{F_{1i}}{2}\Bigr) + \sum_{i\ne j}\frac{p_{ij}F_{1i}F_{1j}}{s_i s_j}\Bigr\}

    Parameters
    ----------
    matrix, confidence_level
        As in `micro_f1`.

    Returns
    -------
    Bounds
        Undefined where a class neither occurs nor is predicted; its F1 then counts as 0.

    Examples
    --------
    >>> interval = macro_f1([[2, 5, 0], [2, 70, 2], [2, 2, 15]])
    >>> interval.estimate, interval.se
    (0.68939..., 0.06504...)

    References
    ----------
    Takahashi et al. (2022), Section 3.2, where one margin of the last sum is misprinted; Appendix B is right.
    """
    p, n = _shares(matrix)
    right, apart = _split(p)
    s = p.sum(axis=-1) + p.sum(axis=-2)
    f1 = ratio(2.0 * right, s)
    wrong = ratio(apart.sum(axis=-1) + apart.sum(axis=-2), s)
    pull = ratio(f1, s)
    own = (pull * wrong * (wrong + 0.5 * f1)).sum(axis=-1)
    shared = np.einsum("...ij,...i,...j->...", apart, pull, pull)
    variance = ratio(2.0 * (own + shared), n * f1.shape[-1] ** 2)
    never = (s == 0.0).any(axis=-1)
    return normal_bounds(f1.mean(axis=-1), variance, confidence_level, undefined=never)


def macro_f1_star(matrix: ArrayLike, *, confidence_level: float = 0.95) -> Bounds:
    r"""Interval for the harmonic mean of macro-averaged precision and recall, :math:`2PR/(P+R)`.

    Its variance is

    .. math:: 4\,\frac{R^4\operatorname{Var}P + 2P^2R^2\operatorname{Cov}(P,R) + P^4\operatorname{Var}R}{(P+R)^4}

    Parameters
    ----------
    matrix, confidence_level
        As in `micro_f1`.

    Returns
    -------
    Bounds
        Undefined where a class does not occur or is never predicted; its recall or precision then counts as 0.

    Examples
    --------
    >>> interval = macro_f1_star([[2, 5, 0], [2, 70, 2], [2, 2, 15]])
    >>> interval.estimate, interval.se
    (0.69055..., 0.06492...)

    References
    ----------
    Takahashi et al. (2022), Section 3.3; Sokolova & Lapalme (2009).
    """
    p, n = _shares(matrix)
    right, apart = _split(p)
    occurs, said = p.sum(axis=-1), p.sum(axis=-2)
    missed, false = ratio(apart.sum(axis=-1), occurs), ratio(apart.sum(axis=-2), said)
    recalls, precisions = ratio(right, occurs), ratio(right, said)
    recall, precision = recalls.mean(axis=-1), precisions.mean(axis=-1)
    by_recall, by_precision = ratio(recalls, occurs), ratio(precisions, said)
    var_recall = (by_recall * missed).sum(axis=-1)
    var_precision = (by_precision * false).sum(axis=-1)
    covariance = (right * ratio(missed, occurs) * ratio(false, said)).sum(axis=-1)
    covariance = covariance + np.einsum("...ij,...i,...j->...", apart, by_recall, by_precision)
    total = precision + recall
    to_p, to_r = ratio(recall, total) ** 2, ratio(precision, total) ** 2
    variance = to_p**2 * var_precision + 2.0 * to_p * to_r * covariance + to_r**2 * var_recall
    variance = ratio(4.0 * variance, n * p.shape[-1] ** 2)
    score = ratio(2.0 * precision * recall, total)
    never = ((occurs == 0.0) | (said == 0.0)).any(axis=-1)
    return normal_bounds(score, variance, confidence_level, undefined=never)


def _shares(matrix: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the cells as shares of all items, and the number of items."""
    (counts,) = check_counts(matrix=matrix)
    if counts.ndim < 2 or counts.shape[-1] != counts.shape[-2] or not counts.shape[-1]:
        raise ValueError(
            f"a confusion matrix has as many rows as columns, one a class, not the shape {counts.shape}"
        )
    n = counts.sum(axis=(-2, -1))
    return counts / np.where(n > 0.0, n, 1.0)[..., None, None], n


def _split(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the diagonal, and the cells beside it."""
    return np.diagonal(p, axis1=-2, axis2=-1), p * ~np.eye(p.shape[-1], dtype=bool)


NUMBERS = (25, 50, 100, 500, 1000, 5000)
SCORES = {"miF1": micro_f1, "maF1": macro_f1, "maF1*": macro_f1_star}
# Table 2, transposed: rows are the truth.
SCENARIOS = {
    1: np.array([[8, 1, 1], [1, 8, 1], [1, 1, 8]]) / 30,
    2: np.array([[64, 8, 8], [3, 4, 3], [3, 3, 4]]) / 100,
    3: np.array([[32, 24, 24], [1, 8, 1], [1, 1, 8]]) / 100,
}
# Table 3: a row for each number of items, the scores in order.
COVERAGE = {
    1: (
        (0.885, 0.901, 0.890),
        (0.937, 0.935, 0.923),
        (0.933, 0.938, 0.936),
        (0.949, 0.949, 0.948),
        (0.946, 0.948, 0.948),
        (0.950, 0.950, 0.950),
    ),
    2: (
        (0.921, 0.790, 0.774),
        (0.941, 0.864, 0.853),
        (0.937, 0.914, 0.914),
        (0.947, 0.944, 0.945),
        (0.947, 0.947, 0.947),
        (0.951, 0.949, 0.949),
    ),
    3: (
        (0.930, 0.870, 0.821),
        (0.935, 0.918, 0.905),
        (0.943, 0.936, 0.933),
        (0.946, 0.947, 0.947),
        (0.947, 0.949, 0.947),
        (0.951, 0.950, 0.950),
    ),
}
# The confusion matrix of MNN, from the end of the paper's program; cbind() makes a column of each class's truth.
MNN = np.array(
    [
        [5022, 577, 188, 19, 395],
        [407, 2468, 989, 4, 965],
        [130, 630, 27254, 1021, 763],
        [13, 0, 1236, 6399, 5],
        [103, 258, 609, 0, 9611],
    ]
)


class Row(NamedTuple):
    """A row of Table 4: number of items; estimate, low and high of each score."""

    n: int
    scores: tuple[tuple[float, float, float], ...]


ESTIMATES = {
    "MNN": Row(59066, ((0.859, 0.856, 0.862), (0.805, 0.801, 0.809), (0.807, 0.803, 0.811))),
    "SVM": Row(59255, ((0.797, 0.794, 0.800), (0.750, 0.746, 0.754), (0.756, 0.752, 0.760))),
    "RF": Row(59193, ((0.817, 0.814, 0.820), (0.724, 0.720, 0.729), (0.746, 0.741, 0.750))),
    "MLP": Row(59130, ((0.814, 0.811, 0.817), (0.772, 0.768, 0.776), (0.778, 0.774, 0.782))),
}


class Simulated(NamedTuple):
    """Coverage in the replicates where the score is defined, and the share of those where it is not."""

    coverage: float
    undefined: float


def simulate(p: np.ndarray, n: int, replicates: int, rng: np.random.Generator) -> dict[str, Simulated]:
    """Return the coverage of each score's 95 % interval for true proportions `p`, rows the truth."""
    truth = {name: score(p).estimate for name, score in SCORES.items()}
    hits, defined = dict.fromkeys(SCORES, 0), dict.fromkeys(SCORES, 0)
    for start in range(0, replicates, 100_000):
        size = min(100_000, replicates - start)
        matrices = rng.multinomial(n, p.ravel(), size=size).reshape(size, *p.shape)
        for name, score in SCORES.items():
            found = score(matrices)
            inside = (found.low <= truth[name]) & (truth[name] <= found.high) & ~found.undefined
            hits[name] += int(inside.sum())
            defined[name] += int((~found.undefined).sum())
    return {name: Simulated(hits[name] / defined[name], 1.0 - defined[name] / replicates) for name in SCORES}


def exact_micro(p: np.ndarray, n: int) -> float:
    """Return the exact coverage of the micro average, the share of items on the diagonal."""
    right = float(np.trace(p))
    # An interval for a share: the items that are right are tp, the others fp, and every item is relevant.
    curve = coverage_curve([n], right, 1.0 - right, 0.0, methods=["wald"], metric="jaccard")
    return float(curve.coverage[0, 0])


def table_3(replicates: int, rng: np.random.Generator) -> None:
    print(
        f"Table 3: coverage, printed | simulated with {replicates:,} replicates, * where they differ by more than"
    )
    print("four standard errors of both simulations and the rounding; the micro average also exactly\n")
    worst, marked = 0.0, 0
    for scenario, p in SCENARIOS.items():
        truth = ", ".join(f"{name} = {score(p).estimate:.3f}" for name, score in SCORES.items())
        print(f"  Scenario {scenario}: {truth}")
        print(f"  {'n':>4}{'miF1':>17}   exact{'maF1':>17}  undefined{'maF1*':>16}  undefined")
        for j, n in enumerate(NUMBERS):
            found = simulate(p, n, replicates, rng)
            cells = {}
            for name, printed in zip(SCORES, COVERAGE[scenario][j], strict=True):
                coverage, undefined = found[name]
                noise = (coverage * (1.0 - coverage) / (1.0 - undefined)) ** 0.5
                allowed = 5e-4 + 4.0 * noise * (1.0 / replicates + 1e-6) ** 0.5
                differs = abs(coverage - printed) > allowed
                marked += differs
                worst = max(worst, abs(coverage - printed))
                cells[name] = f"{printed:.3f} | {coverage:.4f}{'*' if differs else ' '}"
            print(
                f"  {n:>4}  {cells['miF1']}  {exact_micro(p, n):.4f}  {cells['maF1']}     {found['maF1'].undefined:.4f}"
                f"  {cells['maF1*']}     {found['maF1*'].undefined:.4f}"
            )
        print()
    print(f"  54 cells, {marked} marked, largest difference {worst:.4f}")


def table_4() -> None:
    print("\nTable 4: estimates and 95 % intervals, printed | recomputed")
    print(
        "(the paper gives the matrix of MNN only; of the others, the micro average follows from itself and n)\n"
    )
    for model, row in ESTIMATES.items():
        for i, (name, score) in enumerate(SCORES.items()):
            estimate, low, high = row.scores[i]
            line = f"  {model:4} {name:6} {estimate:.3f} ({low:.3f}, {high:.3f})"
            if model == "MNN":
                found = score(MNN)
                print(f"{line} | {found.estimate:.10f} ({found.low:.7f}, {found.high:.7f})")
            elif name == "miF1":
                found = binomial_wald(estimate * row.n, (1.0 - estimate) * row.n)
                print(f"{line} | {'':12} ({found.low:.4f}, {found.high:.4f})")
            else:
                print(f"{line} | not recomputable")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Takahashi et al. (2022), Tables 3 and 4")
    parser.add_argument("--full", action="store_true", help="1,000,000 replicates, as in the paper")
    parser.add_argument("--replicates", type=int, default=100_000, help="replicates of each condition")
    parser.add_argument("--rng", type=int, default=2022, help="start of the random numbers")
    chosen = parser.parse_args(arguments)
    print("Takahashi et al. (2022)\n")
    table_3(1_000_000 if chosen.full else chosen.replicates, np.random.default_rng(chosen.rng))
    table_4()


if __name__ == "__main__":
    main()
