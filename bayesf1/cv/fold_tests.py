"""Tests on scores of folds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import is_whole, numbers_of
from bayesf1.base.naming import listing, quoted
from bayesf1.designs import BlockedCV, KFoldCV
from bayesf1.evaluation import Evaluation, model_names, resolve_metric
from bayesf1.inference.comparison import RopeLike, check_rope
from bayesf1.metrics import MetricLike, Proportion
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import fold_tests as words
from bayesf1.output.words.signature import in_one_line
from bayesf1.sampling.training import Contrasts
from bayesf1.units import Folds


@dataclass(frozen=True)
class FoldTest:
    """One test on fold scores.

    Attributes
    ----------
    name
        What the test is called.
    statistic
        Its t, F or χ² statistic.
    df
        Degrees of freedom, two for an F-test.
    p_value
        Two-sided p-value of no difference; None for a test that is Bayesian alone.
    p_greater
        Probability that B is better by more than the ROPE, for a test that is Bayesian, too; None for the others.
    reference
        Where it comes from.
    """

    name: str
    statistic: float
    df: tuple[int, ...]
    p_value: float | None
    p_greater: float | None
    reference: str


@dataclass(frozen=True, repr=False)
class FoldTests(Answer):
    """All tests that a cross-validation allows, for one pair of models and one measure."""

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
        """Whether scores look like shares, which are told in points; those in percent differ by more than 1."""
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
        return in_one_line(
            metric=self.label, folds=self.differences.shape, tests=tests, rope=self.rope or None
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
    ev: Evaluation | Mapping[str, Any],
    a: str | None = None,
    b: str | None = None,
    metric: MetricLike | None = None,
    *,
    cv: BlockedCV | KFoldCV | int | None = None,
    rope: RopeLike = 0.0,
) -> FoldTests:
    r"""Apply the classical tests to the fold scores of two models.

    Parameters
    ----------
    ev
        An evaluation with folds, from `from_folds`, `read` or `cross_validate`; or a mapping of models to the
        scores of their folds, arrays (repeat·fold,) or (repeat, fold), the higher the better, such as ``test_score`` of
        what scikit-learn's `cross_validate` returned. Scores of folds know nothing of items, so that these tests are all
        that can be said of them.
    a, b
        Names of the models; may be left out where there are exactly two.
    metric
        The metric that is scored in each fold, F1 by default; of scores that are given, only their name.
    cv
        The design of scores that are given, or the number of folds.
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
    >>> scores = {"A": [0.81, 0.78, 0.80, 0.79, 0.82], "B": [0.83, 0.80, 0.83, 0.80, 0.82]}
    >>> round(fold_tests(scores, cv=KFoldCV(5))["Bayesian correlated t"].p_greater, 3)
    0.948
    """
    margin = check_rope(rope).high
    if isinstance(ev, Mapping):
        design = KFoldCV(cv) if isinstance(cv, int) and is_whole(cv) else cv
        if not isinstance(design, BlockedCV | KFoldCV):
            raise ValueError(f"scores of folds need their design, such as cv=KFoldCV(10), not {cv!r}")
        a, b = _two_of(ev, a, b)
        first, second = (_scores(ev[name], name, design) for name in (a, b))
        d = second - first
        label = "Score" if metric is None else metric if isinstance(metric, str) else quoted(metric)
        tests = _tests(d, margin, 1.0, halved=isinstance(design, BlockedCV))
        return FoldTests(a, b, label, d, tuple(tests), margin)
    if cv is not None:
        raise ValueError("cv= is the design of scores that are given; an evaluation knows its own")
    pair = ev.pair(a, b)
    folds = pair.folds
    if folds is None:
        raise ValueError("fold tests need the tables of folds; build the evaluation by from_folds")
    metric, halved = resolve_metric(metric, pair), isinstance(folds.cv, BlockedCV)
    d = np.diff(metric(folds.counts, pair.cells))[..., 0]
    tests = _tests(d, margin, metric.sign, halved=halved)
    if halved:
        tests += _mcnemar(pair, folds)
    return FoldTests(pair.models[0], pair.models[1], metric.label, d, tuple(tests), margin)


def _two_of(scores: Mapping[str, Any], a: str | None, b: str | None) -> tuple[str, str]:
    """Return the names of the two models that are compared."""
    names = model_names(scores)
    pair = names if a is None and b is None else (a, b)
    if len(pair) != 2 or any(name not in names for name in pair):
        raise ValueError(f"the models to compare are two of {listing(names)}, not {quoted(pair)}")
    return str(pair[0]), str(pair[1])


def _scores(values: Any, name: str, cv: BlockedCV | KFoldCV) -> FloatArray:
    """Return a model's scores of folds, axes (repeat, fold)."""
    array = numbers_of(values, f"scores of {name!r}", remedy="are not an array of numbers")
    if array.shape not in (cv.shape, (cv.get_n_splits(),)) or not np.isfinite(array).all():
        wanted = f"of shape {cv.shape}, as {cv} has folds"
        raise ValueError(f"scores of {name!r} must be finite numbers {wanted}, not {quoted(values)}")
    return array.reshape(cv.shape)


