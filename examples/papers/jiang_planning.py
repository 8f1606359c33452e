"""The numbers of Jiang (2020), "Statistical Formulas for F Measures", published beside ours.

Bounds V, the orange juice data, the size of a new study, and the simulation of Section 2.4. Then what he does not
plan for: a decision between two models. Run::

    python examples/papers/jiang_planning.py
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

import bayesf1 as bf

# Counts that give the paper's n = 535, E_n(ZA) = .535, τ(.8, .2) = .861, τ(.64, .04) = .900.
TP, FP, FN, TN = 286, 47, 43, 159
JUICE = bf.from_counts(logistic=(TP, FP, FN, TN))
Z = ndtri(0.975)


def row(what: str, published: str, ours: str, note: str = "") -> None:
    print(f"  {what:44} {published:>12}  {ours:>14}  {note}".rstrip())


def bounds() -> None:
    print("V(max{a, b}), Proposition 1 (iii)")
    for m, published in ((0.5, ".1549"), (0.6, ".1695"), (0.7, ".1861"), (0.8, ".2050"), (0.9, ".2262")):
        # Corollary 2: V/((1 - m) δ²) positives are enough, and a tiny half-width δz leaves V nine digits.
        size = bf.plan(half_width=1e-6, metric=f"f{math.sqrt(1 / m - 1)}", prevalence=1.0)
        row(f"V({m})", published, f"{size.n_positives * (1 - m) * (1e-6 / Z) ** 2:.9f}")


def orange_juice() -> None:
    print("\nOrange juice, Section 2.3: F0.5 of 535 purchases")
    delta = bf.intervals(JUICE, "logistic", "f0.5", rng=1)["delta"]
    half_width = 0.5 * (delta.high - delta.low)
    row("estimate τ(.8, .2)", "0.861", f"{bf.score(JUICE, 'logistic', 'f0.5'):.10f}")
    row("τ(.64, .04)", "0.900", f"{TP / (TP + 0.64 * FP + 0.04 * FN):.10f}")
    row("standard error", "0.0162", f"{half_width / Z:.10f}")
    row("half-width of the 95 % interval", "0.032", f"{half_width:.10f}")


def new_study() -> None:
    print("\nA new study, ±0.02 at 95 %, 61.5 % positive")
    rounded = 0.2050 / (0.01**2 * 0.2)
    found = bf.plan(half_width=0.02, metric="f0.5", prevalence=0.615)
    row("positives, δ rounded to .01, V to .2050", "10250", f"{rounded:.0f}")
    row("purchases, likewise", "16667", f"{math.ceil(rounded / 0.615)}")
    row("positives, δ = .02/1.96", "", f"{found.n_positives}", "he would have needed fewer")
    row("purchases, likewise", "", f"{found.n_units}")
    sharp = bf.plan(half_width=0.02, metric="f0.5", pilot=JUICE)
    row("purchases, for a model like the pilot's", "", f"{sharp.n_units}", "the bound holds for any model")


def simulation() -> None:
    print("\nSection 2.4: Z ~ Bernoulli(½), S | Z ~ N(2.5 Z, 1), A = (S > 1), n = 1000")
    found, claimed = ndtr(1.5), ndtr(-1.0)
    p = 0.5 * np.array([found, claimed, 1.0 - found, 1.0 - claimed])
    true = 1.25 * p[0] / (1.25 * p[0] + p[1] + 0.25 * p[2])
    row("true F0.5", "0.8691099", f"{true:.10f}", "his is of 10^6 draws")
    tp, fp, fn, _ = np.random.default_rng(2020).multinomial(1000, p, size=200_000).T
    estimates = 1.25 * tp / (1.25 * tp + fp + 0.25 * fn)
    exact = bf.coverage_curve([1000], *p[:3], methods=["fbeta_delta"], metric="f0.5")
    row("sd of the estimates", "0.01283146", f"{estimates.std():.8f}", "200,000 replicates, his 10,000")
    row("mean of the standard errors", "0.01280255", f"{exact.length[0, 0] / (2 * Z):.8f}", "exact")
    row("mean of the estimates", "0.8693013", f"{estimates.mean():.7f}")
    row("coverage", "94.55 %", f"{100 * exact.coverage[0, 0]:.2f} %", "exact")


def decision() -> None:
    print(
        "\nA decision instead of an interval: two models around F1 = 0.86 that agree on 95 % of the purchases"
    )
    pilot = bf.assumed_pilot(prevalence=0.615, f1=0.86, agreement=0.95, n_items=535)
    print(f"  {bf.plan_comparison(pilot, difference=0.01, rng=1).sentence}")
    print(f"  {bf.resolution(pilot, rng=1).sentence}")
    print("\nThe same of sentences, from two systems of WNUT 2017")
    ev = bf.load_example("wnut17")
    print(f"  {bf.resolution(ev, 'UH-RiTUAL', 'SpinningBytes', rng=1).sentence}")
    print(f"  {bf.plan_comparison(ev, 'UH-RiTUAL', 'SpinningBytes', difference=0.02, rng=1).sentence}")


def main() -> None:
    print(f"  {'':44} {'published':>12}  {'here':>14}")
    bounds()
    orange_juice()
    new_study()
    simulation()
    decision()


if __name__ == "__main__":
    main()
