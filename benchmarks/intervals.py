"""Speed of vectorised intervals: a million quartics at once, beside a loop over numpy's polynomial roots.

python benchmarks/intervals.py
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bayesf1.frequentist.closed_intervals import clopper_pearson, wald, wilson_direct, wilson_indirect
from timing import best, in_turns

N, FEW = 1_000_000, 2_000
Z = 1.959963984540054


def loop(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    """Return the roots of Lam's quartic that lie in [0, 1], one table after another."""
    ends = []
    for t, p, n in zip(tp, fp, fn, strict=True):
        relevant = t + p + n
        f, k = 2 * t / (2 * t + p + n), Z * Z / relevant
        roots = np.roots([k, -5 * k, 2 * (4 * k + 1), -4 * (k + f), 2 * f * f])
        real = np.sort(roots[np.abs(roots.imag) < 1e-9].real)
        inside = real[(real >= -1e-9) & (real <= 1 + 1e-9)]
        ends.append((inside[0], inside[-1]))
    return np.array(ends)


def main() -> None:
    rng = np.random.default_rng(1)
    tp, fp, fn = rng.integers(1, 500, N), rng.integers(1, 200, N), rng.integers(1, 200, N)
    print(f"95 % intervals of F1 for {N:,} tables, best of three")
    for method in (clopper_pearson, wald, wilson_indirect, wilson_direct):
        took = best(partial(method, tp, fp, fn), 3)
        print(f"  {method.__name__:<16} {took:6.2f} s")
    few = slice(FEW)
    took, one = in_turns(
        lambda: wilson_direct(tp, fp, fn), lambda: loop(tp[few], fp[few], fn[few]), repeats=3
    )
    found, roots = wilson_direct(tp, fp, fn), loop(tp[few], fp[few], fn[few])
    ours = np.stack([found.low[few], found.high[few]], axis=-1)
    print(
        f"Wilson direct one by one with numpy.roots: {one / FEW * N:.0f} s (from {FEW:,} tables), "
        f"{one / FEW * N / took:.0f} times as long; largest difference {np.abs(ours - roots).max():.1e}"
    )


if __name__ == "__main__":
    main()
