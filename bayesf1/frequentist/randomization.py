r"""The randomisation test: swap the models' outputs on units at random.

Units are merged by the net effect of a swap; of n units with one effect the number of swaps is binomial.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy import special, stats

from bayesf1.base.arrays import BoolArray, FloatArray, IntArray, blocks_of, distinct_rows
from bayesf1.base.checks import RNGLike, check_prob, check_rng, check_whole, start_of
from bayesf1.base.naming import check_known, plural
from bayesf1.evaluation import Evaluation, check_all_labelled, check_one_run, defined_scores, resolve_metric
from bayesf1.frequentist.closed_intervals import binomial_clopper_pearson
from bayesf1.metrics import Metric, MetricLike
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import randomization as words
from bayesf1.output.words.prose import formatted
from bayesf1.output.words.signature import in_one_line, signed_name


@dataclass(frozen=True)
class RandomizationTest(Answer):
    """The result of a randomisation test.

    Attributes
    ----------
    metric, label, percent
        Name of the metric, how it is printed, and whether in percent.
    model_a, model_b, score_a, score_b
        Names of the models and their scores.
    alternative
        ``"two-sided"``, ``"greater"`` (B is better than A) or ``"less"``.
    p_value
        Probability of a difference at least as large if chance decided which output belongs to which model; never 0.
    exact
        Whether all swaps were counted; otherwise the p-value is (k + 1)/(N + 1) from random swaps.
    n_trials
        How many random swaps were tried, N; 0 if the p-value is exact.
    interval
        Clopper-Pearson interval of the exact p-value, at `confidence_level`; a single point if it is known.
    confidence_level
        Confidence level of that interval.
    unit, n_units, n_discordant
        The name of a swapped unit, how many there are, and on how many of them the models differ for the metric.
    lower_is_better
        Whether the better model has the lower score.
    start
        The seed of random trials; None if there are no trials, or if these came from a Generator.
    p_holm, p_bh
        The p-value adjusted for other tests, by Holm and by Benjamini and Hochberg; None for a single test. See `adjust`.
    remarks
        What a reader should know about the data, in sentences.
    """

    titled = False
    stacked = True
    json_format = "bayesf1.test/1"
    json_list = ("bayesf1.tests/1", "tests")

    metric: str
    label: str
    percent: bool
    model_a: str
    model_b: str
    score_a: float
    score_b: float
    alternative: str
    p_value: float
    exact: bool
    n_trials: int
    interval: tuple[float, float]
    confidence_level: float
    unit: str
    n_units: int
    n_discordant: int
    lower_is_better: bool = False
    start: int | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    remarks: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """Score of B minus score of A."""
        return self.score_b - self.score_a

    @property
    def statistic(self) -> float:
        """The lead of B, or its size if two-sided, which is compared with its values under random swaps."""
        lead = -self.difference if self.lower_is_better else self.difference
        if self.alternative == "two-sided":
            return abs(lead)
        return lead

    @property
    def title(self) -> str:
        """The swapped units, and how many there are."""
        return words.title(self)

    @property
    def table(self) -> Table:
        """The test as a table of one row."""
        return words.table(self)

    @property
    def verdicts(self) -> Sequence[str]:
        """The sentence that the test prints as."""
        return (str(self),)

    @property
    def explained(self) -> Sequence[str]:
        """What limits the conclusion."""
        return self.remarks

    def __str__(self) -> str:
        return words.sentence(self)

    def sentence(self, *, format: str = "text") -> str:
        """Return what was found as a sentence, ``"text"`` or ``"latex"``."""
        return formatted(str(self), format)

    def signature(self) -> str:
        """Return in one line what is needed to repeat the test, with the number that trials start from."""
        drawn = {} if self.exact else {"n_trials": self.n_trials, "start": self.start}
        return in_one_line(
            metric=signed_name(self.metric, self.label),
            n_units=self.n_units,
            unit=self.unit,
            alternative=self.alternative,
            confidence_level=self.confidence_level,
            **drawn,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain numbers and strings, with stable names."""
        fields = asdict(self)
        low, high = fields.pop("interval")
        notes = fields.pop("remarks")
        return {
            **fields,
            "difference": self.difference,
            "statistic": self.statistic,
            "low": low,
            "high": high,
            "notes": list(notes),
        }


