"""Do hierarchical answers hold what they promise? Equal models, averages of corpora, and many classes at once.

    python benchmarks/calibration_corpora.py [--replicates 100]

* Equal models on a few corpora of documents that differ much: how often is one said to outperform the other, where
  all items are taken as independent, and where documents are units?
* Coverage and mean length of the 95 % interval of the average difference, where differences vary by τ between corpora.
* Many corpora with few items: does the prior of each add up?
* P(H1) of the three corpora of the README.
* Equal models, or models that differ in a few of thirty classes: claims class by class, raw and shrunk.

Seeded; some minutes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np

import bayesf1 as bf
from bayesf1.distributions.random_effects import RandomEffects
from bayesf1.evaluation import resolve_metrics

README = {
    "news": {"A": (770, 240, 130), "B": (800, 210, 100)},
    "tweets": {"A": (310, 180, 290), "B": (350, 190, 250)},
    "forum": {"A": (420, 160, 200), "B": (450, 150, 170)},
}
S = 0.012


def documents(rng: np.random.Generator, n_documents: int = 15, size: int = 60) -> bf.Evaluation:
    """Return two equally good models on documents: hard for both, and harder now for one and now for the other."""
    n = n_documents * size
    groups = np.repeat(np.arange(n_documents), size)
    gold = rng.random(n) < 0.4
    both = rng.normal(scale=0.7, size=n_documents)
    said = {}
    for model in "AB":
        skill = 1.4 + both + rng.normal(scale=1.2, size=n_documents)
        right = rng.random(n) < 1 / (1 + np.exp(-skill[groups]))
        said[model] = np.where(right, gold, ~gold)
    return bf.from_labels(gold, said, positive=True, groups=groups)


def equal_models(n_corpora: int, replicates: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the share of experiments in which equal models are told apart, by question, where any corpus is one."""
    found: dict[str, int] = {}
    for _ in range(replicates):
        data = {f"c{g}": documents(rng) for g in range(n_corpora)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fits = {
                "items": bf.hierarchical(data, assumption="paired", metrics="f1", draws=1000, rng=rng),
                "documents": bf.hierarchical(data, metrics="f1", draws=1000, rng=rng),
            }
        for name, fit in fits.items():
            told = {q: "outperforms" in fit.compare(question=q).sentence() for q in fit.questions}
            each = [told.pop(corpus) for corpus in data]
            told["any corpus"] = any(each)
            for question, sure in told.items():
                found[f"{name}, {question}"] = found.get(f"{name}, {question}", 0) + sure
    return {name: n / replicates for name, n in found.items()}


def average(
    tau: float, n_corpora: int, replicates: int, rng: np.random.Generator, **prior: float
) -> tuple[float, float]:
    """Return coverage and mean length of the 95 % interval of the average difference."""
    hits, lengths = 0, []
    for _ in range(replicates):
        own = np.square(S * np.exp(0.2 * rng.normal(size=n_corpora)))
        # Two models whose difference has the variance `own`, and much in common.
        covariances = 0.5 * own[:, None, None] * np.eye(2) + 0.02**2
        noise = np.stack([rng.multivariate_normal(np.zeros(2), each) for each in covariances])
        effects = 0.1 * rng.normal(size=(n_corpora, 1)) + np.sqrt(0.5) * tau * rng.normal(size=(n_corpora, 2))
        drawn = RandomEffects(0.7 + effects + noise, covariances, **prior).draw(2000, rng)
        low, high = np.quantile(drawn.average[:, 1] - drawn.average[:, 0], [0.025, 0.975])
        hits += low <= 0.0 <= high
        lengths.append(high - low)
    return hits / replicates, float(np.mean(lengths))


def small_corpora(
    n_corpora: int, n_items: int, replicates: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return the coverage of the average recall and of the average difference, of corpora that differ a little."""
    hits = np.zeros(2)
    for _ in range(replicates):
        data = {}
        for g in range(n_corpora):
            p = np.clip(0.85 + 0.03 * rng.normal() + 0.02 * rng.normal(size=2), 0.0, 1.0)
            gold = np.ones(n_items, dtype=bool)
            data[f"c{g}"] = bf.from_labels(
                gold, {m: rng.random(n_items) < q for m, q in zip("AB", p, strict=True)}, positive=True
            )
        res = bf.hierarchical(data, metrics="recall", draws=500, rng=rng).compare()["recall"]
        for i, (distribution, true) in enumerate(((res.posterior_a, 0.85), (res.difference, 0.0))):
            low, high = distribution.interval(0.95)
            hits[i] += low <= true <= high
    return dict(zip(("recall", "difference"), hits / replicates, strict=True))


def class_labels(rng: np.random.Generator, gaps: np.ndarray, n: int = 2000) -> bf.Evaluation:
    """Return two models on classes of very unequal sizes, B better in those where there is a gap in accuracy."""
    k = len(gaps)
    names = np.array([f"class {i:02d}" for i in range(k)])
    p = 1 / np.arange(1, k + 1)
    p /= p.sum()
    gold = rng.choice(k, n, p=p)
    skill = np.clip(0.8 + 0.08 * rng.normal(size=k), 0.3, 0.95)
    shared, luck, other = rng.random(n) < 0.7, rng.random(n), rng.choice(k, n, p=p)
    said = {}
    for model, skills in (("A", skill), ("B", skill + gaps)):
        right = np.where(shared, luck, rng.random(n)) < skills[gold]
        wrong = np.where(shared, other, rng.choice(k, n, p=p))
        said[model] = names[np.where(right, gold, wrong)]
    return bf.from_labels(names[gold], said)


def many_classes(gaps: np.ndarray, replicates: int, rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Return the share of experiments with any claim, and numbers of claims, of gaps found, and expected to be false.

    Alone, each class is drawn by itself, by weights of the items; together they are as `compare_classes` has them.
    """
    found = {name: np.zeros(4) for name in ("alone", "together")}
    for _ in range(replicates):
        ev = class_labels(rng, gaps)
        names = [f"f1[{name}]" for name in ev.classes]
        weights = rng.standard_gamma(ev.units.weights, size=(2000, ev.units.n_patterns))
        tables = (weights @ ev.units.rows).reshape(2000, 2, -1)
        scores = np.stack([measure(tables, ev.cells) for measure in resolve_metrics(names, ev)], axis=-1)
        draws = scores[:, 1] - scores[:, 0]
        gap = gaps[[int(name[-2:]) for name in ev.classes]]
        res = bf.compare_classes(ev, n_draws=2000, rng=rng)
        for name, p in (
            ("alone", (draws > 0).mean(axis=0) + 0.5 * (draws == 0).mean(axis=0)),
            ("together", np.array([c.p_h1 for c in res.values()])),
        ):
            claimed = np.maximum(p, 1 - p) >= 0.975
            expected = np.minimum(p, 1 - p)[claimed].sum()
            found[name] += claimed.any(), claimed.sum(), ((gap > 0) & (p >= 0.975)).sum(), expected
    names = ["any claim", "claims", "gaps found", "expected to be false"]
    return {name: dict(zip(names, sums / replicates, strict=True)) for name, sums in found.items()}


def rows(replicates: int, rng: np.random.Generator) -> Iterator[str]:
    """Yield the lines of the report."""
    yield "Equal models on corpora of 15 documents: share of experiments in which one 'outperforms' the other"
    for n_corpora in (3, 5):
        shares = equal_models(n_corpora, replicates, rng)
        yield f"  {n_corpora} corpora: " + ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
    yield f"95 % interval of the average difference, s = {S}: coverage / length for 2, 3, 5 and 10 corpora"
    for label, prior in (
        ("half-Cauchy, .05 (default)", {"tails": 1.0}),
        ("half-t with 3 df, .05", {"tails": 3.0}),
    ):
        for tau in (0.0, 0.03, 0.1):
            cells = [average(tau, n, replicates, rng, **prior) for n in (2, 3, 5, 10)]
            yield f"  {label:<28}τ = {tau:<5}" + "  ".join(f"{c:.3f} / {length:.3f}" for c, length in cells)
    yield "Corpora of 40 items, coverage of the average recall (.85) and of the difference (0)"
    for n_corpora in (5, 40):
        shares = small_corpora(n_corpora, 40, replicates, rng)
        yield f"  {n_corpora} corpora: " + ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
    yield "The three corpora of the README, P(H1) of F1"
    corpora = {name: bf.from_counts(tables) for name, tables in README.items()}
    fit = bf.hierarchical(corpora, metrics="f1", rng=1)
    yield "  " + ", ".join(f"{q} {fit.compare(question=q)['f1'].p_h1:.3f}" for q in fit.questions)
    yield "Thirty classes, 2,000 items, claims at P ≥ .975"
    some = np.where(np.isin(np.arange(30), (0, 2, 5)), 0.1, 0.0)
    for label, gaps in (
        ("equal", np.zeros(30)),
        ("10 points in 3", some),
        ("3 points in all", np.full(30, 0.03)),
    ):
        for name, shares in many_classes(gaps, replicates, rng).items():
            told = ", ".join(f"{what} {value:.2f}" for what, value in shares.items())
            yield f"  {label}, {name}: {told}"


def main(replicates: int | None = None) -> None:
    if replicates is None:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--replicates", type=int, default=100)
        replicates = parser.parse_args().replicates
    for line in rows(replicates, np.random.default_rng(2024)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
