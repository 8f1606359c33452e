"""The same simulated data put to other packages: how often do 95 % intervals hold the truth, and how long are they?

Four studies, with settings after two papers that look at small test sets: precision, recall and F1 of one model with few
positives, and of texts nested in persons (Anglin 2026); the accuracy of one model, and the difference of two on the
same items (Bowyer et al. 2025). What is not installed is left out, and named (`pip install '.[peers]'`). All methods see the same
tables; a method that has no interval, or a point, misses.

    python benchmarks/calibration_peers.py [--replicates 200]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import itertools
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from scipy import stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metrics
from bayesf1.inference.posterior import posteriors
from bayesf1.sampling.model import sampling_model
from calibration_counts import scores, wald

# From a table of counts, or a matrix of them by person, to intervals (score, end).
Method: TypeAlias = Callable[..., Any]
RESAMPLES = 999
PEERS = {
    "confidenceinterval": "confidenceinterval",
    "evalstats": "evalstats",
    "prob_conf_mat": "prob-conf-mat",
    "scipy": "scipy",
}
NONE = (np.nan, np.nan)


def bootstrapped(rows: np.ndarray, statistic: Callable[..., Any]) -> Any:
    """Return scipy's BCa intervals of statistics of rows' columns, axes (statistic, end)."""
    found = stats.bootstrap(
        tuple(rows.T), statistic, paired=True, vectorized=True, n_resamples=RESAMPLES, batch=200, rng=0
    ).confidence_interval
    return np.stack([found.low, found.high], axis=-1)


# ---- precision, recall and F1 of one model ----------------------------------------------------------------

CELLS = np.eye(4)
METRICS = ("f1", "precision", "recall")


def items(counts: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return gold and predicted labels of a table tp, fp, fn, tn."""
    return np.repeat([1, 0, 1, 0], counts).tolist(), np.repeat([1, 1, 0, 0], counts).tolist()


def credible(prior: float) -> Method:
    def ends(*counts: int) -> Any:
        ev = bf.from_counts(A=counts)
        return [bf.posterior(ev, "A", metric, prior=prior).interval(0.95) for metric in METRICS]

    return ends


def by_evalstats(*counts: int) -> Any:
    import evalstats

    gold, said = map(np.array, items(counts))
    parts = [(gold == said)[chosen == 1].astype(float) for chosen in (said, gold)]
    found = [evalstats.mean_ci(part) if len(part) else None for part in parts]
    return [NONE, *(NONE if one is None else (one.ci_low, one.ci_high) for one in found)]


def by_confidenceinterval(*counts: int) -> Any:
    import confidenceinterval

    labels = items(counts)
    how = {"average": "binary"}
    return [
        confidenceinterval.f1_score(*labels, **how)[1],
        confidenceinterval.precision_score(*labels, method="wilson", **how)[1],
        confidenceinterval.recall_score(*labels, method="wilson", **how)[1],
    ]


def by_prob_conf_mat(**priors: float) -> Method:
    def ends(*counts: int) -> Any:
        from prob_conf_mat import Study

        tp, fp, fn, tn = counts
        study = Study(seed=0, num_samples=4000, ci_probability=0.95)
        study.add_experiment("A", confusion_matrix=[[tn, fp], [fn, tp]], **priors)
        for metric in METRICS:
            study.add_metric(metric)
        how = {"experiment_name": "A/A", "sampling_method": "posterior"}
        drawn = (study.get_metric_samples(metric=metric, **how).values for metric in METRICS)
        return [np.quantile(values[:, 1], [0.025, 0.975]) for values in drawn]

    return ends


def by_bca(*counts: int) -> Any:
    return bootstrapped(np.repeat(CELLS, counts, axis=0), scores_of_sums)


def scores_of_sums(*columns: Any, axis: int) -> Any:
    """Return F1, precision and recall of columns tp, fp, fn and tn that are added up, axes (score, ...)."""
    sums = np.stack([column.sum(axis=axis) for column in columns], axis=-1)
    return np.moveaxis(scores(sums), -1, 0)


