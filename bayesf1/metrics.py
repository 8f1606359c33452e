"""Metrics of a confusion table: pure functions, batched over leading axes.

The same function scores the observed table and a million posterior draws. Where numerator and denominator
are both 0 the score is 0, as in scikit-learn and conlleval.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import Rule, is_text
from bayesf1.base.naming import nearest, quoted

if TYPE_CHECKING:
    from bayesf1.distributions.base import Posterior
    from bayesf1.task import Task


# Labels that begin with one of these words are not proper names.
_COMMON_WORDS = re.compile(
    "(Accuracy|Average|Balanced|Error|Kappa|Log|Macro|Mean|Micro|Precision|Recall|Score|Specificity|Weighted)\\b"
)


def in_prose(label: str) -> str:
    """Write the label of a metric as it appears within a sentence.

    Examples
    --------
    >>> in_prose("Precision"), in_prose("Balanced accuracy"), in_prose("Brier score")
    ('precision', 'balanced accuracy', 'Brier score')
    """
    return label[:1].lower() + label[1:] if _COMMON_WORDS.match(label) else label


# A metric on the sums that it is a function of, axes (..., sum) to (...,).
Score: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Proportion:
    """The distribution of a metric that is a share: Beta(Σ successes + λ's, Σ failures + λ's)."""

    successes: tuple[str, ...]
    failures: tuple[str, ...]

    def on(self, cells_for: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Proportion:
        """Return the distribution of the same metric on other cells in place of its own."""
        return Proportion(cells_for(self.successes), cells_for(self.failures))


@dataclass(frozen=True)
class FMeasure:
    """The distribution of an F-score with weight `beta`, of sums of cells."""

    beta: float
    tp: tuple[str, ...] = ("tp",)
    fp: tuple[str, ...] = ("fp",)
    fn: tuple[str, ...] = ("fn",)

    def on(self, cells_for: Callable[[tuple[str, ...]], tuple[str, ...]]) -> FMeasure:
        """Return the distribution of the same metric on other cells in place of its own."""
        return FMeasure(self.beta, cells_for(self.tp), cells_for(self.fp), cells_for(self.fn))


class Estimate(NamedTuple):
    """A number as it is printed: with the ends of its interval, and whether it is written in percent.

    If it counts as exact, its interval is that of rounding to a tenth of a point.
    """

    value: float
    low: float
    high: float
    percent: bool
    exact: bool = False


class Estimates(NamedTuple):
    """The printed numbers of two models: both scores and B minus A, each with its interval."""

    a: Estimate
    b: Estimate
    difference: Estimate


class Moments(NamedTuple):
    """The mean and the standard deviation of a posterior."""

    mean: float
    sd: float


class PairMoments(NamedTuple):
    """The moments of the posteriors of two models' scores, and of B minus A."""

    a: Moments
    b: Moments
    difference: Moments


class ClassAverage(NamedTuple):
    """How an average with equal weights of classes is computed from the scores of classes.

    Attributes
    ----------
    cells
        The cells of a class that its score needs.
    squared_beta
        β² of an F-score, otherwise 0.
    """

    cells: tuple[str, ...]
    squared_beta: float = 0.0


class OfClass(NamedTuple):
    """A metric, by its printed name, and the class that it is about."""

    metric: str
    name: str


class MetricOrigin(NamedTuple):
    """The task, name and tables that a named metric was made from."""

    task: Task
    name: str
    tables: FloatArray


