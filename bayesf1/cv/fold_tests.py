"""Tests on scores of folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, TypeAlias

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import Rule
from bayesf1.designs import BlockedCV
from bayesf1.evaluation import Evaluation, resolve_metric
from bayesf1.inference.comparison import RopeLike, check_rope
from bayesf1.metrics import MetricLike, Proportion
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import fold_tests as words
from bayesf1.output.words.signature import in_one_line
from bayesf1.sampling.training import Contrasts
from bayesf1.units import Folds, Units

EvaluationOfFolds: TypeAlias = Annotated[
    Evaluation,
    Rule(
        lambda value: isinstance(value, Evaluation),
        "an Evaluation, as from_frame(frame, score='f1', fold='fold') makes it of scores of folds",
    ),
]


@dataclass(frozen=True)
class FoldTest:
    """One test on fold scores.

    Attributes
    ----------
    name
        The name of the test.
    statistic
        Its t, F or χ² statistic.
    df
        Degrees of freedom, two for an F-test.
    p_value
        Two-sided p-value of no difference; None for a test that is only Bayesian.
    p_greater
        Probability that B is better by more than the ROPE, for a test that is also Bayesian; else None.
    reference
        The publication of the test.
    """

    name: str
    statistic: float
    df: tuple[int, ...]
    p_value: float | None
    p_greater: float | None
    reference: str


@dataclass(frozen=True, repr=False)
class FoldTests(Answer):
    """All tests that a cross-validation allows, for one pair of models and one metric.

    Attributes
    ----------
    model_a, model_b
        Names of the models; differences are B minus A.
    label
        The name of the metric in print.
    differences
        The differences of the fold scores, axes (repeat, fold).
    tests
        The tests.
    rope
        Half-width of practical equivalence, for the Bayesian tests.
    """

    json_format = "bayesf1.fold-tests/1"
    index_names = ("name",)

    model_a: str
    model_b: str
    label: str
    differences: FloatArray
    tests: tuple[FoldTest, ...]
    rope: float = 0.0

    def __iter__(self) -> Iterator[FoldTest]:
        return iter(self.tests)

    def __getitem__(self, name: str) -> FoldTest:
        for test in self.tests:
            if test.name == name:
                return test
        raise KeyError(f"no test {name!r} here; there are {', '.join(t.name for t in self.tests)}")

    @property
    def shares(self) -> bool:
        """Whether scores look like shares, which are printed in points; scores in percent differ by more than 1."""
        return bool(np.abs(self.differences).max() <= 1.0)

    @property
    def title(self) -> str:
        """What was tested, and how the folds differ."""
        return words.title(self)

    @property
    def table(self) -> Table:
        """The tests as a table."""
        return words.table(self)

    def signature(self) -> str:
        """Return in one line what is needed to repeat the tests."""
        tests = [test.name.replace(" ", "-") for test in self.tests]
        rope = self.rope if self.rope > 0.0 else None
        return in_one_line(metric=self.label, folds=self.differences.shape, tests=tests, rope=rope)

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each test; equal differences in all folds have no finite statistic."""
        rows = []
        for test in self.tests:
            row = asdict(test)
            row["statistic"] = test.statistic if np.isfinite(test.statistic) else None
            row["df"] = test.df[0]
            row["df_denominator"] = test.df[1] if len(test.df) > 1 else None
            rows.append(row)
        return rows