def by_wald(*counts: int) -> Any:
    tp, fp, fn, _ = counts
    (seen,) = scores(np.array([counts], dtype=float))
    f1, p, r = seen
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.array(
            [
                f1 * (1 - f1) * (2 - f1) ** 2 / 2 / np.float64(tp + fp + fn),
                p * (1 - p) / np.float64(tp + fp),
                r * (1 - r) / np.float64(tp + fn),
            ]
        )
    return wald(seen, variance)


ONE_MODEL: dict[str, tuple[str, Method]] = {
    "bayesf1, prior ½": ("bayesf1", credible(0.5)),
    "bayesf1, prior 1": ("bayesf1", credible(1.0)),
    "confidenceinterval": ("confidenceinterval", by_confidenceinterval),
    "evalstats (Wilson)": ("evalstats", by_evalstats),
    "prob_conf_mat, as it comes (prior 0)": ("prob_conf_mat", by_prob_conf_mat()),
    "prob_conf_mat, cells with prior ½": (
        "prob_conf_mat",
        by_prob_conf_mat(prevalence_prior=1.0, confusion_prior=0.5),
    ),
    "scipy, BCa": ("scipy", by_bca),
    "Wald": ("scipy", by_wald),
}
# Items, share of positives, precision and recall.
ONE_MODEL_SETTINGS = tuple(itertools.product((50, 100, 300), (0.05, 0.1, 0.3), ((0.7, 0.7), (0.9, 0.9))))


def cells_of(prevalence: float, precision: float, recall: float) -> np.ndarray:
    """Return the probabilities of tp, fp, fn and tn."""
    tp = prevalence * recall
    fp, fn = tp * (1 - precision) / precision, prevalence - tp
    return np.array([tp, fp, fn, 1 - tp - fp - fn])


def one_model(replicates: int, rng: np.random.Generator) -> None:
    found = Coverage(ONE_MODEL, METRICS)
    for n, prevalence, rates in ONE_MODEL_SETTINGS:
        p = cells_of(prevalence, *rates)
        tables = rng.multinomial(n, p, size=3 * replicates)
        # Every score exists: the model says yes somewhere, and something is positive.
        tables = tables[tables[:, :2].any(axis=1) & tables[:, [0, 2]].any(axis=1)][:replicates]
        found.add(scores(p), tables)
    print(found.told(f"One model, {len(ONE_MODEL_SETTINGS)} settings: F1, precision, recall"))


# ---- texts of persons -------------------------------------------------------------------------------------


def grouped(*rows: tuple[int, ...]) -> Any:
    ev = bf.from_units(np.array(rows, dtype=float)[:, None], models=["A"], unit="person")
    found = posteriors(sampling_model(ev), resolve_metrics(METRICS, ev), 4000, 0)
    return [found["A", metric].interval(0.95) for metric in METRICS]


def by_rows_bca(*rows: tuple[int, ...]) -> Any:
    return bootstrapped(np.array(rows, dtype=float), scores_of_sums)


def of_sums(method: Method) -> Method:
    def ends(*rows: tuple[int, ...]) -> Any:
        return method(*np.sum(rows, axis=0).tolist())

    return ends


NESTED: dict[str, tuple[str, Method]] = {
    "bayesf1, persons": ("bayesf1", grouped),
    "bayesf1, texts": ("bayesf1", of_sums(credible(0.5))),
    "confidenceinterval, texts": ("confidenceinterval", of_sums(by_confidenceinterval)),
    "evalstats (Wilson), texts": ("evalstats", of_sums(by_evalstats)),
    "scipy, BCa of persons": ("scipy", by_rows_bca),
    "Wald, texts": ("scipy", of_sums(by_wald)),
}
# Persons, texts of each, share of positives; persons' logits of being right have this standard deviation.
NESTED_SETTINGS = tuple(itertools.product((20, 50), (5, 20), (0.2,)))
SPREAD = 1.0


