"""How often is a decision wrong: under looking, among many models, and at a gate?

    python benchmarks/decisions.py [--replicates 240]

One run prints four tables. *Looks*: two models of equal F1, or accuracy, on 1,000 items; how often one of them is called
better by the posterior, which does not know of other looks, and by `bf.monitor`, which does; also on sentences.
*Power*: items that it takes to see a better model. *Many models*: 2 to 20 of equal accuracy on 500 items, of which some pair is called different; and whether the set that shall hold
the best does. *Gate*: how often `--fail-unless` lets a model pass. Seeded; about ten minutes on a free core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from itertools import combinations

import numpy as np
from bayesf1.base.multiplicity import adjusted
from numpy.typing import NDArray
from scipy import special, stats

import bayesf1 as bf
from bayesf1.frequentist.monitoring import BOUNDED, Wagers

Floats = NDArray[np.float64]

N_ITEMS, NEED, SURE = 1000, float(np.log(40.0)), 0.975
# Found by both, only A, only B, neither; claimed by both, only A, only B, neither: tp, fp, fn of A and of B.
TP = np.array([[1, 1, 0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0, 0, 0]], dtype=float)
FP = np.array([[0, 0, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 0, 1, 0]], dtype=float)
FN = np.array([[0, 0, 1, 1, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0, 0, 0]], dtype=float)
# Sentences have 4.5 gold spans on average, 8 at most, and half of their load in F1 is no more than this.
LARGEST = 16.0
# Both have F1 = .8, but A finds more and claims more.
EQUAL = np.array([0.18, 0.10, 0.06, 0.0, 0.0, 0.08, 0.02, 0.56])


def f1_wagers(counts: Floats) -> Wagers:
    return Wagers(TP, TP + 0.5 * (FP + FN), counts, same_loads=False)


def accuracy_wagers(counts: Floats) -> Wagers:
    shares = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    return Wagers(shares, np.ones((2, 3)), counts, same_loads=True)


def ever_claimed(wagers: Wagers) -> bool:
    capital = np.maximum(wagers.log_capital(0.0), wagers.mirrored.log_capital(0.0))
    return bool((capital >= NEED).any())


def f1_posterior(counts: Floats, rng: np.random.Generator, n_draws: int = 2000) -> Floats:
    """P(F1 of B > F1 of A) at each look, by the paired Dirichlet with half an item in each cell."""
    found = []
    for look in counts:
        drawn = rng.standard_gamma(look + 0.5, (n_draws, 8))
        tp, wrong = drawn @ TP.T, drawn @ (FP + FN).T
        f1 = 2.0 * tp / (2.0 * tp + wrong)
        found.append(float((f1[:, 1] > f1[:, 0]).mean()))
    return np.array(found)


def is_claim(p: Floats) -> NDArray[np.bool_]:
    return np.asarray(np.maximum(p, 1.0 - p) >= SURE)


def looks(replicates: int, rng: np.random.Generator) -> None:
    print(f"\n1. Looks: equal models called different, {replicates} test sets of {N_ITEMS:,} items")
    print(f"{'':45}{'looks':>7}{'posterior':>11}{'monitor':>9}")
    for every in (1, 10, 50, N_ITEMS):
        at = np.arange(every, N_ITEMS + 1, every) - 1
        sets = rng.choice(3, (replicates, N_ITEMS), p=[0.1, 0.1, 0.8])
        wins, losses = ((sets == k).cumsum(axis=1)[:, at] for k in (0, 1))
        claimed = is_claim(special.betaincc(losses + 0.5, wins + 0.5, 0.5)).any(axis=1).mean()
        counts = np.stack([wins, losses, np.zeros_like(wins)], axis=-1).astype(float)
        ever = np.mean([ever_claimed(accuracy_wagers(one)) for one in counts])
        print(f"{'accuracy, models differ on 20 %':45}{len(at):>7,}{claimed:>11.3f}{ever:>9.3f}")
    for every in (10, 50, N_ITEMS):
        at = np.arange(every, N_ITEMS + 1, every) - 1
        claimed_f1 = ever_f1 = 0
        # Many looks at F1 take long.
        n = replicates if every > 10 else replicates // 3
        for _ in range(n):
            counts = np.eye(8)[rng.choice(8, N_ITEMS, p=EQUAL)].cumsum(axis=0)[at]
            claimed_f1 += bool(is_claim(f1_posterior(counts, rng)).any())
            ever_f1 += ever_claimed(f1_wagers(counts))
        print(f"{'F1, A finds and claims more':45}{len(at):>7,}{claimed_f1 / n:>11.3f}{ever_f1 / n:>9.3f}")
    print(f"\n{f'F1 of 500 sentences, {replicates // 3} test sets, 4 looks':52}{'monitor':>11}")
    for how in ("exchangeable", "A fails in bursts"):
        ever = [first_claim(sentences(rng, how, 500), (50, 100, 200, 500)) for _ in range(replicates // 3)]
        print(f"{f'  {how}':52}{np.mean([n is not None for n in ever]):>11.3f}")


def sentences(rng: np.random.Generator, how: str, n: int) -> tuple[Floats, Floats]:
    """Return what sentences add to numerator and denominator of F1, axes (model, sentence)."""
    gold = rng.integers(1, 9, n)
    missed = [rng.binomial(gold, 0.3) for _ in range(2)]
    if how == "B misses less":
        missed[1] = rng.binomial(gold, 0.2)
    elif how == "A fails in bursts":
        missed[0] = gold * (rng.random(n) < 0.3)
    tp = (gold - np.stack(missed)).astype(float)
    wrong = rng.poisson(0.25 * gold, (2, n)).astype(float)
    return tp, tp + 0.5 * (wrong + gold - tp)


def first_claim(units: tuple[Floats, Floats], at: Iterable[int]) -> int | None:
    """Return after how many sentences one of two models is called better, if ever, as `bf.monitor` does."""
    tp, denominator_weights = units
    for n in at:
        rows, counts = np.unique(
            np.concatenate([tp[:, :n], denominator_weights[:, :n]]).T, axis=0, return_counts=True
        )
        parts = rows.T / LARGEST
        wagers = Wagers(parts[:2], parts[2:], counts.astype(float), same_loads=False, stakes=BOUNDED)
        if ever_claimed(wagers):
            return n
    return None


def power(replicates: int, rng: np.random.Generator) -> None:
    print("\n2. Power: items until a better model is seen, with a probability of .8")
    print(f"{'B wins, A wins':>16}{'fixed n':>9}{'monitor':>9}{'ratio':>7}{'mean at the decision':>22}")
    for wins, losses in ((0.12, 0.06), (0.08, 0.05), (0.15, 0.05), (0.06, 0.03)):
        gap, both = wins - losses, wins + losses
        # Matched pairs, normal approximation: Connor (1987), Biometrics 43.
        fixed = ((1.96 * np.sqrt(both) + 0.8416 * np.sqrt(both - gap**2)) / gap) ** 2
        n = int(4 * fixed)
        step = max(1, n // 400)
        sets = rng.choice(3, (replicates, n), p=[wins, losses, 1.0 - both])
        seen = np.stack([(sets == k).cumsum(axis=1)[:, step - 1 :: step] for k in range(3)], axis=-1)
        capital = accuracy_wagers(seen.astype(float)).log_capital(0.0)
        hit = np.where((capital >= NEED).any(axis=1), (np.argmax(capital >= NEED, axis=1) + 1) * step, n)
        reached = float(np.quantile(hit, 0.8))
        rates = f"{wins:.2f}, {losses:.2f}"
        print(f"{rates:>16}{fixed:>9.0f}{reached:>9.0f}{reached / fixed:>7.2f}{hit.mean():>22.0f}")
    for shares in (
        (0.20, 0.04, 0.08, 0.04, 0.01, 0.05, 0.03, 0.55),
        (0.20, 0.05, 0.08, 0.03, 0.01, 0.04, 0.04, 0.55),
    ):
        p = np.array(shares)
        f_a, f_b = ((2.0 * TP @ p) / ((2.0 * TP + FP + FN) @ p)).tolist()
        middle = 0.5 * (f_a + f_b)
        x = np.diff(TP - middle * (TP + 0.5 * (FP + FN)), axis=0)[0]
        # The same with the contrast of F1, to first order.
        fixed = ((1.96 * np.sqrt(p @ x**2) + 0.8416 * np.sqrt(p @ x**2 - (p @ x) ** 2)) / (p @ x)) ** 2
        n, step = int(4 * fixed), max(1, int(fixed / 20))
        hits = []
        for _ in range(max(20, replicates // 4)):
            counts = np.eye(8)[rng.choice(8, n, p=p)].cumsum(axis=0)[step - 1 :: step]
            won = f1_wagers(counts).log_capital(0.0) >= NEED
            hits.append((int(np.argmax(won)) + 1) * step if won.any() else n)
        reached = float(np.quantile(hits, 0.8))
        label = f"F1 {f_b:.3f}, {f_a:.3f}"
        print(f"{label:>16}{fixed:>9.0f}{reached:>9.0f}{reached / fixed:>7.2f}{np.mean(hits):>22.0f}")
    power_on_sentences(replicates, rng)


def power_on_sentences(replicates: int, rng: np.random.Generator) -> None:
    """Tell how many sentences it takes, and by one test at the end."""
    tp, denominator_weights = sentences(rng, "B misses less", 200_000)
    middle = (tp.sum() / denominator_weights.sum()).item()
    x = np.diff(tp - middle * denominator_weights, axis=0)[0]
    fixed = ((1.96 + 0.8416) * x.std() / x.mean()) ** 2
    n = max(20, replicates // 6)
    scores = tp.sum(axis=1) / denominator_weights.sum(axis=1)
    print(f"F1 {scores[1]:.3f} and {scores[0]:.3f} of sentences, {n} test sets, fixed n {fixed:.0f}")
    hits = [first_claim(sentences(rng, "B misses less", 1200), range(50, 1201, 50)) or 1200 for _ in range(n)]
    reached = float(np.quantile(hits, 0.8))
    print(f"{'monitor':>16}{'':>9}{reached:>9.0f}{reached / fixed:>7.2f}{np.mean(hits):>22.0f}")


def many_models(replicates: int, rng: np.random.Generator) -> None:
    n, few = 500, replicates
    print(f"\n3. Many models: some pair of equal ones called different, {few} test sets of {n} items")
    print(f"{'models':>7}{'pairs':>7}{'P ≥ .975':>10}{'jointly':>9}{'p < .05':>9}{'Holm':>7}{'BH':>7}")
    for k in (2, 3, 5, 10, 20):
        claims = np.zeros(5)
        for _ in range(few):
            hard = rng.normal(size=n)[:, None]
            right = 1.4 + hard + rng.normal(size=(n, k)) > 0
            drawn = bf.rank(bf.from_correct(named(right)), n_draws=2000, rng=rng)
            p = np.array([mcnemar(right[:, i], right[:, j]) for i, j in combinations(range(k), 2)])
            both = np.array(adjusted(p.tolist()) if len(p) > 1 else [(p[0], p[0])], dtype=float)
            pairwise = drawn.p_beats[~np.eye(k, dtype=bool)]
            claims += [
                (pairwise >= SURE).any(),
                drawn.jointly.any(),
                (p < 0.05).any(),
                *(both < 0.05).any(axis=0),
            ]
        rates = claims / few
        print(
            f"{k:>7}{k * (k - 1) // 2:>7}{rates[0]:>10.3f}{rates[1]:>9.3f}{rates[2]:>9.3f}{rates[3]:>7.3f}{rates[4]:>7.3f}"
        )


def named(right: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
    return {f"m{i}": column for i, column in enumerate(right.T)}


def mcnemar(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return float(stats.binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0


def gate(replicates: int, rng: np.random.Generator) -> None:
    print(
        f"\n4. Gate: share of {replicates} test sets that pass, by the true difference in accuracy (models differ on 10 %)"
    )
    truths = (-0.02, -0.01, -0.005, 0.0, 0.005, 0.01)
    print(" " * 50 + "".join(f"{x:>+8.3f}" for x in truths))
    claims = (
        ("not-worse, --rope 0.01", SURE, 0.01),
        ("not-worse, --rope 0.01 --prob 0.8", 0.9, 0.01),
        ("better, --prob 0.8", 0.9, 0.0),
    )
    for n in (1000, 4000, 16_000):
        for text, level, margin in claims:
            passed = []
            for truth in truths:
                shares = [0.05 + truth / 2, 0.05 - truth / 2, 0.9]
                counts = rng.multinomial(n, shares, size=replicates) + np.array([0.5, 0.5, 1.0])
                drawn = rng.standard_gamma(counts[:, None, :], (replicates, 2000, 3))
                gaps = (drawn[..., 0] - drawn[..., 1]) / drawn.sum(axis=-1)
                passed.append(float(((gaps >= -margin).mean(axis=1) >= level).mean()))
            print(f"{n:>7,}  {text:41}" + "".join(f"{x:>8.3f}" for x in passed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--replicates", type=int, default=240)
    replicates = parser.parse_args().replicates
    start = time.perf_counter()
    for i, part in enumerate((looks, power, many_models, gate)):
        part(replicates, np.random.default_rng(i))
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