def fold_tests(
    ev: EvaluationOfFolds,
    a: str | None = None,
    b: str | None = None,
    metric: MetricLike | None = None,
    *,
    rope: RopeLike = 0.0,
) -> FoldTests:
    r"""Apply the classical tests to the fold scores of two models.

    Parameters
    ----------
    ev
        An evaluation with folds, from `from_folds`, `read` or `cross_validate`; or of scores of folds from `from_frame`,
        such as the ``test_score`` of scikit-learn's `cross_validate`, which allow all tests but McNemar's.
    a, b
        Names of the models; may be left out if there are exactly two.
    metric
        The metric that is scored in each fold, F1 by default, or the name of a score.
    rope
        Half-width of practical equivalence, for the Bayesian tests.

    Returns
    -------
    FoldTests
        The paired t-test that takes folds as independent; its correction by Nadeau & Bengio (2003); the
        Bayesian correlated t-test of Corani & Benavoli (2015); for m×2 designs the t of half contrasts, as in
        ``compare(ev, target="method")``, and the block-regularised t-test of Wang et al. (2014); for five repeats the
        5×2 t-test of Dietterich (1998) and the 5×2 F-test of Alpaydin (1999); and, where it is known who was right on
        each item, McNemar's test on all folds of Yang et al. (2023).

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> tests = fold_tests(load_example("wang-li-ner"))
    >>> round(tests["m×2 BCV t"].p_value, 3)
    0.462

    Scores that others computed are rows of a frame:

    >>> import pandas as pd
    >>> from bayesf1 import from_frame
    >>> scores = {"A": [0.81, 0.78, 0.80, 0.79, 0.82], "B": [0.83, 0.80, 0.83, 0.80, 0.82]}
    >>> rows = [(model, fold, f1) for model in scores for fold, f1 in enumerate(scores[model])]
    >>> ev = from_frame(pd.DataFrame(rows, columns=["model", "fold", "f1"]), score="f1")
    >>> round(fold_tests(ev)["Bayesian correlated t"].p_greater, 3)
    0.948
    """
    margin = check_rope(rope).high
    pair = ev.pair(a, b)
    folds = pair.folds
    if folds is None:
        raise ValueError(
            "fold tests need folds, which this evaluation does not have; build it with cross_validate, from_folds, or "
            "from_frame(…, fold=)"
        )
    resolved = resolve_metric(metric, pair)
    # Axes (repeat, fold, model) to (repeat, fold).
    scores = resolved(folds.counts, pair.cells)
    differences = scores[..., 1] - scores[..., 0]
    halved = isinstance(folds.cv, BlockedCV)
    tests = _tests(differences, margin, resolved.sign, halved=halved)
    if halved:
        tests += _mcnemar(pair, folds)
    return FoldTests(pair.models[0], pair.models[1], resolved.label, differences, tuple(tests), margin)


def _tests(d: FloatArray, margin: float, sign: float, *, halved: bool) -> list[FoldTest]:
    """Return the tests of differences of fold scores, axes (repeat, fold).

    Parameters
    ----------
    d
        The differences, B minus A.
    margin
        The margin by which B must be better in the Bayesian tests.
    sign
        -1 if the better model has the lower score, else 1.
    halved
        Whether folds are the halves of a block-regularised design.
    """
    if np.ptp(d) < 1e-12 and abs(d[0, 0]) >= 1e-12:
        raise ValueError(
            f"the difference is {d[0, 0]:.4g} in all folds, which does not show how much it varies; give more folds"
        )
    n_folds = d.shape[1]
    mean = float(d.mean())
    variance = float(d.var(ddof=1))
    df = d.size - 1
    # Nadeau & Bengio (2003): the reciprocal of the number of folds, plus n_test/n_train, which is 1/(K - 1).
    corrected = variance * (1.0 / d.size + 1.0 / (n_folds - 1))
    # Corani & Benavoli (2015): the posterior of the mean difference is a t distribution with the corrected variance.
    t = standardised(sign * mean - margin, corrected)
    p_greater = float(special.stdtr(df, t))
    tests = [
        t_test(
            "paired t over folds", mean, variance / d.size, df, "takes folds as independent; overconfident"
        ),
        t_test("corrected resampled t", mean, corrected, df, "Nadeau & Bengio (2003)"),
        FoldTest("Bayesian correlated t", t, (df,), None, p_greater, "Corani & Benavoli (2015)"),
    ]
    if halved:
        tests.append(_half_contrasts(d, margin, sign))
    if n_folds == 2:
        # Wang et al. (2014): the conservative estimate of the variance of the mean, Σ(d - mean)²/2m, 2m - 1 df.
        tests.append(t_test("m×2 BCV t", mean, float(d.var()), df, "Wang et al. (2014)"))
    if d.shape == (5, 2):
        tests += _five_by_two(d)
    return tests