def adjust(tests: Sequence[RandomizationTest]) -> list[RandomizationTest]:
    r"""Return tests of several metrics, classes or pairs of models with p-values adjusted for each other.

    On average, one of twenty true hypotheses has p < .05. Holm's (1979) adjusted p-values keep the probability of *any* false
    claim below the level,

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min\bigl(1, (m - j + 1)\, p_{(j)}\bigr),

    and those of Benjamini and Hochberg the expected *share* of false claims, :math:`\min_{j \ge i} \min(1, m\, p_{(j)} / j)`.

    Examples
    --------
    >>> from bayesf1 import from_scores
    >>> tests = [randomization_test(from_scores({"A": [0] * n, "B": [1] * n})) for n in (6, 7, 8)]
    >>> [(test.p_value, test.p_holm) for test in adjust(tests)]
    [(0.03125, 0.03125), (0.015625, 0.03125), (0.0078125, 0.0234375)]
    """
    if len(tests) < 2:
        return [*tests]
    p_values = np.array([test.p_value for test in tests])
    order = np.argsort(p_values, kind="stable")
    hypotheses_left = np.arange(len(tests), 0, -1)
    steps = np.minimum(hypotheses_left * p_values[order], 1.0)
    holm = np.empty(len(tests))
    holm[order] = np.maximum.accumulate(steps)
    benjamini_hochberg = stats.false_discovery_control(p_values)
    return [
        replace(test, p_holm=float(p_holm), p_bh=float(p_bh))
        for test, p_holm, p_bh in zip(tests, holm, benjamini_hochberg, strict=True)
    ]


# ---- sums of the units under random swaps -----------------------------------------------------------------

# The most sums that are listed one by one, and the most additions to count them on a lattice: about a second.
_LISTED = 1 << 20
_LATTICE = 1 << 21
_WORK = 1 << 29
# Half of the effect of a swap, towards B or A, for each way to swap eight units.
_SIGNS = ((np.arange(256)[:, None] >> np.arange(8)) & 1) - 0.5
# How many of eight coins show heads, by the byte that they make.
_HEADS = (_SIGNS.sum(axis=1) + 4.0).astype(np.uint8)
_ACROSS_FOLDS = "The test takes the predictions of all folds as those of one model, so training again may change its answer."
# With more patterns than this, an area under a curve is replaced by its first-order expansion.
_FIRST_ORDER = 500


def merge_mirrored(net: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Drop the units that a swap does not change, and merge units that it changes alike, up to the sign.

    Parameters
    ----------
    net
        The contribution of a unit of each pattern to B's table minus that to A's, axes (pattern, cell).
    weights
        How many units have each pattern.

    Examples
    --------
    >>> merge_mirrored(np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]]), np.array([3.0, 2.0, 9.0]))
    (array([[ 1., -1.]]), array([5.]))
    """
    used = net.any(axis=1) & (weights > 0)
    net = net[used]
    # The first cell of a pattern that is not 0 gets a positive sign.
    first = net[np.arange(len(net)), (net != 0).argmax(axis=1)]
    turned = np.sign(first)[:, None] * net
    places, which = distinct_rows(turned)
    merged_weights = np.bincount(which, weights=weights[used], minlength=len(places))
    return turned[places], merged_weights.astype(float)


def swap_distribution(net: Any, counts: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return every sum of the units under swaps with its probability, or None if there are too many to count.

    Examples
    --------
    >>> sums, probabilities = swap_distribution(np.array([[1.0]]), np.array([3.0]))
    >>> sums.ravel(), probabilities
    (array([-1.5, -0.5,  0.5,  1.5]), array([0.125, 0.375, 0.375, 0.125]))
    """
    if not isinstance(net, np.ndarray):
        return None
    if np.log1p(counts).sum() <= math.log(_LISTED):
        return swaps_listed(net, counts)
    if np.array_equal(net, np.rint(net)):
        return swaps_on_lattice(net, counts)
    return None


