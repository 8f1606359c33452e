"""Simulation-based calibration: are posteriors right when the truth comes from the prior?

    python benchmarks/sbc.py [experiments, 200] [picture.png]

For the model of scores and the multinomial one, parameters are drawn from the prior, data from the parameters, and the
rank of the true value among posterior draws is noted; ranks are uniform if the posterior is right (Talts et al. 2018).
The picture shows their histograms with the band that 99 % of uniform ones stay in. The chance of a new corpus' F1 to lie
in its 90 % interval is counted along with them. The multinomial model is sampled by PyMC, with short chains; as models
are independent in it, twenty experiments of two models each are fitted at once.
"""

from __future__ import annotations

import logging
import sys
import warnings

import numpy as np
from scipy import stats

import bayesf1 as bf
from bayesf1.corpora.multinomial import MAX_LOG_KAPPA
from bayesf1.distributions.random_effects import DIFFICULTY, SCALE, TAILS, RandomEffects
from timing import timed

DRAWS, BINS, AT_ONCE = 99, 20, 20
SIZES = np.array([60, 150, 400, 90])


def f1(shares: np.ndarray) -> np.ndarray:
    return 2 * shares[..., 0] / (1 + shares[..., 0])


def multinomial(rng: np.random.Generator) -> list[tuple[dict[str, int], bool]]:
    """Return ranks of the truth in each of some experiments, and whether the interval of a new corpus holds it."""
    prior, n = bf.HierarchicalPrior(), 2 * AT_ONCE
    pi = rng.dirichlet(np.ones(3), size=n)
    above = (MAX_LOG_KAPPA - np.log(prior.kappa)) / prior.log_kappa_sd
    log_kappa = np.log(prior.kappa) + prior.log_kappa_sd * stats.truncnorm.rvs(
        -np.inf, above, size=n, random_state=rng
    )
    a = np.maximum(np.exp(log_kappa)[:, None] * pi, 1e-12)
    shares = np.array([[rng.dirichlet(row) for row in a] for _ in range(len(SIZES) + 1)])
    counts = rng.multinomial(SIZES[:, None], shares[:-1])
    names = [f"{model}{i}" for i in range(AT_ONCE) for model in "AB"]
    data = {f"c{g}": bf.from_counts(dict(zip(names, tables, strict=True))) for g, tables in enumerate(counts)}
    settings = {"likelihood": "multinomial", "metrics": "f1", "chains": 1, "draws": 10 * DRAWS, "tune": 500}
    fit = bf.hierarchical(data, **settings, progress=False, rng=rng)
    posterior = fit.posterior.isel(chain=0, draw=slice(9, None, 10))
    score = posterior["score"].sel(measure="f1")
    average, new = (score.sel(question=question).values for question in ("average", "new"))
    found = []
    for i in range(0, n, 2):
        pairs = {
            "F1 of A": (average[:, i], f1(pi[i])),
            "F1 of B minus A": (average[:, i + 1] - average[:, i], f1(pi[i + 1]) - f1(pi[i])),
            "log kappa of A": (posterior["log_kappa"].values[:, i], log_kappa[i]),
        }
        rank = int((new[:, i] < f1(shares[-1, i])).sum())
        # of the ranks from 0 to 99, the middle 90
        found.append(
            ({name: int((draws < true).sum()) for name, (draws, true) in pairs.items()}, 5 <= rank < 95)
        )
    return found


def scores(rng: np.random.Generator) -> list[tuple[dict[str, int], bool]]:
    """Return the same of four corpora at the level of scores; the flat average has no prior, and any one value will do."""
    tau, tau_c = np.abs(stats.t.rvs(TAILS, size=2, random_state=rng)) * (SCALE, DIFFICULTY)
    effects = tau_c * rng.normal(size=(5, 1)) + np.sqrt(0.5) * tau * rng.normal(size=(5, 2))
    own = np.square([0.03, 0.02, 0.01, 0.025])[:, None, None] * (0.4 * np.eye(2) + 0.6)
    noise = np.stack([rng.multivariate_normal(np.zeros(2), each) for each in own])
    found = RandomEffects(0.7 + effects[:4] + noise, own).draw(DRAWS, rng)
    pairs = {
        "score of A": (found.average[:, 0], 0.7),
        "B minus A": (found.average[:, 1] - found.average[:, 0], 0.0),
        "spread": (found.spread, tau),
        "difficulty": (found.difficulty, tau_c),
    }
    rank = int((found.new[:, 0] < 0.7 + effects[4, 0]).sum())
    return [({name: int((draws < true).sum()) for name, (draws, true) in pairs.items()}, 5 <= rank < 95)]


def main(n: int, picture: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    warnings.simplefilter("ignore")
    logging.getLogger("pymc").setLevel(logging.ERROR)
    figure, axes = plt.subplots(2, 4, figsize=(12, 5), sharey=True, layout="constrained")
    for row, (name, run) in zip(axes, {"scores": scores, "multinomial": multinomial}.items(), strict=True):
        rng = np.random.default_rng(2024)
        runs = n if run is scores else n // AT_ONCE
        seconds, parts = timed(lambda run=run, rng=rng, runs=runs: [run(rng) for _ in range(runs)])
        found = [each for part in parts for each in part]
        covered, error = np.mean([inside for _, inside in found]), np.sqrt(0.09 / n)
        print(f"{name}: {len(found)} experiments in {seconds:.0f} s")
        print(
            f"  90 % interval of a new corpus' F1 covers {covered:.3f} of them (standard error {error:.3f})",
            flush=True,
        )
        low, high = stats.binom.ppf([0.005, 0.995], n, 1 / BINS)
        for axis, quantity in zip(row, found[0][0], strict=False):
            ranks = np.array([each[quantity] for each, _ in found])
            counts, edges = np.histogram(ranks, bins=BINS, range=(0, DRAWS + 1))
            print(f"  {quantity:<20} ranks uniform with p = {stats.chisquare(counts).pvalue:.3f}", flush=True)
            axis.stairs(counts, edges, fill=True, color="#4477aa")
            axis.axhspan(low, high, color="0.8", zorder=0)
            axis.set(title=f"{name}\n{quantity}", xlabel=f"rank among {DRAWS} draws")
        for axis in row[len(found[0][0]) :]:
            axis.set_axis_off()
    figure.savefig(picture, dpi=150)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, sys.argv[2] if len(sys.argv) > 2 else "sbc.png")
