"""The multinomial model beside a hand-written script, and beside the model of scores.

    python benchmarks/hierarchical.py time
    python benchmarks/hierarchical.py seeds [--replicates 30]
    python benchmarks/hierarchical.py coverage [--replicates 60]
    python benchmarks/hierarchical.py figure

* ``time``: a fit by `bayesf1.hierarchical` and the same model as one would write it in PyMC, with predictions and log
  likelihood, one after the other in one process, both compiled before.
* ``seeds``: the folds of organisations with one seed after the other, by both samplers: does any fail?
* ``coverage``: 95 % intervals of the average corpus' and a new corpus' difference in F1, coverage and mean length, for 3, 5
  and 8 corpora. Corpora are hard for both models alike, or each model varies by itself. Both models of corpora see the same.
* ``figure``: the four checks of the guide on several corpora, ``docs/guides/corpora_checks.png``, by ArviZ 0.x.
"""

from __future__ import annotations

import argparse
import logging
import time
import warnings
from collections.abc import Callable

import numpy as np

import bayesf1 as bf
from bayesf1.corpora.multinomial import convergence
from bayesf1.output.arviz import group


def by_hand(counts: np.ndarray, seed: int) -> object:
    import pymc as pm

    with pm.Model() as model:
        pi = pm.Dirichlet("pi", np.ones(counts.shape[1:]), shape=counts.shape[1:])
        log_kappa = pm.TruncatedNormal("log_kappa", np.log(100), 2, upper=15, shape=counts.shape[1])
        a = pm.math.exp(log_kappa)[:, None] * pi
        pm.DirichletMultinomial("counts", n=counts.sum(axis=-1), a=a, observed=counts)
        quiet = {"progressbar": False, "random_seed": seed}
        trace = pm.sample(chains=4, cores=1, nuts_sampler="pymc", target_accept=0.9, **quiet)
        pm.sample_prior_predictive(500, random_seed=seed)
        pm.sample_posterior_predictive(trace, **quiet)
        pm.compute_log_likelihood(trace, progressbar=False)
    return model


def times() -> None:
    ev = bf.load_example("wang-li-org")
    counts = ev.folds.counts.reshape(6, 2, 3).astype(int)

    def fit() -> object:
        return bf.hierarchical(ev, likelihood="multinomial", rng=1, progress=False)

    def seconds(work: Callable[[], object]) -> float:
        # Of the processor, as chains run one after the other and other programs may run beside.
        start = time.process_time()
        work()
        return time.process_time() - start

    # Compiled code is kept in files.
    by_hand(counts, 0), fit()
    rows = [(seconds(lambda: by_hand(counts, 1)), seconds(fit)) for _ in range(3)]
    script, package = np.median(rows, axis=0)
    print(f"4 × (1000 + 1000) draws of 6 folds × 2 models, script {script:.1f} s, bayesf1 {package:.1f} s")
    print(f"ratio {package / script:.2f}")


def seeds(n: int) -> None:
    """Fit the folds once by either sampler, and sample the fit's model with all further seeds, compiled once."""
    import nutpie
    import pymc as pm

    ev = bf.load_example("wang-li-org")
    for sampler in ("nutpie", "pymc"):
        settings = {"likelihood": "multinomial", "metrics": "f1", "progress": False}
        model = bf.hierarchical(ev, sampler=sampler, **settings, rng=0).model
        compiled = nutpie.compile_pymc_model(model) if sampler == "nutpie" else None
        with model:
            step = None if compiled else pm.NUTS(target_accept=0.9)
        chances, diverged, r_hats = [], 0, []
        for seed in range(n):
            if compiled:
                trace = nutpie.sample(compiled, chains=4, seed=seed, target_accept=0.9, progress_bar=False)
            else:
                quiet = {"progressbar": False, "compute_convergence_checks": False}
                trace = pm.sample(model=model, step=step, cores=1, chains=4, random_seed=seed, **quiet)
            posterior, stats = group(trace, "posterior"), group(trace, "sample_stats")
            f1 = 2 * posterior["pi"].sel(cell="tp") / (1 + posterior["pi"].sel(cell="tp"))
            chances.append(float((f1.isel(system=1) > f1.isel(system=0)).mean()))
            diverged += int(stats["diverging"].sum())
            r_hats.append(convergence(posterior[["pi", "log_kappa"]])[0])
        told = f"P(H1) from {min(chances):.3f} to {max(chances):.3f}, {diverged} divergences, R-hat ≤ {max(r_hats):.3f}"
        print(f"{sampler}: {n} seeds without a failure, {told}", flush=True)


