"""Randomisation tests: would two models differ as much if chance had decided which output is whose?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import (
    Numbers,
    RNGLike,
    check_prob,
    check_rng,
    check_whole,
    checked,
    start_of,
)
from bayesf1.base.naming import nearest, plural
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.gaps import check_no_gaps
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.runs import check_one_run
from bayesf1.evaluation.scoring import find_measure
from bayesf1.frequentist.binomial import binomial_clopper_pearson
from bayesf1.frequentist.randomization_answer import RandomizationTest
from bayesf1.frequentist.swaps import Statistic, Swaps, merge_mirrored
from bayesf1.reading.score_columns import from_scores

ALTERNATIVES = ("two-sided", "greater", "less")
METHODS = ("auto", "exact", "montecarlo")

# Scores closer than this, relative to their size, are tied; rounding must not break a tie.
_TIE = 1e-12
# Entries up to which sparse patterns are made dense.
_DENSE = 1 << 26


@checked
def randomization_test(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    metric: MetricLike | None = None,
    *,
    alternative: str = "two-sided",
    method: str = "auto",
    n_trials: int = 10_000,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> RandomizationTest:
    r"""Test whether two models differ in any measure, by swapping their outputs on whole units.

    If both models were the same, their outputs on a unit (an item, a sentence, a document) could be swapped. Only
    the number of swaps in each kind of unit matters, which is :math:`\mathrm{Binomial}(n, 1/2)`; where the possible
    sums are few enough the p-value is exact, else :math:`p = (k+1)/(N+1)` from N random trials. For accuracy on
    items this is McNemar's exact test.

    Parameters
    ----------
    ev
        An evaluation that knows its units; totals alone will not do.
    a, b
        Names of the models; may be left out where there are exactly two.
    metric
        Name of a measure, or a callable on tables (..., cell); F1 by default.
    alternative
        ``"two-sided"`` looks at the size of the difference, ``"greater"`` asks whether B is better than A,
        ``"less"`` whether it is worse.
    method
        ``"exact"``, ``"montecarlo"``, or ``"auto"``: exact where that takes about a second at most.
    n_trials
        Number of random trials, where they are made.
    confidence_level
        Level of the interval that tells how far the random trials leave the p-value open.
    rng
        Source of randomness: a Generator or an integer.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> gold = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
    >>> ev = from_labels(gold, {"A": [0, 0, 0, 0, 0, 1, 0, 0, 0, 1], "B": [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]}, positive=1)
    >>> randomization_test(ev, metric="accuracy").p_value
    0.03125

    References
    ----------
    Yeh (2000), *More accurate tests for the statistical significance of result differences*, COLING;
    McNemar (1947), Psychometrika 12.
    """
    measure = find_measure(metric, ev)
    ev = ev.pair(a, b)
    check_one_run(ev, "a randomisation test")
    check_no_gaps(ev, "a randomisation test")
    swaps, statistic, n_units = _arrange(ev, measure)
    score_a, score_b = (float(x) for x in measure(ev.tables, ev.cells))
    for what, value, known in (("alternative", alternative, ALTERNATIVES), ("method", method, METHODS)):
        if value not in known:
            raise ValueError(f"unknown {what} {value!r}; {nearest(str(value), known)}")
    n = check_whole(n_trials, "n_trials", 1, 9)
    check_prob(confidence_level, "confidence_level")
    observed, slack = score_b - score_a, _TIE * max(abs(score_a), abs(score_b))
    turned = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]
    sign = measure.sign

    def extreme(sums: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(turned(sign * statistic(sums)) >= turned(sign * observed) - slack)

    p_value = None if method == "montecarlo" else swaps.exact_share(extreme)
    exact = p_value is not None
    if p_value is not None:
        # Beyond a thousand coins the smallest probabilities are smaller than the smallest number.
        p_value = low = high = float(np.clip(p_value, np.finfo(float).tiny, 1.0))
    elif method == "exact":
        raise ValueError(
            f"{swaps.counts.sum():,.0f} units in {len(swaps.counts):,} kinds are too many to count all swaps; "
            "use method 'auto' or 'montecarlo'"
        )
    else:
        k = sum(int(extreme(sums).sum()) for sums in swaps.trials(n, check_rng(rng)))
        p_value = (k + 1) / (n + 1)
        low, high = binomial_clopper_pearson(k, n - k, confidence_level=confidence_level)
    return RandomizationTest(
        metric=measure.name,
        label=measure.label,
        percent=measure.percent,
        model_a=ev.models[0],
        model_b=ev.models[1],
        score_a=score_a,
        score_b=score_b,
        alternative=alternative,
        p_value=p_value,
        exact=exact,
        n_trials=0 if exact else n,
        interval=(low, high),
        confidence_level=confidence_level,
        unit=ev.unit,
        n_units=n_units,
        n_discordant=int(swaps.counts.sum()),
        lower_is_better=measure.lower_is_better,
        start=None if exact else start_of(rng),
    )


@checked
def randomization_test_scores(
    a: Numbers,
    b: Numbers,
    *,
    lower_is_better: bool = False,
    alternative: str = "two-sided",
    method: str = "auto",
    n_trials: int = 10_000,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> RandomizationTest:
    """Test whether two models' mean scores differ, given a score of either on every unit.

    Parameters
    ----------
    a, b
        Scores of the two models on the same units, in the same order, such as BLEU or a rating of each sentence.
    lower_is_better
        Whether the better model has the lower scores, as with losses.
    alternative, method, n_trials, confidence_level, rng
        As in `randomization_test`.

    Examples
    --------
    Padó's example: on six of seven units the second model is better, so 2 of 64 swaps are as extreme.

    >>> test = randomization_test_scores([1, 2, 1, 2, 2, 2, 0], [4, 5, 5, 4, 3, 2, 1])
    >>> test.p_value, test.exact
    (0.03125, True)

    References
    ----------
    Padó (2006), *User's guide to sigf: significance testing by approximate randomisation*.
    """
    return randomization_test(
        from_scores({"A": a, "B": b}, unit="unit", lower_is_better=lower_is_better),
        metric="mean",
        alternative=alternative,
        method=method,
        n_trials=n_trials,
        confidence_level=confidence_level,
        rng=rng,
    )


def _arrange(ev: Evaluation, measure: Metric) -> tuple[Swaps, Statistic, int]:
    """Return what swaps move, the difference of the scores as a function of it, and the number of units."""
    if ev.units is None or not ev.units.shared or ev.shape:
        raise ValueError(
            "a randomisation test swaps the models' outputs on single units, but only totals are known; build the "
            "evaluation from predictions (from_labels, from_tags, from_frame)"
        )
    weights = ev.units.weights
    if ev.folds is not None:
        if (repeats := len(ev.folds.counts)) > 1:
            raise ValueError(
                f"every {ev.unit} occurs in {repeats} repeats of the cross-validation, so its swaps are not "
                "independent of each other; test a single repeat"
            )
        # Each unit was predicted once, so what a discount took away is given back.
        weights = weights / ev.folds.k
    whole = np.rint(weights)
    if not np.allclose(weights, whole, rtol=0.0, atol=1e-6):
        odd = weights[np.argmax(np.abs(weights - whole))]
        raise ValueError(
            f"there are {odd:g} {plural(ev.unit)} of one kind; only whole {plural(ev.unit)} can be swapped"
        )
    sums, score = ev.kind.sums(measure)
    tables = ev.tables if ev.folds is None else ev.tables / ev.folds.k
    middle = 0.5 * (tables[0] + tables[1]) @ sums
    flat, n_cells = ev.units.rows, len(ev.cells)
    net = (flat[:, n_cells:] - flat[:, :n_cells]) @ sums

    def statistic(moved: FloatArray) -> FloatArray:
        return score(middle + moved) - score(middle - moved)

    if isinstance(net, np.ndarray) or net.shape[0] * net.shape[1] <= _DENSE:
        swaps = merge_mirrored(net if isinstance(net, np.ndarray) else net.toarray(), whole)
    else:
        changed = np.flatnonzero(np.asarray(abs(net).sum(axis=1)).ravel())
        swaps = Swaps(net[changed], whole[changed])
    return swaps, statistic, int(whole.sum())
