"""Figures 1 and 2 of Lam (2023) and Figure 1 of Jiang (2020), drawn from this package's own numbers.

F1 over F*, the length of both Wilson intervals over the observed F1, and 10,000 estimates of F0.5 with the normal
density that Jiang's standard error predicts. Run::

    python examples/papers/lam_jiang_figures.py lam_jiang.pdf
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ndtr
from scipy.stats import norm

import bayesf1 as bf

WILSON = {"wilson_direct": "Wilson direct", "wilson_indirect": "Wilson indirect"}


def lengths(relevant: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the observed F1, and the length of each interval there, of all tables with so many relevant items."""
    rows = [
        bf.intervals(bf.from_counts(A=(tp, relevant - tp, 0)), "A", "f1", methods=[*WILSON])
        for tp in range(relevant + 1)
    ]
    found = {name: np.array([row[name].high - row[name].low for row in rows]) for name in WILSON}
    return np.array([row.estimate for row in rows]), found


def jiang(panel: plt.Axes) -> None:
    """Draw Section 2.4: Z ~ Bernoulli(½), S | Z ~ N(2.5 Z, 1), A = (S > 1), n = 1000."""
    found, claimed = ndtr(1.5), ndtr(-1.0)
    p = 0.5 * np.array([found, claimed, 1.0 - found, 1.0 - claimed])
    tables = np.random.default_rng(2020).multinomial(1000, p, size=10_000)
    tp, fp, fn, _ = tables.T
    panel.hist(1.25 * tp / (1.25 * tp + fp + 0.25 * fn), bins=40, density=True, color="#d9d9d9")
    # The standard error of an experiment that turns out as expected.
    delta = bf.intervals(bf.from_counts(A=tuple(1000 * p)), "A", "f0.5", methods=["delta"])["delta"]
    middle, sd = 0.5 * (delta.low + delta.high), (delta.high - delta.low) / (2 * norm.ppf(0.975))
    x = np.linspace(middle - 4 * sd, middle + 4 * sd, 201)
    panel.plot(x, norm.pdf(x, middle, sd), color="#0b4f9b")
    panel.set(xlabel="Estimated F0.5", ylabel="Density", title="Jiang (2020), Figure 1")


def main(path: str = "lam_jiang.pdf") -> None:
    """Draw the three panels and save them."""
    _, (first, second, third) = plt.subplots(1, 3, figsize=(9.0, 2.7), layout="constrained")
    star = np.linspace(0.0, 1.0, 101)
    first.plot(star, 2 * star / (1 + star), color="#0b4f9b")
    first.set(xlabel="F*", ylabel="F1", title="Lam (2023), Figure 1")
    for relevant, colour in ((10, "#0b4f9b"), (25, "#dd6b1a"), (100, "#0c0c0c")):
        f1, found = lengths(relevant)
        for (name, label), line in zip(WILSON.items(), ("-", "--"), strict=True):
            second.plot(f1, found[name], line, color=colour, label=label if relevant == 10 else None)
        second.annotate(f"ν = {relevant}", (0.45, found[name].max() + 0.01), color=colour, fontsize=7)
    second.set(xlabel="Observed F1", ylabel="Length of the 95 % interval", title="Lam (2023), Figure 2")
    second.set_ylim(0.0, 0.8)
    second.legend(fontsize=7, loc="upper right")
    jiang(third)
    bf.save_plot(first, path)
    print(f"{path}: Figures 1 and 2 of Lam (2023), Figure 1 of Jiang (2020)")


if __name__ == "__main__":
    main(*sys.argv[1:])
