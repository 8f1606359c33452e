"""Tests on the scores of several runs of two methods, where no predictions are at hand.

Runs are trainings that know nothing of each other, so that their scores are independent. All of them met the same test
items, though, which such tests forget: `compare` of predictions has both sources of doubt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import checked
from bayesf1.base.naming import listing, shown
from bayesf1.base.number_columns import numbers_of
from bayesf1.base.table import points, printable
from bayesf1.bayes.rope import RopeLike, check_rope
from bayesf1.crossval.fold_tests import FoldTest, FoldTests, standardised, t_test
from bayesf1.evaluation.evaluation import model_names


@dataclass(frozen=True)
class RunTests(FoldTests):
    """Tests on the scores of runs, for one pair of methods; `differences` are B's scores minus A's mean."""

    json_format = "bayesf1.run-tests/1"

    @property
    def title(self) -> str:
        """What was tested, and how many runs of the second method there are."""
        return printable(
            f"{self.label} of {self.model_b} minus {self.model_a} over runs: mean "
            f"{points(float(self.differences.mean()), 2, sign=True, percent=self.shares)}{' points' if self.shares else ''}"
        )

    @property
    def below(self) -> tuple[str, ...]:
        """What these tests forget."""
        return (
            "All runs were tested on the same items, which these tests ignore; compare() of predictions does not.",
        )


@checked
def run_tests(
    scores: Mapping[str, ArrayLike],
    a: str | None = None,
    b: str | None = None,
    *,
    name: str = "Score",
    rope: RopeLike = 0.0,
    lower_is_better: bool = False,
) -> RunTests:
    r"""Test the scores of several runs of two methods.

    Parameters
    ----------
    scores
        Mapping of method to the scores of its runs, at least two; numbers of runs may differ.
    a, b
        Names of the methods; may be left out where there are exactly two.
    name
        What the scores are called in print.
    rope
        Half-width of practical equivalence, for the Bayesian test.
    lower_is_better
        Whether the method with the lower scores is the better one.

    Returns
    -------
    RunTests
        Student's t-test, Welch's, which does not take the methods' spreads as alike, and the probability that B is
        better: under a flat prior the posterior of the difference is Student's t law.

    Examples
    --------
    >>> tests = run_tests({"crf": [0.81, 0.80, 0.82], "bert": [0.83, 0.86, 0.84, 0.85]}, name="F1")
    >>> round(tests["Welch's t"].p_value, 4), round(tests["Bayesian t"].p_greater, 4)
    (0.0101, 0.9941)
    """
    names = model_names(scores)
    pair = names if a is None and b is None else (a, b)
    if len(pair) != 2 or any(one not in names for one in pair):
        raise ValueError(f"name two of the methods {listing(names)} to compare, not {shown(pair)}")
    first, second = (_runs(scores[str(one)], str(one)) for one in pair)
    margin, sign = check_rope(rope).high, -1.0 if lower_is_better else 1.0
    gap = float(second.mean() - first.mean())
    n = np.array([len(first), len(second)])
    variances = np.array([first.var(ddof=1), second.var(ddof=1)])
    df = int(n.sum()) - 2
    pooled = float(((n - 1) @ variances) / df * (1.0 / n).sum())
    each = variances / n
    # Welch and Satterthwaite: degrees of freedom of a sum of variances that may differ.
    welch = float(each.sum() ** 2 / ((each**2) / (n - 1)).sum()) if each.any() else float(df)
    tests = (
        t_test("Student's t", gap, pooled, df, "runs alone, spreads alike"),
        t_test("Welch's t", gap, float(each.sum()), welch, "runs alone; Welch (1947)"),
        FoldTest(
            "Bayesian t",
            standardised(sign * gap - margin, pooled),
            (df,),
            None,
            float(special.stdtr(df, standardised(sign * gap - margin, pooled))),
            "runs alone, flat prior",
        ),
    )
    return RunTests(str(pair[0]), str(pair[1]), name, second - first.mean(), tests)


def _runs(values: ArrayLike, method: str) -> FloatArray:
    array = numbers_of(values, f"scores of {method!r}", remedy="are no array of numbers")
    if array.ndim != 1 or len(array) < 2 or not np.isfinite(array).all():
        raise ValueError(
            f"scores of {method!r} are finite numbers, one for each of at least two runs, not {shown(values)}"
        )
    return array
