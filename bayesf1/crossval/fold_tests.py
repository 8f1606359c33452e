r"""The t- and F-tests on fold scores that reviewers know, beside one another.

All work on the differences :math:`d_{jk}` of two models' scores in fold k of repeat j; none knows that scores
are bounded, or how many items a fold holds. They stand here for comparison with the Bayes test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.answer import Answer
from bayesf1.base.arrays import FloatArray
from bayesf1.base.table import Table, points, printable, probability
from bayesf1.bayes.posterior import check_rope
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import MetricLike
from bayesf1.kinds.binary_measures import find_metric


@dataclass(frozen=True)
class FoldTest:
    """One test on fold scores.

    Attributes
    ----------
    name
        What the test is called.
    statistic
        Its t or F statistic.
    df
        Degrees of freedom, two for an F-test.
    p_value
        Two-sided p-value of no difference; None for a Bayesian test.
    p_greater
        Probability that B is better by more than the ROPE, for the Bayesian test; None for the others.
    reference
        Where it comes from.
    """

    name: str
    statistic: float
    df: tuple[int, ...]
    p_value: float | None
    p_greater: float | None
    reference: str


@dataclass(frozen=True)
class FoldTests(Answer):
    """All tests that a cross-validation allows, for one pair of models and one measure."""

    captioned = True
    json_format = "bayesf1.fold-tests/1"
    index_names = ("name",)

    model_a: str
    model_b: str
    label: str
    differences: FloatArray
    tests: tuple[FoldTest, ...]

    def __iter__(self) -> Iterator[FoldTest]:
        return iter(self.tests)

    def __getitem__(self, name: str) -> FoldTest:
        for test in self.tests:
            if test.name == name:
                return test
        raise KeyError(f"no test {name!r} here; there are {', '.join(t.name for t in self.tests)}")

    @property
    def table(self) -> Table:
        """The tests as a table."""
        rows = tuple(
            (
                test.name,
                f"{test.statistic:.3f}",
                ", ".join(map(str, test.df)),
                "" if test.p_value is None else probability(test.p_value),
                "" if test.p_greater is None else probability(test.p_greater),
                test.reference,
            )
            for test in self.tests
        )
        return Table(("Test", "Statistic", "df", "p", f"P({self.model_b} better)", "Reference"), rows)

    @property
    def title(self) -> str:
        """What was tested, and how the folds differ."""
        mean, sd = self.differences.mean(), self.differences.std(ddof=1)
        return printable(
            f"{self.label} of {self.model_b} minus {self.model_a} in {self.differences.size} folds: "
            f"mean {points(mean, 2, sign=True)}, sd {points(sd, 2)} points"
        )

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each test; folds that all differ alike have no finite statistic."""
        return [
            {
                **asdict(test),
                "statistic": test.statistic if np.isfinite(test.statistic) else None,
                "df": test.df[0],
                "df_denominator": test.df[1] if len(test.df) > 1 else None,
            }
            for test in self.tests
        ]


def fold_tests(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    metric: MetricLike = "f1",
    *,
    rope: float = 0.0,
) -> FoldTests:
    r"""Apply the classical tests to the fold scores of two models.

    Parameters
    ----------
    ev
        An evaluation with folds, from `from_folds`, `read_counts` or `cross_validate`.
    a, b
        Names of the models; may be left out where there are exactly two.
    metric
        The measure that is scored in each fold.
    rope
        Half-width of practical equivalence, for the Bayesian test.

    Returns
    -------
    FoldTests
        The paired t-test that takes folds as independent; its correction by Nadeau & Bengio (2003); the
        Bayesian correlated t-test of Corani & Benavoli (2015); the block-regularised t-test of Wang et al.
        (2014) for m×2 designs; and, for five repeats, the 5×2 t-test of Dietterich (1998) and the 5×2 F-test
        of Alpaydin (1999).

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> tests = fold_tests(load_example("wang-li-ner"))
    >>> round(tests["m×2 BCV t"].p_value, 3)
    0.462
    """
    check_evaluation(ev)
    if ev.folds is None:
        raise ValueError("fold tests need the tables of folds; build the evaluation by from_folds")
    pair = ev.pair(a, b)
    measure = find_metric(metric)
    folds = pair.folds
    assert folds is not None
    scores = measure(folds.counts, pair.cells)
    d = scores[..., 1] - scores[..., 0]
    rope = check_rope(rope)
    mean, variance, df = float(d.mean()), float(d.var(ddof=1)), d.size - 1
    # Nadeau & Bengio (2003): the number of folds' reciprocal plus n_test/n_train, which are as 1 to K - 1.
    corrected = variance * (1.0 / d.size + 1.0 / (d.shape[1] - 1))
    # Corani & Benavoli (2015): the posterior of the mean difference is a t law with the corrected variance.
    t = _ratio(measure.sign * mean - rope, corrected)
    p = float(special.stdtr(df, t))
    tests = [
        _t_test("paired t over folds", mean, variance / d.size, df, "folds as independent; too sure"),
        _t_test("corrected resampled t", mean, corrected, df, "Nadeau & Bengio (2003)"),
        FoldTest("Bayesian correlated t", t, (df,), None, p, "Corani & Benavoli (2015)"),
    ]
    if d.shape[1] == 2:
        # Wang et al. (2014): the conservative estimate of the variance of the mean, Σ(d - mean)²/2m, 2m - 1 df.
        tests.append(_t_test("m×2 BCV t", mean, float(d.var()), df, "Wang et al. (2014)"))
    if d.shape == (5, 2):
        spread = d.var(axis=1, ddof=1)
        # Dietterich (1998), Eq. 6: the first difference over the root mean of the repeats' variances.
        tests.append(_t_test("5×2 cv t", float(d[0, 0]), float(spread.mean()), 5, "Dietterich (1998)"))
        # Alpaydin (1999), Eq. 3.
        total, twice = float((d * d).sum()), 2.0 * float(spread.sum())
        f = total / twice if twice > 0.0 else (0.0 if total == 0.0 else np.inf)
        p = float(special.fdtrc(10, 5, f)) if np.isfinite(f) else 0.0
        tests.append(FoldTest("5×2 cv F", f, (10, 5), p, None, "Alpaydin (1999)"))
    return FoldTests(pair.models[0], pair.models[1], measure.label, d, tuple(tests))


def _ratio(mean: float, variance: float) -> float:
    # Folds that do not differ at all leave no doubt, or no difference.
    if variance > 0.0:
        return float(mean / np.sqrt(variance))
    return 0.0 if mean == 0.0 else float(np.copysign(np.inf, mean))


def _t_test(name: str, mean: float, variance: float, df: int, reference: str) -> FoldTest:
    t = _ratio(mean, variance)
    return FoldTest(name, t, (df,), float(2.0 * special.stdtr(df, -abs(t))), None, reference)
