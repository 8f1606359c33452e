"""Do 95 % intervals from m×2 cross-validation hold the difference of two *ways of training*?

Coverage of the difference in expected F1 at n/2 training items, and mean length, for what speaks of the rules fitted in
the folds, for what the field uses, and for the two answers of ``compare(ev, target="method")``. Simulated data with
learners in numpy, and scikit-learn's classifiers on its data sets, each taken as a population and sampled with
replacement. The truth comes from many independent training sets. Then the size of tests at 5 % where two ways of training
are equally good: each is given one half of exchangeable features. Seeded; a few minutes.

    python benchmarks/method_folds.py [--replicates 300] [--only ridge]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import bayesf1 as bf
from bayesf1.metrics import find_metric
from bayesf1.sampling.training import Contrasts, TrainingVariance

F1 = find_metric("f1")
WAYS = ("items, for the rules", "paper's k", "correlated t", "contrast t", "mixture")
N_DRAWS = 2000

Data = tuple[np.ndarray, np.ndarray]
Learner = Any


class Quality(NamedTuple):
    """How intervals of one kind behaved."""

    coverage: float
    length: float

    def __str__(self) -> str:
        return f"{self.coverage:.2f} / {self.length:.3f}"


@dataclass(frozen=True)
class Setting:
    """Two ways of training, a population, and how large a corpus is drawn from it."""

    name: str
    sample: Callable[[int, np.random.Generator], Data]
    learners: dict[str, Learner]
    n: int
    m: int
    population: Data | None = None


# ---- learners in numpy ------------------------------------------------------------------------------------


def ridge(strength: float, features: Callable[[np.ndarray], np.ndarray] = lambda x: x) -> Learner:
    """Return least squares on labels ±1 with a penalty, in closed form."""

    def fit(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        z = np.column_stack([np.ones(len(x)), features(x)])
        penalty = strength * np.eye(z.shape[1])
        penalty[0, 0] = 0.0
        w = np.linalg.solve(z.T @ z + penalty, z.T @ (2.0 * y - 1.0))
        return lambda new: (np.column_stack([np.ones(len(new)), features(new)]) @ w > 0.0).astype(int)

    return fit


def neighbours(k: int, features: Callable[[np.ndarray], np.ndarray] = lambda x: x) -> Learner:
    """Return the majority of the k nearest training items."""

    def fit(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        x = features(x)
        own = (x * x).sum(axis=1)

        def predict(new: np.ndarray) -> np.ndarray:
            nearest = np.argpartition(own - 2.0 * features(new) @ x.T, k, axis=1)[:, :k]
            return (y[nearest].mean(axis=1) > 0.5).astype(int)

        return predict

    return fit


def quadratic(x: np.ndarray) -> np.ndarray:
    """Return features and all their products."""
    i, j = np.triu_indices(x.shape[1])
    return np.column_stack([x, x[:, i] * x[:, j]])


def bent(n: int, rng: np.random.Generator) -> Data:
    """Draw items of ten features, two of which matter in a straight line and one in its square."""
    x = rng.normal(size=(n, 10))
    signal = x[:, 0] + 0.7 * x[:, 1] + 0.5 * (x[:, 2] ** 2 - 1.0)
    return x, (signal + rng.normal(size=n) > 0.8).astype(int)


def exchangeable(n: int, rng: np.random.Generator) -> Data:
    """Draw items of two sets of six features that tell as much of the label."""
    x = rng.normal(size=(n, 12))
    return x, (x[:, :2].sum(axis=1) + x[:, 6:8].sum(axis=1) + rng.normal(size=n) > 0.8).astype(int)


def halves(make: Callable[..., Learner], argument: float) -> dict[str, Learner]:
    """Return one way of training on either set of features."""
    return {
        "A": make(argument, lambda x: x[:, :6]),
        "B": make(argument, lambda x: x[:, 6:]),
    }


PAIRS = {
    "ridge": {"A": ridge(1.0), "B": ridge(20.0)},
    "quadratic": {"A": ridge(1.0), "B": ridge(1.0, quadratic)},
    "neighbours": {"A": ridge(1.0), "B": neighbours(5)},
}


def simulated() -> Iterator[Setting]:
    """Yield pairs of learners on simulated data."""
    for name, learners in PAIRS.items():
        for n, m in ((400, 3), (400, 5), (1200, 3)):
            yield Setting(name, bent, learners, n, m)


def packaged() -> Iterator[Setting]:
    """Yield pairs of scikit-learn's classifiers on its data sets, drawn with replacement."""
    from sklearn import datasets
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import scale
    from sklearn.tree import DecisionTreeClassifier

    bayes, tree = GaussianNB(var_smoothing=1e-2), DecisionTreeClassifier(max_depth=4, random_state=0)
    for name, load, label, learners, n in (
        ("breast cancer", datasets.load_breast_cancer, 0, {"A": bayes, "B": tree}, 300),
        ("digits, 8 or not", datasets.load_digits, 8, {"A": tree, "B": KNeighborsClassifier(3)}, 600),
        ("wine, second or not", datasets.load_wine, 1, {"A": bayes, "B": tree}, 160),
    ):
        x, y = load(return_X_y=True)
        x, y = scale(x), (y == label).astype(int)

        def draw(n: int, rng: np.random.Generator, x: np.ndarray = x, y: np.ndarray = y) -> Data:
            which = rng.integers(0, len(y), n)
            return x[which], y[which]

        yield Setting(name, draw, learners, n, 3, (x, y))