def _tests(d: FloatArray, margin: float, sign: float, *, halved: bool) -> list[FoldTest]:
    """Return the tests of differences of fold scores, axes (repeat, fold)."""
    if np.ptp(d) < 1e-12 and abs(d[0, 0]) >= 1e-12:
        raise ValueError(
            f"the difference is {d[0, 0]:.4g} in all folds, which does not show how much it varies; give more folds"
        )
    mean, variance, df = float(d.mean()), float(d.var(ddof=1)), d.size - 1
    # Nadeau & Bengio (2003): the number of folds' reciprocal plus n_test/n_train, which are as 1 to K - 1.
    corrected = variance * (1.0 / d.size + 1.0 / (d.shape[1] - 1))
    # Corani & Benavoli (2015): the posterior of the mean difference is a t distribution with the corrected variance.
    t = standardised(sign * mean - margin, corrected)
    p = float(special.stdtr(df, t))
    tests = [
        t_test(
            "paired t over folds", mean, variance / d.size, df, "takes folds as independent; overconfident"
        ),
        t_test("corrected resampled t", mean, corrected, df, "Nadeau & Bengio (2003)"),
        FoldTest("Bayesian correlated t", t, (df,), None, p, "Corani & Benavoli (2015)"),
    ]
    if halved:
        # Halves of Hadamard columns: contrasts are orthogonal, and no correlation has to be guessed.
        square, m = Contrasts.of_halves(d[..., None]).scale([1.0]) ** 2, len(d)
        own = t_test(
            "t of half contrasts", mean, square, m, "for the training method; assumes no correlation"
        )
        p = float(special.stdtr(m, standardised(sign * mean - margin, square)))
        tests.append(replace(own, p_greater=p))
    if d.shape[1] == 2:
        # Wang et al. (2014): the conservative estimate of the variance of the mean, Σ(d - mean)²/2m, 2m - 1 df.
        tests.append(t_test("m×2 BCV t", mean, float(d.var()), df, "Wang et al. (2014)"))
    if d.shape == (5, 2):
        spread = d.var(axis=1, ddof=1)
        # Dietterich (1998), Eq. 6: the first difference over the root mean of the repeats' variances.
        tests.append(t_test("5×2 cv t", float(d[0, 0]), float(spread.mean()), 5, "Dietterich (1998)"))
        # Alpaydin (1999), Eq. 3.
        total, twice = float((d * d).sum()), 2.0 * float(spread.sum())
        f = total / twice if twice > 0.0 else (0.0 if total == 0.0 else np.inf)
        p = float(special.fdtrc(10, 5, f)) if np.isfinite(f) else 0.0
        tests.append(FoldTest("5×2 cv F", f, (10, 5), p, None, "Alpaydin (1999)"))
    return tests


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
    succeeded = np.array([cell in distribution.successes for cell in pair.cells], dtype=float)
    # Which of the two was right in each fold, axes (pattern, fold): none where the item was not tested.
    first, second = (
        units.rows @ np.kron(np.eye(folds.counts[..., 0, 0].size), np.kron(one, succeeded)[:, None])
        for one in np.eye(2)
    )
    k = folds.cv.discount((0.5, 0.5))
    only_first, only_second = (
        k * float(units.weights @ (x * (1.0 - y)).sum(axis=1)) for x, y in ((first, second), (second, first))
    )
    apart = only_first + only_second
    statistic = max(abs(only_second - only_first) - 1.0, 0.0) ** 2 / apart if apart else 0.0
    p, reference = (
        float(special.chdtrc(1, statistic)),
        "Yang et al. (2023); accuracy, corrected for continuity",
    )
    return [FoldTest("m×2 BCV McNemar", statistic, (1,), p, None, reference)]


def standardised(mean: float, variance: float) -> float:
    """Return a mean in standard errors; scores that do not vary at all leave no doubt, or no difference."""
    if variance > 0.0:
        return float(mean / np.sqrt(variance))
    return 0.0 if mean == 0.0 else float(np.copysign(np.inf, mean))


def t_test(name: str, mean: float, variance: float, df: float, reference: str) -> FoldTest:
    """Return a two-sided t-test of a mean with its variance."""
    t = standardised(mean, variance)
    return FoldTest(name, t, (round(df),), float(2.0 * special.stdtr(df, -abs(t))), None, reference)
