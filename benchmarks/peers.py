"""The same questions put to other packages: time, answer, error against the exact value, and what each assumes.

What is installed is asked (``pip install '.[peers]'``), the rest is listed as not installed. Exact values come from scipy's
distributions and quadrature and from sums over binomials, not from any of the packages. Times are the median of processor
times of calls that take turns, data already in the form that each package takes; ratios are to the first row.

    python benchmarks/peers.py
    python benchmarks/peers.py --write docs/background/peers.md
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib
import importlib.metadata
import importlib.util
import io
import re
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import integrate, stats

import bayesf1 as bf

# Module, and the distribution that has it.
PEERS = {
    "autorank": "autorank",
    "baycomp": "baycomp",
    "bayesf1": "bayesf1",
    "confidenceinterval": "confidenceinterval",
    "credible": "credible",
    "deltagate": "deltagate",
    "evalsig": "evalsig",
    "evalstats": "evalstats",
    "paired_eval": "paired-eval",
    "ppi_py": "ppi-python",
    "prob_conf_mat": "prob-conf-mat",
    "scipy": "scipy",
    "scorio": "scorio",
    "truescore": "truescore",
}
BEGIN, END = "<!-- made by benchmarks/peers.py -->", "<!-- end of what benchmarks/peers.py made -->"
# Calls are made in so many turns, each for so many seconds at least, and no more after so many.
TURNS, SHORT, LONG = 5, 0.02, 1.0

TABLES = {"A": (77, 44, 10), "B": (80, 30, 7)}
N_ITEMS, N_LABELLED = 2000, 200


@dataclass(frozen=True)
class Call:
    """How a package answers a question.

    Attributes
    ----------
    module
        The package.
    what
        What of it is called.
    work
        The call, which returns a number or the two ends of an interval.
    assumes
        What it takes for granted.
    """

    module: str
    what: str
    work: Callable[[], Any]
    assumes: str


@dataclass(frozen=True)
class Question:
    """A question, the exact answer, where there is one, and who can be asked; bayesf1 comes first."""

    title: str
    exact: Callable[[], Any] | None
    unit: str
    calls: tuple[Call, ...]


# ---- data -------------------------------------------------------------------------------------------------


@cache
def labels() -> tuple[Any, Any, Any]:
    """Gold and what two models said of the same items."""
    rng = np.random.default_rng(0)
    gold = (rng.random(N_ITEMS) < 0.3).astype(int)
    a, b = (np.where(rng.random(N_ITEMS) < error, 1 - gold, gold) for error in (0.10, 0.085))
    return gold, a, b


@cache
def right() -> tuple[Any, Any]:
    gold, a, b = labels()
    return (a == gold).astype(float), (b == gold).astype(float)


@cache
def evaluation() -> bf.Evaluation:
    gold, a, b = labels()
    return bf.from_labels(gold, {"A": a, "B": b}, positive=1)


def confusion(gold: Any, said: Any) -> list[list[int]]:
    return [[int(((gold == i) & (said == j)).sum()) for j in (0, 1)] for i in (0, 1)]


FOLDS_A = np.array([0.801, 0.812, 0.794, 0.823, 0.805, 0.829, 0.811, 0.799, 0.820, 0.790])
FOLDS_B = np.array([0.812, 0.818, 0.806, 0.822, 0.811, 0.840, 0.810, 0.816, 0.823, 0.799])


@cache
def suite() -> Any:
    """Scores of two models on thirty data sets."""
    rng = np.random.default_rng(5)
    level = rng.normal(0.75, 0.06, 30)
    return level + rng.normal(0.0, 0.02, 30), level + 0.008 + rng.normal(0.0, 0.02, 30)


def simulated(seed: int, n: int) -> tuple[Any, Any, Any]:
    """Gold, what a model and what a judge said; the model is right on 80 % of all items, the judge on 85 %."""
    rng = np.random.default_rng(seed)
    gold = (rng.random(n) < 0.5).astype(int)
    said, judged = (np.where(rng.random(n) < error, 1 - gold, gold) for error in (0.20, 0.15))
    return gold, said, judged


@cache
def leaderboard() -> Any:
    """Scores of 332 models on 41 tasks, as a public leaderboard of text embeddings has, axes (task, model)."""
    rng = np.random.default_rng(41)
    scores = rng.normal(0.6, 0.12, (41, 1)) + rng.normal(0.0, 0.06, 332) + rng.normal(0.0, 0.05, (41, 332))
    return np.clip(scores, 0.0, 1.0)


@cache
def ranked_evaluation() -> bf.Evaluation:
    scores = leaderboard()
    return bf.from_scores({f"m{i}": scores[:, i] for i in range(scores.shape[1])}, name="score", unit="task")


@cache
def correct_evaluation() -> bf.Evaluation:
    a, b = right()
    return bf.from_correct({"A": a, "B": b})


# ---- exact answers ----------------------------------------------------------------------------------------


def jaccard(table: tuple[int, int, int]) -> Any:
    """Return the distribution of the Jaccard index under Dirichlet(1), a Beta; F1 = 2J/(1 + J) rises with it."""
    tp, fp, fn = table
    return stats.beta(tp + 1, fp + fn + 2)


def exact_interval() -> Any:
    index = jaccard(TABLES["A"]).ppf([0.025, 0.975])
    return 2 * index / (1 + index)


def exact_probability() -> float:
    a, b = jaccard(TABLES["A"]), jaccard(TABLES["B"])
    # The distributions are narrow: the integral is taken where they have mass.
    low, high = a.ppf(1e-15), a.isf(1e-15)
    return float(integrate.quad(lambda j: a.pdf(j) * b.sf(j), low, high, epsabs=1e-13, limit=500)[0])


@cache
def bootstrap_limit() -> Any:
    """Percentiles of F1 under 4 million resamples of the whole table."""
    gold, a, _ = labels()
    counts = np.array(confusion(gold, a)).ravel()
    _, fp, fn, tp = np.random.default_rng(1).multinomial(N_ITEMS, counts / N_ITEMS, size=4_000_000).T
    return np.quantile(2 * tp / (2 * tp + fp + fn), [0.025, 0.975])


def exact_swaps() -> float:
    """Sum over all swaps: they deal the items on which models differ by fair coins, gold ones and others apart."""
    gold, a, b = labels()
    both, apart = (a == 1) & (b == 1), a != b
    true_apart, false_apart = int((apart & (gold == 1)).sum()), int((apart & (gold == 0)).sum())
    true_both, false_both = int((both & (gold == 1)).sum()), int((both & (gold == 0)).sum())

    def f1(true: Any, false: Any) -> Any:
        return 2 * true / (true + false + gold.sum())

    x, y = np.arange(true_apart + 1)[:, None], np.arange(false_apart + 1)
    mine = f1(true_both + x, false_both + y)
    theirs = f1(true_both + true_apart - x, false_both + false_apart - y)
    seen = abs(f1((a * gold).sum(), (a * (1 - gold)).sum()) - f1((b * gold).sum(), (b * (1 - gold)).sum()))
    weight = stats.binom.pmf(x, true_apart, 0.5) * stats.binom.pmf(y, false_apart, 0.5)
    return float(weight[np.abs(mine - theirs) >= seen * (1 - 1e-12)].sum())


def exact_sign_test() -> float:
    a, b = right()
    return float(stats.binomtest(int((a > b).sum()), int((a != b).sum())).pvalue)


def exact_correlated_t() -> float:
    difference = FOLDS_B - FOLDS_A
    n = len(difference)
    scale = np.sqrt(difference.var(ddof=1) * (1 / n + 1 / (n - 1)))
    return float(stats.t.sf(-difference.mean() / scale, n - 1))


# ---- calls ------------------------------------------------------------------------------------------------


def study(n: int = 10_000) -> Any:
    from prob_conf_mat import Study

    found = Study(seed=0, num_samples=n, ci_probability=0.95)
    for name, (tp, fp, fn) in TABLES.items():
        # With these priors its cells are Dirichlet(1); true negatives do not matter to F1.
        found.add_experiment(
            name, confusion_matrix=[[700, fp], [fn, tp]], prevalence_prior=2.0, confusion_prior=1.0
        )
    found.add_metric("f1")
    return found


def study_samples(found: Any, name: str) -> Any:
    drawn = found.get_metric_samples(
        metric="f1", experiment_name=f"{name}/{name}", sampling_method="posterior"
    )
    return drawn.values[:, 1]


def ask_study_interval() -> Any:
    return np.quantile(study_samples(study(), "A"), [0.025, 0.975])


def ask_study_probability() -> float:
    found = study()
    return float((study_samples(found, "B") > study_samples(found, "A")).mean())


def ask_credible_interval() -> Any:
    from credible.bayesian.utils import evaluate_statistics, f1_posterior

    drawn = f1_posterior(*TABLES["A"], 1.0, 100_000, np.random.default_rng(0))
    return evaluate_statistics(drawn, 0.95, "auto")[2:]


def ask_credible_probability() -> float:
    from credible.bayesian.utils import compare_f1_scores

    return float(compare_f1_scores(*TABLES["B"], *TABLES["A"], 1.0, 100_000, np.random.default_rng(0)))


def f1_of(gold: Any, said: Any, axis: int = -1) -> Any:
    return 2 * (gold * said).sum(axis=axis) / (gold.sum(axis=axis) + said.sum(axis=axis))


def ask_scipy_bootstrap() -> Any:
    gold, a, _ = labels()
    found = stats.bootstrap(
        (gold, a), f1_of, paired=True, method="percentile", n_resamples=9999, batch=500, rng=0
    )
    return found.confidence_interval


def ask_scipy_permutation() -> float:
    gold, a, b = labels()

    def difference(x: Any, y: Any, axis: int) -> Any:
        # Gold is the same on both sides of a swap.
        return f1_of(gold, y, axis) - f1_of(gold, x, axis)

    found = stats.permutation_test(
        (a, b), difference, permutation_type="samples", n_resamples=9999, batch=500, rng=0, vectorized=True
    )
    return float(found.pvalue)


def ask_confidenceinterval() -> Any:
    import confidenceinterval

    gold, a, _ = labels()
    return confidenceinterval.f1_score(gold.tolist(), a.tolist(), average="binary")[1]


def ask_evalsig_permutation() -> float:
    from evalsig.inference.paired import paired_permutation_test

    return float(paired_permutation_test(*right(), rng=0).p_value)


def ask_truescore_mcnemar() -> float:
    import truescore

    return float(truescore.mcnemar(*right(), midp=False).p_value)


def ask_truescore_permutation() -> float:
    import truescore

    return float(truescore.paired_permutation(*right(), seed=0).p_value)


def ask_baycomp_folds() -> float:
    import baycomp

    return float(baycomp.two_on_single(FOLDS_A, FOLDS_B)[1])


def ask_fold_tests() -> float:
    rows = [(m, k, x) for m, own in (("A", FOLDS_A), ("B", FOLDS_B)) for k, x in enumerate(own)]
    ev = bf.from_frame(pd.DataFrame(rows, columns=["model", "fold", "score"]), score="score")
    found = bf.fold_tests(ev)
    return float(found["Bayesian correlated t"].p_greater or 0.0)


def ask_suite() -> float:
    a, b = suite()
    ev = bf.from_scores({"A": a, "B": b}, name="score", unit="data set")
    return float(bf.compare(ev, rng=0)["mean"].p_h1)


def ask_baycomp_suite() -> float:
    import baycomp

    return float(baycomp.two_on_multiple(*suite(), random_state=0)[-1])


def ask_autorank() -> float:
    import autorank
    import pandas as pd

    a, b = suite()
    frame = pd.DataFrame({"A": a, "B": b})
    found = autorank.autorank(frame, approach="bayesian", rope=0.0, rope_mode="absolute", random_state=0)
    first = found.rankdf.index[0]
    chances = found.posterior_matrix.loc[first, "A" if first == "B" else "B"]
    return float(chances[0 if first == "B" else 2])


@cache
def judged_evaluation(seed: int, n: int = N_ITEMS) -> bf.Evaluation:
    gold, said, judged = simulated(seed, n)
    known = np.where(np.arange(n) < N_LABELLED, gold, np.nan)
    return bf.from_labels(known, {"A": said}, judge=judged, positive=1)


@cache
def pass_rates(seed: int, n: int = N_ITEMS) -> tuple[Any, Any]:
    """Whether the model is right by gold on the labelled items, and by the judge on all."""
    gold, said, judged = simulated(seed, n)
    return (said == gold).astype(float)[:N_LABELLED], (said == judged).astype(float)


def ask_judged(seed: int = 0, n: int = N_ITEMS) -> Any:
    post = bf.posterior(judged_evaluation(seed, n), "A", metric="accuracy", n_draws=10_000, rng=seed)
    return post.interval(0.95)


def ask_difference_estimator(seed: int = 0, n: int = N_ITEMS) -> Any:
    ev = judged_evaluation(seed, n)
    return tuple(bf.intervals(ev, "A", "accuracy", methods=["difference_estimator"])["difference_estimator"])


def ask_ppi(seed: int = 0, n: int = N_ITEMS) -> Any:
    import ppi_py

    truth, proxy = pass_rates(seed, n)
    low, high = ppi_py.ppi_mean_ci(truth, proxy[:N_LABELLED], proxy[N_LABELLED:], alpha=0.05)
    return float(low[0]), float(high[0])


def ask_truescore(seed: int = 0, n: int = N_ITEMS) -> Any:
    import truescore

    truth, proxy = pass_rates(seed, n)
    found = truescore.ppi_estimate(proxy, truth, np.arange(N_LABELLED))
    return found.low, found.high


def ask_evalstats_judge(seed: int = 0, n: int = N_ITEMS) -> Any:
    import evalstats

    truth, proxy = pass_rates(seed, n)
    known = np.full(len(proxy), np.nan)
    known[:N_LABELLED] = truth
    found = evalstats.judge_debias_mean_ci(proxy, known, rng=seed)
    return found.ci_low, found.ci_high


def ask_evalstats_difference() -> Any:
    import evalstats

    found = evalstats.pairwise_differences(np.stack(right()), 1, 0, method="tango")
    return found.ci_low, found.ci_high


def ask_deltagate_difference() -> Any:
    import deltagate

    found = deltagate.bootstrap_delta_ci(*(part.tolist() for part in reversed(right())), n_boot=1000, seed=0)
    return found["lower"], found["upper"]


def ask_paired_eval_difference() -> Any:
    import paired_eval

    found = paired_eval.paired_compare(*(part.tolist() for part in reversed(right())), n_resamples=1000)
    return found["diff_ci"]


def ask_deltagate_mcnemar() -> float:
    import deltagate

    return float(deltagate.mcnemar_from_scores(*right(), exact=True).p_value)


def ask_evalstats_accuracy() -> Any:
    import evalstats

    return evalstats.bayes_binary_ci_1d(right()[0], 0.05)


def ask_scorio_accuracy() -> Any:
    from scorio import eval as scored

    return scored.bayes_ci(right()[0].astype(int)[None])[2:]


def exact_accuracy() -> Any:
    hits = right()[0].sum()
    return stats.beta(hits + 1, N_ITEMS - hits + 1).ppf([0.025, 0.975])


def exact_difference() -> Any:
    """Return the limit of the bootstrap of the difference, by the normal distribution: 2,000 items are many."""
    a, b = right()
    gap = b - a
    return gap.mean() + stats.norm.ppf([0.025, 0.975]) * gap.std() / np.sqrt(len(gap))


def ask_bare_ranks() -> Any:
    scores, rng = leaderboard(), np.random.default_rng(0)
    means = rng.multinomial(len(scores), np.full(len(scores), 1 / len(scores)), size=1000) @ scores
    ranks = 1 + (-means).argsort(axis=1).argsort(axis=1)
    return np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")[:, 0]


def ask_rank() -> Any:
    found = bf.rank(ranked_evaluation(), n_draws=1000, rng=0)
    first = found.models.index("m0")
    return float(found.rank_low[first]), float(found.rank_high[first])


def ask_evalstats_ranks() -> Any:
    import evalstats

    scores = leaderboard()
    names = [f"m{i}" for i in range(scores.shape[1])]
    found = evalstats.bootstrap_ranks(
        scores.T, names, n_bootstrap=1000, method="bootstrap", rng=np.random.default_rng(0)
    )
    chances = found.rank_probs[0].cumsum()
    return float(1 + (chances < 0.025 - 1e-12).sum()), float(1 + (chances < 0.975 - 1e-12).sum())


DRAWS = "single items; Dirichlet(1) prior; "
QUESTIONS = (
    Question(
        "95 % credible interval of F1, from 77 found, 44 wrong, 10 missed",
        exact_interval,
        "points",
        (
            Call(
                "bayesf1",
                "posterior",
                lambda: bf.posterior(bf.from_counts(TABLES), "A", prior=1).interval(0.95),
                f"{DRAWS}closed form",
            ),
            Call("credible", "f1_posterior", ask_credible_interval, f"{DRAWS}10⁵ draws"),
            Call(
                "prob_conf_mat",
                "Study",
                ask_study_interval,
                f"{DRAWS}10⁴ draws; also of several classes",
            ),
        ),
    ),
    Question(
        "Probability that B (80, 30, 7) has the larger F1, each on items of its own",
        exact_probability,
        "",
        (
            Call(
                "bayesf1",
                'compare(assumption="independent")',
                lambda: bf.compare(bf.from_counts(TABLES), metrics="f1", prior=1)["f1"].p_h1,
                f"{DRAWS}quadrature",
            ),
            Call("credible", "compare_f1_scores", ask_credible_probability, f"{DRAWS}10⁵ draws"),
            Call("prob_conf_mat", "Study", ask_study_probability, f"{DRAWS}10⁴ draws; no pairing of items"),
        ),
    ),
    Question(
        "95 % credible interval of accuracy, from 2,000 items that are right or wrong",
        exact_accuracy,
        "points",
        (
            Call(
                "bayesf1",
                "posterior",
                lambda: bf.posterior(correct_evaluation(), "A", "accuracy", prior=1).interval(0.95),
                "single items; uniform prior; closed form",
            ),
            Call("evalstats", "bayes_binary_ci_1d", ask_evalstats_accuracy, "the same"),
            Call("scorio", "eval.bayes_ci", ask_scorio_accuracy, "the same, by the normal distribution"),
        ),
    ),
    Question(
        "One 95 % confidence interval of F1, from 2,000 labels; exact is the bootstrap with infinitely many resamples",
        bootstrap_limit,
        "points",
        (
            Call(
                "bayesf1",
                'intervals(methods=["delta"])',
                lambda: tuple(bf.intervals(evaluation(), "A", "f1", methods=["delta"])["delta"]),
                "units of any kind; delta method",
            ),
            Call(
                "bayesf1",
                "the same, printed",
                lambda: tuple(printed(bf.intervals(evaluation(), "A", "f1", methods=["delta"]))["delta"]),
                "the same",
            ),
            Call(
                "confidenceinterval",
                "f1_score",
                ask_confidenceinterval,
                "single items; normal, by the delta method of Takahashi et al. (2022)",
            ),
        ),
    ),
    Question(
        "The same by 9,999 resamples",
        bootstrap_limit,
        "points",
        (
            Call(
                "bayesf1",
                'intervals(methods=["bootstrap_percentile"])',
                lambda: tuple(
                    bf.intervals(evaluation(), "A", "f1", methods=["bootstrap_percentile"], rng=0)[
                        "bootstrap_percentile"
                    ]
                ),
                "units of any kind; resamples of the table",
            ),
            Call("scipy", "bootstrap", ask_scipy_bootstrap, "units are rows of arrays; resamples of them"),
        ),
    ),
    Question(
        "One 95 % interval of the difference in accuracy, 2,000 items that both models saw; exact is the normal limit",
        exact_difference,
        "points",
        (
            Call(
                "bayesf1",
                'difference_intervals(methods=["delta"])',
                lambda: tuple(
                    bf.difference_intervals(correct_evaluation(), metric="accuracy", methods=["delta"])[
                        "delta"
                    ]
                ),
                "units of any kind; delta method",
            ),
            Call(
                "evalstats",
                'pairwise_differences(method="tango")',
                ask_evalstats_difference,
                "score test of pairs",
            ),
            Call("deltagate", "bootstrap_delta_ci", ask_deltagate_difference, "BCa, 1,000 resamples"),
            Call(
                "paired_eval",
                "paired_compare",
                ask_paired_eval_difference,
                "bootstrap of 1,000 resamples, and a permutation test",
            ),
        ),
    ),
    Question(
        "Randomisation test of a difference in F1, 2,000 items that both models saw",
        exact_swaps,
        "",
        (
            Call(
                "bayesf1",
                "randomization_test",
                lambda: bf.randomization_test(evaluation(), "A", "B", metric="f1", rng=0).p_value,
                "outputs can be exchanged item by item; sum over all swaps",
            ),
            Call("scipy", "permutation_test", ask_scipy_permutation, "the same; 9,999 random swaps"),
        ),
    ),
    Question(
        "The same of accuracy",
        exact_sign_test,
        "",
        (
            Call(
                "bayesf1",
                "randomization_test",
                lambda: bf.randomization_test(evaluation(), "A", "B", metric="accuracy", rng=0).p_value,
                "outputs can be exchanged item by item; sum over all swaps",
            ),
            Call("truescore", "mcnemar(midp=False)", ask_truescore_mcnemar, "the same; binomial"),
            Call("deltagate", "mcnemar_from_scores(exact=True)", ask_deltagate_mcnemar, "the same; binomial"),
            Call(
                "evalsig", "paired_permutation_test", ask_evalsig_permutation, "the same; 10,000 random swaps"
            ),
            Call(
                "truescore",
                "paired_permutation",
                ask_truescore_permutation,
                "the same; 10,000 random swaps and a bootstrap",
            ),
        ),
    ),
    Question(
        "Probability that B is better, from scores of ten folds, by the Bayesian correlated t-test",
        exact_correlated_t,
        "",
        (
            Call(
                "bayesf1",
                "fold_tests, three tests",
                ask_fold_tests,
                "normal scores, correlation 1/10 between folds",
            ),
            Call("baycomp", "two_on_single", ask_baycomp_folds, "the same"),
        ),
    ),
    Question(
        "Probability that B is better, from scores on thirty data sets; no exact value, as each asks another question",
        None,
        "",
        (
            Call(
                "bayesf1",
                "from_scores, compare",
                ask_suite,
                "data sets drawn at random; bootstrap of the mean difference",
            ),
            Call(
                "baycomp",
                "two_on_multiple",
                ask_baycomp_suite,
                "Bayesian signed ranks: where most of the differences lie",
            ),
            Call(
                "autorank",
                'autorank(approach="bayesian")',
                ask_autorank,
                "the same; chosen by tests of normality where it is frequentist",
            ),
        ),
    ),
    Question(
        "Interval of the rank of one of 332 models on 41 tasks, 1,000 resamples of tasks",
        None,
        "",
        (
            Call(
                "bayesf1",
                "rank(n_draws=1000)",
                ask_rank,
                "Bayesian bootstrap; also who beats whom, and what holds of all models together",
            ),
            Call(
                "scipy",
                "numpy's multinomial and argsort",
                ask_bare_ranks,
                "bootstrap; ranks and nothing else",
            ),
            Call("evalstats", "bootstrap_ranks", ask_evalstats_ranks, "bootstrap; probabilities of ranks"),
        ),
    ),
    Question(
        "Accuracy from 200 gold labels and a judge on 1,000,000 items",
        None,
        "points",
        (
            Call(
                "bayesf1",
                'intervals(methods=["difference_estimator"])',
                lambda: ask_difference_estimator(0, 10**6),
                "labelled items chosen at random; means, F1 and others",
            ),
            Call("ppi_py", "ppi_mean_ci", lambda: ask_ppi(0, 10**6), "the same; means"),
            Call("truescore", "ppi_estimate", lambda: ask_truescore(0, 10**6), "the same"),
        ),
    ),
)
# The model is right on this share of all items.
TRUTH = 0.8
JUDGED = (
    Call(
        "bayesf1",
        'intervals(methods=["difference_estimator"])',
        ask_difference_estimator,
        "labelled items chosen at random; means, F1 and others",
    ),
    Call("bayesf1", "posterior(n_draws=10_000)", ask_judged, "the same; any metric; few labels as well"),
    Call("ppi_py", "ppi_mean_ci", ask_ppi, "labelled items chosen at random; large samples; means"),
    Call("truescore", "ppi_estimate", ask_truescore, "the same"),
    Call("evalstats", "judge_debias_mean_ci", ask_evalstats_judge, "the same; 1,000 resamples"),
)


# ---- measuring and telling --------------------------------------------------------------------------------


def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def printed(answer: Any) -> Any:
    """Return an answer after it was printed."""
    print(answer)
    return answer


def measured(works: list[Callable[[], Any]]) -> list[tuple[float, Any]]:
    """Return the median processor time of each piece of work, in turns after a call to warm up, and its answer."""
    times = [list[float]() for _ in works]
    # Some packages print while they compute.
    with contextlib.redirect_stdout(io.StringIO()):
        answers = [work() for work in works]
        for _ in range(TURNS):
            for work, each in zip(works, times, strict=True):
                if sum(each) > LONG:
                    continue
                start, calls, spent = time.process_time(), 0, 0.0
                while spent < SHORT:
                    work()
                    calls, spent = calls + 1, time.process_time() - start
                each.append(spent / calls)
    return [(statistics.median(each), answer) for each, answer in zip(times, answers, strict=True)]


def told_time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def told_answer(found: Any, unit: str) -> str:
    if np.ndim(found) == 0:
        return f"{found:.4f}"
    return f"[{100 * found[0]:.2f}, {100 * found[1]:.2f}]" if unit else f"[{found[0]:.4f}, {found[1]:.4f}]"


def told_error(found: Any, exact: Any, unit: str) -> str:
    off = float(np.max(np.abs(np.asarray(found, dtype=float) - exact)))
    off *= 100 if unit else 1
    return f"{off:.0e}{' ' + unit if unit else ''}" if off else "0"


def asked(question: Question) -> Iterator[str]:
    exact = None if question.exact is None else question.exact()
    yield f"### {question.title}\n"
    if exact is not None:
        yield f"Exact: {told_answer(exact, question.unit)}\n"
    yield "| package | call | time | ratio | answer | error | assumes |"
    yield "|---|---|---|---|---|---|---|"
    calls = [call for call in question.calls if is_installed(call.module)]
    for call in question.calls:
        if call not in calls:
            yield f"| {call.module} | `{call.what}` | not installed | | | | {call.assumes} |"
    times = measured([call.work for call in calls])
    first = times[0][0]
    for call, (seconds, found) in zip(calls, times, strict=True):
        error = "" if exact is None else told_error(found, exact, question.unit)
        yield (
            f"| {call.module} | `{call.what}` | {told_time(seconds)} | {seconds / first:.3g} | "
            f"{told_answer(found, question.unit)} | {error} | {call.assumes} |"
        )
    yield ""


def judged(repeats: int) -> Iterator[str]:
    """How often intervals from few gold labels and a judge hold the truth."""
    yield f"### Accuracy from {N_LABELLED} gold labels and a judge on {N_ITEMS:,} items, {repeats} times over\n"
    yield f"The model is right on {TRUTH:.0%} of all items, the judge on 85 %.\n".replace("%", " %", 1)
    yield "| package | call | time | ratio | 95 % intervals that hold the truth | mean length | mean error | assumes |"
    yield "|---|---|---|---|---|---|---|---|"
    calls = [call for call in JUDGED if is_installed(call.module)]
    times = measured([call.work for call in calls])
    first = times[0][0]
    for call, (seconds, _) in zip(calls, times, strict=True):
        ends = np.array([call.work(seed) for seed in range(repeats)])
        held = ((ends[:, 0] <= TRUTH) & (ends[:, 1] >= TRUTH)).sum()
        yield (
            f"| {call.module} | `{call.what}` | {told_time(seconds)} | {seconds / first:.3g} | {held} of {repeats} | "
            f"{100 * (ends[:, 1] - ends[:, 0]).mean():.1f} points | {100 * np.abs(ends.mean(axis=1) - TRUTH).mean():.1f} points | "
            f"{call.assumes} |"
        )
    yield ""


def versions() -> str:
    others = {name: dist for name, dist in PEERS.items() if name != "bayesf1"}
    found = [
        f"{name} {importlib.metadata.version(dist)}" if is_installed(name) else f"{name} not installed"
        for name, dist in others.items()
    ]
    return ", ".join([f"bayesf1 {bf.__version__}", *found])


def page(repeats: int) -> Iterator[str]:
    """Yield the lines of the tables."""
    yield f"Asked in one run, on {datetime.date.today():%d %B %Y}, were {versions()}.\n"
    for question in QUESTIONS:
        yield from asked(question)
    yield from judged(repeats)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", type=Path, help="put the tables into this page, where its marks stand")
    parser.add_argument("--repeats", type=int, default=200, help="how often judged data are drawn anew")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = []
    for line in page(options.repeats):
        print(line, flush=True)
        lines.append(line)
    if options.write:
        text = options.write.read_text(encoding="utf-8")
        made = f"{BEGIN}\n\n" + "\n".join(lines) + f"\n{END}"
        if text.count(BEGIN) != 1 or text.count(END) != 1:
            raise SystemExit(f"{options.write} lacks the marks {BEGIN} and {END}")
        pattern = re.escape(BEGIN) + r".*" + re.escape(END)
        options.write.write_text(re.sub(pattern, lambda _: made, text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