def _half_contrasts(d: FloatArray, margin: float, sign: float) -> FoldTest:
    """Return the t-test by the contrasts of the halves of an m×2 design, from differences (repeat, half).

    Halves from Hadamard columns have orthogonal contrasts, so no correlation has to be assumed.
    """
    m = len(d)
    mean = float(d.mean())
    # Contrasts of one "model", whose scores are the differences.
    variance = Contrasts.of_halves(d[..., None]).scale([1.0]) ** 2
    test = t_test("t of half contrasts", mean, variance, m, "for the training method; assumes no correlation")
    p_greater = float(special.stdtr(m, standardised(sign * mean - margin, variance)))
    return replace(test, p_greater=p_greater)


def _five_by_two(d: FloatArray) -> list[FoldTest]:
    """Return the tests of five repeats of two folds, from differences (repeat, fold)."""
    variances = d.var(axis=1, ddof=1)
    # Dietterich (1998), Eq. 6: the first difference over the root mean of the repeats' variances.
    dietterich = t_test("5×2 cv t", float(d[0, 0]), float(variances.mean()), 5, "Dietterich (1998)")
    # Alpaydin (1999), Eq. 3.
    above = float((d * d).sum())
    below = 2.0 * float(variances.sum())
    f = 0.0 if above == 0.0 else np.inf
    if below > 0.0:
        f = above / below
    p_value = float(special.fdtrc(10, 5, f)) if np.isfinite(f) else 0.0
    return [dietterich, FoldTest("5×2 cv F", f, (10, 5), p_value, None, "Alpaydin (1999)")]


def _mcnemar(pair: Evaluation, folds: Folds) -> list[FoldTest]:
    r"""Return McNemar's test on all folds, or nothing if it is not known who was right on each item.

    The 2m tables of who was right are correlated by at most ½, as :math:`\rho_1` and :math:`\rho_2` of the discount: their
    sum times k = 1/(1 + ½ + (m - 1)), which for m = 5 is their mean times 20/11, is worth one table. Its statistic is
    :math:`(|n_{01} - n_{10}| - 1)^2 / (n_{01} + n_{10})`, with the correction for continuity as in Dietterich (1998).
    """
    units = folds.units
    if units is None or not units.single:
        return []
    try:
        distribution = resolve_metric("accuracy", pair).distribution
    except ValueError:
        return []
    if not isinstance(distribution, Proportion):
        return []
    success = np.array([cell in distribution.successes for cell in pair.cells], dtype=float)
    n_repeats, n_folds, *_ = folds.counts.shape
    right_a = _right(units, n_repeats * n_folds, np.kron([1.0, 0.0], success))
    right_b = _right(units, n_repeats * n_folds, np.kron([0.0, 1.0], success))
    k = folds.cv.discount((0.5, 0.5))
    only_a = k * float(units.weights @ (right_a * (1.0 - right_b)).sum(axis=1))
    only_b = k * float(units.weights @ (right_b * (1.0 - right_a)).sum(axis=1))
    discordant = only_a + only_b
    statistic = 0.0
    if discordant > 0.0:
        statistic = max(abs(only_b - only_a) - 1.0, 0.0) ** 2 / discordant
    p_value = float(special.chdtrc(1, statistic))
    reference = "Yang et al. (2023); accuracy, corrected for continuity"
    return [FoldTest("m×2 BCV McNemar", statistic, (1,), p_value, None, reference)]


def _right(units: Units, n_tables: int, success: FloatArray) -> FloatArray:
    """Return whether a model was right on a unit of each pattern in each fold, axes (pattern, fold).

    It is 0 in folds that did not test the unit, too. `success` has 1 in the model's cells of success in the table of a
    fold, axes (model·cell,).
    """
    return np.asarray(units.rows @ np.kron(np.eye(n_tables), success[:, None]))


def standardised(mean: float, variance: float) -> float:
    """Return a mean in standard errors; without any variation it is infinite, or 0 if there is no difference."""
    if variance > 0.0:
        return float(mean / np.sqrt(variance))
    if mean == 0.0:
        return 0.0
    return float(np.copysign(np.inf, mean))


def t_test(name: str, mean: float, variance: float, df: float, reference: str) -> FoldTest:
    """Return a two-sided t-test of a mean with its variance."""
    t = standardised(mean, variance)
    p_value = float(2.0 * special.stdtr(df, -abs(t)))
    return FoldTest(name, t, (round(df),), p_value, None, reference)