def experiments(
    n_corpora: int, replicates: int, shared: bool, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return shares (corpus, experiment, model, cell), one corpus more than is seen, and counts of 200 items of each."""
    effects = rng.normal(scale=0.4, size=(n_corpora + 1, replicates, 1 if shared else 2, 3))
    own = rng.normal(scale=0.05, size=(n_corpora + 1, replicates, 2, 3))
    odds = np.exp(np.log([0.6, 0.25, 0.15]) + effects + own)
    shares = odds / odds.sum(axis=-1, keepdims=True)
    return shares, rng.multinomial(200, shares[:-1])


def coverage(n_corpora: int, replicates: int, shared: bool, rng: np.random.Generator) -> dict[str, str]:
    """Return coverage / length of 95 % intervals by model and question; logits vary by 0.4 between corpora.

    As models are independent in the multinomial model, many experiments are fitted at once.
    """
    found: dict[str, list[tuple[bool, float]]] = {}
    shares, counts = experiments(n_corpora, replicates, shared, rng)
    f1 = 2 * shares[-1, ..., 0] / (1 + shares[-1, ..., 0])
    names = [f"{model}{i}" for i in range(replicates) for model in "AB"]
    tables = counts.reshape(n_corpora, -1, 3)
    data = {f"c{g}": bf.from_counts(dict(zip(names, row, strict=True))) for g, row in enumerate(tables)}
    quick = {"draws": 500, "tune": 500, "chains": 2, "progress": False}
    together = bf.hierarchical(data, likelihood="multinomial", metrics="f1", rng=rng, **quick)
    for i in range(replicates):
        pair = names[2 * i : 2 * i + 2]
        alone = bf.hierarchical(
            {name: ev.select(pair) for name, ev in data.items()}, metrics="f1", draws=500, rng=rng
        )
        for likelihood, fit in (("scores", alone), ("multinomial", together)):
            for question, true in (("average", 0.0), ("new", f1[i, 1] - f1[i, 0])):
                low, high = fit.compare(*pair, question=question)["f1"].difference.interval(0.95)
                found.setdefault(f"{likelihood}, {question}", []).append((low <= true <= high, high - low))
    means = {name: np.mean(rows, axis=0) for name, rows in found.items()}
    return {name: f"{covered:.2f} / {length:.3f}" for name, (covered, length) in means.items()}


def figure() -> None:
    """Draw prior predictive, trace, forest and posterior predictive of the three corpora of the guide."""
    import arviz as az
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    tables = {
        "news": {"A": (770, 240, 130), "B": (800, 210, 100)},
        "tweets": {"A": (310, 180, 290), "B": (350, 190, 250)},
        "forum": {"A": (420, 160, 200), "B": (450, 150, 170)},
    }
    data = {name: bf.from_counts(counts) for name, counts in tables.items()}
    fit = bf.hierarchical(data, likelihood="multinomial", rng=1, draws=500, tune=500, progress=False)
    idata, f1 = fit.to_arviz(), {"coords": {"measure": "f1"}, "combined": True}
    drawn, axes = plt.subplots(2, 3, figsize=(12, 6.5), layout="constrained")
    before, after, seen = (
        group(idata, name)["counts"] for name in ("prior_predictive", "posterior_predictive", "observed_data")
    )
    for ax, counts, title in ((axes[0, 0], before, "prior"), (axes[1, 2], after, "posterior")):
        share = (counts / seen.sum("cell")).sel(cell="tp").values.ravel()
        ax.hist(share, bins=40, density=True, color="#4477aa")
        for value in (seen / seen.sum("cell")).sel(cell="tp").values.ravel():
            ax.axvline(value, color="black", linewidth=0.8)
        ax.set(title=f"{title} predictive", xlabel="share of true positives", xlim=(0, 1))
    az.plot_trace(idata, var_names=["log_kappa"], compact=True, axes=axes[:1, 1:])
    az.plot_forest(idata, var_names=["difference"], ax=axes[1, 0], **f1)
    axes[1, 0].set_title("differences in F1, by question")
    az.plot_forest(idata, var_names=["score"], ax=axes[1, 1], **f1)
    axes[1, 1].set_title("F1")
    drawn.savefig("docs/guides/corpora_checks.png", dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["time", "seeds", "coverage", "figure"])
    parser.add_argument("--replicates", type=int, default=30)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("pymc").setLevel(logging.ERROR)
    if args.what in ("time", "figure"):
        return times() if args.what == "time" else figure()
    if args.what == "seeds":
        return seeds(args.replicates)
    for shared in (True, False):
        print("Corpora hard for both models alike" if shared else "Each model varies by itself", flush=True)
        for n_corpora in (3, 5, 8):
            # Seeded by row, so that rows can be repeated by themselves.
            cells = coverage(
                n_corpora, args.replicates, shared, np.random.default_rng([2024, n_corpora, shared])
            )
            print(
                f"  {n_corpora} corpora: " + "; ".join(f"{name} {cell}" for name, cell in cells.items()),
                flush=True,
            )
    return None


if __name__ == "__main__":
    main()
