r"""Metrics of a corpus that are functions of sums over its units: BLEU, chrF, word error rates, perplexities.

Unit u adds a row :math:`x_u` of statistics, such as matching and possible n-grams, and the metric is
:math:`g(\sum_u x_u)`, which is not the mean of its values on single units. A Bayesian bootstrap weighs units,
:math:`g(\sum_u w_u x_u)`, so that a metric is a function of tables like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest, same_name
from bayesf1.metrics import (
    Metric,
    MetricLike,
    Score,
    check_ratio,
    function_name,
    own_name,
    points_down,
    support_of,
)
from bayesf1.tasks.draws import BootstrappedTask
from bayesf1.tasks.scores import hint_of_loss

# A user's function of totals: of arrays (..., statistic), or of one row of them.
Totals: TypeAlias = Callable[[FloatArray], Any]

# Relative step of a slope.
_STEP = 1e-3


@dataclass(frozen=True)
class Statistics(BootstrappedTask):
    """Sums of statistics over units, and a metric that is a function of the sums.

    Attributes
    ----------
    cells
        Names of the statistics.
    function
        The metric of their totals.
    scored
        The name of the metric in print.
    lower_is_better
        Whether the better of two models has the lower value.
    """

    name: ClassVar[str] = "statistics"

    cells: tuple[str, ...]
    function: Totals
    scored: str
    lower_is_better: bool = False

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError if two statistics have one name, or if the metric is not a function of them."""
        super().check(models, tables)
        check_ratio(score_of_totals(self.function, self.scored, tables), self.scored, tables)

    # ---- metrics ------------------------------------------------------------------------------------------

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metric."""
        name = re.sub(r"\W+", "_", self.scored.lower()).strip("_")
        if not name:
            name = "metric"
        return (name,)

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the metric by its name, or another function of totals."""
        if isinstance(asked, str):
            (own,) = self.default_metrics
            names = (own, self.scored, own_name(self.function))
            if not any(same_name(asked, name) for name in names):
                raise ValueError(
                    f"unknown metric {asked!r} of statistics; {nearest(asked, [own])}; or give a function of totals"
                )
            return self._metric(own, self.scored, self.function, tables, down=self.lower_is_better)
        title = name_of(asked)
        return self._metric(title, title, cast("Totals", asked), tables, down=points_down(asked))

    def _metric(self, name: str, label: str, function: Totals, tables: FloatArray, *, down: bool) -> Metric:
        score = score_of_totals(function, label, tables)
        support = support_of(function)
        return Metric(
            name,
            label,
            self.cells,
            score,
            support=support,
            percent=support == (0.0, 1.0),
            lower_is_better=down,
            alias=own_name(function),
            weigh=partial(_slopes, score),
        )

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Return a hint if the metric is named as losses are, but more is taken as better."""
        return hint_of_loss(self.scored, lower_is_better=self.lower_is_better)

    # ---- posterior and words ------------------------------------------------------------------------------

    @property
    def about(self) -> str:
        """The name of the metric, and the number of statistics that it uses."""
        return f"{self.scored} of {len(self.cells)} statistics"


def _slopes(score: Score, tables: FloatArray) -> FloatArray:
    r"""Return the slopes of a metric in each statistic, :math:`|\partial g/\partial x_c|`.

    The denominator of a user's function is unknown, and statistics may have different scales. A unit then weighs
    :math:`\sum_c |\partial g/\partial x_c|\, x_{uc}`, which no scale changes. Steps are relative to each statistic; the
    factor that all slopes then have in common does not change effective sizes.
    """
    steps = _STEP * tables[:, None, :] * np.eye(tables.shape[1])  # (model, step, statistic)
    rise = score(tables[:, None, :] + steps) - score(tables[:, None, :] - steps)  # (model, step)
    return np.divide(np.abs(rise), tables, out=np.zeros(tables.shape), where=tables > 0.0)


def name_of(function: Any) -> str:
    """Return the name of a function in print: its ``label``, such as BLEU of `corpus_bleu`, or its own name, or "metric".

    Examples
    --------
    >>> name_of(len), name_of(lambda totals: totals[0])
    ('len', 'metric')
    """
    label = getattr(function, "label", None)
    if isinstance(label, str) and label:
        return label
    name = function_name(function)
    return "metric" if name == "<lambda>" else name


def score_of_totals(function: Totals, name: str, tables: FloatArray) -> Score:
    """Return a user's function as a function of tables (..., statistic) whose errors give its name.

    It is called once for many tables if that gives the same values as one call for each; otherwise it is called for each.

    Parameters
    ----------
    function
        A function of totals.
    name
        Its name in errors.
    tables
        Totals of some models, axes (model, statistic), with which the function is tried.

    Examples
    --------
    >>> rate = score_of_totals(lambda totals: totals[0] / totals[1], "rate", np.array([[3.0, 4.0]]))
    >>> rate(np.array([[3.0, 4.0], [1.0, 2.0]]))
    array([0.75, 0.5 ])
    """
    at_once = _works_at_once(function, tables.reshape(-1, tables.shape[-1]))

    def score(tables: FloatArray) -> FloatArray:
        rows = tables.reshape(-1, tables.shape[-1])
        try:
            # Values that are not finite are refused below.
            with np.errstate(all="ignore"):
                values = function(rows) if at_once else _values(function, rows)
        except Exception as error:
            raise ValueError(
                f"metric {name!r} raised {type(error).__name__} ({error}) for totals such as {_shown(rows[0])}"
            ) from error
        array = np.asarray(values, dtype=np.float64)
        infinite = ~np.isfinite(array)
        if infinite.any():
            i = int(np.argmax(infinite))
            raise ValueError(f"metric {name!r} gave {array[i]} for the totals {_shown(rows[i])}")
        return array.reshape(tables.shape[:-1])

    return score


def _works_at_once(function: Totals, rows: FloatArray) -> bool:
    """Return whether one call with several rows (one more than they have columns) gives the value of each row."""
    k = rows.shape[1]
    tried = rows[:1] * (1.0 + 0.01 * np.eye(k + 1, k))
    try:
        with np.errstate(all="ignore"):
            at_once = np.asarray(function(tried), dtype=np.float64)
            one_by_one = _values(function, tried)
    except Exception:
        return False
    return at_once.shape == (k + 1,) and np.allclose(at_once, one_by_one, rtol=1e-9, atol=0.0, equal_nan=True)


def _values(function: Totals, rows: FloatArray) -> list[float]:
    """Return the values of a function for each row, which must be numbers."""
    values = []
    for row in rows:
        value = np.asarray(function(row), dtype=np.float64)
        if value.ndim > 0:
            raise ValueError(f"an array of shape {value.shape} is not a number")
        values.append(float(value))
    return values


def _shown(row: FloatArray) -> str:
    """Return the first totals of a row."""
    shown = [f"{value:.4g}" for value in row[:8]]
    if len(row) > 8:
        shown.append("…")
    return f"[{', '.join(shown)}]"
