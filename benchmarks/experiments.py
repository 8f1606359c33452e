"""How often is one of two equally good scikit-learn learners called better, from the numbers that papers report?

Scores of folds, of seeds, and of data sets with seeds or folds, through `from_frame` and `compare`; beside them the
reading that takes every score as an item, and other tests of the same numbers. Learners are equal by construction: a label
depends on two sets of features in the same way, one learner sees the first set and the other the second, so that swapping
the sets swaps the learners. On data sets, the weights of the two sets are drawn independently from one distribution. Runs
on one test set are of one learner and the same features, each on a resample that its seed draws. Then 95 % intervals of
models that answered each question several times, beside the clustered t of Miller (2024). Last, the answers about folds on
several data sets beside those of the hierarchical model of Corani et al. (2017).

Seeds chose nothing. baycomp is asked if it is installed. Some minutes.

    python benchmarks/experiments.py [--replicates 400] [--only folds] [--learners trees]
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sklearn
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import bayesf1 as bf

SEED = 2026
N_FEATURES = 4
N_ITEMS = 200
N_DRAWS = 5_000
LEARNERS: dict[str, Callable[[], Any]] = {
    "trees": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "logistic regression": lambda: LogisticRegression(),
    "nearest neighbours": lambda: KNeighborsClassifier(7),
}
FOLDS = ((3, 2), (1, 5), (1, 10), (5, 10))
SEEDS = (5, 10)
DATA_SETS = ((5, 5, "seed"), (10, 3, "seed"), (3, 5, "seed"), (5, 5, "fold"))


class Data(NamedTuple):
    """Items with two sets of features, axes (set, item, feature), and their labels."""

    features: np.ndarray
    labels: np.ndarray

    def take(self, items: np.ndarray) -> Data:
        """Return some of the items."""
        return Data(self.features[:, items], self.labels[items])


def draw_items(n: int, rng: np.random.Generator, weights: Sequence[float] = (1.0, 1.0)) -> Data:
    """Draw items whose label depends on both sets of features, on each with its weight."""
    features = rng.normal(size=(2, n, N_FEATURES))
    told = features[..., 0] + 0.7 * features[..., 1] * (features[..., 2] > 0.0)
    signal = np.asarray(weights) @ told
    return Data(features, (signal + rng.normal(size=n) > 0.0).astype(int))


def accuracy(learner: Callable[[], Any], own: int, train: Data, test: Data) -> float:
    """Return the accuracy of a learner that sees one of the two sets of features."""
    if np.ptp(train.labels) == 0:
        return float((test.labels == train.labels[0]).mean())
    fitted = learner().fit(train.features[own], train.labels)
    return float((fitted.predict(test.features[own]) == test.labels).mean())


# ---- experiments that are reported as scores --------------------------------------------------------------


def rows_of_folds(learner: Callable[[], Any], cv: Any, data: Data) -> pd.DataFrame:
    """Return the accuracies of a cross-validation, a row for each model, repeat and fold."""
    _, n_folds = cv.shape
    rows = []
    for number, (train, test) in enumerate(cv.split(data.labels)):
        repeat, fold = divmod(number, n_folds)
        for own, model in enumerate("AB"):
            score = accuracy(learner, own, data.take(train), data.take(test))
            rows.append({"model": model, "repeat": repeat, "fold": fold, "accuracy": score})
    return pd.DataFrame(rows)


def rows_of_seeds(
    learner: Callable[[], Any], n_seeds: int, sets: Sequence[int], data: Data, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the accuracies of runs on one split; the seed of a run draws its training items with replacement."""
    n_train = len(data.labels) // 2
    test = data.take(np.arange(n_train, len(data.labels)))
    rows = []
    for own, model in zip(sets, "AB", strict=True):
        for seed in range(n_seeds):
            train = data.take(rng.integers(0, n_train, n_train))
            rows.append({"model": model, "seed": seed, "accuracy": accuracy(learner, own, train, test)})
    return pd.DataFrame(rows)


