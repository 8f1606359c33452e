"""Simulation-based calibration: are posteriors right when the truth comes from the prior?

    python benchmarks/sbc.py [experiments] [picture.png]

For each of three likelihoods, parameters are drawn from the prior, data from the parameters, and the rank of the true
value among posterior draws is noted; ranks are uniform where the posterior is right (Talts et al. 2018). The picture
shows their histograms with the band that 99 % of uniform ones stay in. The chance of a new corpus' F1 to lie in its
90 % interval is counted along with them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import stats

import bayesf1 as bf
from bayesf1.groups import importance, nuts
from bayesf1.groups.corpora import read_groups
from bayesf1.groups.dirichlet_multinomial import DirichletMultinomial
from bayesf1.groups.likelihood import Likelihood
from bayesf1.groups.logistic_normal import LogisticNormal
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.simplex import draw_counts
from bayesf1.laws.random_effects import DIFFICULTY, RandomEffects
from bayesf1.laws.spread import SCALE, TAILS
from timing import timed

DRAWS, THIN, BINS = 99, 10, 20
SIZES = (60, 150, 400, 90)


def f1(shares: np.ndarray) -> np.ndarray:
    return 2 * shares[..., 0] / (1 + shares[..., 0])


def posterior(likelihood: Likelihood, rng: np.random.Generator) -> dict[str, np.ndarray]:
    if isinstance(likelihood, DirichletMultinomial):
        return importance.sample(likelihood, DRAWS, rng)[0]
    run = nuts.Run(draws=DRAWS * THIN, tune=500, chains=1, target_accept=0.9, progress=False)
    return {
        name: x[0, THIN - 1 :: THIN] for name, x in nuts.sample(likelihood, "nutpie", run, rng).draws.items()
    }


def quantities(draws: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    scores = f1(draws["pi"])
    found = {"F1 of A": scores[..., 0], "F1 of B minus A": scores[..., 1] - scores[..., 0]}
    if "log_kappa" in draws:
        return {**found, "log kappa of A": draws["log_kappa"][..., 0]}
    return {
        **found,
        "sd of corpora (tp)": draws["group_sd"][..., 0],
        "sd of interactions": draws["interaction_sd"],
    }


def experiment(base: Likelihood, rng: np.random.Generator) -> tuple[dict[str, int], bool]:
    truth = {name: value[0] for name, value in base.prior_draws(1, rng).items()}
    counts = draw_counts(base.groups.counts.sum(axis=-1), truth["shares"], rng)
    likelihood = replace(base, groups=replace(base.groups, counts=counts))
    draws = posterior(likelihood, rng)
    true = quantities(truth)
    ranks = {name: int((values < true[name]).sum()) for name, values in quantities(draws).items()}
    new = f1(base.new_shares({name: value[None] for name, value in truth.items()}, rng)[0, 0])
    rank = int((f1(likelihood.new_shares(draws, rng)[..., 0, :]) < new).sum())
    # of the ranks from 0 to 99, the middle 90
    return ranks, 5 <= rank < 95


@dataclass(frozen=True)
class Scores:
    """Four corpora at the level of scores; the flat average has no prior to draw from, and any one value will do."""

    sds: tuple[float, ...] = (0.03, 0.02, 0.01, 0.025)
    name: str = "scores"

    def experiment(self, rng: np.random.Generator) -> tuple[dict[str, int], bool]:
        """Return ranks of the truth, and whether the interval of a new corpus holds it."""
        tau, tau_c = np.abs(stats.t.rvs(TAILS, size=2, random_state=rng)) * (SCALE, DIFFICULTY)
        effects = tau_c * rng.normal(size=(5, 1)) + np.sqrt(0.5) * tau * rng.normal(size=(5, 2))
        own = np.square(self.sds)[:, None, None] * (0.4 * np.eye(2) + 0.6)
        noise = np.stack([rng.multivariate_normal(np.zeros(2), each) for each in own])
        found = RandomEffects(0.7 + effects[:4] + noise, own).draw(DRAWS, rng)
        pairs = {
            "score of A": (found.average[:, 0], 0.7),
            "B minus A": (found.average[:, 1] - found.average[:, 0], 0.0),
            "spread": (found.spread, tau),
            "difficulty": (found.difficulty, tau_c),
        }
        rank = int((found.new[:, 0] < 0.7 + effects[4, 0]).sum())
        return {name: int((draws < true).sum()) for name, (draws, true) in pairs.items()}, 5 <= rank < 95


def main(n: int, picture: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    tables = np.array([(0.6 * size, 0.25 * size, 0.15 * size) for size in SIZES])
    groups = read_groups(bf.from_counts(A=tables, B=tables), paired=False)
    prior = HierarchicalPrior(log_kappa_sd=1.5)
    figure, axes = plt.subplots(3, 4, figsize=(12, 7.5), sharey=True, layout="constrained")
    bases = (Scores(), DirichletMultinomial(groups, prior), LogisticNormal(groups, prior))
    for row, base in zip(axes, bases, strict=True):
        rng = np.random.default_rng(2024)
        run = base.experiment if isinstance(base, Scores) else partial(experiment, base)
        seconds, found = timed(lambda run=run, rng=rng: [run(rng) for _ in range(n)])
        covered = np.mean([inside for _, inside in found])
        error = np.sqrt(0.09 / n)
        print(f"{base.name}: {n} experiments in {seconds:.0f} s")
        print(
            f"  90 % interval of a new corpus' F1 covers {covered:.3f} of them (standard error {error:.3f})"
        )
        low, high = stats.binom.ppf([0.005, 0.995], n, 1 / BINS)
        for axis, name in zip(row, found[0][0], strict=False):
            ranks = np.array([each[name] for each, _ in found])
            counts, edges = np.histogram(ranks, bins=BINS, range=(0, DRAWS + 1))
            print(f"  {name:<20} ranks uniform with p = {stats.chisquare(counts).pvalue:.3f}")
            axis.stairs(counts, edges, fill=True, color="#4477aa")
            axis.axhspan(low, high, color="0.8", zorder=0)
            axis.set(title=f"{base.name}\n{name}", xlabel=f"rank among {DRAWS} draws")
        for axis in row[len(found[0][0]) :]:
            axis.set_axis_off()
    figure.savefig(picture, dpi=150)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300, sys.argv[2] if len(sys.argv) > 2 else "sbc.png")
