"""The numbers of Jiang (2020), "Statistical Formulas for F Measures", published beside ours.

Bounds V, the orange juice data, the size of a new study, and the simulation of Section 2.4. Then what he does not
plan for: a decision between two models. Run::

    python examples/jiang_planning.py
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

import bayesf1 as bf
from bayesf1.frequentist.assumed import assumed_pilot
from bayesf1.frequentist.assurance import plan_comparison, resolution
from bayesf1.frequentist.delta import fbeta_delta, tversky_delta
from bayesf1.frequentist.planning import plan, variance_bound

# Counts that give the paper's n = 535, E_n(ZA) = .535, τ(.8, .2) = .861, τ(.64, .04) = .900.
TP, FP, FN, TN = 286, 47, 43, 159


def row(what: str, published: str, ours: str, note: str = "") -> None:
    print(f"  {what:44} {published:>12}  {ours:>14}  {note}".rstrip())


def bounds() -> None:
    print("V(max{a, b}), Proposition 1 (iii)")
    for m, published in ((0.5, ".1549"), (0.6, ".1695"), (0.7, ".1861"), (0.8, ".2050"), (0.9, ".2262")):
        row(f"V({m})", published, f"{variance_bound(m, 1 - m):.9f}")


def orange_juice() -> None:
    print("\nOrange juice, Section 2.3: F0.5 of 535 purchases")
    juice = fbeta_delta(TP, FP, FN, beta=0.5)
    row("estimate τ(.8, .2)", "0.861", f"{juice.estimate:.10f}")
    row("τ(.64, .04)", "0.900", f"{tversky_delta(TP, FP, FN, a=0.64, b=0.04).estimate:.10f}")
    row("standard error", "0.0162", f"{juice.se:.10f}")
    row("half-width of the 95 % interval", "0.032", f"{0.5 * juice.length:.10f}")


def new_study() -> None:
    print("\nA new study, ±0.02 at 95 %, 61.5 % positive")
    rounded = 0.2050 / (0.01**2 * 0.2)
    found = plan(half_width=0.02, metric="f0.5", prevalence=0.615)
    row("positives, δ rounded to .01, V to .2050", "10250", f"{rounded:.0f}")
    row("purchases, likewise", "16667", f"{math.ceil(rounded / 0.615)}")
    row("positives, δ = .02/1.96", "", f"{found.n_positives}", "he would have needed fewer")
    row("purchases, likewise", "", f"{found.n_units}")
    sharp = plan(half_width=0.02, metric="f0.5", pilot=bf.from_counts(logistic=(TP, FP, FN, TN)))
    row("purchases, for a model like the pilot's", "", f"{sharp.n_units}", "the bound holds for any model")


def simulation() -> None:
    print("\nSection 2.4: Z ~ Bernoulli(½), S | Z ~ N(2.5 Z, 1), A = (S > 1), n = 1000")
    found, claimed = ndtr(1.5), ndtr(-1.0)
    p = 0.5 * np.array([found, claimed, 1.0 - found, 1.0 - claimed])
    true = 1.25 * p[0] / (1.25 * p[0] + p[1] + 0.25 * p[2])
    row("true F0.5", "0.8691099", f"{true:.10f}", "his is of 10^6 draws")
    tables = np.random.default_rng(2020).multinomial(1000, p, size=200_000)
    each = fbeta_delta(*tables[:, :3].T, beta=0.5)
    low, high = each
    row("sd of the estimates", "0.01283146", f"{each.estimate.std():.8f}", "200,000 replicates, his 10,000")
    row("mean of the standard errors", "0.01280255", f"{each.se.mean():.8f}")
    row("mean of the estimates", "0.8693013", f"{each.estimate.mean():.7f}")
    row("coverage", "94.55 %", f"{100 * np.mean((low <= true) & (true <= high)):.2f} %")


def decision() -> None:
    print(
        "\nA decision instead of an interval: two models around F1 = 0.86 that agree on 95 % of the purchases"
    )
    pilot = assumed_pilot(prevalence=0.615, f1=0.86, agreement=0.95, n_items=535)
    print(f"  {plan_comparison(pilot, difference=0.01, rng=1).sentence}")
    print(f"  {resolution(pilot, rng=1).sentence}")
    print("\nThe same of sentences, from two systems of WNUT 2017")
    ev = bf.load_example("wnut17")
    print(f"  {resolution(ev, 'UH-RiTUAL', 'SpinningBytes', rng=1).sentence}")
    print(f"  {plan_comparison(ev, 'UH-RiTUAL', 'SpinningBytes', difference=0.02, rng=1).sentence}")


def main() -> None:
    print(f"  {'':44} {'published':>12}  {'here':>14}")
    bounds()
    orange_juice()
    new_study()
    simulation()
    decision()


if __name__ == "__main__":
    main()