def rows_of_data_sets(
    learner: Callable[[], Any],
    n_data_sets: int,
    rows_of_one: Callable[[Data], pd.DataFrame],
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return the rows of several data sets, whose two sets of features have weights from one distribution."""
    parts = []
    for dataset in range(n_data_sets):
        weights = np.exp(0.3 * rng.standard_normal(2))
        rows = rows_of_one(draw_items(N_ITEMS, rng, weights.tolist()))
        parts.append(rows.assign(dataset=f"d{dataset}"))
    return pd.concat(parts, ignore_index=True)


# ---- who claims a difference ------------------------------------------------------------------------------


def bayesf1_claims(frame: pd.DataFrame, **roles: Any) -> bool:
    """Return whether the package calls one of the models better."""
    ev = bf.from_frame(frame, model="model", score="accuracy", **roles)
    return is_claim(bf.compare(ev, n_draws=N_DRAWS, rng=1))


def is_claim(res: Any) -> bool:
    """Return whether a comparison calls one of the models better."""
    return bool(res.headline.verdict.endswith("better"))


def scores_of(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of A and of B, in the same order."""
    a, b = (own["accuracy"].to_numpy() for _, own in frame.groupby("model"))
    return a, b


def items_claim(frame: pd.DataFrame) -> bool:
    """Return whether the package calls one of the models better if each score is an item."""
    a, b = scores_of(frame)
    return is_claim(bf.compare(bf.from_scores({"A": a, "B": b}), n_draws=N_DRAWS, rng=1))


def significant(test: Any) -> bool:
    """Return whether a two-sided test claims a difference."""
    return bool(test.pvalue < 0.05)


def correlated_t_claims(frame: pd.DataFrame, n_repeats: int) -> bool:
    """Return whether baycomp's correlated t, Corani & Benavoli (2015), gives either model a probability above .975."""
    import baycomp

    _, p_greater = baycomp.two_on_single(*scores_of(frame), runs=n_repeats)
    return bool(abs(p_greater - 0.5) > 0.475)


def mixed_model_claims(frame: pd.DataFrame) -> bool:
    """Return whether a mixed model claims a difference; its intercept and difference vary between data sets."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    is_b = (frame["model"] == "B").to_numpy(dtype=float)
    design = np.column_stack([np.ones(len(frame)), is_b])
    model = MixedLM(100.0 * frame["accuracy"].to_numpy(), design, frame["dataset"], exog_re=design)
    with warnings.catch_warnings():
        # Few data sets hardly show a covariance, and each fit warns of it.
        warnings.simplefilter("ignore")
        try:
            p_value = float(np.asarray(model.fit(method="lbfgs").pvalues)[1])
        except np.linalg.LinAlgError:
            return False
    return p_value < 0.05


def means_claim(frame: pd.DataFrame) -> bool:
    """Return whether a t-test of the data sets' mean differences claims one."""
    means = frame.groupby(["dataset", "model"])["accuracy"].mean().unstack("model")
    return significant(stats.ttest_rel(means["B"], means["A"]))


Claims = dict[str, Callable[[pd.DataFrame], bool]]


def share_of_claims(draw: Callable[[], pd.DataFrame], claims: Claims, replicates: int) -> dict[str, float]:
    """Return how often each method claims a difference in experiments that are drawn."""
    found = dict.fromkeys(claims, 0)
    for _ in range(replicates):
        frame = draw()
        for name, claim in claims.items():
            found[name] += claim(frame)
    return {name: count / replicates for name, count in found.items()}


# ---- studies ----------------------------------------------------------------------------------------------


def fold_studies(learner: Callable[[], Any], replicates: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the share of false claims from the scores of folds, for each design."""
    for n_repeats, n_folds in FOLDS:
        rng = np.random.default_rng((SEED, n_repeats, n_folds))
        halved = n_folds == 2

        def design(seed: int, *, r: int = n_repeats, k: int = n_folds, blocked: bool = halved) -> Any:
            return bf.BlockedCV(r, rng=seed) if blocked else bf.KFoldCV(k, r, rng=seed)

        def draw(*, rng: np.random.Generator = rng, design: Any = design) -> pd.DataFrame:
            return rows_of_folds(learner, design(int(rng.integers(1 << 31))), draw_items(N_ITEMS, rng))

        def here(frame: pd.DataFrame, *, design: Any = design) -> bool:
            return bayesf1_claims(frame, fold="fold", repeat="repeat", cv=design(0))

        claims: Claims = {
            "bayesf1": here,
            "every score an item": items_claim,
            "paired t (scipy)": lambda frame: significant(stats.ttest_rel(*scores_of(frame))),
        }
        if importlib.util.find_spec("baycomp") is not None:
            claims["correlated t (baycomp)"] = lambda frame, r=n_repeats: correlated_t_claims(frame, r)
        name = f"{n_repeats}×{n_folds} folds" if n_repeats > 1 else f"{n_folds} folds"
        yield name, share_of_claims(draw, claims, replicates)


def seed_studies(learner: Callable[[], Any], replicates: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the share of false claims from the scores of seeds on one split, and of learners that differ on it."""
    settings = {"": (0, 0), ", equal over splits, not on this one": (0, 1)}
    claims: Claims = {
        "bayesf1": lambda frame: bayesf1_claims(frame, run="seed"),
        "every score an item": items_claim,
        "Welch's t (scipy)": lambda frame: significant(stats.ttest_ind(*scores_of(frame), equal_var=False)),
    }
    for n_seeds in SEEDS:
        for words, sets in settings.items():
            rng = np.random.default_rng((SEED, n_seeds, sets[1]))

            def draw(
                *, n: int = n_seeds, sets: tuple[int, int] = sets, rng: np.random.Generator = rng
            ) -> pd.DataFrame:
                return rows_of_seeds(learner, n, sets, draw_items(N_ITEMS, rng), rng)

            yield f"{n_seeds} seeds{words}", share_of_claims(draw, claims, replicates)


def data_set_studies(learner: Callable[[], Any], replicates: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the share of false claims about the average data set, from the scores of seeds or folds on each."""
    for n_data_sets, n_scores, role in DATA_SETS:
        rng = np.random.default_rng((SEED, n_data_sets, n_scores))
        within = {"fold": "fold"} if role == "fold" else {"run": "seed"}

        def rows_of_one(
            data: Data, *, n: int = n_scores, role: str = role, rng: np.random.Generator = rng
        ) -> pd.DataFrame:
            if role == "seed":
                return rows_of_seeds(learner, n, (0, 1), data, rng)
            return rows_of_folds(learner, bf.KFoldCV(n, rng=int(rng.integers(1 << 31))), data)

        def draw(
            *, g: int = n_data_sets, rows_of_one: Any = rows_of_one, rng: np.random.Generator = rng
        ) -> pd.DataFrame:
            return rows_of_data_sets(learner, g, rows_of_one, rng)

        def here(frame: pd.DataFrame, *, within: dict[str, str] = within) -> bool:
            return bayesf1_claims(frame, corpus="dataset", **within)

        claims: Claims = {
            "bayesf1": here,
            "every score an item": items_claim,
            "mixed model (statsmodels)": mixed_model_claims,
            "t of data sets' means (scipy)": means_claim,
        }
        yield f"{n_data_sets} data sets × {n_scores} {role}s", share_of_claims(draw, claims, replicates)


STUDIES = {"folds": fold_studies, "seeds": seed_studies, "data sets": data_set_studies}


# ---- several generations for each question ----------------------------------------------------------------


class Setting(NamedTuple):
    """Questions that two models answer several times each: from `least` to `most` times."""

    n_questions: int
    least: int
    most: int
    values: str

    def __str__(self) -> str:
        number = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
        return f"{self.n_questions} questions × {number} generations, {self.values}"


GENERATIONS = (
    Setting(200, 2, 2, "right or wrong"),
    Setting(200, 3, 3, "right or wrong"),
    Setting(200, 5, 5, "right or wrong"),
    Setting(200, 10, 10, "right or wrong"),
    Setting(200, 1, 10, "right or wrong"),
    Setting(30, 5, 5, "right or wrong"),
    Setting(200, 3, 3, "scores"),
    Setting(200, 3, 3, "F1 of labels"),
)


def draw_answers(setting: Setting, rng: np.random.Generator) -> pd.DataFrame:
    """Draw the answers of two models to random questions, a row for each model, question and generation."""
    n = setting.n_questions
    common = rng.normal(0.5, 1.0, n)
    # Axes (model, question): B is better on the whole, and each model is good at questions of its own.
    ability = common + np.array([[0.0], [0.3]]) + rng.normal(0.0, 0.7, (2, n))
    n_answers = rng.integers(setting.least, setting.most + 1, (2, n))
    model, question = np.divmod(np.repeat(np.arange(2 * n), n_answers.ravel()), n)
    logits = ability[model, question]
    frame = pd.DataFrame({"model": np.array(["A", "B"])[model], "question": question})
    frame["epoch"] = frame.groupby(["model", "question"]).cumcount()
    if setting.values == "scores":
        return frame.assign(score=1.0 / (1.0 + np.exp(-logits - rng.normal(0.0, 0.5, len(frame)))))
    right = (rng.random(len(frame)) < 1.0 / (1.0 + np.exp(-logits))).astype(int)
    # Three questions in ten are positive, whatever they ask.
    gold = (rng.random(n) < 0.3).astype(int)[question]
    return frame.assign(correct=right, gold=gold, prediction=np.where(right == 1, gold, 1 - gold))


def f1_of(frame: pd.DataFrame) -> float:
    """Return F1 of all answers of one model; a question counts as one, however often it was answered."""
    share = 1.0 / frame.groupby("question")["question"].transform("size")
    tp = (share * frame["gold"] * frame["prediction"]).sum()
    return float(2.0 * tp / ((share * frame["gold"]).sum() + (share * frame["prediction"]).sum()))


def true_difference(setting: Setting) -> float:
    """Return the difference of two models, B minus A, on very many questions."""
    many = draw_answers(setting._replace(n_questions=500_000, least=2, most=2), np.random.default_rng(SEED))
    a, b = (own for _, own in many.groupby("model"))
    if setting.values == "F1 of labels":
        return f1_of(b) - f1_of(a)
    value = "score" if setting.values == "scores" else "correct"
    return float(b[value].mean() - a[value].mean())


def clustered_t(frame: pd.DataFrame, value: str) -> tuple[float, float]:
    """Return the interval of Miller (2024): a t interval of the questions' mean differences."""
    means = frame.groupby(["model", "question"])[value].mean().unstack("model")
    differences = means["B"] - means["A"]
    interval = stats.ttest_1samp(differences, 0.0).confidence_interval()
    return float(interval.low), float(interval.high)


class Quality(NamedTuple):
    """How intervals of one kind behaved."""

    coverage: float
    length: float

    @classmethod
    def of(cls, ends: Sequence[tuple[float, float]], truth: float) -> Quality:
        """Return how often intervals hold the truth, and their mean length."""
        low, high = np.array(ends).T
        return cls(float(((low <= truth) & (truth <= high)).mean()), float((high - low).mean()))

    def __str__(self) -> str:
        return f"{self.coverage:.3f} / {self.length:.4f}".replace("0.", ".")


def generation_study(setting: Setting, replicates: int) -> dict[str, Quality]:
    """Return how intervals of the package and of the clustered t behave."""
    rng = np.random.default_rng((SEED, setting.n_questions, setting.most))
    truth = true_difference(setting)
    by_package = []
    by_t = []
    for _ in range(replicates):
        frame = draw_answers(setting, rng)
        roles = {"model": "model", "item": "question", "generation": "epoch"}
        if setting.values == "F1 of labels":
            ev = bf.from_frame(frame, gold="gold", prediction="prediction", positive=1, **roles)
            metric = "f1"
        else:
            value = "score" if setting.values == "scores" else "correct"
            ev = bf.from_frame(frame, **{value: value}, **roles)
            metric = None
            by_t.append(clustered_t(frame, value))
        c = bf.compare(ev, metrics=metric, n_draws=N_DRAWS, rng=1).headline
        by_package.append(c.intervals[2])
    found = {"bayesf1": Quality.of(by_package, truth)}
    if by_t:
        found["clustered t"] = Quality.of(by_t, truth)
    return found


# ---- beside the hierarchical model of baycomp -------------------------------------------------------------


class Chances(NamedTuple):
    """The probabilities that on a new data set B is worse, as good, and better, and an interval of the average difference."""

    worse: float
    rope: float
    better: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.worse:.3f} / {self.rope:.3f} / {self.better:.3f} [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def hierarchical_t(differences: np.ndarray, rope: float, seed: int) -> Chances:
    r"""Return the answer of the model of Corani et al. (2017), which baycomp runs by Stan, here by PyMC.

    The folds of a data set have the mean :math:`\delta_i`, the standard deviation :math:`\sigma_i` and the correlation
    1/K, by the prior of Nadeau & Bengio; the :math:`\delta_i` are t distributed around :math:`\delta_0`. Priors are
    baycomp's. Means and sums of squares of the folds are sufficient.

    Parameters
    ----------
    differences
        Differences of scores in percentage points, axes (data set, fold).
    rope
        Half of the region of practical equivalence, in points.
    seed
        The seed of the chains.
    """
    import pymc as pm
    from pymc import math as pmath

    n_sets, n_folds = differences.shape
    rho = 1.0 / n_folds
    means = differences.mean(axis=1)
    squares = differences.var(axis=1) * n_folds
    largest = float(np.abs(differences).max())
    with pm.Model():
        delta_0 = pm.Uniform("delta_0", -largest, largest)
        among = pm.Uniform("among", 0.0, 1000.0 * means.std())
        alpha = pm.Uniform("alpha", 1.0, 2.0)
        beta = pm.Uniform("beta", 0.01, 0.1)
        nu = 1.0 + pm.Gamma("nu_minus_one", alpha, beta)
        sigma = pm.Uniform("sigma", 0.0, 1000.0 * differences.std(axis=1).mean(), shape=n_sets)
        delta = pm.StudentT("delta", nu=nu, mu=delta_0, sigma=among, shape=n_sets)
        pm.Normal("mean", delta, sigma * np.sqrt(rho + (1.0 - rho) / n_folds), observed=means)
        log_density = -(n_folds - 1.0) * pmath.log(sigma) - squares / (2.0 * (1.0 - rho) * sigma**2)
        pm.Potential("squares", log_density.sum())
        drawn = pm.sample(
            2000, tune=2000, chains=2, cores=1, target_accept=0.95, random_seed=seed, progressbar=False
        ).posterior
    centre, spread, freedom = (
        drawn[name].to_numpy().ravel() for name in ("delta_0", "among", "nu_minus_one")
    )
    worse = stats.t.cdf(-rope, freedom + 1.0, centre, spread).mean()
    better = stats.t.sf(rope, freedom + 1.0, centre, spread).mean()
    low, high = np.quantile(centre, [0.025, 0.975]) / 100.0
    return Chances(float(worse), float(1.0 - worse - better), float(better), float(low), float(high))


def random_effects(frame: pd.DataFrame, rope: float) -> Chances:
    """Return the answer of the package's random effects, about a new data set and the average one."""
    ev = bf.from_frame(frame, model="model", score="accuracy", corpus="dataset", fold="fold")
    fit = bf.hierarchical(ev, rng=1)
    new = fit.compare(question="new", rope=rope).headline
    average = fit.compare(question="average").headline
    low, high = average.intervals[2]
    return Chances(new.p_less, new.p_rope, new.p_greater, low, high)


def beside_hierarchical(n_sets: int, seed: int) -> list[str]:
    """Return the answers of the package and of the hierarchical t model about ten folds on each of several data sets."""
    rng = np.random.default_rng((SEED, n_sets, seed))

    def rows_of_one(data: Data) -> pd.DataFrame:
        cv = bf.KFoldCV(10, rng=int(rng.integers(1 << 31)))
        return rows_of_folds(LEARNERS["logistic regression"], cv, data)

    frame = rows_of_data_sets(LEARNERS["logistic regression"], n_sets, rows_of_one, rng)
    wide = frame.pivot(index=["dataset", "fold"], columns="model", values="accuracy")
    differences = 100.0 * (wide["B"] - wide["A"]).to_numpy().reshape(n_sets, -1)
    return [
        f"bayesf1 {random_effects(frame, 0.01)}",
        f"hierarchical t {hierarchical_t(differences, 1.0, seed)}",
    ]


# ---- all ---------------------------------------------------------------------------------------------------


STUDIES_IN_ORDER = [*STUDIES, "generations", "hierarchical"]


def row(title: str, cells: Sequence[object]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {title} | {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--only", choices=STUDIES_IN_ORDER)
    parser.add_argument("--learners", nargs="*", choices=[*LEARNERS], default=[*LEARNERS])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    # Simulated features are finite, and the parameters are those above.
    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    start = time.perf_counter()
    for study in STUDIES_IN_ORDER if args.only is None else [args.only]:
        if study == "hierarchical":
            print(
                "\nnew data set: P(worse / as good / better) and interval of the average difference in points"
            )
            for n_sets, seed in ((5, 1), (10, 2), (20, 3)):
                print(row(f"{n_sets} data sets × 10 folds", beside_hierarchical(n_sets, seed)), flush=True)
            continue
        if study == "generations":
            print("\n95 % intervals: coverage / length")
            for setting in GENERATIONS:
                found = generation_study(setting, args.replicates)
                print(row(str(setting), [f"{name} {quality}" for name, quality in found.items()]), flush=True)
            continue
        print(f"\n{study}: share of false claims of {args.replicates} experiments")
        for learner in args.learners:
            for title, found in STUDIES[study](LEARNERS[learner], args.replicates):
                cells = [f"{name} {share:.3f}" for name, share in found.items()]
                print(row(f"{learner}, {title}", cells), flush=True)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
