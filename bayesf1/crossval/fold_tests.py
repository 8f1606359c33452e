r"""The t- and F-tests on fold scores that reviewers know, beside one another.

All work on the differences :math:`d_{jk}` of two models' scores in fold k of repeat j; none knows that scores
are bounded, or how many items a fold holds. They stand here for comparison with the Bayes test. Where it is known who was
right on each item, McNemar's test on all folds joins them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayesf1.base.answer import Answer
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import checked, is_whole
from bayesf1.base.multiplicity import adjusted
from bayesf1.base.naming import listing, shown
from bayesf1.base.number_columns import numbers_of
from bayesf1.base.table import Table, points, printable, probability
from bayesf1.bayes.rope import RopeLike, check_rope
from bayesf1.crossval.fold_results import read_results
from bayesf1.designs.design import BlockedCV, KFoldCV
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation, model_names
from bayesf1.evaluation.metric import MetricLike, Proportion
from bayesf1.evaluation.retraining import Contrasts
from bayesf1.evaluation.scoring import find_measure


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
        several = sum(test.p_value is not None for test in self.tests) > 1
        rows = tuple(
            (
                test.name,
                f"{test.statistic:.3f}".replace("-", "−"),
                ", ".join(map(str, test.df)),
                *(
                    "" if p is None else probability(p)
                    for p in (test.p_value, *(more if several else ()), test.p_greater)
                ),
                test.reference,
            )
            for test, more in zip(self.tests, self._adjusted, strict=True)
        )
        corrected = ("p (Holm)", "p (BH)") if several else ()
        header = ("Test", "Statistic", "df", "p", *corrected, f"P({self.model_b} better)", "Reference")
        spare = (*((name,) for name in reversed(corrected)), ("Reference",))
        return Table(header, rows, spare=spare)

    @property
    def _adjusted(self) -> list[tuple[float | None, float | None]]:
        """Holm's p-values, and those of Benjamini and Hochberg, for whoever would report the smallest of all."""
        return adjusted([test.p_value for test in self.tests])

    @property
    def title(self) -> str:
        """What was tested, and how the folds differ."""
        mean, sd = self.differences.mean(), self.differences.std(ddof=1)
        return printable(
            f"{self.label} of {self.model_b} minus {self.model_a} in {self.differences.size} folds: "
            f"mean {points(mean, 2, sign=True, percent=self.shares)}, sd {points(sd, 2, percent=self.shares)}"
            f"{' points' if self.shares else ''}"
        )

    @property
    def shares(self) -> bool:
        """Whether scores look like shares, which are told in points; those in percent differ by more than 1."""
        return bool(np.abs(self.differences).max() <= 1.0)

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each test; folds that all differ alike have no finite statistic."""
        return [
            {
                **asdict(test),
                "statistic": test.statistic if np.isfinite(test.statistic) else None,
                "df": test.df[0],
                "df_denominator": test.df[1] if len(test.df) > 1 else None,
                "p_holm": more[0],
                "p_bh": more[1],
            }
            for test, more in zip(self.tests, self._adjusted, strict=True)
        ]


@checked
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
        An evaluation with folds, from `from_folds`, `read_counts` or `cross_validate`; or a mapping of models to the
        scores of their folds, arrays (repeat·fold,) or (repeat, fold), the higher the better, or what scikit-learn's
        `cross_validate` returned for each model. Scores of folds know nothing of items, so that these tests are all that
        can be said of them.
    a, b
        Names of the models; may be left out where there are exactly two.
    metric
        The measure that is scored in each fold, F1 by default; of scores that are given, only their name, and of what
        `cross_validate` returned with several scorers, which of them.
    cv
        The design of scores that are given, or the number of folds; it may be left out where `cross_validate` was asked
        for ``return_indices=True``.
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
        given, cv = read_results(ev, metric, cv)
        design = KFoldCV(cv) if isinstance(cv, int) and is_whole(cv) else cv
        names, d = _given(given, a, b, design)
        halved = isinstance(design, BlockedCV)
        return _tested(
            names,
            "Score" if metric is None else metric if isinstance(metric, str) else shown(metric),
            d,
            margin,
            1.0,
            halved=halved,
            more=(),
        )
    check_evaluation(ev)
    if cv is not None:
        raise ValueError("cv= is the design of scores that are given; an evaluation knows its own")
    if ev.folds is None:
        raise ValueError("fold tests need the tables of folds; build the evaluation by from_folds")
    pair = ev.pair(a, b)
    measure = find_measure(metric, pair)
    folds = pair.folds
    assert folds is not None
    scores = measure(folds.counts, pair.cells)
    halved = isinstance(folds.cv, BlockedCV)
    return _tested(
        (pair.models[0], pair.models[1]),
        measure.label,
        scores[..., 1] - scores[..., 0],
        margin,
        measure.sign,
        halved=halved,
        more=tuple(_mcnemar(pair)) if halved else (),
    )


def _given(
    scores: Mapping[str, ArrayLike], a: str | None, b: str | None, cv: BlockedCV | KFoldCV | int | None
) -> tuple[tuple[str, str], FloatArray]:
    """Return the names of two models, and the differences of their fold scores, axes (repeat, fold)."""
    names = model_names(scores)
    if not isinstance(cv, BlockedCV | KFoldCV):
        raise ValueError(f"scores of folds need their design, such as cv=KFoldCV(10), not {cv!r}")
    pair = names if a is None and b is None else (a, b)
    if len(pair) != 2 or any(name not in names for name in pair):
        raise ValueError(f"name two of the models {listing(names)} to compare, not {shown(pair)}")
    found = []
    for name in pair:
        array = numbers_of(scores[str(name)], f"scores of {name!r}", remedy="are no array of numbers")
        if array.shape not in (cv.shape, (cv.get_n_splits(),)) or not np.isfinite(array).all():
            raise ValueError(
                f"scores of {name!r} have shape {array.shape}, but {cv} has {cv.get_n_splits()} folds: give as many finite "
                f"numbers, repeat by repeat, or an array {cv.shape}"
            )
        found.append(array.reshape(cv.shape))
    return (str(pair[0]), str(pair[1])), found[1] - found[0]


def _tested(
    names: tuple[str, str],
    label: str,
    d: FloatArray,
    margin: float,
    sign: float,
    *,
    halved: bool,
    more: tuple[FoldTest, ...],
) -> FoldTests:
    mean, variance, df = float(d.mean()), float(d.var(ddof=1)), d.size - 1
    # Nadeau & Bengio (2003): the number of folds' reciprocal plus n_test/n_train, which are as 1 to K - 1.
    corrected = variance * (1.0 / d.size + 1.0 / (d.shape[1] - 1))
    # Corani & Benavoli (2015): the posterior of the mean difference is a t law with the corrected variance.
    t = standardised(sign * mean - margin, corrected)
    p = float(special.stdtr(df, t))
    tests = [
        t_test("paired t over folds", mean, variance / d.size, df, "folds as independent; too sure"),
        t_test("corrected resampled t", mean, corrected, df, "Nadeau & Bengio (2003)"),
        FoldTest("Bayesian correlated t", t, (df,), None, p, "Corani & Benavoli (2015)"),
    ]
    if halved:
        # Halves of Hadamard columns: contrasts are orthogonal, and no correlation has to be guessed.
        square, m = Contrasts.of_halves(d[..., None]).scale([1.0]) ** 2, len(d)
        own = t_test(
            "t of half contrasts", mean, square, m, "for the way of training; no correlation guessed"
        )
        tests.append(
            replace(own, p_greater=float(special.stdtr(m, standardised(sign * mean - margin, square))))
        )
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
    return FoldTests(names[0], names[1], label, d, (*tests, *more))


def _mcnemar(pair: Evaluation) -> Iterator[FoldTest]:
    r"""Yield McNemar's test on all folds, where it is known who was right on each item.

    The 2m tables of who was right are correlated by at most ½, as :math:`\rho_1` and :math:`\rho_2` of the discount: their
    sum times k = 1/(1 + ½ + (m - 1)), which for m = 5 is their mean times 20/11, is worth one table. Its statistic is
    :math:`(|n_{01} - n_{10}| - 1)^2 / (n_{01} + n_{10})`, with the correction for continuity as in Dietterich (1998).
    """
    folds = pair.folds
    assert folds is not None
    units = folds.units
    if units is None or not units.single:
        return
    try:
        law = find_measure("accuracy", pair).law
    except ValueError:
        return
    if not isinstance(law, Proportion):
        return
    succeeded = np.array([cell in law.successes for cell in pair.cells], dtype=float)
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
    p = float(special.chdtrc(1, statistic))
    yield FoldTest(
        "m×2 BCV McNemar", statistic, (1,), p, None, "Yang et al. (2023); accuracy, corrected for continuity"
    )


def standardised(mean: float, variance: float) -> float:
    """Return a mean in standard errors; scores that do not vary at all leave no doubt, or no difference."""
    if variance > 0.0:
        return float(mean / np.sqrt(variance))
    return 0.0 if mean == 0.0 else float(np.copysign(np.inf, mean))


def t_test(name: str, mean: float, variance: float, df: float, reference: str) -> FoldTest:
    """Return a two-sided t-test of a mean with its variance."""
    t = standardised(mean, variance)
    return FoldTest(name, t, (round(df),), float(2.0 * special.stdtr(df, -abs(t))), None, reference)