@dataclass(frozen=True)
class Metric:
    """A metric of a confusion table.

    Attributes
    ----------
    name
        The name by which it is asked for, such as ``"f1"``.
    label
        The printed name, such as ``"F1"``.
    needs
        The cells that it is a function of; empty for a callable, which is given the whole table.
    function
        The metric itself, on tables (..., cell) with the cells in the order of `needs`.
    distribution
        The closed form of its posterior, or None if draws are needed.
    support
        Smallest and largest value.
    percent
        Whether it is printed in percent.
    lower_is_better
        Whether the better of two models has the lower value, as with error rates and losses.
    alias
        Another name by which it is asked for, such as that of the scores that it is the mean of; "" if there is none.
    always_defined
        Whether a table of zeros has a score, as a table of final scores does; else there is nothing to divide by.
    smooth
        Whether it has a derivative in the weights of units, which the delta method needs.
    parts
        What one count of each cell adds to numerator and denominator, if the metric is a ratio of two sums without a
        closed form, such as a mean.
    weigh
        The weight of one count of each cell, as a function of tables (model, cell), if that is not known from a ratio.
    expand
        What one count of each cell adds to numerator and denominator of a ratio that equals the metric to first order
        near tables (model, cell), as a function of these, if there are too many cells for numerical slopes.
    of_classes
        How it is computed from the scores of classes, if it is an average in which all classes have the same weight.
    of_class
        The metric and the class, if this is the metric of one of several classes, such as ``f1[PER]``.
    origin
        The task, name and tables that a named metric was made from.
    """

    name: str
    label: str
    needs: tuple[str, ...]
    function: Callable[[FloatArray], FloatArray]
    distribution: Proportion | FMeasure | None = None
    support: tuple[float, float] = (0.0, 1.0)
    percent: bool = True
    lower_is_better: bool = False
    alias: str = ""
    always_defined: bool = False
    smooth: bool = True
    parts: tuple[FloatArray, FloatArray] | None = field(default=None, compare=False, repr=False)
    weigh: Callable[[FloatArray], FloatArray] | None = field(default=None, compare=False, repr=False)
    expand: Callable[[FloatArray], tuple[FloatArray, FloatArray]] | None = field(
        default=None, compare=False, repr=False
    )
    of_classes: ClassAverage | None = None
    of_class: OfClass | None = None
    origin: MetricOrigin | None = field(default=None, compare=False, repr=False)

    @property
    def sign(self) -> float:
        """1 if higher is better, else -1: B is better than A iff sign·(ν_B - ν_A) > 0."""
        return -1.0 if self.lower_is_better else 1.0

    @property
    def difference_support(self) -> tuple[float, float]:
        """The smallest and the largest difference of two scores."""
        least, most = self.support
        return least - most, most - least

    def __getstate__(self) -> dict[str, Any]:
        # Functions of a named metric cannot be pickled, but `__setstate__` makes them again.
        made = () if self.origin is None else ("function", "weigh", "expand")
        return {name: value for name, value in vars(self).items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "function" not in state:
            origin = state["origin"]
            made = origin.task.metric(origin.name, origin.tables)
            state = {**state, "function": made.function, "weigh": made.weigh, "expand": made.expand}
        vars(self).update(state)

    def __call__(self, tables: FloatArray, cells: tuple[str, ...]) -> FloatArray:
        """Score tables (..., cell) whose last axis has these `cells`."""
        if not self.needs:
            return _own_scores(self, tables)
        if self.needs == cells:
            return self.function(tables)
        self.check_cells(cells)
        return self.function(tables[..., [cells.index(cell) for cell in self.needs]])

    def estimate(self, value: float, post: Posterior, prob: float, *, difference: bool = False) -> Estimate:
        """Return a score, or a difference, with the printed interval of mass `prob` of its posterior."""
        low, high = self.interval_of(value, *post.interval(prob), difference=difference)
        return Estimate(value, float(low), float(high), self.percent)

    def interval_of(self, score: Any, low: Any, high: Any, *, difference: bool = False) -> tuple[Any, Any]:
        """Return an interval of a score, or of a difference, which is extended to the end of the scale if the score is there.

        So a perfect score lies within its interval, as Brown, Cai & DasGupta (2001) suggest for Jeffreys' prior.
        """
        ends = self.difference_support if difference else self.support
        at_end = np.zeros(np.shape(score), dtype=bool)
        for end in ends:
            if math.isfinite(end):
                at_end |= np.abs(score - end) <= 1e-12 * (1.0 + abs(end))
        return np.where(at_end, np.minimum(low, score), low), np.where(at_end, np.maximum(high, score), high)

    def ratio(self, cells: tuple[str, ...]) -> tuple[FloatArray, FloatArray] | None:
        """Return what one count of each cell adds to numerator and denominator; None if the metric is not a ratio of sums."""
        match self.distribution:
            case Proportion(successes, failures):
                above = successes
                below = dict.fromkeys((*successes, *failures), 1.0)
            case FMeasure(beta, tp, fp, fn):
                weights = ((tp, 1.0 + beta * beta), (fp, 1.0), (fn, beta * beta))
                above = tp
                below = {cell: weight for names, weight in weights for cell in names}
            case None:
                return self.parts
        bottom = np.array([below.get(cell, 0.0) for cell in cells])
        return bottom * _indicators(cells, above)[:, 0], bottom

    def expansion(
        self, tables: FloatArray, cells: tuple[str, ...], near: bool = True
    ) -> tuple[FloatArray, FloatArray] | None:
        """Return the same near tables, both (model, cell), for a ratio of sums or a metric that equals one to first order."""
        pair = self.ratio(cells)
        if pair is None:
            return self.expand(tables) if near and self.expand is not None else None
        return np.broadcast_to(pair[0], tables.shape), np.broadcast_to(pair[1], tables.shape)

    def ratio_slopes(self, tables: FloatArray, cells: tuple[str, ...]) -> FloatArray | None:
        """Return the slopes of scores of tables (model, cell), on these axes; None if the metric has no ratio near them."""
        parts = self.expansion(tables, cells)
        if parts is None:
            return None
        above, below = parts
        wholes = (below * tables).sum(axis=1, keepdims=True)
        scores = ratio((above * tables).sum(axis=1, keepdims=True), wholes)
        return ratio(above - scores * below, wholes)

    def denominator_weights(self, tables: FloatArray, cells: tuple[str, ...]) -> FloatArray:
        """Return the weight of one count of each cell in the scores of tables (model, cell), on these axes.

        It is what the count adds to the denominator; if that is unknown, 1 for the cells that the metric needs. The
        effective number of units follows from the weights of their rows.
        """
        if self.weigh is not None:
            return self.weigh(tables)
        pair = self.ratio(cells)
        each = self._is_needed(cells) if pair is None else pair[1]
        return np.broadcast_to(each, (len(tables), len(each)))

    def sums(self, cells: tuple[str, ...]) -> tuple[Any, Score]:
        """Return the sums on which the metric depends, as a matrix (cell, sum), and the metric as a function of them.

        Shares need two sums and F-scores three, however many classes are pooled in them. Other metrics need
        the cells that they name.
        """
        match self.distribution:
            case Proportion(successes, failures):
                return _indicators(cells, successes, failures), proportion
            case FMeasure(beta, tp, fp, fn):
                return _indicators(cells, tp, fp, fn), partial(fbeta, beta=beta)
        if self.parts is not None:
            return np.stack(self.parts, axis=1), lambda sums: ratio(sums[..., 0], sums[..., 1])
        from scipy.sparse import eye_array

        needed = np.flatnonzero(self._is_needed(cells))
        kept = tuple(cells[i] for i in needed)
        return eye_array(len(cells), format="csr")[:, needed], lambda sums: self(sums, kept)

    def _is_needed(self, cells: tuple[str, ...]) -> FloatArray:
        """Return 1 for the cells on which the metric depends; a callable depends on all."""
        needed = self.needs if self.needs else cells
        return _indicators(cells, needed)[:, 0]

    def check_cells(self, cells: tuple[str, ...]) -> None:
        """Raise a ValueError if a cell that the metric needs is not counted."""
        if self.needs == cells:
            return
        known = set(cells)
        missing = [cell for cell in self.needs if cell not in known]
        if missing == ["tn"]:
            raise ValueError(
                f"{self.name} needs true negatives, but this evaluation has none "
                "(span tasks count no tn); use f1 or jaccard"
            )
        if missing:
            raise ValueError(f"{self.name} needs the cell {missing[0]}, which this evaluation does not keep")


def _indicators(cells: tuple[str, ...], *groups: tuple[str, ...]) -> FloatArray:
    """Return 1 for the cells of each group, axes (cell, group)."""
    known = [frozenset(group) for group in groups]
    return np.array([[cell in group for group in known] for cell in cells], dtype=float)


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide, with 0 as the result if the denominator is 0."""
    out = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    np.divide(numerator, denominator, out=out, where=np.asarray(denominator) > 0)
    return out


def columns(tables: FloatArray) -> tuple[FloatArray, ...]:
    """Return the cells of tables (..., cell), each an array."""
    return tuple(tables[..., i] for i in range(tables.shape[-1]))


def proportion(tables: FloatArray, *, successes: int = 1) -> FloatArray:
    """Return the share of the first `successes` cells in the sum of all cells."""
    return ratio(tables[..., :successes].sum(axis=-1), tables.sum(axis=-1))


def fbeta(tables: FloatArray, *, beta: float = 1.0) -> FloatArray:
    r"""Score tables (..., [tp, fp, fn]) by :math:`(1+\beta^2)TP/((1+\beta^2)TP + FP + \beta^2 FN)`."""
    tp, fp, fn = columns(tables)
    gain = (1.0 + beta * beta) * tp
    return ratio(gain, gain + fp + beta * beta * fn)


# The task says which metric a name, or a callable, means.
MetricLike: TypeAlias = Annotated[
    str | Callable[[FloatArray], Any] | Metric,
    Rule(lambda value: not isinstance(value, str) or is_text(value), "the name of a metric or a function"),
]


def tversky(tables: FloatArray, *, a: float, b: float) -> FloatArray:
    """TP/(TP + a·FP + b·FN) of tables (..., [tp, fp, fn]): F1 with weights of ½, the Jaccard index with weights of 1."""
    tp, fp, fn = columns(tables)
    return ratio(tp, tp + a * fp + b * fn)


def metric_of(
    function: Any, score: Score | None = None, *, down: bool = False, smooth: bool = True
) -> Metric:
    """Return a callable as a metric; its attribute ``lower_is_better`` says whether lower values are better.

    Parameters
    ----------
    function
        The callable.
    score
        The callable as a function of tables (..., cell), if it does not take these itself.
    down
        Whether lower values are better if its attribute does not say.
    smooth
        Whether it has a derivative in the weights of units.

    Examples
    --------
    >>> def misses(tables):
    ...     return tables[..., 2]
    >>> misses.lower_is_better = True
    >>> metric_of(misses).sign
    -1.0
    """
    if isinstance(function, Metric):
        return function
    if not callable(function):
        raise ValueError(f"metric {quoted(function)} is neither a name such as 'f1' nor a callable on tables")
    title = function_name(function)
    support = (-math.inf, math.inf)
    down = points_down(function, otherwise=down)
    if score is None:
        score = function
    return Metric(
        title, title, (), score, support=support, percent=False, lower_is_better=down, smooth=smooth
    )


def own_name(function: Any) -> str:
    """Return the name that a function was defined with; "" if it has none, such as a partial function."""
    return str(getattr(function, "__name__", ""))


def function_name(function: Any) -> str:
    """Return the name of a function, or of the class of a callable without a name."""
    name = own_name(function)
    return name if name else type(function).__name__


def support_of(function: Any) -> tuple[float, float]:
    """Return the attribute ``support`` of a function: its smallest and largest value."""
    least, most = getattr(function, "support", (-math.inf, math.inf))
    return least, most


def check_ratio(score: Score, name: str, tables: FloatArray) -> None:
    """Refuse a user's metric that changes when every unit is counted twice, as the weights of draws have no scale."""
    once = score(tables)
    twice = score(2.0 * tables)
    off = ~np.isclose(once, twice, rtol=1e-6, atol=1e-12)
    if off.any():
        i = int(np.argmax(off))
        raise ValueError(
            f"metric {name!r} gave {once[i]:.6g} for the totals and {twice[i]:.6g} for twice as much, but it must not "
            "depend on the number of units; divide by a sum, such as that of all counts"
        )


def points_down(function: Any, *, otherwise: bool = False) -> bool:
    """Return the attribute ``lower_is_better`` of a function, or raise a ValueError if it is not True or False."""
    lower_is_better = getattr(function, "lower_is_better", otherwise)
    if not isinstance(lower_is_better, bool | np.bool_):
        raise ValueError(f"lower_is_better of metric {function!r} is True or False, not {lower_is_better!r}")
    return bool(lower_is_better)


def _own_scores(metric: Metric, tables: FloatArray) -> FloatArray:
    """Return the scores of tables by a user's own metric, or raise a ValueError if these are not numbers, one a table."""
    name = metric.name
    shape = tables.shape[:-1]
    try:
        array = np.asarray(metric.function(tables), dtype=np.float64)
    except Exception as error:
        failed = f"metric {name!r} failed on tables of shape {tables.shape}"
        raise ValueError(f"{failed} with {type(error).__name__}: {error}") from error
    if array.shape != shape:
        raise ValueError(
            f"metric {name!r} gave an array of shape {array.shape} for tables of shape {shape} + (cell,); "
            "a metric should keep leading axes and return one number per table"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"metric {name!r} gave {array[~np.isfinite(array)].flat[0]} for a table of counts")
    return array


def fowlkes_mallows(tables: FloatArray) -> FloatArray:
    """Geometric mean of precision and recall, on tables (..., [tp, fp, fn])."""
    tp, fp, fn = columns(tables)
    return ratio(tp, np.sqrt(tp + fp) * np.sqrt(tp + fn))


def mcc(tables: FloatArray) -> FloatArray:
    """Matthews correlation coefficient, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = columns(tables)
    spread = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return ratio(tp * tn - fp * fn, spread)


def balanced_accuracy(tables: FloatArray) -> FloatArray:
    """Mean of recall and specificity over the classes that occur, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = columns(tables)
    present = (tp + fn > 0).astype(float) + (tn + fp > 0)
    return ratio(ratio(tp, tp + fn) + ratio(tn, tn + fp), present)


def sba(tables: FloatArray) -> FloatArray:
    r"""Symmetric balanced accuracy, on tables (..., [tp, fp, fn, tn]), Gösgens et al. (2021).

    .. math:: \frac{1}{2k} \sum_i \left(\frac{C_{ii}}{a_i} + \frac{C_{ii}}{b_i}\right),

    where a class without gold instances (a) has :math:`b_i/n` as its first share, and a class that is never predicted (b)
    has :math:`a_i/n` as its second.
    """
    tp, fp, fn, tn = columns(tables)
    # Axes (..., [positive, negative]).
    right = np.stack((tp, tn), axis=-1)
    gold = np.stack((tp + fn, tn + fp), axis=-1)
    predicted = np.stack((tp + fp, tn + fn), axis=-1)
    n = gold.sum(axis=-1, keepdims=True)
    recall = np.where(gold > 0, ratio(right, gold), ratio(predicted, n))
    precision = np.where(predicted > 0, ratio(right, predicted), ratio(gold, n))
    return np.asarray(0.5 * (recall + precision).mean(axis=-1))


def kappa(tables: FloatArray) -> FloatArray:
    """Cohen's kappa, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = columns(tables)
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return ratio(2.0 * (tp * tn - fp * fn), chance)


def macro_f1(tables: FloatArray) -> FloatArray:
    """Mean of the F1 of both labels, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = columns(tables)
    return 0.5 * (ratio(2.0 * tp, 2.0 * tp + fp + fn) + ratio(2.0 * tn, 2.0 * tn + fp + fn))


def weighted_f1(tables: FloatArray) -> FloatArray:
    """Mean of the F1 of both labels, weighted by how often each is gold, on tables (..., [tp, fp, fn, tn])."""
    tp, fp, fn, tn = columns(tables)
    share = ratio(tp + fn, tp + fp + fn + tn)
    return share * ratio(2.0 * tp, 2.0 * tp + fp + fn) + (1.0 - share) * ratio(2.0 * tn, 2.0 * tn + fp + fn)


def _share(name: str, label: str, successes: tuple[str, ...], failures: tuple[str, ...]) -> Metric:
    function = partial(proportion, successes=len(successes))
    return Metric(name, label, successes + failures, function, Proportion(successes, failures))


_SPAN = ("tp", "fp", "fn")
_FULL = ("tp", "fp", "fn", "tn")

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _share("precision", "Precision", ("tp",), ("fp",)),
        _share("recall", "Recall", ("tp",), ("fn",)),
        _share("accuracy", "Accuracy", ("tp", "tn"), ("fp", "fn")),
        _share("specificity", "Specificity", ("tn",), ("fp",)),
        _share("npv", "NPV", ("tn",), ("fn",)),
        _share("jaccard", "Jaccard", ("tp",), ("fp", "fn")),
        Metric("fowlkes_mallows", "FM", _SPAN, fowlkes_mallows),
        Metric("mcc", "MCC", _FULL, mcc, support=(-1.0, 1.0), percent=False),
        Metric("sba", "SBA", _FULL, sba, of_classes=ClassAverage(_SPAN)),
        Metric(
            "balanced_accuracy",
            "Balanced accuracy",
            _FULL,
            balanced_accuracy,
            of_classes=ClassAverage(("tp", "fn")),
        ),
        Metric("kappa", "Kappa", _FULL, kappa, support=(-1.0, 1.0), percent=False),
        Metric("macro_f1", "Macro F1", _FULL, macro_f1),
        Metric("weighted_f1", "Weighted F1", _FULL, weighted_f1),
        # Each item has one label, so the micro average of both labels is the accuracy.
        _share("micro_f1", "Micro F1", ("tp", "tn"), ("fp", "fn")),
    )
}

