r"""How often an interval holds the true score: exactly, by enumeration instead of simulation.

The probabilities are summed over the tables of `enumeration`. A method for F1 that only looks at the sum of the
mistakes is given all of them as false positives, and a few hundred thousand tables do for 5,000 items; other methods
and measures need all tables, many more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.answer import Answer
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_prob, checked, is_number, is_whole
from bayesf1.base.naming import nearest, shown
from bayesf1.base.table import Table, points, probability
from bayesf1.evaluation.metric import Harmonic, Metric, Proportion
from bayesf1.frequentist.enumeration import Proportions, all_tables, relevant_tables
from bayesf1.frequentist.methods import LABELS, closed_methods, grouped_counts
from bayesf1.kinds.binary_measures import find_metric
from bayesf1.laws.distributions import Beta, FScore
from bayesf1.laws.unit_law import UnitLaw

if TYPE_CHECKING:
    import xarray as xr

# From counts tp, fp, fn and confidence_level to the two ends.
Method: TypeAlias = Callable[..., Any]

F1_METHODS = ("clopper_pearson", "wald", "wilson_direct", "wilson_indirect", "credible_equal_tailed")
CREDIBLE = ("credible_equal_tailed", "credible_hdi")

_CELLS = ("tp", "fp", "fn")


class Coverage(NamedTuple):
    """What an interval method does for given true proportions.

    Attributes
    ----------
    coverage
        Probability that the interval holds the true score.
    length
        Expected distance of the ends.
    overshoot
        Probability that an end is no possible score.
    degenerate
        Probability that the interval is a single point.
    """

    coverage: float
    length: float
    overshoot: float
    degenerate: float


@dataclass(frozen=True, eq=False)
class CoverageCurve(Answer):
    """Coverage of several methods for several numbers of items.

    Attributes
    ----------
    n
        Numbers of items.
    methods, labels
        Names of the methods, and how they are printed.
    coverage, length, overshoot, degenerate
        As in `Coverage`, axes (method, n).
    confidence_level
        The level that the methods were asked for.
    metric, truth
        The measure, and its true value.
    proportions
        True proportions of true positives, false positives and false negatives.
    """

    json_format = "bayesf1.coverage/1"
    index_names = ("interval", "n")

    n: NDArray[np.int64]
    methods: tuple[str, ...]
    coverage: FloatArray
    length: FloatArray
    overshoot: FloatArray
    degenerate: FloatArray
    confidence_level: float
    metric: str
    truth: float
    proportions: Proportions

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the methods as they are printed."""
        return tuple(LABELS.get(method, method) for method in self.methods)

    def to_dataset(self) -> xr.Dataset:
        """Return an xarray Dataset with dims interval and n."""
        import xarray as xr

        fields = {name: (("interval", "n"), getattr(self, name)) for name in Coverage._fields}
        about = {"confidence_level": self.confidence_level, "metric": self.metric, "truth": self.truth}
        return xr.Dataset(fields, coords={"interval": list(self.methods), "n": self.n}, attrs=about)

    @property
    def title(self) -> str:
        """What is covered."""
        return f"Coverage of {self.metric} = {points(self.truth, 1)} % by {100 * self.confidence_level:.4g} % intervals"

    @property
    def table(self) -> Table:
        """What each method does for each number of items."""
        header = ("Method", "Items", "Coverage (%)", "Length (%)", "P(overshoot)", "P(degenerate)")
        rows = []
        for record in self.records():
            method, n, *numbers = record.values()
            shown = [*(points(x, 2) for x in numbers[:2]), *map(probability, numbers[2:])]
            rows.append((LABELS.get(method, method), f"{n:,}", *shown))
        return Table(header, tuple(rows))

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each method and number of items."""
        return [
            {"interval": method, "n": int(n), **{f: float(getattr(self, f)[i, j]) for f in Coverage._fields}}
            for i, method in enumerate(self.methods)
            for j, n in enumerate(self.n)
        ]


@checked
def exact_coverage(
    method: str | Method,
    n: int,
    p11: float,
    p10: float,
    p01: float,
    *,
    metric: str = "f1",
    confidence_level: float = 0.95,
    prior: float = 1.0,
) -> Coverage:
    """Return coverage, expected length, overshoot and degeneracy of an interval method.

    Parameters
    ----------
    method
        Name of a method, such as ``"wilson_direct"`` or ``"credible_equal_tailed"``, or a function
        ``method(tp, fp, fn, confidence_level=...)`` of arrays of counts that returns the two ends.
    n
        Number of items; those that are neither positive nor predicted so are among them.
    p11, p10, p01
        True proportions of true positives, false positives and false negatives among all items.
    metric
        A measure of tp, fp and fn whose true value shall be covered.
    confidence_level
        Level that the method is asked for.
    prior
        λ of the Dirichlet prior of credible intervals.

    Notes
    -----
    Tables with a probability below 10⁻¹² in all are left out, so that coverage is that much too low at most.

    Without any relevant item nothing can be said: our methods then give [0, 1], which counts as covering, with
    a length of 1 and neither overshoot nor degeneracy. Lam (2023) leaves open what he does; in his scenarios
    this has a probability below 10⁻⁹.

    Examples
    --------
    Lam's first scenario:

    >>> exact_coverage("wald", 25, 0.4, 0.1, 0.1).coverage
    0.90546...
    >>> exact_coverage("credible_equal_tailed", 25, 0.4, 0.1, 0.1).coverage
    0.94571...
    """
    curve = coverage_curve(
        [n], p11, p10, p01, methods=[method], metric=metric, confidence_level=confidence_level, prior=prior
    )
    return Coverage(*(float(getattr(curve, name)[0, 0]) for name in Coverage._fields))


@checked
def coverage_curve(
    n: Sequence[int] | NDArray[np.integer],
    p11: float,
    p10: float,
    p01: float,
    *,
    methods: Sequence[str | Method] | Mapping[str, str | Method] = F1_METHODS,
    metric: str = "f1",
    confidence_level: float = 0.95,
    prior: float = 1.0,
) -> CoverageCurve:
    """Return what several interval methods do as the number of items grows.

    Parameters
    ----------
    n
        Numbers of items.
    methods
        Names or functions as in `exact_coverage`, or a mapping that names them.
    p11, p10, p01, metric, confidence_level, prior
        As in `exact_coverage`.

    Examples
    --------
    >>> curve = coverage_curve([25, 50], 0.4, 0.1, 0.1, methods=["wald", "wilson_indirect"])
    >>> curve.coverage.round(3)
    array([[0.905, 0.926], [0.953, 0.953]])
    """
    level = check_prob(confidence_level, "confidence_level")
    p = _check_proportions(p11=p11, p10=p10, p01=p01)
    numbers = list(n)
    if not numbers:
        raise ValueError("n must be at least one number of items")
    for number in numbers:
        if not is_whole(number) or not 1 <= number <= 10**7:
            raise ValueError(f"n must be a whole number of items from 1 to 1e7, not {shown(number)}")
    measure = find_metric(metric)
    if not measure.needs or not set(measure.needs) <= set(_CELLS):
        raise ValueError(
            f"coverage is listed for measures of tp, fp and fn such as f1 or recall, not {measure.name}"
        )
    chosen = _named(methods)
    functions = [_resolve(name, method, measure, prior) for name, method in chosen.items()]
    truth = float(measure(np.array(p), _CELLS))
    found = np.array([_one_number(int(x), p, functions, truth, measure, level) for x in numbers])
    fields = dict(zip(Coverage._fields, np.moveaxis(found, (2, 1, 0), (0, 1, 2)), strict=True))
    return CoverageCurve(
        np.array(numbers, dtype=np.int64),
        tuple(chosen),
        **fields,
        confidence_level=level,
        metric=measure.name,
        truth=truth,
        proportions=p,
    )


class _Function(NamedTuple):
    name: str
    call: Method
    ours: bool


def _one_number(
    n: int, p: Proportions, functions: list[_Function], truth: float, measure: Metric, level: float
) -> FloatArray:
    """Return the four numbers of each method, axes (method, field)."""
    out = np.zeros((len(functions), len(Coverage._fields)))
    coarse = measure.name in ("f1", "jaccard")
    by_sum = [coarse and (f.ours or _needs_sum_only(f, n, level)) for f in functions]
    for flag, tables in ((True, relevant_tables(n, p)), (False, all_tables(n, p))):
        rows = [i for i, summed in enumerate(by_sum) if summed == flag]
        # Without a method there is nothing to list.
        for counts, mass in tables if rows else ():
            for i in rows:
                low, high = _ends(functions[i], counts, level)
                inside = (low <= truth) & (truth <= high)
                outside = (low < measure.support[0]) | (high > measure.support[1])
                out[i] += mass @ np.stack([inside, high - low, outside, high == low], axis=1)
    return out


def _needs_sum_only(function: _Function, n: int, level: float) -> bool:
    """Say whether a function's ends depend on FP and FN through their sum alone, as far as a probe can tell."""
    tp, wrong = (x.ravel() for x in np.meshgrid(*[np.unique(np.linspace(0, n, 25).astype(int))] * 2))
    tp, wrong = (x[tp + wrong <= n].astype(float) for x in (tp, wrong))
    one = np.array(_ends(function, (tp, wrong, 0.0 * wrong), level))
    other = np.array(_ends(function, (tp, wrong // 2, wrong - wrong // 2), level))
    return bool(np.abs(one - other).max() < 1e-12)


def _ends(function: _Function, counts: tuple[FloatArray, ...], level: float) -> tuple[FloatArray, FloatArray]:
    try:
        ends = function.call(*counts, confidence_level=level)
        low, high = (np.asarray(end, dtype=np.float64) for end in ends)
    except Exception as error:
        raise ValueError(f"method {function.name!r} failed with {type(error).__name__}: {error}") from error
    for end in (low, high):
        if end.shape != counts[0].shape or np.isnan(end).any():
            raise ValueError(
                f"method {function.name!r} gave ends of shape {end.shape}, or NaN, for counts of shape "
                f"{counts[0].shape}; a method returns two arrays of numbers, one for each table"
            )
    return low, high


def _resolve(name: str, method: str | Method, measure: Metric, prior: float) -> _Function:
    if not isinstance(method, str):
        if not callable(method):
            raise ValueError(
                f"method {shown(method)} is neither a name such as 'wilson_direct' nor a function"
            )
        return _Function(name, method, ours=False)
    closed = closed_methods(measure)
    by_sums: Method
    if method in closed:
        by_sums, lam = closed[method], 0.0
    elif method in CREDIBLE and measure.law is not None:
        if not is_number(prior) or not 0.0 < prior <= 1e6:
            raise ValueError(
                f"prior must be above 0, such as 1 (uniform) or 0.5 (Jeffreys), not {shown(prior)}"
            )
        by_sums, lam = partial(_credible, measure.law, method), float(prior)
    else:
        known = nearest(method, [*closed, *CREDIBLE])
        raise ValueError(f"unknown method {shown(method)} for {measure.name}; {known}; or give a function")

    def by_counts(*counts: FloatArray, confidence_level: float) -> Any:
        sums = grouped_counts(measure, np.stack(counts, axis=-1) + lam, _CELLS)
        return by_sums(*sums, confidence_level=confidence_level)

    return _Function(name, by_counts, ours=True)


def _credible(
    kind: Proportion | Harmonic, method: str, *alpha: FloatArray, confidence_level: float
) -> tuple[Any, Any]:
    law: UnitLaw
    if isinstance(kind, Harmonic):
        tp, fp, fn = alpha
        law = FScore(tp, fp, fn, kind.beta)
    else:
        law = Beta(*alpha)
    return law.hdi(confidence_level) if method == "credible_hdi" else law.interval(confidence_level)


def _named(methods: Sequence[str | Method] | Mapping[str, str | Method]) -> dict[str, str | Method]:
    if isinstance(methods, Mapping):
        return dict(methods)
    if isinstance(methods, str) or not len(methods):
        raise ValueError(f"methods must be a list of names or functions, at least one, not {shown(methods)}")
    named: dict[str, str | Method] = {}
    for method in methods:
        name = method if isinstance(method, str) else getattr(method, "__name__", repr(method))
        if name in named:
            raise ValueError(f"method {name!r} is given twice; name functions by a mapping")
        named[name] = method
    return named


def _check_proportions(**proportions: float) -> Proportions:
    for name, value in proportions.items():
        if not is_number(value) or not 0.0 <= value <= 1.0:
            raise ValueError(f"{name} must be a proportion from 0 to 1, not {shown(value)}")
    p11, p10, p01 = map(float, proportions.values())
    total = p11 + p10 + p01
    if not 0.0 < total <= 1.0 + 1e-12:
        raise ValueError(f"p11, p10 and p01 must add up to more than 0 and at most 1, not {total:g}")
    scale = max(total, 1.0)
    return p11 / scale, p10 / scale, p01 / scale
