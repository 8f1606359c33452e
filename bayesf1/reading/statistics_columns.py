"""Evaluations from sums of statistics, a row for each unit and model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import Column, checked
from bayesf1.base.naming import listing
from bayesf1.base.number_columns import numbers_of
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.metric import points_down
from bayesf1.evaluation.runs import with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.statistics import Statistics, Totals, check_ratio, name_of
from bayesf1.reading.label_columns import read_groups
from bayesf1.reading.side_by_side import align, check_unit, ids_of


def _is_columns(value: Mapping[Any, Any]) -> bool:
    """Say whether a mapping holds columns of numbers, and no arrays (unit, statistic) of several runs."""
    try:
        return all(np.ndim(column) == 1 for column in value.values())
    except ValueError:  # lists of different lengths in one, of which more is said later
        return False


@checked
@with_runs_in("statistics", _is_columns)
def from_statistics(
    statistics: Mapping[str, Any],
    measure: Totals,
    *,
    name: str = "",
    lower_is_better: bool | None = None,
    groups: Column | None = None,
    unit: str | None = None,
    ids: Column | str | None = None,
) -> Evaluation:
    r"""Build an Evaluation from sums of statistics, where a measure is a function of their totals: paired over units.

    Corpus BLEU, chrF, word error rate and perplexity are no means of what they are on single sentences, but
    :math:`g(\sum_u x_u)` with a row :math:`x_u` of counts for each sentence. ``bayesf1.measures`` has some g:
    ``corpus_bleu``, ``chrf``, ``ter``, ``wer``.

    Parameters
    ----------
    statistics
        Mapping of model name to its sums: an array (unit, statistic), a frame, or a mapping of the names of statistics to
        columns. All models have the same statistics and units, in one order unless frames have an index. Sums are not
        negative.
    measure
        The function g of the totals. It is given an array (table, statistic) and returns a number for each table; where
        it cannot, or says something else then than for one table, it is called for each by itself, which is slower.
        The number of units must not matter to it: g(2x) = g(x).
    name
        What the measure is called in print; by default the attribute ``label`` of `measure`, such as BLEU, else its name.
    lower_is_better
        Whether the better of two models has the lower value, as with error rates and perplexities; by default what the
        attribute ``lower_is_better`` of `measure` says, if it has one, else False.
    groups
        The document (speaker, …) of each unit; documents are then the units, and what they hold of each other's
        sentences are sums.
    unit
        What a unit is called in print: ``"sentence"`` by default, or with groups ``"document"``.
    ids
        Ids of the units of arrays: a sequence for all of them, or a mapping of model name to its own.

    Examples
    --------
    Errors and words of each sentence:

    >>> def rate(totals):
    ...     return totals[..., 0] / totals[..., 1]
    >>> sums = {"A": [(3, 10), (0, 8), (2, 20)], "B": [(1, 10), (1, 8), (2, 20)]}
    >>> ev = from_statistics(sums, rate, name="WER", lower_is_better=True)
    >>> ev
    <Evaluation of 2 models (A, B) on WER of 2 statistics, 3 sentences in 3 patterns>
    >>> from bayesf1 import score
    >>> round(score(ev, "B"), 4)
    0.1053
    """
    if not isinstance(statistics, Mapping):
        raise ValueError(
            f"statistics must be a mapping such as {{'A': sums}}, not {type(statistics).__name__}"
        )
    if not callable(measure):
        raise ValueError(f"measure is a function of totals, not {measure!r:.60}")
    if not isinstance(name, str):
        raise ValueError(f"name says what the measure is called, such as 'BLEU', not {name!r}")
    if lower_is_better is not None and not isinstance(lower_is_better, bool | np.bool_):
        raise ValueError(f"lower_is_better is True or False, not {lower_is_better!r}")
    names = model_names(statistics)
    said = {model: f"statistics of {model!r}" for model in names}
    given = {model: _framed(statistics[model], said[model]) for model in names}
    known = {model: (said[model], given[model]) for model in names}
    others = {} if groups is None else {"groups": groups}
    if groups is not None:
        known.setdefault("groups", ("groups", groups))
    aligned = align({**dict(known[model] for model in names), **others}, ids_of(ids, known))
    arrays = [_sums(aligned[said[model]], said[model]) for model in names]
    for model, array in zip(names, arrays, strict=True):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"statistics of {model!r} have shape {array.shape}, but those of {names[0]!r} {arrays[0].shape}; every "
                "model needs a row for each unit, and a column for each statistic"
            )
    cells = _cells(given, names, arrays[0].shape[1])
    title = name.strip() or name_of(measure)
    rows = np.stack(arrays, axis=1)
    check_ratio(measure, title, rows.sum(axis=0))
    down = points_down(measure) if lower_is_better is None else bool(lower_is_better)
    kind = Statistics(cells, measure, title, down)
    one = check_unit("sentence" if unit is None or groups is not None else unit)
    units = Units.merge(rows, np.ones(len(rows)), one)
    if groups is None:
        return Evaluation.of_units(names, kind, units)
    document = read_groups(aligned["groups"])
    if len(document) != len(rows):
        raise ValueError(f"groups are {len(document)} labels, but there are {len(rows)} {one}s")
    group, which = np.unique(document, return_inverse=True)
    summed = np.zeros((len(group), *rows.shape[1:]))
    np.add.at(summed, which.ravel(), rows)
    several = Units.merge(summed, np.ones(len(group)), check_unit("document" if unit is None else unit))
    finer = Units.merge(rows, np.ones(len(rows)), one, each_an_item=True)
    return Evaluation.of_units(names, kind, several, finer)


def _framed(value: Any, where: str) -> Any:
    """Return columns by name as a frame, and all else as it is."""
    if not isinstance(value, Mapping):
        return value
    import pandas as pd

    try:
        return pd.DataFrame(dict(value))
    except ValueError as error:
        raise ValueError(f"{where} are columns that do not fit together: {error}") from None


def _cells(given: Mapping[str, Any], names: tuple[str, ...], n: int) -> tuple[str, ...]:
    """Return the names of the statistics, or say where models have others."""
    named = {model: tuple(map(str, columns)) for model in names if (columns := _columns(given[model]))}
    if not named:
        return tuple(f"s{i + 1}" for i in range(n))
    first, cells = next(iter(named.items()))
    for model, other in named.items():
        if other != cells:
            raise ValueError(
                f"statistics of {model!r} are {listing(other, most=10)}, but those of {first!r} {listing(cells, most=10)}; "
                "give the same columns in the same order"
            )
    return cells


def _columns(value: Any) -> list[Any]:
    columns = getattr(value, "columns", None)
    return [] if columns is None else list(columns)


def _sums(values: Any, where: str) -> FloatArray:
    array = numbers_of(
        values, where, remedy="must be numbers, a row for each unit and a column for each statistic"
    )
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{where} have shape {array.shape}; an array (unit, statistic) belongs here")
    bad = ~(np.isfinite(array) & (array >= 0.0))
    if bad.any():
        i, j = (int(place) for place in np.argwhere(bad)[0])
        raise ValueError(
            f"{where} have {array[i, j]:g} for unit {i + 1}, statistic {j + 1}; sums are finite and not negative (split "
            "amounts of both signs into two columns)"
        )
    return array + 0.0