def nested_tables(
    persons: int, texts: int, prevalence: float, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """Return counts of each person's texts; persons differ in how often they mean it and how hard they are."""
    size = (replicates, persons)
    share = 1 / (1 + np.exp(-(np.log(prevalence / (1 - prevalence)) + rng.normal(0, SPREAD, size))))
    hard = rng.normal(0, SPREAD, size)
    recall, claim = (1 / (1 + np.exp(-(level - sign * hard))) for level, sign in ((1.8, 1), (-3.2, -1)))
    p = np.stack(
        [share * recall, (1 - share) * claim, share * (1 - recall), (1 - share) * (1 - claim)], axis=-1
    )
    return rng.multinomial(texts, p)


def nested(replicates: int, rng: np.random.Generator) -> None:
    found = Coverage(NESTED, METRICS)
    for persons, texts, prevalence in NESTED_SETTINGS:
        truth = scores(nested_tables(2000, texts, prevalence, rng, 200).sum(axis=(0, 1)).astype(float))
        tables = nested_tables(persons, texts, prevalence, rng, replicates)
        some = tables.sum(axis=1)
        kept = some[:, :2].any(axis=1) & some[:, [0, 2]].any(axis=1)
        found.add(truth, [tuple(map(tuple, rows.tolist())) for rows in tables[kept]])
    print(found.told(f"Texts of persons, {len(NESTED_SETTINGS)} settings: F1, precision, recall"))


# ---- right or wrong on few items --------------------------------------------------------------------------


def right_values(counts: Sequence[int]) -> np.ndarray:
    return np.repeat([1.0, 0.0], counts)


def right_credible(*counts: int) -> Any:
    return [bf.posterior(bf.from_correct({"A": right_values(counts)}), "A", "accuracy").interval(0.95)]


def right_evalstats(*counts: int) -> Any:
    import evalstats

    found = evalstats.mean_ci(right_values(counts))
    return [(found.ci_low, found.ci_high)]


def right_bayes_evals(*counts: int) -> Any:
    import evalstats

    return [evalstats.bayes_binary_ci_1d(right_values(counts), 0.05)]


def right_confidenceinterval(*counts: int) -> Any:
    import confidenceinterval

    said = right_values(counts).astype(int).tolist()
    return [confidenceinterval.accuracy_score([1] * len(said), said)[1]]


def mean_of(*columns: Any, axis: int) -> Any:
    return np.mean(columns[0], axis=axis)[None]


def right_bca(*counts: int) -> Any:
    return bootstrapped(right_values(counts)[:, None], mean_of)


def mean_wald(values: np.ndarray) -> Any:
    return wald(values.mean(keepdims=True), values.var(keepdims=True) / len(values))


RIGHT: dict[str, tuple[str, Method]] = {
    "bayesf1": ("bayesf1", right_credible),
    "evalstats, uniform prior": ("evalstats", right_bayes_evals),
    "evalstats (Wilson)": ("evalstats", right_evalstats),
    "confidenceinterval (Wilson)": ("confidenceinterval", right_confidenceinterval),
    "scipy, BCa": ("scipy", right_bca),
    "Wald": ("scipy", lambda *counts: mean_wald(right_values(counts))),
}
# Items, and how many of all are right; None is drawn anew from 0 to 1 each time.
RIGHT_SETTINGS = tuple(itertools.product((10, 30, 50, 100), (None, 0.6, 0.8, 0.95)))


def right(replicates: int, rng: np.random.Generator) -> None:
    found = Coverage(RIGHT, ("accuracy",))
    for n, level in RIGHT_SETTINGS:
        truth = rng.random(replicates) if level is None else np.full(replicates, level)
        hits = rng.binomial(n, truth)
        found.add(truth[:, None], np.stack([hits, n - hits], axis=1))
    print(found.told(f"Accuracy of one model on 10 to 100 items, {len(RIGHT_SETTINGS)} settings"))


# ---- two models on the same few items ---------------------------------------------------------------------


def pair_values(counts: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return what A and B got right, from how many items both, A alone, B alone and neither did."""
    return np.repeat([1.0, 1.0, 0.0, 0.0], counts), np.repeat([1.0, 0.0, 1.0, 0.0], counts)


def pair_credible(*counts: int) -> Any:
    a, b = pair_values(counts)
    ev = bf.from_correct({"A": a, "B": b})
    return [bf.compare(ev, metrics="accuracy", n_draws=20_000, rng=0)["accuracy"].difference.interval(0.95)]


def pair_evalstats(*counts: int) -> Any:
    import evalstats

    found = evalstats.pairwise_differences(np.stack(pair_values(counts)), 1, 0, method="tango")
    return [(found.ci_low, found.ci_high)]


def pair_bayes_evals(*counts: int) -> Any:
    import evalstats

    a, b = pair_values(counts)
    return [evalstats.bayes_paired_diff_ci(b, a, 0.05, rng=np.random.default_rng(0))[:2]]


def pair_bca(*counts: int) -> Any:
    a, b = pair_values(counts)
    return bootstrapped((b - a)[:, None], mean_of)


def pair_wald(*counts: int) -> Any:
    a, b = pair_values(counts)
    return mean_wald(b - a)


PAIRED: dict[str, tuple[str, Method]] = {
    "bayesf1": ("bayesf1", pair_credible),
    "evalstats (Bowyer et al.)": ("evalstats", pair_bayes_evals),
    "evalstats (Tango)": ("evalstats", pair_evalstats),
    "scipy, BCa": ("scipy", pair_bca),
    "Wald": ("scipy", pair_wald),
}
# Items, accuracies, and the share of items on which luck is common to both.
PAIRED_SETTINGS = tuple(itertools.product((20, 50, 100), ((0.7, 0.7), (0.8, 0.9), (0.95, 0.95)), (0.0, 0.6)))


def paired(replicates: int, rng: np.random.Generator) -> None:
    found = Coverage(PAIRED, ("difference",))
    for n, (a, b), shared in PAIRED_SETTINGS:
        both = (1 - shared) * a * b + shared * min(a, b)
        tables = rng.multinomial(n, [both, a - both, b - both, 1 - a - b + both], size=replicates)
        found.add(np.array([b - a]), tables)
    print(found.told(f"Difference of two accuracies on 20 to 100 items, {len(PAIRED_SETTINGS)} settings"))


# ---- measuring and telling --------------------------------------------------------------------------------


class Coverage:
    """Coverage and length of each installed method in every setting that was added."""

    def __init__(self, methods: dict[str, tuple[str, Method]], scored: Sequence[str]) -> None:
        there = {name: method for name, (module, method) in methods.items() if is_installed(module)}
        # Many replicates of few items have the same table.
        self.methods = {name: cache(method) for name, method in there.items()}
        self.missing = sorted({module for module, _ in methods.values() if not is_installed(module)})
        self.scored = scored
        self.found: dict[str, list[np.ndarray]] = {name: [] for name in self.methods}

    def add(self, truth: np.ndarray, tables: Any) -> None:
        """Add the replicates of a setting."""
        for name, method in self.methods.items():
            every = [method(*(row if isinstance(row, tuple) else row.tolist())) for row in tables]
            ends = np.array(every, dtype=float)
            low, high = ends[..., 0], ends[..., 1]
            inside = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
            length = np.nan_to_num(high - low)
            self.found[name].append(np.stack([inside.mean(axis=0), length.mean(axis=0)], axis=-1))

    def told(self, title: str) -> str:
        """Return a table in Markdown: smallest and mean coverage, settings below .92, mean length."""
        lines = [
            f"\n{title}\n",
            f"| method | {' | '.join(self.scored)} |",
            f"|---|{'---|' * len(self.scored)}",
        ]
        for name, rows in self.found.items():
            cells = []
            for coverage, length in np.array(rows).transpose(1, 2, 0):
                if not length.any():
                    cells.append("–")
                    continue
                below = int((coverage < 0.92).sum())
                cells.append(f"{coverage.min():.3f}, {coverage.mean():.3f}; {below}; {length.mean():.3f}")
            lines.append(f"| {name} | {' | '.join(cells)} |".replace(" 0.", " ."))
        if self.missing:
            lines.append(f"\nnot installed: {', '.join(self.missing)}")
        return "\n".join(lines)


def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def main(replicates: int = 200) -> None:
    """Print coverage and length of every method in the four studies."""
    warnings.simplefilter("ignore")
    versions = (
        f"{dist} {importlib.metadata.version(dist)}" for name, dist in PEERS.items() if is_installed(name)
    )
    print(f"{replicates} replicates a setting, seed 2606; bayesf1 {bf.__version__}, {', '.join(versions)}")
    print("coverage of 95 % intervals, smallest and mean; settings below .92; mean length")
    for i, study in enumerate((one_model, nested, right, paired)):
        study(replicates, np.random.default_rng([2606, i]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=200)
    main(parser.parse_args().replicates)