def swaps_listed(net: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return every sum with its probability, one for each number of swaps of each pattern."""
    sums = np.zeros((1, net.shape[1]))
    mass = np.ones(1)
    for row, n in zip(net, counts.astype(int), strict=True):
        steps = np.arange(n + 1) - 0.5 * n
        sums = (sums[:, None, :] + steps[:, None] * row).reshape(-1, len(row))
        mass = np.multiply.outer(mass, fair_binomial(n)).ravel()
    return sums, mass


def swaps_on_lattice(net: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return every sum with its probability if sums are whole numbers and often coincide; None if it takes too long."""
    cells = _independent_columns(net, counts)
    moves = np.rint(net[:, cells]).astype(np.int64)
    times = counts.astype(np.int64)
    widths = times @ np.abs(moves) + 1
    if np.log(widths.astype(float)).sum() > math.log(_LATTICE):
        return None
    # A sum is coded as one number whose digits are the cells; patterns are turned so that a swap makes it larger.
    strides = np.cumprod(np.concatenate([[1], widths[:-1]]))
    turn = np.where(moves @ strides < 0, -1, 1)
    moves = turn[:, None] * moves
    steps = moves @ strides
    # Patterns of many units come first, while the array of sums is short.
    order = np.argsort(-times, kind="stable")
    lengths = 1 + np.concatenate([[0], np.cumsum((steps * times)[order])])
    additions = (times[order] + 1.0) * lengths[:-1]
    if additions.sum() > _WORK:
        return None
    mass = np.ones(1)
    for step, n, length in zip(steps[order], times[order], lengths[1:], strict=True):
        longer = np.zeros(length)
        for k, weight in enumerate(fair_binomial(int(n))):
            longer[k * step : k * step + len(mass)] += weight * mass
        mass = longer
    codes = np.flatnonzero(mass)
    # Codes are turned back into sums of the chosen cells, and these into all cells.
    lowest = times @ np.minimum(moves, 0)
    digits = (codes - lowest @ strides)[:, None] // strides % widths
    sums = digits + lowest - 0.5 * (times @ moves)
    to_all_cells = np.linalg.lstsq(moves.astype(float), turn[:, None] * net, rcond=None)[0]
    return sums @ to_all_cells, mass[codes]


def random_swaps(
    net: Any, counts: FloatArray, n_trials: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield blocks of sums of the units under random swaps, axes (trial, cell)."""
    times = counts.astype(np.int64)
    # Patterns of few units: a random byte picks one of the 256 ways to swap eight units, which is fast.
    # Patterns of many units: a binomial variate for all units of the pattern is faster.
    few = (times * net.shape[1] <= 300) & isinstance(net, np.ndarray)
    units = net[np.repeat(np.flatnonzero(few), times[few])]
    times_many = times[~few]
    net_many = net[~few]
    signs = _SIGNS
    if np.array_equal(units, np.rint(units)) and np.abs(units).sum(axis=0).max(initial=0.0) < 1 << 23:
        # Halves of whole numbers are exact in single precision, too, which takes half of the time.
        units = units.astype(np.float32)
        signs = signs.astype(np.float32)
    for n in blocks_of(n_trials, len(times_many) + net.shape[1]):
        swapped = _heads(times_many, n, rng) - 0.5 * times_many
        sums_many = np.asarray(swapped @ net_many)
        sums_few = np.zeros((n, net.shape[1]), dtype=units.dtype)
        for start in range(0, len(units), 256):
            block = units[start : start + 256]
            n_bytes = math.ceil(len(block) / 8)
            coins = np.frombuffer(rng.bytes(n * n_bytes), dtype=np.uint8).reshape(n_bytes, n)
            for i, byte in enumerate(coins):
                eight = block[8 * i : 8 * i + 8]
                sums_of_byte = signs[:, : len(eight)] @ eight
                sums_few += sums_of_byte.take(byte, axis=0)
        yield sums_many + sums_few


def _heads(times: IntArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often fair coins show heads, axes (trial, pattern); for up to 64 coins random bytes are used, for speed."""
    few = times <= 64
    heads = np.empty((n, len(times)))
    heads[:, ~few] = rng.binomial(times[~few], 0.5, (n, int((~few).sum())))
    times_few = times[few]
    heads_few = np.zeros((n, len(times_few)), np.uint8)
    for start in range(0, 64, 8):
        left = np.flatnonzero(times_few > start)
        coins = np.frombuffer(rng.bytes(n * len(left)), dtype=np.uint8).reshape(n, -1)
        n_coins = np.minimum(times_few[left] - start, 8)
        mask = ((1 << n_coins) - 1).astype(np.uint8)
        heads_few[:, left] += _HEADS[coins & mask]
    heads[:, few] = heads_few
    return heads


def fair_binomial(n: int) -> FloatArray:
    """Return the probabilities of 0 to n heads of n fair coins, to relative precision.

    Examples
    --------
    >>> fair_binomial(3)
    array([0.125, 0.375, 0.375, 0.125])
    """
    k = np.arange(n + 1)
    if n <= 1000:
        return np.asarray(special.binom(n, k) * 0.5**n)
    # Binomial coefficients of more coins are larger than the largest number.
    return np.asarray(stats.binom.pmf(k, n, 0.5))


def _independent_columns(net: FloatArray, counts: FloatArray) -> IntArray:
    """Return the cells that determine all others, in rising order of their sums."""
    # With fixed gold, one more item in fn is one item less in tp: half of the cells are redundant.
    chosen: list[int] = []
    sizes = counts @ np.abs(net) + 1.0
    for j in np.argsort(sizes, kind="stable"):
        # A lattice of this size is already too large, and the caller gives up.
        if np.log(sizes[chosen]).sum() > math.log(_LATTICE):
            break
        if np.linalg.matrix_rank(net[:, [*chosen, j]]) > len(chosen):
            chosen.append(int(j))
    return np.array(chosen)


# ---- the test ---------------------------------------------------------------------------------------------

ALTERNATIVES = ("two-sided", "greater", "less")
METHODS = ("auto", "exact", "montecarlo")

# Scores closer than this, relative to their size, are tied; rounding must not break a tie.
_TIE = 1e-12
# The difference of scores for each sum, axes (trial, cell) to (trial,).
ScoreOfTotals: TypeAlias = Callable[[FloatArray], FloatArray]
# Entries up to which sparse patterns are made dense.
_DENSE = 1 << 26


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
    r"""Test whether two models differ in any metric, by swapping their outputs on whole units.

    If both models were the same, their outputs on a unit (an item, a sentence, a document) could be swapped. Only the
    number of swaps in each kind of unit matters, which is :math:`\mathrm{Binomial}(n, 1/2)`. The p-value is exact if
    there are few enough possible sums, else :math:`p = (k+1)/(N+1)` from N random trials. For accuracy on items this is
    McNemar's exact test.

    Parameters
    ----------
    ev
        An evaluation with known units; totals are not enough.
    a, b
        Names of the models; may be left out if there are exactly two.
    metric
        Name of a metric, or a callable on tables (..., cell); F1 by default.
    alternative
        ``"two-sided"`` looks at the size of the difference, ``"greater"`` asks whether B is better than A,
        ``"less"`` whether it is worse.
    method
        ``"exact"``, ``"montecarlo"``, or ``"auto"``: exact if that takes about a second at most.
    n_trials
        Number of random trials, if they are made.
    confidence_level
        Level of the interval in which the random trials place the exact p-value.
    rng
        Source of randomness: a Generator or an integer.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> gold = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
    >>> ev = from_labels(gold, {"A": [0, 0, 0, 0, 0, 1, 0, 0, 0, 1], "B": [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]}, positive=1)
    >>> randomization_test(ev, metric="accuracy").p_value
    0.03125

    Padó's example, with a score of each unit: on six of seven the second model is better, so 2 of 64 swaps are as extreme.

    >>> from bayesf1 import from_scores
    >>> randomization_test(from_scores({"A": [1, 2, 1, 2, 2, 2, 0], "B": [4, 5, 5, 4, 3, 2, 1]})).p_value
    0.03125

    References
    ----------
    Padó (2006), *User's guide to sigf: significance testing by approximate randomisation*;
    Yeh (2000), *More accurate tests for the statistical significance of result differences*, COLING;
    McNemar (1947), Psychometrika 12.
    """
    metric = resolve_metric(metric, ev)
    ev = ev.pair(a, b)
    check_one_run(ev, "a randomisation test")
    check_all_labelled(ev, "a randomisation test")
    net, counts, statistic, n_units = _arrange(ev, metric)
    score_a, score_b = map(float, defined_scores(ev, metric))
    check_known(alternative, "alternative", ALTERNATIVES)
    check_known(method, "method", METHODS)
    n = check_whole(n_trials, "n_trials", 1, 9)
    check_prob(confidence_level, "confidence_level")
    observed = score_b - score_a
    slack = _TIE * max(abs(score_a), abs(score_b))
    in_direction = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]

    def is_extreme(sums: FloatArray) -> BoolArray:
        """Return whether swaps with these sums favour B at least as much as the observed difference."""
        differences = in_direction(metric.sign * statistic(sums))
        return np.asarray(differences >= in_direction(metric.sign * observed) - slack)

    all_swaps = None if method == "montecarlo" else swap_distribution(net, counts)
    exact = all_swaps is not None
    if all_swaps is not None:
        sums, mass = all_swaps
        # With more than a thousand coins the smallest probabilities are below the smallest number.
        p_value = float(np.clip(mass[is_extreme(sums)].sum(), np.finfo(float).tiny, 1.0))
        low = p_value
        high = p_value
    elif method == "exact":
        raise ValueError(
            f"{counts.sum():,.0f} units in {len(counts):,} kinds are too many to count all swaps; "
            "use method 'auto' or 'montecarlo'"
        )
    else:
        blocks = random_swaps(net, counts, n, check_rng(rng))
        k = sum(int(is_extreme(sums).sum()) for sums in blocks)
        p_value = (k + 1) / (n + 1)
        low, high = binomial_clopper_pearson(k, n - k, confidence_level=confidence_level)
    remarks = ev.notes if ev.folds is None else (*ev.notes, _ACROSS_FOLDS)
    return RandomizationTest(
        metric=metric.name,
        label=metric.label,
        percent=metric.percent,
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
        n_discordant=int(counts.sum()),
        lower_is_better=metric.lower_is_better,
        start=None if exact else start_of(rng),
        remarks=remarks,
    )


def _arrange(ev: Evaluation, metric: Metric) -> tuple[Any, FloatArray, ScoreOfTotals, int]:
    """Return the net effect of a swap, counts of patterns, the difference as a function of sums, and the number of units."""
    if ev.units is None or not ev.units.shared:
        raise ValueError(
            "a randomisation test swaps the models' outputs on single units, but only totals are known; build the "
            "evaluation from predictions (from_labels, from_tags, from_frame)"
        )
    weights = ev.units.weights
    if ev.folds is not None:
        repeats = len(ev.folds.counts)
        if repeats > 1:
            raise ValueError(
                f"every {ev.unit} occurs in {repeats} repeats of the cross-validation, so its swaps are not "
                "independent of each other; test a single repeat"
            )
        # Each unit was predicted once, so the discount of the counts is undone.
        weights = weights / ev.folds.k
    whole = np.rint(weights)
    if not np.allclose(weights, whole, rtol=0.0, atol=1e-6):
        odd = weights[np.argmax(np.abs(weights - whole))]
        raise ValueError(
            f"there are {odd:g} {plural(ev.unit)} of one kind; only whole {plural(ev.unit)} can be swapped"
        )
    ev.task.check_one_scale()
    tables = ev.tables if ev.folds is None else ev.tables / ev.folds.k
    middle = tables.mean(axis=0)
    score: ScoreOfTotals
    if metric.expand is not None and ev.units.n_patterns > _FIRST_ORDER:
        # A swap moves the models to either side of their mean, so that even orders of the difference cancel.
        numerators, denominators = metric.expand(middle[None])
        above = numerators[0]
        slopes = above - middle @ above * denominators[0]
        sums = slopes[:, None]
        score = partial(np.sum, axis=-1)
    else:
        sums, score = metric.sums(ev.cells)
    middle = middle @ sums
    rows = ev.units.rows
    n_cells = len(ev.cells)
    net = (rows[:, n_cells:] - rows[:, :n_cells]) @ sums

    def statistic(moved: FloatArray) -> FloatArray:
        return np.asarray(score(middle + moved) - score(middle - moved))

    if not isinstance(net, np.ndarray) and net.shape[0] * net.shape[1] <= _DENSE:
        net = net.toarray()
    if isinstance(net, np.ndarray):
        net, counts = merge_mirrored(net, whole)
    else:
        changed = np.flatnonzero(np.asarray(abs(net).sum(axis=1)).ravel())
        net = net[changed]
        counts = whole[changed]
    return net, counts, statistic, int(whole.sum())
