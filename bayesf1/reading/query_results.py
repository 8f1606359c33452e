"""What evaluations of rankings return: measures of each query, as pytrec_eval has them, and queries that lack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayesf1.base.checks import is_number
from bayesf1.base.naming import nearest, plural
from bayesf1.reading.side_by_side import ids_in

_TOO_DEEP = "scores are nested too deep for runs of models, queries and measures"


def pick_measure(scores: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return scores of which every ``{query: {measure: value}}`` is that of one measure, ``{query: value}``.

    Examples
    --------
    >>> pick_measure({"bm25": {"q1": {"ndcg": 0.3, "map": 0.2}}, "dense": [0.4]}, "ndcg")
    {'bm25': {'q1': 0.3}, 'dense': [0.4]}
    """
    try:
        return {model: _picked(value, name, repr(model)) for model, value in scores.items()}
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def _picked(value: Any, name: str, where: str, *, is_run: bool = False) -> Any:
    if not isinstance(value, Mapping) or not all(isinstance(row, Mapping) for row in value.values()):
        return value
    measured = {query: row for query, row in value.items() if row and all(map(is_number, row.values()))}
    if len(measured) < len(value):
        if is_run:
            raise ValueError(_TOO_DEEP)
        return {run: _picked(row, name, f"{where}, run {run!r},", is_run=True) for run, row in value.items()}
    found = {}
    for query, row in measured.items():
        if name not in row:
            raise ValueError(
                f"scores of {where} are measures of each query, and that of {query!r} has no {name!r}, so that name= must "
                f"say another; {nearest(name, map(str, row))}; runs whose scores are by id are given as Series"
            )
        found[query] = row[name]
    return found


def fill_missing(
    columns: Mapping[str, Any], ids: Mapping[str, Any], missing: float, unit: str
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Return columns with a score for every id that any of them has, no more ids, and sentences on what was filled.

    Examples
    --------
    >>> fill_missing({"A": {"q1": 0.5, "q2": 0.1}, "B": {"q1": 0.4}}, {}, 0.0, "query")
    ({'A': {'q1': 0.5, 'q2': 0.1}, 'B': {'q1': 0.4, 'q2': 0.0}}, {}, ('B have no value for 1 of 2 queries, which count 0.',))
    """
    if not is_number(missing) or not np.isfinite(missing):
        raise ValueError(f"missing is the score of what a model lacks, such as 0.0, not {missing!r}")
    by_id: dict[str, dict[Any, Any]] = {}
    for name, column in columns.items():
        known = ids_in(column, ids.get(name), name)
        if known is None:
            raise ValueError(
                f"missing= needs to know which {plural(unit)} {name} lack; give them by id, or ids="
            )
        if len(set(known)) < len(known):
            twice = next(key for key in known if known.count(key) > 1)
            raise ValueError(f"{name} have two values for {twice!r}; give one")
        values = column.values() if isinstance(column, Mapping) else column
        by_id[name] = dict(zip(known, values, strict=True))
    everything = {key: missing for column in by_id.values() for key in column}
    lacks = {name: len(everything) - len(column) for name, column in by_id.items()}
    filled = {name: {**everything, **column} for name, column in by_id.items()}
    remarks = tuple(
        f"{name[:1].upper()}{name[1:]} have no value for {n} of {len(everything)} {plural(unit)}, which count {missing:g}."
        for name, n in lacks.items()
        if n
    )
    return filled, {}, remarks