# ---- truth and intervals ----------------------------------------------------------------------------------


def f1_of(learner: Learner, train: Data, test: Data) -> float:
    """Return the F1 of a rule learnt from one data set on another."""
    fitted = learner.fit(*train) if hasattr(learner, "fit") else learner(*train)
    said, gold = getattr(fitted, "predict", fitted)(test[0]), test[1]
    return 2.0 * float(said @ gold) / float(said.sum() + gold.sum())


def truth_of(setting: Setting, draws: int, rng: np.random.Generator) -> float:
    """Return the difference of expected F1 at n/2 training items, from independent training sets."""
    gaps = []
    for _ in range(draws):
        train = setting.sample(setting.n // 2, rng)
        test = setting.population or setting.sample(2000, rng)
        a, b = (f1_of(learner, train, test) for learner in setting.learners.values())
        gaps.append(b - a)
    return float(np.mean(gaps))


def intervals(ev: bf.Evaluation, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """Return 95 % intervals of F1(B) - F1(A), by the way they were found."""
    both = TrainingVariance(ev.folds, ev.cells)
    drawn = np.concatenate([scores for (scores,) in both.bootstrap([F1], N_DRAWS, rng)])
    gap = (-1.0, 1.0)
    mixture = bf.compare(ev, metrics="f1", target="method", n_draws=N_DRAWS, rng=rng)["f1"]
    paper = bf.compare(ev, metrics="f1", assumption="independent")["f1"]
    return {
        "items, for the rules": tuple(np.quantile(drawn @ gap, [0.025, 0.975])),
        "paper's k": paper.difference.interval(),
        "correlated t": Contrasts.of_folds(both.scores(F1)).distribution(gap).interval(),
        "contrast t": both.contrasts(F1).distribution(gap).interval(),
        "mixture": mixture.difference.interval(),
    }


def study(setting: Setting, *, replicates: int, truths: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return how each kind of interval behaved in a setting."""
    truth = truth_of(setting, truths, rng)
    ends: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(replicates):
        x, y = setting.sample(setting.n, rng)
        cv = bf.BlockedCV(setting.m, rng=rng)
        for way, interval in intervals(bf.cross_validate(setting.learners, x, y, cv=cv), rng).items():
            ends[way].append(interval)
    found = {}
    for way, kept in ends.items():
        low, high = np.array(kept).T
        found[way] = Quality(float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low)))
    return {"setting": f"{setting.name}, n={setting.n}, m={setting.m}", "truth": truth, **found}


def rows(
    replicates: int, rng: np.random.Generator, *, truths: int = 600, only: str = ""
) -> Iterator[dict[str, Any]]:
    """Yield how intervals behaved, a row for each setting."""
    for settings in (simulated, packaged):
        for setting in settings():
            if only in setting.name:
                yield study(setting, replicates=replicates, truths=truths, rng=rng)


# ---- size of tests ----------------------------------------------------------------------------------------

TESTS = (
    "m×2 BCV McNemar",
    "t of half contrasts",
    "corrected resampled t",
    "m×2 BCV t",
    "paired t over folds",
    "mixture",
)


def sizes(replicates: int, rng: np.random.Generator, *, n: int = 300) -> Iterator[dict[str, Any]]:
    """Yield how often tests of accuracy at 5 % reject, where both ways of training are equally good.

    They are hard on what takes training and testing as uncorrelated: an item that is typical in one set of features helps
    the one learner as a training item, and is easy for it as a test item.
    """
    for name, learners in (("ridge", halves(ridge, 1.0)), ("neighbours", halves(neighbours, 5))):
        for m in (3, 5, 7):
            rejected = np.zeros(len(TESTS))
            for _ in range(replicates):
                x, y = exchangeable(n, rng)
                ev = bf.cross_validate(learners, x, y, cv=bf.BlockedCV(m, rng=rng))
                tests = bf.fold_tests(ev, metric="accuracy")
                c = bf.compare(ev, metrics="accuracy", target="method", n_draws=N_DRAWS, rng=rng)["accuracy"]
                p_values = [tests[test].p_value for test in TESTS[:-1]]
                rejected += [p < 0.05 for p in (*p_values, 2.0 * min(c.p_h0, c.p_h1))]
            yield {"setting": f"{name}, n={n}, m={m}", **dict(zip(TESTS, rejected / replicates, strict=True))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--only", default="", help="settings whose name contains this")
    options = parser.parse_args()
    rng = np.random.default_rng(2023)
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    print(
        f"coverage / length of 95 % intervals of F1(B) - F1(A) at n/2 items, {options.replicates} replicates\n"
    )
    print(f"{'setting':32}{'truth':>7}  " + "".join(f"{way:22}" for way in WAYS))
    for row in rows(options.replicates, rng, only=options.only):
        found = "".join(f"{row[way]!s:22}" for way in WAYS)
        print(f"{row['setting']:32}{row['truth']:+7.3f}  {found}", flush=True)
    print("\nsize of tests of accuracy at 5 %\n")
    print(f"{'setting':32}" + "".join(f"{test:24}" for test in TESTS))
    for row in sizes(options.replicates, rng):
        print(f"{row['setting']:32}" + "".join(f"{row[test]:<24.3f}" for test in TESTS), flush=True)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