_FSCORE = re.compile(r"f(\d+(?:\.\d*)?|\.\d+)")
_TVERSKY = re.compile(r"tversky\((\d*\.?\d+), ?(\d*\.?\d+)\)")


def find_metric(name: MetricLike) -> Metric:
    """Return the metric of a name, of ``f<number>``, of ``tversky(a,b)``, or of a callable on tables (..., cell).

    ``tversky(a,b)`` is TP/(TP + a·FP + b·FN); F-beta, the Jaccard index, precision and recall are special cases.

    Examples
    --------
    >>> find_metric("f0.5").distribution
    FMeasure(beta=0.5, tp=('tp',), fp=('fp',), fn=('fn',))
    >>> find_metric("mcc").distribution is None
    True
    >>> import numpy as np
    >>> find_metric("recall")(np.array([77.0, 44.0, 10.0]), ("tp", "fp", "fn")).round(3)
    np.float64(0.885)
    """
    if not isinstance(name, str):
        return metric_of(name)
    key = name.strip().lower().replace("-", "_")
    if key in METRICS:
        return METRICS[key]
    if (match := _TVERSKY.fullmatch(key)) is not None:
        a, b = map(float, match.groups())
        if not 0.0 < a + b <= 1e6:
            raise ValueError(
                f"metric {name!r} has weights of {a:g} and {b:g}; give at least one above 0, below 1e6"
            )
        function = partial(tversky, a=a, b=b)
        return Metric(f"tversky({a:g},{b:g})", f"Tversky({a:g}, {b:g})", _SPAN, function)
    match = _FSCORE.fullmatch(key)
    if match is None:
        raise ValueError(
            f"unknown metric {name!r}; {nearest(key, [*METRICS, 'f1', 'f0.5', 'f2', 'tversky(1,0.5)'])}"
        )
    beta = float(match[1])
    if not 0.1 <= beta <= 10.0:
        raise ValueError(f"metric {name!r} has a weight of {beta:g}; F-beta needs one from 0.1 to 10")
    return Metric(f"f{beta:g}", f"F{beta:g}", _SPAN, partial(fbeta, beta=beta), FMeasure(beta))
