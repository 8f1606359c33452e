"""Measures of a confusion table: pure functions, batched over leading axes.

The same function scores the observed table and a million posterior draws. Where numerator and denominator
are both 0 the score is 0, as in scikit-learn and conlleval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import shown

if TYPE_CHECKING:
    from bayesf1.evaluation.kind import Kind


@dataclass(frozen=True)
class Proportion:
    """The law behind a metric that is a share: Beta(Σ successes + λ's, Σ failures + λ's)."""

    successes: tuple[str, ...]
    failures: tuple[str, ...]


@dataclass(frozen=True)
class Harmonic:
    """The law behind an F-score with weight `beta`, of sums of cells."""

    beta: float
    tp: tuple[str, ...] = ("tp",)
    fp: tuple[str, ...] = ("fp",)
    fn: tuple[str, ...] = ("fn",)


@dataclass(frozen=True)
class Metric:
    """A measure of a confusion table.

    Attributes
    ----------
    name
        The name it is asked for by, such as ``"f1"``.
    label
        The name it is printed with, such as ``"F1"``.
    needs
        The cells that it is a function of; empty for a callable, which is given the whole table.
    law
        The closed form of its posterior, or None where only draws will do.
    function
        The measure itself, on tables (..., cell) with the cells in the order of `needs`.
    support
        Smallest and largest value.
    percent
        Whether it is printed in percent.
    lower_is_better
        Whether the better of two models has the lower value, as with error rates and losses.
    alias
        Another name that it is asked for by, such as that of the scores that it is the mean of; "" where there is none.
    origin
        The kind of task, name and tables that a named measure was made from.
    """

    name: str
    label: str
    needs: tuple[str, ...]
    law: Proportion | Harmonic | None
    function: Callable[[FloatArray], FloatArray]
    support: tuple[float, float] = (0.0, 1.0)
    percent: bool = True
    lower_is_better: bool = False
    alias: str = ""
    origin: tuple[Kind, str, FloatArray] | None = field(default=None, compare=False, repr=False)

    @property
    def sign(self) -> float:
        """1 where more is better, else -1: of two models B is better iff sign·(ν_B - ν_A) > 0."""
        return -1.0 if self.lower_is_better else 1.0

    def __getstate__(self) -> dict[str, Any]:
        # A function made here cannot be pickled, but be made again.
        state = dict(vars(self))
        if self.origin is not None:
            del state["function"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "function" not in state:
            kind, name, tables = state["origin"]
            state = {**state, "function": kind.measure(name, tables).function}
        vars(self).update(state)

    def __call__(self, tables: FloatArray, cells: tuple[str, ...]) -> FloatArray:
        """Score tables (..., cell) whose last axis holds `cells`."""
        if not self.needs:
            return _checked_scores(self.name, _asked(self, tables), tables.shape[:-1])
        if self.needs == cells:
            return self.function(tables)
        self.check_cells(cells)
        return self.function(tables[..., [cells.index(cell) for cell in self.needs]])

    def loads(self, cells: tuple[str, ...]) -> FloatArray:
        """Return what one of each cell adds to what the measure is divided by; without a law, what it is a function of."""
        match self.law:
            case Proportion(successes, failures):
                load = dict.fromkeys((*successes, *failures), 1.0)
            case Harmonic(beta, tp, fp, fn):
                square = beta * beta
                parts = ((tp, 1.0 + square), (fp, 1.0), (fn, square))
                load = {cell: each for names, each in parts for cell in names}
            case None:
                if not self.needs or self.needs == cells:
                    return np.ones(len(cells))
                load = dict.fromkeys(self.needs, 1.0)
        return np.array([load.get(cell, 0.0) for cell in cells])

    def ratio(self, cells: tuple[str, ...]) -> tuple[FloatArray, FloatArray] | None:
        """Return what one of each cell adds above and below, where the measure is a ratio of two sums; else None."""
        match self.law:
            case Proportion(successes, _):
                above = successes
            case Harmonic(_, tp, _, _):
                above = tp
            case None:
                return None
        bottom = self.loads(cells)
        return np.where([cell in above for cell in cells], bottom, 0.0), bottom

    def check_cells(self, cells: tuple[str, ...]) -> None:
        """Raise a ValueError where a cell that the metric needs is not counted."""
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


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide, giving 0 where the denominator is 0."""
    out = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    np.divide(numerator, denominator, out=out, where=np.asarray(denominator) > 0)
    return out


def columns(tables: FloatArray) -> tuple[FloatArray, ...]:
    """Return the cells of tables (..., cell), each an array."""
    return tuple(np.moveaxis(tables, -1, 0))


def proportion(successes: int) -> Callable[[FloatArray], FloatArray]:
    """Return the share of the first `successes` cells in the sum of all cells."""
    return lambda tables: ratio(tables[..., :successes].sum(axis=-1), tables.sum(axis=-1))


def fbeta(tables: FloatArray, *, beta: float = 1.0) -> FloatArray:
    r"""Score tables (..., [tp, fp, fn]) by :math:`(1+\beta^2)TP/((1+\beta^2)TP + FP + \beta^2 FN)`."""
    tp, fp, fn = columns(tables)
    gain = (1.0 + beta * beta) * tp
    return ratio(gain, gain + fp + beta * beta * fn)


MetricLike: TypeAlias = str | Callable[[FloatArray], Any] | Metric


def metric_of(function: Any) -> Metric:
    """Return a callable on tables (..., cell) as a measure; its attribute ``lower_is_better`` says which way it points.

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
        raise ValueError(f"metric {shown(function)} is neither a name such as 'f1' nor a callable on tables")
    title = getattr(function, "__name__", type(function).__name__)
    return Metric(
        title,
        title,
        (),
        None,
        function,
        (-math.inf, math.inf),
        percent=False,
        lower_is_better=points_down(function),
    )


def points_down(function: Any, *, otherwise: bool = False) -> bool:
    """Return the attribute ``lower_is_better`` of a function, or say that it is neither True nor False."""
    found = getattr(function, "lower_is_better", otherwise)
    if not isinstance(found, bool | np.bool_):
        raise ValueError(f"lower_is_better of metric {function!r} is True or False, not {found!r}")
    return bool(found)


def _asked(measure: Metric, tables: FloatArray) -> Any:
    """Return what a user's own measure says of tables, or say that it failed, and how."""
    try:
        return measure.function(tables)
    except Exception as error:
        failed = f"metric {measure.name!r} failed on tables of shape {tables.shape}"
        raise ValueError(f"{failed} with {type(error).__name__}: {error}") from error


def _checked_scores(name: str, scores: Any, shape: tuple[int, ...]) -> FloatArray:
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"metric {name!r} gave {shown(scores)}, which is no array of numbers") from None
    if array.shape != shape:
        raise ValueError(
            f"metric {name!r} gave an array of shape {array.shape} for tables of shape {shape} + (cell,); "
            "a metric works on leading axes and returns one number a table"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"metric {name!r} gave {array[~np.isfinite(array)].flat[0]} for a table of counts")
    return array
